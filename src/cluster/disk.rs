//! How simulated disks treat rounds, and the points at which a member can be made to crash.
//!
//! What it is: how long a round takes, whether it is refused, and named moments around it.
//! What it is not: the disk's content; that is the engine's `DiskImage`.
//! Invariants: a round lands whole or not at all.

use std::collections::BTreeMap;

use crate::random::Pcg32;
use crate::types::MemberId;

/// A disk's habits; they may change during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskModel {
    /// One round. Unit: ms, from and to.
    pub round_ms: (u32, u32),
    /// Unit: rounds per 1,000 that take up to `slow_ms`.
    pub slow: u32,
    /// Unit: ms.
    pub slow_ms: u32,
    /// Unit: rounds per 1,000 that are aborted; the member stops then.
    pub aborted: u32,
}

impl Default for DiskModel {
    /// Source: measured IndexedDB rounds with strict durability.
    fn default() -> Self {
        Self { round_ms: (1, 6), slow: 0, slow_ms: 0, aborted: 0 }
    }
}

impl DiskModel {
    pub(super) fn duration(&self, random: &mut Pcg32) -> u64 {
        let ms = random.between(self.round_ms.0, self.round_ms.1);
        let is_slow = self.slow > 0 && random.chance(self.slow, 1000);
        u64::from(if is_slow { random.between(ms, self.slow_ms.max(ms)) } else { ms })
    }

    pub(super) fn is_aborted(&self, random: &mut Pcg32) -> bool {
        self.aborted > 0 && random.chance(self.aborted, 1000)
    }
}

/// A moment in a member's work at which it can be made to crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CrashPoint {
    /// A round was handed out and the disk has not seen it.
    BeforePersist,
    /// A round is on disk and the member does not know.
    AfterPersist,
    /// A message was handed out and has not left.
    BeforeSend,
    /// A message has left.
    AfterSend,
    /// Entries are committed and not applied.
    BeforeApply,
    /// Entries are applied; no answer has left and no row is on disk.
    AfterApply,
    /// A compaction was scheduled.
    CompactionScheduled,
    /// A compaction is half done.
    CompactionBatch,
    /// A compaction is finished, and its rows are still on disk.
    CompactionFinished,
    /// The log was cut in memory; the disk does not know.
    LogCut,
    /// A round that deletes a part of the log was handed out.
    BeforeWalTruncate,
    /// A round that deletes a part of the log has landed; the member does not know.
    AfterWalTruncate,
    /// The state was read for a snapshot, and its first part has not left.
    SnapshotMade,
    /// A snapshot has arrived whole, and nothing of it is on disk.
    SnapshotArrived,
    /// A round with a part of a snapshot was handed out.
    BeforeInstallRound,
    /// A round with a part of a snapshot has landed; the member does not know.
    AfterInstallRound,
    /// The round that makes a snapshot count was handed out.
    BeforeInstallFlip,
    /// The round that makes a snapshot count has landed; the member does not know.
    AfterInstallFlip,
    /// A snapshot is the state in memory, too, and nobody has heard of it.
    SnapshotInstalled,
}

impl CrashPoint {
    /// All of them.
    pub const ALL: [Self; 19] = [
        Self::BeforePersist,
        Self::AfterPersist,
        Self::BeforeSend,
        Self::AfterSend,
        Self::BeforeApply,
        Self::AfterApply,
        Self::CompactionScheduled,
        Self::CompactionBatch,
        Self::CompactionFinished,
        Self::LogCut,
        Self::BeforeWalTruncate,
        Self::AfterWalTruncate,
        Self::SnapshotMade,
        Self::SnapshotArrived,
        Self::BeforeInstallRound,
        Self::AfterInstallRound,
        Self::BeforeInstallFlip,
        Self::AfterInstallFlip,
        Self::SnapshotInstalled,
    ];

    /// True for what is passed with every message or round.
    pub(super) const fn is_frequent(self) -> bool {
        matches!(
            self,
            Self::BeforePersist
                | Self::AfterPersist
                | Self::BeforeSend
                | Self::AfterSend
                | Self::BeforeApply
                | Self::AfterApply
        )
    }
}

/// How often a point was passed, and how often a member crashed there.
pub type CrashCounts = BTreeMap<CrashPoint, (u64, u64)>;

/// The order to crash at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Armed {
    pub(super) point: CrashPoint,
    /// Only this member, or whoever comes first.
    pub(super) member: Option<MemberId>,
    /// Passages to let go by.
    pub(super) skip: u32,
}

/// The points of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct CrashPoints {
    armed: Vec<Armed>,
    counts: CrashCounts,
}

impl CrashPoints {
    pub(super) fn arm(&mut self, armed: Armed) {
        self.armed.push(armed);
    }

    pub(super) fn disarm(&mut self) {
        self.armed.clear();
    }

    pub(super) const fn counts(&self) -> &CrashCounts {
        &self.counts
    }

    /// A member passes a point; true if it crashes there.
    pub(super) fn pass(&mut self, member: MemberId, point: CrashPoint) -> bool {
        let counts = self.counts.entry(point).or_default();
        counts.0 += 1;
        let is_meant = |armed: &&mut Armed| {
            armed.point == point && armed.member.is_none_or(|wanted| wanted == member)
        };
        let Some(armed) = self.armed.iter_mut().find(is_meant) else { return false };
        if armed.skip > 0 {
            armed.skip -= 1;
            return false;
        }
        counts.1 += 1;
        let used = *armed;
        self.armed.retain(|other| *other != used);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_armed_point_crashes_once_after_the_passages_to_skip() {
        let mut points = CrashPoints::default();
        let (one, two) = (MemberId(1), MemberId(2));
        assert!(!points.pass(one, CrashPoint::BeforeSend));
        points.arm(Armed { point: CrashPoint::BeforeSend, member: Some(one), skip: 1 });
        assert!(!points.pass(one, CrashPoint::AfterSend));
        assert!(!points.pass(two, CrashPoint::BeforeSend));
        assert!(!points.pass(one, CrashPoint::BeforeSend));
        assert!(points.pass(one, CrashPoint::BeforeSend));
        assert!(!points.pass(one, CrashPoint::BeforeSend));
        assert_eq!(points.counts()[&CrashPoint::BeforeSend], (5, 1));
    }

    #[test]
    fn slow_and_aborted_rounds_are_drawn_only_if_asked_for() {
        let mut random = Pcg32::for_stream(3, &[]);
        let usual = DiskModel::default();
        assert!((1..=6).contains(&usual.duration(&mut random)));
        assert!(!usual.is_aborted(&mut random));
        let slow = DiskModel { slow: 1000, slow_ms: 500, aborted: 1000, ..usual };
        assert!((0..20).any(|_| slow.duration(&mut random) > 6));
        assert!(slow.is_aborted(&mut random));
    }
}
