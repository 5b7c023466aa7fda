//! What a member's disk holds, byte for byte: chunks, WAL rounds, row batches, the meta record.
//!
//! What it is: the formats, and how batches are cut into chunks and joined again.
//! What it is not: a disk (rounds are collected in `disk` and written by the driver), or the meaning of
//! what is read (see `recover`).
//! Invariants: a chunk has at most [`CHUNK_BYTES_MAX`] bytes and starts with its format and the CRC-32C
//! of that and the rest; a batch is cut into as many chunks as it needs, all in one transaction;
//! a chunk that is damaged, or a batch with a missing part, is an error and never a guess;
//! the WAL is append-only, and so are rows but for batches that a compaction shrinks or drops; a lease is a
//! chunk of its own that is replaced; rows and leases lie in generations, and only the one that the meta
//! record names counts.

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::applied_state::AppliedState;
use super::io::{DiskPut, DiskStore};
use super::recover::StartError;
use crate::auth::AuthState;
use crate::membership::Cluster;
use crate::raft;
use crate::types::{CRC32C, ClusterId, Index, MemberId};

/// Format of every chunk on disk. A reader of a newer format keeps reading the older ones.
///
/// 1: the log is whole, rows have one generation. 2: the meta record knows where the log begins.
/// 3: leases lie beside the rows, the meta record has users and roles, and the checksum covers the format, too.
const FORMAT: u8 = 3;

/// The oldest format that is read.
const FORMAT_OLDEST: u8 = 1;

/// A format whose meta record lacks nothing but users and roles, and the last one whose checksum leaves itself out.
const FORMAT_WITHOUT_AUTH: u8 = 2;

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
    /// A leader's snapshot took the place of the log: everything before this record is void, and the
    /// next entry follows this one.
    Snapshot(raft::EntryId),
}

/// The small record that is replaced: who the member is and how far its rows go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Meta {
    pub(crate) member: MemberId,
    pub(crate) cluster_id: ClusterId,
    pub(crate) boot: u64,
    /// The log on disk begins after this entry.
    pub(crate) log_base: raft::EntryId,
    /// The applied index when the log was compacted last, or that of the snapshot installed since.
    pub(crate) snapshot_index: Index,
    /// Which generation of rows counts.
    pub(crate) generation: u64,
    /// The rows on disk contain everything up to `state.index`, and nothing beyond.
    pub(crate) state: AppliedState,
    /// Users and roles; last, since format 2 ends before it.
    pub(crate) auth: AuthState,
}

/// The meta record of format 1.
#[derive(Serialize, Deserialize)]
struct MetaOfFormat1 {
    member: MemberId,
    cluster_id: ClusterId,
    boot: u64,
    consistent_index: Index,
    conf_state: raft::ConfState,
    cluster: Cluster,
    revision: i64,
    scheduled_compact_revision: Option<i64>,
    finished_compact_revision: Option<i64>,
    db_size: i64,
}

impl From<MetaOfFormat1> for Meta {
    fn from(old: MetaOfFormat1) -> Self {
        Self {
            member: old.member,
            cluster_id: old.cluster_id,
            boot: old.boot,
            log_base: raft::EntryId::default(),
            snapshot_index: Index(0),
            generation: 0,
            state: AppliedState {
                index: old.consistent_index,
                conf_state: old.conf_state,
                cluster: old.cluster,
                revision: old.revision,
                compact_revision: old.scheduled_compact_revision,
                db_size: old.db_size,
                ..AppliedState::default()
            },
            auth: AuthState::default(),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct ChunkHead {
    part: u32,
    parts: u32,
}

/// Bits of a row chunk's key below its generation: 2^32 chunks in each of 2^21 generations.
pub(crate) const GENERATION_SHIFT: u32 = 32;

/// The first key of a generation's chunks.
pub(crate) const fn first_rows_key(generation: u64) -> u64 {
    (generation << GENERATION_SHIFT) + 1
}

/// The first key of a generation's leases: above all chunks of its rows.
pub(crate) const fn first_lease_key(generation: u64) -> u64 {
    (generation << GENERATION_SHIFT) + (1 << (GENERATION_SHIFT - 1))
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
        let checksum = checksum(FORMAT, bytes.get(5..).unwrap_or_default()).to_le_bytes();
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

/// What a chunk has between its format and the rest.
fn checksum(format: u8, rest: &[u8]) -> u32 {
    if format <= FORMAT_WITHOUT_AUTH {
        return CRC32C.checksum(rest);
    }
    let mut digest = CRC32C.digest();
    digest.update(&[format]);
    digest.update(rest);
    digest.finalize()
}

fn read_chunk<'a>(
    store: &str,
    key: u64,
    bytes: &'a [u8],
) -> Result<(u8, ChunkHead, &'a [u8]), StartError> {
    let unreadable = |what: String| StartError::Unreadable(format!("{store} record {key}: {what}"));
    let (format, expected, rest) = match bytes {
        [format @ FORMAT_OLDEST..=FORMAT, a, b, c, d, rest @ ..] => {
            (*format, u32::from_le_bytes([*a, *b, *c, *d]), rest)
        }
        [FORMAT_OLDEST..=FORMAT, ..] | [] => return Err(unreadable("it is cut short".to_owned())),
        [other, ..] => {
            return Err(unreadable(format!(
                "it has format {other}, this engine reads {FORMAT_OLDEST} to {FORMAT}"
            )));
        }
    };
    if checksum(format, rest) != expected {
        return Err(unreadable("its checksum does not match".to_owned()));
    }
    postcard::take_from_bytes::<ChunkHead>(rest)
        .map(|(head, payload)| (format, head, payload))
        .map_err(|error| unreadable(format!("its head cannot be read: {error}")))
}

/// A batch of chunks put together again.
pub(crate) struct Batch {
    pub(crate) key: u64,
    pub(crate) parts: u64,
    format: u8,
    bytes: Vec<u8>,
}

impl Batch {
    pub(crate) fn read<T: DeserializeOwned>(&self, store: &str) -> Result<T, StartError> {
        postcard::from_bytes(&self.bytes).map_err(|error| {
            StartError::Unreadable(format!("{store} record {}: {error}", self.key))
        })
    }

    /// The meta record, of any format that is read.
    pub(crate) fn read_meta(&self) -> Result<Meta, StartError> {
        if self.format == FORMAT_OLDEST {
            return Ok(self.read::<MetaOfFormat1>("meta")?.into());
        }
        if self.format == FORMAT_WITHOUT_AUTH {
            let mut bytes = self.bytes.clone();
            bytes.extend(super::disk::encode(&AuthState::default()));
            return Self { key: self.key, parts: self.parts, format: FORMAT, bytes }.read("meta");
        }
        self.read("meta")
    }
}

/// Joins the chunks of a store back into batches.
pub(crate) fn batches<'a>(
    store: &str,
    chunks: impl Iterator<Item = (&'a u64, &'a Bytes)>,
) -> Result<Vec<Batch>, StartError> {
    let mut found = Vec::new();
    let mut chunks = chunks;
    while let Some((first_key, bytes)) = chunks.next() {
        let (format, head, payload) = read_chunk(store, *first_key, bytes)?;
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
            let (_, next, payload) = read_chunk(store, key, bytes)?;
            if next.part != part || next.parts != head.parts {
                return Err(StartError::Unreadable(format!(
                    "{store} record {key}: it is part {} of {}, expected {part} of {}",
                    next.part, next.parts, head.parts
                )));
            }
            batch.extend_from_slice(payload);
        }
        found.push(Batch { key: *first_key, parts: head.parts.into(), format, bytes: batch });
    }
    Ok(found)
}
