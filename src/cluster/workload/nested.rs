//! W8: transactions within transactions, with every compare, and some that must be refused.
//!
//! Invariants: at most 128 operations unless a refusal is wanted.

use bytes::Bytes;

use super::{Action, Workload, World, ranges};
use crate::api::{
    Compare, CompareResult, CompareTarget, PutRequest, Request, RequestOp, TxnRequest,
};

/// Transactions of any shape.
#[derive(Debug)]
pub(super) struct Nested;

fn compare(world: &mut World<'_>) -> Compare {
    let result = match world.random.below(4) {
        0 => CompareResult::Equal,
        1 => CompareResult::Greater,
        2 => CompareResult::Less,
        _ => CompareResult::NotEqual,
    };
    let number = i64::from(world.random.below(4));
    let target = match world.random.below(4) {
        0 => CompareTarget::Version(number),
        1 => CompareTarget::Create(world.near(20, 0)),
        2 => CompareTarget::Mod(world.near(20, 0)),
        _ => CompareTarget::Value(Bytes::from(format!("v{number}"))),
    };
    let (key, range_end) = world.range();
    Compare { result, target, key, range_end }
}

fn op(world: &mut World<'_>, depth: u32) -> RequestOp {
    match world.random.below(8) {
        0..=2 => {
            let mut put = world.put();
            if world.random.chance(1, 8) {
                put = PutRequest { value: Bytes::new(), ignore_value: true, ..put };
            }
            RequestOp::Put(put)
        }
        3 => RequestOp::DeleteRange(world.delete()),
        4 | 5 if depth > 0 => RequestOp::Txn(txn(world, depth - 1)),
        _ => {
            let mut range = ranges::any_range(world);
            range.serializable = false;
            RequestOp::Range(range)
        }
    }
}

fn txn(world: &mut World<'_>, depth: u32) -> TxnRequest {
    let compares = world.random.below(3);
    let (success, failure) = (world.random.below(4), world.random.below(3));
    TxnRequest {
        compare: (0..compares).map(|_| compare(world)).collect(),
        success: (0..success).map(|_| op(world, depth)).collect(),
        failure: (0..failure).map(|_| op(world, depth)).collect(),
    }
}

/// As many puts of different keys as one transaction takes, or one more.
fn wide(world: &mut World<'_>) -> TxnRequest {
    let count = if world.random.chance(1, 3) { 129 } else { 128 };
    let put = |at: u32, value: Bytes| PutRequest {
        key: Bytes::from(format!("k{at}/wide")),
        value,
        ..PutRequest::default()
    };
    let success = (0..count).map(|at| RequestOp::Put(put(at, world.value()))).collect();
    TxnRequest { success, ..TxnRequest::default() }
}

impl Workload for Nested {
    fn next(&mut self, world: &mut World<'_>) -> Action {
        let request = if world.random.chance(1, 60) { wide(world) } else { txn(world, 3) };
        Action::Ask(Request::Txn(request))
    }

    fn pause_ms(&self) -> (u32, u32) {
        (5, 100)
    }
}
