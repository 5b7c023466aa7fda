//! Commands that need a cluster to show what they do: locks, elections, mirrors, checks, snapshot files.

#![cfg(not(target_arch = "wasm32"))]

use bytes::Bytes;
use etcd_playground::cluster::SimulationSpec;
use etcd_playground::lab::Session;

/// Longest a command may run. Unit: virtual ms.
const LIMIT_MS: u64 = 200_000;

fn session(members: u32) -> Session {
    let mut session = Session::new(SimulationSpec { members, ..SimulationSpec::default() });
    session.run(LIMIT_MS, |session| session.world().leader().is_some());
    session.run(1000, |_| false);
    session
}

/// Runs a line to its end: standard output, standard error, exit status.
fn run(session: &mut Session, line: &str) -> (String, String, i32) {
    assert!(session.start(1, line, Some(Bytes::new())), "the console is busy");
    session.run(LIMIT_MS, |session| !session.is_running(1));
    let status = session.status(1);
    let (out, err) = printed(session, 1);
    (out, err, status.unwrap_or_else(|| unreachable!("{line} does not end")))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn printed(session: &mut Session, console: u32) -> (String, String) {
    let (out, err) = session.take_output(console);
    (text(&out), text(&err))
}

/// Starts a line that goes on.
fn begin(session: &mut Session, console: u32, line: &str) {
    assert!(session.start(console, line, Some(Bytes::new())));
    session.run(1000, |_| false);
}

/// Ctrl-C; the exit status.
fn interrupt(session: &mut Session, console: u32) -> Option<i32> {
    session.interrupt(console);
    session.run(2000, |session| !session.is_running(console));
    session.status(console)
}

#[test]
fn a_lock_goes_to_the_next_in_line_when_its_holder_leaves() {
    let mut session = session(3);
    begin(&mut session, 2, "lock l");
    begin(&mut session, 3, "lock l");
    assert_eq!(printed(&mut session, 3).0, "");
    let first = printed(&mut session, 2).0;
    assert!(first.starts_with("l/"), "{first}");
    assert_eq!(interrupt(&mut session, 2), Some(0));
    session.run(1000, |_| false);
    let second = printed(&mut session, 3).0;
    assert!(second.starts_with("l/") && second != first, "{second}");
    assert_eq!(interrupt(&mut session, 3), Some(0));
}

#[test]
fn a_lock_outlives_its_time_to_live_while_it_is_held() {
    let mut session = session(1);
    begin(&mut session, 2, "lock l --ttl=2");
    session.run(10_000, |_| false);
    assert!(session.is_running(2));
    session.kill(2);
    session.run(5_000, |_| false);
    assert_eq!(run(&mut session, "get l/ --prefix").0, "");
}

#[test]
fn an_observer_is_told_of_leaders_and_what_they_say() {
    let mut session = session(1);
    begin(&mut session, 2, "elect e -l");
    begin(&mut session, 3, "elect e one");
    let first = printed(&mut session, 2).0;
    assert!(first.ends_with("\none\n"), "{first}");
    let key = first.lines().next().unwrap().to_owned();
    run(&mut session, &format!("put {key} more --ignore-lease"));
    session.run(1000, |_| false);
    assert_eq!(printed(&mut session, 2).0, format!("{key}\nmore\n"));
    begin(&mut session, 4, "elect e two");
    interrupt(&mut session, 3);
    session.run(1000, |_| false);
    assert!(printed(&mut session, 2).0.ends_with("\ntwo\n"));
    assert_eq!(interrupt(&mut session, 2), Some(0));
}

#[test]
fn a_mirror_copies_what_is_there_and_then_what_changes() {
    let mut session = session(1);
    run(&mut session, "put a/1 one");
    run(&mut session, "put a/2 two");
    run(&mut session, "put other x");
    begin(&mut session, 2, "make-mirror --prefix a/ --dest-prefix b/ 127.0.0.1:12379");
    assert_eq!(run(&mut session, "get b/ --prefix").0, "b/1\none\nb/2\ntwo\n");
    run(&mut session, "del a/1");
    run(&mut session, "put a/3 three");
    session.run(1000, |_| false);
    assert_eq!(run(&mut session, "get b/ --prefix").0, "b/2\ntwo\nb/3\nthree\n");
    session.run(30_000, |_| false);
    assert_eq!(printed(&mut session, 2).0, "4\n");
    assert_eq!(interrupt(&mut session, 2), Some(130));
}

#[test]
fn a_mirror_to_nowhere_fails_at_once() {
    let mut session = session(1);
    run(&mut session, "put a 1");
    let (_, err, status) = run(&mut session, "make-mirror 127.0.0.1:2");
    assert_eq!(status, 1);
    assert!(err.ends_with("dial tcp 127.0.0.1:2: connect: connection refused\"\n"), "{err}");
}

#[test]
fn a_small_load_passes_and_leaves_no_keys() {
    let mut session = session(1);
    let before = session.now();
    let (out, _, status) = run(&mut session, "check perf --auto-compact --auto-defrag");
    assert!(out.contains("PASS: Throughput is 15"), "{out}");
    assert!(out.ends_with("\nPASS\n") && status == 0, "{out}");
    assert!(out.starts_with("Compacting with revision "), "{out}");
    assert!(session.now().since(before) >= 60_000);
    assert_eq!(run(&mut session, "get '' --prefix --keys-only").0, "");
    let (out, _, status) = run(&mut session, "check datascale");
    assert!(out.contains("PASS: Approximate system memory used : "), "{out}");
    assert_eq!(status, 0);
}

#[test]
fn a_check_in_use_is_refused_and_one_that_is_broken_off_cleans_up() {
    let mut session = session(1);
    begin(&mut session, 2, "check perf");
    let (_, err, status) = run(&mut session, "check perf");
    assert_eq!(status, 3);
    assert!(err.starts_with("Error: prefix \"/etcdctl-check-perf/\" has keys."), "{err}");
    assert_eq!(interrupt(&mut session, 2), Some(130));
    assert_eq!(run(&mut session, "get '' --prefix --keys-only").0, "");
}

#[test]
fn a_saved_snapshot_can_be_restored_as_a_new_cluster() {
    let mut session = session(3);
    run(&mut session, "put k v");
    let save = "snapshot save --endpoints 127.0.0.1:22379 a.db";
    let (out, err, status) = run(&mut session, save);
    assert_eq!(
        (out.as_str(), status),
        ("Snapshot saved at a.db\nServer version 3.7.0\n", 0),
        "{err}"
    );
    assert_eq!(session.files().names(), ["a.db"]);
    let status = run(&mut session, "etcdutl snapshot status a.db -w json").0;
    assert!(status.contains("\"revision\":2,\"totalKey\":1,"), "{status}");
    let restore = "etcdutl snapshot restore a.db --data-dir new --name x --initial-cluster x=http://127.0.0.1:1,y=http://127.0.0.1:2 --initial-advertise-peer-urls http://127.0.0.1:1";
    assert_eq!(run(&mut session, restore).2, 0);
    let restored = session.files_mut().take_restored("new").unwrap();
    assert_eq!((restored.members.len(), restored.revision), (2, 2));
    let (_, err, status) = run(&mut session, "etcdutl snapshot restore a.db --name z");
    assert_eq!(status, 1);
    assert!(err.contains("\"z\""), "{err}");
}

#[test]
fn roles_of_a_user_are_described_on_demand() {
    let mut session = session(1);
    for line in [
        "user add alice:pw",
        "role add r",
        "role grant-permission r read a c",
        "user grant-role alice r",
    ] {
        assert_eq!(run(&mut session, line).2, 0, "{line}");
    }
    let (out, _, status) = run(&mut session, "user get alice --detail");
    assert_eq!(
        (out.as_str(), status),
        ("User: alice\n\nRole r\nKV Read:\n\t[a, c)\nKV Write:\n", 0)
    );
}

#[test]
fn flags_about_the_network_are_accepted_with_a_notice() {
    let mut session = session(1);
    for flag in ["--cacert=x", "--insecure-discovery", "--keepalive-time=1s", "-d=x", "--debug"] {
        let (_, err, status) = run(&mut session, &format!("get k {flag}"));
        assert_eq!(status, 0, "{flag}");
        assert!(err.starts_with("notice: --") && err.contains("has no effect"), "{flag}: {err}");
    }
}
