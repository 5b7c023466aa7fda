//! Each change of users, roles and grants, as a function of the state and one request.
//!
//! What it is: etcd's rules and errors, in etcd's order.
//! What it is not: a check of who asks (see `permitted`); what hangs on a change (tokens, cached
//! permissions) follows in `store`.
//! Invariants: an `Err` changes nothing; an `Ok` that changes something moves the revision by one; nothing
//! here draws a random number.
//! Source: etcd `server/auth/store.go`.

use bytes::Bytes;

use super::password;
use super::range_set::is_valid_permission_range;
use super::state::{AuthState, ROOT_ROLE, ROOT_USER, Role, User};
use crate::api::{
    AuthDisableResponse, AuthEnableResponse, AuthRequest, AuthResponse, AuthRoleAddRequest,
    AuthRoleAddResponse, AuthRoleDeleteRequest, AuthRoleDeleteResponse, AuthRoleGetRequest,
    AuthRoleGetResponse, AuthRoleGrantPermissionRequest, AuthRoleGrantPermissionResponse,
    AuthRoleListResponse, AuthRoleRevokePermissionRequest, AuthRoleRevokePermissionResponse,
    AuthStatusResponse, AuthUserAddRequest, AuthUserAddResponse, AuthUserChangePasswordRequest,
    AuthUserChangePasswordResponse, AuthUserDeleteRequest, AuthUserDeleteResponse,
    AuthUserGetRequest, AuthUserGetResponse, AuthUserGrantRoleRequest, AuthUserGrantRoleResponse,
    AuthUserListResponse, AuthUserRevokeRoleRequest, AuthUserRevokeRoleResponse, Error, Permission,
    PermissionType,
};
use crate::random::Pcg32;

impl AuthState {
    /// Does what the request says. Headers of answers are left to the member.
    pub(super) fn change(&mut self, request: &AuthRequest) -> Result<AuthResponse, Error> {
        Ok(match request {
            AuthRequest::Enable(_) => AuthResponse::Enable(self.enable()?),
            AuthRequest::Disable(_) => AuthResponse::Disable(self.disable()),
            AuthRequest::Status(_) => AuthResponse::Status(self.status()),
            AuthRequest::UserAdd(request) => AuthResponse::UserAdd(self.user_add(request)?),
            AuthRequest::UserGet(request) => AuthResponse::UserGet(self.user_get(request)?),
            AuthRequest::UserList(_) => AuthResponse::UserList(self.user_list()),
            AuthRequest::UserDelete(request) => {
                AuthResponse::UserDelete(self.user_delete(request)?)
            }
            AuthRequest::UserChangePassword(request) => {
                AuthResponse::UserChangePassword(self.user_change_password(request)?)
            }
            AuthRequest::UserGrantRole(request) => {
                AuthResponse::UserGrantRole(self.user_grant_role(request)?)
            }
            AuthRequest::UserRevokeRole(request) => {
                AuthResponse::UserRevokeRole(self.user_revoke_role(request)?)
            }
            AuthRequest::RoleAdd(request) => AuthResponse::RoleAdd(self.role_add(request)?),
            AuthRequest::RoleGet(request) => AuthResponse::RoleGet(self.role_get(request)?),
            AuthRequest::RoleList(_) => AuthResponse::RoleList(self.role_list()),
            AuthRequest::RoleDelete(request) => {
                AuthResponse::RoleDelete(self.role_delete(request)?)
            }
            AuthRequest::RoleGrantPermission(request) => {
                AuthResponse::RoleGrantPermission(self.role_grant_permission(request)?)
            }
            AuthRequest::RoleRevokePermission(request) => {
                AuthResponse::RoleRevokePermission(self.role_revoke_permission(request)?)
            }
        })
    }

    const fn changed(&mut self) {
        self.revision += 1;
    }

    /// Turning auth on does not move the revision: no right of anybody's was granted or taken.
    fn enable(&mut self) -> Result<AuthEnableResponse, Error> {
        if !self.enabled {
            let root = self.users.get(ROOT_USER).ok_or(Error::RootUserNotExist)?;
            if !root.has_root_role() {
                return Err(Error::RootRoleNotExist);
            }
            self.enabled = true;
        }
        Ok(AuthEnableResponse::default())
    }

