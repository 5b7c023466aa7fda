//! What the page knows of its cluster, and what may be done to it.
//!
//! What it is: members, their life and last status, the links, where the data lives; and the actions
//! with their refusals.
//! What it is not: the engine; a status is shown as it came and nothing is worked out of it.
//! Invariants: every action either changes this state and asks for an effect, or changes nothing and
//! says why; an action never waits for its effect.

mod act;

use crate::api;
use crate::cluster::fault::{LinkFault, Links, MemberFault, MemberFaults, Speed};
use crate::playground::edge::{ClusterSpec, Effect, News};
use crate::playground::membership::Change;
use crate::playground::waits::Waits;
use crate::scenario::verb::Sides;
use crate::types::{LeaseId, MemberId, Millis};
use crate::wire::{DownReason, PersistenceMode};

/// The one member of the second cluster. Source: ours; etcd's ids are hashes, and a restored cluster may have any.
pub const SECOND: MemberId = MemberId(0x5ec0_4dc1_5ea5_2379);
/// Its name.
pub const SECOND_NAME: &str = "second";
/// Where it serves clients.
pub const SECOND_ENDPOINT: &str = "127.0.0.1:2379";

/// True if a text names the second cluster.
#[must_use]
pub fn names_second(text: &str) -> bool {
    text.contains(SECOND_ENDPOINT) || text.contains("localhost:2379")
}

/// The cluster the page opens when none is saved. Source: etcd's default timing; 16 MiB as DESIGN 10.
pub const DEFAULT_SPEC: ClusterSpec = ClusterSpec {
    members: 3,
    tick_ms: 100,
    election_ticks: 10,
    quota_bytes: 16 * 1024 * 1024,
    snapshot_count: 10_000,
    snapshot_catchup_entries: 5_000,
    pre_vote: true,
    check_quorum: true,
};

/// Whether a member's worker runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Life {
    /// Its worker exists and reads its disk.
    Starting,
    /// It serves.
    Up,
    /// A kill is under way.
    Stopping,
    /// It does not run.
    Down(DownReason),
}

/// One member as the page sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Who it is.
    pub member: api::Member,
    /// Whether it runs.
    pub life: Life,
    /// Its world stands still.
    pub is_paused: bool,
    /// The newest status; empty before the first.
    pub status: api::MemberStatus,
    /// Starts seen, from its events.
    pub boot: u64,
    /// When it last went down.
    pub down_at: Millis,
    /// It is no part of the cluster any more.
    pub is_removed: bool,
    /// What is wrong with its clock and its disk.
    pub faults: MemberFaults,
    /// What it waits for, and since when.
    pub waits: Waits,
}

impl Node {
    /// True if it can answer.
    #[must_use]
    pub fn is_serving(&self) -> bool {
        self.life == Life::Up && !self.is_paused
    }

    /// True if it counts for a majority.
    #[must_use]
    pub const fn is_voter(&self) -> bool {
        !self.is_removed && !self.member.is_learner
    }

    /// True if it runs and leads as far as it knows.
    #[must_use]
    pub fn is_leading(&self) -> bool {
        self.life == Life::Up && self.status.role == api::Role::Leader
    }
}

/// How far the opening of the cluster has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing was asked for yet.
    Idle,
    /// It is being opened or made.
    Opening,
    /// It is there.
    Open,
    /// It cannot be opened.
    Failed(String),
    /// Another tab took it.
    TakenOver,
}

