//! Puts, gets, ranges, deletes, compaction, hash, restart and memory of the store.

use std::hint::black_box;

use bytes::Bytes;
use etcd_playground::api::RangeRequest;
use etcd_playground::mvcc::{COMPACTION_BATCH_ROWS, WatchableStore};
use etcd_playground::random::SplitMix64;
use etcd_playground::types::LeaseId;

use crate::allocations;
use crate::table::{self, SIZES, Spent, spent};

/// Bytes of a value.
const VALUE_BYTES: usize = 64;
/// Bytes of a key.
const KEY_BYTES: u64 = 20;
/// Reads per round.
const READS: u64 = 100_000;
/// Keys of a large range.
const RANGE_KEYS: u64 = 1_000;

/// The `number`-th key; keys are in the order of their numbers.
pub(crate) fn key(number: u64) -> Bytes {
    Bytes::from(format!("key/{number:016x}"))
}

/// The numbers below `count`, scattered.
pub(crate) fn scattered(count: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..count).collect();
    let mut random = SplitMix64::new(7);
    for at in (1..numbers.len()).rev() {
        let other = random.next_u64() % (at as u64 + 1);
        numbers.swap(at, usize::try_from(other).expect("an index"));
    }
    numbers
}

pub(crate) fn put(store: &mut WatchableStore, key: &Bytes, value: Bytes) {
    let mut write = store.begin_write();
    write.put(key, value, LeaseId(0));
    drop(black_box(write.end()));
}

fn value() -> Bytes {
    Bytes::from(vec![7; VALUE_BYTES])
}

fn delete(store: &mut WatchableStore, key: &Bytes) {
    let mut write = store.begin_write();
    let deleted = write.delete_range(key, &Bytes::new());
    assert!(deleted.len() == 1, "the key was there");
    drop(black_box(write.end()));
}

/// A store in which each of `keys` keys has `versions` versions.
pub(crate) fn filled(keys: u64, versions: u64) -> WatchableStore {
    let mut store = WatchableStore::new();
    let order = scattered(keys);
    for _ in 0..versions {
        for number in &order {
            put(&mut store, &key(*number), value());
        }
    }
    store
}

fn puts(store: &mut WatchableStore, numbers: &[u64]) -> Spent {
    let pairs: Vec<(Bytes, Bytes)> = numbers.iter().map(|number| (key(*number), value())).collect();
    spent(numbers.len() as u64, || {
        for (key, value) in pairs {
            put(store, &key, value);
        }
    })
}

fn gets(store: &WatchableStore, size: u64) -> Spent {
    let requests: Vec<RangeRequest> = scattered(size)
        .into_iter()
        .cycle()
        .take(usize::try_from(READS).expect("fits"))
        .map(|number| RangeRequest { key: key(number), ..RangeRequest::default() })
        .collect();
    spent(READS, || {
        for request in &requests {
            let found = store.range(request).expect("a range");
            assert!(found.count == 1, "the key is there");
            black_box(found);
        }
    })
}

fn ranges(store: &WatchableStore, size: u64) -> Spent {
    let requests: Vec<RangeRequest> = scattered(size - RANGE_KEYS)
        .into_iter()
        .take(300)
        .map(|number| RangeRequest {
            key: key(number),
            range_end: key(number + RANGE_KEYS),
            ..RangeRequest::default()
        })
        .collect();
    spent(requests.len() as u64, || {
        for request in &requests {
            let found = store.range(request).expect("a range");
            assert!(found.kvs.len() as u64 == RANGE_KEYS, "all keys are there");
            black_box(found);
        }
    })
}

fn limited(store: &WatchableStore, size: u64) -> Spent {
    let request = RangeRequest {
        key: key(0),
        range_end: Bytes::from_static(&[0]),
        limit: 1_000,
        ..RangeRequest::default()
    };
    spent(size, || {
        let found = store.range(&request).expect("a range");
        assert!(found.count.unsigned_abs() == size && found.kvs.len() == 1_000, "limited");
    })
}

