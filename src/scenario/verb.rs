//! What a person can do to a cluster besides asking it: kill, restart, cut, slow down, wait.
//!
//! What it is: the verbs of scripts and of the page's console, one grammar for both; typed, with the
//! text both ways.
//! What it is not: etcdctl (a line that is no verb goes there), nor the doing (see `world`).
//! Invariants: [`parse`] of what `Display` wrote gives the same verb; verbs match whole words only.

mod faults;
mod pace;
mod typed;
mod wrong;

use std::fmt;

use crate::cluster::fault::{LinkFault, MemberFault, Speed};
use crate::scenario::units::{parse_duration, parse_number, show_duration};

pub use faults::{continuations, duration, percent};
pub(in crate::scenario) use typed::REMOVE;
pub use typed::{TYPED, Typed, help, typed};
pub(in crate::scenario) use wrong::expected as expected_told;
pub use wrong::{Thing, Wanted, Wrong};

/// Limit of a `wait` that names none. Unit: ms.
pub const WAIT_LIMIT_DEFAULT_MS: u64 = 10_000;

/// Longest `wait`. Unit: ms. Source: the total a link may wait.
pub const WAIT_LIMIT_MAX_MS: u64 = 600_000;

/// Most members a script may name.
pub const MEMBERS_MAX: u32 = 7;

/// Whom a verb is about; chosen when the verb runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// `infraN`, counted from 1.
    Infra(u32),
    /// The member that leads a majority.
    Leader,
    /// The lowest-numbered running member that does not lead.
    Follower,
    /// The lowest-numbered member that is down.
    Killed,
    /// The lowest-numbered member that is paused.
    Paused,
    /// Every member.
    All,
}

/// What `wait` waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A member leads, and with those that hear it and follow it is a majority.
    Leader,
    /// Some running member is at this term or a later one.
    Term(u64),
    /// Every running member that is not cut off has applied this revision.
    Revision(i64),
    /// The member serves.
    Up(Target),
    /// Time passes.
    Time,
}

/// The sides of a partition: of each member infra1 … infra7 the number of its side, from 1, or 0 for none.
///
/// Sides are numbered in the order in which they are written; there are two or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides([u8; MEMBERS_MAX as usize]);

/// One verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Ends a member at once; its disk stays.
    Kill(Target),
    /// Starts a member from its disk; one that runs is killed first.
    Restart(Target),
    /// Freezes a member.
    Pause(Target),
    /// Lets a frozen member go on.
    Resume(Target),
    /// Cuts all links of a member, both ways.
    Isolate(Target),
    /// Cuts the link between two members.
    Cut {
        /// One end; with `one_way` the sender.
        from: Target,
        /// The other end.
        to: Target,
        /// Only messages from `from` to `to` are lost.
        one_way: bool,
    },
    /// Cuts all links between sides.
    Partition(Sides),
    /// Disturbs the messages between two members.
    Disturb {
        /// One end; with `one_way` the sender.
        from: Target,
        /// The other end.
        to: Target,
        /// Only messages from `from` to `to` are disturbed.
        one_way: bool,
        /// How.
        fault: LinkFault,
    },
    /// Something happens to a member's disk, clock or power.
    Member(Target, MemberFault),
    /// The cluster's time passes more slowly, or as it is.
    Speed(Speed),
    /// Delays the messages of all links; 0 for no more. Unit: ms.
    Latency(u32),
    /// Opens all links, or those of one member, and disturbs them no more.
    Heal(Option<Target>),
    /// The same for the link between two members.
    HealLink {
        /// One end; with `one_way` the sender.
        from: Target,
        /// The other end.
        to: Target,
        /// Only the direction from `from` to `to`.
        one_way: bool,
    },
    /// Lets time pass until something holds.
    Wait {
        /// What for.
        condition: Condition,
        /// How long at most; with [`Condition::Time`] exactly that long. Unit: ms.
        limit_ms: u64,
    },
}

/// A verb that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{wrong}")]
pub struct VerbError {
    /// The word at fault, counted from 0; the number of words if one is missing at the end.
    pub word: usize,
    /// What is wrong, and what was expected there.
    pub wrong: Wrong,
}

type Parsed<T> = Result<T, VerbError>;

/// Every verb's first word.
pub const NAMES: [&str; 21] = [
    "kill",
    "restart",
    "pause",
    "resume",
    "isolate",
    "cut",
    "heal",
    "wait",
    "partition",
    "delay",
    "loss",
    "duplicate",
    "reorder",
    "slow-disk",
    "fill-disk",
    "free-disk",
    "power-cut",
    "wipe",
    "clock",
    "speed",
    "latency",
];

