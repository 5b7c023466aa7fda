//! A simulated cluster with what its news said, for tests of the server.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;

use bytes::Bytes;
use etcd_playground::api::{
    self, CompactionRequest, HashKvRequest, MemberAddRequest, MemberAddResponse, PutRequest,
    RangeRequest, Request, Response, Role, WatchCreateRequest, WatchRequest, WatchResponse,
};
use etcd_playground::cluster::{CallId, SimNews, Simulation, SimulationSpec};
use etcd_playground::etcdserver::ServerConfig;
use etcd_playground::membership::peer_url;
use etcd_playground::types::MemberId;

/// A simulation and what it told.
pub(crate) struct Run {
    pub(crate) sim: Simulation,
    replies: BTreeMap<CallId, Result<Response, String>>,
    pub(crate) down: Vec<(MemberId, String)>,
    pub(crate) watched: BTreeMap<CallId, Vec<WatchResponse>>,
    pub(crate) ended: BTreeMap<CallId, api::Error>,
    pub(crate) parts: BTreeMap<CallId, Vec<Response>>,
    pub(crate) kept_alive: BTreeMap<CallId, Vec<api::LeaseKeepAliveResponse>>,
    pub(crate) member_events: Vec<(MemberId, api::MemberEvent)>,
}

impl Run {
    pub(crate) fn new(members: u32, seed: u64, configure: impl Fn(&mut ServerConfig)) -> Self {
        let spec = SimulationSpec { members, seed, ..Default::default() };
        Self {
            sim: Simulation::with_config(spec, configure),
            replies: BTreeMap::new(),
            down: Vec::new(),
            watched: BTreeMap::new(),
            ended: BTreeMap::new(),
            parts: BTreeMap::new(),
            kept_alive: BTreeMap::new(),
            member_events: Vec::new(),
        }
    }

    /// A cluster of one whose log no longer reaches back to its first entries.
    pub(crate) fn with_short_log(seed: u64) -> (Self, MemberId) {
        let mut run = Self::new(1, seed, |config| {
            config.snapshot_count = 10;
            config.snapshot_catchup_entries = 1;
        });
        let only = run.wait_leader();
        run.puts(only, 30);
        (run, only)
    }

    /// Adds infra4 as a learner; it does not run yet.
    pub(crate) fn add_learner(&mut self, asked: MemberId) -> MemberAddResponse {
        let add = MemberAddRequest { peer_urls: vec![peer_url(4)], is_learner: true };
        match self.ask(asked, Request::MemberAdd(add)) {
            Ok(Response::MemberAdd(added)) => added,
            other => panic!("no member was added: {other:?}"),
        }
    }

    pub(crate) fn ids(&self) -> Vec<MemberId> {
        self.sim.members().iter().map(|member| member.id).collect()
    }

    fn take_news(&mut self) {
        while let Some(news) = self.sim.poll() {
            match news {
                SimNews::Reply { call, result } => {
                    self.replies.insert(call, result.map_err(|error| error.to_string()));
                }
                SimNews::CallFailed { call, .. } => {
                    self.replies.insert(call, Err("failed".to_owned()));
                }
                SimNews::Watch { call, response } => {
                    self.watched.entry(call).or_default().push(response);
                }
                SimNews::ReplyPart { call, part } => {
                    self.parts.entry(call).or_default().push(part);
                }
                SimNews::KeepAlive { call, response } => {
                    self.kept_alive.entry(call).or_default().push(response);
                }
                SimNews::MemberEvent { member, event } => self.member_events.push((member, event)),
                SimNews::StreamEnded { call, error } => {
                    self.ended.insert(call, error);
                }
                SimNews::MemberDown { member, reason } => self.down.push((member, reason)),
                _ => {}
            }
        }
    }

    pub(crate) fn run_ms(&mut self, ms: u64) {
        let end = self.sim.now().plus(ms);
        self.sim.run_until(end);
        self.take_news();
    }

    pub(crate) fn leader(&self) -> Option<MemberId> {
        let led = self.ids().into_iter().filter_map(|id| Some((id, self.sim.status(id)?)));
        let leaders = led.filter(|(_, status)| status.role == Role::Leader);
        leaders.max_by_key(|(_, status)| status.term).map(|(id, _)| id)
    }

    /// Runs until a majority of those that run follow one leader.
    pub(crate) fn wait_leader(&mut self) -> MemberId {
        for _ in 0..300 {
            self.run_ms(100);
            if let Some(leader) = self.leader() {
                let statuses: Vec<_> =
                    self.ids().iter().filter_map(|id| self.sim.status(*id)).collect();
                let followers =
                    statuses.iter().filter(|status| status.leader == Some(leader)).count();
                if followers > statuses.len() / 2 {
                    return leader;
                }
            }
        }
        let statuses: Vec<_> = self.ids().iter().map(|id| (*id, self.sim.status(*id))).collect();
        let seed = self.sim.spec().seed;
        panic!("no leader within 30 s; seed={seed} {statuses:#?} {:?}", self.down);
    }

    pub(crate) fn follower(&self) -> MemberId {
        let leader = self.leader();
        self.ids().into_iter().find(|id| Some(*id) != leader).unwrap()
    }

    pub(crate) fn ask(&mut self, member: MemberId, request: Request) -> Result<Response, String> {
        self.ask_as(member, None, request)
    }

