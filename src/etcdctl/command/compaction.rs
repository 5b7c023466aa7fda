//! `compaction`: forget history.

use crate::api::{CompactionRequest, Request, Response};
use crate::etcdctl::command::one_call::OneCall;
use crate::etcdctl::command::{EXIT_ERROR, Failure, Invocation, Made, unexpected_answer};
use crate::etcdctl::go;

pub(crate) fn new(invocation: &Invocation) -> Made {
    let [revision] = invocation.args.as_slice() else {
        return Err(Failure::bad_args("compaction command needs 1 argument").into());
    };
    let revision = go::parse_int(revision, 10).map_err(|error| Failure::new(EXIT_ERROR, error))?;
    let request = CompactionRequest { revision, physical: invocation.flags.bool("physical") };
    // Prints the same in every format.
    let config = invocation.client_config()?;
    let print = move |_: &_, response| match response {
        Response::Compaction(_) => Ok(format!("compacted revision {revision}\n").into_bytes()),
        _ => Err(unexpected_answer()),
    };
    let call = OneCall::new(config, Request::Compaction(request), print);
    Ok(Box::new(call.limited_late()))
}
