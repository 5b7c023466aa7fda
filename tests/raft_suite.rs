//! Runs the tables and interaction scripts of etcd-io/raft against our engine.
//!
//! What it is: a reader of the data-driven format, and thin runners for three kinds of files.
//! What it is not: the data; that is read from the file or folder that `RAFT_TESTDATA` names, or
//! from `shared/raft-testdata` beside the checkout, and the run is skipped when there is none.
//! Invariants: tables must agree to the letter; scripts after log lines are dropped on both sides.

#![cfg(not(target_arch = "wasm32"))]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test program; the file it fails on is printed"
)]

#[path = "raft_suite/interaction.rs"]
mod interaction;
#[path = "raft_suite/reader.rs"]
mod reader;
#[path = "raft_suite/tables.rs"]
mod tables;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use reader::Block;

/// Runs one block; keeps what has to live as long as the file.
type Run = Box<dyn FnMut(&Block) -> String>;

/// One kind of file: how it is told apart and how its blocks are run.
struct Kind {
    folder: &'static str,
    start: fn() -> Run,
    normalise: fn(&str) -> String,
}

const KINDS: [Kind; 3] = [
    Kind { folder: "quorum", start: || Box::new(tables::quorum), normalise: str::to_owned },
    Kind { folder: "confchange", start: tables::confchange, normalise: str::to_owned },
    Kind {
        folder: "interaction",
        start: interaction::start,
        normalise: interaction::without_log_lines,
    },
];

fn data_path() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("RAFT_TESTDATA") {
        return Some(PathBuf::from(named));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    [root.join("../shared/raft-testdata"), root.join("shared/raft-testdata")]
        .into_iter()
        .find(|path| path.is_dir())
}

fn files_below(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let mut found = vec![];
    for entry in fs::read_dir(path).unwrap() {
        found.extend(files_below(&entry.unwrap().path()));
    }
    found.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    found.sort();
    found
}

fn kind_of(file: &Path, text: &str) -> &'static Kind {
    let folder = file.parent().and_then(Path::file_name).map(|name| name.to_string_lossy());
    if let Some(kind) = KINDS.iter().find(|kind| folder.as_deref() == Some(kind.folder)) {
        return kind;
    }
    let first = reader::blocks(text).into_iter().next().map(|block| block.command);
    match first.as_deref() {
        Some("committed" | "vote") => &KINDS[0],
        Some("simple" | "enter-joint" | "leave-joint") => &KINDS[1],
        _ => &KINDS[2],
    }
}

/// The first blocks of a file that disagree, or nothing.
fn run_file(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let kind = kind_of(file, &text);
    let mut run = (kind.start)();
    let mut failures = vec![];
    for block in reader::blocks(&text) {
        let answer = catch_unwind(AssertUnwindSafe(|| run(&block)));
        let answer = answer.unwrap_or_else(|_| "the engine panicked".to_owned());
        let want = (kind.normalise)(&block.expected);
        let got = (kind.normalise)(&answer);
        if want.trim_end() != got.trim_end() {
            failures.push(format!(
                "line {}: {}\n{}",
                block.line,
                block.head(),
                reader::diff(&want, &got)
            ));
        }
    }
    failures
}

#[test]
fn every_file_of_the_suite_agrees() {
    let Some(path) = data_path() else {
        println!("skipped: no raft test data (set RAFT_TESTDATA to a file or folder)");
        return;
    };
    let (mut passed, mut failed) = (0, 0);
    for file in files_below(&path) {
        let failures = run_file(&file);
        if failures.is_empty() {
            passed += 1;
            continue;
        }
        failed += 1;
        println!("FAIL {} ({} blocks)", file.display(), failures.len());
        for failure in failures.iter().take(2) {
            println!("{failure}");
        }
    }
    println!("{passed} passed, {failed} failed");
    assert!(passed + failed > 0, "no files below {}", path.display());
    assert_eq!(failed, 0, "{failed} files disagree");
}
