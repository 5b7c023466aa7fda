//! Texts with places for values.
//!
//! What it is: one type for each number and kind of values, so that a text of another kind does not compile.
//! What it is not: escaping; values come escaped.
//! Invariants: a value is put in as it is, and never looked at for places of its own.

pub(super) use crate::scenario::put_in;

/// A text with a value: `{0}`. Of two forms, the first is for an empty one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct With1(pub(super) &'static str);
/// A text with two values. Of two forms, the first is for an empty last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct With2(pub(super) &'static str);
/// A text with three, as [`With2`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct With3(pub(super) &'static str);
/// A text with four, as [`With2`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct With4(pub(super) &'static str);
/// A text with a number. Of two forms, the first is for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(pub(super) &'static str);
/// A text with a value and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithCount(pub(super) &'static str);
/// A text with two values and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct With2Count(pub(super) &'static str);
/// A text with a time: the first form for seconds with one decimal, the second for minutes and seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duration(pub(super) &'static str);

impl With1 {
    /// With its value.
    #[must_use]
    pub fn of(self, one: &str) -> String {
        fill(self.0, &[one])
    }
}

impl With2 {
    /// With its values.
    #[must_use]
    pub fn of(self, one: &str, two: &str) -> String {
        fill(self.0, &[one, two])
    }
}

impl With3 {
    /// With its values.
    #[must_use]
    pub fn of(self, one: &str, two: &str, three: &str) -> String {
        fill(self.0, &[one, two, three])
    }
}

impl With4 {
    /// With its values.
    #[must_use]
    pub fn of(self, one: &str, two: &str, three: &str, four: &str) -> String {
        fill(self.0, &[one, two, three, four])
    }
}

impl Count {
    /// With its number.
    #[must_use]
    pub fn of(self, count: impl Into<u64>) -> String {
        counted(self.0, count.into())
    }
}

impl WithCount {
    /// With its values.
    #[must_use]
    pub fn of(self, one: &str, count: impl Into<u64>) -> String {
        fill(self.0, &[one, &count.into().to_string()])
    }
}

impl With2Count {
    /// With its values.
    #[must_use]
    pub fn of(self, one: &str, two: &str, count: impl Into<u64>) -> String {
        fill(self.0, &[one, two, &count.into().to_string()])
    }
}

impl Duration {
    /// With its time. Unit: ms.
    #[must_use]
    pub fn of(self, ms: u64) -> String {
        let tenths = ms.saturating_add(50) / 100;
        let (minutes, seconds) = (tenths / 600, tenths / 10 % 60);
        if minutes == 0 {
            return put_in(form(self.0, true), &[&format!("{seconds}.{}", tenths % 10)]);
        }
        put_in(form(self.0, false), &[&minutes.to_string(), &format!("{seconds:02}")])
    }
}

impl Duration {
    /// With its time in whole seconds. Unit: ms.
    #[must_use]
    pub fn whole(self, ms: u64) -> String {
        let (minutes, seconds) = (ms / 60_000, ms / 1_000 % 60);
        if minutes == 0 {
            return put_in(form(self.0, true), &[&seconds.to_string()]);
        }
        put_in(form(self.0, false), &[&minutes.to_string(), &format!("{seconds:02}")])
    }
}

#[inline(never)]
fn counted(template: &'static str, count: u64) -> String {
    put_in(form(template, count == 1), &[&count.to_string()])
}

#[inline(never)]
fn fill(template: &'static str, values: &[&str]) -> String {
    put_in(form(template, values.last().is_some_and(|last| last.is_empty())), values)
}

/// Of a text with two forms the first or the second one.
fn form(template: &'static str, is_first: bool) -> &'static str {
    match template.split_once('|') {
        Some((first, _)) if is_first => first,
        Some((_, second)) => second,
        None => template,
    }
}
