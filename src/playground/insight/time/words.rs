//! What happens in a run, in words.
//!
//! Invariants: whatever comes from the run is escaped and cut; names of messages are etcd's.

use super::strings::TimeStrings;
use super::{Spoken, TimeState};
use crate::api::MemberEvent;
use crate::playground::escape;
use crate::playground::strings::clock;
use crate::scenario::moment::{
    Comparison, Difference, Ending, Flight, Happened, Happening, Moment, Occurred, SeedVerdict,
    TimeChange,
};
use crate::scenario::{Refusal, Verdict};
use crate::types::MemberId;

/// Characters of a text of the run in one line. Unit: characters. Source: ours.
const LINE_CHARS: u32 = 160;

pub(super) fn cut(text: &str) -> String {
    escape::clipped(text.as_bytes(), LINE_CHARS)
}

/// What a seed says of its run: the lab's line, which is English.
pub(super) fn plan(line: &str, s: &TimeStrings) -> String {
    let part = |part: &str| {
        let (number, what) = part.split_once(' ')?;
        (s.plan_part)(number, what)
    };
    let parts: Option<Vec<String>> = line.split(", ").map(part).collect();
    cut(&parts.map_or_else(|| line.to_owned(), |parts| parts.join("，")))
}

/// The same of a text of several lines.
pub(super) fn cut_lines(text: &str) -> String {
    let end = text.char_indices().nth(LINE_CHARS as usize).map(|(at, _)| at);
    match end {
        Some(end) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// What is told of what happened: whoever comes up says itself that it starts, and whoever wins that it leads.
pub(super) fn worth_telling(moment: &Moment) -> impl Iterator<Item = &Happening> {
    let all = &moment.happenings;
    let has_won = |at: u64, member: MemberId| {
        let is_it = |it: &Happening| {
            let Happened::Member(who, MemberEvent::BecameLeader { .. }) = &it.what else {
                return false;
            };
            it.event == at && *who == member
        };
        all.iter().any(is_it)
    };
    all.iter().filter(move |it| match &it.what {
        Happened::Up(_) => false,
        Happened::Member(member, MemberEvent::LeaderChanged { leader: Some(leader), .. }) => {
            leader != member || !has_won(it.event, *member)
        }
        _ => true,
    })
}

/// A member's name at a moment.
pub(super) fn name(moment: &Moment, id: MemberId) -> String {
    let found = moment.members.iter().find(|member| member.id == id);
    found.map_or_else(|| format!("{id:x}"), |member| cut(&member.name))
}

/// What a message is called.
pub(super) fn kind(flight: &Flight) -> String {
    cut(&flight.kind)
}

/// What one event is.
pub(super) fn occurred(what: &Occurred, moment: &Moment, s: &TimeStrings) -> String {
    let of = |id: &MemberId| name(moment, *id);
    match what {
        Occurred::Nothing => s.occurred_nothing.to_owned(),
        Occurred::Tick(member) => (s.occurred_tick)(&of(member)),
        Occurred::Message(flight) => {
            let words = if flight.is_doomed { s.occurred_lost } else { s.occurred_message };
            words(&kind(flight), &of(&flight.from), &of(&flight.to))
        }
        Occurred::Connected(one, other) => (s.occurred_connected)(&of(one), &of(other)),
        Occurred::Disk(member) => (s.occurred_disk)(&of(member)),
        Occurred::Asked { member, what } => (s.occurred_asked)(&of(member), &cut(what)),
        Occurred::Answered { what, is_failure: false } => (s.occurred_answered)(&cut(what)),
        Occurred::Answered { what, is_failure: true } => (s.occurred_failed)(&cut(what)),
        Occurred::Timer => s.occurred_timer.to_owned(),
        Occurred::Stale => s.occurred_stale.to_owned(),
    }
}

fn said(refusal: &Refusal, spoken: Spoken) -> String {
    cut(refusal.of(spoken.name()))
}

/// What happened, and its kind for style sheets.
pub(super) fn happened(
    what: &Happened,
    moment: &Moment,
    state: &TimeState,
) -> (&'static str, String) {
    let s = state.strings();
    let of = |id: &MemberId| name(moment, *id);
    match what {
        Happened::Member(member, event) => member_event(&of(member), event, moment, s),
        Happened::Up(member) => ("fault", (s.event_up)(&of(member))),
        Happened::Down(member, why) => ("fault", (s.event_down)(&of(member), &cut(why))),
        Happened::Done(line) => ("fault", cut(line)),
        Happened::Changed(refusal) => ("change", said(refusal, state.spoken)),
        Happened::Phase(words) => ("fault", cut(words)),
        Happened::Asked(member, what) => ("other", (s.occurred_asked)(&of(member), &cut(what))),
        Happened::Answered(what, false) => ("other", (s.occurred_answered)(&cut(what))),
        Happened::Answered(what, true) => ("other", (s.occurred_failed)(&cut(what))),
    }
}

fn member_event(
    member: &str,
    event: &MemberEvent,
    moment: &Moment,
    s: &TimeStrings,
) -> (&'static str, String) {
    let is_own = |leader: &MemberId| name(moment, *leader) == member;
    match event {
        MemberEvent::LeaderChanged { term, leader: Some(leader) } if is_own(leader) => {
            ("other", (s.event_leads)(member, term.0))
        }
        MemberEvent::Started { boot, .. } => ("other", (s.event_started)(member, *boot)),
        MemberEvent::PreVoteStarted { term } => ("vote", (s.event_pre_vote)(member, term.0)),
        MemberEvent::CampaignStarted { term } => ("vote", (s.event_campaign)(member, term.0)),
        MemberEvent::BecameLeader { term } => ("leader", (s.event_leader)(member, term.0)),
        MemberEvent::SteppedDown { quorum_lost: true, .. } => {
            ("leader", (s.event_quorum_lost)(member))
        }
        MemberEvent::SteppedDown { term, .. } => ("leader", (s.event_stepped)(member, term.0)),
        MemberEvent::LeaderChanged { term, leader: Some(leader) } => {
            ("other", (s.event_follows)(member, &name(moment, *leader), term.0))
        }
        MemberEvent::LeaderChanged { term, leader: None } => {
            ("other", (s.event_leaderless)(member, term.0))
        }
        MemberEvent::ConfChanged { voters, .. } => {
            let names: Vec<String> = voters.iter().map(|id| name(moment, *id)).collect();
            ("other", (s.event_configured)(member, &names.join(" ")))
        }
        MemberEvent::Removed => ("fault", (s.event_removed)(member)),
        MemberEvent::ApplyTookTooLong { took_ms, .. } => {
            ("other", (s.event_slow_apply)(member, *took_ms))
        }
        MemberEvent::SlowDisk { took_ms, .. } => ("other", (s.event_slow_disk)(member, *took_ms)),
        MemberEvent::SnapshotInstalled { from, .. } => {
            ("other", (s.event_snapshot)(member, &name(moment, *from)))
        }
    }
}

/// A change, in words.
pub(super) fn change(change: &TimeChange, moment: &Moment, s: &TimeStrings) -> String {
    match change {
        TimeChange::Drop(id) => (s.change_drop)(&format!("#{id}")),
        TimeChange::Fire(member) => (s.change_fire)(&name(moment, *member)),
        TimeChange::SplitVote => s.change_split.to_owned(),
        TimeChange::Line(line) => cut(line),
    }
}

/// Event and time of a moment.
pub(super) fn place(moment: &Moment, s: &TimeStrings) -> String {
    let all = moment.is_whole.then_some(moment.known);
    (s.place)(moment.event, all, &time(moment.now.0))
}

/// A time of the run, to the millisecond.
pub(super) fn time(ms: u64) -> String {
    format!("{}{:02}", clock(ms), ms % 100)
}

/// The newest of a moment, for those who do not see it.
pub(super) fn news(moment: &Moment, state: &TimeState) -> String {
    let s = state.strings();
    let is_new = |it: &&Happening| it.event == moment.event;
    let newest = worth_telling(moment).last().filter(is_new);
    let what = newest.map_or_else(
        || occurred(&moment.last, moment, s),
        |it| happened(&it.what, moment, state).1,
    );
    (s.said_event)(&place(moment, s), &what)
}

/// Whether and how two timelines end otherwise.
pub(super) fn outcome(comparison: &Comparison, moment: &Moment, s: &TimeStrings) -> String {
    let (one, other) = (&comparison.one, &comparison.other);
    let mut words = match (one.leader, other.leader) {
        (Some(leader), Some(same)) if leader == same && one.term == other.term => {
            (s.ends_both)(&name(moment, leader), one.term.0)
        }
        _ => (s.ends_apart)(&side(one, other, moment, s), &side(other, one, moment, s)),
    };
    if one.revision != other.revision {
        words.push_str(s.gap);
        words.push_str(&(s.revisions)(one.revision, other.revision));
    }
    let is_same = (one.leader, one.term, one.revision)
        == (other.leader, other.term, other.revision)
        && !comparison.outcomes_differ;
    words.push_str(s.gap);
    words.push_str(if is_same { s.outcomes_same } else { s.outcomes_differ });
    words
}

/// Who leads at the end of one timeline, seen from the other.
fn side(mine: &Ending, other: &Ending, moment: &Moment, s: &TimeStrings) -> String {
    match mine.leader {
        None => (s.nobody)(mine.term.0),
        Some(leader) => {
            let words = match mine.term.cmp(&other.term) {
                std::cmp::Ordering::Less => s.leads_on,
                std::cmp::Ordering::Equal => s.ends_leads,
                std::cmp::Ordering::Greater => s.became,
            };
            words(&name(moment, leader), mine.term.0)
        }
    }
}

/// What happens at the first difference, in each timeline.
pub(super) fn sides(first: &Difference, moments: [&Moment; 2], s: &TimeStrings) -> Vec<String> {
    let [one, other] = moments;
    let all = [("A", first.one_at, &first.one, one), ("B", first.other_at, &first.other, other)];
    let words = all.map(|(lane, at, what, moment)| {
        let what = match at {
            Some(at) => format!("{} ({})", occurred(what, moment, s), time(at.0)),
            None => s.nothing_there.to_owned(),
        };
        (s.in_lane)(lane, &what)
    });
    words.to_vec()
}

/// What came of a run: a sentence, and whether it is good (`good`, `bad`, `none`); what fails in a run that was written to teach is
/// meant to.
pub(super) fn verdict(ending: &Ending, is_taught: bool, s: &TimeStrings) -> (&'static str, String) {
    if ending.is_exhausted {
        return ("bad", s.exhausted.to_owned());
    }
    if let Some(seed) = &ending.seed {
        return match seed {
            SeedVerdict::Valid => ("good", s.seed_valid.to_owned()),
            SeedVerdict::TooLittle => ("none", s.seed_little.to_owned()),
            SeedVerdict::Stranded => ("none", s.seed_stranded.to_owned()),
            SeedVerdict::Unknown(what) => ("none", (s.seed_unknown)(&cut(what))),
            SeedVerdict::Broken(number, invariant, what) => {
                ("bad", (s.seed_broken)(u64::from(*number), &cut(invariant), &cut(what)))
            }
        };
    }
    let [met, unmet, failed] = [ending.met, ending.unmet, ending.failed].map(u64::from);
    let mut tally = if met + unmet > 0 { (s.tally)(met, unmet) } else { s.tally_none.to_owned() };
    if failed > 0 {
        let words = if is_taught && unmet == 0 { s.failed_meant } else { s.failed_steps };
        tally.push_str(s.gap);
        tally.push_str(&words(failed));
    }
    let kind = if unmet > 0 { "bad" } else { "good" };
    let Some(verdict) = &ending.verdict else { return (kind, tally) };
    let (kind, words) = match verdict {
        Verdict::Exact => (kind, s.verdict_exact.to_owned()),
        Verdict::OutcomesEqual { made_by } => (kind, (s.verdict_outcomes)(u64::from(*made_by))),
        Verdict::TraceDiffers => ("bad", s.verdict_trace.to_owned()),
        Verdict::OutcomeDiffers { line, .. } if line.is_empty() => {
            ("bad", s.verdict_differs_end.to_owned())
        }
        Verdict::OutcomeDiffers { line, .. } => ("bad", (s.verdict_differs)(&cut(line))),
    };
    (kind, format!("{words}{}{tally}", s.gap))
}
