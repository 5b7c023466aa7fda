//! What a member's disk holds, byte for byte: chunks, WAL rounds, row batches, the meta record.
//!
//! What it is: the encoders and the decoder that rebuilds a member from a [`DiskImage`].
//! What it is not: a disk; rounds are collected in `disk` and written by the driver.
//! Invariants: a chunk has at most [`CHUNK_BYTES_MAX`] bytes and starts with its format and the CRC-32C
//! of the rest; a batch is cut into as many chunks as it needs, all in one transaction;
//! a chunk that is damaged, or a batch with a missing part, is an error and never a guess;
//! the WAL is append-only, and so are rows but for batches that a compaction shrinks or drops.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::io::{DiskImage, DiskPut, DiskStore, Fence};
use crate::membership::Cluster;
use crate::mvcc;
use crate::raft;
use crate::types::{CRC32C, ClusterId, Index, MemberId};

/// Format of every chunk on disk. A reader of a newer format keeps reading the older ones.
const FORMAT: u8 = 1;

/// Largest chunk. Unit: bytes. Source: ours; Chromium keeps values below 64 KiB beside their keys.
pub(crate) const CHUNK_BYTES_MAX: u64 = 60_000;

/// Payload of a chunk: the rest is format (1), checksum (4) and three varints (at most 15 + 5).
const PAYLOAD_BYTES_MAX: usize = 59_960;

/// Key of the one meta record.
pub(crate) const META_KEY: u64 = 1;

/// One record of a WAL round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum WalRecord {
    HardState(raft::HardState),
    /// Entries in order; the first one replaces everything from its index on.
    Entries(Vec<raft::Entry>),
}

/// The small record that is replaced: who the member is and how far its rows go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Meta {
    pub(crate) member: MemberId,
    pub(crate) cluster_id: ClusterId,
    pub(crate) boot: u64,
    /// The rows on disk contain everything up to this entry, and nothing beyond.
    pub(crate) consistent_index: Index,
    pub(crate) conf_state: raft::ConfState,
    pub(crate) cluster: Cluster,
    /// Store revision at `consistent_index`: compaction may have removed the newest rows.
    pub(crate) revision: i64,
    pub(crate) scheduled_compact_revision: Option<i64>,
    pub(crate) finished_compact_revision: Option<i64>,
    /// Bytes allocated for the rows: a restart does not defragment.
    pub(crate) db_size: i64,
}

#[derive(Serialize, Deserialize)]
struct ChunkHead {
    part: u32,
    parts: u32,
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
    /// The settings are impossible.
    #[error("the member cannot be configured: {0}")]
    Config(String),
}

/// A member as its disk has it.
#[derive(Debug, Default)]
pub(crate) struct Recovered {
    pub(crate) meta: Option<Meta>,
    pub(crate) hard_state: raft::HardState,
    pub(crate) entries: Vec<raft::Entry>,
    pub(crate) rows: Vec<mvcc::Row>,
    /// Which rows lie in which batch, so that dead batches can be deleted.
    pub(crate) row_batches: Vec<RowBatch>,
    pub(crate) next_wal_key: u64,
    pub(crate) next_rows_key: u64,
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
    /// These rows, not on disk yet; nothing without rows.
    pub(crate) fn of(rows: &[mvcc::Row]) -> Option<Self> {
        let (first, last) = (rows.first()?.revision, rows.last()?.revision);
        let live_rows = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        Some(Self { key: 0, parts: 0, first, last, live_rows })
    }
}

/// Cuts an encoded batch into chunks with consecutive keys from `first_key` on.
pub(crate) fn chunks(store: DiskStore, first_key: u64, batch: &[u8]) -> Vec<DiskPut> {
    let parts = u32::try_from(batch.len().div_ceil(PAYLOAD_BYTES_MAX).max(1)).unwrap_or(u32::MAX);
    let mut puts = Vec::new();
    let mut pieces = batch.chunks(PAYLOAD_BYTES_MAX);
    for part in 0..parts {
        let piece = pieces.next().unwrap_or(&[]);
        let mut bytes = vec![FORMAT, 0, 0, 0, 0];
        // A head of two small integers always serialises.
        bytes = postcard::to_extend(&ChunkHead { part, parts }, bytes).unwrap_or_default();
        bytes.extend_from_slice(piece);
        let checksum = CRC32C.checksum(bytes.get(5..).unwrap_or_default()).to_le_bytes();
        if let Some(place) = bytes.get_mut(1..5) {
            place.copy_from_slice(&checksum);
        }
        assert!(
            u64::try_from(bytes.len()).is_ok_and(|size| size <= CHUNK_BYTES_MAX),
            "a chunk has {} bytes",
            bytes.len()
        );
        puts.push(DiskPut { store, key: first_key + u64::from(part), bytes: bytes.into() });
    }
    puts
}

fn read_chunk<'a>(
    store: &str,
    key: u64,
    bytes: &'a [u8],
) -> Result<(ChunkHead, &'a [u8]), StartError> {
    let unreadable = |what: String| StartError::Unreadable(format!("{store} record {key}: {what}"));
    let (head, rest) = match bytes {
        [FORMAT, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]), rest),
        [FORMAT, ..] | [] => return Err(unreadable("it is cut short".to_owned())),
        [other, ..] => {
            return Err(unreadable(format!("it has format {other}, this engine reads {FORMAT}")));
        }
    };
    if CRC32C.checksum(rest) != head {
        return Err(unreadable("its checksum does not match".to_owned()));
    }
    postcard::take_from_bytes::<ChunkHead>(rest)
        .map_err(|error| unreadable(format!("its head cannot be read: {error}")))
}

