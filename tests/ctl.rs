//! `playground ctl` as a person starts it: the built program, its streams and its exit status.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::disallowed_types, reason = "a failed test is meant to panic")]

use std::fs::File;
use std::io::Write as _;
use std::process::{Command, Stdio};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_playground"));
    command.arg("ctl").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Standard output, standard error, exit status.
fn typed(arguments: &[&str], lines: &str) -> (String, String, Option<i32>) {
    let mut child = command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A program that is over does not read on.
    let _ = stdin.write_all(lines.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

#[test]
fn lines_of_a_file_run_and_the_last_one_gives_the_status() {
    let path = std::env::temp_dir().join(format!("playground-ctl-{}.txt", std::process::id()));
    std::fs::write(
        &path,
        "# a comment\nput foo bar; get foo\nexport ETCDCTL_WRITE_OUT=json\nget nokey --rev=9\necho \"status $?\" '$?'\nget",
    )
    .unwrap();
    let file = File::open(&path).unwrap();
    let output = command(&["--members=1"]).stdin(file).output().unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "OK\nfoo\nbar\nstatus 1 $?\n");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "Error: etcdserver: mvcc: required revision is a future revision\n\
         Error: get command needs one argument as key and an optional argument as range_end\n"
    );
    assert_eq!(output.status.code(), Some(128));
}

#[test]
fn documents_transactions_and_watches_read_the_lines_that_follow() {
    let (out, err, status) = typed(
        &["--members", "3", "--seed", "4"],
        "put k <<EOF\none\n two\nEOF\necho piped | etcdctl put p\n\
         txn -i\nver(\"k\") = \"1\"\n\nget k\nput k\n",
    );
    assert!(out.starts_with("OK\nOK\ncompares:\n"), "{out}");
    assert!(err.contains("put command needs 1 argument and input from stdin"), "{err}");
    assert_eq!(status, Some(128), "the value of the put is what follows, which is nothing");
    let (out, err, status) = typed(
        &[],
        "@2 watch --prefix a\nput a1 x\n@2 ^C\nwatch -i\nwatch a1 --rev=1\n^C\necho $?\nput b 'two\nlines'\nget b",
    );
    assert_eq!(out, "OK\n@2 PUT\n@2 a1\n@2 x\nPUT\na1\nx\n130\nOK\nb\ntwo\nlines\n", "{err}");
    assert_eq!(status, Some(0));
}

#[test]
fn time_is_virtual_and_the_same_seed_prints_the_same() {
    let lines = "lease grant 600\nlease grant 2\nput k v\nsleep 5\nlease list\nkill leader\nwait leader within 30s\nendpoint status\nget k";
    let once = typed(&["--members=5", "--seed=9"], lines);
    assert_eq!(once.2, Some(0), "{once:?}");
    assert!(once.0.contains("found 1 leases\n"), "{once:?}");
    assert_eq!(once, typed(&["--members=5", "--seed=9"], lines));
    assert_ne!(once, typed(&["--members=5", "--seed=8"], lines));
}

#[test]
fn what_is_asked_for_wrongly_is_answered_with_a_sentence() {
    for arguments in [&["--members=4"][..], &["--seed", "x"], &["--bogus"], &["file.txt"]] {
        let (out, err, status) = typed(arguments, "put a 1\n");
        assert_eq!((out.as_str(), status), ("", Some(2)), "{arguments:?}");
        assert!(err.contains("playground ctl --help"), "{err}");
    }
    let (out, _, status) = typed(&["--help"], "");
    assert!(out.contains("--members N") && status == Some(0), "{out}");
    for line in
        ["get a | wc", "get a > f", "get a && get b", "put k < f", "get $HOME", "cat f | put k"]
    {
        let (out, err, status) = typed(&["--members=1"], line);
        assert_eq!((out.as_str(), err.lines().count(), status), ("", 1, Some(2)), "{line}: {err}");
    }
}
