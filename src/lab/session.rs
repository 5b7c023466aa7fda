//! People at their consoles around a simulated cluster.
//!
//! What it is: the join of [`Simulation`] and etcdctl: consoles that run command lines, calls and
//! timers carried both ways, orders carried out, and the [`Facts`] that checks ask.
//! What it is not: a script player (see `play`) or a judge.
//! Invariants: time moves only by the simulation's events; one command runs in a console at a time;
//! work is bounded by [`EVENTS_MAX`]; the same calls in the same order give the same answers.

mod console;

use std::collections::VecDeque;

use bytes::Bytes;

use self::console::Console;
use crate::api;
use crate::cluster::trace::Chain;
use crate::cluster::{CallId, SimNews, Simulation, SimulationSpec, TimerId};
use crate::etcdctl::{self, CallError, Execution, Input, Output, Shell};
use crate::etcdserver::ServerConfig;
use crate::lab::files::Files;
use crate::lab::time::{self, OWN_CONSOLES, Recorder, Scene};
use crate::scenario::moment::newest;
use crate::scenario::{Facts, MemberView, Order, Roster, Said, Witness, World, member_at};
use crate::types::{MemberId, Millis, SmallMap, SmallSet};

/// Most events of one session, so that no script runs for ever. Source: about an hour of three idle
/// members at etcd's default heartbeat.
pub const EVENTS_MAX: u64 = 5_000_000;

/// Answer time of an endpoint that nobody serves. Unit: ms.
const NOBODY_MS: u64 = 1;

/// Time that anything with a file takes. Unit: ms.
const FILE_MS: u64 = 1;

/// How a run up to some point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    /// What was waited for came.
    Met,
    /// The time was over first.
    TimeUp,
    /// The session has used up its events.
    Exhausted,
}

/// A call of a command that is under way.
#[derive(Clone)]
struct OpenCall {
    console: u32,
    call: etcdctl::CallId,
    member: MemberId,
    endpoint: String,
    /// `None` for streams.
    request: Option<api::Request>,
}

/// See the module.
pub struct Session {
    simulation: Simulation,
    endpoints: Vec<String>,
    consoles: SmallMap<u32, Console>,
    calls: SmallMap<CallId, OpenCall>,
    timers: SmallMap<TimerId, (u32, Input)>,
    /// The end of the wait under way.
    alarm: Option<TimerId>,
    alarm_rang: bool,
    down_reasons: SmallMap<MemberId, String>,
    events: VecDeque<(Millis, MemberId, api::MemberEvent)>,
    facts: Facts,
    witness: Witness,
    /// What was asked beside the consoles, with the answers.
    asked: SmallMap<CallId, Option<Result<api::Response, api::Error>>>,
    /// Members that were taken out.
    gone: SmallSet<MemberId>,
    /// They are no part of the world.
    hides_gone: bool,
    files: Files,
    /// What `member add` was answered.
    added: Vec<api::MemberAddResponse>,
    events_left: u64,
    /// What clusters did that are no more.
    past: Option<Chain>,
    /// Who counts the events and may stop the run, if somebody does.
    recorder: Option<Box<Recorder>>,
}

/// Carries out an order.
pub(super) fn carry_out(simulation: &mut Simulation, order: Order) {
    match order {
        Order::Kill(member) => simulation.kill(member),
        Order::Restart(member) => simulation.restart(member),
        Order::Pause(member) => simulation.pause(member),
        Order::Resume(member) => simulation.resume(member),
        Order::SetLinks(links) => *simulation.links_mut() = links,
        Order::Member(member, fault) => simulation.afflict(member, fault),
        Order::SetSpeed(speed) => simulation.set_speed(speed),
    }
}

/// The members as verbs see them.
pub(super) fn picture(simulation: &Simulation) -> Vec<MemberView> {
    let view = |member: &api::Member| MemberView {
        member: member.clone(),
        is_up: simulation.is_up(member.id),
        is_paused: simulation.is_paused(member.id),
        status: simulation.status(member.id),
    };
    simulation.members().iter().map(view).collect()
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("now", &self.simulation.now()).finish_non_exhaustive()
    }
}

impl Session {
    /// A fresh cluster; its members have just started.
    #[must_use]
    pub fn new(spec: SimulationSpec) -> Self {
        Self::around(Simulation::new(spec), None)
    }

