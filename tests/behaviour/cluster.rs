//! Members, reads, alarms and replay: behaviours 72 to 77 and 80, and reports 44, 45 and 52 to 54.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use etcd_playground::api::{
    AlarmMember, AlarmRequest, AlarmType, DefragmentRequest, LeaseGrantRequest, LeaseRevokeRequest,
    MemberAddRequest, MemberAddResponse, MemberListRequest, MemberPromoteRequest,
    MemberRemoveRequest, MoveLeaderRequest, Request, Response, StatusRequest, StatusResponse,
    TxnRequest,
};
use etcd_playground::membership::{client_url, peer_url};
use etcd_playground::types::{LeaseId, MemberId};

use super::one::*;
use super::support::{self, Run};

const UNHEALTHY: &str = "etcdserver: unhealthy cluster";
const NOT_ENOUGH: &str = "etcdserver: re-configuration failed due to not enough started members";
const NO_SPACE: &str = "etcdserver: mvcc: database space exceeded";
const NO_LEARNER: &str = "etcdserver: rpc not supported for learner";

fn add(number: u32, is_learner: bool) -> Request {
    Request::MemberAdd(MemberAddRequest { peer_urls: vec![peer_url(number)], is_learner })
}

fn remove(id: MemberId) -> Request {
    Request::MemberRemove(MemberRemoveRequest { id })
}

fn promote(id: MemberId) -> Request {
    Request::MemberPromote(MemberPromoteRequest { id })
}

fn added(run: &mut Run, to: MemberId, number: u32, is_learner: bool) -> MemberAddResponse {
    match run.ask(to, add(number, is_learner)) {
        Ok(Response::MemberAdd(added)) => added,
        other => panic!("{other:?}"),
    }
}

/// Members that have been connected for more than five seconds.
fn settled(members: u32) -> (Run, MemberId) {
    let mut run = Run::new(members, 2, |_| {});
    run.wait_leader();
    run.run_ms(6_000);
    let leader = run.wait_leader();
    (run, leader)
}

fn others(run: &Run, leader: MemberId) -> Vec<MemberId> {
    run.ids().into_iter().filter(|id| *id != leader).collect()
}

