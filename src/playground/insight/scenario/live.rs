//! A scenario on the live cluster: step after step, as if somebody typed and clicked.
//!
//! What it is: [`Run`]: the page's notes and the time in, what is to be typed and asked out, and a mark for each step.
//! What it is not: the lab: time is real, elections are the cluster's own, and hashes are never compared; nor a reader of
//! texts.
//! Invariants: one step after the other; every wait has a limit; a step that cannot be done is marked with the reason and the
//! run goes on; an expectation has [`GRACE_MS`] until it is said to be unmet, since members tell the page of themselves a
//! moment later; after it was stopped nothing is typed any more.

mod said;
mod steps;

use std::collections::VecDeque;

pub(super) use self::said::Said;
use super::check::count;
use super::strings::ScenarioStrings;
use super::view::{LiveState, LiveView, StepMark};
use crate::api;
use crate::playground::insight::lesson::{Key, LessonAsk, LessonNote, Reader};
use crate::playground::insight::proof::{Next, Proof};
use crate::playground::insight::scene::Scene;
use crate::scenario::{
    Action, Answer, Change, Claim, Condition, Say, SayKind, Saying, Script, Told, World,
};
use crate::types::{MemberId, Millis, SmallSet};

/// How long an expectation may take to become true. Unit: ms. Source: ours; several times what members need to tell the page.
pub(super) const GRACE_MS: u64 = 3_000;
/// How long the first leader may take. Unit: ms.
const LEADER_MS: u64 = 60_000;
/// What was done is looked at so much later. Unit: ms.
const SETTLE_MS: u64 = 400;
/// Claims begin to count so long after what was done before. Unit: ms.
const MARK_MS: u64 = 800;
/// The longest that a command is waited for. Unit: ms. Source: the lab's.
const COMMAND_MS: u64 = 60_000;
/// How long a command that is not waited for is looked at. Unit: ms. Source: the lab's.
const BESIDE_MS: u64 = 300;
/// How long the page may take to begin something. Unit: ms.
const BEGIN_MS: u64 = 5_000;
/// How long a change of the membership, or a restored cluster that the page asks about, may take. Unit: ms.
const CHANGE_MS: u64 = 90_000;
/// How long reading all acknowledged writes may take. Unit: ms.
const PROOF_MS: u64 = 60_000;
/// Most steps that begin at one moment.
const STEPS_AT_ONCE: u32 = 10_000;

/// What the consoles are doing.
#[derive(Clone, Debug, Default)]
pub(super) struct Consoles {
    running: SmallSet<u32>,
    /// The first runs something, or will.
    is_busy: bool,
}

impl Consoles {
    pub(super) fn hear(&mut self, note: &LessonNote) {
        match note {
            LessonNote::Began(console) => {
                self.running.insert(*console);
            }
            LessonNote::Said { console, status: Some(_), .. } => {
                self.running.remove(console);
            }
            LessonNote::Busy(is_busy) => self.is_busy = *is_busy,
            _ => {}
        }
    }

    /// A console in which nothing runs.
    fn free(&self) -> Option<u32> {
        let is_free = |console: &u32| {
            if *console == 1 { !self.is_busy } else { !self.running.contains(console) }
        };
        (1..=crate::scenario::script::CONSOLE_MAX).find(is_free)
    }
}

/// What a change of the membership comes to.
#[derive(Clone, Debug)]
enum Aim {
    /// More members than before.
    More(usize),
    /// It is gone.
    Gone(MemberId),
    /// It votes.
    Votes(MemberId),
}

/// A line that was typed as a command.
#[derive(Clone, Copy, Debug)]
struct Typed {
    console: u32,
    /// The next step begins when it has ended.
    waits: bool,
    /// The console has begun it.
    has_begun: bool,
    /// The first console became busy.
    was_busy: bool,
}

