//! Questions to the lab, one at a time, and what its answers change.
//!
//! Invariants: those of the module above; a question whose answer depends on where a timeline stands in the lab is asked only
//! when that is where it is seen to stand.

use bytes::Bytes;

use super::script::Scripted;
use super::speed::Due;
use super::{Compared, Job, Lane, Moves, Name, Run, Stage, TimeState, count, words};
use crate::playground::escape;
use crate::playground::insight::protocol::Ask;
use crate::scenario::moment::{
    Changed, Comparison, Moment, NOT_LOADED, Opened, TimeAnswer, TimeQuestion, To,
};
use crate::scenario::{Refusal, SheetStep};
use crate::types::Millis;
use crate::wire;

/// Between two questions of a run that plays. Unit: ms. Source: ours; some 15 pictures a second.
const PACE_MS: u64 = 66;
/// The same at so many events a second that each picture shows a batch of them. Unit: ms. Source: ours; less than a batch takes, so
/// that none is left out.
const RUSH_PACE_MS: u64 = 80;
/// The same where motion is not wanted. Unit: ms. Source: ours; slow enough to be read.
const STILL_PACE_MS: u64 = 500;
/// A run that plays does not go on over a longer time without a frame. Unit: ms.
const GAP_MS: u64 = 1_500;
/// After that an open question is said to be computed. Unit: ms.
const LATE_MS: u64 = 1_000;
/// Between two things that are said of a run that plays. Unit: ms. Source: ours; a sentence is heard to its end.
const TELL_MS: u64 = 2_500;

/// The question that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    number: u64,
    job: Job,
    at: Millis,
}

impl Asked {
    /// Where it lets a timeline go.
    pub(super) fn goes(&self, lane: usize) -> Option<To> {
        match &self.job {
            Job::Ask(TimeQuestion::Go { timeline, to }) if usize::from(*timeline) == lane => {
                Some(*to)
            }
            _ => None,
        }
    }
}

/// What is said to those who do not see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) words: String,
    at: Millis,
}

impl TimeState {
    /// Asks the next question, if none is open.
    pub(super) fn ask_on(&mut self) {
        while self.asked.is_none() {
            let Some(job) = self.next_job() else { return };
            let question = match &job {
                Job::Ask(question) => question.clone(),
                Job::Measure(timeline) => TimeQuestion::Go { timeline: *timeline, to: To::End },
            };
            self.number += 1;
            let Ok(bytes) = wire::encode(&(self.number, question)) else { continue };
            self.asks.push(Ask::Lab(Bytes::from(bytes)));
            self.asked = Some(Asked { number: self.number, job, at: self.now });
        }
    }

    fn next_job(&mut self) -> Option<Job> {
        if let Some(job) = self.queue.pop_front() {
            return Some(job);
        }
        let is_playing = self.is_playing();
        let run = self.run.as_mut()?;
        for (at, lane) in run.lanes.iter_mut().enumerate() {
            if let Some(to) = lane.wish.take() {
                let timeline = u8::try_from(at).unwrap_or(u8::MAX);
                return Some(Job::Ask(TimeQuestion::Go { timeline, to }));
            }
        }
        for (at, lane) in run.lanes.iter().enumerate() {
            if let Some(step) = lane.unseen() {
                let timeline = u8::try_from(at).unwrap_or(u8::MAX);
                return Some(Job::Ask(TimeQuestion::Step { timeline, step }));
            }
        }
        let wants = !is_playing && run.comparison == Compared::Not && run.differ();
        wants.then(|| {
            run.comparison = Compared::Asked;
            Job::Ask(TimeQuestion::Compare)
        })
    }

