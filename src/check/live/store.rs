//! The store as far as it is known.
//!
//! What it is: a [`Model`] that begins empty or with a read of everything, goes on with answered writes and with what
//! watches told, and says what an answer had to be.
//! What it is not: the order of operations; see the parent.
//! Invariants: every step of the model is one revision, so that it can be taken back; at most [`KEPT_MAX`] of them are
//! kept, and as many events that lie ahead.

use std::collections::BTreeMap;

use super::super::linear::are_equal;
use super::super::model::{Change, Model};
use crate::api::{
    CompareResult, CompareTarget, Error, Event, RangeRequest, Request, RequestOp, Response,
    SortTarget, TxnRequest,
};
use crate::types::LeaseId;

/// Revisions that can still be read. Unit: revisions. Source: ours; more than what a slow answer lags behind.
const KEPT_MAX: i64 = 1_024;
/// Revisions that are forgotten at a time, so that it is seldom done.
const TIDY_EVERY: i64 = 256;
/// Steps that are taken back for one operation. Unit: revisions.
const BACK_MAX: i64 = 128;
/// Revisions that may lie ahead. Unit: revisions.
const AHEAD_MAX: usize = 2_048;

/// What a look at the store gives.
#[derive(Debug)]
pub(super) enum Look {
    /// The answer is what it had to be.
    Same,
    /// That cannot be told.
    Unknown,
    /// It had to be this.
    Other(Box<Result<Response, Error>>),
    /// The answer fits, and a watch saw something else.
    Seen,
}

/// See the module's head.
#[derive(Debug)]
pub(super) struct Store {
    model: Option<Model>,
    from: i64,
    ahead: BTreeMap<i64, Vec<Event>>,
}

fn are_same(changes: &[Change], events: &[Event]) -> bool {
    changes.len() == events.len()
        && changes.iter().zip(events).all(|(change, event)| is_same(&change.event, event))
}

fn is_same(one: &Event, other: &Event) -> bool {
    one.event_type == other.event_type && one.kv == other.kv
}

/// True if the model can say what the answer has to be.
fn is_comparable(request: &Request, first: i64) -> bool {
    let is_known = |range: &RangeRequest| {
        // Large values are told by their hash, which has another order.
        range.sort_target != SortTarget::Value && (range.revision <= 0 || range.revision >= first)
    };
    fn knows(txn: &TxnRequest, is_known: &dyn Fn(&RangeRequest) -> bool) -> bool {
        let is_plain = |target: &CompareTarget, result: CompareResult| {
            !matches!(target, CompareTarget::Value(_))
                || matches!(result, CompareResult::Equal | CompareResult::NotEqual)
        };
        txn.compare.iter().all(|compare| is_plain(&compare.target, compare.result))
            && txn.success.iter().chain(&txn.failure).all(|op| match op {
                RequestOp::Range(range) => is_known(range),
                RequestOp::Txn(nested) => knows(nested, is_known),
                RequestOp::Put(_) | RequestOp::DeleteRange(_) => true,
            })
    }
    match request {
        Request::Range(range) => is_known(range),
        Request::Txn(txn) => knows(txn, &is_known),
        _ => true,
    }
}

/// The leases that a request names.
fn leases(request: &Request, found: &mut Vec<LeaseId>) {
    fn of_txn(txn: &TxnRequest, found: &mut Vec<LeaseId>) {
        for op in txn.success.iter().chain(&txn.failure) {
            match op {
                RequestOp::Put(put) => found.push(put.lease),
                RequestOp::Txn(nested) => of_txn(nested, found),
                RequestOp::Range(_) | RequestOp::DeleteRange(_) => {}
            }
        }
    }
    match request {
        Request::Put(put) => found.push(put.lease),
        Request::Txn(txn) => of_txn(txn, found),
        Request::LeaseRevoke(revoke) => found.push(revoke.id),
        _ => {}
    }
}

/// Carries a request out that was not refused: the leases that it names exist.
fn carry_out(model: &mut Model, request: &Request) -> Result<Response, Error> {
    let mut named = Vec::new();
    leases(request, &mut named);
    for id in named {
        model.know_lease(id);
    }
    model.apply(request)
}

fn look(got: Result<Response, Error>, response: &Response) -> Look {
    match got {
        Ok(got) if are_equal(&got, response) => Look::Same,
        got => Look::Other(Box::new(got)),
    }
}

impl Store {
    /// Nothing has happened in it yet.
    pub(super) fn empty() -> Self {
        Self { model: Some(Model::default()), from: 1, ahead: BTreeMap::new() }
    }

    /// Nobody here knows it.
    pub(super) const fn unknown() -> Self {
        Self { model: None, from: 0, ahead: BTreeMap::new() }
    }

    /// The first revision that was known.
    pub(super) fn from(&self) -> Option<i64> {
        self.model.as_ref().map(|_| self.from)
    }

    /// The oldest revision that is still known.
    pub(super) fn first(&self) -> i64 {
        self.model.as_ref().map_or(0, Model::first)
    }

    /// The revision that comes next.
    pub(super) fn next(&self) -> Option<i64> {
        self.model.as_ref().map(|model| model.revision() + 1)
    }

    /// True if this revision has happened, as far as is known.
    pub(super) fn has(&self, revision: i64) -> bool {
        self.model.as_ref().is_some_and(|model| revision <= model.revision())
    }

