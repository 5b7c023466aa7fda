//! The multi-version store against what etcd 3.7 does, through its public surface.
//!
//! Numbers in test comments are those of the behaviour list the project was specified with.
#![cfg(not(target_arch = "wasm32"))]
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
mod model;
mod support;
mod txn;
mod watch;
