//! `move-leader`: looks for the leader among the endpoints, then asks it to hand over.
//!
//! Invariants: all questions together take no longer than `--command-timeout`; the endpoint of a member that does not
//! lead is no help, as in etcdctl.

use crate::api::{MoveLeaderRequest, Request, Response, StatusRequest};
use crate::etcdctl::command::{
    Command, Config, EXIT_ERROR, Failure, Invocation, Made, unexpected_answer,
};
use crate::etcdctl::executor::{Event, Io};
use crate::etcdctl::{go, printer};
use crate::types::{MemberId, Millis};

struct MoveLeader {
    config: Config,
    target: MemberId,
    deadline: Millis,
    /// Endpoints to look at, the last one first.
    left: Vec<String>,
    current: String,
    leader: Option<MemberId>,
}

pub(crate) fn new(invocation: &Invocation) -> Made {
    let [target] = invocation.args.as_slice() else {
        return Err(Failure::bad_args("move-leader command needs 1 argument").into());
    };
    let target = MemberId(go::parse_uint(target, 16).map_err(Failure::bad_args)?);
    let config = invocation.client_config()?;
    let left = config.endpoints.iter().rev().cloned().collect();
    Ok(Box::new(MoveLeader {
        config,
        target,
        deadline: Millis(0),
        left,
        current: String::new(),
        leader: None,
    }))
}

impl Command for MoveLeader {
    fn start(&mut self, io: &mut Io) {
        self.deadline = io.now().plus(self.config.timeout_ms);
        self.next(io);
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        let Event::Reply(_, result) = event else { return };
        match result {
            Ok(Response::Status(status)) if self.leader.is_none() => {
                let member = status.header.member_id;
                if status.leader == Some(member) {
                    self.leader = Some(member);
                    let request = MoveLeaderRequest { target_id: self.target };
                    self.ask(io, Request::MoveLeader(request));
                } else {
                    self.next(io);
                }
            }
            Ok(Response::MoveLeader(_)) => {
                let leader = self.leader.unwrap_or_default();
                io.finish(printer::move_leader(self.config.style, leader, self.target));
            }
            Ok(_) => io.fail(&unexpected_answer()),
            Err(error) => io.fail(&Failure::new(EXIT_ERROR, error.to_string())),
        }
    }
}

impl MoveLeader {
    fn next(&mut self, io: &mut Io) {
        match self.left.pop() {
            Some(endpoint) => {
                self.current = endpoint;
                self.ask(io, Request::Status(StatusRequest {}));
            }
            None => {
                let endpoints = self.config.endpoints.join(" ");
                let message = format!("no leader endpoint given at [{endpoints}]");
                io.fail(&Failure::bad_args(message));
            }
        }
    }

    fn ask(&self, io: &mut Io, request: Request) {
        io.ask_one(&self.config, vec![self.current.clone()], request, self.deadline);
    }
}
