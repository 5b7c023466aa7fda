//! What is wrong with a line of a script.
//!
//! What it is: [`Wrong`], typed: what was found, and what was expected there; in English by `Display` and in Chinese.
//! What it is not: the place of a fault, which is `script::ParseError`'s; nor why a step cannot be done (see `world::Cannot`).
//! Invariants: the two languages have the same values in them; words of the grammar are the same in both.

mod thing;

use std::fmt;

use super::script::{CONSOLE_MAX, LINE_BYTES_MAX, PARAGRAPH_LINES_MAX, STEPS_MAX, TEXT_BYTES_MAX};
use super::units::show_duration;
use super::verb::{self, MEMBERS_MAX, WAIT_LIMIT_MAX_MS, expected_told};

pub use thing::{Rule, Thing};

/// The script's size in KiB, as it is told.
const TEXT_KIB_MAX: usize = TEXT_BYTES_MAX / 1024;
/// A line's.
const LINE_KIB_MAX: usize = LINE_BYTES_MAX / 1024;

/// What was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// What verbs have, too.
    Verb(verb::Wanted),
    /// Something without values.
    Thing(Thing),
    /// Words of the grammar, one of which was expected.
    OneOf(String),
    /// Names of settings, all of which were expected.
    AllOf(String),
    /// `name=value`, with one of these names.
    Setting(String),
    /// `--flag=value`, with one of these flags.
    FlagOf(String),
    /// A word of the grammar, as it stands.
    Word(&'static str),
    /// A sentence behind this word.
    Sentence(String),
    /// A console by its number.
    Console,
    /// A time up to the longest wait.
    LimitedTime,
    /// So many members at least.
    Members(u32),
    /// So many learners at least.
    Learners(u32),
    /// No more of both.
    Together,
}

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A number from here to there.
    Number(u64, u64),
    /// A time from here to a day. Unit: ms.
    Time(u64),
    /// True or false.
    Switch,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Something else was expected than what was found, if anything was.
    Expected(Wanted, Option<String>),
    /// The line of a verb.
    Verb(verb::Wrong),
    /// A rule without values is broken.
    Rule(Rule),
    /// This is no escape within quotes.
    Escape(char),
    /// The whole text is larger than a script may be.
    LargeText,
    /// It has too many steps.
    ManySteps,
    /// A line is too long.
    LongLine,
    /// A command or a text goes on for too long.
    LongParagraph,
    /// This header line stands behind steps.
    LateHeader(String),
    /// This word of the grammar stands behind a console.
    NoCommand(String),
    /// This verb does.
    NoConsole(String),
    /// The command of this line is never finished.
    OpenCommand(u32),
    /// This quote of a command is never closed.
    OpenQuote(char),
    /// The text below never ends, which this line would do.
    OpenText(String),
    /// There is no language in this word.
    NoTag(String),
    /// This header line is not known, of which these are.
    UnknownHeader(String, String),
    /// This setting is not known, of which these are.
    UnknownSetting(String, String),
    /// This flag is not known, of which these are.
    UnknownFlag(String, String),
    /// This stands there twice.
    Twice(String),
    /// A later version than this program knows.
    OtherVersion(u64),
    /// This flag takes something else.
    Flag(&'static str, Takes),
    /// With this word no claim begins.
    NoClaim(String),
}

impl Wrong {
    /// This was expected.
    pub(super) fn missing(wanted: impl Into<Wanted>) -> Self {
        Self::Expected(wanted.into(), None)
    }
}

impl From<Thing> for Wanted {
    fn from(thing: Thing) -> Self {
        Self::Thing(thing)
    }
}

impl From<verb::Thing> for Wanted {
    fn from(thing: verb::Thing) -> Self {
        Self::Verb(verb::Wanted::Thing(thing))
    }
}

impl From<Thing> for Wrong {
    fn from(thing: Thing) -> Self {
        Self::missing(thing)
    }
}

