//! A scenario as a shell script for a real etcd, with a Procfile and the expected outputs in it.
//!
//! What it is: text; console lines word by word, the verbs that signals can do (kill, restart, pause, resume, power-cut, wipe), changes of
//! the membership, waits by polling, and after each command the comparison with what the lab printed.
//! What it is not: a runner; nor can it do without root what needs the network, a disk or a clock: those steps say so, with what
//! does the same by hand, and are passed over.
//! Invariants: whatever a scenario holds, it comes into the script as data: quoted, or in a here-document that it cannot end.

mod line;

use std::fmt::Write as _;

use self::line::{Line, word};
use crate::cluster::fault::{LinkFault, MemberFault};
use crate::scenario::prose;
use crate::scenario::verb::{Condition, Target, Verb};
use crate::scenario::{
    Action, Change, Claim, ClusterSettings, Compare, EventKind, Quantity, Report, Script,
    StepReport, TextTest,
};

/// What stands before the steps.
const PRELUDE: &str = include_str!("export.sh");

/// The script that does what a scenario does, and compares with what a run of it printed.
#[must_use]
pub fn export(script: &Script, report: &Report) -> String {
    let mut text = String::from("#!/usr/bin/env bash\n");
    // Writing to a String cannot fail.
    let _ = writeln!(text, "# {}", one_line(&script.title));
    text.push_str(PRELUDE);
    write_procfile(&mut text, script);
    let names: Vec<String> = (1..=script.cluster.members).map(name).collect();
    let _ = writeln!(text, "begin {}", names.join(" "));
    for _ in 0..script.learners {
        text.push_str("add_member --learner\n");
    }
    let mut status = 0;
    let told = prose::told(&script.steps, &script.language, &script.language);
    for ((step, seen), is_told) in script.steps.iter().zip(&report.steps).zip(told) {
        if !is_told {
            continue;
        }
        let later = script.steps.iter().filter(|later| later.line > step.line);
        let is_typed_to = |console: u32| {
            later.clone().find_map(|later| match &later.action {
                Action::Type { console: its, .. } | Action::EndInput { console: its }
                    if *its == console =>
                {
                    Some(true)
                }
                Action::Command { console: its, .. } if *its == console => Some(false),
                _ => None,
            }) == Some(true)
        };
        write_step(&mut text, (&step.action, status), seen, &is_typed_to);
        if matches!(step.action, Action::Command { waits: true, .. }) {
            status = seen.status.unwrap_or_default();
        }
    }
    text.push_str("finish\n");
    text
}

fn name(number: u32) -> String {
    format!("infra{number}")
}

/// The port for clients; the one behind it is for peers. The lab's `72379` is none on a real machine: see `port` in the script.
const fn port(number: u32) -> u32 {
    if number <= 6 { number * 10_000 + 2_379 } else { 10_079 + number * 100 }
}

/// Without control characters.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A here-document, after the command that reads it; the line before it is ended by it.
fn document(text: &mut String, content: &str) {
    let end = Claim::delimiter(content);
    let _ = write!(text, " <<'{end}'\n{content}");
    if !content.ends_with('\n') && !content.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(text, "{end}");
}

/// How etcd is started: a member a line.
fn write_procfile(text: &mut String, script: &Script) {
    let ClusterSettings { members, tick_ms, election_ticks, quota_bytes, pre_vote, .. } =
        script.cluster;
    let peer = |number: u32| format!("{}=http://127.0.0.1:{}", name(number), port(number) + 1);
    let peers: Vec<String> = (1..=members).map(peer).collect();
    let election_ms = tick_ms.saturating_mul(u64::from(election_ticks));
    let mut common = format!(
        "--initial-cluster-token etcd-cluster --heartbeat-interval {tick_ms} --election-timeout {election_ms} --quota-backend-bytes {quota_bytes} --pre-vote={pre_vote} --log-level error"
    );
    for (flag, value) in script.flags.iter() {
        let _ = write!(common, " {}", flag.for_etcd(value));
    }
    if script.learners > 1 {
        let _ = write!(common, " --max-learners={}", script.learners);
    }
    let _ = writeln!(text, "common={}", word(&common));
    text.push_str("cat > \"$dir/Procfile\"");
    let line = |number: u32| {
        let (name, client, peers) = (name(number), port(number), peers.join(","));
        let peer = client + 1;
        format!(
            "{name}: etcd --name {name} --data-dir {name}.etcd --listen-client-urls http://127.0.0.1:{client} --advertise-client-urls http://127.0.0.1:{client} --listen-peer-urls http://127.0.0.1:{peer} --initial-advertise-peer-urls http://127.0.0.1:{peer} --initial-cluster {peers} --initial-cluster-state new {common}\n"
        )
    };
    document(text, &(1..=members).map(line).collect::<String>());
}

