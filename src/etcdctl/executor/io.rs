//! What a command may do: ask members, watch, wait, print, exit.
//!
//! What it is: the bookkeeping of ids, timers and queues between a command and its driver.
//! What it is not: the retry rules, which are `unary`'s and `stream`'s.
//! Invariants: nothing is queued after `Exit`; an id that is not in a table here is ignored.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::api::{Response, WatchResponse};
use crate::etcdctl::command::{Config, Failure};
use crate::etcdctl::executor::login::Client;
use crate::etcdctl::executor::stdin::Stdin;
use crate::etcdctl::executor::stream::{Stream, WatchEvent};
use crate::etcdctl::executor::unary::{RequestError, Unary};
use crate::etcdctl::printer::Printed;
use crate::etcdctl::protocol::{
    CallError, CallId, FileAnswer, FileError, FileOrder, NOTICE_PREFIX, Output, TimerId,
};
use crate::types::{Millis, SmallMap};

/// First pause after every endpoint failed, in milliseconds; it doubles up to [`LONGEST_PAUSE_MS`].
pub(super) const FIRST_PAUSE_MS: u64 = 50;
/// Longest pause between two rounds over the endpoints, in milliseconds.
pub(super) const LONGEST_PAUSE_MS: u64 = 500;

/// One question of a command's, over all its attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

/// What happens to a command.
#[derive(Debug)]
pub(crate) enum Event {
    /// A question was answered, or given up.
    Reply(Ticket, Result<Response, RequestError>),
    /// A piece of an answer.
    Part(Response),
    /// What came of [`Io::file`].
    File(Result<FileAnswer, FileError>),
    /// Something came on a watch.
    Watch(WatchEvent),
    /// Standard input goes on; lines may be cut anywhere.
    Stdin(Bytes),
    /// Standard input is over.
    StdinEnd,
    /// The time asked for with [`Io::sleep`] is over.
    Woken,
    /// What came of a step; only before there is a command.
    Step(Bytes),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Due {
    Deadline(Ticket),
    Retry(Ticket),
    Reopen(u64),
    Sleep,
}

/// See the module.
pub(crate) struct Io {
    pub(super) now: Millis,
    next_id: u64,
    outputs: VecDeque<Output>,
    pub(super) events: VecDeque<Event>,
    pub(super) calls: SmallMap<CallId, Ticket>,
    pub(super) questions: SmallMap<Ticket, Unary>,
    timers: SmallMap<TimerId, Due>,
    pub(super) streams: Vec<Stream>,
    pub(super) clients: Vec<Client>,
    pub(super) stdin: Stdin,
    /// When the first client began to be made, a password typed for it included.
    pub(super) since: Option<Millis>,
    /// The file order under way.
    file: Option<CallId>,
    exited: bool,
}

impl Io {
    pub(super) fn new(serial: u32, now: Millis, stdin: Option<&[u8]>) -> Self {
        Self {
            now,
            next_id: u64::from(serial) << 32,
            outputs: VecDeque::new(),
            events: VecDeque::new(),
            calls: SmallMap::new(),
            questions: SmallMap::new(),
            timers: SmallMap::new(),
            streams: Vec::new(),
            clients: Vec::new(),
            stdin: Stdin::new(stdin),
            since: None,
            file: None,
            exited: false,
        }
    }

    /// The driver's time.
    pub(crate) const fn now(&self) -> Millis {
        self.now
    }

    /// When `--command-timeout` is over for commands whose time begins before their client is made.
    pub(crate) fn deadline(&self, config: &Config) -> Millis {
        self.since.unwrap_or(self.now).plus(config.timeout_ms)
    }

    pub(super) const fn set_now(&mut self, now: Millis) {
        self.now = now;
    }

    pub(super) const fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    pub(super) const fn ticket(&mut self) -> Ticket {
        Ticket(self.id())
    }

    pub(super) fn push(&mut self, output: Output) {
        assert!(!self.exited, "output after exit");
        self.outputs.push_back(output);
    }

    pub(super) fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    pub(super) fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    pub(crate) const fn has_exited(&self) -> bool {
        self.exited
    }

