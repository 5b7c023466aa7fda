use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// Draws for a long mix of calls; this module stands below `random`.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % bound
    }
}

/// Entries in a wild order, with keys that repeat.
fn entries() -> Vec<(u64, String)> {
    let words = ["d", "a", "c", "b", "a", "e", "c"];
    let numbers = [300, 7, 1 << 40, 9, 7, 0, 8];
    numbers.into_iter().zip(words.map(str::to_owned)).collect()
}

#[test]
fn map_and_set_print_and_encode_as_the_trees_do() {
    let small: SmallMap<u64, String> = entries().into_iter().collect();
    let tree: BTreeMap<u64, String> = entries().into_iter().collect();
    assert_eq!(format!("{small:?}"), format!("{tree:?}"));
    assert_eq!(format!("{small:#?}"), format!("{tree:#?}"));
    let bytes = postcard::to_allocvec(&tree).unwrap();
    assert_eq!(postcard::to_allocvec(&small).unwrap(), bytes);
    assert_eq!(postcard::from_bytes::<SmallMap<u64, String>>(&bytes).unwrap(), small);
    let json = serde_json::to_string(&tree).unwrap();
    assert_eq!(serde_json::to_string(&small).unwrap(), json);
    assert_eq!(serde_json::from_str::<SmallMap<u64, String>>(&json).unwrap(), small);

    let small: SmallSet<u64> = small.keys().copied().collect();
    let tree: BTreeSet<u64> = tree.keys().copied().collect();
    assert_eq!(format!("{small:?}"), format!("{tree:?}"));
    let bytes = postcard::to_allocvec(&tree).unwrap();
    assert_eq!(postcard::to_allocvec(&small).unwrap(), bytes);
    assert_eq!(postcard::from_bytes::<SmallSet<u64>>(&bytes).unwrap(), small);
}

#[test]
fn foreign_bytes_in_any_order_give_a_sorted_map_and_set() {
    let bytes = postcard::to_allocvec(&entries()).unwrap();
    let map: SmallMap<u64, String> = postcard::from_bytes(&bytes).unwrap();
    let tree: BTreeMap<u64, String> = postcard::from_bytes(&bytes).unwrap();
    assert!(map.iter().eq(tree.iter()), "the last value of a key counts");
    let bytes = postcard::to_allocvec(&vec![3, 1, 2, 1]).unwrap();
    let set: SmallSet<i32> = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(set.into_iter().collect::<Vec<_>>(), [1, 2, 3]);
    let huge = [0xff, 0xff, 0xff, 0x7f, 1];
    assert!(
        postcard::from_bytes::<SmallMap<u64, u64>>(&huge).is_err(),
        "a length alone is nothing"
    );
    assert!(postcard::from_bytes::<SmallSet<u64>>(&huge).is_err());
}

#[test]
fn a_long_mix_of_calls_answers_as_a_tree_map_does() {
    let mut random = Draws(7);
    let (mut small, mut tree) = (SmallMap::new(), BTreeMap::new());
    for step in 0..5_000_u64 {
        let key = random.below(40);
        match random.below(6) {
            0 | 1 => assert_eq!(small.insert(key, step), tree.insert(key, step)),
            2 => assert_eq!(small.remove(&key), tree.remove(&key)),
            3 => {
                let (one, other) =
                    (small.get_or_insert_with(key, || step), tree.entry(key).or_insert(step));
                assert_eq!(one, other);
                *one += 1;
                *other += 1;
            }
            4 => assert_eq!(small.get_mut(&key), tree.get_mut(&key)),
            _ => assert_eq!(small.contains_key(&key), tree.contains_key(&key)),
        }
        assert!(small.iter().eq(tree.iter()));
        assert_eq!(small.len(), tree.len());
    }
    small.retain(|key, _| key % 2 == 0);
    tree.retain(|key, _| key % 2 == 0);
    assert!(small.into_iter().eq(tree));
}

#[test]
fn a_long_mix_of_calls_answers_as_a_tree_set_does() {
    use std::ops::Bound::{Excluded, Unbounded};
    let mut random = Draws(8);
    let (mut small, mut tree) = (SmallSet::new(), BTreeSet::new());
    for _ in 0..5_000 {
        let element = random.below(40);
        match random.below(4) {
            0 | 1 => assert_eq!(small.insert(element), tree.insert(element)),
            2 => assert_eq!(small.remove(&element), tree.remove(&element)),
            _ => assert_eq!(small.contains(&element), tree.contains(&element)),
        }
        assert!(small.iter().eq(tree.iter()));
        assert!(small.after(&element).eq(tree.range((Excluded(element), Unbounded))));
    }
    small.retain(|element| element % 2 == 0);
    tree.retain(|element| element % 2 == 0);
    assert!(small.into_iter().eq(tree));
}

#[test]
fn text_keys_are_found_by_borrowed_text() {
    let mut map: SmallMap<String, u32> = SmallMap::default();
    map.insert("b".to_owned(), 2);
    *map.get_or_insert_with("a".to_owned(), || 0) += 1;
    assert_eq!((map.get("a"), map.get("b"), map.get("c")), (Some(&1), Some(&2), None));
    assert_eq!(map.remove("a"), Some(1));
}
