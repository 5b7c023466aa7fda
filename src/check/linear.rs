//! Is there one order of all operations that explains every answer?
//!
//! What it is: the search of Wing and Gong with Lowe's memory of states already tried, on the [`Model`].
//! Operations whose end nobody knows may take effect at any time after their call, or never.
//! What it is not: a judge of serializable reads and watches; those are held against the order found here.
//! Invariants: the verdict "not linearizable" is given only after every order was tried; the number of steps is
//! bounded, beyond it the verdict is "unknown".
//!
//! Revisions make nearly every step certain: an answer names the revision at which it was true, so that only
//! operations of unknown end leave a choice, and only where a revision is missing. What answers and watches showed of
//! a revision narrows that choice further.

use std::collections::{BTreeMap, BTreeSet};

use super::hints::Hints;
use super::history::{History, Outcome};
use super::leases::LeaseEnds;
use super::model::Model;
use crate::api::{
    DeleteRangeResponse, Error, RangeRequest, RangeResponse, Request, RequestOp, Response,
    ResponseOp, TxnRequest, TxnResponse,
};

/// Steps after which a search is given up.
///
/// Unit: attempts to place an operation. Source: ours; a run of 1,000 operations takes a few thousand.
pub const STEPS_MAX: u64 = 300_000;

/// The order that was found.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// The history as it must have happened.
    pub model: Model,
    /// For each revision: when the operation that made it was called.
    pub invoked: BTreeMap<i64, u64>,
    /// For each successful compaction: the revision, and when it was called.
    pub compactions: Vec<(i64, u64)>,
    /// Attempts made.
    pub steps: u64,
}

/// What the search found.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// An order that explains everything.
    Linearizable(Box<Replay>),
    /// There is none; the text names the operation that could never be placed.
    Violation(String),
    /// The budget was used up; the text names the operation that was furthest from a place.
    Unknown(String),
}

#[derive(Debug)]
struct Known<'h> {
    invoked: u64,
    returned: u64,
    request: &'h Request,
    result: &'h Result<Response, Error>,
}

#[derive(Debug)]
struct Open<'h> {
    invoked: u64,
    request: &'h Request,
}

/// An operation to place: of known or of unknown end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pick {
    Known(u32),
    Open(u32),
}

#[derive(Debug)]
struct Frame {
    candidates: Vec<Pick>,
    next: u32,
    chosen: Option<Pick>,
}

struct Search<'h> {
    known: Vec<Known<'h>>,
    open: Vec<Open<'h>>,
    hints: Hints,
    /// The operations that succeeded only as long as the store was compacted to no more than this revision.
    limits: Vec<(u32, i64)>,
    model: Model,
    placed: Bits,
    used: Bits,
    /// Placed operations of known end.
    count: u32,
    seen: BTreeSet<(u64, i64, Bits, Bits)>,
    steps: u64,
    best: (u32, String),
}

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Bits(Vec<u64>);

impl Bits {
    fn split(at: u32) -> (usize, u64) {
        (usize::try_from(at / 64).unwrap_or(usize::MAX), 1 << (at % 64))
    }

    fn has(&self, at: u32) -> bool {
        let (word, bit) = Self::split(at);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    fn set(&mut self, at: u32, is_in: bool) {
        let (word, bit) = Self::split(at);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            if is_in {
                *word |= bit;
            } else {
                *word &= !bit;
            }
        }
    }
}

/// Revision, compact revision, and how many leases have begun and ended: what no request leaves as it was that changes
/// something.
type State = (i64, i64, u32);

fn state(model: &Model) -> State {
    (model.revision(), model.compact_revision(), place(model.lease_changes().len()))
}

fn place(list_length: usize) -> u32 {
    u32::try_from(list_length).unwrap_or(u32::MAX)
}

fn index(at: u32) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// True if the request changes nothing whatever the store holds.
fn is_read(request: &Request) -> bool {
    fn reads(txn: &TxnRequest) -> bool {
        txn.success.iter().chain(&txn.failure).all(|op| match op {
            RequestOp::Range(_) => true,
            RequestOp::Txn(nested) => reads(nested),
            RequestOp::Put(_) | RequestOp::DeleteRange(_) => false,
        })
    }
    match request {
        Request::Range(_)
        | Request::MemberList(_)
        | Request::Status(_)
        | Request::HashKv(_)
        | Request::Alarm(_) => true,
        Request::Txn(txn) => reads(txn),
        // Who asks for anything else may have changed what others see.
        _ => false,
    }
}