fn compact(store: &mut WatchableStore, revisions: u64) -> Spent {
    store.compact(store.current_revision()).expect("it may be compacted");
    spent(revisions, || while !store.compact_batch(COMPACTION_BATCH_ROWS).finished {})
}

/// Prints the table of the store.
pub(crate) fn measure() {
    table::head(
        "store",
        "n keys in scattered order, 20-byte keys, 64-byte values; processor time; the median of 5, 5, 3 rounds",
    );
    table::row("put of a new key", |size| {
        let mut store = WatchableStore::new();
        puts(&mut store, &scattered(size))
    });
    table::row("put of a further version", |size| {
        let mut store = filled(size, 1);
        puts(&mut store, &scattered(size))
    });
    table::row("get", |size| gets(&filled(size, 1), size));
    table::row("range of 1,000 keys", |size| ranges(&filled(size, 1), size));
    table::row("limit 1,000 of all n keys, per key counted", |size| {
        limited(&filled(size, 1), size)
    });
    table::row("delete", |size| {
        let mut store = filled(size, 1);
        let keys: Vec<Bytes> = scattered(size).into_iter().map(key).collect();
        spent(size, || keys.iter().for_each(|key| delete(&mut store, key)))
    });
    table::row("compaction, n/10 keys of 10 versions, per row", |size| {
        compact(&mut filled(size / 10, 10), size)
    });
    table::row("compaction, 1 key of n versions, per row", |size| {
        compact(&mut filled(1, size), size)
    });
    table::row("compaction, n/2 deleted keys, per row", |size| {
        let mut store = filled(size / 2, 1);
        for number in 0..size / 2 {
            delete(&mut store, &key(number));
        }
        compact(&mut store, size)
    });
    table::row("HashKV of n rows, per row", |size| {
        let store = filled(size, 1);
        spent(size, || store.hash_kv(0).expect("a hash"))
    });
    table::row("restore of n rows (a restart), per row", |size| {
        let store = filled(size / 10, 10);
        let rows: Vec<_> = store.rows().cloned().collect();
        spent(size, || {
            let rows = rows.into_iter();
            WatchableStore::restore(rows, None, None, 1).expect("the rows of a store")
        })
    });
}

/// Prints what a key and a further revision take.
pub(crate) fn measure_memory() {
    println!(
        "\nmemory: bytes that stay allocated, per element, without the {KEY_BYTES} + {VALUE_BYTES} bytes of key and value;\n\
         counted by the allocator, so exact but for the allocator's own rounding"
    );
    println!("{:<44}{:>9}{:>9}{:>9}", "bytes at n =", "10^4", "10^5", "10^6");
    let per_key = SIZES.map(|size| {
        let (store, counted) = allocations::during(|| filled(size, 1));
        drop(store);
        counted.kept() / size - KEY_BYTES - VALUE_BYTES as u64
    });
    let per_revision = SIZES.map(|size| {
        let mut store = filled(size / 10, 1);
        let numbers = scattered(size / 10);
        let (_, counted) = allocations::during(|| {
            for _ in 0..9 {
                puts(&mut store, &numbers);
            }
        });
        counted.kept() / (size / 10 * 9) - VALUE_BYTES as u64
    });
    let calls = SIZES.map(|size| {
        let mut store = filled(size / 10, 1);
        let keys: Vec<Bytes> = (0..size / 10).map(key).collect();
        let value = value();
        let (_, counted) =
            allocations::during(|| keys.iter().for_each(|key| put(&mut store, key, value.clone())));
        counted.calls * 10 / keys.len() as u64
    });
    print_row("a key with its first revision", per_key.map(|bytes| bytes.to_string()));
    print_row("a further revision of a key", per_revision.map(|bytes| bytes.to_string()));
    let tenths = calls.map(|calls| format!("{}.{}", calls / 10, calls % 10));
    print_row("allocations per put of a further version", tenths);
}

fn print_row(what: &str, values: [String; 3]) {
    println!("{what:<44}{:>9}{:>9}{:>9}", values[0], values[1], values[2]);
}
