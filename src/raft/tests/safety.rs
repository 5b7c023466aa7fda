//! Random runs with loss, repetition, reordering, crashes and slow disks: nothing unsafe happens,
//! and once the trouble ends everybody agrees.
//!
//! Invariants checked (Raft thesis, figure 3.2): one leader per term; everybody applies the same
//! entry at an index; what was applied anywhere is never lost; a read index is never older than what
//! was committed anywhere when the read was asked for.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::network::{Member, id, member_with};
use crate::raft::*;
use crate::random::Pcg32;
use crate::types::{Index, MemberId, Term};

const MESSAGES_MAX: usize = 400;

/// Random events in one run.
const EVENTS: u32 = 12_000;

struct Machine {
    member: Member,
    append_work: Vec<Message>,
    apply_work: Vec<Message>,
    applied: Index,
}

struct World {
    seed: u64,
    random: Pcg32,
    machines: BTreeMap<u64, Machine>,
    messages: Vec<Message>,
    leaders: BTreeMap<Term, MemberId>,
    history: BTreeMap<Index, (Term, Bytes)>,
    /// Per read: what was committed anywhere when it was asked for.
    reads: BTreeMap<u64, Index>,
    next: u64,
    answered: u64,
    boots: u64,
    takes_changes: bool,
}

fn config(seed: u64, own: u64, applied: Index) -> Config {
    let mut config = Config::new(id(own));
    config.async_storage_writes = true;
    config.applied = applied;
    config.pre_vote = seed.is_multiple_of(2);
    config.check_quorum = seed.is_multiple_of(3);
    config.step_down_on_removal = seed.is_multiple_of(5);
    config.max_inflight_msgs = [1, 3, 256][usize::try_from(seed % 3).unwrap()];
    config.max_size_per_msg = [0, 64, u64::MAX][usize::try_from(seed / 3 % 3).unwrap()];
    config.max_committed_size_per_ready =
        [1, 200, u64::MAX][usize::try_from(seed / 9 % 3).unwrap()];
    config
}

impl World {
    fn new(seed: u64, takes_changes: bool) -> Self {
        let random = Pcg32::for_stream(seed, &[99]);
        let mut start = Snapshot::default();
        start.metadata.index = Index(1);
        start.metadata.term = Term(1);
        start.metadata.conf_state.voters = (1..=3).map(MemberId).collect();
        let count = if takes_changes { 5 } else { 3 };
        let machines = (1..=count).map(|own| {
            let mut storage = MemoryStorage::new();
            let applied = if own <= 3 { Index(1) } else { Index(0) };
            if own <= 3 {
                storage.apply_snapshot(start.clone()).unwrap();
            }
            let member = member_with(config(seed, own, applied), storage);
            (own, Machine { member, append_work: vec![], apply_work: vec![], applied })
        });
        let machines = machines.collect();
        Self {
            seed,
            random,
            machines,
            messages: vec![],
            leaders: BTreeMap::new(),
            history: BTreeMap::new(),
            reads: BTreeMap::new(),
            next: 0,
            answered: 0,
            boots: 0,
            takes_changes,
        }
    }

    fn pick(&mut self) -> u64 {
        u64::from(self.random.below(u32::try_from(self.machines.len()).unwrap())) + 1
    }

    fn committed_anywhere(&self) -> Index {
        self.machines.values().map(|machine| machine.member.commit()).max().unwrap()
    }

    fn collect(&mut self, own: u64) {
        let machine = self.machines.get_mut(&own).unwrap();
        if !machine.member.has_ready() {
            return;
        }
        let ready = machine.member.ready();
        for read in ready.read_states {
            let name = u64::from_le_bytes(read.request_context.as_ref().try_into().unwrap());
            assert!(read.index >= self.reads[&name], "seed {}: stale read {name}", self.seed);
            self.answered += 1;
        }
        for message in ready.messages {
            match message.to {
                LOCAL_APPEND_THREAD => machine.append_work.push(message),
                LOCAL_APPLY_THREAD => machine.apply_work.push(message),
                _ => self.messages.push(message),
            }
        }
        if machine.member.role() == StateRole::Leader {
            let leader = *self.leaders.entry(machine.member.term()).or_insert(id(own));
            assert_eq!(leader, id(own), "seed {}: two leaders in a term", self.seed);
        }
    }

    fn write(&mut self, own: u64) {
        let machine = self.machines.get_mut(&own).unwrap();
        if machine.append_work.is_empty() {
            return;
        }
        let work = machine.append_work.remove(0);
        let storage = machine.member.storage_mut();
        if let Some(snapshot) = work.snapshot {
            machine.applied = snapshot.metadata.index;
            storage.apply_snapshot(*snapshot).unwrap();
        }
        storage.append(&work.entries).unwrap();
        if work.term > Term(0) {
            let hard_state = HardState { term: work.term, vote: work.vote, commit: work.commit };
            storage.set_hard_state(hard_state);
        }
        self.respond(own, work.responses);
    }

