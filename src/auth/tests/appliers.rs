//! The tables of etcd's auth applier: which right each kind of request asks for.

use super::*;
use crate::api::{
    Compare, CompareResult, CompareTarget, DeleteRangeRequest, PutRequest, RangeRequest, RequestOp,
    TxnRequest, WatchCreateRequest,
};
use crate::types::LeaseId;

/// Lease 1 has a key that "writer" may write, lease 2 one that it may not.
fn lease_keys(lease: LeaseId) -> Vec<Bytes> {
    match lease.0 {
        1 => vec![bytes("w"), bytes("rw")],
        2 => vec![bytes("w"), bytes("other")],
        _ => Vec::new(),
    }
}

/// The user "user" may read r, write w, and both with rw and [x, z).
fn store_with_rights() -> (AuthStore, AuthInfo) {
    let mut store = store();
    for request in [
        role_add("role"),
        grant("role", READ, "r", ""),
        grant("role", WRITE, "w", ""),
        grant("role", READ_WRITE, "rw", ""),
        grant("role", READ_WRITE, "x", "z"),
        user_add_without_password("user"),
        grant_role("user", "role"),
    ] {
        ok(&mut store, request);
    }
    let who = as_user(&store, "user");
    (store, who)
}

fn range(key: &str, range_end: &str) -> RangeRequest {
    RangeRequest { key: bytes(key), range_end: bytes(range_end), ..Default::default() }
}

fn put(key: &str, lease: i64, prev_kv: bool) -> PutRequest {
    PutRequest { key: bytes(key), lease: LeaseId(lease), prev_kv, ..Default::default() }
}

fn delete(key: &str, range_end: &str, prev_kv: bool) -> DeleteRangeRequest {
    DeleteRangeRequest { key: bytes(key), range_end: bytes(range_end), prev_kv }
}

fn compare(key: &str, range_end: &str) -> Compare {
    Compare {
        result: CompareResult::Equal,
        target: CompareTarget::Version(0),
        key: bytes(key),
        range_end: bytes(range_end),
    }
}

fn allowed(is_allowed: bool) -> Result<(), Error> {
    if is_allowed { Ok(()) } else { Err(Error::PermissionDenied) }
}

const PUTS: [(&str, i64, bool, bool); 10] = [
    ("w", 0, false, true),
    ("r", 0, false, false),
    ("rw", 0, false, true),
    ("w", 0, true, false),
    ("rw", 0, true, true),
    ("other", 0, false, false),
    ("w", 1, false, true),
    ("w", 2, false, false),
    ("w", 404, false, true),
    ("rw", 2, true, false),
];

const DELETES: [(&str, &str, bool, bool); 8] = [
    ("w", "", false, true),
    ("w", "", true, false),
    ("r", "", false, false),
    ("rw", "", true, true),
    ("x", "z", false, true),
    ("x", "z", true, true),
    ("x", "z0", false, false),
    ("x", "\0", false, false),
];

const RANGES: [(&str, &str, bool); 7] = [
    ("r", "", true),
    ("w", "", false),
    ("rw", "", true),
    ("x", "z", true),
    ("y", "z", true),
    ("w", "z", false),
    ("x", "\0", false),
];

#[test]
fn a_put_needs_write_and_read_for_prev_kv_and_write_on_all_keys_of_its_lease() {
    let (store, who) = store_with_rights();
    for (key, lease, prev_kv, expected) in PUTS {
        let result = store.check_put(&who, &put(key, lease, prev_kv), &lease_keys);
        assert_eq!(result, allowed(expected), "{key} {lease} {prev_kv}");
    }
}

#[test]
fn a_range_needs_read_on_all_of_it() {
    let (store, who) = store_with_rights();
    for (key, range_end, expected) in RANGES {
        let result = store.check_range(&who, &range(key, range_end));
        assert_eq!(result, allowed(expected), "{key} {range_end:?}");
    }
}

#[test]
fn a_delete_needs_write_on_all_of_it_and_read_for_prev_kv() {
    let (store, who) = store_with_rights();
    for (key, range_end, prev_kv, expected) in DELETES {
        let result = store.check_delete_range(&who, &delete(key, range_end, prev_kv));
        assert_eq!(result, allowed(expected), "{key} {range_end:?} {prev_kv}");
    }
}

