//! Behaviour that surprised users of etcd, each entry with its smallest scenario and exact values.
//!
//! Numbers in comments are those of the project's list of public reports. Natively by `cargo test`, and in
//! a browser's worker by `wasm-bindgen-test`: the same scenarios on the same simulated cluster.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

mod support;

#[path = "reported/clusters.rs"]
mod clusters;
#[path = "reported/keys.rs"]
mod keys;
#[path = "reported/leases.rs"]
mod leases;
#[path = "reported/space_and_auth.rs"]
mod space_and_auth;
#[path = "reported/talk.rs"]
mod talk;
#[path = "reported/watches.rs"]
mod watches;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
