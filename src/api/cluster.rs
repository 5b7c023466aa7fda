//! `etcdserverpb.Cluster`.
//!
//! What it is: shapes only. Invariants: see `api`.

use serde::{Deserialize, Serialize};

use crate::api::ResponseHeader;
use crate::types::MemberId;

/// One member as the cluster knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// See `membership` for how it is derived.
    pub id: MemberId,
    /// Its name; empty until it has started once.
    pub name: String,
    /// Where its peers reach it.
    pub peer_urls: Vec<String>,
    /// Where clients reach it; empty until it has started once.
    pub client_urls: Vec<String>,
    /// It does not vote.
    pub is_learner: bool,
}

/// `Cluster.MemberList`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberListRequest {
    /// True: read through a quorum; false: the member's own view.
    pub linearizable: bool,
}

/// Answer to [`MemberListRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberListResponse {
    /// See [`ResponseHeader`]; its revision is 0 here, as in etcd.
    pub header: ResponseHeader,
    /// Sorted by id.
    pub members: Vec<Member>,
}

/// `Cluster.MemberAdd`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberAddRequest {
    /// Where peers will reach it.
    pub peer_urls: Vec<String>,
    /// It does not vote until it is promoted.
    pub is_learner: bool,
}

/// Answer to [`MemberAddRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberAddResponse {
    /// See [`ResponseHeader`]; its revision is 0 here, as in etcd.
    pub header: ResponseHeader,
    /// The new member, with the id it got.
    pub member: Member,
    /// All members after the change, sorted by id.
    pub members: Vec<Member>,
}

/// `Cluster.MemberRemove`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberRemoveRequest {
    /// Whom.
    pub id: MemberId,
}

/// Answer to [`MemberRemoveRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberRemoveResponse {
    /// See [`ResponseHeader`]; its revision is 0 here, as in etcd.
    pub header: ResponseHeader,
    /// All members after the change, sorted by id.
    pub members: Vec<Member>,
}

/// `Cluster.MemberUpdate`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberUpdateRequest {
    /// Whom.
    pub id: MemberId,
    /// Where peers will reach it.
    pub peer_urls: Vec<String>,
}

/// Answer to [`MemberUpdateRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberUpdateResponse {
    /// See [`ResponseHeader`]; its revision is 0 here, as in etcd.
    pub header: ResponseHeader,
    /// All members after the change, sorted by id.
    pub members: Vec<Member>,
}

/// `Cluster.MemberPromote`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberPromoteRequest {
    /// Which learner.
    pub id: MemberId,
}

/// Answer to [`MemberPromoteRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberPromoteResponse {
    /// See [`ResponseHeader`]; its revision is 0 here, as in etcd.
    pub header: ResponseHeader,
    /// All members after the change, sorted by id.
    pub members: Vec<Member>,
}
