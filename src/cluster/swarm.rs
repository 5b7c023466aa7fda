//! What one seed's run is: cluster, clients, faults and their rates, all drawn.
//!
//! What it is: swarm testing: every knob and every fault is on or off for a whole run, so that rare combinations
//! come up.
//! What it is not: the run.
//! Invariants: a plan is a function of its seed.
//! Source: A. Groce et al., "Swarm Testing".

use super::disk::DiskModel;
use super::network::NetworkModel;
use super::simulation::SimulationSpec;
use super::workload::{Row, USERS, WORKLOADS};
use crate::auth::BCRYPT_COST_MIN;
use crate::etcdserver::ServerConfig;
use crate::random::Pcg32;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    Kill,
    KillAll,
    CrashPoint,
    SlowDisks,
    AbortedRounds,
    RolledBack,
    Emptied,
    Damaged,
    Pause,
    Freeze,
    Lossy,
    Doubling,
    Delays,
    CutOneWay,
    IsolateAny,
    IsolateLeader,
    Halves,
    Ring,
    IsolateUntilSnapshot,
    SkewedClocks,
    AddVoter,
    AddLearner,
    Promote,
    Remove,
    Replace,
    Wipe,
    Joint,
    Refused,
    MoveLeader,
}

/// A fault, the group it counts under, and how often it is drawn in a run that has it.
pub(super) const FAULTS: &[(Fault, &str, u32)] = &[
    (Fault::Kill, "crash", 5),
    (Fault::KillAll, "crash", 1),
    (Fault::CrashPoint, "crash points", 8),
    (Fault::SlowDisks, "storage", 3),
    (Fault::AbortedRounds, "storage", 2),
    (Fault::RolledBack, "storage", 2),
    (Fault::Emptied, "storage", 1),
    (Fault::Damaged, "storage", 1),
    (Fault::Pause, "pause", 4),
    (Fault::Freeze, "pause", 1),
    (Fault::Lossy, "network", 3),
    (Fault::Doubling, "network", 3),
    (Fault::Delays, "network", 3),
    (Fault::CutOneWay, "network", 3),
    (Fault::IsolateAny, "network", 3),
    (Fault::IsolateLeader, "network", 4),
    (Fault::Halves, "network", 3),
    (Fault::Ring, "network", 2),
    (Fault::IsolateUntilSnapshot, "network", 4),
    (Fault::SkewedClocks, "clocks", 3),
    (Fault::AddVoter, MEMBERS, 2),
    (Fault::AddLearner, MEMBERS, 3),
    (Fault::Promote, MEMBERS, 4),
    (Fault::Remove, MEMBERS, 2),
    (Fault::Replace, MEMBERS, 2),
    (Fault::Wipe, MEMBERS, 1),
    (Fault::Joint, MEMBERS, 4),
    (Fault::Refused, MEMBERS, 1),
    (Fault::MoveLeader, "transfer", 4),
];

/// The group of faults that change the configuration; it counts what was changed, not what was asked for.
pub(super) const MEMBERS: &str = "members";

/// Settings of the members that only a few things depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// Entries between two cuts of the log, and what a cut leaves.
    pub(super) snapshot_count: u64,
    pub(super) catchup_entries: u64,
    /// Rows that a compaction removes in 10 ms.
    pub(super) compaction_batch: u32,
    pub(super) learners_max: u32,
    pub(super) is_strict: bool,
    /// Leaders are deposed as soon as they are elected, one in so many; never if 0.
    pub(super) short_reigns: u32,
    /// Followers' disks get stuck while the configuration changes and leaders go.
    pub(super) has_stuck_disks: bool,
    /// Leaders that hear from too few step down.
    pub(super) check_quorum: bool,
}

impl Settings {
    fn draw(seed: u64) -> Self {
        let mut random = Pcg32::for_stream(seed, &[0x7365_7474]);
        // Half of the runs cut so often that a member needs a snapshot before its watches have given up.
        let (count_max, catchup_max) = if random.chance(1, 2) { (12, 4) } else { (100, 50) };
        Self {
            snapshot_count: u64::from(random.between(5, count_max)),
            catchup_entries: u64::from(random.between(0, catchup_max)),
            compaction_batch: if random.chance(1, 2) { random.between(1, 4) } else { 1_000 },
            learners_max: random.between(1, 3),
            is_strict: random.chance(1, 4),
            short_reigns: if random.chance(1, 10) { random.between(1, 2) } else { 0 },
            has_stuck_disks: random.chance(1, 16),
            // The last draw, so that other runs stay what they were.
            check_quorum: !random.chance(1, 6),
        }
    }

