//! One question to the members: which endpoint, how often, until when.
//!
//! What it is: the endpoint policy. Endpoints are tried in order; one that cannot be reached is passed over, for
//! every request; a repeatable one is also taken to the next endpoint when a member says it is unavailable or goes
//! away; any other that was sent is never sent again. If no endpoint is left there is a pause and another round, until the
//! command's deadline.
//! What it is not: a connection.
//! Invariants: at most one attempt in flight per question; a question ends in exactly one event.
//! Source: the behaviour of etcd's client (which requests are repeatable), with the order of endpoints fixed.

use std::fmt;

use crate::api::{self, Code, Request, Response};
use crate::etcdctl::command::{Config, rare::AnswerLimit};
use crate::etcdctl::endpoint_address;
use crate::etcdctl::executor::io::{Due, Event, FIRST_PAUSE_MS, Io, LONGEST_PAUSE_MS, Ticket};
use crate::etcdctl::executor::login::{ClientId, Waiting};
use crate::etcdctl::go;
use crate::etcdctl::protocol::{CallError, CallId, Output};
use crate::etcdctl::request_size::request_size;
use crate::types::{Millis, SmallMap};

/// A moment that does not come.
const NEVER: Millis = Millis(u64::MAX);

/// How often a question is asked again because of its token. Source: etcd's client.
const LOGINS_MAX: u32 = 100;

/// Why a question was not answered; its text is etcdctl's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequestError {
    /// A member refused it.
    Status(api::Error),
    /// Time is up.
    Deadline,
    /// It was canceled.
    Canceled,
    /// A write was sent and the member went away.
    Lost { endpoint: String, reason: String },
    /// No member could be reached, and nobody wants to wait.
    Unreachable { endpoint: String },
    /// There is no client to ask with.
    NoClient(String),
    /// It is over the client's own limit.
    TooLarge { size: u64, limit: u64 },
    /// Its answer is over the client's own limit; what it did is done.
    AnswerTooLarge { size: u64, limit: u64 },
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // What etcd's client does not know keeps the form of the wire.
            Self::Status(error) if error.code() == Code::Unknown => {
                write!(f, "rpc error: code = Unknown desc = {error}")
            }
            Self::Status(error) => fmt::Display::fmt(error, f),
            Self::NoClient(why) => f.write_str(why),
            Self::Deadline => f.write_str("context deadline exceeded"),
            Self::Canceled => f.write_str("context canceled"),
            Self::Lost { endpoint, reason } => write!(
                f,
                "rpc error: code = Unavailable desc = {endpoint}: {reason}; the write may have been applied"
            ),
            Self::Unreachable { endpoint } => write!(
                f,
                "rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing: dial tcp {}: connect: connection refused\"",
                endpoint_address(endpoint)
            ),
            Self::TooLarge { size, limit } => write!(
                f,
                "rpc error: code = ResourceExhausted desc = trying to send message larger than max ({size} vs. {limit})"
            ),
            Self::AnswerTooLarge { size, limit } => write!(
                f,
                "rpc error: code = ResourceExhausted desc = grpc: received message larger than max ({size} vs. {limit})"
            ),
        }
    }
}

/// One question.
pub(crate) struct Unary {
    request: Request,
    /// Invariant: not empty.
    endpoints: Vec<String>,
    /// When it was put.
    since: Millis,
    /// When it is given up; [`NEVER`] is possible.
    deadline: Millis,
    /// Invariant: less than the number of endpoints.
    position: u32,
    in_flight: Option<(CallId, Millis)>,
    pause_ms: u64,
    /// Who asks; `None` for a login itself.
    client: Option<ClientId>,
    fails_fast: bool,
    /// 0: any.
    answer_limit: Option<AnswerLimit>,
    logins: u32,
    /// What was last heard of each endpoint that failed.
    troubles: SmallMap<String, String>,
}

impl Unary {
    fn endpoint(&self) -> &str {
        let position = usize::try_from(self.position).unwrap_or(usize::MAX);
        self.endpoints.get(position).map_or("", String::as_str)
    }

    /// Whether it may be sent again after it reached a member: what etcd's client calls repeatable, which includes
    /// writes that come to the same in the end.
    const fn is_repeatable(&self) -> bool {
        match &self.request {
            Request::Range(_)
            | Request::MemberList(_)
            | Request::Status(_)
            | Request::HashKv(_)
            | Request::LeaseTimeToLive(_)
            | Request::LeaseLeases(_)
            | Request::LeaseGrant(_)
            | Request::LeaseRevoke(_)
            | Request::LeaseKeepAlive(_)
            | Request::MoveLeader(_)
            | Request::Alarm(_) => true,
            Request::Put(_)
            | Request::DeleteRange(_)
            | Request::Txn(_)
            | Request::Compaction(_)
            | Request::MemberAdd(_)
            | Request::MemberRemove(_)
            | Request::MemberUpdate(_)
            | Request::MemberPromote(_)
            | Request::Defragment(_)
            | Request::Downgrade(_)
            | Request::Auth(_)
            | Request::Authenticate(_)
            | Request::Snapshot(_) => false,
        }
    }

