//! The time machine, native: any moment from anywhere, forks, changes, comparisons, seeds.
//!
//! What it is: the machine asked as the page asks it. What it is not: the page's view.
//! Invariants: a moment reached by a jump equals the one that playing forward reached.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a failed test is meant to panic, and one measures"
)]

#[path = "support/scripts.rs"]
mod scripts;

use std::time::Instant;

use etcd_playground::api::Role;
use etcd_playground::cluster::run_seed;
use etcd_playground::lab::{Lab, time::Machine};
use etcd_playground::scenario::Refusal;
use etcd_playground::scenario::moment::{
    CHANGES_MAX, Comparison, Ending, FLIGHTS_MAX, HAPPENINGS_MAX, Happened, Moment, Occurred,
    Opened, SOURCE_BYTES_MAX, STEPS_TOLD_MAX, SeedVerdict, TAIL_MAX, TimeAnswer, TimeChange,
    TimeQuestion, TimeSource, To,
};
use etcd_playground::types::{Index, MemberId, Millis, Term};
use etcd_playground::wire;
use proptest::prelude::*;

use scripts::{has_chinese, scripts};

/// A leader that is killed with three who are left: nothing else is done to them.
const FOUR: &str = "cluster: members=4 seed=5\nput a 1\nkill leader\nwait 20s\nput a 2\n";
const THREE: &str = "cluster: members=3 seed=5\nput a 1\nkill leader\nwait 20s\nput a 2\n";

/// A machine and what the page would do with it.
struct Table {
    machine: Machine,
}

impl Table {
    fn open(source: TimeSource) -> (Self, Opened) {
        let mut machine = Machine::default();
        match machine.answer(TimeQuestion::Open(source)) {
            TimeAnswer::Opened(opened) => (Self { machine }, *opened),
            other => panic!("not opened: {other:?}"),
        }
    }

    fn script(text: &str) -> Self {
        Self::open(TimeSource::Script(text.to_owned())).0
    }

    fn lesson(number: &str) -> Self {
        let lessons = scripts("lessons");
        let lesson = lessons.iter().find(|lesson| lesson.name.starts_with(number)).unwrap();
        Self::script(&lesson.text)
    }

    fn seed(seed: u64) -> Self {
        Self::open(TimeSource::Seed(seed)).0
    }

    fn ask(&mut self, question: TimeQuestion) -> TimeAnswer {
        self.machine.answer(question)
    }

    fn moment(&mut self, question: TimeQuestion) -> Moment {
        match self.ask(question) {
            TimeAnswer::Moment(moment) => {
                is_bounded(&moment);
                *moment
            }
            other => panic!("no moment: {other:?}"),
        }
    }

    fn go(&mut self, to: To) -> Moment {
        self.moment(TimeQuestion::Go { timeline: 0, to })
    }

    fn go_other(&mut self, to: To) -> Moment {
        self.moment(TimeQuestion::Go { timeline: 1, to })
    }

    fn change(&mut self, timeline: u8, at: u64, change: TimeChange) -> Moment {
        self.moment(TimeQuestion::Change { timeline, at, change })
    }

    fn compare(&mut self) -> Comparison {
        match self.ask(TimeQuestion::Compare) {
            TimeAnswer::Comparison(comparison) => *comparison,
            other => panic!("no comparison: {other:?}"),
        }
    }

    fn refused(&mut self, question: TimeQuestion) -> Refusal {
        match self.ask(question) {
            TimeAnswer::Refused(why) => {
                assert!(!why.english.is_empty() && !why.chinese.is_empty(), "{why:?}");
                why
            }
            other => panic!("not refused: {other:?}"),
        }
    }

    /// The first moment after which something holds.
    fn first(&mut self, is_it: impl Fn(&Moment) -> bool) -> Moment {
        let mut moment = self.go(To::Start);
        while !is_it(&moment) {
            assert!(!moment.is_end, "that never happens");
            moment = self.go(To::NextEvent);
        }
        moment
    }
}

fn is_bounded(moment: &Moment) {
    assert!(moment.flights.len() <= FLIGHTS_MAX);
    assert!(moment.happenings.len() <= HAPPENINGS_MAX);
    assert!(moment.told.len() <= STEPS_TOLD_MAX);
    let tail = usize::try_from(TAIL_MAX).unwrap();
    let tails = moment.members.iter().filter_map(|member| member.tail.as_ref());
    assert!(tails.into_iter().all(|part| part.entries.len() <= tail));
}