    fn apply(&mut self, own: u64) {
        let machine = self.machines.get_mut(&own).unwrap();
        if machine.apply_work.is_empty() {
            return;
        }
        let work = machine.apply_work.remove(0);
        for entry in &work.entries {
            // A snapshot may have come while these waited; it holds them already.
            let skipped = machine.member.pending_snapshot().unwrap_or_default();
            if entry.index <= machine.applied.max(skipped) {
                continue;
            }
            assert_eq!(entry.index, machine.applied.next(), "seed {}: a gap", self.seed);
            machine.applied = entry.index;
            let known = self
                .history
                .entry(entry.index)
                .or_insert_with(|| (entry.term, entry.data.clone()))
                .clone();
            assert_eq!(known, (entry.term, entry.data.clone()), "seed {}: {own}", self.seed);
            if let Some(change) = ConfChangeV2::from_entry(entry).unwrap() {
                let state = machine.member.apply_conf_change(&change);
                let storage = machine.member.storage_mut();
                storage.create_snapshot(entry.index, Some(state), Bytes::new()).unwrap();
            }
        }
        self.respond(own, work.responses);
    }

    fn respond(&mut self, own: u64, responses: Vec<Message>) {
        for response in responses {
            if response.to == id(own) {
                self.step(own, response);
            } else {
                self.messages.push(response);
            }
        }
    }

    fn step(&mut self, own: u64, message: Message) {
        let Some(machine) = self.machines.get_mut(&own) else { return };
        match machine.member.step(message) {
            Ok(()) | Err(Error::ProposalDropped | Error::StepPeerNotFound) => {}
            Err(error) => panic!("seed {}: {own}: {error}", self.seed),
        }
    }

    fn deliver(&mut self) {
        if self.messages.is_empty() {
            return;
        }
        let at = self.random.below(u32::try_from(self.messages.len()).unwrap());
        let message = self.messages.swap_remove(usize::try_from(at).unwrap());
        if self.random.chance(1, 20) {
            self.lose(&message);
            return;
        }
        if self.random.chance(1, 20) {
            self.messages.push(message.clone());
        }
        self.hand_over(message);
    }

    /// The transport tells the sender how a snapshot went, as etcd's does.
    fn report(&mut self, message: &Message, is_delivered: bool) {
        if message.msg_type == MessageType::MsgSnap
            && let Some(machine) = self.machines.get_mut(&message.from.0)
        {
            machine.member.report_snapshot(message.to, is_delivered);
        }
    }

    fn lose(&mut self, message: &Message) {
        self.report(message, false);
    }

    fn hand_over(&mut self, message: Message) {
        self.report(&message, true);
        self.step(message.to.0, message);
    }

    fn crash(&mut self, own: u64) {
        self.boots += 1;
        let machine = &self.machines[&own];
        let applied = machine.applied;
        let mut storage = machine.member.storage().clone();
        // What was applied is known to be committed, whatever the hard state said last.
        let mut hard_state = storage.hard_state();
        hard_state.commit = hard_state.commit.max(applied);
        storage.set_hard_state(hard_state);
        let random = Pcg32::for_stream(self.seed, &[own, self.boots]);
        let member = RawNode::new(config(self.seed, own, applied), storage, random).unwrap();
        let machine = Machine { member, append_work: vec![], apply_work: vec![], applied };
        self.machines.insert(own, machine);
    }

    fn compact(&mut self, own: u64) {
        let machine = self.machines.get_mut(&own).unwrap();
        let applied = machine.applied;
        let state = machine.member.conf_state();
        // While a snapshot waits to be written the configuration is already the newer one.
        if machine.member.applied() != applied || !machine.append_work.is_empty() {
            return;
        }
        let storage = machine.member.storage_mut();
        if storage.last_index() >= applied && applied > storage.first_index() {
            let _ = storage.create_snapshot(applied, Some(state), Bytes::new());
            let _ = storage.compact(applied);
        }
    }

    fn propose(&mut self, own: u64) {
        self.next += 1;
        let data = Bytes::copy_from_slice(&self.next.to_le_bytes());
        let machine = self.machines.get_mut(&own).unwrap();
        let _ = machine.member.propose(data);
    }

    fn propose_change(&mut self, own: u64) {
        let letters = ["v", "v", "l", "r"];
        let count = 1 + self.random.below(2);
        let mut text = String::new();
        for _ in 0..count {
            let letter = letters[usize::try_from(self.random.below(4)).unwrap()];
            text.push_str(&format!("{letter}{} ", self.random.below(5) + 1));
        }
        let changes = conf_change::parse_changes(&text).unwrap();
        let transition = [ConfChangeTransition::Auto, ConfChangeTransition::JointImplicit]
            [usize::try_from(self.random.below(2)).unwrap()];
        let change = ConfChangeV2 { transition, changes, context: Bytes::new() };
        let machine = self.machines.get_mut(&own).unwrap();
        // As a server does: only what is possible on top of the present configuration.
        let mut probe = machine.member.raft.tracker.clone();
        let changer = confchange::Changer { tracker: &probe, last_index: Index(1) };
        let is_possible = match change.enter_joint() {
            Some(auto_leave) => changer.enter_joint(auto_leave, &change.changes),
            None => changer.simple(&change.changes),
        };
        if let Ok((config, _)) = is_possible {
            probe.config = config;
            // Two voters at least: one that loses its disk's tail must not decide alone.
            if probe.config.voters.incoming.len() >= 2 {
                let _ = machine.member.propose_conf_change(&change);
            }
        }
    }

