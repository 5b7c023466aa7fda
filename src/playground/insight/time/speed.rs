//! How fast a run is played.
//!
//! What it is: [`Speed`], and where a run that plays should be by now.
//! What it is not: a clock; the page's time comes from outside.
//! Invariants: a run that plays never goes back; the same times give the same places.

use super::strings::TimeStrings;
use crate::types::Millis;

/// Pictures a second of a run that is played by events. Source: ours; one can see it move, and each costs the page something.
const PICTURES: u64 = 10;

/// How fast a run is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speed {
    /// So many events in a second.
    Events(u64),
    /// Virtual time passes so many times more slowly.
    Slower(u64),
    /// Virtual time passes so many times faster.
    Faster(u64),
}

impl Default for Speed {
    fn default() -> Self {
        Self::Slower(10)
    }
}

impl Speed {
    /// By events, in the order in which they are shown.
    pub const EVENTS: [Self; 4] =
        [Self::Events(1), Self::Events(10), Self::Events(100), Self::Events(1_000)];

    /// By time.
    pub const TIMES: [Self; 5] =
        [Self::Slower(100), Self::Slower(10), Self::Faster(1), Self::Faster(10), Self::Faster(100)];

    /// Events that each picture is further than the one before.
    const fn batch(self) -> u64 {
        match self {
            Self::Events(count) if count >= PICTURES => count / PICTURES,
            _ => 1,
        }
    }

    /// Nobody can read what passes.
    #[must_use]
    pub const fn is_rush(self) -> bool {
        self.batch() > 1
    }

    /// For tests and identifiers.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Events(count) => format!("events-{count}"),
            Self::Slower(factor) => format!("slower-{factor}"),
            Self::Faster(factor) => format!("faster-{factor}"),
        }
    }

    /// As a button says it.
    #[must_use]
    pub fn short(self) -> String {
        match self {
            Self::Events(1_000) => "1,000".to_owned(),
            Self::Events(count) => count.to_string(),
            Self::Slower(factor) => format!("1/{factor}×"),
            Self::Faster(factor) => format!("{factor}×"),
        }
    }

    /// In words, with what its button says among them: who speaks to a page says what is written there.
    #[must_use]
    pub fn words(self, s: &TimeStrings) -> String {
        match self {
            Self::Events(_) => (s.per_second_long)(&self.short()),
            Self::Slower(_) | Self::Faster(_) => (s.times_long)(&self.short()),
        }
    }
}

/// A run that plays: since when, and from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Playing {
    /// The page's time then.
    pub(super) since: Millis,
    /// The event at which it stood then.
    pub(super) event: u64,
    /// The run's time then.
    pub(super) virtual_ms: u64,
}

/// Where a run should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// At this event.
    Event(u64),
    /// At this time of the run. Unit: ms.
    Time(u64),
}

impl Playing {
    /// Where it should be at `now`.
    pub(super) fn due(self, speed: Speed, now: Millis) -> Due {
        let passed = now.since(self.since);
        match speed {
            Speed::Events(count) => {
                let passed = passed.saturating_mul(count) / 1_000;
                // The lab knows where the next pictures will be.
                let whole = passed - passed % speed.batch();
                Due::Event(self.event.saturating_add(whole))
            }
            Speed::Slower(factor) => {
                Due::Time(self.virtual_ms.saturating_add(passed / factor.max(1)))
            }
            Speed::Faster(factor) => {
                Due::Time(self.virtual_ms.saturating_add(passed.saturating_mul(factor)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::strings::EN;
    use super::*;

    #[test]
    fn a_run_is_where_its_speed_says() {
        let playing = Playing { since: Millis(1_000), event: 40, virtual_ms: 500 };
        let at = |speed, ms| playing.due(speed, Millis(ms));
        assert_eq!(at(Speed::Events(10), 1_000), Due::Event(40));
        assert_eq!(at(Speed::Events(10), 1_250), Due::Event(42));
        assert_eq!(at(Speed::Events(1_000), 1_099), Due::Event(40));
        assert_eq!(at(Speed::Events(1_000), 1_230), Due::Event(240), "whole batches");
        assert_eq!(at(Speed::Events(100), 1_130), Due::Event(50));
        assert_eq!(at(Speed::Slower(10), 2_000), Due::Time(600));
        assert_eq!(at(Speed::Faster(10), 2_000), Due::Time(10_500));
        assert_eq!(at(Speed::Faster(10), u64::MAX), Due::Time(u64::MAX));
        assert_eq!(at(Speed::Slower(10), 0), Due::Time(500), "a clock that went back");
    }

    #[test]
    fn a_speed_is_said_shortly_and_in_words() {
        assert_eq!(Speed::Slower(10).short(), "1/10×");
        assert_eq!(Speed::Events(1_000).short(), "1,000");
        assert_eq!(Speed::Faster(1).words(&EN), "virtual time at 1×");
        assert_eq!(Speed::Events(1).words(&EN), "1 event per second");
    }
}
