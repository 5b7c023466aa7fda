//! Rebuilds a member from its disk.
//!
//! What it is: reads the chunks of a [`DiskImage`], puts log and rows together, and holds them against
//! the fence.
//! What it is not: a repair; what cannot be read is an error and never a guess.
//! Invariants: the log has no gap and begins right after the meta record's `log_base`; rows of another
//! generation than the meta record's are orphans and never read.

use bytes::Bytes;

use super::io::{DiskImage, Fence, REMOVED_TEXT};
use super::record::{GENERATION_SHIFT, Meta, WalRecord, batches, first_lease_key, first_rows_key};
use crate::lease::StoredLease;
use crate::mvcc;
use crate::raft;
use crate::types::{BigMap, Index};

impl DiskImage {
    /// The keys of the rows and leases that a start reads: those of the generation that counts.
    #[must_use]
    pub fn keys_that_count(&self) -> Vec<u64> {
        let meta = batches("meta", self.meta.iter()).ok();
        let meta = meta.and_then(|found| found.last().and_then(|batch| batch.read_meta().ok()));
        let generation = meta.map_or(0, |meta| meta.generation);
        let range = first_rows_key(generation)..first_rows_key(generation + 1);
        self.rows.range(range).map(|(key, _)| *key).collect()
    }
}

/// Why a disk cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The disk holds less than it once acknowledged.
    #[error("the disk was rolled back: {0}")]
    RolledBack(String),
    /// A record is damaged.
    #[error("the disk cannot be read: {0}")]
    Unreadable(String),
    /// The disk belongs to another member.
    #[error("the disk belongs to another member: {0}")]
    WrongIdentity(String),
    /// It was a member once.
    #[error("{REMOVED_TEXT}")]
    Removed,
    /// The settings are impossible.
    #[error("the member cannot be configured: {0}")]
    Config(String),
}

/// A member as its disk has it.
#[derive(Debug, Default)]
pub(crate) struct Recovered {
    pub(crate) meta: Option<Meta>,
    pub(crate) hard_state: raft::HardState,
    /// The log, from just above the meta record's `log_base` on.
    pub(crate) entries: Vec<raft::Entry>,
    pub(crate) rows: Vec<mvcc::Row>,
    /// Batches of the WAL, in order: first key, chunks, and the last entry that counts.
    pub(crate) wal_batches: Vec<WalBatch>,
    /// Which rows lie in which batch, so that dead batches can be deleted.
    pub(crate) row_batches: Vec<RowBatch>,
    /// Leases, and the key of each, in the order of the keys.
    pub(crate) leases: Vec<(u64, StoredLease)>,
    /// Chunks of other generations: an install that did not end, or what it replaced.
    pub(crate) orphans: Vec<u64>,
    pub(crate) next_wal_key: u64,
    pub(crate) next_rows_key: u64,
    /// Above every generation there is a chunk of.
    pub(crate) next_generation: u64,
}

impl Recovered {
    /// The entry that the log begins after.
    pub(crate) fn log_base(&self) -> raft::EntryId {
        self.meta.as_ref().map(|meta| meta.log_base).unwrap_or_default()
    }

    /// The last entry of the log, or what it begins after.
    pub(crate) fn last_id(&self) -> raft::EntryId {
        self.entries.last().map_or_else(|| self.log_base(), raft::Entry::id)
    }
}

/// Where a batch of the WAL lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WalBatch {
    pub(crate) key: u64,
    pub(crate) parts: u64,
    /// The last entry in it that no later batch replaced; 0 if there is none.
    pub(crate) last: Index,
}

/// Where a batch of rows lies, and how many of its rows are still wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowBatch {
    /// Of its first chunk.
    pub(crate) key: u64,
    pub(crate) parts: u64,
    pub(crate) first: mvcc::Revision,
    pub(crate) last: mvcc::Revision,
    pub(crate) live_rows: u64,
}

impl RowBatch {
    /// These rows in chunks from `key` on; nothing without rows.
    pub(crate) fn of(rows: &[mvcc::Row], key: u64, parts: u64) -> Option<Self> {
        let (first, last) = (rows.first()?.revision, rows.last()?.revision);
        let live_rows = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        Some(Self { key, parts, first, last, live_rows })
    }
}

