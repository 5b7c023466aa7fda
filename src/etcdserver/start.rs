//! A member from what its disk holds.
//!
//! What it is: first start (of a new cluster, or of a member that was added to one), restart, and the
//! start that makes one member of a lost majority a cluster of its own.
//! What it is not: the reading of the disk (see `recover`).
//! Invariants: a disk is used by the member it belongs to and by nobody else; a member that was removed
//! does not start; the boot number grows with every start, and is durable before anything leaves.
//! Source: behaviour of etcd `server/etcdserver/bootstrap.go`.

use std::collections::VecDeque;

use super::auth::Logins;
use super::auto_compaction::AutoCompactor;
use super::compact_hash::CompactHashCheck;
use super::config::{InitialState, ServerConfig};
use super::corruption::CorruptionCheck;
use super::counters::Counters;
use super::disk::Disk;
use super::force;
use super::io::{DiskImage, Fence, Output};
use super::keep_alive::KeepAlives;
use super::leases::{LeaseCalls, draws, restored_lessor};
use super::propose::Proposals;
use super::read::ReadQueue;
use super::reconfigure::Waiting;
use super::recover::{self, Recovered, StartError};
use super::saving::Saves;
use super::server::Server;
use super::trace::Traces;
use crate::api;
use crate::auth::AuthStore;
use crate::lease::Lessor;
use crate::membership::Cluster;
use crate::mutant::{self, Mutant};
use crate::mvcc::{self, WatchableStore};
use crate::raft::{self, MemoryStorage, RawNode};
use crate::random::Pcg32;
use crate::types::{Index, MemberId, SmallMap, SmallSet};

impl Server {
    /// Starts a member from what its disk holds; an empty disk makes a new member.
    ///
    /// # Errors
    /// [`StartError`]: the disk is damaged, was rolled back behind its fence, or is another member's.
    pub fn start(
        config: ServerConfig,
        image: &DiskImage,
        fence: Option<&Fence>,
    ) -> Result<Self, StartError> {
        let mut recovered = recover::recover(image)?;
        if let Some(fence) = fence {
            recover::check_fence(&recovered, fence)?;
        }
        let cluster = match &recovered.meta {
            Some(meta) => meta.state.cluster.clone(),
            None => first_cluster(&config)?,
        };
        check_identity(&config, &recovered, &cluster)?;
        let boot = recovered.meta.as_ref().map_or(0, |meta| meta.boot) + 1;
        let mut disk = Disk::new(&recovered, boot);
        if config.force_new_cluster && recovered.meta.is_some() {
            force::cut(&mut recovered);
            let mut committed = recover::recover(image)?;
            force::cut(&mut committed);
            // A trial: it applies what is committed, and nothing of it leaves.
            let trial = ServerConfig { initial_corrupt_check: false, ..config.clone() };
            let trial_disk = Disk::new(&committed, boot);
            let reached = Self::begin(trial, cluster.clone(), committed, trial_disk)?;
            let own = own_member(&config)?;
            let forced = force::force_new_cluster(&mut recovered, &reached, own)?;
            // They are applied at once, and become durable together with what they do.
            disk.append(forced, Some(recovered.hard_state), Vec::new());
        }
        Self::begin(config, cluster, recovered, disk)
    }

