//! Claims: what a scenario waits for, expects, or sets as a goal.
//!
//! What it is: one grammar for `wait for CLAIM [within TIME]`, `expect CLAIM`, `goal CLAIM` and `answer whether CLAIM`, typed,
//! with the text both ways:
//!
//! ```text
//! leader | no leader | leader changed | leader is infra2
//! infra2 is up|down|paused|isolated|leader|follower|voter|learner|caught-up
//! all are up                            and the other states
//! links are whole
//! term|revision|members|voters|learners|running|elections is|>|>=|<|<= N
//! term rose [by N]                      the same for revision
//! event elected [by infra2]             since the last thing that was done to the cluster; see [`EventKind`]
//! events elected is 2                   since the part or `mark`, with every comparison
//! output is|contains|lacks TEXT         of the last command; `output is empty`
//! error contains TEXT                   the same of standard error
//! @2 output contains TEXT               of all that the last command of console 2 has printed
//! status is 0                           of the last command; `@2 status is 0`
//! wrote KEY [VALUE]                     a put was acknowledged; `refused KEY [VALUE]`: one was not
//! read KEY VALUE [at REVISION]          a get was answered so; `read failed`
//! @2 saw KEY VALUE…                     one watch message held exactly these values
//! @2 saw each event once                every acknowledged put in its range, in order, once
//! no write lost                         every acknowledged put can be read at its revision
//! hashes are equal                      every running member said the same to `endpoint hashkv`
//! not CLAIM                             also `is not`
//! ```
//!
//! `rose`, `changed`, `events`, `elections`, `wrote`, `refused`, `read`, `saw KEY`, `hashes` count from the beginning of the part or the
//! last `mark`. A TEXT is a word, `"in quotes"`, or `<<END` with the lines up to `END`; blanks at the ends of output and TEXT
//! do not count.
//! What it is not: the judging (see `judge`).
//! Invariants: reading what `Display` wrote gives the same claim; every fault has its place and says what was expected.

mod parse;

use std::fmt;

use crate::scenario::token::quoted;
use crate::scenario::verb::Target;

pub(super) use parse::{Cursor, read};

/// A number of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The highest term of a running member.
    Term,
    /// The highest revision of a running member.
    Revision,
    /// Members, learners included.
    Members,
    /// Members that vote.
    Voters,
    /// Members that do not.
    Learners,
    /// Members that serve and are not frozen.
    Running,
    /// Elections that were won since the mark.
    Elections,
    /// Events of a kind since the mark.
    Events(EventKind),
}

/// How a number compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// `is`, `=`
    Is,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `<`
    Less,
    /// `<=`
    AtMost,
}

/// What a member may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberState {
    /// It serves.
    Up,
    /// It does not.
    Down,
    /// It is frozen.
    Paused,
    /// It can exchange messages with no other member.
    Isolated,
    /// It leads a majority.
    Leader,
    /// It runs and does not lead.
    Follower,
    /// It has a vote.
    Voter,
    /// It has none.
    Learner,
    /// It has applied as high a revision as any running member.
    CaughtUp,
}

/// What members tell of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// It started.
    Started,
    /// It asked whether it could win.
    PreVote,
    /// It asked for votes.
    Campaign,
    /// It won.
    Elected,
    /// It led and does not any more.
    SteppedDown,
    /// It knows of no leader.
    LeaderLost,
    /// It follows a leader.
    LeaderFound,
    /// It applied a configuration.
    Configured,
    /// It is no longer a member.
    Removed,
    /// It got the whole state from the leader.
    Snapshot,
    /// Its disk was slow.
    SlowDisk,
    /// Applying took long.
    SlowApply,
}

/// Whose output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// A console, or the last command.
    pub console: Option<u32>,
    /// Standard error instead of standard output.
    pub is_error: bool,
}

