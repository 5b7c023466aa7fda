//! Watches: who wants which events, how far each got, and what is queued for whom.
//!
//! What it is: a *synced* watch gets its events from the transaction that makes them; an *unsynced*
//! one, which asked for the past or whose stream was full, reads them from the store, batch by batch.
//! What it is not: a network stream, a permission check, or a timer.
//!
//! Invariants:
//! - a watch is synced or unsynced, never both;
//! - one queue for everything: a created response precedes the events of its watch, and nothing of a
//!   watch follows its canceled response;
//! - no event is lost or sent twice: what does not fit into a stream's queue is read again later;
//! - the events of one revision stay in one response, unless the client allowed fragments.
//!
//! Source: etcd `server/storage/mvcc/watchable_store.go`, `server/etcdserver/api/v3rpc/watch.go`.

use std::collections::VecDeque;

use bytes::Bytes;

use super::key_range::KeyRange;
use super::proto;
use super::store::Store;
use super::watcher::{ProgressNotify, StreamId, Watcher, WatcherKey};
use super::watcher_group::WatcherGroup;
use crate::api::{self, WatchRequest, WatchResponse};
use crate::mutant::{self, Mutant};
use crate::mvcc::Row;
use crate::types::{self, BigMap, BigSet, SmallMap, WatchId};

/// Distinct revisions in one response of history. Source: etcd `watchBatchMaxRevs`.
pub const WATCH_BATCH_REVISIONS_MAX: u32 = 1000;

/// Event responses queued for one stream before its watches become unsynced.
///
/// Unit: responses. Source: etcd `chanBufLen`.
pub const WATCH_STREAM_QUEUE_MAX: u32 = 128;

/// Encoded size from which a response is split, if the client allows it.
///
/// Unit: bytes. Source: etcd `MaxRequestBytes` (1.5 MiB) plus its gRPC overhead (512 KiB).
pub const WATCH_FRAGMENT_BYTES_MAX: u64 = 2 * 1024 * 1024;

/// How often unsynced watches are advanced. Unit: ms. Source: etcd `watchResyncPeriod`.
pub const SYNC_INTERVAL_MS: u64 = 100;

/// How often a stream is told its progress (plus up to a tenth, at random).
///
/// Unit: ms. Default: 10 minutes. Source: etcd `--watch-progress-notify-interval`.
pub const PROGRESS_NOTIFY_INTERVAL_MS: u64 = 600_000;

/// Bytes of a response besides its events: header, id and flags at their largest.
const RESPONSE_OVERHEAD_BYTES: u64 = 64;

/// The id in responses that belong to no watch.
const NO_WATCH: WatchId = WatchId(-1);

/// One stream.
#[derive(Clone, Debug, Default)]
struct Stream {
    next_id: i64,
    /// Event responses in the queue.
    queued: u32,
}

/// How many watches there are, and how they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchCounts {
    /// Watches.
    pub watchers: u64,
    /// Those among them that lag behind.
    pub slow: u64,
    /// Events in responses that nobody has taken yet.
    pub pending_events: u64,
}

/// A response waiting for the server.
#[derive(Clone, Debug)]
struct Queued {
    stream: StreamId,
    response: WatchResponse,
    /// It counts against the stream's limit.
    is_counted: bool,
}

/// A batch of history for one watch.
struct History {
    events: Vec<api::Event>,
    /// Where to go on, if there is more.
    more_from: Option<i64>,
}

/// All watches of a store.
#[derive(Clone, Debug)]
pub(super) struct Watches {
    streams: SmallMap<StreamId, Stream>,
    watchers: BigMap<WatcherKey, Watcher>,
    synced: WatcherGroup,
    unsynced: BigSet<WatcherKey>,
    /// The unsynced watch served last; the next one is the first after it.
    served_last: Option<WatcherKey>,
    queue: VecDeque<Queued>,
    fragment_bytes_max: u64,
}

