//! The settings of the next cluster, as a person edits them.
//!
//! What it is: a text per setting and the [`ClusterSpec`] that they make.
//! What it is not: the settings of the cluster there is.
//! Invariants: every number has a range; a cluster is made only of settings that are all in theirs.
//! Source: DESIGN 10; etcd's flags of the same names.

use crate::playground::cluster::DEFAULT_SPEC;
use crate::playground::edge::ClusterSpec;

/// What can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// `--heartbeat-interval`. Unit: ms.
    Heartbeat,
    /// `--election-timeout`. Unit: ms.
    Election,
    /// `--quota-backend-bytes`. Unit: bytes.
    Quota,
    /// `--snapshot-count`. Unit: entries.
    SnapshotCount,
    /// `--snapshot-catchup-entries`. Unit: entries.
    CatchUp,
    /// `--pre-vote`: 1 for on, 0 for off.
    PreVote,
    /// Raft's `CheckQuorum`, for which etcd has no flag: 1 for on, 0 for off.
    CheckQuorum,
}

/// All, in the order in which they are shown.
pub const SETTINGS: [Setting; 7] = [
    Setting::Heartbeat,
    Setting::Election,
    Setting::Quota,
    Setting::SnapshotCount,
    Setting::CatchUp,
    Setting::PreVote,
    Setting::CheckQuorum,
];

impl Setting {
    /// etcd's flag.
    #[must_use]
    pub const fn flag(self) -> &'static str {
        match self {
            Self::Heartbeat => "heartbeat-interval",
            Self::Election => "election-timeout",
            Self::Quota => "quota-backend-bytes",
            Self::SnapshotCount => "snapshot-count",
            Self::CatchUp => "snapshot-catchup-entries",
            Self::PreVote => "pre-vote",
            Self::CheckQuorum => "check-quorum",
        }
    }

    /// True if it is on or off, and no number.
    #[must_use]
    pub const fn is_switch(self) -> bool {
        matches!(self, Self::PreVote | Self::CheckQuorum)
    }

    /// Smallest and largest value. An election timeout lies between 5 and 100 heartbeats, too.
    #[must_use]
    pub const fn range(self) -> (u64, u64) {
        match self {
            Self::Heartbeat => (20, 5_000),
            Self::Election => (100, 50_000),
            Self::Quota => (1 << 20, 1 << 31),
            Self::SnapshotCount => (1, 1_000_000),
            Self::CatchUp => (0, 1_000_000),
            Self::PreVote | Self::CheckQuorum => (0, 1),
        }
    }

    /// What it is in a cluster that is made so.
    #[must_use]
    pub const fn of(self, spec: &ClusterSpec) -> u64 {
        match self {
            Self::Heartbeat => spec.tick_ms,
            Self::Election => spec.tick_ms * spec.election_ticks as u64,
            Self::Quota => spec.quota_bytes.unsigned_abs(),
            Self::SnapshotCount => spec.snapshot_count,
            Self::CatchUp => spec.snapshot_catchup_entries,
            Self::PreVote => spec.pre_vote as u64,
            Self::CheckQuorum => spec.check_quorum as u64,
        }
    }
}

/// The texts, in the order of [`SETTINGS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings(Vec<String>);

impl Default for Settings {
    fn default() -> Self {
        Self(SETTINGS.iter().map(|setting| setting.of(&DEFAULT_SPEC).to_string()).collect())
    }
}

impl Settings {
    fn place(setting: Setting) -> usize {
        SETTINGS.iter().position(|known| *known == setting).unwrap_or(SETTINGS.len())
    }

    /// What stands there.
    #[must_use]
    pub fn text(&self, setting: Setting) -> &str {
        self.0.get(Self::place(setting)).map_or("", String::as_str)
    }

    /// It was edited.
    pub fn set(&mut self, setting: Setting, text: &str) {
        if let Some(place) = self.0.get_mut(Self::place(setting)) {
            text.trim().clone_into(place);
        }
    }

    /// The number, if it is in its range.
    #[must_use]
    pub fn value(&self, setting: Setting) -> Option<u64> {
        let (least, most) = setting.range();
        let value = self.text(setting).parse().ok()?;
        let is_possible = match setting {
            // Counted in ticks, so a multiple of them.
            Setting::Election => self.value(Setting::Heartbeat).is_none_or(|tick_ms| {
                value % tick_ms == 0 && (5..=100).contains(&(value / tick_ms))
            }),
            Setting::Heartbeat
            | Setting::Quota
            | Setting::SnapshotCount
            | Setting::CatchUp
            | Setting::PreVote
            | Setting::CheckQuorum => true,
        };
        ((least..=most).contains(&value) && is_possible).then_some(value)
    }

    /// A cluster of so many members, if every setting is in its range.
    #[must_use]
    pub fn spec(&self, members: u32) -> Option<ClusterSpec> {
        let tick_ms = self.value(Setting::Heartbeat)?;
        Some(ClusterSpec {
            members,
            tick_ms,
            election_ticks: u32::try_from(self.value(Setting::Election)? / tick_ms).ok()?,
            quota_bytes: i64::try_from(self.value(Setting::Quota)?).ok()?,
            snapshot_count: self.value(Setting::SnapshotCount)?,
            snapshot_catchup_entries: self.value(Setting::CatchUp)?,
            pre_vote: self.value(Setting::PreVote)? == 1,
            check_quorum: self.value(Setting::CheckQuorum)? == 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untouched_settings_make_the_default_cluster() {
        assert_eq!(Settings::default().spec(3), Some(DEFAULT_SPEC));
    }

    #[test]
    fn a_setting_out_of_its_range_makes_no_cluster() {
        let mut settings = Settings::default();
        for (setting, text) in [
            (Setting::SnapshotCount, "0"),
            (Setting::SnapshotCount, "many"),
            (Setting::Heartbeat, "7"),
            (Setting::Election, "1050"),
            (Setting::Election, "400"),
            (Setting::Quota, "99999999999"),
        ] {
            let before = settings.text(setting).to_owned();
            settings.set(setting, text);
            assert_eq!(settings.value(setting), None, "{setting:?} {text}");
            assert_eq!(settings.spec(3), None);
            settings.set(setting, &before);
        }
        settings.set(Setting::SnapshotCount, " 20 ");
        settings.set(Setting::CatchUp, "5");
        settings.set(Setting::PreVote, "0");
        let spec = settings.spec(5).unwrap();
        assert!(!spec.pre_vote && spec.check_quorum);
        assert_eq!((spec.members, spec.snapshot_count, spec.snapshot_catchup_entries), (5, 20, 5));
    }
}
