//! Why a command got its answer, or what it is stuck on: the parts that members know, joined.
//!
//! What it is: [`Why`]: what the page says of a command and its calls, what members say of these calls and their
//! entries, and since when what is broken; `chain` makes steps of it, `stuck` words for what is missing, `errors` has
//! the rules behind errors.
//! What it is not: a guess: a step is done only if a member said so.
//! Invariants: what a member said of a time stays, also when it says it no more; what is kept is bounded; no clock:
//! times of the page come with items, those of members are ticks of their own.

mod chain;
mod errors;
mod strings;
mod stuck;

pub use strings::WhyStrings;
pub(super) use strings::{EN, ZH, put};

use super::errors::ErrorLink;
use super::model::Known;
use super::protocol::{Ask, CallEnd, Fault, WhyNote};
use crate::api::{CallStep, CallTrace, EntryTrace, ProposalName, ReadTrace, TracePart};
use crate::types::{MemberId, Millis, SmallMap};

/// Calls, entries and reads that are kept. Unit: each. Source: ours; a command has at most some dozen.
const KEPT_MAX: usize = 128;

/// How a step stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StepState {
    /// It happened.
    Done,
    /// It is the one that is waited for.
    Now,
    /// It ended badly.
    Failed,
    /// It comes later, if at all.
    #[default]
    Later,
}

/// One step of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StepView {
    /// Its name for tests.
    pub name: &'static str,
    /// How it stands.
    pub state: StepState,
    /// What it is, in a word or two.
    pub title: &'static str,
    /// Who did what.
    pub words: String,
    /// How long after the request came; empty if that is not known.
    pub when: String,
}

/// One call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallView {
    /// Its name among the calls.
    pub id: String,
    /// What was asked of whom.
    pub title: String,
    /// What came of it, in a sentence.
    pub verdict: String,
    /// How it stands.
    pub state: StepState,
    /// Its steps.
    pub steps: Vec<StepView>,
    /// What it is stuck on, in sentences.
    pub stuck: Vec<String>,
    /// The rule behind an error, with what is known of it.
    pub rule: String,
    /// What to do.
    pub advice: &'static str,
    /// Where its entry stands.
    pub index: Option<u64>,
}

/// The explanation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhyView {
    /// The command's line; empty if there is none.
    pub line: String,
    /// What is to be said of the whole command.
    pub notes: Vec<String>,
    /// Its calls, newest last.
    pub calls: Vec<CallView>,
    /// The catalogue's entry about the error that it printed.
    pub error: Option<ErrorLink>,
}

/// A call as the member that was asked knows it.
#[derive(Clone, Debug)]
struct Traced {
    member: MemberId,
    boot: u64,
    tick_ms: u64,
    trace: CallTrace,
}

impl Traced {
    /// It was answered, or nobody waits.
    fn is_over(&self) -> bool {
        let last = self.trace.steps.last().map(|last| last.step);
        matches!(last, Some(CallStep::Answered { .. } | CallStep::Canceled))
    }

    /// What a step proposed.
    const fn proposal(&self, step: &CallStep) -> Option<ProposalName> {
        match *step {
            CallStep::Proposed { sequence, .. } => {
                Some(ProposalName { member: self.member, boot: self.boot, sequence })
            }
            _ => None,
        }
    }
}

/// An entry as one member knows it.
#[derive(Clone, Debug)]
struct Told {
    member: MemberId,
    tick_ms: u64,
    entry: EntryTrace,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Why {
    note: Option<WhyNote>,
    /// The newest part of each member, and when it came.
    parts: SmallMap<MemberId, (Millis, TracePart)>,
    traces: SmallMap<u64, Traced>,
    entries: Vec<Told>,
    reads: Vec<(MemberId, ReadTrace)>,
    /// Since when directions are cut.
    cut_since: SmallMap<(MemberId, MemberId), Millis>,
    /// Since when members are down, paused or starting.
    since: SmallMap<MemberId, Millis>,
    links_at: Millis,
    now: Millis,
}

fn bound<T>(list: &mut Vec<T>) {
    if list.len() > KEPT_MAX {
        list.drain(..list.len() - KEPT_MAX);
    }
}

impl Why {
    /// What it printed as an error; empty if it did not fail.
    pub(super) fn said(&self) -> &str {
        let note = self.note.as_ref().filter(|note| note.failure.is_some());
        note.map_or("", |note| note.said.as_str())
    }

    /// The page says what is to be explained.
    pub(super) fn explain(&mut self, note: Option<WhyNote>) {
        self.note = note;
    }

    /// Something was done to the cluster, or happened to it.
    pub(super) fn fault(&mut self, at: Millis, fault: Fault) {
        self.now = self.now.max(at);
        match fault {
            Fault::Down(member) | Fault::Paused(member) | Fault::Started(member) => {
                self.since.insert(member, at);
            }
            Fault::Resumed(member) => drop(self.since.remove(&member)),
            Fault::Links(_) => self.links_at = at,
        }
    }

    /// Other directions are cut than before.
    pub(super) fn cuts(&mut self, old: &[(MemberId, MemberId)], new: &[(MemberId, MemberId)]) {
        self.cut_since.retain(|link, _| new.contains(link));
        for link in new.iter().filter(|link| !old.contains(link)) {
            self.cut_since.insert(*link, self.links_at);
        }
    }

