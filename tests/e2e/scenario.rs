//! The editor of scenarios: written with real keys, mended, played in the lab and on the cluster, shared, and edited again.

use std::time::Duration;

use etcd_playground::scenario::{Script, link};

use super::browser::Browser;

/// How long the lab, or a run on the cluster, may take.
const RUN: Duration = Duration::from_secs(90);

impl Browser {
    async fn open_editor(&self) {
        self.click("lower-scenario").await;
        self.wait_for("scenario-text").await;
        self.wait_true(
            "a text",
            Duration::from_secs(20),
            "return document.querySelector('[data-testid=scenario-text]')?.value.length > 0",
        )
        .await;
    }

    /// Writes a text in the place of what stands in the editor, key by key.
    async fn write_scenario(&self, text: &str) {
        self.click("scenario-text").await;
        self.press_with_control('a').await;
        self.type_into("scenario-text", text).await;
    }

    async fn written(&self) -> String {
        let text =
            self.run("return document.querySelector('[data-testid=scenario-text]').value").await;
        text.as_str().unwrap_or_default().to_owned()
    }

    /// The link that the dialog made.
    async fn made_link(&self) -> String {
        self.wait_true(
            "a link",
            RUN,
            "return !!document.querySelector('[data-testid=share-link]')?.value.includes('#s=')",
        )
        .await;
        let link =
            self.run("return document.querySelector('[data-testid=share-link]').value").await;
        let link = link.as_str().unwrap_or_default().to_owned();
        link.split_once('#').map(|(_, fragment)| fragment.to_owned()).unwrap()
    }

    /// Opens a link as somebody does who got it, and has the lab reproduce it.
    async fn reproduces(&self, fragment: &str) {
        self.visit_at(&format!("#{fragment}")).await;
        self.driver().refresh().await.expect("the page can be loaded again");
        self.click("replay").await;
        let said = |text: &str| text.to_lowercase().contains("reproduced exactly");
        self.wait_text_within(RUN, "replay-result", "the verdict", said).await;
    }

    async fn marks(&self) -> Vec<String> {
        let marks = self
            .run(
                "return [...document.querySelectorAll('[data-testid=scenario-rows] [data-mark]')]
                    .map((mark) => mark.dataset.mark)",
            )
            .await;
        serde_json::from_value(marks).unwrap_or_default()
    }
}

/// A fault has its line and column; mended, the text plays in the lab, and its link reproduces.
pub(crate) async fn a_scenario_is_written_mended_played_and_shared(browser: Browser) {
    browser.visit_ready().await;
    browser.open_editor().await;
    browser.write_scenario("title: Two puts\nput a 1\nkill infra9\n").await;
    browser
        .wait_text("scenario-status", "the fault's place", |text| {
            text.starts_with("Line 3, column 6:") && text.contains("expected a member")
        })
        .await;
    assert_eq!(browser.written().await, "title: Two puts\nput a 1\nkill infra9\n");
    assert!(!browser.wait_for("scenario-lab").await.is_enabled().await.unwrap());
    browser.click("language-toggle").await;
    browser
        .wait_text("scenario-status", "the same in Chinese", |text| {
            text.starts_with("第 3 行第 6 列：此处应为成员") && !text.contains("expected")
        })
        .await;
    browser.click("language-toggle").await;
    browser.wait_text("scenario-status", "English", |text| text.starts_with("Line 3,")).await;
    browser.click("scenario-to-fault").await;
    let place = browser
        .run("const it = document.activeElement; return [it.dataset.testid, it.selectionStart]")
        .await;
    assert_eq!(place, serde_json::json!(["scenario-text", 29]));
    browser
        .write_scenario("title: Two puts\nput a 1\nkill leader\nwait for leader changed within 30s\nput a 2\nget a\nexpect output contains 2\n")
        .await;
    browser.wait_text("scenario-status", "a scenario", |text| text.contains("can be played")).await;
    browser.wait_text("scenario-rows", "the outline", |rows| rows.contains("kill leader")).await;
    browser.click("scenario-lab").await;
    let fragment = browser.made_link().await;
    assert!(fragment.len() <= 2_000, "{} characters", fragment.len());
    browser.wait_text("replay-tally", "two met", |text| text.contains("2 of 2")).await;
    browser.click("share-close").await;
    let size = format!("{} characters", fragment.len());
    browser.wait_text("scenario-counts", "the link's size", |text| text.contains(&size)).await;
    // Tab leaves the text.
    browser.click("scenario-text").await;
    browser.type_into("scenario-text", "\t").await;
    let left = "return document.activeElement.dataset.testid !== 'scenario-text'";
    browser.wait_true("the focus elsewhere", Duration::from_secs(5), left).await;
    let written = browser.written().await;
    browser.reproduces(&fragment).await;
    browser.click("link-close").await;
    browser.open_editor().await;
    assert_eq!(browser.written().await, written, "the draft is remembered");
    browser.click("scenario-more").await;
    browser.click("template-empty").await;
    browser.click("scenario-undo").await;
    assert_eq!(browser.written().await, written);
}

