//! Collects what must go to disk into rounds: group commit.
//!
//! What it is: pending WAL records, pending rows and the messages that wait for them; one round in
//! flight, the next one collecting meanwhile.
//! What it is not: a disk.
//! Invariants: a message that depends on a record is released only after the record's round completed;
//! rounds complete in order; rows go to disk in the order of their revisions; rows go with a WAL round, or alone after [`ROWS_WAIT_TICKS`];
//! a hard state that changes only its commit makes no round of its own.

use super::io::{DiskStore, Fence, Round, Ticket};
use super::record::{self, Meta, RowBatch, WalRecord};
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
    /// The batches on disk with a live row, in the order of their rows.
    batches: Vec<RowBatch>,
    dead: Vec<(DiskStore, u64)>,
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
            self.pending.hard_state = Some(hard_state);
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
        if self.has_wal || self.in_flight.is_some() {
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

    /// These rows were removed by compaction; a row is removed once.
    pub(crate) fn compacted(&mut self, removed: &[mvcc::Revision]) {
        for revision in removed {
            let at = self.batches.partition_point(|batch| batch.last < *revision);
            // One that is not on disk yet is in no batch.
            let Some(batch) = self.batches.get_mut(at) else { continue };
            if batch.first > *revision || batch.live_rows == 0 {
                continue;
            }
            batch.live_rows -= 1;
            if batch.live_rows == 0 {
                let keys = batch.key..batch.key + batch.parts;
                self.dead.extend(keys.map(|key| (DiskStore::Rows, key)));
            }
        }
        self.batches.retain(|batch| batch.live_rows > 0);
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

    /// Writes rows as one round and lets it land; gives the row keys that it deletes.
    fn write(disk: &mut Disk, image: &mut DiskImage, revisions: &[i64]) -> Vec<u64> {
        disk.applied(revisions.iter().map(|main| row(*main)).collect());
        let round = disk.next_round(&Meta::default());
        disk.persisted(round.ticket).expect("the round was in flight");
        image.apply(&round);
        round.deletes.iter().map(|(_, key)| *key).collect()
    }

    #[test]
    fn a_batch_is_deleted_once_its_last_row_is_compacted() {
        let (mut disk, mut image) = (Disk::default(), DiskImage::default());
        disk.next_rows_key = 1;
        assert_eq!(write(&mut disk, &mut image, &[2, 3]), [0; 0]);
        assert_eq!(write(&mut disk, &mut image, &[4]), [0; 0]);
        assert_eq!(write(&mut disk, &mut image, &[6, 8, 9]), [0; 0]);
        disk.applied(vec![row(10)]);
        // 10 is not on disk yet.
        disk.compacted(&[2, 4, 6, 8, 10].map(revision));
        assert_eq!(write(&mut disk, &mut image, &[11]), [2], "only the batch of 4 is dead");
        disk.compacted(&[revision(3)]);
        assert_eq!(write(&mut disk, &mut image, &[]), [1]);

        let recovered = record::recover(&image).expect("it can be read");
        let mut disk = Disk::new(&recovered, 2);
        disk.compacted(&[6, 8].map(revision));
        assert_eq!(write(&mut disk, &mut image, &[]), [0; 0], "9 is alive");
        disk.compacted(&[revision(9)]);
        assert_eq!(write(&mut disk, &mut image, &[]), [3]);
        disk.compacted(&[10, 11].map(revision));
        assert_eq!(write(&mut disk, &mut image, &[12]), [4]);
        let live: Vec<u64> = image.rows.keys().copied().collect();
        assert_eq!(live, [5]);
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
