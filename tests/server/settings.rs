//! What a cluster can be set to, as its members then behave.

use bytes::Bytes;
use etcd_playground::api::{
    AutoCompaction, CompactionRequest, MemberAddRequest, PutRequest, Request, RequestOp, Settings,
    TxnRequest,
};
use etcd_playground::etcdserver::ServerConfig;
use etcd_playground::membership::peer_url;
use etcd_playground::types::MemberId;

use crate::support::Run;

fn set(change: fn(&mut Settings)) -> impl Fn(&mut ServerConfig) {
    move |config| {
        let mut settings = Settings::default();
        change(&mut settings);
        settings.check().unwrap();
        config.set(&settings);
    }
}

fn add(number: u32, is_learner: bool) -> Request {
    Request::MemberAdd(MemberAddRequest { peer_urls: vec![peer_url(number)], is_learner })
}

#[test]
fn without_settings_a_member_has_etcds_defaults() {
    let config = ServerConfig::new(MemberId(1), Vec::new(), 1);
    assert_eq!((config.tick_ms, config.election_ticks), (100, 10));
    assert_eq!((config.snapshot_count, config.snapshot_catchup_entries), (10_000, 5_000));
    assert_eq!((config.max_txn_ops, config.max_request_bytes), (128, 1_572_864));
    assert_eq!((config.quota_bytes, config.max_learners), (2_147_483_648, 1));
    assert_eq!((config.compaction_batch_limit, config.compaction_sleep_ms), (1_000, 10));
    assert_eq!((config.corrupt_check_ms, config.compact_hash_check_ms), (0, 0));
    assert_eq!((config.watch_progress_notify_ms, config.warning_apply_ms), (600_000, 100));
    assert_eq!((config.auth.bcrypt_cost, config.auth.token_ttl_ms), (10, 300_000));
    assert_eq!(config.auto_compaction, AutoCompaction::Off);
    assert_eq!(config.lease_checkpoint_ms, 0);
    assert!(config.pre_vote && config.initial_election_tick_advance);
    assert!(config.strict_reconfig_check && !config.initial_corrupt_check);
}

#[test]
fn switches_of_features_carry_their_times() {
    let mut config = ServerConfig::new(MemberId(1), Vec::new(), 1);
    let settings =
        Settings { lease_checkpoint: true, compact_hash_check: true, ..Settings::default() };
    config.set(&settings);
    assert_eq!((config.lease_checkpoint_ms, config.compact_hash_check_ms), (300_000, 60_000));
}

#[test]
fn without_the_strict_check_a_member_is_added_to_a_cluster_that_cannot_spare_one() {
    let mut run = Run::new(3, 1, |_| {});
    let leader = run.wait_leader();
    let refused = run.ask(leader, add(4, false)).unwrap_err();
    assert_eq!(refused, "etcdserver: unhealthy cluster", "it has just started");
    let mut run = Run::new(3, 1, set(|settings| settings.strict_reconfig_check = false));
    let leader = run.wait_leader();
    let down = run.follower();
    run.sim.kill(down);
    assert!(run.ask(leader, add(4, false)).is_ok());
    // Two of four: now nothing gets through any more.
    let late = run.ask_5s(leader, add(5, false)).unwrap_err();
    assert_eq!(late, "context deadline exceeded");
}

#[test]
fn the_first_election_waits_a_whole_timeout_unless_ticks_are_advanced() {
    let first_leader = |advances: bool| {
        let mut waits = Vec::new();
        for seed in 1..=10 {
            let mut run = Run::new(3, seed, |config| {
                config.initial_election_tick_advance = advances;
                config.election_ticks = 30;
            });
            while run.leader().is_none() {
                run.run_ms(10);
            }
            waits.push(run.sim.now().0);
        }
        waits.into_iter().max().unwrap()
    };
    assert!(first_leader(true) < 3_000, "{}", first_leader(true));
    assert!(first_leader(false) >= 3_000, "{}", first_leader(false));
}

