//! What a cluster can be set to: etcd's flags, one value for all members.
//!
//! What it is: the numbers and switches that a cluster's description carries, with etcd's defaults, and
//! etcd's checks of them.
//! What it is not: what differs from member to member (name, URLs, seed; see `etcdserver::ServerConfig`).
//! Invariants: every field names its flag, unit, range and default; a description that lacks a field means
//! its default.
//! Source: etcd `server/embed/config.go`.

use serde::{Deserialize, Serialize};

/// etcd's default. Unit: entries. Source: etcd `server/etcdserver/server.go` (`DefaultSnapshotCount`).
pub const SNAPSHOT_COUNT_DEFAULT: u64 = 10_000;

/// etcd's default. Unit: entries. Source: etcd `DefaultSnapshotCatchUpEntries`.
pub const SNAPSHOT_CATCHUP_ENTRIES_DEFAULT: u64 = 5_000;

/// etcd's default quota. Unit: bytes. Source: etcd `server/storage/quota.go`.
pub const QUOTA_BYTES_DEFAULT: i64 = 2 * 1024 * 1024 * 1024;

/// The page's default quota: small, so that running out of space takes a minute. Unit: bytes.
pub const QUOTA_BYTES_PAGE: i64 = 16 * 1024 * 1024;

/// Shortest interval of progress notifications. Unit: ms. Source: etcd `minWatchProgressInterval`.
const PROGRESS_NOTIFY_MS_MIN: u64 = 100;

/// Longest election timeout. Unit: ms. Source: etcd `maxElectionMs`.
const ELECTION_MS_MAX: u64 = 50_000;

/// Heartbeats in an election timeout at least. Source: etcd `Config.Validate`.
const ELECTION_TICKS_MIN: u32 = 5;

/// When history is forgotten without being asked to: `--auto-compaction-mode` and
/// `--auto-compaction-retention`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AutoCompaction {
    /// Never. etcd's default: a retention of 0.
    #[default]
    Off,
    /// What is older than this goes.
    Periodic {
        /// Unit: ms. Range: 1 or more.
        retention_ms: u64,
    },
    /// All but this many of the newest revisions goes.
    Revision {
        /// Unit: revisions. Range: 1 or more.
        retention: i64,
    },
}

/// See the module's head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// `--heartbeat-interval`. Unit: ms per tick. Range: 1 or more. Default: 100.
    pub tick_ms: u64,
    /// `--election-timeout` in ticks. Range: 5 or more, at most 50 s. Default: 10.
    pub election_ticks: u32,
    /// `--pre-vote`. Default: true.
    pub pre_vote: bool,
    /// Raft's `CheckQuorum`: a leader that hears from too few steps down. etcd always has it on; ours can go without,
    /// to see what it is for. Default: true.
    pub check_quorum: bool,
    /// `--initial-election-tick-advance`. Default: true.
    pub initial_election_tick_advance: bool,
    /// `--quota-backend-bytes`. Unit: bytes; negative: no quota. Default: 2 GiB.
    pub quota_bytes: i64,
    /// `--max-request-bytes`. Unit: bytes. Default: 1.5 MiB.
    pub max_request_bytes: u64,
    /// `--max-txn-ops`. Default: 128.
    pub max_txn_ops: u64,
    /// `--snapshot-count`. Unit: applied entries between two compactions of the log. Default: 10,000.
    pub snapshot_count: u64,
    /// `--snapshot-catchup-entries`. Unit: entries that such a compaction leaves. Default: 5,000.
    pub snapshot_catchup_entries: u64,
    /// `--max-learners`. Default: 1.
    pub max_learners: u32,
    /// `--strict-reconfig-check`. Default: true.
    pub strict_reconfig_check: bool,
    /// `--auto-compaction-mode`, `--auto-compaction-retention`. Default: off.
    pub auto_compaction: AutoCompaction,
    /// `--compaction-batch-limit`. Unit: rows looked at in one step. Range: 1 or more. Default: 1,000.
    pub compaction_batch_limit: u32,
    /// `--compaction-sleep-interval`. Unit: ms between two steps. Default: 10.
    pub compaction_sleep_ms: u64,
    /// `--corrupt-check-time`. Unit: ms between two checks; 0: never. Default: 0.
    pub corrupt_check_ms: u64,
    /// Feature `InitialCorruptCheck`. Default: false.
    pub initial_corrupt_check: bool,
    /// Feature `CompactHashCheck`. Default: false.
    pub compact_hash_check: bool,
    /// `--compact-hash-check-time`. Unit: ms. Range: 1 or more. Default: 60,000.
    pub compact_hash_check_ms: u64,
    /// `--watch-progress-notify-interval`. Unit: ms. Range: 100 or more. Default: 600,000.
    pub watch_progress_notify_ms: u64,
    /// `--warning-apply-duration`. Unit: ms. Default: 100.
    pub warning_apply_ms: u64,
    /// Feature `LeaseCheckpoint`. Default: false.
    pub lease_checkpoint: bool,
    /// Time between two checkpoints of a lease. Unit: ms. Default: 300,000.
    /// Source: etcd `defaultLeaseCheckpointInterval`.
    pub lease_checkpoint_interval_ms: u64,
    /// `--bcrypt-cost`. Range: 4 to 31, else the default. Default: 10.
    pub bcrypt_cost: u32,
    /// `--auth-token-ttl`. Unit: s. Default: 300.
    pub auth_token_ttl_s: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tick_ms: 100,
            election_ticks: 10,
            pre_vote: true,
            check_quorum: true,
            initial_election_tick_advance: true,
            quota_bytes: QUOTA_BYTES_DEFAULT,
            max_request_bytes: 1536 * 1024,
            max_txn_ops: 128,
            snapshot_count: SNAPSHOT_COUNT_DEFAULT,
            snapshot_catchup_entries: SNAPSHOT_CATCHUP_ENTRIES_DEFAULT,
            max_learners: 1,
            strict_reconfig_check: true,
            auto_compaction: AutoCompaction::Off,
            compaction_batch_limit: 1_000,
            compaction_sleep_ms: 10,
            corrupt_check_ms: 0,
            initial_corrupt_check: false,
            compact_hash_check: false,
            compact_hash_check_ms: 60_000,
            watch_progress_notify_ms: 600_000,
            warning_apply_ms: 100,
            lease_checkpoint: false,
            lease_checkpoint_interval_ms: 300_000,
            bcrypt_cost: 10,
            auth_token_ttl_s: 300,
        }
    }
}

