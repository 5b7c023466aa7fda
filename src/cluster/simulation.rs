//! The simulated cluster: a heap of events keyed by (time, sequence).
//!
//! What it is: ticks, disk completions, messages and client calls of several [`Server`]s in virtual time.
//! What it is not: a checker; invariants are looked at from outside.
//! Invariants: nothing happens between two events; every draw comes from the one seeded generator, in the
//! order of events; a stopped member's events are dropped by its epoch; a cut link drops what is in flight.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

use self::knobs::line;
use self::life::panic_message;
use super::disk::{CrashPoints, DiskModel};
use super::event::{CallId, Event, Scheduled, SimNews, TimerId};
use super::fault::{Links, MemberFaults, Speed};
use super::invariants::Invariants;
use super::network::NetworkModel;
use super::trace::Chain;
use crate::api;
use crate::etcdserver::{
    DiskImage, Fence, Input, Measured, RequestId, Round, Server, ServerConfig, StreamId,
};
use crate::random::Pcg32;
use crate::types::{Index, MemberId, Millis};

pub(super) mod glimpse;
pub(super) mod knobs;
mod life;
mod making;
mod outputs;

pub use glimpse::{Coming, Glimpse, NoTimer};
pub use making::SimulationSpec;

/// One way between a client and a member. Unit: ms.
const CLIENT_MS: u64 = 1;

/// Messages and requests that a paused member's buffers hold; later ones are lost.
const PAUSED_INPUTS_MAX: usize = 4_096;

#[derive(Clone, Debug)]
struct SimMember {
    config: ServerConfig,
    disk: DiskImage,
    fence: Option<Fence>,
    server: Option<Server>,
    /// Grows with every start and stop.
    epoch: u64,
    /// The round that the disk works on, and since when.
    in_flight: Option<(Round, Millis)>,
    paused: Option<Vec<Input>>,
    unreachable: BTreeSet<MemberId>,
    /// Unit: ms per tick, by its own clock.
    tick_ms: u64,
    /// No round that is handed out before lands earlier.
    stalled_until: Millis,
    /// What is wrong with its clock and its disk.
    faults: MemberFaults,
    /// What the onlooker of crash points saw last: applied, scheduled and finished compaction.
    passed: Passed,
}

/// What an onlooker of crash points remembers of a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Passed {
    applied: Index,
    scheduled: i64,
    finished: i64,
    /// Where the log was cut last.
    cut: Index,
    is_installing: bool,
}

/// A simulated cluster; see the module's head.
#[derive(Clone, Debug)]
pub struct Simulation {
    spec: SimulationSpec,
    now: Millis,
    sequence: u64,
    heap: BinaryHeap<Reverse<Scheduled>>,
    random: Pcg32,
    list: Vec<api::Member>,
    members: BTreeMap<MemberId, SimMember>,
    links: Links,
    speed: Speed,
    /// Whose disk says that it was removed from the cluster: it will not start again.
    removed: BTreeSet<MemberId>,
    network: NetworkModel,
    disk: DiskModel,
    points: CrashPoints,
    invariants: Option<Invariants>,
    /// One line per event, for whoever replays a run.
    lines: Option<Vec<String>>,
    news: VecDeque<SimNews>,
    /// Open calls: where they went and whether they are streams.
    calls: BTreeMap<CallId, (MemberId, bool)>,
    canceled_timers: BTreeSet<TimerId>,
    last_id: u64,
    trace: Chain,
    outcome: Chain,
}

impl Simulation {
    /// The virtual time.
    #[must_use]
    pub const fn now(&self) -> Millis {
        self.now
    }

    /// The members, infra1 first.
    #[must_use]
    pub fn members(&self) -> &[api::Member] {
        &self.list
    }

    /// How the cluster was made.
    #[must_use]
    pub const fn spec(&self) -> &SimulationSpec {
        &self.spec
    }

    /// True if the member runs (a paused one does).
    #[must_use]
    pub fn is_up(&self, member: MemberId) -> bool {
        self.members.get(&member).is_some_and(|member| member.server.is_some())
    }

