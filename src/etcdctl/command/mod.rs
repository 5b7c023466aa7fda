//! The commands: one file each.
//!
//! What it is: what every command has in common.
//! What it is not: parsing of flags, or printing.
//! Invariants: arguments are checked before anybody is asked, in etcdctl's order and with its texts and exit codes.
//! Source: recorded answers of etcdctl 3.7.1.

pub(crate) mod alarm;
pub(crate) mod auth;
pub(crate) mod check;
pub(crate) mod compaction;
mod compare;
pub(crate) mod completion;
pub(crate) mod defrag;
pub(crate) mod del;
pub(crate) mod downgrade;
pub(crate) mod elect;
pub(crate) mod endpoint;
pub(crate) mod endpoint_hashkv;
pub(crate) mod endpoint_health;
pub(crate) mod endpoint_status;
pub(crate) mod get;
pub(crate) mod lease;
pub(crate) mod lease_keep_alive;
pub(crate) mod lock;
pub(crate) mod make_mirror;
pub(crate) mod member;
pub(crate) mod member_list;
pub(crate) mod move_leader;
mod one_call;
pub(crate) mod options;
pub(crate) mod put;
pub(crate) mod rare;
pub(crate) mod role;
mod session;
pub(crate) mod snapshot;
pub(crate) mod txn;
pub(crate) mod user;
pub(crate) mod version;
pub(crate) mod watch;
mod watch_interactive;

use std::cell::Cell;

use bytes::Bytes;

use crate::etcdctl::command::rare::{AnswerLimit, Parts};
use crate::etcdctl::executor::{Access, Event, Io, Step};
use crate::etcdctl::flags::FlagValues;
use crate::etcdctl::printer::{Format, Style};
use crate::etcdctl::protocol::NOTICE_PREFIX;
use crate::types::SmallMap;

/// Anything that has no code of its own.
pub(crate) const EXIT_ERROR: i32 = 1;
/// No endpoint to talk to.
pub(crate) const EXIT_BAD_CONNECTION: i32 = 2;
/// etcdctl itself crashes, as a Go program does.
pub(crate) const EXIT_PANIC: i32 = 2;
/// A line of standard input that a command cannot take.
pub(crate) const EXIT_BAD_INPUT: i32 = 3;
/// An output format or option value that does not exist.
pub(crate) const EXIT_BAD_FEATURE: i32 = 4;
/// A watch that the server ended.
pub(crate) const EXIT_INTERRUPTED: i32 = 5;
/// Ctrl-C, as a shell reports it.
pub(crate) const EXIT_INTERRUPTED_BY_SIGNAL: i32 = 130;
/// Bad arguments.
pub(crate) const EXIT_BAD_ARGS: i32 = 128;

/// The largest request that is sent unless `--max-request-bytes` says otherwise: 2 MiB, etcd's client default.
const DEFAULT_MAX_REQUEST_BYTES: u64 = 2 * 1024 * 1024;

/// Makes a command from what was typed; it is called again after each step that it asks for.
pub(crate) type Run = fn(&Invocation) -> Made;

/// What making a command comes to.
pub(crate) type Made = Result<Box<dyn Command>, Unmade>;

/// A command while it runs.
pub(crate) trait Command {
    /// Begins.
    fn start(&mut self, io: &mut Io);
    /// Goes on.
    fn on(&mut self, io: &mut Io, event: Event);
    /// Ctrl-C; false if it simply ends the command.
    fn interrupt(&mut self, _io: &mut Io) -> bool {
        false
    }
    /// Whether it waits for standard input.
    fn reads_stdin(&self) -> bool {
        false
    }
}

/// Why a command ends badly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) status: i32,
    pub(crate) message: String,
    /// etcdctl would only write a log line.
    pub(crate) notice: bool,
}

/// Why there is no command, or not yet.
pub(crate) enum Unmade {
    /// It is refused.
    Failed(Failure),
    /// This is to be done first.
    Needs(Box<Step>),
}

impl From<Failure> for Unmade {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Failure {
    pub(crate) fn new(status: i32, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), notice: false }
    }

    pub(crate) fn notice(status: i32, message: impl Into<String>) -> Self {
        Self { notice: true, ..Self::new(status, message) }
    }

    pub(crate) fn bad_args(message: impl Into<String>) -> Self {
        Self::new(EXIT_BAD_ARGS, message)
    }

    /// As it is printed.
    pub(crate) fn line(&self) -> String {
        let before = if self.notice { NOTICE_PREFIX } else { "Error: " };
        format!("{before}{}\n", self.message)
    }
}

