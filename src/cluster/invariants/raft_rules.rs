//! Invariants 1 to 12: elections, logs, durability.
//!
//! Invariants: see the module's head; every rule is asked where the state that it speaks of changes.

use std::collections::BTreeSet;

use super::chain::{self, Log, Point};
use super::{Committed, Invariants, Seen, is_quorum};
use crate::etcdserver::View;
use crate::raft::{self, Entry, EntryType, StateRole};
use crate::types::{Index, MemberId, Term};

/// A member's log: all of it, or what is on its disk.
enum Viewed<'v> {
    InMemory(&'v View<'v>),
    OnDisk(&'v View<'v>),
}

impl Log for Viewed<'_> {
    fn base(&self) -> Index {
        let first = match self {
            Self::InMemory(view) => view.first_index(),
            Self::OnDisk(view) => view.durable_first_index(),
        };
        first.saturating_prev()
    }

    fn last_index(&self) -> Index {
        match self {
            Self::InMemory(view) => view.last_index(),
            Self::OnDisk(view) => view.durable_last_index(),
        }
    }

    fn term_of(&self, index: Index) -> Option<Term> {
        match self {
            Self::InMemory(view) => view.term_of(index),
            Self::OnDisk(view) => view.durable_term_of(index),
        }
    }

    fn entries_from(&self, index: Index) -> Vec<Entry> {
        let last = self.last_index();
        match self {
            Self::InMemory(view) => view.entries(index, last),
            Self::OnDisk(view) => view.durable_entries(index, last),
        }
    }
}

impl Invariants {
    pub(super) fn sync_durable(&mut self, id: MemberId, view: &View<'_>) {
        let committed = &self.committed;
        let Seen { log, durable, .. } = self.seen.entry(id).or_default();
        // What landed may be committed and cut in the same input: it is what the log in memory had.
        let point = |index| {
            let known = chain::position(index).and_then(|at| committed.get(at)).map(|c| c.point);
            known.or_else(|| chain::at(log, index).copied())
        };
        chain::follow(durable, &Viewed::OnDisk(view), point);
    }

    /// Everything that concerns Raft, after a step.
    pub(super) fn look(&mut self, id: MemberId, view: &View<'_>) {
        let conf = view.conf_state();
        self.look_at_terms(id, view, &conf);
        self.note_leader(id, view);
        self.look_at_log(id, view);
        if view.role() == StateRole::Leader {
            self.look_at_leader(id, view, &conf);
        }
        let order = (view.applied(), view.commit(), view.last_index());
        self.hold(9, order.0 <= order.1 && order.1 <= order.2, || format!("{id:x} has {order:?}"));
        // While a snapshot goes to the disk Raft has its log already, and the state is the old one.
        let first = view.first_index().saturating_prev();
        self.hold(9, first <= order.0 || view.chunks_to_install().is_some(), || {
            format!("{id:x} applied {}, its log begins after {first}", order.0)
        });
        self.look_at_commit(id, view, &conf);
        self.look_at_configuration(id, view);
        let seen = self.seen.entry(id).or_default();
        (seen.term, seen.commit, seen.role) = (view.term(), view.commit(), Some(view.role()));
        seen.conf = conf;
    }

