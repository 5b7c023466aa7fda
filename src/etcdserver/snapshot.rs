//! The whole state of a member at its applied index: made, read, installed; and the log cut behind it.
//!
//! What it is: the payload of a snapshot, the compaction of Raft's log, and the installation on a
//! follower that is too far behind.
//! What it is not: the way of the bytes (see `transfer`) or the rounds on disk (see `disk`).
//! Invariants: a payload is read and proved to be a store before Raft hears of it, since Raft cannot take
//! a snapshot back; the state in memory changes only when the new one is durable and counts;
//! the log keeps everything above the applied index, and is not cut while a snapshot is on its way.
//! Source: behaviour of etcd `server/etcdserver/server.go` (`applySnapshot`, `compactRaftLog`).

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::applied_state::AppliedState;
use super::io::Output;
use super::leases::restored_lessor;
use super::recover::{not_rising, split_compacted};
use super::server::Server;
use crate::api::MemberEvent;
use crate::auth::{AuthState, InvalidState};
use crate::lease::{self, StoredLease};
use crate::mutant::{self, Mutant};
use crate::mvcc::{self, WatchableStore};
use crate::raft::{self, Storage as _};
use crate::types::Index;

/// Format of a payload. A reader of a newer format keeps reading the older ones.
///
/// 1: no leases, no users. 2: leases, users and roles.
const FORMAT: u8 = 2;

/// The oldest format that is read.
const FORMAT_OLDEST: u8 = 1;

/// What a snapshot carries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SnapshotPayload {
    pub(super) state: AppliedState,
    /// Every row that a compaction does not remove, oldest first.
    pub(super) rows: Vec<mvcc::Row>,
    /// Every lease; what is attached to it is found again through the rows.
    pub(super) leases: Vec<StoredLease>,
    pub(super) auth: AuthState,
}

/// What a snapshot of format 1 carries.
#[derive(Deserialize)]
struct PayloadOfFormat1 {
    state: AppliedState,
    rows: Vec<mvcc::Row>,
}