    fn disable(&mut self) -> AuthDisableResponse {
        if self.enabled {
            self.enabled = false;
            self.changed();
        }
        AuthDisableResponse::default()
    }

    fn status(&self) -> AuthStatusResponse {
        AuthStatusResponse {
            enabled: self.enabled,
            auth_revision: self.revision,
            ..AuthStatusResponse::default()
        }
    }

    fn user_add(&mut self, request: &AuthUserAddRequest) -> Result<AuthUserAddResponse, Error> {
        if request.name.is_empty() {
            return Err(Error::UserEmpty);
        }
        if self.users.contains_key(&request.name) {
            return Err(Error::UserAlreadyExist);
        }
        let no_password = request.options.unwrap_or_default().no_password;
        let password = if no_password {
            Bytes::new()
        } else {
            self.stored_password(&request.name, &request.password, &request.hashed_password)?
        };
        let user = User { password, roles: Vec::new(), no_password };
        self.users.insert(request.name.clone(), user);
        self.changed();
        Ok(AuthUserAddResponse::default())
    }

    /// What is kept of a password. Neither a password nor a hash keeps nothing, and nothing fits that.
    fn stored_password(&self, name: &str, plain: &str, hashed: &str) -> Result<Bytes, Error> {
        if plain.is_empty() || !hashed.is_empty() {
            return password::decode(hashed).ok_or(Error::NoPasswordUser);
        }
        // The form of entries before etcd 3.5. Cost and salt are the same on every member.
        let name: Vec<u64> = name.bytes().map(u64::from).collect();
        let mut random = Pcg32::for_stream(self.revision, &name);
        password::hash_password(plain, password::BCRYPT_COST_DEFAULT, &mut random)
            .ok()
            .and_then(|hashed| password::decode(&hashed))
            .ok_or(Error::NoPasswordUser)
    }

    fn user_get(&self, request: &AuthUserGetRequest) -> Result<AuthUserGetResponse, Error> {
        let user = self.users.get(&request.name).ok_or(Error::UserNotFound)?;
        Ok(AuthUserGetResponse { roles: user.roles.clone(), ..AuthUserGetResponse::default() })
    }

    fn user_list(&self) -> AuthUserListResponse {
        let users = self.users.keys().cloned().collect();
        AuthUserListResponse { users, ..AuthUserListResponse::default() }
    }

    fn user_delete(
        &mut self,
        request: &AuthUserDeleteRequest,
    ) -> Result<AuthUserDeleteResponse, Error> {
        if self.enabled && request.name == ROOT_USER {
            return Err(Error::InvalidAuthMgmt);
        }
        self.users.remove(&request.name).ok_or(Error::UserNotFound)?;
        self.changed();
        Ok(AuthUserDeleteResponse::default())
    }

    fn user_change_password(
        &mut self,
        request: &AuthUserChangePasswordRequest,
    ) -> Result<AuthUserChangePasswordResponse, Error> {
        let user = self.users.get(&request.name).ok_or(Error::UserNotFound)?;
        // A user without a password stays so, though the change counts.
        let password = if user.no_password {
            Bytes::new()
        } else {
            self.stored_password(&request.name, &request.password, &request.hashed_password)?
        };
        if let Some(user) = self.users.get_mut(&request.name) {
            user.password = password;
        }
        self.changed();
        Ok(AuthUserChangePasswordResponse::default())
    }

    fn user_grant_role(
        &mut self,
        request: &AuthUserGrantRoleRequest,
    ) -> Result<AuthUserGrantRoleResponse, Error> {
        let user = self.users.get_mut(&request.user).ok_or(Error::UserNotFound)?;
        if request.role != ROOT_ROLE && !self.roles.contains_key(&request.role) {
            return Err(Error::RoleNotFound);
        }
        if let Err(at) = user.roles.binary_search(&request.role) {
            user.roles.insert(at, request.role.clone());
            self.changed();
        }
        Ok(AuthUserGrantRoleResponse::default())
    }

