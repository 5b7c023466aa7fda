//! etcd's own flags in a script's header: `flags: --snapshot-count=100 --strict-reconfig-check=false`.
//!
//! What it is: those flags of etcd that the engine has and that change what a lesson shows, with their values, both ways, and what
//! they set.
//! What it is not: what `cluster:` sets (heartbeat, election, quota, pre-vote), nor addresses and files, which the lab has none of.
//! Invariants: each stands at most once; they are kept in the order of [`Flag::ALL`].

use std::fmt;

use super::Fault;
use crate::api::{AutoCompaction, Settings};
use crate::scenario::units::{parse_duration, parse_number, show_duration};
use crate::scenario::wrong::{Takes, Thing, Wanted, Wrong};

/// The longest time a flag takes. Unit: ms.
const TIME_MS_MAX: u64 = 24 * 3_600_000;
/// The largest number a flag takes.
const NUMBER_MAX: u64 = 1 << 31;

const RETENTION: &str = "--auto-compaction-retention";
const MODE: &str = "--auto-compaction-mode";

/// A flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flag {
    /// `--max-request-bytes`
    MaxRequestBytes,
    /// `--max-txn-ops`
    MaxTxnOps,
    /// `--snapshot-count`
    SnapshotCount,
    /// `--snapshot-catchup-entries`
    SnapshotCatchupEntries,
    /// `--max-learners`
    MaxLearners,
    /// `--strict-reconfig-check`
    StrictReconfigCheck,
    /// `--initial-election-tick-advance`
    ElectionTickAdvance,
    /// `--auto-compaction-retention` in mode `revision`
    CompactRevisions,
    /// `--auto-compaction-retention` in mode `periodic`
    CompactAge,
    /// `--compaction-batch-limit`
    CompactionBatchLimit,
    /// `--compaction-sleep-interval`
    CompactionSleep,
    /// `--watch-progress-notify-interval`
    WatchProgress,
    /// `--warning-apply-duration`
    WarningApply,
    /// `--corrupt-check-time`
    CorruptCheck,
    /// `--bcrypt-cost`
    BcryptCost,
}

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number { least: u64 },
    Time { least: u64 },
    Switch,
}

/// Flags with their values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags(Vec<(Flag, u64)>);

impl Flag {
    /// Every one.
    pub const ALL: [Self; 15] = [
        Self::MaxRequestBytes,
        Self::MaxTxnOps,
        Self::SnapshotCount,
        Self::SnapshotCatchupEntries,
        Self::MaxLearners,
        Self::StrictReconfigCheck,
        Self::ElectionTickAdvance,
        Self::CompactRevisions,
        Self::CompactAge,
        Self::CompactionBatchLimit,
        Self::CompactionSleep,
        Self::WatchProgress,
        Self::WarningApply,
        Self::CorruptCheck,
        Self::BcryptCost,
    ];

