//! Lessons headless: every kind of wait, expectation, question and goal, once met and once not.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is meant to panic"
)]

#[path = "support/transcripts.rs"]
mod transcripts;

use etcd_playground::lab::program::{self, Printed};
use etcd_playground::lab::{Lab, run_script, transcript};
use etcd_playground::scenario::{Report, StepReport, Verdict, link};
use etcd_playground::types::Millis;

const LESSON: &str = include_str!("scenarios/lesson.txt");

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn run(script: &str) -> Report {
    run_script(script).unwrap_or_else(|why| panic!("{why}\n{script}"))
}

fn program(words: &[&str], script: &str) -> Printed {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    program::run(&words, |_| Ok(script.as_bytes().to_vec()))
}

fn judged(report: &Report) -> Vec<(&str, bool)> {
    let steps = report.steps.iter();
    steps.filter_map(|step| Some((step.line.as_str(), step.is_met?))).collect()
}

/// Every judged step came out as `wanted`, and there were so many.
#[track_caller]
fn assert_all(script: &str, wanted: bool, count: usize) {
    let report = run(script);
    let judged = judged(&report);
    let is_so = judged.len() == count && judged.iter().all(|(_, is_met)| *is_met == wanted);
    assert!(is_so, "{judged:?}\n{}", transcript(&report));
}

fn step<'report>(report: &'report Report, line: &str) -> &'report StepReport {
    let found = report.steps.iter().find(|step| step.line.starts_with(line));
    found.unwrap_or_else(|| panic!("no step {line}"))
}

#[test]
fn the_lesson_is_reached_with_its_solution_and_not_without() {
    let done = program(&["run", "lesson.txt"], LESSON);
    assert_eq!(done.status, 0, "{}", done.stdout);
    assert!(done.stdout.contains("All 19 expectations were met."), "{}", done.stdout);
    assert!(done.stdout.contains("\npart Nothing is lost\n"), "{}", done.stdout);
    assert!(!done.stdout.contains("[zh]"), "{}", done.stdout);

    let idle = program(&["run", "--without-solution", "lesson.txt"], LESSON);
    assert_eq!(idle.status, 1);
    for unmet in ["goal wrote /app/config v1", "goal leader changed", "goal term rose"] {
        assert!(idle.stdout.contains(&format!("\n  {unmet}\n")), "{unmet}: {}", idle.stdout);
    }
    assert!(idle.stdout.contains("left out"), "{}", idle.stdout);

    let chinese = program(&["run", "lesson.txt", "--language", "zh"], LESSON);
    assert!(chinese.stdout.contains("什么也没有丢") && !chinese.stdout.contains("Nothing is lost"));
}

#[test]
fn the_same_lesson_gives_the_same_hashes_and_its_link_is_reproduced() {
    let (one, two) = (run(LESSON), run(LESSON));
    assert_eq!(one, two);
    let made = program(&["link", "lesson.txt"], LESSON);
    let link = made.stdout.trim();
    assert!(link.starts_with("#s=A") && link.len() < 3_000, "{}: {link}", link.len());
    let opened = program(&["open", link], "");
    assert_eq!(opened.status, 0, "{}", opened.stdout);
    assert!(opened.stdout.ends_with("Reproduced exactly: every event is the same.\n"));
    let mut script = link::open(link).unwrap();
    let expected = script.expected.take().unwrap();
    assert_eq!(expected.every, 2, "more than 50 steps");
    assert_eq!(Lab::new(script.clone()).play_all().compare(&expected), Verdict::Exact);
    script.cluster.seed += 1;
    assert!(!Lab::new(script).play_all().compare(&expected).is_reproduced());
}

#[test]
fn the_transcript_of_the_lesson_is_the_golden_one() {
    transcripts::assert_golden("lesson.golden", &transcript(&run(LESSON)));
}

