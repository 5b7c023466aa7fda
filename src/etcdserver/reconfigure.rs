//! Changes of the membership and of the leadership, asked for by clients.
//!
//! What it is: etcd's checks before a change is proposed, what the entry then does, and the requests that
//! wait for a leader to move or to judge.
//! What it is not: the arithmetic of the checks (see `membership::readiness`), or Raft's configuration.
//! Invariants: what a change does is a function of the entry and the membership, the same everywhere;
//! a change that is refused when it is applied changes neither; the checks before only protect a quorum
//! and may be passed by changes that are refused later. A removed member stops and says so.
//! Source: behaviour of etcd `server/etcdserver/server.go`, `v3_server.go`, `api/v3rpc/member.go`.

use super::io::{Output, RequestId, StopReason};
use super::leases::Client;
use super::peer::{LeaseAsk, PeerMessage};
use super::request::{CHANGE_OF_FIRST_START, MemberChange, ProposalId, ProposedChange};
use super::server::Server;
use crate::api::{self, Error, MemberEvent, Request, Response, ResponseHeader};
use crate::auth::AuthInfo;
use crate::membership::{checked_peer_urls, member_id};
use crate::raft::{self, ConfChange, ConfChangeType, ConfChangeV2, Entry, EntryType};
use crate::types::{MemberId, SmallMap};

/// How long a peer must be connected to count. Unit: ms. Source: etcd `HealthInterval`.
const HEALTH_MS: u64 = 5_000;

/// How long a removed member goes on, so that others hear of it. Unit: ms. Source: etcd's server, which
/// stops 1 s after it has applied its own removal.
pub(super) const REMOVED_MS: u64 = 1_000;

/// Requests that wait for something else than an entry of this member's own.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    /// Until this member leads, or the tick: the deadline.
    moves: Vec<(RequestId, MemberId, u64)>,
    /// Learners that the leader was asked to promote: the last time, as a tick.
    promotions: SmallMap<ProposalId, (MemberId, u64)>,
}

impl Server {
    // ---- who is there ----

    /// Something came from this peer.
    pub(super) fn is_heard(&mut self, peer: MemberId) {
        let now = self.ticks;
        self.active_since.get_or_insert_with(peer, || now);
        self.trace_heard(peer);
    }

    pub(super) fn ticks_of(&self, ms: u64) -> u64 {
        ms / self.config.tick_ms.max(1)
    }

    pub(super) fn is_learner(&self) -> bool {
        self.cluster.member(self.config.member).is_some_and(|own| own.is_learner)
    }

    /// Voters connected for long enough, this member among them.
    fn connected_voters(&self) -> u64 {
        let health_ticks = self.ticks_of(HEALTH_MS);
        let is_connected = |id: &MemberId| {
            let since = self.active_since.get(id);
            *id == self.config.member
                || since.is_some_and(|since| self.ticks > since + health_ticks)
        };
        u64::try_from(self.cluster.voters().filter(is_connected).count()).unwrap_or(u64::MAX)
    }

    fn voters(&self) -> u64 {
        u64::try_from(self.cluster.voters().count()).unwrap_or(u64::MAX)
    }

    // ---- requests ----

    /// A request that this member answers with what it knows of the others.
    pub(super) fn member_request(&mut self, client: RequestId, who: AuthInfo, request: Request) {
        if let Err(error) = self.check_member_request(&who, &request) {
            self.reply(client, Err(error));
            return;
        }
        let refused = match request {
            Request::MemberAdd(add) => self.member_add(client, &add),
            Request::MemberRemove(remove) => self.member_remove(client, remove.id),
            Request::MemberUpdate(update) => {
                // Unlike those of a new member they keep their order.
                checked_peer_urls(&update.peer_urls).map(|_| {
                    let api::MemberUpdateRequest { id, peer_urls } = update;
                    self.propose_change(client, MemberChange::Update { id, peer_urls });
                })
            }
            Request::MemberPromote(promote) => self.member_promote(client, promote.id),
            Request::MoveLeader(to) => self.move_leader(client, to.target_id),
            Request::Downgrade(downgrade) => self.downgrade(client, who, &downgrade),
            Request::LeaseGrant(grant) => {
                self.lease_grant(client, who, grant);
                Ok(())
            }
            Request::Auth(request) => self.change_auth(client, who, request),
            Request::LeaseKeepAlive(keep_alive) => {
                self.lease_ask(Client::Call(client), LeaseAsk::KeepAlive(keep_alive.id))
            }
            Request::LeaseTimeToLive(api::LeaseTimeToLiveRequest { id, keys }) => {
                self.lease_ask(Client::Call(client), LeaseAsk::TimeToLive { id, keys })
            }
            Request::Snapshot(_) => self.save_snapshot(client),
            Request::Defragment(_) => {
                let response = self.defragment();
                self.reply(client, Ok(response));
                Ok(())
            }
            _ => unreachable!("routed elsewhere"),
        };
        if let Err(error) = refused {
            self.reply(client, Err(error));
        }
    }

