//! Tests of the keys.

use super::*;
use crate::playground::cluster::Cluster;
use crate::playground::cluster::tests::{status, three};
use crate::playground::console::{Away, Numbers};
use crate::playground::edge::News;
use crate::playground::strings::EN;
use crate::types::Millis;

struct Bench {
    cluster: Cluster,
    numbers: Numbers,
    effects: Vec<Effect>,
    keys: Keys,
}

impl Bench {
    fn new() -> Self {
        let mut bench = Self {
            cluster: three(),
            numbers: Numbers::default(),
            effects: Vec::new(),
            keys: Keys::default(),
        };
        bench.with(|keys, wires| assert!(keys.tend(wires)));
        bench
    }

    fn with<T>(&mut self, run: impl FnOnce(&mut Keys, &mut Wires<'_>) -> T) -> T {
        let mut wires = Wires {
            now: Millis(0),
            cluster: &self.cluster,
            numbers: &mut self.numbers,
            effects: &mut self.effects,
            away: &mut Away::default(),
            strings: &EN,
        };
        run(&mut self.keys, &mut wires)
    }

    fn watch(&self) -> (u64, MemberId, i64) {
        let open = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Watch { call, member, request: api::WatchRequest::Create(create), .. } => {
                Some((*call, *member, create.start_revision))
            }
            _ => None,
        });
        open.unwrap()
    }

    fn hear(&mut self, events: Vec<api::Event>, revision: i64) {
        let (call, ..) = self.watch();
        let header = api::ResponseHeader { revision, ..Default::default() };
        let response = api::WatchResponse { header, events, ..Default::default() };
        assert!(self.with(|keys, wires| keys.hear(call, &response, wires)));
    }
}

fn put(
    key: &'static str,
    value: &'static str,
    create: i64,
    revision: i64,
    version: i64,
) -> api::Event {
    api::Event {
        event_type: api::EventType::Put,
        kv: api::KeyValue {
            key: key.into(),
            value: value.into(),
            create_revision: create,
            mod_revision: revision,
            version,
            ..Default::default()
        },
        prev_kv: None,
    }
}

fn delete(key: &'static str, revision: i64) -> api::Event {
    let kv = api::KeyValue { key: key.into(), mod_revision: revision, ..Default::default() };
    api::Event { event_type: api::EventType::Delete, kv, prev_kv: None }
}

#[test]
fn the_ribbon_has_every_revision_newest_first_with_tombstones_and_the_compacted_edge() {
    let mut bench = Bench::new();
    bench.hear(vec![put("a", "1", 2, 2, 1), put("a", "2", 2, 3, 2)], 3);
    bench.hear(vec![delete("a", 4)], 4);
    bench.hear(vec![put("a", "\u{202e}x", 5, 5, 1), put("b", "", 6, 6, 1)], 6);
    bench.keys.select(Some("a".into()));
    let view = bench.keys.view(3);
    let row = |row: &RevisionRow| {
        let mark = if row.is_edge { "edge" } else { "" };
        let delete = if row.is_delete { "gone" } else { mark };
        (row.mod_revision, row.version, delete, row.is_first, row.is_last, row.is_compacted)
    };
    let seen: Vec<_> = view.ribbon.rows.iter().map(row).collect();
    assert_eq!(
        seen,
        [
            (5, 1, "", true, true, false),
            (4, 0, "gone", false, true, false),
            (3, 2, "", false, false, false),
            (0, 0, "edge", false, false, false),
            (2, 1, "", true, false, true),
        ]
    );
    assert_eq!(view.ribbon.rows[0].value, "\\u{202e}x");
    assert_eq!((view.total, view.revision, view.ribbon.at), (2, 6, Some(0)));
    assert!(view.list.rows[0].is_selected);
    // At 4 the value of 3 is gone with its tombstone; what was newest at the compacted revision lives on.
    assert!(!bench.keys.view(3).ribbon.rows[4].is_surviving);
    bench.keys.select(Some("b".into()));
    assert!(bench.keys.view(7).ribbon.rows[1].is_surviving);
}

