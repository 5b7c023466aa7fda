//! One member: takes an input, works, hands out outputs.
//!
//! What it is: the joint of Raft, store, membership and disk rounds.
//! What it is not: a driver; it does no I/O and knows no clock but ticks.
//! Invariants: outputs of one input are complete when [`Server::poll_output`] gives `None`;
//! a client's request gets exactly one reply unless it was canceled;
//! the boot number is durable before any message leaves.

use std::collections::VecDeque;

use super::config::ServerConfig;
use super::disk::Disk;
use super::io::{DiskImage, Fence, Input, Output, RequestId, StreamId, Ticket};
use super::read::ReadQueue;
use super::record::{self, Meta, Recovered, StartError};
use super::request::{InternalRaftRequest, Operation, ProposalId};
use super::rpc::{self, Route};
use crate::api;
use crate::membership::Cluster;
use crate::mutant::{self, Mutant};
use crate::mvcc::WatchableStore;
use crate::raft::{self, MemoryStorage, RawNode};
use crate::random::Pcg32;
use crate::types::{ClusterId, Index, MemberId, SmallMap, SmallSet};

/// Most client requests waiting in one member.
///
/// Unit: requests. Source: ours; etcd bounds the gap between commit and apply by 5,000 entries.
const WAITING_MAX: u64 = 20_000;

/// Ticks after which a proposal that was handed to Raft is given up.
///
/// Unit: ticks beyond two election timeouts. Source: etcd `ServerConfig.ReqTimeout`: 5 s plus twice the
/// election timeout.
const PROPOSAL_SECONDS: u64 = 5;

/// Ticks of one election timeout that a stream survives without a leader, times this number.
/// Source: etcd `v3rpc` `maxNoLeaderCnt`.
const NO_LEADER_TIMEOUTS: u64 = 3;

/// A proposal whose client waits.
#[derive(Debug)]
pub(super) struct Proposed {
    pub(super) client: RequestId,
    deadline: u64,
    /// True if the leader it was handed to is gone.
    leader_failed: bool,
}

/// One member; see the module's head.
#[derive(Debug)]
pub struct Server {
    pub(super) config: ServerConfig,
    pub(super) cluster_id: ClusterId,
    pub(super) boot: u64,
    pub(super) cluster: Cluster,
    pub(super) raft: RawNode<MemoryStorage>,
    pub(super) store: WatchableStore,
    pub(super) disk: Disk,
    pub(super) outputs: VecDeque<Output>,
    pub(super) ticks: u64,
    /// Index of the last entry applied, which is also what the rows contain.
    pub(super) applied: Index,
    pub(super) conf_state: raft::ConfState,
    pub(super) lead: Option<MemberId>,
    pub(super) role: raft::StateRole,
    pub(super) proposed: SmallMap<ProposalId, Proposed>,
    /// Proposals that wait for a leader to be known.
    unproposed: VecDeque<(ProposalId, RequestId, bytes::Bytes)>,
    last_sequence: u64,
    pub(super) reads: ReadQueue,
    pub(super) streams: SmallSet<StreamId>,
    no_leader_since: u64,
    connected: SmallSet<MemberId>,
    has_advanced_ticks: bool,
    is_boot_durable: bool,
    published_at: Option<u64>,
    pub(super) is_compacting: bool,
}

