//! Recorded cases of etcd 3.7.1, typed into the page's console by key presses and compared with the text on screen.
//!
//! Which ones is a rule, not a list: those that need nothing a keyboard does not have, at most some of each group.
//! A case gets a cluster of its own with etcd's defaults, unless nothing it prints tells what was there before; such
//! cases share one and begin with an empty key space.

#[path = "../corpus/deviations.rs"]
#[allow(dead_code, reason = "only the question whether a step deviates is asked here")]
mod deviations;
#[path = "../corpus/matching.rs"]
mod matching;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use etcd_playground::etcdctl::lexer;
use serde_json::Value;

use super::browser::Browser;
use super::console::Answer;
use matching::Ids;

/// How many cases there must be.
const CASES_MIN: usize = 80;
/// How many tests share the cases, so that none takes minutes.
const PARTS: usize = 4;
/// Most steps of a case, and most characters of a line: typing takes time.
const STEPS_MAX: usize = 14;
const LINE_MAX: usize = 5_100;
/// Longest that one step may have taken. Unit: s.
const STEP_SECONDS_MAX: f64 = 2.2;
/// How long a cluster may take to its first leader.
const BOOT: Duration = Duration::from_secs(20);

/// What is typed for a step, where, and how it ends.
struct Typed {
    lines: Vec<String>,
    interrupted_after: Option<Duration>,
    tab: Tab,
}

/// What runs in the background runs in a second tab.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tab {
    First,
    Opened { settles: Duration },
    Ended,
}

/// What a case needs; of each group there may be some of each kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// One cluster does for all of them.
    Shares,
    /// A cluster of its own.
    Own,
    /// And a second tab.
    Background,
}

impl Kind {
    const fn most(self) -> usize {
        match self {
            Self::Shares => 18,
            Self::Own => 1,
            Self::Background => 3,
        }
    }
}

/// A case that can be typed.
struct Case {
    value: Value,
    members: u64,
    kind: Kind,
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// The project's own copy of the recordings.
fn recorded() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let entries = std::fs::read_dir(folder).expect("the recordings are there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "json"));
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let content = std::fs::read_to_string(file).expect("a file of recordings");
        let content: Value = serde_json::from_str(&content).expect("JSON");
        cases.extend(content["cases"].as_array().into_iter().flatten().cloned());
    }
    cases
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|c| !c.is_control())
}

/// The lines to type for a step, with ids filled in; `None`: a keyboard cannot do it.
fn typed(case: &Value, step: &Value, ids: &Ids) -> Option<Typed> {
    if step["op"].is_string() {
        let line = match text(step, "op") {
            "kill_member" if step["signal"].is_null() => match step["member"].as_u64() {
                Some(number) => format!("kill infra{number}"),
                None => "kill leader".to_owned(),
            },
            "start_member" if step["join"] != true => {
                format!("restart infra{}", step["member"].as_u64()?)
            }
            "wait_leader" => "wait leader within 30s".to_owned(),
            "sleep" if step["ms"].as_u64()? <= 1500 => format!("wait {}ms", step["ms"]),
            _ => return None,
        };
        return Some(Typed { lines: vec![line], interrupted_after: None, tab: Tab::First });
    }
    let signal = step["signal"].as_str().unwrap_or("SIGINT");
    if step["bg_stop"].is_string() {
        let ended = Typed { lines: Vec::new(), interrupted_after: None, tab: Tab::Ended };
        return (signal == "SIGINT").then_some(ended);
    }
    let words = step["argv"].as_array()?;
    if !step["stdin_b64"].is_null() || !step["stdin_repeat"].is_null() {
        return None;
    }
    let settles = Duration::from_millis(step["settle_ms"].as_u64().unwrap_or_default());
    let is_background = step["bg"].is_string();
    let tab = if is_background { Tab::Opened { settles } } else { Tab::First };
    let mut line = String::new();
    for (name, value) in step["env"].as_object().into_iter().flatten() {
        line.push_str(&format!("{name}={} ", lexer::quote(value.as_str()?)));
    }
    let own = text(step, "endpoints");
    if !own.is_empty() && own != text(case, "endpoints") {
        line.push_str(&format!("ETCDCTL_ENDPOINTS={own} "));
    }
    let words: Vec<String> =
        words.iter().filter_map(Value::as_str).map(|word| filled(word, ids)).collect();
    line.push_str(&words.iter().map(|word| lexer::quote(word)).collect::<Vec<_>>().join(" "));
    let stdin = filled(text(step, "stdin"), ids);
    let mut lines = Vec::new();
    if is_background {
        // Its standard input stays open.
        lines.push(line);
        lines.extend(stdin.lines().map(str::to_owned));
    } else if let Some(body) = stdin.strip_suffix('\n') {
        line.push_str(" <<'EOF'");
        lines.push(line);
        lines.extend(body.split('\n').map(str::to_owned));
        lines.push("EOF".to_owned());
    } else if stdin.is_empty() {
        lines.push(line);
    } else {
        lines.push(format!("printf %s {} | {line}", lexer::quote(&stdin)));
    }
    let fits = lines.iter().all(|line| is_plain(line) && line.len() <= LINE_MAX);
    let interrupted_after = step["kill_after_ms"].as_u64().map(Duration::from_millis);
    (fits && signal == "SIGINT").then_some(Typed { lines, interrupted_after, tab })
}

