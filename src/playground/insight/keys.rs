//! The keys: what the page told, and what can be done with a value.
//!
//! What it is: [`Desk`], which makes a [`DetailView`] of the chosen revision: its value in a form, the line that puts
//! it back, and how it differs from another one.
//! What it is not: the history, which the page keeps.
//! Invariants: a line is made only if the console reads the very bytes from it.

use std::fmt::Write;

use super::diff::{self, DiffView};
use super::json;
use crate::etcdctl::lexer::quote;
use crate::playground::console::LINE_MAX;
use crate::playground::escape;
use crate::playground::keys::{KeysView, ValueView};

/// Bytes of a line in hexadecimal.
const HEX_LINE: usize = 16;

/// How a value is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As text.
    #[default]
    Text,
    /// As JSON, one value a line.
    Json,
    /// As bytes.
    Hex,
}

impl Form {
    /// All, in the order of their buttons.
    pub const ALL: [Self; 3] = [Self::Text, Self::Json, Self::Hex];

    /// Its name for tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Hex => "hex",
        }
    }
}

/// Why a value cannot be put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// It is a tombstone.
    Deleted,
    /// It is the value already.
    Newest,
    /// The page kept only the beginning of it.
    Cut,
    /// The key is no UTF-8, so it cannot be an argument.
    KeyNoText,
    /// The value is no UTF-8, so it cannot be an argument.
    ValueNoText,
    /// The line would be longer than the console takes.
    TooLong,
}

/// The chosen revision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DetailView {
    /// The key as shown.
    pub name: String,
    /// The revision, its numbers and its size.
    pub value: ValueView,
    /// How its value is shown.
    pub form: Form,
    /// It is JSON.
    pub is_json: bool,
    /// The value in that form.
    pub text: String,
    /// Bytes that were not kept.
    pub cut: u64,
    /// The line that puts it back, or why there is none.
    pub put: Option<Result<String, Hindrance>>,
    /// How it differs from the one it is compared with.
    pub diff: Option<DiffView>,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Desk {
    pub(super) told: KeysView,
    /// The form that a person chose.
    form: Option<Form>,
    /// What was made of what is chosen now.
    made: Option<DetailView>,
}

impl Desk {
    /// The page tells what there is to see.
    pub(super) fn hear(&mut self, told: KeysView) {
        let old = std::mem::replace(&mut self.told, told);
        let new = &self.told;
        let is_same = (&old.selected, &old.chosen, &old.compared, old.newest)
            == (&new.selected, &new.chosen, &new.compared, new.newest);
        if !is_same {
            self.made = None;
        }
    }

    pub(super) fn set_form(&mut self, form: Form) {
        self.form = Some(form);
        self.made = None;
    }

    pub(super) fn detail(&mut self) -> Option<DetailView> {
        if self.made.is_none() {
            self.made = self.make();
        }
        self.made.clone()
    }

    fn make(&self) -> Option<DetailView> {
        let key = self.told.selected.as_ref()?;
        let value = self.told.chosen.clone()?;
        let set = set(&value);
        let form = match self.form {
            Some(Form::Json) if set.is_none() => Form::Text,
            Some(form) => form,
            None if set.is_some() => Form::Json,
            None if std::str::from_utf8(&value.value).is_ok() => Form::Text,
            None => Form::Hex,
        };
        let kept = u64::try_from(value.value.len()).unwrap_or(u64::MAX);
        Some(DetailView {
            name: escape::clipped(key, 200),
            form,
            is_json: set.is_some(),
            text: shown(&value, form, set.as_deref()),
            cut: value.value_len.saturating_sub(kept),
            put: Some(self.put(key, &value)),
            diff: self
                .told
                .compared
                .as_ref()
                .filter(|other| other.mod_revision != value.mod_revision)
                .map(|other| difference(&value, other)),
            value,
        })
    }

