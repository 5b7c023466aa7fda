//! The view of watches and leases: lanes that are cut and go on, leases that run down and are kept alive.

use std::time::Duration;

use super::browser::Browser;

const SOON: Duration = Duration::from_secs(20);

/// JavaScript's words for the lane of a console.
fn lane(tab: u32) -> String {
    format!("document.querySelector('.lane[data-tab=\"{tab}\"]')")
}

impl Browser {
    async fn open_watches(&self) {
        self.click("lower-watches").await;
        self.wait_for("watches-view").await;
    }

    /// Waits until the lane of a console is in a state.
    async fn wait_lane(&self, tab: u32, state: &str) {
        let script = format!("return {}?.dataset.state === {state:?}", lane(tab));
        self.wait_true(&format!("lane of console {tab} that is {state}"), SOON, &script).await;
    }

    /// Waits until the lane of a console says something.
    async fn wait_lane_says(&self, tab: u32, words: &str) {
        let script = format!("return {}?.textContent.includes({words:?}) ?? false", lane(tab));
        self.wait_true(&format!("lane of console {tab} with {words:?}"), SOON, &script).await;
    }

    /// Presses a button of the lane of a console: `cut`, `stop` or `more`.
    async fn press_lane(&self, tab: u32, button: &str) {
        let script = format!("return {}.dataset.testid", lane(tab));
        let name = self.run(&script).await;
        let number = name.as_str().and_then(|name| name.strip_prefix("lane-")).unwrap().to_owned();
        self.click(&format!("lane-{button}-{number}")).await;
    }

    /// Grants a lease; its id.
    async fn grant(&self, ttl: u32) -> String {
        let out = self.ok(&format!("lease grant {ttl}")).await;
        out.split_whitespace().nth(1).unwrap().to_owned()
    }

    async fn wait_lease(&self, id: &str, state: &str) {
        let script = format!(
            "return document.querySelector('[data-testid=\"lease-{id}\"]')?.dataset.state === {state:?}"
        );
        self.wait_true(&format!("lease that is {state}"), SOON, &script).await;
    }

    /// What is left of a lease, as it is shown. Unit: s.
    async fn seconds_left(&self, id: &str) -> u64 {
        let text = self.text(&format!("lease-left-{id}")).await;
        let number = text.split_whitespace().next().and_then(|number| number.parse().ok());
        number.unwrap_or_else(|| panic!("{text:?} tells no seconds"))
    }
}

/// A watch that is cut goes on elsewhere without losing or doubling an event; a compacted one says why it ended.
pub(crate) async fn a_cut_watch_goes_on_and_a_compacted_one_says_why(browser: Browser) {
    browser.visit_ready().await;
    browser.click("new-tab").await;
    browser.start("watch a --prefix").await;
    browser.click("console-tab-1").await;
    browser.ok("put a1 x").await;
    browser.ok("put a2 x").await;
    browser.open_watches().await;
    browser.wait_lane(0, "synced").await;
    browser.wait_lane(2, "synced").await;
    browser.wait_lane_says(2, "2 events").await;
    browser.wait_lane_says(2, "a*").await;
    let member = format!("return {}.querySelector('.lane-place').textContent", lane(2));
    let before = browser.run(&member).await;

    browser.press_lane(2, "cut").await;
    browser.wait_lane_says(2, "resumed once").await;
    browser.wait_lane(2, "synced").await;
    assert_ne!(browser.run(&member).await, before, "it did not go to another member");
    browser.ok("put a3 x").await;
    browser.wait_lane_says(2, "3 events").await;
    browser.wait_lane_says(2, "none lost, none doubled").await;
    browser.press_lane(2, "more").await;
    browser.wait_lane_says(2, "right after 3, the last one seen").await;
    browser.wait_lane_says(2, "the stream was cut").await;
    // The page's own watch comes back as well.
    browser.press_lane(0, "cut").await;
    browser.wait_lane_says(0, "resumed once").await;
    browser.wait_lane(0, "synced").await;
    browser.click("console-tab-2").await;
    let seen = browser.last_answer().await.out;
    for key in ["a1", "a2", "a3"] {
        assert_eq!(seen.matches(key).count(), 1, "{key} in {seen}");
    }
    browser.press_lane(2, "stop").await;
    browser.wait_lane(2, "closed").await;

    browser.ok("compact 4").await;
    let ended = browser.command("watch a1 --rev=1").await;
    assert!(ended.failed, "{ended:?}");
    let reason = "cancelled: etcdserver: mvcc: required revision has been compacted";
    let script = format!(
        "return [...document.querySelectorAll('.lane[data-state=canceled]')]
           .some((lane) => lane.textContent.includes({reason:?}))"
    );
    browser.wait_true("lane with etcd's reason", SOON, &script).await;
    browser.wait_text("held-told", "the end", |it| it.contains("compacted")).await;
}

/// A lease runs down, is kept alive by a switch, expires without it and takes its key along; another one is revoked.
pub(crate) async fn a_lease_runs_down_unless_it_is_kept_alive(browser: Browser) {
    browser.visit_ready().await;
    browser.open_watches().await;
    browser.wait_for("held-try-lease").await;
    let id = browser.grant(12).await;
    browser.ok(&format!("put k v --lease={id}")).await;
    browser.wait_lease(&id, "running").await;
    let keep = format!("lease-keep-{id}");
    let first = browser.seconds_left(&id).await;
    assert!(first <= 12, "{first} s");
    let left = format!("lease-left-{id}");
    let is_less = |text: &str| {
        text.split_whitespace()
            .next()
            .and_then(|it| it.parse().ok())
            .is_some_and(|it: u64| it < first)
    };
    browser.wait_text(&left, "less", is_less).await;
    browser.click(&keep).await;
    let is_on =
        format!("return document.querySelector('[data-testid=\"{keep}\"]').ariaChecked === 'true'");
    browser.wait_true("switch that is on", SOON, &is_on).await;
    let renewed = format!("lease-renewed-{id}");
    browser.wait_text(&renewed, "renewal", |it| it.contains("renewed by this page")).await;
    // Longer than its time to live.
    tokio::time::sleep(Duration::from_secs(13)).await;
    browser.wait_lease(&id, "running").await;
    assert_eq!(browser.ok("get k --print-value-only").await.trim(), "v");
    // Its key is looked at in its own view.
    browser
        .run(&format!(
            "document.querySelector('[data-testid=\"lease-{id}\"] button.lease-key').click()"
        ))
        .await;
    browser.wait_for("keys-view").await;
    browser.open_watches().await;
    browser.click(&keep).await;
    browser.wait_lease(&id, "expired").await;
    assert_eq!(browser.ok("get k").await, "", "its key went with it");
    browser.wait_text("held-told", "the end", |it| it.contains("expired")).await;

    let other = browser.grant(600).await;
    browser.wait_lease(&other, "running").await;
    browser.click(&format!("lease-revoke-{other}")).await;
    let written = format!(
        "return document.querySelector('[data-testid=console-input]').value
           === 'etcdctl lease revoke {other}'"
    );
    browser.wait_true("written line", SOON, &written).await;
    browser.type_into("console-input", "\n").await;
    browser.wait_lease(&other, "revoked").await;
}
