//! A member's log in words, for the page.
//!
//! What it is: [`Server::log_part`], a read-only look at the Raft log and its entries.
//! What it is not: replication; nothing that members do depends on it.
//! Invariants: asking changes nothing; an entry that cannot be read is told as such, never a panic.

use bytes::Bytes;

use super::request::{
    CHANGE_OF_FIRST_START, InternalRaftRequest, MemberChange, Operation, ProposedChange,
};
use super::server::Server;
use crate::api::{self, ConfigChange, LogContent, LogEntry, LogPart};
use crate::raft::{self, ConfChangeType, EntryType};
use crate::types::Index;

impl Server {
    /// The entries `from..=to` of its log, as far as it has them and [`api::LOG_PART_ENTRIES_MAX`] allows.
    #[must_use]
    pub fn log_part(&self, from: Index, to: Index) -> LogPart {
        let status = self.status();
        let configuration = self.raft.conf_state();
        let first_index = self.raft.basic_status().first_index;
        let from = from.max(first_index);
        let to = to.min(Index(from.0.saturating_add(api::LOG_PART_ENTRIES_MAX - 1)));
        let mut entries = Vec::new();
        for entry in self.raft.log_entries(from, to) {
            let content = content_of(&entry);
            entries.push(LogEntry { term: entry.term, index: entry.index, content });
        }
        LogPart {
            member: status.member,
            term: status.term,
            first_index,
            last_index: status.last_index,
            durable_index: status.durable_index,
            commit: status.commit,
            applied: status.applied,
            progress: status.progress,
            voters: configuration.voters,
            voters_outgoing: configuration.voters_outgoing,
            learners: configuration.learners,
            entries,
        }
    }
}

fn content_of(entry: &raft::Entry) -> LogContent {
    match entry.entry_type {
        EntryType::Normal if entry.data.is_empty() => LogContent::Empty,
        EntryType::Normal => match InternalRaftRequest::decode(&entry.data) {
            Ok(request) => operation(request.operation),
            Err(_) => LogContent::Unreadable,
        },
        EntryType::ConfChange => configuration(entry).unwrap_or(LogContent::Unreadable),
        EntryType::ConfChangeV2 => joint(),
    }
}

fn operation(operation: Operation) -> LogContent {
    match operation {
        Operation::Put(put) => LogContent::Put {
            key: cut(&put.key),
            value_bytes: put.value.len() as u64,
            lease: put.lease,
        },
        Operation::DeleteRange(delete) => {
            LogContent::Delete { key: cut(&delete.key), is_range: !delete.range_end.is_empty() }
        }
        Operation::Txn(txn) => LogContent::Txn {
            compares: txn.compare.len() as u64,
            success: txn.success.len() as u64,
            failure: txn.failure.len() as u64,
            may_write: txn.success.iter().chain(&txn.failure).any(may_write),
        },
        Operation::Compaction(compaction) => {
            LogContent::Compaction { revision: compaction.revision }
        }
        Operation::LeaseGrant(grant) => LogContent::LeaseGrant { lease: grant.id, ttl: grant.ttl },
        Operation::LeaseRevoke(revoke) => LogContent::LeaseRevoke { lease: revoke.id },
        Operation::LeaseCheckpoint(_) => LogContent::LeaseCheckpoint,
        Operation::Alarm(_) => LogContent::Alarm,
        Operation::Auth(_) | Operation::Authenticate(_) => LogContent::Auth,
        Operation::DowngradeInfoSet(_) => LogContent::Downgrade,
        Operation::ClusterMemberAttrSet { name, .. } => LogContent::Publish { name },
    }
}

const fn may_write(operation: &api::RequestOp) -> bool {
    !matches!(operation, api::RequestOp::Range(_))
}

fn cut(key: &Bytes) -> Bytes {
    let end = key.len().min(usize::try_from(api::LOG_KEY_BYTES_MAX).unwrap_or(usize::MAX));
    key.slice(..end)
}

fn configuration(entry: &raft::Entry) -> Option<LogContent> {
    let change = raft::ConfChange::decode(&entry.data).ok()?;
    let mut kind = match change.change_type {
        ConfChangeType::AddNode => ConfigChange::AddVoter,
        ConfChangeType::AddLearnerNode => ConfigChange::AddLearner,
        ConfChangeType::RemoveNode => ConfigChange::Remove,
        ConfChangeType::UpdateNode => ConfigChange::Update,
    };
    let name = if change.id == CHANGE_OF_FIRST_START {
        postcard::from_bytes::<api::Member>(&change.context).map(|member| member.name).ok()
    } else {
        match ProposedChange::from_raft(&change).map(|proposed| proposed.change) {
            Ok(MemberChange::Add(member)) => Some(member.name),
            Ok(MemberChange::Promote(_)) => {
                kind = ConfigChange::Promote;
                None
            }
            Ok(MemberChange::Remove(_) | MemberChange::Update { .. }) | Err(_) => None,
        }
    };
    let name = name.unwrap_or_default();
    Some(LogContent::Config { change: kind, member: change.node_id, name })
}

const fn joint() -> LogContent {
    LogContent::Config {
        change: ConfigChange::Joint,
        member: crate::types::MemberId(0),
        name: String::new(),
    }
}
