//! Each line can be green only where something was checked, and red where it is broken.

use super::super::history::Tone;
use super::super::model::Known;
use super::super::protocol::{Ask, MemberNote};
use super::super::strings::EN;
use super::Monitor;
use crate::api::{
    HashKvResponse, LogContent, LogEntry, LogPart, MemberEvent, MemberStatus, Request, Role,
};
use crate::types::{Index, MemberId, Term};

fn known() -> Known {
    let note = |id: u64| MemberNote {
        id: MemberId(id),
        name: format!("infra{id}"),
        is_learner: false,
        is_up: true,
        is_paused: false,
        is_removed: false,
    };
    let statuses = (1..=3).map(|id| status(id, 5, 2)).collect();
    Known { members: vec![note(1), note(2), note(3)], statuses, ..Known::default() }
}

fn status(id: u64, applied: u64, revision: i64) -> MemberStatus {
    MemberStatus {
        member: MemberId(id),
        term: Term(2),
        last_index: Index(applied),
        applied: Index(applied),
        revision,
        ..MemberStatus::default()
    }
}

fn line(monitor: &Monitor, name: &str) -> (Tone, String) {
    let lines = monitor.view(&known(), EN.history);
    let line = lines.into_iter().find(|line| line.name == name).unwrap();
    (line.tone, line.words)
}

fn part(member: u64, entries: &[(u64, u64, LogContent)]) -> LogPart {
    let entry = |(term, index, content): &(u64, u64, LogContent)| LogEntry {
        term: Term(*term),
        index: Index(*index),
        content: content.clone(),
    };
    LogPart {
        member: MemberId(member),
        term: Term(2),
        last_index: entries.last().map_or(Index(0), |it| Index(it.1)),
        entries: entries.iter().map(entry).collect(),
        ..LogPart::default()
    }
}

fn compaction(revision: i64) -> LogContent {
    LogContent::Compaction { revision }
}

fn hash(revision: i64, compact_revision: i64, hash: u32) -> HashKvResponse {
    let hash_revision = revision;
    HashKvResponse { hash, compact_revision, hash_revision, ..HashKvResponse::default() }
}

#[test]
fn nothing_is_claimed_before_anything_was_checked() {
    let monitor = Monitor::default();
    for name in ["election", "log", "state", "hash"] {
        assert_eq!(line(&monitor, name).0, Tone::Idle, "{name}");
    }
}

#[test]
fn two_leaders_in_a_term_break_election_safety() {
    let mut monitor = Monitor::default();
    monitor.event(MemberId(1), &MemberEvent::BecameLeader { term: Term(2) });
    let leader = MemberStatus { role: Role::Leader, term: Term(3), ..status(2, 5, 2) };
    monitor.status(&leader);
    let holds = "holds: 2 terms, 2 leaders checked".to_owned();
    assert_eq!(line(&monitor, "election"), (Tone::Good, holds));
    monitor.event(MemberId(3), &MemberEvent::BecameLeader { term: Term(3) });
    let broken = "broken: term 3 had two leaders, infra2 and infra3".to_owned();
    assert_eq!(line(&monitor, "election"), (Tone::Bad, broken));
}

#[test]
fn one_index_and_term_with_two_entries_breaks_log_matching() {
    let mut monitor = Monitor::default();
    monitor.log(&part(1, &[(2, 4, LogContent::Empty), (2, 5, compaction(2))]));
    assert_eq!(line(&monitor, "log").0, Tone::Idle, "one log alone is no comparison");
    monitor.log(&part(2, &[(2, 4, LogContent::Empty), (2, 5, compaction(2))]));
    let (tone, words) = line(&monitor, "log");
    assert_eq!(tone, Tone::Good);
    assert!(words.starts_with("holds: 2 entries in common on 2 members"), "{words}");
    monitor.log(&part(3, &[(2, 4, LogContent::Empty), (2, 5, compaction(3))]));
    let broken = "broken: infra1 and infra3 differ at or before index 5 of term 2".to_owned();
    assert_eq!(line(&monitor, "log"), (Tone::Bad, broken));
}

