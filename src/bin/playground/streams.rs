//! Standard input and the two outputs of the native program, for its console.
#![expect(clippy::disallowed_types, reason = "an edge: a person's pauses count as time")]

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::time::Instant;

use etcd_playground::lab::ctl::{Stream, Terminal};

/// The program's own streams, and when it was started.
pub(crate) struct Streams(pub(crate) Instant);

impl Terminal for Streams {
    fn read(&mut self, prompt: &str) -> Option<String> {
        if self.is_person() {
            let mut err = std::io::stderr();
            let _ = err.write_all(prompt.as_bytes()).and_then(|()| err.flush());
        }
        let mut line = Vec::new();
        let read = std::io::stdin().lock().read_until(b'\n', &mut line).unwrap_or_default();
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        (read > 0).then(|| String::from_utf8_lossy(line).into_owned())
    }

    fn print(&mut self, stream: Stream, bytes: &[u8]) {
        // A closed pipe is the reader's wish to stop.
        let _ = match stream {
            Stream::Out => {
                let mut out = std::io::stdout();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            Stream::Err => std::io::stderr().write_all(bytes),
        };
    }

    fn is_person(&self) -> bool {
        std::io::stdin().is_terminal()
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
