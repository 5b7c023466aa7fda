//! Figures of the page, measured in a headless browser; `cargo xtask bench` serves the page and runs this.
//!
//! Times are the page's own clock; each figure is the median of several rounds, with the extremes beside it.
//! Nothing here fails on a time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    dead_code,
    reason = "a measurement panics to fail, prints its table, and looks at the clock"
)]

#[path = "../tests/e2e/browser.rs"]
mod browser;
#[path = "page/screen.rs"]
mod screen;

use browser::{Browser, Site};
use serde_json::Value;

/// Loads per figure.
const LOADS: usize = 9;
/// Loads of the cluster per number of clients.
const LOAD_ROUNDS: usize = 3;
/// Length of one load. Unit: s.
const LOAD_SECONDS: u64 = 5;
/// Kills of the leader.
const KILLS: u64 = 20;
/// Revisions that a member has when it is restarted, and how often it is.
const REVISIONS: u64 = 100_000;
const RESTARTS: u64 = 7;

/// Waits for a leader and a usable prompt; gives the time since the navigation began.
const READY: &str = "
    while (!document.querySelector('[data-ready=true]')) {
        await new Promise((resolve) => setTimeout(resolve, 4));
    }
    return Math.round(performance.now());";

/// When the first text or picture was painted, after the navigation began. Unit: ms.
const PAINT: &str =
    "return Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime);";

/// Throws every database and file of the page away.
const FORGET: &str = "
    localStorage.clear();
    for (const { name } of await indexedDB.databases()) {
        await new Promise((resolve) => {
            const request = indexedDB.deleteDatabase(name);
            request.onsuccess = request.onerror = request.onblocked = resolve;
        });
    }
    const folder = await navigator.storage.getDirectory();
    for await (const name of folder.keys()) {
        await folder.removeEntry(name, { recursive: true }).catch(() => 0);
    }
    return true;";

