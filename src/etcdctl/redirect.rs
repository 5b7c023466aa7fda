//! Standard input on the command line: here-documents, here-strings, and `echo` or `printf` before a pipe.
//!
//! What it is: the few forms of a shell that give a command its standard input, and the splitting of a text into
//! lines that run one after the other.
//! What it is not: a shell; other pipes and redirections are refused by `lexer`, with a sentence.
//! Invariants: never panics; a text without these forms is left as it is.
//! Source: POSIX shell command language, sections 2.6 and 2.7; the `echo` and `printf` of bash.

use crate::etcdctl::lexer::{self, Word};

/// One command with what is known of its standard input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CommandLine {
    /// The command alone.
    pub(crate) text: String,
    pub(crate) words: Vec<Word>,
    pub(crate) input: Given,
}

/// What the line says of standard input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// Nothing.
    Nothing,
    /// All of it.
    Bytes(Vec<u8>),
    /// It is still to be typed, up to a line that holds this text.
    Until(HereDocument),
}

/// The lines up to a delimiter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HereDocument {
    delimiter: String,
    is_literal: bool,
    strips_tabs: bool,
    /// What `$?` stands for in it.
    status: i32,
}

impl HereDocument {
    /// Takes a line without its break: what it means, or `None` at the delimiter.
    pub(crate) fn take(&self, line: &str) -> Option<String> {
        let line = if self.strips_tabs { line.trim_start_matches('\t') } else { line };
        if line == self.delimiter {
            return None;
        }
        if self.is_literal {
            return Some(format!("{line}\n"));
        }
        let mut out = String::new();
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            if c == '$' && chars.next_if_eq(&'?').is_some() {
                out.push_str(&self.status.to_string());
                continue;
            }
            let escaped = (c == '\\').then(|| chars.next_if(|next| "\\$`".contains(*next)));
            out.push(escaped.flatten().unwrap_or(c));
        }
        out.push('\n');
        Some(out)
    }
}

/// Reads one command line after a command that ended with `status`.
pub(crate) fn read(line: &str, status: i32) -> Result<CommandLine, String> {
    let (head, body) = head_and_body(line);
    let line = format!("{}{body}", with_status(head, status));
    let line = line.as_str();
    let (before, after) = match special(line, "|<") {
        Some((at, '<')) => {
            let (before, after) = line.split_at_checked(at).unwrap_or((line, ""));
            match after.strip_prefix("<<") {
                Some(after) => return here(before, after, status),
                None => (before, None),
            }
        }
        Some((at, _)) => {
            let (before, after) = line.split_at_checked(at).unwrap_or((line, ""));
            (before, after.strip_prefix('|').filter(|after| !after.starts_with(['|', '&'])))
        }
        None => (line, None),
    };
    let words = |text: &str| lexer::split(text).map_err(|error| error.to_string());
    let Some(after) = after else {
        let words = words(line)?;
        return Ok(CommandLine { text: line.to_owned(), words, input: Given::Nothing });
    };
    let said = said(&words(before)?)?;
    Ok(CommandLine { text: after.to_owned(), words: words(after)?, input: Given::Bytes(said) })
}

/// A command and, if it ends in a here-document, the lines of that.
fn head_and_body(line: &str) -> (&str, &str) {
    let is_here = special(line, "|<").is_some_and(|(at, found)| {
        let rest = line.get(at..).unwrap_or_default();
        found == '<' && rest.starts_with("<<") && !rest.starts_with("<<<")
    });
    let end = special(line, "\n").filter(|_| is_here).map_or(line.len(), |(at, _)| at);
    line.split_at_checked(end).unwrap_or((line, ""))
}

/// The line with `$?` filled in wherever a shell would: everywhere but in single quotes and behind a backslash.
fn with_status(line: &str, status: i32) -> String {
    let mut out = String::with_capacity(line.len());
    let mut quote = None;
    let mut before = ' ';
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None | Some('"'), '$') if chars.next_if_eq(&'?').is_some() => {
                out.push_str(&status.to_string());
                before = '?';
                continue;
            }
            (None | Some('"'), '\\') => {
                let escaped = chars.next();
                out.push(c);
                out.extend(escaped);
                if escaped != Some('\n') {
                    before = c;
                }
                continue;
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            // An apostrophe in a comment opens nothing.
            (None, '#') if begins_word(before) => {
                out.push(c);
                while let Some(c) = chars.next_if(|next| *next != '\n') {
                    out.push(c);
                }
                continue;
            }
            _ => {}
        }
        out.push(c);
        before = c;
    }
    out
}

/// What `echo` or `printf` prints where it is a command of its own; `None`: these words are another command.
pub(crate) fn spoken(words: &[Word]) -> Option<Result<Vec<u8>, String>> {
    let name = words.first().map(|word| word.text.as_str());
    matches!(name, Some("echo" | "printf")).then(|| said(words))
}

