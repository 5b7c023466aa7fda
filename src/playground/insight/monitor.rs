//! What must hold in every cluster, watched while members tell of themselves.
//!
//! What it is: election safety, log matching, state-machine safety and equal hashes, each with what was checked.
//! What it is not: a proof; a line says what was compared, and nothing of what was not.
//! Invariants: an entry is compared within parts that a member told at once, so that a log that is being replaced is
//! no false alarm; what is kept is bounded; what was found stays.
//! Source: D. Ongaro, J. Ousterhout, "In Search of an Understandable Consensus Algorithm", figure 3.
//!
//! Two logs match up to an entry exactly if, for each index and term, all members have the same entry and the same
//! term before it: so each entry is held against the first of its index and term that was told, whenever that was.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::history::Tone;
use super::history_strings::HistoryStrings;
use super::model::Known;
use super::protocol::Ask;
use crate::api::{self, LogPart, MemberEvent, Role};
use crate::types::{Index, MemberId, SmallMap, SmallSet, Term};

/// Entries that are remembered. Unit: entries. Source: ours; some parts of logs.
const ENTRIES_MAX: usize = 4_000;
/// Entries of a log that are looked at when it is first read. Unit: entries.
const TAIL: u64 = 400;
/// Entries in one question. Unit: entries. Source: `api::LOG_PART_ENTRIES_MAX`.
const PART: u64 = 150;
/// Indexes, and terms, that are remembered. Unit: indexes.
const STATES_MAX: usize = 2_000;
/// Rounds of hashes that are remembered. Unit: rounds.
const ROUNDS_MAX: usize = 16;
/// Looks between two rounds of hashes. Unit: looks of 250 ms. Source: ours; 10 s.
const HASH_EVERY: u32 = 40;
/// Looks after which a question for a part is asked again. Unit: looks.
const PATIENCE: u32 = 8;

/// One invariant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InvariantView {
    /// Its name, for tests.
    pub name: &'static str,
    /// What must hold.
    pub title: &'static str,
    /// Whether it does.
    pub tone: Tone,
    /// What was checked, or found.
    pub words: String,
}

#[derive(Clone, Debug)]
struct Entry {
    content: u64,
    before: Option<Term>,
    first: MemberId,
    members: SmallSet<MemberId>,
}

/// A member's log as far as it was looked at.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    /// Entries up to this one were told.
    to: u64,
    /// Looks since a question was asked; 0: none is open.
    waiting: u32,
    /// The term and the last index when it was told.
    at: (Term, Index),
}

/// Two members that disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found<T> {
    place: T,
    one: (MemberId, u64),
    other: (MemberId, u64),
}

/// See the module.
#[derive(Debug, Default)]
pub struct Monitor {
    leaders: BTreeMap<Term, MemberId>,
    two_leaders: Option<Found<Term>>,
    entries: BTreeMap<(Index, Term), Entry>,
    readings: SmallMap<MemberId, Reading>,
    no_match: Option<Found<(Index, Term)>>,
    states: BTreeMap<Index, (MemberId, i64, SmallSet<MemberId>)>,
    /// States that were held against another member's at the same index.
    states_compared: u64,
    two_states: Option<Found<Index>>,
    /// By revision and compacted revision.
    hashes: BTreeMap<(i64, i64), SmallMap<MemberId, u32>>,
    /// The revision that was asked for last, and what came: compacted revision, or nothing that counts.
    round: Option<(i64, SmallMap<MemberId, Option<i64>>)>,
    two_hashes: Option<Found<i64>>,
    looks: u32,
    wants_hashes: bool,
}

fn digest(content: &api::LogContent) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{content:?}").hash(&mut hasher);
    hasher.finish()
}