/// Reads a verb from its words; `None` if the first word is no verb.
#[must_use]
pub fn parse(words: &[&str]) -> Option<Parsed<Verb>> {
    let name = words.first()?;
    Some(match *name {
        "kill" => only_target(words, KILL).map(Verb::Kill),
        "restart" => only_target(words, RESTART).map(Verb::Restart),
        "pause" => only_target(words, KILL).map(Verb::Pause),
        "resume" => only_target(words, RESUME).map(Verb::Resume),
        "isolate" => only_target(words, ONE).map(Verb::Isolate),
        "cut" => parse_cut(words),
        "heal" if words.len() == 1 => Ok(Verb::Heal(None)),
        "heal" => faults::parse_heal(words),
        "wait" => parse_wait(words),
        _ => return pace::parse(words).or_else(|| faults::parse(words)),
    })
}

/// Which targets a verb takes beside members by their names, in the order in which they are told.
type Accepts = &'static [Target];

const ONE: Accepts = &[Target::Leader, Target::Follower];
const KILL: Accepts = &[Target::Leader, Target::Follower, Target::All];
const RESTART: Accepts = &[Target::Killed, Target::Leader, Target::Follower, Target::All];
const RESUME: Accepts = &[Target::Paused, Target::All];

const fn error<T>(word: usize, wrong: Wrong) -> Parsed<T> {
    Err(VerbError { word, wrong })
}

/// Something else was expected than the word there, if there is one.
fn expected<T>(words: &[&str], at: usize, thing: Thing) -> Parsed<T> {
    let found = words.get(at).map(|word| (*word).to_owned());
    error(at, Wrong::Expected(Wanted::Thing(thing), found))
}

fn parse_target(text: &str) -> Option<Target> {
    Some(match text {
        "leader" => Target::Leader,
        "follower" => Target::Follower,
        "killed" => Target::Killed,
        "paused" => Target::Paused,
        "all" => Target::All,
        _ => {
            let digits = text.strip_prefix("infra")?;
            let number = u32::try_from(parse_number(digits)?).ok()?;
            let is_plain = !digits.starts_with('0') && (1..=MEMBERS_MAX).contains(&number);
            return is_plain.then_some(Target::Infra(number));
        }
    })
}

/// `infraN`
pub(super) fn infra(word: &str) -> Option<Target> {
    parse_target(word).filter(|target| matches!(target, Target::Infra(_)))
}

fn target(words: &[&str], at: usize, accepts: Accepts) -> Parsed<Target> {
    let word = words.get(at);
    match word.and_then(|word| parse_target(word)) {
        Some(found @ Target::Infra(_)) => Ok(found),
        Some(found) if accepts.contains(&found) => Ok(found),
        _ => {
            let found = word.map(|word| (*word).to_owned());
            error(at, Wrong::Expected(Wanted::Member(accepts), found))
        }
    }
}

fn end(words: &[&str], at: usize) -> Parsed<()> {
    match words.get(at) {
        None => Ok(()),
        Some(_) => expected(words, at, Thing::End),
    }
}

fn only_target(words: &[&str], accepts: Accepts) -> Parsed<Target> {
    let found = target(words, 1, accepts)?;
    end(words, 2)?;
    Ok(found)
}

fn parse_cut(words: &[&str]) -> Parsed<Verb> {
    let (ends, at) = parse_ends(words)?;
    let (one_way, at) = parse_one_way(words, ends.one_way, at);
    end(words, at)?;
    Ok(Verb::Cut { from: ends.from, to: ends.to, one_way })
}

/// The ends of a link.
#[derive(Clone, Copy)]
struct Ends {
    from: Target,
    to: Target,
    one_way: bool,
}

/// The ends of a link, from the second word on, and the number of the word after them.
fn parse_ends(words: &[&str]) -> Parsed<(Ends, usize)> {
    // "cut a->b" is one word, "cut a -> b" is three.
    if let Some((from, to)) = words.get(1).and_then(|word| word.split_once("->"))
        && !(from.is_empty() && to.is_empty())
    {
        let ends = [from, to];
        let at_first_word = |fault: VerbError| VerbError { word: 1, ..fault };
        let from = target(&ends, 0, ONE).map_err(at_first_word)?;
        let to = target(&ends, 1, ONE).map_err(at_first_word)?;
        return Ok((Ends { from, to, one_way: true }, 2));
    }
    let from = target(words, 1, ONE)?;
    let one_way = words.get(2) == Some(&"->");
    let at = if one_way { 3 } else { 2 };
    let to = target(words, at, ONE)?;
    Ok((Ends { from, to, one_way }, at + 1))
}

