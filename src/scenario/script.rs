//! Scripts: the plain text that a file, a link and a tutorial share.
//!
//! What it is: the grammar, version 1. Header lines (`title: …`, `cluster: members=3 seed=7 …`), then
//! one step a line:
//!
//! ```text
//! # a comment; left out of the canonical text
//! > a sentence for the reader
//! put foo bar                 etcdctl in console 1; the next step begins when it has ended
//! @2 watch foo                etcdctl in console 2; the next step begins at once
//! @2 ^C                       Ctrl-C in console 2
//! kill leader                 a verb, see `verb`
//! ```
//!
//! What it is not: etcdctl's grammar (a console line is kept as it stands), nor a runner (see `lab`).
//! Invariants: `Display` writes the canonical text with every cluster setting explicit, and reading
//! that gives the same script; every fault is an error with line and column, never a panic.

mod header;

use std::fmt;

use crate::scenario::verb::{self, Verb};

pub use header::{ClusterSettings, Expected};

/// Version of the grammar.
pub const GRAMMAR: u64 = 1;

/// Most bytes of a script. Source: the reader of links, DESIGN 20.
pub const TEXT_BYTES_MAX: usize = 256 * 1024;

/// Most bytes of one line. Source: the console's limit on a pasted line.
pub const LINE_BYTES_MAX: usize = 64 * 1024;

/// The highest number of a console.
pub const CONSOLE_MAX: u32 = 9;

/// A whole script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Shown above the steps; may be empty.
    pub title: String,
    /// How the cluster is made.
    pub cluster: ClusterSettings,
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
    /// Something done to the cluster.
    Verb(Verb),
    /// A sentence for the reader.
    Narration(String),
}

/// A script that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// Counted from 1.
    pub line: u32,
    /// In characters, counted from 1.
    pub column: u32,
    /// What is wrong, and what was expected.
    pub message: String,
}

/// A fault within a line: byte offset and message.
type Fault = (usize, String);

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// The first line that is not in the grammar, with what was expected there.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        if text.len() > TEXT_BYTES_MAX {
            let message = format!("the script is larger than {} KiB", TEXT_BYTES_MAX / 1024);
            return Err(ParseError { line: 1, column: 1, message });
        }
        let mut script = Self::default();
        let mut header = header::Seen::default();
        let mut number = 0_u32;
        for line in text.lines() {
            number = number.saturating_add(1);
            script.read_line(&mut header, number, line).map_err(|(at, message)| ParseError {
                line: number,
                column: column(line, at),
                message,
            })?;
        }
        Ok(script)
    }

    fn read_line(
        &mut self,
        header: &mut header::Seen,
        number: u32,
        line: &str,
    ) -> Result<(), Fault> {
        if line.len() > LINE_BYTES_MAX {
            return Err((0, format!("the line is longer than {} KiB", LINE_BYTES_MAX / 1024)));
        }
        let words = words(line);
        let Some((_, first)) = words.first() else {
            return Ok(());
        };
        if first.starts_with('#') {
            return Ok(());
        }
        if let Some(name) = first.strip_suffix(':') {
            if self.steps.is_empty() {
                return header.read(self, name, &words, line);
            }
            if header::NAMES.contains(&name) {
                return Err((0, format!("\"{name}:\" must stand before the first step")));
            }
        }
        let action = read_action(&words, line)?;
        self.steps.push(Step { line: number, action });
        Ok(())
    }

    /// Milliseconds that the script's waits last at most, taken together.
    #[must_use]
    pub fn total_wait_ms(&self) -> u64 {
        let waits = self.steps.iter().map(|step| match step.action {
            Action::Verb(Verb::Wait { limit_ms, .. }) => limit_ms,
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
        let text = line.trim().strip_prefix('>').unwrap_or_default().trim();
        return Ok(Action::Narration(text.to_owned()));
    }
    if let Some(console) = first.strip_prefix('@') {
        return read_console_line(console, words, line);
    }
    let plain: Vec<&str> = words.iter().map(|(_, word)| *word).collect();
    match verb::parse(&plain) {
        Some(Ok(found)) => Ok(Action::Verb(found)),
        Some(Err(fault)) => {
            let at = words.get(fault.word).map_or(line.trim_end().len(), |(at, _)| *at);
            Err((at, fault.message))
        }
        None => {
            let text = from_word(words, 0, line).to_owned();
            Ok(Action::Command { console: 1, waits: true, text })
        }
    }
}

fn read_console_line(console: &str, words: &[(usize, &str)], line: &str) -> Result<Action, Fault> {
    let at = words.first().map_or(0, |(at, _)| *at);
    let is_digit = console.len() == 1;
    let number = console.parse::<u32>().ok().filter(|number| is_digit && *number >= 1);
    let Some(console) = number else {
        return Err((at, format!("expected a console: @1 to @{CONSOLE_MAX}")));
    };
    let Some((second_at, second)) = words.get(1).copied() else {
        return Err((line.trim_end().len(), "expected a command after the console".to_owned()));
    };
    if second == "^C" {
        return match words.get(2) {
            None => Ok(Action::Interrupt { console }),
            Some((at, _)) => Err((*at, "expected the end of the line after ^C".to_owned())),
        };
    }
    if verb::NAMES.contains(&second) {
        let message = format!("\"{second}\" is done to the cluster: write it without the console");
        return Err((second_at, message));
    }
    Ok(Action::Command { console, waits: false, text: from_word(words, 1, line).to_owned() })
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { waits: true, text, .. } => f.write_str(text),
            Self::Command { console, waits: false, text } => write!(f, "@{console} {text}"),
            Self::Interrupt { console } => write!(f, "@{console} ^C"),
            Self::Verb(verb) => verb.fmt(f),
            Self::Narration(text) if text.is_empty() => f.write_str(">"),
            Self::Narration(text) => write!(f, "> {text}"),
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
