//! What the database file would measure.
//!
//! What it is: the bytes of the rows in 4 KiB pages; the file grows when the rows need more pages
//! than it has, keeps freed pages, and shrinks only by [`Size::defragment`].
//! What it is not: the size of anything on our own disk; the write-ahead log is not in it.
//! Invariants: `allocated` is never below `in_use`; an empty file has 20 KiB, of which 16 KiB are used.
//! Source: bbolt's page layout as `endpoint status` of etcd 3.7 shows it (20,480 bytes when empty).

use super::proto;
use crate::mvcc::Row;

/// Bytes of one page.
const PAGE_BYTES: i64 = 4096;

/// Bytes used by the file's own pages.
const BASE_IN_USE_BYTES: i64 = 4 * PAGE_BYTES;

/// Bytes of an empty file.
const EMPTY_FILE_BYTES: i64 = 5 * PAGE_BYTES;

/// Bytes a row takes besides its value: page element header (16) and revision key (17).
const ROW_OVERHEAD_BYTES: i64 = 33;

/// The size of the database file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Size {
    rows_bytes: i64,
    allocated_bytes: i64,
}

impl Size {
    pub(super) const fn new() -> Self {
        Self { rows_bytes: 0, allocated_bytes: EMPTY_FILE_BYTES }
    }

    pub(super) const fn allocated(&self) -> i64 {
        self.allocated_bytes
    }

    pub(super) const fn in_use(&self) -> i64 {
        let pages = (self.rows_bytes + PAGE_BYTES - 1) / PAGE_BYTES;
        BASE_IN_USE_BYTES + pages * PAGE_BYTES
    }

    pub(super) fn add(&mut self, row: &Row) {
        self.rows_bytes += row_bytes(row);
        self.allocated_bytes = self.allocated_bytes.max(self.in_use());
    }

    pub(super) fn remove(&mut self, row: &Row) {
        self.rows_bytes -= row_bytes(row);
        assert!(self.rows_bytes >= 0, "rows take {} bytes", self.rows_bytes);
    }

    /// The file had grown to `bytes` before a restart.
    pub(super) fn raise_allocated(&mut self, bytes: i64) {
        let pages = bytes / PAGE_BYTES;
        self.allocated_bytes = self.allocated_bytes.max(pages * PAGE_BYTES);
    }

    pub(super) fn defragment(&mut self) {
        self.allocated_bytes = self.in_use().max(EMPTY_FILE_BYTES);
    }
}

fn row_bytes(row: &Row) -> i64 {
    let tombstone_mark = i64::from(row.is_tombstone);
    let kv = i64::try_from(proto::key_value_size(&row.kv)).unwrap_or(i64::MAX);
    kv.saturating_add(ROW_OVERHEAD_BYTES + tombstone_mark)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::api;
    use crate::mvcc::Revision;

    fn row(value_bytes: usize) -> Row {
        let value = Bytes::from(vec![0; value_bytes]);
        let kv = api::KeyValue { key: Bytes::from_static(b"k"), value, ..Default::default() };
        Row { revision: Revision::new(2, 0), is_tombstone: false, kv }
    }

    #[test]
    fn only_defragment_shrinks_the_file() {
        let mut size = Size::new();
        assert_eq!((size.allocated(), size.in_use()), (20_480, 16_384));
        size.add(&row(1));
        assert_eq!((size.allocated(), size.in_use()), (20_480, 20_480));
        size.add(&row(10_000));
        assert_eq!((size.allocated(), size.in_use()), (28_672, 28_672));
        size.remove(&row(10_000));
        assert_eq!((size.allocated(), size.in_use()), (28_672, 20_480));
        size.add(&row(5_000));
        assert_eq!((size.allocated(), size.in_use()), (28_672, 24_576));
        size.remove(&row(5_000));
        size.defragment();
        assert_eq!((size.allocated(), size.in_use()), (20_480, 20_480));
        size.raise_allocated(40_961);
        assert_eq!(size.allocated(), 40_960);
    }
}