/// What can be done to a member or to all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// End its worker.
    Kill(MemberId),
    /// Start it from its disk.
    Restart(MemberId),
    /// Stop its world.
    Pause(MemberId),
    /// Let it go on.
    Resume(MemberId),
    /// Cut it from all others.
    Isolate(MemberId),
    /// Open all its links.
    HealMember(MemberId),
    /// Make it panic.
    Crash(MemberId),
    /// Cut both directions.
    Cut(MemberId, MemberId),
    /// Cut the direction from the first to the second.
    CutOneWay(MemberId, MemberId),
    /// Open both directions.
    HealPair(MemberId, MemberId),
    /// Open the direction from the first to the second.
    HealOneWay(MemberId, MemberId),
    /// Open everything.
    HealAll,
    /// Cut all links between sides.
    Partition(Sides),
    /// Disturb the messages between two members.
    Disturb {
        /// One end; with `one_way` the sender.
        from: MemberId,
        /// The other end.
        to: MemberId,
        /// Only messages from `from` to `to` are disturbed.
        one_way: bool,
        /// How.
        fault: LinkFault,
    },
    /// Let the cluster's time pass so fast.
    Speed(Speed),
    /// Delay the messages of all links; 0 for no more. Unit: ms.
    Latency(u32),
    /// Stop the world of all members, or let it go on: one verb, and an action for each of them.
    PauseAll(bool),
    /// Do something to a member's disk, clock or power.
    Afflict(MemberId, MemberFault),
    /// Change who is a member.
    Change(Change),
}

/// Why an action was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No such member.
    Unknown,
    /// It does not run.
    NotRunning(MemberId),
    /// It runs already.
    Running(MemberId),
    /// It is paused already.
    Paused(MemberId),
    /// It is not paused.
    NotPaused(MemberId),
    /// A member has no link to itself.
    SameMember(MemberId),
    /// Nothing is cut.
    NothingCut,
    /// It is no member any more.
    Removed(MemberId),
}

/// The cluster.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// How far it is.
    pub phase: Phase,
    /// Its settings.
    pub spec: ClusterSpec,
    /// Its members, in the order infra1…N.
    pub nodes: Vec<Node>,
    /// What is cut.
    pub links: Links,
    /// How fast its time passes.
    pub speed: Speed,
    /// Where the data lives.
    pub mode: PersistenceMode,
    /// With memory: why.
    pub mode_reason: Option<String>,
    /// Another tab owns the saved cluster.
    pub is_owned_elsewhere: bool,
    /// That tab was asked for it and does not answer.
    pub is_owner_silent: bool,
    /// The members end since another tab gets the cluster.
    pub is_given_up: bool,
    /// Members whose disks are deleted: a member that lags may still list them.
    forgotten: Vec<MemberId>,
    /// The lease that a console was granted last.
    pub lease: Option<LeaseId>,
    /// The highest revision that an answer to a console told: members say theirs of themselves later.
    pub answered: i64,
}

impl Default for Cluster {
    fn default() -> Self {
        Self {
            phase: Phase::Idle,
            spec: DEFAULT_SPEC,
            nodes: Vec::new(),
            links: Links::default(),
            speed: Speed::REAL,
            mode: PersistenceMode::IndexedDb,
            mode_reason: None,
            is_owned_elsewhere: false,
            is_owner_silent: false,
            is_given_up: false,
            forgotten: Vec::new(),
            lease: None,
            answered: 0,
        }
    }
}

impl Cluster {
    /// The member with this id.
    #[must_use]
    pub fn node(&self, id: MemberId) -> Option<&Node> {
        self.nodes.iter().find(|node| node.member.id == id)
    }

    fn node_mut(&mut self, id: MemberId) -> Option<&mut Node> {
        self.nodes.iter_mut().find(|node| node.member.id == id)
    }

    /// The endpoints of all members, as etcdctl writes them.
    #[must_use]
    pub fn endpoints(&self) -> Vec<String> {
        let members = self.nodes.iter().filter(|node| !node.is_removed);
        members
            .filter_map(|node| node.member.client_urls.first())
            .map(|url| crate::etcdctl::endpoint_address(url).to_owned())
            .collect()
    }

    /// Makes a place for a member that was added; the links that this changes, if any.
    pub fn admit(&mut self, member: &api::Member) -> Option<Links> {
        if self.node(member.id).is_some() {
            return None;
        }
        let isolated: Vec<MemberId> =
            self.ids().into_iter().filter(|id| self.is_isolated(*id)).collect();
        let life = Life::Down(DownReason::NotStarted);
        let at = self.nodes.partition_point(|node| node.member.name <= member.name);
        self.nodes.insert(at, Node { life, ..new_node(member) });
        // Whoever is cut from all others is cut from the new one as well.
        for id in &isolated {
            self.links.cut(*id, member.id);
        }
        (!isolated.is_empty()).then(|| self.links.clone())
    }

