//! Leases as a member looks after them: requests about them, and on the leader their end.
//!
//! What it is: grants get their id here; keep-alives and questions for the time left go to the leader,
//! which answers from its lessor; expired leases and due checkpoints become proposals.
//! What it is not: the leases (see `lease`), or what entries do to them (see `applier::lease`).
//! Invariants: a client's call is answered once, by the member that it asked; the leader answers when it
//! has applied what was committed when the call came, and everything of earlier terms; a call whose
//! leader is gone is asked again; what a leader wants revoked is proposed while it leads or never.
//! Source: behaviour of etcd `server/etcdserver/v3_server.go`, `lease/leasehttp`, `server.go`
//! (`revokeExpiredLeases`); questions are asked again each election timeout, where etcd breaks and dials.

use std::collections::VecDeque;

use bytes::Bytes;

use super::config::ServerConfig;
use super::io::{RequestId, StreamId};
use super::peer::{LeaseAnswer, LeaseAsk, PeerMessage};
use super::request::{Operation, ProposalId};
use super::server::Server;
use crate::api::{
    Error, LeaseGrantRequest, LeaseKeepAliveResponse, LeaseLeasesResponse, LeaseRevokeRequest,
    LeaseStatus, LeaseTimeToLiveResponse, Response, ResponseHeader,
};
use crate::auth::AuthInfo;
use crate::lease::{self, Lessor, Renewal, StoredLease, Waiting};
use crate::mutant::{self, Mutant};
use crate::mvcc;
use crate::raft::StateRole;
use crate::random::Pcg32;
use crate::types::{BigMap, Index, LeaseId, MemberId, Millis, SmallMap, Term};

/// Revocations on their way at once. Unit: proposals. Source: etcd `maxPendingRevokes`.
const REVOKES_MAX: usize = 16;

/// Calls about leases that one member has open. Unit: calls. Source: ours, as `lease` has for those that
/// wait.
const CALLS_MAX: usize = 10_000;

/// Stream of random numbers apart from Raft's. Source: ours.
const DRAWS_STREAM: u64 = 0x6c65_6173_6573;

/// Who asked this member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Client {
    /// A request of its own.
    Call(RequestId),
    /// A message on a stream of keep-alives.
    Stream(StreamId),
}

/// Who asked the leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caller {
    /// A client of this member, by the number of its call.
    Own(u64),
    /// A peer, for a client of its.
    Peer { member: MemberId, boot: u64, number: u64 },
}

/// A call of a client of this member.
#[derive(Clone, Debug)]
struct Asked {
    client: Client,
    ask: LeaseAsk,
    /// Made before the lease is renewed.
    header: ResponseHeader,
    /// The tick at which the leader was asked; `None` if it has to be asked.
    asked_at: Option<u64>,
    deadline: u64,
}

/// A call at the leader.
#[derive(Clone, Debug)]
struct Call {
    caller: Caller,
    ask: LeaseAsk,
    /// What must be applied first.
    commit: Index,
}

/// Calls about leases, and the leader's revocations.
#[derive(Clone, Debug, Default)]
pub(super) struct LeaseCalls {
    last_number: u64,
    asked: SmallMap<u64, Asked>,
    calls: Vec<Call>,
    /// Keep-alives that wait for an entry about their lease.
    waiting: Waiting<Caller>,
    expired: VecDeque<LeaseId>,
    /// Proposed revocations, and the tick at which each is given up.
    revoking: SmallMap<ProposalId, u64>,
}

/// The draws for ids that nobody chose, salts and tokens.
pub(super) fn draws(config: &ServerConfig, boot: u64) -> Pcg32 {
    Pcg32::for_stream(config.seed, &[config.member.0, boot, DRAWS_STREAM])
}