/// The quote that a text leaves open, and where it opens. Unit: bytes.
#[must_use]
pub fn open_quote(text: &str) -> Option<(char, usize)> {
    match lexer::split(text) {
        Err(lexer::LexError::Unclosed { quote, at }) => {
            Some((quote.as_char(), usize::try_from(at).ok()?))
        }
        _ => None,
    }
}

/// Whether a text breaks off within a command: in quotes, behind a backslash, or in a here-document.
#[must_use]
pub fn is_unfinished(text: &str) -> bool {
    let ends_in_backslash = || {
        let slashes = text.len() - text.trim_end_matches('\\').len();
        slashes % 2 == 1
    };
    let mut rest = text;
    let mut document: Option<HereDocument> = None;
    loop {
        let Some((at, c)) = special(rest, "\n<") else {
            return document.is_some() || special(&format!("{rest}\n"), "\n").is_none();
        };
        let after = rest.get(at + 1..).unwrap_or_default();
        match (c, document.take()) {
            ('<', before) => {
                let is_here = after.starts_with('<') && !after.starts_with("<<");
                let found = after.strip_prefix('<').filter(|_| is_here).and_then(heading);
                document = found.or(before);
                rest = after.trim_start_matches('<');
            }
            (_, Some(document)) => {
                let mut body = after;
                loop {
                    let Some((line, behind)) = body.split_once('\n') else {
                        return document.take(body).is_some();
                    };
                    body = behind;
                    if document.take(line).is_none() {
                        break;
                    }
                }
                rest = body;
            }
            (_, None) => rest = after,
        }
        if rest.is_empty() {
            return document.is_some() || ends_in_backslash();
        }
    }
}

/// Whether what follows this character is the beginning of a word, where a comment may stand.
const fn begins_word(before: char) -> bool {
    before.is_ascii_whitespace() || before == ';'
}

/// The first of these characters that is not quoted or in a comment, at its byte.
fn special(text: &str, wanted: &str) -> Option<(usize, char)> {
    let mut quote = None;
    let mut in_comment = false;
    let mut before = ' ';
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match quote {
            _ if in_comment => {
                in_comment = c != '\n';
                if !in_comment && wanted.contains(c) {
                    return Some((at, c));
                }
            }
            Some('"') if c == '\\' => {
                chars.next();
            }
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '\\' => {
                // A line break behind it is as if it were not there.
                match chars.next() {
                    Some((_, '\n')) => {}
                    _ => before = c,
                }
                continue;
            }
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == '#' && begins_word(before) => in_comment = true,
            None if wanted.contains(c) => return Some((at, c)),
            None => {}
        }
        before = c;
    }
    None
}

/// A here-document or a here-string; `after` follows the `<<`.
fn here(before: &str, after: &str, status: i32) -> Result<CommandLine, String> {
    let is_string = after.starts_with('<');
    let (strips_tabs, after) = match after.strip_prefix(['-', '<']) {
        Some(rest) => (after.starts_with('-'), rest),
        None => (false, after),
    };
    let after = after.trim_start_matches([' ', '\t']);
    let (word, rest) = first_word(after);
    let taken = lexer::split(word).map_err(|error| error.to_string())?;
    let [taken] = taken.as_slice() else {
        return Err("a word must follow << to say what ends the input".to_owned());
    };
    let (tail, body) = match special(rest, "\n").and_then(|(at, _)| rest.split_at_checked(at)) {
        Some((tail, body)) => (tail, body.strip_prefix('\n')),
        None => (rest, None),
    };
    let text = format!("{before} {tail}");
    if is_string {
        let text = format!("{before} {rest}");
        let words = lexer::split(&text).map_err(|error| error.to_string())?;
        let input = Given::Bytes(format!("{}\n", taken.text).into_bytes());
        return Ok(CommandLine { text, words, input });
    }
    let document = HereDocument {
        delimiter: taken.text.clone(),
        is_literal: taken.quoted,
        strips_tabs,
        status,
    };
    let words = lexer::split(&text).map_err(|error| error.to_string())?;
    let Some(body) = body else {
        return Ok(CommandLine { text, words, input: Given::Until(document) });
    };
    let mut out = String::new();
    let mut lines = body.lines();
    for line in lines.by_ref() {
        match document.take(line) {
            Some(line) => out.push_str(&line),
            None => break,
        }
    }
    if lines.any(|line| !line.trim().is_empty()) {
        return Err("one command a line: something follows the end of the input".to_owned());
    }
    Ok(CommandLine { text, words, input: Given::Bytes(out.into_bytes()) })
}

