//! A table as a list of texts, and back.
//!
//! What it is: the form in which a language that a page is not built with is fetched: one text per line, in the order
//! of the table.
//! What it is not: a translation file for people; they write the typed table.
//! Invariants: a list that is not of this table's length is no table; what is read stays for the life of the page.

use super::{Count, Duration, Strings, With1, With2, With2Count, With3, With4, WithCount};
use crate::scenario::catalog::{LessonText, StepText};

/// Something that is made of texts.
pub(super) trait Texts: Sized {
    /// Its texts, in order.
    fn list(&self, into: &mut Vec<&'static str>);
    /// The same again; `like` tells how many there are.
    fn read(like: &Self, from: &mut std::vec::IntoIter<&'static str>) -> Option<Self>;
}

impl Texts for &'static str {
    fn list(&self, into: &mut Vec<&'static str>) {
        into.push(self);
    }

    fn read(_: &Self, from: &mut std::vec::IntoIter<&'static str>) -> Option<Self> {
        next(from)
    }
}

#[inline(never)]
fn next(from: &mut std::vec::IntoIter<&'static str>) -> Option<&'static str> {
    from.next()
}

macro_rules! templates {
    ($($kind:ident)*) => {
        $(
            impl Texts for $kind {
                fn list(&self, into: &mut Vec<&'static str>) {
                    into.push(self.0);
                }

                fn read(_: &Self, from: &mut std::vec::IntoIter<&'static str>) -> Option<Self> {
                    next(from).map(Self)
                }
            }
        )*
    };
}

templates! { With1 With2 With3 With4 Count WithCount With2Count Duration }

impl Texts for &'static LessonText {
    fn list(&self, into: &mut Vec<&'static str>) {
        into.push(self.title);
        for step in self.steps {
            into.extend([step.title, step.why, step.done]);
            into.extend(step.checks);
        }
    }

    fn read(like: &Self, from: &mut std::vec::IntoIter<&'static str>) -> Option<Self> {
        let title = next(from)?;
        let mut steps = Vec::new();
        for step in like.steps {
            let (title, why, done) = (next(from)?, next(from)?, next(from)?);
            let checks: Option<Vec<_>> = step.checks.iter().map(|_| next(from)).collect();
            steps.push(StepText { title, why, checks: checks?.leak(), done });
        }
        Some(Box::leak(Box::new(LessonText { title, steps: steps.leak() })))
    }
}

impl Strings {
    /// Reads what [`Self::texts`] wrote; `None` if it is not a table of this version.
    #[must_use]
    pub fn from_texts(text: String) -> Option<&'static Self> {
        let lines: Vec<&'static str> = text.leak().lines().collect();
        let mut from = lines.into_iter();
        let read = Self::read_all(&mut from)?;
        from.next().is_none().then(|| &*Box::leak(Box::new(read)))
    }
}
