//! Finding an entry by a message that was pasted, or by words.
//!
//! What it is: a message has fixed pieces and values between them; what was pasted is that message if it has the pieces in
//! order, whatever stands around and between them: a whole line of a log, too.
//! What it is not: a guess at misspelled words.
//! Invariants: the more of a text an entry explains, the earlier it comes; time is bounded by text times pieces.

use super::ErrorEntry;

/// Fewer characters than that tell nothing. Source: ours; the shortest message has more.
const FORM_MIN: usize = 8;

/// In small letters, with one blank where there are several, and without what escapes quotes in a log.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        let letters = word.chars().filter(|letter| *letter != '\\');
        plain.extend(letters.flat_map(char::to_lowercase));
    }
    plain
}

/// How many characters of the text the pieces explain; nothing if they are not there in order.
fn explained(pieces: &[String], text: &str) -> Option<usize> {
    let mut rest = text;
    let mut length = 0;
    for piece in pieces {
        let piece = plain(piece);
        let at = rest.find(&piece)?;
        rest = rest.get(at + piece.len()..).unwrap_or_default();
        length += piece.len();
    }
    (length >= FORM_MIN).then_some(length)
}

/// The entries whose message stands in a text, those first that explain most of it.
pub(super) fn of_message<'list>(
    entries: &'list [ErrorEntry],
    text: &str,
) -> Vec<&'list ErrorEntry> {
    let text = plain(text);
    let weight =
        |entry: &ErrorEntry| entry.forms.iter().filter_map(|form| explained(form, &text)).max();
    let mut found: Vec<(usize, &ErrorEntry)> =
        entries.iter().filter_map(|entry| Some((weight(entry)?, entry))).collect();
    found.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    found.into_iter().map(|(_, entry)| entry).collect()
}

/// A word as entries have it: gRPC codes are written `OUT_OF_RANGE` in Java and `StatusCode.OUT_OF_RANGE` in Python.
fn bare(word: &str) -> String {
    word.strip_prefix("statuscode.").unwrap_or(word).replace('_', "")
}

/// True if every word stands somewhere in what an entry says of itself.
pub(super) fn has_words(entry: &ErrorEntry, area: &str, query: &str) -> bool {
    let all = [
        &entry.printed,
        &entry.message,
        &entry.name,
        &entry.code,
        &entry.about,
        &entry.about_zh,
        area,
    ];
    let all = plain(&all.join(" "));
    plain(query).split(' ').all(|word| all.contains(word) || all.contains(&bare(word)))
}
