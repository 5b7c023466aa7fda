//! Scripts: the plain text that a file, a link and a tutorial share.
//!
//! What it is: the grammar. Header lines first, each once:
//!
//! ```text
//! script: 2
//! title: Failover                  title[zh]: 故障转移
//! language: en                     of what has no tag; this is the default
//! cluster: members=3 learners=0 seed=7 tick=100ms election=1s quota=16MiB pre-vote=off check-quorum=off
//! flags: --snapshot-count=100      etcd's own flags, see `flags`
//! expect: outcome=… trace=… engine=… steps=… every=…     what a run gave; written by `playground link`
//! ```
//!
//! Then one step a line:
//!
//! ```text
//! # a comment; left out of the canonical text
//! > a sentence for the reader
//! put foo bar                 etcdctl in console 1; the next step begins when it has ended
//! put foo <<EOF               lines follow up to EOF; open quotes and a backslash at the end go on below, too
//! @2 watch foo                etcdctl in console 2; the next step begins at once
//! @2 ^C                       Ctrl-C in console 2
//! kill leader                 a verb, see `verb`
//! expect output is OK         and what else version 2 has, see `step`
//! ```
//!
//! Version 1 has neither `step`, `flags:`, `language:`, `learners=`, languages, nor commands of several lines.
//! What says `script: 1` is read so for ever; a text without `script:` is of version 2, where every line that version 1
//! could carry out means the same.
//! `scenarios.md` beside this module tells it all to who writes one.
//! What it is not: etcdctl's grammar (a console line is kept as it stands), nor a runner (see `lab`).
//! Invariants: `Display` writes the canonical text with every cluster setting explicit, and reading
//! that gives the same script; every fault is an error with line and column, never a panic.

mod flags;
mod header;
mod order;
mod step;

use std::fmt;

use crate::etcdctl;
use crate::scenario::claim::Claim;
use crate::scenario::verb::{self, Verb};
use crate::scenario::wrong::{Thing, Wanted, Wrong};
use crate::scenario::{token, units};

pub use flags::{Flag, Flags};
pub use header::{ClusterSettings, Expected};
pub use step::{Answer, Change, Language, NAMES, Say, SayKind};

/// A version of the grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grammar {
    /// Steps only.
    One,
    /// Claims, questions, goals, languages.
    #[default]
    Two,
}

/// Most lines of one command or of the text below a claim.
pub const PARAGRAPH_LINES_MAX: usize = 200;

/// Most steps of a script of version 2, sentences included.
pub const STEPS_MAX: usize = 5_000;

/// Most bytes of a script. Source: the reader of links, DESIGN 20.
pub const TEXT_BYTES_MAX: usize = 256 * 1024;

/// Most bytes of one line. Source: the console's limit on a pasted line.
pub const LINE_BYTES_MAX: usize = 64 * 1024;

/// The highest number of a console.
pub const CONSOLE_MAX: u32 = 9;

/// A whole script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The grammar it is written in.
    pub version: Grammar,
    /// Shown above the steps; may be empty.
    pub title: String,
    /// The title in other languages, in the order of their tags.
    pub titles: Vec<(Language, String)>,
    /// The language of what has no tag.
    pub language: Language,
    /// How the cluster is made.
    pub cluster: ClusterSettings,
    /// Learners beside the members, added before the first step.
    pub learners: u32,
    /// etcd's flags.
    pub flags: Flags,
    /// What a run gave when the script was shared.
    pub expected: Option<Expected>,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// One step and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its line, counted from 1.
    pub line: u32,
    /// What is done.
    pub action: Action,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A line for etcdctl.
    Command {
        /// Which console. Range: 1 to [`CONSOLE_MAX`].
        console: u32,
        /// True: the next step begins when the command has ended.
        waits: bool,
        /// The line, with or without the leading word `etcdctl`; one line, no blanks at its ends.
        text: String,
    },
    /// Ctrl-C in a console.
    Interrupt {
        /// Which console.
        console: u32,
    },
    /// A line for what reads in a console.
    Type {
        /// Which console.
        console: u32,
        /// The line.
        text: String,
    },
    /// The end of input for what reads in a console.
    EndInput {
        /// Which console.
        console: u32,
    },
    /// Something done to the cluster.
    Verb(Verb),
    /// A change of the membership.
    Change(Change),
    /// The cluster that a snapshot was restored to, by the name of its data (one word), takes the place of the one that runs.
    Open(String),
    /// A sentence for the reader.
    Say(Say),
    /// Time passes until a claim holds.
    WaitFor {
        /// What for.
        claim: Claim,
        /// How long at most. Unit: ms.
        limit_ms: u64,
    },
    /// A claim that must hold now.
    Expect(Claim),
    /// A claim that must hold at the end of the part.
    Goal(Claim),
    /// The right answer to the question before.
    Answer(Answer),
    /// A person's answer to it.
    Reply(String),
    /// Claims count from here.
    Mark,
    /// What a learner has to do begins.
    Solution,
    /// It ends.
    EndSolution,
}

