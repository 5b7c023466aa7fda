//! `user`: who may use the cluster.
//!
//! Passwords are read before the flags of every command are, as etcdctl does it, and live no longer than the command.

use crate::api::{
    AuthRequest, AuthResponse, AuthRoleGetRequest, AuthUserAddRequest,
    AuthUserChangePasswordRequest, AuthUserDeleteRequest, AuthUserGetRequest,
    AuthUserGrantRoleRequest, AuthUserListRequest, AuthUserRevokeRoleRequest, Request, Response,
    UserAddOptions,
};
use crate::etcdctl::command::one_call::OneCall;
use crate::etcdctl::command::role;
use crate::etcdctl::command::{
    Command, Config, EXIT_ERROR, Failure, Invocation, Made, Unmade, unexpected_answer,
};
use crate::etcdctl::executor::{Event, Io, Step};
use crate::etcdctl::printer::{self, Printed};

/// Asks `request` and prints the answer, in the simple format as `simple` says.
pub(super) fn ask(
    invocation: &Invocation,
    request: AuthRequest,
    simple: impl Fn(&AuthResponse) -> String + 'static,
) -> Made {
    let config = invocation.client_config()?.without_timeout();
    Ok(Box::new(OneCall::new(config, Request::Auth(request), move |config, response| {
        print(config, &response, &simple)
    })))
}

fn print(
    config: &Config,
    response: &Response,
    simple: &dyn Fn(&AuthResponse) -> String,
) -> Printed {
    match response {
        Response::Auth(response) => printer::auth(config.style, response, || simple(response)),
        _ => Err(unexpected_answer()),
    }
}

/// The only argument.
fn name(invocation: &Invocation, command: &str) -> Result<String, Failure> {
    match invocation.args.as_slice() {
        [name] => Ok(name.clone()),
        _ => {
            let message = format!("user {command} command requires user name as its argument");
            Err(Failure::bad_args(message))
        }
    }
}

pub(crate) fn add(invocation: &Invocation) -> Made {
    let name = name(invocation, "add")?;
    let flags = &invocation.flags;
    let given = flags.text("new-user-password");
    let request = |name: &str, password: &str, no_password: bool| {
        AuthRequest::UserAdd(AuthUserAddRequest {
            name: name.to_owned(),
            password: password.to_owned(),
            options: Some(UserAddOptions { no_password }),
            hashed_password: String::new(),
        })
    };
    let created = |name: &str| {
        let text = format!("User {name} created\n");
        move |_: &AuthResponse| text.clone()
    };
    if flags.bool("no-password") {
        return ask(invocation, request(&name, "", true), created(&name));
    }
    if !given.is_empty() {
        return ask(invocation, request(&name, given, false), created(&name));
    }
    if let Some((user, password)) = name.split_once(':') {
        if user.is_empty() {
            return Err(Failure::bad_args("empty user name is not allowed").into());
        }
        return ask(invocation, request(user, password, false), created(user));
    }
    let password = typed(invocation, &name)?;
    ask(invocation, request(&name, &password, false), created(&name))
}

pub(crate) fn passwd(invocation: &Invocation) -> Made {
    let name = name(invocation, "passwd")?;
    let password = typed(invocation, &name)?;
    let request = AuthRequest::UserChangePassword(AuthUserChangePasswordRequest {
        name,
        password,
        hashed_password: String::new(),
    });
    ask(invocation, request, |_| "Password updated\n".to_owned())
}

pub(crate) fn delete(invocation: &Invocation) -> Made {
    let name = name(invocation, "delete")?;
    let text = format!("User {name} deleted\n");
    let request = AuthRequest::UserDelete(AuthUserDeleteRequest { name });
    ask(invocation, request, move |_| text.clone())
}

pub(crate) fn list(invocation: &Invocation) -> Made {
    if !invocation.args.is_empty() {
        return Err(Failure::bad_args("user list command requires no arguments").into());
    }
    ask(invocation, AuthRequest::UserList(AuthUserListRequest {}), |response| match response {
        AuthResponse::UserList(list) => role::lines(&list.users),
        _ => String::new(),
    })
}

