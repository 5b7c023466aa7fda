//! Leases: times to live that clients keep alive, and the keys that go with them.
//!
//! What it is: etcd 3.7's lessor as a pure state machine in two parts.
//! [`Leases`] is the replicated part: every member changes it in the same way as entries are applied,
//! it is equal everywhere at an equal index, and it can be stored, sent and hashed through serde.
//! The other part exists on the primary (the leader) only: when each lease expires, what is due for
//! revocation and what for a checkpoint; it is rebuilt at each promotion and never leaves the member.
//! [`Lessor`] joins the two; [`Waiting`] keeps the keep-alives that cannot be answered yet.
//! What it is not: a clock (each call that needs one takes `now`), a store (it names the keys to
//! delete, the server deletes them), a proposer (it says what is to be proposed), a source of ids, or
//! a check of who leads.
//!
//! Invariants:
//! - a key is attached to at most one lease, and that lease exists;
//! - a lease ends by an applied revocation only, never by a member's own clock;
//! - on the primary every lease has exactly one expiry, and no other id has one; elsewhere none has;
//! - an `Err` means that nothing changed.
//!
//! Where it differs from etcd: after a promotion no second sees more expiries than three quarters of
//! the revoke rate, where etcd's own spreading can let the end of one pile fall on the start of the
//! next; a lease has at most one checkpoint scheduled, and gets a new one if it was just renewed when
//! the old one came due; keys are always listed in order.
//! Source: etcd `server/lease`, `server/etcdserver/v3_server.go`, `server/etcdserver/server.go`.

mod config;
mod lessor;
mod primary;
mod queue;
mod replicated;
mod spread;
mod waiting;

#[cfg(test)]
mod tests;

pub use config::{
    CHECK_INTERVAL_MS, CHECKPOINT_BATCHES_PER_CHECK, CHECKPOINTS_PER_BATCH_MAX, Config, TTL_MAX,
};
pub use lessor::{Actions, Counters, Lessor, Renewal, TimeToLive};
pub use replicated::{Error, Lease, Leases, StoredLease};
pub use waiting::{KEEP_ALIVES_WAITING_MAX, Waiting};
