//! Invariants 14 to 17 and 20: the store is what the committed entries make it.
//!
//! What it is: committed entries carried out on the checker's own model, and members' stores held against it.
//! Invariants: a member at applied index i has the revision and the compact revision of the model after entry i.

use super::{Invariants, chain};
use crate::api::RangeRequest;
use crate::etcdserver::View;
use crate::types::MemberId;

/// Every how many revisions a member is hashed, and looked at from inside.
///
/// Unit: revisions. Source: ours; both walk the whole store.
const HASH_EVERY: i64 = 16;
const VERIFY_EVERY: i64 = 24;

/// Appends on their way to one follower. Unit: messages. Source: etcd `maxInflightMsgs`.
const INFLIGHT_MAX: u64 = 512;

/// Payload that may wait uncommitted, and one batch beyond. Unit: bytes. Source: ours, 64 MiB and 2 MiB.
const UNCOMMITTED_MAX: u64 = 66 * 1024 * 1024;

/// Requests that may wait in one member. Source: ours; twice `WAITING_MAX` of the server.
const WAITING_MAX: u64 = 40_000;

impl Invariants {
    /// Everything that concerns the store, after a step.
    pub(super) fn look_at_store(&mut self, id: MemberId, view: &View<'_>) {
        let store = view.store();
        let applied = view.applied();
        let waiting = view.waiting_requests();
        self.hold(20, waiting <= WAITING_MAX, || format!("{waiting} requests wait in {id:x}"));
        let Some(seen) = self.seen.get_mut(&id) else { return };
        if seen.applied == applied {
            self.look_at_compaction(id, view);
            return;
        }
        let old_applied = std::mem::replace(&mut seen.applied, applied);
        let state = (store.current_revision(), store.compact_revision());
        let (old, hashed, verified) = (seen.revision, seen.hashed, seen.verified);
        seen.revision = state.0;
        self.hold(6, state.0 >= old, || {
            format!("the store of {id:x} fell from {old} to {}", state.0)
        });
        let committed = chain::position(applied).and_then(|at| self.committed.get(at));
        if let Some(after) = committed.map(|committed| committed.after.clone()) {
            self.hold(14, after.store == state, || {
                format!(
                    "{id:x} has revision and compact revision {state:?} after entry {applied}, expected {:?}",
                    after.store
                )
            });
            self.look_at_admission(id, view, &after);
        }
        self.look_at_leases(id, view, old_applied.next());
        let due = state.0 - state.0.rem_euclid(HASH_EVERY);
        if due > hashed && due >= state.1 && due > 0 {
            self.look_at_hash(id, view, due);
        }
        if state.0 >= verified + VERIFY_EVERY {
            self.look_at_index(id, view);
        }
        self.look_at_compaction(id, view);
    }

    /// What members hashed at a revision and a compact revision.
    pub(in crate::cluster) fn hash_at(&self, revision: i64, compacted: i64) -> Option<u32> {
        self.hashes.get(&(revision, compacted)).map(|(hash, _)| *hash)
    }

    /// 15: equal data, equal hash.
    pub(super) fn look_at_hash(&mut self, id: MemberId, view: &View<'_>, revision: i64) {
        if let Some(seen) = self.seen.get_mut(&id) {
            seen.hashed = revision;
        }
        let Ok(found) = view.store().hash_kv(revision) else { return };
        let key = (found.hash_revision, found.compact_revision);
        let (hash, other) = *self.hashes.entry(key).or_insert((found.hash, id));
        self.hold(15, hash == found.hash, || {
            format!("{id:x} hashes {:08x} at {key:?}, {other:x} hashed {hash:08x}", found.hash)
        });
    }

    /// 16: index and rows, and the queues of watches.
    pub(super) fn look_at_index(&mut self, id: MemberId, view: &View<'_>) {
        if let Some(seen) = self.seen.get_mut(&id) {
            seen.verified = view.store().current_revision();
        }
        if let Err(what) = view.store().verify() {
            self.broken(16, format!("{id:x}: {what}"));
        }
        self.look_at_lease_rows(id, view);
    }

    /// 17: after a compaction everything that may be read reads as before.
    fn look_at_compaction(&mut self, id: MemberId, view: &View<'_>) {
        let finished = view.store().finished_compact_revision();
        let Some(seen) = self.seen.get_mut(&id) else { return };
        if seen.compacted == finished || finished < 0 {
            return;
        }
        seen.compacted = finished;
        self.compare_with_model(id, view);
        self.look_at_index(id, view);
    }

    /// Reads the oldest, a middle and the newest revision of a store, and compares with the model.
    pub(super) fn compare_with_model(&mut self, id: MemberId, view: &View<'_>) {
        let (oldest, newest) = (view.store().compact_revision(), view.store().current_revision());
        if newest > self.model.revision() {
            return;
        }
        let first = oldest.max(1);
        for revision in [first, first + 1, first.midpoint(newest), newest] {
            let request = RangeRequest {
                key: bytes::Bytes::from_static(&[0]),
                range_end: bytes::Bytes::from_static(&[0]),
                revision: revision.min(newest),
                ..RangeRequest::default()
            };
            let found = view.store().range(&request).map(|found| found.kvs);
            let expected = self.model.visible(&[0], &[0], revision.min(newest));
            self.hold(17, found.as_ref() == Ok(&expected), || {
                format!("{id:x} reads {found:?} at {revision}, expected {expected:?}")
            });
        }
    }

    /// The last look at a member, at the end of a run: everything that is else done now and then.
    pub fn last_look(&mut self, id: MemberId, view: &View<'_>) {
        self.look_at_index(id, view);
        self.look_at_hash(id, view, view.store().current_revision());
        self.compare_with_model(id, view);
        let Some(seen) = self.seen.get(&id) else { return };
        let first = view.first_index();
        let mut chain =
            chain::at(&seen.log, first.saturating_prev()).map_or(0, |point| point.chain);
        let mut is_equal = true;
        for entry in view.entries(first, view.last_index()) {
            let point = chain::after(chain, &entry);
            chain = point.chain;
            is_equal &= chain::at(&seen.log, entry.index) == Some(&point);
        }
        self.hold(2, is_equal, || format!("the log of {id:x} changed unseen"));
    }

    /// 20: the leader's queues.
    pub(super) fn look_at_flow(&mut self, id: MemberId, inflights: &[u64], uncommitted: u64) {
        let most = inflights.iter().copied().max().unwrap_or_default();
        self.hold(20, most <= INFLIGHT_MAX, || format!("{id:x} has {most} appends on their way"));
        self.hold(20, uncommitted <= UNCOMMITTED_MAX, || {
            format!("{id:x} has {uncommitted} bytes uncommitted")
        });
    }
}