impl Watches {
    pub(super) const fn new() -> Self {
        Self {
            streams: SmallMap::new(),
            watchers: BigMap::new(),
            synced: WatcherGroup::new(),
            unsynced: BigSet::new(),
            served_last: None,
            queue: VecDeque::new(),
            fragment_bytes_max: WATCH_FRAGMENT_BYTES_MAX,
        }
    }

    pub(super) const fn set_fragment_bytes_max(&mut self, bytes: u64) {
        self.fragment_bytes_max = bytes;
    }

    /// Takes a client's message.
    pub(super) fn request(&mut self, store: &Store, stream: StreamId, request: &WatchRequest) {
        match request {
            WatchRequest::Create(create) => self.create(store, stream, create),
            WatchRequest::Cancel(cancel) => self.cancel(store, stream, cancel.watch_id),
            WatchRequest::Progress => self.progress(store, stream),
        }
    }

    fn create(&mut self, store: &Store, stream: StreamId, create: &api::WatchCreateRequest) {
        let header = header(store.current_revision);
        let response = match self.add_watcher(store, stream, create) {
            Ok(watch_id) => {
                WatchResponse { header, watch_id, created: true, ..WatchResponse::default() }
            }
            Err(error) => WatchResponse {
                header,
                watch_id: NO_WATCH,
                created: true,
                canceled: true,
                cancel_reason: error.text().to_owned(),
                ..WatchResponse::default()
            },
        };
        self.queue.push_back(Queued { stream, response, is_counted: false });
    }

    fn add_watcher(
        &mut self,
        store: &Store,
        stream: StreamId,
        create: &api::WatchCreateRequest,
    ) -> Result<WatchId, api::Error> {
        let first_key = Bytes::from_static(&[0]);
        let key = if create.key.is_empty() { &first_key } else { &create.key };
        let range = KeyRange::new(key, &create.range_end);
        if range.is_empty() {
            return Err(api::Error::WatchEmptyRange);
        }
        if create.start_revision < 0 {
            return Err(api::Error::Compacted);
        }
        let key = WatcherKey { stream, id: self.choose_id(stream, create.watch_id)? };
        let next_revision = store.current_revision + 1;
        let is_synced = create.start_revision == 0 || create.start_revision >= next_revision;
        if is_synced {
            self.synced.insert(&range, key);
        } else {
            self.unsynced.insert(key);
        }
        let min_revision = if is_synced {
            create.start_revision.max(next_revision)
        } else {
            create.start_revision
        };
        let progress_notify =
            if create.progress_notify { ProgressNotify::Due } else { ProgressNotify::Off };
        let watcher = Watcher {
            range,
            start_revision: create.start_revision,
            min_revision,
            filters: create.filters.clone(),
            wants_prev_kv: create.prev_kv,
            may_fragment: create.fragment,
            progress_notify,
        };
        self.watchers.insert(key, watcher);
        Ok(key.id)
    }

    fn choose_id(&mut self, stream: StreamId, wanted: WatchId) -> Result<WatchId, api::Error> {
        let is_taken = |id| self.watchers.contains_key(&WatcherKey { stream, id });
        if wanted != WatchId(0) {
            self.streams.get_or_insert_with(stream, Stream::default);
            return if is_taken(wanted) { Err(api::Error::WatchDuplicateId) } else { Ok(wanted) };
        }
        let state = self.streams.get_or_insert_with(stream, Stream::default);
        while is_taken(WatchId(state.next_id)) {
            state.next_id += 1;
        }
        let id = WatchId(state.next_id);
        state.next_id += 1;
        Ok(id)
    }

    fn remove_watcher(&mut self, key: WatcherKey) -> bool {
        let Some(watcher) = self.watchers.remove(&key) else { return false };
        if !self.unsynced.remove(&key) {
            self.synced.remove(&watcher.range, key);
        }
        true
    }

    fn cancel(&mut self, store: &Store, stream: StreamId, watch_id: WatchId) {
        if self.remove_watcher(WatcherKey { stream, id: watch_id }) {
            let response = WatchResponse {
                header: header(store.current_revision),
                watch_id,
                canceled: true,
                ..WatchResponse::default()
            };
            self.queue.push_back(Queued { stream, response, is_counted: false });
        }
    }

