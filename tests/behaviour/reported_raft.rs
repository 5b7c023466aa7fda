//! Raft that surprised somebody: reports 59 to 62, through whole clusters and through members alone.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use etcd_playground::api::{MoveLeaderRequest, Request};
use etcd_playground::membership::{client_url, peer_url};
use etcd_playground::raft::conf_change::parse_changes;
use etcd_playground::raft::{
    ConfChangeTransition, ConfChangeV2, ConfState, Config, EntryType, Error, MemoryStorage,
    Message, MessageType, RawNode, ReadState, Ready, StateRole,
};
use etcd_playground::random::Pcg32;
use etcd_playground::types::{MemberId, Term};

use super::one::range;
use super::support::Run;

type Member = RawNode<MemoryStorage>;

/// Members in one place; messages go round until nobody has anything to say.
struct Net {
    members: BTreeMap<MemberId, Member>,
    cut: BTreeSet<MemberId>,
    reads: BTreeMap<MemberId, Vec<ReadState>>,
    leaves: BTreeMap<MemberId, u32>,
    /// Who stops once it has applied a change and before it says so.
    dies_at_change: Option<MemberId>,
    dead: BTreeSet<MemberId>,
}

fn store(member: &mut Member, ready: &Ready) {
    let storage = member.storage_mut();
    if let Some(snapshot) = &ready.snapshot {
        storage.apply_snapshot(snapshot.clone()).unwrap();
    }
    storage.append(&ready.entries).unwrap();
    if let Some(hard_state) = ready.hard_state {
        storage.set_hard_state(hard_state);
    }
}

impl Net {
    fn new(voters: &[u64], learners: &[u64], setup: impl Fn(&mut Config)) -> Self {
        let ids = |list: &[u64]| list.iter().copied().map(MemberId).collect::<Vec<_>>();
        let build = |id: MemberId| {
            let mut config = Config::new(id);
            setup(&mut config);
            let mut storage = MemoryStorage::new();
            storage.set_conf_state(ConfState {
                voters: ids(voters),
                learners: ids(learners),
                ..ConfState::default()
            });
            (id, RawNode::new(config, storage, Pcg32::for_stream(3, &[id.0])).unwrap())
        };
        let members = ids(voters).into_iter().chain(ids(learners)).map(build).collect();
        Self {
            members,
            cut: BTreeSet::new(),
            reads: BTreeMap::new(),
            leaves: BTreeMap::new(),
            dies_at_change: None,
            dead: BTreeSet::new(),
        }
    }

    fn at(&mut self, id: u64) -> &mut Member {
        self.members.get_mut(&MemberId(id)).unwrap()
    }

    fn settle(&mut self, id: MemberId) -> Vec<Message> {
        let mut sent = vec![];
        if self.dead.contains(&id) {
            return sent;
        }
        let member = self.members.get_mut(&id).unwrap();
        while member.has_ready() {
            let ready = member.ready();
            store(member, &ready);
            for entry in &ready.committed_entries {
                if let Some(change) = ConfChangeV2::from_entry(entry).unwrap() {
                    if entry.entry_type == EntryType::ConfChangeV2 && entry.data.is_empty() {
                        *self.leaves.entry(id).or_default() += 1;
                    }
                    let state = member.apply_conf_change(&change);
                    member.storage_mut().set_conf_state(state);
                    if self.dies_at_change == Some(id) {
                        self.dead.insert(id);
                    }
                }
            }
            self.reads.entry(id).or_default().extend(ready.read_states.clone());
            sent.extend(ready.messages.clone());
            if self.dead.contains(&id) {
                return sent;
            }
            member.advance(ready);
        }
        sent
    }

    fn run(&mut self) {
        for _ in 0..1_000 {
            let ids: Vec<MemberId> = self.members.keys().copied().collect();
            let sent: Vec<Message> = ids.into_iter().flat_map(|id| self.settle(id)).collect();
            if sent.is_empty() {
                return;
            }
            for message in sent {
                if self.cut.contains(&message.from) || self.cut.contains(&message.to) {
                    continue;
                }
                if let Some(to) = self.members.get_mut(&message.to) {
                    // A stranger's answer and the like is refused, and that is all.
                    let _ = to.step(message);
                }
            }
        }
        panic!("the members do not come to rest");
    }

    fn campaign(&mut self, id: u64) {
        self.at(id).campaign().unwrap();
        self.run();
    }
}

fn terms(run: &Run) -> Vec<Term> {
    run.ids().into_iter().filter_map(|id| run.sim.status(id)).map(|status| status.term).collect()
}

