//! The lessor: the replicated leases, and on the primary their times.
//!
//! What it is, what it is not, and its invariants: see the head of `lease`.
//! Calls come in three kinds: applied ones (`grant`, `revoke`, `checkpoint`, `set_lease`) are made by
//! every member for the same entry; the primary's own ones (`renew`, `time_to_live`, `tick`) change
//! nothing that is replicated; `promote` and `demote` follow the leadership.

use bytes::Bytes;

use super::config::{Config, TTL_MAX};
use super::primary::Primary;
use super::replicated::{Error, Lease, Leases, StoredLease};
use crate::api::{self, LeaseCheckpoint, LeaseCheckpointRequest};
use crate::types::{self, LeaseId, Millis};

/// What a keep-alive came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// The time started anew.
    Renewed {
        /// Seconds granted.
        ttl: i64,
    },
    /// A checkpoint must be lifted first: propose this, and renew again once it is applied.
    LiftCheckpoint(LeaseCheckpointRequest),
    /// The lease expired and is not revoked yet: wait until it is (then it is gone), or until this
    /// member is demoted (then ask the next primary).
    AwaitRevoke,
}

/// What a primary knows of one lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeToLive {
    /// Whole seconds left; 0 or less if the lease expired and is not revoked yet.
    pub ttl: i64,
    /// Seconds granted.
    pub granted_ttl: i64,
    /// The attached keys, in order.
    pub keys: Vec<Bytes>,
}

/// What the server is to propose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actions {
    /// Leases to revoke, the first to expire first.
    pub revoke: Vec<LeaseId>,
    /// Checkpoints, a proposal each.
    pub checkpoints: Vec<LeaseCheckpointRequest>,
}

/// What happened at this member since it started; never stored or compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Grants applied. Source: etcd metric `etcd_debugging_lease_granted_total`.
    pub granted: u64,
    /// Revocations applied. Source: etcd metric `etcd_debugging_lease_revoked_total`.
    pub revoked: u64,
    /// Keep-alives that started a time anew. Source: etcd metric `etcd_debugging_lease_renewed_total`.
    pub renewed: u64,
}

/// See the module's head.
#[derive(Clone, Debug)]
pub struct Lessor {
    config: Config,
    leases: Leases,
    /// `None` unless this member is the primary.
    primary: Option<Primary>,
    counters: Counters,
}

