//! What the view shows of histories that are told note by note, good and bad.

use bytes::Bytes;

use super::super::history::{BarKind, HistoryView, Tone};
use super::super::protocol::{Ask, Fault, Item, MemberNote};
use super::super::strings::EN;
use super::super::tap::{Asked, End, Note, Service};
use super::super::zh::ZH;
use super::super::{Insight, View};
use crate::api::{
    Error, Event, EventType, KeyValue, MemberEvent, MemberStatus, PutRequest, PutResponse,
    RangeRequest, RangeResponse, Request, Response, ResponseHeader, Role,
};
use crate::types::{Index, MemberId, Millis, Term};

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn put(key: &str, value: &str) -> Request {
    Request::Put(PutRequest { key: bytes(key), value: bytes(value), ..PutRequest::default() })
}

fn get(key: &str, serializable: bool) -> Request {
    Request::Range(RangeRequest { key: bytes(key), serializable, ..RangeRequest::default() })
}

fn done(revision: i64) -> Result<Response, Error> {
    let header = ResponseHeader { revision, ..ResponseHeader::default() };
    Ok(Response::Put(PutResponse { header, prev_kv: None }))
}

fn got(revision: i64, found: &[(&str, &str, i64)]) -> Result<Response, Error> {
    let header = ResponseHeader { revision, ..ResponseHeader::default() };
    let kvs: Vec<KeyValue> = found.iter().map(|it| kv(it.0, it.1, it.2)).collect();
    let count = i64::try_from(kvs.len()).unwrap();
    Ok(Response::Range(RangeResponse { header, kvs, more: false, count }))
}

/// The first version of a key.
fn kv(key: &str, value: &str, revision: i64) -> KeyValue {
    KeyValue {
        key: bytes(key),
        value: bytes(value),
        create_revision: revision,
        mod_revision: revision,
        version: 1,
        ..KeyValue::default()
    }
}

fn called(at: u64, call: u64, client: u32, request: Request) -> Item {
    let asked = Asked::Keys(Box::new(request));
    let member = MemberId(1 + call % 3);
    Item::History(Note::Called { at: Millis(at), call, client, member, asked })
}

fn ended(at: u64, call: u64, end: End) -> Item {
    Item::History(Note::Ended { at: Millis(at), call, end })
}

fn answered(at: u64, call: u64, result: Result<Response, Error>) -> Item {
    ended(at, call, End::Answered(Box::new(result)))
}

fn saw(key: &str, value: &str, revision: i64) -> Item {
    let event = Event { event_type: EventType::Put, kv: kv(key, value, revision), prev_kv: None };
    Item::History(Note::Saw { events: vec![event], is_everything: true })
}

fn opened(is_empty: bool) -> Insight {
    let mut insight = Insight::new(&EN);
    insight.show(View::History);
    let note = |id: u64| {
        Item::Member(MemberNote {
            id: MemberId(id),
            name: format!("infra{id}"),
            is_learner: false,
            is_up: true,
            is_paused: false,
            is_removed: false,
        })
    };
    let began = Item::History(Note::Began { is_empty });
    insight.hear(vec![Item::Opened { at: Millis(0) }, note(1), note(2), note(3), began]);
    insight
}

fn told(insight: &mut Insight, items: Vec<Item>) -> HistoryView {
    insight.hear(items);
    while insight.work() {}
    insight.history_view()
}

fn bar(view: &HistoryView, call: u64) -> super::BarView {
    let bars = view.lanes.iter().flat_map(|lane| &lane.bars);
    bars.into_iter().find(|bar| bar.call == call).unwrap().clone()
}

#[test]
fn puts_and_gets_are_linearizable_so_far() {
    let mut insight = opened(true);
    let empty = told(&mut insight, Vec::new());
    assert_eq!((empty.verdict.tone, empty.verdict.title), (Tone::Idle, "Nothing to judge yet"));
    let view = told(
        &mut insight,
        vec![
            called(1, 1, 1, put("a", "1")),
            answered(3, 1, done(2)),
            called(4, 2, 1, get("a", false)),
            answered(6, 2, got(2, &[("a", "1", 2)])),
        ],
    );
    assert_eq!((view.verdict.tone, view.verdict.title), (Tone::Good, "Linearizable so far"));
    assert!(view.verdict.sentence.contains("2 operations"), "{}", view.verdict.sentence);
    assert_eq!((bar(&view, 1).words.as_str(), bar(&view, 1).kind), ("put a 1", BarKind::Write));
    assert_eq!(bar(&view, 2).note, "infra3 · revision 2");
    insight.choose_operation(1);
    let chosen = insight.history_view().chosen.unwrap();
    assert!(chosen.sentence.contains("between call and return: it made revision 2"), "{chosen:?}");
    assert!(chosen.facts.iter().any(|fact| fact.value == "0:00.0 (+2 ms)"), "{chosen:?}");
}

