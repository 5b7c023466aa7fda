//! The Raft consensus algorithm as a pure state machine.
//!
//! What it is: one member of a Raft group, in the shape of etcd-io/raft 3.7. The driver ticks it,
//! steps messages into it and takes a [`Ready`] out of it; storing, sending and applying are the
//! driver's work. Elections with pre-vote and quorum checks, replication with flow control,
//! linearizable reads, snapshots, simple and joint configuration changes, leadership transfer,
//! and asynchronous storage writes with self-acknowledgement.
//! What it is not: a network, a disk, a clock or a key-value store.
//! Invariants: election safety, log matching, leader completeness and state-machine safety (Raft
//! thesis, figure 3.2); every message that promises something leaves only once that is durable.
//! Differs from etcd: messages of peers that contradict themselves are refused with an error instead
//! of a panic; conf-change bytes are postcard; "nobody" is `None` in states.
//! Source: D. Ongaro, "Consensus: Bridging Theory and Practice" (the thesis); behaviour of
//! etcd-io/raft.
//!
//! Reading order: [`quorum`] (who agrees), [`tracker`] (what the leader knows), [`confchange`] (how
//! the set of members changes), `log` over `unstable` over [`storage`], `machine` with `follower`,
//! `candidate` and `leader`, and [`RawNode`] around all of it.

pub mod conf_change;
pub mod confchange;
pub mod describe;
pub mod entry;
pub mod quorum;
pub mod state;
pub mod storage;
pub mod tracker;

mod candidate;
mod config;
mod error;
mod follower;
mod leader;
mod log;
mod machine;
mod message;
mod raw_node;
mod read_only;
mod ready;
mod status;
mod unstable;

#[cfg(test)]
mod tests;

pub use conf_change::{
    AsConfChange, ConfChange, ConfChangeSingle, ConfChangeTransition, ConfChangeType, ConfChangeV2,
};
pub use confchange::ConfChangeError;
pub use config::{Config, ReadOnlyOption};
pub use entry::{Entry, EntryId, EntryType};
pub use error::{Error, StorageError};
pub use machine::StepDownReason;
pub use message::{
    LOCAL_APPEND_THREAD, LOCAL_APPLY_THREAD, Message, MessageType, NO_MEMBER, is_local_target,
};
pub use raw_node::RawNode;
pub use read_only::ReadLook;
pub use ready::Ready;
pub use state::{
    ConfState, HardState, Peer, ReadState, Snapshot, SnapshotMetadata, SoftState, StateRole,
};
pub use status::{BasicStatus, Status};
pub use storage::{MemoryStorage, Storage};
pub use tracker::{Inflights, Progress, ProgressMap, ProgressState};
