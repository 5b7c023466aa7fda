//! What happens in a simulation, and what clients and onlookers hear of it.
//!
//! What it is: plain data; the heap's events and the news.
//! What it is not: behaviour; that is `simulation`'s.
//! Invariants: scheduled events are ordered by time, then by the order in which they were scheduled.

use crate::api;
use crate::etcdserver::{Input, PeerMessage, Round};
use crate::raft;
use crate::types::{MemberId, Millis};

/// A client's call, numbered by the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallId(pub u64);

/// A client's timer, numbered by the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimerId(pub u64);

/// What a client or an onlooker hears.
#[derive(Clone, Debug)]
pub enum SimNews {
    /// Answer to a request.
    Reply {
        /// Of [`Simulation::request`](super::simulation::Simulation::request).
        call: CallId,
        /// The answer.
        result: Result<api::Response, api::Error>,
    },
    /// A message on a watch stream.
    Watch {
        /// Of [`Simulation::open_watch`](super::simulation::Simulation::open_watch).
        call: CallId,
        /// The message.
        response: api::WatchResponse,
    },
    /// The member ended the stream.
    StreamEnded {
        /// Of [`Simulation::open_watch`](super::simulation::Simulation::open_watch).
        call: CallId,
        /// Why.
        error: api::Error,
    },
    /// The member is not there, or went away before it answered.
    CallFailed {
        /// Whose.
        call: CallId,
        /// False: it never reached the member.
        was_sent: bool,
    },
    /// A piece of an answer that comes in pieces.
    ReplyPart {
        /// Which call.
        call: CallId,
        /// The piece.
        part: api::Response,
    },
    /// An answer on a stream of keep-alives.
    KeepAlive {
        /// The call that opened it.
        call: CallId,
        /// The answer.
        response: api::LeaseKeepAliveResponse,
    },
    /// A timer ran out.
    Timer(TimerId),
    /// A member did something.
    MemberEvent {
        /// Who.
        member: MemberId,
        /// What.
        event: api::MemberEvent,
    },
    /// A member started.
    MemberUp(MemberId),
    /// A member stopped.
    MemberDown {
        /// Who.
        member: MemberId,
        /// Why, in words.
        reason: String,
    },
}

#[derive(Clone, Debug)]
pub(super) enum Event {
    Tick { member: MemberId, epoch: u64 },
    Input { member: MemberId, epoch: u64, input: Input },
    Connected { one: MemberId, other: MemberId, epochs: (u64, u64) },
    Deliver { message: Box<raft::Message>, from_epoch: u64 },
    DeliverPeer { from: MemberId, to: MemberId, message: Box<PeerMessage>, from_epoch: u64 },
    DiskDone { member: MemberId, epoch: u64, round: Round },
    ToClient(SimNews),
    Timer(TimerId),
}

#[derive(Clone, Debug)]
pub(super) struct Scheduled {
    pub(super) at: Millis,
    /// When it was scheduled.
    pub(super) since: Millis,
    pub(super) sequence: u64,
    pub(super) event: Event,
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Self) -> bool {
        self.sequence == other.sequence
    }
}
impl Eq for Scheduled {}
impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Scheduled {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.sequence).cmp(&(other.at, other.sequence))
    }
}
