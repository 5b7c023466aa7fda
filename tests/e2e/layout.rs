//! Panels of a person's own sizes, and large type for a wall.

use std::time::Duration;

use thirtyfour::Key;

use super::browser::Browser;

const SOON: Duration = Duration::from_secs(5);

/// Whether something does not fit: the page's width, a control outside of the window, words that are cut off.
const MISFITS: &str = "
    const odd = [];
    if (document.scrollingElement.scrollWidth > innerWidth) odd.push(`the page is ${document.scrollingElement.scrollWidth} wide`);
    for (const it of document.querySelectorAll('.top *, .prompt *, .panel-tabs *, .panel-head *')) {
      const box = it.getBoundingClientRect();
      if (box.width === 0 || it.closest('.visually-hidden')) continue;
      if (box.right > innerWidth + 1 || box.left < -1 || box.bottom > innerHeight + 1) odd.push(`outside: ${it.className} ${it.textContent}`);
    }
    for (const it of document.querySelectorAll('button, h1, h2, h3, dt')) {
      if (it.clientWidth > 0 && it.scrollWidth > it.clientWidth + 1 && !it.closest('.visually-hidden')) odd.push(`cut off: ${it.textContent}`);
    }
    return odd;";

impl Browser {
    /// Width and height of what a selector finds first.
    async fn size_of(&self, selector: &str) -> (i64, i64) {
        let script = format!(
            "const box = document.querySelector({selector:?}).getBoundingClientRect(); return [Math.round(box.width), Math.round(box.height)]"
        );
        let size = self.run(&script).await;
        (size[0].as_i64().unwrap_or(0), size[1].as_i64().unwrap_or(0))
    }

    async fn share_of(&self, split: &str) -> i64 {
        let id = format!("split-{split}");
        let share = self.wait_for(&id).await.attr("aria-valuenow").await.unwrap();
        share.and_then(|share| share.parse().ok()).unwrap_or(-1)
    }

    async fn press_on_split(&self, split: &str, key: Key, times: u32) {
        self.run(&format!("document.querySelector('[data-testid=split-{split}]').focus()")).await;
        for _ in 0..times {
            self.driver()
                .action_chain()
                .key_down(key.clone())
                .key_up(key.clone())
                .perform()
                .await
                .unwrap();
        }
    }
}

/// Lines between panels move by keys and by dragging, tell where they are, and stay there after a reload.
pub(crate) async fn panels_are_resized_and_remembered(browser: Browser) {
    browser.driver().set_window_rect(0, 0, 1440, 900).await.unwrap();
    browser.visit_ready().await;
    let (_, first) = browser.size_of(".panel-console").await;
    browser.press_on_split("console", Key::Down, 3).await;
    let (_, after) = browser.size_of(".panel-console").await;
    assert!(after > first + 20, "three arrows moved it from {first} to {after}");
    let share = browser.share_of("console").await;
    browser.press_on_split("console", Key::Up, 1).await;
    // Where it is, is a whole number of percent.
    assert!((browser.share_of("console").await - (share - 2)).abs() <= 1);
    let (wide, _) = browser.size_of(".column-right").await;
    let line = browser.wait_for("split-side").await;
    browser
        .driver()
        .action_chain()
        .move_to_element_center(&line)
        .click_and_hold()
        .move_by_offset(-60, 0)
        .move_by_offset(-60, 0)
        .release()
        .perform()
        .await
        .unwrap();
    let (wider, _) = browser.size_of(".column-right").await;
    assert!((wider - wide - 120).abs() < 20, "dragged by 120 from {wide} to {wider}");
    // A pointer that was let go moves nothing.
    browser.driver().action_chain().move_by_offset(-100, 0).perform().await.unwrap();
    assert_eq!(browser.size_of(".column-right").await.0, wider);
    browser.press_on_split("tutorial", Key::End, 1).await;
    assert_eq!(browser.share_of("tutorial").await, 35);
    browser.press_on_split("cluster", Key::Home, 1).await;
    assert_eq!(browser.share_of("cluster").await, 15);
    let sizes = [browser.size_of(".panel-tutorial").await, browser.size_of(".panel-console").await];
    browser.reload().await;
    browser.wait_ready().await;
    assert_eq!(browser.size_of(".panel-tutorial").await, sizes[0]);
    assert_eq!(browser.size_of(".panel-console").await, sizes[1]);
    assert_eq!(browser.size_of(".column-right").await.0, wider);
    assert_eq!(browser.run(MISFITS).await, serde_json::json!([]));
    // Enter puts a line back.
    browser.press_on_split("console", Key::Enter, 1).await;
    let chosen =
        "return getComputedStyle(document.querySelector('.shell')).getPropertyValue('--above')";
    assert_eq!(browser.run(chosen).await, "");
}

