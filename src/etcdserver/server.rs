//! One member: takes an input, works, hands out outputs.
//!
//! What it is: the joint of Raft, store, membership and disk rounds.
//! What it is not: a driver; it does no I/O and knows no clock but ticks.
//! Invariants: outputs of one input are complete when [`Server::poll_output`] gives `None`;
//! a client's request gets exactly one reply unless it was canceled, also from a member that stops;
//! the boot number is durable before any message leaves.

use std::collections::VecDeque;

use super::auth::Logins;
use super::auto_compaction::AutoCompactor;
use super::compact_hash::CompactHashCheck;
use super::config::ServerConfig;
use super::corruption::CorruptionCheck;
use super::counters::Counters;
use super::disk::Disk;
use super::initial_check::InitialCheck;
use super::io::{Input, Output, RequestId, StopReason, StreamId, Ticket};
use super::keep_alive::KeepAlives;
use super::leases::LeaseCalls;
use super::peer::PeerMessage;
use super::propose::Proposals;
use super::read::ReadQueue;
use super::reconfigure::Waiting;
use super::record::Meta;
use super::saving::Saves;
use super::snapshot::SnapshotPayload;
use super::streams::WatchStream;
use super::trace::Traces;
use super::transfer::{Incoming, Outgoing};
use crate::api;
use crate::auth::AuthStore;
use crate::lease::Lessor;
use crate::membership::Cluster;
use crate::mvcc::WatchableStore;
use crate::raft::{self, MemoryStorage, RawNode};
use crate::random::Pcg32;
use crate::types::{ClusterId, Index, MemberId, SmallMap, SmallSet};

/// Responses of history made in one tick, for all watches together.
///
/// Unit: responses of at most 1,000 revisions. Source: ours; etcd looks after up to 512 watches each 100 ms
/// (`maxWatchersPerSync`), and again at once while it gets on.
const SYNC_BATCHES_PER_TICK: u32 = 64;

/// One member; see the module's head.
#[derive(Clone, Debug)]
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
    pub(super) proposals: Proposals,
    pub(super) reads: ReadQueue,
    pub(super) streams: SmallMap<StreamId, WatchStream>,
    pub(super) keep_alives: KeepAlives,
    pub(super) no_leader_since: u64,
    /// The tick at which this member began to follow the leader it knows or knew last, or to lead.
    pub(super) leader_elected_at: u64,
    pub(super) connected: SmallSet<MemberId>,
    pub(super) has_advanced_ticks: bool,
    pub(super) is_boot_durable: bool,
    pub(super) published_at: Option<u64>,
    pub(super) is_compacting: bool,
    /// Clients that wait until the superseded rows are gone.
    pub(super) physical_waits: Vec<(RequestId, api::Response)>,
    /// The applied index when the log was compacted last, or that of the snapshot installed since.
    pub(super) snapshot_index: Index,
    /// Requests without a reply.
    pub(super) unanswered: SmallSet<RequestId>,
    /// Snapshots that go out, one per peer.
    pub(super) transfers: SmallMap<MemberId, Outgoing>,
    pub(super) last_transfer: u64,
    /// The snapshot that comes in.
    pub(super) incoming: Option<Incoming>,
    /// A snapshot that came in whole and that Raft was told of, and who sent it.
    pub(super) received: Option<(MemberId, SnapshotPayload)>,
    /// A snapshot that Raft took and that goes to the disk, and who sent it.
    pub(super) installing: Option<(MemberId, SnapshotPayload)>,
    /// Peers that are connected, and the tick since when.
    pub(super) active_since: SmallMap<MemberId, u64>,
    pub(super) waiting: Waiting,
    pub(super) corruption: CorruptionCheck,
    pub(super) compact_hash: CompactHashCheck,
    /// The check before anything else; `None` once it is over.
    pub(super) initial_check: Option<InitialCheck>,
    pub(super) auto_compaction: AutoCompactor,
    /// Snapshots on their way to clients.
    pub(super) saves: Saves,
    pub(super) counters: Counters,
    /// For people to look at.
    pub(super) traces: Traces,
    /// Why and at which tick it stops.
    pub(super) has_stopped: bool,
    pub(super) stops_at: Option<(StopReason, u64)>,
    pub(super) alarms: SmallSet<api::AlarmMember>,
    pub(super) downgrade: api::DowngradeInfo,
    pub(super) lessor: Lessor,
    pub(super) leases: LeaseCalls,
    pub(super) auth: AuthStore,
    pub(super) logins: Logins,
    /// Ids of leases, salts and tokens.
    pub(super) draws: Pcg32,
}

