use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// Draws for a long mix of calls; this module stands below `random`.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % bound
    }

    fn bound(&mut self, keys: u64) -> Bound<u64> {
        let key = self.below(keys);
        match self.below(3) {
            0 => Bound::Included(key),
            1 => Bound::Excluded(key),
            _ => Bound::Unbounded,
        }
    }
}

/// Asserts the invariants of the module's head.
fn check<K: Ord, V>(map: &BigMap<K, V>) {
    assert!(map.chunks.iter().all(|chunk| (1..=CHUNK_MAX).contains(&chunk.len())));
    assert!(map.keys().is_sorted_by(|one, next| one < next));
    assert_eq!(map.is_empty(), map.iter().next().is_none());
    assert_eq!(map.iter().count(), map.len());
}

/// Whether a tree would panic on this range.
fn is_inverted(from: Bound<u64>, to: Bound<u64>) -> bool {
    let (Bound::Included(low) | Bound::Excluded(low)) = from else { return false };
    let (Bound::Included(high) | Bound::Excluded(high)) = to else { return false };
    low > high || (low == high && from != Bound::Included(low) && to != Bound::Included(low))
}

#[test]
fn a_long_mix_of_calls_answers_as_a_tree_map_does() {
    for keys in [3, 200, 5_000] {
        let mut random = Draws(keys);
        let (mut big, mut tree) = (BigMap::new(), BTreeMap::new());
        for step in 0..30_000_u64 {
            // It grows, shrinks, and grows again.
            let is_shrinking = (step / 10_000) == 1;
            let key = random.below(keys);
            match random.below(8) {
                0..3 if !is_shrinking => assert_eq!(big.insert(key, step), tree.insert(key, step)),
                0..5 => assert_eq!(big.remove(&key), tree.remove(&key)),
                5 if !is_shrinking => {
                    let one = big.get_or_insert_with(key, || step);
                    let other = tree.entry(key).or_insert(step);
                    assert_eq!(one, other);
                    *one += 1;
                    *other += 1;
                }
                6 => assert_eq!(big.get_mut(&key), tree.get_mut(&key)),
                _ => assert_eq!(big.contains_key(&key), tree.contains_key(&key)),
            }
            assert_eq!(big.get(&key), tree.get(&key));
            assert_eq!(big.first_key_value(), tree.first_key_value());
            assert_eq!(big.last_key_value(), tree.last_key_value());
            if step % 64 == 0 {
                check(&big);
                assert!(big.iter().eq(tree.iter()));
                let range = (random.bound(keys), random.bound(keys));
                if is_inverted(range.0, range.1) {
                    assert_eq!(big.range(range).count(), 0);
                } else {
                    assert!(big.range(range).eq(tree.range(range)), "{range:?}");
                }
            }
            if step % 6_000 == 0 {
                big.retain(|key, value| {
                    *value += 1;
                    key % 3 != 0
                });
                tree.retain(|key, value| {
                    *value += 1;
                    key % 3 != 0
                });
                check(&big);
            }
        }
        assert_eq!(format!("{big:?} {big:#?}"), format!("{tree:?} {tree:#?}"));
        assert!(big.into_iter().eq(tree));
    }
}

#[test]
fn entries_in_order_fill_their_chunks_and_what_is_taken_out_leaves_few() {
    let entries = 100 * CHUNK_MAX;
    let mut map: BigMap<usize, ()> = (0..entries).map(|key| (key, ())).collect();
    check(&map);
    assert_eq!(map.chunks.len(), 100);
    for key in (0..entries).filter(|key| key % CHUNK_MAX != 0) {
        map.remove(&key);
    }
    check(&map);
    assert_eq!(map.len(), 100);
    assert!(map.chunks.len() <= 8, "{} chunks for 100 entries", map.chunks.len());
    let mut backwards = BigMap::new();
    for key in (0..entries).rev() {
        backwards.insert(key, ());
    }
    check(&backwards);
    assert!(backwards.chunks.len() <= 200);
}

#[test]
fn maps_with_the_same_entries_are_equal_however_they_came_to_be() {
    let forwards: BigMap<u64, u64> = (0..1_000).map(|key| (key, key)).collect();
    let mut backwards: BigMap<u64, u64> = (0..1_000).rev().map(|key| (key, key)).collect();
    assert_eq!(forwards, backwards);
    backwards.insert(500, 1);
    assert_ne!(forwards, backwards);
    backwards.clear();
    assert!(backwards.is_empty());
    assert_eq!(backwards, BigMap::default());
}

#[test]
fn a_set_answers_as_a_tree_set_does() {
    let mut random = Draws(11);
    let (mut big, mut tree) = (BigSet::new(), BTreeSet::new());
    for _ in 0..5_000 {
        let element = random.below(300);
        if random.below(2) == 0 {
            assert_eq!(big.insert(element), tree.insert(element));
        } else {
            assert_eq!(big.remove(&element), tree.remove(&element));
        }
        assert_eq!(big.contains(&element), tree.contains(&element));
        assert_eq!(big.first(), tree.first());
        assert!(big.after(&element).eq(tree.range(element + 1..)));
        assert_eq!((big.len(), big.is_empty()), (tree.len(), tree.is_empty()));
    }
    assert!(big.iter().eq(tree.iter()));
    assert_eq!(format!("{big:?}"), format!("{tree:?}"));
}