/// What was typed and clicked goes into the editor, is changed there, and shared again; passwords are in none of it.
pub(crate) async fn a_session_is_edited_and_shared(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k v1").await;
    browser.ok("user add alice:s3cret").await;
    browser.ok("get k").await;
    browser.click("share-button").await;
    browser.made_link().await;
    browser
        .wait_text("run-steps", "what is left out", |text| {
            text.contains("1 line with passwords is left out of every link")
        })
        .await;
    browser.click("share-edit").await;
    browser.wait_for("scenario-text").await;
    browser
        .wait_true(
            "the session in the editor",
            Duration::from_secs(20),
            "return document.querySelector('[data-testid=scenario-text]').value.includes('put k v1')",
        )
        .await;
    let focused = "return document.activeElement.dataset.testid === 'scenario-text'";
    browser.wait_true("the focus in the text", Duration::from_secs(5), focused).await;
    let text = browser.written().await;
    assert!(!text.contains("s3cret") && !text.contains("alice"), "{text}");
    assert!(!text.contains("expect:"), "{text}");
    browser.click("scenario-text").await;
    browser.type_into("scenario-text", "\u{e009}\u{e010}\u{e000}expect output contains v1\n").await;
    browser.click("scenario-lab").await;
    let fragment = browser.made_link().await;
    browser.wait_text("replay-tally", "one met", |text| text.contains("1 of 1")).await;
    browser.click("share-close").await;
    browser.reproduces(&fragment).await;
}

/// A scenario runs on the live cluster, with a mark for each step; it can be taken step by step, and stopped.
pub(crate) async fn a_scenario_plays_on_the_cluster(browser: Browser) {
    browser.visit_ready().await;
    browser.open_editor().await;
    browser
        .write_scenario("put a 1\nexpect output contains OK\nkill leader\nwait for leader changed within 30s\nexpect term is 99\nrestart killed\nwait for all are up within 30s\nexpect no write lost\n")
        .await;
    browser.click("scenario-live").await;
    browser.click("live-all").await;
    let ended = |text: &str| text.contains("It ended: 4 expectations were met, 1 was not.");
    browser.wait_text_within(RUN, "live-said", "its end", ended).await;
    assert_eq!(
        browser.marks().await,
        ["done", "met", "done", "met", "unmet", "done", "met", "met"]
    );
    browser
        .wait_text("scenario-rows", "what was found", |text| text.contains("Not as expected: term"))
        .await;
    browser.write_scenario("put b 1\nput b 2\nput b 3\n").await;
    browser
        .wait_text("live-other", "there is data", |text| text.contains("has data already"))
        .await;
    browser.wait_for("live-make").await;
    browser.click("live-step").await;
    browser.wait_text("live-said", "the second step", |text| text.contains("line 2")).await;
    browser.click("live-step").await;
    browser.wait_text("live-said", "the third step", |text| text.contains("line 3")).await;
    browser.click("live-stop").await;
    browser.wait_text("live-said", "a stop", |text| text.contains("Stopped")).await;
    assert_eq!(browser.ok("get b").await, "b\n2\n");
}

/// The address of somebody's link is there as long as its dialog; Back closes it, Forward opens it, and editing leaves it.
pub(crate) async fn a_link_goes_with_back_and_forward(browser: Browser) {
    let script = Script::parse("title: Theirs\nput a 1\n").unwrap();
    let fragment = link::write(&script).unwrap();
    browser.visit_ready().await;
    browser.run(&format!("location.hash = '{fragment}'")).await;
    browser.wait_text("link-title", "its title", |text| text == "Theirs").await;
    browser.driver().back().await.expect("there is a way back");
    wait_dialog(&browser, false).await;
    assert_ne!(browser.run("return location.hash").await, format!("#{fragment}"));
    browser.driver().forward().await.expect("there is a way forward");
    wait_dialog(&browser, true).await;
    browser.wait_text("link-title", "its title", |text| text == "Theirs").await;
    browser.click("share-edit").await;
    wait_dialog(&browser, false).await;
    browser.wait_for("scenario-text").await;
    browser
        .wait_true(
            "their text",
            Duration::from_secs(20),
            "return document.querySelector('[data-testid=scenario-text]').value.includes('title: Theirs')",
        )
        .await;
    assert_eq!(browser.run("return location.hash").await, "");
    browser.driver().back().await.expect("there is a way back");
    wait_dialog(&browser, true).await;
    browser.click("link-close").await;
    wait_dialog(&browser, false).await;
    assert_eq!(browser.run("return location.hash").await, "");
}

async fn wait_dialog(browser: &Browser, is_open: bool) {
    let script =
        format!("return document.querySelector('[data-testid=share-dialog]').open === {is_open}");
    browser.wait_true("the dialog of links", Duration::from_secs(10), &script).await;
}
