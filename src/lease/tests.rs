//! Expectations of the lessor: etcd's own fifteen suites about it, the listed behaviours, and more.

use super::*;
use crate::api::{self, LeaseCheckpoint};
use crate::types::{LeaseId, Millis};
use bytes::Bytes;

mod model;

const NEVER: Millis = Millis(0);

/// As etcd's own suites: at least five seconds.
fn five_seconds() -> Config {
    Config { ttl_min: 5, ..Config::for_timing(100, 10) }
}

fn with_checkpoints() -> Config {
    Config { checkpoints: true, ..five_seconds() }
}

fn primary(config: Config) -> Lessor {
    let mut lessor = Lessor::new(config);
    lessor.promote(NEVER, 0);
    lessor
}

fn key(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn keys(texts: &[&str]) -> Vec<Bytes> {
    texts.iter().map(|text| key(text)).collect()
}

fn keys_of(lessor: &Lessor, id: i64) -> Vec<Bytes> {
    lessor.leases().get(LeaseId(id)).unwrap().keys().cloned().collect()
}

#[track_caller]
fn grant(lessor: &mut Lessor, id: i64, ttl: i64, now: u64) -> i64 {
    lessor.grant(LeaseId(id), ttl, Millis(now)).unwrap()
}

#[track_caller]
fn attach(lessor: &mut Lessor, id: i64, texts: &[&str]) {
    for text in texts {
        lessor.set_lease(&key(text), LeaseId(id)).unwrap();
    }
    lessor.assert_invariants();
}

fn checkpoint(lessor: &mut Lessor, id: i64, remaining_ttl: i64, now: u64) {
    lessor.checkpoint(LeaseCheckpoint { id: LeaseId(id), remaining_ttl }, Millis(now));
    lessor.assert_invariants();
}

fn ids(numbers: impl IntoIterator<Item = i64>) -> Vec<LeaseId> {
    numbers.into_iter().map(LeaseId).collect()
}

/// Ticks each 100 ms in `from..=to`; tells when which leases were to be revoked.
fn revokes(lessor: &mut Lessor, from: u64, to: u64) -> Vec<(u64, Vec<LeaseId>)> {
    let moments = (from..=to).step_by(100);
    moments
        .map(|now| (now, lessor.tick(Millis(now)).revoke))
        .filter(|(_, revoke)| !revoke.is_empty())
        .collect()
}

fn checkpoints(lessor: &mut Lessor, from: u64, to: u64) -> Vec<(u64, Vec<LeaseCheckpoint>)> {
    let moments = (from..=to).step_by(100);
    moments
        .flat_map(|now| {
            let batches = lessor.tick(Millis(now)).checkpoints;
            batches.into_iter().map(move |batch| (now, batch.checkpoints))
        })
        .collect()
}

// --- grant ---

#[test]
fn a_grant_gives_at_least_the_minimum_and_refuses_a_taken_id_and_id_0() {
    let mut lessor = primary(five_seconds());
    assert_eq!(grant(&mut lessor, 1, 1, 0), 5);
    assert_eq!(lessor.expiry(LeaseId(1)), Some(Millis(5000)));
    assert_eq!(lessor.grant(LeaseId(1), 1, NEVER), Err(api::Error::LeaseExist));
    assert_eq!(lessor.grant(LeaseId(0), 1, NEVER), Err(api::Error::LeaseNotFound));
    assert_eq!(grant(&mut lessor, 2, 1, 0), 5);
    assert_eq!(lessor.list(), ids([1, 2]));
    let stored = StoredLease { id: LeaseId(1), ttl: 5, remaining_ttl: 0 };
    assert_eq!(lessor.stored(LeaseId(1)), Some(stored));
    assert_eq!(lessor.stored(LeaseId(3)), None);
    assert_eq!(lessor.counters().granted, 2);
    lessor.assert_invariants();
}

#[test]
fn the_minimum_is_one_and_a_half_election_timeouts_rounded_up_to_seconds() {
    // (tick in ms, election timeout in ticks) -> seconds
    for (tick_ms, election_ticks, seconds) in [
        (100, 10, 2),
        (100, 50, 8),
        (10, 10, 1),
        (100, 13, 2),
        (100, 14, 3),
        (500, 3, 2),
        (0, 0, 1),
    ] {
        let config = Config::for_timing(tick_ms, election_ticks);
        assert_eq!(config.ttl_min, seconds, "{tick_ms} ms, {election_ticks} ticks");
    }
    let mut lessor = primary(Config::for_timing(100, 10));
    for (id, ttl, granted) in
        [(1, 0, 2), (2, -1, 2), (3, 1, 2), (4, 2, 2), (5, 3, 3), (6, -5, 2), (7, i64::MIN, 2)]
    {
        assert_eq!(grant(&mut lessor, id, ttl, 0), granted, "{ttl} s");
    }
}

#[test]
fn the_longest_time_to_live_is_nine_thousand_million_seconds() {
    let mut lessor = primary(five_seconds());
    let too_long = Err(api::Error::LeaseTtlTooLarge);
    assert_eq!(lessor.grant(LeaseId(1), 9_000_000_001, NEVER), too_long);
    assert_eq!(lessor.grant(LeaseId(1), i64::MAX, NEVER), too_long);
    assert!(!lessor.exists(LeaseId(1)));
    assert_eq!(grant(&mut lessor, 1, 9_000_000_000, 0), 9_000_000_000);
    assert_eq!(lessor.grant(LeaseId(1), 9_000_000_001, NEVER), too_long, "looked at before the id");
    assert_eq!(lessor.grant(LeaseId(0), 9_000_000_001, NEVER), Err(api::Error::LeaseNotFound));
    let found = lessor.time_to_live(LeaseId(1), Millis(1)).unwrap();
    assert_eq!((found.ttl, found.granted_ttl), (8_999_999_999, 9_000_000_000));
    assert_eq!(
        [api::Error::LeaseTtlTooLarge, api::Error::LeaseExist, api::Error::LeaseNotFound]
            .map(|error| error.to_string()),
        [
            "etcdserver: too large lease TTL",
            "etcdserver: lease already exists",
            "etcdserver: requested lease not found"
        ]
    );
}

#[test]
fn negative_ids_are_legal() {
    let mut lessor = primary(five_seconds());
    grant(&mut lessor, i64::MIN, 5, 0);
    attach(&mut lessor, i64::MIN, &["k"]);
    assert_eq!(lessor.renew(LeaseId(i64::MIN), NEVER), Ok(Renewal::Renewed { ttl: 5 }));
    assert_eq!(lessor.revoke(LeaseId(i64::MIN)), Ok(keys(&["k"])));
}

// --- keys ---

#[test]
fn keys_can_be_listed_at_any_moment_of_a_detach() {
    let mut lessor = Lessor::new(five_seconds());
    grant(&mut lessor, 1, 100, 0);
    let names: Vec<String> = (0..10).map(|number| format!("foo{number}")).collect();
    let mut left: Vec<&str> = names.iter().map(String::as_str).collect();
    attach(&mut lessor, 1, &left);
    while let Some(name) = left.pop() {
        lessor.set_lease(&key(name), LeaseId(0)).unwrap();
        assert_eq!(keys_of(&lessor, 1), keys(&left));
        lessor.assert_invariants();
    }
}

#[test]
fn a_revocation_names_the_keys_in_order_and_ends_the_lease() {
    let mut lessor = Lessor::new(five_seconds());
    grant(&mut lessor, 1, 100, 0);
    attach(&mut lessor, 1, &["foo", "bar"]);
    assert_eq!(lessor.revoke(LeaseId(1)), Ok(keys(&["bar", "foo"])));
    assert!(!lessor.exists(LeaseId(1)));
    assert_eq!(lessor.stored(LeaseId(1)), None);
    assert_eq!(lessor.leases().of_key(b"foo"), None);
    assert_eq!(lessor.revoke(LeaseId(1)), Err(api::Error::LeaseNotFound));
    assert_eq!(lessor.counters().revoked, 1);
    lessor.assert_invariants();
}

#[test]
fn a_lease_without_keys_is_revoked_without_deletions() {
    let mut lessor = Lessor::new(five_seconds());
    grant(&mut lessor, 1, 100, 0);
    assert_eq!(lessor.revoke(LeaseId(1)), Ok(Vec::new()));
}

#[test]
fn a_detached_key_leaves_the_others_attached() {
    let mut lessor = Lessor::new(five_seconds());
    grant(&mut lessor, 1, 100, 0);
    attach(&mut lessor, 1, &["foo", "bar"]);
    lessor.set_lease(&key("foo"), LeaseId(0)).unwrap();
    assert_eq!(keys_of(&lessor, 1), keys(&["bar"]));
    lessor.set_lease(&key("unknown"), LeaseId(0)).unwrap();
    assert_eq!(keys_of(&lessor, 1), keys(&["bar"]));
    lessor.assert_invariants();
}

#[test]
fn a_key_belongs_to_the_lease_of_its_last_put() {
    let mut lessor = Lessor::new(five_seconds());
    grant(&mut lessor, 1, 100, 0);
    grant(&mut lessor, 2, 100, 0);
    attach(&mut lessor, 1, &["k", "other"]);
    attach(&mut lessor, 2, &["k"]);
    attach(&mut lessor, 2, &["k"]);
    assert_eq!(keys_of(&lessor, 1), keys(&["other"]));
    assert_eq!(lessor.leases().of_key(b"k"), Some(LeaseId(2)));
    // The key survives the end of its first lease, and goes with its second.
    assert_eq!(lessor.revoke(LeaseId(1)), Ok(keys(&["other"])));
    assert_eq!(lessor.leases().of_key(b"k"), Some(LeaseId(2)));
    assert_eq!(lessor.revoke(LeaseId(2)), Ok(keys(&["k"])));
    lessor.assert_invariants();
}

#[test]
fn a_key_stays_with_its_lease_if_it_is_to_go_to_an_unknown_one() {
    let mut lessor = Lessor::new(five_seconds());
    grant(&mut lessor, 1, 100, 0);
    attach(&mut lessor, 1, &["k"]);
    assert_eq!(lessor.set_lease(&key("k"), LeaseId(404)), Err(api::Error::LeaseNotFound));
    assert_eq!(keys_of(&lessor, 1), keys(&["k"]));
    lessor.assert_invariants();
}

// --- keep-alive ---

#[test]
fn a_keep_alive_starts_the_time_anew() {
    let mut lessor = primary(five_seconds());
    grant(&mut lessor, 1, 10, 0);
    assert_eq!(lessor.renew(LeaseId(1), Millis(7000)), Ok(Renewal::Renewed { ttl: 10 }));
    assert_eq!(lessor.expiry(LeaseId(1)), Some(Millis(17_000)));
    assert_eq!(lessor.renew(LeaseId(2), Millis(7000)), Err(api::Error::LeaseNotFound));
    assert_eq!(lessor.counters().renewed, 1);
    assert_eq!(revokes(&mut lessor, 7000, 16_900), []);
    assert_eq!(revokes(&mut lessor, 17_000, 17_400), [(17_000, ids([1]))]);
    lessor.assert_invariants();
}

#[test]
fn a_keep_alive_lifts_the_checkpoint_first() {
    let mut lessor = primary(with_checkpoints());
    grant(&mut lessor, 1, 10, 0);
    checkpoint(&mut lessor, 1, 7, 3000);
    let Ok(Renewal::LiftCheckpoint(request)) = lessor.renew(LeaseId(1), Millis(4000)) else {
        panic!("the checkpoint is not lifted");
    };
    assert_eq!(request.checkpoints, [LeaseCheckpoint { id: LeaseId(1), remaining_ttl: 0 }]);
    assert_eq!(lessor.expiry(LeaseId(1)), Some(Millis(10_000)), "not renewed yet");
    for lifted in request.checkpoints {
        lessor.checkpoint(lifted, Millis(4010));
    }
    assert_eq!(lessor.leases().get(LeaseId(1)).unwrap().remaining_ttl(), 0);
    assert_eq!(lessor.renew(LeaseId(1), Millis(4010)), Ok(Renewal::Renewed { ttl: 10 }));
    assert_eq!(lessor.expiry(LeaseId(1)), Some(Millis(14_010)));
}

#[test]
fn only_the_primary_renews_and_knows_times() {
    let mut lessor = Lessor::new(five_seconds());
    grant(&mut lessor, 1, 10, 0);
    assert_eq!(lessor.renew(LeaseId(1), NEVER), Err(api::Error::NotPrimary));
    assert_eq!(lessor.time_to_live(LeaseId(1), NEVER), Err(api::Error::LeaderChanged));
    assert_eq!(lessor.time_to_live(LeaseId(2), NEVER), Err(api::Error::LeaseNotFound));
    assert_eq!(lessor.tick(Millis(1 << 60)), Actions::default(), "no lease expires by its clock");
    assert_eq!(api::Error::NotPrimary.text(), "not a primary lessor");
    assert_eq!(api::Error::NotPrimary.code(), api::Code::Unknown);
}

// --- expiry ---

#[test]
fn an_expired_lease_is_named_when_due_and_waits_for_its_revocation() {
    let mut lessor = Lessor::new(Config { ttl_min: 1, ..five_seconds() });
    lessor.promote(NEVER, 1000);
    grant(&mut lessor, 1, 1, 0);
    assert_eq!(revokes(&mut lessor, 0, 900), []);
    assert_eq!(revokes(&mut lessor, 1000, 1400), [(1000, ids([1]))]);
    // It is not brought back to life, however often somebody asks.
    assert_eq!(lessor.renew(LeaseId(1), Millis(1400)), Ok(Renewal::AwaitRevoke));
    assert_eq!(lessor.renew(LeaseId(1), Millis(1500)), Ok(Renewal::AwaitRevoke));
    assert!(lessor.exists(LeaseId(1)));
    assert_eq!(lessor.revoke(LeaseId(1)), Ok(Vec::new()));
    assert_eq!(lessor.renew(LeaseId(1), Millis(1600)), Err(api::Error::LeaseNotFound));
    assert_eq!(lessor.counters().renewed, 0);
}

#[test]
fn an_expired_lease_is_the_next_primarys_after_a_demotion() {
    let mut lessor = Lessor::new(Config { ttl_min: 1, ..five_seconds() });
    lessor.promote(NEVER, 1000);
    grant(&mut lessor, 1, 1, 0);
    assert_eq!(revokes(&mut lessor, 0, 1000), [(1000, ids([1]))]);
    assert_eq!(lessor.renew(LeaseId(1), Millis(1000)), Ok(Renewal::AwaitRevoke));
    lessor.demote();
    assert_eq!(lessor.renew(LeaseId(1), Millis(1100)), Err(api::Error::NotPrimary));
    assert_eq!(lessor.expiry(LeaseId(1)), None);
    // The next primary gives it its whole time again.
    lessor.promote(Millis(5000), 1000);
    assert_eq!(lessor.renew(LeaseId(1), Millis(5000)), Ok(Renewal::Renewed { ttl: 1 }));
}

#[test]
fn nothing_is_named_before_its_time_and_checks_are_half_a_second_apart() {
    let mut lessor = primary(five_seconds());
    grant(&mut lessor, 1, 5, 0);
    grant(&mut lessor, 2, 5, 100);
    assert_eq!(lessor.tick(Millis(4999)).revoke, []);
    assert_eq!(lessor.tick(Millis(5498)).revoke, [], "the check before was 499 ms ago");
    assert_eq!(lessor.tick(Millis(5499)).revoke, ids([1, 2]));
}

#[test]
fn a_revocation_that_does_not_come_is_asked_for_again() {
    let mut lessor = primary(five_seconds());
    assert_eq!(lessor.config().expired_retry_ms, 7000);
    grant(&mut lessor, 1, 5, 0);
    assert_eq!(
        revokes(&mut lessor, 100, 20_000),
        [(5000, ids([1])), (12_000, ids([1])), (19_000, ids([1]))],
        "each 5 s and two election timeouts"
    );
}

#[test]
fn at_most_five_hundred_are_revoked_per_check() {
    let mut lessor = primary(five_seconds());
    for id in 1..=1200 {
        grant(&mut lessor, id, 5, 0);
    }
    assert_eq!(
        revokes(&mut lessor, 5000, 6900),
        [(5000, ids(1..=500)), (5500, ids(501..=1000)), (6000, ids(1001..=1200))]
    );
    lessor.assert_invariants();
}

#[test]
fn leases_expire_in_order_of_time_whatever_the_order_of_grants() {
    let mut lessor = primary(five_seconds());
    for (id, ttl) in [(3, 6), (1, 7), (2, 5), (5, 5)] {
        grant(&mut lessor, id, ttl, 0);
    }
    assert_eq!(lessor.list(), ids([2, 5, 3, 1]));
    assert_eq!(lessor.tick(Millis(10_000)).revoke, ids([2, 5, 3, 1]));
    lessor.demote();
    assert_eq!(lessor.list(), ids([1, 2, 3, 5]), "by id where no times are known");
}

#[test]
fn the_queue_gives_the_earliest_first_and_one_place_to_each_lease() {
    let mut queue = queue::Queue::default();
    for (id, time) in [(1, 50), (2, 10), (3, 30), (4, 10), (5, 40)] {
        queue.set(LeaseId(id), Millis(time));
    }
    queue.set(LeaseId(5), Millis(5));
    queue.set(LeaseId(2), Millis(60));
    queue.remove(LeaseId(3));
    queue.remove(LeaseId(3));
    queue.assert_invariants();
    assert_eq!(queue.time(LeaseId(2)), Some(Millis(60)));
    assert_eq!(queue.pop_due(Millis(4)), None);
    let popped: Vec<LeaseId> = std::iter::from_fn(|| queue.pop_due(Millis(60))).collect();
    assert_eq!(popped, ids([5, 4, 1, 2]));
    assert_eq!(queue.ids().count(), 0);
}

// --- time to live ---

#[test]
fn time_to_live_is_in_whole_seconds_with_keys_in_order() {
    let mut lessor = primary(five_seconds());
    grant(&mut lessor, 1, 5, 0);
    attach(&mut lessor, 1, &["b", "a", "c"]);
    for (now, ttl) in
        [(0, 5), (1, 4), (1000, 4), (4001, 0), (5000, 0), (5999, 0), (6000, -1), (7500, -2)]
    {
        assert_eq!(
            lessor.time_to_live(LeaseId(1), Millis(now)),
            Ok(TimeToLive { ttl, granted_ttl: 5, keys: keys(&["a", "b", "c"]) }),
            "at {now} ms"
        );
    }
}

// --- promotion ---

#[test]
fn a_promotion_gives_the_full_time_and_an_election_timeout() {
    let mut lessor = primary(five_seconds());
    grant(&mut lessor, 1, 60, 0);
    assert_eq!(lessor.time_to_live(LeaseId(1), Millis(40_000)).unwrap().ttl, 20);
    lessor.demote();
    lessor.promote(Millis(41_000), 1000);
    assert_eq!(lessor.expiry(LeaseId(1)), Some(Millis(102_000)));
    assert_eq!(lessor.time_to_live(LeaseId(1), Millis(41_001)).unwrap().ttl, 60);
    lessor.assert_invariants();
}

fn count_by_second(lessor: &Lessor) -> Vec<(u64, u32)> {
    let mut counts = std::collections::BTreeMap::new();
    for id in lessor.list() {
        *counts.entry(lessor.expiry(id).unwrap().0 / 1000).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

#[test]
fn a_promotion_spreads_a_pile_over_the_seconds_after_it() {
    // As etcd's own suite: two overlapping piles of 100, at a rate of 10.
    let mut lessor = Lessor::new(Config { revoke_rate: 10, ..five_seconds() });
    for number in 1..=100 {
        grant(&mut lessor, 2 * number, 10, 0);
        grant(&mut lessor, 2 * number + 1, 11, 0);
    }
    let stored: Vec<StoredLease> = lessor.all_stored().collect();
    let mut lessor = Lessor::restore(*lessor.config(), stored).unwrap();
    lessor.promote(NEVER, 0);
    lessor.assert_invariants();
    let counts = count_by_second(&lessor);
    assert_eq!(counts.len(), 29, "200 leases, 7 a second");
    for (second, count) in counts {
        assert!(count == 7 || second == 38, "{count} leases expire in second {second}");
    }
}

#[test]
fn from_a_thousand_leases_on_at_most_750_expire_in_a_second() {
    let mut lessor = Lessor::new(five_seconds());
    for id in 1..=999 {
        grant(&mut lessor, id, 10, 0);
    }
    lessor.promote(NEVER, 1000);
    assert_eq!(count_by_second(&lessor), [(11, 999)], "fewer are left alone");
    grant(&mut lessor, 1000, 10, 0);
    for id in 1001..=2000 {
        grant(&mut lessor, id, 14, 0);
    }
    lessor.promote(NEVER, 1000);
    assert_eq!(count_by_second(&lessor), [(11, 750), (12, 250), (15, 750), (16, 250)]);
    assert_eq!(lessor.expiry(LeaseId(1)), Some(Millis(11_000)));
    assert_eq!(lessor.expiry(LeaseId(751)), Some(Millis(12_000)));
    assert_eq!(lessor.expiry(LeaseId(1000)), Some(Millis(12_332)), "249/750 s later");
}

// --- checkpoints ---

#[test]
fn a_checkpoint_is_proposed_after_the_interval() {
    let config = Config { ttl_min: 1, checkpoint_interval_ms: 1000, ..with_checkpoints() };
    let mut lessor = Lessor::new(config);
    grant(&mut lessor, 1, 2, 0);
    lessor.promote(NEVER, 0);
    let expected = LeaseCheckpoint { id: LeaseId(1), remaining_ttl: 1 };
    assert_eq!(checkpoints(&mut lessor, 0, 1900), [(1000, vec![expected])]);
    // A time to live that is no longer than the interval needs none.
    lessor.checkpoint(expected, Millis(1900));
    assert_eq!(checkpoints(&mut lessor, 1900, 9000), []);
}

#[test]
fn checkpoints_follow_one_another_each_five_minutes() {
    let mut lessor = primary(with_checkpoints());
    grant(&mut lessor, 1, 1000, 0);
    grant(&mut lessor, 2, 300, 0);
    let mut seen = Vec::new();
    for now in (0..1_000_000).step_by(100) {
        for batch in lessor.tick(Millis(now)).checkpoints {
            for found in batch.checkpoints {
                seen.push((now, found.id.0, found.remaining_ttl));
                lessor.checkpoint(found, Millis(now));
            }
        }
        if now % 1000 == 0 && now < 900_000 {
            assert_eq!(lessor.renew(LeaseId(2), Millis(now)), Ok(Renewal::Renewed { ttl: 300 }));
        }
    }
    assert_eq!(seen, [(300_000, 1, 700), (600_000, 1, 400), (900_000, 1, 100)]);
    assert_eq!(lessor.expiry(LeaseId(1)), Some(Millis(1_000_000)), "expiries stay as they are");
    lessor.assert_invariants();
}

#[test]
fn a_renewed_lease_is_proposed_at_most_two_checkpoints_per_interval() {
    let mut lessor = primary(with_checkpoints());
    grant(&mut lessor, 1, 600, 0);
    let mut proposals = Vec::new();
    for now in (0..3_600_000).step_by(500) {
        let mut applied: Vec<_> =
            lessor.tick(Millis(now)).checkpoints.into_iter().flat_map(|b| b.checkpoints).collect();
        if now % 200_000 == 0
            && let Renewal::LiftCheckpoint(lift) = lessor.renew(LeaseId(1), Millis(now)).unwrap()
        {
            applied.extend(lift.checkpoints);
        }
        for found in applied {
            proposals.push((now, found.remaining_ttl));
            lessor.checkpoint(found, Millis(now));
        }
        if now % 200_000 == 0 {
            assert_eq!(lessor.renew(LeaseId(1), Millis(now)), Ok(Renewal::Renewed { ttl: 600 }));
        }
    }
    for window in proposals.windows(3) {
        assert!(window[2].0 - window[0].0 >= 300_000, "too many in one interval: {window:?}");
    }
    // The times of checkpoints drift through those of keep-alives, and none is lost on the way.
    assert!(proposals.len() >= 10, "{proposals:?}");
    assert_eq!(proposals.first(), Some(&(300_000, 500)));
}

#[test]
fn a_checkpoint_due_right_after_a_keep_alive_is_put_off() {
    let mut lessor = primary(with_checkpoints());
    grant(&mut lessor, 1, 600, 0);
    assert_eq!(lessor.renew(LeaseId(1), Millis(300_000)), Ok(Renewal::Renewed { ttl: 600 }));
    let expected = LeaseCheckpoint { id: LeaseId(1), remaining_ttl: 300 };
    assert_eq!(checkpoints(&mut lessor, 300_000, 700_000), [(600_000, vec![expected])]);
}

#[test]
fn checkpoints_travel_in_batches_of_a_thousand() {
    let mut lessor = primary(with_checkpoints());
    for id in 1..=2500 {
        grant(&mut lessor, id, 1000, 0);
    }
    let sizes: Vec<(u64, usize)> = checkpoints(&mut lessor, 299_000, 301_000)
        .into_iter()
        .map(|(now, batch)| (now, batch.len()))
        .collect();
    assert_eq!(sizes, [(300_000, 1000), (300_000, 1000), (300_000, 500)]);
    lessor.assert_invariants();
}

#[test]
fn without_the_feature_nothing_is_checkpointed() {
    let mut lessor = primary(five_seconds());
    grant(&mut lessor, 1, 1000, 0);
    assert_eq!(checkpoints(&mut lessor, 0, 900_000), []);
}

#[test]
fn a_promotion_starts_from_the_checkpoint() {
    let mut lessor = Lessor::new(five_seconds());
    grant(&mut lessor, 1, 10, 0);
    checkpoint(&mut lessor, 1, 5, 0);
    lessor.promote(NEVER, 0);
    assert_eq!(lessor.expiry(LeaseId(1)), Some(Millis(5000)));
    checkpoint(&mut lessor, 1, 0, 0);
    lessor.promote(NEVER, 0);
    assert_eq!(lessor.expiry(LeaseId(1)), Some(Millis(10_000)));
}

#[test]
fn a_checkpoint_of_an_unknown_lease_changes_nothing() {
    let mut lessor = primary(with_checkpoints());
    grant(&mut lessor, 1, 10, 0);
    let before = lessor.leases().clone();
    checkpoint(&mut lessor, 2, 5, 0);
    assert_eq!(*lessor.leases(), before);
    checkpoint(&mut lessor, 1, -3, 0);
    assert_eq!(*lessor.leases(), before, "a negative time counts as none");
    checkpoint(&mut lessor, 1, 11, 0);
    assert_eq!(lessor.leases().get(LeaseId(1)).unwrap().remaining_ttl(), 10, "at most all of it");
}

// --- disk and snapshot ---

#[test]
fn stored_leases_come_back_without_expiry() {
    let mut lessor = primary(five_seconds());
    grant(&mut lessor, 1, 10, 0);
    grant(&mut lessor, -2, 20, 0);
    let stored: Vec<StoredLease> = lessor.all_stored().collect();
    let restored = Lessor::restore(five_seconds(), stored).unwrap();
    assert_eq!(restored.leases(), lessor.leases());
    assert_eq!(restored.expiry(LeaseId(1)), None);
    assert!(!restored.is_primary());
}

#[test]
fn a_stored_time_to_live_below_the_minimum_is_raised() {
    let stored = [StoredLease { id: LeaseId(1), ttl: 2, remaining_ttl: 1 }];
    let lessor = Lessor::restore(five_seconds(), stored).unwrap();
    let lease = lessor.leases().get(LeaseId(1)).unwrap();
    assert_eq!((lease.granted_ttl(), lease.remaining_ttl()), (5, 1));
}

#[test]
fn a_checkpoint_survives_a_restart_if_it_is_stored() {
    for (checkpoint_persist, remaining_ttl) in [(true, 5), (false, 0)] {
        let config = Config { checkpoint_persist, ..five_seconds() };
        let mut lessor = Lessor::new(config);
        grant(&mut lessor, 2, 10, 0);
        checkpoint(&mut lessor, 2, 5, 0);
        assert_eq!(lessor.leases().get(LeaseId(2)).unwrap().remaining_ttl(), 5);
        let restored = Lessor::restore(config, lessor.stored(LeaseId(2))).unwrap();
        let lease = restored.leases().get(LeaseId(2)).unwrap();
        assert_eq!((lease.granted_ttl(), lease.remaining_ttl()), (10, remaining_ttl));
    }
}

#[test]
fn the_keys_are_attached_again_by_their_newest_rows() {
    // Each case: rows in order of revision (key, lease; 0 is a put without or a deletion), then what
    // a revocation of lease 1 and then of lease 2 deletes.
    type Case = (&'static [(&'static str, i64)], &'static [&'static str], &'static [&'static str]);
    let cases: [Case; 4] = [
        (&[("k", 1)], &["k"], &[]),
        (&[("k", 1), ("k", 0)], &[], &[]),
        (&[("k", 1), ("k", 2)], &[], &["k"]),
        (&[("k", 1), ("j", 1), ("k", 0), ("k", 1)], &["j", "k"], &[]),
    ];
    for (rows, first, second) in cases {
        let mut lessor = Lessor::new(five_seconds());
        grant(&mut lessor, 1, 10, 0);
        grant(&mut lessor, 2, 10, 0);
        let mut newest = std::collections::BTreeMap::new();
        for (text, id) in rows {
            attach(&mut lessor, *id, &[text]);
            newest.insert(*text, *id);
        }
        let stored: Vec<StoredLease> = lessor.all_stored().collect();
        let mut restored = Lessor::restore(five_seconds(), stored).unwrap();
        for (text, id) in newest {
            attach(&mut restored, id, &[text]);
        }
        assert_eq!(restored.leases(), lessor.leases(), "{rows:?}");
        assert_eq!(restored.revoke(LeaseId(1)), Ok(keys(first)), "{rows:?}");
        assert_eq!(restored.revoke(LeaseId(2)), Ok(keys(second)), "{rows:?}");
    }
}

