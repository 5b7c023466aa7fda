//! What a run of the simulator turns and reads: habits of network, disks and clocks, crash points, the onlooker, lines.
//!
//! What it is: the part of [`Simulation`] that the lab does not need.
//! What it is not: events; those are the parent's.
//! Invariants: none of it draws a random number.

use super::{CLIENT_MS, Passed, Simulation};
use crate::api;
use crate::cluster::disk::{Armed, CrashCounts, CrashPoint, DiskModel};
use crate::cluster::event::CallId;
use crate::cluster::invariants::Invariants;
use crate::cluster::network::NetworkModel;
use crate::etcdserver::{Fence, Input, Server, StreamId, View};
use crate::raft;
use crate::types::{Index, MemberId, Millis};

/// How the reason of a crash begins that was asked for.
pub(in crate::cluster) const ON_PURPOSE: &str = "crashed on purpose";

impl Simulation {
    /// How the network behaves from now on.
    pub const fn network_mut(&mut self) -> &mut NetworkModel {
        &mut self.network
    }

    /// How the disks behave from now on.
    pub const fn disk_model_mut(&mut self) -> &mut DiskModel {
        &mut self.disk
    }

    /// How long a member's clock takes for a tick from now on.
    pub fn set_tick_ms(&mut self, member: MemberId, tick_ms: u64) {
        if let Some(member) = self.members.get_mut(&member) {
            member.tick_ms = tick_ms.max(1);
        }
    }

    /// No round of this member lands for so long, but for what its disk is busy with. Unit: ms.
    pub fn stall_disk(&mut self, member: MemberId, ms: u64) {
        let until = self.now.plus(ms);
        if let Some(member) = self.members.get_mut(&member) {
            member.stalled_until = until;
        }
    }

    /// Makes a member crash when it has passed a point `skip` times; nobody in particular if `member` is `None`.
    pub fn crash_at(&mut self, point: CrashPoint, member: Option<MemberId>, skip: u32) {
        self.points.arm(Armed { point, member, skip });
    }

    /// Forgets the orders of [`Self::crash_at`].
    pub fn disarm(&mut self) {
        self.points.disarm();
    }

    /// How often each crash point was passed and used.
    #[must_use]
    pub const fn crash_counts(&self) -> &CrashCounts {
        self.points.counts()
    }

    /// Sends a keep-alive: on a new stream, or, with `call`, on one that was opened by that call.
    pub fn keep_alive(
        &mut self,
        member: MemberId,
        call: Option<CallId>,
        request: api::LeaseKeepAliveRequest,
    ) -> CallId {
        let stream = call.unwrap_or_else(|| CallId(self.next_id()));
        let input = Input::KeepAlive { stream: StreamId(stream.0), token: None, request };
        if call.is_none() {
            self.call(member, stream, input, true);
        } else if self.calls.contains_key(&stream) {
            self.schedule_input(member, CLIENT_MS, input);
        }
        stream
    }

    /// The counters of a running member.
    #[must_use]
    pub fn metrics(&self, member: MemberId) -> Option<Vec<api::Metric>> {
        Some(self.members.get(&member)?.server.as_ref()?.metrics())
    }

    /// What a running member holds for its clients.
    #[must_use]
    pub fn holdings(&self, member: MemberId) -> Option<api::Holdings> {
        Some(self.members.get(&member)?.server.as_ref()?.holdings())
    }

    /// A part of the log of a running member.
    #[must_use]
    pub fn log_part(&self, member: MemberId, from: Index, to: Index) -> Option<api::LogPart> {
        Some(self.members.get(&member)?.server.as_ref()?.log_part(from, to))
    }

    /// What a running member knows of these calls and proposals.
    #[must_use]
    pub fn trace_part(
        &self,
        member: MemberId,
        calls: &[CallId],
        proposals: &[api::ProposalName],
    ) -> Option<api::TracePart> {
        let calls: Vec<u64> = calls.iter().map(|call| call.0).collect();
        Some(self.members.get(&member)?.server.as_ref()?.trace_part(&calls, proposals))
    }

    /// Hands a member an input of the test's own, such as what a driver measures.
    pub fn tell(&mut self, member: MemberId, input: Input) {
        self.input(member, input);
    }

    /// Who belongs to the cluster, as the running member that has applied most knows it, and its configuration.
    #[must_use]
    pub fn newest_members(&self) -> Option<(Index, Vec<api::Member>, raft::ConfState)> {
        let servers = self.members.values().filter_map(|member| member.server.as_ref());
        let newest = servers.max_by_key(|server| server.observe().applied())?.observe();
        Some((newest.applied(), newest.members(), newest.applied_conf().clone()))
    }

    /// The configuration that a running member goes by.
    #[must_use]
    pub fn conf(&self, member: MemberId) -> Option<raft::ConfState> {
        Some(self.members.get(&member)?.server.as_ref()?.observe().conf_state())
    }

    /// Term and index of the last entry of a running member's log.
    #[must_use]
    pub fn log_end(&self, member: MemberId) -> Option<(crate::types::Term, Index)> {
        let view = self.members.get(&member)?.server.as_ref()?.observe();
        let last = view.last_index();
        Some((view.term_of(last).unwrap_or_default(), last))
    }

    /// The first and the last entry of a running member's log.
    #[must_use]
    pub fn log_span(&self, member: MemberId) -> Option<(Index, Index)> {
        let view = self.members.get(&member)?.server.as_ref()?.observe();
        Some((view.first_index(), view.last_index()))
    }

