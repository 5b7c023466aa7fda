//! Finds the command that words name, and sorts the rest into flags and arguments.
//!
//! What it is: the rules of cobra with prefix matching on, with its exact error texts and suggestions.
//! What it is not: quoting (see `lexer`) or the meaning of arguments (see `command`).
//! Invariants: never panics; every error says whether a usage text follows it, as cobra decides.
//! Source: the behaviour of `github.com/spf13/cobra`, checked against recorded answers of etcdctl 3.7.1.

use crate::etcdctl::flags::{self, FlagKind, FlagSpec, FlagValues, Sorted};
use crate::etcdctl::table::{CommandSpec, HELP_COMMAND, HELP_FLAG, ROOT};
use crate::etcdctl::{go, help};

/// A command with the groups it stands in, from the root down.
///
/// Invariant: never empty, begins with the root.
#[derive(Clone)]
pub(crate) struct Path(Vec<&'static CommandSpec>);

impl Path {
    /// A program itself.
    pub(crate) fn of(program: &'static CommandSpec) -> Self {
        Self(vec![program])
    }

    /// The command of `etcdctl` with this name, or else `etcdctl` itself.
    pub(crate) fn named(name: &str) -> Self {
        Self::of_words(&name.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    /// The command of `etcdctl` that words name, or else `etcdctl` itself.
    pub(crate) fn of_words(words: &[String]) -> Self {
        find(&ROOT, words).map_or_else(|_unknown| Self::of(&ROOT), |(path, _)| path)
    }

    /// The program it belongs to.
    pub(crate) fn program(&self) -> &'static CommandSpec {
        self.0.first().copied().unwrap_or(&ROOT)
    }

    pub(crate) fn command(&self) -> &'static CommandSpec {
        self.0.last().copied().unwrap_or(&ROOT)
    }

    /// As it is typed: `etcdctl endpoint status`.
    pub(crate) fn name(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|spec| spec.name).collect();
        names.join(" ")
    }

    /// Its own flags and those of its groups, global ones left out.
    pub(crate) fn local_flags(&self) -> Vec<&'static FlagSpec> {
        let mut flags: Vec<&'static FlagSpec> = self.command().flags.iter().collect();
        for spec in self.0.iter().skip(1) {
            flags.extend(spec.inherited);
        }
        flags
    }

    /// Everything that may be given with it, `--help` aside.
    fn flags(&self) -> Vec<&'static FlagSpec> {
        let mut flags = self.local_flags();
        flags.extend(self.program().inherited);
        flags
    }

    /// What is known of flags while commands are looked for: `etcdctl` itself declares `--help`
    /// beforehand, its commands only when they are run.
    fn flags_on_the_way(&self) -> Vec<&'static FlagSpec> {
        let mut flags = self.flags();
        if self.0.len() == 1 {
            flags.push(&HELP_FLAG);
        }
        flags
    }

    /// The flags that the command has from those above it: these have variables.
    pub(crate) fn inherited_flags(&self) -> Vec<&'static FlagSpec> {
        let above = self.0.split_last().map(|(_, above)| above).unwrap_or_default();
        above.iter().flat_map(|spec| spec.inherited).collect()
    }
}

/// What words ask for.
pub(crate) enum Parsed {
    /// The help page of a command.
    Help(Path),
    /// `help` with a topic that does not exist: this text, then the usage of the root, both on stderr.
    UnknownTopic(String),
    /// Run it.
    Run { path: Path, sorted: Sorted },
    /// Refused.
    Error(ParseError),
}

/// Why words cannot be understood.
pub(crate) struct ParseError {
    /// What to print after `Error: `.
    pub(crate) message: String,
    /// The command whose usage text follows; `None` if only a pointer to `--help` follows.
    pub(crate) usage_of: Option<Path>,
}

/// Understands the words after the name of `program`.
pub(crate) fn parse(program: &'static CommandSpec, words: &[String]) -> Parsed {
    let (path, words) = match find(program, words) {
        Ok(found) => found,
        Err(message) => return Parsed::Error(ParseError { message, usage_of: None }),
    };
    let mut known = path.flags();
    known.push(&HELP_FLAG);
    let sorted = match flags::parse(&known, &words) {
        Ok(sorted) => sorted,
        Err(message) => return Parsed::Error(ParseError { message, usage_of: Some(path) }),
    };
    if sorted.flags.bool(HELP_FLAG.name) {
        return Parsed::Help(path);
    }
    if path.command().name == HELP_COMMAND {
        return match find(program, &sorted.args) {
            Ok((topic, _)) => Parsed::Help(topic),
            Err(_) => {
                let topics: Vec<String> =
                    sorted.args.iter().map(|topic| raw_quote(topic)).collect();
                Parsed::UnknownTopic(format!("Unknown help topic [{}]", topics.join(" ")))
            }
        };
    }
    if path.command().run.is_none() { Parsed::Help(path) } else { Parsed::Run { path, sorted } }
}

