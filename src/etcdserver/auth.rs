//! Who asks, and whether this member may answer.
//!
//! What it is: tokens become names when a request comes in; passwords are compared or hashed before
//! anything is proposed; what this member answers by itself is checked here.
//! What it is not: the rules (see `auth`), or the check of what goes through the log (see
//! `applier::auth`).
//! Invariants: a request is identified once, when it comes; no password is proposed; a login whose
//! password was compared at another auth revision than its entry was applied at is done anew; a token of
//! an entry that was not applied yet waits for it, except on a watch, which is refused.
//! Source: behaviour of etcd `server/etcdserver/v3_server.go`, `api/v3rpc` (`watch.go`,
//! `maintenance.go`, `member.go`).

use super::io::RequestId;
use super::request::{Operation, ProposalId};
use super::server::Server;
use crate::api::{
    AuthRequest, AuthenticateRequest, Error, Request, WatchCreateRequest, WatchResponse,
};
use crate::auth::{AuthInfo, Identity, InternalAuthenticateRequest};
use crate::types::{Index, LeaseId, SmallMap, WatchId};

/// Requests that wait for the entry of their token. Unit: requests. Source: ours.
const WAITING_MAX: usize = 10_000;

/// How often tokens are looked at. Unit: ms. Source: etcd `simpleTokenTTLResolution`.
const EXPIRE_MS: u64 = 1_000;

/// A login whose entry is on its way.
#[derive(Clone, Debug)]
struct Login {
    request: AuthenticateRequest,
    /// The auth revision at which the password was compared.
    revision: u64,
    deadline: u64,
}

/// A request with a token that is not known yet.
#[derive(Clone, Debug)]
struct Unknown {
    made: Index,
    client: RequestId,
    token: String,
    request: Request,
}

/// Logins on their way, and requests that wait for one.
#[derive(Clone, Debug, Default)]
pub(super) struct Logins {
    asked: SmallMap<ProposalId, Login>,
    waiting: Vec<Unknown>,
}

impl Logins {
    pub(super) fn cancel(&mut self, client: RequestId) {
        self.waiting.retain(|unknown| unknown.client != client);
    }
}

impl Server {
    /// A request, with what its client got from a login.
    pub(super) fn client_with(
        &mut self,
        client: RequestId,
        token: Option<String>,
        request: Request,
    ) {
        if matches!(request, Request::Authenticate(_)) {
            self.client(client, AuthInfo::default(), request);
            return;
        }
        let identity = self.auth.identify(token.as_deref(), self.applied, self.now());
        match (identity, token) {
            (Ok(Identity::Known(who)), _) => self.client(client, who, request),
            (Ok(Identity::Wait(made)), Some(token)) if self.logins.waiting.len() < WAITING_MAX => {
                self.logins.waiting.push(Unknown { made, client, token, request });
            }
            (Ok(Identity::Wait(_)), _) => self.reply(client, Err(Error::TooManyRequests)),
            (Err(error), _) => self.reply(client, Err(error)),
        }
    }

    /// Takes up the requests whose token may be known by now.
    pub(super) fn serve_tokens(&mut self) {
        let applied = self.applied;
        if self.logins.waiting.iter().all(|unknown| unknown.made > applied) {
            return;
        }
        let (ready, open) = std::mem::take(&mut self.logins.waiting)
            .into_iter()
            .partition(|unknown| unknown.made <= applied);
        self.logins.waiting = open;
        let ready: Vec<Unknown> = ready;
        for Unknown { client, token, request, .. } in ready {
            self.client_with(client, Some(token), request);
        }
    }

    pub(super) fn tick_auth(&mut self) {
        let now = self.ticks;
        self.logins.asked.retain(|_, login| login.deadline > now);
        if now.is_multiple_of(self.ticks_of(EXPIRE_MS).max(1)) {
            self.auth.expire_tokens(self.now());
        }
    }

