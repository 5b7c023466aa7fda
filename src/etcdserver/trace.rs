//! What became of clients' calls, for people who ask why: steps, and how far the log had come when.
//!
//! What it is: a bounded memory of steps and progress, and [`Server::trace_part`], a read-only look at it.
//! What it is not: part of what a member does: nothing here is read by anything else.
//! Invariants: the newest [`CALLS_MAX`] calls and [`MARKS_MAX`] marks are kept, calls that wait before those that are
//! answered; asking changes nothing; a mark says that from its tick on everything up to its index was so far.

use std::collections::VecDeque;

use super::io::RequestId;
use super::request::{InternalRaftRequest, ProposalId, ProposedChange};
use super::server::Server;
use crate::api::{
    CallKind, CallStep, CallTrace, EntryTrace, Error, ProposalName, ReadTrace, Request, TracePart,
    TracedStep,
};
use crate::mvcc::txn;
use crate::raft::{ConfChange, Entry, EntryType, NO_MEMBER};
use crate::types::{Index, MemberId, SmallMap, Term};

/// Calls that are kept. Unit: calls. Source: ours.
const CALLS_MAX: usize = 256;
/// Steps of one call. Unit: steps. Source: ours; a login that is done anew again and again has no end.
const STEPS_MAX: usize = 24;
/// Marks that are kept. Unit: marks. Source: ours; some minutes of a calm cluster.
const MARKS_MAX: usize = 1_024;
/// Proposals of which it is known where they were applied. Unit: entries. Source: ours.
const APPLIED_MAX: usize = 256;
/// Entries at the end of the log among which a proposal is looked for. Unit: entries. Source: ours.
const SEARCHED_MAX: u64 = 256;
/// Calls, and proposals, in one question. Unit: each. Source: ours.
const ASKED_MAX: usize = 64;

/// What has come so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Far {
    Appended,
    Durable,
    Committed,
    Applied,
    /// At a peer, as the leader knows it.
    Acknowledged(MemberId),
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    tick: u64,
    term: Term,
    far: Far,
    index: Index,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Traces {
    calls: VecDeque<CallTrace>,
    marks: VecDeque<Mark>,
    /// The newest mark of each kind.
    newest: Vec<Mark>,
    /// Marks were dropped.
    is_cut: bool,
    applied: VecDeque<(ProposalName, Index)>,
    compacted: Option<(i64, Index)>,
    /// The tick at which the round in flight was handed out.
    writes_since: u64,
    /// When each peer was heard last.
    heard: SmallMap<MemberId, u64>,
}

const fn name_of(id: ProposalId) -> ProposalName {
    ProposalName { member: id.member, boot: id.boot, sequence: id.sequence }
}

/// Who proposed an entry; nothing for those that nobody asked for.
fn proposal_of(entry: &Entry) -> Option<ProposalName> {
    if entry.data.is_empty() {
        return None;
    }
    match entry.entry_type {
        EntryType::Normal => Some(name_of(InternalRaftRequest::decode(&entry.data).ok()?.id)),
        EntryType::ConfChange => {
            let change = ConfChange::decode(&entry.data).ok()?;
            Some(name_of(ProposedChange::from_raft(&change).ok()?.id))
        }
        EntryType::ConfChangeV2 => None,
    }
}

/// What a request is about.
fn kind_of(request: &Request) -> CallKind {
    match request {
        Request::Range(_) => CallKind::Read,
        Request::Txn(request) if txn::is_read_only(request) => CallKind::Read,
        Request::Txn(_) | Request::Put(_) | Request::DeleteRange(_) => CallKind::Write,
        Request::Compaction(_) => CallKind::Compaction,
        Request::LeaseGrant(_)
        | Request::LeaseRevoke(_)
        | Request::LeaseKeepAlive(_)
        | Request::LeaseTimeToLive(_)
        | Request::LeaseLeases(_) => CallKind::Lease,
        Request::Auth(_) => CallKind::Auth,
        Request::Authenticate(_) => CallKind::Login,
        Request::MemberList(_)
        | Request::MemberAdd(_)
        | Request::MemberRemove(_)
        | Request::MemberUpdate(_)
        | Request::MemberPromote(_) => CallKind::Member,
        Request::MoveLeader(_) => CallKind::MoveLeader,
        Request::Snapshot(_) => CallKind::Snapshot,
        Request::Status(_)
        | Request::HashKv(_)
        | Request::Alarm(_)
        | Request::Defragment(_)
        | Request::Downgrade(_) => CallKind::Maintenance,
    }
}