    /// Its name. The two of auto-compaction share it: the mode stands in a flag of its own.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MaxRequestBytes => "--max-request-bytes",
            Self::MaxTxnOps => "--max-txn-ops",
            Self::SnapshotCount => "--snapshot-count",
            Self::SnapshotCatchupEntries => "--snapshot-catchup-entries",
            Self::MaxLearners => "--max-learners",
            Self::StrictReconfigCheck => "--strict-reconfig-check",
            Self::ElectionTickAdvance => "--initial-election-tick-advance",
            Self::CompactRevisions => RETENTION,
            Self::CompactAge => RETENTION,
            Self::CompactionBatchLimit => "--compaction-batch-limit",
            Self::CompactionSleep => "--compaction-sleep-interval",
            Self::WatchProgress => "--watch-progress-notify-interval",
            Self::WarningApply => "--warning-apply-duration",
            Self::CorruptCheck => "--corrupt-check-time",
            Self::BcryptCost => "--bcrypt-cost",
        }
    }

    const fn kind(self) -> Kind {
        match self {
            Self::MaxRequestBytes
            | Self::MaxTxnOps
            | Self::SnapshotCount
            | Self::MaxLearners
            | Self::CompactRevisions
            | Self::CompactionBatchLimit => Kind::Number { least: 1 },
            Self::BcryptCost => Kind::Number { least: 4 },
            Self::SnapshotCatchupEntries => Kind::Number { least: 0 },
            Self::StrictReconfigCheck | Self::ElectionTickAdvance => Kind::Switch,
            Self::CompactAge => Kind::Time { least: 1_000 },
            Self::WatchProgress => Kind::Time { least: 100 },
            Self::CompactionSleep | Self::WarningApply => Kind::Time { least: 1 },
            Self::CorruptCheck => Kind::Time { least: 0 },
        }
    }

    fn read(self, at: usize, value: &str) -> Result<u64, Fault> {
        let most = if self == Self::BcryptCost { 31 } else { NUMBER_MAX };
        let (found, expected) = match self.kind() {
            Kind::Number { least } => (
                parse_number(value).filter(|number| (least..=most).contains(number)),
                Takes::Number(least, most),
            ),
            Kind::Time { least } => {
                (time(value).filter(|ms| (least..=TIME_MS_MAX).contains(ms)), Takes::Time(least))
            }
            Kind::Switch => (
                match value {
                    "true" => Some(1),
                    "false" => Some(0),
                    _ => None,
                },
                Takes::Switch,
            ),
        };
        found.ok_or_else(|| (at, Wrong::Flag(self.name(), expected)))
    }

    fn show(self, value: u64) -> String {
        match self.kind() {
            Kind::Number { .. } => value.to_string(),
            Kind::Time { .. } => show_duration(value),
            Kind::Switch => (value == 1).to_string(),
        }
    }

    /// As etcd takes it.
    #[must_use]
    pub fn for_etcd(self, value: u64) -> String {
        let shown = self.show(value);
        match self {
            Self::CompactRevisions => format!("{MODE}=revision {RETENTION}={shown}"),
            Self::CompactAge => format!("{MODE}=periodic {RETENTION}={shown}"),
            flag => format!("{}={shown}", flag.name()),
        }
    }
}

/// A time, also in whole hours.
fn time(text: &str) -> Option<u64> {
    match text.strip_suffix('h') {
        Some(hours) => parse_number(hours)?.checked_mul(3_600_000),
        None => parse_duration(text),
    }
}

impl Flags {
    /// Reads the words of the header line.
    pub(super) fn read(words: &[(usize, &str)], end: usize) -> Result<Self, Fault> {
        let known = || {
            let names: Vec<&str> = Flag::ALL.iter().map(|flag| flag.name()).collect();
            format!("{}, {MODE}", names.join(", "))
        };
        let mut found: Vec<(Flag, u64)> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        let mut retention = Flag::CompactAge;
        if words.iter().any(|(_, word)| *word == format!("{MODE}=revision")) {
            retention = Flag::CompactRevisions;
        }
        for (at, word) in words {
            let Some((name, value)) = word.split_once('=') else {
                return Err((*at, Wrong::Expected(Thing::Flag.into(), Some((*word).to_owned()))));
            };
            if seen.contains(&name) {
                return Err((*at, Wrong::Twice(name.to_owned())));
            }
            seen.push(name);
            let value_at = at + name.len() + 1;
            let flag = match name {
                MODE if matches!(value, "periodic" | "revision") => continue,
                MODE => return Err((value_at, Thing::Mode.into())),
                RETENTION => Some(retention),
                name => Flag::ALL.into_iter().find(|flag| flag.name() == name),
            };
            let Some(flag) = flag else {
                return Err((*at, Wrong::UnknownFlag(name.to_owned(), known())));
            };
            found.push((flag, flag.read(value_at, value)?));
        }
        if found.is_empty() {
            return Err((end, Wrong::missing(Wanted::FlagOf(known()))));
        }
        found.sort_unstable();
        Ok(Self(found))
    }

