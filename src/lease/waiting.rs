//! Keep-alives that cannot be answered yet.
//!
//! What it is: a place to park whatever the server calls a caller, by lease, until that lease is
//! revoked, its checkpoint is lifted, or the member stops being the primary.
//! What it is not: a timer; callers whose time is up are taken out with [`Waiting::retain`].
//! Invariants: `count` is the number of parked callers, at most [`KEEP_ALIVES_WAITING_MAX`]; no lease
//! has an empty list.

use crate::api::Error;
use crate::types::{BigMap, LeaseId};

/// Most keep-alives that wait at one member. Our own limit: etcd keeps a goroutine for each.
pub const KEEP_ALIVES_WAITING_MAX: u32 = 10_000;

/// See the module's head.
#[derive(Clone, Debug)]
pub struct Waiting<T> {
    by_lease: BigMap<LeaseId, Vec<T>>,
    count: u32,
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self { by_lease: BigMap::new(), count: 0 }
    }
}

impl<T> Waiting<T> {
    /// Nobody waits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets `caller` wait for something to happen to the lease.
    ///
    /// # Errors
    /// `TooManyRequests` if too many wait already.
    pub fn park(&mut self, id: LeaseId, caller: T) -> Result<(), Error> {
        if self.count >= KEEP_ALIVES_WAITING_MAX {
            return Err(Error::TooManyRequests);
        }
        self.count += 1;
        self.by_lease.get_or_insert_with(id, Vec::new).push(caller);
        Ok(())
    }

    /// Whoever waited for this lease, in order of arrival: something was applied to it.
    #[must_use]
    pub fn take(&mut self, id: LeaseId) -> Vec<T> {
        let callers = self.by_lease.remove(&id).unwrap_or_default();
        self.left(callers.len());
        callers
    }

    /// Everybody, by lease and in order of arrival: the member is not the primary any more.
    #[must_use]
    pub fn take_all(&mut self) -> Vec<(LeaseId, T)> {
        self.count = 0;
        std::mem::take(&mut self.by_lease)
            .into_iter()
            .flat_map(|(id, callers)| callers.into_iter().map(move |caller| (id, caller)))
            .collect()
    }

    /// Forgets the callers for whom `keep` is false.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        let mut left = 0;
        self.by_lease.retain(|_, callers| {
            let before = callers.len();
            callers.retain(&mut keep);
            left += before - callers.len();
            !callers.is_empty()
        });
        self.left(left);
    }

    /// How many wait.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    fn left(&mut self, callers: usize) {
        let remaining = u32::try_from(callers).ok().and_then(|left| self.count.checked_sub(left));
        let Some(count) = remaining else {
            unreachable!("{callers} keep-alives left, of {}", self.count);
        };
        self.count = count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_come_back_for_their_lease_in_order_of_arrival() {
        let mut waiting = Waiting::new();
        for (id, caller) in [(2, "a"), (1, "b"), (2, "c"), (3, "d")] {
            assert_eq!(waiting.park(LeaseId(id), caller), Ok(()));
        }
        assert_eq!(waiting.take(LeaseId(2)), ["a", "c"]);
        assert_eq!(waiting.take(LeaseId(2)), [""; 0]);
        assert_eq!(waiting.count(), 2);
        waiting.retain(|caller| *caller != "b");
        assert_eq!(waiting.count(), 1);
        assert_eq!(waiting.take_all(), [(LeaseId(3), "d")]);
        assert_eq!(waiting.count(), 0);
    }

    #[test]
    fn the_limit_refuses_and_keeps_those_who_wait() {
        let mut waiting = Waiting::new();
        for caller in 0..KEEP_ALIVES_WAITING_MAX {
            assert_eq!(waiting.park(LeaseId(1), caller), Ok(()));
        }
        assert_eq!(waiting.park(LeaseId(2), 0), Err(Error::TooManyRequests));
        assert_eq!(waiting.count(), KEEP_ALIVES_WAITING_MAX);
    }
}
