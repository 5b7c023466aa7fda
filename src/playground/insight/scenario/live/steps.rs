//! How each step of a scenario begins on the live cluster.
//!
//! Invariants: those of the module above.

use super::{
    Aim, BEGIN_MS, CHANGE_MS, COMMAND_MS, Changing, Doing, GRACE_MS, Key, LessonAsk, MARK_MS, Run,
    Said, StepMark, Typed, is_part,
};
use crate::playground::insight::scenario::view::LiveState;
use crate::scenario::{Action, Answer, Change, Claim, Condition, Verb, is_right};

impl Run {
    /// Begins the next step, or judges a goal of the part that ends here.
    pub(super) fn begin(&mut self) {
        let action = self.script.steps.get(self.at).map(|step| step.action.clone());
        if action.as_ref().is_none_or(is_part)
            && let Some(goal) = self.goals.pop_front()
        {
            let claim = self.script.steps.get(goal).map(|step| step.action.clone());
            if let Some(Action::Goal(claim)) = claim {
                self.judge(goal, &claim);
            }
            return;
        }
        let Some(action) = action else {
            self.state = LiveState::Ended;
            return;
        };
        self.note(self.at, StepMark::Runs, Said::Nothing);
        self.begin_action(action);
    }

    fn begin_action(&mut self, action: Action) {
        match action {
            action if is_part(&action) => self.wait(Doing::Mark, MARK_MS),
            Action::Say(_) | Action::Solution | Action::EndSolution => {
                self.finish(StepMark::None, Said::Nothing);
            }
            Action::Mark => self.wait(Doing::Mark, MARK_MS),
            Action::Command { console, waits, text } => self.begin_command(console, waits, text),
            Action::Type { console, text } => self.begin_input(console, text, Key::Input),
            Action::EndInput { console } => self.begin_input(console, String::new(), Key::End),
            Action::Interrupt { console } => {
                self.begin_input(console, String::new(), Key::Interrupt);
            }
            Action::Verb(verb) => self.begin_verb(&verb),
            Action::Change(change) => {
                if let Err(why) = self.begin_change(change) {
                    self.finish(StepMark::Failed, why);
                }
            }
            Action::Open(name) => self.begin_open(name),
            Action::WaitFor { claim, limit_ms } => {
                self.wait(Doing::Claim(claim, limit_ms), limit_ms);
            }
            Action::Expect(claim) => self.judge(self.at, &claim),
            Action::Goal(_) => {
                self.goals.push_back(self.at);
                let said = Said::AtEnd;
                self.finish(StepMark::None, Said::Nothing);
                self.note(self.at.saturating_sub(1), StepMark::Runs, said);
            }
            Action::Answer(answer) => match &answer {
                Answer::Whether(claim) if claim.asks() => self.start_proof(self.at, claim),
                _ => self.answered(&answer, None),
            },
            Action::Reply(reply) => {
                if is_right(&self.answer, &reply) {
                    self.finish(StepMark::Met, Said::Nothing);
                } else {
                    let said = Said::Right(self.answer.clone());
                    self.finish(StepMark::Unmet, said);
                }
            }
        }
    }

    /// Judges an expectation or a goal, which may take a moment to become true.
    fn judge(&mut self, step: usize, claim: &Claim) {
        if claim.asks() {
            self.start_proof(step, claim);
        } else {
            self.wait(Doing::Judge(step, claim.clone()), GRACE_MS);
        }
    }

    fn begin_command(&mut self, console: u32, waits: bool, line: String) {
        if waits && self.scene.is_busy {
            return self.finish(StepMark::Failed, Said::Busy);
        }
        self.asks.push(LessonAsk::Type { console, line, key: Key::Enter });
        let doing = Doing::Command(Typed { console, waits, has_begun: false, was_busy: false });
        self.wait(doing, if waits { COMMAND_MS } else { BEGIN_MS });
    }

    fn begin_input(&mut self, console: u32, line: String, key: Key) {
        if !self.consoles.running.contains(&console) {
            return self.finish(StepMark::Failed, Said::NothingRuns);
        }
        self.asks.push(LessonAsk::Type { console, line, key });
        self.settle(StepMark::Done, Said::Nothing);
    }

    fn begin_verb(&mut self, verb: &Verb) {
        if let Verb::Wait { condition, limit_ms } = verb {
            let doing = match condition {
                Condition::Time => Doing::Settles(StepMark::Done, Said::Nothing),
                condition => Doing::Condition(*condition, *limit_ms),
            };
            return self.wait(doing, *limit_ms);
        }
        if let Err(why) = self.scene.world.plan(verb) {
            return self.finish(StepMark::Failed, Said::Cannot(why));
        }
        if matches!(verb, Verb::Heal(_)) && self.scene.world.links.is_whole() {
            return self.finish(StepMark::Done, Said::Nothing);
        }
        let Some(console) = self.consoles.free() else {
            return self.finish(StepMark::Failed, Said::Busy);
        };
        self.asks.push(LessonAsk::Type { console, line: verb.to_string(), key: Key::Enter });
        self.wait(Doing::Verb, BEGIN_MS);
    }

    fn begin_open(&mut self, name: String) {
        let Some(console) = self.consoles.free() else {
            return self.finish(StepMark::Failed, Said::Busy);
        };
        let line = Action::Open(name).to_string();
        self.asks.push(LessonAsk::Type { console, line, key: Key::Enter });
        self.note(self.at, StepMark::Runs, Said::Asks);
        self.wait(Doing::Open { is_opened: false }, CHANGE_MS);
    }

    fn begin_change(&mut self, change: Change) -> Result<(), Said> {
        let world = &self.scene.world;
        let aim = match change {
            Change::Add { .. } => Aim::More(world.members.len()),
            Change::Remove(target) => Aim::Gone(world.resolve(target).map_err(Said::Cannot)?),
            Change::Promote(target) => Aim::Votes(world.resolve(target).map_err(Said::Cannot)?),
        };
        self.type_change(change)?;
        self.wait(Doing::Change(Changing::new(aim, true)), BEGIN_MS);
        Ok(())
    }

    /// Types it into the first console, which tells that it is busy with it.
    pub(super) fn type_change(&mut self, change: Change) -> Result<(), Said> {
        if self.scene.is_busy {
            return Err(Said::Busy);
        }
        let line = Action::Change(change).to_string();
        self.asks.push(LessonAsk::Type { console: 1, line, key: Key::Enter });
        Ok(())
    }
}
