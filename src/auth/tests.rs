//! The auth store as a whole, suite by suite of etcd's `server/auth`, `apply` and recorded answers.

mod appliers;
mod permissions;
mod recorded;
mod store;
mod tokens;

use bytes::Bytes;

use super::password::{BCRYPT_COST_MIN, decode};
use super::{
    AuthConfig, AuthInfo, AuthStore, Identity, InternalAuthenticateRequest, hash_password,
};
use crate::api::{
    AuthDisableRequest, AuthEnableRequest, AuthRequest, AuthResponse, AuthRoleAddRequest,
    AuthRoleDeleteRequest, AuthRoleGetRequest, AuthRoleGrantPermissionRequest, AuthRoleListRequest,
    AuthRoleRevokePermissionRequest, AuthStatusRequest, AuthUserAddRequest,
    AuthUserChangePasswordRequest, AuthUserDeleteRequest, AuthUserGetRequest,
    AuthUserGrantRoleRequest, AuthUserListRequest, AuthUserRevokeRoleRequest, Error, Permission,
    PermissionType, UserAddOptions,
};
use crate::random::Pcg32;
use crate::types::{Index, Millis};

const READ: PermissionType = PermissionType::Read;
const WRITE: PermissionType = PermissionType::Write;
const READ_WRITE: PermissionType = PermissionType::ReadWrite;

fn random() -> Pcg32 {
    Pcg32::for_stream(11, &[1])
}

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn empty_store() -> AuthStore {
    AuthStore::new(AuthConfig { bcrypt_cost: BCRYPT_COST_MIN, ..AuthConfig::default() })
}

/// Auth is on; there are root with the role root, foo with the password bar and no role, and the role
/// role-test. The revision is 6.
fn store() -> AuthStore {
    let mut store = empty_store();
    ok(&mut store, user_add("root", "root"));
    ok(&mut store, role_add("root"));
    ok(&mut store, grant_role("root", "root"));
    ok(&mut store, enable());
    ok(&mut store, role_add("role-test"));
    ok(&mut store, user_add("foo", "bar"));
    store
}

/// Applies a request as a member would, hash first, and holds the state against its invariants.
fn apply(store: &mut AuthStore, request: AuthRequest) -> Result<AuthResponse, Error> {
    let before = store.state().clone();
    let request = store.prepare(request, &mut random())?;
    let result = store.apply(&request);
    store.state().validate().unwrap();
    assert_eq!(store.permissions, recovered(store).permissions, "the cache follows the state");
    if result.is_err() {
        assert_eq!(*store.state(), before, "an error changes nothing");
    }
    result
}

#[track_caller]
fn ok(store: &mut AuthStore, request: AuthRequest) -> AuthResponse {
    apply(store, request).unwrap()
}

#[track_caller]
fn fails(store: &mut AuthStore, request: AuthRequest, error: Error) {
    assert_eq!(apply(store, request).unwrap_err(), error);
}

/// Another store with the same state.
fn recovered(store: &AuthStore) -> AuthStore {
    let mut other = empty_store();
    other.recover(store.state().clone()).unwrap();
    other
}

fn enable() -> AuthRequest {
    AuthRequest::Enable(AuthEnableRequest {})
}

fn disable() -> AuthRequest {
    AuthRequest::Disable(AuthDisableRequest {})
}

fn status() -> AuthRequest {
    AuthRequest::Status(AuthStatusRequest {})
}

fn user_add(name: &str, password: &str) -> AuthRequest {
    AuthRequest::UserAdd(AuthUserAddRequest {
        name: name.to_owned(),
        password: password.to_owned(),
        ..AuthUserAddRequest::default()
    })
}

fn user_add_without_password(name: &str) -> AuthRequest {
    AuthRequest::UserAdd(AuthUserAddRequest {
        name: name.to_owned(),
        options: Some(UserAddOptions { no_password: true }),
        ..AuthUserAddRequest::default()
    })
}

fn user_get(name: &str) -> AuthRequest {
    AuthRequest::UserGet(AuthUserGetRequest { name: name.to_owned() })
}

