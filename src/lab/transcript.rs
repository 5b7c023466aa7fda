//! A report as text: what a person at the consoles would have read.
//!
//! What it is: `$ line`, the output, what ran in other consoles, and a sentence per event with its
//! virtual time; the hashes at the end.
//! What it is not: a format to read back; [`Report`] is the data.
//! Invariants: printable: control and bidirectional characters come out escaped; the same report gives
//! the same text.

use std::fmt::Write as _;

use crate::api::{Member, MemberEvent};
use crate::lab::play::seconds;
use crate::scenario::{Report, StepReport};
use crate::types::{MemberId, Millis};

/// The whole run.
#[must_use]
pub fn transcript(report: &Report) -> String {
    let mut text = String::new();
    for step in &report.steps {
        write_step(&mut text, step, &report.members);
    }
    let ended = seconds(report.ended.0);
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "outcome {:016x}  trace {:016x}  engine {}  after {ended} s",
        report.outcome, report.trace, report.engine_trace
    );
    text
}

fn write_step(text: &mut String, step: &StepReport, members: &[Member]) {
    if step.line.starts_with('>') {
        text.push_str(&printable(step.line.as_bytes()));
        text.push('\n');
        write_events(text, step, members);
        text.push('\n');
        return;
    }
    let prompt = match step.line.strip_prefix('@') {
        Some(rest) => {
            let (console, line) = rest.split_once(' ').unwrap_or((rest, ""));
            format!("@{console} $ {line}")
        }
        None if step.is_told => step.line.clone(),
        None => format!("$ {}", step.line),
    };
    text.push_str(&printable(prompt.as_bytes()));
    text.push('\n');
    push_block(text, &step.stdout);
    push_block(text, &step.stderr);
    if let Some(status) = step.status.filter(|status| *status != 0) {
        let _ = writeln!(text, "(exit status {status})");
    }
    for (label, bytes) in &step.background {
        let shown = printable(bytes);
        for line in shown.lines() {
            let _ = writeln!(text, "{label}   {line}");
        }
    }
    write_events(text, step, members);
    text.push('\n');
}

fn write_events(text: &mut String, step: &StepReport, members: &[Member]) {
    for (at, member, event) in &step.events {
        let _ = writeln!(text, "    {}", sentence(*at, *member, event, members));
    }
}

fn push_block(text: &mut String, bytes: &[u8]) {
    let shown = printable(bytes);
    text.push_str(&shown);
    if !shown.is_empty() && !shown.ends_with('\n') {
        text.push('\n');
    }
}

/// What a member did, in words, with the virtual time.
#[must_use]
pub fn sentence(at: Millis, member: MemberId, event: &MemberEvent, members: &[Member]) -> String {
    let name = |id: MemberId| {
        let found = members.iter().find(|member| member.id == id);
        found.map_or_else(|| format!("{id:x}"), |member| member.name.clone())
    };
    let who = name(member);
    let what = match event {
        MemberEvent::Started { boot: 1, .. } => format!("{who} started from an empty disk"),
        MemberEvent::Started { boot, last_index, revision } => format!(
            "{who} started from its disk (start {boot}, log up to {last_index}, revision {revision})"
        ),
        MemberEvent::PreVoteStarted { term } => {
            format!("{who} heard no leader and asks whether it could win term {term}")
        }
        MemberEvent::CampaignStarted { term } => format!("{who} asks for votes at term {term}"),
        MemberEvent::BecameLeader { term } => format!("{who} became leader at term {term}"),
        MemberEvent::SteppedDown { term, quorum_lost: true } => {
            format!("{who} hears no majority and stepped down at term {term}")
        }
        MemberEvent::SteppedDown { term, quorum_lost: false } => {
            format!("{who} stepped down at term {term}")
        }
        MemberEvent::LeaderChanged { term, leader: Some(leader) } => {
            format!("{who} follows {} at term {term}", name(*leader))
        }
        MemberEvent::LeaderChanged { term, leader: None } => {
            format!("{who} knows no leader at term {term}")
        }
        MemberEvent::ConfChanged { voters, learners } => {
            let names = |ids: &[MemberId]| {
                let mut names: Vec<String> = ids.iter().map(|id| name(*id)).collect();
                names.sort_unstable();
                names.join(", ")
            };
            let learn = match learners.as_slice() {
                [] => String::new(),
                [_] => format!(", {} learns", names(learners)),
                _ => format!(", {} learn", names(learners)),
            };
            format!("{who} applied a configuration: {} vote{learn}", names(voters))
        }
        MemberEvent::Removed => format!("{who} is no longer a member and stops"),
        MemberEvent::ApplyTookTooLong { took_ms, expected_ms, entries, request } => format!(
            "{who}: apply request took too long ({took_ms} ms for {entries} entries, the last a {request}; expected {expected_ms} ms)"
        ),
        MemberEvent::SlowDisk { took_ms, expected_ms } => {
            format!("{who}: slow fdatasync ({took_ms} ms, expected {expected_ms} ms)")
        }
        MemberEvent::SnapshotInstalled { index, from } => {
            format!("{who} installed a snapshot of entry {index} from {}", name(*from))
        }
    };
    format!("{:>9} s  {what}", seconds(at.0))
}

