//! Collects what must go to disk into rounds: group commit.
//!
//! What it is: pending WAL records, pending rows and the messages that wait for them; one round in
//! flight, the next one collecting meanwhile.
//! What it is not: a disk.
//! Invariants: a message that depends on a record is released only after the record's round completed;
//! rounds complete in order; rows go with a WAL round, or alone after [`ROWS_WAIT_TICKS`];
//! a hard state that changes only its commit makes no round of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::io::{DiskStore, Fence, Round, Ticket};
use super::record::{self, Meta, RowBatch, WalRecord};
use crate::mutant::{self, Mutant};
use crate::mvcc;
use crate::raft;
use crate::types::{Index, Term};

/// Ticks that rows may wait for a WAL round to ride with.
///
/// Unit: ticks. Default: 1 (100 ms). Source: DESIGN; etcd commits its backend every 100 ms.
const ROWS_WAIT_TICKS: u64 = 1;

/// What the log's own storage learns when a round has completed.
#[derive(Debug, Default)]
pub(crate) struct Landed {
    pub(crate) entries: Vec<raft::Entry>,
    pub(crate) hard_state: Option<raft::HardState>,
    pub(crate) responses: Vec<raft::Message>,
}

#[derive(Debug, Default)]
pub(crate) struct Disk {
    pending: Landed,
    has_wal: bool,
    must_flush_fence: bool,
    rows: Vec<mvcc::Row>,
    /// Something was applied (or the boot is new) that the meta record on disk does not know.
    is_meta_due: bool,
    meta_ticks: u64,
    in_flight: Option<(Ticket, Landed)>,
    last_ticket: u64,
    next_wal_key: u64,
    next_rows_key: u64,
    /// The batches on disk, and the batch of each revision.
    batches: BTreeMap<u64, RowBatch>,
    batch_of: BTreeMap<mvcc::Revision, u64>,
    dead: Vec<(DiskStore, u64)>,
    /// What the disk holds when every round handed out has landed.
    fence: Fence,
    last_hard_state: raft::HardState,
}

impl Disk {
    pub(crate) fn new(recovered: &record::Recovered, boot: u64) -> Self {
        let last = recovered.entries.last();
        let hard_state = recovered.hard_state;
        let mut batch_of = BTreeMap::new();
        for (key, batch) in &recovered.row_batches {
            batch_of.extend(batch.rows.iter().map(|revision| (*revision, *key)));
        }
        Self {
            next_wal_key: recovered.next_wal_key,
            next_rows_key: recovered.next_rows_key,
            batches: recovered.row_batches.clone(),
            batch_of,
            fence: Fence {
                boot,
                term: hard_state.term,
                vote: hard_state.vote,
                commit: hard_state.commit,
                last_log_term: last.map_or(Term(0), |entry| entry.term),
                last_log_index: last.map_or(Index(0), |entry| entry.index),
            },
            last_hard_state: hard_state,
            ..Self::default()
        }
    }

    /// Takes over one storage-append message of Raft.
    pub(crate) fn append(
        &mut self,
        entries: Vec<raft::Entry>,
        hard_state: Option<raft::HardState>,
        responses: Vec<raft::Message>,
    ) {
        if let Some(hard_state) = hard_state {
            if hard_state.term != self.last_hard_state.term
                || hard_state.vote != self.last_hard_state.vote
            {
                self.must_flush_fence = true;
                self.has_wal = true;
            }
            self.last_hard_state = hard_state;
            if mutant::is(Mutant::VoteNotPersisted) {
                self.last_hard_state.vote = None;
            }
            self.pending.hard_state = Some(self.last_hard_state);
        }
        if !entries.is_empty() {
            self.has_wal = true;
            if let (Some(first), Some(last)) = (entries.first(), self.pending.entries.last())
                && first.index <= last.index
            {
                // A newer leader replaced entries that have not been written yet.
                self.pending.entries.retain(|entry| entry.index < first.index);
            }
            self.pending.entries.extend(entries);
        }
        self.pending.responses.extend(responses);
    }

    /// True if messages wait for a round although nothing of it needs one.
    pub(crate) fn take_free_responses(&mut self) -> Vec<raft::Message> {
        let must_wait = self.has_wal || self.in_flight.is_some();
        if must_wait && !mutant::is(Mutant::SendBeforePersist) {
            Vec::new()
        } else {
            std::mem::take(&mut self.pending.responses)
        }
    }

    /// Takes over what was applied; the meta record follows with the round.
    pub(crate) fn applied(&mut self, rows: Vec<mvcc::Row>) {
        self.rows.extend(rows);
        self.is_meta_due = true;
    }

    /// Makes the next round carry the meta record at once.
    pub(crate) const fn hurry(&mut self) {
        self.meta_ticks = ROWS_WAIT_TICKS;
    }

