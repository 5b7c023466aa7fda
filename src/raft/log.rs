//! The log of one member: the stable part in storage, the unstable part above it.
//!
//! What it is: reading, appending, matching, committing and handing out for application.
//! What it is not: the decision what to commit; that is the leader's.
//! Invariants: `first_index - 1 <= applied <= applying <= committed <= last_index`, checked at each
//! change; while a snapshot is not durable `applied` and `applying` stand below it.
//! Source: Raft thesis §3.5; behaviour of etcd-io/raft `log.go`.

use super::entry::{Entry, EntryId, EntryType, count_within, encoded_sizes};
use super::error::{Error, StorageError};
use super::state::Snapshot;
use super::storage::Storage;
use super::unstable::Unstable;
use crate::mutant::{self, Mutant};
use crate::types::{Index, Term};

/// From where committed entries may be handed out for application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ApplyFrom {
    /// Only what is known to be durable here.
    Stable,
    /// Also what the same `Ready` writes.
    Unstable,
}

/// The log.
#[derive(Clone, Debug)]
pub(crate) struct RaftLog<S> {
    storage: S,
    unstable: Unstable,
    committed: Index,
    /// Handed out for application.
    applying: Index,
    applied: Index,
    /// Unit: encoded bytes. Handed out and not yet applied.
    applying_size_max: u64,
    applying_size: u64,
    applying_paused: bool,
}

impl<S: Storage> RaftLog<S> {
    pub(crate) fn new(storage: S, applying_size_max: u64) -> Self {
        let before_first = storage.first_index().saturating_prev();
        let unstable = Unstable::new(storage.last_index().next());
        Self {
            storage,
            unstable,
            committed: before_first,
            applying: before_first,
            applied: before_first,
            applying_size_max,
            applying_size: 0,
            applying_paused: false,
        }
    }

    fn check(&self) {
        let (applied, applying, committed) = (self.applied, self.applying, self.committed);
        assert!(
            applied <= applying && applying <= committed && committed <= self.last_index(),
            "raft: applied {applied}, applying {applying}, committed {committed}, last {}",
            self.last_index()
        );
    }

    pub(crate) fn storage(&self) -> &S {
        &self.storage
    }

    pub(crate) fn storage_mut(&mut self) -> &mut S {
        &mut self.storage
    }

    pub(crate) fn unstable(&self) -> &Unstable {
        &self.unstable
    }

    pub(crate) fn unstable_mut(&mut self) -> &mut Unstable {
        &mut self.unstable
    }

    pub(crate) fn committed(&self) -> Index {
        self.committed
    }

    pub(crate) fn applied(&self) -> Index {
        self.applied
    }

    /// Only for the start: the commit index that was stored.
    pub(crate) fn load_committed(&mut self, commit: Index) -> Result<(), Error> {
        if commit < self.committed || commit > self.last_index() {
            return Err(Error::InvalidStorage("commit is out of range of the log"));
        }
        self.committed = commit;
        Ok(())
    }

    pub(crate) fn first_index(&self) -> Index {
        self.unstable.maybe_first_index().unwrap_or_else(|| self.storage.first_index())
    }

    pub(crate) fn last_index(&self) -> Index {
        self.unstable.maybe_last_index().unwrap_or_else(|| self.storage.last_index())
    }

    pub(crate) fn term(&self, index: Index) -> Result<Term, StorageError> {
        if let Some(term) = self.unstable.maybe_term(index) {
            return Ok(term);
        }
        // The term just below the first index is known, for matching.
        if index < self.first_index().saturating_prev() {
            return Err(StorageError::Compacted);
        }
        if index > self.last_index() {
            return Err(StorageError::Unavailable);
        }
        self.storage.term(index)
    }

    pub(crate) fn last_id(&self) -> EntryId {
        let index = self.last_index();
        let term = self.term(index);
        assert!(term.is_ok(), "raft: term of the last entry {index}: {term:?}");
        EntryId { term: term.unwrap_or_default(), index }
    }