    // ---- logins and changes ----

    /// Compares the password; the entry then gives the token.
    pub(super) fn log_in(&mut self, client: RequestId, request: AuthenticateRequest) {
        match self.auth.check_password(&request.name, &request.password) {
            Err(error) => self.reply(client, Err(error)),
            Ok(revision) => {
                let login = InternalAuthenticateRequest::new(&request.name, &mut self.draws);
                let operation = Operation::Authenticate(login);
                if let Some(id) = self.propose(client, operation, AuthInfo::default()) {
                    // The proposal waits for a leader, and then for its entry.
                    let deadline = self.request_deadline().saturating_mul(2);
                    self.logins.asked.insert(id, Login { request, revision, deadline });
                }
            }
        }
    }

    /// The entry of a login was applied; true if it counts for nothing and is done anew.
    pub(super) fn logs_in_again(&mut self, id: ProposalId, client: RequestId) -> bool {
        match self.logins.asked.remove(&id) {
            Some(login) if login.revision != self.auth.revision() => {
                self.log_in(client, login.request);
                true
            }
            Some(_) | None => false,
        }
    }

    pub(super) fn change_auth(
        &mut self,
        client: RequestId,
        who: AuthInfo,
        request: AuthRequest,
    ) -> Result<(), Error> {
        let request = self.auth.prepare(request, &mut self.draws)?;
        self.propose(client, Operation::Auth(request), who);
        Ok(())
    }

    // ---- rights ----

    /// The keys of a lease.
    pub(super) fn lease_keys(&self, id: LeaseId) -> Vec<bytes::Bytes> {
        let lease = self.lessor.leases().get(id);
        lease.map(|lease| lease.keys().cloned().collect()).unwrap_or_default()
    }

    /// Whether `who` may read that here.
    pub(super) fn check_read(&self, who: &AuthInfo, request: &Request) -> Result<(), Error> {
        let keys = |id| self.lease_keys(id);
        match request {
            Request::Range(range) => self.auth.check_range(who, range),
            Request::Txn(txn) => self.auth.check_txn(who, txn, &keys),
            Request::LeaseLeases(_) => self.auth.check_lease_read(who, &self.lessor.list(), &keys),
            Request::HashKv(_) => self.auth.is_admin_permitted(who),
            _ => self.auth.require_user(who),
        }
    }

    /// Whether `who` may ask this member for that.
    pub(super) fn check_member_request(
        &self,
        who: &AuthInfo,
        request: &Request,
    ) -> Result<(), Error> {
        let keys = |id| self.lease_keys(id);
        match request {
            // Checked when their entries are applied.
            Request::Auth(_) | Request::LeaseGrant(_) => Ok(()),
            Request::LeaseKeepAlive(alive) => self.auth.check_lease_renew(who, alive.id, &keys),
            Request::LeaseTimeToLive(asked) if asked.keys => {
                self.auth.check_lease_read(who, &[asked.id], &keys)
            }
            Request::LeaseTimeToLive(_) => self.auth.require_user(who),
            _ => self.auth.is_admin_permitted(who),
        }
    }

    /// Whether a watch may begin.
    pub(super) fn check_watch(
        &mut self,
        token: Option<&str>,
        create: &WatchCreateRequest,
    ) -> Result<(), Error> {
        let now = self.now();
        match self.auth.identify(token, self.applied, now)? {
            Identity::Known(who) => self.auth.check_watch(&who, create),
            Identity::Wait(_) => Err(Error::InvalidAuthToken),
        }
    }

    /// The answer to a watch that may not begin: created and canceled at once.
    pub(super) fn no_watch(&self, error: Error) -> WatchResponse {
        WatchResponse {
            header: self.header(),
            watch_id: WatchId(-1),
            created: true,
            canceled: true,
            cancel_reason: format!("rpc error: code = {} desc = {}", error.code(), error.text()),
            ..WatchResponse::default()
        }
    }
}