impl From<Rule> for Wrong {
    fn from(rule: Rule) -> Self {
        Self::Rule(rule)
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verb(wanted) => f.write_str(&wanted.told(&verb::Thing::ENGLISH)),
            Self::Thing(thing) => f.write_str(thing.of(&Thing::ENGLISH)),
            Self::OneOf(known) => write!(f, "one of {known}"),
            Self::AllOf(known) => write!(f, "all of {known}"),
            Self::Setting(known) => write!(f, "name=value with one of {known}"),
            Self::FlagOf(known) => write!(f, "--flag=value with one of {known}"),
            Self::Word(word) => write!(f, "\"{word}\""),
            Self::Sentence(word) => write!(f, "a sentence after {word}"),
            Self::Console => write!(f, "a console: @1 to @{CONSOLE_MAX}"),
            Self::LimitedTime => {
                let most = show_duration(WAIT_LIMIT_MAX_MS);
                write!(f, "a time such as 1500ms, 2s or 1m, {most} at most")
            }
            Self::Members(least) => write!(f, "{least} to {MEMBERS_MAX} members"),
            Self::Learners(least) => write!(f, "{least} to {MEMBERS_MAX} learners"),
            Self::Together => write!(f, "{MEMBERS_MAX} members and learners together at most"),
        }
    }
}

impl Wanted {
    /// In Chinese.
    #[must_use]
    pub fn chinese(&self) -> String {
        match self {
            Self::Verb(wanted) => wanted.told(&verb::Thing::CHINESE),
            Self::Thing(thing) => thing.of(&Thing::CHINESE).to_owned(),
            Self::OneOf(known) => format!("以下之一：{known}"),
            Self::AllOf(known) => format!("以下全部：{known}"),
            Self::Setting(known) => format!("name=value，name 为以下之一：{known}"),
            Self::FlagOf(known) => format!("--flag=value，flag 为以下之一：{known}"),
            Self::Word(word) => (*word).to_owned(),
            Self::Sentence(word) => format!("{word} 之后的一句话"),
            Self::Console => format!("控制台：@1 到 @{CONSOLE_MAX}"),
            Self::LimitedTime => {
                let most = show_duration(WAIT_LIMIT_MAX_MS);
                format!("时间（如 1500ms、2s、1m，最多 {most}）")
            }
            Self::Members(least) => format!("{least} 到 {MEMBERS_MAX} 个成员"),
            Self::Learners(least) => format!("{least} 到 {MEMBERS_MAX} 个 learner"),
            Self::Together => format!("成员和 learner 合计最多 {MEMBERS_MAX} 个"),
        }
    }
}

impl fmt::Display for Takes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(least, most) => write!(f, "a number from {least} to {most}"),
            Self::Time(least) => write!(f, "a time from {} to 1440m", show_duration(*least)),
            Self::Switch => f.write_str("true or false"),
        }
    }
}

impl Takes {
    fn chinese(self) -> String {
        match self {
            Self::Number(least, most) => format!("{least} 到 {most} 之间的数字"),
            Self::Time(least) => format!("{} 到 1440m 之间的时间", show_duration(least)),
            Self::Switch => "true 或 false".to_owned(),
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expected(wanted, found) => {
                let told =
                    expected_told(&verb::Thing::ENGLISH, &wanted.to_string(), found.as_deref());
                f.write_str(&told)
            }
            Self::Verb(wrong) => wrong.fmt(f),
            Self::Rule(rule) => f.write_str(rule.of(&Rule::ENGLISH)),
            Self::Escape(found) => {
                write!(f, "found \\{found}; expected one of \\\", \\\\, \\n, \\r and \\t")
            }
            Self::LargeText => write!(f, "the script is larger than {TEXT_KIB_MAX} KiB"),
            Self::ManySteps => write!(f, "the script has more than {STEPS_MAX} steps"),
            Self::LongLine => write!(f, "the line is longer than {LINE_KIB_MAX} KiB"),
            Self::LongParagraph => write!(
                f,
                "this goes on for more than {PARAGRAPH_LINES_MAX} lines or {LINE_KIB_MAX} KiB; is something not closed?"
            ),
            Self::LateHeader(name) => write!(f, "\"{name}:\" must stand before the first step"),
            Self::NoCommand(word) => {
                write!(f, "\"{word}\" is no command: write it without the console")
            }
            Self::NoConsole(word) => {
                write!(f, "\"{word}\" is done to the cluster: write it without the console")
            }
            Self::OpenCommand(line) => write!(
                f,
                "the command that begins on line {line} is never finished: expected its closing quote, the end of its <<text, or no backslash at its end"
            ),
            Self::OpenQuote(quote) => {
                write!(f, "the quote {quote} that opens here is never closed")
            }
            Self::OpenText(end) => {
                write!(f, "the text below never ends: expected a line that is {end}")
            }
            Self::NoTag(word) => write!(f, "expected a language such as [zh] in \"{word}\""),
            Self::UnknownHeader(name, known) => {
                write!(f, "\"{name}:\" is not known here; expected {known} or a step")
            }
            Self::UnknownSetting(name, known) => {
                write!(f, "\"{name}\" is not known; expected one of {known}")
            }
            Self::UnknownFlag(name, known) => {
                write!(f, "\"{name}\" is not known here; expected one of {known}")
            }
            Self::Twice(name) => write!(f, "\"{name}\" stands here twice"),
            Self::OtherVersion(version) => write!(
                f,
                "this is a script of version {version}; this program reads versions 1 and 2"
            ),
            Self::Flag(name, takes) => write!(f, "{name} takes {takes}"),
            Self::NoClaim(found) => {
                write!(f, "expected {}; found \"{found}\"", Thing::Claim.of(&Thing::ENGLISH))
            }
        }
    }
}

