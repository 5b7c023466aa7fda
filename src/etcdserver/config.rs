//! What a member is started with.
//!
//! What it is: etcd's flags of the same names, with etcd's defaults.
//! What it is not: a parser; drivers fill it in.
//! Invariants: every number states unit, range, default and source.

use crate::api;
use crate::types::MemberId;

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
}

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
        }
    }
}
