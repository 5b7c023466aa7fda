//! How messages, entries and `Ready` are printed: etcd's own lines.
//!
//! What it is: text for people and for comparing with etcd's scripts.
//! What it is not: parsed by anybody.
//! Invariants: 0 stands for nobody, as in etcd.
//! Source: the transcripts of etcd-io/raft `testdata/`.

use std::fmt::Write as _;

use super::conf_change::{ConfChange, ConfChangeV2};
use super::entry::{Entry, EntryType};
use super::message::{LOCAL_APPEND_THREAD, LOCAL_APPLY_THREAD, Message};
use super::ready::Ready;
use super::state::{ConfState, HardState, Snapshot, SoftState};
use super::storage::Storage;
use crate::types::{Index, MemberId};

fn member(id: Option<MemberId>) -> u64 {
    id.unwrap_or_default().0
}

fn target(id: MemberId) -> String {
    match id {
        LOCAL_APPEND_THREAD => "AppendThread".to_owned(),
        LOCAL_APPLY_THREAD => "ApplyThread".to_owned(),
        other => format!("{other:x}"),
    }
}

/// Bytes in double quotes, escaped as Go's `%q` does.
#[must_use]
pub fn quote(bytes: &[u8]) -> String {
    let mut shown = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '"' => shown.push_str("\\\""),
                '\\' => shown.push_str("\\\\"),
                '\n' => shown.push_str("\\n"),
                '\r' => shown.push_str("\\r"),
                '\t' => shown.push_str("\\t"),
                '\u{7}' => shown.push_str("\\a"),
                '\u{8}' => shown.push_str("\\b"),
                '\u{b}' => shown.push_str("\\v"),
                '\u{c}' => shown.push_str("\\f"),
                other if other.is_ascii_control() => {
                    let _ = write!(shown, "\\x{:02x}", u32::from(other));
                }
                other if other.is_control() => {
                    let _ = write!(shown, "\\u{:04x}", u32::from(other));
                }
                other => shown.push(other),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown.push('"');
    shown
}

/// One entry: `term/index type content`.
#[must_use]
pub fn describe_entry(entry: &Entry) -> String {
    let unreadable = |error: super::Error| error.to_string();
    let content = match entry.entry_type {
        EntryType::Normal => quote(&entry.data),
        EntryType::ConfChange => ConfChange::decode(&entry.data)
            .map_or_else(unreadable, |change| change.to_v2().describe_changes()),
        EntryType::ConfChangeV2 => ConfChangeV2::decode(&entry.data)
            .map_or_else(unreadable, |change| change.describe_changes()),
    };
    let gap = if content.is_empty() { "" } else { " " };
    format!("{}/{} {}{gap}{content}", entry.term, entry.index, entry.entry_type)
}

/// Entries, one per line.
#[must_use]
pub fn describe_entries(entries: &[Entry]) -> String {
    let mut shown = String::new();
    for entry in entries {
        let _ = writeln!(shown, "{}", describe_entry(entry));
    }
    shown
}

fn describe_ids(ids: &[MemberId]) -> String {
    let shown: Vec<String> = ids.iter().map(ToString::to_string).collect();
    format!("[{}]", shown.join(" "))
}

/// A configuration as stored.
#[must_use]
pub fn describe_conf_state(state: &ConfState) -> String {
    format!(
        "Voters:{} VotersOutgoing:{} Learners:{} LearnersNext:{} AutoLeave:{}",
        describe_ids(&state.voters),
        describe_ids(&state.voters_outgoing),
        describe_ids(&state.learners),
        describe_ids(&state.learners_next),
        state.auto_leave
    )
}

/// A snapshot without its bytes.
#[must_use]
pub fn describe_snapshot(snapshot: &Snapshot) -> String {
    let metadata = &snapshot.metadata;
    let state = describe_conf_state(&metadata.conf_state);
    format!("Index:{} Term:{} ConfState:{state}", metadata.index, metadata.term)
}

/// A hard state.
#[must_use]
pub fn describe_hard_state(state: &HardState) -> String {
    let vote = state.vote.map(|vote| format!(" Vote:{vote}")).unwrap_or_default();
    format!("Term:{}{vote} Commit:{}", state.term, state.commit)
}

