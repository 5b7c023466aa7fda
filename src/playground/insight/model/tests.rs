//! What the views show of a cluster that is told item by item.

use bytes::Bytes;

use super::super::log::CellState;
use super::super::protocol::{Ask, Fault, Item, MemberNote, Sample};
use super::super::strings::EN;
use super::super::{Mark, MomentKind, View};
use super::Insight;
use crate::api::{LogContent, LogEntry, LogPart, MemberEvent, MemberStatus, PeerProgress, Role};
use crate::types::{Index, LeaseId, MemberId, Millis, Term};
use crate::wire;

fn note(id: u64) -> Item {
    Item::Member(MemberNote {
        id: MemberId(id),
        name: format!("infra{id}"),
        is_learner: false,
        is_up: true,
        is_paused: false,
        is_removed: false,
    })
}

fn status(id: u64, term: u64, last: u64, applied: u64, revision: i64) -> MemberStatus {
    MemberStatus {
        member: MemberId(id),
        role: if id == 1 { Role::Leader } else { Role::Follower },
        term: Term(term),
        last_index: Index(last),
        durable_index: Index(last),
        commit: Index(applied),
        applied: Index(applied),
        revision,
        ..MemberStatus::default()
    }
}

fn put(key: &str) -> LogContent {
    LogContent::Put {
        key: Bytes::copy_from_slice(key.as_bytes()),
        value_bytes: 3,
        lease: LeaseId(0),
    }
}

fn entry(term: u64, index: u64, content: LogContent) -> LogEntry {
    LogEntry { term: Term(term), index: Index(index), content }
}

fn part(status: &MemberStatus, first: u64, entries: Vec<LogEntry>) -> Item {
    let part = LogPart {
        member: status.member,
        term: status.term,
        first_index: Index(first),
        last_index: status.last_index,
        durable_index: status.durable_index,
        commit: status.commit,
        applied: status.applied,
        progress: Vec::new(),
        voters: vec![MemberId(1), MemberId(2), MemberId(3)],
        voters_outgoing: Vec::new(),
        learners: Vec::new(),
        entries,
    };
    Item::Log(Bytes::from(wire::encode(&part).unwrap()))
}

fn three() -> Insight {
    let mut insight = Insight::new(&EN);
    insight.hear(vec![Item::Opened { at: Millis(0) }, note(1), note(2), note(3)]);
    insight
}

#[test]
fn entries_show_content_and_how_far_they_have_come() {
    let mut insight = three();
    let mut leader = status(1, 2, 6, 5, 2);
    leader.progress.push(PeerProgress {
        member: MemberId(2),
        matched: Index(5),
        next: Index(7),
        state: "StateReplicate".to_owned(),
        is_recently_active: true,
    });
    let entries = vec![entry(2, 5, put("foo")), entry(2, 6, put("bar\u{1b}"))];
    insight.hear(vec![
        Item::Status(leader.clone()),
        Item::Status(status(2, 2, 5, 4, 1)),
        part(&leader, 5, entries.clone()),
        part(&status(2, 2, 5, 4, 1), 1, vec![entry(2, 4, LogContent::Empty), entries[0].clone()]),
    ]);
    insight.see_rows(4, 6);
    let view = insight.log_view();
    assert_eq!((view.low, view.high, view.rows.len()), (1, 6, 3));
    let cells: Vec<_> = view
        .rows
        .iter()
        .map(|row| (row.cells[0].state(), row.cells[0].text.as_str(), row.cells[1].state()))
        .collect();
    assert_eq!(
        cells,
        [
            (CellState::Snapshot, "", CellState::Applied),
            (CellState::Applied, "put foo (3 B)", CellState::Durable),
            (CellState::Durable, "put bar\\x1b (3 B)", CellState::Absent),
        ]
    );
    assert_eq!(view.rows[1].cells[1].mark, EN.log_match);
    assert_eq!(view.columns[1].progress, "match 5 · next 7");
    assert_eq!(view.columns[0].begins, "begins at 5");
    assert!(view.rows[1].cells[1].label.contains("infra2, index 5: term 2"), "{view:?}");
}

#[test]
fn a_long_key_is_clipped_in_its_cell_and_whole_in_what_is_said_of_it() {
    let mut insight = three();
    let (leader, key) = (status(1, 2, 5, 5, 2), "k".repeat(90));
    let entries = vec![entry(2, 5, put(&key))];
    insight.hear(vec![Item::Status(leader.clone()), part(&leader, 5, entries)]);
    insight.see_rows(5, 5);
    let cell = insight.log_view().rows[0].cells[0].clone();
    assert!(cell.text.contains('…') && !cell.text.contains(&key), "{}", cell.text);
    assert!(cell.label.contains(&format!("put {key} (3 B)")), "{}", cell.label);
}

