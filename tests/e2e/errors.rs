//! The catalogue of error messages: found by what was printed, read in two languages, played, and reached from an error.

use std::time::Duration;

use thirtyfour::Key;

use super::browser::Browser;

const SOON: Duration = Duration::from_secs(20);

async fn wait_entry(browser: &Browser, name: &str) {
    let script = format!(
        "const entry = document.querySelector('[data-testid=error-entry]');
         return entry !== null && entry.dataset.name === '{name}'
             && document.querySelector('[data-testid=error-lines]') !== null"
    );
    browser.wait_true(&format!("the entry {name}"), SOON, &script).await;
}

async fn hash(browser: &Browser) -> String {
    browser.run("return location.hash").await.as_str().unwrap_or_default().to_owned()
}

/// A line of a log is pasted; its entry is opened, has an address, and its lines run in the console.
pub(crate) async fn a_pasted_message_finds_its_entry(browser: Browser) {
    browser.visit_ready().await;
    browser.click("lower-errors").await;
    browser.wait_text("errors-found", "the list", |text| text.contains("154")).await;
    let pasted = r#"{"level":"warn","attempt":0,"error":"rpc error: code = OutOfRange desc = etcdserver: mvcc: required revision has been compacted"}"#;
    browser.type_into("errors-filter", pasted).await;
    wait_entry(&browser, "compacted").await;
    assert_eq!(hash(&browser).await, "#error=compacted");
    assert_eq!(browser.text("error-code").await, "OutOfRange");
    let remedy = browser.text("error-remedy").await;
    assert!(remedy.contains("List again"), "{remedy}");
    browser.type_into("errors-filter", "\u{e009}a\u{e000}\u{e003}").await;
    browser.wait_text("errors-found", "all of them", |text| text.contains("154")).await;
    browser.click("error-future-revision").await;
    wait_entry(&browser, "future-revision").await;
    assert_eq!(hash(&browser).await, "#error=future-revision");
    browser.driver().back().await.expect("there is a way back");
    wait_entry(&browser, "compacted").await;
    browser.driver().forward().await.expect("there is a way forward");
    wait_entry(&browser, "future-revision").await;
    browser.click("error-run").await;
    // They may change the cluster: nothing runs before a yes.
    browser.click("paste-run").await;
    browser
        .wait_text("console-output", "the message", |text| {
            text.contains("required revision is a future revision")
        })
        .await;
    browser.run("[...document.querySelectorAll('[data-testid=why]')].at(-1).click()").await;
    browser.wait_for("why-error").await;
    browser.click("why-error").await;
    wait_entry(&browser, "future-revision").await;
}

/// A line of a log that nothing here writes is explained, and there is nothing to play.
pub(crate) async fn a_log_line_that_nothing_here_writes_is_explained(browser: Browser) {
    browser.visit_ready().await;
    browser.click("lower-errors").await;
    browser.wait_text("errors-found", "the list", |text| text.contains("154")).await;
    let pasted =
        r#"{"level":"warn","caller":"wal/wal.go:849","msg":"slow fdatasync","took":"1.73s"}"#;
    browser.type_into("errors-filter", pasted).await;
    browser.wait_text("error-not-here", "a reason", |text| text.contains("slow-disk")).await;
    assert_eq!(hash(&browser).await, "#error=slow-fdatasync");
    let play = "return document.querySelector('[data-testid=error-play]') === null";
    browser.wait_true("nothing to play", SOON, play).await;
}

/// The list has the entry of an address in sight, wherever it stands, and a search that does not find it ends.
pub(crate) async fn the_list_shows_the_entry_of_an_address(browser: Browser) {
    let in_sight = |name: &str| {
        format!(
            "const list = document.querySelector('[data-testid=errors-list]');
             const row = document.querySelector('[data-testid=error-{name}]');
             if (list === null || row === null || row.getAttribute('aria-selected') !== 'true') return false;
             const [outer, inner] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
             return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1"
        )
    };
    browser.visit_at("#error=password-too-long").await;
    browser.wait_ready().await;
    browser.wait_true("the entry in sight", SOON, &in_sight("password-too-long")).await;
    browser.type_into("errors-filter", "learner").await;
    browser.wait_text("errors-found", "fewer", |text| !text.contains("154")).await;
    browser.run("location.hash = '#error=unknown-flag'").await;
    browser.wait_true("the other in sight", SOON, &in_sight("unknown-flag")).await;
    browser.wait_text("errors-found", "all of them", |text| text.contains("154")).await;
}

