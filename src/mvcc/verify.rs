//! The store looks at itself: do key index and rows name the same revisions, and are all queues within their limits?
//!
//! What it is: for the simulator's invariants; it walks everything.
//! What it is not: a repair, or something that a running member does.
//! Invariants: asking changes nothing.

use super::WatchableStore;
use super::watches::WATCH_STREAM_QUEUE_MAX;

impl WatchableStore {
    /// Says what is wrong, if anything is.
    ///
    /// While a compaction runs rows that it will remove may outlive their place in the index.
    ///
    /// # Errors
    /// The first difference, in words.
    pub fn verify(&self) -> Result<(), String> {
        let store = &self.store;
        let mut named = 0_u64;
        for (key, index) in store.index.iter() {
            for revision in index.revisions_from(0) {
                named += 1;
                match store.rows.get(&revision) {
                    None => return Err(format!("{key:?} has revision {revision} and no row")),
                    Some(row) if row.kv.key != *key => {
                        return Err(format!(
                            "row {revision} of {key:?} is one of {:?}",
                            row.kv.key
                        ));
                    }
                    Some(_) => {}
                }
            }
        }
        let rows = u64::try_from(store.rows.len()).unwrap_or(u64::MAX);
        if named > rows || (named != rows && !self.is_compacting()) {
            return Err(format!("the index names {named} revisions, there are {rows} rows"));
        }
        if store.rows.last_key_value().is_some_and(|(at, _)| at.main > store.current_revision) {
            return Err("a row is newer than the store".to_owned());
        }
        let longest = self.longest_watch_queue();
        if longest > WATCH_STREAM_QUEUE_MAX {
            return Err(format!("{longest} responses wait for one stream"));
        }
        Ok(())
    }
}
