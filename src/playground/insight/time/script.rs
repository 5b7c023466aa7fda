//! The script of a run, for people.
//!
//! What it is: which rows there are for a reader of one language, how each stands at a moment, and what the one that is looked
//! at has printed.
//! What it is not: the script's text: what only the player needs (goals' and answers' machinery, hints, marks) has no row.
//! Invariants: what a question is answered with is nowhere; what a solution checks is said only once it was checked; every text
//! is escaped.

use std::sync::Arc;

use super::strings::TimeStrings;
use super::view::PrintedView;
use super::{Lane, Run, Spoken, TimeState, words};
use crate::playground::escape;
use crate::playground::view::prose::{self, Span};
use crate::scenario::SheetStep;
use crate::scenario::moment::{Begun, Moment};

/// Which row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowId {
    /// The step of this number, from 1.
    Step(u64),
    /// What a change's command printed: its number among the changes, from 0.
    Own(u64),
}

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Sentences for the reader.
    Prose,
    /// The title of a part.
    Part,
    /// A question to the reader.
    Question,
    /// A console line or a verb.
    Line,
    /// Something that is checked.
    Check,
    /// A line that somebody had carried out.
    Own,
}

impl StepKind {
    /// For style sheets.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prose => "prose",
            Self::Part => "part",
            Self::Question => "question",
            Self::Line => "line",
            Self::Check => "check",
            Self::Own => "own",
        }
    }
}

/// A row of the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRow {
    /// Which.
    pub id: RowId,
    /// What.
    pub kind: StepKind,
    /// As it is typed, or what is checked; empty where there are sentences.
    pub line: String,
    /// The sentences.
    pub prose: Vec<Span>,
}

/// How a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowMark {
    /// For style sheets: `open`, `done`, `here` (it began at this moment) or `current`.
    pub state: &'static str,
    /// For style sheets: `met`, `unmet`, `error`, or nothing while it is not known, or there is nothing to know.
    pub outcome: &'static str,
    /// What it checks is not said yet.
    pub is_secret: bool,
}

/// Where a row stands in the script.
#[derive(Clone, Copy, Debug)]
struct Range {
    /// Its first and last step, from 0.
    first: u32,
    last: u32,
    /// Of a check: it is known when a step behind this one has begun.
    judged: u32,
    is_secret: bool,
}

/// The rows of a script in one language.
#[derive(Clone, Debug, Default)]
pub(super) struct Scripted {
    pub(super) rows: Arc<Vec<StepRow>>,
    ranges: Vec<Range>,
}

/// The first word of a step without the tag of its language, and the rest.
fn worded(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    (word.split('[').next().unwrap_or_default(), rest)
}

/// Makes rows.
struct Writer {
    rows: Vec<StepRow>,
    ranges: Vec<Range>,
    /// Sentences that go on.
    passage: String,
    is_in_solution: bool,
}

impl Writer {
    fn push(&mut self, at: u32, kind: StepKind, line: String, prose: Vec<Span>) {
        let id = RowId::Step(u64::from(at) + 1);
        self.rows.push(StepRow { id, kind, line, prose });
        let is_secret = self.is_in_solution && kind == StepKind::Check;
        self.ranges.push(Range { first: at, last: at, judged: at, is_secret });
    }

    /// A sentence joins those before it, unless an empty line parts them.
    fn say(&mut self, at: u32, text: &str) {
        let marked = |mark: &str| text.strip_prefix(mark);
        if let Some(command) = marked("$ ") {
            let code = Span::Code(escape::block(command.as_bytes()));
            self.passage.clear();
            return self.push(at, StepKind::Prose, String::new(), vec![code]);
        }
        let item = marked("- ").map(|item| format!("• {item}"));
        if item.is_some() || self.passage.is_empty() {
            self.passage = item.unwrap_or_else(|| text.to_owned());
            let prose = prose::parse(&self.passage);
            return self.push(at, StepKind::Prose, String::new(), prose);
        }
        // Chinese sentences need no blank between them.
        if self.passage.ends_with(|it: char| it.is_ascii()) {
            self.passage.push(' ');
        }
        self.passage.push_str(text);
        if let (Some(row), Some(range)) = (self.rows.last_mut(), self.ranges.last_mut()) {
            row.prose = prose::parse(&self.passage);
            range.last = at;
        }
    }

