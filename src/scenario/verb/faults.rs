//! The verbs for what is half broken: links that delay, lose, double and reorder, disks, clocks, power, partitions.
//!
//! What it is: their grammar, both ways, and what a line may go on with.
//! What it is not: what the faults do (see `cluster::fault`).
//! Invariants: those of the module above; a number beyond a limit is refused with the limit.

use std::fmt;

use super::{
    Accepts, Ends, KILL, MEMBERS_MAX, ONE, Parsed, RESTART, Sides, Target, Thing, Verb, VerbError,
    Wrong, end, error, expected, parse_ends, parse_one_way, parse_target, target,
};
use crate::cluster::fault::{
    CLOCK_RATE, DELAY_MS_MAX, DISK_DELAY_MS_MAX, LinkFault, MemberFault, WHOLE,
};
use crate::scenario::units::{parse_duration, parse_number, show_duration};

/// A number that ends a fault.
pub(super) const OFF: &str = "off";

pub(super) fn parse(words: &[&str]) -> Option<Parsed<Verb>> {
    Some(match *words.first()? {
        "partition" => parse_sides(words).map(Verb::Partition),
        "delay" | "loss" | "duplicate" | "reorder" => parse_disturb(words),
        "slow-disk" => parse_slow_disk(words),
        "clock" => parse_clock(words),
        "fill-disk" => parse_member(words, KILL, MemberFault::FillDisk),
        "free-disk" => parse_member(words, RESTART, MemberFault::FreeDisk),
        "power-cut" => parse_member(words, KILL, MemberFault::PowerCut),
        "wipe" => parse_member(words, RESTART, MemberFault::Wipe),
        _ => return None,
    })
}

/// `heal`, with words behind it.
pub(super) fn parse_heal(words: &[&str]) -> Parsed<Verb> {
    if words.len() == 2 && !words.iter().any(|word| word.contains("->")) {
        return target(words, 1, ONE).map(|target| Verb::Heal(Some(target)));
    }
    let (Ends { from, to, one_way }, at) = parse_ends(words)?;
    let (one_way, at) = parse_one_way(words, one_way, at);
    end(words, at)?;
    Ok(Verb::HealLink { from, to, one_way })
}

/// What may stand behind these words of a verb, where that is not a member.
#[must_use]
pub fn continuations(words: &[&str]) -> Option<&'static [&'static str]> {
    let name = words.first()?;
    if let Some(values) = super::pace::values(name) {
        return Some(if words.len() == 1 { values } else { &[] });
    }
    if *name == "wait" {
        return Some(match words {
            [_] => &["leader", "2s", "term", "revision", "infra1"],
            [_, member] if super::infra(member).is_some() => &["up"],
            [_, "leader"] | [_, "term" | "revision", _] | [_, _, "up"] => &["within"],
            [_, .., "within"] => &["10s", "30s"],
            _ => &[],
        });
    }
    let is_arrow = words.get(1).is_some_and(|word| word.contains("->"));
    let ends = if is_arrow { 2 } else { 3 + usize::from(words.get(2) == Some(&"->")) };
    let value: &[&str] = match *name {
        "delay" => &["50ms", "200ms", "1s", OFF],
        "loss" | "duplicate" | "reorder" => &["10%", "30%", "100%", OFF],
        "slow-disk" if words.len() == 2 => return Some(&["100ms", "500ms", "1500ms", OFF]),
        "clock" if words.len() == 2 => return Some(&["50%", "100%", "150%", "200%"]),
        "cut" | "heal" if words.len() == ends => return Some(&["one-way"]),
        _ => return None,
    };
    match words.len().checked_sub(ends)? {
        0 => Some(value),
        1 if *name == "delay" => Some(&["jitter", "one-way"]),
        1 => Some(&["one-way"]),
        _ => None,
    }
}

fn parse_member(words: &[&str], accepts: Accepts, fault: MemberFault) -> Parsed<Verb> {
    let found = target(words, 1, accepts)?;
    end(words, 2)?;
    Ok(Verb::Member(found, fault))
}

fn parse_slow_disk(words: &[&str]) -> Parsed<Verb> {
    let found = target(words, 1, RESTART)?;
    let ms = milliseconds(words, 2, DISK_DELAY_MS_MAX)?;
    end(words, 3)?;
    Ok(Verb::Member(found, MemberFault::SlowDisk(ms)))
}

fn parse_clock(words: &[&str]) -> Parsed<Verb> {
    let found = target(words, 1, RESTART)?;
    let rate = permille(words, 2, CLOCK_RATE.1)?;
    if rate < CLOCK_RATE.0 {
        return error(2, Wrong::SlowClock);
    }
    end(words, 3)?;
    Ok(Verb::Member(found, MemberFault::Clock(rate)))
}

