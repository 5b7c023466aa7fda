//! What members tell of a call: the member that was asked its steps, the leader how far the entry came.

use bytes::Bytes;
use etcd_playground::api::{
    CallKind, CallStep, CallTrace, CompactionRequest, EntryTrace, Error, LeaseGrantRequest,
    LeaseKeepAliveRequest, MemberAddRequest, ProposalName, RangeRequest, Request, TracePart,
};
use etcd_playground::cluster::CallId;
use etcd_playground::membership::peer_url;
use etcd_playground::types::{LeaseId, MemberId};

use crate::support::{self, Run};

fn part(run: &Run, of: MemberId, calls: &[CallId], proposals: &[ProposalName]) -> TracePart {
    run.sim.trace_part(of, calls, proposals).unwrap()
}

/// Asks, lets time pass, and gives what the member tells of it.
fn asked(run: &mut Run, member: MemberId, request: Request, ms: u64) -> (CallId, CallTrace) {
    let call = run.sim.request(member, request);
    run.run_ms(ms);
    let trace = part(run, member, &[call], &[]).calls.remove(0);
    (call, trace)
}

fn isolate(run: &mut Run, member: MemberId) {
    let ids = run.ids();
    run.sim.links_mut().isolate(member, &ids);
}

fn steps(trace: &CallTrace) -> Vec<CallStep> {
    trace.steps.iter().map(|it| it.step).collect()
}

fn error_of(trace: &CallTrace) -> Option<Error> {
    match trace.steps.last().map(|it| it.step) {
        Some(CallStep::Answered { error, .. }) => error,
        other => panic!("{other:?}"),
    }
}

fn name_of(run: &Run, member: MemberId, trace: &CallTrace) -> ProposalName {
    let sequence = steps(trace).into_iter().find_map(|step| match step {
        CallStep::Proposed { sequence, .. } => Some(sequence),
        _ => None,
    });
    let boot = run.sim.status(member).unwrap().boot;
    ProposalName { member, boot, sequence: sequence.unwrap() }
}

/// What a member knows of the entry of a call that was asked of `member`.
fn entry(run: &Run, of: MemberId, member: MemberId, trace: &CallTrace) -> Option<EntryTrace> {
    part(run, of, &[], &[name_of(run, member, trace)]).entries.pop()
}

fn range(serializable: bool, revision: i64) -> Request {
    let key = Bytes::from_static(b"foo");
    Request::Range(RangeRequest { key, serializable, revision, ..Default::default() })
}

#[test]
fn a_put_at_the_leader_is_proposed_applied_and_answered_there() {
    let mut run = Run::new(3, 1, |_| {});
    let leader = run.wait_leader();
    let (_, trace) = asked(&mut run, leader, support::put("foo", "bar"), 1_000);
    assert_eq!(trace.kind, CallKind::Write);
    let told = steps(&trace);
    assert!(matches!(
        told[..],
        [
            CallStep::Received,
            CallStep::Queued(_),
            CallStep::Proposed { to, index: Some(index), .. },
            CallStep::Applied { index: at, revision: 2 },
            CallStep::Answered { error: None, revision: 2, .. },
        ] if to == leader && index == at
    ));
    let entry = entry(&run, leader, leader, &trace).unwrap();
    assert!(entry.appended.is_some() && entry.durable >= entry.appended);
    assert!(entry.committed >= entry.durable && entry.applied >= entry.committed);
    let mut peers: Vec<MemberId> = entry.acknowledged.iter().map(|(peer, _)| *peer).collect();
    peers.sort();
    let mut others = run.ids();
    others.retain(|id| *id != leader);
    others.sort();
    assert_eq!(peers, others);
}

