//! No view keeps anybody out: axe-core looks at each of them and must find nothing.
//!
//! Four walks over all views: light and English with every rule; dark, for contrast; Chinese; a phone.

use std::time::Duration;

use thirtyfour::Key;

use super::browser::Browser;

const SOON: Duration = Duration::from_secs(20);

/// Looks at what is on the screen and gives back a line for each violation.
const LOOK: &str = "
    const found = await axe.run(document, { preload: false, resultTypes: ['violations'] });
    const why = (node) => [...node.any, ...node.all, ...node.none].map((it) => it.message).join(' ');
    return found.violations.flatMap((rule) => rule.nodes.map((node) =>
        `${rule.id}: ${node.target.join(' ')}: ${why(node)}`));";

/// Which controls are smaller than a finger, where the screen is a phone's. Unit: pixels.
const SMALL: &str = "
    const shown = (it) => it.checkVisibility({ visibilityProperty: true }) && !it.closest('.visually-hidden, .skip');
    const small = (it) => {
      const box = it.getBoundingClientRect();
      return box.width > 0 && (box.width < 43.5 || box.height < 43.5);
    };
    const open = document.querySelector('dialog[open]') ?? document;
    return [...open.querySelectorAll('button, input, textarea, summary, a[href], select')]
      .filter((it) => shown(it) && small(it))
      .map((it) => {
        const box = it.getBoundingClientRect();
        return `${it.dataset.testid ?? it.className ?? it.localName}: ${Math.round(box.width)} x ${Math.round(box.height)}`;
      });";

/// Walks from view to view and gathers what is wrong.
struct Walk {
    browser: Browser,
    is_phone: bool,
    found: Vec<String>,
}

impl Walk {
    fn new(browser: Browser, is_phone: bool) -> Self {
        Self { browser, is_phone, found: Vec::new() }
    }

    /// What is wrong now.
    async fn look(&mut self, view: &str) {
        if self.browser.run("return !window.axe").await == true {
            let path =
                std::env::var("PLAYGROUND_AXE").expect("`cargo xtask test` says where axe-core is");
            let axe =
                std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
            self.browser.run(&axe).await;
        }
        let mut lines = self.browser.run_async(LOOK).await;
        if self.is_phone {
            let small = self.browser.run(SMALL).await;
            lines.as_array_mut().unwrap().extend(small.as_array().cloned().unwrap_or_default());
        }
        for line in lines.as_array().into_iter().flatten() {
            let line = format!("{view}: {}", line.as_str().unwrap_or_default());
            // The same element is told once, in the first view that has it.
            let what = line.split_once(": ").map_or("", |(_, what)| what);
            if !self.found.iter().any(|known| known.ends_with(what)) {
                println!("    {line}");
                self.found.push(line);
            }
        }
    }

    /// On a phone: shows a panel alone.
    async fn panel(&self, name: &str) {
        if self.is_phone {
            self.browser.click(&format!("panel-{name}")).await;
        }
    }

    async fn open(&mut self, opener: &str, ready: &str, closer: &str) {
        self.browser.click(opener).await;
        self.browser.wait_for(ready).await;
        self.look(ready).await;
        self.browser.click(closer).await;
    }

    async fn console(&mut self) {
        self.panel("tutorial").await;
        self.look("tutorial").await;
        self.panel("console").await;
        self.look("hello").await;
        for line in
            ["put /a/one v1", "put /a/one v2", "put /a/two v", "get /a --prefix -w table", "get"]
        {
            self.browser.command(line).await;
        }
        self.look("answers").await;
        self.browser.write("get /\t").await;
        self.browser.wait_for("console-menu").await;
        self.look("completions").await;
        self.browser.press(Key::Escape).await;
        self.browser.press_with_control('c').await;
        self.browser.press_with_control('r').await;
        self.browser.type_into("console-input", "put").await;
        self.look("history").await;
        self.browser.press(Key::Escape).await;
        self.browser.paste("get a\nget b\n").await;
        self.browser.wait_for("paste").await;
        self.look("pasted lines").await;
        self.browser.click("paste-cancel").await;
        self.browser.start("user add alice").await;
        self.browser
            .wait_true(
                "password field",
                SOON,
                "return !document.querySelector('[data-testid=console-secret]').hidden",
            )
            .await;
        self.look("password").await;
        self.browser.press_with_control('c').await;
        self.browser.start("watch /a --prefix").await;
        self.browser.click("new-tab").await;
        self.look("two consoles").await;
        self.open("reference-open", "reference", "reference-close").await;
        self.browser.click("reference-open").await;
        self.browser.click("reference-get").await;
        self.look("page of a command").await;
        self.browser.click("reference-close").await;
        self.browser.start("etcdutl snapshot status a.db").await;
        self.browser.wait_for("file-question").await;
        self.look("question for a file").await;
        self.browser.click("file-cancel").await;
    }

