//! The page's markup: view structs in, events out.
//!
//! What it is: components that write views down, one file each, and [`mount`], which feeds them.
//! What it is not: a decision about etcd or the page; those stand in `playground`.
//! Invariants: the model is updated as soon as something is heard, so that commands of several requests
//! do not wait for a frame; what is seen is brought up to date once per frame, or 250 ms later in a hidden
//! tab; no signal is written per message; no markup is made of strings.

mod app;
mod components;
mod context;
mod dom;
mod insight;
mod node;
mod page;
mod shape;
mod tail;

pub use insight::InsightPage;
pub use page::mount;