    /// Ends a stream: its watches and what is queued for it.
    pub(super) fn close_stream(&mut self, stream: StreamId) {
        for key in self.watchers_of(stream) {
            self.remove_watcher(key);
        }
        self.streams.remove(&stream);
        self.queue.retain(|queued| queued.stream != stream);
    }

    fn watchers_of(&self, stream: StreamId) -> Vec<WatcherKey> {
        let first = WatcherKey { stream, id: WatchId(i64::MIN) };
        let last = WatcherKey { stream, id: WatchId(i64::MAX) };
        self.watchers.range(first..=last).map(|(key, _)| *key).collect()
    }

    /// Answers a progress request: only if every watch of the stream has everything up to now.
    fn progress(&mut self, store: &Store, stream: StreamId) {
        let watchers = self.watchers_of(stream);
        let are_synced = watchers.iter().all(|key| self.has_everything(*key, store));
        let may_tell = are_synced || mutant::is(Mutant::ProgressAheadOfEvents);
        if !watchers.is_empty() && may_tell {
            self.push_progress(stream, NO_WATCH, store.current_revision);
        }
    }

    fn has_everything(&self, key: WatcherKey, store: &Store) -> bool {
        let is_synced = !self.unsynced.contains(&key);
        let has_started =
            self.watchers.get(&key).is_some_and(|w| w.start_revision <= store.current_revision);
        is_synced && has_started
    }

    fn push_progress(&mut self, stream: StreamId, watch_id: WatchId, revision: i64) {
        if !self.is_full(stream) {
            let header = header(revision);
            let response = WatchResponse { header, watch_id, ..WatchResponse::default() };
            self.push_counted(stream, response);
        }
    }

    /// Tells the watches of a stream that asked for it how far they are.
    pub(super) fn notify_progress(&mut self, store: &Store, stream: StreamId) {
        for key in self.watchers_of(stream) {
            let is_due = match self.watchers.get_mut(&key).map(|w| &mut w.progress_notify) {
                Some(state @ ProgressNotify::Elided) => {
                    *state = ProgressNotify::Due;
                    false
                }
                Some(ProgressNotify::Due) => true,
                Some(ProgressNotify::Off) | None => false,
            };
            if is_due && self.has_everything(key, store) {
                self.push_progress(stream, key.id, store.current_revision);
            }
        }
    }

    pub(super) fn counts(&self) -> WatchCounts {
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let events = self.queue.iter().map(|queued| count(queued.response.events.len()));
        WatchCounts {
            watchers: count(self.watchers.len()),
            slow: count(self.unsynced.len()),
            pending_events: events.sum(),
        }
    }

    /// The first watches, by stream and number, and how many more there are.
    pub(super) fn held(&self, most: u64) -> (Vec<api::HeldWatch>, u64) {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let held =
            self.watchers.iter().take(most).map(|(key, watcher)| self.held_one(*key, watcher));
        let held: Vec<api::HeldWatch> = held.collect();
        let more = self.watchers.len().saturating_sub(held.len());
        (held, u64::try_from(more).unwrap_or(u64::MAX))
    }

    fn held_one(&self, key: WatcherKey, watcher: &Watcher) -> api::HeldWatch {
        let pace = match (self.unsynced.contains(&key), self.is_full(key.stream)) {
            (false, _) => api::WatchPace::Synced,
            (true, false) => api::WatchPace::CatchingUp,
            (true, true) => api::WatchPace::Slow,
        };
        api::HeldWatch {
            stream: key.stream.0,
            watch_id: key.id,
            key: api::HeldKey::new(&watcher.range.start),
            range_end: api::HeldKey::new(&watcher.range.request_end()),
            start_revision: watcher.start_revision,
            next_revision: watcher.min_revision,
            pace,
            queued: self.streams.get(&key.stream).map_or(0, |stream| stream.queued),
            puts: watcher.wants(api::EventType::Put),
            deletes: watcher.wants(api::EventType::Delete),
            prev_kv: watcher.wants_prev_kv,
            fragment: watcher.may_fragment,
            progress_notify: watcher.progress_notify != ProgressNotify::Off,
        }
    }

