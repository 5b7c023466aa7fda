//! What an entry of the log does: a chain of appliers, each of which may refuse.
//!
//! What it is: alarms, then rights, then the quota, then the backend, as in etcd.
//! What it is not: the order of entries or who is answered (see `apply`).
//! Invariants: whether an entry changes anything is decided by the log alone, the same on every member;
//! the quota depends on the member's own file, so it never decides that: over the quota a write is
//! applied, and its client is told that the space is used up.
//! Source: behaviour of etcd `server/etcdserver/apply` (`uber_apply.go`).

mod alarm;
mod auth;
mod backend;
mod lease;
mod quota;

use super::request::{InternalRaftRequest, Operation};
use super::server::Server;
use crate::api::{self, Error, Response};
use crate::types::Index;

impl Server {
    /// Applies one operation; rows to store go to the disk's list.
    pub(super) fn apply_operation(
        &mut self,
        request: InternalRaftRequest,
        index: Index,
    ) -> Result<Response, Error> {
        let InternalRaftRequest { operation, auth, .. } = request;
        self.check_alarms(&operation)?;
        self.check_rights(&auth, &operation)?;
        let fits = self.is_within_quota(&operation);
        let response = self.apply_to_backend(operation, index)?;
        if fits { Ok(response) } else { Err(Error::NoSpace) }
    }

    /// Refuses what an active alarm forbids.
    fn check_alarms(&self, operation: &Operation) -> Result<(), Error> {
        if self.has_alarm(api::AlarmType::Corrupt) && touches_data(operation) {
            return Err(Error::Corrupt);
        }
        if self.has_alarm(api::AlarmType::NoSpace) && quota::cost(operation) > 0 {
            return Err(Error::NoSpace);
        }
        Ok(())
    }
}

/// True for what reads or writes the store, or leases.
const fn touches_data(operation: &Operation) -> bool {
    match operation {
        Operation::Put(_)
        | Operation::DeleteRange(_)
        | Operation::Txn(_)
        | Operation::Compaction(_)
        | Operation::LeaseGrant(_)
        | Operation::LeaseRevoke(_) => true,
        Operation::Alarm(_)
        | Operation::ClusterMemberAttrSet { .. }
        | Operation::DowngradeInfoSet(_)
        | Operation::LeaseCheckpoint(_)
        | Operation::Auth(_)
        | Operation::Authenticate(_) => false,
    }
}
