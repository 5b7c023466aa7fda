//! The primary's own part: when leases expire, and what is to be done when.
//!
//! What it is: times, by this member's clock, of leases that the replicated part names.
//! What it is not: replicated, stored or hashed; a demotion throws it away.
//! Invariants: `expiries` and `looks` hold exactly the leases that exist; no lease is looked at before
//! it expires; `checkpoints` holds leases that exist only.
//! Source: etcd `server/lease/lessor.go`, `server/lease/lease_queue.go`.

use super::config::{
    CHECK_INTERVAL_MS, CHECKPOINT_BATCHES_PER_CHECK, CHECKPOINTS_PER_BATCH_MAX, Config,
};
use super::queue::Queue;
use super::replicated::{Lease, Leases};
use super::spread::spread;
use crate::api::{LeaseCheckpoint, LeaseCheckpointRequest};
use crate::types::{self, BigMap, LeaseId, Millis};

/// See the module's head.
#[derive(Clone, Debug)]
pub(super) struct Primary {
    /// When each lease expires, with a number that tells which of two was set first: a tick is coarser than etcd's
    /// clock.
    expiries: BigMap<LeaseId, (Millis, u64)>,
    /// The last of those numbers.
    last_set: u64,
    /// When each lease is looked at next: at its expiry, and after each revocation that was asked for.
    looks: Queue,
    /// When leases are checkpointed next.
    checkpoints: Queue,
    next_check: Millis,
}

impl Primary {
    /// Starts the time of every lease anew, `extend_ms` longer than it is.
    pub(super) fn new(config: &Config, leases: &Leases, now: Millis, extend_ms: u64) -> Self {
        let mut expiries: Vec<(Millis, LeaseId)> = leases
            .iter()
            .map(|(id, lease)| (now.plus(extend_ms).plus(lease.effective_ttl_ms()), id))
            .collect();
        types::sort(&mut expiries);
        if leases.count() >= u64::from(config.revoke_rate) {
            spread(&mut expiries, config.expiries_per_second());
        }
        let mut primary = Self {
            expiries: BigMap::new(),
            last_set: 0,
            looks: Queue::default(),
            checkpoints: Queue::default(),
            next_check: now.plus(CHECK_INTERVAL_MS),
        };
        for (expiry, id) in expiries {
            primary.set_expiry(id, expiry);
        }
        for (id, lease) in leases.iter() {
            primary.schedule_checkpoint(config, id, lease, now);
        }
        primary
    }

    /// Starts the time of one lease anew.
    pub(super) fn refresh(&mut self, id: LeaseId, lease: &Lease, now: Millis) {
        self.set_expiry(id, now.plus(lease.effective_ttl_ms()));
    }

    fn set_expiry(&mut self, id: LeaseId, expiry: Millis) {
        self.last_set += 1;
        self.expiries.insert(id, (expiry, self.last_set));
        self.looks.set(id, expiry);
    }

    /// When the lease expires.
    pub(super) fn expiry(&self, id: LeaseId) -> Option<Millis> {
        self.expiries.get(&id).map(|(expiry, _)| *expiry)
    }

    /// Where the lease stands among those that expire.
    pub(super) fn place(&self, id: LeaseId) -> Option<(Millis, u64)> {
        self.expiries.get(&id).copied()
    }

    /// Whether the lease's time is up.
    pub(super) fn is_expired(&self, id: LeaseId, now: Millis) -> bool {
        self.expiry(id).is_some_and(|expiry| expiry <= now)
    }

    /// Forgets a lease that ended.
    pub(super) fn remove(&mut self, id: LeaseId) {
        self.expiries.remove(&id);
        self.looks.remove(id);
        self.checkpoints.remove(id);
    }

    /// Plans the lease's next checkpoint, in place of one planned before, if it lives long enough.
    pub(super) fn schedule_checkpoint(
        &mut self,
        config: &Config,
        id: LeaseId,
        lease: &Lease,
        now: Millis,
    ) {
        if config.is_checkpointed(lease.effective_ttl()) {
            self.checkpoints.set(id, now.plus(config.checkpoint_interval_ms.max(1)));
        }
    }

    /// Whether a check is due; if so, the next one is set.
    pub(super) fn take_check(&mut self, now: Millis) -> bool {
        let is_due = self.next_check <= now;
        if is_due {
            self.next_check = now.plus(CHECK_INTERVAL_MS);
        }
        is_due
    }

    /// Leases whose time is up, the first to expire first; they are named again after a while.
    pub(super) fn expired(&mut self, config: &Config, now: Millis) -> Vec<LeaseId> {
        let mut expired = Vec::new();
        for _ in 0..config.revokes_per_check() {
            let Some(id) = self.looks.pop_due(now) else { break };
            assert!(self.is_expired(id, now), "lease {id} is looked at before it expires");
            // Asked again in the same check it would be named twice.
            self.looks.set(id, now.plus(config.expired_retry_ms.max(1)));
            expired.push(id);
        }
        expired
    }

    /// Checkpoints that are due, in proposals of bounded size.
    pub(super) fn due_checkpoints(
        &mut self,
        config: &Config,
        leases: &Leases,
        now: Millis,
    ) -> Vec<LeaseCheckpointRequest> {
        let mut batches = Vec::new();
        for _ in 0..CHECKPOINT_BATCHES_PER_CHECK {
            let checkpoints = self.checkpoint_batch(config, leases, now);
            if checkpoints.is_empty() {
                break;
            }
            batches.push(LeaseCheckpointRequest { checkpoints });
        }
        batches
    }

    fn checkpoint_batch(
        &mut self,
        config: &Config,
        leases: &Leases,
        now: Millis,
    ) -> Vec<LeaseCheckpoint> {
        let mut batch = Vec::new();
        while u32::try_from(batch.len()).is_ok_and(|length| length < CHECKPOINTS_PER_BATCH_MAX)
            && let Some(id) = self.checkpoints.pop_due(now)
        {
            let (Some(lease), Some(expiry)) = (leases.get(id), self.expiry(id)) else {
                unreachable!("a checkpoint of lease {id}, which does not exist, is planned");
            };
            let remaining_s = expiry.since(now).div_ceil(1000);
            let remaining_ttl = i64::try_from(remaining_s).unwrap_or(i64::MAX);
            if remaining_ttl >= lease.granted_ttl() {
                // Just renewed: there is nothing to note yet.
                self.schedule_checkpoint(config, id, lease, now);
            } else if remaining_ttl > 0 {
                batch.push(LeaseCheckpoint { id, remaining_ttl });
            }
        }
        batch
    }

    /// Asserts the invariants of the module's head.
    pub(super) fn assert_invariants(&self, leases: &Leases) {
        self.looks.assert_invariants();
        self.checkpoints.assert_invariants();
        assert!(
            leases.iter().map(|(id, _)| id).eq(self.expiries.keys().copied()),
            "every lease has an expiry, and nothing else has one"
        );
        assert!(self.looks.ids().eq(self.expiries.keys().copied()), "every lease is looked at");
        for (id, (expiry, _)) in &self.expiries {
            assert!(self.looks.time(*id) >= Some(*expiry), "lease {id} is looked at too early");
        }
        for id in self.checkpoints.ids() {
            assert!(leases.get(id).is_some(), "lease {id} is to be checkpointed and is no more");
        }
    }
}
