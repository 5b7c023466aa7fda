//! The quota on the size of the file.
//!
//! What it is: what a write costs at most, and whether it still fits.
//! Invariants: what costs nothing always fits.
//! Source: behaviour of etcd `server/storage/quota.go`; nested transactions cost there nothing, and the
//! outer ones only what their own puts do.

use crate::api::{PutRequest, RequestOp, TxnRequest};
use crate::etcdserver::request::Operation;
use crate::etcdserver::server::Server;

/// What a put takes besides its key and value. Unit: bytes. Source: etcd `kvOverhead`.
const PUT_OVERHEAD_BYTES: u64 = 256;

/// What a lease takes. Unit: bytes. Source: etcd `leaseOverhead`.
const LEASE_OVERHEAD_BYTES: u64 = 64;

/// What an operation may add to the file. Unit: bytes.
pub(super) fn cost(operation: &Operation) -> u64 {
    match operation {
        Operation::Put(put) => put_cost(put),
        Operation::Txn(txn) => txn_cost(txn),
        Operation::LeaseGrant(_) => LEASE_OVERHEAD_BYTES,
        Operation::DeleteRange(_)
        | Operation::Compaction(_)
        | Operation::Alarm(_)
        | Operation::ClusterMemberAttrSet { .. }
        | Operation::DowngradeInfoSet(_)
        | Operation::LeaseRevoke(_)
        | Operation::LeaseCheckpoint(_)
        | Operation::Auth(_)
        | Operation::Authenticate(_) => 0,
    }
}

fn put_cost(put: &PutRequest) -> u64 {
    let bytes = u64::try_from(put.key.len() + put.value.len()).unwrap_or(u64::MAX);
    bytes.saturating_add(PUT_OVERHEAD_BYTES)
}

/// The dearer branch.
fn txn_cost(txn: &TxnRequest) -> u64 {
    let branch = |ops: &[RequestOp]| {
        let costs = ops.iter().map(|op| match op {
            RequestOp::Put(put) => put_cost(put),
            RequestOp::Range(_) | RequestOp::DeleteRange(_) | RequestOp::Txn(_) => 0,
        });
        costs.fold(0, u64::saturating_add)
    };
    branch(&txn.success).max(branch(&txn.failure))
}

impl Server {
    /// Whether the file may grow by what the operation costs; a negative quota is none.
    pub(in crate::etcdserver) fn is_within_quota(&self, operation: &Operation) -> bool {
        let cost = i64::try_from(cost(operation)).unwrap_or(i64::MAX);
        let quota = self.config.quota_bytes;
        cost == 0 || quota < 0 || self.store.db_size().saturating_add(cost) < quota
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn put(bytes: usize) -> RequestOp {
        let value = Bytes::from(vec![0; bytes]);
        RequestOp::Put(PutRequest { key: Bytes::from_static(b"k"), value, ..Default::default() })
    }

    #[test]
    fn a_transaction_costs_its_dearer_branch_as_etcds_table_says() {
        let read = RequestOp::Range(Default::default());
        let txn = |success: Vec<RequestOp>, failure: Vec<RequestOp>| TxnRequest {
            success,
            failure,
            ..Default::default()
        };
        assert_eq!(txn_cost(&txn(vec![], vec![])), 0);
        assert_eq!(txn_cost(&txn(vec![read.clone()], vec![read.clone()])), 0);
        assert_eq!(txn_cost(&txn(vec![put(10), read.clone()], vec![put(5)])), 256 + 11);
        assert_eq!(txn_cost(&txn(vec![put(10)], vec![put(5), put(6)])), 2 * 256 + 13);
        let nested = RequestOp::Txn(txn(vec![put(10)], vec![]));
        assert_eq!(txn_cost(&txn(vec![nested], vec![])), 0, "as etcd counts");
    }
}
