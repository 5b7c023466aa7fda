//! The house rules that no compiler holds: who may import whom, module heads, lengths, banned words.
//!
//! The import table of `src/architecture.md` is held against every path, not only against `use` lines.
//! The last part of this file tests the checker itself: each rule must catch a violation.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code: it panics to fail"
)]

use std::fs;
use std::path::{Path, PathBuf};

#[path = "tidy/rules.rs"]
mod rules;
#[path = "tidy/tokens.rs"]
mod tokens;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files under a folder whose names end in one of `ends`, with their paths relative to it.
fn files(folder: &Path, ends: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(&next).expect("a folder of the project can be read") {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                waiting.push(path);
            } else if ends.iter().any(|end| path.to_string_lossy().ends_with(end)) {
                let name =
                    path.strip_prefix(folder).expect("it is inside").to_string_lossy().into_owned();
                found.push((name, fs::read_to_string(&path).expect("sources are UTF-8")));
            }
        }
    }
    found.sort();
    found
}

fn assert_clean(violations: &[String]) {
    assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), violations.join("\n"));
}

#[test]
fn the_sources_keep_the_house_rules() {
    let sources = files(&root().join("src"), &[".rs"]);
    assert!(sources.len() > 10, "the sources were found");
    let found: Vec<String> =
        sources.iter().flat_map(|(path, text)| rules::violations(path, text)).collect();
    assert_clean(&found);
}

#[test]
fn nothing_is_marked_as_unfinished() {
    let mut found = Vec::new();
    for folder in ["src", "tests", "benches", "www", "xtask/src"] {
        for (path, text) in files(&root().join(folder), &[".rs", ".mjs", ".js", ".css", ".md"]) {
            found.extend(rules::unfinished(&format!("{folder}/{path}"), &text));
        }
    }
    assert_clean(&found);
}

#[test]
fn the_scripts_of_the_page_never_make_markup_or_programs_from_text() {
    let scripts = files(&root().join("www"), &[".mjs", ".js"]);
    assert!(!scripts.is_empty(), "the scripts were found");
    let found: Vec<String> =
        scripts.iter().flat_map(|(path, text)| rules::script(path, text)).collect();
    assert_clean(&found);
}

/// The violations in a source with a proper head.
fn caught(path: &str, source: &str) -> Vec<String> {
    rules::violations(path, &format!("//! Head.\n{source}"))
}

#[track_caller]
fn assert_caught(path: &str, source: &str, word: &str) {
    let found = caught(path, source);
    assert!(
        found.iter().any(|what| what.contains(word)),
        "{path}: {source}\nnot caught; found {found:?}"
    );
}

#[test]
fn checker_catches_a_forbidden_import_in_every_form() {
    for source in [
        "use crate::mvcc::Revision;",
        "use crate::{types::Term, mvcc};",
        "use crate::{types::{Term, Index}, mvcc::{Revision}};",
        "fn f() { let x = crate::mvcc::store(); }",
        "use super::mvcc;",
        "use etcd_playground::mvcc;",
        "mod tests { use super::super::mvcc; }",
        "macro_rules! m { () => { $crate::mvcc::x() } }",
        "pub(in crate::mvcc) fn f() {}",
    ] {
        assert_caught("raft/mod.rs", source, "may not import `mvcc");
    }
    assert_caught(
        "raft/log/mod.rs",
        "use super::super::etcdserver::Input;",
        "may not import `etcdserver",
    );
    assert_caught("raft/log.rs", "use crate::*;", "may not import `*`");
    assert_caught("raft/log.rs", "use crate as everything;", "renamed");
    assert_caught("ui/app.rs", "use crate::browser::storage;", "may not import `browser");
    assert_caught(
        "scenario/mod.rs",
        "use crate::cluster::{fault::Fault, network::Net};",
        "`cluster::network`",
    );
}

