//! Timelines, and the questions about them.
//!
//! What it is: what is remembered between two questions: source, changes, where a timeline stands, how it ends, some moments
//! beside the one that was asked for.
//! What it is not: a run; each question that needs one plays it.
//! Invariants: a question that is refused changes nothing; what is remembered of a timeline's future goes when it is changed.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::print::{Print, difference};
use super::recorder::{Near, Recorder, Stop, Wanted};
use super::scene::Scene;
use super::snapshots::Snapshots;
use crate::cluster::{self, Judged, RunReport};
use crate::lab::play::Lab;
use crate::scenario::moment::{
    CHANGES_MAX, Comparison, Difference, Ending, Moment, Occurred, Opened, SOURCE_BYTES_MAX,
    SeedVerdict, TIMELINES_MAX, TimeAnswer, TimeChange, TimeQuestion, TimeSource, To,
};
use crate::scenario::{Expected, Refusal, Report, Script, Sheet, StepReport, link};
use crate::types::Millis;

/// Moments that are kept behind the one that was asked for, when somebody steps.
const AHEAD: u64 = 24;
/// Those before it, when somebody steps back.
const BEHIND: u64 = 24;
/// Moments that a timeline remembers.
const MOMENTS_MAX: usize = 320;
/// Moments that are kept behind one of a seed that is found by its time: whoever plays it asks for the next ones soon, and each
/// time it is played from its beginning.
const FRAMES: u64 = 256;
/// Longest jump of a run that is played by events: whoever makes two of the same length is about to make more.
const JUMP_MAX: u64 = 512;
/// So many further jumps are kept behind the second.
const JUMPS: u64 = 64;
/// How long a timeline goes on after its script when something is changed at its end. Unit: virtual ms.
const AFTER_MS: u64 = 5_000;

/// What is played.
#[derive(Debug)]
enum Source {
    Script(Box<Script>),
    Seed(u64),
}

/// A source with its changes, and what is known of it.
#[derive(Clone, Debug)]
struct Timeline {
    source: Rc<Source>,
    changes: Vec<(u64, TimeChange)>,
    /// Where it stands.
    moment: Moment,
    prints: Vec<Print>,
    /// Moments beside it, by their numbers; without gaps, but for the end.
    near: BTreeMap<u64, Near>,
    known: (u64, Millis),
    ending: Option<Ending>,
    snapshots: Snapshots,
    /// How far it went last, when it was sent on by a number of events; else 0.
    jump: u64,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Machine {
    timelines: Vec<Timeline>,
}

/// What playing a timeline gave.
struct Played {
    moment: Moment,
    given: Option<TimeAnswer>,
}

impl Machine {
    /// Answers a question.
    pub fn answer(&mut self, question: TimeQuestion) -> TimeAnswer {
        self.answered(question).unwrap_or_else(TimeAnswer::Refused)
    }

    fn answered(&mut self, question: TimeQuestion) -> Result<TimeAnswer, Refusal> {
        match question {
            TimeQuestion::Open(source) => self.open(source),
            TimeQuestion::Go { timeline, to } => self.go(timeline, to),
            TimeQuestion::Fork { at } => self.fork(at),
            TimeQuestion::Change { timeline, at, change } => self.change(timeline, at, change),
            TimeQuestion::Undo { timeline } => self.undo(timeline),
            TimeQuestion::Close { timeline } => {
                self.timeline(timeline)?;
                self.timelines.remove(usize::from(timeline));
                Ok(TimeAnswer::Closed)
            }
            TimeQuestion::Compare => self.compare(),
            TimeQuestion::Log { timeline, member, from, to } => {
                self.want(timeline, Wanted::Log(member, from, to))
            }
            TimeQuestion::Step { timeline, step } => self.want(timeline, Wanted::Step(step)),
        }
    }

    fn timeline(&mut self, number: u8) -> Result<&mut Timeline, Refusal> {
        let found = self.timelines.get_mut(usize::from(number));
        found.ok_or_else(|| refuse("there is no such timeline", "没有这条时间线"))
    }

    fn open(&mut self, source: TimeSource) -> Result<TimeAnswer, Refusal> {
        let source = read(source)?;
        let mut opened = match &source {
            Source::Script(script) => {
                let Sheet { title, script, steps, .. } = Sheet::of(script);
                Opened { title, script, steps, ..Opened::default() }
            }
            Source::Seed(seed) => {
                let plan = super::words::plan(cluster::seed_plan(*seed));
                Opened { plan, ..Opened::default() }
            }
        };
        let mut timeline = Timeline {
            source: Rc::new(source),
            changes: Vec::new(),
            moment: Moment::default(),
            prints: Vec::new(),
            near: BTreeMap::new(),
            known: (0, Millis(0)),
            ending: None,
            snapshots: Snapshots::default(),
            jump: 0,
        };
        opened.moment = timeline.go(Stop::Event(0), (0, AHEAD));
        self.timelines = vec![timeline];
        Ok(TimeAnswer::Opened(Box::new(opened)))
    }

