//! Locks and elections as etcd's concurrency recipes do them: a key per contender under a lease, the
//! oldest holds, everybody else waits for the one before.

use bytes::Bytes;
use etcd_playground::api::{
    Compare, CompareResult, CompareTarget, DeleteRangeRequest, EventType, LeaseGrantRequest,
    LeaseKeepAliveRequest, PutRequest, RangeRequest, Request, RequestOp, Response, SortOrder,
    SortTarget, TxnRequest, WatchCreateRequest, WatchRequest,
};
use etcd_playground::cluster::CallId;
use etcd_playground::types::{LeaseId, MemberId};

use crate::support::Run;

const PREFIX: &str = "lock/";

/// Somebody with a session: a lease, kept alive on a stream of its own.
struct Contender {
    member: MemberId,
    lease: LeaseId,
    key: Bytes,
    /// The create revision of its key: its place in the queue.
    place: i64,
    stream: CallId,
}

fn created(key: &Bytes, result: CompareResult, revision: i64) -> Compare {
    let target = CompareTarget::Create(revision);
    Compare { key: key.clone(), range_end: Bytes::new(), result, target }
}

impl Contender {
    /// Stands in the queue with a value.
    fn enter(run: &mut Run, member: MemberId, id: i64, value: &str) -> Self {
        let lease = LeaseId(id);
        run.ask(member, Request::LeaseGrant(LeaseGrantRequest { ttl: 5, id: lease })).unwrap();
        let stream = run.sim.keep_alive(member, None, LeaseKeepAliveRequest { id: lease });
        let key = Bytes::from(format!("{PREFIX}{id:x}"));
        let value = Bytes::copy_from_slice(value.as_bytes());
        let put = PutRequest { key: key.clone(), value, lease, ..Default::default() };
        let enter = TxnRequest {
            compare: vec![created(&key, CompareResult::Equal, 0)],
            success: vec![RequestOp::Put(put)],
            ..Default::default()
        };
        let Ok(Response::Txn(entered)) = run.ask(member, Request::Txn(enter)) else { panic!() };
        assert!(entered.succeeded);
        Self { member, lease, key, place: entered.header.revision, stream }
    }

    fn stay_alive(&self, run: &mut Run) {
        let request = LeaseKeepAliveRequest { id: self.lease };
        run.sim.keep_alive(self.member, Some(self.stream), request);
    }

    /// The key of the one before it: the youngest that is older.
    fn before(&self, run: &mut Run) -> Option<Bytes> {
        let older = RangeRequest {
            key: Bytes::from(PREFIX),
            range_end: Bytes::from_static(b"lock0"),
            sort_target: SortTarget::Create,
            sort_order: SortOrder::Descend,
            max_create_revision: self.place - 1,
            limit: 1,
            ..Default::default()
        };
        match run.ask(self.member, Request::Range(older)) {
            Ok(Response::Range(found)) => found.kvs.first().map(|kv| kv.key.clone()),
            other => panic!("{other:?}"),
        }
    }

    fn leave(&self, run: &mut Run) {
        let delete = DeleteRangeRequest { key: self.key.clone(), ..Default::default() };
        run.ask(self.member, Request::DeleteRange(delete)).unwrap();
        run.sim.cancel(self.stream);
    }
}

