//! Faults that change who is in the cluster, and who leads it.
//!
//! What it is: requests that an administrator makes, at bad moments, and joint changes that no client can ask for.
//! What it is not: a judge of the answers: what was changed is what the members say later.
//! Invariants: whoever was added is started, sooner or later; a wiped disk comes back unless its member was removed.

use super::{Nemesis, Undo};
use crate::api::{
    MemberAddRequest, MemberAddResponse, MemberPromoteRequest, MemberRemoveRequest,
    MoveLeaderRequest, Request, ResponseHeader,
};
use crate::cluster::simulation::Simulation;
use crate::cluster::swarm::{Fault, MEMBERS};
use crate::raft::{
    AsConfChange, ConfChangeSingle, ConfChangeTransition, ConfChangeType, ConfChangeV2, ConfState,
    Entry, EntryType,
};
use crate::types::{Index, MemberId};

/// Voters that a cluster is made to have at most.
const VOTERS_MAX: usize = 7;

/// Peer URLs of added members begin here, with the number behind.
const URL: &str = "http://10.0.0.1:";

impl Nemesis {
    /// Starts whoever was added, and forgets whoever was removed.
    pub(in crate::cluster) fn meet(&mut self, sim: &mut Simulation) {
        let Some((applied, members, conf)) = sim.newest_members() else { return };
        if members.is_empty() || applied < self.ids_at {
            return;
        }
        // The first one is the cluster's founding.
        if self.ids_at > Index(0) && !self.conf.is_equivalent(&conf) {
            *self.done.entry(MEMBERS).or_default() += 1;
        }
        (self.ids_at, self.conf) = (applied, conf);
        for gone in sim.members().iter().filter(|old| !members.iter().any(|new| new.id == old.id)) {
            if self.ids.contains(&gone.id) {
                self.free_urls.extend(gone.peer_urls.first().cloned());
            }
        }
        self.ids = members.iter().map(|member| member.id).collect();
        let known: Vec<MemberId> = sim.members().iter().map(|member| member.id).collect();
        for member in members.iter().filter(|member| !known.contains(&member.id)) {
            let header = ResponseHeader {
                cluster_id: sim.cluster_id().unwrap_or_default(),
                ..ResponseHeader::default()
            };
            let added =
                MemberAddResponse { header, member: member.clone(), members: members.clone() };
            self.added += 1;
            let name = format!("added{}", self.added);
            sim.join(&added, &name, &format!("http://10.0.1.1:{}", self.added));
        }
    }

    /// The members of now, if any fault has left them so.
    pub(in crate::cluster) fn ids(&self) -> &[MemberId] {
        &self.ids
    }

    fn conf(sim: &Simulation) -> ConfState {
        sim.newest_members().map(|(_, _, conf)| conf).unwrap_or_default()
    }

    fn some_of(&mut self, ids: &[MemberId]) -> Option<MemberId> {
        let count = u32::try_from(ids.len()).ok().filter(|count| *count > 0)?;
        ids.get(usize::try_from(self.random.below(count)).ok()?).copied()
    }

    pub(super) fn change_members(&mut self, sim: &mut Simulation, fault: Fault) -> bool {
        let conf = Self::conf(sim);
        match fault {
            Fault::AddVoter if conf.voters.len() < VOTERS_MAX => self.ask_to_add(sim, false),
            Fault::AddLearner => self.ask_to_add(sim, true),
            Fault::Promote => {
                let Some(id) = self.some_of(&conf.learners) else { return false };
                let to = self.one();
                sim.request(to, Request::MemberPromote(MemberPromoteRequest { id }));
            }
            Fault::Remove | Fault::Replace if conf.voters.len() > 1 => {
                let is_leader = self.random.chance(1, 3);
                let id = if is_leader { self.leader(sim) } else { self.one() };
                self.ask_to_remove(sim, id);
                if fault == Fault::Replace {
                    self.later(sim, Undo::AddVoter);
                }
            }
            Fault::Wipe if conf.voters.len() > 2 => {
                let id = self.one();
                if !self.lose_disk(sim, id, Fault::Emptied) {
                    return false;
                }
                self.ask_to_remove(sim, id);
                self.later(sim, Undo::AddVoter);
            }
            Fault::Joint => return self.change_jointly(sim, &conf),
            Fault::Refused => self.ask_for_the_impossible(sim),
            Fault::MoveLeader => {
                let (leader, target_id) = (self.leader(sim), self.one());
                sim.request(leader, Request::MoveLeader(MoveLeaderRequest { target_id }));
            }
            _ => return false,
        }
        true
    }

