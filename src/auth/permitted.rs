//! Who may do what.
//!
//! What it is: one check for each kind of request, in etcd's order, as a function of the state and of who
//! asks. The same check is asked when an entry is applied and before a read is answered.
//! What it is not: identification (see [`AuthStore::identify`]).
//! Invariants: with auth off everything is allowed; a check changes nothing.
//! Rights over keys are refused if the request was identified at an older auth revision; the rights of an
//! administrator are looked up anew each time, as in etcd.
//! Source: etcd `server/auth/store.go`, `server/etcdserver/apply/auth.go`,
//! `server/etcdserver/v3_server.go`, `server/etcdserver/api/v3rpc/{watch,maintenance}.go`.

use bytes::Bytes;

use super::store::{AuthInfo, AuthStore};
use crate::api::{
    AuthRequest, DeleteRangeRequest, Error, PermissionType, PutRequest, RangeRequest, RequestOp,
    TxnRequest, WatchCreateRequest,
};
use crate::types::LeaseId;

/// The keys that hang on a lease; none if there is no such lease.
pub type LeaseKeys<'a> = dyn Fn(LeaseId) -> Vec<Bytes> + 'a;

impl AuthStore {
    /// Whether the user may write the key.
    ///
    /// # Errors
    /// `UserEmpty`, `AuthOldRevision`, `PermissionDenied`.
    pub fn is_put_permitted(&self, who: &AuthInfo, key: &Bytes) -> Result<(), Error> {
        self.is_permitted(who, key, &Bytes::new(), PermissionType::Write)
    }

    /// Whether the user may read the key or range.
    ///
    /// # Errors
    /// As [`AuthStore::is_put_permitted`].
    pub fn is_range_permitted(
        &self,
        who: &AuthInfo,
        key: &Bytes,
        range_end: &Bytes,
    ) -> Result<(), Error> {
        self.is_permitted(who, key, range_end, PermissionType::Read)
    }

    /// Whether the user may delete the key or range.
    ///
    /// # Errors
    /// As [`AuthStore::is_put_permitted`].
    pub fn is_delete_range_permitted(
        &self,
        who: &AuthInfo,
        key: &Bytes,
        range_end: &Bytes,
    ) -> Result<(), Error> {
        self.is_permitted(who, key, range_end, PermissionType::Write)
    }

    /// Whether the user has the role root.
    ///
    /// # Errors
    /// `UserEmpty`, `UserNotFound`, `PermissionDenied`.
    pub fn is_admin_permitted(&self, who: &AuthInfo) -> Result<(), Error> {
        if !self.state.enabled {
            return Ok(());
        }
        if who.username.is_empty() {
            return Err(Error::UserEmpty);
        }
        let user = self.state.users.get(&who.username).ok_or(Error::UserNotFound)?;
        if user.has_root_role() { Ok(()) } else { Err(Error::PermissionDenied) }
    }

    /// Whether somebody is named at all: enough for status, alarm and member lists, and asked for before a
    /// lease is granted, revoked or looked at.
    ///
    /// # Errors
    /// `UserEmpty`.
    pub fn require_user(&self, who: &AuthInfo) -> Result<(), Error> {
        if self.state.enabled && who.username.is_empty() {
            return Err(Error::UserEmpty);
        }
        Ok(())
    }

    /// Whether the user has the role; false if there is no such user.
    #[must_use]
    pub fn has_role(&self, user: &str, role: &str) -> bool {
        self.state.users.get(user).is_some_and(|user| user.has_role(role))
    }

    fn is_permitted(
        &self,
        who: &AuthInfo,
        key: &Bytes,
        range_end: &Bytes,
        wanted: PermissionType,
    ) -> Result<(), Error> {
        if !self.state.enabled {
            return Ok(());
        }
        if who.revision == 0 {
            return Err(Error::UserEmpty);
        }
        if who.revision < self.state.revision {
            return Err(Error::AuthOldRevision);
        }
        let user = self.state.users.get(&who.username).ok_or(Error::PermissionDenied)?;
        if user.has_root_role() {
            return Ok(());
        }
        let granted = self.permissions.get(&who.username).ok_or(Error::PermissionDenied)?;
        let is_granted = match wanted {
            PermissionType::Read => granted.read.contains(key, range_end),
            PermissionType::Write => granted.write.contains(key, range_end),
            PermissionType::ReadWrite => {
                granted.read.contains(key, range_end) && granted.write.contains(key, range_end)
            }
        };
        if is_granted { Ok(()) } else { Err(Error::PermissionDenied) }
    }

    /// Checks a range request.
    ///
    /// # Errors
    /// As [`AuthStore::is_put_permitted`].
    pub fn check_range(&self, who: &AuthInfo, range: &RangeRequest) -> Result<(), Error> {
        self.is_range_permitted(who, &range.key, &range.range_end)
    }

    /// Checks a put: the key must be writable, all keys of its lease too (else the user could not revoke
    /// the lease), and the key readable if its previous value is wanted.
    ///
    /// # Errors
    /// As [`AuthStore::is_put_permitted`].
    pub fn check_put(
        &self,
        who: &AuthInfo,
        put: &PutRequest,
        lease_keys: &LeaseKeys<'_>,
    ) -> Result<(), Error> {
        self.is_put_permitted(who, &put.key)?;
        self.check_lease_revoke(who, put.lease, lease_keys)?;
        if put.prev_kv {
            self.is_range_permitted(who, &put.key, &Bytes::new())?;
        }
        Ok(())
    }

