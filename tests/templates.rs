//! The templates of the editor of scenarios: each is a scenario, plays as it expects, and makes a link.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is meant to panic")]

use etcd_playground::lab::{self, Lab, transcript};
use etcd_playground::playground::insight::Template;
use etcd_playground::scenario::{Question, Script, Verdict};

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