/// Reads a whole disk.
pub(crate) fn recover(image: &DiskImage) -> Result<Recovered, StartError> {
    let mut recovered = Recovered { next_wal_key: 1, ..Recovered::default() };
    for batch in batches("meta", image.meta.iter())? {
        recovered.meta = Some(batch.read_meta()?);
    }
    recover_log(&mut recovered, image)?;
    recover_rows(&mut recovered, image)?;
    if let Some(meta) = &recovered.meta {
        let commit = recovered.hard_state.commit.max(meta.state.index);
        recovered.hard_state.commit = commit;
        let last = recovered.last_id().index;
        if commit > last {
            return Err(StartError::Unreadable(format!(
                "entries end at {last}, but {commit} is committed"
            )));
        }
    } else if !image.is_empty() {
        return Err(StartError::Unreadable("the meta record is missing".to_owned()));
    }
    Ok(recovered)
}

fn recover_log(recovered: &mut Recovered, image: &DiskImage) -> Result<(), StartError> {
    let mut log = RecoveredLog { base: recovered.log_base().index, entries: Vec::new() };
    let mut read = Vec::new();
    for batch in batches("wal", image.wal.iter())? {
        recovered.next_wal_key = batch.key + batch.parts;
        read.push((batch.key, batch.parts, batch.read::<Vec<WalRecord>>("wal")?));
    }
    let is_snapshot = |record: &WalRecord| matches!(record, WalRecord::Snapshot(_));
    let last_snapshot = read.iter().rposition(|(_, _, records)| records.iter().any(is_snapshot));
    for (position, (key, parts, records)) in read.into_iter().enumerate() {
        let is_void = last_snapshot.is_some_and(|snapshot| position < snapshot);
        let mut written = WalBatch { key, parts, last: Index(0) };
        for record in records {
            match record {
                WalRecord::HardState(hard_state) => recovered.hard_state = hard_state,
                WalRecord::Entries(_) if is_void => {}
                WalRecord::Entries(entries) => {
                    if let (Some(first), Some(last)) = (entries.first(), entries.last()) {
                        replaced_from(&mut recovered.wal_batches, first.index);
                        written.last = last.index;
                    }
                    log.append(entries)?;
                }
                WalRecord::Snapshot(_) => {
                    log.entries.clear();
                    replaced_from(&mut recovered.wal_batches, Index(0));
                    written.last = Index(0);
                }
            }
        }
        recovered.wal_batches.push(written);
    }
    recovered.entries = log.entries;
    Ok(())
}

/// Entries from `first` on were written again: older batches do not count for them any more.
pub(crate) fn replaced_from<'a>(
    batches: impl IntoIterator<Item = &'a mut WalBatch, IntoIter: DoubleEndedIterator>,
    first: Index,
) {
    for batch in batches.into_iter().rev() {
        if batch.last != Index(0) && batch.last < first {
            break;
        }
        batch.last = batch.last.min(first.saturating_prev());
    }
}

fn recover_rows(recovered: &mut Recovered, image: &DiskImage) -> Result<(), StartError> {
    let generation = recovered.meta.as_ref().map_or(0, |meta| meta.generation);
    let (first, end) = (first_rows_key(generation), first_rows_key(generation + 1));
    let leases = first_lease_key(generation);
    let newest = image.rows.last_key_value().map_or(0, |(key, _)| key >> GENERATION_SHIFT);
    recovered.next_generation = newest.max(generation) + 1;
    recovered.next_rows_key = first;
    recovered.orphans =
        image.rows.keys().filter(|key| !(first..end).contains(*key)).copied().collect();
    for batch in batches("lease", image.rows.range(leases..end))? {
        recovered.leases.push((batch.key, batch.read("lease")?));
    }
    for batch in batches("rows", image.rows.range(first..leases))? {
        recovered.next_rows_key = batch.key + batch.parts;
        let rows: Vec<mvcc::Row> = batch.read("rows")?;
        recovered.row_batches.extend(RowBatch::of(&rows, batch.key, batch.parts));
        recovered.rows.extend(rows);
    }
    match not_rising(&recovered.rows) {
        Some((before, row)) => {
            Err(StartError::Unreadable(format!("row {row} follows row {before}")))
        }
        None => Ok(()),
    }
}