const fn is_over(step: &CallStep) -> bool {
    matches!(step, CallStep::Answered { .. } | CallStep::Canceled)
}

impl CallTrace {
    fn is_over(&self) -> bool {
        self.steps.last().is_some_and(|last| is_over(&last.step))
    }
}

impl Traces {
    fn begin(&mut self, call: u64, kind: CallKind, tick: u64) {
        if self.calls.len() == CALLS_MAX {
            let oldest = self.calls.iter().position(CallTrace::is_over).unwrap_or(0);
            self.calls.remove(oldest);
        }
        let mut steps = Vec::with_capacity(6);
        steps.push(TracedStep { tick, step: CallStep::Received });
        self.calls.push_back(CallTrace { call, kind, steps });
    }

    fn note(&mut self, call: u64, tick: u64, step: CallStep) {
        let open = self.calls.iter_mut().rev().find(|it| it.call == call && !it.is_over());
        let Some(trace) = open else { return };
        if let (
            CallStep::ReadAsked { of, context, .. },
            Some(TracedStep {
                step: CallStep::ReadAsked { of: to, context: newest, times }, ..
            }),
        ) = (step, trace.steps.last_mut())
            && of == *to
        {
            *newest = context;
            *times += 1;
        } else if trace.steps.len() < STEPS_MAX || is_over(&step) {
            trace.steps.push(TracedStep { tick, step });
        }
    }

    fn mark(&mut self, mark: Mark) {
        match self.newest.iter_mut().find(|it| it.far == mark.far) {
            Some(newest) if newest.index == mark.index && newest.term == mark.term => return,
            Some(newest) => *newest = mark,
            None => self.newest.push(mark),
        }
        // In one tick the furthest counts.
        let in_tick = self.marks.iter_mut().rev().take_while(|it| it.tick == mark.tick);
        let same = |it: &&mut Mark| it.far == mark.far && it.term == mark.term;
        if let Some(old) = in_tick.into_iter().find(same) {
            old.index = mark.index;
            return;
        }
        if self.marks.len() == MARKS_MAX {
            self.marks.pop_front();
            self.is_cut = true;
        }
        self.marks.push_back(mark);
    }

    /// When everything up to an index was so far, and is not too long ago.
    fn reached(&self, far: Far, index: Index, term: Term) -> Option<u64> {
        let mut marks = self.marks.iter().filter(|mark| mark.far == far && mark.term >= term);
        let first = marks.next()?;
        if first.index >= index {
            // What was before it is not known any more.
            return (!self.is_cut).then_some(first.tick);
        }
        marks.find(|mark| mark.index >= index).map(|mark| mark.tick)
    }
}

impl Server {
    // ---- what happens ----

    pub(super) fn trace_call(&mut self, id: RequestId, request: &Request) {
        self.traces.begin(id.0, kind_of(request), self.ticks);
    }

    pub(super) fn trace_stream(&mut self, stream: u64) {
        self.traces.begin(stream, CallKind::Watch, self.ticks);
    }

    pub(super) fn trace(&mut self, call: u64, step: CallStep) {
        self.traces.note(call, self.ticks, step);
    }

    pub(super) fn trace_answer(&mut self, call: u64, error: Option<Error>) {
        let (applied, revision) = (self.applied, self.store.current_revision());
        self.trace(call, CallStep::Answered { error, applied, revision });
    }

