//! Checks of a lesson: what must have been seen before its next step is offered.
//!
//! What it is: [`Facts`], gathered by whoever drives a cluster (page or lab) since a step began, and
//! [`Check`], a closed set of questions about them.
//! What it is not: a judge of printed text; checks read answers and events of the engine.
//! Invariants: a check is a pure function of the facts; facts of an earlier step never count, except
//! the picture of the cluster, which is always the newest; memory is bounded.

use bytes::Bytes;

use crate::api;
use crate::scenario::world::World;
use crate::types::{MemberId, SmallMap, SmallSet, Term};

/// Most answers and watch messages kept for one step; older ones go first.
const FACTS_MAX: usize = 1_000;

/// One question. All texts are keys and values as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// A leader is followed by a majority, and no other member in touch with it leads.
    OneLeader,
    /// Every running member answered `endpoint status`.
    StatusOfAll,
    /// A read of the newest revision answered this value.
    Read(&'static str, &'static str),
    /// A read at a revision answered this value.
    ReadAt(&'static str, i64, &'static str),
    /// A put of this value was acknowledged.
    Wrote(&'static str, &'static str),
    /// An acknowledged put got the revision after the one the step began with.
    NextRevision,
    /// One watch message held exactly these values of the key.
    WatchMessage(&'static str, &'static [&'static str]),
    /// The leader is another one than when the step began.
    NewLeader,
    /// The term is higher than when the step began.
    TermRose,
    /// Exactly one election was won.
    OneElection,
    /// Exactly so many members run.
    Running(u32),
    /// Every member runs.
    AllRun,
    /// `endpoint hashkv` of every member gave the same hash of the same revision.
    AllHashesEqual,
    /// A linearizable read got no answer.
    ReadFailed,
    /// A serializable read was answered.
    SerializableRead(&'static str),
    /// A put of this value was not acknowledged.
    WriteFailed(&'static str),
    /// A member was cut off from all the others in this step.
    WasIsolated,
    /// No link is cut.
    LinksWhole,
    /// Every member started again from a disk that was not fresh.
    AllRestarted,
}

/// A read that was answered.
#[derive(Clone, Debug)]
struct Read {
    revision: i64,
    serializable: bool,
    kvs: Vec<(Bytes, Bytes)>,
}

/// A request without an answer.
#[derive(Clone, Debug)]
enum Failed {
    LinearizableRead,
    Put(Bytes),
}

/// What was seen since the step began.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    world: World,
    base_leader: Option<MemberId>,
    base_term: Term,
    base_revision: i64,
    statuses: SmallSet<MemberId>,
    hashes: SmallMap<MemberId, (u32, i64)>,
    reads: Vec<Read>,
    writes: Vec<(Bytes, Bytes, i64)>,
    failures: Vec<Failed>,
    watched: Vec<Vec<(Bytes, Bytes)>>,
    elections: u32,
    restarted: SmallSet<MemberId>,
    was_isolated: bool,
}

fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() >= FACTS_MAX {
        list.remove(0);
    }
    list.push(item);
}

impl Facts {
    /// Forgets what was seen; the cluster as it stands now is what the step begins with.
    pub fn begin_step(&mut self) {
        let world = std::mem::take(&mut self.world);
        *self = Self {
            base_leader: world.leader(),
            base_term: highest_term(&world),
            base_revision: highest_revision(&world),
            was_isolated: has_isolated(&world),
            world,
            ..Self::default()
        };
    }

    /// The newest picture of the cluster.
    pub fn set_world(&mut self, world: World) {
        self.was_isolated |= has_isolated(&world);
        self.world = world;
    }

    /// A member answered.
    pub fn saw_answer(
        &mut self,
        member: MemberId,
        request: &api::Request,
        result: &Result<api::Response, api::Error>,
    ) {
        let Ok(response) = result else {
            self.saw_failure(request);
            return;
        };
        match (request, response) {
            (api::Request::Range(asked), api::Response::Range(answer)) => {
                let kvs = answer.kvs.iter().map(|kv| (kv.key.clone(), kv.value.clone())).collect();
                let (revision, serializable) = (asked.revision, asked.serializable);
                push(&mut self.reads, Read { revision, serializable, kvs });
            }
            (api::Request::Put(asked), api::Response::Put(answer)) => {
                let revision = answer.header.revision;
                push(&mut self.writes, (asked.key.clone(), asked.value.clone(), revision));
            }
            (_, api::Response::Status(_)) => {
                self.statuses.insert(member);
            }
            (_, api::Response::HashKv(answer)) => {
                self.hashes.insert(member, (answer.hash, answer.header.revision));
            }
            _ => {}
        }
    }

    /// A request was refused, given up, or reached nobody.
    pub fn saw_failure(&mut self, request: &api::Request) {
        match request {
            api::Request::Range(asked) if !asked.serializable => {
                push(&mut self.failures, Failed::LinearizableRead);
            }
            api::Request::Put(asked) => {
                push(&mut self.failures, Failed::Put(asked.value.clone()));
            }
            _ => {}
        }
    }

    /// A watch got a message.
    pub fn saw_watch(&mut self, response: &api::WatchResponse) {
        if !response.events.is_empty() {
            let events = response.events.iter();
            let kvs = events.map(|event| (event.kv.key.clone(), event.kv.value.clone())).collect();
            push(&mut self.watched, kvs);
        }
    }

    /// A member told what it did.
    pub fn saw_event(&mut self, member: MemberId, event: &api::MemberEvent) {
        match event {
            api::MemberEvent::BecameLeader { .. } => {
                self.elections = self.elections.saturating_add(1);
            }
            api::MemberEvent::Started { boot, .. } if *boot > 1 => {
                self.restarted.insert(member);
            }
            _ => {}
        }
    }

    fn read(&self, key: &str, value: &str, fits: impl Fn(&Read) -> bool) -> bool {
        let holds = |(found_key, found_value): &(Bytes, Bytes)| {
            found_key == key.as_bytes() && found_value == value.as_bytes()
        };
        self.reads.iter().any(|read| fits(read) && read.kvs.iter().any(holds))
    }
}

impl Check {
    /// True if the facts answer the question with yes.
    #[must_use]
    pub fn is_met(self, facts: &Facts) -> bool {
        let world = &facts.world;
        match self {
            Self::OneLeader => has_one_leader(world),
            Self::StatusOfAll => running(world).all(|member| facts.statuses.contains(&member)),
            Self::Read(key, value) => facts.read(key, value, |read| read.revision <= 0),
            Self::ReadAt(key, at, value) => facts.read(key, value, |read| read.revision == at),
            Self::Wrote(key, value) => facts.writes.iter().any(|(found_key, found_value, _)| {
                found_key == key.as_bytes() && found_value == value.as_bytes()
            }),
            Self::NextRevision => {
                let next = facts.base_revision.saturating_add(1);
                facts.writes.iter().any(|(_, _, revision)| *revision == next)
            }
            Self::WatchMessage(key, values) => {
                facts.watched.iter().any(|message| holds_exactly(message, key, values))
            }
            Self::NewLeader => {
                world.leader().is_some_and(|leader| Some(leader) != facts.base_leader)
            }
            Self::TermRose => highest_term(world) > facts.base_term,
            Self::OneElection => facts.elections == 1,
            Self::Running(count) => u32::try_from(running(world).count()) == Ok(count),
            Self::AllRun => world.members.iter().all(|view| view.is_up && !view.is_paused),
            Self::AllHashesEqual => all_hashes_equal(facts),
            Self::ReadFailed => {
                let is_read = |failed: &Failed| matches!(failed, Failed::LinearizableRead);
                facts.failures.iter().any(is_read)
            }
            Self::SerializableRead(key) => facts.reads.iter().any(|read| {
                read.serializable && read.kvs.iter().any(|(found, _)| found == key.as_bytes())
            }),
            Self::WriteFailed(value) => facts
                .failures
                .iter()
                .any(|failed| matches!(failed, Failed::Put(found) if found == value.as_bytes())),
            Self::WasIsolated => facts.was_isolated,
            Self::LinksWhole => world.links.is_whole(),
            Self::AllRestarted => {
                let mut members = world.members.iter();
                members.all(|view| facts.restarted.contains(&view.id()))
            }
        }
    }
}

fn running(world: &World) -> impl Iterator<Item = MemberId> + '_ {
    world.members.iter().filter(|view| view.runs()).map(super::MemberView::id)
}

