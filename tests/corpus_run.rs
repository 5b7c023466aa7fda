//! Plays the recorded cases of etcd 3.7.1 through the same console code as the page, on a simulated
//! cluster, and compares what is printed, byte for byte where that is determined.
//!
//! `tests/corpus/README.md` tells the format. `ETCD_CORPUS` names another directory of recordings,
//! `ETCD_CASE` one case.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a failed test is meant to panic"
)]

#[path = "corpus/deviations.rs"]
mod deviations;
#[path = "corpus/matching.rs"]
mod matching;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use bytes::Bytes;
use etcd_playground::cluster::SimulationSpec;
use etcd_playground::etcdctl::NOTICE_PREFIX;
use etcd_playground::lab::Session;
use etcd_playground::scenario::Order;
use etcd_playground::types::MemberId;
use serde_json::Value;

const GROUPS: [&str; 20] = [
    "put",
    "get",
    "del",
    "watch",
    "compaction",
    "endpoint",
    "member",
    "mvcc",
    "limits",
    "failure",
    "cli",
    "user",
    "role",
    "auth",
    "lock",
    "elect",
    "mirror",
    "check",
    "snapshot",
    "help",
];

/// Commands that are not built yet.
const LATER: [&str; 6] = ["alarm", "defrag", "downgrade", "lease", "move-leader", "txn"];

/// Subcommands of `member` that are not built yet.
const LATER_MEMBER: [&str; 4] = ["add", "remove", "update", "promote"];

/// The console that commands run in; those in the background have their own.
const FOREGROUND: u32 = 1;
/// Longest a command may run. Unit: virtual ms.
const COMMAND_MS: u64 = 30_000;
/// How long a background command is given to settle. Unit: virtual ms.
const SETTLE_MS: u64 = 700;
/// How far the time of a command may be off. Unit: ms.
const ELAPSED_SLACK_MS: u64 = 600;
/// Seeds tried until the leader is the one of the recording.
const SEEDS: u64 = 60;

enum Outcome {
    /// With the steps that differ as `deviations` says.
    Passed(Vec<usize>),
    Skipped(String),
    Failed(String),
    /// Another seed, please: the leader is not the one of the recording.
    WrongLeader,
}

struct Run<'a> {
    case: &'a Value,
    session: Session,
    members: Vec<MemberId>,
    background: BTreeMap<String, u32>,
    /// Takes away the variables of the command before.
    pending_unset: Vec<String>,
    diff: String,
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn argv(step: &Value) -> Vec<String> {
    let words = step["argv"].as_array().map(Vec::as_slice).unwrap_or_default();
    words.iter().map(|word| word.as_str().unwrap_or_default().to_owned()).collect()
}

/// Why a case cannot be played yet.
fn needs_later(case: &Value) -> Option<String> {
    let flags = case["cluster"]["flags"].as_array();
    if let Some(flag) = flags.and_then(|flags| flags.first()) {
        return Some(format!("server flag {flag}"));
    }
    if deviations::WITHOUT_LATER_STEPS.contains(&text(case, "id")) {
        return None;
    }
    case["steps"].as_array()?.iter().find_map(step_needs_later)
}

fn step_needs_later(step: &Value) -> Option<String> {
    let words = argv(step);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.first().is_some_and(|program| *program != "etcdctl") {
        return Some(format!("program {}", words[0]));
    }
    let found = words.iter().skip(1).find(|word| LATER.contains(word));
    if let Some(word) = found {
        return Some(format!("command {word}"));
    }
    if words.get(1) == Some(&"member")
        && let Some(word) = words.iter().find(|word| LATER_MEMBER.contains(word))
    {
        return Some(format!("command member {word}"));
    }
    if step["join"].as_bool() == Some(true) || step["op"] == "write_file" {
        return Some(format!("operation {}", text(step, "op")));
    }
    if step["signal"] == "SIGTERM" {
        return Some("a member that stops in an orderly way".to_owned());
    }
    None
}

impl<'a> Run<'a> {
    fn new(case: &'a Value, seed: u64) -> Self {
        let members = case["cluster"]["members"].as_u64().unwrap_or(1).max(1);
        let spec = SimulationSpec {
            members: u32::try_from(members).unwrap(),
            seed,
            ..SimulationSpec::default()
        };
        let mut session = Session::new(spec);
        session.run(COMMAND_MS, |session| session.world().leader().is_some());
        let settle = case["cluster"]["settle_s"].as_u64().unwrap_or(1);
        session.run(settle * 1000, |_| false);
        let members = session.simulation().members().iter().map(|member| member.id).collect();
        let mut run = Self {
            case,
            session,
            members,
            background: BTreeMap::new(),
            pending_unset: Vec::new(),
            diff: String::new(),
        };
        run.set_endpoints(text(case, "endpoints"));
        run
    }

