//! etcd 3.7's auth store as a pure state machine: users, roles, permissions over keys, tokens.
//!
//! What it is: the replicated state ([`AuthState`]) with the changes to it as functions of a log entry
//! ([`AuthStore::apply`], [`AuthStore::authenticate`]), the checks of every request against it
//! (`check_…`), the hashing of passwords that comes before a proposal ([`AuthStore::prepare`]), and
//! the simple tokens, which each member keeps for itself.
//! What it is not: a place where requests wait, a clock (`now` is a parameter), or a source of
//! randomness (the caller's stream is).
//! JWT is out of scope: `--auth-token` is `simple` here, and no request carries anything but a simple
//! token; client certificates (`--client-cert-auth`) do not exist in a page.
//!
//! Who calls what, when:
//! 1. a request arrives with a token: [`AuthStore::identify`] says who asks, at which auth revision;
//!    the answer ([`AuthInfo`]) travels in the log entry beside the operation;
//! 2. before proposing, a password is hashed ([`AuthStore::prepare`]) or compared
//!    ([`AuthStore::check_password`]), so that no log entry carries one and applying is quick;
//! 3. when the entry is applied, the first applier checks the right of that [`AuthInfo`], the same on
//!    every member: a request checked against another revision than it was identified at is refused
//!    as old, never half applied.
//!
//! Invariants:
//! - the auth revision starts at 1 and grows by one with each change; an `Err` changes nothing;
//! - [`AuthState`] is a function of the log alone: no time, no randomness, no token goes into it;
//! - the permission cache is a function of the state at the end of every call;
//! - the roles of a user are sorted and distinct; the permissions of a role are sorted by key.
//!
//! Where it differs from etcd: an entry in the form of etcd before 3.5, with a plain password, is hashed
//! with a salt drawn from name and revision, so that members agree (etcd draws a random one on each);
//! tokens of users that a snapshot changed are forgotten; a member keeps at most
//! [`SIMPLE_TOKENS_MAX`] tokens; a read of an empty range (`end <= key`) is judged by merged
//! intervals.
//! Source: etcd `server/auth/{store,range_perm_cache,simple_token}.go`,
//! `server/etcdserver/apply/auth.go`, `server/etcdserver/v3_server.go`.

mod changes;
mod password;
mod permitted;
mod range_set;
mod state;
mod store;
#[cfg(test)]
mod tests;
mod token;

pub use password::{
    BCRYPT_COST_DEFAULT, BCRYPT_COST_MAX, BCRYPT_COST_MIN, PASSWORD_BYTES_MAX, hash_password,
};
pub use permitted::LeaseKeys;
pub use state::{AuthState, InvalidState, ROOT_ROLE, ROOT_USER, Role, User};
pub use store::{AuthConfig, AuthInfo, AuthStore, Identity, InternalAuthenticateRequest};
pub use token::{SIMPLE_TOKEN_TTL_MS, SIMPLE_TOKENS_MAX};
