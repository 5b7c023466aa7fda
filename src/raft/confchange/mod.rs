//! The rules of changing a configuration.
//!
//! What it is: simple changes, entering and leaving a joint configuration, and building one from
//! its stored form; each returns a new configuration and leaves the old one untouched.
//! What it is not: when a change may be proposed (the leader's rule) or what follows from it.
//! Invariants: checked on every result, see `check_invariants`; a refused change changes nothing.
//! Source: Raft thesis §4; behaviour of etcd-io/raft `confchange/`.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::raft::conf_change::{ConfChangeSingle, ConfChangeType};
use crate::raft::quorum::JointConfig;
use crate::raft::state::ConfState;
use crate::raft::tracker::{Progress, ProgressMap, ProgressTracker, TrackerConfig};
use crate::types::{Index, MemberId};

/// Why a change is refused; the texts are etcd's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ConfChangeError {
    /// Nobody would be left to vote.
    #[error("removed all voters")]
    RemovedAllVoters,
    /// Only one voter may change without a joint configuration.
    #[error("more than one voter changed without entering joint config")]
    MoreThanOneVoterChanged,
    /// Simple changes wait until the joint configuration is left.
    #[error("can't apply simple config change in joint config")]
    SimpleInJoint,
    /// Joint configurations do not nest.
    #[error("config is already joint")]
    AlreadyJoint,
    /// The outgoing half needs a voter.
    #[error("can't make a zero-voter config joint")]
    ZeroVoterJoint,
    /// There is nothing to leave.
    #[error("can't leave a non-joint config")]
    NotJoint,
    /// The stored form contradicts itself.
    #[error("stored configuration contradicts itself")]
    InvalidConfState,
}

/// A configuration and the progress of its members.
pub type Changed = (TrackerConfig, ProgressMap);

/// Computes changes on top of a tracker's configuration.
#[derive(Debug)]
pub struct Changer<'a> {
    /// The configuration to start from.
    pub tracker: &'a ProgressTracker,
    /// The last index of the log: new members are probed from there.
    pub last_index: Index,
}

impl Changer<'_> {
    /// Changes at most one voter, and any number of learners.
    ///
    /// # Errors
    /// The first rule that the change breaks.
    pub fn simple(&self, changes: &[ConfChangeSingle]) -> Result<Changed, ConfChangeError> {
        let mut draft = self.draft();
        if draft.config.voters.is_joint() {
            return Err(ConfChangeError::SimpleInJoint);
        }
        draft.apply_all(changes)?;
        let before = &self.tracker.config.voters.incoming;
        let after = &draft.config.voters.incoming;
        let gone = before.iter().filter(|id| !after.contains(*id)).count();
        let come = after.iter().filter(|id| !before.contains(*id)).count();
        if gone + come > 1 {
            return Err(ConfChangeError::MoreThanOneVoterChanged);
        }
        draft.finish()
    }

    /// Enters a joint configuration of the voters before and after the changes.
    ///
    /// # Errors
    /// The first rule that the change breaks.
    pub fn enter_joint(
        &self,
        auto_leave: bool,
        changes: &[ConfChangeSingle],
    ) -> Result<Changed, ConfChangeError> {
        let mut draft = self.draft();
        if draft.config.voters.is_joint() {
            return Err(ConfChangeError::AlreadyJoint);
        }
        if draft.config.voters.incoming.is_empty() {
            return Err(ConfChangeError::ZeroVoterJoint);
        }
        draft.config.voters.outgoing = draft.config.voters.incoming.clone();
        draft.apply_all(changes)?;
        draft.config.auto_leave = auto_leave;
        draft.finish()
    }

    /// Leaves the joint configuration: the incoming voters decide alone.
    ///
    /// # Errors
    /// [`ConfChangeError::NotJoint`] if there is none.
    pub fn leave_joint(&self) -> Result<Changed, ConfChangeError> {
        let mut draft = self.draft();
        if !draft.config.voters.is_joint() {
            return Err(ConfChangeError::NotJoint);
        }
        for id in std::mem::take(&mut draft.config.learners_next) {
            draft.config.learners.insert(id);
            if let Some(progress) = draft.progress.get_mut(&id) {
                progress.is_learner = true;
            }
        }
        for id in std::mem::take(&mut draft.config.voters.outgoing).iter() {
            if !draft.is_member(id) {
                draft.progress.remove(&id);
            }
        }
        draft.config.auto_leave = false;
        draft.finish()
    }

    /// Builds the configuration that `stored` describes, with fresh progress for its members.
    ///
    /// # Errors
    /// [`ConfChangeError::InvalidConfState`] if it contradicts itself.
    pub fn restore(&self, stored: &ConfState) -> Result<Changed, ConfChangeError> {
        let config = TrackerConfig {
            voters: JointConfig {
                incoming: stored.voters.iter().copied().collect(),
                outgoing: stored.voters_outgoing.iter().copied().collect(),
            },
            auto_leave: stored.auto_leave,
            learners: stored.learners.iter().copied().collect(),
            learners_next: stored.learners_next.iter().copied().collect(),
        };
        let mut draft = Draft { changer: self, config, progress: ProgressMap::new() };
        let voters: Vec<MemberId> = draft.config.voters.ids().iter().collect();
        for id in voters {
            draft.add_progress(id, Part::Voter);
        }
        for id in draft.config.learners.clone() {
            draft.add_progress(id, Part::Learner);
        }
        if is_consistent(&draft.config, &draft.progress) {
            Ok((draft.config, draft.progress))
        } else {
            Err(ConfChangeError::InvalidConfState)
        }
    }

    fn draft(&self) -> Draft<'_> {
        Draft {
            changer: self,
            config: self.tracker.config.clone(),
            progress: self.tracker.progress.clone(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Voter,
    Learner,
}

struct Draft<'a> {
    changer: &'a Changer<'a>,
    config: TrackerConfig,
    progress: ProgressMap,
}