    /// 6 and 12: why a term may rise.
    fn look_at_terms(&mut self, id: MemberId, view: &View<'_>, conf: &raft::ConfState) {
        let Some(seen) = self.seen.get(&id) else { return };
        let (old, new) = (seen.term, view.term());
        let falls = new < old || view.commit() < seen.commit || view.applied() < seen.applied;
        let before = (old, seen.commit, seen.applied);
        let is_first = seen.role.is_none();
        let campaigned = new > old && view.vote() == Some(id);
        let is_told = seen.told_term >= new;
        let may_campaign = !self.rules.pre_vote
            || seen.is_handed_over
            // What is applied in the same input may change the configuration.
            || [conf, &seen.conf].into_iter().any(|conf| {
                let is_alone = conf.voters.len() <= 1 && conf.voters_outgoing.is_empty();
                is_alone || is_quorum(conf, |voter| {
                    // As in etcd, a late grant for any term counts as well.
                    let granted = |grants: &BTreeSet<MemberId>| grants.contains(&voter);
                    voter == id || seen.grants.range(old..).any(|(_, grants)| granted(grants))
                })
            });
        self.hold(6, !falls, || {
            format!("{id:x} fell from {before:?} to {:?}", (new, view.commit(), view.applied()))
        });
        if is_first || new == old {
            return;
        }
        self.hold(12, !campaigned || may_campaign, || {
            format!("{id:x} campaigned in term {new} without a quorum of pre-votes")
        });
        self.hold(12, campaigned || is_told, || format!("{id:x} rose to term {new} on its own"));
        if let Some(seen) = self.seen.get_mut(&id) {
            seen.is_handed_over = false;
            seen.grants.retain(|term, _| *term >= new);
        }
    }

    /// 2 and 5: what a log may do.
    fn look_at_log(&mut self, id: MemberId, view: &View<'_>) {
        let committed = &self.committed;
        let point =
            |index| chain::position(index).and_then(|at| committed.get(at)).map(|c| c.point);
        let seen = self.seen.entry(id).or_default();
        let old_last = chain::last(&seen.log);
        let led_before = seen.role == Some(StateRole::Leader) && seen.term == view.term();
        let (kept, entries) = chain::follow(&mut seen.log, &Viewed::InMemory(view), point);
        if kept < old_last {
            seen.changes.retain(|index| *index <= kept);
        }
        if entries.is_empty() && kept == old_last {
            return;
        }
        for entry in &entries {
            if entry.entry_type != EntryType::Normal && entry.term > Term(1) {
                seen.changes.insert(entry.index);
            }
        }
        let points: Vec<(Index, Point)> = entries
            .iter()
            .filter_map(|entry| Some((entry.index, *chain::at(&seen.log, entry.index)?)))
            .collect();
        let commit = seen.commit;
        self.look_at_expiry(id, view, &entries);
        let open = chain::last_of(self.committed.len());
        self.bodies.extend(
            entries
                .into_iter()
                .filter(|entry| entry.index > open)
                .map(|entry| ((entry.index, entry.term), entry)),
        );
        self.hold(5, !led_before || kept >= old_last, || {
            format!("leader {id:x} cut its log from {old_last} to {kept}")
        });
        self.hold(4, kept >= commit.min(old_last), || {
            format!("{id:x} cut its log to {kept}, below its commit {commit}")
        });
        for (index, point) in points {
            let known = *self.entries.entry((index, point.term)).or_insert(point.chain);
            self.hold(2, known == point.chain, || {
                format!("{id:x} has another log up to entry {index} of term {}", point.term)
            });
        }
    }

    /// 1, 3 and 10: what a leader must have: its term for itself, by the votes of a majority; and the log.
    fn look_at_leader(&mut self, id: MemberId, view: &View<'_>, conf: &raft::ConfState) {
        let term = view.term();
        let leader = *self.leaders.entry(term).or_insert(id);
        self.hold(1, leader == id, || format!("{leader:x} and {id:x} lead term {term}"));
        let Some(seen) = self.seen.get(&id) else { return };
        let open = seen.changes.range(view.applied().next()..).count();
        self.hold(10, open <= 1, || format!("leader {id:x} has {open} changes to apply"));
        let Some(seen) = self.seen.get_mut(&id) else { return };
        let is_new = seen.role != Some(StateRole::Leader) || seen.term != term;
        if is_new || seen.conf != *conf {
            // Another quorum has its time to be heard.
            seen.heard.clear();
            for voter in conf.voters.iter().chain(&conf.voters_outgoing) {
                seen.heard.insert(*voter, seen.ticks);
            }
        }
        if !is_new {
            return;
        }
        let older = self.committed.iter().rposition(|committed| committed.in_term < term);
        let is_complete = older.is_none_or(|at| {
            let expected = self.committed.get(at).map(|committed| committed.point);
            self.seen.get(&id).and_then(|seen| seen.log.get(at)).copied() == expected
        });
        self.hold(3, is_complete, || {
            format!("new leader {id:x} of term {term} lacks committed entries")
        });
        let vote = *self.votes.entry((id, term)).or_insert(id);
        self.hold(7, vote == id, || format!("{id:x} leads term {term} and voted for {vote:x}"));
        let voted = |voter: MemberId| self.votes.get(&(voter, term)) == Some(&id);
        // What is committed and applied in the input of the election may change the configuration.
        let before = self.seen.get(&id).is_some_and(|seen| is_quorum(&seen.conf, voted));
        let is_elected = before || is_quorum(conf, voted);
        self.hold(1, is_elected, || {
            format!("{id:x} leads term {term} without the votes of a majority of {conf:?}")
        });
    }

