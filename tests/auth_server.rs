//! Users through a whole cluster: logins, rights at every door, restarts and snapshots.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

mod support;

use bytes::Bytes;
use etcd_playground::api::{
    AlarmRequest, AuthDisableRequest, AuthEnableRequest, AuthRequest, AuthRoleAddRequest,
    AuthRoleGrantPermissionRequest, AuthUserAddRequest, AuthUserChangePasswordRequest,
    AuthUserGrantRoleRequest, AuthUserListRequest, AuthenticateRequest, DefragmentRequest,
    HashKvRequest, LeaseGrantRequest, LeaseKeepAliveRequest, LeaseLeasesRequest,
    LeaseRevokeRequest, LeaseTimeToLiveRequest, MemberListRequest, MemberRemoveRequest, Permission,
    PermissionType, PutRequest, RangeRequest, Request, RequestOp, Response, StatusRequest,
    TxnRequest, WatchCreateRequest, WatchRequest,
};
use etcd_playground::etcdserver::ServerConfig;
use etcd_playground::types::{LeaseId, MemberId};
use support::{Run, put};

const NO_USER: &str = "etcdserver: user name is empty";
const DENIED: &str = "etcdserver: permission denied";
const BAD_TOKEN: &str = "etcdserver: invalid auth token";

/// The cheapest hashes.
fn cheap(config: &mut ServerConfig) {
    config.auth.bcrypt_cost = 4;
}

fn auth(run: &mut Run, member: MemberId, token: Option<&str>, request: AuthRequest) {
    run.ask_as(member, token, Request::Auth(request)).unwrap();
}

fn add_user(run: &mut Run, member: MemberId, name: &str, password: &str) {
    let (name, password) = (name.to_owned(), password.to_owned());
    let add = AuthUserAddRequest { name, password, ..Default::default() };
    auth(run, member, None, AuthRequest::UserAdd(add));
}

fn grant_role(user: &str, role: &str) -> AuthRequest {
    let (user, role) = (user.to_owned(), role.to_owned());
    AuthRequest::UserGrantRole(AuthUserGrantRoleRequest { user, role })
}

fn log_in(run: &mut Run, member: MemberId, name: &str, password: &str) -> Result<String, String> {
    let (name, password) = (name.to_owned(), password.to_owned());
    let login = AuthenticateRequest { name, password };
    match run.ask(member, Request::Authenticate(login))? {
        Response::Authenticate(response) => Ok(response.token),
        other => panic!("{other:?}"),
    }
}

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn range(key: &str, serializable: bool) -> Request {
    Request::Range(RangeRequest { key: bytes(key), serializable, ..Default::default() })
}

fn permission(perm_type: PermissionType, key: &str, range_end: &str) -> Permission {
    Permission { perm_type, key: bytes(key), range_end: bytes(range_end) }
}

/// root and alice, who may read and write from `a` to `c`, and read `r`; auth is on.
fn with_users(run: &mut Run) -> (MemberId, String, String) {
    let leader = run.wait_leader();
    let follower = run.follower();
    add_user(run, leader, "root", "secret");
    add_user(run, follower, "alice", "wonder");
    auth(run, leader, None, grant_role("root", "root"));
    let role = || "mine".to_owned();
    auth(run, leader, None, AuthRequest::RoleAdd(AuthRoleAddRequest { name: role() }));
    for perm in
        [permission(PermissionType::ReadWrite, "a", "c"), permission(PermissionType::Read, "r", "")]
    {
        let grant = AuthRoleGrantPermissionRequest { name: role(), perm: Some(perm) };
        auth(run, leader, None, AuthRequest::RoleGrantPermission(grant));
    }
    auth(run, leader, None, grant_role("alice", "mine"));
    auth(run, leader, None, AuthRequest::Enable(AuthEnableRequest {}));
    let root = log_in(run, follower, "root", "secret").unwrap();
    let alice = log_in(run, leader, "alice", "wonder").unwrap();
    (leader, root, alice)
}