    /// True without any.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The flags and their values, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (Flag, u64)> + '_ {
        self.0.iter().copied()
    }

    /// Sets what they say.
    pub fn apply(&self, settings: &mut Settings) {
        let small = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        for (flag, value) in self.iter() {
            match flag {
                Flag::MaxRequestBytes => settings.max_request_bytes = value,
                Flag::MaxTxnOps => settings.max_txn_ops = value,
                Flag::SnapshotCount => settings.snapshot_count = value,
                Flag::SnapshotCatchupEntries => settings.snapshot_catchup_entries = value,
                Flag::MaxLearners => settings.max_learners = small(value),
                Flag::StrictReconfigCheck => settings.strict_reconfig_check = value == 1,
                Flag::ElectionTickAdvance => settings.initial_election_tick_advance = value == 1,
                Flag::CompactRevisions => {
                    let retention = i64::try_from(value).unwrap_or(i64::MAX);
                    settings.auto_compaction = AutoCompaction::Revision { retention };
                }
                Flag::CompactAge => {
                    settings.auto_compaction = AutoCompaction::Periodic { retention_ms: value };
                }
                Flag::CompactionBatchLimit => settings.compaction_batch_limit = small(value),
                Flag::CompactionSleep => settings.compaction_sleep_ms = value,
                Flag::WatchProgress => settings.watch_progress_notify_ms = value,
                Flag::WarningApply => settings.warning_apply_ms = value,
                Flag::CorruptCheck => settings.corrupt_check_ms = value,
                Flag::BcryptCost => settings.bcrypt_cost = small(value),
            }
        }
    }
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (flag, value)) in self.iter().enumerate() {
            let before = if at == 0 { "" } else { " " };
            write!(f, "{before}{}", flag.for_etcd(value))?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(in crate::scenario) fn any_flags() -> impl Strategy<Value = Flags> {
        let value = |flag: Flag| match flag.kind() {
            Kind::Switch => (0..=1_u64).boxed(),
            Kind::Number { .. } if flag == Flag::BcryptCost => (4..=31_u64).boxed(),
            Kind::Number { least } => (least..=NUMBER_MAX).boxed(),
            Kind::Time { least } => (least..=TIME_MS_MAX).boxed(),
        };
        let one = prop::sample::select(Flag::ALL.to_vec())
            .prop_flat_map(move |flag| value(flag).prop_map(move |value| (flag, value)));
        prop::collection::vec(one, 0..4).prop_map(|mut flags| {
            flags.sort_unstable();
            flags.dedup_by_key(|(flag, _)| flag.name());
            Flags(flags)
        })
    }

    fn read(line: &str) -> Result<Flags, Fault> {
        let words: Vec<(usize, &str)> =
            line.split(' ').filter(|word| !word.is_empty()).map(|word| (0, word)).collect();
        Flags::read(&words, line.len())
    }

    proptest! {
        #[test]
        fn flags_read_back_as_written(flags in any_flags()) {
            if !flags.is_empty() {
                prop_assert_eq!(read(&flags.to_string()), Ok(flags));
            }
        }
    }

    #[test]
    fn flags_set_what_they_say_and_keep_etcds_names() {
        let flags = read("--snapshot-count=100 --auto-compaction-mode=revision --auto-compaction-retention=10 --strict-reconfig-check=false").unwrap();
        let mut settings = Settings::default();
        flags.apply(&mut settings);
        assert_eq!((settings.snapshot_count, settings.strict_reconfig_check), (100, false));
        assert_eq!(settings.auto_compaction, AutoCompaction::Revision { retention: 10 });
        assert_eq!(settings.check(), Ok(()));
        let hours = read("--auto-compaction-retention=2h").unwrap();
        assert_eq!(
            hours.to_string(),
            "--auto-compaction-mode=periodic --auto-compaction-retention=120m"
        );
    }

    #[test]
    fn what_is_no_flag_is_refused_with_those_there_are() {
        let cases = [
            ("--name=x", "expected one of --max-request-bytes"),
            ("--snapshot-count", "expected --flag=value"),
            ("--snapshot-count=0", "takes a number from 1"),
            ("--strict-reconfig-check=1", "takes true or false"),
            ("--max-txn-ops=1 --max-txn-ops=2", "twice"),
            ("--auto-compaction-mode=x", "periodic or revision"),
            ("--auto-compaction-mode=revision", "expected --flag=value with one of"),
            ("--warning-apply-duration=1d", "a time from 1ms"),
            ("", "expected --flag=value with one of"),
        ];
        for (line, part) in cases {
            let message = read(line).unwrap_err().1.to_string();
            assert!(message.contains(part), "{line}: {message}");
        }
    }
}
