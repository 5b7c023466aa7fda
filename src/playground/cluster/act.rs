//! What a person does to the cluster: whether it can be done, and what is to be done for it.
//!
//! Invariants: see `cluster`; what is refused changes nothing.

use super::{Action, Cluster, Effect, Life, MemberFault, MemberId, Node, Refusal, Sides};
use crate::playground::membership::number_of;

impl Cluster {
    /// Does `action`, or says why not.
    ///
    /// # Errors
    /// A [`Refusal`]; nothing changed then.
    pub fn act(&mut self, action: Action) -> Result<Effect, Refusal> {
        match action {
            Action::Kill(member) => {
                self.running(member)?.life = Life::Stopping;
                Ok(Effect::Kill(member))
            }
            Action::Crash(member) => self.running(member).map(|_| Effect::Crash(member)),
            Action::Restart(member) => {
                let node = self.node_mut(member).ok_or(Refusal::Unknown)?;
                if node.is_removed {
                    return Err(Refusal::Removed(member));
                }
                if !matches!(node.life, Life::Down(_) | Life::Stopping) {
                    return Err(Refusal::Running(member));
                }
                node.life = Life::Starting;
                Ok(Effect::Restart(member))
            }
            Action::Pause(member) => {
                let node = self.running(member)?;
                if node.is_paused {
                    return Err(Refusal::Paused(member));
                }
                node.is_paused = true;
                Ok(Effect::Pause(member))
            }
            Action::Resume(member) => {
                let node = self.running(member)?;
                if !node.is_paused {
                    return Err(Refusal::NotPaused(member));
                }
                node.is_paused = false;
                Ok(Effect::Resume(member))
            }
            Action::Afflict(member, fault) => self.afflict(member, fault),
            Action::Speed(speed) => {
                self.speed = speed;
                Ok(Effect::SetSpeed(speed))
            }
            Action::PauseAll(_) => unreachable!("it is an action for each member"),
            Action::Latency(_)
            | Action::Isolate(_)
            | Action::HealMember(_)
            | Action::Cut(..)
            | Action::CutOneWay(..)
            | Action::HealPair(..)
            | Action::HealOneWay(..)
            | Action::Partition(_)
            | Action::Disturb { .. }
            | Action::HealAll => self.change_links(action),
            Action::Change(_) => unreachable!("changes of the membership are requests"),
        }
    }

    fn afflict(&mut self, member: MemberId, fault: MemberFault) -> Result<Effect, Refusal> {
        let node = self.node_mut(member).ok_or(Refusal::Unknown)?;
        if node.is_removed {
            return Err(Refusal::Removed(member));
        }
        match fault {
            MemberFault::PowerCut => {
                self.running(member)?.life = Life::Stopping;
                return Ok(Effect::PowerCut(member));
            }
            MemberFault::Wipe => {
                if !matches!(node.life, Life::Down(_)) {
                    node.life = Life::Stopping;
                }
                return Ok(Effect::Wipe(member));
            }
            MemberFault::SlowDisk(_)
            | MemberFault::FillDisk
            | MemberFault::FreeDisk
            | MemberFault::Clock(_) => node.faults.set(fault),
        }
        Ok(Effect::SetFaults(member, node.faults))
    }

    /// The members of a partition's sides.
    fn sides(&self, sides: &Sides) -> Result<Vec<(MemberId, u8)>, Refusal> {
        let numbered = |number| {
            let mut nodes = self.nodes.iter().filter(|node| !node.is_removed);
            nodes.find(|node| number_of(&node.member.name) == Some(number))
        };
        let found = |(number, side)| {
            numbered(number).map(|node| (node.member.id, side)).ok_or(Refusal::Unknown)
        };
        sides.members().map(found).collect()
    }

    fn change_links(&mut self, action: Action) -> Result<Effect, Refusal> {
        let ids = self.ids();
        let known = |member: MemberId| {
            if ids.contains(&member) { Ok(member) } else { Err(Refusal::Unknown) }
        };
        let pair = |one: MemberId, other: MemberId| {
            if one == other {
                return Err(Refusal::SameMember(one));
            }
            Ok((known(one)?, known(other)?))
        };
        let mut links = self.links.clone();
        match action {
            Action::Isolate(member) => links.isolate(known(member)?, &ids),
            Action::HealMember(member) => links.heal_member(known(member)?),
            Action::Cut(one, other) => pair(one, other).map(|(a, b)| links.cut(a, b))?,
            Action::CutOneWay(one, other) => {
                pair(one, other).map(|(a, b)| links.cut_one_way(a, b))?;
            }
            Action::HealPair(one, other) => pair(one, other).map(|(a, b)| links.heal_pair(a, b))?,
            Action::HealOneWay(one, other) => {
                pair(one, other).map(|(a, b)| links.heal_one_way(a, b))?;
            }
            Action::HealAll => links.heal(),
            Action::Latency(ms) => links.delay_all(ms, &ids),
            Action::Partition(sides) => links.partition(&self.sides(&sides)?),
            Action::Disturb { from, to, one_way, fault } => {
                pair(from, to).map(|(a, b)| links.disturb(a, b, one_way, fault))?;
            }
            Action::Kill(_)
            | Action::Restart(_)
            | Action::Pause(_)
            | Action::Resume(_)
            | Action::Crash(_)
            | Action::Speed(_)
            | Action::PauseAll(_)
            | Action::Afflict(..)
            | Action::Change(_) => {}
        }
        if matches!(action, Action::HealAll | Action::HealMember(_)) && links == self.links {
            return Err(Refusal::NothingCut);
        }
        self.links = links.clone();
        Ok(Effect::SetLinks(links))
    }

    fn running(&mut self, member: MemberId) -> Result<&mut Node, Refusal> {
        let node = self.node_mut(member).ok_or(Refusal::Unknown)?;
        if matches!(node.life, Life::Down(_) | Life::Stopping) {
            return Err(Refusal::NotRunning(member));
        }
        Ok(node)
    }
}
