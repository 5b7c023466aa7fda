//! Who is a member: buttons, answers, and what follows from them.
//!
//! Invariants: see `model`; what cannot be undone is asked first; a member that was taken out is never started
//! again; the picture of the members is corrected by the cluster's own list.

use super::{Action, MemberChanges as Changes, Model, Wires};
use crate::cluster::fault::MemberFault;
use crate::playground::cluster::Life;
use crate::playground::edge::{Effect, News};
use crate::playground::membership::{Change, Outcome, as_started};
use crate::types::MemberId;

impl Model {
    /// A button was pressed.
    pub(super) fn on_change(&mut self, change: Change) {
        self.changes.cluster = true;
        self.changes.frame = true;
        if change.is_asked() {
            self.asks_change = Some(change);
        } else {
            self.begin_change(change);
        }
    }

    /// The question was answered.
    pub(super) fn answer_change(&mut self, is_yes: bool) {
        if let (Some(change), true) = (self.asks_change.take(), is_yes) {
            self.begin_change(change);
        }
        self.changes.cluster = true;
        self.changes.frame = true;
    }

    pub(super) fn begin_change(&mut self, change: Change) {
        match change {
            Change::ForceNew(member) => self.force_new(member),
            Change::Delete(member) => self.delete_member(member),
            Change::Wipe(member) => {
                self.do_recorded(Action::Afflict(member, MemberFault::Wipe));
                return;
            }
            Change::Add
            | Change::AddLearner
            | Change::Promote(_)
            | Change::Remove(_)
            | Change::Lead(_)
            | Change::Replace(_) => {
                if !self.membership.is_busy() {
                    self.note_change(change);
                    self.with_members(|changes, wires| changes.begin(change, wires));
                    if self.membership.is_busy() {
                        return;
                    }
                    self.settle_change();
                }
                return;
            }
        }
        // A script has no words for it.
        self.record.left_out();
    }

    fn force_new(&mut self, member: MemberId) {
        let others: Vec<MemberId> =
            self.cluster.ids().into_iter().filter(|other| *other != member).collect();
        for other in others {
            self.cluster.retire(other);
        }
        self.effects.push(Effect::ForceNewCluster(member));
        self.told_change(Change::ForceNew(member));
    }

    fn delete_member(&mut self, member: MemberId) {
        let is_down =
            self.cluster.node(member).is_some_and(|node| matches!(node.life, Life::Down(_)));
        if !is_down {
            return;
        }
        self.told_change(Change::Delete(member));
        self.effects.push(Effect::DeleteMember(member));
        if let Some(links) = self.cluster.forget(member) {
            self.effects.push(Effect::SetLinks(links));
        }
        self.members_changed();
    }

    fn told_change(&mut self, change: Change) {
        self.timeline.done(self.now, Action::Change(change), false);
        self.changes.log = true;
    }

    /// What the console presets follows the members.
    fn members_changed(&mut self) {
        let endpoints = self.cluster.endpoints();
        self.console.change_endpoints(&endpoints);
        self.changes.cluster = true;
        self.changes.frame = true;
    }

    fn with_members<T>(&mut self, run: impl FnOnce(&mut Changes, &mut Wires<'_>) -> T) -> T {
        let mut wires = Wires {
            now: self.now,
            cluster: &self.cluster,
            numbers: &mut self.numbers,
            effects: &mut self.effects,
            away: &mut self.away,
            strings: self.strings,
        };
        run(&mut self.membership, &mut wires)
    }

    /// Asks for the list of members if the picture may be old.
    pub(super) fn tend_members(&mut self) {
        self.with_members(Changes::tend);
    }

    /// True: the news was about a change or the list.
    pub(super) fn hear_members(&mut self, news: &News) -> bool {
        match news {
            News::Reply { call, result } => {
                let outcome =
                    self.with_members(|changes, wires| changes.reply(*call, result, wires));
                let Some(outcome) = outcome else { return false };
                self.take_outcome(outcome);
            }
            News::CallFailed { call, .. } => {
                if !self.with_members(|changes, wires| changes.lost(*call, wires)) {
                    return false;
                }
            }
            News::Timer(timer) => {
                if !self.with_members(|changes, wires| changes.timer(*timer, wires)) {
                    return false;
                }
            }
            _ => return false,
        }
        self.settle_change();
        self.changes.cluster = true;
        true
    }

    fn take_outcome(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Nothing => {}
            Outcome::Added(member) => {
                let is_learner = member.is_learner;
                self.admit(&member);
                // The button adds and starts; `member add` in a console only adds.
                let started = self.act(Action::Restart(member.id));
                debug_assert!(started.is_ok(), "a new member can be started");
                self.told_change(if is_learner { Change::AddLearner } else { Change::Add });
            }
            Outcome::Removed(member, is_replaced) => {
                self.retire(member);
                if is_replaced {
                    self.delete_member(member);
                } else {
                    self.told_change(Change::Remove(member));
                }
            }
            Outcome::Listed(members) => {
                let (added, removed) = self.cluster.compare(&members);
                for member in added {
                    let taken: Vec<String> =
                        self.cluster.nodes.iter().map(|node| node.member.name.clone()).collect();
                    self.admit(&as_started(&member, &taken));
                }
                for member in removed {
                    self.retire(member);
                }
            }
            Outcome::Done(change) => {
                self.membership.look_again();
                self.told_change(change);
            }
        }
    }

    fn admit(&mut self, member: &crate::api::Member) {
        let links = self.cluster.admit(member);
        self.effects.push(Effect::Admit(member.clone()));
        self.effects.extend(links.map(Effect::SetLinks));
        self.members_changed();
    }

    /// A member is none any more.
    pub(super) fn retire(&mut self, member: MemberId) {
        if self.cluster.retire(member) {
            self.effects.push(Effect::Retire(member));
            self.members_changed();
        }
    }
}
