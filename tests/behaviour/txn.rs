//! Transactions: behaviours 35 to 45.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use etcd_playground::api::CompareResult::{Equal, Greater, Less, NotEqual};
use etcd_playground::api::{
    Compare, CompareTarget, PutRequest, RangeRequest, Request, RequestOp, ResponseOp, TxnRequest,
};
use etcd_playground::types::LeaseId;

use super::one::*;

const RESULTS: [etcd_playground::api::CompareResult; 4] = [Equal, NotEqual, Less, Greater];

fn revision_get(key: &str, revision: i64) -> RequestOp {
    RequestOp::Range(RangeRequest { revision, ..range(key, "") })
}

#[test]
fn behaviour_35_a_missing_key_compares_as_zero_and_its_value_as_nothing() {
    let mut one = One::new();
    let numbers = [
        CompareTarget::Create(0),
        CompareTarget::Mod(0),
        CompareTarget::Version(0),
        CompareTarget::Lease(LeaseId(0)),
    ];
    for target in numbers {
        assert!(one.holds(vec![compare("none", Equal, target.clone())]), "{target:?}");
        assert!(!one.holds(vec![compare("none", NotEqual, target.clone())]));
        assert!(!one.holds(vec![compare("none", Greater, target.clone())]));
        assert!(!one.holds(vec![compare("none", Less, target)]));
    }
    assert!(one.holds(vec![compare("none", Less, CompareTarget::Version(1))]));
    for result in RESULTS {
        for value in ["", "x"] {
            assert!(!one.holds(vec![compare("none", result, CompareTarget::Value(bytes(value)))]));
        }
    }
}

#[test]
fn behaviour_36_a_range_compare_holds_if_all_its_keys_do_and_an_empty_one_compares_zeros() {
    let mut one = One::new();
    one.put("a1", "x");
    one.put("a2", "x");
    let all = |result, target| Compare { range_end: bytes("b"), ..compare("a", result, target) };
    assert!(one.holds(vec![all(Greater, CompareTarget::Create(0))]));
    assert!(one.holds(vec![all(Equal, CompareTarget::Value(bytes("x")))]));
    one.put("a2", "y");
    assert!(!one.holds(vec![all(Equal, CompareTarget::Value(bytes("x")))]));
    assert!(!one.holds(vec![all(Equal, CompareTarget::Version(1))]));
    let none = |result, target| Compare { range_end: bytes("z"), ..compare("y", result, target) };
    assert!(one.holds(vec![none(Equal, CompareTarget::Create(0))]));
    assert!(!one.holds(vec![none(Greater, CompareTarget::Mod(0))]));
    for result in RESULTS {
        assert!(!one.holds(vec![none(result, CompareTarget::Value(bytes("x")))]));
    }
}

#[test]
fn behaviour_37_every_branch_is_decided_on_the_state_before() {
    let mut one = One::new();
    one.put("k", "before");
    let nested = RequestOp::Txn(TxnRequest {
        compare: vec![compare("k", Equal, CompareTarget::Value(bytes("before")))],
        success: vec![put_op("nested", "saw before")],
        failure: vec![put_op("nested", "saw after")],
    });
    let done = one.txn(then(vec![put_op("k", "after"), nested])).unwrap();
    match &done.responses[1] {
        ResponseOp::Txn(inner) => assert!(inner.succeeded),
        other => panic!("{other:?}"),
    }
    assert_eq!(shown(&one.get("nested").unwrap()), "3/3/1 saw before");
    assert_eq!(shown(&one.get("k").unwrap()), "2/3/2 after");
}

