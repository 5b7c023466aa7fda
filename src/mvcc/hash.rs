//! `HashKV`: one number for all data up to a revision, equal on every member and equal to etcd's.
//!
//! What it is: CRC-32C over the revision keys and the protobuf bytes of the rows.
//! What it is not: a defence against anybody.
//! Invariants: compaction, defragmentation, restart and snapshot transfer do not change it; hence
//! rows at or below the compact revision count only if the hashed revision still sees them, and a
//! tombstone exactly at the compact revision never counts.
//! Quirks kept: where no key is alive at the hashed revision, rows at or below the compact revision
//! count although nothing sees them; below 0 no row counts; a revision that was compacted a short time
//! ago is answered with what the compaction itself hashed, until the member restarts.
//! Source: etcd `server/storage/mvcc/hash.go`; the vectors of its test are in `tests/data`.

use super::proto;
use super::store::{NEVER_COMPACTED, Store};
use crate::api;
use crate::mvcc::{Revision, Row};
use crate::types::CRC32C;

/// What is hashed before the first row: the name of etcd's bucket.
const BUCKET_NAME: &[u8] = b"key";

/// A hash, and what it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashKv {
    /// CRC-32C over the key bucket.
    pub hash: u32,
    /// The compact revision when it was taken; -1 if never compacted.
    pub compact_revision: i64,
    /// The revision hashed.
    pub hash_revision: i64,
}

/// Hashes that compactions left behind. Unit: hashes. Source: etcd `hashStorageMaxSize`.
const STORED_MAX: usize = 10;

/// A hash under construction: the number so far, which a compaction carries from batch to batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hasher(u32);

impl Hasher {
    pub(super) fn new() -> Self {
        Self(CRC32C.checksum(BUCKET_NAME))
    }

    /// Adds rows, in order.
    pub(super) fn add<'a>(&mut self, rows: impl Iterator<Item = &'a Row>) {
        // What was finished is taken up again: the inverse of the last step of the algorithm.
        let mut hash = CRC32C.digest_with_initial((!self.0).reverse_bits());
        let mut buffer = Vec::new();
        for row in rows {
            let (key, length) = revision_key(row);
            hash.update(key.get(..length).unwrap_or_default());
            proto::encode_key_value(&row.kv, &mut buffer);
            hash.update(&buffer);
        }
        self.0 = hash.finalize();
    }
}

/// What a compaction hashes on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CompactionHash {
    pub(super) hasher: Hasher,
    /// The compact revision before.
    previous: i64,
    /// The compaction keeps at least one row.
    keeps_any: bool,
}

impl CompactionHash {
    /// Everything since the compaction before counts, and what is left of the time before that.
    pub(super) const fn counts(&self, row: &Row, is_kept: bool) -> bool {
        if row.revision.main > self.previous {
            return true;
        }
        let is_cut = row.revision.main == self.previous && row.is_tombstone;
        (is_kept || !self.keeps_any) && !is_cut
    }
}

impl Store {
    /// Hashes everything up to `revision`; 0 means the current one.
    ///
    /// # Errors
    /// `Compacted` and `FutureRev`, as a read.
    pub(super) fn hash_kv(&self, revision: i64) -> Result<HashKv, api::Error> {
        let hash_revision = if revision < 0 {
            revision
        } else {
            self.read_revision(revision, self.current_revision)?
        };
        let end = Revision::new(hash_revision, i64::MAX);
        let keeps_any = self.index.is_any_visible(hash_revision);
        let mut hasher = Hasher::new();
        let rows = self.rows.range(..=end).map(|(_, row)| row);
        hasher.add(rows.filter(|row| self.is_hashed(row, hash_revision, keeps_any)));
        Ok(HashKv { hash: hasher.0, compact_revision: self.compact_revision, hash_revision })
    }

    /// As [`Self::hash_kv`], but a revision that was compacted has the hash which the compaction left.
    ///
    /// # Errors
    /// `Compacted` and `FutureRev`, as a read.
    pub(super) fn hash_by_revision(&self, revision: i64) -> Result<HashKv, api::Error> {
        match self.stored_hashes.iter().find(|hash| hash.hash_revision == revision) {
            Some(stored) => Ok(*stored),
            None => self.hash_kv(revision),
        }
    }

