//! A verdict that follows a history while it grows.
//!
//! What it is: [`Live`], which is told of calls, answers and watch messages as they pass, and rules on each operation
//! as soon as the store's state at the revision of its answer is known.
//! What it is not: a search. Every answer about keys names its revision, and revisions are the order: a history is
//! linearizable exactly if each answer is what the store had to say at its revision, no revision was made twice, and
//! no operation stands before one that had returned when it was called. `linearize` finds the same by trying; the
//! tests hold one against the other.
//! Invariants: an operation costs a bounded number of steps; what is kept is bounded; "violation" is said only where
//! everything it needs is known; what was not compared is never counted as if it were.
//!
//! Where the store's state is not known (the history begins in the middle, was dropped, or nobody saw who made a
//! revision), a linearizable read of everything is taken for it, and what came before is held against the order only.

mod claims;
mod store;

use std::collections::{BTreeMap, VecDeque};

use super::history::is_ambiguous;
use super::linear::{is_modelled, is_serializable, revision_of};
use crate::api::{Error, Event, Request, RequestOp, Response, ResponseOp, TxnResponse};
use claims::Claims;
use store::{Look, Store};

/// Operations without an answer that are remembered. Unit: operations. Source: ours.
const OPEN_MAX: usize = 512;
/// Answered operations that may wait for their revision. Unit: operations. Source: ours.
const WAITING_MAX: usize = 4_096;
/// Rulings that nobody has taken. Unit: rulings.
const RULINGS_MAX: usize = 8_192;

/// Which operation; whoever tells the history numbers them.
pub type OperationId = u64;

/// What is said of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It was answered, and the state at its revision is not known yet.
    Waiting {
        /// The revision.
        revision: i64,
    },
    /// It took effect between call and answer, and the store had to say this.
    Fits {
        /// At this revision.
        revision: i64,
    },
    /// Its place in the order is right; what it says was not compared.
    Ordered {
        /// At this revision.
        revision: i64,
    },
    /// A serializable read of what was newest.
    Current {
        /// At this revision.
        revision: i64,
    },
    /// A serializable read of something older, which is allowed.
    Stale {
        /// What it shows.
        revision: i64,
        /// What was known to be newest when it was called.
        newest: i64,
    },
    /// It was refused, or never sent: it changed nothing.
    Refused,
    /// It says nothing of the keys.
    Aside,
    /// Nobody knows whether it happened.
    Unknown {
        /// The revision that shows that it did.
        seen: Option<i64>,
    },
    /// There is no place for it in any order.
    Violation(Breach),
}

/// Why there is no order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// It names an older revision than one that was there before its call.
    Order {
        /// The revision of its answer.
        revision: i64,
        /// The revision that it had to reach, or, with a write, to exceed.
        floor: i64,
        /// Who had shown that one; nothing: a watch.
        by: Option<OperationId>,
        /// It wrote.
        is_write: bool,
    },
    /// The store had to say something else.
    Answer {
        /// The revision of its answer.
        revision: i64,
        /// What it had to say.
        expected: Box<Result<Response, Error>>,
    },
    /// Two operations say that they made this revision.
    Twice {
        /// Which revision.
        revision: i64,
        /// The other operation.
        other: OperationId,
    },
    /// A watch saw something else in this revision than what was written.
    Watch {
        /// Which revision.
        revision: i64,
    },
}

/// How it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Operations whose answers were compared with the store.
    pub compared: u64,
    /// Operations of which only the place in the order was.
    pub ordered: u64,
    /// Serializable reads that were compared.
    pub serializable: u64,
    /// Of them, those that were older than what was known.
    pub stale: u64,
    /// Operations that were refused.
    pub refused: u64,
    /// Operations of unknown outcome.
    pub unknown: u64,
    /// Of them, those of which a later revision shows that they happened.
    pub shown: u64,
    /// Answered operations that wait for the state at their revision.
    pub waiting: u64,
    /// Revisions that nobody here made: a lease that ended, or somebody else.
    pub unclaimed: u64,
    /// The first revision of which the state is known; nothing: of none.
    pub from: Option<i64>,
    /// There is an operation without a place, or a watch saw something else.
    pub is_broken: bool,
}

/// A call without an answer.
#[derive(Clone, Debug)]
struct Open {
    request: Request,
    /// The newest revision that an operation of the order had shown before the call, and which one.
    floor: (i64, Option<OperationId>),
    /// The newest that anything had shown.
    newest: (i64, Option<OperationId>),
    /// Nobody will answer.
    is_lost: bool,
}

