//! B and C: transactions, ranges, compaction.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use bytes::Bytes;
use etcd_playground::api::{
    CompactionRequest, CompareResult, CompareTarget, DeleteRangeRequest, PutRequest, RangeRequest,
    Request, Response, ResponseOp, SortOrder, SortTarget, TxnRequest,
};
use etcd_playground::types::{LeaseId, MemberId};

use crate::support::Run;
use crate::talk::{
    FROM_KEY, Found, bytes, compare, del_op, get_at, get_op, one, put_op, range, then, txn,
};

const COMPACTED: &str = "etcdserver: mvcc: required revision has been compacted";
const FUTURE: &str = "etcdserver: mvcc: required revision is a future revision";
const DUPLICATE: &str = "etcdserver: duplicate key given in txn request";

const OPERATORS: [CompareResult; 4] =
    [CompareResult::Equal, CompareResult::NotEqual, CompareResult::Greater, CompareResult::Less];

fn names(found: Vec<Found>) -> Vec<String> {
    found.into_iter().map(|(key, _, _)| key).collect()
}

/// 18
#[test]
fn no_compare_of_a_missing_value_holds() {
    let (mut run, only) = one();
    for result in OPERATORS {
        let target = CompareTarget::Value(Bytes::from_static(b"x"));
        let request =
            TxnRequest { compare: vec![compare("k", result, target)], ..Default::default() };
        assert!(!txn(&mut run, only, request).unwrap().succeeded, "{result:?}");
    }
    let version = compare("k", CompareResult::Equal, CompareTarget::Version(0));
    let request = TxnRequest { compare: vec![version], ..Default::default() };
    assert!(txn(&mut run, only, request).unwrap().succeeded, "its version is 0");
}

/// 19
#[test]
fn a_negative_revision_in_a_transaction_is_fine_until_something_is_compacted() {
    let (mut run, only) = one();
    run.put(only, "k", "1").unwrap();
    let read = |run: &mut Run| txn(run, only, then(vec![put_op("a", "1"), get_op("k", -1)]));
    let ResponseOp::Range(found) = read(&mut run).unwrap().responses[1].clone() else { panic!() };
    assert_eq!(found.kvs[0].value, "1");
    assert_eq!(get_at(&mut run, only, "k", -1), Ok(Some("1".to_owned())));
    run.compact(only, 2);
    assert_eq!(read(&mut run).unwrap_err(), COMPACTED);
    assert_eq!(get_at(&mut run, only, "k", -1), Ok(Some("1".to_owned())), "outside: the newest");
}

/// 20
#[test]
fn a_transaction_that_reads_compacted_history_does_nothing_on_any_member() {
    let mut run = Run::new(3, 1, |_| {});
    let leader = run.wait_leader();
    for _ in 2..=8 {
        run.put(leader, "b", "v").unwrap();
    }
    run.compact(leader, 5);
    let request = then(vec![put_op("a", "1"), get_op("b", 3)]);
    assert_eq!(txn(&mut run, leader, request).unwrap_err(), COMPACTED);
    run.run_ms(300);
    for id in run.ids() {
        assert_eq!(run.get(id, "a", true), Ok(None));
        assert_eq!(run.sim.status(id).unwrap().revision, 8);
    }
    run.assert_equal();
}

/// 21: a defect of 3.7.1, refused here
#[test]
fn a_put_in_the_range_of_a_from_key_delete_is_a_duplicate() {
    let (mut run, only) = one();
    let request = then(vec![del_op("a", FROM_KEY), put_op("b", "1")]);
    assert_eq!(txn(&mut run, only, request).unwrap_err(), DUPLICATE);
    let explicit = then(vec![del_op("a", b"c"), put_op("b", "1")]);
    assert_eq!(txn(&mut run, only, explicit).unwrap_err(), DUPLICATE);
    assert!(txn(&mut run, only, then(vec![del_op("b", b"c"), put_op("a", "1")])).is_ok());
}

/// 22: a defect of 3.7.1; such a transaction does not get here, but one through a lease does the same
#[test]
fn a_key_deleted_and_created_in_one_revision_is_kept_by_a_compaction_there() {
    use etcd_playground::mvcc::WatchableStore;
    let mut store = WatchableStore::new();
    let key = Bytes::from_static(b"a");
    let mut first = store.begin_write();
    first.put(&key, Bytes::from_static(b"1"), LeaseId(0));
    let _ = first.end();
    let mut second = store.begin_write();
    second.delete_range(&key, &Bytes::from_static(FROM_KEY));
    second.put(&key, Bytes::from_static(b"2"), LeaseId(0));
    let _ = second.end();
    store.compact(3).unwrap();
    while !store.compact_batch(10).finished {}
    let found = store.range(&RangeRequest { key, ..Default::default() }).unwrap();
    let kv = &found.kvs[0];
    assert_eq!((&kv.value[..], kv.create_revision, kv.version), (&b"2"[..], 3, 1));
}

