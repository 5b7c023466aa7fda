//! What the model does by itself; with the lab it is tested in `tests/time_view.rs`.

use bytes::Bytes;

use super::*;
use crate::scenario::Refusal;
use crate::scenario::moment::{NOT_LOADED, TimeAnswer};
use crate::wire;

const SCRIPT: &str = "put a b\n";

/// The questions that were asked since, with their numbers.
fn asked(state: &mut TimeState) -> Vec<(u64, TimeQuestion)> {
    let asks = state.take_asks().into_iter();
    let question = |ask| match ask {
        Ask::Lab(bytes) => Some(wire::decode(&bytes).unwrap()),
        _ => None,
    };
    asks.filter_map(question).collect()
}

fn answer(state: &mut TimeState, number: u64, answer: TimeAnswer) {
    state.hear(Ok(wire::encode(&(number, answer)).unwrap().into()));
}

fn moment(event: u64) -> TimeAnswer {
    let (known, is_whole, is_end) = (90, true, event == 90);
    let now = Millis(event * 10);
    TimeAnswer::Moment(Box::new(Moment {
        event,
        known,
        is_whole,
        is_end,
        now,
        ..Moment::default()
    }))
}

/// A run of 90 events, at its start; nothing is asked any more.
fn open() -> TimeState {
    let mut state = TimeState::default();
    state.open_script(SCRIPT.to_owned());
    let [(number, TimeQuestion::Open(_))] = asked(&mut state)[..] else { panic!("not asked") };
    answer(&mut state, number, TimeAnswer::Opened(Box::default()));
    for event in [90, 0] {
        assert!(matches!(state.view().stage, TimeStage::Loading(_)));
        let [(number, TimeQuestion::Go { .. })] = asked(&mut state)[..] else {
            panic!("no length")
        };
        answer(&mut state, number, moment(event));
    }
    assert_eq!((state.view().stage, state.view().controls.high), (TimeStage::Open, 90));
    state
}

#[test]
fn one_question_is_open_at_a_time_and_an_old_answer_is_dropped() {
    let mut state = open();
    state.scrub(30);
    let [(first, _)] = asked(&mut state)[..] else { panic!("not asked") };
    state.scrub(40);
    state.scrub(50);
    assert!(asked(&mut state).is_empty());
    answer(&mut state, first - 1, moment(7));
    assert_eq!(state.view().controls.value, 0, "an answer to something else");
    answer(&mut state, first, moment(30));
    let [(_, TimeQuestion::Go { to: To::Event(50), .. })] = asked(&mut state)[..] else {
        panic!("the newest wish is not asked")
    };
    assert_eq!(state.view().controls.value, 30);
}

#[test]
fn what_cannot_be_read_ends_the_worker_and_says_so() {
    let mut state = open();
    state.travel(To::End);
    state.take_asks();
    state.hear(Ok(Bytes::from_static(b"\xff\xff")));
    assert_eq!(state.take_asks(), [Ask::EndLab]);
    let TimeStage::Failed(_, words) = state.view().stage else { panic!("it goes on") };
    assert!(words.contains("another version"), "{words}");
}

#[test]
fn a_lab_that_was_not_fetched_is_told_from_one_that_stopped() {
    let mut state = open();
    state.hear(Err(format!("{NOT_LOADED}no network")));
    let view = state.view();
    let TimeStage::Failed(title, words) = view.stage else { panic!("it goes on") };
    assert_eq!((title, words.contains("no network")), (TIME_EN.not_loaded, true));
    assert_eq!(view.hint, TIME_EN.not_loaded_hint);
    state.close();
    state.take_asks();
    state.hear(Err("ended".to_owned()));
    assert_eq!(state.view().stage, TimeStage::Shelf, "it was ended on purpose");
}

#[test]
fn long_work_can_be_stopped_and_is_not_begun_again() {
    let mut state = TimeState::default();
    state.look(Millis(1_000));
    state.open_script(SCRIPT.to_owned());
    asked(&mut state);
    assert!(!state.view().is_late);
    state.look(Millis(2_500));
    assert!(state.view().is_late);
    state.stop();
    assert_eq!(state.take_asks(), [Ask::EndLab]);
    assert!(matches!(state.view().stage, TimeStage::Failed(..)));
    state.open_again();
    let [(number, TimeQuestion::Open(_))] = asked(&mut state)[..] else { panic!("not asked") };
    answer(&mut state, number, TimeAnswer::Opened(Box::default()));
    assert!(asked(&mut state).is_empty(), "its length is not asked for again");
    assert_eq!(state.view().stage, TimeStage::Open);
}

#[test]
fn a_change_that_cannot_be_made_leaves_everything() {
    let mut state = open();
    let before = state.view();
    state.do_line(0, "fly\u{202e} away");
    let [(number, TimeQuestion::Change { timeline: 0, at: 0, .. })] = asked(&mut state)[..] else {
        panic!("not asked")
    };
    let refusal = Refusal { english: "no \u{202e}such verb".to_owned(), chinese: "无".to_owned() };
    answer(&mut state, number, TimeAnswer::Refused(refusal));
    let view = state.view();
    assert_eq!(view.notice, ("no \\u{202e}such verb".to_owned(), false));
    assert_eq!(TimeView { notice: before.notice.clone(), ..view }, before);
    state.do_line(0, "   ");
    assert!(asked(&mut state).is_empty(), "there is nothing to do");
}

