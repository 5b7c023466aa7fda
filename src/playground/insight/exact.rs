//! What is exact, what is simplified, what is absent; and the counts of the suites that say so.
//!
//! What it is: one sentence per difference, from the list in `architecture.md`, and the view of it.
//! What it is not: a place where a difference is decided.
//! Invariants: every sentence is true of this version; counts come from the run that wrote `www/suites.json`.

use ExactGroup::{Absent, Exact, Simplified};

use super::strings::InsightStrings;

/// How near something is to etcd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExactGroup {
    /// As etcd does it.
    Exact,
    /// Done, and otherwise.
    Simplified,
    /// Not there.
    Absent,
}

/// One suite of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    /// Its name.
    pub suite: String,
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests that there are.
    pub of: u64,
}

/// What is exact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExactView {
    /// The groups with their sentences.
    pub groups: Vec<(&'static str, Vec<&'static str>)>,
    /// The suites; nothing while they are fetched; or why not.
    pub suites: Option<Result<Vec<Suite>, String>>,
}

pub(super) fn view(suites: Option<&Result<Vec<Suite>, String>>, s: &InsightStrings) -> ExactView {
    let groups =
        [(Exact, s.exact_exact), (Simplified, s.exact_simplified), (Absent, s.exact_absent)];
    let of_group = |group: ExactGroup| {
        let sentences = s.differences.iter().filter(|(it, _)| *it == group);
        sentences.map(|(_, sentence)| *sentence).collect()
    };
    let groups = groups.into_iter().map(|(group, title)| (title, of_group(group))).collect();
    ExactView { groups, suites: suites.cloned() }
}

/// The list in English. Source: `architecture.md`, "Where we differ from etcd on purpose".
pub(super) const DIFFERENCES: &[(ExactGroup, &str)] = &[
    (
        Exact,
        "Raft: elections, PreVote, CheckQuorum, replication, ReadIndex, snapshots, joint configurations and leader transfer run as in etcd's own library, and are held against recorded scripts.",
    ),
    (
        Exact,
        "Every answer waits for the disk: an entry is durable on a majority before it is acknowledged, and IndexedDB writes with strict durability.",
    ),
    (
        Exact,
        "Revisions, versions, transactions, ranges, compaction and HashKV give etcd's numbers.",
    ),
    (
        Exact,
        "Watches see every event once and in order, resume from any revision that is not compacted, and are fragmented, filtered and canceled as in etcd.",
    ),
    (
        Exact,
        "Leases count in the leader's ticks, survive a change of leader, and take their keys with them.",
    ),
    (
        Exact,
        "Users, roles, permissions and tokens are checked in the same places with the same errors.",
    ),
    (
        Exact,
        "Errors carry etcd's texts and codes; etcdctl prints what etcdctl 3.7.1 prints, byte by byte, in every recorded case.",
    ),
    (Exact, "Member ids, the cluster id and lease ids are made as etcd makes them."),
    (
        Simplified,
        "A from-key delete counts as the range it deletes when duplicate keys in a transaction are looked for; 3.7.1 takes it for an empty range.",
    ),
    (
        Simplified,
        "There is no list of victims: a watch whose stream has 128 queued responses becomes unsynced and reads on from the store.",
    ),
    (Simplified, "HashKV leaves superseded rows out even while a compaction is under way."),
    (Simplified, "A compaction that a crash interrupted is finished when the member starts."),
    (
        Simplified,
        "A compaction asked for as physical is answered once its rows are gone, with the revision at which it was applied.",
    ),
    (
        Simplified,
        "After a promotion no second sees more expiries of leases than three quarters of the revoke rate.",
    ),
    (
        Simplified,
        "A message of a peer that contradicts itself is refused with an error where etcd panics.",
    ),
    (
        Simplified,
        "Configuration changes stand in the log as postcard, not as protobuf; nobody else reads it.",
    ),
    (Simplified, "A leader that is alone postpones reads until it has committed in its term."),
    (
        Simplified,
        "Linearizable reads that wait while the leader changes are asked again by the member itself.",
    ),
    (Simplified, "An entry that removes the only voter is refused; etcd's members crash on it."),
    (Simplified, "A proposal without a leader waits until there is one or its client gives up."),
    (
        Simplified,
        "A downgrade is a note in the log and in the status; the engine behaves as one version only.",
    ),
    (Simplified, "A hash check between members compares without a quorum read of its own."),
    (
        Simplified,
        "Members that check their data at the start answer later what clients ask meanwhile; etcd has not opened its ports yet.",
    ),
    (
        Simplified,
        "Files of snapshots have a format of their own; the size of the database is counted in pages as bbolt would.",
    ),
    (Simplified, "Endpoints are tried in order, and a write that was sent is never sent again."),
    (Simplified, "Network errors say what happened to the member instead of a TCP message."),
    (Simplified, "Help texts are our own words with etcd's flags."),
    (
        Simplified,
        "The database's quota is 16 MiB here, so that running out of space takes a minute to see.",
    ),
    (
        Simplified,
        "Slow motion (speed 1/10), and a cluster without CheckQuorum, do not exist in etcd.",
    ),
    (
        Absent,
        "Ports: no program outside this page can reach the cluster, and there is no TLS and no gRPC.",
    ),
    (
        Absent,
        "Commands that would start a program (lock name command, watch -- command) are refused with a sentence.",
    ),
    (Absent, "The v2 API, the gRPC gateway, gRPC proxy and DNS discovery."),
    (Absent, "Files of a real etcd: snapshots of bbolt cannot be opened or written."),
    (Absent, "JWT tokens and client certificates; simple tokens are there."),
];
