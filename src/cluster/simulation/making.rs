//! How a simulated cluster is made: what it is told, its first members, and those that join later.
//!
//! What it is: values before the first event. What it is not: a member's life (see `life`).
//! Invariants: nothing is drawn here but the seed's stream is opened.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

use super::{Passed, SimMember, Simulation};
use crate::api;
use crate::cluster::disk::{CrashPoints, DiskModel};
use crate::cluster::fault::{Links, MemberFaults, Speed};
use crate::cluster::invariants::Invariants;
use crate::cluster::network::NetworkModel;
use crate::cluster::trace::Chain;
use crate::etcdserver::{DiskImage, InitialState, ServerConfig};
use crate::membership::{Cluster, member_name};
use crate::random::Pcg32;
use crate::types::{MemberId, Millis};

/// How a simulated cluster is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulationSpec {
    /// Range: 1 to 7.
    pub members: u32,
    /// Seed of everything drawn.
    pub seed: u64,
    /// Milliseconds per tick. Default: 100.
    pub tick_ms: u64,
    /// Ticks per election timeout. Default: 10.
    pub election_ticks: u32,
    /// Quota in bytes.
    pub quota_bytes: i64,
    /// Campaigns begin with pre-votes. Default: true.
    pub pre_vote: bool,
    /// A leader that hears from too few steps down. Default: true.
    pub check_quorum: bool,
    /// Appends on their way to one follower. Default: 512.
    pub max_inflight_messages: u32,
    /// Entries in one append. Unit: encoded bytes. Default: 1 MiB.
    pub max_append_bytes: u64,
    /// What waited during a pause comes at once and not one by one. Default: false.
    pub resumes_at_once: bool,
}

impl Default for SimulationSpec {
    fn default() -> Self {
        Self {
            members: 3,
            seed: 1,
            tick_ms: 100,
            election_ticks: 10,
            quota_bytes: crate::etcdserver::QUOTA_BYTES_DEFAULT,
            pre_vote: true,
            check_quorum: true,
            max_inflight_messages: 512,
            max_append_bytes: 1024 * 1024,
            resumes_at_once: false,
        }
    }
}

impl Simulation {
    /// Makes the cluster and starts all its members.
    #[must_use]
    pub fn new(spec: SimulationSpec) -> Self {
        Self::with_config(spec, |_| {})
    }

    /// As [`Self::new`], with settings beyond `spec` that `configure` makes for each member.
    #[must_use]
    pub fn with_config(spec: SimulationSpec, configure: impl Fn(&mut ServerConfig)) -> Self {
        let mut simulation = Self::without_members_running(spec, configure);
        simulation.start_all();
        simulation
    }

    /// As [`Self::with_config`], with an onlooker from the first moment.
    #[must_use]
    pub fn watched(
        spec: SimulationSpec,
        configure: impl Fn(&mut ServerConfig),
        invariants: Invariants,
        has_lines: bool,
    ) -> Self {
        let mut simulation = Self::without_members_running(spec, configure);
        simulation.invariants = Some(invariants);
        simulation.lines = has_lines.then(Vec::new);
        simulation.start_all();
        simulation
    }

    /// As [`Self::with_config`], with members that begin on these disks.
    #[must_use]
    pub fn on_disks(
        spec: SimulationSpec,
        configure: impl Fn(&mut ServerConfig),
        disks: impl IntoIterator<Item = (MemberId, DiskImage)>,
    ) -> Self {
        let mut simulation = Self::without_members_running(spec, configure);
        for (id, disk) in disks {
            if let Some(member) = simulation.members.get_mut(&id) {
                member.disk = disk;
            }
        }
        simulation.start_all();
        simulation
    }

    fn start_all(&mut self) {
        let ids: Vec<MemberId> = self.list.iter().map(|member| member.id).collect();
        for id in ids {
            self.restart(id);
        }
    }

    fn without_members_running(
        spec: SimulationSpec,
        configure: impl Fn(&mut ServerConfig),
    ) -> Self {
        let cluster = Cluster::new_static(spec.members);
        let list: Vec<api::Member> = (1..=spec.members)
            .filter_map(|number| cluster.member_named(&member_name(number)).cloned())
            .collect();
        Self {
            now: Millis(0),
            sequence: 0,
            heap: BinaryHeap::new(),
            random: Pcg32::for_stream(spec.seed, &[0x0053_494d]),
            members: list
                .iter()
                .map(|member| {
                    let mut config = ServerConfig::new(member.id, list.clone(), spec.seed);
                    config.tick_ms = spec.tick_ms;
                    config.election_ticks = spec.election_ticks;
                    config.quota_bytes = spec.quota_bytes;
                    config.pre_vote = spec.pre_vote;
                    config.check_quorum = spec.check_quorum;
                    config.max_inflight_messages = spec.max_inflight_messages;
                    config.max_append_bytes = spec.max_append_bytes;
                    configure(&mut config);
                    (member.id, SimMember::new(config))
                })
                .collect(),
            list,
            links: Links::default(),
            speed: Speed::REAL,
            removed: BTreeSet::new(),
            network: NetworkModel::default(),
            disk: DiskModel::default(),
            points: CrashPoints::default(),
            invariants: None,
            lines: None,
            news: VecDeque::new(),
            calls: BTreeMap::new(),
            canceled_timers: BTreeSet::new(),
            last_id: 0,
            trace: Chain::default(),
            outcome: Chain::default(),
            spec,
        }
    }

    /// Starts the member that `added` tells of, on an empty disk, with the other settings of the first one.
    pub fn join(&mut self, added: &api::MemberAddResponse, name: &str, client_url: &str) {
        let id = added.member.id;
        let Some(template) = self.members.values().next().map(|member| member.config.clone())
        else {
            return;
        };
        let own = api::Member {
            name: name.to_owned(),
            client_urls: vec![client_url.to_owned()],
            ..added.member.clone()
        };
        let others = added.members.iter().filter(|member| member.id != id).cloned();
        let config = ServerConfig {
            member: id,
            members: others.chain([own.clone()]).collect(),
            initial_state: InitialState::Existing(added.header.cluster_id),
            force_new_cluster: false,
            ..template
        };
        self.list.push(own);
        self.members.insert(id, SimMember::new(config));
        self.restart(id);
    }
}

impl SimMember {
    pub(super) fn new(config: ServerConfig) -> Self {
        Self {
            tick_ms: config.tick_ms,
            config,
            disk: DiskImage::default(),
            fence: None,
            server: None,
            epoch: 0,
            in_flight: None,
            paused: None,
            unreachable: BTreeSet::new(),
            stalled_until: Millis(0),
            faults: MemberFaults::default(),
            passed: Passed::default(),
        }
    }
}