    /// A member is none any more; true: that is news.
    pub fn retire(&mut self, member: MemberId) -> bool {
        let node = self.node_mut(member);
        node.is_some_and(|node| !std::mem::replace(&mut node.is_removed, true))
    }

    /// A member's disk is gone: so is its place. The links that this changes, if any.
    pub fn forget(&mut self, member: MemberId) -> Option<Links> {
        self.nodes.retain(|node| node.member.id != member);
        self.forgotten.push(member);
        let before = self.links.clone();
        self.links.heal_member(member);
        (before != self.links).then(|| self.links.clone())
    }

    /// Takes over what the cluster says of its members; those that are new, and those that are none any more.
    pub fn compare(&mut self, members: &[api::Member]) -> (Vec<api::Member>, Vec<MemberId>) {
        for node in &mut self.nodes {
            if let Some(member) = members.iter().find(|member| member.id == node.member.id) {
                node.member.is_learner = member.is_learner;
            }
        }
        let is_new = |member: &&api::Member| {
            self.node(member.id).is_none() && !self.forgotten.contains(&member.id)
        };
        let added = members.iter().filter(is_new).cloned().collect();
        let is_known = |id: &MemberId| members.iter().any(|member| member.id == *id);
        let removed = self.nodes.iter().filter(|node| !node.is_removed).map(|node| node.member.id);
        let removed = removed.filter(|id| !is_known(id)).collect();
        (added, removed)
    }

    /// All ids, in order.
    #[must_use]
    pub fn ids(&self) -> Vec<MemberId> {
        self.nodes.iter().map(|node| node.member.id).collect()
    }

    /// A member's name, or its id in hex if it is none of ours.
    #[must_use]
    pub fn name(&self, id: MemberId) -> String {
        self.node(id).map_or_else(|| format!("{id:x}"), Node::shown_name)
    }

