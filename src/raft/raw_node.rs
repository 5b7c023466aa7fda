//! A member as its driver sees it: calls in, `Ready` out.
//!
//! What it is: the gate around the state machine: it refuses what must not come from outside, and
//! decides what leaves when.
//! What it is not: a loop; the driver ticks, steps, stores and sends.
//! Invariants: what is handed out once is not handed out again; nothing that promises durability
//! leaves before the write is confirmed (by `advance`, or by the storage thread's answers).
//! Source: behaviour of etcd-io/raft `rawnode.go` and `doc.go`.
//!
//! Without asynchronous storage writes: `ready`, store, send, apply, `advance`, one at a time.
//! With them: `ready` at any time; a message to [`LOCAL_APPEND_THREAD`] is written in order, then
//! its responses are delivered; likewise for [`LOCAL_APPLY_THREAD`].

use bytes::Bytes;

use super::conf_change::{AsConfChange, ConfChange, ConfChangeType, ConfChangeV2};
use super::config::Config;
use super::entry::{Entry, EntryType};
use super::error::Error;
use super::machine::{Batch, Raft, StepDownReason};
use super::message::{
    LOCAL_APPEND_THREAD, LOCAL_APPLY_THREAD, Message, MessageType, is_local_target,
};
use super::ready::Ready;
use super::state::{ConfState, HardState, Peer, SoftState, StateRole};
use super::status::{BasicStatus, Status};
use super::storage::Storage;
use crate::random::Pcg32;
use crate::types::{Index, MemberId, Term};

/// One member.
#[derive(Clone, Debug)]
pub struct RawNode<S> {
    pub(super) raft: Raft<S>,
    previous_soft_state: SoftState,
    previous_hard_state: HardState,
    /// The member's own acknowledgements, delivered by `advance`.
    steps_on_advance: Vec<Message>,
    /// What the application has applied once `advance` is called.
    applied_on_advance: Option<Batch>,
}

/// Takes the queue out; the next one begins with room for as many, so that a steady load does not grow it
/// step by step each time.
fn take_and_make_room(queue: &mut Vec<Message>) -> Vec<Message> {
    let next = Vec::with_capacity(queue.len());
    std::mem::replace(queue, next)
}

impl<S: Storage> RawNode<S> {
    /// A member as its storage says; `random` decides its election timeouts.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`], [`Error::InvalidStorage`], or what storage says.
    pub fn new(config: Config, storage: S, random: Pcg32) -> Result<Self, Error> {
        let raft = Raft::new(config, storage, random)?;
        let (previous_soft_state, previous_hard_state) = (raft.soft_state(), raft.hard_state());
        Ok(Self {
            raft,
            previous_soft_state,
            previous_hard_state,
            steps_on_advance: Vec::new(),
            applied_on_advance: None,
        })
    }

    /// Starts a new cluster: one committed entry per peer at term 1 that adds it.
    ///
    /// # Errors
    /// [`Error::BootstrapNonEmpty`], [`Error::BootstrapWithoutPeers`], or a configuration that is
    /// not possible.
    pub fn bootstrap(&mut self, peers: Vec<Peer>) -> Result<(), Error> {
        if peers.is_empty() {
            return Err(Error::BootstrapWithoutPeers);
        }
        if self.raft.log.last_index() != Index(0) {
            return Err(Error::BootstrapNonEmpty);
        }
        let mut entries = Vec::new();
        let mut changes = Vec::new();
        for (peer, index) in peers.into_iter().zip(1u64..) {
            let change = ConfChange {
                id: 0,
                change_type: ConfChangeType::AddNode,
                node_id: peer.id,
                context: peer.context,
            };
            entries.push(Entry {
                term: Term(1),
                index: Index(index),
                entry_type: EntryType::ConfChange,
                data: change.encode()?,
            });
            changes.push(change.to_v2());
        }
        self.previous_hard_state = HardState::default();
        self.raft.bootstrap(entries);
        // The members count from now on; applying the entries again changes nothing.
        for change in &changes {
            self.raft.apply_conf_change(change)?;
        }
        Ok(())
    }

    // ---- calls in ----

    /// One tick has passed.
    pub fn tick(&mut self) {
        self.raft.tick();
    }

