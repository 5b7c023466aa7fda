//! Requests that go through the log: from the client to Raft, and back if nothing comes of them.
//!
//! What it is: the queue of proposals, the identity of each, and when it is given up.
//! What it is not: a check of the request (see `rpc`), or its effect (see `apply`).
//! Invariants: a proposal is handed to Raft once; its client hears exactly once;
//! without a leader it waits until there is one or the client gives up.

use std::collections::VecDeque;

use bytes::Bytes;

use super::io::RequestId;
use super::leases::Client;
use super::request::{InternalRaftRequest, MemberChange, Operation, ProposalId, ProposedChange};
use super::rpc::{self, Route};
use super::server::Server;
use crate::api::{self, CallStep};
use crate::auth::AuthInfo;
use crate::mutant::{self, Mutant};
use crate::raft;
use crate::types::{MemberId, SmallMap};

/// Most client requests waiting in one member.
///
/// Unit: requests. Source: ours; etcd bounds the gap between commit and apply by 5,000 entries.
const WAITING_MAX: u64 = 20_000;

/// Ticks after which a proposal that was handed to Raft is given up.
///
/// Unit: ticks beyond two election timeouts. Source: etcd `ServerConfig.ReqTimeout`: 5 s plus twice the
/// election timeout.
const PROPOSAL_SECONDS: u64 = 5;

/// A proposal whose client waits.
#[derive(Clone, Debug)]
pub(super) struct Proposed {
    pub(super) client: RequestId,
    deadline: u64,
    /// What the client hears whatever the entry does.
    pub(super) refused: Option<api::Error>,
    /// The tick at which it was handed to Raft.
    asked: u64,
}

/// What is proposed.
#[derive(Clone, Debug)]
enum Proposal {
    Normal(Bytes),
    Change(Box<raft::ConfChange>),
}

#[derive(Clone, Debug)]
struct Unproposed {
    id: ProposalId,
    client: Option<RequestId>,
    refused: Option<api::Error>,
    proposal: Proposal,
}

/// What was proposed and what still has to be.
#[derive(Clone, Debug, Default)]
pub(super) struct Proposals {
    pub(super) proposed: SmallMap<ProposalId, Proposed>,
    /// Proposals that wait for a leader to be known.
    unproposed: VecDeque<Unproposed>,
    last_sequence: u64,
}

impl Server {
    /// A request of somebody who is known.
    pub(super) fn client(&mut self, id: RequestId, who: AuthInfo, request: api::Request) {
        self.counters.requests_unary += 1;
        if self.is_learner() && !rpc::is_for_learners(&request) {
            self.reply(id, Err(api::Error::NotSupportedForLearner));
            return;
        }
        if matches!(request, api::Request::Alarm(_))
            && let Err(error) = self.auth.require_user(&who)
        {
            self.reply(id, Err(error));
            return;
        }
        match rpc::route(&self.config, request) {
            Err(error) => self.reply(id, Err(error)),
            Ok(Route::Local(request)) => {
                self.trace(id.0, CallStep::Local);
                let result = self.read(&who, request);
                self.reply(id, result);
            }
            Ok(Route::Linearizable(request)) => {
                if self.reads.len() >= WAITING_MAX {
                    self.reply(id, Err(api::Error::TooManyRequests));
                } else {
                    self.trace(id.0, CallStep::ReadQueued);
                    self.reads.push(id, who, request);
                }
            }
            // Members compact by themselves as well, so that this is not asked when it is applied.
            Ok(Route::Propose(operation @ Operation::Compaction(_))) => {
                match self.auth.is_admin_permitted(&who) {
                    Ok(()) => {
                        self.propose(id, operation, who);
                    }
                    Err(error) => self.reply(id, Err(error)),
                }
            }
            Ok(Route::Propose(operation)) => {
                self.propose(id, operation, who);
            }
            Ok(Route::Member(request)) => self.member_request(id, who, request),
        }
    }

