//! What a member is at one applied index, its rows apart: small, and a function of the log alone.
//!
//! What it is: the part of a member's state that its meta record keeps and that a snapshot carries.
//! What it is not: the rows (too many to be replaced as a whole), or anything about Raft's log.
//! Invariants: two members with the same `index` have equal values; a new field goes together with a new
//! format of the meta record and of the snapshot.

use serde::{Deserialize, Serialize};

use crate::api;
use crate::membership::Cluster;
use crate::raft;
use crate::types::{Index, SmallSet};

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AppliedState {
    /// The last entry applied.
    pub(crate) index: Index,
    pub(crate) conf_state: raft::ConfState,
    pub(crate) cluster: Cluster,
    /// Store revision at `index`: compaction may have removed the newest rows.
    pub(crate) revision: i64,
    /// The newest compaction that was scheduled; whoever reads the rows leaves out what it removes.
    pub(crate) compact_revision: Option<i64>,
    /// Bytes allocated for the rows: a restart does not defragment.
    pub(crate) db_size: i64,
    pub(crate) alarms: SmallSet<api::AlarmMember>,
    pub(crate) downgrade: api::DowngradeInfo,
}
