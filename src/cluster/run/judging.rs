//! How a run came out.
//!
//! What it is: the order of the history (21), what guards were worth (31), what watches saw (18, 22), and the report.
//! What it is not: the checkers themselves (see `check`).
//! Invariants: a run that broke an invariant on its way is not judged any more.

use super::{Broken, Judged, Run, RunReport, SeedPlan};
use crate::check::{self, STEPS_MAX, Verdict};
use crate::cluster::invariants::Violation;
use crate::cluster::workload::GUARDED;
use crate::types::Millis;

/// An operation as one line of a replay.
fn told(operation: &check::Operation) -> String {
    let (client, request, invoked) = (operation.client, &operation.request, operation.invoked);
    match &operation.outcome {
        check::Outcome::Unknown => format!("op {client} [{invoked}, ?] {request:?}"),
        check::Outcome::Returned { at, result } => {
            format!("op {client} [{invoked}, {at}] {request:?} -> {result:?}")
        }
    }
}

impl Run<'_> {
    fn judge(&mut self) -> (Judged, u64, u64) {
        let history = self.notes.finish();
        let operations = u64::try_from(history.operations.len()).unwrap_or(u64::MAX);
        if self.has_lines {
            for operation in &history.operations {
                (self.print)(&told(operation));
            }
        }
        let Some(log) = self.sim.invariants_mut().map(|all| all.model().clone()) else {
            return (Judged::Invalid, operations, 0);
        };
        let replay = match check::linearize_as(&history, &log, STEPS_MAX) {
            Verdict::Violation(what) => {
                return (Judged::Broken(Violation { number: 21, what }), operations, 0);
            }
            Verdict::Unknown(what) => return (Judged::Unknown(what), operations, STEPS_MAX),
            Verdict::Linearizable(replay) => replay,
        };
        let steps = replay.steps;
        for (prefix, guarded) in GUARDED {
            match check::check_fencing(&replay.model, prefix.as_bytes(), guarded.as_bytes()) {
                Ok(writes) => self.fenced += writes,
                Err(what) => {
                    return (Judged::Broken(Violation { number: 31, what }), operations, steps);
                }
            }
        }
        if let Some(what) = check::check_serializable_reads(&history, &replay).into_iter().next() {
            return (Judged::Broken(Violation { number: 21, what }), operations, steps);
        }
        if let Some(fault) = check::check_watches(&history, &replay).into_iter().next() {
            let number = if fault.guarantee == "reliable" { 22 } else { 18 };
            let what = format!("{}: {}", fault.guarantee, fault.what);
            return (Judged::Broken(Violation { number, what }), operations, steps);
        }
        let judged = match (self.is_stranded, self.has_traffic()) {
            (true, _) => Judged::Stranded,
            (false, true) => Judged::Valid,
            (false, false) => Judged::Invalid,
        };
        (judged, operations, steps)
    }

    pub(super) fn report(mut self, played: Broken) -> RunReport {
        let (judged, operations, steps) = match played {
            Err(violation) => (Judged::Broken(violation), 0, 0),
            Ok(()) => self.judge(),
        };
        let plan = SeedPlan::of(&self.plan).to_string();
        let Millis(virtual_ms) = self.sim.now();
        RunReport {
            seed: self.plan.spec.seed,
            judged,
            trace_hash: self.sim.trace_hash(),
            fenced: self.fenced,
            restored: self.restored,
            expired: self.sim.invariants_mut().map_or(0, |all| all.expiries()),
            writes: self.notes.writes,
            events: self.notes.events,
            operations,
            steps,
            virtual_ms,
            crashes: self.sim.crash_counts().clone(),
            workloads: self.plan.clients.iter().map(|client| client.row.name).collect(),
            faults: self.nemesis.done,
            plan,
        }
    }
}
