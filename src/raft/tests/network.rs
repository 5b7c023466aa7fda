//! A small cluster in one place: messages go round until nobody has anything to say.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use crate::raft::*;
use crate::random::Pcg32;
use crate::types::{Index, MemberId, Term};

pub(super) type Member = RawNode<MemoryStorage>;

pub(super) fn id(number: u64) -> MemberId {
    MemberId(number)
}

pub(super) fn entry(term: u64, index: u64) -> Entry {
    Entry { term: Term(term), index: Index(index), ..Entry::default() }
}

pub(super) fn entries(terms: &[u64]) -> Vec<Entry> {
    terms.iter().zip(1..).map(|(term, index)| entry(*term, index)).collect()
}

/// A stable log whose configuration has `voters` and `learners`, with entries of these terms.
pub(super) fn storage(voters: &[u64], learners: &[u64], terms: &[u64]) -> MemoryStorage {
    let mut storage = MemoryStorage::new();
    storage.set_conf_state(ConfState {
        voters: voters.iter().copied().map(MemberId).collect(),
        learners: learners.iter().copied().map(MemberId).collect(),
        ..ConfState::default()
    });
    storage.append(&entries(terms)).unwrap();
    storage
}

pub(super) fn member_with(config: Config, storage: MemoryStorage) -> Member {
    let random = Pcg32::for_stream(7, &[config.id.0]);
    RawNode::new(config, storage, random).unwrap()
}

pub(super) fn member(own: u64, voters: &[u64], terms: &[u64]) -> Member {
    member_with(Config::new(id(own)), storage(voters, &[], terms))
}

/// A member that has been at `term` and has voted so.
pub(super) fn member_at(
    config: Config,
    voters: &[u64],
    terms: &[u64],
    term: u64,
    vote: Option<u64>,
) -> Member {
    let mut storage = storage(voters, &[], terms);
    storage.set_hard_state(HardState {
        term: Term(term),
        vote: vote.map(MemberId),
        commit: Index(0),
    });
    member_with(config, storage)
}

pub(super) fn message(kind: MessageType, from: u64, to: u64, term: u64) -> Message {
    Message { msg_type: kind, from: id(from), to: id(to), term: Term(term), ..Message::default() }
}

/// Stores, applies and confirms everything; gives the messages for others.
pub(super) fn settle(member: &mut Member) -> Vec<Message> {
    let (messages, _, _) = settle_with(member);
    messages
}

/// As `settle`, with the entries applied and the reads that may be answered.
pub(super) fn settle_with(member: &mut Member) -> (Vec<Message>, Vec<Entry>, Vec<ReadState>) {
    let (mut messages, mut applied, mut reads) = (vec![], vec![], vec![]);
    while member.has_ready() {
        let ready = member.ready();
        store(member, &ready);
        for entry in &ready.committed_entries {
            if let Some(change) = ConfChangeV2::from_entry(entry).unwrap() {
                let conf_state = member.apply_conf_change(&change);
                member.storage_mut().set_conf_state(conf_state);
            }
        }
        messages.extend(ready.messages.clone());
        applied.extend(ready.committed_entries.clone());
        reads.extend(ready.read_states.clone());
        member.advance(ready);
    }
    (messages, applied, reads)
}

pub(super) fn store(member: &mut Member, ready: &Ready) {
    let storage = member.storage_mut();
    if let Some(snapshot) = &ready.snapshot {
        storage.apply_snapshot(snapshot.clone()).unwrap();
    }
    storage.append(&ready.entries).unwrap();
    if let Some(hard_state) = ready.hard_state {
        storage.set_hard_state(hard_state);
    }
}

/// Terms of the whole log, unstable part included.
pub(super) fn log_terms(member: &Member) -> Vec<u64> {
    let log = &member.raft.log;
    let (first, last) = (log.first_index().0, log.last_index().0);
    (first..=last).map(|index| log.term(Index(index)).unwrap().0).collect()
}

