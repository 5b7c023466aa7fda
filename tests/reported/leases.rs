//! D: leases.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use etcd_playground::api::{
    LeaseGrantRequest, LeaseKeepAliveRequest, LeaseRevokeRequest, LeaseTimeToLiveRequest,
    MoveLeaderRequest, Request, Response,
};
use etcd_playground::types::{LeaseId, MemberId};

use crate::support::Run;
use crate::talk::{one, put_leased};

fn grant(run: &mut Run, to: MemberId, id: i64, ttl: i64) {
    run.ask(to, Request::LeaseGrant(LeaseGrantRequest { ttl, id: LeaseId(id) })).unwrap();
}

fn revoke(run: &mut Run, to: MemberId, id: i64) {
    run.ask(to, Request::LeaseRevoke(LeaseRevokeRequest { id: LeaseId(id) })).unwrap();
}

/// Seconds left, and the attached keys.
fn left(run: &mut Run, to: MemberId, id: i64) -> Result<(i64, Vec<String>), String> {
    let asked = LeaseTimeToLiveRequest { id: LeaseId(id), keys: true };
    match run.ask(to, Request::LeaseTimeToLive(asked))? {
        Response::LeaseTimeToLive(lease) => {
            let text = |key: &bytes::Bytes| String::from_utf8_lossy(key).into_owned();
            Ok((lease.ttl, lease.keys.iter().map(text).collect()))
        }
        other => panic!("{other:?}"),
    }
}

fn exists(run: &mut Run, to: MemberId, key: &str) -> bool {
    run.get(to, key, false).unwrap().is_some()
}

/// 34
#[test]
fn a_new_leader_starts_every_lease_anew() {
    let mut run = Run::new(3, 1, |_| {});
    let leader = run.wait_leader();
    let next = run.follower();
    grant(&mut run, leader, 7, 60);
    run.run_ms(40_000);
    let (ttl, _) = left(&mut run, leader, 7).unwrap();
    assert!((19..=20).contains(&ttl), "{ttl}");
    run.ask(leader, Request::MoveLeader(MoveLeaderRequest { target_id: next })).unwrap();
    run.run_ms(300);
    let (ttl, _) = left(&mut run, next, 7).unwrap();
    assert!((59..=61).contains(&ttl), "all of it and up to an election timeout: {ttl}");
}

/// 36
#[test]
fn the_time_left_while_the_leader_moves_is_a_time_or_an_error_and_never_nonsense() {
    let mut run = Run::new(3, 2, |_| {});
    let mut leader = run.wait_leader();
    grant(&mut run, leader, 7, 60);
    let mut answered = 0;
    for _ in 0..10 {
        let target_id = run.follower();
        let asked = LeaseTimeToLiveRequest { id: LeaseId(7), keys: false };
        let calls: Vec<_> = run
            .ids()
            .into_iter()
            .map(|id| run.sim.request(id, Request::LeaseTimeToLive(asked.clone())))
            .collect();
        run.sim.request(leader, Request::MoveLeader(MoveLeaderRequest { target_id }));
        for _ in 0..10 {
            let target = run.ids()[0];
            run.sim.request(target, Request::LeaseTimeToLive(asked.clone()));
            run.run_ms(2);
        }
        run.run_ms(2_000);
        for call in calls {
            match run.reply(call) {
                Some(Ok(Response::LeaseTimeToLive(lease))) => {
                    answered += 1;
                    assert!((30..=61).contains(&lease.ttl), "{}", lease.ttl);
                }
                Some(Err(error)) => assert_eq!(error, "etcdserver: leader changed"),
                other => panic!("{other:?}"),
            }
        }
        leader = run.wait_leader();
    }
    assert!(answered > 20, "{answered}");
}

/// 37
#[test]
fn a_leader_that_stood_still_ends_no_lease_that_others_kept_alive() {
    let mut run = Run::new(3, 3, |_| {});
    let old = run.wait_leader();
    for id in 1..=5 {
        grant(&mut run, old, id, 5);
        put_leased(&mut run, old, &format!("k{id}"), id).unwrap();
    }
    run.sim.pause(old);
    run.run_ms(3_500);
    let new = run.wait_leader();
    assert_ne!(new, old);
    for _ in 0..8 {
        for id in 1..=5 {
            let alive = LeaseKeepAliveRequest { id: LeaseId(id) };
            run.sim.request(new, Request::LeaseKeepAlive(alive));
        }
        run.run_ms(1_000);
    }
    run.sim.resume(old);
    for _ in 0..3 {
        for id in 1..=5 {
            let alive = LeaseKeepAliveRequest { id: LeaseId(id) };
            run.sim.request(new, Request::LeaseKeepAlive(alive));
        }
        run.run_ms(1_000);
    }
    for id in 1..=5 {
        assert!(exists(&mut run, new, &format!("k{id}")), "lease {id}");
    }
}

