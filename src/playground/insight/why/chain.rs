//! A call as steps, from what members said of it.
//!
//! What it is: [`Teller::call`], which puts the steps of the member that was asked and those of the entry in order.
//! What it is not: the reasons why the next step does not come (see `stuck`).
//! Invariants: steps stand in the order of the path, whatever order they were heard in; the first one that did not
//! happen is the one that is waited for, if anybody waits.

use super::errors::rule_of;
use super::strings::{WhyStrings, ZH, put};
use super::{CallView, StepState, StepView, Told, Traced, Why};
use crate::api::{AlarmType, CallKind, CallStep, Error, ProposalName, ReadTrace, TracedStep};
use crate::playground::cluster::SECOND;
use crate::playground::insight::model::Known;
use crate::playground::insight::protocol::{CallEnd, CallNote};
use crate::types::{Index, MemberId, Term};

/// What is known of an entry, from all members.
#[derive(Clone, Debug)]
pub(super) struct Place<'w> {
    pub(super) index: Index,
    pub(super) term: Option<Term>,
    pub(super) is_lost: bool,
    /// Who appended it first, as far as is known.
    pub(super) leader: MemberId,
    pub(super) told: Vec<&'w Told>,
}

impl Place<'_> {
    /// Who has it on its disk.
    pub(super) fn holders(&self) -> Vec<MemberId> {
        let mut holders = Vec::new();
        for told in &self.told {
            if told.entry.durable.is_some() {
                holders.push(told.member);
            }
            holders.extend(told.entry.acknowledged.iter().map(|(peer, _)| *peer));
        }
        crate::types::sort(&mut holders);
        holders.dedup();
        holders
    }

    pub(super) fn is_committed(&self) -> bool {
        self.told.iter().any(|told| told.entry.committed.is_some())
    }

    fn by(&self, member: MemberId) -> Option<&Told> {
        self.told.iter().find(|told| told.member == member).copied()
    }
}

/// How far a proposal has come at the member that was asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handed {
    pub(super) name: ProposalName,
    pub(super) to: MemberId,
    pub(super) term: Term,
    tick: u64,
}

/// Puts what is known into words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Teller<'w> {
    pub(super) why: &'w Why,
    pub(super) known: &'w Known,
    pub(super) s: &'static WhyStrings,
}

/// The steps of one call while they are made.
struct Path<'w> {
    teller: Teller<'w>,
    traced: &'w Traced,
    received: u64,
    steps: Vec<StepView>,
}