#[test]
fn stored_leases_that_contradict_themselves_are_refused() {
    let lease = StoredLease { id: LeaseId(1), ttl: 10, remaining_ttl: 0 };
    for (stored, error) in [
        (vec![StoredLease { id: LeaseId(0), ..lease }], Error::NoId),
        (vec![lease, lease], Error::Duplicate(LeaseId(1))),
        (vec![StoredLease { ttl: 0, ..lease }], Error::Ttl(LeaseId(1))),
        (vec![StoredLease { ttl: TTL_MAX + 1, ..lease }], Error::Ttl(LeaseId(1))),
        (vec![StoredLease { remaining_ttl: 11, ..lease }], Error::Ttl(LeaseId(1))),
        (vec![StoredLease { remaining_ttl: -1, ..lease }], Error::Ttl(LeaseId(1))),
    ] {
        assert_eq!(Lessor::restore(five_seconds(), stored).unwrap_err(), error);
    }
}

#[test]
fn the_replicated_part_travels_whole_and_looks_the_same_however_it_came_about() {
    let mut one = primary(five_seconds());
    let mut two = Lessor::new(five_seconds());
    grant(&mut one, 1, 10, 0);
    grant(&mut one, -7, 20, 50);
    grant(&mut two, -7, 20, 900);
    grant(&mut two, 1, 10, 901);
    attach(&mut one, 1, &["a", "b"]);
    attach(&mut two, -7, &["b"]);
    attach(&mut two, 1, &["b", "a"]);
    checkpoint(&mut one, 1, 3, 0);
    checkpoint(&mut two, 1, 3, 0);
    assert_eq!(one.renew(LeaseId(1), Millis(5)), Ok(Renewal::Renewed { ttl: 10 }));
    let bytes = postcard::to_stdvec(one.leases()).unwrap();
    assert_eq!(bytes, postcard::to_stdvec(two.leases()).unwrap());
    let read: Leases = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(read, *one.leases());
    Lessor::from_leases(five_seconds(), read).assert_invariants();
}

#[test]
fn a_damaged_replicated_part_is_refused() {
    let lease = StoredLease { id: LeaseId(1), ttl: 10, remaining_ttl: 0 };
    let second = StoredLease { id: LeaseId(2), ..lease };
    let damaged: [Vec<(StoredLease, Vec<Bytes>)>; 5] = [
        vec![(StoredLease { id: LeaseId(0), ..lease }, vec![])],
        vec![(lease, vec![]), (lease, vec![])],
        vec![(lease, keys(&["a"])), (second, keys(&["a"]))],
        vec![(lease, keys(&["a", "a"]))],
        vec![(lease, keys(&[""]))],
    ];
    for form in damaged {
        let bytes = postcard::to_stdvec(&form).unwrap();
        assert!(postcard::from_bytes::<Leases>(&bytes).is_err(), "{form:?}");
    }
    let sound = postcard::to_stdvec(&vec![(lease, keys(&["a"])), (second, keys(&["b"]))]).unwrap();
    assert!(postcard::from_bytes::<Leases>(&sound).is_ok());
}
