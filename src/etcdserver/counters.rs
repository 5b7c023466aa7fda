//! What a member counts, for its metrics.
//!
//! What it is: numbers since the start of this boot, changed where things happen.
//! What it is not: state: nothing depends on them, they are neither stored nor hashed, and durations come
//! from the driver ([`Measured`]). Their names and text are in `metrics`.
//! Invariants: counters only grow.
//! Source: behaviour behind etcd's metrics of the same names.

use super::io::{DiskStore, Measured, Round};
use super::request::Operation;
use super::server::Server;
use crate::api::{self, Bucket, MemberEvent, MetricValue, Response, ResponseOp};
use crate::raft::StateRole;
use crate::types::{MemberId, SmallMap};

/// From when on a disk round is slow. Unit: ms. Source: etcd `warnSyncDuration`, 1 s.
const SLOW_DISK_MS: u64 = 1_000;

/// A leader that works for longer than this many heartbeats sends them late. Source: etcd's raft node.
const LATE_HEARTBEATS: u64 = 2;

/// Durations by length: buckets of 1 ms, 2 ms, 4 ms, … and what is longer than all.
///
/// Source: etcd's buckets of `wal_fsync_duration_seconds`, 1 ms to 8.192 s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Durations {
    /// Not cumulative.
    buckets: [u64; Self::BUCKETS],
    sum_ms: u64,
    count: u64,
}

impl Durations {
    const BUCKETS: usize = 14;

    fn add(&mut self, ms: u64) {
        self.sum_ms = self.sum_ms.saturating_add(ms);
        self.count += 1;
        let mut bound = 1;
        for bucket in &mut self.buckets {
            if ms <= bound {
                *bucket += 1;
                return;
            }
            bound *= 2;
        }
    }

    /// As a metric's value.
    pub(super) fn value(&self) -> MetricValue {
        let mut buckets = Vec::new();
        let (mut at_most_ms, mut count) = (1, 0);
        for bucket in self.buckets {
            count += bucket;
            buckets.push(Bucket { at_most_ms, count });
            at_most_ms *= 2;
        }
        MetricValue::Durations { buckets, sum_ms: self.sum_ms, count: self.count }
    }
}

/// What went to and came from one peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traffic {
    pub(super) sent: u64,
    pub(super) received: u64,
    pub(super) snapshots_sent: u64,
    pub(super) snapshots_failed: u64,
    pub(super) snapshots_received: u64,
    pub(super) snapshots_refused: u64,
}

/// See the module's head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counters {
    pub(super) leader_changes: u64,
    pub(super) proposals_failed: u64,
    pub(super) slow_applies: u64,
    pub(super) slow_reads: u64,
    pub(super) heartbeats_late: u64,
    pub(super) leases_expired: u64,
    pub(super) promotions: u64,
    pub(super) promotions_refused: SmallMap<&'static str, u64>,
    pub(super) requests_unary: u64,
    pub(super) requests_stream: u64,
    pub(super) client_sent: u64,
    pub(super) client_received: u64,
    pub(super) ranges: u64,
    pub(super) puts: u64,
    pub(super) deletes: u64,
    pub(super) txns: u64,
    pub(super) put_bytes: u64,
    pub(super) rows_compacted: u64,
    pub(super) events_sent: u64,
    pub(super) wal_bytes: u64,
    pub(super) wal_sync: Durations,
    pub(super) backend_commit: Durations,
    pub(super) peers: SmallMap<MemberId, Traffic>,
    /// What the last disk round held: log, rows.
    round: (bool, bool),
    /// Entries applied by this input so far, and what the last of them was.
    applied: (u64, &'static str),
    /// The same of the input before, which is what the driver measures.
    applied_before: (u64, &'static str),
}

impl Counters {
    pub(super) fn peer(&mut self, peer: MemberId) -> &mut Traffic {
        self.peers.get_or_insert_with(peer, Traffic::default)
    }

    /// A round was handed out.
    pub(super) fn round(&mut self, round: &Round) {
        let has = |wanted| round.puts.iter().any(|put| put.store == wanted);
        self.round = (has(DiskStore::Wal), has(DiskStore::Rows) || has(DiskStore::Meta));
        let wal = round.puts.iter().filter(|put| put.store == DiskStore::Wal);
        self.wal_bytes += wal.map(|put| count(put.bytes.len())).sum::<u64>();
    }

    /// An answer about keys, to a client or of an entry.
    pub(super) fn answered(&mut self, response: &Response) {
        let mut ops = Ops::default();
        match response {
            Response::Range(_) => ops.ranges += 1,
            Response::Put(_) => ops.puts += 1,
            Response::DeleteRange(_) => ops.deletes += 1,
            Response::Txn(txn) => ops.add(txn),
            _ => return,
        }
        self.ranges += ops.ranges;
        self.puts += ops.puts;
        self.deletes += ops.deletes;
        self.txns += u64::from(ops.ranges + ops.puts + ops.deletes > 1);
    }

    /// An entry was applied.
    pub(super) fn applied(&mut self, operation: &'static str) {
        self.applied = (self.applied.0 + 1, operation);
    }
}

#[derive(Default)]
struct Ops {
    ranges: u64,
    puts: u64,
    deletes: u64,
}

impl Ops {
    fn add(&mut self, txn: &api::TxnResponse) {
        for response in &txn.responses {
            match response {
                ResponseOp::Range(_) => self.ranges += 1,
                ResponseOp::Put(_) => self.puts += 1,
                ResponseOp::DeleteRange(_) => self.deletes += 1,
                ResponseOp::Txn(nested) => self.add(nested),
            }
        }
    }
}

fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// An operation in a word.
pub(super) const fn name(operation: &Operation) -> &'static str {
    match operation {
        Operation::Put(_) => "put",
        Operation::DeleteRange(_) => "delete_range",
        Operation::Txn(_) => "txn",
        Operation::Compaction(_) => "compaction",
        Operation::Alarm(_) => "alarm",
        Operation::ClusterMemberAttrSet { .. } => "cluster_member_attr_set",
        Operation::DowngradeInfoSet(_) => "downgrade_info_set",
        Operation::LeaseGrant(_) => "lease_grant",
        Operation::LeaseRevoke(_) => "lease_revoke",
        Operation::LeaseCheckpoint(_) => "lease_checkpoint",
        Operation::Auth(_) => "auth",
        Operation::Authenticate(_) => "authenticate",
    }
}

