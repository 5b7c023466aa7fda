//! Finds the watches that want a key.
//!
//! What it is: watches of single keys by key, watches of ranges by where they start.
//! Invariants: a watcher is in it at most once; what it gives is in order of stream and id.
//! Source: etcd `server/storage/mvcc/watcher_group.go` (there an interval tree).

use std::collections::BTreeMap;

use bytes::Bytes;

use super::key_range::KeyRange;
use super::watcher::WatcherKey;
use crate::types::{SmallMap, SmallSet};

/// Watches by what they watch.
#[derive(Clone, Debug, Default)]
pub(super) struct WatcherGroup {
    keys: BTreeMap<Bytes, SmallSet<WatcherKey>>,
    ranges: SmallMap<KeyRange, SmallSet<WatcherKey>>,
}

impl WatcherGroup {
    pub(super) const fn new() -> Self {
        Self { keys: BTreeMap::new(), ranges: SmallMap::new() }
    }

    pub(super) fn insert(&mut self, range: &KeyRange, watcher: WatcherKey) {
        let watchers = if range.is_one() {
            self.keys.entry(range.start.clone()).or_default()
        } else {
            self.ranges.get_or_insert_with(range.clone(), SmallSet::new)
        };
        watchers.insert(watcher);
    }

    pub(super) fn remove(&mut self, range: &KeyRange, watcher: WatcherKey) {
        let watchers = if range.is_one() {
            self.keys.get_mut(&range.start)
        } else {
            self.ranges.get_mut(range)
        };
        let Some(watchers) = watchers else { return };
        watchers.remove(&watcher);
        if !watchers.is_empty() {
            return;
        }
        if range.is_one() {
            self.keys.remove(&range.start);
        } else {
            self.ranges.remove(range);
        }
    }

    /// Everybody who wants `key`.
    pub(super) fn wanting(&self, key: &Bytes) -> SmallSet<WatcherKey> {
        let mut found = self.keys.get(key).cloned().unwrap_or_default();
        // Ranges sort by start first; those that start after the key cannot contain it.
        for (range, watchers) in self.ranges.iter().take_while(|(range, _)| range.start <= *key) {
            if range.contains(key) {
                found.extend(watchers.iter().copied());
            }
        }
        found
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
            let found = group.wanting(&Bytes::from_static(key.as_bytes()));
            found.into_iter().map(|w| w.id.0).collect::<Vec<_>>()
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
