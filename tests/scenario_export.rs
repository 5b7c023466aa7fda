//! A scenario exported as a shell script expects what the real etcdctl answered, where the recorded answers say so.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test is meant to panic")]

use etcd_playground::etcdctl::lexer;
use etcd_playground::lab::{Lab, export};
use etcd_playground::scenario::Script;
use serde_json::Value;

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
            .map(|word| lexer::quote(word.as_str().unwrap()))
            .collect();
        text.push_str(&words.join(" "));
        text.push('\n');
        answers.push((expect["exit"].as_i64()?, stdout.to_owned()));
    }
    Some((text, answers))
}

#[test]
fn exported_scripts_expect_what_etcdctl_was_seen_to_print() {
    let mut checked = 0;
    for group in [
        include_str!("corpus/put.json"),
        include_str!("corpus/get.json"),
        include_str!("corpus/del.json"),
        include_str!("corpus/compaction.json"),
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
                assert!(rest.contains(&wanted), "{id}: {wanted}\nnot in\n{rest}");
                let at = rest.find(&wanted).unwrap();
                rest = &rest[at + wanted.len() - 1..];
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked} answers");
}
