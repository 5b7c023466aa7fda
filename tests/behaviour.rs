//! The golden tests of `tests/behaviour` natively, and that their table is complete.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

#[path = "behaviour/mod.rs"]
mod behaviour;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Entries of the public reports that the project was specified with.
const REPORTS: [&str; 46] = [
    "01", "02", "04", "05", "06", "07", "08", "09", "13", "14", "16", "18", "19", "20", "21", "22",
    "23", "24", "25", "26", "27", "28", "31", "33", "34", "36", "37", "39", "40", "42", "43", "44",
    "45", "46", "47", "48", "51", "52", "53", "54", "59", "60", "61", "62", "h1", "h2",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// Names of the tests below a folder: functions right under an attribute that makes them one.
fn tests_below(folder: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for path in sources_below(&root().join(folder)) {
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for two in lines.windows(2) {
            let Some(rest) = two[1].strip_prefix("fn ") else { continue };
            if two[0] == "#[test]" {
                names.insert(rest.split('(').next().unwrap().to_owned());
            }
        }
    }
    names
}

/// Rows `| entry | test |` of the tables, by the heading above them.
fn tables() -> BTreeMap<String, Vec<(String, String)>> {
    let text = std::fs::read_to_string(root().join("tests/behaviour/README.md")).unwrap();
    let mut tables: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut heading = String::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            title.clone_into(&mut heading);
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if cells.len() == 4 && cells[2].starts_with('`') {
            let rows = tables.entry(heading.clone()).or_default();
            rows.push((cells[1].to_owned(), cells[2].trim_matches('`').to_owned()));
        }
    }
    tables
}

#[test]
fn every_behaviour_and_report_has_its_test_and_stands_in_the_table() {
    let tests = tests_below("tests/behaviour");
    let tables = tables();
    let numbers: Vec<String> = (1..=80).map(|number| format!("{number:02}")).collect();
    let kinds = [
        ("Behaviours", "behaviour_", numbers),
        ("Reports", "report_", REPORTS.map(str::to_owned).to_vec()),
    ];
    for (heading, prefix, entries) in kinds {
        let of_kind: BTreeSet<&String> =
            tests.iter().filter(|name| name.starts_with(prefix)).collect();
        let listed: BTreeSet<&String> = tables[heading].iter().map(|(_, name)| name).collect();
        assert_eq!(listed, of_kind, "{heading}: the table and the tests differ");
        for (entry, name) in &tables[heading] {
            assert!(name.starts_with(&format!("{prefix}{entry}_")), "{entry} is not {name}");
            assert!(entries.contains(entry), "{heading} has no entry {entry}");
        }
        let covered: BTreeSet<&String> = tables[heading].iter().map(|(entry, _)| entry).collect();
        for entry in &entries {
            assert!(covered.contains(entry), "{heading}: {entry} has no test");
        }
    }
    assert!(tests.contains("hashkv_all_19_vectors_of_etcd_agree"));
}

#[test]
fn every_starred_behaviour_of_raft_names_a_test_that_exists() {
    let tests = tests_below("src/raft");
    let suite = tests_below("tests");
    let rows = &tables()["Raft"];
    assert_eq!(rows.len(), 63);
    for (entry, name) in rows {
        assert!(tests.contains(name) || suite.contains(name), "{entry}: no test {name}");
    }
}
