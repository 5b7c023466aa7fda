//! etcd's `server/auth/store_test.go`, by expectation.

use super::*;
use crate::auth::{AuthState, BCRYPT_COST_DEFAULT, BCRYPT_COST_MAX, InvalidState, User};

#[test]
fn the_revision_starts_at_1_and_grows_by_each_change() {
    let mut store = empty_store();
    assert_eq!(store.revision(), 1);
    let changes = [
        user_add("root", "root"),
        role_add("root"),
        grant_role("root", "root"),
        role_add("r"),
        grant("r", READ, "a", "b"),
        grant("r", WRITE, "a", "b"),
        user_add("u", "p"),
        grant_role("u", "r"),
        change_password("u", "q"),
        revoke_role("u", "r"),
        revoke("r", "a", "b"),
        role_delete("r"),
        user_delete("u"),
    ];
    for (at, change) in changes.into_iter().enumerate() {
        ok(&mut store, change);
        assert_eq!(store.revision(), at as u64 + 2);
    }
    let before = store.revision();
    ok(&mut store, enable());
    assert_eq!(store.revision(), before, "turning auth on changes nobody's rights");
    ok(&mut store, disable());
    assert_eq!(store.revision(), before + 1);
}

#[test]
fn the_revision_is_kept_when_nothing_changed() {
    let store = store();
    assert_eq!(recovered(&store).revision(), store.revision());
    assert_eq!(store.revision(), 6);
}

#[test]
fn a_bcrypt_cost_out_of_bounds_becomes_the_default() {
    for cost in [BCRYPT_COST_MIN - 1, BCRYPT_COST_MAX + 1] {
        let store = AuthStore::new(AuthConfig { bcrypt_cost: cost, ..AuthConfig::default() });
        assert_eq!(store.bcrypt_cost(), BCRYPT_COST_DEFAULT);
    }
    assert_eq!(empty_store().bcrypt_cost(), BCRYPT_COST_MIN);
}

#[test]
fn a_user_is_added_once_and_has_a_name() {
    let mut store = store();
    fails(&mut store, user_add("foo", "x"), Error::UserAlreadyExist);
    fails(&mut store, user_add("", "x"), Error::UserEmpty);
}

#[test]
fn a_new_user_may_do_nothing() {
    let mut store = store();
    ok(&mut store, user_add("new", "x"));
    assert_eq!(store.permissions.get("new"), Some(&Default::default()));
    let who = as_user(&store, "new");
    assert_eq!(store.is_put_permitted(&who, &bytes("k")), Err(Error::PermissionDenied));
}

#[test]
fn recovering_takes_over_whether_auth_is_on() {
    let store = store();
    assert!(store.is_enabled());
    assert!(recovered(&store).is_enabled());
    let mut off = store.clone();
    off.recover(AuthState::default()).unwrap();
    assert!(!off.is_enabled());
    assert_eq!(off.revision(), 1);
}

#[test]
fn recovering_rebuilds_the_permissions_of_users_with_and_without_roles() {
    let mut store = store();
    ok(&mut store, grant("role-test", READ, "a", "c"));
    ok(&mut store, user_add("reader", "x"));
    ok(&mut store, grant_role("reader", "role-test"));
    let other = recovered(&store);
    assert_eq!(other.permissions.len(), 3);
    let read =
        |name: &str| other.is_range_permitted(&as_user(&store, name), &bytes("b"), &Bytes::new());
    assert_eq!(read("reader"), Ok(()));
    assert_eq!(read("foo"), Err(Error::PermissionDenied));
}

