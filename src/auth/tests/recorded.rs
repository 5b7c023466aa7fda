//! Walks through recorded sessions with the real etcdctl, at the level of the store.

use super::*;

/// Checks and applies a request as `who`, as the members do.
fn ask(store: &mut AuthStore, who: &str, request: AuthRequest) -> Result<AuthResponse, Error> {
    let info = if who.is_empty() { AuthInfo::default() } else { as_user(store, who) };
    store.check_auth(&info, &request)?;
    apply(store, request)
}

/// What `etcdctl auth enable` does: it makes and grants the role root if that is what is missing.
fn auth_enable(store: &mut AuthStore) {
    assert_eq!(apply(store, enable()), Err(Error::RootRoleNotExist));
    ok(store, role_add("root"));
    ok(store, grant_role("root", "root"));
    ok(store, enable());
}

#[test]
fn the_revision_after_enable_is_4_and_after_disable_6() {
    // auth-003, auth-009.
    let mut store = empty_store();
    ok(&mut store, user_add("root", "rootpw"));
    auth_enable(&mut store);
    assert_eq!(store.revision(), 4);
    assert_eq!(ask(&mut store, "", disable()).unwrap_err(), Error::UserEmpty);
    ask(&mut store, "root", user_add("alice", "pw")).unwrap();
    assert_eq!(ask(&mut store, "alice", disable()).unwrap_err(), Error::PermissionDenied);
    ask(&mut store, "root", disable()).unwrap();
    ask(&mut store, "", disable()).unwrap();
    assert_eq!(store.revision(), 6);
}

#[test]
fn enabling_twice_needs_root_the_second_time_and_changes_nothing() {
    // auth-005.
    let mut store = empty_store();
    ok(&mut store, user_add("root", "rootpw"));
    auth_enable(&mut store);
    assert_eq!(ask(&mut store, "", enable()).unwrap_err(), Error::UserEmpty);
    ask(&mut store, "root", enable()).unwrap();
    assert_eq!(store.revision(), 4);
}

#[test]
fn a_deleted_user_cannot_log_in_and_root_stays() {
    // auth-018.
    let mut store = store();
    ask(&mut store, "root", user_delete("foo")).unwrap();
    let error = store.check_password("foo", "bar").unwrap_err();
    assert_eq!(error.to_string(), "etcdserver: authentication failed, invalid user ID or password");
    for request in [user_delete("root"), revoke_role("root", "root"), role_delete("root")] {
        let error = ask(&mut store, "root", request).unwrap_err();
        assert_eq!(error.to_string(), "etcdserver: invalid auth management");
    }
}

#[test]
fn a_password_for_a_user_without_one_shows_the_inner_text() {
    // auth-020.
    let mut store = store();
    ok(&mut store, user_add_without_password("bob"));
    let error = store.check_password("bob", "x").unwrap_err();
    assert_eq!(
        format!("rpc error: code = {} desc = {error}", error.code()),
        "rpc error: code = Unknown desc = auth: authentication failed, password was given for no password user"
    );
}

#[test]
fn adjacent_grants_of_two_roles_merge() {
    // auth-027.
    let mut store = store();
    for (role, key, range_end) in [("r1", "a", "c"), ("r2", "c", "e")] {
        ok(&mut store, role_add(role));
        ok(&mut store, grant(role, READ, key, range_end));
        ok(&mut store, grant_role("foo", role));
    }
    let who = as_user(&store, "foo");
    for (key, range_end, expected) in
        [("a", "e", true), ("a", "d", true), ("b", "c", true), ("a", "f", false)]
    {
        let result = store.is_range_permitted(&who, &bytes(key), &bytes(range_end));
        assert_eq!(result.is_ok(), expected, "{key} {range_end}");
    }
}

#[test]
fn a_range_and_an_open_end_are_permitted_as_granted() {
    // auth-012.
    let mut store = store();
    ok(&mut store, grant("role-test", READ_WRITE, "b", "d"));
    ok(&mut store, grant("role-test", READ_WRITE, "x", "\0"));
    ok(&mut store, grant_role("foo", "role-test"));
    let who = as_user(&store, "foo");
    for (key, expected) in [("b", true), ("c", true), ("d", false), ("zzz", true)] {
        assert_eq!(store.is_put_permitted(&who, &bytes(key)).is_ok(), expected, "{key}");
    }
    let read = |key: &str, end: &str| store.is_range_permitted(&who, &bytes(key), &bytes(end));
    assert_eq!(read("b", "d"), Ok(()));
    assert_eq!(read("b", "e"), Err(Error::PermissionDenied));
    assert_eq!(read("x", "\0"), Ok(()));
}

#[test]
fn errors_of_users_and_roles_have_etcds_text_and_code() {
    // user-001, user-010, role-001, role-002, role-009, role-010.
    let mut store = store();
    for (request, code, text) in [
        (user_get("no"), "FailedPrecondition", "etcdserver: user name not found"),
        (user_delete("no"), "FailedPrecondition", "etcdserver: user name not found"),
        (user_add("foo", "x"), "FailedPrecondition", "etcdserver: user name already exists"),
        (user_add("", "x"), "InvalidArgument", "etcdserver: user name is empty"),
        (grant_role("foo", "no"), "FailedPrecondition", "etcdserver: role name not found"),
        (
            revoke_role("foo", "no"),
            "FailedPrecondition",
            "etcdserver: role is not granted to the user",
        ),
        (role_add(""), "InvalidArgument", "etcdserver: role name is empty"),
        (role_add("role-test"), "FailedPrecondition", "etcdserver: role name already exists"),
        (role_get("no"), "FailedPrecondition", "etcdserver: role name not found"),
        (
            revoke("role-test", "no", ""),
            "FailedPrecondition",
            "etcdserver: permission is not granted to the role",
        ),
        (
            grant("role-test", READ, "c", "a"),
            "InvalidArgument",
            "etcdserver: invalid auth management",
        ),
    ] {
        let error = apply(&mut store, request).unwrap_err();
        assert_eq!((error.code().to_string().as_str(), error.text()), (code, text));
    }
    let old = Error::AuthOldRevision;
    assert_eq!(old.to_string(), "etcdserver: revision of auth store is old");
    assert_eq!(Error::InvalidAuthToken.to_string(), "etcdserver: invalid auth token");
}
