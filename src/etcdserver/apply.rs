//! Applies committed entries to store and membership, and answers the clients that wait for them.
//!
//! Invariants: applying is a function of the entry and the state alone, the same on every member;
//! an entry that cannot be read is our own broken invariant, since only members write the log.

use bytes::Bytes;

use super::request::InternalRaftRequest;
use super::server::Server;
use crate::api::{self, AlarmType, Error};
use crate::raft::{Entry, EntryType};

/// Between two batches of a compaction. Unit: ms. Source: etcd `--compaction-sleep-interval`, its default.
const COMPACTION_SLEEP_MS: u64 = 10;

/// The member that a configuration change adds, as the entry carries it.
pub(super) fn encode_member(member: &api::Member) -> Bytes {
    // Client URLs are published by the member itself once it runs.
    let member = api::Member { client_urls: Vec::new(), ..member.clone() };
    super::disk::encode(&member).into()
}

impl Server {
    pub(super) fn apply_entries(&mut self, entries: &[Entry]) {
        for entry in entries {
            if entry.index <= self.applied {
                continue;
            }
            assert!(
                entry.index == self.applied.next(),
                "entry {} is applied after entry {}",
                entry.index,
                self.applied
            );
            match entry.entry_type {
                EntryType::Normal if entry.data.is_empty() => self.promote_lessor(entry.term),
                EntryType::Normal => self.apply_normal(entry),
                EntryType::ConfChange | EntryType::ConfChangeV2 => self.apply_conf_change(entry),
            }
            self.applied = entry.index;
        }
        self.disk.applied(Vec::new());
    }

    fn apply_normal(&mut self, entry: &Entry) {
        let request = match InternalRaftRequest::decode(&entry.data) {
            Ok(request) => request,
            Err(error) => unreachable!("entry {} cannot be applied: {error}", entry.index),
        };
        let id = request.id;
        let result = self.apply_operation(request, entry.index);
        self.revoke_was_applied(id);
        let proposed = self.proposals.proposed.remove(&id);
        if let Some(proposed) = &proposed
            && self.logs_in_again(id, proposed.client)
        {
            return;
        }
        // Each member that finds its own file full says so, and its client hears when it has.
        if matches!(result, Err(Error::NoSpace)) && !self.has_alarm(AlarmType::NoSpace) {
            let client = proposed.map(|proposed| proposed.client);
            self.raise_alarm(self.config.member, AlarmType::NoSpace, client);
        } else if let Some(proposed) = proposed {
            let result = proposed.refused.map_or(result, Err);
            self.reply(proposed.client, result);
        }
    }

    /// Removes some superseded rows, if a compaction is under way.
    pub(super) fn compact_some(&mut self) {
        if !self.is_compacting {
            return;
        }
        let batches = (self.config.tick_ms / COMPACTION_SLEEP_MS).max(1);
        let rows = batches.saturating_mul(u64::from(self.config.compaction_batch_limit.max(1)));
        let progress = self.store.compact_batch(u32::try_from(rows).unwrap_or(u32::MAX));
        self.disk.compacted(&progress.removed, &self.store);
        if progress.finished {
            self.is_compacting = false;
        }
        self.disk.applied(Vec::new());
    }
}
