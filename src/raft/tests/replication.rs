use bytes::Bytes;

use super::network::*;
use crate::raft::log::ApplyFrom;
use crate::raft::*;
use crate::types::{Index, Term};

/// A leader of term 1 whose empty entry is durable and acknowledged by nobody else.
pub(super) fn leader(own: u64, voters: &[u64], setup: impl Fn(&mut Config)) -> Member {
    let mut config = Config::new(id(own));
    setup(&mut config);
    let mut leader = member_with(config, storage(voters, &[], &[]));
    leader.raft.become_candidate();
    leader.raft.become_leader();
    leader.raft.messages.clear();
    settle(&mut leader);
    leader
}

pub(super) fn ack(leader: &mut Member, from: u64, index: u64) {
    let term = leader.term().0;
    let mut answer = message(MessageType::MsgAppResp, from, leader.id().0, term);
    answer.index = Index(index);
    leader.step(answer).unwrap();
}

pub(super) fn appends(messages: &[Message]) -> Vec<&Message> {
    messages.iter().filter(|message| message.msg_type == MessageType::MsgApp).collect()
}

#[test]
fn proposals_reach_everybody_also_after_a_change_of_leader() {
    let mut network = Network::of(3, |_| {});
    network.campaign(1);
    network.propose(1, "one").unwrap();
    network.campaign(2);
    network.propose(2, "two").unwrap();
    network.propose(3, "by proxy").unwrap();
    assert_eq!(network.commits(), [5, 5, 5]);
    for own in 1..=3 {
        let data: Vec<&[u8]> =
            network.applied[&own].iter().map(|entry| entry.data.as_ref()).collect();
        assert_eq!(data, [b"".as_ref(), b"one", b"", b"two", b"by proxy"]);
    }
}

#[test]
fn a_proposal_needs_a_leader_and_forwarding() {
    let mut network = Network::of(3, |config| config.disable_proposal_forwarding = true);
    assert_eq!(network.propose(1, "x"), Err(Error::ProposalDropped));
    network.campaign(1);
    network.propose(1, "x").unwrap();
    assert_eq!(network.propose(2, "y"), Err(Error::ProposalDropped));
}

#[test]
fn a_leader_without_a_quorum_commits_nothing() {
    let mut network = Network::of(3, |_| {});
    network.campaign(1);
    network.isolate(1);
    network.propose(1, "lost").unwrap();
    assert_eq!(network.get(1).commit().0, 1);
    network.campaign(2);
    network.heal();
    network.tick(2, 1);
    network.run();
    network.propose(2, "kept").unwrap();
    assert_eq!(log_terms(network.get(1)), [1, 2, 2]);
    assert_eq!(network.commits(), [3, 3, 3]);
}

#[test]
fn entries_of_an_earlier_term_commit_only_with_one_of_the_own_term() {
    let mut network = Network::of(5, |_| {});
    network.campaign(1);
    for other in [3, 4, 5] {
        network.cut_pair(1, other);
    }
    network.propose(1, "some").unwrap();
    network.propose(1, "data").unwrap();
    assert_eq!(network.get(1).commit().0, 1);
    network.heal();
    network.ignored.insert(MessageType::MsgApp);
    network.campaign(2);
    assert_eq!(network.get(2).role(), StateRole::Leader);
    assert_eq!(network.get(2).commit().0, 1);
    network.heal();
    network.tick(2, 1);
    network.run();
    network.propose(2, "own").unwrap();
    assert_eq!(network.commits(), [5, 5, 5, 5, 5]);
}

#[test]
fn the_median_commits_if_it_is_of_the_own_term() {
    for (matches, terms, term, want) in [
        (vec![1], vec![1], 1, 1),
        (vec![1], vec![1], 2, 0),
        (vec![2], vec![1, 2], 2, 2),
        (vec![1], vec![2], 2, 1),
        (vec![2, 1, 1], vec![1, 2], 1, 1),
        (vec![2, 1, 1], vec![1, 1], 2, 0),
        (vec![2, 1, 2], vec![1, 2], 2, 2),
        (vec![2, 1, 2], vec![1, 1], 2, 0),
        (vec![2, 1, 1, 1], vec![1, 2], 1, 1),
        (vec![2, 1, 1, 1], vec![1, 1], 2, 0),
        (vec![2, 1, 1, 2], vec![1, 2], 1, 1),
        (vec![2, 1, 1, 2], vec![1, 1], 2, 0),
        (vec![2, 1, 2, 2], vec![1, 2], 2, 2),
        (vec![2, 1, 2, 2], vec![1, 1], 2, 0),
    ] {
        let voters: Vec<u64> = (1..=matches.len() as u64).collect();
        let mut member = member_at(Config::new(id(1)), &voters, &terms, term, None);
        for (own, matched) in voters.iter().zip(&matches) {
            member.raft.tracker.progress.get_mut(&id(*own)).unwrap().matched = Index(*matched);
        }
        member.raft.maybe_commit();
        assert_eq!(member.commit().0, want, "{matches:?} {terms:?} {term}");
    }
}

