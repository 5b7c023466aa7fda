//! The part of the log that is not known to be durable yet.
//!
//! What it is: entries above `offset` and perhaps a snapshot, each either waiting to be handed to
//! storage or in progress there.
//! What it is not: storage.
//! Invariants: `entries[i].index == offset + i`; `offset <= offset_in_progress <= offset + len`;
//! entries in progress are never changed without moving `offset_in_progress` back.
//! Source: behaviour of etcd-io/raft `log_unstable.go`.

use super::entry::{Entry, EntryId};
use super::state::Snapshot;
use crate::types::{Index, Term};

/// Entries and snapshot on their way to storage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unstable {
    snapshot: Option<Snapshot>,
    snapshot_in_progress: bool,
    entries: Vec<Entry>,
    offset: Index,
    offset_in_progress: Index,
}

fn distance(from: Index, to: Index) -> usize {
    usize::try_from(to.0.saturating_sub(from.0)).unwrap_or(usize::MAX)
}

impl Unstable {
    pub(crate) fn new(offset: Index) -> Self {
        Self { offset, offset_in_progress: offset, ..Self::default() }
    }

    fn check(&self) {
        let (offset, reached) = (self.offset, self.offset_in_progress);
        let end = Index(offset.0 + self.entries.len() as u64);
        assert!(offset <= reached && reached <= end, "raft: unstable {offset}, {reached}, {end}");
        let first = self.entries.first().map_or(offset, |entry| entry.index);
        let last = self.entries.last().map_or(end, |entry| entry.index.next());
        assert!(
            first == offset && last == end,
            "raft: unstable {offset}..{end} is {first}..{last}"
        );
        let below = self.snapshot.as_ref().is_none_or(|taken| taken.metadata.index < offset);
        assert!(below, "raft: unstable entries from {offset} at or below the snapshot");
    }

    pub(crate) fn offset(&self) -> Index {
        self.offset
    }

    /// The first index of the log, if the snapshot decides it.
    pub(crate) fn maybe_first_index(&self) -> Option<Index> {
        self.snapshot.as_ref().map(|snapshot| snapshot.metadata.index.next())
    }

    /// The last index of the log, if it is here.
    pub(crate) fn maybe_last_index(&self) -> Option<Index> {
        match self.entries.last() {
            Some(last) => Some(last.index),
            None => self.snapshot.as_ref().map(|snapshot| snapshot.metadata.index),
        }
    }

    /// The term of an entry, if it is here.
    pub(crate) fn maybe_term(&self, index: Index) -> Option<Term> {
        if index < self.offset {
            let snapshot = self.snapshot.as_ref()?;
            return (snapshot.metadata.index == index).then_some(snapshot.metadata.term);
        }
        self.entries.get(distance(self.offset, index)).map(|entry| entry.term)
    }

    /// The entries that nobody has handed to storage yet.
    pub(crate) fn next_entries(&self) -> &[Entry] {
        self.entries.get(distance(self.offset, self.offset_in_progress)..).unwrap_or_default()
    }

    /// The snapshot that nobody has handed to storage yet.
    pub(crate) fn next_snapshot(&self) -> Option<&Snapshot> {
        self.snapshot.as_ref().filter(|_| !self.snapshot_in_progress)
    }

    pub(crate) fn has_snapshot(&self) -> bool {
        self.snapshot.is_some()
    }

    pub(crate) fn snapshot_index(&self) -> Option<Index> {
        self.snapshot.as_ref().map(|snapshot| snapshot.metadata.index)
    }

