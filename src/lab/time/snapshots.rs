//! Runs put aside between two steps of a script, so that a moment need not be played to from the beginning.
//!
//! What it is: whole copies of a lab and its recorder, a bounded number for each timeline.
//! What it is not: needed; without any, a timeline is played from its beginning. A seed has none.
//! Invariants: what is played on from a copy is what would have been played on without it; a copy is of a moment up to which
//! the timeline has not been changed since.

use std::rc::Rc;

use super::recorder::{Recorder, Stop};
use crate::lab::play::Lab;
use crate::types::Millis;

/// Copies of one timeline.
const SNAPSHOTS_MAX: usize = 8;
/// Events between two copies, at least: those of fewer cost less than the copy.
const APART_MIN: u64 = 40;

/// A run put aside.
#[derive(Debug)]
pub(super) struct Snapshot {
    /// Events that had happened.
    event: u64,
    /// The time of the newest.
    at: Millis,
    /// Steps that had begun; all of them had ended.
    steps: u32,
    /// Without a recorder.
    pub(super) lab: Lab,
    pub(super) recorder: Recorder,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshots(Vec<Rc<Snapshot>>);

impl Snapshots {
    /// The newest that is not behind what is looked for, with so many moments before it.
    pub(super) fn before(&self, stop: Stop, behind: u64) -> Option<Rc<Snapshot>> {
        let serves = |it: &&Rc<Snapshot>| match stop {
            Stop::Event(event) => it.event.saturating_add(behind) <= event,
            Stop::Time(time) => it.at <= time,
            Stop::Step(step) => it.steps <= step,
            Stop::Message(after) | Stop::Tick(after) => it.event <= after,
            Stop::End => true,
        };
        self.0.iter().rev().find(serves).cloned()
    }

    /// Puts a run aside between two steps, if it is far enough from the last.
    pub(super) fn take(&mut self, lab: &mut Lab) {
        let Some(recorder) = lab.session_mut().recorder() else { return };
        let (event, at, steps) = (recorder.events(), recorder.last_at(), recorder.begun());
        let newest = self.0.last().map_or(0, |it| it.event);
        if event < newest.saturating_add(APART_MIN) {
            return;
        }
        let recorder = recorder.bare();
        let Some(lab) = lab.copy() else { return };
        if self.0.len() >= SNAPSHOTS_MAX {
            self.drop_one(event);
        }
        self.0.push(Rc::new(Snapshot { event, at, steps, lab, recorder }));
    }

    /// The one goes whose neighbours are nearest to each other.
    fn drop_one(&mut self, next: u64) {
        let events = || self.0.iter().map(|it| it.event);
        let before = std::iter::once(0).chain(events());
        let after = events().skip(1).chain(std::iter::once(next));
        let gaps = before.zip(after).map(|(before, after)| after.saturating_sub(before));
        if let Some((at, _)) = gaps.enumerate().min_by_key(|(_, gap)| *gap) {
            self.0.remove(at);
        }
    }

    /// A change at this moment voids what comes after it.
    pub(super) fn forget_after(&mut self, event: u64) {
        self.0.retain(|it| it.event <= event);
    }
}
