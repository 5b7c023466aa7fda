//! The page itself: it loads under its policy, from a sub-path, and can start members.

use super::browser::Browser;

pub(crate) async fn loads_without_a_complaint(browser: Browser) {
    browser.visit().await;
    let boot_is_hidden = browser.run("return document.getElementById('boot').hidden").await;
    assert_eq!(boot_is_hidden, true, "the loading text goes away");
    let build = browser.run("return playground.build").await;
    assert!(build.as_str().is_some_and(|id| id.len() == 16), "the build id is known: {build}");
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

pub(crate) async fn sends_the_content_security_policy(browser: Browser) {
    browser.visit().await;
    for file in ["", "node_worker.mjs", "no-such-file"] {
        let answer = browser
            .run_async(&format!(
                "const answer = await fetch('{file}');
                 return [answer.headers.get('content-security-policy'), answer.headers.get('x-content-type-options')];"
            ))
            .await;
        let policy = answer[0].as_str().unwrap_or_default();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval';"),
            "{file}: {policy}"
        );
        assert!(policy.contains("frame-ancestors 'none'"), "{file}: {policy}");
        assert_eq!(answer[1], "nosniff", "{file}");
    }
    browser.expect_complaint("no-such-file").await;
    let blocked = browser
        .run_async(
            "const violation = new Promise((resolve) => document.addEventListener(
               'securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true }));
             const inline = document.createElement('script');
             inline.textContent = 'globalThis.inlineRan = true';
             document.body.append(inline);
             return [await violation, globalThis.inlineRan ?? false];",
        )
        .await;
    assert_eq!(blocked, serde_json::json!(["script-src-elem", false]), "no inline script runs");
    browser.expect_complaint("Content Security Policy").await;
}

pub(crate) async fn starts_a_worker_with_the_shared_module(browser: Browser) {
    browser.visit().await;
    let answer = browser
        .run_async(
            "const module = await playground.nodeModule();
             const workers = ['one', 'two'].map((config) => new Promise((resolve, reject) => {
               const worker = new Worker(playground.nodeUrl, { type: 'module' });
               worker.onmessage = (event) => { resolve(event.data); worker.terminate(); };
               worker.onerror = (event) => reject(event.message);
               worker.postMessage({ module, config, ports: [] });
             }));
             return Promise.all(workers);",
        )
        .await;
    assert_eq!(answer, serde_json::json!([["ready", "one"], ["ready", "two"]]));
}

pub(crate) async fn keeps_every_address_relative(browser: Browser) {
    browser.visit().await;
    let loaded = browser
        .run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
        .await;
    let names: Vec<&str> =
        loaded.as_array().into_iter().flatten().filter_map(|name| name.as_str()).collect();
    assert!(names.len() >= 4, "the page loads several files: {names:?}");
    for name in names.iter().filter(|name| name.starts_with("http")) {
        assert!(name.starts_with(browser.url()), "{name} is outside {}", browser.url());
        assert!(name.contains("?v=") || name.contains("/snippets/"), "{name} carries no build id");
    }
}
