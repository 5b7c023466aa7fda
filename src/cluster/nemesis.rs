//! Does the faults of a run, each for a while, and takes them back.
//!
//! What it is: one draw after another from the plan's faults, and a list of what is to be undone when.
//! What it is not: a judge, but for one thing: a disk that lost data must keep its member down.
//! Invariants: after [`Nemesis::heal`] nothing of any fault is left.

mod members;

use std::collections::{BTreeMap, BTreeSet};

use super::disk::CrashPoint;
use super::event::TimerId;
use super::simulation::Simulation;
use super::simulation::knobs::ON_PURPOSE;
use super::swarm::{Fault, MEMBERS, Plan};
use crate::api::{MemberEvent, Role};
use crate::etcdserver::{DiskImage, Fence};
use crate::raft::ConfState;
use crate::random::Pcg32;
use crate::types::{Index, MemberId, Millis};

/// The longest a disturbed disk takes for a round. Unit: ms.
pub(super) const SLOWEST_ROUND_MS: u32 = 1_500;

/// The longest that a new leader is left alone before it is deposed. Unit: ms; the first for every other one.
const REIGN_MS: (u32, u32) = (3, 250);

/// How often somebody looks whether an isolated member is so far behind that it needs a snapshot. Unit: ms.
const BEHIND_EVERY_MS: u64 = 100;

/// What is to be done when a fault has lasted long enough, or a little later.
#[derive(Debug)]
enum Undo {
    /// Opens a member's links.
    OpenLinks(MemberId),
    /// Opens a member's links once it needs a snapshot, or at the latest then.
    Behind(MemberId, Millis),
    /// Kills or isolates a member, if it leads.
    Depose(MemberId),
    /// Asks for a voter, or for the end of a joint configuration.
    AddVoter,
    LeaveJoint,
    /// Starts whoever was added.
    Meet,
    Restart(MemberId),
    RestartAll,
    Resume(MemberId),
    ResumeAll,
    Network,
    Disks,
    Links,
    Clocks,
    /// Puts the true disk back and starts the member.
    Repair(MemberId, Box<DiskImage>),
}

/// The faults of a run.
#[derive(Debug)]
pub(super) struct Nemesis {
    random: Pcg32,
    plan: Plan,
    ids: Vec<MemberId>,
    undo: BTreeMap<TimerId, Undo>,
    /// The applied index that `ids` is from.
    ids_at: Index,
    conf: ConfState,
    /// Members that were added, counted for their names and URLs.
    added: u32,
    /// Peer URLs of members that are gone.
    free_urls: Vec<String>,
    /// Leaders that were deposed, and hear nobody yet.
    isolated: BTreeSet<MemberId>,
    /// Copies of disks from earlier.
    saved: BTreeMap<MemberId, (DiskImage, Fence)>,
    /// Faults done, by group.
    pub(super) done: BTreeMap<&'static str, u64>,
}

/// True if a disk with the fence `old` has lost what a disk with the fence `new` had.
fn is_behind(old: &Fence, new: &Fence) -> bool {
    old.boot < new.boot
        || old.term < new.term
        || (old.last_log_term, old.last_log_index) < (new.last_log_term, new.last_log_index)
}

impl Nemesis {
    pub(super) fn new(plan: &Plan, ids: Vec<MemberId>) -> Self {
        Self {
            random: Pcg32::for_stream(plan.spec.seed, &[0x6e65_6d65]),
            plan: plan.clone(),
            ids,
            ids_at: Index(0),
            conf: ConfState::default(),
            added: 0,
            free_urls: Vec::new(),
            isolated: BTreeSet::new(),
            undo: BTreeMap::new(),
            saved: BTreeMap::new(),
            done: BTreeMap::new(),
        }
    }

    /// When the next fault is due. Unit: ms from now.
    pub(super) fn pause(&mut self) -> u64 {
        u64::from(self.random.between(self.plan.fault_every_ms.0, self.plan.fault_every_ms.1))
    }

    fn one(&mut self) -> MemberId {
        let count = u32::try_from(self.ids.len()).unwrap_or(1);
        let at = usize::try_from(self.random.below(count)).unwrap_or(0);
        self.ids.get(at).copied().unwrap_or_default()
    }

