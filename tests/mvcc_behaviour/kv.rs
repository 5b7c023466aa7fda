//! Puts, deletes and ranges.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use etcd_playground::api::{self, SortOrder, SortTarget};
use etcd_playground::mvcc::WatchableStore;
use etcd_playground::types::LeaseId;

use crate::support::*;

#[test]
fn first_put_is_revision_2_and_equal_value_still_counts() {
    // 1, 2
    let mut store = WatchableStore::new();
    assert_eq!((store.current_revision(), store.compact_revision()), (1, -1));
    assert_eq!(put(&mut store, "k", "v"), 2);
    assert_eq!(get(&store, "k"), Some(kv("k", 2, 2, 1, "v")));
    assert_eq!(put(&mut store, "k", "v"), 3);
    assert_eq!(get(&store, "k"), Some(kv("k", 2, 3, 2, "v")));
}

#[test]
fn ten_puts_are_ten_versions_of_one_generation() {
    // 3
    let mut store = WatchableStore::new();
    for _ in 0..10 {
        put(&mut store, "k", "v");
    }
    assert_eq!(get(&store, "k"), Some(kv("k", 2, 11, 10, "v")));
}

#[test]
fn delete_ends_a_generation_and_history_stays_readable() {
    // 4, 6
    let mut store = WatchableStore::new();
    put(&mut store, "k", "a");
    assert_eq!(delete(&mut store, "k", ""), (1, 3));
    put(&mut store, "k", "b");
    assert_eq!(get(&store, "k"), Some(kv("k", 4, 4, 1, "b")));
    assert_eq!(get_at(&store, "k", 2), Some(kv("k", 2, 2, 1, "a")));
    let gone = store.range(&at("k", 3)).expect("get");
    assert_eq!((gone.kvs.len(), gone.count, gone.revision), (0, 0, 4));
    assert_eq!(delete(&mut store, "nothing", ""), (0, 4));
    assert_eq!(store.current_revision(), 4);
    let history: Vec<_> = store.key_history(b"k").iter().map(|row| row.is_tombstone).collect();
    assert_eq!(history, [false, true, false]);
}

#[test]
fn range_delete_is_one_revision_with_events_in_key_order() {
    // 7
    let mut store = WatchableStore::new();
    for key in ["p/c", "p/a", "p/e", "p/d", "p/b", "q"] {
        put(&mut store, key, key);
    }
    let (response, change) = store.delete_range(&delete_request("p/", "p0"));
    let response = response.expect("delete");
    assert_eq!((response.deleted, response.header.revision, change.revision), (5, 8, 8));
    assert_eq!(keys(&response.prev_kvs), ["p/a", "p/b", "p/c", "p/d", "p/e"]);
    let subs: Vec<_> =
        change.rows.iter().map(|row| (row.revision.main, row.revision.sub)).collect();
    assert_eq!(subs, [(8, 0), (8, 1), (8, 2), (8, 3), (8, 4)]);
    let events: Vec<_> = change.events().map(|event| event_line(&event)).collect();
    assert_eq!(events[0], "DELETE p/a 8");
    assert_eq!(events[4], "DELETE p/e 8");
    assert_eq!(keys(&store.range(&range_request("\0", "\0")).unwrap().kvs), ["q"]);
}

#[test]
fn previous_version_comes_only_if_asked_for_and_present() {
    // 11
    let mut store = WatchableStore::new();
    let asking = api::PutRequest { prev_kv: true, ..put_request("k", "1") };
    assert_eq!(store.put(&asking, &|_| false).0.unwrap().prev_kv, None);
    assert_eq!(store.put(&put_request("k", "2"), &|_| false).0.unwrap().prev_kv, None);
    let previous = store.put(&asking, &|_| false).0.unwrap().prev_kv;
    assert_eq!(previous, Some(kv("k", 2, 3, 2, "2")));
    let silent = api::DeleteRangeRequest { prev_kv: false, ..delete_request("k", "") };
    let (response, _) = store.delete_range(&silent);
    assert_eq!(response.unwrap().prev_kvs, []);
}

