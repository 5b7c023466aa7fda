//! One client of a simulated run: it acts, waits, gives up, and writes down what it saw.
//!
//! What it is: the joint of a workload, a simulation and a history.
//! What it is not: a retry; an operation that may have been sent is never sent again.
//! Invariants: at most one request is open; every request stands in the history unless it certainly did nothing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::event::{CallId, TimerId};
use super::invariants::LeaseMark;
use super::simulation::Simulation;
use super::workload::{Action, Workload, World, password};
use crate::api::{
    AuthenticateRequest, Error, Request, Response, WatchCancelRequest, WatchCreateRequest,
    WatchRequest, WatchResponse,
};
use crate::check::{
    History, Operation, Outcome, WatchLog, is_ambiguous, is_serializable, revision_of,
};
use crate::random::Pcg32;
use crate::types::{MemberId, WatchId};

/// What all clients share.
#[derive(Debug)]
pub(super) struct Notebook {
    pub(super) history: History,
    /// Operations that certainly did nothing.
    refused: BTreeSet<u32>,
    /// The last moment given out.
    pub(super) moment: u64,
    /// The newest revision in any answer.
    pub(super) revision: i64,
    pub(super) compacted: i64,
    pub(super) last_value: u64,
    pub(super) writes: u64,
    pub(super) events: u64,
    /// A read that missed an acknowledged write.
    pub(super) stale_read: Option<String>,
    /// A snapshot that came whole, digest and all.
    pub(super) file: Option<Vec<u8>>,
}

impl Default for Notebook {
    fn default() -> Self {
        Self {
            history: History::default(),
            refused: BTreeSet::new(),
            moment: 0,
            revision: 1,
            compacted: -1,
            last_value: 0,
            writes: 0,
            events: 0,
            stale_read: None,
            file: None,
        }
    }
}

impl Notebook {
    pub(super) const fn now(&mut self) -> u64 {
        self.moment += 1;
        self.moment
    }

    /// The history without what certainly did nothing.
    pub(super) fn finish(&mut self) -> History {
        let history = std::mem::take(&mut self.history);
        let operations = (0..)
            .zip(history.operations)
            .filter(|(at, _)| !self.refused.contains(at))
            .map(|(_, operation)| operation)
            .collect();
        History { operations, watches: history.watches }
    }

    fn watch(&mut self, at: u32) -> Option<&mut WatchLog> {
        self.history.watches.get_mut(usize::try_from(at).ok()?)
    }
}

#[derive(Debug)]
struct Pending {
    call: CallId,
    operation: u32,
    /// The newest revision acknowledged to anybody before the call.
    floor: i64,
    /// As whom it asked, and which rights were in force.
    user: Option<&'static str>,
    rights: u32,
    /// Who led when a keep-alive was sent.
    mark: Option<LeaseMark>,
    is_login: bool,
    /// What has come of a snapshot.
    file: Vec<u8>,
}

#[derive(Debug)]
struct Stream {
    call: CallId,
    /// Watches asked for and not answered yet.
    asked: VecDeque<u32>,
    watches: BTreeMap<WatchId, u32>,
    /// Where the first watch goes on.
    next_revision: i64,
}

/// One client; see the module's head.
#[derive(Debug)]
pub(super) struct Client {
    number: u32,
    workload: Box<dyn Workload>,
    home: Option<MemberId>,
    ids: Vec<MemberId>,
    keys: u32,
    patience_ms: u64,
    random: Pcg32,
    pending: Option<Pending>,
    stream: Option<Stream>,
    /// Wakes it: to act, or to give up.
    timer: Option<TimerId>,
    user: &'static str,
    /// What it got when it logged in.
    token: Option<String>,
    has_to_log_in: bool,
}

/// True if a member does not know who asks, and wants to.
const fn asks_for_login(error: Error) -> bool {
    matches!(error, Error::UserEmpty | Error::InvalidAuthToken)
}

/// True if the store itself refused: the answer says something about its state.
pub(super) const fn is_of_store(error: Error) -> bool {
    matches!(
        error,
        Error::EmptyKey
            | Error::KeyNotFound
            | Error::ValueProvided
            | Error::LeaseProvided
            | Error::TooManyOps
            | Error::DuplicateKey
            | Error::Compacted
            | Error::FutureRev
            | Error::LeaseNotFound
            | Error::LeaseExist
            | Error::LeaseTtlTooLarge
    )
}