/// Why a payload is refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum PayloadError {
    #[error("it is empty")]
    Empty,
    #[error("it has format {0}, this engine reads {FORMAT_OLDEST} to {FORMAT}")]
    Format(u8),
    #[error("it cannot be read: {0}")]
    Postcard(#[from] postcard::Error),
    #[error("its rows are no store: {0}")]
    Store(#[from] mvcc::Error),
    #[error("it is of index {found}, its message says {said}")]
    Index { found: Index, said: Index },
    #[error("its users cannot be: {0}")]
    Auth(#[from] InvalidState),
    #[error("its leases cannot be: {0}")]
    Lease(#[from] lease::Error),
    #[error("its row {1} follows row {0}")]
    Order(mvcc::Revision, mvcc::Revision),
    #[error("it is of another cluster")]
    Cluster,
    #[error("its configuration is not the one its message says")]
    ConfState,
}

impl SnapshotPayload {
    fn encode(&self) -> Bytes {
        let encoded = postcard::to_extend(self, vec![FORMAT]);
        assert!(encoded.is_ok(), "a snapshot of our own does not serialise");
        encoded.unwrap_or_default().into()
    }

    fn decode(bytes: &[u8]) -> Result<Self, PayloadError> {
        match bytes.split_first() {
            None => Err(PayloadError::Empty),
            Some((&FORMAT_OLDEST, body)) => {
                let PayloadOfFormat1 { state, rows } = postcard::from_bytes(body)?;
                Ok(Self { state, rows, leases: Vec::new(), auth: AuthState::default() })
            }
            Some((&FORMAT, body)) => Ok(postcard::from_bytes(body)?),
            Some((&other, _)) => Err(PayloadError::Format(other)),
        }
    }
}

impl Server {
    /// Everything small at the applied index.
    pub(super) fn applied_state(&self) -> AppliedState {
        AppliedState {
            index: self.applied,
            conf_state: self.conf_state.clone(),
            cluster: self.cluster.clone(),
            revision: self.store.current_revision(),
            compact_revision: some_revision(self.store.compact_revision()),
            db_size: self.store.db_size(),
            alarms: self.alarms.clone(),
            downgrade: self.downgrade.clone(),
        }
    }

    // ---- the log ----

    /// What the log begins after.
    pub(super) fn log_base(&self) -> raft::EntryId {
        let storage = self.raft.storage();
        let index = storage.first_index().saturating_prev();
        let term = storage.term(index);
        assert!(term.is_ok(), "the term before the first entry {index}: {term:?}");
        raft::EntryId { term: term.unwrap_or_default(), index }
    }

    /// Cuts the log once enough was applied since the last time.
    pub(super) fn compact_log(&mut self) {
        let is_due = self.applied.0 > self.snapshot_index.0 + self.config.snapshot_count;
        if !is_due || self.is_sending_snapshots() || self.disk.is_installing() {
            return;
        }
        let applied = self.applied;
        let conf_state = self.conf_state.clone();
        let storage = self.raft.storage_mut();
        let made = storage.create_snapshot(applied, Some(conf_state), Bytes::new());
        assert!(made.is_ok(), "no snapshot at the applied index {applied}: {:?}", made.err());
        self.snapshot_index = applied;
        let base = Index(applied.0.saturating_sub(self.config.snapshot_catchup_entries));
        if base >= storage.first_index() {
            let compacted = storage.compact(base);
            assert!(compacted.is_ok(), "the log is not cut at {base}: {compacted:?}");
            self.disk.log_compacted(base);
        }
    }

    // ---- making ----

    /// The state now, in place of the data of Raft's message.
    pub(super) fn fill_snapshot(&self, message: &mut raft::Message) -> Bytes {
        let term = self.raft.storage().term(self.applied);
        assert!(term.is_ok(), "the term of the applied entry {}: {term:?}", self.applied);
        message.snapshot = Some(Box::new(raft::Snapshot {
            data: Bytes::new(),
            metadata: raft::SnapshotMetadata {
                conf_state: self.conf_state.clone(),
                index: self.applied,
                term: term.unwrap_or_default(),
            },
        }));
        self.content().encode()
    }

    /// Everything at the applied index.
    pub(super) fn content(&self) -> SnapshotPayload {
        let state = self.applied_state();
        let rows: Vec<mvcc::Row> = self.store.rows().cloned().collect();
        let rows = match state.compact_revision {
            Some(compacted) => split_compacted(rows, compacted).0,
            None => rows,
        };
        let leases = self.lessor.all_stored().collect();
        let auth = self.auth.state().clone();
        SnapshotPayload { state, rows, leases, auth }
    }

    // ---- taking ----

    /// Reads what came with Raft's message and proves that it can be installed.
    pub(super) fn read_snapshot(
        &self,
        message: &raft::Message,
        data: &[u8],
    ) -> Result<SnapshotPayload, PayloadError> {
        let payload = SnapshotPayload::decode(data)?;
        let said = message.snapshot.as_ref().map(|snapshot| snapshot.metadata.clone());
        let said = said.unwrap_or_default();
        if payload.state.index != said.index {
            return Err(PayloadError::Index { found: payload.state.index, said: said.index });
        }
        if !payload.state.conf_state.is_equivalent(&said.conf_state) {
            return Err(PayloadError::ConfState);
        }
        if payload.state.cluster.id != self.cluster_id {
            return Err(PayloadError::Cluster);
        }
        if let Some((before, row)) = not_rising(&payload.rows) {
            return Err(PayloadError::Order(before, row));
        }
        let compacted = payload.state.compact_revision;
        let rows = payload.rows.iter().cloned();
        WatchableStore::restore(rows, compacted, compacted, payload.state.revision)?;
        payload.auth.validate()?;
        restored_lessor(&self.config, payload.leases.iter().copied(), &payload.rows)?;
        Ok(payload)
    }

    /// Raft took the snapshot: it goes to the disk before anything else.
    pub(super) fn begin_install(
        &mut self,
        snapshot: &raft::Snapshot,
        hard_state: Option<raft::HardState>,
    ) {
        let metadata = snapshot.metadata.clone();
        let received = self.received.take().filter(|(_, own)| own.state.index == metadata.index);
        assert!(received.is_some(), "no data came with the snapshot at {}", metadata.index);
        let Some((from, payload)) = received else { return };
        let meta = super::record::Meta {
            log_base: raft::EntryId { term: metadata.term, index: metadata.index },
            snapshot_index: metadata.index,
            state: payload.state.clone(),
            auth: payload.auth.clone(),
            ..self.meta()
        };
        let content = (payload.rows.as_slice(), payload.leases.as_slice());
        self.disk.install(metadata, content, meta, hard_state);
        self.installing = Some((from, payload));
    }

    /// The snapshot is durable and counts: from now on it is the state.
    pub(super) fn end_install(&mut self, metadata: raft::SnapshotMetadata) {
        let Some((from, payload)) = self.installing.take() else {
            unreachable!("a snapshot landed that nobody installs")
        };
        let SnapshotPayload { state, rows, leases, auth } = payload;
        let recovered = self.auth.recover(auth);
        assert!(recovered.is_ok(), "the snapshot's users were read before: {recovered:?}");
        match restored_lessor(&self.config, leases, &rows) {
            Ok(lessor) => self.lessor = lessor,
            Err(error) => unreachable!("the snapshot's leases were read before: {error}"),
        }
        let compacted = state.compact_revision;
        let restored =
            self.store.restore_snapshot(rows.into_iter(), compacted, compacted, state.revision);
        assert!(restored.is_ok(), "the snapshot was read before: {restored:?}");
        self.store.raise_db_size(state.db_size);
        self.is_compacting = self.store.is_compacting();
        self.snapshot_index = metadata.index;
        self.applied = state.index;
        let event = MemberEvent::SnapshotInstalled { index: state.index, from };
        self.outputs.push_back(Output::Event(event));
        self.conf_is(state.conf_state);
        self.cluster = state.cluster;
        self.alarms = state.alarms;
        self.downgrade = state.downgrade;
        let index = metadata.index;
        let snapshot = raft::Snapshot { data: Bytes::new(), metadata };
        let applied = self.raft.storage_mut().apply_snapshot(snapshot);
        assert!(applied.is_ok(), "the log is not replaced at {index}: {applied:?}");
        self.store.sync_watchers(1);
    }
}

/// The store says -1 for "never".
fn some_revision(revision: i64) -> Option<i64> {
    (revision >= 0 && !mutant::is(Mutant::CompactRevisionForgotten)).then_some(revision)
}
