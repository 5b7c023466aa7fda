//! A table as a list of texts, and back.
//!
//! What it is: the form in which a language that a page is not built with is fetched: one text per line, in the order
//! of the table.
//! What it is not: a translation file for people; they write the typed table.
//! Invariants: a list that is not of this table's length is no table; what is read stays for the life of the page.

use super::{Count, Duration, EN, Strings, With1, With2, With2Count, With3, With4, WithCount};

/// The texts still to be taken.
pub(super) struct Reader {
    lines: std::str::Lines<'static>,
    is_short: bool,
}

impl Reader {
    #[inline(never)]
    fn next(&mut self) -> &'static str {
        let next = self.lines.next();
        self.is_short |= next.is_none();
        next.unwrap_or_default()
    }
}

/// Something that is made of texts.
pub(super) trait Texts {
    /// Its texts, in order.
    fn list(&self, into: &mut Vec<&'static str>);
    /// Takes as many others in their places.
    fn take(&mut self, from: &mut Reader);
}

impl Texts for &'static str {
    fn list(&self, into: &mut Vec<&'static str>) {
        into.push(self);
    }

    // There are hundreds of calls.
    #[inline(never)]
    fn take(&mut self, from: &mut Reader) {
        *self = from.next();
    }
}

impl<const N: usize> Texts for [&'static str; N] {
    fn list(&self, into: &mut Vec<&'static str>) {
        into.extend(self);
    }

    fn take(&mut self, from: &mut Reader) {
        for text in self {
            text.take(from);
        }
    }
}

macro_rules! templates {
    ($($kind:ident)*) => {
        $(
            impl Texts for $kind {
                fn list(&self, into: &mut Vec<&'static str>) {
                    self.0.list(into);
                }

                fn take(&mut self, from: &mut Reader) {
                    self.0.take(from);
                }
            }
        )*
    };
}

templates! { With1 With2 With3 With4 Count WithCount With2Count Duration }

impl Strings {
    /// Reads what [`Self::texts`] wrote; `None` if it is not a table of this version.
    #[must_use]
    pub fn from_texts(text: String) -> Option<&'static Self> {
        let mut from = Reader { lines: text.leak().lines(), is_short: false };
        let table = Box::leak(Box::new(EN));
        table.take_all(&mut from);
        (!from.is_short && from.lines.next().is_none()).then_some(table)
    }
}
