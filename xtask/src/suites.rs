//! `www/suites.json`: how many tests of each suite passed, as the page shows it.
//!
//! What it is: the file that a run is held against, and that `UPDATE_SUITES=1` renews.
//! What it is not: a record of runs; how long fresh seeds were played is not in it.
//! Invariants: a suite that did not run wholly is neither checked nor changed.

use std::fmt::Write as _;
use std::fs;

use crate::place;
use crate::run::io_problem;
use crate::tell::Problem;

/// Where the counts lie.
const FILE: &str = "www/suites.json";
/// Set to 1, the file is written instead of checked.
const UPDATE: &str = "UPDATE_SUITES";

/// The counts of one suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub suite: String,
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
}

/// Holds the file against what ran.
///
/// # Errors
/// When the file cannot be read or written, or says something else.
pub fn check(ran: &[Row]) -> Result<(), Problem> {
    let path = place::root().join(FILE);
    let text = fs::read_to_string(&path).map_err(|e| io_problem("read", &path, &e))?;
    let told = read(&text).ok_or_else(|| {
        Problem::with_remedy(format!("{FILE} cannot be read"), format!("run with {UPDATE}=1"))
    })?;
    if std::env::var(UPDATE).is_ok_and(|value| value == "1") {
        let renewed = write(&renewed(&told, ran));
        return fs::write(&path, renewed).map_err(|e| io_problem("write", &path, &e));
    }
    let differences = differences(&told, ran);
    if differences.is_empty() {
        return Ok(());
    }
    Err(Problem::with_remedy(
        format!("{FILE} is not what this run counted:\n  {}", differences.join("\n  ")),
        format!(
            "if the tests are as they should be, run `{UPDATE}=1 cargo xtask test` and keep the file"
        ),
    ))
}

/// What the output of `cargo test` counts for each of its programs; `None` if they cannot be told apart.
pub fn rows_of(text: &str) -> Option<Vec<Row>> {
    let mut names = Vec::new();
    let mut counts = Vec::new();
    for line in text.lines().map(str::trim_start) {
        if let Some(rest) = line.strip_prefix("Running ") {
            names.push(name_of(rest));
        } else if line.starts_with("Doc-tests ") {
            names.push("examples in the documentation".to_owned());
        } else if line.starts_with("test result:") {
            counts.push((number(line, " passed"), number(line, " failed")));
        }
    }
    if names.len() != counts.len() {
        return None;
    }
    let row = |(suite, (passed, failed))| Row { suite, passed, failed };
    let rows = names.into_iter().zip(counts).map(row);
    Some(rows.filter(|row| row.passed + row.failed > 0).collect())
}

/// `unittests src/lib.rs (…)` is the library, `tests/server/main.rs (…)` is `server`.
fn name_of(running: &str) -> String {
    let source = running.split(" (").next().unwrap_or(running);
    match source.strip_prefix("unittests ") {
        Some("src/lib.rs") => return "inside the library".to_owned(),
        Some("src/main.rs") => return "inside the build tool".to_owned(),
        _ => {}
    }
    let name = source.trim_start_matches("tests/").trim_end_matches(".rs");
    name.trim_end_matches("/main").to_owned()
}

fn number(line: &str, word: &str) -> u64 {
    let before = line.split_once(word).map(|(before, _)| before);
    before.and_then(|before| before.rsplit(' ').next()?.parse().ok()).unwrap_or(0)
}

fn differences(told: &[Row], ran: &[Row]) -> Vec<String> {
    let mut found = Vec::new();
    for row in ran {
        let Row { suite, passed, failed } = row;
        match told.iter().find(|told| told.suite == *suite) {
            Some(told) if told == row => {}
            Some(told) => found.push(format!(
                "{suite}: it says {} passed and {} failed, and {passed} passed and {failed} failed",
                told.passed, told.failed
            )),
            None => found.push(format!("{suite}: it is not there, and {passed} passed")),
        }
    }
    found
}

/// The rows of suites that ran are new, the others stay.
fn renewed(told: &[Row], ran: &[Row]) -> Vec<Row> {
    let mut rows = told.to_vec();
    for row in ran {
        match rows.iter_mut().find(|told| told.suite == row.suite) {
            Some(told) => told.clone_from(row),
            None => rows.push(row.clone()),
        }
    }
    rows
}

fn write(rows: &[Row]) -> String {
    let mut text = String::from("[\n");
    for (at, Row { suite, passed, failed }) in rows.iter().enumerate() {
        let comma = if at + 1 == rows.len() { "" } else { "," };
        let of = passed + failed;
        let _ = writeln!(
            text,
            "  {{ \"suite\": \"{suite}\", \"passed\": {passed}, \"failed\": {failed}, \"of\": {of} }}{comma}"
        );
    }
    text.push_str("]\n");
    text
}

/// Reads what [`write()`] wrote, a row a line; `None` for anything else.
fn read(text: &str) -> Option<Vec<Row>> {
    let mut rows = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| line.starts_with('{')) {
        let field = |name: &str| {
            let (_, rest) = line.split_once(&format!("\"{name}\": "))?;
            Some(rest.trim_start_matches('"').split(['"', ',', ' ']).next()?.to_owned())
        };
        let (_, rest) = line.split_once("\"suite\": \"")?;
        rows.push(Row {
            suite: rest.split('"').next()?.to_owned(),
            passed: field("passed")?.parse().ok()?,
            failed: field("failed")?.parse().ok()?,
        });
    }
    (write(&rows) == text).then_some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(suite: &str, passed: u64, failed: u64) -> Row {
        Row { suite: suite.to_owned(), passed, failed }
    }

    #[test]
    fn counts_are_told_by_program_whatever_stream_they_come_on() {
        let text = "test result: ok. 3 passed; 0 failed; 0 ignored\n\
                    test result: ok. 0 passed; 0 failed; 30 ignored\n\
                    test result: FAILED. 2 passed; 1 failed; 0 ignored\n     \
                    Running unittests src/lib.rs (target/release/deps/x-1)\n     \
                    Running tests/e2e/main.rs (target/release/deps/e2e-1)\n     \
                    Running tests/server/main.rs (target/release/deps/server-1)\n";
        let rows = [row("inside the library", 3, 0), row("server", 2, 1)];
        assert_eq!(rows_of(text).as_deref(), Some(&rows[..]));
        assert_eq!(rows_of("test result: ok. 3 passed; 0 failed"), None);
    }

    #[test]
    fn the_file_is_read_as_it_was_written_and_nothing_else_is() {
        let rows = [row("one suite", 12, 0), row("two", 3, 1)];
        let text = write(&rows);
        assert_eq!(read(&text).as_deref(), Some(&rows[..]));
        assert_eq!(read(&text.replace("\"of\": 12", "\"of\": 13")), None);
        assert_eq!(read("[\n]\n"), Some(Vec::new()));
    }

    #[test]
    fn a_run_that_counts_otherwise_is_told_and_can_be_taken_over() {
        let told = [row("one", 1, 0), row("two", 2, 0)];
        let ran = [row("two", 3, 0), row("three", 1, 0)];
        assert_eq!(differences(&told, &told), Vec::<String>::new());
        assert_eq!(differences(&told, &ran).len(), 2);
        let renewed = renewed(&told, &ran);
        assert_eq!(renewed, [row("one", 1, 0), row("two", 3, 0), row("three", 1, 0)]);
        assert!(differences(&renewed, &ran).is_empty());
    }
}