    /// Checks a delete: the range must be writable, and readable if the previous values are wanted.
    ///
    /// # Errors
    /// As [`AuthStore::is_put_permitted`].
    pub fn check_delete_range(
        &self,
        who: &AuthInfo,
        delete: &DeleteRangeRequest,
    ) -> Result<(), Error> {
        self.is_delete_range_permitted(who, &delete.key, &delete.range_end)?;
        if delete.prev_kv {
            self.is_range_permitted(who, &delete.key, &delete.range_end)?;
        }
        Ok(())
    }

    /// Checks a transaction: what it compares must be readable, and every operation of both branches
    /// allowed, whichever is taken, nested transactions included.
    ///
    /// # Errors
    /// As [`AuthStore::is_put_permitted`].
    pub fn check_txn(
        &self,
        who: &AuthInfo,
        txn: &TxnRequest,
        lease_keys: &LeaseKeys<'_>,
    ) -> Result<(), Error> {
        // Recursion is bounded: requests nested deeper than their operations allow were refused before.
        for compare in &txn.compare {
            self.is_range_permitted(who, &compare.key, &compare.range_end)?;
        }
        for operation in txn.success.iter().chain(&txn.failure) {
            match operation {
                RequestOp::Range(range) => self.check_range(who, range)?,
                RequestOp::Put(put) => self.check_put(who, put, lease_keys)?,
                RequestOp::DeleteRange(delete) => self.check_delete_range(who, delete)?,
                RequestOp::Txn(nested) => self.check_txn(who, nested, lease_keys)?,
            }
        }
        Ok(())
    }

    /// Checks the revocation of a lease: all its keys must be writable, for they will be deleted.
    ///
    /// # Errors
    /// As [`AuthStore::is_put_permitted`].
    pub fn check_lease_revoke(
        &self,
        who: &AuthInfo,
        lease: LeaseId,
        lease_keys: &LeaseKeys<'_>,
    ) -> Result<(), Error> {
        if lease == LeaseId::default() || self.is_admin_permitted(who).is_ok() {
            return Ok(());
        }
        lease_keys(lease).iter().try_for_each(|key| self.is_put_permitted(who, key))
    }

    /// Checks a keep-alive: somebody must be named, and all keys of the lease be writable.
    ///
    /// # Errors
    /// As [`AuthStore::is_put_permitted`].
    pub fn check_lease_renew(
        &self,
        who: &AuthInfo,
        lease: LeaseId,
        lease_keys: &LeaseKeys<'_>,
    ) -> Result<(), Error> {
        self.require_user(who)?;
        self.check_lease_revoke(who, lease, lease_keys)
    }

    /// Checks a look at leases that shows their keys, or at all leases: the keys must be readable.
    ///
    /// # Errors
    /// As [`AuthStore::is_put_permitted`].
    pub fn check_lease_read(
        &self,
        who: &AuthInfo,
        leases: &[LeaseId],
        lease_keys: &LeaseKeys<'_>,
    ) -> Result<(), Error> {
        self.require_user(who)?;
        if self.is_admin_permitted(who).is_ok() {
            return Ok(());
        }
        for lease in leases {
            for key in lease_keys(*lease) {
                self.is_range_permitted(who, &key, &Bytes::new())?;
            }
        }
        Ok(())
    }

    /// Checks the creation of a watch: its range must be readable now. An empty key means `[0]`.
    ///
    /// # Errors
    /// As [`AuthStore::is_put_permitted`].
    pub fn check_watch(&self, who: &AuthInfo, watch: &WatchCreateRequest) -> Result<(), Error> {
        let smallest = Bytes::from_static(&[0]);
        let key = if watch.key.is_empty() { &smallest } else { &watch.key };
        self.is_range_permitted(who, key, &watch.range_end)
    }

    /// Checks a request of the service `Auth`: everything needs the role root, but a user may look at
    /// itself and its roles, and anybody may ask for the status.
    ///
    /// # Errors
    /// As [`AuthStore::is_admin_permitted`].
    pub fn check_auth(&self, who: &AuthInfo, request: &AuthRequest) -> Result<(), Error> {
        let is_own = match request {
            AuthRequest::Status(_) => true,
            AuthRequest::UserGet(get) => get.name == who.username,
            AuthRequest::RoleGet(get) => self.has_role(&who.username, &get.role),
            AuthRequest::Enable(_)
            | AuthRequest::Disable(_)
            | AuthRequest::UserAdd(_)
            | AuthRequest::UserList(_)
            | AuthRequest::UserDelete(_)
            | AuthRequest::UserChangePassword(_)
            | AuthRequest::UserGrantRole(_)
            | AuthRequest::UserRevokeRole(_)
            | AuthRequest::RoleAdd(_)
            | AuthRequest::RoleList(_)
            | AuthRequest::RoleDelete(_)
            | AuthRequest::RoleGrantPermission(_)
            | AuthRequest::RoleRevokePermission(_) => false,
        };
        if is_own { Ok(()) } else { self.is_admin_permitted(who) }
    }
}
