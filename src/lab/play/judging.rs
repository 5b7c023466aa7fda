//! Claims, goals and questions of a script that is being played.
//!
//! What it is: brings what `scenario::judge` looks at: world, configuration, outputs, and for "no write lost" the proof, by reading
//! every acknowledged put at its revision.
//! What it is not: the judgement itself.
//! Invariants: a claim that holds passes no time, "no write lost" aside; goals are judged at the end of their part, in order.

use super::{Lab, seconds};
use crate::api;
use crate::lab::session::{Ran, Session};
use crate::scenario::{
    Action, Answer, Cannot, Claim, Judged, Reason, Said, Saying, Sight, StepReport, Told, is_right,
    told_answer,
};
use crate::types::{MemberId, SmallMap};

/// Most bytes that are kept of what one command prints, of each stream.
const SAID_BYTES_MAX: usize = 1 << 20;
/// Most acknowledged puts that are read again, the newest.
const PROOFS_MAX: usize = 1_000;
/// How long an answer beside the consoles may take. Unit: virtual ms.
pub(super) const ASK_MS: u64 = 7_000;

/// What the last command of each console has printed.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    last: Option<u32>,
    said: SmallMap<u32, Said>,
}

impl Outputs {
    /// A command begins.
    pub(super) fn begin(&mut self, console: u32) {
        self.last = Some(console);
        self.said.insert(console, Said::default());
    }

    fn add(&mut self, console: u32, stdout: &[u8], stderr: &[u8]) {
        if let Some(said) = self.said.get_mut(&console) {
            for (kept, more) in [(&mut said.stdout, stdout), (&mut said.stderr, stderr)] {
                let room = SAID_BYTES_MAX.saturating_sub(kept.len());
                kept.extend(more.iter().take(room));
            }
        }
    }

    /// With what nobody took yet.
    fn of(&self, session: &Session, console: Option<u32>) -> Option<Said> {
        let console = console.or(self.last)?;
        let mut said = self.said.get(&console)?.clone();
        if let Some(more) = session.peek(console) {
            said.stdout.extend(more.stdout);
            said.stderr.extend(more.stderr);
            said.status = more.status;
        }
        Some(said)
    }
}

