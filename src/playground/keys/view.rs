//! What the view of the keys is told, and what it asks for.
//!
//! What it is: plain structs and [`KeysEvent`]; they travel between the page and the program `insight` as postcard.
//! What it is not: words; the program makes the sentences, in its language.
//! Invariants: names and values that are texts are escaped; of a list only what can be seen is in a view.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::types::LeaseId;

/// One of the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// The keys, or the keys of a revision.
    Keys,
    /// The revisions of the chosen key.
    Ribbon,
}

/// What a person does with the keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeysEvent {
    /// Only those that contain this.
    Filter(String),
    /// Grouped by prefix, or one after the other.
    Group(bool),
    /// Also keys that do not exist any more.
    ShowDeleted(bool),
    /// This folder the other way: open or closed.
    Toggle(Bytes),
    /// A key, or none.
    Select(Option<Bytes>),
    /// So many rows down in a list, or up.
    Step(Part, i64),
    /// Right and left in the tree: open or into, close or out of.
    Turn(bool),
    /// These rows of a list can be seen: the first, and the one after the last.
    See(Part, u64, u64),
    /// A revision of the chosen key.
    Choose(i64),
    /// The revision it is compared with, or none.
    Compare(Option<i64>),
    /// The chosen revision is compared with the one before it.
    CompareBefore,
    /// The key space at a revision.
    LookAt(i64),
    /// The key space now.
    LookAtNow,
}

/// What a folder of keys holds, where keys are named as Kubernetes names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Folder {
    /// Nothing special.
    #[default]
    Plain,
    /// All that Kubernetes keeps.
    Kubernetes,
    /// An API group.
    Group,
    /// A resource.
    Resource,
    /// A namespace.
    Namespace,
}

/// A row of the list of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRow {
    /// The key itself, or the prefix.
    pub key: Bytes,
    /// What is shown of it.
    pub name: String,
    /// How deep it stands in the tree, from 0.
    pub depth: u32,
    /// It is a prefix: what it holds, and whether that is shown.
    pub folder: Option<(Folder, bool)>,
    /// How many revisions of it are known; of a folder: how many keys it holds.
    pub count: u64,
    /// The revision that changed it last.
    pub mod_revision: i64,
    /// It does not exist any more.
    pub is_deleted: bool,
    /// It is chosen.
    pub is_selected: bool,
}

/// A key as it was at a revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastRow {
    /// The key itself.
    pub key: Bytes,
    /// The key as shown.
    pub name: String,
    /// Its value then, as shown.
    pub value: String,
    /// The revision that had changed it last.
    pub mod_revision: i64,
    /// Its version then; 0 if it had been deleted.
    pub version: i64,
    /// It was changed by exactly this revision.
    pub is_fresh: bool,
    /// It is chosen.
    pub is_selected: bool,
}

/// A part of a list: what can be seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// The place of the first one, from 0.
    pub first: u64,
    /// How many there are.
    pub count: u64,
    /// The row that the keys of the keyboard move.
    pub at: Option<u64>,
}

impl<T> Default for Slice<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), first: 0, count: 0, at: None }
    }
}

/// How the reading of an old key space goes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading {
    /// So many keys are read.
    #[default]
    Going,
    /// All are.
    Done,
    /// It failed; etcd's text, or the page's.
    Failed(String),
}

/// The key space as it was at a revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastView {
    /// The revision.
    pub revision: i64,
    /// How far it is read.
    pub reading: Reading,
    /// The keys, with those that had been deleted.
    pub list: Slice<PastRow>,
    /// How many are read.
    pub read: u64,
    /// How many existed.
    pub existing: u64,
}

/// A row of the ribbon of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevisionRow {
    /// Here everything below is compacted: no revision, but a line between two.
    pub is_edge: bool,
    /// The revision that made it.
    pub mod_revision: i64,
    /// Its version; 0 for a delete.
    pub version: i64,
    /// The lease it hangs on.
    pub lease: LeaseId,
    /// Its value as shown.
    pub value: String,
    /// It is a tombstone.
    pub is_delete: bool,
    /// It created its generation.
    pub is_first: bool,
    /// Nothing newer belongs to its generation.
    pub is_last: bool,
    /// It lies below the compacted revision.
    pub is_compacted: bool,
    /// It lies there and is the key's value at the compacted revision, which can still be read.
    pub is_surviving: bool,
    /// It is chosen.
    pub is_chosen: bool,
    /// The chosen one is compared with it.
    pub is_compared: bool,
}

/// A revision with its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueView {
    /// The revision that made it.
    pub mod_revision: i64,
    /// The revision that created this generation.
    pub create_revision: i64,
    /// Its version.
    pub version: i64,
    /// The lease it hangs on.
    pub lease: LeaseId,
    /// The value, as much as is kept.
    pub value: Bytes,
    /// Its whole length.
    pub value_len: u64,
    /// It is a tombstone.
    pub is_delete: bool,
}

/// The view as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeysView {
    /// The keys that match the filter.
    pub list: Slice<KeyRow>,
    /// How many keys match.
    pub matching: u64,
    /// How many are known.
    pub total: u64,
    /// What the keys must contain.
    pub filter: String,
    /// They are grouped by prefix.
    pub is_grouped: bool,
    /// Keys that do not exist any more are shown.
    pub shows_deleted: bool,
    /// The chosen key.
    pub selected: Option<Bytes>,
    /// Its revisions, newest first.
    pub ribbon: Slice<RevisionRow>,
    /// How many of its oldest ones were dropped here.
    pub dropped: u64,
    /// The newest revision of the chosen key.
    pub newest: i64,
    /// The chosen revision.
    pub chosen: Option<ValueView>,
    /// The one it is compared with.
    pub compared: Option<ValueView>,
    /// The key space in the past, if one is looked at.
    pub past: Option<PastView>,
    /// History below this is compacted; 0 if none is.
    pub compact_revision: i64,
    /// The revision the history is complete up to.
    pub revision: i64,
    /// The watch is open.
    pub is_live: bool,
    /// The members do not let the page read: there are users, and it is none of them.
    pub is_refused: bool,
    /// How many revisions were dropped because there were too many, all keys together.
    pub all_dropped: u64,
}