/// An answered operation that waits for its revision.
#[derive(Clone, Debug)]
struct Answered {
    id: OperationId,
    request: Request,
    response: Response,
    newest: i64,
}

/// See the module's head.
#[derive(Debug)]
pub struct Live {
    open: BTreeMap<OperationId, Open>,
    /// Writes that wait, by the revision that they made.
    writes: BTreeMap<i64, Answered>,
    /// Reads that wait.
    reads: BTreeMap<(i64, OperationId), Answered>,
    floor: (i64, Option<OperationId>),
    newest: (i64, Option<OperationId>),
    store: Store,
    claims: Claims,
    /// A read of everything may begin anew.
    takes_base: bool,
    standing: Standing,
    rulings: VecDeque<(Option<OperationId>, Ruling)>,
}

/// What an answer says of who made its revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Write,
    Read,
    /// It may have made it or not: only the order counts.
    Either,
}

fn wrote(response: &TxnResponse) -> bool {
    response.responses.iter().any(|response| match response {
        ResponseOp::Put(_) => true,
        ResponseOp::DeleteRange(delete) => delete.deleted > 0,
        ResponseOp::Txn(nested) => wrote(nested),
        ResponseOp::Range(_) => false,
    })
}

fn role(response: &Response) -> Option<Role> {
    match response {
        Response::Put(_) => Some(Role::Write),
        Response::DeleteRange(delete) if delete.deleted > 0 => Some(Role::Write),
        Response::Txn(txn) if wrote(txn) => Some(Role::Write),
        Response::Range(_) | Response::DeleteRange(_) | Response::Txn(_) => Some(Role::Read),
        Response::LeaseRevoke(_) | Response::LeaseGrant(_) | Response::Compaction(_) => {
            Some(Role::Either)
        }
        _ => None,
    }
}

/// True if the request may change keys.
fn may_write(request: &Request) -> bool {
    fn writes(ops: &[RequestOp]) -> bool {
        ops.iter().any(|op| match op {
            RequestOp::Range(_) => false,
            RequestOp::Txn(nested) => writes(&nested.success) || writes(&nested.failure),
            RequestOp::Put(_) | RequestOp::DeleteRange(_) => true,
        })
    }
    match request {
        Request::Put(_) | Request::DeleteRange(_) | Request::LeaseRevoke(_) => true,
        Request::Txn(txn) => writes(&txn.success) || writes(&txn.failure),
        _ => false,
    }
}

impl Live {
    /// Of a store in which nothing has happened yet, or of one that nobody here knows.
    #[must_use]
    pub fn new(is_empty: bool) -> Self {
        let store = if is_empty { Store::empty() } else { Store::unknown() };
        Self {
            open: BTreeMap::new(),
            writes: BTreeMap::new(),
            reads: BTreeMap::new(),
            floor: (1, None),
            newest: (1, None),
            store,
            claims: Claims::default(),
            takes_base: !is_empty,
            standing: Standing::default(),
            rulings: VecDeque::new(),
        }
    }

    /// How it stands.
    #[must_use]
    pub fn standing(&self) -> Standing {
        let waiting = u64::try_from(self.writes.len() + self.reads.len()).unwrap_or(u64::MAX);
        let (from, unclaimed) = (self.store.from(), self.claims.free_count());
        Standing { waiting, from, unclaimed, ..self.standing }
    }

    /// What is new since this was last asked; without an operation: what a watch saw.
    pub fn take_rulings(&mut self) -> Vec<(Option<OperationId>, Ruling)> {
        self.rulings.drain(..).collect()
    }

    /// The state cannot be concluded any more: the next linearizable read of everything is taken for it.
    pub const fn accept_base(&mut self) {
        self.takes_base = true;
    }

    /// A linearizable read of everything would help.
    #[must_use]
    pub const fn wants_base(&self) -> bool {
        self.takes_base
    }

    /// A part of the history was not told.
    pub fn forget(&mut self) {
        self.open.clear();
        self.store = Store::unknown();
        self.claims = Claims::default();
        self.takes_base = true;
        self.give_up(i64::MAX);
    }

    fn rule(&mut self, id: OperationId, ruling: Ruling) {
        let standing = &mut self.standing;
        match &ruling {
            Ruling::Fits { .. } => standing.compared += 1,
            Ruling::Ordered { .. } => standing.ordered += 1,
            Ruling::Current { .. } => standing.serializable += 1,
            Ruling::Stale { .. } => {
                standing.serializable += 1;
                standing.stale += 1;
            }
            Ruling::Refused => standing.refused += 1,
            Ruling::Violation(_) => standing.is_broken = true,
            Ruling::Waiting { .. } | Ruling::Aside | Ruling::Unknown { .. } => {}
        }
        self.push(Some(id), ruling);
    }

