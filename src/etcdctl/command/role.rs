//! `role`: what users may do.

use bytes::Bytes;

use crate::api::{
    AuthRequest, AuthResponse, AuthRoleAddRequest, AuthRoleDeleteRequest, AuthRoleGetRequest,
    AuthRoleGetResponse, AuthRoleGrantPermissionRequest, AuthRoleListRequest,
    AuthRoleRevokePermissionRequest, Permission, PermissionType,
};
use crate::etcdctl::command::user::ask;
use crate::etcdctl::command::{Failure, Invocation, Made, prefix_range};

const BOTH: &str = "--from-key and --prefix flags are mutually exclusive";

/// Names on lines of their own.
pub(super) fn lines(names: &[String]) -> String {
    names.iter().map(|name| format!("{name}\n")).collect()
}

/// The only argument.
fn name(invocation: &Invocation, command: &str) -> Result<String, Failure> {
    match invocation.args.as_slice() {
        [name] => Ok(name.clone()),
        _ => {
            let message = format!("role {command} command requires role name as its argument");
            Err(Failure::bad_args(message))
        }
    }
}

pub(crate) fn add(invocation: &Invocation) -> Made {
    let name = name(invocation, "add")?;
    let text = format!("Role {name} created\n");
    let request = AuthRequest::RoleAdd(AuthRoleAddRequest { name });
    ask(invocation, request, move |_| text.clone())
}

pub(crate) fn delete(invocation: &Invocation) -> Made {
    let role = name(invocation, "delete")?;
    let text = format!("Role {role} deleted\n");
    let request = AuthRequest::RoleDelete(AuthRoleDeleteRequest { role });
    ask(invocation, request, move |_| text.clone())
}

pub(crate) fn get(invocation: &Invocation) -> Made {
    let role = name(invocation, "get")?;
    let request = AuthRequest::RoleGet(AuthRoleGetRequest { role: role.clone() });
    ask(invocation, request, move |response| match response {
        AuthResponse::RoleGet(found) => described(&role, found),
        _ => String::new(),
    })
}

pub(crate) fn list(invocation: &Invocation) -> Made {
    if !invocation.args.is_empty() {
        return Err(Failure::bad_args("role list command requires no arguments").into());
    }
    ask(invocation, AuthRequest::RoleList(AuthRoleListRequest {}), |response| match response {
        AuthResponse::RoleList(list) => lines(&list.roles),
        _ => String::new(),
    })
}

pub(crate) fn grant_permission(invocation: &Invocation) -> Made {
    let [role, kind, keys @ ..] = invocation.args.as_slice() else {
        return Err(Failure::bad_args(GRANT_ARGUMENTS).into());
    };
    if keys.is_empty() {
        return Err(Failure::bad_args(GRANT_ARGUMENTS).into());
    }
    // Of all letters beyond ASCII only this one has an upper case that counts here, and the table of all of them
    // would be 12 KB of the page.
    let perm_type = match kind.replace('ı', "I").to_ascii_uppercase().as_str() {
        "READ" => PermissionType::Read,
        "WRITE" => PermissionType::Write,
        "READWRITE" => PermissionType::ReadWrite,
        _ => return Err(Failure::bad_args(format!("invalid permission type: {kind}")).into()),
    };
    let (key, range_end) = key_range(invocation, keys)?;
    let text = format!("Role {role} updated\n");
    let request = AuthRequest::RoleGrantPermission(AuthRoleGrantPermissionRequest {
        name: role.clone(),
        perm: Some(Permission { perm_type, key, range_end }),
    });
    ask(invocation, request, move |_| text.clone())
}

const GRANT_ARGUMENTS: &str =
    "role grant command requires role name, permission type, and key [endkey] as its argument";

pub(crate) fn revoke_permission(invocation: &Invocation) -> Made {
    let (Some(role), Some(first)) = (invocation.args.first(), invocation.args.get(1)) else {
        let message =
            "role revoke-permission command requires role name and key [endkey] as its argument";
        return Err(Failure::bad_args(message).into());
    };
    let keys = invocation.args.get(1..).unwrap_or_default();
    let (key, range_end) = key_range(invocation, keys)?;
    let text = revoked(role, first, &range_end);
    let role = role.clone();
    let request =
        AuthRequest::RoleRevokePermission(AuthRoleRevokePermissionRequest { role, key, range_end });
    ask(invocation, request, move |_| text.clone())
}

fn revoked(role: &str, key: &str, end: &[u8]) -> String {
    match end {
        [] => format!("Permission of key {key} is revoked from role {role}\n"),
        [0] => {
            format!("Permission of range [{key}, <open ended> is revoked from role {role}\n")
        }
        end => {
            let end = String::from_utf8_lossy(end);
            format!("Permission of range [{key}, {end}) is revoked from role {role}\n")
        }
    }
}

/// Key and range end of a permission; an empty key means the whole key space only with one of the flags.
fn key_range(invocation: &Invocation, keys: &[String]) -> Result<(Bytes, Bytes), Failure> {
    let prefix = invocation.flags.bool("prefix");
    let from_key = invocation.flags.bool("from-key");
    let key = keys.first().map(String::as_str).unwrap_or_default();
    let open_end = Bytes::from_static(b"\0");
    if key.is_empty() {
        if prefix && from_key {
            return Err(Failure::bad_args(BOTH));
        }
        let end = if prefix || from_key { open_end.clone() } else { Bytes::new() };
        return Ok((open_end, end));
    }
    let own = Bytes::copy_from_slice(key.as_bytes());
    match keys.get(1) {
        Some(_) if prefix => {
            Err(Failure::bad_args("unexpected endkey argument with --prefix flag"))
        }
        Some(_) if from_key => {
            Err(Failure::bad_args("unexpected endkey argument with --from-key flag"))
        }
        Some(end) => Ok((own, Bytes::copy_from_slice(end.as_bytes()))),
        None if prefix && from_key => Err(Failure::bad_args(BOTH)),
        None if prefix => Ok(prefix_range(key.as_bytes())),
        None if from_key => Ok((own, open_end)),
        None => Ok((own, Bytes::new())),
    }
}

/// A role in the simple format.
pub(super) fn described(role: &str, found: &AuthRoleGetResponse) -> String {
    let mut text = format!("Role {role}\n");
    for (heading, other) in
        [("KV Read:", PermissionType::Write), ("KV Write:", PermissionType::Read)]
    {
        text.push_str(heading);
        text.push('\n');
        for permission in found.perm.iter().filter(|permission| permission.perm_type != other) {
            push_range(&mut text, permission);
        }
    }
    text
}

fn push_range(text: &mut String, permission: &Permission) {
    let key = String::from_utf8_lossy(&permission.key);
    let end = &permission.range_end;
    text.push('\t');
    match end.as_ref() {
        [] => text.push_str(&key),
        [0] => text.push_str(&format!("[{key}, <open ended>")),
        end => text.push_str(&format!("[{key}, {})", String::from_utf8_lossy(end))),
    }
    if !key.is_empty() && !end.is_empty() && prefix_range(&permission.key).1 == *end {
        text.push_str(&format!(" (prefix {key})"));
    }
    text.push('\n');
}
