use super::*;

const fn rev(main: i64, sub: i64) -> Revision {
    Revision::new(main, sub)
}

/// The history of etcd's own example: 2, 4, T6, 8, 10, T12, 14, 15.1, T16.
fn foo() -> KeyIndex {
    let mut index = KeyIndex::default();
    index.put(rev(2, 0));
    index.put(rev(4, 0));
    assert!(index.tombstone(rev(6, 0)));
    index.put(rev(8, 0));
    index.put(rev(10, 0));
    assert!(index.tombstone(rev(12, 0)));
    index.put(rev(14, 0));
    index.put(rev(15, 1));
    assert!(index.tombstone(rev(16, 0)));
    index
}

#[test]
fn get_sees_the_version_of_each_revision() {
    let index = foo();
    let expected = [
        (1, None),
        (2, Some((rev(2, 0), 2, 1))),
        (3, Some((rev(2, 0), 2, 1))),
        (4, Some((rev(4, 0), 2, 2))),
        (5, Some((rev(4, 0), 2, 2))),
        (6, None),
        (7, None),
        (8, Some((rev(8, 0), 8, 1))),
        (9, Some((rev(8, 0), 8, 1))),
        (10, Some((rev(10, 0), 8, 2))),
        (11, Some((rev(10, 0), 8, 2))),
        (12, None),
        (13, None),
        (14, Some((rev(14, 0), 14, 1))),
        (15, Some((rev(15, 1), 14, 2))),
        (16, None),
        (99, None),
    ];
    for (at, expected) in expected {
        let found = index.get(at).map(|f| (f.revision, f.create_revision, f.version));
        assert_eq!(found, expected, "at {at}");
    }
}

#[test]
fn put_grows_the_version_within_a_generation() {
    let mut index = KeyIndex::default();
    assert_eq!(index.put(rev(2, 0)), Found { revision: rev(2, 0), create_revision: 2, version: 1 });
    assert_eq!(index.put(rev(5, 3)), Found { revision: rev(5, 3), create_revision: 2, version: 2 });
    assert!(index.tombstone(rev(6, 0)));
    assert!(!index.tombstone(rev(7, 0)), "a deleted key cannot be deleted again");
    assert_eq!(index.put(rev(7, 0)), Found { revision: rev(7, 0), create_revision: 7, version: 1 });
}

#[test]
fn revisions_from_gives_every_revision_since() {
    let index = foo();
    let since = |from| index.revisions_from(from).map(|r| r.main).collect::<Vec<_>>();
    assert_eq!(since(0), [2, 4, 6, 8, 10, 12, 14, 15, 16]);
    assert_eq!(since(6), [6, 8, 10, 12, 14, 15, 16]);
    assert_eq!(since(7), [8, 10, 12, 14, 15, 16]);
    assert_eq!(since(16), [16]);
    assert_eq!(since(17), [0_i64; 0]);
}

#[test]
fn keep_and_compact_agree_with_etcds_table() {
    // (compacted at, kept revision, what is left of the key)
    let table: [(i64, Option<i64>, &[i64]); 17] = [
        (1, None, &[2, 4, 6, 8, 10, 12, 14, 15, 16]),
        (2, Some(2), &[2, 4, 6, 8, 10, 12, 14, 15, 16]),
        (3, Some(2), &[2, 4, 6, 8, 10, 12, 14, 15, 16]),
        (4, Some(4), &[4, 6, 8, 10, 12, 14, 15, 16]),
        (5, Some(4), &[4, 6, 8, 10, 12, 14, 15, 16]),
        (6, Some(6), &[6, 8, 10, 12, 14, 15, 16]),
        (7, None, &[8, 10, 12, 14, 15, 16]),
        (8, Some(8), &[8, 10, 12, 14, 15, 16]),
        (9, Some(8), &[8, 10, 12, 14, 15, 16]),
        (10, Some(10), &[10, 12, 14, 15, 16]),
        (11, Some(10), &[10, 12, 14, 15, 16]),
        (12, Some(12), &[12, 14, 15, 16]),
        (13, None, &[14, 15, 16]),
        (14, Some(14), &[14, 15, 16]),
        (15, Some(15), &[15, 16]),
        (16, Some(16), &[16]),
        (17, None, &[]),
    ];
    let mut step_by_step = foo();
    for (at, kept, left) in table {
        let mut at_once = foo();
        assert_eq!(at_once.keep(at).map(|k| k.revision.main), kept, "keep at {at}");
        let is_tombstone = matches!(kept, Some(6 | 12 | 16));
        assert_eq!(at_once.keep(at).is_some_and(|k| k.is_tombstone), is_tombstone);
        at_once.compact(at);
        step_by_step.compact(at);
        for index in [&at_once, &step_by_step] {
            let revisions: Vec<_> = index.revisions_from(0).map(|r| r.main).collect();
            assert_eq!(revisions, left, "compact at {at}");
            for later in at..20 {
                assert_eq!(index.get(later), foo().get(later), "read at {later} after {at}");
            }
        }
        let once = at_once.clone();
        at_once.compact(at);
        assert_eq!(at_once, once, "compacting again at {at} changes nothing");
    }
    assert!(step_by_step.is_empty());
}

#[test]
fn key_recreated_in_the_compacted_revision_keeps_its_live_row() {
    let mut index = KeyIndex::default();
    index.put(rev(2, 0));
    assert!(index.tombstone(rev(3, 0)));
    index.put(rev(3, 1));
    index.compact(3);
    assert_eq!(index.get(3), Some(Found { revision: rev(3, 1), create_revision: 3, version: 1 }));
}

#[test]
fn undo_takes_back_puts_and_tombstones() {
    let mut index = foo();
    index.put(rev(17, 0));
    index.undo(rev(17, 0));
    assert_eq!(index, foo());
    index.undo(rev(16, 0));
    assert_eq!(index.get(16).map(|f| f.version), Some(2));
    assert!(index.tombstone(rev(16, 0)));
    assert_eq!(index, foo());
}

#[test]
fn restore_continues_a_compacted_history_and_refuses_gaps() {
    let put =
        |main, create_revision, version| Found { revision: rev(main, 0), create_revision, version };
    let mut index = KeyIndex::default();
    assert_eq!(index.restore_put(put(9, 4, 3), 9), Ok(()));
    assert_eq!(index.get(9), Some(put(9, 4, 3)));
    assert_eq!(index.restore_put(put(10, 4, 5), 9), Err(Discontinuous));
    assert_eq!(index.restore_put(put(10, 5, 4), 9), Err(Discontinuous));
    assert_eq!(index.restore_put(put(10, 4, 4), 9), Ok(()));
    assert_eq!(index.restore_tombstone(rev(11, 0), 9), Ok(()));
    assert_eq!(index.restore_tombstone(rev(12, 0), 9), Err(Discontinuous));
    assert_eq!(index.restore_put(put(12, 11, 1), 9), Err(Discontinuous));
    assert_eq!(index.restore_put(put(12, 12, 1), 9), Ok(()));

    let mut compacted = KeyIndex::default();
    assert_eq!(compacted.restore_put(put(9, 4, 3), 3), Err(Discontinuous));
    assert_eq!(compacted.restore_tombstone(rev(9, 0), 9), Ok(()));
    assert_eq!(compacted.get(9), None);
    assert_eq!(compacted.keep(9), Some(Kept { revision: rev(9, 0), is_tombstone: true }));
}