/// A script that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {wrong}")]
pub struct ParseError {
    /// Counted from 1.
    pub line: u32,
    /// In characters, counted from 1.
    pub column: u32,
    /// What is wrong, and what was expected.
    pub wrong: Wrong,
}

use token::Fault;

/// The lines of a script that are not read yet.
struct Lines<'text> {
    rest: std::str::Lines<'text>,
    number: u32,
}

impl<'text> Lines<'text> {
    fn next(&mut self) -> Option<&'text str> {
        let line = self.rest.next()?;
        self.number = self.number.saturating_add(1);
        Some(line)
    }
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// The first line that is not in the grammar, with what was expected there.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(ParseError { line: 1, column: 1, wrong: Wrong::LargeText });
        }
        let mut script = Self::default();
        let mut header = header::Seen::default();
        let mut order = order::Order::default();
        let mut lines = Lines { rest: text.lines(), number: 0 };
        while let Some(line) = lines.next() {
            let number = lines.number;
            let fault = |(at, wrong)| ParseError { line: number, column: column(line, at), wrong };
            let read = script.read_line(&mut header, &mut lines, number, line);
            if let Some(action) = read.map_err(fault)? {
                order.check(&action, number, line).map_err(fault)?;
                script.steps.push(Step { line: number, action });
            }
            if script.version > Grammar::One && script.steps.len() > STEPS_MAX {
                return Err(fault((0, Wrong::ManySteps)));
            }
        }
        order.finish()?;
        Ok(script)
    }

    /// Reads a line and those that belong to it.
    fn read_line(
        &mut self,
        header: &mut header::Seen,
        lines: &mut Lines<'_>,
        number: u32,
        line: &str,
    ) -> Result<Option<Action>, Fault> {
        if line.len() > LINE_BYTES_MAX {
            return Err((0, Wrong::LongLine));
        }
        let words = words(line);
        let Some((_, first)) = words.first() else {
            return Ok(None);
        };
        if first.starts_with('#') {
            return Ok(None);
        }
        if let Some(name) = first.strip_suffix(':') {
            if self.steps.is_empty() {
                header.read(self, name, &words, line)?;
                return Ok(None);
            }
            if header::is_name(self.version, name) {
                return Err((0, Wrong::LateHeader(name.to_owned())));
            }
        }
        if self.version == Grammar::One {
            return read_action(&words, line).map(Some);
        }
        read_action_two(&words, line, lines, number).map(Some)
    }

    /// Milliseconds that the script's waits last at most, taken together.
    #[must_use]
    pub fn total_wait_ms(&self) -> u64 {
        let waits = self.steps.iter().map(|step| match step.action {
            Action::Verb(Verb::Wait { limit_ms, .. }) | Action::WaitFor { limit_ms, .. } => {
                limit_ms
            }
            _ => 0,
        });
        waits.fold(0, u64::saturating_add)
    }
}

/// The words of a line with their byte offsets.
fn words(line: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut rest = line;
    let mut at = 0;
    loop {
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        let length = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
        let Some((word, after)) = trimmed.split_at_checked(length) else {
            return found;
        };
        if word.is_empty() {
            return found;
        }
        found.push((at, word));
        at += length;
        rest = after;
    }
}

/// The line from the word at `index` on, without blanks at its ends.
fn from_word<'line>(words: &[(usize, &str)], index: usize, line: &'line str) -> &'line str {
    words.get(index).and_then(|(at, _)| line.get(*at..)).unwrap_or_default().trim()
}

fn column(line: &str, at: usize) -> u32 {
    let before = line.get(..at).unwrap_or(line).chars().count();
    u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)
}

fn read_action(words: &[(usize, &str)], line: &str) -> Result<Action, Fault> {
    let (_, first) = words.first().copied().unwrap_or_default();
    if first.starts_with('>') {
        let text = line.trim().strip_prefix('>').unwrap_or_default().trim().to_owned();
        return Ok(Action::Say(Say { kind: SayKind::Narration, language: None, text }));
    }
    if let Some(console) = first.strip_prefix('@') {
        return read_console_line(console, words, line);
    }
    let plain: Vec<&str> = words.iter().map(|(_, word)| *word).collect();
    match verb::parse(&plain) {
        Some(Ok(found)) => Ok(Action::Verb(found)),
        Some(Err(fault)) => {
            let at = words.get(fault.word).map_or(line.trim_end().len(), |(at, _)| *at);
            Err((at, Wrong::Verb(fault.wrong)))
        }
        None => {
            let text = from_word(words, 0, line).to_owned();
            Ok(Action::Command { console: 1, waits: true, text })
        }
    }
}