#[test]
fn two_terms_at_one_index_are_a_conflict_until_one_gives_way() {
    let mut insight = three();
    let old = status(2, 2, 6, 5, 2);
    insight.hear(vec![
        Item::Status(status(1, 3, 6, 6, 2)),
        Item::Status(old.clone()),
        part(&status(1, 3, 6, 6, 2), 1, vec![entry(3, 6, LogContent::Empty)]),
        part(&old, 1, vec![entry(2, 6, put("lost"))]),
    ]);
    insight.see_rows(6, 6);
    let row = insight.log_view().rows[0].clone();
    assert!(row.cells[0].is_conflict && row.cells[1].is_conflict);
    assert!(row.cells[1].label.ends_with(EN.log_conflict));
    let new = status(2, 3, 6, 6, 2);
    insight
        .hear(vec![Item::Status(new.clone()), part(&new, 1, vec![entry(3, 6, LogContent::Empty)])]);
    assert!(!insight.log_view().rows[0].cells[1].is_conflict);
}

#[test]
fn members_are_asked_only_for_what_is_seen_and_not_known() {
    let mut insight = three();
    let now = status(1, 2, 1000, 1000, 900);
    insight.hear(vec![Item::Status(now.clone())]);
    assert!(insight.asks().is_empty(), "no view is open");
    insight.show(View::Log);
    insight.see_rows(980, 1000);
    let read =
        |from, to| vec![Ask::ReadLog { member: MemberId(1), from: Index(from), to: Index(to) }];
    assert_eq!(insight.asks(), read(980, 1000));
    assert!(insight.asks().is_empty(), "one question is open");
    let entries = (980..=1000).map(|index| entry(2, index, put("k"))).collect();
    insight.hear(vec![part(&now, 1, entries)]);
    assert!(insight.asks().is_empty(), "everything is known");
    let more = status(1, 2, 1001, 1001, 901);
    insight.hear(vec![Item::Status(more.clone())]);
    insight.see_rows(981, 1001);
    assert_eq!(insight.asks(), read(1001, 1001));
    insight.hear(vec![part(&more, 1, vec![entry(2, 1001, put("k"))])]);
    insight.see_rows(500, 520);
    assert_eq!(insight.asks(), read(500, 520));
}

#[test]
fn who_is_at_the_end_of_the_log_sees_what_comes_without_looking_again() {
    let mut insight = three();
    insight.show(View::Log);
    assert!(insight.see_last_rows(3), "it is another window");
    assert!(!insight.see_last_rows(3), "it is the same");
    for last in [10, 11, 15] {
        let now = status(1, 2, last, last, 1);
        insight.hear(vec![Item::Status(now.clone()), part(&now, 1, Vec::new())]);
        let indexes: Vec<u64> = insight.log_view().rows.iter().map(|row| row.index).collect();
        assert_eq!(indexes, [last - 2, last - 1, last]);
        let asks = insight.asks();
        assert!(matches!(asks[..], [Ask::ReadLog { to, .. }] if to == Index(last)), "{asks:?}");
        let entries = (last - 2..=last).map(|index| entry(2, index, put("k"))).collect();
        insight.hear(vec![part(&now, 1, entries)]);
    }
    assert!(insight.see_rows(4, 6));
    let rows = insight.log_view().rows;
    assert_eq!((rows[0].index, rows.len()), (4, 3), "who scrolls up stays there");
}

#[test]
fn a_hundred_thousand_entries_are_shown_by_a_window_of_rows() {
    let mut insight = three();
    let now = status(1, 2, 100_000, 100_000, 99_000);
    insight.hear(vec![Item::Status(now.clone()), part(&now, 1, Vec::new())]);
    for from in (1..100_000).step_by(200) {
        let entries = (from..from + 200).map(|index| entry(2, index, put("k"))).collect();
        insight.see_rows(from, from + 40);
        insight.hear(vec![part(&now, 1, entries)]);
    }
    let view = insight.log_view();
    assert_eq!((view.low, view.high), (1, 100_000));
    assert!(view.rows.len() <= 41);
    assert!(view.rows.iter().all(|row| row.cells[0].state() == CellState::Applied));
}