/// True if the answer may be older than the call: it says nothing about the order.
#[must_use]
pub fn is_serializable(request: &Request) -> bool {
    match request {
        Request::Range(range) => range.serializable,
        Request::Txn(txn) => {
            let mut ops = txn.success.iter().chain(&txn.failure);
            ops.all(|op| matches!(op, RequestOp::Range(range) if range.serializable))
        }
        _ => false,
    }
}

/// The store revision that an answer names.
#[must_use]
pub const fn revision_of(response: &Response) -> Option<i64> {
    match response {
        Response::Range(range) => Some(range.header.revision),
        Response::Put(put) => Some(put.header.revision),
        Response::DeleteRange(delete) => Some(delete.header.revision),
        Response::Txn(txn) => Some(txn.header.revision),
        Response::Compaction(compaction) => Some(compaction.header.revision),
        Response::LeaseGrant(grant) => Some(grant.header.revision),
        Response::LeaseRevoke(revoke) => Some(revoke.header.revision),
        _ => None,
    }
}

/// The newest compaction with which this could be answered so; nothing if any would do.
fn compaction_limit(request: &Request, response: &Response) -> Option<i64> {
    fn of_range(range: &RangeRequest) -> Option<i64> {
        (range.revision > 0).then_some(range.revision)
    }
    fn of_txn(txn: &TxnRequest, response: &TxnResponse) -> Option<i64> {
        let taken = if response.succeeded { &txn.success } else { &txn.failure };
        let each = taken.iter().zip(&response.responses).filter_map(|pair| match pair {
            (RequestOp::Range(range), _) => of_range(range),
            (RequestOp::Txn(inner), ResponseOp::Txn(response)) => of_txn(inner, response),
            _ => None,
        });
        each.min()
    }
    match (request, response) {
        // Each must be of a newer revision than the one before it.
        (Request::Compaction(compaction), _) => Some(compaction.revision - 1),
        (Request::Range(range), _) => of_range(range),
        (Request::Txn(txn), Response::Txn(response)) => of_txn(txn, response),
        _ => None,
    }
}

fn are_equal_ranges(one: &RangeResponse, other: &RangeResponse) -> bool {
    one.kvs == other.kvs && one.more == other.more && one.count == other.count
}

fn are_equal_deletes(one: &DeleteRangeResponse, other: &DeleteRangeResponse) -> bool {
    one.deleted == other.deleted && one.prev_kvs == other.prev_kvs
}

/// True if a transaction's answers are the same, whatever their inner headers say.
fn are_equal_txns(one: &TxnResponse, other: &TxnResponse) -> bool {
    let mut pairs = one.responses.iter().zip(&other.responses);
    one.succeeded == other.succeeded
        && one.responses.len() == other.responses.len()
        && pairs.all(|pair| match pair {
            (ResponseOp::Range(one), ResponseOp::Range(other)) => are_equal_ranges(one, other),
            (ResponseOp::Put(one), ResponseOp::Put(other)) => one.prev_kv == other.prev_kv,
            (ResponseOp::DeleteRange(one), ResponseOp::DeleteRange(other)) => {
                are_equal_deletes(one, other)
            }
            (ResponseOp::Txn(one), ResponseOp::Txn(other)) => are_equal_txns(one, other),
            _ => false,
        })
}

/// True if two answers say the same; of headers only the outer revision counts.
pub(super) fn are_equal(one: &Response, other: &Response) -> bool {
    if revision_of(one) != revision_of(other) {
        return false;
    }
    match (one, other) {
        (Response::Range(one), Response::Range(other)) => are_equal_ranges(one, other),
        (Response::Put(one), Response::Put(other)) => one.prev_kv == other.prev_kv,
        (Response::DeleteRange(one), Response::DeleteRange(other)) => are_equal_deletes(one, other),
        (Response::Txn(one), Response::Txn(other)) => are_equal_txns(one, other),
        // The member may give more time than was asked for.
        (Response::LeaseGrant(one), Response::LeaseGrant(other)) => one.id == other.id,
        (Response::Compaction(_), Response::Compaction(_))
        | (Response::LeaseRevoke(_), Response::LeaseRevoke(_)) => true,
        _ => false,
    }
}

/// True if the operation is of a kind that the model knows.
pub(super) const fn is_modelled(request: &Request) -> bool {
    matches!(
        request,
        Request::Range(_)
            | Request::Put(_)
            | Request::DeleteRange(_)
            | Request::Txn(_)
            | Request::Compaction(_)
            | Request::LeaseGrant(_)
            | Request::LeaseRevoke(_)
    )
}

