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
        ("put", "put command needs 1 argument and input from stdin or 2 arguments"),
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

/// An owner that hangs is not waited for without end; once it answers again, it gives the cluster up.
pub(crate) async fn a_hanging_owner_does_not_hold_the_page(browser: Browser) {
    let hang =
        "setTimeout(() => { const end = Date.now() + 15000; while (Date.now() < end); }, 100)";
    browser.visit_ready().await;
    browser.ok("put k first").await;
    let second = browser.driver().new_tab().await.expect("a second tab");
    browser.run(hang).await;
    browser.driver().switch_to_window(second).await.expect("the second tab");
    browser.visit_ready().await;
    browser.click("banner-remedy").await;
    let is_told = |text: &str| text.contains("does not answer");
    browser.wait_text("banner", "that the owner does not answer", is_told).await;
    browser.ok("put k second").await;
    // The first tab is hanging still, or has just woken.
    for _ in 0..100 {
        browser.click_if_there("banner-remedy").await;
        if browser.command("get k --command-timeout=1s").await.out == "k\nfirst\n" {
            return;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    panic!("the second tab did not take the cluster over");
}

/// When the browser grants no more room, members stop and say so; with room again they start from their disks, and
/// nothing that was acknowledged is lost.
pub(crate) async fn a_full_disk_stops_members_and_loses_nothing(browser: Browser) {
    const QUOTA_BYTES: u64 = 100_000;
    browser.visit_ready().await;
    browser.expect_complaint("Quota").await;
    browser.expect_complaint("disk").await;
    let origin = browser.run("return location.origin").await;
    let limit = serde_json::json!({ "origin": origin, "quotaSize": QUOTA_BYTES });
    browser.devtools("Storage.overrideQuotaForOrigin", limit).await;
    let value = "x".repeat(1_500);
    let mut acknowledged = Vec::new();
    for number in 0..60 {
        let key = format!("full/{number}");
        let put = format!("put {key} {value} --command-timeout=3s");
        if browser.command(&put).await.failed {
            break;
        }
        acknowledged.push(key);
    }
    assert!(acknowledged.len() < 60, "the disk never became full");
    let stopped = browser.down().await;
    assert!(stopped.len() >= 2, "a write failed while a majority runs: only {stopped:?} stopped");
    for member in &stopped {
        let card = browser.text(&format!("member-card-{member}")).await;
        assert!(card.contains("Quota"), "{member} does not say what is wrong: {card}");
    }
    let no_limit = serde_json::json!({ "origin": origin });
    browser.devtools("Storage.overrideQuotaForOrigin", no_limit).await;
    for member in &stopped {
        browser.click(&format!("restart-{member}")).await;
    }
    browser.wait_ready().await;
    let found = browser.ok("get full/ --prefix --keys-only").await;
    for key in acknowledged {
        assert!(found.lines().any(|line| line == key), "{key} was acknowledged and is lost");
    }
    browser.ok("put after room").await;
}

/// A link that is broken says so and leaves the cluster alone.
pub(crate) async fn a_broken_link_is_refused(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k mine").await;
    browser.visit_at("#s=AAAAnotalink").await;
    browser.driver().refresh().await.expect("the page can be loaded again");
    browser.wait_text("broken-link-reason", "a reason", |reason| reason.contains("copy")).await;
    // Whoever reads Chinese is told in Chinese, also when the language is chosen afterwards.
    browser.run("document.querySelector('[data-testid=language-toggle]').click()").await;
    let in_chinese =
        |reason: &str| reason.contains("请重新复制完整的地址") && !reason.contains("copy");
    browser.wait_text("broken-link-reason", "a reason in Chinese", in_chinese).await;
    browser.run("document.querySelector('[data-testid=language-toggle]').click()").await;
    browser.visit_at("#").await;
    browser.reload().await;
    browser.wait_ready().await;
    assert_eq!(browser.ok("get k").await, "k\nmine\n");
}

/// Without the lab's program the dialog says so, can be closed, and asks again.
pub(crate) async fn a_lab_that_cannot_be_loaded_is_asked_again(browser: Browser) {
    browser.visit_ready().await;
    browser.expect_complaint("lab_bg.wasm").await;
    browser.ok("put k v1").await;
    let block = |urls: serde_json::Value| serde_json::json!({ "urls": urls });
    browser.devtools("Network.enable", serde_json::json!({})).await;
    browser.devtools("Network.setBlockedURLs", block(serde_json::json!(["*lab_bg.wasm*"]))).await;
    for _ in 0..2 {
        browser.click("share-button").await;
        let says_why = |text: &str| text.contains("could not be loaded") && text.contains("again");
        browser.wait_text("replay-result", "why there is no lab", says_why).await;
        assert!(browser.all("share-link").await.is_empty());
        browser.click("share-close").await;
    }
    browser.click("share-button").await;
    browser.wait_for("lab-again").await;
    browser.devtools("Network.setBlockedURLs", block(serde_json::json!([]))).await;
    browser.click("lab-again").await;
    browser.wait_for("share-link").await;
    let steps = browser.text("run-steps").await;
    assert!(steps.contains("put k v1"), "{steps}");
}

/// A watch that has moved on from a killed member ends like etcd's when no leader is left.
pub(crate) async fn a_watch_ends_without_a_leader(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k v1").await;
    browser.start("watch k --rev=2").await;
    browser.wait_text("console-output", "the first event", |text| text.contains("v1")).await;
    browser.click("new-tab").await;
    browser.command("kill infra1").await;
    browser.wait_other_leader("infra1").await;
    browser.command("kill leader").await;
    browser.command("get k --command-timeout=1s").await;
    browser.click("console-tab-1").await;
    let is_over = |text: &str| text.contains("watch was canceled (etcdserver: no leader)");
    browser.wait_text("console-output", "the end of the watch", is_over).await;
}

/// A line over the limit is refused in words, and the page stays usable.
pub(crate) async fn a_huge_put_is_refused(browser: Browser) {
    browser.visit_ready().await;
    browser
        .devtools(
            "Input.insertText",
            serde_json::json!({ "text": format!("put big {}", "x".repeat(1_572_900)) }),
        )
        .await;
    browser.type_into("console-input", "\n").await;
    let is_refused = |text: &str| text.contains("longer than 64 KiB");
    browser.wait_text("console-output", "a refusal", is_refused).await;
    assert_eq!(browser.ok("put small v").await, "OK\n");
}
