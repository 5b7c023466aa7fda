//! Plays a script.
//!
//! What it is: step after step of a [`Script`] in a [`Session`], each giving a [`StepReport`].
//! Claims and questions are judged in `judging`, members come and go in `members`.
//! What it is not: a printer of reports (see `transcript`).
//! Invariants: a command line begins when the step before has ended; a verb that cannot be done, a
//! wait that is not met and a busy console fail their step with a sentence and exit status 1, and the
//! script goes on; the cluster has a leader before the first step.

mod judging;
mod members;

use bytes::Bytes;

use crate::api::Settings;
use crate::cluster::fault::{Links, MemberFault, Speed};
use crate::cluster::trace::{Chain, ENGINE_TRACE};
use crate::cluster::{Simulation, SimulationSpec};
use crate::lab::session::{Ran, Session};
use crate::lab::time::Recorder;
use crate::scenario::{
    Action, Change, Condition, Grammar, Order, Report, SayKind, Saying, Script, StepReport, Told,
    Verb, World, lines, verb,
};
use crate::types::MemberId;

/// How long a fresh cluster may take to its first leader. Unit: ms.
const BOOT_LIMIT_MS: u64 = 60_000;

/// Longest a waiting command may run before it gets Ctrl-C. Unit: ms.
const COMMAND_LIMIT_MS: u64 = 60_000;

/// How long a command in another console is looked at before the next step. Unit: ms.
const SETTLE_MS: u64 = 300;

/// How long the other consoles may go on printing after a command has ended, so that what a put makes a
/// watch print stands beside it. Unit: ms.
const BESIDE_MS: u64 = 20;

/// A script being played.
#[derive(Debug)]
pub struct Lab {
    script: Script,
    session: Session,
    next: usize,
    report: Report,
    outcome: Chain,
    is_exhausted: bool,
    /// Consoles whose command ran on after its step.
    pending: Vec<u32>,
    outputs: judging::Outputs,
    /// The numbers of the part's goals that are not judged yet.
    goals: Vec<usize>,
    /// The right answer to the last question.
    answer: Option<String>,
    /// What keeps the cluster from being as the script wants it.
    trouble: Option<Told>,
    leaves_out_solutions: bool,
    is_in_solution: bool,
}

/// What a script says of the cluster, for so many members.
fn spec(script: &Script, members: u32) -> SimulationSpec {
    let cluster = &script.cluster;
    SimulationSpec {
        members,
        seed: cluster.seed,
        tick_ms: cluster.tick_ms,
        election_ticks: cluster.election_ticks,
        quota_bytes: cluster.quota_bytes,
        pre_vote: cluster.pre_vote,
        check_quorum: cluster.check_quorum,
        ..SimulationSpec::default()
    }
}

/// What it says beyond that.
fn settings(script: &Script) -> Option<Settings> {
    if script.flags.is_empty() && script.learners == 0 {
        return None;
    }
    let cluster = &script.cluster;
    let mut settings = Settings {
        tick_ms: cluster.tick_ms,
        election_ticks: cluster.election_ticks,
        quota_bytes: cluster.quota_bytes,
        pre_vote: cluster.pre_vote,
        check_quorum: cluster.check_quorum,
        ..Settings::default()
    };
    settings.max_learners = settings.max_learners.max(script.learners);
    script.flags.apply(&mut settings);
    Some(settings)
}

/// The cluster of a script.
fn session(script: &Script, recorder: Option<Box<Recorder>>) -> Session {
    let spec = spec(script, script.cluster.members);
    let simulation = match settings(script) {
        None => Simulation::new(spec),
        Some(settings) => Simulation::with_config(spec, |config| config.set(&settings)),
    };
    Session::around(simulation, recorder)
}

impl Lab {
    /// Makes the cluster and lets it elect its first leader.
    #[must_use]
    pub fn new(script: Script) -> Self {
        Self::recorded(script, None)
    }

    /// The same before somebody who counts events and may stop the run.
    pub(super) fn recorded(script: Script, recorder: Option<Box<Recorder>>) -> Self {
        let mut session = session(&script, recorder);
        session.run(BOOT_LIMIT_MS, |session| session.world().leader().is_some());
        let is_version_one = script.version == Grammar::One;
        if !is_version_one {
            session.hide_gone();
        }
        let learners = script.learners;
        let report = Report { engine_trace: ENGINE_TRACE, is_version_one, ..Report::default() };
        let mut lab = Self {
            script,
            session,
            next: 0,
            report,
            outcome: Chain::default(),
            is_exhausted: false,
            pending: Vec::new(),
            outputs: judging::Outputs::default(),
            goals: Vec::new(),
            answer: None,
            trouble: None,
            leaves_out_solutions: false,
            is_in_solution: false,
        };
        for _ in 0..learners {
            lab.trouble = lab.change(Change::Add { is_learner: true }).err().or(lab.trouble);
        }
        lab.session.acts();
        lab.session.mark();
        lab
    }

