//! What is ruled while a history grows; random histories are held against the search.

use bytes::Bytes;

use super::super::{
    History, Model, Operation, Outcome, STEPS_MAX, Verdict, WatchLog, linearize, revision_of,
};
use super::{Breach, Live, Ruling};
use crate::api::{
    DeleteRangeRequest, Error, Event, EventType, KeyValue, PutRequest, PutResponse, RangeRequest,
    RangeResponse, Request, RequestOp, Response, ResponseHeader, TxnRequest, WatchCreateRequest,
    WatchResponse,
};

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn put(key: &str, value: &str) -> Request {
    Request::Put(PutRequest { key: bytes(key), value: bytes(value), ..PutRequest::default() })
}

fn get(key: &str) -> Request {
    Request::Range(RangeRequest { key: bytes(key), ..RangeRequest::default() })
}

fn get_local(key: &str) -> Request {
    let range = RangeRequest { key: bytes(key), serializable: true, ..RangeRequest::default() };
    Request::Range(range)
}

fn everything() -> Request {
    let zero = Bytes::from_static(&[0]);
    let range = RangeRequest { key: zero.clone(), range_end: zero, ..RangeRequest::default() };
    Request::Range(range)
}

fn header(revision: i64) -> ResponseHeader {
    ResponseHeader { revision, ..ResponseHeader::default() }
}

fn done(revision: i64) -> Result<Response, Error> {
    Ok(Response::Put(PutResponse { header: header(revision), prev_kv: None }))
}

fn kv(key: &str, value: &str, create: i64, revision: i64, version: i64) -> KeyValue {
    KeyValue {
        key: bytes(key),
        value: bytes(value),
        create_revision: create,
        mod_revision: revision,
        version,
        ..KeyValue::default()
    }
}

fn got(revision: i64, kvs: Vec<KeyValue>) -> Result<Response, Error> {
    let count = i64::try_from(kvs.len()).unwrap();
    Ok(Response::Range(RangeResponse { header: header(revision), kvs, more: false, count }))
}

fn event(kv: KeyValue) -> Event {
    Event { event_type: EventType::Put, kv, prev_kv: None }
}

/// Calls and is answered at once.
fn run(live: &mut Live, id: u64, request: Request, result: Result<Response, Error>) {
    live.called(id, request);
    live.answered(id, result);
}

fn last(live: &mut Live, id: u64) -> Ruling {
    let of_it = live.take_rulings().into_iter().filter(|(of, _)| *of == Some(id));
    of_it.last().unwrap().1
}

#[test]
fn puts_and_gets_fit_at_their_revisions() {
    let mut live = Live::new(true);
    run(&mut live, 1, put("a", "1"), done(2));
    run(&mut live, 2, get("a"), got(2, vec![kv("a", "1", 2, 2, 1)]));
    assert_eq!(last(&mut live, 2), Ruling::Fits { revision: 2 });
    let standing = live.standing();
    assert_eq!((standing.compared, standing.waiting, standing.from), (2, 0, Some(1)));
    assert!(!standing.is_broken);
}

#[test]
fn a_stale_linearizable_read_is_a_violation_that_names_what_it_missed() {
    let mut live = Live::new(true);
    run(&mut live, 1, put("a", "1"), done(2));
    run(&mut live, 2, put("a", "2"), done(3));
    run(&mut live, 3, get("a"), got(2, vec![kv("a", "1", 2, 2, 1)]));
    let breach = Breach::Order { revision: 2, floor: 3, by: Some(2), is_write: false };
    assert_eq!(last(&mut live, 3), Ruling::Violation(breach));
    assert!(live.standing().is_broken);
}

#[test]
fn the_same_stale_read_is_allowed_if_it_is_serializable() {
    let mut live = Live::new(true);
    run(&mut live, 1, put("a", "1"), done(2));
    run(&mut live, 2, put("a", "2"), done(3));
    run(&mut live, 3, get_local("a"), got(2, vec![kv("a", "1", 2, 2, 1)]));
    assert_eq!(last(&mut live, 3), Ruling::Stale { revision: 2, newest: 3 });
    run(&mut live, 4, get_local("a"), got(3, vec![kv("a", "2", 2, 3, 2)]));
    assert_eq!(last(&mut live, 4), Ruling::Current { revision: 3 });
    // What it shows must have been true then.
    run(&mut live, 5, get_local("a"), got(2, vec![kv("a", "2", 2, 2, 1)]));
    assert!(matches!(last(&mut live, 5), Ruling::Violation(Breach::Answer { revision: 2, .. })));
}