fn filled(recorded: &str, ids: &Ids) -> String {
    let mut filled = recorded.to_owned();
    for (name, id) in ids {
        let hex = if name.starts_with("LEASE") { format!("{id:016x}") } else { format!("{id:x}") };
        filled = filled.replace(&format!("<{name}>"), &hex);
        filled = filled.replace(&format!("<{name}_DEC>"), &id.to_string());
    }
    filled
}

/// The case, if all of it can be typed and seen.
fn typable(value: &Value) -> Option<Case> {
    let members = value["cluster"]["members"].as_u64().unwrap_or(1).max(1);
    let has_flags = value["cluster"]["flags"].as_array().is_some_and(|flags| !flags.is_empty());
    let steps = value["steps"].as_array()?;
    let endpoints = text(value, "endpoints");
    let fits_endpoints = match members {
        1 => endpoints == "127.0.0.1:12379" || value["cluster"]["members"] == 0,
        _ => true,
    };
    if has_flags || !fits_endpoints || steps.len() > STEPS_MAX {
        return None;
    }
    let steps_of = |name: &str| steps.iter().filter(|step| step[name].is_string()).count();
    let in_background = steps_of("bg");
    if in_background != steps_of("bg_stop") || in_background > 1 {
        return None;
    }
    let mut shares = members == 1;
    for (number, step) in (1..).zip(steps) {
        typed(value, step, &Ids::new())?;
        let expect = &step["expect"];
        let printed = format!("{}{}", text(expect, "stdout"), text(expect, "stderr"));
        let is_seen = printed.chars().all(|c| c == '\n' || c == '\t' || !c.is_control())
            && printed.lines().count() < 200
            && expect["stdout_b64"].is_null()
            // What it says where there is no terminal, and endpoints that nobody serves.
            && !printed.contains("stty:")
            && !(value["cluster"]["members"] == 0 && printed.contains("deadline"))
            && step["unstable"] != true
            && (expect["signal"].is_null() || expect["signal"] == "SIGINT");
        let is_short = expect["elapsed_s"].as_f64().is_none_or(|took| took < STEP_SECONDS_MAX);
        let deviates = deviations::reason(text(value, "id"), number, step).is_some();
        if !is_seen || !is_short || deviates {
            return None;
        }
        shares &= tells_nothing_of_before(step, &printed);
    }
    let kind = match (in_background, shares) {
        (0, true) => Kind::Shares,
        (0, false) => Kind::Own,
        _ => Kind::Background,
    };
    Some(Case { value: value.clone(), members, kind })
}