    fn step(&mut self, at: u32, step: &SheetStep, is_told: bool) {
        let (word, rest) = worded(&step.text);
        if step.is_prose {
            match step.text.as_str() {
                _ if !is_told => {}
                "" => self.passage.clear(),
                text => self.say(at, text),
            }
            return;
        }
        if !matches!(word, "part" | "hint" | "means" | "ask") {
            self.passage.clear();
        }
        match word {
            "solution" | "end" => self.is_in_solution = word == "solution",
            "hint" | "answer" | "reply" | "mark" => {}
            "part" => {
                self.judge(at);
                if is_told {
                    self.passage.clear();
                    self.push(at, StepKind::Part, String::new(), prose::parse(rest));
                }
            }
            "ask" if is_told => {
                self.passage.clear();
                self.push(at, StepKind::Question, String::new(), prose::parse(rest));
            }
            "means" if is_told => self.explain(rest),
            "ask" | "means" => {}
            "expect" => {
                self.push(at, StepKind::Check, escape::block(rest.as_bytes()), Vec::new());
            }
            "goal" => {
                self.push(at, StepKind::Check, escape::block(rest.as_bytes()), Vec::new());
                if let Some(range) = self.ranges.last_mut() {
                    range.judged = u32::MAX;
                }
            }
            _ => {
                self.push(at, StepKind::Line, escape::block(step.text.as_bytes()), Vec::new());
            }
        }
    }

    /// What the check before it asks for, in words.
    fn explain(&mut self, text: &str) {
        let (row, range) = (self.rows.last_mut(), self.ranges.last_mut());
        if let (Some(row), Some(range)) = (row.filter(|it| it.kind == StepKind::Check), range) {
            row.line.clear();
            row.prose = prose::parse(text);
            range.is_secret = false;
        }
    }

    /// Goals are judged where the next part begins.
    fn judge(&mut self, at: u32) {
        for range in self.ranges.iter_mut().filter(|it| it.judged == u32::MAX) {
            range.judged = at.saturating_sub(1);
        }
    }
}

impl Scripted {
    /// For readers of a language.
    pub(super) fn of(steps: &[SheetStep], spoken: Spoken) -> Self {
        let (rows, ranges) = (Vec::new(), Vec::new());
        let mut writer = Writer { rows, ranges, passage: String::new(), is_in_solution: false };
        for (at, step) in (0_u32..).zip(steps) {
            let is_hidden = match spoken {
                Spoken::English => step.is_not_english,
                Spoken::Chinese => step.is_not_chinese,
            };
            writer.step(at, step, !is_hidden);
        }
        Self { rows: Arc::new(writer.rows), ranges: writer.ranges }
    }

    /// The row under way.
    pub(super) fn current(&self, moment: &Moment) -> Option<usize> {
        self.ranges.iter().rposition(|range| range.first < moment.step)
    }

    /// The row under way, or the last before it that can print.
    fn speaks(&self, moment: &Moment) -> Option<usize> {
        let current = self.current(moment)?;
        let rows = self.rows.get(..=current)?;
        rows.iter().rposition(|row| row.kind == StepKind::Line).or(Some(current))
    }

    /// Where a row stands among the rows.
    pub(super) fn place(&self, id: RowId) -> Option<usize> {
        self.rows.iter().position(|row| row.id == id)
    }

