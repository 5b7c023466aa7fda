//! A member's metrics under etcd's names.
//!
//! What it is: a table from names to what the member counts (see `counters`) or is at the moment.
//! What it is not: every metric of etcd: those of Go's runtime, of gRPC's library and of bbolt's pages
//! have nothing to measure here.
//! Invariants: names, kinds and labels are etcd's; the help texts are ours; asking changes nothing.
//! Source: names of etcd's `metrics.go` files.

use super::counters::Traffic;
use super::server::Server;
use crate::api::{AlarmMember, Metric, MetricKind, MetricValue, Sample};
use crate::raft::StateRole;
use crate::types::MemberId;

use MetricKind::{Counter, Gauge, Histogram};

/// Collects metrics.
struct Table(Vec<Metric>);

impl Table {
    fn add(&mut self, name: &str, kind: MetricKind, help: &str, samples: Vec<Sample>) {
        let (name, help) = (name.to_owned(), help.to_owned());
        self.0.push(Metric { name, help, kind, samples });
    }

    fn count(&mut self, name: &str, help: &str, number: u64) {
        self.add(name, Counter, help, vec![sample(&[], signed(number))]);
    }

    fn gauge(&mut self, name: &str, help: &str, number: i64) {
        self.add(name, Gauge, help, vec![sample(&[], number)]);
    }

    /// One that is 1 and says something by its label.
    fn label(&mut self, name: &str, help: &str, label: &str, value: &str) {
        self.add(name, Gauge, help, vec![sample(&[(label, value)], 1)]);
    }

    fn durations(&mut self, name: &str, help: &str, value: MetricValue) {
        let samples = vec![Sample { labels: Vec::new(), value }];
        self.add(name, Histogram, help, samples);
    }
}

