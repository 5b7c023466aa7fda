//! The playground's engine, as a [`Member`].

use bytes::Bytes;
use etcd_playground::raft::{
    ConfState, Config, Entry, LOCAL_APPEND_THREAD, LOCAL_APPLY_THREAD, MemoryStorage, Message,
    MessageType, RawNode, StateRole,
};
use etcd_playground::random::Pcg32;
use etcd_playground::types::{Index, MemberId};

use crate::group::{Applied, Member};

/// A member whose writes its driver confirms with `advance`, or, if `is_async`, by answering messages.
pub struct Ours {
    node: RawNode<MemoryStorage>,
    is_async: bool,
}

fn member(id: u64, is_async: bool) -> Ours {
    let mut storage = MemoryStorage::new();
    let voters = vec![MemberId(1), MemberId(2), MemberId(3)];
    storage.set_conf_state(ConfState { voters, ..ConfState::default() });
    let config = Config {
        max_size_per_msg: 1 << 20,
        max_inflight_msgs: 256,
        async_storage_writes: is_async,
        ..Config::new(MemberId(id))
    };
    let random = Pcg32::for_stream(1, &[id]);
    let node = RawNode::new(config, storage, random).expect("the member starts");
    Ours { node, is_async }
}

/// The three members.
pub fn members() -> [Ours; 3] {
    [1, 2, 3].map(|id| member(id, false))
}

/// The three members, with asynchronous storage writes.
pub fn members_async() -> [Ours; 3] {
    [1, 2, 3].map(|id| member(id, true))
}

fn apply(state: &mut Applied, entries: &[Entry]) {
    for entry in entries {
        state.apply(entry.index.0, &entry.data);
    }
}

impl Ours {
    /// What the two storage threads would do, at once.
    fn store(
        &mut self,
        mut message: Message,
        state: &mut Applied,
        send: &mut impl FnMut(u64, Message),
    ) {
        if message.msg_type == MessageType::MsgStorageAppend {
            let storage = self.node.storage_mut();
            storage.append(&message.entries).expect("the log has no gap");
        } else {
            apply(state, &message.entries);
        }
        for response in message.responses.drain(..) {
            if response.to == self.node.id() {
                self.node.step(response).expect("an answer is taken");
            } else {
                send(response.to.0, response);
            }
        }
    }
}

impl Member for Ours {
    type Message = Message;

    fn campaign(&mut self) {
        self.node.campaign().expect("it may campaign");
    }

    fn propose(&mut self, data: Vec<u8>) {
        self.node.propose(Bytes::from(data)).expect("the leader takes it");
    }

    fn step(&mut self, message: Message) {
        self.node.step(message).expect("a message is taken");
    }

    fn has_work(&self) -> bool {
        self.node.has_ready()
    }

    fn work(&mut self, state: &mut Applied, send: &mut impl FnMut(u64, Message)) {
        let mut ready = self.node.ready();
        if let Some(hard_state) = ready.hard_state {
            self.node.storage_mut().set_hard_state(hard_state);
        }
        if self.is_async {
            for message in ready.messages.drain(..) {
                if message.to == LOCAL_APPEND_THREAD || message.to == LOCAL_APPLY_THREAD {
                    self.store(message, state, send);
                } else {
                    send(message.to.0, message);
                }
            }
            return;
        }
        self.node.storage_mut().append(&ready.entries).expect("the log has no gap");
        for message in ready.messages.drain(..) {
            send(message.to.0, message);
        }
        apply(state, &ready.committed_entries);
        self.node.advance(ready);
    }

    fn compact(&mut self, index: u64) {
        self.node.storage_mut().compact(Index(index)).expect("the log reaches so far");
    }

    fn leads(&self) -> bool {
        self.node.role() == StateRole::Leader
    }
}
