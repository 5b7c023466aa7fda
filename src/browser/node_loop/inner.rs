//! The part of a live member that never waits: queues, phases, outputs.
//!
//! What it is: everything between two `.await`s. What it is not: a caller of the disk.
//! Invariants: see `node_loop`; `server` is there in every phase but `Starting`.

use crate::api;
use crate::browser::boot::post_to_page;

use crate::browser::fence::FenceFile;
use crate::browser::js;
use crate::browser::transport::Transport;
use crate::browser::watchdog::Watchdog;
use crate::cluster::fault::{MemberFaults, Speed};
use crate::etcdserver::{
    Fence, Input, Measured, Output, RequestId, Round, Server, StopReason, StreamId,
};
use crate::types::{Index, MemberId, SmallMap};
use crate::wire::{self, ClientCall, DownReason, Letter, MemberToPage, PageToMember};

/// The card is told at the latest after this; it is the sign of life, too. Unit: ms.
const STATUS_MS_MAX: u64 = 500;

/// The fence file is written at most this often, votes aside. Unit: ms. Source: DESIGN 11.
const FENCE_MS_MIN: u64 = 100;

/// A pause between two ticks that is worth a mark: this many ticks, and at least that many ms.
const GAP_TICKS: u64 = 5;
const GAP_MS_MIN: u64 = 500;

/// The life of a member in its worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Reads its disk.
    #[default]
    Starting,
    /// Serves.
    Running,
    /// Does nothing until it is resumed.
    Paused,
    /// The gate is closed, a round is in flight.
    Closing,
    /// Over; the page ends the worker.
    Stopped,
}

impl Phase {
    pub(super) const fn is_over(self) -> bool {
        matches!(self, Self::Closing | Self::Stopped)
    }
}

/// See the module.
#[derive(Default)]
pub(super) struct Inner {
    pub(super) phase: Phase,
    pub(super) transport: Transport,
    pub(super) is_writing: bool,
    pub(super) is_wake_posted: bool,
    /// What the page made wrong with its clock and its disk.
    pub(super) faults: MemberFaults,
    /// How fast the cluster's time passes.
    pub(super) speed: Speed,
    /// The time for which a timer is set that lets late messages go.
    pub(super) late_timer_ms: Option<u64>,
    server: Option<Server>,
    /// Limit: the page's open calls, and the peers' credit.
    queue: Vec<Input>,
    /// Peers' buffers that arrived during a pause; limit: the peers' credit.
    held: Vec<(MemberId, Vec<u8>)>,
    /// The member said that it is done; the loop ends it at its next look.
    stops: Option<DownReason>,
    /// Pause was asked for while the member was starting.
    starts_paused: bool,
    watchdog: Watchdog,
    fence_file: Option<FenceFile>,
    /// Durable values that the fence file does not hold yet.
    fence_due: Option<Fence>,
    fence_written: Option<Fence>,
    fence_ms: u64,
    /// When the round in flight was handed to the disk.
    write_ms: u64,
    status_ms: u64,
    is_status_due: bool,
    tick_ms: u64,
    last_tick_ms: u64,
    last_check_ms: u64,
}

/// What one step sends, bundled.
#[derive(Default)]
struct Outbox {
    frames: SmallMap<MemberId, Vec<Letter>>,
    replies: Vec<(u64, Result<api::Response, api::Error>)>,
    streams: Vec<MemberToPage>,
    events: Vec<api::MemberEvent>,
    round: Option<Round>,
    stop: Option<StopReason>,
}

impl Outbox {
    fn add(&mut self, output: Output) {
        match output {
            Output::Persist(round) => {
                assert!(self.round.is_none(), "two disk rounds at once");
                self.round = Some(round);
            }
            Output::Send(message) => {
                let letters = self.frames.get_or_insert_with(message.to, Vec::new);
                letters.push(Letter::Raft(message));
            }
            Output::SendPeer { to, message } => {
                self.frames.get_or_insert_with(to, Vec::new).push(Letter::Server(message));
            }
            Output::Stop(reason) => self.stop = Some(reason),
            Output::Reply { id, result } => self.replies.push((id.0, result)),
            Output::ReplyPart { id, part } => {
                self.streams.push(MemberToPage::ReplyPart { call: id.0, part });
            }
            // Nothing on the page asks for these yet.
            Output::KeepAlive { stream, .. } => log::debug!("stream {} is not read", stream.0),
            Output::Watch { stream, response } => {
                self.streams.push(MemberToPage::Watch { call: stream.0, response });
            }
            Output::StreamEnded { stream, error } => {
                self.streams.push(MemberToPage::StreamEnded { call: stream.0, error });
            }
            Output::Event(event) => self.events.push(event),
        }
    }
}

impl Inner {
    /// The member exists; nothing of it has been heard yet.
    pub(super) fn begin(&mut self, server: Server, file: Option<FenceFile>, fence: Option<Fence>) {
        self.server = Some(server);
        self.fence_file = file;
        self.fence_written = fence;
    }

