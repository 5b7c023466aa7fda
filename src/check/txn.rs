//! Transactions on the model: what is refused at once, which branch is taken, and what it does.
//!
//! What it is: compares, nested ones too, are decided on the state before; the branches taken are checked as a
//! whole; then they are carried out in order.
//! What it is not: etcd's code; it is written from the documented behaviour.
//! Invariants: a transaction that fails has changed nothing.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::model::{Model, check_kept, check_lease, header};
use super::ranges;
use crate::api::{
    Compare, CompareResult, CompareTarget, DeleteRangeRequest, Error, KeyValue, PutRequest,
    Request, RequestOp, ResponseOp, TxnRequest, TxnResponse,
};

/// Operations and compares of one level. Source: etcd `--max-txn-ops`.
const OPERATIONS_MAX: usize = 128;

/// Why a request is refused whatever the store holds.
pub(super) fn malformed(request: &Request) -> Option<Error> {
    match request {
        Request::Range(range) => range.key.is_empty().then_some(Error::EmptyKey),
        Request::Put(put) => malformed_put(put),
        Request::DeleteRange(delete) => delete.key.is_empty().then_some(Error::EmptyKey),
        Request::Txn(txn) => malformed_txn(txn, OPERATIONS_MAX)
            .or_else(|| writes(&txn.success).err())
            .or_else(|| writes(&txn.failure).err()),
        _ => None,
    }
}

fn malformed_put(put: &PutRequest) -> Option<Error> {
    if put.key.is_empty() {
        return Some(Error::EmptyKey);
    }
    if put.ignore_value && !put.value.is_empty() {
        return Some(Error::ValueProvided);
    }
    (put.ignore_lease && put.lease.0 != 0).then_some(Error::LeaseProvided)
}

fn malformed_txn(txn: &TxnRequest, operations_max: usize) -> Option<Error> {
    let longest = txn.compare.len().max(txn.success.len()).max(txn.failure.len());
    let Some(left) = operations_max.checked_sub(longest) else { return Some(Error::TooManyOps) };
    if txn.compare.iter().any(|compare| compare.key.is_empty()) {
        return Some(Error::EmptyKey);
    }
    txn.success.iter().chain(&txn.failure).find_map(|op| match op {
        RequestOp::Range(range) => range.key.is_empty().then_some(Error::EmptyKey),
        RequestOp::Put(put) => malformed_put(put),
        RequestOp::DeleteRange(delete) => delete.key.is_empty().then_some(Error::EmptyKey),
        RequestOp::Txn(nested) => malformed_txn(nested, left),
    })
}

/// The puts and deletes of a branch; no key may be written twice, but for two deletes.
fn writes(ops: &[RequestOp]) -> Result<(BTreeSet<Bytes>, Vec<&DeleteRangeRequest>), Error> {
    let mut deletes: Vec<&DeleteRangeRequest> = Vec::new();
    for op in ops {
        if let RequestOp::DeleteRange(delete) = op {
            deletes.push(delete);
        }
    }
    let mut puts = BTreeSet::new();
    let mut add = |key: &Bytes, deletes: &[&DeleteRangeRequest]| {
        let is_deleted =
            deletes.iter().any(|delete| ranges::contains(&delete.key, &delete.range_end, key));
        if is_deleted || !puts.insert(key.clone()) { Err(Error::DuplicateKey) } else { Ok(()) }
    };
    for op in ops {
        let RequestOp::Txn(nested) = op else { continue };
        let (success, failure) = (writes(&nested.success)?, writes(&nested.failure)?);
        let either: BTreeSet<Bytes> = success.0.union(&failure.0).cloned().collect();
        for key in &either {
            add(key, &deletes)?;
        }
        deletes.extend(success.1);
        deletes.extend(failure.1);
    }
    for op in ops {
        if let RequestOp::Put(put) = op {
            add(&put.key, &deletes)?;
        }
    }
    Ok((puts, deletes))
}

