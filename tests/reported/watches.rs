//! A: watches.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use bytes::Bytes;
use etcd_playground::api::{WatchCreateRequest, WatchRequest};
use etcd_playground::cluster::CallId;
use etcd_playground::etcdserver::backup::{RestoreSpec, restore};

use crate::support::Run;
use crate::talk::{FROM_KEY, del, ended_at, one, seen, watch};

/// Progress notifications of a stream: (watch, revision).
fn progress(run: &Run, watch: CallId) -> Vec<(i64, i64)> {
    let responses = run.watched.get(&watch).map(Vec::as_slice).unwrap_or_default();
    let quiet = responses.iter().filter(|r| !r.created && !r.canceled && r.events.is_empty());
    quiet.map(|response| (response.watch_id.0, response.header.revision)).collect()
}

/// 1
#[test]
fn revision_zero_is_from_now_and_not_from_the_beginning() {
    let (mut run, only) = one();
    run.put(only, "a", "1").unwrap();
    run.put(only, "a", "2").unwrap();
    let now = watch(&mut run, only, "a", &[], 0);
    let beginning = watch(&mut run, only, "a", &[], 1);
    run.put(only, "a", "3").unwrap();
    run.run_ms(50);
    assert_eq!(seen(&run, now), ["PUT a@4"]);
    assert_eq!(seen(&run, beginning), ["PUT a@2", "PUT a@3", "PUT a@4"]);
}

/// 2
#[test]
fn a_watch_of_a_future_revision_waits_for_exactly_that_one() {
    let (mut run, only) = one();
    run.put(only, "a", "1").unwrap();
    run.put(only, "a", "2").unwrap();
    let future = watch(&mut run, only, "a", &[], 10);
    assert!(run.watched[&future][0].created, "at once");
    for _ in 4..=12 {
        run.put(only, "a", "v").unwrap();
    }
    run.run_ms(50);
    assert_eq!(seen(&run, future), ["PUT a@10", "PUT a@11", "PUT a@12"]);
}

/// 4
#[test]
fn the_tombstone_at_the_compact_revision_is_still_seen_and_goes_with_the_next() {
    let (mut run, only) = one();
    for _ in 2..=4 {
        run.put(only, "k", "v").unwrap();
    }
    assert_eq!(del(&mut run, only, "k"), 5);
    assert_eq!(run.put(only, "k", "x"), Ok(6));
    run.compact(only, 5);
    let at = watch(&mut run, only, "k", &[], 5);
    assert_eq!(seen(&run, at), ["DELETE k@5", "PUT k@6"]);
    let last = &run.watched[&at].last().unwrap().events.last().unwrap().kv;
    assert_eq!((last.version, last.create_revision), (1, 6));
    run.compact(only, 6);
    run.run_ms(200);
    let after = watch(&mut run, only, "k", &[], 6);
    assert_eq!(seen(&run, after), ["PUT k@6"]);
    let gone = watch(&mut run, only, "k", &[], 5);
    assert_eq!((seen(&run, gone), ended_at(&run, gone)), (vec![], Some(6)));
}

/// 5
#[test]
fn of_two_tombstones_around_the_compact_revision_the_one_at_it_is_seen() {
    let (mut run, only) = one();
    run.put(only, "a", "v").unwrap();
    run.put(only, "b", "v").unwrap();
    for _ in 4..=408 {
        run.put(only, "other", "v").unwrap();
    }
    assert_eq!((del(&mut run, only, "a"), del(&mut run, only, "b")), (409, 410));
    run.compact(only, 410);
    let at = watch(&mut run, only, "", FROM_KEY, 410);
    assert_eq!(seen(&run, at), ["DELETE b@410"]);
    let before = watch(&mut run, only, "", FROM_KEY, 409);
    assert_eq!((seen(&run, before), ended_at(&run, before)), (vec![], Some(410)));
}

/// 6
#[test]
fn progress_is_never_told_before_the_events_up_to_it() {
    let (mut run, only) = one();
    for _ in 0..30 {
        for _ in 0..100 {
            run.sim.request(only, crate::support::put("k", "v"));
        }
        run.run_ms(30);
    }
    run.run_ms(300);
    let create = WatchCreateRequest {
        key: Bytes::from_static(b"k"),
        start_revision: 1,
        ..Default::default()
    };
    let watch = run.sim.open_watch(only, WatchRequest::Create(create));
    for _ in 0..20 {
        run.sim.send_watch(watch, WatchRequest::Progress);
        run.run_ms(10);
    }
    let mut told = 0;
    for response in &run.watched[&watch] {
        for event in &response.events {
            assert!(event.kv.mod_revision > told, "an event of {told} and before came after it");
        }
        if response.events.is_empty() && !response.created {
            told = response.header.revision;
        }
    }
    assert_eq!(told, 3_001, "it was told in the end");
    assert_eq!(seen(&run, watch).len(), 3_000);
}

/// 7
#[test]
fn a_watch_without_events_gets_its_progress_once_it_is_synced() {
    let (mut run, only) = one();
    run.puts(only, 99);
    let watch = watch(&mut run, only, "never/", b"never0", 50);
    run.sim.send_watch(watch, WatchRequest::Progress);
    run.run_ms(100);
    assert_eq!(progress(&run, watch), [(-1, 100)]);
}

