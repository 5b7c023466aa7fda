//! Who stands beside a run, counts its events, changes it, and stops it.
//!
//! What it is: the part of the time machine that a run carries with it: before each event it is asked whether the run goes on.
//! What it is not: the timelines (see `machine`), nor a part of any run without one.
//! Invariants: it changes nothing but by the changes it was given; once it has stopped a run it sees nothing more of it, since
//! what is done afterwards only unwinds.

use std::collections::VecDeque;

use super::changes::{Done, OWN_CONSOLES, change_seed};
use super::machine::ending_of;
use super::print::Print;
use super::scene::Scene;
use super::words::{happening, occurred, phase};
use crate::cluster::{Glimpse, Onlooker, Phase, SimNews, Simulation};
use crate::scenario::moment::{
    Begun, Changed, Ending, HAPPENINGS_MAX, Happened, Happening, Moment, Occurred, STEPS_BEGUN_MAX,
    STEPS_TOLD_MAX, TimeAnswer, TimeChange, newest, words,
};
use crate::scenario::{Action, Refusal, SheetStep, StepReport};
use crate::types::{Index, MemberId, Millis};

/// Events that a timeline remembers for comparisons. Unit: events; 16 bytes each.
const PRINTS_MAX: usize = 1 << 20;

/// Where a run is to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// At this moment.
    Event(u64),
    /// Before the first event that is later than this.
    Time(Millis),
    /// When a step of this number or a later one has begun.
    Step(u32),
    /// After the first message that arrives later than this event.
    Message(u64),
    /// After the first tick of a member later than this event.
    Tick(u64),
    /// Never.
    End,
}

/// A moment that is kept.
#[derive(Clone, Debug)]
pub(super) struct Near {
    pub(super) moment: Moment,
    /// When the next event is; `None` at the end.
    pub(super) until: Option<Millis>,
}

/// A step that has begun.
#[derive(Clone, Debug)]
struct Seen {
    begun: Begun,
    sheet: SheetStep,
    /// It has not ended, and this is the console whose output is its own.
    running: Option<Option<u32>>,
}

/// See the module.
#[derive(Clone, Debug)]
pub(in crate::lab) struct Recorder {
    stop: Stop,
    /// Moments kept before and after the one that is looked for.
    around: (u64, u64),
    /// Of those after it only each that lies so many events behind the one before.
    every: u64,
    changes: Vec<(u64, TimeChange)>,
    made: Vec<Done>,
    events: u64,
    last: Occurred,
    last_at: Millis,
    happenings: VecDeque<Happening>,
    steps: Vec<Seen>,
    prints: Vec<Print>,
    /// The moment that was looked for.
    found: Option<u64>,
    moments: Vec<Near>,
    /// What is wanted beside the moment, and what it is.
    wanted: Option<Wanted>,
    given: Option<TimeAnswer>,
    /// Of a seed: how its cluster ended.
    ending: Option<Ending>,
    is_frozen: bool,
}

/// What can be wanted beside a moment.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted {
    /// A step.
    Step(u32),
    /// A part of a log: whose, from, to.
    Log(MemberId, Index, Index),
}

impl Recorder {
    /// For a run with these changes; `prints` are those of the timeline so far.
    pub(super) fn new(changes: Vec<(u64, TimeChange)>, prints: Vec<Print>) -> Self {
        Self {
            stop: Stop::End,
            around: (0, 0),
            every: 1,
            changes,
            made: Vec::new(),
            events: 0,
            last: Occurred::Nothing,
            last_at: Millis(0),
            happenings: VecDeque::new(),
            steps: Vec::new(),
            prints,
            found: None,
            moments: Vec::new(),
            wanted: None,
            given: None,
            ending: None,
            is_frozen: false,
        }
    }

    /// As this one was, for a run that goes on from a snapshot.
    pub(super) fn resumed(&self, changes: Vec<(u64, TimeChange)>, prints: Vec<Print>) -> Self {
        Self { changes, prints, ..self.clone() }
    }

    /// As it is, without what it leaves.
    pub(super) fn bare(&mut self) -> Self {
        let kept = (std::mem::take(&mut self.prints), std::mem::take(&mut self.moments));
        let bare = self.clone();
        (self.prints, self.moments) = kept;
        Self { found: None, wanted: None, given: None, ..bare }
    }

    /// Stops a run there, and keeps so many moments before and after that one.
    pub(super) const fn stop_at(&mut self, stop: Stop, around: (u64, u64)) {
        self.stop = stop;
        self.around = around;
        self.every = 1;
    }

    /// Of the moments after the one that is looked for, keeps each that lies so many events behind the one before.
    pub(super) const fn keep_every(&mut self, events: u64) {
        self.every = events;
    }

    /// Wants something of the moment that is looked for.
    pub(super) const fn wants(&mut self, wanted: Wanted) {
        self.wanted = Some(wanted);
    }

    /// What was wanted.
    pub(super) const fn given(&mut self) -> Option<TimeAnswer> {
        self.given.take()
    }

    /// How the cluster of a seed ended.
    pub(super) const fn take_ending(&mut self) -> Option<Ending> {
        self.ending.take()
    }

