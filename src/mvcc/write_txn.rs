//! A write transaction: several changes that share one main revision.
//!
//! What it is: reads that see the changes before them, puts, deletes; ended, or taken back whole.
//! What it is not: a `TxnRequest` (see `txn`), or a check of leases and keys.
//! Invariants: nothing outside sees a change before [`WriteTxn::end`]; a transaction that is dropped
//! without it has changed nothing; without a change the revision does not move.
//! Source: etcd `server/storage/mvcc/kvstore_txn.go`, `watchable_store_txn.go`.

use bytes::Bytes;

use super::key_range::KeyRange;
use super::range::RangeResult;
use super::store::Store;
use super::watches::Watches;
use crate::api;
use crate::mvcc::{Change, Revision, Row};
use crate::types::LeaseId;

/// A write transaction on a store. Dropping it without [`Self::end`] takes everything back.
#[derive(Debug)]
pub struct WriteTxn<'a> {
    store: &'a mut Store,
    watches: &'a mut Watches,
    rows: Vec<Row>,
}

impl<'a> WriteTxn<'a> {
    pub(super) const fn new(store: &'a mut Store, watches: &'a mut Watches) -> Self {
        Self { store, watches, rows: Vec::new() }
    }

    /// The revision that reads within the transaction see: one more than before once it changed
    /// something.
    #[must_use]
    pub const fn revision(&self) -> i64 {
        self.store.current_revision + if self.rows.is_empty() { 0 } else { 1 }
    }

    fn next_revision(&self) -> Revision {
        // Changes are rows in memory, far fewer than 2^63.
        let sub = i64::try_from(self.rows.len()).unwrap_or(i64::MAX);
        Revision::new(self.store.current_revision + 1, sub)
    }

    /// Answers a range request; it sees the changes made so far.
    ///
    /// # Errors
    /// `FutureRev`, `Compacted`.
    pub fn range(&self, request: &api::RangeRequest) -> Result<RangeResult, api::Error> {
        self.store.range(request, self.revision())
    }

    /// The version of `key` as the transaction sees it.
    #[must_use]
    pub fn get(&self, key: &[u8]) -> Option<&api::KeyValue> {
        self.store.get(key, self.revision())
    }

    /// Writes `key`; returns the revision it gets.
    pub fn put(&mut self, key: &Bytes, value: Bytes, lease: LeaseId) -> i64 {
        let revision = self.next_revision();
        let row = self.store.put(key, value, lease, revision).clone();
        self.rows.push(row);
        revision.main
    }

    /// Deletes the keys of the range in order; returns their last versions.
    pub fn delete_range(&mut self, key: &Bytes, range_end: &Bytes) -> Vec<api::KeyValue> {
        let range = KeyRange::new(key, range_end);
        let visible = self.store.index.visible(&range, self.revision());
        let deleted: Vec<api::KeyValue> =
            visible.map(|(_, found)| self.store.row(found.revision).kv.clone()).collect();
        for kv in &deleted {
            let revision = self.next_revision();
            let row = self.store.delete(&kv.key, revision).clone();
            self.rows.push(row);
        }
        deleted
    }

    /// Makes the changes visible, tells the watches, and hands out what the disk needs.
    #[must_use]
    pub fn end(mut self) -> Change {
        let rows = std::mem::take(&mut self.rows);
        if let Some(first) = rows.first() {
            self.store.current_revision = first.revision.main;
            self.watches.notify(self.store, &rows);
        }
        Change { revision: self.store.current_revision, rows }
    }

    /// Takes everything back.
    pub fn abort(self) {
        drop(self);
    }
}

impl Drop for WriteTxn<'_> {
    fn drop(&mut self) {
        for row in self.rows.drain(..).rev() {
            self.store.undo(&row);
        }
    }
}