fn parse_disturb(words: &[&str]) -> Parsed<Verb> {
    let (Ends { from, to, one_way }, at) = parse_ends(words)?;
    let (fault, at) = match words.first().copied().unwrap_or_default() {
        "delay" => parse_delay(words, at)?,
        name => {
            let count = permille(words, at, WHOLE)?;
            let fault = match name {
                "loss" => LinkFault::Loss(count),
                "duplicate" => LinkFault::Duplicate(count),
                _ => LinkFault::Reorder(count),
            };
            (fault, at + 1)
        }
    };
    let (one_way, at) = parse_one_way(words, one_way, at);
    end(words, at)?;
    Ok(Verb::Disturb { from, to, one_way, fault })
}

fn parse_delay(words: &[&str], at: usize) -> Parsed<(LinkFault, usize)> {
    let ms = milliseconds(words, at, DELAY_MS_MAX)?;
    if words.get(at + 1) != Some(&"jitter") {
        return Ok((LinkFault::Delay { ms, jitter_ms: 0 }, at + 1));
    }
    let jitter_ms = milliseconds(words, at + 2, DELAY_MS_MAX)?;
    Ok((LinkFault::Delay { ms, jitter_ms }, at + 3))
}

pub(super) fn milliseconds(words: &[&str], at: usize, most: u32) -> Parsed<u32> {
    let word = words.get(at);
    if word == Some(&OFF) {
        return Ok(0);
    }
    let Some(ms) = word.and_then(|word| parse_duration(word)) else {
        return expected(words, at, Thing::Time);
    };
    match u32::try_from(ms).ok().filter(|ms| *ms <= most) {
        Some(ms) => Ok(ms),
        None => error(at, Wrong::Most(duration(most))),
    }
}

/// `30%` or `0.5%`, in thousandths.
fn permille(words: &[&str], at: usize, most: u32) -> Parsed<u32> {
    let Some(word) = words.get(at) else { return expected(words, at, Thing::Share) };
    if *word == OFF {
        return Ok(0);
    }
    let read = || {
        let number = word.strip_suffix('%')?;
        let (whole, tenth) = number.split_once('.').unwrap_or((number, "0"));
        let tenth = parse_number(tenth).filter(|_| tenth.len() == 1)?;
        parse_number(whole)?.checked_mul(10)?.checked_add(tenth)
    };
    let Some(found) = read() else {
        return expected(words, at, Thing::Share);
    };
    match u32::try_from(found).ok().filter(|found| *found <= most) {
        Some(found) => Ok(found),
        None => error(at, Wrong::Most(percent(most))),
    }
}

fn parse_sides(words: &[&str]) -> Parsed<Sides> {
    let mut sides = Sides([0; MEMBERS_MAX as usize]);
    let (mut side, mut is_empty) = (1_u8, true);
    for (at, word) in words.iter().enumerate().skip(1) {
        for (part_at, part) in word.split('|').enumerate() {
            if part_at > 0 {
                if is_empty {
                    return error(at, Wrong::EmptySide);
                }
                (side, is_empty) = (side.saturating_add(1), true);
            }
            for name in part.split(',').filter(|name| !name.is_empty()) {
                let Some(Target::Infra(number)) = parse_target(name) else {
                    return error(at, Wrong::found(Thing::Sides, name));
                };
                match sides.place(number) {
                    Some(place) if *place == 0 => (*place, is_empty) = (side, false),
                    _ => return error(at, Wrong::TwoSides(name.to_owned())),
                }
            }
        }
    }
    if side < 2 || is_empty {
        return error(words.len(), Wrong::missing(Thing::Sides));
    }
    Ok(sides)
}

impl Sides {
    /// Sides of the members with these numbers.
    ///
    /// # Errors
    /// A member that no script can name, is on two sides, or a side without members.
    pub fn new(sides: &[Vec<u32>]) -> Result<Self, VerbError> {
        let names = |side: &Vec<u32>| {
            let names: Vec<String> = side.iter().map(|number| format!("infra{number}")).collect();
            names.join(",")
        };
        let sides: Vec<String> = sides.iter().map(names).collect();
        parse_sides(&["partition", &sides.join("|")])
    }

    fn place(&mut self, number: u32) -> Option<&mut u8> {
        self.0.get_mut(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// The members that are on a side, by number, and which, in their order.
    pub fn members(&self) -> impl Iterator<Item = (u32, u8)> + '_ {
        (1..).zip(self.0).filter(|(_, side)| *side > 0)
    }
}

/// Thousandths, as they are written.
struct Percent(u32);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 % 10 {
            0 => write!(f, "{}%", self.0 / 10),
            tenth => write!(f, "{}.{tenth}%", self.0 / 10),
        }
    }
}

