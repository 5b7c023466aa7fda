//! What goes wrong, and what the page then says.

use std::time::Duration;

use super::browser::Browser;

/// A member that panics is shown as crashed with its message, and starts again from its disk.
pub(crate) async fn a_crashed_member_restarts_from_its_disk(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k v1").await;
    let victim = browser.leader().await;
    browser.expect_complaint("panic").await;
    browser.expect_complaint("unreachable").await;
    browser.expect_complaint("Uncaught").await;
    browser.click(&format!("more-{victim}")).await;
    browser.click(&format!("crash-{victim}")).await;
    let card = format!("member-card-{victim}");
    browser.wait_text(&card, "the crash", |text| text.to_lowercase().contains("crash")).await;
    browser.wait_other_leader(&victim).await;
    browser.click(&format!("restart-{victim}")).await;
    browser.wait_role(&victim, "follower").await;
    let number = victim.trim_start_matches("infra");
    let endpoint = format!("http://127.0.0.1:{number}2379");
    assert_eq!(browser.ok(&format!("get k --endpoints={endpoint}")).await, "k\nv1\n");
}

/// Wrong lines change nothing and say what etcd says.
pub(crate) async fn wrong_lines_are_refused(browser: Browser) {
    browser.visit_ready().await;
    for (line, said) in [
        ("etcdctl frobnicate", "unknown command \"frobnicate\" for \"etcdctl\""),
        ("get foo --bogus", "unknown flag: --bogus"),
        ("put onlykey", "put command needs 1 argument and input from stdin or 2 arguments"),
        ("put 'unclosed", "quote"),
        ("put '' value", "etcdserver: key is not provided"),
        ("get foo --rev=99", "etcdserver: mvcc: required revision is a future revision"),
        (
            "get foo --endpoints=http://127.0.0.1:99999 --command-timeout=1s",
            "context deadline exceeded",
        ),
    ] {
        let answer = browser.command(line).await;
        assert!(answer.failed, "`{line}` did not fail: {answer:?}");
        assert!(answer.err.contains(said), "`{line}` says {answer:?}");
    }
    assert_eq!(browser.text("revision").await.trim(), "1", "nothing was written");
}

/// Control and bidirectional characters, and markup, are shown as text.
pub(crate) async fn hostile_text_stays_text(browser: Browser) {
    browser.visit_ready().await;
    let value = "<img src=x onerror=alert(1)>\u{202e}gpj\u{1}\u{1b}[31m";
    // A control character cannot be typed: it arrives by paste, as it would from a file.
    let script = "
        const input = document.querySelector('[data-testid=console-input]');
        input.focus();
        document.execCommand('insertText', false, VALUE);"
        .replace("VALUE", &serde_json::json!(format!("put k '{value}'")).to_string());
    browser.run(&script).await;
    browser.type_into("console-input", "\n").await;
    browser.wait_text("revision", "the write", |text| text.trim() == "2").await;
    let shown = browser.ok("get k").await;
    assert!(shown.contains("<img src=x onerror=alert(1)>"), "{shown}");
    assert!(shown.contains("\\u{202e}") && shown.contains("\\x1b"), "{shown}");
    let images = browser.run("return document.images.length").await;
    assert_eq!(images, 0, "markup became an element");
}

/// A second tab does not touch the first one's cluster, and can take it over.
pub(crate) async fn a_second_tab_gets_its_own_cluster(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k first").await;
    let first = browser.driver().window().await.expect("the first tab");
    let second = browser.driver().new_tab().await.expect("a second tab");
    browser.driver().switch_to_window(second).await.expect("the second tab");
    browser.visit_ready().await;
    browser.wait_for("banner").await;
    assert_eq!(browser.ok("get k").await, "", "the second tab has another cluster");
    browser.click("banner-remedy").await;
    for _ in 0..200 {
        if browser.command("get k").await.out == "k\nfirst\n" {
            browser.driver().switch_to_window(first).await.expect("the first tab");
            browser.wait_for("banner").await;
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("the second tab did not take the cluster over");
}

/// An owner that the browser has put to sleep is not waited for without end; once it wakes, it gives the cluster up.
pub(crate) async fn a_sleeping_owner_does_not_hold_the_page(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k first").await;
    let first = browser.driver().window().await.expect("the first tab");
    let second = browser.driver().new_tab().await.expect("a second tab");
    set_lifecycle(&browser, "frozen").await;
    browser.driver().switch_to_window(second.clone()).await.expect("the second tab");
    browser.visit_ready().await;
    browser.click("banner-remedy").await;
    browser
        .wait_text("banner", "that the owner does not answer", |text| {
            text.contains("does not answer")
        })
        .await;
    browser.ok("put k second").await;
    browser.driver().switch_to_window(first).await.expect("the first tab");
    set_lifecycle(&browser, "active").await;
    browser.driver().switch_to_window(second).await.expect("the second tab");
    browser.click("banner-remedy").await;
    for _ in 0..100 {
        if browser.command("get k").await.out == "k\nfirst\n" {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("the second tab did not take the cluster over");
}

async fn set_lifecycle(browser: &Browser, state: &str) {
    let tools = thirtyfour::extensions::cdp::ChromeDevTools::new(browser.driver().handle.clone());
    let wanted = serde_json::json!({ "state": state });
    tools
        .execute_cdp_with_params("Page.setWebLifecycleState", wanted)
        .await
        .expect("a lifecycle state");
}

/// A link that is broken says so and leaves the cluster alone.
pub(crate) async fn a_broken_link_is_refused(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k mine").await;
    browser.visit_at("#s=AAAAnotalink").await;
    browser.driver().refresh().await.expect("the page can be loaded again");
    let reason = browser.text("broken-link-reason").await;
    assert!(!reason.trim().is_empty());
    browser.visit_at("#").await;
    browser.reload().await;
    browser.wait_ready().await;
    assert_eq!(browser.ok("get k").await, "k\nmine\n");
}