/// A change that was typed.
#[derive(Clone, Debug)]
struct Changing {
    aim: Aim,
    /// It is a step, and not a learner that the scenario begins with.
    is_step: bool,
    /// The console has begun it.
    has_begun: bool,
    /// The new member is there, but does not run yet.
    is_coming: bool,
}

impl Changing {
    const fn new(aim: Aim, is_step: bool) -> Self {
        Self { aim, is_step, has_begun: false, is_coming: false }
    }
}

/// What is being done.
#[derive(Clone, Debug)]
enum Doing {
    /// The next step can begin.
    Nothing,
    /// Nobody has led yet.
    Leader,
    /// What was done is to be seen; then the step gets this mark.
    Settles(StepMark, Said),
    /// A command.
    Command(Typed),
    /// A verb was typed.
    Verb,
    /// A wait of the first grammar.
    Condition(Condition, u64),
    /// A wait for a claim, and its limit.
    Claim(Claim, u64),
    /// An expectation or a goal, in this step.
    Judge(usize, Claim),
    /// A claim whose truth is asked for, in this step.
    Prove(usize, Claim, Proof),
    /// The membership changes.
    Change(Changing),
    /// Another cluster takes the place of this one.
    Open { is_opened: bool },
    /// Claims count from a moment later on.
    Mark,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Run {
    script: Script,
    strings: &'static ScenarioStrings,
    scene: Scene,
    consoles: Consoles,
    now: Millis,
    pub(super) state: LiveState,
    is_single: bool,
    at: usize,
    marks: Vec<(StepMark, Said)>,
    /// Goals of the part that are not judged yet.
    goals: VecDeque<usize>,
    /// The right answer to the last question.
    answer: String,
    doing: Doing,
    /// When what is being done has taken too long, or is over.
    until: Millis,
    asks: Vec<LessonAsk>,
    /// Why it was stopped.
    reason: Said,
}

impl Run {
    /// Begins, step by step or all at once.
    pub(super) fn new(
        script: Script,
        strings: &'static ScenarioStrings,
        world: World,
        consoles: Consoles,
        now: Millis,
    ) -> Self {
        let marks = vec![(StepMark::None, Said::Nothing); script.steps.len()];
        Self {
            script,
            strings,
            scene: Scene::new(world, consoles.is_busy),
            consoles,
            now,
            state: LiveState::Runs,
            is_single: false,
            at: 0,
            marks,
            goals: VecDeque::new(),
            answer: String::new(),
            doing: Doing::Leader,
            until: Millis(now.0.saturating_add(LEADER_MS)),
            asks: Vec::new(),
            reason: Said::Nothing,
        }
    }

    pub(super) fn take_asks(&mut self) -> Vec<LessonAsk> {
        std::mem::take(&mut self.asks)
    }

    pub(super) const fn script(&self) -> &Script {
        &self.script
    }

    pub(super) const fn speak(&mut self, strings: &'static ScenarioStrings) {
        self.strings = strings;
    }

    pub(super) fn mark(&self, step: u32) -> (StepMark, String) {
        let place = usize::try_from(step).unwrap_or(usize::MAX);
        let its = self.marks.get(place);
        its.map(|(mark, said)| (*mark, said.told(self.strings))).unwrap_or_default()
    }

    /// Goes on: one step, or all that are left.
    pub(super) fn go_on(&mut self, is_single: bool) {
        if matches!(self.state, LiveState::Waits | LiveState::Runs) {
            self.state = LiveState::Runs;
            self.is_single = is_single;
            self.drive();
        }
    }

    /// Ends it; nothing is typed any more.
    pub(super) fn stop(&mut self, reason: Said) {
        if matches!(self.state, LiveState::Waits | LiveState::Runs) {
            self.state = LiveState::Stopped;
            self.reason = reason;
            for (mark, said) in self.marks.iter_mut().filter(|(mark, _)| *mark == StepMark::Runs) {
                *mark = StepMark::Passed;
                *said = Said::Nothing;
            }
        }
    }

