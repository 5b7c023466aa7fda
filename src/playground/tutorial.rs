//! The lesson beside the console: where the reader stands and what has been seen.
//!
//! What it is: the state of one lesson of `scenario::catalog` and its checks over gathered facts.
//! What it is not: a script runner; lines run in the console, as if typed.
//! Invariants: a step is done when all its checks hold at one moment, and stays done; the next step is
//! offered only then; going back forgets nothing.

use crate::api;
use crate::playground::strings::Strings;
use crate::playground::view::prose::{self, Span};
use crate::scenario::catalog::{FAILOVER, Lesson, LessonStep, Line};
use crate::scenario::{Facts, World};
use crate::types::MemberId;

/// Under this name the progress is remembered.
pub const PROGRESS_NAME: &str = "tutorial";

/// What a click on a line does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It runs in the console at this place, from 1.
    Console(u32),
    /// The page is loaded again.
    Reload,
}

/// A line that can be clicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineView {
    /// The line.
    pub text: String,
    /// What a click does.
    pub way: Way,
    /// It was run in this step.
    pub was_run: bool,
}

/// A check of the step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckView {
    /// What it asks for.
    pub text: &'static str,
    /// It holds.
    pub is_met: bool,
}

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All its checks held.
    Done,
    /// The reader may work on it.
    Open,
    /// A step before it is not done.
    Locked,
}

/// A step in the row of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dot {
    /// Its number, from 1.
    pub number: u32,
    /// Its title.
    pub title: &'static str,
    /// How far it is.
    pub progress: Progress,
    /// It is shown.
    pub is_current: bool,
}

/// The tutorial as the page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TutorialView {
    /// The lesson's title.
    pub lesson: &'static str,
    /// All steps.
    pub dots: Vec<Dot>,
    /// The number of the step shown, from 1.
    pub number: u32,
    /// Its title.
    pub title: &'static str,
    /// What to do and why.
    pub why: Vec<Span>,
    /// What to click.
    pub lines: Vec<LineView>,
    /// What must be seen.
    pub checks: Vec<CheckView>,
    /// Said when it is done.
    pub done: Option<&'static str>,
    /// There is a step before.
    pub can_go_back: bool,
    /// The next step is offered.
    pub can_go_on: bool,
    /// It is the last one.
    pub is_last: bool,
    /// The cluster is not the fresh one the lesson is written for.
    pub wants_fresh: bool,
}

/// Where the reader stands.
#[derive(Debug)]
pub struct Tutorial {
    lesson: Lesson,
    /// The step shown, from 0.
    shown: usize,
    /// Steps that are done; the one at this index is being worked on.
    done: usize,
    facts: Facts,
    run: Vec<usize>,
    met: Vec<bool>,
    is_fresh: bool,
}

impl Default for Tutorial {
    fn default() -> Self {
        Self {
            lesson: FAILOVER,
            shown: 0,
            done: 0,
            facts: Facts::default(),
            run: Vec::new(),
            met: Vec::new(),
            is_fresh: true,
        }
    }
}

impl Tutorial {
    /// Takes the progress of an earlier visit: "id done shown".
    pub fn remember(&mut self, text: &str) {
        let mut words = text.split_whitespace();
        if words.next() != Some(self.lesson.id) {
            return;
        }
        let mut number = || words.next().and_then(|word| word.parse::<usize>().ok()).unwrap_or(0);
        self.done = number().min(self.lesson.steps.len());
        self.shown = number().min(self.done).min(self.last());
    }

    /// The progress as [`Tutorial::remember`] reads it.
    #[must_use]
    pub fn progress(&self) -> String {
        format!("{} {} {}", self.lesson.id, self.done, self.shown)
    }

    fn last(&self) -> usize {
        self.lesson.steps.len().saturating_sub(1)
    }

    /// A cluster was opened; a fresh one starts the lesson from the beginning.
    pub fn cluster_opened(&mut self, is_resumed: bool, members: u32) {
        self.is_fresh = members == self.lesson.members && (!is_resumed || self.done > 0);
        if !is_resumed {
            self.shown = 0;
            self.done = 0;
        }
        self.facts = Facts::default();
        self.run.clear();
        self.begin();
    }

    fn begin(&mut self) {
        self.facts.begin_step();
        self.run.clear();
        self.met.clear();
    }

    /// The newest picture of the cluster. Returns true if a step was completed by it.
    pub fn set_world(&mut self, world: World) -> bool {
        self.facts.set_world(world);
        self.check()
    }

    /// A console's request was answered.
    pub fn saw_answer(
        &mut self,
        member: MemberId,
        request: &api::Request,
        result: &Result<api::Response, api::Error>,
    ) -> bool {
        self.facts.saw_answer(member, request, result);
        self.check()
    }

    /// A console's request got no answer.
    pub fn saw_failure(&mut self, request: &api::Request) -> bool {
        self.facts.saw_failure(request);
        self.check()
    }

    /// A console's watch got a message.
    pub fn saw_watch(&mut self, response: &api::WatchResponse) -> bool {
        self.facts.saw_watch(response);
        self.check()
    }

    /// A member told what it did.
    pub fn saw_event(&mut self, member: MemberId, event: &api::MemberEvent) -> bool {
        self.facts.saw_event(member, event);
        self.check()
    }

    fn check(&mut self) -> bool {
        let Some(step) = self.lesson.steps.get(self.done) else { return false };
        self.met = step.checks.iter().map(|check| check.is_met(&self.facts)).collect();
        let is_done = self.met.iter().all(|is_met| *is_met);
        if is_done {
            self.done += 1;
            // The next step begins with what is true now, also if its text is not open yet.
            self.begin();
        }
        is_done
    }

