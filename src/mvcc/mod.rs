//! The multi-version store of etcd 3.7 as a pure state machine.
//!
//! What it is: every version of every key by revision, reads at any revision that is not compacted,
//! transactions that share one revision, compaction, `HashKV`, and watches over all of it.
//! What it is not: a disk (the driver stores [`Row`]s, append-only, and hands them back to
//! [`WatchableStore::restore`]), a clock (the server says when to sync, compact and notify), a
//! quota or a permission check (see `etcdserver`), or leases (a closure says whether one exists).
//!
//! Invariants:
//! - a store starts at revision 1; each write transaction that changes something takes exactly one
//!   main revision, and its changes take subs 0, 1, 2, …;
//! - the key index and the rows name the same revisions at the end of every call;
//! - an `Err` means that nothing changed.
//!
//! Where it differs from etcd: a key deleted and created again within one revision survives a
//! compaction at that revision; `HashKV` leaves superseded rows out even if nothing is kept; a slow
//! watcher goes back to "unsynced" at once instead of waiting as a "victim", because its events can
//! be read again from the store.
//! Source: etcd `server/storage/mvcc`, `server/etcdserver/txn`, `server/etcdserver/api/v3rpc`.

mod change;
mod compaction;
mod hash;
mod key_index;
mod key_range;
mod proto;
mod range;
mod range_tree;
pub mod request_check;
mod restore;
mod revision;
mod size;
mod store;
mod tree_index;
pub mod txn;
mod verify;
mod watchable_store;
mod watcher;
mod watcher_group;
mod watches;
mod write_txn;

pub use change::Change;
pub use compaction::{COMPACTION_BATCH_ROWS, COMPACTION_INTERVAL_MS, CompactionProgress};
pub use hash::HashKv;
pub use range::RangeResult;
pub use restore::Error;
pub use revision::{Revision, Row};
pub use watchable_store::WatchableStore;
pub use watcher::StreamId;
pub use watches::{
    PROGRESS_NOTIFY_INTERVAL_MS, SYNC_INTERVAL_MS, WATCH_BATCH_REVISIONS_MAX,
    WATCH_FRAGMENT_BYTES_MAX, WATCH_STREAM_QUEUE_MAX, WatchCounts,
};
pub use write_txn::WriteTxn;
