//! What a run of a script gave.
//!
//! What it is: plain data from the lab or the headless runner, for people and for hashes.
//! Invariants: the same script gives the same report, natively and in WebAssembly.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::api;
use crate::scenario::link::Refusal;
use crate::scenario::script::Expected;
use crate::scenario::told::{Saying, Told, lines};
use crate::types::{MemberId, Millis};

/// One step and what it printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepReport {
    /// The step's line as written.
    pub line: String,
    /// It is for the reader or about the run, and nothing that anybody types.
    pub is_told: bool,
    /// Virtual time at which it began.
    pub began: Millis,
    /// Virtual time at which it ended.
    pub ended: Millis,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Exit status; `None` for verbs and for commands still running.
    pub status: Option<i32>,
    /// Of an expectation, a goal, a reply or a wait for a claim: it came out as it should.
    pub is_met: Option<bool>,
    /// What members did during the step.
    pub events: Vec<(Millis, MemberId, api::MemberEvent)>,
    /// The outcome hash after the step.
    pub outcome: u64,
    /// What a watch that runs in the background printed during the step: (label, bytes).
    pub background: Vec<(String, Vec<u8>)>,
    /// Whose command ended during the step, having run on before: label and exit status, which is the last line there.
    pub ended_beside: Vec<(String, i32)>,
    /// What whoever plays says: whether of an error, and the sentence. In English it stands at the end of `stderr` or `stdout`.
    pub said: Vec<(bool, Refusal)>,
}

impl StepReport {
    /// Says what was done or found.
    pub fn say(&mut self, told: &[Told]) {
        self.speak(false, lines(told));
    }

    /// Says what is wrong.
    pub fn complain(&mut self, told: &Told) {
        self.speak(true, told.into());
    }

    /// Says why the step fails.
    pub fn fail(&mut self, told: &Told) {
        self.complain(told);
        self.status = Some(1);
    }

    fn speak(&mut self, is_error: bool, said: Refusal) {
        let stream = if is_error { &mut self.stderr } else { &mut self.stdout };
        stream.extend(said.english.bytes());
        stream.push(b'\n');
        self.said.push((is_error, said));
    }

    /// What a console printed beside the step, in Chinese.
    #[must_use]
    pub fn chinese_beside(&self, label: &str, printed: &[u8]) -> Vec<u8> {
        let Some((_, status)) = self.ended_beside.iter().find(|(its, _)| its == label) else {
            return printed.to_vec();
        };
        let told = Told::of(Saying::ExitStatus, status);
        let own = told.to_string().len() + 1;
        let mut text =
            printed.get(..printed.len().saturating_sub(own)).unwrap_or_default().to_vec();
        text.extend(told.chinese().bytes());
        text.push(b'\n');
        text
    }

    /// Standard error, or output, in Chinese; `None` if it is the same as in English.
    #[must_use]
    pub fn chinese(&self, is_error: bool) -> Option<Vec<u8>> {
        let said: Vec<&Refusal> =
            self.said.iter().filter(|(its, _)| *its == is_error).map(|(_, said)| said).collect();
        if said.is_empty() {
            return None;
        }
        let stream = if is_error { &self.stderr } else { &self.stdout };
        let own: usize = said.iter().map(|said| said.english.len() + 1).sum();
        let mut text = stream.get(..stream.len().saturating_sub(own)).unwrap_or_default().to_vec();
        for one in said {
            text.extend(one.chinese.bytes());
            text.push(b'\n');
        }
        Some(text)
    }
}

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The steps, in order.
    pub steps: Vec<StepReport>,
    /// Answers, elections and applied commands, chained.
    pub outcome: u64,
    /// Every event, chained; comparable only at an equal `engine_trace`.
    pub trace: u64,
    /// Version of the engine's trace.
    pub engine_trace: u32,
    /// Members and their ids.
    pub members: Vec<api::Member>,
    /// Virtual time at the end.
    pub ended: Millis,
    /// The script is of version 1, whose links have a hash of every step.
    pub is_version_one: bool,
}

/// How a replay compares with what a link's author saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Every event was the same.
    Exact,
    /// Another engine made the link; answers, elections and applied commands were the same.
    OutcomesEqual {
        /// The author's engine.
        made_by: u32,
    },
    /// The same engine and the same outcomes, but the events differ.
    TraceDiffers,
    /// An answer, an election or an applied command differs.
    OutcomeDiffers {
        /// The first step with a hash that differs, counted from 0; `None` if only the end does. In a long script the
        /// difference may have come some steps earlier, see [`Expected::every`].
        step: Option<u32>,
        /// Its line.
        line: String,
        /// The author's engine.
        made_by: u32,
    },
}