    /// Campaigns now.
    ///
    /// # Errors
    /// None at present; the driver may ignore the result.
    pub fn campaign(&mut self) -> Result<(), Error> {
        self.raft.step(Message::local(MessageType::MsgHup, self.raft.id))
    }

    /// Proposes bytes for the log.
    ///
    /// # Errors
    /// [`Error::ProposalDropped`] without a leader, during a transfer, or over the limit.
    pub fn propose(&mut self, data: Bytes) -> Result<(), Error> {
        self.propose_entry(Entry::normal(data))
    }

    /// Proposes a configuration change of either form.
    ///
    /// A change that is not possible now becomes an empty entry.
    ///
    /// # Errors
    /// As [`RawNode::propose`].
    pub fn propose_conf_change(&mut self, change: &impl AsConfChange) -> Result<(), Error> {
        let data = change.encode()?;
        let entry_type = change.entry_type();
        self.propose_entry(Entry { entry_type, data, ..Entry::default() })
    }

    fn propose_entry(&mut self, entry: Entry) -> Result<(), Error> {
        let mut message = Message::local(MessageType::MsgProp, self.raft.id);
        message.entries = vec![entry];
        self.raft.step(message)
    }

    /// Applies a committed configuration change; gives the configuration to store.
    ///
    /// An entry that the application refuses is applied with node id 0, or not at all.
    ///
    /// # Panics
    /// If the change is not possible: every member would be in a different configuration.
    pub fn apply_conf_change(&mut self, change: &ConfChangeV2) -> ConfState {
        let applied = self.try_apply_conf_change(change);
        assert!(applied.is_ok(), "raft: committed configuration change: {:?}", applied.err());
        applied.unwrap_or_default()
    }

    /// As [`RawNode::apply_conf_change`], but a change that is not possible gives an error.
    ///
    /// # Errors
    /// [`Error::ConfChange`]; nothing is changed then.
    pub fn try_apply_conf_change(&mut self, change: &ConfChangeV2) -> Result<ConfState, Error> {
        self.raft.apply_conf_change(change)
    }

    /// Takes a message from another member, or from a local storage thread.
    ///
    /// # Errors
    /// [`Error::StepLocalMessage`], [`Error::StepPeerNotFound`], [`Error::InvalidMessage`],
    /// which change nothing; or [`Error::CommitOutOfRange`], [`Error::ProposalDropped`] and the like
    /// from the state machine, which leave log, commit and vote as they were.
    pub fn step(&mut self, message: Message) -> Result<(), Error> {
        let kind = message.msg_type;
        let is_from_storage = is_local_target(message.from);
        if kind.is_local() && !is_from_storage {
            return Err(Error::StepLocalMessage);
        }
        if kind.is_response()
            && !is_from_storage
            && !self.raft.tracker.progress.contains_key(&message.from)
        {
            return Err(Error::StepPeerNotFound);
        }
        message.validate()?;
        let speaks_for_itself = kind.is_from_leader() || kind.is_vote_request();
        if speaks_for_itself && (message.from == self.raft.id || message.from == MemberId(0)) {
            return Err(Error::InvalidMessage("sender is nobody else"));
        }
        self.raft.step(message)
    }

    /// Asks for an index from which a linearizable read can be served; see [`Ready::read_states`].
    ///
    /// The request may get lost; ask again after a while.
    ///
    /// # Errors
    /// None at present; the driver may ignore the result.
    pub fn read_index(&mut self, context: Bytes) -> Result<(), Error> {
        let mut message = Message::local(MessageType::MsgReadIndex, self.raft.id);
        message.entries = vec![Entry::normal(context)];
        self.raft.step(message)
    }

    /// The last message to `id` could not be delivered.
    pub fn report_unreachable(&mut self, id: MemberId) {
        self.step_local(Message::local(MessageType::MsgUnreachable, id));
    }

    /// The snapshot for `id` was delivered, or was not.
    pub fn report_snapshot(&mut self, id: MemberId, is_delivered: bool) {
        let mut message = Message::local(MessageType::MsgSnapStatus, id);
        message.reject = !is_delivered;
        self.step_local(message);
    }

