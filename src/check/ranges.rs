//! Which keys a request means, and the order and cut of a range's answer.
//!
//! What it is: `key` and `range_end` as the API states them, and sort, filters and limit on a list of versions.
//! What it is not: an index; lists here are as short as a test's key space.
//! Invariants: pure functions of their arguments.

use std::cmp::Ordering;

use bytes::Bytes;

use crate::api::{KeyValue, RangeRequest, RangeResponse, ResponseHeader, SortOrder, SortTarget};
use crate::types::LeaseId;

/// True if `key` is meant by `start` and `end`.
pub(super) fn contains(start: &[u8], end: &[u8], key: &[u8]) -> bool {
    match end {
        [] => key == start,
        [0] => key >= start,
        _ => key >= start && key < end,
    }
}

/// The end of the range of all keys that begin with `prefix`.
pub(super) fn prefix_end(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return end;
        }
    }
    vec![0]
}

const fn is_within(revision: i64, low: i64, high: i64) -> bool {
    (low == 0 || low <= revision) && (high == 0 || revision <= high)
}

fn is_wanted(kv: &KeyValue, request: &RangeRequest) -> bool {
    is_within(kv.mod_revision, request.min_mod_revision, request.max_mod_revision)
        && is_within(kv.create_revision, request.min_create_revision, request.max_create_revision)
}

const fn is_filtered(request: &RangeRequest) -> bool {
    request.min_mod_revision != 0
        || request.max_mod_revision != 0
        || request.min_create_revision != 0
        || request.max_create_revision != 0
}

fn order(one: &KeyValue, other: &KeyValue, target: SortTarget) -> Ordering {
    match target {
        SortTarget::Key => one.key.cmp(&other.key),
        SortTarget::Version => one.version.cmp(&other.version),
        SortTarget::Create => one.create_revision.cmp(&other.create_revision),
        SortTarget::Mod => one.mod_revision.cmp(&other.mod_revision),
        SortTarget::Value => one.value.cmp(&other.value),
    }
}

/// The answer to `request` when `found` are all keys in its range, by key, at a store of this revision.
pub(super) fn answer(
    request: &RangeRequest,
    found: Vec<KeyValue>,
    store_revision: i64,
) -> RangeResponse {
    let count = i64::try_from(found.len()).unwrap_or(i64::MAX);
    let header = ResponseHeader { revision: store_revision, ..ResponseHeader::default() };
    if request.count_only {
        return RangeResponse { header, kvs: Vec::new(), more: false, count };
    }
    let limit = usize::try_from(request.limit).unwrap_or(0);
    let mut found = found;
    // Without an order etcd takes the first keys and only then sorts them by another target.
    if limit > 0 && request.sort_order == SortOrder::None && !is_filtered(request) {
        found.truncate(limit + 1);
    }
    let mut kvs: Vec<KeyValue> = found.into_iter().filter(|kv| is_wanted(kv, request)).collect();
    match request.sort_order {
        SortOrder::None if request.sort_target == SortTarget::Key => {}
        SortOrder::None | SortOrder::Ascend => {
            kvs.sort_by(|one, other| order(one, other, request.sort_target));
        }
        SortOrder::Descend => kvs.sort_by(|one, other| order(other, one, request.sort_target)),
    }
    let more = limit > 0 && kvs.len() > limit;
    if more {
        kvs.truncate(limit);
    }
    if request.keys_only {
        // etcd 3.7 answers from its index, which knows no leases, unless it has to look at the values.
        let is_from_index = request.sort_target != SortTarget::Value;
        for kv in &mut kvs {
            kv.value = Bytes::new();
            if is_from_index {
                kv.lease = LeaseId(0);
            }
        }
    }
    RangeResponse { header, kvs, more, count }
}
