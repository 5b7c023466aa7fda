//! The native program: plays console lines, scripts, links and seeds on a simulated cluster.

#[cfg(not(target_arch = "wasm32"))]
#[path = "playground/streams.rs"]
mod streams;

#[cfg(not(target_arch = "wasm32"))]
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "an edge: the time is only for telling seeds per second"
)]
fn main() -> std::process::ExitCode {
    use std::io::Write as _;

    use etcd_playground::lab::{ctl, program, simulator};

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let started = std::time::Instant::now();
    let now_ms = || u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    // A closed pipe is the reader's wish to stop, not a failure of ours.
    let mut print = |line: &str| drop(writeln!(std::io::stdout(), "{line}"));
    let code = |status| std::process::ExitCode::from(u8::try_from(status).unwrap_or(1));
    if simulator::expects_crashes(&arguments) {
        // A member's crash is a result there, and told as such.
        std::panic::set_hook(Box::new(|_| {}));
    }
    if let Some(status) = ctl::run(&arguments, &mut streams::Streams(started)) {
        return code(status);
    }
    if let Some(status) = simulator::run(&arguments, &mut print, &now_ms) {
        return code(status);
    }
    let printed =
        program::run(&arguments, |file| std::fs::read(file).map_err(|fault| fault.to_string()));
    let _ = std::io::stderr().write_all(printed.stderr.as_bytes());
    let _ = std::io::stdout().write_all(printed.stdout.as_bytes());
    code(printed.status)
}

#[cfg(target_arch = "wasm32")]
fn main() {}
