//! `lease keep-alive`: renews a lease, once or until it is gone.
//!
//! What it is: the rhythm of etcd's client: it looks every 500 ms whether a renewal is due, which it is after a third
//! of the time to live, and gives up when the whole of it has passed without an answer.
//! What it is not: a stream; a member is asked anew each time.
//! Invariants: at most one renewal is under way; an error is only a reason to try again.
//! Source: the behaviour of etcd's client (`client/v3/lease.go`), whose times these are.

use crate::api::{self, Code, LeaseKeepAliveRequest, Request, Response};
use crate::etcdctl::command::lease::only_id;
use crate::etcdctl::command::{
    Command, Config, EXIT_BAD_CONNECTION, Failure, Invocation, Made, unexpected_answer,
};
use crate::etcdctl::executor::{Event, Io, RequestError};
use crate::etcdctl::printer::{self, Format};
use crate::types::{LeaseId, Millis};

/// Pause between two looks, and before another try. Unit: ms.
const LOOK_MS: u64 = 500;
/// A second on top of `--dial-timeout` is what the first answer may take. Unit: ms.
const FIRST_EXTRA_MS: u64 = 1000;

struct KeepAlive {
    config: Config,
    id: LeaseId,
    once: bool,
    first_limit_ms: u64,
    /// When the next renewal is due.
    due: Millis,
    /// When it is given up.
    deadline: Millis,
    asked: bool,
}

pub(crate) fn new(invocation: &Invocation) -> Made {
    let id = only_id(invocation, "lease keep-alive command needs lease ID as argument")?;
    Ok(Box::new(KeepAlive {
        config: invocation.client_config()?,
        id,
        once: invocation.flags.bool("once"),
        first_limit_ms: invocation.flags.millis("dial-timeout") + FIRST_EXTRA_MS,
        due: Millis(0),
        deadline: Millis(0),
        asked: false,
    }))
}

impl Command for KeepAlive {
    fn start(&mut self, io: &mut Io) {
        self.due = io.now();
        self.deadline = io.now().plus(self.first_limit_ms);
        self.ask(io);
        if !self.once {
            io.sleep(LOOK_MS);
        }
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        match event {
            Event::Woken => self.look(io),
            Event::Reply(_, result) => {
                self.asked = false;
                match result {
                    Ok(Response::LeaseKeepAlive(response)) => self.answered(io, &response),
                    Ok(_) => io.fail(&unexpected_answer()),
                    Err(error) if self.once && is_final(&error) => self.fail(io, &error),
                    Err(_) if self.once => io.sleep(LOOK_MS),
                    Err(_) => {}
                }
            }
            _ => {}
        }
    }
}

/// True if etcd's client does not try again.
const fn is_final(error: &RequestError) -> bool {
    match error {
        RequestError::Status(error) => !matches!(error.code(), Code::Unavailable),
        RequestError::Canceled
        | RequestError::NoClient(_)
        | RequestError::TooLarge { .. }
        | RequestError::AnswerTooLarge { .. }
        | RequestError::Unreachable { .. } => true,
        RequestError::Deadline | RequestError::Lost { .. } => false,
    }
}

impl KeepAlive {
    fn ask(&mut self, io: &mut Io) {
        self.asked = true;
        let request = LeaseKeepAliveRequest { id: self.id };
        io.ask_forever(&self.config, Request::LeaseKeepAlive(request));
    }

    fn fail(&self, io: &mut Io, error: &RequestError) {
        io.fail(&Failure::new(EXIT_BAD_CONNECTION, error.to_string()));
    }

    fn look(&mut self, io: &mut Io) {
        if self.once {
            self.ask(io);
            return;
        }
        if self.deadline < io.now() {
            self.gone(io);
            return;
        }
        if !self.asked && self.due < io.now() {
            self.ask(io);
        }
        io.sleep(LOOK_MS);
    }

    fn answered(&mut self, io: &mut Io, response: &api::LeaseKeepAliveResponse) {
        let Ok(ttl_ms) = u64::try_from(response.ttl.saturating_mul(1000)) else {
            self.gone(io);
            return;
        };
        if ttl_ms == 0 {
            self.gone(io);
            return;
        }
        match printer::lease_keep_alive(self.config.style, response) {
            Ok(bytes) => io.stdout(bytes),
            Err(failure) => {
                io.fail(&failure);
                return;
            }
        }
        if self.once {
            io.exit(0);
        }
        self.due = io.now().plus(ttl_ms / 3);
        self.deadline = io.now().plus(ttl_ms);
    }

    /// The lease does not exist, or nobody answered in time.
    fn gone(&self, io: &mut Io) {
        if self.once {
            self.fail(io, &RequestError::Status(api::Error::LeaseNotFound));
            return;
        }
        if self.config.style.format == Format::Simple {
            io.stdout(format!("lease {:016x} expired or revoked.\n", self.id).into_bytes());
        }
        io.exit(0);
    }
}