#[test]
fn a_lost_write_is_a_violation() {
    let mut live = Live::new(true);
    run(&mut live, 1, put("a", "1"), done(2));
    run(&mut live, 2, put("b", "1"), done(2));
    let breach = Breach::Twice { revision: 2, other: 1 };
    // The second began when revision 2 was there already, which is the first thing to see.
    let ruling = last(&mut live, 2);
    assert!(
        matches!(ruling, Ruling::Violation(Breach::Order { is_write: true, .. })),
        "{ruling:?}"
    );

    let mut live = Live::new(true);
    live.called(1, put("a", "1"));
    live.called(2, put("b", "1"));
    live.answered(1, done(2));
    live.answered(2, done(2));
    assert_eq!(last(&mut live, 2), Ruling::Violation(breach));

    let mut live = Live::new(true);
    run(&mut live, 1, put("a", "1"), done(2));
    run(&mut live, 2, get("a"), got(2, Vec::new()));
    assert!(matches!(last(&mut live, 2), Ruling::Violation(Breach::Answer { revision: 2, .. })));
}

#[test]
fn a_write_of_unknown_outcome_is_unknown_until_a_revision_shows_it() {
    let mut live = Live::new(true);
    live.called(1, put("a", "1"));
    live.lost(1);
    assert_eq!(last(&mut live, 1), Ruling::Unknown { seen: None });
    // A read that sees it has to wait for who made the revision.
    run(&mut live, 2, get("a"), got(2, vec![kv("a", "1", 2, 2, 1)]));
    assert_eq!(last(&mut live, 2), Ruling::Waiting { revision: 2 });
    live.saw(&[event(kv("a", "1", 2, 2, 1))], true);
    let rulings = live.take_rulings();
    assert!(rulings.contains(&(Some(1), Ruling::Unknown { seen: Some(2) })), "{rulings:?}");
    assert!(rulings.contains(&(Some(2), Ruling::Fits { revision: 2 })), "{rulings:?}");
    assert_eq!((live.standing().unknown, live.standing().shown), (1, 1));
}

#[test]
fn a_revision_that_nobody_here_made_is_counted() {
    let mut live = Live::new(true);
    live.saw(&[event(kv("a", "1", 2, 2, 1))], true);
    assert_eq!(live.standing().unclaimed, 1);
    live.called(1, put("a", "1"));
    live.saw(&[event(kv("b", "1", 3, 3, 1))], true);
    live.called(2, put("c", "1"));
    live.saw(&[event(kv("c", "1", 4, 4, 1))], true);
    // What is still running may have made it.
    assert_eq!(live.standing().unclaimed, 2);
    live.answered(2, Err(Error::PermissionDenied));
    assert_eq!(live.standing().unclaimed, 3);
    assert!(!live.standing().is_broken);
}

#[test]
fn an_answer_takes_a_revision_from_what_only_looked_like_its_maker() {
    let mut live = Live::new(true);
    live.called(1, put("a", "1"));
    live.called(2, put("a", "1"));
    live.lost(1);
    live.saw(&[event(kv("a", "1", 2, 2, 1))], true);
    assert_eq!(live.standing().shown, 1);
    live.answered(2, done(2));
    let rulings = live.take_rulings();
    assert!(rulings.contains(&(Some(1), Ruling::Unknown { seen: None })), "{rulings:?}");
    assert!(rulings.contains(&(Some(2), Ruling::Fits { revision: 2 })), "{rulings:?}");
    assert_eq!((live.standing().unknown, live.standing().shown), (1, 0));
}

#[test]
fn a_watch_that_saw_something_else_is_a_violation() {
    let mut live = Live::new(true);
    run(&mut live, 1, put("a", "1"), done(2));
    live.take_rulings();
    live.saw(&[event(kv("a", "2", 2, 2, 1))], false);
    let breach = Ruling::Violation(Breach::Watch { revision: 2 });
    assert_eq!(live.take_rulings(), [(None, breach.clone())]);

    let mut live = Live::new(true);
    live.called(1, put("a", "1"));
    live.saw(&[event(kv("a", "2", 2, 2, 1))], true);
    live.answered(1, done(2));
    assert_eq!(last(&mut live, 1), breach);
}

#[test]
fn refusals_and_other_services_change_nothing() {
    let mut live = Live::new(true);
    run(&mut live, 1, get("a"), Err(Error::FutureRev));
    assert_eq!(last(&mut live, 1), Ruling::Refused);
    run(&mut live, 2, put("a", "1"), Err(Error::PermissionDenied));
    assert_eq!(last(&mut live, 2), Ruling::Refused);
    run(&mut live, 3, put("a", "1"), Err(Error::Timeout));
    assert_eq!(last(&mut live, 3), Ruling::Unknown { seen: None });
    live.called(4, put("a", "1"));
    live.unsent(4);
    run(&mut live, 5, put("a", "2"), done(2));
    assert_eq!(last(&mut live, 5), Ruling::Fits { revision: 2 });
}

