//! The view of time: a lesson and a seed played in the lab, rewound, forked, changed, and driven by the keyboard alone.

use std::time::Duration;

use etcd_playground::scenario::{Script, link};
use thirtyfour::Key;

use super::browser::Browser;

const SOON: Duration = Duration::from_secs(30);

impl Browser {
    /// Opens the view, and a lesson in it.
    async fn open_lesson_in_time(&self, name: &str) {
        self.visit_ready().await;
        self.click("lower-time").await;
        self.wait_for("time-shelf").await;
        self.click(&format!("time-lessons-{name}")).await;
        self.wait_for("time-run").await;
    }

    /// The number of the event at which a timeline stands.
    async fn event_of(&self, lane: &str) -> u64 {
        let place = self.text(&format!("time-{lane}-place")).await;
        let number = place.split(' ').nth(1).map(|word| word.trim_end_matches(','));
        number.and_then(|it| it.parse().ok()).unwrap_or_else(|| panic!("no event in {place:?}"))
    }

    /// Waits until a timeline stands at an event.
    async fn wait_event(&self, lane: &str, what: &str, is_it: impl Fn(u64) -> bool) -> u64 {
        let event = |text: &str| -> Option<u64> {
            text.split(' ').nth(1)?.trim_end_matches(',').parse().ok()
        };
        let id = format!("time-{lane}-place");
        let text = self.wait_text(&id, what, |text| event(text).is_some_and(&is_it)).await;
        event(&text).unwrap_or_default()
    }

    /// Drags the scrubber.
    async fn scrub(&self, to: u64) {
        let script = format!(
            "const range = document.querySelector('[data-testid=time-range]');
             range.value = {to};
             range.dispatchEvent(new Event('input', {{ bubbles: true }}));"
        );
        self.run(&script).await;
    }

    async fn key(&self, key: impl Into<char>) {
        let key: char = key.into();
        self.driver().action_chain().key_down(key).key_up(key).perform().await.unwrap();
    }

    /// Somebody's link, watched in this view: a reload returns to the moment, and no dialog stands before it.
    async fn a_moment_of_a_link_is_kept(&self) {
        let text = "script: 2\ncluster: members=1\nput a b\n";
        let link = Script::parse(text).ok().and_then(|script| link::write(&script).ok());
        let link = link.expect("a short script has a link");
        self.type_into("time-link", &format!("https://example.org/#{link}\n")).await;
        self.wait_for("time-run").await;
        self.click("time-next-event").await;
        self.click("time-next-event").await;
        let address = format!("return location.hash === '#time={link}@2'");
        self.wait_true("the address names link and moment", SOON, &address).await;
        self.reload().await;
        self.wait_ready().await;
        self.wait_event("a", "the same after a reload", |event| event == 2).await;
        let is_open = "return !!document.querySelector('[data-testid=share-dialog]')?.open";
        assert_eq!(self.run(is_open).await, false, "the dialog of links");
        self.click("time-close").await;
        self.wait_for("time-shelf").await;
    }
}

/// A lesson goes to its end and back to its middle, is forked there, and a timer that is fired makes another future.
pub(crate) async fn a_lesson_is_rewound_and_forked(browser: Browser) {
    browser.open_lesson_in_time("04-failover").await;
    assert_eq!(browser.event_of("a").await, 0);
    browser.click("time-end").await;
    browser.wait_text("time-a-verdict", "the checks", |text| text.contains("checks met")).await;
    let end = browser.event_of("a").await;
    browser.scrub(end / 2).await;
    browser.wait_event("a", "the middle", |event| event == end / 2).await;
    assert!(browser.all("time-a-verdict").await.is_empty());
    browser.click("time-next-message").await;
    let there = browser.wait_event("a", "a message later", |event| event > end / 2).await;
    browser.click("time-fork").await;
    browser.wait_for("time-b-lane").await;
    assert_eq!(browser.event_of("b").await, there);
    let said = |text: &str| text.contains("nothing was changed");
    browser.wait_text("time-first", "no difference", said).await;
    let fire = "document.querySelector('[data-testid^=time-b-fire-]').click()";
    browser.run(fire).await;
    let said = |text: &str| text.contains("First difference");
    browser.wait_text("time-first", "the first difference", said).await;
    browser.wait_text("time-b-changes", "the change", |text| text.contains("event ")).await;
    browser.wait_text("time-outcome", "the outcomes", |text| text.contains("outcomes")).await;
    browser.click("time-difference").await;
    let one = browser.wait_event("a", "the difference", |event| event > there).await;
    browser.wait_event("b", "the difference", |event| event == one).await;
    // The driver would scroll it behind the scrubber, which stays in sight.
    let middle =
        "document.querySelector('[data-testid=time-b-undo]').scrollIntoView({ block: 'center' })";
    browser.run(middle).await;
    browser.click("time-b-undo").await;
    let said = |text: &str| text.contains("nothing was changed");
    browser.wait_text("time-first", "no difference again", said).await;
    browser.click("time-b-close").await;
    browser
        .wait_true(
            "one timeline",
            SOON,
            "return !document.querySelector('[data-testid=time-b-lane]')",
        )
        .await;
}

