//! The table against what was recorded, and against itself.

use super::*;
use crate::etcdctl::flags::FlagValues;
use crate::etcdctl::help;
use crate::etcdctl::parser::{self, Parsed, Path};
use crate::etcdctl::redirect::{self, CommandLine};

fn each(spec: &'static CommandSpec, path: &str, inherited: &[&'static FlagSpec]) {
    let mut flags: Vec<&'static FlagSpec> = inherited.to_vec();
    flags.extend(spec.inherited);
    let below = flags.clone();
    flags.extend(spec.flags);
    let mut names: Vec<&str> = flags.iter().map(|flag| flag.name).collect();
    let shorts = flags.iter().filter_map(|flag| flag.short).count();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), flags.len(), "{path}: a flag stands twice");
    let mut letters: Vec<char> = flags.iter().filter_map(|flag| flag.short).collect();
    letters.sort_unstable();
    letters.dedup();
    assert_eq!(letters.len(), shorts, "{path}: a letter stands twice");
    // Asserts that every default can be read.
    let _ = FlagValues::defaults(&flags);
    assert_eq!(spec.run.is_none(), !spec.commands.is_empty(), "{path}: runs or groups");
    assert!(!spec.about.is_empty());
    for command in spec.commands {
        each(command, &format!("{path} {}", command.name), &below);
    }
}

#[test]
fn every_row_is_sound() {
    each(&ROOT, "etcdctl", &[&HELP_FLAG]);
}

#[test]
fn rows_equal_what_etcdctl_3_7_1_lists() {
    let recorded = include_str!("../../../tests/corpus/commands-and-flags.json");
    let recorded: serde_json::Value = serde_json::from_str(recorded).unwrap();
    let recorded = recorded.as_object().unwrap();
    assert!(recorded.len() > 60);
    for (path, entry) in recorded {
        if path.ends_with("snapshot status") || path.ends_with("snapshot restore") {
            continue; // They left etcdctl; what was recorded is the page of `snapshot`.
        }
        let mut spec = &ROOT;
        let mut inherited: Vec<&FlagSpec> = Vec::new();
        for name in path.split(' ').skip(1) {
            inherited.extend(spec.inherited);
            spec = spec.commands.iter().find(|c| c.name == name).expect(path);
        }
        let own = spec.flags.iter().chain(spec.inherited).chain(inherited);
        let mut own: Vec<&FlagSpec> = own.filter(|flag| !GLOBAL_FLAGS.contains(flag)).collect();
        own.sort_by_key(|flag| flag.name);
        let mut listed = entry["flags"].as_array().unwrap().clone();
        listed.sort_by_key(|flag| flag["name"].as_str().unwrap().to_owned());
        assert_eq!(own.len(), listed.len(), "{path}");
        for (ours, theirs) in own.iter().zip(&listed) {
            assert_eq!(ours.name, theirs["name"].as_str().unwrap(), "{path}");
            let short = theirs["short"].as_str().and_then(|short| short.chars().next());
            assert_eq!(ours.short, short, "{path} {}", ours.name);
            let kind = match ours.kind {
                Bool => "bool",
                other => other.word(),
            };
            assert_eq!(kind, theirs["type"].as_str().unwrap(), "{path} {}", ours.name);
            let default = theirs["default"].as_str().map(|text| text.trim_matches('"'));
            let unset = FlagSpec::new("", ours.kind, "").default;
            assert_eq!(ours.default, default.unwrap_or(unset), "{path} {}", ours.name);
        }
        let usage = entry["usage"].as_str().unwrap();
        let rest = if spec.commands.is_empty() { spec.arguments } else { "[command]" };
        assert_eq!(format!("{path} {rest}"), usage);
    }
}