    /// A proposal was handed to the leader that there is.
    pub(super) fn trace_proposed(&mut self, client: RequestId, id: ProposalId) {
        let Some(to) = self.raft.lead() else { return };
        let index = (to == self.config.member).then(|| self.raft.last_index());
        let (sequence, term) = (id.sequence, self.raft.term());
        self.trace(client.0, CallStep::Proposed { sequence, to, term, index });
    }

    /// The leader that there is was asked.
    pub(super) fn trace_leader_asked(&mut self, client: RequestId) {
        if let Some(lead) = self.lead {
            self.trace(client.0, CallStep::LeaderAsked(lead));
        }
    }

    /// The leader is gone: what was handed to it may be lost.
    pub(super) fn trace_leader_lost(&mut self) {
        let tick = self.ticks;
        for proposed in self.proposals.proposed.values() {
            self.traces.note(proposed.client.0, tick, CallStep::LeaderLost);
        }
    }

    /// An entry that somebody proposed was applied.
    pub(super) fn trace_applied(&mut self, id: ProposalId, index: Index) {
        let applied = &mut self.traces.applied;
        if applied.len() == APPLIED_MAX {
            applied.pop_front();
        }
        applied.push_back((name_of(id), index));
        if let Some(client) = self.proposals.proposed.get(&id).map(|it| it.client) {
            let revision = self.store.current_revision();
            self.trace(client.0, CallStep::Applied { index, revision });
        }
    }

    pub(super) fn trace_heard(&mut self, peer: MemberId) {
        self.traces.heard.insert(peer, self.ticks);
    }

    pub(super) const fn trace_compacted(&mut self, revision: i64, index: Index) {
        self.traces.compacted = Some((revision, index));
    }

    pub(super) const fn trace_round(&mut self) {
        self.traces.writes_since = self.ticks;
    }

    /// The batch of reads that is under way asks the leader.
    pub(super) fn trace_asked(&mut self) {
        let Some(of) = self.raft.lead() else { return };
        let (tick, (context, ids)) = (self.ticks, self.reads.newest_asked());
        let step = CallStep::ReadAsked { of, context, times: 1 };
        for id in ids {
            self.traces.note(id.0, tick, step);
        }
    }

    /// The newest batch of reads was confirmed.
    pub(super) fn trace_confirmed(&mut self) {
        let tick = self.ticks;
        let (index, ids) = self.reads.newest_confirmed();
        for id in ids {
            self.traces.note(id.0, tick, CallStep::ReadConfirmed(index));
        }
    }

    /// Notes how far everything is after an input.
    pub(super) fn trace_marks(&mut self) {
        use crate::raft::Storage as _;
        let (tick, term) = (self.ticks, self.raft.term());
        let durable = self.raft.storage().last_index().min(self.raft.last_index());
        let own = [
            (Far::Appended, self.raft.last_index()),
            (Far::Durable, durable),
            (Far::Committed, self.raft.commit()),
            (Far::Applied, self.applied),
        ];
        for (far, index) in own {
            self.traces.mark(Mark { tick, term, far, index });
        }
        let member = self.config.member;
        for (id, index) in self.raft.matched().filter(|(id, _)| *id != member) {
            self.traces.mark(Mark { tick, term, far: Far::Acknowledged(id), index });
        }
    }

    // ---- what is asked ----

