//! What was done to the cluster, as a script that does it again.
//!
//! What it is: intents (console lines, what running commands read, verbs) with the pauses that mattered, bounded, and
//! remembered across reloads.
//! What it is not: the answers, nor a script with its header; both come from the lab (DESIGN 22).
//! Invariants: the script starts from a fresh cluster; at most [`STEPS_MAX`] steps, then recording stops
//! and says so; a line that may hold a password is counted and never kept, nor is what its command reads; what was left out is
//! said in the script itself, so that whoever opens it knows.

use crate::etcdctl;
use crate::playground::cluster::names_second;
use crate::playground::edge::ClusterSpec;
use crate::scenario::{ClusterSettings, LeftOut, Question, Target, Verb, script, verb};
use crate::types::Millis;

/// Under this name the record is remembered.
pub(super) const RECORD_NAME: &str = "record";
/// Most recorded steps. Source: a link's limit, DESIGN 20, less room for waits.
pub(super) const STEPS_MAX: usize = 190;
/// A pause shorter than this is not recorded. Unit: ms.
const PAUSE_MIN_MS: u64 = 300;
/// A longer pause is recorded as this. Unit: ms.
const PAUSE_MAX_MS: u64 = 5_000;
/// Before the number of lines with passwords, in the remembered text: a comment of the script.
const SECRETS: &str = "# lines with passwords: ";
/// The same before the number of other lines that were left out.
const LEFT_OUT: &str = "# lines left out: ";
/// It covers the cluster from its beginning on.
const BEGUN: &str = "# from the beginning";
/// It began on a cluster that was not fresh.
const PARTIAL: &str = "# begun later";
/// Something was done for which a script has no words.
const OTHERS: &str = "# done by buttons, and left out";
/// More was done than a link can carry.
const FULL: &str = "# the end is left out";
/// How long the script waits for a leader at most. Unit: ms.
const LEADER_WAIT_MS: u64 = 30_000;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    tab: u32,
    console: u32,
    text: String,
    is_over: bool,
    step: usize,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// As lines of a script.
    steps: Vec<String>,
    open: Vec<Line>,
    last_verb_at: Option<Millis>,
    left_out: LeftOut,
    /// It covers the cluster from its beginning on.
    is_begun: bool,
}

impl Record {
    /// True if there is nothing to share.
    #[must_use]
    pub(super) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// A running command of a tab is about to read a line, or with nothing the end of its input.
    pub(super) fn input(&mut self, tab: u32, text: Option<&str>) {
        // What reads a password was never opened here.
        let Some(console) = self.open.iter().find(|line| line.tab == tab).map(|line| line.console)
        else {
            return;
        };
        match text {
            None => self.push(format!("@{console} ^D")),
            Some("") => self.push(format!("@{console} <")),
            Some(text) if text.trim() == text && is_line(text) => {
                self.push(format!("@{console} < {text}"))
            }
            Some(_) => {
                self.left_out.lines += 1;
                false
            }
        };
    }

    /// The cluster was made from a file: the lab's, which is fresh, is another one.
    pub(super) fn cluster_restored(&mut self) {
        *self = Self::default();
        self.left_out.is_partial = true;
    }

    /// Something was done for which a script has no words.
    pub(super) const fn left_out(&mut self) {
        self.left_out.has_others = true;
    }

    /// A cluster was opened: a fresh one begins a fresh record, a resumed one was reloaded.
    pub(super) fn cluster_opened(&mut self, is_resumed: bool, now: Millis) {
        if !is_resumed {
            *self = Self { is_begun: true, ..Self::default() };
            return;
        }
        if self.steps.is_empty() {
            self.left_out.is_partial |= !self.is_begun;
            return;
        }
        self.open.clear();
        self.push(Verb::Restart(Target::All).to_string());
        self.last_verb_at = Some(now);
    }