    pub(crate) fn has_entries(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Everything here is being handed to storage now.
    pub(crate) fn accept_in_progress(&mut self) {
        if let Some(last) = self.entries.last() {
            self.offset_in_progress = last.index.next();
        }
        self.snapshot_in_progress = self.snapshot.is_some();
        self.check();
    }

    /// Storage has made everything up to `id` durable; ignored if that entry was replaced since.
    pub(crate) fn stable_to(&mut self, id: EntryId) {
        // An entry of the same index but another term was overwritten while in progress.
        if id.index < self.offset || self.maybe_term(id.index) != Some(id.term) {
            return;
        }
        let count = distance(self.offset, id.index) + 1;
        self.entries.drain(..count);
        self.offset = id.index.next();
        self.offset_in_progress = self.offset_in_progress.max(self.offset);
        self.check();
    }

    /// Storage has made the snapshot at `index` durable.
    pub(crate) fn stable_snapshot_to(&mut self, index: Index) {
        if self.snapshot.as_ref().is_some_and(|snapshot| snapshot.metadata.index == index) {
            self.snapshot = None;
            self.snapshot_in_progress = false;
        }
    }

    /// Replaces everything by a snapshot.
    pub(crate) fn restore(&mut self, snapshot: Snapshot) {
        self.offset = snapshot.metadata.index.next();
        self.offset_in_progress = self.offset;
        self.entries.clear();
        self.snapshot = Some(snapshot);
        self.snapshot_in_progress = false;
        self.check();
    }

    /// Appends entries, replacing what stands at their indexes and above.
    pub(crate) fn truncate_and_append(&mut self, mut entries: Vec<Entry>) {
        let Some(first) = entries.first().map(|entry| entry.index) else { return };
        let end = Index(self.offset.0 + self.entries.len() as u64);
        assert!(first <= end, "raft: append at {first} leaves a gap after {end}");
        if first <= self.offset {
            // Everything here is replaced, and perhaps some that is stable already.
            self.entries.clear();
            self.offset = first;
            self.offset_in_progress = first;
        } else {
            self.entries.truncate(distance(self.offset, first));
            // What storage is writing from here on is out of date.
            self.offset_in_progress = self.offset_in_progress.min(first);
        }
        self.entries.append(&mut entries);
        self.check();
    }

    /// The entries in `low..high`.
    pub(crate) fn slice(&self, low: Index, high: Index) -> &[Entry] {
        let range = distance(self.offset, low)..distance(self.offset, high);
        let found = self.entries.get(range);
        assert!(found.is_some(), "raft: unstable {low}..{high} is out of bounds");
        found.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(term: u64, index: u64) -> Entry {
        Entry { term: Term(term), index: Index(index), ..Entry::default() }
    }

    fn id(term: u64, index: u64) -> EntryId {
        EntryId { term: Term(term), index: Index(index) }
    }

    fn five_and_six() -> Unstable {
        let mut unstable = Unstable::new(Index(5));
        unstable.truncate_and_append(vec![entry(1, 5), entry(1, 6)]);
        unstable
    }

    #[test]
    fn truncation_moves_the_offset_in_progress_back() {
        for (first, want_offset, want_in_progress, want_length) in
            [(7, 5, 7, 3), (6, 5, 6, 2), (5, 5, 5, 1), (4, 4, 4, 1)]
        {
            let mut unstable = five_and_six();
            unstable.accept_in_progress();
            unstable.truncate_and_append(vec![entry(2, first)]);
            assert_eq!(unstable.offset.0, want_offset);
            assert_eq!(unstable.offset_in_progress.0, want_in_progress);
            assert_eq!(unstable.entries.len(), want_length);
        }
    }

    #[test]
    fn only_the_same_term_and_index_becomes_stable() {
        let mut unstable = five_and_six();
        unstable.accept_in_progress();
        unstable.stable_to(id(2, 5));
        unstable.stable_to(id(1, 4));
        unstable.stable_to(id(1, 7));
        assert_eq!(unstable.offset, Index(5));
        unstable.stable_to(id(1, 5));
        assert_eq!((unstable.offset, unstable.next_entries().len()), (Index(6), 0));
    }

    #[test]
    fn a_snapshot_is_handed_out_once_and_forgotten_when_durable() {
        let mut unstable = five_and_six();
        let mut snapshot = Snapshot::default();
        snapshot.metadata.index = Index(9);
        snapshot.metadata.term = Term(3);
        unstable.restore(snapshot);
        assert_eq!(unstable.maybe_first_index(), Some(Index(10)));
        assert_eq!(unstable.maybe_last_index(), Some(Index(9)));
        assert_eq!(unstable.maybe_term(Index(9)), Some(Term(3)));
        assert!(unstable.next_snapshot().is_some());
        unstable.accept_in_progress();
        assert!(unstable.next_snapshot().is_none());
        assert!(unstable.has_snapshot());
        unstable.stable_to(id(3, 9));
        assert_eq!(unstable.offset, Index(10));
        unstable.stable_snapshot_to(Index(9));
        assert!(!unstable.has_snapshot());
    }
}
