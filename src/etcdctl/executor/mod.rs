//! Runs one command.
//!
//! What it is: the pump between a driver's [`Input`]s, the command, and the [`Output`]s.
//! What it is not: the policy on endpoints and time (see `io`) or any command.
//! Invariants: one input is handled to the end before the next; the last output is `Exit`, and exactly one.

mod away;
mod io;
mod login;
mod stdin;
mod step;
mod stream;
mod unary;

pub(crate) use io::{Event, Io, Ticket};
pub(crate) use login::Access;
pub(crate) use step::{Step, WAITING};
pub(crate) use stream::WatchEvent;
pub(crate) use unary::RequestError;

use std::fmt;

use bytes::Bytes;

use crate::etcdctl::command::{
    Command, EXIT_INTERRUPTED_BY_SIGNAL, Failure, Invocation, Run, Unmade,
};
use crate::etcdctl::executor::away::Away;
use crate::etcdctl::executor::stdin::Wanted;
use crate::etcdctl::protocol::{Input, Output};
use crate::etcdctl::redirect::HereDocument;
use crate::types::Millis;

/// One command line, running or over.
pub struct Execution {
    io: Io,
    command: Option<Box<dyn Command>>,
    /// The command is not made yet.
    making: Option<Making>,
    /// What is typed is a here-document that has not ended; the command begins after it.
    document: Option<Document>,
    /// The command runs in another program.
    away: Option<Away>,
}

/// How a command is made, and what etcdctl would not say beforehand.
struct Making {
    run: Run,
    invocation: Invocation,
    notices: Vec<String>,
}

/// A here-document that is being typed, and who starts the command with it.
struct Document {
    end: HereDocument,
    /// The beginning of a line.
    begun: Vec<u8>,
    text: Vec<u8>,
    then: Box<dyn FnOnce(Bytes, Millis) -> Execution>,
}

impl fmt::Debug for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Execution").field("running", &self.is_running()).finish_non_exhaustive()
    }
}

impl Execution {
    /// Starts a command; `serial` makes its ids differ from those of the tab's other commands.
    ///
    /// `stdin` is all of standard input; `None`: it comes as [`Input::Stdin`] until [`Input::StdinEnd`].
    pub(crate) fn start(
        serial: u32,
        now: Millis,
        notices: Vec<String>,
        stdin: Option<&[u8]>,
        (run, invocation): (Run, Invocation),
    ) -> Self {
        let io = Io::new(serial, now, stdin);
        let making = Some(Making { run, invocation, notices });
        let mut execution = Self { io, command: None, making, document: None, away: None };
        execution.make();
        execution.pump();
        execution
    }

    /// Makes the command as far as it goes: up to a step that was not done yet, or to its start.
    fn make(&mut self) {
        let (Some(making), io) = (self.making.as_mut(), &mut self.io) else { return };
        let made = (making.run)(&making.invocation);
        if !matches!(made, Err(Unmade::Failed(_))) {
            for notice in std::mem::take(&mut making.notices) {
                io.notice(&notice);
            }
        }
        match made {
            Ok(mut command) => {
                self.making = None;
                command.start(io);
                self.command = Some(command);
                io.want(Wanted::Pieces);
            }
            Err(Unmade::Needs(step)) => io.begin_step(*step),
            Err(Unmade::Failed(failure)) => io.fail(&failure),
        }
    }

    /// A step is done: the command is made from the beginning, with what came of it.
    fn made_step(&mut self, event: Event) {
        let answer = match event {
            Event::Step(answer) => answer,
            Event::Woken => Bytes::new(),
            _ => return,
        };
        if let Some(making) = self.making.as_mut() {
            making.invocation.did(answer);
        }
        self.make();
    }

    /// A command that is over already.
    pub(crate) fn over(out: Vec<u8>, err: Vec<u8>, status: i32) -> Self {
        let mut io = Io::new(0, Millis(0), None);
        io.stdout(out);
        io.stderr(err);
        io.exit(status);
        Self { io, command: None, making: None, document: None, away: None }
    }

