//! The history of operations with its verdict, and the invariants.

use std::time::Duration;

use super::browser::Browser;
use super::faults::endpoint;

const SOON: Duration = Duration::from_secs(30);

impl Browser {
    /// Opens the view.
    async fn open_history(&self) {
        self.click("lower-history").await;
        self.wait_for("history-view").await;
    }

    /// Waits until a bar's words for those who do not see it hold all of these.
    async fn wait_bar(&self, parts: &[&str]) {
        let script = format!(
            "const parts = {};
             return [...document.querySelectorAll('[data-testid=history-bar]')].some((bar) =>
               parts.every((part) => bar.getAttribute('aria-label').includes(part)))",
            serde_json::json!(parts)
        );
        self.wait_true(&format!("bar with {parts:?}"), SOON, &script).await;
    }

    /// Chooses the bar whose words hold this, once it is there.
    async fn choose_bar(&self, part: &str) {
        self.wait_bar(&[part]).await;
        self.run(&format!(
            "[...document.querySelectorAll('[data-testid=history-bar]')]
               .find((bar) => bar.getAttribute('aria-label').includes({part:?})).focus()"
        ))
        .await;
    }

    async fn wait_line(&self, name: &str, tone: &str) -> String {
        let id = format!("history-line-{name}");
        let script = format!(
            "return document.querySelector('[data-testid={id}]')?.dataset.tone === {tone:?}"
        );
        self.wait_true(&format!("{name} to be {tone}"), SOON, &script).await;
        self.text(&id).await
    }

    async fn wait_verdict(&self, title: &str) {
        self.wait_text("history-title", title, |text| text.trim() == title).await;
    }
}

/// Puts and gets have an order; a put whose member dies is unknown; a member that is cut off may answer with the past.
pub(crate) async fn the_verdict_follows_what_clients_do(browser: Browser) {
    browser.visit_ready().await;
    browser.open_history().await;
    browser.wait_verdict("Nothing to judge yet").await;
    browser.ok("put a 1").await;
    browser.ok("get a").await;
    browser.wait_verdict("Linearizable so far").await;
    browser.wait_bar(&["put a 1", "made revision 2"]).await;
    browser.choose_bar("get a").await;
    browser.wait_text("history-ruling", "the ruling", |it| it.contains("at revision 2")).await;
    // A leader that hears nobody keeps the put until it dies.
    let leader = browser.leader().await;
    browser.ok(&format!("isolate {leader}")).await;
    browser.click("new-tab").await;
    browser.start(&format!("put a 2 --endpoints={}", endpoint(&leader))).await;
    browser.click("console-tab-1").await;
    browser.wait_bar(&["put a 2", "not answered yet"]).await;
    browser.ok(&format!("kill {leader}")).await;
    browser.wait_bar(&["put a 2", "may or may not have happened"]).await;
    browser.wait_verdict("Linearizable so far").await;
    let facts = browser.text("history-verdict").await;
    let facts = facts.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(facts.contains("unknown 1"), "{facts}");
    // A put that a member hands on to a leader that is gone gets no answer, here as in etcd.
    browser.wait_other_leader(&leader).await;
    // One that is cut off tells what it has, and that is allowed.
    browser.ok("heal").await;
    browser.ok(&format!("restart {leader}")).await;
    browser.wait_ready().await;
    browser.ok("put a 3").await;
    let leader = browser.leader().await;
    let follower = if leader == "infra3" { "infra2" } else { "infra3" };
    browser.ok(&format!("isolate {follower}")).await;
    browser.ok(&format!("put a 4 --endpoints={}", endpoint(&leader))).await;
    browser.ok(&format!("get a --consistency=s --endpoints={}", endpoint(follower))).await;
    browser.wait_bar(&["get a --consistency=s", "Allowed to be stale"]).await;
    browser.wait_verdict("Linearizable so far").await;
    let marks = browser.all("history-mark").await.len();
    assert!(marks >= 3, "{marks} marks of faults and leaders");
}

/// After a failover every line is green, with counts.
pub(crate) async fn the_invariants_hold_after_a_failover(browser: Browser) {
    browser.visit_ready().await;
    browser.open_history().await;
    for value in ["1", "2", "3"] {
        browser.ok(&format!("put foo {value}")).await;
    }
    let leader = browser.leader().await;
    browser.ok("kill leader").await;
    browser.wait_other_leader(&leader).await;
    browser.ok("put foo 4").await;
    browser.ok(&format!("restart {leader}")).await;
    browser.wait_role(&leader, "follower").await;
    let is_seen = |text: &str| text.contains("terms,") && text.contains("leaders checked");
    browser.wait_text("history-line-election", "both terms", is_seen).await;
    browser.wait_line("election", "good").await;
    let log = browser.wait_line("log", "good").await;
    assert!(log.contains("holds:") && log.contains("entries in common on"), "{log}");
    let state = browser.wait_line("state", "good").await;
    assert!(state.contains("comparison"), "{state}");
    browser.click("history-hash").await;
    browser
        .wait_text("history-line-hash", "three equal hashes", |it| it.contains("on 3 of 3 members"))
        .await;
}
