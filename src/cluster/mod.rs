//! Many simulated members on a virtual clock.

pub mod fault;
