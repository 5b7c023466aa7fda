//! The templates of the editor of scenarios: each is a scenario, plays as it expects, and makes a link.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is meant to panic"
)]

use etcd_playground::lab::{self, Lab, transcript};
use etcd_playground::playground::insight::Template;
use etcd_playground::random::Pcg32;
use etcd_playground::scenario::{ClusterSettings, LeftOut, Question, Script, Verdict};

/// Seeds that each is played with beside its own.
const OTHER_SEEDS: [u64; 2] = [1_001, 77_000_017];

fn script(template: Template) -> Script {
    let name = template.name();
    Script::parse(template.text()).unwrap_or_else(|why| panic!("{name}: {why}"))
}

#[test]
fn every_template_plays_as_it_expects_with_any_seed() {
    for template in Template::ALL {
        let name = template.name();
        let own = script(template).cluster.seed;
        for seed in OTHER_SEEDS.into_iter().chain([own]) {
            let mut script = script(template);
            script.cluster.seed = seed;
            let report = Lab::new(script).play_all();
            let (met, unmet) = report.tally();
            assert!(met > 0 && unmet == 0, "{name}, seed {seed}:\n{}", transcript(&report));
        }
    }
}

#[test]
fn the_quiz_is_not_solved_by_doing_nothing() {
    let report = Lab::new(script(Template::Quiz)).without_solutions().play_all();
    let (_, unmet) = report.tally();
    assert_eq!(unmet, 2, "{}", transcript(&report));
}

#[test]
fn every_template_makes_a_short_link_and_a_shell_script_and_is_reproduced() {
    for template in Template::ALL {
        let name = template.name();
        let script = template.text().to_owned();
        let first = lab::answer(Question::Check { script: script.clone() }).unwrap();
        assert_eq!((first.verdict, first.unmet), (None, 0), "{name}");
        let link = first.link.unwrap().unwrap();
        assert!(link.len() <= 2_000, "{name}: {} characters", link.len());
        let again = lab::answer(Question::Check { script: first.script }).unwrap();
        assert_eq!(again.verdict, Some(Verdict::Exact), "{name}");
        assert_eq!(again.link.unwrap().unwrap(), link, "{name}");
        let shell = lab::answer(Question::Export { script }).unwrap();
        assert!(shell.script.starts_with("#!/usr/bin/env bash\n"), "{name}");
        assert!(shell.script.contains("Procfile"), "{name}");
    }
}

#[test]
fn what_stands_before_the_steps_is_in_both_languages() {
    for template in Template::ALL {
        let text = template.text();
        let count = |head: &str| text.lines().filter(|line| line.starts_with(head)).count();
        assert_eq!(count("> "), count(">[zh] "), "{}", template.name());
        assert!(text.starts_with("script: 2\n"), "{}", template.name());
    }
}

#[test]
fn what_is_too_long_for_a_link_is_a_file_that_is_compared_with_the_hashes_in_it() {
    // Values without any pattern do not deflate.
    let mut random = Pcg32::for_stream(7, &[]);
    let mut script = String::from("title: Long\n");
    for step in 0..150 {
        let value: Vec<String> = (0..8).map(|_| format!("{:08x}", random.next_u32())).collect();
        script.push_str(&format!("put k{step} {}\n", value.concat()));
    }
    let sheet = lab::answer(Question::Check { script }).unwrap();
    let why = sheet.link.unwrap().unwrap_err();
    assert!(why.english.contains("save the script as a file"), "{}", why.english);
    assert!(sheet.script.contains("\nexpect: outcome="));
    let again = lab::answer(Question::Check { script: sheet.script.clone() }).unwrap();
    assert_eq!(again.verdict, Some(Verdict::Exact));
    let changed = sheet.script.replace("\nput k149 ", "\nput k149 x");
    let differs = lab::answer(Question::Check { script: changed }).unwrap();
    assert!(matches!(differs.verdict, Some(Verdict::OutcomeDiffers { .. })));
}

#[test]
fn what_commands_read_is_played_from_a_record_as_it_was_typed() {
    let lines = [
        "@1 txn -i",
        "@1 <",
        "@1 < put a 1",
        "@1 <",
        "@1 <",
        "get a",
        "@1 put b",
        "@1 < v",
        "@1 ^D",
        "get b",
    ];
    let lines = lines.map(str::to_owned).to_vec();
    let (cluster, left_out) =
        (ClusterSettings::default(), LeftOut { secrets: 2, ..LeftOut::default() });
    let sheet = lab::answer(Question::Compose { cluster, lines, left_out }).unwrap();
    let played = lab::answer(Question::Play { script: sheet.script, is_own: true }).unwrap();
    let output = |line: &str| {
        let step = played.steps.iter().find(|step| step.text == line).unwrap();
        String::from_utf8_lossy(&step.output).into_owned()
    };
    assert_eq!((output("get a"), output("get b")), ("a\n1\n".to_owned(), "b\nv\n\n".to_owned()));
    let link = played.link.unwrap().unwrap();
    let opened = lab::answer(Question::Open { link }).unwrap();
    assert!(opened.steps[0].text.starts_with("2 lines with passwords"), "{:?}", opened.steps[0]);
    let again = lab::answer(Question::Play { script: opened.script, is_own: false }).unwrap();
    assert_eq!(again.verdict, Some(Verdict::Exact));
}
