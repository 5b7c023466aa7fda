use super::*;
use crate::api::{Request, Response};
use crate::etcdctl::{Input, Output};

fn shell() -> Shell {
    Shell::new(vec!["a:1".to_owned(), "b:2".to_owned()])
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
fn bad_values_are_refused_and_change_nothing() {
    let mut shell = shell();
    let (_, err, status) = run(&mut shell, "export ETCDCTL_HEX=true ETCDCTL_COMMAND_TIMEOUT=5");
    assert_eq!(status, 128);
    assert_eq!(
        err,
        "Error: invalid value \"5\" for ETCDCTL_COMMAND_TIMEOUT: time: missing unit in duration \"5\"\n"
    );
    assert!(!shell.variables().contains_key("ETCDCTL_HEX"));
    assert_eq!(run(&mut shell, "export PATH=/bin").2, 128);
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
fn commands_of_later_builds_say_so_after_their_flags_are_read() {
    let mut shell = shell();
    for line in
        ["txn -i", "lease grant 60", "user add root --no-password", "etcdutl snapshot status x"]
    {
        let (out, err, status) = run(&mut shell, line);
        assert_eq!((out.as_str(), status), ("", 1), "{line}");
        assert!(err.ends_with("is not available in this build yet\n"), "{line}: {err}");
    }
    let (_, err, _) = run(&mut shell, "txn --bogus");
    assert!(err.starts_with("Error: unknown flag: --bogus\nUsage:\n"), "{err}");
    for line in ["put a b -w protobuf", "watch -i"] {
        let (_, err, status) = run(&mut shell, line);
        assert!(err.ends_with("is not available in this build yet\n"), "{err}");
        assert_eq!(status, 1);
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
    let (_, _, said) = asks(&mut shell(), "get a --cacert=x --user root:x --dial-timeout=1s");
    assert_eq!(
        said,
        "notice: --dial-timeout has no effect: nothing is dialled here\n\
         notice: --cacert has no effect: there is no transport security here\n\
         notice: --user has no effect: users are not in this build yet\n"
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
