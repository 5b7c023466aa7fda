//! The table of `etcdutl`: what may be done with snapshot files.
//!
//! What it is: the rows of etcdutl 3.7.1 that make sense without a data directory.
//! Invariants: as those of `table`.
//! Source: recorded answers of etcdutl 3.7.1; descriptions are our own words.

use crate::etcdctl::command::{self, rare::Rare};
use crate::etcdctl::flags::FlagKind::{Bool, Int, Text, Uint};
use crate::etcdctl::flags::FlagSpec;
use crate::etcdctl::table::{CommandSpec, HELP_COMMAND, Section};

static FLAGS: &[FlagSpec] =
    &[FlagSpec::new("write-out", Text, "how to print: simple, fields, json, protobuf or table")
        .short('w')
        .values(&["simple", "fields", "json", "protobuf", "table"])
        .default("simple")];

static RESTORE_FLAGS: &[FlagSpec] = &[
    FlagSpec::new("data-dir", Text, "under which name the new cluster's data is kept"),
    FlagSpec::new("wal-dir", Text, "the log is kept with the data here").ignored(),
    FlagSpec::new("initial-cluster", Text, "the new cluster's members: name=url,name=url")
        .default("default=http://localhost:2380"),
    FlagSpec::new("initial-cluster-token", Text, "sets clusters with the same members apart")
        .default("etcd-cluster"),
    FlagSpec::new("initial-advertise-peer-urls", Text, "where the member's peers reach it")
        .default("http://localhost:2380"),
    FlagSpec::new("name", Text, "which of the members the data is for").default("default"),
    FlagSpec::new("skip-hash-check", Bool, "take a file without a digest, or with a wrong one"),
    FlagSpec::new("initial-memory-map-size", Uint, "nothing is mapped here").ignored(),
    FlagSpec::new("bump-revision", Uint, "add this to the revision"),
    FlagSpec::new("mark-compacted", Bool, "forget all history; goes with --bump-revision"),
];

static DEFRAG_FLAGS: &[FlagSpec] =
    &[FlagSpec::new("data-dir", Text, "whose data: that of a member that does not run")];

static HASHKV_FLAGS: &[FlagSpec] = &[FlagSpec::new("rev", Int, "up to which revision")];

/// `etcdutl` itself.
pub static ROOT: CommandSpec = CommandSpec::new("etcdutl", "", "works on snapshot files")
    .section(Section::Tool)
    .inherited(FLAGS)
    .commands(&[
        CommandSpec::new("defrag", "[flags]", "packs the data of a member that does not run")
            .section(Section::Tool)
            .flags(DEFRAG_FLAGS)
            .rare(Rare::UtlDefrag),
        CommandSpec::new("hashkv", "<filename> [flags]", "the hash of a database file")
            .section(Section::Tool)
            .flags(HASHKV_FLAGS)
            .rare(Rare::UtlHashkv),
        CommandSpec::new("snapshot", "", "snapshot files").commands(&[
            CommandSpec::new(
                "restore",
                "<filename> --data-dir {output dir} [options] [flags]",
                "make a new cluster's data from one",
            )
            .rare(Rare::SnapshotRestore)
            .flags(RESTORE_FLAGS),
            CommandSpec::new("status", "<filename> [flags]", "what one holds")
                .rare(Rare::SnapshotStatus),
        ]),
        CommandSpec::new("version", "[flags]", "the version of etcd whose behaviour this is")
            .section(Section::Tool)
            .rare(Rare::SnapshotUtlVersion),
        CommandSpec::new(HELP_COMMAND, "[command]", "the help page of a command")
            .section(Section::Tool)
            .run(command::answered_by_the_parser),
    ]);
