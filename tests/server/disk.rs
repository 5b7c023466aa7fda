//! What a put costs on disk, and what a restart costs in rows.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a measurement")]

use std::time::Instant;

use bytes::Bytes;
use etcd_playground::api::{self, PutRequest, Request};
use etcd_playground::etcdserver::{
    DiskImage, DiskStore, Input, Output, RequestId, Round, Server, ServerConfig,
};
use etcd_playground::membership::Cluster;

/// A member alone, with a disk that is done at once.
struct Solo {
    server: Server,
    disk: DiskImage,
    replies: u64,
    /// Bytes handed to each store, and rounds.
    wal: u64,
    rows: u64,
    meta: u64,
    rounds: u64,
    /// Most that one round had. Unit: bytes.
    largest: u64,
}

fn config() -> ServerConfig {
    let members = Cluster::new_static(1).member_list();
    ServerConfig::new(members[0].id, members, 1)
}

impl Solo {
    fn start(disk: DiskImage) -> Self {
        let server = Server::start(config(), &disk, None).unwrap();
        let mut solo =
            Self { server, disk, replies: 0, wal: 0, rows: 0, meta: 0, rounds: 0, largest: 0 };
        solo.drain();
        for _ in 0..40 {
            solo.handle(Input::Tick);
        }
        solo
    }

    fn handle(&mut self, input: Input) {
        self.server.handle(input);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.server.poll_output() {
            match output {
                Output::Persist(round) => {
                    self.write(&round);
                    self.server.handle(Input::Persisted(round.ticket));
                }
                Output::Reply { result, .. } => {
                    result.unwrap();
                    self.replies += 1;
                }
                _ => {}
            }
        }
    }

    fn write(&mut self, round: &Round) {
        let mut all = 0;
        for put in &round.puts {
            let bytes = u64::try_from(put.bytes.len()).unwrap();
            all += bytes;
            match put.store {
                DiskStore::Wal => self.wal += bytes,
                DiskStore::Rows => self.rows += bytes,
                DiskStore::Meta => self.meta += bytes,
            }
        }
        self.rounds += 1;
        self.largest = self.largest.max(all);
        self.disk.apply(round);
    }

    fn put(&mut self, number: u64, value: &[u8]) -> Input {
        let put = PutRequest {
            key: Bytes::from(format!("key-{:06}", number % 20_000)),
            value: Bytes::copy_from_slice(value),
            ..Default::default()
        };
        Input::Client { id: RequestId(number), token: None, request: Request::Put(put) }
    }

    fn written(&self) -> u64 {
        self.wal + self.rows + self.meta
    }
}

#[test]
fn bytes_written_per_put_are_bounded_and_do_not_grow_with_the_store() {
    // (value bytes, puts that arrive together, most bytes written per byte of the request)
    for (value_bytes, together, factor_max) in
        [(100, 1, 12), (1_000, 1, 4), (1_000, 64, 3), (100_000, 1, 3)]
    {
        let mut solo = Solo::start(DiskImage::default());
        let value = vec![b'v'; value_bytes];
        let count = (4_000_000 / value_bytes).clamp(100, 6_000);
        let count = u64::try_from(count - count % together).unwrap();
        let mut number = 0;
        let mut halves = Vec::new();
        for half in 1..=2 {
            let before = solo.written();
            while number < count * half / 2 {
                let inputs = (0..together).map(|_| {
                    number += 1;
                    solo.put(number, &value)
                });
                let inputs = inputs.collect();
                solo.handle(Input::Batch(inputs));
                if number.is_multiple_of(10) {
                    solo.handle(Input::Tick);
                }
            }
            solo.handle(Input::Tick);
            halves.push(solo.written() - before);
        }
        assert_eq!(solo.replies, number);
        let asked = number * u64::try_from(value_bytes + 10).unwrap();
        let tenths = solo.written() * 10 / asked;
        println!(
            "{number} puts of {value_bytes} bytes, {together} together: {} bytes a put, {}.{} times what was \
             put (log {}, rows {}, meta {} a put), {} rounds",
            solo.written() / number,
            tenths / 10,
            tenths % 10,
            solo.wal / number,
            solo.rows / number,
            solo.meta / number,
            solo.rounds
        );
        assert!(tenths <= factor_max * 10, "{tenths} tenths");
        assert!(halves[1] <= halves[0] + halves[0] / 10, "it grows: {halves:?}");
    }
}

/// A disk with so many revisions on it, written as a busy member writes them.
fn disk_with(revisions: u64) -> DiskImage {
    let mut solo = Solo::start(DiskImage::default());
    let mut number = 0;
    while number < revisions {
        let inputs: Vec<Input> = (0..100)
            .map(|_| {
                number += 1;
                solo.put(number, b"a value of some thirty bytes..")
            })
            .collect();
        solo.handle(Input::Batch(inputs));
        if number.is_multiple_of(1_000) {
            solo.handle(Input::Tick);
        }
    }
    for _ in 0..5 {
        solo.handle(Input::Tick);
    }
    solo.disk
}

fn chunks(disk: &DiskImage) -> u64 {
    u64::try_from(disk.wal.len() + disk.rows.len() + disk.meta.len()).unwrap()
}

#[test]
fn a_member_with_a_hundred_thousand_revisions_restarts_in_time_linear_in_its_rows() {
    let mut costs = Vec::new();
    for revisions in [12_500, 25_000, 50_000, 100_000] {
        let disk = disk_with(revisions);
        let bytes: usize = disk
            .wal
            .values()
            .chain(disk.rows.values())
            .chain(disk.meta.values())
            .map(Bytes::len)
            .sum();
        // The quickest of some: other work shares the machine.
        let mut best = u128::MAX;
        for _ in 0..5 {
            let begun = Instant::now();
            let server = Server::start(config(), &disk, None).unwrap();
            best = best.min(begun.elapsed().as_micros());
            let status: api::MemberStatus = server.status();
            assert_eq!(status.revision, i64::try_from(revisions).unwrap() + 1);
        }
        println!(
            "{revisions} revisions: {} chunks, {bytes} bytes, started in {best} us",
            chunks(&disk)
        );
        costs.push((revisions, chunks(&disk), bytes, best));
    }
    for two in costs.windows(2) {
        let [(_, chunks, bytes, time), (revisions, more_chunks, more_bytes, more_time)] = two
        else {
            unreachable!()
        };
        assert!(*more_chunks <= chunks * 2 + 100, "{revisions}: chunks {chunks} -> {more_chunks}");
        assert!(*more_bytes <= bytes * 2 + 100_000, "{revisions}: bytes {bytes} -> {more_bytes}");
        // Twice the rows, a tree a level deeper, and a busy machine: far from four times.
        assert!(*more_time <= time * 3 + 20_000, "{revisions}: {time} us -> {more_time} us");
    }
    let (_, _, _, last) = costs[3];
    assert!(last < 1_000_000, "100,000 revisions take {last} us");
}