    fn member_add(&mut self, client: RequestId, add: &api::MemberAddRequest) -> Result<(), Error> {
        let peer_urls = checked_peer_urls(&add.peer_urls)?;
        if self.config.strict_reconfig_check {
            if !add.is_learner && !self.cluster.is_ready_to_add_voter() {
                return Err(Error::MemberNotEnoughStarted);
            }
            let voters = self.voters();
            // One member may always be joined by a second.
            if voters != 1 && self.connected_voters() <= voters.div_ceil(2) {
                return Err(Error::Unhealthy);
            }
        }
        let elapsed_s = i64::try_from(self.ticks * self.config.tick_ms / 1000).unwrap_or(i64::MAX);
        let now_s = self.config.unix_s.saturating_add(elapsed_s);
        let id = member_id(&peer_urls, &self.config.token, Some(now_s));
        let is_learner = add.is_learner;
        let member = api::Member { id, peer_urls, is_learner, ..api::Member::default() };
        self.propose_change(client, MemberChange::Add(member));
        Ok(())
    }

    fn member_remove(&mut self, client: RequestId, id: MemberId) -> Result<(), Error> {
        let is_learner = self.cluster.member(id).is_some_and(|member| member.is_learner);
        if self.config.strict_reconfig_check && !is_learner {
            if !self.cluster.is_ready_to_remove_voter(id) {
                return Err(Error::MemberNotEnoughStarted);
            }
            // Whoever is not connected is no part of the quorum that works.
            let is_active = id == self.config.member || self.active_since.contains_key(&id);
            let left = self.connected_voters().saturating_sub(1);
            if is_active && left < 1 + self.voters().saturating_sub(1) / 2 {
                return Err(Error::Unhealthy);
            }
        }
        self.propose_change(client, MemberChange::Remove(id));
        Ok(())
    }

    fn member_promote(&mut self, client: RequestId, id: MemberId) -> Result<(), Error> {
        if self.role == raft::StateRole::Leader {
            self.check_promotion(id)?;
            self.propose_change(client, MemberChange::Promote(id));
            return Ok(());
        }
        let proposal = self.next_proposal_id();
        self.expect(proposal, client, None);
        self.waiting.promotions.insert(proposal, (id, self.ticks));
        self.trace_leader_asked(client);
        self.ask_to_promote(proposal, id);
        Ok(())
    }

    /// What only the leader can say: the learner must have nearly all of the log.
    fn check_promotion(&mut self, id: MemberId) -> Result<(), Error> {
        let checked = self.is_ready_for_promotion(id);
        if let Err(error) = checked {
            *self.counters.promotions_refused.get_or_insert_with(error.text(), || 0) += 1;
        }
        checked
    }

    fn is_ready_for_promotion(&self, id: MemberId) -> Result<(), Error> {
        let progress = self.raft.status().progress;
        let matched = |id: MemberId| progress.get(&id).map(|progress| progress.matched.0);
        let own = matched(self.config.member).ok_or(Error::NotLeader)?;
        let learner = matched(id).ok_or(Error::MemberNotFound)?;
        // 0.9 of the leader's. Source: etcd `readyPercentThreshold`.
        if learner.saturating_mul(10) < own.saturating_mul(9) {
            return Err(Error::LearnerNotReady);
        }
        if self.config.strict_reconfig_check && !self.cluster.is_ready_to_promote() {
            return Err(Error::MemberNotEnoughStarted);
        }
        Ok(())
    }

    fn ask_to_promote(&mut self, proposal: ProposalId, id: MemberId) {
        if let Some(lead) = self.lead {
            let ProposalId { boot, sequence, .. } = proposal;
            self.send_peer(lead, PeerMessage::Promote { id, boot, sequence });
        }
    }

    /// A peer's client wants a learner promoted.
    pub(super) fn promote_for(&mut self, proposal: ProposalId, id: MemberId) {
        let change = ProposedChange { id: proposal, change: MemberChange::Promote(id) };
        let proposed = if self.role == raft::StateRole::Leader {
            self.check_promotion(id)
        } else {
            Err(Error::NotLeader)
        };
        if proposed.is_ok()
            && let Err(error) = self.raft.propose_conf_change(&change.to_raft())
        {
            log::debug!("a promotion was dropped: {error}");
        } else if let Err(error) = proposed {
            let ProposalId { member, boot, sequence } = proposal;
            self.send_peer(member, PeerMessage::PromoteRefused { boot, sequence, error });
        }
    }