    /// Asks the leader to hand over to `id`.
    pub fn transfer_leader(&mut self, id: MemberId) {
        self.step_local(Message::local(MessageType::MsgTransferLeader, id));
    }

    /// Forgets the leader, so that this member may vote for another.
    ///
    /// # Errors
    /// None at present; the driver may ignore the result.
    pub fn forget_leader(&mut self) -> Result<(), Error> {
        self.raft.step(Message::local(MessageType::MsgForgetLeader, self.raft.id))
    }

    fn step_local(&mut self, message: Message) {
        if let Err(error) = self.raft.step(message) {
            log::debug!("{:x}: {error}", self.raft.id);
        }
    }

    // ---- work out ----

    /// True if `ready` has something to hand out.
    #[must_use]
    pub fn has_ready(&self) -> bool {
        let raft = &self.raft;
        let hard_state = raft.hard_state();
        raft.soft_state() != self.previous_soft_state
            || (!hard_state.is_empty() && hard_state != self.previous_hard_state)
            || raft.log.unstable().next_snapshot().is_some()
            || !raft.messages.is_empty()
            || !raft.messages_after_append.is_empty()
            || !raft.log.unstable().next_entries().is_empty()
            || raft.log.has_next_committed(raft.apply_from())
            || !raft.read_states.is_empty()
    }

    /// Hands out everything there is to store, apply and send.
    ///
    /// # Panics
    /// Without asynchronous writes: if the previous `Ready` was not confirmed by `advance`.
    pub fn ready(&mut self) -> Ready {
        let is_advanced = self.steps_on_advance.is_empty() && self.applied_on_advance.is_none();
        assert!(is_advanced, "raft: two Ready without a call to advance");
        let mut ready = self.collect();
        let committed = Batch::of(&ready.committed_entries);
        if self.raft.config.async_storage_writes {
            self.write_by_messages(&mut ready);
        } else {
            self.write_by_caller(&mut ready);
            self.applied_on_advance = committed;
        }
        self.accept(&ready, committed);
        ready
    }

    /// Takes what is new out of the state machine, but for what waits for the write.
    fn collect(&mut self) -> Ready {
        let raft = &mut self.raft;
        let (soft_state, hard_state) = (raft.soft_state(), raft.hard_state());
        let is_new = !hard_state.is_empty() && hard_state != self.previous_hard_state;
        let entries = raft.log.unstable().next_entries().to_vec();
        let previous = self.previous_hard_state;
        let must_sync = !entries.is_empty()
            || hard_state.vote != previous.vote
            || hard_state.term != previous.term;
        Ready {
            soft_state: (soft_state != self.previous_soft_state).then_some(soft_state),
            hard_state: is_new.then_some(hard_state),
            read_states: std::mem::take(&mut raft.read_states),
            entries,
            snapshot: raft.log.unstable().next_snapshot().cloned(),
            committed_entries: raft.log.next_committed(raft.apply_from()),
            messages: take_and_make_room(&mut raft.messages),
            must_sync,
        }
    }

    /// Asynchronous writes: the storage threads get messages that carry the answers to deliver.
    fn write_by_messages(&mut self, ready: &mut Ready) {
        let after_append = take_and_make_room(&mut self.raft.messages_after_append);
        let has_write = !ready.entries.is_empty()
            || ready.hard_state.is_some()
            || ready.snapshot.is_some()
            || !after_append.is_empty();
        if has_write {
            let mut message = Message::new(MessageType::MsgStorageAppend, LOCAL_APPEND_THREAD);
            message.from = self.raft.id;
            message.entries = ready.entries.clone();
            if let Some(hard_state) = ready.hard_state {
                message.term = hard_state.term;
                message.vote = hard_state.vote;
                message.commit = hard_state.commit;
            }
            message.snapshot = ready.snapshot.clone().map(Box::new);
            message.responses = after_append;
            message.responses.extend(self.append_response(ready));
            ready.messages.push(message);
        }
        if !ready.committed_entries.is_empty() {
            let mut message = Message::new(MessageType::MsgStorageApply, LOCAL_APPLY_THREAD);
            message.from = self.raft.id;
            message.entries = ready.committed_entries.clone();
            message.responses = vec![self.apply_response(ready)];
            ready.messages.push(message);
        }
    }

