//! The failover experiment, headless: every claim of it, over many seeds, and the tutorial's checks.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a failed test is meant to panic"
)]

#[path = "support/transcripts.rs"]
mod transcripts;

use std::collections::{BTreeMap, BTreeSet};

use etcd_playground::api::{MemberEvent, Role};
use etcd_playground::lab::{Lab, program, run_script, transcript};
use etcd_playground::scenario::catalog::{FAILOVER, FAILOVER_EN, Line};
use etcd_playground::scenario::{Action, Order, Report, Script, StepReport};
use etcd_playground::types::{MemberId, Term};

const EXPERIMENT: &str = include_str!("scenarios/failover.txt");

/// `SCENARIO_SEEDS` asks for more than a test run plays.
fn seeds(usual: u64) -> u64 {
    std::env::var("SCENARIO_SEEDS").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

fn with_seed(seed: u64) -> Script {
    let mut script = Script::parse(EXPERIMENT).unwrap();
    script.cluster.seed = seed;
    script
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The steps of one numbered part.
fn part(report: &Report, number: usize) -> &[StepReport] {
    let starts = |number: usize| {
        let heading = format!("> {number}. ");
        report.steps.iter().position(|step| step.line.starts_with(&heading))
    };
    let from = starts(number).unwrap();
    let to = starts(number + 1).unwrap_or(report.steps.len());
    &report.steps[from..to]
}

fn step<'a>(part: &'a [StepReport], line: &str) -> &'a StepReport {
    let found = part.iter().find(|step| step.line.starts_with(line));
    found.unwrap_or_else(|| panic!("no step {line}"))
}

fn stdout<'a>(part: &'a [StepReport], line: &str) -> &'a str {
    text(&step(part, line).stdout)
}

fn leaders(part: &[StepReport]) -> Vec<(MemberId, Term)> {
    let events = part.iter().flat_map(|step| &step.events);
    events
        .filter_map(|(_, member, event)| match event {
            MemberEvent::BecameLeader { term } => Some((*member, *term)),
            _ => None,
        })
        .collect()
}

fn json(printed: &str) -> serde_json::Value {
    serde_json::from_str(printed).unwrap_or_else(|why| panic!("{why}: {printed}"))
}

fn revision(printed: &str) -> i64 {
    json(printed)["header"]["revision"].as_i64().unwrap()
}

const KEY: &str = "etcdctl get /registry/pods/default/web-1";
const PUT: &str = "etcdctl put /registry/pods/default/web-1";

fn assert_hashes_equal(printed: &str) {
    let hashes: Vec<&str> = printed.lines().filter_map(|line| line.split(", ").nth(1)).collect();
    assert_eq!(hashes.len(), 3, "{printed}");
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{printed}");
}

fn assert_the_claims(report: &Report) {
    assert_the_history(report);
    assert_the_failover(report);
    assert_the_partitions(report);
}

/// The mod revisions in a watch message.
fn revisions(message: &serde_json::Value) -> Vec<i64> {
    let events = message["Events"].as_array().unwrap();
    events.iter().map(|event| event["kv"]["mod_revision"].as_i64().unwrap()).collect()
}

fn assert_the_history(report: &Report) {
    // 1. One leader.
    let first = part(report, 1);
    let status = json(stdout(first, "etcdctl endpoint status -w json"));
    let status = status.as_array().unwrap();
    assert_eq!(status.len(), 3);
    let leader = &status[0]["Status"]["leader"];
    assert!(leader.as_u64().is_some_and(|id| id != 0));
    assert!(status.iter().all(|member| member["Status"]["leader"] == *leader));
    let table = stdout(first, "etcdctl endpoint status -w table");
    for column in ["ENDPOINT", "ID", "VERSION", "DB SIZE", "IS LEADER", "RAFT TERM", "ERRORS"] {
        assert!(table.contains(column), "{table}");
    }
    // 2. Revisions.
    let second = part(report, 2);
    let kv = json(stdout(second, &format!("{KEY} -w json")));
    let kv = &kv["kvs"][0];
    assert_eq!((kv["create_revision"].as_i64(), kv["mod_revision"].as_i64()), (Some(2), Some(4)));
    assert_eq!((kv["version"].as_i64(), kv["value"].as_str()), (Some(3), Some("djM=")));
    assert!(stdout(second, &format!("{KEY} --rev=2")).ends_with("\nv1\n"));
    assert!(stdout(second, &format!("{KEY} --rev=3")).ends_with("\nv2\n"));
    // 3. The watch.
    let third = part(report, 3);
    let history = json(stdout(third, "@2 etcdctl watch"));
    assert_eq!(revisions(&history), [2, 3, 4]);
    assert_eq!(history["Header"]["revision"].as_i64(), Some(4));
    // A put is acknowledged and watched at the same moment: its message may come one step later.
    let heard: Vec<&(String, Vec<u8>)> =
        report.steps.iter().flat_map(|step| &step.background).collect();
    let live = json(text(&heard[0].1));
    assert_eq!(revisions(&live), [5]);
}

