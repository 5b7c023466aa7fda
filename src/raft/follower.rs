//! What a follower does: it takes the leader's entries and forwards what only a leader can do.
//!
//! What it is: the follower's part of `step`, and the handling of entries, heartbeats and snapshots.
//! What it is not: elections (see `candidate`) beyond the order to start one.
//! Invariants: an answer to an append is true only once the entries are durable, so it waits.
//! Source: Raft thesis §3.5, §6.2; behaviour of etcd-io/raft `stepFollower`.

use super::config::ReadOnlyOption;
use super::entry::EntryId;
use super::error::Error;
use super::machine::{Campaign, Raft};
use super::message::{Message, MessageType};
use super::read_only::READS_WAITING_MAX;
use super::state::ReadState;
use super::storage::Storage;

impl<S: Storage> Raft<S> {
    pub(crate) fn step_follower(&mut self, message: Message) -> Result<(), Error> {
        match message.msg_type {
            MessageType::MsgProp => {
                let Some(lead) = self.lead else { return Err(Error::ProposalDropped) };
                if self.config.disable_proposal_forwarding {
                    return Err(Error::ProposalDropped);
                }
                self.send(Message { to: lead, ..message });
                Ok(())
            }
            MessageType::MsgApp | MessageType::MsgHeartbeat | MessageType::MsgSnap => {
                self.election_elapsed = 0;
                self.lead = Some(message.from);
                self.handle_leader_message(message)
            }
            MessageType::MsgTransferLeader | MessageType::MsgReadIndex => {
                if let Some(lead) = self.lead {
                    self.send(Message { to: lead, ..message });
                }
                Ok(())
            }
            MessageType::MsgForgetLeader => {
                // With a lease the leader counts on us not to vote for anybody else yet.
                if self.config.read_only_option != ReadOnlyOption::LeaseBased {
                    self.lead = None;
                }
                Ok(())
            }
            MessageType::MsgTimeoutNow => {
                // Even with pre-vote a transfer campaigns at once: the leader agrees.
                self.hup(Campaign::Transfer);
                Ok(())
            }
            MessageType::MsgReadIndexResp => {
                let is_full = self.read_states.len() as u64 >= READS_WAITING_MAX;
                if message.entries.len() == 1 && !is_full {
                    let request_context = Self::read_context(&message);
                    self.read_states.push(ReadState { index: message.index, request_context });
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Entries, heartbeat or snapshot of the leader of this term.
    pub(crate) fn handle_leader_message(&mut self, message: Message) -> Result<(), Error> {
        match message.msg_type {
            MessageType::MsgApp => self.handle_append(message),
            MessageType::MsgHeartbeat => self.handle_heartbeat(message),
            _ => self.handle_snapshot(message),
        }
    }

    fn handle_append(&mut self, message: Message) -> Result<(), Error> {
        let mut answer = Message::new(MessageType::MsgAppResp, message.from);
        if message.index < self.log.committed() {
            answer.index = self.log.committed();
            self.send(answer);
            return Ok(());
        }
        let previous = EntryId { term: message.log_term, index: message.index };
        match self.log.maybe_append(previous, message.entries, message.commit)? {
            Some(last) => answer.index = last,
            None => {
                // A hint saves the leader from probing every index: no entry above it can match,
                // since terms never fall along a log.
                let from = message.index.min(self.log.last_index());
                let hint = self.log.find_conflict_by_term(from, message.log_term);
                answer.index = message.index;
                answer.reject = true;
                answer.reject_hint = hint.index;
                answer.log_term = hint.term;
            }
        }
        self.send(answer);
        Ok(())
    }

    fn handle_heartbeat(&mut self, message: Message) -> Result<(), Error> {
        let last_index = self.log.last_index();
        if message.commit > last_index {
            // The leader knows our acknowledgement of entries that we have not got any more.
            return Err(Error::CommitOutOfRange { commit: message.commit, last_index });
        }
        self.log.commit_to(message.commit);
        let mut answer = Message::new(MessageType::MsgHeartbeatResp, message.from);
        answer.context = message.context;
        self.send(answer);
        Ok(())
    }

    fn handle_snapshot(&mut self, message: Message) -> Result<(), Error> {
        let is_restored = self.restore(message.snapshot.map(|boxed| *boxed).unwrap_or_default())?;
        let mut answer = Message::new(MessageType::MsgAppResp, message.from);
        answer.index = if is_restored { self.log.last_index() } else { self.log.committed() };
        self.send(answer);
        Ok(())
    }
}
