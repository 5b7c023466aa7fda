//! What is wrong with the line of a verb.
//!
//! What it is: [`Wrong`], typed, and [`Thing`], its words, in English and in Chinese.
//! What it is not: why a verb cannot be done now (see `world::Cannot`), nor the place of the fault.
//! Invariants: the two languages have the same values in them; words of the grammar are the same in both.

use std::fmt;

use super::{MEMBERS_MAX, Target, WAIT_LIMIT_MAX_MS, faults};
use crate::cluster::fault::CLOCK_RATE;
use crate::scenario::units::show_duration;
use crate::scenario::words::{put_in, wordings};

wordings! {
    /// What was expected, and the sentences that say so.
    Thing {
        /// A member that does not vote.
        Learner: "a learner: infra1 … infra7", "一个 learner：infra1 … infra7";
        /// Nothing more.
        End: "the end of the line", "行尾";
        /// What `wait` waits for.
        Condition: "leader, term N, revision N, infraN up, or a time such as 1500ms or 2s",
            "条件：leader、term N、revision N、infraN up，或者时间（如 1500ms、2s）";
        /// The word behind a member that is waited for.
        Up: "\"up\"", "单词 up";
        /// Digits.
        Number: "a number", "数字";
        /// The limit of a wait.
        Within: "\"within\" and a time", "单词 within 和时间";
        /// Its time.
        Limit: "a time such as 1500ms, 2s or 1m", "时间（如 1500ms、2s、1m）";
        /// A time that can be none.
        Time: "a time such as 200ms or 1s, or off", "时间（如 200ms、1s）或 off";
        /// Per cent.
        Share: "a share such as 30% or 0.5%", "比例（如 30%、0.5%）";
        /// The sides of a partition.
        Sides: "members such as infra1,infra2 | infra3", "成员（如 infra1,infra2 | infra3）";
        /// How fast time passes.
        Speed: "1 for real time, or a part of it from 1/2 to 1/100",
            "速度：1（真实速度），或 1/2 到 1/100 之间的分数";
        /// A restored cluster.
        DataName: "the name of restored data, as in --data-dir",
            "已恢复数据的名称，即 --data-dir 的值";
        /// A member, one of these.
        Member: "a member: {0}", "成员：{0}";
        /// Between the names of members.
        Between: ", ", "、";
        /// Before the last one.
        Or: " or ", " 或 ";
        /// It is missing.
        Missing: "expected {0}", "此处应为{0}";
        /// Something else was found.
        Found: "expected {0}, found \"{1}\"", "此处应为{0}，实际是 “{1}”";
        /// No revision is so large.
        LargeRevision: "the revision \"{0}\" is too large", "revision “{0}” 太大";
        /// No wait is so long.
        LongWait: "one wait may last {0} at most", "一次 wait 最长 {0}";
        /// No number is so large.
        Most: "{0} is the most here", "这里最大为 {0}";
        /// No clock is so slow.
        SlowClock: "a clock runs at {0} at least", "时钟速率至少为 {0}";
        /// A side without members.
        EmptySide: "expected {0}: nobody is on one of the sides", "此处应为{0}：有一侧没有成员";
        /// A member on two sides.
        TwoSides: "{0} is on two sides", "{0} 同时在两侧";
    }
}

/// What was expected: one of these targets, or something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A member by its name, or one of these.
    Member(&'static [Target]),
    /// Something else.
    Thing(Thing),
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Something else was expected than what was found, if anything was.
    Expected(Wanted, Option<String>),
    /// No revision is so large.
    LargeRevision(u64),
    /// A wait of more than [`WAIT_LIMIT_MAX_MS`].
    LongWait,
    /// More than the most, which this is.
    Most(String),
    /// A clock that hardly runs.
    SlowClock,
    /// A side of a partition without members.
    EmptySide,
    /// This member is on two sides.
    TwoSides(String),
}

impl Wrong {
    /// Nothing was found where this was expected.
    pub(super) const fn missing(thing: Thing) -> Self {
        Self::Expected(Wanted::Thing(thing), None)
    }

    /// This word was found where that was expected.
    pub(super) fn found(thing: Thing, word: &str) -> Self {
        Self::Expected(Wanted::Thing(thing), Some(word.to_owned()))
    }

    /// In the language of a table of [`Thing`].
    #[must_use]
    pub fn told(&self, table: &[&'static str]) -> String {
        let (sentence, value) = match self {
            Self::Expected(wanted, found) => {
                return expected(table, &wanted.told(table), found.as_deref());
            }
            Self::LargeRevision(wanted) => (Thing::LargeRevision, wanted.to_string()),
            Self::LongWait => (Thing::LongWait, show_duration(WAIT_LIMIT_MAX_MS)),
            Self::Most(most) => (Thing::Most, most.clone()),
            Self::SlowClock => (Thing::SlowClock, faults::percent(CLOCK_RATE.0)),
            Self::EmptySide => (Thing::EmptySide, Thing::Sides.of(table).to_owned()),
            Self::TwoSides(name) => (Thing::TwoSides, name.clone()),
        };
        put_in(sentence.of(table), &[&value])
    }
}

/// That something else was expected than what was found, if anything was.
pub(in crate::scenario) fn expected(
    table: &[&'static str],
    wanted: &str,
    found: Option<&str>,
) -> String {
    let sentence = if found.is_some() { Thing::Found } else { Thing::Missing };
    put_in(sentence.of(table), &[wanted, found.unwrap_or_default()])
}

impl Wanted {
    /// In the language of a table of [`Thing`].
    #[must_use]
    pub fn told(self, table: &[&'static str]) -> String {
        let others = match self {
            Self::Thing(thing) => return thing.of(table).to_owned(),
            Self::Member(others) => others,
        };
        let mut text = format!("infra1 … infra{MEMBERS_MAX}");
        for (at, target) in others.iter().enumerate() {
            let before = if at + 1 == others.len() { Thing::Or } else { Thing::Between };
            text.push_str(before.of(table));
            text.push_str(&target.to_string());
        }
        put_in(Thing::Member.of(table), &[&text])
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(&Thing::ENGLISH))
    }
}
