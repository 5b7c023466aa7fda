use bytes::Bytes;

use super::network::*;
use crate::raft::*;
use crate::types::{Index, Term};

fn asynchronous(own: u64, voters: &[u64], terms: &[u64]) -> Member {
    let mut config = Config::new(id(own));
    config.async_storage_writes = true;
    member_with(config, storage(voters, &[], terms))
}

/// Splits what a `Ready` sends: to the append thread, to the apply thread, to others.
fn sorted(ready: Ready) -> (Option<Message>, Option<Message>, Vec<Message>) {
    let (mut append, mut apply, mut others) = (None, None, vec![]);
    for message in ready.messages {
        match message.to {
            LOCAL_APPEND_THREAD => append = Some(message),
            LOCAL_APPLY_THREAD => apply = Some(message),
            _ => others.push(message),
        }
    }
    (append, apply, others)
}

/// Does the work of the append thread and delivers what it answers to the member itself.
fn write(member: &mut Member, work: Message) -> Vec<Message> {
    let storage = member.storage_mut();
    if let Some(snapshot) = work.snapshot {
        storage.apply_snapshot(*snapshot).unwrap();
    }
    storage.append(&work.entries).unwrap();
    let hard_state = HardState { term: work.term, vote: work.vote, commit: work.commit };
    if !hard_state.is_empty() {
        storage.set_hard_state(hard_state);
    }
    let mut others = vec![];
    for response in work.responses {
        if response.to == member.id() {
            member.step(response).unwrap();
        } else {
            others.push(response);
        }
    }
    others
}

fn elected() -> Member {
    let mut leader = asynchronous(1, &[1, 2, 3], &[]);
    leader.campaign().unwrap();
    let (append, _, _) = sorted(leader.ready());
    write(&mut leader, append.unwrap());
    leader.step(message(MessageType::MsgVoteResp, 2, 1, 1)).unwrap();
    assert_eq!(leader.role(), StateRole::Leader);
    leader
}

#[test]
fn the_own_vote_counts_only_after_the_write() {
    let mut single = asynchronous(1, &[1], &[]);
    single.campaign().unwrap();
    assert_eq!(single.role(), StateRole::Candidate);
    let (append, _, others) = sorted(single.ready());
    let append = append.unwrap();
    assert!(others.is_empty());
    assert_eq!((append.term.0, append.vote), (1, Some(id(1))));
    assert_eq!(single.role(), StateRole::Candidate);
    write(&mut single, append);
    assert_eq!(single.role(), StateRole::Leader);
}

#[test]
fn a_vote_for_another_leaves_only_with_the_write() {
    let mut voter = asynchronous(1, &[1, 2, 3], &[]);
    voter.step(message(MessageType::MsgVote, 2, 1, 1)).unwrap();
    let (append, _, others) = sorted(voter.ready());
    assert!(others.is_empty());
    let answers = write(&mut voter, append.unwrap());
    assert_eq!((answers[0].msg_type, answers[0].to), (MessageType::MsgVoteResp, id(2)));
}

#[test]
fn own_entries_count_only_after_the_write_but_appends_leave_before_it() {
    let mut leader = elected();
    let (append, _, others) = sorted(leader.ready());
    assert_eq!(others.iter().filter(|sent| sent.msg_type == MessageType::MsgApp).count(), 2);
    assert_eq!(leader.status().progress.get(&id(1)).unwrap().matched.0, 0);
    // One follower alone is no quorum while the leader's own write is under way.
    let mut answer = message(MessageType::MsgAppResp, 2, 1, 1);
    answer.index = Index(1);
    leader.step(answer).unwrap();
    assert_eq!(leader.commit().0, 0);
    write(&mut leader, append.unwrap());
    assert_eq!(leader.status().progress.get(&id(1)).unwrap().matched.0, 1);
    assert_eq!(leader.commit().0, 1);
}

#[test]
fn a_leader_that_lost_an_election_drops_its_old_acknowledgement() {
    let mut leader = elected();
    let (append, _, _) = sorted(leader.ready());
    // A leader of term 2 comes and goes before the write of term 1 is confirmed.
    leader.step(message(MessageType::MsgHeartbeat, 2, 1, 2)).unwrap();
    leader.campaign().unwrap();
    leader.step(message(MessageType::MsgVoteResp, 2, 1, 3)).unwrap();
    leader.step(message(MessageType::MsgVoteResp, 3, 1, 3)).unwrap();
    assert_eq!((leader.role(), leader.term().0), (StateRole::Leader, 3));
    let before = leader.status().progress.get(&id(1)).unwrap().matched;
    write(&mut leader, append.unwrap());
    assert_eq!(leader.status().progress.get(&id(1)).unwrap().matched, before);
    assert_eq!(leader.commit().0, 0);
}

#[test]
fn an_entry_is_applied_only_once_it_is_durable_here() {
    let mut follower = asynchronous(1, &[1, 2, 3], &[]);
    let mut append = message(MessageType::MsgApp, 2, 1, 1);
    append.entries = vec![entry(1, 1)];
    append.commit = Index(1);
    follower.step(append).unwrap();
    let (work, apply, _) = sorted(follower.ready());
    assert_eq!(follower.commit().0, 1);
    assert!(apply.is_none());
    write(&mut follower, work.unwrap());
    let (_, apply, _) = sorted(follower.ready());
    let apply = apply.unwrap();
    assert_eq!(apply.entries.len(), 1);
    assert_eq!(follower.applied().0, 0);
    for response in apply.responses {
        follower.step(response).unwrap();
    }
    assert_eq!(follower.applied().0, 1);
}