    fn set_endpoints(&mut self, endpoints: &str) {
        let list = endpoints.split(',').filter(|endpoint| !endpoint.is_empty());
        let list: Vec<String> = list.map(str::to_owned).collect();
        let list = if list.is_empty() { vec!["127.0.0.1:2379".to_owned()] } else { list };
        self.session.set_endpoints(FOREGROUND, &list);
    }

    fn leader_is(&self, number: u64) -> bool {
        let wanted = usize::try_from(number - 1).ok().and_then(|at| self.members.get(at));
        self.session.world().leader().as_ref() == wanted
    }

    fn play(mut self) -> Outcome {
        if let Some(number) = self.case["cluster"]["leader"].as_u64()
            && !self.leader_is(number)
        {
            return Outcome::WrongLeader;
        }
        let steps = self.case["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
        let case_id = text(self.case, "id");
        let mut deviating = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let before = self.diff.len();
            if step["op"].is_string() {
                if !self.operate(step) {
                    return Outcome::WrongLeader;
                }
            } else if step["bg_stop"].is_string() {
                self.stop_background(step);
            } else if step["bg"].is_string() {
                self.start_background(step);
            } else if step_needs_later(step).is_none() {
                self.command(step);
            }
            if self.diff.len() > before {
                let number = at + 1;
                if deviations::DEVIATIONS
                    .iter()
                    .any(|(id, step, _)| *id == case_id && *step == number)
                {
                    self.diff.truncate(before);
                    deviating.push(number);
                    continue;
                }
                let named = if step["line"].is_string() { "line" } else { "bg_stop" };
                let heading = format!("  step {number} `{}`\n", shortened(text(step, named)));
                self.diff.insert_str(before, &heading);
            }
        }
        if self.diff.is_empty() { Outcome::Passed(deviating) } else { Outcome::Failed(self.diff) }
    }

    /// False if the leader is not the one of the recording.
    fn operate(&mut self, step: &Value) -> bool {
        let member = step["member"].as_u64().and_then(|number| usize::try_from(number).ok());
        let member = member.and_then(|number| self.members.get(number.wrapping_sub(1)).copied());
        match text(step, "op") {
            "sleep" => {
                self.session.run(step["ms"].as_u64().unwrap_or_default(), |_| false);
            }
            "kill_member" => {
                let leader = self.session.world().leader();
                if let Some(member) = member.or(leader) {
                    self.session.carry_out(Order::Kill(member));
                }
            }
            "start_member" => {
                if let Some(member) = member {
                    self.session.carry_out(Order::Restart(member));
                }
                if step["wait"].as_bool() != Some(false) {
                    self.session.run(COMMAND_MS, |session| session.world().leader().is_some());
                    self.session.run(1000, |_| false);
                }
            }
            "wait_leader" => {
                self.session.run(COMMAND_MS, |session| session.world().leader().is_some());
                self.session.run(500, |_| false);
            }
            "ensure_leader" => return self.leader_is(step["member"].as_u64().unwrap_or(1)),
            "bg_stdin" => {
                if let Some(console) = self.background.get(text(step, "bg")) {
                    let typed = text(step, "text").to_owned();
                    self.session.feed(*console, Bytes::from(typed));
                }
                self.session.run(step["settle_ms"].as_u64().unwrap_or(SETTLE_MS), |_| false);
            }
            other => panic!("unknown operation {other}"),
        }
        true
    }

    fn fill(&self, recorded: &str) -> String {
        let mut filled = recorded.to_owned();
        let Some(ids) = self.case["ids"].as_object() else {
            return filled;
        };
        for (name, hex) in ids {
            let hex = hex.as_str().unwrap_or_default();
            filled = filled.replace(&format!("<{name}>"), hex);
            if let Ok(number) = u64::from_str_radix(hex, 16) {
                filled = filled.replace(&format!("<{name}_DEC>"), &number.to_string());
            }
        }
        filled
    }

