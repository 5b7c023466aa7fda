//! What a server does besides keys: files, checks, clocks, counters, settings, disks.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "test code"
)]

#[path = "../support/mod.rs"]
mod support;

mod auto_compaction;
mod backup;
mod concurrency;
mod corruption;
mod disk;
mod ending;
mod holdings;
mod keep_alive;
mod late;
mod log_part;
mod metrics;
mod settings;
mod trace;
mod watch;
