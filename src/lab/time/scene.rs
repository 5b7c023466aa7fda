//! What a moment shows of a cluster.
//!
//! What it is: members, links, messages in flight and hashes, read off a simulation that stands still.
//! What it is not: consoles and steps; those are the recorder's.
//! Invariants: looking changes nothing; lists are bounded.

use super::words::flight;
use crate::api;
use crate::cluster::Simulation;
use crate::cluster::fault::WHOLE;
use crate::lab::play::{disturbed, member_sentence, speed_sentence};
use crate::lab::session::{Session, picture};
use crate::scenario::moment::{FLIGHTS_MAX, Moment, MomentMember, TAIL_MAX};
use crate::scenario::{Refusal, Told, World};
use crate::types::{Index, MemberId};

/// Most lines about disturbed links and members.
const FAULTS_MAX: usize = 32;

/// Who stands still: a cluster, with consoles around it or without.
#[derive(Clone, Copy)]
pub(in crate::lab) struct Scene<'s> {
    /// The cluster.
    pub(super) simulation: &'s Simulation,
    /// The consoles; `None` for a seed.
    pub(super) session: Option<&'s Session>,
}

impl<'s> Scene<'s> {
    /// The consoles of a script and their cluster.
    pub(in crate::lab) const fn of(session: &'s Session) -> Self {
        Self { simulation: session.simulation(), session: Some(session) }
    }

    /// Hash over every event.
    pub(super) fn trace(&self) -> u64 {
        self.session.map_or_else(|| self.simulation.trace_hash(), Session::trace_hash)
    }

    /// What there is to see of the cluster.
    pub(super) fn moment(&self) -> Moment {
        let simulation = self.simulation;
        let mut flights: Vec<_> = simulation.in_flight();
        let more_flights =
            u64::try_from(flights.len().saturating_sub(FLIGHTS_MAX)).unwrap_or(u64::MAX);
        flights.truncate(FLIGHTS_MAX);
        Moment {
            now: simulation.now(),
            members: self.members(),
            cuts: simulation.links().cut_links().collect(),
            faults: faults(simulation),
            flights: flights.iter().filter_map(flight).collect(),
            more_flights,
            revision: simulation.newest_revision(),
            outcome: simulation.outcome_hash(),
            trace: self.trace(),
            ..Moment::default()
        }
    }

    fn members(&self) -> Vec<MomentMember> {
        let simulation = self.simulation;
        let roster = simulation.newest_members();
        let is_known = roster.as_ref().is_some_and(|(_, members, _)| !members.is_empty());
        let is_member = |id: MemberId| {
            !is_known
                || roster.iter().flat_map(|(_, members, _)| members).any(|member| member.id == id)
        };
        let is_learner =
            |id: MemberId| roster.as_ref().is_some_and(|(_, _, conf)| conf.learners.contains(&id));
        let show = |member: &api::Member| {
            let id = member.id;
            let (tick_ms, writes_since) = simulation.pace(id);
            let status = simulation.status(id);
            let tail = status.as_ref().and_then(|status| {
                let from = status.last_index.0.saturating_sub(TAIL_MAX - 1);
                simulation.log_part(id, Index(from.max(status.first_index.0)), status.last_index)
            });
            MomentMember {
                id,
                name: member.name.clone(),
                is_learner: is_learner(id),
                is_removed: simulation.was_removed(id) || !is_member(id),
                is_up: simulation.is_up(id),
                is_paused: simulation.is_paused(id),
                status,
                tick_ms,
                writes_since,
                tail: tail.map(Box::new),
            }
        };
        simulation.members().iter().map(show).collect()
    }
}

/// The cluster as verbs see it, without consoles.
pub(super) fn world(simulation: &Simulation) -> World {
    World { members: picture(simulation), links: simulation.links().clone(), ..World::default() }
}

/// What is wrong beside what is cut, a line each.
fn faults(simulation: &Simulation) -> Vec<Refusal> {
    let mut lines: Vec<Told> = Vec::new();
    if !simulation.speed().is_real() {
        lines.push(speed_sentence(simulation.speed()));
    }
    if simulation.links().rules().next().is_some() {
        lines.extend(disturbed(&world(simulation), simulation.links()));
    }
    for member in simulation.members() {
        use crate::cluster::fault::MemberFault;
        let faults = simulation.faults(member.id);
        let mut found = Vec::new();
        if faults.disk_delay_ms() > 0 {
            found.push(MemberFault::SlowDisk(faults.disk_delay_ms()));
        }
        if faults.is_disk_full() {
            found.push(MemberFault::FillDisk);
        }
        if faults.clock() != WHOLE {
            found.push(MemberFault::Clock(faults.clock()));
        }
        lines.extend(found.into_iter().map(|fault| member_sentence(&member.name, fault)));
    }
    lines.iter().take(FAULTS_MAX).map(Refusal::from).collect()
}
