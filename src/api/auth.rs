//! `etcdserverpb.Auth` and `authpb`: users, roles, permissions, tokens.
//!
//! What it is: shapes only, and the closed sums [`AuthRequest`] and [`AuthResponse`] of everything an
//! administrator does, so that a client's request and a log entry carry the same type.
//! What it is not: a rule (see `auth`). [`AuthenticateRequest`] stands outside the sums: it needs no user, and
//! what the log carries of it is another type (`auth::InternalAuthenticateRequest`), without the password.
//! Invariants: see `api`; field names are etcd's.
//! Source: etcd `api/etcdserverpb/rpc.proto` (service `Auth`), `api/authpb/auth.proto`.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::api::ResponseHeader;

/// What a permission allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PermissionType {
    /// `READ`
    #[default]
    Read,
    /// `WRITE`
    Write,
    /// `READWRITE`
    ReadWrite,
}

/// The right to read or write one key or a range of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Permission {
    /// See [`PermissionType`].
    pub perm_type: PermissionType,
    /// First key. Empty is an error; only what `RoleGet` says of the role root has an empty key.
    pub key: Bytes,
    /// Empty: only `key`. `[0]`: to the end of the key space. Otherwise exclusive.
    pub range_end: Bytes,
}

/// How a user is added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserAddOptions {
    /// The user has no password and cannot authenticate by one.
    pub no_password: bool,
}

/// `Auth.AuthEnable`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthEnableRequest {}

/// Answer to [`AuthEnableRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthEnableResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
}

/// `Auth.AuthDisable`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthDisableRequest {}

/// Answer to [`AuthDisableRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthDisableResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
}

/// `Auth.AuthStatus`: needs no user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthStatusRequest {}

/// Answer to [`AuthStatusRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthStatusResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// Whether auth is on.
    pub enabled: bool,
    /// Grows by one with each change of users, roles and grants; 1 at first.
    pub auth_revision: u64,
}

/// `Auth.Authenticate`: name and password for a token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthenticateRequest {
    /// The user's name.
    pub name: String,
    /// The password in plain text; never proposed.
    pub password: String,
}

/// Answer to [`AuthenticateRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthenticateResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// What later requests carry as `token`.
    pub token: String,
}

/// `Auth.UserAdd`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUserAddRequest {
    /// The user's name; empty is an error.
    pub name: String,
    /// The password in plain text; empty once it is hashed.
    pub password: String,
    /// See [`UserAddOptions`]; `None` means the defaults.
    pub options: Option<UserAddOptions>,
    /// The bcrypt hash in base64, filled in by the member before it proposes.
    pub hashed_password: String,
}

/// Answer to [`AuthUserAddRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUserAddResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
}

/// `Auth.UserGet`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUserGetRequest {
    /// The user's name.
    pub name: String,
}

/// Answer to [`AuthUserGetRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUserGetResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// The user's roles, sorted.
    pub roles: Vec<String>,
}

/// `Auth.UserList`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUserListRequest {}

/// Answer to [`AuthUserListRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUserListResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// All users, sorted.
    pub users: Vec<String>,
}

/// `Auth.UserDelete`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUserDeleteRequest {
    /// The user's name.
    pub name: String,
}

/// Answer to [`AuthUserDeleteRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUserDeleteResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
}

/// `Auth.UserChangePassword`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUserChangePasswordRequest {
    /// The user's name.
    pub name: String,
    /// The new password in plain text; empty once it is hashed.
    pub password: String,
    /// As in [`AuthUserAddRequest::hashed_password`].
    pub hashed_password: String,
}

/// Answer to [`AuthUserChangePasswordRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUserChangePasswordResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
}

/// `Auth.UserGrantRole`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUserGrantRoleRequest {
    /// The user's name.
    pub user: String,
    /// The role to grant.
    pub role: String,
}

/// Answer to [`AuthUserGrantRoleRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUserGrantRoleResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
}

/// `Auth.UserRevokeRole`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUserRevokeRoleRequest {
    /// The user's name.
    pub name: String,
    /// The role to take away.
    pub role: String,
}

/// Answer to [`AuthUserRevokeRoleRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUserRevokeRoleResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
}

/// `Auth.RoleAdd`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthRoleAddRequest {
    /// The role's name; empty is an error.
    pub name: String,
}

/// Answer to [`AuthRoleAddRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthRoleAddResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
}

/// `Auth.RoleGet`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthRoleGetRequest {
    /// The role's name.
    pub role: String,
}

/// Answer to [`AuthRoleGetRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthRoleGetResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// The role's permissions, sorted by key.
    pub perm: Vec<Permission>,
}

/// `Auth.RoleList`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthRoleListRequest {}

/// Answer to [`AuthRoleListRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthRoleListResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
    /// All roles, sorted.
    pub roles: Vec<String>,
}

/// `Auth.RoleDelete`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthRoleDeleteRequest {
    /// The role's name.
    pub role: String,
}

/// Answer to [`AuthRoleDeleteRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthRoleDeleteResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
}