pub(super) struct Network {
    pub(super) members: BTreeMap<u64, Member>,
    pub(super) cut: BTreeSet<(u64, u64)>,
    pub(super) ignored: BTreeSet<MessageType>,
    pub(super) applied: BTreeMap<u64, Vec<Entry>>,
    pub(super) reads: BTreeMap<u64, Vec<ReadState>>,
}

impl Network {
    pub(super) fn new(members: Vec<Member>) -> Self {
        Self {
            members: members.into_iter().map(|member| (member.id().0, member)).collect(),
            cut: BTreeSet::new(),
            ignored: BTreeSet::new(),
            applied: BTreeMap::new(),
            reads: BTreeMap::new(),
        }
    }

    /// `count` members with empty logs, changed by `setup`.
    pub(super) fn of(count: u64, setup: impl Fn(&mut Config)) -> Self {
        let voters: Vec<u64> = (1..=count).collect();
        let build = |own: &u64| {
            let mut config = Config::new(id(*own));
            setup(&mut config);
            member_with(config, storage(&voters, &[], &[]))
        };
        Self::new(voters.iter().map(build).collect())
    }

    /// Members whose logs have these terms, each at the term of its last entry.
    pub(super) fn with_logs(logs: &[&[u64]], setup: impl Fn(&mut Config)) -> Self {
        let voters: Vec<u64> = (1..=logs.len() as u64).collect();
        let build = |(own, terms): (&u64, &&[u64])| {
            let mut config = Config::new(id(*own));
            setup(&mut config);
            member_at(config, &voters, terms, terms.last().copied().unwrap_or(0), None)
        };
        Self::new(voters.iter().zip(logs).map(build).collect())
    }

    pub(super) fn get(&self, own: u64) -> &Member {
        &self.members[&own]
    }

    pub(super) fn at(&mut self, own: u64) -> &mut Member {
        self.members.get_mut(&own).unwrap()
    }

    pub(super) fn isolate(&mut self, own: u64) {
        for other in self.members.keys().copied().filter(|other| *other != own) {
            self.cut.insert((own, other));
            self.cut.insert((other, own));
        }
    }

    pub(super) fn cut_pair(&mut self, one: u64, two: u64) {
        self.cut.insert((one, two));
        self.cut.insert((two, one));
    }

    pub(super) fn heal(&mut self) {
        self.cut.clear();
        self.ignored.clear();
    }

    /// Carries everything that waits until nothing moves any more.
    pub(super) fn run(&mut self) {
        for _ in 0..10_000 {
            let mut on_the_way = vec![];
            for (own, member) in &mut self.members {
                let (messages, applied, reads) = settle_with(member);
                on_the_way.extend(messages);
                self.applied.entry(*own).or_default().extend(applied);
                self.reads.entry(*own).or_default().extend(reads);
            }
            if on_the_way.is_empty() {
                return;
            }
            for message in on_the_way {
                let way = (message.from.0, message.to.0);
                if self.cut.contains(&way) || self.ignored.contains(&message.msg_type) {
                    continue;
                }
                if let Some(member) = self.members.get_mut(&message.to.0) {
                    // A stranger's answer and the like: refused, and that is all.
                    let _ = member.step(message);
                }
            }
        }
        panic!("the cluster does not come to rest");
    }

    pub(super) fn campaign(&mut self, own: u64) {
        self.at(own).campaign().unwrap();
        self.run();
    }

    pub(super) fn propose(&mut self, own: u64, data: &'static str) -> Result<(), Error> {
        let result = self.at(own).propose(Bytes::from_static(data.as_bytes()));
        self.run();
        result
    }

    pub(super) fn tick(&mut self, own: u64, ticks: u32) {
        for _ in 0..ticks {
            self.at(own).tick();
        }
    }

    pub(super) fn roles(&self) -> Vec<StateRole> {
        self.members.values().map(Member::role).collect()
    }

    pub(super) fn terms(&self) -> Vec<u64> {
        self.members.values().map(|member| member.term().0).collect()
    }

    pub(super) fn commits(&self) -> Vec<u64> {
        self.members.values().map(|member| member.commit().0).collect()
    }
}