impl Server {
    /// Starts a member from what its disk holds; an empty disk makes a new member.
    ///
    /// # Errors
    /// [`StartError`]: the disk is damaged, was rolled back behind its fence, or is another member's.
    pub fn start(
        config: ServerConfig,
        image: &DiskImage,
        fence: Option<&Fence>,
    ) -> Result<Self, StartError> {
        let mut recovered = record::recover(image)?;
        if let Some(fence) = fence {
            record::check_fence(&recovered, fence)?;
        }
        let cluster = match &recovered.meta {
            Some(meta) => meta.cluster.clone(),
            None => configured(&config)?,
        };
        check_identity(&config, &recovered, &cluster)?;
        let is_new = recovered.meta.is_none();
        let boot = recovered.meta.as_ref().map_or(0, |meta| meta.boot) + 1;
        let applied = recovered.meta.as_ref().map_or(Index(0), |meta| meta.consistent_index);
        let applied = if mutant::is(Mutant::AppliedTwiceAfterRestart) {
            applied.saturating_prev()
        } else {
            applied
        };
        let mut disk = Disk::new(&recovered, boot);
        let store = restore(&mut recovered, &mut disk)?;
        let mut raft = start_raft(&config, &recovered, boot, applied)?;
        if is_new {
            raft.bootstrap(bootstrap_peers(&config))
                .map_err(|error| StartError::Config(error.to_string()))?;
        }
        let conf_state =
            recovered.meta.as_ref().map(|meta| meta.conf_state.clone()).unwrap_or_default();
        let mut server = Self {
            cluster_id: cluster.id,
            boot,
            raft,
            disk,
            outputs: VecDeque::new(),
            ticks: 0,
            applied,
            conf_state,
            lead: None,
            role: raft::StateRole::Follower,
            proposed: SmallMap::new(),
            unproposed: VecDeque::new(),
            last_sequence: 0,
            reads: ReadQueue::new(boot),
            streams: SmallSet::new(),
            no_leader_since: 0,
            connected: SmallSet::new(),
            has_advanced_ticks: false,
            is_boot_durable: false,
            published_at: None,
            is_compacting: store.is_compacting(),
            store,
            cluster,
            config,
        };
        server.outputs.push_back(Output::Event(api::MemberEvent::Started {
            boot,
            last_index: recovered.entries.last().map_or(Index(0), |entry| entry.index),
            revision: server.store.current_revision(),
        }));
        server.disk.applied(Vec::new());
        server.disk.hurry();
        if server.config.members.len() == 1 {
            server.advance_ticks(server.config.election_ticks.saturating_sub(1));
        }
        server.work();
        Ok(server)
    }

    /// How often this member has started on this disk.
    #[must_use]
    pub const fn boot(&self) -> u64 {
        self.boot
    }

    /// Whose member this is.
    #[must_use]
    pub const fn member(&self) -> MemberId {
        self.config.member
    }

    /// Takes one input. All outputs must be polled before the next one.
    pub fn handle(&mut self, input: Input) {
        self.take(input);
        self.work();
    }

