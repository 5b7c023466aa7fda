//! A console: a shell and the command that runs in it.
//!
//! What it is: what a session keeps for each; and how one that runs a command is copied, for a snapshot of a run: a command is a
//! function of its inputs, so the copy is started again and fed what the first was fed.
//! What it is not: carried calls and timers; those are the session's.
//! Invariants: a copy behaves as the console that was copied; one that cannot be copied is not.

use bytes::Bytes;

use crate::etcdctl::{Execution, Input, Shell};
use crate::types::Millis;

/// Most inputs of a command that is copied; one that had more is not. Source: ours.
const TAPE_MAX: usize = 2_000;

/// See the module.
pub(super) struct Console {
    pub(super) shell: Shell,
    pub(super) running: Option<Execution>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    pub(super) status: Option<i32>,
    /// How the running command came to be what it is, if somebody records the run.
    tape: Option<Tape>,
}

/// All that a command was given.
#[derive(Clone)]
struct Tape {
    shell: Shell,
    line: String,
    stdin: Option<Bytes>,
    began: Millis,
    inputs: Vec<(Input, Millis)>,
}

impl Console {
    /// With nothing in it.
    pub(super) fn new(shell: Shell) -> Self {
        let (stdout, stderr) = (Vec::new(), Vec::new());
        Self { shell, running: None, stdout, stderr, status: None, tape: None }
    }

    /// Starts a line.
    pub(super) fn start(
        &mut self,
        line: &str,
        stdin: Option<Bytes>,
        began: Millis,
        is_recorded: bool,
    ) {
        self.tape = is_recorded.then(|| Tape {
            shell: self.shell.clone(),
            line: line.to_owned(),
            stdin: stdin.clone(),
            began,
            inputs: Vec::new(),
        });
        self.status = None;
        self.running = Some(self.shell.start(line, stdin, began));
    }

    /// Starts words that are split already.
    pub(super) fn start_words(&mut self, words: &[String], stdin: Option<Bytes>, began: Millis) {
        self.tape = None;
        self.status = None;
        self.running = Some(self.shell.start_words(words, stdin, began));
    }

    /// Gives the running command an input; false if none runs.
    pub(super) fn tell(&mut self, input: Input, now: Millis) -> bool {
        let Some(running) = &mut self.running else { return false };
        if let Some(tape) = &mut self.tape {
            tape.inputs.push((input.clone(), now));
            if tape.inputs.len() > TAPE_MAX {
                self.tape = None;
            }
        }
        running.handle(input, now);
        true
    }

    /// The command has ended.
    pub(super) fn end(&mut self, status: i32) {
        self.shell.finish(status);
        self.status = Some(status);
        (self.running, self.tape) = (None, None);
    }

    /// A console that behaves as this one; `None` if what runs in it cannot be copied.
    pub(super) fn copy(&self) -> Option<Self> {
        let running = match (&self.running, &self.tape) {
            (None, _) => None,
            (Some(_), None) => return None,
            (Some(_), Some(tape)) => Some(tape.play()),
        };
        Some(Self {
            shell: self.shell.clone(),
            running,
            stdout: self.stdout.clone(),
            stderr: self.stderr.clone(),
            status: self.status,
            tape: self.tape.clone(),
        })
    }
}

impl Tape {
    /// The command as it is after all that; what it put out was heard the first time.
    fn play(&self) -> Execution {
        let mut shell = self.shell.clone();
        let mut execution = shell.start(&self.line, self.stdin.clone(), self.began);
        let forget = |execution: &mut Execution| while execution.poll_output().is_some() {};
        forget(&mut execution);
        for (input, at) in &self.inputs {
            execution.handle(input.clone(), *at);
            forget(&mut execution);
        }
        execution
    }
}
