//! Every lesson and every entry of the catalogue of errors gives the same hashes natively and in WebAssembly.
//!
//! What it is: `tests/data/catalogue.txt` has a line for each file below `www/lessons/` and `www/errors/`, and for each lesson
//! one more without its solutions: what the run came to, and the hashes of its outcome and its trace. Both builds are held
//! against it; natively `UPDATE_GOLDEN=1` writes it and the list of files anew, which a change of the engine, of a lesson or
//! of an entry makes necessary.
//! What it is not: a judgement of a lesson (see `lessons` and `errors`); but in the browser, too, all claims hold with the
//! solutions, and not without.
//! In WebAssembly it runs in a dedicated worker, by `cargo xtask test wasm`, without a server for files.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "test code: it panics to fail"
)]

#[path = "support/catalogue.rs"]
mod files;
#[cfg(not(target_arch = "wasm32"))]
#[path = "support/golden.rs"]
mod golden;

use std::fmt::Write as _;

use etcd_playground::lab::Lab;
use etcd_playground::scenario::{Report, Script};

use files::FILES;

const GOLDEN: &str = include_str!("data/catalogue.txt");

/// What a run came to, and its hashes.
fn told(report: &Report) -> String {
    let (met, unmet) = report.tally();
    format!(
        "{:016x} {:016x} {} steps, {met} met, {unmet} unmet, {} ms",
        report.outcome,
        report.trace,
        report.steps.len(),
        report.ended.0
    )
}

/// The lines of a file.
fn lines(name: &str, text: &str) -> String {
    let script = Script::parse(text).unwrap_or_else(|why| panic!("{name}: {why}"));
    let whole = Lab::new(script.clone()).play_all();
    let mut found = format!("{name} {}\n", told(&whole));
    assert_eq!(whole.tally().1, 0, "{name}: a claim does not hold");
    if name.starts_with("lessons/") {
        let without = Lab::new(script).without_solutions().play_all();
        assert!(without.tally().1 > 0, "{name}: its goals are met by doing nothing");
        writeln!(found, "{name} without: {}", told(&without)).unwrap();
    }
    found
}

/// The lines of the files at these places that are not what the golden file says.
fn different(places: impl Iterator<Item = usize>) -> String {
    let mut found = String::new();
    for (name, text) in places.filter_map(|at| FILES.get(at)) {
        let ours = lines(name, text);
        for line in ours.lines().filter(|line| !GOLDEN.lines().any(|golden| golden == *line)) {
            let words = line.rfind(" steps").map_or(line, |_| name);
            let golden = GOLDEN.lines().filter(|golden| golden.starts_with(words));
            let golden: Vec<&str> = golden.collect();
            writeln!(found, "here {line}\nfile {}", golden.join("\n     ")).unwrap();
        }
    }
    found
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::fs;
    use std::path::Path;

    use super::{FILES, GOLDEN, different, golden, lines};

    /// The names of all scenarios, in order, and the list of them as a source file.
    fn listed() -> (Vec<String>, String) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("www");
        let mut names = Vec::new();
        for folder in ["errors", "lessons"] {
            for file in fs::read_dir(root.join(folder)).unwrap() {
                let name = file.unwrap().file_name().into_string().unwrap();
                if name.ends_with(".txt") && name != "notes.txt" {
                    names.push(format!("{folder}/{name}"));
                }
            }
        }
        names.sort_unstable();
        let mut source = "//! Every scenario below `www/`, as a test that has no files needs them.\n//!\n\
             //! Invariants: written by `UPDATE_GOLDEN=1 cargo test --test catalogue`, not by hand.\n\n\
             /// Name and text.\n#[rustfmt::skip]\npub(crate) const FILES: &[(&str, &str)] = &[\n"
            .to_owned();
        for name in &names {
            source.push_str(&format!("    (\"{name}\", include_str!(\"../../www/{name}\")),\n"));
        }
        source.push_str("];\n");
        (names, source)
    }

    #[test]
    fn every_scenario_has_its_recorded_hashes() {
        let (names, source) = listed();
        if golden::is_writing() {
            let www = Path::new(env!("CARGO_MANIFEST_DIR")).join("www");
            let text = |name: &String| fs::read_to_string(www.join(name)).unwrap();
            let found: String = names.iter().map(|name| lines(name, &text(name))).collect();
            golden::write("support/catalogue.rs", &source);
            golden::write("data/catalogue.txt", &found);
            return;
        }
        let known: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        assert_eq!(known, names, "UPDATE_GOLDEN=1 writes the list anew");
        let lessons = names.iter().filter(|name| name.starts_with("lessons/")).count();
        assert_eq!(GOLDEN.lines().count(), names.len() + lessons);
        golden::assert_none(|first| different((first..FILES.len()).step_by(2)));
    }
}

#[cfg(target_arch = "wasm32")]
mod wasm {
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

    use super::{FILES, different};

    wasm_bindgen_test_configure!(run_in_dedicated_worker);

    /// Several tests, so that a slow machine shows how far it is.
    fn check(part: usize) {
        let found = different((part..FILES.len()).step_by(4));
        assert!(found.is_empty(), "{found}");
    }

    #[wasm_bindgen_test]
    fn the_first_quarter_of_all_scenarios_gives_the_native_hashes() {
        check(0);
    }

    #[wasm_bindgen_test]
    fn the_second_quarter_gives_them() {
        check(1);
    }

    #[wasm_bindgen_test]
    fn the_third_quarter_gives_them() {
        check(2);
    }

    #[wasm_bindgen_test]
    fn the_last_quarter_gives_them() {
        check(3);
    }
}
