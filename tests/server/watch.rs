//! Watches at the server: told their progress, read on through long history, ended with a reason.

use bytes::Bytes;
use etcd_playground::api::{
    Request, RequestOp, TxnRequest, WatchCancelRequest, WatchCreateRequest, WatchRequest,
    WatchResponse,
};
use etcd_playground::cluster::CallId;
use etcd_playground::types::{MemberId, WatchId};

use crate::support::Run;

fn create(key: &str, change: impl Fn(&mut WatchCreateRequest)) -> WatchRequest {
    let mut create =
        WatchCreateRequest { key: Bytes::copy_from_slice(key.as_bytes()), ..Default::default() };
    change(&mut create);
    WatchRequest::Create(create)
}

fn responses(run: &Run, watch: CallId) -> &[WatchResponse] {
    run.watched.get(&watch).map(Vec::as_slice).unwrap_or_default()
}

/// Progress notifications: (watch, revision).
fn progress(run: &Run, watch: CallId) -> Vec<(i64, i64)> {
    let told = responses(run, watch).iter();
    let told = told.filter(|told| !told.created && !told.canceled && told.events.is_empty());
    told.map(|told| (told.watch_id.0, told.header.revision)).collect()
}

#[test]
fn progress_is_told_every_ten_minutes_and_a_tenth_at_most_to_those_who_asked_for_it() {
    let mut run = Run::new(1, 1, |_| {});
    let only = run.wait_leader();
    run.put(only, "other", "v").unwrap();
    let begun = run.sim.now().0;
    let asked = run.sim.open_watch(only, create("k", |create| create.progress_notify = true));
    let silent = run.sim.open_watch(only, create("k", |_| {}));
    let mut at = Vec::new();
    while run.sim.now().0 < begun + 45 * 60_000 {
        run.run_ms(1_000);
        if progress(&run, asked).len() > at.len() {
            at.push(run.sim.now().0);
        }
    }
    assert_eq!(progress(&run, asked), vec![(0, 2); 4]);
    assert!(progress(&run, silent).is_empty());
    let gaps: Vec<u64> = std::iter::once(&begun)
        .chain(&at)
        .copied()
        .collect::<Vec<_>>()
        .windows(2)
        .map(|two| two[1] - two[0])
        .collect();
    assert!(gaps.iter().all(|gap| (600_000..=661_000).contains(gap)), "{gaps:?}");
}

#[test]
fn an_event_in_an_interval_stands_in_for_its_progress() {
    let mut run = Run::new(1, 2, |config| config.watch_progress_notify_ms = 1_000);
    let only = run.wait_leader();
    let watch = run.sim.open_watch(only, create("k", |create| create.progress_notify = true));
    for _ in 0..20 {
        run.put(only, "k", "v").unwrap();
        run.run_ms(400);
    }
    assert!(progress(&run, watch).is_empty(), "{:?}", progress(&run, watch));
    run.run_ms(10_000);
    let told = progress(&run, watch);
    assert!((8..=10).contains(&told.len()), "{told:?}");
    assert!(told.iter().all(|told| *told == (0, 21)));
}

#[test]
fn an_interval_below_a_tenth_of_a_second_is_raised_to_it() {
    let mut run = Run::new(1, 3, |config| config.watch_progress_notify_ms = 1);
    let only = run.wait_leader();
    let watch = run.sim.open_watch(only, create("k", |create| create.progress_notify = true));
    run.run_ms(5_050);
    let told = progress(&run, watch).len();
    assert!((48..=51).contains(&told), "{told}");
}

#[test]
fn a_requested_progress_comes_once_for_the_stream_and_only_when_all_of_it_is_synced() {
    let mut run = Run::new(1, 4, |_| {});
    let only = run.wait_leader();
    run.puts(only, 99);
    // PR#17566: no event ever comes, and yet it is told once it is synced.
    let watch = run.sim.open_watch(only, create("never/", |create| create.start_revision = 50));
    run.sim.send_watch(watch, WatchRequest::Progress);
    run.run_ms(200);
    assert_eq!(progress(&run, watch), [(-1, 100)]);
    // #20242: a watch of the future keeps the whole stream from being told.
    run.sim.send_watch(watch, create("k", |create| create.start_revision = 110));
    run.run_ms(50);
    run.sim.send_watch(watch, WatchRequest::Progress);
    run.run_ms(200);
    assert_eq!(progress(&run, watch), [(-1, 100)]);
    run.puts(only, 10);
    run.sim.send_watch(watch, WatchRequest::Progress);
    run.run_ms(200);
    assert_eq!(progress(&run, watch), [(-1, 100), (-1, 110)]);
}

