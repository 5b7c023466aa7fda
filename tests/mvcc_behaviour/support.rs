//! Requests in few words.

use bytes::Bytes;
use etcd_playground::api;
use etcd_playground::mvcc::{Change, Row, StreamId, WatchableStore};
use etcd_playground::types::{LeaseId, WatchId};

pub(crate) const STREAM: StreamId = StreamId(1);

pub(crate) fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

pub(crate) fn kv(
    key: &str,
    create_revision: i64,
    mod_revision: i64,
    version: i64,
    value: &str,
) -> api::KeyValue {
    let (key, value, lease) = (bytes(key), bytes(value), LeaseId(0));
    api::KeyValue { key, create_revision, mod_revision, version, value, lease }
}

pub(crate) fn put_request(key: &str, value: &str) -> api::PutRequest {
    api::PutRequest { key: bytes(key), value: bytes(value), ..Default::default() }
}

/// Puts, and returns the revision of the response.
pub(crate) fn put(store: &mut WatchableStore, key: &str, value: &str) -> i64 {
    let (response, change) = store.put(&put_request(key, value), &|_| false);
    assert_eq!(change.rows.len(), 1);
    response.expect("put").header.revision
}

pub(crate) fn put_error(store: &mut WatchableStore, request: &api::PutRequest) -> api::Error {
    let before = Snapshot::of(store);
    let (response, change) = store.put(request, &|lease| lease == LeaseId(7));
    before.assert_unchanged(store, &change);
    response.expect_err("put is refused")
}

pub(crate) fn delete_request(key: &str, range_end: &str) -> api::DeleteRangeRequest {
    api::DeleteRangeRequest { key: bytes(key), range_end: bytes(range_end), prev_kv: true }
}

/// Deletes, and returns how many and the revision of the response.
pub(crate) fn delete(store: &mut WatchableStore, key: &str, range_end: &str) -> (i64, i64) {
    let (response, change) = store.delete_range(&delete_request(key, range_end));
    let response = response.expect("delete");
    assert_eq!(change.rows.len(), usize::try_from(response.deleted).unwrap());
    (response.deleted, response.header.revision)
}

pub(crate) fn range_request(key: &str, range_end: &str) -> api::RangeRequest {
    api::RangeRequest { key: bytes(key), range_end: bytes(range_end), ..Default::default() }
}

pub(crate) fn at(key: &str, revision: i64) -> api::RangeRequest {
    api::RangeRequest { revision, ..range_request(key, "") }
}

pub(crate) fn get(store: &WatchableStore, key: &str) -> Option<api::KeyValue> {
    store.range(&range_request(key, "")).expect("get").kvs.pop()
}

pub(crate) fn get_at(store: &WatchableStore, key: &str, revision: i64) -> Option<api::KeyValue> {
    store.range(&at(key, revision)).expect("get").kvs.pop()
}

pub(crate) fn error_at(store: &WatchableStore, key: &str, revision: i64) -> api::Error {
    store.range(&at(key, revision)).expect_err("get is refused")
}

pub(crate) fn keys(result: &[api::KeyValue]) -> Vec<&str> {
    result.iter().map(|kv| std::str::from_utf8(&kv.key).expect("a test key")).collect()
}

/// Compacts to the end.
pub(crate) fn compact(store: &mut WatchableStore, revision: i64) {
    store.compact(revision).expect("compact");
    finish_compaction(store);
}

pub(crate) fn finish_compaction(store: &mut WatchableStore) {
    while !store.compact_batch(2).finished {}
    assert!(!store.is_compacting());
    assert_eq!(store.finished_compact_revision(), store.compact_revision());
}

/// What a disk would hold, put through a restart.
pub(crate) fn restart(store: &WatchableStore) -> WatchableStore {
    let rows: Vec<Row> = store.rows().cloned().collect();
    let mark = |revision: i64| (revision >= 0).then_some(revision);
    let scheduled = mark(store.compact_revision());
    let finished = mark(store.finished_compact_revision());
    WatchableStore::restore(rows.into_iter().rev(), scheduled, finished, store.current_revision())
        .expect("restore")
}

/// All that must not change when a request is refused.
#[derive(Debug, PartialEq)]
pub(crate) struct Snapshot {
    rows: Vec<Row>,
    revision: i64,
    db_size_in_use: i64,
}

impl Snapshot {
    pub(crate) fn of(store: &WatchableStore) -> Self {
        Self {
            rows: store.rows().cloned().collect(),
            revision: store.current_revision(),
            db_size_in_use: store.db_size_in_use(),
        }
    }

    pub(crate) fn assert_unchanged(&self, store: &WatchableStore, change: &Change) {
        assert_eq!(*self, Self::of(store));
        assert!(change.is_empty());
        assert_eq!(change.revision, self.revision);
    }
}

pub(crate) fn watch_request(key: &str, start_revision: i64) -> api::WatchCreateRequest {
    api::WatchCreateRequest { key: bytes(key), start_revision, ..Default::default() }
}

/// Opens a watch and returns its created response.
pub(crate) fn watch(
    store: &mut WatchableStore,
    request: api::WatchCreateRequest,
) -> api::WatchResponse {
    store.watch(STREAM, &api::WatchRequest::Create(request));
    let response = next(store).expect("a created response");
    assert!(response.created);
    response
}

pub(crate) fn cancel(store: &mut WatchableStore, id: i64) {
    let watch_id = WatchId(id);
    store.watch(STREAM, &api::WatchRequest::Cancel(api::WatchCancelRequest { watch_id }));
}

pub(crate) fn next(store: &mut WatchableStore) -> Option<api::WatchResponse> {
    store.poll_watch().map(|(_, response)| response)
}

/// Syncs every watch and returns all responses.
pub(crate) fn drain(store: &mut WatchableStore) -> Vec<api::WatchResponse> {
    let mut responses = Vec::new();
    loop {
        let more = store.sync_watchers(1);
        responses.extend(std::iter::from_fn(|| next(store)));
        if !more {
            return responses;
        }
    }
}

/// "PUT k 4" or "DELETE k 4".
pub(crate) fn event_line(event: &api::Event) -> String {
    let key = std::str::from_utf8(&event.kv.key).expect("a test key");
    let kind = match event.event_type {
        api::EventType::Put => "PUT",
        api::EventType::Delete => "DELETE",
    };
    format!("{kind} {key} {}", event.kv.mod_revision)
}

pub(crate) fn event_lines(responses: &[api::WatchResponse]) -> Vec<String> {
    responses.iter().flat_map(|response| response.events.iter().map(event_line)).collect()
}