/// Large type is remembered, and everything still fits, also on a small projector.
pub(crate) async fn large_type_fits_and_is_remembered(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put /registry/pods/default/web-1 v").await;
    let letters =
        "return parseFloat(getComputedStyle(document.querySelector('.panel-console')).fontSize)";
    let usual = browser.run(letters).await.as_f64().unwrap();
    browser.click("large-toggle").await;
    let is_large = format!("{letters} > {usual} * 1.25");
    browser.wait_true("large type", SOON, &is_large).await;
    browser.reload().await;
    browser.wait_ready().await;
    browser.wait_true("large type again", SOON, &is_large).await;
    for (width, height) in [(1440, 900), (1024, 768)] {
        browser.driver().set_window_rect(0, 0, width, height).await.unwrap();
        for language in ["en", "zh-CN"] {
            let speaks = format!("return document.documentElement.lang === '{language}'");
            browser.wait_true("that language", SOON, &speaks).await;
            let odd = browser.run(MISFITS).await;
            assert_eq!(odd, serde_json::json!([]), "{width} x {height}, {language}");
            let (_, high) = browser.size_of("[data-testid=console-output]").await;
            assert!(high > 120, "{width} x {height}: the console's output is {high} high");
            browser.click("language-toggle").await;
        }
    }
    // A run in time has room, with a lesson above it.
    browser.driver().set_window_rect(0, 0, 1440, 900).await.unwrap();
    browser.run("location.hash = '#time=lesson-04@57'").await;
    browser.wait_for("time-run").await;
    let has_room = "const high = (it) => document.querySelector(it)?.clientHeight ?? 0;
        return high('.panel-tutorial') > 150 && high('[data-testid=time-run] .time-hold') > 150";
    browser.wait_true("room for a run", SOON, has_room).await;
    browser.click("large-toggle").await;
    let is_usual = format!("{letters} === {usual}");
    browser.wait_true("usual type", SOON, &is_usual).await;
}

/// Puts long numbers on a member's card, as an hour of load does; gives back what became wrong.
const LONG_NUMBERS: &str = "
    const card = document.querySelector('[data-testid=member-card-infra1]');
    const before = card.getBoundingClientRect().height;
    const numbers = [...card.querySelectorAll(':scope > .fields dd')];
    for (const number of numbers.slice(1)) number.textContent = '98765';
    const odd = [];
    const after = card.getBoundingClientRect().height;
    if (after !== before) odd.push(`the card grew from ${before} to ${after}`);
    const fields = [...card.querySelectorAll(':scope > .fields > .field')].map((it) => {
      const range = document.createRange();
      range.selectNodeContents(it);
      return range.getBoundingClientRect();
    });
    for (const [at, field] of fields.entries()) {
      const next = fields[at + 1]?.left ?? card.getBoundingClientRect().right;
      if (field.right > next) odd.push(`number ${at} ends at ${field.right}, beyond ${next}`);
    }
    return odd;";

/// Nothing shifts on the cluster's cards while their numbers grow.
pub(crate) async fn a_card_holds_long_numbers(browser: Browser) {
    for (width, height) in [(1440, 900), (1024, 768)] {
        browser.driver().set_window_rect(0, 0, width, height).await.unwrap();
        browser.visit_ready().await;
        for language in ["en", "zh-CN"] {
            let speaks = format!("return document.documentElement.lang === '{language}'");
            browser.wait_true("that language", SOON, &speaks).await;
            browser.wait_for("member-card-infra1").await;
            let odd = browser.run(LONG_NUMBERS).await;
            assert_eq!(odd, serde_json::json!([]), "{width} x {height}, {language}");
            browser.click("language-toggle").await;
        }
    }
}