    /// How each row stands.
    pub(super) fn marks(&self, moment: &Moment) -> Vec<RowMark> {
        let current = self.current(moment);
        let mark = |(at, (row, range)): (usize, (&StepRow, &Range))| {
            let begun = begun(moment, range.first);
            let is_over = moment.is_end || range.last + 1 < moment.step;
            let is_judged = moment.is_end || range.judged.saturating_add(1) < moment.step;
            let failure = begun.map(|begun| begun.failure.is_some());
            let outcome = match (row.kind, failure) {
                (StepKind::Check, Some(false)) if is_judged => "met",
                (StepKind::Check, Some(true)) if is_judged => "unmet",
                (StepKind::Line, Some(true)) => "error",
                _ => "",
            };
            let state = if current == Some(at) {
                "current"
            } else if begun.is_some_and(|begun| begun.event == moment.event) {
                "here"
            } else if is_over {
                "done"
            } else {
                "open"
            };
            RowMark { state, outcome, is_secret: range.is_secret && !is_judged }
        };
        self.rows.iter().zip(&self.ranges).enumerate().map(mark).collect()
    }

    /// The script itself expects that the line of this row fails: what is checked before the next line is about an error.
    fn expects_failure(&self, at: usize) -> bool {
        let behind = self.rows.iter().skip(at + 1).take_while(|row| row.kind != StepKind::Line);
        let is_about = |row: &StepRow| {
            let words = ["error ", "status is ", "refused "];
            row.kind == StepKind::Check && words.iter().any(|word| row.line.contains(word))
        };
        behind.into_iter().any(is_about)
    }
}

/// Where a step began, if it did.
fn begun(moment: &Moment, step: u32) -> Option<&Begun> {
    let first = moment.begun.first()?.step;
    let at = usize::try_from(step.checked_sub(first)?).ok()?;
    moment.begun.get(at)
}

/// Sentences without their marks.
fn plain(prose: &[Span]) -> String {
    let words = |span: &Span| match span {
        Span::Text(text) | Span::Code(text) | Span::Emphasis(text) => text.clone(),
    };
    prose.iter().map(words).collect()
}

impl Lane {
    /// The step whose output somebody looks at and the moment does not tell.
    pub(super) fn unseen(&self) -> Option<u32> {
        let Some(RowId::Step(number)) = self.chosen else { return None };
        let step = u32::try_from(number.saturating_sub(1)).ok()?;
        let is_told = self.moment.told.iter().any(|(told, _)| *told == step);
        let is_asked = self.printed.as_ref().is_some_and(|(asked, _)| *asked == step);
        (step < self.moment.step && !is_told && !is_asked).then_some(step)
    }

    /// What a step has printed, if that is known.
    fn sheet(&self, step: u32) -> Option<&SheetStep> {
        let told = self.moment.told.iter().find(|(number, _)| *number == step);
        let printed = self.printed.as_ref().filter(|(number, _)| *number == step);
        told.map(|(_, sheet)| sheet).or_else(|| printed?.1.as_ref())
    }
}

impl TimeState {
    /// Looks at a row of a timeline's script; the one under way is looked at anyway.
    pub fn choose(&mut self, lane: usize, id: RowId) {
        let Some(run) = &mut self.run else { return };
        let Some(lane) = run.lanes.get_mut(lane) else { return };
        let current = run.script.current(&lane.moment);
        let is_current = current.is_some() && current == run.script.place(id);
        lane.chosen = Some(id).filter(|_| !is_current);
        lane.printed = lane.printed.take().filter(|(_, step)| step.is_some());
        self.ask_on();
    }

    /// The rows of a timeline: the script, and behind it what changes' commands printed.
    pub(super) fn rows(&self, run: &Run, moment: &Moment) -> (Arc<Vec<StepRow>>, Vec<RowMark>) {
        let mut marks = run.script.marks(moment);
        if moment.own.is_empty() {
            return (Arc::clone(&run.script.rows), marks);
        }
        let mut rows = (*run.script.rows).clone();
        for (number, step) in &moment.own {
            let outcome = if step.failure.is_some() { "error" } else { "" };
            marks.push(RowMark { state: "done", outcome, is_secret: false });
            rows.push(StepRow {
                id: RowId::Own(u64::from(*number)),
                kind: StepKind::Own,
                line: escape::line(step.text.as_bytes()),
                prose: Vec::new(),
            });
        }
        (Arc::new(rows), marks)
    }

