//! `member add`, `member remove`, `member update`, `member promote`.
//!
//! What it is: one call each. What it is not: `member list`, which only reads.
//! Invariants: peer URLs are checked before anybody is asked.

use crate::api::{
    MemberAddRequest, MemberPromoteRequest, MemberRemoveRequest, MemberUpdateRequest, Request,
    Response,
};
use crate::etcdctl::command::one_call::OneCall;
use crate::etcdctl::command::{EXIT_ERROR, Failure, Invocation, Made, unexpected_answer};
use crate::etcdctl::printer::{self, MemberChange};
use crate::etcdctl::{go, peer_urls};
use crate::types::MemberId;

/// `member add`.
pub(crate) fn add(invocation: &Invocation) -> Made {
    let name = match invocation.args.as_slice() {
        [] => return Err(Failure::bad_args("member name not provided").into()),
        [name] => name.clone(),
        several => return Err(Failure::bad_args(too_many(several)).into()),
    };
    let typed = given_peer_urls(invocation)?;
    let config = invocation.client_config()?;
    let request = Request::MemberAdd(MemberAddRequest {
        peer_urls: checked(&typed)?,
        is_learner: invocation.flags.bool("learner"),
    });
    Ok(Box::new(OneCall::new(config, request, move |config, response| match response {
        Response::MemberAdd(response) => {
            printer::member_add(config.style, &name, &typed, &response)
        }
        _ => Err(unexpected_answer()),
    })))
}

/// The old form of the command had the URL behind the name.
fn too_many(args: &[String]) -> String {
    let urls = args.iter().filter(|arg| arg.to_ascii_lowercase().starts_with("http"));
    let hints: Vec<String> = urls.map(|url| format!(", did you mean --peer-urls={url}")).collect();
    format!("too many arguments{}", hints.concat())
}

/// `member remove`.
pub(crate) fn remove(invocation: &Invocation) -> Made {
    let id = only_id(invocation)?;
    let config = invocation.client_config()?;
    let request = Request::MemberRemove(MemberRemoveRequest { id });
    Ok(Box::new(OneCall::new(config, request, move |config, response| match response {
        Response::MemberRemove(response) => {
            let change = MemberChange::Removed(id);
            printer::member_change(config.style, change, &response.header, &response.members)
        }
        _ => Err(unexpected_answer()),
    })))
}

/// `member update`.
pub(crate) fn update(invocation: &Invocation) -> Made {
    let id = only_id(invocation)?;
    let typed = given_peer_urls(invocation)?;
    let config = invocation.client_config()?;
    let peer_urls = checked(&typed)?;
    let request = Request::MemberUpdate(MemberUpdateRequest { id, peer_urls });
    Ok(Box::new(OneCall::new(config, request, move |config, response| match response {
        Response::MemberUpdate(response) => {
            let change = MemberChange::Updated(id);
            printer::member_change(config.style, change, &response.header, &response.members)
        }
        _ => Err(unexpected_answer()),
    })))
}

/// `member promote`.
pub(crate) fn promote(invocation: &Invocation) -> Made {
    let id = only_id(invocation)?;
    let config = invocation.client_config()?;
    let request = Request::MemberPromote(MemberPromoteRequest { id });
    Ok(Box::new(OneCall::new(config, request, move |config, response| match response {
        Response::MemberPromote(response) => {
            let change = MemberChange::Promoted(id);
            printer::member_change(config.style, change, &response.header, &response.members)
        }
        _ => Err(unexpected_answer()),
    })))
}

fn only_id(invocation: &Invocation) -> Result<MemberId, Failure> {
    let [id] = invocation.args.as_slice() else {
        return Err(Failure::bad_args("member ID is not provided"));
    };
    go::parse_uint(id, 16).map(MemberId).map_err(|error| {
        Failure::bad_args(format!("bad member ID arg ({error}), expecting ID in Hex"))
    })
}

fn given_peer_urls(invocation: &Invocation) -> Result<String, Failure> {
    let typed = invocation.flags.text("peer-urls");
    if typed.is_empty() {
        return Err(Failure::bad_args("member peer urls not provided"));
    }
    Ok(typed.to_owned())
}

fn checked(typed: &str) -> Result<Vec<String>, Failure> {
    let urls: Vec<String> = typed.split(',').map(str::to_owned).collect();
    for url in &urls {
        peer_urls::check(url).map_err(|why| Failure::new(EXIT_ERROR, why))?;
    }
    Ok(urls)
}
