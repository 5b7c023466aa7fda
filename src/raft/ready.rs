//! What a member hands out at one moment: to store, to apply, to send.
//!
//! What it is: plain data, made by `RawNode::ready`.
//! What it is not: a promise that it was handled; that is `RawNode::advance`, or the answers of the
//! storage threads.
//! Invariants: without asynchronous storage writes, `entries`, `hard_state` and `snapshot` must be
//! durable before any of `messages` is sent, except those of a leader to its followers.
//! Source: etcd-io/raft `Ready`.

use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::message::Message;
use super::state::{HardState, ReadState, Snapshot, SoftState};

/// Work to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// Leader and role, if they changed.
    pub soft_state: Option<SoftState>,
    /// Term, vote and commit to make durable, if they changed.
    pub hard_state: Option<HardState>,
    /// Reads that may be answered once their index is applied.
    pub read_states: Vec<ReadState>,
    /// Entries to make durable. With asynchronous writes they stand in a message as well.
    pub entries: Vec<Entry>,
    /// A snapshot to make durable and to replace the application's state with.
    pub snapshot: Option<Snapshot>,
    /// Entries to apply. With asynchronous writes they stand in a message as well.
    pub committed_entries: Vec<Entry>,
    /// Messages to send; with asynchronous writes some go to the local storage threads.
    pub messages: Vec<Message>,
    /// True if the write must be synchronous: entries, a term or a vote are among it.
    pub must_sync: bool,
}

impl Ready {
    /// True if there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