/// Text for a terminal: line breaks and tabs stay, other control and bidirectional characters and
/// bytes that are no UTF-8 are escaped.
#[must_use]
pub fn printable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let is_direction = matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}')
                || ('\u{202a}'..='\u{202e}').contains(&c)
                || ('\u{2066}'..='\u{2069}').contains(&c);
            if c == '\n' || c == '\t' || !(c.is_control() || is_direction) {
                text.push(c);
            } else {
                text.extend(c.escape_unicode());
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_direction_characters_come_out_escaped() {
        let shown = printable("a\tb\n\u{1b}[31m\u{202e}é\u{7f}".as_bytes());
        assert_eq!(shown, "a\tb\n\\u{1b}[31m\\u{202e}é\\u{7f}");
        assert_eq!(printable(b"\xff\xfeok"), "\\xff\\xfeok");
    }

    #[test]
    fn snapshots_and_learners_are_told_by_name() {
        let names = [(1, "infra1"), (2, "infra2"), (4, "infra4")];
        let members: Vec<Member> = names
            .into_iter()
            .map(|(id, name)| Member {
                id: MemberId(id),
                name: name.to_owned(),
                ..Member::default()
            })
            .collect();
        let told = |event| sentence(Millis(5), MemberId(4), &event, &members);
        let event =
            MemberEvent::SnapshotInstalled { index: crate::types::Index(9), from: MemberId(2) };
        assert_eq!(told(event), "    0.005 s  infra4 installed a snapshot of entry 9 from infra2");
        let (voters, learners) = (vec![MemberId(2), MemberId(1)], vec![MemberId(4)]);
        let event = MemberEvent::ConfChanged { voters: voters.clone(), learners };
        let vote = "    0.005 s  infra4 applied a configuration: infra1, infra2 vote";
        assert_eq!(told(event), format!("{vote}, infra4 learns"));
        let event = MemberEvent::ConfChanged { voters, learners: Vec::new() };
        assert_eq!(told(event), vote);
    }

    #[test]
    fn a_step_shows_prompt_output_status_background_and_events() {
        let step = StepReport {
            line: "@2 get a".to_owned(),
            stdout: b"a\n1".to_vec(),
            stderr: b"Error: x\n".to_vec(),
            status: Some(1),
            background: vec![("@3".to_owned(), b"PUT\na\n".to_vec())],
            events: vec![(
                Millis(1203),
                MemberId(1),
                MemberEvent::BecameLeader { term: crate::types::Term(2) },
            )],
            ..StepReport::default()
        };
        let members =
            vec![Member { id: MemberId(1), name: "infra1".to_owned(), ..Member::default() }];
        let report = Report { steps: vec![step], members, engine_trace: 1, ..Report::default() };
        assert_eq!(
            transcript(&report),
            "@2 $ get a\na\n1\nError: x\n(exit status 1)\n@3   PUT\n@3   a\n    \
             \x20   1.203 s  infra1 became leader at term 2\n\n\
             outcome 0000000000000000  trace 0000000000000000  engine 1  after 0.000 s\n"
        );
    }
}
