//! Which entries do anything: alarms and rights, carried out along the committed log.
//!
//! What it is: the alarms and the users as the committed entries make them, and with them the answer whether an
//! entry is let through to the store. Members at an equal index must have the same ones.
//! What it is not: the quota, which decides nothing but what a client is told; nor a second auth store: the rules of
//! users and roles are the engine's own here, and what an answer may show is judged by `rights`.
//! Invariants: users and roles have one state after each entry; turning auth on does not change the auth revision, as
//! in etcd, so states are counted on their own.

use std::collections::{BTreeMap, BTreeSet};

use super::{Invariants, StateAfter};
use crate::api::{AlarmMember, AlarmRequest, AlarmType, Error, Request, RequestOp};
use crate::auth::{AuthConfig, AuthInfo, AuthState, AuthStore};
use crate::check::Model;
use crate::etcdserver::View;
use crate::raft::Entry;
use crate::types::{LeaseId, MemberId};

/// See the module's head.
#[derive(Clone, Debug)]
pub(super) struct Admission {
    alarms: BTreeSet<AlarmMember>,
    auth: AuthStore,
    /// Every state that users and roles had, in order; never empty.
    pub(super) states: Vec<AuthState>,
    /// The state at which each member was compared last.
    checked: BTreeMap<MemberId, u32>,
}

impl Default for Admission {
    fn default() -> Self {
        let auth = AuthStore::new(AuthConfig::default());
        let states = vec![auth.state().clone()];
        Self { alarms: BTreeSet::new(), auth, states, checked: BTreeMap::new() }
    }
}

impl Admission {
    fn alarms(&self) -> Vec<AlarmMember> {
        self.alarms.iter().copied().collect()
    }

    /// The place of the newest state.
    pub(super) fn newest(&self) -> u32 {
        u32::try_from(self.states.len() - 1).unwrap_or(u32::MAX)
    }

    /// A state by its place.
    fn state(&self, at: u32) -> Option<&AuthState> {
        self.states.get(usize::try_from(at).ok()?)
    }

    fn has(&self, kind: AlarmType) -> bool {
        self.alarms.iter().any(|active| active.alarm == kind)
    }

    fn lets(&self, who: &AuthInfo, request: &Request, model: &Model) -> Result<(), Error> {
        let is_of_store = !matches!(request, Request::Alarm(_) | Request::Auth(_));
        if is_of_store && self.has(AlarmType::Corrupt) {
            return Err(Error::Corrupt);
        }
        if self.has(AlarmType::NoSpace) && takes_space(request) {
            return Err(Error::NoSpace);
        }
        let keys = |id: LeaseId| model.keys_of(id);
        match request {
            Request::Put(put) => self.auth.check_put(who, put, &keys),
            Request::DeleteRange(delete) => self.auth.check_delete_range(who, delete),
            Request::Txn(txn) => self.auth.check_txn(who, txn, &keys),
            Request::LeaseGrant(_) => self.auth.require_user(who),
            Request::LeaseRevoke(revoke) => {
                self.auth.require_user(who)?;
                self.auth.check_lease_revoke(who, revoke.id, &keys)
            }
            Request::Auth(request) => self.auth.check_auth(who, request),
            _ => Ok(()),
        }
    }

    fn carry_out(&mut self, request: &Request, model: &mut Model) {
        match request {
            Request::Alarm(AlarmRequest::Activate(alarm)) => {
                self.alarms.insert(*alarm);
            }
            Request::Alarm(AlarmRequest::Disarm(alarm)) => {
                self.alarms.remove(alarm);
            }
            Request::Alarm(AlarmRequest::List) => {}
            Request::Auth(request) => {
                // What a member would refuse changes nothing here either.
                let _ = self.auth.apply(request);
                if self.states.last() != Some(self.auth.state()) {
                    self.states.push(self.auth.state().clone());
                }
            }
            request => {
                let _ = model.apply(request);
                model.settle();
            }
        }
    }
}

/// True if a full disk forbids it: puts, in transactions too but for nested ones, and leases.
fn takes_space(request: &Request) -> bool {
    match request {
        Request::Put(_) | Request::LeaseGrant(_) => true,
        Request::Txn(txn) => {
            let is_put = |op: &RequestOp| matches!(op, RequestOp::Put(_));
            txn.success.iter().chain(&txn.failure).any(is_put)
        }
        _ => false,
    }
}

impl Invariants {
    /// The alarms as the committed entries make them.
    #[must_use]
    pub fn alarms(&self) -> Vec<AlarmMember> {
        self.admission.alarms()
    }

    /// Whether auth is on, as the committed entries say.
    #[must_use]
    pub const fn is_auth_enabled(&self) -> bool {
        self.admission.auth.is_enabled()
    }

    /// Carries out a newly committed entry on the model; gives what a member must be afterwards.
    pub(super) fn apply(&mut self, entry: &Entry) -> StateAfter {
        let leases_before = self.model.lease_changes().len();
        if let Some((who, request)) = View::request_of(entry)
            && self.admission.lets(&who, &request, &self.model).is_ok()
        {
            self.admission.carry_out(&request, &mut self.model);
        }
        if let Some(change) = self.model.lease_changes().get(leases_before).copied() {
            self.note_lease_change(entry.index, change);
        }
        StateAfter {
            store: (self.model.revision(), self.model.compact_revision()),
            alarms: self.admission.alarms(),
            auth: self.admission.newest(),
            leases: super::lease_rules::model_hash(&self.model),
        }
    }

    /// 4: alarms and users are what the log makes them.
    pub(super) fn look_at_admission(&mut self, id: MemberId, view: &View<'_>, after: &StateAfter) {
        let alarms = view.alarms();
        self.hold(4, alarms == after.alarms, || {
            format!("{id:x} has the alarms {alarms:?}, expected {:?}", after.alarms)
        });
        // Equal states are compared once for each member, and whenever the revision is another one.
        let state = view.auth_state();
        let is_new = self.admission.checked.insert(id, after.auth) != Some(after.auth);
        let expected = self.admission.state(after.auth);
        let revision = expected.map_or(0, AuthState::revision);
        let is_equal = if is_new { expected == Some(state) } else { revision == state.revision() };
        self.hold(4, is_equal, || {
            format!("{id:x} has other users than the log at auth revision {revision}: {state:?}")
        });
    }
}
