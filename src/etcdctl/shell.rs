//! One console tab: its variables and its last exit code.
//!
//! What it is: what stands around a command in a shell: `export`, `unset`, `NAME=value` before a command, `echo`,
//! `printf` and `$?`.
//! What it is not: a shell; only `ETCDCTL_…` variables exist.
//! A shell has all commands ([`Shell::whole`]), or leaves the rare ones to another program (see `away`).
//! Invariants: a variable that stands for a flag always holds a value that flag can read.

use std::cell::Cell;

use bytes::Bytes;

use crate::etcdctl::away::Order;
use crate::etcdctl::command::rare::{self, Parts};
use crate::etcdctl::command::{EXIT_BAD_ARGS, EXIT_ERROR, Failure, Invocation, Run};
use crate::etcdctl::executor::Execution;
use crate::etcdctl::flags::{FlagSpec, FlagValues, Sorted};
use crate::etcdctl::lexer::{self, Word};
use crate::etcdctl::parser::{self, Parsed, Path};
use crate::etcdctl::redirect::{self, CommandLine, Given};
use crate::etcdctl::table::{ROOT, Runs};
use crate::etcdctl::{go, help, utl};
use crate::types::{Millis, SmallMap};

const VARIABLE_PREFIX: &str = "ETCDCTL_";
const ENDPOINTS: &str = "ETCDCTL_ENDPOINTS";
/// Variables that etcdctl reads and that stand for no flag.
const OTHER_VARIABLES: [&str; 2] = ["ETCDCTL_WATCH_KEY", "ETCDCTL_WATCH_RANGE_END"];
/// Exit code of a line that cannot be read, as in a shell.
const EXIT_SYNTAX: i32 = 2;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Shell {
    /// What `ETCDCTL_ENDPOINTS` is preset to.
    endpoints: Vec<String>,
    /// What was set by hand.
    variables: SmallMap<String, String>,
    last_status: i32,
    /// Commands started so far; makes ids unique within the tab.
    started: u32,
    /// What runs rare commands, if they run here.
    rare: Option<&'static Parts>,
}

impl Shell {
    /// A tab whose `ETCDCTL_ENDPOINTS` is set to `endpoints`; another program runs its rare commands.
    #[must_use]
    pub fn new(endpoints: Vec<String>) -> Self {
        Self { endpoints, ..Self::default() }
    }

    /// The same with all commands.
    #[must_use]
    pub fn whole(endpoints: Vec<String>) -> Self {
        Self { rare: Some(&rare::PARTS), ..Self::new(endpoints) }
    }

    /// Runs what another program's shell leaves to this one.
    pub(super) fn run_order(order: Order, now: Millis) -> Execution {
        let Order { endpoints, variables, serial, words, stdin } = order;
        let started = serial.wrapping_sub(1);
        let mut shell = Self { variables, started, ..Self::whole(endpoints) };
        shell.start_words(&words, stdin, now)
    }

    /// Presets `ETCDCTL_ENDPOINTS`; a value that was exported by hand stays in force.
    pub fn set_endpoints(&mut self, endpoints: Vec<String>) {
        self.endpoints = endpoints;
    }

    /// The exit code of the last command that was finished.
    #[must_use]
    pub const fn last_status(&self) -> i32 {
        self.last_status
    }

    /// Records the exit code of a command.
    pub const fn finish(&mut self, status: i32) {
        self.last_status = status;
    }

    /// The variables of this tab, the preset one included.
    #[must_use]
    pub fn variables(&self) -> SmallMap<String, String> {
        let mut all = self.variables.clone();
        all.get_or_insert_with(ENDPOINTS.to_owned(), || self.endpoints.join(","));
        all
    }

    /// Starts what a line says. `stdin` is all of standard input; `None`: it comes later, as `Input::Stdin`.
    ///
    /// An error is an execution that is over already.
    pub fn start(&mut self, line: &str, stdin: Option<Bytes>, now: Millis) -> Execution {
        let CommandLine { text, words, input } = match redirect::read(line, self.last_status) {
            Ok(read) => read,
            Err(error) => return Execution::failed(&Failure::new(EXIT_SYNTAX, error)),
        };
        match redirect::spoken(&words) {
            Some(Ok(said)) => return Execution::over(said, Vec::new(), 0),
            Some(Err(error)) => return Execution::failed(&Failure::new(EXIT_SYNTAX, error)),
            None => {}
        }
        let (stdin, document) = match input {
            Given::Nothing => (stdin, None),
            Given::Bytes(bytes) => (Some(Bytes::from(bytes)), None),
            Given::Until(document) => (None, Some(document)),
        };
        let (assigned, rest) = parted(&text, words);
        if rest.is_empty() {
            return self.builtin(assigned.is_empty().then_some(self.last_status), |shell| {
                shell.set(&mut assigned.clone().into_iter())
            });
        }
        let before = self.variables.clone();
        if let Err(failure) = self.set(&mut assigned.into_iter()) {
            self.variables = before;
            return Execution::failed(&failure);
        }
        let execution = match document {
            None => self.start_words(&rest, stdin, now),
            // A shell reads the document first; then the command sees all of it at once.
            Some(document) => {
                let mut shell = self.clone();
                self.started = self.started.wrapping_add(1);
                let words = rest.clone();
                Execution::after_document(document, move |text, now| {
                    shell.start_words(&words, Some(text), now)
                })
            }
        };
        if !is_builtin(&rest) {
            self.variables = before;
        }
        execution
    }

