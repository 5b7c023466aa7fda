//! What a leader does: appends, replicates, commits, answers reads, hands over.
//!
//! What it is: the leader's part of `step`, and the sending of entries, snapshots and heartbeats.
//! What it is not: flow control itself (see `tracker`).
//! Invariants: only entries of the own term are committed by counting; the own entries count once
//! they are durable, by an acknowledgement like any other.
//! Source: Raft thesis §3.5, §3.6, §3.10, §6.4; behaviour of etcd-io/raft `stepLeader`.

use bytes::Bytes;

use super::conf_change::ConfChangeV2;
use super::config::ReadOnlyOption;
use super::entry::{Entry, EntryId, payload_sizes};
use super::error::{Error, StorageError};
use super::machine::{Raft, StepDownReason};
use super::message::{Message, MessageType, NO_MEMBER};
use super::read_only::{READS_WAITING_MAX, position_from_context, position_to_context};
use super::state::{ReadState, StateRole};
use super::storage::Storage;
use super::tracker::ProgressState;
use crate::mutant::{self, Mutant};
use crate::types::{Index, MemberId};

/// What to do when there are no entries to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmptyAppend {
    /// Send nothing.
    Skip,
    /// Send an append without entries, to probe or to tell the commit index.
    Send,
}

impl<S: Storage> Raft<S> {
    // ---- time ----

    pub(crate) fn tick_heartbeat(&mut self) {
        self.heartbeat_elapsed = self.heartbeat_elapsed.saturating_add(1);
        self.election_elapsed = self.election_elapsed.saturating_add(1);
        if self.election_elapsed >= self.config.election_tick {
            self.election_elapsed = 0;
            if self.config.check_quorum {
                self.check_quorum();
            }
            // A transfer that did not work out within an election timeout is given up.
            if self.role == StateRole::Leader {
                self.lead_transferee = None;
            }
        }
        if self.role != StateRole::Leader {
            return;
        }
        if self.heartbeat_elapsed >= self.config.heartbeat_tick {
            self.heartbeat_elapsed = 0;
            self.broadcast_heartbeat();
        }
    }

    fn check_quorum(&mut self) {
        if !self.tracker.quorum_active() {
            log::debug!("{:x} stepped down, quorum is not active", self.id);
            self.note_step_down(StepDownReason::QuorumLost);
            self.become_follower(self.term, None);
        }
        for (id, progress) in self.tracker.progress.iter_mut() {
            if *id != self.id {
                progress.recent_active = false;
            }
        }
    }

    // ---- messages ----

