//! The page in Chinese, and going over from one language to the other.

use std::time::Duration;

use super::browser::Browser;
use super::lessons::follow_step;

/// Lets the browser say that its user reads Chinese first.
async fn read_chinese(browser: &Browser) {
    let agent = browser.run("return navigator.userAgent").await;
    let wanted = serde_json::json!({ "userAgent": agent, "acceptLanguage": "zh-CN,zh,en" });
    browser.devtools("Emulation.setUserAgentOverride", wanted).await;
}

/// What the document says of its language, its title, and which elements cut off their Chinese words.
const ABOUT: &str = "
    const cut = [...document.querySelectorAll('button, h1, h2, h3, .tag, .chip, dt, .panel-note')]
        .filter((element) => element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1)
        .filter((element) => !element.closest('.visually-hidden'))
        .map((element) => element.textContent);
    return [document.documentElement.lang, document.title, ...cut];";

async fn wait_lang(browser: &Browser, lang: &str) {
    let script = format!("return document.documentElement.lang === '{lang}'");
    browser.wait_true(&format!("a page in {lang}"), Duration::from_secs(5), &script).await;
}

/// A browser that prefers Chinese gets a Chinese page; the first steps of the tutorial can be followed in it.
pub(crate) async fn a_chinese_reader_gets_a_chinese_page(browser: Browser) {
    read_chinese(&browser).await;
    browser.visit_ready().await;
    assert_eq!(browser.run(ABOUT).await, serde_json::json!(["zh-CN", "etcd 演练场"]));
    let text = browser.text("tutorial-step").await;
    assert!(text.contains("谁是 leader？"), "{text}");
    follow_step(&browser, "1").await;
    browser.wait_text("tutorial-step", "part 2", |text| text.contains("终止 leader")).await;
    // etcdctl says what etcd's says.
    assert_eq!(browser.ok("put foo bar").await, "OK\n");
    let answer = browser.command("get foo --rev=99").await;
    assert!(answer.err.contains("etcdserver: mvcc: required revision is a future revision"));
    let help = browser.ok("help").await;
    assert!(help.contains("Usage:") && help.is_ascii(), "{help}");
    let leader = browser.leader().await;
    let told = browser.text("event-log").await;
    assert!(told.contains(&format!("{leader} 在 term 2 成为 leader")), "{told}");
    // A second tab has its words later than its cluster.
    let second = browser.driver().new_tab().await.expect("a second tab");
    browser.driver().switch_to_window(second).await.expect("the second tab");
    read_chinese(&browser).await;
    browser.visit_ready().await;
    browser.wait_text("tutorial-step", "the lesson", |text| text.contains("终止 leader")).await;
}

/// Switching changes every word, loses nothing, keeps the focus, and is remembered.
pub(crate) async fn the_language_can_be_switched(browser: Browser) {
    browser.visit_ready().await;
    assert_eq!(browser.run("return document.documentElement.lang").await, "en");
    assert_eq!(browser.text("language-toggle").await.trim(), "中文");
    follow_step(&browser, "1").await;
    browser.ok("put foo bar").await;
    browser.type_into("console-input", "get f").await;
    // What buttons say is the page's, and changes.
    let printed =
        "const box = document.querySelector('[data-testid=console-output]').cloneNode(true);
        box.querySelectorAll('button').forEach((it) => it.remove());
        return box.textContent";
    let before = browser.run(printed).await;
    for (lang, other, title) in [("zh-CN", "EN", "终止 leader"), ("en", "中文", "Kill the leader")]
    {
        // By a key, not by the mouse.
        browser.type_into("language-toggle", "\n").await;
        wait_lang(&browser, lang).await;
        assert_eq!(browser.text("language-toggle").await.trim(), other);
        assert_eq!(browser.run(printed).await, before);
        let draft = "return document.querySelector('[data-testid=console-input]').value";
        assert_eq!(browser.run(draft).await, "get f");
        browser.wait_text("tutorial-step", title, |text| text.contains(title)).await;
        let is_focused = "return document.activeElement.dataset.testid === 'language-toggle'";
        browser.wait_true("focus on the switch", Duration::from_secs(2), is_focused).await;
    }
    browser.click("language-toggle").await;
    wait_lang(&browser, "zh-CN").await;
    browser.reload().await;
    wait_lang(&browser, "zh-CN").await;
    browser.visit_ready().await;
    assert_eq!(browser.ok("get foo").await, "foo\nbar\n");
    // Under load, while much is about to be drawn.
    browser.click("new-tab").await;
    browser.type_into("console-input", "watch --prefix /\n").await;
    browser.click("console-tab-1").await;
    for at in 0..12 {
        browser.type_into("console-input", &format!("put /k{at} v\n")).await;
        browser.click("language-toggle").await;
    }
    wait_lang(&browser, "zh-CN").await;
    browser.type_into("console-input", "\n").await;
    assert_eq!(browser.ok("get /k11").await, "/k11\nv\n");
    // The views of the other program go along.
    browser.click("lower-exact").await;
    browser.wait_text("exact-view", "Chinese", |text| text.contains("完全一致")).await;
    browser.click("lower-commands").await;
    browser.click("reference-get").await;
    let says = |text: &str| text.contains("用法：") && text.contains("最多返回多少个 key");
    browser.wait_text("reference-page", "a page in Chinese", says).await;
    let list = browser.text("commands-view").await;
    assert!(list.contains("成员与维护") && list.contains("保存快照到文件"), "{list}");
    assert!(!list.contains("Members and maintenance"), "{list}");
    browser.click("lower-exact").await;
    browser.click("language-toggle").await;
    wait_lang(&browser, "en").await;
    browser.wait_text("exact-view", "English", |text| text.contains("Simplified")).await;
}
