//! Space runs out, data differ, versions go down: what a cluster says and refuses then.
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
    AlarmMember, AlarmRequest, AlarmType, DefragmentRequest, DeleteRangeRequest, DowngradeAction,
    DowngradeRequest, PutRequest, RangeRequest, Request, RequestOp, Response, StatusRequest,
    StatusResponse, TxnRequest,
};
use etcd_playground::etcdserver::ServerConfig;
use etcd_playground::types::MemberId;
use support::{Run, put};

const NO_SPACE: &str = "etcdserver: mvcc: database space exceeded";

fn quota(bytes: i64) -> impl Fn(&mut ServerConfig) {
    move |config| config.quota_bytes = bytes
}

fn alarms(run: &mut Run, member: MemberId, request: AlarmRequest) -> Vec<AlarmMember> {
    match run.ask(member, Request::Alarm(request)) {
        Ok(Response::Alarm(answer)) => answer.alarms,
        other => panic!("{other:?}"),
    }
}

fn status(run: &mut Run, member: MemberId) -> StatusResponse {
    match run.ask(member, Request::Status(StatusRequest {})) {
        Ok(Response::Status(status)) => status,
        other => panic!("{other:?}"),
    }
}

fn delete(key: &str) -> Request {
    let key = Bytes::copy_from_slice(key.as_bytes());
    Request::DeleteRange(DeleteRangeRequest { key, ..Default::default() })
}

fn defragment(run: &mut Run, member: MemberId) {
    assert!(run.ask(member, Request::Defragment(DefragmentRequest {})).is_ok());
}

fn txn(ops: Vec<RequestOp>) -> Request {
    Request::Txn(TxnRequest { success: ops, ..Default::default() })
}

#[test]
fn over_the_quota_writes_are_refused_until_space_is_freed_and_the_alarm_lifted() {
    let mut run = Run::new(3, 1, quota(1_000_000));
    let leader = run.wait_leader();
    let big = "x".repeat(600_000);
    run.put(leader, "big1", &big).unwrap();
    run.run_ms(300);
    assert!(alarms(&mut run, leader, AlarmRequest::List).is_empty());
    assert_eq!(run.put(leader, "big2", &big).unwrap_err(), NO_SPACE);
    let raised = AlarmMember { member_id: leader, alarm: AlarmType::NoSpace };
    assert_eq!(alarms(&mut run, leader, AlarmRequest::List), [raised]);
    let other = run.follower();
    run.run_ms(200);
    for member in [leader, other] {
        assert_eq!(run.put(member, "small", "1").unwrap_err(), NO_SPACE, "on every member");
        let errors = status(&mut run, member).errors;
        assert_eq!(errors, [format!("memberID:{} alarm:NOSPACE", leader.0)]);
    }
    let write = RequestOp::Put(PutRequest { key: Bytes::from_static(b"k"), ..Default::default() });
    let read =
        RequestOp::Range(RangeRequest { key: Bytes::from_static(b"k"), ..Default::default() });
    assert_eq!(run.ask(leader, txn(vec![write])).unwrap_err(), NO_SPACE);
    assert!(run.ask(leader, txn(vec![read])).is_ok());
    assert!(run.get(leader, "big1", false).unwrap().is_some());
    assert!(run.ask(leader, delete("big1")).is_ok());
    run.compact(leader, 3);
    run.run_ms(500);
    assert_eq!(run.put(leader, "small", "1").unwrap_err(), NO_SPACE, "the alarm is still there");
    // Lifting it before the file has shrunk helps for nothing.
    assert_eq!(alarms(&mut run, leader, AlarmRequest::Disarm(raised)), [raised]);
    assert!(alarms(&mut run, leader, AlarmRequest::Disarm(raised)).is_empty());
    assert_eq!(run.put(leader, "big2", &big).unwrap_err(), NO_SPACE);
    assert_eq!(alarms(&mut run, leader, AlarmRequest::List), [raised]);
    let before = status(&mut run, leader);
    assert!(before.db_size > 600_000 && before.db_size_in_use < 100_000, "{before:?}");
    for member in run.ids() {
        defragment(&mut run, member);
    }
    let after = status(&mut run, leader);
    assert_eq!(after.db_size, after.db_size_in_use.max(20_480));
    assert_eq!(run.put(leader, "small", "1").unwrap_err(), NO_SPACE);
    alarms(&mut run, leader, AlarmRequest::Disarm(raised));
    run.put(leader, "small", "1").unwrap();
    run.run_ms(300);
    run.assert_equal();
    run.assert_nobody_crashed();
}

