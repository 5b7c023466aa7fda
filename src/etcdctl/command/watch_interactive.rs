//! `watch --interactive`: watches and progress requests as lines of standard input.
//!
//! What it is: one line after the other, with the refusals that etcdctl has for them; some end the command, some only
//! the line.
//! What it is not: the flags of the command line itself, which etcdctl forgets here.
//! Invariants: the end of standard input ends the command with an error, watches or not.

use bytes::Bytes;

use crate::api::WatchCreateRequest;
use crate::etcdctl::command::watch::{self, KEY_VARIABLE, RANGE_END_VARIABLE};
use crate::etcdctl::command::{
    Command, Config, EXIT_BAD_INPUT, Failure, Invocation, Made, prefix_range,
};
use crate::etcdctl::executor::{Event, Io, WatchEvent};
use crate::etcdctl::flags::{self, FlagSpec, Sorted};
use crate::etcdctl::lines::{self, Line, Lines};
use crate::etcdctl::table;

struct Interactive {
    config: Config,
    /// The two variables, if they hold something.
    key: Option<String>,
    range_end: Option<String>,
    lines: Lines,
}

/// Why a line is not carried out.
enum Refusal {
    /// Only this line.
    Line(String),
    /// The whole command.
    Command(Failure),
}

pub(super) fn new(invocation: &Invocation) -> Made {
    Ok(Box::new(Interactive {
        config: invocation.client_config()?,
        key: watch::variable(invocation, KEY_VARIABLE).cloned(),
        range_end: watch::variable(invocation, RANGE_END_VARIABLE).cloned(),
        lines: Lines::default(),
    }))
}

impl Command for Interactive {
    fn start(&mut self, _io: &mut Io) {}

    fn reads_stdin(&self) -> bool {
        true
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        match event {
            Event::Stdin(bytes) => self.lines.push(&bytes),
            Event::StdinEnd => self.lines.end(),
            Event::Watch(WatchEvent::Response(response)) => {
                watch::show(io, self.config.style, &response);
                return;
            }
            Event::Watch(WatchEvent::Closed(response, reason)) => {
                io.stderr(format!("watch was canceled ({reason})\n"));
                watch::print(io, self.config.style, &response);
                return;
            }
            _ => return,
        }
        self.read(io);
    }
}

impl Interactive {
    fn read(&mut self, io: &mut Io) {
        loop {
            let line = match self.lines.next() {
                Line::Later => return,
                Line::End => {
                    let message = "error reading watch request line: EOF";
                    return io.fail(&Failure::new(EXIT_BAD_INPUT, message));
                }
                Line::Text(line) => line,
            };
            match self.take(io, &line) {
                Ok(()) => {}
                Err(Refusal::Line(why)) => {
                    let mut text = b"Invalid command".to_vec();
                    // With the blanks that etcdctl puts.
                    let (between, behind) =
                        if why.starts_with('(') { (" ", " ") } else { (": ", " (") };
                    text.extend_from_slice(between.as_bytes());
                    text.extend_from_slice(&line);
                    text.extend_from_slice(behind.as_bytes());
                    text.extend_from_slice(why.as_bytes());
                    text.push(b'\n');
                    io.stderr(text);
                }
                Err(Refusal::Command(failure)) => return io.fail(&failure),
            }
        }
    }

    fn take(&self, io: &mut Io, line: &[u8]) -> Result<(), Refusal> {
        let words = lines::words(line)
            .map_err(|why| Refusal::Command(Failure::new(EXIT_BAD_INPUT, why)))?;
        let Some((name, rest)) = words.split_first() else {
            return Err(Refusal::Line("watch and progress supported)".to_owned()));
        };
        match name.as_slice() {
            b"watch" if rest.is_empty() && self.key.is_none() => {
                Err(Refusal::Line("(command type or key is not provided)".to_owned()))
            }
            b"watch" => {
                let create = self.request(rest)?;
                io.watch(&self.config, create);
                Ok(())
            }
            b"progress" => {
                io.ask_progress();
                Ok(())
            }
            _ => Err(Refusal::Line("(only support watch)".to_owned())),
        }
    }

    fn request(&self, words: &[Vec<u8>]) -> Result<WatchCreateRequest, Refusal> {
        let bad_args = |message: &str| Refusal::Command(Failure::bad_args(message));
        let separator = words.iter().position(|word| word == b"--");
        if separator.is_some_and(|at| at + 1 == words.len()) {
            return Err(bad_args(watch::NO_COMMAND));
        }
        let texts: Vec<String> =
            words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        if texts
            .iter()
            .take_while(|word| *word != "--")
            .any(|word| word == "--help" || word == "-h")
        {
            return Err(bad_args("pflag: help requested"));
        }
        let known = own_flags();
        let Sorted { flags, positions, .. } =
            flags::parse(&known, &texts).map_err(|why| bad_args(&why))?;
        if separator.is_some() {
            return Err(Refusal::Line(format!("({})", watch::NO_PROGRAMS)));
        }
        let word = |at: &u32| usize::try_from(*at).ok().and_then(|at| words.get(at));
        let typed: Vec<&Vec<u8>> = positions.iter().filter_map(word).collect();
        let (key, range_end): (&[u8], Option<&[u8]>) = match (typed.as_slice(), &self.key) {
            ([], None) => return Err(bad_args(watch::BAD_NUMBER)),
            ([], Some(key)) => (key.as_bytes(), self.range_end.as_deref().map(str::as_bytes)),
            (_, Some(_)) => return Err(bad_args(watch::CONFLICT)),
            ([key, end], None) => (key, Some(end)),
            // A third one makes etcdctl watch the first key alone.
            ([key, ..], None) => (key, None),
        };
        let prefix = flags.bool("prefix");
        let (key, range_end) = match range_end {
            Some(_) if prefix => {
                return Err(Refusal::Line(format!("({})", watch::RANGE_AND_PREFIX)));
            }
            Some(end) => (Bytes::copy_from_slice(key), Bytes::copy_from_slice(end)),
            None if prefix => prefix_range(key),
            None => (Bytes::copy_from_slice(key), Bytes::new()),
        };
        Ok(watch::create(&flags, key, range_end))
    }
}

/// The flags of `watch` alone.
fn own_flags() -> Vec<&'static FlagSpec> {
    let watch = table::ROOT.commands.iter().find(|command| command.name == "watch");
    watch.map(|command| command.flags.iter().collect()).unwrap_or_default()
}