    /// A member says what it knows.
    pub(super) fn hear(&mut self, at: Millis, part: TracePart) {
        self.now = self.now.max(at);
        let (member, boot, tick_ms) = (part.member, part.boot, part.tick_ms);
        for trace in &part.calls {
            let traced = Traced { member, boot, tick_ms, trace: trace.clone() };
            self.traces.insert(trace.call, traced);
        }
        for entry in &part.entries {
            self.hear_entry(member, tick_ms, entry);
        }
        for read in &part.reads {
            let is_same = |(_, old): &(MemberId, ReadTrace)| {
                (old.from, old.boot, old.context) == (read.from, read.boot, read.context)
            };
            match self.reads.iter_mut().find(|old| is_same(old)) {
                Some(old) => *old = (member, read.clone()),
                None => self.reads.push((member, read.clone())),
            }
        }
        if self.traces.len() > KEPT_MAX {
            let wanted = self.calls();
            self.traces.retain(|call, _| wanted.contains(call));
        }
        bound(&mut self.entries);
        bound(&mut self.reads);
        self.parts.insert(member, (at, part));
    }

    /// What it said earlier of a time stays.
    fn hear_entry(&mut self, member: MemberId, tick_ms: u64, entry: &EntryTrace) {
        let known = self
            .entries
            .iter_mut()
            .find(|told| told.member == member && told.entry.proposal == entry.proposal);
        let Some(Told { entry: old, .. }) = known else {
            self.entries.push(Told { member, tick_ms, entry: entry.clone() });
            return;
        };
        if old.index != entry.index || entry.is_lost {
            *old = entry.clone();
            return;
        }
        old.term = entry.term.or(old.term);
        old.appended = old.appended.or(entry.appended);
        old.durable = old.durable.or(entry.durable);
        old.committed = old.committed.or(entry.committed);
        old.applied = old.applied.or(entry.applied);
        for (peer, tick) in &entry.acknowledged {
            if !old.acknowledged.iter().any(|(known, _)| known == peer) {
                old.acknowledged.push((*peer, *tick));
            }
        }
    }

    /// The calls of the command that is explained.
    fn calls(&self) -> Vec<u64> {
        let calls = self.note.iter().flat_map(|note| &note.calls);
        calls.map(|it| it.call).filter(|call| *call != 0).collect()
    }

    /// What was proposed for these calls.
    fn proposals(&self) -> Vec<ProposalName> {
        let mut names = Vec::new();
        for traced in self.calls().iter().filter_map(|call| self.traces.get(call)) {
            for step in &traced.trace.steps {
                names.extend(traced.proposal(&step.step));
            }
        }
        names
    }

    /// True if more may be learned of the calls.
    fn is_open(&self) -> bool {
        let Some(note) = &self.note else { return false };
        let is_settled = |call: &super::protocol::CallNote| {
            if call.end == CallEnd::Open {
                return false;
            }
            let Some(traced) = self.traces.get(&call.call) else { return call.call == 0 };
            (traced.is_over() || call.end == CallEnd::Lost) && self.is_settled(traced)
        };
        note.is_running || !note.calls.iter().all(is_settled)
    }

    /// True if nothing more comes of what a call proposed.
    fn is_settled(&self, traced: &Traced) -> bool {
        let mut names = traced.trace.steps.iter().filter_map(|it| traced.proposal(&it.step));
        names.all(|name| {
            let told: Vec<&Told> =
                self.entries.iter().filter(|told| told.entry.proposal == name).collect();
            let is_applied = told.iter().any(|told| told.entry.applied.is_some());
            let voters = self.parts.get(&traced.member).map_or(0, |(_, part)| part.voters.len());
            let is_known = told.iter().any(|told| told.entry.acknowledged.len() + 1 >= voters);
            told.iter().any(|told| told.entry.is_lost) || (is_applied && is_known)
        })
    }

    /// What to ask for now.
    pub(super) fn asks(&self, known: &Known) -> Vec<Ask> {
        let mut asks = vec![Ask::Why];
        if self.is_open() {
            let (calls, proposals) = (self.calls(), self.proposals());
            for note in known.members.iter().filter(|note| known.is_serving(note.id)) {
                let (calls, proposals) = (calls.clone(), proposals.clone());
                asks.push(Ask::ReadTrace { member: note.id, calls, proposals });
            }
        }
        asks
    }

    /// The explanation.
    pub(super) fn view(&self, known: &Known, s: &'static WhyStrings) -> WhyView {
        let Some(note) = &self.note else { return WhyView::default() };
        let mut notes = Vec::new();
        if note.older > 0 {
            notes.push(put(s.older_calls, &[&note.older.to_string()]));
        }
        let is_all_over = note.calls.iter().all(|call| call.end != CallEnd::Open);
        let overall = match (note.calls.is_empty(), note.is_running, note.failure) {
            (true, _, _) if note.is_verb => s.no_member_verb.to_owned(),
            (true, true, _) => s.no_member_yet.to_owned(),
            (true, false, Some(_)) => put(s.no_member, &[&note.said]),
            (true, false, None) => s.no_member_fine.to_owned(),
            (false, true, _) if is_all_over => s.between_calls.to_owned(),
            (false, false, Some(_)) if note.said.contains("context deadline exceeded") => {
                s.gave_up.to_owned()
            }
            _ => String::new(),
        };
        if !overall.is_empty() {
            notes.push(overall);
        }
        let told = chain::Teller { why: self, known, s };
        let calls =
            note.calls.iter().zip(1_u64..).map(|(call, number)| told.call(call, number)).collect();
        WhyView { line: note.line.clone(), notes, calls, error: None }
    }
}

#[cfg(test)]
mod tests;
