//! One seed, one run: a cluster, clients and faults; then healing, and judgement.
//!
//! What it is: the simulator. Faults and traffic, then everything is healed and the cluster must come to rest
//! (23), then it is restarted from its disks (24), then the history is judged (18, 21, 22).
//! What it is not: many runs; whoever calls it counts.
//! Invariants: a seed gives the same report everywhere; a run with too little traffic is invalid, not green, and one
//! that is left without a majority is neither.

mod ending;
mod judging;
mod told;

use std::collections::{BTreeMap, BTreeSet};

pub use told::{Phase, SeedPlan};

use super::client::{Client, ClientSpec, Notebook};
use super::disk::CrashCounts;
use super::event::{CallId, SimNews, TimerId};
use super::invariants::{Invariants, Rules, Violation};
use super::nemesis::Nemesis;
use super::restored;
use super::simulation::Simulation;
use super::swarm::Plan;
use crate::api::{Error, Response};
use crate::etcdserver::ServerConfig;
use crate::random::Pcg32;
use crate::types::{MemberId, Millis};

/// Writes that a run needs to say anything.
const WRITES_MIN: u64 = 50;

/// Watch events that a run needs to say anything.
const EVENTS_MIN: u64 = 20;

/// How often the busy time is prolonged by a half while there is too little traffic. Source: ours.
const PROLONGED_MAX: u32 = 3;

/// Saved snapshots of one run that are made into clusters.
const RESTORES_MAX: u64 = 3;

/// How a run came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// Everything held.
    Valid,
    /// Everything held, but there was too little traffic to mean anything.
    Invalid,
    /// Everything held until nobody could be elected any more, which is no fault of the engine: a change of the members
    /// took away who had to vote. Nothing could be healed after that.
    Stranded,
    /// No invariant broke, and the search for an order was given up; the text says where.
    Unknown(String),
    /// Something is broken.
    Broken(Violation),
}

/// What a run was and how it came out.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// Its seed.
    pub seed: u64,
    /// How it came out.
    pub judged: Judged,
    /// Hash over every event.
    pub trace_hash: u64,
    /// Successful writes.
    pub writes: u64,
    /// Watch events that came.
    pub events: u64,
    /// Writes that a lock or an election guarded.
    pub fenced: u64,
    /// Leases whose expiry was judged.
    pub expired: u64,
    /// Clusters made from a saved snapshot, and judged.
    pub restored: u64,
    /// Operations in the history.
    pub operations: u64,
    /// Steps of the search for an order.
    pub steps: u64,
    /// Virtual time.
    pub virtual_ms: u64,
    /// Crash points passed and used.
    pub crashes: CrashCounts,
    /// Workloads that its clients had.
    pub workloads: BTreeSet<&'static str>,
    /// Faults done, by group.
    pub faults: BTreeMap<&'static str, u64>,
    /// One line on the drawn configuration.
    pub plan: String,
}

/// Somebody who looks at a run while it is played, and can end it.
pub trait Onlooker {
    /// The next event is about to happen; false ends the run, and there is no report.
    fn goes_on(&mut self, simulation: &mut Simulation) -> bool;

    /// The run's clients and faults hear this.
    fn hears(&mut self, at: Millis, news: &SimNews);

    /// The run says this.
    fn told(&mut self, at: Millis, what: &Phase);

    /// The run is over and about to be judged.
    fn ends(&mut self, simulation: &Simulation);
}

struct Run<'l> {
    sim: Simulation,
    plan: Plan,
    ids: Vec<MemberId>,
    nemesis: Nemesis,
    clients: Vec<Client>,
    notes: Notebook,
    strike: Option<TimerId>,
    /// The answer to the run's own request.
    own: Option<(CallId, Option<Answer>)>,
    /// What the run itself got when it logged in.
    token: Option<String>,
    /// Guarded writes.
    fenced: u64,
    /// Clusters made from saved snapshots, and what their making draws.
    restored: u64,
    draws: Pcg32,
    /// Nobody can lead any more, and no fault of ours.
    is_stranded: bool,
    print: &'l mut dyn FnMut(&str),
    has_lines: bool,
    onlooker: Option<&'l mut dyn Onlooker>,
    /// The onlooker ended it.
    is_halted: bool,
}

/// Plays a seed. With `has_lines` every event becomes a line for `print`.
pub fn run_seed(seed: u64, has_lines: bool, print: &mut dyn FnMut(&str)) -> RunReport {
    let mut run = Run::new(seed, has_lines, print, None);
    let broken = run.play();
    run.report(broken)
}

