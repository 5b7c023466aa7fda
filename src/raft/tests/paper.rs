//! One test per sentence of the rules of Raft: figure 2 of the paper, its sections 5.2, 5.4.1 and 5.4.2, and
//! of the thesis sections 3.10, 4.1 to 4.3, 6.4 and 9.6.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::network::*;
use super::replication::{ack, appends, leader};
use crate::raft::StateRole::{Candidate, Follower, Leader, PreCandidate};
use crate::raft::conf_change::parse_changes;
use crate::raft::*;
use crate::types::{Index, Term};

fn change(text: &str) -> ConfChangeV2 {
    ConfChangeV2 { changes: parse_changes(text).unwrap(), ..ConfChangeV2::default() }
}

fn append(term: u64, previous: (u64, u64), sent: &[(u64, u64)], commit: u64) -> Message {
    let mut append = message(MessageType::MsgApp, 2, 1, term);
    append.log_term = Term(previous.0);
    append.index = Index(previous.1);
    append.entries = sent.iter().map(|(term, index)| entry(*term, *index)).collect();
    append.commit = Index(commit);
    append
}

fn vote_request(from: u64, term: u64, last: (u64, u64)) -> Message {
    let mut request = message(MessageType::MsgVote, from, 1, term);
    request.log_term = Term(last.0);
    request.index = Index(last.1);
    request
}

// ---- figure 2: AppendEntries ----

#[test]
fn append_1_of_a_lower_term_is_refused_by_the_own_higher_term() {
    let mut config = Config::new(id(1));
    config.check_quorum = true;
    let mut follower = member_at(config, &[1, 2], &[1], 3, None);
    follower.step(append(2, (1, 1), &[(2, 2)], 2)).unwrap();
    let answer = settle(&mut follower).remove(0);
    assert_eq!((answer.msg_type, answer.term.0, answer.index.0), (MessageType::MsgAppResp, 3, 0));
    assert_eq!((log_terms(&follower), follower.commit().0), (vec![1], 0));
}

#[test]
fn append_2_without_the_previous_entry_is_refused() {
    for previous in [(1, 2), (2, 1), (3, 3)] {
        let mut follower = member_at(Config::new(id(1)), &[1, 2], &[1, 2], 2, None);
        follower.step(append(3, previous, &[], 2)).unwrap();
        let answer = settle(&mut follower).remove(0);
        assert!(answer.reject, "{previous:?}");
        assert_eq!((log_terms(&follower), follower.commit().0), (vec![1, 2], 0));
    }
}

#[test]
fn append_3_an_entry_that_conflicts_goes_with_all_that_follow_it() {
    let mut follower = member_at(Config::new(id(1)), &[1, 2], &[1, 1, 2, 2, 2], 2, None);
    follower.step(append(4, (1, 2), &[(4, 3)], 0)).unwrap();
    assert_eq!(log_terms(&follower), [1, 1, 4]);
    assert!(!settle(&mut follower)[0].reject);
    assert_eq!(follower.storage().last_index().0, 3, "also on the disk");
}

#[test]
fn append_4_only_entries_that_are_missing_are_appended_and_none_that_are_there_is_dropped() {
    let mut follower = member_at(Config::new(id(1)), &[1, 2], &[1, 1, 2, 2], 2, None);
    // A late message with a part of what is there.
    follower.step(append(2, (1, 1), &[(1, 2)], 0)).unwrap();
    assert_eq!(log_terms(&follower), [1, 1, 2, 2]);
    follower.step(append(2, (1, 2), &[(2, 3), (2, 4), (2, 5)], 0)).unwrap();
    assert_eq!(log_terms(&follower), [1, 1, 2, 2, 2]);
    let ready = follower.ready();
    assert_eq!(ready.entries, [entry(2, 5)], "what is there is not written again");
}

#[test]
fn append_5_commits_up_to_the_smaller_of_the_leaders_commit_and_the_last_new_entry() {
    for (commit, sent, want) in [(1, 2, 1), (3, 2, 3), (9, 2, 4), (9, 0, 2), (0, 1, 0)] {
        let mut follower = member_at(Config::new(id(1)), &[1, 2], &[1, 1, 1, 1, 1], 1, None);
        let entries: Vec<(u64, u64)> = (3..3 + sent).map(|index| (1, index)).collect();
        follower.step(append(1, (1, 2), &entries, commit)).unwrap();
        assert_eq!(follower.commit().0, want, "{commit} {sent}");
        follower.step(append(1, (1, 2), &entries, 0)).unwrap();
        assert_eq!(follower.commit().0, want, "it never falls");
    }
}