    /// As [`Self::new`], with settings beyond `spec` that `configure` makes for each member.
    #[must_use]
    pub fn with_config(spec: SimulationSpec, configure: impl Fn(&mut ServerConfig)) -> Self {
        Self::around(Simulation::with_config(spec, configure), None)
    }

    pub(super) fn around(simulation: Simulation, recorder: Option<Box<Recorder>>) -> Self {
        let urls = simulation.members().iter().flat_map(|member| member.client_urls.first());
        let endpoints = urls.map(|url| etcdctl::endpoint_address(url).to_owned()).collect();
        let mut session = Self {
            simulation,
            endpoints,
            consoles: SmallMap::new(),
            calls: SmallMap::new(),
            timers: SmallMap::new(),
            alarm: None,
            alarm_rang: false,
            down_reasons: SmallMap::new(),
            events: VecDeque::new(),
            facts: Facts::default(),
            witness: Witness::default(),
            asked: SmallMap::new(),
            gone: SmallSet::new(),
            hides_gone: false,
            files: Files::default(),
            added: Vec::new(),
            events_left: EVENTS_MAX,
            past: None,
            recorder,
        };
        session.hear_news();
        session.look();
        session
    }

    /// The virtual time.
    #[must_use]
    pub const fn now(&self) -> Millis {
        self.simulation.now()
    }

    /// The cluster, to look at.
    #[must_use]
    pub const fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The cluster, for drivers that do more than orders.
    pub const fn simulation_mut(&mut self) -> &mut Simulation {
        &mut self.simulation
    }

    /// The files of its consoles.
    #[must_use]
    pub const fn files(&self) -> &Files {
        &self.files
    }

    /// The same, to put some there or to take what was restored.
    pub const fn files_mut(&mut self) -> &mut Files {
        &mut self.files
    }

    /// What was seen.
    #[must_use]
    pub const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What was seen, for claims.
    #[must_use]
    pub const fn witness(&self) -> &Witness {
        &self.witness
    }

    /// Claims count from now on.
    pub fn mark(&mut self) {
        let world = self.world();
        self.witness.mark(&world);
    }

    /// Something is about to be done to the cluster.
    pub fn acts(&mut self) {
        self.witness.acted();
    }

    /// Members that were taken out are no part of the world from now on.
    pub const fn hide_gone(&mut self) {
        self.hides_gone = true;
    }

    /// Who belongs to the cluster, as the running member that has applied most knows it.
    #[must_use]
    pub fn roster(&self) -> Roster {
        let newest = self.simulation.newest_members();
        newest.map_or_else(Roster::default, |(_, _, conf)| Roster {
            voters: conf.voters,
            learners: conf.learners,
        })
    }

    /// Another cluster takes the place of this one, at the same time of day: commands that still run lose their calls and
    /// are ended, files and consoles stay, and nothing that was seen counts any more.
    pub fn replace(&mut self, mut simulation: Simulation) {
        let members: Vec<MemberId> = self.world().members.iter().map(MemberView::id).collect();
        for member in members {
            self.carry_out(Order::Kill(member));
        }
        let consoles: Vec<u32> = self.consoles.keys().copied().collect();
        for console in consoles {
            self.kill(console);
        }
        simulation.run_until(self.now());
        let past = self.past.get_or_insert_default();
        past.add(&self.simulation.trace_hash().to_be_bytes());
        self.simulation = simulation;
        (self.calls, self.timers, self.asked) = (SmallMap::new(), SmallMap::new(), SmallMap::new());
        (self.down_reasons, self.gone) = (SmallMap::new(), SmallSet::new());
        self.events.clear();
        self.added.clear();
        (self.facts, self.witness) = (Facts::default(), Witness::default());
        self.hear_news();
        self.renew_endpoints();
        self.look();
    }

    /// The hash of everything that happened: of the cluster, and of those that were there before it.
    #[must_use]
    pub fn trace_hash(&self) -> u64 {
        let now = self.simulation.trace_hash();
        let Some(past) = &self.past else { return now };
        let mut all = past.clone();
        all.add(&now.to_be_bytes());
        all.value()
    }

    /// What a console printed and nobody took yet.
    #[must_use]
    pub fn peek(&self, console: u32) -> Option<Said> {
        self.consoles.get(&console).map(|place| Said {
            stdout: place.stdout.clone(),
            stderr: place.stderr.clone(),
            status: place.status,
        })
    }

    /// Asks a member beside the consoles; the answer comes while time passes.
    pub fn ask(&mut self, member: MemberId, request: api::Request) -> CallId {
        let call = self.simulation.request(member, request);
        self.asked.insert(call, None);
        call
    }