#[test]
fn an_alarm_and_the_size_of_the_file_survive_restarts_and_snapshots() {
    let mut run = Run::new(3, 2, |config| {
        config.quota_bytes = 1_000_000;
        config.snapshot_count = 10;
        config.snapshot_catchup_entries = 1;
    });
    let leader = run.wait_leader();
    let behind = run.follower();
    run.sim.kill(behind);
    run.put(leader, "big", &"x".repeat(900_000)).unwrap();
    run.put(leader, "big", &"x".repeat(99_000)).unwrap_err();
    for _ in 0..30 {
        run.ask(leader, delete("nothing")).unwrap();
    }
    run.sim.restart(behind);
    run.run_ms(3_000);
    let raised = AlarmMember { member_id: leader, alarm: AlarmType::NoSpace };
    let sizes: Vec<i64> = run.ids().into_iter().map(|id| status(&mut run, id).db_size).collect();
    assert!(sizes.iter().all(|size| *size == sizes[0]), "{sizes:?}");
    let text = format!("memberID:{} alarm:NOSPACE", leader.0);
    assert_eq!(status(&mut run, behind).errors, [text]);
    for id in run.ids() {
        run.sim.kill(id);
    }
    for id in run.ids() {
        run.sim.restart(id);
    }
    let leader = run.wait_leader();
    assert_eq!(alarms(&mut run, leader, AlarmRequest::List), [raised]);
    assert_eq!(run.put(leader, "k", "v").unwrap_err(), NO_SPACE);
    assert_eq!(status(&mut run, behind).db_size, sizes[0]);
}

#[test]
fn a_quota_too_small_for_one_put_is_an_alarm_at_once_and_a_negative_one_is_none() {
    let mut run = Run::new(1, 3, quota(1024));
    let only = run.wait_leader();
    assert_eq!(run.put(only, "a", "1").unwrap_err(), NO_SPACE);
    assert_eq!(alarms(&mut run, only, AlarmRequest::List).len(), 1);
    assert_eq!(run.hash(only).1, 1, "nothing was written");
    let mut run = Run::new(1, 3, quota(-1));
    let only = run.wait_leader();
    run.put(only, "a", "1").unwrap();
}

