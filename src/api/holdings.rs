//! What a member holds for its clients, for people to look at: watches, and leases.
//!
//! What it is: how far each watch has come, and what the lessor knows of each lease.
//! What it is not: events, or anything that members exchange.
//! Invariants: what is told is bounded, and what was left out is counted; remaining times are told by the primary only.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::types::{Index, LeaseId, MemberId, WatchId};

/// Most watches that are told. Unit: watches. Source: ours; more than a screen shows.
pub const HELD_WATCHES_MAX: u64 = 64;

/// Most leases that are told. Unit: leases. Source: ours; more than a screen shows.
pub const HELD_LEASES_MAX: u64 = 100;

/// Most keys of one lease that are told. Unit: keys. Source: ours; more than a row shows.
pub const HELD_KEYS_MAX: u64 = 10;

/// So much of a key is told. Unit: bytes. Source: ours; more than a row shows.
pub const HELD_KEY_BYTES_MAX: u64 = 256;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holdings {
    /// Whose.
    pub member: MemberId,
    /// The last entry that its store contains.
    pub applied: Index,
    /// Its store's revision.
    pub revision: i64,
    /// The oldest revision that can be read; below 0 if it was never compacted.
    pub compact_revision: i64,
    /// It looks after the leases: their times run here.
    pub is_primary: bool,
    /// Its watches, by stream and number.
    pub watches: Vec<HeldWatch>,
    /// Watches that are not told.
    pub watches_more: u64,
    /// The leases; at the primary the next to expire first, elsewhere by id.
    pub leases: Vec<HeldLease>,
    /// Leases that are not told.
    pub leases_more: u64,
}

/// A key, or as much of it as is told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldKey {
    /// Its bytes.
    pub key: Bytes,
    /// It goes on.
    pub is_cut: bool,
}

impl HeldKey {
    /// A key, cut if it is long.
    #[must_use]
    pub fn new(key: &Bytes) -> Self {
        let most = usize::try_from(HELD_KEY_BYTES_MAX).unwrap_or(usize::MAX);
        Self { key: key.slice(..key.len().min(most)), is_cut: key.len() > most }
    }
}

/// How far a watch has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatchPace {
    /// It reads what happened before, from the store.
    CatchingUp,
    /// It gets each change when it is made.
    #[default]
    Synced,
    /// Its stream has no room; it reads on from the store when there is.
    Slow,
}

/// One watch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldWatch {
    /// The stream it belongs to.
    pub stream: u64,
    /// Its number in the stream.
    pub watch_id: WatchId,
    /// The first key.
    pub key: HeldKey,
    /// As in a request: empty for one key, `[0]` for everything from it on.
    pub range_end: HeldKey,
    /// From where the client wanted to hear; 0 means "from now".
    pub start_revision: i64,
    /// The first revision of which it has not heard.
    pub next_revision: i64,
    /// How far it has come.
    pub pace: WatchPace,
    /// Responses that wait in its stream.
    pub queued: u32,
    /// It wants to hear of puts.
    pub puts: bool,
    /// It wants to hear of deletions.
    pub deletes: bool,
    /// It wants the versions before.
    pub prev_kv: bool,
    /// Its responses may be split.
    pub fragment: bool,
    /// It is told its progress from time to time.
    pub progress_notify: bool,
}

/// One lease.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldLease {
    /// Which.
    pub id: LeaseId,
    /// Unit: s.
    pub granted_ttl: i64,
    /// What a checkpoint left of it; 0 without one. Unit: s.
    pub checkpoint_ttl: i64,
    /// At the primary what is left of its time; below 0 if it is over and the lease is not revoked yet. Unit: ms.
    pub remaining_ms: Option<i64>,
    /// Its keys, in order.
    pub keys: Vec<HeldKey>,
    /// Keys that are not told.
    pub keys_more: u64,
}
