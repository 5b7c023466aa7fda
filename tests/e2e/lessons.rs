//! Lessons by clicks, and the link that reproduces what was done.

use std::time::{Duration, Instant};

use super::browser::Browser;

/// Follows the lesson of a first visit, which is the failover experiment, to its end with the mouse alone.
pub(crate) async fn the_tutorial_can_be_followed_by_clicks(browser: Browser) {
    browser.visit_ready().await;
    follow_lesson(&browser, 5).await;
    assert_eq!(browser.inputs().await["keydown"], 0, "a key was pressed");
    assert_eq!(browser.run("return location.hash").await, "#lesson=04/5");
    browser.click("lesson-list-toggle").await;
    browser.wait_text("lesson-4", "a tick in the list", |text| text.contains("done")).await;
}

/// Follows the first lesson, with a transaction that is typed line by line.
pub(crate) async fn the_first_lesson_can_be_followed_by_clicks(browser: Browser) {
    browser.visit_at("#lesson=01/1").await;
    browser.wait_ready().await;
    browser.wait_text("lesson-title", "the first lesson", |text| text.contains("First keys")).await;
    follow_lesson(&browser, 4).await;
}

/// Reading the past, watches, stale reads, lost updates: each part's goals are met by its solution, and not before.
pub(crate) async fn lessons_about_data_are_done_by_their_solutions(browser: Browser) {
    browser.visit_at("#lesson=02/1").await;
    browser.wait_ready().await;
    for lesson in [2, 3, 7, 8] {
        take_lesson(&browser, lesson).await;
    }
}

/// Compaction, Kubernetes, locks, an informer; with lessons 1 and 4 above these are ten.
pub(crate) async fn lessons_about_clients_are_done_by_their_solutions(browser: Browser) {
    browser.visit_at("#lesson=11/1").await;
    browser.wait_ready().await;
    for lesson in [11, 18, 19, 23] {
        take_lesson(&browser, lesson).await;
    }
}

/// Goes through a lesson on a cluster of its own.
async fn take_lesson(browser: &Browser, lesson: u32) {
    browser.run(&format!("location.hash = '#lesson={lesson:02}/1'")).await;
    let title = format!("{lesson}. ");
    browser.wait_text("lesson-title", "the lesson", |text| text.starts_with(&title)).await;
    wait_step(browser, "1").await;
    // The first lesson finds a cluster that fits already; the others want one that nobody wrote to.
    if browser.click_if_there("tutorial-fresh").await {
        browser.click("new-cluster-yes").await;
        let is_fresh = "return document.querySelector('[data-testid=tutorial-fresh]') === null";
        browser.wait_true("a fresh cluster", Duration::from_secs(20), is_fresh).await;
        browser.wait_ready().await;
        wait_step(browser, "1").await;
    }
    let parts = browser
        .run("return document.querySelectorAll('[data-testid^=tutorial-dot-]').length")
        .await;
    let parts = u32::try_from(parts.as_u64().unwrap_or_default()).unwrap();
    assert!(parts > 1, "lesson {lesson} has {parts} parts");
    follow_lesson(browser, parts).await;
}

/// Hint, question, address, Back and a reload.
pub(crate) async fn a_lesson_helps_and_remembers(browser: Browser) {
    browser.visit_ready().await;
    browser.wait_for("tutorial-step").await;
    browser.click("lesson-hint").await;
    browser.wait_text("lesson-hint-text", "a hint", |text| text.contains("Click")).await;
    browser.type_into("lesson-reply-0", "3").await;
    browser.click("lesson-check-0").await;
    browser.wait_text("lesson-verdict-0", "a no", |text| text.contains("otherwise")).await;
    browser.type_into("lesson-reply-0", "\u{e003}2\n").await;
    browser.wait_text("lesson-verdict-0", "a yes", |text| text.contains("Right")).await;
    follow_step(&browser, "1").await;
    assert_eq!(browser.run("return location.hash").await, "#lesson=04/2");
    browser.driver().back().await.expect("there is a way back");
    wait_step(&browser, "1").await;
    browser.driver().forward().await.expect("there is a way forward");
    wait_step(&browser, "2").await;
    browser.click("tutorial-prev").await;
    wait_step(&browser, "1").await;
    browser.reload().await;
    browser.wait_ready().await;
    wait_step(&browser, "1").await;
    let is_done = "return document.querySelector('[data-testid=tutorial-step]').dataset.done";
    assert_eq!(browser.run(is_done).await, "true", "the reload forgot what was done");
    browser.click("lesson-list-toggle").await;
    browser.click("lesson-7").await;
    browser.wait_text("lesson-title", "another lesson", |text| text.starts_with("7.")).await;
    browser.click("tutorial-fresh").await;
    browser.wait_for("new-cluster-yes").await;
}

