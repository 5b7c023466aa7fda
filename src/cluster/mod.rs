//! Many simulated members on a virtual clock.
//!
//! What it is: the same members as in the page, driven by a seeded heap of events instead of workers,
//! with a simulated network and simulated disks; the lab, the headless runner and all engine tests run on it.
//! What it is not: a client; whoever drives it brings the requests.
//! Invariants: one seed, one trace, natively and in WebAssembly.

mod client;
mod disk;
mod event;
pub mod fault;
pub mod invariants;
mod nemesis;
mod network;
mod restored;
mod run;
mod simulation;
mod swarm;
pub mod trace;
mod workload;

pub use disk::{CrashCounts, CrashPoint, DiskModel};
pub use event::{CallId, SimNews, TimerId};
pub use network::NetworkModel;
pub use run::{Judged, Onlooker, Phase, RunReport, SeedPlan, run_seed, seed_plan, watch_seed};
pub use simulation::{Coming, Glimpse, NoTimer, Simulation, SimulationSpec};
