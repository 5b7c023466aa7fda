//! Watches that surprised somebody: reports 1 to 16.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use etcd_playground::api::{WatchRequest, WatchResponse};
use etcd_playground::mvcc::WatchableStore;

use super::one::*;
use super::store;
use super::support::Run;

#[test]
fn report_01_revision_0_means_from_now_and_1_from_the_beginning() {
    let mut one = One::new();
    one.put("a", "1");
    one.put("a", "2");
    let now = one.open(watch("a", 0));
    let beginning = one.open(watch("a", 1));
    one.put("a", "3");
    assert_eq!(one.events(now), ["PUT a 4"]);
    assert_eq!(one.events(beginning), ["PUT a 2", "PUT a 3", "PUT a 4"]);
}

#[test]
fn report_02_a_watch_of_the_future_is_created_at_once_and_begins_exactly_there() {
    let mut one = One::new();
    one.put("a", "1");
    one.put("a", "2");
    let call = one.open(watch("a", 10));
    assert!(one.heard(call)[0].created);
    for revision in 4..=12 {
        assert_eq!(one.put("a", "v"), revision);
        let told = one.events(call);
        let want = if revision < 10 { vec![] } else { vec![format!("PUT a {revision}")] };
        assert_eq!(told, want);
    }
}

#[test]
fn report_04_the_delete_at_the_compacted_revision_is_told_and_goes_with_the_next() {
    let mut one = One::new();
    for _ in 0..3 {
        one.put("k", "v");
    }
    assert_eq!(one.del("k", ""), (1, 5));
    assert_eq!(one.put("k", "x"), 6);
    one.compact(5).unwrap();
    let call = one.open(watch("k", 5));
    let heard = one.heard(call);
    assert_eq!(lines(&heard), ["DELETE k 5", "PUT k 6"]);
    let last = heard.iter().flat_map(|response| &response.events).next_back().unwrap();
    assert_eq!(shown(&last.kv), "6/6/1 x");
    one.compact(6).unwrap();
    let call = one.open(watch("k", 6));
    assert_eq!(one.events(call), ["PUT k 6"]);
}

#[test]
fn report_05_of_two_deletes_around_a_compaction_only_the_later_is_told() {
    let mut one = One::new();
    one.put("a", "v");
    one.put("b", "v");
    while one.revision() < 408 {
        one.put("z", "v");
    }
    assert_eq!((one.del("a", ""), one.del("b", "")), ((1, 409), (1, 410)));
    one.compact(410).unwrap();
    let call = one.open(watch_range("\0", "\0", 410));
    assert_eq!(one.events(call), ["DELETE b 410"]);
    let call = one.open(watch_range("\0", "\0", 409));
    let last = one.heard(call).pop().unwrap();
    assert_eq!((last.canceled, last.compact_revision, last.events.len()), (true, 410, 0));
}

/// Of a stream: every event up to a progress mark was told before it.
fn holds_its_marks(heard: &[WatchResponse], last: i64) {
    let mut told = vec![];
    for response in heard {
        told.extend(response.events.iter().map(|event| event.kv.mod_revision));
        if response.watch_id.0 == -1 && !response.canceled {
            let mark = response.header.revision;
            let missing = (2..=mark.min(last)).find(|revision| !told.contains(revision));
            assert_eq!(missing, None, "progress {mark} came before an event");
        }
    }
}

#[test]
fn report_06_progress_never_overtakes_events() {
    let mut one = One::new();
    for _ in 0..50 {
        one.put("k", "v");
    }
    // Asked at once, while history has still to come.
    let call = one.run.sim.open_watch(one.member, WatchRequest::Create(watch("k", 2)));
    for _ in 0..20 {
        one.run.sim.send_watch(call, WatchRequest::Progress);
        one.run.run_ms(10);
    }
    one.send(call, WatchRequest::Progress);
    let heard = one.heard(call);
    holds_its_marks(&heard, 51);
    assert!(heard.iter().any(|response| response.watch_id.0 == -1), "and in the end it is told");
    let mut behind = WatchableStore::new();
    store::put(&mut behind, "k", "v");
    store::watch(&mut behind, store::watch_request("k", 2));
    behind.watch(store::STREAM, &WatchRequest::Progress);
    let first = store::next(&mut behind);
    assert!(first.is_none_or(|response| response.watch_id.0 != -1), "its history has not gone out");
}

#[test]
fn report_07_a_watch_that_never_had_an_event_is_told_its_progress() {
    let mut one = One::new();
    for _ in 0..99 {
        one.put("other", "v");
    }
    let call = one.open(watch_range("never/", "never0", 50));
    one.heard(call);
    one.send(call, WatchRequest::Progress);
    let heard = one.heard(call);
    let marks: Vec<(i64, i64)> =
        heard.iter().map(|response| (response.watch_id.0, response.header.revision)).collect();
    assert_eq!(marks, [(-1, 100)]);
}