/// Why settings are refused; etcd's words where it has some.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSettings {
    /// A tick takes no time.
    #[error("--heartbeat-interval must be >0 (set to 0ms)")]
    NoHeartbeat,
    /// Fewer than five heartbeats fit into an election timeout.
    #[error(
        "--election-timeout[{election_ms}ms] should be at least as 5 times as \
         --heartbeat-interval[{tick_ms}ms]"
    )]
    ElectionTooShort {
        /// The election timeout.
        election_ms: u64,
        /// The heartbeat interval.
        tick_ms: u64,
    },
    /// An election timeout over 50 s.
    #[error("--election-timeout[{election_ms}ms] is too long, and should be set less than 50000ms")]
    ElectionTooLong {
        /// The election timeout.
        election_ms: u64,
    },
    /// A check that would run all the time.
    #[error("--compact-hash-check-time must be >0 (set to 0s)")]
    NoCompactHashCheckTime,
    /// A compaction that would keep nothing.
    #[error("--auto-compaction-retention must be >0")]
    NoRetention,
    /// Compactions that would never get on.
    #[error("--compaction-batch-limit must be >0")]
    NoCompactionBatch,
}

impl Settings {
    /// The election timeout. Unit: ms.
    #[must_use]
    pub fn election_ms(&self) -> u64 {
        u64::from(self.election_ticks).saturating_mul(self.tick_ms)
    }

    /// The interval of progress notifications, raised to the shortest there is. Unit: ms.
    #[must_use]
    pub fn progress_notify_ms(&self) -> u64 {
        self.watch_progress_notify_ms.max(PROGRESS_NOTIFY_MS_MIN)
    }

    /// Whether a cluster can run with these.
    ///
    /// # Errors
    /// [`InvalidSettings`], the first that applies.
    pub fn check(&self) -> Result<(), InvalidSettings> {
        let (tick_ms, election_ms) = (self.tick_ms, self.election_ms());
        if tick_ms == 0 {
            return Err(InvalidSettings::NoHeartbeat);
        }
        if self.election_ticks < ELECTION_TICKS_MIN {
            return Err(InvalidSettings::ElectionTooShort { election_ms, tick_ms });
        }
        if election_ms > ELECTION_MS_MAX {
            return Err(InvalidSettings::ElectionTooLong { election_ms });
        }
        let keeps_nothing = match self.auto_compaction {
            AutoCompaction::Off => false,
            AutoCompaction::Periodic { retention_ms } => retention_ms == 0,
            AutoCompaction::Revision { retention } => retention <= 0,
        };
        if keeps_nothing {
            return Err(InvalidSettings::NoRetention);
        }
        if self.compact_hash_check_ms == 0 {
            return Err(InvalidSettings::NoCompactHashCheckTime);
        }
        if self.compaction_batch_limit == 0 {
            return Err(InvalidSettings::NoCompactionBatch);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_cluster_can_run_with_is_refused_in_etcds_words() {
        let text = |change: fn(&mut Settings)| {
            let mut settings = Settings::default();
            change(&mut settings);
            settings.check().map_err(|error| error.to_string())
        };
        assert_eq!(text(|_| {}), Ok(()));
        assert_eq!(
            text(|settings| settings.election_ticks = 4).unwrap_err(),
            "--election-timeout[400ms] should be at least as 5 times as --heartbeat-interval[100ms]"
        );
        assert_eq!(
            text(|settings| settings.election_ticks = 501).unwrap_err(),
            "--election-timeout[50100ms] is too long, and should be set less than 50000ms"
        );
        assert_eq!(
            text(|settings| settings.compact_hash_check_ms = 0).unwrap_err(),
            "--compact-hash-check-time must be >0 (set to 0s)"
        );
        let revision = AutoCompaction::Revision { retention: 0 };
        assert_eq!(
            Settings { auto_compaction: revision, ..Settings::default() }.check(),
            Err(InvalidSettings::NoRetention)
        );
        assert!(text(|settings| settings.tick_ms = 0).is_err());
        assert!(text(|settings| settings.compaction_batch_limit = 0).is_err());
    }

    #[test]
    fn a_description_that_lacks_a_field_means_its_default() {
        let read: Settings = serde_json::from_str(
            r#"{"snapshot_count": 7, "auto_compaction": {"Revision": {"retention": 3}}}"#,
        )
        .unwrap();
        let auto_compaction = AutoCompaction::Revision { retention: 3 };
        assert_eq!(read, Settings { snapshot_count: 7, auto_compaction, ..Settings::default() });
        let text = serde_json::to_string(&read).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), read);
        assert_eq!(Settings { watch_progress_notify_ms: 7, ..read }.progress_notify_ms(), 100);
    }
}
