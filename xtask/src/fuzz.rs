//! `cargo xtask campaign fuzz`: every target of `fuzz/` for some minutes, as many at once as there are cores.
//!
//! libFuzzer needs a nightly compiler and cargo-fuzz; what it has learned is kept in `target/fuzz/` for the next time.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::place;
use crate::run::{self, io_problem};
use crate::setup;
use crate::tell::{Problem, Steps};

#[path = "../../fuzz/bodies/seeds.rs"]
mod seeds;
use seeds::unescaped;

/// Every target, as `fuzz/Cargo.toml` names them.
const TARGETS: [&str; 9] = [
    "console_line",
    "txn_form",
    "watch_form",
    "scenario_link",
    "scenario_play",
    "typed_line",
    "wire_message",
    "stored_record",
    "snapshot_file",
];

/// How long each runs. Unit: minutes.
const MINUTES: u64 = 20;

const NO_NIGHTLY: &str = "install it by `rustup toolchain install nightly`; `tests/fuzz.rs` runs the same functions with the stable compiler";

/// What became of a target.
pub struct Fuzzed {
    /// Its name.
    pub target: &'static str,
    /// What it got. Unit: minutes.
    pub minutes: u64,
    /// Inputs that were run.
    pub runs: u64,
    /// Inputs that reached something new.
    pub inputs: usize,
    /// Nothing was found.
    pub passed: bool,
    /// How long it took.
    pub took: Duration,
}

/// Runs the targets and tells of each as soon as it has ended; a finding ends only its own target.
///
/// # Errors
/// When the tools cannot be had or a target cannot be built.
pub fn all(mut tell: impl FnMut(Fuzzed) -> Result<(), Problem>) -> Result<(), Problem> {
    let minutes = std::env::var("FUZZ_MINUTES").ok().and_then(|text| text.parse().ok());
    let minutes: u64 = minutes.unwrap_or(MINUTES);
    let rustc = run::answer(run::command("rustup").args(["run", "nightly", "rustc", "--version"]));
    if rustc.is_none() {
        return Err(Problem::with_remedy("there is no nightly compiler", NO_NIGHTLY));
    }
    let mut steps = Steps::new(2);
    let cargo_fuzz = setup::cargo_fuzz(&mut steps)?;
    steps.next("the targets: compiled with libFuzzer and the address sanitiser");
    let make = |arguments: &[&str]| {
        let mut command = run::command("rustup");
        command.args(["run", "nightly", "cargo", "fuzz"]).args(arguments);
        command.env("CARGO_TARGET_DIR", place::target().join("fuzz"));
        if let Some(folder) = &cargo_fuzz {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let folders = std::iter::once(folder.clone()).chain(std::env::split_paths(&path));
            command.env("PATH", std::env::join_paths(folders).unwrap_or(path));
        }
        command
    };
    run::logged("fuzz-build", &mut make(&["build"]))?;
    let at_once = std::thread::available_parallelism().map_or(1, usize::from);
    let make = &make;
    let wanted = std::env::var("FUZZ_TARGETS").unwrap_or_default();
    let is_wanted =
        |target: &&str| wanted.is_empty() || wanted.split(',').any(|one| one == *target);
    let targets: Vec<&'static str> = TARGETS.into_iter().filter(is_wanted).collect();
    for targets in targets.chunks(at_once) {
        let fuzzed: Vec<_> = std::thread::scope(|scope| {
            let one = |target| scope.spawn(move || fuzz(target, minutes, make));
            let threads: Vec<_> = targets.iter().copied().map(one).collect();
            threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        for (target, fuzzed) in targets.iter().zip(fuzzed) {
            let fuzzed = fuzzed.map_err(|_| Problem::new(format!("{target} broke off")))?;
            tell(fuzzed?)?;
        }
    }
    Ok(())
}

/// Runs one target.
fn fuzz(
    target: &'static str,
    minutes: u64,
    make: &impl Fn(&[&str]) -> Command,
) -> Result<Fuzzed, Problem> {
    let corpus = place::target().join("fuzz/corpus").join(target);
    plant(target, &corpus)?;
    let corpus = corpus.to_string_lossy().into_owned();
    let time = format!("-max_total_time={}", minutes * 60);
    let limits = [
        "-timeout=30",
        "-rss_limit_mb=4096",
        "-max_len=8192",
        "-verbosity=0",
        "-print_final_stats=1",
    ];
    let arguments = [&["run", target, &corpus, "--", &time], &limits[..]].concat();
    println!("{target}: {minutes} minutes");
    let started = Instant::now();
    let log = format!("fuzz-{target}");
    let passed = run::logged(&log, &mut make(&arguments))
        .inspect_err(|problem| println!("{problem}"))
        .is_ok();
    let inputs = fs::read_dir(&corpus).map_or(0, Iterator::count);
    let said = run::log_path(&log)
        .and_then(|path| fs::read_to_string(&path).map_err(|e| io_problem("read", &path, &e)))?;
    let runs = said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let runs = runs.and_then(|count| count.trim().parse().ok()).unwrap_or_default();
    Ok(Fuzzed { target, minutes, runs, inputs, passed, took: started.elapsed() })
}

/// Puts the seeds where libFuzzer looks for its first inputs.
fn plant(target: &str, corpus: &Path) -> Result<(), Problem> {
    fs::create_dir_all(corpus).map_err(|e| io_problem("make", corpus, &e))?;
    let seeds = place::root().join("fuzz/seeds").join(format!("{target}.txt"));
    let Ok(seeds) = fs::read_to_string(seeds) else { return Ok(()) };
    for (number, line) in (1..).zip(seeds.lines()) {
        let path = corpus.join(format!("seed-{number}"));
        fs::write(&path, unescaped(line)).map_err(|e| io_problem("write", &path, &e))?;
    }
    Ok(())
}
