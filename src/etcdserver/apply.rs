//! Applies committed entries to store and membership, and answers the clients that wait for them.
//!
//! Invariants: applying is a function of the entry and the state alone, the same on every member;
//! an entry that cannot be read is our own broken invariant, since only members write the log.

use bytes::Bytes;

use super::request::{InternalRaftRequest, Operation};
use super::server::Server;
use crate::api::{self, AlarmType, Error};
use crate::raft::{Entry, EntryType};

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
        let is_physical = matches!(&request.operation, Operation::Compaction(it) if it.physical);
        let compaction = match &request.operation {
            Operation::Compaction(it) => Some(it.revision),
            _ => None,
        };
        self.counters.applied(super::counters::name(&request.operation));
        let result = self.apply_operation(request, entry.index);
        if let Ok(response) = &result {
            self.counters.answered(response);
        }
        self.trace_applied(id, entry.index);
        if let (Some(revision), Ok(_)) = (compaction, &result) {
            self.trace_compacted(revision, entry.index);
        }
        self.revoke_was_applied(id, result.is_ok());
        self.auto_compaction_applied(id, result.as_ref().err().copied());
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
            match result {
                Ok(response) if is_physical && self.is_compacting => {
                    self.physical_waits.push((proposed.client, response));
                }
                result => self.reply(proposed.client, result),
            }
        }
    }

    /// The superseded rows are gone: whoever waited for that hears of it. The revision is that of the compaction's own
    /// moment, so that the answer still says where it stands among the others.
    fn answer_physical_compactions(&mut self) {
        for (client, response) in std::mem::take(&mut self.physical_waits) {
            self.reply(client, Ok(response));
        }
    }

    /// Rows looked at in one tick: as many of etcd's batches as fit into it with their pauses.
    fn compact_rows_per_tick(&self) -> u32 {
        let batches = self.config.tick_ms / self.config.compaction_sleep_ms.max(1);
        let rows = u64::from(self.config.compaction_batch_limit).saturating_mul(batches.max(1));
        u32::try_from(rows).unwrap_or(u32::MAX)
    }

    /// Removes some superseded rows, if a compaction is under way.
    pub(super) fn compact_some(&mut self) {
        if !self.is_compacting {
            // A snapshot may have brought the end of it.
            self.answer_physical_compactions();
            return;
        }
        let progress = self.store.compact_batch(self.compact_rows_per_tick());
        self.counters.rows_compacted += u64::try_from(progress.removed.len()).unwrap_or(u64::MAX);
        self.disk.compacted(&progress.removed, &self.store);
        if progress.finished {
            self.is_compacting = false;
            self.answer_physical_compactions();
        }
        self.disk.applied(Vec::new());
    }
}