/// Without what grows while a timeline is explored.
fn bare(moment: &Moment) -> Moment {
    Moment { known: 0, is_whole: false, known_until: Millis(0), timeline: 0, ..moment.clone() }
}

fn leader(moment: &Moment) -> Option<MemberId> {
    let leads = |it: &&etcd_playground::scenario::moment::MomentMember| {
        it.status.as_ref().is_some_and(|status| status.role == Role::Leader)
    };
    moment.members.iter().find(leads).map(|member| member.id)
}

fn term(moment: &Moment) -> Term {
    let terms = moment.members.iter().filter_map(|it| it.status.as_ref()).map(|it| it.term);
    terms.max().unwrap_or_default()
}

#[test]
fn an_untouched_timeline_ends_with_the_hashes_of_its_script() {
    for folder in ["lessons", "errors"] {
        for file in scripts(folder) {
            let report = Lab::new(file.script.clone()).play_all();
            let mut table = Table::script(&file.text);
            let end = table.go(To::End);
            assert!(end.is_end && end.is_whole && end.known == end.event, "{}", file.name);
            let ending = end.ending.unwrap();
            assert_eq!((end.outcome, end.trace), (report.outcome, report.trace), "{}", file.name);
            assert_eq!((ending.outcome, ending.trace), (report.outcome, report.trace));
            assert_eq!(ending.now, report.ended, "{}", file.name);
            assert_eq!(usize::try_from(ending.met).unwrap(), report.tally().0, "{}", file.name);
            assert_eq!(usize::try_from(end.step).unwrap(), report.steps.len(), "{}", file.name);
        }
    }
}

#[test]
fn a_moment_is_the_same_from_wherever_it_is_reached() {
    let mut table = Table::lesson("04");
    let end = table.go(To::End);
    let count = end.event;
    assert!(count > 200, "{count} events");
    let at = [0, 1, 17, count / 3, count / 2, count / 2 + 1, count - 2, count - 1, count];
    let mut forward = Vec::new();
    let mut moment = table.go(To::Start);
    loop {
        if at.contains(&moment.event) {
            forward.push(bare(&moment));
        }
        if moment.is_end {
            break;
        }
        let next = table.go(To::NextEvent);
        assert_eq!(next.event, moment.event + 1);
        assert!(next.now >= moment.now);
        moment = next;
    }
    for pick in [4, 0, 8, 2, 6, 1, 7, 3, 5, 4] {
        let jumped = table.go(To::Event(at[pick]));
        assert_eq!(bare(&jumped), forward[pick], "moment {}", at[pick]);
    }
    let mut moment = table.go(To::Event(count / 2 + 1));
    moment = {
        assert_eq!(bare(&moment), forward[5]);
        table.go(To::Back)
    };
    assert_eq!(bare(&moment), forward[4]);
    let far = table.go(To::Event(count + 1_000));
    assert_eq!(bare(&far), forward[8]);
    assert_eq!(table.go(To::Start).event, 0);
    assert_eq!(table.go(To::Back).event, 0, "there is nothing before the beginning");
}

#[test]
fn what_is_put_aside_between_steps_changes_nothing() {
    for lesson in scripts("lessons") {
        let mut table = Table::script(&lesson.text);
        let end = table.go(To::End);
        for part in [9, 4, 6, 2] {
            let at = end.event * part / 10;
            let jumped = table.go(To::Event(at));
            let fresh = Table::script(&lesson.text).go(To::Event(at));
            assert_eq!(bare(&jumped), bare(&fresh), "{} at {at}", lesson.name);
        }
        let again = table.go(To::End);
        assert_eq!(again, end, "{}", lesson.name);
    }
}