#[test]
fn long_history_comes_in_a_thousand_revisions_a_time_and_soon() {
    let mut run = Run::new(1, 5, |_| {});
    let only = run.wait_leader();
    for number in 0..25 {
        for _ in 0..100 {
            run.sim.request(only, crate::support::put("k", &number.to_string()));
        }
        run.run_ms(30);
    }
    run.run_ms(200);
    assert_eq!(run.sim.status(only).unwrap().revision, 2_501);
    let watches: Vec<CallId> = (0..20).map(|_| run.watch(only, "k", 1)).collect();
    run.run_ms(500);
    for watch in watches {
        let sizes: Vec<usize> =
            responses(&run, watch).iter().map(|told| told.events.len()).collect();
        assert_eq!(sizes, [0, 1_000, 1_000, 500]);
        assert_eq!(run.events(watch), (2..=2_501).collect::<Vec<i64>>());
        assert!(responses(&run, watch).iter().all(|told| told.header.revision == 2_501));
    }
}

fn put_op(key: &str, bytes: usize) -> RequestOp {
    let Request::Put(put) = crate::support::put(key, &"x".repeat(bytes)) else { unreachable!() };
    RequestOp::Put(put)
}

#[test]
fn one_revision_is_one_response_unless_fragments_are_allowed() {
    let mut run = Run::new(1, 6, |config| config.max_request_bytes = 8 * 1024 * 1024);
    let only = run.wait_leader();
    let prefix = |create: &mut WatchCreateRequest| create.range_end = Bytes::from_static(b"l");
    let whole = run.sim.open_watch(only, create("k", prefix));
    let parts = run.sim.open_watch(
        only,
        create("k", |create| {
            prefix(create);
            create.fragment = true;
        }),
    );
    let success = (0..5).map(|number| put_op(&format!("k{number}"), 900_000)).collect();
    run.ask(only, Request::Txn(TxnRequest { success, ..Default::default() })).unwrap();
    run.run_ms(100);
    let shape = |watch| -> Vec<(usize, bool)> {
        let told = responses(&run, watch).iter().skip(1);
        told.map(|told| (told.events.len(), told.fragment)).collect()
    };
    assert_eq!(shape(whole), [(5, false)]);
    assert_eq!(shape(parts), [(2, true), (2, true), (1, false)]);
}

fn last(run: &Run, watch: CallId) -> (i64, bool, bool, i64, String) {
    let told = responses(run, watch).last().unwrap();
    let WatchResponse { watch_id, created, canceled, compact_revision, cancel_reason, .. } = told;
    (watch_id.0, *created, *canceled, *compact_revision, cancel_reason.clone())
}

#[test]
fn a_watch_ends_with_etcds_reasons() {
    let mut run = Run::new(1, 7, |_| {});
    let only = run.wait_leader();
    run.puts(only, 9);
    run.compact(only, 5);
    let open = |run: &mut Run, member: MemberId, request| {
        let watch = run.sim.open_watch(member, request);
        run.run_ms(200);
        watch
    };
    let negative = open(&mut run, only, create("k", |create| create.start_revision = -1));
    let compacted = "etcdserver: mvcc: required revision has been compacted";
    assert_eq!(last(&run, negative), (-1, true, true, 0, compacted.to_owned()));
    let empty = open(&mut run, only, create("d", |c| c.range_end = Bytes::from_static(b"b")));
    assert_eq!(last(&run, empty), (-1, true, true, 0, "mvcc: watcher range is empty".to_owned()));
    let old = open(&mut run, only, create("k1", |create| create.start_revision = 4));
    assert!(responses(&run, old)[0].created && !responses(&run, old)[0].canceled);
    assert_eq!(last(&run, old), (0, false, true, 5, String::new()));
    let own = open(&mut run, only, create("k1", |create| create.watch_id = WatchId(1)));
    run.sim.send_watch(own, create("k1", |create| create.watch_id = WatchId(1)));
    run.run_ms(50);
    let duplicate = "mvcc: duplicate watch ID provided on the WatchStream";
    assert_eq!(last(&run, own), (-1, true, true, 0, duplicate.to_owned()));
    run.sim.send_watch(own, WatchRequest::Cancel(WatchCancelRequest { watch_id: WatchId(1) }));
    run.run_ms(50);
    assert_eq!(last(&run, own), (1, false, true, 0, String::new()));
    let told = responses(&run, own).len();
    run.sim.send_watch(own, WatchRequest::Cancel(WatchCancelRequest { watch_id: WatchId(1) }));
    run.puts(only, 9);
    run.run_ms(300);
    assert_eq!(responses(&run, own).len(), told, "nothing follows the end");
}