    /// Synchronous writes: messages to others leave with the write, those to itself with `advance`.
    fn write_by_caller(&mut self, ready: &mut Ready) {
        let after_append = take_and_make_room(&mut self.raft.messages_after_append);
        let own = self.raft.id;
        if ready.messages.is_empty() && after_append.iter().all(|message| message.to != own) {
            ready.messages = after_append;
        } else {
            self.part_own_messages(after_append, ready);
        }
        self.steps_on_advance.extend(self.append_response(ready));
    }

    fn part_own_messages(&mut self, messages: Vec<Message>, ready: &mut Ready) {
        for message in messages {
            if message.to == self.raft.id {
                self.steps_on_advance.push(message);
            } else {
                ready.messages.push(message);
            }
        }
    }

    /// Tells the log what has become durable.
    ///
    /// It speaks of the last unstable entry even if this write has no entries: a write of an earlier
    /// term may not count when its own answer comes, and the next one makes up for it.
    fn append_response(&self, ready: &Ready) -> Option<Message> {
        let log = &self.raft.log;
        if !log.unstable().has_entries() && ready.snapshot.is_none() {
            return None;
        }
        let mut message = Message::new(MessageType::MsgStorageAppendResp, self.raft.id);
        message.from = LOCAL_APPEND_THREAD;
        message.term = self.raft.term;
        if log.unstable().has_entries() {
            let last = log.last_id();
            message.index = last.index;
            message.log_term = last.term;
        }
        message.snapshot = ready.snapshot.clone().map(Box::new);
        Some(message)
    }

    fn apply_response(&self, ready: &Ready) -> Message {
        let mut message = Message::new(MessageType::MsgStorageApplyResp, self.raft.id);
        message.from = LOCAL_APPLY_THREAD;
        message.entries = ready.committed_entries.clone();
        message
    }

    /// Remembers what was handed out.
    fn accept(&mut self, ready: &Ready, committed: Option<Batch>) {
        if let Some(soft_state) = ready.soft_state {
            self.previous_soft_state = soft_state;
        }
        if let Some(hard_state) = ready.hard_state {
            self.previous_hard_state = hard_state;
        }
        self.raft.log.unstable_mut().accept_in_progress();
        if let Some(batch) = committed {
            let from = self.raft.apply_from();
            self.raft.log.accept_applying(batch.last, batch.encoded_bytes, from);
        }
    }

    /// Confirms that the last `Ready` is stored, sent and applied (synchronous writes only).
    ///
    /// # Panics
    /// With asynchronous writes: there the storage threads answer.
    pub fn advance(&mut self, ready: Ready) {
        let is_async = self.raft.config.async_storage_writes;
        assert!(!is_async, "raft: advance with asynchronous storage writes");
        drop(ready);
        let mut steps = std::mem::take(&mut self.steps_on_advance);
        for message in steps.drain(..) {
            self.step_local(message);
        }
        // Nothing was added meanwhile; the room serves again.
        self.steps_on_advance = steps;
        if let Some(batch) = self.applied_on_advance.take() {
            self.raft.batch_applied(batch);
        }
    }

    // ---- questions ----

    /// The state, with the leader's view of every member.
    #[must_use]
    pub fn status(&self) -> Status {
        let is_leader = self.raft.role == StateRole::Leader;
        Status {
            basic: self.basic_status(),
            config: self.raft.tracker.config.clone(),
            progress: if is_leader {
                self.raft.tracker.progress.clone()
            } else {
                Default::default()
            },
        }
    }

    /// The state without what costs to copy.
    #[must_use]
    pub fn basic_status(&self) -> BasicStatus {
        let raft = &self.raft;
        BasicStatus {
            id: raft.id,
            hard_state: raft.hard_state(),
            soft_state: raft.soft_state(),
            applied: raft.log.applied(),
            first_index: raft.log.first_index(),
            last_index: raft.log.last_index(),
            lead_transferee: raft.lead_transferee,
            is_learner: raft.is_learner,
            last_step_down: raft.last_step_down,
            election_elapsed: raft.election_elapsed,
            randomized_election_timeout: raft.randomized_election_timeout,
        }
    }

