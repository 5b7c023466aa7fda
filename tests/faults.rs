//! What the verbs for faults do to a simulated cluster, and what it does about it.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is meant to panic")]

use bytes::Bytes;
use etcd_playground::api::MemberEvent;
use etcd_playground::cluster::SimulationSpec;
use etcd_playground::lab::{Session, run_script};
use etcd_playground::scenario::{Order, verb};
use etcd_playground::types::MemberId;

/// Longest a command may run. Unit: virtual ms.
const LIMIT_MS: u64 = 60_000;

fn session(members: u32) -> Session {
    let mut session = Session::new(SimulationSpec { members, ..SimulationSpec::default() });
    session.run(LIMIT_MS, |session| session.world().leader().is_some());
    session.run(1_000, |_| false);
    session
}

/// Does what a verb says.
fn act(session: &mut Session, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let verb = verb::parse(&words).unwrap().unwrap();
    let orders: Vec<Order> = session.world().plan(&verb).unwrap();
    for order in orders {
        session.carry_out(order);
    }
}

/// Runs a line to its end: standard output and exit status.
fn run(session: &mut Session, line: &str) -> (String, i32) {
    let line = session.world().expand(line).unwrap();
    assert!(session.start(1, &line, Some(Bytes::new())), "the console is busy");
    session.run(LIMIT_MS, |session| !session.is_running(1));
    let status = session.status(1).unwrap();
    (String::from_utf8(session.take_output(1).0).unwrap(), status)
}

fn ok(session: &mut Session, line: &str) -> String {
    let (printed, status) = run(session, line);
    assert_eq!(status, 0, "{line}: {printed}");
    printed
}

fn pass(session: &mut Session, ms: u64) {
    session.run(ms, |_| false);
}

fn leader(session: &Session) -> MemberId {
    session.world().leader().unwrap()
}

fn name(session: &Session, member: MemberId) -> String {
    session.world().name(member)
}

/// The names of all but one member.
fn others(session: &Session, than: MemberId) -> Vec<String> {
    let world = session.world();
    let others = world.members.iter().filter(|view| view.id() != than);
    others.map(|view| view.member.name.clone()).collect()
}

/// One hash of the key space, from every running member.
fn assert_hashes_equal(session: &mut Session) {
    let printed = ok(session, "endpoint hashkv");
    let mut hashes: Vec<&str> =
        printed.lines().map(|line| line.split_once(',').unwrap().1).collect();
    hashes.dedup();
    assert_eq!(hashes.len(), 1, "{printed}");
}

#[test]
fn a_slow_disk_on_the_leader_makes_etcd_complain_of_it_and_ends_with_off() {
    let mut session = session(3);
    let leads = leader(&session);
    act(&mut session, "slow-disk leader 1500ms");
    ok(&mut session, "put k v");
    pass(&mut session, 3_000);
    let slow = |(_, member, event): &(_, MemberId, MemberEvent)| match event {
        MemberEvent::SlowDisk { took_ms, .. } => Some((*member, *took_ms)),
        _ => None,
    };
    let complaints: Vec<(MemberId, u64)> = session.take_events().iter().filter_map(slow).collect();
    assert!(!complaints.is_empty());
    assert!(complaints.iter().all(|(member, ms)| *member == leads && (1_500..1_600).contains(ms)));
    let slowed = name(&session, leads);
    act(&mut session, &format!("slow-disk {slowed} off"));
    pass(&mut session, 5_000);
    session.take_events();
    ok(&mut session, "put k v2");
    pass(&mut session, 3_000);
    assert!(!session.take_events().iter().any(|event| slow(event).is_some()));
}

#[test]
fn a_partition_lets_the_majority_elect_and_the_minority_refuse_writes() {
    let mut session = session(5);
    // The leader and one more are the minority.
    let leads = name(&session, leader(&session));
    let rest = others(&session, leader(&session));
    let [with, majority @ ..] = rest.as_slice() else { panic!("{rest:?}") };
    act(&mut session, &format!("partition {leads},{with} | {}", majority.join(",")));
    session.run(LIMIT_MS, |session| session.world().leader().is_some());
    let elected = name(&session, leader(&session));
    assert!(majority.contains(&elected), "{elected} is not of {majority:?}");
    let port = leads.trim_start_matches("infra").to_owned() + "2379";
    let refused = format!("put k minority --endpoints=127.0.0.1:{port} --command-timeout=2s");
    assert_ne!(run(&mut session, &refused).1, 0);
    ok(&mut session, "put k majority --endpoints=$LEADER");
    act(&mut session, "heal");
    pass(&mut session, 5_000);
    assert_eq!(ok(&mut session, "get k"), "k\nmajority\n");
    assert_hashes_equal(&mut session);
}

