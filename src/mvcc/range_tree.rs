//! Which watched ranges contain a key?
//!
//! What it is: a treap of ranges by where they start, in which each node knows how far the ranges below it reach;
//! so a key is answered in the time of its depth and of what contains it, whatever else is watched.
//! What it is not: the watches of single keys (see `watcher_group`), which a plain map finds.
//! Invariants: ranges rise from left to right; a node's priority is at least those below it; `reach` is the
//! largest end at or below the node; no node is without watchers. Priorities come from a generator of its
//! own, so that the same calls build the same tree.
//! Source: R. Seidel, C. R. Aragon, "Randomized Search Trees"; interval search as in T. H. Cormen et al.,
//! "Introduction to Algorithms" (augmented trees).

use std::cmp::Ordering;

use super::key_range::{KeyRange, RangeEnd};
use super::watcher::WatcherKey;
use crate::random::SplitMix64;
use crate::types::BigSet;

/// The seed of the priorities: any number will do.
const SEED: u64 = 0;

type Tree = Option<Box<Node>>;

#[derive(Clone, Debug)]
struct Node {
    range: KeyRange,
    watchers: BigSet<WatcherKey>,
    /// The largest end in the tree of this node.
    reach: RangeEnd,
    priority: u64,
    left: Tree,
    right: Tree,
}

/// Ranges and who watches them.
#[derive(Clone, Debug)]
pub(super) struct RangeTree {
    root: Tree,
    priorities: SplitMix64,
}

impl Default for RangeTree {
    fn default() -> Self {
        Self::new()
    }
}

impl RangeTree {
    pub(super) const fn new() -> Self {
        Self { root: None, priorities: SplitMix64::new(SEED) }
    }

    pub(super) fn insert(&mut self, range: &KeyRange, watcher: WatcherKey) {
        assert!(!range.is_one(), "a single key is not a range");
        let priority = self.priorities.next_u64();
        insert(&mut self.root, range, watcher, priority);
    }

    /// Removes a watcher of `range`; changes nothing if it is not there.
    pub(super) fn remove(&mut self, range: &KeyRange, watcher: WatcherKey) {
        remove(&mut self.root, range, watcher);
    }

    /// Calls `found` for everybody whose range contains `key`, in no order that means anything.
    pub(super) fn each_containing(&self, key: &[u8], found: &mut impl FnMut(WatcherKey)) {
        visit(self.root.as_deref(), key, found);
    }
}

/// True if a range that ends here and starts at or before `key` contains it.
fn reaches(end: &RangeEnd, key: &[u8]) -> bool {
    match end {
        RangeEnd::Before(end) => key < &**end,
        RangeEnd::Open => true,
        RangeEnd::One => false,
    }
}

impl Node {
    fn update_reach(&mut self) {
        let below = [&self.left, &self.right].into_iter().flatten().map(|node| &node.reach);
        let reach = below.fold(&self.range.end, |most, other| most.max(other));
        if *reach != self.reach {
            self.reach = reach.clone();
        }
    }
}

fn insert(tree: &mut Tree, range: &KeyRange, watcher: WatcherKey, priority: u64) {
    let Some(node) = tree else {
        let mut watchers = BigSet::new();
        watchers.insert(watcher);
        *tree = Some(Box::new(Node {
            range: range.clone(),
            watchers,
            reach: range.end.clone(),
            priority,
            left: None,
            right: None,
        }));
        return;
    };
    match range.cmp(&node.range) {
        Ordering::Equal => {
            node.watchers.insert(watcher);
            return;
        }
        Ordering::Less => insert(&mut node.left, range, watcher, priority),
        Ordering::Greater => insert(&mut node.right, range, watcher, priority),
    }
    node.update_reach();
    lift_child(tree);
}

/// If a child has the higher priority, it takes the place of its parent.
fn lift_child(tree: &mut Tree) {
    let Some(mut node) = tree.take() else { return };
    let is_above = |child: &Tree| child.as_ref().is_some_and(|c| c.priority > node.priority);
    if is_above(&node.left) {
        if let Some(mut child) = node.left.take() {
            node.left = child.right.take();
            node.update_reach();
            child.right = Some(node);
            node = child;
        }
    } else if is_above(&node.right)
        && let Some(mut child) = node.right.take()
    {
        node.right = child.left.take();
        node.update_reach();
        child.left = Some(node);
        node = child;
    }
    node.update_reach();
    *tree = Some(node);
}

