//! What the next step of a call waits for, in words with figures.
//!
//! What it is: [`Teller::stuck`], sentences about the first step that has not happened.
//! What it is not: a diagnosis of the whole cluster: only what is between this call and its next step is told.
//! Invariants: a reason is told only if the page or a member said so; if none is known that is said.

use super::Traced;
use super::chain::{Handed, Place, Teller};
use super::strings::put;
use crate::api::{CallKind, CallStep, Role, TracePart};
use crate::types::{Index, MemberId};

/// A disk that has worked so long on a round is told. Unit: ms. Source: ours.
const DISK_MS: u64 = 300;
/// A peer that was not heard for so long is told. Unit: ticks. Source: ours; a heartbeat is one.
const SILENT_TICKS: u64 = 3;

impl Teller<'_> {
    pub(super) fn part(&self, member: MemberId) -> Option<&TracePart> {
        self.why.parts.get(&member).map(|(_, part)| part)
    }

    fn since(&self, member: MemberId) -> Option<String> {
        let since = self.why.since.get(&member)?;
        Some(self.time(self.why.now.0.saturating_sub(since.0)))
    }

    /// Why a member does nothing, if the page knows.
    pub(super) fn state_of(&self, member: MemberId) -> Option<String> {
        let s = self.s;
        let note = self.known.note(member)?;
        let (with, without) = if note.is_removed {
            return Some(put(s.removed, &[&note.name]));
        } else if !note.is_up {
            (s.down_since, s.down)
        } else if note.is_paused {
            (s.paused_since, s.paused)
        } else {
            return None;
        };
        Some(match self.since(member) {
            Some(since) => put(with, &[&note.name, &since]),
            None => put(without, &[&note.name]),
        })
    }

    /// Why nothing gets from one member to another, if the page knows.
    fn cut(&self, from: MemberId, to: MemberId) -> Option<String> {
        if !self.known.cuts.contains(&(from, to)) {
            return None;
        }
        let names = [self.name(from), self.name(to)];
        Some(match self.why.cut_since.get(&(from, to)) {
            Some(since) => {
                let since = self.time(self.why.now.0.saturating_sub(since.0));
                put(self.s.cut_since, &[&names[0], &names[1], &since])
            }
            None => put(self.s.cut, &[&names[0], &names[1]]),
        })
    }

    fn slow_disk(&self, member: MemberId) -> Option<String> {
        let part = self.part(member).filter(|_| self.known.is_serving(member))?;
        let ms = part.tick.saturating_sub(part.writes_since?).saturating_mul(part.tick_ms);
        let words = put(self.s.disk_since, &[&self.name(member), &self.time(ms)]);
        (ms >= DISK_MS).then_some(words)
    }

    /// Why one member does not reach another: nothing if nothing is known to be broken.
    fn broken(&self, from: MemberId, to: MemberId) -> Option<String> {
        self.state_of(to).or_else(|| self.state_of(from)).or_else(|| self.cut(from, to))
    }

    /// Why the leader has no answer of a peer for an index.
    fn unanswered(&self, leader: MemberId, peer: MemberId, index: Index) -> String {
        let s = self.s;
        let name = self.name(peer);
        let found = self
            .broken(leader, peer)
            .or_else(|| self.cut(peer, leader))
            .or_else(|| self.slow_disk(peer));
        if let Some(found) = found {
            return found;
        }
        let Some(part) = self.part(leader) else { return put(s.on_its_way, &[&name]) };
        let heard = part.heard.iter().find(|(id, _)| *id == peer).map_or(0, |(_, tick)| *tick);
        let silent = part.tick.saturating_sub(heard);
        if silent >= SILENT_TICKS {
            let since = self.time(silent.saturating_mul(part.tick_ms));
            return put(s.not_heard, &[&self.name(leader), &name, &since]);
        }
        match part.progress.iter().find(|it| it.member == peer) {
            Some(it) if it.state == "StateSnapshot" => put(s.gets_snapshot, &[&name]),
            Some(it) if it.matched < index => {
                put(s.behind, &[&name, &it.matched.to_string(), &index.to_string()])
            }
            _ => put(s.on_its_way, &[&name]),
        }
    }

    /// What those are missing for who have not answered.
    fn missing(&self, leader: MemberId, have: &[MemberId], index: Index) -> Vec<String> {
        let (new, old) = self.voters(&[leader]);
        let mut asked: Vec<MemberId> = new.iter().chain(old).copied().collect();
        crate::types::sort(&mut asked);
        asked.dedup();
        let missing = asked.into_iter().filter(|id| !have.contains(id));
        missing
            .map(|peer| {
                if peer == leader {
                    let state = self.slow_disk(peer).or_else(|| self.state_of(peer));
                    return state.unwrap_or_else(|| put(self.s.on_its_way, &[&self.name(peer)]));
                }
                self.unanswered(leader, peer, index)
            })
            .map(|reason| put(self.s.missing, &[&reason]))
            .collect()
    }

    /// Nobody leads, as far as the member that was asked knows.
    fn no_leader(&self, member: MemberId) -> Vec<String> {
        let s = self.s;
        let name = self.name(member);
        let mut said = Vec::new();
        let Some(part) = self.part(member) else { return vec![put(s.nothing_known, &[&name])] };
        let ms = part.tick.saturating_sub(part.leader_known_at).saturating_mul(part.tick_ms);
        said.push(put(s.no_leader_since, &[&name, &self.time(ms)]));
        if let Some(leader) = self.known.leader().filter(|it| it.member != member) {
            let id = leader.member;
            if let Some(why) = self.broken(id, member).or_else(|| self.cut(member, id)) {
                let values = [self.name(id), leader.term.to_string(), name, why];
                said.push(put(s.leads_unheard, &values.each_ref().map(String::as_str)));
                return said;
            }
        }
        let reach = crate::playground::insight::quorum::reachable(self.known);
        let arithmetic = self.majority(&[member], &reach);
        if self.is_majority(&[member], &reach) {
            let timeout = u64::from(part.election_ticks).saturating_mul(part.tick_ms);
            let (least, most) = (self.time(timeout), self.time(timeout.saturating_mul(2)));
            said.push(put(s.election_soon, &[&arithmetic, &least, &most]));
        } else {
            said.push(put(s.no_election, &[&arithmetic]));
            let (new, old) = self.voters(&[member]);
            let center = reach.first().copied().unwrap_or(member);
            for peer in new.iter().chain(old).filter(|id| !reach.contains(id)) {
                let why = self.broken(center, *peer).or_else(|| self.cut(*peer, center));
                said.extend(why.map(|why| put(s.missing, &[&why])));
            }
        }
        said
    }

    /// What the first step that has not happened waits for.
    pub(super) fn stuck(
        &self,
        traced: &Traced,
        handed: Option<Handed>,
        place: Option<&Place<'_>>,
    ) -> Vec<String> {
        let s = self.s;
        let member = traced.member;
        if let Some(state) = self.state_of(member) {
            return vec![put(s.sentence, &[&state])];
        }
        let steps = &traced.trace.steps;
        let last = steps.iter().rev().map(|it| it.step).find(|step| {
            !matches!(step, CallStep::Canceled | CallStep::Answered { .. } | CallStep::LeaderLost)
        });
        let mut said = match (last, handed) {
            (Some(CallStep::Applied { .. }), _) if traced.trace.kind == CallKind::Compaction => {
                vec![s.rows_going.to_owned()]
            }
            (Some(CallStep::Queued(_)), _) => self.no_leader(member),
            (Some(CallStep::Proposed { .. }), Some(handed)) => {
                self.stuck_entry(traced, handed, place)
            }
            (Some(CallStep::ReadQueued), _) => self.no_leader(member),
            (Some(CallStep::ReadAsked { of, .. }), _) => self.stuck_read(traced, of),
            (Some(CallStep::ReadConfirmed(index)), _) => self.stuck_applying(member, index),
            (Some(CallStep::LeaderAsked(of)), _) => self.stuck_asking(member, of),
            (Some(CallStep::Received), _) if traced.trace.kind == CallKind::Snapshot => {
                vec![s.pieces.to_owned()]
            }
            (Some(CallStep::Received), _) => self.stuck_at_once(member),
            _ => Vec::new(),
        };
        let mut told = Vec::new();
        said.retain(|it| {
            let is_new = !told.contains(it);
            told.push(it.clone());
            is_new
        });
        if said.is_empty() {
            said.push(s.looks_fine.to_owned());
        }
        if let Some(part) = self.part(member).filter(|part| part.waiting > 1) {
            let others = (part.waiting - 1).to_string();
            said.push(put(s.crowd, &[&others, &self.name(member)]));
        }
        said
    }

    fn stuck_at_once(&self, member: MemberId) -> Vec<String> {
        let s = self.s;
        let name = self.name(member);
        match self.part(member) {
            Some(part) if part.is_checking => vec![put(s.checking, &[&name])],
            Some(part) => vec![put(s.token_waits, &[&name, &part.applied.to_string()])],
            None => Vec::new(),
        }
    }

    /// The leader was asked for something else than a read index.
    fn stuck_asking(&self, member: MemberId, of: MemberId) -> Vec<String> {
        if let Some(why) = self.broken(member, of) {
            return vec![put(self.s.read_unheard, &[&self.name(of), &why])];
        }
        if let Some(why) = self.cut(of, member) {
            return vec![put(self.s.answer_unheard, &[&self.name(of), &self.name(member), &why])];
        }
        self.own_term(of)
    }

    /// A leader that has committed nothing of its own yet, or that leads no more.
    fn own_term(&self, leader: MemberId) -> Vec<String> {
        let s = self.s;
        let name = self.name(leader);
        let Some(part) = self.part(leader) else { return Vec::new() };
        if part.role != Role::Leader {
            return vec![put(s.leads_no_more, &[&name])];
        }
        if part.commit_term == Some(part.term) {
            return Vec::new();
        }
        let mut said = vec![put(s.own_term, &[&name, &part.term.to_string()])];
        let first = part.commit.next();
        let mut have: Vec<MemberId> =
            part.progress.iter().filter(|it| it.matched >= first).map(|it| it.member).collect();
        have.push(leader);
        said.extend(self.missing(leader, &have, first));
        said
    }

    fn stuck_read(&self, traced: &Traced, of: MemberId) -> Vec<String> {
        let s = self.s;
        let member = traced.member;
        let leader = self.name(of);
        if of != member
            && let Some(why) = self.broken(member, of)
        {
            return vec![put(s.read_unheard, &[&leader, &why])];
        }
        let read = self.read(traced).filter(|(at, _)| *at == of).map(|(_, read)| read);
        match read {
            Some(read) if read.is_answered => {
                let why = self.cut(of, member);
                let name = self.name(member);
                why.map(|why| put(s.answer_unheard, &[&leader, &name, &why])).into_iter().collect()
            }
            Some(read) => {
                let arithmetic = self.majority(&[of], &read.by);
                let by = self.names(&read.by);
                let mut said = vec![put(s.read_waits, &[&leader, &by, &arithmetic])];
                said.extend(self.missing(of, &read.by, Index(0)));
                said
            }
            None => {
                let said = self.own_term(of);
                if !said.is_empty() || of == member {
                    return said;
                }
                let why = self.cut(of, member);
                let name = self.name(member);
                why.map(|why| put(s.answer_unheard, &[&leader, &name, &why])).into_iter().collect()
            }
        }
    }

    /// What is wanted is committed and not applied yet.
    fn stuck_applying(&self, member: MemberId, index: Index) -> Vec<String> {
        let s = self.s;
        let name = self.name(member);
        let Some(part) = self.part(member) else { return Vec::new() };
        let values = [name, part.applied.to_string(), index.to_string()];
        let mut said = vec![put(s.apply_waits, &values.each_ref().map(String::as_str))];
        said.extend(self.slow_disk(member).map(|why| put(s.missing, &[&why])));
        if let Some(leader) = part.leader.filter(|leader| *leader != member) {
            let why = self.broken(leader, member).or_else(|| self.cut(member, leader));
            said.extend(why.map(|why| put(s.missing, &[&why])));
        }
        said
    }

    fn stuck_entry(
        &self,
        traced: &Traced,
        handed: Handed,
        place: Option<&Place<'_>>,
    ) -> Vec<String> {
        let s = self.s;
        let Some(place) = place else { return self.stuck_forwarded(traced, handed) };
        let index = place.index.to_string();
        if place.is_lost {
            return vec![put(s.overwritten, &[&index])];
        }
        let leader = place.leader;
        if place.is_committed() {
            return self.stuck_committed(traced.member, leader, place.index);
        }
        let near = [leader, traced.member];
        let have = place.holders();
        let arithmetic = self.majority(&near, &have);
        let term = place.term.map(|term| term.to_string()).unwrap_or_default();
        let mut said = Vec::new();
        if have.is_empty() {
            said.push(put(s.waits_nobody, &[&index, &term, &arithmetic]));
        } else {
            let by: Vec<String> = have
                .iter()
                .map(|id| {
                    let name = self.name(*id);
                    if *id == leader { put(s.itself, &[&name]) } else { name }
                })
                .collect();
            let values = [index, term, by.join(s.list_and), arithmetic];
            said.push(put(s.waits_majority, &values.each_ref().map(String::as_str)));
        }
        said.extend(self.missing(leader, &have, place.index));
        let leads = self.part(leader).is_some_and(|part| part.role == Role::Leader);
        if !leads && self.part(leader).is_some() {
            said.push(s.leader_lost.to_owned());
            if self.part(traced.member).is_some_and(|part| part.leader.is_none()) {
                said.extend(self.no_leader(traced.member));
            }
        }
        said
    }

    /// Nobody is known to have what was handed over.
    fn stuck_forwarded(&self, traced: &Traced, handed: Handed) -> Vec<String> {
        let s = self.s;
        let (member, to) = (traced.member, handed.to);
        let name = self.name(to);
        let mut said = Vec::new();
        match self.broken(member, to) {
            Some(why) => said.push(put(s.forward_lost, &[&name, &why])),
            None if self.part(to).is_none() => said.push(put(s.forward_wait, &[&name])),
            None => said.push(put(s.forward_vanished, &[&name])),
        }
        let is_lost = |step: &crate::api::TracedStep| step.step == CallStep::LeaderLost;
        if traced.trace.steps.iter().any(is_lost) {
            said.push(s.leader_lost.to_owned());
        }
        if let Some(part) = self.part(member) {
            let timeout = u64::from(part.election_ticks).saturating_mul(part.tick_ms);
            let limit = self.time(timeout.saturating_mul(2).saturating_add(5_000));
            said.push(put(s.not_again, &[&limit, &self.name(member)]));
        }
        said
    }

    /// It is committed; the member that was asked has not applied it.
    fn stuck_committed(&self, member: MemberId, leader: MemberId, index: Index) -> Vec<String> {
        let s = self.s;
        let name = self.name(member);
        let Some(part) = self.part(member) else { return vec![put(s.nothing_known, &[&name])] };
        if part.commit < index {
            let from = part.leader.unwrap_or(leader);
            let why = self
                .broken(from, member)
                .or_else(|| self.cut(member, from))
                .unwrap_or_else(|| put(s.on_its_way, &[&self.name(from)]));
            return vec![put(s.not_told, &[&name, &why])];
        }
        let behind = part.commit.0.saturating_sub(part.applied.0);
        let values = [name, part.applied.to_string(), behind.to_string(), part.commit.to_string()];
        let mut said = vec![put(s.apply_behind, &values.each_ref().map(String::as_str))];
        said.extend(self.slow_disk(member).map(|why| put(s.missing, &[&why])));
        said
    }
}