/// A lessor from stored leases and the rows that name them, oldest first.
pub(super) fn restored_lessor(
    config: &ServerConfig,
    stored: impl IntoIterator<Item = StoredLease>,
    rows: &[mvcc::Row],
) -> Result<Lessor, lease::Error> {
    let settings = lease::Config::for_timing(config.tick_ms, config.election_ticks.into());
    let settings = if config.lease_checkpoint_ms == 0 {
        settings
    } else {
        let checkpoint_interval_ms = config.lease_checkpoint_ms;
        lease::Config { checkpoints: true, checkpoint_interval_ms, ..settings }
    };
    let mut lessor = Lessor::restore(settings, stored)?;
    // Most keys never have a lease, and cost nothing here.
    let mut newest: BigMap<Bytes, LeaseId> = BigMap::new();
    for row in rows {
        let id = if row.is_tombstone { LeaseId(0) } else { row.kv.lease };
        if id != LeaseId(0) {
            newest.insert(row.kv.key.clone(), id);
        } else if !newest.is_empty()
            && let Some(known) = newest.get_mut(&row.kv.key)
        {
            *known = id;
        }
    }
    for (key, id) in newest {
        lessor.set_lease(&key, id).map_err(|_unknown| lease::Error::Key(id))?;
    }
    Ok(lessor)
}

impl Server {
    /// This member's clock, as far as leases go.
    pub(super) const fn now(&self) -> Millis {
        Millis(self.ticks.saturating_mul(self.config.tick_ms))
    }

    // ---- requests ----

    pub(super) fn lease_grant(
        &mut self,
        client: RequestId,
        who: AuthInfo,
        mut grant: LeaseGrantRequest,
    ) {
        while grant.id == LeaseId(0) {
            grant.id = LeaseId(i64::try_from(self.draws.next_u64() >> 1).unwrap_or(0));
        }
        self.propose(client, Operation::LeaseGrant(grant), who);
    }

    pub(super) fn lease_list(&self) -> LeaseLeasesResponse {
        let leases = self.lessor.list().into_iter().map(|id| LeaseStatus { id }).collect();
        LeaseLeasesResponse { header: self.header(), leases }
    }

    /// A client asks what only the leader can say.
    pub(super) fn lease_ask(&mut self, client: Client, ask: LeaseAsk) -> Result<(), Error> {
        if self.leases.asked.len() >= CALLS_MAX {
            return Err(Error::TooManyRequests);
        }
        self.leases.last_number += 1;
        let number = self.leases.last_number;
        let (header, deadline) = (self.header(), self.request_deadline());
        let asked = Asked { client, ask, header, asked_at: None, deadline };
        self.leases.asked.insert(number, asked);
        self.ask_leader(number);
        Ok(())
    }

    pub(super) fn cancel_lease(&mut self, client: Client) {
        self.leases.asked.retain(|_, asked| asked.client != client);
    }

    fn ask_leader(&mut self, number: u64) {
        let now = self.ticks;
        if let Some(Client::Call(id)) = self.leases.asked.get(&number).map(|asked| asked.client) {
            self.trace_leader_asked(id);
        }
        let Some(asked) = self.leases.asked.get_mut(&number) else { return };
        let ask = asked.ask;
        if self.role == StateRole::Leader {
            asked.asked_at = Some(now);
            self.take_call(Caller::Own(number), ask);
        } else if let Some(lead) = self.lead {
            asked.asked_at = Some(now);
            self.send_peer(lead, PeerMessage::Lease { boot: self.boot, number, ask });
        }
    }

    /// The leader was changed: whoever waits for an answer asks the new one.
    pub(super) fn ask_leases_again(&mut self) {
        for asked in self.leases.asked.values_mut() {
            asked.asked_at = None;
        }
    }