pub(crate) fn grant_role(invocation: &Invocation) -> Made {
    let [user, role] = invocation.args.as_slice() else {
        let message = "user grant command requires user name and role name as its argument";
        return Err(Failure::bad_args(message).into());
    };
    let text = format!("Role {role} is granted to user {user}\n");
    let (user, role) = (user.clone(), role.clone());
    let request = AuthRequest::UserGrantRole(AuthUserGrantRoleRequest { user, role });
    ask(invocation, request, move |_| text.clone())
}

pub(crate) fn revoke_role(invocation: &Invocation) -> Made {
    let [user, role] = invocation.args.as_slice() else {
        let message = "user revoke-role requires user name and role name as its argument";
        return Err(Failure::bad_args(message).into());
    };
    let text = format!("Role {role} is revoked from user {user}\n");
    let (name, role) = (user.clone(), role.clone());
    let request = AuthRequest::UserRevokeRole(AuthUserRevokeRoleRequest { name, role });
    ask(invocation, request, move |_| text.clone())
}

pub(crate) fn get(invocation: &Invocation) -> Made {
    let name = name(invocation, "get")?;
    let config = invocation.client_config()?.without_timeout();
    let detail = invocation.flags.bool("detail");
    Ok(Box::new(Get { config, name, detail, roles: Vec::new() }))
}

/// `user get`: with `--detail` each role is asked for as well.
struct Get {
    config: Config,
    name: String,
    detail: bool,
    /// Still to be asked for, the last one first.
    roles: Vec<String>,
}

impl Command for Get {
    fn start(&mut self, io: &mut Io) {
        let request = AuthRequest::UserGet(AuthUserGetRequest { name: self.name.clone() });
        io.ask(&self.config, Request::Auth(request));
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        let Event::Reply(_, result) = event else { return };
        let response = match result {
            Ok(Response::Auth(response)) => response,
            Ok(_) => return io.fail(&unexpected_answer()),
            Err(error) => return io.fail(&Failure::new(EXIT_ERROR, error.to_string())),
        };
        let name = &self.name;
        match &response {
            AuthResponse::UserGet(user) if self.detail => {
                io.stdout(format!("User: {name}\n").into_bytes());
                self.roles = user.roles.iter().rev().cloned().collect();
            }
            AuthResponse::RoleGet(found) => {
                let role = self.roles.pop().unwrap_or_default();
                let text = || role::described(&role, found);
                match printer::auth(self.config.style, &response, text) {
                    Ok(bytes) => io.stdout(bytes),
                    Err(failure) => return io.fail(&failure),
                }
            }
            _ => {
                let text = || match &response {
                    AuthResponse::UserGet(user) => {
                        let roles: Vec<String> =
                            user.roles.iter().map(|role| format!(" {role}")).collect();
                        format!("User: {name}\nRoles:{}\n", roles.concat())
                    }
                    _ => String::new(),
                };
                return io.finish(printer::auth(self.config.style, &response, text));
            }
        }
        match self.roles.last().cloned() {
            Some(role) => {
                io.stdout(b"\n".to_vec());
                let request = AuthRequest::RoleGet(AuthRoleGetRequest { role });
                io.ask(&self.config, Request::Auth(request));
            }
            None => io.exit(0),
        }
    }
}

/// A new password, typed before anything else is looked at.
fn typed(invocation: &Invocation, user: &str) -> Result<String, Unmade> {
    if !invocation.flags.bool("interactive") {
        let line = invocation.typed(Step::Line)?;
        return Ok(line.split_whitespace().next().unwrap_or_default().to_owned());
    }
    let first = invocation.typed(Step::Secret(format!("Password of {user}: ")))?;
    if first.is_empty() {
        return Err(Failure::bad_args("empty password").into());
    }
    let again = format!("Type password of {user} again for confirmation: ");
    if invocation.typed(Step::Secret(again))? != first {
        return Err(Failure::bad_args("given passwords are different").into());
    }
    Ok(first)
}
