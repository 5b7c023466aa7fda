//! Plays one recorded case on a fresh simulated cluster.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use bytes::Bytes;
use etcd_playground::api::{MoveLeaderRequest, Request};
use etcd_playground::cluster::SimulationSpec;
use etcd_playground::etcdserver::ServerConfig;
use etcd_playground::lab::Session;
use etcd_playground::scenario::Order;
use etcd_playground::types::MemberId;
use serde_json::Value;

use crate::matching::{self, Ids};
use crate::{deviations, protobuf};

/// The console that commands run in; those in the background have their own.
const FOREGROUND: u32 = 1;
/// Longest a command may run. Unit: virtual ms.
const COMMAND_MS: u64 = 120_000;
/// How long a background command is given to settle. Unit: virtual ms.
const SETTLE_MS: u64 = 700;
/// How long a command may take to tidy up after a signal. Unit: virtual ms.
const TIDY_MS: u64 = 5_000;
/// How far the time of a command may be off. Unit: ms.
const ELAPSED_SLACK_MS: u64 = 600;
/// How long a program takes to start. Unit: virtual ms.
const STARTUP_MS: u64 = 80;
/// Exit status of a command that died of SIGINT.
const DIED: i32 = 130;
/// Seeds tried until the leader is the one of the recording.
const SEEDS: u64 = 20;

pub(crate) enum Outcome {
    /// With the steps that differ as `deviations` says.
    Passed(Vec<(usize, &'static str)>),
    Failed(String),
    /// Another seed, please: the leader is not the one of the recording.
    WrongLeader,
}

struct Run<'a> {
    case: &'a Value,
    session: Session,
    members: Vec<MemberId>,
    ids: Ids,
    background: BTreeMap<String, u32>,
    /// Takes away the variables of the command before.
    pending_unset: Vec<String>,
    diff: String,
}

pub(crate) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// Plays a case, on other seeds if need be.
pub(crate) fn play(case: &Value) -> Outcome {
    if let Err(why) = settings(case) {
        return Outcome::Failed(format!("    {why}\n"));
    }
    for seed in 1..=SEEDS {
        let played = std::panic::catch_unwind(|| Run::new(case, seed).play());
        match played {
            Ok(Outcome::WrongLeader) => {}
            Ok(outcome) => return outcome,
            Err(_) => return Outcome::Failed("    it panicked, see above\n".to_owned()),
        }
    }
    Outcome::Failed(format!("    in {SEEDS} seeds the leader was never the one of the recording\n"))
}

type Setting = Box<dyn Fn(&mut ServerConfig) + std::panic::RefUnwindSafe>;

/// What the server flags of a case change.
fn settings(case: &Value) -> Result<Vec<Setting>, String> {
    let flags = case["cluster"]["flags"].as_array().map(Vec::as_slice).unwrap_or_default();
    let words: Vec<&str> = flags.iter().filter_map(Value::as_str).collect();
    let mut pairs = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        pairs.push(match word.split_once('=') {
            Some(pair) => pair,
            None => (*word, rest.next().copied().unwrap_or_default()),
        });
    }
    pairs.into_iter().map(setting).collect()
}

fn setting((flag, value): (&str, &str)) -> Result<Setting, String> {
    let number = || value.parse::<u64>().map_err(|why| format!("server flag {flag}: {why}"));
    Ok(match flag {
        "--quota-backend-bytes" => {
            let bytes = i64::try_from(number()?).unwrap_or(i64::MAX);
            Box::new(move |config| config.quota_bytes = bytes)
        }
        "--max-request-bytes" => {
            let bytes = number()?;
            Box::new(move |config| config.max_request_bytes = bytes)
        }
        "--max-txn-ops" => {
            let operations = number()?;
            Box::new(move |config| config.max_txn_ops = operations)
        }
        "--snapshot-count" => {
            let entries = number()?;
            Box::new(move |config| config.snapshot_count = entries)
        }
        "--max-learners" => {
            let learners = u32::try_from(number()?).unwrap_or(u32::MAX);
            Box::new(move |config| config.max_learners = learners)
        }
        "--watch-progress-notify-interval" => {
            let seconds = value.strip_suffix('s').and_then(|seconds| seconds.parse::<u64>().ok());
            let ms = seconds.ok_or_else(|| format!("server flag {flag}: {value}"))? * 1000;
            Box::new(move |config| config.watch_progress_notify_ms = ms)
        }
        "--strict-reconfig-check" => {
            let is_strict = value != "false";
            Box::new(move |config| config.strict_reconfig_check = is_strict)
        }
        _ => return Err(format!("server flag {flag} is not known to the simulated cluster")),
    })
}

