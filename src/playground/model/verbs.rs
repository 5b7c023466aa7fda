//! Verbs: `kill leader` as a console line, and buttons as the verb they stand for.
//!
//! Invariants: see `model`; a verb does what its button does, and is recorded the same way.

use super::{Action, Cluster, Kind, Model, Phase, Stream, World};
use crate::playground::cluster::Life;
use crate::playground::membership::number_of;
use crate::scenario::verb::{Condition, Target};
use crate::scenario::{Cannot, MemberView, Order, Verb, VerbError};
use crate::types::MemberId;

impl Model {
    pub(super) fn run_verb_line(&mut self, tab: u32, line: &str, verb: Result<Verb, VerbError>) {
        let verb = match verb {
            // Another tab has the members.
            Ok(_) if self.cluster.phase == Phase::TakenOver => {
                let refusal = self.not_open();
                self.refuse(tab, line, Kind::Verb, refusal);
                return;
            }
            Ok(verb) => verb,
            Err(error) => {
                self.refuse(tab, line, Kind::Verb, &error.wrong.told(&self.strings.verb_wrong));
                return;
            }
        };
        let had_leader = self.cluster.known_leader().is_some();
        if let Verb::Wait { condition, limit_ms } = verb {
            self.run_wait(tab, line, condition, limit_ms);
            self.record.verb(verb, self.now, false);
            self.remember_record();
            return;
        }
        let actions = match self.plan(&verb) {
            Ok(actions) => actions,
            Err(refusal) => {
                self.refuse(tab, line, Kind::Verb, &refusal.told(&self.strings.verb_cannot));
                return;
            }
        };
        let results: Vec<Result<String, String>> =
            actions.into_iter().map(|action| self.act(action)).collect();
        let failed = results.iter().filter(|result| result.is_err()).count();
        let status = i32::from(failed == results.len());
        if status == 0 {
            self.record.verb(verb, self.now, had_leader);
            self.remember_record();
        }
        if let Some(tab) = self.console.tab(tab) {
            tab.open_block(line, Kind::Verb);
            for result in results {
                match result {
                    Ok(sentence) => tab.print(Stream::Out, &sentence),
                    Err(refusal) => tab.print(Stream::Err, &refusal),
                }
            }
            tab.end_block(Some(status));
        }
    }

    fn run_wait(&mut self, tab: u32, line: &str, condition: Condition, limit_ms: u64) {
        let is_met = self.cluster.world().is_met(&condition);
        let sentence = self.strings.wait_met.of(&condition.to_string());
        self.with_console(|console, wires| {
            let Some(tab) = console.tab(tab) else { return };
            tab.open_block(line, Kind::Verb);
            tab.start_wait(condition, limit_ms, wires);
            if is_met {
                tab.end_wait(&sentence, 0);
            }
        });
    }

    /// Stops all members, or lets all go on, as the verb does.
    pub(super) fn pause_all(&mut self, is_pause: bool) {
        let verb = if is_pause { Verb::Pause(Target::All) } else { Verb::Resume(Target::All) };
        let Ok(actions) = self.plan(&verb) else { return };
        let had_leader = self.cluster.known_leader().is_some();
        for action in actions {
            // Who cannot be stopped any more has gone by itself.
            let _ = self.act(action);
        }
        self.record.verb(verb, self.now, had_leader);
        self.remember_record();
    }

    /// Ends the waits whose condition holds now.
    pub(super) fn end_waits(&mut self, world: &World) {
        let met = self.strings.wait_met;
        for tab in self.console.tabs() {
            if let Some(condition) = tab.waits_for().filter(|condition| world.is_met(condition)) {
                tab.end_wait(&met.of(&condition.to_string()), 0);
                self.changes.console = true;
            }
        }
    }

    /// The actions a verb stands for now.
    fn plan(&self, verb: &Verb) -> Result<Vec<Action>, Cannot> {
        let world = self.cluster.world();
        Ok(match *verb {
            Verb::Isolate(target) => vec![Action::Isolate(world.resolve(target)?)],
            Verb::Cut { from, to, one_way } => {
                let (from, to) = (world.resolve(from)?, world.resolve(to)?);
                vec![if one_way { Action::CutOneWay(from, to) } else { Action::Cut(from, to) }]
            }
            Verb::HealLink { from, to, one_way } => {
                let (from, to) = (world.resolve(from)?, world.resolve(to)?);
                vec![if one_way {
                    Action::HealOneWay(from, to)
                } else {
                    Action::HealPair(from, to)
                }]
            }
            Verb::Disturb { from, to, one_way, fault } => {
                let (from, to) = (world.resolve(from)?, world.resolve(to)?);
                vec![Action::Disturb { from, to, one_way, fault }]
            }
            Verb::Partition(sides) => {
                // The plan says it if somebody named is not there.
                world.plan(verb)?;
                vec![Action::Partition(sides)]
            }
            Verb::Speed(speed) => vec![Action::Speed(speed)],
            Verb::Latency(ms) => vec![Action::Latency(ms)],
            Verb::Heal(None) => vec![Action::HealAll],
            Verb::Heal(Some(target)) => vec![Action::HealMember(world.resolve(target)?)],
            Verb::Kill(_)
            | Verb::Restart(_)
            | Verb::Pause(_)
            | Verb::Resume(_)
            | Verb::Member(..)
            | Verb::Wait { .. } => orders(&world, verb)?,
        })
    }

