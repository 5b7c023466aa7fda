//! Operations for an instruction counter: setting up is left out by [`counted`], which the counter watches for.
//!
//! Run as `engine count OPERATION SIZE` under `valgrind --tool=callgrind --toggle-collect=*counted*`;
//! `cargo xtask bench engine counts` does, and divides by [`OPERATIONS`].

use std::hint::black_box;

use bytes::Bytes;
use etcd_playground::api::RangeRequest;
use etcd_playground::mvcc::WatchableStore;

use crate::store::{filled, key, put, scattered};
use crate::watches::{one_key, range, watched};

/// Operations of one count.
const OPERATIONS: usize = 1_000;

#[inline(never)]
fn counted(work: impl FnOnce()) {
    work();
}

/// Counts [`OPERATIONS`] operations on a store of `size` keys, or with as many watches.
pub(crate) fn count(operation: &str, size: u64) {
    let some: Vec<u64> = scattered(size).into_iter().take(OPERATIONS).collect();
    match operation {
        "put" => puts(filled(size, 1), &some),
        "get" => gets(&filled(size, 1), &some),
        "put-watched-keys" => puts(watched(size, 100, one_key), &some),
        "put-watched-ranges" => {
            puts(watched(size, 100, |number| range(number, number + 1)), &some);
        }
        other => panic!("no operation is called {other}"),
    }
}

fn puts(mut store: WatchableStore, numbers: &[u64]) {
    let keys: Vec<Bytes> = numbers.iter().copied().map(key).collect();
    counted(|| {
        for key in &keys {
            put(&mut store, key, Bytes::from_static(b"value"));
            black_box(store.poll_watch());
        }
    });
}

fn gets(store: &WatchableStore, numbers: &[u64]) {
    let requests: Vec<RangeRequest> = numbers
        .iter()
        .map(|number| RangeRequest { key: key(*number), ..RangeRequest::default() })
        .collect();
    counted(|| {
        for request in &requests {
            black_box(store.range(request).expect("a range"));
        }
    });
}
