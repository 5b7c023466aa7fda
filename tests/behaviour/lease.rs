//! Leases: behaviours 63 to 71, and reports 34 to 43.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use etcd_playground::api::{
    LeaseGrantRequest, LeaseGrantResponse, LeaseKeepAliveRequest, LeaseLeasesRequest,
    LeaseTimeToLiveRequest, LeaseTimeToLiveResponse, MoveLeaderRequest, PutRequest, Request,
    Response,
};
use etcd_playground::types::{LeaseId, MemberId};

use super::one::*;
use super::support::Run;

fn try_grant(
    run: &mut Run,
    member: MemberId,
    id: i64,
    ttl: i64,
) -> Result<LeaseGrantResponse, String> {
    match run.ask(member, Request::LeaseGrant(LeaseGrantRequest { id: LeaseId(id), ttl }))? {
        Response::LeaseGrant(granted) => Ok(granted),
        other => panic!("{other:?}"),
    }
}

fn time_to_live(run: &mut Run, member: MemberId, id: i64) -> LeaseTimeToLiveResponse {
    let request = LeaseTimeToLiveRequest { id: LeaseId(id), keys: true };
    match run.ask(member, Request::LeaseTimeToLive(request)) {
        Ok(Response::LeaseTimeToLive(told)) => told,
        other => panic!("{other:?}"),
    }
}

fn attached(run: &mut Run, member: MemberId, id: i64) -> Vec<String> {
    time_to_live(run, member, id).keys.iter().map(|key| text(key)).collect()
}

fn keep_alive(run: &mut Run, member: MemberId, id: i64) -> i64 {
    let request = LeaseKeepAliveRequest { id: LeaseId(id) };
    match run.ask(member, Request::LeaseKeepAlive(request)) {
        Ok(Response::LeaseKeepAlive(told)) => told.ttl,
        other => panic!("{other:?}"),
    }
}

fn put_leased(run: &mut Run, member: MemberId, key: &str, lease: i64) -> Result<i64, String> {
    let request = PutRequest { lease: LeaseId(lease), ..put(key, "v") };
    match run.ask(member, Request::Put(request))? {
        Response::Put(done) => Ok(done.header.revision),
        other => panic!("{other:?}"),
    }
}

/// How many the member knows.
fn leases(run: &mut Run, member: MemberId) -> usize {
    let list = Request::LeaseLeases(LeaseLeasesRequest {});
    match run.ask(member, list) {
        Ok(Response::LeaseLeases(list)) => list.leases.len(),
        other => panic!("{other:?}"),
    }
}

fn three() -> (Run, MemberId) {
    let mut run = Run::new(3, 1, |_| {});
    let leader = run.wait_leader();
    (run, leader)
}

fn move_leader(run: &mut Run, from: MemberId) -> MemberId {
    let to = run.follower();
    run.ask(from, Request::MoveLeader(MoveLeaderRequest { target_id: to })).unwrap();
    assert_eq!(run.wait_leader(), to);
    to
}

#[test]
fn behaviour_63_a_grant_is_at_least_two_seconds_and_at_most_9_000_000_000() {
    let mut one = One::new();
    let member = one.member;
    for (id, ttl) in [(1, 1), (2, 0), (3, -5)] {
        let granted = try_grant(&mut one.run, member, id, ttl).unwrap();
        assert_eq!((granted.id.0, granted.ttl), (id, 2));
    }
    assert_eq!(try_grant(&mut one.run, member, 4, 9_000_000_000).unwrap().ttl, 9_000_000_000);
    let refused = try_grant(&mut one.run, member, 5, 9_000_000_001).unwrap_err();
    assert_eq!(refused, "etcdserver: too large lease TTL");
    assert_ne!(try_grant(&mut one.run, member, 0, 60).unwrap().id.0, 0);
    let refused = try_grant(&mut one.run, member, 4, 60).unwrap_err();
    assert_eq!(refused, "etcdserver: lease already exists");
}

#[test]
fn behaviour_64_a_put_with_an_unknown_lease_writes_nothing() {
    let mut one = One::new();
    let request = PutRequest { lease: LeaseId(404), ..put("k", "v") };
    assert_eq!(one.try_put(request).unwrap_err(), NO_LEASE);
    assert_eq!((one.get("k"), one.revision()), (None, 1));
}