    /// The next thing to do, or `None`.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn take(&mut self, input: Input) {
        match input {
            Input::Tick => self.tick(),
            Input::Peer(message) => self.step(*message),
            Input::PeerConnected(peer) => self.peer_connected(peer),
            Input::PeerUnreachable(peer) => {
                self.connected.remove(&peer);
                self.raft.report_unreachable(peer);
            }
            Input::Client { id, request } => self.client(id, request),
            Input::CancelClient(id) => self.cancel(id),
            Input::Watch { stream, request } => self.watch(stream, &request),
            Input::CloseStream(stream) => {
                self.streams.remove(&stream);
                self.store.close_stream(mvcc_stream(stream));
            }
            Input::Persisted(ticket) => self.persisted(ticket),
            Input::Batch(inputs) => {
                for input in inputs {
                    self.take(input);
                }
            }
        }
    }

    /// Everything that follows from what was taken.
    fn work(&mut self) {
        loop {
            self.propose_waiting();
            self.ask_read_index();
            let did_ready = self.process_ready();
            self.serve_reads();
            if !did_ready {
                break;
            }
        }
        self.poll_watches();
        for message in self.disk.take_free_responses() {
            self.deliver_response(message);
        }
        if self.raft.has_ready() {
            self.work();
            return;
        }
        if self.disk.is_round_due() {
            let round = self.disk.next_round(&self.meta());
            self.outputs.push_back(Output::Persist(round));
        }
    }

    fn tick(&mut self) {
        self.ticks += 1;
        self.raft.tick();
        self.disk.tick();
        self.give_up_old_proposals();
        if let Some(context) = self.reads.retry_context(self.ticks) {
            self.read_index(context);
        }
        self.end_streams_without_leader();
        self.publish();
        self.compact_some();
        self.store.sync_watchers(1);
    }

    /// A message of a peer; what Raft refuses is dropped, as on a network.
    fn step(&mut self, message: raft::Message) {
        let is_member = self.config.members.iter().any(|member| member.id == message.from);
        if message.to != self.config.member || !is_member {
            log::warn!("dropped a message from {} to {}", message.from, message.to);
            return;
        }
        if let Err(error) = self.raft.step(message) {
            // Our log ends before what the leader knows that we acknowledged: our disk lost entries.
            assert!(!matches!(error, raft::Error::CommitOutOfRange { .. }), "{error}");
            log::debug!("dropped a message: {error}");
        }
    }

    fn peer_connected(&mut self, peer: MemberId) {
        self.connected.insert(peer);
        if self.config.initial_election_tick_advance
            && !self.has_advanced_ticks
            && self.connected.len() > 1
        {
            self.advance_ticks(self.config.election_ticks.saturating_sub(2));
        }
    }

    /// Lets the election timer run ahead once, so that a new cluster elects soon.
    fn advance_ticks(&mut self, ticks: u32) {
        self.has_advanced_ticks = true;
        for _ in 0..ticks {
            self.raft.tick();
        }
    }

    fn client(&mut self, id: RequestId, request: api::Request) {
        match rpc::route(&self.config, request) {
            Err(error) => self.reply(id, Err(error)),
            Ok(Route::Local(request)) => {
                let result = self.read(request);
                self.reply(id, result);
            }
            Ok(Route::Linearizable(request)) => {
                if self.reads.len() >= WAITING_MAX {
                    self.reply(id, Err(api::Error::TooManyRequests));
                } else {
                    self.reads.push(id, request);
                }
            }
            Ok(Route::Propose(operation)) => self.propose(id, operation),
        }
    }

    fn propose(&mut self, client: RequestId, operation: Operation) {
        let waiting =
            u64::try_from(self.proposed.len() + self.unproposed.len()).unwrap_or(u64::MAX);
        if waiting >= WAITING_MAX {
            self.reply(client, Err(api::Error::TooManyRequests));
            return;
        }
        if self.is_over_quota(&operation) {
            self.reply(client, Err(api::Error::NoSpace));
            return;
        }
        let id = self.next_proposal_id();
        let Ok(data) = (InternalRaftRequest { id, operation }).encode() else {
            self.reply(client, Err(api::Error::RequestTooLarge));
            return;
        };
        if u64::try_from(data.len()).unwrap_or(u64::MAX) > self.config.max_request_bytes {
            self.reply(client, Err(api::Error::RequestTooLarge));
            return;
        }
        self.unproposed.push_back((id, client, data));
    }

    pub(super) fn waiting_requests(&self) -> u64 {
        let proposals = self.proposed.len() + self.unproposed.len();
        u64::try_from(proposals).unwrap_or(u64::MAX).saturating_add(self.reads.len())
    }

    fn next_proposal_id(&mut self) -> ProposalId {
        self.last_sequence += 1;
        ProposalId { member: self.config.member, boot: self.boot, sequence: self.last_sequence }
    }

    /// Hands waiting proposals to Raft once a leader is known.
    fn propose_waiting(&mut self) {
        if self.raft.lead().is_none() {
            return;
        }
        let timeout_ms = PROPOSAL_SECONDS * 1000;
        let deadline = self.ticks
            + timeout_ms / self.config.tick_ms.max(1)
            + 2 * u64::from(self.config.election_ticks);
        while let Some((id, client, data)) = self.unproposed.pop_front() {
            match self.raft.propose(data) {
                Ok(()) => {
                    let proposed = Proposed { client, deadline, leader_failed: false };
                    self.proposed.insert(id, proposed);
                }
                Err(error) => {
                    log::debug!("a proposal was dropped: {error}");
                    self.reply(client, Err(api::Error::TooManyRequests));
                }
            }
        }
    }

    fn give_up_old_proposals(&mut self) {
        let now = self.ticks;
        let old: Vec<ProposalId> = self
            .proposed
            .iter()
            .filter(|(_, proposed)| proposed.deadline <= now)
            .map(|(id, _)| *id)
            .collect();
        for id in old {
            if let Some(proposed) = self.proposed.remove(&id) {
                let error = if proposed.leader_failed {
                    api::Error::TimeoutDueToLeaderFail
                } else {
                    api::Error::Timeout
                };
                self.reply(proposed.client, Err(error));
            }
        }
    }

    fn cancel(&mut self, id: RequestId) {
        self.reads.cancel(id);
        self.unproposed.retain(|(_, client, _)| *client != id);
        self.proposed.retain(|_, proposed| proposed.client != id);
    }

    fn watch(&mut self, stream: StreamId, request: &api::WatchRequest) {
        if self.lead.is_none() && !self.streams.contains(&stream) {
            self.outputs.push_back(Output::StreamEnded { stream, error: api::Error::NoLeader });
            return;
        }
        self.streams.insert(stream);
        self.store.watch(mvcc_stream(stream), request);
        self.store.sync_watchers(1);
    }

    fn poll_watches(&mut self) {
        while let Some((stream, mut response)) = self.store.poll_watch() {
            self.fill(&mut response.header);
            let stream = StreamId(stream.0);
            self.outputs.push_back(Output::Watch { stream, response });
        }
    }

    fn end_streams_without_leader(&mut self) {
        if self.lead.is_some() {
            self.no_leader_since = self.ticks;
            return;
        }
        let limit = NO_LEADER_TIMEOUTS * u64::from(self.config.election_ticks);
        if self.ticks - self.no_leader_since < limit {
            return;
        }
        for stream in std::mem::take(&mut self.streams) {
            self.store.close_stream(mvcc_stream(stream));
            self.outputs.push_back(Output::StreamEnded { stream, error: api::Error::NoLeader });
        }
    }

    /// Tells the cluster this member's name and client URLs until it knows them.
    fn publish(&mut self) {
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
        if let Ok(data) = (InternalRaftRequest { id, operation }).encode()
            && let Err(error) = self.raft.propose(data)
        {
            log::debug!("publishing waits: {error}");
        }
    }

    fn read_index(&mut self, context: bytes::Bytes) {
        if let Err(error) = self.raft.read_index(context) {
            log::debug!("a read index waits: {error}");
        }
    }

    fn ask_read_index(&mut self) {
        if self.raft.lead().is_none() {
            return;
        }
        if let Some(context) = self.reads.next_context(self.ticks) {
            self.read_index(context);
        }
    }

    pub(super) fn ask_read_index_again(&mut self) {
        if let Some(context) = self.reads.repeat_context(self.ticks) {
            self.read_index(context);
        }
    }

    pub(super) fn leader_is_gone(&mut self) {
        for proposed in self.proposed.values_mut() {
            proposed.leader_failed = true;
        }
    }

    fn serve_reads(&mut self) {
        for (id, request) in self.reads.ready(self.applied) {
            let result = self.read(request);
            self.reply(id, result);
        }
    }

    fn persisted(&mut self, ticket: Ticket) {
        let Some(landed) = self.disk.persisted(ticket) else {
            log::warn!("a round that is not in flight completed: {}", ticket.0);
            return;
        };
        self.is_boot_durable = true;
        let storage = self.raft.storage_mut();
        if !landed.entries.is_empty() {
            let appended = storage.append(&landed.entries);
            assert!(appended.is_ok(), "entries that landed do not fit the log: {appended:?}");
        }
        if let Some(hard_state) = landed.hard_state {
            storage.set_hard_state(hard_state);
        }
        for response in landed.responses {
            self.deliver_response(response);
        }
    }

    /// A message that waited for a write: to ourselves or to a peer.
    pub(super) fn deliver_response(&mut self, message: raft::Message) {
        if message.to == self.config.member {
            if let Err(error) = self.raft.step(message) {
                log::debug!("dropped a message to ourselves: {error}");
            }
        } else {
            self.send(message);
        }
    }

    pub(super) fn send(&mut self, message: raft::Message) {
        // Before the boot number is durable nothing leaves; Raft sends again.
        if self.is_boot_durable {
            self.outputs.push_back(Output::Send(Box::new(message)));
        }
    }

    pub(super) fn reply(&mut self, id: RequestId, result: Result<api::Response, api::Error>) {
        self.outputs.push_back(Output::Reply { id, result });
    }

    pub(super) fn meta(&self) -> Meta {
        Meta {
            member: self.config.member,
            cluster_id: self.cluster_id,
            boot: self.boot,
            consistent_index: self.applied,
            conf_state: self.conf_state.clone(),
            cluster: self.cluster.clone(),
            revision: self.store.current_revision(),
            scheduled_compact_revision: some_revision(self.store.compact_revision()),
            finished_compact_revision: some_revision(self.store.finished_compact_revision()),
            db_size: self.store.db_size(),
        }
    }
}

