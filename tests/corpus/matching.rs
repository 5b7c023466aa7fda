//! Compares what was printed with what was recorded.
//!
//! Placeholders such as `<RAFT_TERM>` stand for values that differ between runs; `<LEASE_1>` and `<MEMBER_2>` stand
//! for one id each, which is learned where it is first printed. Blanks in table rows are reduced to one, as they were
//! in the recording.

use std::collections::BTreeMap;

use etcd_playground::etcdctl::NOTICE_PREFIX;

/// Ids by their placeholders.
pub(crate) type Ids = BTreeMap<String, u64>;

/// One piece of a recorded text.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    /// Anything a placeholder may stand for.
    Any,
    /// The id of this name.
    Id {
        name: &'a str,
        is_decimal: bool,
    },
}

/// Placeholders that stand for anything.
const OPEN: [&str; 18] = [
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
    "MEMBER_ANY",
    "STACK",
    "RULE",
    "TABLE_HEADER",
    "GOROUTINE_TRACE",
    "VERSION",
];

/// Longest text a placeholder stands for. Unit: bytes.
const ANY_BYTES_MAX: usize = 48;

/// The kind of the placeholder with this name, if it is one.
fn placeholder(name: &str) -> Option<Piece<'_>> {
    if OPEN.iter().any(|known| name.starts_with(known)) {
        return Some(Piece::Any);
    }
    let (plain, is_decimal) = match name.strip_suffix("_DEC") {
        Some(plain) => (plain, true),
        None => (name, false),
    };
    let number = plain.strip_prefix("LEASE_").or_else(|| plain.strip_prefix("MEMBER_"));
    let is_numbered = number
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    (is_numbered || plain == "CLUSTER_ID").then_some(Piece::Id { name: plain, is_decimal })
}

fn pieces(pattern: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut text_from = 0;
    let mut at = 0;
    while let Some(open) = pattern[at..].find('<').map(|offset| at + offset) {
        let end = pattern[open..].find('>').map(|offset| open + offset);
        let name = end.map(|end| &pattern[open + 1..end]).unwrap_or_default();
        match placeholder(name) {
            Some(piece) => {
                found.push(Piece::Text(&pattern[text_from..open]));
                found.push(piece);
                at = open + name.len() + 2;
                text_from = at;
            }
            None => at = open + 1,
        }
    }
    found.push(Piece::Text(&pattern[text_from..]));
    found
}