    /// With what a login gave.
    pub(crate) fn ask_as(
        &mut self,
        member: MemberId,
        token: Option<&str>,
        request: Request,
    ) -> Result<Response, String> {
        let call = self.sim.request_as(member, token.map(str::to_owned), request);
        let limit = self.sim.now().plus(60_000);
        while self.sim.now() < limit {
            if let Some(reply) = self.replies.remove(&call) {
                return reply;
            }
            self.sim.step();
            self.take_news();
        }
        Err("no answer".to_owned())
    }

    /// What was answered to a call, if it was.
    pub(crate) fn reply(&mut self, call: CallId) -> Option<Result<Response, String>> {
        self.replies.remove(&call)
    }

    /// As a client with etcdctl's command timeout.
    pub(crate) fn ask_5s(
        &mut self,
        member: MemberId,
        request: Request,
    ) -> Result<Response, String> {
        let call = self.sim.request(member, request);
        self.run_ms(5_000);
        self.sim.cancel(call);
        self.replies.remove(&call).unwrap_or_else(|| Err("context deadline exceeded".to_owned()))
    }

    pub(crate) fn put(&mut self, to: MemberId, key: &str, value: &str) -> Result<i64, String> {
        match self.ask(to, put(key, value))? {
            Response::Put(response) => Ok(response.header.revision),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn puts(&mut self, to: MemberId, count: u64) {
        for number in 0..count {
            self.put(to, &format!("k{}", number % 7), &format!("v{number}")).unwrap();
        }
    }

    pub(crate) fn get(
        &mut self,
        member: MemberId,
        key: &str,
        serializable: bool,
    ) -> Result<Option<String>, String> {
        let key = Bytes::copy_from_slice(key.as_bytes());
        let range = RangeRequest { key, serializable, ..Default::default() };
        match self.ask(member, Request::Range(range))? {
            Response::Range(found) => {
                Ok(found.kvs.first().map(|kv| String::from_utf8_lossy(&kv.value).into_owned()))
            }
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn hash(&mut self, member: MemberId) -> (u32, i64, i64) {
        match self.ask(member, Request::HashKv(HashKvRequest { revision: 0 })) {
            Ok(Response::HashKv(hash)) => (hash.hash, hash.hash_revision, hash.compact_revision),
            other => panic!("{other:?}"),
        }
    }

    /// All that run hold the same data.
    pub(crate) fn assert_equal(&mut self) {
        let up: Vec<MemberId> = self.ids().into_iter().filter(|id| self.sim.is_up(*id)).collect();
        self.assert_these_equal(&up);
    }

    /// These hold the same data.
    pub(crate) fn assert_these_equal(&mut self, up: &[MemberId]) {
        let hashes: Vec<_> = up.iter().map(|id| (*id, self.hash(*id))).collect();
        assert!(hashes.windows(2).all(|two| two[0].1 == two[1].1), "{hashes:?}");
    }

    pub(crate) fn compact(&mut self, to: MemberId, revision: i64) {
        let request = CompactionRequest { revision, physical: true };
        self.ask(to, Request::Compaction(request)).unwrap();
    }

    pub(crate) fn watch(&mut self, member: MemberId, key: &str, start_revision: i64) -> CallId {
        let create = WatchCreateRequest {
            key: Bytes::copy_from_slice(key.as_bytes()),
            start_revision,
            ..Default::default()
        };
        self.sim.open_watch(member, WatchRequest::Create(create))
    }

    /// Revisions of the events a watch has got.
    pub(crate) fn events(&self, watch: CallId) -> Vec<i64> {
        let responses = self.watched.get(&watch).map(Vec::as_slice).unwrap_or_default();
        let events = responses.iter().flat_map(|response| &response.events);
        events.map(|event| event.kv.mod_revision).collect()
    }

    /// The file that `snapshot save` gets, with its digest.
    pub(crate) fn save(&mut self, member: MemberId) -> Result<Vec<u8>, String> {
        let call = self.sim.request(member, Request::Snapshot(api::SnapshotRequest {}));
        let limit = self.sim.now().plus(60_000);
        while self.sim.now() < limit {
            let Some(last) = self.replies.remove(&call) else {
                self.sim.step();
                self.take_news();
                continue;
            };
            let last = last?;
            let mut file = Vec::new();
            for part in self.parts.remove(&call).unwrap_or_default().iter().chain([&last]) {
                let Response::Snapshot(part) = part else { panic!("{part:?}") };
                file.extend_from_slice(&part.blob);
            }
            return Ok(file);
        }
        Err("no answer".to_owned())
    }

    /// A number of a running member's metrics.
    pub(crate) fn metric(&self, member: MemberId, name: &str) -> i64 {
        let metrics = self.sim.metrics(member).unwrap();
        let found = metrics.iter().find(|metric| metric.name == name);
        found.unwrap_or_else(|| panic!("no metric {name}")).number().unwrap()
    }

    /// Nobody crashed or refused to start.
    pub(crate) fn assert_nobody_crashed(&self) {
        let crashed = self.down.iter().find(|(_, reason)| reason != "killed");
        assert!(crashed.is_none(), "{crashed:?} seed={}", self.sim.spec().seed);
    }
}

pub(crate) fn put(key: &str, value: &str) -> Request {
    Request::Put(PutRequest {
        key: Bytes::copy_from_slice(key.as_bytes()),
        value: Bytes::copy_from_slice(value.as_bytes()),
        ..Default::default()
    })
}
