//! Tab completion of the line being written.
//!
//! What it is: the longest text that all candidates for the last word share.
//! What it is not: a menu; a second Tab changes nothing.
//! Invariants: the line is only ever extended; a key is offered only if it needs no quotes.

use bytes::Bytes;

use crate::etcdctl;
use crate::scenario::verb;
use crate::types::SmallSet;

/// The line with its last word completed as far as is certain.
pub(super) fn complete<'a>(
    draft: &str,
    members: impl Iterator<Item = &'a str>,
    keys: impl Iterator<Item = &'a Bytes>,
) -> String {
    let start = draft.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let (before, word) = draft.split_at(start);
    let mut words: Vec<&str> = before.split_whitespace().collect();
    if words.first() == Some(&"etcdctl") {
        words.remove(0);
    }
    let candidates = candidates(&words, word, members, keys);
    let fitting: Vec<&String> =
        candidates.iter().filter(|candidate| candidate.starts_with(word)).collect();
    let Some(first) = fitting.first() else { return draft.to_owned() };
    let shared = fitting.iter().fold(first.as_str(), |shared, candidate| common(shared, candidate));
    if shared.len() <= word.len() && fitting.len() > 1 {
        return draft.to_owned();
    }
    let end = if fitting.len() == 1 && !shared.ends_with('/') { " " } else { "" };
    format!("{before}{shared}{end}")
}

fn candidates<'a>(
    words: &[&str],
    word: &str,
    members: impl Iterator<Item = &'a str>,
    keys: impl Iterator<Item = &'a Bytes>,
) -> Vec<String> {
    let Some(first) = words.first() else {
        let names: SmallSet<String> = etcdctl::command_names()
            .into_iter()
            .filter(|name| !name.contains(' '))
            .chain(verb::NAMES.iter().map(|name| (*name).to_owned()))
            .collect();
        return names.into_iter().collect();
    };
    if verb::NAMES.contains(first) {
        return members.chain(["leader", "follower", "killed", "all"]).map(str::to_owned).collect();
    }
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let command = [plain.get(..2), plain.get(..1)]
        .into_iter()
        .flatten()
        .map(|words| words.join(" "))
        .find(|name| etcdctl::command_flags(name).is_some())
        .unwrap_or_default();
    if word.starts_with('-') {
        let flags = etcdctl::command_flags(&command).unwrap_or_default();
        return flags.iter().map(|flag| format!("--{}", flag.name)).collect();
    }
    let below = format!("{command} ");
    let mut found: Vec<String> = etcdctl::command_names()
        .into_iter()
        .filter_map(|name| Some(name.strip_prefix(&below)?.to_owned()))
        .collect();
    if found.is_empty() {
        found = keys
            .filter_map(|key| std::str::from_utf8(key).ok())
            .filter(|key| key.chars().all(is_plain))
            .map(str::to_owned)
            .collect();
    }
    found
}

fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "/._-:@+,=".contains(character)
}

/// The longest common beginning, in whole characters.
fn common<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one
        .char_indices()
        .zip(other.chars())
        .find(|((_, left), right)| left != right)
        .map(|((at, _), _)| at)
        .unwrap_or(one.len().min(other.len()));
    one.get(..same).unwrap_or(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(draft: &str) -> String {
        let keys: Vec<Bytes> =
            ["/registry/pods/a", "/registry/pods/b", "spaced key", "/x"].map(Bytes::from).into();
        complete(draft, ["infra1", "infra2"].into_iter(), keys.iter())
    }

    #[test]
    fn commands_verbs_flags_members_and_keys_are_completed_as_far_as_certain() {
        assert_eq!(done("endp"), "endpoint ");
        assert_eq!(done("etcdctl endpoint st"), "etcdctl endpoint status ");
        assert_eq!(done("kill inf"), "kill infra");
        assert_eq!(done("kill le"), "kill leader ");
        assert_eq!(done("get /r"), "get /registry/pods/");
        assert_eq!(done("get /x"), "get /x ");
        assert_eq!(done("get foo --keys"), "get foo --keys-only ");
    }

    #[test]
    fn what_is_unknown_or_ambiguous_is_left_alone() {
        assert_eq!(done("frobnicate"), "frobnicate");
        assert_eq!(done("get sp"), "get sp");
        assert_eq!(done("get /registry/pods/"), "get /registry/pods/");
        assert_eq!(done("get 日本"), "get 日本");
    }
}