    fn go(&mut self, number: u8, to: To) -> Result<TimeAnswer, Refusal> {
        let timeline = self.timeline(number)?;
        let now = timeline.moment.event;
        let (stop, around) = match to {
            To::Start => (Stop::Event(0), (0, AHEAD)),
            To::Event(event) => (Stop::Event(event), (0, timeline.jumps_to(event))),
            To::Back => (Stop::Event(now.saturating_sub(1)), (BEHIND, 0)),
            To::NextEvent => (Stop::Event(now.saturating_add(1)), (0, AHEAD)),
            To::Time(time) => (Stop::Time(time), (0, timeline.frames())),
            To::Step(step) => (Stop::Step(step), (0, 0)),
            To::NextStep => (Stop::Step(timeline.moment.step), (0, 0)),
            To::NextMessage => (Stop::Message(now), (0, AHEAD)),
            To::NextTick => (Stop::Tick(now), (0, AHEAD)),
            To::End => (Stop::End, (0, 0)),
        };
        if !matches!(to, To::Event(_)) {
            timeline.jump = 0;
        }
        let moment = timeline.go(stop, around);
        Ok(tell(number, moment))
    }

    fn fork(&mut self, at: u64) -> Result<TimeAnswer, Refusal> {
        const { assert!(TIMELINES_MAX == 2, "a fork is timeline 1") };
        let mut timeline = self.timeline(0)?.clone();
        let moment = timeline.go(Stop::Event(at), (0, AHEAD));
        let keeps = timeline.changes.iter().filter(|(made, _)| *made <= at).count();
        if keeps < timeline.changes.len() {
            timeline.changes.truncate(keeps);
            timeline.forget_after(at);
        }
        self.timelines.truncate(1);
        let moment = timeline.with_known(moment);
        self.timelines.push(timeline);
        Ok(tell(1, moment))
    }

    fn change(&mut self, number: u8, at: u64, change: TimeChange) -> Result<TimeAnswer, Refusal> {
        let timeline = self.timeline(number)?;
        if let TimeChange::Line(text) = &change {
            super::changes::read_line(text)?;
        }
        let keeps = timeline.changes.iter().filter(|(made, _)| *made <= at).count();
        if keeps >= CHANGES_MAX {
            return Err(refuse(
                format!("a timeline has at most {CHANGES_MAX} changes"),
                format!("一条时间线最多 {CHANGES_MAX} 处改动"),
            ));
        }
        let at = timeline.go(Stop::Event(at), (0, 0)).event;
        timeline.changes.truncate(keeps);
        timeline.changes.push((at, change));
        timeline.forget_after(at);
        let moment = timeline.go(Stop::Event(at), (0, AHEAD));
        Ok(tell(number, moment))
    }

    fn undo(&mut self, number: u8) -> Result<TimeAnswer, Refusal> {
        let timeline = self.timeline(number)?;
        let Some((at, _)) = timeline.changes.pop() else {
            return Err(refuse("nothing was changed here", "这条时间线没有改动"));
        };
        timeline.forget_after(at);
        let moment = timeline.go(Stop::Event(at), (0, AHEAD));
        Ok(tell(number, moment))
    }

    fn want(&mut self, number: u8, wanted: Wanted) -> Result<TimeAnswer, Refusal> {
        let timeline = self.timeline(number)?;
        let at = timeline.moment.event;
        let played = timeline.play(Stop::Event(at), (0, 0), Some(wanted));
        played.given.ok_or_else(|| refuse("there is nothing", "没有内容"))
    }

    fn compare(&mut self) -> Result<TimeAnswer, Refusal> {
        self.timeline(1)?;
        let mut comparison = Comparison::default();
        let endings = [&mut comparison.one, &mut comparison.other];
        for (timeline, ending) in self.timelines.iter_mut().zip(endings) {
            *ending = timeline.ended();
        }
        comparison.outcomes_differ = comparison.one.outcome != comparison.other.outcome;
        let [one, other] = self.timelines.as_mut_slice() else {
            unreachable!("there are two timelines");
        };
        comparison.first = difference(&one.prints, &other.prints).map(|(event, from)| {
            let (one_at, one) = one.event(event);
            let (other_at, other) = other.event(event);
            Difference { event, one_at, one, other_at, other, from }
        });
        Ok(TimeAnswer::Comparison(Box::new(comparison)))
    }
}

impl Timeline {
    /// Goes to a moment and stands there.
    fn go(&mut self, stop: Stop, around: (u64, u64)) -> Moment {
        let near = match stop {
            Stop::Event(event) => self.near.get(&event),
            Stop::Time(time) => self.near.values().find(|near| {
                near.moment.now <= time && near.until.is_none_or(|until| until > time)
            }),
            _ => None,
        };
        let moment = match near {
            Some(near) => near.moment.clone(),
            None => self.play(stop, around, None).moment,
        };
        let moment = self.with_known(moment);
        self.moment = moment.clone();
        moment
    }

