//! Configuration changes through a member: every form, and how a joint configuration is left by itself.

use bytes::Bytes;

use super::network::*;
use crate::raft::conf_change::parse_changes;
use crate::raft::*;
use crate::types::{Index, MemberId};

fn change(transition: ConfChangeTransition, text: &str) -> ConfChangeV2 {
    ConfChangeV2 { transition, changes: parse_changes(text).unwrap(), context: Bytes::new() }
}

fn ids(list: &[u64]) -> Vec<MemberId> {
    list.iter().copied().map(MemberId).collect()
}

/// A leader that is alone.
fn single() -> Member {
    let mut leader = member(1, &[1], &[]);
    leader.campaign().unwrap();
    settle(&mut leader);
    assert_eq!(leader.role(), StateRole::Leader);
    leader
}

/// Proposes a change, and applies it without confirming: what a joint configuration does next comes later.
fn propose_and_apply(leader: &mut Member, change: &ConfChangeV2) -> (ConfState, Ready) {
    leader.propose_conf_change(change).unwrap();
    loop {
        let ready = leader.ready();
        store(leader, &ready);
        for entry in &ready.committed_entries {
            if let Some(applied) = ConfChangeV2::from_entry(entry).unwrap() {
                let state = leader.apply_conf_change(&applied);
                leader.storage_mut().set_conf_state(state.clone());
                return (state, ready);
            }
        }
        leader.advance(ready);
    }
}

#[test]
fn a_change_in_each_form_gives_the_configuration_it_says_and_leaves_joint_ones_as_it_says() {
    use ConfChangeTransition::{Auto, JointExplicit, JointImplicit};
    let simple = |voters: &[u64], learners: &[u64]| ConfState {
        voters: ids(voters),
        learners: ids(learners),
        ..ConfState::default()
    };
    let joint = |voters: &[u64], learners: &[u64], auto_leave| ConfState {
        voters: ids(voters),
        voters_outgoing: ids(&[1]),
        learners: ids(learners),
        auto_leave,
        ..ConfState::default()
    };
    for (transition, text, want_first, want_left) in [
        (Auto, "v2", simple(&[1, 2], &[]), None),
        (Auto, "l2", simple(&[1], &[2]), None),
        (JointExplicit, "v2", joint(&[1, 2], &[], false), Some(simple(&[1, 2], &[]))),
        (JointImplicit, "v2", joint(&[1, 2], &[], true), Some(simple(&[1, 2], &[]))),
        (Auto, "v2 l1 v3", joint_demoting(&[2, 3], &[1], true), Some(simple(&[2, 3], &[1]))),
        (
            JointExplicit,
            "v2 l1 v3",
            joint_demoting(&[2, 3], &[1], false),
            Some(simple(&[2, 3], &[1])),
        ),
        (
            JointImplicit,
            "v2 l1 v3",
            joint_demoting(&[2, 3], &[1], true),
            Some(simple(&[2, 3], &[1])),
        ),
        (JointImplicit, "l2 l3", joint(&[1], &[2, 3], true), Some(simple(&[1], &[2, 3]))),
    ] {
        let mut leader = single();
        let (first, ready) = propose_and_apply(&mut leader, &change(transition, text));
        assert_eq!(first, want_first, "{transition} {text}");
        leader.advance(ready);
        let Some(want) = want_left else {
            assert_eq!(leader.conf_state(), want_first);
            continue;
        };
        let proposed = leader
            .ready()
            .entries
            .iter()
            .any(|entry| entry.entry_type == EntryType::ConfChangeV2 && entry.data.is_empty());
        assert_eq!(proposed, first.auto_leave, "{transition} {text}: the leader leaves by itself");
        let left = leader.apply_conf_change(&ConfChangeV2::default());
        assert!(left.is_equivalent(&want), "{transition} {text}: {left:?}");
    }
}

fn joint_demoting(voters: &[u64], next: &[u64], auto_leave: bool) -> ConfState {
    ConfState {
        voters: ids(voters),
        voters_outgoing: ids(&[1]),
        learners_next: ids(next),
        auto_leave,
        ..ConfState::default()
    }
}

#[test]
fn a_leader_leaves_a_joint_configuration_as_soon_as_it_leads_and_has_applied_it() {
    let mut network = Network::of(3, |_| {});
    network.campaign(1);
    let enter = change(ConfChangeTransition::JointImplicit, "r3");
    let (state, ready) = propose_alone(&mut network, &enter);
    assert!(state.auto_leave);
    // It loses its place before it confirms: nobody leaves, until it leads again and applies something.
    let leader = network.at(1);
    leader.raft.become_follower(leader.raft.term, None);
    leader.advance(ready);
    assert!(!leader.raft.tracker.config.voters.outgoing.iter().eq([]), "still joint");
    network.campaign(1);
    network.propose(1, "x").unwrap();
    network.run();
    for own in [1, 2] {
        assert_eq!(network.get(own).conf_state().voters_outgoing, ids(&[]));
        assert_eq!(network.get(own).conf_state().voters, ids(&[1, 2]));
    }
    let leaves = network.applied[&1]
        .iter()
        .filter(|entry| entry.entry_type == EntryType::ConfChangeV2 && entry.data.is_empty())
        .count();
    assert_eq!(leaves, 1, "exactly one leave is applied");
}