    /// A member was taken out.
    pub fn forget(&mut self, member: MemberId) {
        self.gone.insert(member);
    }

    /// True when an answer is there.
    #[must_use]
    pub fn is_answered(&self, call: CallId) -> bool {
        self.asked.get(&call).is_some_and(Option::is_some)
    }

    /// Takes an answer; without one, it is not waited for any more.
    pub fn take_answer(&mut self, call: CallId) -> Option<Result<api::Response, api::Error>> {
        self.asked.remove(&call)?
    }

    /// Every console's `ETCDCTL_ENDPOINTS` are those of the members that there are now.
    pub fn renew_endpoints(&mut self) {
        let world = self.world();
        let urls = world.members.iter().flat_map(|view| view.member.client_urls.first());
        self.endpoints = urls.map(|url| etcdctl::endpoint_address(url).to_owned()).collect();
        for (_, console) in self.consoles.iter_mut() {
            console.shell.set_endpoints(self.endpoints.clone());
        }
    }

    /// A new step of a lesson begins.
    pub fn begin_facts(&mut self) {
        self.look();
        self.facts.begin_step();
    }

    /// Sets a console's `ETCDCTL_ENDPOINTS`, which are those of all members at first.
    pub fn set_endpoints(&mut self, console: u32, endpoints: &[String]) {
        self.console(console).shell.set_endpoints(endpoints.to_vec());
    }

    fn console(&mut self, console: u32) -> &mut Console {
        let endpoints = &self.endpoints;
        let make = || Console::new(Shell::whole(endpoints.clone()));
        self.consoles.get_or_insert_with(console, make)
    }

    /// The cluster as verbs see it.
    #[must_use]
    pub fn world(&self) -> World {
        let mut members = picture(&self.simulation);
        members.retain(|view| !(self.hides_gone && self.gone.contains(&view.id())));
        // Members are asked at the very moment.
        let answered = 0;
        World {
            members,
            links: self.simulation.links().clone(),
            lease: self.witness.lease(),
            answered,
        }
    }

    /// Renews the facts' picture of the cluster.
    pub fn look(&mut self) {
        let world = self.world();
        self.facts.set_world(world);
    }

    /// Starts a command line in a console; false if one is running there.
    ///
    /// `stdin` is all of its standard input; `None`: it comes with [`Self::feed`] until [`Self::feed_end`].
    pub fn start(&mut self, console: u32, line: &str, stdin: Option<Bytes>) -> bool {
        let (now, is_recorded) = (self.now(), self.recorder.is_some());
        self.launch(console, |place| place.start(line, stdin, now, is_recorded))
    }

    /// The same with words that are split already.
    pub fn start_words(&mut self, console: u32, words: &[String], stdin: Option<Bytes>) -> bool {
        let now = self.now();
        self.launch(console, |place| place.start_words(words, stdin, now))
    }

    fn launch(&mut self, console: u32, start: impl FnOnce(&mut Console)) -> bool {
        let place = self.console(console);
        if place.running.is_some() {
            return false;
        }
        start(place);
        self.witness.command_began(console);
        self.drain(console);
        true
    }

    /// Ctrl-C in a console; false if nothing runs there.
    pub fn interrupt(&mut self, console: u32) -> bool {
        let is_running = self.is_running(console);
        self.tell(console, Input::Interrupt);
        is_running
    }

    /// Ends a console's command as SIGKILL would: without a word or a chance to tidy up; false if nothing runs there.
    pub fn kill(&mut self, console: u32) -> bool {
        let place = self.consoles.get_mut(&console);
        let was_running = place.is_some_and(|place| place.running.take().is_some());
        let open = self.calls.values().filter(|open| open.console == console);
        let calls: Vec<etcdctl::CallId> = open.map(|open| open.call).collect();
        for call in calls {
            self.cancel(console, call);
        }
        was_running
    }

    /// The end of a console's standard input.
    pub fn feed_end(&mut self, console: u32) {
        self.tell(console, Input::StdinEnd);
    }

    /// More standard input for a console's command.
    pub fn feed(&mut self, console: u32, bytes: Bytes) {
        self.tell(console, Input::Stdin(bytes));
    }

    /// True while a console's command waits for standard input.
    #[must_use]
    pub fn reads_stdin(&self, console: u32) -> bool {
        let running = self.consoles.get(&console).and_then(|place| place.running.as_ref());
        running.is_some_and(Execution::reads_stdin)
    }

