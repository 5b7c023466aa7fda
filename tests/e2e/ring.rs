//! The cluster as a picture: messages in flight, what members wait for, slow motion, the settings of a new cluster.

use std::time::Duration;

use super::browser::Browser;

const SOON: Duration = Duration::from_secs(20);
const LATE: Duration = Duration::from_secs(60);

impl Browser {
    /// Waits until the list has a message of a kind whose row holds a text.
    async fn wait_message(&self, kind: &str, text: &str) {
        let script = format!(
            "return [...document.querySelectorAll('[data-testid=message]')]
               .some((it) => it.dataset.kind.startsWith({kind:?}) && it.textContent.includes({text:?}))"
        );
        self.wait_true(&format!("{kind} with {text:?}"), LATE, &script).await;
    }

    async fn samples(&self) -> u64 {
        let script = "return document.querySelector('[data-testid=messages-view]').dataset.samples";
        self.run(script).await.as_str().unwrap().parse().unwrap()
    }

    /// How many messages members sent so far, as the list says.
    async fn sent(&self) -> u64 {
        let text = self.text("messages-counted").await;
        text.split_whitespace().next().unwrap().parse().unwrap()
    }

    /// How many messages are sent in some seconds.
    async fn sent_in(&self, seconds: u64) -> u64 {
        let before = self.sent().await;
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        self.sent().await - before
    }

    async fn member_term(&self, name: &str) -> u64 {
        self.text(&format!("term-{name}")).await.trim().parse().unwrap()
    }
}

/// An append of a put is listed with its fields and drawn; elections show their votes; who does not look is not told.
pub(crate) async fn messages_are_listed_and_drawn_while_somebody_looks(browser: Browser) {
    browser.visit_ready().await;
    // The ring is there from the first screen on: what flies in it waits for no other view.
    browser.ok("put first key").await;
    let any = "return !!document.querySelector('#ring-flights [data-kind]')";
    browser.wait_true("a message in the ring beside the keys", SOON, any).await;
    browser.click("lower-messages").await;
    browser.wait_for("messages-view").await;
    browser
        .wait_true(
            "a heartbeat in the ring",
            SOON,
            "return !!document.querySelector('#ring-flights [data-kind=MsgHeartbeat]')",
        )
        .await;
    // A dot is on its way for less than a second.
    browser
        .run(
            "window.seenKinds = new Set();
             new MutationObserver(() => document.querySelectorAll('#ring-flights [data-kind]')
               .forEach((it) => window.seenKinds.add(it.dataset.kind)))
               .observe(document.querySelector('#ring-flights'), { childList: true });",
        )
        .await;
    browser.ok("put foo bar").await;
    browser.wait_message("MsgApp", "1 entry").await;
    browser.wait_message("MsgAppResp", "index").await;
    let seen = "return ['MsgApp', 'MsgAppResp'].every((kind) => window.seenKinds.has(kind))";
    browser.wait_true("dots of an append and its answer", SOON, seen).await;
    browser.click("messages-pause").await;
    browser
        .run(
            "[...document.querySelectorAll('[data-testid=message]')]
               .find((it) => it.dataset.kind === 'MsgApp' && it.textContent.includes('1 entry')).click()",
        )
        .await;
    let fields = browser.text("message-fields").await.replace('\n', " ");
    for field in [
        "type MsgApp",
        "from infra",
        "logTerm",
        "index",
        "commit",
        "entries 1 entry",
        "reject false",
    ] {
        assert!(fields.contains(field), "{field} in {fields}");
    }
    browser.wait_for("ring-marked").await;
    browser.click("messages-pause").await;
    browser.click("preset-isolate").await;
    browser.click("messages-votes").await;
    browser.wait_message("MsgPreVote", "term").await;
    browser.wait_message("MsgVote", "term").await;
    browser.click("messages-all").await;
    browser.wait_message("MsgHeartbeat", "cut").await;
    browser.click("preset-heal").await;
    // Nobody looks.
    let before = browser.samples().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let rate = (browser.samples().await - before) / 2;
    assert!(rate >= 4, "while somebody looks there are samples: {rate} a second");
    browser
        .run("Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })")
        .await;
    let before = browser.samples().await;
    tokio::time::sleep(Duration::from_secs(12)).await;
    browser.run("delete document.hidden").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let told = browser.samples().await - before;
    assert!(told > 0 && told < 6 * rate, "in 12 s without a look: {told}, else {rate} a second");
}

