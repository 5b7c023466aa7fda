//! Which endpoint is asked, how often, until when; and how a command is ended from outside.

#![cfg(not(target_arch = "wasm32"))]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "an unexpected output must fail the test"
)]

use bytes::Bytes;
use etcd_playground::api::{
    Error, Event, KeyValue, PutResponse, RangeResponse, Request, Response, ResponseHeader,
    StatusResponse, WatchRequest, WatchResponse,
};
use etcd_playground::etcdctl::{CallError, CallId, Execution, Input, Output, Shell, TimerId};
use etcd_playground::types::Millis;

const ENDPOINTS: [&str; 3] = ["a:1", "b:2", "c:3"];

/// A driver that answers by hand.
struct Driver {
    execution: Execution,
    now: Millis,
    timers: Vec<(Millis, TimerId)>,
    calls: Vec<(CallId, String, Request)>,
    streams: Vec<(CallId, String, i64)>,
    canceled: Vec<CallId>,
    out: String,
    err: String,
    exit: Option<i32>,
}

impl Driver {
    fn start(line: &str) -> Self {
        let mut shell = Shell::whole(ENDPOINTS.map(str::to_owned).to_vec());
        let execution = shell.start(line, None, Millis(1000));
        let mut driver = Self {
            execution,
            now: Millis(1000),
            timers: Vec::new(),
            calls: Vec::new(),
            streams: Vec::new(),
            canceled: Vec::new(),
            out: String::new(),
            err: String::new(),
            exit: None,
        };
        driver.drain();
        driver
    }

    fn drain(&mut self) {
        while let Some(output) = self.execution.poll_output() {
            assert_eq!(self.exit, None, "{output:?} after exit");
            match output {
                Output::Call { call, endpoint, request, .. } => {
                    self.calls.push((call, endpoint, request));
                }
                Output::OpenWatch {
                    call, endpoint, request: WatchRequest::Create(create), ..
                } => {
                    self.streams.push((call, endpoint, create.start_revision));
                }
                Output::OpenWatch { .. } | Output::SendWatch { .. } | Output::File { .. } => {
                    panic!("{output:?}")
                }
                Output::CancelCall { call } => self.canceled.push(call),
                Output::SetTimer { timer, after_ms } => {
                    self.timers.push((self.now.plus(after_ms), timer));
                }
                Output::Stdout(bytes) => self.out.push_str(&String::from_utf8(bytes).unwrap()),
                Output::Stderr(bytes) => self.err.push_str(&String::from_utf8(bytes).unwrap()),
                Output::Exit { status } => self.exit = Some(status),
            }
        }
    }

    fn give(&mut self, input: Input) {
        self.execution.handle(input, self.now);
        self.drain();
    }

    /// Answers the oldest call; returns whom it went to.
    fn reply(&mut self, result: Result<Response, CallError>) -> String {
        let (call, endpoint, _) = self.calls.remove(0);
        self.give(Input::Reply { call, result });
        endpoint
    }

    fn unreachable(&mut self, reason: &str) -> String {
        let endpoint = self.calls[0].1.clone();
        self.reply(Err(CallError::Unreachable { endpoint, reason: reason.to_owned() }))
    }

    /// Lets time pass until the next timer.
    fn tick(&mut self) {
        self.timers.sort_unstable();
        let (at, timer) = self.timers.remove(0);
        self.now = at.max(self.now);
        self.give(Input::Timer { timer });
    }
}

fn found(value: &'static str) -> Result<Response, CallError> {
    let kv = KeyValue {
        key: Bytes::from_static(b"k"),
        value: Bytes::from_static(value.as_bytes()),
        ..KeyValue::default()
    };
    Ok(Response::Range(RangeResponse { kvs: vec![kv], count: 1, ..RangeResponse::default() }))
}

#[test]
fn a_dead_endpoint_is_passed_over_at_once() {
    for (line, answer, printed) in [
        ("get k", found("v"), "k\nv\n"),
        ("put k v", Ok(Response::Put(PutResponse::default())), "OK\n"),
    ] {
        let mut driver = Driver::start(line);
        assert_eq!(driver.unreachable("infra1 was killed"), "a:1");
        assert_eq!(driver.reply(answer), "b:2");
        assert_eq!((driver.out.as_str(), driver.err.as_str(), driver.exit), (printed, "", Some(0)));
    }
}

#[test]
fn a_read_goes_on_when_a_member_is_unavailable_and_a_write_does_not() {
    let unavailable = || Err(CallError::Status(Error::NoLeader));
    let mut driver = Driver::start("get k");
    driver.reply(unavailable());
    assert_eq!(driver.reply(found("v")), "b:2");
    assert_eq!(driver.exit, Some(0));

    let mut driver = Driver::start("put k v");
    driver.reply(unavailable());
    assert_eq!(driver.err, "Error: etcdserver: no leader\n");
    assert_eq!((driver.exit, driver.calls.len()), (Some(1), 0));
}

#[test]
fn a_write_that_was_sent_is_never_sent_again() {
    let lost = || {
        let (endpoint, reason) = ("a:1".to_owned(), "infra1 was killed".to_owned());
        Err(CallError::Lost { endpoint, reason })
    };
    let mut driver = Driver::start("put k v");
    driver.reply(lost());
    assert_eq!(
        driver.err,
        "Error: rpc error: code = Unavailable desc = a:1: infra1 was killed; the write may have been applied\n"
    );
    assert_eq!((driver.exit, driver.calls.len()), (Some(1), 0));

    let mut driver = Driver::start("put k v");
    driver.reply(Err(CallError::DeadlineExceeded));
    driver.tick();
    assert_eq!((driver.exit, driver.calls.len()), (Some(1), 0));
    assert_eq!(driver.now, Millis(6000));
    assert!(driver.err.ends_with("Error: context deadline exceeded\n"));

    let mut driver = Driver::start("get k");
    driver.reply(lost());
    assert_eq!(driver.reply(found("v")), "b:2");
}