    /// True while a command runs in a console.
    #[must_use]
    pub fn is_running(&self, console: u32) -> bool {
        self.consoles.get(&console).is_some_and(|place| place.running.is_some())
    }

    /// Exit status of a console's last command; `None` while it runs.
    #[must_use]
    pub fn status(&self, console: u32) -> Option<i32> {
        self.consoles.get(&console).and_then(|place| place.status)
    }

    /// Takes what a console printed: standard output, standard error.
    pub fn take_output(&mut self, console: u32) -> (Vec<u8>, Vec<u8>) {
        let Some(place) = self.consoles.get_mut(&console) else {
            return (Vec::new(), Vec::new());
        };
        (std::mem::take(&mut place.stdout), std::mem::take(&mut place.stderr))
    }

    /// The consoles used so far, but for those of changes.
    #[must_use]
    pub fn consoles(&self) -> Vec<u32> {
        self.consoles.keys().copied().filter(|id| *id < OWN_CONSOLES).collect()
    }

    /// The end of what a console printed and nobody took yet, and its exit status.
    pub(super) fn tail(&self, console: u32) -> Option<(Bytes, Bytes, Option<i32>)> {
        let place = self.consoles.get(&console)?;
        Some((newest(&place.stdout), newest(&place.stderr), place.status))
    }

    /// Takes what members did.
    pub fn take_events(&mut self) -> Vec<(Millis, MemberId, api::MemberEvent)> {
        self.events.drain(..).collect()
    }

    /// Carries out an order.
    pub fn carry_out(&mut self, order: Order) {
        carry_out(&mut self.simulation, order);
        self.settle();
    }

    /// Hears what something that was done to the cluster has brought about.
    pub(super) fn settle(&mut self) {
        self.hear_news();
        self.look();
    }

    /// Starts the member that a console added with this peer URL; false if none did.
    pub fn join(&mut self, peer_url: &str, name: &str, client_url: &str) -> bool {
        let has_url = |added: &&api::MemberAddResponse| {
            added.member.peer_urls.iter().any(|url| url == peer_url)
        };
        let Some(added) = self.added.iter().rev().find(has_url).cloned() else {
            return false;
        };
        self.simulation.join(&added, name, client_url);
        self.hear_news();
        self.look();
        true
    }

    /// Lets time pass until `is_met`, which is asked once at the beginning and after each moment.
    pub fn run(&mut self, limit_ms: u64, is_met: impl Fn(&Self) -> bool) -> Ran {
        self.alarm_rang = false;
        self.alarm = Some(self.simulation.set_timer(limit_ms));
        let ran = self.run_to_alarm(is_met);
        if let Some(alarm) = self.alarm.take() {
            self.simulation.cancel_timer(alarm);
        }
        self.look();
        ran
    }

    fn run_to_alarm(&mut self, is_met: impl Fn(&Self) -> bool) -> Ran {
        loop {
            if is_met(self) {
                return Ran::Met;
            }
            if self.alarm_rang {
                return Ran::TimeUp;
            }
            let before = self.now();
            while self.now() == before && !self.alarm_rang {
                if self.stops() || self.events_left == 0 || !self.simulation.step() {
                    return Ran::Exhausted;
                }
                self.events_left -= 1;
                self.hear_news();
            }
        }
    }

    /// Makes the changes that are due; true: the run is to stop here.
    fn stops(&mut self) -> bool {
        while let Some((number, due)) = self.recorder.as_ref().and_then(|it| it.due()) {
            let done = time::change(self, &due, number);
            let now = self.now();
            if let Some(recorder) = &mut self.recorder {
                recorder.made(now, done);
            }
        }
        let Some(mut recorder) = self.recorder.take() else { return false };
        let stops = recorder.looks(&Scene::of(self));
        self.recorder = Some(recorder);
        stops
    }

    /// A session that goes on as this one would, without a recorder; `None` while a command runs that cannot be copied.
    pub(super) fn copy(&self) -> Option<Self> {
        let mut consoles = SmallMap::new();
        for (id, console) in self.consoles.iter() {
            consoles.insert(*id, console.copy()?);
        }
        Some(Self {
            simulation: self.simulation.clone(),
            endpoints: self.endpoints.clone(),
            consoles,
            calls: self.calls.clone(),
            timers: self.timers.clone(),
            alarm: self.alarm,
            alarm_rang: self.alarm_rang,
            down_reasons: self.down_reasons.clone(),
            events: self.events.clone(),
            facts: self.facts.clone(),
            witness: self.witness.clone(),
            asked: self.asked.clone(),
            gone: self.gone.clone(),
            hides_gone: self.hides_gone,
            files: self.files.clone(),
            added: self.added.clone(),
            events_left: self.events_left,
            past: self.past.clone(),
            recorder: None,
        })
    }