impl Teller<'_> {
    pub(super) fn is_chinese(&self) -> bool {
        std::ptr::eq(self.s, &raw const ZH)
    }

    pub(super) fn name(&self, member: MemberId) -> String {
        self.known.name(member)
    }

    pub(super) fn names(&self, members: &[MemberId]) -> String {
        let mut names: Vec<String> = members.iter().map(|id| self.name(*id)).collect();
        crate::types::sort(&mut names);
        names.join(self.s.list_and)
    }

    /// A time in a unit that reads well.
    pub(super) fn time(&self, ms: u64) -> String {
        if ms < 1_000 {
            return put(self.s.millis, &[&ms.to_string()]);
        }
        let tenths = ms.saturating_add(50) / 100;
        put(self.s.seconds, &[&format!("{}.{}", tenths / 10, tenths % 10)])
    }

    fn kind(&self, kind: CallKind) -> &'static str {
        let s = self.s;
        match kind {
            CallKind::Read => s.kind_read,
            CallKind::Write => s.kind_write,
            CallKind::Compaction => s.kind_compaction,
            CallKind::Lease => s.kind_lease,
            CallKind::Auth => s.kind_auth,
            CallKind::Login => s.kind_login,
            CallKind::Member => s.kind_member,
            CallKind::MoveLeader => s.kind_move_leader,
            CallKind::Maintenance => s.kind_maintenance,
            CallKind::Snapshot => s.kind_snapshot,
            CallKind::Watch => s.kind_watch,
        }
    }

    /// One call.
    pub(super) fn call(&self, note: &CallNote, number: u64) -> CallView {
        let s = self.s;
        let traced = self.why.traces.get(&note.call);
        let kind = traced.map_or(s.kind_unknown, |traced| self.kind(traced.trace.kind));
        let asked = note.member.map(|id| self.name(id)).unwrap_or_default();
        let mut view = CallView {
            id: format!("{number} {}", note.call),
            title: put(s.call, &[&number.to_string(), kind, &asked]),
            ..CallView::default()
        };
        let lasted = note.ended.unwrap_or(self.why.now).0.saturating_sub(note.at.0);
        let lasted = self.time(lasted);
        match (note.end, note.member, traced) {
            (CallEnd::Refused, member, _) => self.refused(member, &mut view),
            (_, None, _) => {}
            (_, Some(SECOND), _) => view.stuck.push(s.second.to_owned()),
            (_, Some(_), Some(traced)) => self.traced(note, traced, &lasted, &mut view),
            (CallEnd::Open | CallEnd::Lost, Some(member), None) => {
                view.stuck.push(self.untraced(member));
            }
            (end, Some(member), None) => {
                view.verdict = self.untraced(member);
                view.state = StepState::Failed;
                if end == CallEnd::Answered {
                    view.state = StepState::Done;
                    let answered = put(s.verdict_fine, &[&asked, &lasted]);
                    view.verdict = put(s.both, &[&answered, &view.verdict]);
                }
            }
        }
        if note.end == CallEnd::Lost {
            view.state = StepState::Failed;
            view.verdict = put(s.verdict_lost, &[&asked, &lasted]);
            view.stuck.insert(0, put(s.lost, &[&asked]));
        }
        view
    }

    /// Nobody was asked.
    fn refused(&self, member: Option<MemberId>, view: &mut CallView) {
        let s = self.s;
        view.state = StepState::Failed;
        s.verdict_refused.clone_into(&mut view.verdict);
        view.stuck.push(match member {
            Some(id) => {
                let why = self.state_of(id).unwrap_or_else(|| put(s.down, &[&self.name(id)]));
                put(s.refused_member, &[&self.name(id), &why])
            }
            None => s.refused_address.to_owned(),
        });
    }

    /// The member that was asked has said nothing of it.
    fn untraced(&self, member: MemberId) -> String {
        let name = self.name(member);
        match self.state_of(member) {
            Some(why) => put(self.s.silent, &[&name, &why]),
            None if self.why.parts.contains_key(&member) => put(self.s.forgotten, &[&name]),
            None => put(self.s.asking, &[&name]),
        }
    }

    fn traced(&self, note: &CallNote, traced: &Traced, lasted: &str, view: &mut CallView) {
        let s = self.s;
        let received = traced.trace.steps.first().map_or(0, |step| step.tick);
        let mut path = Path { teller: *self, traced, received, steps: Vec::new() };
        let place = path.make();
        view.steps = path.steps;
        view.index = place.as_ref().map(|place| place.index.0);
        let end = traced.trace.steps.last().map(|step| step.step);
        let asked = self.name(traced.member);
        let open = view.steps.iter().position(|step| step.state == StepState::Later);
        let waits = note.end == CallEnd::Open || note.end == CallEnd::Lost;
        if let Some(CallStep::Answered { error: Some(error), .. }) = end {
            view.state = StepState::Failed;
            view.verdict = put(s.verdict_error, &[&asked, lasted, error.text()]);
            self.explain_error(error, traced.member, view);
        } else if matches!(end, Some(CallStep::Answered { .. })) {
            view.state = StepState::Done;
            view.verdict = put(s.verdict_fine, &[&asked, lasted]);
        } else if traced.trace.kind == CallKind::Watch && open.is_none() {
            view.state = StepState::Done;
            let words = if waits { s.verdict_open } else { s.verdict_closed };
            view.verdict = put(words, &[lasted]);
        } else if note.end == CallEnd::Answered {
            view.state = StepState::Now;
            view.verdict = put(s.asking, &[&asked]);
        } else if waits {
            view.state = StepState::Now;
            let next = open.and_then(|at| view.steps.get(at)).map_or("", |step| step.title);
            view.verdict = put(s.verdict_waits, &[lasted, next]);
        } else {
            view.state = StepState::Failed;
            let next = view
                .steps
                .iter()
                .find(|step| step.state == StepState::Later && step.name != "answered");
            view.verdict = match next {
                Some(step) => put(s.verdict_canceled, &[lasted, step.title]),
                None => put(s.verdict_late, &[lasted]),
            };
        }
        let handed = self.handed(traced);
        if let Some(at) = open
            && view.steps.get(at).is_some_and(|step| step.name != "answered" || waits)
        {
            if let Some(step) = view.steps.get_mut(at) {
                step.state = StepState::Now;
            }
            view.stuck = self.stuck(traced, handed, place.as_ref());
        }
    }

    fn explain_error(&self, error: Error, member: MemberId, view: &mut CallView) {
        let s = self.s;
        let [rule, advice] = rule_of(error, self.is_chinese());
        rule.clone_into(&mut view.rule);
        view.advice = advice;
        let Some((_, part)) = self.why.parts.get(&member) else { return };
        let fact = match error {
            Error::Compacted => part.compacted.map(|(revision, index)| {
                put(s.compacted_by, &[&revision.to_string(), &index.to_string()])
            }),
            Error::NoSpace => {
                let is_full = |it: &&crate::api::AlarmMember| it.alarm == AlarmType::NoSpace;
                let raised: Vec<MemberId> =
                    part.alarms.iter().filter(is_full).map(|it| it.member_id).collect();
                (!raised.is_empty()).then(|| put(s.alarm_of, &[&self.names(&raised)]))
            }
            _ => None,
        };
        if let Some(fact) = fact {
            view.rule.push(' ');
            view.rule.push_str(&fact);
        }
    }

    /// The newest proposal of a call.
    pub(super) fn handed(&self, traced: &Traced) -> Option<Handed> {
        traced.trace.steps.iter().rev().find_map(|it| match it.step {
            CallStep::Proposed { to, term, .. } => {
                Some(Handed { name: traced.proposal(&it.step)?, to, term, tick: it.tick })
            }
            _ => None,
        })
    }

    /// The question for the read index that a call waits for, at the leader.
    pub(super) fn read(&self, traced: &Traced) -> Option<&(MemberId, ReadTrace)> {
        let context = traced.trace.steps.iter().rev().find_map(|it| match it.step {
            CallStep::ReadAsked { context, .. } => Some(context),
            _ => None,
        })?;
        let all = self.why.reads.iter();
        let mut own =
            all.filter(|(_, read)| (read.from, read.boot) == (traced.member, traced.boot));
        own.find(|(_, read)| read.context == context)
    }

    /// Voters, and those of the configuration before, as whoever is nearest to the call knows them.
    pub(super) fn voters(&self, near: &[MemberId]) -> (&[MemberId], &[MemberId]) {
        let parts = &self.why.parts;
        let near = near.iter().find_map(|id| parts.get(id));
        let part = near.or_else(|| parts.values().next()).map(|(_, part)| part);
        part.map_or((&[], &[]), |part| (&part.voters, &part.voters_outgoing))
    }

    /// "needs 2 of 3, has 1".
    pub(super) fn majority(&self, near: &[MemberId], have: &[MemberId]) -> String {
        let (new, old) = self.voters(near);
        let half = |voters: &[MemberId]| {
            let has = voters.iter().filter(|id| have.contains(id)).count();
            let of = voters.len();
            let values = [(of / 2 + 1).to_string(), of.to_string(), has.to_string()];
            put(self.s.needs_has, &values.each_ref().map(String::as_str))
        };
        if old.is_empty() { half(new) } else { put(self.s.needs_joint, &[&half(new), &half(old)]) }
    }

    /// True if these are a majority.
    pub(super) fn is_majority(&self, near: &[MemberId], have: &[MemberId]) -> bool {
        let (new, old) = self.voters(near);
        let half = |voters: &[MemberId]| {
            let has = voters.iter().filter(|id| have.contains(id)).count();
            voters.is_empty() || has > voters.len() / 2
        };
        !new.is_empty() && half(new) && half(old)
    }
}