    /// True if a change was made.
    pub(super) const fn is_changed(&self) -> bool {
        !self.made.is_empty()
    }

    /// True once the run has been stopped.
    pub(in crate::lab) const fn is_frozen(&self) -> bool {
        self.is_frozen
    }

    /// Steps that have begun.
    pub(super) fn begun(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }

    /// Events so far.
    pub(super) const fn events(&self) -> u64 {
        self.events
    }

    /// The time of the newest event.
    pub(super) const fn last_at(&self) -> Millis {
        self.last_at
    }

    /// The moment that was looked for; `None`: the run ended before.
    pub(super) const fn found(&self) -> Option<u64> {
        self.found
    }

    /// What it leaves: moments and prints.
    pub(super) fn into_parts(self) -> (Vec<Near>, Vec<Print>) {
        (self.moments, self.prints)
    }

    /// The next change that is due, with its number.
    pub(in crate::lab) fn due(&self) -> Option<(u32, TimeChange)> {
        if self.is_frozen {
            return None;
        }
        let (at, change) = self.changes.get(self.made.len())?;
        let number = u32::try_from(self.made.len()).unwrap_or(u32::MAX);
        (*at <= self.events).then(|| (number, change.clone()))
    }

    /// What the change that was due has done.
    pub(in crate::lab) fn made(&mut self, at: Millis, done: Done) {
        let (Ok(said) | Err(said)) = &done;
        self.tell(at, Happened::Changed(said.clone()));
        self.made.push(done);
    }

    fn tell(&mut self, at: Millis, what: Happened) {
        let event = self.events;
        self.keep(Happening { at, event, what });
    }

    fn keep(&mut self, happening: Happening) {
        if self.is_frozen {
            return;
        }
        if self.happenings.len() >= HAPPENINGS_MAX {
            self.happenings.pop_front();
        }
        self.happenings.push_back(happening);
    }

    /// What clients and onlookers of a run with consoles hear.
    pub(in crate::lab) fn heard(&mut self, at: Millis, news: &SimNews) {
        if let Some(told) = happening(at, self.events, news, false) {
            self.keep(told);
        }
    }

    /// What a verb of the script did.
    pub(in crate::lab) fn did(&mut self, at: Millis, told: &Refusal) {
        let (english, chinese) = (words(&told.english), words(&told.chinese));
        self.tell(at, Happened::Done(Refusal { english, chinese }));
    }

    /// A step begins.
    pub(in crate::lab) fn step_begins(&mut self, at: Millis, action: &Action) {
        if self.is_frozen {
            return;
        }
        let console = match action {
            Action::Command { console, .. }
            | Action::Type { console, .. }
            | Action::EndInput { console } => Some(*console),
            _ => None,
        };
        let step = self.begun();
        let begun = Begun { step, event: self.events, at, failure: None };
        let sheet = SheetStep::of(action);
        self.steps.push(Seen { begun, sheet, running: Some(console) });
    }

    /// A step has ended, or is judged.
    pub(in crate::lab) fn step_ended(&mut self, number: usize, report: &StepReport) {
        if self.is_frozen {
            return;
        }
        if let Some(seen) = self.steps.get_mut(number) {
            seen.sheet.take(report);
            seen.sheet.output = newest(&seen.sheet.output);
            seen.sheet.errors = newest(&seen.sheet.errors);
            if let Some((output, errors)) = seen.sheet.chinese.as_deref_mut() {
                (*output, *errors) = (newest(output), newest(errors));
            }
            seen.begun.failure = seen.sheet.failure;
            seen.running = None;
        }
    }

    /// The next event is about to happen; true: the run stops here.
    pub(in crate::lab) fn looks(&mut self, scene: &Scene<'_>) -> bool {
        if self.is_frozen {
            return true;
        }
        let next = scene.simulation.glimpse();
        if self.found.is_none() && self.is_there(next.as_ref()) {
            self.found = Some(self.events);
            self.gives(scene);
        }
        if self.is_kept() {
            let (moment, until) = (self.moment(scene), next.as_ref().map(|next| next.at));
            self.moments.push(Near { moment, until });
        }
        if self.found.is_some_and(|found| self.events >= found.saturating_add(self.around.1)) {
            self.is_frozen = true;
            return true;
        }
        if let Some(next) = next {
            let last = occurred(&next);
            self.events += 1;
            let known = u64::try_from(self.prints.len()).unwrap_or(u64::MAX);
            if self.events > known && self.prints.len() < PRINTS_MAX {
                self.prints.push(Print::new(next.at, &last, scene.trace()));
            }
            (self.last, self.last_at) = (last, next.at);
        }
        false
    }

    /// The run is over.
    pub(super) fn ends(&mut self, scene: &Scene<'_>) {
        if !self.is_frozen {
            if self.found.is_none() {
                self.gives(scene);
            }
            let moment = Moment { is_end: true, ..self.moment(scene) };
            self.moments.push(Near { moment, until: None });
        }
    }

