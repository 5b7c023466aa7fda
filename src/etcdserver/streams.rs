//! Watch streams: opened, fed, ended.
//!
//! What it is: the joint of clients' streams and the store's watches.
//! What it is not: the watches themselves (see `mvcc`).
//! Invariants: a stream gets nothing after its end; without a leader no stream is opened, and those there
//! are end after a while. Source: behaviour of etcd `v3rpc` (`watch.go`, `interceptor.go`).

use super::io::{Output, StreamId};
use super::server::Server;
use crate::api;

/// Ticks of one election timeout that a stream survives without a leader, times this number.
/// Source: etcd `v3rpc` `maxNoLeaderCnt`.
const NO_LEADER_TIMEOUTS: u64 = 3;

/// The store numbers its streams itself; ours are its.
pub(super) const fn mvcc_stream(stream: StreamId) -> crate::mvcc::StreamId {
    crate::mvcc::StreamId(stream.0)
}

impl Server {
    pub(super) fn watch(
        &mut self,
        stream: StreamId,
        token: Option<&str>,
        request: &api::WatchRequest,
    ) {
        if self.is_learner() {
            let error = api::Error::NotSupportedForLearner;
            self.outputs.push_back(Output::StreamEnded { stream, error });
            return;
        }
        if self.lead.is_none() && !self.streams.contains(&stream) {
            self.outputs.push_back(Output::StreamEnded { stream, error: api::Error::NoLeader });
            return;
        }
        self.streams.insert(stream);
        if let api::WatchRequest::Create(create) = request
            && let Err(error) = self.check_watch(token, create)
        {
            self.outputs.push_back(Output::Watch { stream, response: self.no_watch(error) });
            return;
        }
        self.store.watch(mvcc_stream(stream), request);
        self.store.sync_watchers(1);
    }

    pub(super) fn poll_watches(&mut self) {
        while let Some((stream, mut response)) = self.store.poll_watch() {
            self.fill(&mut response.header);
            let stream = StreamId(stream.0);
            self.outputs.push_back(Output::Watch { stream, response });
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
        for stream in std::mem::take(&mut self.streams) {
            self.store.close_stream(mvcc_stream(stream));
            self.outputs.push_back(Output::StreamEnded { stream, error: api::Error::NoLeader });
        }
    }
}
