//! What the engine reads back of what was made durable.
//!
//! What it is: the trait of the stable log, and one that lives in memory.
//! What it is not: a disk; the driver writes, then tells the engine (or its `MemoryStorage`).
//! Invariants: entries are contiguous from just above the snapshot.
//! Source: behaviour of etcd-io/raft `storage.go`.

use std::collections::VecDeque;

use super::entry::Entry;
use super::error::StorageError;
use super::state::{ConfState, HardState, Snapshot};
use crate::types::{Index, Term};

/// The stable part of the log, as the engine reads it.
pub trait Storage {
    /// The hard state and the configuration to start with.
    ///
    /// # Errors
    /// Whatever the medium says.
    fn initial_state(&self) -> Result<(HardState, ConfState), StorageError>;

    /// The entries in `low..high`, cut at `size_max` encoded bytes but at least one.
    ///
    /// # Errors
    /// [`StorageError::Compacted`] below the first index, [`StorageError::Unavailable`] above the last.
    fn entries(&self, low: Index, high: Index, size_max: u64) -> Result<Vec<Entry>, StorageError>;

    /// The term of an entry; also known for the one just below the first.
    ///
    /// # Errors
    /// As [`Storage::entries`].
    fn term(&self, index: Index) -> Result<Term, StorageError>;

    /// The last index, or that of the snapshot.
    fn last_index(&self) -> Index;

    /// The first index that may be read; one above the snapshot.
    fn first_index(&self) -> Index;

    /// The latest snapshot to send to a follower that is too far behind.
    ///
    /// # Errors
    /// [`StorageError::SnapshotTemporarilyUnavailable`] if it must still be made.
    fn snapshot(&self) -> Result<Snapshot, StorageError>;
}

/// A stable log in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryStorage {
    hard_state: HardState,
    snapshot: Snapshot,
    /// The index and term just below the first entry.
    base_index: Index,
    base_term: Term,
    /// Invariant: `entries[i].index == base_index + 1 + i`.
    entries: VecDeque<Entry>,
}

impl MemoryStorage {
    /// An empty log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn position(&self, index: Index) -> Option<usize> {
        let distance = index.0.checked_sub(self.base_index.0)?.checked_sub(1)?;
        usize::try_from(distance).ok()
    }

    /// Replaces the hard state.
    pub fn set_hard_state(&mut self, hard_state: HardState) {
        self.hard_state = hard_state;
    }

    /// Replaces the configuration to start with; the log is not touched.
    pub fn set_conf_state(&mut self, conf_state: ConfState) {
        self.snapshot.metadata.conf_state = conf_state;
    }

    /// The hard state as stored.
    #[must_use]
    pub fn hard_state(&self) -> HardState {
        self.hard_state
    }

    /// Replaces log and state machine by a snapshot.
    ///
    /// # Errors
    /// [`StorageError::SnapshotOutOfDate`] if the one there is as new.
    pub fn apply_snapshot(&mut self, snapshot: Snapshot) -> Result<(), StorageError> {
        if self.snapshot.metadata.index >= snapshot.metadata.index {
            return Err(StorageError::SnapshotOutOfDate);
        }
        self.base_index = snapshot.metadata.index;
        self.base_term = snapshot.metadata.term;
        self.entries.clear();
        self.snapshot = snapshot;
        Ok(())
    }

    /// Makes a snapshot of the state at `index`; with a configuration if it has changed.
    ///
    /// # Errors
    /// [`StorageError::SnapshotOutOfDate`] if the one there is as new,
    /// [`StorageError::Unavailable`] if `index` is beyond the log.
    pub fn create_snapshot(
        &mut self,
        index: Index,
        conf_state: Option<ConfState>,
        data: bytes::Bytes,
    ) -> Result<Snapshot, StorageError> {
        if index <= self.snapshot.metadata.index {
            return Err(StorageError::SnapshotOutOfDate);
        }
        self.snapshot.metadata.term = self.term(index)?;
        self.snapshot.metadata.index = index;
        if let Some(conf_state) = conf_state {
            self.snapshot.metadata.conf_state = conf_state;
        }
        self.snapshot.data = data;
        Ok(self.snapshot.clone())
    }

    /// Discards the entries up to and including `index`.
    ///
    /// # Errors
    /// [`StorageError::Compacted`] if that has happened already,
    /// [`StorageError::Unavailable`] if `index` is beyond the log.
    pub fn compact(&mut self, index: Index) -> Result<(), StorageError> {
        if index <= self.base_index {
            return Err(StorageError::Compacted);
        }
        let term = self.term(index)?;
        let count = self.position(index).ok_or(StorageError::Compacted)? + 1;
        self.entries.drain(..count);
        self.base_index = index;
        self.base_term = term;
        Ok(())
    }

    /// Appends entries, replacing what stands at their indexes and above.
    ///
    /// # Errors
    /// [`StorageError::Unavailable`] if they leave a gap.
    pub fn append(&mut self, entries: &[Entry]) -> Result<(), StorageError> {
        let skip = entries.iter().take_while(|entry| entry.index <= self.base_index).count();
        let entries = entries.get(skip..).unwrap_or_default();
        let Some(first) = entries.first() else { return Ok(()) };
        let position = self.position(first.index).ok_or(StorageError::Compacted)?;
        if position > self.entries.len() {
            return Err(StorageError::Unavailable);
        }
        self.entries.truncate(position);
        self.entries.extend(entries.iter().cloned());
        Ok(())
    }
}