#[test]
fn without_any_member_the_timeout_says_what_happened_to_each() {
    let mut driver = Driver::start("get k --command-timeout=2s");
    let mut attempts = 0;
    while driver.exit.is_none() {
        if driver.calls.is_empty() {
            driver.tick();
        } else {
            driver.unreachable("it was killed");
            attempts += 1;
        }
    }
    assert_eq!(driver.now, Millis(3000));
    assert!((12..60).contains(&attempts), "{attempts}");
    assert_eq!(
        driver.err,
        "notice: a:1: it was killed\nnotice: b:2: it was killed\nnotice: c:3: it was killed\nError: context deadline exceeded\n"
    );
    assert_eq!(driver.exit, Some(1));
}

#[test]
fn a_silent_member_is_given_up_at_the_deadline() {
    let mut driver = Driver::start("put k v");
    let call = driver.calls[0].0;
    driver.tick();
    assert_eq!((driver.now, driver.exit), (Millis(6000), Some(1)));
    assert_eq!(driver.canceled, [call]);
    assert_eq!(driver.err, "notice: a:1: no answer within 5s\nError: context deadline exceeded\n");
    driver.reply(Ok(Response::Put(PutResponse::default())));
    assert_eq!(driver.out, "", "an answer that came too late");
}

#[test]
fn each_endpoint_of_a_status_has_its_own_time() {
    let mut driver = Driver::start("endpoint status");
    while driver.calls.first().is_some_and(|(_, endpoint, _)| endpoint == "a:1") {
        driver.unreachable("it was killed");
        while driver.calls.is_empty() {
            driver.tick();
        }
    }
    assert_eq!(driver.now, Millis(6000));
    for endpoint in ["b:2", "c:3"] {
        let status = StatusResponse { version: "3.7.1".to_owned(), ..StatusResponse::default() };
        assert_eq!(driver.reply(Ok(Response::Status(status))), endpoint);
    }
    assert_eq!(
        driver.err,
        "notice: a:1: it was killed\nFailed to get the status of endpoint a:1 (context deadline exceeded)\n"
    );
    assert_eq!((driver.out.lines().count(), driver.exit), (2, Some(1)));
}

#[test]
fn a_watch_resumes_elsewhere_after_the_last_revision_seen() {
    let event = |mod_revision| Event {
        kv: KeyValue { key: Bytes::from_static(b"k"), mod_revision, ..KeyValue::default() },
        ..Event::default()
    };
    let header = |revision| ResponseHeader { revision, ..ResponseHeader::default() };
    let mut driver = Driver::start("watch k --rev=2");
    let (call, endpoint, from) = driver.streams.remove(0);
    assert_eq!((endpoint.as_str(), from), ("a:1", 2));
    let response = WatchResponse { header: header(4), created: true, ..WatchResponse::default() };
    driver.give(Input::Watch { call, response });
    let events = vec![event(2), event(4)];
    let response = WatchResponse { header: header(4), events, ..WatchResponse::default() };
    driver.give(Input::Watch { call, response });
    let gone = || CallError::Lost { endpoint: "a:1".to_owned(), reason: "killed".to_owned() };
    driver.give(Input::StreamEnded { call, error: gone() });
    let (second, endpoint, from) = driver.streams.remove(0);
    assert_eq!((endpoint.as_str(), from), ("b:2", 5));
    assert_eq!(driver.out, "PUT\nk\n\nPUT\nk\n\n");
    assert!(driver.exit.is_none());
    driver.give(Input::StreamEnded { call: second, error: gone() });
    assert_eq!(driver.streams.remove(0).1, "c:3");
}

#[test]
fn a_watch_from_now_resumes_after_the_revision_it_was_made_at() {
    let mut driver = Driver::start("watch k");
    let (call, _, from) = driver.streams.remove(0);
    assert_eq!(from, 0);
    let header = ResponseHeader { revision: 7, ..ResponseHeader::default() };
    driver.give(Input::Watch {
        call,
        response: WatchResponse { header, created: true, ..WatchResponse::default() },
    });
    let error = CallError::Unreachable { endpoint: "a:1".to_owned(), reason: "killed".to_owned() };
    driver.give(Input::StreamEnded { call, error });
    assert_eq!(driver.streams.remove(0).2, 8);
}

#[test]
fn ctrl_c_ends_a_watch_and_closes_its_stream() {
    let mut driver = Driver::start("watch k --prefix");
    let call = driver.streams[0].0;
    driver.give(Input::Interrupt);
    assert_eq!((driver.exit, driver.canceled), (Some(130), vec![call]));
}

#[test]
fn ctrl_c_within_two_seconds_saves_a_range() {
    let mut driver = Driver::start("del b d");
    assert!(driver.err.starts_with("Warning: Keys between \"b\" and \"d\" will be deleted."));
    assert!(driver.calls.is_empty());
    driver.give(Input::Interrupt);
    assert_eq!((driver.exit, driver.calls.len()), (Some(130), 0));

    let mut driver = Driver::start("del b d");
    driver.tick();
    assert_eq!((driver.now, driver.calls.len()), (Millis(3000), 1));
}

#[test]
fn the_answer_of_another_kind_is_an_error_and_no_panic() {
    let mut driver = Driver::start("get k");
    driver.reply(Ok(Response::Put(PutResponse::default())));
    assert_eq!(driver.exit, Some(1));
}
