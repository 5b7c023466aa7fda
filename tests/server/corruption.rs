//! Members whose data differ: found at their start, and at compactions.

use etcd_playground::api::{AlarmMember, AlarmRequest, AlarmType, Request, Response};
use etcd_playground::types::MemberId;

use crate::support::Run;

fn alarms(run: &mut Run, member: MemberId) -> Vec<AlarmMember> {
    match run.ask(member, Request::Alarm(AlarmRequest::List)) {
        Ok(Response::Alarm(answer)) => answer.alarms,
        other => panic!("{other:?}"),
    }
}

/// Changes a value on a member's disk and mends the checksum, as a bad controller might.
fn corrupt(run: &mut Run, member: MemberId, from: &[u8], to: &[u8]) {
    let disk = run.sim.disk_mut(member).unwrap();
    let mut changed = 0;
    // Whether the checksum covers the format byte, too.
    let sums = |chunk: &[u8]| {
        let crc = &etcd_playground::types::CRC32C;
        [crc.checksum(&chunk[5..]), crc.checksum(&[&chunk[..1], &chunk[5..]].concat())]
    };
    for bytes in disk.rows.values_mut() {
        let mut chunk = bytes.to_vec();
        let stored = u32::from_le_bytes(chunk[1..5].try_into().unwrap());
        let scheme = sums(&chunk).iter().position(|sum| *sum == stored).unwrap();
        while let Some(at) = chunk.windows(from.len()).position(|window| window == from) {
            chunk[at..at + to.len()].copy_from_slice(to);
            changed += 1;
        }
        let checksum = sums(&chunk)[scheme].to_le_bytes();
        chunk[1..5].copy_from_slice(&checksum);
        *bytes = chunk.into();
    }
    assert!(changed > 0, "the value is not on the disk");
}

fn restart(run: &mut Run, member: MemberId) {
    run.sim.kill(member);
    run.sim.restart(member);
}

#[test]
fn a_member_with_other_data_does_not_start_and_says_so_in_etcds_words() {
    let mut run = Run::new(3, 1, |config| config.initial_corrupt_check = true);
    let leader = run.wait_leader();
    run.put(leader, "k", "GOOD-VALUE").unwrap();
    run.puts(leader, 5);
    run.run_ms(500);
    let victim = run.follower();
    run.sim.kill(victim);
    corrupt(&mut run, victim, b"GOOD-VALUE", b"EVIL-VALUE");
    run.sim.restart(victim);
    run.run_ms(1_000);
    assert!(!run.sim.is_up(victim));
    let expected = format!("{victim:x} found data inconsistency with peers");
    assert_eq!(run.down.last(), Some(&(victim, expected)));
    assert!(alarms(&mut run, leader).is_empty(), "etcd raises none");
    // Without the check it comes up, and the others never noticed.
    run.sim.config_mut(victim).unwrap().initial_corrupt_check = false;
    run.sim.restart(victim);
    run.run_ms(1_000);
    assert!(run.sim.is_up(victim));
    assert_eq!(run.get(victim, "k", true), Ok(Some("EVIL-VALUE".to_owned())));
}

#[test]
fn members_with_equal_data_restart_behind_the_check_under_load() {
    let mut run = Run::new(3, 2, |config| config.initial_corrupt_check = true);
    let mut leader = run.wait_leader();
    for round in 1..=8 {
        run.puts(leader, 10);
        if round % 3 == 0 {
            run.compact(leader, round * 10);
        }
        let member = run.ids()[usize::try_from(round).unwrap() % 3];
        restart(&mut run, member);
        // What comes during the check is answered after it.
        let early = run.get(member, "k1", true).unwrap();
        assert!(early.is_some());
        run.run_ms(1_500);
        leader = run.wait_leader();
    }
    run.run_ms(1_000);
    run.assert_nobody_crashed();
    run.assert_equal();
}