impl Storage for MemoryStorage {
    fn initial_state(&self) -> Result<(HardState, ConfState), StorageError> {
        Ok((self.hard_state, self.snapshot.metadata.conf_state.clone()))
    }

    fn entries(&self, low: Index, high: Index, size_max: u64) -> Result<Vec<Entry>, StorageError> {
        let start = self.position(low).ok_or(StorageError::Compacted)?;
        if high > self.last_index().next() {
            return Err(StorageError::Unavailable);
        }
        let end = self.position(high).ok_or(StorageError::Compacted)?.max(start);
        let mut total = 0u64;
        let mut found = Vec::new();
        for entry in self.entries.range(start..end) {
            if size_max != u64::MAX {
                total = total.saturating_add(entry.encoded_size());
                if total > size_max && !found.is_empty() {
                    break;
                }
            }
            found.push(entry.clone());
        }
        if found.is_empty() && low < high {
            return Err(StorageError::Unavailable);
        }
        Ok(found)
    }

    fn term(&self, index: Index) -> Result<Term, StorageError> {
        if index == self.base_index {
            return Ok(self.base_term);
        }
        let position = self.position(index).ok_or(StorageError::Compacted)?;
        self.entries.get(position).map(|entry| entry.term).ok_or(StorageError::Unavailable)
    }

    fn last_index(&self) -> Index {
        Index(self.base_index.0 + self.entries.len() as u64)
    }

    fn first_index(&self) -> Index {
        self.base_index.next()
    }

    fn snapshot(&self) -> Result<Snapshot, StorageError> {
        Ok(self.snapshot.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(list: &[(u64, u64)]) -> Vec<Entry> {
        list.iter()
            .map(|(term, index)| Entry {
                term: Term(*term),
                index: Index(*index),
                ..Entry::default()
            })
            .collect()
    }

    fn three_to_five() -> MemoryStorage {
        let mut storage = MemoryStorage::new();
        let mut snapshot = Snapshot::default();
        snapshot.metadata.index = Index(3);
        snapshot.metadata.term = Term(3);
        storage.apply_snapshot(snapshot).unwrap();
        storage.append(&entries(&[(4, 4), (5, 5)])).unwrap();
        storage
    }

    #[test]
    fn terms_are_known_from_the_snapshot_to_the_last_entry() {
        let storage = three_to_five();
        assert_eq!(storage.term(Index(2)), Err(StorageError::Compacted));
        assert_eq!(storage.term(Index(3)), Ok(Term(3)));
        assert_eq!(storage.term(Index(5)), Ok(Term(5)));
        assert_eq!(storage.term(Index(6)), Err(StorageError::Unavailable));
        assert_eq!((storage.first_index(), storage.last_index()), (Index(4), Index(5)));
    }

    #[test]
    fn entries_are_cut_by_size_but_at_least_one_comes() {
        let storage = three_to_five();
        assert_eq!(storage.entries(Index(3), Index(5), u64::MAX), Err(StorageError::Compacted));
        assert_eq!(storage.entries(Index(4), Index(7), u64::MAX), Err(StorageError::Unavailable));
        assert_eq!(storage.entries(Index(4), Index(6), 0).unwrap(), entries(&[(4, 4)]));
        assert_eq!(storage.entries(Index(4), Index(6), 12).unwrap().len(), 2);
        assert_eq!(storage.entries(Index(4), Index(6), 11).unwrap().len(), 1);
    }

    #[test]
    fn append_replaces_overlaps_and_refuses_gaps() {
        let mut storage = three_to_five();
        storage.append(&entries(&[(1, 1), (2, 2)])).unwrap();
        assert_eq!(storage.last_index(), Index(5));
        storage.append(&entries(&[(3, 3), (6, 4)])).unwrap();
        assert_eq!((storage.last_index(), storage.term(Index(4))), (Index(4), Ok(Term(6))));
        assert_eq!(storage.append(&entries(&[(6, 6)])), Err(StorageError::Unavailable));
        storage.append(&entries(&[(6, 5)])).unwrap();
        assert_eq!(storage.last_index(), Index(5));
    }

    #[test]
    fn compaction_and_snapshots_only_go_forward() {
        let mut storage = three_to_five();
        assert_eq!(storage.compact(Index(3)), Err(StorageError::Compacted));
        assert_eq!(storage.compact(Index(6)), Err(StorageError::Unavailable));
        let taken = storage.create_snapshot(Index(5), None, bytes::Bytes::new()).unwrap();
        assert_eq!((taken.metadata.index, taken.metadata.term), (Index(5), Term(5)));
        storage.compact(Index(5)).unwrap();
        assert_eq!(storage.first_index(), Index(6));
        assert_eq!(storage.term(Index(5)), Ok(Term(5)));
        assert_eq!(storage.apply_snapshot(taken), Err(StorageError::SnapshotOutOfDate));
    }
}
