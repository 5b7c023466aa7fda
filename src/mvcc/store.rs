//! Rows by revision, the key index over them, and where the history begins and ends.
//!
//! What it is: the state that writes, reads, compaction, hash and restore share.
//! What it is not: watches, transactions or requests.
//! Invariants: index and rows name the same revisions, except that while a compaction runs rows that
//! it will remove may outlive their place in the index; `finished_compact_revision` is at or below
//! `compact_revision`, and below it exactly while a compaction runs.
//! Source: etcd `server/storage/mvcc/kvstore.go`.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::compaction::Compaction;
use super::hash::HashKv;
use super::size::Size;
use super::tree_index::TreeIndex;
use crate::api;
use crate::mvcc::{Revision, Row};
use crate::types::LeaseId;

/// Revision of a store that holds nothing.
pub(super) const FIRST_REVISION: i64 = 1;

/// Compact revision of a store that was never compacted.
pub(super) const NEVER_COMPACTED: i64 = -1;

/// The versions of every key.
#[derive(Clone, Debug)]
pub(super) struct Store {
    pub(super) index: TreeIndex,
    pub(super) rows: BTreeMap<Revision, Row>,
    pub(super) size: Size,
    pub(super) current_revision: i64,
    /// Reads below it are refused.
    pub(super) compact_revision: i64,
    /// The compaction whose rows are gone.
    pub(super) finished_compact_revision: i64,
    /// The compaction that runs.
    pub(super) compaction: Option<Compaction>,
    /// What the last compactions hashed, the oldest first; gone after a restart.
    pub(super) stored_hashes: Vec<HashKv>,
    /// Keys that exist at the current revision, changes of an open transaction included.
    pub(super) live_keys: u64,
}

impl Store {
    pub(super) fn new() -> Self {
        Self {
            index: TreeIndex::default(),
            rows: BTreeMap::new(),
            size: Size::new(),
            current_revision: FIRST_REVISION,
            compact_revision: NEVER_COMPACTED,
            finished_compact_revision: NEVER_COMPACTED,
            compaction: None,
            stored_hashes: Vec::new(),
            live_keys: 0,
        }
    }

    /// The revision to read at: `asked`, or `view` if that is 0 or less.
    ///
    /// # Errors
    /// `FutureRev` above `view`, `Compacted` below the compact revision.
    pub(super) const fn read_revision(&self, asked: i64, view: i64) -> Result<i64, api::Error> {
        if asked > view {
            return Err(api::Error::FutureRev);
        }
        let revision = if asked <= 0 { view } else { asked };
        if revision < self.compact_revision {
            return Err(api::Error::Compacted);
        }
        Ok(revision)
    }

    /// The row of a revision that the index named.
    pub(super) fn row(&self, revision: Revision) -> &Row {
        let row = self.rows.get(&revision);
        assert!(row.is_some(), "the index names revision {revision}, which has no row");
        row.unwrap_or_else(|| unreachable!("asserted above"))
    }

    /// The version of `key` that a read at `revision` sees; the caller has checked the revision.
    pub(super) fn get(&self, key: &[u8], revision: i64) -> Option<&api::KeyValue> {
        self.index.get(key, revision).map(|found| &self.row(found.revision).kv)
    }

    /// The version before a change at `revision`; `None` if there is none or it is compacted.
    pub(super) fn previous(&self, key: &[u8], revision: i64) -> Option<&api::KeyValue> {
        let before = revision.checked_sub(1)?;
        (before >= self.compact_revision).then(|| self.get(key, before)).flatten()
    }

    /// Writes a version of `key`.
    pub(super) fn put(
        &mut self,
        key: &Bytes,
        value: Bytes,
        lease: LeaseId,
        revision: Revision,
    ) -> &Row {
        let put = self.index.put(key, revision);
        self.live_keys += u64::from(put.version == 1);
        let kv = api::KeyValue {
            key: key.clone(),
            create_revision: put.create_revision,
            mod_revision: revision.main,
            version: put.version,
            value,
            lease,
        };
        self.add_row(Row { revision, is_tombstone: false, kv })
    }

    /// Deletes `key`, which the caller has seen alive.
    pub(super) fn delete(&mut self, key: &Bytes, revision: Revision) -> &Row {
        let was_alive = self.index.tombstone(key, revision);
        assert!(was_alive, "delete at {revision} of a key that is not alive");
        self.live_keys -= 1;
        self.add_row(Row::tombstone(revision, key.clone()))
    }

    fn add_row(&mut self, row: Row) -> &Row {
        self.size.add(&row);
        self.rows.entry(row.revision).insert_entry(row).into_mut()
    }

    /// Takes back the newest change of the store.
    pub(super) fn undo(&mut self, row: &Row) {
        self.index.undo(&row.kv.key, row.revision);
        let removed = self.rows.remove(&row.revision);
        assert!(removed.is_some(), "undo of revision {}, which has no row", row.revision);
        self.size.remove(row);
        if row.is_tombstone {
            self.live_keys += 1;
        } else if row.kv.version == 1 {
            self.live_keys -= 1;
        }
    }
}
