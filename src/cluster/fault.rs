//! Faults that a person or a script can inject, the same words live and simulated.
//!
//! What it is: the state of every directed link and of a member's clock and disk, and what changes it.
//! What it is not: the network or a disk; drivers ask [`Links::is_open`] and [`LinkRule::arrivals`] before they
//! deliver, and [`MemberFaults`] before they tick or write.
//! Invariants: a member is never cut from itself nor disturbed on its way to itself; `heal` leaves every link whole;
//! a rule without faults is not kept; what is not disturbed draws no random number.

mod speed;

use serde::{Deserialize, Serialize};

use crate::random::Pcg32;
use crate::types::{MemberId, SmallMap, SmallSet};

pub use speed::Speed;

/// The whole of what is counted in thousandths: loss, duplicates, reordering, and a clock that is right.
pub const WHOLE: u32 = 1_000;

/// Longest delay of a link, and its longest jitter. Unit: ms. Source: ours, ten of etcd's election timeouts.
pub const DELAY_MS_MAX: u32 = 10_000;

/// How much longer a reordered message takes, at least and at most. Unit: ms.
/// Source: ours, within one of etcd's heartbeats, so that later messages overtake it.
pub const REORDER_MS: (u32, u32) = (1, 100);

/// What may be added to each of a disk's rounds. Unit: ms.
/// Source: a second below the 5 s after which a disk counts as silent.
pub const DISK_DELAY_MS_MAX: u32 = 4_000;

/// The slowest and the fastest clock. Unit: thousandths of the right rate. Source: ours, ten times either way.
pub const CLOCK_RATE: (u32, u32) = (100, 10_000);

/// Something that disturbs the messages of a directed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkFault {
    /// Each takes longer. Range: to [`DELAY_MS_MAX`] each; both 0 for none.
    Delay {
        /// By so much at least. Unit: ms.
        ms: u32,
        /// And by up to so much more, drawn for each, so that some overtake others. Unit: ms.
        jitter_ms: u32,
    },
    /// So many never arrive. Unit: thousandths.
    Loss(u32),
    /// So many arrive twice. Unit: thousandths.
    Duplicate(u32),
    /// So many are held back and overtaken. Unit: thousandths.
    Reorder(u32),
}

/// Something that happens to a member's disk, clock or power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberFault {
    /// Each round takes so much longer; 0 for none. Unit: ms. Range: to [`DISK_DELAY_MS_MAX`].
    SlowDisk(u32),
    /// The disk takes no round any more.
    FillDisk,
    /// It takes rounds again.
    FreeDisk,
    /// It ends at once; what the disk works on is lost.
    PowerCut,
    /// It ends, and what its disk holds is gone.
    Wipe,
    /// Its clock runs at this rate. Unit: thousandths. Range: [`CLOCK_RATE`].
    Clock(u32),
}

/// What a directed link does to messages while it is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkRule {
    /// See [`LinkFault::Delay`]. Unit: ms.
    pub delay_ms: u32,
    /// See [`LinkFault::Delay`]. Unit: ms.
    pub jitter_ms: u32,
    /// Unit: messages per 1,000.
    pub loss: u32,
    /// Unit: messages per 1,000.
    pub duplicate: u32,
    /// Unit: messages per 1,000.
    pub reorder: u32,
}

