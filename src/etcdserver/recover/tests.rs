//! What is read back from disks of all kinds.

use super::*;
use crate::auth::AuthState;
use crate::etcdserver::applied_state::AppliedState;
use crate::etcdserver::disk::encode;
use crate::etcdserver::io::{DiskPut, DiskStore};
use crate::etcdserver::record::{META_KEY, chunks};
use crate::types::{ClusterId, LeaseId, MemberId, Term};

fn entries(range: std::ops::RangeInclusive<u64>, term: u64) -> WalRecord {
    let entry =
        |index| raft::Entry { term: Term(term), index: Index(index), ..raft::Entry::default() };
    WalRecord::Entries(range.map(entry).collect())
}

fn hard_state(term: u64, commit: u64) -> WalRecord {
    WalRecord::HardState(raft::HardState { term: Term(term), vote: None, commit: Index(commit) })
}

fn meta(base: u64, applied: u64) -> Meta {
    Meta {
        member: MemberId(1),
        cluster_id: ClusterId(2),
        boot: 3,
        log_base: raft::EntryId { term: Term(1), index: Index(base) },
        snapshot_index: Index(base),
        generation: 0,
        state: AppliedState { index: Index(applied), ..AppliedState::default() },
        auth: AuthState::default(),
    }
}

fn put(image: &mut DiskImage, puts: Vec<DiskPut>) {
    for put in puts {
        image.store_mut(put.store).insert(put.key, put.bytes);
    }
}

/// A disk with this meta record and these WAL batches, under keys from 1 on.
fn image(meta: &Meta, batches: &[&[WalRecord]]) -> DiskImage {
    let mut image = DiskImage::default();
    put(&mut image, chunks(DiskStore::Meta, META_KEY, &encode(meta)));
    for (key, batch) in (1..).zip(batches) {
        put(&mut image, chunks(DiskStore::Wal, key, &encode(&batch)));
    }
    image
}

/// Makes the chunks what an older format wrote: it had the checksum of the rest only.
fn as_of_format(image: &mut DiskImage, format: u8) {
    for store in [DiskStore::Meta, DiskStore::Wal, DiskStore::Rows] {
        for bytes in image.store_mut(store).values_mut() {
            let mut chunk = bytes.to_vec();
            let checksum = crate::types::CRC32C.checksum(&chunk[5..]);
            chunk[0] = format;
            chunk[1..5].copy_from_slice(&checksum.to_le_bytes());
            *bytes = chunk.into();
        }
    }
}

fn log(recovered: &Recovered) -> Vec<(u64, u64)> {
    recovered.entries.iter().map(|entry| (entry.term.0, entry.index.0)).collect()
}

#[test]
fn entries_below_the_base_are_passed_over_even_if_their_batch_is_still_there() {
    let all: &[&[WalRecord]] =
        &[&[entries(1..=6, 1)], &[entries(4..=5, 2), hard_state(2, 5)], &[entries(6..=6, 2)]];
    for (base, expected) in [
        (0, vec![(1, 1), (1, 2), (1, 3), (2, 4), (2, 5), (2, 6)]),
        (3, vec![(2, 4), (2, 5), (2, 6)]),
        (5, vec![(2, 6)]),
        (6, vec![]),
    ] {
        let recovered = recover(&image(&meta(base, 5.max(base)), all)).unwrap();
        assert_eq!(log(&recovered), expected, "base {base}");
        assert_eq!(recovered.next_wal_key, 4);
        let last: Vec<u64> = recovered.wal_batches.iter().map(|batch| batch.last.0).collect();
        assert_eq!(last, [3, 5, 6]);
    }
}

#[test]
fn a_gap_above_the_base_is_an_error() {
    let refused =
        |base, batches: &[&[WalRecord]]| recover(&image(&meta(base, base), batches)).err();
    assert!(refused(3, &[&[entries(5..=6, 1)]]).is_some());
    assert!(refused(4, &[&[entries(5..=6, 1)]]).is_none());
    assert!(refused(4, &[&[entries(5..=6, 1)], &[entries(8..=8, 1)]]).is_some());
    assert!(refused(4, &[&[entries(5..=6, 1), hard_state(1, 7)]]).is_some(), "7 is missing");
}

