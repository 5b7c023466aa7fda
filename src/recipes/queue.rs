//! The queue under a prefix: who came first is first.
//!
//! What it is: the key of one who waits, the transaction that creates it, and the wait for those before it.
//! Invariants: a session has one key under a prefix, named by its lease, so that entering twice is entering once.

use bytes::Bytes;

use super::{Failure, Step};
use crate::api::{
    Compare, CompareResult, CompareTarget, EventType, PutRequest, RangeRequest, RangeResponse,
    Request, RequestOp, SortOrder, SortTarget, TxnRequest, WatchCreateRequest, WatchResponse,
};
use crate::types::LeaseId;

/// The range of all keys that begin with `prefix`.
fn prefix_end(prefix: &[u8]) -> Bytes {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return end.into();
        }
    }
    Bytes::from_static(&[0])
}

/// The prefix of a lock's or an election's keys.
pub(super) fn prefix(name: &[u8]) -> Bytes {
    [name, b"/"].concat().into()
}

pub(super) fn get(key: &Bytes) -> RangeRequest {
    RangeRequest { key: key.clone(), ..RangeRequest::default() }
}

/// The oldest key under a prefix.
pub(super) fn oldest(prefix: &Bytes) -> RangeRequest {
    RangeRequest {
        key: prefix.clone(),
        range_end: prefix_end(prefix),
        limit: 1,
        sort_order: SortOrder::Ascend,
        sort_target: SortTarget::Create,
        ..RangeRequest::default()
    }
}

/// A watch of everything under a prefix.
pub(super) fn watch_prefix(prefix: &Bytes, start_revision: i64) -> WatchCreateRequest {
    let (key, range_end) = (prefix.clone(), prefix_end(prefix));
    WatchCreateRequest { key, range_end, start_revision, ..WatchCreateRequest::default() }
}

/// One place in the queue.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) prefix: Bytes,
    pub(super) key: Bytes,
    pub(super) lease: LeaseId,
    /// Create revision of the key; 0 before it is known.
    pub(super) revision: i64,
    /// The key that is waited for.
    before: Bytes,
}

impl Place {
    pub(super) fn new(name: &[u8], lease: LeaseId) -> Self {
        let prefix = prefix(name);
        let key = [&prefix, format!("{lease:x}").as_bytes()].concat().into();
        Self { prefix, key, lease, revision: 0, before: Bytes::new() }
    }

    /// True where the key has this create revision.
    pub(super) fn has_created(&self, revision: i64) -> Compare {
        Compare {
            result: CompareResult::Equal,
            target: CompareTarget::Create(revision),
            key: self.key.clone(),
            range_end: Bytes::new(),
        }
    }

    pub(super) fn put(&self, value: &Bytes) -> RequestOp {
        RequestOp::Put(PutRequest {
            key: self.key.clone(),
            value: value.clone(),
            lease: self.lease,
            ..PutRequest::default()
        })
    }

    /// Creates the key, or reads it if it is there already; `also` goes with both.
    pub(super) fn enter(&self, value: &Bytes, also: Option<RequestOp>) -> Request {
        let with = |op: RequestOp| std::iter::once(op).chain(also.clone()).collect();
        Request::Txn(TxnRequest {
            compare: vec![self.has_created(0)],
            success: with(self.put(value)),
            failure: with(RequestOp::Range(get(&self.key))),
        })
    }

    /// The newest key that is older than the own one.
    pub(super) fn ask_before(&self) -> Step {
        Step::Ask(Request::Range(RangeRequest {
            sort_order: SortOrder::Descend,
            max_create_revision: self.revision - 1,
            ..oldest(&self.prefix)
        }))
    }

    /// Waits for its end, if there is one.
    pub(super) fn listed(&mut self, range: &RangeResponse) -> Option<Step> {
        let before = range.kvs.first()?;
        self.before = before.key.clone();
        Some(Step::Watch(WatchCreateRequest {
            key: before.key.clone(),
            start_revision: range.header.revision,
            ..WatchCreateRequest::default()
        }))
    }

    /// What the watch of the key before tells: once that is gone, who is before now?
    pub(super) fn watched(&self, response: &WatchResponse) -> Result<Step, Failure> {
        let is_gone = response
            .events
            .iter()
            .any(|event| event.event_type == EventType::Delete && event.kv.key == self.before);
        if is_gone {
            Ok(self.ask_before())
        } else if response.canceled {
            Err(Failure::WatchLost)
        } else {
            Ok(Step::Wait)
        }
    }
}