#[test]
fn the_commit_index_follows_which_acknowledgements_come() {
    for (size, acks, want) in [
        (1, vec![], true),
        (3, vec![], false),
        (3, vec![2], true),
        (3, vec![2, 3], true),
        (5, vec![], false),
        (5, vec![2], false),
        (5, vec![2, 3], true),
        (5, vec![2, 3, 4], true),
        (5, vec![2, 3, 4, 5], true),
    ] {
        let voters: Vec<u64> = (1..=size).collect();
        let mut leader = leader(1, &voters, |_| {});
        for other in 2..=size {
            ack(&mut leader, other, 1);
        }
        settle(&mut leader);
        let last = leader.last_index();
        leader.propose(Bytes::from_static(b"data")).unwrap();
        settle(&mut leader);
        for from in acks {
            ack(&mut leader, from, last.0 + 1);
        }
        assert_eq!(leader.commit() > last, want);
    }
}

#[test]
fn an_append_is_checked_cut_and_committed() {
    for (log_term, index, commit, sent, want_last, want_commit, want_reject) in [
        (3, 2, 3, vec![], 2, 0, true),
        (3, 3, 3, vec![], 2, 0, true),
        (1, 1, 1, vec![], 2, 1, false),
        (0, 0, 1, vec![(2, 1)], 1, 1, false),
        (2, 2, 3, vec![(2, 3), (2, 4)], 4, 3, false),
        (2, 2, 4, vec![(2, 3)], 3, 3, false),
        (1, 1, 4, vec![(2, 2)], 2, 2, false),
        (1, 1, 3, vec![], 2, 1, false),
        (1, 1, 3, vec![(2, 2)], 2, 2, false),
        (2, 2, 3, vec![], 2, 2, false),
        (2, 2, 4, vec![], 2, 2, false),
    ] {
        let mut follower = member_at(Config::new(id(1)), &[1, 2], &[1, 2], 2, None);
        let mut append = message(MessageType::MsgApp, 2, 1, 3);
        append.log_term = Term(log_term);
        append.index = Index(index);
        append.commit = Index(commit);
        append.entries = sent.iter().map(|(term, index)| entry(*term, *index)).collect();
        follower.step(append).unwrap();
        let shown = format!("{log_term}/{index} {commit} {sent:?}");
        assert_eq!(follower.last_index().0, want_last, "{shown}");
        assert_eq!(follower.commit().0, want_commit, "{shown}");
        assert_eq!(settle(&mut follower)[0].reject, want_reject, "{shown}");
    }
}

#[test]
fn a_rejection_names_an_index_that_skips_a_whole_term() {
    // (leader's log, follower's log, hint term, hint index, the next append's term and index)
    for (leader_log, follower_log, hint_term, hint, next_term, next) in [
        (vec![1, 2, 2, 4, 4, 4, 4], vec![1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3], 3, 7, 2, 3),
        (vec![1, 2, 2, 3, 4, 4, 4, 5], vec![1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3], 3, 8, 3, 4),
        (vec![1, 1, 1, 1], vec![1, 1, 1, 2, 2, 2], 1, 3, 1, 3),
        (vec![1, 1, 1, 3], vec![1, 1, 1, 2, 2, 2], 2, 4, 1, 3),
        (vec![1, 1, 1, 1, 1, 1], vec![1, 1], 1, 2, 1, 2),
        (vec![1, 4, 5], vec![1, 2], 2, 2, 1, 1),
        (vec![1, 1, 1, 1, 1], vec![1, 1, 1, 2], 1, 3, 1, 3),
        (vec![1, 3, 3, 3, 5], vec![1, 3, 3, 3, 4, 4], 4, 5, 3, 4),
        (vec![2, 2, 5, 5], vec![2, 2, 3], 3, 3, 2, 2),
    ] {
        let term = 7;
        let mut leader = member_at(Config::new(id(1)), &[1, 2], &leader_log, term - 1, None);
        leader.raft.become_candidate();
        leader.raft.become_leader();
        leader.raft.broadcast_append();
        let mut follower = member_at(Config::new(id(2)), &[1, 2], &follower_log, term, None);
        let first = settle(&mut leader).remove(0);
        assert_eq!(first.msg_type, MessageType::MsgApp);
        follower.step(first).unwrap();
        let answer = settle(&mut follower).remove(0);
        assert!(answer.reject);
        assert_eq!((answer.log_term.0, answer.reject_hint.0), (hint_term, hint), "{leader_log:?}");
        leader.step(answer).unwrap();
        let second = settle(&mut leader).remove(0);
        assert_eq!((second.log_term.0, second.index.0), (next_term, next), "{leader_log:?}");
        follower.step(second).unwrap();
        assert!(!settle(&mut follower)[0].reject);
    }
}