    /// Time passes.
    pub(super) fn look(&mut self, now: Millis) {
        self.now = now;
        self.drive();
    }

    /// Takes in what the page tells.
    pub(super) fn hear(&mut self, note: LessonNote, now: Millis) {
        self.now = now;
        self.consoles.hear(&note);
        match (&mut self.doing, &note) {
            (_, LessonNote::TakenOver) => self.stop(Said::TakenOver),
            (_, LessonNote::Opened { .. }) => {
                if let Doing::Open { is_opened } = &mut self.doing {
                    *is_opened = true;
                    self.scene = Scene::default();
                } else {
                    self.stop(Said::OtherCluster);
                }
            }
            (Doing::Command(typed), LessonNote::Began(began)) if *began == typed.console => {
                typed.has_begun = true;
                if !typed.waits {
                    self.until = Millis(now.0.saturating_add(BESIDE_MS));
                }
            }
            (Doing::Command(typed), LessonNote::Busy(true)) => typed.was_busy = true,
            (Doing::Change(changing), LessonNote::Busy(is_busy)) if !changing.is_coming => {
                // What is over and did not come about was refused.
                let ms = if *is_busy { CHANGE_MS } else { GRACE_MS };
                if *is_busy || changing.has_begun {
                    self.until = Millis(now.0.saturating_add(ms));
                }
                changing.has_begun |= *is_busy;
            }
            (Doing::Verb, LessonNote::Acted) => self.settle(StepMark::Done, Said::Nothing),
            _ => {}
        }
        if let LessonNote::Proved { reader: Reader::Scenario, answer } = note {
            self.proved(answer.map(|answer| *answer));
        } else {
            self.scene.hear(note);
        }
        self.drive();
    }

    fn wait(&mut self, doing: Doing, ms: u64) {
        self.doing = doing;
        self.until = Millis(self.now.0.saturating_add(ms));
    }

    fn settle(&mut self, mark: StepMark, said: Said) {
        self.wait(Doing::Settles(mark, said), SETTLE_MS);
    }

    /// The step under way is over.
    fn finish(&mut self, mark: StepMark, said: Said) {
        self.note(self.at, mark, said);
        self.at += 1;
        self.doing = Doing::Nothing;
        // Who goes step by step has read what stands between.
        if self.is_single && mark != StepMark::None {
            self.state = LiveState::Waits;
        }
    }

    fn note(&mut self, step: usize, mark: StepMark, said: Said) {
        if let Some(its) = self.marks.get_mut(step) {
            *its = (mark, said);
        }
    }

    /// Goes on as far as it can now.
    fn drive(&mut self) {
        for _ in 0..STEPS_AT_ONCE {
            if self.state != LiveState::Runs {
                return;
            }
            if matches!(self.doing, Doing::Nothing) {
                self.begin();
            } else if !self.poll() {
                return;
            }
        }
    }

