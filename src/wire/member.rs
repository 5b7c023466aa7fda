//! Messages between the page and a member's worker, and between members.
//!
//! What it is: the closed sets [`PageToMember`], [`MemberToPage`] and [`PeerMessage`].
//! One posted buffer holds a `Vec` of the first two, in order; one `PeerMessage` between members.
//! Invariants: see `wire`.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::api;
use crate::cluster::fault::{LinkRule, MemberFaults, Speed};
use crate::etcdserver::{self, DiskStore};
use crate::raft;
use crate::types::{ClusterId, Index, MemberId};

/// What the page tells a member's worker after it has booted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum PageToMember {
    /// Client requests that were made together.
    Requests(Vec<ClientCall>),
    /// A message on a watch stream.
    Watch {
        /// The stream, which is the call that opened it.
        call: u64,
        /// What `Authenticate` gave; `None` without.
        token: Option<String>,
        /// The message.
        request: api::WatchRequest,
    },
    /// The client gave up on a request.
    CancelRequest {
        /// The call.
        call: u64,
    },
    /// The client closed a stream.
    CloseStream {
        /// The call that opened it.
        call: u64,
    },
    /// The peers this member cannot send to, and those it must not hear.
    Links {
        /// Cut in the direction from this member.
        no_send_to: Vec<MemberId>,
        /// Cut in the direction to this member.
        no_hear_from: Vec<MemberId>,
        /// What the directions from this member do to messages.
        rules: Vec<(MemberId, LinkRule)>,
    },
    /// What is wrong with the member's clock and disk.
    Faults(MemberFaults),
    /// How fast the cluster's time passes from now on.
    Speed(Speed),
    /// Somebody looks: tell samples of what is sent, as [`MemberToPage::Messages`].
    TellMessages {
        /// For so long from now on; it is said again while somebody looks. Unit: ms.
        for_ms: u32,
    },
    /// Stop the world: no tick, no message, no reply until `Resume`.
    Pause,
    /// Go on; a long pause counts as one tick.
    Resume,
    /// Tell these entries of the log; answered by [`MemberToPage::Log`], not while paused.
    ReadLog {
        /// The first.
        from: Index,
        /// The last.
        to: Index,
    },
    /// Tell the watches and leases; answered by [`MemberToPage::Holdings`], not while paused.
    ReadHoldings,
    /// Tell what became of these calls and proposals; answered by [`MemberToPage::Trace`], not while paused.
    ReadTrace {
        /// Numbers of calls.
        calls: Vec<u64>,
        /// What others proposed.
        proposals: Vec<api::ProposalName>,
    },
    /// The gate: from now on send nothing; answer `GateClosed` once the round in flight ended.
    CloseGate,
    /// Panic, to show what a crash looks like.
    Panic,
    /// Answer to [`MemberToPage::KeepRound`]: the page holds the round.
    RoundKept {
        /// Of the round.
        ticket: u64,
    },
}

/// One request of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientCall {
    /// The call.
    pub call: u64,
    /// What `Authenticate` gave; `None` without.
    pub token: Option<String>,
    /// What it asks.
    pub request: api::Request,
}

/// What a member's worker tells the page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum MemberToPage {
    /// It has read its disk and serves.
    Up {
        /// Starts on this disk, this one included.
        boot: u64,
        /// False: the browser has no private file system, so a rolled-back disk goes unnoticed.
        has_fence: bool,
    },
    /// Memory mode: hold this disk round, and say so with [`PageToMember::RoundKept`].
    KeepRound(KeptRound),
    /// Answers to requests: (call, result).
    Replies(Vec<(u64, Result<api::Response, api::Error>)>),
    /// A piece of an answer that comes in pieces.
    ReplyPart {
        /// The call.
        call: u64,
        /// The piece.
        part: api::Response,
    },
    /// A message on a watch stream.
    Watch {
        /// The stream.
        call: u64,
        /// The message.
        response: api::WatchResponse,
    },
    /// The member ended a stream.
    StreamEnded {
        /// The stream.
        call: u64,
        /// Why.
        error: api::Error,
    },
    /// Facts, in order.
    Events(Vec<api::MemberEvent>),
    /// The state shown on the member's card; also the sign of life, each 500 ms at the latest.
    Status(api::MemberStatus),
    /// No tick came for a while: the page or the worker was frozen.
    TickGap {
        /// How long.
        gap_ms: u64,
    },
    /// Answer to [`PageToMember::ReadLog`]: an encoded [`api::LogPart`], which the page hands on unread.
    Log(Bytes),
    /// Answer to [`PageToMember::ReadHoldings`]: encoded [`api::Holdings`], which the page hands on unread.
    Holdings(Bytes),
    /// A sample of what was sent: an encoded [`super::MessageSample`], which the page hands on unread.
    Messages(Bytes),
    /// Answer to [`PageToMember::ReadTrace`]: an encoded [`api::TracePart`], which the page hands on unread.
    Trace(Bytes),
    /// Answer to `CloseGate`.
    GateClosed,
    /// The member stopped by itself.
    Down(DownReason),
}

/// Why a member is not running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DownReason {
    /// Somebody killed it.
    Killed,
    /// Somebody cut its power.
    PowerCut,
    /// It panicked, or its WebAssembly trapped.
    Crashed {
        /// The panic's message.
        message: String,
    },
    /// Its disk is full, closed, or answered with an error.
    DiskFailed {
        /// What the browser said.
        message: String,
    },
    /// Its disk did not answer within 5 s.
    DiskSilent,
    /// Its disk is empty although the member had data, or older than its fence: it was rolled back.
    DiskRolledBack {
        /// What differs.
        message: String,
    },
    /// A record of its disk cannot be read.
    DiskUnreadable {
        /// Which, and why.
        message: String,
    },
    /// Its worker says nothing any more.
    Unresponsive,
    /// It is no member any more; it does not start again.
    Removed,
    /// It was added to the cluster and was never started.
    NotStarted,
}

/// Where a member keeps its data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PersistenceMode {
    /// IndexedDB, strict durability.
    #[default]
    IndexedDb,
    /// Memory: nothing survives a reload, and a killed member restarts from what the page kept.
    Memory,
}

/// A bundle of messages from one member to another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PeerFrame {
    /// The sender's boot; frames of older boots are dropped.
    pub boot: u64,
    /// The messages, in order.
    pub messages: Vec<Letter>,
}

/// One message from member to member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Letter {
    /// Of Raft.
    Raft(Box<raft::Message>),
    /// Of the server.
    Server(Box<etcdserver::PeerMessage>),
}

/// A disk round on its way to the page, for members without a disk of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRound {
    /// Of the round.
    pub ticket: u64,
    /// Writes, in order: (store, key, chunk).
    pub puts: Vec<(DiskStore, u64, Bytes)>,
    /// Chunks no longer needed: (store, key).
    pub deletes: Vec<(DiskStore, u64)>,
}

/// One message on the port between two members.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum PeerMessage {
    /// The sender has started; nothing else is accepted on a port before it.
    Hello {
        /// The sender's boot.
        boot: u64,
        /// The sender's cluster; members of two clusters do not talk.
        cluster_id: ClusterId,
    },
    /// Messages.
    Frame {
        /// The messages.
        frame: PeerFrame,
        /// Messages the sender has taken from this port so far: credit for the receiver.
        received: u64,
    },
    /// Credit alone, when nothing else is on its way.
    Received {
        /// See `received` of `Frame`.
        total: u64,
    },
}
