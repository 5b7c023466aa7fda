//! Since when members wait, and for how many others.
//!
//! What it is: [`Waits`], which the page notes while time passes, and the arithmetic of who is reachable.
//! What it is not: words (see `view::waiting`), or a member's own opinion: the page sees all links.
//! Invariants: a time is noted when it begins and forgotten when it ends; nobody waits who does not run.

use crate::api::Role;
use crate::playground::cluster::{Cluster, Node};
use crate::types::{Index, Millis};

/// What a member waits for, and since when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// It reaches no majority.
    pub alone: Option<Millis>,
    /// It knows no leader.
    pub leaderless: Option<Millis>,
    /// It leads, and the entry after this one is not committed.
    pub stuck: Option<(Index, Millis)>,
}

/// The majority that a member needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Voters that it needs, itself included.
    pub needs: u64,
    /// Voters there are.
    pub of: u64,
    /// Voters that run and that it can talk with, itself included.
    pub has: u64,
    /// One that runs is cut off from it.
    pub is_cut: bool,
}

impl Reach {
    /// True if it has what it needs.
    #[must_use]
    pub const fn is_met(self) -> bool {
        self.has >= self.needs
    }
}

impl Cluster {
    /// Whom a member reaches.
    #[must_use]
    pub fn reach(&self, node: &Node) -> Reach {
        let id = node.member.id;
        let mut reach = Reach { needs: 0, of: 0, has: 0, is_cut: false };
        for other in self.nodes.iter().filter(|other| other.is_voter()) {
            reach.of += 1;
            let its = other.member.id;
            let is_open = self.links.is_open(id, its) && self.links.is_open(its, id);
            match (other.is_serving(), is_open) {
                (true, true) => reach.has += 1,
                (true, false) => reach.is_cut = true,
                (false, _) => {}
            }
        }
        reach.needs = reach.of / 2 + 1;
        reach
    }

    /// Notes what begins and what has ended; true while somebody waits.
    pub fn note_waits(&mut self, now: Millis) -> bool {
        let mut waits = Vec::new();
        for node in &self.nodes {
            let status = &node.status;
            let old = node.waits;
            let serves = node.is_serving() && !node.is_removed;
            let since =
                |is_so: bool, old: Option<Millis>| (is_so && serves).then(|| old.unwrap_or(now));
            let is_alone = node.is_voter() && !self.reach(node).is_met();
            let is_stuck = status.role == Role::Leader && status.commit < status.last_index;
            let is_same = |(commit, _): &(Index, Millis)| *commit == status.commit;
            waits.push(Waits {
                alone: since(is_alone, old.alone),
                leaderless: since(status.leader.is_none(), old.leaderless),
                stuck: (is_stuck && serves)
                    .then(|| old.stuck.filter(is_same).unwrap_or((status.commit, now))),
            });
        }
        let has_any = waits.iter().any(|waits| *waits != Waits::default());
        for (node, waits) in self.nodes.iter_mut().zip(waits) {
            node.waits = waits;
        }
        has_any
    }
}
