//! The one table of commands and flags: parsing, help and completion all read it.
//!
//! What it is: every command and flag of etcdctl 3.7.1, with what runs it.
//! What it is not: behaviour; a row without a `run` is a group.
//! Invariants: the order is etcdctl's own, because suggestions are printed in it; flag names are unique within a
//! command and everything it inherits.
//! Source: recorded usage lines and flags of etcdctl 3.7.1; descriptions are our own words.

use crate::etcdctl::command::{self, Run};
use crate::etcdctl::flags::FlagKind::{Bool, Duration, Int, List, Text, Uint};
use crate::etcdctl::flags::FlagSpec;

/// The sections of the first help page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Reading and writing keys.
    Keys,
    /// The members, together and one by one.
    Cluster,
    /// Users, roles and rights.
    Access,
    /// Leases, locks and elections.
    Coordination,
    /// About etcdctl itself.
    Tool,
}

impl Section {
    /// Every section, in the order of the help page.
    pub const ALL: [Self; 5] =
        [Self::Keys, Self::Cluster, Self::Access, Self::Coordination, Self::Tool];

    /// Its heading.
    #[must_use]
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Keys => "Keys and values",
            Self::Cluster => "Members and maintenance",
            Self::Access => "Users and rights",
            Self::Coordination => "Leases, locks, elections",
            Self::Tool => "About etcdctl",
        }
    }
}

/// One command, or a group of commands.
pub struct CommandSpec {
    /// The word that names it.
    pub name: &'static str,
    /// What may follow the name, as in a usage line; empty for a group.
    pub arguments: &'static str,
    /// What it does, in half a sentence.
    pub about: &'static str,
    /// Where the first help page lists it.
    pub section: Section,
    /// Its own flags.
    pub flags: &'static [FlagSpec],
    /// Flags that its subcommands have as well.
    pub inherited: &'static [FlagSpec],
    /// Its subcommands.
    pub commands: &'static [Self],
    pub(crate) run: Option<Run>,
}

impl CommandSpec {
    pub(crate) const fn new(
        name: &'static str,
        arguments: &'static str,
        about: &'static str,
    ) -> Self {
        Self {
            name,
            arguments,
            about,
            section: Section::Keys,
            flags: &[],
            inherited: &[],
            commands: &[],
            run: None,
        }
    }

    pub(crate) const fn run(mut self, run: Run) -> Self {
        self.run = Some(run);
        self
    }

    pub(crate) const fn flags(mut self, flags: &'static [FlagSpec]) -> Self {
        self.flags = flags;
        self
    }

    pub(crate) const fn inherited(mut self, inherited: &'static [FlagSpec]) -> Self {
        self.inherited = inherited;
        self
    }

    pub(crate) const fn commands(mut self, commands: &'static [Self]) -> Self {
        self.commands = commands;
        self
    }

    pub(crate) const fn section(mut self, section: Section) -> Self {
        self.section = section;
        self
    }
}

/// The flag that every command has and that none lists.
pub static HELP_FLAG: FlagSpec = FlagSpec::new("help", Bool, "show this page").short('h');

const fn flag(
    name: &'static str,
    kind: crate::etcdctl::flags::FlagKind,
    about: &'static str,
) -> FlagSpec {
    FlagSpec::new(name, kind, about)
}

/// Flags of every command.
pub static GLOBAL_FLAGS: &[FlagSpec] = &[
    flag("endpoints", List, "the members to talk to, tried in this order")
        .default("127.0.0.1:2379"),
    flag("debug", Bool, "nothing to show here").ignored(),
    flag("write-out", Text, "how to print: simple, fields, json, protobuf or table")
        .short('w')
        .default("simple"),
    flag("hex", Bool, "print bytes and ids in hexadecimal"),
    flag("dial-timeout", Duration, "how long a login may take; nothing else is dialled here")
        .default("2s"),
    flag("command-timeout", Duration, "how long a command may take, streams aside").default("5s"),
    flag("keepalive-time", Duration, "there are no connections here").ignored().default("2s"),
    flag("keepalive-timeout", Duration, "there are no connections here").ignored().default("6s"),
    flag("max-request-bytes", Int, "largest request sent; 0 means 2 MiB"),
    flag("max-recv-bytes", Int, "answers have no limit here").ignored(),
    flag("insecure-transport", Bool, "there is no transport security here")
        .ignored()
        .default("true"),
    flag("insecure-discovery", Bool, "there is no discovery here").ignored().default("true"),
    flag("insecure-skip-tls-verify", Bool, "there is no transport security here").ignored(),
    flag("cert", Text, "there is no transport security here").ignored(),
    flag("key", Text, "there is no transport security here").ignored(),
    flag("cacert", Text, "there is no transport security here").ignored(),
    flag("auth-jwt-token", Text, "what stands for a user without a login"),
    flag("user", Text, "who asks: a name, or name:password"),
    flag("password", Text, "that user's password"),
    flag("discovery-srv", Text, "there is no discovery here").ignored().short('d'),
    flag("discovery-srv-name", Text, "there is no discovery here").ignored(),
];

