use super::network::*;
use crate::raft::StateRole::{Candidate, Follower, Leader, PreCandidate};
use crate::raft::*;
use crate::types::{Index, Term};

fn with_pre_vote(config: &mut Config) {
    config.pre_vote = true;
}

fn with_both(config: &mut Config) {
    config.pre_vote = true;
    config.check_quorum = true;
}

/// A cluster of which some members never answer.
fn cluster(count: u64, silent: &[u64], setup: fn(&mut Config)) -> Network {
    let mut network = Network::of(count, setup);
    for own in silent {
        network.isolate(*own);
    }
    network
}

#[test]
fn a_quorum_of_answers_elects_and_less_leaves_a_candidate() {
    for (count, silent, want) in [
        (3, vec![], Leader),
        (3, vec![2], Leader),
        (3, vec![2, 3], Candidate),
        (4, vec![2, 3], Candidate),
        (5, vec![2, 3], Leader),
        (5, vec![2, 3, 4], Candidate),
        (7, vec![2, 3, 4], Leader),
    ] {
        let mut network = cluster(count, &silent, |_| {});
        network.campaign(1);
        assert_eq!((network.get(1).role(), network.get(1).term().0), (want, 1), "{count}");
        let mut network = cluster(count, &silent, with_pre_vote);
        network.campaign(1);
        let (want, term) = if want == Leader { (Leader, 1) } else { (PreCandidate, 0) };
        assert_eq!((network.get(1).role(), network.get(1).term().0), (want, term), "{count}");
    }
}

#[test]
fn a_candidate_with_an_older_log_loses() {
    let mut network = Network::with_logs(&[&[], &[1], &[1], &[1, 1], &[]], |_| {});
    network.campaign(1);
    assert_eq!((network.get(1).role(), network.get(1).term().0), (Follower, 1));
}

#[test]
fn a_learner_never_campaigns_but_grants_a_vote() {
    let mut learner = member_with(Config::new(id(2)), storage(&[1], &[2], &[]));
    for _ in 0..100 {
        learner.tick();
    }
    learner.campaign().unwrap();
    assert_eq!(learner.role(), Follower);
    let mut request = message(MessageType::MsgVote, 1, 2, 2);
    request.log_term = Term(11);
    request.index = Index(11);
    learner.step(request).unwrap();
    let answers = settle(&mut learner);
    assert_eq!((answers[0].msg_type, answers[0].reject), (MessageType::MsgVoteResp, false));
}

#[test]
fn each_member_wins_in_turn() {
    for setup in [(|_| {}) as fn(&mut Config), with_pre_vote] {
        let mut network = Network::of(3, setup);
        for own in 1..=3 {
            network.campaign(own);
            for (other, member) in &network.members {
                let want = if *other == own { Leader } else { Follower };
                assert_eq!(member.role(), want);
            }
        }
    }
}

#[test]
fn a_new_leader_overwrites_newer_entries_that_were_never_committed() {
    for setup in [(|_| {}) as fn(&mut Config), with_pre_vote] {
        // Member 1 was leader at term 1; member 3 appended at term 2 without winning more.
        let voters = [1, 2, 3, 4, 5];
        let logs: [&[u64]; 5] = [&[1], &[1], &[2], &[], &[]];
        let members = voters.iter().zip(logs).map(|(own, terms)| {
            let mut config = Config::new(id(*own));
            setup(&mut config);
            let term = if *own <= 2 { 1 } else { 2 };
            let vote = (*own > 2).then_some(3);
            member_at(config, &voters, terms, term, vote)
        });
        let mut network = Network::new(members.collect());
        // The first campaign fails and makes term 2 known, the second wins.
        network.campaign(1);
        assert_eq!((network.get(1).role(), network.get(1).term().0), (Follower, 2));
        network.campaign(1);
        assert_eq!((network.get(1).role(), network.get(1).term().0), (Leader, 3));
        for member in network.members.values() {
            assert_eq!(log_terms(member), [1, 3]);
        }
    }
}

