//! Streams of keep-alives: opened, fed, ended.
//!
//! What it is: etcd's `LeaseKeepAlive` loop as data: a queue per stream, of which one message is on its way.
//! What it is not: the renewal itself (see `leases`), or a client's habit of sending on.
//! Invariants: the messages of a stream are answered in their order, each after the one before it; a
//! missing lease is answered with a time of 0; any other error ends the stream; nothing follows an end;
//! without a leader no stream is opened, and those there are end after a while.
//! Source: behaviour of etcd `api/v3rpc/lease.go`, `interceptor.go`.

use std::collections::VecDeque;

use super::io::{Output, StreamId};
use super::leases::Client;
use super::peer::LeaseAsk;
use super::server::Server;
use crate::api::{Error, LeaseKeepAliveRequest, LeaseKeepAliveResponse};
use crate::auth::Identity;
use crate::types::{LeaseId, SmallMap};

/// Messages of one stream that wait for their turn. Unit: messages. Source: ours; etcd lets HTTP/2's flow
/// control hold the client back.
const QUEUE_MAX: usize = 1_000;

/// Streams of one member. Unit: streams. Source: ours.
const STREAMS_MAX: usize = 10_000;

/// One stream.
#[derive(Clone, Debug, Default)]
struct KeepAliveStream {
    queue: VecDeque<(Option<String>, LeaseId)>,
    /// A message is on its way.
    is_asking: bool,
}

/// The open streams.
#[derive(Clone, Debug, Default)]
pub(super) struct KeepAlives {
    streams: SmallMap<StreamId, KeepAliveStream>,
}

impl Server {
    /// A client's message.
    pub(super) fn keep_alive(
        &mut self,
        stream: StreamId,
        token: Option<String>,
        request: &LeaseKeepAliveRequest,
    ) {
        let is_open = self.keep_alives.streams.contains_key(&stream);
        let refused = if self.is_learner() {
            Some(Error::NotSupportedForLearner)
        } else if !is_open && self.lead.is_none() {
            Some(Error::NoLeader)
        } else if !is_open && self.keep_alives.streams.len() >= STREAMS_MAX {
            Some(Error::TooManyRequests)
        } else {
            None
        };
        if let Some(error) = refused {
            self.end_keep_alive(stream, error);
            return;
        }
        let open = self.keep_alives.streams.get_or_insert_with(stream, KeepAliveStream::default);
        if open.queue.len() >= QUEUE_MAX {
            self.end_keep_alive(stream, Error::TooManyRequests);
            return;
        }
        open.queue.push_back((token, request.id));
        self.next_keep_alive(stream);
    }

    /// Takes up the next message of a stream, if none is on its way.
    fn next_keep_alive(&mut self, stream: StreamId) {
        let Some(open) = self.keep_alives.streams.get_mut(&stream) else { return };
        if open.is_asking {
            return;
        }
        let Some((token, id)) = open.queue.pop_front() else { return };
        open.is_asking = true;
        let asked = self
            .check_keep_alive(token.as_deref(), id)
            .and_then(|()| self.lease_ask(Client::Stream(stream), LeaseAsk::KeepAlive(id)));
        if let Err(error) = asked {
            self.end_keep_alive(stream, error);
        }
    }

    fn check_keep_alive(&mut self, token: Option<&str>, id: LeaseId) -> Result<(), Error> {
        let now = self.now();
        match self.auth.identify(token, self.applied, now)? {
            Identity::Known(who) => {
                let keys = |id| self.lease_keys(id);
                self.auth.check_lease_renew(&who, id, &keys)
            }
            Identity::Wait(_) => Err(Error::InvalidAuthToken),
        }
    }

    /// The message that was on its way has its answer.
    pub(super) fn keep_alive_answered(
        &mut self,
        stream: StreamId,
        result: Result<LeaseKeepAliveResponse, Error>,
    ) {
        let Some(open) = self.keep_alives.streams.get_mut(&stream) else { return };
        open.is_asking = false;
        match result {
            Ok(response) => {
                self.outputs.push_back(Output::KeepAlive { stream, response });
                self.next_keep_alive(stream);
            }
            Err(error) => self.end_keep_alive(stream, error),
        }
    }

    /// The client closed the stream.
    pub(super) fn close_keep_alive(&mut self, stream: StreamId) {
        if self.keep_alives.streams.remove(&stream).is_some() {
            self.cancel_lease(Client::Stream(stream));
        }
    }

    fn end_keep_alive(&mut self, stream: StreamId, error: Error) {
        self.close_keep_alive(stream);
        self.outputs.push_back(Output::StreamEnded { stream, error });
    }

    /// There has been no leader for long.
    pub(super) fn end_keep_alives(&mut self) {
        let open: Vec<StreamId> = self.keep_alives.streams.keys().copied().collect();
        for stream in open {
            self.end_keep_alive(stream, Error::NoLeader);
        }
    }
}
