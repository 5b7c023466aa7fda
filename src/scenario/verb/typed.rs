//! What a console takes beside verbs and commands: changes of the membership, and a restored cluster.
//!
//! What it is: `add`, `add learner`, `remove MEMBER`, `promote infra4`, `open NAME`, as scripts of version 2 have them; and one
//! line of help for each verb.
//! What it is not: a verb of version 1, whose scripts may hold such lines as commands.
//! Invariants: what is read here, a script reads as the same step (see the tests).

use super::{Accepts, Parsed, Target, Thing, Wrong, end, error, infra, target};
use crate::scenario::script::Change;

/// The first words.
pub const TYPED: [&str; 4] = ["add", "open", "promote", "remove"];

/// A line of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// A change of the membership.
    Change(Change),
    /// The cluster that was restored under this name shall take the place of the one that runs.
    Open(String),
}

pub(in crate::scenario) const REMOVE: Accepts = &[Target::Leader, Target::Follower, Target::Killed];

/// Reads a line from its words; `None` if it is none of these.
#[must_use]
pub fn typed(words: &[&str]) -> Option<Parsed<Typed>> {
    Some(match *words.first()? {
        "add" => add(words),
        "remove" => target(words, 1, REMOVE)
            .and_then(|found| end(words, 2).map(|()| Typed::Change(Change::Remove(found)))),
        "promote" => match words.get(1).and_then(|word| infra(word)) {
            Some(found) => end(words, 2).map(|()| Typed::Change(Change::Promote(found))),
            None => error(1, Wrong::missing(Thing::Learner)),
        },
        "open" => match words.get(1) {
            Some(name) => end(words, 2).map(|()| Typed::Open((*name).to_owned())),
            None => error(1, Wrong::missing(Thing::DataName)),
        },
        _ => return None,
    })
}

fn add(words: &[&str]) -> Parsed<Typed> {
    let is_learner = words.get(1) == Some(&"learner");
    end(words, 1 + usize::from(is_learner))?;
    Ok(Typed::Change(Change::Add { is_learner }))
}

/// How each verb is written, and what it does; a MEMBER, A and B are members.
const HELP: &str = "\
kill MEMBER: ends a member at once; its disk stays\n\
restart MEMBER: starts a member from its disk\n\
pause MEMBER: freezes a member\n\
resume MEMBER: lets a frozen member go on\n\
isolate MEMBER: cuts all links of a member\n\
cut A B: cuts a link; A->B: one direction of it\n\
heal [MEMBER | A B]: opens links and disturbs them no more\n\
wait TIME | leader | term N | revision N | MEMBER up: lets time pass; within 30s: at most\n\
partition A,B | C: cuts all links between sides\n\
delay A B TIME [jitter TIME]: delays messages; off: no more\n\
loss A B PERCENT: loses messages; off: no more\n\
duplicate A B PERCENT: doubles messages; off: no more\n\
reorder A B PERCENT: lets messages overtake others; off: no more\n\
slow-disk MEMBER TIME: each write takes so long; off: no more\n\
fill-disk MEMBER: its disk takes nothing more\n\
free-disk MEMBER: its disk has room again\n\
power-cut MEMBER: ends it, and what was not on disk yet is lost\n\
wipe MEMBER: deletes its database\n\
clock MEMBER PERCENT: its clock runs faster or slower\n\
speed 1/10: slows everything down; 1: real time\n\
latency TIME: delays the messages of all links\n\
add [learner]: adds a member and starts it\n\
promote infra4: lets a learner vote\n\
remove MEMBER: takes a member out\n\
open NAME: asks whether a restored cluster shall take the place of this one\n\
why: explains the newest command";

/// The help for a verb; `None` if it is none.
#[must_use]
pub fn help(verb: &str) -> Option<&'static str> {
    HELP.lines().find(|line| line.split([' ', ':']).next() == Some(verb))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Action, Script, verb};

    #[test]
    fn a_line_is_the_step_that_a_script_reads() {
        let lines = [
            "add",
            "add learner",
            "remove infra3",
            "remove leader",
            "remove follower",
            "remove killed",
            "promote infra4",
            "open new.etcd",
        ];
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let ours = match typed(&words).unwrap().unwrap() {
                Typed::Change(change) => Action::Change(change),
                Typed::Open(name) => Action::Open(name),
            };
            let script = Script::parse(line).unwrap();
            assert_eq!(script.steps.len(), 1);
            assert_eq!(script.steps[0].action, ours, "{line}");
            assert_eq!(ours.to_string(), line);
        }
    }

    #[test]
    fn what_a_script_refuses_is_refused_here() {
        for line in [
            "add one",
            "add learner infra4",
            "remove",
            "remove all",
            "remove infra9",
            "promote leader",
            "promote",
            "open",
            "open a b",
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let message = typed(&words).unwrap().unwrap_err().to_string();
            let theirs = Script::parse(line).unwrap_err().wrong.to_string();
            assert!(message.starts_with("expected"), "{line}: {message}");
            assert!(theirs.starts_with("expected"), "{line}: {theirs}");
        }
        assert_eq!(typed(&["member", "add"]), None);
        assert_eq!(typed(&[]), None);
    }

    #[test]
    fn every_verb_has_help() {
        for name in verb::NAMES.iter().chain(&TYPED) {
            let text = help(name).unwrap();
            assert!(text.starts_with(name) && text.contains(": "), "{text}");
        }
        assert_eq!(HELP.lines().count(), verb::NAMES.len() + TYPED.len() + 1);
        assert_eq!(help("get"), None);
        assert_eq!(help(""), None);
    }
}
