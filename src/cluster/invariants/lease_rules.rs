//! Invariant 19: a lease lives as long as it was promised, and its keys exactly as long as it does.
//!
//! What it is: the leases of each member held against those of the committed log and against the lease fields of its
//! own rows; and each expiry that a leader lets into its log, whoever proposed it, held against what that leader owes
//! the lease: its time to live since it leads, since it applied the grant, and since it answered a keep-alive.
//! What it is not: a look at the lessor's own times; only ticks, entries and answers count.
//! Invariants: what is not certain counts for nothing: a keep-alive only if one member alone led from the question to
//! the answer, and a lease that clients may revoke is never taken for an expired one.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use super::{Invariants, chain};
use crate::api::RangeRequest;
use crate::check::{LeaseChange, Model};
use crate::etcdserver::View;
use crate::raft::{Entry, StateRole};
use crate::types::{Index, LeaseId, MemberId, Term};

/// Who led at some moment, and what its clock said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseMark {
    leader: MemberId,
    term: Term,
    ticks: u64,
    leaderships: u64,
}

/// What is remembered of leases.
#[derive(Clone, Debug, Default)]
pub(super) struct LeaseRules {
    /// The entry that granted each lease that exists.
    granted: BTreeMap<LeaseId, Index>,
    /// All entries that granted a lease.
    grants: BTreeSet<Index>,
    /// When a member applied a grant. Unit: its ticks.
    applied: BTreeMap<(MemberId, Index), u64>,
    /// Who leads in which term, and since when. Unit: its ticks.
    leads: BTreeMap<MemberId, (Term, u64)>,
    /// How often somebody began to lead.
    leaderships: u64,
    /// Keep-alives that a leader answered: when they were asked for. Unit: its ticks.
    kept: BTreeMap<(MemberId, Term, LeaseId), u64>,
    /// Leases that a client ever asked to revoke.
    pub(super) revocable: BTreeSet<LeaseId>,
    /// Expiries that were judged.
    pub(super) judged: u64,
}

/// A hash over leases and their keys; 0 without any.
fn hash(leases: impl Iterator<Item = (LeaseId, Vec<Bytes>)>) -> u64 {
    let mut hash = 0;
    for (id, keys) in leases {
        hash = chain::mix_bytes(hash, &id.0.to_le_bytes());
        for key in keys {
            hash = chain::mix_bytes(hash, &key);
        }
    }
    hash
}

pub(super) fn model_hash(model: &Model) -> u64 {
    hash(model.leases().keys().map(|id| (*id, model.keys_of(*id))))
}

fn member_hash(view: &View<'_>) -> u64 {
    hash(view.leases().iter().map(|(id, lease)| (id, lease.keys().cloned().collect())))
}

impl Invariants {
    /// A committed entry made a lease, or ended one.
    pub(super) fn note_lease_change(&mut self, index: Index, change: LeaseChange) {
        if change.is_grant {
            self.lease_rules.granted.insert(change.id, index);
            self.lease_rules.grants.insert(index);
        } else {
            self.lease_rules.granted.remove(&change.id);
        }
    }

    /// A member forgets what it did before it started.
    pub(super) fn forget_leases(&mut self, id: MemberId) {
        self.lease_rules.applied.retain(|(member, _), _| *member != id);
    }

    /// Notes who leads, after a step.
    pub(super) fn note_leader(&mut self, id: MemberId, view: &View<'_>) {
        let rules = &mut self.lease_rules;
        if view.role() != StateRole::Leader {
            rules.leads.remove(&id);
            return;
        }
        let ticks = self.seen.get(&id).map_or(0, |seen| seen.ticks);
        if rules.leads.get(&id).is_none_or(|(term, _)| *term != view.term()) {
            rules.leads.insert(id, (view.term(), ticks));
            rules.leaderships += 1;
        }
    }

    /// 19: what a member has of leases after applying `from..=to`.
    pub(super) fn look_at_leases(&mut self, id: MemberId, view: &View<'_>, from: Index) {
        let to = view.applied();
        let ticks = self.seen.get(&id).map_or(0, |seen| seen.ticks);
        let rules = &mut self.lease_rules;
        if from <= to {
            for index in rules.grants.range(from..=to) {
                rules.applied.insert((id, *index), ticks);
            }
        }
        let committed = chain::position(to).and_then(|at| self.committed.get(at));
        let Some(expected) = committed.map(|committed| committed.after.leases) else { return };
        let found = member_hash(view);
        self.hold(19, found == expected, || {
            let found: Vec<_> = view.leases().iter().collect();
            format!("{id:x} has after entry {to} other leases than the log: {found:?}")
        });
    }

