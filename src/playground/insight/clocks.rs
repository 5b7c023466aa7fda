//! Three clocks on one axis: time, Raft's term and index, the store's revision.
//!
//! What it is: what happened, in order, and where each clock stood afterwards.
//! What it is not: a measurement: the time of an entry is that at which the page first knew it applied.
//! Invariants: entries stand in the order of the log; a revision is told only where it follows from what members said;
//! what is kept is bounded; words are made only for the moments that are shown.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::log::{KEY_CHARS, entry_words};
use super::model::Known;
use super::protocol::{Fault, Sample};
use super::strings::InsightStrings;
use crate::api::{LogContent, LogEntry, MemberEvent};
use crate::types::{MemberId, Millis, Term};

/// Samples that are kept. Unit: samples. Source: ours; as many as the page keeps.
const SAMPLES_MAX: usize = 4_000;
/// Things that happened besides entries, and are kept. Unit: things.
const HAPPENED_MAX: usize = 1_000;
/// Answers of which the time is kept. Unit: answers.
const ANSWERS_MAX: usize = 2_000;
/// A shorter time between two moments is not told. Unit: ms. Source: ours; what the eye takes for at once.
const SINCE_MIN_MS: u64 = 100;
/// Moments in a view. Unit: moments. Source: ours; what one can still scroll through.
const MOMENTS_MAX: usize = 300;

/// What kind of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MomentKind {
    /// Somebody won an election.
    Election,
    /// Somebody asks for votes, or gave up leading.
    Campaign,
    /// Keys changed, or could have.
    Write,
    /// Old revisions went.
    Compaction,
    /// Another entry.
    Entry,
    /// A fault, or its end.
    Fault,
}

/// One thing that happened, and the clocks after it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MomentView {
    /// Its name among the moments; the same thing keeps it.
    pub id: String,
    /// What kind.
    pub kind: MomentKind,
    /// When.
    pub time: String,
    /// How long after the one before it, if that is long enough to be told.
    pub since: String,
    /// When, after the cluster was opened. Unit: ms.
    pub at: u64,
    /// The term after it.
    pub term: u64,
    /// The index after it.
    pub index: u64,
    /// The revision after it, if it is known.
    pub revision: Option<i64>,
    /// The term is another one than before.
    pub has_term: bool,
    /// An entry was written.
    pub has_index: bool,
    /// There is a new revision.
    pub has_revision: bool,
    /// In two or three words.
    pub what: String,
    /// In a sentence.
    pub sentence: String,
}

/// The clocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClocksView {
    /// What happened, oldest first.
    pub moments: Vec<Arc<MomentView>>,
    /// Older ones that are not among them.
    pub older: u64,
    /// When the first and the last one were.
    pub ends: (String, String),
    /// The same, after the cluster was opened. Unit: ms.
    pub span: (u64, u64),
}

/// What one looks at, as far as it has a number: other views mark it, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The entry.
    pub index: Option<u64>,
    /// The revision that it made.
    pub revision: Option<i64>,
}

impl MomentView {
    /// What it is for other views.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark {
            index: self.has_index.then_some(self.index),
            revision: self.revision.filter(|_| self.has_revision),
        }
    }
}

#[derive(Clone, Debug)]
enum Happened {
    Event(MemberId, MemberEvent),
    Fault(Fault),
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    samples: VecDeque<Sample>,
    happened: VecDeque<(u64, Millis, Happened)>,
    answers: VecDeque<(i64, Millis)>,
    count: u64,
}

fn push<T>(list: &mut VecDeque<T>, item: T, most: usize) {
    if list.len() == most {
        list.pop_front();
    }
    list.push_back(item);
}

impl Clocks {
    pub(super) fn sample(&mut self, sample: Sample) {
        push(&mut self.samples, sample, SAMPLES_MAX);
    }

    pub(super) fn answered(&mut self, at: Millis, revision: i64) {
        if self.answers.back().is_none_or(|(newest, _)| *newest < revision) {
            push(&mut self.answers, (revision, at), ANSWERS_MAX);
        }
    }

    pub(super) fn event(&mut self, at: Millis, member: MemberId, event: MemberEvent) {
        if matches!(
            event,
            MemberEvent::CampaignStarted { .. }
                | MemberEvent::BecameLeader { .. }
                | MemberEvent::SteppedDown { .. }
                | MemberEvent::SnapshotInstalled { .. }
        ) {
            self.happens(at, Happened::Event(member, event));
        }
    }

