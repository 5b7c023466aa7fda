//! Many simulated members on a virtual clock.
//!
//! What it is: the same members as in the page, driven by a seeded heap of events instead of workers,
//! with a simulated network and simulated disks; the lab, the headless runner and all engine tests run on it.
//! What it is not: a client; whoever drives it brings the requests.
//! Invariants: one seed, one trace, natively and in WebAssembly.

pub mod fault;
mod simulation;
pub mod trace;

pub use simulation::{CallId, SimNews, Simulation, SimulationSpec, TimerId};