/// `etcdctl` itself: the root of the table.
pub static ROOT: CommandSpec = CommandSpec::new("etcdctl", "", "the command line of etcd")
    .section(Section::Tool)
    .inherited(GLOBAL_FLAGS)
    .commands(&[
        CommandSpec::new(
            "get",
            "[options] <key> [range_end] [flags]",
            "read a key or a range of keys",
        )
        .run(command::get::new)
        .flags(&[
            flag(
                "consistency",
                Text,
                "l: the newest state, through a quorum; s: what the member has",
            )
            .default("l"),
            flag("order", Text, "ASCEND or DESCEND; unset means by key, ascending"),
            flag("sort-by", Text, "CREATE, KEY, MODIFY, VALUE or VERSION"),
            flag("limit", Int, "at most so many keys; 0 means all"),
            flag("prefix", Bool, "every key that begins with <key>"),
            flag("from-key", Bool, "every key from <key> on"),
            flag("rev", Int, "as it was at this revision; 0 means now"),
            flag("keys-only", Bool, "leave the values out"),
            flag("count-only", Bool, "only the number of keys; needs -w fields"),
            flag("print-value-only", Bool, "only the values; needs -w simple"),
            flag("min-create-rev", Int, "leave out keys created before this revision"),
            flag("max-create-rev", Int, "leave out keys created after this revision"),
            flag("min-mod-rev", Int, "leave out keys last written before this revision"),
            flag("max-mod-rev", Int, "leave out keys last written after this revision"),
            flag("stream", Bool, "ask for the answer in pieces; it looks the same"),
        ]),
        CommandSpec::new(
            "put",
            "[options] <key> <value> (<value> can also be given from stdin) [flags]",
            "write a key",
        )
        .run(command::put::new)
        .flags(&[
            flag("lease", Text, "lease to attach the key to, in hexadecimal").default("0"),
            flag("prev-kv", Bool, "print what the key held before"),
            flag("ignore-value", Bool, "keep the value the key has"),
            flag("ignore-lease", Bool, "keep the lease the key has"),
        ]),
        CommandSpec::new(
            "del",
            "[options] <key> [range_end] [flags]",
            "delete a key or a range of keys",
        )
        .run(command::del::new)
        .flags(&[
            flag("prefix", Bool, "every key that begins with <key>"),
            flag("prev-kv", Bool, "print what was deleted"),
            flag("from-key", Bool, "every key from <key> on"),
            flag("range", Bool, "a range is meant: do not wait before deleting it"),
        ]),
        CommandSpec::new("txn", "[options] [flags]", "several operations in one, on conditions")
            .run(command::txn::new)
            .flags(&[flag("interactive", Bool, "ask for each part").short('i')]),
        CommandSpec::new(
            "compaction",
            "[options] <revision> [flags]",
            "forget history before a revision",
        )
        .run(command::compaction::new)
        .flags(&[flag("physical", Bool, "answer only when the space is free")]),
        CommandSpec::new("alarm", "", "alarms that members raised")
            .section(Section::Cluster)
            .commands(&[
                CommandSpec::new("disarm", "[flags]", "lift every alarm")
                    .run(command::alarm::disarm),
                CommandSpec::new("list", "[flags]", "show the alarms").run(command::alarm::list),
            ]),
        CommandSpec::new("defrag", "[flags]", "give free space back")
            .section(Section::Cluster)
            .run(command::defrag::new)
            .flags(&[flag("cluster", Bool, "every member of the cluster, not only the endpoints")]),
        CommandSpec::new("endpoint", "", "what each member says of itself")
            .section(Section::Cluster)
            .inherited(&[flag(
                "cluster",
                Bool,
                "every member of the cluster, not only the endpoints",
            )])
            .commands(&[
                CommandSpec::new(
                    "health",
                    "[flags]",
                    "whether each endpoint can serve a quorum read",
                )
                .run(command::endpoint_health::new),
                CommandSpec::new(
                    "status",
                    "[flags]",
                    "role, term, index and size of each endpoint",
                )
                .run(command::endpoint_status::new),
                CommandSpec::new("hashkv", "[flags]", "hash over the keys of each endpoint")
                    .run(command::endpoint_hashkv::new)
                    .flags(&[flag(
                        "rev",
                        Int,
                        "hash the keys up to this revision; 0 means the newest",
                    )]),
            ]),
        CommandSpec::new("move-leader", "<transferee-member-id> [flags]", "hand leadership over")
            .section(Section::Cluster)
            .run(command::move_leader::new),
        CommandSpec::new(
            "watch",
            "[options] [key or prefix] [range_end] [--] [exec-command arg1 arg2 ...] [flags]",
            "print changes as they happen",
        )
        .run(command::watch::new)
        .flags(&[
            flag("interactive", Bool, "read watch requests from standard input").short('i'),
            flag("prefix", Bool, "every key that begins with <key>"),
            flag("rev", Int, "from this revision on; 0 means from now"),
            flag("prev-kv", Bool, "also print what the key held before"),
            flag("progress-notify", Bool, "print a line now and then when nothing changes"),
        ]),
        CommandSpec::new("version", "[flags]", "the version of etcd whose behaviour this is")
            .section(Section::Tool)
            .run(command::version::new),
        CommandSpec::new("lease", "", "keys that go away by themselves")
            .section(Section::Coordination)
            .commands(&[
                CommandSpec::new("grant", "<ttl> [flags]", "make a lease")
                    .run(command::lease::grant),
                CommandSpec::new("revoke", "<leaseID> [flags]", "end a lease and delete its keys")
                    .run(command::lease::revoke),
                CommandSpec::new(
                    "timetolive",
                    "<leaseID> [options] [flags]",
                    "time left on a lease",
                )
                .run(command::lease::time_to_live)
                .flags(&[flag("keys", Bool, "also list its keys")]),
                CommandSpec::new("list", "[flags]", "every lease").run(command::lease::list),
                CommandSpec::new(
                    "keep-alive",
                    "[options] <leaseID> [flags]",
                    "keep a lease from expiring",
                )
                .run(command::lease_keep_alive::new)
                .flags(&[flag("once", Bool, "once, not again and again")]),
            ]),
        CommandSpec::new("member", "", "who belongs to the cluster")
            .section(Section::Cluster)
            .commands(&[
                CommandSpec::new("add", "<memberName> [options] [flags]", "add a member")
                    .run(command::member::add)
                    .flags(&[
                        flag("peer-urls", Text, "where its peers reach it, separated by commas"),
                        flag("learner", Bool, "it receives the log but does not vote"),
                    ]),
                CommandSpec::new("remove", "<memberID> [flags]", "remove a member")
                    .run(command::member::remove),
                CommandSpec::new(
                    "update",
                    "<memberID> [options] [flags]",
                    "change where a member is reached",
                )
                .run(command::member::update)
                .flags(&[flag(
                    "peer-urls",
                    Text,
                    "where its peers reach it, separated by commas",
                )]),
                CommandSpec::new("list", "[flags]", "every member")
                    .run(command::member_list::new)
                    .flags(&[flag(
                        "consistency",
                        Text,
                        "l: through a quorum; s: what the member has",
                    )
                    .default("l")]),
                CommandSpec::new("promote", "<memberID> [flags]", "let a learner vote")
                    .run(command::member::promote),
            ]),
        CommandSpec::new("snapshot", "", "copies of a member's data")
            .section(Section::Cluster)
            .commands(&[CommandSpec::new("save", "<filename> [flags]", "write one to a file")
                .run(command::snapshot::save)]),
        CommandSpec::new(
            "make-mirror",
            "[options] <destination> [flags]",
            "copy keys to another cluster",
        )
        .section(Section::Cluster)
        .run(command::make_mirror::new)
        .flags(&[
            flag("prefix", Text, "only keys that begin with this"),
            flag("rev", Int, "start at this revision"),
            flag("max-txn-ops", Uint, "most operations in one write").default("128"),
            flag("dest-prefix", Text, "put this in place of the prefix"),
            flag("no-dest-prefix", Bool, "put nothing in place of the prefix"),
            flag("dest-cert", Text, "there is no transport security here").ignored(),
            flag("dest-key", Text, "there is no transport security here").ignored(),
            flag("dest-cacert", Text, "there is no transport security here").ignored(),
            flag("dest-insecure-transport", Bool, "there is no transport security here")
                .ignored()
                .default("true"),
            flag("dest-user", Text, "user at the destination"),
            flag("dest-password", Text, "password at the destination"),
        ]),
        CommandSpec::new(
            "lock",
            "<lockname> [exec-command arg1 arg2 ...] [flags]",
            "hold a named lock",
        )
        .section(Section::Coordination)
        .run(command::lock::new)
        .flags(&[flag("ttl", Int, "seconds after which a silent holder loses it").default("10")]),
        CommandSpec::new("elect", "<election-name> [proposal] [flags]", "take part in an election")
            .section(Section::Coordination)
            .run(command::elect::new)
            .flags(&[flag("listen", Bool, "only watch who leads").short('l')]),
        CommandSpec::new("auth", "", "switch access control").section(Section::Access).commands(&[
            CommandSpec::new("enable", "[flags]", "switch it on").run(command::auth::enable),
            CommandSpec::new("disable", "[flags]", "switch it off").run(command::auth::disable),
            CommandSpec::new("status", "[flags]", "whether it is on").run(command::auth::status),
        ]),
        USER,
        ROLE,
        CommandSpec::new("check", "", "measure a cluster").section(Section::Cluster).commands(&[
            CommandSpec::new("perf", "[options] [flags]", "how fast it is")
                .run(command::check::perf)
                .flags(&[
                    flag("load", Text, "s, m, l or xl").default("s"),
                    flag("prefix", Text, "where the test keys go").default("/etcdctl-check-perf/"),
                    flag("auto-compact", Bool, "compact afterwards"),
                    flag("auto-defrag", Bool, "defragment afterwards"),
                ]),
            CommandSpec::new("datascale", "[options] [flags]", "how much memory data takes")
                .run(command::check::datascale)
                .flags(&[
                    flag("load", Text, "s, m, l or xl").default("s"),
                    flag("prefix", Text, "where the test keys go")
                        .default("/etcdctl-check-datascale/"),
                    flag("auto-compact", Bool, "compact afterwards"),
                    flag("auto-defrag", Bool, "defragment afterwards"),
                ]),
        ]),
        CommandSpec::new("completion", "[bash|zsh|fish|powershell]", "a script for a shell")
            .section(Section::Tool)
            .run(command::completion::new),
        CommandSpec::new("downgrade", "", "go back to an older version")
            .section(Section::Cluster)
            .commands(&[
                CommandSpec::new("validate", "<TARGET_VERSION> [flags]", "whether it would work")
                    .run(command::downgrade::validate),
                CommandSpec::new("enable", "<TARGET_VERSION> [flags]", "begin")
                    .run(command::downgrade::enable),
                CommandSpec::new("cancel", "[flags]", "stop").run(command::downgrade::cancel),
            ]),
        CommandSpec::new("options", "[flags]", "the flags of every command")
            .section(Section::Tool)
            .run(command::options::new),
        CommandSpec::new(HELP_COMMAND, "[command]", "the help page of a command")
            .section(Section::Tool)
            .run(command::answered_by_the_parser),
    ]);