    fn later(&mut self, sim: &mut Simulation, undo: Undo) {
        let ms = self.random.between(1, self.plan.fault_ms.max(2));
        self.in_ms(sim, u64::from(ms), undo);
    }

    fn in_ms(&mut self, sim: &mut Simulation, ms: u64, undo: Undo) {
        let timer = sim.set_timer(ms);
        self.undo.insert(timer, undo);
    }

    /// A member went down.
    pub(super) fn hear_down(&mut self, sim: &mut Simulation, member: MemberId, reason: &str) {
        if reason.starts_with(ON_PURPOSE) {
            *self.done.entry("crash points").or_default() += 1;
            self.later(sim, Undo::Restart(member));
        }
    }

    /// A member did something.
    pub(super) fn hear(&mut self, sim: &mut Simulation, member: MemberId, event: &MemberEvent) {
        match event {
            MemberEvent::ConfChanged { .. } => {
                let ms = u64::from(self.random.between(1, 300));
                self.in_ms(sim, ms, Undo::Meet);
            }
            MemberEvent::BecameLeader { .. } => {
                let one_in = self.plan.settings.short_reigns;
                // In the end leaders stay, so that something is written.
                let is_time = sim.now().0 * 3 < self.plan.busy_ms * 2;
                if one_in > 0 && is_time && self.random.chance(1, one_in) {
                    let is_short = self.random.chance(1, 2);
                    let most = if is_short { REIGN_MS.0 } else { REIGN_MS.1 };
                    let ms = u64::from(self.random.below(most));
                    self.in_ms(sim, ms, Undo::Depose(member));
                }
            }
            _ => {}
        }
    }

    /// One more fault; gives its name for the log.
    pub(super) fn strike(&mut self, sim: &mut Simulation) -> Option<Fault> {
        if self.random.chance(1, 4) {
            let id = self.one();
            if let (Some(fence), Some(disk)) = (sim.fence(id), sim.disk_mut(id)) {
                self.saved.insert(id, (disk.clone(), fence));
            }
        }
        self.meet(sim);
        if self.plan.settings.has_stuck_disks && self.plan.settings.short_reigns == 0 {
            self.stick(sim);
        }
        let total = self.plan.faults.iter().map(|(_, _, weight)| weight).sum();
        let mut drawn = self.random.below(total);
        let (fault, group, _) = *self.plan.faults.iter().find(|(_, _, weight)| {
            let is_it = drawn < *weight;
            drawn = drawn.saturating_sub(*weight);
            is_it
        })?;
        let did = match fault {
            Fault::Kill | Fault::KillAll | Fault::CrashPoint => self.crash(sim, fault),
            Fault::RolledBack | Fault::Emptied | Fault::Damaged => {
                let id = self.one();
                self.lose_disk(sim, id, fault)
            }
            Fault::SlowDisks | Fault::AbortedRounds => self.disturb_disks(sim, fault),
            Fault::Pause | Fault::Freeze => self.stop_time(sim, fault),
            Fault::Lossy | Fault::Doubling | Fault::Delays => self.disturb_network(sim, fault),
            Fault::SkewedClocks => self.skew(sim),
            Fault::AddVoter
            | Fault::AddLearner
            | Fault::Promote
            | Fault::Remove
            | Fault::Replace
            | Fault::Wipe
            | Fault::Joint
            | Fault::Refused
            | Fault::MoveLeader => self.change_members(sim, fault),
            Fault::IsolateUntilSnapshot => self.isolate_until_snapshot(sim),
            Fault::CutOneWay
            | Fault::IsolateAny
            | Fault::IsolateLeader
            | Fault::Halves
            | Fault::Ring => self.cut(sim, fault),
        };
        // Those count when they have happened.
        if did && group != MEMBERS && fault != Fault::CrashPoint {
            *self.done.entry(group).or_default() += 1;
        }
        did.then_some(fault)
    }

