//! Transactions.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use etcd_playground::api::{
    self, Compare, CompareResult, CompareTarget, RequestOp, ResponseOp, TxnRequest,
};
use etcd_playground::mvcc::{WatchableStore, txn};
use etcd_playground::types::LeaseId;

use crate::support::*;

fn put_op(key: &str, value: &str) -> RequestOp {
    RequestOp::Put(put_request(key, value))
}

fn del_op(key: &str, range_end: &str) -> RequestOp {
    RequestOp::DeleteRange(delete_request(key, range_end))
}

fn get_op(key: &str, revision: i64) -> RequestOp {
    RequestOp::Range(at(key, revision))
}

fn then(success: Vec<RequestOp>) -> TxnRequest {
    TxnRequest { success, ..TxnRequest::default() }
}

fn compare(key: &str, range_end: &str, result: CompareResult, target: CompareTarget) -> Compare {
    Compare { result, target, key: bytes(key), range_end: bytes(range_end) }
}

fn run(store: &mut WatchableStore, request: &TxnRequest) -> api::TxnResponse {
    let (response, change) = store.txn(request, &|lease| lease == LeaseId(7));
    let response = response.expect("txn");
    assert_eq!(response.header.revision, change.revision);
    assert_eq!(change.revision, store.current_revision());
    response
}

fn refused(store: &mut WatchableStore, request: &TxnRequest) -> api::Error {
    let before = Snapshot::of(store);
    let (response, change) = store.txn(request, &|lease| lease == LeaseId(7));
    before.assert_unchanged(store, &change);
    response.expect_err("the transaction is refused")
}