    /// True if the member is paused.
    #[must_use]
    pub fn is_paused(&self, member: MemberId) -> bool {
        self.members.get(&member).is_some_and(|member| member.paused.is_some())
    }

    /// The member's state; `None` if it is down.
    #[must_use]
    pub fn status(&self, member: MemberId) -> Option<api::MemberStatus> {
        let member = self.members.get(&member)?;
        let mut status = member.server.as_ref()?.status();
        status.is_paused = member.paused.is_some();
        Some(status)
    }

    /// The links.
    #[must_use]
    pub const fn links(&self) -> &Links {
        &self.links
    }

    /// The links, to cut and to heal.
    pub const fn links_mut(&mut self) -> &mut Links {
        &mut self.links
    }

    /// Hash over every event so far.
    #[must_use]
    pub fn trace_hash(&self) -> u64 {
        self.trace.value()
    }

    /// Hash over answers, elections and applied commands so far.
    #[must_use]
    pub fn outcome_hash(&self) -> u64 {
        self.outcome.value()
    }

    /// The member's disk, to look at or to damage.
    pub fn disk_mut(&mut self, member: MemberId) -> Option<&mut DiskImage> {
        self.members.get_mut(&member).map(|member| &mut member.disk)
    }

    /// The member's settings for its next start.
    pub fn config_mut(&mut self, member: MemberId) -> Option<&mut ServerConfig> {
        self.members.get_mut(&member).map(|member| &mut member.config)
    }

    /// Sends a request.
    pub fn request(&mut self, member: MemberId, request: api::Request) -> CallId {
        self.request_as(member, None, request)
    }

    /// Sends a request with what a client got from `Authenticate`.
    pub fn request_as(
        &mut self,
        member: MemberId,
        token: Option<String>,
        request: api::Request,
    ) -> CallId {
        let call = CallId(self.next_id());
        let input = Input::Client { id: RequestId(call.0), token, request };
        self.call(member, call, input, false);
        call
    }

    /// Opens a watch stream with its first message.
    pub fn open_watch(&mut self, member: MemberId, request: api::WatchRequest) -> CallId {
        self.open_watch_as(member, None, request)
    }

    /// Opens a watch stream with what a client got from `Authenticate`.
    pub fn open_watch_as(
        &mut self,
        member: MemberId,
        token: Option<String>,
        request: api::WatchRequest,
    ) -> CallId {
        let call = CallId(self.next_id());
        let input = Input::Watch { stream: StreamId(call.0), token, request };
        self.call(member, call, input, true);
        call
    }

    /// Sends another message on a stream.
    pub fn send_watch(&mut self, call: CallId, request: api::WatchRequest) {
        self.send_watch_as(call, None, request);
    }

    /// Gives up a request or closes a stream.
    pub fn cancel(&mut self, call: CallId) {
        if let Some((member, is_stream)) = self.calls.remove(&call) {
            let input = if is_stream {
                Input::CloseStream(StreamId(call.0))
            } else {
                Input::CancelClient(RequestId(call.0))
            };
            self.schedule_input(member, CLIENT_MS, input);
        }
    }

    /// Wakes the client later.
    pub fn set_timer(&mut self, after_ms: u64) -> TimerId {
        let timer = TimerId(self.next_id());
        self.schedule(after_ms, Event::Timer(timer));
        timer
    }

    /// Forgets a timer.
    pub fn cancel_timer(&mut self, timer: TimerId) {
        self.canceled_timers.insert(timer);
    }

    /// The next thing that clients and onlookers hear.
    pub fn poll(&mut self) -> Option<SimNews> {
        self.news.pop_front()
    }

    /// When the next event is due.
    #[must_use]
    pub fn next_at(&self) -> Option<Millis> {
        self.heap.peek().map(|Reverse(next)| next.at)
    }

