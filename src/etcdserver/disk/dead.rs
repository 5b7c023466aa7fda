//! Chunks that may be deleted.
//!
//! Invariants: a batch goes whole or not at all, so that no batch on disk ever lacks a part;
//! batches go in the order in which they came, so that the log only ever loses its beginning;
//! one round deletes at most [`DELETES_MAX`] chunks and one batch.

use std::collections::VecDeque;

use crate::etcdserver::io::DiskStore;

/// Chunks deleted in one round. Unit: chunks. Source: ours; some ms of IndexedDB's time.
const DELETES_MAX: usize = 1_000;

#[derive(Clone, Debug, Default)]
pub(super) struct Dead {
    batches: VecDeque<(DiskStore, u64, u64)>,
}

impl Dead {
    pub(super) fn add(&mut self, store: DiskStore, key: u64, parts: u64) {
        self.batches.push_back((store, key, parts));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// The deletes of one round.
    pub(super) fn take(&mut self) -> Vec<(DiskStore, u64)> {
        let mut deletes = Vec::new();
        while deletes.len() < DELETES_MAX
            && let Some((store, key, parts)) = self.batches.pop_front()
        {
            deletes.extend((key..key + parts).map(|key| (store, key)));
        }
        deletes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_go_whole_in_order_and_bounded() {
        let mut dead = Dead::default();
        for batch in 0..400 {
            dead.add(DiskStore::Wal, batch * 3, 3);
        }
        let first = dead.take();
        assert_eq!(first.len(), 1_002);
        assert_eq!(first[0], (DiskStore::Wal, 0));
        assert_eq!(dead.take().len(), 198);
        assert!(dead.is_empty());
    }
}