    fn push(&mut self, id: Option<OperationId>, ruling: Ruling) {
        if self.rulings.len() == RULINGS_MAX {
            self.rulings.pop_front();
        }
        self.rulings.push_back((id, ruling));
    }

    /// An operation is called.
    pub fn called(&mut self, id: OperationId, request: Request) {
        if self.standing.is_broken {
            return;
        }
        if !is_modelled(&request) {
            self.rule(id, Ruling::Aside);
            return;
        }
        let open = Open { request, floor: self.floor, newest: self.newest, is_lost: false };
        self.open.insert(id, open);
        // A lost one that is forgotten can be shown by nothing any more.
        if self.open.len() > OPEN_MAX {
            self.open.pop_first();
        }
    }

    /// It never reached a member.
    pub fn unsent(&mut self, id: OperationId) {
        if self.open.remove(&id).is_some() {
            self.claims.release(id);
            self.rule(id, Ruling::Refused);
        }
    }

    /// Nobody will answer it.
    pub fn lost(&mut self, id: OperationId) {
        let Some(open) = self.open.get_mut(&id) else { return };
        if open.is_lost {
            return;
        }
        if !may_write(&open.request) {
            self.open.remove(&id);
            self.rule(id, Ruling::Unknown { seen: None });
            return;
        }
        open.is_lost = true;
        self.standing.unknown += 1;
        let seen = self.claims.of(id);
        self.standing.shown += u64::from(seen.is_some());
        self.push(Some(id), Ruling::Unknown { seen });
        self.attribute();
    }

    /// It was answered.
    pub fn answered(&mut self, id: OperationId, result: Result<Response, Error>) {
        match result {
            Err(error) if is_ambiguous(error) => self.lost(id),
            Err(_) => self.unsent(id),
            Ok(_) if self.standing.is_broken => {}
            Ok(response) => {
                let Some(open) = self.open.remove(&id) else { return };
                if open.is_lost {
                    self.standing.unknown -= 1;
                    self.standing.shown -= u64::from(self.claims.of(id).is_some());
                }
                self.place(id, open, response);
                self.advance();
            }
        }
    }

    /// Its answer was too large to be told: only the revision is known.
    pub fn answered_at(&mut self, id: OperationId, revision: i64) {
        let Some(open) = self.open.remove(&id) else { return };
        let is_in_order = !is_serializable(&open.request);
        let (floor, by) = open.floor;
        if is_in_order && revision < floor {
            let breach = Breach::Order { revision, floor, by, is_write: false };
            self.rule(id, Ruling::Violation(breach));
            return;
        }
        self.show(id, revision, is_in_order);
        self.rule(id, Ruling::Ordered { revision });
    }

    fn show(&mut self, id: OperationId, revision: i64, is_in_order: bool) {
        if is_in_order && revision > self.floor.0 {
            self.floor = (revision, Some(id));
        }
        if revision > self.newest.0 {
            self.newest = (revision, Some(id));
        }
    }

    fn place(&mut self, id: OperationId, open: Open, response: Response) {
        let (Some(revision), Some(role)) = (revision_of(&response), role(&response)) else {
            self.rule(id, Ruling::Aside);
            return;
        };
        let is_in_order = !is_serializable(&open.request);
        let is_write = role == Role::Write;
        let (floor, by) = if is_write { open.newest } else { open.floor };
        let is_late = if is_write { revision <= floor } else { is_in_order && revision < floor };
        if is_late {
            let breach = Breach::Order { revision, floor, by, is_write };
            self.rule(id, Ruling::Violation(breach));
            return;
        }
        if is_write {
            let (other, wrongly) = self.claims.answered(revision, id);
            if let Some(other) = other {
                self.rule(id, Ruling::Violation(Breach::Twice { revision, other }));
                return;
            }
            let is_lost = |id: &OperationId| self.open.get(id).is_some_and(|open| open.is_lost);
            if let Some(wrongly) = wrongly.filter(is_lost) {
                self.standing.shown -= 1;
                self.push(Some(wrongly), Ruling::Unknown { seen: None });
            }
            self.attribute();
        } else {
            self.claims.release(id);
        }
        self.show(id, revision, is_in_order);
        if role == Role::Either {
            self.claims.excuse(revision);
            self.rule(id, Ruling::Ordered { revision });
            return;
        }
        let answered = Answered { id, request: open.request, response, newest: open.newest.0 };
        if self.takes_base && self.store.begins_with(&answered.request, &answered.response) {
            self.takes_base = false;
            self.give_up(revision);
            // It is what the others are compared with.
            self.rule(id, Ruling::Ordered { revision });
            return;
        }
        self.push(Some(id), Ruling::Waiting { revision });
        if is_write {
            self.writes.insert(revision, answered);
        } else {
            self.reads.insert((revision, id), answered);
        }
        if self.writes.len() + self.reads.len() > WAITING_MAX {
            self.accept_base();
            self.give_up(i64::MAX);
        }
    }

