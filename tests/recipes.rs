//! Locks and elections by recipe, on the checker's model of a store.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code: it panics to fail"
)]

use bytes::Bytes;
use etcd_playground::api::{
    LeaseGrantRequest, LeaseRevokeRequest, Request, RequestOp, Response, TxnRequest,
    WatchCreateRequest, WatchResponse,
};
use etcd_playground::check::Model;
use etcd_playground::recipes::{Election, Failure, Lock, Observer, Sight, Step, keep_alive_ms};
use etcd_playground::types::LeaseId;

/// A store that answers at once.
struct Store(Model);

impl Store {
    fn with_sessions(leases: &[i64]) -> Self {
        let mut store = Self(Model::default());
        for id in leases {
            let grant = LeaseGrantRequest { ttl: 60, id: LeaseId(*id) };
            store.ask(&Request::LeaseGrant(grant)).unwrap();
        }
        store
    }

    fn ask(&mut self, request: &Request) -> Option<Response> {
        let answer = self.0.apply(request).ok();
        self.0.settle();
        answer
    }

    fn revoke(&mut self, id: i64) {
        self.ask(&Request::LeaseRevoke(LeaseRevokeRequest { id: LeaseId(id) })).unwrap();
    }

    /// Everything that a watch has to tell by now.
    fn watched(&self, watch: &WatchCreateRequest) -> WatchResponse {
        let is_in = |key: &[u8]| match watch.range_end.as_ref() {
            [] => key == watch.key.as_ref(),
            end => key >= watch.key.as_ref() && key < end,
        };
        let events = (watch.start_revision..=self.0.revision())
            .flat_map(|revision| self.0.changes(revision))
            .map(|change| change.event.clone())
            .filter(|event| is_in(&event.kv.key))
            .collect();
        WatchResponse { events, ..WatchResponse::default() }
    }
}

/// Goes on with a lock until it is owned or waits; gives the watch that it waits with.
fn drive_lock(store: &mut Store, lock: &mut Lock, first: Step) -> Option<WatchCreateRequest> {
    let mut step = first;
    loop {
        match step {
            Step::Ask(request) => step = lock.answered(&store.ask(&request).unwrap()).unwrap(),
            Step::Watch(watch) => return Some(watch),
            Step::Done => return None,
            Step::Wait => panic!("it waits for nothing"),
        }
    }
}

fn drive_election(
    store: &mut Store,
    election: &mut Election,
    first: Step,
) -> Option<WatchCreateRequest> {
    let mut step = first;
    loop {
        match step {
            Step::Ask(request) => step = election.answered(&store.ask(&request).unwrap()).unwrap(),
            Step::Watch(watch) => return Some(watch),
            Step::Done => return None,
            Step::Wait => panic!("it waits for nothing"),
        }
    }
}

fn enter(store: &mut Store, lock: &mut Lock) -> Option<WatchCreateRequest> {
    let first = lock.start();
    drive_lock(store, lock, first)
}

fn guarded(lock: &Lock) -> Request {
    let put =
        etcd_playground::api::PutRequest { key: Bytes::from_static(b"data"), ..Default::default() };
    let (compare, success) = (vec![lock.is_owner()], vec![RequestOp::Put(put)]);
    Request::Txn(TxnRequest { compare, success, failure: Vec::new() })
}

