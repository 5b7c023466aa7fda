use super::*;
use crate::api::{Request, Response};
use crate::etcdctl::table::GLOBAL_FLAGS;
use crate::etcdctl::{Input, Output};

fn shell() -> Shell {
    Shell::whole(vec!["a:1".to_owned(), "b:2".to_owned()])
}

/// Standard output, standard error and exit code of a line that needs no answer.
fn run(shell: &mut Shell, line: &str) -> (String, String, i32) {
    let mut execution = shell.start(line, None, Millis(0));
    let (mut out, mut err, mut status) = (Vec::new(), Vec::new(), None);
    while let Some(output) = execution.poll_output() {
        match output {
            Output::Stdout(bytes) => out.extend(bytes),
            Output::Stderr(bytes) => err.extend(bytes),
            Output::Exit { status: code } => status = Some(code),
            other => panic!("{line}: {other:?}"),
        }
    }
    (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap(), status.unwrap())
}

/// What a line asks first, of whom, and what it says before that.
fn asks(shell: &mut Shell, line: &str) -> (String, Request, String) {
    let mut execution = shell.start(line, None, Millis(0));
    let mut said = String::new();
    while let Some(output) = execution.poll_output() {
        match output {
            Output::Call { endpoint, request, .. } => return (endpoint, request, said),
            Output::Stderr(bytes) => said.push_str(&String::from_utf8(bytes).unwrap()),
            Output::SetTimer { .. } => {}
            other => panic!("{line}: {other:?}"),
        }
    }
    panic!("{line}: asks nothing");
}

#[test]
fn the_word_etcdctl_is_optional() {
    let mut shell = shell();
    for line in ["etcdctl get 'a b'", "get \"a b\"", "  get a\\ b # read it"] {
        let (endpoint, request, said) = asks(&mut shell, line);
        assert_eq!((endpoint.as_str(), said.as_str()), ("a:1", ""));
        let Request::Range(range) = request else { panic!("{request:?}") };
        assert_eq!(range.key, Bytes::from_static(b"a b"), "{line}");
    }
}

#[test]
fn exported_variables_stand_for_flags_until_unset() {
    let mut shell = shell();
    assert_eq!(run(&mut shell, "export ETCDCTL_ENDPOINTS=b:2 ETCDCTL_WRITE_OUT='json'").2, 0);
    assert_eq!(asks(&mut shell, "get a").0, "b:2");
    assert!(run(&mut shell, "export").0.contains("export ETCDCTL_WRITE_OUT=json\n"));
    let (_, err, status) = run(&mut shell, "get a --endpoints=a:1");
    assert!(err.starts_with("notice: conflicting environment variable"), "{err}");
    assert_eq!(status, 1);
    run(&mut shell, "unset ETCDCTL_ENDPOINTS");
    assert_eq!(asks(&mut shell, "get a").0, "a:1");
    assert_eq!(asks(&mut shell, "get a --endpoints=b:2").0, "b:2");
}

#[test]
fn a_variable_before_a_command_holds_for_that_command() {
    let mut shell = shell();
    assert_eq!(asks(&mut shell, "ETCDCTL_ENDPOINTS=b:2 etcdctl get a").0, "b:2");
    assert_eq!(asks(&mut shell, "etcdctl get a").0, "a:1");
    let (_, _, said) = asks(&mut shell, "ETCDCTL_API=3 etcdctl get a");
    assert_eq!(said, "notice: unrecognized environment variable: ETCDCTL_API=3\n");
    let Request::Put(put) = asks(&mut shell, "put a=b c").1 else { panic!() };
    assert_eq!(put.key, Bytes::from_static(b"a=b"));
    assert_eq!(run(&mut shell, "a=b get c").2, 128, "not a variable of ours");
}

#[test]
fn names_that_etcdctl_does_not_read_are_refused_and_change_nothing() {
    let mut shell = shell();
    let (_, err, status) = run(&mut shell, "export ETCDCTL_HEX=true PATH=/bin");
    assert_eq!((err.as_str(), status), ("Error: PATH is not a variable that etcdctl reads\n", 128));
    assert!(!shell.variables().contains_key("ETCDCTL_HEX"));
    run(&mut shell, "export ETCDCTL_HEX=true");
    assert_eq!(run(&mut shell, "unset ETCDCTL_HEX=").2, 128);
    assert!(shell.variables().contains_key("ETCDCTL_HEX"));
}

