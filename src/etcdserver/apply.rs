//! Applies committed entries to store and membership, and answers the clients that wait for them.
//!
//! Invariants: applying is a function of the entry and the state alone, the same on every member;
//! an entry that cannot be read is our own broken invariant, since only members write the log.

use bytes::Bytes;

use super::io::Output;
use super::request::{InternalRaftRequest, Operation};
use super::server::Server;
use crate::api::{self, Error, MemberEvent, Response};
use crate::membership::LEARNERS_MAX;
use crate::raft::{ConfChangeV2, Entry, EntryType};

/// Rows that one step of a compaction may remove.
///
/// Unit: rows per tick. Source: etcd `CompactionBatchLimit` 1,000 each 10 ms.
const COMPACT_ROWS_PER_TICK: u32 = 10_000;

/// The member that a configuration change adds, as the entry carries it.
pub(super) fn encode_member(member: &api::Member) -> Bytes {
    // Client URLs are published by the member itself once it runs.
    let member = api::Member { client_urls: Vec::new(), ..member.clone() };
    super::disk::encode(&member).into()
}

impl Server {
    pub(super) fn apply_entries(&mut self, entries: &[Entry]) {
        let mut rows = Vec::new();
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
                EntryType::Normal if entry.data.is_empty() => {}
                EntryType::Normal => self.apply_normal(entry, &mut rows),
                EntryType::ConfChange | EntryType::ConfChangeV2 => self.apply_conf_change(entry),
            }
            self.applied = entry.index;
        }
        self.disk.applied(rows);
    }

    fn apply_normal(&mut self, entry: &Entry, rows: &mut Vec<crate::mvcc::Row>) {
        let request = match InternalRaftRequest::decode(&entry.data) {
            Ok(request) => request,
            Err(error) => unreachable!("entry {} cannot be applied: {error}", entry.index),
        };
        let result = self.apply_operation(request.operation, rows);
        if let Some(proposed) = self.proposals.proposed.remove(&request.id) {
            self.reply(proposed.client, result);
        }
    }

    fn apply_operation(
        &mut self,
        operation: Operation,
        rows: &mut Vec<crate::mvcc::Row>,
    ) -> Result<Response, Error> {
        // Leases arrive with their own module: until then none exists.
        let lease_exists = |_| false;
        match operation {
            Operation::Put(put) => {
                let (result, change) = self.store.put(&put, &lease_exists);
                rows.extend(change.rows);
                result.map(|mut response| {
                    self.fill(&mut response.header);
                    Response::Put(response)
                })
            }
            Operation::DeleteRange(delete) => {
                let (result, change) = self.store.delete_range(&delete);
                rows.extend(change.rows);
                result.map(|mut response| {
                    self.fill(&mut response.header);
                    Response::DeleteRange(response)
                })
            }
            Operation::Txn(txn) => {
                let (result, change) = self.store.txn(&txn, &lease_exists);
                rows.extend(change.rows);
                result.map(|mut response| {
                    self.fill(&mut response.header);
                    Response::Txn(response)
                })
            }
            Operation::Compaction(compaction) => {
                self.store.compact(compaction.revision)?;
                self.is_compacting = true;
                if compaction.physical {
                    self.compact_some();
                }
                Ok(Response::Compaction(api::CompactionResponse { header: self.header() }))
            }
            Operation::Alarm(_) => Ok(Response::Alarm(api::AlarmResponse {
                header: self.header(),
                alarms: Vec::new(),
            })),
            Operation::ClusterMemberAttrSet { member, name, client_urls } => {
                self.cluster.set_attributes(member, name, client_urls)?;
                Ok(Response::MemberList(api::MemberListResponse::default()))
            }
        }
    }

    fn apply_conf_change(&mut self, entry: &Entry) {
        let change = match ConfChangeV2::from_entry(entry) {
            Ok(Some(change)) => change,
            other => unreachable!("entry {} cannot be applied: {other:?}", entry.index),
        };
        if let Ok(member) = postcard::from_bytes::<api::Member>(&change.context)
            && self.cluster.member(member.id).is_none()
            && let Err(error) = self.cluster.add(member, LEARNERS_MAX)
        {
            log::warn!("entry {} did not change the membership: {error}", entry.index);
        }
        let conf_state = self.raft.apply_conf_change(&change);
        // At the first start all members are in force at once, and their entries change nothing more.
        if conf_state != self.conf_state {
            let voters = conf_state.voters.clone();
            self.outputs.push_back(Output::Event(MemberEvent::ConfChanged { voters }));
        }
        self.conf_state = conf_state;
    }

    /// Removes some superseded rows, if a compaction is under way.
    pub(super) fn compact_some(&mut self) {
        if !self.is_compacting {
            return;
        }
        let progress = self.store.compact_batch(COMPACT_ROWS_PER_TICK);
        self.disk.compacted(&progress.removed);
        if progress.finished {
            self.is_compacting = false;
        }
        self.disk.applied(Vec::new());
    }

    /// Whether a write must be refused because the space is used up.
    pub(super) fn is_over_quota(&self, operation: &Operation) -> bool {
        let adds = match operation {
            Operation::Put(_) => true,
            Operation::Txn(txn) => has_put(txn),
            Operation::DeleteRange(_)
            | Operation::Compaction(_)
            | Operation::Alarm(_)
            | Operation::ClusterMemberAttrSet { .. } => false,
        };
        adds && self.store.db_size() >= self.config.quota_bytes
    }
}

fn has_put(txn: &api::TxnRequest) -> bool {
    txn.success.iter().chain(&txn.failure).any(|op| match op {
        api::RequestOp::Put(_) => true,
        api::RequestOp::Txn(nested) => has_put(nested),
        api::RequestOp::Range(_) | api::RequestOp::DeleteRange(_) => false,
    })
}