/// 23
#[test]
fn what_counts_as_a_duplicate_key() {
    let (mut run, only) = one();
    let mut result = |ops| txn(&mut run, only, then(ops)).map(|response| response.responses);
    assert_eq!(result(vec![put_op("a", "1"), put_op("a", "2")]).unwrap_err(), DUPLICATE);
    assert_eq!(result(vec![del_op("a", &[]), put_op("a", "1")]).unwrap_err(), DUPLICATE);
    assert!(result(vec![put_op("a", "1")]).is_ok());
    let twice = result(vec![del_op("a", &[]), del_op("a", &[])]).unwrap();
    let deleted: Vec<i64> = twice
        .iter()
        .map(|op| match op {
            ResponseOp::DeleteRange(deleted) => deleted.deleted,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(deleted, [1, 0]);
    let nested = TxnRequest {
        success: vec![put_op("a", "1")],
        failure: vec![put_op("a", "2")],
        ..Default::default()
    };
    let nested = vec![etcd_playground::api::RequestOp::Txn(nested)];
    assert!(txn(&mut run, only, then(nested)).is_ok(), "then and else of one may share a key");
}

/// 24
#[test]
fn a_write_whose_leader_died_before_its_answer_may_be_there_and_is_there_once() {
    let mut applied = 0;
    for seed in 1..=12 {
        let mut run = Run::new(3, seed, |_| {});
        let leader = run.wait_leader();
        run.put(leader, "k", "0").unwrap();
        let missing = compare("k", CompareResult::Equal, CompareTarget::Version(1));
        let request = TxnRequest {
            compare: vec![missing],
            success: vec![put_op("k", "mine")],
            ..Default::default()
        };
        let call = run.sim.request(leader, Request::Txn(request));
        run.run_ms(seed);
        run.sim.kill(leader);
        run.run_ms(100);
        let answer = run.reply(call);
        let new = run.wait_leader();
        let (_, value, (_, _, version)) =
            range(&mut run, new, RangeRequest { key: bytes(b"k"), ..Default::default() })
                .unwrap()
                .remove(0);
        let is_there = value == "mine";
        assert!(matches!((is_there, version), (true, 2) | (false, 1)), "{value} {version}");
        if matches!(answer, Some(Ok(_))) {
            assert!(is_there, "what was acknowledged is there");
        }
        applied += u32::from(is_there);
    }
    assert!((1..12).contains(&applied), "{applied} of 12: both happen");
}

/// 25
#[test]
fn a_target_without_an_order_sorts_upwards_and_cuts_by_key_before() {
    let (mut run, only) = one();
    for key in ["foo3", "foo1", "foo2"] {
        run.put(only, key, "v").unwrap();
    }
    let by_creation = |limit| RangeRequest {
        key: bytes(b"foo"),
        range_end: bytes(b"foo4"),
        sort_target: SortTarget::Create,
        limit,
        ..Default::default()
    };
    let found = range(&mut run, only, by_creation(0)).unwrap();
    assert_eq!(names(found), ["foo3", "foo1", "foo2"]);
    let cut = range(&mut run, only, by_creation(1)).unwrap();
    assert_eq!(names(cut), ["foo1"], "of the first two by key");
}

/// 26
#[test]
fn pages_downwards_are_cut_after_the_sort() {
    let (mut run, only) = one();
    for key in 1..=9 {
        run.put(only, &key.to_string(), "v").unwrap();
    }
    let down = |range_end: &[u8]| RangeRequest {
        key: bytes(b"5"),
        range_end: bytes(range_end),
        sort_order: SortOrder::Descend,
        limit: 2,
        ..Default::default()
    };
    assert_eq!(names(range(&mut run, only, down(FROM_KEY)).unwrap()), ["9", "8"]);
    assert_eq!(names(range(&mut run, only, down(b"8")).unwrap()), ["7", "6"]);
    let up = RangeRequest {
        key: bytes(b"6\0"),
        range_end: bytes(FROM_KEY),
        limit: 2,
        ..Default::default()
    };
    assert_eq!(names(range(&mut run, only, up).unwrap()), ["7", "8"]);
}

/// 27
#[test]
fn a_revision_below_the_compacted_one_is_refused_even_if_nothing_changed_since() {
    let (mut run, only) = one();
    run.put(only, "a", "b").unwrap();
    run.put(only, "b", "c").unwrap();
    run.compact(only, 3);
    assert_eq!(get_at(&mut run, only, "a", 2).unwrap_err(), COMPACTED);
    assert_eq!(get_at(&mut run, only, "a", 0), Ok(Some("b".to_owned())));
    assert_eq!(get_at(&mut run, only, "a", 3), Ok(Some("b".to_owned())));
}

/// 28
#[test]
fn a_compaction_at_the_newest_revision_leaves_it_readable() {
    let (mut run, only) = one();
    run.put(only, "abc", "123").unwrap();
    run.compact(only, 2);
    assert_eq!(get_at(&mut run, only, "abc", 0), Ok(Some("123".to_owned())));
    let mut again = |revision| {
        let request = CompactionRequest { revision, physical: false };
        run.ask(only, Request::Compaction(request)).unwrap_err()
    };
    assert_eq!(again(2), COMPACTED);
    assert_eq!(again(3), FUTURE);
}

fn put_bytes(run: &mut Run, to: MemberId, key: &[u8], value: &[u8]) {
    let put = PutRequest { key: bytes(key), value: bytes(value), ..Default::default() };
    run.ask(to, Request::Put(put)).unwrap();
}

/// 31
#[test]
fn any_bytes_are_a_key_and_a_value_and_come_back_exactly() {
    let (mut run, only) = one();
    let odd = [0xff, 0x00, 0x0a];
    put_bytes(&mut run, only, &odd, &[0xc3, 0x28, 0x00]);
    let get = RangeRequest { key: bytes(&odd), ..Default::default() };
    let Ok(Response::Range(found)) = run.ask(only, Request::Range(get)) else { panic!() };
    assert_eq!((&found.kvs[0].key[..], &found.kvs[0].value[..]), (&odd[..], &[0xc3, 0x28, 0][..]));
    let delete = DeleteRangeRequest { key: bytes(&odd), ..Default::default() };
    let Ok(Response::DeleteRange(gone)) = run.ask(only, Request::DeleteRange(delete)) else {
        panic!()
    };
    assert_eq!(gone.deleted, 1);
}

/// 33
#[test]
fn keys_without_and_with_odd_slashes_are_keys() {
    let (mut run, only) = one();
    for key in ["foo", "/", "//", "a//b", "a/"] {
        run.put(only, key, "v").unwrap();
    }
    let all = RangeRequest { key: bytes(&[0]), range_end: bytes(FROM_KEY), ..Default::default() };
    assert_eq!(names(range(&mut run, only, all).unwrap()), ["/", "//", "a/", "a//b", "foo"]);
}

/// H: a lease compare, which 3.7.1 panics at
#[test]
fn a_lease_is_compared_as_a_number() {
    let (mut run, only) = one();
    let greater = |run: &mut Run| {
        let target = CompareTarget::Lease(LeaseId(0));
        let compare = compare("foo1", CompareResult::Greater, target);
        txn(run, only, TxnRequest { compare: vec![compare], ..Default::default() })
            .unwrap()
            .succeeded
    };
    assert!(!greater(&mut run), "an empty store");
    let grant = etcd_playground::api::LeaseGrantRequest { ttl: 100, id: LeaseId(0x10) };
    run.ask(only, Request::LeaseGrant(grant)).unwrap();
    crate::talk::put_leased(&mut run, only, "foo1", 0x10).unwrap();
    assert!(greater(&mut run));
}

/// H: a lock is advice; whoever holds it fences its writes with the lock key's create revision
#[test]
fn a_lock_whose_lease_ran_out_no_longer_lets_its_holder_write() {
    let (mut run, only) = one();
    let grant = etcd_playground::api::LeaseGrantRequest { ttl: 2, id: LeaseId(7) };
    run.ask(only, Request::LeaseGrant(grant)).unwrap();
    crate::talk::put_leased(&mut run, only, "lock/7", 7).unwrap();
    let held = compare("lock/7", CompareResult::Equal, CompareTarget::Create(2));
    let write = || TxnRequest {
        compare: vec![held.clone()],
        success: vec![put_op("data", "mine")],
        ..Default::default()
    };
    assert!(txn(&mut run, only, write()).unwrap().succeeded);
    run.run_ms(4_000);
    assert!(!txn(&mut run, only, write()).unwrap().succeeded, "the lock key is gone");
    crate::talk::put_leased(&mut run, only, "lock/7", 0).unwrap();
    assert!(!txn(&mut run, only, write()).unwrap().succeeded, "it is somebody else's now");
}