/// A message is dropped and a line is run where a run stands; what the line printed is there at the end.
pub(crate) async fn a_message_is_dropped_and_a_line_is_run(browser: Browser) {
    browser.open_lesson_in_time("01-first-keys").await;
    let has_flight = "return !!document.querySelector('[data-testid=time-a-drop]')";
    for _ in 0..40 {
        if browser.run(has_flight).await == true {
            break;
        }
        let before = browser.event_of("a").await;
        browser.click("time-next-message").await;
        browser.wait_event("a", "the next message", |event| event > before).await;
    }
    browser.run("document.querySelector('[data-testid=time-a-drop]').click()").await;
    browser.wait_text("time-a-changes", "the change", |text| text.contains("event ")).await;
    browser.type_into("time-a-line", "etcdctl put from time\n").await;
    browser.wait_text("time-a-changes", "two changes", |text| text.contains("put from time")).await;
    browser.type_into("time-a-line", "kill infra99\n").await;
    let is_bad =
        "return document.querySelector('[data-testid=time-notice]').dataset.kind === 'bad'";
    browser.wait_true("a refusal", SOON, is_bad).await;
    browser.click("time-end").await;
    browser.wait_for("time-a-verdict").await;
    let own = "[...document.querySelectorAll('[data-testid=time-a-step]')].pop().click()";
    browser.run(own).await;
    browser.wait_text("time-a-printed", "its output", |text| text.contains("OK")).await;
}

/// A seed in the address plays here, and says how it came out.
pub(crate) async fn a_seed_plays_to_its_end(browser: Browser) {
    browser.visit_at("#seed=7").await;
    browser.wait_ready().await;
    browser.wait_text("time-title", "the seed", |text| text == "Seed 7").await;
    browser.click("time-end").await;
    let said = |text: &str| text.starts_with("Valid");
    browser.wait_text("time-a-verdict", "the verdict", said).await;
    browser.click("time-close").await;
    browser.type_into("time-seed", "many\n").await;
    let said = |text: &str| text.contains("whole number");
    browser.wait_text("time-seed-error", "what a seed is", said).await;
}

/// With the keyboard alone: a lesson is chosen, gone through, played and stopped.
pub(crate) async fn time_is_driven_by_keys(browser: Browser) {
    browser.visit_ready().await;
    browser.run("document.querySelector('[data-testid=lower-keys]').focus()").await;
    browser.count_inputs().await;
    for _ in 0..12 {
        browser.key(Key::Right).await;
        if !browser.all("time-shelf").await.is_empty() {
            break;
        }
    }
    browser.wait_for("time-shelf").await;
    let reach =
        |id: &'static str| format!("return document.activeElement?.dataset.testid === '{id}'");
    for _ in 0..30 {
        if browser.run(&reach("time-lessons-02-reading-the-past")).await == true {
            break;
        }
        browser.key(Key::Tab).await;
    }
    browser.key(Key::Enter).await;
    browser.wait_for("time-run").await;
    for _ in 0..12 {
        if browser.run(&reach("time-play")).await == true {
            break;
        }
        browser.key(Key::Tab).await;
    }
    browser.key(Key::Right).await;
    browser.wait_event("a", "the first event", |event| event == 1).await;
    browser.key(Key::Left).await;
    browser.wait_event("a", "the start", |event| event == 0).await;
    browser.key('m').await;
    let message = browser.wait_event("a", "a message", |event| event > 0).await;
    browser.wait_text("time-told", "what arrived", |text| text.contains("arrives at")).await;
    browser.key('t').await;
    let tick = browser.wait_event("a", "a tick", |event| event > message).await;
    browser.key('s').await;
    browser.wait_event("a", "a step", |event| event > tick).await;
    browser.key(Key::Enter).await;
    let plays =
        "return document.querySelector('[data-testid=time-play]').dataset.playing === 'true'";
    browser.wait_true("it plays", SOON, plays).await;
    browser.key(Key::Enter).await;
    let stands =
        "return document.querySelector('[data-testid=time-play]').dataset.playing === 'false'";
    browser.wait_true("it stands", SOON, stands).await;
    assert_eq!(browser.inputs().await["pointerdown"], 0, "the mouse was used");
}

