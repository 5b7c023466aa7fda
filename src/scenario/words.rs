//! Wordings in English and Chinese side by side, so that a missing one does not compile.
//!
//! What it is: [`wordings`], which makes an enum of them and a table for each language; [`put_in`], for those with values.
//! What it is not: `playground::strings`, whose texts are fetched; tables from here may be part of one there.
//! Invariants: a table has the order of its enum; what is in English only is linked where only English is asked for.

/// An enum without values, and its words in both languages.
macro_rules! wordings {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $word:ident: $english:expr, $chinese:expr;)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$of])* $word,)*
        }

        impl $name {
            /// Their number.
            pub const COUNT: usize = [$($english,)*].len();
            /// In English, in their order.
            pub const ENGLISH: [&'static str; Self::COUNT] = [$($english,)*];
            /// In Chinese, in their order.
            pub const CHINESE: [&'static str; Self::COUNT] = [$($chinese,)*];

            /// In the language of a table.
            #[must_use]
            pub fn of(self, table: &[&'static str]) -> &'static str {
                table.get(self as usize).copied().unwrap_or_default()
            }
        }
    };
}

pub(super) use wordings;

/// Puts values into the places `{0}`, `{1}` … of a template; a value is never looked at for places of its own.
#[must_use]
pub fn put_in(template: &str, values: &[&str]) -> String {
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
