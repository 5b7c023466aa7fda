//! W9: locks and elections by etcd's recipes, with owners that are late.
//!
//! What it is: a session, a place in the queue, and once it is first, writes that are guarded by its key's revision.
//! Invariants: what an owner writes ends in `@` and the revision of its key, and goes with the guard always; a lazy
//! session is not kept alive, so that somebody else becomes the owner while this one still believes that it is.

use bytes::Bytes;

use super::{Action, Workload, World};
use crate::api::{
    Compare, Error, LeaseGrantRequest, LeaseKeepAliveRequest, LeaseRevokeRequest, PutRequest,
    RangeRequest, Request, RequestOp, Response, TxnRequest, WatchResponse,
};
use crate::random::Pcg32;
use crate::recipes::{Election, Failure, Lock, Step, keep_alive_ms};
use crate::types::LeaseId;

/// What is guarded: the queue's prefix, and the key that only the first in the queue writes.
pub(in crate::cluster) const GUARDED: &[(&str, &str)] =
    &[("k-lock/", "k-lock-data"), ("k-elect/", "k-elect-data")];

/// Ids of sessions begin here; those of W4 are below.
const FIRST_ID: i64 = 1_000_000;

#[derive(Debug)]
enum Recipe {
    Lock(Lock),
    Election(Election),
}

impl Recipe {
    fn start(&mut self) -> Step {
        match self {
            Self::Lock(lock) => lock.start(),
            Self::Election(election) => election.start(),
        }
    }

    fn answered(&mut self, response: &Response) -> Result<Step, Failure> {
        match self {
            Self::Lock(lock) => lock.answered(response),
            Self::Election(election) => election.answered(response),
        }
    }

    fn watched(&self, response: &WatchResponse) -> Result<Step, Failure> {
        match self {
            Self::Lock(lock) => lock.watched(response),
            Self::Election(election) => election.watched(response),
        }
    }

    fn look_again(&self) -> Step {
        match self {
            Self::Lock(lock) => lock.look_again(),
            Self::Election(election) => election.look_again(),
        }
    }

    fn is_first(&self) -> bool {
        match self {
            Self::Lock(lock) => lock.owns(),
            Self::Election(election) => election.leads(),
        }
    }

    fn guard(&self) -> (Compare, i64, Bytes) {
        match self {
            Self::Lock(lock) => (lock.is_owner(), lock.revision(), lock.key().clone()),
            Self::Election(election) => {
                (election.is_leader(), election.revision(), election.key().clone())
            }
        }
    }

    fn leave(&mut self) -> Request {
        match self {
            Self::Lock(lock) => lock.unlock(),
            Self::Election(election) => election.resign(),
        }
    }
}

/// What the open request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Grant,
    KeepAlive,
    Queue,
    Write,
    Leave,
}

#[derive(Debug)]
struct Session {
    lease: LeaseId,
    ttl: i64,
    is_granted: bool,
    /// It is not kept alive.
    is_lazy: bool,
    /// When it is kept alive next. Unit: ms.
    next_ms: u64,
    recipe: Recipe,
    /// What the recipe wants.
    step: Option<Step>,
}

/// Owns, or wants to.
#[derive(Debug)]
pub(super) struct Locker {
    /// A lock, or an election.
    is_lock: bool,
    session: Option<Session>,
    purpose: Option<Purpose>,
}

impl Locker {
    pub(super) fn new(random: &mut Pcg32) -> Self {
        Self { is_lock: random.chance(1, 2), session: None, purpose: None }
    }

    fn ask(&mut self, purpose: Purpose, request: Request) -> Action {
        self.purpose = Some(purpose);
        Action::Ask(request)
    }

    fn begin(&mut self, world: &mut World<'_>) -> Action {
        let value = world.value();
        let lease = LeaseId(FIRST_ID + i64::try_from(*world.last_value).unwrap_or(0));
        let recipe = if self.is_lock {
            Recipe::Lock(Lock::new(b"k-lock", lease))
        } else {
            Recipe::Election(Election::new(b"k-elect", lease, value))
        };
        let ttl = i64::from(world.random.between(1, 3));
        self.session = Some(Session {
            lease,
            ttl,
            is_granted: false,
            is_lazy: world.random.chance(1, 3),
            next_ms: 0,
            recipe,
            step: None,
        });
        self.ask(Purpose::Grant, Request::LeaseGrant(LeaseGrantRequest { ttl, id: lease }))
    }

