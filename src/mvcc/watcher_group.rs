//! Finds the watches that want a key.
//!
//! What it is: watches of single keys by key, watches of ranges in a tree that knows where they end.
//! Invariants: a watcher is in it at most once.
//! Source: etcd `server/storage/mvcc/watcher_group.go` (there an interval tree as well).

use bytes::Bytes;

use super::key_range::KeyRange;
use super::range_tree::RangeTree;
use super::watcher::WatcherKey;
use crate::types::{BigMap, BigSet};

/// Watches by what they watch.
#[derive(Clone, Debug, Default)]
pub(super) struct WatcherGroup {
    keys: BigMap<Bytes, BigSet<WatcherKey>>,
    ranges: RangeTree,
}

impl WatcherGroup {
    pub(super) const fn new() -> Self {
        Self { keys: BigMap::new(), ranges: RangeTree::new() }
    }

    pub(super) fn insert(&mut self, range: &KeyRange, watcher: WatcherKey) {
        if range.is_one() {
            self.keys.get_or_insert_with(range.start.clone(), BigSet::new).insert(watcher);
        } else {
            self.ranges.insert(range, watcher);
        }
    }

    pub(super) fn remove(&mut self, range: &KeyRange, watcher: WatcherKey) {
        if !range.is_one() {
            self.ranges.remove(range, watcher);
        } else if let Some(watchers) = self.keys.get_mut(&range.start) {
            watchers.remove(&watcher);
            if watchers.is_empty() {
                self.keys.remove(&range.start);
            }
        }
    }

    /// Calls `found` for everybody who wants `key`, once each; the order means nothing.
    pub(super) fn each_wanting(&self, key: &[u8], mut found: impl FnMut(WatcherKey)) {
        if let Some(watchers) = self.keys.get(key) {
            watchers.iter().copied().for_each(&mut found);
        }
        self.ranges.each_containing(key, &mut found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mvcc::StreamId;
    use crate::types::WatchId;

    #[test]
    fn wanting_finds_keys_and_ranges_and_forgets_the_removed() {
        let watcher = |id| WatcherKey { stream: StreamId(1), id: WatchId(id) };
        let range = |key: &'static str, end: &'static str| {
            KeyRange::new(&Bytes::from_static(key.as_bytes()), &Bytes::from_static(end.as_bytes()))
        };
        let mut group = WatcherGroup::default();
        group.insert(&range("b", ""), watcher(0));
        group.insert(&range("a", "c"), watcher(1));
        group.insert(&range("b", "\0"), watcher(2));
        group.insert(&range("c", "d"), watcher(3));
        let ids = |group: &WatcherGroup, key: &'static str| {
            let mut found = Vec::new();
            group.each_wanting(key.as_bytes(), |watcher| found.push(watcher.id.0));
            found.sort_unstable();
            found
        };
        assert_eq!(ids(&group, "b"), [0, 1, 2]);
        assert_eq!(ids(&group, "a"), [1]);
        assert_eq!(ids(&group, "c"), [2, 3]);
        assert_eq!(ids(&group, "d"), [2]);
        group.remove(&range("b", ""), watcher(0));
        group.remove(&range("b", "\0"), watcher(2));
        assert_eq!(ids(&group, "b"), [1]);
        assert_eq!(ids(&group, "d"), [0_i64; 0]);
    }
}