#[test]
fn a_chosen_revision_stays_and_steps_go_from_there() {
    let mut bench = Bench::new();
    bench.hear(vec![put("a", "1", 2, 2, 1), put("a", "2", 2, 3, 2), put("a", "3", 2, 4, 3)], 4);
    bench.keys.select(Some("a".into()));
    let chosen = |bench: &mut Bench| bench.keys.view(0).chosen.unwrap().mod_revision;
    assert_eq!(chosen(&mut bench), 4, "the newest at first");
    let step = |bench: &mut Bench, by| {
        bench.with(|keys, wires| keys.act(KeysEvent::Step(Part::Ribbon, by), wires));
    };
    step(&mut bench, 1);
    bench.hear(vec![put("a", "4", 2, 5, 4)], 5);
    assert_eq!(chosen(&mut bench), 3);
    step(&mut bench, i64::MAX);
    assert_eq!(chosen(&mut bench), 2);
    bench.with(|keys, wires| keys.act(KeysEvent::Compare(Some(5)), wires));
    let view = bench.keys.view(0);
    assert_eq!(view.compared.unwrap().value, Bytes::from_static(b"4"));
    assert_eq!(view.ribbon.at, Some(3));
}

#[test]
fn only_what_can_be_seen_is_told_and_the_keyboard_goes_through_all() {
    let mut bench = Bench::new();
    for at in 0..5_000_i64 {
        let kv = api::KeyValue {
            key: format!("/k/{at:05}").into(),
            mod_revision: at + 2,
            create_revision: at + 2,
            version: 1,
            ..Default::default()
        };
        bench.keys.learn(&kv, false);
    }
    let act = |bench: &mut Bench, event| bench.with(|keys, wires| keys.act(event, wires));
    act(&mut bench, KeysEvent::See(Part::Keys, 4_990, 9_000));
    let list = bench.keys.view(0).list;
    assert_eq!((list.first, list.count, list.rows.len()), (4_990, 5_000, 10));
    act(&mut bench, KeysEvent::See(Part::Keys, 0, 9_000));
    assert_eq!(bench.keys.view(0).list.rows.len(), 400);
    act(&mut bench, KeysEvent::Step(Part::Keys, i64::MAX));
    let view = bench.keys.view(0);
    assert_eq!((view.list.at, view.selected), (Some(4_999), Some("/k/04999".into())));
    act(&mut bench, KeysEvent::Step(Part::Keys, -1));
    assert_eq!(bench.keys.view(0).list.at, Some(4_998));
    act(&mut bench, KeysEvent::Filter("0777".to_owned()));
    let view = bench.keys.view(0);
    assert_eq!((view.matching, view.total, view.list.rows.len()), (1, 5_000, 1));
    act(&mut bench, KeysEvent::Filter(String::new()));
    act(&mut bench, KeysEvent::Group(true));
    assert_eq!(bench.keys.view(0).list.count, 1);
    act(&mut bench, KeysEvent::Step(Part::Keys, 0));
    act(&mut bench, KeysEvent::Turn(true));
    assert_eq!(bench.keys.view(0).list.count, 5_001);
    act(&mut bench, KeysEvent::Turn(true));
    assert_eq!(bench.keys.view(0).selected, Some("/k/00000".into()));
    act(&mut bench, KeysEvent::Turn(false));
    act(&mut bench, KeysEvent::Turn(false));
    let view = bench.keys.view(0);
    assert_eq!((view.list.count, view.list.at), (1, Some(0)));
}

#[test]
fn deleted_keys_are_listed_and_can_be_hidden() {
    let mut bench = Bench::new();
    bench.hear(vec![put("a", "1", 2, 2, 1), put("b", "1", 3, 3, 1), delete("a", 4)], 4);
    let names = |bench: &mut Bench| {
        let rows = bench.keys.view(0).list.rows;
        rows.into_iter().map(|row| (row.name, row.is_deleted)).collect::<Vec<_>>()
    };
    assert_eq!(names(&mut bench), [("a".to_owned(), true), ("b".to_owned(), false)]);
    bench.with(|keys, wires| keys.act(KeysEvent::ShowDeleted(false), wires));
    assert_eq!(names(&mut bench), [("b".to_owned(), false)]);
    // It comes back by itself.
    bench.hear(vec![put("a", "1", 5, 5, 1)], 5);
    assert_eq!(names(&mut bench).len(), 2);
}