    pub(super) fn fault(&mut self, at: Millis, fault: Fault) {
        self.happens(at, Happened::Fault(fault));
    }

    fn happens(&mut self, at: Millis, what: Happened) {
        self.count += 1;
        push(&mut self.happened, (self.count, at, what), HAPPENED_MAX);
    }

    /// The first entry after what was there when the page began to look.
    pub(super) fn first_index(&self) -> u64 {
        self.samples.front().map_or(1, |sample| sample.applied.0.saturating_add(1))
    }

    /// For each entry: when it was applied, and the revision after it, if that is known.
    fn placed<'e>(&self, entries: &[&'e LogEntry]) -> Vec<(Millis, Option<i64>, &'e LogEntry)> {
        let mut placed = Vec::new();
        let mut rest = entries;
        let mut before: Option<&Sample> = None;
        for sample in &self.samples {
            let count = rest.partition_point(|entry| entry.index <= sample.applied);
            let (stretch, after) = rest.split_at(count);
            rest = after;
            let known = before.map(|before| (before.revision, sample.revision));
            for (entry, revision) in stretch.iter().zip(revisions(stretch, known, sample.revision))
            {
                placed.push((sample.at, revision, *entry));
            }
            before = Some(sample);
        }
        // Where a client was answered with the revision, that is when it was made; what left it as it was came later.
        let mut newest = self.samples.front().map(|sample| sample.revision);
        for (at, revision, _) in &mut placed {
            let is_new = *revision > newest;
            newest = newest.max(*revision);
            let Some(made) = revision.filter(|_| is_new) else { continue };
            let place = self.answers.binary_search_by_key(&made, |(told, _)| *told);
            let answered = place.ok().and_then(|place| self.answers.get(place));
            if let Some((_, answered)) = answered {
                *at = (*at).min(*answered);
            }
        }
        placed
    }

    pub(super) fn view(
        &self,
        entries: &[&LogEntry],
        known: &Known,
        s: &InsightStrings,
    ) -> ClocksView {
        let placed = self.placed(entries);
        let mut stand = Stand::new(self.samples.front());
        // What was skipped moved the clocks, too.
        if let Some((_, _, entry)) = placed.first()
            && entry.index.0 > stand.index + 1
        {
            stand.index = entry.index.0 - 1;
            stand.term = entry.term.0;
            let earlier = self.samples.iter().take_while(|it| it.applied < entry.index).last();
            stand.revision = earlier.map_or(stand.revision, |sample| sample.revision);
        }
        let is_first = |entry: &LogEntry| entry.content == LogContent::Empty;
        let firsts = placed.iter().filter(|(_, _, entry)| is_first(entry));
        let told: BTreeSet<Term> = firsts.map(|(_, _, entry)| entry.term).collect();
        let mut waiting = self.happened.iter().peekable();
        for (at, revision, entry) in &placed {
            while let Some(happened) = waiting.next_if(|(_, when, _)| when <= at) {
                stand.happened(happened, &told);
            }
            stand.entry(*at, *revision, entry);
        }
        for happened in waiting {
            stand.happened(happened, &told);
        }
        let moments = stand.moments;
        let older = moments.len().saturating_sub(MOMENTS_MAX);
        let shown = moments.get(older..).unwrap_or_default();
        let ends = (
            shown.first().map_or(Millis(0), |it| it.at),
            shown.last().map_or(Millis(0), |it| it.at),
        );
        let mut before = ends.0;
        let tell = |moment: &Moment<'_>| {
            let since = moment.at.since(before);
            before = before.max(moment.at);
            Arc::new(self.tell(moment, since, known, s))
        };
        ClocksView {
            moments: shown.iter().map(tell).collect(),
            older: older as u64,
            ends: (known.time(ends.0), known.time(ends.1)),
            span: (ends.0.since(known.opened), ends.1.since(known.opened)),
        }
    }

    /// The index and the revision of a moment, by either; what is not known is nothing.
    pub(super) fn marked(view: &ClocksView, mark: Mark) -> Mark {
        let found = view.moments.iter().find(|moment| match mark {
            Mark { index: Some(index), .. } => moment.has_index && moment.index == index,
            Mark { revision, .. } => moment.has_revision && moment.revision == revision,
        });
        found.map_or(mark, |moment| moment.mark())
    }

    /// Who won the term of its first entry, by name; nothing if that was not heard.
    fn winner(&self, entry: &LogEntry, known: &Known) -> Option<String> {
        if entry.content != LogContent::Empty {
            return None;
        }
        let won = self.happened.iter().find_map(|(_, _, what)| match what {
            Happened::Event(member, MemberEvent::BecameLeader { term }) if *term == entry.term => {
                Some(*member)
            }
            _ => None,
        });
        won.map(|member| known.name(member))
    }

    /// The words of a moment.
    fn tell(
        &self,
        moment: &Moment<'_>,
        since: u64,
        known: &Known,
        s: &InsightStrings,
    ) -> MomentView {
        let told = match moment.revision {
            Some(after) if moment.step.has_revision => (s.new_revision)(moment.before, after),
            Some(_) => (s.same_revision)(moment.before),
            None => (s.unknown_revision)(moment.before),
        };
        let (id, what, raft) = match moment.what {
            What::Happened(id, what) => {
                (format!("h{id}"), happened_words(what, known, s), s.same_index.to_owned())
            }
            What::Entry(entry) => {
                let what = match (&entry.content, self.winner(entry, known)) {
                    (LogContent::Empty, None) => (s.moment_leader_any)(entry.term.0),
                    (LogContent::Empty, Some(winner)) => (s.moment_leader)(&winner, entry.term.0),
                    (content, _) => (s.moment_entry)(&entry_words(content, known, s, KEY_CHARS)),
                };
                let id = format!("e{}-{}", entry.term, entry.index);
                (id, what, (s.wrote_index)(entry.index.0))
            }
        };
        let since = if since >= SINCE_MIN_MS { (s.clock_since)(since) } else { String::new() };
        let sentence = (s.sentence)(&what, &raft, &told);
        MomentView {
            id,
            kind: moment.kind,
            time: known.time(moment.at),
            since,
            at: moment.at.since(known.opened),
            term: moment.term,
            index: moment.index,
            revision: moment.revision,
            has_term: moment.step.has_term,
            has_index: moment.step.has_index,
            has_revision: moment.step.has_revision,
            what,
            sentence,
        }
    }
}