#[test]
fn a_watch_needs_read_on_all_of_it_an_open_end_too() {
    let (store, who) = store_with_rights();
    let watch = |key: &str, range_end: &str| WatchCreateRequest {
        key: bytes(key),
        range_end: bytes(range_end),
        ..Default::default()
    };
    for (key, range_end, expected) in RANGES {
        let result = store.check_watch(&who, &watch(key, range_end));
        assert_eq!(result, allowed(expected), "{key} {range_end:?}");
    }
    let nobody = AuthInfo::default();
    assert_eq!(store.check_watch(&nobody, &watch("r", "")), Err(Error::UserEmpty));
    // An empty key is the smallest key.
    let mut store = store;
    ok(&mut store, grant("role", READ, "\0", ""));
    let who = as_user(&store, "user");
    assert_eq!(store.check_watch(&who, &watch("", "")), Ok(()));
    assert_eq!(store.check_watch(&who, &watch("", "\0")), Err(Error::PermissionDenied));
}

/// Every operation of the tables with whether it is allowed.
fn operations() -> Vec<(RequestOp, bool)> {
    let mut operations = Vec::new();
    for (key, lease, prev_kv, expected) in PUTS {
        operations.push((RequestOp::Put(put(key, lease, prev_kv)), expected));
    }
    for (key, range_end, prev_kv, expected) in DELETES {
        operations.push((RequestOp::DeleteRange(delete(key, range_end, prev_kv)), expected));
    }
    for (key, range_end, expected) in RANGES {
        operations.push((RequestOp::Range(range(key, range_end)), expected));
    }
    operations
}

#[test]
fn a_transaction_needs_the_rights_of_both_branches_and_of_nested_ones() {
    let (store, who) = store_with_rights();
    for (operation, expected) in operations() {
        let success = TxnRequest { success: vec![operation.clone()], ..Default::default() };
        let failure = TxnRequest { failure: vec![operation.clone()], ..Default::default() };
        let good = RequestOp::Range(range("r", ""));
        let nested = |inner: &TxnRequest| TxnRequest {
            compare: vec![compare("r", "")],
            success: vec![good.clone(), RequestOp::Txn(inner.clone())],
            failure: vec![good.clone()],
        };
        for txn in [&success, &failure, &nested(&success), &nested(&nested(&failure))] {
            let result = store.check_txn(&who, txn, &lease_keys);
            assert_eq!(result, allowed(expected), "{txn:?}");
        }
    }
    assert_eq!(store.check_txn(&who, &TxnRequest::default(), &lease_keys), Ok(()));
}

#[test]
fn a_transaction_needs_read_for_what_it_compares() {
    let (store, who) = store_with_rights();
    for (key, range_end, expected) in RANGES {
        let txn = TxnRequest { compare: vec![compare(key, range_end)], ..Default::default() };
        assert_eq!(store.check_txn(&who, &txn, &lease_keys), allowed(expected), "{key}");
        let outer = TxnRequest { failure: vec![RequestOp::Txn(txn)], ..Default::default() };
        assert_eq!(store.check_txn(&who, &outer, &lease_keys), allowed(expected), "{key}");
    }
}

#[test]
fn revoking_and_renewing_a_lease_need_write_on_all_its_keys() {
    let (store, who) = store_with_rights();
    for (lease, expected) in [(1, true), (2, false), (404, true)] {
        let revoke = store.check_lease_revoke(&who, LeaseId(lease), &lease_keys);
        let renew = store.check_lease_renew(&who, LeaseId(lease), &lease_keys);
        assert_eq!((revoke, renew), (allowed(expected), allowed(expected)), "{lease}");
    }
    let nobody = AuthInfo::default();
    assert_eq!(store.check_lease_renew(&nobody, LeaseId(404), &lease_keys), Err(Error::UserEmpty));
    assert_eq!(store.check_lease_revoke(&nobody, LeaseId(1), &lease_keys), Err(Error::UserEmpty));
}