    /// Shows the step before.
    pub fn back(&mut self) {
        self.shown = self.shown.saturating_sub(1);
    }

    /// Shows the next step, if it is offered.
    pub fn forward(&mut self) {
        if self.shown < self.done && self.shown < self.last() {
            self.shown += 1;
        }
    }

    /// Shows this step, from 1, if it is offered.
    pub fn show(&mut self, number: u32) {
        let wanted = usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
        if wanted <= self.done && wanted <= self.last() {
            self.shown = wanted;
        }
    }

    /// The line at this place of the shown step, and what a click on it does.
    pub fn take_line(&mut self, at: u32) -> Option<(String, Way)> {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let line = self.shown_lines().nth(at)?;
        if self.shown == self.done {
            self.run.push(at);
        }
        Some(line)
    }

    fn shown_lines(&self) -> impl Iterator<Item = (String, Way)> + use<> {
        let step: Option<&LessonStep> = self.lesson.steps.get(self.shown);
        let lines: Vec<Line> = step.map(|step| step.lines.to_vec()).unwrap_or_default();
        lines.into_iter().filter_map(|line| match line {
            Line::Type(text) => Some((text.to_owned(), Way::Console(1))),
            Line::TypeIn(place, text) => Some((text.to_owned(), Way::Console(place))),
            Line::Reload(text) => Some((text.to_owned(), Way::Reload)),
            Line::Pace(_) => None,
        })
    }

    /// What there is to see.
    #[must_use]
    pub fn view(&self, s: &Strings) -> TutorialView {
        let lesson = s.failover;
        let Some(text) = lesson.steps.get(self.shown) else { return TutorialView::default() };
        let is_done = self.shown < self.done;
        let dots = lesson.steps.iter().zip(1_u32..).enumerate().map(|(at, (step, number))| Dot {
            number,
            title: step.title,
            progress: match at.cmp(&self.done) {
                std::cmp::Ordering::Less => Progress::Done,
                std::cmp::Ordering::Equal => Progress::Open,
                std::cmp::Ordering::Greater => Progress::Locked,
            },
            is_current: at == self.shown,
        });
        TutorialView {
            lesson: lesson.title,
            dots: dots.collect(),
            number: u32::try_from(self.shown + 1).unwrap_or(u32::MAX),
            title: text.title,
            why: prose::parse(text.why),
            lines: self
                .shown_lines()
                .enumerate()
                .map(|(at, (text, way))| LineView {
                    text,
                    way,
                    was_run: is_done || self.run.contains(&at),
                })
                .collect(),
            checks: text
                .checks
                .iter()
                .enumerate()
                .map(|(at, text)| CheckView {
                    text,
                    is_met: is_done || self.met.get(at).copied().unwrap_or(false),
                })
                .collect(),
            done: is_done.then_some(text.done),
            can_go_back: self.shown > 0,
            can_go_on: is_done && self.shown < self.last(),
            is_last: self.shown == self.last(),
            wants_fresh: !self.is_fresh && self.done == 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playground::cluster::tests::three;
    use crate::playground::strings::EN;

    fn answer_status(tutorial: &mut Tutorial, member: u64) -> bool {
        tutorial.saw_answer(
            MemberId(member),
            &api::Request::Status(api::StatusRequest {}),
            &Ok(api::Response::Status(api::StatusResponse::default())),
        )
    }

    #[test]
    fn a_step_is_done_when_the_engine_says_so_and_only_then_is_the_next_offered() {
        let mut tutorial = Tutorial::default();
        tutorial.cluster_opened(false, 3);
        tutorial.set_world(three().world());
        tutorial.forward();
        assert_eq!(tutorial.view(&EN).number, 1);
        assert!(!answer_status(&mut tutorial, 1));
        assert!(!answer_status(&mut tutorial, 2));
        assert!(answer_status(&mut tutorial, 3));
        let view = tutorial.view(&EN);
        assert!(view.can_go_on && view.checks.iter().all(|check| check.is_met));
        assert_eq!(view.dots[0].progress, Progress::Done);
        tutorial.forward();
        assert_eq!(tutorial.view(&EN).number, 2);
        tutorial.back();
        assert_eq!(tutorial.view(&EN).number, 1);
        assert!(tutorial.view(&EN).done.is_some());
    }

    #[test]
    fn typing_the_text_without_an_answer_completes_nothing() {
        let mut tutorial = Tutorial::default();
        tutorial.cluster_opened(false, 3);
        tutorial.set_world(three().world());
        assert!(tutorial.take_line(0).is_some());
        assert!(!tutorial.view(&EN).can_go_on);
        assert!(tutorial.view(&EN).lines[0].was_run);
    }

    #[test]
    fn progress_survives_a_reload_and_a_fresh_cluster_starts_over() {
        let mut tutorial = Tutorial::default();
        tutorial.remember("failover 4 3");
        tutorial.cluster_opened(true, 3);
        assert_eq!(tutorial.view(&EN).number, 4);
        assert_eq!(tutorial.progress(), "failover 4 3");
        tutorial.remember("failover 900 900");
        assert_eq!(tutorial.view(&EN).number, 9);
        tutorial.cluster_opened(false, 3);
        assert_eq!(tutorial.view(&EN).number, 1);
    }

    #[test]
    fn a_used_cluster_without_progress_is_not_what_the_lesson_is_written_for() {
        let mut tutorial = Tutorial::default();
        tutorial.cluster_opened(true, 3);
        assert!(tutorial.view(&EN).wants_fresh);
        tutorial.cluster_opened(false, 5);
        assert!(tutorial.view(&EN).wants_fresh);
        tutorial.cluster_opened(false, 3);
        assert!(!tutorial.view(&EN).wants_fresh);
    }
}
