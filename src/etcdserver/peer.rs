//! What members tell one another besides Raft's messages.
//!
//! What it is: etcd's peer endpoints as messages: snapshots in parts, questions, and "you are removed".
//! What it is not: a transport; any of these may be lost, doubled or late.
//! Invariants: foreign, so every handler checks; a question's answer carries its number.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::server::Server;
use crate::api;
use crate::raft;
use crate::types::MemberId;

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
    /// A question that only this peer can answer.
    Ask {
        /// Comes back with the answer.
        id: u64,
        /// What is asked.
        question: PeerQuestion,
    },
    /// The answer.
    Answer {
        /// Of the question.
        id: u64,
        /// What is so.
        answer: PeerAnswer,
    },
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

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PeerQuestion {
    /// The hash of its data at a revision.
    HashKv(api::HashKvRequest),
    /// To promote a learner, which only a leader can judge.
    Promote(api::MemberPromoteRequest),
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PeerAnswer {
    /// See [`PeerQuestion::HashKv`].
    HashKv(Result<api::HashKvResponse, api::Error>),
    /// See [`PeerQuestion::Promote`].
    Promote(Result<api::MemberPromoteResponse, api::Error>),
}

impl Server {
    /// A message of a peer that is not Raft's.
    pub(super) fn from_peer(&mut self, from: MemberId, message: PeerMessage) {
        match message {
            PeerMessage::SnapshotPart(part) => self.snapshot_part(from, part),
            PeerMessage::SnapshotProgress { transfer, next } => {
                self.snapshot_progress(from, transfer, next);
            }
            PeerMessage::SnapshotRefused { transfer } => self.snapshot_refused(from, transfer),
            PeerMessage::Removed | PeerMessage::Ask { .. } | PeerMessage::Answer { .. } => {}
        }
    }

    pub(super) fn send_peer(&mut self, to: MemberId, message: PeerMessage) {
        if self.is_boot_durable() {
            let message = Box::new(message);
            self.outputs.push_back(super::io::Output::SendPeer { to, message });
        }
    }
}
