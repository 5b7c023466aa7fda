//! Tests of the grammar.

use proptest::prelude::*;

use super::*;
use crate::scenario::claim::tests::any_claim;
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
            let is_command = !verb::NAMES.contains(&first)
                && !NAMES.contains(&first)
                && !first.ends_with(':')
                && !first.contains('[')
                && !etcdctl::is_unfinished(&text);
            let console = if waits { 1 } else { console };
            is_command.then_some(Action::Command { console, waits, text })
        },
    )
}

fn say(kind: SayKind, language: Option<Language>, text: String) -> Action {
    Action::Say(Say { kind, language, text })
}

/// What version 1 has.
fn any_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        any_command(),
        (1..=CONSOLE_MAX).prop_map(|console| Action::Interrupt { console }),
        any_verb().prop_map(Action::Verb),
        any_text().prop_map(|text| say(SayKind::Narration, None, text)),
        Just(say(SayKind::Narration, None, String::new())),
    ]
}

fn any_language() -> impl Strategy<Value = Option<Language>> {
    let tag = "[a-z]{2,3}(-[A-Za-z0-9]{1,4})?";
    prop::option::of(tag.prop_map(|tag| Language::parse(&tag).unwrap()))
}

/// Texts of several lines for outputs.
fn any_long_text() -> impl Strategy<Value = String> + 'static {
    "[ -~é文\n\r]{0,30}|END|END\nEND2|a\n"
}

/// A command of several lines.
fn any_long_command() -> impl Strategy<Value = Action> {
    let document = "[ -~é]{0,9}".prop_filter("another line", |line| line != "EOF");
    let document = prop::collection::vec(document, 0..4).prop_map(|mut lines| {
        lines.insert(0, "put k <<EOF".to_owned());
        lines.push("EOF".to_owned());
        lines.join("\n")
    });
    let text = prop_oneof![
        document,
        Just("put k 'a  \n  b'".to_owned()),
        Just("put k \\\n v".to_owned()),
        Just("txn <<E\n\nput a \"x\"\n\n\nE".to_owned()),
    ];
    (1..=CONSOLE_MAX, any::<bool>(), text).prop_map(|(console, waits, text)| {
        let console = if waits { 1 } else { console };
        Action::Command { console, waits, text }
    })
}

fn any_change() -> impl Strategy<Value = Change> {
    let infra = || (1..=7_u32).prop_map(verb::Target::Infra);
    prop_oneof![
        any::<bool>().prop_map(|is_learner| Change::Add { is_learner }),
        prop_oneof![infra(), Just(verb::Target::Leader), Just(verb::Target::Killed)]
            .prop_map(Change::Remove),
        infra().prop_map(Change::Promote),
    ]
}

fn any_answer() -> impl Strategy<Value = Answer> {
    use crate::scenario::claim::Quantity;
    prop_oneof![
        Just(Answer::Leader),
        Just(Answer::Quorum),
        prop::sample::select(Quantity::NAMED.to_vec()).prop_map(Answer::Number),
        any_claim(any_long_text()).prop_map(Answer::Whether),
    ]
}

fn any_words(kind: SayKind) -> impl Strategy<Value = Action> {
    (any_language(), any_text()).prop_map(move |(language, text)| say(kind, language, text))
}

