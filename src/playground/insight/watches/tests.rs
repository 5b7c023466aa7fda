//! What lanes and leases show of items that are told one by one.

use bytes::Bytes;

use super::super::passed::{Batch, EventMark, LeaseNote, OpenedWatch, WatchNote, Watcher};
use super::super::protocol::{Ask, Item, MemberNote};
use super::super::strings::EN;
use super::super::{Insight, LeaseState, View};
use super::*;
use crate::api::{HeldKey, HeldLease, WatchPace};
use crate::types::{Index, LeaseId};
use crate::wire;

fn insight() -> Insight {
    let mut insight = Insight::new(&EN);
    insight.show(View::Watches);
    insight.hear(vec![Item::Opened { at: Millis(0) }]);
    for id in 1..=3 {
        insight.hear(vec![Item::Member(MemberNote {
            id: MemberId(id),
            name: format!("infra{id}"),
            is_learner: false,
            is_up: true,
            is_paused: false,
            is_removed: false,
        })]);
    }
    insight
}

fn opened(at: u64, call: u64, member: u64, from: i64) -> Item {
    let opened = OpenedWatch {
        member: MemberId(member),
        watcher: Watcher { tab: 2, run: 1, line: "watch k".to_owned() },
        key: HeldKey::new(&Bytes::from_static(b"k")),
        range_end: HeldKey::default(),
        from,
    };
    Item::Watch { at: Millis(at), call, note: WatchNote::Opened(Box::new(opened)) }
}

fn note(at: u64, call: u64, note: WatchNote) -> Item {
    Item::Watch { at: Millis(at), call, note }
}

/// One put of one key after the other: (revision, version).
fn batch(puts: &[(i64, i64)]) -> WatchNote {
    let mark = |(revision, version): &(i64, i64)| EventMark {
        key: 9,
        revision: *revision,
        version: *version,
    };
    WatchNote::Batch(Batch {
        responses: 1,
        fragments: 0,
        events: puts.len() as u64,
        first: puts.first().unwrap().0,
        last: puts.last().unwrap().0,
        marks: puts.iter().map(mark).collect(),
    })
}

fn holdings(at: u64, part: &Holdings) -> Item {
    Item::Holdings { at: Millis(at), part: Bytes::from(wire::encode(part).unwrap()) }
}

fn held_watch(call: u64, pace: WatchPace, next_revision: i64) -> HeldWatch {
    HeldWatch { stream: call, pace, next_revision, puts: true, deletes: true, ..Default::default() }
}

#[test]
fn a_watch_that_is_cut_goes_on_in_its_lane_and_says_that_nothing_was_lost() {
    let mut insight = insight();
    insight.hear(vec![
        opened(100, 7, 1, 0),
        note(110, 7, WatchNote::Created(4)),
        note(200, 7, batch(&[(5, 1), (6, 2)])),
        note(300, 7, WatchNote::Cut),
    ]);
    insight.look(Millis(310));
    let lane = insight.watches_view().lanes[0].clone();
    assert_eq!((lane.state, lane.can_cut, lane.can_stop), (LaneState::Away, false, true));
    insight.hear(vec![
        opened(320, 8, 2, 7),
        note(330, 8, WatchNote::Created(8)),
        note(340, 8, batch(&[(7, 3), (8, 4)])),
    ]);
    insight.choose_lane(lane.id);
    let view = insight.watches_view();
    assert_eq!(view.lanes.len(), 1, "it is one watcher");
    let lane = &view.lanes[0];
    assert_eq!((lane.id, lane.call, &*lane.member_name), (1, 8, "infra2"));
    assert_eq!(lane.counts, "4 events in 2 batches · resumed once");
    assert_eq!((lane.check.as_str(), lane.is_broken), (EN.held.whole, false));
    assert_eq!(lane.spans, [(100, Some(300)), (320, None)]);
    let kinds: Vec<MarkKind> = lane.marks.iter().map(|mark| mark.kind).collect();
    let expected =
        [MarkKind::Opened, MarkKind::Batch, MarkKind::Away, MarkKind::Opened, MarkKind::Batch];
    assert_eq!(kinds, expected);
    let story = lane.story.clone().unwrap();
    assert_eq!(story[0].words, "2 events, revisions 7 to 8");
    assert!(story.iter().any(|it| {
        it.words == "asks infra2 again from revision 7 on, right after 6, the last one seen"
    }));
}

