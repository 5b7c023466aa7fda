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
    pub(super) const fn new(is_terminal: bool) -> Self {
        Self { bytes: Vec::new(), ended: false, is_terminal, is_wanted: false }
    }

    pub(super) const fn is_terminal(&self) -> bool {
        self.is_terminal
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
        if !self.stdin.is_terminal() {
            self.stderr(NO_TERMINAL.repeat(2));
        }
        self.reads_secret = true;
        self.ask_line();
    }

    /// Somebody waits for a line.
    pub(super) const fn awaits_line(&self) -> bool {
        self.stdin.is_wanted
    }

    /// More of it came: for whoever asked for lines, or else for the command as it is.
    pub(super) fn on_stdin(&mut self, bytes: &[u8]) {
        if self.stdin.is_wanted || !self.stdin.bytes.is_empty() {
            self.stdin.bytes.extend_from_slice(bytes);
            self.read_line();
        } else {
            self.give_stdin(bytes);
        }
    }

    /// There is no more.
    pub(super) fn on_stdin_end(&mut self) {
        self.stdin.ended = true;
        if self.stdin.is_wanted {
            self.read_line();
        } else if self.stdin.bytes.is_empty() {
            self.give_stdin_end();
        }
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
