//! `endpoint hashkv`: asks one endpoint after the other.

use crate::api::{HashKvRequest, HashKvResponse, Request, Response};
use crate::etcdctl::command::endpoint::Targets;
use crate::etcdctl::command::{Command, Config, EXIT_ERROR, Failure, Invocation, Made};
use crate::etcdctl::executor::{Event, Io};
use crate::etcdctl::printer;

struct HashKv {
    config: Config,
    targets: Targets,
    revision: i64,
    /// What is still to be asked, the last one first; `None` while the members are asked for it.
    left: Option<Vec<String>>,
    current: String,
    answers: Vec<(String, HashKvResponse)>,
    /// The last error.
    error: Option<String>,
}

pub(crate) fn new(invocation: &Invocation) -> Made {
    let (config, targets) = Targets::of(invocation)?;
    Ok(Box::new(HashKv {
        config,
        targets,
        revision: invocation.flags.int("rev"),
        left: None,
        current: String::new(),
        answers: Vec::new(),
        error: None,
    }))
}

impl Command for HashKv {
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
            Ok(Response::HashKv(answer)) => self.answers.push((self.current.clone(), answer)),
            other => {
                let reason = match other {
                    Ok(_) => "unexpected answer".to_owned(),
                    Err(error) => error.to_string(),
                };
                let endpoint = &self.current;
                io.stderr(format!("Failed to get the hash of endpoint {endpoint} ({reason})\n"));
                self.error = Some(reason);
            }
        }
        self.next(io);
    }
}

impl HashKv {
    fn begin(&mut self, io: &mut Io, mut endpoints: Vec<String>) {
        endpoints.reverse();
        self.left = Some(endpoints);
        self.next(io);
    }

    fn next(&mut self, io: &mut Io) {
        if let Some(endpoint) = self.left.as_mut().and_then(Vec::pop) {
            self.current.clone_from(&endpoint);
            let deadline = io.now().plus(self.config.timeout_ms);
            let request = Request::HashKv(HashKvRequest { revision: self.revision });
            io.ask_one(&self.config, vec![endpoint], request, deadline);
            return;
        }
        let printed = printer::hashkv(self.config.style, &self.answers);
        match (printed, self.error.take()) {
            (Err(failure), _) => io.fail(&failure),
            (Ok(bytes), None) => io.finish(Ok(bytes)),
            (Ok(bytes), Some(error)) => {
                io.stdout(bytes);
                io.fail(&Failure::new(EXIT_ERROR, error));
            }
        }
    }
}