    /// 19: the lease field of each row names the lease that has its key, and nothing else has a key.
    pub(super) fn look_at_lease_rows(&mut self, id: MemberId, view: &View<'_>) {
        let (key, range_end) = (Bytes::from_static(&[0]), Bytes::from_static(&[0]));
        let everything = RangeRequest { key, range_end, ..RangeRequest::default() };
        let Ok(rows) = view.store().range(&everything) else { return };
        let of_rows: BTreeSet<(LeaseId, Bytes)> = rows
            .kvs
            .into_iter()
            .filter(|kv| kv.lease != LeaseId(0))
            .map(|kv| (kv.lease, kv.key))
            .collect();
        let of_leases: BTreeSet<(LeaseId, Bytes)> = view
            .leases()
            .iter()
            .flat_map(|(id, lease)| lease.keys().map(move |key| (id, key.clone())))
            .collect();
        self.hold(19, of_rows == of_leases, || {
            format!("{id:x} has rows with the leases {of_rows:?}, and leases with {of_leases:?}")
        });
    }

    /// 19: a lease ends only when its time is up by the leader's clock; who proposes its end does not matter.
    pub(super) fn look_at_expiry(&mut self, id: MemberId, view: &View<'_>, entries: &[Entry]) {
        if view.role() != StateRole::Leader || self.model.leases().is_empty() {
            return;
        }
        for entry in entries.iter().filter(|entry| entry.term == view.term()) {
            if let Some(lease) = View::revocation(entry) {
                self.judge_expiry(id, view.term(), lease);
            }
        }
    }

    fn judge_expiry(&mut self, id: MemberId, term: Term, lease: LeaseId) {
        let rules = &mut self.lease_rules;
        let granted = rules.granted.get(&lease).copied();
        let applied = granted.and_then(|index| rules.applied.get(&(id, index)).copied());
        let (Some(applied), Some(ttl), false) =
            (applied, self.model.leases().get(&lease).copied(), rules.revocable.contains(&lease))
        else {
            return;
        };
        rules.judged += 1;
        let ticks = self.seen.get(&id).map_or(0, |seen| seen.ticks);
        let led = rules.leads.get(&id).map_or(ticks, |(_, since)| *since);
        let kept = rules.kept.get(&(id, term, lease)).copied().unwrap_or_default();
        let since = applied.max(led).max(kept);
        let lived_ms = ticks.saturating_sub(since).saturating_mul(self.rules.tick_ms);
        let owed_ms = u64::try_from(ttl).unwrap_or(0).saturating_mul(1000);
        // Checkpoints say that some of the time passed under earlier leaders; a renewal lifts them.
        let is_due = lived_ms >= owed_ms || (self.rules.has_lease_checkpoints && since == led);
        self.hold(19, is_due, || {
            format!(
                "{id:x} lets lease {lease} of {ttl} s expire after {lived_ms} ms: granted at its tick {applied}, \
                 led since {led}, kept alive at {kept}"
            )
        });
    }

    /// Who leads now, if that is certain.
    #[must_use]
    pub fn lease_mark(&self) -> Option<LeaseMark> {
        let mut leads = self.lease_rules.leads.iter();
        let (Some((leader, (term, _))), None) = (leads.next(), leads.next()) else { return None };
        let ticks = self.seen.get(leader)?.ticks;
        let leaderships = self.lease_rules.leaderships;
        Some(LeaseMark { leader: *leader, term: *term, ticks, leaderships })
    }

    /// A keep-alive that was asked for at `mark` was answered: the lease lives.
    pub fn lease_kept(&mut self, mark: LeaseMark, lease: LeaseId) {
        let LeaseMark { leader, term, ticks, leaderships } = mark;
        let rules = &mut self.lease_rules;
        let still_leads = rules.leads.get(&leader).is_some_and(|(now, _)| *now == term);
        if still_leads && rules.leads.len() == 1 && rules.leaderships == leaderships {
            let kept = rules.kept.entry((leader, term, lease)).or_default();
            *kept = ticks.max(*kept);
        }
    }

    /// A client asks for the end of a lease.
    pub fn lease_is_revocable(&mut self, lease: LeaseId) {
        self.lease_rules.revocable.insert(lease);
    }

    /// How many expiries were judged.
    #[must_use]
    pub const fn expiries(&self) -> u64 {
        self.lease_rules.judged
    }
}