    /// Gives them to a member.
    pub(super) const fn configure(self, config: &mut ServerConfig) {
        config.snapshot_count = self.snapshot_count;
        config.snapshot_catchup_entries = self.catchup_entries;
        config.compaction_batch_limit = self.compaction_batch;
        config.max_learners = self.learners_max;
        config.strict_reconfig_check = self.is_strict;
    }
}

/// One seed's run.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) spec: SimulationSpec,
    pub(super) settings: Settings,
    pub(super) network: NetworkModel,
    pub(super) disk: DiskModel,
    pub(super) faults: Vec<(Fault, &'static str, u32)>,
    /// Pause between two faults. Unit: ms.
    pub(super) fault_every_ms: (u32, u32),
    /// How long a fault lasts at most. Unit: ms.
    pub(super) fault_ms: u32,
    pub(super) clients: Vec<ClientPlan>,
    pub(super) keys: u32,
    /// How long the clients wait for an answer. Unit: ms.
    pub(super) patience_ms: u64,
    /// How long clients and faults go on. Unit: ms.
    pub(super) busy_ms: u64,
    /// See [`ServerConfig::lease_checkpoint_ms`].
    pub(super) lease_checkpoint_ms: u64,
}

/// One client.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClientPlan {
    pub(super) row: Row,
    /// The member it always asks; any if `None`.
    pub(super) home: Option<u32>,
    /// Who it logs in as, should it have to.
    pub(super) user: &'static str,
}

fn members(random: &mut Pcg32) -> u32 {
    match random.below(100) {
        0..8 => 1,
        8..12 => 2,
        12..65 => 3,
        65..70 => 4,
        70..93 => 5,
        93..96 => 6,
        _ => 7,
    }
}

fn network(random: &mut Pcg32) -> NetworkModel {
    let slowest = random.between(3, 20);
    NetworkModel {
        delay_ms: (1, slowest),
        lost: if random.chance(1, 4) { random.between(1, 20) } else { 0 },
        doubled: if random.chance(1, 4) { random.between(1, 50) } else { 0 },
        late: if random.chance(1, 4) { random.between(1, 50) } else { 0 },
        outlives_sender: random.chance(1, 2),
    }
}

fn workload(random: &mut Pcg32) -> Row {
    let total = WORKLOADS.iter().map(|row| row.weight).sum();
    let mut drawn = random.below(total);
    for row in WORKLOADS {
        if drawn < row.weight {
            return *row;
        }
        drawn -= row.weight;
    }
    unreachable!("the weights add up to more than their sum")
}

fn clients(random: &mut Pcg32, members: u32) -> Vec<ClientPlan> {
    let count = random.between(2, 8);
    (0..count)
        .map(|number| {
            // There is always a client that writes, and one that watches.
            let fixed = match number {
                0 => WORKLOADS.iter().find(|row| row.name.starts_with("W1")),
                1 => WORKLOADS.iter().find(|row| row.name.starts_with("W3")),
                _ => None,
            };
            let row = fixed.copied().unwrap_or_else(|| workload(random));
            let home = random.chance(1, 2).then(|| random.below(members));
            // Without root there would be too little to see.
            let asks_as_root = ["W10", "W12"].iter().any(|name| row.name.starts_with(name));
            let is_root = number < 2 || asks_as_root || random.chance(1, 3);
            let others = u32::try_from(USERS.len()).unwrap_or(1);
            let at = if is_root { 0 } else { random.below(others) };
            let user = usize::try_from(at).ok().and_then(|at| USERS.get(at)).copied();
            ClientPlan { row, home, user: user.unwrap_or("root") }
        })
        .collect()
}

/// Small where somebody wants to use it up, and none elsewhere.
fn quota_bytes(random: &mut Pcg32, clients: &[ClientPlan]) -> i64 {
    let fills = clients.iter().any(|client| client.row.name.starts_with("W11"));
    if fills { 1024 * i64::from(random.between(96, 256)) } else { -1 }
}

fn lease_checkpoint_ms(random: &mut Pcg32) -> u64 {
    if random.chance(1, 3) { u64::from(random.between(300, 2_000)) } else { 0 }
}

impl Plan {
    /// The members' settings beyond the simulation's own.
    pub(super) const fn configure(&self, config: &mut ServerConfig) {
        config.lease_checkpoint_ms = self.lease_checkpoint_ms;
        config.auth.bcrypt_cost = BCRYPT_COST_MIN;
        self.settings.configure(config);
    }

