//! A lock: the oldest key under the lock's name is its owner's.
//!
//! Invariants: see `recipes`; what [`Lock::is_owner`] compares holds only as long as the lock is owned.
//! Source: behaviour of etcd `client/v3/concurrency/mutex.go`.

use bytes::Bytes;

use super::queue::{Place, get, oldest};
use super::{Failure, Step};
use crate::api::{
    Compare, DeleteRangeRequest, Request, RequestOp, Response, ResponseOp, WatchResponse,
};
use crate::types::LeaseId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The key is being created.
    Enters,
    /// Somebody is before.
    Waits,
    /// Nobody is before any more; is the own key still there?
    Looks,
    Owns,
}

/// See the module's head.
#[derive(Clone, Debug)]
pub struct Lock {
    place: Place,
    state: State,
}

impl Lock {
    /// For the lock `name`, by the session that has this lease.
    #[must_use]
    pub fn new(name: &[u8], lease: LeaseId) -> Self {
        Self { place: Place::new(name, lease), state: State::Enters }
    }

    /// Its key.
    #[must_use]
    pub const fn key(&self) -> &Bytes {
        &self.place.key
    }

    /// The create revision of its key, a fencing token: each owner's is higher than that of the one before.
    #[must_use]
    pub const fn revision(&self) -> i64 {
        self.place.revision
    }

    /// Whether the last answer said that the lock is owned.
    #[must_use]
    pub fn owns(&self) -> bool {
        self.state == State::Owns
    }

    /// Holds in a transaction only while the lock is owned.
    #[must_use]
    pub fn is_owner(&self) -> Compare {
        self.place.has_created(self.place.revision)
    }

    /// The first step. Taken again it finds the key that is there.
    #[must_use]
    pub fn start(&mut self) -> Step {
        self.state = State::Enters;
        let owner = RequestOp::Range(oldest(&self.place.prefix));
        Step::Ask(self.place.enter(&Bytes::new(), Some(owner)))
    }

    /// Takes the answer to what was asked last.
    ///
    /// # Errors
    /// The session expired meanwhile, or the answer is to something else.
    pub fn answered(&mut self, response: &Response) -> Result<Step, Failure> {
        match (self.state, response) {
            (State::Enters, Response::Txn(txn)) => {
                let [first, ResponseOp::Range(owner)] = txn.responses.as_slice() else {
                    return Err(Failure::Unexpected);
                };
                self.place.revision = match first {
                    ResponseOp::Range(own) if !txn.succeeded => {
                        own.kvs.first().ok_or(Failure::Unexpected)?.create_revision
                    }
                    _ => txn.header.revision,
                };
                let owner = owner.kvs.first().map(|kv| kv.create_revision);
                if owner.is_none_or(|revision| revision == self.place.revision) {
                    self.state = State::Owns;
                    return Ok(Step::Done);
                }
                self.state = State::Waits;
                Ok(self.place.ask_before())
            }
            (State::Waits, Response::Range(range)) => {
                if let Some(step) = self.place.listed(range) {
                    return Ok(step);
                }
                self.state = State::Looks;
                Ok(Step::Ask(Request::Range(get(&self.place.key))))
            }
            (State::Looks, Response::Range(range)) => {
                if range.kvs.is_empty() {
                    return Err(Failure::SessionExpired);
                }
                self.state = State::Owns;
                Ok(Step::Done)
            }
            _ => Err(Failure::Unexpected),
        }
    }

    /// Takes what its watch tells.
    ///
    /// # Errors
    /// The watch ended.
    pub fn watched(&self, response: &WatchResponse) -> Result<Step, Failure> {
        if self.state == State::Waits { self.place.watched(response) } else { Ok(Step::Wait) }
    }

    /// Its watch is lost: looks anew who is before.
    #[must_use]
    pub fn look_again(&self) -> Step {
        if self.state == State::Waits { self.place.ask_before() } else { Step::Wait }
    }

    /// Gives the lock up, or the place in the queue.
    #[must_use]
    pub fn unlock(&mut self) -> Request {
        self.state = State::Enters;
        let key = self.place.key.clone();
        Request::DeleteRange(DeleteRangeRequest { key, ..DeleteRangeRequest::default() })
    }
}
