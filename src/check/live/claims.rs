//! Who made which revision.
//!
//! What it is: the answered writes and the operations of unknown outcome by the revision that they made.
//! What it is not: a judge of what they wrote.
//! Invariants: an answer is certain, what events show of an unknown operation gives way to it; what is kept is bounded.

use std::collections::BTreeMap;

use super::OperationId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maker {
    /// Its answer says so.
    Answered(OperationId),
    /// The events are what it would have done.
    Shown(OperationId),
    /// Nobody here, as far as is known.
    Nobody,
}

/// See the module's head.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims {
    makers: BTreeMap<i64, Maker>,
    corrected: Option<OperationId>,
}

impl Claims {
    /// An answer claims a revision; gives who has claimed it before.
    pub(super) fn answered(&mut self, revision: i64, id: OperationId) -> Option<OperationId> {
        match self.makers.insert(revision, Maker::Answered(id)) {
            Some(Maker::Answered(other)) => return Some(other),
            Some(Maker::Shown(other)) => self.corrected = Some(other),
            Some(Maker::Nobody) | None => {}
        }
        None
    }

    /// The unknown operation that was taken for the maker of what somebody else made.
    pub(super) const fn corrected(&mut self) -> Option<OperationId> {
        self.corrected.take()
    }

    /// A revision happened, and no answer claims it.
    pub(super) fn unclaimed(&mut self, revision: i64) {
        self.makers.entry(revision).or_insert(Maker::Nobody);
    }

    /// The revisions that nobody claims, oldest first.
    pub(super) fn free(&self) -> impl Iterator<Item = i64> {
        self.makers.iter().filter(|(_, maker)| **maker == Maker::Nobody).map(|(at, _)| *at)
    }

    /// An unknown operation would have made this revision.
    pub(super) fn shown(&mut self, revision: i64, id: OperationId) {
        self.makers.insert(revision, Maker::Shown(id));
    }

    /// True if an unknown operation was shown.
    pub(super) fn has(&self, id: OperationId) -> bool {
        self.makers.values().any(|maker| *maker == Maker::Shown(id))
    }

    /// Forgets what is older than what the store knows.
    pub(super) fn tidy(&mut self, first: i64) {
        while self.makers.first_key_value().is_some_and(|(revision, _)| *revision <= first) {
            self.makers.pop_first();
        }
    }
}
