//! Compactions that nobody asks for: by age and by number of revisions.
//!
//! What it is: etcd's two compactors, on ticks: every member notes its revisions, the leader proposes.
//! What it is not: the compaction itself, which goes through the log as a client's does.
//! Invariants: one proposal is on its way at a time, and meanwhile the clock of the compactor stands;
//! a revision that is compacted already counts as done; what failed is tried again.
//! Source: behaviour of etcd `server/etcdserver/api/v3compactor`.

use std::collections::VecDeque;

use super::request::{Operation, ProposalId};
use super::server::Server;
use crate::api::{AutoCompaction, CompactionRequest, Error};
use crate::raft::StateRole;

/// A longer period is compacted this often all the same. Unit: ms. Source: etcd, one hour.
const INTERVAL_MS_MAX: u64 = 3_600_000;

/// Samples in an interval. Source: etcd `retryDivisor`.
const SAMPLES: u64 = 10;

/// How often the number of revisions is looked at. Unit: ms. Source: etcd `revInterval`, 5 minutes.
const REVISION_INTERVAL_MS: u64 = 300_000;

/// A compaction that was proposed.
#[derive(Clone, Copy, Debug)]
struct Proposed {
    id: ProposalId,
    revision: i64,
    deadline: u64,
}

/// A compactor of either kind.
#[derive(Clone, Debug, Default)]
pub(super) struct AutoCompactor {
    has_begun: bool,
    /// The tick of the next look.
    next_at: u64,
    /// By age: the revisions of the last samples, the oldest first.
    revisions: VecDeque<i64>,
    /// By age: the tick of the last success, or of the start.
    succeeded_at: u64,
    /// By age: the first whole period is over.
    has_waited: bool,
    /// By number: where the last success was.
    compacted: i64,
    proposed: Option<Proposed>,
}

/// Ticks of a compactor by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Periods {
    /// How long revisions are kept.
    period: u64,
    /// Between two compactions.
    interval: u64,
    /// Between two samples.
    sample: u64,
    /// Samples kept.
    samples: u64,
}

impl Periods {
    fn new(retention_ms: u64, tick_ms: u64) -> Self {
        let interval_ms = retention_ms.min(INTERVAL_MS_MAX);
        let sample_ms = (interval_ms / SAMPLES).max(1);
        let tick_ms = tick_ms.max(1);
        Self {
            period: retention_ms / tick_ms,
            interval: interval_ms / tick_ms,
            sample: (sample_ms / tick_ms).max(1),
            samples: retention_ms / sample_ms + 1,
        }
    }
}

impl Server {
    pub(super) fn tick_auto_compaction(&mut self) {
        if self.config.auto_compaction == AutoCompaction::Off {
            return;
        }
        if let Some(proposed) = self.auto_compaction.proposed {
            if self.ticks < proposed.deadline {
                return;
            }
            self.auto_compaction.proposed = None;
            self.look_again();
        }
        if !self.auto_compaction.has_begun {
            self.auto_compaction.has_begun = true;
            self.auto_compaction.succeeded_at = self.ticks;
            self.look_again();
        }
        if self.ticks >= self.auto_compaction.next_at {
            self.look_for_history();
        }
    }

    fn look_for_history(&mut self) {
        let due = match self.config.auto_compaction {
            AutoCompaction::Off => None,
            AutoCompaction::Periodic { retention_ms } => self.too_old(retention_ms),
            AutoCompaction::Revision { retention } => {
                let revision = self.store.current_revision().saturating_sub(retention);
                (revision > 0 && revision != self.auto_compaction.compacted).then_some(revision)
            }
        };
        // Members that do not lead only keep their samples.
        let due = due.filter(|_| self.role == StateRole::Leader);
        let proposed = due.and_then(|revision| {
            let request = CompactionRequest { revision, physical: false };
            let id = self.propose_as_leader(Operation::Compaction(request))?;
            Some(Proposed { id, revision, deadline: self.request_deadline() })
        });
        if proposed.is_none() {
            self.look_again();
        }
        self.auto_compaction.proposed = proposed;
    }

    /// The revision of a period ago, if it is time to compact.
    fn too_old(&mut self, retention_ms: u64) -> Option<i64> {
        let periods = Periods::new(retention_ms, self.config.tick_ms);
        let compactor = &mut self.auto_compaction;
        let waits = if compactor.has_waited { periods.interval } else { periods.period };
        if self.role != StateRole::Leader || self.ticks < compactor.succeeded_at + waits {
            return None;
        }
        compactor.has_waited = true;
        compactor.revisions.front().copied()
    }

    /// Sets the clock of the compactor for its next look, with a sample of now.
    fn look_again(&mut self) {
        let wait = match self.config.auto_compaction {
            AutoCompaction::Off => return,
            AutoCompaction::Revision { .. } => self.ticks_of(REVISION_INTERVAL_MS).max(1),
            AutoCompaction::Periodic { retention_ms } => {
                let periods = Periods::new(retention_ms, self.config.tick_ms);
                let revisions = &mut self.auto_compaction.revisions;
                revisions.push_back(self.store.current_revision());
                while u64::try_from(revisions.len()).is_ok_and(|count| count > periods.samples) {
                    revisions.pop_front();
                }
                periods.sample
            }
        };
        self.auto_compaction.next_at = self.ticks + wait;
    }

    /// An entry was applied: it may be the compactor's.
    pub(super) fn auto_compaction_applied(&mut self, id: ProposalId, error: Option<Error>) {
        let Some(proposed) = self.auto_compaction.proposed.filter(|own| own.id == id) else {
            return;
        };
        self.auto_compaction.proposed = None;
        if matches!(error, None | Some(Error::Compacted)) {
            self.auto_compaction.succeeded_at = self.ticks;
            self.auto_compaction.compacted = proposed.revision;
        }
        self.look_again();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_etcds_examples() {
        let minute = 60_000;
        let of = |retention_ms| Periods::new(retention_ms, 100);
        let ticks = |ms: u64| ms / 100;
        let hour = of(60 * minute);
        assert_eq!(
            (hour.interval, hour.sample, hour.samples),
            (ticks(60 * minute), ticks(6 * minute), 11)
        );
        let day = of(24 * 60 * minute);
        assert_eq!((day.period, day.interval), (ticks(24 * 60 * minute), ticks(60 * minute)));
        assert_eq!((day.sample, day.samples), (ticks(6 * minute), 241));
        let short = of(59 * minute);
        assert_eq!((short.interval, short.sample, short.samples), (ticks(59 * minute), 3540, 11));
        let seconds = of(5_000);
        assert_eq!((seconds.interval, seconds.sample, seconds.samples), (50, 5, 11));
    }
}
