//! `lock`: hold a named lock until Ctrl-C.
//!
//! Running a program while the lock is held is refused: there is nothing to run in a page.

use crate::api::{RangeRequest, Request, Response};
use crate::etcdctl::command::session::{Said, Session};
use crate::etcdctl::command::{Command, EXIT_ERROR, Failure, Invocation, Made, unexpected_answer};
use crate::etcdctl::executor::{Event, Io, RequestError, Ticket, WatchEvent};
use crate::etcdctl::printer;
use crate::recipes::{self, Step};

const ARGUMENTS: &str = "lock takes a lock name argument and an optional command to execute";
const PROGRAMS: &str = "running a command while the lock is held is not possible here; leave out what follows the lock's name";

/// What becomes of the command once the lock is given up.
type End = Option<Failure>;

enum State {
    /// There is no lease yet, and no lock.
    Begins,
    Locks(recipes::Lock),
    /// The key is asked for, to print it.
    Shows(recipes::Lock),
    Holds(recipes::Lock),
    Unlocks(End),
}

struct Lock {
    session: Session,
    name: String,
    state: State,
    asked: Option<Ticket>,
}

pub(crate) fn new(invocation: &Invocation) -> Made {
    let (name, program) =
        invocation.args.split_first().ok_or_else(|| Failure::bad_args(ARGUMENTS))?;
    if !program.is_empty() {
        return Err(Failure::new(EXIT_ERROR, PROGRAMS).into());
    }
    let config = invocation.client_config()?;
    let session = Session::new(config, invocation.flags.int("ttl"));
    Ok(Box::new(Lock { session, name: name.clone(), state: State::Begins, asked: None }))
}

/// etcd's client would not wait for an answer after Ctrl-C.
pub(super) fn canceled() -> Failure {
    Failure::new(EXIT_ERROR, "context canceled")
}

pub(super) fn failed(why: impl ToString) -> Failure {
    Failure::new(EXIT_ERROR, why.to_string())
}

impl Command for Lock {
    fn start(&mut self, io: &mut Io) {
        self.session.start(io);
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        match self.session.on(io, event) {
            Said::Fine => {}
            Said::Begun => {
                let mut lock = recipes::Lock::new(self.name.as_bytes(), self.session.lease());
                let step = lock.start();
                self.state = State::Locks(lock);
                self.step(io, step);
            }
            Said::Refused(failure) => io.fail(&failure),
            Said::Over => match self.state {
                State::Holds(_) => io.fail(&failed("session expired")),
                _ => io.fail(&failed(recipes::Failure::SessionExpired)),
            },
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
            State::Begins | State::Unlocks(_) => false,
            State::Locks(lock) if lock.revision() == 0 => {
                io.fail(&canceled());
                true
            }
            State::Locks(_) | State::Shows(_) => {
                self.unlock(io, Some(canceled()));
                true
            }
            State::Holds(_) => {
                self.unlock(io, None);
                true
            }
        }
    }
}

impl Lock {
    fn step(&mut self, io: &mut Io, step: Step) {
        match step {
            Step::Ask(request) => {
                io.end_watches();
                self.ask(io, request);
            }
            Step::Watch(create) => io.watch(self.session.config(), create),
            Step::Wait => {}
            Step::Done => {
                let State::Locks(lock) = std::mem::replace(&mut self.state, State::Begins) else {
                    unreachable!("only a lock that is being taken can be had")
                };
                let key = lock.key().clone();
                self.state = State::Shows(lock);
                self.ask(io, Request::Range(RangeRequest { key, ..RangeRequest::default() }));
            }
        }
    }

    fn ask(&mut self, io: &mut Io, request: Request) {
        self.asked = Some(io.ask_forever(self.session.config(), request));
    }

    fn answered(&mut self, io: &mut Io, result: Result<Response, RequestError>) {
        let response = match (result, &self.state) {
            (Ok(response), _) => response,
            (Err(error), State::Locks(lock)) if lock.revision() != 0 => {
                return self.unlock(io, Some(failed(error)));
            }
            (Err(error), _) => return io.fail(&failed(error)),
        };
        match (std::mem::replace(&mut self.state, State::Begins), response) {
            (State::Locks(mut lock), response) => {
                let step = lock.answered(&response);
                self.state = State::Locks(lock);
                match step {
                    Ok(step) => self.step(io, step),
                    Err(error) => io.fail(&failed(error)),
                }
            }
            (State::Shows(_), Response::Range(found)) if found.kvs.is_empty() => {
                io.fail(&failed("lock lost on init"));
            }
            (State::Shows(lock), Response::Range(found)) => {
                match printer::get(self.session.config().style, &found) {
                    Ok(bytes) => io.stdout(bytes),
                    Err(failure) => return io.fail(&failure),
                }
                self.state = State::Holds(lock);
            }
            (State::Unlocks(Some(failure)), _) => io.fail(&failure),
            (State::Unlocks(None), _) => io.exit(0),
            (State::Begins | State::Holds(_) | State::Shows(_), _) => {
                io.fail(&unexpected_answer());
            }
        }
    }

    fn watched(&mut self, io: &mut Io, event: WatchEvent) {
        let State::Locks(lock) = &self.state else { return };
        match event {
            WatchEvent::Response(response) => match lock.watched(&response) {
                Ok(step) => self.step(io, step),
                Err(error) => self.unlock(io, Some(failed(error))),
            },
            WatchEvent::Closed(_, reason) => self.unlock(io, Some(failed(reason))),
        }
    }

    fn unlock(&mut self, io: &mut Io, end: End) {
        io.end_watches();
        match std::mem::replace(&mut self.state, State::Unlocks(end)) {
            State::Locks(mut lock) | State::Shows(mut lock) | State::Holds(mut lock) => {
                self.ask(io, lock.unlock());
            }
            State::Begins | State::Unlocks(_) => io.exit(0),
        }
    }
}
