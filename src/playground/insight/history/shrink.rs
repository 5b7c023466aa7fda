//! Large values as their length and a hash, so that equal ones stay equal and little is kept.
//!
//! What it is: a walk over everything that holds a value.
//! What it is not: reversible; an order of values is not kept, either.
//! Invariants: equal values stay equal; small ones stay as they are.

use bytes::Bytes;

use super::VALUE_MAX;
use crate::api::{
    CompareTarget, Event, KeyValue, Request, RequestOp, Response, ResponseOp, TxnRequest,
    TxnResponse,
};

/// FNV-1a with two starts: 128 bits.
fn hash(bytes: &[u8], start: u64) -> u64 {
    bytes.iter().fold(start, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(5)
    })
}

fn value(value: &mut Bytes) {
    if value.len() > VALUE_MAX {
        let (one, two) = (hash(value, 0xcbf2_9ce4_8422_2325), hash(value, 0x9E37_79B9_7F4A_7C15));
        let told = format!("({} bytes, hash {one:016x}{two:016x})", value.len());
        *value = Bytes::from(told);
    } else {
        // A slice would keep all that it was cut from.
        *value = Bytes::copy_from_slice(value);
    }
}

fn kv(it: &mut KeyValue) {
    value(&mut it.value);
}

fn kvs(list: &mut [KeyValue]) {
    list.iter_mut().for_each(kv);
}

pub(super) fn event(event: &mut Event) {
    kv(&mut event.kv);
    if let Some(before) = &mut event.prev_kv {
        kv(before);
    }
}

pub(super) fn request(request: &mut Request) {
    match request {
        Request::Put(put) => value(&mut put.value),
        Request::Txn(it) => txn(it),
        _ => {}
    }
}

fn txn(txn_request: &mut TxnRequest) {
    for compare in &mut txn_request.compare {
        if let CompareTarget::Value(it) = &mut compare.target {
            value(it);
        }
    }
    for op in txn_request.success.iter_mut().chain(&mut txn_request.failure) {
        match op {
            RequestOp::Put(put) => value(&mut put.value),
            RequestOp::Txn(nested) => txn(nested),
            RequestOp::Range(_) | RequestOp::DeleteRange(_) => {}
        }
    }
}

pub(super) fn response(response: &mut Response) {
    match response {
        Response::Range(range) => kvs(&mut range.kvs),
        Response::Put(put) => put.prev_kv.iter_mut().for_each(kv),
        Response::DeleteRange(delete) => kvs(&mut delete.prev_kvs),
        Response::Txn(it) => txn_answer(it),
        _ => {}
    }
}

fn txn_answer(answer: &mut TxnResponse) {
    for op in &mut answer.responses {
        match op {
            ResponseOp::Range(range) => kvs(&mut range.kvs),
            ResponseOp::Put(put) => put.prev_kv.iter_mut().for_each(kv),
            ResponseOp::DeleteRange(delete) => kvs(&mut delete.prev_kvs),
            ResponseOp::Txn(nested) => txn_answer(nested),
        }
    }
}
