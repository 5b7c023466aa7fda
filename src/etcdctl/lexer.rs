//! Splits a console line into words as a shell would.
//!
//! What it is: blanks, single quotes, double quotes, backslashes and comments, with the place of every word.
//! What it is not: a shell; there are no variables, pipes, redirections or several commands on a line,
//! and asking for one is an error that names the character.
//! Invariants: never panics; `split(&quote(x))` gives `x` back; spans are byte offsets on character boundaries.
//! Source: POSIX shell command language, section 2.2 (quoting).

use std::fmt;

/// Longest line that is read, in bytes: room for a value over etcd's 2 MiB client limit.
pub const MAX_LINE_BYTES: u32 = 4 * 1024 * 1024;

/// One word of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word with its quoting removed.
    pub text: String,
    /// Byte offset of its first character in the line, quotes included.
    pub start: u32,
    /// Byte offset after its last character.
    pub end: u32,
    /// Some part of it was quoted.
    pub quoted: bool,
}

/// The kinds of quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quote {
    /// `'`: everything up to the next one is literal.
    Single,
    /// `"`: a backslash still escapes `"`, `\`, `$` and the backquote.
    Double,
}

impl Quote {
    /// The character.
    #[must_use]
    pub const fn as_char(self) -> char {
        match self {
            Self::Single => '\'',
            Self::Double => '"',
        }
    }
}

/// Why a line cannot be split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LexError {
    /// A quote is still open at the end.
    Unclosed {
        /// Which one.
        quote: Quote,
        /// Byte offset of the opening quote.
        at: u32,
    },
    /// The line ends in a backslash.
    TrailingBackslash {
        /// Byte offset of the backslash.
        at: u32,
    },
    /// Something only a full shell can do.
    Unsupported {
        /// The character that asks for it.
        found: char,
        /// Its byte offset.
        at: u32,
    },
    /// The line is longer than [`MAX_LINE_BYTES`].
    TooLong,
}

impl fmt::Display for LexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unclosed { quote, at } => {
                write!(f, "the quote {} opened at byte {at} is not closed", quote.as_char())
            }
            Self::TrailingBackslash { .. } => {
                f.write_str("the line ends in a backslash, which escapes nothing")
            }
            Self::Unsupported { found: '|', .. } => {
                f.write_str("pipes are not supported here; quote the | to mean the character")
            }
            Self::Unsupported { found: found @ ('<' | '>'), .. } => write!(
                f,
                "redirections are not supported here; quote the {found} to mean the character"
            ),
            Self::Unsupported { found: found @ ('$' | '`'), .. } => write!(
                f,
                "variables and substitutions are not supported here; put the {found} in single quotes to mean the character"
            ),
            Self::Unsupported { found: '\n', .. } => {
                f.write_str("one command a line: this line holds several")
            }
            Self::Unsupported { found, .. } => write!(
                f,
                "{found} has no meaning here: put ; between two commands, or quotes around the character"
            ),
            Self::TooLong => write!(f, "the line is longer than {MAX_LINE_BYTES} bytes"),
        }
    }
}

impl std::error::Error for LexError {}

/// What a line holds while it is still being typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partial {
    /// The words so far, the unfinished one included.
    pub words: Vec<Word>,
    /// The quote that is open at the end of the line, if any.
    pub open: Option<Quote>,
    /// The last word touches the end of the line, so that a next character would belong to it.
    pub in_word: bool,
}

/// The words of a complete line.
///
/// # Errors
/// See [`LexError`].
pub fn split(line: &str) -> Result<Vec<Word>, LexError> {
    let mut lexer = Lexer::new(line)?;
    lexer.run()?;
    Ok(lexer.words)
}

