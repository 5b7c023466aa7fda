//! Put, delete and transaction requests on the store.
//!
//! What it is: what etcd applies: compares are decided on the state before, nested ones too; then
//! everything that could fail in the branches taken is checked; then it is applied.
//! What it is not: the checks that need no store (see `request_check`), quota or permissions.
//! Invariants: a request that fails has changed nothing; headers of operations carry the revision
//! they saw or made, the outer header the one afterwards, and headers of nested transactions 0, as
//! in etcd.
//! Source: etcd `server/etcdserver/txn/txn.go`, `put.go`, `delete.go`.

use bytes::Bytes;

use super::key_range::KeyRange;
use super::store::Store;
use crate::api::{self, CompareResult, CompareTarget, RequestOp, ResponseOp};
use crate::mutant::{self, Mutant};
use crate::mvcc::{Change, WatchableStore, WriteTxn};
use crate::types::LeaseId;

/// Which way a transaction goes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Path {
    succeeded: bool,
    /// One per nested transaction of the branch taken, in order.
    nested: Vec<Self>,
}

impl Path {
    fn branch<'r>(&self, request: &'r api::TxnRequest) -> &'r [RequestOp] {
        if self.succeeded { &request.success } else { &request.failure }
    }
}

/// True if the transaction has nothing but ranges, in both branches; a nested one counts as a write.
#[must_use]
pub fn is_read_only(request: &api::TxnRequest) -> bool {
    let mut operations = request.success.iter().chain(&request.failure);
    operations.all(|op| matches!(op, RequestOp::Range(_)))
}

/// True if every operation is a serializable range.
#[must_use]
pub fn is_serializable(request: &api::TxnRequest) -> bool {
    let mut operations = request.success.iter().chain(&request.failure);
    operations.all(|op| matches!(op, RequestOp::Range(range) if range.serializable))
}

impl WatchableStore {
    /// Answers a range request with a response; of its header only the revision is filled in.
    ///
    /// # Errors
    /// `FutureRev`, `Compacted`.
    pub fn range_response(
        &self,
        request: &api::RangeRequest,
    ) -> Result<api::RangeResponse, api::Error> {
        Ok(self.range(request)?.into_response())
    }

    /// Puts one key.
    ///
    /// The result is `LeaseNotFound` if the lease does not exist, `KeyNotFound` if something is to be
    /// kept of a key that does not exist.
    pub fn put(
        &mut self,
        request: &api::PutRequest,
        lease_exists: &dyn Fn(LeaseId) -> bool,
    ) -> (Result<api::PutResponse, api::Error>, Change) {
        if let Err(error) = check_lease(request, lease_exists) {
            return (Err(error), self.no_change());
        }
        self.write(|txn| put(txn, request))
    }

    /// Deletes one key or a range.
    pub fn delete_range(
        &mut self,
        request: &api::DeleteRangeRequest,
    ) -> (Result<api::DeleteRangeResponse, api::Error>, Change) {
        self.write(|txn| Ok(delete_range(txn, request)))
    }

    /// Carries out a transaction.
    ///
    /// The result is an error of a range or put in a branch taken; nothing is changed then.
    pub fn txn(
        &mut self,
        request: &api::TxnRequest,
        lease_exists: &dyn Fn(LeaseId) -> bool,
    ) -> (Result<api::TxnResponse, api::Error>, Change) {
        let path = decide(&self.store, request);
        if let Err(error) = check(&self.store, request, &path, lease_exists) {
            return (Err(error), self.no_change());
        }
        self.write(|txn| {
            let mut response = apply(txn, request, &path)?;
            response.header.revision = txn.revision();
            Ok(response)
        })
    }

    /// Carries out a transaction that [`is_read_only`], without a write transaction.
    ///
    /// # Errors
    /// As [`Self::txn`].
    ///
    /// # Panics
    /// If the transaction is not read-only.
    pub fn read_only_txn(&self, request: &api::TxnRequest) -> Result<api::TxnResponse, api::Error> {
        let path = decide(&self.store, request);
        check(&self.store, request, &path, &|_| false)?;
        let range = |op: &RequestOp| match op {
            RequestOp::Range(range) => self.range_response(range).map(ResponseOp::Range),
            RequestOp::Put(_) | RequestOp::DeleteRange(_) | RequestOp::Txn(_) => {
                unreachable!("a read-only transaction has an operation that is not a range")
            }
        };
        let responses = path.branch(request).iter().map(range).collect::<Result<_, _>>()?;
        let header = header(self.current_revision());
        Ok(api::TxnResponse { header, succeeded: path.succeeded, responses })
    }

