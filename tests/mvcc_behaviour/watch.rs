//! Watches.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use etcd_playground::api::{self, WatchFilter, WatchRequest};
use etcd_playground::mvcc::{
    Row, StreamId, WATCH_BATCH_REVISIONS_MAX, WATCH_STREAM_QUEUE_MAX, WatchableStore,
};
use etcd_playground::types::{LeaseId, WatchId};

use crate::support::*;

fn history() -> WatchableStore {
    let mut store = WatchableStore::new();
    for value in ["v1", "v2", "v3"] {
        put(&mut store, "k", value);
    }
    store
}

#[test]
fn history_is_one_response_after_created_and_then_one_per_put() {
    // 46, 49; the experiment's third step
    let mut store = history();
    let created = watch(&mut store, watch_request("k", 2));
    assert_eq!((created.watch_id, created.header.revision), (WatchId(0), 4));
    assert_eq!((created.canceled, created.compact_revision, created.events), (false, 0, vec![]));
    assert_eq!(next(&mut store), None, "history comes with the next sync");
    assert!(!store.sync_watchers(10));
    let first = next(&mut store).expect("history");
    assert_eq!(first.header.revision, 4);
    assert_eq!(event_lines(std::slice::from_ref(&first)), ["PUT k 2", "PUT k 3", "PUT k 4"]);
    assert_eq!(first.events[2].kv, kv("k", 2, 4, 3, "v3"));
    assert_eq!(next(&mut store), None);
    for (value, revision) in [("v4", 5), ("v5", 6)] {
        put(&mut store, "k", value);
        let response = next(&mut store).expect("a response");
        assert_eq!(response.header.revision, revision);
        assert_eq!(response.events.len(), 1);
        assert_eq!(next(&mut store), None);
    }
}

#[test]
fn start_revision_0_is_now_and_a_future_one_waits() {
    // 46; reported 1, 2
    let mut store = history();
    watch(&mut store, watch_request("k", 0));
    watch(&mut store, watch_request("k", 1));
    watch(&mut store, watch_request("k", 6));
    for _ in 0..3 {
        put(&mut store, "k", "v");
    }
    let responses = drain(&mut store);
    let events = |id| {
        let of_watch = responses.iter().filter(|r| r.watch_id == WatchId(id));
        of_watch.flat_map(|r| r.events.iter().map(|e| e.kv.mod_revision)).collect::<Vec<_>>()
    };
    assert_eq!(events(0), [5, 6, 7]);
    assert_eq!(events(1), [2, 3, 4, 5, 6, 7]);
    assert_eq!(events(2), [6, 7]);
}

#[test]
fn impossible_watches_are_created_and_canceled_in_one_response() {
    // 14, 47
    let mut store = history();
    let refused = |store: &mut WatchableStore, request, reason: &str| {
        let response = watch(store, request);
        assert!(response.canceled);
        assert_eq!((response.watch_id, response.compact_revision), (WatchId(-1), 0));
        assert_eq!(response.header.revision, 4);
        assert_eq!(response.cancel_reason, reason);
    };
    let compacted = "etcdserver: mvcc: required revision has been compacted";
    refused(&mut store, watch_request("k", -1), compacted);
    for end in ["k", "a"] {
        let request = api::WatchCreateRequest { range_end: bytes(end), ..watch_request("k", 0) };
        refused(&mut store, request, "mvcc: watcher range is empty");
    }
    put(&mut store, "k", "v");
    assert_eq!(drain(&mut store), []);
}

#[test]
fn compacted_start_is_canceled_with_the_compact_revision() {
    // 48; recorded watch-014: the header's revision is 0
    let mut store = history();
    compact(&mut store, 3);
    watch(&mut store, watch_request("k", 2));
    watch(&mut store, watch_request("k", 3));
    let responses = drain(&mut store);
    let expected = api::WatchResponse {
        watch_id: WatchId(0),
        canceled: true,
        compact_revision: 3,
        ..Default::default()
    };
    assert_eq!(responses[0], expected);
    assert_eq!(event_lines(&responses[1..]), ["PUT k 3", "PUT k 4"]);
    put(&mut store, "k", "v");
    assert_eq!(event_lines(&drain(&mut store)), ["PUT k 5"], "nothing follows the cancel");
    cancel(&mut store, 0);
    assert_eq!(next(&mut store), None, "it is canceled already");
}