    /// Starts words that are split already, with or without a leading `etcdctl`.
    pub fn start_words(
        &mut self,
        words: &[String],
        stdin: Option<Bytes>,
        now: Millis,
    ) -> Execution {
        let all = words;
        let (first, rest) = match words.split_first() {
            Some((first, rest)) => (first.as_str(), rest),
            None => ("", words),
        };
        match first {
            "export" => return self.export(rest),
            "unset" => {
                return self.builtin(None, |shell| {
                    for name in rest {
                        if name.contains('=') {
                            let message = format!("unset takes names without a value, not {name}");
                            return Err(Failure::new(EXIT_BAD_ARGS, message));
                        }
                        shell.variables.remove(name);
                    }
                    Ok(())
                });
            }
            _ => {}
        }
        let program = if first == utl::ROOT.name { &utl::ROOT } else { &ROOT };
        let words = if first == program.name { rest } else { words };
        self.started = self.started.wrapping_add(1);
        match parser::parse(program, words) {
            Parsed::Run { path, sorted } => {
                let run = match path.command().run {
                    Some(Runs::Here(run)) => Some(run),
                    Some(Runs::Rare(rare)) => self.rare.map(|parts| (parts.run_of)(rare)),
                    None => unreachable!("{} groups commands and cannot be run", path.name()),
                };
                let here = run.and_then(|run| self.prepare(run, &path, sorted));
                match here {
                    Some((run, notices)) => {
                        Execution::start(self.started, now, notices, stdin.as_deref(), run)
                    }
                    None => Execution::away(self.order(all, stdin)),
                }
            }
            Parsed::Help(path) => Execution::over(help::page(&path).into_bytes(), Vec::new(), 0),
            Parsed::UnknownTopic(text) => {
                let text = format!("{text}\n{}", help::usage(&Path::of(program)));
                Execution::over(Vec::new(), text.into_bytes(), 0)
            }
            Parsed::Error(error) => {
                let after = match &error.usage_of {
                    Some(path) => help::usage(path),
                    None => format!("Run '{} --help' for usage.\n", program.name),
                };
                let text = format!("Error: {}\n{after}", error.message);
                Execution::over(Vec::new(), text.into_bytes(), EXIT_ERROR)
            }
        }
    }

    fn order(&self, words: &[String], stdin: Option<Bytes>) -> Order {
        Order {
            endpoints: self.endpoints.clone(),
            variables: self.variables.clone(),
            serial: self.started,
            words: words.to_vec(),
            stdin,
        }
    }

    /// What to run and what to say beforehand; `None` if another program does both.
    fn prepare(
        &self,
        run: Run,
        path: &Path,
        sorted: Sorted,
    ) -> Option<((Run, Invocation), Vec<String>)> {
        let Sorted { mut flags, args, before_dashes, .. } = sorted;
        let is_etcdctl = path.program().name == ROOT.name;
        let mut known = path.local_flags();
        known.extend(path.program().inherited);
        let mut notices: Vec<String> = known
            .iter()
            .filter(|flag| flag.ignored && flags.is_given(flag.name))
            .map(|flag| format!("--{} has no effect: {}", flag.name, flag.about))
            .collect();
        // The variables are etcdctl's.
        let inherited = if is_etcdctl { path.inherited_flags() } else { Vec::new() };
        let flag_of = |name: &str| inherited.iter().copied().find(|flag| variable_of(flag) == name);
        let is_known =
            |name: &String| flag_of(name).is_some() || OTHER_VARIABLES.contains(&name.as_str());
        let strange = self.variables.iter().filter(|(name, _)| is_etcdctl && !is_known(name));
        notices.extend(
            strange
                .map(|(name, value)| format!("unrecognized environment variable: {name}={value}")),
        );
        let shadowed = self
            .variables
            .keys()
            .find(|name| flag_of(name).is_some_and(|flag| flags.is_given(flag.name)));
        notices.extend(self.fill_in(&inherited, &mut flags));
        if self.rare.is_none() && rare::is_rare(path, &flags) {
            return None;
        }
        let invocation = Invocation {
            flags,
            args,
            before_dashes,
            variables: self.variables.clone(),
            shadowed: shadowed.cloned(),
            done: Vec::new(),
            asked: Cell::new(0),
            rare: self.rare,
        };
        Some(((run, invocation), notices))
    }