/// Searches for an order of everything but serializable reads.
///
/// A first search trusts what answers and watches showed of each revision; if it fails, a second one does not, so
/// that a fault of a watch is not taken for one of the order.
#[must_use]
pub fn linearize(history: &History, steps_max: u64) -> Verdict {
    let ends = LeaseEnds::of(history);
    match Search::new(history, &ends, Hints::of(history)).run(steps_max) {
        Verdict::Violation(_) => Search::new(history, &ends, Hints::default()).run(steps_max),
        verdict => verdict,
    }
}

/// As [`linearize`], when it is known what happened in every revision: `model` has carried out the cluster's own log.
///
/// Then hardly any choice is left: an operation of unknown end stands where the log has its changes.
#[must_use]
pub fn linearize_as(history: &History, model: &Model, steps_max: u64) -> Verdict {
    let ends = LeaseEnds::of(history);
    Search::new(history, &ends, Hints::of_model(model, &ends.ids)).run(steps_max)
}

impl<'h> Search<'h> {
    fn new(history: &'h History, ends: &'h LeaseEnds, hints: Hints) -> Self {
        let (mut known, mut open) = (Vec::new(), Vec::new());
        for (at, operation) in (0..).zip(&history.operations) {
            let (request, invoked) = (ends.named(at, &operation.request), operation.invoked);
            if is_serializable(request) || !is_modelled(request) {
                continue;
            }
            match &operation.outcome {
                Outcome::Returned { at, result } => {
                    known.push(Known { invoked, returned: *at, request, result });
                }
                Outcome::Unknown if is_read(request) => {}
                Outcome::Unknown => open.push(Open { invoked, request }),
            }
        }
        open.extend(ends.ends.iter().map(|(invoked, request)| Open { invoked: *invoked, request }));
        known.sort_by_key(|operation| operation.invoked);
        open.sort_by_key(|operation| operation.invoked);
        let limit_of = |it: &Known<'_>| compaction_limit(it.request, it.result.as_ref().ok()?);
        let limits = (0..).zip(&known).filter_map(|(at, it)| Some((at, limit_of(it)?)));
        Self {
            limits: limits.collect(),
            known,
            open,
            hints,
            model: Model::default(),
            placed: Bits::default(),
            used: Bits::default(),
            count: 0,
            seen: BTreeSet::new(),
            steps: 0,
            best: (0, String::new()),
        }
    }

    fn run(mut self, steps_max: u64) -> Verdict {
        let all = place(self.known.len());
        let mut stack = vec![self.frame()];
        // What was only seen by watches must be explained, too.
        let newest = self.hints.newest();
        while self.count < all || self.model.revision() < newest {
            let Some(frame) = stack.last_mut() else {
                return Verdict::Violation(self.furthest());
            };
            if let Some(pick) = frame.chosen.take() {
                self.take_back(pick);
            }
            let Some(pick) = frame.candidates.get(index(frame.next)).copied() else {
                stack.pop();
                continue;
            };
            frame.next += 1;
            self.steps += 1;
            if self.steps > steps_max {
                return Verdict::Unknown(self.furthest());
            }
            let before = state(&self.model);
            if !self.try_pick(pick) {
                continue;
            }
            let after = state(&self.model);
            frame.chosen = Some(pick);
            self.narrow(frame, before, after);
            let state = (
                self.model.fingerprint(),
                self.model.compact_revision(),
                self.placed.clone(),
                self.used.clone(),
            );
            if self.seen.insert(state) {
                stack.push(self.frame());
            }
        }
        let picks: Vec<Pick> = stack.iter().filter_map(|frame| frame.chosen).collect();
        Verdict::Linearizable(Box::new(self.replay(&picks)))
    }

    /// How far it came.
    fn furthest(&self) -> String {
        let ((count, what), all) = (&self.best, self.known.len());
        format!("{count} of {all} operations have an order, then: {what}")
    }

    /// After a step that cannot be wrong the alternatives to it need no try.
    fn narrow(&self, frame: &mut Frame, before: State, after: State) {
        if !matches!(frame.chosen, Some(Pick::Known(_))) {
            return;
        }
        if before == after {
            // It changed nothing and fits here, so it need not stand later.
            frame.candidates.clear();
        } else if before.0 != after.0 {
            // Its answer names this revision; nothing else can have it, and what saw the one before stood before it
            // among the candidates. Only a compaction, or the beginning or end of a lease, may come first.
            let may_be_first = |pick: &Pick| {
                let request = self.request(*pick);
                matches!(
                    request,
                    Request::Compaction(_) | Request::LeaseGrant(_) | Request::LeaseRevoke(_)
                )
            };
            let rest = frame.candidates.split_off(index(frame.next));
            frame.candidates.extend(rest.into_iter().filter(may_be_first));
        }
    }