#[test]
fn behaviour_65_a_revocation_is_one_revision_with_events_in_key_order() {
    let mut one = One::new();
    one.grant(7, 60);
    one.put_leased("b", 7);
    one.put_leased("a", 7);
    let call = one.open(watch_range("a", "z", 0));
    one.heard(call);
    assert_eq!(one.revoke(7).unwrap(), 4);
    assert_eq!(one.events(call), ["DELETE a 4", "DELETE b 4"]);
    one.grant(8, 60);
    assert_eq!(one.revoke(8).unwrap(), 4, "no keys, no revision");
    assert_eq!(one.revoke(8).unwrap_err(), NO_LEASE);
}

#[test]
fn behaviour_66_time_to_live_lists_keys_in_order_and_unknown_leases_have_none() {
    let mut one = One::new();
    let member = one.member;
    one.grant(7, 60);
    for key in ["c", "a", "b"] {
        one.put_leased(key, 7);
    }
    assert_eq!(attached(&mut one.run, member, 7), ["a", "b", "c"]);
    let unknown = time_to_live(&mut one.run, member, 404);
    assert_eq!((unknown.ttl, unknown.granted_ttl, unknown.keys.len()), (-1, 0, 0));
    assert_eq!(keep_alive(&mut one.run, member, 404), 0);
    assert_eq!(keep_alive(&mut one.run, member, 7), 60);
}

#[test]
fn behaviour_67_a_put_detaches_moves_or_keeps_the_lease() {
    let mut one = One::new();
    let member = one.member;
    one.grant(1, 60);
    one.grant(2, 60);
    one.put_leased("k", 1);
    one.put_leased("k", 2);
    assert_eq!(attached(&mut one.run, member, 1), [""; 0]);
    assert_eq!(attached(&mut one.run, member, 2), ["k"]);
    one.try_put(PutRequest { ignore_lease: true, ..put("k", "kept") }).unwrap();
    assert_eq!(attached(&mut one.run, member, 2), ["k"]);
    one.put("k", "detached");
    assert_eq!(attached(&mut one.run, member, 2), [""; 0]);
    assert_eq!(one.get("k").unwrap().lease.0, 0);
}

#[test]
fn behaviour_68_a_lease_ends_after_its_time_by_the_log_at_one_revision_everywhere() {
    let (mut run, leader) = three();
    let begun = run.sim.now();
    try_grant(&mut run, leader, 7, 5).unwrap();
    assert_eq!(put_leased(&mut run, leader, "k", 7), Ok(2));
    let calls = run.ids().into_iter().map(|id| run.watch(id, "k", 3)).collect::<Vec<_>>();
    run.sim.run_until(begun.plus(4_900));
    assert!(run.get(leader, "k", false).unwrap().is_some(), "not before its time");
    run.sim.run_until(begun.plus(7_000));
    assert_eq!(run.get(leader, "k", false), Ok(None));
    run.run_ms(200);
    for call in calls {
        let heard = run.watched.remove(&call).unwrap();
        assert_eq!(lines(&heard), ["DELETE k 3"]);
    }
    // Revocations are limited: 500 in each check of half a second.
    let (mut run, leader) = three();
    for id in 1..=900 {
        let grant = LeaseGrantRequest { id: LeaseId(id), ttl: 10 };
        run.sim.request(leader, Request::LeaseGrant(grant));
    }
    run.run_ms(9_500);
    assert_eq!(leases(&mut run, leader), 900);
    let mut counts = vec![];
    for _ in 0..40 {
        run.run_ms(100);
        counts.push(leases(&mut run, leader));
    }
    assert_eq!(*counts.last().unwrap(), 0);
    let drops: Vec<usize> = counts.windows(2).map(|two| two[0] - two[1]).collect();
    assert!(drops.iter().all(|drop| *drop <= 500), "{drops:?}");
}

