//! `endpoint status`: asks one endpoint after the other.

use crate::api::{Request, Response, StatusRequest, StatusResponse};
use crate::etcdctl::command::endpoint::Targets;
use crate::etcdctl::command::{Command, Config, EXIT_ERROR, Invocation, Made};
use crate::etcdctl::executor::{Event, Io};
use crate::etcdctl::printer;

struct Status {
    config: Config,
    targets: Targets,
    /// What is still to be asked, the last one first; `None` while the members are asked for it.
    left: Option<Vec<String>>,
    current: String,
    answers: Vec<(String, StatusResponse)>,
    failed: bool,
}

pub(crate) fn new(invocation: &Invocation) -> Made {
    let (config, targets) = Targets::of(invocation)?;
    Ok(Box::new(Status {
        config,
        targets,
        left: None,
        current: String::new(),
        answers: Vec::new(),
        failed: false,
    }))
}

impl Command for Status {
    fn start(&mut self, io: &mut Io) {
        if let Some(endpoints) = self.targets.find(io, &self.config) {
            self.begin(io, endpoints);
        }
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        let Event::Reply(_, result) = event else { return };
        if self.left.is_none() {
            match Targets::found(result) {
                Ok(endpoints) => self.begin(io, endpoints),
                Err(failure) => io.fail(&failure),
            }
            return;
        }
        match result {
            Ok(Response::Status(status)) => self.answers.push((self.current.clone(), status)),
            other => {
                let reason = match other {
                    Ok(_) => "unexpected answer".to_owned(),
                    Err(error) => error.to_string(),
                };
                let endpoint = &self.current;
                io.stderr(format!("Failed to get the status of endpoint {endpoint} ({reason})\n"));
                self.failed = true;
            }
        }
        self.next(io);
    }
}

impl Status {
    fn begin(&mut self, io: &mut Io, mut endpoints: Vec<String>) {
        endpoints.reverse();
        self.left = Some(endpoints);
        self.next(io);
    }

    fn next(&mut self, io: &mut Io) {
        if let Some(endpoint) = self.left.as_mut().and_then(Vec::pop) {
            self.current.clone_from(&endpoint);
            let deadline = io.now().plus(self.config.timeout_ms);
            io.ask_one(&self.config, vec![endpoint], Request::Status(StatusRequest {}), deadline);
            return;
        }
        match printer::status(self.config.style, &self.answers) {
            Ok(bytes) => {
                io.stdout(bytes);
                io.exit(if self.failed { EXIT_ERROR } else { 0 });
            }
            Err(failure) => io.fail(&failure),
        }
    }
}