    /// A console line begins in a tab that stands at this place of its row.
    pub(super) fn line(
        &mut self,
        tab: u32,
        console: u32,
        text: &str,
        now: Millis,
        has_leader: bool,
    ) {
        if etcdctl::holds_secret(text) {
            self.left_out.secrets += 1;
            return;
        }
        // A comment does nothing.
        if text.trim().starts_with('#') {
            return;
        }
        // The lab has one cluster.
        let Some(text) = as_step(text.trim()).filter(|text| !names_second(text)) else {
            self.left_out.lines += 1;
            return;
        };
        self.pause(now, has_leader);
        let step = self.steps.len();
        let console = console.clamp(1, script::CONSOLE_MAX);
        if self.push(format!("@{console} {text}")) {
            self.open.push(Line { tab, console, text, is_over: false, step });
        }
    }

    /// The line of a tab has ended by itself.
    pub(super) fn line_ended(&mut self, tab: u32) {
        let Some(at) = self.open.iter().position(|line| line.tab == tab) else { return };
        let line = self.open.remove(at);
        // Nothing was done while it ran: the next step waited for it.
        if line.step + 1 == self.steps.len()
            && let Some(step) = self.steps.get_mut(line.step)
        {
            *step = line.text;
        }
    }

    /// Ctrl-C in a tab.
    pub(super) fn interrupted(&mut self, tab: u32) {
        if let Some(at) = self.open.iter().position(|line| line.tab == tab) {
            let line = self.open.remove(at);
            self.push(format!("@{} ^C", line.console));
        }
    }

    /// A verb was done.
    pub(super) fn verb(&mut self, verb: Verb, now: Millis, has_leader: bool) {
        self.pause(now, has_leader);
        self.push(verb.to_string());
        self.last_verb_at = Some(now);
    }

    /// The membership was changed.
    pub(super) fn change(&mut self, change: script::Change, now: Millis, has_leader: bool) {
        self.pause(now, has_leader);
        self.push(change.to_string());
        self.last_verb_at = Some(now);
    }

    /// What a person did between a verb and the next step: waited, and perhaps for a leader.
    fn pause(&mut self, now: Millis, has_leader: bool) {
        let Some(at) = self.last_verb_at.take() else { return };
        let waited = (now.since(at) / 100 * 100).min(PAUSE_MAX_MS);
        if waited >= PAUSE_MIN_MS {
            let wait = Verb::Wait { condition: verb::Condition::Time, limit_ms: waited };
            self.push(wait.to_string());
        }
        if has_leader {
            let wait = Verb::Wait { condition: verb::Condition::Leader, limit_ms: LEADER_WAIT_MS };
            self.push(wait.to_string());
        }
    }

    fn push(&mut self, step: String) -> bool {
        if self.steps.len() >= STEPS_MAX {
            self.left_out.is_full = true;
            return false;
        }
        self.steps.push(step);
        true
    }

    /// Asks for the script that does it again.
    #[must_use]
    pub(super) fn steps(&self, spec: &ClusterSpec, seed: u64) -> Question {
        let cluster = ClusterSettings {
            members: spec.members,
            seed,
            tick_ms: spec.tick_ms,
            election_ticks: spec.election_ticks,
            quota_bytes: spec.quota_bytes,
            pre_vote: spec.pre_vote,
            check_quorum: spec.check_quorum,
        };
        Question::Compose { cluster, lines: self.steps.clone(), left_out: self.left_out }
    }