#[test]
fn a_variable_that_cannot_be_read_is_named_and_passed_over_as_etcdctl_does() {
    let mut shell = shell();
    let line = "ETCDCTL_HEX=maybe ETCDCTL_COMMAND_TIMEOUT=5 version";
    let (out, err, status) = run(&mut shell, line);
    assert_eq!((out.as_str(), status), ("etcdctl version: 3.7.1\nAPI version: 3.7\n", 0));
    assert!(err.contains("notice: invalid value \"maybe\" for ETCDCTL_HEX: "), "{err}");
    assert!(err.contains("notice: invalid value \"5\" for ETCDCTL_COMMAND_TIMEOUT: "), "{err}");
}

#[test]
fn lines_that_cannot_be_read_exit_2_and_empty_ones_keep_the_status() {
    let mut shell = shell();
    assert_eq!(run(&mut shell, "put a 'b").2, 2);
    assert_eq!(run(&mut shell, "get a | wc").2, 2);
    shell.finish(128);
    assert_eq!(run(&mut shell, "  # nothing").2, 128);
    assert_eq!(shell.last_status(), 128);
}

#[test]
fn flags_are_read_before_anything_else() {
    let mut shell = shell();
    let (_, err, _) = run(&mut shell, "txn --bogus");
    assert!(err.starts_with("Error: unknown flag: --bogus\nUsage:\n"), "{err}");
    let (_, err, status) = run(&mut shell, "etcdutl snapshot restore x --bogus");
    assert!(err.starts_with("Error: unknown flag: --bogus\nUsage:\n"), "{err}");
    assert_eq!(status, 1);
    let (_, err, _) = run(&mut shell, "etcdutl bogus");
    assert_eq!(
        err,
        "Error: unknown command \"bogus\" for \"etcdutl\"\nRun 'etcdutl --help' for usage.\n"
    );
    let (out, _, status) = run(&mut shell, "etcdutl version");
    assert_eq!((out.as_str(), status), ("etcdutl version: 3.7.1\nAPI version: 3.7\n", 0));
}

/// What a line asks once these pieces of standard input came; the rest of what it says.
fn asks_after(line: &str, pieces: &[&str]) -> (Vec<Output>, String, Option<i32>) {
    let mut execution = shell().start(line, None, Millis(0));
    for piece in pieces {
        let bytes = Bytes::copy_from_slice(piece.as_bytes());
        execution.handle(Input::Stdin(bytes), Millis(1));
    }
    execution.handle(Input::StdinEnd, Millis(1));
    let (mut asked, mut said, mut status) = (Vec::new(), String::new(), None);
    while let Some(output) = execution.poll_output() {
        match output {
            Output::Stdout(bytes) | Output::Stderr(bytes) => {
                said.push_str(&String::from_utf8(bytes).unwrap());
            }
            Output::Exit { status: code } => status = Some(code),
            other => asked.push(other),
        }
    }
    (asked, said, status)
}

#[test]
fn a_value_may_be_typed() {
    let (asked, said, status) = asks_after("put k", &["a", "b\n"]);
    assert!(said.starts_with("notice: the value is read"), "{said}");
    assert_eq!(status, None);
    let put = asked.iter().find_map(|output| match output {
        Output::Call { request: Request::Put(put), .. } => Some(put),
        _ => None,
    });
    assert_eq!(put.unwrap().value, Bytes::from_static(b"ab\n"));
    assert_eq!(asks_after("put k", &[]).2, Some(128), "nothing was typed");
}