    fn user_revoke_role(
        &mut self,
        request: &AuthUserRevokeRoleRequest,
    ) -> Result<AuthUserRevokeRoleResponse, Error> {
        if self.enabled && request.name == ROOT_USER && request.role == ROOT_ROLE {
            return Err(Error::InvalidAuthMgmt);
        }
        let user = self.users.get_mut(&request.name).ok_or(Error::UserNotFound)?;
        if !user.has_role(&request.role) {
            return Err(Error::RoleNotGranted);
        }
        user.roles.retain(|role| *role != request.role);
        self.changed();
        Ok(AuthUserRevokeRoleResponse::default())
    }

    fn role_add(&mut self, request: &AuthRoleAddRequest) -> Result<AuthRoleAddResponse, Error> {
        if request.name.is_empty() {
            return Err(Error::RoleEmpty);
        }
        if self.roles.contains_key(&request.name) {
            return Err(Error::RoleAlreadyExist);
        }
        self.roles.insert(request.name.clone(), Role::default());
        self.changed();
        Ok(AuthRoleAddResponse::default())
    }

    /// The role root is shown with the whole key space, whatever was granted to it.
    fn role_get(&self, request: &AuthRoleGetRequest) -> Result<AuthRoleGetResponse, Error> {
        let role = self.roles.get(&request.role).ok_or(Error::RoleNotFound)?;
        let perm = if request.role == ROOT_ROLE {
            vec![Permission {
                perm_type: PermissionType::ReadWrite,
                key: Bytes::new(),
                range_end: Bytes::from_static(&[0]),
            }]
        } else {
            role.key_permission.clone()
        };
        Ok(AuthRoleGetResponse { perm, ..AuthRoleGetResponse::default() })
    }

    fn role_list(&self) -> AuthRoleListResponse {
        let roles = self.roles.keys().cloned().collect();
        AuthRoleListResponse { roles, ..AuthRoleListResponse::default() }
    }

    fn role_delete(
        &mut self,
        request: &AuthRoleDeleteRequest,
    ) -> Result<AuthRoleDeleteResponse, Error> {
        if self.enabled && request.role == ROOT_ROLE {
            return Err(Error::InvalidAuthMgmt);
        }
        self.roles.remove(&request.role).ok_or(Error::RoleNotFound)?;
        for user in self.users.values_mut() {
            user.roles.retain(|role| *role != request.role);
        }
        self.changed();
        Ok(AuthRoleDeleteResponse::default())
    }

    /// Only the first permission with the key is looked at, as in etcd: if that one has another end, the
    /// grant is added though the same range may stand further on.
    fn role_grant_permission(
        &mut self,
        request: &AuthRoleGrantPermissionRequest,
    ) -> Result<AuthRoleGrantPermissionResponse, Error> {
        let grant = request.perm.as_ref().ok_or(Error::PermissionNotGiven)?;
        if !is_valid_permission_range(&grant.key, &grant.range_end) {
            return Err(Error::InvalidAuthMgmt);
        }
        let role = self.roles.get_mut(&request.name).ok_or(Error::RoleNotFound)?;
        let granted = &mut role.key_permission;
        let first = granted.partition_point(|have| have.key < grant.key);
        match granted.get_mut(first) {
            Some(have) if have.key == grant.key && have.range_end == grant.range_end => {
                have.perm_type = grant.perm_type;
            }
            _ => {
                let after = granted.partition_point(|have| have.key <= grant.key);
                granted.insert(after, grant.clone());
            }
        }
        self.changed();
        Ok(AuthRoleGrantPermissionResponse::default())
    }

    fn role_revoke_permission(
        &mut self,
        request: &AuthRoleRevokePermissionRequest,
    ) -> Result<AuthRoleRevokePermissionResponse, Error> {
        let role = self.roles.get_mut(&request.role).ok_or(Error::RoleNotFound)?;
        let before = role.key_permission.len();
        role.key_permission
            .retain(|have| have.key != request.key || have.range_end != request.range_end);
        if role.key_permission.len() == before {
            return Err(Error::PermissionNotGranted);
        }
        self.changed();
        Ok(AuthRoleRevokePermissionResponse::default())
    }
}
