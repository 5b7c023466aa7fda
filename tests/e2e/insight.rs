//! The views that show consensus: log, clocks, quorum, what is exact; and what stands there when they do not come.

use std::time::Duration;

use thirtyfour::Key;

use super::browser::Browser;

const SOON: Duration = Duration::from_secs(20);

impl Browser {
    /// Opens a tab of the lower centre panel and waits for its view.
    async fn open_view(&self, name: &str) {
        self.click(&format!("lower-{name}")).await;
        self.wait_for(&format!("{name}-view")).await;
    }

    /// Waits until a row of the log holds a text.
    async fn wait_row(&self, text: &str) {
        let script = format!(
            "return [...document.querySelectorAll('[data-testid=log-row]')]
               .some((row) => row.textContent.includes({text:?}))"
        );
        self.wait_true(&format!("row with {text:?}"), SOON, &script).await;
    }
}

/// On a phone a press on a cell shows all of its words, and the way to its key.
pub(crate) async fn a_long_entry_is_read_whole_on_a_phone(browser: Browser) {
    let phone =
        serde_json::json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true });
    browser.devtools("Emulation.setDeviceMetricsOverride", phone).await;
    browser.visit_ready().await;
    browser.ok("put /registry/pods/a-namespace-with-a-long-name/web-0123456789 v").await;
    browser.click("panel-keys").await;
    browser.open_view("log").await;
    browser.wait_row("put /registry/pods/a-name").await;
    let press = "[...document.querySelectorAll('[data-testid=log-row]')]
        .find((row) => row.textContent.includes('put /registry/pods/a-name')).querySelector('.log-key').click()";
    browser.run(press).await;
    let whole = |text: &str| {
        text.contains("put /registry/pods/a-namespace-with-a-long-name/web-0123456789 (1 B)")
    };
    browser.wait_text("log-whole", "all of the entry", whole).await;
    browser.click("log-whole-close").await;
    browser.wait_text("log-whole", "nothing", str::is_empty).await;
    browser.run(press).await;
    browser.click("log-whole-key").await;
    browser.wait_for("keys-view").await;
}

/// The log shows what was put, and after a kill the empty entry of the new term, while the revision stays.
pub(crate) async fn the_log_shows_puts_and_the_entry_of_a_new_term(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put foo bar").await;
    browser.open_view("log").await;
    browser.wait_row("put foo (3 B)").await;
    let applied_everywhere = "return [...document.querySelectorAll('[data-testid=log-row]')]
        .filter((row) => row.textContent.includes('put foo (3 B)'))
        .some((row) => row.querySelectorAll('.log-cell[data-state=applied]').length === 3)";
    browser.wait_true("entry that is applied on all", SOON, applied_everywhere).await;
    let revision = browser.text("revision").await;
    let term = browser.term().await;
    let leader = browser.leader().await;
    browser.ok("kill leader").await;
    browser.wait_other_leader(&leader).await;
    browser.wait_row("(empty)").await;
    let empty = format!(
        "const rows = [...document.querySelectorAll('[data-testid=log-row]')];
         const last = rows.filter((row) => row.textContent.includes('(empty)')).at(-1);
         const terms = last ? [...last.querySelectorAll('.log-term')] : [];
         return terms.some((it) => Number(it.textContent) > {term})"
    );
    browser.wait_true("empty entry of the new term", SOON, &empty).await;
    assert_eq!(browser.text("revision").await, revision, "an election makes no revision");
    browser.wait_text(&format!("log-column-{leader}"), "down", |it| it.contains("down")).await;
    browser.open_view("clocks").await;
    let became = "became leader of term";
    let script = format!(
        "return [...document.querySelectorAll('[data-testid=moment]')].some((it) => {{
           const words = it.querySelector('.visually-hidden').textContent;
           return words.includes('{became}') && words.includes('the revision stayed {}');
         }})",
        revision.trim()
    );
    browser.wait_true("election on the clocks", SOON, &script).await;
    browser.ok("put foo baz").await;
    let put = "put foo (3 B)";
    browser.wait_text("clock-sentence", "the put", |text| text.contains(put)).await;
    browser.run("document.querySelector('.moment.is-current').focus()").await;
    let left = Key::Left;
    browser.driver().action_chain().key_down(left.clone()).key_up(left).perform().await.unwrap();
    browser.wait_text("clock-sentence", "the one before", |text| !text.contains("2 to 3")).await;
    // What is looked at here is marked in the other views.
    let moments = "[...document.querySelectorAll('[data-testid=moment]')]";
    let focus = format!("{moments}.find((it) => it.textContent.includes('{put}')).focus()");
    browser.run(&focus).await;
    browser.wait_text("clock-sentence", "the put again", |text| text.contains(put)).await;
    browser.open_view("log").await;
    let is_marked = format!(
        "return document.querySelector('.log-row.is-marked')?.textContent.includes('{put}')"
    );
    browser.wait_true("marked entry of the put", SOON, &is_marked).await;
}

