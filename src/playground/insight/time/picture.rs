//! A moment as a picture, as a table of members, as messages in flight, and as logs.
//!
//! Invariants: whole numbers only; every place lies inside the picture; a message stands on the way between its members.

use super::super::log::{KEY_CHARS, entry_words, role_words};
use super::super::messages::Class;
use super::super::model::Known;
use super::super::protocol::MemberNote;
use super::strings::TimeStrings;
use super::view::{
    DiscView, DotView, FlightRow, PictureView, TimedCell, TimedLogs, TimedMember, TimedRow,
    WireView,
};
use super::words;
use crate::api::{LogEntry, Role};
use crate::playground::escape;
use crate::playground::insight::InsightStrings;
use crate::playground::strings::Language;
use crate::playground::view::Mark;
use crate::playground::view::ring::{Point, Segment, link, node};
use crate::scenario::moment::{Flight, Moment, MomentMember, TAIL_MAX};
use crate::types::MemberId;

/// Rows of the logs. Unit: rows. Source: ours; the end of the logs at a glance.
const LOG_ROWS: u64 = TAIL_MAX;
/// The same while a run passes so fast that nobody can read it. Unit: rows. Source: ours; each costs the page something.
const RUSH_LOG_ROWS: u64 = 6;
/// Messages drawn. Unit: messages. Source: ours; more could not be told apart.
const DOTS_MAX: usize = 40;
/// What a whole timer, and a whole way, has. Unit: thousandths.
const WHOLE: u64 = 1_000;
/// How far a message stands beside the line between its members, to the left of its way. Unit: of the picture.
const ASIDE: i64 = 7;

/// What is shown with words of both tables.
#[derive(Clone, Copy)]
pub(super) struct Texts {
    pub(super) own: &'static TimeStrings,
    pub(super) shared: &'static InsightStrings,
}

fn note(member: &MomentMember) -> MemberNote {
    MemberNote {
        id: member.id,
        name: words::cut(&member.name),
        is_learner: member.is_learner,
        is_up: member.is_up,
        is_paused: member.is_paused,
        is_removed: member.is_removed,
    }
}

/// Those that have a place: who was taken out and is down has none any more.
fn seen(moment: &Moment) -> impl Iterator<Item = &MomentMember> {
    moment.members.iter().filter(|member| !member.is_removed || member.is_up)
}

const fn mark(member: &MomentMember) -> Mark {
    if !member.is_up {
        return Mark::Down;
    }
    if member.is_paused {
        return Mark::Paused;
    }
    let Some(status) = &member.status else { return Mark::Starting };
    match status.role {
        Role::Leader => Mark::Leader,
        Role::Follower => Mark::Follower,
        Role::Candidate => Mark::Candidate,
        Role::PreCandidate => Mark::PreCandidate,
        Role::Learner => Mark::Learner,
    }
}

/// How much of a member's election timer has run; nothing of one without.
fn timer(member: &MomentMember) -> Option<(u64, u64)> {
    let status = member.status.as_ref().filter(|_| member.is_up && !member.is_paused)?;
    let has_one = !matches!(status.role, Role::Leader | Role::Learner);
    (has_one && status.election_timeout > 0)
        .then_some((status.election_elapsed, status.election_timeout))
}

fn permille(timer: Option<(u64, u64)>) -> u64 {
    let Some((elapsed, of)) = timer else { return 0 };
    elapsed.min(of).saturating_mul(WHOLE) / of.max(1)
}

fn timer_words(member: &MomentMember, s: &TimeStrings) -> String {
    match timer(member) {
        Some((elapsed, of)) => (s.timer_of)(elapsed, of),
        None if mark(member) == Mark::Leader => s.no_timer.to_owned(),
        None => String::new(),
    }
}

/// The members as rows.
pub(super) fn members(moment: &Moment, texts: Texts) -> Vec<TimedMember> {
    let s = texts.own;
    let row = |member: &MomentMember| {
        let status = member.status.as_ref();
        let role = role_words(&note(member), status, texts.shared);
        let role = if mark(member) == Mark::Starting { s.starting } else { role };
        let numbers = status.map(|it| (s.numbers)(it.term.0, it.commit.0, it.applied.0));
        TimedMember {
            id: member.id,
            name: words::cut(&member.name),
            mark: mark(member),
            role: role.to_owned(),
            numbers: numbers.unwrap_or_default(),
            revision: status.map(|it| (s.revision)(it.revision)).unwrap_or_default(),
            timer: timer_words(member, s),
            timer_permille: permille(timer(member)),
            can_fire: timer(member).is_some(),
        }
    };
    seen(moment).map(row).collect()
}

