//! How a member is set up.
//!
//! What it is: the settings of one Raft member, checked once at the start.
//! What it is not: the members of the cluster; those come from storage.
//! Invariants: `election_tick > heartbeat_tick > 0`.
//! Source: etcd-io/raft `Config`; etcd's values in `server/etcdserver/bootstrap.go`.

use serde::{Deserialize, Serialize};

use super::error::Error;
use super::message::{NO_MEMBER, is_local_target};
use crate::types::{Index, MemberId};

/// How linearizable reads are made safe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReadOnlyOption {
    /// The leader asks a quorum whether it still leads.
    #[default]
    Safe,
    /// The leader trusts its lease; needs `check_quorum` and clocks that do not drift much.
    LeaseBased,
}

/// The settings of one member. In all limits `u64::MAX` means no limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// The member. Never 0.
    pub id: MemberId,
    /// Unit: ticks. Without a leader for this long (and up to twice that) a follower campaigns.
    pub election_tick: u32,
    /// Unit: ticks. The leader's heartbeat interval.
    pub heartbeat_tick: u32,
    /// The last index the application has already applied; 0 at the first start.
    pub applied: Index,
    /// True if writes to storage are messages to be answered, false if `advance` confirms them.
    pub async_storage_writes: bool,
    /// Unit: encoded bytes. The entries of one append message; one entry always fits.
    pub max_size_per_msg: u64,
    /// Unit: encoded bytes. Committed entries handed out and not yet applied; 0: as per message.
    pub max_committed_size_per_ready: u64,
    /// Unit: payload bytes. Proposals beyond it are dropped; 0: no limit.
    pub max_uncommitted_entries_size: u64,
    /// Unit: messages. Appends on their way to one follower.
    pub max_inflight_msgs: u32,
    /// Unit: payload bytes. Appends on their way to one follower; 0: no limit.
    pub max_inflight_bytes: u64,
    /// True if a leader steps down when it does not hear from a quorum for an election timeout.
    pub check_quorum: bool,
    /// True if a campaign first asks whether it could win, without raising the term.
    pub pre_vote: bool,
    /// How linearizable reads are made safe.
    pub read_only_option: ReadOnlyOption,
    /// True if a follower drops proposals instead of sending them to the leader.
    pub disable_proposal_forwarding: bool,
    /// True if the leader takes configuration changes that it cannot yet judge.
    pub disable_conf_change_validation: bool,
    /// True if a leader that is removed or becomes a learner steps down.
    pub step_down_on_removal: bool,
}

impl Config {
    /// etcd's ticks (10 and 1) and no limits, for member `id`.
    #[must_use]
    pub fn new(id: MemberId) -> Self {
        Self {
            id,
            election_tick: 10,
            heartbeat_tick: 1,
            applied: Index(0),
            async_storage_writes: false,
            max_size_per_msg: u64::MAX,
            max_committed_size_per_ready: u64::MAX,
            max_uncommitted_entries_size: u64::MAX,
            max_inflight_msgs: 256,
            max_inflight_bytes: u64::MAX,
            check_quorum: false,
            pre_vote: false,
            read_only_option: ReadOnlyOption::Safe,
            disable_proposal_forwarding: false,
            disable_conf_change_validation: false,
            step_down_on_removal: false,
        }
    }

    /// Checks that the settings fit together.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] with the first rule that is broken.
    pub fn validate(&self) -> Result<(), Error> {
        if self.id == NO_MEMBER {
            return Err(Error::InvalidConfig("cannot use none as id"));
        }
        if is_local_target(self.id) {
            return Err(Error::InvalidConfig("cannot use local target as id"));
        }
        if self.heartbeat_tick == 0 {
            return Err(Error::InvalidConfig("heartbeat tick must be greater than 0"));
        }
        if self.election_tick <= self.heartbeat_tick {
            return Err(Error::InvalidConfig("election tick must be greater than heartbeat tick"));
        }
        if self.election_tick > u32::MAX / 2 {
            return Err(Error::InvalidConfig("election tick is too large"));
        }
        if self.max_inflight_msgs == 0 {
            return Err(Error::InvalidConfig("max inflight messages must be greater than 0"));
        }
        if self.max_inflight_bytes != 0 && self.max_inflight_bytes < self.max_size_per_msg {
            return Err(Error::InvalidConfig("max inflight bytes must be >= max message size"));
        }
        if self.read_only_option == ReadOnlyOption::LeaseBased && !self.check_quorum {
            return Err(Error::InvalidConfig(
                "CheckQuorum must be enabled when ReadOnlyOption is ReadOnlyLeaseBased",
            ));
        }
        Ok(())
    }
}