fn assert_the_failover(report: &Report) {
    // 4. A new leader in a higher term.
    let fourth = part(report, 4);
    let killed = stdout(fourth, "kill leader").trim_end_matches(" was killed\n").to_owned();
    let elected = leaders(fourth);
    let (new_leader, new_term) = *elected.last().unwrap();
    assert!(report.members.iter().any(|member| member.id == new_leader && member.name != killed));
    let campaigns = |part: &[StepReport]| -> BTreeSet<Term> {
        let events = part.iter().flat_map(|step| &step.events);
        events
            .filter_map(|(_, _, event)| match event {
                MemberEvent::CampaignStarted { term } => Some(*term),
                _ => None,
            })
            .collect()
    };
    let before = leaders(part(report, 1)).last().map_or(Term(0), |(_, term)| *term);
    let held = u64::try_from(campaigns(fourth).len()).unwrap();
    assert_eq!(new_term.0, before.0 + held, "one term per election held");
    // 5. Nothing lost.
    let fifth = part(report, 5);
    assert!(stdout(fifth, KEY).ends_with("\nv4\n"));
    assert_eq!(revision(stdout(fifth, PUT)), 6);
    // 6. Recovered from its disk.
    let sixth = part(report, 6);
    let started = sixth.iter().flat_map(|step| &step.events).any(|(_, _, event)| {
        matches!(event, MemberEvent::Started { boot: 2, revision, .. } if *revision >= 1)
    });
    assert!(started);
    assert_hashes_equal(stdout(sixth, "etcdctl endpoint hashkv"));
}

fn assert_the_partitions(report: &Report) {
    // 7. No majority.
    let seventh = part(report, 7);
    let failed = seventh.iter().find(|step| step.line == KEY).unwrap();
    assert_eq!(failed.status, Some(1));
    assert!(text(&failed.stderr).contains("context deadline exceeded"), "{}", text(&failed.stderr));
    assert!((4_900..=5_200).contains(&failed.ended.since(failed.began)));
    assert!(stdout(seventh, &format!("{KEY} --consistency=s")).ends_with("\nv5\n"));
    assert_eq!(revision(stdout(seventh, PUT)), 7);
    // 8. Isolated.
    let eighth = part(report, 8);
    let lost = step(eighth, &format!("{PUT} lost"));
    assert_eq!(lost.status, Some(1), "{}", text(&lost.stderr));
    let stepped_down = eighth
        .iter()
        .flat_map(|step| &step.events)
        .any(|(_, _, event)| matches!(event, MemberEvent::SteppedDown { quorum_lost: true, .. }));
    assert!(stepped_down);
    assert_eq!(revision(stdout(eighth, &format!("{PUT} v7"))), 8);
    assert_eq!(leaders(eighth).len(), 1, "healing disturbed the term");
    assert!(stdout(eighth, KEY).ends_with("\nv7\n"));
    assert_hashes_equal(stdout(eighth, "etcdctl endpoint hashkv"));
    // 9. Everything restarted.
    let ninth = part(report, 9);
    let kv = json(stdout(ninth, &format!("{KEY} -w json")));
    assert_eq!(kv["kvs"][0]["value"].as_str(), Some("djg="));
    assert_eq!(kv["kvs"][0]["mod_revision"].as_i64(), Some(9));
    assert_eq!(revisions(&json(stdout(ninth, "@2 etcdctl watch"))), [9]);
    assert_eq!(revision(stdout(ninth, &format!("{PUT} v9"))), 10);
    assert_hashes_equal(stdout(ninth, "etcdctl endpoint hashkv"));
}

