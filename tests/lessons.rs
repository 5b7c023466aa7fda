//! Every lesson of `www/lessons/`, headless: as written, with its solution, and as somebody plays it who does nothing.
//!
//! What it is: rules that hold for each file there, read when the test runs; one line a lesson with its sizes is printed.
//! What it is not: a proof that the prose is true beyond what its expectations say.
//! Invariants: the folder is not empty, and no number stands for two lessons.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is meant to panic"
)]

#[path = "support/scripts.rs"]
mod scripts;

use etcd_playground::lab::{Lab, transcript};
use etcd_playground::scenario::prose::{self, Block};
use etcd_playground::scenario::{
    Action, Claim, Language, Report, Say, SayKind, Script, StepReport, link,
};

use scripts::{ScriptFile as Lesson, has_chinese, scripts};

/// The highest number of a lesson.
const NUMBER_MAX: u32 = 24;

/// Seeds that each solution is played with beside the one in its file.
const OTHER_SEEDS: [u64; 2] = [1_001, 77_000_017];

/// What a lesson has at least and at most.
const PARTS: std::ops::RangeInclusive<usize> = 3..=6;

/// All lessons, in the order of their numbers.
fn lessons() -> Vec<Lesson> {
    scripts("lessons")
}

/// The steps of each part, with the number of the first; what stands before the first part is a part of its own.
fn parts(script: &Script) -> Vec<(usize, &[etcd_playground::scenario::Step])> {
    let begins_part = |action: &Action| {
        matches!(action, Action::Say(Say { kind: SayKind::Part, language: None, .. }))
    };
    let steps = &script.steps;
    let mut starts: Vec<usize> =
        (0..steps.len()).filter(|at| begins_part(&steps[*at].action)).collect();
    starts.push(steps.len());
    assert_eq!(starts[0], 0, "a lesson begins with a part");
    starts.windows(2).map(|pair| (pair[0], &steps[pair[0]..pair[1]])).collect()
}

fn seeded(lesson: &Lesson, seed: u64) -> Script {
    let mut script = lesson.script.clone();
    script.cluster.seed = seed;
    script
}

/// A passage: sentences of one kind that stand together, in each language.
#[derive(Debug, Default)]
struct Passage<'script> {
    kind: Option<SayKind>,
    english: Vec<&'script str>,
    chinese: Vec<&'script str>,
}

fn passages(script: &Script) -> Vec<Passage<'_>> {
    let mut found: Vec<Passage<'_>> = Vec::new();
    let mut is_open = false;
    for step in &script.steps {
        let Action::Say(say) = &step.action else {
            is_open = false;
            continue;
        };
        let is_same = is_open && found.last().is_some_and(|last| last.kind == Some(say.kind));
        // Narration in English behind Chinese is the next passage.
        let is_next = say.kind == SayKind::Narration
            && say.language.is_none()
            && found.last().is_some_and(|last| !last.chinese.is_empty());
        if !is_same || is_next {
            found.push(Passage { kind: Some(say.kind), ..Passage::default() });
        }
        is_open = true;
        let last = found.last_mut().unwrap();
        match say.language.as_ref().map(Language::tag) {
            None => last.english.push(&say.text),
            Some("zh") => last.chinese.push(&say.text),
            Some(other) => panic!("a sentence in {other}: {}", say.text),
        }
    }
    found
}

/// The lines to type of a passage.
fn commands(blocks: &[Block]) -> Vec<&String> {
    let lists = blocks.iter().filter_map(|block| match block {
        Block::Commands(lines) => Some(lines),
        _ => None,
    });
    lists.flatten().collect()
}

#[test]
fn names_have_a_number_of_their_own() {
    let mut numbers = Vec::new();
    for Lesson { name, text, script } in lessons() {
        let stem = name.strip_suffix(".txt").unwrap_or_else(|| panic!("{name} is no .txt"));
        let (number, words) = stem.split_once('-').unwrap_or_else(|| panic!("{name}: NN-name.txt"));
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(!words.is_empty() && words.bytes().all(is_word), "{name}");
        assert_eq!(number.len(), 2, "{name}");
        let number: u32 = number.parse().unwrap_or_else(|_| panic!("{name}: no number"));
        assert!((1..=NUMBER_MAX).contains(&number), "{name}");
        assert!(!numbers.contains(&number), "{name}: its number stands twice");
        numbers.push(number);
        assert!(text.starts_with("script: 2\n"), "{name}");
        assert!(text.lines().any(|line| line.starts_with("cluster: ")), "{name}");
        assert!(text.contains(" seed="), "{name}");
        assert!(script.expected.is_none(), "{name} carries hashes");
        let again = Script::parse(&script.to_string()).unwrap();
        assert_eq!(again.to_string(), script.to_string(), "{name}");
    }
}

