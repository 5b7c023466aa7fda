//! Slow motion: a cluster in which all time passes more slowly.
//!
//! What it is: how many times slower members' clocks, links and slow disks are than in real time.
//! What it is not: a feature of etcd, which has no such thing, nor a fault: nothing is lost, and whoever is in the
//! cluster notices nothing but slow clients. What is outside of it (a client's timeout, the work of a real disk or
//! processor) keeps its own time.
//! Invariants: at real time nothing is changed at all; one speed for the whole cluster.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The slowest: so many times slower than real time. Source: ours; a heartbeat each ten seconds.
const SLOWER_MAX: u32 = 100;

/// What a message takes in slow motion before it is stretched, so that its way can be watched. Unit: ms.
/// Source: ours, a fifth of a heartbeat interval, as between distant places; in the page real messages take about one.
const WAY_MS: u64 = 20;

/// How fast a cluster's time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Speed {
    /// Range: 1, which is real time, to [`SLOWER_MAX`].
    slower: u32,
}

impl Default for Speed {
    fn default() -> Self {
        Self::REAL
    }
}

impl Speed {
    /// Real time.
    pub const REAL: Self = Self { slower: 1 };

    /// So many times slower than real time.
    #[must_use]
    pub fn slower(times: u32) -> Option<Self> {
        (1..=SLOWER_MAX).contains(&times).then_some(Self { slower: times })
    }

    /// Reads what `Display` writes: `1` or `1/10`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let times = if text == "1" { text } else { text.strip_prefix("1/")? };
        let is_plain = !times.starts_with(['0', '+']);
        times.parse().ok().filter(|_| is_plain).and_then(Self::slower)
    }

    /// True if nothing is slower.
    #[must_use]
    pub fn is_real(self) -> bool {
        self == Self::REAL
    }

    /// How long something takes that takes `ms` in the cluster's own time.
    #[must_use]
    pub fn stretch(self, ms: u64) -> u64 {
        ms.saturating_mul(u64::from(self.slower))
    }

    /// How long a message is on its way that takes `ms` without slow motion.
    #[must_use]
    pub fn way_ms(self, ms: u64) -> u64 {
        if self.is_real() { ms } else { self.stretch(ms.saturating_add(WAY_MS)) }
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.slower {
            1 => f.write_str("1"),
            slower => write!(f, "1/{slower}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_reads_back_as_written_and_has_limits() {
        for times in 1..=SLOWER_MAX {
            let speed = Speed::slower(times).unwrap();
            assert_eq!(Speed::parse(&speed.to_string()), Some(speed));
        }
        for text in ["", "0", "1/0", "1/101", "2", "1/01", "1/+5", "1/1/2", "10%"] {
            assert_eq!(Speed::parse(text), None, "{text}");
        }
    }

    #[test]
    fn real_time_changes_nothing_and_slow_motion_shows_each_message() {
        assert_eq!((Speed::REAL.stretch(100), Speed::REAL.way_ms(0)), (100, 0));
        let slow = Speed::slower(10).unwrap();
        assert_eq!((slow.stretch(100), slow.way_ms(0), slow.way_ms(30)), (1_000, 200, 500));
    }
}
