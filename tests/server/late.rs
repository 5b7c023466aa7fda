//! What a client hears of a write that no member could decide in time.

use etcd_playground::api::{MoveLeaderRequest, Request};
use etcd_playground::types::MemberId;

use crate::support::{Run, put};

/// What came of a put to `member` after ten seconds.
fn late_put(run: &mut Run, member: MemberId, mid: impl FnOnce(&mut Run)) -> String {
    let call = run.sim.request(member, put("k", "v"));
    mid(run);
    run.run_ms(10_000);
    run.reply(call).unwrap().unwrap_err()
}

#[test]
fn who_knows_no_leader_any_more_says_only_that_time_is_up() {
    let mut run = Run::new(3, 1, |_| {});
    let leader = run.wait_leader();
    run.run_ms(300);
    let ids = run.ids();
    run.sim.links_mut().isolate(leader, &ids);
    let told = late_put(&mut run, leader, |_| {});
    assert_eq!(told, "etcdserver: request timed out");
}

#[test]
fn a_new_leader_soon_after_the_request_is_the_probable_cause() {
    let mut run = Run::new(3, 2, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    run.run_ms(300);
    run.sim.links_mut().cut_one_way(follower, leader);
    let told = late_put(&mut run, follower, |run| {
        run.run_ms(50);
        run.sim.kill(leader);
    });
    assert_eq!(told, "etcdserver: request timed out, possibly due to previous leader failure");
}

#[test]
fn a_link_to_the_leader_that_broke_meanwhile_is_the_probable_cause() {
    let mut run = Run::new(3, 3, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    run.run_ms(300);
    run.sim.links_mut().cut_one_way(follower, leader);
    let told = late_put(&mut run, follower, |_| {});
    assert_eq!(told, "etcdserver: request timed out, possibly due to connection lost");
}

#[test]
fn a_leader_that_hands_its_office_over_takes_no_writes() {
    let mut run = Run::new(3, 4, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    run.run_ms(300);
    run.sim.pause(follower);
    let target = MoveLeaderRequest { target_id: follower };
    run.sim.request(leader, Request::MoveLeader(target));
    run.run_ms(50);
    let call = run.sim.request(leader, put("k", "v"));
    run.run_ms(50);
    assert_eq!(run.reply(call).unwrap().unwrap_err(), "raft proposal dropped");
    run.run_ms(2_000);
    let call = run.sim.request(leader, put("k", "v"));
    run.run_ms(200);
    assert!(run.reply(call).unwrap().is_ok(), "the hand-over was given up");
}
