//! The replicated part: which leases exist, and which keys are attached to them.
//!
//! What it is: a value that every member changes in the same way as entries are applied, so it is
//! equal on all members at an equal index; it is hashed and compared through its serde form.
//! What it is not: anything that knows the time.
//! Invariants: no lease has id 0; `1 <= granted_ttl <= TTL_MAX`, `0 <= remaining_ttl <= granted_ttl`;
//! `by_key` is the inverse of the leases' key sets; no attached key is empty; everything iterates in
//! order, of id or of key bytes.
//! Source: etcd `server/lease/lessor.go`, `server/lease/leasepb/lease.proto`.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::config::TTL_MAX;
use crate::api;
use crate::types::{BigMap, BigSet, LeaseId};

/// The absence of a lease.
const NO_LEASE: LeaseId = LeaseId(0);

/// What is wrong with leases that come from a disk or from another member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A lease without an id.
    #[error("a stored lease has id 0")]
    NoId,
    /// Two leases with one id.
    #[error("lease {0:016x} is stored twice")]
    Duplicate(LeaseId),
    /// Times that no grant and no checkpoint can have made.
    #[error("lease {0:016x} is stored with times that cannot be")]
    Ttl(LeaseId),
    /// A key that is empty, or attached to two leases.
    #[error("lease {0:016x} is stored with a key that cannot be attached to it")]
    Key(LeaseId),
}

/// A lease as the disk keeps it; its keys are found again through the lease field of their rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredLease {
    /// The lease.
    pub id: LeaseId,
    /// Seconds granted.
    pub ttl: i64,
    /// Seconds left at the last checkpoint; 0 means that there is none.
    pub remaining_ttl: i64,
}

/// A lease as every member knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    granted_ttl: i64,
    remaining_ttl: i64,
    keys: BigSet<Bytes>,
}

impl Lease {
    /// Seconds granted.
    #[must_use]
    pub const fn granted_ttl(&self) -> i64 {
        self.granted_ttl
    }

    /// Seconds left at the last checkpoint; 0 means that there is none.
    #[must_use]
    pub const fn remaining_ttl(&self) -> i64 {
        self.remaining_ttl
    }

    /// How many keys are attached.
    #[must_use]
    pub fn key_count(&self) -> u64 {
        u64::try_from(self.keys.len()).unwrap_or(u64::MAX)
    }

    /// The attached keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &Bytes> {
        self.keys.iter()
    }

    /// Seconds that the lease lives from its next refresh on: what the last checkpoint left, or all.
    pub(super) const fn effective_ttl(&self) -> i64 {
        if self.remaining_ttl > 0 { self.remaining_ttl } else { self.granted_ttl }
    }

    /// The same in milliseconds.
    pub(super) fn effective_ttl_ms(&self) -> u64 {
        u64::try_from(self.effective_ttl()).map_or(0, |seconds| seconds.saturating_mul(1000))
    }
}

/// See the module's head.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Form", into = "Form")]
pub struct Leases {
    by_id: BigMap<LeaseId, Lease>,
    by_key: BigMap<Bytes, LeaseId>,
}

impl Leases {
    /// The lease, if it exists.
    #[must_use]
    pub fn get(&self, id: LeaseId) -> Option<&Lease> {
        self.by_id.get(&id)
    }

    /// The lease that the key is attached to.
    #[must_use]
    pub fn of_key(&self, key: &[u8]) -> Option<LeaseId> {
        self.by_key.get(key).copied()
    }

    /// All leases, by id.
    pub fn iter(&self) -> impl Iterator<Item = (LeaseId, &Lease)> {
        self.by_id.iter().map(|(id, lease)| (*id, lease))
    }

    /// All attached keys with their leases, by key.
    pub fn attachments(&self) -> impl Iterator<Item = (&Bytes, LeaseId)> {
        self.by_key.iter().map(|(key, id)| (key, *id))
    }