#[test]
fn a_state_that_contradicts_itself_is_refused_and_nothing_is_taken_over() {
    let good = store().state().clone();
    type Destroy = fn(&mut AuthState);
    let broken: [(InvalidState, Destroy); 6] = [
        (InvalidState::Revision, |state| state.revision = 0),
        (InvalidState::Name, |state| {
            state.users.insert(String::new(), User::default());
        }),
        (InvalidState::Roles("foo".to_owned()), |state| {
            state.users.get_mut("foo").unwrap().roles = vec!["nowhere".to_owned()];
        }),
        (InvalidState::Roles("foo".to_owned()), |state| {
            let roles = ["root", "role-test"].map(str::to_owned);
            state.users.get_mut("foo").unwrap().roles = roles.to_vec();
        }),
        (InvalidState::Permissions("role-test".to_owned()), |state| {
            let role = state.roles.get_mut("role-test").unwrap();
            role.key_permission = vec![permission(READ, "b", "a")];
        }),
        (InvalidState::Root, |state| {
            state.users.remove("root");
        }),
    ];
    for (error, destroy) in broken {
        let mut bad = good.clone();
        destroy(&mut bad);
        let mut store = empty_store();
        assert_eq!(store.recover(bad), Err(error));
        assert_eq!(*store.state(), AuthState::default());
    }
}

#[test]
fn the_state_survives_storage_and_is_hashed_in_a_stable_order() {
    let mut store = store();
    ok(&mut store, grant("role-test", READ_WRITE, "a", "b"));
    let stored = postcard::to_stdvec(store.state()).unwrap();
    let read: AuthState = postcard::from_bytes(&stored).unwrap();
    assert_eq!(read, *store.state());
    // Two stores that came to the same users by another way store the same bytes.
    let mut one = empty_store();
    let mut two = empty_store();
    for name in ["a", "b", "c"] {
        ok(&mut one, user_add(name, "p"));
    }
    for name in ["c", "a", "b"] {
        ok(&mut two, user_add(name, "p"));
    }
    let stored = |store: &AuthStore| postcard::to_stdvec(store.state()).unwrap();
    assert_eq!(stored(&one), stored(&two));
}

#[test]
fn a_password_is_checked_only_while_auth_is_on() {
    let mut store = store();
    assert_eq!(store.check_password("foo", "bar"), Ok(store.revision()));
    assert_eq!(store.check_password("foo-test", "bar"), Err(Error::AuthFailed));
    assert_eq!(store.check_password("foo", ""), Err(Error::AuthFailed));
    assert_eq!(store.check_password("foo", "baz"), Err(Error::AuthFailed));
    ok(&mut store, disable());
    assert_eq!(store.check_password("foo", "bar"), Err(Error::AuthNotEnabled));
}

#[test]
fn a_user_is_deleted_once() {
    let mut store = store();
    ok(&mut store, user_delete("foo"));
    fails(&mut store, user_delete("foo"), Error::UserNotFound);
}

#[test]
fn deleting_a_user_forgets_its_permissions_and_tokens() {
    let mut store = store();
    ok(&mut store, grant("role-test", WRITE, "k", ""));
    ok(&mut store, grant_role("foo", "role-test"));
    let before = as_user(&store, "foo");
    let held = token(&mut store, "foo", 1, 0);
    assert_eq!(store.is_put_permitted(&before, &bytes("k")), Ok(()));
    ok(&mut store, user_delete("foo"));
    assert!(!store.permissions.contains_key("foo"));
    assert_eq!(holder(&mut store, &held, 0), Err(Error::InvalidAuthToken));
    assert_eq!(store.is_put_permitted(&before, &bytes("k")), Err(Error::AuthOldRevision));
    let now = as_user(&store, "foo");
    assert_eq!(store.is_put_permitted(&now, &bytes("k")), Err(Error::PermissionDenied));
}

#[test]
fn a_changed_password_replaces_the_old_one_and_its_tokens() {
    let mut store = store();
    let held = token(&mut store, "foo", 1, 0);
    let of_root = token(&mut store, "root", 2, 0);
    ok(&mut store, change_password("foo", "baz"));
    assert_eq!(store.check_password("foo", "bar"), Err(Error::AuthFailed));
    assert_eq!(store.check_password("foo", "baz"), Ok(store.revision()));
    assert_eq!(holder(&mut store, &held, 0), Err(Error::InvalidAuthToken));
    assert_eq!(holder(&mut store, &of_root, 0).unwrap(), "root", "others keep theirs");
    fails(&mut store, change_password("foo-test", "bar"), Error::UserNotFound);
}

