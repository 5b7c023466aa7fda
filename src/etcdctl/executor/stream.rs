//! Watches, each over all the streams it takes.
//!
//! What it is: opening, and resuming on another endpoint when the member goes away, from the revision after the last
//! one seen, so that no event is lost or shown twice.
//! What it is not: the printing of events.
//! Invariants: `next_revision` never goes back; after [`WatchEvent::Closed`] nothing follows.
//! Source: the behaviour of etcd's watch client.

use crate::api::{self, Code, WatchCreateRequest, WatchRequest, WatchResponse};
use crate::etcdctl::command::Config;
use crate::etcdctl::executor::io::{Due, Event, FIRST_PAUSE_MS, Io, LONGEST_PAUSE_MS};
use crate::etcdctl::executor::login::{ClientId, Waiting};
use crate::etcdctl::executor::unary::RequestError;
use crate::etcdctl::protocol::{CallError, CallId, Output};

/// What a watch tells its command.
#[derive(Debug)]
pub(crate) enum WatchEvent {
    /// Changes, or progress.
    Response(WatchResponse),
    /// It is over; the response is what the member sent with it, and the text says why.
    Closed(WatchResponse, String),
}

/// A watch that is open or being opened.
pub(crate) struct Stream {
    number: u64,
    create: WatchCreateRequest,
    /// Invariant: not empty.
    endpoints: Vec<String>,
    position: u32,
    call: Option<CallId>,
    /// Where to go on; 0 means "from now", while nothing has been heard.
    next_revision: i64,
    pause_ms: u64,
    client: ClientId,
    /// How often it was opened again because of its token.
    logins: u32,
}

/// How often a watch is opened again because of its token, in a row.
const LOGINS_MAX: u32 = 100;

impl Stream {
    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    pub(super) const fn call(&self) -> Option<CallId> {
        self.call
    }

    /// Takes a message; what the command sees of it.
    pub(super) fn received(&mut self, response: WatchResponse) -> Option<WatchEvent> {
        self.pause_ms = FIRST_PAUSE_MS;
        if response.canceled {
            return Some(closed(response));
        }
        if response.created {
            if self.next_revision == 0 {
                self.next_revision = response.header.revision + 1;
            }
            return None;
        }
        let last = response.events.last().map(|event| event.kv.mod_revision);
        let seen = last.unwrap_or(response.header.revision);
        self.next_revision = self.next_revision.max(seen + 1);
        Some(WatchEvent::Response(response))
    }
}

fn closed(response: WatchResponse) -> WatchEvent {
    let reason = if response.compact_revision != 0 {
        api::Error::Compacted.text().to_owned()
    } else if response.cancel_reason.is_empty() {
        api::Error::FutureRev.text().to_owned()
    } else {
        response.cancel_reason.clone()
    };
    // etcd's client shows nothing of the message that refuses a watch, only the reason.
    let shown = if response.compact_revision == 0 { refusal() } else { response };
    WatchEvent::Closed(shown, reason)
}

/// What etcd's client makes up when a watch ends without a message for it.
fn refusal() -> WatchResponse {
    WatchResponse { canceled: true, ..WatchResponse::default() }
}

impl Io {
    /// Opens a watch; events come as [`Event::Watch`].
    pub(crate) fn watch(&mut self, config: &Config, create: WatchCreateRequest) {
        assert!(!config.endpoints.is_empty(), "a watch needs somebody to ask");
        let next_revision = create.start_revision.max(0);
        let client = self.client_for(&config.endpoints, &config.access);
        let number = self.id();
        self.streams.push(Stream {
            number,
            create,
            endpoints: config.endpoints.clone(),
            position: 0,
            call: None,
            next_revision,
            pause_ms: FIRST_PAUSE_MS,
            client,
            logins: 0,
        });
        self.open_stream(number);
    }

    /// Ends every watch of this command.
    pub(crate) fn end_watches(&mut self) {
        for call in std::mem::take(&mut self.streams).iter().filter_map(Stream::call) {
            self.push(Output::CancelCall { call });
        }
        self.events.retain(|event| !matches!(event, Event::Watch(_)));
    }

    /// Asks every open watch how far it is.
    pub(crate) fn ask_progress(&mut self) {
        let calls: Vec<CallId> = self.streams.iter().filter_map(Stream::call).collect();
        for call in calls {
            self.push(Output::SendWatch { call, request: WatchRequest::Progress });
        }
    }