    /// Time passes: a run that plays goes on.
    pub fn frame(&mut self, now: Millis) {
        self.now = now;
        let gap = now.since(std::mem::replace(&mut self.framed, now));
        let Some(playing) = &mut self.playing else { return };
        // Nobody saw what would have been shown meanwhile.
        if gap > GAP_MS {
            playing.since = Millis(playing.since.0.saturating_add(gap).min(now.0));
        }
        let playing = *playing;
        let pace = match self.is_still {
            true => STILL_PACE_MS,
            false if self.speed.is_rush() => RUSH_PACE_MS,
            false => PACE_MS,
        };
        if self.asked.is_some() || now.since(self.paced) < pace {
            return;
        }
        self.paced = now;
        let due = playing.due(self.speed, now);
        let Some(run) = &self.run else { return };
        if run.is_over() {
            self.rest();
            return self.ask_on();
        }
        let event = run.lanes.get(run.leading_to(To::NextEvent)).map_or(0, |it| it.moment.event);
        match due {
            Due::Event(due) if due <= event => {}
            Due::Event(due) if due == event + 1 => self.go(To::NextEvent),
            Due::Event(due) => self.go(To::Event(due)),
            Due::Time(at) => self.go(To::Time(Millis(at))),
        }
    }

    /// Time passes.
    pub fn look(&mut self, now: Millis) {
        self.now = now;
        self.settle_bar();
    }