/// The header revision of each response, nested ones in brackets.
fn revisions(response: &api::TxnResponse) -> String {
    let one = |response: &ResponseOp| match response {
        ResponseOp::Range(r) => format!("get@{}", r.header.revision),
        ResponseOp::Put(r) => format!("put@{}", r.header.revision),
        ResponseOp::DeleteRange(r) => format!("del{}@{}", r.deleted, r.header.revision),
        ResponseOp::Txn(r) => format!("[{}]@{}", revisions(r), r.header.revision),
    };
    response.responses.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn operations_share_one_revision_with_growing_subs() {
    // 8
    let mut store = WatchableStore::new();
    let (response, change) = store.txn(&then(vec![put_op("a", "1"), put_op("b", "2")]), &|_| false);
    assert_eq!(response.expect("txn").header.revision, 2);
    let rows: Vec<_> = change.rows.iter().map(|r| (r.revision.main, r.revision.sub)).collect();
    assert_eq!(rows, [(2, 0), (2, 1)]);
    assert_eq!(get(&store, "a"), Some(kv("a", 2, 2, 1, "1")));
    assert_eq!(get(&store, "b"), Some(kv("b", 2, 2, 1, "2")));
}

#[test]
fn nothing_written_means_no_new_revision() {
    // 9
    let mut store = WatchableStore::new();
    put(&mut store, "a", "1");
    let response = run(&mut store, &then(vec![get_op("a", 0), del_op("nope", "")]));
    assert_eq!(revisions(&response), "get@2 del0@2");
    assert_eq!(response.header.revision, 2);
    let read = then(vec![get_op("a", 0)]);
    assert_eq!(store.read_only_txn(&read), Ok(run(&mut store.clone(), &read)));
    assert_eq!(store.current_revision(), 2);
}

#[test]
fn later_operations_see_earlier_ones_and_headers_tell_when() {
    // 10, 42
    let mut store = WatchableStore::new();
    put(&mut store, "a", "1");
    let nested = RequestOp::Txn(then(vec![get_op("b", 0), get_op("a", 0)]));
    let request = then(vec![
        get_op("a", 0),
        put_op("b", "2"),
        del_op("a", ""),
        del_op("nope", ""),
        nested,
        get_op("a", 2),
    ]);
    let response = run(&mut store, &request);
    assert_eq!(revisions(&response), "get@2 put@3 del1@3 del0@3 [get@3 get@3]@0 get@3");
    assert_eq!(response.header.revision, 3);
    let ResponseOp::Txn(nested) = &response.responses[4] else { panic!("{response:?}") };
    let counts: Vec<_> = nested
        .responses
        .iter()
        .map(|r| if let ResponseOp::Range(r) = r { r.count } else { -1 })
        .collect();
    assert_eq!(counts, [1, 0], "b is there, a is gone");
    let ResponseOp::Range(past) = &response.responses[5] else { panic!("{response:?}") };
    assert_eq!(past.kvs, [kv("a", 2, 2, 1, "1")]);
}

#[test]
fn compares_of_a_missing_key_see_zeros_and_no_value() {
    // 35; reported 18
    use CompareResult::{Equal, Greater, Less, NotEqual};
    let store = WatchableStore::new();
    let holds = |result, target| {
        let compare = vec![compare("k", "", result, target)];
        let request = TxnRequest { compare, ..TxnRequest::default() };
        store.read_only_txn(&request).expect("txn").succeeded
    };
    for target in [CompareTarget::Create, CompareTarget::Mod, CompareTarget::Version, |number| {
        CompareTarget::Lease(LeaseId(number))
    }] {
        assert!(holds(Equal, target(0)));
        assert!(holds(NotEqual, target(1)));
        assert!(holds(Less, target(1)));
        assert!(holds(Greater, target(-1)));
        assert!(!holds(Greater, target(0)));
    }
    for result in [Equal, NotEqual, Less, Greater] {
        for value in ["", "x"] {
            assert!(!holds(result, CompareTarget::Value(bytes(value))));
        }
    }
}

#[test]
fn range_compares_need_every_key() {
    // 36
    use CompareResult::{Equal, Greater, Less, NotEqual};
    let mut store = WatchableStore::new();
    put(&mut store, "foo/a", "x");
    put(&mut store, "foo/b", "y");
    put(&mut store, "foo/b", "z");
    let holds = |end, result, target| {
        let compare = vec![compare("foo/", end, result, target)];
        let request = TxnRequest { compare, ..TxnRequest::default() };
        store.read_only_txn(&request).expect("txn").succeeded
    };
    assert!(holds("foo0", Greater, CompareTarget::Version(0)));
    assert!(!holds("foo0", Greater, CompareTarget::Version(1)));
    assert!(holds("\0", Less, CompareTarget::Mod(5)));
    assert!(!holds("\0", Less, CompareTarget::Mod(4)));
    assert!(!holds("foo0", Equal, CompareTarget::Value(bytes("x"))));
    assert!(holds("foo0", NotEqual, CompareTarget::Value(bytes("y"))));
    assert!(holds("foo/a", Equal, CompareTarget::Create(0)), "an empty range is zeros");
    assert!(!holds("foo/a", NotEqual, CompareTarget::Value(bytes("x"))));
}

#[test]
fn every_path_is_decided_on_the_state_before() {
    // 37
    let mut store = WatchableStore::new();
    let is_new = || vec![compare("a", "", CompareResult::Equal, CompareTarget::Version(0))];
    let nested = TxnRequest {
        compare: is_new(),
        success: vec![put_op("b", "new")],
        failure: vec![put_op("b", "old")],
    };
    let request = TxnRequest {
        compare: is_new(),
        success: vec![put_op("a", "1"), RequestOp::Txn(nested)],
        failure: vec![del_op("b", "")],
    };
    let response = run(&mut store, &request);
    assert!(response.succeeded);
    assert_eq!(get(&store, "b"), Some(kv("b", 2, 2, 1, "new")));
    let response = run(&mut store, &request);
    assert!(!response.succeeded);
    assert_eq!(revisions(&response), "del1@3");
}

#[test]
fn error_in_the_branch_taken_changes_nothing() {
    // 38; reported 20
    let mut store = WatchableStore::new();
    for _ in 0..4 {
        put(&mut store, "k", "v");
    }
    compact(&mut store, 4);
    let ignore =
        |key| RequestOp::Put(api::PutRequest { ignore_value: true, ..put_request(key, "") });
    let leased =
        |lease| RequestOp::Put(api::PutRequest { lease: LeaseId(lease), ..put_request("l", "v") });
    let bad = [
        (get_op("k", 3), api::Error::Compacted),
        (get_op("k", 6), api::Error::FutureRev),
        (ignore("nokey"), api::Error::KeyNotFound),
        (leased(404), api::Error::LeaseNotFound),
    ];
    for (op, error) in bad {
        assert_eq!(refused(&mut store, &then(vec![put_op("a", "1"), op.clone()])), error);
        let nested = RequestOp::Txn(then(vec![op.clone()]));
        assert_eq!(refused(&mut store, &then(vec![put_op("a", "1"), nested])), error);
        let not_taken = TxnRequest { failure: vec![op], ..then(vec![get_op("k", 5)]) };
        assert_eq!(revisions(&run(&mut store, &not_taken)), "get@5");
    }
    let fine = then(vec![leased(7), ignore("k")]);
    assert_eq!(revisions(&run(&mut store, &fine)), "put@6 put@6");
}

#[test]
fn what_the_check_cannot_foresee_is_taken_back() {
    // reported 21: the API refuses it, the store has to survive it
    let mut store = WatchableStore::new();
    put(&mut store, "a", "1");
    put(&mut store, "b", "1");
    let ignore = RequestOp::Put(api::PutRequest { ignore_value: true, ..put_request("b", "") });
    let request = then(vec![put_op("0", "x"), del_op("a", "\0"), put_op("a", "2"), ignore]);
    assert_eq!(refused(&mut store, &request), api::Error::KeyNotFound);
    let request = then(vec![del_op("a", "\0"), put_op("b", "2")]);
    assert_eq!(revisions(&run(&mut store, &request)), "del2@4 put@4");
    assert_eq!(get(&store, "b"), Some(kv("b", 4, 4, 1, "2")));
    assert_eq!(restart(&store).hash_kv(0), store.hash_kv(0));
}

#[test]
fn deleting_twice_is_one_and_then_none() {
    // 39
    let mut store = WatchableStore::new();
    put(&mut store, "a", "1");
    let response = run(&mut store, &then(vec![del_op("a", ""), del_op("a", "")]));
    assert_eq!(revisions(&response), "del1@3 del0@3");
}

#[test]
fn only_ranges_are_read_only() {
    // 41
    let read = then(vec![get_op("a", 0)]);
    assert!(txn::is_read_only(&read));
    assert!(!txn::is_serializable(&read));
    let range = api::RangeRequest { serializable: true, ..at("a", 0) };
    assert!(txn::is_serializable(&then(vec![RequestOp::Range(range)])));
    assert!(!txn::is_read_only(&then(vec![RequestOp::Txn(read.clone())])));
    let put_else = TxnRequest { failure: vec![put_op("a", "")], ..read };
    assert!(!txn::is_read_only(&put_else));
}

#[test]
fn negative_revision_in_a_transaction_is_fine_until_something_is_compacted() {
    // 43; reported 19
    let mut store = WatchableStore::new();
    put(&mut store, "k", "v");
    let request = then(vec![get_op("k", -1)]);
    assert_eq!(revisions(&run(&mut store, &request)), "get@2");
    compact(&mut store, 1);
    assert_eq!(refused(&mut store, &request), api::Error::Compacted);
    assert_eq!(store.read_only_txn(&request), Err(api::Error::Compacted));
    assert_eq!(get_at(&store, "k", -1), Some(kv("k", 2, 2, 1, "v")), "outside it is the newest");
}

#[test]
fn dropped_write_transaction_leaves_nothing() {
    let mut store = WatchableStore::new();
    put(&mut store, "a", "1");
    let before = Snapshot::of(&store);
    let mut write = store.begin_write();
    write.put(&bytes("a"), bytes("2"), LeaseId(0));
    write.put(&bytes("b"), bytes("2"), LeaseId(0));
    write.delete_range(&bytes("a"), &bytes("\0"));
    assert_eq!(write.revision(), 3);
    drop(write);
    assert_eq!(Snapshot::of(&store), before);
    assert_eq!(get(&store, "a"), Some(kv("a", 2, 2, 1, "1")));
    assert_eq!(put(&mut store, "b", "3"), 3);
}
