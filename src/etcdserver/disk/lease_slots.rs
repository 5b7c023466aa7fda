//! Which chunks hold the leases of a generation, one lease in each.
//!
//! What it is: a change of a lease puts or deletes one small chunk, in the round that carries the rows
//! and the meta record of the same entries.
//! What it is not: the leases, or what is attached to them: that is found again through the rows.
//! Invariants: a lease has at most one chunk; the chunk of a lease that ended is used for another lease
//! in a later round at the earliest, since a round puts and deletes a key in no particular order.

use super::{Round, encode};
use crate::etcdserver::io::{DiskPut, DiskStore};
use crate::etcdserver::record::{self, first_lease_key};
use crate::lease::StoredLease;
use crate::types::{BigMap, LeaseId};

#[derive(Clone, Debug, Default)]
pub(super) struct LeaseSlots {
    keys: BigMap<LeaseId, u64>,
    /// Keys below `next_key` without a chunk.
    free: Vec<u64>,
    next_key: u64,
    /// What the disk does not hold yet; `None` for a lease that ended.
    changed: BigMap<LeaseId, Option<StoredLease>>,
}

impl LeaseSlots {
    /// A generation without leases.
    pub(super) const fn new(generation: u64) -> Self {
        Self {
            keys: BigMap::new(),
            free: Vec::new(),
            next_key: first_lease_key(generation),
            changed: BigMap::new(),
        }
    }

    /// What a disk holds, in the order of the keys.
    pub(super) fn recovered(generation: u64, leases: &[(u64, StoredLease)]) -> Self {
        let mut slots = Self::new(generation);
        for (key, lease) in leases {
            slots.free.extend(slots.next_key..*key);
            slots.next_key = key + 1;
            slots.keys.insert(lease.id, *key);
        }
        slots
    }

    /// A lease came, changed, or ended.
    pub(super) fn change(&mut self, id: LeaseId, stored: Option<StoredLease>) {
        self.changed.insert(id, stored);
    }

    /// Adds what changed to a round.
    pub(super) fn write(&mut self, round: &mut Round) {
        let mut freed = Vec::new();
        for (id, stored) in std::mem::take(&mut self.changed) {
            match stored {
                Some(lease) => round.puts.extend(self.put(&lease)),
                // One that came and went between two rounds has none.
                None => freed.extend(self.keys.remove(&id)),
            }
        }
        round.deletes.extend(freed.iter().map(|key| (DiskStore::Rows, *key)));
        self.free.extend(freed);
    }

    /// The chunk of a lease.
    pub(super) fn put(&mut self, lease: &StoredLease) -> Vec<DiskPut> {
        let key = if let Some(key) = self.keys.get(&lease.id) {
            *key
        } else {
            let key = self.free.pop().unwrap_or(self.next_key);
            self.next_key = self.next_key.max(key + 1);
            self.keys.insert(lease.id, key);
            key
        };
        let puts = record::chunks(DiskStore::Rows, key, &encode(lease));
        assert!(puts.len() == 1, "a lease takes {} chunks", puts.len());
        puts
    }

    /// The key of every chunk.
    pub(super) fn all(self) -> impl Iterator<Item = u64> {
        self.keys.into_iter().map(|(_, key)| key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease(id: i64, ttl: i64) -> (LeaseId, Option<StoredLease>) {
        (LeaseId(id), Some(StoredLease { id: LeaseId(id), ttl, remaining_ttl: 0 }))
    }

    fn round(slots: &mut LeaseSlots) -> (Vec<u64>, Vec<u64>) {
        let mut round = Round::default();
        slots.write(&mut round);
        let puts = round.puts.iter().map(|put| put.key - first_lease_key(0)).collect();
        (puts, round.deletes.iter().map(|(_, key)| key - first_lease_key(0)).collect())
    }

    #[test]
    fn a_change_is_one_chunk_and_a_key_is_used_again_in_a_later_round() {
        let mut slots = LeaseSlots::new(0);
        for (id, stored) in [lease(7, 1), lease(-2, 1), lease(9, 1)] {
            slots.change(id, stored);
        }
        assert_eq!(round(&mut slots), (vec![0, 1, 2], vec![]), "in order of ids: -2, 7, 9");
        slots.change(LeaseId(7), None);
        let (id, stored) = lease(8, 1);
        slots.change(id, stored);
        assert_eq!(round(&mut slots), (vec![3], vec![1]));
        for (id, stored) in [lease(9, 5), lease(10, 1), (LeaseId(11), None)] {
            slots.change(id, stored);
        }
        assert_eq!(round(&mut slots), (vec![2, 1], vec![]));
        assert_eq!(round(&mut slots), (vec![], vec![]));
    }

    #[test]
    fn keys_between_those_on_disk_are_free() {
        let stored = |id| StoredLease { id: LeaseId(id), ttl: 5, remaining_ttl: 0 };
        let at = |slot| first_lease_key(0) + slot;
        let mut slots = LeaseSlots::recovered(0, &[(at(1), stored(4)), (at(2), stored(6))]);
        for (id, stored) in [lease(1, 1), lease(2, 1)] {
            slots.change(id, stored);
        }
        assert_eq!(round(&mut slots), (vec![0, 3], vec![]));
    }
}
