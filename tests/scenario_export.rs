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
                let shape = wanted.replacen("compare", "compare_shape", 1);
                let Some(at) = rest.find(&wanted).or_else(|| rest.find(&shape)) else {
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
            let is_compared =
                |line: &&str| line.starts_with("compare ") || line.starts_with("compare_shape ");
            let compared = shell.lines().filter(is_compared).count();
            // What the lab's console refuses comes into no script.
            let refused = shell.lines().filter(|line| line.starts_with("cannot '")).count();
            let waited = waited.count();
            assert!(compared <= waited && compared + refused >= waited, "{name}: {compared}");
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

/// What stands for etcd's programs where there are none: they keep keys in files, and refuse what etcdctl refuses.
const PROGRAMS: [(&str, &str); 3] = [
    ("etcd", "exec sleep 60"),
    ("etcdutl", ""),
    (
        "etcdctl",
        r#"
for word in "$@"; do
  case $word in
    --endpoints | --endpoints=*)
      [ -z "${ETCDCTL_ENDPOINTS-}" ] || { echo 'conflicting environment variable "ETCDCTL_ENDPOINTS"' >&2; exit 1; } ;;
  esac
done
store=${0%/*}/store
case "$*" in
  *"endpoint status -w fields") printf '"MemberID" : 7\n"RaftTerm" : 2\n"Leader" : 7\n"Revision" : 3\n' ;;
  *"endpoint status") ;;
  "lease grant "*) echo 'lease 32695410dcc0ca06 granted with TTL(20s)' ;;
  "put b 1 --lease="*) [ "$4" = --lease=32695410dcc0ca06 ] && echo OK ;;
  "put a "*) printf '%s' "$3" > "$store"; echo OK ;;
  "put a") cat > "$store"; echo OK ;;
  "get a"*) echo a; cat "$store"; echo ;;
  "watch a") until grep -q two "$store"; do sleep 0.1; done; printf 'PUT\na\ntwo\n'; sleep 60 ;;
  "txn -i") cat > /dev/null; printf 'SUCCESS\n\nOK\n' ;;
  *) printf 'what is %s?\n' "$*" >&2; exit 5 ;;
esac"#,
    ),
];

/// The script's own work is done by a real shell: finding the leader, killing it, variables, what runs beside, typing.
#[test]
fn a_script_does_its_steps_where_etcdctl_refuses_a_flag_beside_its_variable() {
    if Command::new("bash").arg("--version").output().is_err() {
        println!("skipped: there is no bash");
        return;
    }
    let script = Script::parse(
        "title: T\nput a '$(exit 9)'\nget a\necho v | put a\nget a --endpoints=$LEADER\nlease grant 20\n\
         put b 1 --lease=$LEASE\nkill leader\nwait for leader changed\nexpect leader changed\nget a\n\
         @2 watch a\nput a two\nexpect @2 output contains two\nrestart killed\nrestart killed\n",
    )
    .unwrap();
    let report = Lab::new(script.clone()).play_all();
    let place = std::env::temp_dir().join(format!("etcd-export-{}", std::process::id()));
    std::fs::create_dir_all(&place).unwrap();
    for (name, body) in PROGRAMS {
        let file = place.join(name);
        std::fs::write(&file, format!("#!/usr/bin/env bash\n{body}\n")).unwrap();
        assert!(Command::new("chmod").arg("+x").arg(&file).status().unwrap().success());
    }
    let file = place.join("run.sh");
    std::fs::write(&file, export(&script, &report)).unwrap();
    let path = format!("{}:{}", place.display(), std::env::var("PATH").unwrap());
    let ran = Command::new("bash").arg(&file).env("PATH", path).env("TMPDIR", &place).output();
    let ran = ran.unwrap();
    let said = format!(
        "{}\n{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
    std::fs::remove_dir_all(&place).unwrap();
    // Nobody is down at the second restart, which is told, and ends nothing.
    assert!(said.contains("DIFFERS: there is no killed"), "{said}");
    assert!(said.contains("\n1 difference(s), 0 step(s) not possible here"), "{said}");
    assert_eq!(ran.status.code(), Some(1), "{said}");
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