    pub(crate) fn matches(&self, id: EntryId) -> bool {
        self.term(id.index).is_ok_and(|term| term == id.term)
    }

    /// True if a candidate whose last entry is `other` may have a vote.
    pub(crate) fn is_up_to_date(&self, other: EntryId) -> bool {
        let own = self.last_id();
        other.term > own.term || (other.term == own.term && other.index >= own.index)
    }

    /// Appends as the leader does: nothing is in the way.
    pub(crate) fn append(&mut self, entries: Vec<Entry>) -> Index {
        if let Some(first) = entries.first() {
            assert!(first.index > self.committed, "raft: append at {} overwrites", first.index);
            self.unstable.truncate_and_append(entries);
        }
        self.check();
        self.last_index()
    }

    /// Appends as a follower does; `None` if the logs do not meet at `previous`.
    ///
    /// # Errors
    /// [`Error::CommittedConflict`]; nothing is changed then.
    pub(crate) fn maybe_append(
        &mut self,
        previous: EntryId,
        mut entries: Vec<Entry>,
        leader_commit: Index,
    ) -> Result<Option<Index>, Error> {
        if !self.matches(previous) {
            return Ok(None);
        }
        let last_new = Index(previous.index.0 + entries.len() as u64);
        let is_kept = |entry: &&Entry| {
            self.matches(entry.id())
                && (entry.index <= self.committed || !mutant::is(Mutant::CutMatchingSuffix))
        };
        let present = entries.iter().take_while(is_kept).count();
        if let Some(first) = entries.get(present) {
            if first.index <= self.committed {
                let (index, committed) = (first.index, self.committed);
                return Err(Error::CommittedConflict { index, committed });
            }
            entries.drain(..present);
            self.unstable.truncate_and_append(entries);
        }
        self.commit_to(leader_commit.min(last_new));
        Ok(Some(last_new))
    }

    /// The highest index at or below `index` whose term is at most `term`.
    ///
    /// The term comes with it, or 0 if the entry is not known any more.
    pub(crate) fn find_conflict_by_term(&self, index: Index, term: Term) -> EntryId {
        let mut index = index;
        while index > Index(0) {
            match self.term(index) {
                Err(_) => return EntryId { term: Term(0), index },
                Ok(own) if own <= term => return EntryId { term: own, index },
                Ok(_) => index = index.saturating_prev(),
            }
        }
        EntryId::default()
    }

    /// Raises the commit index; it never falls.
    pub(crate) fn commit_to(&mut self, commit: Index) {
        if commit <= self.committed {
            return;
        }
        self.committed = commit;
        self.check();
    }

    /// Commits up to `id` if that entry is here; true if the commit index rose.
    pub(crate) fn maybe_commit(&mut self, id: EntryId) -> bool {
        if id.term == Term(0) || id.index <= self.committed || !self.matches(id) {
            return false;
        }
        self.commit_to(id.index);
        true
    }

    fn max_appliable(&self, from: ApplyFrom) -> Index {
        match from {
            ApplyFrom::Unstable => self.committed,
            ApplyFrom::Stable => self.committed.min(self.unstable.offset().saturating_prev()),
        }
    }

    pub(crate) fn has_next_committed(&self, from: ApplyFrom) -> bool {
        // A snapshot goes first; what is above it waits.
        !self.applying_paused
            && !self.unstable.has_snapshot()
            && self.applying < self.max_appliable(from)
    }

    /// The committed entries to hand out next, within the limit.
    pub(crate) fn next_committed(&self, from: ApplyFrom) -> Vec<Entry> {
        if !self.has_next_committed(from) {
            return Vec::new();
        }
        let size_max = self.applying_size_max.saturating_sub(self.applying_size);
        let (low, high) = (self.applying.next(), self.max_appliable(from).next());
        let found = self.slice(low, high, size_max);
        assert!(found.is_ok(), "raft: committed entries {low}..{high}: {:?}", found.err());
        found.unwrap_or_default()
    }