    /// The leader refuses; if it leads no more, somebody else is asked soon.
    pub(super) fn promote_refused(&mut self, boot: u64, sequence: u64, error: Error) {
        let proposal = ProposalId { member: self.config.member, boot, sequence };
        if error == Error::NotLeader || self.waiting.promotions.remove(&proposal).is_none() {
            return;
        }
        if let Some(proposed) = self.proposals.proposed.remove(&proposal) {
            self.reply(proposed.client, Err(error));
        }
    }

    fn move_leader(&mut self, client: RequestId, target: MemberId) -> Result<(), Error> {
        if self.lead != Some(self.config.member) {
            return Err(Error::NotLeader);
        }
        if self.cluster.member(target).is_none_or(|member| member.is_learner) {
            return Err(Error::BadLeaderTransferee);
        }
        self.raft.transfer_leader(target);
        self.trace(client.0, api::CallStep::LeaderAsked(target));
        let deadline = self.request_deadline();
        self.waiting.moves.push((client, target, deadline));
        self.leader_was_moved();
        Ok(())
    }

    /// Answers those who wait for the leader that there is now.
    pub(super) fn leader_was_moved(&mut self) {
        let lead = self.lead;
        let (done, open) = std::mem::take(&mut self.waiting.moves)
            .into_iter()
            .partition(|(_, to, _)| lead == Some(*to));
        self.waiting.moves = open;
        let done: Vec<(RequestId, MemberId, u64)> = done;
        for (client, _, _) in done {
            self.reply(client, Ok(Response::MoveLeader(api::MoveLeaderResponse {})));
        }
    }

    pub(super) fn tick_waiting(&mut self) {
        let now = self.ticks;
        let (late, open) = std::mem::take(&mut self.waiting.moves)
            .into_iter()
            .partition(|(_, _, deadline)| *deadline <= now);
        self.waiting.moves = open;
        let late: Vec<(RequestId, MemberId, u64)> = late;
        for (client, _, _) in late {
            self.reply(client, Err(Error::Timeout));
        }
        if self.waiting.promotions.is_empty() {
            return;
        }
        let Self { waiting, proposals, .. } = self;
        waiting.promotions.retain(|proposal, _| proposals.proposed.contains_key(proposal));
        let again = u64::from(self.config.election_ticks);
        let mut due = Vec::new();
        for (proposal, (id, asked_at)) in self.waiting.promotions.iter_mut() {
            if now >= *asked_at + again {
                *asked_at = now;
                due.push((*proposal, *id));
            }
        }
        for (proposal, id) in due {
            if self.role == raft::StateRole::Leader {
                self.promote_for(proposal, id);
            } else {
                self.ask_to_promote(proposal, id);
            }
        }
    }

    pub(super) fn cancel_waiting(&mut self, client: RequestId) {
        self.waiting.moves.retain(|(waiting, _, _)| *waiting != client);
    }

    // ---- what the entry does ----

    pub(super) fn apply_conf_change(&mut self, entry: &Entry) {
        if entry.entry_type == EntryType::ConfChangeV2 {
            match ConfChangeV2::decode(&entry.data) {
                Ok(change) => self.apply_joint_change(change),
                Err(error) => unreachable!("entry {} cannot be applied: {error}", entry.index),
            }
            return;
        }
        let change = match ConfChange::decode(&entry.data) {
            Ok(change) => change,
            Err(error) => unreachable!("entry {} cannot be applied: {error}", entry.index),
        };
        if change.id == CHANGE_OF_FIRST_START {
            self.apply_first_start(&change);
            self.apply_to_raft(&change.to_v2());
            return;
        }
        let proposed = match ProposedChange::from_raft(&change) {
            Ok(proposed) => proposed,
            Err(error) => unreachable!("entry {} cannot be applied: {error}", entry.index),
        };
        let done = self.change_membership(&proposed.change);
        // What is refused must change nothing in Raft, either.
        let node_id = if done.is_ok() { change.node_id } else { raft::NO_MEMBER };
        self.apply_to_raft(&ConfChange { node_id, ..change }.to_v2());
        self.waiting.promotions.remove(&proposed.id);
        self.trace_applied(proposed.id, entry.index);
        if let Some(waiting) = self.proposals.proposed.remove(&proposed.id) {
            let answer = done.map(|()| self.change_response(&proposed.change));
            self.reply(waiting.client, answer);
        }
    }