/// The store says -1 for "never".
fn some_revision(revision: i64) -> Option<i64> {
    (revision >= 0 && !mutant::is(Mutant::CompactRevisionForgotten)).then_some(revision)
}

/// The store numbers its streams itself; ours are its.
const fn mvcc_stream(stream: StreamId) -> crate::mvcc::StreamId {
    crate::mvcc::StreamId(stream.0)
}

fn check_identity(
    config: &ServerConfig,
    recovered: &Recovered,
    cluster: &Cluster,
) -> Result<(), StartError> {
    if !config.members.iter().any(|member| member.id == config.member) {
        return Err(StartError::Config(format!(
            "member {:x} is not one of its members",
            config.member
        )));
    }
    let Some(meta) = &recovered.meta else { return Ok(()) };
    let configured = configured(config)?.id;
    if meta.member != config.member || cluster.id != configured {
        return Err(StartError::WrongIdentity(format!(
            "it holds member {:x} of cluster {:x}, expected {:x} of {configured:x}",
            meta.member, meta.cluster_id, config.member
        )));
    }
    Ok(())
}

fn configured(config: &ServerConfig) -> Result<Cluster, StartError> {
    Cluster::new(config.members.iter().cloned())
        .map_err(|error| StartError::Config(error.to_string()))
}

