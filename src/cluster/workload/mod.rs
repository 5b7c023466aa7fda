//! What the clients of a simulated run do.
//!
//! What it is: a table of workloads; each is one client's habit: which request next, and what it makes of the answer.
//! What it is not: a client; sending, waiting, giving up and recording are the run's.
//! Invariants: everything drawn comes from the generator in [`World`]; values are unique over the run, so that a
//! version says who wrote it.
//!
//! A new workload is a file here and a row in [`WORKLOADS`].

mod auth;
mod compaction;
mod leases;
mod locks;
mod nested;
mod quota;
mod ranges;
mod register;
mod saving;
mod watching;

use std::fmt::Debug;

pub(super) use auth::{USERS, password};
pub(super) use leases::TTL_MAX_S;
pub(super) use locks::GUARDED;

use bytes::Bytes;

use crate::api::{
    DeleteRangeRequest, Error, PutRequest, RangeRequest, Request, Response, WatchCreateRequest,
    WatchResponse,
};
use crate::random::Pcg32;

/// What a client knows when it decides.
#[derive(Debug)]
pub(super) struct World<'w> {
    pub(super) random: &'w mut Pcg32,
    /// The newest revision that any client has heard of.
    pub(super) revision: i64,
    /// The newest compaction that any client has heard of.
    pub(super) compacted: i64,
    /// Keys in play.
    pub(super) keys: u32,
    /// The last unique value given out.
    pub(super) last_value: &'w mut u64,
    /// Watches that this client has open.
    pub(super) watches: u32,
    /// Members of the first configuration.
    pub(super) members: u32,
    /// The virtual time. Unit: ms.
    pub(super) now_ms: u64,
}

/// What a client does next.
#[derive(Debug)]
pub(super) enum Action {
    /// Asks, and waits for the answer.
    Ask(Request),
    /// Asks a member of its choice, by its place in the list.
    AskMember(u32, Request),
    /// Starts a watch.
    Watch(WatchCreateRequest),
    /// Cancels its oldest watch.
    CancelWatch,
    /// Asks for a progress notification.
    Progress,
    /// Closes its stream, all watches with it.
    CloseStream,
    /// Nothing this time.
    Rest,
}

/// One client's habit.
pub(super) trait Workload: Debug {
    /// What next.
    fn next(&mut self, world: &mut World<'_>) -> Action;
    /// The answer to the last request; not called if none came.
    fn answered(&mut self, _result: &Result<Response, Error>) {}
    /// A message on the client's stream.
    fn watched(&mut self, _response: &WatchResponse) {}
    /// The client's stream ended, and its watches with it; `next_revision` is where the first of them stood.
    fn stream_ended(&mut self, _next_revision: i64) {}
    /// Pause between two actions. Unit: ms, from and to.
    fn pause_ms(&self) -> (u32, u32);
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Its number in the list of planned workloads, and what it is.
    pub(super) name: &'static str,
    /// How often it is drawn, against the others.
    pub(super) weight: u32,
    pub(super) make: fn(&mut Pcg32) -> Box<dyn Workload>,
}

/// The workloads there are.
pub(super) const WORKLOADS: &[Row] = &[
    Row { name: "W0 quick puts", weight: 0, make: |_| Box::new(register::Quick) },
    Row { name: "W1 register", weight: 6, make: |_| Box::new(register::Register::default()) },
    Row { name: "W2 append", weight: 4, make: |_| Box::new(register::Append::default()) },
    Row { name: "W3 list+watch", weight: 4, make: |_| Box::new(watching::ListWatch::default()) },
    Row { name: "W4 leases", weight: 5, make: |_| Box::new(leases::Leases) },
    Row { name: "W5 compaction", weight: 2, make: |_| Box::new(compaction::Compactor) },
    Row { name: "W6 odd watches", weight: 3, make: |_| Box::new(watching::Odd::default()) },
    Row { name: "W7 ranges", weight: 3, make: |_| Box::new(ranges::Ranges) },
    Row { name: "W8 nested", weight: 3, make: |_| Box::new(nested::Nested) },
    Row { name: "W9 locks", weight: 4, make: |random| Box::new(locks::Locker::new(random)) },
    Row { name: "W10 auth", weight: 2, make: |_| Box::new(auth::Administrator::default()) },
    Row { name: "W11 quota", weight: 2, make: |_| Box::new(quota::Filler::default()) },
    Row { name: "W12 snapshots", weight: 2, make: |_| Box::new(saving::Saver) },
];

impl World<'_> {
    pub(super) fn key(&mut self) -> Bytes {
        let number = self.random.below(self.keys);
        Bytes::from(format!("k{number}"))
    }

    pub(super) fn value(&mut self) -> Bytes {
        *self.last_value += 1;
        Bytes::from(format!("v{}", self.last_value))
    }

    pub(super) fn put(&mut self) -> PutRequest {
        let (key, value) = (self.key(), self.value());
        let prev_kv = self.random.chance(1, 4);
        PutRequest { key, value, prev_kv, ..PutRequest::default() }
    }

    /// A delete of one key, or of a few.
    pub(super) fn delete(&mut self) -> DeleteRangeRequest {
        let key = self.key();
        let range_end = if self.random.chance(1, 4) { self.key() } else { Bytes::new() };
        let prev_kv = self.random.chance(1, 2);
        DeleteRangeRequest { key, range_end, prev_kv }
    }

    /// All keys, one key, or some.
    pub(super) fn range(&mut self) -> (Bytes, Bytes) {
        match self.random.below(4) {
            0 => (Bytes::from_static(&[0]), Bytes::from_static(&[0])),
            1 => (Bytes::from_static(b"k"), Bytes::from_static(b"l")),
            2 => (self.key(), self.key()),
            _ => (self.key(), Bytes::new()),
        }
    }

    /// A revision between `before` below and `after` above the newest known; at least 1.
    pub(super) fn near(&mut self, before: u32, after: u32) -> i64 {
        let drawn = i64::from(self.random.below(before + after + 1)) - i64::from(before);
        (self.revision + drawn).max(1)
    }
}

fn get(key: Bytes) -> Request {
    Request::Range(RangeRequest { key, ..RangeRequest::default() })
}