#[test]
fn a_changed_password_keeps_roles_and_permissions() {
    let mut store = store();
    ok(&mut store, grant("role-test", WRITE, "k", ""));
    ok(&mut store, grant_role("foo", "role-test"));
    ok(&mut store, change_password("foo", "baz"));
    assert_eq!(roles_of(&mut store, "foo"), ["role-test"]);
    assert_eq!(store.is_put_permitted(&as_user(&store, "foo"), &bytes("k")), Ok(()));
}

#[test]
fn after_an_empty_new_password_no_password_fits() {
    let mut store = store();
    ok(&mut store, change_password("foo", ""));
    for password in ["", "bar"] {
        assert_eq!(store.check_password("foo", password), Err(Error::AuthFailed));
    }
    // A user that is added with an empty password has one, the empty one.
    ok(&mut store, user_add("blank", ""));
    assert_eq!(store.check_password("blank", ""), Ok(store.revision()));
}

#[test]
fn no_password_reaches_the_log() {
    let store = store();
    for request in [user_add("u", "secret"), change_password("foo", "secret")] {
        let prepared = store.prepare(request, &mut random()).unwrap();
        let in_log = postcard::to_stdvec(&prepared).unwrap();
        assert!(!in_log.windows(6).any(|part| part == b"secret"));
    }
    let long = "x".repeat(73);
    let result = store.prepare(user_add("u", &long), &mut random());
    assert_eq!(result, Err(Error::PasswordTooLong));
}

#[test]
fn a_hash_that_is_no_base64_is_refused() {
    let mut store = store();
    let request = AuthRequest::UserAdd(AuthUserAddRequest {
        name: "u".to_owned(),
        hashed_password: "?".to_owned(),
        ..AuthUserAddRequest::default()
    });
    assert_eq!(store.apply(&request), Err(Error::NoPasswordUser));
    assert_eq!(store.revision(), 6);
}

#[test]
fn a_role_is_added_once_and_has_a_name() {
    let mut store = store();
    ok(&mut store, role_add("role-test-1"));
    fails(&mut store, role_add("role-test-1"), Error::RoleAlreadyExist);
    fails(&mut store, role_add(""), Error::RoleEmpty);
}

#[test]
fn a_role_is_granted_to_users_that_exist_and_a_second_grant_changes_nothing() {
    let mut store = store();
    ok(&mut store, grant_role("foo", "role-test"));
    fails(&mut store, grant_role("foo-test", "role-test"), Error::UserNotFound);
    fails(&mut store, grant_role("foo", "nowhere"), Error::RoleNotFound);
    let before = store.revision();
    ok(&mut store, grant_role("foo", "role-test"));
    assert_eq!(store.revision(), before);
    // Root alone need not exist.
    let mut fresh = empty_store();
    ok(&mut fresh, user_add("u", "p"));
    ok(&mut fresh, grant_role("u", "root"));
}

#[test]
fn has_role_is_false_for_unknown_users_and_roles() {
    let mut store = store();
    ok(&mut store, grant_role("foo", "role-test"));
    assert!(store.has_role("foo", "role-test"));
    assert!(!store.has_role("foo", "non-existent-role"));
    assert!(!store.has_role("nouser", "role-test"));
}

#[test]
fn user_get_gives_its_roles() {
    let mut store = store();
    ok(&mut store, grant_role("foo", "role-test"));
    assert_eq!(roles_of(&mut store, "foo"), ["role-test"]);
    fails(&mut store, user_get("nouser"), Error::UserNotFound);
}

#[test]
fn lists_of_users_and_roles_are_sorted() {
    let mut store = store();
    for name in ["zed", "amy"] {
        ok(&mut store, user_add(name, "p"));
        ok(&mut store, role_add(name));
    }
    assert_eq!(users_in(&mut store), ["amy", "foo", "root", "zed"]);
    assert_eq!(roles_in(&mut store), ["amy", "role-test", "root", "zed"]);
}

