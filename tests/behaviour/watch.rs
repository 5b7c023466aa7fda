//! Watches: behaviours 46 to 62.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use etcd_playground::api::{
    Event, EventType, KeyValue, PutRequest, WatchCancelRequest, WatchCreateRequest, WatchFilter,
    WatchRequest, WatchResponse,
};
use etcd_playground::mvcc::{PROGRESS_NOTIFY_INTERVAL_MS, WATCH_STREAM_QUEUE_MAX, WatchableStore};
use etcd_playground::types::{LeaseId, WatchId};

use super::one::*;
use super::store;
use super::support::Run;

/// One key at revisions 2, 3 and 4.
fn three() -> One {
    let mut one = One::new();
    for value in ["1", "2", "3"] {
        one.put("k", value);
    }
    one
}

fn cancel(id: i64) -> WatchRequest {
    WatchRequest::Cancel(WatchCancelRequest { watch_id: WatchId(id) })
}

fn of_watch(heard: &[WatchResponse], id: i64) -> Vec<String> {
    let own: Vec<WatchResponse> =
        heard.iter().filter(|response| response.watch_id == WatchId(id)).cloned().collect();
    lines(&own)
}

#[test]
fn behaviour_46_a_start_of_0_is_now_of_the_past_is_history_and_of_the_future_waits() {
    let mut one = three();
    let call = one.open(watch("k", 0));
    for start in [3, 7] {
        one.send(call, WatchRequest::Create(watch("k", start)));
    }
    for value in ["4", "5", "6", "7"] {
        one.put("k", value);
    }
    let heard = one.heard(call);
    assert_eq!(of_watch(&heard, 0), ["PUT k 5", "PUT k 6", "PUT k 7", "PUT k 8"]);
    assert_eq!(of_watch(&heard, 1).len(), 6);
    assert_eq!(of_watch(&heard, 1)[0], "PUT k 3");
    assert_eq!(of_watch(&heard, 2), ["PUT k 7", "PUT k 8"]);
}

#[test]
fn behaviour_47_a_negative_start_is_created_and_canceled_in_one_response() {
    let mut one = three();
    let call = one.open(watch("k", -1));
    let heard = one.heard(call);
    let header = heard[0].header.clone();
    let want = WatchResponse {
        header,
        watch_id: WatchId(-1),
        created: true,
        canceled: true,
        cancel_reason: COMPACTED.to_owned(),
        ..WatchResponse::default()
    };
    assert_eq!(heard, [want]);
}

#[test]
fn behaviour_48_a_start_below_the_compacted_revision_is_created_and_then_canceled() {
    let mut one = three();
    one.compact(3).unwrap();
    let call = one.open(watch("k", 2));
    let heard = one.heard(call);
    let flags: Vec<(bool, bool, i64)> = heard
        .iter()
        .map(|response| (response.created, response.canceled, response.compact_revision))
        .collect();
    assert_eq!(flags, [(true, false, 0), (false, true, 3)]);
    assert!(heard.iter().all(|response| response.events.is_empty()));
    assert!(heard.iter().all(|response| response.cancel_reason.is_empty()));
    let call = one.open(watch("k", 3));
    assert_eq!(one.events(call), ["PUT k 3", "PUT k 4"]);
}

#[test]
fn behaviour_49_created_comes_before_every_event() {
    let mut one = three();
    let call = one.open(watch("k", 2));
    let heard = one.heard(call);
    assert!(heard[0].created && heard[0].events.is_empty());
    assert!(heard[1..].iter().all(|response| !response.created));
    assert_eq!(lines(&heard), ["PUT k 2", "PUT k 3", "PUT k 4"]);
}

#[test]
fn behaviour_50_ids_are_the_ones_asked_for_or_the_lowest_free() {
    let mut one = One::new();
    let asked = |id| WatchCreateRequest { watch_id: WatchId(id), ..watch("k", 0) };
    let call = one.open(asked(1));
    for id in [1, 0, 0] {
        one.send(call, WatchRequest::Create(asked(id)));
    }
    let heard = one.heard(call);
    let ids: Vec<(i64, bool)> =
        heard.iter().map(|response| (response.watch_id.0, response.canceled)).collect();
    assert_eq!(ids, [(1, false), (-1, true), (0, false), (2, false)]);
    assert_eq!(heard[1].cancel_reason, "mvcc: duplicate watch ID provided on the WatchStream");
}

