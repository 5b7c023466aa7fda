//! The end of the chain: the operation happens.
//!
//! Invariants: an error means that nothing changed; rows are handed out in the order of their revisions.

use crate::api::{self, Error, Response};
use crate::etcdserver::request::Operation;
use crate::etcdserver::server::Server;
use crate::mutant::{self, Mutant};
use crate::mvcc;
use crate::types::{Index, LeaseId};

impl Server {
    pub(super) fn apply_to_backend(
        &mut self,
        operation: Operation,
        index: Index,
    ) -> Result<Response, Error> {
        let Self { store, lessor, lead, config, .. } = &mut *self;
        let lease_exists = |id| lessor.exists(id);
        match operation {
            Operation::Put(put) => {
                let (result, change) = store.put(&put, &lease_exists);
                self.changed(change);
                result.map(|mut response| {
                    self.fill(&mut response.header);
                    Response::Put(response)
                })
            }
            Operation::DeleteRange(delete) => {
                let (result, change) = store.delete_range(&delete);
                self.changed(change);
                result.map(|mut response| {
                    self.fill(&mut response.header);
                    Response::DeleteRange(response)
                })
            }
            Operation::Txn(mut txn) => {
                if mutant::is(Mutant::TxnReadSkippedOnFollowers) && *lead != Some(config.member) {
                    let is_write = |op: &api::RequestOp| !matches!(op, api::RequestOp::Range(_));
                    txn.success.retain(is_write);
                    txn.failure.retain(is_write);
                }
                let (result, change) = store.txn(&txn, &lease_exists);
                self.changed(change);
                result.map(|mut response| {
                    self.fill(&mut response.header);
                    Response::Txn(response)
                })
            }
            Operation::Compaction(compaction) => {
                self.store.compact(compaction.revision)?;
                // Begins at once; what is more than one step's rows goes on with the ticks.
                self.is_compacting = true;
                self.compact_some();
                Ok(Response::Compaction(api::CompactionResponse { header: self.header() }))
            }
            Operation::Alarm(request) => Ok(Response::Alarm(self.apply_alarm(request))),
            Operation::ClusterMemberAttrSet { member, name, client_urls } => {
                self.cluster.set_attributes(member, name, client_urls)?;
                Ok(Response::MemberList(api::MemberListResponse::default()))
            }
            Operation::DowngradeInfoSet(info) => {
                self.downgrade = info;
                Ok(Response::Downgrade(self.downgrade_response()))
            }
            Operation::LeaseGrant(grant) => self.apply_grant(&grant).map(Response::LeaseGrant),
            Operation::LeaseRevoke(revoke) => {
                self.apply_revoke(revoke.id).map(Response::LeaseRevoke)
            }
            Operation::Auth(request) => self.apply_auth(&request).map(Response::Auth),
            Operation::Authenticate(login) => {
                self.apply_login(&login, index).map(Response::Authenticate)
            }
            Operation::LeaseCheckpoint(request) => {
                self.apply_checkpoint(&request);
                // Nobody waits for it.
                Ok(Response::LeaseRevoke(api::LeaseRevokeResponse::default()))
            }
        }
    }

    /// Takes over what the store wrote: keys follow their rows from lease to lease.
    pub(super) fn changed(&mut self, change: mvcc::Change) {
        for row in &change.rows {
            if !row.is_tombstone {
                let bytes = row.kv.key.len() + row.kv.value.len();
                self.counters.put_bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
            }
            let id = if row.is_tombstone { LeaseId(0) } else { row.kv.lease };
            if id == LeaseId(0) && !row.is_tombstone && mutant::is(Mutant::DetachForgottenOnPut) {
                continue;
            }
            let attached = self.lessor.set_lease(&row.kv.key, id);
            assert!(attached.is_ok(), "row {} has a lease {id} that is none", row.revision);
        }
        // At once: a compaction that follows takes from the disk's list what it removes.
        self.disk.applied(change.rows);
    }
}
