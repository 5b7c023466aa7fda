//! `etcdserverpb.Maintenance`.
//!
//! What it is: shapes only. Invariants: see `api`.

use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::api::ResponseHeader;
use crate::types::{Index, MemberId, Term};

/// `Maintenance.Status`: answered by the member itself, without quorum.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusRequest {}

/// Answer to [`StatusRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// The etcd version whose behaviour is implemented.
    pub version: String,
    /// Bytes allocated for the MVCC data.
    pub db_size: i64,
    /// The member known as leader; `None` if there is none.
    pub leader: Option<MemberId>,
    /// The committed index.
    pub raft_index: Index,
    /// The current term.
    pub raft_term: Term,
    /// The applied index.
    pub raft_applied_index: Index,
    /// What is wrong with the member: alarms, "etcdserver: no leader".
    pub errors: Vec<String>,
    /// Bytes of `db_size` that hold live rows.
    pub db_size_in_use: i64,
    /// The member is a learner.
    pub is_learner: bool,
    /// The schema version of the storage.
    pub storage_version: String,
    /// The quota on `db_size`.
    pub db_size_quota: i64,
    /// The downgrade that is under way, if one is.
    pub downgrade_info: DowngradeInfo,
}

/// Whether the cluster is on its way to an older version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DowngradeInfo {
    /// A downgrade is under way.
    pub enabled: bool,
    /// Where to; empty unless it is enabled.
    pub target_version: String,
}

/// `Maintenance.HashKV`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HashKvRequest {
    /// Revision to hash at; 0 means the newest.
    pub revision: i64,
}

/// Answer to [`HashKvRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HashKvResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// CRC-32C over the key bucket, as etcd computes it.
    pub hash: u32,
    /// The compacted revision; -1 if never compacted.
    pub compact_revision: i64,
    /// The revision hashed.
    pub hash_revision: i64,
}

/// Kinds of alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AlarmType {
    /// The quota is used up.
    NoSpace,
    /// The member's data differs from the others'.
    Corrupt,
}

impl fmt::Display for AlarmType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSpace => "NOSPACE",
            Self::Corrupt => "CORRUPT",
        })
    }
}

/// An alarm that one member raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AlarmMember {
    /// Who raised it.
    pub member_id: MemberId,
    /// What it is about.
    pub alarm: AlarmType,
}

impl fmt::Display for AlarmMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memberID:{} alarm:{}", self.member_id, self.alarm)
    }
}

/// `Maintenance.Alarm`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AlarmRequest {
    /// List the active alarms.
    List,
    /// Lift the given alarms.
    Disarm(AlarmMember),
    /// Raise the given alarm.
    Activate(AlarmMember),
}

/// Answer to [`AlarmRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlarmResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// The alarms listed or lifted.
    pub alarms: Vec<AlarmMember>,
}

/// `Maintenance.Defragment`: gives the free pages of one member's file back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefragmentRequest {}

/// Answer to [`DefragmentRequest`]; etcd's has no header filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefragmentResponse {}

/// `Maintenance.MoveLeader`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveLeaderRequest {
    /// Who shall lead.
    pub target_id: MemberId,
}

/// Answer to [`MoveLeaderRequest`]; etcd's has no header filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveLeaderResponse {}

/// `Maintenance.Snapshot`: one member's whole state as a file, in pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotRequest {}

/// One piece of the answer to [`SnapshotRequest`].
///
/// The last one is the SHA-256 digest of all the others; whoever saves the file appends it, too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotResponse {
    /// See [`ResponseHeader`]; etcd's has no header filled in.
    pub header: ResponseHeader,
    /// Bytes of the file that follow, the digest not counted.
    pub remaining_bytes: u64,
    /// The piece.
    pub blob: Bytes,
    /// The schema version of the storage.
    pub version: String,
}

/// What to do about a downgrade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DowngradeAction {
    /// Say whether it would be possible.
    Validate,
    /// Begin it.
    Enable,
    /// End it.
    Cancel,
}

/// `Maintenance.Downgrade`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DowngradeRequest {
    /// What to do.
    pub action: DowngradeAction,
    /// Where to; ignored by `Cancel`.
    pub version: String,
}

/// Answer to [`DowngradeRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DowngradeResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// The cluster's version, major and minor.
    pub version: String,
}