#[test]
fn a_missing_event_and_one_that_comes_twice_are_told() {
    let mut insight = insight();
    insight.hear(vec![
        opened(0, 7, 1, 2),
        note(1, 7, batch(&[(2, 1), (3, 2)])),
        note(2, 7, batch(&[(3, 2), (6, 5)])),
    ]);
    let lane = insight.watches_view().lanes[0].clone();
    assert_eq!((lane.check.as_str(), lane.is_broken), ("lost: 2, doubled: 1", true));
    // A deletion tells no version; the put after it begins anew.
    insight.hear(vec![note(3, 7, batch(&[(7, 0), (8, 1)]))]);
    assert_eq!(insight.watches_view().lanes[0].check, "lost: 2, doubled: 1");
}

#[test]
fn what_was_dropped_before_it_was_told_is_not_taken_for_lost() {
    let mut insight = insight();
    insight.hear(vec![
        opened(0, 7, 1, 2),
        note(1, 7, batch(&[(2, 1)])),
        note(0, 0, WatchNote::Dropped),
        note(2, 7, batch(&[(90, 60)])),
    ]);
    let view = insight.watches_view();
    assert!(!view.lanes[0].is_broken);
    assert!(view.notes.contains(&EN.held.dropped.to_owned()));
}

#[test]
fn a_member_tells_whether_a_watch_is_synced_or_how_far_it_is_behind() {
    let mut insight = insight();
    insight.hear(vec![opened(0, 7, 1, 2)]);
    let state = |insight: &Insight| {
        let lane = insight.watches_view().lanes[0].clone();
        (lane.state, lane.words)
    };
    assert_eq!(state(&insight), (LaneState::Opening, EN.held.opening.to_owned()));
    let mut part = Holdings { member: MemberId(1), revision: 41, ..Default::default() };
    for (pace, next, expected, words) in [
        (WatchPace::CatchingUp, 2, LaneState::CatchingUp, "catching up, 40 revisions behind"),
        (WatchPace::Slow, 30, LaneState::Slow, "slow, 0 responses wait in its stream"),
        (WatchPace::Synced, 42, LaneState::Synced, "synced"),
    ] {
        part.watches = vec![held_watch(7, pace, next)];
        insight.hear(vec![holdings(1_000, &part)]);
        insight.look(Millis(1_100));
        assert_eq!(state(&insight), (expected, words.to_owned()));
    }
    insight.look(Millis(9_000));
    assert!(state(&insight).1.contains("infra1 does not answer"));
}

#[test]
fn a_compacted_watch_says_so_in_etcds_words_and_stays() {
    let mut insight = insight();
    let reason = String::new();
    insight.hear(vec![
        opened(0, 7, 1, 1),
        note(5, 7, WatchNote::Canceled { reason, compact_revision: 12 }),
        note(6, 7, WatchNote::Closed),
    ]);
    let view = insight.watches_view();
    let lane = &view.lanes[0];
    let words = "cancelled: etcdserver: mvcc: required revision has been compacted; \
                 compacted up to revision 12";
    // The engine closes a canceled watch: that is no other end.
    assert_eq!(lane.marks.last().map(|mark| mark.words.as_str()), Some(words));
    assert!(view.told.contains("watch k"), "{}", view.told);
}

#[test]
fn watches_without_a_lane_are_counted_and_an_ended_lane_goes_after_a_while() {
    let mut insight = insight();
    insight.hear(vec![opened(0, 7, 1, 2), note(1, 7, WatchNote::Cut), opened(2, 8, 1, 2)]);
    let streams = [7, 8, 9, 10];
    let watches = streams.map(|stream| held_watch(stream, WatchPace::Synced, 5)).to_vec();
    let part = Holdings { member: MemberId(1), watches, watches_more: 4, ..Default::default() };
    insight.hear(vec![holdings(1_000, &part)]);
    insight.look(Millis(1_100));
    let words = "infra1 holds more watches that have no lane here: 6.";
    assert_eq!(insight.watches_view().notes, [words]);
    insight.hear(vec![note(2_000, 8, WatchNote::Closed)]);
    insight.look(Millis(100_000));
    assert_eq!(insight.watches_view().lanes[0].state, LaneState::Closed);
    insight.look(Millis(400_000));
    assert!(insight.watches_view().lanes.is_empty());
}