impl Report {
    /// How many expectations, goals, replies and waits for claims came out as they should, and how many did not.
    #[must_use]
    pub fn tally(&self) -> (usize, usize) {
        let count = |wanted| self.steps.iter().filter(|step| step.is_met == Some(wanted)).count();
        (count(true), count(false))
    }

    /// What a script that is shared says of this run.
    #[must_use]
    pub fn expected(&self) -> Expected {
        let count = u32::try_from(self.steps.len()).unwrap_or(u32::MAX);
        let every = if self.is_version_one { 1 } else { Expected::every(count) };
        let steps = self.every(every).map(|(_, step)| short(step.outcome)).collect();
        let (outcome, trace, engine_trace) = (self.outcome, self.trace, self.engine_trace);
        Expected { outcome, trace, engine_trace, every, steps }
    }

    /// One of so many steps, with its number, counted from 0.
    fn every(&self, every: u32) -> impl Iterator<Item = (u32, &StepReport)> {
        let steps = (0_u32..).zip(&self.steps);
        steps.filter(move |(at, _)| (at + 1).is_multiple_of(every.max(1)))
    }

    /// Compares this run with its author's.
    #[must_use]
    pub fn compare(&self, expected: &Expected) -> Verdict {
        let made_by = expected.engine_trace;
        if self.outcome != expected.outcome {
            let mut steps = self.every(expected.every).zip(&expected.steps);
            let found = steps.find(|((_, step), seen)| short(step.outcome) != **seen);
            let line = found.map(|((_, step), _)| step.line.clone()).unwrap_or_default();
            return Verdict::OutcomeDiffers { step: found.map(|((at, _), _)| at), line, made_by };
        }
        if made_by != self.engine_trace {
            return Verdict::OutcomesEqual { made_by };
        }
        if self.trace == expected.trace { Verdict::Exact } else { Verdict::TraceDiffers }
    }
}

/// The high 16 bits.
const fn short(outcome: u64) -> u16 {
    let [high, low, ..] = outcome.to_be_bytes();
    u16::from_be_bytes([high, low])
}

impl Verdict {
    /// True unless an outcome differs.
    #[must_use]
    pub const fn is_reproduced(&self) -> bool {
        matches!(self, Self::Exact | Self::OutcomesEqual { .. })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("Reproduced exactly: every event is the same."),
            Self::OutcomesEqual { made_by } => {
                write!(f, "Made by engine {made_by}; the outcomes are equal.")
            }
            Self::TraceDiffers => {
                f.write_str("The outcomes are equal, but the events between them differ.")
            }
            Self::OutcomeDiffers { step: Some(at), line, made_by } => write!(
                f,
                "Not reproduced (made by engine {made_by}): step {} is the first that differs: {line}",
                at + 1
            ),
            Self::OutcomeDiffers { step: None, made_by, .. } => {
                write!(f, "Not reproduced (made by engine {made_by}): the end differs.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(outcomes: &[u64]) -> Report {
        let step = |outcome: &u64| StepReport {
            line: format!("put a {outcome:x}"),
            outcome: *outcome,
            ..StepReport::default()
        };
        Report {
            steps: outcomes.iter().map(step).collect(),
            outcome: outcomes.last().copied().unwrap_or_default(),
            trace: 9,
            engine_trace: 1,
            ..Report::default()
        }
    }

    #[test]
    fn a_replay_is_judged_by_outcome_first_and_by_trace_at_an_equal_engine_only() {
        let first = run(&[1 << 48, 2 << 48]);
        let mut expected = first.expected();
        assert_eq!(first.compare(&expected), Verdict::Exact);
        expected.trace = 8;
        assert_eq!(first.compare(&expected), Verdict::TraceDiffers);
        expected.engine_trace = 7;
        assert_eq!(first.compare(&expected), Verdict::OutcomesEqual { made_by: 7 });
        let other = run(&[1 << 48, 3 << 48]);
        let verdict = other.compare(&expected);
        assert!(!verdict.is_reproduced());
        assert!(verdict.to_string().contains("step 2 is the first that differs: put a 3"));
    }
}
