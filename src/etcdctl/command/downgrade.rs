//! `downgrade validate`, `downgrade enable`, `downgrade cancel`.

use crate::api::{DowngradeAction, DowngradeRequest, Request, Response};
use crate::etcdctl::command::one_call::OneCall;
use crate::etcdctl::command::{Failure, Invocation, Made, unexpected_answer};
use crate::etcdctl::printer;

/// `downgrade validate`.
pub(crate) fn validate(invocation: &Invocation) -> Made {
    let version = version(invocation)?;
    call(invocation, DowngradeAction::Validate, version)
}

/// `downgrade enable`.
pub(crate) fn enable(invocation: &Invocation) -> Made {
    let version = version(invocation)?;
    call(invocation, DowngradeAction::Enable, version)
}

/// `downgrade cancel`; arguments are ignored.
pub(crate) fn cancel(invocation: &Invocation) -> Made {
    call(invocation, DowngradeAction::Cancel, String::new())
}

fn version(invocation: &Invocation) -> Result<String, Failure> {
    match invocation.args.as_slice() {
        [] => Err(Failure::bad_args("TARGET_VERSION not provided")),
        [version] if version.is_empty() => Err(Failure::bad_args("target version not provided")),
        [version] => Ok(version.clone()),
        [..] => Err(Failure::bad_args("too many arguments")),
    }
}

fn call(invocation: &Invocation, action: DowngradeAction, version: String) -> Made {
    let config = invocation.client_config()?;
    let request = Request::Downgrade(DowngradeRequest { action, version });
    Ok(Box::new(OneCall::new(config, request, move |config, response| match response {
        Response::Downgrade(response) => printer::downgrade(config.style, action, &response),
        _ => Err(unexpected_answer()),
    })))
}
