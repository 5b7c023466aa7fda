//! W10: an administrator who turns auth on and off and changes users, roles and permissions while others work.
//!
//! Invariants: the user root keeps its role and its password, so that the administrator can always go on; everybody's
//! password is a function of the name; permissions come from a few ranges, so that they can be taken back.

use bytes::Bytes;

use super::{Action, Workload, World};
use crate::api::{
    AuthDisableRequest, AuthEnableRequest, AuthRequest, AuthRoleAddRequest, AuthRoleDeleteRequest,
    AuthRoleGetRequest, AuthRoleGrantPermissionRequest, AuthRoleListRequest,
    AuthRoleRevokePermissionRequest, AuthStatusRequest, AuthUserAddRequest,
    AuthUserChangePasswordRequest, AuthUserDeleteRequest, AuthUserGetRequest,
    AuthUserGrantRoleRequest, AuthUserListRequest, AuthUserRevokeRoleRequest, Error, Permission,
    PermissionType, Request, Response,
};

/// Who may be logged in, root first.
pub(in crate::cluster) const USERS: &[&str] = &["root", "u0", "u1", "u2"];

/// The password of a user.
pub(in crate::cluster) fn password(user: &str) -> String {
    format!("pw-{user}")
}

/// Users but root, and roles but root.
const OTHERS: u32 = 3;

/// What permissions are given for: first key and end.
const RANGES: &[(&str, &str)] = &[("k", "l"), ("k0", "k5"), ("k2", "k8"), ("k3", ""), ("\0", "\0")];

/// Administers.
#[derive(Debug, Default)]
pub(super) struct Administrator {
    /// Steps of the first set-up that are done.
    done: u32,
    waits: bool,
}

fn user(number: u32) -> String {
    format!("u{number}")
}

fn role(number: u32) -> String {
    format!("r{number}")
}

fn add_user(name: String) -> AuthRequest {
    let password = password(&name);
    AuthRequest::UserAdd(AuthUserAddRequest { name, password, ..AuthUserAddRequest::default() })
}

fn grant_role(user: String, role: String) -> AuthRequest {
    AuthRequest::UserGrantRole(AuthUserGrantRoleRequest { user, role })
}

fn grant(name: String, range: u32, perm_type: PermissionType) -> AuthRequest {
    let (key, range_end) = bounds(range);
    let perm = Some(Permission { perm_type, key, range_end });
    AuthRequest::RoleGrantPermission(AuthRoleGrantPermissionRequest { name, perm })
}

fn bounds(range: u32) -> (Bytes, Bytes) {
    let at = usize::try_from(range).unwrap_or(0);
    let (key, end) = RANGES.get(at).copied().unwrap_or_default();
    (Bytes::from(key), Bytes::from(end))
}

/// What is there before auth is turned on for the first time.
fn set_up(step: u32) -> Option<AuthRequest> {
    Some(match step {
        0 => add_user("root".to_owned()),
        1 => AuthRequest::RoleAdd(AuthRoleAddRequest { name: "root".to_owned() }),
        2 => grant_role("root".to_owned(), "root".to_owned()),
        3..=5 => add_user(user(step - 3)),
        6..=8 => AuthRequest::RoleAdd(AuthRoleAddRequest { name: role(step - 6) }),
        9 => grant(role(0), 0, PermissionType::ReadWrite),
        10 => grant(role(1), 0, PermissionType::Read),
        11 => grant(role(1), 1, PermissionType::Write),
        12 => grant(role(2), 2, PermissionType::ReadWrite),
        13..=15 => grant_role(user(step - 13), role(step - 13)),
        16 => AuthRequest::Enable(AuthEnableRequest {}),
        _ => return None,
    })
}

fn change(world: &mut World<'_>) -> AuthRequest {
    let (one, other) = (world.random.below(OTHERS), world.random.below(OTHERS));
    let range = world.random.below(u32::try_from(RANGES.len()).unwrap_or(1));
    match world.random.below(24) {
        0..=3 => {
            let perm_type = match world.random.below(3) {
                0 => PermissionType::Read,
                1 => PermissionType::Write,
                _ => PermissionType::ReadWrite,
            };
            grant(role(one), range, perm_type)
        }
        4..=6 => {
            let (key, range_end) = bounds(range);
            let role = role(one);
            let revoke = AuthRoleRevokePermissionRequest { role, key, range_end };
            AuthRequest::RoleRevokePermission(revoke)
        }
        7..=9 => grant_role(user(one), role(other)),
        10 | 11 => {
            let (name, role) = (user(one), role(other));
            AuthRequest::UserRevokeRole(AuthUserRevokeRoleRequest { name, role })
        }
        12 => AuthRequest::UserDelete(AuthUserDeleteRequest { name: user(one) }),
        13 | 14 => add_user(user(one)),
        15 => AuthRequest::RoleDelete(AuthRoleDeleteRequest { role: role(one) }),
        16 => AuthRequest::RoleAdd(AuthRoleAddRequest { name: role(one) }),
        17 => {
            let name = user(one);
            let password = password(&name);
            let change = AuthUserChangePasswordRequest { name, password, ..Default::default() };
            AuthRequest::UserChangePassword(change)
        }
        18 => AuthRequest::Disable(AuthDisableRequest {}),
        19..=21 => AuthRequest::Enable(AuthEnableRequest {}),
        22 => AuthRequest::Status(AuthStatusRequest {}),
        _ => match world.random.below(4) {
            0 => AuthRequest::UserList(AuthUserListRequest {}),
            1 => AuthRequest::RoleList(AuthRoleListRequest {}),
            2 => AuthRequest::UserGet(AuthUserGetRequest { name: user(one) }),
            _ => AuthRequest::RoleGet(AuthRoleGetRequest { role: role(one) }),
        },
    }
}

impl Workload for Administrator {
    fn next(&mut self, world: &mut World<'_>) -> Action {
        self.waits = true;
        Action::Ask(Request::Auth(set_up(self.done).unwrap_or_else(|| change(world))))
    }

    fn answered(&mut self, _result: &Result<Response, Error>) {
        // A step that was done already is refused, and done.
        if std::mem::take(&mut self.waits) {
            self.done = self.done.saturating_add(1);
        }
    }

    fn pause_ms(&self) -> (u32, u32) {
        if set_up(self.done).is_some() { (0, 20) } else { (20, 500) }
    }
}
