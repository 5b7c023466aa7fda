//! etcd's client API as Rust types.
//!
//! What it is: the requests and responses of `etcdserverpb`, field for field, with etcd's names;
//! [`Request`] and [`Response`] are the closed sums that travel between a client and a member.
//! What it is not: a wire format (see `wire`), a check (see `etcdserver::rpc`) or a printer (see `etcdctl`).
//! Invariants: keys and values are bytes; an empty `range_end` means "one key", `[0]` means "to the end";
//! revisions are `i64`; nothing here knows Raft.
//! Source: etcd `api/etcdserverpb/rpc.proto`, `api/mvccpb/kv.proto`.

mod auth;
mod cluster;
mod error;
mod holdings;
mod kv;
mod lease;
mod log_part;
mod maintenance;
mod member_event;
mod member_status;
mod metrics;
mod settings;
mod trace;
mod watch;

pub use auth::{
    AuthDisableRequest, AuthDisableResponse, AuthEnableRequest, AuthEnableResponse, AuthRequest,
    AuthResponse, AuthRoleAddRequest, AuthRoleAddResponse, AuthRoleDeleteRequest,
    AuthRoleDeleteResponse, AuthRoleGetRequest, AuthRoleGetResponse,
    AuthRoleGrantPermissionRequest, AuthRoleGrantPermissionResponse, AuthRoleListRequest,
    AuthRoleListResponse, AuthRoleRevokePermissionRequest, AuthRoleRevokePermissionResponse,
    AuthStatusRequest, AuthStatusResponse, AuthUserAddRequest, AuthUserAddResponse,
    AuthUserChangePasswordRequest, AuthUserChangePasswordResponse, AuthUserDeleteRequest,
    AuthUserDeleteResponse, AuthUserGetRequest, AuthUserGetResponse, AuthUserGrantRoleRequest,
    AuthUserGrantRoleResponse, AuthUserListRequest, AuthUserListResponse,
    AuthUserRevokeRoleRequest, AuthUserRevokeRoleResponse, AuthenticateRequest,
    AuthenticateResponse, Permission, PermissionType, UserAddOptions,
};
pub use cluster::{
    Member, MemberAddRequest, MemberAddResponse, MemberListRequest, MemberListResponse,
    MemberPromoteRequest, MemberPromoteResponse, MemberRemoveRequest, MemberRemoveResponse,
    MemberUpdateRequest, MemberUpdateResponse,
};
pub use error::{Code, Error};
pub use holdings::{
    HELD_KEY_BYTES_MAX, HELD_KEYS_MAX, HELD_LEASES_MAX, HELD_WATCHES_MAX, HeldKey, HeldLease,
    HeldWatch, Holdings, WatchPace,
};
pub use kv::{
    CompactionRequest, CompactionResponse, Compare, CompareResult, CompareTarget,
    DeleteRangeRequest, DeleteRangeResponse, KeyValue, PutRequest, PutResponse, RangeRequest,
    RangeResponse, RequestOp, ResponseOp, SortOrder, SortTarget, TxnRequest, TxnResponse,
};
pub use lease::{
    LeaseCheckpoint, LeaseCheckpointRequest, LeaseCheckpointResponse, LeaseGrantRequest,
    LeaseGrantResponse, LeaseKeepAliveRequest, LeaseKeepAliveResponse, LeaseLeasesRequest,
    LeaseLeasesResponse, LeaseRevokeRequest, LeaseRevokeResponse, LeaseStatus,
    LeaseTimeToLiveRequest, LeaseTimeToLiveResponse,
};
pub use log_part::{
    ConfigChange, LOG_KEY_BYTES_MAX, LOG_PART_ENTRIES_MAX, LogContent, LogEntry, LogPart,
};
pub use maintenance::{
    AlarmMember, AlarmRequest, AlarmResponse, AlarmType, DefragmentRequest, DefragmentResponse,
    DowngradeAction, DowngradeInfo, DowngradeRequest, DowngradeResponse, HashKvRequest,
    HashKvResponse, MoveLeaderRequest, MoveLeaderResponse, SnapshotRequest, SnapshotResponse,
    StatusRequest, StatusResponse,
};
pub use member_event::{MemberEvent, Role};
pub use member_status::{MemberStatus, PeerProgress};
pub use metrics::{Bucket, Metric, MetricKind, MetricValue, Sample, exposition};
pub use settings::{
    AutoCompaction, InvalidSettings, QUOTA_BYTES_DEFAULT, QUOTA_BYTES_PAGE,
    SNAPSHOT_CATCHUP_ENTRIES_DEFAULT, SNAPSHOT_COUNT_DEFAULT, Settings,
};
pub use trace::{
    CallKind, CallStep, CallTrace, EntryTrace, ProposalName, ReadTrace, TracePart, TracedStep,
};
pub use watch::{
    Event, EventType, WatchCancelRequest, WatchCreateRequest, WatchFilter, WatchRequest,
    WatchResponse,
};

