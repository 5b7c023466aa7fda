//! `auth`: switch access control.

use crate::api::{
    self, AuthDisableRequest, AuthEnableRequest, AuthRequest, AuthResponse, AuthRoleAddRequest,
    AuthStatusRequest, AuthUserGrantRoleRequest, Request, Response,
};
use crate::etcdctl::command::one_call::OneCall;
use crate::etcdctl::command::{
    Command, Config, EXIT_ERROR, Failure, Invocation, Made, Unmade, unexpected_answer,
};
use crate::etcdctl::executor::{Event, Io, RequestError};
use crate::etcdctl::printer;

/// User and role that must exist before access control is switched on.
const ROOT: &str = "root";

fn config(invocation: &Invocation, command: &str) -> Result<Config, Unmade> {
    if !invocation.args.is_empty() {
        let message = format!("auth {command} command does not accept any arguments");
        return Err(Failure::bad_args(message).into());
    }
    invocation.client_config()
}

pub(crate) fn enable(invocation: &Invocation) -> Made {
    Ok(Box::new(Enable { config: config(invocation, "enable")? }))
}

pub(crate) fn disable(invocation: &Invocation) -> Made {
    let config = config(invocation, "disable")?;
    let request = Request::Auth(AuthRequest::Disable(AuthDisableRequest {}));
    Ok(Box::new(OneCall::new(config, request, |_, response| match response {
        Response::Auth(AuthResponse::Disable(_)) => Ok(b"Authentication Disabled\n".to_vec()),
        _ => Err(unexpected_answer()),
    })))
}

pub(crate) fn status(invocation: &Invocation) -> Made {
    let config = config(invocation, "status")?;
    let request = Request::Auth(AuthRequest::Status(AuthStatusRequest {}));
    Ok(Box::new(OneCall::new(config, request, |config, response| match response {
        Response::Auth(response) => printer::auth(config.style, &response, || match &response {
            AuthResponse::Status(status) => format!(
                "Authentication Status: {}\nAuthRevision: {}\n",
                status.enabled, status.auth_revision
            ),
            _ => String::new(),
        }),
        _ => Err(unexpected_answer()),
    })))
}

/// `auth enable`: if root lacks its role, the role is made and granted first.
struct Enable {
    config: Config,
}

impl Enable {
    fn ask(&self, io: &mut Io, request: AuthRequest) {
        io.ask(&self.config, Request::Auth(request));
    }
}

impl Command for Enable {
    fn start(&mut self, io: &mut Io) {
        self.ask(io, AuthRequest::Enable(AuthEnableRequest {}));
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        let Event::Reply(_, result) = event else { return };
        match result {
            Ok(Response::Auth(AuthResponse::Enable(_))) => {
                io.finish(Ok(b"Authentication Enabled\n".to_vec()));
            }
            Ok(Response::Auth(AuthResponse::RoleAdd(_))) => {
                let (user, role) = (ROOT.to_owned(), ROOT.to_owned());
                let request = AuthUserGrantRoleRequest { user, role };
                self.ask(io, AuthRequest::UserGrantRole(request));
            }
            Ok(Response::Auth(AuthResponse::UserGrantRole(_))) => self.start(io),
            Ok(_) => io.fail(&unexpected_answer()),
            Err(RequestError::Status(api::Error::RootRoleNotExist)) => {
                let name = ROOT.to_owned();
                self.ask(io, AuthRequest::RoleAdd(AuthRoleAddRequest { name }));
            }
            Err(error) => io.fail(&Failure::new(EXIT_ERROR, error.to_string())),
        }
    }
}