#[test]
fn ignore_value_and_ignore_lease_need_the_key_and_keep_the_rest() {
    // 12, 64, 67
    let mut store = WatchableStore::new();
    let lease_exists = |lease| lease == LeaseId(7);
    let keep_value = api::PutRequest { ignore_value: true, ..put_request("k", "") };
    let keep_lease = api::PutRequest { ignore_lease: true, ..put_request("k", "new") };
    assert_eq!(put_error(&mut store, &keep_value), api::Error::KeyNotFound);
    assert_eq!(put_error(&mut store, &keep_lease), api::Error::KeyNotFound);
    let leased = api::PutRequest { lease: LeaseId(404), ..put_request("k", "v") };
    assert_eq!(put_error(&mut store, &leased), api::Error::LeaseNotFound);
    assert_eq!(api::Error::LeaseNotFound.text(), "etcdserver: requested lease not found",);

    let leased = api::PutRequest { lease: LeaseId(7), ..put_request("k", "v") };
    store.put(&leased, &lease_exists).0.expect("put");
    store.put(&keep_lease, &lease_exists).0.expect("put");
    let expected = api::KeyValue { lease: LeaseId(7), ..kv("k", 2, 3, 2, "new") };
    assert_eq!(get(&store, "k"), Some(expected));
    store.put(&keep_value, &lease_exists).0.expect("put");
    assert_eq!(get(&store, "k"), Some(kv("k", 2, 4, 3, "new")), "the lease is detached");
}

fn five() -> WatchableStore {
    let mut store = WatchableStore::new();
    for (key, value) in [("c", "5"), ("a", "4"), ("e", "3"), ("b", "2"), ("d", "1")] {
        put(&mut store, key, value);
    }
    store
}

#[test]
fn range_end_of_nul_is_open_and_end_before_key_is_empty() {
    // 14
    let store = five();
    let found = |key, end| {
        let result = store.range(&range_request(key, end)).expect("range");
        assert_eq!(result.count, i64::try_from(result.kvs.len()).unwrap());
        keys(&result.kvs).join("")
    };
    assert_eq!(found("c", "\0"), "cde");
    assert_eq!(found("b", "d"), "bc");
    assert_eq!(found("b", "b"), "");
    assert_eq!(found("d", "b"), "");
    assert_eq!(found("\0", "\0"), "abcde");
}

#[test]
fn header_revision_is_the_stores_own_and_future_is_refused() {
    // 15, 16
    let store = five();
    let result = store.range(&at("c", 2)).expect("range");
    assert_eq!((result.revision, result.kvs.len()), (6, 1));
    assert_eq!(store.range_response(&at("c", 2)).unwrap().header.revision, 6);
    assert_eq!(error_at(&store, "c", 7), api::Error::FutureRev);
    assert_eq!(get_at(&store, "d", 0), get(&store, "d"));
    assert_eq!(get_at(&store, "d", -5), get(&store, "d"));
}

#[test]
fn limit_sets_more_and_never_lowers_count() {
    // 17, 19
    let store = five();
    let limited = |limit| {
        let request = api::RangeRequest { limit, ..range_request("a", "\0") };
        let result = store.range(&request).expect("range");
        (result.kvs.len(), result.more, result.count)
    };
    assert_eq!(limited(1), (1, true, 5));
    assert_eq!(limited(5), (5, false, 5));
    assert_eq!(limited(9), (5, false, 5));
    assert_eq!(limited(i64::MAX), (5, false, 5));
    assert_eq!(limited(-1), (5, false, 5));
    let count = api::RangeRequest { count_only: true, limit: 1, ..range_request("a", "\0") };
    let result = store.range(&count).expect("range");
    assert_eq!((result.kvs.len(), result.more, result.count), (0, false, 5));
}

#[test]
fn filters_do_not_lower_count() {
    // 18
    let store = five();
    let all = range_request("a", "\0");
    let request = api::RangeRequest { min_mod_revision: 3, ..all.clone() };
    let result = store.range(&request).expect("range");
    assert_eq!((keys(&result.kvs).join(""), result.count), ("abde".to_owned(), 5));
    let request = api::RangeRequest { limit: 4, ..request };
    assert!(!store.range(&request).expect("range").more);
    let request = api::RangeRequest { limit: 3, ..request };
    assert!(store.range(&request).expect("range").more);
    let request = api::RangeRequest { max_mod_revision: 3, ..all.clone() };
    assert_eq!(keys(&store.range(&request).unwrap().kvs), ["a", "c"]);
    let request = api::RangeRequest { min_create_revision: 3, max_create_revision: 4, ..all };
    assert_eq!(keys(&store.range(&request).unwrap().kvs), ["a", "e"]);
}

#[test]
fn keys_only_has_no_value_and_no_lease_unless_sorted_by_value() {
    // 20
    let mut store = WatchableStore::new();
    for (key, value) in [("a", "2"), ("b", "1")] {
        let request = api::PutRequest { lease: LeaseId(7), ..put_request(key, value) };
        store.put(&request, &|_| true).0.expect("put");
    }
    let request = api::RangeRequest { keys_only: true, ..range_request("a", "\0") };
    let result = store.range(&request).expect("range");
    assert_eq!(result.kvs, [kv("a", 2, 2, 1, ""), kv("b", 3, 3, 1, "")]);
    let request = api::RangeRequest { sort_target: SortTarget::Value, ..request };
    let leased = |kv| api::KeyValue { lease: LeaseId(7), ..kv };
    let result = store.range(&request).expect("range");
    assert_eq!(result.kvs, [leased(kv("b", 3, 3, 1, "")), leased(kv("a", 2, 2, 1, ""))]);
}

