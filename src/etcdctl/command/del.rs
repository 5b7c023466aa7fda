//! `del`: delete a key or a range, after a warning if a range was not asked for by name.

use bytes::Bytes;

use crate::api::{DeleteRangeRequest, Request, Response};
use crate::etcdctl::command::one_call::OneCall;
use crate::etcdctl::command::{
    Failure, Invocation, Made, ONE_ARGUMENT_ONLY, PREFIX_AND_FROM_KEY, key_range, unexpected_answer,
};
use crate::etcdctl::executor::Step;
use crate::etcdctl::flags::FlagValues;
use crate::etcdctl::{go, printer};

/// How long a range is only announced, in milliseconds; etcdctl's own time.
pub(super) const WARNING_MS: u64 = 2000;

pub(crate) fn new(invocation: &Invocation) -> Made {
    let (request, warning) = request(&invocation.flags, &invocation.args_as_bytes())?;
    if let Some(warning) = warning {
        invocation.step(Step::Warning(warning, WARNING_MS))?;
    }
    let (config, request) = (invocation.client_config()?, Request::DeleteRange(request));
    Ok(Box::new(OneCall::new(config, request, |config, response| match response {
        Response::DeleteRange(response) => printer::del(config.style, &response),
        _ => Err(unexpected_answer()),
    })))
}

/// What `del` asks for, and what it says [`WARNING_MS`] beforehand if a range was not asked for by name.
pub(super) fn request(
    flags: &FlagValues,
    args: &[Bytes],
) -> Result<(DeleteRangeRequest, Option<String>), Failure> {
    let key = args.first().filter(|_| args.len() <= 2).ok_or_else(|| {
        Failure::bad_args(
            "del command needs one argument as key and an optional argument as range_end",
        )
    })?;
    let (prefix, from_key) = (flags.bool("prefix"), flags.bool("from-key"));
    if prefix && from_key {
        return Err(Failure::bad_args(PREFIX_AND_FROM_KEY));
    }
    if args.len() > 1 && (prefix || from_key) {
        return Err(Failure::bad_args(ONE_ARGUMENT_ONLY));
    }
    let warning = args.get(1).filter(|_| !flags.bool("range")).map(|end| {
        let (key, end) = (go::quote(key), go::quote(end));
        format!(
            "Warning: Keys between {key} and {end} will be deleted. Please interrupt the command within next 2 seconds to cancel. You can provide `--range` flag to avoid the delay.\n"
        )
    });
    let (key, range_end) = key_range(flags, key, args.get(1));
    Ok((DeleteRangeRequest { key, range_end, prev_kv: flags.bool("prev-kv") }, warning))
}