#[test]
fn a_failover_of_ten_steps_is_a_short_link() {
    let script = "title: Failover\nput /registry/pods/default/web-1 v1\n\
        @2 watch /registry/pods/default/web-1 --rev=2\nkill leader\nwait for event elected\n\
        expect term rose by 1\nput /registry/pods/default/web-1 v2\nrestart killed\n\
        wait for all are caught-up\nexpect @2 saw each event once\nexpect no write lost\n";
    let made = program(&["link", "x"], script);
    assert!(made.stdout.len() < 2_000, "{}", made.stdout.len());
    assert_eq!(program(&["open", made.stdout.trim()], "").status, 0);
}

#[test]
fn waits_for_claims_end_when_they_hold_and_fail_when_their_time_is_over() {
    assert_all(
        "kill leader\nwait for no leader within 5s\nwait for event elected within 30s\n\
         wait for running is 2\nrestart killed\nwait for event started by infra1 within 30s\n",
        true,
        if leader_is_first() { 4 } else { 3 },
    );
    let report = run("@2 watch a\nwait for @2 output contains PUT within 2s\nput a 1\n\
        wait for @2 output contains PUT within 2s\nwait for @2 status is 0 within 1s\n");
    let outcomes: Vec<bool> = judged(&report).into_iter().map(|(_, is_met)| is_met).collect();
    assert_eq!(outcomes, [false, true, false], "{}", transcript(&report));
    let wait = step(&report, "wait for @2 output");
    assert!(
        text(&wait.stderr).contains("waited 2.000 s for this in vain"),
        "{}",
        transcript(&report)
    );
    assert_eq!(wait.ended.since(wait.began), 2_000);
}

/// In the run above infra1 is the one that leads first.
fn leader_is_first() -> bool {
    let report = run("put a 1\nexpect leader is infra1\n");
    judged(&report)[0].1
}

#[test]
fn output_status_and_errors_are_compared() {
    assert_all(
        "put a 1\nexpect output is OK\nexpect status is 0\nget a\nexpect output is \"a\\n1\"\n\
         expect output contains 1\nexpect output lacks 2\nexpect error is empty\nget\n\
         expect status is not 0\nexpect error contains Error\nexpect output is empty\n",
        true,
        9,
    );
    assert_all(
        "put a 1\nexpect output is NO\nexpect status is 1\nget a\nexpect output is a\n\
         expect output contains 2\nexpect output lacks 1\nexpect output is empty\n\
         expect error contains x\nexpect @3 output is x\n",
        false,
        8,
    );
}

#[test]
fn here_documents_and_typed_lines_reach_their_command() {
    assert_all(
        "txn <<E\n\nput a 1\n\n\nE\nget a\nexpect output is <<END\na\n1\nEND\n\
         put b 'x\n y'\nget b --print-value-only\nexpect output is \"x\\n y\"\n\
         @2 txn\n@2 <\n@2 < put c 3\n@2 <\n@2 <\nget c\nexpect output is \"c\\n3\"\n\
         @3 put d\n@3 < four\n@3 ^D\nget d --print-value-only\nexpect output is four\n",
        true,
        4,
    );
    let report = run("@2 < x\n@2 ^D\n");
    assert!(report.steps.iter().all(|step| step.status == Some(1)), "{}", transcript(&report));
}

#[test]
fn the_newest_lease_has_a_name() {
    assert_all(
        "put a 1 --lease=$LEASE\nexpect not wrote a\nlease grant 20\n\
         put a 1 --lease=$LEASE\nexpect output is OK\nlease grant 30\nput b 1 --lease=$LEASE\n\
         lease revoke $LEASE\nexpect output contains revoked\nget b\nexpect output is empty\n\
         get a --print-value-only\nexpect output is 1\n",
        true,
        5,
    );
}

#[test]
fn terms_elections_and_events_count_from_the_mark() {
    assert_all(
        "expect term rose by 0\nexpect elections is 0\nkill leader\nwait for leader changed within 30s\n\
         expect event elected\nexpect term rose\nexpect elections is 1\nexpect events elected is 1\n\
         mark\nexpect not term rose\nexpect elections is 0\nexpect not leader changed\n",
        true,
        10,
    );
    assert_all(
        "expect term rose\nexpect elections is 1\nexpect leader changed\nexpect event elected\n\
         expect no leader\nexpect revision rose\n",
        false,
        6,
    );
}

