//! What was seen in a run, for claims.
//!
//! What it is: answers, watch messages and events, gathered by the lab from its first moment on, and from where claims count.
//! What it is not: the checks of the page's tutorial (see `check`), nor a judge (see `judge`).
//! Invariants: memory is bounded: of each kind the newest [`KEPT_MAX`] are kept; nothing here asks the cluster anything.

use bytes::Bytes;

use crate::api;
use crate::scenario::claim::EventKind;
use crate::scenario::told::{Saying, Told};
use crate::scenario::world::World;
use crate::types::{LeaseId, MemberId, SmallMap, Term};

/// Most answers, events and messages of a kind that are kept.
pub const KEPT_MAX: usize = 10_000;

/// A put that was acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The key.
    pub key: Bytes,
    /// The value.
    pub value: Bytes,
    /// The revision it got.
    pub revision: i64,
    is_before_mark: bool,
}

/// A get that was answered.
#[derive(Clone, Debug)]
pub(super) struct SeenRead {
    pub(super) revision: i64,
    pub(super) kvs: Vec<(Bytes, Bytes)>,
}

/// A key range that a console watches.
#[derive(Clone, Debug)]
struct Watched {
    key: Bytes,
    range_end: Bytes,
    /// The first revision it is to see; `None` until the member said.
    start: Option<i64>,
    has_filters: bool,
}

/// The watches of a console's last command.
#[derive(Clone, Debug, Default)]
pub(super) struct Watching {
    ranges: Vec<Watched>,
    seen: Vec<(i64, Bytes)>,
    /// Since the mark: keys and values of each message.
    messages: Vec<Vec<(Bytes, Bytes)>>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    pub(super) base_leader: Option<MemberId>,
    pub(super) base_term: u64,
    pub(super) base_revision: u64,
    /// Since the mark.
    pub(super) events: Vec<(MemberId, EventKind)>,
    /// Since the last thing that was done to the cluster.
    pub(super) fresh: Vec<(MemberId, EventKind)>,
    writes: Vec<Write>,
    pub(super) refused: Vec<(Bytes, Bytes)>,
    pub(super) reads: Vec<SeenRead>,
    pub(super) reads_failed: u64,
    pub(super) hashes: SmallMap<MemberId, (u32, i64)>,
    watching: SmallMap<u32, Watching>,
    lease: Option<LeaseId>,
}

fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() >= KEPT_MAX {
        list.remove(0);
    }
    list.push(item);
}

/// The highest term and revision of members that run.
pub(super) fn highest(world: &World) -> (u64, u64) {
    let statuses = || world.members.iter().filter_map(|view| view.status.as_ref());
    let term = statuses().map(|status| status.term).max().unwrap_or(Term(0));
    let revision = statuses().map(|status| status.revision).max().unwrap_or_default();
    (term.0, u64::try_from(revision).unwrap_or_default())
}

impl Witness {
    /// Claims count from now on.
    pub fn mark(&mut self, world: &World) {
        self.base_leader = world.leader();
        (self.base_term, self.base_revision) = highest(world);
        self.events.clear();
        self.refused.clear();
        self.reads.clear();
        self.reads_failed = 0;
        self.hashes.clear();
        for write in &mut self.writes {
            write.is_before_mark = true;
        }
        for (_, watching) in self.watching.iter_mut() {
            watching.messages.clear();
        }
    }

    /// Something is done to the cluster.
    pub fn acted(&mut self) {
        self.fresh.clear();
    }

    /// A member told what it did.
    pub fn saw_event(&mut self, member: MemberId, event: &api::MemberEvent) {
        let kind = match event {
            api::MemberEvent::Started { .. } => EventKind::Started,
            api::MemberEvent::PreVoteStarted { .. } => EventKind::PreVote,
            api::MemberEvent::CampaignStarted { .. } => EventKind::Campaign,
            api::MemberEvent::BecameLeader { .. } => EventKind::Elected,
            api::MemberEvent::SteppedDown { .. } => EventKind::SteppedDown,
            api::MemberEvent::LeaderChanged { leader: None, .. } => EventKind::LeaderLost,
            api::MemberEvent::LeaderChanged { leader: Some(_), .. } => EventKind::LeaderFound,
            api::MemberEvent::ConfChanged { .. } => EventKind::Configured,
            api::MemberEvent::Removed => EventKind::Removed,
            api::MemberEvent::ApplyTookTooLong { .. } => EventKind::SlowApply,
            api::MemberEvent::SlowDisk { .. } => EventKind::SlowDisk,
            api::MemberEvent::SnapshotInstalled { .. } => EventKind::Snapshot,
        };
        push(&mut self.events, (member, kind));
        push(&mut self.fresh, (member, kind));
    }