    /// 4 and 8: what is committed is the same everywhere, and on a majority of disks.
    fn look_at_commit(&mut self, id: MemberId, view: &View<'_>, conf: &raft::ConfState) {
        let Some(seen) = self.seen.get(&id) else { return };
        let (from, to) = (seen.commit.next(), view.commit());
        if from > to {
            return;
        }
        let own = chain::at(&seen.log, to).copied();
        let known = chain::position(to).and_then(|at| self.committed.get(at)).map(|c| c.point);
        if known.is_some() {
            self.hold(4, known == own, || format!("{id:x} committed another entry {to}"));
            return;
        }
        // A member may cut its log in the input in which it commits: entries are kept from when they came.
        let start = chain::last_of(self.committed.len()).next();
        let mut points = Vec::new();
        for index in (start.0..=to.0).map(Index) {
            let Some(point) = chain::at(&seen.log, index) else { break };
            let Some(entry) = self.bodies.get(&(index, point.term)) else { break };
            points.push((*point, entry.clone()));
        }
        let before = chain::at(&seen.log, start.saturating_prev()).map(|point| point.chain);
        let expected = self.committed.last().map(|last| last.point.chain);
        self.hold(4, before == expected, || {
            format!("{id:x} committed entry {start} after another history")
        });
        self.hold(4, points.last().is_some_and(|(_, entry)| entry.index == to), || {
            format!("{id:x} committed entry {to}, which its log never had")
        });
        for (point, entry) in points {
            let after = self.apply(&entry);
            self.committed.push(Committed { point, in_term: view.term(), after });
        }
        self.bodies.retain(|(index, _), _| *index > to);
        self.look_at_majority(id, to, conf);
    }

    /// 10: configurations are the same everywhere, and the quorums of two that follow one another share a member.
    fn look_at_configuration(&mut self, id: MemberId, view: &View<'_>) {
        let applied = view.applied();
        // The members of a new cluster are there before their entries.
        let is_first = applied <= Index(u64::from(self.rules.members));
        if is_first || self.seen.get(&id).is_some_and(|seen| seen.conf_at == applied) {
            return;
        }
        let conf = view.applied_conf();
        let known = self.confs.entry(applied).or_insert_with(|| conf.clone());
        let is_same = known == conf || known.is_equivalent(conf);
        let before = self.confs.range(..applied).next_back().filter(|(at, _)| at.next() == applied);
        let follows = before.is_none_or(|(_, before)| may_follow(before, conf));
        if !is_same || !follows {
            let before = before.map(|(_, before)| before);
            let what = format!("{id:x} has {conf:?} after entry {applied}, before it {before:?}");
            self.broken(10, what);
        }
        if let Some(seen) = self.seen.get_mut(&id) {
            seen.conf_at = applied;
        }
    }

    fn look_at_majority(&mut self, id: MemberId, index: Index, conf: &raft::ConfState) {
        // The first entries of a new cluster are committed by being there.
        if index <= Index(u64::from(self.rules.members)) {
            return;
        }
        let Some(point) = chain::position(index).and_then(|at| self.committed.get(at)) else {
            return;
        };
        let holds = |voter: MemberId| {
            let seen = self.seen.get(&voter);
            seen.and_then(|seen| chain::at(&seen.durable, index)) == Some(&point.point)
        };
        // What is committed and applied in one input may have changed the configuration.
        let before = self.seen.get(&id).is_some_and(|seen| is_quorum(&seen.conf, holds));
        let is_safe = before || is_quorum(conf, holds);
        self.hold(8, is_safe, || {
            format!("{id:x} committed entry {index}, which no majority has on disk")
        });
    }

