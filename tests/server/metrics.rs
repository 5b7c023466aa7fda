//! What members count, under etcd's names.

use bytes::Bytes;
use etcd_playground::api::{
    LeaseGrantRequest, MemberEvent, MemberPromoteRequest, MetricValue, MoveLeaderRequest,
    PutRequest, Request, RequestOp, TxnRequest, exposition,
};
use etcd_playground::etcdserver::{Input, Measured};
use etcd_playground::membership::client_url;
use etcd_playground::types::{LeaseId, MemberId};

use crate::support::Run;

/// The samples of a metric: (labels as `name=value`, number).
fn samples(run: &Run, member: MemberId, name: &str) -> Vec<(String, i64)> {
    let metrics = run.sim.metrics(member).unwrap();
    let found = metrics.iter().find(|metric| metric.name == name).unwrap();
    let told = found.samples.iter().map(|sample| {
        let labels: Vec<String> =
            sample.labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
        match sample.value {
            MetricValue::Number(number) => (labels.join(","), number),
            MetricValue::Durations { .. } => panic!("{name} is a histogram"),
        }
    });
    told.collect()
}

#[test]
fn operations_on_keys_are_counted_on_every_member_that_applies_them() {
    let mut run = Run::new(3, 1, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    run.put(leader, "a", "12345").unwrap();
    run.put(leader, "b", "1").unwrap();
    let op = |request| match request {
        Request::Put(put) => RequestOp::Put(put),
        Request::DeleteRange(delete) => RequestOp::DeleteRange(delete),
        Request::Range(range) => RequestOp::Range(range),
        other => panic!("{other:?}"),
    };
    let delete = etcd_playground::api::DeleteRangeRequest {
        key: Bytes::from_static(b"b"),
        ..Default::default()
    };
    let success = vec![op(crate::support::put("c", "v")), op(Request::DeleteRange(delete))];
    run.ask(leader, Request::Txn(TxnRequest { success, ..Default::default() })).unwrap();
    run.get(leader, "a", false).unwrap();
    run.get(leader, "a", true).unwrap();
    run.run_ms(300);
    for (member, ranges) in [(leader, 2), (follower, 0)] {
        let metric = |name: &str| run.metric(member, name);
        assert_eq!(metric("etcd_mvcc_put_total"), 3);
        assert_eq!(metric("etcd_mvcc_delete_total"), 1);
        assert_eq!(metric("etcd_mvcc_txn_total"), 1);
        assert_eq!(metric("etcd_mvcc_range_total"), ranges);
        assert_eq!(metric("etcd_debugging_mvcc_total_put_size_in_bytes"), 6 + 2 + 2);
        assert_eq!(metric("etcd_debugging_mvcc_keys_total"), 2, "a and c");
        assert_eq!(metric("etcd_debugging_mvcc_current_revision"), 4);
        assert_eq!(metric("etcd_debugging_mvcc_compact_revision"), -1);
        assert_eq!(metric("etcd_mvcc_db_total_size_in_bytes"), 20_480);
        assert_eq!(metric("etcd_mvcc_db_total_size_in_use_in_bytes"), 20_480);
        assert_eq!(metric("etcd_server_quota_backend_bytes"), 2_147_483_648);
    }
    run.compact(leader, 4);
    run.run_ms(200);
    assert_eq!(run.metric(follower, "etcd_debugging_mvcc_compact_revision"), 4);
    assert_eq!(run.metric(follower, "etcd_debugging_mvcc_db_compaction_keys_total"), 1);
    run.sim.kill(follower);
    run.sim.restart(follower);
    run.run_ms(1_000);
    assert_eq!(run.metric(follower, "etcd_debugging_mvcc_keys_total"), 2, "found again");
    assert_eq!(run.metric(follower, "etcd_mvcc_put_total"), 0, "counted from the start");
}

#[test]
fn leaders_and_proposals_are_counted() {
    let mut run = Run::new(3, 2, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    run.puts(leader, 5);
    run.run_ms(300);
    let status = run.sim.status(leader).unwrap();
    let applied = i64::try_from(status.applied.0).unwrap();
    for (member, leads) in [(leader, 1), (follower, 0)] {
        assert_eq!(run.metric(member, "etcd_server_is_leader"), leads);
        assert_eq!(run.metric(member, "etcd_server_has_leader"), 1);
        assert_eq!(run.metric(member, "etcd_server_leader_changes_seen_total"), 1);
        assert_eq!(run.metric(member, "etcd_server_proposals_applied_total"), applied);
        assert_eq!(run.metric(member, "etcd_server_proposals_committed_total"), applied);
        assert_eq!(run.metric(member, "etcd_server_proposals_pending"), 0);
        assert_eq!(run.metric(member, "etcd_server_proposals_failed_total"), 0);
    }
    run.ask(leader, Request::MoveLeader(MoveLeaderRequest { target_id: follower })).unwrap();
    run.run_ms(300);
    assert_eq!(run.metric(follower, "etcd_server_is_leader"), 1);
    assert_eq!(run.metric(leader, "etcd_server_leader_changes_seen_total"), 2);
    for id in run.ids() {
        if id != follower {
            run.sim.kill(id);
        }
    }
    let call = run.sim.request(follower, crate::support::put("k", "v"));
    run.run_ms(100);
    assert_eq!(run.metric(follower, "etcd_server_proposals_pending"), 1);
    run.run_ms(9_000);
    assert_eq!(run.metric(follower, "etcd_server_proposals_failed_total"), 1);
    assert_eq!(run.metric(follower, "etcd_server_has_leader"), 0);
    let error = run.reply(call).unwrap().unwrap_err();
    assert_eq!(error, "etcdserver: request timed out");
}

#[test]
fn leases_watches_and_requests_are_counted() {
    let mut run = Run::new(1, 3, |_| {});
    let only = run.wait_leader();
    for id in [1, 2] {
        let grant = LeaseGrantRequest { ttl: 2, id: LeaseId(id) };
        run.ask(only, Request::LeaseGrant(grant)).unwrap();
    }
    let first = run.watch(only, "k", 0);
    run.watch(only, "k", 0);
    run.run_ms(50);
    run.put(only, "k", "v").unwrap();
    run.run_ms(100);
    let metric = |run: &Run, name: &str| run.metric(only, name);
    assert_eq!(metric(&run, "etcd_debugging_mvcc_watcher_total"), 2);
    assert_eq!(metric(&run, "etcd_debugging_mvcc_watch_stream_total"), 2);
    assert_eq!(metric(&run, "etcd_debugging_mvcc_slow_watcher_total"), 0);
    assert_eq!(metric(&run, "etcd_debugging_mvcc_pending_events_total"), 0);
    assert_eq!(metric(&run, "etcd_debugging_mvcc_events_total"), 2);
    run.sim.cancel(first);
    run.run_ms(6_000);
    assert_eq!(metric(&run, "etcd_debugging_mvcc_watcher_total"), 1);
    assert_eq!(metric(&run, "etcd_debugging_lease_granted_total"), 2);
    assert_eq!(metric(&run, "etcd_debugging_lease_revoked_total"), 2);
    assert_eq!(metric(&run, "etcd_debugging_server_lease_expired_total"), 2);
    let requests = samples(&run, only, "etcd_server_client_requests_total");
    let expected = [
        ("type=unary,client_api_version=3.7".to_owned(), 3),
        ("type=stream,client_api_version=3.7".to_owned(), 2),
    ];
    assert_eq!(requests, expected);
}

#[test]
fn what_the_driver_measures_becomes_histograms_counters_and_events() {
    let mut run = Run::new(3, 4, |_| {});
    let leader = run.wait_leader();
    run.put(leader, "k", "v").unwrap();
    run.run_ms(300);
    let told = |run: &Run| -> Vec<MemberEvent> {
        let events = run.member_events.iter().filter(|(member, _)| *member == leader);
        let slow = events.filter(|(_, event)| {
            matches!(event, MemberEvent::SlowDisk { .. } | MemberEvent::ApplyTookTooLong { .. })
        });
        slow.map(|(_, event)| event.clone()).collect()
    };
    // The work before was a tick: nothing was applied, but heartbeats were late.
    run.sim.tell(leader, Input::Tick);
    run.sim.tell(leader, Input::Measured(Measured::Work { ms: 500 }));
    run.run_ms(1);
    assert!(told(&run).is_empty());
    assert_eq!(run.metric(leader, "etcd_server_heartbeat_send_failures_total"), 2);
    for ms in [3, 3, 2_000] {
        run.sim.tell(leader, Input::Measured(Measured::Disk { ms }));
    }
    run.run_ms(1);
    assert_eq!(told(&run), [MemberEvent::SlowDisk { took_ms: 2_000, expected_ms: 1_000 }]);
    let bytes = Measured::ClientBytes { sent: 70, received: 30 };
    run.sim.tell(leader, Input::Measured(bytes));
    assert_eq!(run.metric(leader, "etcd_network_client_grpc_sent_bytes_total"), 70);
    assert_eq!(run.metric(leader, "etcd_network_client_grpc_received_bytes_total"), 30);
    let peer = run.follower();
    run.sim.tell(leader, Input::Measured(Measured::PeerBytes { peer, sent: 5, received: 6 }));
    assert_eq!(
        samples(&run, leader, "etcd_network_peer_sent_bytes_total"),
        [(format!("To={peer:x}"), 5)]
    );
    assert!(run.metric(leader, "etcd_disk_wal_write_bytes_total") > 100);
    let text = exposition(&run.sim.metrics(leader).unwrap());
    assert!(text.contains("etcd_disk_wal_fsync_duration_seconds_bucket{le=\"0.004\"} "), "{text}");
    assert!(text.contains(&format!("etcd_server_id{{server_id=\"{leader:x}\"}} 1\n")));
    assert!(text.contains("etcd_server_version{server_version=\"3.7.1\"} 1\n"));
    assert!(text.lines().all(|line| line.starts_with("# ") || line.starts_with("etcd_")));
}

#[test]
fn a_slow_disk_of_the_simulation_is_an_event_and_stands_in_the_histograms() {
    let mut run = Run::new(3, 14, |_| {});
    let leader = run.wait_leader();
    run.put(leader, "k", "v").unwrap();
    run.run_ms(500);
    let slow = |run: &Run| -> Vec<(MemberId, u64)> {
        let told = run.member_events.iter().filter_map(|(member, event)| match event {
            MemberEvent::SlowDisk { took_ms, expected_ms: 1_000 } => Some((*member, *took_ms)),
            _ => None,
        });
        told.collect()
    };
    let rounds = |run: &Run, name: &str| {
        let metrics = run.sim.metrics(leader).unwrap();
        let metric = metrics.into_iter().find(|metric| metric.name == name).unwrap();
        match &metric.samples[0].value {
            MetricValue::Durations { buckets, sum_ms, count } => (
                *count,
                *sum_ms,
                buckets.iter().find(|bucket| bucket.at_most_ms == 1_024).unwrap().count,
            ),
            MetricValue::Number(number) => panic!("{number} is no histogram"),
        }
    };
    let fsync = "etcd_disk_wal_fsync_duration_seconds";
    let commit = "etcd_disk_backend_commit_duration_seconds";
    let (before, before_ms, quick) = rounds(&run, fsync);
    assert!(before > 2 && before_ms >= before && quick == before, "{before} {before_ms} {quick}");
    assert!(rounds(&run, commit).0 > 0);
    assert!(slow(&run).is_empty());
    run.sim.stall_disk(leader, 1_500);
    run.sim.request(leader, crate::support::put("k", "w"));
    run.run_ms(2_500);
    let told = slow(&run);
    assert!(!told.is_empty() && told.iter().all(|(member, _)| *member == leader), "{told:?}");
    assert!(told.iter().all(|(_, ms)| (1_001..=1_500).contains(ms)), "{told:?}");
    let (after, after_ms, quick) = rounds(&run, fsync);
    assert_eq!(after - quick, 1, "one round is above all buckets up to 1.024 s");
    assert!(after > before && after_ms >= before_ms + told[0].1);
}

#[test]
fn an_apply_that_takes_too_long_is_an_event_with_what_was_applied() {
    let mut run = Run::new(1, 5, |config| config.warning_apply_ms = 50);
    let only = run.wait_leader();
    // Measured after every input, as a driver does.
    run.sim.request(only, crate::support::put("k", "v"));
    for _ in 0..40 {
        run.sim.step();
        run.sim.tell(only, Input::Measured(Measured::Work { ms: 51 }));
    }
    run.run_ms(100);
    let slow: Vec<MemberEvent> = run
        .member_events
        .iter()
        .filter(|(_, event)| matches!(event, MemberEvent::ApplyTookTooLong { .. }))
        .map(|(_, event)| event.clone())
        .collect();
    let expected = MemberEvent::ApplyTookTooLong {
        took_ms: 51,
        expected_ms: 50,
        entries: 1,
        request: "put".to_owned(),
    };
    assert!(slow.contains(&expected), "{slow:?}");
    assert_eq!(
        run.metric(only, "etcd_server_slow_apply_total"),
        i64::try_from(slow.len()).unwrap()
    );
}

#[test]
fn learners_snapshots_and_removals_are_told() {
    let (mut run, only) = Run::with_short_log(6);
    let added = run.add_learner(only);
    let id = added.member.id;
    let early = run.ask(only, Request::MemberPromote(MemberPromoteRequest { id })).unwrap_err();
    let reason = "etcdserver: can only promote a learner member which is in sync with leader";
    assert_eq!(early, reason);
    let refused = samples(&run, only, "etcd_server_learner_promote_failures");
    assert_eq!(refused, [(format!("Reason={reason}"), 1)]);
    run.sim.join(&added, "infra4", &client_url(4));
    run.run_ms(3_000);
    let sent = samples(&run, only, "etcd_network_snapshot_send_success");
    assert_eq!(sent, [(format!("To={id:x}"), 1)]);
    let received = samples(&run, id, "etcd_network_snapshot_receive_success");
    assert_eq!(received, [(format!("From={only:x}"), 1)]);
    assert_eq!(run.metric(id, "etcd_server_is_learner"), 1);
    run.ask(only, Request::MemberPromote(MemberPromoteRequest { id })).unwrap();
    assert_eq!(run.metric(only, "etcd_server_learner_promote_successes"), 1);
    run.run_ms(6_000);
    let remove = etcd_playground::api::MemberRemoveRequest { id };
    run.ask(only, Request::MemberRemove(remove)).unwrap();
    run.run_ms(3_000);
    let removed = run.member_events.iter().filter(|told| **told == (id, MemberEvent::Removed));
    assert_eq!(removed.count(), 1, "once");
    assert!(!run.sim.is_up(id));
    let known = samples(&run, only, "etcd_network_known_peers");
    assert!(known.is_empty(), "{known:?}");
}

#[test]
fn alarms_are_shown_with_their_member() {
    let mut run = Run::new(1, 7, |config| config.quota_bytes = 1_024);
    let only = run.wait_leader();
    let put = PutRequest { key: Bytes::from_static(b"k"), ..Default::default() };
    run.ask(only, Request::Put(put)).unwrap_err();
    let alarms = samples(&run, only, "etcd_debugging_server_alarms");
    assert_eq!(alarms, [(format!("server_id={only:x},alarm_type=NOSPACE"), 1)]);
}
