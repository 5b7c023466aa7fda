//! The failover experiment with the keyboard alone, and in the console alone; `lessons` does it with the mouse alone.

use std::time::Duration;

use thirtyfour::Key;

use super::browser::Browser;
use super::experiment::{elections, term_rises_by_one_per_election};

const SOON: Duration = Duration::from_secs(20);
const KEY: &str = "/registry/pods/default/web-1";

/// More stops than the page has for Tab.
const STOPS_MAX: u32 = 250;

/// What has the focus.
const FOCUS: &str = "return document.activeElement?.dataset?.testid ?? ''";

impl Browser {
    /// From now on keys and presses of the mouse are counted, until the page is loaded again.
    pub(crate) async fn count_inputs(&self) {
        self.run(
            "if (window.inputs) return;
             window.inputs = { keydown: 0, pointerdown: 0 };
             for (const name of Object.keys(window.inputs)) {
               addEventListener(name, (event) => { if (event.isTrusted) window.inputs[name] += 1; }, true);
             }",
        )
        .await;
    }

    pub(crate) async fn inputs(&self) -> serde_json::Value {
        self.run("return window.inputs").await
    }

    /// Types into whatever has the focus.
    async fn keys(&self, text: &str) {
        let keys = text.replace('\n', &Key::Enter.value().to_string());
        self.driver().action_chain().send_keys(keys).perform().await.expect("keys can be pressed");
    }

    /// Presses Tab until something has the focus.
    async fn tab_to(&self, id: &str) {
        for _ in 0..STOPS_MAX {
            let at = self.run(FOCUS).await;
            if at == id {
                return;
            }
            if at == "console-input" {
                // There it completes, unless it was told to leave.
                self.press(Key::Escape).await;
            }
            self.press(Key::Tab).await;
        }
        panic!("Tab does not come to `{id}`");
    }

    /// Goes to a button by Tab, and presses Enter.
    async fn enter_on(&self, id: &str) {
        self.tab_to(id).await;
        let is_enabled = format!("return !document.querySelector('[data-testid={id}]').disabled");
        self.wait_true(&format!("enabled {id}"), SOON, &is_enabled).await;
        self.press(Key::Enter).await;
    }

    /// Waits until what runs in the shown console has ended, and reads what it printed.
    async fn printed(&self, line: &str) -> String {
        let is_over = format!(
            "const last = [...document.querySelectorAll('[data-testid=console-block]')].at(-1);
             return last?.dataset.running === 'false' && last.querySelector('.block-line').textContent.includes({line:?})"
        );
        self.wait_true(&format!("end of {line}"), Duration::from_secs(30), &is_over).await;
        let answer = self.last_answer().await;
        assert!(!answer.failed, "`{line}` failed: {answer:?}");
        answer.out
    }

    /// Waits until what is typed goes to the console.
    async fn wait_line_focus(&self) {
        let is_there = "return document.activeElement.dataset.testid === 'console-input'";
        self.wait_true("focus on the line", SOON, is_there).await;
    }

    /// Types a line where the focus is, and waits for its end.
    async fn line(&self, line: &str) -> String {
        self.keys(&format!("{line}\n")).await;
        self.printed(line).await
    }
}

/// By Tab, Enter and typing; no pointer is touched, and no script sets the focus.
pub(crate) async fn by_keyboard(browser: Browser) {
    browser.visit_ready().await;
    browser.count_inputs().await;
    browser.wait_line_focus().await;
    // The tutorial's line, by its button.
    browser.wait_for("tutorial-line-0").await;
    browser.enter_on("tutorial-line-0").await;
    let table = browser.printed("endpoint status").await;
    assert_eq!(table.lines().filter(|line| line.starts_with('│')).count(), 4, "{table}");
    browser.enter_on("tutorial-next").await;
    browser.tab_to("console-input").await;
    for value in ["v1", "v2", "v3"] {
        assert_eq!(browser.line(&format!("put {KEY} {value}")).await, "OK\n");
    }
    assert_eq!(browser.line(&format!("get {KEY} --rev=2")).await, format!("{KEY}\nv1\n"));
    browser.enter_on("new-tab").await;
    browser.keys(&format!("watch {KEY} --rev=3\n")).await;
    browser
        .wait_text("console-output", "the past", |text| text.contains("v2") && text.contains("v3"))
        .await;
    browser.enter_on("console-tab-1").await;
    browser.tab_to("console-input").await;
    browser.line(&format!("put {KEY} v4")).await;
    browser.enter_on("console-tab-2").await;
    browser.wait_text("console-output", "the event", |text| text.contains("v4")).await;
    let (old, term) = (browser.leader().await, browser.term().await);
    let held = elections(&browser).await;
    browser.enter_on(&format!("kill-{old}")).await;
    browser.wait_other_leader(&old).await;
    term_rises_by_one_per_election(&browser, term, held).await;
    browser.enter_on("console-tab-1").await;
    browser.tab_to("console-input").await;
    assert_eq!(browser.line(&format!("get {KEY}")).await, format!("{KEY}\nv4\n"));
    browser.enter_on(&format!("restart-{old}")).await;
    browser.wait_role(&old, "follower").await;
    // The log, by its tab: arrows go from one to the next.
    browser.tab_to("lower-keys").await;
    browser.press(Key::Right).await;
    browser.wait_for("log-view").await;
    browser.enter_on("preset-quorum").await;
    browser
        .wait_true("no leader", SOON, "return !!document.querySelector('.summary-item.is-missing')")
        .await;
    browser.enter_on("preset-heal").await;
    browser.wait_ready().await;
    // The page that comes counts anew.
    assert_eq!(browser.inputs().await["pointerdown"], 0, "the mouse was used");
    browser.reload().await;
    browser.wait_ready().await;
    browser.wait_line_focus().await;
    browser.count_inputs().await;
    assert_eq!(browser.line(&format!("get {KEY}")).await, format!("{KEY}\nv4\n"));
    assert_eq!(browser.inputs().await["pointerdown"], 0, "the mouse was used");
}