#[test]
fn a_lost_write_is_told_and_so_is_a_watch_that_missed_something() {
    // What is isolated cannot acknowledge; what was acknowledged survives a new leader.
    assert_all(
        "put a 1\nput a 2\ntxn <<E\n\nput b 3\n\n\nE\nisolate leader\nput a lost --endpoints=$ISOLATED\n\
         expect refused a lost\nexpect not wrote a lost\nwait leader within 30s\nexpect no write lost\n",
        true,
        3,
    );
    // All disks are wiped: nothing that was acknowledged can be read.
    assert_all("put a 1\nwipe all\nrestart all\nexpect no write lost\n", false, 1);
    assert_all(
        "put a 1\n@2 watch a --rev=2\nput a 2\nput b 1\nput a 3\nwait 200ms\n\
         expect @2 saw each event once\nexpect @2 saw a 1\nexpect @2 saw a 3\n",
        true,
        3,
    );
    // A watch through a member that is cut off hears nothing of the others' writes.
    assert_all(
        "@2 watch a --endpoints=127.0.0.1:12379\nwait 500ms\nisolate infra1\nwait leader within 30s\n\
         put a 1 --endpoints=$LEADER\nexpect @2 saw each event once\nexpect @2 saw a 1\n\
         expect @3 saw each event once\n",
        false,
        3,
    );
}

#[test]
fn members_are_added_promoted_and_removed() {
    let report = run(
        "put a 1\nadd learner\nexpect members is 4\nexpect learners is 1\nexpect infra4 is learner\n\
        wait for infra4 is caught-up within 30s\npromote infra4\nexpect voters is 4\nremove leader\n\
        wait for leader within 30s\nexpect members is 3\nwait for all are up within 5s\n\
        expect infra4 is voter\nput a 2\nexpect output is OK\n",
    );
    assert!(judged(&report).iter().all(|(_, is_met)| *is_met), "{}", transcript(&report));
    assert_eq!(judged(&report).len(), 10);
    assert!(text(&step(&report, "add").stdout).contains("infra4 was added as a learner"));
    assert!(text(&step(&report, "remove").stdout).contains(" was removed"));
    let refused = run("promote infra1\nkill all\nadd\n");
    assert!(text(&refused.steps[0].stderr).contains("can only promote a learner"));
    assert_eq!(text(&refused.steps[2].stderr), "no member is running\n");
}

#[test]
fn a_header_sets_learners_and_flags() {
    assert_all(
        "cluster: members=3 learners=2\nflags: --max-txn-ops=1\nexpect learners is 2\n\
         expect infra5 is learner\nexpect all are up\ntxn <<E\n\nput a 1\nput b 2\n\n\nE\n\
         expect error contains \"too many operations\"\n",
        true,
        4,
    );
}

#[test]
fn questions_are_answered_by_the_cluster_and_replies_are_judged() {
    let report = run(
        "ask Who leads?\nanswer leader\nreply nobody\nask Can it write?\nanswer whether leader\nreply yes\n\
        kill leader\nkill follower\nwait 3s\nask And now?\nanswer whether leader\nreply no\nask How many run?\n\
        answer running\nreply 2\n",
    );
    let outcomes: Vec<bool> = judged(&report).into_iter().map(|(_, is_met)| is_met).collect();
    assert_eq!(outcomes, [false, true, true, false], "{}", transcript(&report));
    let right = text(&step(&report, "answer leader").stdout);
    assert!(right.starts_with("infra"), "{right}");
    assert_eq!(text(&step(&report, "reply nobody").stderr), format!("the right answer is {right}"));
}