/// How an output compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextTest {
    /// `is TEXT`
    Is(String),
    /// `contains TEXT`
    Contains(String),
    /// `is empty`
    IsEmpty,
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The other one does not hold.
    Not(Box<Self>),
    /// Somebody leads a majority.
    HasLeader,
    /// Somebody else leads than at the mark.
    LeaderChanged,
    /// A member, or all, are in this state.
    Member(Target, MemberState),
    /// No link is cut or disturbed.
    LinksWhole,
    /// A number compares so.
    Number(Quantity, Compare, u64),
    /// It is so much higher than at the mark, or higher at all.
    Rose(Quantity, Option<u64>),
    /// It happened since the last thing that was done to the cluster.
    Event(EventKind, Option<Target>),
    /// What was printed.
    Output(Source, TextTest),
    /// An exit status.
    Status(Option<u32>, u64),
    /// A put was acknowledged.
    Wrote(String, Option<String>),
    /// A put was not acknowledged.
    Refused(String, Option<String>),
    /// A get was answered so, at a revision or at the newest.
    Read {
        /// The key.
        key: String,
        /// Its value.
        value: String,
        /// The revision that was asked for.
        revision: Option<u64>,
    },
    /// A linearizable get was not answered.
    ReadFailed,
    /// One watch message of the console held exactly these values of the key.
    Saw(u32, String, Vec<String>),
    /// A console's watch missed nothing and repeated nothing.
    SawEachOnce(u32),
    /// Every acknowledged put can be read at its revision.
    NoWriteLost,
    /// The members' stores are the same.
    HashesEqual,
}

impl Claim {
    /// The text of several lines that stands below the claim's line where it is printed alternatively (`{:#}`).
    #[must_use]
    pub fn document(&self) -> Option<&str> {
        match self {
            Self::Not(claim) => claim.document(),
            Self::Output(_, TextTest::Is(text) | TextTest::Contains(text)) => {
                let is_kept = |line: &str| !line.ends_with('\r');
                (text.contains('\n') && text.split('\n').all(is_kept)).then_some(text)
            }
            _ => None,
        }
    }

    /// The word that ends that text: END, or END2, ….
    #[must_use]
    pub fn delimiter(text: &str) -> String {
        let is_free =
            |word: &String| !text.split('\n').any(|line| line.trim_end() == word.as_str());
        let numbered = (2..u32::MAX).map(|number| format!("END{number}"));
        std::iter::once("END".to_owned()).chain(numbered).find(is_free).unwrap_or_default()
    }

    fn write_text(&self, f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
        match self.document().filter(|_| f.alternate()) {
            Some(text) => write!(f, "<<{}", Self::delimiter(text)),
            None => write!(f, "{}", quoted(text)),
        }
    }

    /// True if judging it takes questions to the cluster, so that nobody can wait for it.
    #[must_use]
    pub fn asks(&self) -> bool {
        match self {
            Self::Not(claim) => claim.asks(),
            claim => *claim == Self::NoWriteLost,
        }
    }
}

impl Quantity {
    /// Those that have a name of their own.
    pub const NAMED: [Self; 7] = [
        Self::Term,
        Self::Revision,
        Self::Members,
        Self::Voters,
        Self::Learners,
        Self::Running,
        Self::Elections,
    ];

    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Term => "term",
            Self::Revision => "revision",
            Self::Members => "members",
            Self::Voters => "voters",
            Self::Learners => "learners",
            Self::Running => "running",
            Self::Elections => "elections",
            Self::Events(_) => "events",
        }
    }

    pub(super) fn named(word: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|quantity| quantity.word() == word)
    }
}

impl Compare {
    /// Whether two numbers compare so.
    #[must_use]
    pub const fn holds(self, found: u64, wanted: u64) -> bool {
        match self {
            Self::Is => found == wanted,
            Self::More => found > wanted,
            Self::AtLeast => found >= wanted,
            Self::Less => found < wanted,
            Self::AtMost => found <= wanted,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Is => "is",
            Self::More => ">",
            Self::AtLeast => ">=",
            Self::Less => "<",
            Self::AtMost => "<=",
        }
    }
}

impl MemberState {
    /// Every one.
    pub const ALL: [Self; 9] = [
        Self::Up,
        Self::Down,
        Self::Paused,
        Self::Isolated,
        Self::Leader,
        Self::Follower,
        Self::Voter,
        Self::Learner,
        Self::CaughtUp,
    ];

    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Paused => "paused",
            Self::Isolated => "isolated",
            Self::Leader => "leader",
            Self::Follower => "follower",
            Self::Voter => "voter",
            Self::Learner => "learner",
            Self::CaughtUp => "caught-up",
        }
    }
}

