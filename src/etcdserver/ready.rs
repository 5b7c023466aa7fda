//! What Raft wants done: soft state to events, reads, messages, log to disk, committed entries to the store.
//!
//! Invariants: entries are applied in order, each once; a message to a peer that depends on a write
//! comes out of `disk`, never from here.

use super::io::Output;
use super::server::Server;
use crate::api::{MemberEvent, Role};
use crate::raft::{self, LOCAL_APPEND_THREAD, LOCAL_APPLY_THREAD, StateRole};

impl Server {
    /// Does one round of what Raft wants; false if there was nothing.
    pub(super) fn process_ready(&mut self) -> bool {
        if !self.raft.has_ready() {
            return false;
        }
        let ready = self.raft.ready();
        if let Some(soft_state) = &ready.soft_state {
            self.soft_state_changed(soft_state);
        }
        for state in &ready.read_states {
            if self.reads.confirm(state) {
                self.trace_confirmed();
            }
        }
        for message in ready.messages {
            if message.to == LOCAL_APPEND_THREAD {
                if let Some(snapshot) = &message.snapshot {
                    self.begin_install(snapshot, ready.hard_state);
                }
                self.disk.append(message.entries, ready.hard_state, message.responses);
            } else if message.to == LOCAL_APPLY_THREAD {
                self.apply_entries(&message.entries);
                for response in message.responses {
                    self.deliver_response(response);
                }
            } else if message.msg_type == raft::MessageType::MsgVote {
                self.disk.hold(message);
            } else {
                self.send(message);
            }
        }
        true
    }

    fn soft_state_changed(&mut self, now: &raft::SoftState) {
        let term = self.raft.term();
        let old_role = std::mem::replace(&mut self.role, now.role);
        let old_lead = std::mem::replace(&mut self.lead, now.lead);
        if old_role != now.role {
            let event = match now.role {
                StateRole::PreCandidate => Some(MemberEvent::PreVoteStarted { term: term.next() }),
                StateRole::Candidate => Some(MemberEvent::CampaignStarted { term }),
                StateRole::Leader => Some(MemberEvent::BecameLeader { term }),
                StateRole::Follower if old_role == StateRole::Leader => {
                    Some(MemberEvent::SteppedDown {
                        term,
                        quorum_lost: self.raft.last_step_down_quorum_lost(),
                    })
                }
                StateRole::Follower => None,
            };
            self.outputs.extend(event.map(Output::Event));
        }
        if now.role != StateRole::Leader {
            self.demote_lessor();
        }
        if old_lead == now.lead {
            return;
        }
        self.counters.leader_changes += u64::from(now.lead.is_some());
        self.ask_leases_again();
        self.outputs
            .push_back(Output::Event(MemberEvent::LeaderChanged { term, leader: now.lead }));
        if old_lead.is_some() {
            self.trace_leader_lost();
        }
        self.leader_was_moved();
        if now.lead.is_some() {
            self.leader_elected_at = self.ticks;
            self.ask_read_index_again();
        }
    }

    /// The role in the page's words.
    pub(super) fn shown_role(&self) -> Role {
        match self.role {
            StateRole::Follower if self.is_learner() => Role::Learner,
            StateRole::Follower => Role::Follower,
            StateRole::PreCandidate => Role::PreCandidate,
            StateRole::Candidate => Role::Candidate,
            StateRole::Leader => Role::Leader,
        }
    }
}
