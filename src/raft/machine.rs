//! The Raft state machine of one member: what all roles share.
//!
//! What it is: terms, votes, timers, role changes, configuration, sending; every message comes in
//! through [`Raft::step`], every tick through [`Raft::tick`], and what is to be sent waits here.
//! What it is not: the roles themselves (`follower`, `candidate`, `leader`), nor what leaves the
//! member and when (`raw_node`).
//! Invariants: the term never falls; at most one vote per term; messages that promise something
//! durable stand in `messages_after_append`; what role, leader and leader's fields must be to one another is
//! checked after every step, see `check`.
//! Source: Raft thesis §3, §4, §6.4, §9.6; behaviour of etcd-io/raft `raft.go`.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::conf_change::ConfChangeV2;
use super::confchange::{Changed, Changer};
use super::config::Config;
use super::entry::{Entry, EntryType, encoded_sizes, payload_sizes};
use super::error::Error;
use super::log::{ApplyFrom, RaftLog};
use super::message::{Message, MessageType, NO_MEMBER};
use super::read_only::ReadOnly;
use super::state::{ConfState, HardState, ReadState, Snapshot, SoftState, StateRole};
use super::storage::Storage;
use super::tracker::{Progress, ProgressTracker};
use crate::mutant::{self, Mutant};
use crate::random::Pcg32;
use crate::types::{Index, MemberId, Term};

/// The context of a vote request that was asked for by the leader itself.
pub(crate) const CAMPAIGN_TRANSFER: &[u8] = b"CampaignTransfer";

/// Why a leader stopped leading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepDownReason {
    /// It did not hear from a quorum for an election timeout.
    QuorumLost,
    /// It saw a higher term.
    HigherTerm,
    /// A configuration change removed it or made it a learner.
    Removed,
}

/// Why a member campaigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Campaign {
    /// It asks whether it could win.
    PreElection,
    /// Its own time is up.
    Election,
    /// The leader handed over.
    Transfer,
}

/// What a batch of committed entries comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) last: Index,
    pub(crate) encoded_bytes: u64,
    payload_bytes: u64,
}

impl Batch {
    /// `None` without entries.
    pub(crate) fn of(entries: &[Entry]) -> Option<Self> {
        let last = entries.last()?.index;
        let (encoded_bytes, payload_bytes) = (encoded_sizes(entries), payload_sizes(entries));
        Some(Self { last, encoded_bytes, payload_bytes })
    }
}

/// One member's state.
#[derive(Clone, Debug)]
pub(crate) struct Raft<S> {
    pub(crate) id: MemberId,
    pub(crate) term: Term,
    pub(crate) vote: Option<MemberId>,
    pub(crate) role: StateRole,
    pub(crate) lead: Option<MemberId>,
    pub(crate) log: RaftLog<S>,
    pub(crate) tracker: ProgressTracker,
    pub(crate) is_learner: bool,
    pub(crate) config: Config,

    pub(crate) messages: Vec<Message>,
    pub(crate) messages_after_append: Vec<Message>,
    pub(crate) read_states: Vec<ReadState>,
    pub(crate) read_only: ReadOnly,
    /// Reads that came before anything was committed in this term.
    pub(crate) postponed_reads: Vec<Message>,

    pub(crate) lead_transferee: Option<MemberId>,
    /// A new configuration change may be proposed once this index is applied.
    pub(crate) pending_conf_index: Index,
    /// Unit: payload bytes.
    pub(crate) uncommitted_size: u64,
    pub(crate) last_step_down: Option<StepDownReason>,

    /// Unit: ticks since the leader was heard, the campaign began, or the quorum was checked.
    pub(crate) election_elapsed: u32,
    /// Unit: ticks since the last heartbeat was sent.
    pub(crate) heartbeat_elapsed: u32,
    /// Unit: ticks. Drawn anew from `[election_tick, 2 * election_tick)` at every role change.
    pub(crate) randomized_election_timeout: u32,
    random: Pcg32,
}

fn or_no_limit(limit: u64) -> u64 {
    if limit == 0 { u64::MAX } else { limit }
}