#[test]
fn steps_times_messages_and_ticks_are_found() {
    let (mut table, opened) = Table::open(TimeSource::Script(FOUR.to_owned()));
    assert_eq!(opened.steps.len(), 4);
    assert_eq!(opened.moment.event, 0);
    assert_eq!(opened.moment.last, Occurred::Nothing);
    assert_eq!(opened.moment.members.len(), 4);
    let put = table.go(To::Step(0));
    assert_eq!((put.step, leader(&put).is_some()), (1, true));
    assert_eq!(put.told.last().unwrap().1.text, "put a 1");
    assert_eq!(put.told.last().unwrap().1.output, "");
    let killed = table.go(To::NextStep);
    assert_eq!(killed.step, 3, "a verb takes no time, and the wait begins at once");
    assert_eq!(killed.members.iter().filter(|member| !member.is_up).count(), 1);
    assert_eq!(killed.told[0].1.output, "OK\n");
    let done = |moment: &Moment| {
        moment.happenings.iter().any(
            |it| matches!(&it.what, Happened::Done(said) if said.english.ends_with(" was killed")),
        )
    };
    assert!(done(&killed));
    let message = table.go(To::NextMessage);
    assert!(matches!(message.last, Occurred::Message(_)) && message.event > killed.event);
    let tick = table.go(To::NextTick);
    assert!(matches!(tick.last, Occurred::Tick(_)) && tick.event > message.event);
    let late = table.go(To::Time(Millis(4_000)));
    assert!(late.now <= Millis(4_000));
    assert!(table.go(To::NextEvent).now > Millis(4_000));
    let end = table.go(To::Time(Millis(1 << 40)));
    assert!(end.is_end);
    assert_eq!(end.told.last().unwrap().1.output, "OK\n");
    assert_eq!(table.go(To::Step(3)).step, 4);
    let TimeAnswer::Step(Some(step)) = table.ask(TimeQuestion::Step { timeline: 0, step: 0 })
    else {
        panic!("the step was played");
    };
    assert_eq!(step.output, "OK\n");
    let member = end.members.iter().find(|member| member.is_up).unwrap().id;
    let question = TimeQuestion::Log { timeline: 0, member, from: Index(1), to: Index(500) };
    let TimeAnswer::Log(Some(part)) = table.ask(question) else { panic!("it runs") };
    assert!(!part.entries.is_empty() && part.entries.len() <= 200);
}

#[test]
fn a_fork_without_a_change_is_the_same() {
    let mut table = Table::lesson("04");
    let end = table.go(To::End);
    let fork = table.moment(TimeQuestion::Fork { at: end.event / 2 });
    assert_eq!((fork.timeline, fork.event), (1, end.event / 2));
    assert_eq!(bare(&fork), bare(&table.go(To::Event(end.event / 2))));
    assert_eq!(bare(&table.go_other(To::End)), bare(&end));
    let comparison = table.compare();
    assert_eq!(comparison.first, None);
    assert!(!comparison.outcomes_differ);
    assert_eq!(comparison.one, comparison.other);
}

#[test]
fn a_vote_that_is_lost_makes_another_future() {
    let mut table = Table::script(THREE);
    let is_vote = |moment: &Moment| {
        moment.event > 0 && moment.step > 0 && moment.flights.iter().any(|it| it.kind == "MsgVote")
    };
    let before = table.first(is_vote);
    let vote = before.flights.iter().find(|it| it.kind == "MsgVote").unwrap().clone();
    table.moment(TimeQuestion::Fork { at: before.event });
    let lost = table.change(1, before.event, TimeChange::Drop(vote.id));
    assert_eq!(lost.event, before.event);
    assert!(lost.flights.iter().all(|it| it.id != vote.id));
    let [changed] = lost.changes.as_slice() else { panic!("one change") };
    assert!(!changed.is_void);
    let said = changed.said.clone().unwrap();
    assert!(said.english.starts_with("MsgVote from ") && has_chinese(&said.chinese), "{said:?}");
    // The members that are left are two: the candidate needs the vote that was not asked for.
    let comparison = table.compare();
    let first = comparison.first.unwrap();
    assert_eq!(first.from, before.event);
    assert!(first.event > before.event);
    let Occurred::Message(arrived) = &first.one else { panic!("in one it arrives: {first:?}") };
    assert_eq!(arrived.id, vote.id);
    assert_eq!(first.one_at, Some(vote.arrives_at));
    assert_ne!(first.one, first.other);
    assert!(comparison.outcomes_differ);
    assert!(comparison.other.term > comparison.one.term, "another election was needed");
    // Neither moved.
    assert_eq!(table.go_other(To::NextEvent).event, before.event + 1);
    // What was lost cannot be lost again.
    let twice = table.change(1, before.event, TimeChange::Drop(vote.id));
    assert!(twice.changes[1].is_void);
    // The other timeline knows nothing of it.
    assert!(table.go(To::Event(before.event)).flights.iter().any(|it| it.id == vote.id));
}

