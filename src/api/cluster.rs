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