#[test]
fn the_number_of_learners_is_limited_as_set() {
    let too_many = "etcdserver: too many learner members in cluster";
    let mut run = Run::new(1, 2, |_| {});
    let only = run.wait_leader();
    run.ask(only, add(4, true)).unwrap();
    assert_eq!(run.ask(only, add(5, true)).unwrap_err(), too_many);
    let mut run = Run::new(1, 2, set(|settings| settings.max_learners = 2));
    let only = run.wait_leader();
    run.ask(only, add(4, true)).unwrap();
    run.ask(only, add(5, true)).unwrap();
    assert_eq!(run.ask(only, add(6, true)).unwrap_err(), too_many);
}

#[test]
fn requests_and_transactions_are_limited_as_set() {
    let put = |key: &str, bytes: usize| PutRequest {
        key: Bytes::copy_from_slice(key.as_bytes()),
        value: Bytes::from(vec![b'x'; bytes]),
        ..Default::default()
    };
    let txn = |count: usize| {
        let op = |number: usize| RequestOp::Put(put(&format!("k{number}"), 1));
        Request::Txn(TxnRequest { success: (0..count).map(op).collect(), ..Default::default() })
    };
    let too_large = "etcdserver: request is too large";
    let too_many = "etcdserver: too many operations in txn request";
    let mut run = Run::new(1, 3, |_| {});
    let only = run.wait_leader();
    assert!(run.ask(only, Request::Put(put("k", 1_500_000))).is_ok());
    assert_eq!(run.ask(only, Request::Put(put("k", 1_600_000))).unwrap_err(), too_large);
    assert!(run.ask(only, txn(128)).is_ok());
    assert_eq!(run.ask(only, txn(129)).unwrap_err(), too_many);
    let small = set(|settings| {
        settings.max_request_bytes = 1_000;
        settings.max_txn_ops = 2;
    });
    let mut run = Run::new(1, 3, small);
    let only = run.wait_leader();
    assert!(run.ask(only, Request::Put(put("k", 900))).is_ok());
    assert_eq!(run.ask(only, Request::Put(put("k", 1_000))).unwrap_err(), too_large);
    assert!(run.ask(only, txn(2)).is_ok());
    assert_eq!(run.ask(only, txn(3)).unwrap_err(), too_many);
}

#[test]
fn a_compaction_goes_on_in_steps_as_large_as_set() {
    let rows_after = |settings: fn(&mut Settings), ms: u64| {
        let mut run = Run::new(1, 4, set(settings));
        let only = run.wait_leader();
        for _ in 0..20 {
            for _ in 0..100 {
                run.sim.request(only, crate::support::put("k", "v"));
            }
            run.run_ms(30);
        }
        run.run_ms(200);
        // A physical one would be answered only when all its rows are gone.
        let request = CompactionRequest { revision: 2_001, physical: false };
        run.ask(only, Request::Compaction(request)).unwrap();
        run.run_ms(ms);
        run.metric(only, "etcd_debugging_mvcc_db_compaction_keys_total")
    };
    assert_eq!(rows_after(|_| {}, 0), 1_999, "10,000 rows a tick");
    let slow = |settings: &mut Settings| {
        settings.compaction_batch_limit = 50;
        settings.compaction_sleep_ms = 50;
    };
    let at_once = rows_after(slow, 0);
    assert!((100..=300).contains(&at_once), "{at_once}");
    let later = rows_after(slow, 500);
    assert!((500..=800).contains(&later), "100 a tick, {later}");
    assert_eq!(rows_after(slow, 3_000), 1_999);
}

#[test]
fn a_read_that_nobody_confirms_is_given_up_after_the_request_timeout() {
    let mut run = Run::new(3, 5, |_| {});
    let leader = run.wait_leader();
    let alone = run.follower();
    for id in run.ids() {
        if id != alone {
            run.sim.kill(id);
        }
    }
    let _ = leader;
    let begun = run.sim.now().0;
    let error = run.get(alone, "k", false).unwrap_err();
    assert_eq!(error, "etcdserver: request timed out");
    let waited = run.sim.now().0 - begun;
    assert!((6_900..=7_100).contains(&waited), "5 s and two election timeouts: {waited}");
    // Without a leader nobody can even be asked.
    let begun = run.sim.now().0;
    assert_eq!(run.get(alone, "k", false).unwrap_err(), "etcdserver: request timed out");
    let waited = run.sim.now().0 - begun;
    assert!((6_900..=7_100).contains(&waited), "{waited}");
    assert_eq!(run.metric(alone, "etcd_server_slow_read_indexes_total"), 2);
}
