//! Compares what was printed with what was recorded.
//!
//! Placeholders such as `<RAFT_TERM>` stand for values that differ between runs; blanks in table rows
//! are reduced to one, as they were in the recording.

/// One piece of a recorded text.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    /// Anything a placeholder may stand for.
    Any,
}

/// Placeholders that the caller does not fill in.
const OPEN: [&str; 16] = [
    "RAFT_TERM",
    "RAFT_INDEX",
    "DB_SIZE",
    "SIZE",
    "PCT",
    "HASH",
    "KEYS",
    "DURATION",
    "TTL",
    "TS",
    "PTR",
    "PORT",
    "LEASE",
    "MEMBER_ANY",
    "STACK",
    "RULE",
];

/// Longest text a placeholder stands for. Unit: bytes.
const ANY_BYTES_MAX: usize = 48;

fn pieces(pattern: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut text_from = 0;
    let mut at = 0;
    while let Some(open) = pattern[at..].find('<').map(|offset| at + offset) {
        let end = pattern[open..].find('>').map(|offset| open + offset);
        let name = end.map(|end| &pattern[open + 1..end]).unwrap_or_default();
        if OPEN.iter().any(|known| name.starts_with(known)) {
            found.push(Piece::Text(&pattern[text_from..open]));
            found.push(Piece::Any);
            at = open + name.len() + 2;
            text_from = at;
        } else {
            at = open + 1;
        }
    }
    found.push(Piece::Text(&pattern[text_from..]));
    found
}

fn fits(pieces: &[Piece<'_>], text: &str) -> bool {
    match pieces {
        [] => text.is_empty(),
        [Piece::Text(expected), rest @ ..] => {
            text.strip_prefix(expected).is_some_and(|text| fits(rest, text))
        }
        [Piece::Any, rest @ ..] => {
            let may_stand = |c: char| c.is_alphanumeric() || ".%µ -+/:".contains(c);
            let ends = text
                .char_indices()
                .take_while(|(at, c)| *at < ANY_BYTES_MAX && may_stand(*c))
                .map(|(at, c)| at + c.len_utf8());
            ends.into_iter().any(|end| fits(rest, &text[end..]))
        }
    }
}

fn reduce_rows(text: &str) -> String {
    let reduce = |line: &str| {
        if !line.contains('│') {
            return line.to_owned();
        }
        line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let lines: Vec<String> = text.split('\n').map(reduce).collect();
    lines.join("\n")
}

/// True if `actual` is what `recorded` says.
pub(crate) fn is_like(recorded: &str, actual: &str) -> bool {
    let (recorded, actual) = (reduce_rows(recorded), reduce_rows(actual));
    recorded.split('\n').count() == actual.split('\n').count()
        && recorded
            .split('\n')
            .zip(actual.split('\n'))
            .all(|(pattern, line)| fits(&pieces(pattern), line))
}

/// The lines in order, where the recording leaves their order open.
pub(crate) fn sorted(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

#[test]
fn placeholders_stand_for_values_and_nothing_else() {
    assert!(is_like("term <RAFT_TERM>, <b>", "term 12, <b>"));
    assert!(!is_like("term <RAFT_TERM>, x", "term , x"));
    assert!(!is_like("term <RAFT_TERM>, x", "term 12, y"));
    assert!(is_like("│ <SIZE> │ a │", "│   20 kB │    a │"));
    assert!(!is_like("a\nb", "a\nb\n"));
}
