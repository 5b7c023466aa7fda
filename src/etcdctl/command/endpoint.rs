//! What the `endpoint` commands have in common: which endpoints are meant.

use crate::api::{MemberListRequest, Request, Response};
use crate::etcdctl::command::{
    Config, DEFAULT_MAX_REQUEST_BYTES, EXIT_ERROR, Failure, Invocation, Unmade, unexpected_answer,
};
use crate::etcdctl::executor::{Access, Io, RequestError};

/// The endpoints that were given, or with `--cluster` those of every member.
pub(super) struct Targets {
    /// How the members are asked for theirs.
    cluster: Option<Config>,
}

impl Targets {
    /// How the endpoints are asked, and which; no endpoints are fine unless members must be asked for theirs.
    pub(super) fn of(invocation: &Invocation) -> Result<(Config, Self), Unmade> {
        let config = invocation.config()?;
        if !invocation.flags.bool("cluster") {
            return Ok((config, Self { cluster: None }));
        }
        // etcdctl makes another client for it, with a password of its own and without limits.
        let access = Access { contradiction: None, ..invocation.access()? };
        let max_request_bytes = DEFAULT_MAX_REQUEST_BYTES;
        let cluster = Config { access, max_request_bytes, ..config.clone() };
        let cluster = invocation.connected(cluster, EXIT_ERROR)?;
        Ok((config, Self { cluster: Some(cluster) }))
    }

    /// The endpoints if they are known; otherwise the members are asked, and the answer is for [`Self::found`].
    pub(super) fn find(&self, io: &mut Io, config: &Config) -> Option<Vec<String>> {
        let Some(cluster) = &self.cluster else { return Some(config.endpoints.clone()) };
        io.ask(cluster, Request::MemberList(MemberListRequest { linearizable: true }));
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