#[test]
fn behaviour_51_the_events_of_one_revision_come_together_or_in_marked_fragments() {
    let mut one = One::with(|config| config.max_txn_ops = 128);
    let whole = one.open(watch_range("k", "l", 0));
    let parted = one.open(WatchCreateRequest { fragment: true, ..watch_range("k", "l", 0) });
    one.heard(whole);
    one.heard(parted);
    // Three values of 400 kB: one response may have 1.5 MB and 512 kB above it.
    let value = "x".repeat(400_000);
    let ops = (0..3).map(|number| put_op(&format!("k{number}"), &value)).collect();
    one.txn(then(ops)).unwrap();
    let heard = one.heard(whole);
    assert_eq!((heard.len(), heard[0].events.len(), heard[0].fragment), (1, 3, false));
    let heard = one.heard(parted);
    assert!(heard.iter().all(|response| response.header.revision == 2));
    assert_eq!(lines(&heard), ["PUT k0 2", "PUT k1 2", "PUT k2 2"]);
    let marks: Vec<bool> = heard.iter().map(|response| response.fragment).collect();
    let (last, before) = marks.split_last().unwrap();
    assert!(!last && before.iter().all(|mark| *mark), "{marks:?}");
    // A smaller limit, at the store itself, makes several of them.
    let mut small = WatchableStore::new();
    let request = WatchCreateRequest { fragment: true, ..store::watch_request("k", 0) };
    store::watch(&mut small, WatchCreateRequest { range_end: bytes("l"), ..request });
    let mut write = small.begin_write();
    for number in 0..5 {
        write.put(&bytes(&format!("k{number}")), bytes(&"x".repeat(600_000)), LeaseId(0));
    }
    assert_eq!(write.end().rows.len(), 5);
    let heard = store::drain(&mut small);
    let marks: Vec<bool> = heard.iter().map(|response| response.fragment).collect();
    assert!(marks.len() > 1, "{marks:?}");
    let (last, before) = marks.split_last().unwrap();
    assert!(!last && before.iter().all(|mark| *mark), "{marks:?}");
    assert_eq!(store::event_lines(&heard).len(), 5);
}

#[test]
fn behaviour_52_a_long_history_comes_in_batches_of_at_most_1000_revisions() {
    let mut one = WatchableStore::new();
    for _ in 0..2_500 {
        store::put(&mut one, "k", "v");
    }
    store::watch(&mut one, store::watch_request("k", 2));
    let heard = store::drain(&mut one);
    let sizes: Vec<usize> = heard.iter().map(|response| response.events.len()).collect();
    assert_eq!(sizes, [1_000, 1_000, 500]);
    assert!(heard.iter().all(|response| response.header.revision == 2_501));
    let revisions: Vec<i64> = heard
        .iter()
        .flat_map(|response| response.events.iter().map(|event| event.kv.mod_revision))
        .collect();
    assert_eq!(revisions, (2..=2_501).collect::<Vec<i64>>());
}

#[test]
fn behaviour_53_a_delete_event_has_key_and_revision_and_the_previous_if_asked() {
    let mut one = One::new();
    let call = one.open(WatchCreateRequest { prev_kv: true, ..watch("k", 0) });
    let plain = one.open(watch("k", 0));
    one.put("k", "1");
    one.put("k", "2");
    one.del("k", "");
    let events = |heard: &[WatchResponse]| -> Vec<Event> {
        heard.iter().flat_map(|response| response.events.clone()).collect()
    };
    let heard = one.heard(call);
    let told = events(&heard);
    assert_eq!(told[0].prev_kv, None, "there was none before");
    assert_eq!(told[1].prev_kv.as_ref().map(shown).unwrap(), "2/2/1 1");
    assert_eq!(told[2].event_type, EventType::Delete);
    let want = KeyValue { key: bytes("k"), mod_revision: 4, ..KeyValue::default() };
    assert_eq!(told[2].kv, want);
    assert_eq!(told[2].prev_kv.as_ref().map(shown).unwrap(), "2/3/2 2");
    let heard = one.heard(plain);
    assert!(events(&heard).iter().all(|event| event.prev_kv.is_none()));
    // What is compacted cannot come along any more.
    one.compact(4).unwrap();
    let call = one.open(WatchCreateRequest { prev_kv: true, ..watch("k", 4) });
    let heard = one.heard(call);
    let told = events(&heard);
    assert_eq!((told.len(), told[0].prev_kv.clone()), (1, None));
}

#[test]
fn behaviour_54_a_put_creates_when_its_revisions_are_equal_and_a_lease_change_is_a_put() {
    let mut one = One::new();
    one.grant(7, 60);
    let call = one.open(watch("k", 0));
    one.put("k", "v");
    let again = PutRequest { ignore_value: true, lease: LeaseId(7), ..put("k", "") };
    one.try_put(again).unwrap();
    let heard = one.heard(call);
    let told: Vec<(bool, i64)> = heard
        .iter()
        .flat_map(|response| &response.events)
        .map(|event| (event.kv.create_revision == event.kv.mod_revision, event.kv.lease.0))
        .collect();
    assert_eq!(told, [(true, 0), (false, 7)]);
    assert_eq!(lines(&heard), ["PUT k 2", "PUT k 3"]);
}

