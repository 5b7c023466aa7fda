//! Who asks: the login before the first question, and what happens when a token is not known any more.

#![cfg(not(target_arch = "wasm32"))]
#![expect(clippy::unwrap_used, clippy::panic, reason = "an unexpected output must fail the test")]

use bytes::Bytes;
use etcd_playground::api::{
    AuthenticateResponse, Error, RangeResponse, Request, Response, WatchCreateRequest,
    WatchRequest, WatchResponse,
};
use etcd_playground::etcdctl::{CallError, CallId, Execution, Input, Output, Shell, TimerId};
use etcd_playground::types::{Millis, WatchId};

struct Asked {
    call: CallId,
    token: Option<String>,
    request: Request,
}

/// A driver that answers by hand.
struct Driver {
    execution: Execution,
    asked: Vec<Asked>,
    streams: Vec<(CallId, Option<String>, WatchCreateRequest)>,
    timers: Vec<(u64, TimerId)>,
    out: String,
    err: String,
    exit: Option<i32>,
}

impl Driver {
    fn start(line: &str) -> Self {
        let mut shell = Shell::new(vec!["a:1".to_owned()]);
        let mut driver = Self {
            execution: shell.start(line, None, Millis(0)),
            asked: Vec::new(),
            streams: Vec::new(),
            timers: Vec::new(),
            out: String::new(),
            err: String::new(),
            exit: None,
        };
        driver.drain();
        driver
    }

    fn drain(&mut self) {
        while let Some(output) = self.execution.poll_output() {
            match output {
                Output::Call { call, token, request, .. } => {
                    self.asked.push(Asked { call, token, request });
                }
                Output::OpenWatch {
                    call, token, request: WatchRequest::Create(create), ..
                } => {
                    self.streams.push((call, token, create));
                }
                Output::SetTimer { timer, after_ms } => self.timers.push((after_ms, timer)),
                Output::Stdout(bytes) => self.out.push_str(&String::from_utf8(bytes).unwrap()),
                Output::Stderr(bytes) => self.err.push_str(&String::from_utf8(bytes).unwrap()),
                Output::Exit { status } => self.exit = Some(status),
                Output::CancelCall { .. } => {}
                Output::OpenWatch { .. } | Output::SendWatch { .. } | Output::File { .. } => {
                    panic!("{output:?}")
                }
            }
        }
    }

    fn give(&mut self, input: Input) {
        self.execution.handle(input, Millis(0));
        self.drain();
    }

    fn reply(&mut self, result: Result<Response, Error>) {
        let call = self.asked.last().unwrap().call;
        let result = result.map_err(CallError::Status);
        self.give(Input::Reply { call, result });
    }

    /// Answers a login.
    fn let_in(&mut self, name: &str, password: &str, token: &str) {
        let Some(Request::Authenticate(login)) = self.asked.last().map(|asked| &asked.request)
        else {
            panic!("nobody logs in")
        };
        assert_eq!((login.name.as_str(), login.password.as_str()), (name, password));
        let token = token.to_owned();
        let response = AuthenticateResponse { token, ..AuthenticateResponse::default() };
        self.reply(Ok(Response::Authenticate(response)));
    }

    fn asks(&self) -> (usize, Option<&str>) {
        (self.asked.len(), self.asked.last().and_then(|asked| asked.token.as_deref()))
    }
}

fn nothing() -> Result<Response, Error> {
    Ok(Response::Range(RangeResponse::default()))
}

#[test]
fn a_user_logs_in_before_the_first_question() {
    for line in [
        "get k --user root:a:b",
        "get k --user root --password a:b",
        "ETCDCTL_USER=root:a:b etcdctl get k",
        "ETCDCTL_USER=root ETCDCTL_PASSWORD=a:b get k",
    ] {
        let mut driver = Driver::start(line);
        assert_eq!(driver.asks(), (1, None), "{line}");
        driver.let_in("root", "a:b", "t.1");
        assert_eq!(driver.asks(), (2, Some("t.1")), "{line}");
        driver.reply(nothing());
        assert_eq!(driver.exit, Some(0), "{line}");
    }
}

#[test]
fn without_access_control_a_login_is_not_needed() {
    let mut driver = Driver::start("get k --user root:pw");
    driver.reply(Err(Error::AuthNotEnabled));
    assert_eq!(driver.asks(), (2, None));
    driver.reply(nothing());
    assert_eq!((driver.exit, driver.err.as_str()), (Some(0), ""));
}

