//! What a history shows of single revisions, whoever made them.
//!
//! What it is: versions that stood in answers, and whole revisions that a watch of everything saw; they decide which
//! operation of unknown end made a revision.
//! What it is not: proof; a hint comes from the same answers that are being checked.
//! Invariants: a hint never allows what the model refuses; it only saves tries.

use std::collections::{BTreeMap, BTreeSet};

use super::history::{History, Operation, Outcome, WatchLog};
use super::model::{Change, LeaseChange, Model};
use crate::api::{Event, EventType, KeyValue, Request, Response, ResponseOp, TxnResponse};
use crate::types::LeaseId;

/// What is known of revisions from outside.
#[derive(Debug, Default)]
pub(super) struct Hints {
    /// All events of a revision.
    whole: BTreeMap<i64, Vec<Event>>,
    /// Versions written in a revision.
    versions: BTreeMap<i64, Vec<KeyValue>>,
    /// Every beginning and end of a lease, in order.
    leases: Option<Vec<LeaseChange>>,
}

impl Hints {
    pub(super) fn of(history: &History) -> Self {
        let mut hints = Self::default();
        for operation in &history.operations {
            hints.add_operation(operation);
        }
        for watch in &history.watches {
            hints.add_watch(watch);
        }
        hints
    }

    /// Everything that a model holds, but for leases that no client can name.
    pub(super) fn of_model(model: &Model, ids: &BTreeSet<LeaseId>) -> Self {
        let events = |revision| model.changes(revision).iter().map(|change| change.event.clone());
        let whole = (2..=model.revision()).map(|revision| (revision, events(revision).collect()));
        let named = model.lease_changes().iter().filter(|change| ids.contains(&change.id));
        let leases = Some(named.copied().collect());
        Self { whole: whole.collect(), versions: BTreeMap::new(), leases }
    }

    /// True if what the model did last can be what happened.
    pub(super) fn allow(&self, model: &Model) -> bool {
        let revision = model.revision();
        self.allow_changes(revision, model.changes(revision))
            && self.allow_leases(revision, model.lease_changes())
    }

    fn allow_leases(&self, revision: i64, changes: &[LeaseChange]) -> bool {
        let Some(all) = &self.leases else { return true };
        // What came before a revision must stand before it.
        let due = all.partition_point(|change| change.revision < revision);
        let last = changes.len().checked_sub(1);
        due <= changes.len() && last.is_none_or(|at| all.get(at) == changes.last())
    }

    /// True if `changes` can be what happened in this revision.
    fn allow_changes(&self, revision: i64, changes: &[Change]) -> bool {
        if let Some(events) = self.whole.get(&revision) {
            let are_equal = |(change, event): (&Change, &Event)| {
                change.event.event_type == event.event_type && change.event.kv == event.kv
            };
            if changes.len() != events.len() || !changes.iter().zip(events).all(are_equal) {
                return false;
            }
        }
        let is_made = |kv: &KeyValue| changes.iter().any(|change| change.event.kv == *kv);
        self.versions.get(&revision).is_none_or(|versions| versions.iter().all(is_made))
    }

    /// The newest revision of which anything is known.
    pub(super) fn newest(&self) -> i64 {
        let last = |map: Option<&i64>| map.copied().unwrap_or_default();
        last(self.whole.keys().next_back()).max(last(self.versions.keys().next_back()))
    }

    fn add_versions(&mut self, kvs: &[KeyValue]) {
        for kv in kvs {
            let known = self.versions.entry(kv.mod_revision).or_default();
            if !known.contains(kv) {
                known.push(kv.clone());
            }
        }
    }

    fn add_operation(&mut self, operation: &Operation) {
        let Outcome::Returned { result: Ok(response), .. } = &operation.outcome else { return };
        match (&operation.request, response) {
            (Request::Range(request), Response::Range(range)) if !request.keys_only => {
                self.add_versions(&range.kvs);
            }
            (_, Response::Put(put)) => self.add_versions(put.prev_kv.as_slice()),
            (_, Response::DeleteRange(delete)) => self.add_versions(&delete.prev_kvs),
            (_, Response::Txn(txn)) => self.add_txn(txn),
            _ => {}
        }
    }

    /// A transaction may read what it writes itself, and without values: only what it replaced is certain.
    fn add_txn(&mut self, txn: &TxnResponse) {
        for response in &txn.responses {
            match response {
                ResponseOp::Put(put) => self.add_versions(put.prev_kv.as_slice()),
                ResponseOp::DeleteRange(delete) => self.add_versions(&delete.prev_kvs),
                ResponseOp::Txn(nested) => self.add_txn(nested),
                ResponseOp::Range(_) => {}
            }
        }
    }

    fn add_watch(&mut self, watch: &WatchLog) {
        let request = &watch.request;
        let is_everything = request.key.as_ref() <= [0].as_slice()
            && request.range_end.as_ref() == [0].as_slice()
            && request.filters.is_empty()
            && !request.fragment;
        for (_, response) in &watch.responses {
            let mut by_revision: BTreeMap<i64, Vec<Event>> = BTreeMap::new();
            for event in &response.events {
                if event.event_type == EventType::Put {
                    self.add_versions(std::slice::from_ref(&event.kv));
                }
                by_revision.entry(event.kv.mod_revision).or_default().push(event.clone());
            }
            for (revision, events) in by_revision {
                if is_everything {
                    self.whole.entry(revision).or_insert(events);
                }
            }
        }
    }
}