#[test]
fn report_59_who_comes_back_disturbs_nobody_with_pre_votes_and_once_without() {
    for pre_vote in [true, false] {
        let mut run = Run::new(3, 4, |config| config.pre_vote = pre_vote);
        let leader = run.wait_leader();
        run.run_ms(1_000);
        let before = run.sim.status(leader).unwrap().term;
        let away = run.follower();
        let all = run.ids();
        run.sim.links_mut().isolate(away, &all);
        run.run_ms(10_000);
        let its_term = run.sim.status(away).unwrap().term;
        assert_eq!(its_term == before, pre_vote, "{its_term:?}");
        run.sim.links_mut().heal();
        run.run_ms(5_000);
        let after = run.wait_leader();
        run.run_ms(1_000);
        let terms = terms(&run);
        assert!(terms.iter().all(|term| *term == terms[0]), "{terms:?}");
        assert_eq!(terms[0] == before, pre_vote);
        if pre_vote {
            assert_eq!(after, leader);
        }
        assert!(run.put(after, "k", "v").is_ok());
    }
    // And one at a lower term still completes an election.
    let mut net = Net::new(&[1, 2, 3], &[], |config| config.pre_vote = true);
    net.cut.insert(MemberId(3));
    net.campaign(1);
    net.campaign(2);
    assert_eq!(
        (net.at(2).role(), net.at(2).term().0, net.at(3).term().0),
        (StateRole::Leader, 2, 0)
    );
    net.cut = BTreeSet::from([MemberId(2)]);
    for id in [3, 1, 3, 1] {
        net.campaign(id);
    }
    let leads = [1, 3].into_iter().any(|id| net.at(id).role() == StateRole::Leader);
    assert!(leads);
}

fn change(transition: ConfChangeTransition, text: &str) -> ConfChangeV2 {
    ConfChangeV2 { transition, changes: parse_changes(text).unwrap(), context: Bytes::new() }
}

#[test]
fn report_60_a_joint_configuration_is_left_once_by_whoever_leads_then() {
    let mut net = Net::new(&[1, 2, 3, 4, 5], &[], |_| {});
    net.campaign(1);
    let enter = change(ConfChangeTransition::JointImplicit, "r5");
    net.at(1).propose_conf_change(&enter).unwrap();
    // The leader enters, tells the others that the change is committed, and dies.
    net.dies_at_change = Some(MemberId(1));
    net.run();
    assert!(net.dead.contains(&MemberId(1)));
    for id in 2..=5 {
        assert!(net.at(id).conf_state().auto_leave, "{id} is in the joint configuration");
    }
    net.campaign(2);
    assert_eq!(net.at(2).role(), StateRole::Leader);
    for id in 2..=5 {
        let state = net.at(id).conf_state();
        assert!(state.voters_outgoing.is_empty() && !state.auto_leave, "{id}: {state:?}");
        assert_eq!(state.voters, [1, 2, 3, 4].map(MemberId));
        assert_eq!(net.leaves[&MemberId(id)], 1, "exactly one leave");
    }
    let mut net = Net::new(&[1, 2, 3], &[], |_| {});
    net.campaign(1);
    net.at(1).propose_conf_change(&change(ConfChangeTransition::JointImplicit, "r3")).unwrap();
    net.run();
    assert_eq!(net.at(1).conf_state().voters, [MemberId(1), MemberId(2)]);
    assert!(net.at(1).conf_state().voters_outgoing.is_empty());
    assert_eq!((net.leaves[&MemberId(1)], net.leaves[&MemberId(2)]), (1, 1), "exactly one leave");
    // A change that may not be proposed becomes an empty entry, which its proposer sees.
    net.cut.insert(MemberId(2));
    net.at(1).propose_conf_change(&change(ConfChangeTransition::Auto, "l4")).unwrap();
    net.at(1).propose_conf_change(&change(ConfChangeTransition::Auto, "l5")).unwrap();
    let kinds: Vec<EntryType> =
        net.at(1).ready().entries.iter().map(|entry| entry.entry_type).collect();
    assert_eq!(kinds, [EntryType::ConfChangeV2, EntryType::Normal]);
    // A learner grants votes.
    let mut net = Net::new(&[1], &[2], |_| {});
    let mut request = Message::default();
    (request.msg_type, request.from, request.to) = (MessageType::MsgVote, MemberId(1), MemberId(2));
    request.term = Term(1);
    net.at(2).step(request).unwrap();
    assert!(!net.settle(MemberId(2))[0].reject);
}

#[test]
fn report_60_nobody_campaigns_with_a_committed_change_to_apply() {
    let mut net = Net::new(&[1, 2, 3], &[], |_| {});
    net.campaign(1);
    net.at(1).propose_conf_change(&change(ConfChangeTransition::Auto, "r3")).unwrap();
    for message in net.settle(MemberId(1)) {
        let _ = net.at(message.to.0).step(message);
    }
    for id in [2, 3] {
        for message in net.settle(MemberId(id)) {
            net.at(1).step(message).unwrap();
        }
    }
    for message in net.settle(MemberId(1)) {
        let _ = net.at(message.to.0).step(message);
    }
    let two = net.at(2);
    assert!(two.commit() > two.applied());
    two.campaign().unwrap();
    assert_eq!(two.role(), StateRole::Follower);
    net.settle(MemberId(2));
    net.at(2).campaign().unwrap();
    assert_eq!(net.at(2).role(), StateRole::Candidate);
}

