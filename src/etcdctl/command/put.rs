//! `put`: write a key.

use bytes::Bytes;

use crate::api::{PutRequest, Request, Response};
use crate::etcdctl::command::one_call::OneCall;
use crate::etcdctl::command::{Command, Failure, Invocation, unexpected_answer};
use crate::etcdctl::{go, printer};
use crate::types::LeaseId;

const ARGUMENTS: &str = "put command needs 1 argument and input from stdin or 2 arguments";

pub(crate) fn new(invocation: &Invocation) -> Result<Box<dyn Command>, Failure> {
    let request = request(invocation)?;
    let config = invocation.client_config()?;
    Ok(Box::new(OneCall::new(config, Request::Put(request), |config, response| match response {
        Response::Put(response) => printer::put(config.style, &response),
        _ => Err(unexpected_answer()),
    })))
}

fn request(invocation: &Invocation) -> Result<PutRequest, Failure> {
    let flags = &invocation.flags;
    let key = invocation.arg(0).ok_or_else(|| Failure::bad_args(ARGUMENTS))?;
    let ignore_value = flags.bool("ignore-value");
    if ignore_value && invocation.args.len() > 1 {
        let message = "put command needs only 1 argument when 'ignore-value' is set";
        return Err(Failure::bad_args(message));
    }
    let value = if ignore_value { Bytes::new() } else { value(invocation)? };
    let lease = go::parse_int(flags.text("lease"), 16).map_err(|error| {
        Failure::bad_args(format!("bad lease ID ({error}), expecting ID in Hex"))
    })?;
    Ok(PutRequest {
        key: Bytes::copy_from_slice(key.as_bytes()),
        value,
        lease: LeaseId(lease),
        prev_kv: flags.bool("prev-kv"),
        ignore_value,
        ignore_lease: flags.bool("ignore-lease"),
    })
}

/// The second argument, or else what standard input holds; nothing there is an error.
fn value(invocation: &Invocation) -> Result<Bytes, Failure> {
    match (invocation.arg(1), &invocation.stdin) {
        (Some(value), _) => Ok(Bytes::copy_from_slice(value.as_bytes())),
        (None, Some(stdin)) if !stdin.is_empty() => Ok(stdin.clone()),
        (None, _) => Err(Failure::bad_args(ARGUMENTS)),
    }
}
