//! A lesson as a reader meets it: its parts, each with what is said, what is to be reached, and what helps.
//!
//! What it is: a [`Script`] taken apart once per language.
//! What it is not: what somebody has done (see `course`).
//! Invariants: parts stand in the order of the script; a script without parts is one part; every foreign text is escaped.

use crate::playground::escape;
use crate::playground::view::prose::Span;
use crate::scenario::prose::{self, Block};
use crate::scenario::{Action, Answer, Claim, Language, Say, SayKind, Script, Step, Verb};

/// What a click on a line does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// It runs in a console, or is typed into what runs there.
    Type,
    /// The end of input for what runs in a console.
    End,
    /// Ctrl-C in a console.
    Interrupt,
}

/// A line that can be clicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Which console. Range: 1 to 9.
    pub(super) console: u32,
    /// The line as it is typed.
    pub(super) text: String,
    /// What a click does.
    pub(super) way: Way,
}

/// A piece of what is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Paragraph(Vec<Span>),
    List(Vec<Vec<Span>>),
    Lines(Vec<Line>),
}

/// One thing that the lesson does before the reader begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Preparation {
    /// A line runs.
    Run(Line),
    /// Time passes until this holds, at most so long. Unit: ms.
    Wait(Claim, u64),
    /// Claims count from here.
    Mark,
}

/// Something to reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Goal {
    pub(super) claim: Claim,
    /// In words; the claim itself if there are none.
    pub(super) means: Vec<Span>,
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) text: Vec<Span>,
    pub(super) answer: Answer,
}

/// One part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) title: String,
    pub(super) pieces: Vec<Piece>,
    pub(super) goals: Vec<Goal>,
    pub(super) hints: Vec<Vec<Span>>,
    pub(super) queries: Vec<Query>,
    pub(super) preparation: Vec<Preparation>,
    pub(super) solution: Vec<Line>,
}

fn shown(text: &str) -> String {
    escape::block(text.as_bytes())
}

fn spans(found: Vec<prose::Span>) -> Vec<Span> {
    let span = |span| match span {
        prose::Span::Text(text) => Span::Text(shown(&text)),
        prose::Span::Code(text) => Span::Code(shown(&text)),
        prose::Span::Emphasis(text) => Span::Emphasis(shown(&text)),
    };
    found.into_iter().map(span).collect()
}

/// A sentence that is no passage.
fn sentence(text: &str) -> Vec<Span> {
    crate::playground::view::prose::parse(text)
}

/// The line that a step stands for; nothing for what is no line.
fn line(action: &Action) -> Option<Line> {
    let plain = |text: String| Line { console: 1, text, way: Way::Type };
    Some(match action {
        Action::Command { console, text, .. } | Action::Type { console, text } => {
            Line { console: *console, text: text.clone(), way: Way::Type }
        }
        Action::Interrupt { console } => {
            Line { console: *console, text: "^C".to_owned(), way: Way::Interrupt }
        }
        Action::EndInput { console } => {
            Line { console: *console, text: "^D".to_owned(), way: Way::End }
        }
        Action::Verb(verb) => plain(verb.to_string()),
        Action::Change(_) | Action::Open(_) => plain(action.to_string()),
        // The page's consoles know the simplest wait.
        Action::WaitFor { claim: Claim::HasLeader, limit_ms } => plain(
            Verb::Wait { condition: crate::scenario::Condition::Leader, limit_ms: *limit_ms }
                .to_string(),
        ),
        _ => return None,
    })
}

/// The line of a passage that is to be run.
fn prose_line(text: &str) -> Line {
    let script = Script::parse(text);
    let found = script.ok().and_then(|script| line(&script.steps.first()?.action));
    found.unwrap_or_else(|| Line { console: 1, text: text.to_owned(), way: Way::Type })
}

fn piece(block: Block) -> Piece {
    match block {
        Block::Paragraph(found) => Piece::Paragraph(spans(found)),
        Block::List(items) => Piece::List(items.into_iter().map(spans).collect()),
        Block::Commands(lines) => Piece::Lines(lines.iter().map(|text| prose_line(text)).collect()),
    }
}

/// Gathers parts, step by step.
#[derive(Default)]
struct Reader {
    parts: Vec<Part>,
    narration: Vec<String>,
    question: Option<Vec<Span>>,
    is_solution: bool,
    /// A goal was read and its words may follow.
    is_goal: bool,
}

impl Reader {
    fn part(&mut self) -> &mut Part {
        if self.parts.is_empty() {
            self.parts.push(Part::default());
        }
        let at = self.parts.len() - 1;
        self.parts.get_mut(at).unwrap_or_else(|| unreachable!("one was just pushed"))
    }

    /// A passage ends.
    fn close(&mut self) {
        let lines = std::mem::take(&mut self.narration);
        let pieces = prose::read(lines.iter().map(String::as_str)).into_iter().map(piece);
        let pieces: Vec<Piece> = pieces.collect();
        if !pieces.is_empty() {
            self.part().pieces.extend(pieces);
        }
    }

    fn say(&mut self, say: &Say) {
        match say.kind {
            SayKind::Narration => self.narration.push(say.text.clone()),
            SayKind::Part => self.part().title = shown(&say.text),
            SayKind::Hint => {
                let hint = sentence(&say.text);
                self.part().hints.push(hint);
            }
            SayKind::Means if self.is_goal => {
                let means = sentence(&say.text);
                if let Some(goal) = self.part().goals.last_mut() {
                    goal.means = means;
                }
            }
            // It is about an expectation, which only a test has.
            SayKind::Means => {}
            SayKind::Ask => self.question = Some(sentence(&say.text)),
        }
    }

    fn step(&mut self, step: &Step, is_told: bool) {
        if let Action::Say(say) = &step.action {
            if say.kind != SayKind::Narration {
                self.close();
            }
            if say.kind == SayKind::Part && say.language.is_none() {
                self.parts.push(Part::default());
            }
            if is_told {
                self.say(say);
            }
            return;
        }
        self.close();
        self.is_goal = matches!(step.action, Action::Goal(_));
        match &step.action {
            Action::Goal(claim) => {
                let means = vec![Span::Code(shown(&claim.to_string()))];
                self.part().goals.push(Goal { claim: claim.clone(), means });
            }
            Action::Answer(answer) => {
                let text = self.question.take().unwrap_or_default();
                self.part().queries.push(Query { text, answer: answer.clone() });
            }
            Action::Solution => self.is_solution = true,
            Action::EndSolution => self.is_solution = false,
            action if self.is_solution => {
                let line = line(action);
                self.part().solution.extend(line);
            }
            Action::Mark => self.part().preparation.push(Preparation::Mark),
            Action::WaitFor { claim, limit_ms } => {
                let wait = Preparation::Wait(claim.clone(), *limit_ms);
                self.part().preparation.push(wait);
            }
            action => {
                if let Some(line) = line(action) {
                    self.part().preparation.push(Preparation::Run(line));
                }
            }
        }
    }
}

/// The parts of a script for a reader of this language.
pub(super) fn parts(script: &Script, language: &Language) -> Vec<Part> {
    let told = prose::told(&script.steps, &script.language, language);
    let mut reader = Reader::default();
    for (step, is_told) in script.steps.iter().zip(told) {
        reader.step(step, is_told);
    }
    reader.close();
    reader.parts
}

/// The title of a script in this language.
pub(super) fn title(script: &Script, language: &Language) -> String {
    let found = script.titles.iter().find(|(tag, _)| tag == language);
    shown(found.map_or(&script.title, |(_, title)| title))
}
