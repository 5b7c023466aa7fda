//! `elect`: take part in an election, or watch who leads.

use bytes::Bytes;

use crate::api::{KeyValue, RangeRequest, RangeResponse, Request, Response, ResponseHeader};
use crate::etcdctl::command::lock::{canceled, failed};
use crate::etcdctl::command::session::{Said, Session};
use crate::etcdctl::command::{Command, Failure, Invocation, Made, unexpected_answer};
use crate::etcdctl::executor::{Event, Io, RequestError, Ticket, WatchEvent};
use crate::etcdctl::printer;
use crate::recipes::{Election, Observer, Sight, Step};

const ARGUMENTS: &str = "elect takes one election name argument and an optional proposal argument";

pub(crate) fn new(invocation: &Invocation) -> Made {
    let (name, proposal) = match invocation.args.as_slice() {
        [name] => (name, None),
        [name, proposal] => (name, Some(proposal)),
        _ => return Err(Failure::bad_args(ARGUMENTS).into()),
    };
    // etcdctl makes its client before it looks at the rest.
    let config = invocation.client_config()?;
    let session = Session::new(config, 0);
    let name = name.clone();
    match (proposal, invocation.flags.bool("listen")) {
        (None, false) => Err(Failure::bad_args("no proposal argument but -l not set").into()),
        (Some(_), true) => Err(Failure::bad_args("proposal given but -l is set").into()),
        (None, true) => {
            let observer = Observer::new(name.as_bytes());
            Ok(Box::new(Listen { session, observer, asked: None, found: None }))
        }
        (Some(proposal), false) => {
            let value = Bytes::copy_from_slice(proposal.as_bytes());
            Ok(Box::new(Campaign { session, name, value, state: State::Begins, asked: None }))
        }
    }
}

enum State {
    /// There is no lease yet.
    Begins,
    Runs(Election),
    /// It is elected; the key is asked for, to print it.
    Shows(Election),
    Leads(Election),
    Resigns(Option<Failure>),
}

struct Campaign {
    session: Session,
    name: String,
    value: Bytes,
    state: State,
    asked: Option<Ticket>,
}

impl Command for Campaign {
    fn start(&mut self, io: &mut Io) {
        self.session.start(io);
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        match self.session.on(io, event) {
            Said::Fine => {}
            Said::Begun => {
                let (lease, value) = (self.session.lease(), self.value.clone());
                let mut election = Election::new(self.name.as_bytes(), lease, value);
                let step = election.start();
                self.state = State::Runs(election);
                self.step(io, step);
            }
            Said::Refused(failure) => io.fail(&failure),
            Said::Over => io.fail(&failed("elect: session expired")),
            Said::NotMine(Event::Reply(ticket, result)) if self.asked == Some(ticket) => {
                self.asked = None;
                self.answered(io, result);
            }
            Said::NotMine(Event::Watch(event)) => self.watched(io, event),
            Said::NotMine(_) => {}
        }
    }

    fn interrupt(&mut self, io: &mut Io) -> bool {
        match &self.state {
            State::Begins | State::Resigns(_) => return false,
            State::Runs(election) if election.revision() == 0 => io.fail(&canceled()),
            State::Runs(_) | State::Shows(_) => self.resign(io, Some(canceled())),
            State::Leads(_) => self.resign(io, None),
        }
        true
    }
}

impl Campaign {
    fn step(&mut self, io: &mut Io, step: Step) {
        match step {
            Step::Ask(request) => {
                io.end_watches();
                self.ask(io, request);
            }
            Step::Watch(create) => io.watch(self.session.config(), create),
            Step::Wait => {}
            Step::Done => {
                let State::Runs(election) = std::mem::replace(&mut self.state, State::Begins)
                else {
                    unreachable!("only a running campaign can be won")
                };
                let key = election.key().clone();
                self.state = State::Shows(election);
                self.ask(io, Request::Range(RangeRequest { key, ..RangeRequest::default() }));
            }
        }
    }

    fn ask(&mut self, io: &mut Io, request: Request) {
        self.asked = Some(io.ask_forever(self.session.config(), request));
    }

    fn answered(&mut self, io: &mut Io, result: Result<Response, RequestError>) {
        let response = match result {
            Ok(response) => response,
            Err(error) => return io.fail(&failed(error)),
        };
        match (std::mem::replace(&mut self.state, State::Begins), response) {
            (State::Runs(mut election), response) => {
                let step = election.answered(&response);
                self.state = State::Runs(election);
                match step {
                    Ok(step) => self.step(io, step),
                    Err(error) => io.fail(&failed(error)),
                }
            }
            (State::Shows(election), Response::Range(found)) => {
                match printer::get(self.session.config().style, &found) {
                    Ok(bytes) => io.stdout(bytes),
                    Err(failure) => return io.fail(&failure),
                }
                self.state = State::Leads(election);
            }
            (State::Resigns(Some(failure)), _) => io.fail(&failure),
            (State::Resigns(None), _) => io.exit(0),
            (State::Begins | State::Leads(_) | State::Shows(_), _) => {
                io.fail(&unexpected_answer());
            }
        }
    }

