//! The one door of a member: what goes in, what comes out.
//!
//! What it is: the closed [`Input`] and [`Output`] of [`Server`](super::Server).
//! What it is not: a transport, a disk or a clock; drivers (`cluster::simulation`, `browser::node_loop`)
//! do what the outputs say and bring back what happened.
//! Invariants: one input, then all outputs until `None`, then the next input;
//! a message or reply that depends on a write comes out only after [`Input::Persisted`] of that write;
//! time is counted in ticks.

use crate::types::BigMap;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::peer::PeerMessage;
use crate::api;
use crate::raft;
use crate::types::{Index, MemberId, Term};

/// A client's unary request on this member; chosen by the driver, unique while it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RequestId(pub u64);

/// A client's watch stream on this member; chosen by the driver, unique while it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StreamId(pub u64);

/// A disk round. Rounds complete in order; at most one is in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ticket(pub u64);

/// What can happen to a member.
#[derive(Clone, Debug)]
pub enum Input {
    /// One tick passed (100 ms by default).
    Tick,
    /// A peer's message arrived.
    Peer(Box<raft::Message>),
    /// A peer's message that is not Raft's arrived.
    FromPeer {
        /// Who sent it.
        from: MemberId,
        /// What it says.
        message: Box<PeerMessage>,
    },
    /// The transport has a working connection to this peer (again).
    PeerConnected(MemberId),
    /// Messages to this peer do not get through at the moment.
    PeerUnreachable(MemberId),
    /// A client asks.
    Client {
        /// Comes back in [`Output::Reply`].
        id: RequestId,
        /// What `Authenticate` gave; `None` without.
        token: Option<String>,
        /// What it asks.
        request: api::Request,
    },
    /// The client does not wait for this any more; what was proposed stays proposed.
    CancelClient(RequestId),
    /// A client's message on a watch stream; the first one opens the stream.
    Watch {
        /// Comes back in [`Output::Watch`].
        stream: StreamId,
        /// What `Authenticate` gave; `None` without.
        token: Option<String>,
        /// What it says.
        request: api::WatchRequest,
    },
    /// A client's message on a stream of keep-alives; the first one opens the stream.
    ///
    /// The messages of a stream are answered in their order, each after the one before it.
    KeepAlive {
        /// Comes back in [`Output::KeepAlive`]. Watches and keep-alives share the numbers.
        stream: StreamId,
        /// What `Authenticate` gave; `None` without.
        token: Option<String>,
        /// What it says.
        request: api::LeaseKeepAliveRequest,
    },
    /// The client closed the stream, of watches or of keep-alives.
    CloseStream(StreamId),
    /// How long something took by the driver's clock: for counters and events, and nothing else.
    Measured(Measured),
    /// The round is on disk (and, where the round asked for it, the fence is flushed).
    Persisted(Ticket),
    /// Several inputs that arrived together, handled before the outputs are drained once:
    /// this is where group commit and batched appends come from.
    Batch(Vec<Self>),
}

impl Input {
    /// True if it tells that a round is on disk: the one thing that is never lost.
    #[must_use]
    pub fn has_persisted(&self) -> bool {
        match self {
            Self::Persisted(_) => true,
            Self::Batch(inputs) => inputs.iter().any(Self::has_persisted),
            _ => false,
        }
    }
}

/// What a driver measures, since a member has no clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Measured {
    /// A disk round, from its [`Output::Persist`] until it was durable; told before its [`Input::Persisted`].
    Disk {
        /// Unit: ms.
        ms: u64,
    },
    /// The handling of the input before this one.
    Work {
        /// Unit: ms.
        ms: u64,
    },
    /// Encoded messages of clients since the last time.
    ClientBytes {
        /// To clients. Unit: bytes.
        sent: u64,
        /// From clients. Unit: bytes.
        received: u64,
    },
    /// Encoded messages of one peer since the last time.
    PeerBytes {
        /// Which peer.
        peer: MemberId,
        /// To it. Unit: bytes.
        sent: u64,
        /// From it. Unit: bytes.
        received: u64,
    },
}

/// What a member wants done.
#[derive(Clone, Debug)]
pub enum Output {
    /// Write this round in one transaction, strictly durable, then bring back its ticket.
    Persist(Round),
    /// Send a message to a peer; it may be lost.
    Send(Box<raft::Message>),
    /// Send a message that is not Raft's to a peer; it may be lost.
    SendPeer {
        /// To whom.
        to: MemberId,
        /// What it says.
        message: Box<PeerMessage>,
    },
    /// The member is done: stop it. One that was removed is not started again. Nothing comes after this.
    Stop(StopReason),
    /// Answer a client.
    Reply {
        /// Of [`Input::Client`].
        id: RequestId,
        /// The answer.
        result: Result<api::Response, api::Error>,
    },
    /// A piece of an answer that comes in pieces; the last one is an [`Output::Reply`].
    ReplyPart {
        /// Of [`Input::Client`].
        id: RequestId,
        /// The piece.
        part: api::Response,
    },
    /// An answer on a stream of keep-alives.
    KeepAlive {
        /// Of [`Input::KeepAlive`].
        stream: StreamId,
        /// The answer.
        response: api::LeaseKeepAliveResponse,
    },
    /// A message on a watch stream.
    Watch {
        /// Of [`Input::Watch`].
        stream: StreamId,
        /// The message.
        response: api::WatchResponse,
    },
    /// The member ended the stream (for example for want of a leader).
    StreamEnded {
        /// Of [`Input::Watch`] or [`Input::KeepAlive`].
        stream: StreamId,
        /// Why.
        error: api::Error,
    },
    /// A fact for the page.
    Event(api::MemberEvent),
}