#[test]
fn bars_share_a_column_exactly_if_they_overlapped() {
    let mut insight = opened(true);
    let view = told(
        &mut insight,
        vec![
            called(1, 1, 1, put("a", "1")),
            called(2, 2, 2, put("b", "1")),
            answered(3, 1, done(2)),
            called(4, 3, 1, get("a", false)),
            answered(5, 3, got(3, &[("a", "1", 2)])),
            answered(6, 2, done(3)),
        ],
    );
    let places = |call| (bar(&view, call).column, bar(&view, call).span);
    assert_eq!((places(1), places(2), places(3)), ((0, 2), (1, 2), (2, 1)));
    assert_eq!(view.lanes.len(), 2);
    assert_eq!(view.lanes[0].name, "console 1");
}

#[test]
fn a_stale_linearizable_read_is_named_with_what_it_missed() {
    let mut insight = opened(true);
    let view = told(
        &mut insight,
        vec![
            called(1, 1, 1, put("a", "1")),
            answered(3, 1, done(2)),
            called(4, 2, 1, get("a", false)),
            answered(6, 2, got(1, &[])),
        ],
    );
    assert_eq!((view.verdict.tone, view.verdict.title), (Tone::Bad, "Not linearizable"));
    for part in ["“get a” (infra3)", "answered at revision 1", "revision 2", "“put a 1” (infra2)"]
    {
        assert!(view.verdict.sentence.contains(part), "{}", view.verdict.sentence);
    }
    assert_eq!(bar(&view, 2).kind, BarKind::Violation);
}

#[test]
fn a_lost_write_is_told_with_what_the_answer_had_to_be() {
    let mut insight = opened(true);
    let view = told(
        &mut insight,
        vec![
            called(1, 1, 1, put("a", "1")),
            answered(3, 1, done(2)),
            called(4, 2, 1, get("a", false)),
            answered(6, 2, got(2, &[])),
        ],
    );
    assert_eq!(view.verdict.tone, Tone::Bad);
    let words = &view.verdict.sentence;
    assert!(words.contains("had to be: revision 2, 1 key: a = 1 (mod 2)"), "{words}");
    assert!(words.contains("It was: 0 keys"), "{words}");
}

#[test]
fn a_watch_that_saw_another_value_is_told() {
    let mut insight = opened(true);
    let items = vec![called(1, 1, 1, put("a", "1")), answered(3, 1, done(2)), saw("a", "other", 2)];
    let view = told(&mut insight, items);
    assert_eq!((view.verdict.tone, view.verdict.title), (Tone::Bad, EN.history.verdict_watch));
}

#[test]
fn a_stale_serializable_read_is_explained_as_allowed() {
    let mut insight = opened(true);
    let view = told(
        &mut insight,
        vec![
            called(1, 1, 1, put("a", "1")),
            answered(3, 1, done(2)),
            called(4, 2, 1, get("a", true)),
            answered(6, 2, got(1, &[])),
        ],
    );
    assert_eq!(view.verdict.tone, Tone::Good);
    assert_eq!(bar(&view, 2).kind, BarKind::Serializable);
    insight.choose_operation(2);
    let chosen = insight.history_view().chosen.unwrap();
    let words = "Allowed to be stale: a serializable read. It shows the store as of revision 1 while 2 was committed.";
    assert_eq!((chosen.sentence.as_str(), chosen.tone), (words, Tone::Warn));
}

#[test]
fn an_unknown_outcome_stays_unknown_until_something_shows_it() {
    let mut insight = opened(true);
    let items = vec![called(1, 1, 1, put("a", "1")), ended(3, 1, End::Lost)];
    let view = told(&mut insight, items);
    assert_eq!(view.verdict.tone, Tone::Good, "unknown is no violation: {:?}", view.verdict);
    let unknown = bar(&view, 1);
    assert_eq!((unknown.kind, unknown.is_open), (BarKind::Unknown, true));
    assert!(unknown.label.contains("may or may not have happened"), "{}", unknown.label);
    let view = told(
        &mut insight,
        vec![
            saw("a", "1", 2),
            called(5, 2, 1, get("a", false)),
            answered(6, 2, got(2, &[("a", "1", 2)])),
        ],
    );
    assert!(bar(&view, 1).label.contains("revision 2 shows that it happened"));
    assert!(view.verdict.facts.iter().any(|fact| fact.value == "1 (1 seen to have happened)"));
    assert_eq!(view.verdict.tone, Tone::Good);
}

#[test]
fn a_store_from_disk_is_read_first_and_then_compared() {
    let mut insight = opened(false);
    let view = told(&mut insight, Vec::new());
    assert_eq!((view.verdict.tone, view.verdict.title), (Tone::Warn, "Cannot tell"));
    let leader = MemberStatus {
        member: MemberId(2),
        role: Role::Leader,
        term: Term(2),
        last_index: Index(9),
        revision: 7,
        ..MemberStatus::default()
    };
    insight.hear(vec![Item::Status(leader)]);
    let asks = insight.asks();
    let request = asks.iter().find_map(|ask| match ask {
        Ask::Request { member: MemberId(2), request } => match &**request {
            Request::Range(range) => Some(range.clone()),
            _ => None,
        },
        _ => None,
    });
    let everything = request.unwrap();
    assert!(!everything.serializable);
    let view = told(
        &mut insight,
        vec![
            called(1, 1, 0, Request::Range(everything)),
            answered(2, 1, got(7, &[("a", "old", 5)])),
            called(3, 2, 1, get("a", false)),
            answered(4, 2, got(7, &[("a", "new", 5)])),
        ],
    );
    assert_eq!(view.verdict.tone, Tone::Bad, "{:?}", view.verdict);
    assert!(!insight.asks().iter().any(|ask| matches!(ask, Ask::Request { request, .. }
        if matches!(**request, Request::Range(_)))));
}