#[test]
fn the_watch_goes_on_elsewhere_after_the_last_revision_when_its_member_goes_down() {
    let mut bench = Bench::new();
    bench.hear(vec![put("a", "1", 2, 2, 1)], 2);
    let (call, first, start) = bench.watch();
    assert_eq!(start, 1);
    let reason = crate::wire::DownReason::Killed;
    bench.cluster.hear(&News::MemberDown { member: first, reason }, Millis(5));
    assert!(bench.with(|keys, wires| keys.tend(wires)));
    let (again, second, start) = bench.watch();
    assert_ne!(first, second);
    assert_ne!(call, again);
    assert_eq!(start, 3);
}

#[test]
fn the_watch_leaves_a_member_that_lost_its_leader_for_one_that_has_one() {
    let mut bench = Bench::new();
    let (_, first, _) = bench.watch();
    let mut alone = status(first.0, 9, 2);
    alone.leader = None;
    bench.cluster.hear(&News::Status(alone), Millis(5));
    assert!(bench.with(|keys, wires| keys.tend(wires)));
    assert_ne!(bench.watch().1, first);
}

#[test]
fn a_watch_that_nobody_may_open_is_told_apart_from_one_that_ended() {
    let canceled = |reason: String| api::WatchResponse {
        canceled: true,
        cancel_reason: reason,
        ..api::WatchResponse::default()
    };
    // As the members say it; see `etcdserver::auth`.
    let refusal =
        |error: api::Error| format!("rpc error: code = {} desc = {}", error.code(), error.text());
    for (reason, is_refused) in [
        (refusal(api::Error::PermissionDenied), true),
        (refusal(api::Error::UserEmpty), true),
        (refusal(api::Error::InvalidAuthToken), true),
        (refusal(api::Error::NoLeader), false),
        (String::new(), false),
    ] {
        let mut bench = Bench::new();
        let (call, ..) = bench.watch();
        bench.with(|keys, wires| keys.hear(call, &canceled(reason.clone()), wires));
        assert_eq!(bench.keys.view(0).is_refused, is_refused, "{reason}");
    }
}

#[test]
fn what_compaction_took_from_the_watch_is_read_as_it_was_then() {
    let mut bench = Bench::new();
    bench.hear(vec![put("old", "1", 2, 2, 1), put("stays", "1", 3, 3, 1)], 3);
    let (call, ..) = bench.watch();
    let response =
        api::WatchResponse { canceled: true, compact_revision: 9, ..api::WatchResponse::default() };
    bench.with(|keys, wires| keys.hear(call, &response, wires));
    let asked = |bench: &Bench| match bench.effects.last().cloned() {
        Some(Effect::Request { call, request: api::Request::Range(range), .. }) => (call, range),
        other => panic!("no page was asked for: {other:?}"),
    };
    let (call, range) = asked(&bench);
    assert_eq!((range.revision, &range.key[..]), (9, &b"\0"[..]));
    let page = |kvs: Vec<api::KeyValue>, more| {
        Ok(api::Response::Range(api::RangeResponse { kvs, more, ..Default::default() }))
    };
    let first = page(vec![put("new", "2", 7, 8, 2).kv], true);
    assert!(bench.with(|keys, wires| keys.reply(call, &first, wires)));
    let (call, range) = asked(&bench);
    assert_eq!(&range.key[..], b"new\0");
    let second = page(vec![put("stays", "1", 3, 3, 1).kv], false);
    assert!(bench.with(|keys, wires| keys.reply(call, &second, wires)));
    let rows = bench.keys.view(9).list.rows;
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["new", "stays"], "the one that is not there was deleted meanwhile");
    assert_eq!(bench.watch().2, 10);
    assert_eq!(bench.keys.seen_revision(), 9);
}

