//! What must be true of every member after every input, whatever the faults.
//!
//! What it is: an onlooker of a simulation. It sees each input, each message that leaves and each completed disk
//! round, and looks at the member afterwards. The numbers are those that
//! [`name`] explains; 13, 18, 21 to 24, 31 and 32 need clients and are checked by `run`.
//! What it is not: part of a member; nothing here is ever asked by the engine.
//! Invariants: the first violation stays; the cost of a step grows with what the step changed, not with the run.
//! Source: Raft thesis, figure 3.2 and sections 6.4, 9.6; etcd's documented guarantees of its store.

mod admission;
mod chain;
mod lease_rules;
mod raft_rules;
mod rights;
mod store_rules;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use self::admission::Admission;
use self::chain::Point;
pub use self::lease_rules::LeaseMark;
use self::lease_rules::LeaseRules;
use crate::api::{AlarmMember, Request};
use crate::check::Model;
use crate::etcdserver::{Fence, Input, PeerMessage, View};
use crate::raft::{self, MessageType, StateRole};
use crate::types::{Index, MemberId, Term};

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Its number in the list; 0 for a member that stopped itself.
    pub number: u32,
    /// What was seen.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invariant {} ({}): {}", self.number, name(self.number), self.what)
    }
}

/// An invariant's name.
#[must_use]
pub const fn name(number: u32) -> &'static str {
    match number {
        0 => "no member's own assertion fails",
        1 => "election safety",
        2 => "log matching",
        3 => "leader completeness",
        4 => "state-machine safety",
        5 => "leader append-only",
        6 => "nothing falls",
        7 => "vote durable before the reply",
        8 => "durable before sent",
        9 => "applied <= commit <= last",
        10 => "one configuration change at a time",
        11 => "a leader without quorum steps down",
        12 => "no campaign without pre-votes",
        13 => "a read sees every write acknowledged before it",
        14 => "one revision per changing entry",
        15 => "equal hashes",
        16 => "key index equals rows",
        17 => "compaction preserves",
        18 => "watch guarantees",
        19 => "a lease lives as long as promised, its keys as long as it",
        20 => "bounded memory",
        21 => "linearizability",
        22 => "reliable watch",
        23 => "liveness after healing",
        24 => "restart from disk",
        25 => "a disk that lost data is refused",
        30 => "no answer beyond rights",
        31 => "fencing: no write with an old lock revision",
        32 => "a restored cluster has what was saved",
        _ => "unknown",
    }
}

/// What the cluster was configured to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Members of the first configuration.
    pub members: u32,
    /// Ticks of one election timeout.
    pub election_ticks: u32,
    /// Campaigns begin with pre-votes.
    pub pre_vote: bool,
    /// A leader that hears from too few steps down.
    pub check_quorum: bool,
    /// Milliseconds per tick, by the members' own clocks.
    pub tick_ms: u64,
    /// Leaders note the time that leases have left.
    pub has_lease_checkpoints: bool,
}

/// What is remembered of one member.
#[derive(Clone, Debug, Default)]
struct Seen {
    log: Vec<Point>,
    durable: Vec<Point>,
    /// Configuration changes of its log, those of the first start left out.
    changes: BTreeSet<Index>,
    term: Term,
    commit: Index,
    applied: Index,
    role: Option<StateRole>,
    /// What its disk is known to hold.
    fence: Fence,
    /// Ticks it had in this boot.
    ticks: u64,
    /// Its configuration after the last input, and the applied index at which it was looked at.
    conf: raft::ConfState,
    conf_at: Index,
    /// When each peer last answered it as leader.
    heard: BTreeMap<MemberId, u64>,
    /// Members that would vote for it, by term.
    grants: BTreeMap<Term, BTreeSet<MemberId>>,
    /// The leader asked it to campaign.
    is_handed_over: bool,
    /// The highest term that a message of this input carried.
    told_term: Term,
    /// The input that it takes has a tick, or the end of a disk round.
    has_ticked: bool,
    has_persisted: bool,
    /// The newest revision that was hashed, and looked at from inside.
    hashed: i64,
    verified: i64,
    compacted: i64,
    /// Store revision after the entry applied last.
    revision: i64,
}

/// An entry that some member has committed.
#[derive(Clone, Debug)]
struct Committed {
    point: Point,
    /// The term of the member that first knew it.
    in_term: Term,
    /// What a member is that has applied it.
    after: StateAfter,
}

/// What a member is at one applied index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct StateAfter {
    /// Store and compact revision.
    store: (i64, i64),
    alarms: Vec<AlarmMember>,
    /// Which of the states of users and roles.
    auth: u32,
    /// A hash over leases and their keys.
    leases: u64,
}

/// The onlooker; see the module's head.
#[derive(Clone, Debug)]
pub struct Invariants {
    rules: Rules,
    seen: BTreeMap<MemberId, Seen>,
    leaders: BTreeMap<Term, MemberId>,
    /// The chain at every (index, term) that any log ever had.
    entries: BTreeMap<(Index, Term), u64>,
    /// Entries of any log that nobody has committed yet.
    bodies: BTreeMap<(Index, Term), raft::Entry>,
    committed: Vec<Committed>,
    votes: BTreeMap<(MemberId, Term), MemberId>,
    /// The configuration after each applied entry.
    confs: BTreeMap<Index, raft::ConfState>,
    /// The store as the committed entries make it.
    model: Model,
    admission: Admission,
    lease_rules: LeaseRules,
    hashes: BTreeMap<(i64, i64), (u32, MemberId)>,
    violation: Option<Violation>,
}