/// Who holds: the oldest key.
fn holder(run: &mut Run, member: MemberId) -> Option<(Bytes, Bytes)> {
    let oldest = RangeRequest {
        key: Bytes::from(PREFIX),
        range_end: Bytes::from_static(b"lock0"),
        sort_target: SortTarget::Create,
        sort_order: SortOrder::Ascend,
        limit: 1,
        ..Default::default()
    };
    match run.ask(member, Request::Range(oldest)) {
        Ok(Response::Range(found)) => {
            found.kvs.first().map(|kv| (kv.key.clone(), kv.value.clone()))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn contenders_get_the_lock_in_the_order_in_which_they_came() {
    let mut run = Run::new(3, 1, |_| {});
    let leader = run.wait_leader();
    let members = run.ids();
    let queue: Vec<Contender> = (1..=4)
        .map(|id| {
            let member = members[usize::try_from(id).unwrap() % 3];
            Contender::enter(&mut run, member, id, "")
        })
        .collect();
    assert_eq!(queue[0].before(&mut run), None, "it holds at once");
    for two in queue.windows(2) {
        assert_eq!(
            two[1].before(&mut run),
            Some(two[0].key.clone()),
            "it waits for that one alone"
        );
    }
    for (number, contender) in queue.iter().enumerate() {
        let (key, _) = holder(&mut run, leader).unwrap();
        assert_eq!(key, contender.key);
        let next = queue.get(number + 1);
        let wait = next.map(|next| {
            let key = contender.key.clone();
            let create = WatchCreateRequest { key, ..Default::default() };
            run.sim.open_watch(next.member, WatchRequest::Create(create))
        });
        run.run_ms(50);
        queue.iter().for_each(|other| other.stay_alive(&mut run));
        contender.leave(&mut run);
        run.run_ms(100);
        if let (Some(wait), Some(next)) = (wait, next) {
            let event = run.watched[&wait].last().unwrap().events.last().unwrap();
            assert_eq!(event.event_type, EventType::Delete, "that is its turn");
            assert_eq!(next.before(&mut run), None);
        }
    }
    assert_eq!(holder(&mut run, leader), None);
}

#[test]
fn a_holder_that_dies_loses_the_lock_with_its_lease_and_a_waiting_one_keeps_its_place() {
    let mut run = Run::new(3, 2, |_| {});
    let leader = run.wait_leader();
    let dead = Contender::enter(&mut run, leader, 1, "");
    let waits = Contender::enter(&mut run, leader, 2, "");
    // Nobody keeps the first one's session alive any more.
    run.sim.cancel(dead.stream);
    for _ in 0..10 {
        waits.stay_alive(&mut run);
        run.run_ms(1_000);
    }
    let (key, _) = holder(&mut run, leader).unwrap();
    assert_eq!(key, waits.key);
    assert_eq!(waits.before(&mut run), None);
    // What it does under the lock it fences with its key's create revision.
    let fenced = |place: i64, key: &Bytes| TxnRequest {
        compare: vec![created(key, CompareResult::Equal, place)],
        success: vec![RequestOp::Put(PutRequest {
            key: Bytes::from_static(b"data"),
            ..Default::default()
        })],
        ..Default::default()
    };
    for (contender, may) in [(&dead, false), (&waits, true)] {
        let request = fenced(contender.place, &contender.key);
        let Ok(Response::Txn(done)) = run.ask(leader, Request::Txn(request)) else { panic!() };
        assert_eq!(done.succeeded, may);
    }
}

#[test]
fn an_election_is_won_proclaimed_resigned_and_observed() {
    let mut run = Run::new(3, 3, |_| {});
    let leader = run.wait_leader();
    let first = Contender::enter(&mut run, leader, 1, "one");
    let second = Contender::enter(&mut run, leader, 2, "two");
    assert_eq!(holder(&mut run, leader).unwrap().1, "one");
    let proclaim = |contender: &Contender, value: &'static str| TxnRequest {
        compare: vec![created(&contender.key, CompareResult::Equal, contender.place)],
        success: vec![RequestOp::Put(PutRequest {
            key: contender.key.clone(),
            value: Bytes::from_static(value.as_bytes()),
            lease: contender.lease,
            ..Default::default()
        })],
        ..Default::default()
    };
    let request = Request::Txn(proclaim(&first, "one again"));
    let Ok(Response::Txn(told)) = run.ask(leader, request) else { panic!() };
    assert!(told.succeeded);
    assert_eq!(holder(&mut run, leader).unwrap().1, "one again", "its place is the same");
    let observe = WatchCreateRequest {
        key: Bytes::from(PREFIX),
        range_end: Bytes::from_static(b"lock0"),
        ..Default::default()
    };
    let observer = run.sim.open_watch(leader, WatchRequest::Create(observe));
    run.run_ms(50);
    second.stay_alive(&mut run);
    first.leave(&mut run);
    run.run_ms(100);
    assert_eq!(holder(&mut run, leader).unwrap().1, "two");
    let seen = &run.watched[&observer].last().unwrap().events;
    assert_eq!((seen.len(), seen[0].event_type), (1, EventType::Delete));
    let request = Request::Txn(proclaim(&first, "too late"));
    let Ok(Response::Txn(told)) = run.ask(leader, request) else { panic!() };
    assert!(!told.succeeded, "whoever resigned proclaims nothing");
}
