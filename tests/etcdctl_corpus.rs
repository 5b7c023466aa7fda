//! Replays recorded etcdctl command lines through the library, without a cluster.
//!
//! Every step of `tests/corpus` whose member's answer can be told from what was printed is run: the answer is decoded
//! from the recording, given as the reply, and what the library prints must equal the recording byte for byte.
//! Rare commands run in a host, as in the page: each message to it and each answer goes through the codec.
//! So this holds parsing, argument checks, errors, time-outs, exit codes and printing; not what a cluster answers.

#![cfg(not(target_arch = "wasm32"))]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a recording that cannot be read must fail the test"
)]

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use etcd_playground::api::{
    AlarmResponse, CompactionResponse, DeleteRangeResponse, Error, Event, EventType,
    HashKvResponse, KeyValue, Member, MemberListResponse, PutResponse, RangeResponse, Request,
    Response, ResponseHeader, StatusResponse, WatchResponse,
};
use etcd_playground::etcdctl::away::{Host, Program};
use etcd_playground::etcdctl::{
    CallError, CallId, Execution, Input, NOTICE_PREFIX, Output, Shell, TimerId,
};
use etcd_playground::types::{ClusterId, Index, LeaseId, MemberId, Millis, Term};
use etcd_playground::wire;
use serde_json::Value;

const GROUPS: [&str; 12] = [
    "put",
    "get",
    "del",
    "watch",
    "endpoint",
    "member",
    "compaction",
    "cli",
    "help",
    "limits",
    "failure",
    "mvcc",
];

/// Commands that are known and not built yet.
const LATER: [&str; 9] =
    ["txn", "lease", "alarm", "defrag", "move-leader", "user", "role", "auth", "snapshot"];

#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    stdout: Vec<u8>,
    stderr: String,
    exit: Option<i32>,
    elapsed_ms: u64,
}

/// A recorded step with its placeholders filled in.
struct Step {
    argv: Vec<String>,
    stdin: Option<Bytes>,
    env: Vec<String>,
    endpoints: Vec<String>,
    stdout: Vec<u8>,
    stderr: String,
    exit: Option<i32>,
    help_page: bool,
    usage_follows: bool,
    elapsed_ms: u64,
}

