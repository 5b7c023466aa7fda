//! Sentences with code and emphasis, as typed spans.
//!
//! What it is: the inline part of the closed subset of DESIGN 23: `code` between backticks, *emphasis*
//! between asterisks, all else is text.
//! What it is not: Markdown; there are no links and no HTML.
//! Invariants: every character of the input but the marks themselves is in exactly one span; foreign
//! text is escaped.

use crate::playground::escape;

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// As it stands.
    Text(String),
    /// A command or a value.
    Code(String),
    /// Stressed.
    Emphasis(String),
}

/// Reads a sentence; a mark without its partner is text.
#[must_use]
pub fn parse(text: &str) -> Vec<Span> {
    let text = escape::block(text.as_bytes());
    let mut spans = Vec::new();
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['`', '*']) {
        let (before, marked) = rest.split_at(at);
        let mark = if marked.starts_with('`') { '`' } else { '*' };
        let inner = marked.get(1..).unwrap_or_default();
        let Some(end) = inner.find(mark).filter(|end| *end > 0) else {
            plain.push_str(before);
            plain.push(mark);
            rest = inner;
            continue;
        };
        plain.push_str(before);
        if !plain.is_empty() {
            spans.push(Span::Text(std::mem::take(&mut plain)));
        }
        let content = inner.get(..end).unwrap_or_default().to_owned();
        spans.push(if mark == '`' { Span::Code(content) } else { Span::Emphasis(content) });
        rest = inner.get(end + 1..).unwrap_or_default();
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        spans.push(Span::Text(plain));
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_emphasis_become_spans_and_lone_marks_stay_text() {
        assert_eq!(
            parse("Run `put a b`, *now*: 2*3"),
            [
                Span::Text("Run ".to_owned()),
                Span::Code("put a b".to_owned()),
                Span::Text(", ".to_owned()),
                Span::Emphasis("now".to_owned()),
                Span::Text(": 2*3".to_owned()),
            ]
        );
        assert_eq!(parse("a ` b"), [Span::Text("a ` b".to_owned())]);
        assert_eq!(parse("<b>``</b>"), [Span::Text("<b>``</b>".to_owned())]);
    }
}