    fn read(&mut self, own: u64) {
        self.next += 1;
        self.reads.insert(self.next, self.committed_anywhere());
        let context = Bytes::copy_from_slice(&self.next.to_le_bytes());
        let machine = self.machines.get_mut(&own).unwrap();
        machine.member.read_index(context).unwrap();
    }

    fn random_event(&mut self) {
        let own = self.pick();
        let other = self.pick();
        match self.random.below(100) {
            0..9 => self.machines.get_mut(&own).unwrap().member.tick(),
            9..60 => self.deliver(),
            60..75 => self.write(own),
            75..85 => self.apply(own),
            85..92 => self.propose(own),
            92..94 => self.read(own),
            94 if self.random.chance(1, 6) => self.crash(own),
            95 => self.compact(own),
            96 if self.random.chance(1, 4) => {
                self.machines.get_mut(&own).unwrap().member.report_unreachable(id(other));
            }
            97 if self.takes_changes => self.propose_change(own),
            98 if self.random.chance(1, 10) => {
                self.machines.get_mut(&own).unwrap().member.transfer_leader(id(other));
            }
            99 => {
                let is_delivered = self.random.chance(1, 2);
                let member = &mut self.machines.get_mut(&own).unwrap().member;
                member.report_snapshot(id(other), is_delivered);
            }
            _ => {}
        }
        if self.random.chance(2, 3) {
            self.collect(own);
        }
        if self.messages.len() > MESSAGES_MAX {
            for message in self.messages.drain(..MESSAGES_MAX / 2).collect::<Vec<_>>() {
                self.lose(&message);
            }
        }
    }

    /// A quiet time: everything arrives and every disk answers.
    fn heal(&mut self) {
        for round in 0..400 {
            let ids: Vec<u64> = self.machines.keys().copied().collect();
            for own in ids {
                if round % 4 == 0 {
                    self.machines.get_mut(&own).unwrap().member.tick();
                }
                self.collect(own);
                while !self.machines[&own].append_work.is_empty() {
                    self.write(own);
                }
                while !self.machines[&own].apply_work.is_empty() {
                    self.apply(own);
                }
                self.collect(own);
            }
            for message in std::mem::take(&mut self.messages) {
                self.hand_over(message);
            }
        }
    }
}

fn run(seed: u64, takes_changes: bool) -> World {
    let mut world = World::new(seed, takes_changes);
    for _ in 0..EVENTS {
        world.random_event();
    }
    world.heal();
    world
}

#[test]
fn nothing_unsafe_happens_and_everybody_agrees_in_the_end() {
    let (mut applied, mut answered) = (0, 0);
    for seed in 0..40 {
        let mut world = run(seed, false);
        let before = world.committed_anywhere();
        let lead = world.machines.values().find_map(|machine| machine.member.lead());
        assert!(lead.is_some(), "seed {seed}: nobody leads after the trouble");
        world.propose(lead.unwrap().0);
        // With one entry per message and one message at a time this may take long.
        for _ in 0..10 {
            world.heal();
            if world.machines.values().all(|machine| machine.applied > before) {
                break;
            }
        }
        for (own, machine) in &world.machines {
            let status = machine.member.basic_status();
            assert!(machine.applied > before, "seed {seed}: {own} is behind {before}: {status:?}");
        }
        applied += world.history.len();
        answered += world.answered;
    }
    assert!(applied > 4000, "only {applied} entries were applied");
    assert!(answered > 200, "only {answered} reads were answered");
}

#[test]
fn nothing_unsafe_happens_while_members_come_and_go() {
    let (mut changed, mut led) = (0, 0);
    for seed in 100..140 {
        let world = run(seed, true);
        let states: Vec<ConfState> =
            world.machines.values().map(|machine| machine.member.conf_state()).collect();
        let start: Vec<MemberId> = (1..=3).map(MemberId).collect();
        changed +=
            u32::from(states.iter().any(|state| !state.voters.is_empty() && state.voters != start));
        let leads =
            world.machines.values().any(|machine| machine.member.role() == StateRole::Leader);
        led += u32::from(leads);
    }
    assert!(changed > 20, "only {changed} of 40 runs changed the configuration");
    assert!(led > 30, "only {led} of 40 runs ended with a leader");
}