fn restore(recovered: &mut Recovered, disk: &mut Disk) -> Result<WatchableStore, StartError> {
    let rows = std::mem::take(&mut recovered.rows);
    let Some(meta) = &recovered.meta else { return Ok(WatchableStore::new()) };
    let compacted = meta.scheduled_compact_revision;
    let (rows, removed) = match compacted {
        Some(compacted) => record::split_compacted(rows, compacted),
        None => (rows, Vec::new()),
    };
    let mut store = WatchableStore::restore(rows.into_iter(), compacted, compacted, meta.revision)
        .map_err(|error| StartError::Unreadable(error.to_string()))?;
    store.raise_db_size(meta.db_size);
    disk.compacted(&removed, &store);
    Ok(store)
}

fn start_raft(
    config: &ServerConfig,
    recovered: &Recovered,
    boot: u64,
    applied: Index,
) -> Result<RawNode<MemoryStorage>, StartError> {
    let mut storage = MemoryStorage::new();
    if let Some(meta) = &recovered.meta {
        storage.set_conf_state(meta.conf_state.clone());
        let mut hard_state = recovered.hard_state;
        if mutant::is(Mutant::VoteForgottenAtRestart) {
            hard_state.vote = None;
        }
        if mutant::is(Mutant::CommitFallsAtRestart) {
            hard_state.commit = applied;
        }
        storage.set_hard_state(hard_state);
        storage
            .append(&recovered.entries)
            .map_err(|error| StartError::Unreadable(error.to_string()))?;
    }
    let raft_config = raft::Config {
        id: config.member,
        election_tick: config.election_ticks,
        heartbeat_tick: 1,
        applied,
        async_storage_writes: true,
        max_size_per_msg: config.max_append_bytes,
        max_committed_size_per_ready: u64::MAX,
        max_uncommitted_entries_size: 64 * 1024 * 1024,
        max_inflight_msgs: config.max_inflight_messages,
        max_inflight_bytes: u64::MAX,
        check_quorum: true,
        pre_vote: config.pre_vote,
        read_only_option: raft::ReadOnlyOption::Safe,
        disable_proposal_forwarding: false,
        disable_conf_change_validation: false,
        step_down_on_removal: true,
    };
    let random = Pcg32::for_stream(config.seed, &[config.member.0, boot]);
    RawNode::new(raft_config, storage, random)
        .map_err(|error| StartError::Config(error.to_string()))
}

fn bootstrap_peers(config: &ServerConfig) -> Vec<raft::Peer> {
    let members: SmallMap<MemberId, &api::Member> =
        config.members.iter().map(|member| (member.id, member)).collect();
    members
        .into_iter()
        .map(|(id, member)| raft::Peer { id, context: super::apply::encode_member(member) })
        .collect()
}