async fn wait_step(browser: &Browser, step: &str) {
    let is_it = format!(
        "return document.querySelector('[data-testid=tutorial-step]')?.dataset.step === '{step}'"
    );
    browser.wait_true(&format!("part {step}"), Duration::from_secs(10), &is_it).await;
}

/// Follows every part of the lesson that is shown, by its solution.
async fn follow_lesson(browser: &Browser, parts: u32) {
    browser.count_inputs().await;
    for part in 1..=parts {
        wait_step(browser, &part.to_string()).await;
        let way = follow_step(browser, &part.to_string()).await;
        assert_eq!(way == Way::Ended, part == parts, "part {part}");
    }
}

/// What comes after a step.
#[derive(PartialEq, Eq)]
pub(crate) enum Way {
    On,
    Ended,
}

const IS_DONE: &str =
    "return document.querySelector('[data-testid=tutorial-step]').dataset.done === 'true'";

/// Clicks each line of the part's solution in order, then Next as soon as its goals are met.
pub(crate) async fn follow_step(browser: &Browser, step: &str) -> Way {
    wait_step(browser, step).await;
    prepare(browser).await;
    assert_ne!(browser.run(IS_DONE).await, true, "part {step} is done before anything was done");
    browser.click("lesson-solution").await;
    browser.wait_for("lesson-solution-lines").await;
    let lines = browser
        .run(
            "return [...document.querySelectorAll('[data-testid=lesson-solution-lines] button')]
                .map((line) => line.dataset.testid)",
        )
        .await;
    let lines: Vec<String> = serde_json::from_value(lines).unwrap();
    for line in &lines {
        run_line(browser, line).await;
    }
    let deadline = Instant::now() + Duration::from_secs(40);
    while browser.run(IS_DONE).await != true {
        assert!(Instant::now() < deadline, "part {step} is not done within 40 s");
        tokio::time::sleep(Duration::from_secs(2)).await;
        // A member may have lagged behind when the last line asked it: whoever learns asks again.
        if browser.run(IS_DONE).await != true
            && let Some(last) = lines.last()
        {
            run_line(browser, last).await;
        }
    }
    if !browser.all("tutorial-share").await.is_empty() {
        let fits = "const steer = document.querySelector('.steer');
            return steer.scrollWidth <= steer.clientWidth";
        assert_eq!(browser.run(fits).await, true, "the buttons at the end have room");
        return Way::Ended;
    }
    browser.click("tutorial-next").await;
    Way::On
}

/// Lets the lesson do what it does before the reader begins, if there is such a thing.
async fn prepare(browser: &Browser) {
    let state = "return document.querySelector('[data-testid=lesson-prepare]')?.dataset.state";
    if browser.run(state).await.is_null() {
        return;
    }
    browser.click("lesson-prepare").await;
    let has_ended = format!("{state} === 'ended'");
    browser.wait_true("prepared", Duration::from_secs(40), &has_ended).await;
}

/// Clicks a line of the part and waits until it has run.
async fn run_line(browser: &Browser, line: &str) {
    browser.click(line).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    browser
        .wait_true(
            "an idle console",
            Duration::from_secs(30),
            "
                const goes_on = ['watch', 'txn -i', 'lock ', 'elect '];
                const runs = [...document.querySelectorAll('[data-testid=console-block]')]
                    .filter((block) => block.dataset.running === 'true' && !goes_on.some((word) =>
                        block.querySelector('.block-line').textContent.includes(word)));
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