    /// A lab that goes on as this one would, without a recorder; `None` while a command runs that cannot be copied.
    pub(super) fn copy(&self) -> Option<Self> {
        Some(Self {
            script: self.script.clone(),
            session: self.session.copy()?,
            next: self.next,
            report: self.report.clone(),
            outcome: self.outcome.clone(),
            is_exhausted: self.is_exhausted,
            pending: self.pending.clone(),
            outputs: self.outputs.clone(),
            goals: self.goals.clone(),
            answer: self.answer.clone(),
            trouble: self.trouble.clone(),
            leaves_out_solutions: self.leaves_out_solutions,
            is_in_solution: self.is_in_solution,
        })
    }

    /// Plays what a learner sees who does nothing: the steps of solutions are left out.
    #[must_use]
    pub const fn without_solutions(mut self) -> Self {
        self.leaves_out_solutions = true;
        self
    }

    /// The script being played.
    #[must_use]
    pub const fn script(&self) -> &Script {
        &self.script
    }

    /// True if the run has used up its events, or was stopped.
    #[must_use]
    pub const fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// The cluster and its consoles.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// The same, to do what no script can.
    pub const fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Plays the next step; `None` after the last.
    pub fn play_next(&mut self) -> Option<&StepReport> {
        if self.is_exhausted {
            return None;
        }
        let Some(step) = self.script.steps.get(self.next) else {
            self.judge_goals();
            return None;
        };
        let action = step.action.clone();
        let began = self.session.now();
        if let Some(recorder) = self.session.recorder() {
            recorder.step_begins(began, &action);
        }
        let mut step = StepReport {
            line: action.to_string(),
            is_told: is_told(&action),
            began,
            ..StepReport::default()
        };
        if action == Action::EndSolution {
            self.is_in_solution = false;
        }
        if self.is_in_solution {
            step.ended = step.began;
            step.say(&[Told::new(Saying::LeftOut)]);
            return self.push_step(step);
        }
        let trouble = self.trouble.take();
        step.status = trouble.as_ref().map(|_| 1);
        let own = self.play_action(&mut step, action);
        if let Some(trouble) = trouble {
            step.complain(&trouble);
        }
        self.finish_step(step, own);
        self.report.steps.last()
    }

    /// Does what a step says; gives back the console whose output is the step's.
    fn play_action(&mut self, step: &mut StepReport, action: Action) -> Option<u32> {
        match action {
            Action::Say(say) => {
                if say.kind == SayKind::Part {
                    self.judge_goals();
                    self.session.mark();
                }
            }
            Action::Command { console, waits, text } => {
                self.play_command(step, console, waits, &text);
                return Some(console);
            }
            Action::Interrupt { console } => {
                if !self.session.interrupt(console) {
                    step.fail(&Told::new(Saying::NothingRuns));
                }
            }
            Action::Type { console, text } => {
                self.play_input(step, console, Some(&text));
                return Some(console);
            }
            Action::EndInput { console } => {
                self.play_input(step, console, None);
                return Some(console);
            }
            Action::Verb(verb) => self.play_verb(step, &verb),
            Action::Change(change) => match self.change(change) {
                Ok(done) => {
                    let done = [done];
                    self.tell_recorder(&done);
                    step.say(&done);
                }
                Err(why) => step.fail(&why),
            },
            Action::Open(name) => match self.open(&name) {
                Ok(done) => step.say(&[done]),
                Err(why) => step.fail(&why),
            },
            Action::WaitFor { claim, limit_ms } => self.play_wait_for(step, &claim, limit_ms),
            Action::Expect(claim) => self.play_expect(step, &claim),
            Action::Goal(_) => self.goals.push(self.report.steps.len()),
            Action::Answer(answer) => self.play_answer(step, &answer),
            Action::Reply(text) => self.play_reply(step, &text),
            Action::Mark => self.session.mark(),
            Action::Solution => self.is_in_solution = self.leaves_out_solutions,
            Action::EndSolution => {}
        }
        None
    }

    /// Plays what is left.
    #[must_use]
    pub fn play_all(mut self) -> Report {
        while self.play_next().is_some() {}
        self.into_report()
    }

    /// The report so far.
    #[must_use]
    pub fn into_report(mut self) -> Report {
        self.report.outcome = self.outcome.value();
        self.report.trace = self.session.trace_hash();
        self.report.ended = self.session.now();
        self.report.members = self.session.simulation().members().to_vec();
        self.report
    }