    pub(super) fn longest_queue(&self) -> u32 {
        self.streams.values().map(|stream| stream.queued).max().unwrap_or_default()
    }

    fn is_full(&self, stream: StreamId) -> bool {
        self.streams.get(&stream).is_some_and(|s| s.queued >= WATCH_STREAM_QUEUE_MAX)
    }

    fn push_counted(&mut self, stream: StreamId, response: WatchResponse) {
        self.streams.get_or_insert_with(stream, Stream::default).queued += 1;
        self.queue.push_back(Queued { stream, response, is_counted: true });
    }

    /// The next response for the server to send.
    pub(super) fn poll(&mut self) -> Option<(StreamId, WatchResponse)> {
        let Queued { stream, response, is_counted } = self.queue.pop_front()?;
        if let Some(state) = self.streams.get_mut(&stream).filter(|_| is_counted) {
            state.queued -= 1;
        }
        Some((stream, response))
    }

    /// Hands the changes of one revision to the synced watches.
    pub(super) fn notify(&mut self, store: &Store, rows: &[Row]) {
        let revision = store.current_revision;
        // Who wants which row, then watch by watch.
        let mut wanted: Vec<(WatcherKey, usize)> = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            self.synced.each_wanting(&row.kv.key, |key| wanted.push((key, at)));
        }
        types::sort(&mut wanted);
        for of_one in wanted.chunk_by(|(one, _), (other, _)| one == other) {
            let Some((key, _)) = of_one.first().copied() else { continue };
            let is_full = self.is_full(key.stream);
            let Some(watcher) = self.watchers.get_mut(&key) else { continue };
            if watcher.min_revision > revision {
                continue;
            }
            if is_full {
                watcher.min_revision = revision;
                self.synced.remove(&watcher.range, key);
                self.unsynced.insert(key);
            } else {
                watcher.min_revision = revision + 1;
                let events = of_one.iter().filter_map(|(_, at)| rows.get(*at)).map(Row::event);
                let events = events.collect();
                self.push_events(store, key, events);
            }
        }
    }

    /// Queues what the filters leave of `events`, with the versions before them if asked for.
    fn push_events(&mut self, store: &Store, key: WatcherKey, mut events: Vec<api::Event>) {
        let Some(watcher) = self.watchers.get_mut(&key) else { return };
        events.retain(|event| watcher.wants(event.event_type));
        if events.is_empty() {
            return;
        }
        if watcher.wants_prev_kv {
            for event in &mut events {
                let is_creation = event.event_type == api::EventType::Put
                    && event.kv.create_revision == event.kv.mod_revision;
                if !is_creation {
                    event.prev_kv = store.previous(&event.kv.key, event.kv.mod_revision).cloned();
                }
            }
        }
        if watcher.progress_notify == ProgressNotify::Due {
            watcher.progress_notify = ProgressNotify::Elided;
        }
        let may_fragment = watcher.may_fragment;
        let response = WatchResponse {
            header: header(store.current_revision),
            watch_id: key.id,
            events,
            ..WatchResponse::default()
        };
        if may_fragment {
            for part in fragments(response, self.fragment_bytes_max) {
                self.push_counted(key.stream, part);
            }
        } else {
            self.push_counted(key.stream, response);
        }
    }

    /// Advances unsynced watches by at most `max_batches` responses; true if more remain.
    pub(super) fn sync(&mut self, store: &Store, max_batches: u32) -> bool {
        let mut batches = 0;
        while batches < max_batches {
            let Some(key) = self.next_unsynced() else { break };
            self.served_last = Some(key);
            self.sync_one(store, key);
            batches += 1;
        }
        !self.unsynced.is_empty()
    }

    /// The unsynced watch whose turn it is; `None` if every stream with one is full.
    fn next_unsynced(&self) -> Option<WatcherKey> {
        let is_ready = |key: &&WatcherKey| !self.is_full(key.stream);
        let after_last =
            self.served_last.and_then(|last| self.unsynced.after(&last).find(is_ready));
        after_last.or_else(|| self.unsynced.iter().find(is_ready)).copied()
    }

    fn sync_one(&mut self, store: &Store, key: WatcherKey) {
        let Some(watcher) = self.watchers.get_mut(&key) else { return };
        if watcher.min_revision < store.compact_revision {
            let response = WatchResponse {
                // etcd leaves the header's revision at 0 here.
                watch_id: key.id,
                canceled: true,
                compact_revision: store.compact_revision,
                ..WatchResponse::default()
            };
            self.remove_watcher(key);
            self.queue.push_back(Queued { stream: key.stream, response, is_counted: false });
            return;
        }
        let History { events, more_from } = history(store, &watcher.range, watcher.min_revision);
        if let Some(from) = more_from {
            watcher.min_revision = from;
        } else {
            watcher.min_revision = watcher.min_revision.max(store.current_revision + 1);
            self.synced.insert(&watcher.range, key);
            self.unsynced.remove(&key);
        }
        self.push_events(store, key, events);
    }

    /// The store is about to be replaced by a snapshot: every watch has to look what it missed.
    pub(super) fn unsync_all(&mut self, current_revision: i64) {
        for (key, watcher) in self.watchers.iter_mut() {
            if self.unsynced.insert(*key) {
                self.synced.remove(&watcher.range, *key);
                watcher.min_revision = watcher.min_revision.max(current_revision + 1);
            }
        }
    }
}

