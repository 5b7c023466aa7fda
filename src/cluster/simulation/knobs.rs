//! What a run of the simulator turns and reads: habits of network, disks and clocks, crash points, the onlooker, lines.
//!
//! What it is: the part of [`Simulation`] that the lab does not need.
//! What it is not: events; those are the parent's.
//! Invariants: none of it draws a random number.

use super::{CLIENT_MS, Simulation};
use crate::api;
use crate::cluster::disk::{Armed, CrashCounts, CrashPoint, DiskModel};
use crate::cluster::event::CallId;
use crate::cluster::invariants::Invariants;
use crate::cluster::network::NetworkModel;
use crate::etcdserver::{Fence, Input, Server, StreamId};
use crate::types::{Index, MemberId, Millis};

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

    /// Makes a member crash when it has passed a point `skip` times; nobody in particular if `member` is `None`.
    pub const fn crash_at(&mut self, point: CrashPoint, member: Option<MemberId>, skip: u32) {
        self.points.arm(Some(Armed { point, member, skip }));
    }

    /// Forgets the order of [`Self::crash_at`].
    pub const fn disarm(&mut self) {
        self.points.arm(None);
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

    /// Hands a member an input of the test's own, such as what a driver measures.
    pub fn tell(&mut self, member: MemberId, input: Input) {
        self.input(member, input);
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
            self.stop(id, &format!("crashed on purpose: {point:?}"));
        }
        does_crash
    }

    /// The crash points that show in a member's state after an input.
    pub(super) fn passes_in_work(&mut self, id: MemberId) -> bool {
        let Some(member) = self.members.get_mut(&id) else { return false };
        let Some(server) = &member.server else { return false };
        let view = server.observe();
        let store = view.store();
        let now = (view.applied(), store.compact_revision(), store.finished_compact_revision());
        let (applied, scheduled, finished) = std::mem::replace(&mut member.passed, now);
        let waits = view.commit() > view.applied();
        let is_half_done = store.is_compacting() && scheduled == now.1;
        let points = [
            (waits, CrashPoint::BeforeApply),
            (now.0 > applied, CrashPoint::AfterApply),
            (now.1 > scheduled, CrashPoint::CompactionScheduled),
            (is_half_done, CrashPoint::CompactionBatch),
            (now.2 > finished, CrashPoint::CompactionFinished),
        ];
        points.into_iter().any(|(is_here, point)| is_here && self.passes(id, point))
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
