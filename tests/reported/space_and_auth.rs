//! E: space and auth.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use bytes::Bytes;
use etcd_playground::api::{
    AlarmMember, AlarmRequest, AlarmType, AuthEnableRequest, AuthRequest, AuthResponse,
    AuthRoleAddRequest, AuthRoleGetRequest, AuthRoleGrantPermissionRequest, AuthUserAddRequest,
    AuthUserGrantRoleRequest, AuthenticateRequest, DefragmentRequest, Permission, PermissionType,
    PutRequest, RangeRequest, Request, Response, StatusRequest,
};
use etcd_playground::types::MemberId;

use crate::support::{Run, put};
use crate::talk::del;

const NO_SPACE: &str = "etcdserver: mvcc: database space exceeded";
const DENIED: &str = "etcdserver: permission denied";

fn size(run: &mut Run, member: MemberId) -> (i64, i64) {
    match run.ask(member, Request::Status(StatusRequest {})) {
        Ok(Response::Status(status)) => (status.db_size, status.db_size_in_use),
        other => panic!("{other:?}"),
    }
}

/// 44 and 45
#[test]
fn space_comes_back_by_compaction_and_defragmentation_and_the_alarm_goes_by_hand() {
    let mut run = Run::new(1, 1, |config| config.quota_bytes = 200_000);
    let only = run.wait_leader();
    run.put(only, "big", &"x".repeat(150_000)).unwrap();
    assert_eq!(run.put(only, "big", &"x".repeat(150_000)).unwrap_err(), NO_SPACE);
    let grant = etcd_playground::api::LeaseGrantRequest { ttl: 10, ..Default::default() };
    assert_eq!(run.ask(only, Request::LeaseGrant(grant)).unwrap_err(), NO_SPACE);
    assert!(run.get(only, "big", false).unwrap().is_some());
    assert_eq!(del(&mut run, only, "big"), 3);
    run.compact(only, 3);
    run.run_ms(300);
    let (file, in_use) = size(&mut run, only);
    assert!(file > 150_000 && in_use == 20_480, "{file} {in_use}");
    assert_eq!(run.put(only, "k", "v").unwrap_err(), NO_SPACE);
    run.ask(only, Request::Defragment(DefragmentRequest {})).unwrap();
    assert_eq!(size(&mut run, only), (20_480, 20_480));
    assert_eq!(run.put(only, "k", "v").unwrap_err(), NO_SPACE, "the alarm stands");
    let alarm = AlarmMember { member_id: only, alarm: AlarmType::NoSpace };
    run.ask(only, Request::Alarm(AlarmRequest::Disarm(alarm))).unwrap();
    assert_eq!(run.put(only, "k", "v"), Ok(4));
}

/// A member with auth off.
fn open() -> (Run, MemberId) {
    let mut run = Run::new(1, 2, |config| config.auth.bcrypt_cost = 4);
    let only = run.wait_leader();
    (run, only)
}

fn auth(run: &mut Run, to: MemberId, request: AuthRequest) -> AuthResponse {
    match run.ask(to, Request::Auth(request)) {
        Ok(Response::Auth(answer)) => answer,
        other => panic!("{other:?}"),
    }
}

fn user(run: &mut Run, to: MemberId, name: &str, role: &str) {
    let (user, role) = (name.to_owned(), role.to_owned());
    let add = AuthUserAddRequest {
        name: user.clone(),
        password: "secret".to_owned(),
        ..Default::default()
    };
    auth(run, to, AuthRequest::UserAdd(add));
    auth(run, to, AuthRequest::UserGrantRole(AuthUserGrantRoleRequest { user, role }));
}

fn role(run: &mut Run, to: MemberId, name: &str, key: &[u8], range_end: &[u8]) {
    let name = name.to_owned();
    auth(run, to, AuthRequest::RoleAdd(AuthRoleAddRequest { name: name.clone() }));
    permit(run, to, &name, key, range_end);
}

fn permit(run: &mut Run, to: MemberId, name: &str, key: &[u8], range_end: &[u8]) {
    let perm = Some(Permission {
        perm_type: PermissionType::ReadWrite,
        key: Bytes::copy_from_slice(key),
        range_end: Bytes::copy_from_slice(range_end),
    });
    let grant = AuthRoleGrantPermissionRequest { name: name.to_owned(), perm };
    auth(run, to, AuthRequest::RoleGrantPermission(grant));
}