impl Invariants {
    /// An onlooker of a cluster that has not started yet.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            seen: BTreeMap::new(),
            leaders: BTreeMap::new(),
            entries: BTreeMap::new(),
            bodies: BTreeMap::new(),
            committed: Vec::new(),
            votes: BTreeMap::new(),
            confs: BTreeMap::new(),
            model: Model::default(),
            admission: Admission::default(),
            lease_rules: LeaseRules::default(),
            hashes: BTreeMap::new(),
            violation: None,
        }
    }

    /// The first broken invariant.
    #[must_use]
    pub const fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// The store as the committed entries make it.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// Notes a broken invariant, the first one only.
    pub fn broken(&mut self, number: u32, what: impl Into<String>) {
        if self.violation.is_none() {
            self.violation = Some(Violation { number, what: what.into() });
        }
    }

    fn hold(&mut self, number: u32, is_true: bool, what: impl FnOnce() -> String) {
        if !is_true {
            self.broken(number, what());
        }
    }

    /// A member is about to take an input.
    pub fn before_input(&mut self, id: MemberId, input: &Input) {
        let seen = self.seen.entry(id).or_default();
        match input {
            Input::Batch(inputs) => {
                for input in inputs {
                    self.before_input(id, input);
                }
            }
            Input::Tick => {
                seen.ticks += 1;
                seen.has_ticked = true;
            }
            Input::Persisted(_) => seen.has_persisted = true,
            // As in etcd, a transfer begins the time anew in which a leader must hear a quorum.
            Input::Client { request: Request::MoveLeader(_), .. } => {
                let now = seen.ticks;
                seen.heard.values_mut().for_each(|tick| *tick = now);
            }
            Input::Peer(message) => seen.hear(message),
            Input::FromPeer { message, .. } => {
                // Raft hears of a snapshot when its last part has come, and each part has the message.
                if let PeerMessage::SnapshotPart(part) = message.as_ref() {
                    seen.hear(&part.message);
                }
            }
            _ => {}
        }
    }

    /// A member has taken the input.
    pub fn after_input(&mut self, id: MemberId, view: &View<'_>) {
        let seen = self.seen.entry(id).or_default();
        let has_persisted = std::mem::take(&mut seen.has_persisted);
        let has_ticked = std::mem::take(&mut seen.has_ticked);
        if has_persisted {
            self.sync_durable(id, view);
        }
        self.look(id, view);
        if has_ticked {
            self.look_at_tick(id, view);
        }
        self.look_at_store(id, view);
        if let Some(seen) = self.seen.get_mut(&id) {
            seen.told_term = Term(0);
        }
    }

    /// A member has started from its disk.
    pub fn started(&mut self, id: MemberId, view: &View<'_>) {
        let seen = self.seen.entry(id).or_default();
        let fence = seen.fence;
        let old = std::mem::take(seen);
        *seen = Seen {
            log: old.log,
            durable: old.durable,
            changes: old.changes,
            fence,
            ..Seen::default()
        };
        let vote_is_kept =
            view.term() > fence.term || fence.vote.is_none() || view.vote() == fence.vote;
        let is_kept = view.term() >= fence.term
            && vote_is_kept
            && view.commit() >= fence.commit
            && view.last_index() >= fence.last_log_index;
        self.hold(6, is_kept, || format!("{id:x} started with less than its disk held: {fence:?}"));
        self.forget_leases(id);
        self.sync_durable(id, view);
        self.look(id, view);
        self.look_at_store(id, view);
    }

    /// A disk round of a member has landed.
    pub fn landed(&mut self, id: MemberId, fence: &Fence) {
        self.seen.entry(id).or_default().fence = *fence;
    }

    /// A member stopped by itself.
    pub fn crashed(&mut self, id: MemberId, why: &str) {
        self.broken(0, format!("{id:x} stopped: {why}"));
    }

    /// A message leaves a member.
    pub fn sent(&mut self, id: MemberId, message: &raft::Message) {
        if message.reject {
            return;
        }
        match message.msg_type {
            MessageType::MsgVote => self.asked_for_vote(id, message),
            MessageType::MsgVoteResp => self.sent_vote(id, message),
            MessageType::MsgAppResp => self.sent_acknowledgement(id, message),
            _ => {}
        }
    }
}

impl Seen {
    fn hear(&mut self, message: &raft::Message) {
        // A pre-vote and its grant speak of a term to come.
        let speaks_of_future = message.msg_type == MessageType::MsgPreVote
            || (message.msg_type == MessageType::MsgPreVoteResp && !message.reject);
        if !speaks_of_future {
            self.told_term = self.told_term.max(message.term);
        }
        match message.msg_type {
            MessageType::MsgPreVoteResp if !message.reject => {
                self.grants.entry(message.term).or_default().insert(message.from);
            }
            MessageType::MsgAppResp | MessageType::MsgHeartbeatResp => {
                self.heard.insert(message.from, self.ticks);
            }
            MessageType::MsgTimeoutNow => self.is_handed_over = true,
            _ => {}
        }
    }
}

/// True if `members` are a majority of every half of a configuration.
pub(super) fn is_quorum(conf: &raft::ConfState, is_in: impl Fn(MemberId) -> bool) -> bool {
    let is_majority = |voters: &[MemberId]| {
        voters.iter().filter(|voter| is_in(**voter)).count() * 2 > voters.len()
    };
    is_majority(&conf.voters)
        && (conf.voters_outgoing.is_empty() || is_majority(&conf.voters_outgoing))
}