#[test]
fn what_plays_is_said_from_time_to_time_only() {
    let mut state = open();
    state.look(Millis(10_000));
    state.set_speed(Speed::Events(10));
    state.toggle_play();
    let mut told = Vec::new();
    for ms in (10_000..16_000).step_by(100) {
        state.frame(Millis(ms));
        for (number, question) in asked(&mut state) {
            let TimeQuestion::Go { to, .. } = question else { panic!("{question:?}") };
            let event = match to {
                To::Event(event) => event,
                To::NextEvent => state.view().controls.value + 1,
                to => panic!("{to:?}"),
            };
            answer(&mut state, number, moment(event));
        }
        told.push(state.view().told);
    }
    told.dedup();
    assert!((2..=4).contains(&told.len()), "{told:?}");
    assert_eq!(state.view().controls.value, 59);
}

#[test]
fn a_list_that_failed_is_fetched_again() {
    let mut state = TimeState::default();
    state.show();
    assert_eq!(state.take_wanted().len(), 2);
    state.set_list(Folder::Errors, Err("404".to_owned()));
    let listed = Listed {
        number: 4,
        file: "04-a.txt".to_owned(),
        title: "A\u{7}".to_owned(),
        ..Listed::default()
    };
    state.set_list(Folder::Lessons, Ok(vec![listed]));
    let view = state.view().shelf;
    assert_eq!(view.lists[0].rows[0].title, "4. A\\x07");
    assert!(view.lists[1].has_failed && view.lists[1].note.contains("404"));
    state.show();
    assert!(state.take_wanted().is_empty(), "once each");
    state.fetch_again();
    assert_eq!(state.take_wanted(), [TimeWanted::List(Folder::Errors)]);
    let note = Listed { file: "notes.txt".to_owned(), ..Listed::default() };
    let entry = Listed { file: "01-b.txt".to_owned(), title: "B".to_owned(), ..Listed::default() };
    state.set_list(Folder::Errors, Ok(vec![entry, note]));
    assert_eq!(state.view().shelf.lists[1].rows.len(), 1, "a note has nothing to play");
    state.set_filter(" b ");
    assert!(state.view().shelf.lists[0].rows.is_empty());
}

#[test]
fn what_plays_does_not_go_on_while_nobody_sees_it() {
    let mut state = open();
    state.look(Millis(10_000));
    state.set_speed(Speed::Events(10));
    state.toggle_play();
    state.frame(Millis(10_500));
    let [(number, TimeQuestion::Go { to: To::Event(5), .. })] = asked(&mut state)[..] else {
        panic!("it does not play")
    };
    answer(&mut state, number, moment(5));
    state.frame(Millis(600_000));
    state.frame(Millis(600_200));
    let [(_, TimeQuestion::Go { to: To::Event(7), .. })] = asked(&mut state)[..] else {
        panic!("it went on in the dark")
    };
}

#[test]
fn what_changes_many_times_a_second_is_written_in_parts() {
    let happening = |event: u64| HappeningRow {
        key: event.to_string(),
        event,
        time: String::new(),
        words: String::new(),
        kind: "other",
        is_different: false,
    };
    let lane = |place: &str, event| TimelineView {
        place: place.to_owned(),
        more_flights: place.to_owned(),
        happenings: vec![happening(event)],
        ..TimelineView::default()
    };
    let view = |lane| TimeView { lanes: vec![lane], ..TimeView::default() };
    let (old, new) = (view(lane("old", 1)), view(lane("new", 2)));
    let first = new.share(&old, 1);
    assert_eq!(
        (first.lanes[0].place.as_str(), first.lanes[0].more_flights.as_str()),
        ("new", "old")
    );
    let second = new.share(&first, 2);
    assert_eq!(second.lanes[0].more_flights, "new");
    assert_eq!(second.lanes[0].happenings, old.lanes[0].happenings);
    let third = new.share(&second, 3);
    assert_eq!(third.lanes[0].happenings, old.lanes[0].happenings);
    assert_eq!(new.share(&third, SHARES), new);
    let two = TimeView { lanes: vec![lane("a", 1), lane("b", 1)], ..TimeView::default() };
    assert_eq!(two.share(&old, 1), two, "there is another timeline");
}

#[test]
fn a_leader_is_told_once() {
    use crate::api::MemberEvent;
    use crate::scenario::moment::{Happened, Happening};
    use crate::types::Term;

    let mut state = open();
    state.travel(To::NextEvent);
    let [(number, _)] = asked(&mut state)[..] else { panic!("not asked") };
    let (leader, other, term) = (MemberId(2), MemberId(3), Term(6));
    let happening = |member, event| {
        let (at, what) = (Millis(10), Happened::Member(member, event));
        Happening { at, event: 1, what }
    };
    let follows =
        |member| happening(member, MemberEvent::LeaderChanged { term, leader: Some(leader) });
    let won = happening(leader, MemberEvent::BecameLeader { term });
    let happenings = vec![won, follows(leader), follows(other)];
    let moment = Moment { event: 1, happenings, ..Moment::default() };
    answer(&mut state, number, TimeAnswer::Moment(Box::new(moment)));
    let words: Vec<String> =
        state.view().lanes[0].happenings.iter().map(|row| row.words.clone()).collect();
    assert_eq!(words, ["3 follows 2 in term 6", "2 becomes leader of term 6"]);
}