#[test]
fn a_conflict_is_found_by_term() {
    for (terms, index, term, want) in [
        (vec![2, 2, 5, 5, 5], 5, 0, 0),
        (vec![2, 2, 5, 5, 5], 5, 2, 2),
        (vec![2, 2, 5, 5, 5], 4, 4, 2),
        (vec![2, 2, 5, 5, 5], 4, 5, 4),
        (vec![2, 2, 5, 5, 5], 3, 9, 3),
        (vec![2, 2, 5, 5, 5], 2, 5, 2),
        (vec![2, 2, 5, 5, 5], 1, 1, 0),
        (vec![2, 2, 5, 5, 5], 0, 3, 0),
    ] {
        let member = member(1, &[1], &terms);
        let found = member.raft.log.find_conflict_by_term(Index(index), Term(term));
        assert_eq!(found.index.0, want, "{index} {term}");
    }
}

#[test]
fn a_leader_brings_every_follower_of_figure_seven_to_its_log() {
    let own = [1, 1, 1, 4, 4, 5, 5, 6, 6, 6];
    for follower in [
        vec![1, 1, 1, 4, 4, 5, 5, 6, 6],
        vec![1, 1, 1, 4],
        vec![1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 6],
        vec![1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 7, 7],
        vec![1, 1, 1, 4, 4, 4, 4],
        vec![1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3],
    ] {
        // The third member only votes.
        let mut network = Network::with_logs(&[&own, &follower, &[]], |_| {});
        network.at(1).raft.term = Term(8);
        network.campaign(1);
        network.propose(1, "x").unwrap();
        assert_eq!(log_terms(network.get(2)), log_terms(network.get(1)), "{follower:?}");
        assert_eq!(network.commits()[0], network.commits()[1]);
    }
}

#[test]
fn a_heartbeat_carries_what_the_follower_is_known_to_have() {
    let mut leader = leader(1, &[1, 2, 3], |_| {});
    leader.propose(Bytes::from_static(b"a")).unwrap();
    leader.propose(Bytes::from_static(b"b")).unwrap();
    settle(&mut leader);
    ack(&mut leader, 2, 1);
    ack(&mut leader, 3, 3);
    settle(&mut leader);
    leader.tick();
    let beats = settle(&mut leader);
    assert_eq!(beats.len(), 2);
    for (beat, want) in beats.iter().zip([1, 3]) {
        assert_eq!(beat.msg_type, MessageType::MsgHeartbeat);
        assert_eq!((beat.index.0, beat.log_term.0, beat.entries.len()), (0, 0, 0));
        assert_eq!(beat.commit.0, want);
    }
}

#[test]
fn a_heartbeat_raises_the_commit_index_and_never_lowers_it() {
    let mut follower = member_at(Config::new(id(1)), &[1, 2], &[1, 2, 3], 3, None);
    follower.raft.log.commit_to(Index(2));
    for (commit, want) in [(3, 3), (1, 3)] {
        let mut beat = message(MessageType::MsgHeartbeat, 2, 1, 3);
        beat.commit = Index(commit);
        follower.step(beat).unwrap();
        assert_eq!(follower.commit().0, want);
    }
    let mut beyond = message(MessageType::MsgHeartbeat, 2, 1, 3);
    beyond.commit = Index(9);
    let refused = follower.step(beyond);
    assert_eq!(refused, Err(Error::CommitOutOfRange { commit: Index(9), last_index: Index(3) }));
}

#[test]
fn a_heartbeat_does_not_unpause_a_probe_but_its_answer_does() {
    let mut leader = leader(1, &[1, 2], |_| {});
    for _ in 0..3 {
        leader.propose(Bytes::from_static(b"x")).unwrap();
    }
    assert_eq!(appends(&settle(&mut leader)).len(), 1);
    leader.tick();
    assert!(leader.status().progress.get(&id(2)).unwrap().append_paused);
    leader.step(message(MessageType::MsgHeartbeatResp, 2, 1, 1)).unwrap();
    let sent = settle(&mut leader);
    assert_eq!(appends(&sent).len(), 1);
    assert!(leader.status().progress.get(&id(2)).unwrap().append_paused);
}

