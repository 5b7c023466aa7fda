//! Behaviour of etcd 3.7 that implementers get wrong, and what its users reported: one golden test per entry.
//!
//! What it is: `behaviour_NN_…` is entry NN of the list of 80 behaviours, `report_NN_…` entry NN of the public
//! reports, `hashkv_…` the 19 hashes; the table is in `README.md` here. The same functions run natively
//! (`tests/behaviour.rs`) and in a worker of the browser (`tests/wasm.rs`).
//! What it is not: a search; that is the simulator's.
//! Invariants: every value is exact; a test asks a whole simulated cluster where a client could see the
//! behaviour, and the store itself where only its insides show it.

#[path = "../support/mod.rs"]
pub(crate) mod support;

#[path = "../mvcc_behaviour/support.rs"]
#[allow(dead_code, reason = "each test program uses a part of it")]
pub(crate) mod store;

mod auth;
mod cluster;
mod compaction;
mod kv;
mod lease;
mod one;
mod reported_raft;
mod reported_store;
mod reported_watch;
mod txn;
mod watch;
