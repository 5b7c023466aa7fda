//! Compactions that nobody asks for, with etcd's timing.

use etcd_playground::api::AutoCompaction;
use etcd_playground::types::MemberId;

use crate::support::Run;

const MINUTE: u64 = 60_000;

fn compacted(run: &Run, member: MemberId) -> i64 {
    run.sim.status(member).unwrap().compact_revision
}

fn periodic(retention_ms: u64) -> Run {
    Run::new(1, 1, move |config| {
        config.auto_compaction = AutoCompaction::Periodic { retention_ms };
    })
}

#[test]
fn by_default_nothing_is_compacted() {
    let mut run = Run::new(1, 1, |_| {});
    let only = run.wait_leader();
    run.puts(only, 10);
    run.run_ms(2 * 60 * MINUTE);
    assert_eq!(compacted(&run, only), -1);
}

#[test]
fn an_hour_of_history_is_kept_from_the_first_hour_on() {
    let mut run = periodic(60 * MINUTE);
    let only = run.wait_leader();
    // One put a minute: the revision tells the time.
    let mut seen = Vec::new();
    for minute in 1..=200_u64 {
        run.put(only, "k", "v").unwrap();
        let next = minute * MINUTE;
        let wait = next.saturating_sub(run.sim.now().0);
        run.run_ms(wait);
        let now = compacted(&run, only);
        if seen.last().map(|(_, revision)| *revision) != Some(now) {
            seen.push((minute, now));
        }
    }
    // Nothing in the first hour; then each hour the revision of an hour (and a sample) before.
    let [(_, never), first, second, third] = seen[..] else { panic!("{seen:?}") };
    assert_eq!(never, -1);
    for (number, (minute, revision)) in (1..).zip([first, second, third]) {
        let hour = number * 60;
        assert!((hour..=hour + 7).contains(&minute), "{seen:?}");
        let kept = i64::try_from(minute).unwrap() + 1 - revision;
        assert!((59..=67).contains(&kept), "{kept} minutes are kept: {seen:?}");
    }
}

#[test]
fn a_period_below_an_hour_is_its_own_interval_and_one_above_is_compacted_each_hour() {
    let mut run = periodic(10_000);
    let only = run.wait_leader();
    for _ in 0..35 {
        run.put(only, "k", "v").unwrap();
        run.run_ms(1_000);
    }
    // 35 puts in 35 s; at 10, 20 and 30 s what was there 10 s before.
    let now = compacted(&run, only);
    assert!((19..=24).contains(&now), "{now}");
    let mut run = periodic(120 * MINUTE);
    let only = run.wait_leader();
    let mut times = Vec::new();
    for minute in 1..=250_u64 {
        run.put(only, "k", "v").unwrap();
        run.run_ms(MINUTE);
        let now = compacted(&run, only);
        if times.last().is_none_or(|(_, revision)| *revision != now) {
            times.push((minute, now));
        }
    }
    let minutes: Vec<u64> = times.iter().skip(1).map(|(minute, _)| *minute).collect();
    assert_eq!(minutes.len(), 3, "{times:?}");
    for (expected, minute) in [120, 180, 240].into_iter().zip(minutes) {
        assert!((expected..=expected + 10).contains(&minute), "{times:?}");
    }
    let (minute, revision) = times[3];
    let kept = i64::try_from(minute).unwrap() + 1 - revision;
    assert!((119..=128).contains(&kept), "{kept} minutes are kept");
}

#[test]
fn by_number_all_but_the_newest_revisions_go_every_five_minutes() {
    let mut run = Run::new(3, 2, |config| {
        config.auto_compaction = AutoCompaction::Revision { retention: 100 };
    });
    let leader = run.wait_leader();
    run.puts(leader, 60);
    run.run_ms(6 * MINUTE);
    assert_eq!(compacted(&run, leader), -1, "there are fewer than that");
    run.puts(leader, 100);
    run.run_ms(5 * MINUTE);
    for id in run.ids() {
        assert_eq!(compacted(&run, id), 61, "161 - 100, on every member");
    }
    let before = run.sim.status(leader).unwrap().applied;
    run.run_ms(11 * MINUTE);
    assert_eq!(run.sim.status(leader).unwrap().applied, before, "the same again is not proposed");
    run.assert_equal();
}

#[test]
fn a_new_leader_goes_on_with_its_own_samples() {
    let mut run = Run::new(3, 3, |config| {
        config.auto_compaction = AutoCompaction::Periodic { retention_ms: 20_000 };
    });
    let mut leader = run.wait_leader();
    for second in 1..=60 {
        run.put(leader, "k", "v").unwrap();
        run.run_ms(1_000);
        if second == 30 {
            run.sim.kill(leader);
            leader = run.wait_leader();
        }
    }
    let (now, current) = (compacted(&run, leader), run.sim.status(leader).unwrap().revision);
    assert!((20..=45).contains(&(current - now)), "{now} of {current}");
    run.assert_nobody_crashed();
}