/// The command that the parser answers itself.
pub(crate) const HELP_COMMAND: &str = "help";

const USER: CommandSpec =
    CommandSpec::new("user", "", "who may use the cluster").section(Section::Access).commands(&[
        CommandSpec::new("add", "<user name or user:password> [options] [flags]", "add a user")
            .run(command::user::add)
            .flags(&[
                flag("interactive", Bool, "ask for the password").default("true"),
                flag("new-user-password", Text, "the password"),
                flag("no-password", Bool, "the user has none"),
            ]),
        CommandSpec::new("delete", "<user name> [flags]", "remove a user")
            .run(command::user::delete),
        CommandSpec::new("get", "<user name> [options] [flags]", "the roles of a user")
            .run(command::user::get)
            .flags(&[flag("detail", Bool, "and what they allow")]),
        CommandSpec::new("list", "[flags]", "every user").run(command::user::list),
        CommandSpec::new("passwd", "<user name> [options] [flags]", "change a password")
            .run(command::user::passwd)
            .flags(&[flag("interactive", Bool, "ask for the password").default("true")]),
        CommandSpec::new("grant-role", "<user name> <role name> [flags]", "give a user a role")
            .run(command::user::grant_role),
        CommandSpec::new(
            "revoke-role",
            "<user name> <role name> [flags]",
            "take a role from a user",
        )
        .run(command::user::revoke_role),
    ]);

