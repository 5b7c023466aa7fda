//! JSON with one value a line.
//!
//! What it is: [`pretty`], which checks a text against JSON's grammar and sets it anew.
//! What it is not: a reader: numbers and texts stay as they are written, so that nothing of them is lost.
//! Invariants: never panics, does not recurse; only blanks are other ones than before.
//! Source: RFC 8259.

/// Deepest nesting. Unit: levels. Source: ours; deeper ones are shown as text.
const DEPTH_MAX: usize = 64;

/// The text with a line for each value; nothing if it is no JSON, or a single number, text or word.
pub(super) fn pretty(text: &str) -> Option<String> {
    let mut setter = Setter { text, at: 0, out: String::new(), open: Vec::new() };
    setter.blanks();
    if !matches!(setter.peek(), Some(b'{' | b'[')) {
        return None;
    }
    setter.document()?;
    Some(setter.out)
}

struct Setter<'a> {
    text: &'a str,
    at: usize,
    out: String,
    /// What closes what is open.
    open: Vec<u8>,
}

impl Setter<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> Option<()> {
        (self.peek()? == wanted).then(|| self.at += 1)
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.open.len()));
    }

    fn document(&mut self) -> Option<()> {
        self.value()?;
        loop {
            self.blanks();
            let Some(close) = self.open.last().copied() else {
                return self.peek().is_none().then_some(());
            };
            if self.take(close).is_some() {
                self.open.pop();
                self.line();
                self.out.push(char::from(close));
                continue;
            }
            self.take(b',')?;
            self.out.push(',');
            self.line();
            self.blanks();
            self.element(close)?;
        }
    }

    /// What stands in an array or an object: a value, or a name and a value.
    fn element(&mut self, close: u8) -> Option<()> {
        if close == b'}' {
            self.string()?;
            self.blanks();
            self.take(b':')?;
            self.out.push_str(": ");
        }
        self.value()
    }

    /// A value, or the beginning of one up to its first simple value.
    fn value(&mut self) -> Option<()> {
        loop {
            self.blanks();
            let (open, close) = match self.peek()? {
                b'{' => ('{', b'}'),
                b'[' => ('[', b']'),
                b'"' => return self.string(),
                b't' => return self.word("true"),
                b'f' => return self.word("false"),
                b'n' => return self.word("null"),
                _ => return self.number(),
            };
            if self.open.len() == DEPTH_MAX {
                return None;
            }
            self.at += 1;
            self.out.push(open);
            self.blanks();
            if self.take(close).is_some() {
                self.out.push(char::from(close));
                return Some(());
            }
            self.open.push(close);
            self.line();
            if close == b'}' {
                self.string()?;
                self.blanks();
                self.take(b':')?;
                self.out.push_str(": ");
            }
        }
    }

    fn keep(&mut self, from: usize) -> Option<()> {
        self.out.push_str(self.text.get(from..self.at)?);
        Some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let from = self.at;
        self.text.get(from..)?.starts_with(word).then_some(())?;
        self.at += word.len();
        self.keep(from)
    }

    fn string(&mut self) -> Option<()> {
        let from = self.at;
        self.take(b'"')?;
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'"' => return self.keep(from),
                b'\\' => {
                    let escape = self.peek()?;
                    self.at += 1;
                    if escape == b'u' {
                        let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
                        digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
                        self.at += 4;
                    } else if !b"\"\\/bfnrt".contains(&escape) {
                        return None;
                    }
                }
                0..0x20 => return None,
                _ => {}
            }
        }
    }

    fn digits(&mut self) -> Option<()> {
        let from = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > from).then_some(())
    }

    fn number(&mut self) -> Option<()> {
        let from = self.at;
        let _ = self.take(b'-');
        if self.take(b'0').is_none() {
            self.digits()?;
        }
        if self.take(b'.').is_some() {
            self.digits()?;
        }
        if self.take(b'e').or_else(|| self.take(b'E')).is_some() {
            let _ = self.take(b'+').or_else(|| self.take(b'-'));
            self.digits()?;
        }
        self.keep(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_gets_a_line_and_stays_as_it_was_written() {
        let text =
            r#" {"a":[1,-0.50e+3,{}],"b":{"c":"x\n\u00e9\"","d":null},"big":12345678901234567890}"#;
        let set = "{\n  \"a\": [\n    1,\n    -0.50e+3,\n    {}\n  ],\n  \"b\": {\n    \"c\": \"x\\n\\u00e9\\\"\",\n    \"d\": null\n  },\n  \"big\": 12345678901234567890\n}";
        assert_eq!(pretty(text).unwrap(), set);
        assert_eq!(pretty(set).unwrap(), set, "set twice is set once");
        assert_eq!(pretty("[[],[true]]").unwrap(), "[\n  [],\n  [\n    true\n  ]\n]");
    }

    #[test]
    fn it_agrees_with_another_reader_about_what_is_json() {
        let texts = [
            "{}",
            "[]",
            "[1,]",
            "{,}",
            "{\"a\"}",
            "{\"a\":}",
            "[01]",
            "[1.]",
            "[.5]",
            "[1e]",
            "[-]",
            "[\"\u{1}\"]",
            "[\"\\x\"]",
            "[\"\\u12\"]",
            "[tru]",
            "[nul",
            "[1 2]",
            "{} x",
            "[\"é\"]",
            "[1,2]]",
            "{\"a\":1,\"a\":2}",
            "[\"",
            "{\"a\":[}",
            "[1e5,0,-0]",
            "",
            "[\"\\u123é\"]",
            "{\"a\" : 1 }",
            "[+1]",
        ];
        for text in texts {
            let is_json = serde_json::from_str::<serde_json::Value>(text).is_ok();
            assert_eq!(pretty(text).is_some(), is_json, "{text}");
            if let Some(set) = pretty(text) {
                let of = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
                assert_eq!(of(&set), of(text));
            }
        }
        assert_eq!(pretty("12"), None, "a number is text");
        assert_eq!(pretty(&"[".repeat(100_000)), None);
    }
}
