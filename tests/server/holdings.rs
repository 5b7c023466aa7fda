//! What a member tells of its watches and leases.

use bytes::Bytes;
use etcd_playground::api::{
    HELD_KEYS_MAX, HELD_LEASES_MAX, HELD_WATCHES_MAX, LeaseGrantRequest, LeaseKeepAliveRequest,
    PutRequest, Request, WatchCreateRequest, WatchFilter, WatchPace, WatchRequest,
};
use etcd_playground::types::{LeaseId, MemberId};

use crate::support::Run;

fn grant(run: &mut Run, member: MemberId, id: i64, ttl: i64) {
    let grant = LeaseGrantRequest { id: LeaseId(id), ttl };
    run.ask(member, Request::LeaseGrant(grant)).unwrap();
}

fn attach(run: &mut Run, member: MemberId, key: String, lease: i64) {
    let put = PutRequest { key: Bytes::from(key), lease: LeaseId(lease), ..Default::default() };
    run.ask(member, Request::Put(put)).unwrap();
}

#[test]
fn a_watch_is_told_with_what_it_asked_for_and_how_far_it_has_come() {
    let mut run = Run::new(3, 1, |_| {});
    let leader = run.wait_leader();
    run.put(leader, "k", "1").unwrap();
    let create = WatchCreateRequest {
        key: Bytes::from_static(b"k"),
        range_end: Bytes::from_static(b"l"),
        start_revision: 2,
        prev_kv: true,
        progress_notify: true,
        filters: vec![WatchFilter::NoDelete],
        ..Default::default()
    };
    let watch = run.sim.open_watch(leader, WatchRequest::Create(create));
    run.run_ms(500);
    run.put(leader, "k", "2").unwrap();
    let held = run.sim.holdings(leader).unwrap();
    assert_eq!((held.member, held.revision, held.compact_revision), (leader, 3, -1));
    let [told] = &held.watches[..] else { panic!("{:?}", held.watches) };
    assert_eq!((told.stream, told.start_revision, told.next_revision), (watch.0, 2, 4));
    assert_eq!((told.pace, told.queued), (WatchPace::Synced, 0));
    assert_eq!((&*told.key.key, &*told.range_end.key), (&b"k"[..], &b"l"[..]));
    assert!(told.prev_kv && told.progress_notify && told.puts && !told.deletes && !told.fragment);
    let other = run.follower();
    assert!(run.sim.holdings(other).unwrap().watches.is_empty(), "it is the leader's");
}

#[test]
fn only_the_primary_tells_the_time_left_and_it_runs_down_until_the_lease_is_renewed() {
    let mut run = Run::new(3, 2, |_| {});
    let leader = run.wait_leader();
    run.run_ms(500);
    grant(&mut run, leader, 7, 10);
    attach(&mut run, leader, "b".to_owned(), 7);
    attach(&mut run, leader, "a".to_owned(), 7);
    let left = |run: &Run, member| {
        let held = run.sim.holdings(member).unwrap();
        let lease = held.leases.first().cloned().unwrap_or_default();
        (held.is_primary, lease.remaining_ms, lease.granted_ttl)
    };
    let (is_primary, first, granted) = left(&run, leader);
    assert!(is_primary && granted == 10);
    run.run_ms(3_000);
    let (_, second, _) = left(&run, leader);
    let passed = first.unwrap() - second.unwrap();
    assert!((2_900..=3_100).contains(&passed), "{first:?} {second:?}");
    let follower = run.follower();
    assert_eq!(left(&run, follower), (false, None, 10));
    run.ask(leader, Request::LeaseKeepAlive(LeaseKeepAliveRequest { id: LeaseId(7) })).unwrap();
    let (_, third, _) = left(&run, leader);
    assert!(third > Some(9_000), "{third:?}");
    let held = run.sim.holdings(leader).unwrap();
    let keys: Vec<&[u8]> = held.leases[0].keys.iter().map(|it| &*it.key).collect();
    assert_eq!((keys, held.leases[0].keys_more), (vec![&b"a"[..], b"b"], 0));
    run.run_ms(12_000);
    assert!(run.sim.holdings(leader).unwrap().leases.is_empty(), "it has expired");
}

#[test]
fn what_is_told_is_bounded_and_the_rest_is_counted() {
    let mut run = Run::new(1, 3, |_| {});
    let only = run.wait_leader();
    for number in 1..=HELD_LEASES_MAX + 3 {
        grant(&mut run, only, i64::try_from(number).unwrap(), 600);
    }
    for number in 0..HELD_KEYS_MAX + 2 {
        attach(&mut run, only, format!("{number:03}"), 1);
    }
    attach(&mut run, only, "x".repeat(1_000), 2);
    for _ in 0..HELD_WATCHES_MAX + 5 {
        run.watch(only, "k", 0);
    }
    run.run_ms(200);
    let before = run.sim.status(only).unwrap();
    let held = run.sim.holdings(only).unwrap();
    assert_eq!((held.watches.len() as u64, held.watches_more), (HELD_WATCHES_MAX, 5));
    assert_eq!((held.leases.len() as u64, held.leases_more), (HELD_LEASES_MAX, 3));
    assert_eq!((held.leases[0].keys.len() as u64, held.leases[0].keys_more), (HELD_KEYS_MAX, 2));
    let long = &held.leases[1].keys[0];
    assert!(long.is_cut && long.key.len() < 1_000);
    assert_eq!(run.sim.status(only).unwrap(), before, "asking changes nothing");
    assert_eq!(run.sim.holdings(only).unwrap(), held);
}
