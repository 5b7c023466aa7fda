//! What became of clients' calls, as far as one member knows, for people to look at.
//!
//! What it is: the steps of a call at the member that was asked, and how far its entry came in each log.
//! What it is not: words, or the whole chain: the member that was asked and the leader know a part each.
//! Invariants: ticks are those of the member that tells them; steps stand in the order in which they happened.

use serde::{Deserialize, Serialize};

use crate::api::{AlarmMember, Error, PeerProgress, Role};
use crate::types::{Index, MemberId, Term};

/// Who proposed what: unique over members, boots and time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProposalName {
    /// Who proposed.
    pub member: MemberId,
    /// In which of its boots.
    pub boot: u64,
    /// Counted from 1 in each boot.
    pub sequence: u64,
}

/// What a call is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallKind {
    /// `Range`, or a transaction that only reads.
    #[default]
    Read,
    /// What changes keys.
    Write,
    /// Old revisions go.
    Compaction,
    /// Leases.
    Lease,
    /// Users and roles.
    Auth,
    /// Name and password.
    Login,
    /// The membership.
    Member,
    /// Another leader.
    MoveLeader,
    /// Status, hashes, alarms, defragmentation, downgrades.
    Maintenance,
    /// The whole store as a file.
    Snapshot,
    /// A stream of events.
    Watch,
}

/// One thing that happened to a call at the member that was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallStep {
    /// It came.
    Received,
    /// It is answered from this member's own store, without asking anybody.
    Local,
    /// It is a proposal, and waits until a leader is known.
    Queued(u64),
    /// It was handed to the leader.
    Proposed {
        /// See [`ProposalName`].
        sequence: u64,
        /// The leader: this member, or another one, which is sent the proposal.
        to: MemberId,
        /// This member's term.
        term: Term,
        /// Where the entry stands, if this member leads.
        index: Option<Index>,
    },
    /// The leader that it was handed to leads no more.
    LeaderLost,
    /// It is a linearizable read, and waits until the leader is asked how far the log is committed.
    ReadQueued,
    /// The leader was asked.
    ReadAsked {
        /// Whom.
        of: MemberId,
        /// The newest question.
        context: u64,
        /// How often so far.
        times: u32,
    },
    /// The leader says: everything up to here must be applied first.
    ReadConfirmed(Index),
    /// The leader was asked for what only it knows, or does.
    LeaderAsked(MemberId),
    /// Its entry was applied.
    Applied {
        /// Where it stands.
        index: Index,
        /// The store's revision afterwards.
        revision: i64,
    },
    /// The stream is open.
    Opened,
    /// The client has its answer.
    Answered {
        /// Why not.
        error: Option<Error>,
        /// What the store contained.
        applied: Index,
        /// The store's revision.
        revision: i64,
    },
    /// The client waits no more.
    Canceled,
}

/// A step and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedStep {
    /// When.
    pub tick: u64,
    /// What.
    pub step: CallStep,
}

/// A call at the member that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTrace {
    /// Its number.
    pub call: u64,
    /// What it is about.
    pub kind: CallKind,
    /// What happened to it.
    pub steps: Vec<TracedStep>,
}

/// How far an entry has come at one member; `None` if it has not, or if it was too long ago.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryTrace {
    /// What was proposed.
    pub proposal: ProposalName,
    /// Where it stands.
    pub index: Index,
    /// Of which term it is; `None` if the log does not reach back to it.
    pub term: Option<Term>,
    /// Another leader's entry stands in its place.
    pub is_lost: bool,
    /// When it came into the log.
    pub appended: Option<u64>,
    /// When it was on the disk.
    pub durable: Option<u64>,
    /// When the member knew it to be committed.
    pub committed: Option<u64>,
    /// When the store contained it.
    pub applied: Option<u64>,
    /// Leader only: when peers told that they have it on their disks.
    pub acknowledged: Vec<(MemberId, u64)>,
}

/// A question for the read index, at the leader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadTrace {
    /// Who asked.
    pub from: MemberId,
    /// In which of its boots.
    pub boot: u64,
    /// Which question.
    pub context: u64,
    /// How far the log was committed then.
    pub index: Index,
    /// Who has confirmed since that it still leads.
    pub by: Vec<MemberId>,
    /// It was answered.
    pub is_answered: bool,
}

/// What a member knows of some calls and entries, and how it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracePart {
    /// Who.
    pub member: MemberId,
    /// Starts on its disk.
    pub boot: u64,
    /// Its clock.
    pub tick: u64,
    /// Unit: ms per tick.
    pub tick_ms: u64,
    /// Unit: ticks.
    pub election_ticks: u32,
    /// Its role.
    pub role: Role,
    /// Its term.
    pub term: Term,
    /// The leader it knows.
    pub leader: Option<MemberId>,
    /// The tick at which it last knew one.
    pub leader_known_at: u64,
    /// The last entry of its log.
    pub last_index: Index,
    /// The last committed entry it knows.
    pub commit: Index,
    /// Of which term that is.
    pub commit_term: Option<Term>,
    /// The last entry its store contains.
    pub applied: Index,
    /// Its store's revision.
    pub revision: i64,
    /// The tick at which the disk was given the round that it still works on.
    pub writes_since: Option<u64>,
    /// Client requests that wait in it.
    pub waiting: u64,
    /// It compares its data with its peers' before it does anything.
    pub is_checking: bool,
    /// The voters; in a joint configuration the incoming ones.
    pub voters: Vec<MemberId>,
    /// In a joint configuration the voters before it.
    pub voters_outgoing: Vec<MemberId>,
    /// When it last heard of each peer.
    pub heard: Vec<(MemberId, u64)>,
    /// Leader only: its peers.
    pub progress: Vec<PeerProgress>,
    /// Alarms that are on.
    pub alarms: Vec<AlarmMember>,
    /// The newest compaction since it started: up to which revision, and its entry.
    pub compacted: Option<(i64, Index)>,
    /// The calls that were asked about, as far as it was asked them.
    pub calls: Vec<CallTrace>,
    /// The entries of these calls, and of the proposals that were asked about.
    pub entries: Vec<EntryTrace>,
    /// Leader only: the newest reads.
    pub reads: Vec<ReadTrace>,
}
