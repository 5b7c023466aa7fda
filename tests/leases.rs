//! Leases through a whole cluster: granted, kept alive, expired, moved from leader to leader, restored.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

mod support;

use bytes::Bytes;
use etcd_playground::api::{
    LeaseGrantRequest, LeaseGrantResponse, LeaseKeepAliveRequest, LeaseLeasesRequest,
    LeaseRevokeRequest, LeaseTimeToLiveRequest, LeaseTimeToLiveResponse, MoveLeaderRequest,
    PutRequest, Request, Response,
};
use etcd_playground::random::Pcg32;
use etcd_playground::types::{LeaseId, MemberId};
use support::Run;

/// What etcd's default timing makes of smaller ones: one and a half election timeouts.
const TTL_MIN: i64 = 2;

fn try_grant(
    run: &mut Run,
    member: MemberId,
    id: i64,
    ttl: i64,
) -> Result<LeaseGrantResponse, String> {
    let grant = LeaseGrantRequest { id: LeaseId(id), ttl };
    match run.ask(member, Request::LeaseGrant(grant))? {
        Response::LeaseGrant(response) => Ok(response),
        other => panic!("{other:?}"),
    }
}

fn grant(run: &mut Run, member: MemberId, id: i64, ttl: i64) {
    let granted = try_grant(run, member, id, ttl).unwrap();
    assert_eq!((granted.id, granted.ttl), (LeaseId(id), ttl.max(TTL_MIN)));
}

fn put_with(run: &mut Run, member: MemberId, put: PutRequest) -> Result<i64, String> {
    match run.ask(member, Request::Put(put))? {
        Response::Put(response) => Ok(response.header.revision),
        other => panic!("{other:?}"),
    }
}

fn put(run: &mut Run, member: MemberId, key: &'static str, lease: i64) -> i64 {
    let key = Bytes::from_static(key.as_bytes());
    put_with(run, member, PutRequest { key, lease: LeaseId(lease), ..Default::default() }).unwrap()
}

/// The revision of the answer.
fn revoke(run: &mut Run, member: MemberId, id: i64) -> Result<i64, String> {
    match run.ask(member, Request::LeaseRevoke(LeaseRevokeRequest { id: LeaseId(id) }))? {
        Response::LeaseRevoke(response) => Ok(response.header.revision),
        other => panic!("{other:?}"),
    }
}

fn keep_alive(run: &mut Run, member: MemberId, id: i64) -> i64 {
    match run.ask(member, Request::LeaseKeepAlive(LeaseKeepAliveRequest { id: LeaseId(id) })) {
        Ok(Response::LeaseKeepAlive(response)) => {
            assert_eq!(response.header.member_id, member, "whoever was asked answers");
            response.ttl
        }
        other => panic!("{other:?}"),
    }
}

fn time_to_live(run: &mut Run, member: MemberId, id: i64) -> LeaseTimeToLiveResponse {
    let request = LeaseTimeToLiveRequest { id: LeaseId(id), keys: true };
    match run.ask(member, Request::LeaseTimeToLive(request)) {
        Ok(Response::LeaseTimeToLive(response)) => {
            assert_eq!((response.header.member_id, response.id), (member, LeaseId(id)));
            response
        }
        other => panic!("{other:?}"),
    }
}

fn keys(run: &mut Run, member: MemberId, id: i64) -> Vec<String> {
    let found = time_to_live(run, member, id).keys;
    found.iter().map(|key| String::from_utf8_lossy(key).into_owned()).collect()
}

/// As the member itself knows them, by id.
fn leases(run: &mut Run, member: MemberId) -> Vec<i64> {
    match run.ask(member, Request::LeaseLeases(LeaseLeasesRequest {})) {
        Ok(Response::LeaseLeases(list)) => {
            let mut ids: Vec<i64> = list.leases.iter().map(|lease| lease.id.0).collect();
            ids.sort_unstable();
            ids
        }
        other => panic!("{other:?}"),
    }
}

fn move_leader(run: &mut Run, from: MemberId, to: MemberId) {
    run.ask(from, Request::MoveLeader(MoveLeaderRequest { target_id: to })).unwrap();
    assert_eq!(run.wait_leader(), to);
}

/// Events of a watch: (revision, is a delete, key).
fn events(run: &Run, watch: etcd_playground::cluster::CallId) -> Vec<(i64, bool, String)> {
    use etcd_playground::api::EventType;
    let responses = run.watched.get(&watch).map(Vec::as_slice).unwrap_or_default();
    let events = responses.iter().flat_map(|response| &response.events);
    let told = events.map(|event| {
        let key = String::from_utf8_lossy(&event.kv.key).into_owned();
        (event.kv.mod_revision, event.event_type == EventType::Delete, key)
    });
    told.collect()
}