#[test]
fn a_timer_that_is_fired_elects() {
    let mut table = Table::script(THREE);
    let killed = table.first(|moment| moment.members.iter().any(|member| !member.is_up));
    let one = killed.members.iter().rfind(|member| member.is_up).unwrap().id;
    let fired = table.change(0, killed.event, TimeChange::Fire(one));
    assert!(!fired.changes[0].is_void, "{:?}", fired.changes);
    let status = |moment: &Moment| {
        moment.members.iter().find(|it| it.id == one).unwrap().status.clone().unwrap()
    };
    assert_eq!(status(&fired).role, Role::PreCandidate);
    // The others still think that there is a leader, so it is asked for once more when they have noticed.
    let elected = loop {
        let moment = table.go(To::NextMessage);
        if leader(&moment).is_some() {
            break moment;
        }
    };
    assert!(term(&elected) > term(&killed));
    // A leader has no timer, and who is down has none either.
    let leads = leader(&elected).unwrap();
    let void = table.change(0, elected.event, TimeChange::Fire(leads));
    assert!(void.changes[1].is_void);
    assert!(void.changes[1].said.as_ref().unwrap().english.contains("leads"));
    let down = killed.members.iter().find(|member| !member.is_up).unwrap().id;
    let void = table.change(0, elected.event, TimeChange::Fire(down));
    assert!(void.changes[2].said.as_ref().unwrap().english.contains("is down"));
}

#[test]
fn without_pre_vote_the_one_that_is_fired_wins_at_once() {
    let mut table =
        Table::script("cluster: members=3 seed=9 pre-vote=off check-quorum=off\nwait 3s\n");
    let calm = table.go(To::Time(Millis(3_000)));
    let old = leader(&calm).unwrap();
    let other = calm.members.iter().find(|member| member.id != old).unwrap().id;
    table.change(0, calm.event, TimeChange::Fire(other));
    let end = table.go(To::End);
    assert_eq!(leader(&end), Some(other));
    assert_eq!(term(&end), Term(term(&calm).0 + 1));
}

/// The moment at which the term after a split begins to have an end: a leader, or the next term.
fn after_split(table: &mut Table, at: u64) -> (Term, Option<MemberId>, String) {
    let before = table.go(To::Event(at));
    let split = table.change(0, at, TimeChange::SplitVote);
    assert!(!split.changes[0].is_void, "{:?}", split.changes);
    let said = split.changes[0].said.clone().unwrap();
    assert!(has_chinese(&said.chinese));
    loop {
        let moment = table.go(To::NextEvent);
        if leader(&moment).is_some() || term(&moment).0 > term(&before).0 + 1 {
            return (Term(term(&moment).0 - term(&before).0), leader(&moment), said.english);
        }
        assert!(!moment.is_end);
    }
}

#[test]
fn a_split_vote_raises_the_term_and_gives_no_leader() {
    let mut table = Table::script(FOUR);
    let killed = table.first(|moment| moment.members.iter().any(|member| !member.is_up));
    let (terms, _, said) = after_split(&mut table, killed.event);
    assert_eq!(terms, Term(2), "the first term has no leader, so there is a second one");
    assert!(said.contains("nobody gets the 3 votes"), "{said}");

    let mut table = Table::script(THREE);
    let killed = table.first(|moment| moment.members.iter().any(|member| !member.is_up));
    let (terms, _, said) = after_split(&mut table, killed.event);
    assert_eq!(terms, Term(2));
    assert!(said.contains("nobody gets the 2 votes"), "{said}");
}