    /// The leader answered; if it leads no more, somebody else is asked soon.
    pub(super) fn lease_answered(&mut self, number: u64, result: Result<LeaseAnswer, Error>) {
        if result == Err(Error::NotLeader) {
            if let Some(asked) = self.leases.asked.get_mut(&number) {
                asked.asked_at = None;
            }
            return;
        }
        let Some(Asked { client, ask, header, .. }) = self.leases.asked.remove(&number) else {
            return;
        };
        let result = match (ask, result) {
            (LeaseAsk::KeepAlive(id), Ok(LeaseAnswer { ttl, .. })) => {
                Ok(Response::LeaseKeepAlive(LeaseKeepAliveResponse { header, id, ttl }))
            }
            (LeaseAsk::KeepAlive(id), Err(Error::LeaseNotFound)) => {
                Ok(Response::LeaseKeepAlive(LeaseKeepAliveResponse { header, id, ttl: 0 }))
            }
            (LeaseAsk::TimeToLive { id, .. }, Ok(answer)) => {
                let header = self.header();
                let LeaseAnswer { ttl, granted_ttl, keys } = answer;
                let response = LeaseTimeToLiveResponse { header, id, ttl, granted_ttl, keys };
                Ok(Response::LeaseTimeToLive(response))
            }
            (LeaseAsk::TimeToLive { id, .. }, Err(Error::LeaseNotFound)) => {
                let header = self.header();
                let none = LeaseTimeToLiveResponse { header, id, ttl: -1, ..Default::default() };
                Ok(Response::LeaseTimeToLive(none))
            }
            (_, Err(error)) => Err(error),
        };
        self.answer_client(client, result);
    }

    fn answer_client(&mut self, client: Client, result: Result<Response, Error>) {
        match (client, result) {
            (Client::Call(id), result) => self.reply(id, result),
            (Client::Stream(stream), Ok(Response::LeaseKeepAlive(response))) => {
                self.keep_alive_answered(stream, Ok(response));
            }
            (Client::Stream(stream), Err(error)) => self.keep_alive_answered(stream, Err(error)),
            (Client::Stream(stream), Ok(_)) => {
                unreachable!("stream {} of keep-alives is answered with something else", stream.0)
            }
        }
    }

    // ---- at the leader ----

    /// A peer asks for a client of its.
    pub(super) fn lease_for(&mut self, member: MemberId, boot: u64, number: u64, ask: LeaseAsk) {
        let caller = Caller::Peer { member, boot, number };
        if self.role == StateRole::Leader {
            self.take_call(caller, ask);
        } else {
            self.answer_lease(caller, Err(Error::NotLeader));
        }
    }

    fn take_call(&mut self, caller: Caller, ask: LeaseAsk) {
        // It may be asked again.
        self.leases.calls.retain(|call| call.caller != caller);
        self.leases.waiting.retain(|waiting| *waiting != caller);
        if self.leases.calls.len() >= CALLS_MAX {
            self.answer_lease(caller, Err(Error::TooManyRequests));
            return;
        }
        let commit = self.raft.commit();
        self.leases.calls.push(Call { caller, ask, commit });
    }

    fn answer_lease(&mut self, caller: Caller, result: Result<LeaseAnswer, Error>) {
        match caller {
            Caller::Own(number) => self.lease_answered(number, result),
            Caller::Peer { member, boot, number } => {
                self.send_peer(member, PeerMessage::LeaseAnswer { boot, number, result });
            }
        }
    }

    /// Answers the calls whose time has come.
    pub(super) fn serve_leases(&mut self) {
        let leads = self.role == StateRole::Leader;
        // A leader that has not applied the entries of earlier terms is no primary yet.
        if self.leases.calls.is_empty() || (leads && !self.lessor.is_primary()) {
            return;
        }
        let applied = self.applied;
        let (ready, open) = std::mem::take(&mut self.leases.calls)
            .into_iter()
            .partition(|call| !leads || call.commit <= applied);
        self.leases.calls = open;
        let ready: Vec<Call> = ready;
        for Call { caller, ask, .. } in ready {
            let answer = match ask {
                _ if !leads => Some(Err(Error::NotLeader)),
                LeaseAsk::KeepAlive(id) => self.renew(caller, id),
                LeaseAsk::TimeToLive { id, keys } => Some(self.time_to_live(id, keys)),
            };
            if let Some(answer) = answer {
                self.answer_lease(caller, answer);
            }
        }
    }

    fn time_to_live(&self, id: LeaseId, keys: bool) -> Result<LeaseAnswer, Error> {
        let found = self.lessor.time_to_live(id, self.now())?;
        let lease::TimeToLive { ttl, granted_ttl, keys: attached } = found;
        Ok(LeaseAnswer { ttl, granted_ttl, keys: if keys { attached } else { Vec::new() } })
    }