#[test]
fn a_grant_is_at_least_the_minimum_and_ids_are_given_once() {
    let mut run = Run::new(3, 1, |_| {});
    let leader = run.wait_leader();
    for (id, ttl) in [(1, 1), (2, 0), (3, -5), (-4, 60)] {
        grant(&mut run, leader, id, ttl);
    }
    let follower = run.follower();
    assert_eq!(
        try_grant(&mut run, follower, 9, 9_000_000_001).unwrap_err(),
        "etcdserver: too large lease TTL"
    );
    assert_eq!(
        try_grant(&mut run, follower, -4, 60).unwrap_err(),
        "etcdserver: lease already exists"
    );
    let mut drawn = Vec::new();
    for member in [leader, follower, follower] {
        let granted = try_grant(&mut run, member, 0, 60).unwrap();
        assert!(granted.id.0 > 0 && !drawn.contains(&granted.id.0), "{granted:?} {drawn:?}");
        drawn.push(granted.id.0);
    }
    drawn.extend([1, 2, 3, -4]);
    drawn.sort_unstable();
    run.run_ms(200);
    for member in run.ids() {
        assert_eq!(leases(&mut run, member), drawn, "all members know all leases");
    }
}

#[test]
fn a_put_with_an_unknown_lease_writes_nothing() {
    let mut run = Run::new(3, 2, |_| {});
    let leader = run.wait_leader();
    let before = run.put(leader, "k", "1").unwrap();
    let request =
        PutRequest { key: Bytes::from_static(b"k"), lease: LeaseId(0x404), ..Default::default() };
    assert_eq!(
        put_with(&mut run, leader, request).unwrap_err(),
        "etcdserver: requested lease not found"
    );
    assert_eq!(run.get(leader, "k", false).unwrap().unwrap(), "1");
    assert_eq!(run.put(leader, "k", "2").unwrap(), before + 1);
}