    /// How far each member's log is known to match, as the leader knows it; nothing on a follower.
    pub fn matched(&self) -> impl Iterator<Item = (MemberId, Index)> {
        let leads = self.raft.role == StateRole::Leader;
        let progress = leads.then_some(&self.raft.tracker.progress);
        progress.into_iter().flat_map(|all| all.iter().map(|(id, it)| (*id, it.matched)))
    }

    /// The newest reads at the leader, for people to look at.
    #[must_use]
    pub fn reads(&self) -> Vec<super::read_only::ReadLook> {
        self.raft.read_only.look()
    }

    /// The member.
    #[must_use]
    pub fn id(&self) -> MemberId {
        self.raft.id
    }

    /// The term.
    #[must_use]
    pub fn term(&self) -> Term {
        self.raft.term
    }

    /// The part it plays.
    #[must_use]
    pub fn role(&self) -> StateRole {
        self.raft.role
    }

    /// The leader as far as it knows.
    #[must_use]
    pub fn lead(&self) -> Option<MemberId> {
        self.raft.lead
    }

    /// The commit index.
    #[must_use]
    pub fn commit(&self) -> Index {
        self.raft.log.committed()
    }

    /// The last index that was applied.
    #[must_use]
    pub fn applied(&self) -> Index {
        self.raft.log.applied()
    }

    /// The last index of the log.
    #[must_use]
    pub fn last_index(&self) -> Index {
        self.raft.log.last_index()
    }

    /// The term of an entry of the log; `None` if the log does not have it.
    #[must_use]
    pub fn log_term(&self, index: Index) -> Option<Term> {
        self.raft.log.term(index).ok()
    }

    /// The entries `from..=to` of the log, as far as it has them.
    #[must_use]
    pub fn log_entries(&self, from: Index, to: Index) -> Vec<Entry> {
        let to = to.min(self.raft.log.last_index());
        if from > to {
            return Vec::new();
        }
        self.raft.log.slice(from, to.next(), u64::MAX).unwrap_or_default()
    }

    /// Payload bytes proposed here and not applied yet; a leader's.
    #[must_use]
    pub fn uncommitted_size(&self) -> u64 {
        self.raft.uncommitted_size
    }

    /// The configuration in force, in the form that is stored.
    #[must_use]
    pub fn conf_state(&self) -> ConfState {
        self.raft.tracker.config.conf_state()
    }

    /// The index of a snapshot that was received and is not known to be durable yet.
    ///
    /// Its configuration is in force already. Entries up to there that still wait to be applied
    /// must be skipped (and confirmed): the snapshot holds them.
    #[must_use]
    pub fn pending_snapshot(&self) -> Option<Index> {
        self.raft.log.unstable().snapshot_index()
    }

    /// Why it stopped leading, if it led before.
    #[must_use]
    pub fn last_step_down(&self) -> Option<StepDownReason> {
        self.raft.last_step_down
    }

    /// True if it last stopped leading because it did not hear from a quorum.
    #[must_use]
    pub fn last_step_down_quorum_lost(&self) -> bool {
        self.raft.last_step_down == Some(StepDownReason::QuorumLost)
    }

    /// Unit: ticks since the leader was heard, the campaign began, or the quorum was checked.
    #[must_use]
    pub fn election_elapsed(&self) -> u32 {
        self.raft.election_elapsed
    }

    /// Votes granted in the campaign that goes on; 0 without one.
    #[must_use]
    pub fn votes_granted(&self) -> u64 {
        let campaigns = matches!(self.raft.role, StateRole::Candidate | StateRole::PreCandidate);
        if campaigns { self.raft.tracker.votes_granted() } else { 0 }
    }

    /// Unit: ticks. Without a leader the member campaigns after this long.
    #[must_use]
    pub fn randomized_election_timeout(&self) -> u32 {
        self.raft.randomized_election_timeout
    }

    /// Forces the election timeout until the next role change draws another.
    pub fn set_randomized_election_timeout(&mut self, ticks: u32) {
        self.raft.randomized_election_timeout = ticks.max(1);
    }

    /// The stable log.
    #[must_use]
    pub fn storage(&self) -> &S {
        self.raft.log.storage()
    }

    /// The stable log, to write to.
    pub fn storage_mut(&mut self) -> &mut S {
        self.raft.log.storage_mut()
    }
}
