//! A scenario exported as a shell script expects what the real etcdctl answered, where the recorded answers say so.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is meant to panic"
)]

#[path = "support/scripts.rs"]
mod scripts;

use std::io::Write as _;
use std::process::{Command, Stdio};

use etcd_playground::etcdctl::lexer;
use etcd_playground::lab::{Lab, export};
use etcd_playground::scenario::{Action, Script};
use serde_json::Value;

use scripts::{ScriptFile, has_chinese, scripts};

/// The steps of a recorded case as a scenario, and what each printed; `None` if it has something a plain line lacks.
fn as_scenario(case: &Value) -> Option<(String, Vec<(i64, String)>)> {
    let members = case["cluster"]["members"].as_u64().filter(|members| *members > 0)?;
    if case["cluster"].get("flags").is_some() {
        return None;
    }
    let mut text = format!("cluster: members={members}\n");
    let mut answers = Vec::new();
    for step in case["steps"].as_array()? {
        let known = ["line", "argv", "expect"];
        let is_plain = step.as_object()?.keys().all(|key| known.contains(&key.as_str()));
        let expect = &step["expect"];
        let stdout = expect.get("stdout")?.as_str()?;
        // Ids, times and sizes stand in angle brackets; help pages are in other words.
        let is_fixed = !stdout.contains('<') && expect.get("stdout_is_help_page").is_none();
        if !is_plain || !is_fixed {
            return None;
        }
        let words: Vec<String> = step["argv"]
            .as_array()?
            .iter()
            .map(|word| {
                let mut word = word.as_str().unwrap().to_owned();
                for (name, id) in case["ids"].as_object().into_iter().flatten() {
                    word = word.replace(&format!("<{name}>"), id.as_str().unwrap_or_default());
                }
                word
            })
            .collect();
        if words.iter().any(|word| word.contains('<')) {
            return None;
        }
        let words: Vec<String> = words.iter().map(|word| lexer::quote(word)).collect();
        text.push_str(&words.join(" "));
        text.push('\n');
        answers.push((expect["exit"].as_i64()?, stdout.to_owned()));
    }
    Some((text, answers))
}

#[test]
fn exported_scripts_expect_what_etcdctl_was_seen_to_print() {
    let mut checked = 0;
    let mut missing = Vec::new();
    for group in [
        include_str!("corpus/alarm.json"),
        include_str!("corpus/auth.json"),
        include_str!("corpus/compaction.json"),
        include_str!("corpus/defrag.json"),
        include_str!("corpus/del.json"),
        include_str!("corpus/downgrade.json"),
        include_str!("corpus/endpoint.json"),
        include_str!("corpus/get.json"),
        include_str!("corpus/lease.json"),
        include_str!("corpus/limits.json"),
        include_str!("corpus/member.json"),
        include_str!("corpus/move-leader.json"),
        include_str!("corpus/mvcc.json"),
        include_str!("corpus/put.json"),
        include_str!("corpus/role.json"),
        include_str!("corpus/snapshot.json"),
        include_str!("corpus/txn.json"),
        include_str!("corpus/user.json"),
    ] {
        let group: Value = serde_json::from_str(group).unwrap();
        for case in group["cases"].as_array().unwrap() {
            let Some((text, answers)) = as_scenario(case) else { continue };
            let Ok(script) = Script::parse(&text) else { continue };
            if script.steps.len() != answers.len() {
                continue;
            }
            let report = Lab::new(script.clone()).play_all();
            let shell = export(&script, &report);
            let mut rest = shell.as_str();
            for (status, stdout) in answers {
                let line_end = if stdout.is_empty() || stdout.ends_with('\n') { "" } else { "\n" };
                let wanted = format!("\ncompare {status} <<'END'\n{stdout}{line_end}END\n");
                let id = &case["id"];
                let Some(at) = rest.find(&wanted) else {
                    missing.push(format!("{id}: {wanted}"));
                    break;
                };
                rest = &rest[at + wanted.len() - 1..];
                checked += 1;
            }
        }
    }
    println!("{checked} answers");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(checked > 250, "{checked} answers");
}

/// Every lesson and every entry of the catalogue of errors: a shell reads it, and no step is lost without a word.
#[test]
fn every_lesson_and_every_error_is_exported_in_good_form() {
    for folder in ["lessons", "errors"] {
        for ScriptFile { name, text, script } in scripts(folder) {
            let report = Lab::new(script.clone()).play_all();
            let shell = export(&script, &report);
            let waited = script
                .steps
                .iter()
                .filter(|step| matches!(&step.action, Action::Command { waits: true, .. }));
            let compared = shell.lines().filter(|line| line.starts_with("compare ")).count();
            assert_eq!(compared, waited.count(), "{name}");
            for line in shell.lines().filter(|line| line.starts_with("cannot ")) {
                assert!(
                    line.split('\'').nth(3).is_some_and(|hint| hint.len() > 10),
                    "{name}: {line}"
                );
            }
            // Whoever reads the script's own language gets each sentence once.
            assert!(!has_chinese(&shell), "{name}");
            println!("{name}: {} bytes become {}", text.len(), shell.len());
            read_by_a_shell(&name, &shell);
        }
    }
}

/// Has a shell read a script without running it, where there is a shell.
fn read_by_a_shell(name: &str, script: &str) {
    let shell = Command::new("bash").arg("-n").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut shell) = shell else { return };
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let read = shell.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&read.stderr);
    assert!(read.status.success() && said.is_empty(), "{name}: {said}");
}
