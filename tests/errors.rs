//! The catalogue of etcd's error messages in `www/errors/`, headless: every entry produces its message and shows the remedy.
//!
//! What it is: rules that hold for each file there, and for each message of the engine's table and of etcd's: it has an entry
//! that produces it, or a note in `notes.txt`, which says why nothing here does.
//! What it is not: a proof that the prose is true beyond what its expectations say.
//! Invariants: numbers and titles are unique; an entry lasts twenty seconds of virtual time at most.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is meant to panic"
)]

#[path = "support/notes.rs"]
mod notes;
#[path = "support/scripts.rs"]
mod scripts;

use etcd_playground::api::Error;
use etcd_playground::lab::{Lab, transcript};
use etcd_playground::playground::insight::{Area, Origin};
use etcd_playground::scenario::{Action, Language, Report, Say, SayKind, Script};
use etcd_playground::types::Millis;

use scripts::{ScriptFile as Entry, has_chinese, scripts};

/// How many entries there are at least.
const ENTRIES_MIN: usize = 35;

/// How long an entry lasts. Unit: ms of virtual time.
const LASTS_MAX_MS: u64 = 20_000;

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

/// A message that is added to the engine needs an entry, or a note with the reason why there is none.
#[test]
fn every_message_of_the_engine_has_an_entry_or_a_note() {
    let (entries, notes) = (entries(), notes::all());
    for error in Error::ALL {
        let with_code = format!("rpc error: code = Unknown desc = {error}");
        let is_meant = |title: &str| title == error.text() || title == with_code;
        let count = entries.iter().filter(|entry| is_meant(&entry.script.title)).count();
        let told: Vec<&notes::Note> =
            notes.iter().filter(|note| is_meant(&note.script.title)).collect();
        assert_eq!(count + told.len(), 1, "{error}: one entry, or one note");
        let is_reason = REASONS.contains(error);
        for note in told {
            let code = if is_reason { String::new() } else { error.code().to_string() };
            assert_eq!(note.head("code"), code, "{}", note.name);
        }
    }
}

/// The rest of etcd 3.7.1's table of gRPC errors (`api/v3rpc/rpctypes/error.go`), of which the engine has no row. Two more of
/// them, a context's deadline and the mismatch of cluster ids, stand in entries of a wider kind.
const BEYOND_THE_ENGINE: &[(&str, &str)] = &[
    ("Canceled", "etcdserver: request canceled"),
    ("Canceled", "etcdserver: watch canceled"),
    ("FailedPrecondition", "etcdserver: cluster version not found during downgrade"),
    ("FailedPrecondition", "etcdserver: no inflight downgrade job"),
    ("InvalidArgument", "etcdserver: invalid client api version"),
];

#[test]
fn what_etcd_answers_and_the_engine_never_does_is_explained() {
    let titles: Vec<(String, String)> =
        notes::all().iter().map(|note| (note.script.title.clone(), note.head("code"))).collect();
    for (code, message) in BEYOND_THE_ENGINE {
        assert!(Error::ALL.iter().all(|error| error.text() != *message), "{message}: engine");
        let is_meant = |(title, is): &&(String, String)| title == message && is == code;
        assert_eq!(titles.iter().filter(is_meant).count(), 1, "{message}");
    }
}

/// Tells only, in both languages: what it means, what to do, and why it does not happen here.
#[test]
fn every_note_has_three_parts_in_both_languages_and_no_lines() {
    let notes = notes::all();
    let mut titles: Vec<String> = notes.iter().map(|note| note.script.title.clone()).collect();
    titles.extend(entries().into_iter().map(|entry| entry.script.title));
    titles.sort_unstable();
    assert!(titles.windows(2).all(|pair| pair[0] != pair[1]), "{titles:#?}");
    let mut names: Vec<&str> = notes.iter().map(|note| note.name.as_str()).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:#?}");
    for note in &notes {
        let name = &note.name;
        for kind in [SayKind::Part, SayKind::Narration] {
            let [english, chinese] = said(&note.script, kind);
            assert_eq!((english.len(), chinese.len()), (3, 3), "{name}: {kind:?}");
            assert!(!english.iter().any(|text| has_chinese(text)), "{name}: {english:?}");
            assert!(chinese.iter().all(|text| has_chinese(text)), "{name}: {chinese:?}");
        }
        let is_said = |action: &Action| matches!(action, Action::Say(_));
        assert!(note.script.steps.iter().all(|step| is_said(&step.action)), "{name}: has lines");
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(name.len() <= 64 && name.bytes().all(is_plain), "{name}");
        let (area, origin) = (note.head("area"), note.head("from"));
        assert_eq!(Area::named(&area).name(), area, "{name}");
        assert_eq!(Origin::named(&origin).name(), origin, "{name}");
        assert!(!note.forms().is_empty(), "{name}");
        let plain = |text: &str| text.replace('\\', "").to_lowercase();
        let mut rest = plain(&note.head("printed"));
        for piece in note.script.title.split('…').map(str::trim).filter(|piece| !piece.is_empty())
        {
            let at = rest.find(&plain(piece)).unwrap_or_else(|| panic!("{name}: {piece:?}"));
            rest.drain(..at + piece.len());
        }
    }
}

