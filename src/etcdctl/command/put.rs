//! `put`: write a key.

use bytes::Bytes;

use crate::api::{PutRequest, Request, Response};
use crate::etcdctl::command::{
    Command, Config, EXIT_ERROR, Failure, Invocation, unexpected_answer,
};
use crate::etcdctl::executor::{Event, Io};
use crate::etcdctl::flags::FlagValues;
use crate::etcdctl::{go, printer};
use crate::types::LeaseId;

const ARGUMENTS: &str = "put command needs 1 argument and input from stdin or 2 arguments";
pub(super) const WAITING: &str = "the value is read from standard input until its end (Ctrl-D)";

/// A put whose value may still have to be read.
struct Put {
    /// Looked at once the value is there, as etcdctl does.
    config: Result<Config, Failure>,
    flags: FlagValues,
    args: Vec<Bytes>,
    /// What standard input gave so far; `None`: it is not needed.
    stdin: Option<Vec<u8>>,
}

pub(crate) fn new(invocation: &Invocation) -> Result<Box<dyn Command>, Failure> {
    let flags = invocation.flags.clone();
    let args = invocation.args_as_bytes();
    let config = invocation.client_config();
    let reads = args.len() == 1 && !flags.bool("ignore-value");
    if !reads || invocation.stdin.is_some() {
        request(&flags, &args, invocation.stdin.as_ref())?;
        config.clone()?;
    }
    Ok(Box::new(Put { config, flags, args, stdin: reads.then(Vec::new) }))
}

/// What `put` asks for; a value that is not an argument is `stdin`.
pub(super) fn request(
    flags: &FlagValues,
    args: &[Bytes],
    stdin: Option<&Bytes>,
) -> Result<PutRequest, Failure> {
    let key = args.first().ok_or_else(|| Failure::bad_args(ARGUMENTS))?;
    let ignore_value = flags.bool("ignore-value");
    if ignore_value && args.len() > 1 {
        let message = "put command needs only 1 argument when 'ignore-value' is set";
        return Err(Failure::bad_args(message));
    }
    let value = match (args.get(1), stdin) {
        _ if ignore_value => Bytes::new(),
        (Some(value), _) => value.clone(),
        (None, Some(stdin)) if !stdin.is_empty() => stdin.clone(),
        (None, _) => return Err(Failure::bad_args(ARGUMENTS)),
    };
    let lease = go::parse_int(flags.text("lease"), 16).map_err(|error| {
        Failure::bad_args(format!("bad lease ID ({error}), expecting ID in Hex"))
    })?;
    Ok(PutRequest {
        key: key.clone(),
        value,
        lease: LeaseId(lease),
        prev_kv: flags.bool("prev-kv"),
        ignore_value,
        ignore_lease: flags.bool("ignore-lease"),
    })
}

impl Put {
    fn ask(&mut self, io: &mut Io) {
        let stdin = self.stdin.take().map(Bytes::from);
        let request = request(&self.flags, &self.args, stdin.as_ref());
        match request.and_then(|request| Ok((self.config.clone()?, request))) {
            Ok((config, request)) => {
                io.ask(&config, Request::Put(request));
            }
            Err(failure) => io.fail(&failure),
        }
    }
}

impl Command for Put {
    fn start(&mut self, io: &mut Io) {
        if self.stdin.is_none() {
            self.ask(io);
        } else if !io.has_all_stdin() {
            io.notice(WAITING);
        }
    }

    fn reads_stdin(&self) -> bool {
        self.stdin.is_some()
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        match event {
            Event::Stdin(bytes) => {
                if let Some(stdin) = &mut self.stdin {
                    stdin.extend_from_slice(&bytes);
                }
            }
            Event::StdinEnd if self.stdin.is_some() => self.ask(io),
            Event::Reply(_, result) => io.finish(match (result, &self.config) {
                (Ok(Response::Put(response)), Ok(config)) => printer::put(config.style, &response),
                (Ok(_), _) | (_, Err(_)) => Err(unexpected_answer()),
                (Err(error), Ok(_)) => Err(Failure::new(EXIT_ERROR, error.to_string())),
            }),
            _ => {}
        }
    }
}