fn sample(labels: &[(&str, &str)], number: i64) -> Sample {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Sample { labels: labels.iter().map(owned).collect(), value: MetricValue::Number(number) }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Server {
    /// Everything this member counts, under etcd's names.
    #[must_use]
    pub fn metrics(&self) -> Vec<Metric> {
        let mut table = Table(Vec::new());
        self.server_metrics(&mut table);
        self.proposal_metrics(&mut table);
        self.store_metrics(&mut table);
        self.watch_metrics(&mut table);
        self.disk_metrics(&mut table);
        self.lease_metrics(&mut table);
        self.network_metrics(&mut table);
        self.snapshot_metrics(&mut table);
        table.0
    }

    fn server_metrics(&self, table: &mut Table) {
        let is_leader = i64::from(self.role == StateRole::Leader);
        let own = format!("{:x}", self.config.member);
        table.gauge(
            "etcd_server_has_leader",
            "1 if a leader is known.",
            i64::from(self.lead.is_some()),
        );
        table.gauge("etcd_server_is_leader", "1 if this member leads.", is_leader);
        table.gauge(
            "etcd_server_is_learner",
            "1 if this member is a learner.",
            self.is_learner().into(),
        );
        let changes = self.counters.leader_changes;
        table.count(
            "etcd_server_leader_changes_seen_total",
            "Leaders seen one after the other.",
            changes,
        );
        let late = self.counters.heartbeats_late;
        table.count(
            "etcd_server_heartbeat_send_failures_total",
            "Heartbeats that left late.",
            late,
        );
        let quota = self.config.quota_bytes;
        table.gauge("etcd_server_quota_backend_bytes", "The quota on the database.", quota);
        table.label("etcd_server_id", "This member.", "server_id", &own);
        table.label(
            "etcd_server_version",
            "Its version.",
            "server_version",
            super::answer::VERSION,
        );
        table.label("etcd_cluster_version", "The cluster's version.", "cluster_version", "3.7");
        self.alarm_metrics(table);
        self.request_metrics(table);
    }

    fn alarm_metrics(&self, table: &mut Table) {
        let alarms = self.alarm_list();
        let alarm = |active: &AlarmMember| {
            let (member, alarm) = (format!("{:x}", active.member_id), active.alarm.to_string());
            sample(&[("server_id", &member), ("alarm_type", &alarm)], 1)
        };
        let samples = alarms.iter().map(alarm).collect();
        table.add("etcd_debugging_server_alarms", Gauge, "Active alarms.", samples);
    }

    fn request_metrics(&self, table: &mut Table) {
        let requests = [
            sample(
                &[("type", "unary"), ("client_api_version", "3.7")],
                signed(self.counters.requests_unary),
            ),
            sample(
                &[("type", "stream"), ("client_api_version", "3.7")],
                signed(self.counters.requests_stream),
            ),
        ];
        table.add(
            "etcd_server_client_requests_total",
            Counter,
            "Requests of clients.",
            requests.into(),
        );
        let promoted = self.counters.promotions;
        table.count(
            "etcd_server_learner_promote_successes",
            "Learners promoted while leading.",
            promoted,
        );
        let refused = self.counters.promotions_refused.iter();
        let refused = refused.map(|(why, count)| sample(&[("Reason", *why)], signed(*count)));
        table.add(
            "etcd_server_learner_promote_failures",
            Counter,
            "Promotions refused while leading.",
            refused.collect(),
        );
    }

    fn proposal_metrics(&self, table: &mut Table) {
        let counters = &self.counters;
        let commit = signed(self.raft.commit().0);
        let pending = signed(self.waiting_proposals());
        table.gauge("etcd_server_proposals_committed_total", "The commit index.", commit);
        table.gauge(
            "etcd_server_proposals_applied_total",
            "The applied index.",
            signed(self.applied.0),
        );
        table.gauge("etcd_server_proposals_pending", "Proposals whose clients wait.", pending);
        let failed = counters.proposals_failed;
        table.count("etcd_server_proposals_failed_total", "Proposals that were given up.", failed);
        table.count(
            "etcd_server_slow_apply_total",
            "Entries applied slowly.",
            counters.slow_applies,
        );
        let slow = counters.slow_reads;
        table.count(
            "etcd_server_slow_read_indexes_total",
            "Read indexes that came late or never.",
            slow,
        );
        let failed = self.reads.failed();
        table.count(
            "etcd_server_read_indexes_failed_total",
            "Read indexes that Raft refused.",
            failed,
        );
        let installing = i64::from(self.disk.is_installing());
        let help = "1 while a snapshot is installed.";
        table.gauge("etcd_server_snapshot_apply_in_progress_total", help, installing);
    }

    fn store_metrics(&self, table: &mut Table) {
        let (counters, store) = (&self.counters, &self.store);
        table.count("etcd_mvcc_range_total", "Ranges read.", counters.ranges);
        table.count("etcd_mvcc_put_total", "Puts applied.", counters.puts);
        table.count("etcd_mvcc_delete_total", "Deletes applied.", counters.deletes);
        table.count(
            "etcd_mvcc_txn_total",
            "Transactions of more than one operation.",
            counters.txns,
        );
        let size = store.db_size();
        table.gauge("etcd_mvcc_db_total_size_in_bytes", "Bytes of the database.", size);
        let in_use = store.db_size_in_use();
        table.gauge("etcd_mvcc_db_total_size_in_use_in_bytes", "Bytes of it in use.", in_use);
        let keys = signed(store.keys_total());
        table.gauge("etcd_debugging_mvcc_keys_total", "Keys that exist.", keys);
        let current = store.current_revision();
        table.gauge("etcd_debugging_mvcc_current_revision", "The newest revision.", current);
        let compacted = store.compact_revision();
        table.gauge("etcd_debugging_mvcc_compact_revision", "The compacted revision.", compacted);
        let bytes = signed(counters.put_bytes);
        table.gauge("etcd_debugging_mvcc_total_put_size_in_bytes", "Keys and values put.", bytes);
        let rows = counters.rows_compacted;
        table.count("etcd_debugging_mvcc_db_compaction_keys_total", "Rows compacted away.", rows);
    }

    fn watch_metrics(&self, table: &mut Table) {
        let watches = self.store.watch_counts();
        let streams = signed(u64::try_from(self.streams.len()).unwrap_or(u64::MAX));
        table.gauge("etcd_debugging_mvcc_watch_stream_total", "Open watch streams.", streams);
        table.gauge("etcd_debugging_mvcc_watcher_total", "Watches.", signed(watches.watchers));
        table.gauge(
            "etcd_debugging_mvcc_slow_watcher_total",
            "Watches that lag.",
            signed(watches.slow),
        );
        let pending = signed(watches.pending_events);
        table.gauge("etcd_debugging_mvcc_pending_events_total", "Events not sent yet.", pending);
        let events = self.counters.events_sent;
        table.count("etcd_debugging_mvcc_events_total", "Events sent.", events);
    }

    fn disk_metrics(&self, table: &mut Table) {
        let sync = self.counters.wal_sync.value();
        let help = "Rounds that held log records.";
        table.durations("etcd_disk_wal_fsync_duration_seconds", help, sync);
        let commit = self.counters.backend_commit.value();
        let help = "Rounds that held rows.";
        table.durations("etcd_disk_backend_commit_duration_seconds", help, commit);
        let bytes = signed(self.counters.wal_bytes);
        table.gauge("etcd_disk_wal_write_bytes_total", "Bytes of log handed to the disk.", bytes);
    }

    fn lease_metrics(&self, table: &mut Table) {
        let leases = self.lessor.counters();
        table.count("etcd_debugging_lease_granted_total", "Leases granted.", leases.granted);
        table.count("etcd_debugging_lease_revoked_total", "Leases revoked.", leases.revoked);
        table.count(
            "etcd_debugging_lease_renewed_total",
            "Keep-alives while leading.",
            leases.renewed,
        );
        let expired = self.counters.leases_expired;
        table.count(
            "etcd_debugging_server_lease_expired_total",
            "Leases that ran out while leading.",
            expired,
        );
    }

    fn network_metrics(&self, table: &mut Table) {
        let counters = &self.counters;
        let sent = counters.client_sent;
        table.count("etcd_network_client_grpc_sent_bytes_total", "Bytes sent to clients.", sent);
        let received = counters.client_received;
        table.count(
            "etcd_network_client_grpc_received_bytes_total",
            "Bytes from clients.",
            received,
        );
        let own = format!("{:x}", self.config.member);
        let known =
            |peer: &MemberId| sample(&[("Local", &own), ("Remote", &format!("{peer:x}"))], 1);
        let active = self.connected.iter().map(known).collect();
        table.add("etcd_network_active_peers", Gauge, "Peers that are connected.", active);
        let others = self.cluster.members.keys().filter(|id| **id != self.config.member);
        table.add("etcd_network_known_peers", Gauge, "Members.", others.map(known).collect());
        let samples = self.per_peer("To", |traffic| traffic.sent);
        table.add("etcd_network_peer_sent_bytes_total", Counter, "Bytes sent to peers.", samples);
        let samples = self.per_peer("From", |traffic| traffic.received);
        table.add("etcd_network_peer_received_bytes_total", Counter, "Bytes from peers.", samples);
    }

    fn per_peer(&self, label: &str, number: impl Fn(&Traffic) -> u64) -> Vec<Sample> {
        let peers = self.counters.peers.iter();
        let samples = peers.map(|(peer, traffic)| {
            sample(&[(label, &format!("{peer:x}"))], signed(number(traffic)))
        });
        samples.collect()
    }

    fn snapshot_metrics(&self, table: &mut Table) {
        let samples = self.per_peer("To", |traffic| traffic.snapshots_sent);
        table.add("etcd_network_snapshot_send_success", Counter, "Snapshots sent.", samples);
        let samples = self.per_peer("To", |traffic| traffic.snapshots_failed);
        table.add("etcd_network_snapshot_send_failures", Counter, "Snapshots given up.", samples);
        let going = self.transfers.keys();
        let samples = going.map(|peer| sample(&[("To", &format!("{peer:x}"))], 1)).collect();
        table.add(
            "etcd_network_snapshot_send_inflights_total",
            Gauge,
            "Snapshots going out.",
            samples,
        );
        let samples = self.per_peer("From", |traffic| traffic.snapshots_received);
        table.add("etcd_network_snapshot_receive_success", Counter, "Snapshots received.", samples);
        let samples = self.per_peer("From", |traffic| traffic.snapshots_refused);
        table.add(
            "etcd_network_snapshot_receive_failures",
            Counter,
            "Snapshots of no use.",
            samples,
        );
    }
}
