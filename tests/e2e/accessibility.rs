//! No view keeps anybody out: axe-core looks at each of them and must find nothing.
//!
//! Two pages, a desk's and a phone's, each gone through twice on the same cluster: once in each language, and once in
//! each theme, so that every two of language, theme and size meet in every view.
//! With `PLAYGROUND_EVERY` set, all three meet: twice the looks.

use std::time::Duration;

use serde_json::json;
use thirtyfour::Key;

use super::browser::Browser;

const SOON: Duration = Duration::from_secs(20);

/// Looks at `part` of what is on the screen, or at an open dialog alone, and gives back a line for each violation.
const LOOK: &str = "
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const where = document.querySelector('dialog[open]') ?? document.querySelector(part) ?? document;
    const found = await axe.run(where, { preload: false, resultTypes: ['violations'] });
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
    /// In which colours each view is looked at.
    themes: Vec<&'static str>,
    found: Vec<String>,
}

impl Browser {
    /// Puts axe-core into the page, and lets it look at a part of it; a line for each violation.
    pub(crate) async fn violations(&self, part: &str) -> Vec<String> {
        if self.run("return !window.axe").await == true {
            let path =
                std::env::var("PLAYGROUND_AXE").expect("`cargo xtask test` says where axe-core is");
            let axe =
                std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
            self.run(&axe).await;
        }
        texts(&self.run_async(&format!("const part = {part:?};{LOOK}")).await)
    }
}

fn texts(value: &serde_json::Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|it| it.as_str()).map(str::to_owned).collect()
}

impl Walk {
    fn new(browser: Browser, is_phone: bool) -> Self {
        Self { browser, is_phone, themes: Vec::new(), found: Vec::new() }
    }