fn write_step(
    text: &mut String,
    (action, status): (&Action, i32),
    seen: &StepReport,
    is_typed_to: &dyn Fn(u32) -> bool,
) {
    match action {
        Action::Say(say) => {
            let _ = writeln!(text, "say {}", word(&one_line(&say.text)));
        }
        Action::Command { console, waits, text: line } => {
            let line = match line::written(line, status) {
                Ok(line) => line,
                Err(why) => return cannot(text, line, &why),
            };
            write_command(text, (*console, *waits), &line, is_typed_to(*console));
            if *waits {
                let how = if line.is_fleeting { "compare_shape" } else { "compare" };
                let _ = write!(text, "{how} {}", seen.status.unwrap_or_default());
                document(text, &String::from_utf8_lossy(&seen.stdout));
            }
        }
        Action::Interrupt { console } => {
            let _ = writeln!(text, "interrupt {console}");
        }
        Action::Type { console, text: line } => {
            let _ = writeln!(text, "type_into {console} {}", word(line));
        }
        Action::EndInput { console } => {
            let _ = writeln!(text, "end_input {console}");
        }
        Action::Verb(verb) => write_verb(text, verb),
        Action::Change(Change::Add { is_learner }) => {
            text.push_str(if *is_learner { "add_member --learner\n" } else { "add_member\n" });
        }
        Action::Change(Change::Remove(target)) => {
            let _ = writeln!(text, "remove_member {target}");
        }
        Action::Change(Change::Promote(target)) => {
            let _ = writeln!(text, "promote_member {target}");
        }
        Action::Open(name) => {
            let hint = format!("end all members, then start each with --data-dir {name}");
            cannot(text, &format!("open {name}"), &hint);
        }
        Action::WaitFor { claim, limit_ms } => write_wait(text, claim, limit_ms.div_ceil(1000)),
        Action::Expect(claim) => write_expectation(text, claim),
        Action::Goal(claim) => {
            let _ =
                writeln!(text, "say {}", word(&format!("goal: {}", one_line(&claim.to_string()))));
        }
        Action::Mark => text.push_str("note\n"),
        Action::Answer(_) | Action::Reply(_) => {}
        Action::Solution | Action::EndSolution => {}
    }
}

/// A command, with the values of its variables before it.
fn write_command(text: &mut String, (console, waits): (u32, bool), line: &Line, is_typed_to: bool) {
    let shown = one_line(&line.text);
    let _ = writeln!(text, "prompt {}", word(&format!("@{console} $ {shown}")));
    for variable in &line.variables {
        let _ = match *variable {
            "LEASE" => Ok(()),
            "REVISION" => writeln!(text, "REVISION=$(highest Revision)"),
            member => writeln!(text, "{member}=$(endpoint_of {})", member.to_lowercase()),
        };
    }
    let line_text = &line.text;
    if waits {
        let _ = writeln!(
            text,
            "{{\n{line_text}\n}} > \"$dir/out1\" 2> \"$dir/err1\" < /dev/null\nstatus=$? last=1"
        );
        if line.grants {
            text.push_str("LEASE=$(lease_of)\n");
        }
        return;
    }
    let _ = writeln!(text, "console={console} last={console}");
    let (input, first) = if is_typed_to {
        text.push_str("open_input\n");
        // Who reads must not hold the end into which is written, or it never hears of the end.
        ("\"$dir/in$console\"", "leave_input\n")
    } else {
        ("/dev/null", "")
    };
    let _ = writeln!(
        text,
        "{{\n{first}{line_text}\n}} > \"$dir/out{console}\" 2> \"$dir/err{console}\" < {input} &\nbeside $!"
    );
}

/// A step that is passed over, and what does the same by hand.
fn cannot(text: &mut String, step: &str, hint: &str) {
    let _ = writeln!(text, "cannot {} {}", word(&one_line(step)), word(&one_line(hint)));
}