#[test]
fn what_is_printed_equals_the_recordings() {
    let (mut compared, mut skipped) = (0, Vec::new());
    let mut wrong = Vec::new();
    for group in GROUPS {
        let path = Path::new("tests/corpus").join(format!("{group}.json"));
        let recorded: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        for case in recorded["cases"].as_array().unwrap() {
            let id = case["id"].as_str().unwrap();
            for step in case["steps"].as_array().unwrap() {
                let Some(step) = read_step(case, step) else { continue };
                match compare(&step) {
                    Verdict::Equal => compared += 1,
                    Verdict::Skipped => skipped.push(format!("{id}: {:?}", step.argv)),
                    Verdict::Different(how) => wrong.push(format!("{id} {:?}\n{how}", step.argv)),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(skipped.is_empty(), "the answer cannot be told: {skipped:#?}");
    assert!(compared >= 800, "only {compared} steps compared");
}

enum Verdict {
    Equal,
    Skipped,
    Different(String),
}

fn compare(step: &Step) -> Verdict {
    let Some(ours) = run(step) else { return Verdict::Skipped };
    let theirs = Outcome {
        stdout: if step.help_page { ours.stdout.clone() } else { step.stdout.clone() },
        stderr: if step.usage_follows { ours.stderr.clone() } else { step.stderr.clone() },
        exit: step.exit,
        elapsed_ms: ours.elapsed_ms,
    };
    if step.help_page && !ours.stdout.starts_with(b"etcdctl") {
        return Verdict::Different(format!("no help page: {ours:?}"));
    }
    if step.usage_follows && !ours.stderr.starts_with(&format!("{}Usage:", step.stderr)) {
        return Verdict::Different(format!("ours: {}\ntheirs: {}", ours.stderr, step.stderr));
    }
    if step.exit.is_some() && ours.elapsed_ms.abs_diff(step.elapsed_ms) > 400 {
        let (ours, theirs) = (ours.elapsed_ms, step.elapsed_ms);
        return Verdict::Different(format!("took {ours} ms, etcdctl {theirs} ms"));
    }
    if ours == theirs {
        Verdict::Equal
    } else {
        let text = |outcome: &Outcome| {
            format!(
                "exit {:?}\nstdout {}\nstderr {}",
                outcome.exit,
                String::from_utf8_lossy(&outcome.stdout),
                outcome.stderr
            )
        };
        Verdict::Different(format!("OURS {}\nTHEIRS {}", text(&ours), text(&theirs)))
    }
}

// --- reading a recording ---

/// `None` for what is not a command of this build, or not fit to be compared.
fn read_step(case: &Value, step: &Value) -> Option<Step> {
    let argv = step["argv"].as_array()?;
    let argv: Vec<String> =
        argv.iter().skip(1).map(|word| filled(case, word.as_str().unwrap())).collect();
    let expect = step.get("expect")?;
    let later = argv.iter().find(|word| !word.starts_with('-'));
    let member_later = ["add", "remove", "update", "promote"];
    if later.is_some_and(|name| LATER.contains(&name.as_str()))
        || (later.is_some_and(|name| name == "member")
            && argv.get(1).is_some_and(|name| member_later.contains(&name.as_str())))
        || argv.iter().any(|word| word == "protobuf" && expect["exit"] != 4)
        || (argv.iter().any(|word| word == "--") && argv[0] == "watch" && expect["exit"] != 128)
        || argv.contains(&"-i".to_owned())
        || step["unstable"] == true
    {
        return None;
    }
    let endpoints = step["endpoints"].as_str().or(case["endpoints"].as_str()).unwrap_or_default();
    let stdin = match (&step["stdin"], &step["stdin_b64"], &step["stdin_repeat"]) {
        (Value::String(text), _, _) => Some(Bytes::from(text.clone())),
        (_, Value::String(text), _) => Some(STANDARD.decode(text).unwrap().into()),
        (_, _, Value::Object(repeat)) => {
            let count = usize::try_from(repeat["count"].as_u64().unwrap()).unwrap();
            Some(repeat["text"].as_str().unwrap().repeat(count).into())
        }
        // Nothing was given in.
        _ => Some(Bytes::new()),
    };
    let stdout = match &expect["stdout_b64"] {
        Value::String(text) => STANDARD.decode(text).unwrap(),
        _ => filled(case, expect["stdout"].as_str().unwrap_or_default()).into_bytes(),
    };
    let stderr = expect.get("stderr_plain").or(expect.get("stderr"));
    let env = step["env"].as_object().into_iter().flatten();
    let env = env.map(|(name, value)| format!("{name}={}", value.as_str().unwrap()));
    Some(Step {
        argv,
        stdin,
        env: std::iter::once("export".to_owned()).chain(env).collect(),
        endpoints: endpoints.split(',').map(str::to_owned).collect(),
        stdout: squeezed(stdout),
        stderr: filled(case, stderr.and_then(Value::as_str).unwrap_or_default()),
        exit: expect["exit"].as_i64().map(|exit| i32::try_from(exit).unwrap()),
        help_page: expect["stdout_is_help_page"] == true,
        usage_follows: expect["usage_follows_on_stderr"] == true,
        elapsed_ms: milliseconds(&expect["elapsed_s"]),
    })
}

/// From seconds with at most three decimals.
fn milliseconds(seconds: &Value) -> u64 {
    let text = if seconds.is_null() { "0".to_owned() } else { seconds.to_string() };
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}{fraction:0<3}").parse().unwrap()
}

fn filled(case: &Value, text: &str) -> String {
    let mut text = text.to_owned();
    for (name, hex) in case["ids"].as_object().into_iter().flatten() {
        let hex = hex.as_str().unwrap();
        let decimal = u64::from_str_radix(hex, 16).unwrap().to_string();
        text = text.replace(&format!("<{name}_DEC>"), &decimal);
        text = text.replace(&format!("<{name}>"), hex);
    }
    for (name, value) in [
        ("<RAFT_TERM>", "2"),
        ("<RAFT_INDEX>", "9"),
        ("<DB_SIZE>", "20480"),
        ("<SIZE>", "20 kB"),
        ("<PCT>", "0%"),
        ("<HASH>", "1234567890"),
        ("<DURATION>", "0s"),
        ("<MEMBER_ANY_DEC>", "7"),
        // Ids that depended on the time of the recording.
        ("<MEMBER_2>", "9e737febb6b99eee"),
        ("<MEMBER_2_DEC>", "11417610130673999598"),
        ("<MEMBER_4>", "4e737febb6b99eee"),
        ("<LEASE_1_DEC>", "7587894994465990153"),
        ("<LEASE_1>", "694d9e4b8a1c2609"),
    ] {
        text = text.replace(name, value);
    }
    text
}

/// Recorded tables have their blanks reduced around placeholders, so both sides are reduced everywhere.
fn squeezed(stdout: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(stdout) {
        Ok(text) if text.starts_with('┌') => {
            let words: Vec<String> = text
                .lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect();
            format!("{}\n", words.join("\n")).into_bytes()
        }
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    }
}

// --- running a step ---

/// What runs rare commands, asked in bytes as the page asks it.
fn program() -> Program {
    let host = RefCell::new(Host::default());
    Program::new(move |message| {
        let message = wire::decode(&wire::encode(message).unwrap()).unwrap();
        let turn = host.borrow_mut().take(message);
        Ok(wire::decode(&wire::encode(&turn).unwrap()).unwrap())
    })
}

/// `None` if the answer cannot be told from the recording.
fn run(step: &Step) -> Option<Outcome> {
    let mut shell = Shell::new(step.endpoints.clone());
    if step.env.len() > 1 {
        shell.start_words(&step.env, None, Millis(0));
    }
    let mut execution =
        shell.start_words(&step.argv, Some(step.stdin.clone().unwrap_or_default()), Millis(0));
    execution.provide(Ok(&program()), Millis(0));
    let mut now = Millis(0);
    let mut timers: Vec<(Millis, TimerId)> = Vec::new();
    let mut outcome = Outcome::default();
    let mut watch_open = false;
    let mut interrupted = false;
    let mut replies: VecDeque<Input> = VecDeque::new();
    loop {
        while let Some(output) = execution.poll_output() {
            match output {
                Output::Stdout(bytes) => outcome.stdout.extend(bytes),
                Output::Stderr(bytes) => {
                    outcome.stderr.push_str(&String::from_utf8(bytes).unwrap());
                }
                Output::Exit { status } => {
                    outcome.exit = (!interrupted).then_some(status);
                    outcome.elapsed_ms = now.0;
                }
                Output::SetTimer { timer, after_ms } => timers.push((now.plus(after_ms), timer)),
                Output::Call { call, endpoint, request, .. } => {
                    let result = answer(step, &endpoint, &request)?;
                    replies.push_back(Input::Reply { call, result });
                }
                Output::OpenWatch { call, endpoint, .. } => {
                    replies.extend(watch_answers(step, call, &endpoint, watch_open));
                    watch_open = true;
                }
                Output::SendWatch { .. } | Output::CancelCall { .. } | Output::File { .. } => {}
            }
        }
        if !execution.is_running() {
            break;
        }
        if let Some(input) = replies.pop_front() {
            execution.handle(input, now);
        } else if let Some(input) = next_timer(&mut timers, &mut now, step) {
            execution.handle(input, now);
        } else {
            assert_eq!(step.exit, None, "{:?} waits for something", step.argv);
            interrupted = true;
            execution.handle(Input::Interrupt, now);
        }
    }
    outcome.stderr = without_notices(&outcome.stderr);
    outcome.stdout = squeezed(outcome.stdout);
    drained(&mut execution);
    Some(outcome)
}

fn drained(execution: &mut Execution) {
    assert!(execution.poll_output().is_none(), "output after exit");
    execution.handle(Input::Interrupt, Millis(0));
    assert!(execution.poll_output().is_none(), "output after exit");
}

fn next_timer(timers: &mut Vec<(Millis, TimerId)>, now: &mut Millis, step: &Step) -> Option<Input> {
    timers.sort_unstable();
    if timers.is_empty() || (step.exit.is_none() && now.0 > 4000) {
        return None;
    }
    let (at, timer) = timers.remove(0);
    *now = at.max(*now);
    Some(Input::Timer { timer })
}

fn without_notices(stderr: &str) -> String {
    stderr.split_inclusive('\n').filter(|line| !line.starts_with(NOTICE_PREFIX)).collect()
}

fn unreachable(endpoint: &str) -> CallError {
    CallError::Unreachable { endpoint: endpoint.to_owned(), reason: "it was killed".to_owned() }
}

/// The recorded error as a member would send it.
fn recorded_error(step: &Step) -> Option<Error> {
    Error::ALL.iter().copied().find(|error| {
        step.stderr.ends_with(&format!("Error: {error}\n"))
            || step.stderr.contains(&format!("was canceled ({error})"))
    })
}

fn answer(step: &Step, endpoint: &str, request: &Request) -> Option<Result<Response, CallError>> {
    if endpoint == "127.0.0.1:2" || step.stderr == "Error: context deadline exceeded\n" {
        return Some(Err(unreachable(endpoint)));
    }
    let dead = [
        format!("{endpoint} is unhealthy: failed to commit proposal: context deadline"),
        format!("Failed to get the status of endpoint {endpoint} (context deadline"),
    ];
    if dead.iter().any(|line| step.stderr.contains(line.as_str())) {
        return Some(Err(unreachable(endpoint)));
    }
    if matches!(request, Request::Authenticate(_)) {
        // No case of these groups switches access control on.
        return Some(Err(CallError::Status(Error::AuthNotEnabled)));
    }
    if let Some(error) =
        recorded_error(step).filter(|_| step.stderr != "Error: etcdserver: unhealthy cluster\n")
    {
        return Some(Err(CallError::Status(error)));
    }
    response(step, endpoint, request).map(Ok)
}

fn response(step: &Step, endpoint: &str, request: &Request) -> Option<Response> {
    let text = String::from_utf8_lossy(&step.stdout).into_owned();
    let json: Option<Value> = serde_json::from_str(&text).ok().filter(Value::is_object);
    let list: Vec<Value> = serde_json::from_str(&text).unwrap_or_default();
    let json = json.or_else(|| list.into_iter().find(|one| one["Endpoint"] == endpoint));
    let fields = Fields::of(&text);
    Some(match request {
        Request::Put(_) => Response::Put(match (&json, &fields) {
            (Some(json), _) => PutResponse {
                header: json_header(&json["header"]),
                prev_kv: json.get("prev_kv").map(json_kv),
            },
            (None, Some(fields)) => {
                PutResponse { header: fields.header(), prev_kv: fields.kvs("Prev").pop() }
            }
            (None, None) => {
                let kvs = text.strip_prefix("OK\n").map(|rest| simple_kvs(step, rest.as_bytes()));
                PutResponse { prev_kv: kvs.and_then(|mut kvs| kvs.pop()), ..PutResponse::default() }
            }
        }),
        Request::Range(_) => Response::Range(match (&json, &fields) {
            (Some(json), _) => RangeResponse {
                header: json_header(&json["header"]),
                kvs: json_kvs(&json["kvs"]),
                more: json["more"] == true,
                count: json["count"].as_i64().unwrap_or(0),
            },
            (None, Some(fields)) => RangeResponse {
                header: fields.header(),
                kvs: fields.kvs(""),
                more: fields.one("More") == "true",
                count: fields.number("Count"),
            },
            (None, None) => {
                RangeResponse { kvs: simple_kvs(step, &step.stdout), ..RangeResponse::default() }
            }
        }),
        Request::DeleteRange(_) => Response::DeleteRange(match (&json, &fields) {
            (Some(json), _) => DeleteRangeResponse {
                header: json_header(&json["header"]),
                deleted: json["deleted"].as_i64().unwrap_or(0),
                prev_kvs: json_kvs(&json["prev_kvs"]),
            },
            (None, Some(fields)) => DeleteRangeResponse {
                header: fields.header(),
                deleted: fields.number("Deleted"),
                prev_kvs: fields.kvs("Prev"),
            },
            (None, None) => {
                let (deleted, rest) = text.split_once('\n').unwrap_or(("0", ""));
                DeleteRangeResponse {
                    deleted: deleted.parse().unwrap(),
                    prev_kvs: simple_kvs(step, rest.as_bytes()),
                    ..DeleteRangeResponse::default()
                }
            }
        }),
        Request::Compaction(_) => Response::Compaction(CompactionResponse::default()),
        Request::Alarm(_) => Response::Alarm(AlarmResponse::default()),
        Request::MemberList(_) => {
            Response::MemberList(members(step, &text, json.as_ref(), fields.as_ref()))
        }
        Request::Status(_) => {
            Response::Status(status(&text, endpoint, json.as_ref(), fields.as_ref()))
        }
        Request::HashKv(_) => {
            Response::HashKv(hashkv(&text, endpoint, json.as_ref(), fields.as_ref()))
        }
        // Not recorded in a form that is read here.
        _ => return None,
    })
}

fn json_header(header: &Value) -> ResponseHeader {
    let id = |name: &str| match &header[name] {
        Value::String(hex) => u64::from_str_radix(hex, 16).unwrap(),
        number => number.as_u64().unwrap_or(0),
    };
    ResponseHeader {
        cluster_id: ClusterId(id("cluster_id")),
        member_id: MemberId(id("member_id")),
        revision: header["revision"].as_i64().unwrap_or(0),
        raft_term: Term(id("raft_term")),
    }
}

fn json_kv(kv: &Value) -> KeyValue {
    let bytes =
        |name: &str| Bytes::from(STANDARD.decode(kv[name].as_str().unwrap_or_default()).unwrap());
    let number = |name: &str| kv[name].as_i64().unwrap_or(0);
    KeyValue {
        key: bytes("key"),
        create_revision: number("create_revision"),
        mod_revision: number("mod_revision"),
        version: number("version"),
        value: bytes("value"),
        lease: LeaseId(number("lease")),
    }
}

fn json_kvs(kvs: &Value) -> Vec<KeyValue> {
    kvs.as_array().into_iter().flatten().map(json_kv).collect()
}

/// Keys and values of the simple format; a newline within one is kept with the first key.
fn simple_kvs(step: &Step, stdout: &[u8]) -> Vec<KeyValue> {
    let has = |flag: &str| step.argv.iter().any(|word| word == flag);
    let plain = |bytes: &[u8]| {
        if !has("--hex") {
            return Bytes::copy_from_slice(bytes);
        }
        let text = std::str::from_utf8(bytes).unwrap();
        let digits = text.split("\\x").skip(1).map(|hex| u8::from_str_radix(hex, 16).unwrap());
        Bytes::from(digits.collect::<Vec<u8>>())
    };
    let Some(body) = stdout.strip_suffix(b"\n") else { return Vec::new() };
    let lines: Vec<&[u8]> = body.split(|byte| *byte == b'\n').collect();
    if has("--print-value-only") {
        let kv = |line: &&[u8]| KeyValue { value: plain(line), ..KeyValue::default() };
        return lines.iter().map(kv).collect();
    }
    if lines.len() == 1 {
        return Vec::new();
    }
    if lines.len() % 2 == 1 {
        // One pair with a newline in it: where it is cut does not show.
        let at = lines[0].len();
        let (key, value) =
            (Bytes::copy_from_slice(&body[..at]), Bytes::copy_from_slice(&body[at + 1..]));
        return vec![KeyValue { key, value, ..KeyValue::default() }];
    }
    let pair = |pair: &[&[u8]]| KeyValue {
        key: plain(pair[0]),
        value: plain(pair[1]),
        ..KeyValue::default()
    };
    lines.chunks(2).map(pair).collect()
}

/// The `fields` format, read back.
struct Fields {
    lines: Vec<(String, String)>,
    hex: bool,
}

impl Fields {
    fn of(text: &str) -> Option<Self> {
        let lines: Vec<(String, String)> = text
            .lines()
            .filter_map(|line| line.split_once(" : "))
            .map(|(name, value)| (name.trim_matches('"').to_owned(), value.to_owned()))
            .collect();
        let cluster = lines.first().filter(|(name, _)| name == "ClusterID")?;
        let hex = cluster.1.len() == 16;
        Some(Self { lines, hex })
    }

    fn all(&self, name: &str) -> Vec<String> {
        self.lines.iter().filter(|(own, _)| own == name).map(|(_, value)| value.clone()).collect()
    }

    fn one(&self, name: &str) -> String {
        self.all(name).first().cloned().unwrap_or_default()
    }

    fn number(&self, name: &str) -> i64 {
        self.one(name).parse().unwrap_or(0)
    }

    fn id(&self, text: &str) -> u64 {
        u64::from_str_radix(text, if self.hex { 16 } else { 10 }).unwrap()
    }

    fn header(&self) -> ResponseHeader {
        ResponseHeader {
            cluster_id: ClusterId(self.id(&self.one("ClusterID"))),
            member_id: MemberId(self.id(&self.one("MemberID"))),
            revision: self.number("Revision"),
            raft_term: Term(self.one("RaftTerm").parse().unwrap()),
        }
    }

    fn kvs(&self, prefix: &str) -> Vec<KeyValue> {
        let column = |name: &str| self.all(&format!("{prefix}{name}"));
        let number = |list: &[String], at: usize| list[at].parse::<i64>().unwrap();
        let (keys, values, leases) = (column("Key"), column("Value"), column("Lease"));
        let (create, modified, version) =
            (column("CreateRevision"), column("ModRevision"), column("Version"));
        (0..keys.len())
            .map(|at| KeyValue {
                key: unquoted(&keys[at]),
                create_revision: number(&create, at),
                mod_revision: number(&modified, at),
                version: number(&version, at),
                value: unquoted(&values[at]),
                lease: LeaseId(i64::try_from(self.id(&leases[at])).unwrap()),
            })
            .collect()
    }
}

fn unquoted(text: &str) -> Bytes {
    let inner = text.strip_prefix('"').unwrap().strip_suffix('"').unwrap();
    let mut bytes = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'\\' => match rest.next().unwrap() {
                b'n' => bytes.push(b'\n'),
                b'x' => {
                    let hex = [rest.next().unwrap(), rest.next().unwrap()];
                    let hex = std::str::from_utf8(&hex).unwrap();
                    bytes.push(u8::from_str_radix(hex, 16).unwrap());
                }
                other => bytes.push(other),
            },
            other => bytes.push(other),
        }
    }
    bytes.into()
}

fn members(
    step: &Step,
    text: &str,
    json: Option<&Value>,
    fields: Option<&Fields>,
) -> MemberListResponse {
    let texts = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().map(|one| one.as_str().unwrap().to_owned()).collect()
    };
    let urls = |text: &str| -> Vec<String> {
        text.split(',').filter(|url| !url.is_empty()).map(str::to_owned).collect()
    };
    if step.argv.contains(&"--cluster".to_owned()) {
        let endpoint = |line: &str| {
            line.split([',', ' ', '│']).find(|word| word.starts_with("http")).map(str::to_owned)
        };
        let mut found: Vec<String> = text.lines().filter_map(endpoint).collect();
        if step.stderr.contains("http://127.0.0.1:32379") {
            found.insert(0, "http://127.0.0.1:32379".to_owned());
        }
        let member = |url: String| Member { client_urls: vec![url], ..Member::default() };
        return MemberListResponse {
            members: found.into_iter().map(member).collect(),
            ..MemberListResponse::default()
        };
    }
    if let Some(json) = json {
        let member = |member: &Value| Member {
            id: json_header(&serde_json::json!({"member_id": member["ID"]})).member_id,
            name: member["name"].as_str().unwrap_or_default().to_owned(),
            peer_urls: texts(&member["peerURLs"]),
            client_urls: texts(&member["clientURLs"]),
            is_learner: member["isLearner"] == true,
        };
        return MemberListResponse {
            header: json_header(&json["header"]),
            members: json["members"].as_array().unwrap().iter().map(member).collect(),
        };
    }
    if let Some(fields) = fields {
        let (ids, names) = (fields.all("ID"), fields.all("Name"));
        let (peers, clients) = (fields.all("PeerURL"), fields.all("ClientURL"));
        let plain = |text: &String| text.trim_matches('"').to_owned();
        let member = |at: usize| Member {
            id: MemberId(fields.id(&ids[at])),
            name: plain(&names[at]),
            peer_urls: vec![plain(&peers[at])],
            client_urls: vec![plain(&clients[at])],
            is_learner: fields.all("IsLearner")[at] == "true",
        };
        return MemberListResponse {
            header: fields.header(),
            members: (0..ids.len()).map(member).collect(),
        };
    }
    let table = text.starts_with('┌');
    let rows = text.lines().skip(if table { 3 } else { 0 }).filter(|line| !line.starts_with('└'));
    let member = |line: &str| {
        let cells: Vec<&str> = if table {
            line.trim_matches('│').split('│').map(str::trim).collect()
        } else {
            line.split(", ").collect()
        };
        Member {
            id: MemberId(u64::from_str_radix(cells[0], 16).expect(line)),
            name: cells[2].to_owned(),
            peer_urls: urls(cells[3]),
            client_urls: urls(cells[4]),
            is_learner: cells[5] == "true",
        }
    };
    MemberListResponse { members: rows.map(member).collect(), ..MemberListResponse::default() }
}