// ---- figure 2: RequestVote ----

#[test]
fn vote_1_of_a_lower_term_is_not_granted() {
    let mut voter = member_at(Config::new(id(1)), &[1, 2], &[], 3, None);
    voter.step(vote_request(2, 2, (9, 9))).unwrap();
    assert_eq!((voter.term().0, voter.raft.vote), (3, None));
    assert!(settle(&mut voter).iter().all(|answer| answer.reject));
}

#[test]
fn vote_2_goes_to_whom_it_went_before_or_to_the_first_with_a_log_as_new() {
    for (voted, from, last, want) in [
        (None, 2, (2, 2), true),
        (None, 2, (3, 1), true),
        (None, 2, (2, 1), false),
        (None, 2, (1, 9), false),
        (Some(2), 2, (2, 2), true),
        (Some(3), 2, (2, 2), false),
        (Some(2), 2, (1, 2), false),
    ] {
        let mut voter = member_at(Config::new(id(1)), &[1, 2, 3], &[1, 2], 3, voted);
        voter.step(vote_request(from, 3, last)).unwrap();
        assert_eq!(!settle(&mut voter)[0].reject, want, "{voted:?} {last:?}");
    }
}

// ---- figure 2: persistent state ----

#[test]
fn term_vote_and_entries_are_stored_with_or_before_the_answer_that_promises_them() {
    let mut voter = member(1, &[1, 2, 3], &[]);
    voter.step(vote_request(2, 5, (0, 0))).unwrap();
    let ready = voter.ready();
    let stored = ready.hard_state.unwrap();
    assert_eq!((stored.term.0, stored.vote, ready.must_sync), (5, Some(id(2)), true));
    assert_eq!(ready.messages[0].msg_type, MessageType::MsgVoteResp);
    store(&mut voter, &ready);
    voter.advance(ready);
    voter.step(append(5, (0, 0), &[(5, 1)], 0)).unwrap();
    let ready = voter.ready();
    assert_eq!((ready.entries.len(), ready.must_sync), (1, true));
    assert_eq!(ready.messages[0].msg_type, MessageType::MsgAppResp);
}

#[test]
fn a_commit_index_alone_needs_no_sync() {
    let mut follower = member_at(Config::new(id(1)), &[1, 2], &[1], 1, None);
    follower.step(append(1, (1, 1), &[], 1)).unwrap();
    let ready = follower.ready();
    assert_eq!((ready.hard_state.unwrap().commit.0, ready.must_sync), (1, false));
}

// ---- figure 2: all servers ----

#[test]
fn everybody_applies_what_is_committed_in_order_and_once() {
    let mut network = Network::of(3, |config| config.max_committed_size_per_ready = 40);
    network.campaign(1);
    for data in ["a", "b", "c", "d"] {
        network.propose(1, data).unwrap();
    }
    for own in 1..=3 {
        let indexes: Vec<u64> = network.applied[&own].iter().map(|entry| entry.index.0).collect();
        assert_eq!(indexes, [1, 2, 3, 4, 5]);
    }
}

#[test]
fn everybody_takes_a_higher_term_and_follows() {
    for role in [Follower, Candidate, Leader] {
        for kind in [
            MessageType::MsgApp,
            MessageType::MsgAppResp,
            MessageType::MsgVote,
            MessageType::MsgVoteResp,
            MessageType::MsgHeartbeat,
            MessageType::MsgHeartbeatResp,
        ] {
            let mut stepped = member(1, &[1, 2, 3], &[]);
            if role != Follower {
                stepped.raft.become_candidate();
            }
            if role == Leader {
                stepped.raft.become_leader();
            }
            settle(&mut stepped);
            stepped.step(message(kind, 2, 1, 7)).unwrap();
            assert_eq!((stepped.role(), stepped.term().0), (Follower, 7), "{role} {kind}");
        }
    }
}

#[test]
fn everybody_starts_as_a_follower_with_its_stored_term_and_vote() {
    let member = member_at(Config::new(id(1)), &[1, 2], &[1], 4, Some(2));
    assert_eq!((member.role(), member.term().0, member.lead()), (Follower, 4, None));
    assert_eq!(member.raft.vote, Some(id(2)));
}

// ---- figure 2: followers ----

