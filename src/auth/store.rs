//! The auth store of one member: the replicated state, and what hangs on it.
//!
//! What it is: the state with its permission cache and the member's tokens kept in step.
//! What it is not: the rules of a change (see `changes`) or of a right (see `permitted`).
//! Invariants: the cache is rebuilt with each change, and only then; no method but those named for it is
//! slow: [`AuthStore::prepare`] and [`AuthStore::check_password`] hash.
//! Source: etcd `server/auth/store.go`, `server/etcdserver/v3_server.go` (`Authenticate`, `UserAdd`).

use serde::{Deserialize, Serialize};

use super::password;
use super::range_set::UserPermissions;
use super::state::{AuthState, InvalidState, ROOT_USER, User};
use super::token::{self, SIMPLE_TOKEN_TTL_MS, SimpleTokens};
use crate::api::{AuthRequest, AuthResponse, AuthenticateResponse, Error};
use crate::random::Pcg32;
use crate::types::{Index, Millis, SmallMap};

/// Settings of the auth store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuthConfig {
    /// `--bcrypt-cost`. Unit: log2 of rounds. Range: 4 to 31, else the default. Default: 10.
    pub bcrypt_cost: u32,
    /// `--auth-token-ttl`. Unit: ms (etcd: s). Range: 1 or more. Default: 300,000.
    pub token_ttl_ms: u64,
}

impl Default for AuthConfig {
    fn default() -> Self {
        Self { bcrypt_cost: password::BCRYPT_COST_DEFAULT, token_ttl_ms: SIMPLE_TOKEN_TTL_MS }
    }
}

/// Who asks, as it travels in a log entry. The default is nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthInfo {
    /// The user; empty means nobody.
    pub username: String,
    /// The auth revision at which the user was identified; 0 means nobody.
    pub revision: u64,
}

/// What a token says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Who asks; the default if auth is off or there is no token.
    Known(AuthInfo),
    /// The token was made by an entry that this member has not applied yet: ask again when it has.
    Wait(Index),
}

/// What the log carries of an `Authenticate`: no password, it was compared before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InternalAuthenticateRequest {
    /// The user.
    pub name: String,
    /// The random part of the token.
    pub simple_token: String,
}

impl InternalAuthenticateRequest {
    /// For a user whose password was right.
    #[must_use]
    pub fn new(name: &str, random: &mut Pcg32) -> Self {
        Self { name: name.to_owned(), simple_token: token::draw_letters(random) }
    }
}

/// The auth store of one member.
#[derive(Clone, Debug)]
pub struct AuthStore {
    config: AuthConfig,
    pub(super) state: AuthState,
    /// Function of `state`; one entry for each user.
    pub(super) permissions: SmallMap<String, UserPermissions>,
    pub(super) tokens: SimpleTokens,
}

impl AuthStore {
    /// An empty store: auth is off, the revision is 1.
    #[must_use]
    pub fn new(config: AuthConfig) -> Self {
        let config =
            AuthConfig { bcrypt_cost: password::allowed_cost(config.bcrypt_cost), ..config };
        Self {
            config,
            state: AuthState::default(),
            permissions: SmallMap::new(),
            tokens: SimpleTokens::default(),
        }
    }

    /// Takes over a state that was stored, or that came with a snapshot.
    ///
    /// Tokens stay with users that the new state has with the same password.
    ///
    /// # Errors
    /// If the state contradicts itself; nothing is taken over then.
    pub fn recover(&mut self, state: AuthState) -> Result<(), InvalidState> {
        state.validate()?;
        let before = std::mem::replace(&mut self.state, state);
        if self.state.enabled {
            let password = |state: &AuthState, name: &str| {
                state.users.get(name).map(|user| user.password.clone())
            };
            let after = &self.state;
            self.tokens.retain_users(|name| {
                after.users.contains_key(name) && password(&before, name) == password(after, name)
            });
        } else {
            self.tokens.clear();
        }
        self.refresh_permissions();
        Ok(())
    }

    /// What is to be stored, sent and hashed.
    #[must_use]
    pub const fn state(&self) -> &AuthState {
        &self.state
    }

    /// Whether auth is on.
    #[must_use]
    pub const fn is_enabled(&self) -> bool {
        self.state.enabled
    }

    /// The auth revision.
    #[must_use]
    pub const fn revision(&self) -> u64 {
        self.state.revision
    }

    /// The cost in force.
    #[must_use]
    pub const fn bcrypt_cost(&self) -> u32 {
        self.config.bcrypt_cost
    }

