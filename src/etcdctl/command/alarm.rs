//! `alarm list` and `alarm disarm`.
//!
//! What it is: the second lifts what the first shows, alarm by alarm, as etcd's client does.
//! Invariants: what cannot be lifted is left out of the answer, which has no header, as etcdctl's has none.

use crate::api::{AlarmMember, AlarmRequest, AlarmResponse, Request, Response};
use crate::etcdctl::command::one_call::OneCall;
use crate::etcdctl::command::{
    Command, Config, EXIT_ERROR, Failure, Invocation, Made, unexpected_answer,
};
use crate::etcdctl::executor::{Event, Io};
use crate::etcdctl::printer;
use crate::types::Millis;

/// `alarm list`.
pub(crate) fn list(invocation: &Invocation) -> Made {
    if !invocation.args.is_empty() {
        return Err(Failure::bad_args("alarm list command accepts no arguments").into());
    }
    let config = invocation.client_config()?;
    let request = Request::Alarm(AlarmRequest::List);
    Ok(Box::new(OneCall::new(config, request, |config, response| match response {
        Response::Alarm(response) => {
            printer::alarms(config.style, Some(&response.header), &response.alarms)
        }
        _ => Err(unexpected_answer()),
    })))
}

struct Disarm {
    config: Config,
    deadline: Millis,
    /// What is still to be lifted, the last one first; `None` while the alarms are asked for.
    left: Option<Vec<AlarmMember>>,
    lifted: Vec<AlarmMember>,
}

/// `alarm disarm`.
pub(crate) fn disarm(invocation: &Invocation) -> Made {
    if !invocation.args.is_empty() {
        return Err(Failure::bad_args("alarm disarm command accepts no arguments").into());
    }
    let config = invocation.client_config()?;
    Ok(Box::new(Disarm { config, deadline: Millis(0), left: None, lifted: Vec::new() }))
}

impl Command for Disarm {
    fn start(&mut self, io: &mut Io) {
        self.deadline = io.deadline(&self.config);
        self.ask(io, AlarmRequest::List);
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        let Event::Reply(_, result) = event else { return };
        match (&self.left, result) {
            (None, Ok(Response::Alarm(AlarmResponse { mut alarms, .. }))) => {
                alarms.reverse();
                self.left = Some(alarms);
            }
            (None, Ok(_)) => return io.fail(&unexpected_answer()),
            (None, Err(error)) => {
                return io.fail(&Failure::new(EXIT_ERROR, error.to_string()));
            }
            (Some(_), Ok(Response::Alarm(response))) => self.lifted.extend(response.alarms),
            (Some(_), Ok(_) | Err(_)) => {}
        }
        match self.left.as_mut().and_then(Vec::pop) {
            Some(alarm) => self.ask(io, AlarmRequest::Disarm(alarm)),
            None => io.finish(printer::alarms(self.config.style, None, &self.lifted)),
        }
    }
}

impl Disarm {
    fn ask(&self, io: &mut Io, request: AlarmRequest) {
        let endpoints = self.config.endpoints.clone();
        io.ask_one(&self.config, endpoints, Request::Alarm(request), self.deadline);
    }
}
