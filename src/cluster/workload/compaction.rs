//! W5: compactions at a random revision between the last one and a little beyond now.
//!
//! Invariants: asks for revisions that do not exist yet and for such that are gone, too.

use super::{Action, Workload, World};
use crate::api::{CompactionRequest, Request};

/// Compacts again and again.
#[derive(Debug)]
pub(super) struct Compactor;

impl Workload for Compactor {
    fn next(&mut self, world: &mut World<'_>) -> Action {
        let from = world.compacted.max(0);
        let width = u32::try_from(world.revision + 5 - from).unwrap_or(5);
        let revision = if world.random.chance(1, 3) {
            world.revision
        } else {
            from + i64::from(world.random.below(width.max(1)))
        };
        let physical = world.random.chance(1, 2);
        Action::Ask(Request::Compaction(CompactionRequest { revision, physical }))
    }

    fn pause_ms(&self) -> (u32, u32) {
        (100, 1_500)
    }
}