#[test]
fn ids_are_the_clients_or_the_next_free() {
    // 50
    let mut store = WatchableStore::new();
    let id = |store: &mut WatchableStore, id| {
        let request = api::WatchCreateRequest { watch_id: WatchId(id), ..watch_request("k", 0) };
        let response = watch(store, request);
        (response.watch_id.0, response.cancel_reason)
    };
    assert_eq!(id(&mut store, 1), (1, String::new()));
    let duplicate = "mvcc: duplicate watch ID provided on the WatchStream";
    assert_eq!(id(&mut store, 1), (-1, duplicate.to_owned()));
    assert_eq!(id(&mut store, 0).0, 0);
    assert_eq!(id(&mut store, 0).0, 2);
    store.watch(StreamId(2), &WatchRequest::Create(watch_request("k", 0)));
    let (stream, response) = store.poll_watch().expect("created");
    assert_eq!((stream, response.watch_id), (StreamId(2), WatchId(0)), "ids are per stream");
}

#[test]
fn events_of_one_revision_stay_in_one_response() {
    // 51, 62
    let mut store = WatchableStore::new();
    let request = api::WatchCreateRequest { range_end: bytes("c"), ..watch_request("a", 0) };
    watch(&mut store, request);
    watch(&mut store, api::WatchCreateRequest { range_end: bytes("\0"), ..watch_request("", 0) });
    let mut txn = store.begin_write();
    for key in ["b", "a", "c"] {
        txn.put(&bytes(key), bytes("1"), LeaseId(0));
    }
    let change = txn.end();
    assert_eq!(change.rows.len(), 3);
    let responses = drain(&mut store);
    assert_eq!(responses.len(), 2);
    assert_eq!(event_lines(&responses[..1]), ["PUT b 2", "PUT a 2"]);
    assert_eq!(event_lines(&responses[1..]), ["PUT b 2", "PUT a 2", "PUT c 2"]);
    assert_eq!(responses[0].header.revision, 2);
}

#[test]
fn long_history_comes_in_batches_of_a_thousand_revisions() {
    // 52
    let mut store = WatchableStore::new();
    for _ in 0..2500 {
        let mut txn = store.begin_write();
        txn.put(&bytes("a"), bytes("1"), LeaseId(0));
        txn.put(&bytes("b"), bytes("1"), LeaseId(0));
        let _ = txn.end();
    }
    watch(&mut store, watch_request("a", 1));
    watch(&mut store, api::WatchCreateRequest { range_end: bytes("c"), ..watch_request("a", 1) });
    assert!(store.sync_watchers(4));
    assert!(store.sync_watchers(1));
    put(&mut store, "b", "2");
    assert!(!store.sync_watchers(9));
    let responses: Vec<_> = std::iter::from_fn(|| next(&mut store)).collect();
    let sizes = |id| {
        let of_watch = responses.iter().filter(|r| r.watch_id == WatchId(id));
        of_watch.map(|r| r.events.len()).collect::<Vec<_>>()
    };
    assert_eq!(WATCH_BATCH_REVISIONS_MAX, 1000);
    assert_eq!(sizes(0), [1000, 1000, 500]);
    assert_eq!(sizes(1), [2000, 2000, 1001], "the put made in between comes once");
    assert_eq!(responses[0].header.revision, 2501);
    assert_eq!(responses.last().expect("one").header.revision, 2502);
}

#[test]
fn delete_event_has_key_and_revision_only_and_prev_kv_if_kept() {
    // 53, 54; recorded watch-010, watch-012, watch-036
    let mut store = history();
    compact(&mut store, 3);
    delete(&mut store, "k", "");
    put(&mut store, "k", "v4");
    watch(&mut store, api::WatchCreateRequest { prev_kv: true, ..watch_request("k", 3) });
    let responses = drain(&mut store);
    let previous: Vec<_> = responses[0].events.iter().map(|e| e.prev_kv.clone()).collect();
    let expected = [None, Some(kv("k", 2, 3, 2, "v2")), Some(kv("k", 2, 4, 3, "v3")), None];
    assert_eq!(previous, expected);
    let deleted = api::KeyValue { key: bytes("k"), mod_revision: 5, ..Default::default() };
    assert_eq!(responses[0].events[2].kv, deleted);
    put(&mut store, "k", "v5");
    let live = next(&mut store).expect("an event");
    assert_eq!(live.events[0].prev_kv, Some(kv("k", 6, 6, 1, "v4")));
}