/// The script is one stop of the Tab key: arrows choose a step and show what it printed, Enter goes there; the address follows,
/// and Back leads to the list.
pub(crate) async fn a_script_is_gone_through_by_keys(browser: Browser) {
    browser.visit_at("#time=lesson-04@40").await;
    browser.wait_ready().await;
    browser.wait_text("time-title", "the lesson", |text| text.starts_with("4. ")).await;
    browser.wait_event("a", "the event of the address", |event| event == 40).await;
    browser.wait_text("time-lab", "that it is the lab", |text| text.contains("lab")).await;
    let stops =
        "return document.querySelectorAll('[data-testid=time-a-step][tabindex=\"0\"]').length";
    assert_eq!(browser.run(stops).await, 1);
    browser.click("time-end").await;
    browser.wait_text("time-a-verdict", "the checks", |text| text.contains("0 not met")).await;
    let first = "document.querySelector('[data-testid=time-a-step][tabindex=\"0\"]').focus()";
    browser.run(first).await;
    browser.key(Key::Home).await;
    let is_there = "const row = document.activeElement;
        return row.dataset.kind === 'line' && row.textContent.includes('endpoint status -w table')";
    for _ in 0..60 {
        if browser.run(is_there).await == true {
            break;
        }
        let was = browser.run("return document.activeElement.id").await;
        browser.key(Key::Down).await;
        let moved = format!("return document.activeElement.id !== {was}");
        browser.wait_true("the next row", SOON, &moved).await;
    }
    browser.wait_text("time-a-printed", "the table", |text| text.contains("IS LEADER")).await;
    let is_option = "return document.activeElement?.dataset.testid === 'time-a-step'";
    assert_eq!(browser.run(is_option).await, true);
    browser.key(Key::Enter).await;
    let there = browser.wait_event("a", "where it began", |event| event < 200).await;
    let address = format!("return location.hash === '#time=lesson-04@{there}'");
    browser.wait_true("the address follows", SOON, &address).await;
    browser.reload().await;
    browser.wait_ready().await;
    browser.wait_event("a", "the same after a reload", |event| event == there).await;
    browser.click("time-close").await;
    browser.wait_for("time-shelf").await;
    browser.wait_true("no address", SOON, "return location.hash === ''").await;
    browser.run("history.back()").await;
    browser.wait_event("a", "Back leads to the run", |event| event == there).await;
    browser.run("history.forward()").await;
    browser.wait_for("time-shelf").await;
    browser.run("location.hash = '#time=lesson-99'").await;
    let said = |text: &str| text.contains("does not exist");
    browser.wait_text("time-shelf-told", "that there is none", said).await;
    browser.wait_true("it is not kept", SOON, "return location.hash === ''").await;
    browser.a_moment_of_a_link_is_kept().await;
}

/// What was just done is played in the lab, and a thousand events a second reach the end, which is told.
pub(crate) async fn what_was_done_is_played_fast(browser: Browser) {
    browser.visit_ready().await;
    browser.click("lower-time").await;
    browser.wait_for("time-shelf").await;
    browser.click("time-session").await;
    let said = |text: &str| text.contains("Nothing has been recorded");
    browser.wait_text("time-shelf-told", "that nothing was done", said).await;
    browser.ok("put a b").await;
    browser.click("time-session").await;
    browser.wait_text("time-title", "the session", |text| text == "What I just did").await;
    browser.click("time-speed-events-1000").await;
    browser.click("time-play").await;
    browser.wait_for("time-a-verdict").await;
    browser.wait_text("time-told", "the end", |text| text.contains("has ended")).await;
}
