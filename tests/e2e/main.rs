//! End-to-end tests: the built page in a real browser, driven by real keys and clicks.
//!
//! `cargo xtask test e2e [NAME…]` builds and serves the page, starts the browser's driver, and runs this.
//! Called without them (as a plain `cargo test` does) it says that it was skipped and counts nothing.
//!
//! To add a test: write `async fn its_name(browser: Browser)` in a module here, and put it into `all()`.
//! A test fails by a panic; afterwards every test also fails if the browser's console holds an error.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "test code: it panics to fail, prints its progress, and watches the clock"
)]

mod browser;
mod harness;
mod page;

use harness::{Case, case};

/// Every test, in the order in which they run.
fn all() -> Vec<Case> {
    vec![
        case("page_loads_without_a_complaint", page::loads_without_a_complaint),
        case("page_sends_the_content_security_policy", page::sends_the_content_security_policy),
        case(
            "page_starts_a_worker_with_the_shared_module",
            page::starts_a_worker_with_the_shared_module,
        ),
        case("page_keeps_every_address_relative", page::keeps_every_address_relative),
    ]
}

fn main() -> std::process::ExitCode {
    harness::run(all())
}