#[test]
fn a_revocation_deletes_its_keys_in_order_in_one_revision_and_none_without_keys() {
    let mut run = Run::new(3, 3, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    grant(&mut run, follower, 7, 60);
    put(&mut run, leader, "b", 7);
    let last = put(&mut run, follower, "a", 7);
    let watches = ["a", "b"].map(|key| run.watch(follower, key, last + 1));
    run.run_ms(200);
    assert_eq!(revoke(&mut run, follower, 7).unwrap(), last + 1);
    run.run_ms(500);
    for (watch, key) in watches.into_iter().zip(["a", "b"]) {
        assert_eq!(events(&run, watch), [(last + 1, true, key.to_owned())]);
    }
    assert_eq!(revoke(&mut run, follower, 7).unwrap_err(), "etcdserver: requested lease not found");
    grant(&mut run, leader, 8, 60);
    assert_eq!(revoke(&mut run, leader, 8).unwrap(), last + 1, "no keys, no revision");
    assert_eq!(run.put(leader, "c", "1").unwrap(), last + 2);
    run.run_ms(200);
    run.assert_equal();
    for member in run.ids() {
        assert_eq!(leases(&mut run, member), [0; 0]);
    }
}

#[test]
fn every_member_says_what_the_leader_knows_of_a_lease() {
    let mut run = Run::new(3, 4, |_| {});
    let leader = run.wait_leader();
    grant(&mut run, leader, 5, 100);
    for key in ["c", "a", "b"] {
        put(&mut run, leader, key, 5);
    }
    run.run_ms(10_000);
    for member in run.ids() {
        let found = time_to_live(&mut run, member, 5);
        assert!((88..=90).contains(&found.ttl), "{found:?}");
        assert_eq!(
            (found.granted_ttl, keys(&mut run, member, 5)),
            (100, vec!["a".to_owned(), "b".to_owned(), "c".to_owned()])
        );
        let none = time_to_live(&mut run, member, 404);
        assert_eq!((none.ttl, none.granted_ttl, none.keys.len()), (-1, 0, 0));
        assert_eq!(keep_alive(&mut run, member, 404), 0);
    }
    for member in run.ids() {
        assert_eq!(keep_alive(&mut run, member, 5), 100);
        assert!(time_to_live(&mut run, member, 5).ttl >= 99);
        run.run_ms(3_000);
    }
}

#[test]
fn a_key_goes_from_lease_to_lease_with_its_writes() {
    let mut run = Run::new(1, 5, |_| {});
    let leader = run.wait_leader();
    for id in [1, 2] {
        grant(&mut run, leader, id, 60);
    }
    put(&mut run, leader, "k", 1);
    assert_eq!(keys(&mut run, leader, 1), ["k"]);
    put(&mut run, leader, "k", 2);
    assert_eq!(
        (keys(&mut run, leader, 1).len(), keys(&mut run, leader, 2)),
        (0, vec!["k".to_owned()])
    );
    let kept = PutRequest {
        key: Bytes::from_static(b"k"),
        value: Bytes::from_static(b"new"),
        ignore_lease: true,
        ..Default::default()
    };
    put_with(&mut run, leader, kept).unwrap();
    assert_eq!(keys(&mut run, leader, 2), ["k"], "--ignore-lease keeps it");
    run.put(leader, "k", "plain").unwrap();
    assert_eq!(keys(&mut run, leader, 2), [""; 0], "written without a lease");
    revoke(&mut run, leader, 2).unwrap();
    assert_eq!(run.get(leader, "k", false).unwrap().unwrap(), "plain");
}

#[test]
fn a_lease_expires_through_the_log_at_one_revision_unless_it_is_kept_alive() {
    let mut run = Run::new(3, 6, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    grant(&mut run, leader, 1, 5);
    grant(&mut run, follower, 2, 5);
    put(&mut run, leader, "gone", 1);
    let last = put(&mut run, leader, "kept", 2);
    let ids = run.ids();
    let watches: Vec<_> = ids.iter().map(|id| run.watch(*id, "gone", last + 1)).collect();
    for second in 0..4 {
        run.run_ms(1_000);
        assert!(run.get(follower, "gone", false).unwrap().is_some(), "after {second} s");
        assert_eq!(keep_alive(&mut run, follower, 2), 5);
    }
    run.run_ms(2_000);
    assert_eq!(keep_alive(&mut run, follower, 2), 5);
    for (watch, member) in watches.into_iter().zip(ids) {
        assert_eq!(events(&run, watch), [(last + 1, true, "gone".to_owned())]);
        assert_eq!(leases(&mut run, member), [2]);
    }
    run.run_ms(8_000);
    assert!(run.get(follower, "kept", false).unwrap().is_none(), "nobody kept it alive");
    run.assert_equal();
    run.assert_nobody_crashed();
}

#[test]
fn many_leases_expire_together() {
    let mut run = Run::new(3, 7, |_| {});
    let leader = run.wait_leader();
    for id in 1..=100 {
        grant(&mut run, leader, id, 20);
        let key = Bytes::from(format!("k{id}"));
        let request = PutRequest { key, lease: LeaseId(id), ..Default::default() };
        put_with(&mut run, leader, request).unwrap();
    }
    assert_eq!(leases(&mut run, leader).len(), 100, "none has expired yet");
    run.run_ms(25_000);
    for member in run.ids() {
        assert_eq!(leases(&mut run, member), [0; 0]);
    }
    run.assert_equal();
}

#[test]
fn a_new_leader_gives_every_lease_its_full_time_and_an_election_timeout() {
    let mut run = Run::new(3, 8, |_| {});
    let leader = run.wait_leader();
    let next = run.follower();
    grant(&mut run, leader, 1, 30);
    put(&mut run, leader, "k", 1);
    run.run_ms(20_000);
    assert!((9..=10).contains(&time_to_live(&mut run, next, 1).ttl));
    move_leader(&mut run, leader, next);
    let found = time_to_live(&mut run, leader, 1);
    assert!((30..=31).contains(&found.ttl), "{found:?}");
    assert_eq!(found.granted_ttl, 30);
    run.run_ms(15_000);
    run.sim.kill(next);
    let last = run.wait_leader();
    assert!((28..=31).contains(&time_to_live(&mut run, last, 1).ttl));
    run.run_ms(40_000);
    assert!(run.get(last, "k", false).unwrap().is_none());
    assert_eq!(keep_alive(&mut run, last, 1), 0);
}

#[test]
fn a_restart_keeps_leases_and_what_is_attached_to_them() {
    let mut run = Run::new(3, 9, |_| {});
    let leader = run.wait_leader();
    for id in [1, -2, 3] {
        grant(&mut run, leader, id, 60);
    }
    for (key, id) in [("a", 1), ("b", 1), ("c", -2), ("d", 3), ("e", 1)] {
        put(&mut run, leader, key, id);
    }
    run.put(leader, "b", "without").unwrap();
    put(&mut run, leader, "e", -2);
    revoke(&mut run, leader, 3).unwrap();
    run.run_ms(1_000);
    for round in 0..2 {
        for member in run.ids() {
            run.sim.kill(member);
        }
        run.run_ms(1_000);
        for member in run.ids() {
            run.sim.restart(member);
        }
        let leader = run.wait_leader();
        for member in run.ids() {
            assert_eq!(leases(&mut run, member), [-2, 1], "round {round}");
            assert_eq!(keys(&mut run, member, 1), ["a"]);
            assert_eq!(keys(&mut run, member, -2), ["c", "e"]);
        }
        let revision = run.put(leader, "x", "1").unwrap();
        run.compact(leader, revision);
        run.run_ms(1_000);
    }
    let leader = run.wait_leader();
    revoke(&mut run, leader, -2).unwrap();
    run.run_ms(500);
    assert!(run.get(leader, "c", false).unwrap().is_none());
    assert!(run.get(leader, "a", false).unwrap().is_some());
    run.assert_equal();
    run.assert_nobody_crashed();
}

#[test]
fn a_snapshot_brings_leases_and_what_is_attached_to_them() {
    let mut run = Run::new(3, 10, |config| {
        config.snapshot_count = 50;
        config.snapshot_catchup_entries = 10;
    });
    let leader = run.wait_leader();
    let behind = run.follower();
    grant(&mut run, leader, 1, 600);
    grant(&mut run, leader, 2, 600);
    put(&mut run, leader, "old", 1);
    run.run_ms(500);
    run.sim.kill(behind);
    put(&mut run, leader, "old", 2);
    put(&mut run, leader, "new", 1);
    revoke(&mut run, leader, 2).unwrap();
    grant(&mut run, leader, 3, 600);
    run.puts(leader, 200);
    run.sim.restart(behind);
    run.run_ms(5_000);
    assert_eq!(leases(&mut run, behind), [1, 3]);
    for again in 0..2 {
        move_leader_if_needed(&mut run, behind);
        assert_eq!(keys(&mut run, behind, 1), ["new"], "from its own state, start {again}");
        run.sim.kill(behind);
        run.wait_leader();
        run.sim.restart(behind);
        run.run_ms(3_000);
    }
    let leader = run.wait_leader();
    revoke(&mut run, leader, 1).unwrap();
    run.run_ms(500);
    run.assert_equal();
    assert!(run.get(behind, "new", true).unwrap().is_none());
    run.assert_nobody_crashed();
}

fn move_leader_if_needed(run: &mut Run, to: MemberId) {
    let leader = run.wait_leader();
    if leader != to {
        move_leader(run, leader, to);
    }
}

#[test]
fn a_keep_alive_of_an_expired_lease_waits_and_does_not_raise_it_from_the_dead() {
    let mut run = Run::new(3, 11, |_| {});
    let leader = run.wait_leader();
    let others: Vec<MemberId> = run.ids().into_iter().filter(|id| *id != leader).collect();
    grant(&mut run, leader, 1, 5);
    put(&mut run, leader, "k", 1);
    run.run_ms(4_700);
    assert!(run.get(leader, "k", true).unwrap().is_some());
    for member in &others {
        run.sim.pause(*member);
    }
    // Nobody can agree to its end for a while.
    run.run_ms(500);
    let asked = run.sim.now();
    let request = Request::LeaseKeepAlive(LeaseKeepAliveRequest { id: LeaseId(1) });
    let call = run.sim.request(leader, request);
    run.run_ms(200);
    assert!(
        run.reply(call).is_none(),
        "it waits, {} after it was asked",
        run.sim.now().since(asked)
    );
    for member in &others {
        run.sim.resume(*member);
    }
    run.run_ms(2_000);
    match run.reply(call) {
        Some(Ok(Response::LeaseKeepAlive(response))) => assert_eq!(response.ttl, 0),
        other => panic!("{other:?}"),
    }
    assert!(run.get(leader, "k", false).unwrap().is_none());
    run.assert_equal();
}

#[test]
fn without_space_no_lease_is_granted() {
    let mut run = Run::new(1, 12, |_| {});
    let leader = run.wait_leader();
    grant(&mut run, leader, 5, 60);
    let size = run.sim.status(leader).unwrap().db_size;
    run.sim.kill(leader);
    // A lease counts as 64 bytes.
    run.sim.config_mut(leader).unwrap().quota_bytes = size + 64;
    run.sim.restart(leader);
    run.wait_leader();
    let no_space = "etcdserver: mvcc: database space exceeded";
    assert_eq!(try_grant(&mut run, leader, 1, 60).unwrap_err(), no_space);
    assert_eq!(try_grant(&mut run, leader, 2, 60).unwrap_err(), no_space);
    assert_eq!(leases(&mut run, leader), [5]);
    revoke(&mut run, leader, 5).unwrap();
    assert_eq!(leases(&mut run, leader), [0; 0], "an end needs no space");
}

#[test]
fn a_checkpoint_outlives_its_leader_until_a_keep_alive_lifts_it() {
    let mut run = Run::new(3, 13, |config| config.lease_checkpoint_ms = 5_000);
    let leader = run.wait_leader();
    let next = run.follower();
    grant(&mut run, leader, 1, 60);
    run.run_ms(32_000);
    move_leader(&mut run, leader, next);
    let left = time_to_live(&mut run, next, 1).ttl;
    assert!((27..=36).contains(&left), "{left}");
    assert_eq!(keep_alive(&mut run, leader, 1), 60);
    run.run_ms(1_000);
    move_leader(&mut run, next, leader);
    let left = time_to_live(&mut run, next, 1).ttl;
    assert!((58..=61).contains(&left), "the note was lifted: {left}");
    for member in run.ids() {
        run.sim.kill(member);
    }
    run.run_ms(500);
    for member in run.ids() {
        run.sim.restart(member);
    }
    let leader = run.wait_leader();
    assert_eq!(leases(&mut run, leader), [1]);
    run.assert_nobody_crashed();
}

/// Asks and does not wait.
fn send(run: &mut Run, member: MemberId, request: Request) {
    if run.sim.is_up(member) {
        run.sim.request(member, request);
    }
}

/// A random request about one of a few leases and keys.
fn random_request(random: &mut Pcg32) -> Request {
    let id = LeaseId(i64::from(random.between(1, 8)));
    let key = Bytes::from(format!("k{}", random.below(12)));
    match random.below(6) {
        0 => Request::LeaseGrant(LeaseGrantRequest { id, ttl: random.between(2, 20).into() }),
        1 if random.chance(1, 2) => Request::LeaseRevoke(LeaseRevokeRequest { id }),
        2 => Request::LeaseKeepAlive(LeaseKeepAliveRequest { id }),
        3 => Request::Put(PutRequest { key, ..Default::default() }),
        _ => Request::Put(PutRequest { key, lease: id, ..Default::default() }),
    }
}

#[test]
fn members_that_are_killed_again_and_again_agree_on_leases_and_what_is_attached() {
    for seed in 0..6 {
        let mut run = Run::new(3, 100 + seed, |config| {
            config.snapshot_count = 40;
            config.snapshot_catchup_entries = 5;
            config.lease_checkpoint_ms = if seed % 2 == 0 { 0 } else { 3_000 };
        });
        let mut random = Pcg32::for_stream(seed, &[77]);
        run.wait_leader();
        let ids = run.ids();
        for _ in 0..250 {
            let member = ids[usize::try_from(random.below(3)).unwrap()];
            send(&mut run, member, random_request(&mut random));
            if random.chance(1, 25) && ids.iter().all(|id| run.sim.is_up(*id)) {
                run.sim.kill(member);
            }
            if random.chance(1, 15) {
                for id in ids.iter().filter(|id| !run.sim.is_up(**id)).copied().collect::<Vec<_>>()
                {
                    run.sim.restart(id);
                }
            }
            run.run_ms(random.between(1, 300).into());
        }
        for id in &ids {
            if !run.sim.is_up(*id) {
                run.sim.restart(*id);
            }
        }
        let leader = run.wait_leader();
        for (id, key) in [(91, "x"), (92, "y")] {
            grant(&mut run, leader, id, 10_000);
            put(&mut run, leader, key, id);
        }
        run.run_ms(2_000);
        run.assert_equal();
        let mut seen = Vec::new();
        for id in &ids {
            move_leader_if_needed(&mut run, *id);
            let known = leases(&mut run, *id);
            let attached: Vec<_> = [91, 92].map(|lease| keys(&mut run, *id, lease)).to_vec();
            assert_eq!(attached, [["x"], ["y"]], "seed {seed}");
            seen.push((known.contains(&91), known.contains(&92)));
        }
        assert!(seen.iter().all(|both| *both == (true, true)), "seed {seed}: {seen:?}");
        // Whatever else there was expires at one revision everywhere, with its keys.
        run.run_ms(60_000);
        for id in &ids {
            assert_eq!(leases(&mut run, *id), [91, 92], "seed {seed}");
        }
        run.assert_equal();
        run.assert_nobody_crashed();
    }
}
