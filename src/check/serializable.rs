//! Serializable reads against the history that the others agreed on.
//!
//! What it is: such a read may be old, but it must have been true at the revision it names, and that revision must
//! have been on its way when the answer came.
//! What it is not: part of the order; a serializable read constrains nothing.
//! Invariants: only answers are looked at, never a member's state.

use super::history::{History, Operation, Outcome};
use super::linear::{Replay, are_equal, is_serializable, revision_of};
use crate::api::{Error, Request, RequestOp, Response, ResponseOp, TxnResponse};

/// The serializable reads that cannot have been true, in words.
#[must_use]
pub fn check_serializable_reads(history: &History, replay: &Replay) -> Vec<String> {
    history
        .operations
        .iter()
        .filter(|operation| is_serializable(&operation.request))
        .filter_map(|operation| fault(operation, history, replay))
        .collect()
}

fn fault(operation: &Operation, history: &History, replay: &Replay) -> Option<String> {
    let Outcome::Returned { at, result } = &operation.outcome else { return None };
    let why = match result {
        Ok(response) => wrong_answer(&operation.request, response, *at, replay)?,
        Err(error) => wrong_error(&operation.request, *error, *at, history)?,
    };
    Some(format!("{:?} was answered {result:?}: {why}", operation.request))
}

fn wrong_answer(
    request: &Request,
    response: &Response,
    at: u64,
    replay: &Replay,
) -> Option<String> {
    let revision = revision_of(response)?;
    if revision > replay.model.revision() {
        return Some(format!("revision {revision} was never reached"));
    }
    if replay.invoked.get(&revision).is_some_and(|invoked| *invoked > at) {
        return Some(format!("revision {revision} was asked for only later"));
    }
    let expected = at_revision(request, revision, replay)?;
    (!are_equal(&expected, response)).then(|| format!("at revision {revision} it was {expected:?}"))
}

/// What the request gives at a store of this revision, whatever was compacted.
fn at_revision(request: &Request, revision: i64, replay: &Replay) -> Option<Response> {
    match request {
        Request::Range(range) => replay.model.range_at(range, revision).map(Response::Range),
        Request::Txn(txn) if txn.compare.is_empty() => {
            let mut responses = Vec::new();
            for op in &txn.success {
                let RequestOp::Range(range) = op else { return None };
                responses.push(ResponseOp::Range(replay.model.range_at(range, revision)?));
            }
            let header = super::model::header(revision);
            Some(Response::Txn(TxnResponse { header, succeeded: true, responses }))
        }
        _ => None,
    }
}

fn wrong_error(request: &Request, error: Error, at: u64, history: &History) -> Option<String> {
    let Request::Range(range) = request else { return None };
    match error {
        Error::Compacted => {
            let is_possible = history
                .compactions()
                .iter()
                .any(|(revision, invoked)| *revision > range.revision && *invoked < at);
            (!is_possible).then(|| "nothing so new was compacted".to_owned())
        }
        Error::FutureRev => (range.revision <= 1).then(|| "that revision always exists".to_owned()),
        _ => None,
    }
}
