//! What a reader of the catalogue sees, searches and asks for.

use proptest::prelude::*;

use super::*;
use crate::playground::view::prose::Span;

const INDEX: &str = include_str!("../../../../www/errors/index.json");
const COMPACTED: &str = include_str!("../../../../www/errors/01-compacted.txt");
const NOTES: &str = include_str!("../../../../www/errors/notes.txt");
const NO_LEADER: &str = include_str!("../../../../www/errors/04-no-leader.txt");

fn list() -> Vec<ErrorEntry> {
    let list: Vec<serde_json::Value> = serde_json::from_str(INDEX).unwrap();
    let entry = |entry: &serde_json::Value| {
        let text = |name: &str| entry[name].as_str().unwrap().to_owned();
        let forms = entry["forms"].as_array().unwrap();
        let form = |form: &serde_json::Value| {
            let pieces = form.as_array().unwrap();
            pieces.iter().map(|piece| piece.as_str().unwrap().to_owned()).collect()
        };
        ErrorEntry {
            name: text("name"),
            file: text("file"),
            message: text("message"),
            printed: text("printed"),
            code: text("code"),
            origin: Origin::named(&text("from")),
            area: Area::named(&text("area")),
            forms: forms.iter().map(form).collect(),
            about: text("about"),
            about_zh: text("about_zh"),
        }
    };
    list.iter().map(entry).collect()
}

fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::default();
    catalogue.begin();
    assert_eq!(catalogue.take_wanted(), [WantedError::List]);
    catalogue.set_list(Ok(list()));
    catalogue
}

/// The names that a search finds, in the order of the list.
fn found(query: &str) -> Vec<String> {
    let mut catalogue = catalogue();
    catalogue.search(query);
    let view = catalogue.view(&EN);
    view.groups.into_iter().flat_map(|group| group.rows).map(|row| row.name).collect()
}

