//! What members tell one another besides Raft's messages.
//!
//! What it is: etcd's peer endpoints as messages: snapshots in parts, questions, and "you are removed".
//! What it is not: a transport; any of these may be lost, doubled or late.
//! Invariants: foreign, so every handler checks; a question's answer carries its number.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::io::StopReason;
use super::reconfigure::REMOVED_MS;
use super::request::ProposalId;
use super::server::Server;
use crate::api;
use crate::raft;
use crate::types::{LeaseId, MemberId};

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PeerMessage {
    /// A part of a snapshot.
    SnapshotPart(SnapshotPart),
    /// Every part before this one has arrived; at `parts` the snapshot is complete.
    SnapshotProgress {
        /// Which transfer.
        transfer: u64,
        /// The first part that is missing.
        next: u32,
    },
    /// The snapshot cannot be used.
    SnapshotRefused {
        /// Which transfer.
        transfer: u64,
    },
    /// The receiver is no longer a member.
    Removed,
    /// Promote a learner: only the leader knows whether it is ready. The entry answers the sender.
    Promote {
        /// Which learner.
        id: MemberId,
        /// The sender's boot, which is a part of the proposal's identity.
        boot: u64,
        /// The sender's number of the proposal.
        sequence: u64,
    },
    /// The learner cannot be promoted.
    PromoteRefused {
        /// Of the request.
        boot: u64,
        /// Of the request.
        sequence: u64,
        /// Why.
        error: api::Error,
    },
    /// What is the hash of your data at this revision?
    HashKv {
        /// Comes back with the answer.
        round: u64,
        /// At which revision.
        revision: i64,
    },
    /// The answer.
    HashKvAnswer {
        /// Of the question.
        round: u64,
        /// The hash, or why there is none.
        result: Result<api::HashKvResponse, api::Error>,
    },
    /// What only the leader can say of a lease.
    Lease {
        /// The sender's boot.
        boot: u64,
        /// The sender's number of the question.
        number: u64,
        /// The question.
        ask: LeaseAsk,
    },
    /// The answer.
    LeaseAnswer {
        /// Of the question.
        boot: u64,
        /// Of the question.
        number: u64,
        /// The answer, or why there is none.
        result: Result<LeaseAnswer, api::Error>,
    },
}

/// A question about a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeaseAsk {
    /// Start its time anew.
    KeepAlive(LeaseId),
    /// How long does it live?
    TimeToLive {
        /// Which lease.
        id: LeaseId,
        /// Name the attached keys, too.
        keys: bool,
    },
}

/// What the leader knows of a lease.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseAnswer {
    /// Seconds left.
    pub ttl: i64,
    /// Seconds granted.
    pub granted_ttl: i64,
    /// The attached keys in order, if they were asked for.
    pub keys: Vec<Bytes>,
}

/// A piece of a snapshot, with Raft's message in each, so that any of them may come first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotPart {
    /// The sender's number of the transfer.
    pub transfer: u64,
    /// Which piece, from 0.
    pub part: u32,
    /// How many there are.
    pub parts: u32,
    /// Raft's `MsgSnap`, without its data.
    pub message: Box<raft::Message>,
    /// The piece of the data.
    pub bytes: Bytes,
}

impl Server {
    /// A message of a peer that is not Raft's.
    pub(super) fn take_from_peer(&mut self, from: MemberId, message: PeerMessage) {
        if message == PeerMessage::Removed {
            // Its vote may be needed: by others that have not heard that the removal is committed, or by the
            // one that says so, if it restarts and has forgotten.
            self.stop(StopReason::Removed, self.ticks_of(REMOVED_MS));
            return;
        }
        if self.cluster.is_removed(from) {
            self.send_peer(from, PeerMessage::Removed);
            return;
        }
        self.is_heard(from);
        match message {
            PeerMessage::SnapshotPart(part) => self.snapshot_part(from, part),
            PeerMessage::SnapshotProgress { transfer, next } => {
                self.snapshot_progress(from, transfer, next);
            }
            PeerMessage::SnapshotRefused { transfer } => self.snapshot_refused(from, transfer),
            PeerMessage::Promote { id, boot, sequence } => {
                self.promote_for(ProposalId { member: from, boot, sequence }, id);
            }
            PeerMessage::PromoteRefused { boot, sequence, error } => {
                self.promote_refused(boot, sequence, error);
            }
            PeerMessage::HashKv { round, revision } => self.hash_for(from, round, revision),
            PeerMessage::HashKvAnswer { round, result } => self.hash_answered(from, round, result),
            PeerMessage::Lease { boot, number, ask } => self.lease_for(from, boot, number, ask),
            PeerMessage::LeaseAnswer { boot, number, result } if boot == self.boot => {
                self.lease_answered(number, result);
            }
            PeerMessage::LeaseAnswer { .. } => log::debug!("dropped an answer to an earlier boot"),
            PeerMessage::Removed => unreachable!("handled above"),
        }
    }

    pub(super) fn send_peer(&mut self, to: MemberId, message: PeerMessage) {
        if self.is_boot_durable() {
            let message = Box::new(message);
            self.outputs.push_back(super::io::Output::SendPeer { to, message });
        }
    }
}
