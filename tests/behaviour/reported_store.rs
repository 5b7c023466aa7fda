//! Transactions, ranges and compaction that surprised somebody: reports 18 to 33, and the two of section H.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use bytes::Bytes;
use etcd_playground::api::CompareResult::{Equal, Greater, Less, NotEqual};
use etcd_playground::api::{
    Compare, CompareTarget, PutRequest, RangeRequest, Request, RequestOp, Response, SortOrder,
    SortTarget, TxnRequest,
};
use etcd_playground::types::LeaseId;

use super::one::*;
use super::store;
use super::support::{self, Run};

#[test]
fn report_18_no_compare_of_the_value_of_a_missing_key_holds() {
    let mut one = One::new();
    for result in [Equal, NotEqual, Less, Greater] {
        let single = compare("k", result, CompareTarget::Value(bytes("x")));
        assert!(!one.holds(vec![single.clone()]), "{result:?}");
        assert!(!one.holds(vec![Compare { range_end: bytes("z"), ..single }]), "{result:?}");
    }
    one.put("k", "y");
    assert!(one.holds(vec![compare("k", NotEqual, CompareTarget::Value(bytes("x")))]));
}

#[test]
fn report_19_revision_minus_1_in_a_transaction_is_refused_after_a_compaction() {
    let mut one = One::new();
    one.put("k", "v");
    let minus_1 = || then(vec![RequestOp::Range(RangeRequest { revision: -1, ..range("k", "") })]);
    assert!(one.txn(minus_1()).is_ok());
    assert_eq!(one.get_at("k", -1).unwrap().unwrap(), "2/2/1 v");
    one.compact(2).unwrap();
    assert_eq!(one.txn(minus_1()).unwrap_err(), COMPACTED);
    assert_eq!(one.get_at("k", -1).unwrap().unwrap(), "2/2/1 v");
}

#[test]
fn report_20_a_compacted_revision_in_a_transaction_fails_all_of_it_on_every_member() {
    let mut run = Run::new(3, 3, |_| {});
    let leader = run.wait_leader();
    for value in ["1", "2", "3", "4", "5"] {
        run.put(leader, "b", value).unwrap();
    }
    run.compact(leader, 5);
    for member in run.ids() {
        let read = RequestOp::Range(RangeRequest { revision: 3, ..range("b", "") });
        let refused = run.ask(member, Request::Txn(then(vec![put_op("a", "1"), read])));
        assert_eq!(refused.unwrap_err(), COMPACTED);
    }
    run.run_ms(500);
    for member in run.ids() {
        assert_eq!(run.get(member, "a", true), Ok(None), "nothing of it was applied");
    }
    assert_eq!(run.put(leader, "c", "v"), Ok(7), "and no revision was taken");
    run.run_ms(500);
    run.assert_equal();
}

#[test]
fn report_21_a_from_key_delete_is_seen_by_the_check_for_duplicates() {
    let mut one = One::new();
    one.put("a", "v");
    let from_key = vec![delete_op("a", "\0"), put_op("b", "1")];
    assert_eq!(one.txn(then(from_key)).unwrap_err(), DUPLICATE);
    let to_end = vec![delete_op("a", "z"), put_op("b", "1")];
    assert_eq!(one.txn(then(to_end)).unwrap_err(), DUPLICATE);
    assert_eq!(one.revision(), 2);
}

#[test]
fn report_22_a_key_deleted_and_created_in_one_revision_survives_its_compaction() {
    let mut one = etcd_playground::mvcc::WatchableStore::new();
    store::put(&mut one, "a", "1");
    let mut write = one.begin_write();
    write.delete_range(&bytes("a"), &bytes("\0"));
    write.put(&bytes("a"), bytes("2"), LeaseId(0));
    assert_eq!(write.end().rows.len(), 2);
    store::compact(&mut one, 3);
    for store in [&one, &store::restart(&one)] {
        assert_eq!(store::get(store, "a").map(|kv| shown(&kv)).unwrap(), "3/3/1 2");
        assert_eq!(store::get_at(store, "a", 3).map(|kv| shown(&kv)).unwrap(), "3/3/1 2");
    }
    let again = store::restart(&one);
    assert_eq!(one.hash_kv(0), again.hash_kv(0));
}

