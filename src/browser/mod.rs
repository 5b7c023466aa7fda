//! The edges a browser has: workers, ports, IndexedDB, the private file system, locks.
//!
//! What it is: two drivers. On the page [`Browser`] does [`playground::edge::Effect`]s and tells
//! [`playground::edge::News`]; in a worker [`start_node`] runs one member of `etcdserver`, and [`start_lab`] the lab.
//! What it is not: a place for rules of etcd, Raft or the console; those are pure and live below.
//! Invariants: `async` stands only here; no `RefCell` borrow is held across `.await` or while foreign
//! code is called; every JavaScript closure, listener and timer is owned by a guard;
//! no message or reply leaves a member after its gate was closed.
//!
//! [`playground::edge::Effect`]: crate::playground::edge::Effect
//! [`playground::edge::News`]: crate::playground::edge::News

// Both sides.
mod console;
mod js;
mod locks;
mod names;
mod opfs;
mod second;
mod signal;

// In a member's worker.
mod boot;
mod errand;
pub mod fence;
mod fields;
mod lab_worker;
mod node_loop;
pub mod storage;
mod transport;
mod watchdog;

// On the page.
mod away;
pub mod bench;
mod calls;
mod cluster;
mod descriptor;
mod effects;
mod insight;
mod lab_desk;
mod members;
mod membership;
mod opening;
mod owner;
mod timers;
mod workers;

pub use away::take;
pub use boot::start_node;
pub use effects::{Browser, start};
pub use lab_worker::start_lab;
pub use watchdog::{DISK_SILENT_MS, Watchdog};
