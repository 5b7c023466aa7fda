//! W7: reads of every kind, among a few writes.
//!
//! Invariants: every option of a range is drawn on its own.

use super::{Action, Workload, World};
use crate::api::{RangeRequest, Request, RequestOp, SortOrder, SortTarget, TxnRequest};

/// Limits, orders, filters, old revisions, serializable reads.
#[derive(Debug)]
pub(super) struct Ranges;

pub(super) fn any_range(world: &mut World<'_>) -> RangeRequest {
    let (key, range_end) = world.range();
    let mut request = RangeRequest { key, range_end, ..RangeRequest::default() };
    if world.random.chance(1, 3) {
        request.limit = i64::from(world.random.between(1, 4));
    }
    if world.random.chance(1, 3) {
        request.revision = world.near(60, 2);
    }
    if world.random.chance(1, 2) {
        request.sort_order = match world.random.below(3) {
            0 => SortOrder::None,
            1 => SortOrder::Ascend,
            _ => SortOrder::Descend,
        };
        request.sort_target = match world.random.below(5) {
            0 => SortTarget::Key,
            1 => SortTarget::Version,
            2 => SortTarget::Create,
            3 => SortTarget::Mod,
            _ => SortTarget::Value,
        };
    }
    request.serializable = world.random.chance(1, 3);
    request.keys_only = world.random.chance(1, 6);
    request.count_only = world.random.chance(1, 6);
    for bound in [
        &mut request.min_mod_revision,
        &mut request.max_mod_revision,
        &mut request.min_create_revision,
        &mut request.max_create_revision,
    ] {
        if world.random.chance(1, 10) {
            *bound = (world.revision - i64::from(world.random.below(50))).max(1);
        }
    }
    request
}

impl Workload for Ranges {
    fn next(&mut self, world: &mut World<'_>) -> Action {
        Action::Ask(match world.random.below(8) {
            0 => Request::Put(world.put()),
            1 => {
                let reads = (0..3).map(|_| RequestOp::Range(any_range(world))).collect();
                Request::Txn(TxnRequest { success: reads, ..TxnRequest::default() })
            }
            _ => Request::Range(any_range(world)),
        })
    }

    fn pause_ms(&self) -> (u32, u32) {
        (1, 60)
    }
}