/// What was typed, understood.
pub(crate) struct Invocation {
    pub(crate) flags: FlagValues,
    pub(crate) args: Vec<String>,
    /// How many arguments stood before `--`, if there was one.
    pub(crate) before_dashes: Option<u32>,
    /// The `ETCDCTL_*` variables.
    pub(crate) variables: SmallMap<String, String>,
    /// A variable that a flag was given for as well, which etcdctl refuses.
    pub(crate) shadowed: Option<String>,
    /// What came of the steps that were done.
    pub(crate) done: Vec<Bytes>,
    /// How many of them were asked for since the command is made.
    pub(crate) asked: Cell<u32>,
    /// Rare code, in a program that has it.
    pub(crate) rare: Option<&'static Parts>,
}

/// What the flags of every command say.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// Empty only if `--endpoints=` was given, and then only [`Invocation::config`] lets it pass.
    pub(crate) endpoints: Vec<String>,
    pub(crate) timeout_ms: u64,
    pub(crate) max_request_bytes: u64,
    /// `None`: any.
    pub(crate) answer_limit: Option<AnswerLimit>,
    pub(crate) style: Style,
    pub(crate) access: Access,
}

impl Config {
    /// For commands that etcdctl gives no time limit.
    pub(crate) const fn without_timeout(mut self) -> Self {
        self.timeout_ms = u64::MAX;
        self
    }
}

impl Invocation {
    /// The arguments as keys and values.
    pub(crate) fn args_as_bytes(&self) -> Vec<Bytes> {
        self.args.iter().map(|arg| Bytes::copy_from_slice(arg.as_bytes())).collect()
    }

    /// What came of a step, if it was done already.
    pub(crate) fn step(&self, step: Step) -> Result<Bytes, Unmade> {
        let at = self.asked.get();
        self.asked.set(at + 1);
        let done = usize::try_from(at).ok().and_then(|at| self.done.get(at));
        done.cloned().ok_or_else(|| Unmade::Needs(Box::new(step)))
    }

    /// The same, for what is typed.
    pub(crate) fn typed(&self, step: Step) -> Result<String, Unmade> {
        self.step(step).map(|line| String::from_utf8_lossy(&line).into_owned())
    }

    /// A step is done; the command is made anew.
    pub(crate) fn did(&mut self, answer: Bytes) {
        self.done.push(answer);
        self.asked.set(0);
    }

    /// Reads the flags of every command; to be called once the command's own arguments are checked.
    pub(crate) fn config(&self) -> Result<Config, Unmade> {
        if let Some(variable) = &self.shadowed {
            let message = "conflicting environment variable is shadowed by corresponding command-line flag (either unset environment variable or disable flag)";
            return Err(Failure::notice(EXIT_ERROR, format!("{message}: {variable}")).into());
        }
        for name in ["cert", "key", "cacert"] {
            if self.flags.is_given(name) && self.flags.text(name).is_empty() {
                let message = format!("empty string is passed to --{name} option");
                return Err(Failure::bad_args(message).into());
            }
        }
        let access = self.access()?;
        let format = Format::named(self.flags.text("write-out"))
            .ok_or_else(|| Failure::new(EXIT_BAD_FEATURE, "unsupported output format"))?;
        let endpoints = self.flags.list("endpoints").iter().map(|ep| ep.trim().to_owned());
        Ok(self.config_of(endpoints.collect(), access, format))
    }

    fn config_of(&self, endpoints: Vec<String>, access: Access, format: Format) -> Config {
        let max = u64::try_from(self.flags.int("max-request-bytes")).unwrap_or(0);
        let max_answer = u64::try_from(self.flags.int("max-recv-bytes")).unwrap_or(0);
        let answer_limit = self
            .rare
            .filter(|_| max_answer != 0)
            .map(|parts| AnswerLimit { bytes: max_answer, size: parts.answer_size });
        let style =
            Style { format, hex: self.flags.bool("hex"), value_only: false, rare: self.rare };
        Config {
            endpoints,
            timeout_ms: self.flags.millis("command-timeout"),
            max_request_bytes: if max == 0 { DEFAULT_MAX_REQUEST_BYTES } else { max },
            answer_limit,
            style,
            access,
        }
    }

    /// Who asks, by the flags of every command; a password may have to be typed for it.
    pub(crate) fn access(&self) -> Result<Access, Unmade> {
        let (user, password) = (self.flags.text("user"), self.flags.text("password"));
        match self.flags.text("auth-jwt-token") {
            "" => self.user(user, password, "Password: "),
            token => Ok(Access { given_token: Some(token.to_owned()), ..self.user("", "", "")? }),
        }
    }

