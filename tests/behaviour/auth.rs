//! Users and rights: behaviours 78 and 79, and reports 46 to 51.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use etcd_playground::api::{
    AuthEnableRequest, AuthRequest, AuthResponse, AuthRoleAddRequest, AuthRoleGetRequest,
    AuthRoleGrantPermissionRequest, AuthUserAddRequest, AuthUserGrantRoleRequest,
    AuthenticateRequest, CompareResult, CompareTarget, LeaseRevokeRequest, Permission,
    PermissionType, PutRequest, Request, Response, TxnRequest, WatchRequest,
};
use etcd_playground::types::LeaseId;

use super::one::*;

const DENIED: &str = "etcdserver: permission denied";
const NO_USER: &str = "etcdserver: user name is empty";

/// The cheapest hashes.
fn fresh() -> One {
    One::with(|config| config.auth.bcrypt_cost = 4)
}

fn auth(one: &mut One, request: AuthRequest) -> Result<Response, String> {
    one.ask(Request::Auth(request))
}

fn enable(one: &mut One) -> Result<Response, String> {
    auth(one, AuthRequest::Enable(AuthEnableRequest {}))
}

fn add_user(one: &mut One, name: &str) {
    let add = AuthUserAddRequest {
        name: name.to_owned(),
        password: format!("{name} pass"),
        ..Default::default()
    };
    auth(one, AuthRequest::UserAdd(add)).unwrap();
}

fn add_role(one: &mut One, name: &str) {
    auth(one, AuthRequest::RoleAdd(AuthRoleAddRequest { name: name.to_owned() })).unwrap();
}

fn give_role(one: &mut One, user: &str, role: &str) {
    let give = AuthUserGrantRoleRequest { user: user.to_owned(), role: role.to_owned() };
    auth(one, AuthRequest::UserGrantRole(give)).unwrap();
}

fn permit(one: &mut One, role: &str, perm_type: PermissionType, key: &str, range_end: &str) {
    let perm = Permission { perm_type, key: bytes(key), range_end: bytes(range_end) };
    let grant = AuthRoleGrantPermissionRequest { name: role.to_owned(), perm: Some(perm) };
    auth(one, AuthRequest::RoleGrantPermission(grant)).unwrap();
}

fn log_in(one: &mut One, name: &str) -> String {
    let login = AuthenticateRequest { name: name.to_owned(), password: format!("{name} pass") };
    match one.ask(Request::Authenticate(login)) {
        Ok(Response::Authenticate(done)) => done.token,
        other => panic!("{other:?}"),
    }
}

/// root with its role, and alice with the role `mine`; auth is on.
fn with_alice(permissions: &[(PermissionType, &str, &str)]) -> (One, String, String) {
    let mut one = fresh();
    for name in ["root", "alice"] {
        add_user(&mut one, name);
    }
    give_role(&mut one, "root", "root");
    add_role(&mut one, "mine");
    give_role(&mut one, "alice", "mine");
    for (kind, key, range_end) in permissions {
        permit(&mut one, "mine", *kind, key, range_end);
    }
    enable(&mut one).unwrap();
    let (root, alice) = (log_in(&mut one, "root"), log_in(&mut one, "alice"));
    (one, root, alice)
}

/// Nothing, or what it was refused with.
fn ask_as(one: &mut One, token: &str, request: Request) -> Option<String> {
    one.run.ask_as(one.member, Some(token), request).err()
}

fn refused() -> Option<String> {
    Some(DENIED.to_owned())
}

#[test]
fn behaviour_78_rights_are_ranges_of_bytes_and_a_transaction_needs_those_of_both_branches() {
    let mut one = fresh();
    assert_eq!(enable(&mut one).unwrap_err(), "etcdserver: root user does not exist");
    let (mut one, root, alice) =
        with_alice(&[(PermissionType::ReadWrite, "a", "c"), (PermissionType::Read, "r", "")]);
    for key in ["a", "b", "r", "z"] {
        assert_eq!(ask_as(&mut one, &root, Request::Put(put(key, "v"))), None, "root may all");
    }
    let previous = |key| Request::Put(PutRequest { prev_kv: true, ..put(key, "v") });
    let read_compare = |key| {
        Request::Txn(TxnRequest {
            compare: vec![compare(key, CompareResult::Equal, CompareTarget::Version(1))],
            ..Default::default()
        })
    };
    let both =
        |success, failure| Request::Txn(TxnRequest { success, failure, ..Default::default() });
    for (request, allowed) in [
        (Request::Put(put("a", "v")), true),
        (Request::Put(put("b\u{7f}", "v")), true),
        (Request::Put(put("c", "v")), false),
        (Request::Put(put("r", "v")), false),
        (previous("b"), true),
        (Request::Range(range("r", "")), true),
        (Request::Range(range("r", "s")), false),
        (Request::Range(range("a", "c")), true),
        (Request::Range(range("a", "d")), false),
        (both(vec![put_op("a", "1")], vec![get_op("r")]), true),
        (both(vec![put_op("a", "1")], vec![get_op("z")]), false),
        (both(vec![put_op("a", "1")], vec![put_op("r", "1")]), false),
        (read_compare("r"), true),
        (read_compare("z"), false),
    ] {
        let want = if allowed { None } else { refused() };
        assert_eq!(ask_as(&mut one, &alice, request.clone()), want, "{request:?}");
    }
}

