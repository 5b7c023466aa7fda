//! Every kind of fault, in both languages.

use super::*;
use crate::scenario::verb::Target;
use crate::scenario::{Action, Script};

/// One of each kind, with values that no wording has.
fn every() -> Vec<Wrong> {
    let word = || "wörd".to_owned();
    let wanted = [
        Wanted::OneOf(word()),
        Wanted::AllOf(word()),
        Wanted::Setting(word()),
        Wanted::FlagOf(word()),
        Wanted::Word("wörd"),
        Wanted::Sentence(word()),
        Wanted::Console,
        Wanted::LimitedTime,
        Wanted::Members(1),
        Wanted::Learners(0),
        Wanted::Together,
        Wanted::Verb(verb::Wanted::Thing(verb::Thing::Up)),
        Wanted::Verb(verb::Wanted::Member(&[Target::Killed, Target::All])),
    ];
    let mut all: Vec<Wrong> = Vec::new();
    for wanted in wanted {
        all.push(Wrong::Expected(wanted.clone(), None));
        all.push(Wrong::Expected(wanted, Some("föund".to_owned())));
    }
    all.extend([
        Wrong::Verb(verb::Wrong::LargeRevision(777)),
        Wrong::Verb(verb::Wrong::LongWait),
        Wrong::Verb(verb::Wrong::Most(word())),
        Wrong::Verb(verb::Wrong::SlowClock),
        Wrong::Verb(verb::Wrong::EmptySide),
        Wrong::Verb(verb::Wrong::TwoSides(word())),
        Wrong::Escape('ö'),
        Wrong::LargeText,
        Wrong::ManySteps,
        Wrong::LongLine,
        Wrong::LongParagraph,
        Wrong::LateHeader(word()),
        Wrong::NoCommand(word()),
        Wrong::NoConsole(word()),
        Wrong::OpenCommand(777),
        Wrong::OpenQuote('ö'),
        Wrong::OpenText(word()),
        Wrong::NoTag(word()),
        Wrong::UnknownHeader(word(), "knöwn".to_owned()),
        Wrong::UnknownSetting(word(), "knöwn".to_owned()),
        Wrong::UnknownFlag(word(), "knöwn".to_owned()),
        Wrong::Twice(word()),
        Wrong::OtherVersion(777),
        Wrong::Flag("wörd", Takes::Number(4, 31)),
        Wrong::Flag("wörd", Takes::Time(1_000)),
        Wrong::Flag("wörd", Takes::Switch),
        Wrong::NoClaim(word()),
    ]);
    all
}

fn has_chinese(text: &str) -> bool {
    text.chars().any(|letter| ('\u{4e00}'..='\u{9fff}').contains(&letter))
}

#[test]
fn every_fault_is_told_in_both_languages_with_the_same_values() {
    for wrong in every() {
        let (english, chinese) = (wrong.to_string(), wrong.chinese());
        assert!(!has_chinese(&english), "{english}");
        assert!(has_chinese(&chinese), "{chinese}");
        for value in ["wörd", "föund", "knöwn", "777", "10m", "infra7", "killed", "31", "KiB"] {
            assert_eq!(english.contains(value), chinese.contains(value), "{english} | {chinese}");
        }
        assert!(!chinese.contains(['{', '}']) && !chinese.contains("  "), "{chinese}");
    }
}

#[test]
fn tables_have_the_same_places_for_values_and_chinese_keeps_the_words_of_the_grammar() {
    let both = |english: &[&str], chinese: &[&str]| {
        for (english, chinese) in english.iter().zip(chinese) {
            for place in ["{0}", "{1}", "leader", "--data-dir", "answer …", "\\", "0..", "1500ms"]
            {
                assert_eq!(english.contains(place), chinese.contains(place), "{english}|{chinese}");
            }
        }
    };
    both(&Thing::ENGLISH, &Thing::CHINESE);
    both(&Rule::ENGLISH, &Rule::CHINESE);
    both(&verb::Thing::ENGLISH, &verb::Thing::CHINESE);
    both(&crate::scenario::Reason::ENGLISH, &crate::scenario::Reason::CHINESE);
}

/// All scenarios that the page is shipped with, by their files' names.
fn shipped() -> Vec<(String, String)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["www/lessons", "www/errors", "src/playground/insight/scenario/templates"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "txt") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path.display().to_string(), text));
            }
        }
    }
    assert!(found.len() > 50, "{}", found.len());
    found
}

/// The place of a fault is in the text, or at the end of a line of it.
fn assert_placed(text: &str, name: &str) {
    let Err(fault) = Script::parse(text) else { return };
    let line = usize::try_from(fault.line).unwrap();
    let found = text.lines().nth(line - 1);
    let found = found.unwrap_or_else(|| panic!("{name}: no line {line}: {fault}"));
    let columns = found.chars().count() + 1;
    assert!(usize::try_from(fault.column).unwrap() <= columns, "{name}: {fault} in {found:?}");
    assert!(fault.column > 0 && has_chinese(&fault.wrong.chinese()), "{name}: {fault}");
}

#[test]
fn what_the_page_is_shipped_with_reads_back_as_written() {
    for (name, text) in shipped() {
        let Ok(script) = Script::parse(&text) else {
            // The list of lessons or errors, and what is noted of those that nothing here produces.
            assert!(
                ["index.txt", "list.txt", "notes.txt"].iter().any(|end| name.ends_with(end)),
                "{name}"
            );
            continue;
        };
        let written = script.to_string();
        let again = Script::parse(&written).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert_eq!(again.to_string(), written, "{name}");
        let actions = |script: &Script| -> Vec<Action> {
            script.steps.iter().map(|step| step.action.clone()).collect()
        };
        assert_eq!(actions(&again), actions(&script), "{name}");
        assert_eq!((again.cluster, again.learners), (script.cluster, script.learners), "{name}");
    }
}

#[test]
fn faults_of_broken_scenarios_have_a_place_in_the_text() {
    for (name, text) in shipped() {
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..lines.len() {
            // Cut off behind this line, and without its last word, a word too many, a bad escape.
            let head = lines[..at].join("\n");
            let line = lines[at];
            let shorter = line.rsplit_once(' ').map_or("", |(head, _)| head);
            for last in [line, shorter, &format!("{line} é\u{4e2d}"), &format!("{line} \"\\x")] {
                // Faults at the end need no long text before them.
                if at < 40 {
                    assert_placed(&format!("{head}\n{last}\n"), &name);
                }
                assert_placed(&format!("{last}\n"), &name);
            }
        }
    }
}
