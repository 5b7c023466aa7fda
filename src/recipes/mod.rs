//! Locks and elections as clients build them from leases, transactions and watches.
//!
//! What it is: etcd's concurrency recipes as state machines: each says what to ask or to watch next, and takes the
//! answer. `etcdctl lock` and `elect` run them, and so does the simulator.
//! What it is not: a client. Who runs a recipe sends, keeps the lease alive ([`keep_alive_ms`]), and decides what a
//! lost connection means. And it is no proof of ownership: between its last answer and the next thing that the owner
//! does the lease may end, and somebody else may own the lock. What must not happen twice has to be guarded by
//! [`Lock::is_owner`] or [`Election::is_leader`] in the transaction that does it.
//! Invariants: no clock, no randomness; the owner is whoever has the oldest key under the prefix, and each waits for
//! the key just before its own and for no other.
//! Source: behaviour of etcd `client/v3/concurrency` (`mutex.go`, `election.go`, `key.go`, `session.go`).

mod election;
mod lock;
mod queue;

pub use election::{Election, Observer, Sight};
pub use lock::Lock;

use crate::api::{Request, WatchCreateRequest};

/// The time to live of a session's lease. Unit: s. Source: etcd `defaultSessionTTL`.
pub const SESSION_TTL_S: i64 = 60;

/// How often a lease of this time to live is kept alive. Unit: ms, from s. Source: etcd's lease client, a third.
#[must_use]
pub fn keep_alive_ms(ttl_s: i64) -> u64 {
    u64::try_from(ttl_s).unwrap_or(0).saturating_mul(1000) / 3
}

/// What a recipe wants next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Ask this, and hand in the answer.
    Ask(Request),
    /// Watch this, and hand in what comes.
    Watch(WatchCreateRequest),
    /// Nothing: the watch goes on.
    Wait,
    /// It is done: the lock is owned, the election won.
    Done,
}

/// Why a recipe came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The key is gone, and so is the lease.
    #[error("mutex: session is expired")]
    SessionExpired,
    /// Somebody else leads, or nobody.
    #[error("election: not leader")]
    NotLeader,
    /// The watch ended.
    #[error("lost watcher waiting for delete")]
    WatchLost,
    /// The answer is not one to what was asked.
    #[error("an answer to something else")]
    Unexpected,
}
