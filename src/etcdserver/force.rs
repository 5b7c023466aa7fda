//! One member of a lost majority as a cluster of its own.
//!
//! What it is: etcd's `--force-new-cluster`: the log is cut after the commit index, and entries that
//! remove everybody else are appended as if they were committed.
//! What it is not: safe; whatever the others have beyond this member's commit index is lost, and they
//! must never be started again.
//! Invariants: the cluster keeps its id, the member its own; data up to the commit index stay; who has to go is read
//! from a member that has applied all of that, not guessed from the entries. A joint configuration is left first, since
//! nobody can be removed in one; etcd has none. Who is removed by what is committed does not come back.
//! Source: behaviour of etcd `server/etcdserver/bootstrap.go`.

use super::recover::{Recovered, StartError};
use super::request::{MemberChange, ProposalId, ProposedChange};
use super::server::Server;
use crate::api;
use crate::raft::{AsConfChange as _, ConfChangeV2, Entry, EntryType};
use crate::types::{Index, MemberId, SmallSet};

/// Forgets what is not committed.
pub(super) fn cut(recovered: &mut Recovered) {
    let commit = recovered.hard_state.commit;
    recovered.entries.retain(|entry| entry.index <= commit);
}

/// Extends the cut log; the entries that the disk does not hold yet.
///
/// `reached` has applied every entry of the log.
pub(super) fn force_new_cluster(
    recovered: &mut Recovered,
    reached: &Server,
    own: &api::Member,
) -> Result<Vec<Entry>, StartError> {
    let commit = recovered.hard_state.commit;
    assert!(reached.applied == commit, "applied {} of {commit}", reached.applied);
    let mut conf = reached.conf_state.clone();
    let is_joint = !conf.voters_outgoing.is_empty();
    conf.learners.append(&mut conf.learners_next);
    let is_member = conf.voters.contains(&own.id) || conf.learners.contains(&own.id);
    let is_left = is_joint && conf.voters_outgoing.contains(&own.id) && !is_member;
    if is_left || reached.cluster.is_removed(own.id) {
        return Err(StartError::Removed);
    }
    let mut changes = Vec::new();
    if conf.learners.contains(&own.id) {
        changes.push(MemberChange::Promote(own.id));
    } else if !is_member {
        changes.push(MemberChange::Add(api::Member { is_learner: false, ..own.clone() }));
    }
    let others: SmallSet<MemberId> = conf.voters.iter().chain(&conf.learners).copied().collect();
    changes.extend(others.iter().filter(|id| **id != own.id).map(|id| MemberChange::Remove(*id)));
    let mut data = Vec::new();
    if is_joint {
        data.push((EntryType::ConfChangeV2, ConfChangeV2::default().encode()));
    }
    for change in changes {
        // Nobody waits for it: numbers of proposals begin at 1.
        let id = ProposalId { member: own.id, boot: reached.boot, sequence: 0 };
        data.push((EntryType::ConfChange, ProposedChange { id, change }.to_raft().encode()));
    }
    let mut added = Vec::new();
    for ((entry_type, data), number) in data.into_iter().zip(commit.0 + 1..) {
        let data = data.map_err(|error| StartError::Unreadable(error.to_string()))?;
        let term = recovered.hard_state.term;
        added.push(Entry { term, index: Index(number), entry_type, data });
    }
    recovered.entries.extend(added.iter().cloned());
    recovered.hard_state.commit = recovered.last_id().index;
    Ok(added)
}