    async fn lower(&mut self) {
        self.panel("keys").await;
        self.look("keys").await;
        self.browser.click("key-row").await;
        self.browser.wait_for("key-revision").await;
        self.look("revisions of a key").await;
        self.browser.click("revision-2").await;
        self.browser.wait_for("past-list").await;
        self.look("keys at a revision").await;
        for view in ["log", "clocks", "quorum", "exact"] {
            self.browser.click(&format!("lower-{view}")).await;
            self.browser.wait_for(&format!("{view}-view")).await;
            self.look(view).await;
        }
        self.browser.click("lower-keys").await;
    }

    async fn cluster(&mut self) {
        self.panel("events").await;
        self.look("events").await;
        self.panel("cluster").await;
        self.look("cluster").await;
        self.browser.click("faults-matrix").await;
        self.browser.click("cell-infra1-infra2").await;
        self.browser.wait_for("link-editor").await;
        self.look("faults of a link").await;
        self.browser.click("cell-infra1-infra2").await;
        self.browser.click("faults-matrix").await;
        self.browser.click("more-infra2").await;
        self.look("details of a member").await;
        self.open("new-cluster-5", "new-cluster-yes", "new-cluster-no").await;
        self.browser.click("remove-infra2").await;
        self.browser.wait_for("change-no").await;
        self.look("question about a change").await;
        self.browser.click("change-no").await;
        for member in ["infra1", "infra2"] {
            self.browser.click(&format!("kill-{member}")).await;
        }
        self.browser.wait_for("banner").await;
        self.look("no majority").await;
        for member in ["infra1", "infra2"] {
            self.browser.click(&format!("restart-{member}")).await;
        }
        self.browser
            .wait_true(
                "a leader",
                SOON,
                "return !document.querySelector('.summary-item.is-missing')",
            )
            .await;
        self.browser.click("share-button").await;
        self.browser.wait_for("share-link").await;
        self.look("share").await;
        let link = self.browser.run("return document.querySelector('[data-testid=share-link]').value ?? document.querySelector('[data-testid=share-link]').textContent").await;
        self.browser.click("share-close").await;
        let link = link.as_str().unwrap_or_default().to_owned();
        let fragment =
            link.split_once('#').map(|(_, after)| format!("#{after}")).unwrap_or_default();
        self.browser.run(&format!("location.hash = {fragment:?}")).await;
        self.browser.wait_for("link-close").await;
        self.look("a link").await;
        self.browser.click("link-close").await;
        self.browser.run("location.hash = '#s=broken'").await;
        self.browser.wait_for("broken-link").await;
        self.look("a broken link").await;
        self.browser
            .run("document.querySelector('[data-testid=broken-link] button').click()")
            .await;
    }

    async fn page(&mut self) {
        self.browser.click("large-toggle").await;
        self.look("large type").await;
        self.browser.click("large-toggle").await;
        for part in ["panicked at", "RuntimeError", "unreachable"] {
            self.browser.expect_complaint(part).await;
        }
        self.browser.run(super::stopped::PANIC).await;
        self.browser.wait_for("stopped").await;
        self.look("the page has stopped").await;
    }

    async fn whole(mut self) {
        self.console().await;
        self.lower().await;
        self.cluster().await;
        self.page().await;
        assert!(
            self.found.is_empty(),
            "{} violations:\n    {}",
            self.found.len(),
            self.found.join("\n    ")
        );
    }
}

/// Light, in English, on a desk.
pub(crate) async fn every_view_in_the_light(browser: Browser) {
    browser.driver().set_window_rect(0, 0, 1440, 900).await.unwrap();
    browser.visit_ready().await;
    Walk::new(browser, false).whole().await;
}

/// In the dark.
pub(crate) async fn every_view_in_the_dark(browser: Browser) {
    browser.driver().set_window_rect(0, 0, 1024, 768).await.unwrap();
    let dark =
        serde_json::json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    browser.devtools("Emulation.setEmulatedMedia", dark).await;
    browser.visit_ready().await;
    Walk::new(browser, false).whole().await;
}

/// In Chinese.
pub(crate) async fn every_view_in_chinese(browser: Browser) {
    browser.driver().set_window_rect(0, 0, 1440, 900).await.unwrap();
    browser.visit_ready().await;
    browser.click("language-toggle").await;
    Walk::new(browser, false).whole().await;
}

/// On a phone, where each control is as large as a finger, too.
pub(crate) async fn every_view_on_a_phone(browser: Browser) {
    let phone =
        serde_json::json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true });
    browser.devtools("Emulation.setDeviceMetricsOverride", phone).await;
    browser
        .devtools("Emulation.setTouchEmulationEnabled", serde_json::json!({ "enabled": true }))
        .await;
    browser.visit_ready().await;
    Walk::new(browser, true).whole().await;
}