#[test]
fn members_are_asked_only_while_the_view_is_open_and_not_at_every_look() {
    let mut insight = insight();
    let asked: Vec<usize> = (0..4).map(|_| insight.asks().len()).collect();
    assert_eq!(asked, [0, 3, 0, 3]);
    insight.show(View::Log);
    let is_held = |ask: &Ask| matches!(ask, Ask::ReadHoldings(_));
    assert!((0..4).all(|_| !insight.asks().iter().any(is_held)));
}

#[test]
fn lanes_and_their_entries_are_bounded_and_an_ended_lane_goes_first() {
    let mut insight = insight();
    for call in 0..100 {
        insight.hear(vec![opened(call, call, 1, 0)]);
        if call == 40 {
            insight.hear(vec![note(call, call, WatchNote::Lost), opened(call, 1_000, 2, 0)]);
        }
    }
    assert_eq!(insight.watches_view().lanes.len(), LANES_MAX);
    for revision in 2..5_000_i64 {
        let at = 1_000 + u64::try_from(revision).unwrap();
        insight.hear(vec![note(at, 99, batch(&[(revision, revision)]))]);
    }
    insight.look(Millis(6_000));
    let view = insight.watches_view();
    let lane = view.lanes.iter().find(|lane| lane.call == 99).unwrap();
    assert!(lane.marks.len() < 100, "{}", lane.marks.len());
    assert!(lane.counts.starts_with("4998 events"), "{}", lane.counts);
    assert!(!lane.is_broken);
}

fn lease(id: i64, ttl: i64, remaining_ms: Option<i64>) -> HeldLease {
    let keys = vec![HeldKey::new(&Bytes::from_static(b"a"))];
    HeldLease { id: LeaseId(id), granted_ttl: ttl, remaining_ms, keys, ..Default::default() }
}

fn primary(applied: u64, leases: Vec<HeldLease>) -> Holdings {
    Holdings {
        member: MemberId(1),
        applied: Index(applied),
        is_primary: true,
        leases,
        ..Default::default()
    }
}

#[test]
fn bars_of_a_busy_watch_stand_apart_and_say_all_that_is_in_them() {
    let mut insight = insight();
    insight.hear(vec![opened(1_000, 7, 1, 0)]);
    let put =
        |(at, revision): (u64, i64)| note(2_000 + at * 100, 7, batch(&[(revision, revision - 1)]));
    let puts = (0..40).zip(2..).map(put);
    insight.hear(puts.collect());
    insight.look(Millis(6_000));
    let lane = |insight: &Insight| insight.watches_view().lanes[0].clone();
    let bars = |lane: &LaneView| -> Vec<MarkView> {
        lane.marks.iter().filter(|mark| mark.kind == MarkKind::Batch).cloned().collect()
    };
    let first = bars(&lane(&insight));
    assert_eq!(first.len(), 4, "{first:?}");
    assert!(first.windows(2).all(|pair| pair[1].at - pair[0].at >= 900), "{first:?}");
    assert_eq!((first[0].at, first[0].size), (2_000, 2));
    assert_eq!(first[0].words, "9 events in 9 responses, revisions 2 to 10");
    assert!(lane(&insight).counts.contains("40 events"));
    // While the axis moves under them they stay as they were.
    insight.look(Millis(65_500));
    assert_eq!(bars(&lane(&insight)), first[2..]);
}

#[test]
fn a_sign_hides_no_other_of_its_kind() {
    let mut insight = insight();
    insight.hear(vec![
        opened(1_000, 7, 1, 0),
        note(1_500, 7, WatchNote::Lost),
        opened(2_000, 8, 2, 3),
        note(2_500, 8, WatchNote::Lost),
        opened(9_000, 9, 3, 3),
    ]);
    insight.look(Millis(10_000));
    let view = insight.watches_view();
    let places = |kind: MarkKind| -> Vec<u64> {
        let marks = view.lanes.iter().flat_map(|lane| &lane.marks);
        marks.filter(|mark| mark.kind == kind).map(|mark| mark.at).collect()
    };
    assert_eq!(places(MarkKind::Opened), [2_000, 9_000]);
    assert_eq!(places(MarkKind::Away), [2_500]);
}