impl Server {
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

    /// The cluster it belongs to; drivers let no other cluster's members talk to it.
    #[must_use]
    pub const fn cluster_id(&self) -> ClusterId {
        self.cluster_id
    }

    /// Takes one input. All outputs must be polled before the next one.
    pub fn handle(&mut self, input: Input) {
        if self.has_stopped {
            return;
        }
        self.begin_work(matches!(input, Input::Measured(_)));
        self.take(input);
        self.work();
        self.stop_if_due();
        self.trace_marks();
    }

    /// The next thing to do, or `None`.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    pub(super) fn take(&mut self, input: Input) {
        if let Input::Client { id, request, .. } = &input {
            self.unanswered.insert(*id);
            self.trace_call(*id, request);
        }
        if self.is_checking() {
            self.take_while_checking(input);
            return;
        }
        match input {
            Input::Tick => self.tick(),
            Input::Peer(message) => self.step(*message),
            Input::PeerConnected(peer) => self.peer_connected(peer),
            Input::FromPeer { from, message } => self.take_from_peer(from, *message),
            Input::PeerUnreachable(peer) => {
                self.connected.remove(&peer);
                self.active_since.remove(&peer);
                self.raft.report_unreachable(peer);
            }
            Input::Client { id, token, request } => self.client_with(id, token, request),
            Input::CancelClient(id) => self.cancel(id),
            Input::Watch { stream, token, request } => {
                self.watch(stream, token.as_deref(), &request);
            }
            Input::KeepAlive { stream, token, request } => {
                self.keep_alive(stream, token, &request);
            }
            Input::CloseStream(stream) => {
                self.close_watch(stream);
                self.close_keep_alive(stream);
            }
            Input::Measured(measured) => self.measured(measured),
            Input::Persisted(ticket) => self.persisted(ticket),
            Input::Batch(inputs) => {
                for input in inputs {
                    self.take(input);
                }
            }
        }
    }

    /// Everything that follows from what was taken.
    pub(super) fn work(&mut self) {
        if self.is_checking() {
            self.next_round();
            return;
        }
        loop {
            self.propose_waiting();
            self.ask_read_index();
            self.propose_revokes();
            let did_ready = self.process_ready();
            self.serve_reads();
            self.serve_leases();
            self.serve_tokens();
            if !did_ready {
                break;
            }
        }
        self.poll_watches();
        self.compact_log();
        for message in self.disk.take_free_responses() {
            self.deliver_response(message);
        }
        if self.raft.has_ready() {
            self.work();
            return;
        }
        self.next_round();
    }

    fn next_round(&mut self) {
        if self.disk.is_round_due() {
            let round = self.disk.next_round(&self.meta());
            self.counters.round(&round);
            self.trace_round();
            self.outputs.push_back(Output::Persist(round));
        }
    }

    fn tick(&mut self) {
        self.ticks += 1;
        self.raft.tick();
        self.disk.tick();
        self.give_up_old_proposals();
        self.give_up_old_reads();
        if let Some(context) = self.reads.retry_context(self.ticks) {
            self.read_index(context);
        }
        self.end_streams_without_leader();
        self.tick_streams();
        self.publish();
        self.compact_some();
        self.tick_transfers();
        self.tick_waiting();
        self.tick_leases();
        self.tick_auth();
        self.tick_corruption_check();
        self.tick_compact_hash_check();
        self.tick_auto_compaction();
        self.tick_saves();
        self.store.sync_watchers(SYNC_BATCHES_PER_TICK);
    }

    /// A message of a peer; what Raft refuses is dropped, as on a network.
    fn step(&mut self, message: raft::Message) {
        // Snapshots come in parts, with their data.
        let is_snapshot = message.msg_type == raft::MessageType::MsgSnap;
        if self.cluster.is_removed(message.from) {
            self.send_peer(message.from, PeerMessage::Removed);
            return;
        }
        if message.to != self.config.member || is_snapshot {
            log::warn!("dropped a message from {} to {}", message.from, message.to);
            return;
        }
        self.is_heard(message.from);
        if let Err(error) = self.raft.step(message) {
            // Our log ends before what the leader knows that we acknowledged: our disk lost entries.
            assert!(!matches!(error, raft::Error::CommitOutOfRange { .. }), "{error}");
            log::debug!("dropped a message: {error}");
        }
    }

    fn peer_connected(&mut self, peer: MemberId) {
        self.connected.insert(peer);
        self.is_heard(peer);
        self.repeat_transfer(peer);
        if self.config.initial_election_tick_advance
            && !self.has_advanced_ticks
            && self.connected.len() > 1
        {
            self.advance_ticks(self.config.election_ticks.saturating_sub(2));
        }
    }

    /// Lets the election timer run ahead once, so that a new cluster elects soon.
    pub(super) fn advance_ticks(&mut self, ticks: u32) {
        self.has_advanced_ticks = true;
        for _ in 0..ticks {
            self.raft.tick();
        }
    }

    fn read_index(&mut self, context: bytes::Bytes) {
        self.trace_asked();
        if let Err(error) = self.raft.read_index(context) {
            log::debug!("a read index waits: {error}");
            self.reads.asking_failed();
        }
    }

    /// Clients of reads that nobody confirmed hear so.
    fn give_up_old_reads(&mut self) {
        let limit = self.request_deadline() - self.ticks;
        let late = self.reads.take_late(self.ticks, limit);
        self.counters.slow_reads += u64::from(!late.is_empty());
        for id in late {
            self.reply(id, Err(api::Error::Timeout));
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

    fn serve_reads(&mut self) {
        for (id, who, request) in self.reads.ready(self.applied) {
            if let api::Request::Authenticate(login) = request {
                self.log_in(id, login);
            } else {
                let result = self.read(&who, request);
                self.reply(id, result);
            }
        }
    }

    pub(super) fn persisted(&mut self, ticket: Ticket) {
        let Some(landed) = self.disk.persisted(ticket) else {
            log::warn!("a round that is not in flight completed: {}", ticket.0);
            return;
        };
        self.is_boot_durable = true;
        if let Some(snapshot) = landed.installed {
            self.end_install(snapshot);
        }
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
        if !self.is_boot_durable {
            return;
        }
        if message.msg_type == raft::MessageType::MsgSnap {
            self.send_snapshot(message);
        } else {
            self.outputs.push_back(Output::Send(Box::new(message)));
        }
    }

    pub(super) fn reply(&mut self, id: RequestId, result: Result<api::Response, api::Error>) {
        self.unanswered.remove(&id);
        self.trace_answer(id.0, result.as_ref().err().copied());
        self.outputs.push_back(Output::Reply { id, result });
    }

    pub(super) const fn is_boot_durable(&self) -> bool {
        self.is_boot_durable
    }

    pub(super) fn meta(&self) -> Meta {
        Meta {
            member: self.config.member,
            cluster_id: self.cluster_id,
            boot: self.boot,
            log_base: self.log_base(),
            snapshot_index: self.snapshot_index,
            generation: self.disk.generation(),
            state: self.applied_state(),
            auth: self.auth.state().clone(),
        }
    }
}