    /// The verb that a button stands for, as it is recorded.
    pub(super) fn verb_of(&self, action: Action) -> Option<Verb> {
        let leader = self.cluster.known_leader();
        let infra = |member: MemberId| {
            let node = self.cluster.node(member)?;
            number_of(&node.member.name).map(Target::Infra)
        };
        let role = |member: MemberId| {
            if leader == Some(member) { Some(Target::Leader) } else { infra(member) }
        };
        Some(match action {
            Action::Kill(member) | Action::Crash(member) => Verb::Kill(role(member)?),
            Action::Restart(member) => Verb::Restart(infra(member)?),
            Action::Pause(member) => Verb::Pause(role(member)?),
            Action::Resume(member) => Verb::Resume(infra(member)?),
            Action::Isolate(member) => Verb::Isolate(role(member)?),
            Action::HealMember(member) => Verb::Heal(Some(infra(member)?)),
            Action::Cut(one, other) => {
                Verb::Cut { from: infra(one)?, to: infra(other)?, one_way: false }
            }
            Action::CutOneWay(from, to) => {
                Verb::Cut { from: infra(from)?, to: infra(to)?, one_way: true }
            }
            Action::HealPair(one, other) => {
                Verb::HealLink { from: infra(one)?, to: infra(other)?, one_way: false }
            }
            Action::HealOneWay(from, to) => {
                Verb::HealLink { from: infra(from)?, to: infra(to)?, one_way: true }
            }
            Action::Partition(sides) => Verb::Partition(sides),
            Action::Disturb { from, to, one_way, fault } => {
                Verb::Disturb { from: infra(from)?, to: infra(to)?, one_way, fault }
            }
            Action::Afflict(member, fault) => {
                let is_down = self.cluster.node(member).is_some_and(|node| !node.is_leading());
                let target = if is_down { infra(member)? } else { role(member)? };
                Verb::Member(target, fault)
            }
            Action::HealAll => Verb::Heal(None),
            Action::Speed(speed) => Verb::Speed(speed),
            Action::Latency(ms) => Verb::Latency(ms),
            Action::PauseAll(true) => Verb::Pause(Target::All),
            Action::PauseAll(false) => Verb::Resume(Target::All),
            Action::Change(_) => return None,
        })
    }
}

fn orders(world: &World, verb: &Verb) -> Result<Vec<Action>, Cannot> {
    let orders = world.plan(verb)?;
    Ok(orders
        .into_iter()
        .filter_map(|order| match order {
            Order::Kill(member) => Some(Action::Kill(member)),
            Order::Restart(member) => Some(Action::Restart(member)),
            Order::Pause(member) => Some(Action::Pause(member)),
            Order::Resume(member) => Some(Action::Resume(member)),
            Order::Member(member, fault) => Some(Action::Afflict(member, fault)),
            Order::SetLinks(_) | Order::SetSpeed(_) => None,
        })
        .collect())
}

impl Cluster {
    /// The picture that verbs and checks look at.
    #[must_use]
    pub fn world(&self) -> World {
        // Who was taken out counts for no majority.
        let members = self
            .nodes
            .iter()
            .filter(|node| !node.is_removed)
            .map(|node| MemberView {
                member: node.member.clone(),
                is_up: matches!(node.life, Life::Up),
                is_paused: node.is_paused,
                status: matches!(node.life, Life::Up).then(|| node.status.clone()),
            })
            .collect();
        let (lease, answered) = (self.lease, self.answered);
        World { members, links: self.links.clone(), lease, answered }
    }
}

/// The member an action is about, if it is about one.
pub(super) fn target(action: Action) -> Option<MemberId> {
    match action {
        Action::Kill(member)
        | Action::Restart(member)
        | Action::Pause(member)
        | Action::Resume(member)
        | Action::Isolate(member)
        | Action::HealMember(member)
        | Action::Afflict(member, _)
        | Action::Crash(member) => Some(member),
        Action::Cut(..)
        | Action::CutOneWay(..)
        | Action::HealPair(..)
        | Action::HealOneWay(..)
        | Action::Partition(_)
        | Action::Disturb { .. }
        | Action::Speed(_)
        | Action::Latency(_)
        | Action::PauseAll(_)
        | Action::HealAll => None,
        Action::Change(change) => change.member(),
    }
}