impl Lessor {
    /// Without any lease, and not the primary.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self::from_leases(config, Leases::default())
    }

    /// With the leases that a snapshot holds, and not the primary.
    #[must_use]
    pub fn from_leases(config: Config, leases: Leases) -> Self {
        assert!((1..=TTL_MAX).contains(&config.ttl_min), "no lease can live {} s", config.ttl_min);
        Self { config, leases, primary: None, counters: Counters::default() }
    }

    /// With the leases that a disk holds, and not the primary.
    /// The keys are attached afterwards, with [`Self::set_lease`] for the newest row of each key.
    ///
    /// # Errors
    /// The stored leases contradict themselves.
    pub fn restore(
        config: Config,
        stored: impl IntoIterator<Item = StoredLease>,
    ) -> Result<Self, Error> {
        let mut leases = Leases::default();
        for lease in stored {
            leases.add(lease, config.ttl_min)?;
        }
        Ok(Self::from_leases(config, leases))
    }

    /// The settings.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// The replicated part.
    #[must_use]
    pub const fn leases(&self) -> &Leases {
        &self.leases
    }

    /// See [`Counters`].
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Whether this member looks after the leases.
    #[must_use]
    pub const fn is_primary(&self) -> bool {
        self.primary.is_some()
    }

    /// Whether the lease exists.
    #[must_use]
    pub fn exists(&self, id: LeaseId) -> bool {
        self.leases.get(id).is_some()
    }

    /// What the disk is to keep of the lease; `None` if it does not exist (any more).
    #[must_use]
    pub fn stored(&self, id: LeaseId) -> Option<StoredLease> {
        self.leases.get(id).map(|lease| self.to_stored(id, lease))
    }

    /// What the disk is to keep, by id.
    pub fn all_stored(&self) -> impl Iterator<Item = StoredLease> {
        self.leases.iter().map(|(id, lease)| self.to_stored(id, lease))
    }

    fn to_stored(&self, id: LeaseId, lease: &Lease) -> StoredLease {
        let remaining_ttl = if self.config.checkpoint_persist { lease.remaining_ttl() } else { 0 };
        StoredLease { id, ttl: lease.granted_ttl(), remaining_ttl }
    }

    /// Applies a grant; gives back the time to live granted, which is at least the minimum.
    ///
    /// # Errors
    /// `LeaseNotFound` for id 0 (the server has to choose one before it proposes),
    /// `LeaseTtlTooLarge`, `LeaseExist`.
    pub fn grant(&mut self, id: LeaseId, ttl: i64, now: Millis) -> Result<i64, api::Error> {
        if id == LeaseId(0) {
            return Err(api::Error::LeaseNotFound);
        }
        if ttl > TTL_MAX {
            return Err(api::Error::LeaseTtlTooLarge);
        }
        let granted_ttl = ttl.max(self.config.ttl_min);
        self.leases.grant(id, granted_ttl)?;
        self.counters.granted += 1;
        if let (Some(primary), Some(lease)) = (&mut self.primary, self.leases.get(id)) {
            primary.refresh(id, lease, now);
            primary.schedule_checkpoint(&self.config, id, lease, now);
        }
        Ok(granted_ttl)
    }

    /// Applies a revocation; gives back the keys, in order, which the server deletes in one revision.
    ///
    /// # Errors
    /// `LeaseNotFound`.
    pub fn revoke(&mut self, id: LeaseId) -> Result<Vec<Bytes>, api::Error> {
        let keys = self.leases.revoke(id)?;
        if let Some(primary) = &mut self.primary {
            primary.remove(id);
        }
        self.counters.revoked += 1;
        Ok(keys)
    }

    /// Applies a checkpoint. The expiry stays as it is: the next promotion starts from the note.
    pub fn checkpoint(&mut self, checkpoint: LeaseCheckpoint, now: Millis) {
        let id = checkpoint.id;
        self.leases.checkpoint(id, checkpoint.remaining_ttl);
        if let (Some(primary), Some(lease)) = (&mut self.primary, self.leases.get(id)) {
            primary.schedule_checkpoint(&self.config, id, lease, now);
        }
    }

    /// Follows a row of the store: `key` was written with this lease, or, with 0, without one or
    /// deleted. It is then attached to that lease and to no other.
    ///
    /// # Errors
    /// `LeaseNotFound`; the key stays as it was.
    pub fn set_lease(&mut self, key: &Bytes, id: LeaseId) -> Result<(), api::Error> {
        if id == LeaseId(0) {
            self.leases.detach(key);
            return Ok(());
        }
        self.leases.attach(id, key)
    }

    /// A keep-alive: starts the lease's time anew.
    ///
    /// # Errors
    /// `NotPrimary`, `LeaseNotFound`.
    pub fn renew(&mut self, id: LeaseId, now: Millis) -> Result<Renewal, api::Error> {
        let Some(primary) = &mut self.primary else { return Err(api::Error::NotPrimary) };
        let Some(lease) = self.leases.get(id) else { return Err(api::Error::LeaseNotFound) };
        if primary.is_expired(id, now) {
            return Ok(Renewal::AwaitRevoke);
        }
        if self.config.checkpoints && lease.remaining_ttl() > 0 {
            let checkpoints = vec![LeaseCheckpoint { id, remaining_ttl: 0 }];
            return Ok(Renewal::LiftCheckpoint(LeaseCheckpointRequest { checkpoints }));
        }
        primary.refresh(id, lease, now);
        self.counters.renewed += 1;
        Ok(Renewal::Renewed { ttl: lease.granted_ttl() })
    }

    /// How long the lease still lives, and what is attached to it.
    ///
    /// # Errors
    /// `LeaseNotFound`; `LeaderChanged` if this member is not the primary (any more).
    pub fn time_to_live(&self, id: LeaseId, now: Millis) -> Result<TimeToLive, api::Error> {
        let lease = self.leases.get(id).ok_or(api::Error::LeaseNotFound)?;
        let expiry = self.expiry(id).ok_or(api::Error::LeaderChanged)?;
        // Both ways whole seconds towards zero, as Go converts a duration.
        let seconds = |ms: u64| i64::try_from(ms / 1000).unwrap_or(i64::MAX);
        Ok(TimeToLive {
            ttl: seconds(expiry.since(now)) - seconds(now.since(expiry)),
            granted_ttl: lease.granted_ttl(),
            keys: lease.keys().cloned().collect(),
        })
    }

    /// When the lease expires by this member's clock; `None` unless it is the primary.
    #[must_use]
    pub fn expiry(&self, id: LeaseId) -> Option<Millis> {
        self.primary.as_ref().and_then(|primary| primary.expiry(id))
    }

    /// All leases: on the primary the next to expire first, elsewhere by id.
    #[must_use]
    pub fn list(&self) -> Vec<LeaseId> {
        let place = |id| self.primary.as_ref().and_then(|primary| primary.place(id));
        let ids = self.leases.iter().map(|(id, _)| id);
        let mut placed: Vec<(Option<(Millis, u64)>, LeaseId)> =
            ids.map(|id| (place(id), id)).collect();
        types::sort(&mut placed);
        placed.into_iter().map(|(_, id)| id).collect()
    }

    /// This member leads and has applied everything of earlier terms: it looks after the leases from
    /// now on, and gives each its full time (or what a checkpoint left of it) and `extend_ms` more.
    pub fn promote(&mut self, now: Millis, extend_ms: u64) {
        self.primary = Some(Primary::new(&self.config, &self.leases, now, extend_ms));
    }

    /// This member does not lead: no lease expires here.
    pub fn demote(&mut self) {
        self.primary = None;
    }

    /// What is to be proposed. Cheap between two checks; anything but a primary has nothing to do.
    #[must_use]
    pub fn tick(&mut self, now: Millis) -> Actions {
        let Some(primary) = &mut self.primary else { return Actions::default() };
        if !primary.take_check(now) {
            return Actions::default();
        }
        Actions {
            revoke: primary.expired(&self.config, now),
            checkpoints: primary.due_checkpoints(&self.config, &self.leases, now),
        }
    }

    /// Asserts the invariants of `lease`, at the price of a look at every lease and key.
    ///
    /// # Panics
    /// If one is broken.
    pub fn assert_invariants(&self) {
        self.leases.assert_invariants();
        if let Some(primary) = &self.primary {
            primary.assert_invariants(&self.leases);
        }
    }
}