const fn is_write(request: &Request) -> bool {
    matches!(request, Request::Put(_) | Request::DeleteRange(_) | Request::Txn(_))
}

/// How a client is made.
pub(super) struct ClientSpec {
    pub(super) number: u32,
    pub(super) workload: Box<dyn Workload>,
    pub(super) home: Option<MemberId>,
    pub(super) ids: Vec<MemberId>,
    pub(super) keys: u32,
    pub(super) patience_ms: u64,
    pub(super) random: Pcg32,
    pub(super) user: &'static str,
}

impl Client {
    pub(super) fn new(spec: ClientSpec) -> Self {
        let ClientSpec { number, workload, home, ids, keys, patience_ms, random, user } = spec;
        Self {
            number,
            workload,
            home,
            ids,
            keys,
            patience_ms,
            random,
            pending: None,
            stream: None,
            timer: None,
            user,
            token: None,
            has_to_log_in: false,
        }
    }

    pub(super) fn is_woken_by(&self, timer: TimerId) -> bool {
        self.timer == Some(timer)
    }

    pub(super) fn waits_for(&self, call: CallId) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.call == call)
    }

    pub(super) fn streams(&self, call: CallId) -> bool {
        self.stream.as_ref().is_some_and(|stream| stream.call == call)
    }

    /// The cluster has these members now.
    pub(super) fn meet(&mut self, ids: &[MemberId]) {
        if self.ids != ids {
            ids.clone_into(&mut self.ids);
        }
    }

    fn member(&mut self) -> MemberId {
        if let Some(home) = self.home.filter(|home| self.ids.contains(home)) {
            return home;
        }
        let count = u32::try_from(self.ids.len()).unwrap_or(1);
        let at = usize::try_from(self.random.below(count)).unwrap_or(0);
        self.ids.get(at).copied().unwrap_or_default()
    }

    pub(super) fn rest(&mut self, sim: &mut Simulation) {
        let (from, to) = self.workload.pause_ms();
        let ms = u64::from(self.random.between(from, to));
        self.timer = Some(sim.set_timer(ms));
    }

    /// Its timer ran out: it gives up what it waits for, or acts.
    pub(super) fn wake(&mut self, sim: &mut Simulation, notes: &mut Notebook) {
        self.timer = None;
        if let Some(pending) = self.pending.take() {
            // What it asked for may still happen.
            sim.cancel(pending.call);
            self.rest(sim);
            return;
        }
        if self.has_to_log_in {
            let (name, password) = (self.user.to_owned(), password(self.user));
            let request = Request::Authenticate(AuthenticateRequest { name, password });
            self.ask(sim, notes, None, request);
            return;
        }
        let mut world = World {
            now_ms: sim.now().0,
            members: u32::try_from(self.ids.len()).unwrap_or(u32::MAX),
            random: &mut self.random,
            revision: notes.revision,
            compacted: notes.compacted,
            keys: self.keys,
            last_value: &mut notes.last_value,
            watches: self.stream.as_ref().map_or(0, |stream| {
                u32::try_from(stream.watches.len() + stream.asked.len()).unwrap_or(u32::MAX)
            }),
        };
        match self.workload.next(&mut world) {
            Action::Ask(request) => {
                self.ask(sim, notes, None, request);
                return;
            }
            Action::AskMember(at, request) => {
                let member = usize::try_from(at).ok().and_then(|at| self.ids.get(at)).copied();
                self.ask(sim, notes, member, request);
                return;
            }
            Action::Watch(create) => self.watch(sim, notes, create),
            Action::CancelWatch => self.cancel_watch(sim, notes),
            Action::Progress => {
                if let Some(stream) = &self.stream {
                    sim.send_watch(stream.call, WatchRequest::Progress);
                }
            }
            Action::CloseStream => self.close_stream(sim, notes),
            Action::Rest => {}
        }
        self.rest(sim);
    }

    /// Sends a request, to `member` or to whom it always asks.
    fn ask(
        &mut self,
        sim: &mut Simulation,
        notes: &mut Notebook,
        member: Option<MemberId>,
        request: Request,
    ) {
        let operation = u32::try_from(notes.history.operations.len()).unwrap_or(u32::MAX);
        let invoked = notes.now();
        notes.history.operations.push(Operation {
            client: self.number,
            request: request.clone(),
            invoked,
            outcome: Outcome::Unknown,
        });
        let (mut mark, mut rights) = (None, 0);
        if let Some(invariants) = sim.invariants_mut() {
            rights = invariants.newest_rights();
            match &request {
                Request::LeaseKeepAlive(_) => mark = invariants.lease_mark(),
                Request::LeaseRevoke(revoke) => invariants.lease_is_revocable(revoke.id),
                _ => {}
            }
        }
        let member = member.unwrap_or_else(|| self.member());
        let is_login = matches!(request, Request::Authenticate(_));
        let user = self.token.is_some().then_some(self.user);
        let call = sim.request_as(member, self.token.clone(), request);
        let floor = notes.revision;
        let file = Vec::new();
        self.pending = Some(Pending { call, operation, floor, user, rights, mark, is_login, file });
        self.timer = Some(sim.set_timer(self.patience_ms));
    }

    /// A piece of the answer to its request.
    pub(super) fn hear_part(&mut self, part: &Response) {
        if let (Some(pending), Response::Snapshot(piece)) = (&mut self.pending, part) {
            pending.file.extend_from_slice(&piece.blob);
        }
    }

    /// The answer to its request, or `None` if there is none; `was_sent`: it may have been carried out.
    pub(super) fn hear(
        &mut self,
        sim: &mut Simulation,
        notes: &mut Notebook,
        result: Option<Result<Response, Error>>,
        was_sent: bool,
    ) {
        let Some(mut pending) = self.pending.take() else { return };
        if let Some(timer) = self.timer.take() {
            sim.cancel_timer(timer);
        }
        if let Some(Ok(Response::Snapshot(last))) = &result {
            pending.file.extend_from_slice(&last.blob);
            notes.file = Some(std::mem::take(&mut pending.file));
        }
        if let Some(result) = &result {
            self.judge(sim, notes, &pending, result);
        }
        match result {
            Some(result) if pending.is_login => self.log_in(result),
            Some(Err(error)) if is_ambiguous(error) => {
                self.workload.answered(&Err(error));
            }
            Some(Err(error)) if !is_of_store(error) => {
                self.has_to_log_in = asks_for_login(error);
                self.workload.answered(&Err(error));
                notes.refused.insert(pending.operation);
            }
            Some(result) => self.note_answer(notes, &pending, result),
            None if was_sent => {}
            None => {
                notes.refused.insert(pending.operation);
            }
        }
        self.rest(sim);
    }

    /// What an answer says of rights and of leases.
    fn judge(
        &self,
        sim: &mut Simulation,
        notes: &Notebook,
        pending: &Pending,
        result: &Result<Response, Error>,
    ) {
        let place = usize::try_from(pending.operation).unwrap_or(usize::MAX);
        let Some(operation) = notes.history.operations.get(place) else { return };
        let Some(invariants) = sim.invariants_mut() else { return };
        invariants.judge_answer(pending.user, pending.rights, &operation.request, result);
        if let (Some(mark), Ok(Response::LeaseKeepAlive(alive))) = (pending.mark, result)
            && alive.ttl > 0
        {
            invariants.lease_kept(mark, alive.id);
        }
    }

    fn log_in(&mut self, result: Result<Response, Error>) {
        self.token = match result {
            Ok(Response::Authenticate(granted)) => Some(granted.token),
            _ => None,
        };
        // If it was refused it goes on as nobody, and hears of it.
        self.has_to_log_in = false;
    }

    fn note_answer(
        &mut self,
        notes: &mut Notebook,
        pending: &Pending,
        result: Result<Response, Error>,
    ) {
        self.workload.answered(&result);
        let at = notes.now();
        let place = usize::try_from(pending.operation).unwrap_or(usize::MAX);
        let Some(operation) = notes.history.operations.get_mut(place) else { return };
        if let Ok(response) = &result {
            let named = revision_of(response);
            let revision = named.unwrap_or_default();
            let is_stale = named.is_some_and(|revision| revision < pending.floor);
            if is_stale && !is_serializable(&operation.request) {
                notes.stale_read = Some(format!(
                    "{:?} was answered at revision {revision}, {} was known before: {response:?}",
                    operation.request, pending.floor
                ));
            }
            if is_write(&operation.request) {
                notes.writes += 1;
            }
            if let Request::Compaction(compaction) = &operation.request {
                notes.compacted = notes.compacted.max(compaction.revision);
            }
            notes.revision = notes.revision.max(revision);
        }
        operation.outcome = Outcome::Returned { at, result };
    }

    fn watch(&mut self, sim: &mut Simulation, notes: &mut Notebook, create: WatchCreateRequest) {
        let log = u32::try_from(notes.history.watches.len()).unwrap_or(u32::MAX);
        notes.history.watches.push(WatchLog { request: create.clone(), ..WatchLog::default() });
        let request = WatchRequest::Create(create);
        match &mut self.stream {
            Some(stream) => {
                sim.send_watch_as(stream.call, self.token.clone(), request);
                stream.asked.push_back(log);
            }
            None => {
                let member = self.member();
                let call = sim.open_watch_as(member, self.token.clone(), request);
                self.stream = Some(Stream {
                    call,
                    asked: VecDeque::from([log]),
                    watches: BTreeMap::new(),
                    next_revision: 0,
                });
            }
        }
    }

    fn cancel_watch(&mut self, sim: &mut Simulation, notes: &mut Notebook) {
        let Some(stream) = &self.stream else { return };
        let Some((watch_id, log)) = stream.watches.first_key_value() else { return };
        let (watch_id, log) = (*watch_id, *log);
        sim.send_watch(stream.call, WatchRequest::Cancel(WatchCancelRequest { watch_id }));
        let at = notes.now();
        if let Some(watch) = notes.watch(log) {
            watch.canceled = Some(at);
        }
    }

    fn close_stream(&mut self, sim: &mut Simulation, notes: &mut Notebook) {
        let Some(stream) = self.stream.take() else { return };
        sim.cancel(stream.call);
        let at = notes.now();
        for log in stream.watches.values().chain(&stream.asked) {
            if let Some(watch) = notes.watch(*log) {
                watch.canceled = Some(at);
            }
        }
    }

    /// A message on its stream.
    pub(super) fn hear_watch(&mut self, notes: &mut Notebook, response: &WatchResponse) {
        let at = notes.now();
        self.workload.watched(response);
        if response.created && response.canceled {
            let is_meant = |error: &Error| response.cancel_reason.contains(error.text());
            self.has_to_log_in |= [Error::UserEmpty, Error::InvalidAuthToken].iter().any(is_meant);
        }
        notes.events += u64::try_from(response.events.len()).unwrap_or(0);
        for event in &response.events {
            notes.revision = notes.revision.max(event.kv.mod_revision);
        }
        let Some(stream) = &mut self.stream else { return };
        if response.created {
            let Some(log) = stream.asked.pop_front() else { return };
            if !response.canceled {
                stream.watches.insert(response.watch_id, log);
            }
            if let Some(watch) = notes.watch(log) {
                let start = watch.request.start_revision;
                stream.next_revision = if start > 0 { start } else { response.header.revision + 1 };
                watch.responses.push((at, response.clone()));
            }
            return;
        }
        if response.watch_id == WatchId(-1) {
            for log in stream.watches.values() {
                if let Some(watch) = notes.watch(*log) {
                    watch.responses.push((at, response.clone()));
                }
            }
            return;
        }
        let Some(log) = stream.watches.get(&response.watch_id).copied() else { return };
        if let Some(last) = response.events.last() {
            stream.next_revision = last.kv.mod_revision + 1;
        }
        if let Some(watch) = notes.watch(log) {
            watch.responses.push((at, response.clone()));
        }
        if response.canceled {
            stream.watches.remove(&response.watch_id);
            if response.compact_revision != 0 {
                stream.next_revision = 0;
            }
        }
    }

    /// Its stream ended with the member, or by it.
    pub(super) fn lose_stream(&mut self) {
        if let Some(stream) = self.stream.take() {
            self.workload.stream_ended(stream.next_revision);
        }
    }

    /// Acts no more; gives up what it waits for.
    pub(super) fn stop(&mut self, sim: &mut Simulation) {
        if let Some(timer) = self.timer.take() {
            sim.cancel_timer(timer);
        }
        if let Some(pending) = self.pending.take() {
            sim.cancel(pending.call);
        }
    }

    /// The run is over and everything healthy: its open watches must have reached this revision.
    pub(super) fn must_have_reached(&self, notes: &mut Notebook, revision: i64) {
        for log in self.stream.iter().flat_map(|stream| stream.watches.values()) {
            if let Some(watch) = notes.watch(*log) {
                watch.must_reach = Some(revision);
            }
        }
    }

    /// Watches that are open.
    pub(super) fn open_watches(&self) -> u64 {
        self.stream.as_ref().map_or(0, |s| u64::try_from(s.watches.len()).unwrap_or(0))
    }
}