    /// Events behind this one within which moments are kept, each as far from the next as this one is from where the timeline
    /// stands; none of them unless it has just gone as far, or a part of it.
    fn jumps_to(&mut self, event: u64) -> u64 {
        let far = event.saturating_sub(self.moment.event);
        let is_jump = (2..=JUMP_MAX).contains(&far);
        let is_again = is_jump && self.jump > 0 && far.is_multiple_of(self.jump);
        if is_again {
            return self.jump.saturating_mul(JUMPS);
        }
        self.jump = if is_jump { far } else { 0 };
        0
    }

    /// Moments to keep behind one that is found by its time.
    fn frames(&self) -> u64 {
        match *self.source {
            Source::Script(_) => 0,
            Source::Seed(_) => FRAMES,
        }
    }

    fn with_known(&self, moment: Moment) -> Moment {
        let (known, known_until) = self.known;
        let is_whole = self.ending.is_some();
        let ending = self.ending.clone().filter(|_| moment.is_end);
        Moment { known, known_until, is_whole, ending, ..moment }
    }

    /// What was known of the moments from this one on is known no more.
    fn forget_after(&mut self, at: u64) {
        self.near.clear();
        self.prints.truncate(usize::try_from(at).unwrap_or(usize::MAX));
        self.ending = None;
        self.snapshots.forget_after(at);
        self.known = (0, Millis(0));
    }

    /// Plays until a moment, and remembers what is beside it.
    fn play(&mut self, stop: Stop, around: (u64, u64), wanted: Option<Wanted>) -> Played {
        let prints = std::mem::take(&mut self.prints);
        let from = self.snapshots.before(stop, around.0);
        let mut recorder = match &from {
            Some(from) => from.recorder.resumed(self.changes.clone(), prints),
            None => Recorder::new(self.changes.clone(), prints),
        };
        recorder.stop_at(stop, around);
        if matches!(stop, Stop::Event(_)) && around.1 > AHEAD {
            recorder.keep_every(self.jump);
        }
        if let Some(wanted) = wanted {
            recorder.wants(wanted);
        }
        let (mut recorder, ending) = match &*self.source {
            Source::Script(script) => {
                let lab = match from.and_then(|from| from.lab.copy()) {
                    Some(mut lab) => {
                        lab.session_mut().set_recorder(Box::new(recorder));
                        lab
                    }
                    None => Lab::recorded((**script).clone(), Some(Box::new(recorder))),
                };
                play_script(lab, &mut self.snapshots)
            }
            Source::Seed(seed) => play_seed(*seed, recorder),
        };
        self.known = self.known.max((recorder.events(), recorder.last_at()));
        let (given, found) = (recorder.given(), recorder.found());
        let (moments, prints) = recorder.into_parts();
        self.prints = prints;
        let outcome = ending.as_ref().map(|ending| ending.outcome);
        self.ending = ending.or_else(|| self.ending.take());
        self.near.clear();
        for mut near in moments {
            if near.moment.is_end {
                near.moment.outcome = outcome.unwrap_or(near.moment.outcome);
            }
            let is_it = found == Some(near.moment.event) || near.moment.is_end;
            if is_it || self.near.len() < MOMENTS_MAX {
                self.near.insert(near.moment.event, near);
            }
        }
        let near = match found {
            Some(found) => self.near.get(&found),
            None => self.near.values().next_back(),
        };
        let moment = near.map(|near| near.moment.clone()).unwrap_or_default();
        Played { moment, given }
    }

    /// How it ends.
    fn ended(&mut self) -> Ending {
        if self.ending.is_none() {
            self.play(Stop::End, (0, 0), None);
        }
        self.ending.clone().unwrap_or_default()
    }

