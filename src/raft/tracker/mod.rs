//! The configuration in force and the leader's view of every member in it.
//!
//! What it is: voters, learners, a [`Progress`] per member, and the votes of a campaign.
//! What it is not: the rules of changing the configuration (see `confchange`).
//! Invariants: every member of the configuration has a progress and nobody else has one;
//! learners do not vote; `learners_next` are outgoing voters.
//! Source: behaviour of etcd-io/raft `tracker/`.

mod inflights;
mod progress;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::mutant::{self, Mutant};
use crate::raft::quorum::{JointConfig, MajorityConfig, VoteResult};
use crate::raft::state::ConfState;
use crate::types::{Index, MemberId, SmallMap, SmallSet};

pub use inflights::Inflights;
pub use progress::{Progress, ProgressState};

/// The members by id.
pub type ProgressMap = SmallMap<MemberId, Progress>;

/// Who is in the cluster, and in which part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackerConfig {
    /// The voters, possibly joint.
    pub voters: JointConfig,
    /// True if the leader proposes to leave the joint configuration by itself.
    pub auto_leave: bool,
    /// Members that receive the log but do not vote. Invariant: disjoint from both halves.
    pub learners: SmallSet<MemberId>,
    /// Outgoing voters that become learners when the joint configuration is left.
    pub learners_next: SmallSet<MemberId>,
}

impl TrackerConfig {
    /// The configuration in the form that is stored and sent.
    #[must_use]
    pub fn conf_state(&self) -> ConfState {
        ConfState {
            voters: self.voters.incoming.iter().collect(),
            voters_outgoing: self.voters.outgoing.iter().collect(),
            learners: self.learners.iter().copied().collect(),
            learners_next: self.learners_next.iter().copied().collect(),
            auto_leave: self.auto_leave,
        }
    }
}

fn write_ids(f: &mut fmt::Formatter<'_>, name: &str, ids: &SmallSet<MemberId>) -> fmt::Result {
    if ids.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = ids.iter().map(ToString::to_string).collect();
    write!(f, " {name}=({})", shown.join(" "))
}

impl fmt::Display for TrackerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "voters={}", self.voters)?;
        write_ids(f, "learners", &self.learners)?;
        write_ids(f, "learners_next", &self.learners_next)?;
        if self.auto_leave {
            f.write_str(" autoleave")?;
        }
        Ok(())
    }
}

/// The configuration, the progress of its members, and the votes of the current campaign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgressTracker {
    /// Who is in the cluster.
    pub config: TrackerConfig,
    /// What is known about each member.
    pub progress: ProgressMap,
    votes: SmallMap<MemberId, bool>,
    /// Who decides the current campaign, should that have been settled when it began.
    #[cfg(feature = "mutants")]
    electorate: Option<JointConfig>,
    /// Unit: messages.
    inflight_messages_max: u32,
    /// Unit: bytes.
    inflight_bytes_max: u64,
}

impl ProgressTracker {
    /// An empty configuration with the given limits per follower.
    #[must_use]
    pub fn new(inflight_messages_max: u32, inflight_bytes_max: u64) -> Self {
        Self {
            config: TrackerConfig::default(),
            progress: SmallMap::new(),
            votes: SmallMap::new(),
            #[cfg(feature = "mutants")]
            electorate: None,
            inflight_messages_max,
            inflight_bytes_max,
        }
    }

    /// An empty inflight window with this tracker's limits.
    #[must_use]
    pub fn new_inflights(&self) -> Inflights {
        Inflights::new(self.inflight_messages_max, self.inflight_bytes_max)
    }

    /// The highest index that a quorum has made durable.
    #[must_use]
    pub fn committed(&self) -> Index {
        if mutant::is(Mutant::LearnerInQuorum) && !self.config.learners.is_empty() {
            let members: MajorityConfig = self.progress.keys().copied().collect();
            return members.committed_index(|id| self.progress.get(&id).map(|it| it.matched));
        }
        self.config
            .voters
            .committed_index(|id| self.progress.get(&id).map(|progress| progress.matched))
    }

    /// True if a quorum of voters answered since the last check.
    #[must_use]
    pub fn quorum_active(&self) -> bool {
        let result = self.config.voters.vote_result(|id| {
            self.progress
                .get(&id)
                .filter(|progress| !progress.is_learner)
                .map(|progress| progress.recent_active)
        });
        result == VoteResult::Won
    }

    /// Forgets the votes of the last campaign.
    pub fn reset_votes(&mut self) {
        self.votes.clear();
        #[cfg(feature = "mutants")]
        {
            self.electorate = None;
        }
    }

    /// Settles who decides the current campaign: those who are in the cluster now.
    #[cfg(feature = "mutants")]
    pub(crate) fn settle_electorate(&mut self) {
        self.electorate = Some(self.config.voters.clone());
    }

    /// Notes a vote; the first answer of a member counts.
    pub fn record_vote(&mut self, id: MemberId, granted: bool) {
        self.votes.get_or_insert_with(id, || granted);
    }

    /// How many voters have granted their vote.
    #[must_use]
    pub(crate) fn votes_granted(&self) -> u64 {
        let granted = self.votes.values().filter(|granted| **granted).count();
        u64::try_from(granted).unwrap_or(u64::MAX)
    }

    /// Where the campaign stands.
    #[must_use]
    pub fn vote_result(&self) -> VoteResult {
        #[cfg(feature = "mutants")]
        if let Some(electorate) = &self.electorate {
            return electorate.vote_result(|id| self.votes.get(&id).copied());
        }
        self.config.voters.vote_result(|id| self.votes.get(&id).copied())
    }

    /// The member at a position in id order: for a walk that does not borrow the tracker.
    #[must_use]
    pub(crate) fn member_at(&self, position: usize) -> Option<MemberId> {
        self.progress.keys().nth(position).copied()
    }
}