    /// A member answered.
    pub fn saw_answer(
        &mut self,
        member: MemberId,
        request: &api::Request,
        result: &Result<api::Response, api::Error>,
    ) {
        match (request, result) {
            (_, Err(_)) => self.saw_failure(request),
            (api::Request::Range(asked), Ok(api::Response::Range(answer))) => {
                let kvs = answer.kvs.iter().map(|kv| (kv.key.clone(), kv.value.clone())).collect();
                push(&mut self.reads, SeenRead { revision: asked.revision, kvs });
            }
            (api::Request::Put(put), Ok(api::Response::Put(answer))) => {
                self.wrote(put, answer.header.revision);
            }
            (api::Request::Txn(asked), Ok(api::Response::Txn(answer))) => {
                let taken = if answer.succeeded { &asked.success } else { &asked.failure };
                for operation in taken {
                    if let api::RequestOp::Put(put) = operation {
                        self.wrote(put, answer.header.revision);
                    }
                }
            }
            (_, Ok(api::Response::LeaseGrant(answer))) => self.lease = Some(answer.id),
            (_, Ok(api::Response::HashKv(answer))) => {
                self.hashes.insert(member, (answer.hash, answer.header.revision));
            }
            _ => {}
        }
    }

    fn wrote(&mut self, put: &api::PutRequest, revision: i64) {
        // With neither value nor lease of its own it is not known what was written.
        if !(put.ignore_value || put.ignore_lease) {
            let (key, value) = (put.key.clone(), put.value.clone());
            push(&mut self.writes, Write { key, value, revision, is_before_mark: false });
        }
    }

    /// A request was refused, given up, or reached nobody.
    pub fn saw_failure(&mut self, request: &api::Request) {
        match request {
            api::Request::Range(asked) if !asked.serializable => self.reads_failed += 1,
            api::Request::Put(asked) => {
                push(&mut self.refused, (asked.key.clone(), asked.value.clone()));
            }
            _ => {}
        }
    }

    /// A command begins in a console.
    pub fn command_began(&mut self, console: u32) {
        self.watching.remove(&console);
    }

    /// A console's command asks for a watch.
    pub fn watch_asked(&mut self, console: u32, request: &api::WatchRequest) {
        let api::WatchRequest::Create(create) = request else { return };
        let watching = self.watching.get_or_insert_with(console, Watching::default);
        let is_same =
            |range: &Watched| range.key == create.key && range.range_end == create.range_end;
        // A watch that is opened again goes on with the same range.
        if watching.ranges.len() < KEPT_MAX && !watching.ranges.iter().any(is_same) {
            watching.ranges.push(Watched {
                key: create.key.clone(),
                range_end: create.range_end.clone(),
                start: (create.start_revision > 0).then_some(create.start_revision),
                has_filters: !create.filters.is_empty(),
            });
        }
    }

    /// A console's watch got a message.
    pub fn saw_watch(&mut self, console: u32, response: &api::WatchResponse) {
        let watching = self.watching.get_or_insert_with(console, Watching::default);
        if response.created
            && let Some(range) = watching.ranges.iter_mut().find(|range| range.start.is_none())
        {
            range.start = Some(response.header.revision.saturating_add(1));
        }
        if response.events.is_empty() {
            return;
        }
        let events = response.events.iter();
        let kvs = events.map(|event| (event.kv.key.clone(), event.kv.value.clone())).collect();
        push(&mut watching.messages, kvs);
        for event in &response.events {
            push(&mut watching.seen, (event.kv.mod_revision, event.kv.key.clone()));
        }
    }

    /// The lease that was granted last.
    #[must_use]
    pub const fn lease(&self) -> Option<LeaseId> {
        self.lease
    }

    /// Every put that was acknowledged, oldest first.
    #[must_use]
    pub fn writes(&self) -> &[Write] {
        &self.writes
    }

    /// The same since the mark.
    pub(super) fn fresh_writes(&self) -> impl Iterator<Item = &Write> {
        self.writes.iter().filter(|write| !write.is_before_mark)
    }

    /// The messages of a console's watches since the mark.
    pub(super) fn messages(&self, console: u32) -> &[Vec<(Bytes, Bytes)>] {
        self.watching.get(&console).map(|watching| watching.messages.as_slice()).unwrap_or_default()
    }