impl Monitor {
    /// Members go on without what the others had: what was told before says nothing of now.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    pub(super) fn event(&mut self, member: MemberId, event: &MemberEvent) {
        if let MemberEvent::BecameLeader { term } = event {
            self.leads(member, *term);
        }
    }

    fn leads(&mut self, member: MemberId, term: Term) {
        let first = *self.leaders.entry(term).or_insert(member);
        if first != member && self.two_leaders.is_none() {
            self.two_leaders = Some(Found { place: term, one: (first, 0), other: (member, 0) });
        }
        if self.leaders.len() > STATES_MAX {
            self.leaders.pop_first();
        }
    }

    pub(super) fn status(&mut self, status: &api::MemberStatus) {
        if status.role == Role::Leader {
            self.leads(status.member, status.term);
        }
        if status.applied == Index(0) {
            return;
        }
        let (member, revision) = (status.member, status.revision);
        let fresh = || (member, revision, SmallSet::new());
        let first = self.states.entry(status.applied).or_insert_with(fresh);
        let is_new = first.2.insert(member);
        if is_new && first.0 != member {
            self.states_compared += 1;
        }
        if first.1 != revision && self.two_states.is_none() {
            let one = (first.0, first.1.unsigned_abs());
            let other = (member, revision.unsigned_abs());
            self.two_states = Some(Found { place: status.applied, one, other });
        }
        if self.states.len() > STATES_MAX {
            self.states.pop_first();
        }
    }

    pub(super) fn log(&mut self, part: &LogPart) {
        let reading = self.readings.get_or_insert_with(part.member, Reading::default);
        reading.waiting = 0;
        reading.at = (part.term, part.last_index);
        if let Some(last) = part.entries.last() {
            reading.to = last.index.0;
        }
        let mut before: Option<(Index, Term)> = None;
        for entry in &part.entries {
            let previous = before.filter(|(index, _)| index.next() == entry.index);
            self.entry(part.member, entry, previous.map(|(_, term)| term));
            before = Some((entry.index, entry.term));
        }
        while self.entries.len() > ENTRIES_MAX {
            self.entries.pop_first();
        }
    }

    fn entry(&mut self, member: MemberId, entry: &api::LogEntry, before: Option<Term>) {
        let content = digest(&entry.content);
        let place = (entry.index, entry.term);
        let known = self.entries.entry(place).or_insert_with(|| Entry {
            content,
            before,
            first: member,
            members: SmallSet::new(),
        });
        known.members.insert(member);
        let is_other_prefix =
            matches!((known.before, before), (Some(one), Some(two)) if one != two);
        if (known.content != content || is_other_prefix) && self.no_match.is_none() {
            let (one, other) = ((known.first, 0), (member, 0));
            self.no_match = Some(Found { place, one, other });
        }
        known.before = known.before.or(before);
    }

    /// A member said its hash, or why not.
    pub(super) fn hash(
        &mut self,
        member: MemberId,
        revision: i64,
        answer: Option<&api::HashKvResponse>,
    ) {
        if let Some((asked, heard)) = &mut self.round
            && *asked == revision
        {
            heard.insert(member, answer.map(|answer| answer.compact_revision));
        }
        let Some(answer) = answer else { return };
        let place = (answer.hash_revision, answer.compact_revision);
        let round = self.hashes.entry(place).or_default();
        round.insert(member, answer.hash);
        let differs = round.iter().find(|(_, hash)| **hash != answer.hash);
        if let Some((other, hash)) = differs
            && self.two_hashes.is_none()
        {
            let one = (*other, u64::from(*hash));
            let other = (member, u64::from(answer.hash));
            self.two_hashes = Some(Found { place: answer.hash_revision, one, other });
        }
        if self.hashes.len() > ROUNDS_MAX {
            self.hashes.pop_first();
        }
    }

    /// Somebody wants the hashes compared now.
    pub(super) const fn want_hashes(&mut self) {
        self.wants_hashes = true;
    }

    /// What to ask members for, four times a second while the view is open.
    pub(super) fn asks(&mut self, known: &Known) -> Vec<Ask> {
        let mut asks = Vec::new();
        for status in known.serving() {
            let reading = self.readings.get_or_insert_with(status.member, Reading::default);
            if reading.waiting > 0 {
                reading.waiting = (reading.waiting + 1) % PATIENCE;
                continue;
            }
            let last = status.last_index.0;
            if reading.at == (status.term, status.last_index) && reading.to >= last {
                continue;
            }
            // The one before is told again, so that what follows it is known to follow it.
            let from = reading.to.min(last).max(last.saturating_sub(TAIL)).max(1);
            let to = last.min(from + PART);
            reading.waiting = 1;
            asks.push(Ask::ReadLog { member: status.member, from: Index(from), to: Index(to) });
        }
        let is_due = self.looks.is_multiple_of(HASH_EVERY) || self.wants_hashes;
        self.looks = self.looks.wrapping_add(1);
        if is_due {
            asks.extend(self.hash_asks(known));
        }
        asks
    }

    fn hash_asks(&mut self, known: &Known) -> Vec<Ask> {
        let Some(revision) = known.serving().map(|status| status.revision).min() else {
            return Vec::new();
        };
        // Nobody serves a store yet.
        if revision == 0 {
            return Vec::new();
        }
        self.wants_hashes = false;
        let members: Vec<MemberId> = known.serving().map(|status| status.member).collect();
        self.round = Some((revision, SmallMap::new()));
        let ask = |member| {
            let request = Box::new(api::Request::HashKv(api::HashKvRequest { revision }));
            Ask::Request { member, request }
        };
        members.into_iter().map(ask).collect()
    }

    /// A line for each.
    pub(super) fn view(&self, known: &Known, s: &HistoryStrings) -> Vec<InvariantView> {
        let line = |name, title, (tone, words)| InvariantView { name, title, tone, words };
        vec![
            line("election", s.election_title, self.election(known, s)),
            line("log", s.log_title, self.matching(known, s)),
            line("state", s.state_title, self.state(known, s)),
            line("hash", s.hash_title, self.equal(known, s)),
        ]
    }

    fn election(&self, known: &Known, s: &HistoryStrings) -> (Tone, String) {
        if let Some(found) = self.two_leaders {
            let (one, other) = (known.name(found.one.0), known.name(found.other.0));
            return (Tone::Bad, (s.election_broken)(found.place.0, &one, &other));
        }
        let terms = self.leaders.len() as u64;
        if terms == 0 {
            return (Tone::Idle, s.election_none.to_owned());
        }
        let mut leaders = SmallSet::new();
        for leader in self.leaders.values() {
            leaders.insert(*leader);
        }
        (Tone::Good, (s.election_holds)(terms, leaders.len() as u64))
    }

    fn matching(&self, known: &Known, s: &HistoryStrings) -> (Tone, String) {
        if let Some(found) = self.no_match {
            let (index, term) = found.place;
            let (one, other) = (known.name(found.one.0), known.name(found.other.0));
            return (Tone::Bad, (s.log_broken)(index.0, term.0, &one, &other));
        }
        let common = self.entries.values().filter(|entry| entry.members.len() > 1).count() as u64;
        if common == 0 {
            return (Tone::Idle, s.log_none.to_owned());
        }
        let mut members = SmallSet::new();
        for entry in self.entries.values() {
            for member in entry.members.iter() {
                members.insert(*member);
            }
        }
        (Tone::Good, (s.log_holds)(common, members.len() as u64))
    }

    fn state(&self, known: &Known, s: &HistoryStrings) -> (Tone, String) {
        if let Some(found) = self.two_states {
            let (one, other) = (known.name(found.one.0), known.name(found.other.0));
            let words = (s.state_broken)(
                found.place.0,
                &format!("{one}: {}", found.one.1),
                &format!("{other}: {}", found.other.1),
            );
            return (Tone::Bad, words);
        }
        if self.states_compared == 0 {
            return (Tone::Idle, s.state_none.to_owned());
        }
        (Tone::Good, (s.state_holds)(self.states_compared))
    }

    fn equal(&self, known: &Known, s: &HistoryStrings) -> (Tone, String) {
        if let Some(found) = self.two_hashes {
            let (one, other) = (known.name(found.one.0), known.name(found.other.0));
            let words = (s.hash_broken)(
                found.place,
                &format!("{one}: {:08x}", found.one.1),
                &format!("{other}: {:08x}", found.other.1),
            );
            return (Tone::Bad, words);
        }
        let Some((revision, heard)) = &self.round else {
            return (Tone::Idle, s.hash_none.to_owned());
        };
        let of = known.shown().len() as u64;
        // Hashes can be compared only of stores that were compacted alike.
        let best = self
            .hashes
            .iter()
            .filter(|((at, _), _)| at == revision)
            .max_by_key(|(_, members)| members.len());
        match best {
            Some((_, members)) if members.len() > 1 => {
                let hash = members.values().next().copied().unwrap_or_default();
                let count = members.len() as u64;
                (Tone::Good, (s.hash_holds)(*revision, count, of, &format!("{hash:08x}")))
            }
            _ if heard.values().any(Option::is_none) => (Tone::Idle, (s.hash_refused)(*revision)),
            Some(_) => (Tone::Idle, (s.hash_alone)(*revision)),
            None => (Tone::Idle, (s.hash_asked)(*revision)),
        }
    }
}

#[cfg(test)]
mod tests;