    /// The member of a disk that was read.
    fn begin(
        config: ServerConfig,
        cluster: Cluster,
        mut recovered: Recovered,
        mut disk: Disk,
    ) -> Result<Self, StartError> {
        let is_new = recovered.meta.is_none();
        let boot = recovered.meta.as_ref().map_or(0, |meta| meta.boot) + 1;
        let (rows, removed) = live_rows(&mut recovered);
        let stored = recovered.leases.iter().map(|(_, lease)| *lease);
        let lessor = restored_lessor(&config, stored, &rows)
            .map_err(|error| StartError::Unreadable(error.to_string()))?;
        let store = restore(&recovered, rows)?;
        disk.compacted(&removed, &store);
        let raft = start_raft(&config, &recovered, boot, is_new)?;
        let last_index = recovered.last_id().index;
        let mut server = Self::joined(config, cluster, boot, raft, (disk, store, lessor));
        if let Some(meta) = recovered.meta {
            server.applied = applied_index(meta.state.index);
            server.conf_state = meta.state.conf_state;
            server.alarms = meta.state.alarms;
            server.downgrade = meta.state.downgrade;
            server.snapshot_index = meta.snapshot_index;
            server
                .auth
                .recover(meta.auth)
                .map_err(|error| StartError::Unreadable(error.to_string()))?;
        }
        let revision = server.store.current_revision();
        let started = api::MemberEvent::Started { boot, last_index, revision };
        server.outputs.push_back(Output::Event(started));
        server.disk.applied(Vec::new());
        server.disk.hurry();
        // Alone it need not wait for anybody's heartbeat.
        if server.cluster.members.len() == 1 {
            server.advance_ticks(server.config.election_ticks.saturating_sub(1));
        }
        if !is_new {
            server.begin_initial_check();
        }
        server.work();
        Ok(server)
    }

    fn joined(
        config: ServerConfig,
        cluster: Cluster,
        boot: u64,
        raft: RawNode<MemoryStorage>,
        (disk, store, lessor): (Disk, WatchableStore, Lessor),
    ) -> Self {
        Self {
            cluster_id: cluster.id,
            boot,
            raft,
            disk,
            outputs: VecDeque::new(),
            ticks: 0,
            applied: Index(0),
            conf_state: raft::ConfState::default(),
            lead: None,
            role: raft::StateRole::Follower,
            proposals: Proposals::default(),
            reads: ReadQueue::new(boot),
            streams: SmallMap::new(),
            keep_alives: KeepAlives::default(),
            no_leader_since: 0,
            leader_elected_at: 0,
            connected: SmallSet::new(),
            has_advanced_ticks: false,
            is_boot_durable: false,
            published_at: None,
            is_compacting: store.is_compacting(),
            physical_waits: Vec::new(),
            unanswered: SmallSet::new(),
            lessor,
            leases: LeaseCalls::default(),
            auth: AuthStore::new(config.auth),
            logins: Logins::default(),
            draws: draws(&config, boot),
            snapshot_index: Index(0),
            transfers: SmallMap::new(),
            last_transfer: 0,
            incoming: None,
            received: None,
            installing: None,
            active_since: SmallMap::new(),
            waiting: Waiting::default(),
            corruption: CorruptionCheck::default(),
            compact_hash: CompactHashCheck::default(),
            initial_check: None,
            auto_compaction: AutoCompactor::default(),
            saves: Saves::default(),
            counters: Counters::default(),
            traces: Traces::default(),
            has_stopped: false,
            stops_at: None,
            alarms: SmallSet::new(),
            downgrade: api::DowngradeInfo::default(),
            store,
            cluster,
            config,
        }
    }
}

fn own_member(config: &ServerConfig) -> Result<&api::Member, StartError> {
    config.members.iter().find(|member| member.id == config.member).ok_or_else(|| {
        StartError::Config(format!("member {:x} is not one of its members", config.member))
    })
}

fn check_identity(
    config: &ServerConfig,
    recovered: &Recovered,
    cluster: &Cluster,
) -> Result<(), StartError> {
    own_member(config)?;
    let Some(meta) = &recovered.meta else { return Ok(()) };
    let expected = first_cluster(config)?.id;
    if meta.member != config.member || cluster.id != expected {
        return Err(StartError::WrongIdentity(format!(
            "it holds member {:x} of cluster {:x}, expected {:x} of {expected:x}",
            meta.member, meta.cluster_id, config.member
        )));
    }
    if cluster.is_removed(config.member) {
        return Err(StartError::Removed);
    }
    Ok(())
}

/// The cluster as a member without data knows it.
fn first_cluster(config: &ServerConfig) -> Result<Cluster, StartError> {
    match config.initial_state {
        InitialState::New => Cluster::new(config.members.iter().cloned())
            .map_err(|error| StartError::Config(error.to_string())),
        // Who its members are comes with the log, from the first entry on.
        InitialState::Existing(id) => Ok(Cluster { id, ..Cluster::default() }),
    }
}

