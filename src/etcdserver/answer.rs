//! Answers from this member's own state: reads, status, hashes, member list, the header of everything.
//!
//! What it is not: a decision when such an answer may be given; see `rpc` and `read`.
//! Invariants: reading changes nothing.

use super::config::InitialState;
use super::server::Server;
use crate::api::{self, Error, Request, Response, ResponseHeader};
use crate::auth::AuthInfo;
use crate::raft;
use crate::types::Index;

/// The etcd version whose behaviour this is.
pub(super) const VERSION: &str = "3.7.1";

/// etcd's schema version of the storage.
const STORAGE_VERSION: &str = "3.7.0";

/// The schema version of a file that a joining member has just made, and how long it stays: etcd looks
/// every 4 s whether to raise it. Source: etcd `monitorVersionInterval`; recorded.
const STORAGE_VERSION_NEW: &str = "3.5.0";
const STORAGE_VERSION_NEW_MS: u64 = 4_000;

impl Server {
    pub(super) fn header(&self) -> ResponseHeader {
        ResponseHeader {
            cluster_id: self.cluster_id,
            member_id: self.config.member,
            revision: self.store.current_revision(),
            raft_term: self.raft.term(),
        }
    }

    /// Adds what the store does not know; the revision is the store's own.
    pub(super) fn fill(&self, header: &mut ResponseHeader) {
        let revision = header.revision;
        *header = ResponseHeader { revision, ..self.header() };
    }

    pub(super) fn read(&mut self, who: &AuthInfo, request: Request) -> Result<Response, Error> {
        self.check_read(who, &request)?;
        let response = self.read_checked(request)?;
        self.counters.answered(&response);
        Ok(response)
    }

    fn read_checked(&self, request: Request) -> Result<Response, Error> {
        let is_of_data = matches!(request, Request::Range(_) | Request::Txn(_));
        if is_of_data && self.has_alarm(api::AlarmType::Corrupt) {
            return Err(Error::Corrupt);
        }
        match request {
            Request::Range(range) => {
                let found = self.store.range(&range)?;
                Ok(Response::Range(api::RangeResponse {
                    header: self.header(),
                    kvs: found.kvs,
                    more: found.more,
                    count: found.count,
                }))
            }
            Request::Txn(txn) => {
                let mut response = self.store.read_only_txn(&txn)?;
                self.fill(&mut response.header);
                Ok(Response::Txn(response))
            }
            Request::MemberList(_) => Ok(Response::MemberList(api::MemberListResponse {
                header: ResponseHeader { revision: 0, ..self.header() },
                members: self.cluster.member_list(),
            })),
            Request::Status(_) => Ok(Response::Status(self.status_response())),
            Request::LeaseLeases(_) => Ok(Response::LeaseLeases(self.lease_list())),
            Request::HashKv(hash) => {
                let hash = self.store.hash_by_revision(hash.revision)?;
                Ok(Response::HashKv(self.hash_response(&hash)))
            }
            Request::Put(_)
            | Request::DeleteRange(_)
            | Request::Compaction(_)
            | Request::Alarm(_)
            | Request::MemberAdd(_)
            | Request::MemberRemove(_)
            | Request::MemberUpdate(_)
            | Request::MemberPromote(_)
            | Request::MoveLeader(_)
            | Request::Defragment(_)
            | Request::Downgrade(_)
            | Request::LeaseGrant(_)
            | Request::LeaseRevoke(_)
            | Request::LeaseKeepAlive(_)
            | Request::LeaseTimeToLive(_)
            | Request::Auth(_)
            | Request::Authenticate(_)
            | Request::Snapshot(_) => {
                unreachable!("a write was routed as a read")
            }
        }
    }

    pub(super) fn hash_response(&self, hash: &crate::mvcc::HashKv) -> api::HashKvResponse {
        api::HashKvResponse {
            header: self.header(),
            hash: hash.hash,
            compact_revision: hash.compact_revision,
            hash_revision: hash.hash_revision,
        }
    }

    pub(super) fn storage_version(&self) -> &'static str {
        let is_new = self.config.initial_state != InitialState::New
            && self.boot == 1
            && self.disk.generation() == 0
            && self.ticks < self.ticks_of(STORAGE_VERSION_NEW_MS);
        if is_new { STORAGE_VERSION_NEW } else { STORAGE_VERSION }
    }

    fn status_response(&self) -> api::StatusResponse {
        let no_leader = self.lead.is_none().then(|| Error::NoLeader.text().to_owned());
        let alarms = self.alarm_list();
        let alarms = alarms.iter().map(ToString::to_string);
        let errors = no_leader.into_iter().chain(alarms).collect();
        api::StatusResponse {
            header: self.header(),
            version: VERSION.to_owned(),
            db_size: self.store.db_size(),
            leader: self.lead,
            raft_index: self.raft.basic_status().hard_state.commit,
            raft_term: self.raft.term(),
            raft_applied_index: self.applied,
            errors,
            db_size_in_use: self.store.db_size_in_use(),
            is_learner: self.is_learner(),
            storage_version: self.storage_version().to_owned(),
            db_size_quota: self.config.quota_bytes,
            downgrade_info: self.downgrade.clone(),
        }
    }

    /// The state for the member's card.
    #[must_use]
    pub fn status(&self) -> api::MemberStatus {
        let status = self.raft.status();
        let progress = if status.basic.soft_state.role == raft::StateRole::Leader {
            status
                .progress
                .iter()
                .filter(|(id, _)| **id != self.config.member)
                .map(|(id, progress)| api::PeerProgress {
                    member: *id,
                    matched: progress.matched,
                    next: progress.next,
                    state: progress.state.to_string(),
                    is_recently_active: progress.recent_active,
                })
                .collect()
        } else {
            Vec::new()
        };
        api::MemberStatus {
            member: self.config.member,
            role: self.shown_role(),
            term: self.raft.term(),
            vote: status.basic.hard_state.vote,
            leader: self.lead,
            first_index: status.basic.first_index,
            last_index: self.raft.last_index(),
            durable_index: self.durable_index(),
            commit: status.basic.hard_state.commit,
            applied: self.applied,
            revision: self.store.current_revision(),
            compact_revision: self.store.compact_revision(),
            db_size: self.store.db_size(),
            watch_streams: u64::try_from(self.streams.len()).unwrap_or(u64::MAX),
            election_elapsed: u64::from(self.raft.election_elapsed()),
            election_timeout: u64::from(self.raft.randomized_election_timeout()),
            votes: self.raft.votes_granted(),
            receiving: self.receiving(),
            progress,
            boot: self.boot,
            is_paused: false,
        }
    }

    fn durable_index(&self) -> Index {
        use raft::Storage as _;
        self.raft.storage().last_index()
    }
}