    /// The open question has been open for long.
    pub(super) fn is_late(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| self.now.since(asked.at) >= LATE_MS)
    }

    /// Ends what the lab computes.
    pub fn stop(&mut self) {
        if self.asked.is_some() {
            self.asks.push(Ask::EndLab);
            if let Some(wish) = &mut self.wish {
                // It shall not take as long again.
                wish.is_measured = false;
            }
            self.fail(Stage::Failed(self.strings().stopped.to_owned()));
        }
    }

    /// What came from the lab, or why nothing comes any more.
    pub fn hear(&mut self, told: Result<Bytes, String>) {
        let bytes = match told {
            Ok(bytes) => bytes,
            Err(reason) => {
                // A worker that was ended on purpose is nothing to speak of.
                if matches!(self.stage, Stage::Opening | Stage::Open) {
                    let words = |reason: &str| escape::line(reason.as_bytes());
                    self.fail(match reason.strip_prefix(NOT_LOADED) {
                        Some(reason) => Stage::NotLoaded(words(reason)),
                        None => Stage::Failed(words(&reason)),
                    });
                }
                return;
            }
        };
        let Ok((number, answer)) = wire::decode::<(u64, TimeAnswer)>(&bytes) else {
            if self.asked.is_some() {
                self.asks.push(Ask::EndLab);
                self.fail(Stage::Failed(self.strings().answer_unread.to_owned()));
            }
            return;
        };
        let Some(asked) = self.asked.take_if(|asked| asked.number == number) else { return };
        self.answered(asked.job, answer);
        if self.stage == Stage::Opening && self.run.is_some() && self.queue.is_empty() {
            self.stage = Stage::Open;
        }
        self.ask_on();
    }

    fn fail(&mut self, stage: Stage) {
        self.stage = stage;
        self.asked = None;
        self.queue.clear();
        self.playing = None;
        for lane in self.run.iter_mut().flat_map(|run| &mut run.lanes) {
            lane.wish = None;
        }
    }

    fn answered(&mut self, job: Job, answer: TimeAnswer) {
        match answer {
            TimeAnswer::Opened(opened) => self.opened(*opened),
            TimeAnswer::Moment(moment) => self.stands(&job, *moment),
            TimeAnswer::Comparison(comparison) => self.compared(*comparison),
            TimeAnswer::Closed => self.closed(&job),
            TimeAnswer::Refused(refusal) => self.refused(&job, &refusal),
            TimeAnswer::Step(step) => self.step_came(&job, step.map(|step| *step)),
            // It is not asked for.
            TimeAnswer::Log(_) => {}
        }
    }

    fn opened(&mut self, mut opened: Opened) {
        let moment = std::mem::take(&mut opened.moment);
        let script = Scripted::of(&opened.steps, self.spoken);
        let name = self.wish.as_ref().map(|wish| wish.name.clone());
        let at = self.wish.as_mut().map_or(0, |wish| std::mem::take(&mut wish.at));
        let wish = (at > 0).then_some(To::Event(at));
        let lanes = vec![Lane { moment, wish, ..Lane::default() }];
        self.run = Some(Run { opened, script, lanes, ..Run::default() });
        if self.wish.as_ref().is_some_and(|wish| wish.is_measured) {
            self.queue.push_back(Job::Measure(0));
        }
        // A link is known to be one only now.
        if let Some(name @ Name::Link(_)) = name {
            self.enter_link(&name);
        }
    }

    /// What a step had printed came.
    fn step_came(&mut self, job: &Job, printed: Option<SheetStep>) {
        let Job::Ask(TimeQuestion::Step { timeline, step }) = job else { return };
        let lanes = self.run.as_mut().map(|run| &mut run.lanes);
        if let Some(lane) = lanes.and_then(|lanes| lanes.get_mut(usize::from(*timeline))) {
            lane.printed = Some((*step, printed));
        }
    }

    /// A timeline stands somewhere.
    fn stands(&mut self, job: &Job, moment: Moment) {
        let Some(run) = &mut self.run else { return };
        let at = usize::from(moment.timeline);
        let question = match job {
            Job::Measure(timeline) => {
                if let Some(lane) = run.lanes.get_mut(at) {
                    lane.measured(&moment);
                    let to = lane.wish.take().unwrap_or(To::Event(lane.moment.event));
                    let timeline = *timeline;
                    self.queue.push_front(Job::Ask(TimeQuestion::Go { timeline, to }));
                }
                return;
            }
            Job::Ask(question) => question,
        };
        if matches!(question, TimeQuestion::Fork { .. }) {
            run.fork = Some((moment.event, moment.changes.len()));
            run.lanes.truncate(1);
            run.lanes.push(Lane::default());
            run.comparison = Compared::Not;
            run.moves = Moves::Both;
            self.notice = (self.strings().forked.to_owned(), true);
        }
        let Some(run) = &mut self.run else { return };
        let Some(lane) = run.lanes.get_mut(at) else { return };
        lane.moment = moment;
        if !matches!(question, TimeQuestion::Go { .. }) {
            lane.printed = None;
        }
        match question {
            TimeQuestion::Change { .. } | TimeQuestion::Undo { .. } => {
                let changed = lane.moment.changes.last().cloned();
                run.comparison = Compared::Not;
                if run.lanes.len() == 1 {
                    self.queue.push_back(Job::Measure(0));
                }
                let is_undo = matches!(question, TimeQuestion::Undo { .. });
                self.notice = self.notice_of(changed.filter(|_| !is_undo).as_ref());
            }
            TimeQuestion::Go { .. } if run.guide == Some(at) && lane.wish.is_none() => {
                run.guide = None;
                if run.is_timed() {
                    run.follow(at);
                }
            }
            _ => {}
        }
        self.tell(at);
        if at == 0 && !self.is_playing() {
            self.bar_follows();
        }
    }

    fn notice_of(&self, changed: Option<&Changed>) -> (String, bool) {
        let s = self.strings();
        let Some(changed) = changed else { return (s.undone.to_owned(), true) };
        let said = changed.said.as_ref().map(|said| self.said(said));
        (said.unwrap_or_default(), !changed.is_void)
    }

    /// What the lab said, in the page's language.
    pub(super) fn said(&self, refusal: &Refusal) -> String {
        escape::block(refusal.of(self.spoken.name()).as_bytes())
    }

    /// Says what a timeline's newest event was: of one that plays only from time to time.
    pub(super) fn tell(&mut self, at: usize) {
        let is_time = !self.is_playing() || self.now.since(self.told.at) >= TELL_MS;
        let Some(run) = self.run.as_ref().filter(|run| is_time && run.leading() == at) else {
            return;
        };
        let Some(lane) = run.lanes.get(at) else { return };
        let mut words = words::news(&lane.moment, self);
        if run.is_over() {
            let s = self.strings();
            words = format!("{words}{}{}{}", s.full_stop, s.gap, s.said_end);
        }
        self.told = Told { words, at: self.now };
    }

    fn compared(&mut self, comparison: Comparison) {
        let Some(run) = &mut self.run else { return };
        for (lane, ending) in run.lanes.iter_mut().zip([&comparison.one, &comparison.other]) {
            lane.ends(ending.events, ending.now);
        }
        run.comparison = Compared::There(Box::new(comparison));
    }

    fn closed(&mut self, job: &Job) {
        let (Job::Ask(TimeQuestion::Close { timeline }), Some(run)) = (job, &mut self.run) else {
            return;
        };
        let at = usize::from(*timeline);
        if at < run.lanes.len() {
            run.lanes.remove(at);
        }
        for lane in &mut run.lanes {
            lane.moment.timeline = 0;
        }
        run.fork = None;
        run.comparison = Compared::Not;
        run.moves = Moves::Both;
        self.notice = (String::new(), true);
    }

    fn refused(&mut self, job: &Job, refusal: &Refusal) {
        let words = self.said(refusal);
        match (job, &mut self.run) {
            (Job::Ask(TimeQuestion::Open(_)), _) => {
                self.queue.clear();
                self.stage = Stage::Refused(words);
                self.forget_link();
            }
            (Job::Ask(TimeQuestion::Compare), Some(run)) => run.comparison = Compared::Refused,
            _ => self.notice = (words, false),
        }
    }

    /// Opens again what was lost, with its changes, where it stood.
    pub fn open_again(&mut self) {
        let Some(wish) = self.wish.clone() else { return };
        let lost = self.run.take();
        self.forget();
        self.stage = Stage::Opening;
        let Some(source) = wish.source else {
            if let Name::File(folder, file) = wish.name {
                self.open_file(folder, file);
            }
            return;
        };
        self.queue.push_back(Job::Ask(TimeQuestion::Open(source)));
        let again = lost.map(|run| run.again()).unwrap_or_default();
        self.queue.extend(again.into_iter().map(Job::Ask));
        self.ask_on();
    }
}