    /// A command that failed before it began.
    pub(crate) fn failed(failure: &Failure) -> Self {
        Self::over(Vec::new(), failure.line().into_bytes(), failure.status)
    }

    /// Takes one input at the driver's time `now`; afterwards drain [`Self::poll_output`].
    pub fn handle(&mut self, input: Input, now: Millis) {
        if !self.is_running() {
            return;
        }
        let Some(input) = self.handle_away(input, now) else { return };
        self.io.set_now(now);
        match input {
            Input::Reply { call, result } => self.io.on_reply(call, result),
            Input::ReplyPart { call, part } => self.io.on_part(call, part),
            Input::File { call, result } => self.io.on_file(call, result),
            Input::Watch { call, response } => self.io.on_watch(call, response),
            Input::StreamEnded { call, error } => self.io.on_stream_ended(call, error),
            Input::Timer { timer } => self.io.on_timer(timer),
            Input::Interrupt => self.interrupt(),
            Input::Stdin(bytes) => self.on_stdin(&bytes),
            Input::StdinEnd => self.on_stdin_end(),
        }
        self.pump();
    }

    /// Ctrl-C: some commands tidy up, the others end here.
    fn interrupt(&mut self) {
        let is_caught =
            self.command.as_mut().is_some_and(|command| command.interrupt(&mut self.io));
        if !is_caught {
            self.io.exit(EXIT_INTERRUPTED_BY_SIGNAL);
        }
    }

    /// Whether what is typed next must not be shown, nor kept.
    #[must_use]
    pub fn reads_secret(&self) -> bool {
        self.io.types_secret() || self.reads_secret_away()
    }

    /// Reads a here-document first; `then` starts the command with it.
    pub(crate) fn after_document(
        end: HereDocument,
        then: impl FnOnce(Bytes, Millis) -> Self + 'static,
    ) -> Self {
        let document = Document { end, begun: Vec::new(), text: Vec::new(), then: Box::new(then) };
        let io = Io::new(0, Millis(0), None);
        Self { io, command: None, making: None, document: Some(document), away: None }
    }

    fn on_stdin(&mut self, bytes: &[u8]) {
        let Some(document) = self.document.as_mut() else {
            self.io.on_stdin(bytes);
            return;
        };
        document.begun.extend_from_slice(bytes);
        while let Some(end) = document.begun.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = document.begun.drain(..=end).take(end).collect();
            match document.end.take(&String::from_utf8_lossy(&line)) {
                Some(line) => document.text.extend_from_slice(line.as_bytes()),
                None => return self.end_document(),
            }
        }
    }

    /// Starts the command that waited for its here-document.
    fn end_document(&mut self) {
        if let Some(Document { text, then, .. }) = self.document.take() {
            *self = then(Bytes::from(text), self.io.now());
        }
    }

    fn on_stdin_end(&mut self) {
        if self.document.is_some() {
            self.end_document();
        } else {
            self.io.on_stdin_end();
        }
    }

    /// Whether what is typed goes to this command, because it waits for it.
    #[must_use]
    pub fn reads_stdin(&self) -> bool {
        let reads = self.command.as_ref().is_some_and(|command| command.reads_stdin())
            || self.io.awaits_input();
        let is_here = !self.io.has_all_stdin() && (reads || self.document.is_some());
        self.is_running() && (is_here || self.reads_stdin_away())
    }

    /// The next output, if any.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.io.poll_output()
    }

    /// False once the exit code is decided; outputs may still wait in [`Self::poll_output`].
    #[must_use]
    pub fn is_running(&self) -> bool {
        !self.io.has_exited()
    }

    fn pump(&mut self) {
        while self.is_running() {
            let Some(event) = self.io.next_event() else { return };
            match self.command.as_mut() {
                Some(command) => command.on(&mut self.io, event),
                None => self.made_step(event),
            }
        }
    }
}
