//! Faults that a person or a script can inject, the same words live and simulated.
//!
//! What it is: the state of every directed link, and the verbs that change it.
//! What it is not: the network; drivers ask [`Links::is_open`] before they deliver.
//! Invariants: a member is never cut from itself; `heal` leaves nothing cut.

use serde::{Deserialize, Serialize};

use crate::types::{MemberId, SmallSet};

/// The directed links that are cut.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Links {
    cut: SmallSet<(MemberId, MemberId)>,
}

impl Links {
    /// True if messages from `from` to `to` get through.
    #[must_use]
    pub fn is_open(&self, from: MemberId, to: MemberId) -> bool {
        !self.cut.contains(&(from, to))
    }

    /// True if nothing is cut.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.cut.is_empty()
    }

    /// Cuts one direction.
    pub fn cut_one_way(&mut self, from: MemberId, to: MemberId) {
        if from != to {
            self.cut.insert((from, to));
        }
    }

    /// Cuts both directions.
    pub fn cut(&mut self, one: MemberId, other: MemberId) {
        self.cut_one_way(one, other);
        self.cut_one_way(other, one);
    }

    /// Cuts a member from all the others, both ways.
    pub fn isolate(&mut self, member: MemberId, all: &[MemberId]) {
        for other in all {
            self.cut(member, *other);
        }
    }

    /// Opens one direction.
    pub fn heal_one_way(&mut self, from: MemberId, to: MemberId) {
        self.cut.remove(&(from, to));
    }

    /// Opens both directions.
    pub fn heal_pair(&mut self, one: MemberId, other: MemberId) {
        self.heal_one_way(one, other);
        self.heal_one_way(other, one);
    }

    /// Opens every link of a member.
    pub fn heal_member(&mut self, member: MemberId) {
        self.cut.retain(|(from, to)| *from != member && *to != member);
    }

    /// Opens everything.
    pub fn heal(&mut self) {
        self.cut.clear();
    }

    /// The directed links that are cut, in order.
    pub fn cut_links(&self) -> impl Iterator<Item = (MemberId, MemberId)> + '_ {
        self.cut.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isolating_and_healing_are_inverse_and_one_way_cuts_stay_one_way() {
        let all = [MemberId(1), MemberId(2), MemberId(3)];
        let mut links = Links::default();
        links.isolate(MemberId(1), &all);
        assert_eq!(links.cut_links().count(), 4);
        assert!(links.is_open(MemberId(2), MemberId(3)));
        assert!(links.is_open(MemberId(1), MemberId(1)));
        links.heal_member(MemberId(1));
        assert!(links.is_whole());
        links.cut_one_way(MemberId(1), MemberId(2));
        assert!(!links.is_open(MemberId(1), MemberId(2)));
        assert!(links.is_open(MemberId(2), MemberId(1)));
    }
}
