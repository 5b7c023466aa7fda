//! Simple tokens: etcd's `simple_token_test.go`, `AuthInfoFromCtx…`, `HammerSimpleAuthenticate`.

use super::*;
use crate::auth::token::{SimpleTokens, draw_letters, index_of};
use crate::auth::{SIMPLE_TOKEN_TTL_MS, SIMPLE_TOKENS_MAX};

#[test]
fn a_token_is_16_letters_a_dot_and_the_index_of_its_entry() {
    let mut store = store();
    let token = token(&mut store, "foo", 17, 0);
    let (letters, index) = token.split_once('.').unwrap();
    assert_eq!(letters.len(), 16);
    assert!(letters.bytes().all(|letter| letter.is_ascii_alphabetic()));
    assert_eq!(index, "17");
    let mut random = random();
    assert_ne!(draw_letters(&mut random), draw_letters(&mut random));
}

#[test]
fn every_member_gives_the_same_token_for_the_same_entry() {
    let mut store = store();
    let mut other = recovered(&store);
    let request = InternalAuthenticateRequest::new("foo", &mut random());
    let one = store.authenticate(&request, Index(3), Millis(0));
    // The clocks of members do not agree, and need not.
    let two = other.authenticate(&request, Index(3), Millis(70_000));
    assert_eq!(one, two);
    assert_eq!(store.state(), other.state(), "tokens are not replicated state");
}

#[test]
fn without_a_token_or_with_auth_off_nobody_asks() {
    let mut store = store();
    let nobody = Ok(Identity::Known(AuthInfo::default()));
    assert_eq!(store.identify(None, Index(1), Millis(0)), nobody);
    ok(&mut store, disable());
    assert_eq!(store.identify(Some("x"), Index(1), Millis(0)), nobody);
}

#[test]
fn a_token_identifies_its_user_at_the_revision_of_now() {
    let mut store = store();
    let token = token(&mut store, "foo", 1, 0);
    for _ in 0..2 {
        let known = store.identify(Some(&token), Index(1), Millis(0));
        assert_eq!(known, Ok(Identity::Known(as_user(&store, "foo"))));
        let name = store.revision().to_string();
        ok(&mut store, user_add(&name, "p"));
    }
}

#[test]
fn what_is_no_token_or_nobodys_is_refused() {
    let mut store = store();
    let held = token(&mut store, "foo", 1, 0);
    for bad in ["", "abc", "dummy", "Invalid Token", "Invalid.Token", "a.b.c", "a.+1", "a.-1", "a."]
    {
        assert_eq!(holder(&mut store, bad, 0), Err(Error::InvalidAuthToken), "{bad}");
    }
    assert_eq!(holder(&mut store, "dummy.1", 0), Err(Error::InvalidAuthToken));
    let other_index = held.replace(".1", ".2");
    assert_eq!(holder(&mut store, &other_index, 0), Err(Error::InvalidAuthToken));
    assert_eq!(index_of("a.18446744073709551616"), None);
    assert_eq!(index_of("a.1.2"), None);
    assert_eq!(index_of("a.1"), Some(Index(1)));
}

#[test]
fn a_token_of_an_entry_not_yet_applied_is_waited_for() {
    let mut behind = store();
    let mut ahead = behind.clone();
    let held = token(&mut ahead, "foo", 5, 0);
    assert_eq!(behind.identify(Some(&held), Index(4), Millis(0)), Ok(Identity::Wait(Index(5))));
    assert_eq!(token(&mut behind, "foo", 5, 0), held);
    assert_eq!(holder(&mut behind, &held, 0).unwrap(), "foo");
}

#[test]
fn a_request_identified_before_a_change_is_old_after_it() {
    let mut store = store();
    ok(&mut store, grant("role-test", READ_WRITE, "k", ""));
    ok(&mut store, grant_role("foo", "role-test"));
    let before = as_user(&store, "foo");
    assert_eq!(store.is_put_permitted(&before, &bytes("k")), Ok(()));
    ok(&mut store, user_add("other", "p"));
    assert_eq!(store.is_put_permitted(&before, &bytes("k")), Err(Error::AuthOldRevision));
    // Root too: the revision is looked at before the user.
    let root = AuthInfo { username: "root".to_owned(), revision: before.revision };
    assert_eq!(store.is_put_permitted(&root, &bytes("k")), Err(Error::AuthOldRevision));
}