/// On a phone the list of keys has the whole width, the list of commands what its page leaves, and the tab of the view
/// that is shown is in sight when the page comes back.
pub(crate) async fn a_phone_is_made_use_of(browser: Browser) {
    let phone =
        serde_json::json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true });
    browser.devtools("Emulation.setDeviceMetricsOverride", phone).await;
    browser.visit_ready().await;
    browser.click("panel-console").await;
    browser.ok("put a 1").await;
    browser.click("panel-keys").await;
    browser.click("lower-keys").await;
    browser.wait_for("key-row").await;
    assert_eq!(browser.size_of(".keys-space").await.0, 390);
    browser.click("lower-commands").await;
    browser.wait_for("reference-put").await;
    let gap = "const box = (part) => document.querySelector(part).getBoundingClientRect();
        return Math.round(box('.reference-page').top - box('.reference-list').bottom)";
    let gap = browser.run(gap).await.as_i64().unwrap_or(i64::MAX);
    assert!((0..=20).contains(&gap), "{gap} pixels between the list and the page");
    browser.click("lower-exact").await;
    browser.wait_for("exact-view").await;
    browser.reload().await;
    browser.wait_ready().await;
    browser.click("panel-keys").await;
    browser.wait_for("exact-view").await;
    let is_in_sight =
        "const box = document.querySelector('[data-testid=lower-exact]').getBoundingClientRect();
        return box.left >= 0 && box.right <= innerWidth";
    browser.wait_true("the tab in sight", SOON, is_in_sight).await;
    // A run in time: its scrubber, its place and its note have room.
    browser.run("location.hash = '#time=lesson-04@57'").await;
    browser.wait_for("time-range").await;
    let has_room = "const wide = (name) => document.querySelector(`[data-testid=${name}]`).clientWidth;
        const run = document.querySelector('[data-testid=time-run]');
        return wide('time-range') > 100 && wide('time-place') > 150 && run.scrollWidth <= innerWidth";
    browser.wait_true("room for the scrubber", SOON, has_room).await;
}

/// Where the input of the console and the ring begin; what the banner covers that can be pressed, or does not show of itself.
const STILL: &str = "
    const [top, ring] = ['[data-testid=console-input]', '.ring'].map((it) => document.querySelector(it).getBoundingClientRect().top);
    const banner = document.querySelector('[data-testid=banner]')?.getBoundingClientRect();
    const odd = [];
    if (banner) {
      const words = document.querySelector('[data-testid=banner] > p').getBoundingClientRect();
      if (words.top < banner.top || words.bottom > banner.bottom || words.right > banner.right) odd.push('cut off');
      if (banner.left < 0 || banner.right > innerWidth) odd.push('outside');
      for (const it of document.querySelectorAll('button, input, a[href], textarea')) {
        const box = it.getBoundingClientRect();
        const meets = box.left < banner.right - 1 && box.right > banner.left + 1 && box.top < banner.bottom - 1 && box.bottom > banner.top + 1;
        if (meets && box.width > 0 && !it.closest('.banner, .skip')) odd.push(it.dataset.testid ?? it.className);
      }
    }
    return [top, ring, !!banner, odd];";

/// A majority is lost and comes back: that is told, and nothing on the page moves by it.
pub(crate) async fn nothing_moves_when_the_majority_is_lost(browser: Browser) {
    browser.visit_ready().await;
    for (width, height) in [(1440, 900), (1024, 768), (390, 844)] {
        let size = serde_json::json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
        browser.devtools("Emulation.setDeviceMetricsOverride", size).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        let before = browser.run(STILL).await;
        for member in ["infra1", "infra2"] {
            let press = format!("document.querySelector('[data-testid=kill-{member}]').click()");
            browser.run(&press).await;
        }
        let is_told = "return !!document.querySelector('.top [data-testid=banner]')";
        browser.wait_true("the banner", SOON, is_told).await;
        let during = browser.run(STILL).await;
        assert_eq!(during, serde_json::json!([before[0], before[1], true, []]), "{width}");
        for member in ["infra1", "infra2"] {
            let press = format!("document.querySelector('[data-testid=restart-{member}]').click()");
            browser.run(&press).await;
        }
        let is_over = "return !document.querySelector('[data-testid=banner]')";
        browser.wait_true("a majority again", 4 * SOON, is_over).await;
        assert_eq!(browser.run(STILL).await, before, "{width}");
    }
}