    /// A user, with or without a password behind a colon, and a password that may be given apart.
    fn user(&self, user: &str, password: &str, prompt: &str) -> Result<Access, Unmade> {
        let (user, password) = match user.split_once(':') {
            _ if user.is_empty() || !password.is_empty() => (user, password.to_owned()),
            Some((user, password)) => (user, password.to_owned()),
            None => (user, self.typed(Step::Secret(prompt.to_owned()))?),
        };
        let [send, receive] =
            ["max-request-bytes", "max-recv-bytes"].map(|name| self.flags.int(name));
        let contradiction = (receive > 0 && send > receive).then(|| {
            format!(
                "gRPC message recv limit ({receive} bytes) must be greater than send limit ({send} bytes)"
            )
        });
        let dial_timeout_ms = self.flags.limit("dial-timeout").unwrap_or(u64::MAX);
        let user = user.to_owned();
        Ok(Access { user, password, dial_timeout_ms, contradiction, ..Access::default() })
    }

    /// As [`Self::config`], with a client made.
    pub(crate) fn client_config(&self) -> Result<Config, Unmade> {
        self.connected(self.config()?, EXIT_BAD_CONNECTION)
    }

    /// Makes a client; `status` is the exit code if it cannot be.
    pub(crate) fn connected(&self, config: Config, status: i32) -> Result<Config, Unmade> {
        if config.endpoints.is_empty() {
            return Err(Failure::new(status, "etcdclient: no available endpoints").into());
        }
        self.step(Step::Client(config.endpoints.clone(), config.access.clone(), status))?;
        Ok(config)
    }
}

/// `help`, which the parser answers before it comes to this.
pub(crate) fn answered_by_the_parser(_: &Invocation) -> Made {
    Ok(Box::new(Text(Vec::new())))
}

/// What a member should never do; it cannot be the user's fault.
pub(crate) fn unexpected_answer() -> Failure {
    Failure::new(EXIT_ERROR, "the member answered something else than was asked")
}

/// A command that only prints.
struct Text(Vec<u8>);

impl Command for Text {
    fn start(&mut self, io: &mut Io) {
        io.stdout(std::mem::take(&mut self.0));
        io.exit(0);
    }

    fn on(&mut self, _io: &mut Io, _event: Event) {}
}

/// Key and range end of "every key that begins with `key`".
fn prefix_range(key: &[u8]) -> (Bytes, Bytes) {
    if key.is_empty() {
        return from_key_range(key);
    }
    let mut end = key.to_vec();
    while end.last() == Some(&0xff) {
        end.pop();
    }
    match end.last_mut() {
        Some(last) => *last += 1,
        None => end.push(0),
    }
    (Bytes::copy_from_slice(key), end.into())
}

/// Key and range end of "every key from `key` on"; an empty key means every key.
fn from_key_range(key: &[u8]) -> (Bytes, Bytes) {
    let first = if key.is_empty() { b"\0" } else { key };
    (Bytes::copy_from_slice(first), Bytes::from_static(b"\0"))
}

/// Key and range end as `get` and `del` take them, with their flags `--prefix` and `--from-key`.
fn key_range(flags: &FlagValues, key: &[u8], range_end: Option<&Bytes>) -> (Bytes, Bytes) {
    if flags.bool("prefix") {
        prefix_range(key)
    } else if flags.bool("from-key") {
        from_key_range(key)
    } else {
        (Bytes::copy_from_slice(key), range_end.cloned().unwrap_or_default())
    }
}

const PREFIX_AND_FROM_KEY: &str =
    "`--prefix` and `--from-key` cannot be set at the same time, choose one";
const ONE_ARGUMENT_ONLY: &str =
    "too many arguments, only accept one argument when `--prefix` or `--from-key` is set";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_before_the_next_possible_one() {
        let end = |key: &str| prefix_range(key.as_bytes()).1;
        assert_eq!(end("app/"), Bytes::from_static(b"app0"));
        assert_eq!(prefix_range(b"").0, Bytes::from_static(b"\0"));
        assert_eq!(end(""), Bytes::from_static(b"\0"));
        assert_eq!(end("\u{7f}"), Bytes::from_static(b"\x80"));
        assert_eq!(from_key_range(b"c"), (Bytes::from_static(b"c"), Bytes::from_static(b"\0")));
    }
}
