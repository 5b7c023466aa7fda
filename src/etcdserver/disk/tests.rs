//! Rounds: what rides with what, and in which order.

use bytes::Bytes;

use super::*;
use crate::auth::AuthState;
use crate::etcdserver::applied_state::AppliedState;
use crate::etcdserver::io::DiskImage;
use crate::etcdserver::recover::recover;
use crate::types::{ClusterId, LeaseId, MemberId, Term};

fn entry(index: u64, bytes: usize) -> raft::Entry {
    let data = Bytes::from(vec![7; bytes]);
    raft::Entry { term: Term(1), index: Index(index), data, ..raft::Entry::default() }
}

fn row(main: i64, bytes: usize) -> mvcc::Row {
    let kv = crate::api::KeyValue {
        key: Bytes::from_static(b"k"),
        value: Bytes::from(vec![7; bytes]),
        create_revision: 2,
        mod_revision: main,
        version: main - 1,
        ..Default::default()
    };
    mvcc::Row { revision: mvcc::Revision::new(main, 0), is_tombstone: false, kv }
}

fn meta(disk: &Disk, base: u64, applied: u64) -> Meta {
    Meta {
        member: MemberId(1),
        cluster_id: ClusterId(2),
        boot: 1,
        log_base: raft::EntryId { term: Term(u64::from(base > 0)), index: Index(base) },
        snapshot_index: Index(base),
        generation: disk.generation(),
        state: AppliedState { index: Index(applied), ..AppliedState::default() },
        auth: AuthState::default(),
    }
}

fn hard_state(commit: u64) -> raft::HardState {
    raft::HardState { term: Term(1), vote: Some(MemberId(1)), commit: Index(commit) }
}

fn bytes_of(round: &Round) -> usize {
    round.puts.iter().map(|put| put.bytes.len()).sum()
}

/// A disk with `count` entries and rows of 1,000 bytes, each in a round of its own.
fn filled(count: u64) -> (Disk, DiskImage, usize) {
    let mut disk = Disk::new(&recover(&DiskImage::default()).unwrap(), 1);
    let mut image = DiskImage::default();
    let mut written = 0;
    for index in 1..=count {
        disk.append(vec![entry(index, 1_000)], Some(hard_state(index)), Vec::new());
        disk.applied(vec![row(i64::try_from(index).unwrap() + 1, 1_000)]);
        let round = disk.next_round(&meta(&disk, 0, index));
        written += bytes_of(&round);
        image.apply(&round);
        disk.persisted(round.ticket).unwrap();
    }
    (disk, image, written)
}

#[test]
fn what_is_written_per_put_does_not_grow_with_the_state() {
    let (_, _, small) = filled(50);
    let (_, _, large) = filled(500);
    assert!(large < 10 * small + small / 10, "{small} for 50, {large} for 500");
    assert!(large / 500 < 3 * 1_000, "{} bytes for a put of 1,000", large / 500);
}

#[test]
fn a_cut_of_the_log_is_deletes_in_a_round_that_says_where_it_begins() {
    let (mut disk, mut image, _) = filled(20);
    // A last batch without a hard state: the one that has it is among those that go.
    disk.append(vec![entry(21, 1_000)], None, Vec::new());
    let round = disk.next_round(&meta(&disk, 0, 20));
    image.apply(&round);
    disk.persisted(round.ticket).unwrap();
    disk.log_compacted(Index(20));
    assert!(!disk.is_round_due(), "it waits for a round to ride with");
    disk.tick();
    assert!(disk.is_round_due());
    let round = disk.next_round(&meta(&disk, 20, 20));
    assert_eq!(round.deletes.len(), 20);
    assert!(round.deletes.iter().all(|(store, _)| *store == DiskStore::Wal));
    assert!(bytes_of(&round) < 1_000, "nothing is rewritten");
    image.apply(&round);
    let recovered = recover(&image).unwrap();
    assert_eq!(recovered.hard_state, hard_state(20), "written again");
    assert_eq!(recovered.entries.first().map(|entry| entry.index), Some(Index(21)));
    assert_eq!(recovered.entries.len(), 1);
}

#[test]
fn until_its_flip_an_install_leaves_the_old_state_and_what_comes_later_waits() {
    let (mut disk, mut image, _) = filled(20);
    let metadata = raft::SnapshotMetadata {
        index: Index(90),
        term: Term(3),
        ..raft::SnapshotMetadata::default()
    };
    let rows: Vec<mvcc::Row> = (2..=81).map(|main| row(main, 50_000)).collect();
    let lease = |id| StoredLease { id: LeaseId(id), ttl: 60, remaining_ttl: 0 };
    let leases: Vec<StoredLease> = (1..=1_500).map(lease).collect();
    disk.lease_changed(LeaseId(7), Some(lease(7)));
    let mut installed = meta(&disk, 90, 90);
    installed.log_base = raft::EntryId { term: Term(3), index: Index(90) };
    disk.install(
        metadata,
        (&rows, &leases),
        installed,
        Some(raft::HardState { term: Term(3), ..hard_state(90) }),
    );
    let mut later = entry(91, 10);
    later.term = Term(3);
    let answer = raft::Message { to: MemberId(9), ..raft::Message::default() };
    disk.append(vec![later], None, vec![answer]);
    let mut rounds = 0;
    loop {
        assert!(disk.take_free_responses().is_empty(), "the answer waits for its entry");
        let round = disk.next_round(&meta(&disk, 0, 20));
        image.apply(&round);
        let is_flip = disk.persisted(round.ticket).unwrap().installed.is_some();
        let recovered = recover(&image).unwrap();
        if is_flip {
            assert!(bytes_of(&round) < 1_000, "the flip is small");
            assert!(round.must_flush_fence && round.deletes.is_empty());
            assert_eq!(recovered.last_id().index, Index(90));
            assert_eq!(recovered.rows.len(), 80);
            assert_eq!(recovered.leases.len(), 1_500);
            break;
        }
        assert!(bytes_of(&round) < 1_200_000, "{} bytes in a round", bytes_of(&round));
        assert_eq!(recovered.last_id().index, Index(20), "after {rounds} rounds");
        assert_eq!(recovered.rows.len(), 20);
        rounds += 1;
    }
    assert!(rounds > 2, "4 MB in {rounds} rounds");
    let mut after = meta(&disk, 90, 90);
    after.log_base.term = Term(3);
    let round = disk.next_round(&after);
    image.apply(&round);
    let landed = disk.persisted(round.ticket).unwrap();
    assert_eq!((landed.entries.len(), landed.responses.len()), (1, 1));
    let recovered = recover(&image).unwrap();
    assert_eq!((recovered.last_id().index, recovered.orphans.len()), (Index(91), 0));
    assert_eq!(image.wal.len(), 2, "the flip and what came after it");
}

