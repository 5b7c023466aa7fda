//! One seed, one run: a cluster, clients and faults; then healing, and judgement.
//!
//! What it is: the simulator. Faults and traffic, then everything is healed and the cluster must come to rest
//! (23), then it is restarted from its disks (24), then the history is judged (18, 21, 22).
//! What it is not: many runs; whoever calls it counts.
//! Invariants: a seed gives the same report everywhere; a run with too little traffic is invalid, not green, and one
//! that is left without a majority is neither.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use super::client::{Client, ClientSpec, Notebook, is_of_store};
use super::disk::CrashCounts;
use super::event::{CallId, SimNews, TimerId};
use super::invariants::{Invariants, Rules, Violation, is_quorum};
use super::nemesis::Nemesis;
use super::nemesis::SLOWEST_ROUND_MS;
use super::restored;
use super::simulation::Simulation;
use super::swarm::{MEMBERS, Plan};
use super::workload::{GUARDED, TTL_MAX_S, password};
use crate::api::{
    AlarmRequest, AuthenticateRequest, CompactionRequest, DefragmentRequest, DeleteRangeRequest,
    Error, PutRequest, Request, Response, Role,
};
use crate::check::{self, STEPS_MAX, Verdict};
use crate::etcdserver::ServerConfig;
use crate::random::Pcg32;
use crate::types::{Index, LeaseId, MemberId, Millis};

/// Writes that a run needs to say anything.
const WRITES_MIN: u64 = 50;

/// Watch events that a run needs to say anything.
const EVENTS_MIN: u64 = 20;

/// How often the busy time is prolonged by a half while there is too little traffic. Source: ours.
const PROLONGED_MAX: u32 = 3;

/// Saved snapshots of one run that are made into clusters.
const RESTORES_MAX: u64 = 3;

/// Times that alarms are lifted before a run ends.
const SPACE_TRIES: u32 = 3;

/// Election timeouts within which a healed cluster must be at rest.
const HEAL_TIMEOUTS: u64 = 20;

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
    /// No invariant broke, and the search for an order was given up.
    Unknown,
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
}