#[test]
fn goals_are_judged_at_the_end_of_their_part() {
    let report =
        run("part One\ngoal wrote a\nput a 1\npart Two\ngoal wrote a\ngoal not wrote b\nget a\n");
    assert_eq!(
        judged(&report),
        [("goal wrote a", true), ("goal wrote a", false), ("goal not wrote b", true)]
    );
    assert_eq!(program(&["run", "x"], "goal leader\nget\n").status, 0, "its goal counts");
    assert_eq!(program(&["run", "x"], "get\n").status, 128, "its last command counts");
    assert_eq!(program(&["run", "x"], "put a 1\nexpect output is b\nput a 1\n").status, 1);
}

#[test]
fn version_one_is_played_as_it_always_was() {
    let lines = "put k <<EOF\nexpect output is OK\nEOF\n";
    let one = run(&format!("script: 1\n{lines}"));
    assert_eq!(one.steps.len(), 3);
    assert!(one.steps[1..].iter().all(|step| step.status == Some(1)), "{}", transcript(&one));
    let plain = "put a 1\nkill leader\nwait leader\nget a\n";
    let (one, two) = (run(&format!("script: 1\n{plain}")), run(plain));
    assert_eq!((one.outcome, one.trace), (two.outcome, two.trace));
}

#[test]
fn bad_words_of_run_are_refused() {
    for (words, part) in [
        (&["run"][..], "expected a file"),
        (&["run", "x", "--seed", "y"], "is no seed"),
        (&["run", "x", "--language", "q"], "is no language"),
        (&["run", "x", "y"], "\"y\" is not understood"),
    ] {
        let printed = program(words, "put a 1");
        assert_eq!(printed.status, 2, "{words:?}");
        assert!(printed.stderr.contains(part), "{}", printed.stderr);
    }
}

#[test]
fn a_scenario_becomes_a_shell_script_with_its_outputs() {
    let shell = program(&["script", "lesson.txt"], LESSON);
    assert_eq!(shell.status, 0, "{}", shell.stderr);
    for part in ["infra3: etcd --name infra3", "compare 0 <<'END'", "\nfinish\n"] {
        assert!(shell.stdout.contains(part), "{part}\n{}", shell.stdout);
    }
}

const DRILL: &str = "put a 1\n@2 watch a\nsnapshot save b.db --endpoints=$LEADER\nput a 2\nwipe all\n\
    etcdutl snapshot restore b.db --data-dir new.etcd --name infra1 --initial-cluster infra1=http://127.0.0.1:12380 \
    --initial-advertise-peer-urls http://127.0.0.1:12380 --bump-revision 1000 --mark-compacted\nopen new.etcd\n\
    get a\nexpect output is \"a\\n1\"\nexpect members is 1\nexpect not wrote a 2\nexpect revision is 1002\n\
    put a 3\nexpect output is OK\nexpect no write lost\n";

#[test]
fn a_restored_cluster_takes_the_place_of_the_old_one() {
    let report = run(DRILL);
    assert!(judged(&report).iter().all(|(_, is_met)| *is_met), "{}", transcript(&report));
    assert_eq!(judged(&report).len(), 6);
    assert_eq!(run(DRILL), report);
    let (began, ended) = report.steps.iter().fold((true, Millis(0)), |(so_far, last), step| {
        (so_far && step.began >= last && step.ended >= step.began, step.ended)
    });
    assert!(began && ended > Millis(0), "time goes on");
    let made = program(&["link", "x"], DRILL);
    assert_eq!(program(&["open", made.stdout.trim()], "").status, 0);
}

#[test]
fn what_was_not_restored_here_is_not_opened() {
    let report = run("open x\nput a 1\nsnapshot save b.db --endpoints=$LEADER\n\
        etcdutl snapshot restore b.db --data-dir x\nopen x\nget a\n");
    let said = |at: usize| text(&report.steps[at].stderr).to_owned();
    assert!(said(0).starts_with("no restored data is kept as x"), "{}", said(0));
    assert!(said(4).contains("its members are not infra1="), "{}", transcript(&report));
    assert_eq!(text(&report.steps[5].stdout), "a\n1\n");
    let refused = program(&["run", "x"], "open\n");
    assert!(refused.stderr.contains("expected the name of restored data"), "{}", refused.stderr);
}
