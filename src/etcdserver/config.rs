//! What a member is started with.
//!
//! What it is: etcd's flags of the same names, with etcd's defaults.
//! What it is not: a parser; drivers fill it in.
//! Invariants: every number states unit, range, default and source.

use crate::api::{self, AutoCompaction, Settings};
use crate::auth::AuthConfig;
use crate::types::{ClusterId, MemberId};

/// Settings of one member.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Whose.
    pub member: MemberId,
    /// The static members, this one included, with names, peer and client URLs.
    pub members: Vec<api::Member>,
    /// `--initial-cluster-token`. Default: `etcd-cluster`.
    pub token: String,
    /// `--heartbeat-interval`. Unit: ms per tick. Range: 1 to 5000. Default: 100.
    /// Source: etcd `server/embed/config.go`.
    pub tick_ms: u64,
    /// `--election-timeout` in ticks. Range: 5 or more. Default: 10.
    /// Source: etcd `server/embed/config.go` (1000 ms).
    pub election_ticks: u32,
    /// `--pre-vote`. Default: true.
    pub pre_vote: bool,
    /// See [`Settings::check_quorum`].
    pub check_quorum: bool,
    /// `--initial-election-tick-advance`. Default: true.
    pub initial_election_tick_advance: bool,
    /// `--quota-backend-bytes`. Default: 2 GiB; 16 MiB in the page.
    pub quota_bytes: i64,
    /// `--max-request-bytes`. Unit: bytes. Default: 1.5 MiB.
    pub max_request_bytes: u64,
    /// `--max-txn-ops`. Default: 128.
    pub max_txn_ops: u64,
    /// Appends on their way to one follower. Unit: messages. Range: 1 or more. Default: 512.
    /// Source: etcd `server/etcdserver/bootstrap.go` (`maxInflightMsgs`).
    pub max_inflight_messages: u32,
    /// Entries in one append. Unit: encoded bytes; one entry always fits. Default: 1 MiB.
    /// Source: etcd `server/etcdserver/bootstrap.go` (`maxSizePerMsg`).
    pub max_append_bytes: u64,
    /// Seed of all random draws; the member and its boot number are mixed in.
    pub seed: u64,
    /// `--initial-cluster-state`. Default: new.
    pub initial_state: InitialState,
    /// `--force-new-cluster`. Default: false.
    pub force_new_cluster: bool,
    /// `--snapshot-count`. Unit: applied entries between two compactions of the log. Default: 10,000.
    pub snapshot_count: u64,
    /// `--snapshot-catchup-entries`: what a compaction of the log leaves. Unit: entries. Default: 5,000.
    pub snapshot_catchup_entries: u64,
    /// `--max-learners`. Default: 1.
    pub max_learners: u32,
    /// `--strict-reconfig-check`. Default: true.
    pub strict_reconfig_check: bool,
    /// `--corrupt-check-time`. Unit: ms between two checks; 0 means never. Default: 0.
    pub corrupt_check_ms: u64,
    /// Feature `InitialCorruptCheck`: a restarted member compares its data with its peers' before it
    /// serves anybody. Default: false.
    pub initial_corrupt_check: bool,
    /// Feature `CompactHashCheck`, with `--compact-hash-check-time`; 0 without it. Unit: ms between two
    /// checks. Default: 0; etcd: the feature is off, its time 60,000.
    pub compact_hash_check_ms: u64,
    /// `--auto-compaction-mode` and `--auto-compaction-retention`. Default: off.
    pub auto_compaction: AutoCompaction,
    /// `--compaction-batch-limit`. Unit: rows looked at in one step. Default: 1,000.
    pub compaction_batch_limit: u32,
    /// `--compaction-sleep-interval`. Unit: ms between two steps; a tick does as many steps as fit.
    /// Default: 10.
    pub compaction_sleep_ms: u64,
    /// `--watch-progress-notify-interval`. Unit: ms. Range: 100 or more. Default: 600,000.
    pub watch_progress_notify_ms: u64,
    /// `--warning-apply-duration`. Unit: ms. Default: 100.
    pub warning_apply_ms: u64,
    /// `--lease-checkpoint-interval`, with etcd's feature `LeaseCheckpoint`; 0 without it. Unit: ms.
    /// Default: 0; etcd: the feature is off, its interval 300,000.
    pub lease_checkpoint_ms: u64,
    /// `--bcrypt-cost` and `--auth-token-ttl`.
    pub auth: AuthConfig,
    /// The driver's clock at the start, for the ids of added members. Unit: s since 1970.
    pub unix_s: i64,
}

