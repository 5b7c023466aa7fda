//! What a member is started with.
//!
//! What it is: etcd's flags of the same names, with etcd's defaults.
//! What it is not: a parser; drivers fill it in.
//! Invariants: every number states unit, range, default and source.

use crate::api;
use crate::auth::AuthConfig;
use crate::membership::LEARNERS_MAX;
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
    /// `--compaction-batch-limit`. Unit: rows that a compaction removes in 10 ms. Default: 1,000.
    /// Source: etcd `server/storage/mvcc/kvstore.go` (`defaultCompactionBatchLimit`, sleep of 10 ms).
    pub compaction_batch_limit: u32,
    /// `--max-learners`. Default: 1.
    pub max_learners: u32,
    /// `--strict-reconfig-check`. Default: true.
    pub strict_reconfig_check: bool,
    /// `--corrupt-check-time`. Unit: ms between two checks; 0 means never. Default: 0.
    pub corrupt_check_ms: u64,
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

/// etcd's default. Unit: entries. Source: etcd `server/etcdserver/server.go` (`DefaultSnapshotCount`).
pub const SNAPSHOT_COUNT_DEFAULT: u64 = 10_000;

/// etcd's default. Unit: entries. Source: etcd `DefaultSnapshotCatchUpEntries`.
pub const SNAPSHOT_CATCHUP_ENTRIES_DEFAULT: u64 = 5_000;

/// etcd's default. Unit: rows in 10 ms.
const COMPACTION_BATCH_LIMIT_DEFAULT: u32 = 1_000;

/// etcd's default quota. Unit: bytes. Source: etcd `server/storage/quota.go`.
pub const QUOTA_BYTES_DEFAULT: i64 = 2 * 1024 * 1024 * 1024;

/// The page's default quota: small, so that running out of space takes a minute. Unit: bytes.
pub const QUOTA_BYTES_PAGE: i64 = 16 * 1024 * 1024;

impl ServerConfig {
    /// etcd's defaults for `member` of `members`.
    #[must_use]
    pub fn new(member: MemberId, members: Vec<api::Member>, seed: u64) -> Self {
        Self {
            member,
            members,
            token: "etcd-cluster".to_owned(),
            tick_ms: 100,
            election_ticks: 10,
            pre_vote: true,
            initial_election_tick_advance: true,
            quota_bytes: QUOTA_BYTES_DEFAULT,
            max_request_bytes: 1536 * 1024,
            max_txn_ops: 128,
            max_inflight_messages: 512,
            max_append_bytes: 1024 * 1024,
            seed,
            initial_state: InitialState::New,
            force_new_cluster: false,
            snapshot_count: SNAPSHOT_COUNT_DEFAULT,
            snapshot_catchup_entries: SNAPSHOT_CATCHUP_ENTRIES_DEFAULT,
            compaction_batch_limit: COMPACTION_BATCH_LIMIT_DEFAULT,
            max_learners: LEARNERS_MAX,
            strict_reconfig_check: true,
            corrupt_check_ms: 0,
            lease_checkpoint_ms: 0,
            auth: AuthConfig::default(),
            unix_s: 0,
        }
    }
}
