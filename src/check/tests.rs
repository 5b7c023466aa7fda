mod leases;

use bytes::Bytes;

use super::*;
use crate::api::{
    CompactionRequest, CompactionResponse, Compare, CompareResult, CompareTarget,
    DeleteRangeRequest, Error, Event, KeyValue, PutRequest, PutResponse, RangeRequest,
    RangeResponse, Request, RequestOp, Response, ResponseHeader, TxnRequest, WatchCreateRequest,
    WatchFilter, WatchResponse,
};

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn header(revision: i64) -> ResponseHeader {
    ResponseHeader { revision, ..Default::default() }
}

fn put(key: &str, value: &str) -> Request {
    Request::Put(PutRequest { key: bytes(key), value: bytes(value), ..Default::default() })
}

fn put_done(revision: i64) -> Response {
    Response::Put(PutResponse { header: header(revision), prev_kv: None })
}

fn get(key: &str) -> Request {
    Request::Range(RangeRequest { key: bytes(key), ..Default::default() })
}

fn get_local(key: &str) -> Request {
    Request::Range(RangeRequest { key: bytes(key), serializable: true, ..Default::default() })
}

fn kv(key: &str, value: &str, create: i64, revision: i64, version: i64) -> KeyValue {
    KeyValue {
        key: bytes(key),
        value: bytes(value),
        create_revision: create,
        mod_revision: revision,
        version,
        ..Default::default()
    }
}

fn got(revision: i64, kvs: Vec<KeyValue>) -> Response {
    let count = i64::try_from(kvs.len()).unwrap();
    Response::Range(RangeResponse { header: header(revision), kvs, more: false, count })
}

fn done(invoked: u64, at: u64, request: Request, response: Response) -> Operation {
    let outcome = Outcome::Returned { at, result: Ok(response) };
    Operation { client: 0, request, invoked, outcome }
}

fn open(invoked: u64, request: Request) -> Operation {
    Operation { client: 0, request, invoked, outcome: Outcome::Unknown }
}

fn of(operations: Vec<Operation>) -> History {
    History { operations, watches: Vec::new() }
}