    /// Looks whether what is being done is over; false if not.
    fn poll(&mut self) -> bool {
        let is_late = self.now >= self.until;
        match self.doing.clone() {
            Doing::Nothing => {}
            Doing::Leader => {
                if self.scene.world.leader().is_some() {
                    return self.begin_learner();
                } else if is_late {
                    self.stop(Said::NoLeader);
                } else {
                    return false;
                }
            }
            // Time alone, or a note, ends these.
            Doing::Settles(..) | Doing::Verb | Doing::Prove(..) | Doing::Mark if !is_late => {
                return false;
            }
            Doing::Settles(mark, said) => self.finish(mark, said),
            Doing::Verb => self.finish(StepMark::Failed, Said::NotDone),
            Doing::Prove(step, claim, _) => {
                self.end_proof(step, &claim, &Err(Told::new(Saying::NoAnswer)));
            }
            Doing::Mark => {
                self.scene.mark();
                self.finish(StepMark::None, Said::Nothing);
            }
            Doing::Command(typed) => return self.poll_command(typed),
            Doing::Condition(condition, limit_ms) => {
                if self.scene.world.is_met(&condition) {
                    self.finish(StepMark::Done, Said::Nothing);
                } else if is_late {
                    let found = Said::InVain(limit_ms / 1000, None);
                    self.finish(StepMark::Failed, found);
                } else {
                    return false;
                }
            }
            Doing::Claim(claim, limit_ms) => {
                let judged = self.scene.judge(&claim, None);
                if judged.is_met {
                    self.finish(StepMark::Met, Said::Found(judged.found));
                } else if is_late {
                    let found = Said::InVain(limit_ms / 1000, Some(judged.found));
                    self.finish(StepMark::Unmet, found);
                } else {
                    return false;
                }
            }
            Doing::Judge(step, claim) => return self.poll_judgement(step, &claim, is_late),
            Doing::Change(changing) => return self.poll_change(changing, is_late),
            Doing::Open { is_opened } => {
                if is_opened && self.scene.world.leader().is_some() {
                    self.finish(StepMark::Done, Said::Nothing);
                } else if is_late {
                    self.finish(StepMark::Failed, Said::NotDone);
                } else {
                    return false;
                }
            }
        }
        true
    }

    fn poll_command(&mut self, typed: Typed) -> bool {
        let Typed { console, waits, has_begun, was_busy } = typed;
        let status = self.scene.said(console).and_then(|said| said.status).filter(|_| has_begun);
        let is_over = if waits {
            // A line that is no command, such as `clear`, begins nothing.
            !self.scene.is_busy && (status.is_some() || (was_busy && !has_begun))
        } else {
            status.is_some()
        };
        let is_late = self.now >= self.until;
        if !is_over && !is_late {
            return false;
        }
        let said = match status {
            Some(status) if status != 0 => Said::Status(status),
            None if waits && !is_over => {
                self.type_key(console, Key::Interrupt);
                Said::TooLong
            }
            None if !waits && !has_begun => Said::NotDone,
            _ => Said::Nothing,
        };
        self.settle(StepMark::Done, said);
        true
    }

    fn poll_judgement(&mut self, step: usize, claim: &Claim, is_late: bool) -> bool {
        let judged = self.scene.judge(claim, None);
        if !judged.is_met && !is_late {
            return false;
        }
        self.judged(step, judged.is_met, judged.found);
        true
    }

    /// An expectation, a goal of the part that ends, or an answer is known.
    fn judged(&mut self, step: usize, is_met: bool, found: Told) {
        let (mark, said) = if is_met {
            (StepMark::Met, Said::Found(found))
        } else {
            (StepMark::Unmet, Said::NotSo(found))
        };
        if step == self.at {
            self.finish(mark, said);
        } else {
            self.note(step, mark, said);
            self.doing = Doing::Nothing;
        }
    }

    /// Adds a learner if the scenario begins with more than there are, else its first step can begin; false while neither can.
    fn begin_learner(&mut self) -> bool {
        if self.learners() >= self.script.learners {
            self.scene.mark();
            self.doing = Doing::Nothing;
            return true;
        }
        let is_typed = self.type_change(Change::Add { is_learner: true }).is_ok();
        if is_typed {
            let aim = Aim::More(self.scene.world.members.len());
            self.wait(Doing::Change(Changing::new(aim, false)), BEGIN_MS);
        } else if self.now >= self.until {
            self.stop(Said::NoLearner);
        }
        false
    }

    /// The learners there are.
    fn learners(&self) -> u32 {
        let members = self.scene.world.members.iter();
        count(members.filter(|view| view.member.is_learner).count())
    }