    fn is_pending(&self, console: u32) -> bool {
        self.pending.contains(&console)
    }

    fn play_command(&mut self, step: &mut StepReport, console: u32, waits: bool, text: &str) {
        let line = match self.session.world().expand(text) {
            Ok(line) => line,
            Err(why) => return step.fail(&why.into()),
        };
        let stdin = if self.is_typed_to(console) { None } else { Some(Bytes::new()) };
        if !self.session.start(console, &line, stdin) {
            return step.fail(&Told::of(Saying::Busy, console));
        }
        self.outputs.begin(console);
        let limit_ms = if waits { COMMAND_LIMIT_MS } else { SETTLE_MS };
        let ran = self.session.run(limit_ms, |session| !session.is_running(console));
        let mut note = None;
        if ran == Ran::TimeUp && waits {
            self.session.interrupt(console);
            note = Some(Told::of(Saying::Stopped, console));
        }
        if ran == Ran::Met && self.session.consoles().iter().any(|id| self.session.is_running(*id))
        {
            self.session.run(BESIDE_MS, |_| false);
        }
        (step.stdout, step.stderr) = self.take_output(console);
        if let Some(note) = note {
            step.complain(&note);
        }
        step.status = self.session.status(console);
        self.pending.retain(|pending| *pending != console);
        if step.status.is_none() {
            self.pending.push(console);
        }
        self.check_exhausted(step, ran);
    }

    /// True if a later step types into what begins here in a console.
    fn is_typed_to(&self, console: u32) -> bool {
        let later = self.script.steps.iter().skip(self.next + 1);
        let about = later.filter_map(|step| match step.action {
            Action::Type { console, .. } | Action::EndInput { console } => Some((console, true)),
            Action::Command { console, .. } => Some((console, false)),
            _ => None,
        });
        about.filter(|(its, _)| *its == console).map(|(_, is_typed)| is_typed).next() == Some(true)
    }

    /// Types a line, or the end of input.
    fn play_input(&mut self, step: &mut StepReport, console: u32, text: Option<&str>) {
        if !self.session.is_running(console) {
            return step.fail(&Told::new(Saying::NothingRuns));
        }
        match text {
            Some(text) => self.session.feed(console, Bytes::from(format!("{text}\n"))),
            None => self.session.feed_end(console),
        }
        let ran = self.session.run(SETTLE_MS, |session| !session.is_running(console));
        (step.stdout, step.stderr) = self.take_output(console);
        step.status = self.session.status(console);
        if step.status.is_some() {
            self.pending.retain(|pending| *pending != console);
        }
        self.check_exhausted(step, ran);
    }

    fn play_verb(&mut self, step: &mut StepReport, verb: &Verb) {
        let world = self.session.world();
        let orders = match world.plan(verb) {
            Ok(orders) => orders,
            Err(why) => return step.fail(&why.into()),
        };
        if !orders.is_empty() {
            self.session.acts();
        }
        for order in orders {
            let sentence = order_sentence(&world, &order);
            self.session.carry_out(order);
            self.tell_recorder(&sentence);
            step.say(&sentence);
        }
        let Verb::Wait { condition, limit_ms } = verb else {
            return;
        };
        let ran = self.session.run(*limit_ms, |session| {
            *condition != Condition::Time && session.world().is_met(condition)
        });
        if ran == Ran::TimeUp && *condition != Condition::Time {
            let seconds = seconds(*limit_ms);
            step.fail(&Told::of(Saying::InVain, seconds).and(condition));
        }
        self.check_exhausted(step, ran);
    }

    fn tell_recorder(&mut self, sentence: &[Told]) {
        let now = self.session.now();
        if let Some(recorder) = self.session.recorder() {
            recorder.did(now, &lines(sentence));
        }
    }

    fn check_exhausted(&mut self, step: &mut StepReport, ran: Ran) {
        if ran == Ran::Exhausted {
            self.is_exhausted = true;
            step.fail(&Told::new(Saying::Exhausted));
        }
    }

    fn finish_step(&mut self, mut step: StepReport, own: Option<u32>) {
        for console in self.session.consoles() {
            if Some(console) == own {
                continue;
            }
            let (mut printed, stderr) = self.take_output(console);
            printed.extend(stderr);
            if let Some(status) = self.session.status(console).filter(|_| self.is_pending(console))
            {
                self.pending.retain(|pending| *pending != console);
                let told = Told::of(Saying::ExitStatus, status);
                printed.extend(format!("{told}\n").bytes());
                step.ended_beside.push((format!("@{console}"), status));
            }
            if !printed.is_empty() {
                step.background.push((format!("@{console}"), printed));
            }
        }
        step.ended = self.session.now();
        step.events = self.session.take_events();
        self.outcome.add(step.line.as_bytes());
        self.outcome.add(format!("{:?}", step.status).as_bytes());
        self.outcome.add(&self.session.simulation().outcome_hash().to_be_bytes());
        step.outcome = self.outcome.value();
        self.push_step(step);
    }

