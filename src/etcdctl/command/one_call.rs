//! Commands that ask once and print the answer.

use crate::api::{Request, Response};
use crate::etcdctl::command::{Command, Config, EXIT_ERROR, Failure};
use crate::etcdctl::executor::{Event, Io};
use crate::etcdctl::printer::Printed;

type Print = Box<dyn Fn(&Config, Response) -> Printed>;

/// Asks `request`, then prints the answer with `print`.
pub(super) struct OneCall {
    config: Config,
    /// Taken when it is sent.
    request: Option<Request>,
    print: Print,
}

impl OneCall {
    pub(super) fn new(
        config: Config,
        request: Request,
        print: impl Fn(&Config, Response) -> Printed + 'static,
    ) -> Self {
        Self { config, request: Some(request), print: Box::new(print) }
    }
}

impl Command for OneCall {
    fn start(&mut self, io: &mut Io) {
        if let Some(request) = self.request.take() {
            io.ask(&self.config, request);
        }
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        if let Event::Reply(_, result) = event {
            io.finish(match result {
                Ok(response) => (self.print)(&self.config, response),
                Err(error) => Err(Failure::new(EXIT_ERROR, error.to_string())),
            });
        }
    }
}