fn did_succeed(store: &mut Store, request: &Request) -> bool {
    match store.ask(request) {
        Some(Response::Txn(txn)) => txn.succeeded,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_owns_the_lock_and_each_waits_for_the_one_before() {
    let mut store = Store::with_sessions(&[10, 11, 12]);
    let mut locks: Vec<Lock> = [10, 11, 12].map(|id| Lock::new(b"name", LeaseId(id))).into();
    assert_eq!(enter(&mut store, &mut locks[0]), None);
    assert!(locks[0].owns());
    assert_eq!(locks[0].key().as_ref(), b"name/a", "the lease in hex after the name");
    let second = enter(&mut store, &mut locks[1]).expect("it waits");
    let third = enter(&mut store, &mut locks[2]).expect("it waits");
    assert_eq!((second.key.as_ref(), third.key.as_ref()), (&b"name/a"[..], &b"name/b"[..]));

    // The one in the middle gives up: the third waits for the first now.
    store.ask(&locks[1].unlock()).unwrap();
    let step = locks[2].watched(&store.watched(&third)).unwrap();
    let third = drive_lock(&mut store, &mut locks[2], step).expect("it still waits");
    assert_eq!(third.key.as_ref(), b"name/a");
    assert_eq!(locks[2].watched(&WatchResponse::default()), Ok(Step::Wait));

    store.ask(&locks[0].unlock()).unwrap();
    let step = locks[2].watched(&store.watched(&third)).unwrap();
    assert_eq!(drive_lock(&mut store, &mut locks[2], step), None);
    assert!(locks[2].owns());
    assert!(locks[2].revision() > locks[0].revision(), "a later owner has a higher token");
}

#[test]
fn entering_twice_is_entering_once() {
    let mut store = Store::with_sessions(&[1]);
    let mut lock = Lock::new(b"name", LeaseId(1));
    assert_eq!(enter(&mut store, &mut lock), None);
    let revision = lock.revision();
    let mut again = Lock::new(b"name", LeaseId(1));
    assert_eq!(enter(&mut store, &mut again), None);
    assert_eq!(again.revision(), revision);
}

#[test]
fn an_owner_whose_lease_is_over_writes_nothing() {
    let mut store = Store::with_sessions(&[1, 2]);
    let (mut late, mut next) = (Lock::new(b"name", LeaseId(1)), Lock::new(b"name", LeaseId(2)));
    assert_eq!(enter(&mut store, &mut late), None);
    let watch = enter(&mut store, &mut next).expect("it waits");
    assert!(did_succeed(&mut store, &guarded(&late)));
    store.revoke(1);
    let step = next.watched(&store.watched(&watch)).unwrap();
    assert_eq!(drive_lock(&mut store, &mut next, step), None);
    assert!(late.owns() && next.owns(), "both believe it");
    assert!(!did_succeed(&mut store, &guarded(&late)));
    assert!(did_succeed(&mut store, &guarded(&next)));
}

#[test]
fn whoever_waits_too_long_hears_that_the_session_is_over() {
    let mut store = Store::with_sessions(&[1, 2]);
    let (mut first, mut second) = (Lock::new(b"n", LeaseId(1)), Lock::new(b"n", LeaseId(2)));
    assert_eq!(enter(&mut store, &mut first), None);
    assert!(enter(&mut store, &mut second).is_some());
    store.revoke(2);
    store.revoke(1);
    let mut step = second.look_again();
    let failure = loop {
        let Step::Ask(request) = &step else { panic!("{step:?}") };
        match second.answered(&store.ask(request).unwrap()) {
            Ok(next) => step = next,
            Err(failure) => break failure,
        }
    };
    assert_eq!(failure, Failure::SessionExpired);
    assert_eq!(failure.to_string(), "mutex: session is expired");
}

#[test]
fn a_leader_says_what_it_wants_until_it_resigns_or_is_over() {
    let mut store = Store::with_sessions(&[1, 2]);
    let mut one = Election::new(b"e", LeaseId(1), Bytes::from_static(b"one"));
    let mut two = Election::new(b"e", LeaseId(2), Bytes::from_static(b"two"));
    let step = one.start();
    assert_eq!(drive_election(&mut store, &mut one, step), None);
    let step = two.start();
    let watch = drive_election(&mut store, &mut two, step).expect("it waits");
    assert!(one.leads() && !two.leads());
    let request = one.proclaim(Bytes::from_static(b"uno"));
    assert_eq!(one.proclaimed(&store.ask(&request).unwrap()), Ok(()));
    // The same session campaigns again with another value: it stays in office and says that.
    let mut again = Election::new(b"e", LeaseId(1), Bytes::from_static(b"eins"));
    let step = again.start();
    assert_eq!(drive_election(&mut store, &mut again, step), None);
    assert_eq!(again.revision(), one.revision());
    let kv = store.0.get(b"e/1", store.0.revision()).unwrap();
    assert_eq!(kv.value.as_ref(), b"eins");

    assert!(did_succeed(&mut store, &again.resign()));
    let request = one.proclaim(Bytes::from_static(b"late"));
    let failure = one.proclaimed(&store.ask(&request).unwrap()).unwrap_err();
    assert_eq!(failure.to_string(), "election: not leader");
    let step = two.watched(&store.watched(&watch)).unwrap();
    assert_eq!(drive_election(&mut store, &mut two, step), None);
    assert!(two.leads());
}

#[test]
fn an_observer_sees_each_leader_and_what_it_says() {
    let mut store = Store::with_sessions(&[1, 2]);
    let mut eye = Observer::new(b"e");
    let Step::Ask(request) = eye.start() else { panic!("it asks first") };
    let sight = eye.answered(&store.ask(&request).unwrap()).unwrap();
    let Sight { said, step: Step::Watch(watch) } = sight else { panic!("{sight:?}") };
    assert!(said.is_empty(), "nobody leads yet");

    let mut one = Election::new(b"e", LeaseId(1), Bytes::from_static(b"one"));
    let step = one.start();
    assert_eq!(drive_election(&mut store, &mut one, step), None);
    let sight = eye.watched(&store.watched(&watch)).unwrap();
    let Sight { said, step: Step::Watch(watch) } = sight else { panic!("{sight:?}") };
    assert_eq!(said[0].value.as_ref(), b"one");

    let request = one.proclaim(Bytes::from_static(b"uno"));
    store.ask(&request).unwrap();
    let sight = eye.watched(&store.watched(&watch)).unwrap();
    assert_eq!((sight.said.len(), &sight.step), (1, &Step::Wait));
    assert_eq!(sight.said[0].value.as_ref(), b"uno");

    let watch = WatchCreateRequest { start_revision: store.0.revision() + 1, ..watch };
    store.ask(&one.resign()).unwrap();
    let sight = eye.watched(&store.watched(&watch)).unwrap();
    assert!(matches!(sight.step, Step::Ask(_)), "it asks who leads now");
}

#[test]
fn a_lease_is_kept_alive_three_times_in_its_life() {
    assert_eq!(keep_alive_ms(60), 20_000);
    assert_eq!(keep_alive_ms(-1), 0);
}
