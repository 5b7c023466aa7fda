//! Invariant 30: nobody is answered beyond his rights, and nobody is refused within them.
//!
//! What it is: each answer to a request about keys, held against the users and roles that were in force between the
//! question and the answer, by a rule of its own: a range is allowed if the permissions cover it without a gap.
//! What it is not: the engine's rules (see `auth`); only the states of users and roles are taken from there.
//! Invariants: a serializable read may be answered by a member that has not heard of the newest rights; nothing else.

use std::cell::Cell;

use bytes::Bytes;

use super::Invariants;
use crate::api::{
    Error, Permission, PermissionType, PutRequest, Request, RequestOp, Response, TxnRequest,
};
use crate::auth::{AuthState, ROOT_ROLE};
use crate::check::is_serializable;
use crate::types::LeaseId;

/// Where a range ends: before a key, or never.
type End = Option<Bytes>;

/// First key and end of what `key` and `range_end` mean; `None` if that is nothing.
fn interval(key: &Bytes, range_end: &Bytes) -> Option<(Bytes, End)> {
    match range_end.as_ref() {
        [] => Some((key.clone(), Some([key, [0].as_slice()].concat().into()))),
        [0] => Some((key.clone(), None)),
        end if end > key.as_ref() => Some((key.clone(), Some(range_end.clone()))),
        _ => None,
    }
}

/// Whether permissions of this kind cover everything from `key` on.
fn covers(permissions: &[&Permission], wanted: PermissionType, key: &Bytes, end: &Bytes) -> bool {
    let Some((mut from, to)) = interval(key, end) else { return true };
    let mut granted: Vec<(Bytes, End)> = permissions
        .iter()
        .filter(|have| have.perm_type == wanted || have.perm_type == PermissionType::ReadWrite)
        .filter_map(|have| interval(&have.key, &have.range_end))
        .collect();
    granted.sort();
    for (first, last) in granted {
        if first > from {
            return false;
        }
        match (last, &to) {
            (None, _) => return true,
            (Some(last), Some(to)) if last >= *to => return true,
            (Some(last), _) => from = from.max(last),
        }
    }
    false
}

/// Whether the user may do that, leases apart; `None` if the request is not about keys: not about any, as an empty
/// transaction, or about an empty range, for which the documentation has no rule.
fn may(state: &AuthState, user: Option<&str>, request: &Request) -> Option<bool> {
    let user = user.and_then(|name| state.users().get(name));
    let roles = user.map(|user| user.roles.as_slice()).unwrap_or_default();
    let is_root = roles.iter().any(|role| role == ROOT_ROLE);
    let permissions: Vec<&Permission> = roles
        .iter()
        .filter_map(|role| state.roles().get(role))
        .flat_map(|role| &role.key_permission)
        .collect();
    let (is_about_nothing, is_about_keys) = (Cell::new(false), Cell::new(false));
    let can = |wanted, key: &Bytes, end: &Bytes| {
        is_about_keys.set(true);
        is_about_nothing.set(is_about_nothing.get() || interval(key, end).is_none());
        covers(&permissions, wanted, key, end)
    };
    let allowed = match request {
        Request::Range(range) => can(PermissionType::Read, &range.key, &range.range_end),
        Request::Put(put) => may_put(&can, put),
        Request::DeleteRange(delete) => {
            can(PermissionType::Write, &delete.key, &delete.range_end)
                && (!delete.prev_kv || can(PermissionType::Read, &delete.key, &delete.range_end))
        }
        Request::Txn(txn) => may_txn(&can, txn),
        _ => return None,
    };
    let is_allowed = !state.is_enabled() || is_root || (user.is_some() && allowed);
    (is_about_keys.get() && !is_about_nothing.get()).then_some(is_allowed)
}

type Can<'c> = dyn Fn(PermissionType, &Bytes, &Bytes) -> bool + 'c;

fn may_put(can: &Can<'_>, put: &PutRequest) -> bool {
    let nothing = Bytes::new();
    can(PermissionType::Write, &put.key, &nothing)
        && (!put.prev_kv || can(PermissionType::Read, &put.key, &nothing))
}

