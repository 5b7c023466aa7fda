//! `watch`: print changes as they happen.
//!
//! Running a program for each event is refused: there is nothing to run in a page.

use bytes::Bytes;

use crate::api::WatchCreateRequest;
use crate::etcdctl::command::{
    Command, Config, EXIT_ERROR, EXIT_INTERRUPTED, Failure, Invocation, prefix_range,
};
use crate::etcdctl::executor::{Event, Io, WatchEvent};
use crate::etcdctl::printer;

const KEY_VARIABLE: &str = "ETCDCTL_WATCH_KEY";
const RANGE_END_VARIABLE: &str = "ETCDCTL_WATCH_RANGE_END";

struct Watch {
    config: Config,
    create: Option<WatchCreateRequest>,
}

pub(crate) fn new(invocation: &Invocation) -> Result<Box<dyn Command>, Failure> {
    let flags = &invocation.flags;
    if flags.bool("interactive") {
        let message = "watch --interactive is not available in this build yet";
        return Err(Failure::new(EXIT_ERROR, message));
    }
    let (key, range_end) = key_and_end(invocation)?;
    let prefix = flags.bool("prefix");
    let config = invocation.config_without_protobuf()?;
    let (key, range_end) = match range_end {
        Some(_) if prefix => {
            let message = "`range_end` and `--prefix` are mutually exclusive";
            return Err(Failure::bad_args(message));
        }
        Some(end) => (Bytes::from(key), Bytes::from(end)),
        None if prefix => prefix_range(&key),
        None => (Bytes::from(key), Bytes::new()),
    };
    let create = WatchCreateRequest {
        key,
        range_end,
        start_revision: flags.int("rev"),
        progress_notify: flags.bool("progress-notify"),
        prev_kv: flags.bool("prev-kv"),
        ..WatchCreateRequest::default()
    };
    Ok(Box::new(Watch { config, create: Some(create) }))
}

/// Key and range end, from the arguments before `--` or else from the variables.
fn key_and_end(invocation: &Invocation) -> Result<(String, Option<String>), Failure> {
    let mut own = invocation.args.as_slice();
    if let Some(before) = invocation.before_dashes {
        let before = usize::try_from(before).unwrap_or(usize::MAX);
        let (keys, command) = own.split_at_checked(before).unwrap_or((own, &[]));
        if command.is_empty() {
            let message = "bad number of arguments (found separator --, but no commands)";
            return Err(Failure::bad_args(message));
        }
        if !keys.is_empty() || invocation.variables.contains_key(KEY_VARIABLE) {
            let message = "running a command for each event is not possible here; leave out -- and what follows it";
            return Err(Failure::new(EXIT_ERROR, message));
        }
        own = keys;
    }
    let variable = invocation.variables.get(KEY_VARIABLE).filter(|key| !key.is_empty());
    match (own, variable) {
        ([], None) => Err(Failure::bad_args("bad number of arguments")),
        ([], Some(key)) => {
            let end = invocation.variables.get(RANGE_END_VARIABLE).filter(|end| !end.is_empty());
            Ok((key.clone(), end.cloned()))
        }
        (_, Some(_)) => {
            let message = "bad number of arguments (found conflicting environment key)";
            Err(Failure::bad_args(message))
        }
        ([key, end], None) => Ok((key.clone(), Some(end.clone()))),
        // A third argument makes etcdctl watch the first key alone.
        ([key, ..], None) => Ok((key.clone(), None)),
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
            WatchEvent::Response(response) => {
                if response.events.is_empty() {
                    let notice = format!("progress notify: {}\n", response.header.revision);
                    io.stdout(notice.into_bytes());
                }
                match printer::watch(style, &response) {
                    Ok(bytes) => io.stdout(bytes),
                    Err(failure) => io.fail(&failure),
                }
            }
            WatchEvent::Closed(response, reason) => {
                io.stderr(format!("watch was canceled ({reason})\n"));
                match printer::watch(style, &response) {
                    Ok(bytes) => {
                        io.stdout(bytes);
                        let message = "watch is canceled by the server";
                        io.fail(&Failure::new(EXIT_INTERRUPTED, message));
                    }
                    Err(failure) => io.fail(&failure),
                }
            }
        }
    }
}
