//! The end of the chain: the operation happens.
//!
//! Invariants: an error means that nothing changed; rows are handed out in the order of their revisions.

use crate::api::{self, Error, Response};
use crate::etcdserver::request::Operation;
use crate::etcdserver::server::Server;
use crate::mvcc;

impl Server {
    pub(super) fn apply_to_backend(
        &mut self,
        operation: Operation,
        rows: &mut Vec<mvcc::Row>,
    ) -> Result<Response, Error> {
        // Leases arrive with their own module: until then none exists.
        let lease_exists = |_| false;
        match operation {
            Operation::Put(put) => {
                let (result, change) = self.store.put(&put, &lease_exists);
                rows.extend(change.rows);
                result.map(|mut response| {
                    self.fill(&mut response.header);
                    Response::Put(response)
                })
            }
            Operation::DeleteRange(delete) => {
                let (result, change) = self.store.delete_range(&delete);
                rows.extend(change.rows);
                result.map(|mut response| {
                    self.fill(&mut response.header);
                    Response::DeleteRange(response)
                })
            }
            Operation::Txn(txn) => {
                let (result, change) = self.store.txn(&txn, &lease_exists);
                rows.extend(change.rows);
                result.map(|mut response| {
                    self.fill(&mut response.header);
                    Response::Txn(response)
                })
            }
            Operation::Compaction(compaction) => {
                self.store.compact(compaction.revision)?;
                self.is_compacting = true;
                if compaction.physical {
                    self.compact_some();
                }
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
        }
    }
}
