//! The multi-version store against what etcd 3.7 does, through its public surface.
//!
//! Numbers in test comments are those of the behaviour list the project was specified with.
//! Natively by `cargo test`, and in a browser's worker by `wasm-bindgen-test`, but for the random model.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail loudly"
)]

mod compaction;
mod hash;
mod kv;
#[cfg(not(target_arch = "wasm32"))]
mod model;
mod support;
mod txn;
mod watch;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