#[test]
fn sort_goes_by_target_and_limit_without_order_cuts_before_sorting() {
    // 21, 22; reported 25, 26
    let mut store = five();
    put(&mut store, "e", "0");
    let sorted = |sort_target, sort_order, limit| {
        let request =
            api::RangeRequest { sort_target, sort_order, limit, ..range_request("a", "\0") };
        keys(&store.range(&request).expect("range").kvs).join("")
    };
    use SortOrder::{Ascend, Descend, None};
    assert_eq!(sorted(SortTarget::Key, None, 0), "abcde");
    assert_eq!(sorted(SortTarget::Key, Descend, 0), "edcba");
    assert_eq!(sorted(SortTarget::Key, Descend, 1), "e");
    assert_eq!(sorted(SortTarget::Create, Ascend, 0), "caebd");
    assert_eq!(sorted(SortTarget::Create, None, 0), "caebd");
    assert_eq!(sorted(SortTarget::Create, None, 2), "ca", "a, b, c by key, then c, a, b, then cut");
    assert_eq!(sorted(SortTarget::Create, Ascend, 2), "ca");
    assert_eq!(sorted(SortTarget::Create, None, 1), "a", "of a and b only");
    assert_eq!(sorted(SortTarget::Mod, Descend, 2), "ed");
    assert_eq!(sorted(SortTarget::Version, Descend, 1), "e");
    assert_eq!(sorted(SortTarget::Value, Ascend, 0), "edbac");
    assert_eq!(sorted(SortTarget::Value, Descend, 3), "cab");
}

#[test]
fn keys_and_values_are_any_bytes() {
    // 24; reported 31
    let mut store = WatchableStore::new();
    let key = bytes::Bytes::from_static(&[0xff, 0, 0x0a]);
    let request = api::PutRequest { key: key.clone(), ..Default::default() };
    store.put(&request, &|_| false).0.expect("put");
    let range = api::RangeRequest { key: key.clone(), ..Default::default() };
    let found = store.range(&range).expect("get").kvs;
    assert_eq!(found.len(), 1, "an empty value is not a missing one");
    assert_eq!(found[0].key, key);
    let delete = api::DeleteRangeRequest { key, ..Default::default() };
    assert_eq!(store.delete_range(&delete).0.unwrap().deleted, 1);
}

#[test]
fn puts_and_deletes_in_turn_take_one_revision_each() {
    let mut store = WatchableStore::new();
    for round in 0..10 {
        let revision = put(&mut store, "foo", "bar");
        assert_eq!(revision, 2 + 2 * round);
        assert_eq!(get(&store, "foo"), Some(kv("foo", revision, revision, 1, "bar")));
        assert_eq!(delete(&mut store, "foo", ""), (1, revision + 1));
        assert_eq!(get(&store, "foo"), None);
        assert_eq!(delete(&mut store, "foo", ""), (0, revision + 1));
    }
}

#[test]
fn a_hundred_thousand_keys_range_in_linear_time() {
    let mut store = WatchableStore::new();
    for index in 0..100_000 {
        put(&mut store, &format!("k{index:06}"), "v");
    }
    let request = api::RangeRequest { keys_only: true, ..range_request("k", "l") };
    let result = store.range(&request).expect("range");
    assert_eq!((result.count, result.kvs.len()), (100_000, 100_000));
    assert_eq!(delete(&mut store, "k", "l").0, 100_000);
}

#[test]
fn size_grows_with_history_and_only_defragment_shrinks_the_file() {
    let mut store = WatchableStore::new();
    assert_eq!((store.db_size(), store.db_size_in_use()), (20_480, 16_384));
    let large = "x".repeat(10_000);
    for _ in 0..10 {
        put(&mut store, "k", &large);
    }
    let full = store.db_size();
    assert!((115_000..135_000).contains(&full), "{full}");
    assert_eq!(store.db_size_in_use(), full);
    compact(&mut store, 11);
    assert_eq!(store.db_size(), full);
    assert!(store.db_size_in_use() < 40_000);
    let mut restarted = restart(&store);
    restarted.raise_db_size(full);
    assert_eq!(restarted.db_size(), full);
    store.defragment();
    assert_eq!(store.db_size(), store.db_size_in_use());
    assert_eq!(store.db_size() % 4096, 0);
}
