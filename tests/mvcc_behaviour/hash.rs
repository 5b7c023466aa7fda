//! `HashKV` against the numbers of etcd's own test.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

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

fn rows(store: &WatchableStore) -> Vec<Row> {
    store.rows().cloned().collect()
}

#[test]
fn below_revision_0_nothing_is_hashed() {
    let mut store = WatchableStore::new();
    let empty = store.hash_kv(0).expect("hash").hash;
    put(&mut store, "a", "1");
    put(&mut store, "a", "2");
    compact(&mut store, 2);
    for revision in [-1, i64::MIN] {
        let hash = store.hash_by_revision(revision).expect("hash");
        assert_eq!((hash.hash, hash.compact_revision, hash.hash_revision), (empty, 2, revision));
    }
}

#[test]
fn compacted_revision_has_the_hash_that_the_compaction_left_until_a_restart() {
    let mut store = WatchableStore::new();
    put(&mut store, "a", "1");
    put(&mut store, "a", "2");
    put(&mut store, "b", "1");
    let all = raw_hash(&rows(&store));
    compact(&mut store, 4);
    let left = store.hash_by_revision(4).expect("hash");
    assert_eq!((left.hash, left.compact_revision, left.hash_revision), (all, -1, 4));
    let fresh = store.hash_kv(4).expect("hash");
    assert_ne!(fresh.hash, all, "the superseded version is gone");
    assert_eq!(restart(&store).hash_by_revision(4), Ok(fresh));
    // What the compaction before kept counts only if this one keeps it as well.
    put(&mut store, "a", "3");
    put(&mut store, "c", "1");
    let counted: Vec<Row> = rows(&store).into_iter().filter(|row| row.kv.value != "2").collect();
    let expected = raw_hash(&counted);
    compact(&mut store, 6);
    let later = store.hash_by_revision(6).expect("hash");
    assert_eq!((later.hash, later.compact_revision, later.hash_revision), (expected, 4, 6));
    assert_eq!(store.hash_by_revision(4), Ok(left), "though reads there are refused");
    assert_eq!(store.hash_kv(4), Err(etcd_playground::api::Error::Compacted));
    for revision in 7..=14 {
        put(&mut store, "a", "x");
        compact(&mut store, revision);
    }
    assert_eq!(store.hash_by_revision(4), Ok(left), "ten are remembered");
    put(&mut store, "a", "x");
    compact(&mut store, 15);
    assert!(store.hash_by_revision(4).is_err());
    assert!(store.hash_by_revision(6).is_ok());
}

#[test]
fn rows_below_the_compact_revision_count_again_where_no_key_is_alive() {
    let mut store = WatchableStore::new();
    put(&mut store, "a", "1");
    put(&mut store, "a", "2");
    compact(&mut store, 3);
    delete(&mut store, "a", "");
    let remaining = rows(&store);
    assert_eq!(remaining.len(), 2);
    assert_eq!(store.hash_kv(0).expect("hash").hash, raw_hash(&remaining));
    assert_eq!(restart(&store).hash_kv(0), store.hash_kv(0));
    put(&mut store, "b", "1");
    let counted: Vec<Row> = rows(&store).into_iter().skip(1).collect();
    assert_eq!(store.hash_kv(0).expect("hash").hash, raw_hash(&counted), "b is alive");
}

/// CRC-32C over rows as they stand in etcd's file.
fn raw_hash(rows: &[Row]) -> u32 {
    let mut bytes = b"key".to_vec();
    for row in rows {
        bytes.extend(row.revision.main.to_be_bytes());
        bytes.push(b'_');
        bytes.extend(row.revision.sub.to_be_bytes());
        if row.is_tombstone {
            bytes.push(b't');
        }
        bytes.extend([0x0a, 1]);
        bytes.extend(&row.kv.key);
        for (tag, number) in
            [(0x10, row.kv.create_revision), (0x18, row.kv.mod_revision), (0x20, row.kv.version)]
        {
            if number != 0 && !row.is_tombstone {
                bytes.extend([tag, u8::try_from(number).expect("small")]);
            }
        }
        if !row.kv.value.is_empty() {
            bytes.extend([0x2a, u8::try_from(row.kv.value.len()).expect("small")]);
            bytes.extend(&row.kv.value);
        }
    }
    etcd_playground::types::CRC32C.checksum(&bytes)
}