#[test]
fn an_election_adds_an_index_and_no_revision() {
    let mut insight = three();
    let sample = |at, term, applied, revision| {
        Item::Sample(Sample { at: Millis(at), term: Term(term), applied: Index(applied), revision })
    };
    let now = status(2, 3, 13, 13, 3);
    let now = MemberStatus { role: Role::Leader, ..now };
    insight.hear(vec![
        sample(1000, 2, 10, 1),
        sample(2000, 2, 11, 2),
        // What this answer names is the store's revision after the election, too.
        Item::Answered { at: Millis(2000), call: 1, result: Some(Ok(2)) },
        Item::Fault { at: Millis(3000), fault: Fault::Down(MemberId(1)) },
        Item::Event {
            at: Millis(4000),
            member: MemberId(2),
            event: MemberEvent::CampaignStarted { term: Term(3) },
        },
        Item::Event {
            at: Millis(4100),
            member: MemberId(2),
            event: MemberEvent::BecameLeader { term: Term(3) },
        },
        sample(4200, 3, 12, 2),
        sample(5000, 3, 13, 3),
        Item::Status(now.clone()),
        part(
            &now,
            1,
            vec![entry(2, 11, put("foo")), entry(3, 12, LogContent::Empty), entry(3, 13, put("b"))],
        ),
    ]);
    let moments = insight.clocks_view().moments;
    let told: Vec<_> = moments.iter().map(|moment| moment.sentence.as_str()).collect();
    assert_eq!(
        told,
        [
            "put foo (3 B): index 11 was written, the revision went from 1 to 2.",
            "infra1 went down: nothing was written to the log, the revision stayed 2.",
            "infra2 asks for votes in term 3: nothing was written to the log, the revision stayed 2.",
            "infra2 became leader of term 3: index 12 was written, the revision stayed 2.",
            "put b (3 B): index 13 was written, the revision went from 2 to 3.",
        ]
    );
    let election = &moments[3];
    assert_eq!(election.kind, MomentKind::Election);
    assert!(election.has_index && !election.has_revision);
    assert!(moments[2].has_term && !moments[2].has_index);

    let scale: Vec<_> = moments.iter().map(|it| (it.at, it.since.as_str())).collect();
    let since = ["", "+1.0 s", "+1.0 s", "+0.2 s", "+0.8 s"];
    let times = [2000, 3000, 4000, 4200, 5000];
    assert_eq!(scale, times.into_iter().zip(since).collect::<Vec<_>>());
    let view = insight.clocks_view();
    assert_eq!(view.ends, ("0:02.0".to_owned(), "0:05.0".to_owned()));
    assert_eq!(view.span, (2000, 5000));

    // Any of an entry's numbers finds the others; an election has no revision.
    let mark = |index, revision| Mark { index, revision };
    assert_eq!(insight.marked(mark(Some(13), None)), mark(Some(13), Some(3)));
    assert_eq!(insight.marked(mark(None, Some(2))), mark(Some(11), Some(2)));
    assert_eq!(insight.marked(mark(Some(12), None)), mark(Some(12), None));
    assert_eq!(insight.marked(mark(Some(99), None)), mark(Some(99), None));
}

#[test]
fn a_revision_is_not_told_where_it_does_not_follow() {
    let mut insight = three();
    let sample = |at, applied, revision| {
        Item::Sample(Sample { at: Millis(at), term: Term(2), applied: Index(applied), revision })
    };
    let delete = || LogContent::Delete { key: Bytes::from_static(b"x"), is_range: false };
    let now = status(1, 2, 7, 7, 3);
    let entries = vec![entry(2, 5, delete()), entry(2, 6, delete()), entry(2, 7, delete())];
    insight.hear(vec![
        sample(1, 4, 2),
        sample(2, 7, 3),
        Item::Status(now.clone()),
        part(&now, 1, entries),
    ]);
    let revisions: Vec<_> =
        insight.clocks_view().moments.iter().map(|moment| moment.revision).collect();
    assert_eq!(revisions, [None, None, Some(3)]);
}

