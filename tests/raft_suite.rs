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

/// Runs all blocks of a file, one after the other.
fn answers(kind: &Kind, blocks: &[Block]) -> Vec<String> {
    let mut run = (kind.start)();
    let answer = |block| {
        let answer = catch_unwind(AssertUnwindSafe(|| run(block)));
        answer.unwrap_or_else(|_| "the engine panicked".to_owned())
    };
    blocks.iter().map(answer).collect()
}

/// The blocks of a file that disagree.
fn run_file(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let kind = kind_of(file, &text);
    let mut failures = vec![];
    let blocks = reader::blocks(&text);
    for (block, answer) in blocks.iter().zip(answers(kind, &blocks)) {
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

fn own_files() -> Vec<PathBuf> {
    files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/raft_suite/scripts"))
}

/// Our own scripts, in the same format. `RAFT_SUITE_REWRITE=1` writes what is answered now; read the difference.
#[test]
fn every_script_of_our_own_agrees() {
    let files = own_files();
    assert!(files.len() >= 8, "{files:?}");
    for file in files {
        if std::env::var_os("RAFT_SUITE_REWRITE").is_some() {
            let text = fs::read_to_string(&file).unwrap();
            let answers = answers(kind_of(&file, &text), &reader::blocks(&text));
            fs::write(&file, reader::rewritten(&text, &answers)).unwrap();
        }
        let failures = run_file(&file);
        assert!(failures.is_empty(), "{}\n{}", file.display(), failures.join("\n"));
    }
}

/// Every directive and option of the format, as `directive` or `directive option` or `directive option=value`.
const DIRECTIVES: &[&str] = &[
    "committed",
    "committed cfg",
    "committed cfgj",
    "committed idx",
    "vote",
    "vote cfg",
    "vote cfgj=zero",
    "vote votes",
    "simple",
    "enter-joint",
    "enter-joint autoleave=true",
    "leave-joint",
    "_breakpoint",
    "add-nodes",
    "add-nodes voters",
    "add-nodes learners",
    "add-nodes index",
    "add-nodes content",
    "add-nodes inflight",
    "add-nodes prevote=true",
    "add-nodes checkquorum=true",
    "add-nodes async-storage-writes=true",
    "add-nodes read-only=lease-based",
    "add-nodes read-only=safe",
    "add-nodes step-down-on-removal=true",
    "add-nodes max-committed-size-per-ready",
    "add-nodes disable-conf-change-validation=true",
    "campaign",
    "propose",
    "propose-conf-change",
    "propose-conf-change v1=true",
    "propose-conf-change transition=auto",
    "propose-conf-change transition=implicit",
    "propose-conf-change transition=explicit",
    "tick-election",
    "tick-heartbeat",
    "set-randomized-election-timeout timeout",
    "process-ready",
    "process-append-thread",
    "process-apply-thread",
    "deliver-msgs",
    "deliver-msgs drop",
    "deliver-msgs type",
    "stabilize",
    "stabilize log-level=none",
    "compact",
    "send-snapshot",
    "report-unreachable",
    "transfer-leadership from",
    "transfer-leadership to",
    "forget-leader",
    "raft-log",
    "raft-state",
    "status",
    "log-level",
];

#[test]
fn scripts_of_our_own_use_every_directive_and_option() {
    let mut used = std::collections::BTreeSet::new();
    for file in own_files() {
        for block in reader::blocks(&fs::read_to_string(file).unwrap()) {
            used.insert(block.command.clone());
            for argument in &block.arguments {
                let option = format!("{} {}", block.command, argument.key);
                for value in &argument.values {
                    used.insert(format!("{option}={value}"));
                }
                used.insert(option);
            }
        }
    }
    let unused: Vec<&&str> = DIRECTIVES.iter().filter(|known| !used.contains(**known)).collect();
    assert!(unused.is_empty(), "no script uses {unused:?}");
}

#[test]
fn the_reader_takes_continued_lines_groups_and_blank_lines_in_doubled_blocks() {
    let text = "# head\n\nsubtest one\n\nrun a=(1, 2) \\\n  b=c word\ninput\n----\n----\nx\n\ny\n----\n----\n\n\
                subtest end\nlast\n----\n";
    let blocks = reader::blocks(text);
    assert_eq!(blocks.len(), 2);
    assert_eq!(blocks[0].head(), "run a=(1,2) b=(c) word");
    assert_eq!((blocks[0].input.as_str(), blocks[0].expected.as_str()), ("input\n", "x\n\ny\n"));
    assert_eq!((blocks[1].command.as_str(), blocks[1].expected.as_str()), ("last", ""));
}
