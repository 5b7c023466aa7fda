//! `cargo xtask campaign`: long runs that are too long for every change, recorded in `tests/campaigns.md`.
//!
//! What it is: names, settings, and the table; each run is a test or a program that also runs by itself.
//! Invariants: a row is written whether the run found something or not; rows are never changed.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::time::{Duration, Instant};

use crate::fuzz;
use crate::place;
use crate::run::{self, io_problem};
use crate::suite::{self, MUTANTS};
use crate::tell::{Problem, short};

/// One long run.
struct Campaign {
    name: &'static str,
    what: &'static str,
    how: How,
}

/// What runs.
enum How {
    /// End-to-end tests of one name, with settings that make them long.
    Browser { test: &'static str, settings: &'static [(&'static str, &'static str)] },
    /// The next seeds of the simulator.
    Seeds { count: u64 },
    /// For each planted mistake, the first seed that catches it.
    Mutants,
    /// All targets of `fuzz/`.
    Fuzz,
}

const CAMPAIGNS: &[Campaign] = &[
    Campaign {
        name: "simulator",
        what: "the next 30,000 seeds of the simulator, after those of the last campaign",
        how: How::Seeds { count: 30_000 },
    },
    Campaign {
        name: "mutants",
        what: "the first seed that catches each planted mistake, for tests/mutants.txt",
        how: How::Mutants,
    },
    Campaign {
        name: "chaos",
        what: "150 rounds of kill or reload during writes; no acknowledged write may be lost",
        how: How::Browser { test: "chaos", settings: &[("PLAYGROUND_ROUNDS", "150")] },
    },
    Campaign {
        name: "fuzz",
        what: "foreign bytes for lines, forms, links, messages, disks and snapshots, 20 minutes each, as many at once as there are cores",
        how: How::Fuzz,
    },
];

/// The first seed of the first campaign: above what people type to try it, and still short.
const SEED_FIRST: u64 = 10_000_000;

const HEAD: &str = "\
# Campaigns

Long runs by `cargo xtask campaign NAME`; each adds a row.

| date | commit | campaign | settings | passed | failed | time | result |
|---|---|---|---|---|---|---|---|
";

/// How a run ended: one row.
struct Ended {
    settings: Vec<(String, String)>,
    counts: (u64, u64),
    took: Duration,
    result: String,
}

/// Runs the campaigns with these names, or lists all.
///
/// # Errors
/// When a name is unknown or a campaign fails; its row is written all the same.
pub fn campaign(names: &[&str]) -> Result<(), Problem> {
    if names.is_empty() {
        for campaign in CAMPAIGNS {
            println!("{:<12}{}", campaign.name, campaign.what);
        }
        return Ok(());
    }
    let mut chosen = Vec::new();
    for name in names {
        let found = CAMPAIGNS.iter().find(|campaign| campaign.name == *name);
        chosen.push(found.ok_or_else(|| Problem::new(format!("there is no campaign `{name}`")))?);
    }
    for campaign in chosen {
        println!("{}: {}", campaign.name, campaign.what);
        let mut failed = 0;
        campaign.how.play(&mut |ended| {
            failed += ended.counts.1;
            write_row(campaign.name, &ended)
        })?;
        if failed > 0 {
            let what = format!("the campaign `{}` found {failed} failures", campaign.name);
            return Err(Problem::new(what));
        }
    }
    Ok(())
}