    /// How many leases there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        u64::try_from(self.by_id.len()).unwrap_or(u64::MAX)
    }

    /// Adds a lease; `ttl` is within its limits already.
    pub(super) fn grant(&mut self, id: LeaseId, ttl: i64) -> Result<(), api::Error> {
        if id == NO_LEASE {
            return Err(api::Error::LeaseNotFound);
        }
        assert!((1..=TTL_MAX).contains(&ttl), "a lease lives {ttl} s");
        if self.by_id.contains_key(&id) {
            return Err(api::Error::LeaseExist);
        }
        let lease = Lease { granted_ttl: ttl, remaining_ttl: 0, keys: BigSet::new() };
        self.by_id.insert(id, lease);
        Ok(())
    }

    /// Adds a lease from a disk; a time to live below `ttl_min` is raised to it.
    pub(super) fn add(&mut self, stored: StoredLease, ttl_min: i64) -> Result<(), Error> {
        let StoredLease { id, ttl, remaining_ttl } = stored;
        if id == NO_LEASE {
            return Err(Error::NoId);
        }
        if !(1..=TTL_MAX).contains(&ttl) || !(0..=ttl).contains(&remaining_ttl) {
            return Err(Error::Ttl(id));
        }
        self.grant(id, ttl.max(ttl_min)).map_err(|_exists| Error::Duplicate(id))?;
        self.checkpoint(id, remaining_ttl);
        Ok(())
    }

    /// Ends a lease; gives back its keys in order.
    pub(super) fn revoke(&mut self, id: LeaseId) -> Result<Vec<Bytes>, api::Error> {
        let lease = self.by_id.remove(&id).ok_or(api::Error::LeaseNotFound)?;
        for key in lease.keys.iter() {
            assert_eq!(self.by_key.remove(key), Some(id), "a key of lease {id} belongs to it");
        }
        Ok(lease.keys.iter().cloned().collect())
    }

    /// Notes how many seconds a lease has left; 0 lifts the note. Of a lease that ended, nothing.
    pub(super) fn checkpoint(&mut self, id: LeaseId, remaining_ttl: i64) {
        if let Some(lease) = self.by_id.get_mut(&id) {
            lease.remaining_ttl = remaining_ttl.clamp(0, lease.granted_ttl);
        }
    }

    /// Attaches the key to the lease, and to no other.
    pub(super) fn attach(&mut self, id: LeaseId, key: &Bytes) -> Result<(), api::Error> {
        if !self.by_id.contains_key(&id) {
            return Err(api::Error::LeaseNotFound);
        }
        if self.of_key(key) == Some(id) {
            return Ok(());
        }
        self.detach(key);
        if let Some(lease) = self.by_id.get_mut(&id) {
            lease.keys.insert(key.clone());
            self.by_key.insert(key.clone(), id);
        }
        Ok(())
    }

    /// Detaches the key from whatever lease it is attached to.
    pub(super) fn detach(&mut self, key: &[u8]) {
        let Some(id) = self.by_key.remove(key) else { return };
        let was_attached = self.by_id.get_mut(&id).is_some_and(|lease| lease.keys.remove(key));
        assert!(was_attached, "a key attached to lease {id} stands in its set");
    }

    /// Asserts the invariants of the module's head.
    pub(super) fn assert_invariants(&self) {
        let mut keys = 0;
        for (id, lease) in self.iter() {
            assert!(id != NO_LEASE, "a lease has id 0");
            assert!((1..=TTL_MAX).contains(&lease.granted_ttl), "lease {id}: {lease:?}");
            assert!((0..=lease.granted_ttl).contains(&lease.remaining_ttl), "{id}: {lease:?}");
            for key in lease.keys() {
                assert!(!key.is_empty(), "an empty key is attached to lease {id}");
                assert_eq!(self.of_key(key), Some(id), "key {key:?} knows its lease");
                keys += 1;
            }
        }
        assert_eq!(keys, self.by_key.len(), "every attached key stands in a lease");
    }
}

/// How [`Leases`] look outside: a list in order of id, each with its keys in order.
#[derive(Serialize, Deserialize)]
struct Form(Vec<(StoredLease, Vec<Bytes>)>);

impl From<Leases> for Form {
    fn from(leases: Leases) -> Self {
        let with_keys = leases.by_id.into_iter().map(|(id, lease)| {
            let Lease { granted_ttl: ttl, remaining_ttl, keys } = lease;
            (StoredLease { id, ttl, remaining_ttl }, keys.iter().cloned().collect())
        });
        Self(with_keys.collect())
    }
}

impl TryFrom<Form> for Leases {
    type Error = Error;

    fn try_from(form: Form) -> Result<Self, Error> {
        let mut leases = Self::default();
        for (stored, keys) in form.0 {
            leases.add(stored, 1)?;
            for key in keys {
                let refused = Error::Key(stored.id);
                if key.is_empty() || leases.of_key(&key).is_some() {
                    return Err(refused);
                }
                leases.attach(stored.id, &key).map_err(|_unknown| refused)?;
            }
        }
        Ok(leases)
    }
}