#[test]
fn a_member_that_nobody_answers_starts_once_their_time_is_up() {
    let mut run = Run::new(3, 3, |config| config.initial_corrupt_check = true);
    let leader = run.wait_leader();
    run.puts(leader, 3);
    run.run_ms(300);
    let ids = run.ids();
    for id in &ids {
        run.sim.kill(*id);
    }
    run.sim.restart(ids[0]);
    let call = run.sim.request(ids[0], Request::Status(etcd_playground::api::StatusRequest {}));
    run.run_ms(6_500);
    assert!(run.reply(call).is_none(), "it does not serve before");
    run.run_ms(1_000);
    assert!(run.reply(call).is_some(), "5 s and two election timeouts");
    // One by one, all come back.
    for id in &ids {
        run.sim.restart(*id);
    }
    run.run_ms(9_000);
    run.wait_leader();
    run.assert_nobody_crashed();
    run.assert_equal();
}

/// Three members, one of whose followers has had another value since before the compaction.
fn with_other_hash(seed: u64, check_ms: u64) -> (Run, MemberId) {
    let mut run = Run::new(3, seed, |config| config.compact_hash_check_ms = check_ms);
    let leader = run.wait_leader();
    run.put(leader, "k", "GOOD-VALUE").unwrap();
    run.puts(leader, 10);
    run.run_ms(500);
    let victim = run.follower();
    run.sim.kill(victim);
    corrupt(&mut run, victim, b"GOOD-VALUE", b"EVIL-VALUE");
    run.sim.restart(victim);
    run.run_ms(1_500);
    let leader = run.wait_leader();
    run.compact(leader, 6);
    (run, victim)
}

#[test]
fn a_member_whose_compaction_hashed_otherwise_gets_the_alarm() {
    let (mut run, victim) = with_other_hash(4, 1_000);
    run.run_ms(3_000);
    let leader = run.wait_leader();
    let raised = AlarmMember { member_id: victim, alarm: AlarmType::Corrupt };
    assert_eq!(alarms(&mut run, leader), [raised]);
    assert_eq!(run.put(leader, "k", "v").unwrap_err(), "etcdserver: corrupt cluster");
}

#[test]
fn a_leader_whose_own_compaction_hashed_otherwise_gets_the_alarm_itself() {
    let mut run = Run::new(3, 5, |config| config.compact_hash_check_ms = 1_000);
    let leader = run.wait_leader();
    run.put(leader, "k", "GOOD-VALUE").unwrap();
    run.puts(leader, 5);
    run.run_ms(500);
    let victim = run.follower();
    run.sim.kill(victim);
    corrupt(&mut run, victim, b"GOOD-VALUE", b"EVIL-VALUE");
    run.sim.restart(victim);
    run.run_ms(1_500);
    let leader = run.wait_leader();
    if leader != victim {
        let to = etcd_playground::api::MoveLeaderRequest { target_id: victim };
        run.ask(leader, Request::MoveLeader(to)).unwrap();
    }
    assert_eq!(run.wait_leader(), victim);
    run.compact(victim, 4);
    run.run_ms(3_000);
    let raised = AlarmMember { member_id: victim, alarm: AlarmType::Corrupt };
    let other = run.follower();
    assert_eq!(alarms(&mut run, other), [raised]);
}

#[test]
fn without_the_feature_nothing_is_found_and_equal_members_never_get_an_alarm() {
    let (mut run, victim) = with_other_hash(6, 0);
    run.run_ms(70_000);
    let leader = run.wait_leader();
    assert!(alarms(&mut run, leader).is_empty());
    let _ = victim;
    let mut run = Run::new(3, 7, |config| config.compact_hash_check_ms = 300);
    let leader = run.wait_leader();
    for round in 1..=20 {
        run.puts(leader, 10);
        run.compact(leader, round * 10 - 5);
        if round % 5 == 0 {
            let behind = run.follower();
            restart(&mut run, behind);
        }
        run.run_ms(400);
    }
    assert!(alarms(&mut run, leader).is_empty());
    run.assert_nobody_crashed();
}
