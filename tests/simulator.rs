//! The simulator in every test run: fresh seeds drawn from the sources, and every seed that ever failed.
//!
//! What it is: as many seeds as fit into a time, at least a number; everybody who has the same sources runs the same.
//! What it is not: the campaign; `playground sim --seeds N` goes on for as long as somebody wants.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "test code: it panics to fail, and tells its figures"
)]

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use etcd_playground::cluster::{CrashPoint, Judged, RunReport, run_seed};
use etcd_playground::lab::simulator::{Tally, replay_line, sentence};
use sha2::{Digest, Sha256};

/// Seeds that are always run; another number with `SIMULATOR_SEEDS`, more while `SIMULATOR_SECONDS` are not over.
const SEEDS_MIN: u64 = 2_000;

/// From so many seeds on: how often members must crash at each crash point, and how many valid runs each workload
/// must meet each kind of fault in; the quick puts of long runs apart.
///
/// Measured over 2,000 seeds: 40 crashes at the rarest.
const COVERAGE: &[(u64, u64, u64)] = &[(30_000, 100, 20), (2_000, 8, 10)];

/// Threads: a test machine has at least two cores.
const THREADS: u64 = 2;

fn add_sources(folder: &Path, hasher: &mut Sha256) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("sources can be read")
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            add_sources(&path, hasher);
        } else {
            hasher.update(fs::read(&path).expect("a source can be read"));
        }
    }
}

/// The first seed: other sources, other seeds.
fn first_seed() -> u64 {
    let mut hasher = Sha256::new();
    add_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut hasher);
    let hash: [u8; 32] = hasher.finalize().into();
    // Seeds stay short enough to be typed.
    u64::from(u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]]))
}

fn run(seed: u64) -> RunReport {
    run_seed(seed, false, &mut |_| {})
}

#[track_caller]
fn assert_whole(report: &RunReport) {
    let is_whole = !matches!(report.judged, Judged::Broken(_));
    assert!(is_whole, "{}\n{}", sentence(report), replay_line(report.seed));
}

fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

fn assert_covered(tally: &Tally) {
    let floor = COVERAGE.iter().find(|(seeds, ..)| tally.seeds >= *seeds);
    let Some((_, crashes_min, pairs_min)) = floor else { return };
    for point in CrashPoint::ALL {
        let (passed, used) = tally.crashes.get(&point).copied().unwrap_or_default();
        assert!(used >= *crashes_min, "{used} crashes at {point:?}, passed {passed} times");
    }
    for ((workload, fault), count) in &tally.pairs {
        let is_enough = count >= pairs_min || workload.starts_with("W0");
        assert!(is_enough, "{workload} met {fault} in {count} valid runs only");
    }
}

#[test]
fn fresh_seeds_break_nothing() {
    let limit = Duration::from_secs(setting("SIMULATOR_SECONDS").unwrap_or(0));
    let seeds_min = setting("SIMULATOR_SEEDS").unwrap_or(SEEDS_MIN);
    let first = setting("SIMULATOR_FROM").unwrap_or_else(first_seed);
    let started = Instant::now();
    let next = AtomicU64::new(0);
    let tally = Mutex::new(Tally::default());
    let broken = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= seeds_min && started.elapsed() >= limit {
                        break;
                    }
                    let report = run(first.wrapping_add(at));
                    if matches!(report.judged, Judged::Broken(_)) {
                        eprintln!("{}", sentence(&report));
                        broken.lock().unwrap().push(report.seed);
                    }
                    if matches!(report.judged, Judged::Unknown(_)) {
                        eprintln!("no verdict: {}", sentence(&report));
                    }
                    tally.lock().unwrap().add(&report);
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap();
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap();
    let broken = broken.into_inner().unwrap();
    for line in tally.coverage() {
        eprintln!("{line}");
    }
    eprintln!("result: seeds from {first}: {}, {} broken", tally.summary(ms), broken.len());
    assert!(
        broken.is_empty(),
        "{} seeds broke: {broken:?}\n{}",
        broken.len(),
        replay_line(broken[0])
    );
    assert!(tally.fenced > tally.seeds, "{} guarded writes", tally.fenced);
    assert!(tally.expired > tally.seeds / 2, "{} leases expired", tally.expired);
    assert!(tally.restored > tally.seeds / 10, "{} snapshots restored", tally.restored);
    assert!(!tally.has_too_many_invalid(), "{} of {} are idle", tally.invalid, tally.seeds);
    assert!(!tally.has_too_many_stranded(), "{} of {} stranded", tally.stranded, tally.seeds);
    assert!(!tally.has_too_many_unknown(), "{} of {} have no verdict", tally.unknown, tally.seeds);
    assert!(
        tally.valid * 10 >= tally.seeds * 7,
        "only {} of {} are valid",
        tally.valid,
        tally.seeds
    );
    assert_covered(&tally);
}

#[test]
fn every_seed_that_failed_once_passes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seeds.txt");
    let text = fs::read_to_string(path).expect("the corpus can be read");
    let mut count = 0;
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let seed = line.split_whitespace().next().and_then(|word| word.parse().ok());
        let report = run(seed.unwrap_or_else(|| panic!("no seed in {line:?}")));
        assert_whole(&report);
        assert!(!matches!(report.judged, Judged::Unknown(_)), "{}", sentence(&report));
        count += 1;
    }
    assert!(count > 0, "the corpus was found");
}

#[test]
fn a_seed_gives_the_same_run_again() {
    for seed in [1, 2, 3, 4] {
        let (one, other) = (run(seed), run(seed));
        assert_eq!(one.trace_hash, other.trace_hash, "{}", replay_line(seed));
        assert_eq!((one.writes, one.events, one.steps), (other.writes, other.events, other.steps));
    }
    assert_ne!(run(1).trace_hash, run(2).trace_hash);
}

#[test]
fn a_replay_tells_every_event_and_ends_like_the_run() {
    let mut lines = 0_u64;
    let replayed = run_seed(5, true, &mut |_| lines += 1);
    assert_eq!(replayed.trace_hash, run(5).trace_hash);
    assert!(lines > 1_000, "{lines} lines");
}