#[test]
fn a_full_window_sends_nothing_until_an_acknowledgement_frees_it() {
    let mut leader = leader(1, &[1, 2], |config| config.max_inflight_msgs = 3);
    ack(&mut leader, 2, 1);
    settle(&mut leader);
    for _ in 0..5 {
        leader.propose(Bytes::from_static(b"x")).unwrap();
    }
    assert_eq!(appends(&settle(&mut leader)).len(), 3);
    assert!(leader.status().progress.get(&id(2)).unwrap().is_paused());
    // A stale acknowledgement frees nothing.
    ack(&mut leader, 2, 1);
    assert_eq!(appends(&settle(&mut leader)).len(), 0);
    ack(&mut leader, 2, 2);
    let sent = settle(&mut leader);
    let with_entries = appends(&sent).iter().filter(|sent| !sent.entries.is_empty()).count();
    assert_eq!(with_entries, 1);
    // A heartbeat's answer lets one empty append through.
    leader.step(message(MessageType::MsgHeartbeatResp, 2, 1, 1)).unwrap();
    let sent = settle(&mut leader);
    assert_eq!(appends(&sent).iter().map(|sent| sent.entries.len()).collect::<Vec<_>>(), [0]);
    leader.propose(Bytes::from_static(b"y")).unwrap();
    assert_eq!(appends(&settle(&mut leader)).len(), 0);
}

#[test]
fn batches_keep_the_limits_of_messages_and_bytes() {
    let mut leader = leader(1, &[1, 2], |config| {
        config.max_inflight_msgs = 3;
        config.max_size_per_msg = 2048;
        config.max_inflight_bytes = 9000;
    });
    for size in [1000usize; 10].iter().chain(&[10_000; 1]) {
        leader.propose(Bytes::from(vec![0; *size])).unwrap();
    }
    // The probe carries one batch of at most 2048 encoded bytes: the empty entry and one more.
    let sent = settle(&mut leader);
    let batch: Vec<usize> = appends(&sent).iter().map(|sent| sent.entries.len()).collect();
    assert_eq!(batch, [2]);
    ack(&mut leader, 2, 2);
    let sent = settle(&mut leader);
    let batches: Vec<usize> =
        appends(&sent).iter().map(|sent| sent.entries.len()).filter(|count| *count > 0).collect();
    assert_eq!(batches, [2, 2, 2]);
    ack(&mut leader, 2, 8);
    let sent = settle(&mut leader);
    let batches: Vec<usize> =
        appends(&sent).iter().map(|sent| sent.entries.len()).filter(|count| *count > 0).collect();
    // The last entry is larger than a message, and travels alone.
    assert_eq!(batches, [2, 1, 1]);
}

#[test]
fn the_window_also_closes_by_bytes() {
    let mut leader = leader(1, &[1, 2], |config| {
        config.max_size_per_msg = 1024;
        config.max_inflight_bytes = 2500;
    });
    ack(&mut leader, 2, 1);
    for _ in 0..6 {
        leader.propose(Bytes::from(vec![0; 1000])).unwrap();
    }
    let sent = settle(&mut leader);
    assert_eq!(appends(&sent).iter().filter(|sent| !sent.entries.is_empty()).count(), 3);
    ack(&mut leader, 2, 2);
    let sent = settle(&mut leader);
    assert_eq!(appends(&sent).iter().filter(|sent| !sent.entries.is_empty()).count(), 1);
}

#[test]
fn uncommitted_entries_are_limited_but_an_empty_system_takes_anything() {
    let mut leader = leader(1, &[1, 2, 3], |config| config.max_uncommitted_entries_size = 16);
    for other in [2, 3] {
        ack(&mut leader, other, 1);
    }
    settle(&mut leader);
    for _ in 0..4 {
        leader.propose(Bytes::from_static(b"1234")).unwrap();
    }
    assert_eq!(leader.propose(Bytes::from_static(b"1")), Err(Error::ProposalDropped));
    leader.propose(Bytes::new()).unwrap();
    settle(&mut leader);
    let last = leader.last_index().0;
    ack(&mut leader, 2, last);
    settle(&mut leader);
    assert_eq!(leader.raft.uncommitted_size, 0);
    leader.propose(Bytes::from(vec![0; 1000])).unwrap();
    assert_eq!(leader.propose(Bytes::from_static(b"1")), Err(Error::ProposalDropped));
}