/// The cells of the row that begins with `endpoint`, in the simple or the table format.
fn row(text: &str, endpoint: &str) -> Vec<String> {
    let cells = |line: &str| -> Vec<String> {
        if line.starts_with('│') {
            line.trim_matches('│').split('│').map(|cell| cell.trim().to_owned()).collect()
        } else {
            line.split(", ").map(str::to_owned).collect()
        }
    };
    text.lines().map(cells).find(|cells| cells[0] == endpoint).unwrap_or_default()
}

fn status(
    text: &str,
    endpoint: &str,
    json: Option<&Value>,
    fields: Option<&Fields>,
) -> StatusResponse {
    let base = StatusResponse {
        version: "3.7.1".to_owned(),
        storage_version: "3.7.0".to_owned(),
        db_size: 20_480,
        db_size_in_use: 20_480,
        db_size_quota: 2_147_483_648,
        raft_index: Index(9),
        raft_term: Term(2),
        raft_applied_index: Index(9),
        ..StatusResponse::default()
    };
    if let Some(json) = json {
        let status = &json["Status"];
        let errors = status["errors"].as_array().into_iter().flatten();
        return StatusResponse {
            header: json_header(&status["header"]),
            leader: status["leader"].as_u64().map(MemberId),
            errors: errors.map(|error| error.as_str().unwrap().to_owned()).collect(),
            ..base
        };
    }
    if let Some(fields) = fields {
        let leader = fields.one("Leader").parse().unwrap();
        return StatusResponse { header: fields.header(), leader: Some(MemberId(leader)), ..base };
    }
    let cells = row(text, endpoint);
    if cells.is_empty() {
        return base;
    }
    let id = MemberId(u64::from_str_radix(&cells[1], 16).unwrap());
    let errors = Some(&cells[13]).filter(|error| !error.is_empty()).cloned();
    StatusResponse {
        header: ResponseHeader { member_id: id, ..ResponseHeader::default() },
        storage_version: cells[3].clone(),
        leader: (cells[8] == "true").then_some(id),
        is_learner: cells[9] == "true",
        errors: errors.into_iter().collect(),
        ..base
    }
}

