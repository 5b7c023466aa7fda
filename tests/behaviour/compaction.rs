//! Compaction and hashes: behaviours 26 to 34 and the 19 hashes of etcd's own test.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use etcd_playground::api::{CompactionRequest, HashKvRequest, Request, Response};
use etcd_playground::mvcc::WatchableStore;

use super::one::*;
use super::store;

#[test]
fn behaviour_26_a_fresh_store_is_compacted_at_0_and_at_1_once_each() {
    let mut one = One::new();
    one.compact(0).unwrap();
    assert_eq!(one.compact(0).unwrap_err(), COMPACTED);
    one.compact(1).unwrap();
    assert_eq!(one.compact(1).unwrap_err(), COMPACTED);
}

#[test]
fn behaviour_27_beyond_the_current_revision_is_future_and_at_it_the_present_stays() {
    let mut one = One::new();
    for value in ["1", "2", "3", "4"] {
        one.put("k", value);
    }
    assert_eq!(one.compact(6).unwrap_err(), FUTURE);
    one.compact(5).unwrap();
    assert_eq!(shown(&one.get("k").unwrap()), "2/5/4 4");
}

#[test]
fn behaviour_28_each_compaction_leaves_what_its_revision_sees() {
    let mut one = One::new();
    one.put("foo", "bar0");
    one.put("foo", "bar1");
    one.del("foo", "");
    one.put("foo", "bar2");
    for (revision, want) in
        [(1, Some("2/2/1 bar0")), (2, Some("2/3/2 bar1")), (3, None), (4, Some("5/5/1 bar2"))]
    {
        one.compact(revision).unwrap();
        assert_eq!(one.get_at("foo", revision + 1).unwrap().as_deref(), want);
    }
}

#[test]
fn behaviour_29_below_the_compacted_revision_everything_is_refused() {
    let mut one = One::new();
    one.put("quiet", "v");
    one.put("k", "1");
    one.put("k", "2");
    one.compact(3).unwrap();
    assert_eq!(one.get_at("quiet", 3).unwrap().unwrap(), "2/2/1 v");
    assert_eq!(one.get_at("quiet", 2).unwrap_err(), COMPACTED);
    assert_eq!(one.get_at("k", 2).unwrap_err(), COMPACTED);
}

#[test]
fn behaviour_30_a_tombstone_at_the_compacted_revision_is_still_told() {
    let mut one = One::new();
    one.put("k", "v");
    one.del("k", "");
    one.put("other", "v");
    one.compact(3).unwrap();
    let call = one.open(watch("k", 3));
    assert_eq!(one.events(call), ["DELETE k 3"]);
    one.compact(4).unwrap();
    let call = one.open(watch("k", 4));
    assert_eq!(one.events(call), [""; 0]);
    let call = one.open(watch("k", 3));
    assert_eq!(one.heard(call).last().unwrap().compact_revision, 4);
}

#[test]
fn behaviour_31_the_revision_survives_a_restart_even_when_no_row_does() {
    let mut one = One::new();
    one.put("k", "v");
    one.del("k", "");
    one.del("missing", "");
    one.compact(3).unwrap();
    one.run.run_ms(1_000);
    one.restart();
    assert_eq!(one.revision(), 3);
    assert_eq!(one.get_at("k", 2).unwrap_err(), COMPACTED);
    assert_eq!(one.put("k", "v"), 4);
    let mut store = WatchableStore::new();
    store::put(&mut store, "k", "v");
    store::delete(&mut store, "k", "");
    store::put(&mut store, "x", "v");
    store::delete(&mut store, "x", "");
    store::compact(&mut store, 5);
    let none = WatchableStore::restore(std::iter::empty(), Some(5), Some(5), 1).unwrap();
    assert_eq!(none.current_revision(), 5, "not even the last tombstone was left");
}

#[test]
fn behaviour_32_a_compaction_that_was_interrupted_is_finished_and_its_reads_refused_at_once() {
    let mut one = WatchableStore::new();
    for value in 0..50 {
        store::put(&mut one, "k", &value.to_string());
    }
    one.compact(40).unwrap();
    assert_eq!(store::error_at(&one, "k", 39).text(), COMPACTED, "before a single row went");
    assert!(!one.compact_batch(3).finished);
    let rows = one.rows().count();
    let mut again = store::restart(&one);
    assert_eq!((again.compact_revision(), again.rows().count()), (40, rows));
    assert_eq!(store::error_at(&again, "k", 39).text(), COMPACTED);
    assert!(again.is_compacting());
    store::finish_compaction(&mut again);
    assert_eq!(again.rows().count(), 12, "revisions 40 to 51");
}