#[test]
fn an_administrator_is_not_asked_for_the_keys_of_a_lease() {
    let (mut store, _) = store_with_rights();
    let never = |_: LeaseId| -> Vec<Bytes> { unreachable!("the keys are not looked up") };
    let root = as_user(&store, "root");
    assert_eq!(store.check_lease_revoke(&root, LeaseId(2), &never), Ok(()));
    assert_eq!(store.check_put(&root, &put("k", 2, true), &never), Ok(()));
    assert_eq!(store.check_lease_read(&root, &[LeaseId(1)], &never), Ok(()));
    ok(&mut store, disable());
    assert_eq!(store.check_lease_revoke(&AuthInfo::default(), LeaseId(2), &never), Ok(()));
}

#[test]
fn looking_at_leases_needs_read_on_all_their_keys() {
    let (mut store, _) = store_with_rights();
    let read = |store: &AuthStore, leases: &[i64]| {
        let leases: Vec<LeaseId> = leases.iter().copied().map(LeaseId).collect();
        store.check_lease_read(&as_user(store, "user"), &leases, &lease_keys)
    };
    assert_eq!(read(&store, &[1]), Err(Error::PermissionDenied));
    assert_eq!(read(&store, &[]), Ok(()));
    ok(&mut store, grant("role", READ_WRITE, "w", ""));
    assert_eq!(read(&store, &[1]), Ok(()));
    assert_eq!(read(&store, &[1, 2]), Err(Error::PermissionDenied));
    let nobody = store.check_lease_read(&AuthInfo::default(), &[], &lease_keys);
    assert_eq!(nobody, Err(Error::UserEmpty));
}

#[test]
fn users_and_roles_are_managed_by_administrators_only() {
    let (store, who) = store_with_rights();
    let root = as_user(&store, "root");
    let nobody = AuthInfo::default();
    let unknown = as_user(&store, "unknown");
    for request in [
        enable(),
        disable(),
        user_add("u", "p"),
        user_list(),
        user_delete("foo"),
        change_password("user", "p"),
        grant_role("user", "role"),
        revoke_role("user", "role"),
        role_add("r"),
        role_list(),
        role_delete("role"),
        grant("role", READ, "k", ""),
        revoke("role", "r", ""),
    ] {
        assert_eq!(store.check_auth(&root, &request), Ok(()));
        assert_eq!(store.check_auth(&who, &request), Err(Error::PermissionDenied), "{request:?}");
        assert_eq!(store.check_auth(&nobody, &request), Err(Error::UserEmpty), "{request:?}");
        assert_eq!(store.check_auth(&unknown, &request), Err(Error::UserNotFound), "{request:?}");
    }
    for who in [&root, &who, &nobody] {
        assert_eq!(store.check_auth(who, &status()), Ok(()), "the status is for everybody");
    }
}

#[test]
fn a_user_may_look_at_itself_only() {
    let (store, who) = store_with_rights();
    assert_eq!(store.check_auth(&who, &user_get("user")), Ok(()));
    assert_eq!(store.check_auth(&who, &user_get("root")), Err(Error::PermissionDenied));
    let root = as_user(&store, "root");
    assert_eq!(store.check_auth(&root, &user_get("user")), Ok(()));
    assert_eq!(store.check_auth(&AuthInfo::default(), &user_get("user")), Err(Error::UserEmpty));
}

#[test]
fn a_user_may_look_at_its_own_roles_only() {
    let (store, who) = store_with_rights();
    assert_eq!(store.check_auth(&who, &role_get("role")), Ok(()));
    assert_eq!(store.check_auth(&who, &role_get("role-test")), Err(Error::PermissionDenied));
    assert_eq!(store.check_auth(&who, &role_get("nowhere")), Err(Error::PermissionDenied));
    let root = as_user(&store, "root");
    assert_eq!(store.check_auth(&root, &role_get("role")), Ok(()));
}

#[test]
fn lists_of_members_and_alarms_need_some_user() {
    let (mut store, who) = store_with_rights();
    assert_eq!(store.require_user(&who), Ok(()));
    assert_eq!(store.require_user(&AuthInfo::default()), Err(Error::UserEmpty));
    ok(&mut store, disable());
    assert_eq!(store.require_user(&AuthInfo::default()), Ok(()));
}