#[test]
fn a_transaction_is_read_line_by_line_with_prompts_if_asked_for() {
    let typed =
        ["mod(\"k\") = ", "\"0\"\n\nput k 'a b'\nget \"\\x00\"", " --from-key\n\ndel k\n\n"];
    let (asked, said, status) = asks_after("txn -i", &typed);
    assert_eq!(
        said,
        "compares:\nsuccess requests (get, put, del):\nfailure requests (get, put, del):\n"
    );
    assert_eq!(status, None);
    let [Output::Call { request: Request::Txn(txn), .. }] = asked.as_slice() else {
        panic!("one call and no time limit: {asked:?}");
    };
    assert_eq!((txn.compare.len(), txn.success.len(), txn.failure.len()), (1, 2, 1));
    let crate::api::RequestOp::Range(range) = &txn.success[1] else { panic!("{txn:?}") };
    assert_eq!(range.key, Bytes::from_static(b"\0"));
    for (typed, error) in [
        ("\n\n", "Error: EOF\n"),
        ("\nget\n\n\n", "Error: invalid txn compare request: get\n"),
        ("\nwatch k\n\n\n", "Error: invalid txn request: watch k\n"),
    ] {
        let (asked, said, status) = asks_after("txn", &[typed]);
        assert_eq!((asked.len(), said.as_str(), status), (0, error, Some(3)));
    }
    let (_, said, _) = asks_after("txn", &["\nget k --bogus\n"]);
    assert!(said.starts_with("Usage:"), "{said}");
    assert!(said.ends_with("Error: invalid txn request: get k --bogus\n"), "{said}");
}

#[test]
fn watch_takes_requests_from_lines() {
    let (asked, said, status) =
        asks_after("watch -i", &["watch a\nwatch b --rev 3", "\nprogress\n"]);
    assert_eq!(said, "Error: error reading watch request line: EOF\n");
    assert_eq!(status, Some(3));
    let opened = asked.iter().filter(|output| matches!(output, Output::OpenWatch { .. })).count();
    let sent = asked.iter().filter(|output| matches!(output, Output::SendWatch { .. })).count();
    assert_eq!((opened, sent), (2, 2));
    for (line, why) in [
        ("", "Invalid command:  (watch and progress supported)\n"),
        ("get a", "Invalid command get a (only support watch)\n"),
        ("watch", "Invalid command watch (command type or key is not provided)\n"),
    ] {
        let (_, said, _) = asks_after("watch -i", &[line, "\n"]);
        assert!(said.starts_with(why), "{said}");
    }
    for (line, why) in [
        ("watch --rev=1", "bad number of arguments"),
        ("watch a --bogus", "unknown flag: --bogus"),
        ("watch a --", "bad number of arguments (found separator --, but no commands)"),
    ] {
        let (_, said, status) = asks_after("watch -i", &[line, "\n"]);
        assert_eq!((said, status), (format!("Error: {why}\n"), Some(128)));
    }
}

#[test]
fn help_comes_from_the_table() {
    let mut shell = shell();
    let (out, err, status) = run(&mut shell, "help get");
    assert_eq!((err.as_str(), status), ("", 0));
    for flag in crate::etcdctl::command_flags("get").unwrap() {
        let listed = out.contains(&format!("--{} ", flag.name));
        assert_eq!(listed, !GLOBAL_FLAGS.contains(flag), "{}: {out}", flag.name);
    }
    assert!(run(&mut shell, "options").0.contains("--command-timeout duration"));
    assert_eq!(run(&mut shell, "version").0, "etcdctl version: 3.7.1\nAPI version: 3.7\n");
    let (out, err, status) = run(&mut shell, "help bogus");
    assert_eq!((out.as_str(), status), ("", 0));
    assert!(err.starts_with("Unknown help topic [`bogus`]\nUsage:\n"), "{err}");
}

#[test]
fn flags_without_effect_are_accepted_with_a_notice() {
    let (_, _, said) = asks(&mut shell(), "get a --cacert=x -d x --keepalive-time=1s");
    assert_eq!(
        said,
        "notice: --keepalive-time has no effect: there are no connections here\n\
         notice: --cacert has no effect: there is no transport security here\n\
         notice: --discovery-srv has no effect: there is no discovery here\n"
    );
}

#[test]
fn ids_differ_between_the_commands_of_a_tab() {
    let mut shell = shell();
    let mut first = shell.start("get a", None, Millis(0));
    let mut second = shell.start("get a", None, Millis(0));
    let call = |execution: &mut Execution| {
        std::iter::from_fn(|| execution.poll_output()).find_map(|output| match output {
            Output::Call { call, .. } => Some(call),
            _ => None,
        })
    };
    let (one, two) = (call(&mut first).unwrap(), call(&mut second).unwrap());
    assert_ne!(one, two);
    let result = Ok(Response::Range(crate::api::RangeResponse::default()));
    second.handle(Input::Reply { call: one, result }, Millis(1));
    assert!(second.is_running(), "an answer to another command");
}