impl<S: Storage> Raft<S> {
    pub(crate) fn new(mut config: Config, storage: S, random: Pcg32) -> Result<Self, Error> {
        if config.max_committed_size_per_ready == 0 {
            config.max_committed_size_per_ready = config.max_size_per_msg;
        }
        config.max_uncommitted_entries_size = or_no_limit(config.max_uncommitted_entries_size);
        config.max_inflight_bytes = or_no_limit(config.max_inflight_bytes);
        config.validate()?;
        let (hard_state, conf_state) = storage.initial_state()?;
        let log = RaftLog::new(storage, or_no_limit(config.max_committed_size_per_ready));
        let mut tracker = ProgressTracker::new(config.max_inflight_msgs, config.max_inflight_bytes);
        let changer = Changer { tracker: &tracker, last_index: log.last_index() };
        (tracker.config, tracker.progress) = changer.restore(&conf_state)?;
        let id = config.id;
        let is_learner = tracker.progress.get(&id).is_some_and(|own| own.is_learner);
        let mut raft = Self {
            id,
            term: hard_state.term,
            vote: hard_state.vote,
            role: StateRole::Follower,
            lead: None,
            log,
            tracker,
            is_learner,
            messages: Vec::new(),
            messages_after_append: Vec::new(),
            read_states: Vec::new(),
            read_only: ReadOnly::new(config.read_only_option),
            postponed_reads: Vec::new(),
            lead_transferee: None,
            pending_conf_index: Index(0),
            uncommitted_size: 0,
            last_step_down: None,
            election_elapsed: 0,
            heartbeat_elapsed: 0,
            randomized_election_timeout: config.election_tick,
            random,
            config,
        };
        if !hard_state.is_empty() {
            raft.log.load_committed(hard_state.commit)?;
        }
        let applied = raft.config.applied;
        if applied > Index(0) {
            if applied < raft.log.applied() || applied > raft.log.committed() {
                return Err(Error::InvalidStorage("applied is out of range of the log"));
            }
            raft.log.applied_to(applied, 0);
        }
        raft.become_follower(raft.term, None);
        Ok(raft)
    }

    pub(crate) fn soft_state(&self) -> SoftState {
        SoftState { lead: self.lead, role: self.role }
    }

    pub(crate) fn hard_state(&self) -> HardState {
        HardState { term: self.term, vote: self.vote, commit: self.log.committed() }
    }

    // ---- sending ----

    /// Queues a message; what promises something durable waits for the write.
    pub(crate) fn send(&mut self, mut message: Message) {
        if message.from == NO_MEMBER {
            message.from = self.id;
        }
        let kind = message.msg_type;
        let has_own_term = kind.is_vote_request()
            || kind.is_vote_response()
            || matches!(kind, MessageType::MsgProp | MessageType::MsgReadIndex);
        if !has_own_term {
            message.term = self.term;
        }
        if kind.is_after_append() {
            self.messages_after_append.push(message);
        } else {
            assert!(message.to != self.id, "raft: {kind} to itself");
            self.messages.push(message);
        }
    }

    /// Asserts what the fields must be to one another.
    fn check(&self) {
        let (role, lead, last) = (self.role, self.lead, self.log.last_index());
        let is_lead_right = match role {
            StateRole::Leader => lead == Some(self.id),
            StateRole::Candidate => lead.is_none() && self.vote == Some(self.id),
            StateRole::PreCandidate => lead.is_none(),
            StateRole::Follower => lead != Some(self.id),
        };
        assert!(is_lead_right, "raft: {role} with lead {lead:?} and vote {:?}", self.vote);
        let has_leaders_work = self.lead_transferee.is_some()
            || self.uncommitted_size > 0
            || !self.postponed_reads.is_empty()
            || self.read_only.last_position().is_some();
        assert!(
            role == StateRole::Leader || !has_leaders_work,
            "raft: {role} with a leader's work"
        );
        let pending = self.pending_conf_index;
        assert!(pending <= last, "raft: change pending at {pending} above {last}");
    }

    // ---- time ----

    /// One tick has passed.
    pub(crate) fn tick(&mut self) {
        match self.role {
            StateRole::Leader => self.tick_heartbeat(),
            StateRole::Follower | StateRole::Candidate | StateRole::PreCandidate => {
                self.tick_election();
            }
        }
        self.check();
    }

    fn tick_election(&mut self) {
        self.election_elapsed = self.election_elapsed.saturating_add(1);
        let is_due = self.election_elapsed >= self.randomized_election_timeout;
        if is_due && self.is_promotable() {
            self.election_elapsed = 0;
            self.campaign_if_allowed_by_timeout();
        }
    }

    /// Campaigns as configured: with or without the question beforehand.
    pub(crate) fn campaign_if_allowed_by_timeout(&mut self) {
        let campaign =
            if self.config.pre_vote { Campaign::PreElection } else { Campaign::Election };
        self.hup(campaign);
    }

    /// True if this member may campaign at all.
    pub(crate) fn is_promotable(&self) -> bool {
        let is_voter = self.tracker.progress.get(&self.id).is_some_and(|own| !own.is_learner);
        is_voter && !self.log.unstable().has_snapshot()
    }