    /// Why a console's watch did not see each event once; `Ok` with the number that it saw.
    pub(super) fn each_once(&self, console: u32) -> Result<u64, Told> {
        let watching = self.watching.get(&console).filter(|watching| !watching.ranges.is_empty());
        let Some(watching) = watching else {
            return Err(Told::of(Saying::NoWatch, console));
        };
        let told = |saying, key: &Bytes, revision: i64| {
            Told::of(saying, String::from_utf8_lossy(key)).and(revision)
        };
        let (mut last, is_single) = (0, watching.ranges.len() == 1);
        for (revision, key) in &watching.seen {
            if *revision < last && is_single {
                return Err(told(Saying::SawAfter, key, *revision).and(last));
            }
            last = last.max(*revision);
        }
        let mut sorted: Vec<&(i64, Bytes)> = watching.seen.iter().collect();
        sorted.sort_unstable();
        for same in sorted.chunk_by(|one, other| one == other) {
            let Some((revision, key)) = same.first() else { continue };
            let ranges = watching.ranges.iter().filter(|range| range.holds(key)).count();
            if same.len() > ranges.max(1) {
                return Err(told(Saying::SawTwice, key, *revision));
            }
        }
        for write in &self.writes {
            let is_wanted = |range: &Watched| {
                let has_begun = range.start.is_some_and(|start| start <= write.revision);
                !range.has_filters && has_begun && range.holds(&write.key)
            };
            let is_seen = || {
                let found = sorted.binary_search_by(|(revision, key)| {
                    (*revision, key).cmp(&(write.revision, &write.key))
                });
                found.is_ok()
            };
            if watching.ranges.iter().any(is_wanted) && !is_seen() {
                return Err(told(Saying::Missed, &write.key, write.revision));
            }
        }
        Ok(u64::try_from(watching.seen.len()).unwrap_or(u64::MAX))
    }
}

impl Watched {
    fn holds(&self, key: &Bytes) -> bool {
        match self.range_end.as_ref() {
            [] => *key == self.key,
            [0] => *key >= self.key,
            end => *key >= self.key && key.as_ref() < end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(key: &'static str, revision: i64) -> (api::Request, Result<api::Response, api::Error>) {
        let request = api::PutRequest {
            key: Bytes::from_static(key.as_bytes()),
            value: Bytes::from_static(b"v"),
            ..api::PutRequest::default()
        };
        let header = api::ResponseHeader { revision, ..api::ResponseHeader::default() };
        let answer = api::PutResponse { header, prev_kv: None };
        (api::Request::Put(request), Ok(api::Response::Put(answer)))
    }

    fn message(revisions: &[i64]) -> api::WatchResponse {
        let event = |revision: &i64| api::Event {
            event_type: api::EventType::Put,
            kv: api::KeyValue {
                key: Bytes::from_static(b"a"),
                mod_revision: *revision,
                ..api::KeyValue::default()
            },
            prev_kv: None,
        };
        let events = revisions.iter().map(event).collect();
        api::WatchResponse { events, ..api::WatchResponse::default() }
    }

    fn watching() -> Witness {
        let mut witness = Witness::default();
        let create = api::WatchCreateRequest {
            key: Bytes::from_static(b"a"),
            start_revision: 3,
            ..api::WatchCreateRequest::default()
        };
        witness.watch_asked(2, &api::WatchRequest::Create(create.clone()));
        witness.watch_asked(2, &api::WatchRequest::Create(create));
        for (key, revision) in [("a", 2), ("a", 3), ("b", 4), ("a", 5)] {
            let (request, answer) = put(key, revision);
            witness.saw_answer(MemberId(1), &request, &answer);
        }
        witness
    }

    #[test]
    fn a_watch_that_missed_repeated_or_mixed_something_is_told_apart() {
        type Case<'case> = (&'case [&'case [i64]], Result<u64, &'case str>);
        let cases: [Case<'_>; 5] = [
            (&[&[3], &[5]], Ok(2)),
            (&[&[3, 5]], Ok(2)),
            (&[&[5]], Err("it did not see a of revision 3")),
            (&[&[3], &[3], &[5]], Err("it saw a of revision 3 twice")),
            (&[&[5], &[3]], Err("it saw a of revision 3 after revision 5")),
        ];
        for (messages, wanted) in cases {
            let mut witness = watching();
            for revisions in messages {
                witness.saw_watch(2, &message(revisions));
            }
            let seen = witness.each_once(2).map_err(|why| why.to_string());
            assert_eq!(seen, wanted.map_err(str::to_owned), "{messages:?}");
        }
        assert!(watching().each_once(3).unwrap_err().to_string().contains("no watch"));
        let mut again = watching();
        again.command_began(2);
        assert!(again.each_once(2).is_err(), "another command has another watch");
    }

    #[test]
    fn what_was_before_the_mark_does_not_count_and_writes_are_kept() {
        let mut witness = watching();
        let (request, _) = put("a", 0);
        witness.saw_answer(MemberId(1), &request, &Err(api::Error::Timeout));
        assert_eq!((witness.fresh_writes().count(), witness.refused.len()), (4, 1));
        witness.saw_event(MemberId(1), &api::MemberEvent::BecameLeader { term: Term(3) });
        witness.mark(&World::default());
        assert_eq!((witness.fresh_writes().count(), witness.refused.len()), (0, 0));
        assert_eq!((witness.writes().len(), witness.events.len(), witness.fresh.len()), (4, 0, 1));
        witness.acted();
        assert!(witness.fresh.is_empty());
    }
}