fn highest_term(world: &World) -> Term {
    let statuses = world.members.iter().filter_map(|view| view.status.as_ref());
    statuses.map(|status| status.term).max().unwrap_or_default()
}

fn highest_revision(world: &World) -> i64 {
    let statuses = world.members.iter().filter_map(|view| view.status.as_ref());
    statuses.map(|status| status.revision).max().unwrap_or_default()
}

fn has_isolated(world: &World) -> bool {
    world.members.iter().any(|view| world.is_isolated(view.id()))
}

fn has_one_leader(world: &World) -> bool {
    let Some(leader) = world.leader() else {
        return false;
    };
    let leads = |status: &api::MemberStatus| status.role == api::Role::Leader;
    !world.members.iter().any(|view| {
        view.id() != leader
            && !world.is_isolated(view.id())
            && view.status.as_ref().is_some_and(leads)
    })
}

fn all_hashes_equal(facts: &Facts) -> bool {
    let hashes: Vec<Option<&(u32, i64)>> =
        facts.world.members.iter().map(|view| facts.hashes.get(&view.id())).collect();
    let first = hashes.first().copied().flatten();
    first.is_some() && hashes.iter().all(|hash| *hash == first)
}

fn holds_exactly(message: &[(Bytes, Bytes)], key: &str, values: &[&str]) -> bool {
    message.len() == values.len()
        && message.iter().zip(values).all(|((found_key, found_value), value)| {
            found_key == key.as_bytes() && found_value == value.as_bytes()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::world::tests::three;

    fn facts() -> Facts {
        let mut facts = Facts::default();
        facts.set_world(three());
        facts.begin_step();
        facts
    }

    fn put(value: &'static str) -> api::Request {
        api::Request::Put(api::PutRequest {
            key: Bytes::from_static(b"k"),
            value: Bytes::from_static(value.as_bytes()),
            ..api::PutRequest::default()
        })
    }

    fn put_answer(revision: i64) -> Result<api::Response, api::Error> {
        let header = api::ResponseHeader { revision, ..api::ResponseHeader::default() };
        Ok(api::Response::Put(api::PutResponse { header, prev_kv: None }))
    }

    #[test]
    fn writes_count_by_value_and_revision_and_only_in_their_step() {
        let mut facts = facts();
        facts.saw_answer(MemberId(1), &put("v1"), &put_answer(6));
        assert!(Check::Wrote("k", "v1").is_met(&facts) && !Check::Wrote("k", "v2").is_met(&facts));
        assert!(Check::NextRevision.is_met(&facts));
        facts.saw_answer(MemberId(1), &put("v2"), &Err(api::Error::Timeout));
        assert!(
            Check::WriteFailed("v2").is_met(&facts) && !Check::WriteFailed("v1").is_met(&facts)
        );
        facts.begin_step();
        assert!(
            !Check::Wrote("k", "v1").is_met(&facts) && !Check::WriteFailed("v2").is_met(&facts)
        );
    }

    #[test]
    fn reads_count_by_revision_and_consistency() {
        let mut facts = facts();
        let range = |revision, serializable| {
            api::Request::Range(api::RangeRequest { revision, serializable, ..Default::default() })
        };
        let kv = api::KeyValue {
            key: Bytes::from_static(b"k"),
            value: Bytes::from_static(b"v1"),
            ..api::KeyValue::default()
        };
        let answer =
            Ok(api::Response::Range(api::RangeResponse { kvs: vec![kv], ..Default::default() }));
        facts.saw_answer(MemberId(1), &range(2, false), &answer);
        assert!(
            Check::ReadAt("k", 2, "v1").is_met(&facts) && !Check::Read("k", "v1").is_met(&facts)
        );
        assert!(!Check::SerializableRead("k").is_met(&facts));
        facts.saw_answer(MemberId(1), &range(0, true), &answer);
        assert!(
            Check::Read("k", "v1").is_met(&facts) && Check::SerializableRead("k").is_met(&facts)
        );
        facts.saw_failure(&range(0, true));
        assert!(!Check::ReadFailed.is_met(&facts));
        facts.saw_failure(&range(0, false));
        assert!(Check::ReadFailed.is_met(&facts));
    }

    #[test]
    fn hashes_are_equal_only_if_every_member_gave_the_same_one() {
        let mut facts = facts();
        let hash =
            |hash| Ok(api::Response::HashKv(api::HashKvResponse { hash, ..Default::default() }));
        let asked = api::Request::HashKv(api::HashKvRequest::default());
        facts.saw_answer(MemberId(1), &asked, &hash(7));
        facts.saw_answer(MemberId(2), &asked, &hash(7));
        assert!(!Check::AllHashesEqual.is_met(&facts));
        facts.saw_answer(MemberId(3), &asked, &hash(8));
        assert!(!Check::AllHashesEqual.is_met(&facts));
        facts.saw_answer(MemberId(3), &asked, &hash(7));
        assert!(Check::AllHashesEqual.is_met(&facts));
    }

    #[test]
    fn a_change_of_leader_is_measured_against_the_beginning() {
        let mut facts = facts();
        assert!(Check::OneLeader.is_met(&facts));
        assert!(!Check::NewLeader.is_met(&facts) && !Check::TermRose.is_met(&facts));
        let mut world = three();
        world.members[1].is_up = false;
        world.members[1].status = None;
        for view in [0, 2] {
            let status = world.members[view].status.as_mut().unwrap();
            status.term = Term(3);
            status.leader = Some(MemberId(3));
        }
        world.members[2].status.as_mut().unwrap().role = api::Role::Leader;
        facts.set_world(world);
        facts.saw_event(MemberId(3), &api::MemberEvent::BecameLeader { term: Term(3) });
        for check in [Check::NewLeader, Check::TermRose, Check::OneElection, Check::Running(2)] {
            assert!(check.is_met(&facts), "{check:?}");
        }
        assert!(!Check::AllRun.is_met(&facts));
    }

    #[test]
    fn a_watch_message_is_compared_whole() {
        let mut facts = facts();
        let event = |value: &'static str| api::Event {
            kv: api::KeyValue {
                key: Bytes::from_static(b"k"),
                value: Bytes::from_static(value.as_bytes()),
                ..api::KeyValue::default()
            },
            ..api::Event::default()
        };
        let message = api::WatchResponse {
            events: vec![event("v1"), event("v2")],
            ..api::WatchResponse::default()
        };
        facts.saw_watch(&message);
        assert!(Check::WatchMessage("k", &["v1", "v2"]).is_met(&facts));
        assert!(!Check::WatchMessage("k", &["v1"]).is_met(&facts));
    }
}