/// The rows without those that a scheduled compaction removes, and the revisions of the latter.
fn live_rows(recovered: &mut Recovered) -> (Vec<mvcc::Row>, Vec<mvcc::Revision>) {
    let rows = std::mem::take(&mut recovered.rows);
    match recovered.meta.as_ref().and_then(|meta| meta.state.compact_revision) {
        Some(compacted) => recover::split_compacted(rows, compacted),
        None => (rows, Vec::new()),
    }
}

fn restore(recovered: &Recovered, rows: Vec<mvcc::Row>) -> Result<WatchableStore, StartError> {
    let Some(meta) = &recovered.meta else { return Ok(WatchableStore::new()) };
    let state = &meta.state;
    let compacted = state.compact_revision;
    let mut store = WatchableStore::restore(rows.into_iter(), compacted, compacted, state.revision)
        .map_err(|error| StartError::Unreadable(error.to_string()))?;
    store.raise_db_size(state.db_size);
    Ok(store)
}

/// Where applying goes on.
fn applied_index(index: Index) -> Index {
    if mutant::is(Mutant::AppliedTwiceAfterRestart) { index.saturating_prev() } else { index }
}

fn start_raft(
    config: &ServerConfig,
    recovered: &Recovered,
    boot: u64,
    is_new: bool,
) -> Result<RawNode<MemoryStorage>, StartError> {
    let unreadable = |error: raft::StorageError| StartError::Unreadable(error.to_string());
    let mut storage = MemoryStorage::new();
    let mut applied = Index(0);
    if let Some(meta) = &recovered.meta {
        applied = applied_index(meta.state.index);
        if meta.log_base.index > Index(0) {
            let metadata = raft::SnapshotMetadata {
                conf_state: meta.state.conf_state.clone(),
                index: meta.log_base.index,
                term: meta.log_base.term,
            };
            let snapshot = raft::Snapshot { metadata, ..raft::Snapshot::default() };
            storage.apply_snapshot(snapshot).map_err(unreadable)?;
        } else {
            storage.set_conf_state(meta.state.conf_state.clone());
        }
        let mut hard_state = recovered.hard_state;
        if mutant::is(Mutant::VoteForgottenAtRestart) {
            hard_state.vote = None;
        }
        if mutant::is(Mutant::CommitFallsAtRestart) {
            hard_state.commit = applied;
        }
        storage.set_hard_state(hard_state);
        storage.append(&recovered.entries).map_err(unreadable)?;
    }
    let random = Pcg32::for_stream(config.seed, &[config.member.0, boot]);
    let mut raft = RawNode::new(raft_config(config, applied), storage, random)
        .map_err(|error| StartError::Config(error.to_string()))?;
    if is_new && config.initial_state == InitialState::New {
        raft.bootstrap(bootstrap_peers(config))
            .map_err(|error| StartError::Config(error.to_string()))?;
    }
    Ok(raft)
}

fn raft_config(config: &ServerConfig, applied: Index) -> raft::Config {
    raft::Config {
        id: config.member,
        election_tick: config.election_ticks,
        heartbeat_tick: 1,
        applied,
        async_storage_writes: true,
        max_size_per_msg: config.max_append_bytes,
        max_committed_size_per_ready: u64::MAX,
        max_uncommitted_entries_size: 64 * 1024 * 1024,
        max_inflight_msgs: config.max_inflight_messages,
        max_inflight_bytes: u64::MAX,
        check_quorum: config.check_quorum,
        pre_vote: config.pre_vote,
        read_only_option: raft::ReadOnlyOption::Safe,
        disable_proposal_forwarding: false,
        disable_conf_change_validation: false,
        step_down_on_removal: true,
    }
}

fn bootstrap_peers(config: &ServerConfig) -> Vec<raft::Peer> {
    let members: SmallMap<MemberId, &api::Member> =
        config.members.iter().map(|member| (member.id, member)).collect();
    members
        .into_iter()
        .map(|(id, member)| raft::Peer { id, context: super::apply::encode_member(member) })
        .collect()
}