    /// What the row that is looked at has printed.
    pub(super) fn printed(&self, run: &Run, lane: &Lane) -> PrintedView {
        let s = self.strings();
        let moment = &lane.moment;
        if let Some(RowId::Own(own)) = lane.chosen {
            let found = moment.own.iter().find(|(number, _)| u64::from(*number) == own);
            let Some((_, step)) = found else { return PrintedView::default() };
            let title = escape::line(step.text.as_bytes());
            return told(
                PrintedView { title, ..PrintedView::default() },
                step,
                false,
                (self.spoken, s),
            );
        }
        let chosen = lane.chosen.and_then(|id| run.script.place(id));
        let Some(at) = chosen.or_else(|| run.script.speaks(moment)) else {
            return PrintedView { note: s.steps_hint, ..PrintedView::default() };
        };
        let (Some(row), Some(range)) = (run.script.rows.get(at), run.script.ranges.get(at)) else {
            return PrintedView::default();
        };
        let mark = run.script.marks(moment).get(at).copied();
        let title = if mark.is_some_and(|mark| mark.is_secret) {
            s.check_later.to_owned()
        } else if row.line.is_empty() {
            plain(&row.prose)
        } else {
            row.line.clone()
        };
        let number = u64::from(range.first) + 1;
        let can_go = mark.is_some_and(|mark| mark.state != "here" || chosen.is_some());
        let view = PrintedView {
            title: words::cut_lines(&title),
            number,
            can_go,
            ..PrintedView::default()
        };
        let note = match (row.kind, mark.map(|mark| mark.outcome)) {
            (StepKind::Check, Some("met")) => s.check_met,
            (StepKind::Check, Some("unmet")) => s.check_unmet,
            (StepKind::Check, _) => s.check_open,
            (StepKind::Line | StepKind::Own, _) => "",
            _ => s.printed_prose,
        };
        if row.kind == StepKind::Line && range.first >= moment.step {
            return PrintedView { note: s.printed_not_begun, ..view };
        }
        let Some(sheet) = lane.sheet(range.first).filter(|_| !mark.is_some_and(|it| it.is_secret))
        else {
            let note = if row.kind == StepKind::Line { s.printed_fetching } else { note };
            return PrintedView { note, ..view };
        };
        let is_meant = self.is_taught() || run.script.expects_failure(at);
        match row.kind {
            StepKind::Line => told(view, sheet, is_meant, (self.spoken, s)),
            _ => PrintedView { note, errors: escape::block(printed(sheet, self.spoken).1), ..view },
        }
    }
}

/// Output and errors of a step, for readers of a language.
fn printed(step: &SheetStep, spoken: Spoken) -> (&[u8], &[u8]) {
    let (output, errors) = step.printed(spoken == Spoken::Chinese);
    (output, errors)
}

/// Output, errors and exit status of a step.
fn told(
    view: PrintedView,
    step: &SheetStep,
    is_meant: bool,
    (spoken, s): (Spoken, &TimeStrings),
) -> PrintedView {
    let (output, errors) = printed(step, spoken);
    let (output, errors) = (escape::block(output), escape::block(errors));
    let words = if is_meant { s.step_meant } else { s.step_failed };
    let failure = step.failure.map(words).unwrap_or_default();
    let is_silent = output.is_empty() && errors.is_empty() && failure.is_empty();
    let note = if is_silent { s.printed_nothing } else { "" };
    PrintedView { output, errors, failure, is_meant, note, ..view }
}
