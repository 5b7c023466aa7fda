use super::*;
use crate::api::{LeaseGrantRequest, LeaseGrantResponse, LeaseRevokeRequest, LeaseRevokeResponse};
use crate::types::LeaseId;

fn grant(id: i64) -> Request {
    Request::LeaseGrant(LeaseGrantRequest { ttl: 5, id: LeaseId(id) })
}

fn granted(revision: i64, id: i64) -> Response {
    let (header, id) = (header(revision), LeaseId(id));
    Response::LeaseGrant(LeaseGrantResponse { header, id, ttl: 7, error: String::new() })
}

fn revoke(id: i64) -> Request {
    Request::LeaseRevoke(LeaseRevokeRequest { id: LeaseId(id) })
}

fn put_with(key: &str, value: &str, lease: i64) -> Request {
    Request::Put(PutRequest {
        key: bytes(key),
        value: bytes(value),
        lease: LeaseId(lease),
        ..Default::default()
    })
}

fn with_lease(kv: KeyValue, lease: i64) -> KeyValue {
    KeyValue { lease: LeaseId(lease), ..kv }
}

fn refused(invoked: u64, at: u64, request: Request, error: Error) -> Operation {
    let outcome = Outcome::Returned { at, result: Err(error) };
    Operation { client: 0, request, invoked, outcome }
}

#[test]
fn a_lease_takes_its_keys_with_it_and_no_others() {
    let mut model = Model::default();
    assert_eq!(model.apply(&put_with("a", "1", 9)), Err(Error::LeaseNotFound));
    assert_eq!(model.apply(&grant(0)), Err(Error::LeaseNotFound));
    assert!(model.apply(&grant(9)).is_ok());
    assert_eq!(model.apply(&grant(9)), Err(Error::LeaseExist));
    assert!(model.apply(&grant(8)).is_ok());
    for (key, lease) in [("d", 9), ("a", 9), ("b", 9), ("c", 8), ("e", 9)] {
        assert!(model.apply(&put_with(key, "1", lease)).is_ok());
    }
    // Put without a lease, and moved to another.
    assert!(model.apply(&put("b", "2")).is_ok());
    assert!(model.apply(&put_with("e", "2", 8)).is_ok());
    let keeps = PutRequest { key: bytes("a"), ignore_lease: true, ..Default::default() };
    assert!(model.apply(&Request::Put(keeps)).is_ok());
    assert_eq!(model.keys_of(LeaseId(9)), [bytes("a"), bytes("d")]);

    let before = model.revision();
    assert!(model.apply(&revoke(9)).is_ok());
    assert_eq!(model.revision(), before + 1, "all keys go in one revision");
    let gone: Vec<Bytes> =
        model.changes(before + 1).iter().map(|change| change.event.kv.key.clone()).collect();
    assert_eq!(gone, [bytes("a"), bytes("d")]);
    assert_eq!(model.apply(&revoke(9)), Err(Error::LeaseNotFound));
    assert_eq!(model.apply(&put_with("a", "1", 9)), Err(Error::LeaseNotFound));
    assert_eq!(model.keys_of(LeaseId(8)), [bytes("c"), bytes("e")]);
}

#[test]
fn what_happened_to_leases_can_be_taken_back() {
    let mut model = Model::default();
    assert!(model.apply(&grant(9)).is_ok());
    assert!(model.apply(&put_with("a", "1", 9)).is_ok());
    let before = (model.fingerprint(), model.revision(), model.lease_changes().to_vec());
    assert!(model.apply(&revoke(9)).is_ok());
    assert_ne!(model.fingerprint(), before.0);
    model.undo();
    assert_eq!((model.fingerprint(), model.revision(), model.lease_changes().to_vec()), before);
    assert_eq!(model.leases().get(&LeaseId(9)), Some(&5));
    assert_eq!(model.keys_of(LeaseId(9)), [bytes("a")]);
}

