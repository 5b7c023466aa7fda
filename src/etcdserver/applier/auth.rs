//! Rights of those whose entries are applied, and what entries do to users and roles.
//!
//! Invariants: whether an entry is allowed is a function of the state at its index and of who asked, as
//! the entry says; what members do by themselves (alarms, attributes, checkpoints) needs no right.
//! Source: behaviour of etcd `server/etcdserver/apply/auth.go`.

use crate::api::{AuthRequest, AuthResponse, AuthenticateResponse, Error};
use crate::auth::{AuthInfo, InternalAuthenticateRequest};
use crate::etcdserver::request::Operation;
use crate::etcdserver::server::Server;
use crate::types::Index;

impl Server {
    pub(super) fn check_rights(&self, who: &AuthInfo, operation: &Operation) -> Result<(), Error> {
        let keys = |id| self.lease_keys(id);
        match operation {
            Operation::Put(put) => self.auth.check_put(who, put, &keys),
            Operation::DeleteRange(delete) => self.auth.check_delete_range(who, delete),
            Operation::Txn(txn) => self.auth.check_txn(who, txn, &keys),
            Operation::LeaseGrant(_) => self.auth.require_user(who),
            Operation::LeaseRevoke(revoke) => {
                self.auth.require_user(who)?;
                self.auth.check_lease_revoke(who, revoke.id, &keys)
            }
            Operation::Auth(request) => self.auth.check_auth(who, request),
            Operation::Compaction(_)
            | Operation::Alarm(_)
            | Operation::ClusterMemberAttrSet { .. }
            | Operation::DowngradeInfoSet(_)
            | Operation::LeaseCheckpoint(_)
            | Operation::Authenticate(_) => Ok(()),
        }
    }

    pub(super) fn apply_auth(&mut self, request: &AuthRequest) -> Result<AuthResponse, Error> {
        let mut response = self.auth.apply(request)?;
        *response.header_mut() = self.header();
        Ok(response)
    }

    pub(super) fn apply_login(
        &mut self,
        login: &InternalAuthenticateRequest,
        index: Index,
    ) -> Result<AuthenticateResponse, Error> {
        let now = self.now();
        let response = self.auth.authenticate(login, index, now)?;
        Ok(AuthenticateResponse { header: self.header(), ..response })
    }
}