impl LinkRule {
    /// True if messages pass as if there were no rule.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    const fn set(&mut self, fault: LinkFault) {
        match fault {
            LinkFault::Delay { ms, jitter_ms } => {
                self.delay_ms = least(ms, DELAY_MS_MAX);
                self.jitter_ms = least(jitter_ms, DELAY_MS_MAX);
            }
            LinkFault::Loss(loss) => self.loss = least(loss, WHOLE),
            LinkFault::Duplicate(duplicate) => self.duplicate = least(duplicate, WHOLE),
            LinkFault::Reorder(reorder) => self.reorder = least(reorder, WHOLE),
        }
    }

    /// How much longer than usual the copies of one message take, in ms; none if it is lost.
    ///
    /// Forwarded proposals must not be doubled (`may_double`): they would be carried out twice.
    pub fn arrivals(&self, may_double: bool, random: &mut Pcg32) -> Vec<u64> {
        if self.loss > 0 && random.chance(self.loss, WHOLE) {
            return Vec::new();
        }
        let is_doubled = may_double && self.duplicate > 0 && random.chance(self.duplicate, WHOLE);
        let mut copies = vec![self.late_ms(random)];
        if is_doubled {
            copies.push(self.late_ms(random));
        }
        copies
    }

    fn late_ms(&self, random: &mut Pcg32) -> u64 {
        let mut ms = u64::from(self.delay_ms);
        if self.jitter_ms > 0 {
            ms += u64::from(random.between(0, self.jitter_ms));
        }
        if self.reorder > 0 && random.chance(self.reorder, WHOLE) {
            ms += u64::from(random.between(REORDER_MS.0, REORDER_MS.1));
        }
        ms
    }
}

const fn least(wanted: u32, most: u32) -> u32 {
    if wanted < most { wanted } else { most }
}

/// What is wrong with a member's clock and disk, as long as it is not put right; it outlives a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberFaults {
    /// See [`MemberFault::Clock`]. Invariant: within [`CLOCK_RATE`].
    clock: u32,
    /// See [`MemberFault::SlowDisk`]. Unit: ms.
    disk_delay_ms: u32,
    is_disk_full: bool,
}

impl Default for MemberFaults {
    fn default() -> Self {
        Self { clock: WHOLE, disk_delay_ms: 0, is_disk_full: false }
    }
}

impl MemberFaults {
    /// The rate of its clock. Unit: thousandths.
    #[must_use]
    pub const fn clock(&self) -> u32 {
        self.clock
    }

    /// What is added to each of its disk's rounds. Unit: ms.
    #[must_use]
    pub const fn disk_delay_ms(&self) -> u32 {
        self.disk_delay_ms
    }

    /// True if its disk takes no round.
    #[must_use]
    pub const fn is_disk_full(&self) -> bool {
        self.is_disk_full
    }

    /// True if nothing is wrong with it.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Takes in what lasts; a power cut and a wiped disk happen once.
    pub fn set(&mut self, fault: MemberFault) {
        match fault {
            MemberFault::SlowDisk(ms) => self.disk_delay_ms = ms.min(DISK_DELAY_MS_MAX),
            MemberFault::FillDisk => self.is_disk_full = true,
            MemberFault::FreeDisk => self.is_disk_full = false,
            MemberFault::Clock(rate) => self.clock = rate.clamp(CLOCK_RATE.0, CLOCK_RATE.1),
            MemberFault::PowerCut | MemberFault::Wipe => {}
        }
    }

    /// How long a tick of its clock takes, if one of a right clock takes `tick_ms`. Range: 1 ms or more.
    #[must_use]
    pub fn tick_ms(&self, tick_ms: u64) -> u64 {
        (tick_ms.saturating_mul(u64::from(WHOLE)) / u64::from(self.clock)).max(1)
    }
}

/// The directed links: which are cut, and what the others do to messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Links {
    cut: SmallSet<(MemberId, MemberId)>,
    /// Invariant: none that does nothing.
    rules: SmallMap<(MemberId, MemberId), LinkRule>,
}

impl Links {
    /// True if messages from `from` to `to` get through.
    #[must_use]
    pub fn is_open(&self, from: MemberId, to: MemberId) -> bool {
        !self.cut.contains(&(from, to))
    }