    fn crash(&mut self, sim: &mut Simulation, fault: Fault) -> bool {
        match fault {
            Fault::KillAll => {
                for id in self.ids.clone() {
                    sim.kill(id);
                }
                self.later(sim, Undo::RestartAll);
            }
            Fault::CrashPoint => {
                // What is seldom passed is asked for several times at once.
                let is_rare = self.random.chance(3, 4);
                let points: Vec<CrashPoint> =
                    CrashPoint::ALL.into_iter().filter(|p| p.is_frequent() != is_rare).collect();
                let count = u32::try_from(points.len()).unwrap_or(1);
                for _ in 0..if is_rare { 4 } else { 1 } {
                    let at = usize::try_from(self.random.below(count)).unwrap_or(0);
                    let Some(point) = points.get(at) else { continue };
                    let member =
                        if !is_rare && self.random.chance(1, 2) { Some(self.one()) } else { None };
                    let skip = self.random.below(if is_rare { 2 } else { 40 });
                    sim.crash_at(*point, member, skip);
                }
            }
            _ => {
                let id = if self.random.chance(1, 3) { self.leader(sim) } else { self.one() };
                sim.kill(id);
                self.later(sim, Undo::Restart(id));
            }
        }
        true
    }

    /// A member's disk is not what it was: it must not start with it.
    fn lose_disk(&mut self, sim: &mut Simulation, id: MemberId, fault: Fault) -> bool {
        let is_under_repair =
            self.undo.values().any(|undo| matches!(undo, Undo::Repair(other, _) if *other == id));
        let Some(fence) = sim.fence(id) else { return false };
        if is_under_repair {
            return false;
        }
        let lost = match fault {
            Fault::Emptied => DiskImage::default(),
            Fault::Damaged => {
                let Some(disk) = sim.disk_mut(id) else { return false };
                let mut damaged = disk.clone();
                if !self.damage(&mut damaged) {
                    return false;
                }
                damaged
            }
            _ => match self.saved.get(&id) {
                Some((image, old)) if is_behind(old, &fence) => image.clone(),
                _ => return false,
            },
        };
        sim.kill(id);
        let Some(disk) = sim.disk_mut(id) else { return false };
        let whole = std::mem::replace(disk, lost);
        sim.restart(id);
        if sim.is_up(id)
            && let Some(invariants) = sim.invariants_mut()
        {
            invariants.broken(25, format!("{id:x} started although its disk was {fault:?}"));
        }
        sim.kill(id);
        self.later(sim, Undo::Repair(id, Box::new(whole)));
        true
    }

    /// Flips one bit of one chunk that counts.
    fn damage(&mut self, disk: &mut DiskImage) -> bool {
        let rows = disk.keys_that_count();
        let (store, keys) = match self.random.below(3) {
            0 => (&mut disk.rows, rows),
            1 => {
                let keys = disk.meta.keys().copied().collect();
                (&mut disk.meta, keys)
            }
            _ => {
                let keys: Vec<u64> = disk.wal.keys().copied().collect();
                (&mut disk.wal, keys)
            }
        };
        let count = u32::try_from(keys.len()).unwrap_or(u32::MAX);
        let at = usize::try_from(self.random.below(count.max(1))).unwrap_or(0);
        let key = keys.get(at).copied().unwrap_or_default();
        let Some(bytes) = store.get_mut(&key) else { return false };
        let mut damaged = bytes.to_vec();
        let length = u32::try_from(damaged.len()).unwrap_or(u32::MAX);
        let place = usize::try_from(self.random.below(length)).unwrap_or(0);
        let bit = 1_u8 << self.random.below(8);
        let Some(byte) = damaged.get_mut(place) else { return false };
        *byte ^= bit;
        *bytes = damaged.into();
        true
    }

    /// Cuts a member off until the others' logs do not reach it any more.
    fn isolate_until_snapshot(&mut self, sim: &mut Simulation) -> bool {
        let id = self.one();
        let ids = self.ids.clone();
        sim.links_mut().isolate(id, &ids);
        let end = sim.now().plus(u64::from(self.plan.fault_ms) * 4);
        self.in_ms(sim, BEHIND_EVERY_MS, Undo::Behind(id, end));
        true
    }

    fn look_if_behind(&mut self, sim: &mut Simulation, id: MemberId, end: Millis) {
        let last = sim.log_span(id).map_or(Index(0), |(_, last)| last);
        let begins_after = |other: &MemberId| sim.log_span(*other).map(|(first, _)| first);
        let newest = self.ids.iter().filter_map(begins_after).max().unwrap_or_default();
        if newest > last.next() || sim.now() >= end {
            sim.links_mut().heal_member(id);
        } else {
            self.in_ms(sim, BEHIND_EVERY_MS, Undo::Behind(id, end));
        }
    }