#[test]
fn auth_is_enabled_only_with_a_root_user_that_has_the_root_role() {
    let mut run = Run::new(3, 1, cheap);
    let leader = run.wait_leader();
    let enable = || Request::Auth(AuthRequest::Enable(AuthEnableRequest {}));
    assert_eq!(run.ask(leader, enable()).unwrap_err(), "etcdserver: root user does not exist");
    assert_eq!(
        log_in(&mut run, leader, "root", "secret").unwrap_err(),
        "etcdserver: authentication is not enabled"
    );
    add_user(&mut run, leader, "root", "secret");
    assert_eq!(
        run.ask(leader, enable()).unwrap_err(),
        "etcdserver: root user does not have root role"
    );
    auth(&mut run, leader, None, grant_role("root", "root"));
    assert!(run.ask(leader, enable()).is_ok());
    run.run_ms(200);
    for member in run.ids() {
        assert_eq!(run.ask(member, put("k", "1")).unwrap_err(), NO_USER);
        assert_eq!(run.ask(member, range("k", true)).unwrap_err(), NO_USER);
        assert_eq!(
            log_in(&mut run, member, "root", "wrong").unwrap_err(),
            "etcdserver: authentication failed, invalid user ID or password"
        );
    }
    let root = log_in(&mut run, leader, "root", "secret").unwrap();
    for member in run.ids() {
        assert!(run.ask_as(member, Some(&root), put("k", "1")).is_ok(), "known on every member");
        let forged = format!("x{root}");
        assert_eq!(run.ask_as(member, Some(&forged), put("k", "1")).unwrap_err(), BAD_TOKEN);
    }
    auth(&mut run, leader, Some(&root), AuthRequest::Disable(AuthDisableRequest {}));
    run.run_ms(200);
    for member in run.ids() {
        assert!(run.ask(member, put("k", "2")).is_ok());
    }
    run.assert_equal();
}