#[test]
fn the_past_is_read_page_by_page_with_deleted_keys_or_has_etcds_own_words() {
    let mut bench = Bench::new();
    bench.hear(vec![put("a", "1", 2, 2, 1), put("gone", "1", 3, 3, 1), delete("gone", 4)], 4);
    bench.hear(vec![put("a", "2", 2, 5, 2), put("later", "1", 6, 6, 1)], 6);
    let look = |bench: &mut Bench, revision| {
        bench.with(|keys, wires| keys.act(KeysEvent::LookAt(revision), wires));
        match bench.effects.last().cloned() {
            Some(Effect::Request { call, request: api::Request::Range(range), .. }) => {
                (call, range)
            }
            other => panic!("no request was made: {other:?}"),
        }
    };
    let (call, range) = look(&mut bench, 5);
    assert_eq!((range.revision, range.serializable), (5, true));
    let answer = api::RangeResponse {
        kvs: vec![put("a", "2", 2, 5, 2).kv],
        count: 2,
        more: true,
        ..Default::default()
    };
    let answer = Ok(api::Response::Range(answer));
    assert!(bench.with(|keys, wires| keys.reply(call, &answer, wires)));
    let past = bench.keys.view(0).past.unwrap();
    assert_eq!((past.reading, past.read, past.existing), (Reading::Going, 1, 2));
    let Some(Effect::Request { call, .. }) = bench.effects.last().cloned() else {
        panic!("the next page was not asked for");
    };
    let rest =
        api::RangeResponse { kvs: vec![put("h", "0", 2, 2, 1).kv], count: 1, ..Default::default() };
    bench.with(|keys, wires| keys.reply(call, &Ok(api::Response::Range(rest)), wires));
    let past = bench.keys.view(0).past.unwrap();
    assert_eq!((past.reading, past.existing), (Reading::Done, 2));
    let rows: Vec<_> =
        past.list.rows.iter().map(|row| (row.name.as_str(), row.version, row.is_fresh)).collect();
    assert_eq!(rows, [("a", 2, true), ("gone", 0, false), ("h", 1, false)]);
    bench.keys.select(Some("a".into()));
    assert_eq!(bench.keys.view(0).chosen.unwrap().mod_revision, 5);
    let (call, _) = look(&mut bench, 1);
    bench.with(|keys, wires| keys.reply(call, &Err(api::Error::Compacted), wires));
    assert_eq!(
        bench.keys.view(0).past.unwrap().reading,
        Reading::Failed("etcdserver: mvcc: required revision has been compacted".to_owned())
    );
}

#[test]
fn the_history_is_bounded_and_a_key_that_exists_is_listed_all_the_same() {
    let mut keys = Keys { most: (100, 1_000), ..Keys::default() };
    keys.learn(&put("still", "v", 1, 1, 1).kv, false);
    for revision in 2..=500 {
        keys.learn(&put("a", "v", 2, revision, revision - 1).kv, false);
    }
    keys.select(Some("a".into()));
    assert_eq!(keys.revisions(b"a").count(), 99);
    assert_eq!(keys.revisions(b"still").count(), 1);
    let view = keys.view(0);
    assert_eq!((view.dropped, view.all_dropped, view.list.rows[0].count), (400, 400, 499));
    // Values count, too.
    let large = api::KeyValue { value: vec![0; 600].into(), ..put("b", "", 501, 501, 1).kv };
    keys.learn(&large, false);
    let large = api::KeyValue { mod_revision: 502, version: 2, ..large };
    keys.learn(&large, false);
    assert!(keys.value_bytes <= 1_000, "{}", keys.value_bytes);
    assert_eq!(keys.revisions(b"b").count(), 1);
    // With too many keys, also those that exist go.
    for at in 0..500 {
        let key = format!("k{at:03}").into();
        keys.learn(&api::KeyValue { key, ..put("", "", 600 + at, 600 + at, 1).kv }, false);
    }
    assert!(keys.keys.len() <= 101, "{}", keys.keys.len());
    assert_eq!(
        keys.value_bytes,
        keys.keys.values().flat_map(|it| &it.revisions).map(|it| it.value.len()).sum::<usize>()
    );
}