/// What happened besides entries, in words.
fn happened_words(what: &Happened, known: &Known, s: &InsightStrings) -> String {
    let (member, event) = match what {
        Happened::Fault(fault) => return fault_words(*fault, known, s),
        Happened::Event(member, event) => (known.name(*member), event),
    };
    match event {
        MemberEvent::CampaignStarted { term } => (s.moment_campaign)(&member, term.0),
        MemberEvent::BecameLeader { term } => (s.moment_leader)(&member, term.0),
        MemberEvent::SteppedDown { quorum_lost: true, .. } => (s.moment_quorum_lost)(&member),
        MemberEvent::SteppedDown { .. } => (s.moment_stepped)(&member),
        MemberEvent::SnapshotInstalled { from, .. } => {
            (s.moment_snapshot)(&member, &known.name(*from))
        }
        // Nothing else is kept.
        _ => String::new(),
    }
}

fn fault_words(fault: Fault, known: &Known, s: &InsightStrings) -> String {
    match fault {
        Fault::Down(member) => (s.moment_down)(&known.name(member)),
        Fault::Started(member) => (s.moment_started)(&known.name(member)),
        Fault::Paused(member) => (s.moment_paused)(&known.name(member)),
        Fault::Resumed(member) => (s.moment_resumed)(&known.name(member)),
        Fault::Links(count) => (s.moment_links)(u64::from(count)),
    }
}

#[derive(Clone, Copy)]
struct Step {
    has_term: bool,
    has_index: bool,
    has_revision: bool,
}

/// What a moment is.
#[derive(Clone, Copy)]
enum What<'e> {
    Happened(u64, &'e Happened),
    Entry(&'e LogEntry),
}

/// A moment without its words.
struct Moment<'e> {
    what: What<'e>,
    kind: MomentKind,
    at: Millis,
    term: u64,
    index: u64,
    /// The revision after it, if it is known, and the last one known before.
    revision: Option<i64>,
    before: i64,
    step: Step,
}

/// Where the clocks stand while the moments are gone through.
struct Stand<'e> {
    term: u64,
    index: u64,
    revision: i64,
    moments: Vec<Moment<'e>>,
}

