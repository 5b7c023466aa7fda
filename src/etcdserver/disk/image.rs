//! A disk that no member has written yet: what a restored member starts from.
//!
//! What it is: the rounds of an installed snapshot, done at once on an empty disk.
//! Invariants: the result is what [`recover`](crate::etcdserver::recover) reads; its log is empty and
//! begins after the meta record's `log_base`.

use super::encode;
use super::install::Install;
use crate::etcdserver::io::{DiskImage, DiskStore, Round};
use crate::etcdserver::record::{self, Meta, WalRecord};
use crate::lease::StoredLease;
use crate::mvcc;
use crate::raft;

/// Writes rows, leases, the meta record and a log without entries.
pub(crate) fn image(
    meta: Meta,
    hard_state: raft::HardState,
    rows: &[mvcc::Row],
    leases: &[StoredLease],
) -> DiskImage {
    let metadata = raft::SnapshotMetadata {
        conf_state: meta.state.conf_state.clone(),
        index: meta.log_base.index,
        term: meta.log_base.term,
    };
    let mut install = Install::new(metadata, (rows, leases), meta, hard_state, 0);
    let mut round = Round::default();
    while let Some(puts) = install.next_rows() {
        round.puts.extend(puts);
    }
    let meta = encode(install.meta());
    round.puts.extend(record::chunks(DiskStore::Meta, record::META_KEY, &meta));
    let log = encode(&[WalRecord::HardState(hard_state)].as_slice());
    round.puts.extend(record::chunks(DiskStore::Wal, 1, &log));
    let mut image = DiskImage::default();
    image.apply(&round);
    image
}
