//! Faults in a real page: workers, timers, databases, buttons and verbs.

use std::time::Duration;

use super::browser::Browser;

/// How long the events may take to tell what a test waits for.
const PATIENCE: Duration = Duration::from_secs(30);

impl Browser {
    /// Waits until the events tell it.
    async fn wait_told(&self, part: &str) {
        let script = format!(
            "return document.querySelector('.events').textContent.includes({})",
            serde_json::json!(part)
        );
        self.wait_true(part, PATIENCE, &script).await;
    }

    /// Waits until somebody else leads, however busy the machine is.
    async fn wait_leader_but(&self, old: &[&str]) -> String {
        let is_other = |text: &str| text.trim().starts_with("infra") && !old.contains(&text.trim());
        self.wait_text_within(PATIENCE, "leader", "another leader", is_other).await;
        self.leader().await
    }

    /// Restarts a member and waits until it serves.
    async fn bring_back(&self, name: &str) {
        self.click(&format!("restart-{name}")).await;
        let serves = |text: &str| matches!(text, "follower" | "leader");
        self.wait_text_within(PATIENCE, &format!("role-{name}"), "that it serves", serves).await;
    }

    async fn wait_down(&self, name: &str) {
        let is_down = |text: &str| text == "down";
        self.wait_text_within(PATIENCE, &format!("role-{name}"), "that it is down", is_down).await;
    }
}

pub(crate) fn endpoint(name: &str) -> String {
    format!("127.0.0.1:{}2379", name.trim_start_matches("infra"))
}

/// A preset slows the leader's disk down, and etcd complains of it; `off` ends it.
pub(crate) async fn a_slow_disk_is_complained_of(browser: Browser) {
    browser.visit_ready().await;
    let leader = browser.leader().await;
    browser.click("preset-slow-disk").await;
    browser.wait_told(&format!("Each write of {leader} takes 1500ms longer")).await;
    let card = format!("member-card-{leader}");
    browser.wait_text(&card, "its fault", |text| text.contains("disk +1500ms")).await;
    browser.ok("put k v").await;
    browser.wait_told(&format!("{leader}: its disk took 1")).await;
    browser.ok(&format!("slow-disk {leader} off")).await;
    browser.wait_text(&card, "no fault", |text| !text.contains("disk +1500ms")).await;
}

/// The majority of a split cluster elects and writes, the minority refuses, and both agree afterwards.
pub(crate) async fn a_split_elects_in_the_majority(browser: Browser) {
    browser.visit_ready().await;
    browser.click("new-cluster-5").await;
    browser.click("new-cluster-yes").await;
    browser.wait_for("member-card-infra5").await;
    browser.wait_ready().await;
    browser.ok("put k before").await;
    let old = browser.leader().await;
    // The leader and the one behind it, round the ring.
    let number: u32 = old.trim_start_matches("infra").parse().expect("a number");
    let with = format!("infra{}", number % 5 + 1);
    browser.click("preset-split").await;
    browser.wait_told("The network is split").await;
    let new = browser.wait_leader_but(&[&old, &with]).await;
    let refused = format!("put k minority --endpoints={} --command-timeout=2s", endpoint(&old));
    let answer = browser.command(&refused).await;
    assert!(answer.failed, "the minority took a write: {answer:?}");
    browser.ok(&format!("put k majority --endpoints={}", endpoint(&new))).await;
    browser.click("preset-heal").await;
    let read = format!("get k --endpoints={}", endpoint(&old));
    assert_eq!(browser.ok(&read).await, "k\nmajority\n");
}

/// One direction of one link loses everything by a choice in the matrix; a leader that hears nobody steps down.
pub(crate) async fn a_direction_loses_everything(browser: Browser) {
    browser.visit_ready().await;
    let leader = browser.leader().await;
    let others: Vec<String> =
        (1..=3).map(|at| format!("infra{at}")).filter(|name| *name != leader).collect();
    browser.click("faults-matrix").await;
    for other in &others {
        let cell = format!("cell-{other}-{leader}");
        browser.click(&cell).await;
        browser.click("edit-loss-100%").await;
        browser.wait_text(&cell, "its state", |text| text.contains("loss 100%")).await;
        browser.click(&cell).await;
    }
    browser.wait_told(&format!("{} → {leader}: loss 100%.", others[0])).await;
    browser.wait_told(&format!("{leader} stepped down")).await;
    let back = browser.text(&format!("cell-{leader}-{}", others[0])).await;
    assert_eq!(back.trim(), "✓", "the way back is as it was");
    // The others elect one of them; a put in the middle of that may be lost, as in etcd.
    let new = browser.wait_leader_but(&[&leader]).await;
    browser.ok("heal").await;
    browser.ok(&format!("put k v --endpoints={}", endpoint(&new))).await;
}

/// A filled disk stops its member, a freed one lets it start, and what was acknowledged is there.
pub(crate) async fn a_filled_disk_is_freed(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k v1").await;
    let full = browser.leader().await;
    browser.ok("fill-disk leader").await;
    browser.command("put other v --command-timeout=2s").await;
    browser.wait_down(&full).await;
    let card = format!("member-card-{full}");
    browser.wait_text(&card, "the remedy", |text| text.contains("Free its disk")).await;
    browser.wait_leader_but(&[&full]).await;
    browser.ok("put k v2").await;
    browser.click(&format!("restart-{full}")).await;
    browser.wait_told(&format!("{full} stopped, its disk failed: the disk is full")).await;
    browser.wait_down(&full).await;
    browser.ok(&format!("free-disk {full}")).await;
    browser.bring_back(&full).await;
    let read = format!("get k --endpoints={}", endpoint(&full));
    assert_eq!(browser.ok(&read).await, "k\nv2\n");
}

/// A member without power starts from its disk; a wiped one notices what it lost and can be replaced.
pub(crate) async fn power_is_cut_and_a_disk_is_wiped(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k v").await;
    let dark = browser.leader().await;
    browser.ok("power-cut leader").await;
    browser.wait_told(&format!("{dark} lost its power")).await;
    browser.wait_leader_but(&[&dark]).await;
    browser.bring_back(&dark).await;
    assert_eq!(browser.ok(&format!("get k --endpoints={}", endpoint(&dark))).await, "k\nv\n");
    browser.ok(&format!("wipe {dark}")).await;
    browser.wait_down(&dark).await;
    browser.click(&format!("restart-{dark}")).await;
    let is_noticed = |text: &str| text.contains("rolled back");
    let card = format!("member-card-{dark}");
    browser.wait_text_within(PATIENCE, &card, "that its disk is gone", is_noticed).await;
    browser.wait_for(&format!("replace-{dark}")).await;
    assert_eq!(browser.ok("get k").await, "k\nv\n");
}

/// Leases end early where the leader's clock is fast.
pub(crate) async fn a_fast_clock_ends_leases_early(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("clock all 200%").await;
    let granted = browser.ok("lease grant 12").await;
    let lease = granted.split_whitespace().nth(1).expect("an id").to_owned();
    browser.ok(&format!("put k v --lease={lease}")).await;
    tokio::time::sleep(Duration::from_secs(9)).await;
    assert_eq!(browser.ok("get k").await, "", "12 s of a fast clock are over");
    browser.ok("clock all 100%").await;
}