#[test]
fn a_follower_answers_candidates_and_leaders() {
    for (request, want) in [
        (vote_request(2, 1, (0, 0)), MessageType::MsgVoteResp),
        (message(MessageType::MsgPreVote, 2, 1, 1), MessageType::MsgPreVoteResp),
        (append(1, (0, 0), &[], 0), MessageType::MsgAppResp),
        (message(MessageType::MsgHeartbeat, 2, 1, 1), MessageType::MsgHeartbeatResp),
    ] {
        let mut follower = member(1, &[1, 2], &[]);
        follower.step(request).unwrap();
        let answers: Vec<MessageType> =
            settle(&mut follower).iter().map(|answer| answer.msg_type).collect();
        assert_eq!(answers, [want]);
    }
}

#[test]
fn a_follower_campaigns_when_its_time_is_up_and_a_leader_or_a_granted_vote_resets_it() {
    for reset in [
        None,
        Some(append(1, (0, 0), &[], 0)),
        Some(message(MessageType::MsgHeartbeat, 2, 1, 1)),
        Some(vote_request(2, 1, (0, 0))),
    ] {
        let mut follower = member_at(Config::new(id(1)), &[1, 2], &[], 1, None);
        follower.set_randomized_election_timeout(10);
        let is_reset = reset.is_some();
        for _ in 0..9 {
            follower.tick();
        }
        if let Some(message) = reset {
            follower.step(message).unwrap();
        }
        follower.tick();
        assert_eq!(follower.role() == Follower, is_reset);
        for _ in 0..9 {
            follower.tick();
        }
        assert_eq!(follower.role(), Candidate);
    }
}

#[test]
fn a_vote_that_is_refused_resets_nothing() {
    let mut follower = member_at(Config::new(id(1)), &[1, 2], &[1], 1, None);
    follower.set_randomized_election_timeout(10);
    for _ in 0..9 {
        follower.tick();
    }
    follower.step(vote_request(2, 1, (0, 0))).unwrap();
    follower.tick();
    assert_eq!(follower.role(), Candidate);
}

// ---- figure 2: candidates ----

#[test]
fn a_candidate_raises_its_term_votes_for_itself_draws_a_timeout_and_asks_everybody() {
    let mut timeouts = BTreeSet::new();
    for round in 0..50 {
        let mut candidate = member_at(Config::new(id(1)), &[1, 2, 3], &[1, 2], 2, Some(3));
        for _ in 0..round {
            candidate.campaign().unwrap();
        }
        candidate.campaign().unwrap();
        assert_eq!((candidate.role(), candidate.term().0), (Candidate, 3 + round));
        assert_eq!((candidate.raft.vote, candidate.election_elapsed()), (Some(id(1)), 0));
        timeouts.insert(candidate.randomized_election_timeout());
        let sent = settle(&mut candidate);
        let asked: Vec<_> = sent.iter().rev().take(2).rev().collect();
        for (request, to) in asked.iter().zip([2, 3]) {
            assert_eq!((request.msg_type, request.to), (MessageType::MsgVote, id(to)));
            assert_eq!(request.term.0, 3 + round);
            assert_eq!((request.log_term.0, request.index.0), (2, 2), "its last entry");
        }
    }
    assert!(timeouts.len() > 5, "drawn anew: {timeouts:?}");
    assert!(timeouts.iter().all(|ticks| (10..20).contains(ticks)));
}

#[test]
fn a_candidate_with_a_majority_leads_and_with_a_majority_against_it_follows() {
    for (size, yes, no, want) in [
        (1, 0, 0, Leader),
        (3, 2, 0, Leader),
        (3, 1, 0, Leader),
        (5, 4, 0, Leader),
        (5, 3, 0, Leader),
        (5, 2, 0, Leader),
        (3, 0, 2, Follower),
        (5, 0, 4, Follower),
        (5, 1, 3, Follower),
        (3, 0, 0, Candidate),
        (5, 1, 0, Candidate),
        (5, 1, 2, Candidate),
        (5, 0, 0, Candidate),
    ] {
        let voters: Vec<u64> = (1..=size).collect();
        let mut candidate = member(1, &voters, &[]);
        candidate.campaign().unwrap();
        settle(&mut candidate);
        for from in 2..2 + yes + no {
            let mut answer = message(MessageType::MsgVoteResp, from, 1, 1);
            answer.reject = from >= 2 + yes;
            candidate.step(answer).unwrap();
        }
        assert_eq!(candidate.role(), want, "{size} {yes} {no}");
        assert_eq!(candidate.term().0, 1);
    }
}

