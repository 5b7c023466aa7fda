//! A plain majority of voters.
//!
//! What it is: a set of ids with the majority rule.
//! What it is not: aware of joint configurations (see `joint`).
//! Invariants: none beyond the set's own; the empty set is legal and agrees to everything.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{INDEX_INFINITE, VoteResult, describe_acks};
use crate::types::{Index, MemberId, SmallSet};

/// Up to this many voters the commit rule needs no allocation.
const VOTERS_ON_STACK: usize = 8;

/// A set of voters that decides by majority.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MajorityConfig(SmallSet<MemberId>);

impl MajorityConfig {
    /// True if there are no voters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of voters.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.0.len() as u64
    }

    /// True if `id` is one of the voters.
    #[must_use]
    pub fn contains(&self, id: MemberId) -> bool {
        self.0.contains(&id)
    }

    /// Adds a voter; adding one twice changes nothing.
    pub fn insert(&mut self, id: MemberId) {
        self.0.insert(id);
    }

    /// Removes a voter; removing a stranger changes nothing.
    pub fn remove(&mut self, id: MemberId) {
        self.0.remove(&id);
    }

    /// The voters in id order.
    pub fn iter(&self) -> impl Iterator<Item = MemberId> + '_ {
        self.0.iter().copied()
    }

    /// The highest index that a majority has acknowledged; [`INDEX_INFINITE`] without voters.
    pub fn committed_index(&self, acked: impl Fn(MemberId) -> Option<Index>) -> Index {
        let count = self.0.len();
        let majority = count / 2 + 1;
        let indexes = self.0.iter().map(|id| acked(*id).unwrap_or_default());
        let mut stack = [Index(0); VOTERS_ON_STACK];
        let heap: Vec<Index>;
        let acks: &[Index] = if count <= VOTERS_ON_STACK {
            for (slot, index) in stack.iter_mut().zip(indexes) {
                *slot = index;
            }
            stack.get(..count).unwrap_or_default()
        } else {
            heap = indexes.collect();
            &heap
        };
        // Few voters: counting who has it or more is cheaper than a sort, in time and in code.
        let has_majority =
            |index: &&Index| acks.iter().filter(|ack| ack >= index).count() >= majority;
        acks.iter().filter(has_majority).max().copied().unwrap_or(INDEX_INFINITE)
    }

    /// Where the vote stands, given what each voter answered so far.
    pub fn vote_result(&self, voted: impl Fn(MemberId) -> Option<bool>) -> VoteResult {
        if self.0.is_empty() {
            return VoteResult::Won;
        }
        let quorum = self.0.len() / 2 + 1;
        let mut yes = 0;
        let mut unknown = 0;
        for id in &self.0 {
            match voted(*id) {
                Some(true) => yes += 1,
                Some(false) => {}
                None => unknown += 1,
            }
        }
        if yes >= quorum {
            VoteResult::Won
        } else if yes + unknown >= quorum {
            VoteResult::Pending
        } else {
            VoteResult::Lost
        }
    }

    /// A table of what each voter acknowledged, for people.
    #[must_use]
    pub fn describe(&self, acked: impl Fn(MemberId) -> Option<Index>) -> String {
        describe_acks(self, &acked)
    }
}

impl FromIterator<MemberId> for MajorityConfig {
    fn from_iter<T: IntoIterator<Item = MemberId>>(ids: T) -> Self {
        Self(ids.into_iter().collect())
    }
}

impl fmt::Display for MajorityConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (position, id) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{id}")?;
        }
        f.write_str(")")
    }
}