    /// The member called so.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<MemberId> {
        self.nodes.iter().find(|node| node.member.name == name).map(|node| node.member.id)
    }

    /// The member that serves clients at this endpoint, with or without scheme.
    #[must_use]
    pub fn by_endpoint(&self, endpoint: &str) -> Option<MemberId> {
        let members: Vec<api::Member> = self.nodes.iter().map(|node| node.member.clone()).collect();
        crate::scenario::member_at(&members, endpoint)
    }

    /// The leader: the running member that leads in the highest term.
    #[must_use]
    pub fn leader(&self) -> Option<&Node> {
        self.nodes.iter().filter(|node| node.is_leading()).max_by_key(|node| node.status.term)
    }

    /// The leader by what the members say: one that leads, else the one most recently named by one
    /// that serves.
    #[must_use]
    pub fn known_leader(&self) -> Option<MemberId> {
        self.leader().map(|node| node.member.id).or_else(|| {
            self.nodes
                .iter()
                .filter(|node| node.is_serving())
                .filter_map(|node| Some((node.status.term, node.status.leader?)))
                .filter(|(_, leader)| self.node(*leader).is_some_and(|node| node.life == Life::Up))
                .max()
                .map(|(_, leader)| leader)
        })
    }

    /// The highest term any running member has.
    #[must_use]
    pub fn term(&self) -> u64 {
        self.nodes.iter().map(|node| node.status.term.0).max().unwrap_or(0)
    }

    /// The highest revision any running member has.
    #[must_use]
    pub fn revision(&self) -> i64 {
        self.nodes.iter().map(|node| node.status.revision).max().unwrap_or(0)
    }

    /// The highest compacted revision any member has; 0 if none was.
    #[must_use]
    pub fn compact_revision(&self) -> i64 {
        self.nodes.iter().map(|node| node.status.compact_revision).max().unwrap_or(0).max(0)
    }

    /// A member that can serve reads from its own state, best first: one that knows a leader. A learner serves
    /// no streams.
    #[must_use]
    pub fn best_reader(&self) -> Option<MemberId> {
        self.nodes
            .iter()
            .filter(|node| node.is_serving() && node.is_voter())
            .max_by_key(|node| {
                (node.status.leader.is_some(), node.status.applied, node.is_leading())
            })
            .map(|node| node.member.id)
    }

    /// True if `member` is cut from every other member, both ways.
    #[must_use]
    pub fn is_isolated(&self, member: MemberId) -> bool {
        self.nodes.len() > 1
            && self.nodes.iter().map(|node| node.member.id).filter(|id| *id != member).all(
                |other| !self.links.is_open(member, other) && !self.links.is_open(other, member),
            )
    }

    /// Members that run and are reachable from one another in the largest group.
    #[must_use]
    pub fn has_quorum(&self) -> bool {
        let voters = self.nodes.iter().filter(|node| node.is_voter());
        let alive: Vec<MemberId> =
            voters.clone().filter(|node| node.is_serving()).map(|node| node.member.id).collect();
        let largest = alive
            .iter()
            .map(|one| {
                alive
                    .iter()
                    .filter(|other| {
                        self.links.is_open(*one, **other) && self.links.is_open(**other, *one)
                    })
                    .count()
            })
            .max()
            .unwrap_or(0);
        largest > voters.count() / 2
    }

    /// Takes in what the browser says about the cluster.
    pub fn hear(&mut self, news: &News, now: Millis) {
        match news {
            News::ClusterOpened { spec, members, mode, mode_reason, is_resumed: _ } => {
                let elsewhere = self.is_owned_elsewhere;
                *self = Self {
                    phase: Phase::Open,
                    spec: spec.clone(),
                    nodes: members.iter().map(new_node).collect(),
                    mode: *mode,
                    mode_reason: mode_reason.clone(),
                    is_owned_elsewhere: elsewhere && *mode == PersistenceMode::Memory,
                    ..Self::default()
                };
            }
            News::OwnedElsewhere => self.is_owned_elsewhere = true,
            News::OwnerSilent => {
                let runs = |node: &Node| !matches!(node.life, Life::Down(_));
                let is_open = self.nodes.iter().any(runs);
                self.phase = if is_open { Phase::Open } else { Phase::TakenOver };
                self.is_owner_silent = true;
            }
            News::GivingUp => self.is_given_up = true,
            News::TakenOver => (self.phase, self.is_given_up) = (Phase::TakenOver, true),
            News::ClusterFailed(reason) => self.phase = Phase::Failed(reason.clone()),
            News::MemberStarting(member) => self.set_life(*member, Life::Starting, now),
            News::MemberUp(member) => self.set_life(*member, Life::Up, now),
            News::MemberDown { member, reason } => {
                if *reason == DownReason::Removed {
                    self.retire(*member);
                }
                self.set_life(*member, Life::Down(reason.clone()), now);
            }
            News::Status(status) => {
                if let Some(node) = self.node_mut(status.member) {
                    if !matches!(node.life, Life::Down(_)) {
                        node.is_paused = status.is_paused;
                    }
                    node.boot = node.boot.max(status.boot);
                    node.status = status.clone();
                }
            }
            News::MemberEvents { member, events } => self.hear_events(*member, events),
            News::Started { .. }
            | News::Now(_)
            | News::NoFence(_)
            | News::TickGap { .. }
            | News::Reply { .. }
            | News::ReplyPart { .. }
            | News::File { .. }
            | News::FileFailed { .. }
            | News::Watch { .. }
            | News::StreamEnded { .. }
            | News::CallFailed { .. }
            | News::Timer(_)
            | News::Lab { .. }
            | News::Texts(_)
            | News::ProgramLoaded(_)
            | News::InsightLoaded(_)
            | News::InsightAsked(_)
            | News::FragmentChanged(_) => {}
        }
    }

    fn hear_events(&mut self, member: MemberId, events: &[api::MemberEvent]) {
        let Some(node) = self.node_mut(member) else { return };
        for event in events {
            match event {
                api::MemberEvent::Started { boot, last_index, revision } => {
                    node.boot = *boot;
                    node.status.boot = *boot;
                    node.status.last_index = *last_index;
                    node.status.revision = *revision;
                }
                api::MemberEvent::BecameLeader { term } => {
                    node.status.role = api::Role::Leader;
                    node.status.term = *term;
                    node.status.leader = Some(member);
                }
                api::MemberEvent::SteppedDown { term, .. } => {
                    node.status.role = api::Role::Follower;
                    node.status.term = *term;
                    node.status.leader = None;
                }
                api::MemberEvent::LeaderChanged { term, leader } => {
                    node.status.term = *term;
                    node.status.leader = *leader;
                }
                api::MemberEvent::PreVoteStarted { .. } => {
                    node.status.role = api::Role::PreCandidate;
                }
                api::MemberEvent::CampaignStarted { term } => {
                    node.status.role = api::Role::Candidate;
                    node.status.term = *term;
                }
                api::MemberEvent::ConfChanged { .. }
                | api::MemberEvent::Removed
                | api::MemberEvent::ApplyTookTooLong { .. }
                | api::MemberEvent::SlowDisk { .. }
                | api::MemberEvent::SnapshotInstalled { .. } => {}
            }
        }
    }

    fn set_life(&mut self, member: MemberId, life: Life, now: Millis) {
        let Some(node) = self.node_mut(member) else { return };
        if matches!(life, Life::Down(_)) {
            node.down_at = now;
            node.status.role = api::Role::Follower;
            node.status.leader = None;
        }
        if life != Life::Up {
            node.is_paused = false;
        }
        node.life = life;
    }
}