fn hashkv(
    text: &str,
    endpoint: &str,
    json: Option<&Value>,
    fields: Option<&Fields>,
) -> HashKvResponse {
    let base = HashKvResponse { hash: 1_234_567_890, ..HashKvResponse::default() };
    if let Some(json) = json {
        let answer = &json["HashKV"];
        return HashKvResponse {
            header: json_header(&answer["header"]),
            compact_revision: answer["compact_revision"].as_i64().unwrap_or(0),
            hash_revision: answer["hash_revision"].as_i64().unwrap(),
            ..base
        };
    }
    if let Some(fields) = fields {
        let hash_revision = fields.number("HashRevision");
        return HashKvResponse { header: fields.header(), hash_revision, ..base };
    }
    let hash_revision = row(text, endpoint)[2].parse().unwrap();
    HashKvResponse { hash_revision, ..base }
}

/// What came on a watch; nothing if it was opened before, so that a resumed watch stays silent.
fn watch_answers(step: &Step, call: CallId, endpoint: &str, opened_before: bool) -> Vec<Input> {
    if opened_before || endpoint == "127.0.0.1:2" {
        let error = unreachable(endpoint);
        return if opened_before { Vec::new() } else { vec![Input::StreamEnded { call, error }] };
    }
    let message = |response| Input::Watch { call, response };
    let created = WatchResponse { created: true, ..WatchResponse::default() };
    let mut inputs = vec![message(created)];
    let text = String::from_utf8_lossy(&step.stdout).into_owned();
    if let Some(error) = recorded_error(step) {
        inputs.push(match error {
            Error::NoLeader => Input::StreamEnded { call, error: CallError::Status(error) },
            Error::Compacted => message(WatchResponse {
                header: ResponseHeader { revision: 0, ..canceled_header(&text) },
                canceled: true,
                compact_revision: 3,
                ..WatchResponse::default()
            }),
            _ => message(WatchResponse {
                canceled: true,
                cancel_reason: error.text().to_owned(),
                ..WatchResponse::default()
            }),
        });
        return inputs;
    }
    if step.stderr.contains("table not supported") {
        let event = Event::default();
        inputs.push(message(WatchResponse { events: vec![event], ..WatchResponse::default() }));
    }
    inputs.extend(watch_responses(&text).into_iter().map(message));
    inputs
}

