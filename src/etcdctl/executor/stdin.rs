//! Standard input, line by line, once a command runs.
//!
//! What it is: lines for whoever asked for one, and the prompt of a password.
//! What it is not: a terminal; the driver shows what is typed, and does not when [`Io::types_secret`] says so.
//! Invariants: a line is given only after it was asked for; what was not asked for waits.
//! Source: recorded behaviour of etcdctl 3.7.1, whose password prompt runs `stty` and says so without a terminal.

use crate::etcdctl::executor::io::Io;

/// What `stty` says, once before and once after a password, where there is no terminal.
const NO_TERMINAL: &str = "stty: 'standard input': Inappropriate ioctl for device\n";

/// What came and was not read yet.
pub(super) struct Stdin {
    bytes: Vec<u8>,
    ended: bool,
    is_terminal: bool,
    /// A line was asked for and did not come yet.
    is_wanted: bool,
}

impl Stdin {
    /// All there is, or `None` for a terminal, where lines come as they are typed.
    pub(super) fn new(all: Option<&[u8]>) -> Self {
        Self {
            bytes: all.unwrap_or_default().to_vec(),
            ended: all.is_some(),
            is_terminal: all.is_none(),
            is_wanted: false,
        }
    }

    /// The next line, without its end; what stands before the end of input counts as one.
    fn line(&mut self) -> Option<Vec<u8>> {
        let end = self.bytes.iter().position(|byte| *byte == b'\n');
        let mut line: Vec<u8> = match end {
            Some(end) => {
                let line = self.bytes.drain(..=end).collect::<Vec<u8>>();
                line.split_last().map(|(_, line)| line.to_vec()).unwrap_or_default()
            }
            None if self.ended => std::mem::take(&mut self.bytes),
            None => return None,
        };
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Some(line)
    }
}

impl Io {
    /// Asks for a line; it comes as `Event::Line`, an empty one at the end of input.
    pub(crate) fn ask_line(&mut self) {
        self.stdin.is_wanted = true;
        self.read_line();
    }

    /// The same for something that must not be shown.
    pub(crate) fn ask_secret(&mut self, prompt: &str) {
        self.stdout(prompt.as_bytes().to_vec());
        if !self.stdin.is_terminal {
            self.stderr(NO_TERMINAL.repeat(2));
        }
        self.reads_secret = true;
        self.ask_line();
    }

    /// More of it came.
    pub(super) fn on_stdin(&mut self, bytes: &[u8]) {
        if !self.stdin.ended {
            self.stdin.bytes.extend_from_slice(bytes);
            self.read_line();
        }
    }

    /// There is no more.
    pub(super) fn on_stdin_end(&mut self) {
        self.stdin.ended = true;
        self.read_line();
    }

    fn read_line(&mut self) {
        if !self.stdin.is_wanted {
            return;
        }
        let Some(line) = self.stdin.line() else { return };
        self.stdin.is_wanted = false;
        if self.reads_secret {
            self.reads_secret = false;
            self.stdout(b"\n".to_vec());
        }
        self.give_line(String::from_utf8_lossy(&line).into_owned());
    }
}