#[test]
fn every_sentence_has_a_chinese_brother() {
    for Lesson { name, script, .. } in lessons() {
        let titles: Vec<&str> = script.titles.iter().map(|(tag, _)| tag.tag()).collect();
        assert_eq!(titles, ["zh"], "{name}");
        assert!(!script.title.is_empty() && has_chinese(&script.titles[0].1), "{name}");
        for passage in passages(&script) {
            let Passage { kind, english, chinese } = &passage;
            assert!(!english.is_empty() && !chinese.is_empty(), "{name}: {passage:?}");
            assert!(!english.iter().any(|text| has_chinese(text)), "{name}: {passage:?}");
            if *kind == Some(SayKind::Narration) {
                let (english, chinese) =
                    (prose::read(english.iter().copied()), prose::read(chinese.iter().copied()));
                assert_eq!(english.len(), chinese.len(), "{name}: {passage:#?}");
                assert_eq!(commands(&english), commands(&chinese), "{name}: {passage:#?}");
                assert!(
                    passage.chinese.iter().any(|text| has_chinese(text)),
                    "{name}: {passage:?}"
                );
            } else {
                assert_eq!(english.len(), chinese.len(), "{name}: {passage:?}");
                assert!(chinese.iter().all(|text| has_chinese(text)), "{name}: {passage:?}");
            }
        }
    }
}

#[test]
fn every_part_has_a_goal_in_words_a_hint_and_prose() {
    for Lesson { name, script, .. } in lessons() {
        let parts = parts(&script);
        assert!(PARTS.contains(&parts.len()), "{name}: {} parts", parts.len());
        for (_, steps) in &parts {
            let title = steps[0].action.to_string();
            let says = |wanted| {
                steps.iter().any(
                    |step| matches!(&step.action, Action::Say(Say { kind, .. }) if *kind == wanted),
                )
            };
            assert!(says(SayKind::Hint), "{name}: {title}: no hint");
            assert!(says(SayKind::Narration), "{name}: {title}: no prose");
            let goals =
                steps.iter().enumerate().filter(|(_, step)| matches!(step.action, Action::Goal(_)));
            let goals: Vec<usize> = goals.map(|(at, _)| at).collect();
            assert!(!goals.is_empty(), "{name}: {title}: no goal");
            for at in goals {
                let words = steps.get(at + 1).map(|step| &step.action);
                let has_words =
                    matches!(words, Some(Action::Say(Say { kind: SayKind::Means, .. })));
                assert!(has_words, "{name}: {title}: {}: no words", steps[at].action);
            }
            let count =
                |wanted: &Action| steps.iter().filter(|step| step.action == *wanted).count();
            assert!(count(&Action::Solution) >= 1, "{name}: {title}: no solution");
        }
        let replies = script.steps.iter().filter(|step| matches!(step.action, Action::Reply(_)));
        let questions = script.steps.iter().filter(|step| matches!(step.action, Action::Answer(_)));
        let (replies, questions) = (replies.count(), questions.count());
        assert!(questions >= 1, "{name}: no question");
        assert_eq!(replies, questions, "{name}: each question is answered in a solution");
    }
}

/// A line that is run on a click is in the grammar, and the part plays it, so that what is said of it is checked.
#[test]
fn lines_to_click_are_played() {
    for Lesson { name, script, .. } in lessons() {
        for (_, steps) in parts(&script) {
            let played: Vec<String> = steps.iter().map(|step| step.action.to_string()).collect();
            let prose = steps.iter().filter_map(|step| match &step.action {
                Action::Say(say) if say.kind == SayKind::Narration => Some(say.text.as_str()),
                _ => None,
            });
            let blocks = prose::read(prose);
            for line in commands(&blocks) {
                let one = Script::parse(line).unwrap_or_else(|why| panic!("{name}: {line}: {why}"));
                let is_done = matches!(
                    one.steps.as_slice(),
                    [step] if !matches!(step.action, Action::Say(_) | Action::Goal(_) | Action::Expect(_))
                );
                assert!(is_done, "{name}: {line}: nothing that runs");
                let line = one.steps[0].action.to_string();
                assert!(played.contains(&line), "{name}: {line}: the part does not play it");
            }
        }
    }
}

/// True for what cannot fail but by the lesson's own fault.
const fn must_work(action: &Action) -> bool {
    matches!(
        action,
        Action::Verb(_)
            | Action::Change(_)
            | Action::Interrupt { .. }
            | Action::EndInput { .. }
            | Action::Mark
            | Action::Say(_)
    )
}

