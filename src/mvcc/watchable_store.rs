//! The store as the server sees it: versions, transactions, compaction, hash and watches.
//!
//! What it is: the module's public face; see the module's head for the invariants.
//! What it is not: a place for logic; each call hands on to the part that owns it.

use std::ops::RangeInclusive;

use super::hash::HashKv;
use super::range::RangeResult;
use super::restore::Error;
use super::store::Store;
use super::watches::{WatchCounts, Watches};
use crate::api;
use crate::mutant::{self, Mutant};
use crate::mvcc::{Change, CompactionProgress, Revision, Row, StreamId, WriteTxn};

/// A multi-version store and its watches.
#[derive(Clone, Debug)]
pub struct WatchableStore {
    pub(super) store: Store,
    watches: Watches,
}

impl Default for WatchableStore {
    fn default() -> Self {
        Self::new()
    }
}

impl WatchableStore {
    /// An empty store at revision 1, never compacted, without watches.
    #[must_use]
    pub fn new() -> Self {
        Self { store: Store::new(), watches: Watches::new() }
    }

    /// A store from stored rows, in any order, without watches.
    ///
    /// `current_revision` is a lower bound, for a store whose newest rows are compacted away.
    ///
    /// # Errors
    /// If the rows or revisions cannot come from a store.
    pub fn restore(
        rows: impl Iterator<Item = Row>,
        scheduled_compact_revision: Option<i64>,
        finished_compact_revision: Option<i64>,
        current_revision: i64,
    ) -> Result<Self, Error> {
        let (scheduled, finished) = (scheduled_compact_revision, finished_compact_revision);
        let store = Store::restore(rows, scheduled, finished, current_revision)?;
        Ok(Self { store, watches: Watches::new() })
    }

    /// Replaces the data by a snapshot's and keeps the watches: each goes on from its next revision
    /// when it is synced.
    ///
    /// # Errors
    /// As [`Self::restore`]; nothing is changed then.
    pub fn restore_snapshot(
        &mut self,
        rows: impl Iterator<Item = Row>,
        scheduled_compact_revision: Option<i64>,
        finished_compact_revision: Option<i64>,
        current_revision: i64,
    ) -> Result<(), Error> {
        let (scheduled, finished) = (scheduled_compact_revision, finished_compact_revision);
        let mut store = Store::restore(rows, scheduled, finished, current_revision)?;
        let is_skipped = mutant::is(Mutant::WatchSkipsSnapshot);
        let seen = if is_skipped { current_revision } else { self.store.current_revision };
        self.watches.unsync_all(seen);
        store.stored_hashes = std::mem::take(&mut self.store.stored_hashes);
        self.store = store;
        Ok(())
    }

    /// The revision of the newest change; 1 if there was none.
    #[must_use]
    pub const fn current_revision(&self) -> i64 {
        self.store.current_revision
    }

    /// The oldest revision that can be read; -1 if never compacted.
    #[must_use]
    pub const fn compact_revision(&self) -> i64 {
        self.store.compact_revision
    }

    /// The compaction whose rows are gone; -1 if none.
    #[must_use]
    pub const fn finished_compact_revision(&self) -> i64 {
        self.store.finished_compact_revision
    }

    /// A compaction is scheduled and not finished.
    #[must_use]
    pub const fn is_compacting(&self) -> bool {
        self.store.compaction.is_some()
    }

    /// Answers a range request.
    ///
    /// # Errors
    /// `FutureRev` above the current revision, `Compacted` below the compact revision.
    pub fn range(&self, request: &api::RangeRequest) -> Result<RangeResult, api::Error> {
        self.store.range(request, self.store.current_revision)
    }