#[test]
fn filters_leave_events_out_and_may_leave_nothing() {
    // 55
    let mut store = WatchableStore::new();
    for filter in [WatchFilter::NoPut, WatchFilter::NoDelete] {
        watch(
            &mut store,
            api::WatchCreateRequest { filters: vec![filter], ..watch_request("k", 0) },
        );
    }
    put(&mut store, "k", "v");
    let responses = drain(&mut store);
    assert_eq!((responses.len(), responses[0].watch_id), (1, WatchId(1)));
    delete(&mut store, "k", "");
    let responses = drain(&mut store);
    assert_eq!((responses.len(), responses[0].watch_id), (1, WatchId(0)));
    let request =
        api::WatchCreateRequest { filters: vec![WatchFilter::NoPut], ..watch_request("k", 1) };
    watch(&mut store, request);
    assert_eq!(event_lines(&drain(&mut store)), ["DELETE k 3"]);
}

#[test]
fn progress_is_answered_only_when_every_watch_has_everything() {
    // 56; reported 6, 7, 8
    let mut store = history();
    store.watch(STREAM, &WatchRequest::Progress);
    assert_eq!(next(&mut store), None, "no watches, no answer");
    watch(&mut store, watch_request("never", 2));
    store.watch(STREAM, &WatchRequest::Progress);
    assert_eq!(next(&mut store), None, "the watch is not synced");
    assert_eq!(drain(&mut store), []);
    store.watch(STREAM, &WatchRequest::Progress);
    let progress = next(&mut store).expect("progress");
    let header = api::ResponseHeader { revision: 4, ..Default::default() };
    let expected = api::WatchResponse { header, watch_id: WatchId(-1), ..Default::default() };
    assert_eq!(progress, expected);
    assert_eq!(next(&mut store), None, "one answer");

    watch(&mut store, watch_request("never", 6));
    store.watch(STREAM, &WatchRequest::Progress);
    assert_eq!(next(&mut store), None, "revision 6 is still to come");
    put(&mut store, "k", "v");
    put(&mut store, "k", "v");
    store.watch(STREAM, &WatchRequest::Progress);
    assert_eq!(next(&mut store).expect("progress").header.revision, 6);
}

#[test]
fn periodic_progress_skips_watches_that_had_events() {
    // 57
    let mut store = history();
    watch(&mut store, watch_request("k", 0));
    watch(&mut store, api::WatchCreateRequest { progress_notify: true, ..watch_request("k", 0) });
    let told = |store: &mut WatchableStore| {
        store.notify_progress(STREAM);
        let responses: Vec<_> = std::iter::from_fn(|| next(store)).collect();
        responses.iter().map(|r| (r.watch_id.0, r.header.revision)).collect::<Vec<_>>()
    };
    assert_eq!(told(&mut store), [(1, 4)]);
    assert_eq!(told(&mut store), [(1, 4)]);
    put(&mut store, "k", "v");
    drain(&mut store);
    assert_eq!(told(&mut store), []);
    assert_eq!(told(&mut store), [(1, 5)]);
}

#[test]
fn cancel_answers_once_and_ends_the_events() {
    // 58
    let mut store = WatchableStore::new();
    watch(&mut store, watch_request("k", 0));
    put(&mut store, "k", "v");
    cancel(&mut store, 0);
    cancel(&mut store, 0);
    cancel(&mut store, 9);
    put(&mut store, "k", "v");
    let responses = drain(&mut store);
    assert_eq!(responses.len(), 2);
    assert_eq!(event_lines(&responses), ["PUT k 2"]);
    let header = api::ResponseHeader { revision: 2, ..Default::default() };
    let canceled = api::WatchResponse { header, canceled: true, ..Default::default() };
    assert_eq!(responses[1], canceled);

    watch(&mut store, watch_request("k", 1));
    cancel(&mut store, 1);
    assert_eq!(event_lines(&drain(&mut store)), Vec::<String>::new(), "canceled while unsynced");
}

#[test]
fn slow_stream_loses_and_repeats_nothing() {
    // 59; reported 9
    let mut store = WatchableStore::new();
    watch(&mut store, watch_request("k", 0));
    let other = StreamId(2);
    store.watch(other, &WatchRequest::Create(watch_request("k", 0)));
    let count = 3 * i64::from(WATCH_STREAM_QUEUE_MAX);
    for _ in 0..count {
        put(&mut store, "k", "v");
    }
    let more = store.sync_watchers(u32::MAX);
    assert!(more, "both streams are full");
    let mut seen = [Vec::new(), Vec::new()];
    loop {
        let more = store.sync_watchers(1);
        while let Some((stream, response)) = store.poll_watch() {
            let index = usize::from(stream == other);
            seen[index].extend(response.events.iter().map(|event| event.kv.mod_revision));
        }
        if !more {
            break;
        }
    }
    let expected: Vec<_> = (2..2 + count).collect();
    assert_eq!(seen[0], expected);
    assert_eq!(seen[1], expected);
}