    fn put(&self, key: &[u8], value: &ValueView) -> Result<String, Hindrance> {
        if value.is_delete {
            return Err(Hindrance::Deleted);
        }
        let newest = self.told.newest;
        if newest == value.mod_revision {
            return Err(Hindrance::Newest);
        }
        put_line(key, value)
    }
}

/// The line that writes this value.
fn put_line(key: &[u8], value: &ValueView) -> Result<String, Hindrance> {
    let kept = u64::try_from(value.value.len()).unwrap_or(u64::MAX);
    if value.value_len > kept {
        return Err(Hindrance::Cut);
    }
    let key = std::str::from_utf8(key).ok().ok_or(Hindrance::KeyNoText)?;
    let value = std::str::from_utf8(&value.value).ok().ok_or(Hindrance::ValueNoText)?;
    // What begins like a flag is none after the dashes.
    let is_flag = key.starts_with('-') || value.starts_with('-');
    let dashes = if is_flag { "-- " } else { "" };
    let line = format!("put {dashes}{} {}", quote(key), quote(value));
    if line.len() > LINE_MAX { Err(Hindrance::TooLong) } else { Ok(line) }
}

/// The value set as JSON, if it is that and was kept whole.
fn set(value: &ValueView) -> Option<String> {
    json::pretty(std::str::from_utf8(&value.value).ok()?)
}

fn shown(value: &ValueView, form: Form, set: Option<&str>) -> String {
    match (form, set) {
        (Form::Hex, _) => hex(&value.value),
        (Form::Json, Some(set)) => escape::block(set.as_bytes()),
        (Form::Json | Form::Text, _) => escape::block(&value.value),
    }
}

/// The older against the newer one; a tombstone is no line at all.
fn difference(one: &ValueView, other: &ValueView) -> DiffView {
    let (old, new) =
        if one.mod_revision <= other.mod_revision { (one, other) } else { (other, one) };
    let sets = (set(old), set(new));
    let is_text = |value: &ValueView| std::str::from_utf8(&value.value).is_ok();
    let (before, after, is_json) = match sets {
        (Some(before), Some(after)) => {
            (escape::block(before.as_bytes()), escape::block(after.as_bytes()), true)
        }
        _ if is_text(old) && is_text(new) => {
            (escape::block(&old.value), escape::block(&new.value), false)
        }
        _ => (hex(&old.value), hex(&new.value), false),
    };
    let compared = diff::compare(&before, &after);
    DiffView { from: old.mod_revision, to: new.mod_revision, is_json, ..compared }
}

