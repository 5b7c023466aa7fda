//! The crate `raft` 0.7, as a [`Member`].

use raft::eraftpb::{ConfState, Entry, Message};
use raft::storage::MemStorage;
use raft::{Config, RawNode, StateRole};

use crate::group::{Applied, Member};

/// A member whose writes its driver confirms with `advance`.
pub struct Theirs(RawNode<MemStorage>);

/// The three members.
pub fn members() -> [Theirs; 3] {
    [1, 2, 3].map(|id| {
        let voters = ConfState { voters: vec![1, 2, 3], ..ConfState::default() };
        let storage = MemStorage::new_with_conf_state(voters);
        let config =
            Config { id, max_size_per_msg: 1 << 20, max_inflight_msgs: 256, ..Config::default() };
        let logger = slog::Logger::root(slog::Discard, slog::o!());
        Theirs(RawNode::new(&config, storage, &logger).expect("the member starts"))
    })
}

fn apply(state: &mut Applied, entries: &[Entry]) {
    for entry in entries {
        state.apply(entry.index, &entry.data);
    }
}

impl Member for Theirs {
    type Message = Message;

    fn campaign(&mut self) {
        self.0.campaign().expect("it may campaign");
    }

    fn propose(&mut self, data: Vec<u8>) {
        self.0.propose(Vec::new(), data).expect("the leader takes it");
    }

    fn step(&mut self, message: Message) {
        self.0.step(message).expect("a message is taken");
    }

    fn has_work(&self) -> bool {
        self.0.has_ready()
    }

    fn work(&mut self, state: &mut Applied, send: &mut impl FnMut(u64, Message)) {
        let mut ready = self.0.ready();
        for message in ready.take_messages() {
            send(message.to, message);
        }
        {
            let mut storage = self.0.mut_store().wl();
            storage.append(ready.entries()).expect("the log has no gap");
            if let Some(hard_state) = ready.hs() {
                storage.set_hardstate(hard_state.clone());
            }
        }
        for message in ready.take_persisted_messages() {
            send(message.to, message);
        }
        apply(state, ready.committed_entries());
        let mut light = self.0.advance(ready);
        if let Some(commit) = light.commit_index() {
            self.0.mut_store().wl().mut_hard_state().commit = commit;
        }
        for message in light.take_messages() {
            send(message.to, message);
        }
        apply(state, light.committed_entries());
        self.0.advance_apply();
    }

    fn compact(&mut self, index: u64) {
        self.0.mut_store().wl().compact(index).expect("the log reaches so far");
    }

    fn leads(&self) -> bool {
        self.0.raft.state == StateRole::Leader
    }
}
