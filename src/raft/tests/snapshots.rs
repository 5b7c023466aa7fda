use bytes::Bytes;

use super::network::*;
use crate::raft::*;
use crate::types::{Index, MemberId, Term};

fn snapshot(index: u64, term: u64, voters: &[u64]) -> Snapshot {
    let mut snapshot = Snapshot::default();
    snapshot.metadata.index = Index(index);
    snapshot.metadata.term = Term(term);
    snapshot.metadata.conf_state.voters = voters.iter().copied().map(MemberId).collect();
    snapshot
}

fn from_leader(term: u64, snapshot: Snapshot) -> Message {
    Message { snapshot: Some(Box::new(snapshot)), ..message(MessageType::MsgSnap, 1, 2, term) }
}

#[test]
fn a_snapshot_replaces_log_and_configuration_once() {
    let mut follower = member(2, &[1, 2], &[]);
    follower.step(from_leader(11, snapshot(11, 11, &[1, 2, 3]))).unwrap();
    assert_eq!(follower.last_index().0, 11);
    assert_eq!(follower.raft.log.term(Index(11)), Ok(Term(11)));
    assert_eq!(follower.conf_state().voters, [id(1), id(2), id(3)]);
    assert_eq!(follower.lead(), Some(id(1)));
    let ready = follower.ready();
    assert!(ready.snapshot.is_some());
    assert_eq!(ready.messages[0].index.0, 11);
    assert!(!follower.raft.is_promotable(), "while the snapshot is not durable");
    store(&mut follower, &ready);
    follower.advance(ready);
    assert_eq!(follower.applied().0, 11);
    assert!(follower.raft.is_promotable());
    follower.step(from_leader(11, snapshot(11, 11, &[1, 2]))).unwrap();
    assert_eq!(follower.conf_state().voters.len(), 3);
    assert!(follower.ready().snapshot.is_none());
}

#[test]
fn a_snapshot_of_what_is_there_only_moves_the_commit_index() {
    let mut follower = member_at(Config::new(id(2)), &[1, 2], &[1, 1, 1], 1, None);
    follower.raft.log.commit_to(Index(1));
    follower.step(from_leader(1, snapshot(1, 1, &[1, 2]))).unwrap();
    assert_eq!(follower.commit().0, 1);
    follower.step(from_leader(1, snapshot(2, 1, &[1, 2]))).unwrap();
    assert_eq!((follower.commit().0, follower.last_index().0), (2, 3));
    assert!(follower.raft.log.unstable().next_snapshot().is_none());
}

#[test]
fn a_snapshot_without_the_receiver_is_ignored() {
    let mut follower = member(2, &[1, 2], &[]);
    follower.step(from_leader(1, snapshot(5, 1, &[1, 3]))).unwrap();
    assert_eq!(follower.last_index().0, 0);
}

#[test]
fn a_snapshot_may_make_a_learner_a_voter_and_back() {
    let mut learner = member_with(Config::new(id(2)), storage(&[1], &[2], &[]));
    assert!(learner.raft.is_learner);
    learner.step(from_leader(1, snapshot(5, 1, &[1, 2]))).unwrap();
    assert!(!learner.raft.is_learner);
    settle(&mut learner);
    let mut demoted = snapshot(6, 1, &[1]);
    demoted.metadata.conf_state.learners = vec![id(2)];
    learner.step(from_leader(1, demoted)).unwrap();
    assert!(learner.raft.is_learner);
}

/// A leader whose log starts above 11, with a follower that has nothing.
fn compacted_leader() -> Member {
    let mut stored = MemoryStorage::new();
    stored.apply_snapshot(snapshot(11, 11, &[1, 2])).unwrap();
    let mut leader = member_with(Config::new(id(1)), stored);
    leader.raft.become_candidate();
    leader.raft.become_leader();
    leader.raft.messages.clear();
    settle(&mut leader);
    leader
}

fn reject_from_start(leader: &mut Member) -> Vec<Message> {
    let progress = leader.raft.tracker.progress.get_mut(&id(2)).unwrap();
    let next = progress.next;
    let mut answer = message(MessageType::MsgAppResp, 2, 1, leader.term().0);
    answer.index = next.saturating_prev();
    answer.reject = true;
    leader.step(answer).unwrap();
    settle(leader)
}

#[test]
fn a_follower_below_the_log_gets_a_snapshot_and_nothing_else_meanwhile() {
    let mut leader = compacted_leader();
    let sent = reject_from_start(&mut leader);
    assert_eq!(sent[0].msg_type, MessageType::MsgSnap);
    let progress = leader.status().progress.get(&id(2)).unwrap().clone();
    assert_eq!((progress.state, progress.pending_snapshot.0), (ProgressState::Snapshot, 11));
    leader.propose(Bytes::from_static(b"x")).unwrap();
    assert!(settle(&mut leader).is_empty());
}

#[test]
fn no_snapshot_goes_to_a_follower_that_is_not_there() {
    let mut leader = compacted_leader();
    leader.raft.tracker.progress.get_mut(&id(2)).unwrap().next = Index(1);
    leader.propose(Bytes::from_static(b"x")).unwrap();
    assert!(settle(&mut leader).is_empty());
}

#[test]
fn a_failed_snapshot_probes_from_the_start_and_a_finished_one_from_above_it() {
    for (is_delivered, want_next) in [(false, 1), (true, 12)] {
        let mut leader = compacted_leader();
        reject_from_start(&mut leader);
        leader.report_snapshot(id(2), is_delivered);
        let progress = leader.status().progress.get(&id(2)).unwrap().clone();
        assert_eq!((progress.pending_snapshot.0, progress.next.0), (0, want_next));
        assert!(progress.append_paused);
    }
}

#[test]
fn an_acknowledgement_ends_the_wait_for_a_snapshot() {
    let mut leader = compacted_leader();
    reject_from_start(&mut leader);
    let mut answer = message(MessageType::MsgAppResp, 2, 1, leader.term().0);
    answer.index = Index(11);
    leader.step(answer).unwrap();
    let progress = leader.status().progress.get(&id(2)).unwrap().clone();
    assert_eq!(progress.state, ProgressState::Replicate);
    assert_eq!((progress.next.0, progress.inflights.count()), (13, 1));
}

#[test]
fn a_member_that_was_cut_off_catches_up_by_snapshot_and_entries() {
    let mut network = Network::of(3, |_| {});
    network.campaign(1);
    network.isolate(3);
    for _ in 0..100 {
        network.propose(1, "x").unwrap();
    }
    let applied = network.get(1).applied();
    let leader = network.at(1);
    let conf_state = leader.conf_state();
    leader.storage_mut().create_snapshot(applied, Some(conf_state), Bytes::new()).unwrap();
    leader.storage_mut().compact(applied).unwrap();
    network.heal();
    // The leader must hear from the member before it sends it a snapshot.
    for _ in 0..3 {
        network.tick(1, 1);
        network.run();
    }
    assert_eq!(network.get(3).commit(), applied);
    network.propose(1, "more").unwrap();
    assert_eq!(network.commits(), [102, 102, 102]);
    assert_eq!(network.get(3).storage().first_index().0, 102);
}