    /// Does the next event; false if there is none.
    pub fn step(&mut self) -> bool {
        let Some(Reverse(scheduled)) = self.heap.pop() else { return false };
        assert!(scheduled.at >= self.now, "time went back");
        self.now = scheduled.at;
        self.happen(scheduled.event);
        true
    }

    /// Does all events up to a moment, and lets time reach it.
    pub fn run_until(&mut self, moment: Millis) {
        while self.heap.peek().is_some_and(|Reverse(next)| next.at <= moment) {
            self.step();
        }
        self.now = self.now.max(moment);
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    fn schedule(&mut self, after_ms: u64, event: Event) {
        self.sequence += 1;
        let at = self.now.plus(after_ms);
        self.heap.push(Reverse(Scheduled { at, since: self.now, sequence: self.sequence, event }));
    }

    fn schedule_input(&mut self, id: MemberId, after_ms: u64, input: Input) {
        if let Some(member) = self.members.get(&id) {
            let event = Event::Input { member: id, epoch: member.epoch, input };
            self.schedule(after_ms, event);
        }
    }

    fn call(&mut self, member: MemberId, call: CallId, input: Input, is_stream: bool) {
        if self.is_up(member) {
            self.calls.insert(call, (member, is_stream));
            self.schedule_input(member, CLIENT_MS, input);
        } else {
            let failed = SimNews::CallFailed { call, was_sent: false };
            self.schedule(CLIENT_MS, Event::ToClient(failed));
        }
    }

    fn record(&mut self, what: &str) {
        log::trace!("{} {what}", self.now);
        if let Some(lines) = &mut self.lines {
            lines.push(format!("{:>7} {what}", self.now.0));
        }
        self.trace.add(&self.now.0.to_le_bytes());
        self.trace.add(what.as_bytes());
    }

    fn has_epoch(&self, id: MemberId, epoch: u64) -> bool {
        self.members.get(&id).is_some_and(|member| member.epoch == epoch && member.server.is_some())
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Tick { member, epoch } => {
                if self.has_epoch(member, epoch) {
                    let ms = self.members.get(&member).map_or(self.spec.tick_ms, |m| m.tick_ms);
                    let ms = self.speed.stretch(ms);
                    self.schedule(ms, Event::Tick { member, epoch });
                    if !self.is_paused(member) {
                        self.input(member, Input::Tick);
                    }
                }
            }
            Event::Input { member, epoch, input } => {
                if self.has_epoch(member, epoch) {
                    self.input(member, input);
                }
            }
            Event::Connected { one, other, epochs } => {
                if self.has_epoch(one, epochs.0)
                    && self.has_epoch(other, epochs.1)
                    && self.links.is_open(one, other)
                    && self.links.is_open(other, one)
                    && self.is_one_cluster(one, other)
                {
                    self.input(one, Input::PeerConnected(other));
                    self.input(other, Input::PeerConnected(one));
                }
            }
            Event::Deliver { message, from_epoch } => {
                let (from, to) = (message.from, message.to);
                self.deliver(from, from_epoch, to, Input::Peer(message));
            }
            Event::DeliverPeer { from, to, message, from_epoch } => {
                self.deliver(from, from_epoch, to, Input::FromPeer { from, message });
            }
            Event::DiskDone { member, epoch, round } => self.disk_done(member, epoch, &round),
            Event::ToClient(news) => self.tell_client(news),
            Event::Timer(timer) => {
                if !self.canceled_timers.remove(&timer) {
                    self.news.push_back(SimNews::Timer(timer));
                }
            }
        }
    }

    /// Two members whose clusters differ do not talk.
    fn is_one_cluster(&self, one: MemberId, other: MemberId) -> bool {
        let cluster = |id| {
            self.members.get(&id).and_then(|member| member.server.as_ref()).map(Server::cluster_id)
        };
        cluster(one) == cluster(other)
    }

