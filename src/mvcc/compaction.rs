//! Forgetting superseded history: scheduled at once, carried out in batches.
//!
//! What it is: from the moment a compaction is scheduled, reads below it are refused; the rows go
//! batch by batch, so that one call never walks the whole store.
//! What it is not: a timer; the driver asks for the next batch.
//! Invariants: rows go in revision order, so what is left of a key is always a tail of its history;
//! a compaction scheduled during another takes over its work; after a restart it goes on.
//! Source: etcd `server/storage/mvcc/kvstore_compaction.go`.

use std::ops::Bound;

use super::hash::CompactionHash;
use super::store::Store;
use crate::api;
use crate::mvcc::Revision;

/// Rows looked at per batch. Unit: rows. Source: etcd `--compaction-batch-limit`, default 1000.
pub const COMPACTION_BATCH_ROWS: u32 = 1000;

/// Pause between two batches. Unit: ms. Source: etcd `--compaction-sleep-interval`, default 10 ms.
pub const COMPACTION_INTERVAL_MS: u64 = 10;

/// The compaction that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Compaction {
    /// The last row looked at.
    cursor: Revision,
    /// What it hashes on its way; `None` if it takes over the work of another one.
    hash: Option<CompactionHash>,
}

impl Compaction {
    /// Before the first row.
    pub(super) const START: Self = Self { cursor: Revision::new(0, 0), hash: None };
}

/// What one batch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompactionProgress {
    /// Rows to remove on disk, in order.
    pub removed: Vec<Revision>,
    /// No compaction is left to do.
    pub finished: bool,
}

impl Store {
    /// Schedules a compaction at `revision`.
    ///
    /// # Errors
    /// `Compacted` at or below the last one, `FutureRev` above the current revision.
    pub(super) fn compact(&mut self, revision: i64) -> Result<(), api::Error> {
        if revision <= self.compact_revision {
            return Err(api::Error::Compacted);
        }
        if revision > self.current_revision {
            return Err(api::Error::FutureRev);
        }
        let hash = self.begin_compaction_hash(revision);
        self.compact_revision = revision;
        self.compaction = Some(Compaction { hash, ..Compaction::START });
        Ok(())
    }

    /// Looks at the next `limit` rows (at least one) and removes what is not kept.
    pub(super) fn compact_batch(&mut self, limit: u32) -> CompactionProgress {
        let Some(Compaction { cursor, mut hash }) = self.compaction else {
            return CompactionProgress { removed: Vec::new(), finished: true };
        };
        let at = self.compact_revision;
        let end = Revision::new(at, i64::MAX);
        let mut removed = Vec::new();
        let mut hashed = Vec::new();
        let mut last = None;
        let mut looked_at = 0;
        if cursor < end {
            let range = (Bound::Excluded(cursor), Bound::Included(end));
            for (revision, row) in self.rows.range(range) {
                if looked_at == limit.max(1) {
                    break;
                }
                looked_at += 1;
                last = Some(*revision);
                let kept = self.index.keep(&row.kv.key, at);
                let is_kept = kept.is_some_and(|kept| kept.revision == *revision);
                if !is_kept {
                    removed.push(*revision);
                }
                if hash.is_some_and(|hash| hash.counts(row, is_kept)) {
                    hashed.push(row);
                }
            }
        }
        if let Some(hash) = &mut hash {
            hash.hasher.add(hashed.into_iter());
        }
        for revision in &removed {
            if let Some(row) = self.rows.remove(revision) {
                self.size.remove(&row);
                self.index.compact_key(&row.kv.key, at);
            }
        }
        let finished = looked_at < limit.max(1);
        if finished {
            self.compaction = None;
            self.finished_compact_revision = at;
            if let Some(hash) = hash {
                self.store_compaction_hash(hash, at);
            }
        } else {
            self.compaction = last.map(|cursor| Compaction { cursor, hash });
        }
        CompactionProgress { removed, finished }
    }
}
