//! Tests of the grammar.

use proptest::prelude::*;

use super::*;
use crate::scenario::verb::tests::any_verb;

fn actions(script: &Script) -> Vec<&Action> {
    script.steps.iter().map(|step| &step.action).collect()
}

fn any_text() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9/'\"$é文=-][ -~é文]{0,30}".prop_map(|text| text.trim().to_owned())
}

fn any_command() -> impl Strategy<Value = Action> {
    (1..=CONSOLE_MAX, any::<bool>(), any_text()).prop_filter_map(
        "a verb or a header is no command",
        |(console, waits, text)| {
            let first = text.split_whitespace().next().unwrap_or_default();
            let is_command = !verb::NAMES.contains(&first) && !first.ends_with(':');
            let console = if waits { 1 } else { console };
            is_command.then_some(Action::Command { console, waits, text })
        },
    )
}

fn any_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        any_command(),
        (1..=CONSOLE_MAX).prop_map(|console| Action::Interrupt { console }),
        any_verb().prop_map(Action::Verb),
        any_text().prop_map(Action::Narration),
        Just(Action::Narration(String::new())),
    ]
}

fn any_cluster() -> impl Strategy<Value = ClusterSettings> {
    let switches = (any::<bool>(), any::<bool>());
    (1..=7_u32, any::<u64>(), 1..=1000_u64, 5..=50_u32, 1..=(8_i64 << 30), switches).prop_map(
        |(members, seed, tick_ms, election_ticks, quota_bytes, (pre_vote, check_quorum))| {
            ClusterSettings {
                members,
                seed,
                tick_ms,
                election_ticks,
                quota_bytes,
                pre_vote,
                check_quorum,
            }
        },
    )
}

pub(in crate::scenario) fn any_script() -> impl Strategy<Value = Script> {
    let expected =
        (any::<u64>(), any::<u64>(), any::<u32>(), prop::collection::vec(any::<u16>(), 0..9))
            .prop_map(|(outcome, trace, engine_trace, steps)| Expected {
                outcome,
                trace,
                engine_trace,
                steps,
            });
    (
        prop_oneof![Just(String::new()), any_text()],
        any_cluster(),
        prop::option::of(expected),
        prop::collection::vec(any_action(), 0..12),
    )
        .prop_map(|(title, cluster, expected, actions)| {
            let steps = actions.into_iter().map(|action| Step { line: 0, action }).collect();
            Script { title, cluster, expected, steps }
        })
}

proptest! {
    #[test]
    fn a_script_reads_back_as_written(script in any_script()) {
        let text = script.to_string();
        let read = Script::parse(&text).map_err(|fault| TestCaseError::fail(format!("{fault}\n{text}")))?;
        prop_assert_eq!(&read.title, &script.title);
        prop_assert_eq!(read.cluster, script.cluster);
        prop_assert_eq!(&read.expected, &script.expected);
        prop_assert_eq!(actions(&read), actions(&script));
        prop_assert_eq!(Script::parse(&read.to_string()), Ok(read));
    }

    #[test]
    fn any_text_gives_an_answer(text in "[ -~\n\t é@>#:=0-9a-z]{0,200}") {
        let _ = Script::parse(&text);
    }

    #[test]
    fn what_is_read_is_canonical_after_one_writing(text in "([@>#]?[12]? ?(kill|put|wait|cut|watch|\\^C|leader|infra1|a|b|:|->| ){0,6}\n){0,8}") {
        if let Ok(script) = Script::parse(&text) {
            let once = script.to_string();
            let again = Script::parse(&once).map(|script| script.to_string());
            prop_assert_eq!(again, Ok(once));
        }
    }
}

#[test]
fn a_small_script_is_read_with_its_lines() {
    let script = Script::parse(
        "title: Two consoles\r\n\
         cluster: members=5 seed=7 tick=50ms election=2s quota=64KiB\n\
         \n\
         # not kept\n\
         > First a watch.\n\
         \x20 @2 watch foo -w json  \n\
         etcdctl put foo 'a  b'\n\
         kill leader\n\
         @2 ^C\n",
    )
    .unwrap();
    assert_eq!(script.title, "Two consoles");
    let cluster = ClusterSettings {
        members: 5,
        seed: 7,
        tick_ms: 50,
        election_ticks: 40,
        quota_bytes: 65_536,
        ..ClusterSettings::default()
    };
    assert_eq!(script.cluster, cluster);
    let lines: Vec<u32> = script.steps.iter().map(|step| step.line).collect();
    assert_eq!(lines, [5, 6, 7, 8, 9]);
    assert_eq!(
        script.to_string(),
        "script: 1\n\
         title: Two consoles\n\
         cluster: members=5 seed=7 tick=50ms election=2s quota=64KiB\n\
         > First a watch.\n\
         @2 watch foo -w json\n\
         etcdctl put foo 'a  b'\n\
         kill leader\n\
         @2 ^C\n"
    );
}

#[test]
fn errors_name_line_column_and_what_was_expected() {
    let cases = [
        ("script: 2", 1, 9, "version 2; this program reads version 1"),
        ("script:", 1, 8, "expected the script's version"),
        ("titel: x", 1, 1, "\"titel:\" is not known here; expected script:, title:"),
        ("title: x\ntitle: y", 2, 1, "twice"),
        ("put a b\ncluster: members=3", 2, 1, "before the first step"),
        ("cluster: members", 1, 10, "expected name=value"),
        ("cluster: members=9", 1, 18, "1 to 7 members"),
        ("cluster: size=3", 1, 10, "expected one of members, seed"),
        ("cluster: seed=1 seed=2", 1, 17, "twice"),
        ("cluster: seed=-1", 1, 15, "expected a seed"),
        ("cluster: tick=0ms", 1, 15, "tick of 1ms to 5s"),
        ("cluster: election=450ms", 1, 19, "whole ticks"),
        ("cluster: tick=300ms election=1s", 1, 30, "whole ticks"),
        ("cluster: quota=9GiB", 1, 16, "8GiB at most"),
        ("expect: outcome=12", 1, 17, "16 hexadecimal digits"),
        ("expect: engine=1", 1, 17, "expected all of"),
        ("put a b\n  kill infra9", 2, 8, "found \"infra9\""),
        ("kill  ", 1, 5, "expected a member"),
        ("# é\ncut infra1 é", 2, 12, "found \"é\""),
        ("@0 put a b", 1, 1, "@1 to @9"),
        ("@22 put a b", 1, 1, "@1 to @9"),
        ("@2", 1, 3, "expected a command"),
        ("@2 kill leader", 1, 4, "without the console"),
        ("@2 ^C now", 1, 7, "expected the end"),
    ];
    for (text, line, column, part) in cases {
        let fault = Script::parse(text).unwrap_err();
        assert_eq!((fault.line, fault.column), (line, column), "{text}: {fault}");
        assert!(fault.to_string().contains(part), "{text}: {fault}");
    }
}

#[test]
fn oversized_scripts_are_refused() {
    let long_line = "x".repeat(LINE_BYTES_MAX + 1);
    assert!(Script::parse(&long_line).unwrap_err().message.contains("64 KiB"));
    let long_text = "# x\n".repeat(TEXT_BYTES_MAX / 4 + 1);
    assert!(Script::parse(&long_text).unwrap_err().message.contains("256 KiB"));
}

#[test]
fn waits_add_up() {
    let script = Script::parse("wait 2s\nput a b\nwait leader\nwait term 2 within 5s").unwrap();
    assert_eq!(script.total_wait_ms(), 17_000);
}