/// An address leads to an entry, in Chinese as well; one that names nothing says so.
pub(crate) async fn an_entry_has_an_address_and_speaks_chinese(browser: Browser) {
    browser.visit_at("#error=no-leader").await;
    browser.wait_ready().await;
    wait_entry(&browser, "no-leader").await;
    assert_eq!(browser.text("error-title").await, "etcdserver: no leader");
    browser.click("language-toggle").await;
    let is_chinese = |text: &str| text.contains("多数派");
    browser.wait_text("error-meaning", "a Chinese meaning", is_chinese).await;
    assert_eq!(browser.text("error-title").await, "etcdserver: no leader");
    browser.run("location.hash = '#error=nobody-knows'").await;
    browser.wait_text("error-wait", "a sentence", |text| text.contains("nobody-knows")).await;
    assert!(browser.all("errors-again").await.is_empty(), "fetching again would not bring it");
    browser.click("errors-to-list").await;
    let is_there = "return document.activeElement.dataset.testid === 'errors-filter'";
    browser.wait_true("the way to the list", SOON, is_there).await;
}

/// An entry plays in the lab: its steps are shown first.
pub(crate) async fn an_entry_plays_in_the_lab(browser: Browser) {
    browser.visit_at("#error=lease-not-found").await;
    browser.wait_ready().await;
    wait_entry(&browser, "lease-not-found").await;
    browser.click("error-play").await;
    browser.wait_text("run-steps", "the steps", |steps| steps.contains("lease grant 2")).await;
}

/// A list of many rows is one stop of the Tab key; arrows, Home and End move in it, Enter chooses, and it says what it is.
pub(crate) async fn a_long_list_is_one_stop(browser: Browser) {
    let focused = "return document.activeElement.dataset.testid ?? ''";
    let stops = |part: &str| {
        format!(
            "const rows = [...document.querySelectorAll('{part} .reference-row')];
             return [rows.length > 20, rows.filter((it) => it.tabIndex === 0).length,
                 rows.every((it) => it.role === 'option' && it.closest('[role=listbox]') !== null)]"
        )
    };
    browser.visit_ready().await;
    for (tab, part, first, second, page) in [
        ("lower-commands", ".commands", 0, 1, ".reference-page"),
        ("lower-errors", ".errors", 0, 1, "[data-testid=error-entry]"),
    ] {
        browser.click(tab).await;
        let has_rows =
            format!("return document.querySelectorAll('{part} .reference-row').length > 20");
        browser.wait_true("the list", SOON, &has_rows).await;
        let one = serde_json::json!([true, 1, true]);
        assert_eq!(browser.run(&stops(part)).await, one, "{part}");
        let row = async |at: i32| {
            let script = format!(
                "return [...document.querySelectorAll('{part} .reference-row')].at({at}).dataset.testid"
            );
            browser.run(&script).await
        };
        browser.run(&format!("document.querySelector('{part} .reference-filter').focus()")).await;
        for (key, at) in [
            (Key::Tab, first),
            (Key::Down, second),
            (Key::End, -1),
            (Key::Down, -1),
            (Key::Home, first),
            (Key::Down, second),
        ] {
            browser.press(key).await;
            assert_eq!(browser.run(focused).await, row(at).await, "{part}");
            assert_eq!(browser.run(&stops(part)).await, one, "{part}");
        }
        browser.press(Key::Enter).await;
        let chosen = format!(
            "return [...document.querySelectorAll('{part} .reference-row')][{second}].ariaSelected === 'true'
                 && !!document.querySelector('{part} {page}')"
        );
        browser.wait_true("the chosen row", SOON, &chosen).await;
        // Behind the list there is its page, not another row.
        browser.press(Key::Tab).await;
        let left =
            format!("return document.activeElement.closest('{part} [role=listbox]') === null");
        browser.wait_true("the way out of the list", SOON, &left).await;
    }
    let violations = browser.violations(".panel-keys").await;
    assert!(violations.is_empty(), "{violations:?}");
}
