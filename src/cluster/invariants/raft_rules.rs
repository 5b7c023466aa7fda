//! Invariants 1 to 12: elections, logs, durability.
//!
//! Invariants: see the module's head; every rule is asked where the state that it speaks of changes.

use std::collections::BTreeSet;

use super::chain::{self, Log, Point};
use super::{Committed, Invariants, Seen, is_quorum};
use crate::etcdserver::View;
use crate::raft::{self, Entry, EntryType, StateRole};
use crate::types::{Index, MemberId, Term};

struct InMemory<'v>(&'v View<'v>);
struct OnDisk<'v>(&'v View<'v>);

impl Log for InMemory<'_> {
    fn last_index(&self) -> Index {
        self.0.last_index()
    }
    fn term_of(&self, index: Index) -> Option<Term> {
        self.0.term_of(index)
    }
    fn entries_from(&self, index: Index) -> Vec<Entry> {
        self.0.entries(index, self.0.last_index())
    }
}

impl Log for OnDisk<'_> {
    fn last_index(&self) -> Index {
        self.0.durable_last_index()
    }
    fn term_of(&self, index: Index) -> Option<Term> {
        self.0.durable_term_of(index)
    }
    fn entries_from(&self, index: Index) -> Vec<Entry> {
        self.0.durable_entries(index, self.0.durable_last_index())
    }
}

impl Invariants {
    pub(super) fn sync_durable(&mut self, id: MemberId, view: &View<'_>) {
        let committed = &self.committed;
        let point =
            |index| chain::position(index).and_then(|at| committed.get(at)).map(|c| c.point);
        let seen = self.seen.entry(id).or_default();
        chain::follow(&mut seen.durable, &OnDisk(view), point);
    }

    /// Everything that concerns Raft, after a step.
    pub(super) fn look(&mut self, id: MemberId, view: &View<'_>) {
        self.look_at_terms(id, view);
        self.note_leader(id, view);
        self.look_at_log(id, view);
        if view.role() == StateRole::Leader {
            self.look_at_leader(id, view);
        }
        let order = (view.applied(), view.commit(), view.last_index());
        self.hold(9, order.0 <= order.1 && order.1 <= order.2, || format!("{id:x} has {order:?}"));
        let first = view.first_index().saturating_prev();
        self.hold(9, first <= order.0, || {
            format!("{id:x} applied {}, its log begins after {first}", order.0)
        });
        self.look_at_commit(id, view);
        let seen = self.seen.entry(id).or_default();
        (seen.term, seen.commit, seen.role) = (view.term(), view.commit(), Some(view.role()));
    }

    /// 6 and 12: why a term may rise.
    fn look_at_terms(&mut self, id: MemberId, view: &View<'_>) {
        let Some(seen) = self.seen.get(&id) else { return };
        let (old, new) = (seen.term, view.term());
        let falls = new < old || view.commit() < seen.commit || view.applied() < seen.applied;
        let before = (old, seen.commit, seen.applied);
        let is_first = seen.role.is_none();
        let campaigned = new > old && view.vote() == Some(id);
        let is_told = seen.told_term >= new;
        let conf = view.conf_state();
        let is_alone = conf.voters.len() <= 1 && conf.voters_outgoing.is_empty();
        let may_campaign = !self.rules.pre_vote
            || is_alone
            || seen.is_handed_over
            // As in etcd, a late grant for the campaigner's present term counts as well.
            || is_quorum(&conf, |voter| {
                let granted = |grants: &BTreeSet<MemberId>| grants.contains(&voter);
                voter == id || seen.grants.range(old..=new).any(|(_, grants)| granted(grants))
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
        let (kept, entries) = chain::follow(&mut seen.log, &InMemory(view), point);
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
        self.look_at_expiry(id, view, &entries);
    }

    /// 1, 3 and 10: what a leader must have.
    fn look_at_leader(&mut self, id: MemberId, view: &View<'_>) {
        let term = view.term();
        let leader = *self.leaders.entry(term).or_insert(id);
        self.hold(1, leader == id, || format!("{leader:x} and {id:x} lead term {term}"));
        let Some(seen) = self.seen.get(&id) else { return };
        let open = seen.changes.range(view.applied().next()..).count();
        self.hold(10, open <= 1, || format!("leader {id:x} has {open} changes to apply"));
        let Some(seen) = self.seen.get_mut(&id) else { return };
        if seen.role == Some(StateRole::Leader) && seen.term == term {
            return;
        }
        let ticks = seen.ticks;
        seen.heard.clear();
        let conf = view.conf_state();
        for voter in conf.voters.iter().chain(&conf.voters_outgoing) {
            seen.heard.insert(*voter, ticks);
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
    }

    /// 4 and 8: what is committed is the same everywhere, and on a majority of disks.
    fn look_at_commit(&mut self, id: MemberId, view: &View<'_>) {
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
        let mut points = Vec::new();
        let start = Index(u64::try_from(self.committed.len()).unwrap_or(u64::MAX)).next();
        for entry in view.entries(start, to) {
            if let Some(point) = chain::at(&seen.log, entry.index) {
                points.push((*point, entry));
            }
        }
        if let (Some(last), Some((first, _))) = (self.committed.last(), points.first()) {
            let before = chain::at(&seen.log, start.saturating_prev()).map(|point| point.chain);
            let (expected, index) = (last.point.chain, start);
            let _ = first;
            self.hold(4, before == Some(expected), || {
                format!("{id:x} committed entry {index} after another history")
            });
        }
        for (point, entry) in points {
            let after = self.apply(&entry);
            self.committed.push(Committed { point, in_term: view.term(), after });
        }
        self.look_at_majority(id, to, view);
    }

    fn look_at_majority(&mut self, id: MemberId, index: Index, view: &View<'_>) {
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
        let is_safe = is_quorum(&view.conf_state(), holds);
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
        self.hold(11, has_quorum, || format!("{id:x} leads without hearing from a quorum"));
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