    /// These rows were removed from `store` by compaction: none of them may stay on disk.
    ///
    /// A batch that loses some of its rows is replaced by what is left of it, in the same transaction. If it stayed
    /// until its last row is dead, the row of a deleted key could outlive the tombstone in a later batch, and the key
    /// would be back after a restart.
    pub(crate) fn compacted(&mut self, removed: &[mvcc::Revision], store: &mvcc::WatchableStore) {
        let mut touched = BTreeSet::new();
        let mut waiting = BTreeSet::new();
        for revision in removed {
            match self.batch_of.remove(revision) {
                Some(key) => touched.insert(key),
                None => waiting.insert(*revision),
            };
        }
        self.rows.retain(|row| !waiting.contains(&row.revision));
        for key in touched {
            let Some(batch) = self.batches.remove(&key) else { continue };
            self.dead.extend((key..key + batch.parts).map(|key| (DiskStore::Rows, key)));
            for revision in batch.rows {
                if self.batch_of.remove(&revision).is_some() {
                    self.rows.extend(store.row(revision).cloned());
                }
            }
        }
    }

    pub(crate) const fn tick(&mut self) {
        if self.is_meta_due {
            self.meta_ticks += 1;
        }
    }

    /// True if a round should start now.
    pub(crate) const fn is_round_due(&self) -> bool {
        let rows_are_due = self.is_meta_due && self.meta_ticks >= ROWS_WAIT_TICKS;
        self.in_flight.is_none() && (self.has_wal || rows_are_due)
    }

    /// The next round; `meta` is what was applied so far.
    pub(crate) fn next_round(&mut self, meta: &Meta) -> Round {
        assert!(self.in_flight.is_none(), "two rounds in flight");
        self.last_ticket += 1;
        let mut round = Round { ticket: Ticket(self.last_ticket), ..Round::default() };
        self.put_wal(&mut round);
        self.put_rows(&mut round, meta);
        round.fence = self.fence;
        round.must_flush_fence = std::mem::take(&mut self.must_flush_fence);
        self.has_wal = false;
        let landed = std::mem::take(&mut self.pending);
        self.in_flight = Some((round.ticket, landed));
        round
    }

    fn put_wal(&mut self, round: &mut Round) {
        let mut records = Vec::new();
        if !self.pending.entries.is_empty() {
            records.push(WalRecord::Entries(self.pending.entries.clone()));
        }
        if let Some(hard_state) = &self.pending.hard_state {
            records.push(WalRecord::HardState(*hard_state));
        }
        if records.is_empty() {
            return;
        }
        if let Some(last) = self.pending.entries.last() {
            self.fence.last_log_term = last.term;
            self.fence.last_log_index = last.index;
        }
        self.fence.term = self.last_hard_state.term;
        self.fence.vote = self.last_hard_state.vote;
        self.fence.commit = self.last_hard_state.commit.min(self.fence.last_log_index);
        let puts = record::chunks(DiskStore::Wal, self.next_wal_key, &encode(&records));
        self.next_wal_key += count(&puts);
        round.puts.extend(puts);
    }

    fn put_rows(&mut self, round: &mut Round, meta: &Meta) {
        if !std::mem::take(&mut self.is_meta_due) {
            return;
        }
        self.meta_ticks = 0;
        let rows = std::mem::take(&mut self.rows);
        if !rows.is_empty() {
            let key = self.next_rows_key;
            let puts = record::chunks(DiskStore::Rows, key, &encode(&rows));
            self.next_rows_key += count(&puts);
            let revisions = rows.iter().map(|row| row.revision).collect();
            let batch = RowBatch { parts: count(&puts), rows: revisions };
            self.batches.insert(key, batch);
            self.batch_of.extend(rows.iter().map(|row| (row.revision, key)));
            round.puts.extend(puts);
        }
        round.puts.extend(record::chunks(DiskStore::Meta, record::META_KEY, &encode(meta)));
        round.deletes.append(&mut self.dead);
    }

    /// The round landed; hands back what waited for it.
    pub(crate) fn persisted(&mut self, ticket: Ticket) -> Option<Landed> {
        match self.in_flight.take() {
            Some((expected, landed)) if expected == ticket => Some(landed),
            other => {
                self.in_flight = other;
                None
            }
        }
    }
}

fn count<T>(items: &[T]) -> u64 {
    u64::try_from(items.len()).unwrap_or(u64::MAX)
}

/// Serialises our own records; that cannot fail for types without maps of unknown size.
pub(super) fn encode<T: serde::Serialize>(value: &T) -> Vec<u8> {
    let encoded = postcard::to_stdvec(value);
    assert!(encoded.is_ok(), "a record of our own does not serialise");
    encoded.unwrap_or_default()
}