#[test]
fn checker_lets_allowed_imports_pass() {
    for (path, source) in [
        ("raft/mod.rs", "use crate::types::Term; mod tests { use super::*; }"),
        ("raft/log.rs", "use super::message::Message; pub(crate) fn f() {}"),
        ("raft/log.rs", "/// See `crate::mvcc`.\nconst A: &str = \"crate::mvcc\"; // crate::mvcc"),
        ("scenario/mod.rs", "use crate::{cluster::fault::{self, Fault as F}, etcdctl};"),
        ("browser/mod.rs", "use crate::{raft, playground as p};"),
        ("bin/app.rs", "use etcd_playground::ui;"),
    ] {
        assert_eq!(caught(path, source), Vec::<String>::new(), "{path}: {source}");
    }
}

#[test]
fn checker_catches_an_unknown_module() {
    assert_caught("helpers.rs", "", "import table");
}

#[test]
fn checker_catches_impure_words() {
    for (source, word) in [
        ("use std::collections::HashMap;", "HashMap"),
        ("use std::{fmt, time::Duration};", "std::time"),
        ("fn f() { std::thread::spawn(g); }", "std::thread"),
        ("async fn f() {}", "async"),
        ("struct A { n: usize }", "usize"),
        ("enum A { B(usize), C }", "usize"),
        ("struct A(pub usize);", "usize"),
        ("fn f() -> f64 { 0.0 }", "f64"),
    ] {
        assert_caught("raft/log.rs", source, word);
    }
    let locals = "struct A(u8);\nfn f() { let n: usize = 1; }\n#[cfg(test)]\nmod tests { use std::time::Instant; }";
    assert_eq!(caught("raft/log.rs", locals), Vec::<String>::new());
}

#[test]
fn checker_catches_text_that_becomes_markup_or_program() {
    assert_caught("ui/app.rs", "fn f() { view! { <p inner_html=x/> } }", "inner_html");
    assert_caught("ui/app.rs", "fn f() { e.insert_adjacent_html(a, b); }", "insert_adjacent_html");
    assert_caught("browser/mod.rs", "fn f() { js_sys::eval(\"1\"); }", "eval");
    assert_caught("browser/mod.rs", "fn f() { js_sys::Function::new_no_args(\"1\"); }", "Function");
    assert_eq!(rules::script("a.mjs", "e.innerHTML = x; new Function(y)").len(), 2);
}

#[test]
fn checker_catches_a_missing_head_and_lengths() {
    assert_eq!(rules::violations("types.rs", "pub struct A;\n").len(), 1);
    assert_caught("bin/app.rs", &"fn f() {}\n".repeat(60), "61 lines");
    assert_caught("types.rs", &"fn f() {}\n".repeat(800), "801 lines");
    let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "fn f() {}\n".repeat(900));
    assert_eq!(caught("types.rs", &tests), Vec::<String>::new());
}

#[test]
fn checker_catches_questions_about_the_target() {
    assert_caught("raft/log.rs", "#[cfg(target_arch = \"wasm32\")] fn f() {}", "target_arch");
    assert_eq!(
        caught("bin/app.rs", "#[cfg(target_arch = \"wasm32\")] fn f() {}"),
        Vec::<String>::new()
    );
}

#[test]
fn checker_catches_marks_of_unfinished_work() {
    let text = format!("fine\n// {}{}: later\n", "TO", "DO");
    assert_eq!(rules::unfinished("a.rs", &text).len(), 1);
    assert_eq!(rules::unfinished("a.rs", "mastodon"), Vec::<String>::new());
}

#[test]
fn lexer_skips_what_is_not_code() {
    let source =
        "a /* b /* c */ */ \"d \\\" e\" r#\"f\"g\"# 'h' '\\'' b'i' b\"j\" &'k l // m\nn::o";
    let words: Vec<String> = tokens::tokens(source).into_iter().map(|token| token.text).collect();
    assert_eq!(words, ["a", "&", "k", "l", "n", "::", "o"]);
    assert_eq!(tokens::tokens("\"x\ny\"\nz")[0].line, 3);
}