#[test]
fn a_put_at_a_follower_is_forwarded_and_the_leader_knows_who_acknowledged_it() {
    let mut run = Run::new(3, 2, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    let (_, trace) = asked(&mut run, follower, support::put("foo", "bar"), 1_000);
    let handed = steps(&trace).into_iter().find(|it| matches!(it, CallStep::Proposed { .. }));
    assert!(matches!(handed, Some(CallStep::Proposed { to, index: None, .. }) if to == leader));
    assert_eq!(error_of(&trace), None);
    let at_leader = entry(&run, leader, follower, &trace).unwrap();
    assert_eq!(at_leader.acknowledged.len(), 2);
    let here = entry(&run, follower, follower, &trace).unwrap();
    assert_eq!((here.index, here.term), (at_leader.index, at_leader.term));
    assert!(here.acknowledged.is_empty() && here.applied.is_some());
}

#[test]
fn without_a_majority_a_put_is_appended_and_nobody_acknowledges_it_until_there_is_one() {
    let mut run = Run::new(3, 3, |_| {});
    let leader = run.wait_leader();
    let others: Vec<MemberId> = run.ids().into_iter().filter(|id| *id != leader).collect();
    others.iter().for_each(|id| run.sim.kill(*id));
    let (call, trace) = asked(&mut run, leader, support::put("foo", "bar"), 300);
    assert!(matches!(steps(&trace).last(), Some(CallStep::Proposed { .. })), "{trace:?}");
    let open = entry(&run, leader, leader, &trace).unwrap();
    assert!(open.durable.is_some() && open.committed.is_none() && open.acknowledged.is_empty());
    run.sim.restart(others[0]);
    run.run_ms(4_000);
    let part = part(&run, leader, &[call], &[]);
    assert!(matches!(
        part.calls[0].steps.last().unwrap().step,
        CallStep::Answered { error: None, .. }
    ));
    let done = &part.entries[0];
    assert_eq!((done.index, done.appended), (open.index, open.appended));
    assert!(done.committed.is_some());
    assert!(done.acknowledged.iter().any(|(peer, _)| *peer == others[0]));
}

#[test]
fn a_put_waits_where_no_leader_is_known() {
    let mut run = Run::new(3, 4, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    let third = run.ids().into_iter().find(|id| ![leader, follower].contains(id)).unwrap();
    run.sim.kill(leader);
    run.sim.kill(third);
    run.run_ms(5_000);
    let (call, trace) = asked(&mut run, follower, support::put("foo", "bar"), 1_000);
    assert!(matches!(steps(&trace)[..], [CallStep::Received, CallStep::Queued(_)]));
    let told = part(&run, follower, &[call], &[]);
    assert_eq!((told.leader, told.voters.len()), (None, 3));
    assert!(told.tick - told.leader_known_at >= 40, "{} {}", told.tick, told.leader_known_at);
}

#[test]
fn an_entry_that_another_leader_replaced_is_told_as_lost() {
    let mut run = Run::new(3, 5, |config| config.check_quorum = false);
    let leader = run.wait_leader();
    let follower = run.follower();
    isolate(&mut run, leader);
    let (call, _) = asked(&mut run, leader, support::put("foo", "old"), 4_000);
    run.put(follower, "foo", "new").unwrap();
    run.sim.links_mut().heal();
    run.run_ms(3_000);
    let told = part(&run, leader, &[call], &[]);
    assert!(told.entries[0].is_lost, "{:?}", told.entries);
    assert!(steps(&told.calls[0]).contains(&CallStep::LeaderLost), "{:?}", told.calls);
}

#[test]
fn a_linearizable_read_asks_the_leader_and_a_serializable_one_nobody() {
    let mut run = Run::new(3, 6, |_| {});
    let leader = run.wait_leader();
    run.put(leader, "foo", "bar").unwrap();
    let follower = run.follower();
    let (_, trace) = asked(&mut run, follower, range(false, 0), 1_000);
    let told = steps(&trace);
    assert!(matches!(
        told[..],
        [
            CallStep::Received,
            CallStep::ReadQueued,
            CallStep::ReadAsked { of, times: 1, .. },
            CallStep::ReadConfirmed(_),
            CallStep::Answered { error: None, .. },
        ] if of == leader
    ));
    let Some(CallStep::ReadAsked { context, .. }) = told.get(2) else { unreachable!() };
    let reads = part(&run, leader, &[], &[]).reads;
    let read = reads.iter().find(|it| it.from == follower && it.context == *context).unwrap();
    assert!(read.is_answered && read.by.len() >= 2 && read.by.contains(&leader), "{read:?}");
    assert!(part(&run, follower, &[], &[]).reads.is_empty());
    let (_, local) = asked(&mut run, follower, range(true, 0), 100);
    assert!(matches!(
        steps(&local)[..],
        [CallStep::Received, CallStep::Local, CallStep::Answered { error: None, .. }]
    ));
}

#[test]
fn a_read_that_nobody_confirms_is_asked_again_and_tells_who_has_confirmed() {
    let mut run = Run::new(3, 7, |config| config.check_quorum = false);
    let leader = run.wait_leader();
    isolate(&mut run, leader);
    let (call, trace) = asked(&mut run, leader, range(false, 0), 2_000);
    let asked_for = steps(&trace).into_iter().last();
    assert!(matches!(asked_for, Some(CallStep::ReadAsked { times: 2.., .. })), "{trace:?}");
    let told = part(&run, leader, &[call], &[]);
    assert!(told.reads.iter().any(|read| !read.is_answered && read.by == [leader]));
    assert!(told.heard.iter().all(|(_, tick)| told.tick - tick > 10), "{:?}", told.heard);
}

#[test]
fn errors_say_how_far_the_call_came() {
    let mut run = Run::new(3, 8, |_| {});
    let leader = run.wait_leader();
    let (_, refused) = asked(&mut run, leader, support::put("", "x"), 100);
    assert_eq!(steps(&refused).len(), 2, "nothing was proposed: {refused:?}");
    assert_eq!(error_of(&refused), Some(Error::EmptyKey));
    (0..5).for_each(|n| drop(run.put(leader, "foo", &n.to_string())));
    run.compact(leader, 4);
    let (_, old) = asked(&mut run, leader, range(false, 2), 1_000);
    assert_eq!(error_of(&old), Some(Error::Compacted));
    assert!(steps(&old).iter().any(|it| matches!(it, CallStep::ReadConfirmed(_))));
    let compacted = part(&run, leader, &[], &[]).compacted.unwrap();
    assert_eq!(compacted.0, 4);
    let request = CompactionRequest { revision: 99, physical: false };
    let (_, future) = asked(&mut run, leader, Request::Compaction(request), 1_000);
    assert_eq!(error_of(&future), Some(Error::FutureRev));
    assert!(steps(&future).iter().any(|it| matches!(it, CallStep::Applied { .. })), "{future:?}");
    // Quorum protection: nobody was heard for five seconds yet.
    let add = MemberAddRequest { peer_urls: vec![peer_url(4)], is_learner: false };
    run.ids().into_iter().filter(|id| *id != leader).for_each(|id| run.sim.kill(id));
    let (_, add) = asked(&mut run, leader, Request::MemberAdd(add), 100);
    assert_eq!((add.kind, error_of(&add)), (CallKind::Member, Some(Error::Unhealthy)));
}

#[test]
fn what_only_the_leader_knows_of_leases_is_asked_of_it() {
    let mut run = Run::new(3, 9, |_| {});
    let leader = run.wait_leader();
    let follower = run.follower();
    let grant = LeaseGrantRequest { ttl: 60, id: LeaseId(7) };
    run.ask(follower, Request::LeaseGrant(grant)).unwrap();
    let alive = Request::LeaseKeepAlive(LeaseKeepAliveRequest { id: LeaseId(7) });
    let (_, trace) = asked(&mut run, follower, alive, 1_000);
    assert!(matches!(
        steps(&trace)[..],
        [CallStep::Received, CallStep::LeaderAsked(of), CallStep::Answered { error: None, .. }]
            if of == leader
    ));
}

#[test]
fn a_watch_is_opened_and_ends_with_what_was_compacted() {
    let mut run = Run::new(1, 10, |_| {});
    let only = run.wait_leader();
    (0..5).for_each(|n| drop(run.put(only, "foo", &n.to_string())));
    run.compact(only, 4);
    let live = run.watch(only, "foo", 0);
    let late = run.watch(only, "foo", 2);
    run.run_ms(500);
    let told = part(&run, only, &[live, late], &[]).calls;
    assert_eq!(steps(&told[0]), [CallStep::Received, CallStep::Opened]);
    assert_eq!(error_of(&told[1]), Some(Error::Compacted));
}

#[test]
fn what_is_kept_is_bounded_and_calls_that_wait_are_kept_first() {
    let mut run = Run::new(3, 11, |config| config.check_quorum = false);
    let leader = run.wait_leader();
    let follower = run.follower();
    isolate(&mut run, follower);
    let waits = run.sim.request(follower, range(false, 0));
    for _ in 0..400 {
        run.sim.request(follower, range(true, 0));
    }
    run.run_ms(1_000);
    assert_eq!(part(&run, follower, &[waits], &[]).calls.len(), 1);
    let calls: Vec<CallId> = (0..2_000).map(CallId).collect();
    assert!(part(&run, follower, &calls, &[]).calls.len() <= 64);
    assert!(run.sim.trace_part(leader, &[waits], &[]).unwrap().calls.is_empty());
}