    /// True if nothing is cut or disturbed.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.cut.is_empty() && self.rules.is_empty()
    }

    /// What one direction does to messages; nothing if it is cut or as it should be.
    #[must_use]
    pub fn rule(&self, from: MemberId, to: MemberId) -> LinkRule {
        self.rules.get(&(from, to)).copied().unwrap_or_default()
    }

    /// The directed links with rules, in order.
    pub fn rules(&self) -> impl Iterator<Item = (MemberId, MemberId, LinkRule)> + '_ {
        self.rules.iter().map(|((from, to), rule)| (*from, *to, *rule))
    }

    /// Disturbs one direction, beside what disturbs it already.
    pub fn disturb_one_way(&mut self, from: MemberId, to: MemberId, fault: LinkFault) {
        if from == to {
            return;
        }
        let mut rule = self.rule(from, to);
        rule.set(fault);
        if rule.is_none() {
            self.rules.remove(&(from, to));
        } else {
            self.rules.insert((from, to), rule);
        }
    }

    /// Disturbs one direction or both.
    pub fn disturb(&mut self, from: MemberId, to: MemberId, one_way: bool, fault: LinkFault) {
        self.disturb_one_way(from, to, fault);
        if !one_way {
            self.disturb_one_way(to, from, fault);
        }
    }

    /// Cuts one direction.
    pub fn cut_one_way(&mut self, from: MemberId, to: MemberId) {
        if from != to {
            self.cut.insert((from, to));
        }
    }

    /// Cuts both directions.
    pub fn cut(&mut self, one: MemberId, other: MemberId) {
        self.cut_one_way(one, other);
        self.cut_one_way(other, one);
    }

    /// Cuts a member from all the others, both ways.
    pub fn isolate(&mut self, member: MemberId, all: &[MemberId]) {
        for other in all {
            self.cut(member, *other);
        }
    }

    /// Cuts members of different sides from one another; whoever is on no side keeps its links.
    pub fn partition(&mut self, sides: &[(MemberId, u8)]) {
        for (at, (one, its_side)) in sides.iter().enumerate() {
            for (other, side) in sides.iter().skip(at + 1) {
                if side != its_side {
                    self.cut(*one, *other);
                }
            }
        }
    }

    /// Delays the messages of every direction between these members; 0 ms: no more.
    pub fn delay_all(&mut self, ms: u32, all: &[MemberId]) {
        let fault = LinkFault::Delay { ms, jitter_ms: 0 };
        for from in all {
            for to in all {
                self.disturb_one_way(*from, *to, fault);
            }
        }
    }

    /// The delay that every direction between these members has, if it is the same for all. Unit: ms.
    #[must_use]
    pub fn common_delay(&self, all: &[MemberId]) -> Option<u32> {
        let ways = || all.iter().flat_map(|from| all.iter().map(move |to| (*from, *to)));
        let mut delays = ways()
            .filter(|(from, to)| from != to)
            .map(|(from, to)| self.rule(from, to))
            .map(|rule| (rule.delay_ms, rule.jitter_ms));
        let first = delays.next().unwrap_or_default();
        (first.1 == 0 && delays.all(|delay| delay == first)).then_some(first.0)
    }

    /// Opens one direction, and disturbs it no more.
    pub fn heal_one_way(&mut self, from: MemberId, to: MemberId) {
        self.cut.remove(&(from, to));
        self.rules.remove(&(from, to));
    }

    /// Opens both directions, and disturbs them no more.
    pub fn heal_pair(&mut self, one: MemberId, other: MemberId) {
        self.heal_one_way(one, other);
        self.heal_one_way(other, one);
    }

    /// Opens every link of a member, and disturbs them no more.
    pub fn heal_member(&mut self, member: MemberId) {
        self.cut.retain(|(from, to)| *from != member && *to != member);
        self.rules.retain(|(from, to), _| *from != member && *to != member);
    }

    /// Opens everything, and disturbs nothing.
    pub fn heal(&mut self) {
        self.cut.clear();
        self.rules.clear();
    }

    /// The directed links that are cut, in order.
    pub fn cut_links(&self) -> impl Iterator<Item = (MemberId, MemberId)> + '_ {
        self.cut.iter().copied()
    }
}

#[cfg(test)]
mod tests;