#[test]
fn behaviour_38_an_error_in_the_branch_taken_fails_all_and_in_the_other_nothing() {
    let mut one = One::new();
    for value in ["1", "2", "3"] {
        one.put("k", value);
    }
    one.compact(3).unwrap();
    let missing = PutRequest { lease: LeaseId(404), ..put("l", "v") };
    let ignoring = PutRequest { ignore_value: true, ..put("none", "") };
    for (op, text) in [
        (revision_get("k", 9), FUTURE),
        (revision_get("k", 2), COMPACTED),
        (RequestOp::Put(missing), NO_LEASE),
        (RequestOp::Put(ignoring), NO_KEY),
    ] {
        let taken = then(vec![put_op("a", "v"), op.clone(), put_op("b", "v")]);
        assert_eq!(one.txn(taken).unwrap_err(), text);
        let nested = then(vec![put_op("a", "v"), RequestOp::Txn(then(vec![op.clone()]))]);
        assert_eq!(one.txn(nested).unwrap_err(), text);
        assert_eq!((one.get("a"), one.get("b"), one.revision()), (None, None, 4));
        let not_taken = TxnRequest { failure: vec![op], ..then(vec![get_op("k")]) };
        assert!(one.txn(not_taken).unwrap().succeeded, "{text}");
    }
    assert_eq!(one.revision(), 4);
}

#[test]
fn behaviour_39_a_key_is_written_once_and_may_be_deleted_twice() {
    let mut one = One::new();
    one.put("a", "v");
    for ops in [
        vec![put_op("a", "1"), put_op("a", "2")],
        vec![delete_op("a", ""), put_op("a", "1")],
        vec![put_op("b", "1"), delete_op("a", "c")],
        vec![put_op("a", "1"), RequestOp::Txn(then(vec![put_op("a", "2")]))],
    ] {
        assert_eq!(one.txn(then(ops)).unwrap_err(), DUPLICATE);
    }
    let twice = one.txn(then(vec![delete_op("a", ""), delete_op("a", "")])).unwrap();
    let deleted: Vec<i64> = twice
        .responses
        .iter()
        .filter_map(|response| match response {
            ResponseOp::DeleteRange(gone) => Some(gone.deleted),
            ResponseOp::Range(_) | ResponseOp::Put(_) | ResponseOp::Txn(_) => None,
        })
        .collect();
    assert_eq!(deleted, [1, 0]);
    let nested = TxnRequest {
        success: vec![put_op("a", "1")],
        failure: vec![put_op("a", "2")],
        ..Default::default()
    };
    assert!(one.txn(then(vec![RequestOp::Txn(nested)])).is_ok(), "either branch of a nested one");
}

#[test]
fn behaviour_40_more_than_128_operations_are_too_many() {
    let mut one = One::new();
    let gets = |count| vec![get_op("k"); count];
    let too_many = "etcdserver: too many operations in txn request";
    assert!(one.txn(then(gets(128))).is_ok());
    assert_eq!(one.txn(then(gets(129))).unwrap_err(), too_many);
    let failure = TxnRequest { failure: gets(129), ..Default::default() };
    assert_eq!(one.txn(failure).unwrap_err(), too_many);
    let compares = vec![compare("k", Equal, CompareTarget::Mod(0)); 129];
    assert_eq!(
        one.txn(TxnRequest { compare: compares, ..Default::default() }).unwrap_err(),
        too_many
    );
    // The largest of the three counts, and what is nested has what is left.
    let all = TxnRequest { failure: gets(128), ..then(gets(128)) };
    assert!(one.txn(all).is_ok());
    let nested = |outer: usize, inner| {
        let mut ops = gets(outer - 1);
        ops.push(RequestOp::Txn(then(gets(inner))));
        then(ops)
    };
    assert!(one.txn(nested(100, 28)).is_ok());
    assert_eq!(one.txn(nested(100, 29)).unwrap_err(), too_many);
}

#[test]
fn behaviour_41_a_transaction_with_a_nested_one_goes_through_the_log() {
    let mut one = One::new();
    one.put("k", "v");
    let applied = |one: &One| one.run.sim.status(one.member).unwrap().applied;
    let before = applied(&one);
    one.txn(then(vec![get_op("k")])).unwrap();
    assert_eq!(applied(&one), before, "reads alone do not");
    let done = one.txn(then(vec![RequestOp::Txn(then(vec![get_op("k")]))])).unwrap();
    assert_eq!(done.header.revision, 2);
    assert_eq!(applied(&one).0, before.0 + 1);
}

