//! Keys, values and revisions: behaviours 1 to 25.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use etcd_playground::api::{
    DeleteRangeRequest, Error, PutRequest, RangeRequest, Request, ResponseOp, SortOrder, SortTarget,
};
use etcd_playground::types::LeaseId;

use super::one::*;

#[test]
fn behaviour_01_the_first_put_is_revision_2() {
    let mut one = One::new();
    assert_eq!(one.revision(), 1);
    assert_eq!(one.put("k", "v"), 2);
    assert_eq!(shown(&one.get("k").unwrap()), "2/2/1 v");
}

#[test]
fn behaviour_02_the_same_value_again_still_counts() {
    let mut one = One::new();
    one.put("k", "v");
    assert_eq!(one.put("k", "v"), 3);
    assert_eq!(shown(&one.get("k").unwrap()), "2/3/2 v");
}

#[test]
fn behaviour_03_ten_puts_are_ten_versions() {
    let mut one = One::new();
    for _ in 0..10 {
        one.put("k", "v");
    }
    assert_eq!(shown(&one.get("k").unwrap()), "2/11/10 v");
}

#[test]
fn behaviour_04_a_delete_ends_the_generation() {
    let mut one = One::new();
    assert_eq!((one.put("k", "a"), one.del("k", ""), one.put("k", "b")), (2, (1, 3), 4));
    assert_eq!(shown(&one.get("k").unwrap()), "4/4/1 b");
    let found = one.range(RangeRequest { revision: 3, ..range("k", "") }).unwrap();
    assert_eq!((found.kvs.len(), found.count), (0, 0));
}

#[test]
fn behaviour_05_history_with_tombstones_gives_the_version_of_each_revision() {
    let mut one = One::new();
    // foo at 2, 4, tombstone 6, 8, 10, tombstone 12, 14, 15.1, tombstone 16.
    for revision in [2, 4, 6, 8, 10, 12, 14] {
        if revision % 6 == 0 {
            one.del("foo", "");
        } else {
            one.put("foo", &revision.to_string());
        }
        if revision < 14 {
            one.put("other", "x");
        }
    }
    let both = one.txn(then(vec![put_op("other", "x"), put_op("foo", "15.1")])).unwrap();
    assert_eq!(both.header.revision, 15);
    assert_eq!(one.del("foo", ""), (1, 16));
    for (revision, want) in [
        (1, None),
        (2, Some("2/2/1 2")),
        (3, Some("2/2/1 2")),
        (5, Some("2/4/2 4")),
        (6, None),
        (7, None),
        (8, Some("8/8/1 8")),
        (11, Some("8/10/2 10")),
        (13, None),
        (14, Some("14/14/1 14")),
        (15, Some("14/15/2 15.1")),
        (16, None),
    ] {
        assert_eq!(one.get_at("foo", revision).unwrap().as_deref(), want, "at {revision}");
    }
}

#[test]
fn behaviour_06_deleting_nothing_takes_no_revision() {
    let mut one = One::new();
    one.put("k", "v");
    assert_eq!(one.del("missing", ""), (0, 2));
    assert_eq!(one.revision(), 2);
}

#[test]
fn behaviour_07_a_range_delete_is_one_revision_with_events_in_key_order() {
    let mut one = One::new();
    for key in ["p5", "p1", "p4", "p2", "p3", "q"] {
        one.put(key, "v");
    }
    let call = one.open(watch_range("p", "q", 0));
    one.heard(call);
    assert_eq!(one.del("p", "q"), (5, 8));
    let heard = one.heard(call);
    assert_eq!(heard.len(), 1);
    assert_eq!(
        lines(&heard),
        ["DELETE p1 8", "DELETE p2 8", "DELETE p3 8", "DELETE p4 8", "DELETE p5 8"]
    );
    let mut store = etcd_playground::mvcc::WatchableStore::new();
    for key in ["p2", "p1"] {
        super::store::put(&mut store, key, "v");
    }
    super::store::delete(&mut store, "p", "q");
    let subs: Vec<(i64, i64)> =
        store.rows().skip(2).map(|row| (row.revision.main, row.revision.sub)).collect();
    assert_eq!(subs, [(4, 0), (4, 1)]);
}

