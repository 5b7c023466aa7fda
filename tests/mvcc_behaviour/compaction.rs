//! Compaction and restart.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use etcd_playground::api;
use etcd_playground::mvcc::{Revision, WatchableStore};
use etcd_playground::types::LeaseId;

use crate::support::*;

#[test]
fn fresh_store_can_be_compacted_at_0_and_1_once() {
    // 26
    let mut store = WatchableStore::new();
    assert_eq!(store.compact(-1), Err(api::Error::Compacted));
    assert_eq!(store.compact(0), Ok(()));
    assert_eq!(store.compact(0), Err(api::Error::Compacted));
    assert_eq!(store.compact(1), Ok(()));
    assert_eq!(store.compact(1), Err(api::Error::Compacted));
    assert_eq!(store.compact(2), Err(api::Error::FutureRev));
    finish_compaction(&mut store);
}

#[test]
fn compaction_at_current_keeps_current_readable() {
    // 27; reported 27, 28
    let mut store = WatchableStore::new();
    put(&mut store, "a", "b");
    put(&mut store, "b", "c");
    put(&mut store, "c", "1");
    put(&mut store, "c", "2");
    assert_eq!(store.compact(6), Err(api::Error::FutureRev));
    compact(&mut store, 5);
    assert_eq!(get(&store, "a"), Some(kv("a", 2, 2, 1, "b")));
    assert_eq!(get_at(&store, "a", 5), Some(kv("a", 2, 2, 1, "b")));
    assert_eq!(error_at(&store, "a", 4), api::Error::Compacted);
    assert_eq!(error_at(&store, "c", 4), api::Error::Compacted);
}

#[test]
fn compaction_step_by_step_keeps_what_each_revision_sees() {
    // 28
    let mut store = WatchableStore::new();
    put(&mut store, "foo", "bar0");
    put(&mut store, "foo", "bar1");
    delete(&mut store, "foo", "");
    put(&mut store, "foo", "bar2");
    let expected = [
        Some(kv("foo", 2, 2, 1, "bar0")),
        Some(kv("foo", 2, 3, 2, "bar1")),
        None,
        Some(kv("foo", 5, 5, 1, "bar2")),
    ];
    for (revision, expected) in (1..).zip(expected) {
        compact(&mut store, revision);
        assert_eq!(get_at(&store, "foo", revision + 1), expected, "after compact {revision}");
    }
}

#[test]
fn reads_below_are_refused_from_the_moment_of_scheduling() {
    // 29, 32, 34
    let mut store = WatchableStore::new();
    for _ in 0..5 {
        put(&mut store, "k", "v");
    }
    store.compact(4).expect("compact");
    assert!(store.is_compacting());
    assert_eq!(error_at(&store, "k", 3), api::Error::Compacted);
    assert_eq!(get_at(&store, "k", 4).map(|kv| kv.version), Some(3));
    assert_eq!(get(&store, "k").map(|kv| kv.version), Some(5));
    let progress = store.compact_batch(1);
    assert_eq!((progress.removed, progress.finished), (vec![Revision::new(2, 0)], false));

    let mut restarted = restart(&store);
    assert!(restarted.is_compacting(), "the compaction goes on after a restart");
    assert_eq!(error_at(&restarted, "k", 3), api::Error::Compacted);
    for store in [&mut store, &mut restarted] {
        let progress = store.compact_batch(1);
        assert_eq!((progress.removed, progress.finished), (vec![Revision::new(3, 0)], false));
        let progress = store.compact_batch(1);
        assert_eq!((progress.removed, progress.finished), (vec![], false));
        assert!(store.compact_batch(1).finished);
        assert!(!store.is_compacting());
        assert_eq!(store.key_history(b"k").len(), 3);
    }
    assert_eq!(store.hash_kv(0), restarted.hash_kv(0));
}

#[test]
fn compaction_during_a_compaction_takes_over() {
    let mut store = WatchableStore::new();
    for _ in 0..5 {
        put(&mut store, "k", "v");
    }
    store.compact(3).expect("compact");
    assert_eq!(store.compact_batch(1).removed, [Revision::new(2, 0)]);
    store.compact(5).expect("compact");
    let removed = store.compact_batch(100).removed;
    assert_eq!(removed, [Revision::new(3, 0), Revision::new(4, 0)]);
    assert_eq!(store.finished_compact_revision(), 5);
}

#[test]
fn tombstone_at_the_compact_revision_stays_until_the_next_compaction() {
    // 30; reported 4, 5
    let mut store = WatchableStore::new();
    put(&mut store, "k", "v");
    put(&mut store, "l", "v");
    delete(&mut store, "k", "");
    delete(&mut store, "l", "");
    compact(&mut store, 4);
    let history: Vec<_> = store.key_history(b"k").iter().map(|row| row.revision.main).collect();
    assert_eq!(history, [4]);
    let restarted = restart(&store);
    assert_eq!(restarted.key_history(b"k"), store.key_history(b"k"));
    compact(&mut store, 5);
    assert_eq!(store.key_history(b"k"), []);
    assert_eq!(store.key_history(b"l").len(), 1);
}

#[test]
fn revision_survives_when_compaction_leaves_no_rows() {
    // 31
    let mut store = WatchableStore::new();
    put(&mut store, "a", "1");
    delete(&mut store, "a", "");
    put(&mut store, "b", "1");
    delete(&mut store, "b", "");
    compact(&mut store, 5);
    put(&mut store, "c", "1");
    delete(&mut store, "c", "");
    compact(&mut store, 6);
    compact(&mut store, 7);
    assert_eq!(store.rows().count(), 1, "the tombstone at the compact revision");
    let restored = WatchableStore::restore(std::iter::empty(), Some(7), Some(7), 1);
    assert_eq!(restored.expect("restore").current_revision(), 7);
}

#[test]
fn key_deleted_and_created_again_in_one_revision_survives_compaction() {
    // reported 22: a defect of 3.7.1 that is not copied
    let mut store = WatchableStore::new();
    put(&mut store, "a", "1");
    let mut txn = store.begin_write();
    assert_eq!(txn.delete_range(&bytes("a"), &bytes("\0")).len(), 1);
    assert_eq!(txn.put(&bytes("a"), bytes("2"), LeaseId(0)), 3);
    assert_eq!(txn.end().revision, 3);
    compact(&mut store, 3);
    assert_eq!(get(&store, "a"), Some(kv("a", 3, 3, 1, "2")));
    assert_eq!(get(&restart(&store), "a"), Some(kv("a", 3, 3, 1, "2")));
}

#[test]
fn restart_keeps_every_field_and_goes_on_counting() {
    let mut store = WatchableStore::new();
    put(&mut store, "a", "1");
    put(&mut store, "a", "2");
    delete(&mut store, "a", "");
    put(&mut store, "b", "3");
    let mut restarted = restart(&store);
    assert_eq!(restarted.current_revision(), 5);
    for revision in 1..=5 {
        let all = api::RangeRequest { revision, ..range_request("a", "\0") };
        assert_eq!(restarted.range(&all), store.range(&all));
    }
    assert_eq!(restarted.hash_kv(0), store.hash_kv(0));
    assert_eq!(put(&mut restarted, "c", "4"), 6);
}