#[test]
fn what_cannot_be_compared_is_not_claimed() {
    let mut insight = opened(false);
    let view = told(
        &mut insight,
        vec![
            Item::History(Note::Dropped(12)),
            called(3, 2, 1, get("a", false)),
            ended(4, 2, End::TooLarge(7)),
            called(5, 3, 1, put("a", "1")),
            answered(6, 3, Err(Error::PermissionDenied)),
        ],
    );
    assert_eq!(view.verdict.tone, Tone::Warn);
    assert!(view.verdict.sentence.contains("Of 1 operation only the order"), "{:?}", view.verdict);
    let of = |name| view.verdict.facts.iter().find(|fact| fact.name == name).unwrap().value.clone();
    assert_eq!(
        (of("compared"), of("not kept"), of("refused")),
        ("0".into(), "12".into(), "1".into())
    );
    assert_eq!(bar(&view, 3).kind, BarKind::Failed);
}

#[test]
fn faults_and_leaders_stand_among_the_operations_in_time() {
    let mut insight = opened(true);
    let leader = MemberEvent::BecameLeader { term: Term(3) };
    let view = told(
        &mut insight,
        vec![
            // Marks come before the notes of the same stretch, whenever they were.
            Item::Fault { at: Millis(20), fault: Fault::Down(MemberId(1)) },
            Item::Event { at: Millis(40), member: MemberId(2), event: leader },
            called(10, 1, 1, put("a", "1")),
            answered(50, 1, done(2)),
            called(60, 2, 1, put("a", "2")),
        ],
    );
    let words: Vec<_> = view.marks.iter().map(|mark| (mark.column, mark.words.as_str())).collect();
    assert_eq!(words, [(1, "✕ infra1"), (2, "★ infra2 · t3")]);
    assert_eq!((bar(&view, 1).column, bar(&view, 1).span, bar(&view, 2).column), (0, 3, 3));
}

#[test]
fn large_values_are_compared_by_their_hash_and_hostile_ones_are_escaped() {
    let mut insight = opened(true);
    let large = "x".repeat(200_000);
    let view = told(
        &mut insight,
        vec![
            called(1, 1, 1, put("a\u{1b}", &large)),
            answered(3, 1, done(2)),
            called(4, 2, 1, get("a\u{1b}", false)),
            answered(6, 2, got(2, &[("a\u{1b}", &large, 2)])),
        ],
    );
    assert_eq!(view.verdict.tone, Tone::Good, "{:?}", view.verdict);
    assert!(bar(&view, 1).words.contains("\\x1b") && bar(&view, 1).words.len() < 60);
}

#[test]
fn a_frame_takes_a_bounded_part_and_says_that_it_is_still_searching() {
    let mut insight = opened(true);
    let mut items = Vec::new();
    for call in 1..=500 {
        items.push(called(call, call, 1, put("a", "1")));
        items.push(answered(call, call, done(1 + i64::try_from(call).unwrap())));
    }
    insight.hear(items);
    assert!(insight.work());
    let view = insight.history_view();
    assert_eq!((view.verdict.tone, view.verdict.title), (Tone::Busy, "Still searching"));
    while insight.work() {}
    let view = insight.history_view();
    assert_eq!(view.verdict.tone, Tone::Good);
    assert!(view.verdict.sentence.contains("500 operations"));
    assert_eq!(view.columns, 80);
    assert_eq!(view.older, 420);
}

#[test]
fn members_that_go_on_without_the_others_begin_a_new_order() {
    let mut insight = opened(true);
    let view = told(
        &mut insight,
        vec![
            called(1, 1, 1, put("a", "1")),
            answered(2, 1, done(2)),
            called(3, 2, 1, put("a", "2")),
            answered(4, 2, done(3)),
            Item::History(Note::Forced),
            called(5, 3, 1, get("a", false)),
            answered(6, 3, got(2, &[("a", "1", 2)])),
        ],
    );
    assert_eq!(view.verdict.tone, Tone::Warn, "{:?}", view.verdict);
}

#[test]
fn other_services_are_shown_and_not_judged() {
    let mut insight = opened(true);
    let asked = Asked::Other(Service::Auth);
    let note = Note::Called { at: Millis(1), call: 1, client: 1, member: MemberId(1), asked };
    let view = told(&mut insight, vec![Item::History(note), ended(2, 1, End::TooLarge(0))]);
    assert_eq!((bar(&view, 1).kind, view.verdict.tone), (BarKind::Other, Tone::Idle));
    insight.speak(&ZH);
    assert_eq!(insight.history_view().verdict.title, "尚无可判定的操作");
}