#[test]
fn behaviour_08_a_transaction_is_one_revision() {
    let mut one = One::new();
    let done = one.txn(then(vec![put_op("a", "1"), put_op("b", "1")])).unwrap();
    assert_eq!(done.header.revision, 2);
    assert_eq!(shown(&one.get("a").unwrap()), "2/2/1 1");
    assert_eq!(shown(&one.get("b").unwrap()), "2/2/1 1");
    assert_eq!(one.revision(), 2);
}

#[test]
fn behaviour_09_a_transaction_that_writes_nothing_takes_no_revision() {
    let mut one = One::new();
    one.put("k", "v");
    for ops in [vec![get_op("k")], vec![delete_op("missing", "")], vec![]] {
        let done = one.txn(then(ops)).unwrap();
        assert_eq!((done.succeeded, done.header.revision), (true, 2));
    }
    assert_eq!(one.revision(), 2);
}

#[test]
fn behaviour_10_later_operations_see_earlier_ones() {
    let mut one = One::new();
    for (write, want) in [(put_op("k", "v"), 1), (delete_op("k", ""), 0)] {
        let done = one.txn(then(vec![get_op("k"), write, get_op("k")])).unwrap();
        match (&done.responses[0], &done.responses[2]) {
            (ResponseOp::Range(before), ResponseOp::Range(after)) => {
                assert_eq!((before.count, after.count), (1 - want, want));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn behaviour_11_the_previous_value_comes_only_if_asked_for_and_there() {
    let mut one = One::new();
    let with = |value| PutRequest { prev_kv: true, ..put("k", value) };
    assert_eq!(one.try_put(with("1")).unwrap().prev_kv, None);
    let previous = one.try_put(with("2")).unwrap().prev_kv.unwrap();
    assert_eq!(shown(&previous), "2/2/1 1");
    assert_eq!(one.try_put(put("k", "3")).unwrap().prev_kv, None);
    assert!(one.delete(delete("k", "")).prev_kvs.is_empty());
    one.put("k", "4");
    let gone = one.delete(DeleteRangeRequest { prev_kv: true, ..delete("k", "") });
    assert_eq!(gone.prev_kvs.iter().map(shown).collect::<Vec<_>>(), ["6/6/1 4"]);
}

#[test]
fn behaviour_12_ignoring_value_or_lease_needs_the_key_and_nothing_else() {
    let mut one = One::new();
    one.grant(7, 60);
    let value = |text: &str| PutRequest { ignore_value: true, ..put("k", text) };
    let lease = |id| PutRequest { ignore_lease: true, lease: LeaseId(id), ..put("k", "w") };
    for request in [value(""), lease(0)] {
        assert_eq!(one.try_put(request).unwrap_err(), NO_KEY);
    }
    assert_eq!(one.try_put(value("x")).unwrap_err(), "etcdserver: value is provided");
    assert_eq!(one.try_put(lease(7)).unwrap_err(), "etcdserver: lease is provided");
    assert_eq!(one.revision(), 1);
    one.put_leased("k", 7);
    one.try_put(lease(0)).unwrap();
    let kv = one.get("k").unwrap();
    assert_eq!((shown(&kv).as_str(), kv.lease.0), ("2/3/2 w", 7));
    one.try_put(value("")).unwrap();
    let kv = one.get("k").unwrap();
    assert_eq!((shown(&kv).as_str(), kv.lease.0), ("2/4/3 w", 0), "the lease was not kept");
}

#[test]
fn behaviour_13_an_empty_key_is_refused_but_by_a_watch() {
    let mut one = One::new();
    let refused = "etcdserver: key is not provided";
    assert_eq!(one.try_put(put("", "v")).unwrap_err(), refused);
    assert_eq!(one.range(range("", "")).unwrap_err(), refused);
    assert_eq!(one.ask(Request::DeleteRange(delete("", "z"))).unwrap_err(), refused);
    for op in [put_op("", "v"), get_op(""), delete_op("", "")] {
        assert_eq!(one.txn(then(vec![op])).unwrap_err(), refused);
    }
    let call = one.open(watch("", 0));
    assert!(one.heard(call)[0].created);
    one.put("\0", "smallest");
    assert_eq!(one.events(call), ["PUT \0 2"]);
}

#[test]
fn behaviour_14_an_end_of_nul_is_open_and_an_end_before_the_key_is_empty() {
    let mut one = One::new();
    for key in ["a", "b", "c"] {
        one.put(key, "v");
    }
    assert_eq!(keys(&one.range(range("b", "\0")).unwrap()), ["b", "c"]);
    for end in ["b", "a"] {
        let found = one.range(range("b", end)).unwrap();
        assert_eq!((found.count, found.kvs.len(), found.more), (0, 0, false));
        let call = one.open(watch_range("b", end, 0));
        let heard = one.heard(call);
        assert_eq!(heard.len(), 1);
        assert!(heard[0].created && heard[0].canceled);
        assert_eq!(heard[0].watch_id.0, -1);
        assert_eq!(heard[0].cancel_reason, "mvcc: watcher range is empty");
    }
}

#[test]
fn behaviour_15_the_header_has_the_stores_revision_and_never_the_one_asked_for() {
    let mut one = One::new();
    for value in ["1", "2", "3"] {
        one.put("k", value);
    }
    for revision in [0, 2, 3, 4] {
        let found = one.range(RangeRequest { revision, ..range("k", "") }).unwrap();
        assert_eq!(found.header.revision, 4);
    }
}

#[test]
fn behaviour_16_a_future_revision_is_refused_and_none_or_less_is_the_latest() {
    let mut one = One::new();
    one.put("k", "1");
    one.put("k", "2");
    assert_eq!(one.get_at("k", 4).unwrap_err(), FUTURE);
    for revision in [0, -1, i64::MIN] {
        assert_eq!(one.get_at("k", revision).unwrap().unwrap(), "2/3/2 2");
    }
}

#[test]
fn behaviour_17_a_limit_says_that_there_is_more_and_counts_all() {
    let mut one = One::new();
    for key in ["a", "b", "c"] {
        one.put(key, "v");
    }
    for (limit, want, more) in
        [(1, 1, true), (2, 2, true), (3, 3, false), (4, 3, false), (0, 3, false)]
    {
        let found = one.range(RangeRequest { limit, ..everything() }).unwrap();
        assert_eq!((found.kvs.len(), found.more, found.count), (want, more, 3), "{limit}");
    }
}

#[test]
fn behaviour_18_filters_leave_out_keys_but_do_not_lower_the_count() {
    let mut one = One::new();
    for key in ["a", "b", "c", "d", "e"] {
        one.put(key, "v");
    }
    let filtered = RangeRequest { min_mod_revision: 3, ..everything() };
    let found = one.range(filtered.clone()).unwrap();
    assert_eq!((found.kvs.len(), found.count, found.more), (4, 5, false));
    let found = one.range(RangeRequest { limit: 3, ..filtered.clone() }).unwrap();
    assert_eq!((keys(&found).join(""), found.count, found.more), ("bcd".to_owned(), 5, true));
    let found = one.range(RangeRequest { limit: 4, ..filtered }).unwrap();
    assert_eq!((found.kvs.len(), found.count, found.more), (4, 5, false));
    for (request, want) in [
        (RangeRequest { max_mod_revision: 3, ..everything() }, "ab"),
        (RangeRequest { min_create_revision: 5, ..everything() }, "de"),
        (RangeRequest { max_create_revision: 2, ..everything() }, "a"),
    ] {
        let found = one.range(request).unwrap();
        assert_eq!((keys(&found).join("").as_str(), found.count), (want, 5));
    }
}

#[test]
fn behaviour_19_counting_gives_the_full_count_and_no_keys() {
    let mut one = One::new();
    for key in ["a", "b", "c"] {
        one.put(key, "v");
    }
    let request = RangeRequest { count_only: true, limit: 1, ..everything() };
    let found = one.range(request).unwrap();
    assert_eq!((found.count, found.kvs.len(), found.more), (3, 0, false));
}

#[test]
fn behaviour_20_keys_only_leaves_out_value_and_lease_unless_sorted_by_value() {
    let mut one = One::new();
    one.grant(7, 60);
    one.put_leased("k", 7);
    let request = RangeRequest { keys_only: true, ..range("k", "") };
    let kv = one.range(request.clone()).unwrap().kvs.remove(0);
    assert_eq!((text(&kv.value).as_str(), kv.lease.0, shown(&kv).as_str()), ("", 0, "2/2/1 "));
    let sorted =
        RangeRequest { sort_target: SortTarget::Value, sort_order: SortOrder::Ascend, ..request };
    let kv = one.range(sorted).unwrap().kvs.remove(0);
    assert_eq!((text(&kv.value).as_str(), kv.lease.0), ("", 7));
}

#[test]
fn behaviour_21_without_an_order_the_limit_cuts_by_key_before_it_sorts() {
    let mut one = One::new();
    for key in ["d", "c", "b", "a"] {
        one.put(key, "v");
    }
    let request = RangeRequest { sort_target: SortTarget::Create, limit: 2, ..everything() };
    let found = one.range(request).unwrap();
    // a, b and c are fetched, then sorted by creation.
    assert_eq!((keys(&found).join("").as_str(), found.more, found.count), ("cb", true, 4));
}

#[test]
fn behaviour_22_descending_by_key_with_limit_1_is_the_last_key() {
    let mut one = One::new();
    for key in ["a", "b", "c"] {
        one.put(key, "v");
    }
    let request = RangeRequest { sort_order: SortOrder::Descend, limit: 1, ..everything() };
    let found = one.range(request).unwrap();
    assert_eq!((keys(&found).join("").as_str(), found.more, found.count), ("c", true, 3));
}

/// The types here have no invalid order, so one can only come as foreign bytes, and is refused as such.
#[test]
fn behaviour_23_an_invalid_sort_option_is_refused() {
    assert_eq!(Error::InvalidSortOption.text(), "etcdserver: invalid sort option");
    let request = Request::Range(RangeRequest { sort_order: SortOrder::Descend, ..range("k", "") });
    let valid = etcd_playground::wire::encode(&request).unwrap();
    assert_eq!(etcd_playground::wire::decode::<Request>(&valid).ok(), Some(request));
    // Format, variant, key with its length, end with its length, limit, revision, then the order.
    let at = valid.iter().rposition(|byte| *byte == 2).unwrap();
    let mut invalid = valid.to_vec();
    invalid[at] = 3;
    assert!(etcd_playground::wire::decode::<Request>(&invalid).is_err());
}

#[test]
fn behaviour_24_a_request_above_1_5_mib_is_too_large_and_an_empty_value_is_one() {
    let mut one = One::new();
    let large = "x".repeat(1_572_864);
    assert_eq!(one.try_put(put("k", &large)).unwrap_err(), "etcdserver: request is too large");
    assert_eq!(one.get("k"), None);
    assert_eq!(one.put("k", &large[..1_500_000]), 2);
    assert_eq!(one.put("k", ""), 3);
    assert_eq!(shown(&one.get("k").unwrap()), "2/3/2 ");
}

#[test]
fn behaviour_25_keys_of_one_revision_have_equal_mods_when_sorted_by_them() {
    let mut one = One::new();
    one.txn(then(vec![put_op("b", "1"), put_op("a", "1")])).unwrap();
    one.put("c", "1");
    let request = RangeRequest {
        sort_target: SortTarget::Mod,
        sort_order: SortOrder::Descend,
        ..everything()
    };
    let found = one.range(request).unwrap();
    let revisions: Vec<i64> = found.kvs.iter().map(|kv| kv.mod_revision).collect();
    assert_eq!(revisions, [3, 2, 2], "the order of the last two is nobody's promise");
}