#[test]
fn behaviour_72_a_cut_off_member_answers_no_linearizable_read_and_old_data_only_if_asked() {
    let (mut run, leader) = settled(3);
    run.put(leader, "k", "old").unwrap();
    run.run_ms(200);
    let follower = others(&run, leader)[0];
    let all = run.ids();
    run.sim.links_mut().isolate(follower, &all);
    run.put(leader, "k", "new").unwrap();
    let read = Request::Range(range("k", ""));
    assert_eq!(run.ask_5s(follower, read).unwrap_err(), "context deadline exceeded");
    let serializable = etcd_playground::api::RangeRequest { serializable: true, ..range("k", "") };
    match run.ask(follower, Request::Range(serializable)).unwrap() {
        Response::Range(found) => {
            assert_eq!((text(&found.kvs[0].value).as_str(), found.header.revision), ("old", 2));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn behaviour_73_a_new_leader_answers_reads_only_after_its_own_first_commit() {
    let (mut run, leader) = settled(3);
    run.put(leader, "k", "v").unwrap();
    run.sim.kill(leader);
    // Asked all the time from before there is a leader: each answer has what was acknowledged.
    let mut calls = vec![];
    for _ in 0..60 {
        for member in others(&run, leader) {
            calls.push(run.sim.request(member, Request::Range(range("k", ""))));
        }
        run.run_ms(50);
    }
    run.run_ms(2_000);
    let mut answered = 0;
    for call in calls {
        if let Some(Ok(Response::Range(found))) = run.reply(call) {
            assert_eq!((text(&found.kvs[0].value).as_str(), found.header.revision), ("v", 2));
            answered += 1;
        }
    }
    assert!(answered > 60, "{answered} answers; those asked too early were asked again");
}

#[test]
fn behaviour_74_a_learner_answers_serializable_reads_and_nothing_else_of_a_client() {
    let (mut run, leader) = settled(1);
    run.put(leader, "k", "v").unwrap();
    let learner = added(&mut run, leader, 2, true);
    run.sim.join(&learner, "infra2", &client_url(2));
    run.run_ms(2_500);
    let id = learner.member.id;
    for request in [
        support::put("k", "w"),
        Request::Range(range("k", "")),
        Request::DeleteRange(delete("k", "")),
        Request::Txn(TxnRequest::default()),
        Request::LeaseGrant(LeaseGrantRequest { id: LeaseId(1), ttl: 60 }),
        Request::MemberList(MemberListRequest { linearizable: false }),
        add(3, true),
        remove(leader),
        promote(id),
    ] {
        assert_eq!(run.ask(id, request.clone()).unwrap_err(), NO_LEARNER, "{request:?}");
    }
    assert_eq!(run.get(id, "k", true), Ok(Some("v".to_owned())));
}

fn status(run: &mut Run, member: MemberId) -> StatusResponse {
    match run.ask(member, Request::Status(StatusRequest {})) {
        Ok(Response::Status(status)) => status,
        other => panic!("{other:?}"),
    }
}

fn alarms(run: &mut Run, member: MemberId, request: AlarmRequest) -> Vec<AlarmMember> {
    match run.ask(member, Request::Alarm(request)) {
        Ok(Response::Alarm(answer)) => answer.alarms,
        other => panic!("{other:?}"),
    }
}

#[test]
fn behaviour_75_without_space_what_grows_is_refused_until_disarmed_and_corrupt_refuses_reads() {
    let mut one = One::with(|config| config.quota_bytes = 1_000_000);
    let member = one.member;
    let big = "x".repeat(600_000);
    one.grant(7, 60);
    assert_eq!(one.put("big", &big), 2);
    assert_eq!(one.try_put(put("big2", &big)).unwrap_err(), NO_SPACE);
    let raised = AlarmMember { member_id: member, alarm: AlarmType::NoSpace };
    assert_eq!(alarms(&mut one.run, member, AlarmRequest::List), [raised]);
    assert_eq!(one.try_put(put("small", "1")).unwrap_err(), NO_SPACE);
    let grant = Request::LeaseGrant(LeaseGrantRequest { id: LeaseId(8), ttl: 60 });
    assert_eq!(one.ask(grant).unwrap_err(), NO_SPACE);
    assert_eq!(one.txn(then(vec![put_op("small", "1")])).unwrap_err(), NO_SPACE);
    assert!(one.txn(then(vec![get_op("big")])).is_ok());
    assert!(one.get("big").is_some());
    assert_eq!(one.del("big", ""), (1, 3));
    one.compact(3).unwrap();
    let revoke = Request::LeaseRevoke(LeaseRevokeRequest { id: LeaseId(7) });
    assert!(one.ask(revoke).is_ok());
    assert_eq!(one.try_put(put("small", "1")).unwrap_err(), NO_SPACE, "only disarming lifts it");
    assert!(one.ask(Request::Defragment(DefragmentRequest {})).is_ok());
    alarms(&mut one.run, member, AlarmRequest::Disarm(raised));
    assert_eq!(one.put("small", "1"), 4);
    let corrupt = AlarmMember { member_id: member, alarm: AlarmType::Corrupt };
    alarms(&mut one.run, member, AlarmRequest::Activate(corrupt));
    let refused = "etcdserver: corrupt cluster";
    assert_eq!(one.range(range("small", "")).unwrap_err(), refused);
    assert_eq!(one.try_put(put("small", "2")).unwrap_err(), refused);
    alarms(&mut one.run, member, AlarmRequest::Disarm(corrupt));
    assert_eq!(shown(&one.get("small").unwrap()), "4/4/1 1");
}

#[test]
fn behaviour_76_members_are_added_only_to_a_healthy_cluster_with_enough_started() {
    let mut run = Run::new(3, 1, |_| {});
    let leader = run.wait_leader();
    run.run_ms(1_000);
    assert_eq!(run.ask(leader, add(4, false)).unwrap_err(), UNHEALTHY, "just started");
    run.run_ms(5_500);
    let down = others(&run, leader)[0];
    run.sim.kill(down);
    run.run_ms(1_000);
    for is_learner in [false, true] {
        assert_eq!(run.ask(leader, add(4, is_learner)).unwrap_err(), UNHEALTHY);
    }
    run.sim.restart(down);
    run.run_ms(6_500);
    added(&mut run, leader, 4, false);
    added(&mut run, leader, 5, false);
    assert_eq!(run.ask(leader, add(6, false)).unwrap_err(), NOT_ENOUGH);
}

#[test]
fn behaviour_77_a_learner_is_promoted_when_it_has_caught_up_and_there_is_one_at_a_time() {
    let (mut run, leader) = settled(1);
    run.puts(leader, 100);
    let learner = added(&mut run, leader, 2, true);
    let id = learner.member.id;
    let behind = "etcdserver: can only promote a learner member which is in sync with leader";
    assert_eq!(run.ask(leader, promote(id)).unwrap_err(), behind);
    let second = run.ask(leader, add(3, true)).unwrap_err();
    assert_eq!(second, "etcdserver: too many learner members in cluster");
    let target = Request::MoveLeader(MoveLeaderRequest { target_id: id });
    assert_eq!(run.ask(leader, target).unwrap_err(), "etcdserver: bad leader transferee");
    run.sim.join(&learner, "infra2", &client_url(2));
    run.run_ms(2_500);
    assert!(run.ask(leader, promote(id)).is_ok());
    run.run_ms(500);
    let again = run.ask(leader, promote(id)).unwrap_err();
    assert_eq!(again, "etcdserver: can only promote a learner member");
    run.assert_equal();
}

#[test]
fn behaviour_80_what_is_applied_is_not_applied_again_after_a_restart() {
    let mut one = One::new();
    for round in 0..5 {
        for number in 0..7 {
            one.put("k", &format!("{round}.{number}"));
        }
        one.restart();
        let count = (round + 1) * 7;
        let want = format!("2/{}/{count} {round}.6", count + 1);
        assert_eq!(shown(&one.get("k").unwrap()), want);
    }
    // Killed while the last puts were under way: each of them counts once, or not at all.
    for _ in 0..10 {
        let before = one.get("k").unwrap();
        for _ in 0..3 {
            one.run.sim.request(one.member, support::put("k", "x"));
        }
        one.run.run_ms(3);
        one.restart();
        let after = one.get("k").unwrap();
        let grown = after.version - before.version;
        assert!((0..=3).contains(&grown), "{before:?} {after:?}");
        assert_eq!(after.mod_revision - before.mod_revision, grown);
    }
}

// ---- reports E and F ----

#[test]
fn report_44_space_that_was_freed_helps_only_after_the_alarm_is_disarmed() {
    let mut one = One::with(|config| config.quota_bytes = 1_000_000);
    let member = one.member;
    let big = "x".repeat(600_000);
    one.put("big", &big);
    assert_eq!(one.try_put(put("big", &big)).unwrap_err(), NO_SPACE);
    one.del("big", "");
    one.compact(3).unwrap();
    one.run.run_ms(500);
    assert!(one.ask(Request::Defragment(DefragmentRequest {})).is_ok());
    assert_eq!(one.try_put(put("k", "v")).unwrap_err(), NO_SPACE);
    let raised = AlarmMember { member_id: member, alarm: AlarmType::NoSpace };
    assert_eq!(alarms(&mut one.run, member, AlarmRequest::Disarm(raised)), [raised]);
    assert_eq!(one.put("k", "v"), 4);
}

#[test]
fn report_45_the_quota_looks_at_the_file_which_only_defragmentation_shrinks() {
    let mut one = One::with(|config| config.quota_bytes = 1_000_000);
    let member = one.member;
    let big = "x".repeat(600_000);
    one.put("big", &big);
    let full = status(&mut one.run, member);
    assert!(full.db_size > 600_000);
    one.del("big", "");
    one.compact(3).unwrap();
    one.run.run_ms(500);
    let compacted = status(&mut one.run, member);
    assert!(compacted.db_size >= full.db_size, "the file keeps its size");
    assert!(compacted.db_size_in_use < 100_000, "though little of it is used");
    assert!(one.ask(Request::Defragment(DefragmentRequest {})).is_ok());
    let smaller = status(&mut one.run, member);
    assert_eq!((smaller.db_size, smaller.db_size_in_use), (20_480, 20_480));
}

#[test]
fn report_52_a_second_member_that_never_comes_takes_the_quorum_away() {
    let (mut run, only) = settled(1);
    let second = added(&mut run, only, 2, false);
    assert!(run.ask_5s(only, support::put("k", "v")).is_err());
    assert_eq!(run.ask(only, add(3, false)).unwrap_err(), NOT_ENOUGH);
    assert!(run.ask_5s(only, remove(second.member.id)).is_err(), "nobody can commit that");
}

#[test]
fn report_53_a_dead_member_may_go_but_not_a_live_one_in_its_place() {
    let (mut run, leader) = settled(3);
    let others = others(&run, leader);
    run.sim.kill(others[0]);
    run.run_ms(6_000);
    assert_eq!(run.ask(leader, remove(others[1])).unwrap_err(), UNHEALTHY);
    assert!(run.ask(leader, remove(others[0])).is_ok());
    assert!(run.put(leader, "k", "v").is_ok());
}

#[test]
fn report_54_with_one_of_three_down_nobody_is_added_before_it_is_removed() {
    let (mut run, leader) = settled(3);
    let down = others(&run, leader)[0];
    run.sim.kill(down);
    run.run_ms(6_000);
    for is_learner in [false, true] {
        assert_eq!(run.ask(leader, add(4, is_learner)).unwrap_err(), UNHEALTHY);
    }
    assert!(run.ask(leader, remove(down)).is_ok());
    assert!(run.ask(leader, add(4, false)).is_ok());
}
