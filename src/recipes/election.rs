//! An election: the oldest key under its name is the leader's, and the value is what the leader says.
//!
//! What it is: the campaign, what a leader does ([`Election`]), and the eye of those who only want to know
//! ([`Observer`]).
//! Invariants: see `recipes`.
//! Source: behaviour of etcd `client/v3/concurrency/election.go`.

use bytes::Bytes;

use super::queue::{Place, oldest, prefix, watch_prefix};
use super::{Failure, Step};
use crate::api::{
    Compare, DeleteRangeRequest, EventType, KeyValue, Request, RequestOp, Response, ResponseOp,
    TxnRequest, WatchCreateRequest, WatchResponse,
};
use crate::types::LeaseId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The key is being created.
    Enters,
    /// The key was there with another value, which is being replaced.
    Corrects,
    /// Somebody is before.
    Waits,
    Leads,
}

/// A campaign, and the time in office.
#[derive(Clone, Debug)]
pub struct Election {
    place: Place,
    value: Bytes,
    state: State,
}

impl Election {
    /// For the election `name`, by the session that has this lease, with this to say.
    #[must_use]
    pub fn new(name: &[u8], lease: LeaseId, value: Bytes) -> Self {
        Self { place: Place::new(name, lease), value, state: State::Enters }
    }

    /// Its key.
    #[must_use]
    pub const fn key(&self) -> &Bytes {
        &self.place.key
    }

    /// The create revision of its key, a fencing token: each leader's is higher than that of the one before.
    #[must_use]
    pub const fn revision(&self) -> i64 {
        self.place.revision
    }

    /// Whether the last answer said that it leads.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.state == State::Leads
    }

    /// Holds in a transaction only while it leads.
    #[must_use]
    pub fn is_leader(&self) -> Compare {
        self.place.has_created(self.place.revision)
    }

    /// The first step. Taken again it finds the key that is there.
    #[must_use]
    pub fn start(&mut self) -> Step {
        self.state = State::Enters;
        Step::Ask(self.place.enter(&self.value, None))
    }

    /// Takes the answer to what was asked last.
    ///
    /// # Errors
    /// The key is gone, or the answer is to something else.
    pub fn answered(&mut self, response: &Response) -> Result<Step, Failure> {
        match (self.state, response) {
            (State::Enters, Response::Txn(txn)) => {
                self.state = State::Waits;
                if txn.succeeded {
                    self.place.revision = txn.header.revision;
                    return Ok(self.place.ask_before());
                }
                let [ResponseOp::Range(own)] = txn.responses.as_slice() else {
                    return Err(Failure::Unexpected);
                };
                let own = own.kvs.first().ok_or(Failure::Unexpected)?;
                self.place.revision = own.create_revision;
                if own.value == self.value {
                    return Ok(self.place.ask_before());
                }
                self.state = State::Corrects;
                Ok(Step::Ask(self.guarded(self.place.put(&self.value))))
            }
            (State::Corrects, Response::Txn(txn)) => {
                if !txn.succeeded {
                    return Err(Failure::NotLeader);
                }
                self.state = State::Waits;
                Ok(self.place.ask_before())
            }
            (State::Waits, Response::Range(range)) => match self.place.listed(range) {
                Some(step) => Ok(step),
                None => {
                    self.state = State::Leads;
                    Ok(Step::Done)
                }
            },
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

    fn guarded(&self, op: RequestOp) -> Request {
        let (compare, success) = (vec![self.is_leader()], vec![op]);
        Request::Txn(TxnRequest { compare, success, failure: Vec::new() })
    }

    /// Says something else, as the leader; the answer goes to [`Self::proclaimed`].
    #[must_use]
    pub fn proclaim(&mut self, value: Bytes) -> Request {
        self.value = value;
        self.guarded(self.place.put(&self.value))
    }

    /// Takes the answer to [`Self::proclaim`].
    ///
    /// # Errors
    /// It does not lead any more.
    pub fn proclaimed(&mut self, response: &Response) -> Result<(), Failure> {
        match response {
            Response::Txn(txn) if txn.succeeded => Ok(()),
            Response::Txn(_) => {
                self.state = State::Enters;
                Err(Failure::NotLeader)
            }
            _ => Err(Failure::Unexpected),
        }
    }

    /// Leaves office, or gives up the campaign.
    #[must_use]
    pub fn resign(&mut self) -> Request {
        self.state = State::Enters;
        let key = self.place.key.clone();
        let delete = DeleteRangeRequest { key, ..DeleteRangeRequest::default() };
        self.guarded(RequestOp::DeleteRange(delete))
    }
}

/// What an observer wants, and what it saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// What the leaders said, oldest first.
    pub said: Vec<KeyValue>,
    /// What it wants next.
    pub step: Step,
}

/// Sees who leads and what is said.
#[derive(Clone, Debug)]
pub struct Observer {
    prefix: Bytes,
    /// The leader's key; empty while there is none.
    leader: Bytes,
}

impl Observer {
    /// Of the election `name`.
    #[must_use]
    pub fn new(name: &[u8]) -> Self {
        Self { prefix: prefix(name), leader: Bytes::new() }
    }

    /// The first step, and the next one whenever a watch was lost.
    #[must_use]
    pub fn start(&mut self) -> Step {
        self.leader = Bytes::new();
        Step::Ask(Request::Range(oldest(&self.prefix)))
    }

    /// Takes the answer to the question who leads.
    ///
    /// # Errors
    /// The answer is to something else.
    pub fn answered(&mut self, response: &Response) -> Result<Sight, Failure> {
        let Response::Range(range) = response else { return Err(Failure::Unexpected) };
        let revision = range.header.revision;
        Ok(match range.kvs.first() {
            None => {
                let step = Step::Watch(watch_prefix(&self.prefix, revision));
                Sight { said: Vec::new(), step }
            }
            Some(leader) => self.follow(leader.clone(), revision + 1),
        })
    }

    /// Somebody leads: its key is watched from now on.
    fn follow(&mut self, leader: KeyValue, start_revision: i64) -> Sight {
        self.leader = leader.key.clone();
        let key = leader.key.clone();
        let watch = WatchCreateRequest { key, start_revision, ..WatchCreateRequest::default() };
        Sight { said: vec![leader], step: Step::Watch(watch) }
    }

    /// Takes what the watch tells. A [`Step::Watch`] takes the place of the watch before.
    ///
    /// # Errors
    /// The watch ended.
    pub fn watched(&mut self, response: &WatchResponse) -> Result<Sight, Failure> {
        let mut said = Vec::new();
        for event in &response.events {
            let is_put = event.event_type == EventType::Put;
            if self.leader.is_empty() && is_put {
                let next = event.kv.mod_revision + 1;
                return Ok(self.follow(event.kv.clone(), next));
            }
            if event.kv.key != self.leader {
                continue;
            }
            if is_put {
                said.push(event.kv.clone());
            } else {
                return Ok(Sight { said, step: self.start() });
            }
        }
        if response.canceled {
            Err(Failure::WatchLost)
        } else {
            Ok(Sight { said, step: Step::Wait })
        }
    }
}
