//! The view of the keys: the ribbon of one, putting a value back, comparing, the tree, and the key space in the past.

use std::time::Duration;

use thirtyfour::Key;

use super::browser::Browser;

const SOON: Duration = Duration::from_secs(20);

impl Browser {
    /// Waits until the texts of the elements of this name are these.
    async fn wait_texts(&self, what: &str, selector: &str, wanted: &[&str]) {
        let wanted = serde_json::to_string(wanted).unwrap_or_default();
        let script = format!(
            "const texts = [...document.querySelectorAll(`{selector}`)].map((it) => it.textContent);
             return JSON.stringify(texts) === JSON.stringify({wanted})"
        );
        self.wait_true(what, SOON, &script).await;
    }

    /// Waits until the ribbon has these rows, newest first: revisions, and `edge`.
    async fn wait_ribbon(&self, wanted: &str) {
        let script = format!(
            "const rows = [...document.querySelectorAll('[data-testid=ribbon] [role=option]')];
             return rows.map((it) => it.dataset.revision ?? 'edge').join(' ') === '{wanted}'"
        );
        self.wait_true(&format!("ribbon {wanted}"), SOON, &script).await;
    }

    async fn choose_revision(&self, revision: u64) {
        self.run(&format!("document.querySelector('[data-revision=\"{revision}\"]').click()"))
            .await;
        let is_shown = move |text: &str| text.ends_with(&format!(" {revision}"));
        self.wait_text("key-detail", "the revision", is_shown).await;
    }

    async fn press_key(&self, key: Key) {
        self.driver()
            .action_chain()
            .key_down(key.clone())
            .key_up(key)
            .perform()
            .await
            .unwrap_or_else(|error| panic!("a key cannot be pressed: {error}"));
    }
}

/// A key's generations, tombstone and compacted edge are seen; an old value is put back by a line that the console
/// shows; two revisions are compared.
pub(crate) async fn a_key_shows_its_ribbon_and_an_old_value_is_put_back(browser: Browser) {
    browser.visit_ready().await;
    assert!(browser.text("no-keys").await.contains("No keys yet"));
    for line in [
        "put color '{\"hue\":1,\"name\":\"red\"}'",
        "put color \"it's blue\"",
        "del color",
        "put color green",
    ] {
        browser.ok(line).await;
    }
    browser.click("key-row").await;
    browser.wait_ribbon("5 4 3 2").await;
    browser.ok("compaction 4").await;
    browser.wait_ribbon("5 4 edge 3 2").await;
    let edge = browser.text("ribbon-edge").await;
    assert!(edge.contains("etcdserver: mvcc: required revision has been compacted"), "{edge}");
    let tombstone =
        "return document.querySelector('[data-revision=\"4\"] .visually-hidden').textContent";
    assert_eq!(browser.run(tombstone).await, "revision 4, deleted");
    browser.choose_revision(4).await;
    assert!(browser.text("put-hindrance").await.contains("deleted the key"));
    // As JSON where it is JSON, and in hexadecimal.
    browser.choose_revision(2).await;
    let set = |text: &str| text == "{\n  \"hue\": 1,\n  \"name\": \"red\"\n}";
    browser.wait_text("key-value", "the value as JSON", set).await;
    browser.click("form-hex").await;
    browser.wait_text("key-value", "the dump", |text| text.starts_with("00000000  7b 22")).await;
    browser.click("form-text").await;
    // What is read below the edge gets etcd's answer.
    browser.click("look-at").await;
    let refused = |text: &str| text.contains("mvcc: required revision has been compacted");
    browser.wait_text("past-error", "etcd's error", refused).await;
    browser.click("past-back").await;
    browser.choose_revision(3).await;
    assert_eq!(browser.text("put-line").await, "put color 'it'\\''s blue'");
    browser.click("put-back").await;
    browser.wait_ribbon("6 5 4 edge 3 2").await;
    assert_eq!(browser.last_answer().await.out, "OK\n");
    assert_eq!(browser.ok("get color").await, "color\nit's blue\n");
    browser.choose_revision(6).await;
    assert!(browser.text("put-hindrance").await.contains("newest revision"));
    browser.click("compare-before").await;
    let sum = |text: &str| text.contains("added: 1") && text.contains("removed: 1");
    browser.wait_text("diff-sum", "one line for another", sum).await;
    let diff = browser.text("diff").await;
    assert!(diff.contains("green") && diff.contains("it's blue"), "{diff}");
    // The pinned one itself: there is nothing to compare.
    browser.choose_revision(5).await;
    browser.wait_for("key-value").await;
    browser.click("compare").await;
    browser.wait_for("key-value").await;
}