#[test]
fn a_snapshot_makes_the_log_before_it_void_whatever_is_left_of_it() {
    let id = raft::EntryId { term: Term(4), index: Index(20) };
    let batches: &[&[WalRecord]] = &[
        &[entries(15..=30, 3)],
        &[entries(31..=32, 3), hard_state(3, 17)],
        &[WalRecord::Snapshot(id), hard_state(4, 20)],
        &[entries(21..=22, 4)],
    ];
    let mut meta = meta(20, 20);
    meta.log_base = id;
    let recovered = recover(&image(&meta, batches)).unwrap();
    assert_eq!(log(&recovered), [(4, 21), (4, 22)]);
    assert_eq!(recovered.hard_state.term, Term(4));
    let last: Vec<u64> = recovered.wal_batches.iter().map(|batch| batch.last.0).collect();
    assert_eq!(last, [0, 0, 0, 22]);
}

#[test]
fn rows_of_another_generation_are_orphans() {
    let mut meta = meta(0, 0);
    meta.generation = 2;
    let mut image = image(&meta, &[]);
    let rows: Vec<mvcc::Row> = Vec::new();
    for generation in 1..=3 {
        put(&mut image, chunks(DiskStore::Rows, first_rows_key(generation), &encode(&rows)));
    }
    let recovered = recover(&image).unwrap();
    assert_eq!(recovered.orphans, [first_rows_key(1), first_rows_key(3)]);
    assert_eq!(recovered.next_rows_key, first_rows_key(2) + 1);
    assert_eq!(recovered.next_generation, 4);
}

#[test]
fn leases_lie_beside_the_rows_of_their_generation() {
    let mut meta = meta(0, 0);
    meta.generation = 1;
    let mut image = image(&meta, &[]);
    let lease = |id| StoredLease { id: LeaseId(id), ttl: 60, remaining_ttl: 0 };
    for (key, id) in [(0, 5), (3, -6)] {
        let key = first_lease_key(1) + key;
        put(&mut image, chunks(DiskStore::Rows, key, &encode(&lease(id))));
    }
    put(&mut image, chunks(DiskStore::Rows, first_lease_key(2), &encode(&lease(7))));
    put(&mut image, chunks(DiskStore::Rows, first_rows_key(1), &encode(&Vec::<mvcc::Row>::new())));
    let recovered = recover(&image).unwrap();
    assert_eq!(
        recovered.leases,
        [(first_lease_key(1), lease(5)), (first_lease_key(1) + 3, lease(-6))]
    );
    assert_eq!(recovered.orphans, [first_lease_key(2)]);
    assert_eq!(recovered.next_rows_key, first_rows_key(1) + 1);
}

#[test]
fn a_disk_of_format_2_is_read() {
    let meta = meta(0, 2);
    let whole = encode(&meta);
    let (old, _) = whole.split_at(whole.len() - encode(&AuthState::default()).len());
    let mut image = image(&meta, &[&[entries(1..=3, 1), hard_state(1, 2)]]);
    put(&mut image, chunks(DiskStore::Meta, META_KEY, old));
    as_of_format(&mut image, 2);
    let recovered = recover(&image).unwrap();
    assert_eq!(recovered.meta.as_ref(), Some(&meta));
    assert_eq!(log(&recovered), [(1, 1), (1, 2), (1, 3)]);
}

#[test]
fn a_disk_of_format_1_is_read() {
    // Field for field what format 1 wrote.
    let old = (
        (MemberId(7), ClusterId(8), 3u64, Index(2), raft::ConfState::default()),
        (crate::membership::Cluster::new_static(3), 9i64, Some(4i64), Some(4i64), 40_960i64),
    );
    let mut image = DiskImage::default();
    put(&mut image, chunks(DiskStore::Meta, META_KEY, &encode(&old)));
    put(&mut image, chunks(DiskStore::Wal, 1, &encode(&vec![entries(1..=3, 1), hard_state(2, 2)])));
    as_of_format(&mut image, 1);
    let recovered = recover(&image).unwrap();
    let meta = recovered.meta.as_ref().unwrap();
    assert_eq!((meta.member, meta.boot, meta.log_base.index), (MemberId(7), 3, Index(0)));
    assert_eq!((meta.state.index, meta.state.revision), (Index(2), 9));
    assert_eq!((meta.state.compact_revision, meta.state.db_size), (Some(4), 40_960));
    assert_eq!(meta.state.cluster.members.len(), 3);
    assert_eq!(log(&recovered), [(1, 1), (1, 2), (1, 3)]);
    let mut newer = image;
    for bytes in newer.store_mut(DiskStore::Wal).values_mut() {
        let mut chunk = bytes.to_vec();
        chunk[0] = 9;
        *bytes = chunk.into();
    }
    let error = recover(&newer).unwrap_err().to_string();
    assert!(error.contains("format 9"), "{error}");
}

