//! Standard input: lines and secrets first, then what is left of it for the command.
//!
//! What it is: what a step asks for, and the prompt of a password.
//! What it is not: a terminal; the driver shows what is typed, and does not when [`Io::types_secret`] says so.
//! Invariants: what was not asked for waits, until the command is made; on a terminal more may follow its end.
//! Source: recorded behaviour of etcdctl 3.7.1, whose password prompt runs `stty` and says so without a terminal.

use bytes::Bytes;

use crate::etcdctl::executor::io::{Event, Io};

/// What `stty` says, once before and once after a password, where there is no terminal.
const NO_TERMINAL: &str = "stty: 'standard input': Inappropriate ioctl for device\n";

/// Who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Nothing,
    Line,
    Secret,
    All,
    /// The command takes it as it comes.
    Pieces,
}

/// What came and was not read yet.
pub(super) struct Stdin {
    bytes: Vec<u8>,
    ended: bool,
    is_terminal: bool,
    wanted: Wanted,
}

impl Stdin {
    /// All of it, or what is typed on a terminal.
    pub(super) fn new(all: Option<&[u8]>) -> Self {
        let bytes = all.map(<[u8]>::to_vec).unwrap_or_default();
        Self { bytes, ended: all.is_some(), is_terminal: all.is_none(), wanted: Wanted::Nothing }
    }

    pub(super) const fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// What stands before the end of input; `None`: it has not come.
    fn rest(&mut self) -> Option<Vec<u8>> {
        let ended = self.ended;
        self.ended = ended && !self.is_terminal;
        ended.then(|| std::mem::take(&mut self.bytes))
    }

    /// The next line, without its end; what stands before the end of input counts as one.
    fn line(&mut self) -> Option<Vec<u8>> {
        let Some(end) = self.bytes.iter().position(|byte| *byte == b'\n') else {
            return self.rest();
        };
        let mut line: Vec<u8> = self.bytes.drain(..=end).take(end).collect();
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Some(line)
    }
}

impl Io {
    /// Reads a line that must not be shown.
    pub(super) fn ask_secret(&mut self, prompt: &str) {
        self.stdout(prompt.as_bytes().to_vec());
        if !self.stdin.is_terminal {
            self.stderr(NO_TERMINAL.repeat(2));
        }
        self.want(Wanted::Secret);
    }

    /// From now on it is read like this.
    pub(super) fn want(&mut self, wanted: Wanted) {
        self.stdin.wanted = wanted;
        self.read_stdin();
    }

    /// A step waits for input.
    pub(super) const fn awaits_input(&self) -> bool {
        matches!(self.stdin.wanted, Wanted::Line | Wanted::Secret | Wanted::All)
    }

    /// Whether what is typed next is a secret.
    pub(super) fn types_secret(&self) -> bool {
        self.stdin.wanted == Wanted::Secret
    }

    /// More of it came.
    pub(super) fn on_stdin(&mut self, bytes: &[u8]) {
        self.stdin.bytes.extend_from_slice(bytes);
        self.read_stdin();
    }

    /// There is no more.
    pub(super) fn on_stdin_end(&mut self) {
        self.stdin.ended = true;
        self.read_stdin();
    }

    fn read_stdin(&mut self) {
        let read = match self.stdin.wanted {
            Wanted::Nothing => return,
            Wanted::Pieces => return self.give_stdin(),
            Wanted::All => self.stdin.rest(),
            Wanted::Line | Wanted::Secret => self.stdin.line(),
        };
        let Some(read) = read else { return };
        if self.types_secret() {
            self.stdout(b"\n".to_vec());
        }
        self.stdin.wanted = Wanted::Nothing;
        self.end_step(read);
    }

    fn give_stdin(&mut self) {
        if self.has_exited() {
            return;
        }
        let bytes = Bytes::from(std::mem::take(&mut self.stdin.bytes));
        if !bytes.is_empty() {
            self.events.push_back(Event::Stdin(bytes));
        }
        if std::mem::take(&mut self.stdin.ended) {
            self.events.push_back(Event::StdinEnd);
        }
    }
}