    /// The member serves from now on.
    pub(super) fn open(&mut self, seed: u64, member: MemberId) -> Option<Round> {
        let Some(server) = &self.server else {
            unreachable!("a member that serves has started");
        };
        let (boot, cluster_id) = (server.boot(), server.cluster_id());
        self.phase = if self.starts_paused { Phase::Paused } else { Phase::Running };
        self.last_tick_ms = js::now_ms();
        self.last_check_ms = self.last_tick_ms;
        self.transport.open(boot, cluster_id, (seed, member));
        post_to_page(&vec![MemberToPage::Up { boot, has_fence: self.fence_file.is_some() }]);
        let round = self.drain();
        self.post_status();
        round
    }

    /// Handles everything that is queued as one input.
    pub(super) fn step(&mut self) -> Option<Round> {
        if self.phase != Phase::Running || self.queue.is_empty() {
            return None;
        }
        let mut inputs = std::mem::take(&mut self.queue);
        let input = match (inputs.len(), inputs.pop()) {
            (1, Some(only)) => only,
            (_, Some(last)) => {
                inputs.push(last);
                Input::Batch(inputs)
            }
            (_, None) => unreachable!("the queue is not empty"),
        };
        let began_ms = js::now_ms();
        if let Some(server) = &mut self.server {
            server.handle(input);
        }
        let ms = js::now_ms().saturating_sub(began_ms);
        if ms > 0 {
            // It comes with whatever is next, and means what was before that.
            self.queue.push(Input::Measured(Measured::Work { ms }));
        }
        self.drain()
    }

    /// Takes all outputs and sends them.
    fn drain(&mut self) -> Option<Round> {
        let mut out = Outbox::default();
        if let Some(server) = &mut self.server {
            while let Some(output) = server.poll_output() {
                out.add(output);
            }
        }
        for (peer, messages) in out.frames {
            self.transport.send(peer, messages);
        }
        let mut posts = out.streams;
        if !out.replies.is_empty() {
            posts.push(MemberToPage::Replies(out.replies));
        }
        self.is_status_due = true;
        if !out.events.is_empty() {
            posts.push(MemberToPage::Events(out.events));
            posts.push(MemberToPage::Status(self.status()));
            self.status_was_posted();
        }
        if !posts.is_empty() {
            post_to_page(&posts);
        }
        if let Some(reason) = out.stop {
            self.stops = Some(match reason {
                StopReason::Removed => DownReason::Removed,
                // etcd's server ends with a fatal error, too.
                StopReason::Inconsistent(_) => DownReason::Crashed { message: reason.to_string() },
            });
        }
        assert!(out.round.is_none() || !self.is_writing, "two disk rounds in flight");
        out.round
    }

    fn status(&self) -> api::MemberStatus {
        let mut status =
            self.server.as_ref().map_or_else(api::MemberStatus::default, Server::status);
        status.is_paused = self.phase == Phase::Paused;
        status
    }

    fn status_was_posted(&mut self) {
        self.is_status_due = false;
        self.status_ms = js::now_ms();
    }

    fn post_status(&mut self) {
        post_to_page(&vec![MemberToPage::Status(self.status())]);
        self.status_was_posted();
    }

    /// A buffer from a peer.
    pub(super) fn hear_peer(&mut self, peer: MemberId, bytes: Vec<u8>) {
        match self.phase {
            Phase::Paused => self.held.push((peer, bytes)),
            Phase::Starting | Phase::Running => self.take_frame(peer, &bytes),
            Phase::Closing | Phase::Stopped => {}
        }
    }

    fn take_frame(&mut self, peer: MemberId, bytes: &[u8]) {
        let inputs = self.transport.receive(peer, bytes);
        self.queue.extend(inputs);
    }

    /// What a client says through the page.
    pub(super) fn hear_client(&mut self, message: PageToMember) {
        match message {
            PageToMember::Requests(requests) => {
                let client = |ClientCall { call, token, request }| Input::Client {
                    id: RequestId(call),
                    token,
                    request,
                };
                self.queue.extend(requests.into_iter().map(client));
            }
            PageToMember::Watch { call, token, request } => {
                self.queue.push(Input::Watch { stream: StreamId(call), token, request });
            }
            PageToMember::CancelRequest { call } => {
                self.queue.push(Input::CancelClient(RequestId(call)));
            }
            PageToMember::CloseStream { call } => {
                self.queue.push(Input::CloseStream(StreamId(call)));
            }
            PageToMember::ReadLog { from, to } => self.tell_log(from, to),
            PageToMember::ReadHoldings => self.tell_holdings(),
            PageToMember::ReadTrace { calls, proposals } => self.tell_trace(&calls, &proposals),
            PageToMember::Links { .. }
            | PageToMember::Faults(_)
            | PageToMember::Speed(_)
            | PageToMember::TellMessages { .. }
            | PageToMember::Pause
            | PageToMember::Resume
            | PageToMember::CloseGate
            | PageToMember::Panic
            | PageToMember::RoundKept { .. } => unreachable!("handled by the loop"),
        }
    }