    /// What this member knows of these calls and proposals.
    #[must_use]
    pub fn trace_part(&self, calls: &[u64], proposals: &[ProposalName]) -> TracePart {
        let newest = |call: &u64| self.traces.calls.iter().rev().find(|it| it.call == *call);
        let calls: Vec<CallTrace> =
            calls.iter().take(ASKED_MAX).filter_map(newest).cloned().collect();
        let mut entries = Vec::new();
        let own = calls.iter().flat_map(|call| &call.steps).filter_map(|it| self.own(&it.step));
        let asked = proposals.iter().take(ASKED_MAX).map(|name| (*name, None));
        for (name, at) in own.chain(asked) {
            let is_told = entries.iter().any(|it: &EntryTrace| it.proposal == name);
            if !is_told && let Some(entry) = self.entry_trace(name, at) {
                entries.push(entry);
            }
        }
        let status = self.status();
        let conf = self.raft.conf_state();
        TracePart {
            member: status.member,
            boot: self.boot,
            tick: self.ticks,
            tick_ms: self.config.tick_ms,
            election_ticks: self.config.election_ticks,
            role: status.role,
            term: status.term,
            leader: self.lead,
            leader_known_at: self.no_leader_since,
            last_index: status.last_index,
            commit: status.commit,
            commit_term: self.raft.log_term(status.commit),
            applied: self.applied,
            revision: status.revision,
            writes_since: self.disk.is_writing().then_some(self.traces.writes_since),
            waiting: self.waiting_requests(),
            is_checking: self.is_checking(),
            voters: conf.voters,
            voters_outgoing: conf.voters_outgoing,
            heard: self.traces.heard.iter().map(|(id, tick)| (*id, *tick)).collect(),
            progress: status.progress,
            alarms: self.alarms.iter().copied().collect(),
            compacted: self.traces.compacted,
            calls,
            entries,
            reads: self.read_traces(),
        }
    }

    /// The proposal of a step, and where its entry was put, if this member did that.
    fn own(&self, step: &CallStep) -> Option<(ProposalName, Option<(Index, Term)>)> {
        let CallStep::Proposed { sequence, index, term, .. } = *step else { return None };
        let name = ProposalName { member: self.config.member, boot: self.boot, sequence };
        Some((name, index.map(|index| (index, term))))
    }

    /// Where a proposal stands in this log.
    fn find(&self, name: ProposalName) -> Option<Index> {
        let applied = self.traces.applied.iter().rev().find(|(known, _)| *known == name);
        if let Some((_, index)) = applied {
            return Some(*index);
        }
        let last = self.raft.last_index();
        let first = self.applied.next().max(Index(last.0.saturating_sub(SEARCHED_MAX)));
        let entries = self.raft.log_entries(first, last);
        entries.iter().find(|entry| proposal_of(entry) == Some(name)).map(|entry| entry.index)
    }

    fn entry_trace(
        &self,
        proposal: ProposalName,
        put: Option<(Index, Term)>,
    ) -> Option<EntryTrace> {
        let found = self.find(proposal);
        let Some(index) = found else {
            let (index, term) = put?;
            let is_lost = self.raft.log_term(index).is_some_and(|now| now != term);
            return Some(EntryTrace {
                proposal,
                index,
                term: Some(term),
                is_lost,
                ..EntryTrace::default()
            });
        };
        let term = self.raft.log_term(index);
        let at_least = term.unwrap_or_default();
        let reached = |far| self.traces.reached(far, index, at_least);
        let commit = self.raft.commit();
        let peers = self.traces.newest.iter().filter_map(|mark| match mark.far {
            Far::Acknowledged(peer) => Some((peer, reached(mark.far)?)),
            _ => None,
        });
        Some(EntryTrace {
            proposal,
            index,
            term,
            is_lost: false,
            appended: reached(Far::Appended),
            durable: reached(Far::Durable),
            committed: reached(Far::Committed).filter(|_| index <= commit),
            applied: reached(Far::Applied).filter(|_| index <= self.applied),
            acknowledged: peers.collect(),
        })
    }

    fn read_traces(&self) -> Vec<ReadTrace> {
        let of = |look: crate::raft::ReadLook| {
            let (boot, context) = look.context.split_first_chunk::<8>()?;
            let context = <[u8; 8]>::try_from(context).ok()?;
            let is_own = look.from == NO_MEMBER;
            Some(ReadTrace {
                from: if is_own { self.config.member } else { look.from },
                boot: u64::from_be_bytes(*boot),
                context: u64::from_be_bytes(context),
                index: look.index,
                by: look.by,
                is_answered: look.is_answered,
            })
        };
        if self.role != crate::raft::StateRole::Leader {
            return Vec::new();
        }
        self.raft.reads().into_iter().filter_map(of).collect()
    }
}
