//! `etcdserverpb.Watch`: one stream carries many watches.
//!
//! What it is: shapes only. Invariants: see `api`.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::api::{KeyValue, ResponseHeader};
use crate::types::WatchId;

/// What happened to a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventType {
    /// The key was written.
    #[default]
    Put,
    /// The key was deleted; `kv` then has key and mod revision only.
    Delete,
}

/// One change of one key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// See [`EventType`].
    pub event_type: EventType,
    /// The version written, or the tombstone.
    pub kv: KeyValue,
    /// The version before, if asked for, present and not compacted.
    pub prev_kv: Option<KeyValue>,
}

/// Events that a watch leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatchFilter {
    /// Leave out puts.
    NoPut,
    /// Leave out deletes.
    NoDelete,
}

/// A message from the client on a watch stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatchRequest {
    /// Start a watch.
    Create(WatchCreateRequest),
    /// End a watch.
    Cancel(WatchCancelRequest),
    /// Ask for a progress notification.
    Progress,
}

/// Starts a watch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchCreateRequest {
    /// First key; empty means `[0]`.
    pub key: Bytes,
    /// As in `RangeRequest::range_end`.
    pub range_end: Bytes,
    /// First revision wanted; 0 means "from now".
    pub start_revision: i64,
    /// Send an empty response now and then.
    pub progress_notify: bool,
    /// See [`WatchFilter`].
    pub filters: Vec<WatchFilter>,
    /// Send the version before each change.
    pub prev_kv: bool,
    /// Wanted id; 0 means "choose one".
    pub watch_id: WatchId,
    /// Large responses may be split.
    pub fragment: bool,
}

/// Ends a watch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchCancelRequest {
    /// The watch to end.
    pub watch_id: WatchId,
}

/// A message from the member on a watch stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// The watch it belongs to; -1 for the stream.
    pub watch_id: WatchId,
    /// The watch was created.
    pub created: bool,
    /// The watch ended; nothing follows.
    pub canceled: bool,
    /// Set when the watch asked for compacted history: the oldest revision available.
    pub compact_revision: i64,
    /// Why it ended.
    pub cancel_reason: String,
    /// More of the same revision follows.
    pub fragment: bool,
    /// The changes, ordered by revision.
    pub events: Vec<Event>,
}
