//! Plays the recorded cases of etcd 3.7.1 through the same console code as the page, on a simulated
//! cluster, and compares what is printed, byte for byte where that is determined.
//!
//! `tests/corpus/README.md` tells the format. By default the project's own copy is played, and the original where it
//! lies beside the project. `ETCD_CORPUS` names another file or folder, `ETCD_GROUPS` some groups (`txn,lease`),
//! `ETCD_CASE` one case. Steps that differ on purpose stand in `tests/corpus/deviations.rs`; any other difference
//! fails, and so does a listed one that does not occur.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a failed test is meant to panic"
)]

#[path = "corpus/deviations.rs"]
mod deviations;
#[path = "corpus/matching.rs"]
mod matching;
#[path = "corpus/protobuf.rs"]
mod protobuf;
#[path = "corpus/run.rs"]
mod run;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use run::{Outcome, text};

/// What became of all cases of a group.
#[derive(Default)]
struct Tally {
    passed: u32,
    failed: u32,
    steps: u32,
}

/// What became of everything.
#[derive(Default)]
struct Report {
    groups: BTreeMap<String, Tally>,
    /// Deviations that were seen: (case, step, reason).
    deviating: Vec<(String, usize, &'static str)>,
    played: Vec<String>,
}

impl Report {
    fn add(&mut self, case: &Value) {
        let id = text(case, "id");
        self.played.push(id.to_owned());
        let tally = self.groups.entry(text(case, "group").to_owned()).or_default();
        tally.steps += u32::try_from(case["steps"].as_array().map_or(0, Vec::len)).unwrap();
        match run::play(case) {
            Outcome::Passed(deviating) => {
                tally.passed += 1;
                let steps = deviating.into_iter().map(|(step, why)| (id.to_owned(), step, why));
                self.deviating.extend(steps);
            }
            Outcome::Failed(diff) => {
                tally.failed += 1;
                println!("FAILED {id}: {}\n{diff}", text(case, "title"));
            }
            Outcome::WrongLeader => unreachable!("another seed was tried"),
        }
    }

    fn sum(&self, count: impl Fn(&Tally) -> u32) -> u32 {
        self.groups.values().map(count).sum()
    }
}

/// The files to play.
fn files() -> Vec<PathBuf> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let roots = match std::env::var_os("ETCD_CORPUS") {
        Some(named) => vec![home.join(named)],
        None => vec![home.join("../shared/corpus"), home.join("tests/corpus")],
    };
    let mut files = Vec::new();
    for root in roots {
        if root.is_file() {
            files.push(root);
        } else if root.is_dir() {
            let entries = std::fs::read_dir(&root).unwrap();
            let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
            found.retain(|path| path.extension().is_some_and(|end| end == "json"));
            found.sort();
            files.extend(found);
        }
    }
    files
}

/// The cases to play; one that lies in two places is played once.
fn cases() -> Vec<Value> {
    let groups = std::env::var("ETCD_GROUPS").ok();
    let only = std::env::var("ETCD_CASE").ok();
    let mut cases: Vec<Value> = Vec::new();
    for path in files() {
        let file = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path:?}: {why}"));
        let file: Value =
            serde_json::from_str(&file).unwrap_or_else(|why| panic!("{path:?}: {why}"));
        for case in file["cases"].as_array().into_iter().flatten() {
            let group = text(case, "group");
            let is_wanted =
                groups.as_ref().is_none_or(|list| list.split(',').any(|one| one == group))
                    && only
                        .as_ref()
                        .is_none_or(|list| list.split(',').any(|one| one == text(case, "id")));
            if is_wanted && !cases.contains(case) {
                cases.push(case.clone());
            }
        }
    }
    cases
}

#[test]
fn what_is_printed_equals_what_etcdctl_printed() {
    let cases = cases();
    assert!(!cases.is_empty(), "there is nothing to play");
    let mut report = Report::default();
    for case in &cases {
        report.add(case);
    }
    for (id, step, why) in &report.deviating {
        println!("deviates {id} step {step}: {why}");
    }
    for (group, tally) in &report.groups {
        let Tally { passed, failed, steps } = tally;
        println!("{group}: {passed} passed, {failed} failed ({steps} steps)");
    }
    let steps = report.sum(|tally| tally.steps);
    let deviating = u32::try_from(report.deviating.len()).unwrap();
    let failed = report.sum(|tally| tally.failed);
    let tenths = (u64::from(deviating) * 1000).checked_div(u64::from(steps)).unwrap_or(0);
    let (percent, tenth) = (tenths / 10, tenths % 10);
    println!("{deviating} of {steps} steps deviate as listed ({percent}.{tenth} %)");
    println!("{} passed, {failed} failed", report.sum(|tally| tally.passed));
    assert_eq!(failed, 0, "see the differences above");
    for (id, step, _) in deviations::DEVIATIONS {
        let is_seen = report.deviating.iter().any(|(seen, at, _)| seen == id && at == step);
        let is_played = report.played.iter().any(|played| played == id);
        assert!(is_seen || !is_played, "{id} step {step} does not deviate any more");
    }
    // A few cases alone may hold more.
    assert!(steps < 1000 || deviating * 50 <= steps, "more than 2 % of the steps deviate");
}