fn hash(one: &mut One, revision: i64) -> Result<(u32, i64, i64), String> {
    match one.ask(Request::HashKv(HashKvRequest { revision }))? {
        Response::HashKv(hash) => Ok((hash.hash, hash.compact_revision, hash.hash_revision)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn behaviour_33_a_hash_is_the_same_before_and_after_its_compaction() {
    let mut one = One::new();
    for value in ["1", "2", "3", "4"] {
        one.put("k", value);
    }
    let before = hash(&mut one, 4).unwrap();
    assert_eq!((before.1, before.2), (-1, 4));
    assert_eq!(hash(&mut one, 6).unwrap_err(), FUTURE);
    let current = hash(&mut one, 5).unwrap();
    assert_eq!(hash(&mut one, 0).unwrap(), current, "0 is the current revision");
    one.compact(3).unwrap();
    assert_eq!(hash(&mut one, 2).unwrap_err(), COMPACTED);
    let after = hash(&mut one, 4).unwrap();
    assert_eq!((after.1, after.2), (3, 4));
    one.put("other", "v");
    assert_eq!(hash(&mut one, 4).unwrap(), after);
    // From the moment that a compaction is due its hash is that of what will be left.
    let mut store = WatchableStore::new();
    for value in ["1", "2", "3", "4"] {
        store::put(&mut store, "k", value);
    }
    store.compact(4).unwrap();
    let during = store.hash_kv(0).unwrap();
    while !store.compact_batch(1).finished {
        assert_eq!(store.hash_kv(0), Ok(during));
    }
    assert_eq!(store.hash_kv(0), Ok(during));
}

#[test]
fn behaviour_34_a_second_compaction_waits_for_the_first_and_reads_wait_for_neither() {
    let mut one = One::new();
    for value in 0..20 {
        one.put("k", &value.to_string());
    }
    let first = Request::Compaction(CompactionRequest { revision: 10, physical: true });
    let second = Request::Compaction(CompactionRequest { revision: 15, physical: true });
    let calls = [first, second].map(|request| one.run.sim.request(one.member, request));
    assert_eq!(shown(&one.get("k").unwrap()), "2/21/20 19");
    one.run.run_ms(2_000);
    for call in calls {
        assert!(one.run.reply(call).unwrap().is_ok());
    }
    assert_eq!(one.get_at("k", 14).unwrap_err(), COMPACTED);
}

fn key(index: i64) -> &'static str {
    if index % 142 == 30 {
        "zenek"
    } else if index % 71 == 30 {
        "xavery"
    } else {
        let names = ["alice", "bob", "celine", "dominik", "eve", "frederica", "gorge"];
        names[usize::try_from(index % 7).unwrap()]
    }
}

/// Hash, compact revision and hashed revision, as etcd's own test has them: 71 puts a time and 1,211 at last,
/// hashed in their middle, which is then compacted.
const HASHES: [(u32, i64, i64); 19] = [
    (4082599214, -1, 35),
    (2279933401, 35, 106),
    (3284231217, 106, 177),
    (126286495, 177, 248),
    (900108730, 248, 319),
    (2475485232, 319, 390),
    (1226296507, 390, 461),
    (2503661030, 461, 532),
    (4155130747, 532, 603),
    (106915399, 603, 674),
    (406914006, 674, 745),
    (1882211381, 745, 816),
    (806177088, 816, 887),
    (664311366, 887, 958),
    (1496914449, 958, 1029),
    (2434525091, 1029, 1100),
    (3988652253, 1100, 1171),
    (1122462288, 1171, 1242),
    (724436716, 1242, 1883),
];

#[test]
fn hashkv_all_19_vectors_of_etcd_agree() {
    let mut one = WatchableStore::new();
    let mut first = 0;
    for (at, want) in HASHES.iter().enumerate() {
        let last = if at == 18 { first + 1210 } else { first + 71 };
        for index in first..=last {
            store::put(&mut one, key(index), &index.to_string());
        }
        let middle = if at == 18 { first + 1210 / 2 } else { first + 71 / 2 };
        let hash = one.hash_kv(middle).unwrap();
        assert_eq!((hash.hash, hash.compact_revision, hash.hash_revision), *want, "vector {at}");
        store::compact(&mut one, middle);
        first += 71;
    }
    let file: serde_json::Value =
        serde_json::from_str(include_str!("../data/hashkv_vectors.json")).unwrap();
    let published: Vec<(u32, i64, i64)> = serde_json::from_value(file["by_rev"].clone()).unwrap();
    assert_eq!(published, HASHES);
}