#[test]
fn behaviour_42_the_header_moves_only_when_something_was_written() {
    let mut one = One::new();
    one.put("k", "v");
    let done = one.txn(then(vec![get_op("k"), put_op("a", "1"), put_op("b", "1")])).unwrap();
    assert_eq!(done.header.revision, 3);
    let revisions: Vec<i64> = done
        .responses
        .iter()
        .map(|response| match response {
            ResponseOp::Put(put) => put.header.revision,
            ResponseOp::Range(found) => found.header.revision,
            ResponseOp::DeleteRange(_) | ResponseOp::Txn(_) => 0,
        })
        .collect();
    assert_eq!(revisions, [2, 3, 3]);
    let read = one.txn(then(vec![get_op("k")])).unwrap();
    assert_eq!(read.header.revision, 3);
}

#[test]
fn behaviour_43_a_negative_revision_in_a_transaction_is_fine_until_something_is_compacted() {
    let mut one = One::new();
    one.put("k", "v");
    assert!(one.txn(then(vec![revision_get("k", -1)])).is_ok());
    assert!(one.txn(then(vec![put_op("other", "v"), revision_get("k", -1)])).is_ok());
    one.compact(2).unwrap();
    for ops in [vec![revision_get("k", -1)], vec![put_op("other", "v"), revision_get("k", -1)]] {
        assert_eq!(one.txn(then(ops)).unwrap_err(), COMPACTED);
    }
    assert_eq!(one.get_at("k", -1).unwrap().unwrap(), "2/2/1 v", "alone it is the latest");
}

#[test]
fn behaviour_44_a_from_key_delete_and_a_put_in_its_range_are_duplicates_here() {
    let mut one = One::new();
    one.put("a", "v");
    for key in ["a", "b"] {
        let ops = vec![delete_op("a", "\0"), put_op(key, "1")];
        assert_eq!(one.txn(then(ops)).unwrap_err(), DUPLICATE);
    }
    assert!(one.txn(then(vec![delete_op("b", "\0"), put_op("a", "1")])).is_ok(), "outside of it");
    // The store itself survives it.
    let mut store = etcd_playground::mvcc::WatchableStore::new();
    super::store::put(&mut store, "a", "1");
    let mut write = store.begin_write();
    write.delete_range(&bytes("a"), &bytes("\0"));
    write.put(&bytes("a"), bytes("2"), LeaseId(0));
    assert_eq!(write.end().rows.len(), 2);
    super::store::compact(&mut store, 3);
    assert_eq!(super::store::get(&store, "a").map(|kv| shown(&kv)).unwrap(), "3/3/1 2");
    let again = super::store::restart(&store);
    assert_eq!(super::store::get(&again, "a").map(|kv| shown(&kv)).unwrap(), "3/3/1 2");
}

#[test]
fn behaviour_45_a_lease_compares_as_the_number_that_hexadecimal_says() {
    let mut one = One::new();
    one.grant(0x10, 60);
    one.put_leased("k", 0x10);
    let lease = |result, id| compare("k", result, CompareTarget::Lease(LeaseId(id)));
    assert!(one.holds(vec![lease(Equal, i64::from_str_radix("10", 16).unwrap())]));
    assert!(!one.holds(vec![lease(Equal, 10)]));
    assert!(one.holds(vec![lease(Greater, 10), lease(Less, 17)]));
    let absent = compare("foo1", Greater, CompareTarget::Lease(LeaseId(0)));
    assert!(!one.holds(vec![absent]), "no key, no lease");
    let read = TxnRequest { compare: vec![lease(Equal, 16)], ..then(vec![get_op("k")]) };
    assert!(one.ask(Request::Txn(read)).is_ok());
}
