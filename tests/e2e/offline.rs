//! The page without its server, and from one version to the next.

use std::time::Duration;

use super::browser::Browser;
use super::mirror::{Mirror, NEWER};

const SOON: Duration = Duration::from_secs(30);

/// The service worker has all files and serves this page.
/// A busy machine's browser takes its time for a new version.
const LATER: Duration = Duration::from_secs(90);

const IS_KEPT: &str = "return !!navigator.serviceWorker.controller && navigator.serviceWorker.controller.state === 'activated'";

impl Browser {
    /// Opens the page and waits until a later visit needs no server.
    async fn visit_kept(&self) {
        self.visit_ready().await;
        self.wait_true("copy of the page", SOON, IS_KEPT).await;
    }

    /// The builds whose files are kept.
    async fn builds_kept(&self) -> Vec<String> {
        let names = self.run_async("return await caches.keys()").await;
        let id = |name: &str| name.rsplit(' ').next().unwrap_or_default().to_owned();
        names.as_array().into_iter().flatten().filter_map(|name| name.as_str()).map(id).collect()
    }
}

/// After one visit everything works without a server: cluster, views, lab; under the same policy.
pub(crate) async fn a_second_visit_needs_no_server(browser: Browser) {
    let mirror = Mirror::before(browser.url());
    let browser = browser.at(&mirror.url());
    browser.visit_kept().await;
    browser.ok("put k before").await;
    mirror.be_silent(true);
    browser.driver().goto("about:blank").await.unwrap();
    browser.visit_ready().await;
    assert_eq!(browser.ok("get k").await, "k\nbefore\n");
    browser.ok("put k after").await;
    assert!(browser.ok("get k -w json").await.contains("\"count\":1"), "a rare command runs");
    let leader = browser.leader().await;
    browser.click(&format!("kill-{leader}")).await;
    browser.wait_other_leader(&leader).await;
    browser.click(&format!("restart-{leader}")).await;
    browser.wait_role(&leader, "follower").await;
    for view in ["log", "clocks", "quorum", "history", "exact"] {
        browser.click(&format!("lower-{view}")).await;
        browser.wait_for(&format!("{view}-view")).await;
    }
    // The counts of the suites are a file of their own.
    browser.wait_for("suites").await;
    browser.click("share-button").await;
    browser.wait_for("share-link").await;
    browser.click("share-close").await;
    let policies = browser
        .run_async(
            "const policy = async (address) => (await caches.match(address)).headers.get('content-security-policy');
             const page = new URL('./', location).href;
             return [await policy(page), await policy(`${page}node_worker.mjs?v=${playground.build}`)]",
        )
        .await;
    for policy in policies.as_array().unwrap() {
        let policy = policy.as_str().unwrap_or_default();
        assert!(policy.starts_with("default-src 'none'; script-src 'self' 'wasm-"), "{policy}");
    }
    assert_eq!(browser.builds_kept().await.len(), 1);
}

/// A new version is offered, taken when somebody says so, and never mixed with the old one; what is old goes.
pub(crate) async fn a_new_version_waits_for_a_yes(browser: Browser) {
    let mirror = Mirror::before(browser.url());
    let browser = browser.at(&mirror.url());
    browser.visit_kept().await;
    browser.ok("put k mine").await;
    let build = browser.run("return playground.build").await;
    let build = build.as_str().unwrap().to_owned();
    let is_of = |build: &str| format!("return playground.build === '{build}'");
    mirror.become_newer();
    browser.reload().await;
    browser.wait_ready().await;
    // A browser looks by itself after a page has come, when it has nothing else to do.
    browser.run_async("(await navigator.serviceWorker.getRegistration()).update(); return 0").await;
    browser.wait_true("offer", LATER, "return !!document.querySelector('.fresh')").await;
    browser.wait_true("page of the old version", SOON, &is_of(&build)).await;
    browser.click("language-toggle").await;
    browser.wait_text("fresh", "Chinese", |text| text.contains("新版本")).await;
    browser.click("language-toggle").await;
    browser.wait_text("fresh", "English", |text| text.contains("new version")).await;
    browser.click("fresh-later").await;
    assert!(browser.all("fresh").await.is_empty());
    // A second page of the old version.
    let first = browser.driver().window().await.unwrap();
    let second = browser.driver().new_tab().await.unwrap();
    browser.driver().switch_to_window(second).await.unwrap();
    browser.visit_ready().await;
    browser.wait_true("page of the old version", SOON, &is_of(&build)).await;
    browser.driver().switch_to_window(first.clone()).await.unwrap();
    browser.reload().await;
    browser.click("fresh-take").await;
    browser.wait_true("page of the new version", SOON, &is_of(NEWER)).await;
    browser.wait_ready().await;
    assert_eq!(browser.ok("get k").await, "k\nmine\n");
    // The other page is told, and still gets the files that fit it.
    let tabs = browser.driver().windows().await.unwrap();
    let other = tabs.into_iter().find(|tab| *tab != first).unwrap();
    browser.driver().switch_to_window(other).await.unwrap();
    browser.wait_for("fresh").await;
    let fetched = |name: &str, build: &str| {
        format!(
            "const it = await fetch('{name}?v={build}'); return [it.status, (await it.text()).includes('{NEWER}')]"
        )
    };
    let old = browser.run_async(&fetched("lab_worker.mjs", &build)).await;
    assert_eq!(old, serde_json::json!([200, false]));
    browser.click("lower-log").await;
    browser.wait_for("log-view").await;
    browser.expect_complaint("0123456789abcdef").await;
    let unknown = browser.run_async(&fetched("lab_worker.mjs", "0123456789abcdef")).await;
    assert_eq!(unknown, serde_json::json!([410, false]));
    browser.click("fresh-take").await;
    browser.wait_true("page of the new version", SOON, &is_of(NEWER)).await;
    // Nobody needs the old files any more.
    for _ in 0..100 {
        if browser.builds_kept().await == [NEWER] {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("old files stay: {:?}", browser.builds_kept().await);
}
