//! Keep-alives on a stream: one after the other, and what ends them.

use bytes::Bytes;
use etcd_playground::api::{
    Error, LeaseGrantRequest, LeaseKeepAliveRequest, PutRequest, RangeRequest, Request, Response,
};
use etcd_playground::cluster::CallId;
use etcd_playground::types::{LeaseId, MemberId};

use crate::support::Run;

fn grant(run: &mut Run, member: MemberId, id: i64, ttl: i64) -> Result<i64, String> {
    match run.ask(member, Request::LeaseGrant(LeaseGrantRequest { ttl, id: LeaseId(id) }))? {
        Response::LeaseGrant(granted) => Ok(granted.ttl),
        other => panic!("{other:?}"),
    }
}

fn alive(id: i64) -> LeaseKeepAliveRequest {
    LeaseKeepAliveRequest { id: LeaseId(id) }
}

/// What a stream has answered: (lease, seconds).
fn answers(run: &Run, stream: CallId) -> Vec<(i64, i64)> {
    let answers = run.kept_alive.get(&stream).map(Vec::as_slice).unwrap_or_default();
    answers.iter().map(|answer| (answer.id.0, answer.ttl)).collect()
}

#[test]
fn a_grant_answers_in_etcds_words_whatever_time_it_asks_for() {
    let mut run = Run::new(1, 1, |_| {});
    let only = run.wait_leader();
    for ttl in [1, 0, -1, -5, i64::MIN] {
        assert_eq!(grant(&mut run, only, 0, ttl), Ok(2), "{ttl}");
    }
    assert_eq!(grant(&mut run, only, 0, 9_000_000_000), Ok(9_000_000_000));
    let too_large = "etcdserver: too large lease TTL";
    assert_eq!(grant(&mut run, only, 0, 9_000_000_001).unwrap_err(), too_large);
    assert_eq!(grant(&mut run, only, 0, i64::MAX).unwrap_err(), too_large);
    assert_eq!(grant(&mut run, only, -7, 10), Ok(10), "negative ids are legal");
    assert_eq!(grant(&mut run, only, -7, 10).unwrap_err(), "etcdserver: lease already exists");
}

#[test]
fn a_stream_answers_in_order_and_a_missing_lease_with_zero() {
    let mut run = Run::new(3, 2, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    grant(&mut run, leader, 1, 100).unwrap();
    grant(&mut run, leader, 2, 200).unwrap();
    run.run_ms(300);
    for member in [leader, follower] {
        let stream = run.sim.keep_alive(member, None, alive(1));
        for id in [2, 404, 1] {
            run.sim.keep_alive(member, Some(stream), alive(id));
        }
        run.run_ms(500);
        assert_eq!(answers(&run, stream), [(1, 100), (2, 200), (404, 0), (1, 100)]);
        assert!(run.kept_alive[&stream].iter().all(|answer| answer.header.member_id == member));
        run.sim.cancel(stream);
    }
    assert!(run.ended.is_empty());
}

#[test]
fn messages_behind_one_that_waits_wait_with_it() {
    let mut run = Run::new(3, 3, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    grant(&mut run, leader, 1, 100).unwrap();
    grant(&mut run, leader, 2, 200).unwrap();
    run.run_ms(300);
    run.sim.links_mut().cut(leader, follower);
    let stream = run.sim.keep_alive(follower, None, alive(1));
    for _ in 0..20 {
        run.sim.keep_alive(follower, Some(stream), alive(2));
    }
    run.run_ms(300);
    assert_eq!(answers(&run, stream), [], "the leader cannot be asked");
    run.sim.links_mut().heal();
    run.run_ms(3_000);
    let got = answers(&run, stream);
    assert_eq!((got.len(), got[0], got[20]), (21, (1, 100), (2, 200)));
}

#[test]
fn a_stream_keeps_a_lease_that_would_run_out_until_it_is_closed() {
    let mut run = Run::new(3, 4, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    grant(&mut run, leader, 9, 3).unwrap();
    let put = PutRequest { key: Bytes::from_static(b"k"), lease: LeaseId(9), ..Default::default() };
    run.ask(leader, Request::Put(put)).unwrap();
    let stream = run.sim.keep_alive(follower, None, alive(9));
    for _ in 0..10 {
        run.run_ms(1_000);
        run.sim.keep_alive(follower, Some(stream), alive(9));
    }
    let exists = |run: &mut Run| {
        let range = RangeRequest { key: Bytes::from_static(b"k"), ..Default::default() };
        match run.ask(leader, Request::Range(range)) {
            Ok(Response::Range(found)) => found.count == 1,
            other => panic!("{other:?}"),
        }
    };
    assert!(exists(&mut run));
    run.sim.cancel(stream);
    run.run_ms(5_000);
    assert!(!exists(&mut run));
    assert_eq!(answers(&run, stream), vec![(9, 3); 11]);
}

#[test]
fn a_stream_ends_without_a_leader_and_is_not_opened_at_a_learner() {
    let mut run = Run::new(3, 5, |_| {});
    let leader = run.wait_leader();
    grant(&mut run, leader, 1, 100).unwrap();
    let alone = run.follower();
    let stream = run.sim.keep_alive(alone, None, alive(1));
    run.run_ms(200);
    let ids = run.ids();
    run.sim.links_mut().isolate(alone, &ids);
    run.run_ms(8_000);
    assert_eq!(run.ended.get(&stream), Some(&Error::NoLeader));
    let late = run.sim.keep_alive(alone, None, alive(1));
    run.run_ms(100);
    assert_eq!(run.ended.get(&late), Some(&Error::NoLeader), "at once");
}