/// Joins the chunks of a store back into batches: (first key, parts, value).
fn batches<T: DeserializeOwned>(
    store: &str,
    chunks: &BTreeMap<u64, Bytes>,
) -> Result<Vec<(u64, u64, T)>, StartError> {
    let mut found = Vec::new();
    let mut chunks = chunks.iter();
    while let Some((first_key, bytes)) = chunks.next() {
        let (head, payload) = read_chunk(store, *first_key, bytes)?;
        if head.part != 0 || head.parts == 0 {
            return Err(StartError::Unreadable(format!(
                "{store} record {first_key}: it is part {} of {}, and the first part is missing",
                head.part, head.parts
            )));
        }
        let mut batch = payload.to_vec();
        for part in 1..head.parts {
            let key = first_key + u64::from(part);
            let Some((_, bytes)) = chunks.next().filter(|(next, _)| **next == key) else {
                return Err(StartError::Unreadable(format!("{store} record {key} is missing")));
            };
            let (next, payload) = read_chunk(store, key, bytes)?;
            if next.part != part || next.parts != head.parts {
                return Err(StartError::Unreadable(format!(
                    "{store} record {key}: it is part {} of {}, expected {part} of {}",
                    next.part, next.parts, head.parts
                )));
            }
            batch.extend_from_slice(payload);
        }
        let value = postcard::from_bytes(&batch).map_err(|error| {
            StartError::Unreadable(format!("{store} record {first_key}: {error}"))
        })?;
        found.push((*first_key, u64::from(head.parts), value));
    }
    Ok(found)
}

/// Reads a whole disk.
pub(crate) fn recover(image: &DiskImage) -> Result<Recovered, StartError> {
    let mut recovered = Recovered { next_wal_key: 1, next_rows_key: 1, ..Recovered::default() };
    for (_, _, meta) in batches::<Meta>("meta", &image.meta)? {
        recovered.meta = Some(meta);
    }
    for (key, parts, records) in batches::<Vec<WalRecord>>("wal", &image.wal)? {
        recovered.next_wal_key = key + parts;
        for record in records {
            match record {
                WalRecord::HardState(hard_state) => recovered.hard_state = hard_state,
                WalRecord::Entries(entries) => append(&mut recovered.entries, entries)?,
            }
        }
    }
    for (key, parts, rows) in batches::<Vec<mvcc::Row>>("rows", &image.rows)? {
        recovered.next_rows_key = key + parts;
        recovered.row_batches.extend(RowBatch::of(&rows).map(|b| RowBatch { key, parts, ..b }));
        recovered.rows.extend(rows);
    }
    if let Some([before, row]) =
        recovered.rows.array_windows().find(|[before, row]| before.revision >= row.revision)
    {
        let (before, row) = (before.revision, row.revision);
        return Err(StartError::Unreadable(format!("row {row} follows row {before}")));
    }
    if let Some(meta) = &recovered.meta {
        let commit = recovered.hard_state.commit.max(meta.consistent_index);
        recovered.hard_state.commit = commit;
        let last = recovered.entries.last().map_or(Index(0), |entry| entry.index);
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

fn append(log: &mut Vec<raft::Entry>, entries: Vec<raft::Entry>) -> Result<(), StartError> {
    let Some(first) = entries.first() else { return Ok(()) };
    let next = u64::try_from(log.len()).unwrap_or(u64::MAX) + 1;
    if first.index.0 == 0 || first.index.0 > next {
        return Err(StartError::Unreadable(format!(
            "entry {} follows entry {}",
            first.index,
            next - 1
        )));
    }
    log.truncate(usize::try_from(first.index.0 - 1).unwrap_or(usize::MAX));
    for (entry, expected) in entries.into_iter().zip(first_index_on(log)) {
        if entry.index.0 != expected {
            return Err(StartError::Unreadable(format!(
                "entry {} stands where entry {expected} should",
                entry.index
            )));
        }
        log.push(entry);
    }
    Ok(())
}

fn first_index_on(log: &[raft::Entry]) -> std::ops::RangeFrom<u64> {
    (u64::try_from(log.len()).unwrap_or(u64::MAX) + 1)..
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
    let mut newest: BTreeMap<Bytes, mvcc::Revision> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.revision.main <= compacted) {
        let found = newest.entry(row.kv.key.clone()).or_insert(row.revision);
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
    let last = recovered
        .entries
        .last()
        .map_or((crate::types::Term(0), Index(0)), |entry| (entry.term, entry.index));
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
    } else if last < (fence.last_log_term, fence.last_log_index) {
        Some(format!(
            "its log ends at entry {} of term {}, the fence has entry {} of term {}",
            last.1, last.0, fence.last_log_index, fence.last_log_term
        ))
    } else {
        None
    };
    what.map_or(Ok(()), |what| Err(StartError::RolledBack(what)))
}