    fn stream(&mut self, number: u64) -> Option<&mut Stream> {
        self.streams.iter_mut().find(|stream| stream.number == number)
    }

    fn open_stream(&mut self, number: u64) {
        if let Some(client) = self.stream(number).map(|stream| stream.client) {
            self.when_logged_in(client, Waiting::Stream(number));
        }
    }

    /// Opens it again, with a new login: what the old one gave may be forgotten by now.
    pub(super) fn reopen_stream(&mut self, number: u64) {
        if let Some(client) = self.stream(number).map(|stream| stream.client) {
            self.doubt_token(client);
            self.when_logged_in(client, Waiting::Stream(number));
        }
    }

    /// The login before opening it again failed.
    pub(super) fn stream_refused(&mut self, number: u64, error: &RequestError) {
        match error {
            RequestError::Status(error) if error.code() != Code::Unavailable => {
                let event = WatchEvent::Closed(refusal(), error.to_string());
                self.streams.retain(|stream| stream.number != number);
                self.events.push_back(Event::Watch(event));
            }
            _ => self.reopen(number),
        }
    }

    pub(super) fn send_stream(&mut self, number: u64) {
        let call = CallId(self.id());
        let client = self.stream(number).map(|stream| stream.client);
        let token = client.and_then(|client| self.token(client));
        let Some(stream) = self.stream(number) else { return };
        let mut create = stream.create.clone();
        if stream.next_revision > 0 {
            create.start_revision = stream.next_revision;
        }
        stream.call = Some(call);
        let position = usize::try_from(stream.position).unwrap_or(usize::MAX);
        let endpoint = stream.endpoints.get(position).cloned().unwrap_or_default();
        let request = WatchRequest::Create(create);
        self.push(Output::OpenWatch { call, endpoint, token, request });
    }

    pub(super) fn watched(&mut self, number: u64, event: WatchEvent) {
        if let WatchEvent::Closed(_, reason) = &event
            && self.watches_anew(number, reason)
        {
            return;
        }
        if matches!(event, WatchEvent::Closed(..)) {
            let call = self.stream(number).and_then(|stream| stream.call);
            self.streams.retain(|stream| stream.number != number);
            if let Some(call) = call {
                self.push(Output::CancelCall { call });
            }
        }
        self.events.push_back(Event::Watch(event));
    }

    /// True if the watch was refused for its token, and is opened again after a login.
    fn watches_anew(&mut self, number: u64, reason: &str) -> bool {
        let Some(stream) = self.stream(number) else { return false };
        if !reason.ends_with(api::Error::InvalidAuthToken.text()) || stream.logins >= LOGINS_MAX {
            return false;
        }
        stream.logins += 1;
        let (client, call) = (stream.client, stream.call.take());
        if !self.log_in_again(client, Waiting::Stream(number)) {
            return false;
        }
        if let Some(call) = call {
            self.push(Output::CancelCall { call });
        }
        true
    }

    pub(super) fn stream_ended(&mut self, number: u64, error: CallError) {
        let reason = match error {
            CallError::Status(error @ api::Error::NoLeader) => error.text(),
            CallError::Status(error) if error.code() != Code::Unavailable => error.text(),
            CallError::Canceled => "context canceled",
            CallError::Status(_)
            | CallError::Unreachable { .. }
            | CallError::Lost { .. }
            | CallError::DeadlineExceeded => {
                self.reopen(number);
                return;
            }
        };
        let event = WatchEvent::Closed(refusal(), reason.to_owned());
        self.streams.retain(|stream| stream.number != number);
        self.events.push_back(Event::Watch(event));
    }

    /// Goes to the next endpoint, at once or, after a round of all of them, in a while.
    fn reopen(&mut self, number: u64) {
        let Some(stream) = self.stream(number) else { return };
        stream.call = None;
        let count = u32::try_from(stream.endpoints.len()).unwrap_or(u32::MAX);
        stream.position += 1;
        if stream.position < count {
            self.open_stream(number);
            return;
        }
        stream.position = 0;
        let pause_ms = stream.pause_ms;
        stream.pause_ms = (pause_ms * 2).min(LONGEST_PAUSE_MS);
        self.set_timer(pause_ms, Due::Reopen(number));
    }
}