impl Wrong {
    /// In Chinese.
    #[must_use]
    pub fn chinese(&self) -> String {
        match self {
            Self::Expected(wanted, found) => chinese_expected(&wanted.chinese(), found.as_deref()),
            Self::Verb(wrong) => wrong.told(&verb::Thing::CHINESE),
            Self::Rule(rule) => rule.of(&Rule::CHINESE).to_owned(),
            Self::Escape(found) => {
                format!("\\{found} 不是转义符；可用的有 \\\"、\\\\、\\n、\\r 和 \\t")
            }
            Self::LargeText => format!("脚本超过 {TEXT_KIB_MAX} KiB"),
            Self::ManySteps => format!("脚本超过 {STEPS_MAX} 步"),
            Self::LongLine => format!("这一行超过 {LINE_KIB_MAX} KiB"),
            Self::LongParagraph => format!(
                "从这里起超过 {PARAGRAPH_LINES_MAX} 行或 {LINE_KIB_MAX} KiB；是不是忘了结尾？"
            ),
            Self::LateHeader(name) => format!("“{name}:” 必须写在第一步之前"),
            Self::NoCommand(word) => format!("“{word}” 不是命令，前面不要写控制台"),
            Self::NoConsole(word) => format!("“{word}” 是对集群的操作，前面不要写控制台"),
            Self::OpenCommand(line) => format!(
                "从第 {line} 行开始的命令没有结束：缺少结尾的引号、<<文本的结束行，或者行尾多了反斜杠"
            ),
            Self::OpenQuote(quote) => format!("这里的引号 {quote} 没有配对的结尾"),
            Self::OpenText(end) => format!("下面的文本没有结束：缺少内容为 {end} 的一行"),
            Self::NoTag(word) => format!("“{word}” 中应写语言，例如 [zh]"),
            Self::UnknownHeader(name, known) => {
                format!("这里没有 “{name}:”；应为 {known} 或一个步骤")
            }
            Self::UnknownSetting(name, known) => {
                format!("未知的设置 “{name}”；应为以下之一：{known}")
            }
            Self::UnknownFlag(name, known) => {
                format!("这里不支持参数 “{name}”；应为以下之一：{known}")
            }
            Self::Twice(name) => format!("“{name}” 在这里出现了两次"),
            Self::OtherVersion(version) => {
                format!("这是版本 {version} 的脚本；此程序只能读取版本 1 和 2")
            }
            Self::Flag(name, takes) => format!("{name} 的值应为 {}", takes.chinese()),
            Self::NoClaim(found) => chinese_expected(Thing::Claim.of(&Thing::CHINESE), Some(found)),
        }
    }
}

/// That something else was expected, in Chinese, with a gap before a word of the grammar.
fn chinese_expected(wanted: &str, found: Option<&str>) -> String {
    let gap = if wanted.starts_with(|first: char| first.is_ascii()) { " " } else { "" };
    expected_told(&verb::Thing::CHINESE, &format!("{gap}{wanted}"), found)
}

#[cfg(test)]
mod tests;