    pub(super) fn propose(
        &mut self,
        client: RequestId,
        operation: Operation,
        auth: AuthInfo,
    ) -> Option<ProposalId> {
        if self.is_full() {
            self.reply(client, Err(api::Error::TooManyRequests));
            return None;
        }
        if !self.is_within_quota(&operation) {
            self.raise_alarm(self.config.member, api::AlarmType::NoSpace, Some(client));
            return None;
        }
        let id = self.next_proposal_id();
        let Ok(data) = (InternalRaftRequest { id, operation, auth }).encode() else {
            self.reply(client, Err(api::Error::RequestTooLarge));
            return None;
        };
        if u64::try_from(data.len()).unwrap_or(u64::MAX) > self.config.max_request_bytes {
            self.reply(client, Err(api::Error::RequestTooLarge));
            return None;
        }
        self.trace(client.0, CallStep::Queued(id.sequence));
        let proposal = Proposal::Normal(data);
        self.proposals.unproposed.push_back(Unproposed {
            id,
            client: Some(client),
            refused: None,
            proposal,
        });
        Some(id)
    }

    /// Too many clients wait already.
    fn is_full(&self) -> bool {
        self.waiting_proposals() >= WAITING_MAX
    }

    pub(super) fn waiting_proposals(&self) -> u64 {
        let waiting = self.proposals.proposed.len() + self.proposals.unproposed.len();
        u64::try_from(waiting).unwrap_or(u64::MAX)
    }

    pub(super) fn waiting_requests(&self) -> u64 {
        self.waiting_proposals().saturating_add(self.reads.len())
    }

    pub(super) fn next_proposal_id(&mut self) -> ProposalId {
        self.proposals.last_sequence += 1;
        ProposalId {
            member: self.config.member,
            boot: self.boot,
            sequence: self.proposals.last_sequence,
        }
    }

    /// Hands waiting proposals to Raft once a leader is known.
    pub(super) fn propose_waiting(&mut self) {
        if self.raft.lead().is_none() {
            return;
        }
        while let Some(next) = self.proposals.unproposed.pop_front() {
            let Unproposed { id, client, refused, proposal } = next;
            let proposed = match proposal {
                Proposal::Normal(data) => self.raft.propose(data),
                Proposal::Change(change) => self.raft.propose_conf_change(&*change),
            };
            match proposed {
                Ok(()) => {
                    if let Some(client) = client {
                        self.trace_proposed(client, id);
                        self.expect(id, client, refused);
                    }
                }
                Err(error) => {
                    log::debug!("a proposal was dropped: {error}");
                    self.counters.proposals_failed += 1;
                    if let Some(client) = client {
                        let refused = refused.unwrap_or(api::Error::ProposalDropped);
                        self.reply(client, Err(refused));
                    }
                }
            }
        }
    }

    /// The entry with this identity answers the client.
    pub(super) fn expect(
        &mut self,
        id: ProposalId,
        client: RequestId,
        refused: Option<api::Error>,
    ) {
        let deadline = self.request_deadline();
        let proposed = Proposed { client, deadline, refused, asked: self.ticks };
        self.proposals.proposed.insert(id, proposed);
    }

    /// The tick at which a request of now is given up.
    pub(super) fn request_deadline(&self) -> u64 {
        self.ticks
            + self.ticks_of(PROPOSAL_SECONDS * 1000)
            + 2 * u64::from(self.config.election_ticks)
    }

    /// Proposes a change of the membership.
    pub(super) fn propose_change(&mut self, client: RequestId, change: MemberChange) {
        if self.is_full() {
            self.reply(client, Err(api::Error::TooManyRequests));
            return;
        }
        let id = self.next_proposal_id();
        self.trace(client.0, CallStep::Queued(id.sequence));
        let proposal = Proposal::Change(Box::new(ProposedChange { id, change }.to_raft()));
        let client = Some(client);
        self.proposals.unproposed.push_back(Unproposed { id, client, refused: None, proposal });
    }

    /// Proposes an alarm; `refused` hears that the space is used up once the alarm is raised.
    pub(super) fn propose_alarm(&mut self, operation: Operation, refused: Option<RequestId>) {
        let id = self.next_proposal_id();
        let encoded = InternalRaftRequest { id, operation, auth: AuthInfo::default() }.encode();
        assert!(encoded.is_ok(), "an alarm does not serialise");
        if let Ok(data) = encoded {
            if let Some(client) = refused {
                self.trace(client.0, CallStep::Queued(id.sequence));
            }
            self.proposals.unproposed.push_back(Unproposed {
                id,
                client: refused,
                refused: Some(api::Error::NoSpace),
                proposal: Proposal::Normal(data),
            });
        }
    }