/// The words of a line that may be unfinished, for completion.
///
/// # Errors
/// As [`split`], except that open quotes and a trailing backslash are allowed.
pub fn split_partial(line: &str) -> Result<Partial, LexError> {
    let mut lexer = Lexer::new(line)?;
    let open = match lexer.run() {
        Ok(()) | Err(LexError::TrailingBackslash { .. }) => None,
        Err(LexError::Unclosed { quote, .. }) => Some(quote),
        Err(other) => return Err(other),
    };
    lexer.end_word(lexer.length);
    let in_word = open.is_some() || lexer.words.last().is_some_and(|word| word.end == lexer.length);
    Ok(Partial { words: lexer.words, open, in_word })
}

/// Quotes `text` so that it is one word again when split.
#[must_use]
pub fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,@%+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let mut quoted = String::from("'");
    for c in text.chars() {
        if c == '\'' {
            quoted.push_str("'\\''");
        } else {
            quoted.push(c);
        }
    }
    quoted.push('\'');
    quoted
}

/// Invariant: `at <= length <= MAX_LINE_BYTES`.
struct Lexer<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
    at: u32,
    length: u32,
    words: Vec<Word>,
    current: Option<Word>,
}

impl<'a> Lexer<'a> {
    fn new(line: &'a str) -> Result<Self, LexError> {
        let length = u32::try_from(line.len()).unwrap_or(u32::MAX);
        if length > MAX_LINE_BYTES {
            return Err(LexError::TooLong);
        }
        let chars = line.chars().peekable();
        Ok(Self { chars, at: 0, length, words: Vec::new(), current: None })
    }

    fn next(&mut self) -> Option<(u32, char)> {
        let c = self.chars.next()?;
        let at = self.at;
        self.at += u32::try_from(c.len_utf8()).unwrap_or(u32::MAX);
        Some((at, c))
    }

    fn word(&mut self, at: u32) -> &mut Word {
        self.current.get_or_insert_with(|| Word {
            text: String::new(),
            start: at,
            end: at,
            quoted: false,
        })
    }

    fn end_word(&mut self, at: u32) {
        if let Some(mut word) = self.current.take() {
            word.end = at;
            self.words.push(word);
        }
    }

    fn run(&mut self) -> Result<(), LexError> {
        let mut line_ended = None;
        while let Some((at, c)) = self.next() {
            if let Some(newline) = line_ended
                && !c.is_ascii_whitespace()
                && c != '#'
            {
                return Err(LexError::Unsupported { found: '\n', at: newline });
            }
            match c {
                '\n' => {
                    self.end_word(at);
                    line_ended = (!self.words.is_empty()).then_some(at);
                }
                ' ' | '\t' | '\r' => self.end_word(at),
                '#' if self.current.is_none() => self.skip_comment(),
                '\'' => self.single(at)?,
                '"' => self.double(at)?,
                '\\' => self.backslash(at)?,
                '|' | '&' | ';' | '<' | '>' | '(' | ')' | '`' => {
                    return Err(LexError::Unsupported { found: c, at });
                }
                '$' if self.expands("{('\"") => {
                    return Err(LexError::Unsupported { found: c, at });
                }
                _ => self.word(at).text.push(c),
            }
        }
        self.end_word(self.length);
        Ok(())
    }

    /// Whether a shell would expand the `$` just read.
    fn expands(&mut self, openers: &str) -> bool {
        self.chars.peek().is_some_and(|next| {
            next.is_ascii_alphanumeric() || "_?$!#*@-".contains(*next) || openers.contains(*next)
        })
    }

    fn skip_comment(&mut self) {
        while self.chars.peek().is_some_and(|c| *c != '\n') {
            self.next();
        }
    }

    fn single(&mut self, opened: u32) -> Result<(), LexError> {
        self.word(opened).quoted = true;
        while let Some((_, c)) = self.next() {
            if c == '\'' {
                return Ok(());
            }
            self.word(opened).text.push(c);
        }
        Err(LexError::Unclosed { quote: Quote::Single, at: opened })
    }

