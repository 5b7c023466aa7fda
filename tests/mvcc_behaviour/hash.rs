//! `HashKV` against the numbers of etcd's own test.

use etcd_playground::mvcc::{Row, WatchableStore};

use crate::support::*;

fn vectors() -> Vec<(u32, i64, i64)> {
    let file: serde_json::Value =
        serde_json::from_str(include_str!("../data/hashkv_vectors.json")).expect("JSON");
    let vectors = file["by_rev"].as_array().expect("an array");
    let number = |vector: &serde_json::Value, at: usize| vector[at].as_i64().expect("a number");
    vectors
        .iter()
        .map(|v| (u32::try_from(number(v, 0)).expect("a CRC"), number(v, 1), number(v, 2)))
        .collect()
}

fn key(index: i64) -> &'static str {
    if index % 142 == 30 {
        "zenek"
    } else if index % 71 == 30 {
        "xavery"
    } else {
        let names = ["alice", "bob", "celine", "dominik", "eve", "frederica", "gorge"];
        names[usize::try_from(index % 7).expect("small")]
    }
}

fn hash_and_compact(store: &mut WatchableStore, first: i64, last: i64, at: i64) -> (u32, i64, i64) {
    for index in first..=last {
        put(store, key(index), &index.to_string());
    }
    let hash = store.hash_kv(at).expect("hash");
    compact(store, at);
    let compacted = store.hash_kv(0).expect("hash");
    store.defragment();
    assert_eq!(store.hash_kv(0), Ok(compacted));
    assert_eq!(restart(store).hash_kv(0), Ok(compacted), "restart keeps the hash");
    (hash.hash, hash.compact_revision, hash.hash_revision)
}

#[test]
fn all_19_vectors_of_etcd_agree() {
    // 33 and section 2.3
    let mut store = WatchableStore::new();
    let mut taken = Vec::new();
    let mut first = 0;
    while first < 1210 {
        taken.push(hash_and_compact(&mut store, first, first + 71, first + 71 / 2));
        first += 71;
    }
    taken.push(hash_and_compact(&mut store, first, first + 1210, first + 1210 / 2));
    let expected = vectors();
    assert_eq!(expected.len(), 19);
    assert_eq!(taken, expected);
}

#[test]
fn hash_at_any_kept_revision_is_the_same_before_and_after_later_writes() {
    let mut store = WatchableStore::new();
    put(&mut store, "a", "1");
    delete(&mut store, "a", "");
    put(&mut store, "b", "1");
    let before = store.hash_kv(4).expect("hash");
    put(&mut store, "b", "2");
    assert_eq!(store.hash_kv(4), Ok(before));
    assert_ne!(store.hash_kv(0).expect("hash").hash, before.hash);
}

#[test]
fn tombstone_kept_at_the_compact_revision_is_not_hashed() {
    // Older versions of etcd remove it, and members of both kinds must agree.
    let mut store = WatchableStore::new();
    put(&mut store, "a", "1");
    put(&mut store, "b", "1");
    delete(&mut store, "a", "");
    compact(&mut store, 4);
    let without: Vec<Row> = store.rows().filter(|row| !row.is_tombstone).cloned().collect();
    assert_eq!((store.rows().count(), without.len()), (2, 1));
    let without = WatchableStore::restore(without.into_iter(), Some(4), Some(4), 4);
    let mut without = without.expect("restore");
    assert_eq!(store.hash_kv(0), without.hash_kv(0));
    put(&mut store, "a", "2");
    put(&mut without, "a", "2");
    assert_eq!(store.hash_kv(0), without.hash_kv(0));
}