const ROLE: CommandSpec =
    CommandSpec::new("role", "", "what users may do").section(Section::Access).commands(&[
        CommandSpec::new("add", "<role name> [flags]", "add a role").run(command::role::add),
        CommandSpec::new("delete", "<role name> [flags]", "remove a role")
            .run(command::role::delete),
        CommandSpec::new("get", "<role name> [flags]", "what a role allows")
            .run(command::role::get),
        CommandSpec::new("list", "[flags]", "every role").run(command::role::list),
        CommandSpec::new(
            "grant-permission",
            "[options] <role name> <permission type> <key> [endkey] [flags]",
            "let a role use keys",
        )
        .run(command::role::grant_permission)
        .flags(&[
            flag("prefix", Bool, "every key that begins with <key>"),
            flag("from-key", Bool, "every key from <key> on"),
        ]),
        CommandSpec::new(
            "revoke-permission",
            "<role name> <key> [endkey] [flags]",
            "keep a role from using keys",
        )
        .run(command::role::revoke_permission)
        .flags(&[
            flag("prefix", Bool, "every key that begins with <key>"),
            flag("from-key", Bool, "every key from <key> on"),
        ]),
    ]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::etcdctl::flags::FlagValues;

    fn each(spec: &'static CommandSpec, path: &str, inherited: &[&'static FlagSpec]) {
        let mut flags: Vec<&'static FlagSpec> = inherited.to_vec();
        flags.extend(spec.inherited);
        let below = flags.clone();
        flags.extend(spec.flags);
        let mut names: Vec<&str> = flags.iter().map(|flag| flag.name).collect();
        let shorts = flags.iter().filter_map(|flag| flag.short).count();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), flags.len(), "{path}: a flag stands twice");
        let mut letters: Vec<char> = flags.iter().filter_map(|flag| flag.short).collect();
        letters.sort_unstable();
        letters.dedup();
        assert_eq!(letters.len(), shorts, "{path}: a letter stands twice");
        // Asserts that every default can be read.
        let _ = FlagValues::defaults(&flags);
        assert_eq!(spec.run.is_none(), !spec.commands.is_empty(), "{path}: runs or groups");
        assert!(!spec.about.is_empty());
        for command in spec.commands {
            each(command, &format!("{path} {}", command.name), &below);
        }
    }

    #[test]
    fn every_row_is_sound() {
        each(&ROOT, "etcdctl", &[&HELP_FLAG]);
    }

    #[test]
    fn rows_equal_what_etcdctl_3_7_1_lists() {
        let recorded = include_str!("../../tests/corpus/commands-and-flags.json");
        let recorded: serde_json::Value = serde_json::from_str(recorded).unwrap();
        let recorded = recorded.as_object().unwrap();
        assert!(recorded.len() > 60);
        for (path, entry) in recorded {
            if path.ends_with("snapshot status") || path.ends_with("snapshot restore") {
                continue; // They left etcdctl; what was recorded is the page of `snapshot`.
            }
            let mut spec = &ROOT;
            let mut inherited: Vec<&FlagSpec> = Vec::new();
            for name in path.split(' ').skip(1) {
                inherited.extend(spec.inherited);
                spec = spec.commands.iter().find(|c| c.name == name).expect(path);
            }
            let own = spec.flags.iter().chain(spec.inherited).chain(inherited);
            let mut own: Vec<&FlagSpec> = own.filter(|flag| !GLOBAL_FLAGS.contains(flag)).collect();
            own.sort_by_key(|flag| flag.name);
            let mut listed = entry["flags"].as_array().unwrap().clone();
            listed.sort_by_key(|flag| flag["name"].as_str().unwrap().to_owned());
            assert_eq!(own.len(), listed.len(), "{path}");
            for (ours, theirs) in own.iter().zip(&listed) {
                assert_eq!(ours.name, theirs["name"].as_str().unwrap(), "{path}");
                let short = theirs["short"].as_str().and_then(|short| short.chars().next());
                assert_eq!(ours.short, short, "{path} {}", ours.name);
                let kind = match ours.kind {
                    Bool => "bool",
                    other => other.word(),
                };
                assert_eq!(kind, theirs["type"].as_str().unwrap(), "{path} {}", ours.name);
                let default = theirs["default"].as_str().map(|text| text.trim_matches('"'));
                let unset = FlagSpec::new("", ours.kind, "").default;
                assert_eq!(ours.default, default.unwrap_or(unset), "{path} {}", ours.name);
            }
            let usage = entry["usage"].as_str().unwrap();
            let rest = if spec.commands.is_empty() { spec.arguments } else { "[command]" };
            assert_eq!(format!("{path} {rest}"), usage);
        }
    }
}