#[test]
fn a_vote_of_a_higher_term_is_granted_in_every_role() {
    for pre_vote in [false, true] {
        for role in [Follower, PreCandidate, Candidate, Leader] {
            let mut voter = member(1, &[1, 2, 3], &[]);
            if role != Follower {
                voter.raft.become_pre_candidate();
            }
            if matches!(role, Candidate | Leader) {
                voter.raft.become_candidate();
            }
            if role == Leader {
                voter.raft.become_leader();
            }
            settle(&mut voter);
            let before = (voter.role(), voter.term(), voter.raft.vote);
            let term = voter.term().0 + 1;
            let kind = if pre_vote { MessageType::MsgPreVote } else { MessageType::MsgVote };
            let mut request = message(kind, 2, 1, term);
            request.log_term = Term(term);
            request.index = Index(42);
            voter.step(request).unwrap();
            let after = (voter.role(), voter.term(), voter.raft.vote);
            let answer = settle(&mut voter).pop().unwrap();
            assert!(!answer.reject);
            assert!(answer.msg_type.is_vote_response());
            if pre_vote {
                assert_eq!(after, before);
            } else {
                assert_eq!(after, (Follower, Term(term), Some(id(2))));
            }
        }
    }
}

#[test]
fn a_vote_depends_on_the_log_and_on_earlier_votes() {
    for (role, index, log_term, voted, want_reject) in [
        (Follower, 0, 0, None, true),
        (Follower, 0, 1, None, true),
        (Follower, 0, 2, None, true),
        (Follower, 0, 3, None, false),
        (Follower, 1, 1, None, true),
        (Follower, 1, 2, None, true),
        (Follower, 1, 3, None, false),
        (Follower, 2, 1, None, true),
        (Follower, 2, 2, None, false),
        (Follower, 2, 3, None, false),
        (Follower, 3, 1, None, true),
        (Follower, 3, 2, None, false),
        (Follower, 3, 3, None, false),
        (Follower, 3, 2, Some(2), false),
        (Follower, 3, 2, Some(1), true),
        (Leader, 3, 3, Some(1), true),
        (PreCandidate, 3, 3, Some(1), true),
        (Candidate, 3, 3, Some(1), true),
    ] {
        for kind in [MessageType::MsgVote, MessageType::MsgPreVote] {
            let mut voter = member(1, &[1, 2], &[2, 2]);
            let term = log_term.max(2);
            voter.raft.term = Term(term);
            voter.raft.vote = voted.map(id);
            voter.raft.role = role;
            voter.raft.lead = (role == Leader).then_some(id(1));
            let mut request = message(kind, 2, 1, term);
            request.index = Index(index);
            request.log_term = Term(log_term);
            voter.step(request).unwrap();
            let answer = voter.raft.messages_after_append.pop().unwrap();
            assert_eq!(answer.reject, want_reject, "{kind} {role} {index} {log_term} {voted:?}");
        }
    }
}

#[test]
fn one_vote_per_term_first_come_first_served() {
    for (vote, from, want_reject) in [
        (None, 2, false),
        (None, 3, false),
        (Some(2), 2, false),
        (Some(3), 3, false),
        (Some(2), 3, true),
        (Some(3), 2, true),
    ] {
        let mut voter = member_at(Config::new(id(1)), &[1, 2, 3], &[], 1, vote);
        voter.step(message(MessageType::MsgVote, from, 1, 1)).unwrap();
        assert_eq!(settle(&mut voter)[0].reject, want_reject, "{vote:?} {from}");
    }
}

#[test]
fn the_log_that_is_more_up_to_date_gets_no_vote_from_nobody_older() {
    for (terms, log_term, index, want_reject) in [
        (vec![1], 1, 1, false),
        (vec![1], 1, 2, false),
        (vec![1, 1], 1, 1, true),
        (vec![1], 2, 1, false),
        (vec![1], 2, 2, false),
        (vec![1, 1], 2, 1, false),
        (vec![2], 1, 1, true),
        (vec![2], 1, 2, true),
        (vec![2, 1], 1, 1, true),
    ] {
        let mut voter = member(1, &[1, 2], &terms);
        let mut request = message(MessageType::MsgVote, 2, 1, 3);
        request.log_term = Term(log_term);
        request.index = Index(index);
        voter.step(request).unwrap();
        assert_eq!(settle(&mut voter)[0].reject, want_reject, "{terms:?} {log_term}/{index}");
    }
}

