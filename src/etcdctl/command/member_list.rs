//! `member list`.

use crate::api::{MemberListRequest, Request, Response};
use crate::etcdctl::command::get::consistency_is_serializable;
use crate::etcdctl::command::one_call::OneCall;
use crate::etcdctl::command::{Invocation, Made, unexpected_answer};
use crate::etcdctl::printer;

pub(crate) fn new(invocation: &Invocation) -> Made {
    // The refusal names the default of `get`, as etcdctl's does.
    let serializable = consistency_is_serializable(invocation.flags.text("consistency"), "l")?;
    let request = Request::MemberList(MemberListRequest { linearizable: !serializable });
    let config = invocation.client_config()?;
    Ok(Box::new(OneCall::new(config, request, |config, response| match response {
        Response::MemberList(response) => printer::member_list(config.style, &response),
        _ => Err(unexpected_answer()),
    })))
}