impl EventKind {
    /// Every one.
    pub const ALL: [Self; 12] = [
        Self::Started,
        Self::PreVote,
        Self::Campaign,
        Self::Elected,
        Self::SteppedDown,
        Self::LeaderLost,
        Self::LeaderFound,
        Self::Configured,
        Self::Removed,
        Self::Snapshot,
        Self::SlowDisk,
        Self::SlowApply,
    ];

    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::PreVote => "pre-vote",
            Self::Campaign => "campaign",
            Self::Elected => "elected",
            Self::SteppedDown => "stepped-down",
            Self::LeaderLost => "leader-lost",
            Self::LeaderFound => "leader-found",
            Self::Configured => "configured",
            Self::Removed => "removed",
            Self::Snapshot => "snapshot",
            Self::SlowDisk => "slow-disk",
            Self::SlowApply => "slow-apply",
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Events(kind) => write!(f, "events {}", kind.word()),
            quantity => f.write_str(quantity.word()),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(console) = self.console {
            write!(f, "@{console} ")?;
        }
        f.write_str(if self.is_error { "error" } else { "output" })
    }
}

/// The key and, if there is one, the value.
fn write_pair(f: &mut fmt::Formatter<'_>, key: &str, value: Option<&String>) -> fmt::Result {
    write!(f, " {}", quoted(key))?;
    match value {
        Some(value) => write!(f, " {}", quoted(value)),
        None => Ok(()),
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Not(claim) if **claim == Self::HasLeader => f.write_str("no leader"),
            Self::Not(claim) => {
                f.write_str("not ")?;
                claim.fmt(f)
            }
            Self::HasLeader => f.write_str("leader"),
            Self::LeaderChanged => f.write_str("leader changed"),
            Self::Member(Target::All, state) => write!(f, "all are {}", state.word()),
            Self::Member(target, state) => write!(f, "{target} is {}", state.word()),
            Self::LinksWhole => f.write_str("links are whole"),
            Self::Number(quantity, compare, number) => {
                write!(f, "{quantity} {} {number}", compare.word())
            }
            Self::Rose(quantity, None) => write!(f, "{quantity} rose"),
            Self::Rose(quantity, Some(by)) => write!(f, "{quantity} rose by {by}"),
            Self::Event(kind, None) => write!(f, "event {}", kind.word()),
            Self::Event(kind, Some(by)) => write!(f, "event {} by {by}", kind.word()),
            Self::Output(source, TextTest::Is(text)) => {
                write!(f, "{source} is ")?;
                self.write_text(f, text)
            }
            Self::Output(source, TextTest::Contains(text)) => {
                write!(f, "{source} contains ")?;
                self.write_text(f, text)
            }
            Self::Output(source, TextTest::IsEmpty) => write!(f, "{source} is empty"),
            Self::Status(None, status) => write!(f, "status is {status}"),
            Self::Status(Some(console), status) => write!(f, "@{console} status is {status}"),
            Self::Wrote(key, value) => {
                f.write_str("wrote")?;
                write_pair(f, key, value.as_ref())
            }
            Self::Refused(key, value) => {
                f.write_str("refused")?;
                write_pair(f, key, value.as_ref())
            }
            Self::Read { key, value, revision } => {
                f.write_str("read")?;
                write_pair(f, key, Some(value))?;
                match revision {
                    Some(revision) => write!(f, " at {revision}"),
                    None => Ok(()),
                }
            }
            Self::ReadFailed => f.write_str("read failed"),
            Self::Saw(console, key, values) => {
                write!(f, "@{console} saw {}", quoted(key))?;
                values.iter().try_for_each(|value| write!(f, " {}", quoted(value)))
            }
            Self::SawEachOnce(console) => write!(f, "@{console} saw each event once"),
            Self::NoWriteLost => f.write_str("no write lost"),
            Self::HashesEqual => f.write_str("hashes are equal"),
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