/// Why a member stops by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// It is no longer a member.
    Removed,
    /// Its check at the start found other data at a peer; etcd's server does not start then.
    Inconsistent(MemberId),
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Removed => f.write_str(REMOVED_TEXT),
            Self::Inconsistent(member) => {
                write!(f, "{member:x} found data inconsistency with peers")
            }
        }
    }
}

/// What a removed member says; etcd's words.
pub(crate) const REMOVED_TEXT: &str = "the member has been permanently removed from the cluster";

/// The stores of a member's disk: each maps a key to a checksummed chunk of at most 60,000 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DiskStore {
    /// Raft log and hard state, append-only.
    Wal,
    /// MVCC rows, append-only.
    Rows,
    /// A few small records that are replaced: identity, boot count, consistent index, membership.
    Meta,
}

/// One write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskPut {
    /// Where.
    pub store: DiskStore,
    /// Range: below 2^53, so that it is an exact number in IndexedDB.
    pub key: u64,
    /// An encoded chunk; see `record`.
    pub bytes: Bytes,
}

/// One transaction: all of it lands, or none of it.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Comes back in [`Input::Persisted`].
    pub ticket: Ticket,
    /// Writes, in order.
    pub puts: Vec<DiskPut>,
    /// Chunks no longer needed.
    pub deletes: Vec<(DiskStore, u64)>,
    /// What the disk holds once this round is on it.
    pub fence: Fence,
    /// The round holds a vote or a new term: write and flush the fence file after the transaction
    /// completes and before `Persisted`. Otherwise the fence may be written at most every 100 ms.
    pub must_flush_fence: bool,
}

/// Durable values kept a second time outside the database, so that a rolled-back disk is noticed.
///
/// Lost data: `term`, `commit` or `boot` of the database lower than the fence's, or another vote in
/// the same term, or a log of which chunks are missing at its end.
/// The last entry tells nothing by itself: a newer leader may have cut it off, and the fence is written a moment after
/// the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fence {
    /// Starts of this member on this disk.
    pub boot: u64,
    /// Durable term.
    pub term: Term,
    /// Durable vote in that term.
    pub vote: Option<MemberId>,
    /// Durable commit index.
    pub commit: Index,
    /// Term of the last durable entry.
    pub last_log_term: Term,
    /// Index of the last durable entry.
    pub last_log_index: Index,
    /// The key after the last durable chunk of the log: keys only ever rise.
    pub wal_end: u64,
}

/// Everything a member's disk holds: read once at the start, kept whole by simulated disks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskImage {
    /// See [`DiskStore::Wal`].
    pub wal: BigMap<u64, Bytes>,
    /// See [`DiskStore::Rows`].
    pub rows: BigMap<u64, Bytes>,
    /// See [`DiskStore::Meta`].
    pub meta: BigMap<u64, Bytes>,
}

impl DiskImage {
    /// True if nothing was ever written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.wal.is_empty() && self.rows.is_empty() && self.meta.is_empty()
    }

    /// Does what one completed transaction does.
    pub fn apply(&mut self, round: &Round) {
        for put in &round.puts {
            self.store_mut(put.store).insert(put.key, put.bytes.clone());
        }
        for (store, key) in &round.deletes {
            self.store_mut(*store).remove(key);
        }
    }

    /// The transaction that makes it on an empty disk.
    #[must_use]
    pub fn as_round(&self) -> Round {
        let stores = [
            (DiskStore::Wal, &self.wal),
            (DiskStore::Rows, &self.rows),
            (DiskStore::Meta, &self.meta),
        ];
        let puts = stores.into_iter().flat_map(|(store, chunks)| {
            chunks.iter().map(move |(key, bytes)| DiskPut {
                store,
                key: *key,
                bytes: bytes.clone(),
            })
        });
        Round { puts: puts.collect(), ..Round::default() }
    }

    /// One store.
    pub const fn store_mut(&mut self, store: DiskStore) -> &mut BigMap<u64, Bytes> {
        match store {
            DiskStore::Wal => &mut self.wal,
            DiskStore::Rows => &mut self.rows,
            DiskStore::Meta => &mut self.meta,
        }
    }
}