    pub(super) fn ask_to_add(&mut self, sim: &mut Simulation, is_learner: bool) {
        // A new member at the place of an old one, or at a new place.
        let old = if self.random.chance(1, 3) { self.free_urls.pop() } else { None };
        let number = self.random.between(1_024, 65_535);
        let url = old.unwrap_or_else(|| format!("{URL}{number}"));
        let add = MemberAddRequest { peer_urls: vec![url], is_learner };
        let to = self.one();
        sim.request(to, Request::MemberAdd(add));
    }

    fn ask_to_remove(&mut self, sim: &mut Simulation, id: MemberId) {
        let others: Vec<MemberId> = self.ids.iter().copied().filter(|other| *other != id).collect();
        // Now and then it is asked itself.
        let to = if self.random.chance(1, 4) { Some(id) } else { self.some_of(&others) };
        if let Some(to) = to {
            sim.request(to, Request::MemberRemove(MemberRemoveRequest { id }));
        }
    }

    fn ask_for_the_impossible(&mut self, sim: &mut Simulation) {
        let (to, id) = (self.one(), self.one());
        let url = sim.members().first().and_then(|member| member.peer_urls.first().cloned());
        let request = match self.random.below(4) {
            0 => Request::MemberRemove(MemberRemoveRequest { id: MemberId(1) }),
            1 => Request::MemberPromote(MemberPromoteRequest { id }),
            2 => Request::MoveLeader(MoveLeaderRequest { target_id: MemberId(1) }),
            _ => Request::MemberAdd(MemberAddRequest {
                peer_urls: url.into_iter().collect(),
                is_learner: false,
            }),
        };
        sim.request(to, request);
    }

    /// Several changes at once: learners get votes, voters lose theirs or go.
    fn change_jointly(&mut self, sim: &mut Simulation, conf: &ConfState) -> bool {
        if !conf.voters_outgoing.is_empty() {
            self.leave_joint(sim);
            return true;
        }
        let mut changes = Vec::new();
        let mut change = |change_type, node_id| {
            changes.push(ConfChangeSingle { change_type, node_id });
        };
        let mut left = conf.voters.len();
        for id in &conf.learners {
            if self.random.chance(2, 3) {
                change(ConfChangeType::AddNode, *id);
                left += 1;
            }
        }
        for id in &conf.voters {
            if left > 1 && self.random.chance(1, 3) {
                let goes = self.random.chance(1, 3);
                let kind =
                    if goes { ConfChangeType::RemoveNode } else { ConfChangeType::AddLearnerNode };
                change(kind, *id);
                left -= 1;
            }
        }
        if changes.is_empty() {
            return false;
        }
        let transition = match self.random.below(4) {
            0 => ConfChangeTransition::Auto,
            1 => ConfChangeTransition::JointExplicit,
            _ => ConfChangeTransition::JointImplicit,
        };
        if transition == ConfChangeTransition::JointExplicit {
            self.later(sim, Undo::LeaveJoint);
        }
        self.propose(sim, &ConfChangeV2 { transition, changes, ..ConfChangeV2::default() })
    }

    pub(super) fn leave_joint(&mut self, sim: &mut Simulation) {
        self.propose(sim, &ConfChangeV2::default());
    }

    fn propose(&mut self, sim: &mut Simulation, change: &ConfChangeV2) -> bool {
        let Ok(data) = change.encode() else { return false };
        let entry = Entry { entry_type: EntryType::ConfChangeV2, data, ..Entry::default() };
        let (from, leader) = (self.one(), self.leader(sim));
        sim.forward(from, leader, entry);
        true
    }
}