/// Which way a transaction goes: its own branch, and those of its nested ones in order.
struct Way {
    holds: bool,
    nested: Vec<Self>,
}

fn branch<'t>(txn: &'t TxnRequest, way: &Way) -> &'t [RequestOp] {
    if way.holds { &txn.success } else { &txn.failure }
}

fn decide(model: &Model, txn: &TxnRequest) -> Way {
    let holds = txn.compare.iter().all(|compare| does_hold(model, compare));
    let mut way = Way { holds, nested: Vec::new() };
    for op in branch(txn, &way) {
        if let RequestOp::Txn(nested) = op {
            way.nested.push(decide(model, nested));
        }
    }
    way
}

fn does_hold(model: &Model, compare: &Compare) -> bool {
    let found = model.visible(&compare.key, &compare.range_end, model.revision());
    if found.is_empty() {
        // A key that does not exist has zeros everywhere, and no value at all.
        let is_value = matches!(compare.target, CompareTarget::Value(_));
        return !is_value && does_hold_for(compare, &KeyValue::default());
    }
    found.iter().all(|kv| does_hold_for(compare, kv))
}

fn does_hold_for(compare: &Compare, kv: &KeyValue) -> bool {
    let order = match &compare.target {
        CompareTarget::Version(version) => kv.version.cmp(version),
        CompareTarget::Create(revision) => kv.create_revision.cmp(revision),
        CompareTarget::Mod(revision) => kv.mod_revision.cmp(revision),
        CompareTarget::Value(value) => kv.value.cmp(value),
        CompareTarget::Lease(lease) => kv.lease.cmp(lease),
    };
    match compare.result {
        CompareResult::Equal => order.is_eq(),
        CompareResult::NotEqual => !order.is_eq(),
        CompareResult::Greater => order.is_gt(),
        CompareResult::Less => order.is_lt(),
    }
}

/// Everything the branches taken could fail with, on the state before.
fn check(model: &Model, txn: &TxnRequest, way: &Way) -> Result<(), Error> {
    let mut nested = way.nested.iter();
    for op in branch(txn, way) {
        match op {
            RequestOp::Range(range) if range.revision != 0 => {
                if range.revision > model.revision() {
                    return Err(Error::FutureRev);
                }
                if range.revision < model.compact_revision() {
                    return Err(Error::Compacted);
                }
            }
            RequestOp::Range(_) | RequestOp::DeleteRange(_) => {}
            RequestOp::Put(put) => {
                check_kept(model, put)?;
                check_lease(model, put)?;
            }
            RequestOp::Txn(inner) => {
                if let Some(way) = nested.next() {
                    check(model, inner, way)?;
                }
            }
        }
    }
    Ok(())
}

/// Carries a transaction out.
pub(super) fn apply(model: &mut Model, txn: &TxnRequest) -> Result<TxnResponse, Error> {
    let way = decide(model, txn);
    check(model, txn, &way)?;
    let mut response = carry_out(model, txn, &way)?;
    response.header = header(model.view());
    Ok(response)
}

fn carry_out(model: &mut Model, txn: &TxnRequest, way: &Way) -> Result<TxnResponse, Error> {
    let mut nested = way.nested.iter();
    let mut responses = Vec::new();
    for op in branch(txn, way) {
        responses.push(match op {
            RequestOp::Range(range) => {
                let view = model.view();
                ResponseOp::Range(model.range(range, view)?)
            }
            RequestOp::Put(put) => ResponseOp::Put(model.put(put)),
            RequestOp::DeleteRange(delete) => ResponseOp::DeleteRange(model.delete_range(delete)),
            RequestOp::Txn(inner) => match nested.next() {
                Some(way) => ResponseOp::Txn(carry_out(model, inner, way)?),
                None => continue,
            },
        });
    }
    Ok(TxnResponse { header: header(0), succeeded: way.holds, responses })
}