#[test]
fn the_roles_of_a_user_are_sorted_in_whatever_order_they_are_granted() {
    let mut store = store();
    for role in ["role1", "role2", "abc", "xyz", "role3"] {
        ok(&mut store, role_add(role));
        ok(&mut store, grant_role("foo", role));
    }
    assert_eq!(roles_of(&mut store, "foo"), ["abc", "role1", "role2", "role3", "xyz"]);
}

#[test]
fn a_permission_is_granted_and_shown_as_it_was_given() {
    for (key, range_end) in
        [("Keys", "RangeEnd"), ("k", ""), ("k", "\0"), ("\0", "\0"), ("/a/", "/a0")]
    {
        let mut store = store();
        ok(&mut store, grant("role-test", WRITE, key, range_end));
        assert_eq!(permissions_of(&mut store, "role-test"), [permission(WRITE, key, range_end)]);
    }
}

#[test]
fn a_grant_needs_a_permission_and_a_role() {
    let mut store = store();
    ok(&mut store, grant("role-test", WRITE, "Keys", "RangeEnd"));
    let nothing = AuthRequest::RoleGrantPermission(AuthRoleGrantPermissionRequest {
        name: "role-test".to_owned(),
        perm: None,
    });
    fails(&mut store, nothing, Error::PermissionNotGiven);
    fails(&mut store, grant("nowhere", READ, "k", ""), Error::RoleNotFound);
    // The range is looked at before the role.
    fails(&mut store, grant("nowhere", READ, "c", "a"), Error::InvalidAuthMgmt);
    assert_eq!(permissions_of(&mut store, "role-test").len(), 1);
}

#[test]
fn a_grant_over_an_empty_range_is_refused() {
    let mut store = store();
    for (key, range_end, is_valid) in [
        ("Keys", "RangeEnd", true),
        ("", "RangeEnd", false),
        ("", "", false),
        ("", "\0", false),
        ("Keys", "", true),
        ("Keys", "Keys", false),
        ("Keys", "Key", false),
        ("Keys", "\0", true),
        ("\0", "\0", true),
        ("\0", "", true),
        ("b", "a", false),
        ("a", "a\0", true),
    ] {
        let result = apply(&mut store, grant("role-test", READ, key, range_end));
        assert_eq!(
            result.err(),
            (!is_valid).then_some(Error::InvalidAuthMgmt),
            "{key} {range_end}"
        );
    }
}

#[test]
fn a_second_grant_of_the_same_range_changes_its_type() {
    let mut store = store();
    ok(&mut store, grant("role-test", READ, "foo", ""));
    ok(&mut store, grant("role-test", WRITE, "foo", ""));
    assert_eq!(permissions_of(&mut store, "role-test"), [permission(WRITE, "foo", "")]);
}

#[test]
fn permissions_are_sorted_by_key_and_then_by_age() {
    let mut store = store();
    for (key, range_end) in [("z", ""), ("m", "p"), ("m", ""), ("a", "")] {
        ok(&mut store, grant("role-test", READ, key, range_end));
    }
    let expected = [("a", ""), ("m", "p"), ("m", ""), ("z", "")];
    assert_eq!(
        permissions_of(&mut store, "role-test"),
        expected.map(|(key, range_end)| permission(READ, key, range_end))
    );
    // etcd looks at the first permission with the key only: this grant stands beside the older one.
    ok(&mut store, grant("role-test", WRITE, "m", ""));
    assert_eq!(permissions_of(&mut store, "role-test").len(), 5);
    ok(&mut store, revoke("role-test", "m", ""));
    assert_eq!(permissions_of(&mut store, "role-test").len(), 3);
}