#[test]
fn a_store_that_existed_before_is_known_from_a_read_of_everything_on() {
    let mut live = Live::new(false);
    run(&mut live, 1, get("a"), got(7, vec![kv("a", "x", 3, 5, 2)]));
    run(&mut live, 2, put("b", "1"), done(8));
    assert_eq!((live.standing().waiting, live.standing().from), (2, None));
    assert!(live.wants_base());
    let all = vec![kv("a", "x", 3, 5, 2), kv("b", "1", 8, 8, 1)];
    run(&mut live, 3, everything(), got(8, all));
    let standing = live.standing();
    assert_eq!((standing.ordered, standing.waiting, standing.from), (3, 0, Some(8)));
    run(&mut live, 4, put("a", "y"), done(9));
    run(&mut live, 5, get("a"), got(9, vec![kv("a", "y", 3, 9, 3)]));
    assert_eq!(last(&mut live, 5), Ruling::Fits { revision: 9 });
    // The order holds without the state, too.
    let mut live = Live::new(false);
    run(&mut live, 1, put("a", "1"), done(8));
    run(&mut live, 2, get("a"), got(7, Vec::new()));
    assert!(matches!(last(&mut live, 2), Ruling::Violation(Breach::Order { floor: 8, .. })));
}

#[test]
fn dropped_history_ends_what_is_known_and_gives_no_false_alarm() {
    let mut live = Live::new(true);
    run(&mut live, 1, put("a", "1"), done(2));
    live.forget();
    run(&mut live, 9, get("b"), got(40, vec![kv("b", "1", 30, 30, 1)]));
    run(&mut live, 10, everything(), got(40, vec![kv("b", "1", 30, 30, 1)]));
    let standing = live.standing();
    assert!(!standing.is_broken);
    assert_eq!((standing.from, standing.waiting), (Some(40), 0));
}

#[test]
fn old_revisions_are_forgotten_and_late_answers_are_only_ordered() {
    let mut live = Live::new(true);
    live.called(1, get("a"));
    for revision in 2..=4_000 {
        let id = u64::try_from(revision).unwrap();
        run(&mut live, id, put("a", "1"), done(revision));
    }
    live.answered(1, got(2, vec![kv("a", "1", 2, 2, 1)]));
    assert_eq!(last(&mut live, 1), Ruling::Ordered { revision: 2 });
    live.called(5_000, put("b", "1"));
    run(&mut live, 5_001, get("a"), got(4_000, vec![kv("a", "1", 2, 4_000, 3_999)]));
    assert_eq!(last(&mut live, 5_001), Ruling::Fits { revision: 4_000 });
}

/// Numbers that repeat.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn any_request(draw: &mut Draw) -> Request {
    let key = ["a", "b"][usize::try_from(draw.below(2)).unwrap()];
    let value = draw.below(3).to_string();
    let range = |serializable| RangeRequest { key: bytes(key), serializable, ..Default::default() };
    match draw.below(8) {
        0..=2 => put(key, &value),
        3 | 4 => Request::Range(range(false)),
        5 => everything(),
        6 => Request::DeleteRange(DeleteRangeRequest { key: bytes(key), ..Default::default() }),
        _ => Request::Txn(TxnRequest {
            success: vec![
                RequestOp::Range(range(false)),
                RequestOp::Put(PutRequest {
                    key: bytes(key),
                    value: bytes(&value),
                    prev_kv: true,
                    ..Default::default()
                }),
            ],
            ..TxnRequest::default()
        }),
    }
}

/// Changes what an answer says.
fn spoil(response: &mut Response, draw: &mut Draw) {
    let by = if draw.below(2) == 0 { 1 } else { -1 };
    match response {
        Response::Range(range) if !range.kvs.is_empty() && draw.below(2) == 0 => {
            range.kvs[0].value = bytes("spoiled");
        }
        Response::Range(range) => range.header.revision += by,
        Response::Put(put) => put.header.revision += by,
        Response::DeleteRange(delete) => delete.header.revision += by,
        Response::Txn(txn) => txn.header.revision += by,
        _ => {}
    }
}