/// One line of a transaction, understood.
pub(crate) struct Operation {
    /// `get`, `put` or `del`.
    pub(crate) spec: &'static CommandSpec,
    pub(crate) flags: FlagValues,
    pub(crate) args: Vec<Vec<u8>>,
}

/// Understands the words of an operation in a transaction, where only `get`, `put` and `del` exist.
///
/// The error is the usage text that etcdctl prints before it complains, if it does.
pub(crate) fn parse_operation(words: &[Vec<u8>]) -> Result<Operation, Option<String>> {
    const NAMES: [&str; 3] = ["put", "get", "del"];
    let mut words = words.to_vec();
    let mut texts: Vec<String> =
        words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    let position = first_argument(&[&HELP_FLAG], &texts).ok_or(None)?;
    let typed = texts.remove(position);
    words.remove(position);
    let mut matching = NAMES.into_iter().filter(|name| name.starts_with(&typed));
    let name = matching.next().filter(|_| matching.next().is_none()).ok_or(None)?;
    let spec = named(&ROOT, name).ok_or(None)?;
    let mut known: Vec<&'static FlagSpec> = spec.flags.iter().collect();
    known.push(&HELP_FLAG);
    let usage = || Some(help::usage(&Path(vec![&ROOT, spec])));
    let Sorted { flags, positions, .. } =
        flags::parse(&known, &texts).map_err(|_message| usage())?;
    if flags.bool(HELP_FLAG.name) {
        // etcdctl prints its page and then waits for ever for an operation.
        return Err(usage());
    }
    let word = |at: &u32| usize::try_from(*at).ok().and_then(|at| words.get(at)).cloned();
    Ok(Operation { spec, flags, args: positions.iter().filter_map(word).collect() })
}

/// Go's `%#q`: backquotes if the text allows it.
fn raw_quote(text: &str) -> String {
    if text.contains(|c: char| c == '`' || (c.is_control() && c != '\t')) {
        go::quote(text.as_bytes())
    } else {
        format!("`{text}`")
    }
}

/// Follows command names as far as they go, and gives back the words that are left.
fn find(program: &'static CommandSpec, words: &[String]) -> Result<(Path, Vec<String>), String> {
    let mut path = Path::of(program);
    let mut words = words.to_vec();
    while let Some(position) = first_argument(&path.flags_on_the_way(), &words) {
        let Some(next) = words.get(position).and_then(|name| named(path.command(), name)) else {
            break;
        };
        path.0.push(next);
        words.remove(position);
    }
    if path.0.len() == 1
        && let Some(name) =
            first_argument(&path.flags_on_the_way(), &words).and_then(|at| words.get(at))
    {
        let quoted = go::quote(name.as_bytes());
        let suggestions = suggestions(program, name);
        return Err(format!("unknown command {quoted} for \"{}\"{suggestions}", program.name));
    }
    Ok((path, words))
}