#[test]
fn a_candidate_follows_a_leader_of_its_own_term_and_takes_no_notice_of_a_lower_one() {
    for kind in [MessageType::MsgApp, MessageType::MsgHeartbeat] {
        for (term, want) in [(2, Follower), (3, Follower), (1, Candidate)] {
            let mut candidate = member_at(Config::new(id(1)), &[1, 2, 3], &[], 1, None);
            candidate.campaign().unwrap();
            settle(&mut candidate);
            candidate.step(message(kind, 2, 1, term)).unwrap();
            assert_eq!((candidate.role(), candidate.term().0), (want, term.max(2)), "{kind}");
        }
    }
}

#[test]
fn a_candidate_whose_time_is_up_campaigns_again_at_the_next_term() {
    let mut candidate = member(1, &[1, 2, 3], &[]);
    candidate.campaign().unwrap();
    settle(&mut candidate);
    for _ in 0..candidate.randomized_election_timeout() {
        candidate.tick();
    }
    assert_eq!((candidate.role(), candidate.term().0), (Candidate, 2));
    assert_eq!(settle(&mut candidate).len(), 2);
}

// ---- figure 2: leaders ----

#[test]
fn a_new_leader_tells_everybody_at_once_and_again_at_each_interval() {
    let mut leader = member(1, &[1, 2, 3], &[]);
    leader.campaign().unwrap();
    settle(&mut leader);
    leader.step(message(MessageType::MsgVoteResp, 2, 1, 1)).unwrap();
    let sent = settle(&mut leader);
    let told: Vec<u64> = appends(&sent).iter().map(|append| append.to.0).collect();
    assert_eq!(told, [2, 3]);
    for _ in 0..3 {
        leader.tick();
        let beats = settle(&mut leader);
        let told: Vec<_> = beats.iter().map(|beat| (beat.msg_type, beat.to.0)).collect();
        let beat = MessageType::MsgHeartbeat;
        assert_eq!(told, [(beat, 2), (beat, 3)]);
    }
}

#[test]
fn a_leader_appends_a_command_sends_it_after_its_previous_entry_and_applies_it_when_committed() {
    let mut leader = leader(1, &[1, 2, 3], |_| {});
    for other in [2, 3] {
        ack(&mut leader, other, 1);
    }
    settle(&mut leader);
    leader.propose(Bytes::from_static(b"x")).unwrap();
    let (sent, applied, _) = settle_with(&mut leader);
    assert!(applied.is_empty(), "nothing is applied before it is committed");
    for (append, to) in appends(&sent).iter().zip([2, 3]) {
        assert_eq!((append.to.0, append.index.0, append.log_term.0), (to, 1, 1));
        assert_eq!((append.commit.0, append.entries.len()), (1, 1));
    }
    ack(&mut leader, 2, 2);
    let (sent, applied, _) = settle_with(&mut leader);
    assert_eq!(applied[0].data.as_ref(), b"x");
    assert!(appends(&sent).iter().all(|append| append.commit.0 == 2), "followers are told");
}

#[test]
fn a_leader_moves_next_and_match_at_a_success_and_next_back_at_a_conflict_until_logs_agree() {
    let mut leader = member_at(Config::new(id(1)), &[1, 2], &[1, 1, 2, 2], 3, None);
    leader.raft.become_candidate();
    leader.raft.become_leader();
    settle(&mut leader);
    let progress = |leader: &Member| {
        let progress = leader.status().progress.get(&id(2)).unwrap().clone();
        (progress.matched.0, progress.next.0)
    };
    let term = leader.term().0;
    let reject = |index, hint, hint_term| {
        let mut answer = message(MessageType::MsgAppResp, 2, 1, term);
        (answer.index, answer.reject) = (Index(index), true);
        (answer.reject_hint, answer.log_term) = (Index(hint), Term(hint_term));
        answer
    };
    assert_eq!(progress(&leader), (0, 5));
    leader.step(reject(4, 3, 1)).unwrap();
    assert_eq!(progress(&leader), (0, 3));
    leader.step(reject(2, 1, 1)).unwrap();
    assert_eq!(progress(&leader), (0, 2));
    let sent = settle(&mut leader);
    let last = appends(&sent).last().unwrap().to_owned().clone();
    assert_eq!((last.index.0, last.entries.len()), (1, 4));
    ack(&mut leader, 2, 5);
    assert_eq!(progress(&leader), (5, 6));
}