#[test]
fn a_pre_candidate_that_duels_does_not_disturb_the_leader() {
    let mut network = Network::of(3, with_pre_vote);
    network.cut_pair(1, 3);
    network.at(1).campaign().unwrap();
    network.at(3).campaign().unwrap();
    network.run();
    assert_eq!(network.get(1).role(), Leader);
    network.heal();
    network.campaign(3);
    assert_eq!(network.roles(), [Leader, Follower, Follower]);
    assert_eq!(network.terms(), [1, 1, 1]);
    assert_eq!(network.commits()[0], 1);
}

#[test]
fn dueling_candidates_end_with_the_term_of_the_loser() {
    let mut network = Network::of(3, |_| {});
    network.cut_pair(1, 3);
    network.at(1).campaign().unwrap();
    network.at(3).campaign().unwrap();
    network.run();
    assert_eq!((network.get(1).role(), network.get(3).role()), (Leader, Candidate));
    network.heal();
    network.campaign(3);
    assert_eq!(network.roles(), [Follower, Follower, Follower]);
    assert_eq!(network.terms(), [2, 2, 2]);
}

#[test]
fn an_isolated_candidate_takes_the_leaders_log() {
    let mut network = Network::of(3, |_| {});
    network.isolate(1);
    network.campaign(1);
    network.campaign(3);
    network.heal();
    network.tick(3, 1);
    network.run();
    network.propose(3, "force follower").unwrap();
    network.tick(3, 1);
    network.run();
    assert_eq!((network.get(1).role(), network.get(1).term().0), (Follower, 1));
    assert_eq!(log_terms(network.get(1)), [1, 1]);
}

#[test]
fn a_single_member_elects_itself() {
    for setup in [(|_| {}) as fn(&mut Config), with_pre_vote] {
        let mut network = Network::of(1, setup);
        network.campaign(1);
        assert_eq!((network.get(1).role(), network.get(1).term().0), (Leader, 1));
    }
}

#[test]
fn the_timeout_is_drawn_from_one_to_two_election_timeouts_and_every_value_occurs() {
    let mut network = Network::of(2, |_| {});
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..1000 {
        let term = network.get(1).term();
        network.at(1).raft.become_follower(term, None);
        seen.insert(network.get(1).randomized_election_timeout());
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), (10..20).collect::<Vec<_>>());
}

#[test]
fn a_late_vote_for_oneself_after_losing_is_ignored() {
    for pre_vote in [false, true] {
        let mut config = Config::new(id(1));
        config.pre_vote = pre_vote;
        let mut candidate = member_with(config, storage(&[1, 2, 3], &[], &[]));
        candidate.campaign().unwrap();
        // The own vote is not durable yet when the others say no.
        let ready = candidate.ready();
        let kind = if pre_vote { MessageType::MsgPreVoteResp } else { MessageType::MsgVoteResp };
        let term = candidate.term().0.max(1);
        for other in [2, 3] {
            let mut answer = message(kind, other, 1, if pre_vote { 0 } else { term });
            answer.reject = true;
            candidate.step(answer).unwrap();
        }
        assert_eq!(candidate.role(), Follower);
        store(&mut candidate, &ready);
        candidate.advance(ready);
        assert_eq!(candidate.role(), Follower);
    }
}

#[test]
fn a_late_pre_vote_for_oneself_does_not_count_as_a_vote() {
    let mut config = Config::new(id(1));
    config.pre_vote = true;
    let mut candidate = member_with(config, storage(&[1, 2, 3], &[], &[]));
    candidate.campaign().unwrap();
    let ready = candidate.ready();
    for other in [2, 3] {
        candidate.step(message(MessageType::MsgPreVoteResp, other, 1, 1)).unwrap();
    }
    assert_eq!(candidate.role(), Candidate);
    store(&mut candidate, &ready);
    candidate.advance(ready);
    assert_eq!(candidate.role(), Candidate, "the pre-vote of term 0 was taken as a vote");
    settle(&mut candidate);
    assert_eq!(candidate.role(), Candidate);
    candidate.step(message(MessageType::MsgVoteResp, 2, 1, 1)).unwrap();
    assert_eq!(candidate.role(), Leader);
}