    fn watched(&mut self, io: &mut Io, event: WatchEvent) {
        let State::Runs(election) = &self.state else { return };
        match event {
            WatchEvent::Response(response) => match election.watched(&response) {
                Ok(step) => self.step(io, step),
                Err(error) => io.fail(&failed(error)),
            },
            WatchEvent::Closed(_, reason) => io.fail(&failed(reason)),
        }
    }

    fn resign(&mut self, io: &mut Io, end: Option<Failure>) {
        io.end_watches();
        match std::mem::replace(&mut self.state, State::Resigns(end)) {
            State::Runs(mut election) | State::Shows(mut election) | State::Leads(mut election) => {
                self.ask(io, election.resign());
            }
            State::Begins | State::Resigns(_) => io.exit(0),
        }
    }
}

/// `elect -l`: prints who leads and what is proclaimed.
struct Listen {
    session: Session,
    observer: Observer,
    asked: Option<Ticket>,
    /// What the question who leads found; etcdctl shows parts of it again with each proclamation.
    found: Option<RangeResponse>,
}

impl Command for Listen {
    fn start(&mut self, io: &mut Io) {
        self.session.start(io);
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        match self.session.on(io, event) {
            // What is only watched needs no lease.
            Said::Fine | Said::Over => {}
            Said::Begun => {
                let step = self.observer.start();
                self.step(io, step);
            }
            Said::Refused(failure) => io.fail(&failure),
            Said::NotMine(Event::Reply(ticket, result)) if self.asked == Some(ticket) => {
                self.asked = None;
                self.answered(io, result);
            }
            Said::NotMine(Event::Watch(event)) => self.watched(io, event),
            Said::NotMine(_) => {}
        }
    }

    fn interrupt(&mut self, io: &mut Io) -> bool {
        if self.session.lease().0 == 0 {
            return false;
        }
        io.exit(0);
        true
    }
}

impl Listen {
    fn step(&mut self, io: &mut Io, step: Step) {
        match step {
            Step::Ask(request) => {
                io.end_watches();
                self.found = None;
                self.asked = Some(io.ask_forever(self.session.config(), request));
            }
            Step::Watch(create) => {
                io.end_watches();
                io.watch(self.session.config(), create);
            }
            Step::Wait | Step::Done => {}
        }
    }

    fn answered(&mut self, io: &mut Io, result: Result<Response, RequestError>) {
        let Ok(response) = result else { return io.fail(&failed(LOST)) };
        let Ok(Sight { said, step }) = self.observer.answered(&response) else {
            return io.fail(&failed(LOST));
        };
        if let Response::Range(range) = response {
            for kv in said {
                let shown = RangeResponse { header: range.header.clone(), ..of(kv) };
                self.show(io, &shown);
            }
            self.found = Some(range);
        }
        if !io.has_exited() {
            self.step(io, step);
        }
    }

    fn watched(&mut self, io: &mut Io, event: WatchEvent) {
        let WatchEvent::Response(response) = event else { return io.fail(&failed(LOST)) };
        let first = self.found.as_ref().is_some_and(|found| found.kvs.is_empty());
        let Ok(Sight { said, step }) = self.observer.watched(&response) else {
            return io.fail(&failed(LOST));
        };
        for kv in said {
            let shown = match &mut self.found {
                Some(found) if first => {
                    let revision = kv.mod_revision;
                    // From now on somebody leads.
                    found.kvs = vec![kv.clone()];
                    let header = ResponseHeader { revision, ..response.header.clone() };
                    RangeResponse { header, ..of(kv) }
                }
                found => {
                    let (more, count) =
                        found.as_ref().map_or((false, 0), |found| (found.more, found.count));
                    let header = response.header.clone();
                    RangeResponse { header, kvs: vec![kv], more, count }
                }
            };
            self.show(io, &shown);
        }
        if !io.has_exited() {
            self.step(io, step);
        }
    }

    fn show(&self, io: &mut Io, shown: &RangeResponse) {
        if io.has_exited() {
            return;
        }
        match printer::get(self.session.config().style, shown) {
            Ok(bytes) => io.stdout(bytes),
            Err(failure) => io.fail(&failure),
        }
    }
}

fn of(kv: KeyValue) -> RangeResponse {
    RangeResponse { kvs: vec![kv], ..RangeResponse::default() }
}

const LOST: &str = "elect: observer lost";
