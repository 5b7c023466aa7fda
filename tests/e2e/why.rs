//! "Why?": the chain of a command from request to answer, and what it is stuck on.

use std::time::Duration;

use super::browser::Browser;

const SOON: Duration = Duration::from_secs(20);

impl Browser {
    /// Presses "Why?" of the newest block and waits for the view.
    async fn ask_why(&self) {
        self.run("[...document.querySelectorAll('[data-testid=why]')].at(-1).click()").await;
        self.wait_for("why-view").await;
    }

    /// Waits until a step of the newest call is as it should be, and gives its words.
    async fn wait_step(&self, name: &str, state: &str) -> String {
        let script = format!(
            "const step = document.querySelector('[data-testid=why-step-{name}]');
             return step !== null && step.dataset.state === '{state}'"
        );
        self.wait_true(&format!("step {name} that is {state}"), SOON, &script).await;
        self.text(&format!("why-step-{name}")).await
    }

    async fn a_follower(&self) -> &'static str {
        let leader = self.leader().await;
        if leader == "infra1" { "infra2" } else { "infra1" }
    }
}

/// A put through a follower shows all its steps with the names of the members, and leads to its entry in the log.
pub(crate) async fn why_chain(browser: Browser) {
    browser.visit_ready().await;
    let leader = browser.leader().await;
    let follower = browser.a_follower().await;
    let port = if follower == "infra1" { 12379 } else { 22379 };
    browser.ok(&format!("--endpoints 127.0.0.1:{port} put foo bar")).await;
    browser.ask_why().await;
    let proposed = browser.wait_step("proposed", "done").await;
    assert!(proposed.contains(&format!("{follower} forwarded it to {leader}")), "{proposed}");
    // The part of the member that was asked may come before the leader's.
    let wrote = format!("{leader} wrote it");
    browser.wait_text("why-step-appended", &wrote, |text| text.contains(&wrote)).await;
    let acknowledged = browser.wait_step("acknowledged", "done").await;
    assert!(acknowledged.contains(&leader) && acknowledged.contains("needs 2 of 3"));
    browser.wait_step("committed", "done").await;
    let applied = browser.wait_step("applied", "done").await;
    assert!(applied.contains(follower) && applied.contains("revision 2"), "{applied}");
    let answered = browser.wait_step("answered", "done").await;
    assert!(answered.contains(&format!("{follower} answered")), "{answered}");
    let verdict = browser.text("why-verdict").await;
    assert!(verdict.starts_with(&format!("{follower} answered after")), "{verdict}");
    browser.click("why-log").await;
    let sought = "const row = document.querySelector('.log-row.is-sought');
        return row !== null && row.textContent.includes('put foo (3 B)')";
    browser.wait_true("entry that is marked in the log", SOON, sought).await;
    // An error: the rule and what to do; then the client's own refusal.
    for value in ["1", "2", "3"] {
        browser.ok(&format!("put foo {value}")).await;
    }
    browser.ok("compact 4").await;
    browser.command("get foo --rev 2").await;
    browser.ok("why").await;
    let found = |text: &str| text.contains("has been compacted");
    browser.wait_text("why-verdict", "the error", found).await;
    let rule = browser.wait_text("why-rule", "the rule", |text| text.contains("revision 4")).await;
    assert!(rule.contains("entry at index"), "{rule}");
    browser.command("get foo --nope").await;
    browser.ask_why().await;
    let nobody = |text: &str| text.contains("No member was asked");
    browser.wait_text("why-view", "nobody was asked", nobody).await;
}

/// A put that hangs says what is missing; when that is mended the same chain completes.
pub(crate) async fn why_stuck(browser: Browser) {
    browser.visit_ready().await;
    let leader = browser.leader().await;
    let names = ["infra1", "infra2", "infra3"];
    let others: Vec<&str> = names.into_iter().filter(|name| *name != leader).collect();
    browser.ok(&format!("kill {}", others[0])).await;
    browser.ok(&format!("pause {}", others[1])).await;
    let port = &leader["infra".len()..];
    browser
        .start(&format!("--endpoints 127.0.0.1:{port}2379 --command-timeout 60s put foo bar"))
        .await;
    browser.ask_why().await;
    let down = format!("{} has been down for", others[0]);
    let paused = format!("{} has been paused for", others[1]);
    let stuck = |text: &str| text.contains(&down) && text.contains(&paused);
    let words = browser.wait_text("why-stuck", "what is missing", stuck).await;
    assert!(words.contains("needs 2 of 3, has 1"), "{words}");
    browser.click(&format!("resume-{}", others[1])).await;
    let applied = browser.wait_step("applied", "done").await;
    assert!(applied.contains(&leader), "{applied}");
    let acknowledged = browser.wait_step("acknowledged", "done").await;
    assert!(acknowledged.contains(others[1]), "{acknowledged}");
    browser.wait_step("committed", "done").await;
    // On a slow machine the member's own limit may have passed meanwhile; nothing is stuck any more either way.
    let over = |text: &str| text.contains("answered after") || text.contains("timed out");
    browser.wait_text("why-verdict", "the end", over).await;
}