#[test]
fn a_member_with_a_smaller_term_can_complete_an_election() {
    let mut network = Network::of(3, with_pre_vote);
    network.cut_pair(1, 3);
    network.cut_pair(2, 3);
    network.campaign(1);
    network.campaign(2);
    assert_eq!((network.get(2).role(), network.get(2).term().0), (Leader, 2));
    network.campaign(3);
    assert_eq!(network.get(3).role(), PreCandidate);
    network.heal();
    // Now the leader is cut off, and 1 and 3 must agree although 3 is behind in terms.
    network.isolate(2);
    network.campaign(3);
    network.campaign(1);
    network.campaign(3);
    network.campaign(1);
    let leads = network.get(1).role() == Leader || network.get(3).role() == Leader;
    assert!(leads, "{:?} {:?}", network.roles(), network.terms());
}

#[test]
fn two_pre_candidates_that_split_the_vote_elect_in_the_next_round() {
    let mut network = Network::of(3, with_pre_vote);
    network.campaign(1);
    network.isolate(1);
    network.at(2).campaign().unwrap();
    network.at(3).campaign().unwrap();
    network.run();
    assert_eq!((network.get(2).term().0, network.get(3).term().0), (2, 2));
    assert_eq!((network.get(2).role(), network.get(3).role()), (Candidate, Candidate));
    network.campaign(2);
    assert_eq!((network.get(2).role(), network.get(3).role()), (Leader, Follower));
    assert_eq!(network.get(2).term().0, 3);
}

#[test]
fn pre_candidates_forget_the_leader_so_that_a_quorum_can_replace_it() {
    let mut network = Network::of(3, with_both);
    network.campaign(1);
    network.isolate(1);
    assert_eq!((network.get(2).lead(), network.get(3).lead()), (Some(id(1)), Some(id(1))));
    network.campaign(3);
    assert_eq!(network.get(3).role(), PreCandidate);
    network.campaign(2);
    assert_eq!((network.get(2).role(), network.get(3).role()), (Leader, Follower));
}

#[test]
fn a_leader_without_a_quorum_steps_down_and_says_why() {
    let mut network = Network::of(3, |config| config.check_quorum = true);
    network.campaign(1);
    network.tick(1, 10);
    network.run();
    assert_eq!(network.get(1).role(), Leader, "its followers answered in the last interval");
    network.isolate(1);
    network.tick(1, 20);
    network.run();
    assert_eq!(network.get(1).role(), Follower);
    assert!(network.get(1).last_step_down_quorum_lost());
    assert_eq!(network.get(1).term().0, 1);
}

#[test]
fn heartbeat_answers_keep_a_leader_with_check_quorum() {
    let mut network = Network::of(3, |config| config.check_quorum = true);
    network.campaign(1);
    for _ in 0..40 {
        network.tick(1, 1);
        network.run();
    }
    assert_eq!(network.get(1).role(), Leader);
}

#[test]
fn votes_are_refused_within_the_lease_and_granted_after_it() {
    let mut network = Network::of(3, |config| config.check_quorum = true);
    network.campaign(1);
    network.campaign(3);
    assert_eq!(network.roles(), [Leader, Follower, Candidate]);
    network.at(2).set_randomized_election_timeout(100);
    network.tick(2, 10);
    network.campaign(3);
    assert_eq!(network.get(3).role(), Leader);
}

#[test]
fn a_candidate_of_a_higher_term_makes_the_leader_step_down_and_rejoins() {
    let mut network = Network::of(3, |config| config.check_quorum = true);
    network.campaign(1);
    network.isolate(1);
    network.campaign(1);
    network.heal();
    network.isolate(3);
    network.campaign(3);
    network.campaign(3);
    assert_eq!((network.get(3).role(), network.get(3).term().0), (Candidate, 3));
    network.heal();
    // The leader's heartbeat is answered with the higher term.
    network.tick(1, 1);
    network.run();
    assert_eq!((network.get(1).role(), network.get(1).term().0), (Follower, 3));
    assert_eq!(network.get(1).last_step_down(), Some(StepDownReason::HigherTerm));
    network.campaign(1);
    network.campaign(1);
    assert_eq!(network.get(1).role(), Leader);
    assert_eq!(network.get(3).role(), Follower);
}