    /// Proposes what this member wants as the leader: now, or not at all.
    pub(super) fn propose_as_leader(&mut self, operation: Operation) -> Option<ProposalId> {
        let leads = self.raft.basic_status().soft_state.role == raft::StateRole::Leader;
        if !leads && !mutant::is(Mutant::LeaseEndsOnFollower) {
            return None;
        }
        let id = self.next_proposal_id();
        let auth = self.auth.root_info();
        let encoded = (InternalRaftRequest { id, operation, auth }).encode();
        assert!(encoded.is_ok(), "a proposal of our own does not serialise");
        match self.raft.propose(encoded.ok()?) {
            Ok(()) => Some(id),
            Err(error) => {
                log::debug!("a proposal of the leader was dropped: {error}");
                None
            }
        }
    }

    pub(super) fn give_up_old_proposals(&mut self) {
        let now = self.ticks;
        let old: Vec<ProposalId> = self
            .proposals
            .proposed
            .iter()
            .filter(|(_, proposed)| proposed.deadline <= now)
            .map(|(id, _)| *id)
            .collect();
        for id in old {
            if let Some(proposed) = self.proposals.proposed.remove(&id) {
                self.counters.proposals_failed += 1;
                let error = proposed.refused.unwrap_or_else(|| self.late(proposed.asked));
                self.reply(proposed.client, Err(error));
            }
        }
    }

    /// What probably became of a proposal that nobody answered: the leader at that time had just been lost and a new
    /// one came, or whoever would have to hear of it was not connected all the time since.
    ///
    /// Source: etcd `parseProposeCtxErr`.
    fn late(&self, asked: u64) -> api::Error {
        let elected = self.leader_elected_at;
        let overlap = 2 * u64::from(self.config.election_ticks);
        if asked < elected && asked + overlap > elected {
            return api::Error::TimeoutDueToLeaderFail;
        }
        let is_connected = |peer: &MemberId| {
            *peer == self.config.member || self.active_since.get(peer).is_some_and(|at| *at < asked)
        };
        let is_whole = match self.lead {
            None => true,
            Some(lead) if lead == self.config.member => {
                let members = self.cluster.member_list();
                let connected = members.iter().filter(|member| is_connected(&member.id)).count();
                connected > members.len() / 2
            }
            Some(lead) => is_connected(&lead),
        };
        if is_whole { api::Error::Timeout } else { api::Error::TimeoutDueToConnectionLost }
    }

    pub(super) fn cancel(&mut self, id: RequestId) {
        self.unanswered.remove(&id);
        self.trace(id.0, CallStep::Canceled);
        self.reads.cancel(id);
        self.cancel_waiting(id);
        self.cancel_lease(Client::Call(id));
        self.saves.cancel(id);
        self.logins.cancel(id);
        self.proposals.unproposed.retain(|waiting| waiting.client != Some(id));
        let before = self.proposals.proposed.len();
        self.proposals.proposed.retain(|_, proposed| proposed.client != id);
        let canceled = before - self.proposals.proposed.len();
        self.counters.proposals_failed += u64::try_from(canceled).unwrap_or(u64::MAX);
    }

    /// Tells the cluster this member's name and client URLs until it knows them.
    pub(super) fn publish(&mut self) {
        let id = self.config.member;
        let Some(own) = self.config.members.iter().find(|member| member.id == id) else { return };
        let is_known = self
            .cluster
            .member(id)
            .is_some_and(|known| known.name == own.name && known.client_urls == own.client_urls);
        let retry = 5 * u64::from(self.config.election_ticks);
        let is_due = self.published_at.is_none_or(|at| self.ticks >= at + retry);
        if is_known || !is_due || self.lead.is_none() {
            return;
        }
        self.published_at = Some(self.ticks);
        let operation = Operation::ClusterMemberAttrSet {
            member: id,
            name: own.name.clone(),
            client_urls: own.client_urls.clone(),
        };
        let id = self.next_proposal_id();
        let auth = AuthInfo::default();
        if let Ok(data) = (InternalRaftRequest { id, operation, auth }).encode()
            && let Err(error) = self.raft.propose(data)
        {
            log::debug!("publishing waits: {error}");
        }
    }
}
