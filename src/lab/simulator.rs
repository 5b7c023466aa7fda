//! `playground sim` and `playground replay`: many seeds of the simulator, or one of them line by line.
//!
//! What it is: the loop over seeds, the counts, and the words.
//! What it is not: the simulator (see `cluster`), nor a clock; time comes from outside, for seeds per second only.
//! Invariants: on failure the last line names the seed and the command that replays it.

use std::collections::{BTreeMap, BTreeSet};

use crate::cluster::{CrashPoint, Judged, RunReport, run_seed};

/// Exit status when a seed fails.
const FAILED: i32 = 1;

/// Exit status of bad arguments.
const BAD_INPUT: i32 = 2;

/// Most runs of 100 whose order may stay unknown.
const UNKNOWN_PERCENT_MAX: u64 = 1;

/// Below this share of 100 runs may have too little traffic.
const INVALID_PERCENT_MAX: u64 = 15;

/// Below this share of 100 runs may be left without a majority: a fault that looked like it would not hide.
const STRANDED_PERCENT_MAX: u64 = 5;

/// Runs from which on a share of them says something.
const SHARES_FROM: u64 = 100;

/// Seeds within which a mutant must be caught.
#[cfg(feature = "mutants")]
const MUTANT_SEEDS: u64 = 2_000;

/// Seeds between two progress lines.
const PROGRESS_EVERY: u64 = 100;

/// What many runs came to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Runs.
    pub seeds: u64,
    /// With enough traffic and nothing broken.
    pub valid: u64,
    /// With too little traffic.
    pub invalid: u64,
    /// Left without a majority.
    pub stranded: u64,
    /// Without a verdict on the order.
    pub unknown: u64,
    /// With a broken invariant.
    pub broken: u64,
    /// Successful writes.
    pub writes: u64,
    /// Watch events.
    pub events: u64,
    /// Writes that a lock or an election guarded.
    pub fenced: u64,
    /// Leases whose expiry was judged.
    pub expired: u64,
    /// Clusters made from saved snapshots.
    pub restored: u64,
    /// Crash points: passed and used.
    pub crashes: BTreeMap<CrashPoint, (u64, u64)>,
    /// Valid runs in which a workload met a kind of fault.
    pub pairs: BTreeMap<(&'static str, &'static str), u64>,
}

impl Tally {
    /// Adds a run.
    pub fn add(&mut self, report: &RunReport) {
        self.seeds += 1;
        self.writes += report.writes;
        self.events += report.events;
        self.fenced += report.fenced;
        self.expired += report.expired;
        self.restored += report.restored;
        match &report.judged {
            Judged::Valid => self.valid += 1,
            Judged::Invalid => self.invalid += 1,
            Judged::Stranded => self.stranded += 1,
            Judged::Unknown(_) => self.unknown += 1,
            Judged::Broken(_) => self.broken += 1,
        }
        for (point, (passed, used)) in &report.crashes {
            let counts = self.crashes.entry(*point).or_default();
            counts.0 += passed;
            counts.1 += used;
        }
        if report.judged == Judged::Valid {
            for workload in &report.workloads {
                for fault in report.faults.keys() {
                    *self.pairs.entry((workload, fault)).or_default() += 1;
                }
            }
        }
    }

    /// True if too many runs had too little traffic.
    #[must_use]
    pub const fn has_too_many_invalid(&self) -> bool {
        self.seeds >= SHARES_FROM && self.invalid * 100 >= self.seeds * INVALID_PERCENT_MAX
    }

    /// True if too many runs were left without a majority.
    #[must_use]
    pub const fn has_too_many_stranded(&self) -> bool {
        self.seeds >= SHARES_FROM && self.stranded * 100 >= self.seeds * STRANDED_PERCENT_MAX
    }

    /// True if too many runs have no verdict.
    #[must_use]
    pub fn has_too_many_unknown(&self) -> bool {
        self.unknown * 100 > self.seeds * UNKNOWN_PERCENT_MAX && self.unknown > 1
    }

    /// One line: how the runs came out, and how quick they were.
    #[must_use]
    pub fn summary(&self, ms: u64) -> String {
        let rate = (self.seeds * 10_000).checked_div(ms.max(1)).unwrap_or_default();
        let idle = (self.invalid * 1_000).checked_div(self.seeds).unwrap_or_default();
        format!(
            "{} seeds, {} valid, {} with too little traffic ({}.{} %), {} without a majority, {} unknown, {} broken, {} writes, {} events, {}.{} seeds/s",
            self.seeds,
            self.valid,
            self.invalid,
            idle / 10,
            idle % 10,
            self.stranded,
            self.unknown,
            self.broken,
            self.writes,
            self.events,
            rate / 10,
            rate % 10
        )
    }

    /// Valid runs in which each workload met each kind of fault, one line per workload.
    fn table(&self) -> Vec<String> {
        let faults: BTreeSet<&str> = self.pairs.keys().map(|(_, fault)| *fault).collect();
        let workloads: BTreeSet<&str> = self.pairs.keys().map(|(workload, _)| *workload).collect();
        let heads: Vec<String> = faults.iter().map(|fault| format!("{fault:>12}")).collect();
        let mut lines = vec![format!("{:<22}{}", "valid seeds", heads.concat())];
        for workload in workloads {
            let counts = faults.iter().map(|fault| {
                let count = self.pairs.get(&(workload, *fault)).copied().unwrap_or_default();
                format!("{count:>12}")
            });
            lines.push(format!("{workload:<22}{}", counts.collect::<String>()));
        }
        lines
    }

