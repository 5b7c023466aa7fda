//! A snapshot on its way to the disk.
//!
//! What it is: the rounds that write a new generation of rows, then the one that makes it count.
//! What it is not: a way back; Raft has taken the snapshot already, so it ends or the member stops.
//! Invariants: until the flip the disk holds the old state whole; the flip is one small transaction;
//! what Raft wants written meanwhile comes after it. Source: DESIGN 9.

use std::collections::VecDeque;

use super::lease_slots::LeaseSlots;
use super::row_batches::RowBatches;
use crate::etcdserver::io::DiskPut;
use crate::etcdserver::record::Meta;
use crate::lease::StoredLease;
use crate::mvcc;
use crate::raft;

/// Rows of one batch. Unit: bytes of keys and values. Source: ours; a few chunks.
const BATCH_BYTES: u64 = 256 * 1024;

/// Most of one round. Unit: bytes, except that one chunk always goes. Source: ours.
const ROUND_BYTES: usize = 1024 * 1024;

/// Most of one round. Unit: chunks. Source: ours; some ms of IndexedDB's time.
const ROUND_CHUNKS: usize = 1_000;

/// A storage-append message of Raft: entries, hard state, responses.
type Held = (Vec<raft::Entry>, Option<raft::HardState>, Vec<raft::Message>);

#[derive(Clone, Debug)]
pub(super) struct Install {
    snapshot: raft::SnapshotMetadata,
    batches: RowBatches,
    leases: LeaseSlots,
    /// Chunks to write, in order.
    puts: VecDeque<DiskPut>,
    meta: Meta,
    hard_state: raft::HardState,
    held: Vec<Held>,
}

impl Install {
    pub(super) fn new(
        snapshot: raft::SnapshotMetadata,
        (rows, stored): (&[mvcc::Row], &[StoredLease]),
        meta: Meta,
        hard_state: raft::HardState,
        generation: u64,
    ) -> Self {
        let mut batches = RowBatches::new(generation);
        let mut puts = VecDeque::new();
        let mut rest = rows;
        while !rest.is_empty() {
            let (batch, after) = rest.split_at(batch_length(rest));
            puts.extend(batches.write(batch));
            rest = after;
        }
        let mut leases = LeaseSlots::new(generation);
        for lease in stored {
            puts.extend(leases.put(lease));
        }
        let meta = Meta { generation, ..meta };
        Self { snapshot, batches, leases, puts, meta, hard_state, held: Vec::new() }
    }

    pub(super) fn hold(
        &mut self,
        entries: Vec<raft::Entry>,
        hard_state: Option<raft::HardState>,
        responses: Vec<raft::Message>,
    ) {
        self.held.push((entries, hard_state, responses));
    }

    /// The chunks of the next round; `None` if all are written.
    pub(super) fn next_rows(&mut self) -> Option<Vec<DiskPut>> {
        if self.puts.is_empty() {
            return None;
        }
        let mut bytes = 0;
        let fits = self.puts.iter().take(ROUND_CHUNKS).take_while(|put| {
            bytes += put.bytes.len();
            bytes <= ROUND_BYTES
        });
        let count = fits.count().clamp(1, self.puts.len());
        Some(self.puts.drain(..count).collect())
    }

    pub(super) fn chunks_left(&self) -> u64 {
        u64::try_from(self.puts.len()).unwrap_or(u64::MAX)
    }

    pub(super) const fn snapshot(&self) -> &raft::SnapshotMetadata {
        &self.snapshot
    }

    pub(super) const fn meta(&self) -> &Meta {
        &self.meta
    }

    pub(super) const fn hard_state(&self) -> raft::HardState {
        self.hard_state
    }

    /// It counts now: the new rows and leases, and what waited.
    pub(super) fn end(self) -> (RowBatches, LeaseSlots, Vec<Held>) {
        (self.batches, self.leases, self.held)
    }
}

/// How many of the first rows make a batch: at least one.
fn batch_length(rows: &[mvcc::Row]) -> usize {
    let mut bytes = 0;
    let fits = rows.iter().take_while(|row| {
        let is_in = bytes < BATCH_BYTES;
        bytes += u64::try_from(row.kv.key.len() + row.kv.value.len()).unwrap_or(u64::MAX);
        is_in
    });
    fits.count().max(1)
}
