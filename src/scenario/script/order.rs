//! What may follow what in a script.
//!
//! What it is: the few rules that no single line can show: an answer stands below its question, words below their goal, a
//! solution ends and holds no other.
//! What it is not: a check of what a script does.
//! Invariants: version 1 breaks none of them, since it has none of these steps.

use super::{Action, Fault, ParseError, SayKind};
use crate::scenario::wrong::Rule;

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// A question without its answer: its line.
    asked: Option<u32>,
    /// A solution that has not ended: its line.
    solution: Option<u32>,
    has_answer: bool,
    /// The step before was a goal, an expectation, or its words.
    can_mean: bool,
}

impl Order {
    /// Takes the next step.
    pub(super) fn check(&mut self, action: &Action, number: u32, line: &str) -> Result<(), Fault> {
        let at = line.len() - line.trim_start().len();
        let refuse = |rule: Rule| Err((at, rule.into()));
        let kind = if let Action::Say(say) = action { Some(say.kind) } else { None };
        let is_answer = matches!(action, Action::Answer(_));
        if self.asked.is_some() && !is_answer && kind != Some(SayKind::Ask) {
            return refuse(Rule::AnswerBelow);
        }
        if kind == Some(SayKind::Means) && !self.can_mean {
            return refuse(Rule::MeansAlone);
        }
        self.can_mean =
            kind == Some(SayKind::Means) || matches!(action, Action::Goal(_) | Action::Expect(_));
        match action {
            Action::Say(say) if say.kind == SayKind::Ask => self.asked = Some(number),
            Action::Answer(_) if self.asked.take().is_none() => {
                return refuse(Rule::AnswerAlone);
            }
            Action::Answer(_) => self.has_answer = true,
            Action::Reply(_) if !self.has_answer => {
                return refuse(Rule::ReplyAlone);
            }
            Action::Solution if self.solution.replace(number).is_some() => {
                return refuse(Rule::SolutionWithin);
            }
            Action::EndSolution if self.solution.take().is_none() => {
                return refuse(Rule::EndAlone);
            }
            Action::Say(say) if say.kind == SayKind::Part && self.solution.is_some() => {
                return refuse(Rule::PartWithin);
            }
            Action::Goal(_) if self.solution.is_some() => {
                return refuse(Rule::GoalWithin);
            }
            _ => {}
        }
        Ok(())
    }

    /// The script ends.
    pub(super) fn finish(&self) -> Result<(), ParseError> {
        let fault = |line, rule: Rule| Err(ParseError { line, column: 1, wrong: rule.into() });
        match (self.asked, self.solution) {
            (Some(line), _) => fault(line, Rule::Unanswered),
            (_, Some(line)) => fault(line, Rule::OpenSolution),
            (None, None) => Ok(()),
        }
    }
}