/// Plays a seed before an onlooker; `None` if that ended it.
pub fn watch_seed(seed: u64, onlooker: &mut dyn Onlooker) -> Option<RunReport> {
    let mut print = |_: &str| {};
    let mut run = Run::new(seed, false, &mut print, Some(onlooker));
    let broken = run.play();
    if run.is_halted {
        return None;
    }
    if let Some(onlooker) = &mut run.onlooker {
        onlooker.ends(&run.sim);
    }
    Some(run.report(broken))
}

/// What a seed draws.
#[must_use]
pub fn seed_plan(seed: u64) -> SeedPlan {
    SeedPlan::of(&Plan::draw(seed))
}

fn clients(plan: &Plan, ids: &[MemberId]) -> Vec<Client> {
    (0..)
        .zip(&plan.clients)
        .map(|(number, client)| {
            let mut random = Pcg32::for_stream(plan.spec.seed, &[0x636c_6965, u64::from(number)]);
            let home = client.home.and_then(|at| ids.get(usize::try_from(at).ok()?)).copied();
            Client::new(ClientSpec {
                number,
                workload: (client.row.make)(&mut random),
                home,
                ids: ids.to_vec(),
                keys: plan.keys,
                patience_ms: plan.patience_ms,
                random,
                user: client.user,
            })
        })
        .collect()
}

impl<'l> Run<'l> {
    fn new(
        seed: u64,
        has_lines: bool,
        print: &'l mut dyn FnMut(&str),
        onlooker: Option<&'l mut dyn Onlooker>,
    ) -> Self {
        let plan = Plan::draw(seed);
        let rules = Rules {
            members: plan.spec.members,
            election_ticks: plan.spec.election_ticks,
            pre_vote: plan.spec.pre_vote,
            check_quorum: plan.spec.check_quorum,
            tick_ms: plan.spec.tick_ms,
            has_lease_checkpoints: plan.lease_checkpoint_ms != 0,
        };
        let configure = |config: &mut ServerConfig| plan.configure(config);
        let invariants = Invariants::new(rules);
        let mut sim = Simulation::watched(plan.spec.clone(), configure, invariants, has_lines);
        *sim.network_mut() = plan.network;
        *sim.disk_model_mut() = plan.disk;
        let ids: Vec<MemberId> = sim.members().iter().map(|member| member.id).collect();
        let clients = clients(&plan, &ids);
        Self {
            restored: 0,
            draws: Pcg32::for_stream(seed, &[0x7265_7374]),
            nemesis: Nemesis::new(&plan, ids.clone()),
            sim,
            plan,
            ids,
            clients,
            notes: Notebook::default(),
            strike: None,
            own: None,
            token: None,
            fenced: 0,
            is_stranded: false,
            print,
            has_lines,
            onlooker,
            is_halted: false,
        }
    }
}

type Broken = Result<(), Violation>;

/// What came of a request; `None` if its member went away.
type Answer = Option<Result<Response, Error>>;

fn broken<T>(number: u32, what: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { number, what: what.into() })
}

