//! Two majorities that must agree while the configuration changes.
//!
//! What it is: the incoming and the outgoing voters; a decision needs both halves.
//! What it is not: the rules of getting into or out of a joint configuration (see `confchange`).
//! Invariants: outside a configuration change the outgoing half is empty.
//! Source: Raft thesis §4.3.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{MajorityConfig, VoteResult, describe_acks};
use crate::mutant::{self, Mutant};
use crate::types::{Index, MemberId};

/// The voters of a possibly joint configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JointConfig {
    /// The voters that stay, or come.
    pub incoming: MajorityConfig,
    /// The voters before the change; empty outside a joint configuration.
    pub outgoing: MajorityConfig,
}

impl JointConfig {
    /// True while both halves must agree.
    #[must_use]
    pub fn is_joint(&self) -> bool {
        !self.outgoing.is_empty()
    }

    /// True if `id` votes in either half.
    #[must_use]
    pub fn contains(&self, id: MemberId) -> bool {
        self.incoming.contains(id) || self.outgoing.contains(id)
    }

    /// All voters of either half, once each.
    #[must_use]
    pub fn ids(&self) -> MajorityConfig {
        self.incoming.iter().chain(self.outgoing.iter()).collect()
    }

    /// True if one voter alone decides.
    #[must_use]
    pub fn is_singleton(&self) -> bool {
        self.incoming.len() == 1 && self.outgoing.is_empty()
    }

    /// The highest index that both halves have committed.
    pub fn committed_index(&self, acked: impl Fn(MemberId) -> Option<Index>) -> Index {
        if mutant::is(Mutant::JointUsesOneHalf) {
            return self.incoming.committed_index(&acked);
        }
        self.incoming.committed_index(&acked).min(self.outgoing.committed_index(&acked))
    }

    /// Where the vote stands: lost if either half lost it, won if both won it.
    pub fn vote_result(&self, voted: impl Fn(MemberId) -> Option<bool>) -> VoteResult {
        let incoming = self.incoming.vote_result(&voted);
        let outgoing = self.outgoing.vote_result(&voted);
        if incoming == outgoing || mutant::is(Mutant::JointUsesOneHalf) {
            incoming
        } else if incoming == VoteResult::Lost || outgoing == VoteResult::Lost {
            VoteResult::Lost
        } else {
            VoteResult::Pending
        }
    }

    /// A table of what each voter of either half acknowledged, for people.
    #[must_use]
    pub fn describe(&self, acked: impl Fn(MemberId) -> Option<Index>) -> String {
        describe_acks(&self.ids(), &acked)
    }
}

impl fmt::Display for JointConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.incoming)?;
        if self.is_joint() {
            write!(f, "&&{}", self.outgoing)?;
        }
        Ok(())
    }
}