impl fmt::Display for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for side in 1..=u8::MAX {
            let mut between = if side == 1 { "" } else { " | " };
            for (number, _) in self.members().filter(|(_, its)| *its == side) {
                write!(f, "{between}infra{number}")?;
                between = ",";
            }
            if between != "," {
                break;
            }
        }
        Ok(())
    }
}

/// A time above 0.
fn write_ms(f: &mut fmt::Formatter<'_>, ms: u32) -> fmt::Result {
    f.write_str(&show_duration(u64::from(ms)))
}

pub(super) fn write_link(f: &mut fmt::Formatter<'_>, ends: Ends, fault: LinkFault) -> fmt::Result {
    let (name, count) = match fault {
        LinkFault::Delay { ms, jitter_ms } => {
            write!(f, "delay {ends} ")?;
            if ms == 0 && jitter_ms == 0 {
                return f.write_str(OFF);
            }
            write_ms(f, ms)?;
            if jitter_ms > 0 {
                f.write_str(" jitter ")?;
                write_ms(f, jitter_ms)?;
            }
            return Ok(());
        }
        LinkFault::Loss(count) => ("loss", count),
        LinkFault::Duplicate(count) => ("duplicate", count),
        LinkFault::Reorder(count) => ("reorder", count),
    };
    match count {
        0 => write!(f, "{name} {ends} {OFF}"),
        _ => write!(f, "{name} {ends} {}", Percent(count)),
    }
}

pub(super) fn write_member(
    f: &mut fmt::Formatter<'_>,
    target: Target,
    fault: MemberFault,
) -> fmt::Result {
    match fault {
        MemberFault::SlowDisk(0) => write!(f, "slow-disk {target} {OFF}"),
        MemberFault::SlowDisk(ms) => {
            write!(f, "slow-disk {target} ")?;
            write_ms(f, ms)
        }
        MemberFault::FillDisk => write!(f, "fill-disk {target}"),
        MemberFault::FreeDisk => write!(f, "free-disk {target}"),
        MemberFault::PowerCut => write!(f, "power-cut {target}"),
        MemberFault::Wipe => write!(f, "wipe {target}"),
        MemberFault::Clock(rate) => write!(f, "clock {target} {}", Percent(rate)),
    }
}

/// Thousandths as scripts and pages write them: `30%`, `0.5%`.
#[must_use]
pub fn percent(permille: u32) -> String {
    Percent(permille).to_string()
}

