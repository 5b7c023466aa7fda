//! Every kept revision of one key, cut into generations.
//!
//! What it is: a generation begins with the put that creates the key and ends with the tombstone
//! that deletes it; only the last one can be open.
//! What it is not: the values; those are rows of the store.
//! Invariants: revisions grow strictly over all generations; no generation is empty; only the last
//! generation may be open; after a compaction the first generation may begin later than its creation,
//! or be a lone tombstone.
//! Source: etcd `server/storage/mvcc/key_index.go`; unlike there, what a compaction keeps is the last
//! revision at or below it over all generations, so a key deleted and created again within the
//! compacted revision keeps its live row.

use crate::mutant::{self, Mutant};
use crate::mvcc::Revision;

/// The history of one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KeyIndex {
    generations: Vec<Generation>,
}

/// One life of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Generation {
    /// The put that created the key, even if compaction has removed it.
    create_revision: i64,
    /// Version of the first entry of `revisions`.
    first_version: i64,
    /// Invariant: not empty.
    revisions: Vec<Revision>,
    /// The last entry of `revisions` is a tombstone.
    is_closed: bool,
}

/// A version of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) revision: Revision,
    pub(super) create_revision: i64,
    pub(super) version: i64,
}

/// What a compaction leaves of the revisions at or below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) revision: Revision,
    pub(super) is_tombstone: bool,
}

/// A stored change that does not continue the history before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Discontinuous;

impl Generation {
    fn opened(revision: Revision) -> Self {
        Self {
            create_revision: revision.main,
            first_version: 1,
            revisions: vec![revision],
            is_closed: false,
        }
    }

    fn is_tombstone_at(&self, position: usize) -> bool {
        self.is_closed && position + 1 == self.revisions.len()
    }

    fn version_at(&self, position: usize) -> i64 {
        // A position is far below 2^63: each entry is a row in memory.
        self.first_version + i64::try_from(position).unwrap_or(i64::MAX)
    }
}

impl KeyIndex {
    pub(super) const fn is_empty(&self) -> bool {
        self.generations.is_empty()
    }

    /// The generation and position of the last revision with main `at` or below.
    fn position_at(&self, at: i64) -> Option<(usize, usize)> {
        let starts_at_or_below =
            |g: &Generation| g.revisions.first().is_some_and(|first| first.main <= at);
        let generation = self.generations.partition_point(starts_at_or_below).checked_sub(1)?;
        let revisions = &self.generations.get(generation)?.revisions;
        let position = revisions.partition_point(|r| r.main <= at).checked_sub(1)?;
        Some((generation, position))
    }

    /// The version that a read at main revision `at` sees.
    pub(super) fn get(&self, at: i64) -> Option<Found> {
        let (generation, position) = self.position_at(at)?;
        let generation = self.generations.get(generation)?;
        if generation.is_tombstone_at(position) {
            return None;
        }
        Some(Found {
            revision: *generation.revisions.get(position)?,
            create_revision: generation.create_revision,
            version: generation.version_at(position),
        })
    }

    /// Every kept revision with main `from` or above, oldest first.
    pub(super) fn revisions_from(&self, from: i64) -> impl Iterator<Item = Revision> {
        let ends_at_or_above =
            |g: &Generation| g.revisions.last().is_some_and(|last| last.main >= from);
        let first = self.generations.partition_point(|g| !ends_at_or_above(g));
        let generations = self.generations.get(first..).unwrap_or_default();
        generations
            .iter()
            .flat_map(|generation| generation.revisions.iter().copied())
            .filter(move |revision| revision.main >= from)
    }

    fn assert_after_last(&self, revision: Revision) {
        let last = self.generations.last().and_then(|g| g.revisions.last());
        assert!(
            last.is_none_or(|last| *last < revision),
            "revision {revision} does not follow {last:?}"
        );
    }

    fn begin(&mut self, generation: Generation) {
        // Most keys live once: room for one, where `push` alone would make room for four.
        if self.generations.is_empty() {
            self.generations.reserve_exact(1);
        }
        self.generations.push(generation);
    }