    /// A write that must not happen unless this one is the owner.
    fn write(&mut self, world: &mut World<'_>) -> Action {
        let Some(session) = &self.session else { return Action::Rest };
        let (guard, revision, own) = session.recipe.guard();
        let value = world.value();
        let value = [&value, format!("@{revision}").as_bytes()].concat().into();
        let key = GUARDED.get(usize::from(!self.is_lock)).map_or("", |(_, key)| *key);
        let put = PutRequest { key: Bytes::from(key), value, ..PutRequest::default() };
        let look = RangeRequest { key: own, ..RangeRequest::default() };
        let txn = TxnRequest {
            compare: vec![guard],
            success: vec![RequestOp::Put(put)],
            failure: vec![RequestOp::Range(look)],
        };
        self.ask(Purpose::Write, Request::Txn(txn))
    }

    /// What an owner does.
    fn own(&mut self, world: &mut World<'_>) -> Action {
        match world.random.below(12) {
            0 => {
                let Some(session) = &mut self.session else { return Action::Rest };
                let request = session.recipe.leave();
                self.ask(Purpose::Leave, request)
            }
            1 => {
                let Some(session) = self.session.take() else { return Action::Rest };
                let revoke = LeaseRevokeRequest { id: session.lease };
                self.ask(Purpose::Leave, Request::LeaseRevoke(revoke))
            }
            2..=4 => Action::Rest,
            _ => self.write(world),
        }
    }

    /// Nobody knows how the last request ended.
    fn lost(&mut self, purpose: Purpose) {
        let Some(session) = &mut self.session else { return };
        match purpose {
            Purpose::Grant | Purpose::Leave => self.session = None,
            // Entering twice is entering once.
            Purpose::Queue => session.step = Some(session.recipe.start()),
            Purpose::KeepAlive | Purpose::Write => {}
        }
    }
}

impl Workload for Locker {
    fn next(&mut self, world: &mut World<'_>) -> Action {
        if let Some(purpose) = self.purpose.take() {
            self.lost(purpose);
        }
        let Some(session) = &mut self.session else {
            return if world.watches > 0 { Action::CancelWatch } else { self.begin(world) };
        };
        if !session.is_granted {
            self.session = None;
            return Action::Rest;
        }
        if !session.is_lazy && world.now_ms >= session.next_ms {
            session.next_ms = world.now_ms + keep_alive_ms(session.ttl);
            let request = LeaseKeepAliveRequest { id: session.lease };
            return self.ask(Purpose::KeepAlive, Request::LeaseKeepAlive(request));
        }
        if session.recipe.is_first() {
            return if world.watches > 0 { Action::CancelWatch } else { self.own(world) };
        }
        match session.step.take() {
            Some(Step::Ask(request)) => self.ask(Purpose::Queue, request),
            Some(Step::Watch(create)) => {
                session.step = Some(Step::Wait);
                Action::Watch(create)
            }
            Some(Step::Wait) => {
                session.step = Some(Step::Wait);
                Action::Rest
            }
            Some(Step::Done) | None => {
                session.step = Some(session.recipe.start());
                Action::Rest
            }
        }
    }

    fn answered(&mut self, result: &Result<Response, Error>) {
        let purpose = self.purpose.take();
        let Some(session) = &mut self.session else { return };
        match (purpose, result) {
            (Some(Purpose::Grant), Ok(_)) => session.is_granted = true,
            (Some(Purpose::KeepAlive), Ok(Response::LeaseKeepAlive(alive))) if alive.ttl > 0 => {}
            (Some(Purpose::Queue), Ok(response)) => match session.recipe.answered(response) {
                Ok(step) => session.step = Some(step),
                Err(_) => self.session = None,
            },
            (Some(Purpose::Write), Ok(Response::Txn(txn))) if txn.succeeded => {}
            // Refused, for whatever reason: it begins anew, with a lease of its own.
            _ => self.session = None,
        }
    }

    fn watched(&mut self, response: &WatchResponse) {
        let Some(session) = &mut self.session else { return };
        if session.step == Some(Step::Wait) {
            let step = session.recipe.watched(response);
            session.step = Some(step.unwrap_or_else(|_| session.recipe.look_again()));
        }
    }

    fn stream_ended(&mut self, _next_revision: i64) {
        if let Some(session) = &mut self.session
            && session.step == Some(Step::Wait)
        {
            session.step = Some(session.recipe.look_again());
        }
    }

    fn pause_ms(&self) -> (u32, u32) {
        (5, 90)
    }
}
