//! A member's inside, to look at between two inputs: for the simulator's invariants and nothing else.
//!
//! What it is: read-only questions about Raft, log, disk and store of one [`Server`].
//! What it is not: a way in; no behaviour depends on it.
//! Invariants: asking changes nothing.

use super::request::{InternalRaftRequest, Operation};
use super::server::Server;
use crate::api;
use crate::auth::{AuthInfo, AuthState};
use crate::lease;
use crate::mvcc::WatchableStore;
use crate::raft::{self, Entry, StateRole, Storage as _};
use crate::types::{Index, LeaseId, MemberId, Term};

/// A member between two inputs.
#[derive(Clone, Copy, Debug)]
pub struct View<'s> {
    server: &'s Server,
}

impl Server {
    /// Looks at the member.
    #[must_use]
    pub const fn observe(&self) -> View<'_> {
        View { server: self }
    }
}

impl<'s> View<'s> {
    /// Its term.
    #[must_use]
    pub fn term(&self) -> Term {
        self.server.raft.term()
    }

    /// Whom it voted for in its term, on disk or not.
    #[must_use]
    pub fn vote(&self) -> Option<MemberId> {
        self.server.raft.basic_status().hard_state.vote
    }

    /// Its role.
    #[must_use]
    pub fn role(&self) -> StateRole {
        self.server.raft.role()
    }

    /// Its commit index.
    #[must_use]
    pub fn commit(&self) -> Index {
        self.server.raft.commit()
    }

    /// The last entry that its store contains.
    #[must_use]
    pub const fn applied(&self) -> Index {
        self.server.applied
    }

    /// The first entry that is still in its log.
    #[must_use]
    pub fn first_index(&self) -> Index {
        self.server.raft.basic_status().first_index
    }

    /// The last entry of its log.
    #[must_use]
    pub fn last_index(&self) -> Index {
        self.server.raft.last_index()
    }

    /// The term of an entry of its log, if it has it.
    #[must_use]
    pub fn term_of(&self, index: Index) -> Option<Term> {
        self.server.raft.log_term(index)
    }

    /// The entries `from..=to` of its log; fewer if it does not have them all.
    #[must_use]
    pub fn entries(&self, from: Index, to: Index) -> Vec<Entry> {
        self.server.raft.log_entries(from, to)
    }

    /// The last entry that is on its disk.
    #[must_use]
    pub fn durable_last_index(&self) -> Index {
        self.server.raft.storage().last_index()
    }

    /// The first entry that its log on disk counts.
    #[must_use]
    pub fn durable_first_index(&self) -> Index {
        self.server.raft.storage().first_index()
    }

    /// The term of an entry on its disk, if it has it.
    #[must_use]
    pub fn durable_term_of(&self, index: Index) -> Option<Term> {
        self.server.raft.storage().term(index).ok()
    }

    /// The entries `from..=to` on its disk; fewer if it does not have them all.
    #[must_use]
    pub fn durable_entries(&self, from: Index, to: Index) -> Vec<Entry> {
        let entries = self.server.raft.storage().entries(from, to.next(), u64::MAX);
        entries.unwrap_or_default()
    }

    /// The configuration in force.
    #[must_use]
    pub fn conf_state(&self) -> raft::ConfState {
        self.server.raft.conf_state()
    }

    /// The configuration after the last entry that its store contains.
    #[must_use]
    pub const fn applied_conf(&self) -> &'s raft::ConfState {
        &self.server.conf_state
    }

    /// Who belongs to the cluster, after the last entry that its store contains.
    #[must_use]
    pub fn members(&self) -> Vec<api::Member> {
        self.server.cluster.member_list()
    }

    /// The applied index when the log was cut last, or that of the snapshot installed since.
    #[must_use]
    pub const fn snapshot_index(&self) -> Index {
        self.server.snapshot_index
    }

    /// Chunks of the snapshot on its way to the disk that no round has carried yet; `None` without one.
    #[must_use]
    pub fn chunks_to_install(&self) -> Option<u64> {
        self.server.disk.chunks_to_install()
    }

    /// Appends on their way to each follower, and the payload bytes not committed yet; a leader's.
    #[must_use]
    pub fn flow(&self) -> (Vec<u64>, u64) {
        let status = self.server.raft.status();
        let counts = status.progress.values().map(|progress| progress.inflights.count()).collect();
        (counts, self.server.raft.uncommitted_size())
    }

    /// Its store.
    #[must_use]
    pub const fn store(&self) -> &'s WatchableStore {
        &self.server.store
    }

    /// Client requests that wait in it.
    #[must_use]
    pub fn waiting_requests(&self) -> u64 {
        self.server.waiting_requests()
    }

    /// Its leases.
    #[must_use]
    pub const fn leases(&self) -> &'s lease::Leases {
        self.server.lessor.leases()
    }

    /// Its active alarms, in order.
    #[must_use]
    pub fn alarms(&self) -> Vec<api::AlarmMember> {
        self.server.alarms.iter().copied().collect()
    }

    /// Its users and roles.
    #[must_use]
    pub const fn auth_state(&self) -> &'s AuthState {
        self.server.auth.state()
    }

    /// What an entry asks for, and who asks; `None` if it concerns neither keys, leases, alarms nor users.
    ///
    /// The end of an expired lease is a revocation as any other.
    #[must_use]
    pub fn request_of(entry: &Entry) -> Option<(AuthInfo, api::Request)> {
        if entry.entry_type != raft::EntryType::Normal || entry.data.is_empty() {
            return None;
        }
        let InternalRaftRequest { operation, auth, .. } =
            InternalRaftRequest::decode(&entry.data).ok()?;
        let request = match operation {
            Operation::Put(put) => api::Request::Put(put),
            Operation::DeleteRange(delete) => api::Request::DeleteRange(delete),
            Operation::Txn(txn) => api::Request::Txn(txn),
            Operation::Compaction(compaction) => api::Request::Compaction(compaction),
            Operation::LeaseGrant(grant) => api::Request::LeaseGrant(grant),
            Operation::LeaseRevoke(revoke) => api::Request::LeaseRevoke(revoke),
            Operation::Alarm(alarm) => api::Request::Alarm(alarm),
            Operation::Auth(auth) => api::Request::Auth(auth),
            Operation::ClusterMemberAttrSet { .. }
            | Operation::DowngradeInfoSet(_)
            | Operation::LeaseCheckpoint(_)
            | Operation::Authenticate(_) => return None,
        };
        Some((auth, request))
    }

    /// The lease that an entry revokes, whoever proposed it.
    #[must_use]
    pub fn revocation(entry: &Entry) -> Option<LeaseId> {
        if entry.entry_type != raft::EntryType::Normal || entry.data.is_empty() {
            return None;
        }
        let request = InternalRaftRequest::decode(&entry.data).ok()?;
        match request.operation {
            Operation::LeaseRevoke(revoke) => Some(revoke.id),
            _ => None,
        }
    }
}
