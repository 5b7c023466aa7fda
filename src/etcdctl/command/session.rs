//! A session: a lease that is kept alive while a command runs.
//!
//! What it is: the grant, and a keep-alive each third of the time to live.
//! What it is not: tidy; the lease is left to expire, as etcdctl leaves it.
//! Invariants: a session that is over says so once.
//! Source: behaviour of etcd `client/v3/concurrency/session.go` and its lease client.

use crate::api::{LeaseGrantRequest, LeaseKeepAliveRequest, Request, Response};
use crate::etcdctl::command::{Config, EXIT_ERROR, Failure, unexpected_answer};
use crate::etcdctl::executor::{Event, Io, Ticket};
use crate::recipes::{SESSION_TTL_S, keep_alive_ms};
use crate::types::{LeaseId, Millis};

/// Pause after a keep-alive that came to nothing. Unit: ms. Source: etcd's lease client.
const AGAIN_MS: u64 = 500;

/// See the module.
pub(super) struct Session {
    config: Config,
    ttl_s: i64,
    lease: LeaseId,
    /// The grant or the keep-alive under way.
    ticket: Option<Ticket>,
    /// When the lease is taken for lost unless it is kept alive.
    until: Millis,
}

/// What an event means for a session.
pub(super) enum Said {
    /// Nothing: it is about something else.
    NotMine(Event),
    /// It goes on.
    Fine,
    /// The lease is there.
    Begun,
    /// The lease could not be had.
    Refused(Failure),
    /// The lease is lost.
    Over,
}

impl Session {
    /// With this time to live, or etcd's default if it is not positive.
    pub(super) const fn new(config: Config, ttl_s: i64) -> Self {
        let ttl_s = if ttl_s > 0 { ttl_s } else { SESSION_TTL_S };
        Self { config, ttl_s, lease: LeaseId(0), ticket: None, until: Millis(0) }
    }

    pub(super) const fn config(&self) -> &Config {
        &self.config
    }

    pub(super) const fn lease(&self) -> LeaseId {
        self.lease
    }

    pub(super) fn start(&mut self, io: &mut Io) {
        let request = LeaseGrantRequest { ttl: self.ttl_s, id: LeaseId(0) };
        self.ticket = Some(io.ask_forever(&self.config, Request::LeaseGrant(request)));
    }

    pub(super) fn on(&mut self, io: &mut Io, event: Event) -> Said {
        match event {
            Event::Woken => self.keep_alive(io),
            Event::Reply(ticket, result) if self.ticket == Some(ticket) => {
                self.ticket = None;
                match result {
                    Ok(Response::LeaseGrant(grant)) => {
                        self.lease = grant.id;
                        self.renewed(io, grant.ttl);
                        Said::Begun
                    }
                    Ok(Response::LeaseKeepAlive(kept)) if kept.ttl > 0 => {
                        self.renewed(io, kept.ttl);
                        Said::Fine
                    }
                    Ok(Response::LeaseKeepAlive(_)) => Said::Over,
                    Ok(_) => Said::Refused(unexpected_answer()),
                    Err(error) if self.lease.0 == 0 => {
                        Said::Refused(Failure::new(EXIT_ERROR, error.to_string()))
                    }
                    Err(_) => {
                        io.sleep(AGAIN_MS);
                        Said::Fine
                    }
                }
            }
            event => Said::NotMine(event),
        }
    }

    fn renewed(&mut self, io: &mut Io, ttl_s: i64) {
        let ttl_ms = u64::try_from(ttl_s).unwrap_or(0).saturating_mul(1000);
        self.until = io.now().plus(ttl_ms);
        io.sleep(keep_alive_ms(ttl_s));
    }

    fn keep_alive(&mut self, io: &mut Io) -> Said {
        if io.now() >= self.until {
            return Said::Over;
        }
        let request = Request::LeaseKeepAlive(LeaseKeepAliveRequest { id: self.lease });
        let endpoints = self.config.endpoints.clone();
        self.ticket = Some(io.ask_one(&self.config, endpoints, request, self.until));
        Said::Fine
    }
}