    fn double(&mut self, opened: u32) -> Result<(), LexError> {
        self.word(opened).quoted = true;
        while let Some((at, c)) = self.next() {
            match c {
                '"' => return Ok(()),
                '`' => return Err(LexError::Unsupported { found: c, at }),
                '$' if self.expands("{(") => return Err(LexError::Unsupported { found: c, at }),
                '\\' => match self.chars.peek().copied() {
                    Some(escaped @ ('"' | '\\' | '$' | '`')) => {
                        self.next();
                        self.word(opened).text.push(escaped);
                    }
                    Some('\n') => {
                        self.next();
                    }
                    _ => self.word(opened).text.push('\\'),
                },
                _ => self.word(opened).text.push(c),
            }
        }
        Err(LexError::Unclosed { quote: Quote::Double, at: opened })
    }

    fn backslash(&mut self, at: u32) -> Result<(), LexError> {
        match self.next() {
            None => {
                self.word(at).quoted = true;
                Err(LexError::TrailingBackslash { at })
            }
            Some((_, '\n')) => Ok(()),
            Some((_, escaped)) => {
                let word = self.word(at);
                word.quoted = true;
                word.text.push(escaped);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        split(line).unwrap().into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn quotes_and_escapes_make_one_word() {
        assert_eq!(texts("put a 'b c'\"d e\"f\\ g"), ["put", "a", "b cd ef g"]);
        assert_eq!(texts(r#"put "" '' "a\"b\\c\n""#), ["put", "", "", r#"a"b\c\n"#]);
        assert_eq!(texts("  get   foo\t "), ["get", "foo"]);
        assert_eq!(texts("put k a\\\nb"), ["put", "k", "ab"]);
    }

    #[test]
    fn comments_start_at_a_word_only() {
        assert_eq!(texts("get a#b # the rest"), ["get", "a#b"]);
        assert_eq!(texts("# nothing"), Vec::<String>::new());
        assert_eq!(texts("get '#'\n# more\n"), ["get", "#"]);
    }

    #[test]
    fn spans_cover_the_quotes() {
        let words = split("put 'é x' b").unwrap();
        let spans: Vec<(u32, u32, bool)> =
            words.iter().map(|w| (w.start, w.end, w.quoted)).collect();
        assert_eq!(spans, [(0, 3, false), (4, 10, true), (11, 12, false)]);
    }

    #[test]
    fn open_quotes_are_named_and_completion_sees_them() {
        assert_eq!(split("put a 'b"), Err(LexError::Unclosed { quote: Quote::Single, at: 6 }));
        assert_eq!(split("put a \"b"), Err(LexError::Unclosed { quote: Quote::Double, at: 6 }));
        let partial = split_partial("put a \"b c").unwrap();
        assert_eq!(partial.open, Some(Quote::Double));
        assert_eq!(partial.words.last().unwrap().text, "b c");
        assert!(partial.in_word);
        assert!(!split_partial("get ").unwrap().in_word);
        assert!(split_partial("ge").unwrap().in_word);
    }

    #[test]
    fn shell_features_are_refused_unless_quoted() {
        for (line, found, at) in [
            ("get a | wc", '|', 6),
            ("get a; get b", ';', 5),
            ("put k < f", '<', 6),
            ("get $KEY", '$', 4),
            ("get \"$KEY\"", '$', 5),
            ("get `x`", '`', 4),
            ("put a 1\nput b 2", '\n', 7),
            ("get a &", '&', 6),
        ] {
            assert_eq!(split(line), Err(LexError::Unsupported { found, at }), "{line}");
        }
        assert_eq!(
            texts("put price 5$ '$KEY' \"a$\" \\|"),
            ["put", "price", "5$", "$KEY", "a$", "|"]
        );
        assert_eq!(split("get a\\"), Err(LexError::TrailingBackslash { at: 5 }));
    }

    #[test]
    fn too_long_a_line_is_refused() {
        let line = "a".repeat(4 * 1024 * 1024 + 1);
        assert_eq!(split(&line), Err(LexError::TooLong));
    }
}
