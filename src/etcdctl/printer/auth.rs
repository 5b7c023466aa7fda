//! Answers about users and roles, in every format.

use crate::api::{AuthResponse, Permission, PermissionType};
use crate::etcdctl::printer::fields::Lines;
use crate::etcdctl::printer::json::{self, Object};
use crate::etcdctl::printer::{Format, Printed, Style, protobuf, unsupported};

/// Prints an answer; `simple` gives its text in the simple format.
pub(crate) fn auth(
    style: Style,
    response: &AuthResponse,
    simple: impl FnOnce() -> String,
) -> Printed {
    match style.format {
        Format::Simple => Ok(simple().into_bytes()),
        Format::Fields => fields(style, response).ok_or_else(|| unsupported("fields")),
        Format::Json => Ok(encoded(response)),
        Format::Table => Err(unsupported("table")),
        Format::Protobuf => Ok(protobuf::auth(response)),
    }
}

/// etcdctl has no such form for users and their lists, nor for the status.
fn fields(style: Style, response: &AuthResponse) -> Option<Vec<u8>> {
    let mut lines = Lines::new(style);
    lines.header(response.clone().header_mut());
    match response {
        AuthResponse::UserGet(_) | AuthResponse::UserList(_) | AuthResponse::Status(_) => {
            return None;
        }
        AuthResponse::RoleGet(role) => {
            for permission in &role.perm {
                // Two blanks, as etcdctl prints it.
                lines.plain("PermType", format!(" {}", type_name(permission.perm_type)));
                lines.quoted("Key", &permission.key);
                lines.quoted("RangeEnd", &permission.range_end);
            }
        }
        AuthResponse::RoleList(list) => lines.quoted_list("Roles", &list.roles),
        _ => {}
    }
    Some(lines.end())
}

const fn type_name(kind: PermissionType) -> &'static str {
    match kind {
        PermissionType::Read => "READ",
        PermissionType::Write => "WRITE",
        PermissionType::ReadWrite => "READWRITE",
    }
}

fn encoded(response: &AuthResponse) -> Vec<u8> {
    let header = json::header(response.clone().header_mut());
    let object = Object::new().raw("header", &header);
    let object = match response {
        AuthResponse::Status(status) => {
            object.truth("enabled", status.enabled).number("authRevision", status.auth_revision)
        }
        AuthResponse::UserGet(user) => object.array("roles", &json::texts(&user.roles)),
        AuthResponse::UserList(list) => object.array("users", &json::texts(&list.users)),
        AuthResponse::RoleGet(role) => {
            let list: Vec<String> = role.perm.iter().map(permission).collect();
            object.array("perm", &list)
        }
        AuthResponse::RoleList(list) => object.array("roles", &json::texts(&list.roles)),
        _ => object,
    };
    json::line(&object.end())
}

fn permission(permission: &Permission) -> String {
    Object::new()
        .number("permType", permission.perm_type as u64)
        .bytes("key", &permission.key)
        .bytes("range_end", &permission.range_end)
        .end()
}