    /// The record as [`Record::from_text`] reads it.
    #[must_use]
    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        let flags = [
            // Steps say it by themselves.
            (BEGUN, self.is_begun && self.steps.is_empty()),
            (PARTIAL, self.left_out.is_partial),
            (OTHERS, self.left_out.has_others),
            (FULL, self.left_out.is_full),
        ];
        for (head, _) in flags.into_iter().filter(|(_, is_so)| *is_so) {
            text.push_str(&format!("{head}\n"));
        }
        for (head, count) in [(SECRETS, self.left_out.secrets), (LEFT_OUT, self.left_out.lines)] {
            if count > 0 {
                text.push_str(&format!("{head}{count}\n"));
            }
        }
        text.push_str(&self.steps.join("\n"));
        text
    }

    /// Reads what an earlier visit recorded; whether a script can hold it, the lab says.
    #[must_use]
    pub(super) fn from_text(text: &str) -> Self {
        let mut record = Self::default();
        let mut lines = text.split('\n');
        while let Some(line) = lines.next() {
            let mut step = line.trim_start().to_owned();
            match line {
                BEGUN => record.is_begun = true,
                PARTIAL => record.left_out.is_partial = true,
                OTHERS => record.left_out.has_others = true,
                FULL => record.left_out.is_full = true,
                _ => {}
            }
            if matches!(line, BEGUN | PARTIAL | OTHERS | FULL) {
                continue;
            }
            if let Some(count) = line.strip_prefix(SECRETS) {
                record.left_out.secrets = count.parse().unwrap_or(0);
                continue;
            }
            if let Some(count) = line.strip_prefix(LEFT_OUT) {
                record.left_out.lines = count.parse().unwrap_or(0);
                continue;
            }
            let is_typed = command(&step).starts_with('<');
            while !is_typed && etcdctl::is_unfinished(&step) {
                let Some(more) = lines.next().filter(|_| step.len() < script::LINE_BYTES_MAX)
                else {
                    break;
                };
                step = format!("{step}\n{more}");
            }
            if etcdctl::holds_secret(command(&step)) {
                // An earlier version of the page kept all lines.
                record.left_out.secrets += 1;
            } else if !step.trim().is_empty() && record.steps.len() < STEPS_MAX {
                record.steps.push(step);
            }
        }
        record
    }
}

/// A step without the console that it stands in.
fn command(step: &str) -> &str {
    let console = step.strip_prefix('@').and_then(|rest| rest.split_once(' '));
    console.map_or(step, |(_, command)| command)
}

/// True for what one line of a script can hold.
fn is_line(text: &str) -> bool {
    text.len() < script::LINE_BYTES_MAX && !text.contains(['\n', '\r'])
}