#[test]
fn behaviour_79_a_watch_or_revocation_without_the_right_is_refused() {
    let (mut one, root, alice) =
        with_alice(&[(PermissionType::ReadWrite, "a", "c"), (PermissionType::Read, "r", "")]);
    let open = |one: &mut One, key: &str| {
        let create = WatchRequest::Create(watch(key, 0));
        let call = one.run.sim.open_watch_as(one.member, Some(alice.clone()), create);
        one.heard(call)
    };
    let heard = open(&mut one, "z");
    assert_eq!(heard.len(), 1);
    assert!(heard[0].created && heard[0].canceled);
    let reason = format!("rpc error: code = PermissionDenied desc = {DENIED}");
    assert_eq!((heard[0].watch_id.0, heard[0].cancel_reason.clone()), (-1, reason));
    let heard = open(&mut one, "r");
    assert!(heard[0].created && !heard[0].canceled);
    let grant = etcd_playground::api::LeaseGrantRequest { id: LeaseId(7), ttl: 60 };
    assert_eq!(ask_as(&mut one, &alice, Request::LeaseGrant(grant)), None);
    let attach = |key| Request::Put(PutRequest { lease: LeaseId(7), ..put(key, "v") });
    assert_eq!(ask_as(&mut one, &alice, attach("a")), None);
    assert_eq!(ask_as(&mut one, &root, attach("r")), None);
    let revoke = || Request::LeaseRevoke(LeaseRevokeRequest { id: LeaseId(7) });
    assert_eq!(ask_as(&mut one, &alice, revoke()), refused(), "it would delete r");
    assert_eq!(ask_as(&mut one, &root, revoke()), None);
}

#[test]
fn report_46_the_role_root_may_all_whatever_it_was_granted() {
    let mut one = fresh();
    add_user(&mut one, "root");
    add_role(&mut one, "root");
    permit(&mut one, "root", PermissionType::ReadWrite, "foo", "");
    give_role(&mut one, "root", "root");
    enable(&mut one).unwrap();
    let root = log_in(&mut one, "root");
    assert_eq!(ask_as(&mut one, &root, Request::Put(put("other", "v"))), None);
    assert_eq!(ask_as(&mut one, &root, Request::Range(everything())), None);
}

#[test]
fn report_47_a_star_is_a_byte_and_ranges_are_of_bytes() {
    let (mut one, _, alice) = with_alice(&[
        (PermissionType::ReadWrite, "etcd*", ""),
        (PermissionType::ReadWrite, "etcd0", "etcd100"),
    ]);
    for (key, allowed) in [
        ("etcd*", true),
        ("etcdx", false),
        ("etcd20", false),
        ("etcd020", true),
        ("etcd0", true),
        ("etcd100", false),
    ] {
        let want = if allowed { None } else { refused() };
        assert_eq!(ask_as(&mut one, &alice, Request::Range(range(key, ""))), want, "{key}");
    }
}

/// The line that `role get` prints of it is the console's, which has no `role` command yet.
#[test]
fn report_48_a_prefix_is_the_range_up_to_its_last_byte_plus_one() {
    let (mut one, root, alice) = with_alice(&[(PermissionType::ReadWrite, "/a/", "/a0")]);
    let get = AuthRequest::RoleGet(AuthRoleGetRequest { role: "mine".to_owned() });
    match one.run.ask_as(one.member, Some(&root), Request::Auth(get)) {
        Ok(Response::Auth(AuthResponse::RoleGet(told))) => {
            let range = (text(&told.perm[0].key), text(&told.perm[0].range_end));
            assert_eq!(range, ("/a/".to_owned(), "/a0".to_owned()));
        }
        other => panic!("{other:?}"),
    }
    for (key, allowed) in
        [("/a/", true), ("/a/b", true), ("/a/\u{7f}", true), ("/a0", false), ("/a", false)]
    {
        let want = if allowed { None } else { refused() };
        assert_eq!(ask_as(&mut one, &alice, Request::Put(put(key, "v"))), want, "{key}");
    }
}

#[test]
fn report_51_without_a_token_there_is_no_user_and_a_token_of_before_a_change_is_old() {
    let (mut one, root, alice) = with_alice(&[(PermissionType::ReadWrite, "a", "c")]);
    assert_eq!(one.try_put(put("a", "v")).unwrap_err(), NO_USER);
    assert_eq!(one.range(range("a", "")).unwrap_err(), NO_USER);
    // Identified before the change and applied after it: refused, alike on every member.
    let write =
        one.run.sim.request_as(one.member, Some(alice.clone()), Request::Put(put("a", "v")));
    let add = AuthRoleAddRequest { name: "more".to_owned() };
    let change = Request::Auth(AuthRequest::RoleAdd(add));
    let first = one.run.sim.request_as(one.member, Some(root.clone()), change);
    let late = one.run.sim.request_as(one.member, Some(alice.clone()), Request::Put(put("b", "v")));
    one.run.run_ms(1_000);
    assert!(one.run.reply(write).unwrap().is_ok());
    assert!(one.run.reply(first).unwrap().is_ok());
    let old = one.run.reply(late).unwrap().unwrap_err();
    assert_eq!(old, "etcdserver: revision of auth store is old");
    assert_eq!(
        ask_as(&mut one, &alice, Request::Put(put("b", "v"))),
        None,
        "asked again it passes"
    );
}
