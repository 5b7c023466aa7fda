//! A store from the rows of a disk or of a snapshot.
//!
//! What it is: the only door for foreign rows; each is checked before anything is built on it.
//! What it is not: a repair; damaged data is refused whole.
//! Invariants: the restored revision is never below any row, any compaction or the revision given;
//! a compaction that was scheduled but not finished goes on, and reads below it are refused.
//! Source: etcd `server/storage/mvcc/kvstore.go` (restore).

use std::collections::BTreeMap;

use super::compaction::Compaction;
use super::store::{FIRST_REVISION, NEVER_COMPACTED, Store};
use crate::mvcc::{Revision, Row};

/// The largest main revision accepted, so that counting up from it cannot overflow.
const MAIN_REVISION_MAX: i64 = i64::MAX / 2;

/// Why stored data cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A revision that no store writes.
    #[error("row at impossible revision {0}")]
    ImpossibleRevision(Revision),
    /// Two rows claim the same place.
    #[error("two rows at revision {0}")]
    DuplicateRevision(Revision),
    /// A row whose fields contradict its revision.
    #[error("row at revision {0} has fields that contradict it")]
    InconsistentRow(Revision),
    /// A row that does not continue the history of its key.
    #[error("row at revision {0} does not continue the history of its key")]
    BrokenHistory(Revision),
    /// A compact or current revision that no store writes.
    #[error("impossible store revision {0}")]
    ImpossibleMark(i64),
}

impl Store {
    /// Builds a store; see the module's head for what is checked.
    ///
    /// # Errors
    /// See [`Error`].
    pub(super) fn restore(
        rows: impl Iterator<Item = Row>,
        scheduled_compact_revision: Option<i64>,
        finished_compact_revision: Option<i64>,
        current_revision: i64,
    ) -> Result<Self, Error> {
        let finished = check_mark(finished_compact_revision)?.unwrap_or(NEVER_COMPACTED);
        let scheduled = check_mark(scheduled_compact_revision)?.unwrap_or(NEVER_COMPACTED);
        let compacted = scheduled.max(finished);
        check_mark(Some(current_revision))?;

        let mut store = Self::new();
        store.compact_revision = compacted;
        store.finished_compact_revision = finished;
        store.compaction = (scheduled > finished).then_some(Compaction::START);
        store.rows = sorted(rows)?;
        for (revision, row) in &store.rows {
            let continues = store.index.restore(row, compacted);
            if continues.is_err() {
                return Err(Error::BrokenHistory(*revision));
            }
            store.size.add(row);
        }
        let last = store.rows.last_key_value().map_or(FIRST_REVISION, |(last, _)| last.main);
        store.current_revision = last.max(compacted).max(current_revision).max(FIRST_REVISION);
        store.live_keys = store.index.count_visible(store.current_revision);
        Ok(store)
    }
}

fn check_mark(mark: Option<i64>) -> Result<Option<i64>, Error> {
    match mark {
        Some(revision) if !(NEVER_COMPACTED..=MAIN_REVISION_MAX).contains(&revision) => {
            Err(Error::ImpossibleMark(revision))
        }
        _ => Ok(mark),
    }
}

fn sorted(rows: impl Iterator<Item = Row>) -> Result<BTreeMap<Revision, Row>, Error> {
    let rows: Vec<Row> = rows.collect();
    for row in &rows {
        check_row(row)?;
    }
    if rows.is_sorted_by(|before, row| before.revision < row.revision) {
        // As every disk and every snapshot has them: the tree is built at once.
        return Ok(rows.into_iter().map(|row| (row.revision, row)).collect());
    }
    let mut sorted = BTreeMap::new();
    for row in rows {
        if let Some(other) = sorted.insert(row.revision, row) {
            return Err(Error::DuplicateRevision(other.revision));
        }
    }
    Ok(sorted)
}

