//! The tutorials: lessons as data, their texts apart.
//!
//! What it is: for each lesson the lines to type and the checks of each step ([`Lesson`]), and per
//! language the words ([`LessonText`]), step for step.
//! What it is not: a view; the page shows it, the lab plays [`Lesson::as_script`].
//! Invariants: a text has as many steps as its lesson, and a sentence for each check (else nothing compiles);
//! every lesson plays headless with all checks met (`tests/scenario_failover.rs`).

mod failover;
mod failover_en;
mod failover_zh;

use crate::scenario::check::Check;
use crate::scenario::script::{ParseError, Script};

pub use failover::FAILOVER;
pub use failover_en::FAILOVER_EN;
pub use failover_zh::FAILOVER_ZH;

// A step or a check without words does not compile.
const _: () = assert!(FAILOVER.is_told_by(&FAILOVER_EN) && FAILOVER.is_told_by(&FAILOVER_ZH));

/// A lesson without its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// Stands in addresses and in what the page remembers.
    pub id: &'static str,
    /// Members of the cluster it is written for. It wants a fresh one: its lines name revisions.
    pub members: u32,
    /// Its steps.
    pub steps: &'static [LessonStep],
}

/// One step of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LessonStep {
    /// What to type, in order.
    pub lines: &'static [Line],
    /// What must have been seen before the next step is offered.
    pub checks: &'static [Check],
}

/// One thing to do, in the words of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// A command or a verb for the first console.
    Type(&'static str),
    /// A command for another console, where it goes on running.
    TypeIn(u32, &'static str),
    /// A wait that a reader does by looking; only scripts need it.
    Pace(&'static str),
    /// Reload the page; in a script its counterpart is given.
    Reload(&'static str),
}

/// The words of a lesson in one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LessonText {
    /// Its title.
    pub title: &'static str,
    /// Its steps.
    pub steps: &'static [StepText],
}

/// The words of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepText {
    /// A few words.
    pub title: &'static str,
    /// What to do and why it is worth seeing; `code` between backticks.
    pub why: &'static str,
    /// What each check of the step asks for, in its order.
    pub checks: &'static [&'static str],
    /// Said when all checks are met.
    pub done: &'static str,
}

impl Line {
    /// The line as a script writes it.
    #[must_use]
    pub fn as_script_line(self) -> String {
        match self {
            Self::Type(text) | Self::Pace(text) | Self::Reload(text) => text.to_owned(),
            Self::TypeIn(console, text) => format!("@{console} {text}"),
        }
    }
}

impl Lesson {
    /// True if the text has a step for each step, and a sentence for each check.
    const fn is_told_by(&self, text: &LessonText) -> bool {
        let (mut steps, mut words) = (self.steps, text.steps);
        while let ([step, more_steps @ ..], [told, more_words @ ..]) = (steps, words) {
            if step.checks.len() != told.checks.len() {
                return false;
            }
            (steps, words) = (more_steps, more_words);
        }
        steps.is_empty() && words.is_empty()
    }

    /// The lesson as a script, each step's title before its lines.
    ///
    /// # Errors
    /// A line of the lesson is not in the grammar, which the tests exclude.
    pub fn as_script(&self, text: &LessonText) -> Result<Script, ParseError> {
        let mut lines = vec![
            format!("title: {}", text.title),
            format!("cluster: members={} seed=1", self.members),
        ];
        for (number, (step, words)) in self.steps.iter().zip(text.steps).enumerate() {
            lines.push(format!("> {}. {}", number + 1, words.title));
            lines.extend(step.lines.iter().map(|line| line.as_script_line()));
        }
        Script::parse(&lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lessons_are_in_the_grammar_in_every_language() {
        assert_eq!(FAILOVER.steps.len(), 9);
        for step in FAILOVER.steps {
            assert!(!step.checks.is_empty() && !step.lines.is_empty(), "{step:?}");
        }
        let lines: usize = FAILOVER.steps.iter().map(|step| step.lines.len()).sum();
        for text in [FAILOVER_EN, FAILOVER_ZH] {
            let script = FAILOVER.as_script(&text).unwrap();
            assert_eq!(script.steps.len(), lines + 9);
            assert!(crate::scenario::link::write(&script).is_ok());
        }
    }
}