    fn draw_election_timeout(&mut self) {
        let ticks = self.config.election_tick;
        self.randomized_election_timeout = ticks + self.random.below(ticks);
    }

    // ---- role changes ----

    fn reset(&mut self, term: Term) {
        assert!(term >= self.term, "raft: term falls from {} to {term}", self.term);
        if self.term != term {
            self.term = term;
            self.vote = None;
        }
        self.lead = None;
        self.election_elapsed = 0;
        self.heartbeat_elapsed = 0;
        self.draw_election_timeout();
        self.lead_transferee = None;
        self.tracker.reset_votes();
        let last = self.log.last_index();
        let (messages_max, bytes_max) =
            (self.config.max_inflight_msgs, self.config.max_inflight_bytes);
        for (id, progress) in self.tracker.progress.iter_mut() {
            let is_learner = progress.is_learner;
            let inflights = super::tracker::Inflights::new(messages_max, bytes_max);
            *progress = Progress::new(last.next(), inflights);
            progress.is_learner = is_learner;
            if *id == self.id {
                progress.matched = last;
            }
        }
        self.pending_conf_index = Index(0);
        self.uncommitted_size = 0;
        self.read_only = ReadOnly::new(self.config.read_only_option);
        self.postponed_reads.clear();
    }

    /// Steps down because of `reason`, if this member leads.
    pub(crate) fn note_step_down(&mut self, reason: StepDownReason) {
        if self.role == StateRole::Leader {
            self.last_step_down = Some(reason);
        }
    }

    pub(crate) fn become_follower(&mut self, term: Term, lead: Option<MemberId>) {
        self.reset(term);
        self.lead = lead;
        self.role = StateRole::Follower;
        log::debug!("{:x} became follower at term {}", self.id, self.term);
    }

    pub(crate) fn become_candidate(&mut self) {
        assert!(self.role != StateRole::Leader, "raft: leader became candidate");
        self.reset(self.term.next());
        self.vote = Some(self.id);
        self.role = StateRole::Candidate;
        log::debug!("{:x} became candidate at term {}", self.id, self.term);
    }

    pub(crate) fn become_pre_candidate(&mut self) {
        assert!(self.role != StateRole::Leader, "raft: leader became pre-candidate");
        // Neither term nor vote change: nothing is promised yet.
        self.tracker.reset_votes();
        self.lead = None;
        self.role = StateRole::PreCandidate;
        log::debug!("{:x} became pre-candidate at term {}", self.id, self.term);
    }

    pub(crate) fn become_leader(&mut self) {
        assert!(self.role != StateRole::Follower, "raft: follower became leader");
        self.reset(self.term);
        self.lead = Some(self.id);
        self.role = StateRole::Leader;
        self.last_step_down = None;
        if let Some(own) = self.tracker.progress.get_mut(&self.id) {
            own.become_replicate();
            own.recent_active = true;
        }
        // There may be an unapplied configuration change anywhere in the log.
        self.pending_conf_index = self.log.last_index();
        let is_appended = self.append_as_leader(vec![Entry::default()]);
        assert!(is_appended, "raft: the empty entry of a new leader was refused");
        log::debug!("{:x} became leader at term {}", self.id, self.term);
    }

    // ---- messages ----

    /// Takes one message.
    pub(crate) fn step(&mut self, message: Message) -> Result<(), Error> {
        let taken = self.take(message);
        self.check();
        taken
    }

    fn take(&mut self, message: Message) -> Result<(), Error> {
        if message.term > self.term && message.term != Term(0) {
            if message.msg_type.is_vote_request() && self.is_in_lease(&message) {
                log::debug!("{:x} ignored a vote request within the lease", self.id);
                return Ok(());
            }
            self.take_higher_term(&message);
        } else if message.term < self.term && message.term != Term(0) {
            self.answer_lower_term(&message);
            return Ok(());
        }
        match message.msg_type {
            MessageType::MsgHup => {
                self.campaign_if_allowed_by_timeout();
                Ok(())
            }
            MessageType::MsgStorageAppendResp => {
                self.handle_append_done(message);
                Ok(())
            }
            MessageType::MsgStorageApplyResp => {
                if let Some(batch) = Batch::of(&message.entries) {
                    self.batch_applied(batch);
                }
                Ok(())
            }
            MessageType::MsgVote | MessageType::MsgPreVote => {
                self.handle_vote_request(&message);
                Ok(())
            }
            _ => match self.role {
                StateRole::Leader => self.step_leader(message),
                StateRole::Candidate | StateRole::PreCandidate => self.step_candidate(message),
                StateRole::Follower => self.step_follower(message),
            },
        }
    }

