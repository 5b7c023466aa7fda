//! The log is cut behind a member, and whoever is too far behind gets a snapshot.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

mod support;

use etcd_playground::etcdserver::ServerConfig;
use etcd_playground::random::Pcg32;
use etcd_playground::types::MemberId;
use support::Run;

/// Snapshot every `count` entries, `catchup` left.
fn every(count: u64, catchup: u64) -> impl Fn(&mut ServerConfig) {
    move |config| {
        config.snapshot_count = count;
        config.snapshot_catchup_entries = catchup;
    }
}

#[test]
fn the_log_on_disk_stays_bounded_and_the_member_restarts_from_it() {
    let mut run = Run::new(1, 1, every(50, 20));
    let only = run.wait_leader();
    let mut most = 0;
    for round in 0..20 {
        run.puts(only, 40);
        run.run_ms(300);
        most = most.max(run.sim.disk_mut(only).unwrap().wal.len());
        if round % 5 == 4 {
            let before = run.hash(only);
            run.sim.kill(only);
            run.sim.restart(only);
            run.wait_leader();
            assert_eq!(run.hash(only), before, "after round {round}");
        }
    }
    // One chunk per put: 20 kept, up to 50 until the next cut, and what was written since.
    assert!(most < 130, "{most} chunks of log for 800 puts");
    run.assert_nobody_crashed();
}

#[test]
fn with_etcds_defaults_ten_thousand_entries_are_cut_to_five_thousand() {
    let mut run = Run::new(1, 2, |_| {});
    let only = run.wait_leader();
    let mut calls = 0;
    while run.sim.status(only).unwrap().applied.0 <= 10_000 {
        for number in 0..100 {
            run.sim.request(only, support::put("k", &number.to_string()));
            calls += 1;
        }
        run.run_ms(20);
    }
    run.run_ms(500);
    let before = run.hash(only);
    run.sim.kill(only);
    run.sim.restart(only);
    run.wait_leader();
    assert_eq!(run.hash(only), before);
    assert!(before.1 > calls, "{calls} puts, revision {}", before.1);
}

#[test]
fn a_follower_behind_the_log_gets_a_snapshot_and_goes_on_by_the_log() {
    for seed in 1..=5 {
        let mut run = Run::new(3, seed, every(10, 2));
        let leader = run.wait_leader();
        run.put(leader, "first", "1").unwrap();
        run.run_ms(300);
        let behind = run.follower();
        run.sim.kill(behind);
        run.puts(leader, 100);
        run.compact(leader, 60);
        run.run_ms(1_000);
        run.sim.restart(behind);
        run.run_ms(3_000);
        let status = run.sim.status(behind).unwrap();
        assert_eq!(status.applied, run.sim.status(leader).unwrap().applied, "seed={seed}");
        assert_eq!(run.get(behind, "k1", true), Ok(Some("v99".to_owned())));
        run.assert_equal();
        run.puts(leader, 5);
        run.run_ms(500);
        run.assert_equal();
        // What was installed is what it restarts from, and what it replaced is gone.
        run.sim.kill(behind);
        run.sim.restart(behind);
        run.run_ms(3_000);
        run.assert_equal();
        let generations: std::collections::BTreeSet<u64> =
            run.sim.disk_mut(behind).unwrap().rows.keys().map(|key| key >> 32).collect();
        assert_eq!(generations.len(), 1, "{generations:?} seed={seed}");
        assert_ne!(generations.first(), Some(&0), "seed={seed}: there was no snapshot");
        run.assert_nobody_crashed();
    }
}

#[test]
fn a_large_snapshot_survives_cuts_pauses_and_kills_of_either_side() {
    for seed in 1..=12 {
        let mut random = Pcg32::for_stream(seed, &[7]);
        let mut run = Run::new(3, seed, every(10, 2));
        let leader = run.wait_leader();
        let behind = run.follower();
        run.sim.kill(behind);
        let value = "x".repeat(40_000);
        for number in 0..120 {
            run.put(leader, &format!("big{number}"), &value).unwrap();
        }
        run.sim.restart(behind);
        let ids = run.ids();
        for _ in 0..12 {
            run.run_ms(u64::from(random.between(5, 400)));
            match random.below(5) {
                0 => run.sim.links_mut().cut(leader, behind),
                1 => run.sim.links_mut().heal(),
                2 => run.sim.pause(behind),
                3 => run.sim.resume(behind),
                _ => {
                    let victim = if random.chance(1, 2) { behind } else { leader };
                    run.sim.kill(victim);
                    run.sim.restart(victim);
                }
            }
        }
        run.sim.links_mut().heal();
        for id in ids {
            run.sim.resume(id);
            run.sim.restart(id);
        }
        run.run_ms(2_000);
        let leader = run.wait_leader();
        run.put(leader, "end", "end").unwrap();
        run.run_ms(15_000);
        run.assert_nobody_crashed();
        assert_eq!(run.get(behind, "end", true), Ok(Some("end".to_owned())), "seed={seed}");
        run.assert_equal();
    }
}

