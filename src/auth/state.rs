//! What all members agree on: users, roles, whether auth is on, and the auth revision.
//!
//! What it is: plain data in a stable order, to be stored, sent in a snapshot, and hashed.
//! What it is not: tokens and cached permissions, which are not replicated (see `token`, `store`).
//! Invariants: [`AuthState::validate`] names them; what is read back from a disk or a peer is held
//! against it before it is used.
//! Source: etcd `api/authpb/auth.proto`, `server/storage/schema/auth*.go`.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::range_set::is_valid_permission_range;
use crate::api::Permission;
use crate::types::SmallMap;

/// The user that must exist before auth can be turned on.
pub const ROOT_USER: &str = "root";

/// The role that passes every check, whatever its permissions say.
pub const ROOT_ROLE: &str = "root";

/// The auth revision of a store in which nothing was changed yet.
const FIRST_REVISION: u64 = 1;

/// A user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct User {
    /// The bcrypt hash, `$2a$…`; empty if there is none, and then no password fits.
    pub password: Bytes,
    /// Names of roles, sorted and distinct.
    pub roles: Vec<String>,
    /// Added without a password.
    pub no_password: bool,
}

impl User {
    /// Whether the user may do everything.
    #[must_use]
    pub fn has_root_role(&self) -> bool {
        self.has_role(ROOT_ROLE)
    }

    pub(super) fn has_role(&self, role: &str) -> bool {
        self.roles.binary_search_by(|have| have.as_str().cmp(role)).is_ok()
    }
}

/// A role.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Role {
    /// Sorted by key; among equal keys, in the order they were granted.
    pub key_permission: Vec<Permission>,
}

/// The replicated state of the auth store.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AuthState {
    pub(super) enabled: bool,
    pub(super) revision: u64,
    pub(super) users: SmallMap<String, User>,
    pub(super) roles: SmallMap<String, Role>,
}

/// Why a state from outside cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidState {
    /// Revisions start at 1.
    #[error("the auth revision is 0")]
    Revision,
    /// A user or role has no name.
    #[error("a user or a role has no name")]
    Name,
    /// See [`User::roles`]; every role but root must exist.
    #[error("the roles of user {0:?} are not sorted, or one does not exist")]
    Roles(String),
    /// See [`Role::key_permission`]; every permission must cover something.
    #[error("the permissions of role {0:?} are not sorted, or one is empty")]
    Permissions(String),
    /// Auth is on, and nobody may turn it off.
    #[error("auth is on without a root user that has the root role")]
    Root,
}

impl Default for AuthState {
    fn default() -> Self {
        Self {
            enabled: false,
            revision: FIRST_REVISION,
            users: SmallMap::new(),
            roles: SmallMap::new(),
        }
    }
}

impl AuthState {
    /// Whether auth is on.
    #[must_use]
    pub const fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Grows by one with each change.
    #[must_use]
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// All users by name.
    #[must_use]
    pub const fn users(&self) -> &SmallMap<String, User> {
        &self.users
    }

    /// All roles by name.
    #[must_use]
    pub const fn roles(&self) -> &SmallMap<String, Role> {
        &self.roles
    }

    /// Holds a state that came from a disk or a peer against the invariants.
    ///
    /// # Errors
    /// Says which one is broken.
    pub fn validate(&self) -> Result<(), InvalidState> {
        if self.revision < FIRST_REVISION {
            return Err(InvalidState::Revision);
        }
        if self.users.contains_key("") || self.roles.contains_key("") {
            return Err(InvalidState::Name);
        }
        for (name, user) in &self.users {
            let exists = |role: &String| role == ROOT_ROLE || self.roles.contains_key(role);
            if !user.roles.is_sorted_by(|one, next| one < next) || !user.roles.iter().all(exists) {
                return Err(InvalidState::Roles(name.clone()));
            }
        }
        for (name, role) in &self.roles {
            let is_valid =
                |have: &Permission| is_valid_permission_range(&have.key, &have.range_end);
            if !role.key_permission.is_sorted_by(|one, next| one.key <= next.key)
                || !role.key_permission.iter().all(is_valid)
            {
                return Err(InvalidState::Permissions(name.clone()));
            }
        }
        if self.enabled && !self.users.get(ROOT_USER).is_some_and(User::has_root_role) {
            return Err(InvalidState::Root);
        }
        Ok(())
    }
}