fn main() {
    let Some(site) = Site::from_environment() else {
        println!("skipped: `cargo xtask bench` measures the page");
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be made");
    println!("{:<56}{:>12}  range", "figure", "median");
    runtime.block_on(measure(&site));
}

fn row(what: &str, unit: &str, mut values: Vec<u64>) {
    values.sort_unstable();
    let (low, high) = (values[0], values[values.len() - 1]);
    let median = values[values.len() / 2];
    println!("{what:<56}{median:>8} {unit:<4} {low}..{high}, n={}", values.len());
}

/// Everything, or the parts named on the command line: `loads`, `puts`, `failover`, `restart`, `frames`, `keys`, `memory`
/// and its minutes.
async fn measure(site: &Site) {
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_wanted = |part: &str| words.is_empty() || words.iter().any(|word| word == part);
    if is_wanted("loads") {
        loads(site).await;
    }
    if is_wanted("puts") {
        puts(site).await;
    }
    if is_wanted("failover") {
        failover(site).await;
    }
    if is_wanted("restart") {
        restart(site).await;
    }
    if is_wanted("frames") {
        screen::frames(site).await;
    }
    if is_wanted("keys") {
        screen::keys(site).await;
    }
    // Minutes long: only by name.
    if words.iter().any(|word| word == "memory") {
        screen::memory(site, words.iter().find_map(|word| word.parse().ok())).await;
    }
}

async fn loads(site: &Site) {
    let browser = Browser::open(site, "bench-loads").await.expect("a browser opens");
    browser.visit().await;
    browser.run_async(READY).await;
    let (mut saved, mut fresh, mut paints) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..LOADS {
        browser.reload().await;
        saved.push(number(&browser.run_async(READY).await));
    }
    for _ in 0..LOADS {
        // Away from the page first, so that nothing holds what is thrown away.
        let elsewhere = format!("{}robots.txt", browser.url());
        browser.driver().goto(elsewhere.as_str()).await.expect("another page of the site");
        browser.run_async(FORGET).await;
        browser.visit().await;
        fresh.push(number(&browser.run_async(READY).await));
        paints.push(number(&browser.run(PAINT).await));
    }
    row("navigation to first contentful paint, new cluster", "ms", paints);
    row("navigation to leader and prompt, new cluster", "ms", fresh);
    row("navigation to leader and prompt, saved cluster", "ms", saved);
    browser.quit().await;
}

async fn puts(site: &Site) {
    for clients in [64, 16, 1] {
        for (who, leader_only) in [("all members", false), ("the leader", true)] {
            let (mut rates, mut medians, mut tails) = (Vec::new(), Vec::new(), Vec::new());
            for round in 0..LOAD_ROUNDS {
                let name = format!("bench-puts-{clients}-{leader_only}-{round}");
                let browser = Browser::open(site, &name).await.expect("a browser opens");
                browser.visit_at("?bench").await;
                browser.run_async(READY).await;
                let report = bench(
                    &browser,
                    &format!(
                        r#"{{"mode":"puts","clients":{clients},"seconds":{LOAD_SECONDS},"value_bytes":256,"leader_only":{leader_only}}}"#
                    ),
                )
                .await;
                assert_eq!(report["errors"], 0, "{report}");
                rates.push(number(&report["per_second"]));
                medians.push(number(&report["p50_us"]));
                tails.push(number(&report["p99_us"]));
                browser.quit().await;
            }
            row(&format!("puts, {clients} clients, 256 B, to {who}"), "/s", rates);
            row("    latency, median", "us", medians);
            row("    latency, 99th percentile", "us", tails);
        }
    }
}

async fn failover(site: &Site) {
    let browser = Browser::open(site, "bench-failover").await.expect("a browser opens");
    browser.visit_at("?bench").await;
    browser.run_async(READY).await;
    browser
        .driver()
        .set_script_timeout(std::time::Duration::from_secs(300))
        .await
        .expect("the script may take minutes");
    let report = bench(&browser, &format!(r#"{{"mode":"failover","kills":{KILLS}}}"#)).await;
    let times = report["to_leader_ms"].as_array().expect("times").iter().map(number).collect();
    row("leader killed to next leader, 100 ms / 1000 ms", "ms", times);
    browser.quit().await;
}

/// From a follower's start to its service, with much on its disk: written by many clients at once, and by few, which
/// makes many small records.
async fn restart(site: &Site) {
    for clients in [256, 8] {
        let browser = Browser::open(site, &format!("bench-restart-{clients}"))
            .await
            .expect("a browser opens");
        browser.visit_at("?bench").await;
        browser.run_async(READY).await;
        browser
            .driver()
            .set_script_timeout(std::time::Duration::from_secs(900))
            .await
            .expect("the script may take minutes");
        let fill = format!(
            r#"{{"mode":"fill","clients":{clients},"count":{REVISIONS},"keys":20000,"value_bytes":32}}"#
        );
        let report = bench(&browser, &fill).await;
        assert_eq!(report["errors"], 0, "{report}");
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        let report = bench(&browser, &format!(r#"{{"mode":"restart","times":{RESTARTS}}}"#)).await;
        let times = report["to_service_ms"].as_array().expect("times").iter().map(number).collect();
        let records = number(&browser.run_async(RECORDS).await);
        row(&format!("restart with 100,000 revisions of {clients} clients"), "ms", times);
        row("    records of rows on its disk", "", vec![records]);
        browser.quit().await;
    }
}

/// Records of rows, and of the log, in one member's database.
const RECORDS: &str = "
    const name = (await indexedDB.databases()).map(({ name }) => name)
        .find((name) => !name.endsWith('probe'));
    const done = (request) => new Promise((resolve) => {
        request.onsuccess = () => resolve(request.result);
    });
    const database = await done(indexedDB.open(name));
    const count = await done(database.transaction('rows').objectStore('rows').count());
    database.close();
    return count;";

async fn bench(browser: &Browser, spec: &str) -> Value {
    let script = format!("return JSON.parse(await playgroundBench('{spec}'));");
    browser.run_async(&script).await
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}