/// A word with its quotes, and what follows it.
fn first_word(text: &str) -> (&str, &str) {
    let end = special(text, " \t\n;|<>&").map_or(text.len(), |(at, _)| at);
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// What `echo` or `printf` prints.
fn said(words: &[Word]) -> Result<Vec<u8>, String> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    match texts.as_slice() {
        ["echo", rest @ ..] => Ok(echo(rest)),
        ["printf", format, arguments @ ..] => printf(format, arguments),
        _ => Err("only echo and printf can be piped into a command here; quote the | to mean the character".to_owned()),
    }
}

fn echo(words: &[&str]) -> Vec<u8> {
    let is_option = |word: &&&str| {
        word.strip_prefix('-').is_some_and(|letters| {
            !letters.is_empty() && letters.chars().all(|letter| "neE".contains(letter))
        })
    };
    let count = words.iter().take_while(is_option).count();
    let (options, words) = words.split_at_checked(count).unwrap_or((&[], words));
    let letters: String = options.concat();
    let text = words.join(" ");
    let last = letters.chars().rfind(|letter| "eE".contains(*letter));
    let mut out = if last == Some('e') { escaped(&text) } else { text.into_bytes() };
    if !letters.contains('n') {
        out.push(b'\n');
    }
    out
}

fn printf(format: &str, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let mut left = arguments.iter();
    let mut out = Vec::new();
    loop {
        let before = left.len();
        let mut rest = format;
        while let Some((text, after)) = rest.split_once('%') {
            out.extend(escaped(text));
            let mut chars = after.chars();
            match chars.next() {
                Some('%') => out.push(b'%'),
                Some('s') => {
                    let argument = left.next().copied().unwrap_or_default();
                    out.extend_from_slice(argument.as_bytes());
                }
                Some('b') => out.extend(escaped(left.next().copied().unwrap_or_default())),
                _ => return Err("printf knows only %s, %b and %% here".to_owned()),
            }
            rest = chars.as_str();
        }
        out.extend(escaped(rest));
        // The format is used again as long as it takes arguments.
        if left.len() == 0 || left.len() == before {
            return Ok(out);
        }
    }
}

/// The text with its backslash escapes carried out.
fn escaped(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut utf8 = [0; 4];
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
            continue;
        }
        let Some(kind) = chars.next() else {
            out.push(b'\\');
            break;
        };
        let mut number = |base: u32, most: u32| {
            let mut value = 0_u32;
            for _ in 0..most {
                let Some(digit) = chars.peek().and_then(|c| c.to_digit(base)) else { break };
                chars.next();
                value = value * base + digit;
            }
            u8::try_from(value & 0xff).unwrap_or(0)
        };
        out.push(match kind {
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 11,
            '\\' => b'\\',
            '0' => number(8, 3),
            'x' => number(16, 2),
            other => {
                out.push(b'\\');
                out.extend_from_slice(other.encode_utf8(&mut utf8).as_bytes());
                continue;
            }
        });
    }
    out
}

/// The command lines of a text: at line breaks and semicolons, a here-document with its lines.
///
/// Empty lines are kept, because a command that reads may want them.
#[must_use]
pub fn statements(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut begun = String::new();
    // A here-document whose lines follow the next line break, and the place of its command if that has ended.
    let mut document: Option<(HereDocument, Option<usize>)> = None;
    let mut rest = text;
    while let Some((at, c)) = special(rest, ";\n<") {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        begun.push_str(before);
        rest = after.strip_prefix(c).unwrap_or(after);
        match c {
            '<' => {
                begun.push('<');
                if let Some(after) = rest.strip_prefix('<').filter(|after| !after.starts_with('<'))
                {
                    document = heading(after).map(|document| (document, None));
                }
                // A second or third one is no beginning.
                let more = rest.len() - rest.trim_start_matches('<').len();
                let (signs, behind) = rest.split_at_checked(more).unwrap_or(("", rest));
                begun.push_str(signs);
                rest = behind;
            }
            ';' => {
                if let Some((_, place @ None)) = &mut document {
                    *place = Some(found.len());
                }
                found.push(std::mem::take(&mut begun));
            }
            _ => {
                found.push(std::mem::take(&mut begun));
                if let Some((document, place)) = document.take() {
                    let place = place.unwrap_or(found.len() - 1);
                    if let Some(command) = found.get_mut(place) {
                        rest = with_body(command, rest, &document);
                    }
                }
            }
        }
    }
    begun.push_str(rest);
    if !begun.is_empty() {
        found.push(begun);
    }
    found
}

/// The here-document that the text after `<<` begins.
fn heading(after: &str) -> Option<HereDocument> {
    let strips_tabs = after.starts_with('-');
    let (word, _) = first_word(after.trim_start_matches('-').trim_start_matches([' ', '\t']));
    let words = lexer::split(word).ok()?;
    let word = words.first()?;
    let (delimiter, is_literal) = (word.text.clone(), word.quoted);
    Some(HereDocument { delimiter, is_literal, strips_tabs, status: 0 })
}

