//! `lease grant`, `lease revoke`, `lease timetolive`, `lease list`.
//!
//! What it is: one call each. What it is not: `lease keep-alive`, which goes on (see `lease_keep_alive`).
//! Invariants: the last two have no time limit and fail with the exit code of a bad connection, as etcdctl's do.

use crate::api::{
    LeaseGrantRequest, LeaseLeasesRequest, LeaseRevokeRequest, LeaseTimeToLiveRequest, Request,
    Response,
};
use crate::etcdctl::command::one_call::OneCall;
use crate::etcdctl::command::{EXIT_BAD_CONNECTION, Failure, Invocation, Made, unexpected_answer};
use crate::etcdctl::{go, printer};
use crate::types::LeaseId;

/// `lease grant`.
pub(crate) fn grant(invocation: &Invocation) -> Made {
    let [ttl] = invocation.args.as_slice() else {
        return Err(Failure::bad_args("lease grant command needs TTL argument").into());
    };
    let ttl =
        go::parse_int(ttl, 10).map_err(|error| Failure::bad_args(format!("bad TTL ({error})")))?;
    let config = invocation.client_config()?;
    let request = Request::LeaseGrant(LeaseGrantRequest { ttl, id: LeaseId(0) });
    let call = OneCall::new(config, request, |config, response| match response {
        Response::LeaseGrant(response) => printer::lease_grant(config.style, &response),
        _ => Err(unexpected_answer()),
    });
    Ok(Box::new(call.explained(|error| format!("failed to grant lease ({error})"))))
}

/// `lease revoke`.
pub(crate) fn revoke(invocation: &Invocation) -> Made {
    let id = only_id(invocation, "lease revoke command needs 1 argument")?;
    let config = invocation.client_config()?;
    let request = Request::LeaseRevoke(LeaseRevokeRequest { id });
    let call = OneCall::new(config, request, move |config, response| match response {
        Response::LeaseRevoke(response) => printer::lease_revoke(config.style, id, &response),
        _ => Err(unexpected_answer()),
    });
    Ok(Box::new(call.explained(|error| format!("failed to revoke lease ({error})"))))
}

/// `lease timetolive`.
pub(crate) fn time_to_live(invocation: &Invocation) -> Made {
    let [id] = invocation.args.as_slice() else {
        let message = "lease timetolive command needs lease ID as argument";
        return Err(Failure::bad_args(message).into());
    };
    // etcdctl looks at the id only once it has a client.
    let config = invocation.client_config()?;
    let id = parsed(id)?;
    let keys = invocation.flags.bool("keys");
    let request = Request::LeaseTimeToLive(LeaseTimeToLiveRequest { id, keys });
    let call = OneCall::new(config, request, move |config, response| match response {
        Response::LeaseTimeToLive(response) => {
            printer::lease_time_to_live(config.style, keys, &response)
        }
        _ => Err(unexpected_answer()),
    });
    Ok(Box::new(call.without_limit().failing_with(EXIT_BAD_CONNECTION)))
}

/// `lease list`; arguments are ignored.
pub(crate) fn list(invocation: &Invocation) -> Made {
    let config = invocation.client_config()?;
    let request = Request::LeaseLeases(LeaseLeasesRequest {});
    let call = OneCall::new(config, request, |config, response| match response {
        Response::LeaseLeases(response) => printer::lease_list(config.style, &response),
        _ => Err(unexpected_answer()),
    });
    Ok(Box::new(call.without_limit().failing_with(EXIT_BAD_CONNECTION)))
}

/// The one argument as the id of a lease.
pub(super) fn only_id(invocation: &Invocation, message: &str) -> Result<LeaseId, Failure> {
    let [id] = invocation.args.as_slice() else {
        return Err(Failure::bad_args(message));
    };
    parsed(id)
}

fn parsed(id: &str) -> Result<LeaseId, Failure> {
    go::parse_int(id, 16).map(LeaseId).map_err(|error| {
        Failure::bad_args(format!("bad lease ID arg ({error}), expecting ID in Hex"))
    })
}
