//! The store as its documentation describes it, written a second time and as simply as possible.
//!
//! What it is: every version of every key, one revision per changing request, compaction as a lower bound on what
//! may be read; every step can be taken back, because the search for an order tries many.
//! What it is not: quick, or a storage; it never forgets a version. Of leases it knows which exist; their end is a
//! revocation, whoever asked for it, and time does not pass here.
//! Invariants: the keys of a lease are those whose newest version names it; `undo` restores exactly the state before the last `apply`; the fingerprint is a function of the
//! changes made, in order.

use std::collections::BTreeMap;
use std::ops::Bound;

use bytes::Bytes;

use super::{ranges, txn};
use crate::api::{
    CompactionRequest, CompactionResponse, DeleteRangeRequest, DeleteRangeResponse, Error, Event,
    EventType, KeyValue, LeaseGrantRequest, LeaseGrantResponse, LeaseRevokeResponse, PutRequest,
    PutResponse, RangeRequest, RangeResponse, Request, Response, ResponseHeader,
};
use crate::types::LeaseId;

/// Revision of a store in which nothing happened.
const FIRST_REVISION: i64 = 1;

/// The longest time to live. Unit: s. Source: etcd's documentation of leases.
const TTL_MAX: i64 = 9_000_000_000;

/// One version of a key, or its end.
#[derive(Clone, Debug)]
struct Version {
    revision: i64,
    kv: Option<KeyValue>,
}

/// What happened to one key in one revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The event that a watch has to see, with the version before it where there was one.
    pub event: Event,
}

/// A lease began or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseChange {
    /// The lease.
    pub id: LeaseId,
    /// It began.
    pub is_grant: bool,
    /// The store's revision before.
    pub revision: i64,
}

/// What the last steps changed, to take them back.
#[derive(Clone, Debug)]
struct Frame {
    revision: i64,
    compact_revision: i64,
    fingerprint: u64,
    /// Keys that got a version, oldest first.
    keys: Vec<Bytes>,
    /// The lease that changed, and the seconds it had before.
    lease: Option<(LeaseId, Option<i64>)>,
}

/// The model; see the module's head.
#[derive(Clone, Debug)]
pub struct Model {
    revision: i64,
    compact_revision: i64,
    fingerprint: u64,
    versions: BTreeMap<Bytes, Vec<Version>>,
    /// Leases that exist, with the seconds that were asked for.
    leases: BTreeMap<LeaseId, i64>,
    lease_changes: Vec<LeaseChange>,
    /// The revision before the first of `changes`; reads below it are not exact.
    first: i64,
    /// Changes of the revisions after `first`: 2, 3, … unless older ones were forgotten.
    changes: Vec<Vec<Change>>,
    frames: Vec<Frame>,
    /// Changes of the request that is being applied.
    pending: Vec<Change>,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            revision: FIRST_REVISION,
            compact_revision: -1,
            fingerprint: 0,
            versions: BTreeMap::new(),
            leases: BTreeMap::new(),
            lease_changes: Vec::new(),
            first: FIRST_REVISION,
            changes: Vec::new(),
            frames: Vec::new(),
            pending: Vec::new(),
        }
    }
}