impl<'w> Path<'w> {
    fn when(&self, ticks: u64, tick_ms: u64) -> String {
        let s = self.teller.s;
        let time = self.teller.time(ticks.saturating_mul(tick_ms));
        match ticks {
            0 => s.same_tick.to_owned(),
            1 => put(s.one_tick, &[&time]),
            _ => put(s.ticks, &[&ticks.to_string(), &time]),
        }
    }

    /// A moment of the member that was asked.
    fn at(&self, tick: u64) -> String {
        self.when(tick.saturating_sub(self.received), self.traced.tick_ms)
    }

    /// A moment of any member: its clock and that of the asked one met when the entry was appended.
    fn at_of(&self, told: &Told, tick: u64, handed: Handed) -> String {
        if told.member == self.traced.member {
            return self.at(tick);
        }
        let Some(appended) = told.entry.appended else { return String::new() };
        let before = handed.tick.saturating_sub(self.received);
        self.when(before + tick.saturating_sub(appended), told.tick_ms)
    }

    fn push(&mut self, name: &'static str, title: &'static str, words: String, when: String) {
        let state = StepState::Done;
        self.steps.push(StepView { name, state, title, words, when });
    }

    fn later(&mut self, name: &'static str, title: &'static str) {
        let words = self.teller.s.not_yet.to_owned();
        let (state, when) = (StepState::Later, String::new());
        self.steps.push(StepView { name, state, title, words, when });
    }

