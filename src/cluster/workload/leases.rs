//! W4: leases that are granted, kept alive, looked at, revoked and left to expire, with keys that come and go.
//!
//! Invariants: all such clients of a run share a few ids, so that they meet the leases of one another; only the first
//! of these are ever revoked by a client.

use super::{Action, Workload, World, get};
use crate::api::{
    Compare, CompareResult, CompareTarget, LeaseGrantRequest, LeaseKeepAliveRequest,
    LeaseLeasesRequest, LeaseRevokeRequest, LeaseTimeToLiveRequest, PutRequest, Request, RequestOp,
    TxnRequest,
};
use crate::types::LeaseId;

/// The first id in play.
const FIRST_ID: i64 = 100;

/// Ids in play; nobody grants the last one.
const IDS: u32 = 8;

/// Ids that clients revoke.
const REVOCABLE: u32 = 3;

/// The longest time to live that is waited for at the end of a run. Unit: s.
pub(in crate::cluster) const TTL_MAX_S: i64 = 4;

/// Does anything with leases.
#[derive(Debug)]
pub(super) struct Leases;

fn id(world: &mut World<'_>, of: u32) -> LeaseId {
    LeaseId(FIRST_ID + i64::from(world.random.below(of)))
}

fn grant(world: &mut World<'_>) -> Request {
    let ttl = match world.random.below(24) {
        0 => 0,
        1 => -5,
        2 => 9_000_000_001,
        3 => 100_000,
        _ => i64::from(world.random.between(1, 4)),
    };
    let id = if world.random.chance(1, 10) { LeaseId(0) } else { id(world, IDS - 1) };
    Request::LeaseGrant(LeaseGrantRequest { ttl, id })
}

fn put(world: &mut World<'_>) -> PutRequest {
    PutRequest { lease: id(world, IDS), ..world.put() }
}

/// Moves a key from one lease to another, if it is still there.
fn swap(world: &mut World<'_>) -> Request {
    let put = put(world);
    let compare = Compare {
        result: if world.random.chance(1, 2) {
            CompareResult::Equal
        } else {
            CompareResult::NotEqual
        },
        target: CompareTarget::Lease(LeaseId(FIRST_ID + i64::from(world.random.below(IDS)))),
        key: put.key.clone(),
        range_end: bytes::Bytes::new(),
    };
    let Request::Range(read) = get(put.key.clone()) else { return get(put.key) };
    Request::Txn(TxnRequest {
        compare: vec![compare],
        success: vec![RequestOp::Put(put)],
        failure: vec![RequestOp::Range(read)],
    })
}

impl Workload for Leases {
    fn next(&mut self, world: &mut World<'_>) -> Action {
        Action::Ask(match world.random.below(18) {
            0..=2 => grant(world),
            3..=7 => Request::Put(put(world)),
            8 => Request::Put(PutRequest { ignore_lease: true, ..world.put() }),
            9 => Request::Put(world.put()),
            10 => swap(world),
            11..=13 => Request::LeaseKeepAlive(LeaseKeepAliveRequest { id: id(world, IDS) }),
            14 => Request::LeaseRevoke(LeaseRevokeRequest { id: id(world, REVOCABLE) }),
            15 => {
                let (id, keys) = (id(world, IDS), world.random.chance(1, 2));
                Request::LeaseTimeToLive(LeaseTimeToLiveRequest { id, keys })
            }
            16 => Request::LeaseLeases(LeaseLeasesRequest {}),
            _ => get(world.key()),
        })
    }

    fn pause_ms(&self) -> (u32, u32) {
        (5, 120)
    }
}