use serde::{Deserialize, Serialize};

use crate::types::{ClusterId, MemberId, Term};

/// What every response says about the member that answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResponseHeader {
    /// The cluster the member belongs to.
    pub cluster_id: ClusterId,
    /// The member that answered.
    pub member_id: MemberId,
    /// The store's revision when the answer was made; never the revision that was asked for.
    pub revision: i64,
    /// The member's Raft term.
    pub raft_term: Term,
}

/// A unary request. Watches are streams and have [`WatchRequest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// `KV.Range`
    Range(RangeRequest),
    /// `KV.Put`
    Put(PutRequest),
    /// `KV.DeleteRange`
    DeleteRange(DeleteRangeRequest),
    /// `KV.Txn`
    Txn(TxnRequest),
    /// `KV.Compact`
    Compaction(CompactionRequest),
    /// `Cluster.MemberList`
    MemberList(MemberListRequest),
    /// `Maintenance.Status`
    Status(StatusRequest),
    /// `Maintenance.HashKV`
    HashKv(HashKvRequest),
    /// `Maintenance.Alarm`
    Alarm(AlarmRequest),
    /// `Cluster.MemberAdd`
    MemberAdd(MemberAddRequest),
    /// `Cluster.MemberRemove`
    MemberRemove(MemberRemoveRequest),
    /// `Cluster.MemberUpdate`
    MemberUpdate(MemberUpdateRequest),
    /// `Cluster.MemberPromote`
    MemberPromote(MemberPromoteRequest),
    /// `Maintenance.MoveLeader`
    MoveLeader(MoveLeaderRequest),
    /// `Maintenance.Defragment`
    Defragment(DefragmentRequest),
    /// `Maintenance.Downgrade`
    Downgrade(DowngradeRequest),
    /// `Lease.LeaseGrant`
    LeaseGrant(LeaseGrantRequest),
    /// `Lease.LeaseRevoke`
    LeaseRevoke(LeaseRevokeRequest),
    /// `Lease.LeaseKeepAlive`: one message of the stream
    LeaseKeepAlive(LeaseKeepAliveRequest),
    /// `Lease.LeaseTimeToLive`
    LeaseTimeToLive(LeaseTimeToLiveRequest),
    /// `Lease.LeaseLeases`
    LeaseLeases(LeaseLeasesRequest),
    /// The service `Auth` but `Authenticate`
    Auth(AuthRequest),
    /// `Auth.Authenticate`
    Authenticate(AuthenticateRequest),
    /// `Maintenance.Snapshot`: answered in pieces
    Snapshot(SnapshotRequest),
}

/// The answer to a [`Request`], variant for variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Response {
    /// `KV.Range`
    Range(RangeResponse),
    /// `KV.Put`
    Put(PutResponse),
    /// `KV.DeleteRange`
    DeleteRange(DeleteRangeResponse),
    /// `KV.Txn`
    Txn(TxnResponse),
    /// `KV.Compact`
    Compaction(CompactionResponse),
    /// `Cluster.MemberList`
    MemberList(MemberListResponse),
    /// `Maintenance.Status`
    Status(StatusResponse),
    /// `Maintenance.HashKV`
    HashKv(HashKvResponse),
    /// `Maintenance.Alarm`
    Alarm(AlarmResponse),
    /// `Cluster.MemberAdd`
    MemberAdd(MemberAddResponse),
    /// `Cluster.MemberRemove`
    MemberRemove(MemberRemoveResponse),
    /// `Cluster.MemberUpdate`
    MemberUpdate(MemberUpdateResponse),
    /// `Cluster.MemberPromote`
    MemberPromote(MemberPromoteResponse),
    /// `Maintenance.MoveLeader`
    MoveLeader(MoveLeaderResponse),
    /// `Maintenance.Defragment`
    Defragment(DefragmentResponse),
    /// `Maintenance.Downgrade`
    Downgrade(DowngradeResponse),
    /// `Lease.LeaseGrant`
    LeaseGrant(LeaseGrantResponse),
    /// `Lease.LeaseRevoke`
    LeaseRevoke(LeaseRevokeResponse),
    /// `Lease.LeaseKeepAlive`: one message of the stream
    LeaseKeepAlive(LeaseKeepAliveResponse),
    /// `Lease.LeaseTimeToLive`
    LeaseTimeToLive(LeaseTimeToLiveResponse),
    /// `Lease.LeaseLeases`
    LeaseLeases(LeaseLeasesResponse),
    /// The service `Auth` but `Authenticate`
    Auth(AuthResponse),
    /// `Auth.Authenticate`
    Authenticate(AuthenticateResponse),
    /// `Maintenance.Snapshot`: one piece
    Snapshot(SnapshotResponse),
}
