//! Which chunks hold the rows of a generation, and how many of them are still wanted.
//!
//! Invariants: keys only grow within a generation, and so do the revisions of its rows;
//! a batch that loses rows is replaced by what is left of it, and goes with its last row.

use super::{count, encode};
use crate::etcdserver::io::{DiskPut, DiskStore, Round};
use crate::etcdserver::record::{self, first_lease_key, first_rows_key};
use crate::etcdserver::recover::{Recovered, RowBatch};
use crate::mvcc;
use crate::types::{SmallMap, SmallSet};

#[derive(Clone, Debug, Default)]
pub(super) struct RowBatches {
    generation: u64,
    next_key: u64,
    /// The batches on disk with a live row, in the order of their rows.
    batches: Vec<RowBatch>,
    /// What is left of batches that lost rows, by key; each replaces its batch with the next rows.
    rests: SmallMap<u64, Vec<mvcc::Row>>,
}

impl RowBatches {
    /// A generation without rows.
    pub(super) const fn new(generation: u64) -> Self {
        Self {
            generation,
            next_key: first_rows_key(generation),
            batches: Vec::new(),
            rests: SmallMap::new(),
        }
    }

    /// What a disk holds.
    pub(super) fn recovered(recovered: &Recovered) -> Self {
        Self {
            generation: recovered.meta.as_ref().map_or(0, |meta| meta.generation),
            next_key: recovered.next_rows_key,
            batches: recovered.row_batches.clone(),
            rests: SmallMap::new(),
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

    /// Forgets rows that were removed from `store`, each once; true if there is something to write.
    ///
    /// A batch that loses some of its rows is replaced by what is left of it, in the same transaction.
    /// If it stayed until its last row is dead, the row of a deleted key could outlive the tombstone in a later batch,
    /// and the key would be back after a restart.
    pub(super) fn removed(
        &mut self,
        removed: &[mvcc::Revision],
        store: &mvcc::WatchableStore,
    ) -> bool {
        // One that is not on disk yet is in no batch.
        let on_disk = self.batches.last().map(|batch| batch.last);
        let mut touched = SmallSet::new();
        for revision in removed.iter().filter(|revision| Some(**revision) <= on_disk) {
            let at = self.batches.partition_point(|batch| batch.last < *revision);
            let Some(batch) = self.batches.get_mut(at) else { continue };
            if batch.first <= *revision && batch.live_rows > 0 {
                batch.live_rows -= 1;
                touched.insert(at);
            }
        }
        for at in touched.iter() {
            let Some(batch) = self.batches.get(*at) else { continue };
            let rest: Vec<mvcc::Row> =
                store.rows_between(batch.first..=batch.last).cloned().collect();
            assert_eq!(count(&rest), batch.live_rows, "the batch of row {}", batch.first);
            self.rests.insert(batch.key, rest);
        }
        !touched.is_empty()
    }

    /// Replaces the batches that lost rows, each in its place.
    pub(super) fn put_rests(&mut self, round: &mut Round) {
        for (key, rest) in std::mem::take(&mut self.rests) {
            // Batches stand in the order of their keys, too.
            let at = self.batches.partition_point(|batch| batch.key < key);
            let Some(batch) = self.batches.get_mut(at).filter(|batch| batch.key == key) else {
                continue;
            };
            let puts = match rest.as_slice() {
                [] => Vec::new(),
                rest => record::chunks(DiskStore::Rows, key, &encode(&rest)),
            };
            let parts = count(&puts);
            assert!(parts <= batch.parts, "what is left of batch {key} is larger than the batch");
            round
                .deletes
                .extend((key + parts..key + batch.parts).map(|key| (DiskStore::Rows, key)));
            round.puts.extend(puts);
            batch.parts = parts;
        }
        self.batches.retain(|batch| batch.live_rows > 0);
    }

    /// Every batch: (key, parts).
    pub(super) fn all(self) -> impl Iterator<Item = (u64, u64)> {
        self.batches.into_iter().map(|batch| (batch.key, batch.parts))
    }
}