    /// Ends a reign that has just begun.
    fn depose(&mut self, sim: &mut Simulation, id: MemberId) {
        if sim.status(id).is_none_or(|now| now.role != Role::Leader) {
            return;
        }
        // Long enough that the others elect somebody else, once or twice.
        let election_ticks = u64::from(self.plan.spec.election_ticks);
        let election_ms = u32::try_from(self.plan.spec.tick_ms * election_ticks).unwrap_or(1_000);
        let ms = u64::from(self.random.between(election_ms, election_ms * 6));
        if self.random.chance(1, 4) {
            sim.kill(id);
            *self.done.entry("crash").or_default() += 1;
            self.in_ms(sim, ms, Undo::Restart(id));
        } else {
            self.isolated.insert(id);
            sim.links_mut().isolate(id, &self.ids);
            *self.done.entry("network").or_default() += 1;
            self.in_ms(sim, ms, Undo::OpenLinks(id));
        }
    }

    /// A follower writes nothing for some election timeouts, and the leader goes meanwhile.
    fn stick(&mut self, sim: &mut Simulation) {
        let (leader, id) = (self.leader(sim), self.one());
        if leader == id {
            return;
        }
        let election_ms = self.plan.spec.tick_ms * u64::from(self.plan.spec.election_ticks);
        let election_ms = u32::try_from(election_ms).unwrap_or(100);
        let ms = self.random.between(election_ms * 3, election_ms * 6).min(SLOWEST_ROUND_MS);
        sim.stall_disk(id, u64::from(ms));
        *self.done.entry("storage").or_default() += 1;
        let ms = self.random.between(20, election_ms.max(20));
        self.in_ms(sim, u64::from(ms), Undo::Depose(leader));
    }

    fn disturb_disks(&mut self, sim: &mut Simulation, fault: Fault) -> bool {
        let (slow, slow_ms, aborted) = (
            self.random.between(50, 1_000),
            self.random.between(20, SLOWEST_ROUND_MS),
            self.random.between(2, 60),
        );
        let disk = sim.disk_model_mut();
        if fault == Fault::SlowDisks {
            (disk.slow, disk.slow_ms) = (slow, slow_ms);
        } else {
            disk.aborted = aborted;
        }
        self.later(sim, Undo::Disks);
        true
    }

    fn disturb_network(&mut self, sim: &mut Simulation, fault: Fault) -> bool {
        let (lost, doubled) = (self.random.between(20, 300), self.random.between(50, 500));
        let slowest = self.random.between(10, 400);
        let network = sim.network_mut();
        match fault {
            Fault::Lossy => network.lost = lost,
            Fault::Doubling => network.doubled = doubled,
            _ => network.delay_ms = (1, slowest),
        }
        self.later(sim, Undo::Network);
        true
    }

    fn stop_time(&mut self, sim: &mut Simulation, fault: Fault) -> bool {
        if fault == Fault::Freeze {
            for id in self.ids.clone() {
                sim.pause(id);
            }
            self.later(sim, Undo::ResumeAll);
        } else {
            let id = if self.random.chance(1, 3) { self.leader(sim) } else { self.one() };
            sim.pause(id);
            let is_long = self.random.chance(1, 4);
            let most = self.plan.fault_ms.max(2) * if is_long { 4 } else { 1 };
            let ms = u64::from(self.random.between(1, most));
            self.in_ms(sim, ms, Undo::Resume(id));
        }
        true
    }

    fn skew(&mut self, sim: &mut Simulation) -> bool {
        let tick_ms = u32::try_from(self.plan.spec.tick_ms).unwrap_or(100);
        for id in self.ids.clone() {
            let ms = self.random.between(tick_ms / 2, tick_ms * 2);
            sim.set_tick_ms(id, u64::from(ms));
        }
        self.later(sim, Undo::Clocks);
        true
    }