impl Lane {
    /// How long a timeline is.
    fn measured(&mut self, end: &Moment) {
        if end.is_end {
            self.ends(end.event, end.now);
        }
    }

    const fn ends(&mut self, events: u64, now: Millis) {
        let moment = &mut self.moment;
        (moment.known, moment.known_until, moment.is_whole) = (events, now, true);
    }
}

fn is_same(one: &Changed, other: &Changed) -> bool {
    one.at == other.at && one.change == other.change
}

/// How many changes two timelines have in common, from the first on.
fn common(one: &[Changed], other: &[Changed]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| is_same(one, other)).count()
}

impl Run {
    fn changes(&self, at: usize) -> &[Changed] {
        self.lanes.get(at).map(|lane| lane.moment.changes.as_slice()).unwrap_or_default()
    }

    /// There are two timelines, and other things were changed in them.
    pub(super) fn differ(&self) -> bool {
        let (one, other) = (self.changes(0), self.changes(1));
        self.lanes.len() > 1 && (count(one) != count(other) || common(one, other) != one.len())
    }

    /// What makes the same timelines again.
    fn again(&self) -> Vec<TimeQuestion> {
        let change = |timeline: u8, changed: &Changed| TimeQuestion::Change {
            timeline,
            at: changed.at,
            change: changed.change.clone(),
        };
        let (one, other) = (self.changes(0), self.changes(1));
        let mut all = Vec::new();
        match self.fork {
            Some((at, taken)) if self.lanes.len() > 1 => {
                let (before, own) = other.split_at(taken.min(other.len()));
                all.extend(before.iter().map(|it| change(0, it)));
                all.push(TimeQuestion::Fork { at });
                let kept = common(one, before);
                all.extend((kept..before.len()).map(|_| TimeQuestion::Undo { timeline: 0 }));
                all.extend(one.iter().skip(kept).map(|it| change(0, it)));
                all.extend(own.iter().map(|it| change(1, it)));
            }
            _ => all.extend(one.iter().map(|it| change(0, it))),
        }
        for (timeline, lane) in (0_u8..).zip(&self.lanes) {
            all.push(TimeQuestion::Go { timeline, to: To::Event(lane.moment.event) });
        }
        all
    }
}
