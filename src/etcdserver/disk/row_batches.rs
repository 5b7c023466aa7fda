//! Which chunks hold the rows of a generation, and how many of them are still wanted.
//!
//! Invariants: keys only grow within a generation, and so do the revisions of its rows;
//! a batch lives until its last row is removed.

use super::{count, encode};
use crate::etcdserver::io::{DiskPut, DiskStore};
use crate::etcdserver::record::{self, first_lease_key, first_rows_key};
use crate::etcdserver::recover::{Recovered, RowBatch};
use crate::mvcc;

#[derive(Debug, Default)]
pub(super) struct RowBatches {
    generation: u64,
    next_key: u64,
    /// The batches on disk with a live row, in the order of their rows.
    batches: Vec<RowBatch>,
}

impl RowBatches {
    /// A generation without rows.
    pub(super) const fn new(generation: u64) -> Self {
        Self { generation, next_key: first_rows_key(generation), batches: Vec::new() }
    }

    /// What a disk holds.
    pub(super) fn recovered(recovered: &Recovered) -> Self {
        Self {
            generation: recovered.meta.as_ref().map_or(0, |meta| meta.generation),
            next_key: recovered.next_rows_key,
            batches: recovered.row_batches.clone(),
        }
    }

    pub(super) const fn generation(&self) -> u64 {
        self.generation
    }

    /// Takes over rows; the chunks to write.
    pub(super) fn write(&mut self, rows: &[mvcc::Row]) -> Vec<DiskPut> {
        let key = self.next_key;
        let puts = record::chunks(DiskStore::Rows, key, &encode(&rows));
        let Some(batch) = RowBatch::of(rows, key, count(&puts)) else { return Vec::new() };
        let last = self.batches.last().map(|before| before.last);
        assert!(last < Some(batch.first), "row {} after row {last:?}", batch.first);
        self.next_key += batch.parts;
        assert!(self.next_key < first_lease_key(self.generation), "no key is left for rows");
        self.batches.push(batch);
        puts
    }

    /// Forgets rows, each once; the batches that have none left: (key, parts).
    pub(super) fn removed(&mut self, removed: &[mvcc::Revision]) -> Vec<(u64, u64)> {
        let mut dead = Vec::new();
        for revision in removed {
            let at = self.batches.partition_point(|batch| batch.last < *revision);
            // One that is not on disk yet is in no batch.
            let Some(batch) = self.batches.get_mut(at) else { continue };
            if batch.first > *revision || batch.live_rows == 0 {
                continue;
            }
            batch.live_rows -= 1;
            if batch.live_rows == 0 {
                dead.push((batch.key, batch.parts));
            }
        }
        self.batches.retain(|batch| batch.live_rows > 0);
        dead
    }

    /// Every batch: (key, parts).
    pub(super) fn all(self) -> impl Iterator<Item = (u64, u64)> {
        self.batches.into_iter().map(|batch| (batch.key, batch.parts))
    }
}
