//! The catalogue of etcd's error messages in `www/errors/`, headless: every entry produces its message and shows the remedy.
//!
//! What it is: rules that hold for each file there, and for each message of the engine's table: it has an entry,
//! or stands in [`WITHOUT_ENTRY`] with the reason why nobody meets it at a prompt.
//! What it is not: a proof that the prose is true beyond what its expectations say.
//! Invariants: numbers and titles are unique; an entry lasts twenty seconds of virtual time at most.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is meant to panic"
)]

#[path = "support/scripts.rs"]
mod scripts;

use etcd_playground::api::Error;
use etcd_playground::lab::{Lab, transcript};
use etcd_playground::scenario::{Action, Language, Report, Say, SayKind, Script};
use etcd_playground::types::Millis;

use scripts::{ScriptFile as Entry, has_chinese, scripts};

/// How many entries there are at least.
const ENTRIES_MIN: usize = 35;

/// How long an entry lasts. Unit: ms of virtual time.
const LASTS_MAX_MS: u64 = 20_000;

/// Messages of the engine's table that no entry is about, and why.
const WITHOUT_ENTRY: &[(Error, &str)] = &[
    (
        Error::ValueProvided,
        "etcdctl refuses a value beside --ignore-value by itself, with another text",
    ),
    (Error::InvalidSortOption, "etcdctl knows the sort options and refuses others by itself"),
    (Error::LeaseExist, "etcdctl leaves the choice of a lease's id to the server"),
    (Error::WatchDuplicateId, "etcdctl leaves the choice of a watch's id to the server"),
    (
        Error::MemberExist,
        "a new member's id is made of its URLs and the time, so that one doesn't come twice",
    ),
    (Error::MemberBadUrls, "etcdctl reads the URLs before it sends them, and words it as Go does"),
    (
        Error::TooManyRequests,
        "a member must have thousands of requests waiting, which no console brings about",
    ),
    (
        Error::RootRoleNotExist,
        "etcdctl grants root its role when it hears this, and asks again without a word",
    ),
    (
        Error::AuthNotEnabled,
        "etcdctl with --user goes on without a login when it hears that auth is off",
    ),
    (Error::InvalidAuthToken, "etcdctl logs in anew when it hears this, and asks again"),
    (Error::AuthOldRevision, "etcdctl logs in anew when it hears this, and asks again"),
    (Error::NotLeader, "members that are not the leader pass on what only the leader can do"),
    (
        Error::LeaderChanged,
        "only reads meet it, and the client repeats these at the next member until its own time is up",
    ),
    (Error::NotCapable, "it takes members of different versions, in the middle of an upgrade"),
    (
        Error::TimeoutWaitAppliedIndex,
        "a member that applies nothing for seconds after it was told the read index; the lab has no such fault",
    ),
    (
        Error::Corrupt,
        "the lab has no fault that changes what a member has stored without its knowing",
    ),
    (Error::NotPrimary, "a keep-alive that meets it is passed on to the new leader"),
    (Error::PermissionNotGiven, "etcdctl never grants without naming a permission"),
];

/// All entries, in the order of their numbers.
fn entries() -> Vec<Entry> {
    scripts("errors")
}

/// The sentences of a kind: in English, in Chinese.
fn said(script: &Script, kind: SayKind) -> [Vec<&str>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    for step in &script.steps {
        let Action::Say(Say { kind: is, language, text, .. }) = &step.action else { continue };
        if *is == kind {
            match language.as_ref().map(Language::tag) {
                None => found[0].push(text.as_str()),
                Some("zh") => found[1].push(text.as_str()),
                Some(other) => panic!("a sentence in {other}: {text}"),
            }
        }
    }
    found
}

/// What the commands printed, in consoles of their own, too; not what judged it.
fn printed(report: &Report) -> String {
    let mut all = String::new();
    for step in report.steps.iter().filter(|step| step.is_met.is_none() && !step.is_told) {
        all.push_str(&String::from_utf8_lossy(&step.stdout));
        all.push_str(&String::from_utf8_lossy(&step.stderr));
    }
    for (_, bytes) in report.steps.iter().flat_map(|step| &step.background) {
        all.push_str(&String::from_utf8_lossy(bytes));
    }
    all
}