/// Bytes as a hexadecimal dump.
fn hex(bytes: &[u8]) -> String {
    let mut out = String::new();
    for (at, line) in bytes.chunks(HEX_LINE).enumerate() {
        let _ = write!(out, "{:08x} ", at * HEX_LINE);
        for place in 0..HEX_LINE {
            let gap = if place == HEX_LINE / 2 { "  " } else { " " };
            match line.get(place) {
                Some(byte) => {
                    let _ = write!(out, "{gap}{byte:02x}");
                }
                None => {
                    let _ = write!(out, "{gap}  ");
                }
            }
        }
        out.push_str("  |");
        for byte in line {
            let is_shown = byte.is_ascii_graphic() || *byte == b' ';
            out.push(if is_shown { char::from(*byte) } else { '.' });
        }
        out.push_str("|\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn value(revision: i64, bytes: &[u8]) -> ValueView {
        ValueView {
            mod_revision: revision,
            version: 1,
            value: Bytes::copy_from_slice(bytes),
            value_len: u64::try_from(bytes.len()).unwrap(),
            ..ValueView::default()
        }
    }

    fn desk(chosen: ValueView, compared: Option<ValueView>) -> Desk {
        let told = KeysView {
            selected: Some(Bytes::from_static(b"k")),
            chosen: Some(chosen),
            compared,
            newest: 99,
            ..KeysView::default()
        };
        let mut desk = Desk::default();
        desk.hear(told);
        desk
    }

    #[test]
    fn a_value_is_shown_as_what_it_is_and_as_what_is_wished() {
        let mut json = desk(value(2, br#"{"a":1}"#), None);
        let detail = json.detail().unwrap();
        assert_eq!((detail.form, detail.text.as_str()), (Form::Json, "{\n  \"a\": 1\n}"));
        json.set_form(Form::Text);
        assert_eq!(json.detail().unwrap().text, r#"{"a":1}"#);
        let mut bytes = desk(value(2, b"\xff\0abc"), None);
        let detail = bytes.detail().unwrap();
        assert_eq!(detail.form, Form::Hex);
        let dump = "00000000  ff 00 61 62 63                                    |..abc|\n";
        assert_eq!(detail.text, dump);
        bytes.set_form(Form::Json);
        let detail = bytes.detail().unwrap();
        assert_eq!((detail.form, detail.text.as_str()), (Form::Text, "\\xff\\x00abc"));
    }

    /// What the console reads from the line.
    fn read_back(line: &str) -> (Vec<u8>, Vec<u8>) {
        let words = crate::etcdctl::lexer::split(line).unwrap();
        let words: Vec<String> = words.into_iter().map(|word| word.text).collect();
        assert_eq!(words[0], "put");
        let [key, value] = &words[words.len() - 2..] else { panic!("two arguments") };
        (key.clone().into_bytes(), value.clone().into_bytes())
    }

    #[test]
    fn the_line_that_puts_a_value_back_holds_its_very_bytes() {
        let values = [
            "",
            "plain",
            "two words",
            "it's",
            "$LEADER `x` \"y\" \\",
            "a\nb\tc",
            "-x",
            "中文",
            "#;|>",
        ];
        for text in values {
            let line = put_line(b"/key one", &value(2, text.as_bytes())).unwrap();
            assert_eq!(
                read_back(&line),
                (b"/key one".to_vec(), text.as_bytes().to_vec()),
                "{line}"
            );
        }
        assert_eq!(put_line(b"-k", &value(2, b"v")).unwrap(), "put -- -k v");
    }

    #[test]
    fn what_cannot_be_an_argument_says_why() {
        let put = |mut desk: Desk| desk.detail().unwrap().put.unwrap();
        assert_eq!(put(desk(value(2, b"\xff"), None)), Err(Hindrance::ValueNoText));
        assert_eq!(put(desk(value(99, b"v"), None)), Err(Hindrance::Newest));
        let tombstone = ValueView { is_delete: true, ..value(2, b"") };
        assert_eq!(put(desk(tombstone, None)), Err(Hindrance::Deleted));
        let cut = ValueView { value_len: 20_000, ..value(2, b"v") };
        assert_eq!(put(desk(cut, None)), Err(Hindrance::Cut));
        assert_eq!(put_line(b"\xff", &value(2, b"v")), Err(Hindrance::KeyNoText));
        let quotes = vec![b'\''; 16 * 1024];
        assert_eq!(put_line(b"k", &value(2, &quotes)), Err(Hindrance::TooLong));
    }

    #[test]
    fn revisions_are_compared_from_the_older_to_the_newer_and_json_as_it_is_set() {
        let mut desk = desk(value(7, br#"{"a":1,"b":2}"#), Some(value(3, br#"{"a":1, "b":3}"#)));
        let diff = desk.detail().unwrap().diff.unwrap();
        assert_eq!((diff.from, diff.to, diff.is_json), (3, 7, true));
        assert_eq!((diff.added, diff.removed), (1, 1));
        let bytes = difference(&value(1, b"\xff"), &value(2, b"text"));
        assert!(!bytes.is_json && bytes.lines[0].text.starts_with("00000000"), "{bytes:?}");
        let deleted = ValueView { is_delete: true, ..value(4, b"") };
        assert_eq!(difference(&deleted, &value(3, b"x")).removed, 1);
    }
}