    /// What was hit how often: crash points, and workloads with faults.
    #[must_use]
    pub fn coverage(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{} guarded writes, {} leases expired, {} snapshots restored",
            self.fenced, self.expired, self.restored
        )];
        for point in CrashPoint::ALL {
            let (passed, used) = self.crashes.get(&point).copied().unwrap_or_default();
            lines.push(format!("crash point {point:?}: {used} crashes, passed {passed} times"));
        }
        lines.extend(self.table());
        lines
    }
}

/// One line on a run.
#[must_use]
pub fn sentence(report: &RunReport) -> String {
    let judged = match &report.judged {
        Judged::Valid => "valid".to_owned(),
        Judged::Invalid => "invalid: too little traffic".to_owned(),
        Judged::Stranded => "stranded: no majority is left".to_owned(),
        Judged::Unknown(what) => format!("unknown: no order found within the budget; {what}"),
        Judged::Broken(violation) => violation.to_string(),
    };
    format!(
        "seed {} trace {:016x}: {} writes, {} events, {} operations, {} steps, {} ms, {}; {judged}",
        report.seed,
        report.trace_hash,
        report.writes,
        report.events,
        report.operations,
        report.steps,
        report.virtual_ms,
        report.plan
    )
}

/// The last line of a failure.
#[must_use]
pub fn replay_line(seed: u64) -> String {
    format!("seed={seed} cmd=cargo run --release --bin playground -- replay {seed}")
}

/// True if members may crash in what these words ask for, so that nothing need be said of it on the side.
#[must_use]
pub fn expects_crashes(words: &[String]) -> bool {
    words.first().is_some_and(|word| ["sim", "replay", "mutants"].contains(&word.as_str()))
}

/// Runs `sim` or `replay`; `None` if the words are for somebody else.
pub fn run(words: &[String], print: &mut dyn FnMut(&str), now_ms: &dyn Fn() -> u64) -> Option<i32> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["replay", seed] => seed.parse().ok().map(|seed| replay(seed, print)),
        #[cfg(feature = "mutants")]
        ["mutants", rest @ ..] => mutants(rest, print),
        ["sim", rest @ ..] => many(rest).map(|plan| sim(&plan, print, now_ms)),
        _ => return None,
    };
    Some(done.unwrap_or_else(|| {
        print(
            "expected: sim --seeds N [--from S] [--keep-going], or replay SEED, or mutants [NAME]",
        );
        BAD_INPUT
    }))
}

/// Searches the first seed that catches each mutant; with names, of those only.
#[cfg(feature = "mutants")]
fn mutants(names: &[&str], print: &mut dyn FnMut(&str)) -> Option<i32> {
    use crate::mutant::{self, Mutant};

    let is_wanted = |mutant: &Mutant| names.is_empty() || names.contains(&mutant.name());
    let mut status = 0;
    for mutant in Mutant::ALL.iter().copied().filter(is_wanted) {
        mutant::set(Some(mutant));
        let found =
            (1..=MUTANT_SEEDS).find_map(|seed| match run_seed(seed, false, &mut |_| {}).judged {
                Judged::Broken(violation) => Some((seed, violation)),
                Judged::Valid | Judged::Invalid | Judged::Stranded | Judged::Unknown(_) => None,
            });
        mutant::set(None);
        match found {
            Some((seed, violation)) => {
                let name = crate::cluster::invariants::name(violation.number);
                print(&format!("{} {seed} {} {name}", mutant.name(), violation.number));
            }
            None => {
                print(&format!("{} survives {MUTANT_SEEDS} seeds", mutant.name()));
                status = FAILED;
            }
        }
    }
    Some(status)
}

/// What `sim` is asked for.
struct Many {
    from: u64,
    count: u64,
    /// A failure is told, and the next seed played.
    keeps_going: bool,
}

fn many(words: &[&str]) -> Option<Many> {
    let mut plan = Many { from: 1, count: 100, keeps_going: false };
    let mut rest = words;
    loop {
        rest = match rest {
            [] => return Some(plan),
            ["--keep-going", rest @ ..] => {
                plan.keeps_going = true;
                rest
            }
            ["--seeds", number, rest @ ..] => {
                plan.count = number.parse().ok()?;
                rest
            }
            ["--from", number, rest @ ..] => {
                plan.from = number.parse().ok()?;
                rest
            }
            _ => return None,
        };
    }
}

fn replay(seed: u64, print: &mut dyn FnMut(&str)) -> i32 {
    let report = run_seed(seed, true, print);
    print(&sentence(&report));
    if matches!(report.judged, Judged::Broken(_)) {
        print(&replay_line(seed));
        return FAILED;
    }
    0
}

fn sim(plan: &Many, print: &mut dyn FnMut(&str), now_ms: &dyn Fn() -> u64) -> i32 {
    let started = now_ms();
    let mut tally = Tally::default();
    let mut failed = None;
    for seed in (0..plan.count).map(|at| plan.from.wrapping_add(at)) {
        let report = run_seed(seed, false, &mut |_| {});
        tally.add(&report);
        if matches!(report.judged, Judged::Broken(_)) {
            print(&sentence(&report));
            failed = Some(seed);
            if !plan.keeps_going {
                break;
            }
        }
        if tally.seeds.is_multiple_of(PROGRESS_EVERY) {
            print(&tally.summary(now_ms() - started));
        }
    }
    for line in tally.coverage() {
        print(&line);
    }
    print(&tally.summary(now_ms() - started));
    if let Some(seed) = failed {
        print(&replay_line(seed));
        return FAILED;
    }
    let problems = [
        (tally.has_too_many_unknown(), "too many runs have no verdict on their order"),
        (tally.has_too_many_invalid(), "too many runs had too little traffic"),
        (tally.has_too_many_stranded(), "too many runs were left without a majority"),
    ];
    let mut status = 0;
    for (_, problem) in problems.iter().filter(|(is_there, _)| *is_there) {
        print(problem);
        status = FAILED;
    }
    status
}