    /// Lets somebody count the events from here on.
    pub(super) fn set_recorder(&mut self, recorder: Box<Recorder>) {
        self.recorder = Some(recorder);
    }

    /// Who counts the events, if somebody does.
    pub(super) fn recorder(&mut self) -> Option<&mut Recorder> {
        self.recorder.as_deref_mut()
    }

    /// Takes that one away.
    pub(super) const fn take_recorder(&mut self) -> Option<Box<Recorder>> {
        self.recorder.take()
    }

    fn hear_news(&mut self) {
        while let Some(news) = self.simulation.poll() {
            self.hear(news);
        }
    }

    fn hear(&mut self, news: SimNews) {
        if let Some(recorder) = &mut self.recorder {
            recorder.heard(self.simulation.now(), &news);
        }
        match news {
            SimNews::Reply { call, result } => self.answered(call, result),
            SimNews::Watch { call, response } => {
                self.facts.saw_watch(&response);
                if let Some(open) = self.calls.get(&call) {
                    let (console, call) = (open.console, open.call);
                    self.witness.saw_watch(console, &response);
                    self.tell(console, Input::Watch { call, response });
                }
            }
            // No command of the lab asks for these yet.
            SimNews::ReplyPart { call, part } => {
                if let Some(open) = self.calls.get(&call) {
                    let (console, call) = (open.console, open.call);
                    self.tell(console, Input::ReplyPart { call, part });
                }
            }
            SimNews::KeepAlive { .. } => {}
            SimNews::StreamEnded { call, error } => {
                if let Some(open) = self.calls.remove(&call) {
                    let error = CallError::Status(error);
                    self.tell(open.console, Input::StreamEnded { call: open.call, error });
                }
            }
            SimNews::CallFailed { call, was_sent } => self.call_failed(call, was_sent),
            SimNews::Timer(timer) => {
                if self.alarm == Some(timer) {
                    self.alarm = None;
                    self.alarm_rang = true;
                } else if let Some((console, input)) = self.timers.remove(&timer) {
                    self.tell(console, input);
                }
            }
            SimNews::MemberEvent { member, event } => {
                self.facts.saw_event(member, &event);
                self.witness.saw_event(member, &event);
                self.events.push_back((self.simulation.now(), member, event));
            }
            SimNews::MemberUp(member) => {
                self.down_reasons.remove(&member);
            }
            SimNews::MemberDown { member, reason } => {
                self.down_reasons.insert(member, reason);
            }
        }
    }

    fn answered(&mut self, call: CallId, result: Result<api::Response, api::Error>) {
        if let Ok(api::Response::MemberAdd(added)) = &result {
            self.added.push(added.clone());
        }
        if let Some(answer) = self.asked.get_mut(&call) {
            *answer = Some(result);
            return;
        }
        let Some(open) = self.calls.remove(&call) else {
            return;
        };
        if let Some(request) = &open.request {
            self.facts.saw_answer(open.member, request, &result);
            self.witness.saw_answer(open.member, request, &result);
            if let (api::Request::MemberRemove(removed), Ok(_)) = (request, &result) {
                self.gone.insert(removed.id);
            }
        }
        let result = result.map_err(CallError::Status);
        self.tell(open.console, Input::Reply { call: open.call, result });
    }

    fn call_failed(&mut self, call: CallId, was_sent: bool) {
        if let Some(answer) = self.asked.get_mut(&call) {
            *answer = Some(Err(api::Error::Timeout));
            return;
        }
        let Some(open) = self.calls.remove(&call) else {
            return;
        };
        let reason = self.why_down(open.member);
        let endpoint = open.endpoint;
        let error = if was_sent {
            CallError::Lost { endpoint, reason }
        } else {
            CallError::Unreachable { endpoint, reason }
        };
        let input = match open.request {
            Some(request) => {
                self.facts.saw_failure(&request);
                self.witness.saw_failure(&request);
                Input::Reply { call: open.call, result: Err(error) }
            }
            None => Input::StreamEnded { call: open.call, error },
        };
        self.tell(open.console, input);
    }