impl<'a> Run<'a> {
    fn new(case: &'a Value, seed: u64) -> Self {
        // Without members nobody is asked; one more or less is not seen.
        let members = case["cluster"]["members"].as_u64().unwrap_or(1).max(1);
        let spec = SimulationSpec {
            members: u32::try_from(members).unwrap(),
            seed,
            ..SimulationSpec::default()
        };
        let settings = settings(case).unwrap_or_default();
        let mut session = Session::with_config(spec, |config| {
            for set in &settings {
                set(config);
            }
        });
        session.run(COMMAND_MS, |session| session.world().leader().is_some());
        let members: Vec<MemberId> =
            session.simulation().members().iter().map(|member| member.id).collect();
        let mut ids = Ids::new();
        for (number, member) in (1..).zip(&members) {
            ids.insert(format!("MEMBER_{number}"), member.0);
        }
        // The id of a cluster follows from its members.
        if let Ok(cluster) = u64::from_str_radix(text(&case["ids"], "CLUSTER_ID"), 16) {
            ids.insert("CLUSTER_ID".to_owned(), cluster);
        }
        let mut run = Self {
            case,
            session,
            members,
            ids,
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

    fn member(&self, number: u64) -> Option<MemberId> {
        let number = usize::try_from(number).ok()?;
        self.members.get(number.checked_sub(1)?).copied()
    }

    /// Makes that member lead; false if it cannot.
    fn ensure_leader(&mut self, number: u64) -> bool {
        let wanted = self.member(number);
        let Some(leader) = self.session.world().leader() else { return false };
        if Some(leader) != wanted {
            self.hand_over(leader, wanted);
            self.session.run(500, |_| false);
        }
        self.session.world().leader() == wanted
    }

    fn hand_over(&mut self, leader: MemberId, to: Option<MemberId>) {
        let Some(target_id) = to else { return };
        let request = Request::MoveLeader(MoveLeaderRequest { target_id });
        self.session.simulation_mut().request(leader, request);
        self.session.run(2_000, |session| session.world().leader() == to);
    }

    fn play(mut self) -> Outcome {
        if let Some(number) = self.case["cluster"]["leader"].as_u64()
            && !self.ensure_leader(number)
        {
            return Outcome::WrongLeader;
        }
        let settle = self.case["cluster"]["settle_s"].as_u64().unwrap_or(1);
        self.session.run(settle * 1000, |_| false);
        let steps = self.case["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
        let case_id = text(self.case, "id");
        let mut deviating = Vec::new();
        for (number, step) in (1..).zip(steps) {
            let before = self.diff.len();
            if step["op"].is_string() {
                if !self.operate(step) {
                    return Outcome::WrongLeader;
                }
            } else if step["bg_stop"].is_string() {
                self.stop_background(step);
            } else if step["bg"].is_string() {
                self.start_background(step);
            } else {
                self.command(step);
            }
            if self.diff.len() > before {
                if let Some(why) = deviations::reason(case_id, number, step) {
                    self.diff.truncate(before);
                    deviating.push((number, why));
                    continue;
                }
                let named =
                    ["line", "bg_stop", "op"].into_iter().find(|name| step[*name].is_string());
                let line = shortened(text(step, named.unwrap_or_default()));
                self.diff.insert_str(before, &format!("  step {number} `{line}`\n"));
            }
        }
        if self.diff.is_empty() { Outcome::Passed(deviating) } else { Outcome::Failed(self.diff) }
    }

    /// False if the leader is not the one of the recording.
    fn operate(&mut self, step: &Value) -> bool {
        match text(step, "op") {
            "sleep" => {
                self.session.run(step["ms"].as_u64().unwrap_or_default(), |_| false);
            }
            "kill_member" => self.kill_member(step),
            "start_member" => self.start_member(step),
            "wait_leader" => {
                self.session.run(COMMAND_MS, |session| session.world().leader().is_some());
                self.session.run(500, |_| false);
            }
            "ensure_leader" => return self.ensure_leader(step["member"].as_u64().unwrap_or(1)),
            "bg_stdin" => {
                if let Some(console) = self.background.get(text(step, "bg")) {
                    let typed = text(step, "text").to_owned();
                    self.session.feed(*console, Bytes::from(typed));
                }
                self.session.run(step["settle_ms"].as_u64().unwrap_or(SETTLE_MS), |_| false);
            }
            "write_file" => {
                let bytes = Bytes::from(text(step, "text").to_owned());
                self.session.files_mut().keep(text(step, "path"), bytes);
            }
            other => {
                let _ = writeln!(self.diff, "    the operation {other} is not built");
            }
        }
        true
    }

    fn kill_member(&mut self, step: &Value) {
        let leader = self.session.world().leader();
        let named = step["member"].as_u64().and_then(|number| self.member(number));
        let Some(member) = named.or(leader) else { return };
        // A leader that stops in an orderly way hands over first.
        if text(step, "signal") == "SIGTERM" && leader == Some(member) {
            let world = self.session.world();
            let others = world.members.iter().filter(|view| view.is_up);
            let other = others.map(|view| view.member.id).find(|id| *id != member);
            self.hand_over(member, other);
        }
        self.session.carry_out(Order::Kill(member));
    }

    fn start_member(&mut self, step: &Value) {
        let number = step["member"].as_u64().unwrap_or_default();
        if step["join"].as_bool() == Some(true) {
            let peer_url = format!("http://127.0.0.1:{number}2380");
            let client_url = format!("http://127.0.0.1:{number}2379");
            if !self.session.join(&peer_url, &format!("infra{number}"), &client_url) {
                let _ = writeln!(self.diff, "    nobody was added with {peer_url}");
            }
        } else if let Some(member) = self.member(number) {
            self.session.carry_out(Order::Restart(member));
        }
        if step["wait"].as_bool() != Some(false) {
            self.session.run(COMMAND_MS, |session| session.world().leader().is_some());
            self.session.run(1000, |_| false);
        }
    }

    /// A text to give in, with the ids of this run.
    fn fill(&self, recorded: &str) -> String {
        let mut filled = recorded.to_owned();
        for (name, id) in &self.ids {
            let hex =
                if name.starts_with("LEASE") { format!("{id:016x}") } else { format!("{id:x}") };
            filled = filled.replace(&format!("<{name}>"), &hex);
            filled = filled.replace(&format!("<{name}_DEC>"), &id.to_string());
        }
        filled
    }

    fn stdin(&self, step: &Value) -> Option<Bytes> {
        if let Some(typed) = step["stdin"].as_str() {
            return Some(Bytes::from(self.fill(typed)));
        }
        if let Some(encoded) = step["stdin_b64"].as_str() {
            return Some(Bytes::from(decode(encoded)));
        }
        let repeat = step["stdin_repeat"].as_object()?;
        let count = usize::try_from(repeat["count"].as_u64().unwrap_or_default()).unwrap();
        Some(Bytes::from(text(&step["stdin_repeat"], "text").repeat(count)))
    }

    /// Starts a command; `stdin` as for [`Session::start_words`].
    fn start(&mut self, console: u32, step: &Value, stdin: Option<Bytes>) {
        let words = step["argv"].as_array().map(Vec::as_slice).unwrap_or_default();
        let words = words.iter().map(|word| word.as_str().unwrap_or_default());
        let words: Vec<String> = words.map(|word| self.fill(word)).collect();
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
                let words = ["export".to_owned(), format!("{name}={value}")];
                self.session.start_words(console, &words, None);
            }
        }
        self.session.run(STARTUP_MS, |_| false);
        assert!(self.session.start_words(console, &words, stdin), "the console is busy");
        if let Some(variables) = step["env"].as_object() {
            // The running command has read them; the next one starts without.
            let names = variables.keys().cloned();
            self.pending_unset = std::iter::once("unset".to_owned()).chain(names).collect();
        }
    }

    fn command(&mut self, step: &Value) {
        let stdin = self.stdin(step).unwrap_or_default();
        self.start(FOREGROUND, step, Some(stdin));
        let began = self.session.now();
        let limit = step["kill_after_ms"].as_u64().unwrap_or(COMMAND_MS);
        self.session.run(limit, |session| !session.is_running(FOREGROUND));
        let elapsed_ms = self.session.now().since(began);
        let has_died = self.signal(FOREGROUND, text(step, "signal"));
        self.compare(step, FOREGROUND, has_died);
        if let Some(seconds) = step["expect"]["elapsed_s"].as_f64() {
            let recorded = format!("{seconds:.3}").replace('.', "").parse::<u64>().unwrap();
            if recorded.abs_diff(elapsed_ms) > ELAPSED_SLACK_MS {
                let _ = writeln!(self.diff, "    took {elapsed_ms} ms, recorded {recorded} ms");
            }
        }
    }

    /// Ends what runs in a console; true if it died of that.
    fn signal(&mut self, console: u32, signal: &str) -> bool {
        if signal == "SIGKILL" {
            return self.session.kill(console);
        }
        if !self.session.interrupt(console) {
            return false;
        }
        self.session.run(TIDY_MS, |session| !session.is_running(console));
        self.session.status(console).is_none_or(|status| status == DIED)
    }

    fn start_background(&mut self, step: &Value) {
        let next = FOREGROUND + 1 + u32::try_from(self.background.len()).unwrap();
        self.background.insert(text(step, "bg").to_owned(), next);
        self.start(next, step, None);
        if let Some(stdin) = self.stdin(step) {
            self.session.feed(next, stdin);
        }
        self.session.run(step["settle_ms"].as_u64().unwrap_or(SETTLE_MS), |_| false);
    }

    fn stop_background(&mut self, step: &Value) {
        self.session.run(step["settle_ms"].as_u64().unwrap_or(SETTLE_MS), |_| false);
        let console = self.background.get(text(step, "bg_stop")).copied().unwrap_or_default();
        let has_died = self.signal(console, text(step, "signal"));
        self.compare(step, console, has_died);
    }

    fn compare(&mut self, step: &Value, console: u32, has_died: bool) {
        let (stdout, stderr) = self.session.take_output(console);
        let status = self.session.status(console);
        let expect = &step["expect"];
        if step["unstable"].as_bool() == Some(true) {
            return;
        }
        if let Some(encoded) = expect["stdout_b64"].as_str() {
            if protobuf::without_term(&decode(encoded)) != protobuf::without_term(&stdout) {
                let ours = base64::engine::general_purpose::STANDARD.encode(&stdout);
                self.differs("stdout (base64)", encoded, &ours);
            }
        } else if expect["stdout_is_help_page"].as_bool() == Some(true) {
            if stdout.is_empty() {
                self.differs("stdout", "<a help page>", "");
            }
        } else {
            self.compare_text("stdout", text(expect, "stdout"), &stdout);
        }
        let recorded = expect["stderr_plain"].as_str().unwrap_or_else(|| text(expect, "stderr"));
        let mut stderr = matching::without_notices(&stderr);
        if expect["usage_follows_on_stderr"].as_bool() == Some(true) {
            stderr = matching::without_usage(&stderr);
        }
        self.compare_text("stderr", recorded, &stderr);
        let is_killed = expect["exit"].is_null();
        if is_killed != has_died || (!is_killed && expect["exit"].as_i64() != status.map(i64::from))
        {
            let ours =
                if has_died { "died of the signal".to_owned() } else { format!("{status:?}") };
            self.differs("exit", &expect["exit"].to_string(), &ours);
        }
    }

    fn compare_text(&mut self, what: &str, recorded: &str, actual: &[u8]) {
        let actual = String::from_utf8_lossy(actual).into_owned();
        let (recorded, actual) = matching::with_plain_keys(recorded, &actual);
        let recorded = recorded.as_str();
        let tags = self.case["normalise"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_sorted = tags.iter().any(|tag| tag == "line_order" || tag == "member_order");
        let is_like = matching::is_like(recorded, &actual, &mut self.ids)
            || (is_sorted && matching::is_like_in_any_order(recorded, &actual, &mut self.ids));
        if !is_like {
            let recorded = self.fill(recorded);
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