/// Takes a last word that says what an arrow says, too.
fn parse_one_way(words: &[&str], one_way: bool, at: usize) -> (bool, usize) {
    if words.get(at) == Some(&"one-way") { (true, at + 1) } else { (one_way, at) }
}

fn parse_wait(words: &[&str]) -> Parsed<Verb> {
    let Some(word) = words.get(1) else {
        return expected(words, 1, Thing::Condition);
    };
    let (condition, next) = match *word {
        "leader" => (Condition::Leader, 2),
        "term" => (Condition::Term(number(words, 2)?), 3),
        "revision" => {
            let wanted = number(words, 2)?;
            let Ok(wanted) = i64::try_from(wanted) else {
                return error(2, Wrong::LargeRevision(wanted));
            };
            (Condition::Revision(wanted), 3)
        }
        _ => {
            if let Some(limit_ms) = parse_duration(word) {
                end(words, 2)?;
                let limit_ms = checked_limit(limit_ms, 1)?;
                return Ok(Verb::Wait { condition: Condition::Time, limit_ms });
            }
            let Some(found @ Target::Infra(_)) = parse_target(word) else {
                return expected(words, 1, Thing::Condition);
            };
            if words.get(2) != Some(&"up") {
                return error(2, Wrong::missing(Thing::Up));
            }
            (Condition::Up(found), 3)
        }
    };
    Ok(Verb::Wait { condition, limit_ms: parse_limit(words, next)? })
}

fn number(words: &[&str], at: usize) -> Parsed<u64> {
    match words.get(at).and_then(|word| parse_number(word)) {
        Some(found) => Ok(found),
        None => expected(words, at, Thing::Number),
    }
}

fn parse_limit(words: &[&str], at: usize) -> Parsed<u64> {
    let Some(word) = words.get(at) else {
        return Ok(WAIT_LIMIT_DEFAULT_MS);
    };
    if *word != "within" {
        return expected(words, at, Thing::Within);
    }
    let limit = words.get(at + 1).copied().unwrap_or_default();
    let Some(limit_ms) = parse_duration(limit) else {
        return error(at + 1, Wrong::missing(Thing::Limit));
    };
    end(words, at + 2)?;
    checked_limit(limit_ms, at + 1)
}

fn checked_limit(limit_ms: u64, word: usize) -> Parsed<u64> {
    if limit_ms > WAIT_LIMIT_MAX_MS {
        return error(word, Wrong::LongWait);
    }
    Ok(limit_ms)
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Infra(number) => write!(f, "infra{number}"),
            Self::Leader => f.write_str("leader"),
            Self::Follower => f.write_str("follower"),
            Self::Killed => f.write_str("killed"),
            Self::Paused => f.write_str("paused"),
            Self::All => f.write_str("all"),
        }
    }
}