    /// True if a leader was heard so recently that nobody needs a vote.
    fn is_in_lease(&self, message: &Message) -> bool {
        let is_forced = message.context.as_ref() == CAMPAIGN_TRANSFER;
        !is_forced
            && self.config.check_quorum
            && self.lead.is_some()
            && self.election_elapsed < self.config.election_tick
    }

    fn take_higher_term(&mut self, message: &Message) {
        match message.msg_type {
            // A question about a future term changes nothing,
            MessageType::MsgPreVote => {}
            // and the term rises only when a quorum has said yes.
            MessageType::MsgPreVoteResp if !message.reject => {}
            kind => {
                self.note_step_down(StepDownReason::HigherTerm);
                let lead = kind.is_from_leader().then_some(message.from);
                self.become_follower(message.term, lead);
            }
        }
    }

    fn answer_lower_term(&mut self, message: &Message) {
        let is_checked = self.config.check_quorum || self.config.pre_vote;
        match message.msg_type {
            MessageType::MsgHeartbeat | MessageType::MsgApp if is_checked => {
                // The sender leads at a lower term, and since votes are ignored within the lease
                // it may never hear of ours: this answer makes it step down.
                self.send(Message::new(MessageType::MsgAppResp, message.from));
            }
            MessageType::MsgPreVote => {
                // Tell the sender our term, or it could ask forever.
                let mut answer = Message::new(MessageType::MsgPreVoteResp, message.from);
                answer.term = self.term;
                answer.reject = true;
                self.send(answer);
            }
            MessageType::MsgStorageAppendResp => {
                // The entries may have been overwritten in a later term, so they do not count as
                // durable; a snapshot holds committed state whatever the term.
                if let Some(snapshot) = &message.snapshot {
                    self.applied_snapshot(snapshot.metadata.index);
                }
            }
            kind => {
                log::debug!("{:x} ignored {kind} of lower term {}", self.id, message.term);
            }
        }
    }

    fn handle_append_done(&mut self, message: Message) {
        if message.index != Index(0) {
            let id = super::entry::EntryId { term: message.log_term, index: message.index };
            self.log.stable_to(id);
        }
        if let Some(snapshot) = message.snapshot {
            self.applied_snapshot(snapshot.metadata.index);
        }
    }

    /// Notes that the application has applied a batch that was handed out.
    pub(crate) fn batch_applied(&mut self, batch: Batch) {
        self.applied_to(batch.last, batch.encoded_bytes);
        self.reduce_uncommitted_size(batch.payload_bytes);
    }

    fn handle_vote_request(&mut self, message: &Message) {
        let is_pre_vote = message.msg_type == MessageType::MsgPreVote;
        let can_vote = self.vote == Some(message.from)
            || (self.vote.is_none() && self.lead.is_none())
            || (is_pre_vote && message.term > self.term);
        let last = super::entry::EntryId { term: message.log_term, index: message.index };
        let kind = if is_pre_vote { MessageType::MsgPreVoteResp } else { MessageType::MsgVoteResp };
        let mut answer = Message::new(kind, message.from);
        let is_up_to_date = self.log.is_up_to_date(last) || mutant::is(Mutant::VoteWithoutLogCheck);
        if can_vote && is_up_to_date {
            // The answer carries the term that was asked about: with a pre-vote ours may be lower
            // and the answer would be ignored.
            answer.term = message.term;
            self.send(answer);
            if !is_pre_vote {
                self.election_elapsed = 0;
                self.vote = Some(message.from);
            }
        } else {
            answer.term = self.term;
            answer.reject = true;
            self.send(answer);
        }
    }

    // ---- applying ----

    /// Notes that the application has applied up to `index`.
    pub(crate) fn applied_to(&mut self, index: Index, size: u64) {
        let applied = index.max(self.log.applied());
        self.log.applied_to(applied, size);
        let leaves_now = self.tracker.config.auto_leave
            && (applied >= self.pending_conf_index || mutant::is(Mutant::JointLeftTwice))
            && self.role == StateRole::Leader;
        if leaves_now {
            // An empty change leaves the joint configuration. During a leadership transfer it is
            // dropped, and proposed again when the next entry has been applied.
            let entry = Entry { entry_type: EntryType::ConfChangeV2, ..Entry::default() };
            let mut proposal = Message::local(MessageType::MsgProp, self.id);
            proposal.entries = vec![entry];
            if let Err(error) = self.step(proposal) {
                log::debug!("{:x} did not leave the joint configuration: {error}", self.id);
            }
        }
    }

