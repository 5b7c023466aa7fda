//! One member of a lost majority as a cluster of its own.
//!
//! What it is: etcd's `--force-new-cluster`: the log is cut after the commit index, and entries that
//! remove everybody else are appended as if they were committed.
//! What it is not: safe; whatever the others have beyond this member's commit index is lost, and they
//! must never be started again.
//! Invariants: the cluster keeps its id, the member its own; data up to the commit index stay.
//! Source: behaviour of etcd `server/etcdserver/bootstrap.go`.

use super::recover::Recovered;
use super::request::{CHANGE_OF_FIRST_START, MemberChange, ProposalId, ProposedChange};
use crate::api;
use crate::raft::{AsConfChange as _, ConfChange, ConfChangeType, Entry, EntryType};
use crate::types::{Index, MemberId, SmallSet};

/// Cuts and extends the recovered log; the entries that the disk does not hold yet.
pub(super) fn force_new_cluster(
    recovered: &mut Recovered,
    own: &api::Member,
) -> Result<Vec<Entry>, crate::raft::Error> {
    let commit = recovered.hard_state.commit;
    recovered.entries.retain(|entry| entry.index <= commit);
    let (voters, learners) = members_at_commit(recovered)?;
    let mut changes = Vec::new();
    if learners.contains(&own.id) {
        changes.push(MemberChange::Promote(own.id));
    } else if !voters.contains(&own.id) {
        changes.push(MemberChange::Add(api::Member { is_learner: false, ..own.clone() }));
    }
    let others = voters.iter().chain(&learners).filter(|id| **id != own.id);
    changes.extend(others.map(|id| MemberChange::Remove(*id)));
    let boot = recovered.meta.as_ref().map_or(0, |meta| meta.boot) + 1;
    let mut added = Vec::new();
    for (change, number) in changes.into_iter().zip(commit.0 + 1..) {
        // Nobody waits for it: numbers of proposals begin at 1.
        let id = ProposalId { member: own.id, boot, sequence: 0 };
        added.push(Entry {
            term: recovered.hard_state.term,
            index: Index(number),
            entry_type: EntryType::ConfChange,
            data: ProposedChange { id, change }.to_raft().encode()?,
        });
    }
    recovered.entries.extend(added.iter().cloned());
    recovered.hard_state.commit = recovered.last_id().index;
    Ok(added)
}

/// Voters and learners once every committed entry is applied.
fn members_at_commit(
    recovered: &Recovered,
) -> Result<(SmallSet<MemberId>, SmallSet<MemberId>), crate::raft::Error> {
    let state = recovered.meta.as_ref().map(|meta| meta.state.clone()).unwrap_or_default();
    let outgoing = state.conf_state.voters_outgoing.iter();
    let mut voters: SmallSet<MemberId> =
        state.conf_state.voters.iter().chain(outgoing).copied().collect();
    let mut learners: SmallSet<MemberId> =
        state.conf_state.learners.iter().chain(&state.conf_state.learners_next).copied().collect();
    for entry in recovered.entries.iter().filter(|entry| entry.index > state.index) {
        if entry.entry_type != EntryType::ConfChange {
            continue;
        }
        let change = ConfChange::decode(&entry.data)?;
        let id = change.node_id;
        // One that was added twice was refused, but at the first start it is there before its entry.
        let is_known = voters.contains(&id) || learners.contains(&id);
        match change.change_type {
            ConfChangeType::AddNode if change.id == CHANGE_OF_FIRST_START || !is_known => {
                voters.insert(id);
            }
            ConfChangeType::AddNode => {
                if learners.remove(&id) {
                    voters.insert(id);
                }
            }
            ConfChangeType::AddLearnerNode if !is_known => {
                learners.insert(id);
            }
            ConfChangeType::RemoveNode => {
                voters.remove(&id);
                learners.remove(&id);
            }
            ConfChangeType::AddLearnerNode | ConfChangeType::UpdateNode => {}
        }
    }
    Ok((voters, learners))
}