    fn why_down(&self, member: MemberId) -> String {
        let name = self.world().name(member);
        match self.down_reasons.get(&member).map(String::as_str) {
            Some("killed") => format!("{name} was killed"),
            Some(reason) => format!("{name} is down: {reason}"),
            None => format!("{name} went away"),
        }
    }

    fn tell(&mut self, console: u32, input: Input) {
        let now = self.now();
        if self.consoles.get_mut(&console).is_some_and(|place| place.tell(input, now)) {
            self.drain(console);
        }
    }

    fn drain(&mut self, console: u32) {
        while let Some(output) = self.next_output(console) {
            match output {
                Output::Call { call, endpoint, token, request } => {
                    self.send((console, call), &endpoint, token, request);
                }
                Output::OpenWatch { call, endpoint, token, request } => {
                    self.open((console, call), &endpoint, token, request);
                }
                Output::SendWatch { call, request } => {
                    if let Some(call) = self.open_call(console, call) {
                        self.witness.watch_asked(console, &request);
                        self.simulation.send_watch(call, request);
                    }
                }
                Output::CancelCall { call } => self.cancel(console, call),
                Output::File { call, order } => {
                    let result = self.files.carry_out(order);
                    self.later(FILE_MS, console, Input::File { call, result });
                }
                Output::SetTimer { timer, after_ms } => {
                    self.later(after_ms, console, Input::Timer { timer });
                }
                Output::Stdout(bytes) => self.print(console, |place| place.stdout.extend(bytes)),
                Output::Stderr(bytes) => self.print(console, |place| place.stderr.extend(bytes)),
                Output::Exit { status } => self.print(console, |place| place.end(status)),
            }
        }
    }

    fn next_output(&mut self, console: u32) -> Option<Output> {
        self.consoles.get_mut(&console)?.running.as_mut()?.poll_output()
    }

    fn print(&mut self, console: u32, write: impl FnOnce(&mut Console)) {
        if let Some(place) = self.consoles.get_mut(&console) {
            write(place);
        }
    }

    fn later(&mut self, after_ms: u64, console: u32, input: Input) {
        let timer = self.simulation.set_timer(after_ms);
        self.timers.insert(timer, (console, input));
    }

    fn open_call(&self, console: u32, call: etcdctl::CallId) -> Option<CallId> {
        let found = |(_, open): &(&CallId, &OpenCall)| open.console == console && open.call == call;
        self.calls.iter().find(found).map(|(id, _)| *id)
    }

    fn member_at(&self, endpoint: &str) -> Option<MemberId> {
        member_at(self.simulation.members(), endpoint)
    }

    fn nobody(endpoint: &str) -> CallError {
        let reason = "no such endpoint".to_owned();
        CallError::Unreachable { endpoint: endpoint.to_owned(), reason }
    }

    fn send(
        &mut self,
        (console, call): (u32, etcdctl::CallId),
        endpoint: &str,
        token: Option<String>,
        request: api::Request,
    ) {
        let Some(member) = self.member_at(endpoint) else {
            let result = Err(Self::nobody(endpoint));
            self.later(NOBODY_MS, console, Input::Reply { call, result });
            return;
        };
        let id = self.simulation.request_as(member, token, request.clone());
        let endpoint = endpoint.to_owned();
        let open = OpenCall { console, call, member, endpoint, request: Some(request) };
        self.calls.insert(id, open);
    }

    fn open(
        &mut self,
        (console, call): (u32, etcdctl::CallId),
        endpoint: &str,
        token: Option<String>,
        request: api::WatchRequest,
    ) {
        let Some(member) = self.member_at(endpoint) else {
            let error = Self::nobody(endpoint);
            self.later(NOBODY_MS, console, Input::StreamEnded { call, error });
            return;
        };
        self.witness.watch_asked(console, &request);
        let id = self.simulation.open_watch_as(member, token, request);
        let open = OpenCall { console, call, member, endpoint: endpoint.to_owned(), request: None };
        self.calls.insert(id, open);
    }

    fn cancel(&mut self, console: u32, call: etcdctl::CallId) {
        if let Some(id) = self.open_call(console, call) {
            if let Some(request) = self.calls.remove(&id).and_then(|open| open.request) {
                self.facts.saw_failure(&request);
                self.witness.saw_failure(&request);
            }
            self.simulation.cancel(id);
        }
    }
}