#[test]
fn of_very_many_moments_the_newest_are_told() {
    let mut insight = three();
    let sample = |at: u64, applied: u64| {
        let revision = i64::try_from(applied).unwrap();
        Item::Sample(Sample { at: Millis(at), term: Term(2), applied: Index(applied), revision })
    };
    let now = status(1, 2, 1_000, 1_000, 1_000);
    let entries = (501..=1_000).map(|index| entry(2, index, put("k"))).collect();
    insight.hear((500..=1_000).map(|index| sample(index * 10, index)).collect());
    insight.hear(vec![Item::Status(now.clone()), part(&now, 1, entries)]);
    // An answer came before the page knew the entry applied.
    let answer =
        |at, revision| Item::Answered { at: Millis(at), call: 1, result: Some(Ok(revision)) };
    insight.hear(vec![answer(8_995, 900), answer(9_999, 1_000)]);
    let view = insight.clocks_view();
    assert_eq!((view.moments.len(), view.older), (300, 100));
    let told = |at: usize| {
        let moment = &view.moments[at];
        (moment.index, moment.revision, moment.at, moment.since.as_str())
    };
    assert_eq!(told(0), (701, Some(701), 7_010, ""));
    assert_eq!(told(199), (900, Some(900), 8_995, ""));
    assert_eq!(told(299), (1_000, Some(1_000), 9_999, ""));
    assert_eq!(view.span, (7_010, 9_999));
    assert_eq!(
        view.moments[1].sentence,
        "put k (3 B): index 702 was written, the revision went from 701 to 702."
    );
}

#[test]
fn the_quorum_starts_from_who_is_really_reachable() {
    let mut insight = three();
    let now = status(1, 2, 5, 5, 1);
    insight.hear(vec![
        Item::Status(now.clone()),
        Item::Status(status(2, 2, 5, 5, 1)),
        Item::Status(status(3, 2, 5, 5, 1)),
        part(&now, 1, Vec::new()),
    ]);
    let yes = |insight: &Insight| {
        insight.quorum_view().answers.iter().map(|answer| answer.is_yes).collect::<Vec<_>>()
    };
    assert!(insight.quorum_view().is_real);
    assert_eq!(yes(&insight), [true; 5]);
    // Two are cut from one another: who hears all is the middle.
    insight.hear(vec![Item::Cuts(vec![(MemberId(1), MemberId(3))])]);
    assert_eq!(yes(&insight), [true; 5], "infra2 hears both");
    insight.hear(vec![Item::Cuts(vec![(MemberId(1), MemberId(3)), (MemberId(2), MemberId(3))])]);
    assert_eq!(yes(&insight), [true, true, true, true, false]);
    insight.think(MemberId(2));
    let view = insight.quorum_view();
    assert!(!view.is_real);
    assert_eq!(yes(&insight), [false, false, false, true, false]);
    assert_eq!(view.answers[1].because, "needs 2 of 3, has 1");
    insight.think_no_more();
    assert!(insight.quorum_view().is_real);
}

#[test]
fn time_begins_when_the_cluster_is_opened() {
    let mut insight = three();
    insight.hear(vec![
        Item::Opened { at: Millis(60_000) },
        Item::Fault { at: Millis(61_500), fault: Fault::Down(MemberId(1)) },
        Item::Fault { at: Millis(62_000), fault: Fault::Started(MemberId(1)) },
    ]);
    let view = insight.clocks_view();
    let times: Vec<_> = view.moments.iter().map(|moment| moment.time.as_str()).collect();
    assert_eq!(times, ["0:01.5", "0:02.0"]);
    assert_eq!(view.ends, ("0:01.5".to_owned(), "0:02.0".to_owned()));
}

#[test]
fn a_new_cluster_voids_what_was_known() {
    let mut insight = three();
    insight.hear(vec![Item::Status(status(1, 2, 5, 5, 1)), Item::Opened { at: Millis(9) }]);
    assert!(insight.log_view().columns.is_empty());
    assert!(insight.quorum_view().members.is_empty());
}

#[test]
fn parts_that_cannot_be_read_are_told_once() {
    let mut insight = three();
    let foreign = Bytes::from_static(b"\xff\xff");
    insight.hear(vec![
        Item::Status(status(1, 2, 5, 5, 1)),
        Item::Log(foreign.clone()),
        Item::Holdings { at: Millis(1), part: foreign.clone() },
        Item::Trace { at: Millis(1), part: foreign.clone() },
        Item::Messages { at: Millis(1), member: MemberId(1), sample: foreign },
        Item::Log(Bytes::new()),
    ]);
    assert_eq!(insight.take_unread().len(), 5);
    assert!(insight.take_unread().is_empty());
}

#[test]
fn both_languages_tell_the_same_differences() {
    let groups = |strings: &'static super::super::InsightStrings| -> Vec<_> {
        strings.differences.iter().map(|(group, _)| *group).collect()
    };
    assert_eq!(groups(&EN), groups(&super::super::ZH));
}
