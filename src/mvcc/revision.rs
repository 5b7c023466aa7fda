//! A position in the history of the store, and what is stored there.
//!
//! What it is: `(main, sub)` and the row of one change. Invariants: ordered by main, then sub;
//! a row's `kv.mod_revision` equals its main revision unless it is a tombstone.
//! Source: etcd `server/storage/mvcc/revision.go`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::api;

/// A position in the history of the store.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Revision {
    /// One per write transaction that changed something; the first is 2.
    pub main: i64,
    /// Position of the change within its transaction, from 0.
    pub sub: i64,
}

impl Revision {
    /// The position `(main, sub)`.
    #[must_use]
    pub const fn new(main: i64, sub: i64) -> Self {
        Self { main, sub }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.main, self.sub)
    }
}

/// One change of one key, as the disk stores it. Rows are only ever added and removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Where in the history.
    pub revision: Revision,
    /// The key was deleted here; `kv` then has nothing but the key, as in etcd's own file.
    pub is_tombstone: bool,
    /// The version written.
    pub kv: api::KeyValue,
}

impl Row {
    /// The row of a deletion of `key`.
    pub(super) fn tombstone(revision: Revision, key: bytes::Bytes) -> Self {
        let kv = api::KeyValue { key, ..api::KeyValue::default() };
        Self { revision, is_tombstone: true, kv }
    }

    /// The watch event of this change, without the version before it.
    #[must_use]
    pub fn event(&self) -> api::Event {
        let mut kv = self.kv.clone();
        let event_type = if self.is_tombstone {
            kv.mod_revision = self.revision.main;
            api::EventType::Delete
        } else {
            api::EventType::Put
        };
        api::Event { event_type, kv, prev_kv: None }
    }
}
