//! What a member holds for its clients, for the page.
//!
//! What it is: [`Server::holdings`], a read-only look at its watches and at the lessor.
//! What it is not: a client's way to them; nothing that members do depends on it.
//! Invariants: asking changes nothing; what is told is bounded as `api::Holdings` says.

use super::server::Server;
use crate::api::{self, HeldKey, HeldLease, Holdings};
use crate::lease::Lease;
use crate::types::{LeaseId, Millis};

impl Server {
    /// Its watches and leases.
    #[must_use]
    pub fn holdings(&self) -> Holdings {
        let (watches, watches_more) = self.store.held_watches(api::HELD_WATCHES_MAX);
        let most = usize::try_from(api::HELD_LEASES_MAX).unwrap_or(usize::MAX);
        let mut leases = Vec::new();
        let all = self.lessor.list();
        for id in all.iter().copied().take(most) {
            leases.extend(self.lessor.leases().get(id).map(|lease| self.held_lease(id, lease)));
        }
        Holdings {
            member: self.config.member,
            applied: self.applied,
            revision: self.store.current_revision(),
            compact_revision: self.store.compact_revision(),
            is_primary: self.lessor.is_primary(),
            watches,
            watches_more,
            leases_more: count(all.len()).saturating_sub(count(leases.len())),
            leases,
        }
    }

    fn held_lease(&self, id: LeaseId, lease: &Lease) -> HeldLease {
        let now = self.now();
        let ms = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        let remaining = |expiry: Millis| ms(expiry.since(now)) - ms(now.since(expiry));
        let most = usize::try_from(api::HELD_KEYS_MAX).unwrap_or(usize::MAX);
        let keys: Vec<HeldKey> = lease.keys().take(most).map(HeldKey::new).collect();
        HeldLease {
            id,
            granted_ttl: lease.granted_ttl(),
            checkpoint_ttl: lease.remaining_ttl(),
            remaining_ms: self.lessor.expiry(id).map(remaining),
            keys_more: lease.key_count().saturating_sub(count(keys.len())),
            keys,
        }
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