#[test]
fn a_key_with_a_lease_may_go_by_itself_and_one_without_may_not() {
    let history = |lease: i64| {
        let kv = with_lease(kv("a", "1", 2, 2, 1), lease);
        vec![
            done(1, 2, grant(9), granted(1, 9)),
            done(3, 4, put_with("a", "1", lease), put_done(2)),
            done(5, 6, get("a"), got(2, vec![kv])),
            done(7, 8, get("a"), got(3, vec![])),
        ]
    };
    replay(history(9));
    assert_violation(history(0));
}

#[test]
fn a_lease_that_ended_is_not_there_again() {
    let ended = |after: Operation| {
        vec![
            done(1, 2, grant(9), granted(1, 9)),
            refused(3, 4, put_with("a", "1", 9), Error::LeaseNotFound),
            after,
        ]
    };
    replay(ended(refused(5, 6, put_with("a", "1", 9), Error::LeaseNotFound)));
    assert_violation(ended(done(5, 6, put_with("a", "1", 9), put_done(2))));
    let revoked = Response::LeaseRevoke(LeaseRevokeResponse { header: header(1) });
    assert_violation(ended(done(5, 6, revoke(9), revoked)));
    // Granted anew it is another one.
    let mut again = ended(done(5, 6, grant(9), granted(1, 9)));
    again.push(done(7, 8, put_with("a", "1", 9), put_done(2)));
    replay(again);
}

#[test]
fn an_id_that_the_member_chose_is_known_from_its_answer() {
    replay(vec![
        done(1, 2, grant(0), granted(1, 77)),
        done(3, 4, put_with("a", "1", 77), put_done(2)),
    ]);
    assert_violation(vec![
        done(1, 2, grant(0), granted(1, 77)),
        done(3, 4, put_with("a", "1", 78), put_done(2)),
    ]);
}

#[test]
fn with_the_log_known_the_moment_of_each_end_is_known() {
    let mut log = Model::default();
    for request in [grant(9), put("k", "1"), revoke(9), put("k", "2")] {
        assert!(log.apply(&request).is_ok());
        log.settle();
    }
    let history = |refused_at: (u64, u64), second: (u64, u64)| {
        of(vec![
            done(1, 2, grant(9), granted(1, 9)),
            done(3, 4, put("k", "1"), put_done(2)),
            refused(refused_at.0, refused_at.1, put_with("a", "1", 9), Error::LeaseNotFound),
            done(second.0, second.1, put("k", "2"), put_done(3)),
        ])
    };
    let is_explained = |history: &History| {
        matches!(linearize_as(history, &log, STEPS_MAX), Verdict::Linearizable(_))
    };
    assert!(is_explained(&history((5, 6), (7, 8))));
    assert!(is_explained(&history((7, 8), (5, 6))));
    let early = of(vec![
        done(1, 2, grant(9), granted(1, 9)),
        refused(3, 4, put_with("a", "1", 9), Error::LeaseNotFound),
        done(5, 6, put("k", "1"), put_done(2)),
        done(7, 8, put("k", "2"), put_done(3)),
    ]);
    assert!(!is_explained(&early), "the lease still was there then");
}

#[test]
fn a_write_of_an_earlier_owner_is_found() {
    let mut model = Model::default();
    let mut apply = |request: &Request| {
        assert!(model.apply(request).is_ok());
        model.settle();
        model.clone()
    };
    let delete = |key: &str| {
        Request::DeleteRange(DeleteRangeRequest { key: bytes(key), ..Default::default() })
    };
    apply(&put("lock/a", ""));
    apply(&put("lock/b", ""));
    assert_eq!(check_fencing(&apply(&put("data", "v@2")), b"lock/", b"data"), Ok(1));
    let stranger = apply(&put("data", "v@3"));
    assert!(check_fencing(&stranger, b"lock/", b"data").is_err(), "b still waits");
    let mut model = Model::default();
    for request in [put("lock/a", ""), put("lock/b", ""), delete("lock/a"), put("data", "v@3")] {
        assert!(model.apply(&request).is_ok());
    }
    assert_eq!(check_fencing(&model, b"lock/", b"data"), Ok(1));
    assert!(model.apply(&put("data", "v@2")).is_ok());
    assert!(check_fencing(&model, b"lock/", b"data").is_err(), "a is gone");
}
