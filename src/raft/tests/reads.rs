use bytes::Bytes;

use super::network::*;
use crate::raft::*;
use crate::types::{Index, Term};

fn read(network: &mut Network, own: u64, context: &'static [u8]) -> Vec<(u64, Vec<u8>)> {
    network.reads.clear();
    network.at(own).read_index(Bytes::from_static(context)).unwrap();
    network.run();
    let shown = |read: &ReadState| (read.index.0, read.request_context.to_vec());
    network.reads.get(&own).map(|reads| reads.iter().map(shown).collect()).unwrap_or_default()
}

#[test]
fn a_safe_read_gives_the_commit_index_to_leader_and_followers() {
    let mut network = Network::of(3, |_| {});
    network.campaign(1);
    for (own, proposals, want, context) in [
        (1, 10, 11, b"ctx1".as_slice()),
        (2, 10, 21, b"ctx2"),
        (3, 10, 31, b"ctx3"),
        (1, 10, 41, b"ctx4"),
        (2, 10, 51, b"ctx5"),
        (3, 10, 61, b"ctx6"),
    ] {
        for _ in 0..proposals {
            network.propose(1, "x").unwrap();
        }
        network.reads.clear();
        network.at(own).read_index(Bytes::from(context.to_vec())).unwrap();
        network.run();
        let answered = &network.reads[&own];
        assert_eq!(answered.len(), 1);
        assert_eq!((answered[0].index.0, answered[0].request_context.as_ref()), (want, context));
    }
}

#[test]
fn a_safe_read_needs_a_quorum_that_still_follows() {
    let mut network = Network::of(3, |_| {});
    network.campaign(1);
    network.isolate(1);
    assert!(read(&mut network, 1, b"stale").is_empty());
    network.campaign(2);
    network.propose(2, "newer").unwrap();
    network.heal();
    network.reads.clear();
    network.tick(1, 1);
    network.run();
    assert!(network.reads.values().all(Vec::is_empty), "the old leader answered");
}

#[test]
fn a_lease_read_is_answered_without_a_round() {
    let mut network = Network::of(3, |config| {
        config.check_quorum = true;
        config.read_only_option = ReadOnlyOption::LeaseBased;
    });
    network.campaign(1);
    network.isolate(1);
    assert_eq!(read(&mut network, 1, b"lease"), [(1, b"lease".to_vec())]);
    let mut config = Config::new(id(1));
    config.read_only_option = ReadOnlyOption::LeaseBased;
    assert!(matches!(config.validate(), Err(Error::InvalidConfig(_))));
}

#[test]
fn a_learner_reads_through_a_single_voter() {
    let build = |own| member_with(Config::new(id(own)), storage(&[1], &[2], &[]));
    let mut network = Network::new(vec![build(1), build(2)]);
    network.campaign(1);
    assert_eq!(read(&mut network, 1, b"a"), [(1, b"a".to_vec())]);
    assert_eq!(read(&mut network, 2, b"b"), [(1, b"b".to_vec())]);
}

#[test]
fn a_new_leader_postpones_reads_until_it_has_committed_something() {
    let mut members = vec![];
    for own in 1..=3 {
        let mut stored = storage(&[1, 2, 3], &[], &[1, 1, 1]);
        let commit = Index(if own == 1 { 1 } else { 3 });
        stored.set_hard_state(HardState { term: Term(1), vote: None, commit });
        members.push(member_with(Config::new(id(own)), stored));
    }
    let mut network = Network::new(members);
    network.ignored.insert(MessageType::MsgApp);
    network.campaign(1);
    assert_eq!(network.get(1).role(), StateRole::Leader);
    assert!(read(&mut network, 1, b"early").is_empty());
    network.heal();
    network.reads.clear();
    network.tick(1, 1);
    network.run();
    assert_eq!(network.get(1).commit().0, 4);
    let answered = &network.reads[&1];
    assert_eq!((answered.len(), answered[0].index.0), (1, 4));
}

#[test]
fn a_repeated_context_is_answered_only_by_its_own_round() {
    let mut leader = Network::of(3, |_| {});
    leader.campaign(1);
    let mut node = leader.members.remove(&1).unwrap();
    node.read_index(Bytes::from_static(b"same")).unwrap();
    let first: Vec<Message> = settle(&mut node);
    let reply = |beat: &Message| Message {
        msg_type: MessageType::MsgHeartbeatResp,
        from: beat.to,
        to: beat.from,
        term: beat.term,
        context: beat.context.clone(),
        ..Message::default()
    };
    node.step(reply(&first[0])).unwrap();
    let (_, _, reads) = settle_with(&mut node);
    assert_eq!(reads.len(), 1);
    // The same context again, and the late answer of the other follower to the first round.
    node.read_index(Bytes::from_static(b"same")).unwrap();
    let second = settle(&mut node);
    node.step(reply(&first[1])).unwrap();
    let (_, _, reads) = settle_with(&mut node);
    assert!(reads.is_empty());
    node.step(reply(&second[1])).unwrap();
    let (_, _, reads) = settle_with(&mut node);
    assert_eq!(reads.len(), 1);
    assert_eq!(node.raft.read_only.last_position(), None);
}