#[test]
fn behaviour_69_a_new_leader_gives_full_time_and_an_election_timeout() {
    let (mut run, leader) = three();
    try_grant(&mut run, leader, 7, 10).unwrap();
    put_leased(&mut run, leader, "k", 7).unwrap();
    run.run_ms(6_000);
    assert!(time_to_live(&mut run, leader, 7).ttl <= 4);
    let next = move_leader(&mut run, leader);
    let told = time_to_live(&mut run, next, 7);
    assert!((9..=11).contains(&told.ttl), "{told:?}");
    assert_eq!(told.granted_ttl, 10);
    run.run_ms(9_000);
    assert!(run.get(next, "k", false).unwrap().is_some());
    run.run_ms(4_000);
    assert_eq!(run.get(next, "k", false), Ok(None));
    // From 1,000 leases on their ends are spread: at most 750 in a second.
    let mut one = One::new();
    for id in 1..=1_200 {
        let grant = LeaseGrantRequest { id: LeaseId(id), ttl: 5 };
        one.run.sim.request(one.member, Request::LeaseGrant(grant));
    }
    one.run.run_ms(1_000);
    one.restart();
    let mut left = vec![leases(&mut one.run, one.member)];
    assert_eq!(left, [1_200], "all of them are there, with their full time");
    for _ in 0..100 {
        one.run.run_ms(100);
        left.push(leases(&mut one.run, one.member));
    }
    assert_eq!(*left.last().unwrap(), 0);
    let in_a_second: Vec<usize> = left.windows(11).map(|span| span[0] - span[10]).collect();
    assert!(in_a_second.iter().all(|ended| *ended <= 750), "{in_a_second:?}");
}

#[test]
fn behaviour_70_a_keep_alive_of_an_expired_lease_ends_with_nothing() {
    let (mut run, leader) = three();
    try_grant(&mut run, leader, 7, 3).unwrap();
    put_leased(&mut run, leader, "k", 7).unwrap();
    run.run_ms(2_900);
    // The revocation cannot be committed while the leader is alone; the lease is over all the same.
    let all = run.ids();
    run.sim.links_mut().isolate(leader, &all);
    run.run_ms(500);
    let call =
        run.sim.request(leader, Request::LeaseKeepAlive(LeaseKeepAliveRequest { id: LeaseId(7) }));
    run.run_ms(300);
    assert!(run.reply(call).is_none(), "it waits");
    run.sim.links_mut().heal();
    run.run_ms(8_000);
    let leader = run.wait_leader();
    run.run_ms(8_000);
    assert_eq!(keep_alive(&mut run, leader, 7), 0);
    assert_eq!(run.get(leader, "k", false), Ok(None));
    if let Some(reply) = run.reply(call) {
        match reply {
            Ok(Response::LeaseKeepAlive(told)) => {
                assert_eq!(told.ttl, 0, "not raised from the dead");
            }
            Ok(other) => panic!("{other:?}"),
            Err(_) => {}
        }
    }
}

#[test]
fn behaviour_71_a_restart_rebuilds_what_is_attached_and_ids_may_be_negative() {
    let mut one = One::new();
    let member = one.member;
    one.grant(-7, 60);
    one.grant(8, 60);
    one.put_leased("a", -7);
    one.put_leased("b", -7);
    one.put_leased("c", 8);
    one.restart();
    assert_eq!(attached(&mut one.run, member, -7), ["a", "b"]);
    assert_eq!(attached(&mut one.run, member, 8), ["c"]);
    assert_eq!(one.revoke(-7).unwrap(), 5);
    assert_eq!((one.get("a"), one.get("b")), (None, None));
    assert!(one.get("c").is_some());
}

// ---- reports D ----

#[test]
fn report_34_the_time_to_live_is_full_again_after_a_change_of_leader() {
    let (mut run, leader) = three();
    try_grant(&mut run, leader, 7, 60).unwrap();
    run.run_ms(40_000);
    assert!(time_to_live(&mut run, leader, 7).ttl <= 20);
    let next = move_leader(&mut run, leader);
    let told = time_to_live(&mut run, next, 7);
    assert!((59..=61).contains(&told.ttl), "{told:?}");
}

#[test]
fn report_36_a_time_to_live_is_plausible_whenever_it_is_asked_for() {
    let (mut run, leader) = three();
    try_grant(&mut run, leader, 7, 60).unwrap();
    run.run_ms(500);
    run.sim.kill(leader);
    for _ in 0..40 {
        let members: Vec<MemberId> =
            run.ids().into_iter().filter(|id| run.sim.is_up(*id)).collect();
        for member in members {
            let request = LeaseTimeToLiveRequest { id: LeaseId(7), keys: false };
            let call = run.sim.request(member, Request::LeaseTimeToLive(request));
            run.run_ms(50);
            match run.reply(call) {
                Some(Ok(Response::LeaseTimeToLive(told))) => {
                    assert!((-1..=62).contains(&told.ttl), "{told:?}");
                }
                Some(Ok(other)) => panic!("{other:?}"),
                Some(Err(text)) => assert!(text.starts_with("etcdserver: "), "{text}"),
                None => {}
            }
        }
    }
    let leader = run.wait_leader();
    assert!((50..=61).contains(&time_to_live(&mut run, leader, 7).ttl));
}