/// Every row that runs something, with its path.
fn runnable(root: &'static CommandSpec) -> Vec<(String, &'static CommandSpec)> {
    fn below(
        spec: &'static CommandSpec,
        path: &str,
        found: &mut Vec<(String, &'static CommandSpec)>,
    ) {
        for command in spec.commands {
            let path = format!("{path}{}", command.name);
            if command.run.is_some() {
                found.push((path.clone(), command));
            }
            below(command, &format!("{path} "), found);
        }
    }
    let mut found = Vec::new();
    below(root, "", &mut found);
    found
}

#[test]
fn every_command_has_help_and_examples_that_mean_it() {
    let commands = runnable(&ROOT);
    assert!(commands.len() > 50);
    for (path, command) in commands {
        let words: Vec<String> = path.split(' ').map(str::to_owned).collect();
        let page = help::page(&Path::of_words(&words));
        assert!(page.starts_with(&format!("etcdctl {path}: {}\n", command.about)), "{path}");
        assert!(!command.examples.is_empty(), "{path} has no example");
        for example in command.examples {
            let shown = match example.split_once("| ") {
                Some((said, line)) => format!("  {said}| etcdctl {line}\n"),
                None => format!("  etcdctl {example}\n"),
            };
            assert!(page.contains(&shown), "{path}: its page lacks {example}");
            let CommandLine { words, .. } = redirect::read(example, 0).expect(example);
            let words: Vec<String> = words.into_iter().map(|word| word.text).collect();
            let meant = match parser::parse(&ROOT, &words) {
                Parsed::Run { path, sorted } => {
                    let most = path.command().operands.len();
                    assert!(sorted.args.len() <= most, "{example} has unknown operands");
                    path.name()
                }
                Parsed::Help(_) => "etcdctl help".to_owned(),
                Parsed::UnknownTopic(_) | Parsed::Error(_) => String::new(),
            };
            assert_eq!(meant, format!("etcdctl {path}"), "{example}");
        }
    }
}

#[test]
fn every_argument_of_a_usage_line_has_an_entry_for_completion() {
    for (path, command) in runnable(&ROOT) {
        // What stands in brackets is an option, a choice, or the program that is refused here.
        let shown = command.arguments.replace("[options]", "").replace("[flags]", "");
        let needed = shown.matches('<').count() - shown.matches("(<").count();
        let optional = ["[range_end]", "[endkey]", "[proposal]", "[key or prefix]", "[command]"];
        let optional = optional.into_iter().filter(|word| shown.contains(word)).count();
        let choice = usize::from(shown.contains('|'));
        assert_eq!(command.operands.len(), needed + optional + choice, "{path}: {shown}");
    }
}

#[test]
fn every_command_and_flag_is_offered_for_completion() {
    let names = crate::etcdctl::command_names();
    for (path, command) in runnable(&ROOT) {
        assert!(names.contains(&path), "{path}");
        let offered = crate::etcdctl::command_flags(&path).expect("a command has flags");
        for flag in command.flags.iter().chain(GLOBAL_FLAGS) {
            assert!(offered.iter().any(|known| known.name == flag.name), "{path} --{}", flag.name);
        }
        assert_eq!(crate::etcdctl::command_operands(&path), command.operands, "{path}");
    }
}

#[test]
fn flags_with_few_values_name_them_and_their_default_is_one() {
    let all = runnable(&ROOT).into_iter().flat_map(|(_, command)| command.flags);
    let mut seen = 0;
    for flag in all.chain(GLOBAL_FLAGS).filter(|flag| !flag.values.is_empty()) {
        seen += 1;
        let has_default = flag.default.is_empty() || flag.values.contains(&flag.default);
        assert!(has_default, "--{}", flag.name);
    }
    assert!(seen >= 5);
}

#[test]
fn what_does_nothing_says_why() {
    let flags = runnable(&ROOT).into_iter().flat_map(|(_, command)| command.flags);
    let ignored: Vec<&FlagSpec> = flags.chain(GLOBAL_FLAGS).filter(|flag| flag.ignored).collect();
    for flag in &ignored {
        let says_why = ["there is no ", "there are no ", "nothing to show"];
        assert!(says_why.iter().any(|why| flag.about.contains(why)), "--{}", flag.name);
    }
    let names: Vec<&str> = ignored.iter().map(|flag| flag.name).collect();
    // Transport security, dialing, discovery: nothing else is accepted in vain.
    assert_eq!(
        names,
        [
            "dest-cert",
            "dest-key",
            "dest-cacert",
            "dest-insecure-transport",
            "debug",
            "keepalive-time",
            "keepalive-timeout",
            "insecure-transport",
            "insecure-discovery",
            "insecure-skip-tls-verify",
            "cert",
            "key",
            "cacert",
            "discovery-srv",
            "discovery-srv-name",
        ]
    );
}
