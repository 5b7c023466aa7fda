//! `defrag`: one endpoint after the other. Arguments and output formats make no difference.

use crate::api::{DefragmentRequest, Request, Response};
use crate::etcdctl::command::endpoint::Targets;
use crate::etcdctl::command::{Command, Config, EXIT_ERROR, Invocation, Made};
use crate::etcdctl::executor::{Event, Io};
use crate::etcdctl::go;
use crate::types::Millis;

struct Defrag {
    config: Config,
    targets: Targets,
    /// What is still to be asked, the last one first; `None` while the members are asked for it.
    left: Option<Vec<String>>,
    current: String,
    since: Millis,
    failed: bool,
}

pub(crate) fn new(invocation: &Invocation) -> Made {
    let (config, targets) = Targets::of(invocation)?;
    Ok(Box::new(Defrag {
        config,
        targets,
        left: None,
        current: String::new(),
        since: Millis(0),
        failed: false,
    }))
}

impl Command for Defrag {
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
        let took = go::duration(io.now().since(self.since));
        let member = format!("etcd member[{}]. took {took}", self.current);
        let trouble = match result {
            Ok(Response::Defragment(_)) => None,
            Ok(_) => Some("unexpected answer".to_owned()),
            Err(error) => Some(error.to_string()),
        };
        match trouble {
            None => io.stdout(format!("Finished defragmenting {member}\n").into_bytes()),
            Some(trouble) => {
                io.stderr(format!("Failed to defragment {member}. ({trouble})\n"));
                self.failed = true;
            }
        }
        self.next(io);
    }
}

impl Defrag {
    fn begin(&mut self, io: &mut Io, mut endpoints: Vec<String>) {
        endpoints.reverse();
        self.left = Some(endpoints);
        self.next(io);
    }

    fn next(&mut self, io: &mut Io) {
        let Some(endpoint) = self.left.as_mut().and_then(Vec::pop) else {
            io.exit(if self.failed { EXIT_ERROR } else { 0 });
            return;
        };
        self.current.clone_from(&endpoint);
        self.since = io.now();
        let deadline = io.now().plus(self.config.timeout_ms);
        let request = Request::Defragment(DefragmentRequest {});
        io.ask_one(&self.config, vec![endpoint], request, deadline);
    }
}
