//! Who made which revision.
//!
//! What it is: the answered writes and the operations without an answer by the revision that they made.
//! What it is not: a judge of what they wrote.
//! Invariants: an answer is certain, what events show of another operation gives way to it; what is kept is bounded.

use std::collections::BTreeMap;

use super::OperationId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maker {
    /// Its answer says so.
    Answered(OperationId),
    /// The events are what it would have done.
    Shown(OperationId),
    /// An operation that may have made it, and says nothing of that.
    Excused,
    /// Nobody here, as far as is known.
    Nobody,
}

/// See the module's head.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims {
    makers: BTreeMap<i64, Maker>,
    /// Revisions that nobody claimed, and that are forgotten.
    forgotten: u64,
}

impl Claims {
    /// An answer claims a revision; gives the answered one, or the one without an answer, that had it before.
    pub(super) fn answered(
        &mut self,
        revision: i64,
        id: OperationId,
    ) -> (Option<OperationId>, Option<OperationId>) {
        self.release(id);
        match self.makers.insert(revision, Maker::Answered(id)) {
            Some(Maker::Answered(other)) => (Some(other), None),
            Some(Maker::Shown(other)) => (None, Some(other)),
            Some(Maker::Nobody | Maker::Excused) | None => (None, None),
        }
    }

    /// An operation may have made this revision.
    pub(super) fn excuse(&mut self, revision: i64) {
        let maker = self.makers.entry(revision).or_insert(Maker::Excused);
        if *maker == Maker::Nobody {
            *maker = Maker::Excused;
        }
    }

    /// A revision happened, and no answer claims it.
    pub(super) fn unclaimed(&mut self, revision: i64) {
        self.makers.entry(revision).or_insert(Maker::Nobody);
    }

    /// The revisions that nobody claims, oldest first.
    pub(super) fn free(&self) -> impl Iterator<Item = i64> {
        self.makers.iter().filter(|(_, maker)| **maker == Maker::Nobody).map(|(at, _)| *at)
    }

    /// How many revisions nobody claims.
    pub(super) fn free_count(&self) -> u64 {
        self.forgotten + self.free().map(|_| 1).sum::<u64>()
    }

    /// An operation without an answer would have made this revision.
    pub(super) fn shown(&mut self, revision: i64, id: OperationId) {
        self.makers.insert(revision, Maker::Shown(id));
    }

    /// The revision that an operation without an answer would have made.
    pub(super) fn of(&self, id: OperationId) -> Option<i64> {
        let mut makers = self.makers.iter();
        makers.find(|(_, maker)| **maker == Maker::Shown(id)).map(|(revision, _)| *revision)
    }

    /// What an operation was taken for the maker of is nobody's.
    pub(super) fn release(&mut self, id: OperationId) {
        for maker in self.makers.values_mut() {
            if *maker == Maker::Shown(id) {
                *maker = Maker::Nobody;
            }
        }
    }

    /// Forgets what is older than what the store knows.
    pub(super) fn tidy(&mut self, first: i64) {
        while let Some(oldest) = self.makers.first_entry()
            && *oldest.key() <= first
        {
            if oldest.remove() == Maker::Nobody {
                self.forgotten += 1;
            }
        }
    }
}