    /// Notes that committed entries up to `index` were handed out.
    pub(crate) fn accept_applying(&mut self, index: Index, size: u64, from: ApplyFrom) {
        assert!(index >= self.applying, "raft: applying {index} below {}", self.applying);
        self.applying = index;
        self.check();
        self.applying_size = self.applying_size.saturating_add(size);
        // Paused at the limit, or when the limit has already cut the last batch.
        self.applying_paused =
            self.applying_size >= self.applying_size_max || index < self.max_appliable(from);
    }

    /// Notes that everything up to `index` is applied.
    pub(crate) fn applied_to(&mut self, index: Index, size: u64) {
        assert!(index >= self.applied, "raft: applied {index} below {}", self.applied);
        self.applied = index;
        self.applying = self.applying.max(index);
        self.check();
        self.applying_size = self.applying_size.saturating_sub(size);
        self.applying_paused = self.applying_size >= self.applying_size_max;
    }

    pub(crate) fn stable_to(&mut self, id: EntryId) {
        self.unstable.stable_to(id);
    }

    pub(crate) fn restore(&mut self, snapshot: Snapshot) {
        let index = snapshot.metadata.index;
        assert!(index > self.committed, "raft: snapshot at {index} below {}", self.committed);
        self.committed = index;
        self.unstable.restore(snapshot);
        self.check();
    }

    /// The entries from `low` to the end, within `size_max`.
    pub(crate) fn entries_from(
        &self,
        low: Index,
        size_max: u64,
    ) -> Result<Vec<Entry>, StorageError> {
        let high = self.last_index().next();
        if low >= high { Ok(Vec::new()) } else { self.slice(low, high, size_max) }
    }

    /// The entries in `low..high`, within `size_max` but at least one.
    pub(crate) fn slice(
        &self,
        low: Index,
        high: Index,
        size_max: u64,
    ) -> Result<Vec<Entry>, StorageError> {
        assert!(low <= high, "raft: slice {low}..{high}");
        if low < self.first_index() {
            return Err(StorageError::Compacted);
        }
        if high > self.last_index().next() {
            return Err(StorageError::Unavailable);
        }
        let offset = self.unstable.offset();
        if low >= offset {
            let found = self.unstable.slice(low, high);
            let count = count_within(found, size_max);
            return Ok(found.get(..count).unwrap_or_default().to_vec());
        }
        let cut = high.min(offset);
        let mut found = self.storage.entries(low, cut, size_max)?;
        let reached = Index(low.0 + found.len() as u64);
        if reached < cut || high <= offset {
            return Ok(found);
        }
        // The rest of the limit goes to the unstable part, which need not give any.
        let size = if size_max == u64::MAX { 0 } else { encoded_sizes(&found) };
        if size >= size_max {
            return Ok(found);
        }
        let rest = self.unstable.slice(offset, high);
        let left = size_max.saturating_sub(size);
        let count = count_within(rest, left);
        let rest = rest.get(..count).unwrap_or_default();
        let fits = rest.len() > 1 || left == u64::MAX || encoded_sizes(rest) <= left;
        if fits {
            found.extend_from_slice(rest);
        }
        Ok(found)
    }

    /// True if a configuration change is committed and not yet applied.
    pub(crate) fn has_unapplied_conf_change(&self) -> Result<bool, StorageError> {
        let (mut low, high) = (self.applied.next(), self.committed.next());
        while low < high {
            let page = self.slice(low, high, self.applying_size_max)?;
            if page.is_empty() {
                return Err(StorageError::Unavailable);
            }
            if page.iter().any(|entry| entry.entry_type != EntryType::Normal) {
                return Ok(true);
            }
            low = Index(low.0 + page.len() as u64);
        }
        Ok(false)
    }
}
