//! The project's commands, called as `cargo xtask NAME`; `README.md` tells when to use which.
//!
//! Each command does all of its set-up, says what it installs and why, and ends in a plain error with the remedy
//! when something cannot be had.
//! It never asks: it works without a standard input.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "these rules keep the engine pure; a build tool may look at the clock and start threads"
)]

mod bench;
mod browser;
mod campaign;
mod dist;
mod fuzz;
mod imports;
mod place;
mod run;
mod server;
mod setup;
mod suite;
mod suites;
mod tell;
mod toolchain;

use std::process::ExitCode;

use tell::Problem;

const HELP: &str = "\
cargo xtask <command>

  serve [--port N]
                      build the page and serve it on this machine; prints the address
  build [--force]     build the static files into dist/, ready for any web host
  test [PART…]        everything that must pass before a change is accepted;
                      parts: lint, native, wasm, e2e [NAME…]
  bench [PART…]       measure the page in a headless browser and print a table;
                      parts: loads, puts, failover, restart, frames, and by name only:
                      memory [MINUTES]
  bench engine [PART…]
                      measure the pure engine, natively, beside the crate raft 0.7;
                      parts: raft, store, watches, memory, and by name only: counts
  campaign [NAME…]    long runs, recorded in tests/campaigns.md; without a name: list them
  fmt                 format the sources
  setup               install every tool that the other commands need
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("\nerror: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[&str]) -> Result<(), Problem> {
    match words {
        ["serve", rest @ ..] => server::serve(rest),
        ["build"] => dist::build(dist::Freshness::Enough).map(drop),
        ["build", "--force"] => dist::build(dist::Freshness::Rebuild).map(drop),
        ["test", parts @ ..] => suite::test(parts),
        ["bench", rest @ ..] => bench::bench(rest),
        ["campaign", rest @ ..] => campaign::campaign(rest),
        ["fmt"] => suite::format(),
        ["setup"] => setup::everything(),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(Problem::new(format!("unknown command `{}`\n\n{HELP}", words.join(" ")))),
    }
}
