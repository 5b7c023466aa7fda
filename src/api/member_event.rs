//! What a member did, as typed events: the page's sentences, timelines and replays read these.
//!
//! What it is: facts, told once, at the moment they became true in the engine.
//! What it is not: a log line; no text is parsed out of it.
//! Invariants: an event carries everything its sentence needs; none carries a time or a member id,
//! which the driver adds.

use serde::{Deserialize, Serialize};

use crate::types::{Index, MemberId, Term};

/// A member's role in its term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Follows a leader, or waits for one.
    #[default]
    Follower,
    /// Asks whether it could win (PreVote); its term is unchanged.
    PreCandidate,
    /// Asks for votes.
    Candidate,
    /// Leads.
    Leader,
    /// Receives the log but does not vote.
    Learner,
}

/// One fact about one member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemberEvent {
    /// It started, from an empty disk or from what its disk held.
    Started {
        /// How often it has started on this disk, this start included; 1 means a fresh disk.
        boot: u64,
        /// Last log index found on disk.
        last_index: Index,
        /// Store revision found on disk.
        revision: i64,
    },
    /// Its election timer ran out and it asks its peers whether it could win.
    PreVoteStarted {
        /// The term it would campaign in.
        term: Term,
    },
    /// It campaigns.
    CampaignStarted {
        /// The new term.
        term: Term,
    },
    /// It won.
    BecameLeader {
        /// The term it leads.
        term: Term,
    },
    /// It was leader and is not any more.
    SteppedDown {
        /// Its term after stepping down.
        term: Term,
        /// True if it had not heard from a majority for an election timeout (CheckQuorum).
        quorum_lost: bool,
    },
    /// It knows of a new leader, or of none.
    LeaderChanged {
        /// Its term.
        term: Term,
        /// The leader it follows now.
        leader: Option<MemberId>,
    },
    /// Its configuration is another one now: it applied a change, or a snapshot brought it.
    ConfChanged {
        /// Voters after the change.
        voters: Vec<MemberId>,
        /// Learners after the change.
        learners: Vec<MemberId>,
    },
    /// It is no longer a member, and stops soon.
    Removed,
    /// What it applied in one go took long: etcd's "apply request took too long".
    ApplyTookTooLong {
        /// How long. Unit: ms.
        took_ms: u64,
        /// From when on it is too long. Unit: ms.
        expected_ms: u64,
        /// Entries applied in that time.
        entries: u64,
        /// The last of them, in a word: `put`, `txn`, ….
        request: String,
    },
    /// Its disk took long to make a round durable: etcd's "slow fdatasync".
    SlowDisk {
        /// How long. Unit: ms.
        took_ms: u64,
        /// From when on it is slow. Unit: ms.
        expected_ms: u64,
    },
    /// The leader's log did not reach it any more; the whole state came instead.
    SnapshotInstalled {
        /// The last entry that the state contains.
        index: Index,
        /// Who sent it.
        from: MemberId,
    },
}