/// 39
#[test]
fn a_key_goes_with_its_last_lease_only() {
    let (mut run, only) = one();
    grant(&mut run, only, 1, 100);
    grant(&mut run, only, 2, 100);
    put_leased(&mut run, only, "k", 1).unwrap();
    put_leased(&mut run, only, "k", 2).unwrap();
    assert_eq!(left(&mut run, only, 1).unwrap().1, [""; 0]);
    assert_eq!(left(&mut run, only, 2).unwrap().1, ["k"]);
    revoke(&mut run, only, 1);
    assert!(exists(&mut run, only, "k"));
    revoke(&mut run, only, 2);
    assert!(!exists(&mut run, only, "k"));
}

/// 40
#[test]
fn four_restarts_around_a_lease() {
    let restart = |run: &mut Run, only| {
        run.run_ms(300);
        run.sim.kill(only);
        run.sim.restart(only);
        run.wait_leader();
    };
    // Attached, restarted, revoked.
    let (mut run, only) = one();
    grant(&mut run, only, 1, 100);
    put_leased(&mut run, only, "k", 1).unwrap();
    restart(&mut run, only);
    assert_eq!(left(&mut run, only, 1).unwrap().1, ["k"], "found again");
    revoke(&mut run, only, 1);
    assert!(!exists(&mut run, only, "k"));
    // Attached, revoked, restarted.
    let (mut run, only) = one();
    grant(&mut run, only, 1, 100);
    put_leased(&mut run, only, "k", 1).unwrap();
    revoke(&mut run, only, 1);
    restart(&mut run, only);
    assert!(!exists(&mut run, only, "k"));
    // Attached, detached by a put, restarted, revoked.
    let (mut run, only) = one();
    grant(&mut run, only, 1, 100);
    put_leased(&mut run, only, "k", 1).unwrap();
    put_leased(&mut run, only, "k", 0).unwrap();
    restart(&mut run, only);
    revoke(&mut run, only, 1);
    assert!(exists(&mut run, only, "k"));
    // To one and then to another, restarted, each revoked.
    let (mut run, only) = one();
    grant(&mut run, only, 1, 100);
    grant(&mut run, only, 2, 100);
    put_leased(&mut run, only, "k", 1).unwrap();
    put_leased(&mut run, only, "k", 2).unwrap();
    restart(&mut run, only);
    revoke(&mut run, only, 1);
    assert!(exists(&mut run, only, "k"));
    revoke(&mut run, only, 2);
    assert!(!exists(&mut run, only, "k"));
}

/// 42
#[test]
fn without_a_quorum_no_lease_ends_and_the_next_leader_starts_it_anew() {
    let mut run = Run::new(3, 4, |_| {});
    let leader = run.wait_leader();
    grant(&mut run, leader, 1, 5);
    put_leased(&mut run, leader, "k", 1).unwrap();
    run.run_ms(300);
    let ids = run.ids();
    for id in &ids {
        if *id != leader {
            run.sim.kill(*id);
        }
    }
    run.run_ms(20_000);
    assert!(run.get(leader, "k", true).unwrap().is_some(), "four times its time");
    for id in &ids {
        run.sim.restart(*id);
    }
    let new = run.wait_leader();
    run.run_ms(2_000);
    assert!(exists(&mut run, new, "k"), "it lives for its whole time again");
    run.run_ms(7_000);
    assert!(!exists(&mut run, new, "k"));
}

/// 43
#[test]
fn keys_of_owners_who_live_survive_elections() {
    let mut run = Run::new(3, 5, |_| {});
    let mut leader = run.wait_leader();
    grant(&mut run, leader, 1, 6);
    put_leased(&mut run, leader, "k", 1).unwrap();
    for _ in 0..4 {
        run.sim.kill(leader);
        let dead = leader;
        leader = run.wait_leader();
        let alive = LeaseKeepAliveRequest { id: LeaseId(1) };
        let answer = run.ask(leader, Request::LeaseKeepAlive(alive));
        let Ok(Response::LeaseKeepAlive(kept)) = answer else { panic!("{answer:?}") };
        assert_eq!(kept.ttl, 6);
        run.sim.restart(dead);
        run.run_ms(2_000);
    }
    assert!(exists(&mut run, leader, "k"));
}