/// Reads a step of version 2 and the lines that belong to it.
fn read_action_two(
    words: &[(usize, &str)],
    line: &str,
    lines: &mut Lines<'_>,
    number: u32,
) -> Result<Action, Fault> {
    let (_, first) = words.first().copied().unwrap_or_default();
    if first.starts_with('>') {
        return Ok(Action::Say(step::narration(line)));
    }
    let mut document = None;
    if step::has_claim(words)
        && let Some((at, end)) = step::document_mark(line)
    {
        document = Some(read_document(lines, at, &end)?);
    }
    if let Some(read) = step::read(words, line, document) {
        return read;
    }
    let action = match read_action(words, line)? {
        Action::Command { console, waits: false, text } => {
            let (_, second) = words.get(1).copied().unwrap_or_default();
            if NAMES.contains(&second) {
                let at = words.get(1).map_or(0, |(at, _)| *at);
                return Err((at, Wrong::NoCommand(second.to_owned())));
            }
            if let Some(typed) = step::typed(console, second, &text) {
                return Ok(typed);
            }
            Action::Command { console, waits: false, text }
        }
        action => action,
    };
    let Action::Command { console, waits, .. } = action else { return Ok(action) };
    let first_at = words.get(usize::from(!waits)).map_or(0, |(at, _)| *at);
    let text = read_command(lines, line, first_at, number)?;
    Ok(Action::Command { console, waits, text })
}

/// A command from this byte of the line on, and the lines that belong to it.
fn read_command(
    lines: &mut Lines<'_>,
    line: &str,
    at: usize,
    number: u32,
) -> Result<String, Fault> {
    let raw = line.get(at..).unwrap_or_default().trim_end_matches('\r');
    if !etcdctl::is_unfinished(raw) {
        let trimmed = raw.trim_end();
        // A blank behind a backslash is part of the command.
        let text = if etcdctl::is_unfinished(trimmed) { raw } else { trimmed };
        return Ok(text.to_owned());
    }
    let mut text = raw.to_owned();
    let mut count = 1;
    while etcdctl::is_unfinished(&text) {
        let Some(next) = lines.next() else {
            return Err(match etcdctl::open_quote(&text).filter(|(_, place)| *place < raw.len()) {
                Some((quote, place)) => (at + place, Wrong::OpenQuote(quote)),
                None => (at, Wrong::OpenCommand(number)),
            });
        };
        text.push('\n');
        text.push_str(next.trim_end_matches('\r'));
        count += 1;
        if count > PARAGRAPH_LINES_MAX || text.len() > LINE_BYTES_MAX {
            return Err((at, Wrong::LongParagraph));
        }
    }
    Ok(text)
}

/// The lines up to one that is `end`.
fn read_document(lines: &mut Lines<'_>, at: usize, end: &str) -> Result<String, Fault> {
    let mut found: Vec<&str> = Vec::new();
    let mut size = 0;
    loop {
        let Some(line) = lines.next() else {
            return Err((at, Wrong::OpenText(end.to_owned())));
        };
        if line.trim_end() == end {
            return Ok(found.join("\n"));
        }
        let line = line.trim_end_matches('\r');
        size += line.len() + 1;
        found.push(line);
        if found.len() > PARAGRAPH_LINES_MAX || size > LINE_BYTES_MAX {
            return Err((at, Wrong::LongParagraph));
        }
    }
}

fn read_console_line(console: &str, words: &[(usize, &str)], line: &str) -> Result<Action, Fault> {
    let at = words.first().map_or(0, |(at, _)| *at);
    let is_digit = console.len() == 1;
    let number = console.parse::<u32>().ok().filter(|number| is_digit && *number >= 1);
    let Some(console) = number else {
        return Err((at, Wrong::missing(Wanted::Console)));
    };
    let Some((second_at, second)) = words.get(1).copied() else {
        return Err((line.trim_end().len(), Thing::Command.into()));
    };
    if second == "^C" {
        return match words.get(2) {
            None => Ok(Action::Interrupt { console }),
            Some((at, _)) => Err((*at, Thing::EndAfterInterrupt.into())),
        };
    }
    if verb::NAMES.contains(&second) {
        return Err((second_at, Wrong::NoConsole(second.to_owned())));
    }
    Ok(Action::Command { console, waits: false, text: from_word(words, 1, line).to_owned() })
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { waits: true, text, .. } => f.write_str(text),
            Self::Command { console, waits: false, text } => write!(f, "@{console} {text}"),
            Self::Interrupt { console } => write!(f, "@{console} ^C"),
            Self::Type { console, text } if text.is_empty() => write!(f, "@{console} <"),
            Self::Type { console, text } => write!(f, "@{console} < {text}"),
            Self::EndInput { console } => write!(f, "@{console} ^D"),
            Self::Verb(verb) => verb.fmt(f),
            Self::Change(change) => change.fmt(f),
            Self::Open(name) => write!(f, "open {name}"),
            Self::Say(say) => say.fmt(f),
            Self::WaitFor { claim, limit_ms } => {
                let within = format!(" within {}", units::show_duration(*limit_ms));
                step::write_claim(f, "wait for", claim, &within)
            }
            Self::Expect(claim) => step::write_claim(f, "expect", claim, ""),
            Self::Goal(claim) => step::write_claim(f, "goal", claim, ""),
            Self::Answer(answer) => step::write_answer(f, answer),
            Self::Reply(text) => write!(f, "reply {text}"),
            Self::Mark => f.write_str("mark"),
            Self::Solution => f.write_str("solution"),
            Self::EndSolution => f.write_str("end"),
        }
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        header::write(self, f)?;
        for step in &self.steps {
            writeln!(f, "{}", step.action)?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests;