fn enable(run: &mut Run, to: MemberId) {
    user(run, to, "root", "root");
    auth(run, to, AuthRequest::Enable(AuthEnableRequest {}));
}

fn login(run: &mut Run, to: MemberId, name: &str) -> String {
    let (name, password) = (name.to_owned(), "secret".to_owned());
    match run.ask(to, Request::Authenticate(AuthenticateRequest { name, password })) {
        Ok(Response::Authenticate(answer)) => answer.token,
        other => panic!("{other:?}"),
    }
}

fn get_as(run: &mut Run, to: MemberId, token: &str, key: &str) -> Result<(), String> {
    let key = Bytes::copy_from_slice(key.as_bytes());
    let range = RangeRequest { key, ..Default::default() };
    run.ask_as(to, Some(token), Request::Range(range)).map(|_| ())
}

/// 46
#[test]
fn the_role_root_may_do_everything_whatever_its_permissions_say() {
    let (mut run, only) = open();
    role(&mut run, only, "root", b"foo", b"");
    enable(&mut run, only);
    let token = login(&mut run, only, "root");
    assert!(run.ask_as(only, Some(&token), put("other", "v")).is_ok());
}

/// 47
#[test]
fn ranges_of_permissions_are_bytewise_and_an_asterisk_is_a_letter() {
    let (mut run, only) = open();
    role(&mut run, only, "r", b"etcd*", b"");
    permit(&mut run, only, "r", b"etcd0", b"etcd100");
    user(&mut run, only, "alice", "r");
    enable(&mut run, only);
    let token = login(&mut run, only, "alice");
    assert_eq!(get_as(&mut run, only, &token, "etcd*"), Ok(()));
    assert_eq!(get_as(&mut run, only, &token, "etcd5").unwrap_err(), DENIED);
    assert_eq!(get_as(&mut run, only, &token, "etcd20").unwrap_err(), DENIED);
    assert_eq!(get_as(&mut run, only, &token, "etcd020"), Ok(()));
    assert_eq!(get_as(&mut run, only, &token, "etcd10"), Ok(()));
}

/// 48
#[test]
fn a_prefix_ends_at_its_last_byte_plus_one() {
    let (mut run, only) = open();
    role(&mut run, only, "r", b"/a/", b"/a0");
    let asked = AuthRequest::RoleGet(AuthRoleGetRequest { role: "r".to_owned() });
    let AuthResponse::RoleGet(got) = auth(&mut run, only, asked) else { panic!() };
    assert_eq!((&got.perm[0].key[..], &got.perm[0].range_end[..]), (&b"/a/"[..], &b"/a0"[..]));
    user(&mut run, only, "alice", "r");
    enable(&mut run, only);
    let token = login(&mut run, only, "alice");
    assert_eq!(get_as(&mut run, only, &token, "/a/x"), Ok(()));
    assert_eq!(get_as(&mut run, only, &token, "/a0").unwrap_err(), DENIED);
}

/// 51
#[test]
fn without_a_token_nobody_has_a_name_and_every_member_decides_the_same() {
    let mut run = Run::new(3, 3, |config| config.auth.bcrypt_cost = 4);
    let leader = run.wait_leader();
    role(&mut run, leader, "r", b"mine", b"");
    user(&mut run, leader, "alice", "r");
    enable(&mut run, leader);
    run.run_ms(300);
    let empty = "etcdserver: user name is empty";
    assert_eq!(run.put(leader, "mine", "v").unwrap_err(), empty);
    let token = login(&mut run, leader, "alice");
    run.run_ms(300);
    for id in run.ids() {
        let wrong = put("theirs", "v");
        assert_eq!(run.ask_as(id, Some(&token), wrong).unwrap_err(), DENIED);
        let request = PutRequest { key: Bytes::from_static(b"mine"), ..Default::default() };
        assert!(run.ask_as(id, Some(&token), Request::Put(request)).is_ok());
    }
    assert_eq!(
        run.ask_as(leader, Some("forged.1"), put("mine", "v")).unwrap_err(),
        "etcdserver: invalid auth token"
    );
    run.run_ms(300);
    let applied: Vec<_> =
        run.ids().iter().map(|id| run.sim.status(*id).unwrap().revision).collect();
    assert!(applied.iter().all(|revision| *revision == 4), "{applied:?}");
}