#[track_caller]
fn replay(operations: Vec<Operation>) -> Replay {
    match linearize(&of(operations), STEPS_MAX) {
        Verdict::Linearizable(replay) => *replay,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn assert_violation(operations: Vec<Operation>) {
    let verdict = linearize(&of(operations), STEPS_MAX);
    assert!(matches!(verdict, Verdict::Violation(_)), "{verdict:?}");
}

#[test]
fn overlapping_operations_find_their_order() {
    let found = replay(vec![
        done(1, 6, put("a", "1"), put_done(3)),
        done(2, 5, put("a", "2"), put_done(2)),
        done(3, 4, get("a"), got(2, vec![kv("a", "2", 2, 2, 1)])),
        done(7, 8, get("a"), got(3, vec![kv("a", "1", 2, 3, 2)])),
    ]);
    assert_eq!(found.invoked.into_iter().collect::<Vec<_>>(), [(2, 2), (3, 1)]);
}

#[test]
fn a_slow_read_stands_before_a_quick_write_that_it_did_not_see() {
    replay(vec![
        open(1, put("a", "0")),
        done(2, 9, get("a"), got(2, vec![kv("a", "0", 2, 2, 1)])),
        done(3, 4, put("a", "1"), put_done(3)),
    ]);
}

#[test]
fn a_read_that_misses_an_acknowledged_write_is_a_violation() {
    assert_violation(vec![
        done(1, 2, put("a", "1"), put_done(2)),
        done(3, 4, get("a"), got(1, vec![])),
    ]);
}

#[test]
fn a_lost_write_and_a_revision_given_twice_are_violations() {
    assert_violation(vec![
        done(1, 2, put("a", "1"), put_done(2)),
        done(3, 4, put("b", "1"), put_done(2)),
    ]);
    assert_violation(vec![
        done(1, 2, put("a", "1"), put_done(2)),
        done(3, 4, put("b", "1"), put_done(4)),
    ]);
}

#[test]
fn a_write_of_unknown_end_may_happen_late_or_never() {
    let write = || open(1, put("a", "1"));
    let before = done(2, 3, get("a"), got(1, vec![]));
    let after = done(4, 5, get("a"), got(2, vec![kv("a", "1", 2, 2, 1)]));
    replay(vec![write(), before.clone(), after.clone()]);
    replay(vec![write(), before.clone()]);
    let again = done(6, 7, get("a"), got(1, vec![]));
    assert_violation(vec![write(), before, after, again]);
}

#[test]
fn a_write_of_unknown_end_that_only_a_watch_saw_has_happened() {
    let mut model = Model::default();
    model.apply(&put("a", "1")).unwrap();
    let event = model.changes(2)[0].event.clone();
    let request = WatchCreateRequest { key: bytes("a"), ..Default::default() };
    let created = WatchResponse { header: header(1), created: true, ..Default::default() };
    let responses = vec![(2, created), (3, message(2, vec![event]))];
    let watch = WatchLog { request, responses, ..Default::default() };
    let history = History { operations: vec![open(1, put("a", "1"))], watches: vec![watch] };
    let Verdict::Linearizable(replay) = linearize(&history, STEPS_MAX) else { panic!() };
    assert_eq!(replay.model.revision(), 2);
    assert!(check_watches(&history, &replay).is_empty());
}

#[test]
fn an_order_must_be_that_of_the_log_if_the_log_is_known() {
    let history = of(vec![open(1, put("a", "1")), open(2, put("a", "2"))]);
    let mut log = Model::default();
    log.apply(&put("a", "2")).unwrap();
    let Verdict::Linearizable(replay) = linearize_as(&history, &log, STEPS_MAX) else { panic!() };
    assert_eq!(replay.model.fingerprint(), log.fingerprint());
    log.apply(&put("a", "3")).unwrap();
    assert!(matches!(linearize_as(&history, &log, STEPS_MAX), Verdict::Violation(_)));
}

#[test]
fn a_write_of_unknown_end_happens_once() {
    let first = done(2, 3, get("a"), got(2, vec![kv("a", "1", 2, 2, 1)]));
    let twice = done(4, 5, get("a"), got(3, vec![kv("a", "1", 2, 3, 2)]));
    assert_violation(vec![open(1, put("a", "1")), first, twice]);
}

#[test]
fn many_writes_of_unknown_end_are_told_apart_by_what_was_read() {
    let mut operations: Vec<Operation> =
        (0..12).map(|at| open(at + 1, put("a", &at.to_string()))).collect();
    operations.push(done(20, 21, get("a"), got(5, vec![kv("a", "9", 2, 5, 4)])));
    operations.push(done(22, 23, get("a"), got(9, vec![kv("a", "3", 2, 9, 8)])));
    assert!(replay(operations).steps < 10_000);
}

#[test]
fn a_search_that_would_take_too_long_says_unknown() {
    let mut operations: Vec<Operation> =
        (0..40).map(|at| open(at + 1, put("a", &at.to_string()))).collect();
    operations.push(done(60, 61, get("a"), got(35, vec![kv("a", "none", 2, 35, 34)])));
    assert!(matches!(linearize(&of(operations), 5_000), Verdict::Unknown(_)));
}

#[test]
fn compaction_moves_what_may_be_read() {
    let compact = Request::Compaction(CompactionRequest { revision: 3, physical: false });
    let compacted =
        |revision| Response::Compaction(CompactionResponse { header: header(revision) });
    let old = Request::Range(RangeRequest { key: bytes("a"), revision: 2, ..Default::default() });
    let refused = |invoked, at, request, error| Operation {
        client: 0,
        request,
        invoked,
        outcome: Outcome::Returned { at, result: Err(error) },
    };
    let mut operations = vec![
        done(1, 2, put("a", "1"), put_done(2)),
        done(3, 4, put("a", "2"), put_done(3)),
        done(5, 6, old.clone(), got(3, vec![kv("a", "1", 2, 2, 1)])),
        done(7, 8, compact.clone(), compacted(3)),
        refused(9, 10, old.clone(), Error::Compacted),
        refused(11, 12, compact, Error::Compacted),
    ];
    assert_eq!(replay(operations.clone()).compactions, [(3, 7)]);
    operations.push(done(13, 14, old, got(3, vec![kv("a", "1", 2, 2, 1)])));
    assert_violation(operations);
}

#[test]
fn a_transaction_must_take_the_branch_its_compares_ask_for() {
    let compare = Compare {
        result: CompareResult::Equal,
        target: CompareTarget::Mod(2),
        key: bytes("a"),
        range_end: Bytes::new(),
    };
    let write = PutRequest { key: bytes("a"), value: bytes("2"), ..Default::default() };
    let txn = TxnRequest {
        compare: vec![compare],
        success: vec![RequestOp::Put(write)],
        failure: Vec::new(),
    };
    let mut model = Model::default();
    model.apply(&put("a", "1")).unwrap();
    let answer = model.apply(&Request::Txn(txn.clone())).unwrap();
    let before = done(1, 2, put("a", "1"), put_done(2));
    replay(vec![before.clone(), done(3, 4, Request::Txn(txn.clone()), answer.clone())]);
    let Response::Txn(mut wrong) = answer else { panic!() };
    wrong.succeeded = false;
    assert_violation(vec![before, done(3, 4, Request::Txn(txn), Response::Txn(wrong))]);
}

#[test]
fn a_failed_transaction_leaves_the_model_as_it_was() {
    let mut model = Model::default();
    model.apply(&put("a", "1")).unwrap();
    let before = model.fingerprint();
    let future = RangeRequest { key: bytes("a"), revision: 9, ..Default::default() };
    let txn = TxnRequest {
        success: vec![
            RequestOp::Put(PutRequest { key: bytes("b"), ..Default::default() }),
            RequestOp::Range(future),
        ],
        ..Default::default()
    };
    assert_eq!(model.apply(&Request::Txn(txn)), Err(Error::FutureRev));
    assert_eq!((model.revision(), model.fingerprint()), (2, before));
    assert!(model.get(b"b", 9).is_none());
    let twice = TxnRequest {
        success: vec![
            RequestOp::Put(PutRequest { key: bytes("b"), ..Default::default() }),
            RequestOp::Put(PutRequest { key: bytes("b"), ..Default::default() }),
        ],
        ..Default::default()
    };
    assert_eq!(model.apply(&Request::Txn(twice)), Err(Error::DuplicateKey));
}

#[test]
fn undo_restores_versions_changes_and_fingerprint() {
    let mut model = Model::default();
    model.apply(&put("a", "1")).unwrap();
    let before = (model.fingerprint(), model.revision());
    let delete = DeleteRangeRequest { key: bytes("a"), ..Default::default() };
    model.apply(&Request::DeleteRange(delete)).unwrap();
    assert!(model.get(b"a", 3).is_none());
    assert_eq!(model.changes(3).len(), 1);
    model.undo();
    assert_eq!((model.fingerprint(), model.revision()), before);
    assert_eq!(model.get(b"a", 3), Some(&kv("a", "1", 2, 2, 1)));
    assert!(model.changes(3).is_empty());
}

#[test]
fn serializable_reads_may_be_old_but_not_invented() {
    let writes =
        || vec![done(1, 2, put("a", "1"), put_done(2)), done(3, 4, put("a", "2"), put_done(3))];
    let with = |read: Operation| {
        let mut operations = writes();
        operations.push(read);
        let history = of(operations);
        let Verdict::Linearizable(replay) = linearize(&history, STEPS_MAX) else { panic!() };
        check_serializable_reads(&history, &replay)
    };
    let old = got(2, vec![kv("a", "1", 2, 2, 1)]);
    assert!(with(done(5, 6, get_local("a"), old)).is_empty());
    let invented = got(2, vec![kv("a", "2", 2, 3, 2)]);
    assert_eq!(with(done(5, 6, get_local("a"), invented)).len(), 1);
    let from_the_future = got(4, vec![kv("a", "2", 2, 3, 2)]);
    assert_eq!(with(done(5, 6, get_local("a"), from_the_future)).len(), 1);
}

// ---- watches ----

fn message(revision: i64, events: Vec<Event>) -> WatchResponse {
    WatchResponse { header: header(revision), events, ..Default::default() }
}

/// a=1 at 2, b=1 at 3, a=2 at 4, a and b deleted at 5.
fn world() -> Replay {
    let mut replay = Replay::default();
    let everything = DeleteRangeRequest { key: bytes("a"), range_end: bytes("z"), prev_kv: false };
    for request in [put("a", "1"), put("b", "1"), put("a", "2"), Request::DeleteRange(everything)] {
        replay.model.apply(&request).unwrap();
        replay.invoked.insert(replay.model.revision(), 0);
    }
    replay
}

fn request() -> WatchCreateRequest {
    WatchCreateRequest {
        key: bytes("a"),
        range_end: bytes("z"),
        start_revision: 2,
        prev_kv: true,
        ..Default::default()
    }
}

fn events() -> Vec<Event> {
    let replay = world();
    (2..=5).flat_map(|at| replay.model.changes(at).iter().map(|c| c.event.clone())).collect()
}

/// The whole history in three messages: 2 and 3, then 4, then 5.
fn messages() -> Vec<WatchResponse> {
    let all = events();
    vec![
        WatchResponse { header: header(5), created: true, ..Default::default() },
        message(5, all[0..2].to_vec()),
        message(5, all[2..3].to_vec()),
        message(5, all[3..5].to_vec()),
    ]
}

fn faults(request: WatchCreateRequest, messages: Vec<WatchResponse>) -> Vec<&'static str> {
    let responses = (10..).zip(messages).collect();
    let watch = WatchLog { request, responses, canceled: None, must_reach: Some(5) };
    let history = History { operations: Vec::new(), watches: vec![watch] };
    check_watches(&history, &world()).into_iter().map(|fault| fault.guarantee).collect()
}

#[track_caller]
fn assert_fault(guarantee: &str, messages: Vec<WatchResponse>) {
    assert_eq!(faults(request(), messages), [guarantee]);
}

#[test]
fn a_faithful_watch_has_no_fault() {
    assert_eq!(faults(request(), messages()), Vec::<&str>::new());
}

#[test]
fn filter_is_checked_by_range_and_by_type() {
    let narrow = WatchCreateRequest { range_end: Bytes::new(), ..request() };
    assert_eq!(faults(narrow, messages()), ["filter"]);
    let filtered = WatchCreateRequest { filters: vec![WatchFilter::NoDelete], ..request() };
    assert_eq!(faults(filtered, messages()), ["filter"]);
}

#[test]
fn ordered_is_checked_between_messages() {
    let mut wrong = messages();
    wrong.swap(2, 3);
    let found = faults(request(), wrong);
    assert!(found == ["ordered"] || found == ["reliable"], "{found:?}");
    let mut backwards = messages();
    backwards[1].events.swap(0, 1);
    assert_fault("ordered", backwards);
}

#[test]
fn unique_is_checked_within_and_between_messages() {
    let mut wrong = messages();
    let copy = wrong[2].clone();
    wrong.insert(3, copy);
    assert_fault("unique", wrong);
}

#[test]
fn atomic_is_checked_for_one_revision() {
    let mut wrong = messages();
    let second = wrong[3].events.pop().unwrap();
    wrong.push(message(5, vec![second]));
    assert_fault("atomic", wrong);
}

#[test]
fn fragments_are_one_message_if_asked_for() {
    let mut parts = messages();
    let second = parts[3].events.pop().unwrap();
    parts[3].fragment = true;
    parts.push(message(5, vec![second]));
    assert_fault("atomic", parts.clone());
    let asks = WatchCreateRequest { fragment: true, ..request() };
    assert_eq!(faults(asks, parts), Vec::<&str>::new());
}

#[test]
fn bookmarkable_is_checked_both_ways() {
    let mut early = messages();
    early.insert(2, message(4, Vec::new()));
    assert_fault("bookmarkable", early);
    let mut right = messages();
    right.insert(2, message(3, Vec::new()));
    assert_eq!(faults(request(), right), Vec::<&str>::new());
}

#[test]
fn resumable_is_checked_at_the_first_event() {
    let mut late = messages();
    late[1].events.remove(0);
    assert_fault("resumable", late);
    let from_three = WatchCreateRequest { start_revision: 3, ..request() };
    assert_eq!(faults(from_three, messages()), ["resumable"]);
}

#[test]
fn reliable_is_checked_in_the_middle_and_at_the_end() {
    let mut gap = messages();
    gap.remove(2);
    assert_fault("reliable", gap);
    let mut end = messages();
    end.pop();
    assert_fault("reliable", end);
    let mut invented = messages();
    invented[1].events[0].kv.value = bytes("other");
    assert_fault("reliable", invented);
}

#[test]
fn previous_versions_and_creations_are_checked() {
    let mut missing = messages();
    missing[2].events[0].prev_kv = None;
    assert_fault("prev-kv", missing);
    let mut wrong = messages();
    wrong[2].events[0].kv.create_revision = 4;
    wrong[2].events[0].kv.version = 1;
    assert_fault("is-create", wrong);
    let without = WatchCreateRequest { prev_kv: false, ..request() };
    assert_eq!(faults(without, messages()), ["prev-kv"]);
}

#[test]
fn nothing_may_follow_the_end() {
    let mut after = messages();
    let end = WatchResponse { canceled: true, ..Default::default() };
    after.insert(2, end);
    assert_fault("canceled", after);
}

#[test]
fn an_end_by_compaction_must_be_true() {
    let mut ended = messages();
    let end = WatchResponse { canceled: true, compact_revision: 4, ..Default::default() };
    ended.truncate(1);
    ended.push(end);
    assert_fault("reliable", ended);
}

#[test]
fn a_watch_from_now_starts_after_the_revision_of_its_creation() {
    let now = WatchCreateRequest { start_revision: 0, ..request() };
    let mut late = messages();
    late[0].header.revision = 3;
    late.remove(1);
    assert_eq!(faults(now.clone(), late.clone()), Vec::<&str>::new());
    late[0].header.revision = 2;
    assert_eq!(faults(now, late), ["reliable"]);
}

#[test]
fn an_event_may_not_come_before_its_write_was_asked_for() {
    let mut replay = world();
    replay.invoked.insert(4, 1_000);
    let responses = (10..).zip(messages()).collect();
    let watch = WatchLog { request: request(), responses, canceled: None, must_reach: None };
    let history = History { operations: Vec::new(), watches: vec![watch] };
    assert_eq!(check_watches(&history, &replay)[0].guarantee, "reliable");
}

#[test]
fn an_event_that_a_watch_of_everything_saw_settles_which_write_it_was() {
    let mut operations: Vec<Operation> =
        (0..30).map(|at| open(at + 1, put(&format!("k{}", at % 3), &at.to_string()))).collect();
    let mut model = Model::default();
    for at in [7, 3, 22, 11, 29, 0, 15, 8, 20, 5] {
        model.apply(&put(&format!("k{}", at % 3), &at.to_string())).unwrap();
    }
    let all = (2..=11).flat_map(|at| model.changes(at).iter().map(|c| c.event.clone())).collect();
    operations.push(done(90, 91, get("none"), got(11, vec![])));
    let request = WatchCreateRequest {
        key: Bytes::new(),
        range_end: Bytes::from_static(&[0]),
        ..Default::default()
    };
    let responses = vec![(92, message(11, all))];
    let watch = WatchLog { request, responses, ..Default::default() };
    let Verdict::Linearizable(replay) =
        linearize(&History { operations, watches: vec![watch] }, STEPS_MAX)
    else {
        panic!()
    };
    assert_eq!(replay.model.fingerprint(), model.fingerprint());
    assert!(replay.steps < 1_000, "{}", replay.steps);
}

#[test]
fn an_open_compaction_does_not_hide_what_succeeded_after_it() {
    let compact = |revision| Request::Compaction(CompactionRequest { revision, physical: false });
    let mut operations = vec![
        done(1, 2, put("a", "1"), put_done(2)),
        done(3, 4, put("a", "2"), put_done(3)),
        done(5, 6, put("a", "3"), put_done(4)),
        open(7, compact(3)),
        open(8, compact(4)),
    ];
    // Whatever of these has happened, a search that takes the compaction first tries them in all orders.
    operations.extend((0..24).map(|at| open(9 + at, put(&format!("k{at}"), "v"))));
    let counted = RangeResponse { header: header(16), kvs: Vec::new(), more: false, count: 12 };
    let range = RangeRequest {
        key: bytes("k"),
        range_end: bytes("l"),
        count_only: true,
        ..RangeRequest::default()
    };
    operations.push(done(40, 41, Request::Range(range), Response::Range(counted)));
    let compacted = Response::Compaction(CompactionResponse { header: header(16) });
    let mut with_compaction = operations.clone();
    with_compaction.push(done(50, 51, compact(3), compacted));
    assert!(replay(with_compaction).steps < 1_000);
    // As little does it hide what read the past.
    let old = Request::Range(RangeRequest { key: bytes("a"), revision: 2, ..Default::default() });
    operations.push(done(50, 51, old, got(16, vec![kv("a", "1", 2, 2, 1)])));
    assert!(replay(operations).steps < 1_000);
}
