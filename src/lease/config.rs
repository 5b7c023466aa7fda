//! The lessor's numbers: limits that are fixed, and settings that follow the cluster's timing.
//!
//! What it is not: a place for settings of others; the election timeout itself is given to
//! `Lessor::promote`.
//! Source: etcd `server/lease/lessor.go`, `server/etcdserver/server.go`, `server/config/config.go`.

/// Longest time to live, in seconds. Source: etcd `MaxLeaseTTL`.
pub const TTL_MAX: i64 = 9_000_000_000;

/// Milliseconds between two looks for expired leases and due checkpoints.
/// Source: etcd `runLoop`, 500 ms.
pub const CHECK_INTERVAL_MS: u64 = 500;

/// Checks in a second, for rates that are counted by the second.
const CHECKS_PER_SECOND: u32 = 2;

/// Most leases that one proposal checkpoints. Source: etcd `maxLeaseCheckpointBatchSize`.
pub const CHECKPOINTS_PER_BATCH_MAX: u32 = 1000;

/// Most proposals with checkpoints at one check. Source: etcd `leaseCheckpointRate`, 1,000 a second.
pub const CHECKPOINT_BATCHES_PER_CHECK: u32 = 500;

/// The settings of a [`Lessor`](super::Lessor).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Shortest time to live, in seconds; smaller ones are raised to it.
    pub ttl_min: i64,
    /// Leases revoked per second at most; from this many leases on, a promotion spreads them.
    /// Source: etcd `defaultLeaseRevokeRate`, 1,000.
    pub revoke_rate: u32,
    /// Milliseconds until a lease whose revocation was asked for, and did not come, is named again.
    /// Source: etcd's request timeout.
    pub expired_retry_ms: u64,
    /// Whether remaining times are checkpointed. Source: etcd feature `LeaseCheckpoint`, off.
    pub checkpoints: bool,
    /// Milliseconds between two checkpoints of a lease.
    /// Source: etcd `defaultLeaseCheckpointInterval`, 5 minutes.
    pub checkpoint_interval_ms: u64,
    /// Whether stored leases keep their checkpoint over a restart.
    /// Source: etcd from cluster version 3.6 on, always.
    pub checkpoint_persist: bool,
}

impl Config {
    /// etcd's settings for this timing: the shortest time to live is one and a half election
    /// timeouts, rounded up to a second.
    #[must_use]
    pub fn for_timing(tick_ms: u64, election_ticks: u64) -> Self {
        let ttl_min_ms = (election_ticks.saturating_mul(3) / 2).saturating_mul(tick_ms);
        let election_ms = election_ticks.saturating_mul(tick_ms);
        Self {
            ttl_min: i64::try_from(ttl_min_ms.div_ceil(1000)).unwrap_or(TTL_MAX).clamp(1, TTL_MAX),
            revoke_rate: 1000,
            expired_retry_ms: election_ms.saturating_mul(2).saturating_add(5000),
            checkpoints: false,
            checkpoint_interval_ms: 300_000,
            checkpoint_persist: true,
        }
    }

    /// Most leases named for revocation at one check.
    pub(super) fn revokes_per_check(&self) -> u32 {
        (self.revoke_rate / CHECKS_PER_SECOND).max(1)
    }

    /// Most leases that may expire within a second after a promotion: fewer than can be revoked, so
    /// that a pile of them does not take the whole rate.
    pub(super) fn expiries_per_second(&self) -> u32 {
        let three_quarters = u64::from(self.revoke_rate) * 3 / 4;
        u32::try_from(three_quarters).unwrap_or(u32::MAX).max(1)
    }

    /// Whether a lease with this time to live is worth a checkpoint.
    pub(super) fn is_checkpointed(&self, ttl: i64) -> bool {
        let interval_s = i64::try_from(self.checkpoint_interval_ms / 1000).unwrap_or(i64::MAX);
        self.checkpoints && ttl > interval_s
    }
}