/// A command as a step; nothing if it is too long for one, or not finished. Behind "etcdctl" a word with which a
/// script would begin something else is a command.
fn as_step(text: &str) -> Option<String> {
    let is_long =
        text.len() >= script::LINE_BYTES_MAX || text.lines().count() > script::PARAGRAPH_LINES_MAX;
    if is_long || text.contains('\r') || etcdctl::is_unfinished(text) {
        return None;
    }
    let word = text.split_whitespace().next().unwrap_or_default();
    let name = word.split('[').next().unwrap_or_default();
    let is_other =
        script::NAMES.contains(&name) || word.starts_with(['@', '>']) || word.ends_with(':');
    Some(if is_other { format!("etcdctl {text}") } else { text.to_owned() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::playground::cluster::DEFAULT_SPEC;
    use crate::scenario::answer;

    fn lines(record: &Record) -> Vec<String> {
        let never = |_| unreachable!("nothing shall be played");
        let sheet = answer(record.steps(&DEFAULT_SPEC, 1), never).unwrap();
        sheet.steps.into_iter().filter(|step| !step.is_prose).map(|step| step.text).collect()
    }

    #[test]
    fn commands_that_end_are_waited_for_and_a_watch_runs_beside() {
        let mut record = Record::default();
        record.line(1, 1, "put a 1", Millis(0), true);
        record.line_ended(1);
        record.line(2, 2, "watch a --rev=2", Millis(10), true);
        record.line(1, 1, "put a 2", Millis(20), true);
        record.line_ended(1);
        record.interrupted(2);
        assert_eq!(lines(&record), ["put a 1", "@2 watch a --rev=2", "put a 2", "@2 ^C",]);
    }

    #[test]
    fn the_pause_after_a_verb_is_kept_and_bounded_and_a_leader_is_waited_for_if_there_was_one() {
        let mut record = Record::default();
        record.verb(Verb::Kill(Target::Leader), Millis(0), true);
        record.line(1, 1, "get a", Millis(2345), true);
        record.line_ended(1);
        record.verb(Verb::Kill(Target::Leader), Millis(9000), true);
        record.line(1, 1, "get a", Millis(99_000), false);
        assert_eq!(
            lines(&record),
            [
                "kill leader",
                "wait 2300ms",
                "wait leader within 30s",
                "get a",
                "kill leader",
                "wait 5s",
                "@1 get a",
            ]
        );
    }

    #[test]
    fn a_reload_is_recorded_and_the_record_survives_it() {
        let mut record = Record::default();
        record.line(1, 1, "put a 1", Millis(0), true);
        record.line_ended(1);
        let mut again = Record::from_text(&record.to_text());
        again.cluster_opened(true, Millis(0));
        assert_eq!(lines(&again), ["put a 1", "restart all"]);
        again.cluster_opened(false, Millis(0));
        assert!(again.is_empty());
        let mut none = Record::default();
        none.cluster_opened(true, Millis(0));
        assert!(none.left_out.is_partial);
    }

    #[test]
    fn what_a_record_lacks_is_remembered_and_an_untouched_cluster_lacks_nothing() {
        let mut record = Record::default();
        record.cluster_opened(false, Millis(0));
        let mut again = Record::from_text(&record.to_text());
        again.cluster_opened(true, Millis(9));
        assert!(!again.left_out.is_partial && again.is_empty(), "nothing was done before");
        let mut late = Record::default();
        late.cluster_opened(true, Millis(0));
        for at in 0..1_000 {
            late.line(1, 1, &format!("get {at}"), Millis(at), true);
            late.line_ended(1);
        }
        late.left_out();
        let mut again = Record::from_text(&late.to_text());
        again.cluster_opened(true, Millis(9));
        assert_eq!(again.left_out, late.left_out);
        assert!(late.left_out.is_partial && late.left_out.is_full && late.left_out.has_others);
    }

    #[test]
    fn recording_stops_at_its_limit_and_says_so() {
        let mut record = Record::default();
        for at in 0..1000 {
            record.line(1, 1, &format!("get {at}"), Millis(at), true);
            record.line_ended(1);
        }
        assert!(record.left_out.is_full);
        assert!(lines(&record).len() <= crate::scenario::link::STEPS_MAX);
    }

    #[test]
    fn lines_with_passwords_are_counted_and_never_kept_nor_what_was_typed_for_them() {
        let mut record = Record::default();
        for line in ["user add alice:secret", "get a --user=root:secret", "user passwd alice"] {
            record.line(1, 1, line, Millis(0), true);
            record.input(1, Some("secret"));
            record.input(1, None);
            record.interrupted(1);
            record.line_ended(1);
        }
        record.line(1, 1, "get a", Millis(0), true);
        record.line_ended(1);
        assert_eq!(lines(&record), ["get a"]);
        assert_eq!(record.left_out.secrets, 3);
        let text = record.to_text();
        assert!(!text.contains("secret") && !text.contains("alice"), "{text}");
        let again = Record::from_text(&text);
        assert_eq!(again.left_out, record.left_out);
        assert_eq!(lines(&again), ["get a"]);
    }

    #[test]
    fn a_record_of_an_earlier_version_loses_its_passwords_too() {
        let record =
            Record::from_text("put a 1\nuser add alice:secret\n@2 get a --password secret\n");
        assert_eq!(lines(&record), ["put a 1"]);
        assert_eq!(record.left_out.secrets, 2);
    }

    #[test]
    fn what_a_command_reads_is_carried_and_so_are_lines_of_several_lines() {
        let mut record = Record::default();
        record.line(1, 1, "put a <<EOF\n 1\nEOF", Millis(0), true);
        record.line_ended(1);
        record.line(2, 2, "txn -i", Millis(10), true);
        for text in ["mod(\"a\") > \"0\"", "", "get a", "", ""] {
            record.input(2, Some(text));
        }
        record.line_ended(2);
        record.line(1, 1, "put b", Millis(20), true);
        record.input(1, Some("value"));
        record.input(1, None);
        record.line_ended(1);
        let wanted = [
            "put a <<EOF\n 1\nEOF",
            "@2 txn -i",
            "@2 < mod(\"a\") > \"0\"",
            "@2 <",
            "@2 < get a",
            "@2 <",
            "@2 <",
            "@1 put b",
            "@1 < value",
            "@1 ^D",
        ];
        assert_eq!(lines(&record), wanted);
        assert_eq!(record.left_out, LeftOut::default());
        assert_eq!(lines(&Record::from_text(&record.to_text())), wanted);
    }

    #[test]
    fn what_a_script_cannot_hold_is_left_out_and_counted() {
        let mut record = Record::default();
        let long = format!("put a {}", "v".repeat(script::LINE_BYTES_MAX));
        for line in [long.as_str(), "put 'a", "get a --endpoints=localhost:2379"] {
            record.line(1, 1, line, Millis(0), true);
        }
        record.line(1, 1, "user add alice:secret", Millis(0), true);
        record.line(1, 1, "put b", Millis(0), true);
        record.input(1, Some("  blanks at the ends  "));
        let record = Record::from_text(&record.to_text());
        let left_out = LeftOut { secrets: 1, lines: 4, ..LeftOut::default() };
        assert_eq!(record.left_out, left_out);
        assert_eq!(lines(&record), ["@1 put b"]);
        assert!(!record.to_text().contains("secret"), "{}", record.to_text());
    }

    #[test]
    fn what_a_person_typed_stays_a_command() {
        let typed = ["add", "expect nothing", "hint[zh] x", "title: x", "@3 get a", "part \"a b\""];
        let mut record = Record::default();
        for line in typed {
            record.line(1, 1, line, Millis(0), true);
            record.line_ended(1);
        }
        let found = lines(&record);
        assert_eq!(found[0], "etcdctl add");
        for (line, step) in typed.into_iter().zip(&found) {
            let words = |text: &str| -> Vec<String> {
                let split = etcdctl::lexer::split(text).unwrap();
                split.into_iter().map(|word| word.text).collect()
            };
            let typed = words(step);
            assert_eq!(typed.strip_prefix(&["etcdctl".to_owned()]).unwrap(), words(line));
        }
        assert_eq!(found.len(), typed.len());
    }

    fn typed_lines() -> impl Strategy<Value = Vec<(u32, String, bool)>> {
        let word = prop::sample::select(vec![
            "put", "get", "expect", "part", "hint[zh]", "hint[", "title:", "script:", "@3", "@x",
            ">", "#", "a", "add", "end", "'", "\"", "\\", "<<EOF", "EOF", "\n", "$LEADER", "<",
            "^D", "txn", "-i", "\r", "solution",
        ]);
        let line = prop::collection::vec(word, 1..7).prop_map(|words| words.join(" "));
        prop::collection::vec((1..4_u32, line, any::<bool>()), 0..12)
    }

    proptest! {
        #[test]
        fn whatever_was_typed_and_read_becomes_a_script_with_the_same_steps(lines in typed_lines()) {
            let mut record = Record::default();
            let parts = |(tab, line, is_read): &(u32, String, bool)| -> Vec<(u32, String, bool)> {
                let parts = if *is_read { vec![line.clone()] } else { etcdctl::statements(line) };
                parts.into_iter().map(|part| (*tab, part, *is_read)).collect()
            };
            for (tab, line, is_read) in lines.iter().flat_map(parts) {
                let (tab, line, is_read) = (&tab, &line, &is_read);
                let words: Vec<&str> = line.split_whitespace().collect();
                // The page takes verbs for itself, and passes over what is no command.
                if *is_read {
                    record.input(*tab, Some(line));
                } else if !line.trim().is_empty() && verb::parse(&words).is_none() {
                    record.line_ended(*tab);
                    record.line(*tab, *tab, line, Millis(0), true);
                }
            }
            let again = Record::from_text(&record.to_text());
            prop_assert_eq!(&again.steps, &record.steps);
            let found = self::lines(&record);
            prop_assert_eq!(found, record.steps);
        }
    }
}
