//! Messages between members, and between a member and its own storage.
//!
//! What it is: one flat message with a type, as etcd has it.
//! What it is not: a wire format (see `wire`).
//! Invariants: `term` 0 means "from this member itself", except for forwarded proposals and reads;
//! messages to and from the local storage threads never leave the member.
//! Source: etcd-io/raft `raftpb` and `util.go`.

use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::error::Error;
use super::state::Snapshot;
use crate::types::{Index, MemberId, Term};

/// The id of nobody: the sender or receiver of a message that has none.
pub const NO_MEMBER: MemberId = MemberId(0);

/// The receiver of writes to the log (asynchronous storage writes only).
pub const LOCAL_APPEND_THREAD: MemberId = MemberId(u64::MAX);

/// The receiver of committed entries (asynchronous storage writes only).
pub const LOCAL_APPLY_THREAD: MemberId = MemberId(u64::MAX - 1);

/// Terms and indexes at or above this are refused: they leave no room to count on.
///
/// Unit: terms or indexes. Source: ours; etcd trusts its peers here.
const NUMBER_MAX: u64 = 1 << 62;

/// What a message says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MessageType {
    /// Local: the election timeout has passed, campaign.
    #[default]
    MsgHup,
    /// Local: the heartbeat timeout has passed.
    MsgBeat,
    /// Append these entries; forwarded to the leader.
    MsgProp,
    /// The leader's entries.
    MsgApp,
    /// The answer to `MsgApp` and `MsgSnap`.
    MsgAppResp,
    /// A candidate asks for a vote.
    MsgVote,
    /// The answer to `MsgVote`.
    MsgVoteResp,
    /// The leader's snapshot.
    MsgSnap,
    /// The leader is alive.
    MsgHeartbeat,
    /// The answer to `MsgHeartbeat`.
    MsgHeartbeatResp,
    /// Local: a member could not be reached.
    MsgUnreachable,
    /// Local: how a snapshot went.
    MsgSnapStatus,
    /// Local: does the leader still hear from a quorum?
    MsgCheckQuorum,
    /// Hand the leadership to the sender.
    MsgTransferLeader,
    /// Campaign at once.
    MsgTimeoutNow,
    /// Which index must be applied before a linearizable read?
    MsgReadIndex,
    /// The answer to `MsgReadIndex`.
    MsgReadIndexResp,
    /// Could the sender win a vote?
    MsgPreVote,
    /// The answer to `MsgPreVote`.
    MsgPreVoteResp,
    /// Make this durable.
    MsgStorageAppend,
    /// The answer to `MsgStorageAppend`.
    MsgStorageAppendResp,
    /// Apply these entries.
    MsgStorageApply,
    /// The answer to `MsgStorageApply`.
    MsgStorageApplyResp,
    /// Local: forget the leader, keep the term.
    MsgForgetLeader,
}

impl MessageType {
    /// True if only the member itself may send it.
    #[must_use]
    pub fn is_local(self) -> bool {
        matches!(
            self,
            Self::MsgHup
                | Self::MsgBeat
                | Self::MsgUnreachable
                | Self::MsgSnapStatus
                | Self::MsgCheckQuorum
                | Self::MsgStorageAppend
                | Self::MsgStorageAppendResp
                | Self::MsgStorageApply
                | Self::MsgStorageApplyResp
        )
    }

    /// True if it answers another message.
    #[must_use]
    pub fn is_response(self) -> bool {
        matches!(
            self,
            Self::MsgAppResp
                | Self::MsgVoteResp
                | Self::MsgHeartbeatResp
                | Self::MsgUnreachable
                | Self::MsgReadIndexResp
                | Self::MsgPreVoteResp
                | Self::MsgStorageAppendResp
                | Self::MsgStorageApplyResp
        )
    }

    /// True if only a leader of the message's term sends it.
    #[must_use]
    pub fn is_from_leader(self) -> bool {
        matches!(self, Self::MsgApp | Self::MsgHeartbeat | Self::MsgSnap)
    }

