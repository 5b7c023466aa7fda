//! What entries do to leases.
//!
//! Invariants: a revocation deletes the lease's keys, in order, in one revision, and takes none if there
//! are none; what the disk is to keep of a lease goes with the rows of the same entry.
//! Source: behaviour of etcd `server/etcdserver/apply` (`apply.go`), `server/lease/lessor.go`.

use crate::api::{
    DeleteRangeRequest, Error, LeaseCheckpointRequest, LeaseGrantRequest, LeaseGrantResponse,
    LeaseRevokeResponse, RequestOp, TxnRequest,
};
use crate::etcdserver::server::Server;
use crate::types::LeaseId;

impl Server {
    pub(super) fn apply_grant(
        &mut self,
        grant: &LeaseGrantRequest,
    ) -> Result<LeaseGrantResponse, Error> {
        let now = self.now();
        let ttl = self.lessor.grant(grant.id, grant.ttl, now)?;
        self.disk.lease_changed(grant.id, self.lessor.stored(grant.id));
        let header = self.header();
        Ok(LeaseGrantResponse { header, id: grant.id, ttl, error: String::new() })
    }

    pub(super) fn apply_revoke(&mut self, id: LeaseId) -> Result<LeaseRevokeResponse, Error> {
        let keys = self.lessor.revoke(id)?;
        self.disk.lease_changed(id, None);
        if !keys.is_empty() {
            let delete = |key| {
                RequestOp::DeleteRange(DeleteRangeRequest { key, ..DeleteRangeRequest::default() })
            };
            let success = keys.into_iter().map(delete).collect();
            let request = TxnRequest { success, ..TxnRequest::default() };
            let (result, change) = self.store.txn(&request, &|_| false);
            assert!(result.is_ok(), "the keys of lease {id} are not deleted: {:?}", result.err());
            self.changed(change);
        }
        self.lease_was_applied(id);
        Ok(LeaseRevokeResponse { header: self.header() })
    }

    pub(super) fn apply_checkpoint(&mut self, request: &LeaseCheckpointRequest) {
        let now = self.now();
        for checkpoint in &request.checkpoints {
            self.lessor.checkpoint(*checkpoint, now);
            let stored = self.lessor.stored(checkpoint.id);
            if stored.is_some() {
                self.disk.lease_changed(checkpoint.id, stored);
            }
            self.lease_was_applied(checkpoint.id);
        }
    }
}
