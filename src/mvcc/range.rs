//! A range request against the store: which keys, at which revision, in which order.
//!
//! What it is: limit, sort, filters and the flags of `RangeRequest`, with etcd's quirks.
//! What it is not: the check of the request (see `request_check`) or the response header.
//! Invariants: `count` counts every key of the range at the revision, whatever limit and filters
//! leave; `revision` is the store's, never the one asked for.
//! Quirks kept: with a limit, no order and a target other than the key, the first `limit + 1` keys
//! by key are fetched, then sorted, then cut; keys-only answers come from the index and have no lease,
//! unless they are sorted by value.
//! Source: etcd `server/etcdserver/txn/range.go`.

use std::cmp::Ordering;

use bytes::Bytes;

use super::key_index::Found;
use super::key_range::KeyRange;
use super::store::Store;
use crate::api::{self, SortOrder, SortTarget};
use crate::types::{self, LeaseId};

/// What a range request found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeResult {
    /// The versions found, in the order asked for.
    pub kvs: Vec<api::KeyValue>,
    /// Keys in the range at the revision.
    pub count: i64,
    /// The limit cut the result.
    pub more: bool,
    /// The store's revision.
    pub revision: i64,
}

impl RangeResult {
    /// The result as a response; only the header's revision is filled in.
    #[must_use]
    pub fn into_response(self) -> api::RangeResponse {
        let header = api::ResponseHeader { revision: self.revision, ..Default::default() };
        api::RangeResponse { header, kvs: self.kvs, more: self.more, count: self.count }
    }
}

impl Store {
    /// Answers `request` as seen at `view`: the current revision, or within a write transaction
    /// the one it is about to make.
    ///
    /// # Errors
    /// `FutureRev`, `Compacted`.
    pub(super) fn range(
        &self,
        request: &api::RangeRequest,
        view: i64,
    ) -> Result<RangeResult, api::Error> {
        let at = self.read_revision(request.revision, view)?;
        let range = KeyRange::new(&request.key, &request.range_end);
        let fetch_max = fetch_limit(request);
        let from_index = request.keys_only && request.sort_target != SortTarget::Value;
        let mut kvs = Vec::new();
        let mut count = 0_i64;
        for (key, found) in self.index.visible(&range, at) {
            count += 1;
            if request.count_only || fetch_max.is_some_and(|max| count > max) {
                continue;
            }
            kvs.push(if from_index {
                key_info(key, found)
            } else {
                self.row(found.revision).kv.clone()
            });
        }
        kvs.retain(|kv| passes_filters(kv, request));
        sort(&mut kvs, request);
        let more = cut(&mut kvs, request.limit);
        if request.keys_only {
            for kv in &mut kvs {
                kv.value = Bytes::new();
            }
        }
        Ok(RangeResult { kvs, count, more, revision: view })
    }
}

/// How many versions to fetch at most: one more than the limit, to know whether there are more;
/// everything if order or filters decide first.
const fn fetch_limit(request: &api::RangeRequest) -> Option<i64> {
    let is_filtered = request.min_mod_revision != 0
        || request.max_mod_revision != 0
        || request.min_create_revision != 0
        || request.max_create_revision != 0;
    let is_sorted = !matches!(request.sort_order, SortOrder::None);
    if request.limit <= 0 || is_filtered || is_sorted {
        return None;
    }
    Some(request.limit.saturating_add(1))
}

fn key_info(key: &Bytes, found: Found) -> api::KeyValue {
    api::KeyValue {
        key: key.clone(),
        create_revision: found.create_revision,
        mod_revision: found.revision.main,
        version: found.version,
        value: Bytes::new(),
        lease: LeaseId(0),
    }
}

const fn passes_filters(kv: &api::KeyValue, request: &api::RangeRequest) -> bool {
    const fn within(revision: i64, min: i64, max: i64) -> bool {
        (min == 0 || revision >= min) && (max == 0 || revision <= max)
    }
    within(kv.mod_revision, request.min_mod_revision, request.max_mod_revision)
        && within(kv.create_revision, request.min_create_revision, request.max_create_revision)
}

fn sort(kvs: &mut Vec<api::KeyValue>, request: &api::RangeRequest) {
    let target = request.sort_target;
    let descends = request.sort_order == SortOrder::Descend;
    // The index gives them by key already.
    if descends || target != SortTarget::Key {
        types::sort_by(kvs, |a, b| {
            let order = compare(a, b, target);
            if descends { order.reverse() } else { order }
        });
    }
}

fn compare(a: &api::KeyValue, b: &api::KeyValue, target: SortTarget) -> Ordering {
    match target {
        SortTarget::Key => a.key.cmp(&b.key),
        SortTarget::Version => a.version.cmp(&b.version),
        SortTarget::Create => a.create_revision.cmp(&b.create_revision),
        SortTarget::Mod => a.mod_revision.cmp(&b.mod_revision),
        SortTarget::Value => a.value.cmp(&b.value),
    }
}

/// Cuts to `limit`; true if something was cut.
fn cut(kvs: &mut Vec<api::KeyValue>, limit: i64) -> bool {
    // A limit that does not fit into the address space cuts nothing.
    let Ok(limit) = usize::try_from(limit) else { return false };
    if limit == 0 || kvs.len() <= limit {
        return false;
    }
    kvs.truncate(limit);
    true
}
