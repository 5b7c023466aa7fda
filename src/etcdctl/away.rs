//! Commands that run in another program than the page's.
//!
//! What it is: the words between the two ([`Message`], [`Turn`]), the page's end of them ([`Program`]) and the other
//! program's inside ([`Host`]), which is this crate's etcdctl with all commands.
//! What it is not: a transport, nor a second etcdctl: a command there has the inputs and outputs that it has here.
//! Invariants: a message is answered at once, so that an input is handled to its end before the next, wherever the
//! command runs; a program that failed once is never called again.
//!
//! What is left to it: `command::rare`, which is what a newcomer does not type in the first minutes, with everything
//! that only this needs, such as recipes. What stays is what shall answer while nothing else is there: keys, watches,
//! the members' state, all for reading by people, and every word about a line that cannot be run. Where the cut runs
//! was chosen by size: of 176 KB of etcdctl in the page some 100 were rare, and no other part of the page had as much
//! that a first screen does without.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::etcdctl::executor::Execution;
use crate::etcdctl::protocol::{Input, Output};
use crate::etcdctl::shell::Shell;
use crate::types::{Millis, SmallMap};

/// A line to run, with all that a shell knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// What `ETCDCTL_ENDPOINTS` is preset to.
    pub(crate) endpoints: Vec<String>,
    /// What was set by hand.
    pub(crate) variables: SmallMap<String, String>,
    /// Makes its ids differ from those of the tab's other commands.
    pub(crate) serial: u32,
    /// The words of the line.
    pub(crate) words: Vec<String>,
    /// All of standard input; `None`: it comes later.
    pub(crate) stdin: Option<Bytes>,
}

/// What the page tells the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// Start a command under this number.
    Start(u64, Order, Millis),
    /// An input for a command.
    Input(u64, Input, Millis),
    /// Nobody wants a command any more.
    Forget(u64),
}

/// What the program answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// What the command does now.
    pub outputs: Vec<Output>,
    /// It waits for standard input.
    pub reads_stdin: bool,
    /// What is typed next must not be shown, nor kept.
    pub reads_secret: bool,
}

/// The inside of the program.
#[derive(Debug, Default)]
pub struct Host {
    runs: SmallMap<u64, Execution>,
}

impl Host {
    /// Does what the page asks for.
    pub fn take(&mut self, message: Message) -> Turn {
        let (run, mut execution) = match message {
            Message::Start(run, order, now) => (run, Shell::run_order(order, now)),
            Message::Input(run, input, now) => {
                let Some(mut execution) = self.runs.remove(&run) else { return Turn::default() };
                execution.handle(input, now);
                (run, execution)
            }
            Message::Forget(run) => {
                self.runs.remove(&run);
                return Turn::default();
            }
        };
        let turn = Turn {
            outputs: std::iter::from_fn(|| execution.poll_output()).collect(),
            reads_stdin: execution.reads_stdin(),
            reads_secret: execution.reads_secret(),
        };
        if execution.is_running() {
            self.runs.insert(run, execution);
        }
        turn
    }
}

/// What takes a message to the program and brings its answer back, or says why there is none.
type Call = dyn Fn(&Message) -> Result<Turn, String>;

/// The page's end of a program that is there.
#[derive(Clone)]
pub struct Program(Rc<Inside>);

struct Inside {
    call: Box<Call>,
    runs: Cell<u64>,
    is_broken: Cell<bool>,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("is_broken", &self.0.is_broken).finish_non_exhaustive()
    }
}

impl Program {
    /// A program that is reached so.
    pub fn new(call: impl Fn(&Message) -> Result<Turn, String> + 'static) -> Self {
        let (runs, is_broken) = (Cell::new(0), Cell::new(false));
        Self(Rc::new(Inside { call: Box::new(call), runs, is_broken }))
    }

    /// True once it has failed: another one is needed.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.0.is_broken.get()
    }

    /// A number for a command, which no other had.
    pub(crate) fn number(&self) -> u64 {
        let next = self.0.runs.get() + 1;
        self.0.runs.set(next);
        next
    }

    pub(crate) fn call(&self, message: &Message) -> Result<Turn, String> {
        if self.is_broken() {
            return Err("it has stopped".to_owned());
        }
        let turn = (self.0.call)(message);
        self.0.is_broken.set(turn.is_err());
        turn
    }
}

#[cfg(test)]
mod tests;