impl Draft<'_> {
    fn apply_all(&mut self, changes: &[ConfChangeSingle]) -> Result<(), ConfChangeError> {
        for change in changes {
            // Id 0 is how the application says that it refused a committed change.
            if change.node_id == MemberId(0) {
                continue;
            }
            match change.change_type {
                ConfChangeType::AddNode => self.make_voter(change.node_id),
                ConfChangeType::AddLearnerNode => self.make_learner(change.node_id),
                ConfChangeType::RemoveNode => self.remove(change.node_id),
                ConfChangeType::UpdateNode => {}
            }
        }
        if self.config.voters.incoming.is_empty() {
            return Err(ConfChangeError::RemovedAllVoters);
        }
        Ok(())
    }

    fn add_progress(&mut self, id: MemberId, part: Part) {
        // Probing from the end of the log finds out at once whether a snapshot is needed;
        // index 1 is the lowest that can be sent.
        let next = self.changer.last_index.max(Index(1));
        let mut progress = Progress::new(next, self.changer.tracker.new_inflights());
        progress.is_learner = part == Part::Learner;
        // A new member counts as active, so that the next quorum check does not depose the
        // leader before it had a chance to answer.
        progress.recent_active = true;
        self.progress.insert(id, progress);
    }

    fn make_voter(&mut self, id: MemberId) {
        match self.progress.get_mut(&id) {
            Some(progress) => progress.is_learner = false,
            None => self.add_progress(id, Part::Voter),
        }
        self.config.learners.remove(&id);
        self.config.learners_next.remove(&id);
        self.config.voters.incoming.insert(id);
    }

    fn make_learner(&mut self, id: MemberId) {
        let Some(mut progress) = self.progress.get(&id).cloned() else {
            self.add_progress(id, Part::Learner);
            self.config.learners.insert(id);
            return;
        };
        if progress.is_learner {
            return;
        }
        self.remove(id);
        // While the outgoing half still needs its vote it can only become a learner later.
        if self.config.voters.outgoing.contains(id) {
            self.config.learners_next.insert(id);
        } else {
            progress.is_learner = true;
            self.config.learners.insert(id);
        }
        self.progress.insert(id, progress);
    }

    fn remove(&mut self, id: MemberId) {
        if !self.progress.contains_key(&id) {
            return;
        }
        self.config.voters.incoming.remove(id);
        self.config.learners.remove(&id);
        self.config.learners_next.remove(&id);
        if !self.config.voters.outgoing.contains(id) {
            self.progress.remove(&id);
        }
    }

    fn is_member(&self, id: MemberId) -> bool {
        self.config.voters.incoming.contains(id) || self.config.learners.contains(&id)
    }

    fn finish(self) -> Result<Changed, ConfChangeError> {
        assert!(
            is_consistent(&self.config, &self.progress),
            "raft: inconsistent configuration {} after a change",
            self.config
        );
        Ok((self.config, self.progress))
    }
}

/// The laws of a configuration and the progress of its members.
#[must_use]
pub(crate) fn is_consistent(config: &TrackerConfig, progress: &ProgressMap) -> bool {
    let voters = &config.voters;
    let is_learner = |id: &MemberId| progress.get(id).map(|member| member.is_learner);
    let all_tracked = voters.ids().iter().all(|id| progress.contains_key(&id));
    let learners_ok =
        config.learners.iter().all(|id| !voters.contains(*id) && is_learner(id) == Some(true));
    let next_ok = config
        .learners_next
        .iter()
        .all(|id| voters.outgoing.contains(*id) && is_learner(id) == Some(false));
    let joint_ok = voters.is_joint() || (config.learners_next.is_empty() && !config.auto_leave);
    let nobody_else =
        progress.keys().all(|id| voters.contains(*id) || config.learners.contains(id));
    all_tracked && learners_ok && next_ok && joint_ok && nobody_else
}