    fn push_step(&mut self, step: StepReport) -> Option<&StepReport> {
        if let Some(recorder) = self.session.recorder() {
            recorder.step_ended(self.report.steps.len(), &step);
        }
        self.report.steps.push(step);
        self.next += 1;
        self.report.steps.last()
    }
}

/// True for what nobody types.
const fn is_told(action: &Action) -> bool {
    match action {
        Action::Command { .. }
        | Action::Interrupt { .. }
        | Action::Type { .. }
        | Action::EndInput { .. }
        | Action::Verb(_)
        | Action::Change(_)
        | Action::Open(_) => false,
        Action::Say(_)
        | Action::WaitFor { .. }
        | Action::Expect(_)
        | Action::Goal(_)
        | Action::Answer(_)
        | Action::Reply(_)
        | Action::Mark
        | Action::Solution
        | Action::EndSolution => true,
    }
}

/// Milliseconds as seconds with three digits.
pub(super) fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// What an order did.
pub(super) fn order_sentence(world: &World, order: &Order) -> Vec<Told> {
    let name = |saying, id: &MemberId| Told::of(saying, world.name(*id));
    let told = match order {
        Order::Kill(id) => name(Saying::Killed, id),
        Order::Restart(id) => name(Saying::Started, id),
        Order::Pause(id) => name(Saying::Paused, id),
        Order::Resume(id) => name(Saying::GoesOn, id),
        Order::SetLinks(links) if links.is_whole() => Told::new(Saying::LinksOpen),
        Order::SetLinks(links) => return links_sentence(world, links),
        Order::Member(id, fault) => member_sentence(&world.name(*id), *fault),
        Order::SetSpeed(speed) => speed_sentence(*speed),
    };
    vec![told]
}

/// How fast the cluster's time runs.
pub(super) fn speed_sentence(speed: Speed) -> Told {
    if speed.is_real() { Told::new(Saying::RealTime) } else { Told::of(Saying::Slowed, speed) }
}

/// Which links are cut, and what disturbs the others.
pub(super) fn links_sentence(world: &World, links: &Links) -> Vec<Told> {
    let cut: Vec<String> = links.cut_links().map(|(from, to)| link_name(world, from, to)).collect();
    let mut lines = Vec::new();
    if !cut.is_empty() {
        lines.push(Told::of(Saying::Cut, cut.join(" ")));
    }
    lines.extend(disturbed(world, links));
    lines
}

fn link_name(world: &World, from: MemberId, to: MemberId) -> String {
    format!("{}->{}", world.name(from), world.name(to))
}

/// What disturbs the links that are not cut.
pub(super) fn disturbed(world: &World, links: &Links) -> Vec<Told> {
    let mut lines = Vec::new();
    for (from, to, rule) in links.rules() {
        let mut faults = Vec::new();
        if rule.delay_ms > 0 || rule.jitter_ms > 0 {
            faults.push(format!("delay {}", verb::duration(rule.delay_ms)));
        }
        if rule.jitter_ms > 0 {
            faults.push(format!("jitter {}", verb::duration(rule.jitter_ms)));
        }
        let counts =
            [("loss", rule.loss), ("duplicate", rule.duplicate), ("reorder", rule.reorder)];
        for (what, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            faults.push(format!("{what} {}", verb::percent(count)));
        }
        let told = Told::of(Saying::Disturbed, link_name(world, from, to));
        lines.push(told.list(faults.iter().map(String::as_str)));
    }
    lines
}

pub(super) fn member_sentence(name: &str, fault: MemberFault) -> Told {
    match fault {
        MemberFault::SlowDisk(0) => Told::of(Saying::QuickDisk, name),
        MemberFault::SlowDisk(ms) => Told::of(Saying::SlowDisk, name).and(verb::duration(ms)),
        MemberFault::FillDisk => Told::of(Saying::FullDisk, name),
        MemberFault::FreeDisk => Told::of(Saying::FreeDisk, name),
        MemberFault::PowerCut => Told::of(Saying::PowerCut, name),
        MemberFault::Wipe => Told::of(Saying::Wiped, name),
        MemberFault::Clock(rate) => Told::of(Saying::Clock, name).and(verb::percent(rate)),
    }
}
