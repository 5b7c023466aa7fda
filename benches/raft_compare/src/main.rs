//! Raft proposals through three members in memory: the playground's engine beside the crate `raft` 0.7.
//!
//! What it is: one loop ([`Group::run`]) that drives either engine, so that both do the same work: propose,
//! store, send, commit, apply, compact.
//! What it is not: a test; it fails only if an engine loses or reorders a proposal.
//! How it measures: five runs of each engine, in turn, in one process; each figure is the median.
//! Allocations are counted in a run of their own, because counting costs time.
#![allow(
    unsafe_code,
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a measurement panics to fail, prints its table, and counts allocations"
)]

mod group;
mod ours;
mod theirs;

#[path = "../../engine/allocations.rs"]
mod allocations;
#[path = "../../engine/clock.rs"]
mod clock;

use allocations::Counted;
use group::{Group, Member};

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

/// Bytes of one proposal.
const PAYLOAD_BYTES: usize = 256;
/// Proposals under way at any time.
const WINDOW: u64 = 64;
/// Proposals of one measured run.
const PROPOSALS: u64 = 200_000;
/// Proposals before the first measurement of each run.
const WARM_UP: u64 = 20_000;
/// Measured runs of each engine.
const RUNS: usize = 5;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["only", engine, count] => only(engine, count.parse().expect("a number of proposals")),
        _ => compare(),
    }
}

/// Runs one engine and nothing else, for a profiler or an instruction counter.
fn only(engine: &str, count: u64) {
    match engine {
        "ours" => drop(elected(ours::members()).run(count)),
        "ours-async" => drop(elected(ours::members_async()).run(count)),
        "theirs" => drop(elected(theirs::members()).run(count)),
        other => panic!("no engine is called {other}: ours, ours-async, theirs"),
    }
}

fn elected<M: Member>(members: [M; 3]) -> Group<M> {
    let mut group = Group::new(members);
    group.elect();
    group
}

/// Proposals per second of one run.
fn rate<M: Member>(members: [M; 3]) -> u64 {
    let mut group = elected(members);
    group.run(WARM_UP);
    let started = clock::now();
    group.run(PROPOSALS);
    let nanoseconds = (clock::now() - started).as_nanos().max(1);
    u64::try_from(u128::from(PROPOSALS) * 1_000_000_000 / nanoseconds).expect("a rate fits")
}

fn counted<M: Member>(members: [M; 3]) -> Counted {
    let mut group = elected(members);
    group.run(WARM_UP);
    allocations::during(|| group.run(PROPOSALS)).1
}

fn compare() {
    let mut rates = [const { Vec::new() }; 3];
    for _ in 0..RUNS {
        rates[0].push(rate(ours::members()));
        rates[1].push(rate(theirs::members()));
        rates[2].push(rate(ours::members_async()));
    }
    println!(
        "raft: {PROPOSALS} proposals of {PAYLOAD_BYTES} bytes, {WINDOW} under way, three members in memory;\n\
         processor time of one thread; {RUNS} runs of each engine in turn, the median; every member stores, applies and compacts"
    );
    println!(
        "{:<34}{:>12}{:>10}  {:<24}{:>14}{:>14}",
        "engine", "proposals/s", "ns each", "range", "allocations", "bytes"
    );
    let allocations =
        [counted(ours::members()), counted(theirs::members()), counted(ours::members_async())];
    let names = ["ours", "crate raft 0.7", "ours, asynchronous writes"];
    let mut medians = [0; 3];
    for (at, (name, counted)) in names.iter().zip(allocations).enumerate() {
        rates[at].sort_unstable();
        let (low, median, high) = (rates[at][0], rates[at][RUNS / 2], rates[at][RUNS - 1]);
        medians[at] = median;
        println!(
            "{name:<34}{median:>12}{:>10}  {:<24}{:>14}{:>14}",
            1_000_000_000 / median.max(1),
            format!("{low}..{high}"),
            tenths(counted.calls, PROPOSALS),
            tenths(counted.bytes, PROPOSALS),
        );
    }
    println!(
        "(allocations and bytes allocated: per proposal, all three members together, the payload included)"
    );
    println!("ratio ours / raft 0.7: {}", hundredths(medians[0], medians[1]));
}

fn tenths(part: u64, whole: u64) -> String {
    let scaled = part * 10 / whole.max(1);
    format!("{}.{}", scaled / 10, scaled % 10)
}

fn hundredths(part: u64, whole: u64) -> String {
    let scaled = part * 100 / whole.max(1);
    format!("{}.{:02}", scaled / 100, scaled % 100)
}