/// Commits a change on all members but confirms it on the leader only after it was applied there.
fn propose_alone(network: &mut Network, change: &ConfChangeV2) -> (ConfState, Ready) {
    network.at(1).propose_conf_change(change).unwrap();
    let sent = settle(network.at(1));
    for message in sent {
        network.at(message.to.0).step(message).unwrap();
    }
    for own in [2, 3] {
        for answer in settle(network.at(own)) {
            network.at(1).step(answer).unwrap();
        }
    }
    let leader = network.at(1);
    let ready = leader.ready();
    store(leader, &ready);
    let entry = ready.committed_entries.last().unwrap();
    let applied = ConfChangeV2::from_entry(entry).unwrap().unwrap();
    let state = leader.apply_conf_change(&applied);
    leader.storage_mut().set_conf_state(state.clone());
    (state, ready)
}

#[test]
fn a_leave_that_a_transfer_stopped_is_proposed_again_afterwards() {
    let mut network = Network::of(3, |_| {});
    network.campaign(1);
    let enter = change(ConfChangeTransition::JointImplicit, "l3");
    let (_, ready) = propose_alone(&mut network, &enter);
    network.at(1).raft.lead_transferee = Some(id(2));
    network.at(1).advance(ready);
    assert!(network.at(1).conf_state().auto_leave);
    network.at(1).raft.lead_transferee = None;
    network.propose(1, "x").unwrap();
    assert!(network.get(1).conf_state().voters_outgoing.is_empty());
    assert_eq!(network.get(1).conf_state().learners, ids(&[3]));
}

#[test]
fn validation_can_be_left_to_the_application() {
    let mut network = Network::of(1, |config| config.disable_conf_change_validation = true);
    network.campaign(1);
    let leader = network.at(1);
    leader.propose_conf_change(&change(ConfChangeTransition::Auto, "l2")).unwrap();
    leader.propose_conf_change(&change(ConfChangeTransition::Auto, "l3")).unwrap();
    let kinds: Vec<EntryType> =
        leader.ready().entries.iter().map(|entry| entry.entry_type).collect();
    assert_eq!(kinds, [EntryType::ConfChangeV2; 2]);
}

#[test]
fn no_campaign_with_an_unapplied_change_of_either_form_also_when_ordered() {
    let v1 = ConfChange {
        node_id: id(3),
        change_type: ConfChangeType::RemoveNode,
        ..ConfChange::default()
    };
    let v2 = v1.to_v2();
    for is_v1 in [true, false] {
        let data = if is_v1 { v1.encode().unwrap() } else { v2.encode().unwrap() };
        let entry_type = if is_v1 { EntryType::ConfChange } else { EntryType::ConfChangeV2 };
        let mut follower = member(2, &[1, 2, 3], &[]);
        let mut append = message(MessageType::MsgApp, 1, 2, 1);
        append.entries = vec![Entry { entry_type, data, ..entry(1, 1) }];
        append.commit = Index(1);
        follower.step(append).unwrap();
        follower.campaign().unwrap();
        assert_eq!(follower.role(), StateRole::Follower);
        follower.step(message(MessageType::MsgTimeoutNow, 1, 2, 1)).unwrap();
        assert_eq!(follower.role(), StateRole::Follower);
        for _ in 0..30 {
            follower.tick();
        }
        assert_eq!(follower.role(), StateRole::Follower);
        settle(&mut follower);
        follower.campaign().unwrap();
        assert_eq!(follower.role(), StateRole::Candidate);
    }
}

#[test]
fn a_demoted_leader_steps_down_when_it_is_set_so() {
    for (steps_down, want) in [(true, StateRole::Follower), (false, StateRole::Leader)] {
        let mut network = Network::of(3, |config| config.step_down_on_removal = steps_down);
        network.campaign(1);
        network.at(1).propose_conf_change(&change(ConfChangeTransition::Auto, "l1")).unwrap();
        network.run();
        assert_eq!(network.get(1).role(), want);
        assert!(network.get(1).raft.is_learner);
        assert!(!network.get(1).raft.is_promotable());
    }
}

#[test]
fn forgetting_the_leader_frees_the_vote_and_does_nothing_on_a_leader_or_with_leases() {
    let mut network = Network::of(3, |config| {
        config.check_quorum = true;
        config.pre_vote = true;
    });
    network.campaign(1);
    network.at(1).forget_leader().unwrap();
    assert_eq!((network.get(1).role(), network.get(1).lead()), (StateRole::Leader, Some(id(1))));
    let term = network.get(2).term();
    network.at(2).forget_leader().unwrap();
    assert_eq!((network.get(2).lead(), network.get(2).term()), (None, term));
    // Its vote is free within the lease, and a heartbeat brings the leader back.
    network.tick(1, 1);
    network.run();
    assert_eq!(network.get(2).lead(), Some(id(1)));
    network.at(2).forget_leader().unwrap();
    network.campaign(3);
    assert_eq!(network.get(3).role(), StateRole::Leader);
    let mut leased = Network::of(3, |config| {
        config.check_quorum = true;
        config.read_only_option = ReadOnlyOption::LeaseBased;
    });
    leased.campaign(1);
    leased.at(2).forget_leader().unwrap();
    assert_eq!(leased.get(2).lead(), Some(id(1)));
}

#[test]
fn an_election_with_check_quorum_works_at_the_start_and_after_the_lease() {
    let mut network = Network::of(3, |config| config.check_quorum = true);
    network.campaign(1);
    assert_eq!(network.get(1).role(), StateRole::Leader);
    for own in [1, 2] {
        network.at(own).set_randomized_election_timeout(100);
    }
    network.tick(2, 10);
    network.campaign(3);
    assert_eq!(network.get(3).role(), StateRole::Leader);
    assert_eq!(network.get(1).role(), StateRole::Follower);
}
