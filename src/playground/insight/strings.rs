//! Every text of the program `insight`, in one typed table per language.
//!
//! What it is: [`InsightStrings`], whose fields are texts or functions that put values into a text, and its values [`EN`] and
//! `ZH`.
//! What it is not: the page's own texts, which the first visit loads.
//! Invariants: a language is one value of [`InsightStrings`]; a missing text is a compile error; functions get values
//! that are escaped already.

use super::commands_zh::Phrase;
use super::exact::ExactGroup;
use super::history_strings::{self, HistoryStrings};
use crate::playground::strings::{HeldStrings, Language};

macro_rules! table {
    ($($name:ident: $kind:ty = $english:expr;)*) => {
        /// All texts of the program in one language.
        #[derive(Debug)]
        pub struct InsightStrings {
            $(
                #[doc = concat!("In English: ", stringify!($english))]
                pub $name: $kind,
            )*
        }

        /// English.
        pub static EN: InsightStrings = InsightStrings { $($name: $english,)* };
    };
}

type Text = &'static str;
type Number = fn(u64) -> String;
type Numbers = fn(u64, u64) -> String;
type Name = fn(&str) -> String;
type NameNumber = fn(&str, u64) -> String;

table! {
    // The reference of commands.
    commands_title: Text = "Commands";
    commands_hint: Text = "Every command with its flags: the pages that --help prints in the console.";
    commands_filter: Text = "Filter commands";
    commands_choose: Text = "Choose a command to see its page.";
    commands_none: Text = "No command contains this.";
    commands_examples: Text = "Put an example into the console";
    commands_phrases: &'static [Phrase] = &[];
    // Members.
    leader: Text = "leader";
    follower: Text = "follower";
    candidate: Text = "candidate";
    pre_candidate: Text = "pre-candidate";
    learner: Text = "learner";
    voter: Text = "voter";
    down: Text = "down";
    paused: Text = "paused";
    cut_off: Text = "cut off";
    removed: Text = "removed";
    reachable: Text = "reachable";

    // Watches and leases.
    held: &'static HeldStrings = HeldStrings::of(Language::English);
    // Why?
    why: &'static super::why::WhyStrings = &super::why::EN;
    // The catalogue of errors.
    errors: &'static super::errors::ErrorStrings = &super::errors::EN;

    // The log.
    log_title: Text = "Logs of all members, side by side";
    log_waiting: Text = "Waiting for a member to tell its log.";
    log_index: Text = "index";
    log_hint: Text = "Every row is one place in the log. Where two members hold different terms at the same place, one of them will throw its entry away.";
    log_follow: Text = "Newest";
    log_state_memory: Text = "in memory";
    log_state_durable: Text = "on disk";
    log_state_committed: Text = "committed";
    log_state_applied: Text = "applied";
    log_state_snapshot: Text = "in the snapshot";
    log_state_unknown: Text = "being read";
    log_absent: Text = "nothing here";
    log_conflict: Text = "another term than elsewhere";
    log_match: Text = "match";
    log_next: Text = "next";
    log_begins: Number = |index| format!("begins at {index}");
    log_peer: Numbers = |matched, next| format!("match {matched} · next {next}");
    log_numbers: Numbers = |commit, applied| format!("commit {commit} · applied {applied}");
    log_term: Number = |term| format!("term {term}");
    log_place: NameNumber = |name, index| format!("{name}, index {index}");
    log_stale: Text = "as last heard";
    log_show_key: Text = "Show this key";
    log_close: Text = "Close";

    // What an entry says.
    entry_empty: Text = "(empty)";
    entry_empty_hint: Text = "the first entry of a new leader: it changes no key";
    entry_put: fn(&str, &str) -> String = |key, size| format!("put {key} ({size})");
    entry_lease: Name = |lease| format!(" lease {lease}");
    entry_delete: Name = |key| format!("del {key}");
    entry_delete_range: Name = |key| format!("del {key} and more");
    entry_txn: fn(u64, u64, u64) -> String = |compares, success, failure| {
        if failure == 0 {
            format!("txn if {compares}: {success}")
        } else {
            format!("txn if {compares}: {success}, else {failure}")
        }
    };
    entry_compaction: Name = |revision| format!("compaction {revision}");
    entry_lease_grant: fn(&str, &str) -> String = |lease, ttl| format!("lease grant {lease} ({ttl} s)");
    entry_lease_revoke: Name = |lease| format!("lease revoke {lease}");
    entry_lease_checkpoint: Text = "lease checkpoint";
    entry_alarm: Text = "alarm";
    entry_auth: Text = "auth";
    entry_downgrade: Text = "downgrade";
    entry_publish: Name = |name| format!("{name} tells its addresses");
    entry_add: Name = |name| format!("member add {name}");
    entry_add_learner: Name = |name| format!("member add --learner {name}");
    entry_promote: Name = |name| format!("member promote {name}");
    entry_remove: Name = |name| format!("member remove {name}");
    entry_update: Name = |name| format!("member update {name}");
    entry_joint: Text = "joint configuration";
    entry_unreadable: Text = "cannot be read";
    kind_normal: Text = "normal";
    kind_config: Text = "configuration";
    kind_empty: Text = "empty";

    // The clocks.
    clocks_title: Text = "Three clocks: time, Raft, revision";
    clocks_hint: Text = "Each column is one thing that happened. A filled mark: this clock moved. A ring: it stood still.";
    clocks_empty: Text = "Nothing has happened since this page was opened. Put a key, or kill the leader.";
    clock_time: Text = "Time";
    clock_raft: Text = "Raft: term · index";
    clock_revision: Text = "Store revision";
    clock_moved: Text = "moved";
    clock_stood: Text = "stood still";
    clock_unknown: Text = "somewhere between the neighbours";
    clock_since: Number = |ms| format!("+{}.{} s", ms / 1_000, ms % 1_000 / 100);
    clocks_ruler: Text = "The same on a scale of time";
    clocks_older: Number = |count| format!("{count} older ones are not shown");
    clocks_keys: Text = "Left and right go from one to the next, Home and End to the ends.";
    moment_leader: NameNumber = |name, term| format!("{name} became leader of term {term}");
    moment_leader_any: Number = |term| format!("a leader began term {term}");
    moment_campaign: NameNumber = |name, term| format!("{name} asks for votes in term {term}");
    moment_quorum_lost: Name = |name| format!("{name} stepped down: it does not hear from a majority");
    moment_stepped: Name = |name| format!("{name} stepped down");
    moment_snapshot: fn(&str, &str) -> String = |name, from| format!("{name} took a snapshot from {from}");
    moment_down: Name = |name| format!("{name} went down");
    moment_started: Name = |name| format!("{name} starts from its disk");
    moment_paused: Name = |name| format!("{name} was paused");
    moment_resumed: Name = |name| format!("{name} goes on");
    moment_links: Number = |count| match count {
        0 => "every link is open".to_owned(),
        1 => "1 direction is cut".to_owned(),
        count => format!("{count} directions are cut"),
    };
    moment_entry: Name = |entry| entry.to_owned();
    wrote_index: Number = |index| format!("index {index} was written");
    same_index: Text = "nothing was written to the log";
    new_revision: fn(i64, i64) -> String = |before, after| format!("the revision went from {before} to {after}");
    same_revision: fn(i64) -> String = |revision| format!("the revision stayed {revision}");
    unknown_revision: fn(i64) -> String = |revision| format!("whether it made a new revision is not known here; a little later it was {revision}");
    sentence: fn(&str, &str, &str) -> String = |what, raft, revision| format!("{what}: {raft}, {revision}.");

    // The history.
    history: &'static HistoryStrings = &history_strings::EN;

    // The quorum.
    quorum_title: Text = "What a set of members can do";
    quorum_hint: Text = "Choose who can be reached, and see what the cluster could still do.";
    quorum_waiting: Text = "Waiting for a member to tell the configuration.";
    quorum_members: Text = "Reachable members";
    quorum_real: Text = "This is how it is now.";
    quorum_thought: Text = "This is only a thought: the cluster runs on as it is.";
    quorum_back: Text = "As it is now";
    quorum_elect: Text = "Elect a leader";
    quorum_commit: Text = "Commit a write";
    quorum_read: Text = "Read linearizably";
    quorum_serializable: Text = "Read serializably";
    quorum_spare: Text = "Lose one more";
    colon: Text = ": ";
    comma: Text = ", ";
    yes: Text = "yes";
    no: Text = "no";
    needs: Numbers = |needed, of| format!("needs {needed} of {of}");
    has: Number = |count| format!("has {count}");
    needs_both: fn(&str, &str) -> String = |new, old| format!("of the new voters: {new}; of the old: {old}");
    needs_one: Number = |count| format!("needs any 1 member, has {count}; what it says may be old");
    spare_keeps: Numbers = |left, needed| format!("{left} would be left, {needed} are needed");
    spare_none: Text = "there is no majority to begin with";
    learners_do_not_count: Text = "A learner receives the log but counts for no majority.";
    joint_now: Text = "The configuration is a joint one: both halves need a majority.";
    vote_note: Text = "Who is elected must hold every committed entry, too.";

    // The messages.
    messages: &'static super::MessageStrings = &super::message_strings::EN;

    // What is exact.
    exact_title: Text = "What is exact, simplified or absent";
    exact_exact: Text = "Exact";
    exact_simplified: Text = "Simplified or done otherwise";
    exact_absent: Text = "Absent";
    suites_title: Text = "Tests that passed for this version";
    suites_loading: Text = "Fetching the counts.";
    suites_failed: Name = |reason| format!("The counts cannot be fetched: {reason}.");
    suite_name: Text = "suite";
    suite_passed: Text = "passed";
    suite_failed: Text = "failed";
    suite_of: Text = "of";
    differences: &'static [(ExactGroup, &'static str)] = super::exact::DIFFERENCES;
}