    /// 11: a leader that hears from too few.
    pub(super) fn look_at_tick(&mut self, id: MemberId, view: &View<'_>) {
        let Some(seen) = self.seen.get(&id) else { return };
        if view.role() != StateRole::Leader {
            return;
        }
        let oldest = seen.ticks.saturating_sub(2 * u64::from(self.rules.election_ticks) + 1);
        let is_heard = |voter: MemberId| {
            voter == id || seen.heard.get(&voter).is_some_and(|tick| *tick >= oldest)
        };
        let has_quorum = is_quorum(&view.conf_state(), is_heard);
        self.hold(11, has_quorum || !self.rules.check_quorum, || {
            format!("{id:x} leads without hearing from a quorum")
        });
        let (inflights, uncommitted) = view.flow();
        self.look_at_flow(id, &inflights, uncommitted);
    }

    /// 7: a promised vote is on disk, and the only one of its term.
    pub(super) fn sent_vote(&mut self, id: MemberId, message: &raft::Message) {
        let (term, to) = (message.term, message.to);
        let fence = self.seen.get(&id).map(|seen: &Seen| seen.fence).unwrap_or_default();
        let is_durable = fence.term > term || (fence.term == term && fence.vote == Some(to));
        self.hold(7, is_durable, || {
            format!("{id:x} voted for {to:x} in term {term}, its disk holds {fence:?}")
        });
        let known = *self.votes.entry((id, term)).or_insert(to);
        self.hold(7, known == to, || {
            format!("{id:x} voted for {known:x} and {to:x} in term {term}")
        });
    }

    /// 7: who asks for votes has its term and its own vote on disk.
    pub(super) fn asked_for_vote(&mut self, id: MemberId, message: &raft::Message) {
        let term = message.term;
        let fence = self.seen.get(&id).map(|seen: &Seen| seen.fence).unwrap_or_default();
        let is_durable = fence.term > term || (fence.term == term && fence.vote == Some(id));
        self.hold(7, is_durable, || {
            format!("{id:x} asked for votes in term {term}, its disk holds {fence:?}")
        });
    }

    /// 8: what is acknowledged is on disk.
    pub(super) fn sent_acknowledgement(&mut self, id: MemberId, message: &raft::Message) {
        let Some(seen) = self.seen.get(&id) else { return };
        let fence = seen.fence;
        // An answer to a leader of an older term only tells it the new one.
        let is_current = message.term == seen.term && message.index > Index(0);
        let has_term = fence.term >= message.term;
        let has_entries = !is_current
            || chain::at(&seen.durable, message.index) == chain::at(&seen.log, message.index);
        self.hold(8, !is_current || (has_term && has_entries), || {
            format!(
                "{id:x} acknowledged entry {} in term {}, its disk holds {fence:?}",
                message.index, message.term
            )
        });
    }
}

/// True if the quorums of both always share a member: one voter more or less, or a joint configuration between.
fn may_follow(before: &raft::ConfState, after: &raft::ConfState) -> bool {
    let differ = |one: &[MemberId], other: &[MemberId]| {
        one.iter().filter(|id| !other.contains(id)).count()
            + other.iter().filter(|id| !one.contains(id)).count()
    };
    let is_joint = |conf: &raft::ConfState| !conf.voters_outgoing.is_empty();
    if before == after {
        return true;
    }
    match (is_joint(before), is_joint(after)) {
        (false, false) => differ(&before.voters, &after.voters) <= 1,
        (false, true) => differ(&before.voters, &after.voters_outgoing) == 0,
        (true, false) => differ(&before.voters, &after.voters) == 0,
        (true, true) => before.is_equivalent(after),
    }
}