/// Tries the pieces; learns ids on the way if all of them fit.
fn fits(pieces: &[Piece<'_>], text: &str, ids: &mut Ids) -> bool {
    match pieces {
        [] => text.is_empty(),
        [Piece::Text(expected), rest @ ..] => {
            text.strip_prefix(expected).is_some_and(|text| fits(rest, text, ids))
        }
        [Piece::Any, rest @ ..] => {
            let may_stand = |c: char| c.is_alphanumeric() || ".%µ -+/:".contains(c);
            let ends = text
                .char_indices()
                .take_while(|(at, c)| *at < ANY_BYTES_MAX && may_stand(*c))
                .map(|(at, c)| at + c.len_utf8());
            ends.into_iter().any(|end| fits(rest, &text[end..], ids))
        }
        [Piece::Id { name, is_decimal }, rest @ ..] => {
            let base = if *is_decimal { 10 } else { 16 };
            let text = if *is_decimal { text } else { unpadded(text) };
            let end = text.find(|c: char| !c.is_digit(base)).unwrap_or(text.len());
            let Ok(id) = u64::from_str_radix(&text[..end], base) else { return false };
            match ids.get(*name) {
                Some(known) => *known == id && fits(rest, &text[end..], ids),
                None => {
                    ids.insert((*name).to_owned(), id);
                    let is_fit = fits(rest, &text[end..], ids);
                    if !is_fit {
                        ids.remove(*name);
                    }
                    is_fit
                }
            }
        }
    }
}

/// Without the blanks that fill an id up to 16 places, where it is shorter than the recorded one.
fn unpadded(text: &str) -> &str {
    let id = text.trim_start_matches(' ');
    let digits = id.bytes().take_while(u8::is_ascii_hexdigit).count();
    if text.len() - id.len() + digits == 16 { id } else { text }
}

fn reduce_rows(text: &str) -> String {
    let reduce = |line: &str| {
        if line.contains('─') {
            // How wide a column is depends on what stands for a placeholder.
            let parts = line.split('─').filter(|part| !part.is_empty());
            return parts.collect::<Vec<_>>().join("─");
        }
        if !line.contains('│') {
            return line.to_owned();
        }
        line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let lines: Vec<String> = text.split('\n').map(reduce).collect();
    lines.join("\n")
}

/// Both texts with keys in base64 decoded, where the recording says what such a key is made of.
pub(crate) fn with_plain_keys(recorded: &str, actual: &str) -> (String, String) {
    use base64::Engine as _;
    const MARK: &str = "<B64 of ";
    const KEY: &str = "\"key\":\"";
    if !recorded.contains(MARK) {
        return (recorded.to_owned(), actual.to_owned());
    }
    let recorded = recorded.replace(MARK, "").replace(">>", ">");
    let mut plain = String::new();
    for (number, part) in actual.split(KEY).enumerate() {
        if number == 0 {
            plain.push_str(part);
            continue;
        }
        let (key, rest) = part.split_once('"').unwrap_or((part, ""));
        let key = base64::engine::general_purpose::STANDARD.decode(key).unwrap_or_default();
        plain.push_str(&format!("{KEY}{}\"{rest}", String::from_utf8_lossy(&key)));
    }
    (recorded, plain)
}

/// True if `actual` is what `recorded` says.
pub(crate) fn is_like(recorded: &str, actual: &str, ids: &mut Ids) -> bool {
    let (recorded, actual) = (reduce_rows(recorded), reduce_rows(actual));
    recorded.split('\n').count() == actual.split('\n').count()
        && recorded
            .split('\n')
            .zip(actual.split('\n'))
            .all(|(pattern, line)| fits(&pieces(pattern), line, ids))
}

/// Every member of a list on a line of its own.
fn unfolded(text: &str) -> String {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| {
            if line.starts_with("ETCD_INITIAL_CLUSTER=") {
                return line.replace("=\"", "=\n").replace([',', '"'], "\n");
            }
            line.replace("\"members\":[", "\"members\":[\n")
                .replace("},{", "}\n{")
                .replace("}]", "}\n]")
        })
        .collect();
    lines.join("\n")
}

/// As [`is_like`], where the recording leaves the order of lines and members open.
pub(crate) fn is_like_in_any_order(recorded: &str, actual: &str, ids: &mut Ids) -> bool {
    let (recorded, actual) = (unfolded(&reduce_rows(recorded)), unfolded(&reduce_rows(actual)));
    let mut left: Vec<&str> = actual.split('\n').collect();
    let mut patterns: Vec<&str> = recorded.split('\n').collect();
    if patterns.len() != left.len() {
        return false;
    }
    // Lines with ids that are not known yet come last: the others are found for certain.
    patterns.sort_by_key(|pattern| {
        let strange =
            |piece: &Piece<'_>| matches!(piece, Piece::Id { name, .. } if !ids.contains_key(*name));
        pieces(pattern).iter().filter(|piece| strange(piece)).count()
    });
    patterns.into_iter().all(|pattern| {
        let found = left.iter().position(|line| fits(&pieces(pattern), line, ids));
        found.map(|at| left.swap_remove(at)).is_some()
    })
}

/// Without the page's own lines.
pub(crate) fn without_notices(stderr: &[u8]) -> Vec<u8> {
    let lines = stderr.split_inclusive(|byte| *byte == b'\n');
    lines.filter(|line| !line.starts_with(NOTICE_PREFIX.as_bytes())).flatten().copied().collect()
}

/// Without our usage text, which stands after the error or, in a transaction, before it.
pub(crate) fn without_usage(stderr: &[u8]) -> Vec<u8> {
    let mut is_usage = false;
    let lines = stderr.split_inclusive(|byte| *byte == b'\n').filter(|line| {
        if line.starts_with(b"Usage:") {
            is_usage = true;
        } else if line.starts_with(b"Error: ") {
            is_usage = false;
        }
        !is_usage
    });
    lines.flatten().copied().collect()
}

#[test]
fn placeholders_stand_for_values_and_nothing_else() {
    let mut ids = Ids::new();
    let mut like = |recorded, actual| is_like(recorded, actual, &mut ids);
    assert!(like("term <RAFT_TERM>, <b>", "term 12, <b>"));
    assert!(!like("term <RAFT_TERM>, x", "term , x"));
    assert!(!like("term <RAFT_TERM>, x", "term 12, y"));
    assert!(like("│ <SIZE> │ a │", "│   20 kB │    a │"));
    assert!(!like("a\nb", "a\nb\n"));
}

#[test]
fn ids_are_learned_once() {
    let mut ids = Ids::new();
    assert!(!is_like("lease <LEASE_1> granted!", "lease 00ff granted", &mut ids));
    assert!(ids.is_empty(), "nothing is learned from what does not fit");
    assert!(is_like("lease <LEASE_1> granted", "lease 00ff granted", &mut ids));
    assert!(is_like("\"ID\":<LEASE_1_DEC>}", "\"ID\":255}", &mut ids));
    assert!(!is_like("<LEASE_1>", "00fe", &mut ids));
    assert!(is_like("Member <MEMBER_3> added", "Member   12345678901234 added", &mut ids));
    assert!(!is_like("Member <MEMBER_3> added", "Member  12345678901234 added", &mut ids));
    let recorded = "<MEMBER_1>, a\n<MEMBER_2>, b\n{\"members\":[{\"ID\":<MEMBER_1_DEC>},{\"ID\":<MEMBER_2_DEC>}]}";
    let actual = "2, b\n1, a\n{\"members\":[{\"ID\":2},{\"ID\":1}]}";
    assert!(is_like_in_any_order(recorded, actual, &mut ids));
    assert_eq!(ids.get("MEMBER_2"), Some(&2));
    assert!(!is_like_in_any_order(recorded, &actual.replace('b', "a"), &mut ids));
}