    /// Runs `write` in a write transaction; an error takes everything back.
    fn write<R>(
        &mut self,
        write: impl FnOnce(&mut WriteTxn<'_>) -> Result<R, api::Error>,
    ) -> (Result<R, api::Error>, Change) {
        let mut txn = self.begin_write();
        match write(&mut txn) {
            Ok(response) => (Ok(response), txn.end()),
            Err(error) => {
                txn.abort();
                (Err(error), self.no_change())
            }
        }
    }
}

fn header(revision: i64) -> api::ResponseHeader {
    api::ResponseHeader { revision, ..api::ResponseHeader::default() }
}

fn decide(store: &Store, request: &api::TxnRequest) -> Path {
    let succeeded = request.compare.iter().all(|compare| holds(store, compare));
    let mut path = Path { succeeded, nested: Vec::new() };
    path.nested = path
        .branch(request)
        .iter()
        .filter_map(|op| match op {
            RequestOp::Txn(nested) => Some(decide(store, nested)),
            RequestOp::Range(_) | RequestOp::Put(_) | RequestOp::DeleteRange(_) => None,
        })
        .collect();
    path
}

/// Whether every key of the compare's range satisfies it. A key that does not exist compares as
/// zeros, except that no compare of its value holds.
fn holds(store: &Store, compare: &api::Compare) -> bool {
    let range = KeyRange::new(&compare.key, &compare.range_end);
    let mut found = store.index.visible(&range, store.current_revision).peekable();
    if found.peek().is_none() {
        let is_value = matches!(compare.target, CompareTarget::Value(_));
        if is_value {
            return mutant::is(Mutant::ValueCompareTrueOnMissing);
        }
        return holds_for(compare, &api::KeyValue::default());
    }
    found.all(|(_, found)| holds_for(compare, &store.row(found.revision).kv))
}

fn holds_for(compare: &api::Compare, kv: &api::KeyValue) -> bool {
    let ordering = match &compare.target {
        CompareTarget::Version(version) => kv.version.cmp(version),
        CompareTarget::Create(revision) => kv.create_revision.cmp(revision),
        CompareTarget::Mod(revision) => kv.mod_revision.cmp(revision),
        CompareTarget::Value(value) => kv.value.cmp(value),
        CompareTarget::Lease(lease) => kv.lease.cmp(lease),
    };
    match compare.result {
        CompareResult::Equal => ordering.is_eq(),
        CompareResult::NotEqual => ordering.is_ne(),
        CompareResult::Greater => ordering.is_gt(),
        CompareResult::Less => ordering.is_lt(),
    }
}

/// Checks the branches taken, so that applying them cannot fail.
fn check(
    store: &Store,
    request: &api::TxnRequest,
    path: &Path,
    lease_exists: &dyn Fn(LeaseId) -> bool,
) -> Result<(), api::Error> {
    let mut nested = path.nested.iter();
    for op in path.branch(request) {
        match op {
            RequestOp::Range(range) => check_range(store, range)?,
            RequestOp::Put(put) => {
                let keeps = put.ignore_value || put.ignore_lease;
                if keeps && store.get(&put.key, store.current_revision).is_none() {
                    return Err(api::Error::KeyNotFound);
                }
                check_lease(put, lease_exists)?;
            }
            RequestOp::DeleteRange(_) => {}
            RequestOp::Txn(txn) => check(store, txn, next(&mut nested), lease_exists)?,
        }
    }
    Ok(())
}

/// Unlike outside of a transaction, a negative revision is refused once something is compacted.
const fn check_range(store: &Store, range: &api::RangeRequest) -> Result<(), api::Error> {
    if range.revision == 0 {
        return Ok(());
    }
    if range.revision > store.current_revision {
        return Err(api::Error::FutureRev);
    }
    if range.revision < store.compact_revision {
        return Err(api::Error::Compacted);
    }
    Ok(())
}

fn check_lease(
    put: &api::PutRequest,
    lease_exists: &dyn Fn(LeaseId) -> bool,
) -> Result<(), api::Error> {
    if put.lease == LeaseId(0) || lease_exists(put.lease) {
        return Ok(());
    }
    Err(api::Error::LeaseNotFound)
}

fn next<'p>(nested: &mut impl Iterator<Item = &'p Path>) -> &'p Path {
    nested.next().unwrap_or_else(|| unreachable!("a nested transaction has no path"))
}

fn apply(
    txn: &mut WriteTxn<'_>,
    request: &api::TxnRequest,
    path: &Path,
) -> Result<api::TxnResponse, api::Error> {
    let mut nested = path.nested.iter();
    let mut responses = Vec::new();
    for op in path.branch(request) {
        responses.push(match op {
            RequestOp::Range(request) => ResponseOp::Range(txn.range(request)?.into_response()),
            RequestOp::Put(request) => ResponseOp::Put(put(txn, request)?),
            RequestOp::DeleteRange(request) => ResponseOp::DeleteRange(delete_range(txn, request)),
            RequestOp::Txn(request) => ResponseOp::Txn(apply(txn, request, next(&mut nested))?),
        });
    }
    let succeeded = path.succeeded;
    Ok(api::TxnResponse { header: api::ResponseHeader::default(), succeeded, responses })
}

fn put(txn: &mut WriteTxn<'_>, request: &api::PutRequest) -> Result<api::PutResponse, api::Error> {
    let needs_previous = request.prev_kv || request.ignore_value || request.ignore_lease;
    let previous = needs_previous.then(|| txn.get(&request.key).cloned()).flatten();
    if previous.is_none() && (request.ignore_value || request.ignore_lease) {
        return Err(api::Error::KeyNotFound);
    }
    let kept_value = previous.as_ref().filter(|_| request.ignore_value).map(|kv| &kv.value);
    let value = Bytes::clone(kept_value.unwrap_or(&request.value));
    let kept_lease = previous.as_ref().filter(|_| request.ignore_lease).map(|kv| kv.lease);
    let revision = txn.put(&request.key, value, kept_lease.unwrap_or(request.lease));
    let prev_kv = previous.filter(|_| request.prev_kv);
    Ok(api::PutResponse { header: header(revision), prev_kv })
}

fn delete_range(
    txn: &mut WriteTxn<'_>,
    request: &api::DeleteRangeRequest,
) -> api::DeleteRangeResponse {
    let deleted = txn.delete_range(&request.key, &request.range_end);
    api::DeleteRangeResponse {
        header: header(txn.revision()),
        deleted: i64::try_from(deleted.len()).unwrap_or(i64::MAX),
        prev_kvs: if request.prev_kv { deleted } else { Vec::new() },
    }
}
