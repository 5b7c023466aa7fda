//! `put`: write a key.

use bytes::Bytes;

use crate::api::{PutRequest, Request, Response};
use crate::etcdctl::command::one_call::OneCall;
use crate::etcdctl::command::{Failure, Invocation, Made, unexpected_answer};
use crate::etcdctl::executor::Step;
use crate::etcdctl::flags::FlagValues;
use crate::etcdctl::{go, printer};
use crate::types::LeaseId;

const ARGUMENTS: &str = "put command needs 1 argument and input from stdin or 2 arguments";

pub(crate) fn new(invocation: &Invocation) -> Made {
    let (flags, args) = (&invocation.flags, invocation.args_as_bytes());
    let reads = args.len() == 1 && !flags.bool("ignore-value");
    let stdin = if reads { Some(invocation.step(Step::Stdin)?) } else { None };
    let request = Request::Put(request(flags, &args, stdin.as_ref())?);
    let config = invocation.client_config()?;
    Ok(Box::new(OneCall::new(config, request, |config, response| match response {
        Response::Put(response) => printer::put(config.style, &response),
        _ => Err(unexpected_answer()),
    })))
}

/// What `put` asks for; a value that is not an argument is `stdin`.
pub(super) fn request(
    flags: &FlagValues,
    args: &[Bytes],
    stdin: Option<&Bytes>,
) -> Result<PutRequest, Failure> {
    let key = args.first().ok_or_else(|| Failure::bad_args(ARGUMENTS))?;
    let ignore_value = flags.bool("ignore-value");
    if ignore_value && args.len() > 1 {
        let message = "put command needs only 1 argument when 'ignore-value' is set";
        return Err(Failure::bad_args(message));
    }
    let value = match (args.get(1), stdin) {
        _ if ignore_value => Bytes::new(),
        (Some(value), _) => value.clone(),
        (None, Some(stdin)) if !stdin.is_empty() => stdin.clone(),
        (None, _) => return Err(Failure::bad_args(ARGUMENTS)),
    };
    let lease = go::parse_int(flags.text("lease"), 16).map_err(|error| {
        Failure::bad_args(format!("bad lease ID ({error}), expecting ID in Hex"))
    })?;
    Ok(PutRequest {
        key: key.clone(),
        value,
        lease: LeaseId(lease),
        prev_kv: flags.bool("prev-kv"),
        ignore_value,
        ignore_lease: flags.bool("ignore-lease"),
    })
}