#[test]
fn a_leader_never_overwrites_or_deletes_what_is_in_its_log() {
    let mut network = Network::with_logs(&[&[1, 1, 2], &[1, 1], &[1]], |_| {});
    network.campaign(1);
    for _ in 0..3 {
        network.propose(1, "x").unwrap();
    }
    let before = log_terms(network.get(1));
    assert_eq!(before, [1, 1, 2, 3, 3, 3, 3]);
    network.isolate(1);
    network.propose(1, "only here").unwrap();
    let after = log_terms(network.get(1));
    assert_eq!(after[..before.len()], before);
    // Nor does a rejection, however low, cut the leader's own log.
    let mut answer = message(MessageType::MsgAppResp, 2, 1, network.get(1).term().0);
    answer.reject = true;
    network.at(1).step(answer).unwrap();
    assert_eq!(log_terms(network.get(1)), after);
}

// ---- 5.2 ----

#[test]
fn at_most_one_candidate_gets_a_members_vote_in_a_term_also_over_a_restart() {
    let mut voter = member(1, &[1, 2, 3], &[]);
    voter.step(vote_request(2, 1, (0, 0))).unwrap();
    assert!(!settle(&mut voter)[0].reject);
    let stored = voter.storage().clone();
    let mut voter = member_with(Config::new(id(1)), stored);
    voter.step(vote_request(3, 1, (0, 0))).unwrap();
    assert!(settle(&mut voter)[0].reject);
    voter.step(vote_request(2, 1, (0, 0))).unwrap();
    assert!(!settle(&mut voter)[0].reject, "the same candidate may ask again");
}

#[test]
fn election_timeouts_spread_so_that_two_of_five_seldom_start_together() {
    for role in [Follower, Candidate] {
        let voters = [1, 2, 3, 4, 5];
        let mut members: Vec<Member> =
            voters.iter().map(|own| member(*own, &voters, &[])).collect();
        let mut conflicts = 0;
        for _ in 0..1000 {
            let mut timeouts: Vec<u32> = members
                .iter_mut()
                .map(|member| {
                    let term = member.term();
                    if role == Follower {
                        member.raft.become_follower(term, None);
                    } else {
                        member.raft.become_candidate();
                    }
                    member.randomized_election_timeout()
                })
                .collect();
            timeouts.sort_unstable();
            conflicts += u32::from(timeouts[0] == timeouts[1]);
        }
        assert!(conflicts < 300, "{role}: {conflicts} of 1000 rounds");
    }
}

// ---- 5.4.1 and 5.4.2 ----

#[test]
fn the_log_with_the_later_last_term_is_newer_and_then_the_longer_one() {
    for (own, last, want) in [
        (vec![1, 1, 1], (2, 1), true),
        (vec![2], (1, 3), false),
        (vec![1, 2], (2, 2), true),
        (vec![1, 2], (2, 3), true),
        (vec![1, 2], (2, 1), false),
        (vec![], (0, 0), true),
    ] {
        let mut voter = member_at(Config::new(id(1)), &[1, 2], &own, 2, None);
        voter.step(vote_request(2, 3, last)).unwrap();
        assert_eq!(!settle(&mut voter)[0].reject, want, "{own:?} {last:?}");
    }
}

#[test]
fn only_entries_of_the_own_term_are_committed_by_counting_and_earlier_ones_with_them() {
    for (index, want) in [(1, 0), (2, 0), (3, 3)] {
        let mut leader = member_at(Config::new(id(1)), &[1, 2], &[1, 2], 2, None);
        leader.raft.become_candidate();
        leader.raft.become_leader();
        settle(&mut leader);
        assert_eq!(leader.last_index().0, 3);
        ack(&mut leader, 2, index);
        assert_eq!(leader.commit().0, want, "entry {index} is on both");
    }
}