fn user_list() -> AuthRequest {
    AuthRequest::UserList(AuthUserListRequest {})
}

fn user_delete(name: &str) -> AuthRequest {
    AuthRequest::UserDelete(AuthUserDeleteRequest { name: name.to_owned() })
}

fn change_password(name: &str, password: &str) -> AuthRequest {
    AuthRequest::UserChangePassword(AuthUserChangePasswordRequest {
        name: name.to_owned(),
        password: password.to_owned(),
        ..AuthUserChangePasswordRequest::default()
    })
}

fn grant_role(user: &str, role: &str) -> AuthRequest {
    AuthRequest::UserGrantRole(AuthUserGrantRoleRequest {
        user: user.to_owned(),
        role: role.to_owned(),
    })
}

fn revoke_role(name: &str, role: &str) -> AuthRequest {
    AuthRequest::UserRevokeRole(AuthUserRevokeRoleRequest {
        name: name.to_owned(),
        role: role.to_owned(),
    })
}

fn role_add(name: &str) -> AuthRequest {
    AuthRequest::RoleAdd(AuthRoleAddRequest { name: name.to_owned() })
}

fn role_get(role: &str) -> AuthRequest {
    AuthRequest::RoleGet(AuthRoleGetRequest { role: role.to_owned() })
}

fn role_list() -> AuthRequest {
    AuthRequest::RoleList(AuthRoleListRequest {})
}

fn role_delete(role: &str) -> AuthRequest {
    AuthRequest::RoleDelete(AuthRoleDeleteRequest { role: role.to_owned() })
}

fn permission(perm_type: PermissionType, key: &str, range_end: &str) -> Permission {
    Permission { perm_type, key: bytes(key), range_end: bytes(range_end) }
}

fn grant(role: &str, perm_type: PermissionType, key: &str, range_end: &str) -> AuthRequest {
    AuthRequest::RoleGrantPermission(AuthRoleGrantPermissionRequest {
        name: role.to_owned(),
        perm: Some(permission(perm_type, key, range_end)),
    })
}

fn revoke(role: &str, key: &str, range_end: &str) -> AuthRequest {
    AuthRequest::RoleRevokePermission(AuthRoleRevokePermissionRequest {
        role: role.to_owned(),
        key: bytes(key),
        range_end: bytes(range_end),
    })
}

#[track_caller]
fn roles_of(store: &mut AuthStore, user: &str) -> Vec<String> {
    let AuthResponse::UserGet(response) = ok(store, user_get(user)) else { unreachable!() };
    response.roles
}

#[track_caller]
fn permissions_of(store: &mut AuthStore, role: &str) -> Vec<Permission> {
    let AuthResponse::RoleGet(response) = ok(store, role_get(role)) else { unreachable!() };
    response.perm
}

#[track_caller]
fn users_in(store: &mut AuthStore) -> Vec<String> {
    let AuthResponse::UserList(response) = ok(store, user_list()) else { unreachable!() };
    response.users
}

#[track_caller]
fn roles_in(store: &mut AuthStore) -> Vec<String> {
    let AuthResponse::RoleList(response) = ok(store, role_list()) else { unreachable!() };
    response.roles
}

/// Who a user is now.
fn as_user(store: &AuthStore, name: &str) -> AuthInfo {
    AuthInfo { username: name.to_owned(), revision: store.revision() }
}

/// Logs a user in by the entry at `index`, the password unasked.
#[track_caller]
fn token(store: &mut AuthStore, user: &str, index: u64, now: u64) -> String {
    let request = InternalAuthenticateRequest::new(user, &mut random());
    store.authenticate(&request, Index(index), Millis(now)).unwrap().token
}

/// Who holds a token, at a member that applied up to entry 1,000.
fn holder(store: &mut AuthStore, token: &str, now: u64) -> Result<String, Error> {
    match store.identify(Some(token), Index(1_000), Millis(now))? {
        Identity::Known(who) => Ok(who.username),
        Identity::Wait(index) => unreachable!("entry {index} was applied"),
    }
}
