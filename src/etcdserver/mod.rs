//! One etcd member, still pure: Raft, MVCC and membership joined through Input and Output.

pub mod io;