    fn find(&self, is: impl Fn(&CallStep) -> bool) -> Option<TracedStep> {
        self.traced.trace.steps.iter().rev().find(|it| is(&it.step)).copied()
    }

    /// All steps; gives what is known of the entry.
    fn make(&mut self) -> Option<Place<'w>> {
        let s = self.teller.s;
        let asked = self.teller.name(self.traced.member);
        self.push("received", s.received, put(s.received_by, &[&asked]), self.at(self.received));
        let has = |path: &Self, is: fn(&CallStep) -> bool| path.find(is).is_some();
        let is_write = has(self, |it| matches!(it, CallStep::Queued(_)));
        let is_read = has(self, |it| matches!(it, CallStep::ReadQueued));
        let mut place = None;
        if is_read {
            self.read_steps(&asked);
        }
        if let Some(step) = self.find(|it| matches!(it, CallStep::LeaderAsked(_)))
            && let CallStep::LeaderAsked(of) = step.step
        {
            let words = put(s.leader_asked_of, &[&asked, &self.teller.name(of)]);
            self.push("leader-asked", s.leader_asked, words, self.at(step.tick));
        }
        if is_write {
            place = self.write_steps(&asked);
        }
        if let Some(step) = self.find(|it| matches!(it, CallStep::Local)) {
            self.push("local", s.local, put(s.local_by, &[&asked]), self.at(step.tick));
        }
        if let Some(step) = self.find(|it| matches!(it, CallStep::Opened)) {
            let part = self.teller.why.parts.get(&self.traced.member).map(|(_, part)| part);
            let (applied, commit) = part.map_or((0, 0), |part| (part.applied.0, part.commit.0));
            let values = [asked.clone(), applied.to_string(), commit.to_string()];
            let words = put(s.opened_by, &values.each_ref().map(String::as_str));
            self.push("opened", s.opened, words, self.at(step.tick));
        }
        self.last_step(&asked);
        place
    }

    fn last_step(&mut self, asked: &str) {
        let s = self.teller.s;
        let is_stream = self.traced.trace.kind == CallKind::Watch;
        let last = self.traced.trace.steps.last().copied();
        let Some(TracedStep { tick, step }) = last else { return };
        let when = self.at(tick);
        match step {
            CallStep::Answered { error: None, applied, revision } => {
                // Its own entry is the newest one, which is counted only after the answer.
                let own = self.find(|it| matches!(it, CallStep::Applied { .. }));
                let applied = match own.map(|it| it.step) {
                    Some(CallStep::Applied { index, .. }) => applied.max(index),
                    _ => applied,
                };
                let values = [asked.to_owned(), applied.to_string(), revision.to_string()];
                let words = put(s.answered_by, &values.each_ref().map(String::as_str));
                self.push("answered", s.answered, words, when);
            }
            CallStep::Answered { error: Some(error), .. } => {
                // What comes after an error never comes, unless it just took too long.
                if !is_timeout(error) {
                    self.steps.retain(|step| step.state == StepState::Done);
                }
                let words = put(s.answered_error, &[asked, error.text()]);
                self.push("answered", s.answered, words, when);
                if let Some(step) = self.steps.last_mut() {
                    step.state = StepState::Failed;
                }
            }
            CallStep::Canceled if is_stream => {
                self.push("answered", s.answered, s.canceled_stream.to_owned(), when);
            }
            CallStep::Canceled => {
                self.push("answered", s.answered, s.canceled.to_owned(), when);
                if let Some(step) = self.steps.last_mut() {
                    step.state = StepState::Failed;
                }
            }
            _ if is_stream && self.steps.iter().any(|step| step.name == "opened") => {}
            _ => self.later("answered", s.answered),
        }
    }

    fn read_steps(&mut self, asked: &str) {
        let s = self.teller.s;
        let step = self.find(|it| matches!(it, CallStep::ReadAsked { .. }));
        match step.map(|it| (it.tick, it.step)) {
            Some((tick, CallStep::ReadAsked { of, times, .. })) => {
                let values = [asked.to_owned(), self.teller.name(of), times.to_string()];
                let template = if times > 1 { s.read_asked_times } else { s.read_asked_of };
                let words = put(template, &values.each_ref().map(String::as_str));
                self.push("read-asked", s.read_asked, words, self.at(tick));
            }
            _ => self.later("read-asked", s.read_asked),
        }
        let confirmed = self.find(|it| matches!(it, CallStep::ReadConfirmed(_)));
        let Some(TracedStep { tick, step: CallStep::ReadConfirmed(index) }) = confirmed else {
            self.later("read-confirmed", s.read_confirmed);
            self.later("caught-up", s.caught_up);
            return;
        };
        let by = self.teller.read(self.traced).map(|(_, read)| read.by.clone()).unwrap_or_default();
        let words = if by.is_empty() {
            put(s.read_confirmed_plain, &[&index.to_string()])
        } else {
            put(s.read_confirmed_by, &[&self.teller.names(&by), &index.to_string()])
        };
        self.push("read-confirmed", s.read_confirmed, words, self.at(tick));
        // It is served, or goes on, once the index is applied.
        let next = self.traced.trace.steps.iter().find(|it| {
            it.tick >= tick
                && matches!(it.step, CallStep::Answered { error: None, .. } | CallStep::Queued(_))
        });
        let next = next.copied();
        match next {
            Some(step) => {
                let words = put(s.caught_up_by, &[asked, &index.to_string()]);
                self.push("caught-up", s.caught_up, words, self.at(step.tick));
            }
            None => self.later("caught-up", s.caught_up),
        }
    }

    fn write_steps(&mut self, asked: &str) -> Option<Place<'w>> {
        let s = self.teller.s;
        let titles = [
            ("proposed", s.proposed),
            ("appended", s.appended),
            ("acknowledged", s.acknowledged),
            ("committed", s.committed),
            ("applied", s.applied),
        ];
        let handed = self.teller.handed(self.traced);
        if let Some(handed) = handed {
            self.proposed(asked, handed);
        }
        let teller = self.teller;
        let place = handed.and_then(|handed| place_of(teller, handed));
        if let (Some(handed), Some(place)) = (handed, &place)
            && !place.is_lost
        {
            self.entry_steps(asked, handed, place);
        }
        for (name, title) in titles {
            if !self.steps.iter().any(|step| step.name == name) {
                self.later(name, title);
            }
        }
        place
    }

    fn proposed(&mut self, asked: &str, handed: Handed) {
        let s = self.teller.s;
        let term = handed.term.to_string();
        let mut words = if handed.to == self.traced.member {
            put(s.proposed_self, &[asked, &term])
        } else {
            put(s.proposed_to, &[asked, &self.teller.name(handed.to), &term])
        };
        let queued = self.find(|it| matches!(it, CallStep::Queued(_)));
        if queued.is_some_and(|queued| queued.tick < handed.tick) {
            words.push(' ');
            words.push_str(s.proposed_waited);
        }
        self.push("proposed", s.proposed, words, self.at(handed.tick));
    }

    fn entry_steps(&mut self, asked: &str, handed: Handed, place: &Place<'_>) {
        let (teller, s) = (self.teller, self.teller.s);
        let index = place.index.to_string();
        let term = place.term.map(|term| term.to_string()).unwrap_or_default();
        // Who knows most of it: the leader, or else anybody.
        let Some(told) = place.by(handed.to).or_else(|| place.told.first().copied()) else {
            return;
        };
        let when = told.entry.appended.map(|tick| self.at_of(told, tick, handed));
        let leader = teller.name(told.member);
        let words = put(s.appended_at, &[&leader, &index, &term]);
        self.push("appended", s.appended, words, when.unwrap_or_default());
        let applied = self.find(|it| matches!(it, CallStep::Applied { .. }));
        let near = [handed.to, self.traced.member];
        let holders = place.holders();
        let is_committed = place.is_committed() || applied.is_some();
        if is_committed || teller.is_majority(&near, &holders) {
            let own = told.entry.durable.into_iter();
            let mut ticks: Vec<u64> =
                told.entry.acknowledged.iter().map(|(_, tick)| *tick).chain(own).collect();
            crate::types::sort(&mut ticks);
            let majority = teller.voters(&near).0.len() / 2;
            let when = ticks.get(majority).map(|tick| self.at_of(told, *tick, handed));
            let who = teller.names(&holders);
            let words = if teller.is_majority(&near, &holders) {
                put(s.acknowledged_by, &[&who, &teller.majority(&near, &holders)])
            } else {
                // The leader, which knows of the others, has not said so yet.
                put(s.acknowledged_some, &[&who])
            };
            self.push("acknowledged", s.acknowledged, words, when.unwrap_or_default());
        }
        if is_committed {
            let knows: Vec<MemberId> = place
                .told
                .iter()
                .filter(|told| told.entry.committed.is_some())
                .map(|told| told.member)
                .collect();
            let when = told.entry.committed.map(|tick| self.at_of(told, tick, handed));
            let who = if knows.is_empty() { asked.to_owned() } else { teller.names(&knows) };
            let words = put(s.committed_by, &[&index, &who]);
            self.push("committed", s.committed, words, when.unwrap_or_default());
        }
        match applied {
            Some(TracedStep { tick, step: CallStep::Applied { revision, .. } }) => {
                let words = put(s.applied_by, &[asked, &index, &revision.to_string()]);
                self.push("applied", s.applied, words, self.at(tick));
            }
            _ if is_committed => self.applied_elsewhere(handed, place),
            _ => {}
        }
    }

    /// The client waits no more; what it asked for is done all the same.
    fn applied_elsewhere(&mut self, handed: Handed, place: &Place<'_>) {
        let is_over =
            self.find(|it| matches!(it, CallStep::Canceled | CallStep::Answered { .. })).is_some();
        let at: Vec<&Told> =
            place.told.iter().filter(|told| told.entry.applied.is_some()).copied().collect();
        let here = at.iter().find(|told| told.member == self.traced.member);
        let Some(first) = here.or_else(|| at.first().filter(|_| is_over)) else { return };
        let names: Vec<MemberId> = at.iter().map(|told| told.member).collect();
        let when = first.entry.applied.map(|tick| self.at_of(first, tick, handed));
        let s = self.teller.s;
        let words =
            put(s.applied_elsewhere, &[&place.index.to_string(), &self.teller.names(&names)]);
        self.push("applied", s.applied, words, when.unwrap_or_default());
    }
}

/// The member waited in vain; what it asked for may still come.
const fn is_timeout(error: Error) -> bool {
    matches!(
        error,
        Error::Timeout
            | Error::TimeoutDueToLeaderFail
            | Error::TimeoutDueToConnectionLost
            | Error::TimeoutWaitAppliedIndex
    )
}

/// What is known of an entry.
fn place_of<'w>(teller: Teller<'w>, handed: Handed) -> Option<Place<'w>> {
    let told: Vec<&'w Told> =
        teller.why.entries.iter().filter(|told| told.entry.proposal == handed.name).collect();
    let lost = told.iter().find(|told| told.entry.is_lost).copied();
    let found: Vec<&'w Told> = told.iter().filter(|told| !told.entry.is_lost).copied().collect();
    let first = found.first().copied().or(lost)?;
    Some(Place {
        index: first.entry.index,
        term: found.iter().find_map(|told| told.entry.term).or(first.entry.term),
        is_lost: found.is_empty(),
        leader: handed.to,
        told: found,
    })
}
