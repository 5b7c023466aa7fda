//! Just enough of Rust's lexer for the rules: words and signs with their lines, no comments, no literals.

/// A word, or `::`, or one other sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// Cuts a source into tokens; comments, strings, characters and lifetimes are left out.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let mut lexer = Lexer { rest: source, line: 1, tokens: Vec::new() };
    while lexer.step() {}
    lexer.tokens
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        if self.rest.starts_with("//") {
            self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("/*") {
            self.skip_block_comment();
        } else if let Some(length) = raw_string(self.rest) {
            self.skip(length);
        } else if first == '"' || self.rest.starts_with("b\"") || self.rest.starts_with("c\"") {
            self.skip(string(self.rest));
        } else if first == '\'' || self.rest.starts_with("b'") {
            self.skip(character_or_lifetime(self.rest));
        } else if first.is_alphanumeric() || first == '_' {
            let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            self.take(end.unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("::") {
            self.take(2);
        } else if first.is_whitespace() {
            self.skip(first.len_utf8());
        } else {
            self.take(first.len_utf8());
        }
        true
    }

    fn skip(&mut self, length: usize) {
        self.line += self.rest[..length].matches('\n').count();
        self.rest = &self.rest[length..];
    }

    fn take(&mut self, length: usize) {
        self.tokens.push(Token { text: self.rest[..length].to_owned(), line: self.line });
        self.skip(length);
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0;
        loop {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.skip(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.skip(2);
            } else if let Some(c) = self.rest.chars().next() {
                self.skip(c.len_utf8());
            }
            if depth == 0 || self.rest.is_empty() {
                return;
            }
        }
    }
}

/// The length of a raw string at the start of `text`, if there is one.
fn raw_string(text: &str) -> Option<usize> {
    let prefix = ["r", "br", "cr"].into_iter().find(|p| {
        text.strip_prefix(p).is_some_and(|rest| rest.starts_with('"') || rest.starts_with('#'))
    })?;
    let after = &text[prefix.len()..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    if !after[hashes..].starts_with('"') {
        return None;
    }
    let open = prefix.len() + hashes + 1;
    let close = format!("\"{}", "#".repeat(hashes));
    Some(text[open..].find(&close).map_or(text.len(), |at| open + at + close.len()))
}

/// The length of a string at the start of `text`, a letter before the quote included.
fn string(text: &str) -> usize {
    let open = text.find('"').unwrap_or(0) + 1;
    let mut escaped = false;
    for (at, c) in text[open..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return open + at + 1,
            _ => {}
        }
    }
    text.len()
}

fn character_or_lifetime(text: &str) -> usize {
    let quote = text.find('\'').unwrap_or(0);
    let mut inside = text[quote + 1..].char_indices();
    match inside.next() {
        Some((_, '\\')) => {
            // The character after the backslash may itself be a quote.
            inside.next();
            inside.find(|(_, c)| *c == '\'').map_or(text.len(), |(at, _)| quote + 1 + at + 1)
        }
        Some((_, c)) => {
            let end = quote + 1 + c.len_utf8();
            if text[end..].starts_with('\'') { end + 1 } else { quote + 1 }
        }
        None => text.len(),
    }
}