#[test]
fn behaviour_55_filters_leave_events_out_and_send_nothing_where_none_is_left() {
    let mut one = One::new();
    let filtered = |filter| WatchCreateRequest { filters: vec![filter], ..watch("k", 0) };
    let no_put = one.open(filtered(WatchFilter::NoPut));
    let no_delete = one.open(filtered(WatchFilter::NoDelete));
    for call in [no_put, no_delete] {
        one.heard(call);
    }
    one.put("k", "1");
    one.del("k", "");
    one.put("k", "2");
    let heard = one.heard(no_put);
    assert_eq!((heard.len(), lines(&heard)), (1, vec!["DELETE k 3".to_owned()]));
    let heard = one.heard(no_delete);
    assert_eq!(heard.len(), 2);
    assert_eq!(lines(&heard), ["PUT k 2", "PUT k 4"]);
}

#[test]
fn behaviour_56_progress_is_told_once_and_only_when_every_watch_has_everything() {
    let mut one = three();
    let call = one.open(watch("k", 2));
    one.heard(call);
    one.send(call, WatchRequest::Progress);
    let heard = one.heard(call);
    assert_eq!(heard.len(), 1);
    assert_eq!((heard[0].watch_id.0, heard[0].header.revision), (-1, 4));
    assert!(heard[0].events.is_empty() && !heard[0].created && !heard[0].canceled);
    one.send(call, WatchRequest::Create(watch("k", 9)));
    one.heard(call);
    one.send(call, WatchRequest::Progress);
    assert!(one.heard(call).is_empty(), "one of them waits for revision 9");
    one.send(call, cancel(1));
    one.heard(call);
    one.send(call, WatchRequest::Progress);
    assert_eq!(one.heard(call).len(), 1);
    one.send(call, cancel(0));
    one.heard(call);
    one.send(call, WatchRequest::Progress);
    assert!(one.heard(call).is_empty(), "nobody watches");
}

#[test]
fn behaviour_57_progress_comes_by_itself_every_ten_minutes_without_events() {
    assert_eq!(PROGRESS_NOTIFY_INTERVAL_MS, 10 * 60_000);
    let mut one = WatchableStore::new();
    let asked = |key| WatchCreateRequest { progress_notify: true, ..store::watch_request(key, 0) };
    for request in [asked("k"), store::watch_request("k", 0), asked("busy")] {
        store::watch(&mut one, request);
    }
    store::put(&mut one, "busy", "v");
    store::drain(&mut one);
    let marks = |one: &mut WatchableStore| {
        one.notify_progress(store::STREAM);
        let heard = store::drain(one);
        heard.iter().map(|told| (told.watch_id.0, told.header.revision)).collect::<Vec<_>>()
    };
    assert_eq!(marks(&mut one), [(0, 2)], "the busy one had an event meanwhile");
    assert_eq!(marks(&mut one), [(0, 2), (2, 2)], "and now it had none");
    store::watch(&mut one, WatchCreateRequest { start_revision: 9, ..asked("k") });
    assert_eq!(marks(&mut one), [(0, 2), (2, 2)], "the one of the future has not begun");
    progress_comes_from_the_servers_own_clock();
}

/// Behaviour 57 as a client of a member sees it, over 45 minutes.
fn progress_comes_from_the_servers_own_clock() {
    let mut one = One::new();
    one.put("k", "v");
    let begun = one.run.sim.now().0;
    let create = |key: &str, progress_notify| WatchCreateRequest {
        progress_notify,
        ..store::watch_request(key, 0)
    };
    let asked = one.open(create("k", true));
    let silent = one.open(create("k", false));
    let busy = one.open(create("busy", true));
    for call in [asked, silent, busy] {
        one.heard(call);
    }
    let (mut told, mut newest) = (Vec::new(), 2);
    while one.run.sim.now().0 < begun + 45 * 60_000 {
        one.run.run_ms(30_000);
        for response in one.heard(asked) {
            assert!(response.events.is_empty());
            assert_eq!((response.watch_id, response.header.revision), (WatchId(0), newest));
            told.push(one.run.sim.now().0);
        }
        newest = one.put("busy", "v");
        let heard = one.heard(busy);
        assert!(heard.iter().all(|response| !response.events.is_empty()), "{heard:?}");
    }
    assert_eq!(told.len(), 4);
    let starts = std::iter::once(begun).chain(told.iter().copied());
    let gaps: Vec<u64> = starts.zip(&told).map(|(from, to)| to - from).collect();
    // Ten minutes and at most a tenth more, looked at every half minute.
    assert!(gaps.iter().all(|gap| (570_000..=690_000).contains(gap)), "{gaps:?}");
    assert!(one.heard(silent).is_empty(), "it did not ask for progress");
}

