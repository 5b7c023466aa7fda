//! Collects what must go to disk into rounds: group commit.
//!
//! What it is: pending WAL records, pending rows and the messages that wait for them; one round in
//! flight, the next one collecting meanwhile.
//! What it is not: a disk.
//! Invariants: a message that depends on a record is released only after the record's round completed;
//! rounds complete in order; rows go to disk in the order of their revisions, with a WAL round, or alone after
//! [`ROWS_WAIT_TICKS`]; no row that a compaction removed stays on disk when another one of that compaction has gone;
//! a hard state that changes only its commit makes no round of its own;
//! chunks are deleted batch by batch, those of the log from its beginning, and only in rounds whose meta
//! record no longer needs them; while a snapshot is installed what comes after it waits.

mod dead;
mod image;
mod install;
mod lease_slots;
mod row_batches;
mod wal_batches;

use self::dead::Dead;
pub(crate) use self::image::image;
use self::install::Install;
use self::lease_slots::LeaseSlots;
use self::row_batches::RowBatches;
use self::wal_batches::WalBatches;
use super::io::{DiskStore, Fence, Round, Ticket};
use super::record::{self, Meta, WalRecord};
use super::recover::Recovered;
use crate::lease::StoredLease;
use crate::mutant::{self, Mutant};
use crate::mvcc;
use crate::raft;
use crate::types::{Index, LeaseId};

/// Ticks that rows may wait for a WAL round to ride with.
///
/// Unit: ticks. Default: 1 (100 ms). Source: DESIGN; etcd commits its backend every 100 ms.
const ROWS_WAIT_TICKS: u64 = 1;

/// What the log's own storage learns when a round has completed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Landed {
    pub(crate) entries: Vec<raft::Entry>,
    pub(crate) hard_state: Option<raft::HardState>,
    pub(crate) responses: Vec<raft::Message>,
    /// A snapshot took the place of log and rows.
    pub(crate) installed: Option<raft::SnapshotMetadata>,
}

#[derive(Clone, Debug, Default)]
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
    wal: WalBatches,
    row_batches: RowBatches,
    leases: LeaseSlots,
    next_generation: u64,
    dead: Dead,
    install: Option<Install>,
    /// What the disk holds when every round handed out has landed.
    fence: Fence,
    last_hard_state: raft::HardState,
}