#[test]
fn figure_8_an_entry_of_an_old_term_on_a_majority_may_still_be_overwritten() {
    // Member 1 led at term 2 and reached only member 2; member 5 has an entry of term 3.
    let mut network = Network::with_logs(&[&[1, 2], &[1, 2], &[1], &[1], &[1, 3]], |_| {});
    for own in [4, 5] {
        network.isolate(own);
    }
    network.ignored.insert(MessageType::MsgHeartbeat);
    network.at(1).raft.term = Term(3);
    network.at(1).campaign().unwrap();
    network.run();
    // It led at term 4 and its own entry reached members 2 and 3 together with the old one.
    assert_eq!((network.get(1).role(), network.get(1).term().0), (Leader, 4));
    assert_eq!(network.get(1).commit().0, 3, "with the entry of its own term, both");
    // Had it stopped before its own entry, member 5 could win and overwrite the old one.
    let mut network = Network::with_logs(&[&[1, 2], &[1, 2], &[1, 2], &[1], &[1, 3]], |_| {});
    network.isolate(1);
    network.at(5).campaign().unwrap();
    network.run();
    assert_eq!(network.get(5).role(), Leader);
    for own in [2, 3, 4, 5] {
        assert_eq!(log_terms(network.get(own)), [1, 3, 4]);
    }
}

// ---- thesis 3.10: leadership transfer ----

#[test]
fn transfer_stops_proposals_brings_the_target_up_to_date_and_then_tells_it_to_campaign() {
    let mut leader = leader(1, &[1, 2, 3], |_| {});
    ack(&mut leader, 2, 1);
    leader.propose(Bytes::from_static(b"x")).unwrap();
    settle(&mut leader);
    leader.transfer_leader(id(2));
    assert_eq!(leader.propose(Bytes::from_static(b"y")), Err(Error::ProposalDropped));
    assert!(settle(&mut leader).iter().all(|sent| sent.msg_type != MessageType::MsgTimeoutNow));
    ack(&mut leader, 2, 2);
    let sent = settle(&mut leader);
    let orders: Vec<u64> = sent
        .iter()
        .filter(|sent| sent.msg_type == MessageType::MsgTimeoutNow)
        .map(|sent| sent.to.0)
        .collect();
    assert_eq!(orders, [2]);
}

#[test]
fn the_target_of_a_transfer_campaigns_without_waiting_and_says_that_it_may() {
    let mut target = member_with(
        Config { pre_vote: true, check_quorum: true, ..Config::new(id(1)) },
        storage(&[1, 2, 3], &[], &[1]),
    );
    target.step(message(MessageType::MsgTimeoutNow, 2, 1, 1)).unwrap();
    assert_eq!(target.role(), Candidate, "no pre-vote");
    let sent = settle(&mut target);
    assert!(sent.iter().all(|request| request.context.as_ref() == b"CampaignTransfer"));
    // Whoever hears it votes even within its lease.
    let mut voter = member_with(
        Config { check_quorum: true, ..Config::new(id(2)) },
        storage(&[1, 2, 3], &[], &[1]),
    );
    voter.step(message(MessageType::MsgHeartbeat, 3, 2, 1)).unwrap();
    settle(&mut voter);
    voter.step(sent[0].clone()).unwrap();
    assert!(!settle(&mut voter)[0].reject);
}

// ---- thesis 4: membership ----

#[test]
fn the_next_change_waits_until_the_one_before_is_applied() {
    let mut network = Network::of(3, |_| {});
    network.campaign(1);
    network.isolate(1);
    network.at(1).propose_conf_change(&change("l4")).unwrap();
    network.run();
    network.at(1).propose_conf_change(&change("l5")).unwrap();
    network.run();
    network.heal();
    network.tick(1, 1);
    network.run();
    assert_eq!(network.get(1).conf_state().learners, [id(4)]);
    network.at(1).propose_conf_change(&change("l5")).unwrap();
    network.run();
    for own in 1..=3 {
        assert_eq!(network.get(own).conf_state().learners, [id(4), id(5)]);
    }
}

#[test]
fn a_learner_is_sent_everything_and_counts_for_nothing() {
    let build = |own| member_with(Config::new(id(own)), storage(&[1, 2], &[3], &[]));
    let mut network = Network::new(vec![build(1), build(2), build(3)]);
    network.campaign(1);
    network.propose(1, "x").unwrap();
    assert_eq!(network.commits(), [2, 2, 2]);
    network.isolate(2);
    network.propose(1, "y").unwrap();
    assert_eq!(network.get(3).last_index().0, 3, "it has the entry");
    assert_eq!(network.get(1).commit().0, 2, "and that does not commit it");
}

