//! One etcd member, still pure: Raft, MVCC and membership joined through Input and Output.

mod config;
mod io;

pub use config::{QUOTA_BYTES_DEFAULT, QUOTA_BYTES_PAGE, ServerConfig};
pub use io::{
    DiskImage, DiskPut, DiskStore, Fence, Input, Output, RequestId, Round, StreamId, Ticket,
};