#[test]
fn a_disruptive_follower_with_pre_vote_changes_nothing() {
    let mut network = Network::of(3, with_both);
    network.campaign(1);
    network.isolate(3);
    network.propose(1, "somedata").unwrap();
    network.tick(3, 100);
    network.run();
    assert_eq!(network.get(3).role(), PreCandidate);
    network.heal();
    network.campaign(3);
    network.tick(1, 1);
    network.run();
    assert_eq!(network.roles(), [Leader, Follower, Follower]);
    assert_eq!(network.terms(), [1, 1, 1]);
}

#[test]
fn a_disruptive_follower_without_pre_vote_deposes_the_leader_once() {
    let mut network = Network::of(3, |config| config.check_quorum = true);
    network.campaign(1);
    network.isolate(3);
    network.at(3).set_randomized_election_timeout(10);
    network.tick(3, 10);
    network.run();
    network.heal();
    network.tick(1, 1);
    network.run();
    assert_eq!((network.get(1).role(), network.get(1).term().0), (Follower, 2));
}

#[test]
fn a_higher_term_makes_every_role_a_follower_and_only_a_leaders_message_names_the_lead() {
    for role in [Follower, PreCandidate, Candidate, Leader] {
        for kind in [MessageType::MsgVote, MessageType::MsgApp] {
            let mut stepped = member(1, &[1, 2, 3], &[]);
            stepped.raft.become_candidate();
            if role == Leader {
                stepped.raft.become_leader();
            } else {
                stepped.raft.role = role;
            }
            settle(&mut stepped);
            stepped.step(message(kind, 2, 1, 3)).unwrap();
            assert_eq!((stepped.role(), stepped.term().0), (Follower, 3));
            let want = (kind == MessageType::MsgApp).then_some(id(2));
            assert_eq!(stepped.lead(), want);
        }
    }
}

#[test]
fn a_message_of_a_lower_term_is_ignored() {
    let mut follower = member_at(Config::new(id(1)), &[1, 2], &[], 2, None);
    let mut old = message(MessageType::MsgApp, 2, 1, 1);
    old.entries = vec![entry(1, 1)];
    follower.step(old).unwrap();
    assert_eq!((follower.last_index().0, follower.lead()), (0, None));
    assert!(!follower.has_ready());
}

#[test]
fn a_leader_that_campaigns_changes_nothing() {
    for setup in [(|_| {}) as fn(&mut Config), with_pre_vote] {
        let mut network = Network::of(1, setup);
        network.campaign(1);
        let term = network.get(1).term();
        network.campaign(1);
        assert_eq!((network.get(1).role(), network.get(1).term()), (Leader, term));
    }
}

#[test]
fn no_campaign_before_a_committed_configuration_change_is_applied() {
    let mut network = Network::of(3, |_| {});
    network.campaign(1);
    let change = ConfChangeV2 {
        changes: conf_change::parse_changes("r3").unwrap(),
        ..ConfChangeV2::default()
    };
    network.at(1).propose_conf_change(&change).unwrap();
    // Member 2 learns that the change is committed, but does not apply it yet.
    let append = settle(network.at(1));
    for message in append {
        network.members.get_mut(&message.to.0).unwrap().step(message).unwrap();
    }
    let mut answers = settle(network.at(2));
    network.at(1).step(answers.remove(0)).unwrap();
    for message in settle(network.at(1)) {
        network.members.get_mut(&message.to.0).unwrap().step(message).unwrap();
    }
    let two = network.at(2);
    assert!(two.commit() > two.applied());
    two.campaign().unwrap();
    assert_eq!(two.role(), Follower);
    settle(two);
    two.campaign().unwrap();
    assert_eq!(two.role(), Candidate);
}
