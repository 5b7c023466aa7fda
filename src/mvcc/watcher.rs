//! One watch, and the stream it belongs to.
//!
//! What it is: what a client asked for and how far it got. What it is not: its events; those are
//! read from the store or handed over by a transaction.
//! Invariants: every event below `min_revision` that the watch wants has been queued.
//! Source: etcd `server/storage/mvcc/watcher.go`, `watchable_store.go`.

use super::key_range::KeyRange;
use crate::api::{self, WatchFilter};
use crate::types::WatchId;

/// A watch stream: one client connection with any number of watches. The server chooses the number.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct StreamId(pub u64);

/// Names one watch of one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WatcherKey {
    pub(super) stream: StreamId,
    pub(super) id: WatchId,
}

/// When the next periodic progress notification is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgressNotify {
    /// Not asked for.
    Off,
    /// At the next interval.
    Due,
    /// Left out at the next interval, because events went out since the last.
    Elided,
}

/// One watch.
#[derive(Clone, Debug)]
pub(super) struct Watcher {
    pub(super) range: KeyRange,
    /// As the client asked; 0 means "from now".
    pub(super) start_revision: i64,
    /// The first revision whose events have not been queued.
    pub(super) min_revision: i64,
    pub(super) filters: Vec<WatchFilter>,
    pub(super) wants_prev_kv: bool,
    pub(super) may_fragment: bool,
    pub(super) progress_notify: ProgressNotify,
}

impl Watcher {
    /// Whether the filters let an event of this type through.
    pub(super) fn wants(&self, event_type: api::EventType) -> bool {
        let unwanted = match event_type {
            api::EventType::Put => WatchFilter::NoPut,
            api::EventType::Delete => WatchFilter::NoDelete,
        };
        !self.filters.contains(&unwanted)
    }
}