/// Plays a seed. With `has_lines` every event becomes a line for `print`.
pub fn run_seed(seed: u64, has_lines: bool, print: &mut dyn FnMut(&str)) -> RunReport {
    let plan = Plan::draw(seed);
    let rules = Rules {
        members: plan.spec.members,
        election_ticks: plan.spec.election_ticks,
        pre_vote: plan.spec.pre_vote,
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
    let mut run = Run {
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
    };
    let broken = run.play();
    run.report(broken)
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

/// An operation as one line of a replay.
fn told(operation: &check::Operation) -> String {
    let (client, request, invoked) = (operation.client, &operation.request, operation.invoked);
    match &operation.outcome {
        check::Outcome::Unknown => format!("op {client} [{invoked}, ?] {request:?}"),
        check::Outcome::Returned { at, result } => {
            format!("op {client} [{invoked}, {at}] {request:?} -> {result:?}")
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
                self.say("too little has happened");
                self.run_ms(self.plan.busy_ms / 2)?;
            }
        }
        for client in &mut self.clients {
            client.stop(&mut self.sim);
        }
        self.strike = None;
        self.say("everything is healed");
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

    /// What can be said without a majority: whatever is committed is the same everywhere.
    fn end_stranded(&mut self) -> Broken {
        self.say("no majority is left");
        self.sim.last_look();
        self.take_news()
    }

    fn say(&mut self, what: &str) {
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
        self.sim.step();
        self.take_news()
    }

    fn take_news(&mut self) -> Broken {
        while let Some(news) = self.sim.poll() {
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
        self.say("a snapshot is restored");
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
                self.say(&format!("{fault:?}"));
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

    fn election_ms(&self) -> u64 {
        (self.plan.spec.tick_ms * u64::from(self.plan.spec.election_ticks)).max(50)
    }

    /// How long a healed cluster may take. A round that was begun on a slow disk ends only then.
    fn healing_ms(&self) -> u64 {
        HEAL_TIMEOUTS * self.election_ms() + u64::from(SLOWEST_ROUND_MS)
    }

    /// 23: one leader, and everybody has applied the same.
    fn come_to_rest(&mut self) -> Broken {
        let end = self.sim.now().plus(self.healing_ms());
        while self.sim.now() < end {
            self.run_ms(self.plan.spec.tick_ms)?;
            self.nemesis.meet(&mut self.sim);
            self.ids = self.nemesis.ids().to_vec();
            if self.is_at_rest() {
                self.stop_former_members();
                return Ok(());
            }
        }
        if self.is_stranded() {
            self.is_stranded = true;
            return Ok(());
        }
        let states: Vec<String> = self
            .ids
            .iter()
            .map(|id| match self.sim.status(*id) {
                None => format!("{id:x} is down"),
                Some(now) => format!(
                    "{id:x} {:?} term {} leader {:?} applied {} commit {} last {}",
                    now.role, now.term, now.leader, now.applied, now.commit, now.last_index
                ),
            })
            .collect();
        broken(23, format!("not at rest after {HEAL_TIMEOUTS} election timeouts: {states:?}"))
    }

    /// True if nobody can be elected any more, whatever the members do.
    ///
    /// Who was removed stops, and who was demoted may keep entries that were never committed; if those who are left have
    /// not heard that the change is committed, they need votes that they cannot get. Raft has no way out, nor has etcd.
    fn is_stranded(&self) -> bool {
        let log = |id| self.sim.log_end(id);
        let has_changed = self.nemesis.done.contains_key(MEMBERS);
        let may_win = |id: &MemberId| {
            let Some(conf) = self.sim.conf(*id) else { return false };
            let may_campaign = conf.voters.contains(id) || conf.voters_outgoing.contains(id);
            may_campaign
                && is_quorum(&conf, |voter| log(voter).is_some_and(|end| Some(end) <= log(*id)))
        };
        has_changed && !self.ids.iter().any(may_win)
    }

    /// Who was removed, and did not hear of it, hears nothing more at all.
    fn stop_former_members(&mut self) {
        let all: Vec<MemberId> = self.sim.members().iter().map(|member| member.id).collect();
        for id in all.into_iter().filter(|id| !self.ids.contains(id)) {
            self.sim.kill(id);
        }
    }

    fn is_at_rest(&self) -> bool {
        let all: Vec<_> = self.ids.iter().filter_map(|id| self.sim.status(*id)).collect();
        let Some(leader) = all.iter().find(|now| now.role == Role::Leader) else { return false };
        all.len() == self.ids.len()
            && all.iter().all(|now| {
                now.leader == Some(leader.member)
                    && now.term == leader.term
                    && now.applied == leader.last_index
                    && now.commit == leader.last_index
            })
    }

    /// 22 and 23: a write succeeds, and every open watch gets there.
    fn catch_up(&mut self) -> Broken {
        let conf = self.sim.newest_members().map(|(_, _, conf)| conf).unwrap_or_default();
        let member = conf.voters.first().copied().unwrap_or_default();
        let revision = self.put(member)?;
        let watches: u64 = self.clients.iter().map(Client::open_watches).sum();
        // Watches that lag are served one batch a tick.
        self.run_ms(self.plan.spec.tick_ms * (4 * watches + 10))?;
        for client in &self.clients {
            client.must_have_reached(&mut self.notes, revision);
        }
        self.come_to_rest()?;
        self.sim.last_look();
        self.take_news()
    }

    /// A write, asked for again while the member refuses it: its leadership may be on the move.
    fn put(&mut self, member: MemberId) -> Result<i64, Violation> {
        let mut end = self.sim.now().plus(self.healing_ms());
        let mut freed = 0_u32;
        let mut last = None;
        while self.sim.now() < end {
            let request = Request::Put(PutRequest {
                key: Bytes::from_static(b"k-end"),
                value: Bytes::from(format!("end{}", self.notes.moment)),
                ..PutRequest::default()
            });
            match self.ask(member, request)? {
                Some(Ok(Response::Put(put))) => return Ok(put.header.revision),
                // The write that finds the disk full raises the alarm.
                Some(Err(Error::NoSpace)) if freed < 2 => {
                    self.come_to_rest()?;
                    // What is left after a compaction may be too much by itself.
                    if freed > 0 {
                        self.delete_everything()?;
                    }
                    self.free_space()?;
                    freed += 1;
                    end = self.sim.now().plus(self.healing_ms());
                }
                other => {
                    last = other;
                    self.run_ms(self.plan.spec.tick_ms)?;
                }
            }
        }
        broken(23, format!("a write does not succeed although everything is healed: {last:?}"))
    }

    /// Asks as the administrator, who logs in first if that is needed; the history has it.
    fn ask(&mut self, member: MemberId, request: Request) -> Result<Answer, Violation> {
        let is_on = self.sim.invariants_mut().is_some_and(|all| all.is_auth_enabled());
        if is_on && self.token.is_none() {
            let (name, password) = ("root".to_owned(), password("root"));
            let login = Request::Authenticate(AuthenticateRequest { name, password });
            if let Some(Ok(Response::Authenticate(granted))) = self.ask_as(member, None, login)? {
                self.token = Some(granted.token);
            }
        }
        self.ask_as(member, self.token.clone(), request)
    }

    fn ask_as(
        &mut self,
        member: MemberId,
        token: Option<String>,
        request: Request,
    ) -> Result<Answer, Violation> {
        let invoked = self.notes.now();
        let call = self.sim.request_as(member, token, request.clone());
        self.own = Some((call, None));
        let end = self.sim.now().plus(self.healing_ms());
        let answer = self.own_answer(end)?;
        let outcome = match &answer {
            Some(Err(error)) if check::is_ambiguous(*error) => check::Outcome::Unknown,
            // Refused before it went anywhere, as during a transfer of the leadership.
            Some(Err(error)) if !is_of_store(*error) => return Ok(answer),
            Some(result) => {
                check::Outcome::Returned { at: self.notes.now(), result: result.clone() }
            }
            None => check::Outcome::Unknown,
        };
        let client = u32::MAX;
        let operation = check::Operation { client, request, invoked, outcome };
        self.notes.history.operations.push(operation);
        Ok(answer)
    }

    /// The answer to the run's own request; `None` if it was not answered.
    fn own_answer(&mut self, end: Millis) -> Result<Answer, Violation> {
        while self.sim.now() < end {
            self.step()?;
            if let Some((_, Some(answer))) = self.own.take_if(|(_, answer)| answer.is_some()) {
                return Ok(answer);
            }
        }
        Ok(None)
    }

    /// Who leads a cluster that is at rest.
    fn leader(&self) -> MemberId {
        let leads =
            |id: &MemberId| self.sim.status(*id).is_some_and(|status| status.role == Role::Leader);
        self.ids.iter().copied().find(leads).unwrap_or_default()
    }

    fn delete_everything(&mut self) -> Broken {
        let sizes: Vec<_> =
            self.ids.iter().filter_map(|id| self.sim.status(*id)).map(|now| now.db_size).collect();
        let quota = self.plan.spec.quota_bytes;
        self.say(&format!("deletes everything: {sizes:?} bytes of {quota}"));
        let (key, range_end) = (Bytes::from_static(b"\0"), Bytes::from_static(b"\0"));
        let all = DeleteRangeRequest { key, range_end, prev_kv: false };
        let leader = self.leader();
        self.ask(leader, Request::DeleteRange(all))?;
        self.come_to_rest()
    }

    /// Lifts what alarms there are, as etcd's documentation says how.
    fn free_space(&mut self) -> Broken {
        for _ in 0..SPACE_TRIES {
            let alarms = self.sim.invariants_mut().map(|all| all.alarms()).unwrap_or_default();
            if alarms.is_empty() {
                return Ok(());
            }
            self.say(&format!("lifts {alarms:?}"));
            let ids = self.ids.clone();
            let leader = self.leader();
            let revision = self.sim.invariants_mut().map_or(0, |all| all.model().revision());
            let compaction = CompactionRequest { revision, physical: true };
            self.ask(leader, Request::Compaction(compaction))?;
            self.come_to_rest()?;
            for id in ids {
                self.ask(id, Request::Defragment(DefragmentRequest {}))?;
            }
            for alarm in alarms {
                self.ask(leader, Request::Alarm(AlarmRequest::Disarm(alarm)))?;
            }
            self.come_to_rest()?;
        }
        broken(23, "an alarm comes again although there is space")
    }

    /// 19: without keep-alives every lease ends, and its keys with it.
    fn outlive_leases(&mut self) -> Broken {
        let election_ms = self.election_ms();
        let wait_ms = 1000 * u64::try_from(TTL_MAX_S).unwrap_or(0) + 4 * election_ms + 3_000;
        let end = self.sim.now().plus(wait_ms);
        loop {
            let lives: Vec<LeaseId> = self
                .sim
                .invariants_mut()
                .map(|all| all.model().leases())
                .into_iter()
                .flatten()
                .filter(|(_, ttl)| **ttl <= TTL_MAX_S)
                .map(|(id, _)| *id)
                .collect();
            if lives.is_empty() {
                return self.come_to_rest();
            }
            if self.sim.now() >= end {
                return broken(19, format!("after {wait_ms} ms there still are {lives:?}"));
            }
            self.run_ms(self.plan.spec.tick_ms)?;
        }
    }

    fn hashes(&mut self) -> BTreeMap<MemberId, (Index, i64, i64, Option<u32>)> {
        let ids = self.ids.clone();
        ids.into_iter().filter_map(|id| Some((id, self.sim.look_inside(id)?))).collect()
    }

    /// 24: the disks alone give the same stores.
    fn restart_from_disk(&mut self) -> Broken {
        let before = self.hashes();
        let equal: BTreeSet<_> =
            before.values().map(|(_, rev, com, hash)| (*rev, *com, *hash)).collect();
        if equal.len() != 1 {
            return broken(15, format!("members differ at rest: {before:?}"));
        }
        self.say("everything restarts from its disk");
        for id in self.ids.clone() {
            self.sim.kill(id);
        }
        for id in self.ids.clone() {
            self.sim.restart(id);
        }
        self.come_to_rest()?;
        if self.is_stranded {
            return self.end_stranded();
        }
        let after: BTreeSet<_> =
            self.hashes().values().map(|(_, rev, com, hash)| (*rev, *com, *hash)).collect();
        if after != equal {
            return broken(24, format!("before the restart {equal:?}, after it {after:?}"));
        }
        self.sim.last_look();
        self.take_news()
    }

    fn judge(&mut self) -> (Judged, u64, u64) {
        let history = self.notes.finish();
        let operations = u64::try_from(history.operations.len()).unwrap_or(u64::MAX);
        if self.has_lines {
            for operation in &history.operations {
                (self.print)(&told(operation));
            }
        }
        let Some(log) = self.sim.invariants_mut().map(|all| all.model().clone()) else {
            return (Judged::Invalid, operations, 0);
        };
        let replay = match check::linearize_as(&history, &log, STEPS_MAX) {
            Verdict::Violation(what) => {
                return (Judged::Broken(Violation { number: 21, what }), operations, 0);
            }
            Verdict::Unknown => return (Judged::Unknown, operations, STEPS_MAX),
            Verdict::Linearizable(replay) => replay,
        };
        let steps = replay.steps;
        for (prefix, guarded) in GUARDED {
            match check::check_fencing(&replay.model, prefix.as_bytes(), guarded.as_bytes()) {
                Ok(writes) => self.fenced += writes,
                Err(what) => {
                    return (Judged::Broken(Violation { number: 31, what }), operations, steps);
                }
            }
        }
        if let Some(what) = check::check_serializable_reads(&history, &replay).into_iter().next() {
            return (Judged::Broken(Violation { number: 21, what }), operations, steps);
        }
        if let Some(fault) = check::check_watches(&history, &replay).into_iter().next() {
            let number = if fault.guarantee == "reliable" { 22 } else { 18 };
            let what = format!("{}: {}", fault.guarantee, fault.what);
            return (Judged::Broken(Violation { number, what }), operations, steps);
        }
        let judged = match (self.is_stranded, self.has_traffic()) {
            (true, _) => Judged::Stranded,
            (false, true) => Judged::Valid,
            (false, false) => Judged::Invalid,
        };
        (judged, operations, steps)
    }

    fn report(mut self, played: Broken) -> RunReport {
        let (judged, operations, steps) = match played {
            Err(violation) => (Judged::Broken(violation), 0, 0),
            Ok(()) => self.judge(),
        };
        let spec = &self.plan.spec;
        let plan = format!(
            "{} members, {} clients, {} ms ticks, {} election ticks{}",
            spec.members,
            self.plan.clients.len(),
            spec.tick_ms,
            spec.election_ticks,
            if spec.pre_vote { "" } else { ", no pre-vote" },
        );
        let Millis(virtual_ms) = self.sim.now();
        RunReport {
            seed: spec.seed,
            judged,
            trace_hash: self.sim.trace_hash(),
            fenced: self.fenced,
            restored: self.restored,
            expired: self.sim.invariants_mut().map_or(0, |all| all.expiries()),
            writes: self.notes.writes,
            events: self.notes.events,
            operations,
            steps,
            virtual_ms,
            crashes: self.sim.crash_counts().clone(),
            workloads: self.plan.clients.iter().map(|client| client.row.name).collect(),
            faults: self.nemesis.done,
            plan,
        }
    }
}
