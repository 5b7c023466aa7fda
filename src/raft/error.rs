//! What can go wrong, with etcd's texts where etcd has one.
//!
//! What it is: the errors of the engine and of its storage.
//! What it is not: broken invariants of our own, which assert.
//! Invariants: an error returned means that log, commit and vote are as before; a message whose term
//! was higher may have made this member a follower of that term.
//! Source: texts of etcd-io/raft `raft.go`, `rawnode.go`, `storage.go`, `confchange/confchange.go`.

use super::confchange::ConfChangeError;
use crate::types::Index;

/// What storage answers when it has not got what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// The entry was compacted away: it is at or below the snapshot.
    #[error("requested index is unavailable due to compaction")]
    Compacted,
    /// The snapshot offered is older than the one there.
    #[error("requested index is older than the existing snapshot")]
    SnapshotOutOfDate,
    /// The entry does not exist yet.
    #[error("requested entry at index is unavailable")]
    Unavailable,
    /// A snapshot is being made; ask again later.
    #[error("snapshot is temporarily unavailable")]
    SnapshotTemporarilyUnavailable,
    /// The medium failed.
    #[error("{0}")]
    Other(String),
}

/// What the engine refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No leader, a transfer under way, not a member, or too much uncommitted: try again.
    #[error("raft proposal dropped")]
    ProposalDropped,
    /// A message that only this member may send to itself came from outside.
    #[error("raft: cannot step raft local message")]
    StepLocalMessage,
    /// An answer came from somebody who is not in the configuration.
    #[error("raft: cannot step as peer not found")]
    StepPeerNotFound,
    /// A message that contradicts itself.
    #[error("raft: invalid message: {0}")]
    InvalidMessage(&'static str),
    /// A leader says that an entry is committed which this member never had.
    #[error(
        "tocommit({commit}) is out of range [lastIndex({last_index})]. \
         Was the raft log corrupted, truncated, or lost?"
    )]
    CommitOutOfRange {
        /// What the leader says.
        commit: Index,
        /// The last index here.
        last_index: Index,
    },
    /// A leader's entry contradicts one that is committed here.
    #[error("entry {index} conflict with committed entry [committed({committed})]")]
    CommittedConflict {
        /// The first entry that differs.
        index: Index,
        /// The commit index here.
        committed: Index,
    },
    /// The configuration given at the start is not usable.
    #[error("raft: invalid config: {0}")]
    InvalidConfig(&'static str),
    /// What storage holds does not fit together.
    #[error("raft: invalid storage: {0}")]
    InvalidStorage(&'static str),
    /// A configuration change that the present configuration does not allow.
    #[error(transparent)]
    ConfChange(#[from] ConfChangeError),
    /// Bytes that are no configuration change.
    #[error("raft: configuration change cannot be read")]
    ConfChangeEncoding(#[source] postcard::Error),
    /// A script token that is no configuration change.
    #[error("unknown input: {0}")]
    ConfChangeToken(String),
    /// Only a new cluster can be bootstrapped.
    #[error("can't bootstrap a nonempty Storage")]
    BootstrapNonEmpty,
    /// A new cluster needs a member.
    #[error("must provide at least one peer to Bootstrap")]
    BootstrapWithoutPeers,
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}
