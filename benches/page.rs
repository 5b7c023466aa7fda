//! Figures of the page, measured in a headless browser; `cargo xtask bench` serves the page and runs this.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a measurement panics to fail, prints its table, and looks at the clock"
)]

#[path = "../tests/e2e/browser.rs"]
mod browser;

use browser::{Browser, Site};

/// Rounds per figure; the table shows the median.
const ROUNDS: usize = 7;

fn main() {
    let Some(site) = Site::from_environment() else {
        println!("skipped: `cargo xtask bench` measures the page");
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be made");
    runtime.block_on(measure(&site));
}

async fn measure(site: &Site) {
    let browser = Browser::open(site, "bench").await.expect("a browser opens");
    browser.visit().await;
    let mut loads = Vec::new();
    for _ in 0..ROUNDS {
        browser.reload().await;
        let time = browser.run("return Math.round(performance.now())").await;
        loads.push(time.as_u64().expect("a number of milliseconds"));
    }
    loads.sort_unstable();
    println!("{:<48}{:>10}", "figure (median of several)", "");
    println!("{:<48}{:>7} ms", "navigation to the page drawn, warm cache", loads[ROUNDS / 2]);
    browser.quit().await;
}