#[test]
fn a_split_vote_says_when_there_is_nothing_to_split() {
    let mut table =
        Table::script("cluster: members=3 seed=5\nkill follower\nkill follower\nwait 10s\n");
    let alone = table.go(To::Step(2));
    let split = table.change(0, alone.event, TimeChange::SplitVote);
    assert!(split.changes[0].is_void);
    let said = split.changes[0].said.as_ref().unwrap();
    assert!(said.english.contains("needs two members that can stand"), "{said:?}");

    let mut table = Table::script(
        "cluster: members=5 seed=5\nkill follower\nkill follower\nkill leader\nwait 10s\n",
    );
    let two = table.go(To::Step(3));
    let split = table.change(0, two.event, TimeChange::SplitVote);
    let said = split.changes[0].said.as_ref().unwrap();
    assert!(said.english.contains("fewer than the majority of 3"), "{said:?}");
    let end = table.go(To::End);
    assert_eq!(term(&end), term(&two), "nobody wins the pre-vote");
}

#[test]
fn lines_are_verbs_or_commands_and_the_script_goes_on() {
    let mut table = Table::script("put a 1\nwait 2s\nget a\n");
    let waits = table.go(To::Step(1));
    let killed = table.change(0, waits.event, TimeChange::Line("kill follower".to_owned()));
    assert_eq!(killed.members.iter().filter(|member| !member.is_up).count(), 1);
    let put = table.change(0, waits.event, TimeChange::Line("etcdctl put a changed".to_owned()));
    assert_eq!(put.own.len(), 1);
    assert_eq!(put.own[0].1.output, "");
    let end = table.go(To::End);
    assert_eq!(end.own[0].1.output, "OK\n");
    assert_eq!(end.told.last().unwrap().1.output, "a\nchanged\n", "the script goes on");
    for (line, why) in [
        ("wait leader", "no waiting here"),
        ("add", "by a command"),
        ("> prose", "expected a verb"),
        ("kill infra9", "expected a member"),
        ("put a 1\nput b 2", "one verb or one command"),
        ("", "one verb or one command"),
    ] {
        let change = TimeChange::Line(line.to_owned());
        let why_not = table.refused(TimeQuestion::Change { timeline: 0, at: 9, change });
        assert!(why_not.english.contains(why), "{line}: {why_not:?}");
    }
    let stays = table.go(To::End);
    assert_eq!(stays, end, "what is refused changes nothing");
    let void = table.change(0, waits.event, TimeChange::Line("resume infra1".to_owned()));
    assert_eq!(void.changes.len(), 3);
    assert!(void.changes[2].is_void, "{:?}", void.changes[2]);
}

#[test]
fn what_is_changed_at_the_end_goes_on_for_a_while() {
    let mut table = Table::script("put a 1\n");
    let end = table.go(To::End);
    let killed = table.change(0, u64::MAX, TimeChange::Line("kill leader".to_owned()));
    assert_eq!(killed.event, end.event);
    assert!(!killed.is_end);
    let later = table.go(To::End);
    assert_eq!(later.now, Millis(end.now.0 + 5_000));
    assert!(leader(&later).is_some(), "another one leads");
}

#[test]
fn undo_takes_the_newest_change_back() {
    let mut table = Table::script(THREE);
    let end = table.go(To::End);
    table.change(0, 200, TimeChange::Line("pause infra1".to_owned()));
    let other = table.change(0, 300, TimeChange::Line("pause infra2".to_owned()));
    assert_eq!(other.changes.len(), 2);
    let earlier = table.change(0, 100, TimeChange::Line("pause infra3".to_owned()));
    assert_eq!(earlier.changes.len(), 1, "the future in which the others were made is gone");
    let undone = table.moment(TimeQuestion::Undo { timeline: 0 });
    assert_eq!((undone.event, undone.changes.len()), (100, 0));
    assert!(undone.members.iter().all(|member| !member.is_paused));
    assert_eq!(bare(&table.go(To::End)), bare(&end));
    table.refused(TimeQuestion::Undo { timeline: 0 });
}

#[test]
fn timelines_are_two_and_can_be_closed() {
    let mut table = Table::script(THREE);
    table.refused(TimeQuestion::Compare);
    table.refused(TimeQuestion::Go { timeline: 1, to: To::End });
    table.change(0, 50, TimeChange::Line("pause infra1".to_owned()));
    table.change(0, 90, TimeChange::Line("pause infra2".to_owned()));
    let fork = table.moment(TimeQuestion::Fork { at: 60 });
    assert_eq!(fork.changes.len(), 1, "the later change is not in the fork");
    assert_eq!(table.go(To::Event(95)).changes.len(), 2);
    assert_eq!(table.ask(TimeQuestion::Close { timeline: 0 }), TimeAnswer::Closed);
    assert_eq!(table.go(To::Event(95)).changes.len(), 1, "the fork takes its place");
    table.refused(TimeQuestion::Go { timeline: 1, to: To::End });
}