impl Disk {
    pub(crate) fn new(recovered: &Recovered, boot: u64) -> Self {
        let last = recovered.last_id();
        let hard_state = recovered.hard_state;
        let row_batches = RowBatches::recovered(recovered);
        let mut dead = Dead::default();
        for key in &recovered.orphans {
            dead.add(DiskStore::Rows, *key, 1);
        }
        Self {
            next_wal_key: recovered.next_wal_key,
            wal: WalBatches::new(&recovered.wal_batches),
            leases: LeaseSlots::recovered(row_batches.generation(), &recovered.leases),
            row_batches,
            next_generation: recovered.next_generation,
            dead,
            fence: Fence {
                boot,
                term: hard_state.term,
                vote: hard_state.vote,
                commit: hard_state.commit,
                last_log_term: last.term,
                last_log_index: last.index,
                wal_end: recovered.next_wal_key,
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
        if let Some(install) = &mut self.install {
            install.hold(entries, hard_state, responses);
            return;
        }
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

    /// Keeps a message back until the round that is collecting has landed.
    ///
    /// A candidate asks for votes only once its term and its own vote are on disk: with the votes of the others it may
    /// lead before its own counts, and one that then forgot the term could lead the same term a second time.
    pub(crate) fn hold(&mut self, message: raft::Message) {
        match &mut self.install {
            Some(install) => install.hold(Vec::new(), None, vec![message]),
            None => self.pending.responses.push(message),
        }
    }

    /// Takes over a snapshot: rows and leases go into a new generation, then `meta` makes them count.
    pub(crate) fn install(
        &mut self,
        snapshot: raft::SnapshotMetadata,
        content: (&[mvcc::Row], &[StoredLease]),
        meta: Meta,
        hard_state: Option<raft::HardState>,
    ) {
        assert!(self.install.is_none(), "two snapshots are installed at once");
        let generation = self.next_generation;
        self.next_generation += 1;
        let hard_state = raft::HardState {
            commit: snapshot.index,
            ..hard_state.unwrap_or(self.last_hard_state)
        };
        self.install = Some(Install::new(snapshot, content, meta, hard_state, generation));
    }

    /// True while a snapshot is on its way to the disk.
    pub(crate) const fn is_installing(&self) -> bool {
        self.install.is_some()
    }

    /// Chunks of the snapshot on its way that no round has carried yet.
    pub(crate) fn chunks_to_install(&self) -> Option<u64> {
        self.install.as_ref().map(Install::chunks_left)
    }

    /// True while a round is in flight.
    pub(crate) const fn is_writing(&self) -> bool {
        self.in_flight.is_some()
    }

    /// The generation whose rows count.
    pub(crate) const fn generation(&self) -> u64 {
        self.row_batches.generation()
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

    /// A lease came or changed, or, with `None`, ended; it goes to the disk with the rows.
    pub(crate) fn lease_changed(&mut self, id: LeaseId, stored: Option<StoredLease>) {
        self.leases.change(id, stored);
        self.is_meta_due = true;
    }

    /// Makes the next round carry the meta record at once.
    pub(crate) const fn hurry(&mut self) {
        self.meta_ticks = ROWS_WAIT_TICKS;
    }

    /// These rows were removed from `store` by compaction; a row is removed once, and none of them may stay on disk.
    pub(crate) fn compacted(&mut self, removed: &[mvcc::Revision], store: &mvcc::WatchableStore) {
        self.rows.retain(|row| store.row(row.revision).is_some());
        self.is_meta_due |= self.row_batches.removed(removed, store);
    }

    /// The log begins after `base` now, and the meta record says so from the next round on.
    pub(crate) fn log_compacted(&mut self, base: Index) {
        for (key, parts) in self.wal.truncate(base) {
            self.dead.add(DiskStore::Wal, key, parts);
        }
        self.is_meta_due = true;
    }

    pub(crate) const fn tick(&mut self) {
        if self.is_meta_due {
            self.meta_ticks += 1;
        }
    }

    /// True if a round should start now.
    pub(crate) const fn is_round_due(&self) -> bool {
        let rows_are_due = self.is_meta_due && self.meta_ticks >= ROWS_WAIT_TICKS;
        self.in_flight.is_none() && (self.has_wal || rows_are_due || self.install.is_some())
    }

    /// The next round; `meta` is what was applied so far.
    pub(crate) fn next_round(&mut self, meta: &Meta) -> Round {
        assert!(self.in_flight.is_none(), "two rounds in flight");
        self.last_ticket += 1;
        let mut round = Round { ticket: Ticket(self.last_ticket), ..Round::default() };
        let mut installed = None;
        if self.install.is_some() && !self.has_wal {
            installed = self.put_install(&mut round);
        } else {
            if self.is_meta_due {
                round.deletes = self.dead.take();
            }
            self.put_wal(&mut round);
            self.put_rows(&mut round, meta);
        }
        round.fence = self.fence;
        round.must_flush_fence = std::mem::take(&mut self.must_flush_fence);
        self.has_wal = false;
        let landed = Landed { installed, ..std::mem::take(&mut self.pending) };
        self.in_flight = Some((round.ticket, landed));
        round
    }

    fn put_wal(&mut self, round: &mut Round) {
        let mut records = Vec::new();
        if !self.pending.entries.is_empty() {
            records.push(WalRecord::Entries(self.pending.entries.clone()));
        }
        // The record that is deleted may be the last one that had it.
        let needs_hard_state = round.deletes.iter().any(|(store, _)| *store == DiskStore::Wal);
        if needs_hard_state || self.pending.hard_state.is_some() {
            records.push(WalRecord::HardState(self.last_hard_state));
        }
        if records.is_empty() {
            return;
        }
        if let Some(last) = self.pending.entries.last() {
            let is_lower =
                (last.term, last.index) < (self.fence.last_log_term, self.fence.last_log_index);
            self.must_flush_fence |= is_lower;
            self.fence.last_log_term = last.term;
            self.fence.last_log_index = last.index;
        }
        let first = self.pending.entries.first().map(|entry| entry.index);
        let last = self.pending.entries.last().map(|entry| entry.index);
        self.put_records(round, &records, first.zip(last));
    }

    /// Writes WAL records; `span` is the first and the last entry among them.
    fn put_records(
        &mut self,
        round: &mut Round,
        records: &[WalRecord],
        span: Option<(Index, Index)>,
    ) {
        self.fence.term = self.last_hard_state.term;
        self.fence.vote = self.last_hard_state.vote;
        self.fence.commit = self.last_hard_state.commit.min(self.fence.last_log_index);
        let puts = record::chunks(DiskStore::Wal, self.next_wal_key, &encode(&records));
        self.wal.written(self.next_wal_key, count(&puts), span);
        self.next_wal_key += count(&puts);
        self.fence.wal_end = self.next_wal_key;
        round.puts.extend(puts);
    }

    fn put_rows(&mut self, round: &mut Round, meta: &Meta) {
        if !std::mem::take(&mut self.is_meta_due) {
            return;
        }
        self.meta_ticks = 0;
        self.row_batches.put_rests(round);
        let rows = std::mem::take(&mut self.rows);
        if !rows.is_empty() {
            round.puts.extend(self.row_batches.write(&rows));
        }
        self.leases.write(round);
        round.puts.extend(record::chunks(DiskStore::Meta, record::META_KEY, &encode(meta)));
        // What was too much for this round goes with the next ones.
        self.is_meta_due = !self.dead.is_empty();
    }

    /// A part of the new generation, or the flip to it.
    fn put_install(&mut self, round: &mut Round) -> Option<raft::SnapshotMetadata> {
        let install = self.install.as_mut()?;
        if let Some(puts) = install.next_rows() {
            round.puts = puts;
            return None;
        }
        let snapshot = install.snapshot().clone();
        let hard_state = install.hard_state();
        self.must_flush_fence = true;
        self.last_hard_state = hard_state;
        self.fence.last_log_term = snapshot.term;
        self.fence.last_log_index = snapshot.index;
        let id = raft::EntryId { term: snapshot.term, index: snapshot.index };
        round.puts.extend(record::chunks(
            DiskStore::Meta,
            record::META_KEY,
            &encode(install.meta()),
        ));
        let records = [WalRecord::Snapshot(id), WalRecord::HardState(hard_state)];
        self.wal.all_void();
        self.put_records(round, &records, None);
        Some(snapshot)
    }

    /// The round landed; hands back what waited for it.
    pub(crate) fn persisted(&mut self, ticket: Ticket) -> Option<Landed> {
        match self.in_flight.take() {
            Some((expected, landed)) if expected == ticket => {
                if landed.installed.is_some() {
                    self.installed();
                }
                Some(landed)
            }
            other => {
                self.in_flight = other;
                None
            }
        }
    }

    /// The new generation counts: the old one and the log before it may go.
    fn installed(&mut self) {
        let Some(install) = self.install.take() else { return };
        let (batches, leases, held) = install.end();
        let old = std::mem::replace(&mut self.row_batches, batches);
        for (key, parts) in old.all() {
            self.dead.add(DiskStore::Rows, key, parts);
        }
        for key in std::mem::replace(&mut self.leases, leases).all() {
            self.dead.add(DiskStore::Rows, key, 1);
        }
        for (key, parts) in self.wal.truncate(Index(0)) {
            self.dead.add(DiskStore::Wal, key, parts);
        }
        self.rows.clear();
        self.is_meta_due = true;
        for (entries, hard_state, responses) in held {
            self.append(entries, hard_state, responses);
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

#[cfg(test)]
mod tests;