/// What does the same as a verb on machines of one's own, as root.
const fn by_hand(verb: &Verb) -> &'static str {
    match verb {
        Verb::Isolate(_) | Verb::Cut { .. } | Verb::Partition(_) => {
            "between machines: iptables -I INPUT -s PEER -p tcp --dport 2380 -j DROP"
        }
        Verb::Heal(_) | Verb::HealLink { .. } => {
            "take each rule away again: iptables -D INPUT ..., tc qdisc del dev DEVICE root"
        }
        Verb::Disturb { fault, .. } => match fault {
            LinkFault::Delay { .. } => "tc qdisc add dev DEVICE root netem delay TIME JITTER",
            LinkFault::Loss(_) => "tc qdisc add dev DEVICE root netem loss PERCENT",
            LinkFault::Duplicate(_) => "tc qdisc add dev DEVICE root netem duplicate PERCENT",
            LinkFault::Reorder(_) => {
                "tc qdisc add dev DEVICE root netem delay TIME reorder PERCENT"
            }
        },
        Verb::Latency(_) => {
            "tc qdisc add dev lo root netem delay TIME delays whatever these members send"
        }
        Verb::Speed(_) => {
            "nothing slows real time down; larger values of --heartbeat-interval and --election-timeout come near"
        }
        Verb::Member(_, MemberFault::SlowDisk(_)) => {
            "a control group with io.max, or a dm-delay device, makes the disk below a data directory slow"
        }
        Verb::Member(_, MemberFault::FillDisk) => {
            "lay the data directory on a small file system, and fill that: fallocate -l SIZE FILE"
        }
        Verb::Member(_, MemberFault::FreeDisk) => "delete what fills the file system",
        Verb::Member(_, MemberFault::Clock(_)) => "start it as: faketime -f '+0 x1.5' etcd ...",
        // The script does them.
        Verb::Member(_, MemberFault::PowerCut | MemberFault::Wipe)
        | Verb::Kill(_)
        | Verb::Restart(_)
        | Verb::Pause(_)
        | Verb::Resume(_)
        | Verb::Wait { .. } => "",
    }
}

fn write_verb(text: &mut String, verb: &Verb) {
    if !matches!(verb, Verb::Wait { .. }) && by_hand(verb).is_empty() {
        text.push_str("note\n");
    }
    let _ = match verb {
        Verb::Kill(target) => writeln!(text, "each {target} kill_member"),
        Verb::Restart(target) => writeln!(text, "restart {target}"),
        Verb::Pause(target) => writeln!(text, "each {target} pause_member"),
        Verb::Resume(target) => writeln!(text, "each {target} resume_member"),
        Verb::Member(target, MemberFault::PowerCut) => writeln!(text, "each {target} kill_member"),
        Verb::Member(target, MemberFault::Wipe) => writeln!(text, "each {target} wipe_member"),
        Verb::Wait { condition, limit_ms } => {
            let seconds = limit_ms.div_ceil(1000);
            match condition {
                Condition::Time => {
                    writeln!(text, "sleep {}.{:03}", limit_ms / 1000, limit_ms % 1000)
                }
                Condition::Leader => writeln!(text, "wait_until {seconds} has_leader"),
                Condition::Term(term) => writeln!(text, "wait_until {seconds} has_term {term}"),
                Condition::Revision(revision) => {
                    writeln!(text, "wait_until {seconds} has_revision {revision}")
                }
                Condition::Up(target) => writeln!(text, "wait_until {seconds} is_up {target}"),
            }
        }
        other => {
            cannot(text, &other.to_string(), by_hand(other));
            Ok(())
        }
    };
}

fn write_wait(text: &mut String, claim: &Claim, seconds: u64) {
    let _ = match claim {
        Claim::HasLeader => writeln!(text, "wait_until {seconds} has_leader"),
        Claim::LeaderChanged => writeln!(text, "wait_until {seconds} has_other_leader"),
        // The same member may win again; the term tells of it.
        Claim::Event(EventKind::Elected, _) => writeln!(text, "wait_until {seconds} has_risen 0"),
        Claim::Rose(Quantity::Term, by) => {
            writeln!(text, "wait_until {seconds} has_risen {}", by.unwrap_or_default())
        }
        Claim::Member(target @ Target::Infra(_), crate::scenario::MemberState::Up) => {
            writeln!(text, "wait_until {seconds} is_up {target}")
        }
        Claim::Output(source, TextTest::Contains(wanted)) => {
            let stream = if source.is_error { "err" } else { "out" };
            let console = source.console.unwrap_or(1);
            writeln!(text, "wait_until {seconds} contains {stream} {console} {}", word(wanted))
        }
        other => {
            let shown = word(&one_line(&other.to_string()));
            writeln!(text, "cannot_wait {shown}")
        }
    };
}

/// A comparison of numbers in the words of `test`.
const fn compare_of(compare: Compare) -> &'static str {
    match compare {
        Compare::Is => "-eq",
        Compare::More => "-gt",
        Compare::AtLeast => "-ge",
        Compare::Less => "-lt",
        Compare::AtMost => "-le",
    }
}