#[test]
fn report_61_proposals_that_cannot_go_on_are_dropped_at_once() {
    let mut net = Net::new(&[1, 2, 3], &[], |config| config.max_uncommitted_entries_size = 8);
    let propose = |net: &mut Net, data| net.at(1).propose(Bytes::from_static(data));
    assert_eq!(propose(&mut net, b"no leader"), Err(Error::ProposalDropped));
    net.campaign(1);
    propose(&mut net, b"one").unwrap();
    net.run();
    assert_eq!(net.at(3).commit().0, 2);
    net.cut = BTreeSet::from([MemberId(2), MemberId(3)]);
    net.at(1).transfer_leader(MemberId(2));
    net.run();
    net.at(1).transfer_leader(MemberId(3));
    assert_eq!(propose(&mut net, b"handing over"), Err(Error::ProposalDropped));
    for _ in 0..10 {
        net.at(1).tick();
    }
    propose(&mut net, b"12345678").unwrap();
    assert_eq!(propose(&mut net, b"9"), Err(Error::ProposalDropped), "over the limit");
}

#[test]
fn report_61_a_single_voter_answers_its_learners_reads() {
    let mut net = Net::new(&[1], &[2], |_| {});
    net.campaign(1);
    net.at(2).read_index(Bytes::from_static(b"ctx")).unwrap();
    net.run();
    let answers: Vec<u64> = net.reads[&MemberId(2)].iter().map(|read| read.index.0).collect();
    assert_eq!(answers, [1]);
}

#[test]
fn report_61_leaders_that_are_removed_or_cut_off_stop_and_learners_get_no_leadership() {
    let mut run = Run::new(3, 6, |_| {});
    run.wait_leader();
    run.run_ms(6_000);
    let leader = run.wait_leader();
    // A quiet follower learns of a commit within a heartbeat and one and a half ways there and back.
    run.put(leader, "k", "v").unwrap();
    run.run_ms(200);
    for member in run.ids() {
        let read = run.get(member, "k", true).unwrap();
        assert_eq!(read.as_deref(), Some("v"));
    }
    let peer_urls = vec![peer_url(4)];
    let add =
        Request::MemberAdd(etcd_playground::api::MemberAddRequest { peer_urls, is_learner: true });
    let learner = match run.ask(leader, add) {
        Ok(etcd_playground::api::Response::MemberAdd(added)) => added,
        other => panic!("{other:?}"),
    };
    run.sim.join(&learner, "infra4", &client_url(4));
    run.run_ms(2_000);
    let target_id = learner.member.id;
    let refused =
        run.ask(leader, Request::MoveLeader(MoveLeaderRequest { target_id })).unwrap_err();
    assert_eq!(refused, "etcdserver: bad leader transferee");
    let all = run.ids();
    run.sim.links_mut().isolate(leader, &all);
    // Its quorum is checked once in an election timeout; two at most pass until it is missed.
    run.run_ms(2_100);
    let role = run.sim.status(leader).unwrap().role;
    assert_ne!(role, etcd_playground::api::Role::Leader);
    run.sim.links_mut().heal();
    let leader = run.wait_leader();
    run.run_ms(6_000);
    let remove = Request::MemberRemove(etcd_playground::api::MemberRemoveRequest { id: leader });
    run.ask(leader, remove).unwrap();
    run.run_ms(4_000);
    let next = run.leader().unwrap();
    assert_ne!(next, leader);
    assert!(run.ask(next, Request::Range(range("k", ""))).is_ok());
}

#[test]
fn report_62_timeouts_are_drawn_anew_and_a_vote_is_stored_with_its_answer() {
    let mut net = Net::new(&[1, 2, 3], &[], |_| {});
    let mut drawn = BTreeSet::new();
    for _ in 0..200 {
        net.at(1).campaign().unwrap();
        let ticks = net.at(1).randomized_election_timeout();
        assert!((10..20).contains(&ticks));
        drawn.insert(ticks);
    }
    assert_eq!(drawn.len(), 10, "every value from one to two election timeouts");
    let request = |from, term| {
        let mut request = Message::default();
        (request.msg_type, request.from, request.to) =
            (MessageType::MsgVote, MemberId(from), MemberId(2));
        request.term = Term(term);
        request
    };
    let two = net.at(2);
    two.step(request(1, 1)).unwrap();
    let ready = two.ready();
    let stored = ready.hard_state.unwrap();
    assert_eq!((stored.term.0, stored.vote, ready.must_sync), (1, Some(MemberId(1)), true));
    assert_eq!((ready.messages.len(), ready.messages[0].reject), (1, false));
    store(two, &ready);
    two.advance(ready);
    two.step(request(3, 1)).unwrap();
    let sent = net.settle(MemberId(2));
    assert!(sent[0].reject, "one vote in a term");
    // Two members that campaign together do not do so for ever.
    for seed in 0..20 {
        let mut run = Run::new(3, 100 + seed, |_| {});
        run.wait_leader();
        assert!(run.sim.now().0 < 10_000, "seed {seed}");
    }
}
