//! Who asks: the login before the first question, and what happens when a token is not known any more.

#![cfg(not(target_arch = "wasm32"))]
#![expect(clippy::unwrap_used, clippy::panic, reason = "an unexpected output must fail the test")]

use bytes::Bytes;
use etcd_playground::api::{
    AlarmResponse, AuthenticateResponse, Error, LeaseGrantResponse, Member, MemberListResponse,
    RangeResponse, Request, Response, ResponseHeader, StatusResponse, WatchCreateRequest,
    WatchRequest, WatchResponse,
};
use etcd_playground::etcdctl::{CallError, CallId, Execution, Input, Output, Shell, TimerId};
use etcd_playground::types::{LeaseId, MemberId, Millis, WatchId};

struct Asked {
    call: CallId,
    token: Option<String>,
    request: Request,
}

/// A driver that answers by hand.
struct Driver {
    execution: Execution,
    now: Millis,
    asked: Vec<Asked>,
    streams: Vec<(CallId, Option<String>, WatchCreateRequest)>,
    timers: Vec<(u64, TimerId)>,
    out: String,
    err: String,
    exit: Option<i32>,
}

impl Driver {
    fn start(line: &str) -> Self {
        Self::with(line, &["a:1"], None)
    }

    /// With these endpoints, and all of standard input or a terminal.
    fn with(line: &str, endpoints: &[&str], stdin: Option<&'static str>) -> Self {
        let mut shell = Shell::whole(endpoints.iter().map(|name| (*name).to_owned()).collect());
        let mut driver = Self {
            execution: shell.start(line, stdin.map(Bytes::from), Millis(0)),
            now: Millis(0),
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
        self.execution.handle(input, self.now);
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

    /// Types a line.
    fn type_line(&mut self, line: &str) {
        self.give(Input::Stdin(Bytes::from(format!("{line}\n"))));
    }

    /// Answers a session.
    fn grant(&mut self) {
        let grant = LeaseGrantResponse { id: LeaseId(7), ttl: 60, ..LeaseGrantResponse::default() };
        self.reply(Ok(Response::LeaseGrant(grant)));
    }

    /// Refuses the login that was asked for, and says how it ended.
    fn refuse(&mut self) -> (Option<i32>, &str, usize) {
        assert!(matches!(self.asked.last().unwrap().request, Request::Authenticate(_)));
        self.reply(Err(Error::AuthFailed));
        (self.exit, self.err.as_str(), self.asked.len())
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

const REFUSED: &str = "Error: etcdserver: authentication failed, invalid user ID or password\n";

/// Types the password as often as it is asked for at the start, and says how often.
fn prompts(line: &str, endpoints: &[&str]) -> (usize, Driver) {
    let mut driver = Driver::with(line, endpoints, None);
    while driver.execution.reads_secret() {
        driver.type_line("pw");
    }
    (driver.out.matches("Password: ").count(), driver)
}

#[test]
fn a_password_is_typed_once_for_all_questions() {
    let (count, mut driver) = prompts("endpoint health --user=root", &["a:1"]);
    driver.let_in("root", "pw", "t");
    driver.reply(nothing());
    let header = ResponseHeader::default();
    driver.reply(Ok(Response::Alarm(AlarmResponse { header, alarms: Vec::new() })));
    assert_eq!((count, driver.exit, driver.err.as_str()), (1, Some(0), ""));
    assert_eq!(driver.asks(), (3, Some("t")));

    let (count, mut driver) = prompts("lock x --user=root", &["a:1"]);
    driver.let_in("root", "pw", "t");
    driver.grant();
    assert_eq!((count, driver.asks()), (1, (3, Some("t"))));
    assert!(matches!(driver.asked[2].request, Request::Txn(_)));
    assert!(!driver.execution.reads_secret());
}

#[test]
fn without_access_control_a_typed_password_is_not_asked_for_again() {
    let (_, mut driver) = prompts("lock x --user=root", &["a:1"]);
    driver.reply(Err(Error::AuthNotEnabled));
    driver.grant();
    assert_eq!((driver.out.as_str(), driver.asks()), ("Password: \n", (3, None)));
}

#[test]
fn every_endpoint_is_logged_in_to_with_the_password_that_was_typed_once() {
    for command in ["endpoint status", "defrag", "endpoint hashkv", "move-leader 1"] {
        let line = format!("{command} --user=root");
        let (count, mut driver) = prompts(&line, &["a:1", "b:1", "c:1"]);
        let before = usize::from(command == "move-leader 1");
        if before > 0 {
            driver.let_in("root", "pw", "all");
        }
        for endpoint in 0..3 {
            driver.let_in("root", "pw", "t");
            assert_eq!(driver.asks(), (before + 2 * endpoint + 2, Some("t")), "{command}");
            let status = StatusResponse { leader: Some(MemberId(9)), ..StatusResponse::default() };
            driver.reply(if before > 0 {
                Ok(Response::Status(status))
            } else {
                Err(Error::PermissionDenied)
            });
        }
        assert!(driver.exit.is_some(), "{command}");
        assert_eq!((count, driver.out.matches("Password: ").count()), (1, 1), "{command}");
    }
}

#[test]
fn the_members_are_asked_for_their_endpoints_with_a_password_of_its_own() {
    for command in ["endpoint status", "endpoint health", "endpoint hashkv", "defrag"] {
        let mut driver = Driver::start(&format!("{command} --cluster --user=root"));
        driver.type_line("first");
        assert_eq!((driver.out.as_str(), driver.asks().0), ("Password: \nPassword: ", 0));
        driver.type_line("second");
        driver.let_in("root", "second", "t");
        let member = Member { client_urls: vec!["http://a:1".to_owned()], ..Member::default() };
        let list = MemberListResponse { members: vec![member], ..MemberListResponse::default() };
        driver.reply(Ok(Response::MemberList(list)));
        driver.let_in("root", "first", "u");
        assert_eq!(driver.asks(), (4, Some("u")), "{command}");

        let mut driver = Driver::start(&format!("{command} --cluster --user=root:bad"));
        assert_eq!(driver.refuse(), (Some(1), REFUSED, 1), "{command}");
        let driver = Driver::start(&format!("{command} --cluster --endpoints="));
        let nobody = "Error: etcdclient: no available endpoints\n";
        assert_eq!((driver.exit, driver.err.as_str()), (Some(1), nobody), "{command}");
    }
}

#[test]
fn a_password_is_typed_before_the_output_format_is_looked_at() {
    let mut driver = Driver::start("get a --user=root -w xml");
    assert_eq!((driver.out.as_str(), driver.exit), ("Password: ", None));
    driver.type_line("pw");
    assert_eq!((driver.exit, driver.asks().0), (Some(4), 0));
    assert_eq!(driver.err, "Error: unsupported output format\n");
}

#[test]
fn the_first_line_of_standard_input_is_the_password() {
    let input = "pw\nval(\"a\") = \"1\"\n\nput a 2\n\n\n";
    let mut driver = Driver::with("txn --user=root", &["a:1"], Some(input));
    driver.let_in("root", "pw", "t");
    let Request::Txn(txn) = &driver.asked[1].request else { panic!("no transaction") };
    assert_eq!((txn.compare.len(), txn.success.len(), driver.asks()), (1, 1, (2, Some("t"))));

    let mut driver = Driver::with("watch -i --user=root", &["a:1"], Some("pw\nwatch k\n"));
    driver.let_in("root", "pw", "t");
    assert_eq!(driver.streams[0].1.as_deref(), Some("t"));
    assert_eq!(driver.streams[0].2.key, Bytes::from_static(b"k"));
    assert_eq!(driver.exit, Some(3));

    let mut driver = Driver::start("txn -i --user=root");
    driver.type_line("pw");
    assert_eq!(driver.out, "Password: \n");
    driver.let_in("root", "pw", "t");
    assert_eq!(driver.out, "Password: \ncompares:\n");
    driver.type_line("");
    assert!(driver.out.ends_with("success requests (get, put, del):\n"));
}

#[test]
fn what_a_command_reads_itself_comes_before_the_password() {
    let mut driver = Driver::start("put k --user=root");
    assert_eq!(driver.out, "");
    driver.type_line("v");
    driver.give(Input::StdinEnd);
    assert_eq!(driver.out, "Password: ");
    assert!(driver.execution.reads_secret());
    driver.type_line("pw");
    driver.let_in("root", "pw", "t");
    let Request::Put(put) = &driver.asked[1].request else { panic!("no put") };
    assert_eq!(put.value, Bytes::from_static(b"v\n"));

    let mut driver = Driver::start("user passwd alice --user=root");
    for (prompt, typed) in [
        ("Password of alice: ", "new"),
        ("\nType password of alice again for confirmation: ", "new"),
        ("\nPassword: ", "pw"),
    ] {
        assert!(driver.out.ends_with(prompt) && driver.execution.reads_secret());
        driver.type_line(typed);
    }
    driver.let_in("root", "pw", "t");
    assert!(matches!(driver.asked[1].request, Request::Auth(_)));

    let mut driver = Driver::start("del a b --user=root");
    assert!(driver.err.starts_with("Warning: ") && driver.out.is_empty());
    let (_, timer) = driver.timers.pop().unwrap();
    driver.give(Input::Timer { timer });
    assert_eq!(driver.out, "Password: ");
}

#[test]
fn a_refused_login_comes_before_standard_input_and_late_checks() {
    for line in [
        "txn --user=root:bad",
        "watch -i --user=root:bad",
        "elect x --user=root:bad",
        "lease timetolive zz --user=root:bad",
        "member list --user=root:bad --command-timeout=1ns",
        "make-mirror b:1 --user=root:pw --dest-user=root:bad",
        "make-mirror b:1 --dest-user=root:bad --dest-prefix=a --no-dest-prefix",
        "move-leader 1 --user=root:bad",
    ] {
        let mut driver = Driver::start(line);
        assert_eq!(driver.refuse(), (Some(2), REFUSED, 1), "{line}");
    }
}

#[test]
fn the_destination_of_a_mirror_is_logged_in_to_first() {
    let mut driver = Driver::start("make-mirror b:1 --user=root --dest-user=mirror");
    assert_eq!(driver.out, "Destination Password: ");
    driver.type_line("there");
    driver.let_in("mirror", "there", "d");
    assert!(driver.out.ends_with("\nPassword: "));
    driver.type_line("here");
    driver.let_in("root", "here", "s");
    assert_eq!(driver.asks(), (3, Some("s")));
}

#[test]
fn a_member_that_lets_nobody_in_is_unhealthy() {
    for (flags, why) in [
        ("--user=nobody:x", "etcdserver: authentication failed, invalid user ID or password"),
        (
            "--max-request-bytes=100 --max-recv-bytes=10",
            "gRPC message recv limit (10 bytes) must be greater than send limit (100 bytes)",
        ),
    ] {
        let run = |format: &str| {
            let mut driver = Driver::start(&format!("endpoint health {flags} {format}"));
            if !driver.asked.is_empty() {
                driver.refuse();
            }
            driver
        };
        let driver = run("");
        let line = format!("a:1 is unhealthy: failed to commit proposal: {why}\n");
        assert_eq!(driver.exit, Some(1), "{flags}");
        // Before it may stand that a limit of answers has no other effect here.
        assert!(
            driver.err.ends_with(&format!("{line}Error: unhealthy cluster\n")),
            "{}",
            driver.err
        );
        let line = format!(r#"[{{"endpoint":"a:1","health":false,"took":"","error":"{why}"}}]"#);
        assert_eq!(run("-w json").out, format!("{line}\n"));
    }
    let driver = Driver::start("endpoint status --max-request-bytes=100 --max-recv-bytes=10");
    assert_eq!(driver.exit, Some(2));
}

#[test]
fn a_snapshot_fails_with_what_its_client_says() {
    let mut driver = Driver::start("snapshot save x.db --user=root:bad");
    assert_eq!(driver.refuse(), (Some(5), REFUSED, 1));
    let driver = Driver::start("--endpoints= snapshot save f.db");
    let nobody = "Error: snapshot must be requested to one selected node, not multiple []\n";
    assert_eq!((driver.exit, driver.err.as_str()), (Some(5), nobody));
}

#[test]
fn a_given_token_counts_more_than_a_user() {
    let mut driver = Driver::start("get a --auth-jwt-token=x --user=root:pw");
    assert_eq!(driver.asks(), (1, Some("x")));
    driver.reply(Err(Error::InvalidAuthToken));
    assert_eq!((driver.exit, driver.asks().0), (Some(1), 1));
    assert_eq!(driver.err, "Error: etcdserver: invalid auth token\n");
}

#[test]
fn a_login_has_a_time_limit_only_if_it_is_positive() {
    for limit in ["0", "-1s"] {
        let mut driver = Driver::start(&format!("get a --user=root:pw --dial-timeout={limit}"));
        assert!(driver.timers.is_empty(), "{limit}");
        driver.let_in("root", "pw", "t");
        driver.reply(nothing());
        assert_eq!(driver.exit, Some(0), "{limit}");
    }
    let driver = Driver::start("get a --user=root:pw --dial-timeout=1ns");
    assert_eq!((driver.exit, driver.err.as_str()), (Some(2), "Error: context deadline exceeded\n"));
}

#[test]
fn typing_a_password_takes_part_of_the_time_of_a_command() {
    for (command, left_ms) in [("get a", 3000), ("put a b", 3000), ("compaction 1", 5000)] {
        let mut driver = Driver::start(&format!("{command} --user=root"));
        driver.now = Millis(2000);
        driver.type_line("pw");
        driver.let_in("root", "pw", "t");
        assert_eq!(driver.timers.last().unwrap().0, left_ms, "{command}");
    }
    let mut driver = Driver::start("get a --user=root");
    driver.now = Millis(6000);
    driver.type_line("pw");
    driver.let_in("root", "pw", "t");
    assert_eq!((driver.exit, driver.err.as_str()), (Some(1), "Error: context deadline exceeded\n"));
    // Where a client is made for each endpoint, its time begins with it.
    let mut driver = Driver::start("endpoint status --user=root:pw");
    driver.now = Millis(2000);
    driver.let_in("root", "pw", "t");
    assert_eq!(driver.timers.last().unwrap().0, 5000);
}
