//! The cluster of a script as the page can make it.
//!
//! What it is: [`Wish`]: the settings of a new cluster, and by name what the page has no setting for.
//! What it is not: learners, who are added to the cluster once it runs; the seed, since time is real in the page.
//! Invariants: every setting is in the range that a person may set; what is not, counts in the lab only.

use crate::playground::settings::{SETTINGS, Setting, Settings};
use crate::scenario::{Flag, Script};

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::playground::insight) struct Wish {
    /// In the order of [`SETTINGS`]; nothing for what is usual.
    pub(in crate::playground::insight) settings: Vec<Option<u64>>,
    /// Flags with their values that count in the lab only.
    pub(in crate::playground::insight) only_lab: Vec<String>,
}

impl Wish {
    /// What a script wants.
    pub(in crate::playground::insight) fn of(script: &Script) -> Self {
        let mut form = Settings::default();
        let wanted: Vec<Option<u64>> =
            SETTINGS.into_iter().map(|setting| wanted(script, setting)).collect();
        for (setting, wanted) in SETTINGS.into_iter().zip(&wanted) {
            if let Some(wanted) = wanted {
                form.set(setting, &wanted.to_string());
            }
        }
        let mut only_lab = Vec::new();
        let mut settings = Vec::new();
        for (setting, wanted) in SETTINGS.into_iter().zip(wanted) {
            let possible = wanted.filter(|_| form.value(setting).is_some());
            // The times belong together: one of them alone would be another cluster.
            let is_time = matches!(setting, Setting::Heartbeat | Setting::Election);
            let has_times = [Setting::Heartbeat, Setting::Election]
                .iter()
                .all(|time| form.value(*time).is_some());
            let possible = possible.filter(|_| !is_time || has_times);
            if let (Some(wanted), None) = (wanted, possible) {
                only_lab.push(format!("--{}={wanted}", setting.flag()));
            }
            settings.push(possible);
        }
        let others = script.flags.iter().filter(|(flag, _)| setting_of(*flag).is_none());
        only_lab.extend(others.map(|(flag, value)| flag.for_etcd(value)));
        Self { settings, only_lab }
    }
}

/// The page's setting for a flag.
const fn setting_of(flag: Flag) -> Option<Setting> {
    match flag {
        Flag::SnapshotCount => Some(Setting::SnapshotCount),
        Flag::SnapshotCatchupEntries => Some(Setting::CatchUp),
        _ => None,
    }
}

/// What a script wants of a setting; nothing for what is usual.
fn wanted(script: &Script, setting: Setting) -> Option<u64> {
    let cluster = &script.cluster;
    match setting {
        Setting::Heartbeat => Some(cluster.tick_ms),
        Setting::Election => {
            Some(cluster.tick_ms.saturating_mul(u64::from(cluster.election_ticks)))
        }
        Setting::Quota => Some(cluster.quota_bytes.unsigned_abs()),
        Setting::SnapshotCount | Setting::CatchUp => {
            let mut flags = script.flags.iter();
            flags.find(|(flag, _)| setting_of(*flag) == Some(setting)).map(|(_, value)| value)
        }
        Setting::PreVote => Some(u64::from(cluster.pre_vote)),
        Setting::CheckQuorum => Some(u64::from(cluster.check_quorum)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(text: &str) -> Wish {
        Wish::of(&Script::parse(text).unwrap())
    }

    #[test]
    fn a_header_becomes_settings_as_far_as_the_page_has_them() {
        let found = wish(
            "cluster: tick=50ms election=1s quota=2MiB pre-vote=off\nflags: --snapshot-count=100 --snapshot-catchup-entries=5 --max-txn-ops=7\nput a 1",
        );
        let settings = [Some(50), Some(1_000), Some(2 << 20), Some(100), Some(5), Some(0), Some(1)];
        assert_eq!(found.settings, settings);
        assert_eq!(found.only_lab, ["--max-txn-ops=7"]);
        let usual = wish("put a 1");
        assert_eq!(usual.settings[3..5], [None, None]);
        assert!(usual.only_lab.is_empty(), "{:?}", usual.only_lab);
    }

    #[test]
    fn what_is_out_of_a_settings_range_counts_in_the_lab_only_and_is_named() {
        let found = wish(
            "cluster: tick=1ms election=10ms quota=4KiB\nflags: --snapshot-count=2000000\nput a 1",
        );
        assert_eq!(found.settings[..4], [None; 4]);
        assert_eq!(
            found.only_lab,
            [
                "--heartbeat-interval=1",
                "--election-timeout=10",
                "--quota-backend-bytes=4096",
                "--snapshot-count=2000000"
            ]
        );
        // A hundred heartbeats are the most that a timeout may have.
        let slow = wish("cluster: tick=20ms election=10s\nput a 1");
        assert_eq!(slow.settings[..2], [None, None]);
    }
}
