//! Every text of the page, in one typed table per language.
//!
//! What it is: [`Strings`], whose fields are texts or templates that values are put into, and its two values [`EN`]
//! and [`ZH`]; [`Language`], which says which one the page shows.
//! What it is not: etcdctl's output, etcd's errors or the lessons' lines, which have their own places.
//! Invariants: a language is one value of [`Strings`]; a missing text is a compile error; templates get
//! values that are escaped already.
//! A template is text: `{0} was killed.` A text with two forms has a `|` between them.
//! Nothing but texts is in a table, so that one can be fetched: [`Strings::texts`] and [`Strings::from_texts`]. The
//! page is built with English; `www/zh.txt` is [`ZH`], held by a test.

mod en;
mod fetched;
mod held;
mod keys;
mod template;
mod zh;

pub use en::{EN, Strings};
pub use held::HeldStrings;
pub use keys::KeysStrings;
pub use template::{Count, Duration, With1, With2, With2Count, With3, With4, WithCount};
pub use zh::ZH;

/// A language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese, in simplified characters.
    Chinese,
}

impl Language {
    /// The name under which it is remembered.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::English => Self::Chinese,
            Self::Chinese => Self::English,
        }
    }

    /// The one that a tag such as `zh-CN` asks for, if the page has it.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Self> {
        let name = tag.split(['-', '_']).next().unwrap_or_default();
        [Self::English, Self::Chinese]
            .into_iter()
            .find(|known| known.name().eq_ignore_ascii_case(name))
    }
}

/// Milliseconds since the start as a clock: `2:05.3`.
#[must_use]
pub fn clock(ms: u64) -> String {
    let tenths = ms / 100;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

/// Bytes in a unit that reads well.
#[must_use]
pub fn bytes(count: i64) -> String {
    let count = u64::try_from(count).unwrap_or(0);
    let tenths = |unit: u64| {
        let tenths = count.saturating_mul(10) / unit;
        if tenths.is_multiple_of(10) {
            format!("{}", tenths / 10)
        } else {
            format!("{}.{}", tenths / 10, tenths % 10)
        }
    };
    match count {
        0..1024 => format!("{count} B"),
        1024..1_048_576 => format!("{} KiB", tenths(1024)),
        _ => format!("{} MiB", tenths(1_048_576)),
    }
}

/// A language with its texts.
#[derive(Clone, Copy, Debug)]
pub struct Spoken {
    /// Which.
    pub language: Language,
    /// Its texts.
    pub strings: &'static Strings,
}

impl PartialEq for Spoken {
    fn eq(&self, other: &Self) -> bool {
        self.language == other.language
    }
}

impl Eq for Spoken {}

#[cfg(test)]
mod tests;
