//! Short words for the scenarios.

use bytes::Bytes;
use etcd_playground::api::{
    Compare, CompareResult, CompareTarget, DeleteRangeRequest, Event, EventType, PutRequest,
    RangeRequest, Request, RequestOp, Response, TxnRequest, TxnResponse, WatchCreateRequest,
    WatchRequest,
};
use etcd_playground::cluster::CallId;
use etcd_playground::types::{LeaseId, MemberId};

use crate::support::Run;

/// Everything from a key on.
pub(crate) const FROM_KEY: &[u8] = &[0];

/// One member, and who it is.
pub(crate) fn one() -> (Run, MemberId) {
    let mut run = Run::new(1, 1, |_| {});
    let only = run.wait_leader();
    (run, only)
}

pub(crate) fn bytes(text: &[u8]) -> Bytes {
    Bytes::copy_from_slice(text)
}

pub(crate) fn del(run: &mut Run, to: MemberId, key: &str) -> i64 {
    let request = DeleteRangeRequest { key: bytes(key.as_bytes()), ..Default::default() };
    match run.ask(to, Request::DeleteRange(request)) {
        Ok(Response::DeleteRange(deleted)) => deleted.header.revision,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn put_leased(run: &mut Run, to: MemberId, key: &str, lease: i64) -> Result<(), String> {
    let key = bytes(key.as_bytes());
    let value = bytes(b"v");
    let put = PutRequest { key, value, lease: LeaseId(lease), ..Default::default() };
    run.ask(to, Request::Put(put)).map(|_| ())
}

/// Key, value and (create, mod, version).
pub(crate) type Found = (String, String, (i64, i64, i64));

/// What a range finds.
pub(crate) fn range(
    run: &mut Run,
    to: MemberId,
    request: RangeRequest,
) -> Result<Vec<Found>, String> {
    match run.ask(to, Request::Range(request))? {
        Response::Range(found) => Ok(found
            .kvs
            .iter()
            .map(|kv| {
                let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
                let numbers = (kv.create_revision, kv.mod_revision, kv.version);
                (text(&kv.key), text(&kv.value), numbers)
            })
            .collect()),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn get_at(
    run: &mut Run,
    to: MemberId,
    key: &str,
    revision: i64,
) -> Result<Option<String>, String> {
    let request = RangeRequest { key: bytes(key.as_bytes()), revision, ..Default::default() };
    Ok(range(run, to, request)?.into_iter().next().map(|(_, value, _)| value))
}

pub(crate) fn put_op(key: &str, value: &str) -> RequestOp {
    RequestOp::Put(PutRequest {
        key: bytes(key.as_bytes()),
        value: bytes(value.as_bytes()),
        ..Default::default()
    })
}

pub(crate) fn get_op(key: &str, revision: i64) -> RequestOp {
    RequestOp::Range(RangeRequest { key: bytes(key.as_bytes()), revision, ..Default::default() })
}

pub(crate) fn del_op(key: &str, range_end: &[u8]) -> RequestOp {
    RequestOp::DeleteRange(DeleteRangeRequest {
        key: bytes(key.as_bytes()),
        range_end: bytes(range_end),
        ..Default::default()
    })
}

pub(crate) fn txn(run: &mut Run, to: MemberId, request: TxnRequest) -> Result<TxnResponse, String> {
    match run.ask(to, Request::Txn(request))? {
        Response::Txn(response) => Ok(response),
        other => panic!("{other:?}"),
    }
}

/// A transaction without a condition.
pub(crate) fn then(success: Vec<RequestOp>) -> TxnRequest {
    TxnRequest { success, ..Default::default() }
}

pub(crate) fn compare(key: &str, result: CompareResult, target: CompareTarget) -> Compare {
    Compare { key: bytes(key.as_bytes()), range_end: Bytes::new(), result, target }
}

pub(crate) fn watch(
    run: &mut Run,
    to: MemberId,
    key: &str,
    range_end: &[u8],
    start_revision: i64,
) -> CallId {
    let create = WatchCreateRequest {
        key: bytes(key.as_bytes()),
        range_end: bytes(range_end),
        start_revision,
        ..Default::default()
    };
    let watch = run.sim.open_watch(to, WatchRequest::Create(create));
    run.run_ms(250);
    watch
}

/// What a watch has seen: `PUT k@2` and the like.
pub(crate) fn seen(run: &Run, watch: CallId) -> Vec<String> {
    let responses = run.watched.get(&watch).map(Vec::as_slice).unwrap_or_default();
    let events = responses.iter().flat_map(|response| &response.events);
    let word = |event: &Event| {
        let verb = if event.event_type == EventType::Put { "PUT" } else { "DELETE" };
        let key = String::from_utf8_lossy(&event.kv.key);
        format!("{verb} {key}@{}", event.kv.mod_revision)
    };
    events.map(word).collect()
}

/// The compact revision that ended a watch.
pub(crate) fn ended_at(run: &Run, watch: CallId) -> Option<i64> {
    let last = run.watched.get(&watch)?.last()?;
    last.canceled.then_some(last.compact_revision)
}
