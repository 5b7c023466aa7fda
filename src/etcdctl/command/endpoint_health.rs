//! `endpoint health`: asks every endpoint at once for a quorum read, then for its alarms.

use bytes::Bytes;

use crate::api::{self, AlarmRequest, AlarmResponse, AlarmType, RangeRequest, Request, Response};
use crate::etcdctl::command::endpoint::Targets;
use crate::etcdctl::command::{Command, Config, EXIT_ERROR, Failure, Invocation, Made};
use crate::etcdctl::executor::{Event, Io, RequestError, Ticket};
use crate::etcdctl::go;
use crate::etcdctl::printer::{self, Health as Line};
use crate::types::{Millis, SmallMap};

/// The key that is read; it need not exist.
const KEY: &[u8] = b"health";

struct Probe {
    endpoint: String,
    started: Millis,
    /// How long the read took; set once it was answered, when the alarms are asked for.
    took: Option<String>,
}

struct Health {
    config: Config,
    targets: Targets,
    asked: bool,
    probes: SmallMap<Ticket, Probe>,
    /// In the order in which they were done.
    done: Vec<Line>,
}

pub(crate) fn new(invocation: &Invocation) -> Made {
    let (mut config, targets) = Targets::of(invocation)?;
    config.access.reports_login = true;
    Ok(Box::new(Health {
        config,
        targets,
        asked: false,
        probes: SmallMap::new(),
        done: Vec::new(),
    }))
}

impl Command for Health {
    fn start(&mut self, io: &mut Io) {
        if let Some(endpoints) = self.targets.find(io, &self.config) {
            self.begin(io, endpoints);
        }
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        let Event::Reply(ticket, result) = event else { return };
        if !self.asked {
            match Targets::found(result) {
                Ok(endpoints) => self.begin(io, endpoints),
                Err(failure) => io.fail(&failure),
            }
            return;
        }
        let Some(probe) = self.probes.remove(&ticket) else { return };
        match probe.took {
            None => self.read(io, probe, &result),
            Some(took) => self.alarms(probe.endpoint, took, &result),
        }
        self.end_if_done(io);
    }
}

impl Health {
    fn begin(&mut self, io: &mut Io, endpoints: Vec<String>) {
        self.asked = true;
        for endpoint in endpoints {
            let key = Bytes::from_static(KEY);
            let request = Request::Range(RangeRequest { key, ..RangeRequest::default() });
            let started = io.now();
            let deadline = started.plus(self.config.timeout_ms);
            let ticket = io.ask_one(&self.config, vec![endpoint.clone()], request, deadline);
            self.probes.insert(ticket, Probe { endpoint, started, took: None });
        }
        self.end_if_done(io);
    }

    fn read(&mut self, io: &mut Io, probe: Probe, result: &Result<Response, RequestError>) {
        let took = go::duration(io.now().since(probe.started));
        match result {
            // A refusal for want of rights went through a quorum as well.
            Ok(_) | Err(RequestError::Status(api::Error::PermissionDenied)) => {
                let deadline = probe.started.plus(self.config.timeout_ms);
                let endpoints = vec![probe.endpoint.clone()];
                let request = Request::Alarm(AlarmRequest::List);
                let ticket = io.ask_one(&self.config, endpoints, request, deadline);
                self.probes.insert(ticket, Probe { took: Some(took), ..probe });
            }
            Err(RequestError::NoClient(why)) => {
                self.unhealthy(probe.endpoint, String::new(), why.clone());
            }
            Err(error) => self.unhealthy(probe.endpoint, took, error.to_string()),
        }
    }

    fn alarms(&mut self, endpoint: String, took: String, result: &Result<Response, RequestError>) {
        match result {
            Ok(Response::Alarm(AlarmResponse { alarms, .. })) if alarms.is_empty() => {
                self.done.push(Line { endpoint, healthy: true, took, error: String::new() });
            }
            Ok(Response::Alarm(AlarmResponse { alarms, .. })) => {
                let names: Vec<&str> = alarms
                    .iter()
                    .map(|alarm| match alarm.alarm {
                        AlarmType::NoSpace => "NOSPACE ",
                        AlarmType::Corrupt => "CORRUPT ",
                    })
                    .collect();
                self.unhealthy(endpoint, took, format!("Active Alarm(s): {}", names.concat()));
            }
            Ok(_) | Err(_) => {
                self.unhealthy(endpoint, took, "Unable to fetch the alarm list".to_owned());
            }
        }
    }

    fn unhealthy(&mut self, endpoint: String, took: String, error: String) {
        self.done.push(Line { endpoint, healthy: false, took, error });
    }

    fn end_if_done(&self, io: &mut Io) {
        if !self.probes.is_empty() {
            return;
        }
        match printer::health(self.config.style, &self.done) {
            Ok((out, err)) => {
                io.stdout(out);
                io.stderr(err);
                if self.done.iter().all(|line| line.healthy) {
                    io.exit(0);
                } else {
                    io.fail(&Failure::new(EXIT_ERROR, "unhealthy cluster"));
                }
            }
            Err(failure) => io.fail(&failure),
        }
    }
}