    fn is_hashed(&self, row: &Row, hash_revision: i64, keeps_any: bool) -> bool {
        if row.revision.main > self.compact_revision {
            return true;
        }
        let at = if keeps_any { hash_revision } else { self.compact_revision };
        let kept = self.index.keep(&row.kv.key, at);
        kept.is_some_and(|kept| kept.revision == row.revision && !kept.is_tombstone)
    }

    /// What a compaction at `revision` is about to hash; `None` while another one runs, whose rows it
    /// takes over.
    pub(super) fn begin_compaction_hash(&self, revision: i64) -> Option<CompactionHash> {
        if self.compaction.is_some() {
            return None;
        }
        let keeps_any = self.index.is_any_kept(revision);
        Some(CompactionHash { hasher: Hasher::new(), previous: self.compact_revision, keeps_any })
    }

    /// Remembers what a finished compaction hashed.
    pub(super) fn store_compaction_hash(&mut self, hash: CompactionHash, hash_revision: i64) {
        let CompactionHash { hasher, previous, .. } = hash;
        assert!(previous >= NEVER_COMPACTED && previous < hash_revision, "compactions go forward");
        if self.stored_hashes.len() == STORED_MAX {
            self.stored_hashes.remove(0);
        }
        let compact_revision = previous;
        self.stored_hashes.push(HashKv { hash: hasher.0, compact_revision, hash_revision });
    }
}

/// The row's key in etcd's file: main, `_`, sub, and `t` for a tombstone.
fn revision_key(row: &Row) -> ([u8; 18], usize) {
    let mut key = [0; 18];
    let mut parts = row
        .revision
        .main
        .to_be_bytes()
        .into_iter()
        .chain([b'_'])
        .chain(row.revision.sub.to_be_bytes())
        .chain(row.is_tombstone.then_some(b't'));
    let mut length = 0;
    for (byte, part) in key.iter_mut().zip(&mut parts) {
        *byte = part;
        length += 1;
    }
    (key, length)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::types::LeaseId;

    fn put(store: &mut Store, key: &'static [u8], main: i64) {
        let value = Bytes::from_static(b"v");
        store.put(&Bytes::from_static(key), value, LeaseId(0), Revision::new(main, 0));
        store.current_revision = main;
    }

    #[test]
    fn revision_key_marks_tombstones() {
        let mut row = Row::tombstone(Revision::new(258, 3), Bytes::from_static(b"a"));
        let (key, length) = revision_key(&row);
        let expected = [0, 0, 0, 0, 0, 0, 1, 2, b'_', 0, 0, 0, 0, 0, 0, 0, 3, b't'];
        assert_eq!((key, length), (expected, 18));
        row.is_tombstone = false;
        assert_eq!(revision_key(&row).1, 17);
    }

    #[test]
    fn hash_of_an_empty_store_is_the_bucket_name() {
        let hash = Store::new().hash_kv(0).expect("hash");
        assert_eq!(hash.hash, CRC32C.checksum(b"key"));
        assert_eq!((hash.compact_revision, hash.hash_revision), (-1, 1));
    }

    #[test]
    fn hash_stays_the_same_while_a_compaction_runs() {
        for deleted in [false, true] {
            let mut store = Store::new();
            for main in 2..10 {
                put(&mut store, if main % 2 == 0 { b"a" } else { b"b" }, main);
            }
            if deleted {
                store.delete(&Bytes::from_static(b"a"), Revision::new(10, 0));
                store.delete(&Bytes::from_static(b"b"), Revision::new(10, 1));
                store.current_revision = 10;
            }
            let at = store.current_revision;
            store.compact(at).expect("compact");
            let before = store.hash_kv(at).expect("hash");
            loop {
                let finished = store.compact_batch(1).finished;
                assert_eq!(store.hash_kv(at).expect("hash"), before);
                if finished {
                    break;
                }
            }
            assert_eq!(store.rows.len(), 2);
            assert_eq!(store.hash_kv(at - 1), Err(api::Error::Compacted));
            assert_eq!(store.hash_kv(at + 1), Err(api::Error::FutureRev));
        }
    }
}
