//! The etcdctl command line: lexer, parser, commands, printers.
//!
//! What it is: a sans-IO library; a [`Shell`] turns a line into an [`Execution`], which takes [`Input`]s and gives
//! [`Output`]s until it exits.
//! What it is not: a client with a network, a clock or a terminal; whoever drives it has those.
//! It knows nothing of Raft or storage: it speaks `api` only, as the true etcdctl does.
//! Invariants: output equals that of etcdctl 3.7.1 byte for byte where that is determined, lines that begin with
//! [`NOTICE_PREFIX`] aside; nothing here panics on foreign text; keys and values go out raw and are for the page to
//! escape.
//! Source: recorded answers of etcdctl 3.7.1.
//!
//! To add a command: a row in `table`, a file in `command`, a function per format in `printer`; and, unless newcomers
//! type it in their first minutes, a line in `command::rare`.

pub mod away;
mod command;
mod executor;
pub mod flags;
mod go;
mod help;
pub mod lexer;
mod lines;
mod parser;
mod peer_urls;
mod printer;
mod protocol;
mod redirect;
mod request_size;
mod secret;
mod shell;
pub mod table;
pub mod utl;

pub use executor::Execution;
pub use peer_urls::check as check_peer_url;
pub use protocol::{
    CallError, CallId, FileAnswer, FileError, FileOrder, Input, NOTICE_PREFIX, Output,
    RestoreOrder, SnapshotStatus, TimerId,
};
pub use redirect::{is_unfinished, open_quote, statements};
pub use secret::holds_secret;
pub use shell::{Plain, Shell, plain};

/// Every command as it is typed after `etcdctl`, groups included: `get`, `endpoint`, `endpoint status`, ….
#[must_use]
pub fn command_names() -> Vec<String> {
    fn below(group: &table::CommandSpec, before: &str, names: &mut Vec<String>) {
        for command in group.commands {
            let name = format!("{before}{}", command.name);
            names.push(name.clone());
            below(command, &format!("{name} "), names);
        }
    }
    let mut names = Vec::new();
    below(&table::ROOT, "", &mut names);
    names
}

/// The flags that the command `name` (as in [`command_names`]) takes, global ones last; `None` if there is no such
/// command.
#[must_use]
pub fn command_flags(name: &str) -> Option<Vec<&'static flags::FlagSpec>> {
    let mut spec = &table::ROOT;
    let mut inherited: Vec<&'static flags::FlagSpec> = Vec::new();
    for word in name.split(' ').filter(|word| !word.is_empty()) {
        spec = spec.commands.iter().find(|command| command.name == word)?;
        inherited.extend(spec.inherited);
    }
    let mut all: Vec<&'static flags::FlagSpec> = spec.flags.iter().collect();
    all.extend(inherited);
    all.extend(table::GLOBAL_FLAGS);
    Some(all)
}

/// What the arguments of the command `name` (as in [`command_names`]) are, in order; nothing if there is no such
/// command.
#[must_use]
pub fn command_operands(name: &str) -> &'static [table::Operand] {
    let mut spec = &table::ROOT;
    for word in name.split(' ').filter(|word| !word.is_empty()) {
        match spec.commands.iter().find(|command| command.name == word) {
            Some(found) => spec = found,
            None => return &[],
        }
    }
    spec.operands
}

/// What `--help` prints for the command `name`; `etcdutl` and one of its commands count as well.
#[must_use]
pub fn help_page(name: &str) -> String {
    let line = format!("{name} --help");
    let mut execution = Shell::new(Vec::new()).start(&line, None, crate::types::Millis(0));
    let mut page = Vec::new();
    while let Some(output) = execution.poll_output() {
        if let Output::Stdout(bytes) = output {
            page.extend(bytes);
        }
    }
    String::from_utf8_lossy(&page).into_owned()
}

/// The host and port of an endpoint, which may be written with or without a scheme.
#[must_use]
pub fn endpoint_address(endpoint: &str) -> &str {
    let endpoint = endpoint.trim();
    ["http://", "https://", "unix://", "unixs://"]
        .into_iter()
        .find_map(|scheme| endpoint.strip_prefix(scheme))
        .unwrap_or(endpoint)
        .trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completion_sees_every_command_and_its_flags() {
        let names = command_names();
        for name in ["get", "endpoint", "endpoint status", "user grant-role"] {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
        let flags = command_flags("endpoint hashkv").unwrap();
        for name in ["rev", "cluster", "write-out"] {
            assert!(flags.iter().any(|flag| flag.name == name), "{name}");
        }
        assert!(command_flags("endpoint bogus").is_none());
    }

    #[test]
    fn endpoints_are_the_same_with_and_without_a_scheme() {
        for written in ["127.0.0.1:12379", "http://127.0.0.1:12379", " http://127.0.0.1:12379/"] {
            assert_eq!(endpoint_address(written), "127.0.0.1:12379");
        }
    }
}