    /// When and what an event is; nothing if there is none of this number.
    fn event(&mut self, event: u64) -> (Option<Millis>, Occurred) {
        let moment = self.play(Stop::Event(event), (0, 0), None).moment;
        if moment.event == event {
            (Some(moment.now), moment.last)
        } else {
            (None, Occurred::Nothing)
        }
    }
}

fn tell(number: u8, moment: Moment) -> TimeAnswer {
    TimeAnswer::Moment(Box::new(Moment { timeline: number, ..moment }))
}

fn refuse(english: impl Into<String>, chinese: impl Into<String>) -> Refusal {
    Refusal { english: english.into(), chinese: chinese.into() }
}

fn read(source: TimeSource) -> Result<Source, Refusal> {
    let bytes = match &source {
        TimeSource::Script(text) | TimeSource::Link(text) => text.len(),
        TimeSource::Seed(_) => 0,
    };
    if bytes > SOURCE_BYTES_MAX {
        let kib = SOURCE_BYTES_MAX / 1024;
        return Err(refuse(
            format!("this is longer than {kib} KiB"),
            format!("内容超过 {kib} KiB"),
        ));
    }
    Ok(match source {
        TimeSource::Script(text) => Source::Script(Box::new(Script::parse(&text)?)),
        TimeSource::Link(text) => Source::Script(Box::new(link::open(&text)?)),
        TimeSource::Seed(seed) => Source::Seed(seed),
    })
}

/// Plays a script until it ends or its recorder stops it; in the first case the ending.
fn play_script(mut lab: Lab, snapshots: &mut Snapshots) -> (Recorder, Option<Ending>) {
    let is_frozen = |lab: &mut Lab| lab.session_mut().recorder().is_some_and(|it| it.is_frozen());
    while !is_frozen(&mut lab) {
        snapshots.take(&mut lab);
        if lab.play_next().is_none() {
            break;
        }
    }
    if lab.session_mut().recorder().is_some_and(|it| it.due().is_some()) {
        lab.session_mut().run(AFTER_MS, |_| false);
    }
    let is_exhausted = lab.is_exhausted();
    let Some(mut recorder) = lab.session_mut().take_recorder() else {
        unreachable!("it was given to this lab");
    };
    if recorder.is_frozen() {
        return (*recorder, None);
    }
    recorder.ends(&Scene::of(lab.session()));
    let mut ending = ending_of(&Scene::of(lab.session()), recorder.events());
    let is_changed = recorder.is_changed();
    let expected = lab.script().expected.clone().filter(|_| !is_changed);
    let report = lab.into_report();
    judge_script(&mut ending, expected.as_ref(), &report);
    ending.is_exhausted = is_exhausted;
    (*recorder, Some(ending))
}

fn judge_script(ending: &mut Ending, expected: Option<&Expected>, report: &Report) {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let (met, unmet) = report.tally();
    (ending.met, ending.unmet) = (count(met), count(unmet));
    // A claim that is not met is counted as such already.
    let has_failed =
        |step: &&StepReport| !step.is_told && step.status.is_some_and(|status| status != 0);
    let failed = report.steps.iter().filter(has_failed);
    ending.failed = count(failed.count());
    (ending.outcome, ending.trace) = (report.outcome, report.trace);
    ending.verdict = expected.map(|expected| report.compare(expected));
}

/// Plays a seed until it ends or its recorder stops it; in the first case the ending.
fn play_seed(seed: u64, mut recorder: Recorder) -> (Recorder, Option<Ending>) {
    let report = cluster::watch_seed(seed, &mut recorder);
    let ending = recorder.take_ending();
    let ending = report.map(|report| {
        let mut ending = ending.unwrap_or_default();
        ending.trace = report.trace_hash;
        ending.seed = Some(seed_verdict(&report));
        ending
    });
    (recorder, ending)
}

fn seed_verdict(report: &RunReport) -> SeedVerdict {
    match &report.judged {
        Judged::Valid => SeedVerdict::Valid,
        Judged::Invalid => SeedVerdict::TooLittle,
        Judged::Stranded => SeedVerdict::Stranded,
        Judged::Unknown(what) => SeedVerdict::Unknown(what.clone()),
        Judged::Broken(violation) => {
            let name = cluster::invariants::name(violation.number).to_owned();
            SeedVerdict::Broken(violation.number, name, violation.what.clone())
        }
    }
}

/// What can be read off a cluster at its end.
pub(super) fn ending_of(scene: &Scene<'_>, events: u64) -> Ending {
    let simulation = scene.simulation;
    let running = simulation.members().iter().filter_map(|member| simulation.status(member.id));
    let newest = running.max_by_key(|status| (status.term, status.leader));
    Ending {
        events,
        now: simulation.now(),
        leader: newest.as_ref().and_then(|status| status.leader),
        term: newest.map(|status| status.term).unwrap_or_default(),
        revision: simulation.newest_revision(),
        outcome: simulation.outcome_hash(),
        trace: scene.trace(),
        ..Ending::default()
    }
}