#[test]
fn a_leader_that_loses_all_it_is_sent_steps_down_and_one_that_loses_half_does_not() {
    for (share, steps_down) in [("100%", true), ("50%", false)] {
        let mut session = session(3);
        let leads = leader(&session);
        let to = name(&session, leads);
        for from in others(&session, leads) {
            act(&mut session, &format!("loss {from}->{to} {share}"));
        }
        session.take_events();
        pass(&mut session, 5_000);
        let has_stepped = session.take_events().iter().any(|(_, member, event)| {
            matches!(event, MemberEvent::SteppedDown { quorum_lost: true, .. }) && *member == leads
        });
        assert_eq!(has_stepped, steps_down, "{share}");
    }
}

#[test]
fn a_delayed_link_makes_writes_take_their_time() {
    let mut session = session(3);
    let leads = name(&session, leader(&session));
    for other in others(&session, leader(&session)) {
        act(&mut session, &format!("delay {leads} {other} 100ms jitter 20ms"));
    }
    pass(&mut session, 2_000);
    let before = session.now();
    ok(&mut session, "put k v --endpoints=$LEADER");
    let took = session.now().since(before);
    assert!((200..400).contains(&took), "there and back took {took} ms");
}

#[test]
fn duplicates_and_reordering_break_nothing() {
    let mut session = session(3);
    for link in ["infra1 infra2", "infra1 infra3", "infra2 infra3"] {
        act(&mut session, &format!("duplicate {link} 50%"));
        act(&mut session, &format!("reorder {link} 30%"));
        act(&mut session, &format!("loss {link} 5%"));
    }
    for at in 0..30 {
        ok(&mut session, &format!("put k{at} v --endpoints=$LEADER"));
    }
    act(&mut session, "heal");
    pass(&mut session, 5_000);
    let found = ok(&mut session, "get k --prefix --count-only --write-out=fields");
    assert!(found.contains("\"Count\" : 30"), "{found}");
    assert_hashes_equal(&mut session);
}

#[test]
fn a_full_disk_stops_its_member_until_it_is_freed_and_nothing_is_lost() {
    let mut session = session(3);
    ok(&mut session, "put k v1");
    let leads = leader(&session);
    let full = name(&session, leads);
    act(&mut session, "fill-disk leader");
    run(&mut session, "put k v2 --command-timeout=2s");
    session.run(LIMIT_MS, |session| session.world().leader().is_some());
    assert!(!session.simulation().is_up(leads));
    ok(&mut session, "put k v3 --endpoints=$LEADER");
    act(&mut session, &format!("restart {full}"));
    pass(&mut session, 3_000);
    assert!(!session.simulation().is_up(leads), "it is full still");
    act(&mut session, &format!("free-disk {full}"));
    act(&mut session, &format!("restart {full}"));
    pass(&mut session, 3_000);
    assert!(session.simulation().is_up(leads));
    assert_eq!(ok(&mut session, "get k"), "k\nv3\n");
    assert_hashes_equal(&mut session);
}

#[test]
fn a_power_cut_loses_what_the_disk_had_not_finished_and_nothing_else() {
    let mut session = session(1);
    ok(&mut session, "put k v1");
    act(&mut session, "slow-disk infra1 2s");
    assert!(session.start(1, "put k v2", Some(Bytes::new())));
    pass(&mut session, 1_000);
    act(&mut session, "power-cut infra1");
    act(&mut session, "slow-disk infra1 off");
    session.run(LIMIT_MS, |session| !session.is_running(1));
    session.take_output(1);
    act(&mut session, "restart infra1");
    session.run(LIMIT_MS, |session| session.world().leader().is_some());
    assert_eq!(ok(&mut session, "get k"), "k\nv1\n");
}