impl Run<'_> {
    fn play(&mut self) -> Broken {
        if self.has_lines {
            (self.print)(&format!("{:?}", self.plan));
        }
        for client in &mut self.clients {
            client.rest(&mut self.sim);
        }
        if !self.plan.faults.is_empty() {
            let ms = self.nemesis.pause() + 500;
            self.strike = Some(self.sim.set_timer(ms));
        }
        self.run_ms(self.plan.busy_ms)?;
        for _ in 0..PROLONGED_MAX {
            if !self.has_traffic() {
                self.say(&Phase::TooLittle);
                self.run_ms(self.plan.busy_ms / 2)?;
            }
        }
        for client in &mut self.clients {
            client.stop(&mut self.sim);
        }
        self.strike = None;
        self.say(&Phase::Healed);
        self.nemesis.heal(&mut self.sim);
        self.come_to_rest()?;
        if self.is_stranded {
            return self.end_stranded();
        }
        self.free_space()?;
        self.catch_up()?;
        self.outlive_leases()?;
        self.restart_from_disk()
    }

    const fn has_traffic(&self) -> bool {
        self.notes.writes >= WRITES_MIN && self.notes.events >= EVENTS_MIN
    }

    fn say(&mut self, what: &Phase) {
        if let Some(onlooker) = &mut self.onlooker {
            onlooker.told(self.sim.now(), what);
        }
        if self.has_lines {
            let now = self.sim.now().0;
            (self.print)(&format!("{now:>7} ---- {what}"));
        }
    }

    /// Lets a time pass, or less if an invariant breaks.
    fn run_ms(&mut self, ms: u64) -> Broken {
        let end = self.sim.now().plus(ms);
        while self.sim.next_at().is_some_and(|at| at <= end) {
            self.step()?;
        }
        self.sim.run_until(end);
        self.take_news()
    }

    fn step(&mut self) -> Broken {
        if let Some(onlooker) = &mut self.onlooker
            && !onlooker.goes_on(&mut self.sim)
        {
            self.is_halted = true;
            return broken(0, "the onlooker has seen enough");
        }
        self.sim.step();
        self.take_news()
    }

    fn take_news(&mut self) -> Broken {
        while let Some(news) = self.sim.poll() {
            if let Some(onlooker) = &mut self.onlooker {
                onlooker.hears(self.sim.now(), &news);
            }
            self.take(news);
        }
        for line in self.sim.take_lines() {
            (self.print)(&line);
        }
        if let Some(violation) = self.sim.invariants_mut().and_then(|all| all.violation().cloned())
        {
            return Err(violation);
        }
        if let Some(what) = self.notes.stale_read.take() {
            return broken(13, what);
        }
        match self.notes.file.take() {
            Some(file) if self.restored < RESTORES_MAX => self.restore(&file),
            Some(_) | None => Ok(()),
        }
    }

    /// A snapshot was saved: it must make a cluster with the same data.
    fn restore(&mut self, file: &[u8]) -> Broken {
        self.say(&Phase::Restored);
        self.restored += 1;
        let Some(invariants) = self.sim.invariants_mut() else { return Ok(()) };
        let hash_at = |revision, compacted| invariants.hash_at(revision, compacted);
        restored::hold_against(file, invariants.model(), &hash_at, &mut self.draws)
    }

    fn take(&mut self, news: SimNews) {
        match news {
            SimNews::Timer(timer) => self.take_timer(timer),
            SimNews::Reply { call, result } => self.take_reply(call, Some(result), true),
            SimNews::CallFailed { call, was_sent } => {
                self.take_reply(call, None, was_sent);
                self.lose_stream(call);
            }
            SimNews::Watch { call, response } => {
                if let Some(client) = self.clients.iter_mut().find(|client| client.streams(call)) {
                    client.hear_watch(&mut self.notes, &response);
                }
            }
            SimNews::StreamEnded { call, .. } => self.lose_stream(call),
            SimNews::ReplyPart { call, part } => {
                if let Some(client) = self.clients.iter_mut().find(|client| client.waits_for(call))
                {
                    client.hear_part(&part);
                }
            }
            SimNews::KeepAlive { .. } | SimNews::MemberUp(_) => {}
            SimNews::MemberEvent { member, event } => {
                self.nemesis.hear(&mut self.sim, member, &event);
            }
            SimNews::MemberDown { member, reason } => {
                self.nemesis.hear_down(&mut self.sim, member, &reason);
            }
        }
    }

    fn take_timer(&mut self, timer: TimerId) {
        if self.strike == Some(timer) {
            if let Some(fault) = self.nemesis.strike(&mut self.sim) {
                self.say(&Phase::Fault(format!("{fault:?}")));
            }
            for client in &mut self.clients {
                client.meet(self.nemesis.ids());
            }
            let ms = self.nemesis.pause();
            self.strike = Some(self.sim.set_timer(ms));
        } else if !self.nemesis.undo(&mut self.sim, timer)
            && let Some(client) = self.clients.iter_mut().find(|client| client.is_woken_by(timer))
        {
            client.wake(&mut self.sim, &mut self.notes);
        }
    }

    fn take_reply(&mut self, call: CallId, result: Answer, was_sent: bool) {
        if let Some((own, answer)) = &mut self.own
            && *own == call
        {
            *answer = Some(result);
            return;
        }
        if let Some(client) = self.clients.iter_mut().find(|client| client.waits_for(call)) {
            client.hear(&mut self.sim, &mut self.notes, result, was_sent);
        }
    }

    fn lose_stream(&mut self, call: CallId) {
        if let Some(client) = self.clients.iter_mut().find(|client| client.streams(call)) {
            client.lose_stream();
        }
    }
}
