//! One etcd member, still pure: Raft, MVCC and membership joined through Input and Output.
//!
//! What it is: a value driven by [`Server::handle`] that hands out work through [`Server::poll_output`].
//! What it is not: a driver. Nobody in here sends, writes, waits or asks for the time.
//! Reading order: `io`, `server`, `start`, `propose`, `ready`, `apply`, `applier`, `disk` over `record` and
//! `recover`, `snapshot` and `transfer`, `reconfigure`, `leases` and `keep_alive`, `auth`, `read`, `streams`, `peer`,
//! `corruption`, `compact_hash` and `initial_check`, `auto_compaction`, `saving` and `backup`, `counters` and `metrics`, `log_part` and `trace`.
//! Invariants: see `io` (the contract), `disk` (persist before send), `read` (linearizable reads),
//! `apply` (the same state on every member).

mod answer;
mod applied_state;
mod applier;
mod apply;
mod auth;
mod auto_compaction;
pub mod backup;
mod compact_hash;
mod config;
mod corruption;
mod counters;
mod disk;
mod force;
mod holdings;
mod initial_check;
mod io;
mod keep_alive;
mod leases;
mod log_part;
mod maintenance;
mod metrics;
mod observe;
mod peer;
mod propose;
mod read;
mod ready;
mod reconfigure;
mod record;
mod recover;
mod request;
mod rpc;
mod saving;
mod server;
mod snapshot;
mod start;
mod streams;
mod trace;
mod transfer;

pub use config::{
    InitialState, QUOTA_BYTES_DEFAULT, QUOTA_BYTES_PAGE, SNAPSHOT_CATCHUP_ENTRIES_DEFAULT,
    SNAPSHOT_COUNT_DEFAULT, ServerConfig,
};
pub use io::{
    DiskImage, DiskPut, DiskStore, Fence, Input, Measured, Output, RequestId, Round, StopReason,
    StreamId, Ticket,
};
pub use observe::View;
pub use peer::{LeaseAnswer, LeaseAsk, PeerMessage, SnapshotPart};
pub use recover::StartError;
pub use server::Server;