/// The first two rows that stand in the wrong order.
pub(crate) fn not_rising(rows: &[mvcc::Row]) -> Option<(mvcc::Revision, mvcc::Revision)> {
    let mut pairs = rows.array_windows();
    let [before, row] = pairs.find(|[before, row]| before.revision >= row.revision)?;
    Some((before.revision, row.revision))
}

/// The log as it is put together; entries up to `base` are passed over.
struct RecoveredLog {
    base: Index,
    entries: Vec<raft::Entry>,
}

impl RecoveredLog {
    fn next(&self) -> Index {
        self.entries.last().map_or(self.base, |entry| entry.index).next()
    }

    fn append(&mut self, entries: Vec<raft::Entry>) -> Result<(), StartError> {
        let Some(first) = entries.first() else { return Ok(()) };
        if first.index == Index(0) || first.index > self.next() {
            return Err(StartError::Unreadable(format!(
                "entry {} follows entry {}",
                first.index,
                self.next().saturating_prev()
            )));
        }
        let kept = first.index.0.saturating_sub(self.base.0).saturating_sub(1);
        self.entries.truncate(usize::try_from(kept).unwrap_or(usize::MAX));
        let mut expected = first.index;
        for entry in entries {
            if entry.index != expected {
                return Err(StartError::Unreadable(format!(
                    "entry {} stands where entry {expected} should",
                    entry.index
                )));
            }
            expected = expected.next();
            if entry.index > self.base {
                self.entries.push(entry);
            }
        }
        Ok(())
    }
}

/// Splits off the rows that a scheduled compaction removes: a crash in the middle of one leaves some of
/// them on disk, and batches that still have a live row keep their dead ones.
///
/// Kept of each key: everything after `compacted`, and the newest row up to it unless that is an older
/// tombstone. Source: etcd keeps a tombstone exactly at the compacted revision for watchers.
pub(crate) fn split_compacted(
    rows: Vec<mvcc::Row>,
    compacted: i64,
) -> (Vec<mvcc::Row>, Vec<mvcc::Revision>) {
    let mut newest: BigMap<Bytes, mvcc::Revision> = BigMap::new();
    for row in rows.iter().filter(|row| row.revision.main <= compacted) {
        let found = newest.get_or_insert_with(row.kv.key.clone(), || row.revision);
        *found = (*found).max(row.revision);
    }
    let (mut kept, mut removed) = (Vec::new(), Vec::new());
    for row in rows {
        let is_newest = newest.get(&row.kv.key) == Some(&row.revision);
        let is_old_tombstone = row.is_tombstone && row.revision.main < compacted;
        if row.revision.main > compacted || (is_newest && !is_old_tombstone) {
            kept.push(row);
        } else {
            removed.push(row.revision);
        }
    }
    (kept, removed)
}

/// Holds what the disk says against what the fence says.
///
/// # Errors
/// [`StartError::RolledBack`] with the first difference.
pub(crate) fn check_fence(recovered: &Recovered, fence: &Fence) -> Result<(), StartError> {
    let boot = recovered.meta.as_ref().map_or(0, |meta| meta.boot);
    let hard_state = &recovered.hard_state;
    let last = recovered.last_id();
    let what = if recovered.meta.is_none() && *fence != Fence::default() {
        Some("it is empty, but this member has stored data here".to_owned())
    } else if boot < fence.boot {
        Some(format!("it knows boot {boot}, the fence has boot {}", fence.boot))
    } else if hard_state.term < fence.term {
        Some(format!("it knows term {}, the fence has term {}", hard_state.term, fence.term))
    } else if hard_state.commit < fence.commit {
        Some(format!("it has {} committed, the fence has {}", hard_state.commit, fence.commit))
    } else if hard_state.term == fence.term && fence.vote.is_some() && hard_state.vote != fence.vote
    {
        Some(format!("its vote in term {} differs from the fence's", fence.term))
    } else if recovered.next_wal_key < fence.wal_end {
        Some(format!(
            "its log ends at entry {} of term {}, the fence has entry {} of term {}",
            last.index, last.term, fence.last_log_index, fence.last_log_term
        ))
    } else {
        None
    };
    what.map_or(Ok(()), |what| Err(StartError::RolledBack(what)))
}

#[cfg(test)]
mod tests;
