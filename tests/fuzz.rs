//! The fuzzed functions in every test run: on all seeds, on mutations of them, and on random bytes.
//!
//! `fuzz/` runs them for long, with feedback; this holds that what it found stays found.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a failed test is meant to panic"
)]

#[path = "../fuzz/bodies/mod.rs"]
mod bodies;
#[path = "../fuzz/bodies/seeds.rs"]
mod seeds;

use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Seeds of a target.
fn seeds_of(target: &str) -> Vec<Vec<u8>> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(format!("{target}.txt"));
    let Ok(text) = std::fs::read_to_string(path) else { return Vec::new() };
    text.lines().map(seeds::unescaped).collect()
}

/// Runs a target on its seeds, on `cases` mutations of them, and on as many random inputs.
fn feed(target: &str, cases: u32, body: fn(&[u8])) {
    let seeds = seeds_of(target);
    for seed in &seeds {
        body(seed);
    }
    let mut runner = TestRunner::new(ProptestConfig { cases, ..ProptestConfig::default() });
    let random = prop::collection::vec(any::<u8>(), 0..120);
    runner
        .run(&random, |data| {
            body(&data);
            Ok(())
        })
        .unwrap();
    if !seeds.is_empty() {
        feed_mutations(seeds, cases, body);
    }
}

/// Runs a target on mutations of texts: bytes put in, changed and cut away, and pieces of the others between them.
fn feed_mutations(seeds: Vec<Vec<u8>>, cases: u32, body: fn(&[u8])) {
    let mut runner = TestRunner::new(ProptestConfig { cases, ..ProptestConfig::default() });
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 1..6);
    let mutated = (prop::sample::select(seeds.clone()), prop::sample::select(seeds), edits);
    runner
        .run(&mutated, |(mut data, other, edits)| {
            for (at, action, byte) in edits {
                let at = at.index(data.len() + 1);
                match action {
                    0 => data.insert(at, byte),
                    1 => data.truncate(at),
                    2 if at < data.len() => data[at] = byte,
                    _ => {
                        let end = other.len().min(usize::from(byte));
                        data.splice(at..at, other[..end].iter().copied());
                    }
                }
            }
            body(&data);
            Ok(())
        })
        .unwrap();
}

#[test]
fn any_text_is_read_as_console_lines() {
    feed("console_line", 400, bodies::console_line);
}

#[test]
fn any_lines_are_taken_as_a_transaction() {
    feed("txn_form", 400, bodies::txn_form);
}

#[test]
fn any_lines_are_taken_as_watches() {
    feed("watch_form", 400, bodies::watch_form);
}

#[test]
fn any_text_is_read_as_a_link_or_script() {
    feed("scenario_link", 300, bodies::scenario_link);
}

#[test]
fn any_line_of_the_page_is_what_a_script_reads() {
    feed("typed_line", 500, bodies::typed_line);
}

#[test]
fn any_small_script_plays_to_its_end_twice_in_the_same_way() {
    feed("scenario_play", 150, bodies::scenario_play);
}

/// Lessons and entries with some bytes changed: read or refused, and what is read comes back out of its link.
#[test]
fn any_edit_of_a_lesson_or_an_error_is_read_or_refused() {
    let texts: Vec<Vec<u8>> = ["lessons", "errors"]
        .iter()
        .flat_map(|folder| {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("www").join(folder);
            std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path())
        })
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .map(|path| std::fs::read(path).unwrap())
        .collect();
    feed_mutations(texts, 150, bodies::scenario_link);
}

#[test]
fn any_bytes_are_read_as_messages() {
    feed("wire_message", 500, bodies::wire_message);
}

#[test]
fn any_edit_of_a_disk_is_noticed_or_harmless() {
    feed("stored_record", 300, bodies::stored_record);
}

#[test]
fn any_edit_of_a_snapshot_is_noticed_or_harmless() {
    feed("snapshot_file", 300, bodies::snapshot_file);
}