    fn applied_snapshot(&mut self, index: Index) {
        self.log.unstable_mut().stable_snapshot_to(index);
        self.applied_to(index, 0);
    }

    fn reduce_uncommitted_size(&mut self, size: u64) {
        // Entries of an earlier leader were never counted here.
        self.uncommitted_size = self.uncommitted_size.saturating_sub(size);
    }

    /// Takes a batch into account; false if it is too much.
    pub(crate) fn increase_uncommitted_size(&mut self, entries: &[Entry]) -> bool {
        let size = payload_sizes(entries);
        let total = self.uncommitted_size.saturating_add(size);
        // One batch of any size passes when there is nothing else, and empty entries always do.
        let is_too_much = self.uncommitted_size > 0
            && size > 0
            && total > self.config.max_uncommitted_entries_size;
        if is_too_much {
            return false;
        }
        self.uncommitted_size = total;
        true
    }

    // ---- configuration ----

    /// Applies a committed configuration change.
    pub(crate) fn apply_conf_change(&mut self, change: &ConfChangeV2) -> Result<ConfState, Error> {
        let changer = Changer { tracker: &self.tracker, last_index: self.log.last_index() };
        let changed = if change.is_leave_joint() {
            changer.leave_joint()?
        } else if let Some(auto_leave) = change.enter_joint() {
            changer.enter_joint(auto_leave, &change.changes)?
        } else {
            changer.simple(&change.changes)?
        };
        Ok(self.switch_to_config(changed))
    }

    fn switch_to_config(&mut self, changed: Changed) -> ConfState {
        (self.tracker.config, self.tracker.progress) = changed;
        log::debug!("{:x} switched to configuration {}", self.id, self.tracker.config);
        let conf_state = self.tracker.config.conf_state();
        let own = self.tracker.progress.get(&self.id);
        let is_member = own.is_some();
        self.is_learner = own.is_some_and(|own| own.is_learner);
        if self.role != StateRole::Leader {
            return conf_state;
        }
        if !is_member || self.is_learner {
            if self.config.step_down_on_removal {
                self.note_step_down(StepDownReason::Removed);
                self.become_follower(self.term, None);
            }
            return conf_state;
        }
        if conf_state.voters.is_empty() {
            return conf_state;
        }
        self.replicate_to_new_config();
        if let Some(transferee) = self.lead_transferee
            && !self.tracker.config.voters.contains(transferee)
        {
            self.lead_transferee = None;
        }
        conf_state
    }

    /// Replaces the log by a snapshot; false if it is not wanted.
    pub(crate) fn restore(&mut self, snapshot: Snapshot) -> Result<bool, Error> {
        let metadata = &snapshot.metadata;
        if metadata.index <= self.log.committed() && !mutant::is(Mutant::OlderSnapshotTaken) {
            return Ok(false);
        }
        assert!(self.role == StateRole::Follower, "raft: {} restores a snapshot", self.role);
        let stored = &metadata.conf_state;
        let is_in_it = [&stored.voters, &stored.learners, &stored.voters_outgoing]
            .iter()
            .any(|ids| ids.contains(&self.id));
        if !is_in_it {
            log::debug!("{:x} is not in the snapshot's configuration", self.id);
            return Ok(false);
        }
        let id = super::entry::EntryId { term: metadata.term, index: metadata.index };
        if self.log.matches(id) {
            // Everything is here; only the commit index was behind.
            self.log.commit_to(metadata.index);
            return Ok(false);
        }
        let tracker =
            ProgressTracker::new(self.config.max_inflight_msgs, self.config.max_inflight_bytes);
        let changed = Changer { tracker: &tracker, last_index: metadata.index }.restore(stored)?;
        self.log.restore(snapshot);
        self.tracker = tracker;
        self.switch_to_config(changed);
        Ok(true)
    }

    // ---- for the start of a cluster and for tests ----

    /// The first log of a new cluster: committed entries at term 1 that add the members.
    pub(crate) fn bootstrap(&mut self, entries: Vec<Entry>) {
        self.become_follower(Term(1), None);
        let last = self.log.append(entries);
        self.log.commit_to(last);
    }

    /// Committed entries that may be handed out now.
    pub(crate) fn apply_from(&self) -> ApplyFrom {
        // With asynchronous writes an entry is handed out only once it is durable here.
        if self.config.async_storage_writes { ApplyFrom::Stable } else { ApplyFrom::Unstable }
    }

    /// The read request's own context.
    pub(crate) fn read_context(message: &Message) -> Bytes {
        message.entries.first().map(|entry| entry.data.clone()).unwrap_or_default()
    }
}