#[test]
fn a_group_s_flags_have_variables_for_its_commands() {
    let mut shell = shell();
    let (_, request, said) = asks(&mut shell, "ETCDCTL_CLUSTER=true etcdctl endpoint status");
    assert!(matches!(request, Request::MemberList(_)), "{request:?}");
    assert_eq!(said, "");
    let (_, err, status) = run(&mut shell, "ETCDCTL_CLUSTER=1 etcdctl endpoint health --cluster");
    assert!(err.starts_with("notice: conflicting environment variable"), "{err}");
    assert_eq!(status, 1);
    let (_, _, said) = asks(&mut shell, "ETCDCTL_CLUSTER=true etcdctl get a");
    assert_eq!(said, "notice: unrecognized environment variable: ETCDCTL_CLUSTER=true\n");
    let (_, _, said) = asks(&mut shell, "ETCDCTL_REV=2 etcdctl endpoint hashkv");
    assert_eq!(said, "notice: unrecognized environment variable: ETCDCTL_REV=2\n");
}

#[test]
fn watch_s_variables_must_fit_each_other_and_the_arguments() {
    let mut shell = shell();
    for (line, error, status) in [
        (
            "ETCDCTL_WATCH_RANGE_END='b c' etcdctl watch a",
            "ETCDCTL_WATCH_KEY is empty but got ETCDCTL_WATCH_RANGE_END=\"b c\"",
            128,
        ),
        (
            "ETCDCTL_WATCH_KEY= ETCDCTL_WATCH_RANGE_END=b etcdctl watch -i",
            "ETCDCTL_WATCH_KEY is empty but got ETCDCTL_WATCH_RANGE_END=\"b\"",
            128,
        ),
        (
            "ETCDCTL_WATCH_KEY=a etcdctl watch a -- echo x",
            "bad number of arguments (found conflicting environment key)",
            128,
        ),
        ("watch", "bad number of arguments", 128),
        ("watch --rev=1", "bad number of arguments", 128),
        ("watch -- a", "bad number of arguments", 128),
        ("watch --rev=1 -w xml", "unsupported output format", 4),
        ("watch a --", "bad number of arguments (found separator --, but no commands)", 128),
    ] {
        let (out, err, code) = run(&mut shell, line);
        assert_eq!((out.as_str(), code), ("", status), "{line}");
        assert_eq!(err, format!("Error: {error}\n"), "{line}");
    }
}

#[test]
fn limits_and_files_that_cannot_be_are_refused() {
    let mut shell = shell();
    for (line, error, status) in [
        ("get a --cert=", "empty string is passed to --cert option", 128),
        ("get a --cacert '' -w xml", "empty string is passed to --cacert option", 128),
        (
            "endpoint status --max-request-bytes=100 --max-recv-bytes=10",
            "gRPC message recv limit (10 bytes) must be greater than send limit (100 bytes)",
            2,
        ),
    ] {
        let (_, err, code) = run(&mut shell, line);
        assert_eq!((err, code), (format!("Error: {error}\n"), status), "{line}");
    }
    asks(&mut shell, "get a --max-request-bytes=10 --max-recv-bytes=10");
    let size = "Error: rpc error: code = ResourceExhausted desc = trying to send message larger than max (2 vs. 1)\n";
    for line in ["compaction 2 --max-request-bytes=1", "member list --max-request-bytes=1"] {
        assert_eq!(run(&mut shell, line).1, size, "{line}");
    }
}

#[test]
fn a_range_is_announced_before_the_flags_of_every_command_are_looked_at() {
    let mut shell = shell();
    let mut execution = shell.start("del a b -w xml", None, Millis(0));
    let mut outputs: Vec<Output> = std::iter::from_fn(|| execution.poll_output()).collect();
    let Some(Output::SetTimer { timer, after_ms: 2000 }) = outputs.pop() else {
        panic!("{outputs:?}")
    };
    assert!(matches!(outputs.as_slice(), [Output::Stderr(_)]), "{outputs:?}");
    execution.handle(Input::Timer { timer }, Millis(2000));
    let outputs: Vec<Output> = std::iter::from_fn(|| execution.poll_output()).collect();
    let error = Output::Stderr(b"Error: unsupported output format\n".to_vec());
    assert_eq!(outputs, [error, Output::Exit { status: 4 }]);
    assert_eq!(run(&mut shell, "del a -w xml").2, 4);
}