#[test]
fn an_unreachable_follower_is_probed_again() {
    let mut leader = leader(1, &[1, 2], |_| {});
    ack(&mut leader, 2, 1);
    leader.propose(Bytes::from_static(b"x")).unwrap();
    settle(&mut leader);
    assert_eq!(leader.status().progress.get(&id(2)).unwrap().next.0, 3);
    leader.report_unreachable(id(2));
    let progress = leader.status().progress.get(&id(2)).unwrap().clone();
    assert_eq!((progress.state, progress.next.0), (ProgressState::Probe, 2));
    leader.report_unreachable(id(9));
}

#[test]
fn a_late_rejection_does_not_move_next_below_the_match() {
    let mut leader = leader(1, &[1, 2], |_| {});
    ack(&mut leader, 2, 1);
    leader.propose(Bytes::from_static(b"x")).unwrap();
    settle(&mut leader);
    ack(&mut leader, 2, 2);
    let mut late = message(MessageType::MsgAppResp, 2, 1, 1);
    late.index = Index(1);
    late.reject = true;
    leader.step(late).unwrap();
    let progress = leader.status().progress.get(&id(2)).unwrap().clone();
    assert_eq!((progress.matched.0, progress.next.0), (2, 3));
}

#[test]
fn foreign_messages_that_contradict_themselves_are_refused_and_change_nothing() {
    let mut follower = member(1, &[1, 2], &[]);
    let mut gap = message(MessageType::MsgApp, 2, 1, 1);
    gap.entries = vec![entry(1, 5)];
    let mut future = message(MessageType::MsgApp, 2, 1, 1);
    future.entries = vec![entry(2, 1)];
    let mut huge = message(MessageType::MsgAppResp, 2, 1, 1);
    huge.index = Index(u64::MAX);
    let no_term = message(MessageType::MsgApp, 2, 1, 0);
    let no_snapshot = message(MessageType::MsgSnap, 2, 1, 1);
    let own = message(MessageType::MsgHeartbeat, 1, 1, 1);
    let empty = message(MessageType::MsgProp, 2, 1, 0);
    for bad in [gap, future, huge, no_term, no_snapshot, own, empty] {
        assert!(matches!(follower.step(bad), Err(Error::InvalidMessage(_))));
    }
    let local = message(MessageType::MsgHup, 2, 1, 0);
    assert_eq!(follower.step(local), Err(Error::StepLocalMessage));
    let stranger = message(MessageType::MsgVoteResp, 9, 1, 1);
    assert_eq!(follower.step(stranger), Err(Error::StepPeerNotFound));
    assert_eq!(follower.term().0, 0);
    assert!(!follower.has_ready());
    let mut leader = leader(1, &[1, 2], |_| {});
    let mut never_sent = message(MessageType::MsgAppResp, 2, 1, 1);
    never_sent.index = Index(7);
    assert!(leader.step(never_sent).is_err());
}

#[test]
fn committed_entries_are_handed_out_in_pages_without_a_gap() {
    let mut config = Config::new(id(1));
    config.max_committed_size_per_ready = 2048;
    let mut stored = storage(&[1], &[], &[]);
    let all: Vec<Entry> = (1..=10)
        .map(|index| Entry { data: Bytes::from(vec![b'a'; 1000]), ..entry(1, index) })
        .collect();
    stored.append(&all).unwrap();
    stored.set_hard_state(HardState { term: Term(1), vote: Some(id(1)), commit: Index(10) });
    let mut member = member_with(config, stored);
    let mut applied = vec![];
    let mut pages = vec![];
    while member.has_ready() {
        let ready = member.ready();
        assert!(ready.hard_state.is_none(), "nothing new at a restart");
        assert!(!ready.must_sync);
        pages.push(ready.committed_entries.len());
        applied.extend(ready.committed_entries.iter().map(|entry| entry.index.0));
        member.advance(ready);
    }
    assert_eq!(applied, (1..=10).collect::<Vec<_>>());
    assert_eq!(pages, [2; 5]);
    assert!(!member.raft.log.has_next_committed(ApplyFrom::Unstable));
}

#[test]
fn a_partitioned_leader_does_not_grow_its_log_without_bound() {
    let mut leader = leader(1, &[1, 2, 3], |config| config.max_uncommitted_entries_size = 16 * 8);
    let mut taken = 0;
    for _ in 0..1024 {
        taken += u64::from(leader.propose(Bytes::from_static(b"testdata")).is_ok());
        settle(&mut leader);
    }
    assert_eq!(taken, 16);
    assert_eq!(leader.last_index().0, 17);
}