    fn request(&self, pick: Pick) -> &'h Request {
        static NOTHING: Request = Request::Status(crate::api::StatusRequest {});
        match pick {
            Pick::Known(at) => self.known.get(index(at)).map_or(&NOTHING, |known| known.request),
            Pick::Open(at) => self.open.get(index(at)).map_or(&NOTHING, |open| open.request),
        }
    }

    /// The operations that may come next: called before the first answer that is still to be explained.
    fn frame(&self) -> Frame {
        let mut limit = u64::MAX;
        let mut found: Vec<(Option<i64>, bool, u64, u32)> = Vec::new();
        for (at, known) in (0..).zip(&self.known) {
            if known.invoked > limit {
                break;
            }
            if !self.placed.has(at) {
                limit = limit.min(known.returned);
                let revision = known.result.as_ref().ok().and_then(revision_of);
                found.push((revision, is_read(known.request), known.returned, at));
            }
        }
        // By revision, and what makes a revision before what sees it: then the first that fits is the right one.
        found.retain(|(_, _, _, at)| {
            self.known.get(index(*at)).is_some_and(|known| known.invoked < limit)
        });
        found.sort_unstable();
        let known = found.into_iter().map(|(_, _, _, at)| Pick::Known(at));
        let open = (0..)
            .zip(&self.open)
            .take_while(|(_, open)| open.invoked < limit)
            .filter(|(at, _)| !self.used.has(*at))
            .map(|(at, _)| Pick::Open(at));
        Frame { candidates: known.chain(open).collect(), next: 0, chosen: None }
    }

    fn try_pick(&mut self, pick: Pick) -> bool {
        let does_fit = match pick {
            Pick::Known(at) => self.try_known(at),
            Pick::Open(at) => self.try_open(at),
        };
        if does_fit && self.hints.allow(&self.model) && !self.is_compacted_too_far(pick) {
            match pick {
                Pick::Known(at) => {
                    self.placed.set(at, true);
                    self.count += 1;
                }
                Pick::Open(at) => self.used.set(at, true),
            }
            return true;
        }
        self.model.undo();
        false
    }

    /// True if something that is known to have succeeded could not any more.
    ///
    /// Found here, a compaction of unknown end that is placed too early costs one step; found where the other one has
    /// its place, it would cost all orders of what lies between.
    fn is_compacted_too_far(&self, pick: Pick) -> bool {
        let compacted = self.model.compact_revision();
        self.limits.iter().any(|(at, limit)| {
            *limit < compacted && !self.placed.has(*at) && pick != Pick::Known(*at)
        })
    }

    fn try_known(&mut self, at: u32) -> bool {
        let Some(Known { request, result, .. }) = self.known.get(index(at)) else { return false };
        let (request, result) = (*request, *result);
        let got = self.model.apply(request);
        let does_fit = match (&got, result) {
            (Ok(got), Ok(expected)) => are_equal(got, expected),
            (Err(got), Err(expected)) => got == expected,
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        };
        if !does_fit && (self.count > self.best.0 || self.best.1.is_empty()) {
            let revision = self.model.revision();
            self.best = (
                self.count,
                format!(
                    "{request:?} was answered {result:?}, the model at revision {revision} says {got:?}"
                ),
            );
        }
        does_fit
    }

    /// An operation of unknown end is placed only where it changes something.
    fn try_open(&mut self, at: u32) -> bool {
        let before = state(&self.model);
        let Some(open) = self.open.get(index(at)) else { return false };
        let request = open.request;
        let is_done = self.model.apply(request).is_ok();
        is_done && before != state(&self.model)
    }

    fn take_back(&mut self, pick: Pick) {
        match pick {
            Pick::Known(at) => {
                self.placed.set(at, false);
                self.count -= 1;
            }
            Pick::Open(at) => self.used.set(at, false),
        }
        self.model.undo();
    }

    fn replay(self, picks: &[Pick]) -> Replay {
        let mut replay = Replay { steps: self.steps, ..Replay::default() };
        for pick in picks {
            let invoked = match pick {
                Pick::Known(at) => self.known.get(index(*at)).map_or(0, |known| known.invoked),
                Pick::Open(at) => self.open.get(index(*at)).map_or(0, |open| open.invoked),
            };
            let before = (replay.model.revision(), replay.model.compact_revision());
            // The search has seen this succeed, or fail as answered.
            let _ = replay.model.apply(self.request(*pick));
            if replay.model.revision() != before.0 {
                replay.invoked.insert(replay.model.revision(), invoked);
            }
            if replay.model.compact_revision() != before.1 {
                replay.compactions.push((replay.model.compact_revision(), invoked));
            }
        }
        replay.model.settle();
        replay
    }
}
