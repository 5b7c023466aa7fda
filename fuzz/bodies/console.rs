//! Lines and forms of the console.

use bytes::Bytes;
use etcd_playground::api;
use etcd_playground::etcdctl::{
    self, CallError, Execution, FileError, Input, Output, Shell, lexer,
};
use etcd_playground::types::Millis;

/// Most outputs of one command; one that says more never ends.
const OUTPUTS_MAX: u32 = 100_000;
/// How long a command may wait, and how much longer for each of its bytes: `del a b` within a transaction waits 2 s,
/// and there may be as many as there are lines.
const WAIT_MS: u64 = 60_000;
const WAIT_MS_PER_BYTE: u64 = 300;

/// Any text as a console line.
pub(crate) fn console_line(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let quoted = lexer::quote(&text);
    let words = lexer::split(&quoted);
    if text.len() < 1_000_000 {
        let words = words.expect("a quoted text is one word");
        assert!(matches!(words.as_slice(), [word] if word.text == text), "quoting round-trips");
    }
    if let Ok(partial) = lexer::split_partial(&text) {
        for word in &partial.words {
            let (start, end) = (word.start as usize, word.end as usize);
            assert!(text.get(start..end).is_some(), "spans lie on characters");
        }
    }
    let _ = etcdctl::holds_secret(&text);
    let _ = etcdctl::is_unfinished(&text);
    let mut shell = Shell::whole(vec!["127.0.0.1:12379".to_owned()]);
    for statement in etcdctl::statements(&text).iter().take(50) {
        let mut execution = shell.start(statement, None, Millis(0));
        let status = run(&mut execution, &[], patience(statement.len()), true);
        shell.finish(status);
    }
}

/// The lines of `txn`.
pub(crate) fn txn_form(data: &[u8]) {
    form(&["txn", "txn -i", "txn -w json"], data);
}

/// The lines of `watch -i`.
pub(crate) fn watch_form(data: &[u8]) {
    form(&["watch -i", "watch -i -w fields", "ETCDCTL_WATCH_KEY=k watch -i"], data);
}

/// The first byte chooses the command, the second how long the pieces are in which the rest is typed; 0: all of it
/// is there from the start.
fn form(lines: &[&str], data: &[u8]) {
    let [which, size, rest @ ..] = data else { return };
    let Some(line) = lines.get(usize::from(*which) % lines.len()) else { return };
    let mut shell = Shell::whole(vec!["127.0.0.1:12379".to_owned()]);
    let all = (*size == 0).then(|| Bytes::copy_from_slice(rest));
    let mut execution = shell.start(line, all, Millis(0));
    let pieces: Vec<&[u8]> = rest.chunks(usize::from(*size).max(1)).collect();
    let pieces = if *size == 0 { &[][..] } else { &pieces };
    run(&mut execution, pieces, patience(data.len()), false);
}

/// How long a command may take that was given so many bytes. Unit: ms.
fn patience(bytes: usize) -> u64 {
    WAIT_MS + WAIT_MS_PER_BYTE * bytes as u64
}

/// Runs a command with nobody to talk to; its exit status.
fn run(execution: &mut Execution, pieces: &[&[u8]], limit_ms: u64, interrupts: bool) -> i32 {
    let mut outputs = 0;
    let mut status = None;
    let mut now = 0;
    let mut drain = |execution: &mut Execution, now: &mut u64| {
        drain(execution, &mut outputs, &mut status, now, limit_ms);
    };
    drain(execution, &mut now);
    for piece in pieces {
        execution.handle(Input::Stdin(Bytes::copy_from_slice(piece)), Millis(now));
        drain(execution, &mut now);
    }
    execution.handle(Input::StdinEnd, Millis(now));
    drain(execution, &mut now);
    if interrupts {
        for _ in 0..2 {
            execution.handle(Input::Interrupt, Millis(now));
            drain(execution, &mut now);
        }
    }
    assert!(!execution.is_running(), "the command does not end");
    status.expect("a command that is over has told its status")
}

/// Answers what a command asks for: every call fails, every timer runs out at once, up to a time.
fn drain(
    execution: &mut Execution,
    outputs: &mut u32,
    status: &mut Option<i32>,
    now: &mut u64,
    limit_ms: u64,
) {
    let error = || CallError::Status(api::Error::LeaseNotFound);
    while let Some(output) = execution.poll_output() {
        *outputs += 1;
        assert!(*outputs < OUTPUTS_MAX, "the command says too much");
        assert!(status.is_none(), "something follows the exit");
        let input = match output {
            Output::Call { call, .. } => Input::Reply { call, result: Err(error()) },
            Output::OpenWatch { call, .. } => Input::StreamEnded { call, error: error() },
            Output::File { call, .. } => Input::File { call, result: Err(FileError::Missing) },
            Output::SetTimer { timer, after_ms } if *now < limit_ms => {
                *now += after_ms;
                Input::Timer { timer }
            }
            Output::Exit { status: told } => {
                *status = Some(told);
                continue;
            }
            _ => continue,
        };
        execution.handle(input, Millis(*now));
    }
}