    /// Sets flags that were not given from their variables; says which cannot be read, which etcdctl passes over.
    fn fill_in(&self, inherited: &[&'static FlagSpec], flags: &mut FlagValues) -> Vec<String> {
        let mut notices = Vec::new();
        let preset = self.endpoints.join(",");
        let unset = |flag: &&&'static FlagSpec| !flags.is_given(flag.name);
        for flag in inherited.iter().filter(unset).collect::<Vec<_>>() {
            let name = variable_of(flag);
            let value = match self.variables.get(&name) {
                Some(value) => value,
                None if name == ENDPOINTS => &preset,
                None => continue,
            };
            if value.is_empty() {
                continue;
            }
            if let Err(error) = flags.set(flag, value) {
                flags.clear(flag);
                let value = go::quote(value.as_bytes());
                notices.push(format!("invalid value {value} for {name}: {error}"));
            }
        }
        notices
    }

    /// `export`, with or without names.
    fn export(&mut self, words: &[String]) -> Execution {
        if words.is_empty() {
            let lines: Vec<String> = self
                .variables()
                .iter()
                .map(|(name, value)| format!("export {name}={}\n", lexer::quote(value)))
                .collect();
            return Execution::over(lines.concat().into_bytes(), Vec::new(), 0);
        }
        self.builtin(None, |shell| {
            // A name without a value stands for what it is already.
            let mut pairs = words
                .iter()
                .filter_map(|word| word.split_once('='))
                .map(|(name, value)| (name.to_owned(), value.to_owned()));
            shell.set(&mut pairs)
        })
    }

    fn builtin(
        &mut self,
        status: Option<i32>,
        run: impl FnOnce(&mut Self) -> Result<(), Failure>,
    ) -> Execution {
        let before = self.variables.clone();
        match run(self) {
            Ok(()) => Execution::over(Vec::new(), Vec::new(), status.unwrap_or(0)),
            Err(failure) => {
                self.variables = before;
                Execution::failed(&failure)
            }
        }
    }

    fn set(&mut self, pairs: &mut dyn Iterator<Item = (String, String)>) -> Result<(), Failure> {
        for (name, value) in pairs {
            if !is_readable(&name) {
                return Err(no_variable(&name));
            }
            self.variables.insert(name, value);
        }
        Ok(())
    }
}

fn is_readable(variable: &str) -> bool {
    variable.starts_with(VARIABLE_PREFIX)
}

fn no_variable(name: &str) -> Failure {
    Failure::new(EXIT_BAD_ARGS, format!("{name} is not a variable that etcdctl reads"))
}

fn is_builtin(words: &[String]) -> bool {
    words.first().is_some_and(|first| first == "export" || first == "unset")
}

/// `--write-out` is `ETCDCTL_WRITE_OUT`.
fn variable_of(flag: &FlagSpec) -> String {
    format!("{VARIABLE_PREFIX}{}", flag.name.to_ascii_uppercase().replace('-', "_"))
}

/// The assignments before a command, and its words.
fn parted(text: &str, words: Vec<Word>) -> (Vec<(String, String)>, Vec<String>) {
    let assigned: Vec<_> = words.iter().map_while(|word| assignment(text, word)).collect();
    let rest = words.into_iter().skip(assigned.len()).map(|word| word.text).collect();
    (assigned, rest)
}

/// What one line of a console says, without what it would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plain {
    /// Variables that are set before the command, or for good if there is none.
    pub assigned: Vec<(String, String)>,
    /// The command's words; its first may be `etcdctl`, or be left out.
    pub words: Vec<String>,
    /// Its standard input, if the line gives it.
    pub input: Option<Vec<u8>>,
}

/// Reads a line as a console does after a command that ended with `status`.
///
/// # Errors
/// The console would refuse it, with this sentence.
pub fn plain(line: &str, status: i32) -> Result<Plain, String> {
    let CommandLine { text, words, input } = redirect::read(line, status)?;
    let (assigned, words) = parted(&text, words);
    let input = match input {
        Given::Nothing => None,
        Given::Bytes(bytes) => Some(bytes),
        Given::Until(_) => return Err("its here-document never ends".to_owned()),
    };
    Ok(Plain { assigned, words, input })
}

/// `NAME=value` with an unquoted name; only words at the beginning of a line are asked about.
fn assignment(line: &str, word: &Word) -> Option<(String, String)> {
    let (name, value) = word.text.split_once('=')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty()
        || name.starts_with(|c: char| c.is_ascii_digit())
        || !name.chars().all(is_name)
    {
        return None;
    }
    let start = usize::try_from(word.start).ok()?;
    let unquoted = line.get(start..)?.strip_prefix(name)?.starts_with('=');
    unquoted.then(|| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests;
