//! Watches as lanes: one per watcher, over all the streams that its client opens for it.
//!
//! What it is: what passed the page's edge, in order, with what a member last told of the watch.
//! What it is not: the engine's watches: a lane goes on when a client opens its watch again.
//! Invariants: a lane keeps its place; a watch goes on in the lane of the same command and keys whose stream is gone;
//! what is kept is bounded.

mod lane;
mod view;

use lane::{Ended, Lane};
pub use view::{LaneState, LaneView, MarkKind, MarkView, StoryView, WatchesView};

use super::leases::Leases;
use super::model::Known;
use super::passed::{OpenedWatch, WatchNote};
use super::protocol::Ask;
use crate::api::{HeldWatch, Holdings};
use crate::types::{MemberId, Millis, SmallMap};

/// Most lanes. Unit: lanes. Source: ours; more than one can follow.
const LANES_MAX: usize = 32;
/// Members are asked at every so manieth look. Unit: looks. Source: ours; twice a second.
const ASK_EVERY: u32 = 2;
/// What a member said is old after this. Unit: ms. Source: ours; some looks.
const SAID_MS: u64 = 3_000;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Watches {
    lanes: Vec<Lane>,
    next_lane: u64,
    held: SmallMap<MemberId, (Millis, Holdings)>,
    pub(super) leases: Leases,
    now: Millis,
    looks: u32,
    has_dropped: bool,
    chosen: Option<u64>,
    /// A lane whose end is to be told aloud.
    told: Option<u64>,
}

impl Watches {
    /// Takes what happened to a watch.
    pub(super) fn note(&mut self, at: Millis, call: u64, note: WatchNote) {
        match note {
            WatchNote::Opened(opened) => self.open(at, call, *opened),
            WatchNote::Dropped => {
                self.has_dropped = true;
                self.lanes.iter_mut().for_each(Lane::forget_versions);
            }
            note => {
                // What has ended does not end again.
                let mut open = self.lanes.iter_mut().filter(|lane| lane.ended.is_none());
                let Some(lane) = open.find(|lane| lane.call == call) else { return };
                lane.take(at, note);
                if matches!(lane.ended, Some(Ended::Canceled { .. } | Ended::Failed(_))) {
                    self.told = Some(lane.id);
                    self.leases.told = None;
                }
            }
        }
    }

    fn open(&mut self, at: Millis, call: u64, opened: OpenedWatch) {
        // Who listens late may hear of it twice.
        if self.lanes.iter().any(|lane| lane.call == call) {
            return;
        }
        if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.goes_on_with(&opened)) {
            lane.open_again(at, call, &opened);
            return;
        }
        if self.lanes.len() == LANES_MAX {
            let ended = self.lanes.iter().position(|lane| lane.ended.is_some());
            self.lanes.remove(ended.unwrap_or(0));
        }
        self.next_lane += 1;
        self.lanes.push(Lane::new(self.next_lane, at, call, opened));
    }

    /// Takes what a member holds.
    pub(super) fn hear(&mut self, at: Millis, part: Holdings) {
        self.leases.hear(at, &part);
        if self.leases.told.is_some() {
            self.told = None;
        }
        self.held.insert(part.member, (at, part));
    }

    /// A member is gone, or starts anew.
    pub(super) fn forget(&mut self, member: MemberId) {
        self.held.remove(&member);
    }

    /// What the page's clock says.
    pub(super) fn look(&mut self, now: Millis) {
        self.now = now;
        self.lanes.retain(|lane| !lane.is_old(now));
        self.leases.look(now);
    }

    /// Whom to ask now.
    pub(super) fn asks(&mut self, known: &Known) -> Vec<Ask> {
        self.looks = self.looks.wrapping_add(1);
        if !self.looks.is_multiple_of(ASK_EVERY) {
            return Vec::new();
        }
        let serving = known.members.iter().filter(|note| known.is_serving(note.id));
        serving.map(|note| Ask::ReadHoldings(note.id)).collect()
    }

    /// The lane whose story is shown, or none.
    pub(super) fn choose(&mut self, lane: u64) {
        self.chosen = if self.chosen == Some(lane) { None } else { Some(lane) };
    }

    /// What a member has told of a lane's watch, and whether that is old.
    fn held(&self, lane: &Lane) -> (Option<&HeldWatch>, bool) {
        let Some((at, part)) = self.held.get(&lane.member) else { return (None, false) };
        let watch = part.watches.iter().find(|watch| watch.stream == lane.call);
        (watch, self.now.since(*at) > SAID_MS)
    }
}

#[cfg(test)]
mod tests;