#[test]
fn changes_are_bounded() {
    let mut table = Table::script("put a 1\n");
    for _ in 0..CHANGES_MAX {
        table.change(0, 5, TimeChange::Drop(0));
    }
    let change = TimeChange::Drop(0);
    let why = table.refused(TimeQuestion::Change { timeline: 0, at: 5, change });
    assert!(why.english.contains("at most 64 changes"), "{why:?}");
}

#[test]
fn a_seed_plays_with_its_own_hash() {
    for seed in [7, 23, 104] {
        let report = run_seed(seed, false, &mut |_| {});
        let (mut table, opened) = Table::open(TimeSource::Seed(seed));
        assert_eq!(opened.plan.english, report.plan);
        let end = table.go(To::End);
        let Ending { trace, now, seed: verdict, .. } = end.ending.clone().unwrap();
        assert_eq!((trace, now.0), (report.trace_hash, report.virtual_ms), "seed {seed}");
        assert_eq!(verdict, Some(SeedVerdict::Valid));
        let phases = end.happenings.iter().filter(|it| matches!(it.what, Happened::Phase(_)));
        let answers = end.happenings.iter().filter(|it| matches!(it.what, Happened::Asked(..)));
        println!(
            "seed {seed}: {} events, {} phases, {} asked",
            end.event,
            phases.count(),
            answers.count()
        );
        let middle = table.go(To::Event(end.event / 2));
        assert_eq!(middle.event, end.event / 2);
        table.go(To::Start);
        assert_eq!(bare(&table.go(To::Event(end.event / 2))), bare(&middle));
        let next = table.go(To::NextEvent);
        assert_eq!(bare(&table.go(To::Back)), bare(&middle));
        assert_eq!(bare(&table.go(To::NextEvent)), bare(&next));
    }
}

#[test]
fn a_seed_that_is_played_by_its_time_shows_the_same_moments() {
    let mut table = Table::seed(23);
    let mut last = table.go(To::Time(Millis(700)));
    for frame in 1..60 {
        let time = Millis(700 + 15 * frame);
        let moment = table.go(To::Time(time));
        assert!(moment.now <= time && moment.event >= last.event);
        if frame % 12 == 0 {
            assert_eq!(bare(&moment), bare(&Table::seed(23).go(To::Time(time))));
        }
        last = moment;
    }
    assert!(table.go(To::NextEvent).now > Millis(700 + 15 * 59));
}

#[test]
fn what_will_not_arrive_is_marked() {
    let mut table = Table::script("wait 1s\nkill leader\nwait 2s\n");
    let is_sent = |moment: &Moment| {
        let leads = leader(moment);
        moment.step > 0 && moment.flights.iter().any(|it| Some(it.from) == leads)
    };
    let sent = table.first(is_sent);
    let old = leader(&sent).unwrap();
    assert!(sent.flights.iter().all(|it| !it.is_doomed));
    let killed = table.change(0, sent.event, TimeChange::Line("kill leader".to_owned()));
    let its = killed.flights.iter().filter(|it| it.from == old || it.to == old);
    assert!(its.clone().count() > 0 && its.clone().all(|it| it.is_doomed), "{:?}", killed.flights);
    let cut = table.change(0, 0, TimeChange::Line("cut infra1 infra2".to_owned()));
    assert_eq!(cut.cuts.len(), 2);
}

#[test]
fn a_seed_can_be_changed_by_verbs_only() {
    let mut table = Table::seed(7);
    let end = table.go(To::End);
    table.moment(TimeQuestion::Fork { at: end.event / 3 });
    let at = end.event / 3;
    let killed = table.change(1, at, TimeChange::Line("kill infra1".to_owned()));
    assert!(!killed.changes[0].is_void || !killed.members[0].is_up);
    let void = table.change(1, at, TimeChange::Line("put a 1".to_owned()));
    assert!(void.changes[1].is_void);
    let comparison = table.compare();
    assert!(comparison.first.is_some_and(|first| first.from == at && first.event > at));
}