fn header(revision: i64) -> api::ResponseHeader {
    api::ResponseHeader { revision, ..api::ResponseHeader::default() }
}

/// The events of `range` from `from` on, at most [`WATCH_BATCH_REVISIONS_MAX`] revisions of them.
fn history(store: &Store, range: &KeyRange, from: i64) -> History {
    if range.is_one() {
        let index = store.index.key(&range.start);
        let revisions = index.into_iter().flat_map(|index| index.revisions_from(from));
        return batch(revisions.map(|revision| store.row(revision)));
    }
    let first = crate::mvcc::Revision::new(from, 0);
    batch(store.rows.range(first..).map(|(_, row)| row).filter(|row| range.contains(&row.kv.key)))
}

fn batch<'a>(rows: impl Iterator<Item = &'a Row>) -> History {
    let mut events = Vec::new();
    let mut revisions = 0;
    let mut last = None;
    for row in rows {
        let main = row.revision.main;
        if last != Some(main) {
            if revisions == WATCH_BATCH_REVISIONS_MAX {
                return History { events, more_from: Some(main) };
            }
            revisions += 1;
            last = Some(main);
        }
        events.push(row.event());
    }
    History { events, more_from: None }
}

/// Splits a response that is too large; every part holds at least one event.
fn fragments(mut response: WatchResponse, bytes_max: u64) -> Vec<WatchResponse> {
    let sizes: Vec<u64> = response.events.iter().map(proto::event_size).collect();
    let total = sizes.iter().fold(RESPONSE_OVERHEAD_BYTES, |sum, size| sum.saturating_add(*size));
    if total < bytes_max || response.events.len() < 2 {
        return vec![response];
    }
    let events = std::mem::take(&mut response.events);
    let mut parts: Vec<WatchResponse> = Vec::new();
    let mut part = WatchResponse { fragment: true, ..response };
    let mut part_bytes = RESPONSE_OVERHEAD_BYTES;
    for (event, size) in events.into_iter().zip(sizes) {
        if !part.events.is_empty() && part_bytes.saturating_add(size) >= bytes_max {
            let full = std::mem::take(&mut part.events);
            parts.push(WatchResponse { events: full, ..part.clone() });
            part_bytes = RESPONSE_OVERHEAD_BYTES;
        }
        part.events.push(event);
        part_bytes = part_bytes.saturating_add(size);
    }
    part.fragment = false;
    parts.push(part);
    parts
}