    /// Adds a put; returns the create revision and the version it has.
    ///
    /// # Panics
    /// If `revision` is not above every revision of the key.
    pub(super) fn put(&mut self, revision: Revision) -> Found {
        self.assert_after_last(revision);
        match self.generations.last_mut() {
            Some(open) if !open.is_closed => {
                let version = open.version_at(open.revisions.len());
                open.revisions.push(revision);
                Found { revision, create_revision: open.create_revision, version }
            }
            _ => {
                self.begin(Generation::opened(revision));
                Found { revision, create_revision: revision.main, version: 1 }
            }
        }
    }

    /// Ends the open generation; false if there is none.
    ///
    /// # Panics
    /// If `revision` is not above every revision of the key.
    pub(super) fn tombstone(&mut self, revision: Revision) -> bool {
        self.assert_after_last(revision);
        match self.generations.last_mut() {
            Some(open) if !open.is_closed => {
                open.revisions.push(revision);
                open.is_closed = true;
                true
            }
            _ => false,
        }
    }

    /// Takes the newest change back.
    ///
    /// # Panics
    /// If the newest change is not at `revision`.
    pub(super) fn undo(&mut self, revision: Revision) {
        let last = self.generations.last_mut();
        let popped = last.and_then(|generation| {
            generation.is_closed = false;
            generation.revisions.pop()
        });
        assert!(popped == Some(revision), "undo of {revision} found {popped:?}");
        if self.generations.last().is_some_and(|g| g.revisions.is_empty()) {
            self.generations.pop();
        }
    }

    /// Adds a stored tombstone; a compaction at `compacted` may have removed the puts before it.
    pub(super) fn restore_tombstone(
        &mut self,
        revision: Revision,
        compacted: i64,
    ) -> Result<(), Discontinuous> {
        if self.tombstone(revision) {
            return Ok(());
        }
        if revision.main > compacted {
            return Err(Discontinuous);
        }
        self.begin(Generation {
            create_revision: 0,
            first_version: 0,
            revisions: vec![revision],
            is_closed: true,
        });
        Ok(())
    }

    /// Adds a stored put; a compaction at `compacted` may have removed the puts before it.
    pub(super) fn restore_put(&mut self, put: Found, compacted: i64) -> Result<(), Discontinuous> {
        if let Some(open) = self.generations.last_mut().filter(|g| !g.is_closed) {
            let continues = put.create_revision == open.create_revision
                && put.version == open.version_at(open.revisions.len());
            if !continues {
                return Err(Discontinuous);
            }
            open.revisions.push(put.revision);
            return Ok(());
        }
        let is_plausible = if put.version == 1 {
            put.create_revision == put.revision.main
        } else {
            put.create_revision <= compacted
        };
        if !is_plausible {
            return Err(Discontinuous);
        }
        self.begin(Generation {
            create_revision: put.create_revision,
            first_version: put.version,
            revisions: vec![put.revision],
            is_closed: false,
        });
        Ok(())
    }

    /// What a compaction at `at` leaves of the revisions at or below it.
    ///
    /// A tombstone stays only if it is exactly at `at`, for watches that start there.
    pub(super) fn keep(&self, at: i64) -> Option<Kept> {
        let (generation, position) = self.position_at(at)?;
        let generation = self.generations.get(generation)?;
        let revision = *generation.revisions.get(position)?;
        let is_tombstone = generation.is_tombstone_at(position);
        let stays = revision.main == at && !mutant::is(Mutant::TombstoneDropped);
        (!is_tombstone || stays).then_some(Kept { revision, is_tombstone })
    }

    /// Forgets what a compaction at `at` does not keep. Doing it again changes nothing.
    pub(super) fn compact(&mut self, at: i64) {
        let Some((index, position)) = self.position_at(at) else { return };
        if self.keep(at).is_none() {
            self.generations.drain(..=index);
            return;
        }
        self.generations.drain(..index);
        if let Some(first) = self.generations.first_mut() {
            first.first_version = first.version_at(position);
            first.revisions.drain(..position);
        }
    }
}

#[cfg(test)]
mod tests;
