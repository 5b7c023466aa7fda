//! Collects what must go to disk into rounds: group commit.
//!
//! What it is: pending WAL records, pending rows and the messages that wait for them; one round in
//! flight, the next one collecting meanwhile.
//! What it is not: a disk.
//! Invariants: a message that depends on a record is released only after the record's round completed;
//! rounds complete in order; rows go to disk in the order of their revisions, with a WAL round, or alone after
//! [`ROWS_WAIT_TICKS`]; no row that a compaction removed stays on disk when another one of that compaction has gone;
//! a hard state that changes only its commit makes no round of its own.

use super::io::{DiskStore, Fence, Round, Ticket};
use super::record::{self, Meta, RowBatch, WalRecord};
use crate::mutant::{self, Mutant};
use crate::mvcc;
use crate::raft;
use crate::types::{Index, SmallMap, SmallSet, Term};

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
    /// The batches on disk with a live row, in the order of their rows.
    batches: Vec<RowBatch>,
    /// What is left of batches that lost rows; each replaces its batch with the next rows.
    rests: SmallMap<u64, Vec<mvcc::Row>>,
    /// What the disk holds when every round handed out has landed.
    fence: Fence,
    last_hard_state: raft::HardState,
}

impl Disk {
    pub(crate) fn new(recovered: &record::Recovered, boot: u64) -> Self {
        let last = recovered.entries.last();
        let hard_state = recovered.hard_state;
        Self {
            next_wal_key: recovered.next_wal_key,
            next_rows_key: recovered.next_rows_key,
            batches: recovered.row_batches.clone(),
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

    /// Keeps a message back until the round that is collecting has landed.
    ///
    /// A candidate asks for votes only once its term and its own vote are on disk: with the votes of the others it may
    /// lead before its own counts, and one that then forgot the term could lead the same term a second time.
    pub(crate) fn hold(&mut self, message: raft::Message) {
        self.pending.responses.push(message);
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

    /// These rows were removed from `store` by compaction; a row is removed once, and none of them may stay on disk.
    ///
    /// A batch that loses some of its rows is replaced by what is left of it, in the same transaction.
    /// If it stayed until its last row is dead, the row of a deleted key could outlive the tombstone in a later batch,
    /// and the key would be back after a restart.
    pub(crate) fn compacted(&mut self, removed: &[mvcc::Revision], store: &mvcc::WatchableStore) {
        let on_disk = self.batches.last().map(|batch| batch.last);
        self.rows.retain(|row| store.row(row.revision).is_some());
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
            let Some(batch) = self.batches.get_mut(*at) else { continue };
            let rest: Vec<mvcc::Row> =
                store.rows_between(batch.first..=batch.last).cloned().collect();
            assert_eq!(count(&rest), batch.live_rows, "the batch of row {}", batch.first);
            self.rests.insert(batch.key, rest);
        }
        self.is_meta_due |= !touched.is_empty();
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
        self.put_rests(round);
        let rows = std::mem::take(&mut self.rows);
        if let Some(mut batch) = RowBatch::of(&rows) {
            let last = self.batches.last().map(|before| before.last);
            assert!(last < Some(batch.first), "row {} after row {last:?}", batch.first);
            let key = self.next_rows_key;
            let puts = record::chunks(DiskStore::Rows, key, &encode(&rows));
            self.next_rows_key += count(&puts);
            (batch.key, batch.parts) = (key, count(&puts));
            self.batches.push(batch);
            round.puts.extend(puts);
        }
        round.puts.extend(record::chunks(DiskStore::Meta, record::META_KEY, &encode(meta)));
    }

    /// Replaces the batches that lost rows, each in its place.
    fn put_rests(&mut self, round: &mut Round) {
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

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::etcdserver::DiskImage;

    fn revision(main: i64) -> mvcc::Revision {
        mvcc::Revision::new(main, 0)
    }

    fn row(main: i64) -> mvcc::Row {
        let kv = crate::api::KeyValue { key: Bytes::from_static(b"k"), ..Default::default() };
        mvcc::Row { revision: revision(main), kv, is_tombstone: false }
    }

    /// A store in which these rows are alive, each of a key of its own.
    fn store(live: &[i64]) -> mvcc::WatchableStore {
        let rows = live.iter().map(|main| {
            let key = Bytes::from(main.to_string());
            let kv = crate::api::KeyValue {
                key,
                create_revision: *main,
                mod_revision: *main,
                version: 1,
                ..Default::default()
            };
            mvcc::Row { revision: revision(*main), kv, is_tombstone: false }
        });
        mvcc::WatchableStore::restore(rows, None, None, 100).expect("the rows fit")
    }

    /// Writes rows as one round and lets it land; gives the row keys that it puts and that it deletes.
    fn write(disk: &mut Disk, image: &mut DiskImage, revisions: &[i64]) -> (Vec<u64>, Vec<u64>) {
        disk.applied(revisions.iter().map(|main| row(*main)).collect());
        let round = disk.next_round(&Meta::default());
        disk.persisted(round.ticket).expect("the round was in flight");
        image.apply(&round);
        let is_row = |put: &&super::super::io::DiskPut| put.store == DiskStore::Rows;
        let puts = round.puts.iter().filter(is_row).map(|put| put.key).collect();
        (puts, round.deletes.iter().map(|(_, key)| *key).collect())
    }

    fn on_disk(image: &DiskImage) -> Vec<i64> {
        let recovered = record::recover(image).expect("it can be read");
        recovered.rows.iter().map(|row| row.revision.main).collect()
    }

    #[test]
    fn a_batch_that_loses_rows_is_replaced_in_its_place_and_goes_with_its_last_row() {
        let (mut disk, mut image) = (Disk::default(), DiskImage::default());
        disk.next_rows_key = 1;
        assert_eq!(write(&mut disk, &mut image, &[2, 3]), (vec![1], vec![]));
        assert_eq!(write(&mut disk, &mut image, &[4]), (vec![2], vec![]));
        assert_eq!(write(&mut disk, &mut image, &[6, 8, 9]), (vec![3], vec![]));
        disk.applied(vec![row(10)]);
        // 10 is not on disk yet, and never gets there.
        disk.compacted(&[2, 4, 6, 8, 10].map(revision), &store(&[3, 9]));
        assert_eq!(write(&mut disk, &mut image, &[11]), (vec![1, 3, 4], vec![2]));
        assert_eq!(on_disk(&image), [3, 9, 11]);
        disk.compacted(&[revision(3)], &store(&[9, 11]));
        assert_eq!(write(&mut disk, &mut image, &[]), (vec![], vec![1]));

        let recovered = record::recover(&image).expect("it can be read");
        let mut disk = Disk::new(&recovered, 2);
        disk.compacted(&[revision(9)], &store(&[11]));
        assert_eq!(write(&mut disk, &mut image, &[12]), (vec![5], vec![3]));
        assert_eq!(on_disk(&image), [11, 12]);
    }

    #[test]
    fn two_compactions_between_rounds_leave_what_the_second_one_leaves() {
        let (mut disk, mut image) = (Disk::default(), DiskImage::default());
        disk.next_rows_key = 1;
        write(&mut disk, &mut image, &[2, 3, 4]);
        disk.compacted(&[revision(2)], &store(&[3, 4]));
        disk.compacted(&[revision(3)], &store(&[4]));
        assert_eq!(write(&mut disk, &mut image, &[]), (vec![1], vec![]));
        assert_eq!(on_disk(&image), [4]);
    }

    #[test]
    fn chunks_that_a_replaced_batch_needs_no_more_are_deleted() {
        let (mut disk, mut image) = (Disk::default(), DiskImage::default());
        disk.next_rows_key = 1;
        let mut large = row(2);
        large.kv.value = Bytes::from(vec![b'x'; 130_000]);
        disk.applied(vec![large]);
        assert_eq!(write(&mut disk, &mut image, &[3]), (vec![1, 2, 3], vec![]));
        disk.compacted(&[revision(2)], &store(&[3]));
        assert_eq!(write(&mut disk, &mut image, &[]), (vec![1], vec![2, 3]));
        assert_eq!(on_disk(&image), [3]);
    }

    #[test]
    fn rows_that_do_not_rise_make_a_disk_unreadable() {
        for revisions in [[3, 3], [4, 3]] {
            let mut image = DiskImage::default();
            for (key, main) in (1..).zip(revisions) {
                let puts = record::chunks(DiskStore::Rows, key, &encode(&vec![row(main)]));
                image.apply(&Round { puts, ..Round::default() });
            }
            let error = record::recover(&image).expect_err("it is damaged").to_string();
            let expected = format!("row {} follows row {}", revision(3), revision(revisions[0]));
            assert!(error.contains(&expected), "{error}");
        }
    }
}
