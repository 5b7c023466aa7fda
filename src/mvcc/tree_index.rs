//! The key index: every key that has a kept revision, in order.
//!
//! What it is: a sorted map from key to [`KeyIndex`]. What it is not: the values.
//! Invariants: no entry is empty.
//! Source: etcd `server/storage/mvcc/index.go`.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::key_index::{Discontinuous, Found, Kept, KeyIndex};
use super::key_range::KeyRange;
use crate::mvcc::{Revision, Row};

/// Every key in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TreeIndex {
    keys: BTreeMap<Bytes, KeyIndex>,
}

impl TreeIndex {
    pub(super) fn key(&self, key: &[u8]) -> Option<&KeyIndex> {
        self.keys.get(key)
    }

    /// Every key with its history, in key order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Bytes, &KeyIndex)> {
        self.keys.iter()
    }

    pub(super) fn get(&self, key: &[u8], at: i64) -> Option<Found> {
        self.keys.get(key)?.get(at)
    }

    /// The keys of `range` that a read at `at` sees, in key order.
    pub(super) fn visible(
        &self,
        range: &KeyRange,
        at: i64,
    ) -> impl Iterator<Item = (&Bytes, Found)> {
        let bounds = range.bounds();
        bounds
            .into_iter()
            .flat_map(|bounds| self.keys.range::<[u8], _>(bounds))
            .filter_map(move |(key, index)| index.get(at).map(|found| (key, found)))
    }

    pub(super) fn put(&mut self, key: &Bytes, revision: Revision) -> Found {
        self.keys.entry(key.clone()).or_default().put(revision)
    }

    /// Ends the key's life; false if it has none.
    pub(super) fn tombstone(&mut self, key: &[u8], revision: Revision) -> bool {
        self.keys.get_mut(key).is_some_and(|index| index.tombstone(revision))
    }

    /// Takes the newest change of `key` back.
    pub(super) fn undo(&mut self, key: &[u8], revision: Revision) {
        self.change(key, |index| index.undo(revision));
    }

    pub(super) fn restore(&mut self, row: &Row, compacted: i64) -> Result<(), Discontinuous> {
        let index = self.keys.entry(row.kv.key.clone()).or_default();
        if row.is_tombstone {
            return index.restore_tombstone(row.revision, compacted);
        }
        let put = Found {
            revision: row.revision,
            create_revision: row.kv.create_revision,
            version: row.kv.version,
        };
        index.restore_put(put, compacted)
    }

    pub(super) fn keep(&self, key: &[u8], at: i64) -> Option<Kept> {
        self.keys.get(key)?.keep(at)
    }

    /// Some key is alive at `at`.
    /// How many keys exist at `at`.
    pub(super) fn count_visible(&self, at: i64) -> u64 {
        let visible = self.iter().filter(|(_, index)| index.get(at).is_some());
        u64::try_from(visible.count()).unwrap_or(u64::MAX)
    }

    pub(super) fn is_any_visible(&self, at: i64) -> bool {
        self.keys.values().any(|index| index.get(at).is_some())
    }

    /// A compaction at `at` keeps something.
    pub(super) fn is_any_kept(&self, at: i64) -> bool {
        self.keys.values().any(|index| index.keep(at).is_some())
    }

    pub(super) fn compact_key(&mut self, key: &[u8], at: i64) {
        self.change(key, |index| index.compact(at));
    }

    fn change(&mut self, key: &[u8], change: impl FnOnce(&mut KeyIndex)) {
        if let Some(index) = self.keys.get_mut(key) {
            change(index);
            if index.is_empty() {
                self.keys.remove(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &'static str) -> Bytes {
        Bytes::from_static(text.as_bytes())
    }

    fn keys(index: &TreeIndex, key: &'static str, end: &'static str, at: i64) -> Vec<Bytes> {
        let range = KeyRange::new(&bytes(key), &bytes(end));
        index.visible(&range, at).map(|(key, _)| key.clone()).collect()
    }

    #[test]
    fn range_sees_the_keys_of_its_revision_in_order() {
        let mut index = TreeIndex::default();
        index.put(&bytes("foo"), Revision::new(2, 0));
        index.put(&bytes("foo2"), Revision::new(3, 0));
        index.put(&bytes("foo1"), Revision::new(4, 0));
        assert!(index.tombstone(b"foo2", Revision::new(5, 0)));
        assert_eq!(keys(&index, "foo", "\0", 5), ["foo", "foo1"]);
        assert_eq!(keys(&index, "foo", "\0", 4), ["foo", "foo1", "foo2"]);
        assert_eq!(keys(&index, "foo", "\0", 3), ["foo", "foo2"]);
        assert_eq!(keys(&index, "foo1", "foo2", 5), ["foo1"]);
        assert_eq!(keys(&index, "foo1", "", 3), Vec::<Bytes>::new());
        assert_eq!(keys(&index, "z", "a", 5), Vec::<Bytes>::new());
    }

    #[test]
    fn compaction_forgets_dead_keys_and_undo_forgets_new_ones() {
        let mut index = TreeIndex::default();
        index.put(&bytes("a"), Revision::new(2, 0));
        assert!(index.tombstone(b"a", Revision::new(3, 0)));
        assert!(!index.tombstone(b"a", Revision::new(4, 0)));
        index.compact_key(b"a", 3);
        assert!(index.key(b"a").is_some());
        index.compact_key(b"a", 4);
        assert!(index.key(b"a").is_none());
        index.put(&bytes("b"), Revision::new(4, 0));
        index.undo(b"b", Revision::new(4, 0));
        assert_eq!(index, TreeIndex::default());
    }
}