#[test]
fn the_same_entry_after_another_one_breaks_log_matching() {
    let mut monitor = Monitor::default();
    monitor.log(&part(1, &[(2, 4, LogContent::Empty), (3, 5, LogContent::Empty)]));
    monitor.log(&part(2, &[(1, 4, LogContent::Empty), (3, 5, LogContent::Empty)]));
    assert_eq!(line(&monitor, "log").0, Tone::Bad);
}

#[test]
fn a_log_that_gives_way_is_no_false_alarm() {
    let mut monitor = Monitor::default();
    monitor.log(&part(1, &[(2, 4, LogContent::Empty), (2, 5, compaction(2))]));
    monitor.log(&part(2, &[(2, 4, LogContent::Empty), (3, 5, LogContent::Empty)]));
    monitor.log(&part(1, &[(2, 4, LogContent::Empty), (3, 5, LogContent::Empty)]));
    assert_eq!(line(&monitor, "log").0, Tone::Good);
}

#[test]
fn one_index_with_two_revisions_breaks_state_machine_safety() {
    let mut monitor = Monitor::default();
    monitor.status(&status(1, 5, 2));
    monitor.status(&status(1, 5, 2));
    assert_eq!(line(&monitor, "state").0, Tone::Idle, "a member agrees with itself");
    monitor.status(&status(2, 5, 2));
    let (tone, words) = line(&monitor, "state");
    assert!(tone == Tone::Good && words.contains("1 comparison made"), "{words}");
    monitor.status(&status(3, 5, 3));
    let broken = "broken: after index 5 the revisions differ, infra1: 2, infra3: 3".to_owned();
    assert_eq!(line(&monitor, "state"), (Tone::Bad, broken));
}

#[test]
fn different_hashes_at_a_revision_are_found_and_other_compactions_are_not_compared() {
    let mut monitor = Monitor::default();
    let asks = monitor.asks(&known());
    let hashes = asks.iter().filter(|ask| {
        matches!(ask, Ask::Request { request, .. }
            if matches!(&**request, Request::HashKv(asked) if asked.revision == 2))
    });
    assert_eq!(hashes.count(), 3);
    assert_eq!(asks.iter().filter(|ask| matches!(ask, Ask::ReadLog { .. })).count(), 3);
    monitor.hash(MemberId(1), 2, Some(&hash(2, -1, 7)));
    assert_eq!(line(&monitor, "hash").0, Tone::Idle);
    monitor.hash(MemberId(2), 2, Some(&hash(2, 1, 8)));
    assert_eq!(line(&monitor, "hash").0, Tone::Idle, "compacted otherwise");
    monitor.hash(MemberId(3), 2, Some(&hash(2, -1, 7)));
    let holds = "holds: 00000007 at revision 2 on 2 of 3 members".to_owned();
    assert_eq!(line(&monitor, "hash"), (Tone::Good, holds));
    monitor.hash(MemberId(2), 2, Some(&hash(2, -1, 9)));
    let (tone, words) = line(&monitor, "hash");
    assert_eq!(tone, Tone::Bad);
    assert!(words.contains("infra1: 00000007") && words.contains("infra2: 00000009"), "{words}");
}

#[test]
fn hashes_are_asked_for_seldom_and_when_somebody_wants() {
    let mut monitor = Monitor::default();
    let mut asked = 0;
    let is_hash = |ask: &Ask| matches!(ask, Ask::Request { .. });
    for _ in 0..81 {
        asked += monitor.asks(&known()).iter().filter(|ask| is_hash(ask)).count();
    }
    assert_eq!(asked, 9, "three members every ten seconds");
    monitor.want_hashes();
    assert_eq!(monitor.asks(&known()).iter().filter(|ask| is_hash(ask)).count(), 3);
    monitor.hash(MemberId(1), 2, None);
    assert_eq!(line(&monitor, "hash").0, Tone::Idle);
}