impl fmt::Display for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let between = if self.one_way { "->" } else { " " };
        write!(f, "{}{between}{}", self.from, self.to)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leader => f.write_str("leader"),
            Self::Term(term) => write!(f, "term {term}"),
            Self::Revision(revision) => write!(f, "revision {revision}"),
            Self::Up(target) => write!(f, "{target} up"),
            Self::Time => f.write_str("time"),
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Kill(target) => write!(f, "kill {target}"),
            Self::Restart(target) => write!(f, "restart {target}"),
            Self::Pause(target) => write!(f, "pause {target}"),
            Self::Resume(target) => write!(f, "resume {target}"),
            Self::Isolate(target) => write!(f, "isolate {target}"),
            Self::Cut { from, to, one_way } => write!(f, "cut {}", Ends { from, to, one_way }),
            Self::Partition(sides) => write!(f, "partition {sides}"),
            Self::Disturb { from, to, one_way, fault } => {
                faults::write_link(f, Ends { from, to, one_way }, fault)
            }
            Self::Member(target, fault) => faults::write_member(f, target, fault),
            Self::Speed(speed) => write!(f, "speed {speed}"),
            Self::Latency(ms) => write!(f, "latency {}", pace::latency(ms)),
            Self::Heal(None) => f.write_str("heal"),
            Self::Heal(Some(target)) => write!(f, "heal {target}"),
            Self::HealLink { from, to, one_way } => {
                write!(f, "heal {}", Ends { from, to, one_way })
            }
            Self::Wait { condition: Condition::Time, limit_ms } => {
                write!(f, "wait {}", show_duration(limit_ms))
            }
            Self::Wait { condition, limit_ms } => {
                write!(f, "wait {condition} within {}", show_duration(limit_ms))
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(super) fn read(line: &str) -> Option<Parsed<Verb>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        parse(&words)
    }

    pub(super) fn one() -> impl Strategy<Value = Target> {
        prop_oneof![
            (1..=MEMBERS_MAX).prop_map(Target::Infra),
            Just(Target::Leader),
            Just(Target::Follower)
        ]
    }

    pub(in crate::scenario) fn any_verb() -> impl Strategy<Value = Verb> {
        let infra = || (1..=MEMBERS_MAX).prop_map(Target::Infra);
        prop_oneof![
            prop_oneof![one(), Just(Target::All)].prop_map(Verb::Kill),
            prop_oneof![one(), Just(Target::Killed), Just(Target::All)].prop_map(Verb::Restart),
            prop_oneof![one(), Just(Target::All)].prop_map(Verb::Pause),
            prop_oneof![infra(), Just(Target::Paused), Just(Target::All)].prop_map(Verb::Resume),
            one().prop_map(Verb::Isolate),
            (one(), one(), any::<bool>()).prop_map(|(from, to, one_way)| Verb::Cut {
                from,
                to,
                one_way
            }),
            prop::option::of(one()).prop_map(Verb::Heal),
            faults::tests::any_fault(),
            (1..=100_u32).prop_map(|times| Verb::Speed(Speed::slower(times).unwrap())),
            (0..=10_000_u32).prop_map(Verb::Latency),
            (
                prop_oneof![
                    Just(Condition::Leader),
                    any::<u64>().prop_map(Condition::Term),
                    (0..=i64::MAX).prop_map(Condition::Revision),
                    infra().prop_map(Condition::Up),
                    Just(Condition::Time)
                ],
                0..=WAIT_LIMIT_MAX_MS
            )
                .prop_map(|(condition, limit_ms)| Verb::Wait { condition, limit_ms }),
        ]
    }

    proptest! {
        #[test]
        fn a_verb_reads_back_as_written(verb in any_verb()) {
            prop_assert_eq!(read(&verb.to_string()), Some(Ok(verb)));
        }

        #[test]
        fn any_words_give_an_answer(words in prop::collection::vec("[a-z0-9>-]{0,8}", 0..5)) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let _ = parse(&words);
        }
    }

    #[test]
    fn what_is_no_verb_is_left_to_etcdctl() {
        for line in ["", "put a b", "etcdctl kill leader", "killall", "kil infra1"] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn arrows_may_stand_alone_or_between_the_names() {
        let cut = Verb::Cut { from: Target::Infra(1), to: Target::Leader, one_way: true };
        assert_eq!(read("cut infra1->leader"), Some(Ok(cut)));
        assert_eq!(read("cut infra1 -> leader"), Some(Ok(cut)));
    }

    #[test]
    fn errors_name_the_word_and_what_was_expected() {
        let cases = [
            ("kill", 1, "expected a member"),
            ("kill infra9", 1, "infra1 … infra7, leader, follower or all, found \"infra9\""),
            ("kill infra01", 1, "found \"infra01\""),
            ("kill leader now", 2, "expected the end of the line"),
            ("isolate all", 1, "leader or follower"),
            ("heal infra1 infra2 now", 3, "expected the end of the line"),
            ("restart paused", 1, "killed"),
            ("cut infra1", 2, "expected a member"),
            ("cut infra1->", 1, "found \"\""),
            ("wait", 1, "expected leader"),
            ("wait infra1", 2, "expected \"up\""),
            ("wait term x", 2, "expected a number"),
            ("wait leader 5s", 2, "expected \"within\""),
            ("wait leader within", 3, "expected a time"),
            ("wait 11m", 1, "10m at most"),
            ("wait revision 99999999999999999999", 2, "expected a number"),
        ];
        for (line, word, part) in cases {
            let fault = read(line).unwrap().unwrap_err();
            assert_eq!(fault.word, word, "{line}: {fault}");
            assert!(fault.to_string().contains(part), "{line}: {fault}");
        }
    }
}