#[test]
fn every_claim_of_the_experiment_holds_over_many_seeds() {
    for seed in 1..=seeds(30) {
        let report = Lab::new(with_seed(seed)).play_all();
        let caught = std::panic::catch_unwind(|| assert_the_claims(&report));
        assert!(caught.is_ok(), "seed {seed}\n{}", transcript(&report));
        for step in &report.steps {
            let may_fail = step.line == KEY || step.line.contains(" lost ");
            let is_fine = matches!(step.status, None | Some(0 | 130));
            assert!(is_fine || may_fail, "seed {seed}\n{}", transcript(&report));
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_transcript_and_another_seed_another() {
    let one = run_script(EXPERIMENT).unwrap();
    let two = run_script(EXPERIMENT).unwrap();
    assert_eq!(one, two);
    assert_eq!(transcript(&one), transcript(&two));
    assert_ne!(one.trace, Lab::new(with_seed(8)).play_all().trace);
}

#[test]
fn the_transcript_is_the_golden_one() {
    transcripts::assert_golden("failover.golden", &transcript(&run_script(EXPERIMENT).unwrap()));
}

#[test]
fn each_step_of_the_tutorial_meets_its_checks_and_not_before() {
    for seed in 1..=seeds(10) {
        let mut script = FAILOVER.as_script(&FAILOVER_EN).unwrap();
        script.cluster.seed = seed;
        let mut lab = Lab::new(script);
        for (lesson, words) in FAILOVER.steps.iter().zip(FAILOVER_EN.steps) {
            lab.play_next().unwrap();
            lab.session_mut().begin_facts();
            let met_before = lesson.checks.iter().all(|check| check.is_met(lab.session().facts()));
            assert!(!met_before, "seed {seed}: {} is met before anything is done", words.title);
            for line in lesson.lines {
                let step = lab.play_next().unwrap();
                let asked = match line {
                    Line::Type(line) | Line::Pace(line) | Line::Reload(line) => *line,
                    Line::TypeIn(_, line) => line,
                };
                assert!(step.line.contains(asked), "{} {asked}", step.line);
            }
            for (check, asked) in lesson.checks.iter().zip(words.checks) {
                let is_met = check.is_met(lab.session().facts());
                let place = format!("seed {seed}: {}: {asked} ({check:?})", words.title);
                assert!(is_met, "{place}\n{}", transcript(&lab.into_report()));
            }
        }
        assert!(lab.play_next().is_none());
    }
}

#[test]
fn acknowledged_puts_survive_a_reload_in_the_middle_of_a_stream_of_them() {
    for seed in 1..=seeds(20) {
        let mut lab = Lab::new(with_seed(seed));
        let session = lab.session_mut();
        let mut acknowledged: BTreeMap<u32, String> = BTreeMap::new();
        // Each console sends its puts one after the other; everything ends after a drawn time.
        for round in 0..3_u64 {
            for turn in 0..40_u32 {
                for console in 1..=8 {
                    if !session.is_running(console) {
                        if session.status(console) == Some(0) && turn > 0 {
                            acknowledged
                                .insert(console, text(&session.take_output(console).0).to_owned());
                        }
                        session.start(
                            console,
                            &format!("put k{console} r{round}-{turn} -w json"),
                            None,
                        );
                    }
                }
                session.run(1 + (seed * 7 + round) % 5, |_| false);
            }
            let before = newest(&acknowledged);
            for order in session
                .world()
                .plan(&etcd_playground::scenario::Verb::Restart(
                    etcd_playground::scenario::Target::All,
                ))
                .unwrap()
            {
                session.carry_out(order);
            }
            session.run(30_000, |session| {
                session.world().leader().is_some()
                    && (1..=8).all(|console| !session.is_running(console))
            });
            for console in 1..=8 {
                session.take_output(console);
            }
            session.start(1, "get k --prefix -w json", None);
            session.run(10_000, |session| !session.is_running(1));
            let (answer, stderr) = session.take_output(1);
            assert!(stderr.is_empty(), "seed {seed}: {}", text(&stderr));
            let answer = json(text(&answer));
            assert!(
                answer["header"]["revision"].as_i64().unwrap() >= before,
                "seed {seed}: revisions went back"
            );
            for (console, put) in &acknowledged {
                let put_revision = revision(put);
                let key = answer["kvs"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|kv| kv["key"] == base64_of(&format!("k{console}")));
                let found = key.unwrap()["mod_revision"].as_i64().unwrap();
                assert!(
                    found >= put_revision,
                    "seed {seed}: k{console} was acknowledged at {put_revision}, found {found}"
                );
            }
            assert!(acknowledged.len() == 8, "seed {seed}: too few puts to prove anything");
        }
        assert!(session.world().members.iter().all(|view| view.status.as_ref().unwrap().boot == 4));
        let leads = |view: &&etcd_playground::scenario::MemberView| {
            view.status.as_ref().is_some_and(|status| status.role == Role::Leader)
        };
        assert_eq!(session.world().members.iter().filter(leads).count(), 1);
    }
}

fn newest(acknowledged: &BTreeMap<u32, String>) -> i64 {
    acknowledged.values().map(|printed| revision(printed)).max().unwrap_or(0)
}

fn base64_of(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}

#[test]
fn a_paused_leader_is_replaced_and_follows_when_it_goes_on() {
    let report = run_script(
        "pause leader\nwait leader within 30s\nput a 1 --endpoints=$LEADER\nresume paused\nwait 3s\nget a\nwait revision 2\n",
    )
    .unwrap();
    let statuses: Vec<Option<i32>> = report.steps.iter().map(|step| step.status).collect();
    assert_eq!(text(&report.steps[5].stdout), "a\n1\n", "{}", transcript(&report));
    assert!(
        statuses.iter().all(|status| matches!(status, None | Some(0))),
        "{}",
        transcript(&report)
    );
    assert_eq!(leaders(&report.steps).len(), 2, "{}", transcript(&report));
}

#[test]
fn steps_that_cannot_be_done_say_why_and_the_script_goes_on() {
    let report = run_script(
        "cluster: members=1\nkill infra2\nrestart killed\nresume all\nwait term 99 within 1s\n\
         @2 watch a\n@2 watch b\n@3 ^C\nput a $ISOLATED\nput a 1\n",
    )
    .unwrap();
    let says: Vec<&str> = report.steps.iter().map(|step| text(&step.stderr)).collect();
    let parts = [
        "there is no infra2: the cluster has 1 member(s)",
        "no member is down",
        "no member is paused",
        "waited 1.000 s for term 99 in vain",
        "",
        "console 2 is busy",
        "nothing runs in that console",
        "no member is isolated",
        "",
    ];
    assert_eq!(says.len(), parts.len());
    for (says, part) in says.iter().zip(parts) {
        assert!(says.contains(part), "{says} / {part}");
    }
    assert_eq!(report.steps.last().unwrap().status, Some(0));
}

#[test]
fn a_link_made_by_the_program_is_reproduced_exactly_and_a_changed_one_is_not() {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let script = "cluster: members=3 seed=5\nput a 1\nkill leader\nwait leader\nput a 2 -w json\nget a -w json\n";
    let read = |name: &str| {
        if name == "s.txt" { Ok(script.into()) } else { Err("no such file".to_owned()) }
    };
    let made = program::run(&words(&["link", "s.txt"]), read);
    assert_eq!(made.status, 0, "{}", made.stderr);
    let opened = program::run(&words(&["open", made.stdout.trim()]), read);
    assert_eq!(opened.status, 0);
    assert!(
        opened.stdout.ends_with("Reproduced exactly: every event is the same.\n"),
        "{}",
        opened.stdout
    );

    let mut changed = etcd_playground::scenario::link::open(&made.stdout).unwrap();
    let Some(Action::Command { text, .. }) =
        changed.steps.iter_mut().map(|step| &mut step.action).rfind(
            |action| matches!(action, Action::Command { text, .. } if text.starts_with("put")),
        )
    else {
        panic!("no put")
    };
    *text = "put a 3 -w json".to_owned();
    let changed = etcd_playground::scenario::link::write(&changed).unwrap();
    let opened = program::run(&words(&["open", &changed]), read);
    assert_eq!(opened.status, 1);
    assert!(
        opened.stdout.contains("step 4 is the first that differs: put a 3 -w json"),
        "{}",
        opened.stdout
    );
}

#[test]
fn the_program_answers_bad_input_with_status_two_and_a_sentence() {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let read = |name: &str| match name {
        "bad.txt" => Ok(b"put a 1\nkill infra9\n".to_vec()),
        "fails.txt" => Ok(b"get\n".to_vec()),
        "bytes.txt" => Ok(b"put a 1\nput a \xff\n".to_vec()),
        "marked.txt" => Ok("\u{feff}put a 1\n".into()),
        _ => Err("no such file".to_owned()),
    };
    let cases = [
        (&["run", "bad.txt"][..], "bad.txt: line 2, column 6: expected a member"),
        (&["run", "none.txt"], "none.txt: no such file"),
        (&["run", "bad.txt", "--seed", "x"], "\"x\" is no seed"),
        (&["open", "#s=AA"], "version 0, and this page reads versions 1 to 2"),
        (&["run", "bytes.txt"], "bytes.txt: line 2: this is no UTF-8 text"),
        (&["dance"], "playground help"),
    ];
    for (arguments, part) in cases {
        let printed = program::run(&words(arguments), read);
        assert_eq!((printed.status, printed.stdout.as_str()), (2, ""));
        assert!(printed.stderr.contains(part), "{}", printed.stderr);
    }
    assert_ne!(program::run(&words(&["run", "fails.txt"]), read).status, 0);
    assert_eq!(program::run(&words(&["run", "marked.txt"]), read).status, 0);
    assert!(program::run(&[], read).stdout.contains("playground run FILE"));
}

#[test]
fn killing_everybody_and_restarting_them_in_any_order_gives_one_leader() {
    let mut lab = Lab::new(with_seed(3));
    let session = lab.session_mut();
    let ids: Vec<MemberId> =
        session.simulation().members().iter().map(|member| member.id).collect();
    for id in &ids {
        session.carry_out(Order::Kill(*id));
    }
    for id in ids.iter().rev() {
        session.carry_out(Order::Restart(*id));
        session.run(137, |_| false);
    }
    session.run(30_000, |session| session.world().leader().is_some());
    assert!(session.world().leader().is_some());
}
