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

/// Writes rows as one round and lets it land; gives the row keys that it deletes.
fn write(disk: &mut Disk, image: &mut DiskImage, revisions: &[i64]) -> Vec<u64> {
    disk.applied(revisions.iter().map(|main| row(*main, 1)).collect());
    let mut deletes = Vec::new();
    while disk.is_meta_due {
        let round = disk.next_round(&meta(disk, 0, 0));
        disk.persisted(round.ticket).expect("the round was in flight");
        image.apply(&round);
        deletes.extend(round.deletes.iter().map(|(_, key)| *key));
    }
    deletes
}

#[test]
fn a_batch_is_deleted_once_its_last_row_is_compacted() {
    let revision = |main| mvcc::Revision::new(main, 0);
    let mut image = DiskImage::default();
    let mut disk = Disk::new(&recover(&image).unwrap(), 1);
    assert_eq!(write(&mut disk, &mut image, &[2, 3]), [0; 0]);
    assert_eq!(write(&mut disk, &mut image, &[4]), [0; 0]);
    assert_eq!(write(&mut disk, &mut image, &[6, 8, 9]), [0; 0]);
    disk.applied(vec![row(10, 1)]);
    // 10 is not on disk yet.
    disk.compacted(&[2, 4, 6, 8, 10].map(revision));
    assert_eq!(write(&mut disk, &mut image, &[11]), [2], "only the batch of 4 is dead");
    disk.compacted(&[revision(3)]);
    assert_eq!(write(&mut disk, &mut image, &[]), [1]);

    let recovered = recover(&image).expect("it can be read");
    let mut disk = Disk::new(&recovered, 2);
    disk.compacted(&[6, 8].map(revision));
    assert_eq!(write(&mut disk, &mut image, &[]), [0; 0], "9 is alive");
    disk.compacted(&[revision(9)]);
    assert_eq!(write(&mut disk, &mut image, &[]), [3]);
    disk.compacted(&[10, 11].map(revision));
    assert_eq!(write(&mut disk, &mut image, &[12]), [4]);
    let live: Vec<u64> = image.rows.keys().copied().collect();
    assert_eq!(live, [5]);
}