    fn poll_change(&mut self, mut changing: Changing, is_late: bool) -> bool {
        let members = &self.scene.world.members;
        let is_done = match changing.aim {
            Aim::More(before) => {
                if members.len() > before && !changing.is_coming {
                    changing.is_coming = true;
                    self.wait(Doing::Change(changing), CHANGE_MS);
                    return true;
                }
                members.len() > before && members.iter().skip(before).all(|view| view.is_up)
            }
            Aim::Gone(id) => !members.iter().any(|view| view.id() == id),
            Aim::Votes(id) => members.iter().any(|view| view.id() == id && !view.member.is_learner),
        };
        // Its line has ended, too.
        match (is_done && !self.scene.is_busy, changing.is_step) {
            (true, true) => self.settle(StepMark::Done, Said::Nothing),
            (true, false) => self.wait(Doing::Leader, LEADER_MS),
            (false, _) if !is_late => return false,
            (false, true) => self.finish(StepMark::Failed, Said::NotDone),
            (false, false) => self.stop(Said::NoLearner),
        }
        true
    }

    fn start_proof(&mut self, step: usize, claim: &Claim) {
        let proof = Proof::new(Reader::Scenario, self.scene.witness.writes());
        self.wait(Doing::Prove(step, claim.clone(), proof), PROOF_MS);
        self.prove_on();
    }

    fn prove_on(&mut self) {
        let Doing::Prove(step, claim, proof) = &self.doing else { return };
        match proof.next(&self.scene.world) {
            Next::Ask(ask) => self.asks.push(ask),
            Next::Ended(result) => {
                let (step, claim) = (*step, claim.clone());
                self.end_proof(step, &claim, &result);
            }
        }
    }

    fn proved(&mut self, answer: Option<Result<api::Response, api::Error>>) {
        let Doing::Prove(step, claim, proof) = &mut self.doing else { return };
        match proof.hear(answer) {
            Ok(()) => self.prove_on(),
            Err(reason) => {
                let (step, claim) = (*step, claim.clone());
                self.end_proof(step, &claim, &Err(reason));
            }
        }
    }

    fn end_proof(&mut self, step: usize, claim: &Claim, result: &Result<u64, Told>) {
        let action = self.script.steps.get(step).map(|step| step.action.clone());
        if let Some(Action::Answer(answer)) = action {
            return self.answered(&answer, Some(result));
        }
        let judged = self.scene.judge(claim, Some(result));
        self.judged(step, judged.is_met, judged.found);
    }

    fn answered(&mut self, answer: &Answer, writes: Option<&Result<u64, Told>>) {
        self.answer = self.scene.answer(answer, writes);
        let said = Said::Right(self.answer.clone());
        self.finish(StepMark::Done, said);
    }

    fn type_key(&mut self, console: u32, key: Key) {
        self.asks.push(LessonAsk::Type { console, line: String::new(), key });
    }

    /// How many expectations came out as they should, and how many did not.
    fn tally(&self) -> (u32, u32) {
        let with = |wanted| self.marks.iter().filter(|(mark, _)| *mark == wanted).count();
        (count(with(StepMark::Met)), count(with(StepMark::Unmet)))
    }

    pub(super) fn view(&self) -> LiveView {
        let s = self.strings;
        let (met, unmet) = self.tally();
        let (done, all) = (count(self.at), count(self.script.steps.len()));
        let line = self.script.steps.get(self.at).map(|step| step.line);
        let said = match (self.state, line) {
            (LiveState::Stopped, _) => self.reason.told(s),
            (LiveState::Ended, _) => (s.live_ended)(met, unmet),
            (LiveState::Waits, Some(line)) => (s.live_waits)(line),
            (_, Some(line)) => (s.live_runs)(line),
            (_, None) => String::new(),
        };
        LiveView { state: self.state, done, all, met, unmet, said, ..LiveView::default() }
    }
}

/// True for the title of a part, in the script's own language.
const fn is_part(action: &Action) -> bool {
    matches!(action, Action::Say(Say { kind: SayKind::Part, language: None, .. }))
}
