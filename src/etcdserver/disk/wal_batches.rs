//! Which batches of the WAL are still needed.
//!
//! Invariants: batches stand in the order of their keys; `truncate` takes from the beginning only, since
//! a batch may hold entries that a later one replaced, and must not outlive that one.

use std::collections::VecDeque;

use crate::etcdserver::recover::{WalBatch, replaced_from};
use crate::types::Index;

#[derive(Clone, Debug, Default)]
pub(super) struct WalBatches {
    batches: VecDeque<WalBatch>,
}

impl WalBatches {
    pub(super) fn new(recovered: &[WalBatch]) -> Self {
        Self { batches: recovered.iter().copied().collect() }
    }

    /// A batch was written; `span` is its first and its last entry.
    pub(super) fn written(&mut self, key: u64, parts: u64, span: Option<(Index, Index)>) {
        if let Some((first, _)) = span {
            replaced_from(&mut self.batches, first);
        }
        let last = span.map_or(Index(0), |(_, last)| last);
        self.batches.push_back(WalBatch { key, parts, last });
    }

    /// No batch written so far is needed for its entries any more.
    pub(super) fn all_void(&mut self) {
        replaced_from(&mut self.batches, Index(0));
    }

    /// Lets go of the batches at the beginning that hold nothing above `base`: (key, parts).
    ///
    /// The newest batch stays, so that the keys go on from it after a restart.
    pub(super) fn truncate(&mut self, base: Index) -> Vec<(u64, u64)> {
        let mut gone = Vec::new();
        while self.batches.len() > 1
            && self.batches.front().is_some_and(|batch| batch.last <= base)
            && let Some(batch) = self.batches.pop_front()
        {
            gone.push((batch.key, batch.parts));
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(first: u64, last: u64) -> Option<(Index, Index)> {
        Some((Index(first), Index(last)))
    }

    #[test]
    fn only_a_beginning_goes_and_replaced_entries_do_not_count() {
        let mut wal = WalBatches::default();
        wal.written(1, 1, span(1, 4));
        wal.written(2, 2, span(5, 10));
        wal.written(4, 1, None);
        wal.written(5, 1, span(6, 8));
        wal.written(6, 1, span(9, 9));
        assert_eq!(wal.truncate(Index(3)), []);
        assert_eq!(wal.truncate(Index(5)), [(1, 1), (2, 2), (4, 1)], "5 to 10 ended at 5");
        assert_eq!(wal.truncate(Index(20)), [(5, 1)], "the newest batch stays");
    }

    #[test]
    fn a_snapshot_makes_everything_before_it_void() {
        let mut wal = WalBatches::default();
        wal.written(1, 1, span(1, 40));
        wal.all_void();
        wal.written(2, 1, None);
        assert_eq!(wal.truncate(Index(0)), [(1, 1)]);
    }
}
