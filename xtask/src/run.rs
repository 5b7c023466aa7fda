//! Starts other programs: either in view, or quietly into a log file whose tail is shown when they fail.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use crate::place;
use crate::tell::{Problem, short};

/// Variables that cargo sets for this program and that would mislead another cargo.
const OF_OUR_OWN_CARGO: &[&str] = &[
    "CARGO",
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_PATH",
    "CARGO_PRIMARY_PACKAGE",
    "LD_LIBRARY_PATH",
    "RUSTC",
    "RUSTDOC",
    "RUST_RECURSION_COUNT",
];

/// How many lines of a log are shown when its program failed.
const TAIL_LINES: usize = 40;

/// A command that starts in the checkout without what our own cargo added to the environment.
pub fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(place::root()).stdin(Stdio::null());
    for name in OF_OUR_OWN_CARGO {
        command.env_remove(name);
    }
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PKG_") {
            command.env_remove(name);
        }
    }
    command
}

/// What a short program printed, trimmed; `None` if it could not be run or failed.
pub fn answer(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs a long program with its output in `target/xtask/NAME.log`; a failure shows the end of it.
///
/// # Errors
/// When it cannot be started or fails.
pub fn logged(name: &str, command: &mut Command) -> Result<(), Problem> {
    let path = log_path(name)?;
    let started = Instant::now();
    let log = File::create(&path).map_err(|e| io_problem("write", &path, &e))?;
    let second = log.try_clone().map_err(|e| io_problem("write", &path, &e))?;
    let status = command.stdout(log).stderr(second).status();
    let program = command.get_program().to_string_lossy().into_owned();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Problem::new(format!(
            "`{program}` failed ({status}) after {}; the end of {}:\n\n{}",
            short(started.elapsed()),
            path.display(),
            tail(&fs::read_to_string(&path).unwrap_or_default(), TAIL_LINES),
        ))),
        Err(error) => Err(Problem::new(format!("`{program}` cannot be started: {error}"))),
    }
}

/// Runs a program with its output both in view and in `target/xtask/NAME.log`; gives back the output.
///
/// # Errors
/// When it cannot be started. A failure of the program is in the second value.
pub fn shown(name: &str, command: &mut Command) -> Result<(String, bool), Problem> {
    let program = command.get_program().to_string_lossy().into_owned();
    let path = log_path(name)?;
    let mut log = File::create(&path).map_err(|e| io_problem("write", &path, &e))?;
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| Problem::new(format!("`{program}` cannot be started: {error}")))?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(Problem::new(format!("`{program}` has no output")));
    };
    let errors = thread::spawn(move || echo(stderr));
    let mut text = echo(stdout);
    text.push_str(&errors.join().unwrap_or_default());
    let status = child.wait().map_err(|error| Problem::new(format!("`{program}`: {error}")))?;
    log.write_all(text.as_bytes()).map_err(|e| io_problem("write", &path, &e))?;
    Ok((text, status.success()))
}

fn echo(stream: impl Read) -> String {
    let mut text = String::new();
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        let piece = String::from_utf8_lossy(&line);
        print!("{piece}");
        text.push_str(&piece);
        line.clear();
    }
    text
}

/// Where the output of a step goes.
///
/// # Errors
/// When the folder cannot be made.
pub fn log_path(name: &str) -> Result<PathBuf, Problem> {
    let folder = place::target().join("xtask");
    fs::create_dir_all(&folder).map_err(|e| io_problem("make", &folder, &e))?;
    Ok(folder.join(format!("{name}.log")))
}

/// An error about a file, with the usual reasons.
pub fn io_problem(verb: &str, path: &Path, error: &std::io::Error) -> Problem {
    Problem::with_remedy(
        format!("cannot {verb} {}: {error}", path.display()),
        "look at the rights of that folder and at the free space of its disk",
    )
}

fn tail(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_of_a_short_log_is_all_of_it() {
        assert_eq!(tail("a\nb\n", 5), "a\nb");
        assert_eq!(tail("a\nb\nc\n", 2), "b\nc");
    }

    #[test]
    fn a_failing_program_shows_the_end_of_its_log() {
        let problem = logged("self_test", command("sh").args(["-c", "echo some words; exit 3"]))
            .expect_err("exit 3 is a failure");
        assert!(problem.to_string().contains("some words"), "{problem}");
    }

    #[test]
    fn shown_gives_back_both_streams_and_the_failure() {
        let (text, passed) =
            shown("self_test_shown", command("sh").args(["-c", "echo out; echo err >&2; exit 1"]))
                .expect("sh starts");
        assert!(text.contains("out"));
        assert!(text.contains("err"));
        assert!(!passed);
    }
}
