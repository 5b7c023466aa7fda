//! `del`: delete a key or a range, after a warning if a range was not asked for by name.

use bytes::Bytes;

use crate::api::{DeleteRangeRequest, Request, Response};
use crate::etcdctl::command::{
    Command, Config, EXIT_ERROR, Failure, Invocation, ONE_ARGUMENT_ONLY, PREFIX_AND_FROM_KEY,
    key_range, unexpected_answer,
};
use crate::etcdctl::executor::{Event, Io};
use crate::etcdctl::flags::FlagValues;
use crate::etcdctl::{go, printer};

/// How long a range is only announced, in milliseconds; etcdctl's own time.
pub(super) const WARNING_MS: u64 = 2000;

struct Del {
    /// Read before the warning, complained about after it.
    config: Result<Config, Failure>,
    request: DeleteRangeRequest,
    /// What to say before deleting, if anything.
    warning: Option<String>,
}

pub(crate) fn new(invocation: &Invocation) -> Result<Box<dyn Command>, Failure> {
    let (request, warning) = request(&invocation.flags, &invocation.args_as_bytes())?;
    let config = invocation.client_config();
    Ok(Box::new(Del { config, request, warning }))
}

/// What `del` asks for, and what it says [`WARNING_MS`] beforehand if a range was not asked for by name.
pub(super) fn request(
    flags: &FlagValues,
    args: &[Bytes],
) -> Result<(DeleteRangeRequest, Option<String>), Failure> {
    let key = args.first().filter(|_| args.len() <= 2).ok_or_else(|| {
        Failure::bad_args(
            "del command needs one argument as key and an optional argument as range_end",
        )
    })?;
    let (prefix, from_key) = (flags.bool("prefix"), flags.bool("from-key"));
    if prefix && from_key {
        return Err(Failure::bad_args(PREFIX_AND_FROM_KEY));
    }
    if args.len() > 1 && (prefix || from_key) {
        return Err(Failure::bad_args(ONE_ARGUMENT_ONLY));
    }
    let warning = args.get(1).filter(|_| !flags.bool("range")).map(|end| {
        let (key, end) = (go::quote(key), go::quote(end));
        format!(
            "Warning: Keys between {key} and {end} will be deleted. Please interrupt the command within next 2 seconds to cancel. You can provide `--range` flag to avoid the delay.\n"
        )
    });
    let (key, range_end) = key_range(flags, key, args.get(1));
    Ok((DeleteRangeRequest { key, range_end, prev_kv: flags.bool("prev-kv") }, warning))
}

impl Command for Del {
    fn start(&mut self, io: &mut Io) {
        match self.warning.take() {
            Some(warning) => {
                io.stderr(warning);
                io.sleep(WARNING_MS);
            }
            None => self.delete(io),
        }
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        match event {
            Event::Woken => self.delete(io),
            Event::Reply(_, Ok(Response::DeleteRange(response))) => {
                let config = self.config.as_ref();
                let printed = config.map(|config| printer::del(config.style, &response));
                io.finish(printed.unwrap_or_else(|failure| Err(failure.clone())));
            }
            Event::Reply(_, Ok(_)) => io.fail(&unexpected_answer()),
            Event::Reply(_, Err(error)) => io.fail(&Failure::new(EXIT_ERROR, error.to_string())),
            _ => {}
        }
    }
}

impl Del {
    fn delete(&self, io: &mut Io) {
        match &self.config {
            Ok(config) => {
                io.ask(config, Request::DeleteRange(self.request.clone()));
            }
            Err(failure) => io.fail(failure),
        }
    }
}
