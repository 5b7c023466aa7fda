//! The states that are stored, sent or shown: hard, soft, configuration, snapshot.
//!
//! What it is: plain data.
//! What it is not: behaviour.
//! Invariants: a snapshot with index 0 is no snapshot; `ConfState` lists are in id order when made here.
//! Source: etcd-io/raft `raftpb` and `node.go`.

use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::types::{self, Index, MemberId, Term};

/// What must be durable before a message that depends on it is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HardState {
    /// The highest term this member has seen.
    pub term: Term,
    /// Whom it voted for in that term.
    pub vote: Option<MemberId>,
    /// The highest index it knows to be committed.
    pub commit: Index,
}

impl HardState {
    /// True if nothing has happened yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The part a member plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum StateRole {
    /// Follows a leader, or waits for one.
    #[default]
    Follower,
    /// Asks for votes in a new term.
    Candidate,
    /// Replicates its log to the others.
    Leader,
    /// Asks whether it could win, before it raises the term.
    PreCandidate,
}

impl fmt::Display for StateRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Follower => "StateFollower",
            Self::Candidate => "StateCandidate",
            Self::Leader => "StateLeader",
            Self::PreCandidate => "StatePreCandidate",
        })
    }
}

/// What is good to know and need not be stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoftState {
    /// The leader as far as this member knows.
    pub lead: Option<MemberId>,
    /// The part this member plays.
    pub role: StateRole,
}

/// The configuration as it is stored and sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfState {
    /// The voters; in a joint configuration the incoming ones.
    pub voters: Vec<MemberId>,
    /// The members that do not vote.
    pub learners: Vec<MemberId>,
    /// In a joint configuration the voters before it.
    pub voters_outgoing: Vec<MemberId>,
    /// Outgoing voters that become learners when the joint configuration is left.
    pub learners_next: Vec<MemberId>,
    /// True if the joint configuration is left without being asked.
    pub auto_leave: bool,
}

impl ConfState {
    /// True if both say the same, whatever the order of their lists.
    #[must_use]
    pub fn is_equivalent(&self, other: &Self) -> bool {
        let sorted = |ids: &[MemberId]| {
            let mut ids = ids.to_vec();
            types::sort(&mut ids);
            ids
        };
        sorted(&self.voters) == sorted(&other.voters)
            && sorted(&self.learners) == sorted(&other.learners)
            && sorted(&self.voters_outgoing) == sorted(&other.voters_outgoing)
            && sorted(&self.learners_next) == sorted(&other.learners_next)
            && self.auto_leave == other.auto_leave
    }
}

/// Where a snapshot stands in the log, and the configuration there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotMetadata {
    /// The configuration at `index`.
    pub conf_state: ConfState,
    /// The last index the snapshot includes.
    pub index: Index,
    /// The term of the entry at `index`.
    pub term: Term,
}

/// The state machine up to an index, in place of the log up to there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The application's bytes.
    pub data: Bytes,
    /// Where it stands.
    pub metadata: SnapshotMetadata,
}

impl Snapshot {
    /// True if there is no snapshot.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.metadata.index == Index(0)
    }
}

/// The answer to a read request: once `index` is applied, the read is linearizable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadState {
    /// The commit index at the time of the request.
    pub index: Index,
    /// The caller's own name for the request.
    pub request_context: Bytes,
}

/// A member that a new cluster starts with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// The member.
    pub id: MemberId,
    /// The application's description of the member, kept in the bootstrap entry.
    pub context: Bytes,
}