/// 8
#[test]
fn one_watch_of_the_future_keeps_its_stream_from_being_told() {
    let (mut run, only) = one();
    run.puts(only, 9);
    let watch = watch(&mut run, only, "a", &[], 0);
    let future = WatchCreateRequest {
        key: Bytes::from_static(b"b"),
        start_revision: 20,
        ..Default::default()
    };
    run.sim.send_watch(watch, WatchRequest::Create(future));
    run.run_ms(50);
    run.sim.send_watch(watch, WatchRequest::Progress);
    run.run_ms(500);
    assert_eq!(progress(&run, watch), []);
    run.puts(only, 10);
    run.sim.send_watch(watch, WatchRequest::Progress);
    run.run_ms(100);
    assert_eq!(progress(&run, watch), [(-1, 20)]);
}

/// 9
#[test]
fn a_watch_behind_a_compaction_gets_all_events_or_its_end_and_never_a_gap() {
    for compact in [false, true] {
        let (mut run, only) = one();
        run.puts(only, 20);
        run.sim.pause(only);
        let create = WatchCreateRequest {
            key: Bytes::from_static(b"k1"),
            range_end: Bytes::from_static(b"l"),
            start_revision: 2,
            ..Default::default()
        };
        let watch = run.sim.open_watch(only, WatchRequest::Create(create));
        if compact {
            let request = etcd_playground::api::CompactionRequest { revision: 15, physical: true };
            run.sim.resume(only);
            run.ask(only, etcd_playground::api::Request::Compaction(request)).unwrap();
        }
        run.sim.resume(only);
        run.puts(only, 20);
        run.run_ms(500);
        let revisions = run.events(watch);
        let rises = revisions.windows(2).all(|two| two[0] < two[1]);
        assert!(rises, "{revisions:?}");
        if let Some(at) = ended_at(&run, watch) {
            assert!(compact && at == 15, "{at}");
        } else {
            // Every put of k1 to k6: all but those of k0.
            let all = (2..=41).filter(|revision| (revision - 2) % 20 % 7 != 0);
            assert_eq!(revisions, all.collect::<Vec<i64>>());
        }
    }
}

/// 13
#[test]
fn a_quiet_stream_and_answers_elsewhere_are_no_progress() {
    let (mut run, only) = one();
    let watch = watch(&mut run, only, "quiet", &[], 0);
    run.puts(only, 10);
    run.run_ms(5_000);
    assert_eq!(run.watched[&watch].len(), 1, "nothing but the creation");
    run.sim.send_watch(watch, WatchRequest::Progress);
    run.run_ms(50);
    assert_eq!(progress(&run, watch), [(-1, 11)]);
}

/// 14
#[test]
fn after_a_restore_to_a_lower_revision_a_watch_of_the_old_ones_stays_silent_until_then() {
    let (mut run, only) = one();
    run.puts(only, 9);
    let file = run.save(only).unwrap();
    run.puts(only, 90);
    let old = watch(&mut run, only, "k1", &[], 101);
    let spec = RestoreSpec {
        members: vec![("infra1".to_owned(), vec!["http://127.0.0.1:12380".to_owned()])],
        token: "etcd-cluster".to_owned(),
        bump_revision: 0,
        mark_compacted: false,
        skip_hash_check: false,
    };
    let restored = restore(&file, &spec).unwrap();
    run.sim.kill(only);
    run.run_ms(10);
    assert!(run.watched.contains_key(&old), "the old stream ended with its member");
    // A new cluster: its disk and fence begin anew.
    let mut new = Run::new(1, 2, |_| {});
    new.sim.kill(only);
    *new.sim.disk_mut(only).unwrap() = restored.disks[0].clone();
    new.sim.restart(only);
    new.wait_leader();
    let again = watch(&mut new, only, "k1", &[], 101);
    for revision in 11..=101 {
        assert_eq!(new.put(only, "k1", "v"), Ok(revision));
        let expected = if revision == 101 { vec!["PUT k1@101".to_owned()] } else { Vec::new() };
        new.run_ms(5);
        assert_eq!(seen(&new, again), expected);
    }
}

/// 16
#[test]
fn an_event_comes_once_whatever_the_transaction_reads() {
    let (mut run, only) = one();
    let watch = watch(&mut run, only, "a", FROM_KEY, 0);
    for number in 0..20 {
        let request = crate::talk::then(vec![
            crate::talk::get_op("a", 0),
            crate::talk::put_op("a", &number.to_string()),
            crate::talk::get_op("a", 0),
            crate::talk::put_op("b", "v"),
        ]);
        crate::talk::txn(&mut run, only, request).unwrap();
    }
    run.run_ms(50);
    let expected = (2..22).flat_map(|main| [format!("PUT a@{main}"), format!("PUT b@{main}")]);
    assert_eq!(seen(&run, watch), expected.collect::<Vec<String>>());
    assert_eq!(run.watched[&watch].len(), 21, "one response a revision");
}