    pub(super) fn draw(seed: u64) -> Self {
        let mut random = Pcg32::for_stream(seed, &[0x706c_616e]);
        let settings = Settings::draw(seed);
        let members = members(&mut random);
        let tick_ms = match random.below(3) {
            0 => 20,
            1 => 50,
            _ => 100,
        };
        let election_ticks = if random.chance(1, 2) { 10 } else { random.between(3, 20) };
        let spec = SimulationSpec {
            members,
            seed,
            tick_ms,
            election_ticks,
            pre_vote: random.chance(4, 5),
            check_quorum: settings.check_quorum,
            max_inflight_messages: if random.chance(1, 3) { random.between(1, 8) } else { 512 },
            max_append_bytes: match random.below(4) {
                0 => 1,
                1 => u64::from(random.between(50, 2_000)),
                _ => 1024 * 1024,
            },
            resumes_at_once: random.chance(1, 2),
            ..SimulationSpec::default()
        };
        let election_ms =
            u32::try_from(tick_ms).unwrap_or(100).saturating_mul(election_ticks).max(200);
        let has_faults = random.chance(19, 20);
        let faults: Vec<_> =
            FAULTS.iter().filter(|_| random.chance(1, 2) && has_faults).copied().collect();
        let network = network(&mut random);
        let disk = DiskModel { round_ms: (1, random.between(2, 15)), ..DiskModel::default() };
        // Now and then a long history: more than one batch of a watch that begins at the beginning.
        let is_long = random.chance(1, 25);
        let busy_ms =
            u64::from(election_ms.saturating_mul(random.between(8, 24)).clamp(3_000, 14_000));
        let busy_ms = if is_long { 24_000 } else { busy_ms };
        let mut clients = clients(&mut random, members);
        if is_long {
            clients.retain(|client| !client.row.name.starts_with("W5"));
            let writer = WORKLOADS.iter().find(|row| row.name.starts_with("W0"));
            let watcher = WORKLOADS.iter().find(|row| row.name.starts_with("W6"));
            clients.extend([writer, writer, watcher].into_iter().flatten().map(|row| ClientPlan {
                row: *row,
                home: None,
                user: "root",
            }));
        }
        let faults: Vec<_> = if is_long { faults.into_iter().take(2).collect() } else { faults };
        let spec = SimulationSpec { quota_bytes: quota_bytes(&mut random, &clients), ..spec };
        let mut plan = Self {
            lease_checkpoint_ms: lease_checkpoint_ms(&mut random),
            clients,
            keys: random.between(3, 10),
            patience_ms: u64::from(random.between(200, 2_500)),
            fault_every_ms: (50, random.between(200, election_ms.max(400))),
            fault_ms: random.between(election_ms / 4, election_ms * 3),
            busy_ms,
            spec,
            settings,
            network,
            disk,
            faults,
        };
        if settings.short_reigns > 0 {
            plan.reign_shortly(&mut random);
        } else if settings.has_stuck_disks {
            plan.change_behind_stuck_disks(&mut random);
        }
        plan
    }

    /// Members that know of a committed configuration change and cannot apply it yet, since it is not on their disks,
    /// when it is time to campaign.
    fn change_behind_stuck_disks(&mut self, random: &mut Pcg32) {
        self.spec.members = random.between(2, 4);
        self.spec.tick_ms = 20;
        self.spec.election_ticks = random.between(3, 8);
        self.spec.max_inflight_messages = 512;
        self.network = NetworkModel { delay_ms: (1, 5), ..Default::default() };
        self.faults.clear();
        self.faults.extend(FAULTS.iter().filter(|(_, group, _)| *group == MEMBERS));
        self.fault_every_ms = (100, 500);
        for client in &mut self.clients {
            client.home = None;
        }
    }

    /// Leaders that fall before they have committed anything of their own, and entries that go one by one: what it
    /// takes for an entry of an old term to lie on a majority and yet be replaced (figure 8 of the Raft paper).
    fn reign_shortly(&mut self, random: &mut Pcg32) {
        self.spec.members = if random.chance(2, 3) { 3 } else { 5 };
        self.spec.max_append_bytes = 1;
        // Slow enough that a leader can fall between two messages.
        self.network = NetworkModel { delay_ms: (4, random.between(10, 40)), ..Default::default() };
        self.faults.clear();
        let election_ms = self.spec.tick_ms * u64::from(self.spec.election_ticks);
        self.busy_ms = (election_ms * 90).clamp(6_000, 30_000);
        for client in &mut self.clients {
            client.home = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_plan_and_seeds_give_every_fault_and_workload() {
        let one = format!("{:?}", Plan::draw(7));
        assert_eq!(one, format!("{:?}", Plan::draw(7)));
        assert_ne!(one, format!("{:?}", Plan::draw(8)));
        let plans: Vec<Plan> = (1..200).map(Plan::draw).collect();
        for (fault, _, _) in FAULTS {
            assert!(
                plans.iter().any(|plan| plan.faults.iter().any(|(other, _, _)| other == fault))
            );
        }
        for row in WORKLOADS {
            assert!(plans.iter().any(|p| p.clients.iter().any(|c| c.row.name == row.name)));
        }
        assert!((1..=7).all(|count| plans.iter().any(|plan| plan.spec.members == count)));
    }
}
