//! What the `endpoint` commands have in common: which endpoints are meant.

use crate::api::{MemberListRequest, Request, Response};
use crate::etcdctl::command::{Config, EXIT_ERROR, Failure, Invocation, unexpected_answer};
use crate::etcdctl::executor::{Io, RequestError};

/// The endpoints that were given, or with `--cluster` those of every member.
pub(super) struct Targets {
    cluster: bool,
}

impl Targets {
    pub(super) fn of(invocation: &Invocation) -> Self {
        Self { cluster: invocation.flags.bool("cluster") }
    }

    /// No endpoints are fine unless members must be asked for theirs: then there is nothing to do.
    pub(super) fn config(invocation: &Invocation) -> Result<Config, Failure> {
        let config = invocation.config()?;
        let asks = Self::of(invocation).cluster || !config.endpoints.is_empty();
        if asks { invocation.client_config() } else { Ok(config) }
    }

    /// The endpoints if they are known; otherwise the members are asked, and the answer is for [`Self::found`].
    pub(super) fn find(&self, io: &mut Io, config: &Config) -> Option<Vec<String>> {
        if !self.cluster {
            return Some(config.endpoints.clone());
        }
        io.ask(config, Request::MemberList(MemberListRequest { linearizable: true }));
        None
    }

    /// The endpoints in the members' answer.
    pub(super) fn found(result: Result<Response, RequestError>) -> Result<Vec<String>, Failure> {
        match result {
            Ok(Response::MemberList(list)) => {
                Ok(list.members.into_iter().flat_map(|member| member.client_urls).collect())
            }
            Ok(_) => Err(unexpected_answer()),
            Err(error) => Err(Failure::new(
                EXIT_ERROR,
                format!("failed to fetch endpoints from etcd cluster member list: {error}"),
            )),
        }
    }
}