#[test]
fn report_23_two_writes_of_a_key_are_refused_but_for_two_deletes_and_two_branches() {
    let mut one = One::new();
    one.put("a", "v");
    for ops in [
        vec![put_op("a", "1"), put_op("a", "2")],
        vec![put_op("a", "1"), delete_op("a", "")],
        vec![delete_op("a", ""), put_op("a", "1")],
    ] {
        assert_eq!(one.txn(then(ops)).unwrap_err(), DUPLICATE);
    }
    assert!(one.txn(then(vec![delete_op("a", ""), delete_op("a", "")])).is_ok());
    let branches = TxnRequest {
        success: vec![put_op("a", "1")],
        failure: vec![put_op("a", "2")],
        ..Default::default()
    };
    let nested = then(vec![RequestOp::Txn(branches)]);
    assert_eq!(one.txn(nested).unwrap().header.revision, 4);
}

#[test]
fn report_24_a_write_whose_answer_was_lost_happened_once_or_not_at_all() {
    let (mut happened, mut did_not) = (0, 0);
    for wait_ms in 0..24 {
        let mut run = Run::new(3, 11, |_| {});
        let leader = run.wait_leader();
        run.put(leader, "k", "0").unwrap();
        run.run_ms(500);
        let call = run.sim.request(leader, support::put("k", "1"));
        run.run_ms(wait_ms);
        if run.reply(call).is_some_and(|reply| reply.is_ok()) {
            break;
        }
        run.sim.kill(leader);
        run.run_ms(500);
        if let Some(reply) = run.reply(call) {
            assert_eq!(reply.unwrap_err(), "failed", "the outcome is unknown");
        }
        let next = run.wait_leader();
        match run.ask(next, Request::Range(range("k", ""))).unwrap() {
            Response::Range(found) => match found.kvs[0].version {
                1 => did_not += 1,
                2 => happened += 1,
                version => panic!("written {version} times"),
            },
            other => panic!("{other:?}"),
        }
    }
    assert!(happened > 0 && did_not > 0, "{happened} happened, {did_not} did not");
}

#[test]
fn report_25_a_target_without_an_order_sorts_upwards() {
    let mut one = One::new();
    for key in ["foo3", "foo1", "foo2"] {
        one.put(key, "v");
    }
    let request = RangeRequest { sort_target: SortTarget::Create, ..range("foo", "foo4") };
    assert_eq!(keys(&one.range(request.clone()).unwrap()), ["foo3", "foo1", "foo2"]);
    let limited = one.range(RangeRequest { limit: 1, ..request }).unwrap();
    // foo1 and foo2 are taken by key first; foo1 is the older one.
    assert_eq!((keys(&limited), limited.more), (vec!["foo1".to_owned()], true));
}

#[test]
fn report_26_a_descending_page_is_cut_from_the_end_of_the_whole_range() {
    let mut one = One::new();
    for key in 1..=9 {
        one.put(&key.to_string(), "v");
    }
    let page =
        |key, end| RangeRequest { sort_order: SortOrder::Descend, limit: 2, ..range(key, end) };
    assert_eq!(keys(&one.range(page("5", "\0")).unwrap()), ["9", "8"]);
    assert_eq!(keys(&one.range(page("5", "8")).unwrap()), ["7", "6"]);
    let up = |key| RangeRequest { limit: 2, ..range(key, "\0") };
    assert_eq!(keys(&one.range(up("5")).unwrap()), ["5", "6"]);
    assert_eq!(keys(&one.range(up("6\0")).unwrap()), ["7", "8"]);
}