    /// Starts a write transaction.
    pub fn begin_write(&mut self) -> WriteTxn<'_> {
        WriteTxn::new(&mut self.store, &mut self.watches)
    }

    pub(super) const fn no_change(&self) -> Change {
        Change::none(self.store.current_revision)
    }

    /// Schedules a compaction: reads below `revision` are refused from now on.
    ///
    /// # Errors
    /// `Compacted` at or below the last one, `FutureRev` above the current revision.
    pub fn compact(&mut self, revision: i64) -> Result<(), api::Error> {
        self.store.compact(revision)
    }

    /// Carries out a part of the scheduled compaction: looks at up to `limit` rows.
    pub fn compact_batch(&mut self, limit: u32) -> CompactionProgress {
        self.store.compact_batch(limit)
    }

    /// Answers `HashKV`: as [`Self::hash_kv`], except that one of the last revisions that were compacted
    /// has the hash which the compaction left, with the compact revision before it.
    ///
    /// # Errors
    /// `FutureRev`, `Compacted`.
    pub fn hash_by_revision(&self, revision: i64) -> Result<HashKv, api::Error> {
        self.store.hash_by_revision(revision)
    }

    /// Hashes the data up to `revision`; 0 means the current one, and below 0 there is no data.
    ///
    /// # Errors
    /// `FutureRev`, `Compacted`.
    pub fn hash_kv(&self, revision: i64) -> Result<HashKv, api::Error> {
        self.store.hash_kv(revision)
    }

    /// The stored changes of these revisions that are still kept, in their order.
    pub fn rows_between(&self, revisions: RangeInclusive<Revision>) -> impl Iterator<Item = &Row> {
        self.store.rows.range(revisions).map(|(_, row)| row)
    }

    /// The stored change at a revision, if it is still kept.
    #[must_use]
    pub fn row(&self, revision: Revision) -> Option<&Row> {
        self.store.rows.get(&revision)
    }

    /// What the last compactions hashed, the oldest first.
    #[must_use]
    pub fn compaction_hashes(&self) -> &[HashKv] {
        &self.store.stored_hashes
    }

    /// Whether no later change of the row's key is kept.
    #[must_use]
    pub fn row_is_newest(&self, row: &Row) -> bool {
        let found = self.store.index.get(&row.kv.key, self.store.current_revision);
        !row.is_tombstone && found.is_some_and(|found| found.revision == row.revision)
    }

    /// How many keys exist.
    #[must_use]
    pub const fn keys_total(&self) -> u64 {
        self.store.live_keys
    }

    /// How many watches there are, and how they do.
    #[must_use]
    pub fn watch_counts(&self) -> WatchCounts {
        self.watches.counts()
    }

    /// The first watches, by stream and number, and how many more there are.
    #[must_use]
    pub fn held_watches(&self, most: u64) -> (Vec<api::HeldWatch>, u64) {
        self.watches.held(most)
    }

    /// Responses queued for the stream that has most.
    pub(super) fn longest_watch_queue(&self) -> u32 {
        self.watches.longest_queue()
    }

    /// Bytes of the database file.
    #[must_use]
    pub const fn db_size(&self) -> i64 {
        self.store.size.allocated()
    }

    /// Bytes of the database file that hold rows.
    #[must_use]
    pub const fn db_size_in_use(&self) -> i64 {
        self.store.size.in_use()
    }

    /// The file had grown to `bytes` before a restart.
    pub fn raise_db_size(&mut self, bytes: i64) {
        self.store.size.raise_allocated(bytes);
    }

    /// Gives the file's free pages back.
    pub fn defragment(&mut self) {
        self.store.size.defragment();
    }

    /// Takes a client's message on a watch stream; answers come from [`Self::poll_watch`].
    pub fn watch(&mut self, stream: StreamId, request: &api::WatchRequest) {
        self.watches.request(&self.store, stream, request);
    }

    /// Ends a watch stream; nothing more comes for it.
    pub fn close_stream(&mut self, stream: StreamId) {
        self.watches.close_stream(stream);
    }

    /// Advances watches that lag behind by at most `max_batches` responses; true if some still lag.
    pub fn sync_watchers(&mut self, max_batches: u32) -> bool {
        self.watches.sync(&self.store, max_batches)
    }

    /// Tells the watches of `stream` that asked for it how far they are.
    ///
    /// To be called every [`super::PROGRESS_NOTIFY_INTERVAL_MS`]; a watch that had events since the
    /// last time is left out.
    pub fn notify_progress(&mut self, stream: StreamId) {
        self.watches.notify_progress(&self.store, stream);
    }

    /// The next watch response to send; of its header only the revision is filled in.
    pub fn poll_watch(&mut self) -> Option<(StreamId, api::WatchResponse)> {
        self.watches.poll()
    }

    /// Sets the size from which responses are split for clients that allow it.
    ///
    /// Unit: bytes. Default: [`super::WATCH_FRAGMENT_BYTES_MAX`].
    pub fn set_watch_fragment_bytes_max(&mut self, bytes: u64) {
        self.watches.set_fragment_bytes_max(bytes);
    }

    /// Every stored row, oldest first: what a snapshot holds.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.store.rows.values()
    }

    /// Every kept revision of one key, tombstones included, oldest first.
    #[must_use]
    pub fn key_history(&self, key: &[u8]) -> Vec<Row> {
        let index = self.store.index.key(key);
        let revisions = index.into_iter().flat_map(|index| index.revisions_from(0));
        revisions.map(|revision| self.store.row(revision).clone()).collect()
    }
}
