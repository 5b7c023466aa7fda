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
use etcd_playground::playground::insight::Area;
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

/// What each entry is about, by its name in addresses.
const AREAS: &[(Area, &[&str])] = &[
    (
        Area::Quorum,
        &[
            "context-deadline-exceeded",
            "no-leader",
            "request-timed-out",
            "timed-out-leader-failure",
            "timed-out-connection-lost",
            "is-unhealthy",
            "server-stopped",
            "raft-proposal-dropped",
            "bad-leader-transferee",
            "no-leader-endpoint",
        ],
    ),
    (
        Area::Keys,
        &[
            "compacted",
            "future-revision",
            "too-many-operations",
            "duplicate-key",
            "key-is-not-provided",
            "key-not-found",
            "watcher-range-is-empty",
            "malformed-comparison",
        ],
    ),
    (
        Area::Limits,
        &[
            "database-space-exceeded",
            "active-alarm",
            "request-is-too-large",
            "lease-not-found",
            "lease-is-provided",
            "too-large-lease-ttl",
            "bad-lease-id",
        ],
    ),
    (
        Area::Members,
        &[
            "unhealthy-cluster",
            "not-enough-started-members",
            "rpc-not-supported-for-learner",
            "learner-not-ready",
            "not-a-learner",
            "too-many-learners",
            "member-not-found",
            "peer-urls-already-exists",
            "did-you-mean-peer-urls",
            "first-path-segment",
        ],
    ),
    (
        Area::Auth,
        &[
            "permission-denied",
            "user-name-is-empty",
            "authentication-failed",
            "root-user-does-not-exist",
            "invalid-auth-management",
            "user-name-already-exists",
            "user-name-not-found",
            "role-name-not-found",
            "role-name-already-exists",
            "role-not-granted",
            "permission-not-granted",
            "role-name-is-empty",
            "password-for-no-password-user",
            "password-too-long",
        ],
    ),
    (
        Area::Backup,
        &[
            "snapshot-one-node",
            "data-dir-not-empty",
            "mark-compacted-required",
            "could-not-open-part",
            "invalid-downgrade-target",
            "wrong-downgrade-format",
            "downgrade-in-progress",
        ],
    ),
    (
        Area::Client,
        &[
            "unknown-command",
            "unknown-flag",
            "missing-unit-in-duration",
            "prefix-and-from-key",
            "too-many-arguments-prefix",
            "count-only-needs-fields",
            "not-supported-as-output-format",
        ],
    ),
];

/// Messages with a value in their title, and other words for the same: the fixed pieces of each, in order.
const FORMS: &[(&str, &[&[&str]])] = &[
    ("active-alarm", &[&["failed to commit proposal: Active Alarm(s)"]]),
    ("could-not-open-part", &[&["could not open ", ": no such file or directory"]]),
    ("unknown-command", &[&["unknown command \"", "for \"etcdctl"]]),
    ("unknown-flag", &[&["unknown flag: --"], &["unknown shorthand flag: "]]),
    ("bad-lease-id", &[&["bad lease ID"], &["lease ID", "value out of range"]]),
    (
        "missing-unit-in-duration",
        &[&["time: missing unit in duration"], &["time: invalid duration"]],
    ),
    ("did-you-mean-peer-urls", &[&["too many arguments, did you mean --peer-urls"]]),
    ("not-supported-as-output-format", &[&["not supported as output format"]]),
];

/// The gRPC code of what is no row of the engine's table: the client's own clock.
const CODES: &[(&str, &str)] = &[("context-deadline-exceeded", "DeadlineExceeded")];

/// The entry's name in addresses: `07-lease-not-found.txt` is `lease-not-found`.
fn stem(name: &str) -> &str {
    name.strip_suffix(".txt").and_then(|name| name.get(3..)).unwrap()
}

fn area_of(stem: &str) -> Area {
    let found: Vec<Area> =
        AREAS.iter().filter(|(_, names)| names.contains(&stem)).map(|(area, _)| *area).collect();
    assert_eq!(found.len(), 1, "{stem} needs one area");
    found[0]
}

