//! What a write transaction changed.
//!
//! What it is: the rows for the disk, from which the watch events follow.
//! Invariants: rows share one main revision and have subs 0, 1, 2, …; no rows means that the
//! revision did not move.

use serde::{Deserialize, Serialize};

use crate::api;
use crate::mvcc::Row;

/// What a write transaction changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The store's revision afterwards.
    pub revision: i64,
    /// What to add on disk, in order.
    pub rows: Vec<Row>,
}

impl Change {
    /// Nothing changed; the store stays at `revision`.
    pub(super) const fn none(revision: i64) -> Self {
        Self { revision, rows: Vec::new() }
    }

    /// True if nothing changed.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The events of the change, in order.
    pub fn events(&self) -> impl Iterator<Item = api::Event> {
        self.rows.iter().map(Row::event)
    }
}
