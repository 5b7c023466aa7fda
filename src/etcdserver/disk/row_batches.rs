//! Which chunks hold the rows of a generation, and how many of them are still wanted.
//!
//! Invariants: keys only grow within a generation; a batch lives until its last row is removed.

use std::collections::BTreeMap;

use super::{count, encode};
use crate::etcdserver::io::{DiskPut, DiskStore};
use crate::etcdserver::record::{self, first_rows_key};
use crate::etcdserver::recover::{Recovered, RowBatch};
use crate::mvcc;

#[derive(Debug, Default)]
pub(super) struct RowBatches {
    generation: u64,
    next_key: u64,
    /// Live rows per batch on disk, and the batch of each revision.
    batches: BTreeMap<u64, RowBatch>,
    batch_of: BTreeMap<mvcc::Revision, u64>,
}

impl RowBatches {
    /// A generation without rows.
    pub(super) const fn new(generation: u64) -> Self {
        Self {
            generation,
            next_key: first_rows_key(generation),
            batches: BTreeMap::new(),
            batch_of: BTreeMap::new(),
        }
    }

    /// What a disk holds.
    pub(super) fn recovered(recovered: &Recovered) -> Self {
        let mut batch_of = BTreeMap::new();
        let mut rows = recovered.rows.iter();
        for (key, batch) in &recovered.row_batches {
            for _ in 0..batch.live_rows {
                if let Some(row) = rows.next() {
                    batch_of.insert(row.revision, *key);
                }
            }
        }
        Self {
            generation: recovered.meta.as_ref().map_or(0, |meta| meta.generation),
            next_key: recovered.next_rows_key,
            batches: recovered.row_batches.clone(),
            batch_of,
        }
    }

    pub(super) const fn generation(&self) -> u64 {
        self.generation
    }

    /// Takes over rows; the chunks to write.
    pub(super) fn write(&mut self, rows: &[mvcc::Row]) -> Vec<DiskPut> {
        let key = self.next_key;
        let puts = record::chunks(DiskStore::Rows, key, &encode(&rows));
        self.next_key += count(&puts);
        self.batches.insert(key, RowBatch { parts: count(&puts), live_rows: count(rows) });
        self.batch_of.extend(rows.iter().map(|row| (row.revision, key)));
        puts
    }

    /// Forgets rows; the batches that have none left: (key, parts).
    pub(super) fn removed(&mut self, removed: &[mvcc::Revision]) -> Vec<(u64, u64)> {
        let mut dead = Vec::new();
        for revision in removed {
            let Some(key) = self.batch_of.remove(revision) else { continue };
            let Some(batch) = self.batches.get_mut(&key) else { continue };
            batch.live_rows = batch.live_rows.saturating_sub(1);
            if batch.live_rows == 0 {
                dead.push((key, batch.parts));
                self.batches.remove(&key);
            }
        }
        dead
    }

    /// Every batch: (key, parts).
    pub(super) fn all(self) -> impl Iterator<Item = (u64, u64)> {
        self.batches.into_iter().map(|(key, batch)| (key, batch.parts))
    }
}
