//! A log as a chain of hashes, kept up to date with little work.
//!
//! What it is: one point per index: the term there, and a hash over everything up to there. Equal hashes mean equal
//! logs.
//! What it is not: the entries.
//! Invariants: index i stands at position i - 1; points below a compacted log are those of the committed chain.

use crate::raft::{Entry, EntryType};
use crate::types::{Index, Term};

/// One index of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) term: Term,
    pub(super) chain: u64,
}

fn mix(hash: u64, number: u64) -> u64 {
    let mut mixed = (hash ^ number).wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// The point of an entry after the chain so far.
pub(super) fn after(chain: u64, entry: &Entry) -> Point {
    let kind = match entry.entry_type {
        EntryType::Normal => 0,
        EntryType::ConfChange => 1,
        EntryType::ConfChangeV2 => 2,
    };
    let hash = mix(mix(mix(chain, entry.term.0), entry.index.0), kind);
    Point { term: entry.term, chain: mix_bytes(hash, &entry.data) }
}

/// Mixes bytes, and how many they are, into a hash.
pub(super) fn mix_bytes(hash: u64, bytes: &[u8]) -> u64 {
    let mut hash = hash;
    for bytes in bytes.chunks(8) {
        let mut word = [0_u8; 8];
        for (to, from) in word.iter_mut().zip(bytes) {
            *to = *from;
        }
        hash = mix(hash, u64::from_le_bytes(word));
    }
    mix(hash, bytes.len() as u64)
}

/// Where an index stands.
pub(super) fn position(index: Index) -> Option<usize> {
    usize::try_from(index.0.checked_sub(1)?).ok()
}

/// The index of the last of so many.
pub(super) fn last_of(count: usize) -> Index {
    Index(u64::try_from(count).unwrap_or(u64::MAX))
}

/// The index of the last point.
pub(super) fn last(points: &[Point]) -> Index {
    last_of(points.len())
}

/// The point at an index.
pub(super) fn at(points: &[Point], index: Index) -> Option<&Point> {
    points.get(position(index)?)
}

/// A log as it stands now.
pub(super) trait Log {
    /// What it begins after.
    fn base(&self) -> Index;
    /// Its last index.
    fn last_index(&self) -> Index;
    /// The term at an index; `None` outside of it.
    fn term_of(&self, index: Index) -> Option<Term>;
    /// Entries from an index to the last.
    fn entries_from(&self, index: Index) -> Vec<Entry>;
}

/// Makes `points` follow `log`. Gives back the index of the last point that stayed, and the new entries.
///
/// `committed` gives the point of an index that the log does not have any more.
pub(super) fn follow(
    points: &mut Vec<Point>,
    log: &impl Log,
    committed: impl Fn(Index) -> Option<Point>,
) -> (Index, Vec<Entry>) {
    let end = log.last_index();
    if last(points) == end && points.last().map(|point| point.term) == log.term_of(end) {
        return (end, Vec::new());
    }
    let mut keep = last(points).min(end);
    while keep > Index(0) {
        match (log.term_of(keep), at(points, keep)) {
            (Some(term), Some(point)) if term != point.term => keep = keep.saturating_prev(),
            _ => break,
        }
    }
    points.truncate(usize::try_from(keep.0).unwrap_or(usize::MAX));
    // What the log does not have any more was committed, whatever stood here before a snapshot replaced it.
    let base = log.base().min(keep);
    if committed(base).is_some_and(|known| at(points, base) != Some(&known)) {
        while keep > Index(0) && at(points, keep).copied() != committed(keep) {
            keep = keep.saturating_prev();
        }
        points.truncate(usize::try_from(keep.0).unwrap_or(usize::MAX));
    }
    let mut entries = log.entries_from(keep.next());
    // A snapshot has taken the place of entries that were never here.
    while entries.is_empty() && last(points) < end {
        let Some(point) = committed(last(points).next()) else { break };
        points.push(point);
        entries = log.entries_from(last(points).next());
    }
    for entry in &entries {
        let chain = points.last().map_or(0, |point| point.chain);
        points.push(after(chain, entry));
    }
    (keep, entries)
}