#[test]
fn report_08_one_watch_of_the_future_holds_back_the_progress_of_its_stream() {
    let mut one = One::new();
    one.put("k", "v");
    let call = one.open(watch("k", 0));
    one.send(call, WatchRequest::Create(watch("k", 5)));
    one.heard(call);
    for revision in 3..=5 {
        one.send(call, WatchRequest::Progress);
        assert!(one.heard(call).is_empty(), "below revision 5");
        assert_eq!(one.put("k", "v"), revision);
        one.heard(call);
    }
    one.send(call, WatchRequest::Progress);
    let heard = one.heard(call);
    assert_eq!((heard.len(), heard[0].watch_id.0, heard[0].header.revision), (1, -1, 5));
}

#[test]
fn report_09_a_slow_stream_gets_every_event_or_is_told_that_they_are_compacted() {
    let mut one = WatchableStore::new();
    store::watch(&mut one, store::watch_request("k", 0));
    for _ in 0..400 {
        store::put(&mut one, "k", "v");
    }
    let mut told: Vec<i64> = vec![];
    let take = |response: &WatchResponse, told: &mut Vec<i64>| {
        told.extend(response.events.iter().map(|event| event.kv.mod_revision));
    };
    // It takes half of what is queued, then a compaction passes its place.
    for _ in 0..64 {
        take(&store::next(&mut one).unwrap(), &mut told);
    }
    store::compact(&mut one, 350);
    let rest = store::drain(&mut one);
    let canceled = rest.iter().find(|response| response.canceled);
    for response in &rest {
        take(response, &mut told);
    }
    let in_order: Vec<i64> = (2..2 + i64::try_from(told.len()).unwrap()).collect();
    assert_eq!(told, in_order, "no gap and no repetition");
    let canceled = canceled.unwrap();
    assert_eq!((canceled.compact_revision, canceled.events.len()), (350, 0));
}

#[test]
fn report_13_a_quiet_stream_is_no_progress() {
    let mut one = One::new();
    let call = one.open(watch("k", 0));
    one.heard(call);
    for _ in 0..5 {
        one.put("other", "v");
    }
    one.run.run_ms(30_000);
    assert!(one.heard(call).is_empty(), "nothing on the stream tells of revision 6");
    assert_eq!(one.revision(), 6, "another connection does, and that does not count");
    one.put("k", "v");
    let heard = one.heard(call);
    assert_eq!((lines(&heard), heard[0].header.revision), (vec!["PUT k 7".to_owned()], 7));
    // Going on after what the stream itself said last loses nothing.
    let call = one.open(watch("k", 7));
    assert_eq!(one.events(call), ["PUT k 7"]);
}

#[test]
fn report_14_a_watch_above_the_revision_of_a_store_that_went_back_is_silent_until_there() {
    let mut one = One::new();
    while one.revision() < 10 {
        one.put("k", "v");
    }
    let call = one.open(watch("k", 101));
    assert!(one.heard(call)[0].created);
    one.put("k", "v");
    assert!(one.heard(call).is_empty());
    while one.revision() < 100 {
        one.put("k", "v");
    }
    assert!(one.heard(call).is_empty());
    one.put("k", "v");
    assert_eq!(one.events(call), ["PUT k 101"]);
    // A member whose state is replaced or lost stops first, and its streams end with it.
    let member = one.member;
    one.run.sim.kill(member);
    one.run.run_ms(500);
    assert_eq!(one.run.down, [(member, "killed".to_owned())]);
    one.run.sim.restart(member);
    one.run.wait_leader();
    one.put("k", "v");
    assert!(one.heard(call).is_empty(), "the stream is over");
}

#[test]
fn report_16_no_event_comes_twice() {
    let mut run = Run::new(3, 5, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    let calls =
        [run.watch(leader, "k", 2), run.watch(follower, "k", 2), run.watch(follower, "k", 0)];
    run.run_ms(300);
    for round in 0..30 {
        let to = if round % 2 == 0 { leader } else { follower };
        // A transaction that reads what it writes, and a put; both may be answered from a cache elsewhere.
        let ops = vec![get_op("k"), put_op("k", &round.to_string()), get_op("k")];
        run.ask(to, etcd_playground::api::Request::Txn(then(ops))).unwrap();
    }
    run.run_ms(1_000);
    for call in calls {
        let heard = run.watched.remove(&call).unwrap();
        let want: Vec<String> = (2..=31).map(|revision| format!("PUT k {revision}")).collect();
        assert_eq!(lines(&heard), want);
    }
}