    fn start(&mut self, console: u32, step: &Value) {
        let words: Vec<String> = argv(step).iter().map(|word| self.fill(word)).collect();
        let stdin = if let Some(typed) = step["stdin"].as_str() {
            Some(Bytes::from(self.fill(typed)))
        } else if let Some(encoded) = step["stdin_b64"].as_str() {
            Some(Bytes::from(decode(encoded)))
        } else if step["stdin_repeat"].is_object() {
            let count = step["stdin_repeat"]["count"].as_u64().unwrap_or_default();
            let count = usize::try_from(count).unwrap();
            Some(Bytes::from(text(&step["stdin_repeat"], "text").repeat(count)))
        } else {
            None
        };
        let endpoints = step["endpoints"].as_str().unwrap_or_else(|| text(self.case, "endpoints"));
        if !self.pending_unset.is_empty() {
            let unset = std::mem::take(&mut self.pending_unset);
            self.session.start_words(FOREGROUND, &unset, None);
        }
        self.set_endpoints(endpoints);
        if console != FOREGROUND {
            let list: Vec<String> = endpoints.split(',').map(str::to_owned).collect();
            self.session.set_endpoints(console, &list);
        }
        if let Some(variables) = step["env"].as_object() {
            for (name, value) in variables {
                let value = value.as_str().unwrap_or_default();
                self.session.start_words(
                    console,
                    &["export".to_owned(), format!("{name}={value}")],
                    None,
                );
            }
        }
        assert!(self.session.start_words(console, &words, stdin), "the console is busy");
        if let Some(variables) = step["env"].as_object() {
            // The running command has read them; the next one starts without.
            let names = variables.keys().cloned();
            self.pending_unset = std::iter::once("unset".to_owned()).chain(names).collect();
        }
    }

    fn command(&mut self, step: &Value) {
        self.start(FOREGROUND, step);
        let began = self.session.now();
        let limit = step["kill_after_ms"].as_u64().unwrap_or(COMMAND_MS);
        self.session.run(limit, |session| !session.is_running(FOREGROUND));
        let was_running = self.session.interrupt(FOREGROUND);
        let elapsed_ms = self.session.now().since(began);
        self.compare(step, FOREGROUND, was_running);
        if let Some(seconds) = step["expect"]["elapsed_s"].as_f64() {
            let recorded = format!("{seconds:.3}").replace('.', "").parse::<u64>().unwrap();
            if recorded.abs_diff(elapsed_ms) > ELAPSED_SLACK_MS {
                let _ = writeln!(self.diff, "    took {elapsed_ms} ms, recorded {recorded} ms");
            }
        }
    }

    fn start_background(&mut self, step: &Value) {
        let next = FOREGROUND + 1 + u32::try_from(self.background.len()).unwrap();
        self.background.insert(text(step, "bg").to_owned(), next);
        self.start(next, step);
        self.session.run(step["settle_ms"].as_u64().unwrap_or(SETTLE_MS), |_| false);
    }

    fn stop_background(&mut self, step: &Value) {
        self.session.run(SETTLE_MS, |_| false);
        let console = self.background.get(text(step, "bg_stop")).copied().unwrap_or_default();
        let was_running = self.session.interrupt(console);
        self.compare(step, console, was_running);
    }

    fn compare(&mut self, step: &Value, console: u32, was_running: bool) {
        let (stdout, stderr) = self.session.take_output(console);
        let status = self.session.status(console);
        let expect = &step["expect"];
        if step["unstable"].as_bool() == Some(true) {
            return;
        }
        if let Some(encoded) = expect["stdout_b64"].as_str() {
            if decode(encoded) != stdout {
                let ours = base64::engine::general_purpose::STANDARD.encode(&stdout);
                self.differs("stdout (base64)", encoded, &ours);
            }
        } else if expect["stdout_is_help_page"].as_bool() == Some(true) {
            if stdout.is_empty() {
                self.differs("stdout", "<a help page>", "");
            }
        } else {
            self.compare_text("stdout", text(expect, "stdout"), &stdout, false);
        }
        let recorded = expect["stderr_plain"].as_str().unwrap_or_else(|| text(expect, "stderr"));
        let is_open = expect["usage_follows_on_stderr"].as_bool() == Some(true);
        self.compare_text("stderr", recorded, &without_notices(&stderr), is_open);
        let is_killed = expect["exit"].is_null();
        if is_killed != was_running
            || (!is_killed && expect["exit"].as_i64() != status.map(i64::from))
        {
            let ours = if was_running { "still running".to_owned() } else { format!("{status:?}") };
            self.differs("exit", &expect["exit"].to_string(), &ours);
        }
    }