/// The position of the first word that is neither a flag nor the value of one.
fn first_argument(known: &[&'static FlagSpec], words: &[String]) -> Option<usize> {
    let is_switch = |spec: &&&FlagSpec| spec.kind == FlagKind::Bool;
    let mut position = 0;
    while let Some(word) = words.get(position) {
        let mut takes_next = false;
        if word == "--" {
            return None;
        } else if let Some(name) = word.strip_prefix("--") {
            takes_next = !word.contains('=')
                && !known.iter().filter(is_switch).any(|spec| spec.name == name);
        } else if let Some(letters) = word.strip_prefix('-') {
            let letter = letters.chars().next();
            takes_next = word.len() == 2
                && letters != "="
                && !known.iter().filter(is_switch).any(|spec| spec.short == letter);
        } else if !word.is_empty() {
            return Some(position);
        }
        position += 1 + usize::from(takes_next);
    }
    None
}

/// The subcommand that `name` means: by its whole name, or by a beginning that fits only one.
fn named(group: &CommandSpec, name: &str) -> Option<&'static CommandSpec> {
    let commands: &'static [CommandSpec] = group.commands;
    if let Some(exact) = commands.iter().find(|command| command.name == name) {
        return Some(exact);
    }
    let mut matching = commands.iter().filter(|command| command.name.starts_with(name));
    match (matching.next(), matching.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// Names at most two edits away, or that `typed` begins.
fn suggestions(program: &CommandSpec, typed: &str) -> String {
    const MOST_EDITS: u32 = 2;
    let typed = typed.to_ascii_lowercase();
    let close: Vec<String> = program
        .commands
        .iter()
        .filter(|command| command.name != HELP_COMMAND)
        .filter(|command| {
            command.name.starts_with(&typed) || edits(&typed, command.name) <= MOST_EDITS
        })
        .map(|command| format!("\t{}\n", command.name))
        .collect();
    if close.is_empty() {
        return String::new();
    }
    format!("\n\nDid you mean this?\n{}", close.concat())
}

/// The Levenshtein distance; names are short, so a very long word is simply far away.
fn edits(one: &str, two: &str) -> u32 {
    if one.len() > 64 {
        return u32::MAX;
    }
    let two: Vec<char> = two.chars().collect();
    let mut row: Vec<u32> = (0..=u32::try_from(two.len()).unwrap_or(u32::MAX)).collect();
    for (i, c) in (1..).zip(one.chars()) {
        let mut diagonal = i - 1;
        let mut left = i;
        let mut next = vec![i];
        for (d, above) in two.iter().zip(row.iter().skip(1)) {
            let replaced = diagonal + u32::from(c != *d);
            left = replaced.min(left + 1).min(above + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn described(line: &str) -> String {
        match parse(&ROOT, &words(line)) {
            Parsed::Help(path) => format!("help of {}", path.name()),
            Parsed::UnknownTopic(text) => text,
            Parsed::Run { path, sorted } => format!("{} {:?}", path.name(), sorted.args),
            Parsed::Error(error) => error.message,
        }
    }

    #[test]
    fn a_beginning_that_fits_one_command_names_it() {
        for (line, meaning) in [
            ("g foo", "etcdctl get [\"foo\"]"),
            ("p foo", "etcdctl put [\"foo\"]"),
            ("compact 3", "etcdctl compaction [\"3\"]"),
            ("endpoint st", "etcdctl endpoint status []"),
            ("end hashkv --rev 3", "etcdctl endpoint hashkv []"),
            ("-w json get --rev 2 a", "etcdctl get [\"a\"]"),
            ("get -- --rev", "etcdctl get [\"--rev\"]"),
            ("--hex get a", "etcdctl get [\"a\"]"),
        ] {
            assert_eq!(described(line), meaning, "{line}");
        }
    }

    #[test]
    fn groups_answer_with_their_page() {
        for (line, meaning) in [
            ("", "help of etcdctl"),
            ("-h", "help of etcdctl"),
            ("member", "help of etcdctl member"),
            ("member bogus", "help of etcdctl member"),
            ("get foo -h", "help of etcdctl get"),
            ("--help get", "help of etcdctl get"),
            ("-h endpoint status", "help of etcdctl endpoint"),
            ("endpoint --help status", "help of etcdctl endpoint"),
            ("help endpoint status", "help of etcdctl endpoint status"),
            ("help", "help of etcdctl"),
            ("help bogus x", "Unknown help topic [`bogus` `x`]"),
            ("snapshot status x", "help of etcdctl snapshot"),
        ] {
            assert_eq!(described(line), meaning, "{line}");
        }
    }

    #[test]
    fn unknown_names_are_answered_with_suggestions() {
        assert_eq!(described("bogus foo"), "unknown command \"bogus\" for \"etcdctl\"");
        assert_eq!(
            described("set foo bar"),
            "unknown command \"set\" for \"etcdctl\"\n\nDid you mean this?\n\tget\n\tput\n\tdel\n\tuser\n"
        );
        assert_eq!(
            described("e"),
            "unknown command \"e\" for \"etcdctl\"\n\nDid you mean this?\n\tget\n\tdel\n\tendpoint\n\telect\n"
        );
        assert_eq!(described("--bogus get foo"), "unknown command \"foo\" for \"etcdctl\"");
        assert_eq!(described("--bogus get"), "unknown flag: --bogus");
        assert_eq!(described("snapshot restore x --data-dir=y"), "unknown flag: --data-dir");
    }

    #[test]
    fn edit_distance_counts_edits() {
        for (one, two, distance) in [
            ("set", "get", 1),
            ("set", "user", 2),
            ("", "get", 3),
            ("get", "get", 0),
            ("e", "put", 3),
        ] {
            assert_eq!(edits(one, two), distance, "{one} {two}");
        }
    }
}
