//! Checks of key-value requests that need no store.
//!
//! What it is: what etcd refuses before it proposes anything: empty keys, contradicting flags, too
//! many operations, two writes of one key in one transaction.
//! What it is not: the size limit (see `etcdserver`), and checks against the data (see `txn`).
//! Invariants: a transaction that passes is nested at most [`TXN_OPERATIONS_MAX`] deep.
//! Where it differs from etcd: a from-key delete counts as the whole range it deletes when duplicates
//! are looked for (etcd 3.7.1 takes it for an empty range).
//! Source: etcd `server/etcdserver/api/v3rpc/key.go`.

use bytes::Bytes;

use super::key_range::KeyRange;
use crate::api::{self, Error, RequestOp};
use crate::types::SmallSet;

/// Operations in one transaction. Source: etcd `--max-txn-ops`, default 128.
pub const TXN_OPERATIONS_MAX: u64 = 128;

/// Checks a range request.
///
/// # Errors
/// `EmptyKey`.
pub fn check_range_request(request: &api::RangeRequest) -> Result<(), Error> {
    check_key(&request.key)
}

/// Checks a put request.
///
/// # Errors
/// `EmptyKey`, `ValueProvided`, `LeaseProvided`.
pub fn check_put_request(request: &api::PutRequest) -> Result<(), Error> {
    check_key(&request.key)?;
    if request.ignore_value && !request.value.is_empty() {
        return Err(Error::ValueProvided);
    }
    if request.ignore_lease && request.lease.0 != 0 {
        return Err(Error::LeaseProvided);
    }
    Ok(())
}

/// Checks a delete request.
///
/// # Errors
/// `EmptyKey`.
pub fn check_delete_range_request(request: &api::DeleteRangeRequest) -> Result<(), Error> {
    check_key(&request.key)
}

/// Checks a transaction of at most `operations_max` operations (see [`TXN_OPERATIONS_MAX`]).
///
/// # Errors
/// `TooManyOps`, `DuplicateKey`, and those of the operations, in the branch not taken as well.
pub fn check_txn_request(request: &api::TxnRequest, operations_max: u64) -> Result<(), Error> {
    check_txn(request, operations_max)?;
    Writes::of(&request.success)?;
    Writes::of(&request.failure)?;
    Ok(())
}

const fn check_key(key: &Bytes) -> Result<(), Error> {
    if key.is_empty() { Err(Error::EmptyKey) } else { Ok(()) }
}

fn check_txn(request: &api::TxnRequest, operations_max: u64) -> Result<(), Error> {
    let longest = request.compare.len().max(request.success.len()).max(request.failure.len());
    let longest = u64::try_from(longest).unwrap_or(u64::MAX);
    let left = operations_max.checked_sub(longest).ok_or(Error::TooManyOps)?;
    for compare in &request.compare {
        check_key(&compare.key)?;
    }
    for op in request.success.iter().chain(&request.failure) {
        match op {
            RequestOp::Range(range) => check_range_request(range)?,
            RequestOp::Put(put) => check_put_request(put)?,
            RequestOp::DeleteRange(delete) => check_delete_range_request(delete)?,
            RequestOp::Txn(nested) => check_txn(nested, left)?,
        }
    }
    Ok(())
}

/// What one branch writes.
#[derive(Default)]
struct Writes {
    puts: SmallSet<Bytes>,
    deletes: Vec<KeyRange>,
}

impl Writes {
    /// Deletes of the level come first, then nested transactions in order, then its puts: this is
    /// the order in which etcd looks, and it decides which overlaps between nested ones it accepts.
    fn of(operations: &[RequestOp]) -> Result<Self, Error> {
        let mut writes = Self::default();
        for op in operations {
            if let RequestOp::DeleteRange(delete) = op {
                writes.deletes.push(KeyRange::new(&delete.key, &delete.range_end));
            }
        }
        for op in operations {
            if let RequestOp::Txn(nested) = op {
                writes.add_nested(Self::of(&nested.success)?, Self::of(&nested.failure)?)?;
            }
        }
        for op in operations {
            if let RequestOp::Put(put) = op {
                writes.add_put(put.key.clone())?;
            }
        }
        Ok(writes)
    }

    fn add_put(&mut self, key: Bytes) -> Result<(), Error> {
        let is_deleted = self.deletes.iter().any(|range| range.contains(&key));
        if is_deleted || !self.puts.insert(key) {
            return Err(Error::DuplicateKey);
        }
        Ok(())
    }

    /// Only one of the two branches runs, so that both may put the same key.
    fn add_nested(&mut self, success: Self, failure: Self) -> Result<(), Error> {
        let mut puts = success.puts;
        puts.extend(failure.puts);
        for key in puts {
            self.add_put(key)?;
        }
        self.deletes.extend(success.deletes);
        self.deletes.extend(failure.deletes);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