fn canceled_header(text: &str) -> ResponseHeader {
    match (serde_json::from_str::<Value>(text), Fields::of(text)) {
        (Ok(json), _) => json_header(&json["Header"]),
        (_, Some(fields)) => fields.header(),
        _ => ResponseHeader::default(),
    }
}

fn watch_responses(text: &str) -> Vec<WatchResponse> {
    let progress = |line: &str| {
        let revision = line.strip_prefix("progress notify: ")?.parse().ok()?;
        let header = ResponseHeader { revision, ..ResponseHeader::default() };
        Some(WatchResponse { header, ..WatchResponse::default() })
    };
    if text.lines().any(|line| line.starts_with('{')) {
        return text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .map(|json: Value| {
                let event = |event: &Value| Event {
                    event_type: if event["type"] == 1 { EventType::Delete } else { EventType::Put },
                    kv: json_kv(&event["kv"]),
                    prev_kv: event.get("prev_kv").map(json_kv),
                };
                WatchResponse {
                    header: json_header(&json["Header"]),
                    events: json["Events"].as_array().into_iter().flatten().map(event).collect(),
                    ..WatchResponse::default()
                }
            })
            .collect();
    }
    if Fields::of(text).is_some() {
        return field_watch_responses(text);
    }
    let mut responses = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(response) = progress(line) {
            responses.push(response);
            continue;
        }
        let mut body = Vec::new();
        while lines.peek().is_some_and(|next| !["PUT", "DELETE"].contains(next)) {
            body.push(lines.next().unwrap());
        }
        let kv = |pair: &[&str]| KeyValue {
            key: Bytes::from(pair[0].to_owned()),
            value: Bytes::from(pair[1].to_owned()),
            ..KeyValue::default()
        };
        let mut kvs: Vec<KeyValue> = body.chunks(2).map(kv).collect();
        let event = Event {
            event_type: if line == "DELETE" { EventType::Delete } else { EventType::Put },
            kv: kvs.pop().unwrap(),
            prev_kv: kvs.pop(),
        };
        responses.push(WatchResponse { events: vec![event], ..WatchResponse::default() });
    }
    responses
}

fn field_watch_responses(text: &str) -> Vec<WatchResponse> {
    let mut blocks: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with("\"ClusterID\"") {
            blocks.push(String::new());
        }
        blocks.last_mut().unwrap().push_str(&format!("{line}\n"));
    }
    let types = |fields: &Fields| -> BTreeMap<usize, EventType> {
        let name =
            |name: &String| if name == "DELETE" { EventType::Delete } else { EventType::Put };
        fields.all("Type").iter().map(name).enumerate().collect()
    };
    blocks
        .iter()
        .map(|block| {
            let fields = Fields::of(block).unwrap();
            let types = types(&fields);
            let events = fields.kvs("").into_iter().enumerate().map(|(at, kv)| Event {
                event_type: types[&at],
                kv,
                prev_kv: None,
            });
            WatchResponse {
                header: fields.header(),
                events: events.collect(),
                ..WatchResponse::default()
            }
        })
        .collect()
}