#[test]
fn report_27_a_revision_below_the_compacted_one_is_refused_though_the_key_is_unchanged() {
    let mut one = One::new();
    one.put("a", "b");
    one.put("b", "c");
    one.compact(3).unwrap();
    assert_eq!(one.get_at("a", 2).unwrap_err(), COMPACTED);
    assert_eq!(one.get_at("a", 3).unwrap().unwrap(), "2/2/1 b");
    assert_eq!(shown(&one.get("a").unwrap()), "2/2/1 b");
}

#[test]
fn report_28_the_present_is_readable_when_it_is_compacted() {
    let mut one = One::new();
    one.put("abc", "123");
    one.compact(2).unwrap();
    assert_eq!(shown(&one.get("abc").unwrap()), "2/2/1 123");
    assert_eq!(one.compact(2).unwrap_err(), COMPACTED);
    assert_eq!(one.compact(3).unwrap_err(), FUTURE);
}

#[test]
fn report_31_any_bytes_are_a_key_and_a_value() {
    let mut one = One::new();
    let odd = Bytes::from_static(&[0xff, 0x00, 0x0a]);
    let request = PutRequest { key: odd.clone(), value: odd.clone(), ..Default::default() };
    one.try_put(request).unwrap();
    let found = one.range(everything()).unwrap();
    assert_eq!((found.kvs[0].key.clone(), found.kvs[0].value.clone()), (odd.clone(), odd.clone()));
    let exact = RangeRequest { key: odd.clone(), ..Default::default() };
    assert_eq!(one.range(exact).unwrap().count, 1);
    let gone = etcd_playground::api::DeleteRangeRequest { key: odd, ..Default::default() };
    assert_eq!(one.delete(gone).deleted, 1);
    // What is shown of it is escaped and says which bytes.
    assert_eq!(etcd_playground::playground::escape::line(&[0xff, 0x00, 0x0a]), "\\xff\\x00\\n");
}

#[test]
fn report_33_keys_are_no_paths() {
    let mut one = One::new();
    for key in ["foo", "/foo", "//", "foo/", "/a//b"] {
        one.put(key, "v");
    }
    assert_eq!(keys(&one.range(everything()).unwrap()), ["//", "/a//b", "/foo", "foo", "foo/"]);
    for key in ["foo", "//", "foo/"] {
        assert_eq!(one.del(key, "").0, 1, "{key}");
    }
}

#[test]
fn report_h1_a_lease_compare_on_an_empty_store_is_false_and_its_number_is_hexadecimal() {
    let mut one = One::new();
    let greater = compare("foo1", Greater, CompareTarget::Lease(LeaseId(0)));
    assert!(!one.holds(vec![greater.clone()]));
    one.grant(0x1f, 60);
    one.put_leased("foo1", 0x1f);
    assert!(one.holds(vec![greater]));
    let number = i64::from_str_radix("1f", 16).unwrap();
    assert!(one.holds(vec![compare("foo1", Equal, CompareTarget::Lease(LeaseId(number)))]));
}

#[test]
fn report_h2_who_held_a_lock_is_fenced_off_by_its_create_revision() {
    let mut one = One::new();
    one.grant(1, 60);
    one.grant(2, 60);
    let first = one.put_leased("lock", 1);
    let fenced = |revision| TxnRequest {
        compare: vec![compare("lock", Equal, CompareTarget::Create(revision))],
        success: vec![put_op("data", &revision.to_string())],
        failure: vec![],
    };
    assert!(one.txn(fenced(first)).unwrap().succeeded);
    // Its lease ends, another takes the lock, and the first one wakes up and writes.
    one.revoke(1).unwrap();
    let second = one.put_leased("lock", 2);
    assert!(!one.txn(fenced(first)).unwrap().succeeded);
    assert!(one.txn(fenced(second)).unwrap().succeeded);
    assert_eq!(text(&one.get("data").unwrap().value), second.to_string());
}