#[test]
fn a_leader_that_is_not_in_the_new_configuration_does_not_count_itself() {
    let mut network = Network::of(3, |_| {});
    network.campaign(1);
    network.at(1).propose_conf_change(&change("r1")).unwrap();
    network.run();
    assert_eq!(network.get(1).role(), Leader, "it leads on unless it is set to step down");
    assert_eq!(network.get(1).conf_state().voters, [id(2), id(3)]);
    assert_eq!(network.propose(1, "x"), Err(Error::ProposalDropped));
    network.campaign(2);
    network.propose(2, "x").unwrap();
    assert_eq!(network.get(3).commit(), network.get(2).commit());
}

#[test]
fn a_member_that_heard_the_leader_lately_gives_no_vote_that_could_disrupt_it() {
    for kind in [MessageType::MsgVote, MessageType::MsgPreVote] {
        let mut follower = member_with(
            Config { check_quorum: true, ..Config::new(id(1)) },
            storage(&[1, 2, 3], &[], &[]),
        );
        follower.step(message(MessageType::MsgHeartbeat, 2, 1, 1)).unwrap();
        settle(&mut follower);
        follower.set_randomized_election_timeout(100);
        for _ in 0..9 {
            follower.tick();
        }
        follower.step(message(kind, 3, 1, 5)).unwrap();
        assert!(!follower.has_ready(), "not even an answer, and no higher term");
        follower.tick();
        follower.step(message(kind, 3, 1, 5)).unwrap();
        assert!(!settle(&mut follower)[0].reject, "{kind}");
    }
}

#[test]
fn a_joint_configuration_elects_and_commits_only_with_both_majorities() {
    let joint = ConfState {
        voters: vec![id(1), id(2), id(3)],
        voters_outgoing: vec![id(1), id(4), id(5)],
        ..ConfState::default()
    };
    let mut stored = MemoryStorage::new();
    stored.set_conf_state(joint);
    let mut candidate = member_with(Config::new(id(1)), stored);
    candidate.campaign().unwrap();
    assert_eq!(settle(&mut candidate).len(), 4, "everybody of both halves is asked");
    for (from, want) in [(2, Candidate), (3, Candidate), (4, Leader)] {
        candidate.step(message(MessageType::MsgVoteResp, from, 1, 1)).unwrap();
        assert_eq!(candidate.role(), want);
    }
    settle(&mut candidate);
    for (from, want) in [(2, 0), (3, 0), (5, 1)] {
        ack(&mut candidate, from, 1);
        assert_eq!(candidate.commit().0, want);
    }
}

// ---- thesis 6.4: reads ----

#[test]
fn a_read_waits_for_the_terms_first_commit_takes_the_commit_index_and_a_round_of_heartbeats() {
    let mut leader = leader(1, &[1, 2, 3], |_| {});
    leader.read_index(Bytes::from_static(b"early")).unwrap();
    assert!(settle(&mut leader).is_empty(), "nothing is asked before the first commit");
    ack(&mut leader, 2, 1);
    let (sent, _, reads) = settle_with(&mut leader);
    assert!(reads.is_empty());
    let beats: Vec<&Message> =
        sent.iter().filter(|sent| sent.msg_type == MessageType::MsgHeartbeat).collect();
    assert_eq!(beats.len(), 2);
    // What is committed meanwhile does not move the index of the read.
    leader.propose(Bytes::from_static(b"x")).unwrap();
    settle(&mut leader);
    ack(&mut leader, 2, 2);
    settle(&mut leader);
    let mut answer = message(MessageType::MsgHeartbeatResp, 3, 1, 1);
    answer.context = beats[1].context.clone();
    leader.step(answer).unwrap();
    let (_, _, reads) = settle_with(&mut leader);
    assert_eq!((reads[0].index.0, reads[0].request_context.as_ref()), (1, b"early".as_ref()));
}

#[test]
fn a_follower_passes_a_read_to_the_leader_and_gets_its_index() {
    let mut network = Network::of(3, |_| {});
    network.campaign(1);
    network.propose(1, "x").unwrap();
    network.at(2).read_index(Bytes::from_static(b"from two")).unwrap();
    network.run();
    let answered: Vec<u64> = network.reads[&2].iter().map(|read| read.index.0).collect();
    assert_eq!(answered, [2]);
    assert!(network.reads.get(&1).is_none_or(Vec::is_empty));
}

#[test]
fn several_reads_share_one_round() {
    let mut leader = leader(1, &[1, 2, 3], |_| {});
    ack(&mut leader, 2, 1);
    settle(&mut leader);
    for context in [b"a", b"b", b"c"] {
        leader.read_index(Bytes::from_static(context)).unwrap();
    }
    let sent = settle(&mut leader);
    let mut answer = message(MessageType::MsgHeartbeatResp, 2, 1, 1);
    answer.context = sent.last().unwrap().context.clone();
    leader.step(answer).unwrap();
    let (_, _, reads) = settle_with(&mut leader);
    assert_eq!(reads.len(), 3, "the answer to the last one confirms all before it");
}