    fn deliver(&mut self, from: MemberId, from_epoch: u64, to: MemberId, input: Input) {
        // What an older boot sent is dropped, and so is what is in flight on a cut link.
        let is_sent = self.network.outlives_sender || self.has_epoch(from, from_epoch);
        if is_sent
            && self.links.is_open(from, to)
            && self.is_up(to)
            && self.is_one_cluster(from, to)
        {
            if let Some(sender) = self.members.get_mut(&from) {
                sender.unreachable.remove(&to);
            }
            self.input(to, input);
        } else {
            self.unreachable(from, from_epoch, to);
        }
    }

    fn unreachable(&mut self, from: MemberId, epoch: u64, to: MemberId) {
        if self.has_epoch(from, epoch)
            && self.members.get_mut(&from).is_some_and(|member| member.unreachable.insert(to))
        {
            self.input(from, Input::PeerUnreachable(to));
        }
    }

    fn disk_done(&mut self, id: MemberId, epoch: u64, round: &Round) {
        if !self.has_epoch(id, epoch) {
            return;
        }
        if self.members.get(&id).is_some_and(|member| member.faults.is_disk_full()) {
            self.stop_with(id, "the disk is full", false, &BTreeSet::new());
            return;
        }
        if self.disk.is_aborted(&mut self.random) {
            self.stop_with(id, "a disk round was aborted", false, &BTreeSet::new());
            return;
        }
        let mut ms = 0;
        if let Some(member) = self.members.get_mut(&id) {
            member.disk.apply(round);
            ms = member.in_flight.take().map_or(0, |(_, since)| self.now.since(since));
            member.fence = Some(round.fence);
        }
        if let Some(invariants) = &mut self.invariants {
            invariants.landed(id, &round.fence);
        }
        if self.passes_any(id, &self.points_of(id, round, false)) {
            return;
        }
        // A driver's clock sees the disk work; what a member does takes no virtual time.
        let measured = Input::Measured(Measured::Disk { ms });
        self.input(id, Input::Batch(vec![measured, Input::Persisted(round.ticket)]));
    }

    fn tell_client(&mut self, news: SimNews) {
        match &news {
            SimNews::Reply { call, .. } => {
                if self.calls.remove(call).is_none() {
                    return;
                }
                self.outcome.add(format!("{news:?}").as_bytes());
            }
            SimNews::StreamEnded { call, .. } => {
                if self.calls.remove(call).is_none() {
                    return;
                }
            }
            SimNews::Watch { call, .. }
            | SimNews::ReplyPart { call, .. }
            | SimNews::KeepAlive { call, .. } => {
                if !self.calls.contains_key(call) {
                    return;
                }
                self.outcome.add(format!("{news:?}").as_bytes());
            }
            SimNews::CallFailed { .. }
            | SimNews::Timer(_)
            | SimNews::MemberEvent { .. }
            | SimNews::MemberUp(_)
            | SimNews::MemberDown { .. } => {}
        }
        self.news.push_back(news);
    }

    /// Hands one input to a member and does what it wants.
    fn input(&mut self, id: MemberId, input: Input) {
        let Some(member) = self.members.get_mut(&id) else { return };
        if let Some(waiting) = &mut member.paused {
            if waiting.len() < PAUSED_INPUTS_MAX || input.has_persisted() {
                waiting.push(input);
            }
            return;
        }
        let Some(server) = member.server.as_mut() else { return };
        self.trace.add(&self.now.0.to_le_bytes());
        self.trace.add(format!("{id:x} {input:?}").as_bytes());
        if let Some(lines) = &mut self.lines {
            lines.push(line(self.now, id, server, &input));
        }
        if let Some(invariants) = &mut self.invariants {
            invariants.before_input(id, &input);
        }
        let taken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| server.handle(input)));
        if let Err(panic) = taken {
            // A member's broken invariant is that member's crash; it is never called again.
            let message = panic_message(panic.as_ref());
            if let Some(invariants) = &mut self.invariants {
                invariants.crashed(id, &message);
            }
            self.stop(id, &format!("crashed: {message}"));
            return;
        }
        if let Some(invariants) = &mut self.invariants {
            invariants.after_input(id, &server.observe());
            if self.passes_in_work(id) {
                return;
            }
        }
        self.drain(id);
    }
}