    /// The cluster's id, as a running member knows it.
    #[must_use]
    pub fn cluster_id(&self) -> Option<crate::types::ClusterId> {
        self.members.values().find_map(|member| member.server.as_ref()).map(Server::cluster_id)
    }

    /// Hands a proposal to a member as if a peer had forwarded it: how to reach what no client can ask for.
    pub fn forward(&mut self, from: MemberId, to: MemberId, entry: raft::Entry) {
        let mut message = raft::Message::new(raft::MessageType::MsgProp, to);
        message.from = from;
        message.entries = vec![entry];
        self.schedule_input(to, 1, Input::Peer(Box::new(message)));
    }

    /// The onlooker, if there is one.
    pub const fn invariants_mut(&mut self) -> Option<&mut Invariants> {
        self.invariants.as_mut()
    }

    /// Lets the onlooker take its last look at every running member.
    pub fn last_look(&mut self) {
        let Some(invariants) = &mut self.invariants else { return };
        for (id, member) in &self.members {
            if let Some(server) = &member.server {
                invariants.last_look(*id, &server.observe());
            }
        }
    }

    /// The lines since the last call, if the simulation keeps any.
    pub fn take_lines(&mut self) -> Vec<String> {
        self.lines.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// What a member's disk is known to hold.
    #[must_use]
    pub fn fence(&self, member: MemberId) -> Option<Fence> {
        self.members.get(&member)?.fence
    }

    /// What a running member has applied, its revision, its compact revision and the hash of its newest revision.
    #[must_use]
    pub fn look_inside(&self, member: MemberId) -> Option<(Index, i64, i64, Option<u32>)> {
        let view = self.members.get(&member)?.server.as_ref()?.observe();
        let store = view.store();
        let hash = store.hash_kv(0).ok().map(|found| found.hash);
        Some((view.applied(), store.current_revision(), store.compact_revision(), hash))
    }

    /// A running member, to look at.
    pub(in crate::cluster) fn view(&self, member: MemberId) -> Option<View<'_>> {
        Some(self.members.get(&member)?.server.as_ref()?.observe())
    }

    /// Sends another message on a stream with what a client got from `Authenticate`.
    pub fn send_watch_as(
        &mut self,
        call: CallId,
        token: Option<String>,
        request: api::WatchRequest,
    ) {
        if let Some((member, _)) = self.calls.get(&call).copied() {
            let input = Input::Watch { stream: StreamId(call.0), token, request };
            self.schedule_input(member, CLIENT_MS, input);
        }
    }

    /// A member passes a crash point; true if it crashes there.
    pub(super) fn passes(&mut self, id: MemberId, point: CrashPoint) -> bool {
        let does_crash = self.points.pass(id, point);
        if does_crash {
            self.stop(id, &format!("{ON_PURPOSE}: {point:?}"));
        }
        does_crash
    }

    /// A member passes crash points; true if it crashes at one.
    pub(super) fn passes_any(&mut self, id: MemberId, points: &[CrashPoint]) -> bool {
        points.iter().any(|point| self.passes(id, *point))
    }

    /// The crash points that show in a member's state after an input.
    pub(super) fn passes_in_work(&mut self, id: MemberId) -> bool {
        let Some(member) = self.members.get_mut(&id) else { return false };
        let Some(server) = &member.server else { return false };
        let view = server.observe();
        let now = Passed::of(&view);
        let waits = view.commit() > view.applied();
        let is_compacting = view.store().is_compacting();
        let old = std::mem::replace(&mut member.passed, now);
        let is_half_done = is_compacting && old.scheduled == now.scheduled;
        let has_installed = old.is_installing && !now.is_installing;
        let points = [
            (waits && !now.is_installing, CrashPoint::BeforeApply),
            (now.applied > old.applied, CrashPoint::AfterApply),
            (now.scheduled > old.scheduled, CrashPoint::CompactionScheduled),
            (is_half_done, CrashPoint::CompactionBatch),
            (now.finished > old.finished, CrashPoint::CompactionFinished),
            (now.cut > old.cut && !has_installed, CrashPoint::LogCut),
            (now.is_installing && !old.is_installing, CrashPoint::SnapshotArrived),
            (has_installed, CrashPoint::SnapshotInstalled),
        ];
        points.into_iter().any(|(is_here, point)| is_here && self.passes(id, point))
    }
}

impl Passed {
    pub(super) fn of(view: &View<'_>) -> Self {
        Self {
            applied: view.applied(),
            scheduled: view.store().compact_revision(),
            finished: view.store().finished_compact_revision(),
            cut: view.snapshot_index(),
            is_installing: view.chunks_to_install().is_some(),
        }
    }
}

/// `time member role term commit applied input`, one line.
pub(super) fn line(now: Millis, id: MemberId, server: &Server, input: &Input) -> String {
    let view = server.observe();
    let what = match input {
        Input::Peer(message) => format!(
            "{} from {:x} term {} index {} commit {}{}{}",
            message.msg_type,
            message.from,
            message.term,
            message.index,
            message.commit,
            if message.entries.is_empty() {
                String::new()
            } else {
                format!(" entries {}", message.entries.len())
            },
            if message.reject { " reject" } else { "" },
        ),
        other => format!("{other:?}"),
    };
    format!(
        "{:>7} {id:x} {:<12} t{:<3} c{:<4} a{:<4} r{:<4} {what}",
        now.0,
        format!("{:?}", view.role()),
        view.term(),
        view.commit(),
        view.applied(),
        view.store().current_revision(),
    )
}