#[test]
fn what_cannot_be_read_is_refused_with_a_sentence() {
    let mut machine = Machine::default();
    let mut refused = |source: TimeSource| match machine.answer(TimeQuestion::Open(source)) {
        TimeAnswer::Refused(why) => why,
        other => panic!("not refused: {other:?}"),
    };
    let script = refused(TimeSource::Script("put a b\nkill infra9\n".to_owned()));
    assert!(script.english.contains("line 2"), "{script:?}");
    assert!(script.chinese.contains("第 2 行"), "{script:?}");
    assert!(refused(TimeSource::Link("s=AA+A".to_owned())).english.contains("damaged"));
    let long = "x".repeat(SOURCE_BYTES_MAX + 1);
    assert!(refused(TimeSource::Script(long.clone())).english.contains("longer than"));
    assert!(refused(TimeSource::Link(long)).english.contains("longer than"));
    let nothing = machine.answer(TimeQuestion::Go { timeline: 0, to: To::End });
    assert!(matches!(nothing, TimeAnswer::Refused(_)), "nothing is open");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_jumps_reach_the_same_moments(
        jumps in prop::collection::vec((0_u64..1_200, 0_u8..6), 1..12),
        change in (0_u64..600, 0_usize..3),
    ) {
        let mut one = Table::script(THREE);
        let at = change.0;
        let id = one.go(To::Start).members[change.1].id;
        one.change(0, at, TimeChange::Fire(id));
        for (event, kind) in jumps {
            let moment = match kind {
                0 => one.go(To::Back),
                1 => one.go(To::NextEvent),
                2 => one.go(To::NextMessage),
                3 => one.go(To::Time(Millis(event * 20))),
                _ => one.go(To::Event(event)),
            };
            let mut other = Table::script(THREE);
            other.change(0, at, TimeChange::Fire(id));
            prop_assert_eq!(bare(&other.go(To::Event(moment.event))), bare(&moment));
        }
    }

    #[test]
    fn no_text_is_too_hostile(text in "\\PC{0,200}", bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut machine = Machine::default();
        let _ = machine.answer(TimeQuestion::Open(TimeSource::Link(text.clone())));
        let _ = wire::decode::<(u64, TimeQuestion)>(&bytes);
        if let TimeAnswer::Opened(_) = machine.answer(TimeQuestion::Open(TimeSource::Script(THREE.to_owned()))) {
            let _ = machine.answer(TimeQuestion::Change { timeline: 0, at: 40, change: TimeChange::Line(text) });
        }
    }
}

/// Not a test: figures for whoever asks.
#[test]
fn figures() {
    let measure = |name: &str, mut table: Table| {
        let began = Instant::now();
        let end = table.go(To::End);
        let to_end = began.elapsed();
        let began = Instant::now();
        let middle = table.go(To::Event(end.event / 2));
        let to_middle = began.elapsed();
        let began = Instant::now();
        for _ in 0..48 {
            table.go(To::NextEvent);
        }
        let steps = began.elapsed() / 48;
        let bytes = wire::encode(&middle).unwrap().len();
        println!(
            "{name}: {} events, {} ms virtual; to the end {to_end:?}, back to the middle {to_middle:?}, a step {steps:?}, a moment {bytes} bytes",
            end.event, end.now.0
        );
    };
    measure("lesson 04", Table::lesson("04"));
    measure("lesson 17", Table::lesson("17"));
    measure("lesson 13", Table::lesson("13"));
    measure("lesson 24", Table::lesson("24"));
    measure("seed 7", Table::seed(7));
    // What a put and a quiet second are in events, for who measures the page under so many a second.
    let load = |puts: usize, wait: &str| {
        let puts = format!("put /load/key value\nwait {wait}\n").repeat(puts);
        format!("script: 2\ncluster: members=5 seed=1\nwait for leader within 30s\nwait 1s\n{puts}")
    };
    measure("five members, 100 puts in 10 s", Table::script(&load(100, "100ms")));
    measure("five members, 100 puts in 20 s", Table::script(&load(100, "200ms")));
    measure("five members, 100 puts in 2.5 s", Table::script(&load(100, "25ms")));
}
