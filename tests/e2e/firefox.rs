//! The main path in Firefox: what Chromium shows of storage, workers, modules, locks and style must not be its own.

use std::time::Duration;

use super::browser::Browser;
use super::experiment::{elections, term_rises_by_one_per_election};

const SOON: Duration = Duration::from_secs(30);

/// Opens, writes, watches, loses its leader and goes on; keeps its cluster over a reload; speaks two languages; nobody
/// is kept out of its main views.
pub(crate) async fn the_main_path_works(browser: Browser) {
    browser.visit_ready().await;
    assert!(browser.text("storage-mode").await.contains("IndexedDB"));
    assert_eq!(browser.ok("put color red").await, "OK\n");
    assert_eq!(browser.ok("get color").await, "color\nred\n");
    browser.click("new-tab").await;
    browser.start("watch color").await;
    browser.click("console-tab-1").await;
    browser.ok("put color green").await;
    browser.click("console-tab-2").await;
    let is_told = |text: &str| text.contains("PUT\ncolor\ngreen");
    browser.wait_text("console-output", "the event", is_told).await;
    browser.click("console-stop").await;
    let is_over =
        "return !document.querySelector('[data-testid=console-block][data-running=true]')";
    browser.wait_true("end of the watch", SOON, is_over).await;
    let (old, term) = (browser.leader().await, browser.term().await);
    let held = elections(&browser).await;
    browser.click(&format!("kill-{old}")).await;
    browser.wait_other_leader(&old).await;
    term_rises_by_one_per_election(&browser, term, held).await;
    assert_eq!(browser.ok("get color").await, "color\ngreen\n");
    browser.click(&format!("restart-{old}")).await;
    browser.wait_role(&old, "follower").await;
    views(&browser).await;
    browser.reload().await;
    browser.wait_ready().await;
    assert_eq!(browser.ok("get color").await, "color\ngreen\n");
    assert_eq!(browser.ok("put color blue").await, "OK\n");
    browser.click("language-toggle").await;
    let is_chinese =
        "return document.documentElement.lang === 'zh-CN' && document.title === 'etcd 演练场'";
    browser.wait_true("a page in Chinese", SOON, is_chinese).await;
    assert_eq!(browser.ok("get color").await, "color\nblue\n");
    another_language(&browser).await;
    assert_eq!(browser.violations("html").await, Vec::<String>::new());
    // The policy is its own, too.
    let refused = browser
        .run_async(
            "const broken = new Promise((resolve) => document.addEventListener('securitypolicyviolation',
               (event) => resolve(event.effectiveDirective), { once: true }));
             const inline = document.createElement('script');
             inline.textContent = 'globalThis.inlineRan = true';
             document.body.append(inline);
             return [await broken, globalThis.inlineRan ?? false];",
        )
        .await;
    assert_eq!(refused, serde_json::json!(["script-src-elem", false]));
    browser.expect_complaint("Content Security Policy").await;
}

/// Every text is another one, and has another size: Firefox complains if what looks at sizes changes them.
async fn another_language(browser: &Browser) {
    browser.click("lower-log").await;
    for (language, height) in [("en", 640), ("zh-CN", 900), ("en", 500), ("zh-CN", 800)] {
        browser.click("language-toggle").await;
        let is_spoken = format!("return document.documentElement.lang === '{language}'");
        browser.wait_true("the other language", SOON, &is_spoken).await;
        browser.driver().set_window_rect(0, 0, 1200, height).await.unwrap();
        browser.wait_for("log-table").await;
    }
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

/// The views, which axe-core must find nothing in, a question, and a link.
async fn views(browser: &Browser) {
    let mut found = Vec::new();
    browser.click("lower-keys").await;
    browser.click("key-row").await;
    browser.wait_for("key-revision").await;
    found.extend(browser.violations("html").await);
    let views = [
        "log", "messages", "clocks", "quorum", "history", "watches", "why", "exact", "commands",
        "scenario", "time", "errors",
    ];
    for view in views {
        browser.click(&format!("lower-{view}")).await;
        browser.wait_for(&format!("{view}-view")).await;
        let (opener, opened) = match view {
            "scenario" => ("scenario-live", "live-all"),
            "time" => ("time-lessons-04-failover", "time-run"),
            "errors" => ("error-compacted", "error-lines"),
            _ => ("", ""),
        };
        if !opener.is_empty() {
            browser.click(opener).await;
            browser.wait_for(opened).await;
        }
        found.extend(browser.violations(".panel-keys").await);
    }
    browser.click("lesson-list-toggle").await;
    browser.wait_for("lesson-list").await;
    found.extend(browser.violations(".panel-tutorial").await);
    browser.click("lesson-list-toggle").await;
    browser.click("new-cluster-5").await;
    browser.click("new-cluster-settings").await;
    found.extend(browser.violations("html").await);
    browser.click("new-cluster-no").await;
    browser.click("share-button").await;
    browser.wait_for("share-link").await;
    found.extend(browser.violations("html").await);
    browser.click("share-close").await;
    found.sort();
    found.dedup();
    assert!(found.is_empty(), "{} violations:\n    {}", found.len(), found.join("\n    "));
}