    /// Moves to the next endpoint; true if that is the first one again.
    fn advance(&mut self) -> bool {
        let count = u32::try_from(self.endpoints.len()).unwrap_or(u32::MAX);
        self.position += 1;
        if self.position >= count {
            self.position = 0;
        }
        self.position == 0
    }
}

impl Io {
    /// Asks the endpoints of `config`, within its timeout from now.
    pub(crate) fn ask(&mut self, config: &Config, request: Request) -> Ticket {
        let deadline = self.now().plus(config.timeout_ms);
        self.ask_one(config, config.endpoints.clone(), request, deadline)
    }

    /// Asks the endpoints of `config` for as long as it takes, as commands do that know no `--command-timeout`.
    pub(crate) fn ask_forever(&mut self, config: &Config, request: Request) -> Ticket {
        self.ask_one(config, config.endpoints.clone(), request, NEVER)
    }

    /// Asks the given endpoints, until the given moment.
    pub(crate) fn ask_one(
        &mut self,
        config: &Config,
        endpoints: Vec<String>,
        request: Request,
        deadline: Millis,
    ) -> Ticket {
        let size = request_size(&request);
        let client = self.client_for(&endpoints, &config.access);
        let ticket = self.question(endpoints, request, deadline, Some(client));
        if let Some(question) = self.questions.get_mut(&ticket) {
            question.fails_fast = config.access.fails_fast;
            question.answer_limit = config.answer_limit;
        }
        if size > config.max_request_bytes {
            let limit = config.max_request_bytes;
            self.end(ticket, Err(RequestError::TooLarge { size, limit }));
        } else {
            self.begin_question(ticket, deadline);
        }
        ticket
    }

    /// A new question, not asked yet.
    pub(super) fn question(
        &mut self,
        endpoints: Vec<String>,
        request: Request,
        deadline: Millis,
        client: Option<ClientId>,
    ) -> Ticket {
        let ticket = self.ticket();
        let question = Unary {
            request,
            endpoints,
            since: self.now(),
            deadline,
            position: 0,
            in_flight: None,
            pause_ms: FIRST_PAUSE_MS,
            client,
            fails_fast: false,
            answer_limit: None,
            logins: 0,
            troubles: SmallMap::new(),
        };
        assert!(!question.endpoints.is_empty(), "a question needs somebody to ask");
        self.questions.insert(ticket, question);
        ticket
    }

    /// Asks it, now that there is a client; its time begins only here.
    pub(super) fn begin_late(&mut self, ticket: Ticket) {
        let now = self.now();
        let Some(question) = self.questions.get_mut(&ticket) else { return };
        let waited_ms = now.since(question.since);
        if question.deadline != NEVER {
            question.deadline = question.deadline.plus(waited_ms);
        }
        let deadline = question.deadline;
        self.begin_question(ticket, deadline);
    }

    /// Asks it. A moment that never comes needs no timer.
    pub(super) fn begin_question(&mut self, ticket: Ticket, deadline: Millis) {
        let client = self.questions.get(&ticket).and_then(|question| question.client);
        if let Some(client) = client
            && self.is_new(client)
        {
            return self.when_logged_in(client, Waiting::New(ticket));
        }
        let after_ms = deadline.since(self.now());
        if after_ms == 0 {
            self.end(ticket, Err(RequestError::Deadline));
            return;
        }
        if deadline != NEVER {
            self.set_timer(after_ms, Due::Deadline(ticket));
        }
        match client {
            Some(client) => self.when_logged_in(client, Waiting::Question(ticket)),
            None => self.send(ticket),
        }
    }

    pub(super) fn send(&mut self, ticket: Ticket) {
        let call = CallId(self.id());
        let now = self.now();
        let Some(question) = self.questions.get_mut(&ticket) else { return };
        question.in_flight = Some((call, now));
        let (endpoint, request) = (question.endpoint().to_owned(), question.request.clone());
        let client = question.client;
        let token = client.and_then(|client| self.token(client));
        self.calls.insert(call, ticket);
        self.push(Output::Call { call, endpoint, token, request });
    }