    fn compare_text(&mut self, what: &str, recorded: &str, actual: &[u8], is_open: bool) {
        let mut recorded = self.fill(recorded);
        let mut actual = String::from_utf8_lossy(actual).into_owned();
        if is_open {
            let lines = recorded.lines().count();
            actual = actual.split_inclusive('\n').take(lines).collect();
        }
        let tags = self.case["normalise"].as_array().map(Vec::as_slice).unwrap_or_default();
        if tags.iter().any(|tag| tag == "line_order" || tag == "member_order") {
            recorded = matching::sorted(&recorded);
            actual = matching::sorted(&actual);
        }
        if !matching::is_like(&recorded, &actual) {
            self.differs(what, &recorded, &actual);
        }
    }

    fn differs(&mut self, what: &str, recorded: &str, actual: &str) {
        let _ = writeln!(self.diff, "    {what} - {:?}", shortened(recorded));
        let _ = writeln!(self.diff, "    {what} + {:?}", shortened(actual));
    }
}

fn shortened(text: &str) -> String {
    let is_long = text.chars().count() > 1200;
    if is_long { text.chars().take(1200).chain("…".chars()).collect() } else { text.to_owned() }
}

fn decode(encoded: &str) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD.decode(encoded).unwrap()
}

fn without_notices(stderr: &[u8]) -> Vec<u8> {
    let lines = stderr.split_inclusive(|byte| *byte == b'\n');
    lines.filter(|line| !line.starts_with(NOTICE_PREFIX.as_bytes())).flatten().copied().collect()
}

fn play(case: &Value) -> Outcome {
    if let Some(why) = needs_later(case) {
        return Outcome::Skipped(why);
    }
    let wants_leader = case["cluster"]["leader"].is_u64();
    let seeds = if wants_leader { SEEDS } else { 1 };
    for seed in 1..=seeds {
        match Run::new(case, seed).play() {
            Outcome::WrongLeader => {}
            outcome => return outcome,
        }
    }
    Outcome::Failed(format!("    in {seeds} seeds the leader was never the one of the recording\n"))
}

fn directory() -> std::path::PathBuf {
    match std::env::var_os("ETCD_CORPUS") {
        Some(named) => named.into(),
        None => std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus"),
    }
}

/// What became of all cases.
#[derive(Default)]
struct Tally {
    passed: u32,
    failed: u32,
    skipped: u32,
    /// Deviations that were seen: (case, step).
    deviating: Vec<(String, usize)>,
}

impl Tally {
    fn add(&mut self, case: &Value) {
        let id = text(case, "id");
        match play(case) {
            Outcome::Passed(steps) => {
                self.passed += 1;
                self.deviating.extend(steps.into_iter().map(|step| (id.to_owned(), step)));
            }
            Outcome::Skipped(why) => {
                self.skipped += 1;
                println!("skipped {id}: {why}");
            }
            Outcome::Failed(diff) => {
                self.failed += 1;
                println!("FAILED {id}: {}\n{diff}", text(case, "title"));
            }
            Outcome::WrongLeader => unreachable!("another seed was tried"),
        }
    }
}

#[test]
fn what_is_printed_equals_what_etcdctl_printed() {
    let only = std::env::var("ETCD_CASE").ok();
    let mut tally = Tally::default();
    for group in GROUPS {
        let path = directory().join(format!("{group}.json"));
        let file = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path:?}: {why}"));
        let file: Value = serde_json::from_str(&file).unwrap();
        for case in file["cases"].as_array().unwrap() {
            if only.as_ref().is_none_or(|only| only == text(case, "id")) {
                tally.add(case);
            }
        }
    }
    println!(
        "corpus: {} passed ({} steps deviate as listed), {} failed, {} skipped",
        tally.passed,
        tally.deviating.len(),
        tally.failed,
        tally.skipped
    );
    assert_eq!(tally.failed, 0, "see the differences above");
    for (id, step, why) in deviations::DEVIATIONS {
        let is_seen = tally.deviating.iter().any(|(seen, number)| seen == id && *number == step);
        println!("deviates {id} step {step}: {why}");
        assert!(is_seen || only.is_some(), "{id} step {step} does not deviate any more");
    }
}