/// `Auth.RoleGrantPermission`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthRoleGrantPermissionRequest {
    /// The role's name.
    pub name: String,
    /// What to grant; `None` is an error.
    pub perm: Option<Permission>,
}

/// Answer to [`AuthRoleGrantPermissionRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthRoleGrantPermissionResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
}

/// `Auth.RoleRevokePermission`: names exactly what was granted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthRoleRevokePermissionRequest {
    /// The role's name.
    pub role: String,
    /// As in [`Permission::key`].
    pub key: Bytes,
    /// As in [`Permission::range_end`].
    pub range_end: Bytes,
}

/// Answer to [`AuthRoleRevokePermissionRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthRoleRevokePermissionResponse {
    /// See [`ResponseHeader`].
    pub header: ResponseHeader,
}

/// Everything of the service `Auth` but `Authenticate`. New variants come last: log entries carry it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AuthRequest {
    /// `Auth.AuthEnable`
    Enable(AuthEnableRequest),
    /// `Auth.AuthDisable`
    Disable(AuthDisableRequest),
    /// `Auth.AuthStatus`
    Status(AuthStatusRequest),
    /// `Auth.UserAdd`
    UserAdd(AuthUserAddRequest),
    /// `Auth.UserGet`
    UserGet(AuthUserGetRequest),
    /// `Auth.UserList`
    UserList(AuthUserListRequest),
    /// `Auth.UserDelete`
    UserDelete(AuthUserDeleteRequest),
    /// `Auth.UserChangePassword`
    UserChangePassword(AuthUserChangePasswordRequest),
    /// `Auth.UserGrantRole`
    UserGrantRole(AuthUserGrantRoleRequest),
    /// `Auth.UserRevokeRole`
    UserRevokeRole(AuthUserRevokeRoleRequest),
    /// `Auth.RoleAdd`
    RoleAdd(AuthRoleAddRequest),
    /// `Auth.RoleGet`
    RoleGet(AuthRoleGetRequest),
    /// `Auth.RoleList`
    RoleList(AuthRoleListRequest),
    /// `Auth.RoleDelete`
    RoleDelete(AuthRoleDeleteRequest),
    /// `Auth.RoleGrantPermission`
    RoleGrantPermission(AuthRoleGrantPermissionRequest),
    /// `Auth.RoleRevokePermission`
    RoleRevokePermission(AuthRoleRevokePermissionRequest),
}

/// The answer to an [`AuthRequest`], variant for variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AuthResponse {
    /// `Auth.AuthEnable`
    Enable(AuthEnableResponse),
    /// `Auth.AuthDisable`
    Disable(AuthDisableResponse),
    /// `Auth.AuthStatus`
    Status(AuthStatusResponse),
    /// `Auth.UserAdd`
    UserAdd(AuthUserAddResponse),
    /// `Auth.UserGet`
    UserGet(AuthUserGetResponse),
    /// `Auth.UserList`
    UserList(AuthUserListResponse),
    /// `Auth.UserDelete`
    UserDelete(AuthUserDeleteResponse),
    /// `Auth.UserChangePassword`
    UserChangePassword(AuthUserChangePasswordResponse),
    /// `Auth.UserGrantRole`
    UserGrantRole(AuthUserGrantRoleResponse),
    /// `Auth.UserRevokeRole`
    UserRevokeRole(AuthUserRevokeRoleResponse),
    /// `Auth.RoleAdd`
    RoleAdd(AuthRoleAddResponse),
    /// `Auth.RoleGet`
    RoleGet(AuthRoleGetResponse),
    /// `Auth.RoleList`
    RoleList(AuthRoleListResponse),
    /// `Auth.RoleDelete`
    RoleDelete(AuthRoleDeleteResponse),
    /// `Auth.RoleGrantPermission`
    RoleGrantPermission(AuthRoleGrantPermissionResponse),
    /// `Auth.RoleRevokePermission`
    RoleRevokePermission(AuthRoleRevokePermissionResponse),
}

impl AuthResponse {
    /// The header, for the member to fill in.
    pub const fn header_mut(&mut self) -> &mut ResponseHeader {
        match self {
            Self::Enable(response) => &mut response.header,
            Self::Disable(response) => &mut response.header,
            Self::Status(response) => &mut response.header,
            Self::UserAdd(response) => &mut response.header,
            Self::UserGet(response) => &mut response.header,
            Self::UserList(response) => &mut response.header,
            Self::UserDelete(response) => &mut response.header,
            Self::UserChangePassword(response) => &mut response.header,
            Self::UserGrantRole(response) => &mut response.header,
            Self::UserRevokeRole(response) => &mut response.header,
            Self::RoleAdd(response) => &mut response.header,
            Self::RoleGet(response) => &mut response.header,
            Self::RoleList(response) => &mut response.header,
            Self::RoleDelete(response) => &mut response.header,
            Self::RoleGrantPermission(response) => &mut response.header,
            Self::RoleRevokePermission(response) => &mut response.header,
        }
    }
}
