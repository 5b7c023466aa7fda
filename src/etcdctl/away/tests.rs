//! A shell that leaves its rare commands to a host, beside one that has them.

use std::cell::RefCell;

use super::*;
use crate::api;
use crate::etcdctl::CallError;

fn endpoints() -> Vec<String> {
    vec!["a:1".to_owned()]
}

fn program() -> (Program, Rc<RefCell<Host>>) {
    let host: Rc<RefCell<Host>> = Rc::default();
    let inside = Rc::clone(&host);
    (Program::new(move |message| Ok(inside.borrow_mut().take(message.clone()))), host)
}

fn drain(execution: &mut Execution) -> Vec<Output> {
    std::iter::from_fn(|| execution.poll_output()).collect()
}

/// What a line says when all its calls fail, here and there.
fn both(line: &str, inputs: &[Input]) -> [Vec<Output>; 2] {
    let (program, _host) = program();
    [Shell::whole(endpoints()), Shell::new(endpoints())].map(|mut shell| {
        let mut execution = shell.start(line, None, Millis(5));
        execution.provide(Ok(&program), Millis(5));
        let mut all = drain(&mut execution);
        for input in inputs {
            execution.handle(input.clone(), Millis(6));
            all.extend(drain(&mut execution));
        }
        all
    })
}

#[test]
fn a_line_says_the_same_here_and_there() {
    let typed = Input::Stdin(Bytes::from_static(b"pw\n"));
    for line in [
        "user add alice",
        "user add alice -w bogus",
        "ETCDCTL_HEX=maybe role get r --command-timeout=1s",
        "lock a --ttl=3",
        "etcdutl snapshot status x.db",
        "check perf --load=huge",
        "member add",
        "completion fish",
        "put a b",
        "get --bogus",
    ] {
        let [here, there] = both(line, &[typed.clone(), typed.clone(), Input::Interrupt]);
        assert_eq!(here, there, "{line}");
        assert!(!here.is_empty(), "{line}");
    }
}

#[test]
fn only_a_rare_command_waits_and_ctrl_c_ends_the_wait() {
    let mut shell = Shell::new(endpoints());
    assert!(!shell.start("get a", None, Millis(0)).awaits_program());
    assert!(!shell.start("user --help", None, Millis(0)).awaits_program());
    let mut execution = shell.start("user list", None, Millis(0));
    assert!(execution.awaits_program() && execution.is_running());
    assert_eq!(drain(&mut execution), []);
    execution.handle(Input::Interrupt, Millis(1));
    assert_eq!(drain(&mut execution), [Output::Exit { status: 130 }]);
    assert!(!execution.is_running());
}

#[test]
fn a_here_document_is_read_before_the_program_is_needed() {
    let (program, _host) = program();
    let mut shell = Shell::new(endpoints());
    let line = "user add alice --interactive=false << E";
    let mut execution = shell.start(line, None, Millis(0));
    assert!(!execution.awaits_program());
    execution.handle(Input::Stdin(Bytes::from_static(b"pw\nE\n")), Millis(0));
    assert!(execution.awaits_program());
    execution.provide(Ok(&program), Millis(0));
    assert!(matches!(drain(&mut execution).as_slice(), [.., Output::Call { .. }]));
}

#[test]
fn prompts_for_secrets_are_known_on_this_side() {
    let (program, _host) = program();
    let mut execution = Shell::new(endpoints()).start("user add alice", None, Millis(0));
    execution.provide(Ok(&program), Millis(0));
    assert!(execution.reads_stdin() && execution.reads_secret());
}

#[test]
fn who_forgets_a_command_ends_it_there() {
    let (program, host) = program();
    let mut execution = Shell::new(endpoints()).start("user list", None, Millis(0));
    execution.provide(Ok(&program), Millis(0));
    assert_eq!(host.borrow().runs.len(), 1);
    drop(execution);
    assert_eq!(host.borrow().runs.len(), 0);
}

#[test]
fn a_program_that_does_not_come_or_fails_is_an_error_of_the_line() {
    let mut shell = Shell::new(endpoints());
    let mut execution = shell.start("user list", None, Millis(0));
    execution.provide(Err("no network"), Millis(0));
    let said = Output::Stderr(b"Error: no network\n".to_vec());
    assert_eq!(drain(&mut execution), [said, Output::Exit { status: 1 }]);

    let broken = Program::new(|_message| Err("unreachable executed".to_owned()));
    let mut execution = shell.start("user list", None, Millis(0));
    execution.provide(Ok(&broken), Millis(0));
    assert_eq!(drain(&mut execution), [], "its driver says it");
    assert_eq!(execution.program_failure().map(String::as_str), Some("unreachable executed"));
    assert!(execution.is_running());
    execution.handle(Input::Interrupt, Millis(1));
    execution.fail_away("it failed");
    let said = Output::Stderr(b"Error: it failed\n".to_vec());
    assert_eq!(drain(&mut execution), [said, Output::Exit { status: 1 }]);
    assert!(broken.is_broken() && !execution.is_running());
    assert_eq!(execution.program_failure(), None);
}

#[test]
fn answers_and_errors_reach_a_command_there() {
    let (program, _host) = program();
    let mut execution = Shell::new(endpoints()).start("user list", None, Millis(0));
    execution.provide(Ok(&program), Millis(0));
    let outputs = drain(&mut execution);
    let Some(Output::Call { call, .. }) = outputs.last() else { unreachable!("{outputs:?}") };
    let error = CallError::Status(api::Error::PermissionDenied);
    execution.handle(Input::Reply { call: *call, result: Err(error) }, Millis(1));
    let [Output::Stderr(text), Output::Exit { status: 1 }] = &drain(&mut execution)[..] else {
        unreachable!("it ends")
    };
    assert!(String::from_utf8_lossy(text).contains("permission denied"));
}
