//! A part of a member's Raft log, for people to look at.
//!
//! What it is: what stands at each index, in the words of the client API, and how far the log has come.
//! What it is not: the entries themselves; values are told by their size, keys are cut at [`LOG_KEY_BYTES_MAX`].
//! Invariants: entries rise by one; `first_index - 1 <= applied <= commit <= last_index`.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::api::PeerProgress;
use crate::types::{Index, LeaseId, MemberId, Term};

/// Most entries in one part. Unit: entries. Source: ours; more than a tall screen shows.
pub const LOG_PART_ENTRIES_MAX: u64 = 200;

/// So much of a key is told. Unit: bytes. Source: ours; more than a row shows.
pub const LOG_KEY_BYTES_MAX: u64 = 96;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPart {
    /// Whose log.
    pub member: MemberId,
    /// Its term.
    pub term: Term,
    /// The first entry that is still in the log; everything before is in the snapshot.
    pub first_index: Index,
    /// The last entry.
    pub last_index: Index,
    /// The last entry on its disk.
    pub durable_index: Index,
    /// The last entry it knows to be committed.
    pub commit: Index,
    /// The last entry that its store contains.
    pub applied: Index,
    /// Leader only: its peers.
    pub progress: Vec<PeerProgress>,
    /// The voters; in a joint configuration the incoming ones.
    pub voters: Vec<MemberId>,
    /// In a joint configuration the voters before it.
    pub voters_outgoing: Vec<MemberId>,
    /// Who receives the log and does not vote.
    pub learners: Vec<MemberId>,
    /// What was asked for, as far as the log has it.
    pub entries: Vec<LogEntry>,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    /// The term in which a leader wrote it.
    pub term: Term,
    /// Where it stands.
    pub index: Index,
    /// What it says.
    pub content: LogContent,
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LogContent {
    /// Nothing: the first entry of every leader.
    Empty,
    /// A value for a key.
    Put {
        /// The key, cut.
        key: Bytes,
        /// The size of the value. Unit: bytes.
        value_bytes: u64,
        /// The lease it hangs on; 0 without.
        lease: LeaseId,
    },
    /// Keys go.
    Delete {
        /// The first of them, cut.
        key: Bytes,
        /// Not only this one.
        is_range: bool,
    },
    /// A transaction.
    Txn {
        /// Its comparisons.
        compares: u64,
        /// Operations if they hold.
        success: u64,
        /// Operations if not.
        failure: u64,
        /// It may change keys: one of its operations is no read.
        may_write: bool,
    },
    /// Old revisions go.
    Compaction {
        /// Up to which.
        revision: i64,
    },
    /// A lease begins.
    LeaseGrant {
        /// Which.
        lease: LeaseId,
        /// Unit: s.
        ttl: i64,
    },
    /// A lease ends, and its keys with it.
    LeaseRevoke {
        /// Which.
        lease: LeaseId,
    },
    /// What is left of leases, for the next leader.
    LeaseCheckpoint,
    /// An alarm goes on or off.
    Alarm,
    /// Users and roles, or a login.
    Auth,
    /// A downgrade begins or ends.
    Downgrade,
    /// A member tells its name and addresses.
    Publish {
        /// Its name.
        name: String,
    },
    /// A change of who is a member.
    Config {
        /// What happens.
        change: ConfigChange,
        /// To whom.
        member: MemberId,
        /// Its name, if the entry tells it.
        name: String,
    },
    /// It cannot be read.
    Unreadable,
}

/// A change of who is a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConfigChange {
    /// A voter comes, or a learner becomes one.
    AddVoter,
    /// A learner comes.
    AddLearner,
    /// A learner becomes a voter.
    Promote,
    /// A member goes.
    Remove,
    /// A member's addresses change.
    Update,
    /// Several at once, or the end of a joint configuration.
    Joint,
}