#[test]
fn slow_stream_behind_a_compaction_is_canceled() {
    let mut store = WatchableStore::new();
    watch(&mut store, watch_request("k", 0));
    for _ in 0..=WATCH_STREAM_QUEUE_MAX {
        put(&mut store, "k", "v");
    }
    let last = put(&mut store, "k", "v");
    compact(&mut store, last);
    let responses = drain(&mut store);
    let canceled = responses.last().expect("a response");
    assert_eq!((canceled.canceled, canceled.compact_revision), (true, last));
    assert_eq!(event_lines(&responses).len(), usize::try_from(WATCH_STREAM_QUEUE_MAX).unwrap());
}

#[test]
fn quiet_watch_on_a_full_stream_survives_a_compaction() {
    let mut store = WatchableStore::new();
    watch(&mut store, watch_request("k", 0));
    watch(&mut store, watch_request("quiet", 0));
    let mut last = 1;
    for _ in 0..WATCH_STREAM_QUEUE_MAX {
        last = put(&mut store, "k", "v");
    }
    compact(&mut store, last);
    put(&mut store, "quiet", "v");
    let responses = drain(&mut store);
    let last = responses.last().expect("a response");
    assert_eq!(event_lines(std::slice::from_ref(last)), ["PUT quiet 130"]);
    assert!(responses.iter().all(|response| !response.canceled));
}

#[test]
fn tombstone_at_the_compact_revision_is_still_seen() {
    // 30; reported 4, 5
    let mut store = history();
    delete(&mut store, "k", "");
    put(&mut store, "k", "x");
    compact(&mut store, 5);
    watch(&mut store, watch_request("k", 5));
    assert_eq!(event_lines(&drain(&mut store)), ["DELETE k 5", "PUT k 6"]);

    let mut store = WatchableStore::new();
    put(&mut store, "a", "");
    put(&mut store, "b", "");
    delete(&mut store, "a", "");
    delete(&mut store, "b", "");
    compact(&mut store, 5);
    let all =
        |start| api::WatchCreateRequest { range_end: bytes("\0"), ..watch_request("", start) };
    watch(&mut store, all(5));
    assert_eq!(event_lines(&drain(&mut store)), ["DELETE b 5"]);
    watch(&mut store, all(4));
    assert_eq!(drain(&mut store)[0].compact_revision, 5);
}

#[test]
fn watches_go_on_over_a_snapshot() {
    // 60: start revision against what is seen of PUT@2 and DELETE@3
    let table: [(i64, &[&str]); 5] = [
        (0, &["PUT k 2", "DELETE k 3"]),
        (1, &["PUT k 2", "DELETE k 3"]),
        (2, &["PUT k 2", "DELETE k 3"]),
        (3, &["DELETE k 3"]),
        (4, &[]),
    ];
    let mut source = WatchableStore::new();
    put(&mut source, "k", "v");
    delete(&mut source, "k", "");
    let rows: Vec<Row> = source.rows().cloned().collect();
    for (start, expected) in table {
        let mut store = WatchableStore::new();
        watch(&mut store, watch_request("k", start));
        store.restore_snapshot(rows.iter().cloned(), None, None, 3).expect("restore");
        assert_eq!(event_lines(&drain(&mut store)), expected, "start {start}");
        assert_eq!(store.current_revision(), 3);
        put(&mut store, "k", "again");
        assert_eq!(event_lines(&drain(&mut store)), ["PUT k 4"], "start {start}");
    }
}

#[test]
fn a_watch_without_events_survives_a_compacted_snapshot() {
    let mut store = WatchableStore::new();
    watch(&mut store, watch_request("k", 0));
    for _ in 0..10 {
        put(&mut store, "other", "v");
    }
    let mut source = store.clone();
    put(&mut source, "k", "v");
    compact(&mut source, 11);
    let rows: Vec<Row> = source.rows().cloned().collect();
    store.restore_snapshot(rows.into_iter(), Some(11), Some(11), 12).expect("restore");
    assert_eq!(event_lines(&drain(&mut store)), ["PUT k 12"]);
}

#[test]
fn a_watch_of_the_future_waits_over_a_snapshot_too() {
    // reported 14: also over one that goes back
    let mut source = WatchableStore::new();
    put(&mut source, "k", "v");
    let rows: Vec<Row> = source.rows().cloned().collect();
    let mut store = history();
    watch(&mut store, watch_request("k", 6));
    watch(&mut store, watch_request("k", 0));
    store.restore_snapshot(rows.into_iter(), None, None, 2).expect("restore");
    assert_eq!(drain(&mut store), []);
    store.watch(STREAM, &WatchRequest::Progress);
    assert_eq!(next(&mut store), None, "revision 6 is still to come");
    for _ in 3..=6 {
        put(&mut store, "k", "v");
    }
    let responses = drain(&mut store);
    let of_watch = |id| {
        let of_watch = responses.iter().filter(|r| r.watch_id == WatchId(id));
        of_watch.flat_map(|r| r.events.iter().map(|e| e.kv.mod_revision)).collect::<Vec<_>>()
    };
    assert_eq!(of_watch(0), [6]);
    assert_eq!(of_watch(1), [5, 6], "each from its next revision");
}