    /// Enters or leaves a joint configuration. Raft itself leaves one; no client can ask to enter one, as in etcd.
    ///
    /// The membership follows: its learners are the configuration's, and who is in neither half any more was removed.
    fn apply_joint_change(&mut self, change: ConfChangeV2) {
        let voters =
            change.changes.iter().fold(self.conf_state.voters.clone(), |mut voters, one| {
                voters.retain(|id| *id != one.node_id);
                if one.change_type == ConfChangeType::AddNode {
                    voters.push(one.node_id);
                }
                voters
            });
        let are_members =
            change.changes.iter().all(|one| self.cluster.member(one.node_id).is_some());
        if voters.is_empty() || !are_members {
            let nobody = ConfChange { node_id: raft::NO_MEMBER, ..ConfChange::default() };
            self.apply_to_raft(&nobody.to_v2());
            return;
        }
        self.apply_to_raft(&change);
        let conf = &self.conf_state;
        let is_voter =
            |id: MemberId| conf.voters.contains(&id) || conf.voters_outgoing.contains(&id);
        let mut gone = Vec::new();
        for (id, member) in self.cluster.members.iter_mut() {
            member.is_learner = conf.learners.contains(id);
            if !member.is_learner && !is_voter(*id) {
                gone.push(*id);
            }
        }
        for id in gone {
            let removed = self.change_membership(&MemberChange::Remove(id));
            assert!(removed.is_ok(), "member {id:x} cannot be removed: {removed:?}");
        }
    }

    fn apply_first_start(&mut self, change: &ConfChange) {
        if let Ok(member) = postcard::from_bytes::<api::Member>(&change.context)
            && self.cluster.member(member.id).is_none()
            && let Err(error) = self.cluster.add(member, self.config.max_learners)
        {
            log::warn!("the first start did not add a member: {error}");
        }
    }

    fn apply_to_raft(&mut self, change: &ConfChangeV2) {
        let conf_state = self.raft.apply_conf_change(change);
        self.conf_is(conf_state);
    }

    /// What is told of is a configuration that differs: at the first start all members are in force at once, and their
    /// entries change nothing more.
    pub(super) fn conf_is(&mut self, conf_state: raft::ConfState) {
        if conf_state != self.conf_state {
            let (voters, learners) = (conf_state.voters.clone(), conf_state.learners.clone());
            self.outputs.push_back(Output::Event(MemberEvent::ConfChanged { voters, learners }));
        }
        self.conf_state = conf_state;
    }

    fn change_membership(&mut self, change: &MemberChange) -> Result<(), Error> {
        match change {
            MemberChange::Add(member) => self.cluster.add(member.clone(), self.config.max_learners),
            MemberChange::Update { id, peer_urls } => self.cluster.update(*id, peer_urls.clone()),
            MemberChange::Promote(id) => {
                self.cluster.promote(*id)?;
                self.counters.promotions += u64::from(self.role == raft::StateRole::Leader);
                Ok(())
            }
            // Nobody would be left to commit anything; etcd's members crash on such an entry.
            MemberChange::Remove(id) if self.conf_state.voters == [*id] => {
                Err(Error::MemberNotEnoughStarted)
            }
            MemberChange::Remove(id) => {
                self.cluster.remove(*id)?;
                self.active_since.remove(id);
                self.connected.remove(id);
                self.transfers.remove(id);
                if *id == self.config.member {
                    self.stop(StopReason::Removed, self.ticks_of(REMOVED_MS));
                }
                Ok(())
            }
        }
    }

    fn change_response(&self, change: &MemberChange) -> Response {
        let header = ResponseHeader { revision: 0, ..self.header() };
        let members = self.cluster.member_list();
        match change {
            MemberChange::Add(member) => {
                let member = member.clone();
                Response::MemberAdd(api::MemberAddResponse { header, member, members })
            }
            MemberChange::Remove(_) => {
                Response::MemberRemove(api::MemberRemoveResponse { header, members })
            }
            MemberChange::Update { .. } => {
                Response::MemberUpdate(api::MemberUpdateResponse { header, members })
            }
            MemberChange::Promote(_) => {
                Response::MemberPromote(api::MemberPromoteResponse { header, members })
            }
        }
    }

    // ---- the end ----

    /// Stops the member in this many ticks.
    pub(super) fn stop(&mut self, reason: StopReason, in_ticks: u64) {
        if reason == StopReason::Removed && self.stops_at.is_none() {
            self.outputs.push_back(Output::Event(MemberEvent::Removed));
        }
        let at = self.ticks + in_ticks;
        if self.stops_at.is_none_or(|(_, earlier)| at < earlier) {
            self.stops_at = Some((reason, at));
        }
    }

    pub(super) fn stop_if_due(&mut self) {
        if let Some((reason, _)) = self.stops_at.filter(|(_, at)| *at <= self.ticks) {
            self.has_stopped = true;
            // Whatever they wait for, nothing comes of it here.
            for client in std::mem::take(&mut self.unanswered) {
                self.reply(client, Err(Error::Stopped));
            }
            self.outputs.push_back(Output::Stop(reason));
        }
    }
}