#[test]
fn a_write_that_is_over_the_quota_only_at_apply_is_done_and_says_so() {
    let mut run = Run::new(3, 4, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    run.put(leader, "k", "1").unwrap();
    run.run_ms(300);
    // The follower's quota shrinks while it is down; the others' is etcd's.
    run.sim.kill(follower);
    run.sim.config_mut(follower).unwrap().quota_bytes = 1024;
    run.sim.restart(follower);
    run.run_ms(1_500);
    assert_eq!(run.put(leader, "k", "2"), Ok(3));
    run.run_ms(500);
    let raised = AlarmMember { member_id: follower, alarm: AlarmType::NoSpace };
    assert_eq!(alarms(&mut run, leader, AlarmRequest::List), [raised]);
    assert_eq!(run.put(leader, "k", "3").unwrap_err(), NO_SPACE);
    assert_eq!(run.get(leader, "k", false), Ok(Some("2".to_owned())));
    run.assert_equal();
}

/// Changes a value on a member's disk and mends the checksum, as a bad controller might.
fn corrupt(run: &mut Run, member: MemberId, from: &[u8], to: &[u8]) {
    let disk = run.sim.disk_mut(member).unwrap();
    let mut changed = 0;
    for bytes in disk.rows.values_mut() {
        let mut chunk = bytes.to_vec();
        while let Some(at) = chunk.windows(from.len()).position(|window| window == from) {
            chunk[at..at + to.len()].copy_from_slice(to);
            changed += 1;
        }
        let mut digest = etcd_playground::types::CRC32C.digest();
        digest.update(&chunk[..1]);
        digest.update(&chunk[5..]);
        let checksum = digest.finalize().to_le_bytes();
        chunk[1..5].copy_from_slice(&checksum);
        *bytes = chunk.into();
    }
    assert!(changed > 0, "the value is not on the disk");
}

#[test]
fn members_that_differ_raise_an_alarm_that_refuses_reads_and_writes() {
    let mut run = Run::new(3, 5, |config| config.corrupt_check_ms = 2_000);
    let leader = run.wait_leader();
    run.put(leader, "k", "GOOD-VALUE").unwrap();
    run.puts(leader, 10);
    run.run_ms(8_000);
    assert!(alarms(&mut run, leader, AlarmRequest::List).is_empty(), "all are equal");
    let victim = run.follower();
    run.sim.kill(victim);
    corrupt(&mut run, victim, b"GOOD-VALUE", b"EVIL-VALUE");
    run.sim.restart(victim);
    run.run_ms(8_000);
    let raised = AlarmMember { member_id: victim, alarm: AlarmType::Corrupt };
    assert_eq!(alarms(&mut run, leader, AlarmRequest::List), [raised]);
    let corrupt = "etcdserver: corrupt cluster";
    assert_eq!(run.put(leader, "k", "v").unwrap_err(), corrupt);
    assert_eq!(run.ask(leader, delete("k")).unwrap_err(), corrupt);
    assert_eq!(run.get(leader, "k", false).unwrap_err(), corrupt);
    assert_eq!(run.get(victim, "k", true).unwrap_err(), corrupt);
    assert_eq!(status(&mut run, leader).errors, [format!("memberID:{} alarm:CORRUPT", victim.0)]);
    alarms(&mut run, leader, AlarmRequest::Disarm(raised));
    assert_eq!(run.get(leader, "k", false), Ok(Some("GOOD-VALUE".to_owned())));
}

#[test]
fn checks_of_members_under_load_and_compaction_raise_nothing() {
    let mut run = Run::new(3, 6, |config| config.corrupt_check_ms = 200);
    let leader = run.wait_leader();
    for round in 1..=30 {
        for number in 0..20 {
            run.sim.request(leader, put(&format!("k{number}"), &round.to_string()));
        }
        run.run_ms(100);
        if round % 5 == 0 {
            run.compact(leader, i64::from(round) * 15);
        }
    }
    run.run_ms(1_000);
    assert!(alarms(&mut run, leader, AlarmRequest::List).is_empty());
}

#[test]
fn an_alarm_can_be_raised_by_hand_for_any_member() {
    let mut run = Run::new(3, 7, |_| {});
    let leader = run.wait_leader();
    let ids = run.ids();
    let alarm = |member_id, alarm| AlarmMember { member_id, alarm };
    let all = [
        alarm(ids[0], AlarmType::NoSpace),
        alarm(ids[1], AlarmType::NoSpace),
        alarm(ids[0], AlarmType::Corrupt),
    ];
    for raised in all {
        assert_eq!(alarms(&mut run, leader, AlarmRequest::Activate(raised)), [raised]);
    }
    let mut sorted = all;
    sorted.sort_by_key(|raised| (raised.alarm, raised.member_id));
    assert_eq!(alarms(&mut run, leader, AlarmRequest::List), sorted);
}

fn downgrade(run: &mut Run, action: DowngradeAction, version: &str) -> Result<String, String> {
    let member = run.leader().unwrap();
    let request = DowngradeRequest { action, version: version.to_owned() };
    match run.ask(member, Request::Downgrade(request))? {
        Response::Downgrade(answer) => Ok(answer.version),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_downgrade_is_validated_begun_shown_and_ended_as_recorded() {
    use DowngradeAction::{Cancel, Enable, Validate};
    let mut run = Run::new(1, 8, |_| {});
    let only = run.wait_leader();
    let ok = Ok("3.7".to_owned());
    assert_eq!(status(&mut run, only).downgrade_info, Default::default());
    assert_eq!(downgrade(&mut run, Validate, "3.6.0"), ok);
    let wrong = "etcdserver: wrong downgrade target version format";
    assert_eq!(downgrade(&mut run, Validate, "three").unwrap_err(), wrong);
    let invalid = "etcdserver: invalid downgrade target version";
    for version in ["3.5.0", "3.7.0", "3.8"] {
        assert_eq!(downgrade(&mut run, Enable, version).unwrap_err(), invalid);
    }
    assert_eq!(downgrade(&mut run, Enable, "3.6.0"), ok);
    let info = status(&mut run, only).downgrade_info;
    assert_eq!((info.enabled, info.target_version.as_str()), (true, "3.6.0"));
    let in_process = "etcdserver: cluster has a downgrade job in progress";
    assert_eq!(downgrade(&mut run, Validate, "3.6.0").unwrap_err(), in_process);
    run.run_ms(300);
    run.sim.kill(only);
    run.sim.restart(only);
    run.wait_leader();
    assert!(status(&mut run, only).downgrade_info.enabled, "it survives a restart");
    assert_eq!(downgrade(&mut run, Cancel, ""), ok);
    assert_eq!(downgrade(&mut run, Cancel, ""), ok);
    assert!(!status(&mut run, only).downgrade_info.enabled);
}