#[test]
fn entries_are_numbered_by_how_often_people_meet_them() {
    let entries = entries();
    assert!(entries.len() >= ENTRIES_MIN, "{} entries", entries.len());
    for (at, Entry { name, text, script }) in entries.iter().enumerate() {
        let stem = name.strip_suffix(".txt").unwrap_or_else(|| panic!("{name} is no .txt"));
        let (number, words) = stem.split_once('-').unwrap_or_else(|| panic!("{name}: NN-name.txt"));
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(!words.is_empty() && words.bytes().all(is_word), "{name}");
        assert_eq!(number, format!("{:02}", at + 1), "{name}: a number is missing or stands twice");
        assert!(text.starts_with("script: 2\n"), "{name}");
        assert!(text.contains("\ncluster: members=") && text.contains(" seed="), "{name}");
        assert!(script.expected.is_none(), "{name} carries hashes");
        let again = Script::parse(&script.to_string()).unwrap();
        assert_eq!(again.to_string(), script.to_string(), "{name}");
    }
}

#[test]
fn titles_are_unique_and_the_same_in_both_languages() {
    let entries = entries();
    let mut titles: Vec<&str> = entries.iter().map(|entry| entry.script.title.as_str()).collect();
    titles.sort_unstable();
    assert!(titles.windows(2).all(|pair| pair[0] != pair[1]), "{titles:#?}");
    for Entry { name, script, .. } in &entries {
        let in_chinese: Vec<_> =
            script.titles.iter().map(|(tag, title)| (tag.tag(), title.as_str())).collect();
        assert_eq!(in_chinese, [("zh", script.title.as_str())], "{name}");
        assert!(!script.title.is_empty(), "{name}");
    }
}

/// One passage says what it means, the next one what to do; the same in both languages, and nothing is left to be solved.
#[test]
fn every_entry_has_two_parts_with_prose_in_both_languages() {
    for Entry { name, script, .. } in entries() {
        for kind in [SayKind::Part, SayKind::Narration] {
            let [english, chinese] = said(&script, kind);
            assert_eq!((english.len(), chinese.len()), (2, 2), "{name}: {kind:?}");
            assert!(!english.iter().any(|text| has_chinese(text)), "{name}: {english:?}");
            assert!(chinese.iter().all(|text| has_chinese(text)), "{name}: {chinese:?}");
        }
        let has =
            |wanted: fn(&Action) -> bool| script.steps.iter().any(|step| wanted(&step.action));
        assert!(!has(|action| matches!(action, Action::Solution)), "{name} plays by itself");
        let begins: Vec<usize> = (0..script.steps.len())
            .filter(|at| {
                let action = &script.steps[*at].action;
                matches!(action, Action::Say(Say { kind: SayKind::Part, language: None, .. }))
            })
            .collect();
        assert_eq!(begins[0], 0, "{name} begins with a part");
        for steps in [&script.steps[..begins[1]], &script.steps[begins[1]..]] {
            let judges = |action: &Action| matches!(action, Action::Expect(_));
            assert!(steps.iter().any(|step| judges(&step.action)), "{name}: nothing is expected");
        }
    }
}

#[test]
fn every_entry_prints_its_message_and_the_remedy_works() {
    for Entry { name, script, .. } in entries() {
        let report = Lab::new(script.clone()).play_all();
        let unmet: Vec<&str> = report
            .steps
            .iter()
            .filter(|step| step.is_met == Some(false))
            .map(|step| step.line.as_str())
            .collect();
        assert!(unmet.is_empty(), "{name}: {unmet:#?}\n{}", transcript(&report));
        assert_eq!(script.steps.len(), report.steps.len(), "{name}: the run ended early");
        let lasted = report.ended.since(Millis::default());
        assert!(lasted <= LASTS_MAX_MS, "{name} lasts {lasted} ms");
        let printed = printed(&report);
        assert!(printed.contains(&script.title), "{name}: {} in\n{printed}", script.title);
        println!("{name}: {} bytes of print, {lasted} ms", printed.len());
    }
}

/// A message that is added to the engine needs an entry, or a reason.
#[test]
fn every_message_of_the_engine_has_an_entry_or_a_reason() {
    let entries = entries();
    for error in Error::ALL {
        let with_code = format!("rpc error: code = Unknown desc = {error}");
        let count = entries
            .iter()
            .filter(|entry| entry.script.title == error.text() || entry.script.title == with_code)
            .count();
        let reasons: Vec<&str> = WITHOUT_ENTRY
            .iter()
            .filter(|(without, _)| without == error)
            .map(|(_, reason)| *reason)
            .collect();
        assert!(reasons.iter().all(|reason| reason.len() > 20), "{error}: {reasons:?}");
        assert_eq!(count + reasons.len(), 1, "{error}: one entry, or one reason: {reasons:?}");
    }
}
