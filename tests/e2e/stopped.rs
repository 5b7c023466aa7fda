//! The page's own program panics: what is said then, and how it goes on.

use std::time::Duration;

use thirtyfour::Key;

use super::browser::Browser;

/// Lets the page's program panic: started once more, it finds that no worker can be made, which it cannot do without.
pub(crate) const PANIC: &str = "
    globalThis.Worker = function () { throw new Error('no workers today'); };
    import(`./app.js?v=${playground.build}`).then((app) => setTimeout(() => app.startPage()));";

/// An overlay lies over the dead page, its report holds nothing of the store, and a reload goes on from the disk.
pub(crate) async fn a_panic_of_the_page_is_told(browser: Browser) {
    for part in ["panicked at", "RuntimeError", "unreachable"] {
        browser.expect_complaint(part).await;
    }
    browser.visit_ready().await;
    browser.ok("put hidden-key hidden-value").await;
    let build = browser.run("return playground.build").await;
    // As an address of another script, the program would be another one.
    browser.run(PANIC).await;
    let report = browser.text("stopped-report").await;
    let place = report.lines().find(|line| line.starts_with("place: ")).unwrap_or_default();
    assert!(place.starts_with("place: src/browser/") && place.contains(".rs:"), "{report}");
    assert!(report.contains(&format!("build {}", build.as_str().unwrap())), "{report}");
    assert!(report.contains("became leader at term"), "{report}");
    assert!(!report.contains("hidden"), "the report holds what is stored: {report}");
    assert!(!report.contains("no workers today"), "the report holds a message: {report}");
    // The keyboard has nothing else, and the overlay does not go away.
    browser
        .driver()
        .action_chain()
        .key_down(Key::Escape)
        .key_up(Key::Escape)
        .perform()
        .await
        .unwrap();
    let focus = "return document.activeElement.dataset.testid === 'stopped-reload'
        && document.querySelector('[data-testid=stopped]').open";
    browser.wait_true("focus on the way out", Duration::from_secs(5), focus).await;
    browser
        .run(
            "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } })",
        )
        .await;
    browser.click("stopped-copy").await;
    let is_copied = "return window.copied === document.querySelector('[data-testid=stopped-report]').textContent";
    browser.wait_true("copy of the report", Duration::from_secs(5), is_copied).await;
    // No member of the dead page runs on: each holds a lock while it does.
    let idle = "return (await navigator.locks.query()).held.filter((lock) => lock.name.split('/').length === 3).length";
    assert_eq!(browser.run_async(idle).await, 0, "members run on without their page");
    browser.click("stopped-reload").await;
    browser
        .wait_true(
            "page that runs",
            Duration::from_secs(20),
            "return !document.querySelector('.stopped')",
        )
        .await;
    browser.wait_for("console-input").await;
    browser.wait_ready().await;
    assert_eq!(browser.ok("get hidden-key").await, "hidden-key\nhidden-value\n");
    browser.click("language-toggle").await;
    let is_chinese = "return document.documentElement.lang === 'zh-CN'";
    browser.wait_true("a page in Chinese", Duration::from_secs(20), is_chinese).await;
    browser.run(PANIC).await;
    browser.wait_text("stopped", "Chinese", |text| text.contains("页面已停止运行")).await;
    browser.click("stopped-reload").await;
    browser.wait_for("console-input").await;
}