/// How a member without data comes to its cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialState {
    /// It founds it, together with the other static members.
    #[default]
    New,
    /// It was added to this one, and learns everything from its peers.
    Existing(ClusterId),
}

pub use crate::api::{
    QUOTA_BYTES_DEFAULT, QUOTA_BYTES_PAGE, SNAPSHOT_CATCHUP_ENTRIES_DEFAULT, SNAPSHOT_COUNT_DEFAULT,
};

impl ServerConfig {
    /// etcd's defaults for `member` of `members`.
    #[must_use]
    pub fn new(member: MemberId, members: Vec<api::Member>, seed: u64) -> Self {
        let mut config = Self {
            member,
            members,
            token: "etcd-cluster".to_owned(),
            tick_ms: 0,
            election_ticks: 0,
            pre_vote: true,
            check_quorum: true,
            initial_election_tick_advance: true,
            quota_bytes: 0,
            max_request_bytes: 0,
            max_txn_ops: 0,
            max_inflight_messages: 512,
            max_append_bytes: 1024 * 1024,
            seed,
            initial_state: InitialState::New,
            force_new_cluster: false,
            snapshot_count: 0,
            snapshot_catchup_entries: 0,
            max_learners: 0,
            strict_reconfig_check: true,
            corrupt_check_ms: 0,
            initial_corrupt_check: false,
            compact_hash_check_ms: 0,
            auto_compaction: AutoCompaction::Off,
            compaction_batch_limit: 0,
            compaction_sleep_ms: 0,
            watch_progress_notify_ms: 0,
            warning_apply_ms: 0,
            lease_checkpoint_ms: 0,
            auth: AuthConfig::default(),
            unix_s: 0,
        };
        config.set(&Settings::default());
        config
    }

    /// Takes over what the cluster is set to.
    pub const fn set(&mut self, settings: &Settings) {
        self.tick_ms = settings.tick_ms;
        self.election_ticks = settings.election_ticks;
        self.pre_vote = settings.pre_vote;
        self.check_quorum = settings.check_quorum;
        self.initial_election_tick_advance = settings.initial_election_tick_advance;
        self.quota_bytes = settings.quota_bytes;
        self.max_request_bytes = settings.max_request_bytes;
        self.max_txn_ops = settings.max_txn_ops;
        self.snapshot_count = settings.snapshot_count;
        self.snapshot_catchup_entries = settings.snapshot_catchup_entries;
        self.max_learners = settings.max_learners;
        self.strict_reconfig_check = settings.strict_reconfig_check;
        self.corrupt_check_ms = settings.corrupt_check_ms;
        self.initial_corrupt_check = settings.initial_corrupt_check;
        self.compact_hash_check_ms =
            if settings.compact_hash_check { settings.compact_hash_check_ms } else { 0 };
        self.auto_compaction = settings.auto_compaction;
        self.compaction_batch_limit = settings.compaction_batch_limit;
        self.compaction_sleep_ms = settings.compaction_sleep_ms;
        self.watch_progress_notify_ms = settings.watch_progress_notify_ms;
        self.warning_apply_ms = settings.warning_apply_ms;
        self.lease_checkpoint_ms =
            if settings.lease_checkpoint { settings.lease_checkpoint_interval_ms } else { 0 };
        self.auth = AuthConfig {
            bcrypt_cost: settings.bcrypt_cost,
            token_ttl_ms: settings.auth_token_ttl_s.saturating_mul(1000),
        };
    }
}
