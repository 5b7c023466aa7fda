//! Commands that ask once and print the answer.

use crate::api::{Request, Response};
use crate::etcdctl::command::{Command, Config, EXIT_ERROR, Failure};
use crate::etcdctl::executor::{Event, Io, RequestError};
use crate::etcdctl::printer::Printed;

type Print = Box<dyn Fn(&Config, Response) -> Printed>;

/// Asks `request`, then prints the answer with `print`.
pub(super) struct OneCall {
    config: Config,
    /// Taken when it is sent.
    request: Option<Request>,
    print: Print,
    has_limit: bool,
    is_late: bool,
    status: i32,
    explain: fn(&RequestError) -> String,
}

impl OneCall {
    pub(super) fn new(
        config: Config,
        request: Request,
        print: impl Fn(&Config, Response) -> Printed + 'static,
    ) -> Self {
        Self {
            config,
            request: Some(request),
            print: Box::new(print),
            has_limit: true,
            is_late: false,
            status: EXIT_ERROR,
            explain: RequestError::to_string,
        }
    }

    /// `--command-timeout` does not count.
    pub(super) const fn without_limit(mut self) -> Self {
        self.has_limit = false;
        self
    }

    /// `--command-timeout` counts from where there is a client; otherwise logging in takes part of it.
    pub(super) const fn limited_late(mut self) -> Self {
        self.is_late = true;
        self
    }

    /// The exit code if nothing is answered.
    pub(super) const fn failing_with(mut self, status: i32) -> Self {
        self.status = status;
        self
    }

    /// How an error is worded.
    pub(super) const fn explained(mut self, explain: fn(&RequestError) -> String) -> Self {
        self.explain = explain;
        self
    }
}

impl Command for OneCall {
    fn start(&mut self, io: &mut Io) {
        if let Some(request) = self.request.take() {
            let config = &self.config;
            if !self.has_limit {
                io.ask_forever(config, request);
            } else if self.is_late {
                io.ask(config, request);
            } else {
                let deadline = io.deadline(config);
                io.ask_one(config, config.endpoints.clone(), request, deadline);
            }
        }
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        if let Event::Reply(_, result) = event {
            io.finish(match result {
                Ok(response) => (self.print)(&self.config, response),
                Err(error) => Err(Failure::new(self.status, (self.explain)(&error))),
            });
        }
    }
}