/// A history that happened, of clients that overlap, with some outcomes nobody knows; the events of all revisions.
fn any_history(draw: &mut Draw) -> (Vec<Operation>, Vec<Event>) {
    let mut model = Model::default();
    let mut operations: Vec<Operation> = Vec::new();
    let mut running: Vec<(usize, Option<Result<Response, Error>>)> = Vec::new();
    for moment in 1..60 {
        match draw.below(3) {
            0 if running.len() < 4 => {
                let request = any_request(draw);
                let outcome = Outcome::Unknown;
                operations.push(Operation { client: 0, request, invoked: moment, outcome });
                running.push((operations.len() - 1, None));
            }
            _ if running.is_empty() => {}
            1 => {
                let at = usize::try_from(draw.below(running.len() as u64)).unwrap();
                if running[at].1.is_none() {
                    running[at].1 = Some(model.apply(&operations[running[at].0].request));
                }
            }
            _ => {
                let at = usize::try_from(draw.below(running.len() as u64)).unwrap();
                let is_lost = draw.below(8) == 0;
                if running[at].1.is_some() || is_lost {
                    let (operation, result) = running.remove(at);
                    if let Some(result) = result.filter(|_| !is_lost) {
                        operations[operation].outcome = Outcome::Returned { at: moment, result };
                    }
                }
            }
        }
    }
    let events = (2..=model.revision()).flat_map(|revision| model.changes(revision).to_vec());
    (operations, events.map(|change| change.event).collect())
}

fn ruled(operations: &[Operation], events: &[Event]) -> Live {
    let mut live = Live::new(true);
    let mut moments: Vec<(u64, usize, bool)> = Vec::new();
    for (at, operation) in operations.iter().enumerate() {
        moments.push((operation.invoked, at, true));
        if let Outcome::Returned { at: returned, .. } = &operation.outcome {
            moments.push((*returned, at, false));
        }
    }
    moments.sort_unstable();
    for (_, at, is_call) in moments {
        let (id, operation) = (at as u64, &operations[at]);
        match &operation.outcome {
            _ if is_call => live.called(id, operation.request.clone()),
            Outcome::Returned { result, .. } => live.answered(id, result.clone()),
            Outcome::Unknown => {}
        }
    }
    for (at, operation) in operations.iter().enumerate() {
        if operation.outcome == Outcome::Unknown {
            live.lost(at as u64);
        }
    }
    live.saw(events, true);
    live
}

#[test]
fn random_histories_get_the_verdict_of_the_search() {
    let (mut good, mut bad) = (0, 0);
    for seed in 0..600 {
        let mut draw = Draw(seed);
        let (mut operations, events) = any_history(&mut draw);
        if seed % 2 == 1 {
            let count = operations.len() as u64;
            let at = usize::try_from(draw.below(count)).unwrap();
            if let Outcome::Returned { result: Ok(response), .. } = &mut operations[at].outcome {
                spoil(response, &mut draw);
            }
        }
        let zero = Bytes::from_static(&[0]);
        let request = WatchCreateRequest {
            key: zero.clone(),
            range_end: zero,
            start_revision: 1,
            ..WatchCreateRequest::default()
        };
        let response = WatchResponse { events: events.clone(), ..WatchResponse::default() };
        let watch = WatchLog { request, responses: vec![(1_000, response)], ..WatchLog::default() };
        let history = History { operations: operations.clone(), watches: vec![watch] };
        let live = ruled(&operations, &events);
        let standing = live.standing();
        // The search may take events for lies; here they are what happened.
        match linearize(&history, STEPS_MAX) {
            Verdict::Linearizable(replay) if has_made(&replay.model, &events) => {
                good += 1;
                assert!(!standing.is_broken, "seed {seed}: {operations:#?}");
                let left = (standing.waiting, standing.unclaimed);
                assert_eq!(left, (0, 0), "seed {seed}: {operations:#?}");
            }
            Verdict::Violation(what) => {
                bad += 1;
                let is_told = standing.is_broken || standing.waiting + standing.unclaimed > 0;
                assert!(is_told, "seed {seed}: {what}\n{operations:#?}");
            }
            Verdict::Linearizable(_) | Verdict::Unknown(_) => {}
        }
    }
    assert!(good > 250 && bad > 100, "{good} good, {bad} bad");
}

/// True if the order that was found made these events; another one explains the answers, but not the watch.
fn has_made(model: &Model, events: &[Event]) -> bool {
    let made = (2..=model.revision()).flat_map(|revision| model.changes(revision).to_vec());
    made.map(|change| change.event).eq(events.iter().cloned())
}

#[test]
fn every_answer_names_the_revision_that_the_order_is_made_of() {
    let mut model = Model::default();
    let mut draw = Draw(7);
    for _ in 0..50 {
        let before = model.revision();
        let response = model.apply(&any_request(&mut draw)).unwrap();
        let named = revision_of(&response);
        assert!(named == Some(before) || named == Some(model.revision()));
    }
}