#[test]
fn watches_of_a_member_go_on_across_its_snapshot() {
    // As etcd's table: start 0, 1, 2 see the put and the delete, 3 the delete, 4 nothing.
    for (start, expected) in
        [(0, vec![2, 3]), (1, vec![2, 3]), (2, vec![2, 3]), (3, vec![3]), (4, vec![])]
    {
        let mut run = Run::new(3, 5, every(10, 2));
        let leader = run.wait_leader();
        let behind = run.follower();
        let watch = run.watch(behind, "watched", start);
        run.run_ms(200);
        let ids = run.ids();
        run.sim.links_mut().isolate(behind, &ids);
        run.put(leader, "watched", "v").unwrap();
        let delete = etcd_playground::api::DeleteRangeRequest {
            key: bytes::Bytes::from_static(b"watched"),
            ..Default::default()
        };
        run.ask(leader, etcd_playground::api::Request::DeleteRange(delete)).unwrap();
        run.puts(leader, 40);
        assert_eq!(run.events(watch), [0; 0], "it is cut off");
        run.sim.links_mut().heal();
        run.run_ms(2_000);
        run.assert_equal();
        assert_eq!(run.events(watch), expected, "start {start}");
        let rows: Vec<u64> = run.sim.disk_mut(behind).unwrap().rows.keys().copied().collect();
        assert!(rows.iter().any(|key| key >> 32 > 0), "there was no snapshot");
        run.assert_nobody_crashed();
    }
}

/// Faults during puts while the log is short, so that snapshots happen all the time.
fn random_run(seed: u64) -> bool {
    let mut random = Pcg32::for_stream(seed, &[0x736e_6170]);
    let (count, catchup) = (u64::from(random.between(3, 30)), u64::from(random.below(10)));
    let mut run = Run::new(3, seed, every(count, catchup));
    let ids = run.ids();
    run.wait_leader();
    for number in 0..80 {
        let victim = ids[usize::try_from(random.below(3)).unwrap()];
        match random.below(12) {
            0 => run.sim.kill(victim),
            1 | 2 => ids.iter().for_each(|id: &MemberId| run.sim.restart(*id)),
            3 => run.sim.links_mut().isolate(victim, &ids),
            4 | 5 => run.sim.links_mut().heal(),
            6 => run.sim.pause(victim),
            7 => ids.iter().for_each(|id| run.sim.resume(*id)),
            _ => {}
        }
        for _ in 0..random.below(12) {
            let to = ids[usize::try_from(random.below(3)).unwrap()];
            run.sim
                .request(to, support::put(&format!("k{}", random.below(5)), &number.to_string()));
        }
        run.run_ms(u64::from(random.between(20, 400)));
    }
    run.sim.links_mut().heal();
    for id in &ids {
        run.sim.resume(*id);
        run.sim.restart(*id);
    }
    run.run_ms(1_000);
    let leader = run.wait_leader();
    run.put(leader, "end", "end").unwrap_or_else(|error| panic!("{error}; seed={seed}"));
    run.run_ms(6_000);
    run.assert_nobody_crashed();
    run.assert_equal();
    ids.iter().any(|id| run.sim.disk_mut(*id).unwrap().rows.keys().any(|key| key >> 32 > 0))
}

#[test]
fn random_faults_with_a_short_log_leave_all_members_equal() {
    let with_snapshot = (1..=100).filter(|seed| random_run(*seed)).count();
    assert!(with_snapshot > 30, "only {with_snapshot} of 100 runs had a snapshot");
}

#[test]
fn a_member_killed_at_any_moment_of_an_install_comes_back_whole() {
    let mut landed_in_between = 0;
    for steps in 0..45 {
        let mut run = Run::new(3, 21 + steps % 3, every(10, 2));
        let leader = run.wait_leader();
        let behind = run.follower();
        run.put(leader, "old", "state").unwrap();
        run.run_ms(300);
        run.sim.kill(behind);
        let value = "y".repeat(30_000);
        for number in 0..100 {
            run.put(leader, &format!("big{number}"), &value).unwrap();
        }
        run.sim.restart(behind);
        // Until the first chunk of the new generation is on the disk, then some events more.
        let is_writing =
            |run: &mut Run| run.sim.disk_mut(behind).unwrap().rows.keys().any(|key| key >> 32 > 0);
        while !is_writing(&mut run) {
            run.sim.step();
        }
        for _ in 0..steps {
            run.sim.step();
        }
        run.sim.kill(behind);
        let keys: Vec<u64> = run.sim.disk_mut(behind).unwrap().rows.keys().copied().collect();
        landed_in_between += u32::from(keys.iter().any(|key| key >> 32 == 0));
        run.sim.restart(behind);
        run.run_ms(6_000);
        run.assert_nobody_crashed();
        run.assert_equal();
        let disk = run.sim.disk_mut(behind).unwrap();
        let generations: std::collections::BTreeSet<u64> =
            disk.rows.keys().map(|key| key >> 32).collect();
        assert_eq!(generations.len(), 1, "orphans are left: {generations:?} steps={steps}");
    }
    assert!(landed_in_between > 8, "only {landed_in_between} kills hit the install");
}

#[test]
fn a_snapshot_that_nobody_acknowledges_is_given_up_and_tried_again() {
    let mut run = Run::new(3, 31, every(10, 2));
    let leader = run.wait_leader();
    let behind = run.follower();
    run.sim.kill(behind);
    let value = "z".repeat(50_000);
    for number in 0..60 {
        run.put(leader, &format!("big{number}"), &value).unwrap();
    }
    run.sim.restart(behind);
    let state = |run: &Run| {
        let status = run.sim.status(leader).unwrap();
        let progress = status.progress.iter().find(|progress| progress.member == behind);
        progress.unwrap().state.clone()
    };
    while state(&run) != "StateSnapshot" {
        run.sim.step();
    }
    // Only one direction is cut: parts arrive, but no acknowledgement does.
    run.sim.links_mut().cut_one_way(behind, leader);
    run.run_ms(1_000);
    assert_eq!(state(&run), "StateSnapshot");
    run.run_ms(4_000);
    assert_ne!(state(&run), "StateSnapshot", "it was given up");
    run.sim.links_mut().heal();
    run.run_ms(6_000);
    assert_eq!(state(&run), "StateReplicate");
    run.assert_equal();
    run.assert_nobody_crashed();
}