/// The cluster as a picture.
pub(super) fn picture(moment: &Moment, texts: Texts) -> PictureView {
    let members: Vec<&MomentMember> = seen(moment).collect();
    let all = u32::try_from(members.len()).unwrap_or(u32::MAX);
    let placed: Vec<(MemberId, Point)> =
        (0..).zip(&members).map(|(at, member)| (member.id, node(at, all))).collect();
    let at = |id: MemberId| placed.iter().find(|(other, _)| *other == id).map(|(_, at)| *at);
    let rows = self::members(moment, texts);
    let disc = |(row, (_, at)): (&TimedMember, &(MemberId, Point))| DiscView {
        name: row.name.clone(),
        at: *at,
        mark: row.mark,
        timer_permille: row.timer_permille,
        words: sentence(row, texts),
    };
    let discs: Vec<DiscView> = rows.iter().zip(&placed).map(disc).collect();
    let mut wires = Vec::new();
    for (place, (one, from)) in placed.iter().enumerate() {
        for (other, to) in placed.iter().skip(place + 1) {
            wires.push(wire(moment, (*one, *from), (*other, *to)));
        }
    }
    let dot = |flight: &Flight| {
        let way = (at(flight.from)?, at(flight.to)?);
        let words = format!(
            "{} {}",
            words::kind(flight),
            (texts.own.flight_way)(
                &words::name(moment, flight.from),
                &words::name(moment, flight.to)
            )
        );
        let class = Class::named(&flight.kind).name();
        Some(DotView { at: on_way(way, share(flight, moment)), class, words })
    };
    let dots = moment.flights.iter().take(DOTS_MAX).filter_map(dot).collect();
    let summary = discs.iter().map(|disc| disc.words.as_str()).collect::<Vec<_>>();
    let summary = (texts.own.picture)(&summary.join("; "));
    PictureView { discs, wires, dots, summary }
}

fn sentence(row: &TimedMember, texts: Texts) -> String {
    let mut words = format!("{} {}", row.name, row.role);
    for part in [&row.numbers, &row.timer] {
        if !part.is_empty() {
            words.push_str(texts.shared.comma);
            words.push_str(part);
        }
    }
    words
}

fn wire(moment: &Moment, one: (MemberId, Point), other: (MemberId, Point)) -> WireView {
    let line = link(one.1, other.1);
    let is_cut = |from, to| moment.cuts.contains(&(from, to));
    let half = |end: Point| Segment { from: line.middle(), to: end }.middle();
    let (state, break_at) = match (is_cut(one.0, other.0), is_cut(other.0, one.0)) {
        (false, false) => ("open", None),
        (true, true) => ("cut", Some(line.middle())),
        (true, false) => ("cut-forth", Some(half(line.to))),
        (false, true) => ("cut-back", Some(half(line.from))),
    };
    WireView { line, state, break_at }
}

/// How much of its way a message has behind it. Unit: thousandths.
fn share(flight: &Flight, moment: &Moment) -> u64 {
    let all = flight.arrives_at.since(flight.sent_at);
    let passed = moment.now.since(flight.sent_at).min(all);
    // A message that has no way to go stands in its middle.
    passed.saturating_mul(WHOLE).checked_div(all).unwrap_or(WHOLE / 2)
}

/// The place of a message on its way, a little to the left of it, so that both directions are seen.
fn on_way((from, to): (Point, Point), share: u64) -> Point {
    let line = link(from, to);
    let share = i64::try_from(share.min(WHOLE)).unwrap_or(0);
    let whole = i64::try_from(WHOLE).unwrap_or(1);
    let (dx, dy) = (i64::from(line.to.x - line.from.x), i64::from(line.to.y - line.from.y));
    let length = (dx * dx + dy * dy).isqrt().max(1);
    let x = i64::from(line.from.x) + dx * share / whole + dy * ASIDE / length;
    let y = i64::from(line.from.y) + dy * share / whole - dx * ASIDE / length;
    Point { x: i32::try_from(x).unwrap_or(0), y: i32::try_from(y).unwrap_or(0) }
}

/// The directions that are cut.
pub(super) fn cuts(moment: &Moment, spoken: Language, s: &TimeStrings) -> Vec<String> {
    let of = |id: MemberId| words::name(moment, id);
    let cut = |(from, to): &(MemberId, MemberId)| (s.cut)(&of(*from), &of(*to));
    moment
        .cuts
        .iter()
        .map(cut)
        .chain(moment.faults.iter().map(|it| words::said(it, spoken)))
        .collect()
}

