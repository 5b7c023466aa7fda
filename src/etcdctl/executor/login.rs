//! Who asks: logging in before the first question, and again when what a login gave is no longer known.
//!
//! What it is: one client of etcd's per set of endpoints and user; it asks for a token, and lets questions and
//! streams wait meanwhile.
//! What it is not: a store of passwords; they live as long as the command. They are typed before (see `step`).
//! Invariants: a client that needs no login never lets anything wait; what waits goes on or ends exactly once.
//! Source: the behaviour of etcd's client and of etcdctl.

use crate::api::{self, AuthenticateRequest, Request, Response};
use crate::etcdctl::command::{EXIT_BAD_CONNECTION, Failure};
use crate::etcdctl::executor::io::{Io, Ticket};
use crate::etcdctl::executor::unary::RequestError;
use crate::types::Millis;

/// How a command's questions are asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Access {
    /// `--user`; empty for none.
    pub(crate) user: String,
    /// `--password`, what stood behind the colon, or what was typed.
    pub(crate) password: String,
    /// `--auth-jwt-token`.
    pub(crate) given_token: Option<String>,
    /// How long a login may take. Unit: ms; the largest number for as long as it takes.
    pub(crate) dial_timeout_ms: u64,
    /// Why there cannot be a client, if its limits contradict each other.
    pub(crate) contradiction: Option<String>,
    /// A client that cannot be made is the answer to what waits for it, rather than the end of the command.
    pub(crate) reports_login: bool,
    /// An endpoint that cannot be reached is the answer, rather than a reason to wait.
    pub(crate) fails_fast: bool,
}

impl Access {
    /// A user without a password is nobody, as etcd's client has it.
    const fn logs_in(&self) -> bool {
        !self.user.is_empty() && !self.password.is_empty()
    }
}

/// What goes on after a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    Question(Ticket),
    /// It begins, and so does its time.
    New(Ticket),
    /// By its number.
    Stream(u64),
    /// Making the command; the exit code is for when this client cannot be.
    Step(i32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Out,
    Asking(Ticket),
    In,
}

/// One client of etcd's.
pub(super) struct Client {
    endpoints: Vec<String>,
    access: Access,
    state: State,
    /// It was in before: a failure is the answer to what waits.
    was_in: bool,
    token: Option<String>,
    waiting: Vec<Waiting>,
}

/// Which client; an index into those of an [`Io`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClientId(u32);

impl Io {
    /// The client for these endpoints and this user, made at the first question.
    pub(super) fn client_for(&mut self, endpoints: &[String], access: &Access) -> ClientId {
        let is_same = |client: &Client| client.endpoints == endpoints && client.access == *access;
        let known = self.clients.iter().position(is_same);
        let at = known.unwrap_or_else(|| {
            let is_in = !access.logs_in() && access.contradiction.is_none();
            let state = if is_in { State::In } else { State::Out };
            self.clients.push(Client {
                endpoints: endpoints.to_vec(),
                access: access.clone(),
                state,
                was_in: false,
                token: access.given_token.clone(),
                waiting: Vec::new(),
            });
            self.clients.len() - 1
        });
        ClientId(u32::try_from(at).unwrap_or(u32::MAX))
    }

    fn client(&mut self, id: ClientId) -> &mut Client {
        let at = usize::try_from(id.0).unwrap_or(usize::MAX);
        self.clients.get_mut(at).unwrap_or_else(|| unreachable!("a client is never forgotten"))
    }

    /// What calls of this client carry.
    pub(super) fn token(&mut self, id: ClientId) -> Option<String> {
        self.client(id).token.clone()
    }

    /// Goes on once the client is logged in.
    pub(super) fn when_logged_in(&mut self, id: ClientId, what: Waiting) {
        let client = self.client(id);
        match client.state {
            State::In => self.go_on(what),
            State::Out => {
                client.waiting.push(what);
                self.log_in(id);
            }
            State::Asking(_) => client.waiting.push(what),
        }
    }

    /// Logs in anew, then goes on; false if this client has nothing to log in with.
    pub(super) fn log_in_again(&mut self, id: ClientId, what: Waiting) -> bool {
        let client = self.client(id);
        if !client.access.logs_in() {
            return false;
        }
        if client.state == State::In {
            client.state = State::Out;
        }
        self.when_logged_in(id, what);
        true
    }

    /// A stream is about to be opened again: a token may have expired meanwhile.
    pub(super) fn doubt_token(&mut self, id: ClientId) {
        let client = self.client(id);
        if client.access.logs_in() && client.state == State::In {
            client.state = State::Out;
        }
    }

    fn log_in(&mut self, id: ClientId) {
        let client = self.client(id);
        if let Some(why) = client.access.contradiction.clone() {
            return self.refused(id, &RequestError::NoClient(why));
        }
        let (name, password) = (client.access.user.clone(), client.access.password.clone());
        let (endpoints, timeout_ms) = (client.endpoints.clone(), client.access.dial_timeout_ms);
        let request = Request::Authenticate(AuthenticateRequest { name, password });
        let deadline = Millis(self.now().0.saturating_add(timeout_ms));
        let ticket = self.question(endpoints, request, deadline, None);
        self.client(id).state = State::Asking(ticket);
        self.begin_question(ticket, deadline);
    }

    /// Whether this client was never there so far.
    pub(super) fn is_new(&mut self, id: ClientId) -> bool {
        let client = self.client(id);
        client.state != State::In && !client.was_in
    }

    /// Takes the answer to a login; gives it back if it answers something else.
    pub(super) fn logged_in(
        &mut self,
        ticket: Ticket,
        result: Result<Response, RequestError>,
    ) -> Option<Result<Response, RequestError>> {
        let at = self.clients.iter().position(|client| client.state == State::Asking(ticket));
        let Some(at) = at else { return Some(result) };
        let id = ClientId(u32::try_from(at).unwrap_or(u32::MAX));
        let client = self.client(id);
        match result {
            Ok(Response::Authenticate(response)) => client.token = Some(response.token),
            Ok(_) | Err(RequestError::Status(api::Error::AuthNotEnabled)) => client.token = None,
            Err(error) => {
                self.refused(id, &error);
                return None;
            }
        }
        client.state = State::In;
        client.was_in = true;
        self.release(id);
        None
    }

    fn refused(&mut self, id: ClientId, error: &RequestError) {
        let client = self.client(id);
        client.state = State::Out;
        let (waiting, was_in) = (std::mem::take(&mut client.waiting), client.was_in);
        let reports = client.access.reports_login;
        for what in waiting {
            match what {
                Waiting::Question(ticket) if was_in => self.end(ticket, Err(error.clone())),
                Waiting::Stream(number) if was_in => self.stream_refused(number, error),
                Waiting::New(ticket) if reports => {
                    self.end(ticket, Err(RequestError::NoClient(error.to_string())));
                }
                Waiting::Step(status) => {
                    return self.fail(&Failure::new(status, error.to_string()));
                }
                _ => return self.fail(&Failure::new(EXIT_BAD_CONNECTION, error.to_string())),
            }
        }
    }

    fn release(&mut self, id: ClientId) {
        for what in std::mem::take(&mut self.client(id).waiting) {
            self.go_on(what);
        }
    }

    fn go_on(&mut self, what: Waiting) {
        match what {
            Waiting::Question(ticket) => self.send(ticket),
            Waiting::New(ticket) => self.begin_late(ticket),
            Waiting::Stream(number) => self.send_stream(number),
            Waiting::Step(_) => self.end_step(Vec::new()),
        }
    }
}
