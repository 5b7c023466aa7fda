//! Watch streams: opened, fed, told their progress, ended.
//!
//! What it is: the joint of clients' streams and the store's watches.
//! What it is not: the watches themselves (see `mvcc`).
//! Invariants: a stream gets nothing after its end; without a leader no stream is opened, and those there
//! are end after a while; each stream is told its progress at an interval of its own.
//! Source: behaviour of etcd `v3rpc` (`watch.go`, `interceptor.go`).

use super::io::{Output, StreamId};
use super::server::Server;
use crate::api;
use crate::random::Pcg32;

/// Ticks of one election timeout that a stream survives without a leader, times this number.
/// Source: etcd `v3rpc` `maxNoLeaderCnt`.
const NO_LEADER_TIMEOUTS: u64 = 3;

/// Shortest interval of progress notifications. Unit: ms. Source: etcd `minWatchProgressInterval`.
const PROGRESS_MS_MIN: u64 = 100;

/// The interval is longer by up to this part of it, at random, so that streams opened together are not
/// told together. Source: etcd `GetProgressReportInterval`.
const PROGRESS_JITTER: u64 = 10;

/// Stream of random numbers for intervals, apart from all others. Source: ours.
const PROGRESS_DRAWS: u64 = 0x7072_6f67_7265_7373;

/// An open stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WatchStream {
    /// Unit: ticks.
    interval: u64,
    /// The tick at which it is told its progress.
    progress_at: u64,
}

/// The store numbers its streams itself; ours are its.
const fn mvcc_stream(stream: StreamId) -> crate::mvcc::StreamId {
    crate::mvcc::StreamId(stream.0)
}

impl Server {
    pub(super) fn watch(
        &mut self,
        stream: StreamId,
        token: Option<&str>,
        request: &api::WatchRequest,
    ) {
        self.counters.requests_stream += 1;
        let is_open = self.streams.contains_key(&stream);
        if !is_open {
            self.trace_stream(stream.0);
        }
        if self.is_learner() {
            self.end_stream(stream, api::Error::NotSupportedForLearner);
            return;
        }
        if self.lead.is_none() && !is_open {
            self.end_stream(stream, api::Error::NoLeader);
            return;
        }
        if !is_open {
            self.trace(stream.0, api::CallStep::Opened);
            let interval = self.progress_interval(stream);
            let open = WatchStream { interval, progress_at: self.ticks + interval };
            self.streams.insert(stream, open);
        }
        if let api::WatchRequest::Create(create) = request
            && let Err(error) = self.check_watch(token, create)
        {
            // Answers come in the order of the requests, also when a batch brings several.
            self.poll_watches();
            self.trace_answer(stream.0, Some(error));
            self.outputs.push_back(Output::Watch { stream, response: self.no_watch(error) });
            return;
        }
        self.store.watch(mvcc_stream(stream), request);
        self.store.sync_watchers(1);
    }

    /// How often a stream is told its progress: the interval and some more. Unit: ticks.
    fn progress_interval(&self, stream: StreamId) -> u64 {
        let interval_ms = self.config.watch_progress_notify_ms.max(PROGRESS_MS_MIN);
        let jitter_max = u32::try_from(interval_ms / PROGRESS_JITTER).unwrap_or(u32::MAX);
        let streams = [self.config.member.0, self.boot, PROGRESS_DRAWS, stream.0];
        let jitter_ms = Pcg32::for_stream(self.config.seed, &streams).below(jitter_max.max(1));
        self.ticks_of(interval_ms.saturating_add(jitter_ms.into())).max(1)
    }

    /// Tells each stream its progress in its time.
    pub(super) fn tick_streams(&mut self) {
        let now = self.ticks;
        let mut due = Vec::new();
        for (stream, open) in self.streams.iter_mut() {
            if now >= open.progress_at {
                open.progress_at = now + open.interval;
                due.push(*stream);
            }
        }
        for stream in due {
            self.store.notify_progress(mvcc_stream(stream));
        }
    }

    pub(super) fn poll_watches(&mut self) {
        while let Some((stream, mut response)) = self.store.poll_watch() {
            self.fill(&mut response.header);
            let events = u64::try_from(response.events.len()).unwrap_or(u64::MAX);
            self.counters.events_sent += events;
            let stream = StreamId(stream.0);
            if response.canceled && response.compact_revision != 0 {
                self.trace_answer(stream.0, Some(api::Error::Compacted));
            }
            self.outputs.push_back(Output::Watch { stream, response });
        }
    }

    fn end_stream(&mut self, stream: StreamId, error: api::Error) {
        self.trace_answer(stream.0, Some(error));
        self.outputs.push_back(Output::StreamEnded { stream, error });
    }

    /// The client closed the stream.
    pub(super) fn close_watch(&mut self, stream: StreamId) {
        if self.streams.remove(&stream).is_some() {
            self.store.close_stream(mvcc_stream(stream));
            self.trace(stream.0, api::CallStep::Canceled);
        }
    }

    pub(super) fn end_streams_without_leader(&mut self) {
        if self.lead.is_some() {
            self.no_leader_since = self.ticks;
            return;
        }
        let limit = NO_LEADER_TIMEOUTS * u64::from(self.config.election_ticks);
        if self.ticks - self.no_leader_since < limit {
            return;
        }
        for (stream, _) in std::mem::take(&mut self.streams) {
            self.store.close_stream(mvcc_stream(stream));
            self.end_stream(stream, api::Error::NoLeader);
        }
        self.end_keep_alives();
    }
}
