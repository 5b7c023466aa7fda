//! A member's state as its card shows it.
//!
//! What it is: plain numbers, taken by the member itself between two inputs.
//! What it is not: part of etcd's API; no behaviour depends on it.
//! Invariants: `applied <= commit <= last_index`, `durable_index <= last_index`.

use serde::{Deserialize, Serialize};

use crate::api::Role;
use crate::types::{Index, MemberId, Term};

/// What a leader knows of one peer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeerProgress {
    /// The peer.
    pub member: MemberId,
    /// Highest index known to be on its disk.
    pub matched: Index,
    /// Next index to send.
    pub next: Index,
    /// `StateProbe`, `StateReplicate` or `StateSnapshot`.
    pub state: String,
    /// Heard from within the election timeout.
    pub is_recently_active: bool,
}

/// A member's state, for its card.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberStatus {
    /// Whose.
    pub member: MemberId,
    /// Its role.
    pub role: Role,
    /// Its term.
    pub term: Term,
    /// Whom it voted for in that term.
    pub vote: Option<MemberId>,
    /// The leader it knows.
    pub leader: Option<MemberId>,
    /// First index that is still in its log.
    pub first_index: Index,
    /// Last index in its log.
    pub last_index: Index,
    /// Last index on its disk.
    pub durable_index: Index,
    /// Committed index.
    pub commit: Index,
    /// Applied index.
    pub applied: Index,
    /// Store revision.
    pub revision: i64,
    /// Compacted revision; -1 if never.
    pub compact_revision: i64,
    /// Bytes of MVCC data.
    pub db_size: i64,
    /// Open watch streams.
    pub watch_streams: u64,
    /// Ticks since it last heard from a leader, and the timeout drawn for this term.
    pub election_elapsed: u64,
    /// See `election_elapsed`.
    pub election_timeout: u64,
    /// Votes it was granted in its campaign, its own included; 0 without one.
    pub votes: u64,
    /// Of a snapshot that it receives: the parts that are there in one piece, and how many there are.
    pub receiving: Option<(u32, u32)>,
    /// Leader only: its peers.
    pub progress: Vec<PeerProgress>,
    /// Starts on this disk.
    pub boot: u64,
    /// It is paused.
    pub is_paused: bool,
}