    /// True for the requests of a campaign.
    #[must_use]
    pub fn is_vote_request(self) -> bool {
        matches!(self, Self::MsgVote | Self::MsgPreVote)
    }

    /// True for the answers a campaign waits for.
    #[must_use]
    pub fn is_vote_response(self) -> bool {
        matches!(self, Self::MsgVoteResp | Self::MsgPreVoteResp)
    }

    /// True if it must wait until what it promises is durable.
    #[must_use]
    pub fn is_after_append(self) -> bool {
        matches!(self, Self::MsgAppResp | Self::MsgVoteResp | Self::MsgPreVoteResp)
    }
}

impl fmt::Display for MessageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// One message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// What it says.
    pub msg_type: MessageType,
    /// The receiver.
    pub to: MemberId,
    /// The sender.
    pub from: MemberId,
    /// The sender's term; 0 for local messages, forwarded proposals and reads.
    pub term: Term,
    /// The term of the entry at `index`.
    pub log_term: Term,
    /// The entry before the first sent, the last accepted, or the one rejected.
    pub index: Index,
    /// The entries.
    pub entries: Vec<Entry>,
    /// The sender's commit index.
    pub commit: Index,
    /// Whom the sender voted for (only to the append thread).
    pub vote: Option<MemberId>,
    /// The snapshot; boxed, because few messages have one and all are moved around.
    pub snapshot: Option<Box<Snapshot>>,
    /// True if the answer is no.
    pub reject: bool,
    /// With a rejection: the highest index at which the logs may agree.
    pub reject_hint: Index,
    /// What the answer must bring back, or why a vote is asked for.
    pub context: Bytes,
    /// What to send once the storage thread has done its work.
    pub responses: Vec<Self>,
}

/// True if `id` is one of the member's own storage threads.
#[must_use]
pub fn is_local_target(id: MemberId) -> bool {
    id == LOCAL_APPEND_THREAD || id == LOCAL_APPLY_THREAD
}

impl Message {
    /// A message of a type to a receiver; everything else is empty.
    #[must_use]
    pub(crate) fn new(msg_type: MessageType, to: MemberId) -> Self {
        Self { msg_type, to, ..Self::default() }
    }

    /// A message from this member to itself.
    #[must_use]
    pub(crate) fn local(msg_type: MessageType, from: MemberId) -> Self {
        Self { msg_type, from, ..Self::default() }
    }

    /// Refuses what no correct member sends, before anything is changed.
    pub(crate) fn validate(&self) -> Result<(), Error> {
        let snapshot_index = self.snapshot.as_ref().map_or(0, |snap| snap.metadata.index.0);
        let numbers = [
            self.term.0,
            self.log_term.0,
            self.index.0,
            self.commit.0,
            self.reject_hint.0,
            snapshot_index,
        ];
        if numbers.iter().any(|number| *number >= NUMBER_MAX) {
            return Err(Error::InvalidMessage("number out of range"));
        }
        match self.msg_type {
            MessageType::MsgApp => self.validate_append(),
            MessageType::MsgHeartbeat | MessageType::MsgVote | MessageType::MsgPreVote
                if self.term == Term(0) =>
            {
                Err(Error::InvalidMessage("no term"))
            }
            MessageType::MsgSnap if self.term == Term(0) || self.snapshot.is_none() => {
                Err(Error::InvalidMessage("no term or no snapshot"))
            }
            MessageType::MsgProp | MessageType::MsgReadIndex if self.entries.is_empty() => {
                Err(Error::InvalidMessage("no entries"))
            }
            _ => Ok(()),
        }
    }

    fn validate_append(&self) -> Result<(), Error> {
        if self.term == Term(0) {
            return Err(Error::InvalidMessage("no term"));
        }
        let (mut index, mut term) = (self.index, self.log_term);
        for entry in &self.entries {
            index = index.next();
            if entry.index != index || entry.term < term || entry.term > self.term {
                return Err(Error::InvalidMessage("entries are not a log"));
            }
            term = entry.term;
        }
        if self.log_term > self.term || index.0 >= NUMBER_MAX {
            return Err(Error::InvalidMessage("entries are not a log"));
        }
        Ok(())
    }
}