#[test]
fn a_user_may_do_what_its_roles_say_at_every_member() {
    let mut run = Run::new(3, 2, cheap);
    let (leader, root, alice) = with_users(&mut run);
    run.ask_as(leader, Some(&root), put("r", "1")).unwrap();
    run.ask_as(leader, Some(&root), put("z", "1")).unwrap();
    let write = |key: &str| RequestOp::Put(PutRequest { key: bytes(key), ..Default::default() });
    let read = |key: &str| RequestOp::Range(RangeRequest { key: bytes(key), ..Default::default() });
    let txn =
        |success, failure| Request::Txn(TxnRequest { success, failure, ..Default::default() });
    let previous = PutRequest { key: bytes("b"), prev_kv: true, ..Default::default() };
    for member in run.ids() {
        for (allowed, request) in [
            (true, put("a", "1")),
            (false, put("c", "1")),
            (false, put("r", "1")),
            (true, range("b", false)),
            (true, range("r", true)),
            (false, range("z", false)),
            (false, range("z", true)),
            (true, Request::Put(previous.clone())),
            (true, txn(vec![write("a")], vec![read("r")])),
            (false, txn(vec![write("a")], vec![read("z")])),
            (false, txn(vec![read("z")], vec![])),
            (true, Request::Status(StatusRequest {})),
            (true, Request::MemberList(MemberListRequest { linearizable: true })),
            (true, Request::Alarm(AlarmRequest::List)),
            (false, Request::HashKv(HashKvRequest { revision: 0 })),
            (false, Request::Defragment(DefragmentRequest {})),
            (false, Request::MemberRemove(MemberRemoveRequest { id: MemberId(9) })),
            (false, Request::Auth(AuthRequest::UserList(AuthUserListRequest {}))),
        ] {
            let result = run.ask_as(member, Some(&alice), request.clone());
            let expected = if allowed { None } else { Some(DENIED.to_owned()) };
            assert_eq!(result.err(), expected, "{request:?}");
            assert_eq!(
                run.ask(member, request.clone()).err().as_deref(),
                Some(NO_USER),
                "{request:?}"
            );
        }
    }
    let list = Request::Auth(AuthRequest::UserList(AuthUserListRequest {}));
    match run.ask_as(leader, Some(&root), list) {
        Ok(Response::Auth(etcd_playground::api::AuthResponse::UserList(list))) => {
            assert_eq!(list.users, ["alice", "root"]);
            assert_eq!(list.header.member_id, leader);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_watch_without_the_right_is_created_and_canceled() {
    let mut run = Run::new(3, 3, cheap);
    let (leader, root, alice) = with_users(&mut run);
    let create = |key: &str| {
        WatchRequest::Create(WatchCreateRequest { key: bytes(key), ..Default::default() })
    };
    let denied = "rpc error: code = PermissionDenied desc = etcdserver: permission denied";
    let nobody = "rpc error: code = InvalidArgument desc = etcdserver: user name is empty";
    let forged = "rpc error: code = Unauthenticated desc = etcdserver: invalid auth token";
    for (token, key, reason) in [
        (Some(alice.clone()), "z", denied),
        (None, "a", nobody),
        (Some("forged.1".to_owned()), "a", forged),
    ] {
        let watch = run.sim.open_watch_as(leader, token, create(key));
        run.run_ms(300);
        let told = &run.watched[&watch];
        assert_eq!(told.len(), 1);
        assert!(told[0].created && told[0].canceled && told[0].watch_id.0 == -1, "{told:?}");
        assert_eq!(told[0].cancel_reason, reason);
    }
    let watch = run.sim.open_watch_as(leader, Some(alice), create("a"));
    run.run_ms(300);
    run.ask_as(leader, Some(&root), put("a", "1")).unwrap();
    run.run_ms(300);
    assert_eq!(run.events(watch).len(), 1);
}

#[test]
fn a_lease_needs_the_right_to_write_what_is_attached_and_expires_without_anybody() {
    let mut run = Run::new(3, 4, cheap);
    let (leader, root, alice) = with_users(&mut run);
    let follower = run.follower();
    let grant = |id, ttl| Request::LeaseGrant(LeaseGrantRequest { id: LeaseId(id), ttl });
    let put_with = |key: &str, id| {
        Request::Put(PutRequest { key: bytes(key), lease: LeaseId(id), ..Default::default() })
    };
    assert_eq!(run.ask(follower, grant(1, 600)).unwrap_err(), NO_USER);
    for id in [1, 2] {
        run.ask_as(follower, Some(&alice), grant(id, 600)).unwrap();
    }
    run.ask_as(leader, Some(&alice), put_with("a", 1)).unwrap();
    run.ask_as(leader, Some(&root), put_with("z", 2)).unwrap();
    run.run_ms(200);
    let keep_alive = |id| Request::LeaseKeepAlive(LeaseKeepAliveRequest { id: LeaseId(id) });
    let ask = |id, keys| Request::LeaseTimeToLive(LeaseTimeToLiveRequest { id: LeaseId(id), keys });
    let revoke = |id| Request::LeaseRevoke(LeaseRevokeRequest { id: LeaseId(id) });
    for member in [leader, follower] {
        for (allowed, request) in [
            (true, keep_alive(1)),
            (false, keep_alive(2)),
            (true, ask(1, true)),
            (true, ask(2, false)),
            (false, ask(2, true)),
            (false, revoke(2)),
            (false, put_with("a", 2)),
            (false, Request::LeaseLeases(LeaseLeasesRequest {})),
        ] {
            let result = run.ask_as(member, Some(&alice), request.clone());
            let expected = if allowed { None } else { Some(DENIED.to_owned()) };
            assert_eq!(result.err(), expected, "{request:?}");
            assert_eq!(
                run.ask(member, request.clone()).err().as_deref(),
                Some(NO_USER),
                "{request:?}"
            );
        }
    }
    run.ask_as(leader, Some(&alice), revoke(1)).unwrap();
    run.ask_as(leader, Some(&root), grant(3, 3)).unwrap();
    run.ask_as(leader, Some(&root), put_with("y", 3)).unwrap();
    run.run_ms(6_000);
    match run.ask_as(leader, Some(&root), range("y", false)) {
        Ok(Response::Range(found)) => assert!(found.kvs.is_empty(), "it expired"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_restart_keeps_users_and_forgets_tokens() {
    let mut run = Run::new(3, 5, cheap);
    let (_, root, _) = with_users(&mut run);
    run.run_ms(500);
    for member in run.ids() {
        run.sim.kill(member);
    }
    run.run_ms(500);
    for member in run.ids() {
        run.sim.restart(member);
    }
    let leader = run.wait_leader();
    for member in run.ids() {
        assert_eq!(run.ask(member, put("k", "1")).unwrap_err(), NO_USER);
        assert_eq!(run.ask_as(member, Some(&root), put("k", "1")).unwrap_err(), BAD_TOKEN);
    }
    let alice = log_in(&mut run, leader, "alice", "wonder").unwrap();
    assert!(run.ask_as(leader, Some(&alice), put("a", "1")).is_ok());
    assert_eq!(run.ask_as(leader, Some(&alice), put("z", "1")).unwrap_err(), DENIED);
    run.assert_nobody_crashed();
}

#[test]
fn a_snapshot_brings_users_and_takes_the_tokens_of_those_who_changed() {
    let mut run = Run::new(3, 6, |config| {
        cheap(config);
        config.snapshot_count = 30;
        config.snapshot_catchup_entries = 5;
    });
    let (leader, root, _) = with_users(&mut run);
    let behind = run.follower();
    run.sim.kill(behind);
    let change = AuthUserChangePasswordRequest {
        name: "alice".to_owned(),
        password: "changed".to_owned(),
        ..Default::default()
    };
    auth(&mut run, leader, Some(&root), AuthRequest::UserChangePassword(change));
    for number in 0..100 {
        run.ask_as(leader, Some(&root), put("k", &number.to_string())).unwrap();
    }
    run.sim.restart(behind);
    run.run_ms(5_000);
    assert_eq!(run.ask(behind, range("k", true)).unwrap_err(), NO_USER, "auth is on there");
    assert_eq!(
        log_in(&mut run, behind, "alice", "wonder").unwrap_err(),
        "etcdserver: authentication failed, invalid user ID or password"
    );
    let alice = log_in(&mut run, behind, "alice", "changed").unwrap();
    assert!(run.ask_as(behind, Some(&alice), put("a", "1")).is_ok());
    assert_eq!(run.ask_as(behind, Some(&alice), range("k", true)).unwrap_err(), DENIED);
    run.assert_nobody_crashed();
}

#[test]
fn a_token_not_used_for_its_time_is_forgotten() {
    let mut run = Run::new(1, 7, |config| {
        cheap(config);
        config.auth.token_ttl_ms = 10_000;
    });
    let leader = run.wait_leader();
    add_user(&mut run, leader, "root", "secret");
    auth(&mut run, leader, None, grant_role("root", "root"));
    auth(&mut run, leader, None, AuthRequest::Enable(AuthEnableRequest {}));
    let root = log_in(&mut run, leader, "root", "secret").unwrap();
    for _ in 0..4 {
        run.run_ms(6_000);
        assert!(run.ask_as(leader, Some(&root), put("k", "1")).is_ok());
    }
    run.run_ms(12_000);
    assert_eq!(run.ask_as(leader, Some(&root), put("k", "1")).unwrap_err(), BAD_TOKEN);
}

#[test]
fn a_request_identified_before_a_change_is_refused_as_old() {
    let mut run = Run::new(3, 8, cheap);
    let (leader, root, alice) = with_users(&mut run);
    // Both are identified now; the change is applied first.
    let role = Request::Auth(AuthRequest::RoleAdd(AuthRoleAddRequest { name: "new".to_owned() }));
    let change = run.sim.request_as(leader, Some(root), role);
    let write = run.sim.request_as(leader, Some(alice.clone()), put("a", "1"));
    run.run_ms(1_000);
    assert!(run.reply(change).unwrap().is_ok());
    assert_eq!(run.reply(write).unwrap().unwrap_err(), "etcdserver: revision of auth store is old");
    assert!(run.ask_as(leader, Some(&alice), put("a", "1")).is_ok());
}