impl Server {
    /// The driver measured something.
    pub(super) fn measured(&mut self, measured: Measured) {
        match measured {
            Measured::Disk { ms } => self.disk_took(ms),
            Measured::Work { ms } => self.work_took(ms),
            Measured::ClientBytes { sent, received } => {
                self.counters.client_sent += sent;
                self.counters.client_received += received;
            }
            Measured::PeerBytes { peer, sent, received } => {
                let traffic = self.counters.peer(peer);
                traffic.sent += sent;
                traffic.received += received;
            }
        }
    }

    fn disk_took(&mut self, ms: u64) {
        let (has_log, has_rows) = self.counters.round;
        if has_log {
            self.counters.wal_sync.add(ms);
        }
        if has_rows {
            self.counters.backend_commit.add(ms);
        }
        if ms > SLOW_DISK_MS {
            let event = MemberEvent::SlowDisk { took_ms: ms, expected_ms: SLOW_DISK_MS };
            self.outputs.push_back(super::io::Output::Event(event));
        }
    }

    fn work_took(&mut self, ms: u64) {
        let (entries, operation) = std::mem::take(&mut self.counters.applied_before);
        let expected_ms = self.config.warning_apply_ms;
        if entries > 0 && ms > expected_ms {
            self.counters.slow_applies += entries;
            let request = operation.to_owned();
            let event =
                MemberEvent::ApplyTookTooLong { took_ms: ms, expected_ms, entries, request };
            self.outputs.push_back(super::io::Output::Event(event));
        }
        if self.role == StateRole::Leader && ms > LATE_HEARTBEATS * self.config.tick_ms {
            let peers = self.cluster.members.len().saturating_sub(1);
            self.counters.heartbeats_late += count(peers);
        }
    }

    /// A new input is handled: what was applied belongs to the one before. A measurement that comes alone
    /// is no work of its own; one among other inputs means what was handled before all of them, too.
    pub(super) fn begin_work(&mut self, is_measurement: bool) {
        let applied = std::mem::take(&mut self.counters.applied);
        if !is_measurement || applied.0 > 0 {
            self.counters.applied_before = applied;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_fall_into_etcds_buckets() {
        let mut durations = Durations::default();
        for ms in [0, 1, 2, 3, 4, 8_192, 8_193, 20_000] {
            durations.add(ms);
        }
        let MetricValue::Durations { buckets, sum_ms, count } = durations.value() else {
            unreachable!("it is a histogram")
        };
        assert_eq!((sum_ms, count), (36_395, 8));
        let counts: Vec<(u64, u64)> = buckets.iter().map(|b| (b.at_most_ms, b.count)).collect();
        assert_eq!(counts[..4], [(1, 2), (2, 3), (4, 5), (8, 5)]);
        assert_eq!(counts[13], (8_192, 6));
        assert_eq!(counts.len(), 14);
    }
}