fn code_of(entry: &Entry) -> String {
    let title = entry.script.title.as_str();
    let by_hand = CODES.iter().find(|(name, _)| *name == stem(&entry.name));
    let error = Error::ALL.iter().find(|error| title == error.text());
    match (by_hand, error) {
        (Some((_, code)), None) => (*code).to_owned(),
        (None, Some(error)) => error.code().to_string(),
        (None, None) => String::new(),
        (Some(_), Some(_)) => panic!("{title}: its code stands in the engine's table"),
    }
}

fn forms_of(entry: &Entry) -> Vec<Vec<String>> {
    let title = entry.script.title.as_str();
    if let Some((_, forms)) = FORMS.iter().find(|(name, _)| *name == stem(&entry.name)) {
        let form = |form: &&[&str]| form.iter().map(|piece| (*piece).to_owned()).collect();
        return forms.iter().map(form).collect();
    }
    // A log may leave out who says it, unless only a word or two would be left.
    let bare = title.strip_prefix("etcdserver: ").unwrap_or(title);
    let bare = bare.strip_prefix("mvcc: ").unwrap_or(bare);
    let fixed = if bare.split(' ').count() > 3 { bare } else { title };
    vec![vec![fixed.to_owned()]]
}

/// The last line that has the message, as a console shows it.
fn printed_line(entry: &Entry) -> String {
    let report = Lab::new(entry.script.clone()).play_all();
    let printed = printed(&report);
    let lines: Vec<&str> =
        printed.lines().filter(|line| line.contains(&entry.script.title)).collect();
    // What etcdctl says in its own name comes after what it logs.
    let plain = lines.iter().rfind(|line| line.starts_with("Error: "));
    let plain = plain.or_else(|| lines.iter().rfind(|line| !line.starts_with('{')));
    plain.unwrap_or_else(|| panic!("{}: {printed}", entry.name)).trim().to_owned()
}

fn first_sentence(text: &str) -> String {
    let end =
        text.find(". ").map(|at| at + 1).or_else(|| text.find('。').map(|at| at + '。'.len_utf8()));
    text.get(..end.unwrap_or(text.len())).unwrap().replace(['`', '*'], "")
}

/// An object with its names in this order, whatever `serde_json` was built with.
fn object(fields: &[(&str, serde_json::Value)]) -> String {
    let field = |(name, value): &(&str, serde_json::Value)| format!("\"{name}\":{value}");
    let fields: Vec<String> = fields.iter().map(field).collect();
    format!("{{{}}}", fields.join(","))
}

/// What the page lists; `UPDATE_ERRORS=1` writes it anew.
#[test]
fn the_list_in_the_page_is_of_these_entries() {
    let entries = entries();
    let listed: usize = AREAS.iter().map(|(_, names)| names.len()).sum();
    assert_eq!(listed, entries.len(), "an area names what is no entry, or one twice");
    let lines: Vec<String> = entries
        .iter()
        .map(|entry| {
            let [english, chinese] = said(&entry.script, SayKind::Narration);
            let text = |text: &str| serde_json::Value::from(text);
            let entry = object(&[
                ("name", text(stem(&entry.name))),
                ("file", text(&entry.name)),
                ("message", text(&entry.script.title)),
                ("printed", text(&printed_line(entry))),
                ("code", text(&code_of(entry))),
                ("area", text(area_of(stem(&entry.name)).name())),
                ("forms", forms_of(entry).into()),
                ("about", text(&first_sentence(english[0]))),
                ("about_zh", text(&first_sentence(chinese[0]))),
            ]);
            format!("  {entry}")
        })
        .collect();
    let ours = format!("[\n{}\n]\n", lines.join(",\n"));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/www/errors/index.json");
    if std::env::var_os("UPDATE_ERRORS").is_some() {
        std::fs::write(path, &ours).unwrap();
    }
    let file = std::fs::read_to_string(path).unwrap_or_default();
    // The order of the fields is another one where a dependency of some test keeps it.
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    assert_eq!(read(&file), read(&ours), "UPDATE_ERRORS=1 cargo test --test errors writes it anew");
}