#[test]
fn behaviour_58_a_cancel_is_answered_once_and_nothing_follows_it() {
    let mut one = One::new();
    let call = one.open(watch("k", 0));
    one.heard(call);
    one.send(call, cancel(5));
    assert!(one.heard(call).is_empty(), "nobody has that id");
    one.send(call, cancel(0));
    one.put("k", "v");
    one.send(call, cancel(0));
    let heard = one.heard(call);
    assert_eq!(heard.len(), 1);
    assert!(heard[0].canceled && heard[0].cancel_reason.is_empty());
    assert_eq!((heard[0].watch_id.0, heard[0].compact_revision), (0, 0));
}

#[test]
fn behaviour_59_a_slow_consumer_loses_and_repeats_nothing() {
    let mut one = WatchableStore::new();
    store::watch(&mut one, store::watch_request("k", 0));
    let queued = i64::from(WATCH_STREAM_QUEUE_MAX);
    assert_eq!(queued, 128);
    for _ in 0..3 * queued {
        store::put(&mut one, "k", "v");
    }
    let first = std::iter::from_fn(|| store::next(&mut one)).count();
    assert_eq!(i64::try_from(first).unwrap(), queued, "what it had room for");
    let rest = store::drain(&mut one);
    let revisions: Vec<i64> = rest
        .iter()
        .flat_map(|response| response.events.iter().map(|event| event.kv.mod_revision))
        .collect();
    assert_eq!(revisions, (queued + 2..=3 * queued + 1).collect::<Vec<i64>>());
}

#[test]
fn behaviour_60_watches_go_on_from_their_next_revision_over_a_snapshot() {
    // The key is put at 2 and deleted at 3, which the follower learns from a snapshot only.
    for (start, want) in [
        (0, vec!["PUT k 2", "DELETE k 3"]),
        (1, vec!["PUT k 2", "DELETE k 3"]),
        (2, vec!["PUT k 2", "DELETE k 3"]),
        (3, vec!["DELETE k 3"]),
        (4, vec![]),
    ] {
        let mut run = Run::new(3, 1, |config| {
            config.snapshot_count = 5;
            config.snapshot_catchup_entries = 1;
        });
        let leader = run.wait_leader();
        let follower = run.follower();
        run.run_ms(500);
        let call = run.watch(follower, "k", start);
        run.run_ms(500);
        let all = run.ids();
        run.sim.links_mut().isolate(follower, &all);
        run.put(leader, "k", "v").unwrap();
        let gone = etcd_playground::api::Request::DeleteRange(delete("k", ""));
        run.ask(leader, gone).unwrap();
        for number in 0..20 {
            run.put(leader, "other", &number.to_string()).unwrap();
        }
        run.sim.links_mut().heal();
        run.run_ms(8_000);
        let heard = run.watched.remove(&call).unwrap();
        assert_eq!(lines(&heard), want, "from {start}");
        run.assert_nobody_crashed();
    }
}

#[test]
fn behaviour_61_who_reads_a_revision_and_watches_from_the_next_misses_nothing() {
    let mut one = One::new();
    let mut told = Vec::new();
    let mut calls = Vec::new();
    for value in 0..10 {
        one.put("k", &value.to_string());
        let found = one.range(range("k", "")).unwrap();
        let next = found.header.revision + 1;
        let call = one.run.sim.open_watch(one.member, WatchRequest::Create(watch("k", next)));
        calls.push((call, next));
    }
    for (call, next) in calls {
        let events = one.events(call);
        let want: Vec<String> = (next..=11).map(|revision| format!("PUT k {revision}")).collect();
        assert_eq!(events, want);
        told.push(events.len());
    }
    assert_eq!(told, (0..10).rev().collect::<Vec<usize>>());
}

#[test]
fn behaviour_62_a_watch_gets_of_a_revision_what_lies_in_its_range() {
    let mut one = One::new();
    let call = one.open(watch_range("a", "c", 0));
    one.heard(call);
    one.txn(then(vec![put_op("a", "1"), put_op("c", "1")])).unwrap();
    let heard = one.heard(call);
    assert_eq!((heard.len(), heard[0].header.revision), (1, 2));
    assert_eq!(lines(&heard), ["PUT a 2"]);
}
