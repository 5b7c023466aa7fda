//! Watches: who wants an event, fan-out, slow streams, coming and going.

use std::hint::black_box;

use bytes::Bytes;
use etcd_playground::api::{WatchCreateRequest, WatchRequest};
use etcd_playground::mvcc::{StreamId, WATCH_STREAM_QUEUE_MAX, WatchableStore};

use crate::store::{key, put, scattered};
use crate::table::{self, spent};

/// Watches of one stream; fewer than a stream's queue takes, so that one event per watch fits.
const PER_STREAM: u64 = 100;

/// Puts per round where each reaches few watches.
const PUTS: u64 = 100_000;

fn value() -> Bytes {
    Bytes::from_static(b"value")
}

fn poll_all(store: &mut WatchableStore) -> u64 {
    let mut responses = 0;
    while let Some(response) = store.poll_watch() {
        black_box(response);
        responses += 1;
    }
    responses
}

/// `count` watches; the `i`-th watches what `request` says for `i`.
pub(crate) fn watched(
    count: u64,
    per_stream: u64,
    request: impl Fn(u64) -> WatchCreateRequest,
) -> WatchableStore {
    let mut store = WatchableStore::new();
    put(&mut store, &key(0), value());
    create(&mut store, count, per_stream, request);
    poll_all(&mut store);
    store
}

fn create(
    store: &mut WatchableStore,
    count: u64,
    per_stream: u64,
    request: impl Fn(u64) -> WatchCreateRequest,
) {
    for number in 0..count {
        let stream = StreamId(number / per_stream);
        store.watch(stream, &WatchRequest::Create(request(number)));
    }
}

pub(crate) fn one_key(number: u64) -> WatchCreateRequest {
    WatchCreateRequest { key: key(number), ..WatchCreateRequest::default() }
}

pub(crate) fn range(start: u64, end: u64) -> WatchCreateRequest {
    WatchCreateRequest { key: key(start), range_end: key(end), ..WatchCreateRequest::default() }
}

/// One put that every watch wants, per event.
fn fan_out(mut store: WatchableStore, watches: u64) -> table::Spent {
    spent(watches, || {
        put(&mut store, &key(1), value());
        let responses = poll_all(&mut store);
        assert!(responses == watches, "{responses} of {watches} events came");
    })
}

/// Puts to scattered keys, each wanted by one watch, per put.
fn narrow(mut store: WatchableStore, keys: u64) -> table::Spent {
    let keys: Vec<Bytes> = scattered(keys)
        .into_iter()
        .cycle()
        .take(usize::try_from(PUTS).expect("fits"))
        .map(key)
        .collect();
    spent(PUTS, || {
        for key in &keys {
            put(&mut store, key, value());
            assert!(poll_all(&mut store) == 1, "one watch wants it");
        }
    })
}

/// Prints the table of the watches.
pub(crate) fn measure() {
    table::head(
        "watches",
        "n watches, 100 per stream unless said; a put, and everything it queues polled; processor time; the median of 5, 5, 3 rounds",
    );
    table::row("fan-out of a put to n watches, per event", |size| {
        fan_out(watched(size, PER_STREAM, |_| one_key(1)), size)
    });
    table::row("the same, watches of ranges", |size| {
        let order = scattered(size);
        let end = move |number: u64| order[usize::try_from(number).expect("fits")] + 2;
        fan_out(watched(size, PER_STREAM, |number| range(0, end(number))), size)
    });
    table::row("put, n watches of one key each", |size| {
        narrow(watched(size, PER_STREAM, one_key), size)
    });
    table::row("put, n watches of one range each", |size| {
        let order = scattered(size);
        let start = move |number: u64| order[usize::try_from(number).expect("fits")];
        let store = watched(size, PER_STREAM, |number| range(start(number), start(number) + 1));
        narrow(store, size)
    });
    table::row("slow streams: per event, 1,000 watches each", |size| {
        let mut store = watched(size, 1_000, |_| one_key(1));
        spent(size, || {
            put(&mut store, &key(1), value());
            let mut responses = poll_all(&mut store);
            while store.sync_watchers(WATCH_STREAM_QUEUE_MAX) {
                responses += poll_all(&mut store);
            }
            responses += poll_all(&mut store);
            assert!(responses == size, "{responses} of {size} events came");
        })
    });
    table::row("txn of 100 puts, n watches of 100 keys, per event", |size| {
        let mut store = watched(size, PER_STREAM, |number| one_key(number % 100));
        let keys: Vec<Bytes> = (0..100).map(key).collect();
        spent(size, || {
            let mut write = store.begin_write();
            for key in &keys {
                write.put(key, value(), etcd_playground::types::LeaseId(0));
            }
            black_box(write.end());
            assert!(poll_all(&mut store) == size, "every watch has one event");
        })
    });
    table::row("create a watch of a key", |size| {
        let mut store = WatchableStore::new();
        spent(size, || create(&mut store, size, PER_STREAM, one_key))
    });
    table::row("create a watch of a range", |size| {
        let mut store = WatchableStore::new();
        let order = scattered(size);
        let start = move |number: u64| order[usize::try_from(number).expect("fits")];
        spent(size, || {
            create(&mut store, size, PER_STREAM, |number| range(start(number), start(number) + 1));
        })
    });
    table::row("close streams, per watch of one key", |size| {
        let mut store = watched(size, PER_STREAM, |_| one_key(1));
        spent(size, || {
            for stream in 0..size / PER_STREAM {
                store.close_stream(StreamId(stream));
            }
        })
    });
}