fn revision(main: i64) -> mvcc::Revision {
    mvcc::Revision::new(main, 0)
}

/// A store in which these rows are alive, each of a key of its own.
fn store(live: &[i64]) -> mvcc::WatchableStore {
    let rows = live.iter().map(|main| {
        let kv = crate::api::KeyValue {
            key: Bytes::from(main.to_string()),
            create_revision: *main,
            mod_revision: *main,
            version: 1,
            ..Default::default()
        };
        mvcc::Row { revision: revision(*main), kv, is_tombstone: false }
    });
    mvcc::WatchableStore::restore(rows, None, None, 100).expect("the rows fit")
}

/// Writes rows as one round and lets it land; gives the row keys that it puts and that it deletes.
fn write(disk: &mut Disk, image: &mut DiskImage, revisions: &[i64]) -> (Vec<u64>, Vec<u64>) {
    disk.applied(revisions.iter().map(|main| row(*main, 1)).collect());
    let round = disk.next_round(&meta(disk, 0, 0));
    disk.persisted(round.ticket).expect("the round was in flight");
    image.apply(&round);
    let is_row = |put: &&crate::etcdserver::DiskPut| put.store == DiskStore::Rows;
    let puts = round.puts.iter().filter(is_row).map(|put| put.key).collect();
    (puts, round.deletes.iter().map(|(_, key)| *key).collect())
}

fn on_disk(image: &DiskImage) -> Vec<i64> {
    let recovered = recover(image).expect("it can be read");
    recovered.rows.iter().map(|row| row.revision.main).collect()
}

/// An empty disk and a member's first rounds on it.
fn empty() -> (Disk, DiskImage) {
    let image = DiskImage::default();
    (Disk::new(&recover(&image).unwrap(), 1), image)
}

#[test]
fn a_batch_that_loses_rows_is_replaced_in_its_place_and_goes_with_its_last_row() {
    let (mut disk, mut image) = empty();
    assert_eq!(write(&mut disk, &mut image, &[2, 3]), (vec![1], vec![]));
    assert_eq!(write(&mut disk, &mut image, &[4]), (vec![2], vec![]));
    assert_eq!(write(&mut disk, &mut image, &[6, 8, 9]), (vec![3], vec![]));
    disk.applied(vec![row(10, 1)]);
    // 10 is not on disk yet, and never gets there.
    disk.compacted(&[2, 4, 6, 8, 10].map(revision), &store(&[3, 9]));
    assert_eq!(write(&mut disk, &mut image, &[11]), (vec![1, 3, 4], vec![2]));
    assert_eq!(on_disk(&image), [3, 9, 11]);
    disk.compacted(&[revision(3)], &store(&[9, 11]));
    assert_eq!(write(&mut disk, &mut image, &[]), (vec![], vec![1]));

    let recovered = recover(&image).expect("it can be read");
    let mut disk = Disk::new(&recovered, 2);
    disk.compacted(&[revision(9)], &store(&[11]));
    assert_eq!(write(&mut disk, &mut image, &[12]), (vec![5], vec![3]));
    assert_eq!(on_disk(&image), [11, 12]);
}

#[test]
fn two_compactions_between_rounds_leave_what_the_second_one_leaves() {
    let (mut disk, mut image) = empty();
    write(&mut disk, &mut image, &[2, 3, 4]);
    disk.compacted(&[revision(2)], &store(&[3, 4]));
    disk.compacted(&[revision(3)], &store(&[4]));
    assert_eq!(write(&mut disk, &mut image, &[]), (vec![1], vec![]));
    assert_eq!(on_disk(&image), [4]);
}

#[test]
fn chunks_that_a_replaced_batch_needs_no_more_are_deleted() {
    let (mut disk, mut image) = empty();
    disk.applied(vec![row(2, 130_000)]);
    assert_eq!(write(&mut disk, &mut image, &[3]), (vec![1, 2, 3], vec![]));
    disk.compacted(&[revision(2)], &store(&[3]));
    assert_eq!(write(&mut disk, &mut image, &[]), (vec![1], vec![2, 3]));
    assert_eq!(on_disk(&image), [3]);
}

#[test]
fn rows_that_do_not_rise_make_a_disk_unreadable() {
    for revisions in [[3, 3], [4, 3]] {
        let mut image = DiskImage::default();
        for (key, main) in (1..).zip(revisions) {
            let puts = record::chunks(DiskStore::Rows, key, &encode(&vec![row(main, 1)]));
            image.apply(&Round { puts, ..Round::default() });
        }
        let error = recover(&image).expect_err("it is damaged").to_string();
        let expected = format!("row {} follows row {}", revision(3), revision(revisions[0]));
        assert!(error.contains(&expected), "{error}");
    }
}