#[test]
fn rows_that_do_not_rise_make_a_disk_unreadable() {
    for revisions in [[3, 3], [4, 3]] {
        let mut image = image(&meta(0, 0), &[]);
        let revision = |main| mvcc::Revision::new(main, 0);
        for (key, main) in (first_rows_key(0)..).zip(revisions) {
            let kv = crate::api::KeyValue { key: Bytes::from_static(b"k"), ..Default::default() };
            let row = mvcc::Row { revision: revision(main), kv, is_tombstone: false };
            put(&mut image, chunks(DiskStore::Rows, key, &encode(&vec![row])));
        }
        let error = recover(&image).expect_err("it is damaged").to_string();
        let expected = format!("row {} follows row {}", revision(3), revision(revisions[0]));
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn a_disk_with_one_flipped_bit_is_refused_whichever_it_is_and_whatever_the_format() {
    let lease = StoredLease { id: LeaseId(5), ttl: 60, remaining_ttl: 0 };
    let kv = crate::api::KeyValue { key: Bytes::from_static(b"k"), ..Default::default() };
    let row = mvcc::Row { revision: mvcc::Revision::new(2, 0), kv, is_tombstone: false };
    let mut whole =
        image(&meta(0, 2), &[&[entries(1..=2, 1)], &[entries(3..=3, 1), hard_state(1, 2)]]);
    put(&mut whole, chunks(DiskStore::Rows, first_rows_key(0), &encode(&vec![row])));
    put(&mut whole, chunks(DiskStore::Rows, first_lease_key(0), &encode(&lease)));
    for format in [3, 2] {
        if format < 3 {
            as_of_format(&mut whole, format);
        }
        recover(&whole).expect("it is whole");
        for store in [DiskStore::Meta, DiskStore::Wal, DiskStore::Rows] {
            let keys: Vec<u64> = whole.store_mut(store).keys().copied().collect();
            for key in keys {
                let bits = whole.store_mut(store).get(&key).unwrap().len() * 8;
                for bit in 0..bits {
                    let mut damaged = whole.clone();
                    let mut chunk = damaged.store_mut(store).get(&key).unwrap().to_vec();
                    chunk[bit / 8] ^= 1 << (bit % 8);
                    damaged.store_mut(store).insert(key, chunk.into());
                    assert!(recover(&damaged).is_err(), "{store:?} {key}, bit {bit}");
                }
            }
        }
    }
}

/// The fence is written a moment after the database: it may still tell of an entry that a newer leader has replaced.
#[test]
fn a_log_whose_end_a_newer_leader_cut_off_is_no_rolled_back_disk_and_one_without_its_end_is() {
    let before: &[&[WalRecord]] = &[
        &[entries(1..=318, 1), hard_state(18, 309)],
        &[entries(319..=319, 18), hard_state(20, 309)],
        &[entries(319..=319, 19)],
    ];
    let replaced = [entries(319..=319, 18)];
    let after = [before, &[&replaced]].concat();
    let fence = Fence {
        boot: 3,
        term: Term(20),
        commit: Index(309),
        last_log_term: Term(19),
        last_log_index: Index(319),
        wal_end: 4,
        ..Fence::default()
    };
    let check = |batches: &[&[WalRecord]], fence: &Fence| {
        check_fence(&recover(&image(&meta(0, 309), batches)).unwrap(), fence)
    };
    assert_eq!(check(before, &fence), Ok(()));
    assert_eq!(check(&after, &fence), Ok(()));
    let lost = check(&before[..2], &fence).unwrap_err().to_string();
    assert!(lost.contains("its log ends at entry 319 of term 18"), "{lost}");
    let written = Fence { last_log_term: Term(18), wal_end: 5, ..fence };
    assert_eq!(check(&after, &written), Ok(()));
    assert!(check(before, &written).is_err());
}
