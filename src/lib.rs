//! etcd in a web page: the whole engine in Rust, natively and in WebAssembly.
//!
//! Modules in reading order; `architecture.md` tells how they stand on one another.
#![doc = include_str!("architecture.md")]

// Layer 0: words.
pub mod api;
pub mod mutant;
pub mod random;
pub mod types;

// Layer 1: pure state machines that never import one another.
pub mod auth;
pub mod check;
pub mod lease;
pub mod membership;
pub mod mvcc;
pub mod raft;
pub mod recipes;

// Layer 2: one member.
pub mod etcdserver;

// Layer 3: many members and the people around them.
pub mod cluster;
pub mod etcdctl;
pub mod lab;
pub mod playground;
pub mod scenario;
pub mod wire;

// Layer 4: edges.
#[cfg(target_arch = "wasm32")]
pub mod browser;
#[cfg(target_arch = "wasm32")]
pub mod ui;