/// One of three can only read what may be old, and the page says why.
pub(crate) async fn one_of_three_has_no_quorum(browser: Browser) {
    browser.visit_ready().await;
    browser.open_view("quorum").await;
    browser.wait_text("quorum-answer-commit", "yes", |it| it.contains("yes")).await;
    browser.click("quorum-infra2").await;
    browser.wait_text("quorum-answer-spare", "no", |it| it.contains("no")).await;
    browser.click("quorum-infra3").await;
    let words = browser.wait_text("quorum-answer-elect", "no", |it| it.contains(": no")).await;
    assert!(words.contains("needs 2 of 3, has 1"), "{words}");
    let read = browser.text("quorum-answer-serializable").await;
    assert!(read.contains(": yes"), "{read}");
    browser.click("quorum-back").await;
    browser.wait_text("quorum-answer-elect", "yes", |it| it.contains(": yes")).await;
    // What really happens is shown without asking.
    browser.ok("kill infra2").await;
    browser.wait_text("quorum-infra2", "down", |it| it.contains("down")).await;
    browser.wait_text("quorum-answer-spare", "no", |it| it.contains(": no")).await;
}

/// The counts of the suites and the list of differences are there; the choice is remembered; arrows move between tabs.
pub(crate) async fn what_is_exact_is_told_and_remembered(browser: Browser) {
    browser.visit_ready().await;
    browser.open_view("exact").await;
    // Which counts stand there is held against every whole run.
    browser.wait_for("suites").await;
    let text = browser.text("exact-view").await;
    assert!(text.contains("HashKV") && text.contains("Absent"), "{text}");
    browser.reload().await;
    browser.wait_for("exact-view").await;
    browser.run("document.querySelector('[data-testid=lower-exact]').focus()").await;
    for (key, name) in [(Key::Right, "keys"), (Key::Right, "log"), (Key::Left, "keys")] {
        browser.driver().action_chain().key_down(key.clone()).key_up(key).perform().await.unwrap();
        let script = format!(
            "const tab = document.activeElement;
             return tab.id === 'lower-{name}' && tab.getAttribute('aria-selected') === 'true'"
        );
        browser.wait_true(&format!("tab {name}"), SOON, &script).await;
    }
}

/// A program that cannot be fetched is told in a sentence, and fetched again when asked.
pub(crate) async fn a_view_that_does_not_come_is_told(browser: Browser) {
    browser.expect_complaint("insight_bg.wasm").await;
    browser.devtools("Network.enable", serde_json::json!({})).await;
    let blocked = |urls: serde_json::Value| serde_json::json!({ "urls": urls });
    let pattern = serde_json::json!(["*insight_bg.wasm*"]);
    // Before the page is opened: the lessons are in sight, and ask for it at once.
    browser.devtools("Network.setBlockedURLs", blocked(pattern)).await;
    browser.visit_ready().await;
    browser.click("lower-log").await;
    let said = |text: &str| text.contains("could not be fetched");
    browser.wait_text("insight-wait", "the failure", said).await;
    browser.devtools("Network.setBlockedURLs", blocked(serde_json::json!([]))).await;
    browser.click("insight-again").await;
    browser.wait_for("log-view").await;
    assert!(browser.all("insight-wait").await.is_empty());
}
