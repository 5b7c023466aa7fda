//! `cargo xtask bench`: the figures of the page in a headless browser, and those of the pure engine natively.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::browser;
use crate::dist::{self, Freshness};
use crate::place;
use crate::run;
use crate::suite;
use crate::tell::{Problem, Steps};

/// The parts of `bench engine`; the last is slow and only run by name.
const PARTS: &[&str] = &["raft", "store", "watches", "memory", "counts"];

/// Proposals whose instructions are counted: the difference of two runs leaves out the start.
const COUNTED_PROPOSALS: (u64, u64) = (10_000, 30_000);

/// What is counted on the store, at which sizes; `benches/engine/counts.rs` does so many of each.
const COUNTED: &[&str] = &["put", "get", "put-watched-keys", "put-watched-ranges"];
const COUNTED_SIZES: &[u64] = &[1_000, 10_000, 100_000];
const COUNTED_OPERATIONS: u64 = 1_000;

/// `bench [ARG…]` measures the page, `bench engine [PART…]` the engine.
///
/// # Errors
/// When something cannot be built or a measurement cannot be taken.
pub fn bench(words: &[&str]) -> Result<(), Problem> {
    match words {
        ["engine", parts @ ..] => engine(parts),
        _ => page(words),
    }
}

/// Builds and serves the page, and runs the measurements; the words go to `benches/page.rs`.
fn page(words: &[&str]) -> Result<(), Problem> {
    dist::build(Freshness::Enough)?;
    let browser = browser::find_or_install(&mut Steps::new(1))?;
    suite::with_page(&browser, "/", |environment| {
        let mut bench = run::command("cargo");
        bench.args(["bench", "--bench", "page", "--"]).args(words);
        bench.envs(environment.iter().map(|(k, v)| (k, v)));
        finished(&mut bench)
    })
}

fn finished(bench: &mut Command) -> Result<(), Problem> {
    match run::shown("bench", bench)? {
        (_, true) => Ok(()),
        (_, false) => Err(Problem::new("the measurements did not finish; see above")),
    }
}

/// Measures the pure engine; no browser is needed.
fn engine(parts: &[&str]) -> Result<(), Problem> {
    if let Some(unknown) = parts.iter().find(|part| !PARTS.contains(part)) {
        return Err(Problem::new(format!(
            "unknown part `{unknown}`; the parts are {}",
            PARTS.join(", ")
        )));
    }
    let is_wanted = |part: &str| parts.is_empty() || parts.contains(&part);
    if is_wanted("raft") {
        finished(&mut compare("run"))?;
    }
    let of_store: Vec<&str> =
        ["store", "watches", "memory"].into_iter().filter(|part| is_wanted(part)).collect();
    if !of_store.is_empty() {
        finished(run::command("cargo").args(["bench", "--bench", "engine", "--"]).args(of_store))?;
    }
    if parts.contains(&"counts") { counts() } else { Ok(()) }
}

/// A command on the workspace that compares with another Raft; its lock file and build folder are its own.
fn compare(verb: &str) -> Command {
    let mut command = run::command("cargo");
    let manifest = place::root().join("benches/raft_compare/Cargo.toml");
    command.args([verb, "--release", "--locked", "--manifest-path"]).arg(manifest);
    command.env("CARGO_TARGET_DIR", compare_target());
    command
}

fn compare_target() -> PathBuf {
    place::target().join("raft_compare")
}

/// Counts instructions under valgrind: the same on a busy machine as on an idle one.
fn counts() -> Result<(), Problem> {
    let valgrind = place::on_path(&["valgrind"]).ok_or_else(|| {
        Problem::with_remedy(
            "there is no valgrind on the PATH",
            "install it, for example: apt-get install valgrind",
        )
    })?;
    run::logged("bench-build-raft", &mut compare("build"))?;
    let program = compare_target().join("release/raft_compare");
    println!("\ninstructions per proposal, three members together, counted by valgrind");
    for engine in ["ours", "theirs", "ours-async"] {
        let (few, many) = COUNTED_PROPOSALS;
        let count = |number: u64| {
            collected(&valgrind, &[], &program, &["only", engine, &number.to_string()])
        };
        let each = count(many)?.saturating_sub(count(few)?) / (many - few);
        println!("{engine:<34}{each:>10}");
    }
    let program = engine_program()?;
    println!("\ninstructions per operation, counted by valgrind");
    println!("{:<34}{:>10}{:>10}{:>10}", "at n =", "10^3", "10^4", "10^5");
    for operation in COUNTED {
        print!("{operation:<34}");
        for size in COUNTED_SIZES {
            let words = ["count", operation, &size.to_string()];
            let total = collected(&valgrind, &["--toggle-collect=*counted*"], &program, &words)?;
            print!("{:>10}", total / COUNTED_OPERATIONS);
        }
        println!();
    }
    Ok(())
}

/// The instructions a program takes, or those of the functions that `options` name.
fn collected(
    valgrind: &Path,
    options: &[&str],
    program: &Path,
    words: &[&str],
) -> Result<u64, Problem> {
    let mut command = run::command(valgrind);
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).args(options);
    command.arg(program).args(words);
    let output = command.output().map_err(|error| Problem::new(format!("valgrind: {error}")))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let number =
        text.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    number
        .filter(|_| output.status.success())
        .ok_or_else(|| Problem::new(format!("valgrind did not count:\n{text}")))
}

/// Builds `benches/engine` and gives the program.
fn engine_program() -> Result<PathBuf, Problem> {
    let mut build = run::command("cargo");
    build.args(["bench", "--bench", "engine", "--no-run"]);
    let output = build.output().map_err(|error| Problem::new(format!("cargo: {error}")))?;
    let text = String::from_utf8_lossy(&output.stderr);
    // Cargo's last line: `Executable benches/engine/main.rs (target/release/deps/engine-…)`.
    let named = text.rsplit_once('(').and_then(|(_, rest)| rest.split_once(')'));
    match named {
        Some((path, _)) if output.status.success() => Ok(place::root().join(path)),
        _ => Err(Problem::new(format!("benches/engine was not built:\n{text}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_part_is_named_with_those_there_are() {
        let problem = bench(&["engine", "rafts"]).expect_err("there is no such part");
        assert!(problem.to_string().contains("`rafts`; the parts are raft, store"), "{problem}");
    }
}
