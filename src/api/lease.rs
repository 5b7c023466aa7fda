//! `etcdserverpb.Lease`.
//!
//! What it is: shapes only; the checkpoint pair never leaves the cluster, it travels through Raft.
//! Invariants: see `api`; times to live are seconds.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::api::ResponseHeader;
use crate::types::LeaseId;

/// `Lease.LeaseGrant`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseGrantRequest {
    /// The time to live that is asked for; a small one is raised to the server's minimum.
    pub ttl: i64,
    /// The id that is asked for; 0 means that the server chooses.
    pub id: LeaseId,
}

/// Answer to [`LeaseGrantRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseGrantResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// The lease.
    pub id: LeaseId,
    /// The time to live that the server gave.
    pub ttl: i64,
    /// Always empty: refusals are errors of the call.
    pub error: String,
}

/// `Lease.LeaseRevoke`: ends a lease and deletes its keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseRevokeRequest {
    /// The lease.
    pub id: LeaseId,
}

/// Answer to [`LeaseRevokeRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseRevokeResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
}

/// How much of its time a lease had left at some moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseCheckpoint {
    /// The lease.
    pub id: LeaseId,
    /// Seconds left; 0 means "all of it" and lifts an earlier checkpoint.
    pub remaining_ttl: i64,
}

/// What a leader proposes now and then, so that the next leader need not start the times anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseCheckpointRequest {
    /// The leases.
    pub checkpoints: Vec<LeaseCheckpoint>,
}

/// Answer to [`LeaseCheckpointRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseCheckpointResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
}

/// `Lease.LeaseKeepAlive`: one message of the client's stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseKeepAliveRequest {
    /// The lease.
    pub id: LeaseId,
}

/// Answer to one [`LeaseKeepAliveRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseKeepAliveResponse {
    /// See [`ResponseHeader`]; made before the lease was renewed.
    pub header: ResponseHeader,
    /// The lease.
    pub id: LeaseId,
    /// The new time to live; 0 if the lease does not exist any more.
    pub ttl: i64,
}

/// `Lease.LeaseTimeToLive`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseTimeToLiveRequest {
    /// The lease.
    pub id: LeaseId,
    /// Name the attached keys, too.
    pub keys: bool,
}

/// Answer to [`LeaseTimeToLiveRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseTimeToLiveResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// The lease.
    pub id: LeaseId,
    /// Whole seconds left; -1 if the lease does not exist.
    pub ttl: i64,
    /// The time to live that was granted; 0 if the lease does not exist.
    pub granted_ttl: i64,
    /// The attached keys in order, if they were asked for.
    pub keys: Vec<Bytes>,
}

/// `Lease.LeaseLeases`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseLeasesRequest {}

/// One line of [`LeaseLeasesResponse`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseStatus {
    /// The lease.
    pub id: LeaseId,
}

/// Answer to [`LeaseLeasesRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseLeasesResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// The leases; the next to expire comes first where the member leads.
    pub leases: Vec<LeaseStatus>,
}
