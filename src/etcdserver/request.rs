//! What a log entry asks every member to do.
//!
//! What it is: etcd's `InternalRaftRequest`: an operation with the identity of the proposal, so that the
//! member that proposed it can answer its client when it is applied.
//! What it is not: a check (see `rpc`) or an effect (see `applier`).
//! Invariants: the encoding starts with a format byte; entries are kept on disk, so the order of the
//! variants never changes and new ones come last.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::api;
use crate::auth::{AuthInfo, InternalAuthenticateRequest};
use crate::raft;
use crate::types::MemberId;

/// Format of an encoded request. A newer format only adds at the end, and the older ones are read.
///
/// 1: nobody asks. 2: who asks.
const FORMAT: u8 = 2;

/// The oldest format that is read.
const FORMAT_OLDEST: u8 = 1;

/// Identity of a proposal: unique over members, boots and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct ProposalId {
    /// Who proposed.
    pub(crate) member: MemberId,
    /// In which of its boots.
    pub(crate) boot: u64,
    /// Counted from 1 in each boot.
    pub(crate) sequence: u64,
}

/// What every member does when the entry is applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Operation {
    Put(api::PutRequest),
    DeleteRange(api::DeleteRangeRequest),
    Txn(api::TxnRequest),
    Compaction(api::CompactionRequest),
    Alarm(api::AlarmRequest),
    /// A member tells its name and client URLs, as etcd's `publish` does.
    ClusterMemberAttrSet {
        member: MemberId,
        name: String,
        client_urls: Vec<String>,
    },
    /// A downgrade begins or ends.
    DowngradeInfoSet(api::DowngradeInfo),
    LeaseGrant(api::LeaseGrantRequest),
    LeaseRevoke(api::LeaseRevokeRequest),
    LeaseCheckpoint(api::LeaseCheckpointRequest),
    Auth(api::AuthRequest),
    Authenticate(InternalAuthenticateRequest),
}

/// A proposal as it stands in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InternalRaftRequest {
    pub(crate) id: ProposalId,
    pub(crate) operation: Operation,
    /// Who asks.
    pub(crate) auth: AuthInfo,
}

/// Number in a configuration change of the first start: its context is the member alone.
pub(crate) const CHANGE_OF_FIRST_START: u64 = 0;

/// Number in a configuration change that somebody asked for: its context is a [`ProposedChange`].
pub(crate) const CHANGE_PROPOSED: u64 = 1;

/// What happens to the membership; Raft's own change says the same in its words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum MemberChange {
    Add(api::Member),
    Remove(MemberId),
    Update { id: MemberId, peer_urls: Vec<String> },
    Promote(MemberId),
}

/// The context of a configuration change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProposedChange {
    pub(crate) id: ProposalId,
    pub(crate) change: MemberChange,
}

impl ProposedChange {
    /// As Raft wants it.
    pub(crate) fn to_raft(&self) -> raft::ConfChange {
        use raft::ConfChangeType::{AddLearnerNode, AddNode, RemoveNode, UpdateNode};
        let (change_type, node_id) = match &self.change {
            MemberChange::Add(member) if member.is_learner => (AddLearnerNode, member.id),
            MemberChange::Add(member) => (AddNode, member.id),
            MemberChange::Remove(id) => (RemoveNode, *id),
            MemberChange::Update { id, .. } => (UpdateNode, *id),
            MemberChange::Promote(id) => (AddNode, *id),
        };
        let context = super::disk::encode(self).into();
        raft::ConfChange { id: CHANGE_PROPOSED, change_type, node_id, context }
    }

    /// Reads what [`Self::to_raft`] wrote.
    pub(crate) fn from_raft(change: &raft::ConfChange) -> Result<Self, postcard::Error> {
        postcard::from_bytes(&change.context)
    }
}

/// Why an entry cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DecodeError {
    #[error("the entry is empty")]
    Empty,
    #[error("the entry has format {0}, this engine reads {FORMAT_OLDEST} to {FORMAT}")]
    Format(u8),
    #[error("the entry cannot be read")]
    Postcard(#[from] postcard::Error),
}

impl InternalRaftRequest {
    pub(crate) fn encode(&self) -> Result<Bytes, postcard::Error> {
        Ok(postcard::to_extend(self, vec![FORMAT])?.into())
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        match bytes.split_first() {
            None => Err(DecodeError::Empty),
            Some((&FORMAT_OLDEST, body)) => {
                let (id, operation) = postcard::from_bytes(body)?;
                Ok(Self { id, operation, auth: AuthInfo::default() })
            }
            Some((&FORMAT, body)) => Ok(postcard::from_bytes(body)?),
            Some((&other, _)) => Err(DecodeError::Format(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_and_refuses_foreign_bytes() {
        let request = InternalRaftRequest {
            id: ProposalId { member: MemberId(7), boot: 2, sequence: 9 },
            operation: Operation::Compaction(api::CompactionRequest {
                revision: 5,
                physical: true,
            }),
            auth: AuthInfo { username: "alice".to_owned(), revision: 3 },
        };
        let bytes = request.encode().unwrap();
        assert_eq!(InternalRaftRequest::decode(&bytes).unwrap(), request);
        assert!(InternalRaftRequest::decode(&[]).is_err());
        assert!(InternalRaftRequest::decode(&[3, 0]).is_err());
        let old = postcard::to_extend(&(request.id, &request.operation), vec![1]).unwrap();
        let nobody = InternalRaftRequest { auth: AuthInfo::default(), ..request };
        assert_eq!(InternalRaftRequest::decode(&old).unwrap(), nobody);
        assert!(InternalRaftRequest::decode(&bytes[..bytes.len() - 1]).is_err());
    }
}