#[test]
fn a_leader_that_steps_down_forgets_the_reads_that_wait() {
    let mut leader = leader(1, &[1, 2, 3], |_| {});
    leader.read_index(Bytes::from_static(b"postponed")).unwrap();
    ack(&mut leader, 2, 1);
    leader.read_index(Bytes::from_static(b"asked")).unwrap();
    settle(&mut leader);
    leader.step(message(MessageType::MsgHeartbeat, 2, 1, 2)).unwrap();
    assert_eq!(leader.raft.read_only.last_position(), None);
    assert!(leader.raft.postponed_reads.is_empty());
}

// ---- thesis 9.6: pre-vote ----

#[test]
fn a_pre_candidate_changes_neither_term_nor_vote_until_a_majority_would_vote_for_it() {
    let config = Config { pre_vote: true, ..Config::new(id(1)) };
    let mut candidate = member_at(config, &[1, 2, 3], &[1], 1, Some(2));
    candidate.campaign().unwrap();
    let sent = settle(&mut candidate);
    assert!(sent.iter().all(|request| request.term.0 == 2), "it asks about the next term");
    assert_eq!((candidate.role(), candidate.term().0), (PreCandidate, 1));
    assert_eq!(candidate.raft.vote, Some(id(2)));
    candidate.step(message(MessageType::MsgPreVoteResp, 3, 1, 2)).unwrap();
    assert_eq!((candidate.role(), candidate.term().0), (Candidate, 2));
    assert_eq!(candidate.raft.vote, Some(id(1)));
}

#[test]
fn a_pre_vote_is_granted_to_several_and_promises_nothing() {
    let mut voter = member(1, &[1, 2, 3], &[]);
    for from in [2, 3] {
        voter.step(message(MessageType::MsgPreVote, from, 1, 1)).unwrap();
        let ready = voter.ready();
        assert_eq!((ready.hard_state, ready.must_sync), (None, false));
        assert!(!ready.messages[0].reject);
        assert_eq!(ready.messages[0].term.0, 1, "the term that was asked about");
        voter.advance(ready);
    }
}

// ---- which changes of role there are ----

#[test]
fn roles_change_only_as_the_rules_say() {
    type Turn = fn(&mut Member);
    let follower: Turn = |member| {
        let term = member.term();
        member.raft.become_follower(term.next(), None);
    };
    let pre_candidate: Turn = |member| member.raft.become_pre_candidate();
    let candidate: Turn = |member| member.raft.become_candidate();
    let leader: Turn = |member| member.raft.become_leader();
    let reach = |role| {
        let mut member = member(1, &[1, 2, 3], &[]);
        match role {
            Follower => {}
            PreCandidate => member.raft.become_pre_candidate(),
            Candidate => member.raft.become_candidate(),
            Leader => {
                member.raft.become_candidate();
                member.raft.become_leader();
            }
        }
        member
    };
    for (from, to, turn, allowed, terms) in [
        (Follower, Follower, follower, true, 1),
        (Follower, PreCandidate, pre_candidate, true, 0),
        (Follower, Candidate, candidate, true, 1),
        (Follower, Leader, leader, false, 0),
        (PreCandidate, Follower, follower, true, 1),
        (PreCandidate, PreCandidate, pre_candidate, true, 0),
        (PreCandidate, Candidate, candidate, true, 1),
        (PreCandidate, Leader, leader, true, 0),
        (Candidate, Follower, follower, true, 1),
        (Candidate, PreCandidate, pre_candidate, true, 0),
        (Candidate, Candidate, candidate, true, 1),
        (Candidate, Leader, leader, true, 0),
        (Leader, Follower, follower, true, 1),
        (Leader, PreCandidate, pre_candidate, false, 0),
        (Leader, Candidate, candidate, false, 0),
        (Leader, Leader, leader, true, 0),
    ] {
        let mut member = reach(from);
        let before = member.term().0;
        let turned = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| turn(&mut member)));
        assert_eq!(turned.is_ok(), allowed, "{from} to {to}");
        if allowed {
            assert_eq!((member.role(), member.term().0), (to, before + terms), "{from} to {to}");
        }
    }
}
