//! What a run of a seed says of itself.
//!
//! What it is: [`Phase`] and [`SeedPlan`], typed, in English by `Display`.
//! What it is not: a fault's or an event's own words, which are the names that the engine gives them.
//! Invariants: nothing here is part of a hash.

use std::fmt;

use super::Plan;

/// A phase of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The clients go on, since they have done too little.
    TooLittle,
    /// No fault any more.
    Healed,
    /// The cluster begins again from a snapshot.
    Restored,
    /// A fault, by its name and values.
    Fault(String),
    /// Nobody can be elected any more.
    NoMajority,
    /// Every key is deleted: sizes of the members' stores, and their quota.
    Deletes(String, i64),
    /// These alarms are lifted.
    Lifts(String),
    /// Every member starts again.
    Restart,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLittle => f.write_str("too little has happened"),
            Self::Healed => f.write_str("everything is healed"),
            Self::Restored => f.write_str("a snapshot is restored"),
            Self::Fault(fault) => f.write_str(fault),
            Self::NoMajority => f.write_str("no majority is left"),
            Self::Deletes(sizes, quota) => {
                write!(f, "deletes everything: {sizes} bytes of {quota}")
            }
            Self::Lifts(alarms) => write!(f, "lifts {alarms}"),
            Self::Restart => f.write_str("everything restarts from its disk"),
        }
    }
}

/// What a seed draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedPlan {
    /// Number of members.
    pub members: u32,
    /// Number of clients.
    pub clients: u32,
    /// Length of a tick. Unit: ms.
    pub tick_ms: u64,
    /// Election timeout. Unit: ticks.
    pub election_ticks: u32,
    /// Elections begin with a pre-vote.
    pub pre_vote: bool,
    /// A leader without a quorum steps down.
    pub check_quorum: bool,
}

impl SeedPlan {
    pub(super) fn of(plan: &Plan) -> Self {
        let spec = &plan.spec;
        Self {
            members: spec.members,
            clients: u32::try_from(plan.clients.len()).unwrap_or(u32::MAX),
            tick_ms: spec.tick_ms,
            election_ticks: spec.election_ticks,
            pre_vote: spec.pre_vote,
            check_quorum: spec.check_quorum,
        }
    }
}

impl fmt::Display for SeedPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { members, clients, tick_ms, election_ticks, pre_vote, check_quorum } = self;
        write!(f, "{members} members, {clients} clients, {tick_ms} ms ticks, ")?;
        write!(f, "{election_ticks} election ticks")?;
        f.write_str(if *pre_vote { "" } else { ", no pre-vote" })?;
        f.write_str(if *check_quorum { "" } else { ", no check-quorum" })
    }
}
