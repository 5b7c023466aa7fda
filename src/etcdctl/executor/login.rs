//! Who asks: logging in before the first question, and again when what a login gave is no longer known.
//!
//! What it is: one client of etcd's per set of endpoints and user; it asks for a password if none was given,
//! then for a token, and lets questions and streams wait meanwhile.
//! What it is not: a store of passwords; they live as long as the command.
//! Invariants: a client that needs no login never lets anything wait; what waits goes on or ends exactly once.
//! Source: the behaviour of etcd's client and of etcdctl.

use crate::api::{self, AuthenticateRequest, Request, Response};
use crate::etcdctl::command::{EXIT_BAD_CONNECTION, Failure};
use crate::etcdctl::executor::io::{Event, Io, Ticket};
use crate::etcdctl::executor::unary::RequestError;
use crate::types::Millis;

/// How a command's questions are asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Access {
    /// `--user`; empty for none.
    pub(crate) user: String,
    /// `--password`, or what stood behind the colon; `None`: it is to be typed.
    pub(crate) password: Option<String>,
    /// What to show when it is to be typed.
    pub(crate) prompt: &'static str,
    /// `--auth-jwt-token`; counts only without a user.
    pub(crate) given_token: Option<String>,
    /// How long a login may take. Unit: ms.
    pub(crate) dial_timeout_ms: u64,
    /// A login that fails is the answer to what waits for it, rather than the end of the command.
    pub(crate) reports_login: bool,
    /// An endpoint that cannot be reached is the answer, rather than a reason to wait.
    pub(crate) fails_fast: bool,
}

impl Access {
    /// Reads a user, with or without a password behind a colon, and a password that may be given apart.
    pub(crate) fn named(user: &str, password: &str, prompt: &'static str) -> Self {
        let (user, password) = match user.split_once(':') {
            _ if !password.is_empty() => (user, Some(password)),
            Some((user, password)) => (user, Some(password)),
            None => (user, None),
        };
        let (user, password) = (user.to_owned(), password.map(str::to_owned));
        Self { user, password, prompt, ..Self::default() }
    }

    /// A user without a password is nobody, as etcd's client has it.
    fn logs_in(&self) -> bool {
        !self.user.is_empty() && self.password.as_deref() != Some("")
    }
}

/// What goes on after a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    Question(Ticket),
    /// By its number.
    Stream(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Out,
    Typing,
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
            let state = if access.logs_in() { State::Out } else { State::In };
            let token = access.given_token.clone().filter(|_| !access.logs_in());
            self.clients.push(Client {
                endpoints: endpoints.to_vec(),
                access: access.clone(),
                state,
                was_in: false,
                token,
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
            State::Typing | State::Asking(_) => client.waiting.push(what),
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
        let Some(password) = client.access.password.clone() else {
            client.state = State::Typing;
            let prompt = client.access.prompt;
            self.ask_secret(prompt);
            return;
        };
        let name = client.access.user.clone();
        let (endpoints, timeout_ms) = (client.endpoints.clone(), client.access.dial_timeout_ms);
        let request = Request::Authenticate(AuthenticateRequest { name, password });
        let deadline = Millis(self.now().0.saturating_add(timeout_ms));
        let ticket = self.question(endpoints, request, deadline, None);
        self.client(id).state = State::Asking(ticket);
        self.begin_question(ticket, deadline);
    }

    /// Takes a line that was typed for a login; gives it back if nobody waits for one.
    pub(super) fn type_password(&mut self, line: String) -> Option<String> {
        let at = self.clients.iter().position(|client| client.state == State::Typing);
        let Some(at) = at else { return Some(line) };
        let id = ClientId(u32::try_from(at).unwrap_or(u32::MAX));
        let client = self.client(id);
        client.access.password = Some(line);
        if client.access.logs_in() {
            self.log_in(id);
        } else {
            client.state = State::In;
            self.release(id);
        }
        None
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
        if !client.was_in && !client.access.reports_login {
            self.fail(&Failure::new(EXIT_BAD_CONNECTION, error.to_string()));
            return;
        }
        for what in std::mem::take(&mut client.waiting) {
            match what {
                Waiting::Question(ticket) => self.end(ticket, Err(error.clone())),
                Waiting::Stream(number) => self.stream_refused(number, error),
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
            Waiting::Stream(number) => self.send_stream(number),
        }
    }

    /// Whether what is typed next is a secret.
    pub(super) fn types_secret(&self) -> bool {
        self.reads_secret || self.clients.iter().any(|client| client.state == State::Typing)
    }

    /// A line for the command itself.
    pub(super) fn give_line(&mut self, line: String) {
        if let Some(line) = self.type_password(line) {
            self.events.push_back(Event::Line(line));
        }
    }
}