/// A soft state.
#[must_use]
pub fn describe_soft_state(state: &SoftState) -> String {
    format!("Lead:{} State:{}", member(state.lead), state.role)
}

/// One message; several lines if it carries several entries, a snapshot or responses.
#[must_use]
pub fn describe_message(message: &Message) -> String {
    describe_message_at("", message)
}

fn describe_message_at(indent: &str, message: &Message) -> String {
    let (from, to) = (target(message.from), target(message.to));
    let kind = message.msg_type;
    let mut shown = format!(
        "{indent}{from}->{to} {kind} Term:{} Log:{}/{}",
        message.term, message.log_term, message.index
    );
    if message.reject {
        let _ = write!(shown, " Rejected (Hint: {})", message.reject_hint);
    }
    if message.commit != Index(0) {
        let _ = write!(shown, " Commit:{}", message.commit);
    }
    if let Some(vote) = message.vote {
        let _ = write!(shown, " Vote:{vote}");
    }
    match message.entries.as_slice() {
        [] => {}
        [only] => {
            let _ = write!(shown, " Entries:[{}]", describe_entry(only));
        }
        several => {
            shown.push_str(" Entries:[");
            for entry in several {
                let _ = write!(shown, "\n{indent}  {}", describe_entry(entry));
            }
            let _ = write!(shown, "\n{indent}]");
        }
    }
    if let Some(snapshot) = message.snapshot.as_ref().filter(|snapshot| !snapshot.is_empty()) {
        let _ = write!(shown, "\n{indent}  Snapshot: {}", describe_snapshot(snapshot));
    }
    if !message.responses.is_empty() {
        shown.push_str(" Responses:[");
        let deeper = format!("{indent}  ");
        for response in &message.responses {
            let _ = write!(shown, "\n{}", describe_message_at(&deeper, response));
        }
        let _ = write!(shown, "\n{indent}]");
    }
    shown
}

/// Everything a `Ready` holds, one thing per line.
#[must_use]
pub fn describe_ready(ready: &Ready) -> String {
    let mut shown = String::new();
    if let Some(state) = &ready.soft_state {
        let _ = writeln!(shown, "{}", describe_soft_state(state));
    }
    if let Some(state) = &ready.hard_state {
        let _ = writeln!(shown, "HardState {}", describe_hard_state(state));
    }
    if !ready.read_states.is_empty() {
        let states: Vec<String> = ready
            .read_states
            .iter()
            .map(|read| {
                let bytes: Vec<String> =
                    read.request_context.iter().map(ToString::to_string).collect();
                format!("{{{} [{}]}}", read.index, bytes.join(" "))
            })
            .collect();
        let _ = writeln!(shown, "ReadStates [{}]", states.join(" "));
    }
    if !ready.entries.is_empty() {
        let _ = write!(shown, "Entries:\n{}", describe_entries(&ready.entries));
    }
    if let Some(snapshot) = &ready.snapshot {
        let _ = writeln!(shown, "Snapshot {}", describe_snapshot(snapshot));
    }
    if !ready.committed_entries.is_empty() {
        let entries = describe_entries(&ready.committed_entries);
        let _ = write!(shown, "CommittedEntries:\n{entries}");
    }
    if !ready.messages.is_empty() {
        shown.push_str("Messages:\n");
        for message in &ready.messages {
            let _ = writeln!(shown, "{}", describe_message(message));
        }
    }
    if shown.is_empty() {
        return "<empty Ready>\n".to_owned();
    }
    format!("Ready MustSync={}:\n{shown}", ready.must_sync)
}

/// The stable log, one entry per line.
#[must_use]
pub fn describe_log(storage: &impl Storage) -> String {
    let (first, last) = (storage.first_index(), storage.last_index());
    if last < first {
        return format!("log is empty: first index={first}, last index={last}\n");
    }
    match storage.entries(first, last.next(), u64::MAX) {
        Ok(entries) => describe_entries(&entries),
        Err(error) => format!("{error}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_quoted_as_go_does() {
        assert_eq!(quote(b"foo"), "\"foo\"");
        assert_eq!(quote(b"a\"b\\c\n\x01\xff"), "\"a\\\"b\\\\c\\n\\x01\\xff\"");
        assert_eq!(quote("é".as_bytes()), "\"é\"");
    }
}
