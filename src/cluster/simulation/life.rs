//! How simulated members start, stop, crash, pause and go on.
//!
//! What it is: everything that changes a member's epoch, and a pause. What it is not: a member's work.
//! Invariants: a stop may land the round that was in flight, as measured; what was asked of a stopped member fails,
//! but for what it answered before it stopped by itself.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::{CLIENT_MS, Passed, Simulation};
use crate::cluster::event::{CallId, Event, SimNews};
use crate::cluster::fault::{MemberFault, Speed};
use crate::etcdserver::{DiskImage, Input, Server, StartError};
use crate::types::MemberId;

/// The moment at which a simulation begins. Unit: s since 1970. Source: ours; any will do.
const EPOCH_S: i64 = 1_700_000_000;

/// How often in 100 a round that was in flight at a kill has landed all the same.
/// Source: measured, 108 of 300 terminated workers.
const LANDS_AFTER_KILL: u32 = 36;

impl Simulation {
    /// Kills a member: what was in flight to its disk may or may not have landed.
    pub fn kill(&mut self, id: MemberId) {
        self.stop(id, "killed");
    }

    /// Does something to a member's disk, clock or power.
    pub fn afflict(&mut self, id: MemberId, fault: MemberFault) {
        let nobody = BTreeSet::new();
        match fault {
            // Whoever is killed may have a round that lands all the same; without power there is none.
            MemberFault::PowerCut => self.stop_with(id, "its power was cut", false, &nobody),
            MemberFault::Wipe => {
                self.stop_with(id, "killed", false, &nobody);
                self.record(&format!("wipe {id:x}"));
                if let Some(member) = self.members.get_mut(&id) {
                    // The fence stays: it tells that something was lost.
                    member.disk = DiskImage::default();
                }
            }
            MemberFault::SlowDisk(_)
            | MemberFault::FillDisk
            | MemberFault::FreeDisk
            | MemberFault::Clock(_) => {
                if let Some(member) = self.members.get_mut(&id) {
                    member.faults.set(fault);
                    if matches!(fault, MemberFault::Clock(_)) {
                        member.tick_ms = member.faults.tick_ms(member.config.tick_ms);
                    }
                }
            }
        }
    }

    /// How fast the cluster's time passes, from each member's next tick and each next message on.
    pub const fn set_speed(&mut self, speed: Speed) {
        self.speed = speed;
    }

    pub(super) fn stop(&mut self, id: MemberId, reason: &str) {
        let lands = self.random.chance(LANDS_AFTER_KILL, 100);
        self.stop_with(id, reason, lands, &BTreeSet::new());
    }

    /// A member ends by itself: the answers that it gave before arrive.
    pub(super) fn stop_by_itself(&mut self, id: MemberId, reason: &str) {
        let on_the_way = self.heap.iter().filter_map(|Reverse(scheduled)| match &scheduled.event {
            Event::ToClient(SimNews::Reply { call, .. }) => Some(*call),
            _ => None,
        });
        let answered = on_the_way.collect();
        let lands = self.random.chance(LANDS_AFTER_KILL, 100);
        self.stop_with(id, reason, lands, &answered);
    }

    pub(super) fn stop_with(
        &mut self,
        id: MemberId,
        reason: &str,
        lands: bool,
        answered: &BTreeSet<CallId>,
    ) {
        let Some(member) = self.members.get_mut(&id) else { return };
        if member.server.take().is_none() {
            return;
        }
        member.epoch += 1;
        member.paused = None;
        member.unreachable.clear();
        if let Some((round, _)) = member.in_flight.take()
            && lands
        {
            member.disk.apply(&round);
            if let Some(invariants) = &mut self.invariants {
                invariants.landed(id, &round.fence);
            }
        }
        self.record(&format!("down {id:x} {reason}"));
        self.news.push_back(SimNews::MemberDown { member: id, reason: reason.to_owned() });
        let open: Vec<CallId> =
            self.calls.iter().filter(|(_, (to, _))| *to == id).map(|(call, _)| *call).collect();
        for call in open.into_iter().filter(|call| !answered.contains(call)) {
            self.calls.remove(&call);
            let failed = SimNews::CallFailed { call, was_sent: true };
            self.schedule(CLIENT_MS, Event::ToClient(failed));
        }
    }

    /// Starts a member from its disk. It stays down if its disk cannot be used.
    pub fn restart(&mut self, id: MemberId) {
        let phase = u64::from(self.random.below(u32::try_from(self.spec.tick_ms).unwrap_or(100)));
        let Some(member) = self.members.get_mut(&id) else { return };
        if member.server.is_some() {
            return;
        }
        member.epoch += 1;
        let epoch = member.epoch;
        member.config.unix_s =
            EPOCH_S.saturating_add(i64::try_from(self.now.0 / 1000).unwrap_or(i64::MAX));
        let (config, disk, fence) = (member.config.clone(), &member.disk, member.fence.as_ref());
        let start = std::panic::AssertUnwindSafe(|| Server::start(config, disk, fence));
        let started = match std::panic::catch_unwind(start) {
            Ok(started) => started,
            Err(panic) => {
                let reason = format!("crashed: {}", panic_message(panic.as_ref()));
                if let Some(invariants) = &mut self.invariants {
                    invariants.crashed(id, &reason);
                }
                self.not_started(id, reason);
                return;
            }
        };
        match started {
            Ok(server) => {
                if let Some(invariants) = &mut self.invariants {
                    invariants.started(id, &server.observe());
                }
                member.passed = Passed::of(&server.observe());
                member.server = Some(server);
            }
            Err(error) => {
                self.start_failed(id, &error);
                return;
            }
        }
        self.record(&format!("up {id:x}"));
        self.news.push_back(SimNews::MemberUp(id));
        self.schedule(1 + phase, Event::Tick { member: id, epoch });
        let others: Vec<MemberId> = self.list.iter().map(|member| member.id).collect();
        for other in others {
            let other_epoch = self.members.get(&other).map_or(0, |member| member.epoch);
            if other != id && self.is_up(other) {
                let epochs = (epoch, other_epoch);
                self.schedule(2, Event::Connected { one: id, other, epochs });
            }
        }
        self.drain(id);
    }

    fn start_failed(&mut self, id: MemberId, error: &StartError) {
        if *error == StartError::Removed {
            self.removed.insert(id);
        }
        self.not_started(id, error.to_string());
    }

    /// True if a member did not start because its disk says that it was removed.
    #[must_use]
    pub fn was_removed(&self, id: MemberId) -> bool {
        self.removed.contains(&id)
    }

    fn not_started(&mut self, id: MemberId, reason: String) {
        self.record(&format!("not started {id:x} {reason}"));
        self.news.push_back(SimNews::MemberDown { member: id, reason });
    }

    /// Stops a member's world.
    pub fn pause(&mut self, id: MemberId) {
        if let Some(member) = self.members.get_mut(&id)
            && member.server.is_some()
            && member.paused.is_none()
        {
            member.paused = Some(Vec::new());
            self.record(&format!("pause {id:x}"));
        }
    }

    /// Lets it go on: one tick for the whole pause, then what its buffers hold.
    pub fn resume(&mut self, id: MemberId) {
        let Some(inputs) = self.members.get_mut(&id).and_then(|member| member.paused.take()) else {
            return;
        };
        self.record(&format!("resume {id:x}"));
        self.input(id, Input::Tick);
        if self.spec.resumes_at_once && !inputs.is_empty() {
            self.input(id, Input::Batch(inputs));
            return;
        }
        for input in inputs {
            self.input(id, input);
        }
    }
}

pub(super) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "no message".to_owned())
}
