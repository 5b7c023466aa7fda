//! `cargo xtask campaign`: long runs that are too long for every change, recorded in `tests/campaigns.md`.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::time::Instant;

use crate::fuzz;
use crate::place;
use crate::run::{self, io_problem};
use crate::suite;
use crate::tell::{Problem, short};

/// One long run.
struct Campaign {
    name: &'static str,
    what: &'static str,
    kind: Kind,
}

enum Kind {
    /// End-to-end tests of one name, with settings that make them long.
    EndToEnd { test: &'static str, settings: &'static [(&'static str, &'static str)] },
    /// All targets of `fuzz/`.
    Fuzz,
}

const CAMPAIGNS: &[Campaign] = &[
    Campaign {
        name: "chaos",
        what: "100 rounds of kill or reload during writes; no acknowledged write may be lost",
        kind: Kind::EndToEnd { test: "chaos", settings: &[("PLAYGROUND_ROUNDS", "100")] },
    },
    Campaign {
        name: "fuzz",
        what: "foreign bytes for lines, forms, links, messages, disks and snapshots, 20 minutes each",
        kind: Kind::Fuzz,
    },
];

const HEAD: &str = "\
# Campaigns

Long runs by `cargo xtask campaign NAME`; each adds a row.

| date | commit | campaign | settings | passed | failed | time |
|---|---|---|---|---|---|---|
";

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
        let failed = run_one(campaign)?;
        if failed > 0 {
            return Err(Problem::new(format!(
                "the campaign `{}` found {failed} failures",
                campaign.name
            )));
        }
    }
    Ok(())
}

/// Runs a campaign and writes its rows; how many failures it found.
fn run_one(campaign: &Campaign) -> Result<u64, Problem> {
    let started = Instant::now();
    match campaign.kind {
        Kind::EndToEnd { test, settings } => {
            let (passed, failed) = suite::long_run(test, settings)?;
            let settings: Vec<String> = settings.iter().map(|(k, v)| format!("{k}={v}")).collect();
            let took = short(started.elapsed());
            write_row(campaign.name, &settings.join(" "), passed, failed, &took)?;
            Ok(failed)
        }
        Kind::Fuzz => {
            let mut failed = 0;
            for fuzz::Fuzzed { settings, passed, took } in fuzz::all()? {
                write_row(
                    campaign.name,
                    &settings,
                    u64::from(passed),
                    u64::from(!passed),
                    &short(took),
                )?;
                failed += u64::from(!passed);
            }
            Ok(failed)
        }
    }
}

fn write_row(
    name: &str,
    settings: &str,
    passed: u64,
    failed: u64,
    took: &str,
) -> Result<(), Problem> {
    let path = place::root().join("tests/campaigns.md");
    if !path.exists() {
        fs::write(&path, HEAD).map_err(|e| io_problem("write", &path, &e))?;
    }
    let date = run::answer(run::command("date").args(["-u", "+%Y-%m-%d"])).unwrap_or_default();
    let commit = run::answer(run::command("git").args(["describe", "--always", "--dirty"]))
        .unwrap_or_default();
    let row =
        format!("| {date} | {commit} | {name} | {settings} | {passed} | {failed} | {took} |\n");
    OpenOptions::new()
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(row.as_bytes()))
        .map_err(|e| io_problem("write", &path, &e))
}
