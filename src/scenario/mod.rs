//! Scenarios: scripts of console lines and cluster verbs, and the links that carry them.

mod report;

pub use report::{Report, StepReport};