    fn cut(&mut self, sim: &mut Simulation, fault: Fault) -> bool {
        let ids = self.ids.clone();
        if ids.len() < 2 {
            return false;
        }
        let (one, other) = (self.one(), self.one());
        match fault {
            Fault::CutOneWay => sim.links_mut().cut_one_way(one, other),
            Fault::IsolateAny => sim.links_mut().isolate(one, &ids),
            Fault::IsolateLeader => {
                let leader = self.leader(sim);
                sim.links_mut().isolate(leader, &ids);
            }
            Fault::Halves => {
                let left: Vec<MemberId> =
                    ids.iter().copied().filter(|_| self.random.chance(1, 2)).collect();
                for one in &left {
                    for other in ids.iter().filter(|other| !left.contains(other)) {
                        sim.links_mut().cut(*one, *other);
                    }
                }
            }
            // Each member sees only its neighbours: every one a different majority.
            _ => {
                let count = ids.len();
                for (at, one) in ids.iter().enumerate() {
                    for (place, other) in ids.iter().enumerate() {
                        let distance = (place + count - at) % count;
                        let reach = count.div_ceil(4).max(1);
                        if distance > reach && count - distance > reach {
                            sim.links_mut().cut(*one, *other);
                        }
                    }
                }
            }
        }
        self.later(sim, Undo::Links);
        true
    }

    fn leader(&mut self, sim: &Simulation) -> MemberId {
        let leads = |id: &MemberId| sim.status(*id).is_some_and(|now| now.role == Role::Leader);
        match self.ids.iter().copied().find(|id| leads(id)) {
            Some(leader) => leader,
            None => self.one(),
        }
    }

    /// A timer has run out; true if it was one of these.
    pub(super) fn undo(&mut self, sim: &mut Simulation, timer: TimerId) -> bool {
        let Some(undo) = self.undo.remove(&timer) else { return false };
        self.take_back(sim, undo);
        true
    }

    fn take_back(&mut self, sim: &mut Simulation, undo: Undo) {
        match undo {
            Undo::Restart(id) => self.restart(sim, id),
            Undo::RestartAll => {
                sim.disarm();
                for id in self.ids.clone() {
                    self.restart(sim, id);
                }
            }
            Undo::Resume(id) => sim.resume(id),
            Undo::ResumeAll => {
                for id in self.ids.clone() {
                    sim.resume(id);
                }
            }
            Undo::Network => *sim.network_mut() = self.plan.network,
            Undo::Disks => {
                *sim.disk_model_mut() = self.plan.disk;
                for id in self.ids.clone() {
                    self.restart(sim, id);
                }
            }
            Undo::Links => sim.links_mut().heal(),
            Undo::OpenLinks(id) => {
                sim.links_mut().heal_member(id);
                self.isolated.remove(&id);
                for other in &self.isolated {
                    sim.links_mut().isolate(*other, &self.ids);
                }
            }
            Undo::Behind(id, end) => self.look_if_behind(sim, id, end),
            Undo::Depose(id) => self.depose(sim, id),
            Undo::AddVoter => self.ask_to_add(sim, false),
            Undo::LeaveJoint => self.leave_joint(sim),
            Undo::Meet => self.meet(sim),
            Undo::Clocks => {
                for id in self.ids.clone() {
                    sim.set_tick_ms(id, self.plan.spec.tick_ms);
                }
            }
            Undo::Repair(id, image) => {
                if let Some(disk) = sim.disk_mut(id) {
                    *disk = *image;
                }
                self.restart(sim, id);
            }
        }
    }

    /// Starts a member, unless its disk is still away.
    fn restart(&self, sim: &mut Simulation, id: MemberId) {
        let is_away =
            self.undo.values().any(|undo| matches!(undo, Undo::Repair(other, _) if *other == id));
        if !is_away {
            sim.restart(id);
        }
    }

    /// Ends every fault.
    pub(super) fn heal(&mut self, sim: &mut Simulation) {
        self.plan.settings.short_reigns = 0;
        for (timer, undo) in std::mem::take(&mut self.undo) {
            sim.cancel_timer(timer);
            if !matches!(undo, Undo::Behind(..) | Undo::Depose(_) | Undo::AddVoter) {
                self.take_back(sim, undo);
            }
        }
        self.isolated.clear();
        sim.disarm();
        sim.links_mut().heal();
        *sim.network_mut() = super::network::NetworkModel::default();
        *sim.disk_model_mut() = super::disk::DiskModel::default();
        let all: Vec<MemberId> = sim.members().iter().map(|member| member.id).collect();
        for id in all {
            sim.set_tick_ms(id, self.plan.spec.tick_ms);
            sim.stall_disk(id, 0);
            sim.resume(id);
            if self.ids.contains(&id) {
                sim.restart(id);
            }
        }
        self.meet(sim);
    }
}