    /// Tells a part of the log; a look that nothing waits for.
    fn tell_log(&self, from: Index, to: Index) {
        let server = self.server.as_ref().filter(|_| self.phase == Phase::Running);
        let part = server.map(|server| wire::encode(&server.log_part(from, to)));
        if let Some(Ok(bytes)) = part {
            post_to_page(&vec![MemberToPage::Log(bytes.into())]);
        }
    }

    /// Tells the watches and leases; a look that nothing waits for.
    fn tell_holdings(&self) {
        let server = self.server.as_ref().filter(|_| self.phase == Phase::Running);
        if let Some(Ok(bytes)) = server.map(|server| wire::encode(&server.holdings())) {
            post_to_page(&vec![MemberToPage::Holdings(bytes.into())]);
        }
    }

    /// Tells what became of some calls; a look that nothing waits for.
    fn tell_trace(&self, calls: &[u64], proposals: &[api::ProposalName]) {
        let server = self.server.as_ref().filter(|_| self.phase == Phase::Running);
        let part = server.map(|server| wire::encode(&server.trace_part(calls, proposals)));
        if let Some(Ok(bytes)) = part {
            post_to_page(&vec![MemberToPage::Trace(bytes.into())]);
        }
    }

    pub(super) fn pause(&mut self) {
        match self.phase {
            Phase::Running => {
                self.phase = Phase::Paused;
                self.post_status();
            }
            Phase::Starting => self.starts_paused = true,
            Phase::Paused | Phase::Closing | Phase::Stopped => {}
        }
    }

    pub(super) fn resume(&mut self) {
        self.starts_paused = false;
        if self.phase == Phase::Paused {
            self.phase = Phase::Running;
            for (peer, bytes) in std::mem::take(&mut self.held) {
                self.take_frame(peer, &bytes);
            }
            self.post_status();
        }
    }

    /// How long a tick takes from now on.
    pub(super) const fn set_tick_ms(&mut self, tick_ms: u64) {
        self.tick_ms = tick_ms;
    }

    /// A tick of the worker's clock.
    pub(super) fn tick(&mut self) {
        let now_ms = js::now_ms();
        let gap_ms = now_ms.saturating_sub(self.last_tick_ms);
        self.last_tick_ms = now_ms;
        if self.phase != Phase::Running {
            return;
        }
        if gap_ms >= (GAP_TICKS * self.tick_ms).max(GAP_MS_MIN) {
            post_to_page(&vec![MemberToPage::TickGap { gap_ms }]);
        }
        let news = self.transport.tick();
        self.queue.extend(news);
        self.queue.push(Input::Tick);
    }

    /// Looks after the disk, the fence and the card; a reason: the member must stop.
    pub(super) fn check(&mut self) -> Option<DownReason> {
        let now_ms = js::now_ms();
        let elapsed_ms = now_ms.saturating_sub(self.last_check_ms);
        self.last_check_ms = now_ms;
        if self.phase.is_over() {
            return None;
        }
        if self.stops.is_some() {
            return self.stops.take();
        }
        if self.watchdog.check(elapsed_ms) {
            return Some(DownReason::DiskSilent);
        }
        if self.fence_due.is_some()
            && now_ms.saturating_sub(self.fence_ms) >= FENCE_MS_MIN
            && let Err(error) = self.write_fence()
        {
            log::warn!("the fence was not written: {error}");
        }
        let sample = self.transport.take_sample(now_ms);
        if let Some(Ok(bytes)) = sample.map(|sample| wire::encode(&sample)) {
            post_to_page(&vec![MemberToPage::Messages(bytes.into())]);
        }
        let since_ms = now_ms.saturating_sub(self.status_ms);
        if self.is_status_due || since_ms >= STATUS_MS_MAX {
            self.post_status();
        }
        None
    }

    pub(super) fn begin_write(&mut self) {
        self.is_writing = true;
        self.write_ms = js::now_ms();
        self.watchdog.begin();
    }

    pub(super) fn end_write(&mut self) {
        self.is_writing = false;
        self.watchdog.end();
    }

    /// A round is durable; a reason: it was a vote and the fence could not be flushed.
    pub(super) fn persisted(&mut self, round: &Round) -> Result<(), DownReason> {
        if self.fence_written != Some(round.fence) {
            self.fence_due = Some(round.fence);
        }
        if round.must_flush_fence {
            self.write_fence().map_err(|message| DownReason::DiskFailed { message })?;
        }
        let ms = js::now_ms().saturating_sub(self.write_ms);
        self.queue.push(Input::Measured(Measured::Disk { ms }));
        self.queue.push(Input::Persisted(round.ticket));
        Ok(())
    }

    fn write_fence(&mut self) -> Result<(), String> {
        let (Some(fence), Some(file)) = (self.fence_due.take(), &mut self.fence_file) else {
            return Ok(());
        };
        self.fence_ms = js::now_ms();
        file.write(&fence)?;
        self.fence_written = Some(fence);
        Ok(())
    }
}
