//! What a member can be asked about itself.
//!
//! What it is: copies of the state, for people and for the server.
//! What it is not: a view that changes later.
//! Invariants: only a leader knows progress.
//! Source: etcd-io/raft `status.go`.

use serde::{Deserialize, Serialize};

use super::machine::StepDownReason;
use super::state::{HardState, SoftState};
use super::tracker::{ProgressMap, TrackerConfig};
use crate::types::{Index, MemberId};

/// The state without what costs to copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BasicStatus {
    /// The member.
    pub id: MemberId,
    /// Term, vote and commit.
    pub hard_state: HardState,
    /// Leader and role.
    pub soft_state: SoftState,
    /// The last index that was applied.
    pub applied: Index,
    /// The first index that is still in the log.
    pub first_index: Index,
    /// The last index of the log.
    pub last_index: Index,
    /// To whom the leader is handing over.
    pub lead_transferee: Option<MemberId>,
    /// True if the member does not vote.
    pub is_learner: bool,
    /// Why it stopped leading, if it led before.
    pub last_step_down: Option<StepDownReason>,
    /// Unit: ticks since the leader was heard, the campaign began, or the quorum was checked.
    pub election_elapsed: u32,
    /// Unit: ticks. Without a leader the member campaigns after this long.
    pub randomized_election_timeout: u32,
}

/// The whole state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The cheap part.
    pub basic: BasicStatus,
    /// The configuration in force.
    pub config: TrackerConfig,
    /// What the leader knows about each member; empty on a follower.
    pub progress: ProgressMap,
}
