//! Fencing: what a lock is good for when its owner may be late.
//!
//! What it is: every write that was guarded by the revision of its writer's lock key, held against the history: at
//! that moment the lock key was there under that revision, no older one was, and no write of a later owner had come
//! before.
//! What it is not: mutual exclusion. Two clients may believe at once that they own a lock, when the lease of one of
//! them is over and it does not know yet; only their writes tell.
//! Invariants: pure; looks at what happened, not at what clients were told.
//! Source: etcd's documentation of its concurrency API; K. Kingsbury, "Jepsen: etcd 3.4.3", on locks.

use super::model::Model;
use super::ranges;
use crate::api::EventType;

/// Holds the writes of `guarded` against the owners of the lock whose keys begin with `prefix`.
///
/// The value of a guarded write ends in `@` and the revision that its writer's lock key had. Gives back how many
/// such writes there were, and the first that should not be, in words.
///
/// # Errors
/// A write by somebody who did not own the lock.
pub fn check_fencing(model: &Model, prefix: &[u8], guarded: &[u8]) -> Result<u64, String> {
    let end = ranges::prefix_end(prefix);
    let (mut last_token, mut count) = (0, 0);
    for revision in 2..=model.revision() {
        for change in model.changes(revision) {
            let kv = &change.event.kv;
            if change.event.event_type != EventType::Put || kv.key.as_ref() != guarded {
                continue;
            }
            let Some(token) = token(&kv.value) else {
                return Err(format!("{kv:?} has no revision of a lock"));
            };
            let keys = model.visible(prefix, &end, revision);
            let owner = keys.iter().map(|kv| kv.create_revision).min();
            if owner != Some(token) {
                return Err(format!("{kv:?} was written when {owner:?} owned the lock"));
            }
            if token < last_token {
                return Err(format!("{kv:?} came after a write of owner {last_token}"));
            }
            last_token = token;
            count += 1;
        }
    }
    Ok(count)
}

/// The revision at the end of a guarded value.
fn token(value: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(value).ok()?;
    text.rsplit_once('@')?.1.parse().ok()
}