/// Keys are grouped by prefix, found by a search, gone through by arrow keys, and shown as they were.
pub(crate) async fn keys_are_grouped_by_prefix_and_shown_as_they_were(browser: Browser) {
    browser.visit_ready().await;
    for line in [
        "put /registry/pods/default/web-1 a",
        "put /registry/pods/kube-system/dns b",
        "put /registry/secrets/default/token c",
        "put plain d",
        "del /registry/secrets/default/token",
        "put plain e",
    ] {
        browser.ok(line).await;
    }
    browser.wait_for("keys-view").await;
    browser.click("keys-tree").await;
    let names = "[data-testid=key-list] .keys-name";
    browser.wait_texts("the tree", names, &["/registry/", "pods/", "secrets/", "plain"]).await;
    let tags = "[data-testid=key-list] .is-folder .tag";
    browser.wait_texts("kinds", tags, &["Kubernetes", "resource", "resource"]).await;
    browser.run("document.querySelector('[data-testid=key-list]').focus()").await;
    for key in [Key::Home, Key::Down, Key::Right, Key::Right, Key::Right, Key::Down] {
        browser.press_key(key).await;
        // Each one starts from where the last one led.
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
    browser.wait_text("key-history", "the key", |text| text.contains("default/web-1")).await;
    let active = "const list = document.activeElement;
        const row = document.getElementById(list.getAttribute('aria-activedescendant'));
        return list.getAttribute('role') === 'tree' && row.getAttribute('role') === 'treeitem'
            && row.getAttribute('aria-level') === '4' && row.getAttribute('aria-selected') === 'true'";
    browser.wait_true("active row", SOON, active).await;
    browser.type_into("key-filter", "dns").await;
    let found = ["/registry/", "pods/", "kube-system/", "dns"];
    browser.wait_texts("what was searched for", names, &found).await;
    browser.wait_text("keys-note", "the count", |text| text.contains("1 of 4 keys")).await;
    browser.click("keys-flat").await;
    browser.wait_texts("one key", names, &["/registry/pods/kube-system/dns"]).await;
    browser.run("document.querySelector('[data-testid=key-filter]').select()").await;
    browser.press_key(Key::Backspace).await;
    // At 6 the secret had been deleted, and `plain` was what it had been before.
    browser.type_into("at-revision", "6\n").await;
    let past = "[data-testid=past-list] .keys-name";
    let all = [
        "/registry/pods/default/web-1",
        "/registry/pods/kube-system/dns",
        "/registry/secrets/default/token",
        "plain",
    ];
    browser.wait_texts("the key space at 6", past, &all).await;
    browser
        .wait_texts("deleted by then", "[data-testid=past-list] .is-deleted .tag-bad", &["deleted"])
        .await;
    browser.wait_texts("values", "[data-testid=past-list] .keys-value", &["a", "b", "", "d"]).await;
    browser.click("past-back").await;
    browser.click("keys-deleted").await;
    let living = ["/registry/pods/default/web-1", "/registry/pods/kube-system/dns", "plain"];
    browser.wait_texts("keys that exist", names, &living).await;
}
