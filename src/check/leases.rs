//! What a history says of leases beyond its operations.
//!
//! What it is: the end that every lease may come to by itself, as a revocation that nobody asked for; and grants
//! under the id that the member chose.
//! What it is not: a clock; when a lease may end is for others to judge.
//! Invariants: each grant that may have happened has one end of its own, at any time after the grant was called.

use std::collections::{BTreeMap, BTreeSet};

use super::history::{History, Operation, Outcome};
use crate::api::{LeaseGrantRequest, LeaseRevokeRequest, Request, Response};
use crate::types::LeaseId;

/// An id that no lease has: members draw positive ones, and clients small ones.
const NEVER_GRANTED: LeaseId = LeaseId(i64::MIN);

/// See the module's head.
#[derive(Debug, Default)]
pub(super) struct LeaseEnds {
    /// The moment from which a lease may end, and its revocation.
    pub(super) ends: Vec<(u64, Request)>,
    /// Grants that left the id to the member, by their place in the history, with the id that it chose.
    named: BTreeMap<u64, Request>,
    /// The leases that any client can name.
    pub(super) ids: BTreeSet<LeaseId>,
}

impl LeaseEnds {
    pub(super) fn of(history: &History) -> Self {
        let mut found = Self::default();
        for (at, operation) in (0..).zip(&history.operations) {
            found.add(at, operation);
        }
        found
    }

    fn add(&mut self, at: u64, operation: &Operation) {
        let Request::LeaseGrant(grant) = &operation.request else { return };
        let id = match &operation.outcome {
            Outcome::Returned { result: Ok(Response::LeaseGrant(granted)), .. } => granted.id,
            Outcome::Returned { .. } => {
                // Refused under whatever id it was to get.
                if grant.id == LeaseId(0) {
                    self.name(at, grant, NEVER_GRANTED);
                }
                return;
            }
            Outcome::Unknown => grant.id,
        };
        if id == LeaseId(0) {
            // Nobody knows its name, so nobody can tell whether it is there.
            return;
        }
        if grant.id == LeaseId(0) {
            self.name(at, grant, id);
        }
        self.ids.insert(id);
        self.ends.push((operation.invoked, Request::LeaseRevoke(LeaseRevokeRequest { id })));
    }

    fn name(&mut self, at: u64, grant: &LeaseGrantRequest, id: LeaseId) {
        let grant = LeaseGrantRequest { id, ..grant.clone() };
        self.named.insert(at, Request::LeaseGrant(grant));
    }

    /// The request at this place of the history, with the id that was chosen.
    pub(super) fn named<'h>(&'h self, at: u64, request: &'h Request) -> &'h Request {
        self.named.get(&at).unwrap_or(request)
    }
}
