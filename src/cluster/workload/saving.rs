//! W12: snapshots saved now and then, of any member; what comes of them is the run's to look at (see `restored`).

use super::{Action, Workload, World};
use crate::api::{Request, SnapshotRequest};

/// Saves.
#[derive(Debug)]
pub(super) struct Saver;

impl Workload for Saver {
    fn next(&mut self, world: &mut World<'_>) -> Action {
        let member = world.random.below(world.members.max(1));
        Action::AskMember(member, Request::Snapshot(SnapshotRequest {}))
    }

    fn pause_ms(&self) -> (u32, u32) {
        (300, 2_500)
    }
}