    /// True if standard input is all there; otherwise somebody types it.
    pub(crate) const fn has_all_stdin(&self) -> bool {
        !self.stdin.is_terminal()
    }

    /// Prints on standard output.
    pub(crate) fn stdout(&mut self, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            self.push(Output::Stdout(bytes));
        }
    }

    /// Prints on standard error.
    pub(crate) fn stderr(&mut self, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        if !bytes.is_empty() {
            self.push(Output::Stderr(bytes));
        }
    }

    /// Says something that etcdctl would not say.
    pub(crate) fn notice(&mut self, text: &str) {
        self.stderr(format!("{NOTICE_PREFIX}{text}\n"));
    }

    /// Ends the command: everything in flight is canceled.
    pub(crate) fn exit(&mut self, status: i32) {
        if self.exited {
            return;
        }
        let mut calls: Vec<CallId> = self.calls.keys().copied().collect();
        calls.extend(self.streams.iter().filter_map(Stream::call));
        for call in calls {
            self.push(Output::CancelCall { call });
        }
        self.calls.clear();
        self.questions.clear();
        self.timers.clear();
        self.events.clear();
        self.streams.clear();
        self.clients.clear();
        self.push(Output::Exit { status });
        self.exited = true;
    }

    /// Ends the command with an error.
    pub(crate) fn fail(&mut self, failure: &Failure) {
        self.stderr(failure.line());
        self.exit(failure.status);
    }

    /// Ends the command with what was printed, or with why it could not be.
    pub(crate) fn finish(&mut self, printed: Printed) {
        match printed {
            Ok(bytes) => {
                self.stdout(bytes);
                self.exit(0);
            }
            Err(failure) => self.fail(&failure),
        }
    }

    /// Gives [`Event::Woken`] after some time.
    pub(crate) fn sleep(&mut self, after_ms: u64) {
        self.set_timer(after_ms, Due::Sleep);
    }

    pub(super) fn set_timer(&mut self, after_ms: u64, due: Due) {
        let timer = TimerId(self.id());
        self.timers.insert(timer, due);
        self.push(Output::SetTimer { timer, after_ms });
    }

    pub(super) fn on_timer(&mut self, timer: TimerId) {
        match self.timers.remove(&timer) {
            Some(Due::Deadline(ticket)) => self.give_up(ticket),
            Some(Due::Retry(ticket)) => self.send(ticket),
            Some(Due::Reopen(number)) => self.reopen_stream(number),
            Some(Due::Sleep) => self.events.push_back(Event::Woken),
            None => {}
        }
    }

    pub(super) fn on_reply(&mut self, call: CallId, result: Result<Response, CallError>) {
        if let Some(ticket) = self.calls.remove(&call) {
            self.answered(ticket, result);
        }
    }

    pub(super) fn on_part(&mut self, call: CallId, part: Response) {
        if self.calls.contains_key(&call) {
            self.events.push_back(Event::Part(part));
        }
    }

    /// Does something with a file; what comes of it is an [`Event::File`].
    pub(crate) fn file(&mut self, order: FileOrder) {
        let call = CallId(self.id());
        self.file = Some(call);
        self.push(Output::File { call, order });
    }

    pub(super) fn on_file(&mut self, call: CallId, result: Result<FileAnswer, FileError>) {
        if self.file == Some(call) {
            self.file = None;
            self.events.push_back(Event::File(result));
        }
    }

    pub(super) fn on_watch(&mut self, call: CallId, response: WatchResponse) {
        let Some(stream) = self.streams.iter_mut().find(|stream| stream.call() == Some(call))
        else {
            return;
        };
        let number = stream.number();
        if let Some(event) = stream.received(response) {
            self.watched(number, event);
        }
    }

    pub(super) fn on_stream_ended(&mut self, call: CallId, error: CallError) {
        let stream = self.streams.iter().find(|stream| stream.call() == Some(call));
        if let Some(number) = stream.map(Stream::number) {
            self.stream_ended(number, error);
        }
    }
}
