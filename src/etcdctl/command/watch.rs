//! `watch`: print changes as they happen.
//!
//! Running a program for each event is refused: there is nothing to run in a page.

use bytes::Bytes;

use crate::api::{WatchCreateRequest, WatchResponse};
use crate::etcdctl::command::{
    Command, Config, EXIT_ERROR, EXIT_INTERRUPTED, Failure, Invocation, Made, prefix_range,
    rare::Rare,
};
use crate::etcdctl::executor::{Event, Io, WatchEvent};
use crate::etcdctl::flags::FlagValues;
use crate::etcdctl::printer::Style;
use crate::etcdctl::{go, printer};

pub(super) const KEY_VARIABLE: &str = "ETCDCTL_WATCH_KEY";
pub(super) const RANGE_END_VARIABLE: &str = "ETCDCTL_WATCH_RANGE_END";
pub(super) const BAD_NUMBER: &str = "bad number of arguments";
pub(super) const CONFLICT: &str = "bad number of arguments (found conflicting environment key)";
pub(super) const NO_COMMAND: &str = "bad number of arguments (found separator --, but no commands)";
pub(super) const RANGE_AND_PREFIX: &str = "`range_end` and `--prefix` are mutually exclusive";
pub(super) const NO_PROGRAMS: &str =
    "running a command for each event is not possible here; leave out -- and what follows it";

struct Watch {
    config: Config,
    create: Option<WatchCreateRequest>,
}

pub(crate) fn new(invocation: &Invocation) -> Made {
    let flags = &invocation.flags;
    if variable(invocation, KEY_VARIABLE).is_none()
        && let Some(end) = variable(invocation, RANGE_END_VARIABLE)
    {
        let end = go::quote(end.as_bytes());
        let message = format!("{KEY_VARIABLE} is empty but got {RANGE_END_VARIABLE}={end}");
        return Err(Failure::bad_args(message).into());
    }
    if flags.bool("interactive") {
        let Some(parts) = invocation.rare else { unreachable!("another program runs it") };
        return (parts.run_of)(Rare::WatchInteractive)(invocation);
    }
    let found = key_and_end(invocation)?;
    let prefix = flags.bool("prefix");
    let config = invocation.client_config()?;
    let Some((key, range_end)) = found else {
        return Err(Failure::bad_args(BAD_NUMBER).into());
    };
    let (key, range_end) = match range_end {
        Some(_) if prefix => return Err(Failure::bad_args(RANGE_AND_PREFIX).into()),
        Some(end) => (Bytes::from(key), Bytes::from(end)),
        None if prefix => prefix_range(key.as_bytes()),
        None => (Bytes::from(key), Bytes::new()),
    };
    Ok(Box::new(Watch { config, create: Some(create(flags, key, range_end)) }))
}

/// The request that the flags of a watch ask for.
pub(super) fn create(flags: &FlagValues, key: Bytes, range_end: Bytes) -> WatchCreateRequest {
    WatchCreateRequest {
        key,
        range_end,
        start_revision: flags.int("rev"),
        progress_notify: flags.bool("progress-notify"),
        prev_kv: flags.bool("prev-kv"),
        ..WatchCreateRequest::default()
    }
}

/// A variable that holds something.
pub(super) fn variable<'a>(invocation: &'a Invocation, name: &str) -> Option<&'a String> {
    invocation.variables.get(name).filter(|value| !value.is_empty())
}

/// Key and range end, from the arguments before `--` or else from the variables.
///
/// `None` if there is no key but something else, which etcdctl sees only after it has read its flags.
fn key_and_end(invocation: &Invocation) -> Result<Option<(String, Option<String>)>, Failure> {
    let key_variable = variable(invocation, KEY_VARIABLE);
    let mut own = invocation.args.as_slice();
    if let Some(before) = invocation.before_dashes {
        let before = usize::try_from(before).unwrap_or(usize::MAX);
        let (keys, command) = own.split_at_checked(before).unwrap_or((own, &[]));
        if command.is_empty() {
            return Err(Failure::bad_args(NO_COMMAND));
        }
        if !keys.is_empty() && key_variable.is_some() {
            return Err(Failure::bad_args(CONFLICT));
        }
        if !keys.is_empty() || key_variable.is_some() {
            return Err(Failure::new(EXIT_ERROR, NO_PROGRAMS));
        }
        own = keys;
    }
    match (own, key_variable) {
        ([], None) if invocation.flags.is_any_given() || invocation.before_dashes.is_some() => {
            Ok(None)
        }
        ([], None) => Err(Failure::bad_args(BAD_NUMBER)),
        ([], Some(key)) => {
            Ok(Some((key.clone(), variable(invocation, RANGE_END_VARIABLE).cloned())))
        }
        (_, Some(_)) => Err(Failure::bad_args(CONFLICT)),
        ([key, end], None) => Ok(Some((key.clone(), Some(end.clone())))),
        // A third argument makes etcdctl watch the first key alone.
        ([key, ..], None) => Ok(Some((key.clone(), None))),
    }
}

impl Command for Watch {
    fn start(&mut self, io: &mut Io) {
        if let Some(create) = self.create.take() {
            io.watch(&self.config, create);
        }
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        let Event::Watch(event) = event else { return };
        let style = self.config.style;
        match event {
            WatchEvent::Response(response) => show(io, style, &response),
            WatchEvent::Closed(response, reason) => {
                io.stderr(format!("watch was canceled ({reason})\n"));
                if print(io, style, &response) {
                    let message = "watch is canceled by the server";
                    io.fail(&Failure::new(EXIT_INTERRUPTED, message));
                }
            }
        }
    }
}

/// Prints what came.
pub(super) fn show(io: &mut Io, style: Style, response: &WatchResponse) {
    if response.events.is_empty() {
        let notice = format!("progress notify: {}\n", response.header.revision);
        io.stdout(notice.into_bytes());
    }
    print(io, style, response);
}

/// Prints a message; false if the format ended the command.
pub(super) fn print(io: &mut Io, style: Style, response: &WatchResponse) -> bool {
    match printer::watch(style, response) {
        Ok(bytes) => io.stdout(bytes),
        Err(failure) => {
            io.fail(&failure);
            return false;
        }
    }
    true
}