/// By lines alone, which a person who knows etcd would type.
pub(crate) async fn in_the_console(browser: Browser) {
    browser.visit_ready().await;
    browser.count_inputs().await;
    browser.wait_line_focus().await;
    for value in ["v1", "v2"] {
        assert_eq!(browser.line(&format!("put {KEY} {value}")).await, "OK\n");
    }
    let (old, before) = leader_and_term(&browser).await;
    assert_eq!(old, browser.leader().await);
    browser.line("kill leader").await;
    let (new, after) = next_leader(&browser, &old).await;
    assert!(after > before, "the term went from {before} to {after}");
    assert_eq!(browser.line(&format!("get {KEY}")).await, format!("{KEY}\nv2\n"));
    assert_eq!(browser.line(&format!("put {KEY} v3")).await, "OK\n");
    browser.line(&format!("restart {old}")).await;
    browser.wait_role(&old, "follower").await;
    for _ in 0..50 {
        let hashes = browser.line("endpoint hashkv").await;
        let distinct: std::collections::BTreeSet<&str> =
            hashes.lines().filter_map(|line| line.split_once(", ").map(|(_, rest)| rest)).collect();
        if distinct.len() == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // Without a majority nothing is read but what may be old.
    for member in [&new, &old] {
        browser.line(&format!("kill {member}")).await;
    }
    browser.keys(&format!("get {KEY} --command-timeout=2s\n")).await;
    let said = |text: &str| text.contains("context deadline exceeded");
    browser.wait_text("console-output", "that nobody answers", said).await;
    let stale = browser.line(&format!("get {KEY} --consistency=s")).await;
    assert_eq!(stale, format!("{KEY}\nv3\n"));
    for member in [&new, &old] {
        browser.line(&format!("restart {member}")).await;
    }
    browser.wait_ready().await;
    assert_eq!(browser.line(&format!("get {KEY} --rev=2")).await, format!("{KEY}\nv1\n"));
    assert_eq!(browser.inputs().await["pointerdown"], 0, "the mouse was used");
}

/// As `endpoint status` tells them.
async fn leader_and_term(browser: &Browser) -> (String, u64) {
    let rows: serde_json::Value =
        serde_json::from_str(&browser.line("endpoint status -w json --cluster").await)
            .expect("JSON");
    let status = &rows[0]["Status"];
    let members: serde_json::Value =
        serde_json::from_str(&browser.line("member list -w json").await).expect("JSON");
    let leader = members["members"].as_array().into_iter().flatten();
    let mut leader = leader.filter(|member| member["ID"] == status["leader"]);
    let name = leader.next().and_then(|member| member["name"].as_str()).unwrap_or_default();
    (name.to_owned(), status["raftTerm"].as_u64().unwrap_or(0))
}

/// Waits, by asking the members that are left, until another one leads.
async fn next_leader(browser: &Browser, old: &str) -> (String, u64) {
    browser.wait_other_leader(old).await;
    let left: Vec<String> = (1..=3)
        .map(|number| format!("infra{number}"))
        .filter(|name| name != old)
        .map(|name| format!("127.0.0.1:{}2379", name.trim_start_matches("infra")))
        .collect();
    let line = format!("endpoint status -w json --endpoints={}", left.join(","));
    let rows: serde_json::Value = serde_json::from_str(&browser.line(&line).await).expect("JSON");
    (browser.leader().await, rows[0]["Status"]["raftTerm"].as_u64().unwrap_or(0))
}