fn write_expectation(text: &mut String, claim: &Claim) {
    let (claim, wanted) = match claim {
        Claim::Not(claim) => (claim.as_ref(), 1),
        claim => (claim, 0),
    };
    let shown = word(&one_line(&claim.to_string()));
    match claim {
        Claim::Output(source, test) => {
            let stream = if source.is_error { "err" } else { "out" };
            let console =
                source.console.map_or_else(|| "\"$last\"".to_owned(), |its| its.to_string());
            let (how, content) = match test {
                TextTest::Is(content) => ("equals", content.trim()),
                TextTest::Contains(content) => ("contains", content.as_str()),
                TextTest::IsEmpty => ("equals", ""),
            };
            let content = word(content);
            // What runs beside may need a moment to hear of it.
            let soon =
                if source.console.is_some() && wanted == 0 { "expect_soon" } else { "expect" };
            let _ = writeln!(text, "{soon} {wanted} {shown} {how} {stream} {console} {content}");
        }
        Claim::Status(None, status) => {
            let _ = writeln!(text, "expect {wanted} {shown} test \"$status\" = {status}");
        }
        Claim::HasLeader => {
            let _ = writeln!(text, "expect {wanted} {shown} has_leader");
        }
        Claim::LeaderChanged => {
            let _ = writeln!(text, "expect {wanted} {shown} has_other_leader");
        }
        Claim::Rose(Quantity::Term, by) => {
            let by = by.unwrap_or_default();
            let _ = writeln!(text, "expect {wanted} {shown} has_risen {by}");
        }
        Claim::Number(Quantity::Revision, compare, number) => {
            let compare = compare_of(*compare);
            let _ = writeln!(
                text,
                "expect {wanted} {shown} test \"$(highest Revision)\" {compare} {number}"
            );
        }
        Claim::Member(target @ Target::Infra(_), crate::scenario::MemberState::Up) => {
            let _ = writeln!(text, "expect {wanted} {shown} is_up {target}");
        }
        _ => {
            let _ = writeln!(text, "cannot_check {shown}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Lab;

    fn exported(text: &str) -> String {
        let script = Script::parse(text).unwrap();
        let report = Lab::new(script.clone()).play_all();
        export(&script, &report)
    }

    #[test]
    fn commands_are_compared_with_what_the_lab_printed() {
        let shell = exported(
            "title: T\ncluster: members=1 learners=0\nflags: --snapshot-count=50\n> It's a\nput a 'it''s'\n\
             get a --endpoints=$LEADER\nlease grant 20\nput b 1 --lease=$LEASE\ncompact $REVISION\n@2 watch a\n@3 txn -i\n@3 < put x\n@3 ^D\nexpect output contains its\n\
             kill leader\ncut infra1 infra2\nadd learner\nwait for @2 output contains PUT\nget a",
        );
        for part in [
            "#!/usr/bin/env bash\n# T\n",
            "infra1: etcd --name infra1 --data-dir infra1.etcd",
            "--snapshot-count=50",
            "say 'It'\\''s a'\n",
            "{\netcdctl 'put' 'a' 'its'\n} > \"$dir/out1\"",
            "compare 0 <<'END'\nOK\nEND\n",
            "LEADER=$(endpoint_of leader)\n",
            "REVISION=$(highest Revision)\n{\netcdctl 'compact' ''\"$REVISION\"''\n}",
            "LEASE=$(lease_of)\ncompare 0 <<'END'\nlease ",
            "{\netcdctl 'put' 'b' '1' '--lease='\"$LEASE\"''\n}",
            "compare 0 <<'END'\na\nits\nEND\n",
            "{\netcdctl 'watch' 'a'\n} > \"$dir/out2\"",
            "open_input\n{\nleave_input\netcdctl 'txn' '-i'\n}",
            "type_into 3 'put x'\nend_input 3\n",
            "contains out \"$last\" 'its'\n",
            "note\neach leader kill_member\n",
            "cannot 'cut infra1 infra2' 'between machines: iptables",
            "add_member --learner\n",
            "wait_until 10 contains out 2 'PUT'\n",
            "compare 1 <<'END'\nEND\nfinish\n",
        ] {
            assert!(shell.contains(part), "{part}\n{shell}");
        }
    }

    #[test]
    fn texts_stay_data_in_the_script() {
        let shell = exported(
            "title: x\u{85}y\n> $(reboot) `reboot` '; reboot\nput k \"\nEND\nEND2\n\"\nget k",
        );
        assert!(shell.contains("\n# x y\n"), "{shell}");
        assert!(shell.contains("say '$(reboot) `reboot` '\\''; reboot'\n"), "{shell}");
        assert!(shell.contains("compare 0 <<'END3'\nk\n\nEND\nEND2\n\nEND3\n"), "{shell}");
    }
}