    /// Replaces a password in plain text by its hash, before the request is proposed. Slow.
    ///
    /// Every other request passes unchanged. An empty new password is not hashed: no password fits
    /// it afterwards, as in etcd.
    ///
    /// # Errors
    /// `PasswordTooLong`.
    pub fn prepare(
        &self,
        mut request: AuthRequest,
        random: &mut Pcg32,
    ) -> Result<AuthRequest, Error> {
        let cost = self.config.bcrypt_cost;
        match &mut request {
            AuthRequest::UserAdd(add) if !add.options.unwrap_or_default().no_password => {
                add.hashed_password = password::hash_password(&add.password, cost, random)?;
                add.password.clear();
            }
            AuthRequest::UserAdd(add) => add.password.clear(),
            AuthRequest::UserChangePassword(change) if !change.password.is_empty() => {
                change.hashed_password = password::hash_password(&change.password, cost, random)?;
                change.password.clear();
            }
            _ => {}
        }
        Ok(request)
    }

    /// Compares a password, and says at which auth revision it was right. Slow.
    ///
    /// The member then proposes an [`InternalAuthenticateRequest`]; if the revision is another one when that
    /// has been applied, it begins again.
    ///
    /// # Errors
    /// `AuthNotEnabled`, `AuthFailed`, `NoPasswordUser`.
    pub fn check_password(&self, name: &str, password: &str) -> Result<u64, Error> {
        if !self.state.enabled {
            return Err(Error::AuthNotEnabled);
        }
        let user = self.state.users.get(name).ok_or(Error::AuthFailed)?;
        if user.no_password {
            return Err(Error::NoPasswordUser);
        }
        if !password::is_match(&user.password, password) {
            return Err(Error::AuthFailed);
        }
        Ok(self.state.revision)
    }

    /// Applies the entry at `index`: every member gives the user the same token.
    ///
    /// # Errors
    /// `AuthNotEnabled`, `AuthFailed`.
    pub fn authenticate(
        &mut self,
        request: &InternalAuthenticateRequest,
        index: Index,
        now: Millis,
    ) -> Result<AuthenticateResponse, Error> {
        if !self.state.enabled {
            return Err(Error::AuthNotEnabled);
        }
        match self.state.users.get(&request.name) {
            Some(User { no_password: false, .. }) => {}
            Some(_) | None => return Err(Error::AuthFailed),
        }
        let expires = now.plus(self.config.token_ttl_ms);
        let token = self.tokens.assign(&request.name, &request.simple_token, index, expires);
        Ok(AuthenticateResponse { token, ..AuthenticateResponse::default() })
    }

    /// Says who asks, when a request arrives at a member that has applied up to `applied`.
    ///
    /// A token that is used lives another TTL.
    ///
    /// # Errors
    /// `InvalidAuthToken`.
    pub fn identify(
        &mut self,
        token: Option<&str>,
        applied: Index,
        now: Millis,
    ) -> Result<Identity, Error> {
        let Some(token) = token.filter(|_| self.state.enabled) else {
            return Ok(Identity::Known(AuthInfo::default()));
        };
        let made = token::index_of(token).ok_or(Error::InvalidAuthToken)?;
        if made > applied {
            return Ok(Identity::Wait(made));
        }
        let expires = now.plus(self.config.token_ttl_ms);
        let username = self.tokens.renew(token, now, expires).ok_or(Error::InvalidAuthToken)?;
        Ok(Identity::Known(AuthInfo { username, revision: self.state.revision }))
    }

    /// As whom the member itself asks, for what it does on nobody's behalf: revoking expired leases.
    #[must_use]
    pub fn root_info(&self) -> AuthInfo {
        if self.state.enabled {
            AuthInfo { username: ROOT_USER.to_owned(), revision: self.state.revision }
        } else {
            AuthInfo::default()
        }
    }

    /// Forgets tokens that were not used for a TTL. Once a second is often enough.
    pub fn expire_tokens(&mut self, now: Millis) {
        self.tokens.expire(now);
    }

    /// Applies an entry. The right to do it was checked by [`AuthStore::check_auth`].
    ///
    /// # Errors
    /// Those of etcd; nothing changes then.
    pub fn apply(&mut self, request: &AuthRequest) -> Result<AuthResponse, Error> {
        let before = self.state.revision;
        let response = self.state.change(request)?;
        match request {
            AuthRequest::Disable(_) if before != self.state.revision => self.tokens.clear(),
            AuthRequest::UserDelete(deleted) => {
                self.tokens.retain_users(|name| name != deleted.name);
            }
            AuthRequest::UserChangePassword(changed) => {
                self.tokens.retain_users(|name| name != changed.name);
            }
            _ => {}
        }
        if before != self.state.revision {
            self.refresh_permissions();
        }
        Ok(response)
    }

    fn refresh_permissions(&mut self) {
        self.permissions = self
            .state
            .users
            .iter()
            .map(|(name, user)| {
                let roles = user.roles.iter().filter_map(|role| self.state.roles.get(role));
                let granted = roles.flat_map(|role| &role.key_permission);
                (name.clone(), UserPermissions::new(granted))
            })
            .collect();
    }
}
