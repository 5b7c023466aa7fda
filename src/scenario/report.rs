//! What a run of a script gave.
//!
//! What it is: plain data from the lab or the headless runner, for people and for hashes.
//! Invariants: the same script gives the same report, natively and in WebAssembly.

use serde::{Deserialize, Serialize};

use crate::api;
use crate::types::{MemberId, Millis};

/// One step and what it printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepReport {
    /// The step's line as written.
    pub line: String,
    /// Virtual time at which it began.
    pub began: Millis,
    /// Virtual time at which it ended.
    pub ended: Millis,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Exit status; `None` for verbs and for commands still running.
    pub status: Option<i32>,
    /// What members did during the step.
    pub events: Vec<(Millis, MemberId, api::MemberEvent)>,
    /// The outcome hash after the step.
    pub outcome: u64,
    /// What a watch that runs in the background printed during the step: (label, bytes).
    pub background: Vec<(String, Vec<u8>)>,
}

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The steps, in order.
    pub steps: Vec<StepReport>,
    /// Answers, elections and applied commands, chained.
    pub outcome: u64,
    /// Every event, chained; comparable only at an equal `engine_trace`.
    pub trace: u64,
    /// Version of the engine's trace.
    pub engine_trace: u32,
    /// Members and their ids.
    pub members: Vec<api::Member>,
    /// Virtual time at the end.
    pub ended: Millis,
}
