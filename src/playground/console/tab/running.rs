//! What the command that runs is doing, in words, with its time and what came of it so far.
//!
//! What it is: one line that stands under a running command: whom it waits for, how long, how much has come.
//! What it is not: output; it is gone when the command ends.
//! Invariants: time is counted in whole seconds, so that the line changes once a second at most; no share is shown
//! where nobody knows the whole.

use super::{Call, CallKind, Command, Run, Tab};
use crate::api::{KeyValue, Response};
use crate::playground::cluster::{Cluster, SECOND};
use crate::playground::strings::{Strings, bytes};
use crate::types::Millis;

/// Before this nothing is said of time. Unit: ms.
const QUICK_MS: u64 = 1_000;
/// After this it is said how to end it. Unit: ms.
const LONG_MS: u64 = 4_000;

/// How much of an answer that comes in pieces is there. Unit: bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Received {
    bytes: u64,
    /// What follows; 0 if nobody knows.
    left: u64,
}

impl Received {
    /// Counts a piece.
    pub(super) fn add(&mut self, part: &Response) {
        let of = |kv: &KeyValue| kv.key.len() + kv.value.len();
        let (size, left) = match part {
            Response::Snapshot(part) => (part.blob.len(), part.remaining_bytes),
            Response::Range(part) => (part.kvs.iter().map(of).sum(), 0),
            _ => return,
        };
        self.bytes = self.bytes.saturating_add(u64::try_from(size).unwrap_or(u64::MAX));
        self.left = left;
    }

    fn words(self, s: &Strings) -> Option<String> {
        let size = |count: u64| bytes(i64::try_from(count).unwrap_or(i64::MAX));
        let whole = match self.left {
            0 => String::new(),
            left => size(self.bytes.saturating_add(left)),
        };
        (self.bytes > 0).then(|| s.run_received.of(&size(self.bytes), &whole))
    }
}

impl Tab {
    /// What stands under the running command; nothing if none runs.
    #[must_use]
    pub fn running_words(&self, now: Millis, cluster: &Cluster, s: &Strings) -> String {
        let Some(run) = &self.run else { return String::new() };
        let ran_ms = now.since(self.began);
        let mut words = vec![match run {
            Run::Wait { condition, .. } => s.run_wait.of(&condition.to_string()),
            Run::Command(command) => command.doing(cluster, s),
            Run::Change => s.change_works.of(&self.running_line),
        }];
        if let Run::Command(command) = run {
            words.extend(command.received.words(s));
        }
        if ran_ms >= QUICK_MS {
            words.push(s.seconds.whole(ran_ms));
        }
        if ran_ms >= LONG_MS {
            words.push(s.run_stop.to_owned());
        }
        words.join(" · ")
    }
}

impl Command {
    fn doing(&self, cluster: &Cluster, s: &Strings) -> String {
        if self.execution.awaits_program() {
            return s.run_program.to_owned();
        }
        if let Some((_, is_restore)) = self.files.values().next() {
            return if *is_restore { s.run_restore } else { s.run_file }.to_owned();
        }
        let members = |kind: CallKind| {
            let calls = self.calls.values().filter(|call| call.kind == kind);
            let name = |call: &Call| match call.member {
                SECOND => s.second_about.to_owned(),
                member => cluster.name(member),
            };
            let mut names: Vec<String> = calls.map(name).collect();
            names.dedup();
            (!names.is_empty()).then(|| names.join(s.list_gap))
        };
        if let Some(names) = members(CallKind::Watch) {
            return s.run_watch.of(&names);
        }
        if self.execution.reads_stdin() {
            return s.run_stdin.to_owned();
        }
        members(CallKind::Request).map_or_else(|| s.running.to_owned(), |it| s.run_asks.of(&it))
    }
}