/// The messages in flight, at most so many.
pub(super) fn flights(moment: &Moment, texts: Texts, most: usize) -> Vec<FlightRow> {
    let s = texts.own;
    let row = |flight: &Flight| {
        let kind = words::kind(flight);
        let (from, to) = (words::name(moment, flight.from), words::name(moment, flight.to));
        let way = (s.flight_way)(&from, &to);
        let fields = fields(flight, texts);
        let arrives = if flight.is_doomed {
            s.flight_doomed.to_owned()
        } else {
            (s.arrives)(&flight.arrives_at.since(moment.now).to_string())
        };
        let comma = texts.shared.comma;
        let label = format!("{}{}{kind} {way}{comma}{fields}", s.drop, texts.shared.colon);
        let class = Class::named(&flight.kind).name();
        FlightRow { id: flight.id, class, kind, way, fields, arrives, label }
    };
    moment.flights.iter().take(most).map(row).collect()
}

fn fields(flight: &Flight, texts: Texts) -> String {
    let s = texts.own;
    let mut parts = Vec::new();
    if flight.term.0 > 0 {
        parts.push((s.flight_term)(flight.term.0));
    }
    if flight.index.0 > 0 {
        let mut index = (s.flight_index)(flight.index.0);
        if flight.log_term.0 > 0 {
            index.push(' ');
            index.push_str(&(s.flight_log_term)(flight.log_term.0));
        }
        parts.push(index);
    }
    if flight.entries > 0 {
        parts.push((s.flight_entries)(flight.entries));
    }
    if flight.commit.0 > 0 {
        parts.push((s.flight_commit)(flight.commit.0));
    }
    if flight.is_reject {
        parts.push(s.flight_reject.to_owned());
    }
    parts.join(texts.shared.comma)
}

/// The ends of the logs, the highest index first; of a run that nobody can read so fast a few rows.
pub(super) fn logs(moment: &Moment, texts: Texts, is_rushing: bool) -> TimedLogs {
    let members: Vec<&MomentMember> = seen(moment).filter(|member| member.tail.is_some()).collect();
    let known = Known { members: moment.members.iter().map(note).collect(), ..Known::default() };
    let last = |member: &&MomentMember| member.tail.as_ref().map_or(0, |tail| tail.last_index.0);
    let high = members.iter().map(last).max().unwrap_or(0);
    if high == 0 {
        return TimedLogs::default();
    }
    let most = if is_rushing { RUSH_LOG_ROWS } else { LOG_ROWS };
    let low = high.saturating_sub(most - 1).max(1);
    let row = |index: u64| {
        let found: Vec<Option<&LogEntry>> =
            members.iter().map(|member| entry(member, index)).collect();
        let mut terms = found.iter().flatten().map(|entry| entry.term);
        let first = terms.next();
        let is_conflict = terms.any(|term| Some(term) != first);
        let cell = |(member, entry): (&&MomentMember, &Option<&LogEntry>)| {
            cell(member, index, *entry, (is_conflict, &known), texts)
        };
        TimedRow { index, cells: members.iter().zip(&found).map(cell).collect() }
    };
    let names = members.iter().map(|member| words::cut(&member.name)).collect();
    TimedLogs { names, rows: (low..=high).rev().map(row).collect() }
}

fn entry(member: &MomentMember, index: u64) -> Option<&LogEntry> {
    member.tail.as_ref()?.entries.iter().find(|entry| entry.index.0 == index)
}

fn cell(
    member: &MomentMember,
    index: u64,
    entry: Option<&LogEntry>,
    (is_conflict, known): (bool, &Known),
    texts: Texts,
) -> TimedCell {
    let s = texts.shared;
    let tail = member.tail.as_deref();
    let (state, state_words) = match tail {
        None => ("absent", s.log_absent),
        Some(tail) if index > tail.last_index.0 => ("absent", s.log_absent),
        Some(tail) if index < tail.first_index.0 => ("snapshot", s.log_state_snapshot),
        Some(tail) if index <= tail.applied.0 => ("applied", s.log_state_applied),
        Some(tail) if index <= tail.commit.0 => ("committed", s.log_state_committed),
        Some(tail) if index <= tail.durable_index.0 => ("durable", s.log_state_durable),
        Some(_) => ("memory", s.log_state_memory),
    };
    let text = entry.map(|it| entry_words(&it.content, known, s, KEY_CHARS)).unwrap_or_default();
    let term = entry.map(|it| it.term.0.to_string()).unwrap_or_default();
    let is_conflict = is_conflict && entry.is_some();
    let mut parts = Vec::new();
    if let Some(entry) = entry {
        parts.push((s.log_term)(entry.term.0));
        parts.push(text.clone());
    }
    parts.push(state_words.to_owned());
    if is_conflict {
        parts.push(s.log_conflict.to_owned());
    }
    let name = escape::line(member.name.as_bytes());
    let label = format!("{}{}{}", (s.log_place)(&name, index), s.colon, parts.join(s.comma));
    TimedCell { state, term, text, is_conflict, label }
}