#[test]
fn the_member_itself_asks_as_root() {
    let mut store = store();
    assert_eq!(store.root_info(), as_user(&store, "root"));
    assert_eq!(store.is_admin_permitted(&store.root_info()), Ok(()));
    ok(&mut store, disable());
    assert_eq!(store.root_info(), AuthInfo::default());
}

#[test]
fn a_token_lives_a_ttl_after_its_last_use() {
    let mut store = store();
    let held = token(&mut store, "foo", 1, 1_000);
    let last = 1_000 + SIMPLE_TOKEN_TTL_MS;
    store.expire_tokens(Millis(last));
    assert_eq!(holder(&mut store, &held, last).unwrap(), "foo");
    let renewed = last + SIMPLE_TOKEN_TTL_MS;
    assert_eq!(holder(&mut store, &held, renewed).unwrap(), "foo");
    let over = renewed + SIMPLE_TOKEN_TTL_MS + 1;
    assert_eq!(holder(&mut store, &held, over), Err(Error::InvalidAuthToken));
    assert_eq!(store.tokens.len(), 1, "it is forgotten when the member looks");
    store.expire_tokens(Millis(over));
    assert_eq!(store.tokens.len(), 0);
}

#[test]
fn tokens_of_users_that_a_snapshot_changed_are_forgotten() {
    let mut store = store();
    ok(&mut store, user_add("gone", "p"));
    ok(&mut store, user_add("other", "p"));
    let held = ["foo", "gone", "other"].map(|name| token(&mut store, name, name.len() as u64, 0));
    let mut leader = recovered(&store);
    ok(&mut leader, user_delete("gone"));
    ok(&mut leader, change_password("other", "q"));
    store.recover(leader.state().clone()).unwrap();
    let holders = held.map(|token| holder(&mut store, &token, 0).ok());
    assert_eq!(holders, [Some("foo".to_owned()), None, None]);
    let mut off = leader.state().clone();
    off.enabled = false;
    store.recover(off).unwrap();
    assert_eq!(store.tokens.len(), 0);
}

#[test]
fn beyond_the_limit_the_token_that_expires_first_goes() {
    let mut tokens = SimpleTokens::default();
    for index in 0..u64::from(SIMPLE_TOKENS_MAX) {
        tokens.assign("foo", "x", Index(index), Millis(1_000_000 - index));
    }
    let last = u64::from(SIMPLE_TOKENS_MAX);
    let new = tokens.assign("foo", "x", Index(last), Millis(2_000_000));
    assert_eq!(tokens.len(), SIMPLE_TOKENS_MAX);
    let first_to_go = format!("x.{}", last - 1);
    assert_eq!(tokens.renew(&first_to_go, Millis(0), Millis(0)), None);
    assert_eq!(tokens.renew(&new, Millis(0), Millis(0)).as_deref(), Some("foo"));
}

#[test]
fn hammering_logins_of_many_users_keeps_tokens_apart_and_bounded() {
    let config = AuthConfig { bcrypt_cost: BCRYPT_COST_MIN, token_ttl_ms: 10 };
    let mut store = AuthStore::new(config);
    store.recover(super::store().state().clone()).unwrap();
    let users: Vec<String> = (0..50).map(|at| format!("user-{at}")).collect();
    for user in &users {
        store.apply(&user_add_without_hash(user)).unwrap();
    }
    let mut random = random();
    let (mut index, mut now) = (0, 0);
    for _ in 0..10 {
        for user in &users {
            index += 1;
            let request = InternalAuthenticateRequest::new(user, &mut random);
            let token = store.authenticate(&request, Index(index), Millis(now)).unwrap().token;
            assert_eq!(holder(&mut store, &token, now), Ok(user.clone()));
        }
        now += 1;
        store.expire_tokens(Millis(now));
    }
    store.expire_tokens(Millis(now + 10));
    assert_eq!(store.tokens.len(), 0);
}

/// A user whom no password fits: these tests log in by the entry alone.
fn user_add_without_hash(name: &str) -> AuthRequest {
    AuthRequest::UserAdd(AuthUserAddRequest { name: name.to_owned(), ..Default::default() })
}