/// Messages that a watch is told as the reason of its end: no status, so that they have no code.
const REASONS: &[Error] = &[Error::WatchDuplicateId, Error::WatchEmptyRange];

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
            "connection-refused",
            "failed-to-get-endpoint-status",
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
            "watch-is-canceled-by-the-server",
            "session-expired",
            "range-stream-does-not-support",
            "invalid-txn-request",
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
            "message-to-send-too-large",
            "message-received-too-large",
            "lease-already-expired",
            "lease-expired-or-revoked",
            "bad-ttl",
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
            "bad-member-id",
            "member-peer-urls-not-provided",
            "url-must-not-contain-a-path",
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
            "invalid-auth-token",
            "invalid-permission-type",
            "given-passwords-are-different",
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
            "unsupported-output-format",
            "unknown-consistency-flag",
            "command-needs-an-argument",
            "flag-needs-an-argument",
            "check-perf-prefix-has-keys",
            "bad-sort-order",
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
    (
        "is-unhealthy",
        &[
            &["is unhealthy: failed to commit proposal: context deadline exceeded"],
            &["Error: unhealthy cluster"],
        ],
    ),
    (
        "prefix-and-from-key",
        &[
            &["`--prefix` and `--from-key` cannot be set at the same time, choose one"],
            &["cannot be set at the same time, choose one"],
            &["flags are mutually exclusive"],
        ],
    ),
    (
        "connection-refused",
        &[
            &["transport: Error while dialing", "connect: connection refused"],
            &["connect: connection refused"],
            &["Connection refused: "],
            &["UNAVAILABLE: io exception"],
            &["failed to connect to all addresses"],
        ],
    ),
    ("bad-ttl", &[&["bad TTL (strconv.ParseInt"]]),
    ("lease-already-expired", &[&["lease ", "already expired"]]),
    ("lease-expired-or-revoked", &[&["lease ", "expired or revoked."]]),
    // Fewer characters than any reason that stands before it has.
    ("watch-is-canceled-by-the-server", &[&["watch is canceled"]]),
    (
        "message-received-too-large",
        &[&["received message larger than max"], &["message exceeds maximum size"]],
    ),
    (
        "command-needs-an-argument",
        &[&["command needs "], &["command requires "], &["Error: too many arguments"]],
    ),
    ("bad-member-id", &[&["bad member ID arg"], &["member ID is not provided"]]),
    (
        "member-peer-urls-not-provided",
        &[&["member peer urls not provided"], &["member name not provided"]],
    ),
    (
        "url-must-not-contain-a-path",
        &[
            &["URL must not contain a path"],
            &["URL address does not have the form"],
            &["URL scheme must be http, https, unix, or unixs"],
        ],
    ),
    ("check-perf-prefix-has-keys", &[&["prefix ", " has keys. Delete with "]]),
    ("invalid-txn-request", &[&["invalid txn request"], &["invalid txn compare request"]]),
    ("bad-sort-order", &[&["bad sort order"], &["bad sort target"]]),
    ("session-expired", &[&["Error: session expired"], &["session expired"]]),
];

/// The gRPC code of what is no row of the engine's table, and who words it.
const CODES: &[(&str, &str, Origin)] = &[
    ("context-deadline-exceeded", "DeadlineExceeded", Origin::Client),
    ("connection-refused", "Unavailable", Origin::Client),
    ("message-to-send-too-large", "ResourceExhausted", Origin::Client),
    ("message-received-too-large", "ResourceExhausted", Origin::Client),
    ("range-stream-does-not-support", "Unimplemented", Origin::Member),
];

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

/// The gRPC code, and who words it.
fn code_of(entry: &Entry) -> (String, Origin) {
    let title = entry.script.title.as_str();
    let by_hand = CODES.iter().find(|(name, ..)| *name == stem(&entry.name));
    let error = Error::ALL.iter().find(|error| title == error.text());
    match (by_hand, error) {
        (Some((_, code, origin)), None) => ((*code).to_owned(), *origin),
        (None, Some(error)) if REASONS.contains(error) => (String::new(), Origin::Watch),
        (None, Some(error)) => (error.code().to_string(), Origin::Member),
        (None, None) => (String::new(), Origin::Etcdctl),
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

/// A line of the list.
fn listed(entry: &Listed<'_>) -> String {
    let [english, chinese] = said(entry.script, SayKind::Narration);
    let text = |text: &str| serde_json::Value::from(text);
    let entry = object(&[
        ("name", text(entry.name)),
        ("file", text(entry.file)),
        ("message", text(&entry.script.title)),
        ("printed", text(&entry.printed)),
        ("code", text(&entry.code)),
        ("from", text(entry.origin.name())),
        ("area", text(entry.area.name())),
        ("forms", entry.forms.clone().into()),
        ("about", text(&first_sentence(english[0]))),
        ("about_zh", text(&first_sentence(chinese[0]))),
    ]);
    format!("  {entry}")
}

/// What the list says of an entry or a note.
struct Listed<'all> {
    name: &'all str,
    file: &'all str,
    script: &'all Script,
    printed: String,
    code: String,
    origin: Origin,
    area: Area,
    forms: Vec<Vec<String>>,
}

/// What the page lists; `UPDATE_ERRORS=1` writes it anew.
#[test]
fn the_list_in_the_page_is_of_these_entries_and_notes() {
    let (entries, notes) = (entries(), notes::all());
    let with_area: usize = AREAS.iter().map(|(_, names)| names.len()).sum();
    assert_eq!(with_area, entries.len(), "an area names what is no entry, or one twice");
    let mut lines = Vec::new();
    for entry in &entries {
        let name = stem(&entry.name);
        let (code, origin) = code_of(entry);
        lines.push(listed(&Listed {
            name,
            file: &entry.name,
            script: &entry.script,
            printed: printed_line(entry),
            code,
            origin,
            area: area_of(name),
            forms: forms_of(entry),
        }));
    }
    for note in &notes {
        lines.push(listed(&Listed {
            name: &note.name,
            file: notes::FILE,
            script: &note.script,
            printed: note.head("printed"),
            code: note.head("code"),
            origin: Origin::named(&note.head("from")),
            area: Area::named(&note.head("area")),
            forms: note.forms(),
        }));
    }
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
