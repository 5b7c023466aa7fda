use bytes::Bytes;

use super::network::*;
use crate::raft::conf_change::parse_changes;
use crate::raft::*;
use crate::types::{Index, Term};

fn change(transition: ConfChangeTransition, text: &str) -> ConfChangeV2 {
    ConfChangeV2 { transition, changes: parse_changes(text).unwrap(), context: Bytes::new() }
}

fn voters(member: &Member) -> Vec<u64> {
    member.conf_state().voters.iter().map(|id| id.0).collect()
}

#[test]
fn a_second_change_while_one_is_pending_becomes_an_empty_entry() {
    let mut leader = Network::of(3, |_| {});
    leader.campaign(1);
    leader.isolate(1);
    let node = leader.at(1);
    node.propose_conf_change(&change(ConfChangeTransition::Auto, "v4")).unwrap();
    let pending = node.raft.pending_conf_index;
    assert_eq!(pending, node.last_index());
    node.propose_conf_change(&change(ConfChangeTransition::Auto, "v5")).unwrap();
    let ready = node.ready();
    let types: Vec<EntryType> = ready.entries.iter().map(|entry| entry.entry_type).collect();
    assert_eq!(types, [EntryType::ConfChangeV2, EntryType::Normal]);
    assert!(ready.entries[1].data.is_empty());
    assert_eq!(node.raft.pending_conf_index, pending);
}

#[test]
fn a_new_leader_expects_a_pending_change_anywhere_in_its_log() {
    let mut member = member(1, &[1, 2], &[1, 1]);
    member.raft.become_candidate();
    member.raft.become_leader();
    assert_eq!(member.raft.pending_conf_index, Index(2));
}

#[test]
fn changes_take_effect_when_applied_in_every_form() {
    for (transition, text, want_voters, want_learners, goes_joint) in [
        (ConfChangeTransition::Auto, "v2", vec![1, 2], 0, false),
        (ConfChangeTransition::Auto, "l2", vec![1], 1, false),
        (ConfChangeTransition::Auto, "v2 v3", vec![1, 2, 3], 0, true),
        (ConfChangeTransition::JointImplicit, "v2", vec![1, 2], 0, true),
        (ConfChangeTransition::Auto, "v2 l3", vec![1, 2], 1, true),
    ] {
        // The first configuration stands in a snapshot, so that new members start with one too.
        let mut start = Snapshot::default();
        start.metadata.index = Index(2);
        start.metadata.term = Term(1);
        start.metadata.conf_state.voters = vec![id(1)];
        let mut stored = MemoryStorage::new();
        stored.apply_snapshot(start).unwrap();
        let build = |own| member_with(Config::new(id(own)), MemoryStorage::new());
        let first = member_with(Config::new(id(1)), stored);
        let mut network = Network::new(vec![first, build(2), build(3)]);
        network.campaign(1);
        network.at(1).propose_conf_change(&change(transition, text)).unwrap();
        // The first entry that is applied decides whether there was a joint configuration.
        let ready = network.at(1).ready();
        store(network.at(1), &ready);
        network.at(1).advance(ready);
        let ready = network.at(1).ready();
        let entry = ready.committed_entries.last().unwrap().clone();
        let applied = ConfChangeV2::from_entry(&entry).unwrap().unwrap();
        let conf_state = network.at(1).apply_conf_change(&applied);
        assert_eq!(!conf_state.voters_outgoing.is_empty(), goes_joint, "{text}");
        store(network.at(1), &ready);
        network.at(1).advance(ready);
        // New members with empty logs want a snapshot, which must know the configuration.
        let commit = network.get(1).applied();
        let storage = network.at(1).storage_mut();
        storage.create_snapshot(commit, Some(conf_state), Bytes::new()).unwrap();
        network.run();
        network.tick(1, 1);
        network.run();
        let state = network.get(1).conf_state();
        assert_eq!(voters(network.get(1)), want_voters, "{text}");
        assert_eq!(state.learners.len(), want_learners, "{text}");
        assert!(state.voters_outgoing.is_empty(), "{text}: left without being asked");
    }
}

#[test]
fn an_explicit_joint_configuration_is_left_only_when_asked() {
    let mut network = Network::of(3, |_| {});
    network.campaign(1);
    let enter = change(ConfChangeTransition::JointExplicit, "r3");
    network.at(1).propose_conf_change(&enter).unwrap();
    network.run();
    for own in 1..=3 {
        assert_eq!(network.get(own).conf_state().voters_outgoing.len(), 3);
    }
    // Nothing but leaving is possible now.
    network.at(1).propose_conf_change(&change(ConfChangeTransition::Auto, "r2")).unwrap();
    network.run();
    assert_eq!(voters(network.get(1)), [1, 2]);
    assert_eq!(network.get(1).conf_state().voters_outgoing.len(), 3);
    network.at(1).propose_conf_change(&ConfChangeV2::default()).unwrap();
    network.run();
    assert!(network.get(1).conf_state().voters_outgoing.is_empty());
    assert_eq!(voters(network.get(2)), [1, 2]);
}

