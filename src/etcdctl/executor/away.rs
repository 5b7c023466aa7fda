//! An execution whose command runs in another program.
//!
//! What it is: the line that waits for that program, and the number of the command that runs there.
//! What it is not: how the program comes, which is the driver's business.
//! Invariants: the driver sees no difference once the program is there, unless it fails, which the driver says itself;
//! a command that nobody wants any more is
//! forgotten there, too.

use crate::etcdctl::away::{Message, Order, Program, Turn};
use crate::etcdctl::command::{EXIT_ERROR, EXIT_INTERRUPTED_BY_SIGNAL, Failure};
use crate::etcdctl::executor::Execution;
use crate::etcdctl::executor::io::Io;
use crate::etcdctl::protocol::{Input, Output};
use crate::types::Millis;

/// See the module.
pub(super) enum Away {
    /// The program is not there yet.
    Waiting(Box<Order>),
    Running(Running),
    /// The program failed, with the reason; the driver says so.
    Broken(String),
}

pub(super) struct Running {
    program: Program,
    number: u64,
    reads_stdin: bool,
    reads_secret: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        // A program that fails at this is found out by the next line.
        let _ = self.program.call(&Message::Forget(self.number));
    }
}

impl Execution {
    /// A line that another program runs, which [`Self::provide`] names.
    pub(crate) fn away(order: Order) -> Self {
        let io = Io::new(order.serial, Millis(0), None);
        let away = Some(Away::Waiting(Box::new(order)));
        Self { io, command: None, making: None, document: None, away }
    }

    /// True while nothing happens because the program that runs it is not there.
    #[must_use]
    pub const fn awaits_program(&self) -> bool {
        matches!(self.away, Some(Away::Waiting(_)))
    }

    /// The program that runs it, or a sentence that says why there is none.
    pub fn provide(&mut self, program: Result<&Program, &str>, now: Millis) {
        let Some(Away::Waiting(order)) = self.away.take() else { return };
        self.io.set_now(now);
        let program = match program {
            Ok(program) => program.clone(),
            Err(why) => return self.io.fail(&Failure::new(EXIT_ERROR, why)),
        };
        let number = program.number();
        let turn = program.call(&Message::Start(number, *order, now));
        let (reads_stdin, reads_secret) = (false, false);
        self.away = Some(Away::Running(Running { program, number, reads_stdin, reads_secret }));
        self.take_turn(turn);
    }

    /// Why the program that ran it failed; [`Self::fail_away`] ends it then.
    #[must_use]
    pub const fn program_failure(&self) -> Option<&String> {
        match &self.away {
            Some(Away::Broken(why)) => Some(why),
            Some(Away::Waiting(_) | Away::Running(_)) | None => None,
        }
    }

    /// Ends a line whose program failed, with a sentence in the language of whoever reads it.
    pub fn fail_away(&mut self, sentence: &str) {
        if self.away.take_if(|away| matches!(away, Away::Broken(_))).is_some() {
            self.io.fail(&Failure::new(EXIT_ERROR, sentence));
        }
    }

    /// An input, if the command is elsewhere; it comes back if it is not.
    pub(super) fn handle_away(&mut self, input: Input, now: Millis) -> Option<Input> {
        match &self.away {
            None => return Some(input),
            Some(Away::Running(running)) => {
                let message = Message::Input(running.number, input, now);
                let turn = running.program.call(&message);
                self.take_turn(turn);
            }
            Some(Away::Broken(_)) => {}
            Some(Away::Waiting(_)) => {
                if input == Input::Interrupt {
                    self.away = None;
                    self.io.exit(EXIT_INTERRUPTED_BY_SIGNAL);
                }
            }
        }
        None
    }

    fn take_turn(&mut self, turn: Result<Turn, String>) {
        let turn = match turn {
            Ok(turn) => turn,
            Err(why) => {
                self.away = Some(Away::Broken(why));
                return;
            }
        };
        for output in turn.outputs {
            match output {
                Output::Exit { status } => {
                    self.io.exit(status);
                    break;
                }
                output => self.io.push(output),
            }
        }
        if self.io.has_exited() {
            self.away = None;
        } else if let Some(Away::Running(running)) = &mut self.away {
            running.reads_stdin = turn.reads_stdin;
            running.reads_secret = turn.reads_secret;
        }
    }

    pub(super) const fn reads_stdin_away(&self) -> bool {
        matches!(&self.away, Some(Away::Running(running)) if running.reads_stdin)
    }

    pub(super) const fn reads_secret_away(&self) -> bool {
        matches!(&self.away, Some(Away::Running(running)) if running.reads_secret)
    }
}