#[test]
fn a_user_with_an_empty_password_is_nobody() {
    let mut driver = Driver::start("get k --user bob:");
    assert!(matches!(driver.asked[0].request, Request::Range(_)));
    driver.reply(Err(Error::UserEmpty));
    assert_eq!(driver.exit, Some(1));
    assert_eq!(driver.err, "Error: etcdserver: user name is empty\n");
}

#[test]
fn a_refused_login_ends_the_command() {
    let mut driver = Driver::start("put k v --user root:no");
    driver.reply(Err(Error::AuthFailed));
    assert_eq!(driver.exit, Some(2));
    assert_eq!(
        driver.err,
        "Error: etcdserver: authentication failed, invalid user ID or password\n"
    );
    let mut driver = Driver::start("get k --user bob:x");
    driver.reply(Err(Error::NoPasswordUser));
    assert!(driver.err.starts_with("Error: rpc error: code = Unknown desc = auth: "));
}

#[test]
fn a_forgotten_token_is_renewed_and_the_question_asked_again() {
    for error in [Error::InvalidAuthToken, Error::AuthOldRevision, Error::UserEmpty] {
        let mut driver = Driver::start("put k v --user root:pw");
        driver.let_in("root", "pw", "old");
        driver.reply(Err(error));
        driver.let_in("root", "pw", "new");
        assert_eq!(driver.asks(), (4, Some("new")), "{error}");
        driver.reply(Err(Error::PermissionDenied));
        assert_eq!(driver.exit, Some(1));
    }
}

#[test]
fn a_given_token_is_carried_and_not_renewed() {
    let mut driver = Driver::start("get k --auth-jwt-token=abc");
    assert_eq!(driver.asks(), (1, Some("abc")));
    driver.reply(Err(Error::InvalidAuthToken));
    assert_eq!(driver.err, "Error: etcdserver: invalid auth token\n");
    assert_eq!((driver.asks().0, driver.exit), (1, Some(1)));
}

#[test]
fn a_password_that_was_not_given_is_typed_and_not_shown() {
    let mut driver = Driver::start("get k --user root");
    assert_eq!((driver.out.as_str(), driver.asks().0), ("Password: ", 0));
    assert!(driver.execution.reads_secret());
    driver.give(Input::Stdin(Bytes::from_static(b"p")));
    driver.give(Input::Stdin(Bytes::from_static(b"w\n")));
    assert!(!driver.execution.reads_secret());
    driver.let_in("root", "pw", "t");
    assert_eq!((driver.out.as_str(), driver.asks()), ("Password: \n", (2, Some("t"))));
}

#[test]
fn a_new_password_is_typed_twice() {
    let mut driver = Driver::start("user add alice");
    assert_eq!(driver.out, "Password of alice: ");
    driver.give(Input::Stdin(Bytes::from_static(b"pw\n")));
    assert!(driver.execution.reads_secret());
    driver.give(Input::Stdin(Bytes::from_static(b"other\n")));
    assert_eq!((driver.exit, driver.asks().0), (Some(128), 0));
    assert_eq!(driver.err, "Error: given passwords are different\n");
    let mut driver = Driver::start("user passwd alice");
    driver.give(Input::Stdin(Bytes::from_static(b"pw\npw\n")));
    assert!(matches!(driver.asked[0].request, Request::Auth(_)));
}

#[test]
fn a_watch_that_is_opened_again_logs_in_again() {
    let mut driver = Driver::start("watch k --user root:pw");
    driver.let_in("root", "pw", "one");
    let (call, token, _) = driver.streams[0].clone();
    assert_eq!(token.as_deref(), Some("one"));
    let canceled = WatchResponse {
        watch_id: WatchId(-1),
        created: true,
        canceled: true,
        cancel_reason: format!(
            "rpc error: code = Unauthenticated desc = {}",
            Error::InvalidAuthToken
        ),
        ..WatchResponse::default()
    };
    driver.give(Input::Watch { call, response: canceled });
    assert_eq!((driver.exit, driver.err.as_str()), (None, ""));
    driver.let_in("root", "pw", "two");
    let (call, token, _) = driver.streams[1].clone();
    assert_eq!(token.as_deref(), Some("two"));
    let error = CallError::Lost { endpoint: "a:1".to_owned(), reason: "gone".to_owned() };
    driver.give(Input::StreamEnded { call, error });
    let (_, timer) = driver.timers.pop().unwrap();
    driver.give(Input::Timer { timer });
    driver.let_in("root", "pw", "three");
    assert_eq!(driver.streams[2].1.as_deref(), Some("three"));
}
