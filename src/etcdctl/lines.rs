//! Lines of standard input, as they come.
//!
//! What it is: the buffer between pieces of standard input and a command that reads lines, the splitting of such a
//! line into words, and the reading of Go's quoted strings in it.
//! What it is not: the shell's own quoting (see `lexer`): etcdctl splits these lines by simpler rules.
//! Invariants: a line is given out once, without its line break; what follows the last line break is never given out,
//! as etcdctl refuses it; nothing panics on foreign bytes.
//! Source: the behaviour of etcdctl 3.7.1; the documentation of Go's `strconv.Unquote`.

use std::collections::VecDeque;

/// What a reader gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A whole line.
    Text(Vec<u8>),
    /// There are no more.
    End,
    /// More may come.
    Later,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    whole: VecDeque<Vec<u8>>,
    begun: Vec<u8>,
    ended: bool,
}

impl Lines {
    /// Takes the next piece.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let mut pieces = bytes.split(|byte| *byte == b'\n');
        let first = pieces.next().unwrap_or_default();
        self.begun.extend_from_slice(first);
        for piece in pieces {
            self.whole.push_back(std::mem::replace(&mut self.begun, piece.to_vec()));
        }
    }

    /// Nothing follows.
    pub(crate) const fn end(&mut self) {
        self.ended = true;
    }

    /// The next line.
    pub(crate) fn next(&mut self) -> Line {
        match self.whole.pop_front() {
            Some(line) => Line::Text(line),
            None if self.ended => Line::End,
            None => Line::Later,
        }
    }
}

/// Without the white space around it.
pub(crate) fn trimmed(line: &[u8]) -> &[u8] {
    match std::str::from_utf8(line) {
        Ok(text) => text.trim().as_bytes(),
        Err(_) => line.trim_ascii(),
    }
}

/// The words of a line: double quotes as in Go, single quotes literal, anything else up to white space.
///
/// A quote that is not closed is passed over.
pub(crate) fn words(line: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let mut words = Vec::new();
    let mut rest = line;
    while let [first, after @ ..] = rest {
        let word = match first {
            b'"' => double_quoted(rest),
            b'\'' => after.iter().position(|byte| *byte == b'\'').map(|inside| inside + 2),
            byte if is_blank(*byte) => None,
            _ => Some(rest.iter().position(|byte| is_blank(*byte)).unwrap_or(rest.len())),
        };
        let Some((word, behind)) = word.and_then(|length| rest.split_at_checked(length)) else {
            rest = after;
            continue;
        };
        words.push(match first {
            b'"' => unquote(&String::from_utf8_lossy(word)).ok_or("invalid syntax")?,
            b'\'' => word.get(1..word.len() - 1).unwrap_or_default().to_vec(),
            _ => word.to_vec(),
        });
        rest = behind;
    }
    Ok(words)
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

/// The length of the quoted string that `text` begins with, quotes included.
fn double_quoted(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            // A backslash escapes anything but a line break, and needs something to escape.
            b'\\' => {
                text.get(at + 1).filter(|byte| **byte != b'\n')?;
                at += 2;
            }
            _ => at += 1,
        }
    }
}

/// The bytes that a Go string literal in double quotes stands for; `None` if it is none.
pub(crate) fn unquote(literal: &str) -> Option<Vec<u8>> {
    let inside = literal.strip_prefix('"')?.strip_suffix('"').filter(|_| literal.len() > 1)?;
    let mut out = Vec::with_capacity(inside.len());
    let mut chars = inside.chars();
    let mut utf8 = [0; 4];
    while let Some(c) = chars.next() {
        match c {
            '"' | '\n' => return None,
            '\\' => escape(&mut chars, &mut out)?,
            c => out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes()),
        }
    }
    Some(out)
}

/// What follows a backslash.
fn escape(chars: &mut std::str::Chars<'_>, out: &mut Vec<u8>) -> Option<()> {
    let plain = match chars.next()? {
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' => b'\\',
        '"' => b'"',
        'x' => u8::try_from(number(chars, 2, 16)?).ok()?,
        'u' => return push_char(number(chars, 4, 16)?, out),
        'U' => return push_char(number(chars, 8, 16)?, out),
        first @ '0'..='7' => {
            let rest = number(chars, 2, 8)?;
            u8::try_from(first.to_digit(8)? * 64 + rest).ok()?
        }
        _ => return None,
    };
    out.push(plain);
    Some(())
}

fn number(chars: &mut std::str::Chars<'_>, digits: u32, base: u32) -> Option<u32> {
    (0..digits).try_fold(0_u32, |value, _| {
        let digit = chars.next()?.to_digit(base)?;
        value.checked_mul(base)?.checked_add(digit)
    })
}

fn push_char(code: u32, out: &mut Vec<u8>) -> Option<()> {
    out.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        let words = words(line.as_bytes()).unwrap();
        words.iter().map(|word| word.escape_ascii().to_string()).collect()
    }

    #[test]
    fn lines_may_come_in_any_pieces() {
        let mut lines = Lines::default();
        lines.push(b"a");
        assert_eq!(lines.next(), Line::Later);
        lines.push(b"b\nc\n\nd");
        for text in ["ab", "c", ""] {
            assert_eq!(lines.next(), Line::Text(text.as_bytes().to_vec()));
        }
        assert_eq!(lines.next(), Line::Later);
        lines.end();
        assert_eq!(lines.next(), Line::End, "the unfinished line is not given out");
    }

    #[test]
    fn words_are_split_as_etcdctl_splits_them() {
        assert_eq!(texts("put b hello  world"), ["put", "b", "hello", "world"]);
        assert_eq!(texts(r#"get '' "a key" 'b "c"'"#), ["get", "", "a key", r#"b \"c\""#]);
        assert_eq!(texts(r#"put k a"b c"d"#), ["put", "k", "a\\\"b", "c\\\"d"]);
        assert_eq!(texts(r#""a"b "open x"#), ["a", "b", "open", "x"]);
        assert_eq!(texts("'open x"), ["open", "x"]);
        assert_eq!(
            texts(r#"put "\x00\xff\101\u00e9" "\"\\""#),
            ["put", r"\x00\xffA\xc3\xa9", "\\\"\\\\"]
        );
        assert_eq!(words(br#"put "\z" 1"#), Err("invalid syntax".to_owned()));
        assert!(texts("  \t").is_empty());
    }

    #[test]
    fn literals_are_go_s() {
        assert_eq!(unquote(r#""a\tb""#).unwrap(), b"a\tb");
        for bad in
            [r#""\'""#, r#""\x1""#, r#""\400""#, r#""\ud800""#, "\"\n\"", "\"", "a", r#""a"b""#]
        {
            assert_eq!(unquote(bad), None, "{bad}");
        }
    }
}