fn may_txn(can: &Can<'_>, txn: &TxnRequest) -> bool {
    let compares = txn.compare.iter();
    let mut ops = txn.success.iter().chain(&txn.failure);
    compares.into_iter().all(|compare| can(PermissionType::Read, &compare.key, &compare.range_end))
        && ops.all(|op| match op {
            RequestOp::Range(range) => can(PermissionType::Read, &range.key, &range.range_end),
            RequestOp::Put(put) => may_put(can, put),
            RequestOp::DeleteRange(delete) => {
                can(PermissionType::Write, &delete.key, &delete.range_end)
                    && (!delete.prev_kv
                        || can(PermissionType::Read, &delete.key, &delete.range_end))
            }
            RequestOp::Txn(nested) => may_txn(can, nested),
        })
}

/// True if a put names a lease: then the keys of the lease count as well.
fn has_lease(request: &Request) -> bool {
    fn of_txn(txn: &TxnRequest) -> bool {
        txn.success.iter().chain(&txn.failure).any(|op| match op {
            RequestOp::Put(put) => put.lease != LeaseId(0),
            RequestOp::Txn(nested) => of_txn(nested),
            RequestOp::Range(_) | RequestOp::DeleteRange(_) => false,
        })
    }
    match request {
        Request::Put(put) => put.lease != LeaseId(0),
        Request::Txn(txn) => of_txn(txn),
        _ => false,
    }
}

impl Invariants {
    /// Which state of users and roles every answer to a request of now has seen, but for serializable ones.
    #[must_use]
    pub fn newest_rights(&self) -> u32 {
        self.admission.newest()
    }

    /// 30: an answer to `user`, to a request that was sent when the rights were those of `since`.
    pub fn judge_answer(
        &mut self,
        user: Option<&str>,
        since: u32,
        request: &Request,
        result: &Result<Response, Error>,
    ) {
        let is_told = match result {
            Ok(_) => true,
            Err(Error::PermissionDenied) if !has_lease(request) => false,
            Err(_) => return,
        };
        let since = if is_serializable(request) { 0 } else { since };
        let states = self.admission.states.iter();
        // What some state has no rule for is not judged: by a state of later it may well be forbidden.
        let possible: Option<Vec<bool>> = states
            .skip(usize::try_from(since).unwrap_or(usize::MAX))
            .map(|state| may(state, user, request))
            .collect();
        let Some(possible) = possible.filter(|possible| !possible.is_empty()) else { return };
        let is_right = possible.contains(&is_told);
        self.hold(30, is_right, || {
            format!("{user:?} asked for {request:?} with rights {since} and got {result:?}")
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permission(perm_type: PermissionType, key: &str, end: &str) -> Permission {
        let bytes = |text: &str| Bytes::copy_from_slice(text.as_bytes());
        Permission { perm_type, key: bytes(key), range_end: bytes(end) }
    }

    /// Found by seed 7002035: etcd answers nobody's empty transaction, too.
    #[test]
    fn a_transaction_without_keys_is_nobodys_right_and_nobodys_wrong() {
        let state = AuthState::default();
        let nested = RequestOp::Txn(TxnRequest::default());
        let empty = TxnRequest { failure: vec![nested], ..TxnRequest::default() };
        assert_eq!(may(&state, None, &Request::Txn(empty.clone())), None);
        let put = RequestOp::Put(PutRequest { key: Bytes::from("k"), ..PutRequest::default() });
        let full = TxnRequest { success: vec![put], ..empty };
        assert_eq!(may(&state, None, &Request::Txn(full)), Some(true), "auth is off");
    }

    #[test]
    fn permissions_that_meet_cover_a_range_and_those_with_a_gap_do_not() {
        let (read, write) = (PermissionType::Read, PermissionType::Write);
        let both = PermissionType::ReadWrite;
        let have =
            [permission(read, "a", "c"), permission(both, "c", "e"), permission(write, "f", "")];
        let have: Vec<&Permission> = have.iter().collect();
        let check = |wanted, key: &str, end: &str| {
            covers(&have, wanted, &Bytes::from(key.to_owned()), &Bytes::from(end.to_owned()))
        };
        assert!(check(read, "a", "e") && check(read, "b", "") && check(write, "c", "e"));
        assert!(!check(read, "a", "f") && !check(write, "b", "d") && !check(read, "f", ""));
        assert!(check(write, "f", "") && !check(write, "f", "g") && !check(read, "d", "\0"));
    }
}