    /// Who waits for a revision up to this one is held against the order only.
    fn give_up(&mut self, revision: i64) {
        let late = |at: i64| at <= revision;
        let mut ordered = Vec::new();
        self.writes.retain(|at, it| {
            if late(*at) {
                ordered.push((it.id, *at));
            }
            !late(*at)
        });
        // What is read at the very revision that is known now can be compared.
        self.reads.retain(|(at, id), _| {
            let is_late = late(*at) && *at != revision;
            if is_late {
                ordered.push((*id, *at));
            }
            !is_late
        });
        for (id, revision) in ordered {
            self.rule(id, Ruling::Ordered { revision });
        }
    }

    /// A watch told events; of everything, or of something.
    pub fn saw(&mut self, events: &[Event], is_everything: bool) {
        let mut rest = events;
        while !self.standing.is_broken
            && let Some(first) = rest.first()
        {
            let revision = first.kv.mod_revision;
            let count = rest.iter().take_while(|it| it.kv.mod_revision == revision).count();
            let (these, after) = rest.split_at(count);
            rest = after;
            if revision > self.newest.0 {
                self.newest = (revision, None);
            }
            if self.store.contradicts(revision, these, is_everything) {
                self.standing.is_broken = true;
                self.push(None, Ruling::Violation(Breach::Watch { revision }));
            } else if is_everything {
                self.store.expect(revision, these);
            }
        }
        self.advance();
    }

    /// Goes on to what is known by now.
    fn advance(&mut self) {
        loop {
            self.rule_reads();
            let Some(next) = self.store.next() else { return };
            if self.standing.is_broken {
                return;
            }
            if let Some(write) = self.writes.remove(&next) {
                let look = self.store.write(&write.request, &write.response);
                self.rule_on(&write, look);
            } else if self.store.happens() {
                self.claims.unclaimed(next);
                self.attribute();
            } else {
                break;
            }
            self.store.tidy();
            self.claims.tidy(self.store.first());
        }
        // Writes whose revision a watch told first.
        while let Some((revision, write)) = self.writes.pop_first() {
            if !self.store.has(revision) {
                self.writes.insert(revision, write);
                return;
            }
            let look = self.store.write_before(revision, &write.request, &write.response);
            self.rule_on(&write, look);
        }
    }

    fn rule_reads(&mut self) {
        while let Some((key, read)) = self.reads.pop_first() {
            if self.standing.is_broken || !self.store.has(key.0) {
                self.reads.insert(key, read);
                return;
            }
            let look = self.store.read(key.0, &read.request, &read.response);
            self.rule_on(&read, look);
        }
    }

    fn rule_on(&mut self, answered: &Answered, look: Look) {
        let revision = revision_of(&answered.response).unwrap_or_default();
        let ruling = match look {
            Look::Same if is_serializable(&answered.request) => {
                if revision < answered.newest {
                    Ruling::Stale { revision, newest: answered.newest }
                } else {
                    Ruling::Current { revision }
                }
            }
            Look::Same => Ruling::Fits { revision },
            Look::Unknown => Ruling::Ordered { revision },
            Look::Other(expected) => Ruling::Violation(Breach::Answer { revision, expected }),
            Look::Seen => Ruling::Violation(Breach::Watch { revision }),
        };
        self.rule(answered.id, ruling);
    }

    /// Gives revisions that nobody claims to operations without an answer that would have made them.
    fn attribute(&mut self) {
        if self.claims.free().next().is_none() {
            return;
        }
        let open: Vec<(OperationId, i64)> = self
            .open
            .iter()
            .filter(|(id, open)| may_write(&open.request) && self.claims.of(**id).is_none())
            .map(|(id, open)| (*id, open.newest.0))
            .collect();
        for (id, newest) in open {
            let Some(open) = self.open.get(&id) else { continue };
            let found = self.claims.free().find(|revision| {
                *revision > newest && self.store.would_make(*revision, &open.request)
            });
            if let Some(revision) = found {
                let is_lost = open.is_lost;
                self.claims.shown(revision, id);
                if is_lost {
                    self.standing.shown += 1;
                    self.push(Some(id), Ruling::Unknown { seen: Some(revision) });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