    /// Takes a linearizable read of everything for the state at its revision; false if it is none.
    pub(super) fn begins_with(&mut self, request: &Request, response: &Response) -> bool {
        let (Request::Range(range), Response::Range(answer)) = (request, response) else {
            return false;
        };
        let whole = RangeRequest {
            key: range.key.clone(),
            range_end: range.range_end.clone(),
            limit: range.limit,
            ..RangeRequest::default()
        };
        let is_everything =
            range.key.as_ref() <= [0].as_slice() && range.range_end.as_ref() == [0].as_slice();
        if *range != whole || !is_everything || answer.more {
            return false;
        }
        let revision = answer.header.revision;
        self.model = Some(Model::starting(revision, answer.kvs.clone()));
        self.from = revision;
        self.ahead.retain(|at, _| *at > revision);
        true
    }

    /// A watch of everything tells what a revision holds.
    pub(super) fn expect(&mut self, revision: i64, events: &[Event]) {
        if !self.has(revision) {
            self.ahead.insert(revision, events.to_vec());
            if self.ahead.len() > AHEAD_MAX {
                self.ahead.pop_first();
            }
        }
    }

    /// True if a revision that is known holds something else than what a watch tells.
    pub(super) fn contradicts(&self, revision: i64, events: &[Event], is_everything: bool) -> bool {
        let Some(model) = &self.model else { return false };
        if revision <= model.first() || revision > model.revision() {
            return false;
        }
        let changes = model.changes(revision);
        if is_everything {
            return !are_same(changes, events);
        }
        !events.iter().all(|event| changes.iter().any(|change| is_same(&change.event, event)))
    }

    /// Carries out the write that made the next revision.
    pub(super) fn write(&mut self, request: &Request, response: &Response) -> Look {
        let Some(model) = &mut self.model else { return Look::Unknown };
        let next = model.revision() + 1;
        let told = self.ahead.remove(&next);
        if !is_comparable(request, model.first()) {
            // What it did is known only if a watch told it.
            match told {
                Some(events) => model.happen(&events),
                None => self.model = None,
            }
            return Look::Unknown;
        }
        let look = look(carry_out(model, request), response);
        let is_seen = told.is_none_or(|events| are_same(model.changes(next), &events));
        match look {
            Look::Same if !is_seen => Look::Seen,
            look => look,
        }
    }

    /// The next revision happens as a watch told it; false if none has.
    pub(super) fn happens(&mut self) -> bool {
        let Some(model) = &mut self.model else { return false };
        let Some(events) = self.ahead.remove(&(model.revision() + 1)) else { return false };
        model.happen(&events);
        true
    }

    fn can_go_back(&self, revision: i64) -> bool {
        self.model.as_ref().is_some_and(|model| {
            revision >= model.first() && model.revision() - revision <= BACK_MAX
        })
    }

    /// Holds a write against a revision that has happened.
    pub(super) fn write_before(
        &mut self,
        revision: i64,
        request: &Request,
        response: &Response,
    ) -> Look {
        if !self.can_go_back(revision - 1) || !is_comparable(request, self.first()) {
            return Look::Unknown;
        }
        let Some(model) = &mut self.model else { return Look::Unknown };
        let changes = model.changes(revision).to_vec();
        model.at(revision - 1, |model| {
            let look = look(carry_out(model, request), response);
            let did = model.changes(revision).to_vec();
            model.undo();
            let is_seen = did.len() == changes.len()
                && did.iter().zip(&changes).all(|(one, other)| is_same(&one.event, &other.event));
            match look {
                Look::Same if !is_seen => Look::Seen,
                look => look,
            }
        })
    }

    /// True if a request would have done what happened in a revision.
    pub(super) fn would_make(&mut self, revision: i64, request: &Request) -> bool {
        if !self.can_go_back(revision - 1) || !is_comparable(request, self.first()) {
            return false;
        }
        let Some(model) = &mut self.model else { return false };
        let changes = model.changes(revision).to_vec();
        model.at(revision - 1, |model| {
            let _ = carry_out(model, request);
            let did = model.changes(revision).to_vec();
            model.undo();
            !did.is_empty()
                && did.len() == changes.len()
                && did.iter().zip(&changes).all(|(one, other)| is_same(&one.event, &other.event))
        })
    }

    /// Holds a read against the state at its revision.
    pub(super) fn read(&mut self, revision: i64, request: &Request, response: &Response) -> Look {
        let first = self.first();
        if revision < first || !is_comparable(request, first) {
            return Look::Unknown;
        }
        let can_go_back = self.can_go_back(revision);
        let Some(model) = &mut self.model else { return Look::Unknown };
        match request {
            Request::Range(range) => match model.range_at(range, revision) {
                Some(expected) => look(Ok(Response::Range(expected)), response),
                None => look(Err(Error::FutureRev), response),
            },
            _ if can_go_back => model.at(revision, |model| {
                let got = carry_out(model, request);
                model.undo();
                look(got, response)
            }),
            _ => Look::Unknown,
        }
    }

    /// Forgets what is too old for anybody to ask.
    pub(super) fn tidy(&mut self) {
        if let Some(model) = &mut self.model {
            let revision = model.revision();
            if revision - model.first() >= KEPT_MAX + TIDY_EVERY {
                model.forget_before(revision - KEPT_MAX);
            }
        }
    }
}