/// Has something looked at now.
fn look<T>(
    session: &Session,
    outputs: &Outputs,
    writes: Option<&Result<u64, Told>>,
    see: impl FnOnce(&Sight<'_>) -> T,
) -> T {
    let (world, roster) = (session.world(), session.roster());
    let said = |console| outputs.of(session, console);
    let witness = session.witness();
    see(&Sight { world: &world, roster: &roster, witness, said: &said, writes })
}

impl Lab {
    pub(super) fn take_output(&mut self, console: u32) -> (Vec<u8>, Vec<u8>) {
        let (stdout, stderr) = self.session.take_output(console);
        self.outputs.add(console, &stdout, &stderr);
        (stdout, stderr)
    }

    fn judge(&mut self, claim: &Claim) -> Judged {
        let writes = claim.asks().then(|| self.prove_writes());
        look(&self.session, &self.outputs, writes.as_ref(), |sight| sight.judge(claim))
    }

    pub(super) fn play_expect(&mut self, step: &mut StepReport, claim: &Claim) {
        let judged = self.judge(claim);
        settle(step, judged);
    }

    pub(super) fn play_wait_for(&mut self, step: &mut StepReport, claim: &Claim, limit_ms: u64) {
        let outputs = &self.outputs;
        let is_met =
            |session: &Session| look(session, outputs, None, |sight| sight.judge(claim).is_met);
        let ran = self.session.run(limit_ms, is_met);
        let judged = self.judge(claim);
        step.is_met = Some(ran == Ran::Met);
        if ran == Ran::TimeUp {
            let seconds = seconds(limit_ms);
            step.fail(&Told::of(Saying::ClaimInVain, seconds).about(judged.found));
        }
        self.check_exhausted(step, ran);
    }

    /// Judges the goals of the part that ends here; each tells in its own step.
    pub(super) fn judge_goals(&mut self) {
        for at in std::mem::take(&mut self.goals) {
            let Some(Action::Goal(claim)) =
                self.script.steps.get(at).map(|step| step.action.clone())
            else {
                unreachable!("only goals are noted as such");
            };
            let judged = self.judge(&claim);
            if let Some(step) = self.report.steps.get_mut(at) {
                settle(step, judged.clone());
                if let Some(recorder) = self.session.recorder() {
                    recorder.step_ended(at, step);
                }
            }
            self.outcome.add(if judged.is_met { b"goal met" } else { b"goal not met" });
        }
    }

    pub(super) fn play_answer(&mut self, step: &mut StepReport, answer: &Answer) {
        let writes = match answer {
            Answer::Whether(claim) if claim.asks() => Some(self.prove_writes()),
            _ => None,
        };
        let right =
            look(&self.session, &self.outputs, writes.as_ref(), |sight| sight.answer(answer));
        step.say(&[told_answer(&right)]);
        self.answer = Some(right);
    }

    pub(super) fn play_reply(&mut self, step: &mut StepReport, reply: &str) {
        let right = self.answer.clone().unwrap_or_default();
        let is_met = is_right(&right, reply);
        step.is_met = Some(is_met);
        if is_met {
            step.say(&[Told::new(Saying::Right)]);
        } else {
            step.fail(&Told::new(Saying::RightAnswer).about(told_answer(&right)));
        }
    }

    /// Asks a member beside the consoles, and waits.
    pub(super) fn ask(
        &mut self,
        member: MemberId,
        request: api::Request,
    ) -> Option<Result<api::Response, api::Error>> {
        let call = self.session.ask(member, request);
        self.session.run(ASK_MS, |session| session.is_answered(call));
        self.session.take_answer(call)
    }

    /// Whom to ask beside the consoles: who leads, else who runs.
    pub(super) fn somebody(&self) -> Result<MemberId, Told> {
        let world = self.session.world();
        let running = || world.members.iter().find(|view| view.runs()).map(|view| view.id());
        world.leader().or_else(running).ok_or_else(|| Cannot::Because(Reason::NoneRuns).into())
    }

    /// Reads every acknowledged put at its revision.
    fn prove_writes(&mut self) -> Result<u64, Told> {
        let writes = self.session.witness().writes();
        let from = writes.len().saturating_sub(PROOFS_MAX);
        let writes = writes.get(from..).unwrap_or_default().to_vec();
        let mut count = 0;
        for write in writes {
            let member = self.somebody()?;
            let name = String::from_utf8_lossy(&write.key).into_owned();
            let told = |saying| Told::of(saying, &name).and(write.revision);
            let request = api::RangeRequest {
                key: write.key.clone(),
                revision: write.revision,
                ..api::RangeRequest::default()
            };
            match self.ask(member, api::Request::Range(request)) {
                Some(Ok(api::Response::Range(answer))) => {
                    let is_it = |kv: &api::KeyValue| {
                        kv.value == write.value && kv.mod_revision == write.revision
                    };
                    if !answer.kvs.iter().any(is_it) {
                        return Err(told(Saying::Gone));
                    }
                    count += 1;
                }
                // What was compacted away is no loss.
                Some(Err(api::Error::Compacted)) => {}
                Some(Err(api::Error::FutureRev)) => {
                    return Err(told(Saying::Ahead));
                }
                Some(Err(error)) => return Err(told(Saying::Unread).and(error)),
                Some(Ok(_)) | None => {
                    return Err(told(Saying::Unread).about(Told::new(Saying::NoAnswer)));
                }
            }
        }
        Ok(count)
    }
}

fn settle(step: &mut StepReport, judged: Judged) {
    step.is_met = Some(judged.is_met);
    if judged.is_met {
        step.say(&[Told::new(Saying::AsExpected).about(judged.found)]);
    } else {
        step.fail(&Told::new(Saying::NotAsExpected).about(judged.found));
    }
}