#[test]
fn a_pasted_message_finds_its_entry_whatever_values_it_has() {
    let pasted = [
        ("Error: etcdserver: mvcc: required revision has been compacted", "compacted"),
        ("mvcc: required revision has been compacted", "compacted"),
        (
            r#"{"level":"warn","ts":"2026-11-30T10:00:00Z","logger":"etcd-client","caller":"v3@v3.7.1/retry_interceptor.go:65","msg":"retrying of unary invoker failed","target":"etcd-endpoints://0xc0001/10.1.2.3:2379","attempt":0,"error":"rpc error: code = DeadlineExceeded desc = context deadline exceeded"}"#,
            "context-deadline-exceeded",
        ),
        (
            "10.0.0.7:2379 is unhealthy: failed to commit proposal: context deadline exceeded",
            "is-unhealthy",
        ),
        ("Error: unknown command \"destroy\" for \"etcdctl\"", "unknown-command"),
        (r#"Error: unknown command \"destroy\" for \"etcdctl\""#, "unknown-command"),
        ("Error: unknown flag: --everything", "unknown-flag"),
        ("Error: json not supported as output format", "not-supported-as-output-format"),
        ("Error: data-dir \"/var/lib/etcd\" not empty or could not be read", "data-dir-not-empty"),
        (
            "Error: could not open /backup/x.db.part (open /backup/x.db.part: no such file or directory)",
            "could-not-open-part",
        ),
        (
            "Error: too many arguments, did you mean --peer-urls=https://10.0.0.9:2380",
            "did-you-mean-peer-urls",
        ),
        (
            "Error: no leader endpoint given at [https://10.0.0.9:2379 https://10.0.0.8:2379]",
            "no-leader-endpoint",
        ),
        (
            "Error: invalid argument \"30\" for \"--dial-timeout\" flag: time: missing unit in duration \"30\"",
            "missing-unit-in-duration",
        ),
        (
            "etcdserver:   request\n timed out,   possibly due to previous leader failure",
            "timed-out-leader-failure",
        ),
        ("ETCDSERVER: TOO MANY LEARNER MEMBERS IN CLUSTER", "too-many-learners"),
        ("Error: unhealthy cluster", "is-unhealthy"),
        (
            "watch was canceled (etcdserver: no leader)\nError: watch is canceled by the server",
            "no-leader",
        ),
        ("Error: watch is canceled by the server", "watch-is-canceled-by-the-server"),
        (
            "{\"level\":\"fatal\",\"msg\":\"discovery failed\",\"error\":\"member 8211f1d0f64f3269 has already been bootstrapped\"}",
            "already-been-bootstrapped",
        ),
    ];
    for (text, name) in pasted {
        assert_eq!(found(text).first().map(String::as_str), Some(name), "{text}");
    }
}

#[test]
fn every_entry_is_found_by_what_it_prints_and_by_its_name() {
    let entries = list();
    assert!(entries.len() > 150, "{} entries", entries.len());
    for entry in &entries {
        assert_eq!(found(&entry.printed).first(), Some(&entry.name), "{}", entry.printed);
        assert!(found(&entry.name).contains(&entry.name), "{}", entry.name);
        assert!(found(&entry.message).contains(&entry.name), "{}", entry.message);
        assert!(entry.forms.iter().all(|form| !form.is_empty()), "{}", entry.name);
    }
}

/// As Go, Java, Python, JavaScript and Kubernetes show what a member or the library says; the entry's name.
const LINES: &[(&str, &str)] = &[
    (
        r#"2026/11/30 10:00:00 put failed: rpc error: code = Unavailable desc = etcdserver: request timed out, possibly due to previous leader failure"#,
        "timed-out-leader-failure",
    ),
    (
        r#"{"level":"warn","ts":"2026-11-30T10:00:00.000000Z","logger":"etcd-client","caller":"v3@v3.7.1/retry_interceptor.go:68","msg":"retrying of unary invoker failed","target":"etcd-endpoints://0xc00001a000/127.0.0.1:2379","peer":"Peer{Addr: <nil>, LocalAddr: <nil>, AuthInfo: <nil>}","method":"/etcdserverpb.KV/Range","attempt":0,"error":"rpc error: code = DeadlineExceeded desc = latest balancer error: connection error: desc = \"transport: Error while dialing: dial tcp 127.0.0.1:2379: connect: connection refused\""}"#,
        "connection-refused",
    ),
    (
        r#"W1130 10:00:00.000000       1 logging.go:55] [core] [Channel #59 SubChannel #60]grpc: addrConn.createTransport failed to connect to {Addr: "127.0.0.1:2379", ServerName: "127.0.0.1:2379", }. Err: connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:2379: connect: connection refused""#,
        "connection-refused",
    ),
    (
        r#"E1130 10:00:00.000000       1 status.go:71] "Unhandled Error" err="apiserver received an error that is not an metav1.Status: &status.Error{s:(*status.Status)(0xc0089e6a80)}: rpc error: code = Unavailable desc = etcdserver: leader changed" logger="UnhandledError""#,
        "leader-changed",
    ),
    (
        r#"E1130 10:00:00.000000       1 controller.go:145] "Failed to ensure lease exists, will retry" err="etcdserver: request timed out" interval="7s""#,
        "request-timed-out",
    ),
    (
        r#"E1130 10:00:00.000000       1 cacher.go:478] cacher (pods): unexpected ListAndWatch error: failed to list *core.Pod: etcdserver: mvcc: required revision has been compacted; reinitializing..."#,
        "compacted",
    ),
    (
        "java.util.concurrent.ExecutionException: io.etcd.jetcd.common.exception.EtcdException: etcdserver: requested lease not found",
        "lease-not-found",
    ),
    (
        "io.grpc.StatusRuntimeException: RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded",
        "database-space-exceeded",
    ),
    (
        "Caused by: io.netty.channel.AbstractChannel$AnnotatedConnectException: Connection refused: /127.0.0.1:2379",
        "connection-refused",
    ),
    (
        "io.grpc.StatusRuntimeException: RESOURCE_EXHAUSTED: gRPC message exceeds maximum size 4194304: 4197890",
        "message-received-too-large",
    ),
    (
        "grpc._channel._InactiveRpcError: <_InactiveRpcError of RPC that terminated with:\n\tstatus = StatusCode.UNAUTHENTICATED\n\tdetails = \"etcdserver: invalid auth token\"\n\tdebug_error_string = \"UNKNOWN:Error received from peer {grpc_message:\\\"etcdserver: invalid auth token\\\", grpc_status:16}\"\n>",
        "invalid-auth-token",
    ),
    (
        "details = \"failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:2379: Failed to connect to remote host: Connection refused\"",
        "connection-refused",
    ),
    ("Error: 14 UNAVAILABLE: etcdserver: no leader", "no-leader"),
    (
        r#"Nov 30 10:00:00 node1 etcd[812]: {"level":"warn","ts":"2026-11-30T10:00:00.000000Z","caller":"txn/util.go:94","msg":"apply request took too long","took":"1.2s","expected-duration":"100ms","prefix":"","request":"header:<ID:1> put:<key:\"/a\" value_size:12 >","response":"size:5","error":"etcdserver: no space"}"#,
        "apply-request-took-too-long",
    ),
    (
        "2021-03-01 10:00:00.000000 W | etcdserver: read-only range request \"key:\\\"health\\\" \" with result \"error:etcdserver: request timed out\" took too long (7.000123s) to execute",
        "request-timed-out",
    ),
    (
        "2019-06-01 10:00:00.000000 W | etcdserver: failed to send out heartbeat on time (exceeded the 100ms timeout for 512.3ms)",
        "failed-to-send-out-heartbeat",
    ),
    (
        r#"{"level":"panic","msg":"tocommit(107) is out of range [lastIndex(84)]. Was the raft log corrupted, truncated, or lost?"}"#,
        "tocommit-out-of-range",
    ),
    (
        r#"panic: open /var/lib/etcd/member/snap/db: no space left on device"#,
        "no-space-left-on-device",
    ),
    (
        r#"{"level":"warn","msg":"request cluster ID mismatch","local-member-cluster-id":"cdf818194e3a8c32","remote-peer-cluster-id":"7dd4a3f4f3c0e6a1"}"#,
        "cluster-id-mismatch",
    ),
    (
        r#"error: rpc error: code = ResourceExhausted desc = grpc: trying to send message larger than max (3000008 vs. 2097152)"#,
        "message-to-send-too-large",
    ),
];

#[test]
fn lines_of_clients_in_any_language_find_their_entries() {
    for (text, name) in LINES.iter().copied() {
        assert_eq!(found(text).first().map(String::as_str), Some(name), "{text}");
    }
}

#[test]
fn a_message_that_nothing_here_produces_is_explained_and_cannot_be_played() {
    for entry in list().iter().filter(|entry| entry.file == note::FILE) {
        let mut catalogue = opened(&entry.name, NOTES);
        let view = catalogue.view(&EN).entry.unwrap();
        assert_eq!(view.state, FetchState::Ready, "{}", entry.name);
        assert!(!view.meaning.is_empty() && !view.remedy.is_empty(), "{}", entry.name);
        assert!(view.lines.is_empty() && !view.not_here.is_empty() && !view.can_run);
        assert_ne!(catalogue.view(&ZH).entry.unwrap().not_here, view.not_here, "{}", entry.name);
        catalogue.play();
        catalogue.run();
        assert_eq!(catalogue.take_asks(), [], "{}", entry.name);
    }
    let view = opened("slow-fdatasync", NOTES).view(&EN).entry.unwrap();
    assert_eq!((view.code.as_str(), view.code_words), ("", EN.code_log));
    let view = opened("slow-fdatasync", "nothing of it").view(&EN).entry.unwrap();
    assert!(matches!(view.state, FetchState::Failed(_)), "{view:?}");
    assert_eq!(
        opened("compacted", COMPACTED).view(&EN).entry.unwrap().not_here,
        Vec::<Vec<Span>>::new()
    );
}

#[test]
fn a_reason_that_a_watch_ends_for_has_no_grpc_code() {
    let text = include_str!("../../../../www/errors/30-watcher-range-is-empty.txt");
    let view = opened("watcher-range-is-empty", text).view(&EN).entry.unwrap();
    assert_eq!((view.code.as_str(), view.code_words), ("", EN.code_watch));
    // Asking a learner is refused by FailedPrecondition since etcd 3.6; it was Unavailable before.
    let learner = list().into_iter().find(|entry| entry.name == "rpc-not-supported-for-learner");
    assert_eq!(learner.unwrap().code, "FailedPrecondition");
}

#[test]
fn words_codes_and_areas_find_entries() {
    assert!(found("OutOfRange").contains(&"future-revision".to_owned()));
    assert!(found("quota").contains(&"database-space-exceeded".to_owned()));
    assert!(found("配额").contains(&"database-space-exceeded".to_owned()));
    assert!(found("learner sync").contains(&"learner-not-ready".to_owned()));
    assert_eq!(found("").len(), list().len());
    for code in ["OUT_OF_RANGE", "StatusCode.OUT_OF_RANGE", "out of range"] {
        assert!(found(code).contains(&"compacted".to_owned()), "{code}");
    }
    assert!(found("Unauthenticated").contains(&"invalid-auth-token".to_owned()));
    assert!(found("no such words anywhere").is_empty());
    let mut catalogue = catalogue();
    catalogue.search("zzzz");
    assert_eq!(catalogue.view(&EN).found, EN.none);
    catalogue.search("compacted");
    assert!(catalogue.view(&EN).found.contains("found"));
    let rows = |view: ErrorsView| view.groups.into_iter().flat_map(|group| group.rows).count();
    assert_eq!(rows(catalogue.view(&EN)), found("compacted").len());
}

#[test]
fn a_pasted_message_is_opened_at_once_and_has_an_address() {
    let mut catalogue = catalogue();
    catalogue.search("rpc error: code = OutOfRange desc = etcdserver: mvcc: required revision has been compacted");
    let address = |fragment: &str, push| {
        Ask::Lesson(LessonAsk::Address { fragment: fragment.to_owned(), push })
    };
    assert_eq!(catalogue.take_asks(), [address("error=compacted", false)]);
    assert_eq!(catalogue.view(&EN).groups[0].title, EN.pasted);
    let file = "01-compacted.txt".to_owned();
    assert_eq!(catalogue.take_wanted(), [WantedError::Entry("compacted".to_owned(), file)]);
    catalogue.choose("no-leader");
    catalogue.choose("no-leader");
    assert_eq!(catalogue.take_asks(), [address("error=no-leader", true)]);
    catalogue.hear_address("error=compacted");
    assert_eq!(catalogue.view(&EN).entry.unwrap().name, "compacted");
    catalogue.hear_address("lesson=01/2");
    assert_eq!(catalogue.view(&EN).entry, None);
    assert_eq!(catalogue.take_asks(), []);
}

#[test]
fn an_entry_that_is_chosen_elsewhere_is_in_the_list_again() {
    let mut catalogue = catalogue();
    catalogue.search("learner");
    catalogue.choose("learner-not-ready");
    assert_eq!(catalogue.view(&EN).query, "learner");
    catalogue.hear_address("error=compacted");
    let view = catalogue.view(&EN);
    assert_eq!(view.query, "");
    assert!(view.groups.iter().flat_map(|group| &group.rows).any(|row| row.name == "compacted"));
    catalogue.search("配额");
    catalogue.choose("database-space-exceeded");
    assert_eq!(catalogue.view(&ZH).query, "配额");
    catalogue.choose("no-leader");
    assert_eq!(catalogue.view(&ZH).query, "");
}

#[test]
fn an_address_that_comes_first_waits_for_the_list_and_a_wrong_one_is_told() {
    let mut catalogue = Catalogue::default();
    catalogue.hear_address("error=no-leader");
    assert_eq!((catalogue.take_wanted(), catalogue.view(&EN).entry), (Vec::new(), None));
    catalogue.begin();
    catalogue.set_list(Ok(list()));
    assert_eq!(catalogue.take_wanted().len(), 2);
    assert_eq!(catalogue.view(&EN).entry.unwrap().state, FetchState::Loading);
    catalogue.hear_address("error=nobody-knows");
    let FetchState::Missing(words) = catalogue.view(&ZH).entry.unwrap().state else { panic!() };
    assert!(words.contains("nobody-knows"), "{words}");
    for foreign in ["error=", "error=<b>", "error=../x", "error=A", "errors", ""] {
        assert_eq!(address::read(foreign), None, "{foreign}");
    }
}

fn opened(name: &str, text: &str) -> Catalogue {
    let mut catalogue = catalogue();
    catalogue.choose(name);
    catalogue.set_entry(name.to_owned(), Ok(text.to_owned()));
    catalogue.take_asks();
    catalogue
}

#[test]
fn an_entry_is_told_in_the_pages_language() {
    let catalogue = opened("compacted", COMPACTED);
    let entry = catalogue.view(&EN).entry.unwrap();
    assert_eq!(entry.state, FetchState::Ready);
    assert_eq!(entry.message, "etcdserver: mvcc: required revision has been compacted");
    assert_eq!(entry.printed, "Error: etcdserver: mvcc: required revision has been compacted");
    assert_eq!((entry.code.as_str(), entry.area), ("OutOfRange", EN.area_keys));
    let lines: Vec<&str> = entry.lines.iter().map(|line| line.text.as_str()).collect();
    let ours = [
        "put /app/a 1",
        "put /app/a 2",
        "put /app/a 3",
        "compact 4",
        "watch /app/a --rev=2",
        "get /app/a --rev=3",
    ];
    assert_eq!(lines, ours);
    assert_eq!(entry.cluster, "On a cluster of 3 members");
    assert!(entry.can_run && entry.meaning.len() == 1 && entry.remedy.len() == 1);
    assert_eq!(entry.remedy_lines.len(), 4, "{:#?}", entry.remedy_lines);
    let chinese = catalogue.view(&ZH).entry.unwrap();
    assert_ne!(chinese.meaning, entry.meaning);
    assert_eq!(chinese.message, entry.message);
    let text = format!("{:?}", chinese.meaning);
    assert!(text.contains("已删除"), "{text}");
}

#[test]
fn what_only_the_lab_can_do_is_not_typed_into_a_console() {
    let mut catalogue = opened("no-leader", NO_LEADER);
    let entry = catalogue.view(&EN).entry.unwrap();
    assert!(!entry.can_run, "{:?}", entry.lines);
    let watch = entry.lines.iter().find(|line| line.text.starts_with("@2")).unwrap();
    assert!(!watch.can_write);
    catalogue.run();
    assert_eq!(catalogue.take_asks(), []);
    let large = include_str!("../../../../www/errors/15-request-is-too-large.txt");
    let entry = opened("request-is-too-large", large).view(&EN).entry.unwrap();
    assert!(
        !entry.can_run && entry.cluster.contains("--max-request-bytes=200"),
        "{}",
        entry.cluster
    );
}

#[test]
fn an_entry_is_played_travelled_and_run() {
    let mut catalogue = opened("compacted", COMPACTED);
    catalogue.play();
    assert_eq!(catalogue.take_asks(), [Ask::Share(COMPACTED.to_owned())]);
    assert_eq!(catalogue.text().map(String::as_str), Some(COMPACTED));
    catalogue.run();
    let asks = catalogue.take_asks();
    let [Ask::Write(lines)] = asks.as_slice() else { panic!("{asks:?}") };
    assert_eq!(lines.lines().count(), 6);
    assert!(lines.starts_with("put /app/a 1\n"), "{lines}");
}

#[test]
fn what_a_command_printed_has_its_entry() {
    let catalogue = catalogue();
    let link = catalogue.of_message("Error: etcdserver: requested lease not found").unwrap();
    assert_eq!(link.name, "lease-not-found");
    assert_eq!(catalogue.of_message("Error: something of its own"), None);
    assert_eq!(catalogue.of_message(""), None);
}

#[test]
fn files_that_cannot_be_fetched_or_read_are_told_and_fetched_again() {
    let mut catalogue = Catalogue::default();
    catalogue.begin();
    catalogue.take_wanted();
    catalogue.set_list(Err("errors/index.json: 404".to_owned()));
    assert_eq!(catalogue.view(&EN).state, FetchState::Failed("errors/index.json: 404".to_owned()));
    catalogue.begin();
    assert_eq!(catalogue.take_wanted(), []);
    catalogue.fetch_again();
    assert_eq!(catalogue.take_wanted(), [WantedError::List]);
    catalogue.set_list(Ok(list()));
    catalogue.choose("compacted");
    catalogue.take_wanted();
    catalogue.set_entry("compacted".to_owned(), Err("offline".to_owned()));
    let entry = catalogue.view(&EN).entry.unwrap();
    assert_eq!(entry.state, FetchState::Failed("offline".to_owned()));
    assert!(!entry.printed.is_empty());
    catalogue.fetch_again();
    assert_eq!(catalogue.take_wanted().len(), 1);
    catalogue
        .set_entry("compacted".to_owned(), Ok("script: 2\nfrobnicate\nkill nobody\n".to_owned()));
    let FetchState::Failed(words) = catalogue.view(&EN).entry.unwrap().state else { panic!() };
    assert!(words.starts_with("line "), "{words}");
}

#[test]
fn texts_have_the_same_places_in_both_languages() {
    for [english, chinese] in strings::ALL {
        for place in ["{0}", "{1}"] {
            assert_eq!(english.contains(place), chinese.contains(place), "{english}");
        }
        assert!(!english.is_empty() && !chinese.is_empty());
    }
    for origin in Origin::ALL {
        assert_eq!(Origin::named(origin.name()), origin);
    }
    for area in Area::ALL {
        assert_eq!(Area::named(area.name()), area);
        assert!(!EN.area(area).is_empty());
    }
}

proptest! {
    #[test]
    fn any_search_and_any_file_give_a_view(query in "\\PC{0,80}", text in "(script: 2\n)?[ -~\n]{0,120}") {
        let mut catalogue = opened("compacted", &text);
        catalogue.search(&query);
        let view = catalogue.view(&EN);
        prop_assert!(view.entry.is_some());
    }
}