#[test]
fn the_root_role_shows_the_whole_key_space_whatever_it_was_granted() {
    let mut store = store();
    ok(&mut store, grant("root", WRITE, "Keys", "RangeEnd"));
    assert_eq!(permissions_of(&mut store, "root"), [permission(READ_WRITE, "", "\0")]);
    // What was granted is kept and can be revoked.
    ok(&mut store, revoke("root", "Keys", "RangeEnd"));
    fails(&mut store, revoke("root", "Keys", "RangeEnd"), Error::PermissionNotGranted);
}

#[test]
fn a_permission_is_revoked_by_the_very_range_it_was_granted_for() {
    let mut store = store();
    ok(&mut store, grant("role-test", WRITE, "Keys", "RangeEnd"));
    for (key, range_end) in [("Keys", ""), ("Keys", "RangeEnc"), ("Key", "RangeEnd")] {
        fails(&mut store, revoke("role-test", key, range_end), Error::PermissionNotGranted);
    }
    fails(&mut store, revoke("nowhere", "Keys", "RangeEnd"), Error::RoleNotFound);
    ok(&mut store, revoke("role-test", "Keys", "RangeEnd"));
    assert_eq!(permissions_of(&mut store, "role-test"), []);
}

#[test]
fn a_revoked_role_leaves_the_others() {
    let mut store = store();
    ok(&mut store, role_add("role-test-1"));
    ok(&mut store, grant_role("foo", "role-test"));
    ok(&mut store, grant_role("foo", "role-test-1"));
    ok(&mut store, revoke_role("foo", "role-test-1"));
    assert_eq!(roles_of(&mut store, "foo"), ["role-test"]);
    fails(&mut store, revoke_role("foo", "role-test-1"), Error::RoleNotGranted);
    fails(&mut store, revoke_role("nouser", "role-test"), Error::UserNotFound);
}

#[test]
fn deleting_a_role_takes_it_from_its_users_and_their_rights_with_it() {
    let mut store = store();
    ok(&mut store, grant("role-test", READ, "k", ""));
    ok(&mut store, grant_role("foo", "role-test"));
    ok(&mut store, role_delete("role-test"));
    assert_eq!(roles_in(&mut store), ["root"]);
    assert_eq!(roles_of(&mut store, "foo"), Vec::<String>::new());
    let who = as_user(&store, "foo");
    let read = store.is_range_permitted(&who, &bytes("k"), &Bytes::new());
    assert_eq!(read, Err(Error::PermissionDenied));
    fails(&mut store, role_delete("role-test"), Error::RoleNotFound);
}

#[test]
fn root_cannot_be_taken_apart_while_auth_is_on() {
    let mut store = store();
    for request in [user_delete("root"), role_delete("root"), revoke_role("root", "root")] {
        fails(&mut store, request, Error::InvalidAuthMgmt);
    }
    ok(&mut store, grant_role("foo", "root"));
    ok(&mut store, revoke_role("foo", "root"));
    ok(&mut store, disable());
    ok(&mut store, revoke_role("root", "root"));
    ok(&mut store, role_delete("root"));
    ok(&mut store, user_delete("root"));
}

#[test]
fn auth_is_turned_on_only_with_a_root_user_that_has_the_root_role() {
    let mut store = empty_store();
    fails(&mut store, enable(), Error::RootUserNotExist);
    ok(&mut store, user_add("root", "p"));
    fails(&mut store, enable(), Error::RootRoleNotExist);
    ok(&mut store, grant_role("root", "root"));
    ok(&mut store, enable());
    assert!(store.is_enabled());
    ok(&mut store, enable());
}

#[test]
fn auth_is_turned_off_once_and_tokens_are_forgotten() {
    let mut store = store();
    let held = token(&mut store, "foo", 1, 0);
    let before = store.revision();
    for _ in 0..2 {
        ok(&mut store, disable());
        assert!(!store.is_enabled());
        assert_eq!(store.revision(), before + 1);
        let request = InternalAuthenticateRequest::new("foo", &mut random());
        let result = store.authenticate(&request, Index(2), Millis(0));
        assert_eq!(result, Err(Error::AuthNotEnabled));
    }
    assert_eq!(holder(&mut store, &held, 0).unwrap(), "", "nobody is asked for a token");
    ok(&mut store, enable());
    assert_eq!(holder(&mut store, &held, 0), Err(Error::InvalidAuthToken));
}

