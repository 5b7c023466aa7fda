//! Every text of the page, in one typed table per language.
//!
//! What it is: [`Strings`], whose fields are texts or functions that put values into a text, and its two values
//! [`EN`] and [`ZH`]; [`Language`], which says which one the page shows.
//! What it is not: etcdctl's output, etcd's errors or the lessons' words, which have their own places.
//! Invariants: a language is one value of [`Strings`]; a missing text is a compile error; functions get
//! values that are escaped already.
//! A text with values is a template, `{0} was killed.`, and one function puts values into all of them: a `format!`
//! for each text brings code for each.
//! A text with two forms has a `|` between them.

/// [`With1`] of a template.
macro_rules! with {
    ($template:literal) => {
        |one| super::fill1($template, one)
    };
}
/// [`With2`] of a template.
macro_rules! with2 {
    ($template:literal) => {
        |one, other| super::fill2($template, one, other)
    };
}
/// [`WithCount`] of a template.
macro_rules! with_count {
    ($template:literal) => {
        |one, count| super::fill_counted($template, &[one], count)
    };
}
/// [`With2Count`] of a template.
macro_rules! with2_count {
    ($template:literal) => {
        |one, other, count| super::fill_counted($template, &[one, other], count)
    };
}
/// [`Count`] of a template, or of two: for one, and for more.
macro_rules! count {
    ($template:literal) => {
        |count| super::counted($template, count)
    };
}
/// As `count`, of a [`Size`].
macro_rules! size {
    ($template:literal) => {
        |count| super::counted($template, count.into())
    };
}

mod en;
mod keys;
mod zh;

pub use en::{EN, Strings};
pub use keys::KeysStrings;
pub use zh::ZH;

/// A text with one name or number put in.
pub type With1 = fn(&str) -> String;
/// A text with two.
pub type With2 = fn(&str, &str) -> String;
/// A text with one, and a number.
pub type WithCount = fn(&str, u64) -> String;
/// A text with two, and a number.
pub type With2Count = fn(&str, &str, u64) -> String;
/// A text with a number.
pub type Count = fn(u64) -> String;
/// A text with a small number.
pub type Size = fn(u32) -> String;

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
    /// Its texts.
    #[must_use]
    pub const fn strings(self) -> &'static Strings {
        match self {
            Self::English => &EN,
            Self::Chinese => &ZH,
        }
    }

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

/// Puts values into the places `{0}`, `{1}` … of a template.
fn fill(template: &str, values: &[&str]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let digit = after.bytes().next().unwrap_or_default();
        let value = values.get(usize::from(digit.wrapping_sub(b'0')));
        text.push_str(value.copied().unwrap_or_default());
        rest = after.get(2..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

#[inline(never)]
fn fill1(template: &str, one: &str) -> String {
    fill(template, &[one])
}

#[inline(never)]
fn fill2(template: &str, one: &str, other: &str) -> String {
    fill(template, &[one, other])
}

/// The last value is a number.
#[inline(never)]
fn fill_counted(template: &str, values: &[&str], count: u64) -> String {
    let count = count.to_string();
    let mut all = values.to_vec();
    all.push(&count);
    fill(template, &all)
}

/// Of a text with two forms the first or the second one.
fn form(template: &'static str, is_first: bool) -> &'static str {
    match template.split_once('|') {
        Some((first, _)) if is_first => first,
        Some((_, second)) => second,
        None => template,
    }
}

#[inline(never)]
fn counted(template: &'static str, count: u64) -> String {
    fill1(form(template, count == 1), &count.to_string())
}

/// Milliseconds as seconds with one decimal, or as minutes and seconds.
fn duration(template: &'static str, ms: u64) -> String {
    let tenths = ms.saturating_add(50) / 100;
    let (minutes, seconds) = (tenths / 600, tenths / 10 % 60);
    if minutes == 0 {
        return fill1(form(template, true), &format!("{seconds}.{}", tenths % 10));
    }
    fill2(form(template, false), &minutes.to_string(), &format!("{seconds:02}"))
}

/// Milliseconds since the start as a clock: `2:05.3`.
pub(super) fn clock(ms: u64) -> String {
    let tenths = ms / 100;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

/// Bytes in a unit that reads well.
pub(super) fn bytes(count: i64) -> String {
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

#[cfg(test)]
mod tests;
