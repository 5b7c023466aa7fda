//! What is done before a command is made: what is typed first, and the clients.
//!
//! What it is: etcdctl's way up to where a command has its client. Making a command asks for a step and is begun
//! anew with what came of it, until no step is missing.
//! What it is not: what a command does later; clients of single endpoints are made at their first question.
//! Invariants: one step at a time; it ends in one [`Event::Step`], or in the end of the command.
//! Source: the order of things in etcdctl 3.7.1.

use bytes::Bytes;

use crate::etcdctl::executor::io::{Event, Io};
use crate::etcdctl::executor::login::{Access, Waiting};
use crate::etcdctl::executor::stdin::Wanted;

/// What is said before all of standard input is read.
pub(crate) const WAITING: &str = "the value is read from standard input until its end (Ctrl-D)";

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A line is typed that must not be shown, after this prompt.
    Secret(String),
    /// A line is typed.
    Line,
    /// All of standard input is read.
    Stdin,
    /// Something is said, and then there is time to think. Unit: ms.
    Warning(String, u64),
    /// A client is made; the exit code is for when it cannot be.
    Client(Vec<String>, Access, i32),
}

impl Io {
    /// Does it; what comes of it is an [`Event::Step`].
    pub(super) fn begin_step(&mut self, step: Step) {
        self.since = match step {
            Step::Secret(_) | Step::Client(..) => Some(self.since.unwrap_or(self.now)),
            Step::Line | Step::Stdin | Step::Warning(..) => None,
        };
        match step {
            Step::Secret(prompt) => self.ask_secret(&prompt),
            Step::Line => self.want(Wanted::Line),
            Step::Stdin => {
                if !self.has_all_stdin() {
                    self.notice(WAITING);
                }
                self.want(Wanted::All);
            }
            Step::Warning(text, ms) => {
                self.stderr(text);
                self.sleep(ms);
            }
            Step::Client(endpoints, access, status) => {
                let client = self.client_for(&endpoints, &access);
                self.when_logged_in(client, Waiting::Step(status));
            }
        }
    }

    pub(super) fn end_step(&mut self, answer: impl Into<Bytes>) {
        self.events.push_back(Event::Step(answer.into()));
    }
}