#[test]
fn the_status_says_whether_auth_is_on_and_the_revision() {
    let mut store = store();
    for is_on in [true, false] {
        let AuthResponse::Status(response) = ok(&mut store, status()) else { unreachable!() };
        assert_eq!((response.enabled, response.auth_revision), (is_on, store.revision()));
        ok(&mut store, disable());
    }
}

#[test]
fn an_administrator_is_a_user_with_the_root_role() {
    let mut store = store();
    let ask = |store: &AuthStore, name: &str| {
        store.is_admin_permitted(&AuthInfo { username: name.to_owned(), revision: 1 })
    };
    assert_eq!(ask(&store, "root"), Ok(()));
    assert_eq!(ask(&store, "rooti"), Err(Error::UserNotFound));
    assert_eq!(ask(&store, ""), Err(Error::UserEmpty));
    assert_eq!(ask(&store, "foo"), Err(Error::PermissionDenied));
    ok(&mut store, disable());
    assert_eq!(ask(&store, "rooti"), Ok(()));
}

#[test]
fn a_store_recovered_from_a_snapshot_has_users_passwords_and_rights() {
    let mut store = store();
    ok(&mut store, grant("role-test", READ, "k", ""));
    ok(&mut store, grant_role("foo", "role-test"));
    let mut other = recovered(&store);
    assert!(other.is_enabled());
    assert_eq!(users_in(&mut other), ["foo", "root"]);
    assert_eq!(other.check_password("foo", "bar"), Ok(store.revision()));
    let who = as_user(&store, "foo");
    assert_eq!(other.is_range_permitted(&who, &bytes("k"), &Bytes::new()), Ok(()));
}

#[test]
fn a_user_without_password_cannot_log_in() {
    let mut store = store();
    ok(&mut store, user_add_without_password("bob"));
    let request = InternalAuthenticateRequest::new("bob", &mut random());
    assert_eq!(store.authenticate(&request, Index(1), Millis(0)), Err(Error::AuthFailed));
    assert_eq!(store.check_password("bob", "x"), Err(Error::NoPasswordUser));
    assert_eq!(store.check_password("bob", ""), Err(Error::NoPasswordUser));
    let before = store.revision();
    ok(&mut store, change_password("bob", "x"));
    assert_eq!(store.revision(), before + 1, "the change counts");
    assert_eq!(store.check_password("bob", "x"), Err(Error::NoPasswordUser), "and changes nothing");
}

#[test]
fn an_entry_with_a_plain_password_gives_every_member_the_same_hash() {
    // The form of entries before etcd 3.5: not prepared.
    let mut store = store();
    let mut other = recovered(&store);
    let entries = [user_add("bar", "baz"), change_password("foo", "baz")];
    for entry in &entries {
        store.apply(entry).unwrap();
        other.apply(entry).unwrap();
    }
    assert_eq!(store.state(), other.state());
    for name in ["bar", "foo"] {
        assert_eq!(store.check_password(name, "baz"), Ok(store.revision()));
    }
    let hash = |name: &str| store.state().users().get(name).unwrap().password.clone();
    assert_ne!(hash("bar"), hash("foo"), "each has its own salt");
}

#[test]
fn the_hash_in_a_request_is_what_is_stored() {
    let mut store = store();
    let hashed_password = hash_password("p", BCRYPT_COST_MIN, &mut random()).unwrap();
    let stored = decode(&hashed_password).unwrap();
    let request = AuthRequest::UserAdd(AuthUserAddRequest {
        name: "u".to_owned(),
        hashed_password,
        ..AuthUserAddRequest::default()
    });
    store.apply(&request).unwrap();
    assert_eq!(store.state().users().get("u").unwrap().password, stored);
}