    /// The colours of this time through; motion is left out, so that no colour is on its way.
    async fn wear(&self, theme: &str) {
        let features = json!([
            { "name": "prefers-color-scheme", "value": theme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.browser.devtools("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    /// What is wrong now, on the whole page.
    async fn look(&mut self, view: &str) {
        self.look_at("html", view).await;
    }

    /// What is wrong now in a part of the page: the rest was looked at before.
    async fn look_at(&mut self, part: &str, view: &str) {
        for theme in self.themes.clone() {
            if self.themes.len() > 1 {
                self.wear(theme).await;
            }
            let lines = self.browser.violations(part).await;
            self.keep(&format!("{view}, {theme}"), lines);
        }
        if self.is_phone {
            let small = self.browser.run(SMALL).await;
            self.keep(view, texts(&small));
        }
    }

    fn keep(&mut self, view: &str, lines: Vec<String>) {
        for what in lines {
            // The same element is told once, in the first view that has it.
            if !self.found.iter().any(|known| known.ends_with(&what)) {
                println!("    {view}: {what}");
                self.found.push(format!("{view}: {what}"));
            }
        }
    }

    /// On a phone: shows a panel alone.
    async fn panel(&self, name: &str) {
        if self.is_phone {
            self.browser.click(&format!("panel-{name}")).await;
        }
    }

    async fn console(&mut self) {
        self.panel("tutorial").await;
        for id in ["tutorial-step", "lesson-hint", "lesson-solution"] {
            self.browser.wait_for(id).await;
        }
        self.browser.click("lesson-hint").await;
        self.browser.click("lesson-solution").await;
        self.look("tutorial").await;
        self.browser.click("lesson-list-toggle").await;
        self.look("lessons").await;
        self.browser.click("lesson-list-toggle").await;
        self.panel("console").await;
        self.look("hello").await;
        for line in
            ["put /a/one v1", "put /a/one v2", "put /a/two v", "get /a --prefix -w table", "get"]
        {
            self.browser.command(line).await;
        }
        self.look_at(".panel-console", "answers").await;
        self.browser.write("get /\t").await;
        self.browser.wait_for("console-menu").await;
        self.look_at(".panel-console", "completions").await;
        self.browser.press(Key::Escape).await;
        self.browser.press_with_control('c').await;
        self.browser.press_with_control('r').await;
        self.browser.type_into("console-input", "put").await;
        self.look_at(".panel-console", "history").await;
        self.browser.press(Key::Escape).await;
        self.browser.press_with_control('c').await;
        self.browser.paste("get a\nget b\n").await;
        self.browser.wait_for("paste").await;
        self.look_at(".panel-console", "pasted lines").await;
        self.browser.click("paste-cancel").await;
        self.browser.start("user add alice").await;
        let asks = "return !document.querySelector('[data-testid=console-secret]').hidden";
        self.browser.wait_true("password field", SOON, asks).await;
        self.look_at(".panel-console", "password").await;
        self.browser.press_with_control('c').await;
        self.browser.click("new-tab").await;
        self.browser.start("watch /a --prefix").await;
        self.look_at(".panel-console", "a watch in a second console").await;
        self.browser.press_with_control('c').await;
        self.browser.start("etcdutl snapshot status a.db").await;
        self.browser.wait_for("file-question").await;
        self.look_at(".panel-console", "question for a file").await;
        self.browser.click("file-cancel").await;
    }

    async fn lower(&mut self) {
        self.panel("keys").await;
        self.browser.click("lower-keys").await;
        self.browser.wait_for("key-row").await;
        self.look("keys").await;
        self.browser.click("key-row").await;
        self.browser.wait_for("key-revision").await;
        self.look_at(".panel-keys", "revisions of a key").await;
        let script = "document.querySelectorAll('[data-testid=key-revision]')[1].click()";
        self.browser.run(script).await;
        self.browser.wait_for("put-line").await;
        self.browser.click("form-hex").await;
        self.look_at(".panel-keys", "an old revision").await;
        self.browser.click("form-text").await;
        let script = "document.querySelector('[data-testid=key-revision]').click()";
        self.browser.run(script).await;
        self.browser.click("compare-before").await;
        self.browser.wait_for("diff").await;
        self.look_at(".panel-keys", "two revisions").await;
        self.browser.click("compare").await;
        self.browser.wait_for("key-value").await;
        self.browser.click("look-at").await;
        self.browser.wait_for("past-row").await;
        self.look_at(".panel-keys", "keys at a revision").await;
        self.browser.click("past-back").await;
        if self.is_phone {
            self.browser.click("ribbon-back").await;
        }
        self.browser.click("keys-tree").await;
        self.browser.wait_for("key-folder").await;
        self.look_at(".panel-keys", "keys by prefix").await;
        self.browser.click("keys-flat").await;
        for view in ["log", "messages", "clocks", "quorum", "watches", "why", "exact", "commands"] {
            self.browser.click(&format!("lower-{view}")).await;
            self.browser.wait_for(&format!("{view}-view")).await;
            if view == "clocks" {
                self.browser.wait_for("moment").await;
            }
            self.look_at(".panel-keys", view).await;
        }
        self.history().await;
        self.scenario().await;
        self.time().await;
        self.browser.click("lower-commands").await;
        self.browser.click("reference-put").await;
        self.browser.wait_for("reference-page").await;
        self.look_at(".panel-keys", "page of a command").await;
        self.browser.click("lower-errors").await;
        self.browser.wait_for("errors-list").await;
        self.browser.click("error-compacted").await;
        self.browser.wait_for("error-lines").await;
        self.look_at(".panel-keys", "an entry of the errors").await;
        self.browser.click("lower-keys").await;
    }

    /// What clients did, and one of it that was chosen.
    async fn history(&mut self) {
        self.browser.click("lower-history").await;
        self.browser.wait_for("history-bar").await;
        self.browser.run("document.querySelector('[data-testid=history-bar]').click()").await;
        self.browser.wait_for("history-detail").await;
        self.look_at(".panel-keys", "history").await;
    }

    /// A scenario with a fault, and one that plays on the cluster.
    async fn scenario(&mut self) {
        self.browser.click("lower-scenario").await;
        self.write_scenario("put a 1\nkill infra9\n").await;
        self.browser.wait_for("scenario-to-fault").await;
        self.look_at(".panel-keys", "a scenario with a fault").await;
        self.write_scenario("put a 1\nwait 60s\nput a 2\n").await;
        if self.browser.run("return !document.querySelector('[data-testid=live-all]')").await
            == true
        {
            self.browser.click("scenario-live").await;
        }
        self.browser.click("live-all").await;
        // On a phone the console is shown, which is typed into.
        self.panel("keys").await;
        let plays = "return !document.querySelector('[data-testid=live-stop]').disabled";
        self.browser.wait_true("a scenario that plays", SOON, plays).await;
        self.look_at(".panel-keys", "a scenario that plays").await;
        self.browser.click("live-stop").await;
    }

    async fn write_scenario(&self, text: &str) {
        let has_text = "return !!document.querySelector('[data-testid=scenario-text]')?.value";
        self.browser.wait_true("a text", SOON, has_text).await;
        let script = format!(
            "const field = document.querySelector('[data-testid=scenario-text]');
             field.value = {text:?};
             field.dispatchEvent(new Event('input', {{ bubbles: true }}));"
        );
        self.browser.run(&script).await;
    }

    /// What can be played, a run, two timelines of it, and what stands there when a link cannot be played.
    async fn time(&mut self) {
        self.browser.click("lower-time").await;
        self.browser.wait_for("time-shelf").await;
        self.look_at(".panel-keys", "runs to play").await;
        self.browser.click("time-lessons-04-failover").await;
        self.browser.wait_for("time-run").await;
        self.browser.click("time-next-message").await;
        self.look_at(".panel-keys", "a run").await;
        self.browser.click("time-fork").await;
        self.browser.wait_for("time-b-lane").await;
        self.browser.type_into("time-b-line", "kill infra1\n").await;
        self.browser.wait_for("time-difference").await;
        self.browser.click("time-end").await;
        self.browser.wait_for("time-b-verdict").await;
        self.look_at(".panel-keys", "two timelines").await;
        self.browser.click("time-close").await;
        self.browser.type_into("time-link", "#s=broken\n").await;
        self.browser.wait_for("time-refused").await;
        self.look_at(".panel-keys", "a link that cannot be played").await;
        self.browser.click("time-close").await;
    }

    async fn cluster(&mut self) {
        self.panel("events").await;
        self.look("events").await;
        self.panel("cluster").await;
        self.look("cluster").await;
        self.browser.click("faults-matrix").await;
        self.browser.click("cell-infra1-infra2").await;
        self.browser.wait_for("link-editor").await;
        self.look_at(".panel-cluster", "faults of a link").await;
        self.browser.click("cell-infra1-infra2").await;
        self.browser.click("faults-matrix").await;
        self.browser.click("more-infra2").await;
        self.look_at(".panel-cluster", "details of a member").await;
        self.browser.click("new-cluster-5").await;
        self.browser.click("new-cluster-settings").await;
        self.look_at(".panel-cluster", "settings of a new cluster").await;
        self.browser.click("new-cluster-no").await;
        self.browser.click("remove-infra2").await;
        self.browser.wait_for("change-no").await;
        self.look_at(".panel-cluster", "question about a change").await;
        self.browser.click("change-no").await;
        self.browser.click("more-infra2").await;
        for member in ["infra1", "infra2"] {
            self.browser.click(&format!("kill-{member}")).await;
        }
        self.browser.wait_for("banner").await;
        self.look("no majority").await;
        for member in ["infra1", "infra2"] {
            self.browser.click(&format!("restart-{member}")).await;
        }
        let leads = "return !document.querySelector('.summary-item.is-missing')";
        self.browser.wait_true("a leader", SOON, leads).await;
    }

    async fn links(&mut self) {
        self.browser.click("share-button").await;
        self.browser.wait_for("share-link").await;
        self.look("share").await;
        let link = "const it = document.querySelector('[data-testid=share-link]'); return it.value ?? it.textContent";
        let link = self.browser.run(link).await;
        self.browser.click("share-close").await;
        let fragment = link.as_str().and_then(|link| link.split_once('#')).expect("a link").1;
        self.browser.run(&format!("location.hash = {fragment:?}")).await;
        self.browser.wait_for("link-close").await;
        self.look("a link").await;
        self.browser.click("link-close").await;
        self.browser.run("location.hash = 's=broken'").await;
        self.browser.wait_for("broken-link").await;
        self.look("a broken link").await;
        self.browser
            .run("document.querySelector('[data-testid=broken-link] button').click()")
            .await;
        self.browser.click("large-toggle").await;
        self.look("large type").await;
        self.browser.click("large-toggle").await;
    }

    /// The whole page in this language; `theme` is its colour unless every one is wanted.
    async fn through(&mut self, theme: &'static str) {
        let is_every = std::env::var_os("PLAYGROUND_EVERY").is_some();
        self.themes = if is_every { vec!["light", "dark"] } else { vec![theme] };
        self.wear(theme).await;
        self.console().await;
        self.lower().await;
        self.cluster().await;
        self.links().await;
    }

    /// Both languages, then what stands there when the page has stopped.
    async fn whole(mut self, themes: [&'static str; 2]) {
        self.through(themes[0]).await;
        self.browser.click("language-toggle").await;
        let is_chinese = "return document.documentElement.lang === 'zh-CN'";
        self.browser.wait_true("a page in Chinese", SOON, is_chinese).await;
        self.browser.wait_ready().await;
        self.through(themes[1]).await;
        for part in ["panicked at", "RuntimeError", "unreachable"] {
            self.browser.expect_complaint(part).await;
        }
        self.browser.run(super::stopped::PANIC).await;
        self.browser.wait_for("stopped").await;
        self.look("the page has stopped").await;
        let found = &self.found;
        assert!(found.is_empty(), "{} violations:\n    {}", found.len(), found.join("\n    "));
    }
}

/// On a desk: in English light, in Chinese dark.
pub(crate) async fn every_view_on_a_desk(browser: Browser) {
    let desk = json!({ "width": 1440, "height": 900, "deviceScaleFactor": 1, "mobile": false });
    browser.devtools("Emulation.setDeviceMetricsOverride", desk).await;
    browser.visit_ready().await;
    Walk::new(browser, false).whole(["light", "dark"]).await;
}

/// On a phone, where each control is as large as a finger, too: in English dark, in Chinese light.
pub(crate) async fn every_view_on_a_phone(browser: Browser) {
    let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true });
    browser.devtools("Emulation.setDeviceMetricsOverride", phone).await;
    browser.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true })).await;
    browser.visit_ready().await;
    Walk::new(browser, true).whole(["dark", "light"]).await;
}