#[test]
fn report_37_a_leader_that_was_frozen_ends_no_lease_that_others_kept_alive() {
    let (mut run, old) = three();
    try_grant(&mut run, old, 7, 6).unwrap();
    put_leased(&mut run, old, "k", 7).unwrap();
    run.run_ms(500);
    run.sim.pause(old);
    run.run_ms(4_000);
    let new = run.ids().into_iter().find(|id| {
        *id != old
            && run
                .sim
                .status(*id)
                .is_some_and(|status| status.role == etcd_playground::api::Role::Leader)
    });
    let new = new.unwrap();
    for _ in 0..8 {
        assert_eq!(keep_alive(&mut run, new, 7), 6);
        run.run_ms(1_500);
    }
    run.sim.resume(old);
    for _ in 0..4 {
        assert_eq!(keep_alive(&mut run, new, 7), 6);
        run.run_ms(1_500);
    }
    assert!(run.get(new, "k", false).unwrap().is_some());
    run.assert_equal();
}

#[test]
fn report_39_a_key_belongs_to_the_lease_of_its_last_put() {
    let mut one = One::new();
    let member = one.member;
    one.grant(0xa, 60);
    one.grant(0xb, 60);
    one.put_leased("k", 0xa);
    one.put_leased("k", 0xb);
    assert_eq!(attached(&mut one.run, member, 0xa), [""; 0]);
    one.revoke(0xa).unwrap();
    assert!(one.get("k").is_some());
    one.revoke(0xb).unwrap();
    assert_eq!(one.get("k"), None);
}

#[test]
fn report_40_what_is_attached_is_found_again_after_a_restart_in_every_order() {
    let mut one = One::new();
    // Attached, restarted, revoked.
    one.grant(1, 60);
    one.put_leased("one", 1);
    one.restart();
    one.revoke(1).unwrap();
    assert_eq!(one.get("one"), None);
    // Attached, revoked, restarted.
    one.grant(2, 60);
    one.put_leased("two", 2);
    one.revoke(2).unwrap();
    one.restart();
    assert_eq!(one.get("two"), None);
    // Attached, detached by a put, restarted, revoked.
    one.grant(3, 60);
    one.put_leased("three", 3);
    one.put("three", "free");
    one.restart();
    one.revoke(3).unwrap();
    assert!(one.get("three").is_some());
    // Attached to one and then another, restarted, both revoked.
    one.grant(4, 60);
    one.grant(5, 60);
    one.put_leased("four", 4);
    one.put_leased("four", 5);
    one.restart();
    one.revoke(4).unwrap();
    assert!(one.get("four").is_some());
    one.revoke(5).unwrap();
    assert_eq!(one.get("four"), None);
}

#[test]
fn report_42_without_a_quorum_no_lease_ends_and_the_next_leader_gives_full_time() {
    let (mut run, leader) = three();
    try_grant(&mut run, leader, 7, 4).unwrap();
    put_leased(&mut run, leader, "k", 7).unwrap();
    run.run_ms(500);
    let others: Vec<MemberId> = run.ids().into_iter().filter(|id| *id != leader).collect();
    for other in &others {
        run.sim.kill(*other);
    }
    run.run_ms(10_000);
    assert!(run.get(leader, "k", true).unwrap().is_some(), "nobody could commit its end");
    for other in others {
        run.sim.restart(other);
    }
    let leader = run.wait_leader();
    assert!(run.get(leader, "k", false).unwrap().is_some());
    assert!(time_to_live(&mut run, leader, 7).ttl >= 3);
    run.run_ms(7_000);
    assert_eq!(run.get(leader, "k", false), Ok(None));
}

#[test]
fn report_43_keys_with_a_live_owner_survive_an_election() {
    let (mut run, leader) = three();
    try_grant(&mut run, leader, 7, 3).unwrap();
    put_leased(&mut run, leader, "k", 7).unwrap();
    run.run_ms(2_000);
    run.sim.kill(leader);
    let next = run.wait_leader();
    assert_eq!(keep_alive(&mut run, next, 7), 3);
    run.run_ms(2_000);
    assert_eq!(keep_alive(&mut run, next, 7), 3);
    assert!(run.get(next, "k", false).unwrap().is_some());
}