#[test]
fn refused_snapshot_changes_nothing() {
    let mut store = history();
    watch(&mut store, watch_request("k", 0));
    let before = Snapshot::of(&store);
    let twice: Vec<Row> = store.rows().chain(store.rows()).cloned().collect();
    assert!(store.restore_snapshot(twice.into_iter(), None, None, 9).is_err());
    assert_eq!(Snapshot::of(&store), before);
    put(&mut store, "k", "v");
    assert_eq!(event_lines(&drain(&mut store)), ["PUT k 5"]);
}

#[test]
fn reading_at_a_revision_and_watching_from_the_next_misses_nothing() {
    // 61
    let mut store = history();
    let read = store.range(&range_request("k", "")).expect("get");
    put(&mut store, "k", "v4");
    watch(&mut store, watch_request("k", read.revision + 1));
    put(&mut store, "k", "v5");
    assert_eq!(event_lines(&drain(&mut store)), ["PUT k 5", "PUT k 6"]);
}

#[test]
fn empty_key_means_the_smallest_and_closed_streams_are_silent() {
    // 13
    let mut store = WatchableStore::new();
    watch(&mut store, watch_request("", 0));
    watch(&mut store, api::WatchCreateRequest { range_end: bytes("\0"), ..watch_request("", 0) });
    put(&mut store, "\0", "v");
    put(&mut store, "a", "v");
    store.close_stream(StreamId(9));
    let responses = drain(&mut store);
    assert_eq!(responses.len(), 3);
    put(&mut store, "a", "v");
    store.close_stream(STREAM);
    assert_eq!(next(&mut store), None, "what was queued is gone");
    put(&mut store, "a", "v");
    assert_eq!(drain(&mut store), []);
    assert_eq!(watch(&mut store, watch_request("a", 0)).watch_id, WatchId(0));
}

#[test]
fn fragments_split_one_revision_for_those_who_allow_it() {
    // 51
    let mut store = WatchableStore::new();
    store.set_watch_fragment_bytes_max(3000);
    let all = api::WatchCreateRequest { range_end: bytes("\0"), ..watch_request("", 0) };
    watch(&mut store, all.clone());
    watch(&mut store, api::WatchCreateRequest { fragment: true, ..all });
    let mut txn = store.begin_write();
    for key in ["a", "b", "c", "d", "e"] {
        txn.put(&bytes(key), bytes(&"x".repeat(1000)), LeaseId(0));
    }
    let _ = txn.end();
    let responses = drain(&mut store);
    let shape: Vec<_> =
        responses.iter().map(|r| (r.watch_id.0, r.events.len(), r.fragment)).collect();
    assert_eq!(shape, [(0, 5, false), (1, 2, true), (1, 2, true), (1, 1, false)]);
    let large = "y".repeat(5000);
    put(&mut store, "a", &large);
    let responses = drain(&mut store);
    assert!(responses.iter().all(|r| !r.fragment && r.events.len() == 1), "one event is not split");
}

#[test]
fn a_watch_is_told_as_catching_up_then_synced_and_slow_while_its_stream_is_full() {
    let mut store = history();
    watch(&mut store, watch_request("k", 2));
    let told = |store: &WatchableStore| {
        let (held, more) = store.held_watches(10);
        assert_eq!((held.len(), more), (1, 0));
        (held[0].pace, held[0].next_revision, held[0].queued)
    };
    assert_eq!(told(&store), (api::WatchPace::CatchingUp, 2, 0));
    store.sync_watchers(1);
    assert_eq!(told(&store), (api::WatchPace::Synced, 5, 1));
    // Nobody takes what is queued.
    for _ in 0..WATCH_STREAM_QUEUE_MAX {
        put(&mut store, "k", "v");
    }
    let (pace, _, queued) = told(&store);
    assert_eq!((pace, queued), (api::WatchPace::Slow, WATCH_STREAM_QUEUE_MAX));
    drain(&mut store);
    assert_eq!(told(&store).0, api::WatchPace::Synced);
    assert_eq!(store.held_watches(0).1, 1);
}
