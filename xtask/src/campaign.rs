//! `cargo xtask campaign`: long runs that are too long for every change, recorded in `tests/campaigns.md`.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::time::Instant;

use crate::place;
use crate::run::{self, io_problem};
use crate::suite;
use crate::tell::{Problem, short};

/// One long run: end-to-end tests of one name, with settings that make them long.
struct Campaign {
    name: &'static str,
    what: &'static str,
    test: &'static str,
    settings: &'static [(&'static str, &'static str)],
}

const CAMPAIGNS: &[Campaign] = &[Campaign {
    name: "chaos",
    what: "100 rounds of kill or reload during writes; no acknowledged write may be lost",
    test: "chaos",
    settings: &[("PLAYGROUND_ROUNDS", "100")],
}];

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
        let started = Instant::now();
        let (passed, failed) = suite::long_run(campaign.test, campaign.settings)?;
        write_row(campaign, passed, failed, &short(started.elapsed()))?;
        if failed > 0 {
            return Err(Problem::new(format!(
                "the campaign `{}` found {failed} failures",
                campaign.name
            )));
        }
    }
    Ok(())
}

fn write_row(campaign: &Campaign, passed: u64, failed: u64, took: &str) -> Result<(), Problem> {
    let path = place::root().join("tests/campaigns.md");
    if !path.exists() {
        fs::write(&path, HEAD).map_err(|e| io_problem("write", &path, &e))?;
    }
    let date = run::answer(run::command("date").args(["-u", "+%Y-%m-%d"])).unwrap_or_default();
    let commit = run::answer(run::command("git").args(["describe", "--always", "--dirty"]))
        .unwrap_or_default();
    let settings: Vec<String> = campaign.settings.iter().map(|(k, v)| format!("{k}={v}")).collect();
    let name = campaign.name;
    let row = format!(
        "| {date} | {commit} | {name} | {} | {passed} | {failed} | {took} |\n",
        settings.join(" ")
    );
    OpenOptions::new()
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(row.as_bytes()))
        .map_err(|e| io_problem("write", &path, &e))
}