#[test]
fn a_lease_runs_down_between_two_looks_and_a_renewal_fills_it() {
    let mut insight = insight();
    insight.hear(vec![holdings(1_000, &primary(5, vec![lease(7, 10, Some(9_400))]))]);
    insight.look(Millis(1_500));
    let lease_of = |insight: &Insight| insight.watches_view().leases.leases[0].clone();
    let first = lease_of(&insight);
    assert_eq!((first.words.as_str(), first.share, first.seconds), ("9 s left", 890, 9));
    assert_eq!((first.id.as_str(), first.granted.as_str()), ("0000000000000007", "of 10 s"));
    assert_eq!(first.renewed, EN.held.not_renewed);
    insight.hear(vec![
        Item::Kept { leases: vec![LeaseId(7)], failed: Vec::new() },
        Item::Lease { at: Millis(1_600), lease: LeaseId(7), note: LeaseNote::Renewed },
    ]);
    insight.look(Millis(1_700));
    let kept = lease_of(&insight);
    assert_eq!((kept.words.as_str(), kept.is_kept), ("10 s left", true));
    assert_eq!(kept.renewed, "renewed by this page 0 s ago");
    let failed = vec![(LeaseId(7), "no <program>\u{202e}".to_owned())];
    insight.hear(vec![Item::Kept { leases: Vec::new(), failed }]);
    let ended = lease_of(&insight);
    assert!(!ended.is_kept && ended.is_failed);
    assert_eq!(ended.renewed, "Not renewed any more: no <program>\\u{202e}");
    insight.hear(vec![Item::Kept { leases: vec![LeaseId(7)], failed: Vec::new() }]);
    assert_eq!(lease_of(&insight).renewed, "renewed by this page 0 s ago", "it was tried again");
}

#[test]
fn an_expired_lease_and_a_revoked_one_are_told_apart_and_go_after_a_while() {
    let mut insight = insight();
    let both = vec![lease(7, 10, Some(300)), lease(8, 60, Some(50_000))];
    insight.hear(vec![holdings(1_000, &primary(5, both))]);
    insight.look(Millis(1_400));
    let states = |insight: &Insight| {
        let leases = insight.watches_view().leases.leases;
        leases.iter().map(|lease| lease.state).collect::<Vec<_>>()
    };
    assert_eq!(states(&insight), [LeaseState::Ending, LeaseState::Running]);
    insight.hear(vec![holdings(1_600, &primary(6, vec![]))]);
    insight.look(Millis(1_700));
    assert_eq!(states(&insight), [LeaseState::Expired, LeaseState::Revoked]);
    let view = insight.watches_view();
    assert_eq!(view.leases.leases[0].keys_note, EN.held.keys_gone);
    assert!(!view.told.is_empty());
    // What an older state says does not bring them back.
    insight.hear(vec![holdings(1_800, &primary(5, vec![lease(7, 10, Some(300))]))]);
    assert_eq!(states(&insight), [LeaseState::Expired, LeaseState::Revoked]);
    insight.look(Millis(90_000));
    assert!(states(&insight).is_empty());
}

#[test]
fn without_a_primary_nobody_counts_and_a_follower_tells_which_leases_there_are() {
    let mut insight = insight();
    insight.hear(vec![holdings(1_000, &primary(5, vec![lease(7, 10, Some(9_000))]))]);
    let mut follower = primary(5, vec![lease(7, 10, None), lease(8, 10, None)]);
    (follower.member, follower.is_primary) = (MemberId(2), false);
    insight.hear(vec![holdings(1_200, &follower)]);
    insight.look(Millis(1_300));
    let view = insight.watches_view().leases;
    assert_eq!((view.leases.len(), view.primary.as_str()), (1, "infra1 counts the time"));
    insight.hear(vec![holdings(9_000, &follower)]);
    insight.look(Millis(9_100));
    let view = insight.watches_view().leases;
    assert_eq!(view.primary, EN.held.no_primary);
    let states: Vec<LeaseState> = view.leases.iter().map(|lease| lease.state).collect();
    assert_eq!(states, [LeaseState::Standing, LeaseState::Standing]);
}