/// Steps that went wrong though they are neither expected to nor judged.
fn went_wrong<'report>(script: &Script, report: &'report Report) -> Vec<&'report StepReport> {
    assert_eq!(script.steps.len(), report.steps.len(), "the run ended early");
    let mut found = Vec::new();
    for (at, (step, told)) in script.steps.iter().zip(&report.steps).enumerate() {
        let is_said = |what: &str| String::from_utf8_lossy(&told.stderr).contains(what);
        let stuck = ["is busy; end its command", "stopped after a minute", "nothing runs in that"];
        let is_stuck = stuck.into_iter().any(is_said);
        let failed = told.status.is_some_and(|status| status != 0);
        // A command may fail only where the next expectations say how.
        let is_command = matches!(step.action, Action::Command { .. } | Action::Type { .. });
        let later = script.steps.iter().skip(at + 1).map(|step| &step.action);
        let is_judged = later
            .take_while(|action| !matches!(action, Action::Command { .. }))
            .any(|action| matches!(action, Action::Expect(claim) if is_about_failure(claim)));
        if is_stuck || failed && (must_work(&step.action) || is_command && !is_judged) {
            found.push(told);
        }
    }
    found
}

fn is_about_failure(claim: &Claim) -> bool {
    match claim {
        Claim::Not(claim) => is_about_failure(claim),
        Claim::Output(source, _) => source.is_error,
        Claim::Status(..) | Claim::Refused(..) | Claim::ReadFailed => true,
        _ => false,
    }
}

#[test]
fn every_solution_reaches_every_goal_with_three_seeds() {
    for lesson in lessons() {
        for seed in [&[lesson.script.cluster.seed][..], &OTHER_SEEDS].concat() {
            let script = seeded(&lesson, seed);
            let report = Lab::new(script.clone()).play_all();
            let unmet: Vec<&str> = report
                .steps
                .iter()
                .filter(|step| step.is_met == Some(false))
                .map(|step| step.line.as_str())
                .collect();
            let wrong = went_wrong(&script, &report);
            assert!(
                unmet.is_empty() && wrong.is_empty(),
                "{} with seed {seed}: unmet {unmet:#?}, wrong {wrong:#?}\n{}",
                lesson.name,
                transcript(&report)
            );
        }
    }
}

#[test]
fn without_its_solution_no_part_is_done() {
    for lesson in lessons() {
        let script = &lesson.script;
        let report = Lab::new(script.clone()).without_solutions().play_all();
        let wrong = went_wrong(script, &report);
        assert!(wrong.is_empty(), "{}: {wrong:#?}\n{}", lesson.name, transcript(&report));
        for (from, steps) in parts(script) {
            let goals =
                (from..).zip(steps).filter(|(_, step)| matches!(step.action, Action::Goal(_)));
            let is_met: Vec<bool> = goals.map(|(at, _)| report.steps[at].is_met.unwrap()).collect();
            assert!(
                is_met.contains(&false),
                "{}: {}: its goals are met by doing nothing\n{}",
                lesson.name,
                steps[0].action,
                transcript(&report)
            );
        }
    }
}

#[test]
fn sizes_and_links_are_told() {
    for Lesson { name, text, mut script } in lessons() {
        let report = Lab::new(script.clone()).play_all();
        script.expected = Some(report.expected());
        let link = match link::write(&script) {
            Ok(fragment) => {
                let opened = link::open(&fragment).unwrap();
                assert_eq!(opened.to_string(), script.to_string(), "{name}");
                format!("link of {} characters", fragment.len() + 1)
            }
            Err(why) => format!("no link: {why}"),
        };
        let (met, _) = report.tally();
        let parts = parts(&script).len();
        let seconds = report.ended.since(etcd_playground::types::Millis::default()) / 1_000;
        println!(
            "{name}: {} bytes, {parts} parts, {met} checks, {seconds} s of virtual time, {link}",
            text.len()
        );
    }
}

/// An object with its names in this order, whatever `serde_json` was built with.
fn object(fields: &[(&str, serde_json::Value)]) -> String {
    let field = |(name, value): &(&str, serde_json::Value)| format!("\"{name}\":{value}");
    let fields: Vec<String> = fields.iter().map(field).collect();
    format!("{{{}}}", fields.join(","))
}

/// What the page lists; `UPDATE_LESSONS=1` writes it anew.
#[test]
fn the_list_in_the_page_is_of_these_lessons() {
    let entries: Vec<String> = lessons()
        .iter()
        .map(|Lesson { name, script, .. }| {
            object(&[
                ("number", name.get(..2).unwrap().parse::<u32>().unwrap().into()),
                ("file", name.as_str().into()),
                ("title", script.title.as_str().into()),
                ("title_zh", script.titles[0].1.as_str().into()),
                ("parts", parts(script).len().into()),
            ])
        })
        .collect();
    let lines: Vec<String> = entries.iter().map(|entry| format!("  {entry}")).collect();
    let ours = format!("[\n{}\n]\n", lines.join(",\n"));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/www/lessons/index.json");
    if std::env::var_os("UPDATE_LESSONS").is_some() {
        std::fs::write(path, &ours).unwrap();
    }
    let file = std::fs::read_to_string(path).unwrap_or_default();
    // The order of the fields is another one where a dependency of some test keeps it.
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    assert_eq!(
        read(&file),
        read(&ours),
        "UPDATE_LESSONS=1 cargo test --test lessons writes it anew"
    );
}