#[test]
fn a_new_leader_leaves_the_joint_configuration_that_the_old_one_entered() {
    let mut network = Network::of(5, |_| {});
    network.campaign(1);
    let enter = change(ConfChangeTransition::JointImplicit, "r5");
    network.at(1).propose_conf_change(&enter).unwrap();
    // Everybody enters; what the leader proposes afterwards is lost with it.
    for _ in 0..10 {
        if network.get(2).conf_state().auto_leave {
            break;
        }
        for message in settle(network.at(1)) {
            network.at(message.to.0).step(message).unwrap();
        }
        for own in 2..=5 {
            for message in settle(network.at(own)) {
                network.at(1).step(message).unwrap();
            }
        }
    }
    for own in 2..=5 {
        assert!(network.get(own).conf_state().auto_leave);
        assert_eq!(network.get(own).commit().0, 2);
    }
    network.isolate(1);
    network.campaign(2);
    assert_eq!(network.get(2).role(), StateRole::Leader);
    assert!(network.get(2).conf_state().voters_outgoing.is_empty());
    assert_eq!(voters(network.get(2)), [1, 2, 3, 4]);
}

#[test]
fn removing_a_member_commits_what_waited_for_it() {
    let mut network = Network::of(2, |_| {});
    network.campaign(1);
    let remove = change(ConfChangeTransition::Auto, "r2");
    network.at(1).propose_conf_change(&remove).unwrap();
    let sent = settle(network.at(1));
    network.at(1).propose(Bytes::from_static(b"waits")).unwrap();
    network.at(2).step(sent[0].clone()).unwrap();
    let answer = settle(network.at(2)).remove(0);
    let before = network.get(1).commit();
    network.at(1).step(answer).unwrap();
    assert_eq!(network.get(1).commit().0, before.0 + 1);
    let (_, applied, _) = settle_with(network.at(1));
    assert_eq!(applied.last().unwrap().data.as_ref(), b"waits");
    assert_eq!(voters(network.get(1)), [1]);
}

#[test]
fn removing_the_last_voter_is_refused_and_changes_nothing() {
    let mut member = member(1, &[1], &[]);
    let refused = member.try_apply_conf_change(&change(ConfChangeTransition::Auto, "r1"));
    assert_eq!(refused, Err(Error::ConfChange(ConfChangeError::RemovedAllVoters)));
    assert_eq!(voters(&member), [1]);
    // The application says with node 0 that it refused a committed change.
    member.apply_conf_change(&ConfChange::default().to_v2());
    assert_eq!(voters(&member), [1]);
}

#[test]
fn a_removed_leader_steps_down_when_it_is_set_so() {
    for (steps_down, want) in [(true, StateRole::Follower), (false, StateRole::Leader)] {
        let mut network = Network::of(3, |config| config.step_down_on_removal = steps_down);
        network.campaign(1);
        network.at(1).propose_conf_change(&change(ConfChangeTransition::Auto, "r1")).unwrap();
        network.run();
        assert_eq!(network.get(1).role(), want);
        assert_eq!(network.propose(1, "x"), Err(Error::ProposalDropped));
        if steps_down {
            assert_eq!(network.get(1).last_step_down(), Some(StepDownReason::Removed));
        }
    }
}

#[test]
fn a_new_member_counts_as_active_until_the_next_full_timeout() {
    let mut network = Network::of(1, |config| config.check_quorum = true);
    network.campaign(1);
    network.at(1).apply_conf_change(&change(ConfChangeTransition::Auto, "v2"));
    network.tick(1, 10);
    network.run();
    assert_eq!(network.get(1).role(), StateRole::Leader);
    network.tick(1, 10);
    network.run();
    assert_eq!(network.get(1).role(), StateRole::Follower);
}

#[test]
fn bytes_that_are_no_change_are_refused_when_proposed() {
    let mut network = Network::of(1, |_| {});
    network.campaign(1);
    let mut bad = message(MessageType::MsgProp, 1, 1, 0);
    bad.entries = vec![Entry {
        entry_type: EntryType::ConfChangeV2,
        data: Bytes::from_static(&[255, 255, 255]),
        ..Entry::default()
    }];
    let last = network.get(1).last_index();
    assert!(matches!(network.at(1).step(bad), Err(Error::ConfChangeEncoding(_))));
    assert_eq!(network.get(1).last_index(), last);
}
