//! The end of a run: everything is healed, and then the cluster must come to rest, write, outlive its leases, and start
//! again from its disks.
//!
//! What it is: invariants 19, 22, 23 and 24 as far as they need a run. What it is not: the judgement of the history.
//! Invariants: what the run itself asks for stands in the history like everybody's requests.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use super::{Answer, Broken, Phase, Run, broken};
use crate::api::{
    AlarmRequest, AuthenticateRequest, CompactionRequest, DefragmentRequest, DeleteRangeRequest,
    Error, PutRequest, Request, Response, Role,
};
use crate::check;
use crate::cluster::client::{Client, is_of_store};
use crate::cluster::invariants::{Violation, is_quorum};
use crate::cluster::nemesis::SLOWEST_ROUND_MS;
use crate::cluster::swarm::MEMBERS;
use crate::cluster::workload::{TTL_MAX_S, password};
use crate::types::{Index, LeaseId, MemberId, Millis};

/// Times that alarms are lifted before a run ends.
const SPACE_TRIES: u32 = 3;

/// Election timeouts within which a healed cluster must be at rest.
const HEAL_TIMEOUTS: u64 = 20;

impl Run<'_> {
    /// What can be said without a majority: whatever is committed is the same everywhere.
    pub(super) fn end_stranded(&mut self) -> Broken {
        self.say(&Phase::NoMajority);
        self.sim.last_look();
        self.take_news()
    }

    fn election_ms(&self) -> u64 {
        (self.plan.spec.tick_ms * u64::from(self.plan.spec.election_ticks)).max(50)
    }

    /// How long a healed cluster may take. A round that was begun on a slow disk ends only then.
    fn healing_ms(&self) -> u64 {
        HEAL_TIMEOUTS * self.election_ms() + u64::from(SLOWEST_ROUND_MS)
    }

    /// 23: one leader, and everybody has applied the same.
    pub(super) fn come_to_rest(&mut self) -> Broken {
        if self.rests_within(self.healing_ms())? {
            return Ok(());
        }
        if !self.plan.spec.pre_vote && self.rests_with_help()? {
            return Ok(());
        }
        if self.is_stranded() {
            self.is_stranded = true;
            return Ok(());
        }
        let states: Vec<String> = self
            .ids
            .iter()
            .map(|id| match self.sim.status(*id) {
                None => format!("{id:x} is down"),
                Some(now) => format!(
                    "{id:x} {:?} term {} leader {:?} applied {} commit {} last {}",
                    now.role, now.term, now.leader, now.applied, now.commit, now.last_index
                ),
            })
            .collect();
        broken(23, format!("not at rest after {HEAL_TIMEOUTS} election timeouts: {states:?}"))
    }

    /// Does what whoever runs a cluster without pre-vote has to do when nobody is elected.
    ///
    /// A removed member that has not heard of it can outbid those who are left for ever, as the thesis on Raft says
    /// (4.2.3). So can a member that lacks entries and has not heard who joined: whoever could be elected does not
    /// learn the higher term, since a request of a lower term gets no answer, as in etcd. Both are held up until the
    /// others have made up for the terms.
    fn rests_with_help(&mut self) -> Result<bool, Violation> {
        self.stop_former_members();
        let hopeless: Vec<MemberId> =
            self.ids.iter().copied().filter(|id| !self.may_be_elected(*id)).collect();
        for id in &hopeless {
            self.sim.pause(*id);
        }
        let terms = || self.ids.iter().filter_map(|id| self.sim.status(*id)).map(|it| it.term.0);
        let behind = terms().max().unwrap_or(0) - terms().min().unwrap_or(0);
        // A timeout is up to twice the election time.
        let rests = self.rests_within(2 * (behind + 2) * self.election_ms())?;
        for id in &hopeless {
            self.sim.resume(*id);
        }
        Ok(rests || self.rests_within(self.healing_ms())?)
    }

    /// Runs until the cluster is at rest; false if it is not in so many milliseconds.
    fn rests_within(&mut self, ms: u64) -> Result<bool, Violation> {
        let end = self.sim.now().plus(ms);
        while self.sim.now() < end {
            self.run_ms(self.plan.spec.tick_ms)?;
            self.nemesis.meet(&mut self.sim);
            self.ids = self.nemesis.ids().to_vec();
            if self.is_at_rest() {
                self.stop_former_members();
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if nobody can be elected any more, whatever the members do.
    ///
    /// Who was removed stops, and who was demoted may keep entries that were never committed; if those who are left have
    /// not heard that the change is committed, they need votes that they cannot get. Raft has no way out, nor has etcd.
    fn is_stranded(&self) -> bool {
        // A leader that is killed as it applies its own removal may be the only one who knows of it.
        let has_changed = self.nemesis.done.contains_key(MEMBERS)
            || self.ids.iter().any(|id| self.sim.was_removed(*id));
        has_changed && !self.ids.iter().any(|id| self.may_be_elected(*id))
    }

    /// True if enough members would vote for this one, by what the logs hold.
    fn may_be_elected(&self, id: MemberId) -> bool {
        let log = |id| self.sim.log_end(id);
        let Some(conf) = self.sim.conf(id) else { return false };
        (conf.voters.contains(&id) || conf.voters_outgoing.contains(&id))
            && is_quorum(&conf, |voter| log(voter).is_some_and(|end| Some(end) <= log(id)))
    }

    /// Who was removed, by whatever name.
    fn former_members(&self) -> Vec<MemberId> {
        let all = self.sim.members().iter().map(|member| member.id);
        all.filter(|id| !self.ids.contains(id)).collect()
    }

    /// Who was removed, and did not hear of it, hears nothing more at all.
    fn stop_former_members(&mut self) {
        for id in self.former_members() {
            self.sim.kill(id);
        }
    }

    fn is_at_rest(&self) -> bool {
        let all: Vec<_> = self.ids.iter().filter_map(|id| self.sim.status(*id)).collect();
        let Some(leader) = all.iter().find(|now| now.role == Role::Leader) else { return false };
        all.len() == self.ids.len()
            && all.iter().all(|now| {
                now.leader == Some(leader.member)
                    && now.term == leader.term
                    && now.applied == leader.last_index
                    && now.commit == leader.last_index
            })
    }

    /// 22 and 23: a write succeeds, and every open watch gets there.
    pub(super) fn catch_up(&mut self) -> Broken {
        let conf = self.sim.newest_members().map(|(_, _, conf)| conf).unwrap_or_default();
        let member = conf.voters.first().copied().unwrap_or_default();
        let revision = self.put(member)?;
        let watches: u64 = self.clients.iter().map(Client::open_watches).sum();
        // Watches that lag are served one batch a tick.
        self.run_ms(self.plan.spec.tick_ms * (4 * watches + 10))?;
        for client in &self.clients {
            client.must_have_reached(&mut self.notes, revision);
        }
        self.come_to_rest()?;
        self.sim.last_look();
        self.take_news()
    }

    /// A write, asked for again while the member refuses it: its leadership may be on the move.
    fn put(&mut self, member: MemberId) -> Result<i64, Violation> {
        let mut end = self.sim.now().plus(self.healing_ms());
        let mut freed = 0_u32;
        let mut last = None;
        while self.sim.now() < end {
            let request = Request::Put(PutRequest {
                key: Bytes::from_static(b"k-end"),
                value: Bytes::from(format!("end{}", self.notes.moment)),
                ..PutRequest::default()
            });
            match self.ask(member, request)? {
                Some(Ok(Response::Put(put))) => return Ok(put.header.revision),
                // The write that finds the disk full raises the alarm.
                Some(Err(Error::NoSpace)) if freed < 2 => {
                    self.come_to_rest()?;
                    // What is left after a compaction may be too much by itself.
                    if freed > 0 {
                        self.delete_everything()?;
                    }
                    self.free_space()?;
                    freed += 1;
                    end = self.sim.now().plus(self.healing_ms());
                }
                other => {
                    last = other;
                    self.run_ms(self.plan.spec.tick_ms)?;
                }
            }
        }
        broken(23, format!("a write does not succeed although everything is healed: {last:?}"))
    }

    /// Asks as the administrator, who logs in first if that is needed; the history has it.
    fn ask(&mut self, member: MemberId, request: Request) -> Result<Answer, Violation> {
        let is_on = self.sim.invariants_mut().is_some_and(|all| all.is_auth_enabled());
        if is_on && self.token.is_none() {
            let (name, password) = ("root".to_owned(), password("root"));
            let login = Request::Authenticate(AuthenticateRequest { name, password });
            if let Some(Ok(Response::Authenticate(granted))) = self.ask_as(member, None, &login)? {
                self.token = Some(granted.token);
            }
        }
        self.ask_as(member, self.token.clone(), &request)
    }

    /// Asks again while nobody answers: a leader that hands its leadership over drops what followers forward to it.
    fn ask_as(
        &mut self,
        member: MemberId,
        token: Option<String>,
        request: &Request,
    ) -> Result<Answer, Violation> {
        let end = self.sim.now().plus(self.healing_ms());
        loop {
            let answer = self.ask_once(member, token.clone(), request.clone())?;
            if answer.is_some() || self.sim.now() >= end {
                return Ok(answer);
            }
        }
    }

    fn ask_once(
        &mut self,
        member: MemberId,
        token: Option<String>,
        request: Request,
    ) -> Result<Answer, Violation> {
        let invoked = self.notes.now();
        let call = self.sim.request_as(member, token, request.clone());
        self.own = Some((call, None));
        // A transfer ends within one election timeout; the disk may be at work for so long.
        let patience_ms = 2 * self.election_ms() + u64::from(SLOWEST_ROUND_MS);
        let answer = self.own_answer(self.sim.now().plus(patience_ms))?;
        let outcome = match &answer {
            Some(Err(error)) if check::is_ambiguous(*error) => check::Outcome::Unknown,
            // Refused before it went anywhere, as during a transfer of the leadership.
            Some(Err(error)) if !is_of_store(*error) => return Ok(answer),
            Some(result) => {
                check::Outcome::Returned { at: self.notes.now(), result: result.clone() }
            }
            None => check::Outcome::Unknown,
        };
        let client = u32::MAX;
        let operation = check::Operation { client, request, invoked, outcome };
        self.notes.history.operations.push(operation);
        Ok(answer)
    }

    /// The answer to the run's own request; `None` if it was not answered.
    fn own_answer(&mut self, end: Millis) -> Result<Answer, Violation> {
        while self.sim.now() < end {
            self.step()?;
            if let Some((_, Some(answer))) = self.own.take_if(|(_, answer)| answer.is_some()) {
                return Ok(answer);
            }
        }
        Ok(None)
    }

    /// Who leads a cluster that is at rest.
    fn leader(&self) -> MemberId {
        let leads =
            |id: &MemberId| self.sim.status(*id).is_some_and(|status| status.role == Role::Leader);
        self.ids.iter().copied().find(leads).unwrap_or_default()
    }

    fn delete_everything(&mut self) -> Broken {
        let sizes: Vec<_> =
            self.ids.iter().filter_map(|id| self.sim.status(*id)).map(|now| now.db_size).collect();
        let quota = self.plan.spec.quota_bytes;
        self.say(&Phase::Deletes(format!("{sizes:?}"), quota));
        let (key, range_end) = (Bytes::from_static(b"\0"), Bytes::from_static(b"\0"));
        let all = DeleteRangeRequest { key, range_end, prev_kv: false };
        let leader = self.leader();
        self.ask(leader, Request::DeleteRange(all))?;
        self.come_to_rest()
    }

    /// Lifts what alarms there are, as etcd's documentation says how.
    pub(super) fn free_space(&mut self) -> Broken {
        for _ in 0..SPACE_TRIES {
            let alarms = self.sim.invariants_mut().map(|all| all.alarms()).unwrap_or_default();
            if alarms.is_empty() {
                return Ok(());
            }
            self.say(&Phase::Lifts(format!("{alarms:?}")));
            let ids = self.ids.clone();
            let leader = self.leader();
            let revision = self.sim.invariants_mut().map_or(0, |all| all.model().revision());
            let compaction = CompactionRequest { revision, physical: true };
            self.ask(leader, Request::Compaction(compaction))?;
            self.come_to_rest()?;
            for id in ids {
                self.ask(id, Request::Defragment(DefragmentRequest {}))?;
            }
            for alarm in alarms {
                self.ask(leader, Request::Alarm(AlarmRequest::Disarm(alarm)))?;
            }
            self.come_to_rest()?;
        }
        broken(23, "an alarm comes again although there is space")
    }

    /// 19: without keep-alives every lease ends, and its keys with it.
    pub(super) fn outlive_leases(&mut self) -> Broken {
        let election_ms = self.election_ms();
        let wait_ms = 1000 * u64::try_from(TTL_MAX_S).unwrap_or(0) + 4 * election_ms + 3_000;
        let end = self.sim.now().plus(wait_ms);
        loop {
            let lives: Vec<LeaseId> = self
                .sim
                .invariants_mut()
                .map(|all| all.model().leases())
                .into_iter()
                .flatten()
                .filter(|(_, ttl)| **ttl <= TTL_MAX_S)
                .map(|(id, _)| *id)
                .collect();
            if lives.is_empty() {
                return self.come_to_rest();
            }
            if self.sim.now() >= end {
                return broken(19, format!("after {wait_ms} ms there still are {lives:?}"));
            }
            self.run_ms(self.plan.spec.tick_ms)?;
        }
    }

    fn hashes(&mut self) -> BTreeMap<MemberId, (Index, i64, i64, Option<u32>)> {
        let ids = self.ids.clone();
        ids.into_iter().filter_map(|id| Some((id, self.sim.look_inside(id)?))).collect()
    }

    /// 24: the disks alone give the same stores.
    pub(super) fn restart_from_disk(&mut self) -> Broken {
        let before = self.hashes();
        let equal: BTreeSet<_> =
            before.values().map(|(_, rev, com, hash)| (*rev, *com, *hash)).collect();
        if equal.len() != 1 {
            return broken(15, format!("members differ at rest: {before:?}"));
        }
        self.say(&Phase::Restart);
        for id in self.ids.clone() {
            self.sim.kill(id);
        }
        for id in self.ids.clone() {
            self.sim.restart(id);
        }
        self.come_to_rest()?;
        if self.is_stranded {
            return self.end_stranded();
        }
        let after: BTreeSet<_> =
            self.hashes().values().map(|(_, rev, com, hash)| (*rev, *com, *hash)).collect();
        if after != equal {
            return broken(24, format!("before the restart {equal:?}, after it {after:?}"));
        }
        self.sim.last_look();
        self.take_news()
    }
}
