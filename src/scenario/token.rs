//! The words of a line of version 2, where a word may be a text in quotes.
//!
//! What it is: `"a \"quoted\" text"` with the escapes `\"`, `\\`, `\n`, `\r` and `\t`, a here-document's mark `<<END`, and
//! everything else between blanks; both ways.
//! What it is not: the quoting of console lines, which is etcdctl's own and is kept as typed.
//! Invariants: what [`quoted`] writes reads back to the same text, and is no longer than what it was read from; never panics.

use std::fmt;

use super::wrong::{Rule, Thing, Wrong};

/// A fault within a line: byte offset, and what was found and expected.
pub(super) type Fault = (usize, Wrong);

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// Its byte in the line.
    pub(super) at: usize,
    /// Without quotes and escapes.
    pub(super) text: String,
    /// It stood in quotes, so it is no word of the grammar.
    pub(super) is_quoted: bool,
}

/// Splits a line.
pub(super) fn tokens(line: &str) -> Result<Vec<Token>, Fault> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let rest = line.get(at..).unwrap_or_default();
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.is_empty() {
            return Ok(found);
        }
        if let Some(inner) = trimmed.strip_prefix('"') {
            let (text, length) = unquoted(inner, at)?;
            found.push(Token { at, text, is_quoted: true });
            at += length + 1;
            let next = line.get(at..).and_then(|rest| rest.chars().next());
            if next.is_some_and(|next| !next.is_whitespace()) {
                return Err((at, Thing::Blank.into()));
            }
        } else {
            let length = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
            let text = trimmed.get(..length).unwrap_or_default().to_owned();
            found.push(Token { at, text, is_quoted: false });
            at += length;
        }
    }
}

/// The text behind an opening quote that stands at byte `at`, and its bytes with the closing one.
fn unquoted(inner: &str, at: usize) -> Result<(String, usize), Fault> {
    let mut text = String::new();
    let mut chars = inner.char_indices();
    while let Some((place, c)) = chars.next() {
        match c {
            '"' => return Ok((text, place + 1)),
            '\\' => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 'r')) => text.push('\r'),
                Some((_, 't')) => text.push('\t'),
                Some((_, plain @ ('"' | '\\'))) => text.push(plain),
                Some((_, other)) => {
                    return Err((at + 1 + place, Wrong::Escape(other)));
                }
                None => break,
            },
            other => text.push(other),
        }
    }
    Err((at, Rule::OpenQuotes.into()))
}

/// A text as a word: as it stands where that is no other word, else in quotes.
pub(super) fn quoted(text: &str) -> Quoted<'_> {
    Quoted(text)
}

/// See [`quoted`].
pub(super) struct Quoted<'text>(&'text str);

/// True for a word that needs no quotes as a text.
fn is_bare(text: &str) -> bool {
    let is_marked = text.starts_with('"') || text.starts_with("<<");
    !text.is_empty() && !is_marked && !text.contains(char::is_whitespace) && !is_reserved(text)
}

/// Words that may follow a text.
fn is_reserved(text: &str) -> bool {
    matches!(text, "within" | "at" | "empty" | "not" | "failed" | "each")
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        if is_bare(self.0) {
            return f.write_str(self.0);
        }
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                other => f.write_char(other)?,
            }
        }
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(line: &str) -> Vec<String> {
        tokens(line).unwrap().into_iter().map(|token| token.text).collect()
    }

    proptest! {
        #[test]
        fn a_text_reads_back_as_quoted(text in "[ -~\n\r\té文]{0,20}") {
            let line = format!("x {} y", quoted(&text));
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(texts(&line), ["x", &text, "y"]);
        }

        #[test]
        fn any_line_gives_an_answer(line in "[ a\"\\\\nt<é]{0,20}") {
            let _ = tokens(&line);
        }
    }

    #[test]
    fn words_and_texts_are_told_apart_with_their_places() {
        let found = tokens("  is  \"a b\" <<END").unwrap();
        let told: Vec<_> =
            found.iter().map(|token| (token.at, token.text.as_str(), token.is_quoted)).collect();
        assert_eq!(told, [(2, "is", false), (6, "a b", true), (12, "<<END", false)]);
        assert_eq!(texts("é \"\\n\\t\\\\\\\"\""), ["é", "\n\t\\\""]);
    }

    #[test]
    fn faults_have_their_place() {
        assert_eq!(tokens("a \"b").unwrap_err().0, 2);
        assert!(tokens("a \"b\\").unwrap_err().1.to_string().contains("never closed"));
        let escape = tokens("\"b\\x\"").unwrap_err().1.to_string();
        assert!(escape.contains("found \\x; expected one of"));
        let (at, wrong) = tokens("\"b\"c").unwrap_err();
        assert_eq!((at, wrong.to_string().as_str()), (3, "expected a blank after the quoted text"));
    }
}