fn remove(tree: &mut Tree, range: &KeyRange, watcher: WatcherKey) {
    let Some(node) = tree else { return };
    match range.cmp(&node.range) {
        Ordering::Less => remove(&mut node.left, range, watcher),
        Ordering::Greater => remove(&mut node.right, range, watcher),
        Ordering::Equal => {
            node.watchers.remove(&watcher);
            if node.watchers.is_empty() {
                *tree = merge(node.left.take(), node.right.take());
            }
            return;
        }
    }
    node.update_reach();
}

/// One tree of two, everything in `left` being below everything in `right`.
fn merge(left: Tree, right: Tree) -> Tree {
    let (mut left, mut right) = match (left, right) {
        (Some(left), Some(right)) => (left, right),
        (one, other) => return one.or(other),
    };
    let node = if left.priority > right.priority {
        left.right = merge(left.right.take(), Some(right));
        left.update_reach();
        left
    } else {
        right.left = merge(Some(left), right.left.take());
        right.update_reach();
        right
    };
    Some(node)
}

fn visit(tree: Option<&Node>, key: &[u8], found: &mut impl FnMut(WatcherKey)) {
    let Some(node) = tree.filter(|node| reaches(&node.reach, key)) else { return };
    visit(node.left.as_deref(), key, found);
    if key < &*node.range.start {
        return;
    }
    if reaches(&node.range.end, key) {
        node.watchers.iter().copied().for_each(&mut *found);
    }
    visit(node.right.as_deref(), key, found);
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use bytes::Bytes;

    use super::*;
    use crate::mvcc::StreamId;
    use crate::random::Pcg32;
    use crate::types::WatchId;

    fn watcher(id: u64) -> WatcherKey {
        WatcherKey { stream: StreamId(id), id: WatchId(0) }
    }

    fn depth(tree: &Tree) -> usize {
        tree.as_ref().map_or(0, |node| 1 + depth(&node.left).max(depth(&node.right)))
    }

    fn check(tree: &Tree) {
        let Some(node) = tree else { return };
        assert!(!node.watchers.is_empty());
        let mut reach = node.range.end.clone();
        for (child, is_left) in [(&node.left, true), (&node.right, false)] {
            check(child);
            if let Some(child) = child {
                assert!(child.priority <= node.priority);
                assert_eq!(child.range < node.range, is_left);
                reach = reach.max(child.reach.clone());
            }
        }
        assert_eq!(node.reach, reach);
    }

    #[test]
    fn a_key_finds_what_a_look_at_every_range_finds() {
        let mut random = Pcg32::for_stream(3, &[]);
        let mut tree = RangeTree::new();
        let mut model: BTreeMap<u64, KeyRange> = BTreeMap::new();
        for id in 0..4_000 {
            let low = u8::try_from(random.below(60)).unwrap();
            let end = match random.below(8) {
                0 => vec![0],
                _ => vec![low + 1 + u8::try_from(random.below(20)).unwrap()],
            };
            let range = KeyRange::new(&Bytes::from(vec![low]), &Bytes::from(end));
            if range.is_empty() {
                continue;
            }
            tree.insert(&range, watcher(id));
            model.insert(id, range);
            if random.below(3) > 0 {
                let gone = u64::from(random.below(u32::try_from(id).unwrap() + 1));
                if let Some(range) = model.remove(&gone) {
                    tree.remove(&range, watcher(gone));
                    tree.remove(&range, watcher(gone));
                }
            }
            if id % 50 == 0 {
                check(&tree.root);
            }
            let key = [u8::try_from(random.below(90)).unwrap()];
            let mut found = BTreeSet::new();
            tree.each_containing(&key, &mut |watcher| assert!(found.insert(watcher)));
            let containing = model.iter().filter(|(_, range)| range.contains(&key));
            let wanted: BTreeSet<WatcherKey> = containing.map(|(id, _)| watcher(*id)).collect();
            assert_eq!(found, wanted, "{key:?}");
        }
        for (id, range) in model {
            tree.remove(&range, watcher(id));
        }
        assert!(tree.root.is_none());
    }

    #[test]
    fn ranges_that_come_in_order_do_not_make_a_list() {
        let mut tree = RangeTree::new();
        for id in 0..10_000_u64 {
            let (low, high) = (id.to_be_bytes().to_vec(), (id + 1).to_be_bytes().to_vec());
            tree.insert(&KeyRange::new(&Bytes::from(low), &Bytes::from(high)), watcher(id));
        }
        assert!(depth(&tree.root) < 60, "{}", depth(&tree.root));
    }
}