/// The last of three says what it needs and since when; who is cut off says so; nothing moves for it.
pub(crate) async fn what_a_member_waits_for_is_said(browser: Browser) {
    browser.visit_ready().await;
    let height = "return document.querySelector('[data-testid=waits-infra3]').offsetHeight";
    // A leader is known before everybody follows it.
    browser.wait_text("waits-infra3", "nothing", |text| text.is_empty()).await;
    let before = browser.run(height).await;
    browser.ok("kill infra1").await;
    browser.ok("kill infra2").await;
    let needs = |text: &str| text.contains("needs 2 of 3, has 1; no majority since");
    let first = browser.wait_text("waits-infra3", "what it needs", needs).await;
    browser.wait_text("waits-infra3", "later", |text| needs(text) && text != first).await;
    assert_eq!(browser.run(height).await, before, "its line was there before");
    browser.wait_text("waits-infra1", "a start", |text| text == "waits to be started").await;
    let label = "return document.querySelector('[data-testid=ring]').getAttribute('aria-label')";
    let label = browser.run(label).await;
    assert!(label.as_str().unwrap().contains("infra3: needs 2 of 3"), "{label}");
    browser.ok("restart all").await;
    browser.wait_text_within(LATE, "waits-infra3", "nothing", str::is_empty).await;
    browser.wait_ready().await;
    let leader = browser.leader().await;
    browser.ok("isolate leader").await;
    let is_cut = |text: &str| text.contains("needs 2 of 3, has 1; cut off since");
    browser.wait_text(&format!("waits-{leader}"), "that it is cut off", is_cut).await;
    browser.ok("heal").await;
    browser.wait_text_within(LATE, &format!("waits-{leader}"), "nothing", str::is_empty).await;
}

/// Slow motion and a pause slow the members' messages; a cluster without PreVote lets who comes back raise the term.
pub(crate) async fn slow_motion_slows_and_settings_are_in_force(browser: Browser) {
    browser.visit_ready().await;
    browser.click("lower-messages").await;
    browser.wait_for("messages-view").await;
    let moves = "return document.querySelector('[data-testid=messages-view]').dataset.samples > 10";
    browser.wait_true("samples", SOON, moves).await;
    let usual = browser.sent_in(4).await;
    assert!(usual > 60, "40 heartbeats and answers a second: {usual} in 4 s");
    browser.click("pace-speed-1/10").await;
    browser.wait_text("event-log", "that it is slower", |text| text.contains("runs at 1/10")).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let slow = browser.sent_in(5).await;
    assert!((1..=usual / 3).contains(&slow), "{slow} in 5 s of slow motion, {usual} in 4 s before");
    browser.ok("put k slowly").await;
    browser.wait_message("MsgApp", "200 ms on its way").await;
    browser.click("pause-all").await;
    browser.wait_role("infra1", "paused").await;
    browser
        .wait_text("waits-infra1", "a still clock", |text| text == "its clock stands still")
        .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(browser.sent_in(3).await <= 2, "nothing is sent while all stand still");
    browser.click("pause-all").await;
    browser.ok("speed 1").await;
    browser.ok("put k v").await;
    let again = browser.sent_in(4).await;
    assert!(again > 60, "real time again: {again} in 4 s");
    browser.ok("latency 50ms").await;
    browser.wait_text("link-infra1-infra2", "the delay", |text| text.contains("delay 50ms")).await;
    browser.ok("latency off").await;
    // With PreVote whoever is cut off does not raise the term.
    let term = browser.term().await;
    browser.ok("isolate follower").await;
    tokio::time::sleep(Duration::from_secs(4)).await;
    browser.ok("heal").await;
    assert_eq!(browser.term().await, term);
    browser.click("new-cluster-3").await;
    browser.click("new-cluster-settings").await;
    browser.click("setting-pre-vote").await;
    browser.click("new-cluster-yes").await;
    browser.wait_text("event-log", "the new one", |text| text.contains("new cluster of 3")).await;
    browser.wait_ready().await;
    browser.ok("put k v").await;
    let term = browser.term().await;
    browser.ok("isolate follower").await;
    let names = ["infra1", "infra2", "infra3"];
    let mut alone = None;
    for name in names {
        if browser.text(&format!("member-card-{name}")).await.contains("isolated") {
            alone = Some(name);
        }
    }
    let alone = alone.expect("a member is isolated");
    let is_higher = |text: &str| text.trim().parse::<u64>().is_ok_and(|its| its > term + 1);
    browser.wait_text_within(LATE, &format!("term-{alone}"), "a higher term", is_higher).await;
    browser.ok("heal").await;
    for name in names {
        browser.wait_text_within(LATE, &format!("term-{name}"), "a higher term", is_higher).await;
    }
    assert!(browser.member_term(alone).await > term + 1);
    browser.ok("put k w").await;
}
