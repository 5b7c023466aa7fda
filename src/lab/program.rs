//! The native program: `playground run`, `link`, `open`, `help`.
//!
//! What it is: arguments and files' texts in, text and exit status out.
//! What it is not: I/O; the binary reads files and prints.
//! Invariants: bad arguments, scripts and links end in status 2 with a sentence on standard error; a run
//! ends with the status of its last command.

use crate::lab::{Lab, transcript};
use crate::scenario::{Report, Script, link};

/// What the program prints, and its exit status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Exit status.
    pub status: i32,
}

/// Exit status of bad arguments, scripts and links.
const BAD_INPUT: i32 = 2;

/// Exit status of a link that was not reproduced.
const NOT_REPRODUCED: i32 = 1;

const HELP: &str = "\
Plays etcd scripts on a simulated cluster with virtual time.

  playground run FILE [--seed N]   play a script, print what happened
  playground link FILE             play a script, print a link that carries it
  playground open LINK             play a link's script, say whether it was reproduced
  playground ctl [--members N]     run console lines from standard input; see playground ctl --help
  playground sim --seeds N [--from S]   play N seeds of the fault simulator, stop at the first failure
  playground replay SEED           play one of them, one line an event
  playground help                  this page

A script has one step a line: an etcdctl command, \"@2 watch foo\" for a second console,
or kill, restart, pause, resume, wait; for links isolate, cut, partition, delay, loss, duplicate,
reorder, heal; for members slow-disk, fill-disk, free-disk, power-cut, wipe, clock;
for all speed and latency.
See tests/scenarios/failover.txt for one that shows most of them.
";

/// Runs the program; `read` gives a file's text or why it cannot be read.
pub fn run(arguments: &[String], read: impl Fn(&str) -> Result<Vec<u8>, String>) -> Printed {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] | ["help" | "--help" | "-h"] => {
            Ok(Printed { stdout: HELP.to_owned(), ..Printed::default() })
        }
        ["run", file] => load(&read, file).map(run_file),
        ["run", file, "--seed", seed] | ["run", "--seed", seed, file] => seed
            .parse()
            .map_err(|_fault| format!("\"{seed}\" is no seed: expected a number below 2^64"))
            .and_then(|seed| {
                let mut script = load(&read, file)?;
                script.cluster.seed = seed;
                Ok(run_file(script))
            }),
        ["link", file] => load(&read, file).and_then(make_link),
        ["open", link] => open_link(link),
        _ => Err("that is not understood; \"playground help\" shows what there is".to_owned()),
    };
    done.unwrap_or_else(|why| Printed {
        stdout: String::new(),
        stderr: format!("{why}\n"),
        status: BAD_INPUT,
    })
}

fn load(read: impl Fn(&str) -> Result<Vec<u8>, String>, file: &str) -> Result<Script, String> {
    let bytes = read(file).map_err(|why| format!("{file}: {why}"))?;
    let text = std::str::from_utf8(&bytes).map_err(|fault| {
        let good = bytes.get(..fault.valid_up_to()).unwrap_or_default();
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("{file}: line {line}: this is no UTF-8 text")
    })?;
    // Editors on Windows put a mark before the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Script::parse(text).map_err(|fault| format!("{file}: {fault}"))
}

fn last_status(report: &Report) -> i32 {
    report.steps.iter().rev().find_map(|step| step.status).unwrap_or_default()
}

fn run_file(script: Script) -> Printed {
    let report = Lab::new(script).play_all();
    Printed { stdout: transcript(&report), stderr: String::new(), status: last_status(&report) }
}

fn make_link(mut script: Script) -> Result<Printed, String> {
    script.expected = None;
    let report = Lab::new(script.clone()).play_all();
    script.expected = Some(report.expected());
    let fragment = link::write(&script).map_err(|fault| fault.to_string())?;
    Ok(Printed { stdout: format!("#{fragment}\n"), ..Printed::default() })
}

fn open_link(text: &str) -> Result<Printed, String> {
    let script = link::open(text).map_err(|fault| fault.to_string())?;
    let expected = script.expected.clone();
    let report = Lab::new(script).play_all();
    let mut printed = Printed { stdout: transcript(&report), ..Printed::default() };
    match expected {
        None => printed.stdout.push_str("The link names no hashes to compare with.\n"),
        Some(expected) => {
            let verdict = report.compare(&expected);
            printed.stdout.push_str(&format!("{verdict}\n"));
            if !verdict.is_reproduced() {
                printed.status = NOT_REPRODUCED;
            }
        }
    }
    Ok(printed)
}
