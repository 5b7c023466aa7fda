//! Leases by time: the earliest first.
//!
//! What it is: a queue with at most one time per lease, which can be moved.
//! What it is not: a clock, or a list of what exists: the owner removes what ended.
//! Invariants: `by_time` and `by_lease` hold the same pairs; equal times come in order of id.

use crate::types::{BigMap, BigSet, LeaseId, Millis};

/// See the module's head.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    by_time: BigSet<(Millis, LeaseId)>,
    by_lease: BigMap<LeaseId, Millis>,
}

impl Queue {
    /// Puts the lease in at `time`; an earlier entry of it moves there.
    pub(super) fn set(&mut self, id: LeaseId, time: Millis) {
        self.remove(id);
        self.by_time.insert((time, id));
        self.by_lease.insert(id, time);
    }

    /// Takes the lease out, if it is in.
    pub(super) fn remove(&mut self, id: LeaseId) {
        if let Some(time) = self.by_lease.remove(&id) {
            assert!(self.by_time.remove(&(time, id)), "lease {id} has a time but no place");
        }
    }

    /// Takes out the first lease whose time has come.
    pub(super) fn pop_due(&mut self, now: Millis) -> Option<LeaseId> {
        let (_, id) = *self.by_time.first().filter(|(time, _)| *time <= now)?;
        self.remove(id);
        Some(id)
    }

    /// The time of the lease, if it is in.
    pub(super) fn time(&self, id: LeaseId) -> Option<Millis> {
        self.by_lease.get(&id).copied()
    }

    /// Whom it holds, by id.
    pub(super) fn ids(&self) -> impl Iterator<Item = LeaseId> {
        self.by_lease.keys().copied()
    }

    /// Asserts the invariants of the module's head.
    pub(super) fn assert_invariants(&self) {
        assert_eq!(self.by_time.len(), self.by_lease.len(), "one place per lease");
        for (time, id) in self.by_time.iter() {
            assert_eq!(self.by_lease.get(id), Some(time), "lease {id} stands at its own time");
        }
    }
}