/// True if neither the step nor its answer has to do with anything but keys, nor names a revision.
fn tells_nothing_of_before(step: &Value, printed: &str) -> bool {
    const SHARING: [&str; 10] =
        ["get", "put", "del", "txn", "version", "help", "completion", "options", "check", "bogus"];
    let words: Vec<&str> =
        step["argv"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let names_revision = ["evision", "-rev", "lease", "mod(", "create(", "ver("];
    let stdin = text(step, "stdin");
    let exits_before_asking = matches!(step["expect"]["exit"].as_i64(), Some(128));
    words.get(1).is_some_and(|name| exits_before_asking || SHARING.contains(name))
        && !names_revision.iter().any(|part| {
            printed.contains(part)
                || stdin.contains(part)
                || words.iter().any(|word| word.contains(part))
        })
}

/// The cases to play: those that share a cluster first.
fn chosen() -> Vec<Case> {
    let mut counts: BTreeMap<(String, Kind), usize> = BTreeMap::new();
    let mut cases: Vec<Case> = recorded().iter().filter_map(typable).collect();
    cases.retain(|case| {
        let count = counts.entry((text(&case.value, "group").to_owned(), case.kind)).or_default();
        *count += 1;
        *count <= case.kind.most()
    });
    cases.sort_by_key(|case| (case.members, case.kind));
    cases
}

impl Browser {
    /// Ends what runs in the second tab by Ctrl-C, reads all that it printed, and closes the tab.
    async fn end_background(&self) -> Answer {
        self.click("console-tab-2").await;
        self.click("console-input").await;
        self.press_with_control('c').await;
        self.wait_true("the end of the command", Duration::from_secs(20), ENDED).await;
        let answer = self.last_answer().await;
        self.click("close-tab-2").await;
        self.wait_true("one tab", Duration::from_secs(5), ONE_TAB).await;
        answer
    }

    /// Presses what makes a new cluster with etcd's quota, and waits for its leader.
    async fn fresh_cluster(&self, members: u64) {
        self.click(&format!("new-cluster-{members}")).await;
        if self.run(QUOTA).await != ETCD_QUOTA {
            self.click("new-cluster-settings").await;
            self.click("setting-quota-backend-bytes").await;
            self.press_with_control('a').await;
            self.type_into("setting-quota-backend-bytes", ETCD_QUOTA).await;
        }
        self.click("new-cluster-yes").await;
        let script = format!("{FRESH} && document.querySelectorAll('.card').length === {members}");
        self.wait_true("a fresh cluster", BOOT, &script).await;
        self.wait_ready().await;
    }

    /// The members' ids, as the recording names them; the leader is the one of the recording afterwards.
    async fn learn_members(&self, leader: Option<u64>, ids: &mut Ids) {
        for line in self.ok("member list").await.lines() {
            let columns: Vec<&str> = line.split(", ").collect();
            let (Some(id), Some(name)) = (columns.first(), columns.get(2)) else { continue };
            let id = u64::from_str_radix(id, 16).expect("an id");
            ids.insert(name.replace("infra", "MEMBER_"), id);
        }
        let Some(leader) = leader else { return };
        let name = format!("infra{leader}");
        if self.leader().await != name {
            let id = ids.get(&format!("MEMBER_{leader}")).expect("a member of that number");
            self.ok(&format!("move-leader {id:x}")).await;
            self.wait_text("leader", &name, |text| text == name).await;
        }
    }

    /// Types the lines of a step, waits for the end of its command, and reads the screen.
    async fn play(&self, typed: &Typed) -> Answer {
        let Some((first, rest)) = typed.lines.split_first() else {
            return self.end_background().await;
        };
        if let Tab::Opened { settles } = typed.tab {
            self.click("new-tab").await;
            self.start(first).await;
            for line in rest {
                self.type_into("console-input", &format!("{line}\n")).await;
            }
            tokio::time::sleep(settles).await;
            self.click("console-tab-1").await;
            return self.last_answer().await;
        }
        self.start(first).await;
        for line in rest {
            self.type_into("console-input", &format!("{line}\n")).await;
        }
        if let Some(after) = typed.interrupted_after {
            tokio::time::sleep(after).await;
            self.press_with_control('c').await;
        } else if rest.is_empty() {
            // Standard input was empty: who reads it gets its end.
            for _ in 0..12 {
                if self.run(ENDED).await == true {
                    return self.last_answer().await;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            self.press_with_control('d').await;
        }
        self.wait_true("the end of the command", Duration::from_secs(20), ENDED).await;
        self.last_answer().await
    }
}

/// The quota that the dialog proposes, once its settings are open.
const QUOTA: &str =
    "return document.querySelector('[data-testid=setting-quota-backend-bytes]')?.value ?? ''";
const ETCD_QUOTA: &str = "2147483648";

const FRESH: &str = "return document.querySelector('[data-ready=true]') !== null
    && document.querySelector('[data-testid=revision]').textContent.trim() === '1'";

/// How many tabs the console has.
const TABS: &str = "return document.querySelectorAll('[data-testid^=console-tab-]').length";
const ONE_TAB: &str =
    "return document.querySelectorAll('[data-testid^=console-tab-]').length === 1";

const ENDED: &str = "return [...document.querySelectorAll('[data-testid=console-block]')]
    .at(-1).dataset.running === 'false'";

/// What is on screen against what was recorded; a text says how they differ.
fn compare(case: &Value, step: &Value, answer: &Answer, ids: &mut Ids) -> Result<(), String> {
    let expect = &step["expect"];
    let like = |recorded: &str, actual: &str, ids: &mut Ids| {
        let (recorded, actual) = matching::with_plain_keys(recorded, actual);
        let tags = case["normalise"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_sorted = tags.iter().any(|tag| tag == "line_order" || tag == "member_order");
        matching::is_like(&recorded, &actual, ids)
            || (is_sorted && matching::is_like_in_any_order(&recorded, &actual, ids))
    };
    let out = text(expect, "stdout");
    let is_help = expect["stdout_is_help_page"] == true;
    if if is_help { answer.out.is_empty() } else { !like(out, &answer.out, ids) } {
        return Err(format!("stdout\n  - {out:?}\n  + {:?}", answer.out));
    }
    let recorded = expect["stderr_plain"].as_str().unwrap_or_else(|| text(expect, "stderr"));
    let mut err = matching::without_notices(answer.err.as_bytes());
    if expect["usage_follows_on_stderr"] == true {
        err = matching::without_usage(&err);
    }
    let err = String::from_utf8_lossy(&err).into_owned();
    if !like(recorded, &err, ids) {
        return Err(format!("stderr\n  - {recorded:?}\n  + {err:?}"));
    }
    // Ctrl-C, as a shell reports it.
    let status = expect["exit"].as_i64().unwrap_or(130);
    if i64::from(answer.status) != status {
        return Err(format!("exit status {}, recorded {status}", answer.status));
    }
    Ok(())
}

/// At least eighty cases, some of every group; each test types one part of [`PARTS`] of them.
pub(crate) async fn recorded_cases_are_reproduced_by_key_presses(browser: Browser, part: usize) {
    let began = Instant::now();
    let all = chosen();
    assert!(all.len() >= CASES_MIN, "only {} cases can be typed", all.len());
    assert_every_group_has_one(&all);
    let cases: Vec<&Case> =
        all.chunks(all.len().div_ceil(PARTS)).nth(part).expect("a part").iter().collect();
    let mut groups: BTreeMap<String, u32> = BTreeMap::new();
    browser.visit_ready().await;
    let mut failures = Vec::new();
    let mut cluster = None;
    for case in &cases {
        let id = text(&case.value, "id");
        *groups.entry(text(&case.value, "group").to_owned()).or_default() += 1;
        browser.type_into("console-input", "clear\n").await;
        if case.kind == Kind::Shares && cluster == Some(1) {
            browser.command("del '' --prefix").await;
        } else {
            browser.fresh_cluster(case.members).await;
            cluster = (case.kind == Kind::Shares).then_some(case.members);
        }
        let mut ids = Ids::new();
        if case.members > 1 {
            let leader = case.value["cluster"]["leader"].as_u64().or(Some(1));
            browser.learn_members(leader, &mut ids).await;
        }
        for (number, step) in (1..).zip(case.value["steps"].as_array().into_iter().flatten()) {
            let typed = typed(&case.value, step, &ids).expect("the case can be typed");
            let answer = browser.play(&typed).await;
            if step["op"].is_string() || matches!(typed.tab, Tab::Opened { .. }) {
                continue;
            }
            if let Err(how) = compare(&case.value, step, &answer, &mut ids) {
                failures.push(format!("{id} step {number} `{}`: {how}", typed.lines.join("\\n")));
                break;
            }
        }
        // A case that differed may have left its second tab.
        if browser.run(TABS).await == 2 {
            browser.end_background().await;
        }
    }
    let took = began.elapsed();
    let list: Vec<String> =
        groups.iter().map(|(group, count)| format!("{group} {count}")).collect();
    println!("    {} cases in {:.0} s: {}", cases.len(), took.as_secs_f32(), list.join(", "));
    assert!(failures.is_empty(), "{} cases differ:\n{}", failures.len(), failures.join("\n"));
}

fn assert_every_group_has_one(cases: &[Case]) {
    let group = |case: &Value| text(case, "group").to_owned();
    let typed: BTreeSet<String> = cases.iter().map(|case| group(&case.value)).collect();
    let missing: Vec<String> =
        recorded().iter().map(group).filter(|group| !typed.contains(group)).collect();
    assert!(missing.is_empty(), "no case of {missing:?} can be typed");
}
