//! `etcdserverpb.KV` and `mvccpb.KeyValue`.
//!
//! What it is: shapes only. Invariants: see `api`.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::api::ResponseHeader;
use crate::types::LeaseId;

/// One version of one key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyValue {
    /// The key; never empty.
    pub key: Bytes,
    /// Revision of the put that created this generation of the key.
    pub create_revision: i64,
    /// Revision of the put that wrote this version.
    pub mod_revision: i64,
    /// 1 for the creating put, then one more per put; a delete resets it.
    pub version: i64,
    /// The value; may be empty.
    pub value: Bytes,
    /// The lease the key is attached to; 0 means none.
    pub lease: LeaseId,
}

/// Order of a range's result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SortOrder {
    /// By key, ascending, as stored.
    #[default]
    None,
    /// Smallest target first.
    Ascend,
    /// Largest target first.
    Descend,
}

/// What a range's result is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SortTarget {
    /// The key.
    #[default]
    Key,
    /// The version.
    Version,
    /// The create revision.
    Create,
    /// The mod revision.
    Mod,
    /// The value.
    Value,
}

/// `KV.Range`: one key, or `[key, range_end)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeRequest {
    /// First key. Empty is an error.
    pub key: Bytes,
    /// Empty: only `key`. `[0]`: to the end of the key space. Otherwise exclusive.
    pub range_end: Bytes,
    /// Most kvs to return; 0 means no limit.
    pub limit: i64,
    /// Revision to read at; 0 or less means the newest.
    pub revision: i64,
    /// See [`SortOrder`].
    pub sort_order: SortOrder,
    /// See [`SortTarget`].
    pub sort_target: SortTarget,
    /// True: answered from the member's own state; false: linearizable.
    pub serializable: bool,
    /// Values are left out.
    pub keys_only: bool,
    /// Only `count` is returned.
    pub count_only: bool,
    /// Lower bound on `mod_revision`; 0 means none.
    pub min_mod_revision: i64,
    /// Upper bound on `mod_revision`; 0 means none.
    pub max_mod_revision: i64,
    /// Lower bound on `create_revision`; 0 means none.
    pub min_create_revision: i64,
    /// Upper bound on `create_revision`; 0 means none.
    pub max_create_revision: i64,
}

/// Answer to [`RangeRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// The kvs found; empty with `count_only`.
    pub kvs: Vec<KeyValue>,
    /// True if `limit` cut the result.
    pub more: bool,
    /// Keys in the range, regardless of `limit` and the revision filters.
    pub count: i64,
}

/// `KV.Put`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutRequest {
    /// The key. Empty is an error.
    pub key: Bytes,
    /// The value.
    pub value: Bytes,
    /// Lease to attach; 0 detaches.
    pub lease: LeaseId,
    /// Return the previous version.
    pub prev_kv: bool,
    /// Keep the current value.
    pub ignore_value: bool,
    /// Keep the current lease.
    pub ignore_lease: bool,
}

/// Answer to [`PutRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// The version before the put, if asked for and present.
    pub prev_kv: Option<KeyValue>,
}

/// `KV.DeleteRange`: one key, or `[key, range_end)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteRangeRequest {
    /// First key. Empty is an error.
    pub key: Bytes,
    /// As in [`RangeRequest::range_end`].
    pub range_end: Bytes,
    /// Return the deleted versions.
    pub prev_kv: bool,
}

/// Answer to [`DeleteRangeRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteRangeResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// Keys deleted.
    pub deleted: i64,
    /// What was deleted, if asked for.
    pub prev_kvs: Vec<KeyValue>,
}

/// How a compare relates the stored value to the given one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompareResult {
    /// `=`
    #[default]
    Equal,
    /// `>`
    Greater,
    /// `<`
    Less,
    /// `!=`
    NotEqual,
}

/// What a compare looks at, with the value it is held against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompareTarget {
    /// The version.
    Version(i64),
    /// The create revision.
    Create(i64),
    /// The mod revision.
    Mod(i64),
    /// The value.
    Value(Bytes),
    /// The lease.
    Lease(LeaseId),
}

/// One condition of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compare {
    /// See [`CompareResult`].
    pub result: CompareResult,
    /// See [`CompareTarget`].
    pub target: CompareTarget,
    /// First key.
    pub key: Bytes,
    /// As in [`RangeRequest::range_end`]; every key of the range must satisfy the condition.
    pub range_end: Bytes,
}

/// One operation of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestOp {
    /// See [`RangeRequest`].
    Range(RangeRequest),
    /// See [`PutRequest`].
    Put(PutRequest),
    /// See [`DeleteRangeRequest`].
    DeleteRange(DeleteRangeRequest),
    /// A nested transaction.
    Txn(TxnRequest),
}

/// `KV.Txn`: if all compares hold then `success`, else `failure`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TxnRequest {
    /// The conditions; none means "holds".
    pub compare: Vec<Compare>,
    /// Operations if all hold.
    pub success: Vec<RequestOp>,
    /// Operations otherwise.
    pub failure: Vec<RequestOp>,
}

/// Answer to one [`RequestOp`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResponseOp {
    /// See [`RangeResponse`].
    Range(RangeResponse),
    /// See [`PutResponse`].
    Put(PutResponse),
    /// See [`DeleteRangeResponse`].
    DeleteRange(DeleteRangeResponse),
    /// See [`TxnResponse`].
    Txn(TxnResponse),
}

/// Answer to [`TxnRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TxnResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// Whether the compares held.
    pub succeeded: bool,
    /// One answer per operation of the branch taken.
    pub responses: Vec<ResponseOp>,
}

/// `KV.Compact`: forget what was superseded before `revision`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactionRequest {
    /// The revision that stays readable.
    pub revision: i64,
    /// Answer only when the rows are gone.
    pub physical: bool,
}

/// Answer to [`CompactionRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactionResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
}