    /// Starts a lease's time anew; nothing if the caller has to wait.
    fn renew(&mut self, caller: Caller, id: LeaseId) -> Option<Result<LeaseAnswer, Error>> {
        let lift = match self.lessor.renew(id, self.now()) {
            Ok(Renewal::Renewed { ttl }) => {
                return Some(Ok(LeaseAnswer { ttl, ..LeaseAnswer::default() }));
            }
            Err(error) => return Some(Err(error)),
            Ok(Renewal::AwaitRevoke) => None,
            Ok(Renewal::LiftCheckpoint(request)) => Some(request),
        };
        if let Some(request) = lift {
            self.propose_as_leader(Operation::LeaseCheckpoint(request));
        }
        self.leases.waiting.park(id, caller).err().map(Err)
    }

    /// Something happened to a lease: whoever waited for that asks again.
    pub(super) fn lease_was_applied(&mut self, id: LeaseId) {
        let commit = self.applied;
        for caller in self.leases.waiting.take(id) {
            self.leases.calls.push(Call { caller, ask: LeaseAsk::KeepAlive(id), commit });
        }
    }

    /// The empty entry of a leader's term was applied: if that is this member, and still, it looks after
    /// the leases from now on.
    pub(super) fn promote_lessor(&mut self, term: Term) {
        // Raft writes an empty entry for a change of membership that it refuses, too.
        let is_new = !self.lessor.is_primary();
        let leads = self.role == StateRole::Leader || mutant::is(Mutant::LeaseEndsOnFollower);
        if is_new && leads && self.raft.term() == term {
            let extend_ms = u64::from(self.config.election_ticks) * self.config.tick_ms;
            self.lessor.promote(self.now(), extend_ms);
        }
    }

    /// This member does not lead (any more).
    pub(super) fn demote_lessor(&mut self) {
        self.lessor.demote();
        self.leases.expired.clear();
        self.leases.revoking.clear();
        for (_, caller) in self.leases.waiting.take_all() {
            self.answer_lease(caller, Err(Error::NotLeader));
        }
    }

    /// Gives up calls, asks again, and proposes what is due.
    pub(super) fn tick_leases(&mut self) {
        let now = self.ticks;
        let late: Vec<u64> = self.calls_that(|asked| asked.deadline <= now);
        for number in late {
            if let Some(asked) = self.leases.asked.remove(&number) {
                self.answer_client(asked.client, Err(Error::Timeout));
            }
        }
        let again = u64::from(self.config.election_ticks);
        for number in self.calls_that(|asked| asked.asked_at.is_none_or(|at| now >= at + again)) {
            self.ask_leader(number);
        }
        self.leases.revoking.retain(|_, deadline| *deadline > now);
        let actions = self.lessor.tick(self.now());
        self.leases.expired.extend(actions.revoke);
        for request in actions.checkpoints {
            self.propose_as_leader(Operation::LeaseCheckpoint(request));
        }
    }

    fn calls_that(&self, is_meant: impl Fn(&Asked) -> bool) -> Vec<u64> {
        let meant = self.leases.asked.iter().filter(|(_, asked)| is_meant(asked));
        meant.map(|(number, _)| *number).collect()
    }

    /// Proposes the end of expired leases, some at a time.
    pub(super) fn propose_revokes(&mut self) {
        while self.leases.revoking.len() < REVOKES_MAX
            && let Some(id) = self.leases.expired.pop_front()
        {
            // It may have been revoked meanwhile; if a proposal is lost, the lease is named again.
            if self.lessor.exists(id)
                && let Some(proposal) =
                    self.propose_as_leader(Operation::LeaseRevoke(LeaseRevokeRequest { id }))
            {
                let deadline = self.request_deadline();
                self.leases.revoking.insert(proposal, deadline);
            }
        }
    }

    /// A proposal was applied: the next revocation may go.
    pub(super) fn revoke_was_applied(&mut self, id: ProposalId, is_done: bool) {
        if self.leases.revoking.remove(&id).is_some() && is_done {
            self.counters.leases_expired += 1;
        }
    }
}
