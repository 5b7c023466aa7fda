use super::*;
use crate::types::LeaseId;

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn put(key: &str) -> RequestOp {
    RequestOp::Put(api::PutRequest { key: bytes(key), ..Default::default() })
}

fn del(key: &str, end: &str) -> RequestOp {
    let (key, range_end) = (bytes(key), bytes(end));
    RequestOp::DeleteRange(api::DeleteRangeRequest { key, range_end, prev_kv: false })
}

fn nested(success: Vec<RequestOp>, failure: Vec<RequestOp>) -> RequestOp {
    RequestOp::Txn(api::TxnRequest { compare: Vec::new(), success, failure })
}

fn check(success: Vec<RequestOp>) -> Result<(), Error> {
    let failed_branch = api::TxnRequest { failure: success.clone(), ..api::TxnRequest::default() };
    let request = api::TxnRequest { success, ..api::TxnRequest::default() };
    let checked = check_txn_request(&request, TXN_OPERATIONS_MAX);
    assert_eq!(check_txn_request(&failed_branch, TXN_OPERATIONS_MAX), checked, "either branch");
    checked
}

#[test]
fn empty_keys_and_contradicting_flags_are_refused() {
    assert_eq!(check_range_request(&api::RangeRequest::default()), Err(Error::EmptyKey));
    assert_eq!(check_delete_range_request(&Default::default()), Err(Error::EmptyKey));
    assert_eq!(check_put_request(&Default::default()), Err(Error::EmptyKey));
    let put = api::PutRequest { key: bytes("k"), ..Default::default() };
    assert_eq!(check_put_request(&put), Ok(()));
    let value = api::PutRequest { value: bytes("v"), ignore_value: true, ..put.clone() };
    assert_eq!(check_put_request(&value), Err(Error::ValueProvided));
    let lease = api::PutRequest { lease: LeaseId(1), ignore_lease: true, ..put };
    assert_eq!(check_put_request(&lease), Err(Error::LeaseProvided));
    let compare = api::Compare {
        result: api::CompareResult::Equal,
        target: api::CompareTarget::Version(0),
        key: Bytes::new(),
        range_end: Bytes::new(),
    };
    let txn = api::TxnRequest { compare: vec![compare], ..api::TxnRequest::default() };
    assert_eq!(check_txn_request(&txn, TXN_OPERATIONS_MAX), Err(Error::EmptyKey));
}

#[test]
fn two_writes_of_one_key_are_refused() {
    let duplicate = Err(Error::DuplicateKey);
    assert_eq!(check(vec![put("a"), put("b")]), Ok(()));
    assert_eq!(check(vec![put("a"), put("a")]), duplicate);
    assert_eq!(check(vec![del("a", ""), put("a")]), duplicate);
    assert_eq!(check(vec![put("a"), del("a", "")]), duplicate);
    assert_eq!(check(vec![put("b"), del("a", "c")]), duplicate);
    assert_eq!(check(vec![put("c"), del("a", "c")]), Ok(()));
    assert_eq!(check(vec![del("a", ""), del("a", "")]), Ok(()));
    assert_eq!(check(vec![del("a", "c"), del("b", "d")]), Ok(()));
}

#[test]
fn from_key_delete_counts_as_everything_behind_it() {
    assert_eq!(check(vec![del("a", "\0"), put("b")]), Err(Error::DuplicateKey));
    assert_eq!(check(vec![del("b", "\0"), put("a")]), Ok(()));
}

#[test]
fn branches_of_one_nested_transaction_may_put_the_same_key() {
    let duplicate = Err(Error::DuplicateKey);
    assert_eq!(check(vec![nested(vec![put("a")], vec![put("a")])]), Ok(()));
    assert_eq!(check(vec![nested(vec![put("a")], vec![put("a")]), put("a")]), duplicate);
    assert_eq!(
        check(vec![nested(vec![put("a")], vec![]), nested(vec![], vec![put("a")])]),
        duplicate
    );
    assert_eq!(check(vec![nested(vec![put("a")], vec![]), del("a", "")]), duplicate);
    assert_eq!(check(vec![nested(vec![del("a", "")], vec![]), put("a")]), duplicate);
    assert_eq!(check(vec![nested(vec![put("a"), put("a")], vec![])]), duplicate);
    assert_eq!(check(vec![nested(vec![del("a", "")], vec![put("a")])]), Ok(()));
}

#[test]
fn budget_of_operations_shrinks_with_depth() {
    let puts = |count: u32| (0..count).map(|i| put(&format!("k{i}"))).collect::<Vec<_>>();
    assert_eq!(check(puts(128)), Ok(()));
    assert_eq!(check(puts(129)), Err(Error::TooManyOps));
    assert_eq!(check(vec![nested(puts(127), vec![])]), Ok(()));
    assert_eq!(check(vec![nested(puts(128), vec![])]), Err(Error::TooManyOps));
    assert_eq!(check(vec![nested(vec![], puts(128))]), Err(Error::TooManyOps));
    let mut deep = put("a");
    for _ in 0..127 {
        deep = nested(vec![deep], vec![]);
    }
    assert_eq!(check(vec![deep.clone()]), Ok(()));
    assert_eq!(check(vec![nested(vec![deep], vec![])]), Err(Error::TooManyOps));
}