/// A time as scripts and pages write it: `200ms`, `1s`.
#[must_use]
pub fn duration(ms: u32) -> String {
    show_duration(u64::from(ms))
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::super::tests::{one, read};
    use super::*;

    fn any_link_fault() -> impl Strategy<Value = LinkFault> {
        prop_oneof![
            (0..=DELAY_MS_MAX, 0..=DELAY_MS_MAX)
                .prop_map(|(ms, jitter_ms)| LinkFault::Delay { ms, jitter_ms }),
            (0..=WHOLE).prop_map(LinkFault::Loss),
            (0..=WHOLE).prop_map(LinkFault::Duplicate),
            (0..=WHOLE).prop_map(LinkFault::Reorder),
        ]
    }

    fn any_member_fault() -> impl Strategy<Value = MemberFault> {
        prop_oneof![
            (0..=DISK_DELAY_MS_MAX).prop_map(MemberFault::SlowDisk),
            Just(MemberFault::FillDisk),
            Just(MemberFault::FreeDisk),
            Just(MemberFault::PowerCut),
            Just(MemberFault::Wipe),
            (CLOCK_RATE.0..=CLOCK_RATE.1).prop_map(MemberFault::Clock),
        ]
    }

    fn any_sides() -> impl Strategy<Value = Sides> {
        // A side may come out empty, which no partition has.
        prop::collection::vec(0..3_usize, 7).prop_filter_map("two sides", |sides| {
            let of = |side: usize| {
                let on = (1..).zip(&sides).filter(|(_, its)| **its == side);
                on.map(|(number, _)| number).collect::<Vec<u32>>()
            };
            Sides::new(&[of(1), of(2)]).ok()
        })
    }

    pub(in crate::scenario::verb) fn any_fault() -> impl Strategy<Value = Verb> {
        let ends = || (one(), one(), any::<bool>());
        prop_oneof![
            any_sides().prop_map(Verb::Partition),
            (ends(), any_link_fault()).prop_map(|((from, to, one_way), fault)| Verb::Disturb {
                from,
                to,
                one_way,
                fault
            }),
            (one(), any_member_fault()).prop_map(|(target, fault)| Verb::Member(target, fault)),
            ends().prop_map(|(from, to, one_way)| Verb::HealLink { from, to, one_way }),
        ]
    }

    fn verb(line: &str) -> Verb {
        read(line).unwrap().unwrap()
    }

    #[test]
    fn lines_may_be_written_in_several_ways() {
        let cases = [
            ("cut infra1 infra2 one-way", "cut infra1->infra2"),
            ("delay infra1 leader 200ms", "delay infra1 leader 200ms"),
            ("delay infra1->leader 1000ms jitter 50ms", "delay infra1->leader 1s jitter 50ms"),
            ("delay infra1 -> leader off", "delay infra1->leader off"),
            ("delay infra1 leader 0ms jitter 5ms one-way", "delay infra1->leader 0ms jitter 5ms"),
            ("loss infra1 infra2 30% one-way", "loss infra1->infra2 30%"),
            ("duplicate infra1 infra2 0.5%", "duplicate infra1 infra2 0.5%"),
            ("reorder infra1 infra2 0%", "reorder infra1 infra2 off"),
            ("slow-disk leader 1500ms", "slow-disk leader 1500ms"),
            ("slow-disk all off", "slow-disk all off"),
            ("clock infra2 150.0%", "clock infra2 150%"),
            ("heal infra1->infra2", "heal infra1->infra2"),
            ("partition infra1,infra2|infra3", "partition infra1,infra2 | infra3"),
            ("partition infra3 infra1 | infra2", "partition infra1,infra3 | infra2"),
            (
                "partition infra2 | infra1, infra3 |infra7",
                "partition infra2 | infra1,infra3 | infra7",
            ),
        ];
        for (line, written) in cases {
            assert_eq!(verb(line).to_string(), written, "{line}");
        }
    }

    #[test]
    fn the_sides_of_a_partition_are_told_by_number() {
        let Verb::Partition(sides) = verb("partition infra5 | infra1,infra2") else {
            panic!("no partition")
        };
        assert_eq!(sides.members().collect::<Vec<_>>(), [(1, 2), (2, 2), (5, 1)]);
        assert_eq!(Sides::new(&[vec![5], vec![1, 2]]), Ok(sides));
        assert!(Sides::new(&[vec![8], vec![1]]).is_err());
    }

    #[test]
    fn errors_name_the_word_and_what_was_expected() {
        let cases = [
            ("delay infra1 infra2", 3, "expected a time such as 200ms"),
            ("delay infra1 infra2 11s", 3, "10s is the most"),
            ("delay infra1 infra2 1s jitter", 5, "expected a time"),
            ("delay infra1 infra2 1s 2s", 4, "expected the end of the line"),
            ("loss infra1 infra2 101%", 3, "100% is the most"),
            ("loss infra1 infra2 30", 3, "expected a share such as 30%"),
            ("loss infra1->infra2 0.55%", 2, "found \"0.55%\""),
            ("loss infra1 30%", 2, "expected a member"),
            ("slow-disk leader 5s", 2, "4s is the most"),
            ("slow-disk paused 1s", 1, "killed, leader, follower or all"),
            ("clock infra1 9%", 2, "10% at least"),
            ("clock infra1 2000%", 2, "1000% is the most"),
            ("fill-disk", 1, "expected a member"),
            ("wipe infra1 infra2", 2, "expected the end of the line"),
            ("power-cut killed", 1, "leader, follower or all"),
            ("partition infra1", 2, "expected members such as"),
            ("partition infra1 |", 3, "expected members such as"),
            ("partition | infra1", 1, "nobody is on one of the sides"),
            ("partition infra1 | infra1", 3, "infra1 is on two sides"),
            ("partition infra1 | leader", 3, "found \"leader\""),
        ];
        for (line, word, part) in cases {
            let fault = read(line).unwrap().unwrap_err();
            assert_eq!(fault.word, word, "{line}: {fault}");
            assert!(fault.to_string().contains(part), "{line}: {fault}");
        }
    }

    #[test]
    fn what_may_follow_is_known_at_each_word() {
        let after = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            continuations(&words).map(|found| found.first().copied().unwrap_or_default())
        };
        assert_eq!(after("loss infra1"), None);
        assert_eq!(after("loss infra1 infra2"), Some("10%"));
        assert_eq!(after("loss infra1->infra2"), Some("10%"));
        assert_eq!(after("loss infra1 -> infra2"), Some("10%"));
        assert_eq!(after("loss infra1 infra2 10%"), Some("one-way"));
        assert_eq!(after("delay infra1 infra2 50ms"), Some("jitter"));
        assert_eq!(after("slow-disk leader"), Some("100ms"));
        assert_eq!(after("clock infra1"), Some("50%"));
        assert_eq!(after("cut infra1 infra2"), Some("one-way"));
        assert_eq!(after("partition infra1"), None);
        assert_eq!(after("kill"), None);
    }
}