    pub(crate) fn step_leader(&mut self, message: Message) -> Result<(), Error> {
        match message.msg_type {
            MessageType::MsgBeat => {
                self.broadcast_heartbeat();
                Ok(())
            }
            MessageType::MsgCheckQuorum => {
                self.check_quorum();
                Ok(())
            }
            MessageType::MsgProp => self.handle_proposal(message),
            MessageType::MsgReadIndex => {
                self.handle_read_index(message);
                Ok(())
            }
            MessageType::MsgAppResp => self.handle_append_response(&message),
            MessageType::MsgHeartbeatResp => {
                self.handle_heartbeat_response(&message);
                Ok(())
            }
            MessageType::MsgSnapStatus => {
                self.handle_snapshot_status(&message);
                Ok(())
            }
            MessageType::MsgUnreachable => {
                // What is on its way is probably lost: find out where the member stands.
                if let Some(progress) = self.tracker.progress.get_mut(&message.from)
                    && progress.state == ProgressState::Replicate
                {
                    progress.become_probe();
                }
                Ok(())
            }
            MessageType::MsgTransferLeader => {
                self.handle_transfer(message.from);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn handle_proposal(&mut self, message: Message) -> Result<(), Error> {
        let mut entries = message.entries;
        // A leader that was removed, or is handing over, takes nothing new.
        if !self.tracker.progress.contains_key(&self.id) || self.lead_transferee.is_some() {
            return Err(Error::ProposalDropped);
        }
        if entries.is_empty() {
            return Err(Error::InvalidMessage("no entries"));
        }
        let last = self.log.last_index().0;
        let mut pending = self.pending_conf_index;
        for (entry, index) in entries.iter_mut().zip(last + 1..) {
            // Whoever applies it reads it again; bytes that are no change stop here.
            let Some(change) = ConfChangeV2::from_entry(entry)? else { continue };
            if self.may_propose_change(&change, pending) {
                pending = Index(index);
            } else {
                // The entry keeps its place, so that its proposer sees it go by.
                *entry = Entry::default();
            }
        }
        let pending_before = std::mem::replace(&mut self.pending_conf_index, pending);
        if !self.append_as_leader(entries) {
            self.pending_conf_index = pending_before;
            return Err(Error::ProposalDropped);
        }
        self.broadcast_append();
        Ok(())
    }

    /// One change at a time, and none but leaving while the configuration is joint.
    fn may_propose_change(&self, change: &ConfChangeV2, pending: Index) -> bool {
        let is_joint = self.tracker.config.voters.is_joint();
        let wants_to_leave = change.changes.is_empty();
        let is_early =
            pending > self.log.applied() && !(mutant::is(Mutant::JointLeftTwice) && wants_to_leave);
        let is_refused = is_early || is_joint != wants_to_leave;
        !is_refused || self.config.disable_conf_change_validation
    }

    /// Appends entries of the own term; false if there is too much uncommitted already.
    pub(crate) fn append_as_leader(&mut self, mut entries: Vec<Entry>) -> bool {
        let last = self.log.last_index().0;
        for (entry, index) in entries.iter_mut().zip(last + 1..) {
            entry.term = self.term;
            entry.index = Index(index);
        }
        if !self.increase_uncommitted_size(&entries) {
            return false;
        }
        let last = self.log.append(entries);
        // The leader's own acknowledgement, delivered once the entries are durable.
        let mut own = Message::new(MessageType::MsgAppResp, self.id);
        own.index = last;
        self.send(own);
        true
    }

    fn handle_append_response(&mut self, message: &Message) -> Result<(), Error> {
        if !message.reject && message.index > self.log.last_index() {
            return Err(Error::InvalidMessage("acknowledges what was never sent"));
        }
        let Some(progress) = self.tracker.progress.get_mut(&message.from) else {
            return Ok(());
        };
        progress.recent_active = true;
        if message.reject {
            self.handle_append_rejection(message);
        } else {
            self.handle_append_acknowledgement(message.from, message.index);
        }
        Ok(())
    }

    fn handle_append_rejection(&mut self, message: &Message) {
        let mut hint = message.reject_hint;
        if message.log_term.0 > 0 {
            // The follower's term at the hint bounds where the logs can agree: skip everything of
            // ours that has a higher term.
            hint = self.log.find_conflict_by_term(hint, message.log_term).index;
        }
        let Some(progress) = self.tracker.progress.get_mut(&message.from) else { return };
        if progress.maybe_decrease(message.index, hint) {
            if progress.state == ProgressState::Replicate {
                progress.become_probe();
            }
            self.send_append(message.from);
        }
    }

    fn handle_append_acknowledgement(&mut self, from: MemberId, index: Index) {
        let first_index = self.log.first_index();
        let Some(progress) = self.tracker.progress.get_mut(&from) else { return };
        // An answer that says nothing new still shows that a probed follower is there.
        let is_back = progress.matched == index && progress.state == ProgressState::Probe;
        if !progress.maybe_update(index) && !is_back {
            return;
        }
        match progress.state {
            ProgressState::Probe => progress.become_replicate(),
            ProgressState::Snapshot if progress.matched.next() >= first_index => {
                // Whatever snapshot it has got, our log reaches on from there.
                progress.become_probe();
                progress.become_replicate();
            }
            ProgressState::Snapshot => {}
            ProgressState::Replicate => progress.inflights.free_up_to(index),
        }
        let can_bump_commit = progress.can_bump_commit(self.log.committed());
        if self.maybe_commit() {
            self.release_postponed_reads();
            self.broadcast_append();
        } else if from != self.id && can_bump_commit {
            self.send_append(from);
        }
        if from != self.id {
            // The window has moved: send as much as fits.
            while self.maybe_send_append(from, EmptyAppend::Skip) {}
        }
        let matched = self.tracker.progress.get(&from).map(|progress| progress.matched);
        if self.lead_transferee == Some(from) && matched == Some(self.log.last_index()) {
            self.send_timeout_now(from);
        }
    }

    fn handle_heartbeat_response(&mut self, message: &Message) {
        let last_index = self.log.last_index();
        let Some(progress) = self.tracker.progress.get_mut(&message.from) else { return };
        progress.recent_active = true;
        progress.append_paused = false;
        // A follower that is behind gets another append, even an empty one into a full window, in
        // case everything that was on its way got lost; so does one that is being probed.
        if progress.matched < last_index || progress.state == ProgressState::Probe {
            self.send_append(message.from);
        }
        if self.read_only.option() != ReadOnlyOption::Safe {
            return;
        }
        let Some(position) = position_from_context(&message.context) else { return };
        self.read_only.confirm(message.from, position);
        for read in self.read_only.release(&self.tracker.config.voters) {
            self.answer_read(&read.message, read.index);
        }
    }

    fn handle_snapshot_status(&mut self, message: &Message) {
        let Some(progress) = self.tracker.progress.get_mut(&message.from) else { return };
        if progress.state != ProgressState::Snapshot {
            return;
        }
        if message.reject {
            // It never arrived: probe from what is known to match.
            progress.pending_snapshot = Index(0);
        }
        progress.become_probe();
        // After a success wait for the acknowledgement, after a failure for a heartbeat.
        progress.append_paused = true;
    }

    fn handle_transfer(&mut self, transferee: MemberId) {
        let last_index = self.log.last_index();
        let Some(progress) = self.tracker.progress.get(&transferee) else { return };
        if progress.is_learner || self.lead_transferee == Some(transferee) {
            return;
        }
        let is_up_to_date = progress.matched == last_index;
        self.lead_transferee = None;
        if transferee == self.id {
            return;
        }
        // The transfer must be over within one election timeout.
        self.election_elapsed = 0;
        self.lead_transferee = Some(transferee);
        if is_up_to_date {
            self.send_timeout_now(transferee);
        } else {
            self.send_append(transferee);
        }
    }

    fn send_timeout_now(&mut self, to: MemberId) {
        self.send(Message::new(MessageType::MsgTimeoutNow, to));
    }

    // ---- committing ----

    /// Raises the commit index to what a quorum has; true if it rose.
    pub(crate) fn maybe_commit(&mut self) -> bool {
        let mut id = EntryId { term: self.term, index: self.tracker.committed() };
        if mutant::is(Mutant::CommitOldTerm) {
            id.term = self.log.term(id.index).unwrap_or_default();
        }
        self.log.maybe_commit(id)
    }

    fn is_committed_in_term(&self) -> bool {
        self.log.term(self.log.committed()) == Ok(self.term)
    }

    /// After a configuration change: commit what the new quorum has, and reach new members.
    pub(crate) fn replicate_to_new_config(&mut self) {
        if self.maybe_commit() {
            self.release_postponed_reads();
            self.broadcast_append();
            return;
        }
        self.for_each_other(|raft, id| {
            raft.maybe_send_append(id, EmptyAppend::Skip);
        });
    }

    // ---- sending ----

    /// Does something for every other member, in id order; it must not change who the members are.
    fn for_each_other(&mut self, mut work: impl FnMut(&mut Self, MemberId)) {
        let mut position = 0;
        while let Some(id) = self.tracker.member_at(position) {
            position += 1;
            if id != self.id {
                work(self, id);
            }
        }
    }

    pub(crate) fn broadcast_append(&mut self) {
        self.for_each_other(Self::send_append);
    }

    fn send_append(&mut self, to: MemberId) {
        self.maybe_send_append(to, EmptyAppend::Send);
    }

    /// Sends entries, or a snapshot where the log does not reach; true if something was sent.
    pub(crate) fn maybe_send_append(&mut self, to: MemberId, empty: EmptyAppend) -> bool {
        let Some(progress) = self.tracker.progress.get(&to) else { return false };
        if progress.is_paused() {
            return false;
        }
        let next = progress.next;
        let previous = next.saturating_prev();
        let is_full = progress.state == ProgressState::Replicate && progress.inflights.is_full();
        let Ok(previous_term) = self.log.term(previous) else {
            return self.maybe_send_snapshot(to);
        };
        // Into a full window go only empty appends: they come back if everything else was lost.
        let entries = if is_full {
            Ok(Vec::new())
        } else {
            self.log.entries_from(next, self.config.max_size_per_msg)
        };
        if empty == EmptyAppend::Skip && entries.as_ref().map_or(true, Vec::is_empty) {
            return false;
        }
        let Ok(entries) = entries else { return self.maybe_send_snapshot(to) };
        let (count, bytes) = (entries.len() as u64, payload_sizes(&entries));
        let mut message = Message::new(MessageType::MsgApp, to);
        message.index = previous;
        message.log_term = previous_term;
        message.entries = entries;
        message.commit = self.log.committed();
        let commit = message.commit;
        self.send(message);
        if let Some(progress) = self.tracker.progress.get_mut(&to) {
            progress.sent_entries(count, bytes);
            progress.sent_commit = commit;
        }
        true
    }

    fn maybe_send_snapshot(&mut self, to: MemberId) -> bool {
        let Some(progress) = self.tracker.progress.get_mut(&to) else { return false };
        if !progress.recent_active {
            return false;
        }
        let snapshot = match self.log.storage().snapshot() {
            Ok(snapshot) => snapshot,
            Err(StorageError::SnapshotTemporarilyUnavailable) => return false,
            Err(error) => {
                log::warn!("{:x} has no snapshot for {to:x}: {error}", self.id);
                return false;
            }
        };
        assert!(!snapshot.is_empty(), "raft: need a snapshot and there is none");
        progress.become_snapshot(snapshot.metadata.index);
        let mut message = Message::new(MessageType::MsgSnap, to);
        message.snapshot = Some(Box::new(snapshot));
        self.send(message);
        true
    }

    fn broadcast_heartbeat(&mut self) {
        // A heartbeat also asks again for the reads that still wait.
        let position = self.read_only.last_position();
        self.broadcast_heartbeat_with(position);
    }

    fn broadcast_heartbeat_with(&mut self, position: Option<u64>) {
        let context = position.map(position_to_context).unwrap_or_default();
        self.for_each_other(|raft, id| raft.send_heartbeat(id, context.clone()));
    }

    fn send_heartbeat(&mut self, to: MemberId, context: Bytes) {
        let committed = self.log.committed();
        let Some(progress) = self.tracker.progress.get_mut(&to) else { return };
        // Never more than what the follower is known to have: it might hold something else above.
        let known = if mutant::is(Mutant::CommitPastMatch) { committed } else { progress.matched };
        let commit = known.min(committed);
        progress.sent_commit = commit;
        let mut message = Message::new(MessageType::MsgHeartbeat, to);
        message.commit = commit;
        message.context = context;
        self.send(message);
    }

    // ---- reads ----

    fn handle_read_index(&mut self, message: Message) {
        if !self.is_committed_in_term() && !mutant::is(Mutant::ReadWithoutOwnCommit) {
            // Until then the leader does not know the true commit index, not even if it is alone: what it
            // committed before a restart may be above what its disk says. (etcd answers at once here.)
            if (self.postponed_reads.len() as u64) < READS_WAITING_MAX {
                self.postponed_reads.push(message);
            }
            return;
        }
        self.begin_read(message);
    }

    fn release_postponed_reads(&mut self) {
        if self.postponed_reads.is_empty() || !self.is_committed_in_term() {
            return;
        }
        for message in std::mem::take(&mut self.postponed_reads) {
            self.begin_read(message);
        }
    }

    fn begin_read(&mut self, message: Message) {
        let index = self.log.committed();
        if self.tracker.config.voters.is_singleton() {
            self.answer_read(&message, index);
            return;
        }
        match self.read_only.option() {
            ReadOnlyOption::LeaseBased => self.answer_read(&message, index),
            ReadOnlyOption::Safe => {
                let Some(position) = self.read_only.add(index, message) else { return };
                self.read_only.confirm(self.id, position);
                self.broadcast_heartbeat_with(Some(position));
            }
        }
    }

    fn answer_read(&mut self, request: &Message, index: Index) {
        if request.from == NO_MEMBER || request.from == self.id {
            if (self.read_states.len() as u64) < READS_WAITING_MAX {
                let request_context = Self::read_context(request);
                self.read_states.push(ReadState { index, request_context });
            }
            return;
        }
        let mut answer = Message::new(MessageType::MsgReadIndexResp, request.from);
        answer.index = index;
        answer.entries = request.entries.clone();
        self.send(answer);
    }
}