    /// True if the error is about who asks, and the question is asked again after a login.
    fn asks_anew(&mut self, ticket: Ticket, error: api::Error) -> bool {
        let Some(question) = self.questions.get_mut(&ticket) else { return false };
        let Some(client) = question.client else { return false };
        if question.logins >= LOGINS_MAX {
            return false;
        }
        question.logins += 1;
        match error {
            api::Error::InvalidAuthToken | api::Error::UserEmpty => {
                self.log_in_again(client, Waiting::Question(ticket))
            }
            api::Error::AuthOldRevision => {
                if !self.log_in_again(client, Waiting::Question(ticket)) {
                    self.set_timer(FIRST_PAUSE_MS, Due::Retry(ticket));
                }
                true
            }
            _ => false,
        }
    }

    pub(super) fn answered(&mut self, ticket: Ticket, result: Result<Response, CallError>) {
        let Some(question) = self.questions.get_mut(&ticket) else { return };
        question.in_flight = None;
        let repeatable = question.is_repeatable();
        match result {
            Ok(response) => {
                let too_large = question.answer_limit.and_then(|limit| {
                    let size = (limit.size)(&response).filter(|size| *size > limit.bytes)?;
                    Some(RequestError::AnswerTooLarge { size, limit: limit.bytes })
                });
                let result = too_large.map_or(Ok(response), Err);
                self.end(ticket, result);
            }
            Err(CallError::Unreachable { endpoint, reason }) => {
                question.troubles.insert(endpoint, reason);
                self.try_next(ticket);
            }
            Err(CallError::Lost { endpoint, reason }) if repeatable => {
                question.troubles.insert(endpoint, reason);
                self.try_next(ticket);
            }
            Err(CallError::Lost { endpoint, reason }) => {
                self.end(ticket, Err(RequestError::Lost { endpoint, reason }));
            }
            Err(CallError::Status(error)) if repeatable && error.code() == Code::Unavailable => {
                let endpoint = question.endpoint().to_owned();
                question.troubles.insert(endpoint, error.text().to_owned());
                self.try_next(ticket);
            }
            Err(CallError::Status(error)) => {
                if !self.asks_anew(ticket, error) {
                    self.end(ticket, Err(RequestError::Status(error)));
                }
            }
            Err(CallError::DeadlineExceeded) if repeatable => self.try_next(ticket),
            // The write may still be under way: nothing to do but wait for the command's own deadline.
            Err(CallError::DeadlineExceeded) => {}
            Err(CallError::Canceled) => self.end(ticket, Err(RequestError::Canceled)),
        }
    }

    fn try_next(&mut self, ticket: Ticket) {
        let Some(question) = self.questions.get_mut(&ticket) else { return };
        if !question.advance() {
            self.send(ticket);
            return;
        }
        if question.fails_fast {
            let endpoint = question.endpoint().to_owned();
            let reason = question.troubles.get(&endpoint).cloned().unwrap_or_default();
            self.notice(&format!("{endpoint}: {reason}"));
            self.end(ticket, Err(RequestError::Unreachable { endpoint }));
            return;
        }
        let pause_ms = question.pause_ms;
        question.pause_ms = (pause_ms * 2).min(LONGEST_PAUSE_MS);
        self.set_timer(pause_ms, Due::Retry(ticket));
    }

    /// The deadline has come.
    pub(super) fn give_up(&mut self, ticket: Ticket) {
        let now = self.now();
        let Some(question) = self.questions.get_mut(&ticket) else { return };
        let mut troubles = std::mem::take(&mut question.troubles);
        let silent = question.in_flight.take();
        if let Some((_, since)) = silent {
            // A late timer does not lengthen the limit that was set.
            let end = now.min(question.deadline);
            let waited = format!("no answer within {}", go::duration(end.since(since)));
            troubles.insert(question.endpoint().to_owned(), waited);
        }
        if let Some((call, _)) = silent {
            self.calls.remove(&call);
            self.push(Output::CancelCall { call });
        }
        for (endpoint, trouble) in troubles {
            self.notice(&format!("{endpoint}: {trouble}"));
        }
        self.end(ticket, Err(RequestError::Deadline));
    }

    pub(super) fn end(&mut self, ticket: Ticket, result: Result<Response, RequestError>) {
        self.questions.remove(&ticket);
        if let Some(result) = self.logged_in(ticket, result) {
            self.events.push_back(Event::Reply(ticket, result));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_that_refuses_is_named_without_its_scheme() {
        for endpoint in ["http://127.0.0.1:22379", "127.0.0.1:22379"] {
            let told = RequestError::Unreachable { endpoint: endpoint.to_owned() }.to_string();
            assert!(
                told.contains("dial tcp 127.0.0.1:22379: connect: connection refused"),
                "{told}"
            );
        }
    }
}
