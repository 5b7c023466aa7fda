//! Help pages and usage texts, made from the table.
//!
//! What it is: our own words and layout.
//! What it is not: etcd's pages; only names, flags, types and defaults are the same.
//! Invariants: every command and every flag of the table appears.

use crate::etcdctl::flags::{FlagKind, FlagSpec};
use crate::etcdctl::parser::Path;
use crate::etcdctl::table::{CommandSpec, GLOBAL_FLAGS, HELP_FLAG, ROOT, Section};
use crate::types::SmallMap;

/// The page of a command, as `--help` prints it.
pub(crate) fn page(path: &Path) -> String {
    let command = path.command();
    let mut page = format!("{}: {}\n\n", path.name(), command.about);
    page.push_str(&usage(path));
    if !command.examples.is_empty() {
        page.push_str("\nExamples:\n");
    }
    for example in command.examples {
        // A pipe has the program behind it.
        let (before, line) = match example.split_once("| ") {
            Some((said, line)) => (format!("{said}| "), line),
            None => (String::new(), *example),
        };
        page.push_str(&format!("  {before}{} {line}\n", path.program().name));
    }
    page
}

/// The text that follows an error about flags.
pub(crate) fn usage(path: &Path) -> String {
    let command = path.command();
    let mut text = String::from("Usage:\n");
    if command.commands.is_empty() {
        text.push_str(&format!("  {} {}\n", path.name(), command.arguments));
    } else {
        text.push_str(&format!("  {} [command]\n", path.name()));
        push_commands(&mut text, command);
    }
    let mut flags = path.local_flags();
    flags.push(&HELP_FLAG);
    text.push_str("\nFlags:\n");
    push_flags(&mut text, &flags);
    if path.program().name == ROOT.name {
        text.push_str("\nFlags of every command: etcdctl options\n");
    } else {
        text.push_str("\nFlags of every command:\n");
        push_flags(&mut text, &path.program().inherited.iter().collect::<Vec<_>>());
    }
    text
}

/// The same for a command of `etcdctl` by its name.
pub(crate) fn usage_of(name: &str) -> String {
    usage(&Path::named(name))
}

/// The flags of every command, as `options` prints them.
pub(crate) fn options() -> String {
    let mut text = String::from("These flags can be given with every command:\n\n");
    push_flags(&mut text, &GLOBAL_FLAGS.iter().collect::<Vec<_>>());
    text.push_str(
        "\nEach can also be set for the whole tab: export ETCDCTL_ENDPOINTS=127.0.0.1:22379 stands for --endpoints.\n",
    );
    text
}

fn push_commands(text: &mut String, group: &CommandSpec) {
    let width = group.commands.iter().map(|command| command.name.len()).max().unwrap_or(0);
    let line = |command: &CommandSpec| format!("  {:width$}  {}\n", command.name, command.about);
    if group.commands.iter().all(|command| command.section == Section::Keys) {
        text.push_str("\nCommands:\n");
        text.extend(group.commands.iter().map(line));
        return;
    }
    for section in Section::ALL {
        let lines: String =
            group.commands.iter().filter(|c| c.section == section).map(line).collect();
        if !lines.is_empty() {
            text.push_str(&format!("\n{}:\n{lines}", section.heading()));
        }
    }
}

/// One line per flag, in the order of their names.
fn push_flags(text: &mut String, flags: &[&FlagSpec]) {
    let lines: SmallMap<&str, (String, &FlagSpec)> =
        flags.iter().map(|flag| (flag.name, (head(flag), *flag))).collect();
    let width = lines.values().map(|(head, _)| head.len()).max().unwrap_or(0);
    for (head, flag) in lines.values() {
        let accepted = if flag.ignored { "accepted; " } else { "" };
        text.push_str(&format!("  {head:width$}  {accepted}{}{}\n", flag.about, default(flag)));
    }
}

fn head(flag: &FlagSpec) -> String {
    let short = match flag.short {
        Some(short) => format!("-{short}, "),
        None => "    ".to_owned(),
    };
    let word = flag.kind.word();
    let space = if word.is_empty() { "" } else { " " };
    format!("{short}--{}{space}{word}", flag.name)
}

fn default(flag: &FlagSpec) -> String {
    let unset = FlagSpec::new("", flag.kind, "").default;
    match flag.kind {
        _ if flag.default == unset => String::new(),
        FlagKind::Text => format!(" (default \"{}\")", flag.default),
        FlagKind::List => format!(" (default [{}])", flag.default),
        FlagKind::Bool | FlagKind::Int | FlagKind::Uint | FlagKind::Duration => {
            format!(" (default {})", flag.default)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_page_names_every_command() {
        let page = page(&Path::of(&ROOT));
        for command in ROOT.commands {
            assert!(page.contains(&format!("\n  {} ", command.name)), "{}", command.name);
        }
    }

    #[test]
    fn options_lists_every_global_flag_with_its_default() {
        let text = options();
        for flag in GLOBAL_FLAGS {
            assert!(text.contains(&format!("--{}", flag.name)), "{}", flag.name);
        }
        assert!(text.contains("-w, --write-out string"));
        assert!(text.contains("(default [127.0.0.1:2379])"));
        assert!(text.contains("(default 5s)"));
    }
}