/// Steps of version 2 that belong together.
fn any_group() -> impl Strategy<Value = Vec<Action>> {
    let claim = || any_claim(any_long_text());
    prop_oneof![
        any_action().prop_map(|action| vec![action]),
        any_long_command().prop_map(|action| vec![action]),
        any_change().prop_map(|change| vec![Action::Change(change)]),
        "[a-z0-9./_-]{1,9}".prop_map(|name| vec![Action::Open(name)]),
        claim().prop_map(|claim| vec![Action::Expect(claim)]),
        (claim(), 0..=verb::WAIT_LIMIT_MAX_MS)
            .prop_filter("nobody can wait for it", |(claim, _)| !claim.asks())
            .prop_map(|(claim, limit_ms)| vec![Action::WaitFor { claim, limit_ms }]),
        (claim(), any_words(SayKind::Means))
            .prop_map(|(claim, means)| vec![Action::Goal(claim), means]),
        (any_words(SayKind::Ask), any_answer(), any_text()).prop_map(|(ask, answer, text)| vec![
            ask,
            Action::Answer(answer),
            Action::Reply(text)
        ]),
        any_action().prop_map(|action| vec![Action::Solution, action, Action::EndSolution]),
        any_words(SayKind::Part).prop_map(|part| vec![part]),
        any_words(SayKind::Hint).prop_map(|hint| vec![hint]),
        any_words(SayKind::Narration).prop_map(|narration| vec![narration]),
        (1..=CONSOLE_MAX, any_text())
            .prop_map(|(console, text)| vec![Action::Type { console, text }]),
        (1..=CONSOLE_MAX).prop_map(|console| vec![Action::EndInput { console }, Action::Mark]),
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

fn any_expected() -> impl Strategy<Value = Expected> {
    let hashes = (any::<u64>(), any::<u64>(), any::<u32>());
    (hashes, 1..9_u32, prop::collection::vec(any::<u16>(), 0..9)).prop_map(
        |((outcome, trace, engine_trace), every, steps)| Expected {
            outcome,
            trace,
            engine_trace,
            every,
            steps,
        },
    )
}

fn numbered(actions: Vec<Action>) -> Vec<Step> {
    actions.into_iter().map(|action| Step { line: 0, action }).collect()
}

fn any_script_one() -> impl Strategy<Value = Script> {
    (
        prop_oneof![Just(String::new()), any_text()],
        any_cluster(),
        prop::option::of(any_expected().prop_map(|expected| Expected { every: 1, ..expected })),
        prop::collection::vec(any_action(), 0..12),
    )
        .prop_map(|(title, cluster, expected, actions)| Script {
            version: Grammar::One,
            title,
            cluster,
            expected,
            steps: numbered(actions),
            ..Script::default()
        })
}

fn any_script_two() -> impl Strategy<Value = Script> {
    let titles = prop::collection::btree_map(
        any_language().prop_map(Option::unwrap_or_default),
        any_text(),
        0..3,
    );
    (
        (prop_oneof![Just(String::new()), any_text()], titles, any_language()),
        (any_cluster(), 0..=6_u32, flags::tests::any_flags()),
        prop::option::of(any_expected()),
        prop::collection::vec(any_group(), 0..9),
    )
        .prop_map(
            |((title, titles, language), (cluster, learners, flags), expected, groups)| Script {
                version: Grammar::Two,
                title,
                titles: titles.into_iter().collect(),
                language: language.unwrap_or_default(),
                learners: learners.min(7 - cluster.members),
                cluster,
                flags,
                expected,
                steps: numbered(groups.concat()),
            },
        )
}

pub(in crate::scenario) fn any_script() -> impl Strategy<Value = Script> {
    prop_oneof![any_script_one(), any_script_two()]
}

proptest! {
    #[test]
    fn a_script_reads_back_as_written(script in any_script()) {
        let text = script.to_string();
        let read = Script::parse(&text).map_err(|fault| TestCaseError::fail(format!("{fault}\n{text}")))?;
        prop_assert_eq!(actions(&read), actions(&script));
        let without_lines = Script { steps: script.steps.clone(), ..read.clone() };
        prop_assert_eq!(without_lines, script);
        prop_assert_eq!(Script::parse(&read.to_string()), Ok(read));
    }

    #[test]
    fn any_text_gives_an_answer(text in "[ -~\n\t é@>#:=0-9a-z]{0,200}") {
        let _ = Script::parse(&text);
    }

    #[test]
    fn any_lines_of_version_two_give_an_answer(text in "((expect|goal|ask\\[zh\\]|answer|wait for|>\\[zh\\]|part|solution|end|put a|@2 <|add|reply) ?(output is|leader|<<END|\"|'|x|\\\\)?\n){0,8}(END\n)?") {
        if let Ok(script) = Script::parse(&text) {
            let once = script.to_string();
            let again = Script::parse(&once).map(|script| script.to_string());
            prop_assert_eq!(again, Ok(once));
        }
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
        "script: 2\n\
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
        ("script: 3", 1, 9, "version 3; this program reads versions 1 and 2"),
        ("script:", 1, 8, "expected the script's version"),
        ("titel: x", 1, 1, "\"titel:\" is not known here; expected script:, title:"),
        ("title: x\ntitle: y", 2, 1, "twice"),
        ("put a b\ncluster: members=3", 2, 1, "before the first step"),
        ("cluster: members", 1, 10, "expected name=value"),
        ("cluster: members=9", 1, 18, "1 to 7 members"),
        ("cluster: size=3", 1, 10, "expected one of members, learners, seed"),
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
    assert!(Script::parse(&long_line).unwrap_err().to_string().contains("64 KiB"));
    let long_text = "# x\n".repeat(TEXT_BYTES_MAX / 4 + 1);
    assert!(Script::parse(&long_text).unwrap_err().to_string().contains("256 KiB"));
}

#[test]
fn waits_add_up() {
    let script = Script::parse("wait 2s\nput a b\nwait leader\nwait term 2 within 5s").unwrap();
    assert_eq!(script.total_wait_ms(), 17_000);
}

const LESSON: &str = "script: 2
title: Failover
title[zh]: 故障转移
cluster: members=3 seed=7 tick=100ms election=1s quota=16MiB learners=1
flags: --snapshot-count=100
part Kill the leader
part[zh] 终止 leader
> One of three goes.
>[zh] 三个中的一个停止。
goal term rose by 1
means A new leader was elected.
hint Type `kill leader`.
put k <<EOF
  two
# lines
EOF
expect output is OK
solution
kill leader
wait for event elected within 10s
end
ask Who leads now?
answer leader
reply infra2
@2 txn -i
@2 < put a 1
@2 ^D
add learner
remove killed
promote infra4
mark
expect output is <<END
a

END2
END
expect no write lost
";

#[test]
fn a_lesson_is_read_with_everything_in_it_and_is_canonical() {
    let script = Script::parse(LESSON).unwrap();
    assert_eq!(script.to_string(), LESSON);
    assert_eq!((script.learners, script.titles.len()), (1, 1));
    let lines: Vec<u32> = script.steps.iter().map(|step| step.line).collect();
    assert_eq!(lines.get(7..9), Some(&[13, 17][..]), "a command of several lines is one step");
    assert!(script.steps.iter().any(|step| step.action
        == Action::Command {
            console: 1,
            waits: true,
            text: "put k <<EOF\n  two\n# lines\nEOF".to_owned()
        }));
}

#[test]
fn a_text_that_says_so_is_of_version_one_for_ever() {
    let text = "script: 1\nexpect output is OK\nput k <<EOF\nhint x\n>[zh] y\nadd\n@2 < x\n";
    let script = Script::parse(text).unwrap();
    let commands =
        script.steps.iter().filter(|step| matches!(step.action, Action::Command { .. })).count();
    assert_eq!((script.version, commands, script.steps.len()), (Grammar::One, 5, 6));
    let lines: Vec<String> = script.steps.iter().map(|step| step.action.to_string()).collect();
    assert_eq!(
        lines,
        ["expect output is OK", "put k <<EOF", "hint x", "> [zh] y", "add", "@2 < x"]
    );
    let word = "script: 1\ncluster: learners=1";
    assert!(Script::parse(word).unwrap_err().to_string().contains("\"learners\" is not known"));
    assert!(
        Script::parse("script: 1\nflags: --x=1")
            .unwrap_err()
            .to_string()
            .contains("not known here")
    );
    let late = "flags: --snapshot-count=9\nscript: 1";
    assert!(Script::parse(late).unwrap_err().to_string().contains("needs version 2"));
    assert!(Script::parse("script: 1\nwait for leader").is_err());
}

#[test]
fn what_version_one_could_carry_out_means_the_same_without_a_version() {
    let text = "title: t\n> a\n>b\nput a 'b c'\n@2 watch a\n@2 ^C\nkill leader\nwait 2s\n";
    let mut two = Script::parse(text).unwrap();
    let one = Script::parse(&format!("script: 1\n{text}")).unwrap();
    for step in &mut two.steps {
        step.line += 1;
    }
    two.version = Grammar::One;
    assert_eq!(two, one);
}

#[test]
fn errors_of_version_two_name_line_column_and_what_was_expected() {
    let cases = [
        ("put a b\nexpect outptu is x", 2, 8, "found \"outptu\""),
        ("expect", 1, 7, "expected leader, no leader"),
        ("expect output is a b", 1, 20, "stands in quotes"),
        ("expect output is <<END\nx", 1, 18, "expected a line that is END"),
        ("put a b\nput k <<EOF\nx", 2, 1, "begins on line 2 is never finished"),
        ("@2 put k 'x", 1, 10, "the quote ' that opens here is never closed"),
        ("put a \"unclosed\nput b 2\n", 1, 7, "the quote \" that opens here"),
        ("put a \\", 1, 1, "never finished"),
        ("hint", 1, 5, "expected a sentence after hint"),
        ("hint[z] x", 1, 1, "a language such as [zh]"),
        ("ask Who?", 1, 1, "this question has no answer"),
        ("ask Who?\nput a b", 2, 1, "below the question"),
        ("answer leader", 1, 1, "expected a question before"),
        ("ask W?\nanswer the leader", 2, 8, "quorum, term, revision"),
        ("reply x", 1, 1, "nothing to reply to"),
        ("means x", 1, 1, "expected one before it"),
        ("solution\nput a b", 1, 1, "this solution never ends"),
        ("solution\nsolution", 2, 1, "within another"),
        ("end", 1, 1, "no solution is open"),
        ("end now", 1, 5, "the end of the line"),
        ("solution\n  part x", 2, 3, "a part cannot begin within"),
        ("solution\ngoal leader", 2, 1, "a goal cannot stand within"),
        ("wait for no write lost", 1, 23, "nobody can wait"),
        ("wait for leader within", 1, 23, "a time such as"),
        ("wait for leader within 11m", 1, 24, "10m at most"),
        ("add voter", 1, 5, "the end of the line"),
        ("remove", 1, 7, "leader, follower or killed"),
        ("promote leader", 1, 9, "a learner"),
        ("@2 expect leader", 1, 4, "without the console"),
        ("title[z]: x", 1, 1, "is not known here"),
        ("title[zh]:", 1, 11, "expected a title"),
        ("language: english", 1, 11, "such as en or zh"),
        ("flags:", 1, 7, "expected --flag=value"),
        ("cluster: members=5 learners=3", 1, 29, "7 members and learners together"),
        ("cluster: learners=x", 1, 19, "0 to 7 learners"),
        ("put a b\nflags: --x=1", 2, 1, "before the first step"),
        ("expect: outcome=0 every=0", 1, 17, "16 hexadecimal"),
    ];
    for (text, line, column, part) in cases {
        let fault = Script::parse(text).unwrap_err();
        assert!(fault.to_string().contains(part), "{text}: {fault}");
        assert_eq!((fault.line, fault.column), (line, column), "{text}: {fault}");
    }
}

#[test]
fn what_never_closes_stops_at_the_limit() {
    let open = format!("put k <<EOF\n{}", "x\n".repeat(PARAGRAPH_LINES_MAX + 1));
    assert!(Script::parse(&open).unwrap_err().to_string().contains("more than 200 lines"));
    let open = format!("expect output is <<END\n{}", "x\n".repeat(PARAGRAPH_LINES_MAX + 2));
    assert!(Script::parse(&open).unwrap_err().to_string().contains("more than 200 lines"));
    let steps = "mark\n".repeat(STEPS_MAX + 1);
    assert!(Script::parse(&steps).unwrap_err().to_string().contains("5000 steps"));
    let nots = format!("expect {}leader", "not ".repeat(10_000));
    assert!(Script::parse(&nots).is_err());
}