impl How {
    /// Plays it, and tells of each run as soon as it has ended.
    fn play(&self, tell: &mut dyn FnMut(Ended) -> Result<(), Problem>) -> Result<(), Problem> {
        let started = Instant::now();
        let ended = match self {
            Self::Browser { test, settings } => {
                let (counts, text) = suite::long_run(test, settings)?;
                let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
                Ended {
                    settings: settings.collect(),
                    counts,
                    took: started.elapsed(),
                    result: result(&text),
                }
            }
            Self::Seeds { count } => {
                let from = next_seed(&fs::read_to_string(table()).unwrap_or_default());
                let settings = vec![
                    ("SIMULATOR_FROM".to_owned(), from.to_string()),
                    ("SIMULATOR_SEEDS".to_owned(), count.to_string()),
                ];
                let mut tests = run::command("cargo");
                tests.args(["test", "--release", MUTANTS, "--test", "simulator"]);
                tests.args(["fresh_seeds_break_nothing", "--", "--nocapture"]);
                tests.envs(settings.iter().map(|(k, v)| (k, v)));
                let (counts, text) = suite::long_tests("campaign_simulator", &mut tests)?;
                Ended { settings, counts, took: started.elapsed(), result: result(&text) }
            }
            Self::Mutants => {
                let mut search = run::command("cargo");
                search.args(["run", "--release", MUTANTS, "--bin", "playground", "--", "mutants"]);
                let (text, passed) = run::shown("campaign_mutants", &mut search)?;
                let lines: Vec<&str> = text.lines().filter(|line| is_verdict(line)).collect();
                let alive = lines.iter().filter(|line| line.contains(" survives ")).count();
                let caught = u64::try_from(lines.len() - alive).unwrap_or(u64::MAX);
                let alive = u64::try_from(alive).unwrap_or(u64::MAX).max(u64::from(!passed));
                let last = lines.iter().filter_map(|line| caught_at(line)).max();
                let result = format!("the latest is caught at seed {}", last.unwrap_or_default());
                let counts = (caught, alive);
                Ended { settings: Vec::new(), counts, took: started.elapsed(), result }
            }
            Self::Fuzz => {
                return fuzz::all(|fuzzed| {
                    tell(Ended {
                        settings: vec![
                            ("target".to_owned(), fuzzed.target.to_owned()),
                            ("minutes".to_owned(), fuzzed.minutes.to_string()),
                        ],
                        counts: (u64::from(fuzzed.passed), u64::from(!fuzzed.passed)),
                        took: fuzzed.took,
                        result: format!("{} inputs run, {} kept", fuzzed.runs, fuzzed.inputs),
                    })
                });
            }
        };
        tell(ended)
    }
}

/// What a run says of itself in its last line that begins with `result:`.
fn result(text: &str) -> String {
    let line = text.lines().rev().find_map(|line| line.trim().strip_prefix("result: "));
    line.unwrap_or_default().to_owned()
}

fn caught_at(line: &str) -> Option<u64> {
    line.split_whitespace().nth(1)?.parse().ok()
}

fn is_verdict(line: &str) -> bool {
    caught_at(line).is_some() || line.contains(" survives ")
}

/// The seed after the last one of all rows.
fn next_seed(rows: &str) -> u64 {
    let number = |row: &str, name: &str| -> Option<u64> {
        row.split_once(name)?.1.split([' ', '|']).next()?.parse().ok()
    };
    rows.lines()
        .filter_map(|row| Some(number(row, "SIMULATOR_FROM=")? + number(row, "SIMULATOR_SEEDS=")?))
        .max()
        .unwrap_or(SEED_FIRST)
}

fn table() -> std::path::PathBuf {
    place::root().join("tests/campaigns.md")
}

fn write_row(name: &str, ended: &Ended) -> Result<(), Problem> {
    let path = table();
    if !path.exists() {
        fs::write(&path, HEAD).map_err(|e| io_problem("write", &path, &e))?;
    }
    let date = run::answer(run::command("date").args(["-u", "+%Y-%m-%d"])).unwrap_or_default();
    let commit = run::answer(run::command("git").args(["describe", "--always", "--dirty"]))
        .unwrap_or_default();
    let settings: Vec<String> = ended.settings.iter().map(|(k, v)| format!("{k}={v}")).collect();
    let (settings, (passed, failed)) = (settings.join(" "), ended.counts);
    let (took, result) = (short(ended.took), &ended.result);
    let row = format!(
        "| {date} | {commit} | {name} | {settings} | {passed} | {failed} | {took} | {result} |\n"
    );
    OpenOptions::new()
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(row.as_bytes()))
        .map_err(|e| io_problem("write", &path, &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_campaign_goes_on_after_the_seeds_of_the_last_one() {
        assert_eq!(next_seed(HEAD), SEED_FIRST);
        let rows = "| d | c | simulator | SIMULATOR_FROM=500 SIMULATOR_SEEDS=30 | 1 | 0 | 1m | r |\n\
                    | d | c | chaos | PLAYGROUND_ROUNDS=100 | 1 | 0 | 1m | r |\n\
                    | d | c | simulator | SIMULATOR_FROM=400 SIMULATOR_SEEDS=30 | 1 | 0 | 1m | r |\n";
        assert_eq!(next_seed(rows), 530);
    }

    #[test]
    fn the_last_result_counts() {
        assert_eq!(result("result: one\nresult: two\ntest result: ok. 1 passed"), "two");
        assert_eq!(result("nothing"), "");
    }

    #[test]
    fn a_mutant_is_caught_or_survives() {
        assert!(is_verdict("commit-old-term 37 3 leader completeness"));
        assert!(is_verdict("commit-old-term survives 2000 seeds"));
        assert!(!is_verdict("Finished `release` profile"));
    }
}
