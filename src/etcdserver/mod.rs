//! One etcd member, still pure: Raft, MVCC and membership joined through Input and Output.
//!
//! What it is: a value driven by [`Server::handle`] that hands out work through [`Server::poll_output`].
//! What it is not: a driver. Nobody in here sends, writes, waits or asks for the time.
//! Invariants: see `io` (the contract), `disk` (persist before send), `read` (linearizable reads),
//! `apply` (the same state on every member).

mod answer;
mod apply;
mod config;
mod disk;
mod io;
mod observe;
mod read;
mod ready;
mod record;
mod request;
mod rpc;
mod server;

pub use config::{QUOTA_BYTES_DEFAULT, QUOTA_BYTES_PAGE, ServerConfig};
pub use io::{
    DiskImage, DiskPut, DiskStore, Fence, Input, Output, RequestId, Round, StreamId, Ticket,
};
pub use observe::View;
pub use record::StartError;
pub use server::Server;