/// Mixes one more part into a hash: FNV-1a, then the finaliser of `SplitMix64`.
fn mix(hash: u64, part: &[u8]) -> u64 {
    let mut mixed = hash ^ 0xcbf2_9ce4_8422_2325;
    for byte in part {
        mixed = (mixed ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

pub(super) fn header(revision: i64) -> ResponseHeader {
    ResponseHeader { revision, ..ResponseHeader::default() }
}

impl Model {
    /// The newest revision.
    #[must_use]
    pub const fn revision(&self) -> i64 {
        self.revision
    }

    /// The oldest revision that may be read; -1 if never compacted.
    #[must_use]
    pub const fn compact_revision(&self) -> i64 {
        self.compact_revision
    }

    /// Two models with equal fingerprint and compact revision hold the same history.
    #[must_use]
    pub const fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// What happened in a revision, in order; nothing for revisions that do not exist.
    #[must_use]
    pub fn changes(&self, revision: i64) -> &[Change] {
        let at = revision.checked_sub(self.first + 1).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.changes.get(at)).map_or(&[], Vec::as_slice)
    }

    /// The version of `key` that a read at `revision` sees.
    #[must_use]
    pub fn get(&self, key: &[u8], revision: i64) -> Option<&KeyValue> {
        let versions = self.versions.get(key)?;
        versions.iter().rev().find(|version| version.revision <= revision)?.kv.as_ref()
    }

    /// All versions in a range that a read at `revision` sees, by key; compaction is not looked at.
    #[must_use]
    pub fn visible(&self, start: &[u8], end: &[u8], revision: i64) -> Vec<KeyValue> {
        self.versions
            .range::<[u8], _>((Bound::Included(start), Bound::Unbounded))
            .map(|(key, _)| key)
            .take_while(|key| ranges::contains(start, end, key))
            .filter_map(|key| self.get(key, revision).cloned())
            .collect()
    }

    /// Carries out a request; of headers only the revision is filled in.
    ///
    /// # Errors
    /// As the store.
    pub fn apply(&mut self, request: &Request) -> Result<Response, Error> {
        self.begin();
        let result = match txn::malformed(request) {
            Some(error) => Err(error),
            None => self.carry_out(request),
        };
        match &result {
            Ok(_) => self.end_revision(),
            Err(_) => self.take_back_versions(),
        }
        result
    }

    fn begin(&mut self) {
        self.frames.push(Frame {
            revision: self.revision,
            compact_revision: self.compact_revision,
            fingerprint: self.fingerprint,
            keys: Vec::new(),
            lease: None,
        });
    }

    fn carry_out(&mut self, request: &Request) -> Result<Response, Error> {
        match request {
            Request::Range(range) => self.range(range, self.revision).map(Response::Range),
            Request::Put(put) => {
                check_lease(self, put)?;
                check_kept(self, put)?;
                Ok(Response::Put(self.put(put)))
            }
            Request::DeleteRange(delete) => Ok(Response::DeleteRange(self.delete_range(delete))),
            Request::Txn(request) => txn::apply(self, request).map(Response::Txn),
            Request::Compaction(compaction) => self.compact(compaction),
            Request::LeaseGrant(grant) => self.grant(grant),
            Request::LeaseRevoke(revoke) => self.revoke(revoke.id),
            _ => Err(Error::NotCapable),
        }
    }

    fn compact(&mut self, compaction: &CompactionRequest) -> Result<Response, Error> {
        if compaction.revision <= self.compact_revision {
            return Err(Error::Compacted);
        }
        if compaction.revision > self.revision {
            return Err(Error::FutureRev);
        }
        self.compact_revision = compaction.revision;
        Ok(Response::Compaction(CompactionResponse { header: header(self.revision) }))
    }

    fn grant(&mut self, grant: &LeaseGrantRequest) -> Result<Response, Error> {
        let (id, ttl) = (grant.id, grant.ttl);
        if id == LeaseId(0) {
            return Err(Error::LeaseNotFound);
        }
        if ttl > TTL_MAX {
            return Err(Error::LeaseTtlTooLarge);
        }
        if self.leases.contains_key(&id) {
            return Err(Error::LeaseExist);
        }
        self.set_lease(id, Some(ttl));
        let header = header(self.revision);
        Ok(Response::LeaseGrant(LeaseGrantResponse { header, id, ttl, error: String::new() }))
    }

    fn revoke(&mut self, id: LeaseId) -> Result<Response, Error> {
        if !self.leases.contains_key(&id) {
            return Err(Error::LeaseNotFound);
        }
        for key in self.keys_of(id) {
            self.add(key, None);
        }
        self.set_lease(id, None);
        Ok(Response::LeaseRevoke(LeaseRevokeResponse { header: header(self.view()) }))
    }

    fn set_lease(&mut self, id: LeaseId, ttl: Option<i64>) {
        let before = match ttl {
            Some(ttl) => self.leases.insert(id, ttl),
            None => self.leases.remove(&id),
        };
        let is_grant = ttl.is_some();
        self.lease_changes.push(LeaseChange { id, is_grant, revision: self.revision });
        let kind: &[u8] = if is_grant { b"g" } else { b"r" };
        self.fingerprint = mix(mix(self.fingerprint, kind), &id.0.to_le_bytes());
        if let Some(frame) = self.frames.last_mut() {
            frame.lease = Some((id, before));
        }
    }

    /// The leases that exist, with the seconds that were asked for.
    #[must_use]
    pub const fn leases(&self) -> &BTreeMap<LeaseId, i64> {
        &self.leases
    }

    /// Every beginning and end of a lease, in order.
    #[must_use]
    pub fn lease_changes(&self) -> &[LeaseChange] {
        &self.lease_changes
    }

    /// The keys whose newest version names the lease, in order.
    #[must_use]
    pub fn keys_of(&self, id: LeaseId) -> Vec<Bytes> {
        let newest = |versions: &Vec<Version>| {
            versions.last().and_then(|version| version.kv.as_ref()).map(|kv| kv.lease)
        };
        let keys = self.versions.iter().filter(|(_, versions)| newest(versions) == Some(id));
        keys.map(|(key, _)| key.clone()).collect()
    }

    /// Takes the last `apply` back.
    pub fn undo(&mut self) {
        self.take_back_versions();
        let Some(frame) = self.frames.pop() else { return };
        if frame.revision != self.revision {
            self.changes.pop();
        }
        self.revision = frame.revision;
        self.compact_revision = frame.compact_revision;
        self.fingerprint = frame.fingerprint;
        if let Some((id, before)) = frame.lease {
            self.lease_changes.pop();
            match before {
                Some(ttl) => self.leases.insert(id, ttl),
                None => self.leases.remove(&id),
            };
        }
    }

    /// Removes the versions that the last request added.
    fn take_back_versions(&mut self) {
        self.pending.clear();
        let keys = self.frames.last_mut().map(|frame| std::mem::take(&mut frame.keys));
        for key in keys.unwrap_or_default() {
            if let Some(versions) = self.versions.get_mut(&key) {
                versions.pop();
                if versions.is_empty() {
                    self.versions.remove(&key);
                }
            }
        }
    }

    /// A store of which the keys at one revision are known, and nothing before.
    pub(super) fn starting(revision: i64, kvs: Vec<KeyValue>) -> Self {
        let mut model = Self { revision, first: revision, ..Self::default() };
        for kv in kvs {
            let version = Version { revision: kv.mod_revision, kv: Some(kv.clone()) };
            model.versions.insert(kv.key, vec![version]);
        }
        model
    }

    /// The oldest revision of which everything is known.
    pub(super) const fn first(&self) -> i64 {
        self.first
    }

    /// The next revision, as somebody saw it happen: events that a watch of everything told.
    pub(super) fn happen(&mut self, events: &[Event]) {
        self.begin();
        for event in events {
            let kv = (event.event_type == EventType::Put).then(|| event.kv.clone());
            self.add(event.kv.key.clone(), kv);
        }
        self.end_revision();
    }

    /// A lease that somebody named and was not refused for.
    pub(super) fn know_lease(&mut self, id: LeaseId) {
        self.leases.entry(id).or_insert(0);
    }

    /// Runs something on the store as it was at an older revision, and comes back.
    ///
    /// Each step since then must have been a revision of its own that is still known.
    pub(super) fn at<T>(&mut self, revision: i64, run: impl FnOnce(&mut Self) -> T) -> T {
        let mut later = Vec::new();
        while self.revision > revision {
            let events = self.changes(self.revision).iter().map(|change| change.event.clone());
            later.push(events.collect::<Vec<_>>());
            self.undo();
        }
        let result = run(self);
        for events in later.iter().rev() {
            self.happen(events);
        }
        result
    }

    /// Forgets what only reads before `revision` need.
    pub(super) fn forget_before(&mut self, revision: i64) {
        let count = usize::try_from(revision - self.first).unwrap_or(0).min(self.changes.len());
        if count == 0 {
            return;
        }
        let gone: Vec<_> = self.changes.drain(..count).flatten().collect();
        self.first += i64::try_from(count).unwrap_or(0);
        let first = self.first;
        self.frames.retain(|frame| frame.revision >= first);
        for change in gone {
            let key = &change.event.kv.key;
            let Some(versions) = self.versions.get_mut(key) else { continue };
            let old = versions.partition_point(|version| version.revision <= first);
            versions.drain(..old.saturating_sub(1));
            let is_gone = |version: &Version| version.revision <= first && version.kv.is_none();
            if versions.len() == 1 && versions.first().is_some_and(is_gone) {
                self.versions.remove(key);
            }
        }
        self.lease_changes.clear();
    }

    /// Makes everything done so far final.
    pub fn settle(&mut self) {
        self.frames.clear();
    }

    /// The revision that reads within the request being applied see.
    pub(super) fn view(&self) -> i64 {
        self.revision + i64::from(!self.pending.is_empty())
    }

    fn end_revision(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        self.revision += 1;
        for change in &self.pending {
            let kv = &change.event.kv;
            let kind: &[u8] = match change.event.event_type {
                EventType::Put => b"p",
                EventType::Delete => b"d",
            };
            let (revision, lease) = (kv.mod_revision.to_le_bytes(), kv.lease.0.to_le_bytes());
            for part in [kind, &kv.key, &kv.value, &revision, &lease] {
                self.fingerprint = mix(self.fingerprint, part);
            }
        }
        self.changes.push(std::mem::take(&mut self.pending));
    }

    /// Answers a range as a store of revision `view` does.
    pub(super) fn range(&self, request: &RangeRequest, view: i64) -> Result<RangeResponse, Error> {
        if request.revision > view {
            return Err(Error::FutureRev);
        }
        let at = if request.revision <= 0 { view } else { request.revision };
        if at < self.compact_revision {
            return Err(Error::Compacted);
        }
        let found = self.visible(&request.key, &request.range_end, at);
        Ok(ranges::answer(request, found, view))
    }

    /// Answers a range as a store of revision `view` did that had nothing compacted; `None` above `view`.
    #[must_use]
    pub fn range_at(&self, request: &RangeRequest, view: i64) -> Option<RangeResponse> {
        if request.revision > view {
            return None;
        }
        let at = if request.revision <= 0 { view } else { request.revision };
        let found = self.visible(&request.key, &request.range_end, at);
        Some(ranges::answer(request, found, view))
    }

    pub(super) fn put(&mut self, request: &PutRequest) -> PutResponse {
        let revision = self.revision + 1;
        let before = self.get(&request.key, revision).cloned();
        let value = match &before {
            Some(before) if request.ignore_value => before.value.clone(),
            Some(_) | None => request.value.clone(),
        };
        let lease = match &before {
            Some(before) if request.ignore_lease => before.lease,
            Some(_) | None => request.lease,
        };
        let kv = KeyValue {
            key: request.key.clone(),
            create_revision: before.as_ref().map_or(revision, |before| before.create_revision),
            mod_revision: revision,
            version: before.as_ref().map_or(1, |before| before.version + 1),
            value,
            lease,
        };
        self.add(request.key.clone(), Some(kv));
        PutResponse { header: header(revision), prev_kv: before.filter(|_| request.prev_kv) }
    }

    pub(super) fn delete_range(&mut self, request: &DeleteRangeRequest) -> DeleteRangeResponse {
        let found = self.visible(&request.key, &request.range_end, self.view());
        for kv in &found {
            self.add(kv.key.clone(), None);
        }
        DeleteRangeResponse {
            header: header(self.view()),
            deleted: i64::try_from(found.len()).unwrap_or(i64::MAX),
            prev_kvs: if request.prev_kv { found } else { Vec::new() },
        }
    }

    fn add(&mut self, key: Bytes, kv: Option<KeyValue>) {
        let revision = self.revision + 1;
        let is_creation = kv.as_ref().is_some_and(|kv| kv.create_revision == kv.mod_revision);
        let prev_kv = if is_creation { None } else { self.get(&key, self.revision).cloned() };
        let event_type = if kv.is_some() { EventType::Put } else { EventType::Delete };
        let shown = kv.clone().unwrap_or_else(|| KeyValue {
            key: key.clone(),
            mod_revision: revision,
            ..KeyValue::default()
        });
        self.pending.push(Change { event: Event { event_type, kv: shown, prev_kv } });
        self.versions.entry(key.clone()).or_default().push(Version { revision, kv });
        if let Some(frame) = self.frames.last_mut() {
            frame.keys.push(key);
        }
    }
}

/// A put names a lease that exists, or none.
pub(super) fn check_lease(model: &Model, put: &PutRequest) -> Result<(), Error> {
    if put.lease == LeaseId(0) || model.leases().contains_key(&put.lease) {
        return Ok(());
    }
    Err(Error::LeaseNotFound)
}

/// What a put keeps must be there.
pub(super) fn check_kept(model: &Model, put: &PutRequest) -> Result<(), Error> {
    let keeps = put.ignore_value || put.ignore_lease;
    if keeps && model.get(&put.key, model.view()).is_none() {
        return Err(Error::KeyNotFound);
    }
    Ok(())
}