fn new_node(member: &api::Member) -> Node {
    Node {
        member: member.clone(),
        life: Life::Starting,
        is_paused: false,
        status: api::MemberStatus {
            member: member.id,
            compact_revision: -1,
            ..api::MemberStatus::default()
        },
        boot: 0,
        down_at: Millis(0),
        is_removed: false,
        faults: MemberFaults::default(),
        waits: Waits::default(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::types::{Index, Term};

    /// Three members with ids 1, 2, 3, all up, infra1 leading term 2.
    pub(crate) fn three() -> Cluster {
        let mut cluster = Cluster::default();
        cluster.hear(&opened(3), Millis(0));
        for id in 1..=3 {
            cluster.hear(&News::MemberUp(MemberId(id)), Millis(10));
            cluster.hear(&News::Status(status(id, 1, 2)), Millis(20));
        }
        cluster
    }

    pub(crate) fn opened(count: u64) -> News {
        let members = (1..=count)
            .map(|id| api::Member {
                id: MemberId(id),
                name: format!("infra{id}"),
                client_urls: vec![format!("http://127.0.0.1:{id}2379")],
                peer_urls: vec![format!("http://127.0.0.1:{id}2380")],
                is_learner: false,
            })
            .collect();
        News::ClusterOpened {
            spec: DEFAULT_SPEC,
            members,
            mode: PersistenceMode::IndexedDb,
            mode_reason: None,
            is_resumed: false,
        }
    }

    pub(crate) fn status(id: u64, leader: u64, term: u64) -> api::MemberStatus {
        api::MemberStatus {
            member: MemberId(id),
            role: if id == leader { api::Role::Leader } else { api::Role::Follower },
            term: Term(term),
            leader: Some(MemberId(leader)),
            applied: Index(8),
            commit: Index(8),
            last_index: Index(8),
            revision: 4,
            compact_revision: -1,
            election_timeout: 13,
            boot: 1,
            ..api::MemberStatus::default()
        }
    }

    #[test]
    fn an_endpoint_is_found_with_and_without_scheme() {
        let cluster = three();
        assert_eq!(cluster.by_endpoint("127.0.0.1:22379"), Some(MemberId(2)));
        assert_eq!(cluster.by_endpoint("http://127.0.0.1:12379/"), Some(MemberId(1)));
        assert_eq!(cluster.by_endpoint("127.0.0.1:42379"), None);
    }

    #[test]
    fn a_member_that_is_down_can_only_be_restarted() {
        let mut cluster = three();
        let infra1 = MemberId(1);
        assert!(matches!(cluster.act(Action::Kill(infra1)), Ok(Effect::Kill(_))));
        assert_eq!(cluster.act(Action::Kill(infra1)).unwrap_err(), Refusal::NotRunning(infra1));
        cluster
            .hear(&News::MemberDown { member: infra1, reason: DownReason::Killed }, Millis(1000));
        assert_eq!(cluster.act(Action::Pause(infra1)).unwrap_err(), Refusal::NotRunning(infra1));
        assert!(matches!(cluster.act(Action::Restart(infra1)), Ok(Effect::Restart(_))));
        assert_eq!(cluster.act(Action::Restart(infra1)).unwrap_err(), Refusal::Running(infra1));
    }

    #[test]
    fn a_leader_that_is_down_is_no_leader() {
        let mut cluster = three();
        assert_eq!(cluster.known_leader(), Some(MemberId(1)));
        cluster.hear(
            &News::MemberDown { member: MemberId(1), reason: DownReason::Killed },
            Millis(1000),
        );
        assert_eq!(cluster.known_leader(), None);
        let events = vec![api::MemberEvent::BecameLeader { term: Term(3) }];
        cluster.hear(&News::MemberEvents { member: MemberId(2), events }, Millis(2000));
        assert_eq!(cluster.known_leader(), Some(MemberId(2)));
        assert_eq!(cluster.term(), 3);
    }

    #[test]
    fn a_majority_is_one_of_the_voters_there_are() {
        let mut cluster = three();
        let learner = api::Member { id: MemberId(4), is_learner: true, ..Default::default() };
        assert!(cluster.admit(&learner).is_none());
        for id in [1, 2] {
            let reason = DownReason::Killed;
            cluster.hear(&News::MemberDown { member: MemberId(id), reason }, Millis(1));
        }
        cluster.hear(&News::MemberUp(MemberId(4)), Millis(1));
        assert!(!cluster.has_quorum(), "a learner has no vote");
        assert!(cluster.retire(MemberId(1)) && !cluster.retire(MemberId(1)));
        assert!(!cluster.has_quorum());
        cluster.retire(MemberId(2));
        assert!(cluster.has_quorum(), "one of one");
        assert_eq!(cluster.best_reader(), Some(MemberId(3)));
        assert_eq!(cluster.world().members.len(), 2);
        assert_eq!(
            cluster.act(Action::Restart(MemberId(1))).unwrap_err(),
            Refusal::Removed(MemberId(1))
        );
    }

    #[test]
    fn isolating_takes_the_quorum_from_one_side_only_and_healing_twice_is_refused() {
        let mut cluster = three();
        let Ok(Effect::SetLinks(links)) = cluster.act(Action::Isolate(MemberId(1))) else {
            panic!("isolating was refused");
        };
        assert_eq!(links.cut_links().count(), 4);
        assert!(cluster.is_isolated(MemberId(1)));
        assert!(!cluster.is_isolated(MemberId(2)));
        assert!(cluster.has_quorum());
        assert!(cluster.act(Action::Cut(MemberId(2), MemberId(3))).is_ok());
        assert!(!cluster.has_quorum());
        assert!(cluster.act(Action::HealAll).is_ok());
        assert_eq!(cluster.act(Action::HealAll).unwrap_err(), Refusal::NothingCut);
        assert_eq!(
            cluster.act(Action::Cut(MemberId(2), MemberId(2))).unwrap_err(),
            Refusal::SameMember(MemberId(2))
        );
        assert_eq!(cluster.act(Action::Isolate(MemberId(9))).unwrap_err(), Refusal::Unknown);
    }
}