#[test]
fn a_wiped_member_notices_what_it_lost_and_stays_down() {
    let mut session = session(3);
    ok(&mut session, "put k v");
    let wiped = others(&session, leader(&session)).remove(0);
    act(&mut session, &format!("wipe {wiped}"));
    act(&mut session, &format!("restart {wiped}"));
    pass(&mut session, 2_000);
    let world = session.world();
    let view = world.members.iter().find(|view| view.member.name == wiped).unwrap();
    assert!(!view.is_up);
    assert_eq!(ok(&mut session, "get k --endpoints=$LEADER"), "k\nv\n");
}

#[test]
fn a_leader_whose_clock_runs_at_double_rate_ends_leases_in_half_their_time() {
    for (rate, is_there) in [("100%", true), ("200%", false)] {
        let mut session = session(1);
        act(&mut session, &format!("clock leader {rate}"));
        let granted = ok(&mut session, "lease grant 10");
        let lease = granted.split_whitespace().nth(1).unwrap();
        ok(&mut session, &format!("put k v --lease={lease}"));
        pass(&mut session, 7_000);
        assert_eq!(!ok(&mut session, "get k").is_empty(), is_there, "{rate}");
    }
}

#[test]
fn a_script_with_faults_runs_the_same_twice_and_says_what_it_did() {
    let script = "cluster: members=3 seed=5\nloss infra1 infra2 30%\ndelay infra1->infra3 50ms\n\
                  clock infra2 150%\nput k v\nwait 3s\nheal\nget k\n";
    let (one, other) = (run_script(script).unwrap(), run_script(script).unwrap());
    assert_eq!((one.outcome, one.trace), (other.outcome, other.trace));
    let told = |at: usize| String::from_utf8(one.steps[at].stdout.clone()).unwrap();
    // By id, which etcd makes a hash.
    assert_eq!(told(0), "infra2->infra1: loss 30%\ninfra1->infra2: loss 30%\n");
    assert!(told(1).contains("infra1->infra3: delay 50ms\n"), "{}", told(1));
    assert_eq!(told(2), "the clock of infra2 runs at 150%\n");
    assert_eq!(told(5), "every link is open\n");
}

#[test]
fn slow_motion_stretches_time_and_real_time_is_as_if_nothing_were_said() {
    let mut plain = session(3);
    let mut told = session(3);
    act(&mut told, "speed 1");
    for session in [&mut plain, &mut told] {
        ok(session, "put k v");
        pass(session, 3_000);
    }
    let trace = |session: &Session| session.simulation().trace_hash();
    assert_eq!(trace(&plain), trace(&told));
    let old = leader(&told);
    act(&mut told, "speed 1/10");
    act(&mut told, "kill leader");
    pass(&mut told, 5_000);
    assert_eq!(told.world().leader(), None, "half a second of the cluster's time has passed");
    told.run(LIMIT_MS, |session| session.world().leader().is_some());
    assert_ne!(leader(&told), old);
    act(&mut told, "speed 1");
    pass(&mut told, 3_000);
    act(&mut told, "restart killed");
    pass(&mut told, 3_000);
    ok(&mut told, "put k w");
    assert_hashes_equal(&mut told);
}

#[test]
fn latency_is_a_delay_of_every_link_until_it_is_off() {
    let mut session = session(3);
    let took = |session: &mut Session| {
        let before = session.now().0;
        ok(session, "put k v --endpoints=$LEADER");
        session.now().0 - before
    };
    assert!(took(&mut session) < 100);
    act(&mut session, "latency 200ms");
    let slow = took(&mut session);
    assert!((400..800).contains(&slow), "there and back: {slow} ms");
    act(&mut session, "latency off");
    pass(&mut session, 1_000);
    assert!(took(&mut session) < 100 && session.world().links.is_whole());
}

#[test]
fn without_pre_vote_who_comes_back_raises_the_term() {
    let term_after = |settings: &str| {
        let text = format!(
            "cluster: members=3 seed=1{settings}\nput k v\nisolate follower\nwait 5s\nheal\nwait 5s\n\
             endpoint status --endpoints=$LEADER -w json\n"
        );
        let report = run_script(&text).unwrap();
        let printed = String::from_utf8(report.steps.last().unwrap().stdout.clone()).unwrap();
        let term = printed.split("\"raftTerm\":").nth(1).unwrap();
        term.split(',').next().unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(term_after(""), 2);
    assert!(term_after(" pre-vote=off") > 3);
}