/// Moves the lines of a here-document over, with its delimiter; what follows it.
fn with_body<'a>(begun: &mut String, mut rest: &'a str, document: &HereDocument) -> &'a str {
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        begun.push('\n');
        begun.push_str(line);
        rest = after;
        if document.take(line).is_none() {
            break;
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(line: &str) -> (Vec<String>, Given) {
        let CommandLine { words, input, .. } = read(line, 3).unwrap();
        (words.into_iter().map(|word| word.text).collect(), input)
    }

    fn bytes(text: &str) -> Given {
        Given::Bytes(text.as_bytes().to_vec())
    }

    #[test]
    fn echo_and_printf_give_input() {
        for (line, input) in [
            ("echo v | etcdctl put k", "v\n"),
            ("echo -n 'a  b' c|put k", "a  b c"),
            ("echo -e 'a\\tb\\x41' | put k", "a\tbA\n"),
            ("echo 'a\\tb' | put k", "a\\tb\n"),
            ("printf 'a\\nb%%' | put k", "a\nb%"),
            ("printf '%s,' a b | put k", "a,b,"),
        ] {
            let (words, given) = given(line);
            assert_eq!(words.last().map(String::as_str), Some("k"), "{line}");
            assert_eq!(given, bytes(input), "{line}");
        }
        for line in ["get a | wc", "cat f | put k", "printf %d 1 | put k", "echo a | put k | wc"] {
            assert!(read(line, 0).is_err(), "{line}");
        }
        assert_eq!(given("put k 'a|b<<c'").1, Given::Nothing);
        assert_eq!(given("get k # a | b").1, Given::Nothing);
    }

    #[test]
    fn here_documents_end_at_their_word() {
        let (words, input) = given("put k --lease=1 <<EOF --prev-kv\na \\$b\n\n  c\nEOF\n");
        assert_eq!(words, ["put", "k", "--lease=1", "--prev-kv"]);
        assert_eq!(input, bytes("a $b\n\n  c\n"));
        assert_eq!(given("put k <<'E O'\na \\$b\nE O").1, bytes("a \\$b\n"));
        assert_eq!(given("put k <<-EOF\n\ta\n\tEOF").1, bytes("a\n"));
        assert_eq!(given("put k <<< 'a b'").1, bytes("a b\n"));
        assert!(matches!(given("put k <<EOF").1, Given::Until(_)));
        assert!(read("put k <<EOF\na\nEOF\nget k", 0).is_err());
        assert!(read("put k <<", 0).is_err());
        assert!(read("put k < file", 0).is_err());
    }

    #[test]
    fn the_last_status_stands_wherever_a_shell_fills_it_in() {
        for (line, expected) in [
            ("put k $?", "3"),
            ("put k \"was $?.\"", "was 3."),
            ("put k '$?'", "$?"),
            ("put k \\$\\?", "$?"),
            ("put k \"\\$?\"", "$?"),
            ("put k a$?b # it's $?", "a3b"),
        ] {
            assert_eq!(given(line).0.last().map(String::as_str), Some(expected), "{line}");
        }
        assert_eq!(given("echo $? | put k").1, bytes("3\n"));
        assert_eq!(given("put k <<E\nit's $? and \\$?\nE").1, bytes("it's 3 and $?\n"));
        assert_eq!(given("put k <<'E'\n$?\nE").1, bytes("$?\n"));
        assert_eq!(given("put k <<<\"$?\"").1, bytes("3\n"));
    }

    #[test]
    fn texts_that_break_off_are_known() {
        for text in [
            "put k 'a",
            "put k \"a\n",
            "put k \\",
            "put k <<E",
            "put k <<E\na",
            "put k <<-'E';get a\na\n",
        ] {
            assert!(is_unfinished(text), "{text:?}");
        }
        for text in [
            "",
            "get a",
            "get a # it's",
            "get a;# it's",
            "get \\\n# it's",
            "put k 'a\nb'",
            "put k <<E\na'\nE",
            "put k <<<'E'",
            "get a\\\\",
            "put k <<E\na\nE\nget 'a'",
        ] {
            assert!(!is_unfinished(text), "{text:?}");
        }
    }

    #[test]
    fn texts_are_split_where_lines_end() {
        let text = "get a; get 'b;c'\n\nput k <<EOF; get z\nx;y\nEOF\n# a; b\nget d";
        assert_eq!(
            statements(text),
            ["get a", " get 'b;c'", "", "put k <<EOF\nx;y\nEOF", " get z", "# a; b", "get d"]
        );
        assert_eq!(statements("put k <<E\na;b\nE\nget k"), ["put k <<E\na;b\nE", "get k"]);
        assert_eq!(statements("put k <<<'a;b'; get k"), ["put k <<<'a;b'", " get k"]);
        assert!(statements("").is_empty());
    }
}
