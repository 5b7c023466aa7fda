//! Log entries and their sizes.
//!
//! What it is: one entry, its payload size and its encoded size, and the rule that cuts a batch.
//! What it is not: the log (see `log`).
//! Invariants: a batch limit always lets the first entry through.
//! Source: behaviour of etcd-io/raft `util.go`; the encoded size is that of etcd's protobuf entry,
//! so that limits mean the same bytes.

use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::types::{Index, Term};

/// What an entry carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EntryType {
    /// Bytes of the application, or nothing.
    #[default]
    Normal,
    /// A change of one member.
    ConfChange,
    /// A change of any number of members.
    ConfChangeV2,
}

impl fmt::Display for EntryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Normal => "EntryNormal",
            Self::ConfChange => "EntryConfChange",
            Self::ConfChangeV2 => "EntryConfChangeV2",
        })
    }
}

/// One entry of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The term in which a leader appended it.
    pub term: Term,
    /// Its position.
    pub index: Index,
    /// What it carries.
    pub entry_type: EntryType,
    /// The bytes.
    pub data: Bytes,
}

/// A position in the log together with the term there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryId {
    /// The term of the entry.
    pub term: Term,
    /// Its index.
    pub index: Index,
}

/// Bytes of a protobuf variable-length integer.
fn varint_size(value: u64) -> u64 {
    u64::from((64 - (value | 1).leading_zeros()).div_ceil(7))
}

impl Entry {
    /// A normal entry that carries `data`; term and index are set when it is appended.
    #[must_use]
    pub fn normal(data: Bytes) -> Self {
        Self { data, ..Self::default() }
    }

    /// The bytes of the application in it. Unit: bytes.
    #[must_use]
    pub fn payload_size(&self) -> u64 {
        self.data.len() as u64
    }

    /// The size of the whole entry as etcd encodes it. Unit: bytes.
    #[must_use]
    pub fn encoded_size(&self) -> u64 {
        let length = self.payload_size();
        let data = if length == 0 { 0 } else { 1 + varint_size(length) + length };
        // One tag byte each for type, term and index; the type fits one byte.
        2 + (1 + varint_size(self.term.0)) + (1 + varint_size(self.index.0)) + data
    }

    /// Term and index together.
    #[must_use]
    pub fn id(&self) -> EntryId {
        EntryId { term: self.term, index: self.index }
    }
}

/// The payload bytes of all entries.
#[must_use]
pub(crate) fn payload_sizes(entries: &[Entry]) -> u64 {
    entries.iter().map(Entry::payload_size).sum()
}

/// The encoded bytes of all entries.
#[must_use]
pub(crate) fn encoded_sizes(entries: &[Entry]) -> u64 {
    entries.iter().map(Entry::encoded_size).sum()
}

/// How many of the first entries fit into `size_max` encoded bytes; at least one if there is one.
#[must_use]
pub(crate) fn count_within(entries: &[Entry], size_max: u64) -> usize {
    if size_max == u64::MAX {
        return entries.len();
    }
    let mut total = 0u64;
    for (position, entry) in entries.iter().enumerate() {
        total = total.saturating_add(entry.encoded_size());
        if position > 0 && total > size_max {
            return position;
        }
    }
    entries.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(index: u64, length: usize) -> Entry {
        Entry {
            term: Term(1),
            index: Index(index),
            data: vec![7; length].into(),
            ..Entry::default()
        }
    }

    #[test]
    fn sizes_are_those_of_the_protobuf_entry() {
        assert_eq!(entry(1, 0).encoded_size(), 6);
        assert_eq!(entry(127, 1).encoded_size(), 9);
        assert_eq!(entry(128, 200).encoded_size(), 2 + 2 + 3 + 1 + 2 + 200);
        assert_eq!(entry(1, 0).payload_size(), 0);
    }

    #[test]
    fn a_limit_lets_the_first_entry_through() {
        let entries = [entry(1, 100), entry(2, 100), entry(3, 100)];
        assert_eq!(count_within(&entries, 0), 1);
        assert_eq!(count_within(&entries, 2 * entry(1, 100).encoded_size()), 2);
        assert_eq!(count_within(&entries, u64::MAX), 3);
        assert_eq!(count_within(&[], 0), 0);
    }
}
