//! The tutorial by clicks, and the link that reproduces what was done.

use std::time::{Duration, Instant};

use super::browser::Browser;

/// Follows the tutorial, which is the failover experiment, to its end by its own buttons and with the mouse alone.
pub(crate) async fn the_tutorial_can_be_followed_by_clicks(browser: Browser) {
    browser.visit_ready().await;
    let deadline = Instant::now() + Duration::from_secs(240);
    let mut last = String::new();
    loop {
        assert!(Instant::now() < deadline, "the tutorial stays at step {last}");
        let step = browser
            .run("return document.querySelector('[data-testid=tutorial-step]')?.dataset.step ?? ''")
            .await;
        last = step.as_str().unwrap_or_default().to_owned();
        // A step may have loaded the page again.
        browser.count_inputs().await;
        assert_eq!(browser.inputs().await["keydown"], 0, "a key was pressed before step {last}");
        if follow_step(&browser, &last).await == Way::Ended {
            assert_eq!(last, "9", "the experiment has nine steps");
            return;
        }
    }
}

/// What comes after a step.
#[derive(PartialEq, Eq)]
pub(crate) enum Way {
    On,
    Ended,
}

const CAN_GO_ON: &str = "
    if (document.querySelector('[data-testid=tutorial-share]')) {
        return !!document.querySelector('[data-testid=tutorial-done]');
    }
    const next = document.querySelector('[data-testid=tutorial-next]');
    return !!next && !next.disabled && next.getAttribute('aria-disabled') !== 'true';";

/// Clicks each line of the step in order, then Next as soon as the step is checked.
pub(crate) async fn follow_step(browser: &Browser, step: &str) -> Way {
    let lines = browser
        .run("return document.querySelectorAll('[data-testid^=tutorial-line-]').length")
        .await
        .as_u64()
        .unwrap_or(0);
    for at in 0..lines {
        run_line(browser, at).await;
    }
    let deadline = Instant::now() + Duration::from_secs(40);
    while browser.run(CAN_GO_ON).await != true {
        assert!(Instant::now() < deadline, "no way on from step {step} within 40 s");
        tokio::time::sleep(Duration::from_secs(2)).await;
        // A member may have lagged behind when the last line asked it: whoever learns asks again.
        if browser.run(CAN_GO_ON).await != true && lines > 0 {
            run_line(browser, lines - 1).await;
        }
    }
    if !browser.all("tutorial-share").await.is_empty() {
        return Way::Ended;
    }
    browser.click("tutorial-next").await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    Way::On
}

/// Clicks a line of the step and waits until it has run.
async fn run_line(browser: &Browser, at: u64) {
    browser.click(&format!("tutorial-line-{at}")).await;
    browser
        .wait_true(
            "an idle console",
            Duration::from_secs(30),
            "
                const runs = [...document.querySelectorAll('[data-testid=console-block]')]
                    .filter((block) => block.dataset.running === 'true'
                        && !block.querySelector('.block-line').textContent.includes('watch'));
                return runs.length === 0;",
        )
        .await;
    tokio::time::sleep(Duration::from_millis(150)).await;
}

/// What was typed and clicked becomes a link; another visitor's lab reproduces it exactly.
pub(crate) async fn a_shared_link_reproduces(browser: Browser) {
    browser.visit_ready().await;
    for line in ["put k v1", "put k v2", "get k -w json"] {
        browser.ok(line).await;
    }
    let leader = browser.leader().await;
    browser.click(&format!("kill-{leader}")).await;
    browser.wait_other_leader(&leader).await;
    browser.ok("put k v3").await;
    browser.ok("get k --rev=2").await;
    browser.click("share-button").await;
    browser
        .wait_true(
            "link",
            Duration::from_secs(30),
            "
        const link = document.querySelector('[data-testid=share-link]');
        return !!link && (link.value ?? link.textContent).includes('#s=');",
        )
        .await;
    browser.type_into("share-name", "Kill the leader").await;
    // The link with the old title cannot be copied.
    browser
        .wait_true(
            "a link with the title",
            Duration::from_secs(10),
            "return document.querySelector('[data-testid=share-name]').value === 'Kill the leader'
                && !document.querySelector('[data-testid=share-copy]').disabled;",
        )
        .await;
    let link = browser
        .run("const link = document.querySelector('[data-testid=share-link]'); return link.value ?? link.textContent")
        .await;
    let link = link.as_str().unwrap_or_default().trim().to_owned();
    let fragment = link.split_once('#').map(|(_, fragment)| fragment.to_owned()).unwrap();
    assert!(fragment.len() <= 2_000, "the link has {} characters", fragment.len());
    browser.visit_at(&format!("#{fragment}")).await;
    browser.driver().refresh().await.expect("the page can be loaded again");
    // The lab's program reads the link; nothing has run when its steps are shown.
    browser
        .wait_text("run-steps", "the steps of the link", |steps| {
            steps.contains("put k v1") && steps.contains("kill")
        })
        .await;
    assert_eq!(browser.text("link-title").await, "Kill the leader");
    assert!(browser.all("replay-result").await.is_empty(), "something ran before it was asked for");
    browser.click("replay").await;
    browser
        .wait_text("replay-result", "the verdict", |text| {
            text.to_lowercase().contains("reproduced exactly")
        })
        .await;
}