    fn is_kept(&self) -> bool {
        match (self.found, self.stop) {
            (Some(found), _) => self.events.saturating_sub(found).is_multiple_of(self.every.max(1)),
            (None, Stop::Event(event)) => self.events.saturating_add(self.around.0) >= event,
            (None, _) => false,
        }
    }

    fn is_there(&self, next: Option<&Glimpse<'_>>) -> bool {
        match self.stop {
            Stop::Event(event) => self.events >= event,
            Stop::Time(time) => next.is_some_and(|next| next.at > time),
            Stop::Step(step) => self.begun() > step,
            Stop::Message(after) => {
                self.events > after && matches!(self.last, Occurred::Message(_))
            }
            Stop::Tick(after) => self.events > after && matches!(self.last, Occurred::Tick(_)),
            Stop::End => false,
        }
    }

    fn moment(&self, scene: &Scene<'_>) -> Moment {
        let from = self.steps.len().saturating_sub(STEPS_BEGUN_MAX);
        let begun = self.steps.iter().skip(from).map(|seen| seen.begun).collect();
        Moment {
            event: self.events,
            last: self.last.clone(),
            now: self.last_at,
            step: self.begun(),
            begun,
            told: self.told(scene),
            own: self.own(scene),
            happenings: self.happenings.iter().cloned().collect(),
            changes: self.changed(),
            ..scene.moment()
        }
    }

    /// The changes that were made.
    fn changed(&self) -> Vec<Changed> {
        let made = self.changes.iter().zip(&self.made);
        let show = |((at, change), done): (&(u64, TimeChange), &Done)| {
            let (Ok(said) | Err(said)) = done;
            let said: Option<Refusal> = Some(said.clone());
            Changed { at: *at, change: change.clone(), said, is_void: done.is_err() }
        };
        made.map(show).collect()
    }

    /// The newest steps.
    fn told(&self, scene: &Scene<'_>) -> Vec<(u32, SheetStep)> {
        let from = self.steps.len().saturating_sub(STEPS_TOLD_MAX);
        let steps = self.steps.iter().skip(from);
        steps.map(|seen| (seen.begun.step, shown(seen, scene))).collect()
    }

    fn gives(&mut self, scene: &Scene<'_>) {
        self.given = self.wanted.map(|wanted| match wanted {
            Wanted::Step(number) => {
                let step = usize::try_from(number).ok().and_then(|at| self.steps.get(at));
                TimeAnswer::Step(step.map(|seen| Box::new(shown(seen, scene))))
            }
            Wanted::Log(member, from, to) => {
                TimeAnswer::Log(scene.simulation.log_part(member, from, to).map(Box::new))
            }
        });
    }

    /// What the commands of changes have printed.
    fn own(&self, scene: &Scene<'_>) -> Vec<(u32, SheetStep)> {
        let Some(session) = scene.session else { return Vec::new() };
        let lines = (0_u32..).zip(self.changes.iter().zip(&self.made));
        let printed = lines.filter_map(|(number, ((_, change), _))| match change {
            TimeChange::Line(line) => {
                let (output, errors, status) = session.tail(OWN_CONSOLES + number)?;
                let failure = status.filter(|status| *status != 0);
                let text = line.clone();
                let step = SheetStep { text, output, errors, failure, ..SheetStep::default() };
                Some((number, step))
            }
            _ => None,
        });
        printed.collect()
    }
}

/// A step with what its console has printed so far, if it is under way.
fn shown(seen: &Seen, scene: &Scene<'_>) -> SheetStep {
    let mut sheet = seen.sheet.clone();
    let (Some(console), Some(session)) = (seen.running, scene.session) else { return sheet };
    let mut output = Vec::new();
    if let Some((own, errors, _)) = console.and_then(|console| session.tail(console)) {
        output.extend(own);
        sheet.errors = errors;
    }
    for other in session.consoles().into_iter().filter(|other| Some(*other) != console) {
        if let Some((printed, _, _)) = session.tail(other).filter(|(out, _, _)| !out.is_empty()) {
            output.extend(format!("[@{other}] ").bytes());
            output.extend(printed);
        }
    }
    sheet.output = newest(&output);
    sheet
}

impl Onlooker for Recorder {
    fn goes_on(&mut self, simulation: &mut Simulation) -> bool {
        while let Some((_, change)) = self.due() {
            let done = change_seed(simulation, &change);
            self.made(simulation.now(), done);
        }
        if self.looks(&Scene { simulation, session: None }) {
            return false;
        }
        if let Occurred::Asked { member, what } = &self.last {
            let told = Happened::Asked(*member, what.clone());
            self.tell(self.last_at, told);
        }
        true
    }

    fn hears(&mut self, at: Millis, news: &SimNews) {
        if let Some(told) = happening(at, self.events, news, true) {
            self.keep(told);
        }
    }

    fn told(&mut self, at: Millis, what: &Phase) {
        self.tell(at, Happened::Phase(phase(what)));
    }

    fn ends(&mut self, simulation: &Simulation) {
        let scene = Scene { simulation, session: None };
        Self::ends(self, &scene);
        self.ending = Some(ending_of(&scene, self.events));
    }
}