impl<'e> Stand<'e> {
    fn new(first: Option<&Sample>) -> Self {
        Self {
            term: first.map_or(0, |sample| sample.term.0),
            index: first.map_or(0, |sample| sample.applied.0),
            revision: first.map_or(0, |sample| sample.revision),
            moments: Vec::new(),
        }
    }

    /// `told` are the terms whose first entry tells who won.
    fn happened(&mut self, (id, at, what): &'e (u64, Millis, Happened), told: &BTreeSet<Term>) {
        let (kind, term) = match what {
            Happened::Fault(_) => (MomentKind::Fault, None),
            Happened::Event(_, MemberEvent::CampaignStarted { term }) => {
                (MomentKind::Campaign, Some(*term))
            }
            Happened::Event(_, MemberEvent::BecameLeader { term }) if told.contains(term) => return,
            Happened::Event(_, MemberEvent::BecameLeader { term }) => {
                (MomentKind::Election, Some(*term))
            }
            Happened::Event(_, MemberEvent::SteppedDown { .. }) => (MomentKind::Campaign, None),
            Happened::Event(..) => (MomentKind::Entry, None),
        };
        let has_term = term.is_some_and(|term| term.0 > self.term);
        self.term = self.term.max(term.map_or(0, |term| term.0));
        let step = Step { has_term, has_index: false, has_revision: false };
        let revision = Some(self.revision);
        self.push(What::Happened(*id, what), kind, *at, (self.revision, revision), step);
    }

    fn entry(&mut self, at: Millis, revision: Option<i64>, entry: &'e LogEntry) {
        let kind = match entry.content {
            LogContent::Empty => MomentKind::Election,
            LogContent::Compaction { .. } => MomentKind::Compaction,
            _ if may_write(&entry.content) => MomentKind::Write,
            _ => MomentKind::Entry,
        };
        let before = self.revision;
        let step = Step {
            // A campaign before has told of the term already.
            has_term: entry.term.0 > self.term,
            has_index: true,
            has_revision: revision.is_some_and(|revision| revision > before),
        };
        self.term = self.term.max(entry.term.0);
        self.index = entry.index.0;
        self.revision = revision.unwrap_or(before);
        self.push(What::Entry(entry), kind, at, (before, revision), step);
    }

    fn push(
        &mut self,
        what: What<'e>,
        kind: MomentKind,
        at: Millis,
        (before, revision): (i64, Option<i64>),
        step: Step,
    ) {
        let (term, index) = (self.term, self.index);
        self.moments.push(Moment { what, kind, at, term, index, revision, before, step });
    }
}

/// True if an entry may have made a revision.
const fn may_write(content: &LogContent) -> bool {
    matches!(
        content,
        LogContent::Put { .. }
            | LogContent::Delete { .. }
            | LogContent::Txn { may_write: true, .. }
            | LogContent::LeaseRevoke { .. }
    )
}

/// The revision after each entry of a stretch, where it follows from the revisions before and after all of it.
fn revisions(stretch: &[&LogEntry], known: Option<(i64, i64)>, after: i64) -> Vec<Option<i64>> {
    let Some((before, _)) = known else {
        return stretch.iter().map(|_| None).collect();
    };
    let grown = after - before;
    let count = |is_one: fn(&LogContent) -> bool| {
        i64::try_from(stretch.iter().filter(|entry| is_one(&entry.content)).count()).unwrap_or(0)
    };
    // Either everything that may write did, or only what writes unless it fails.
    let surely = |content: &LogContent| matches!(content, LogContent::Put { .. });
    let is_write: fn(&LogContent) -> bool = if count(may_write) == grown {
        may_write
    } else if count(surely) == grown {
        surely
    } else {
        let mut is_open = false;
        let mut told = Vec::new();
        for (at, entry) in stretch.iter().enumerate() {
            is_open |= may_write(&entry.content);
            let is_last = at + 1 == stretch.len();
            told.push(match (is_last, is_open) {
                (true, _) => Some(after),
                (false, true) => None,
                (false, false) => Some(before),
            });
        }
        return told;
    };
    let mut revision = before;
    stretch
        .iter()
        .map(|entry| {
            revision += i64::from(is_write(&entry.content));
            Some(revision)
        })
        .collect()
}