#[test]
fn an_old_write_does_not_make_a_newer_entry_of_the_same_index_stable() {
    let mut follower = asynchronous(1, &[1, 2, 3], &[]);
    let mut first = message(MessageType::MsgApp, 2, 1, 1);
    first.entries = vec![entry(1, 1), entry(1, 2)];
    follower.step(first).unwrap();
    let (old_write, _, _) = sorted(follower.ready());
    // A new leader overwrites them while the old write is under way.
    let mut second = message(MessageType::MsgApp, 3, 1, 2);
    second.entries = vec![entry(2, 1)];
    follower.step(second).unwrap();
    let (new_write, _, _) = sorted(follower.ready());
    let late = write(&mut follower, old_write.unwrap());
    assert!(late.iter().all(|answer| answer.term == Term(1)));
    assert!(follower.raft.log.unstable().has_entries(), "the new entry counts as durable");
    let answers = write(&mut follower, new_write.unwrap());
    assert!(!follower.raft.log.unstable().has_entries());
    assert_eq!((answers[0].term.0, answers[0].index.0), (2, 1));
    assert_eq!(follower.storage().last_index(), Index(1));
}

#[test]
fn writes_may_be_pipelined() {
    let mut leader = elected();
    let mut works = vec![sorted(leader.ready()).0.unwrap()];
    for data in ["a", "b", "c"] {
        leader.propose(Bytes::from_static(data.as_bytes())).unwrap();
        works.push(sorted(leader.ready()).0.unwrap());
    }
    let lengths: Vec<usize> = works.iter().map(|work| work.entries.len()).collect();
    assert_eq!(lengths, [1, 1, 1, 1], "nothing is handed out twice");
    for work in works {
        write(&mut leader, work);
    }
    assert_eq!(leader.status().progress.get(&id(1)).unwrap().matched.0, 4);
    assert!(!leader.raft.log.unstable().has_entries());
}

#[test]
fn committed_entries_wait_while_too_much_is_being_applied() {
    let mut config = Config::new(id(1));
    config.async_storage_writes = true;
    config.max_committed_size_per_ready = 1;
    let mut stored = storage(&[1], &[], &[1, 1]);
    stored.set_hard_state(HardState { term: Term(1), vote: None, commit: Index(2) });
    let mut member = member_with(config, stored);
    let (_, first, _) = sorted(member.ready());
    assert!(!member.has_ready(), "the next entry waits for the first");
    for response in first.unwrap().responses {
        member.step(response).unwrap();
    }
    let (_, second, _) = sorted(member.ready());
    assert_eq!(second.unwrap().entries[0].index.0, 2);
}

#[test]
fn a_restart_replays_commits_and_says_nothing_new() {
    let mut stored = storage(&[1, 2], &[], &[1, 1]);
    stored.set_hard_state(HardState { term: Term(1), vote: None, commit: Index(1) });
    let mut member = member_with(Config::new(id(1)), stored);
    let ready = member.ready();
    assert_eq!(ready.committed_entries, [entry(1, 1)]);
    assert_eq!((ready.hard_state, ready.must_sync), (None, false));
    member.advance(ready);
    assert!(!member.has_ready());
}

#[test]
fn a_new_cluster_starts_with_committed_members_at_term_one() {
    let mut config = Config::new(id(2));
    config.check_quorum = true;
    let mut member = member_with(config.clone(), MemoryStorage::new());
    assert_eq!(member.bootstrap(vec![]), Err(Error::BootstrapWithoutPeers));
    let peers = [1, 2, 3].map(|own| Peer { id: id(own), context: Bytes::from_static(b"peer") });
    member.bootstrap(peers.to_vec()).unwrap();
    let ready = member.ready();
    assert!(ready.must_sync);
    assert_eq!(ready.hard_state, Some(HardState { term: Term(1), vote: None, commit: Index(3) }));
    assert_eq!((ready.entries.len(), ready.committed_entries.len()), (3, 3));
    for entry in &ready.committed_entries {
        let change = ConfChange::decode(&entry.data).unwrap();
        assert_eq!(change.context.as_ref(), b"peer");
        member.apply_conf_change(&change.to_v2());
    }
    store(&mut member, &ready);
    member.advance(ready);
    assert_eq!(member.conf_state().voters, [id(1), id(2), id(3)]);
    member.campaign().unwrap();
    assert_eq!(member.term().0, 2);
    let mut again = member_with(config, storage(&[1], &[], &[1]));
    assert_eq!(again.bootstrap(peers.to_vec()), Err(Error::BootstrapNonEmpty));
}

/// Found by seed 17 of the simulator: after a restart the disk may know an older commit index than clients were told.
#[test]
fn a_leader_that_is_alone_answers_reads_only_once_it_has_committed_in_its_term() {
    let mut single = asynchronous(1, &[1], &[1, 1]);
    single.campaign().unwrap();
    let (append, _, _) = sorted(single.ready());
    write(&mut single, append.unwrap());
    assert_eq!(single.role(), StateRole::Leader);
    single.read_index(Bytes::from_static(b"read")).unwrap();
    let ready = single.ready();
    assert!(ready.read_states.is_empty(), "answered before its own entry was written");
    let (append, _, _) = sorted(ready);
    write(&mut single, append.unwrap());
    let ready = single.ready();
    let answers: Vec<u64> = ready.read_states.iter().map(|read| read.index.0).collect();
    assert_eq!(answers, [3]);
}