fn check_row(row: &Row) -> Result<(), Error> {
    let Revision { main, sub } = row.revision;
    let has_place = main > FIRST_REVISION && main <= MAIN_REVISION_MAX && sub >= 0;
    if !has_place || sub > MAIN_REVISION_MAX {
        return Err(Error::ImpossibleRevision(row.revision));
    }
    let kv = &row.kv;
    let is_consistent = if row.is_tombstone {
        *row == Row::tombstone(row.revision, kv.key.clone())
    } else {
        kv.mod_revision == main
            && kv.create_revision > FIRST_REVISION
            && kv.create_revision <= main
            && kv.version >= 1
            && kv.version <= MAIN_REVISION_MAX
    };
    if kv.key.is_empty() || !is_consistent {
        return Err(Error::InconsistentRow(row.revision));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::api;
    use crate::types::LeaseId;

    fn put(main: i64, create_revision: i64, version: i64) -> Row {
        let kv = api::KeyValue {
            key: Bytes::from_static(b"k"),
            create_revision,
            mod_revision: main,
            version,
            value: Bytes::from_static(b"v"),
            lease: LeaseId(0),
        };
        Row { revision: Revision::new(main, 0), is_tombstone: false, kv }
    }

    fn restore(rows: Vec<Row>) -> Result<Store, Error> {
        Store::restore(rows.into_iter(), None, None, 1)
    }

    #[test]
    fn rows_in_any_order_give_the_same_store() {
        let tombstone = Row::tombstone(Revision::new(4, 0), Bytes::from_static(b"k"));
        let store = restore(vec![tombstone, put(5, 5, 1), put(2, 2, 1), put(3, 2, 2)]);
        let store = store.expect("restore");
        assert_eq!(store.current_revision, 5);
        assert_eq!(store.get(b"k", 3).map(|kv| kv.version), Some(2));
        assert_eq!(store.get(b"k", 4), None);
        assert_eq!(store.get(b"k", 5).map(|kv| kv.create_revision), Some(5));
    }

    #[test]
    fn damaged_rows_are_refused() {
        let at = |main| Revision::new(main, 0);
        let error = |rows| restore(rows).expect_err("refused");
        assert_eq!(error(vec![put(1, 1, 1)]), Error::ImpossibleRevision(at(1)));
        assert_eq!(error(vec![put(i64::MAX, 2, 1)]), Error::ImpossibleRevision(at(i64::MAX)));
        assert_eq!(error(vec![put(2, 2, 1), put(2, 2, 1)]), Error::DuplicateRevision(at(2)));
        assert_eq!(error(vec![put(2, 3, 1)]), Error::InconsistentRow(at(2)));
        assert_eq!(error(vec![put(2, 2, 0)]), Error::InconsistentRow(at(2)));
        assert_eq!(error(vec![put(3, 2, 1)]), Error::BrokenHistory(at(3)));
        assert_eq!(error(vec![put(3, 2, 2)]), Error::BrokenHistory(at(3)), "nothing was compacted");
        assert_eq!(error(vec![put(2, 2, 1), put(3, 2, 3)]), Error::BrokenHistory(at(3)));
        let mut no_key = put(2, 2, 1);
        no_key.kv.key = Bytes::new();
        assert_eq!(error(vec![no_key]), Error::InconsistentRow(at(2)));
        let mut tombstone = Row::tombstone(at(2), Bytes::from_static(b"k"));
        assert_eq!(error(vec![tombstone.clone()]), Error::BrokenHistory(at(2)));
        tombstone.kv.version = 1;
        assert_eq!(error(vec![tombstone]), Error::InconsistentRow(at(2)));
        for mark in [-2, i64::MAX] {
            let rows = || std::iter::empty();
            let refused = Some(Error::ImpossibleMark(mark));
            assert_eq!(Store::restore(rows(), Some(mark), None, 1).err(), refused);
            assert_eq!(Store::restore(rows(), None, Some(mark), 1).err(), refused);
            assert_eq!(Store::restore(rows(), None, None, mark).err(), refused);
        }
    }

    #[test]
    fn revision_survives_the_loss_of_all_rows_and_an_unfinished_compaction_goes_on() {
        let store = Store::restore(std::iter::empty(), Some(7), Some(7), 1).expect("restore");
        assert_eq!((store.current_revision, store.compact_revision), (7, 7));
        assert_eq!(store.compaction, None);

        let rows = vec![put(2, 2, 1), put(3, 2, 2), put(4, 2, 3)];
        let mut store = Store::restore(rows.into_iter(), Some(3), None, 1).expect("restore");
        assert_eq!(store.read_revision(2, 4), Err(api::Error::Compacted));
        assert_eq!(store.finished_compact_revision, NEVER_COMPACTED);
        let progress = store.compact_batch(10);
        assert_eq!(progress.removed, [Revision::new(2, 0)]);
        assert!(progress.finished);
        assert_eq!(store.finished_compact_revision, 3);
    }
}
