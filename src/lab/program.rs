//! The native program: `playground run`, `link`, `open`, `script`, `help`.
//!
//! What it is: arguments and files' texts in, text and exit status out.
//! What it is not: I/O; the binary reads files and prints.
//! Invariants: bad arguments, scripts and links end in status 2 with a sentence on standard error; a run of a
//! script that expects something ends with 1 if that is not so, one of another with the status of its last command.

use crate::lab::{Lab, export, printable, transcript};
use crate::scenario::{Language, Report, Script, link, prose};

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

/// Exit status of a script whose expectations were not all met.
const NOT_AS_EXPECTED: i32 = 1;

const SEE_HELP: &str = "\"playground help\" shows what there is";

const HELP: &str = "\
Plays etcd scripts on a simulated cluster with virtual time.

  playground run FILE [--seed N] [--language zh] [--without-solution]
                                   play a script, print what happened; with expectations and goals in it, the
                                   exit status is 0 if all were met and 1 if not
  playground script FILE           play a script, print it as a shell script for a real etcd
  playground link FILE             play a script, print a link that carries it
  playground open LINK             play a link's script, say whether it was reproduced
  playground ctl [--members N]     run console lines from standard input; see playground ctl --help
  playground sim --seeds N [--from S]   play N seeds of the fault simulator, stop at the first failure
  playground replay SEED           play one of them, one line an event
  playground help                  this page

A script has one step a line: an etcdctl command, \"@2 watch foo\" for a second console,
or kill, restart, pause, resume, wait; for links isolate, cut, partition, delay, loss, duplicate,
reorder, heal; for members slow-disk, fill-disk, free-disk, power-cut, wipe, clock;
for all speed and latency; for the membership add, remove and promote.
Beyond that it can wait for, expect and ask: src/scenario/scenarios.md has the grammar.
See tests/scenarios/failover.txt for one that shows most verbs, and tests/scenarios/lesson.txt for a lesson.
";

/// Runs the program; `read` gives a file's text or why it cannot be read.
pub fn run(arguments: &[String], read: impl Fn(&str) -> Result<Vec<u8>, String>) -> Printed {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] | ["help" | "--help" | "-h"] => {
            Ok(Printed { stdout: HELP.to_owned(), ..Printed::default() })
        }
        ["run", rest @ ..] => run_file(rest, &read),
        ["link", file] => load(&read, file).and_then(make_link),
        ["open", link] => open_link(link),
        ["script", file] => load(&read, file).map(|script| {
            let report = Lab::new(script.clone()).play_all();
            Printed { stdout: export(&script, &report), ..Printed::default() }
        }),
        _ => Err(format!("that is not understood; {SEE_HELP}")),
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

/// A script that expects something ends well if all came out so; another one as its last command did.
fn status(report: &Report) -> i32 {
    match report.tally() {
        (0, 0) => last_status(report),
        (_, 0) => 0,
        _ => NOT_AS_EXPECTED,
    }
}

/// The transcript of a run, and how many expectations were met.
fn told(report: &Report) -> String {
    let mut text = transcript(report);
    match report.tally() {
        (0, 0) => {}
        (met, 0) => text.push_str(&format!("All {met} expectations were met.\n")),
        (met, unmet) => {
            text.push_str(&format!("{unmet} of {} expectations were not met:\n", met + unmet));
            for step in report.steps.iter().filter(|step| step.is_met == Some(false)) {
                let line = step.line.lines().next().unwrap_or_default();
                text.push_str(&format!("  {}\n", printable(line.as_bytes())));
            }
        }
    }
    text
}

fn last_status(report: &Report) -> i32 {
    report.steps.iter().rev().find_map(|step| step.status).unwrap_or_default()
}

/// How a script is run.
#[derive(Default)]
struct Plan<'words> {
    file: Option<&'words str>,
    seed: Option<u64>,
    language: Option<Language>,
    leaves_out_solutions: bool,
}

fn read_plan<'words>(words: &[&'words str]) -> Result<Plan<'words>, String> {
    let mut plan = Plan::default();
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        match word {
            "--seed" => {
                let seed = rest.next().unwrap_or_default();
                let wrong = |_| format!("\"{seed}\" is no seed: expected a number below 2^64");
                plan.seed = Some(seed.parse().map_err(wrong)?);
            }
            "--language" => {
                let tag = rest.next().unwrap_or_default();
                let wrong = || format!("\"{tag}\" is no language: expected one such as zh");
                plan.language = Some(Language::parse(tag).ok_or_else(wrong)?);
            }
            "--without-solution" => plan.leaves_out_solutions = true,
            file if plan.file.is_none() && !file.starts_with("--") => plan.file = Some(file),
            other => return Err(format!("\"{other}\" is not understood; {SEE_HELP}")),
        }
    }
    Ok(plan)
}

fn run_file(
    words: &[&str],
    read: impl Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Printed, String> {
    let plan = read_plan(words)?;
    let Some(file) = plan.file else { return Err(format!("expected a file to run; {SEE_HELP}")) };
    let mut script = load(read, file)?;
    script.cluster.seed = plan.seed.unwrap_or(script.cluster.seed);
    let language = plan.language.unwrap_or_else(|| script.language.clone());
    let is_told = prose::told(&script.steps, &script.language, &language);
    let lab = Lab::new(script);
    let lab = if plan.leaves_out_solutions { lab.without_solutions() } else { lab };
    let mut report = lab.play_all();
    let status = status(&report);
    let mut is_told = is_told.into_iter();
    report.steps.retain(|_| is_told.next().unwrap_or(true));
    Ok(Printed { stdout: told(&report), stderr: String::new(), status })
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
    let mut printed = Printed { stdout: told(&report), ..Printed::default() };
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
