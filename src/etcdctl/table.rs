//! The one table of commands and flags: parsing, help and completion all read it.
//!
//! What it is: every command and flag of etcdctl 3.7.1, with what runs it.
//! What it is not: behaviour; a row without a `run` is a group.
//! Invariants: the order is etcdctl's own, because suggestions are printed in it; flag names are unique within a
//! command and everything it inherits.
//! Source: recorded usage lines and flags of etcdctl 3.7.1; descriptions are our own words.

use crate::etcdctl::command::rare::Rare;
use crate::etcdctl::command::{self, Run};
use crate::etcdctl::flags::FlagKind::{Bool, Duration, Int, List, Text, Uint};
use crate::etcdctl::flags::FlagSpec;

use Operand::{Endpoint, Free, Key, Lease, Member, Permission, Role, Shell, User};

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

/// What an argument is, so that it can be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A key, perhaps as the end of a range.
    Key,
    /// The id of a member, in hexadecimal.
    Member,
    /// The id of a lease, in hexadecimal.
    Lease,
    /// The name of a user.
    User,
    /// The name of a role.
    Role,
    /// What may be done with keys: `read`, `write`, `readwrite`.
    Permission,
    /// The name of a shell.
    Shell,
    /// The address of a member.
    Endpoint,
    /// The name of a command.
    Command,
    /// Anything that cannot be known.
    Free,
}

impl Operand {
    /// The words that it may be, where these are always the same.
    #[must_use]
    pub const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Permission => &["read", "readwrite", "write"],
            Self::Shell => &["bash", "fish", "powershell", "zsh"],
            Self::Key
            | Self::Member
            | Self::Lease
            | Self::User
            | Self::Role
            | Self::Endpoint
            | Self::Command
            | Self::Free => &[],
        }
    }
}

/// What runs a command.
#[derive(Clone, Copy)]
pub(crate) enum Runs {
    /// Every program that has the table has this, too.
    Here(Run),
    /// Some do not; see `rare`.
    Rare(Rare),
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
    /// What its arguments are, in order.
    pub operands: &'static [Operand],
    /// Lines that show how it is used, without the word `etcdctl`.
    pub examples: &'static [&'static str],
    pub(crate) run: Option<Runs>,
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
            operands: &[],
            examples: &[],
            run: None,
        }
    }

    pub(crate) const fn run(mut self, run: Run) -> Self {
        self.run = Some(Runs::Here(run));
        self
    }

    pub(crate) const fn rare(mut self, rare: Rare) -> Self {
        self.run = Some(Runs::Rare(rare));
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

    pub(crate) const fn operands(mut self, operands: &'static [Operand]) -> Self {
        self.operands = operands;
        self
    }

    pub(crate) const fn examples(mut self, examples: &'static [&'static str]) -> Self {
        self.examples = examples;
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
        .values(&["simple", "fields", "json", "protobuf", "table"])
        .default("simple"),
    flag("hex", Bool, "print bytes and ids in hexadecimal"),
    flag("dial-timeout", Duration, "how long a login may take; nothing else is dialled here")
        .default("2s"),
    flag("command-timeout", Duration, "how long a command may take, streams aside").default("5s"),
    flag("keepalive-time", Duration, "there are no connections here").ignored().default("2s"),
    flag("keepalive-timeout", Duration, "there are no connections here").ignored().default("6s"),
    flag("max-request-bytes", Int, "largest request sent; 0 means 2 MiB"),
    flag("max-recv-bytes", Int, "largest answer taken; 0 means any"),
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
        .operands(&[Key, Key])
        .examples(&["get foo", "get app/ --prefix -w json", "get foo --rev=3"])
        .flags(&[
            flag(
                "consistency",
                Text,
                "l: the newest state, through a quorum; s: what the member has",
            )
            .values(&["l", "s"])
            .default("l"),
            flag("order", Text, "ASCEND or DESCEND; unset means by key, ascending")
                .values(&["ASCEND", "DESCEND"]),
            flag("sort-by", Text, "CREATE, KEY, MODIFY, VALUE or VERSION")
                .values(&["CREATE", "KEY", "MODIFY", "VALUE", "VERSION"]),
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
        .operands(&[Key, Free])
        .examples(&["put foo bar", "put foo bar --lease=694d9a1c2b3f4e5a", "echo bar | put foo"])
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
        .operands(&[Key, Key])
        .examples(&["del foo", "del app/ --prefix --prev-kv", "del a c --range"])
        .flags(&[
            flag("prefix", Bool, "every key that begins with <key>"),
            flag("prev-kv", Bool, "print what was deleted"),
            flag("from-key", Bool, "every key from <key> on"),
            flag("range", Bool, "a range is meant: do not wait before deleting it"),
        ]),
        CommandSpec::new("txn", "[options] [flags]", "several operations in one, on conditions")
            .rare(Rare::Txn)
            .examples(&["txn -i"])
            .flags(&[flag("interactive", Bool, "ask for each part").short('i')]),
        CommandSpec::new(
            "compaction",
            "[options] <revision> [flags]",
            "forget history before a revision",
        )
        .run(command::compaction::new)
        .operands(&[Free])
        .examples(&["compaction 5", "compaction 5 --physical"])
        .flags(&[flag("physical", Bool, "answer only when the space is free")]),
        CommandSpec::new("alarm", "", "alarms that members raised")
            .section(Section::Cluster)
            .commands(&[
                CommandSpec::new("disarm", "[flags]", "lift every alarm")
                    .rare(Rare::AlarmDisarm)
                    .examples(&["alarm disarm"]),
                CommandSpec::new("list", "[flags]", "show the alarms")
                    .rare(Rare::AlarmList)
                    .examples(&["alarm list -w json"]),
            ]),
        CommandSpec::new("defrag", "[flags]", "give free space back")
            .section(Section::Cluster)
            .rare(Rare::Defrag)
            .examples(&["defrag", "defrag --cluster"])
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
                .run(command::endpoint_health::new)
                .examples(&["endpoint health --cluster"]),
                CommandSpec::new(
                    "status",
                    "[flags]",
                    "role, term, index and size of each endpoint",
                )
                .run(command::endpoint_status::new)
                .examples(&["endpoint status -w table"]),
                CommandSpec::new("hashkv", "[flags]", "hash over the keys of each endpoint")
                    .rare(Rare::EndpointHashkv)
                    .examples(&["endpoint hashkv --cluster", "endpoint hashkv --rev=5"])
                    .flags(&[flag(
                        "rev",
                        Int,
                        "hash the keys up to this revision; 0 means the newest",
                    )]),
            ]),
        CommandSpec::new("move-leader", "<transferee-member-id> [flags]", "hand leadership over")
            .section(Section::Cluster)
            .rare(Rare::MoveLeader)
            .operands(&[Member])
            .examples(&["move-leader 9e737febb6b99eee"]),
        CommandSpec::new(
            "watch",
            "[options] [key or prefix] [range_end] [--] [exec-command arg1 arg2 ...] [flags]",
            "print changes as they happen",
        )
        .run(command::watch::new)
        .operands(&[Key, Key])
        .examples(&["watch foo", "watch app/ --prefix --rev=1", "watch -i"])
        .flags(&[
            flag("interactive", Bool, "read watch requests from standard input").short('i'),
            flag("prefix", Bool, "every key that begins with <key>"),
            flag("rev", Int, "from this revision on; 0 means from now"),
            flag("prev-kv", Bool, "also print what the key held before"),
            flag("progress-notify", Bool, "print a line now and then when nothing changes"),
        ]),
        CommandSpec::new("version", "[flags]", "the version of etcd whose behaviour this is")
            .section(Section::Tool)
            .run(command::version::new)
            .examples(&["version"]),
        CommandSpec::new("lease", "", "keys that go away by themselves")
            .section(Section::Coordination)
            .commands(&[
                CommandSpec::new("grant", "<ttl> [flags]", "make a lease")
                    .rare(Rare::LeaseGrant)
                    .operands(&[Free])
                    .examples(&["lease grant 60"]),
                CommandSpec::new("revoke", "<leaseID> [flags]", "end a lease and delete its keys")
                    .rare(Rare::LeaseRevoke)
                    .operands(&[Lease])
                    .examples(&["lease revoke 694d9a1c2b3f4e5a"]),
                CommandSpec::new(
                    "timetolive",
                    "<leaseID> [options] [flags]",
                    "time left on a lease",
                )
                .rare(Rare::LeaseTimeToLive)
                .operands(&[Lease])
                .examples(&["lease timetolive 694d9a1c2b3f4e5a --keys"])
                .flags(&[flag("keys", Bool, "also list its keys")]),
                CommandSpec::new("list", "[flags]", "every lease")
                    .rare(Rare::LeaseList)
                    .examples(&["lease list"]),
                CommandSpec::new(
                    "keep-alive",
                    "[options] <leaseID> [flags]",
                    "keep a lease from expiring",
                )
                .rare(Rare::LeaseKeepAlive)
                .operands(&[Lease])
                .examples(&[
                    "lease keep-alive 694d9a1c2b3f4e5a",
                    "lease keep-alive --once 694d9a1c2b3f4e5a",
                ])
                .flags(&[flag("once", Bool, "once, not again and again")]),
            ]),
        CommandSpec::new("member", "", "who belongs to the cluster")
            .section(Section::Cluster)
            .commands(&[
                CommandSpec::new("add", "<memberName> [options] [flags]", "add a member")
                    .rare(Rare::MemberAdd)
                    .operands(&[Free])
                    .examples(&[
                        "member add infra4 --peer-urls=http://127.0.0.1:42380",
                        "member add infra4 --learner --peer-urls=http://127.0.0.1:42380",
                    ])
                    .flags(&[
                        flag("peer-urls", Text, "where its peers reach it, separated by commas"),
                        flag("learner", Bool, "it receives the log but does not vote"),
                    ]),
                CommandSpec::new("remove", "<memberID> [flags]", "remove a member")
                    .rare(Rare::MemberRemove)
                    .operands(&[Member])
                    .examples(&["member remove 9e737febb6b99eee"]),
                CommandSpec::new(
                    "update",
                    "<memberID> [options] [flags]",
                    "change where a member is reached",
                )
                .rare(Rare::MemberUpdate)
                .operands(&[Member])
                .examples(&["member update 9e737febb6b99eee --peer-urls=http://127.0.0.1:42380"])
                .flags(&[flag(
                    "peer-urls",
                    Text,
                    "where its peers reach it, separated by commas",
                )]),
                CommandSpec::new("list", "[flags]", "every member")
                    .run(command::member_list::new)
                    .examples(&["member list -w table"])
                    .flags(&[flag(
                        "consistency",
                        Text,
                        "l: through a quorum; s: what the member has",
                    )
                    .values(&["l", "s"])
                    .default("l")]),
                CommandSpec::new("promote", "<memberID> [flags]", "let a learner vote")
                    .rare(Rare::MemberPromote)
                    .operands(&[Member])
                    .examples(&["member promote 9e737febb6b99eee"]),
            ]),
        CommandSpec::new("snapshot", "", "copies of a member's data")
            .section(Section::Cluster)
            .commands(&[CommandSpec::new("save", "<filename> [flags]", "write one to a file")
                .rare(Rare::SnapshotSave)
                .operands(&[Free])
                .examples(&["snapshot save backup.db --endpoints=127.0.0.1:12379"])]),
        CommandSpec::new(
            "make-mirror",
            "[options] <destination> [flags]",
            "copy keys to another cluster",
        )
        .section(Section::Cluster)
        .rare(Rare::MakeMirror)
        .operands(&[Endpoint])
        .examples(&["make-mirror 127.0.0.1:42379 --prefix=app/"])
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
        .rare(Rare::Lock)
        .operands(&[Key])
        .examples(&["lock printer", "lock printer --ttl=30"])
        .flags(&[flag("ttl", Int, "seconds after which a silent holder loses it").default("10")]),
        CommandSpec::new("elect", "<election-name> [proposal] [flags]", "take part in an election")
            .section(Section::Coordination)
            .rare(Rare::Elect)
            .operands(&[Key, Free])
            .examples(&["elect boss alice", "elect -l boss"])
            .flags(&[flag("listen", Bool, "only watch who leads").short('l')]),
        CommandSpec::new("auth", "", "switch access control").section(Section::Access).commands(&[
            CommandSpec::new("enable", "[flags]", "switch it on")
                .rare(Rare::AuthEnable)
                .examples(&["auth enable"]),
            CommandSpec::new("disable", "[flags]", "switch it off")
                .rare(Rare::AuthDisable)
                .examples(&["auth disable --user=root:secret"]),
            CommandSpec::new("status", "[flags]", "whether it is on")
                .rare(Rare::AuthStatus)
                .examples(&["auth status"]),
        ]),
        USER,
        ROLE,
        CommandSpec::new("check", "", "measure a cluster").section(Section::Cluster).commands(&[
            CommandSpec::new("perf", "[options] [flags]", "how fast it is")
                .rare(Rare::CheckPerf)
                .examples(&["check perf --load=s"])
                .flags(&[
                    flag("load", Text, "s, m, l or xl").values(&["s", "m", "l", "xl"]).default("s"),
                    flag("prefix", Text, "where the test keys go").default("/etcdctl-check-perf/"),
                    flag("auto-compact", Bool, "compact afterwards"),
                    flag("auto-defrag", Bool, "defragment afterwards"),
                ]),
            CommandSpec::new("datascale", "[options] [flags]", "how much memory data takes")
                .rare(Rare::CheckDatascale)
                .examples(&["check datascale --load=s"])
                .flags(&[
                    flag("load", Text, "s, m, l or xl").values(&["s", "m", "l", "xl"]).default("s"),
                    flag("prefix", Text, "where the test keys go")
                        .default("/etcdctl-check-datascale/"),
                    flag("auto-compact", Bool, "compact afterwards"),
                    flag("auto-defrag", Bool, "defragment afterwards"),
                ]),
        ]),
        CommandSpec::new("completion", "[bash|zsh|fish|powershell]", "a script for a shell")
            .section(Section::Tool)
            .rare(Rare::Completion)
            .operands(&[Shell])
            .examples(&["completion bash"]),
        CommandSpec::new("downgrade", "", "go back to an older version")
            .section(Section::Cluster)
            .commands(&[
                CommandSpec::new("validate", "<TARGET_VERSION> [flags]", "whether it would work")
                    .rare(Rare::DowngradeValidate)
                    .operands(&[Free])
                    .examples(&["downgrade validate 3.6"]),
                CommandSpec::new("enable", "<TARGET_VERSION> [flags]", "begin")
                    .rare(Rare::DowngradeEnable)
                    .operands(&[Free])
                    .examples(&["downgrade enable 3.6"]),
                CommandSpec::new("cancel", "[flags]", "stop")
                    .rare(Rare::DowngradeCancel)
                    .examples(&["downgrade cancel"]),
            ]),
        CommandSpec::new("options", "[flags]", "the flags of every command")
            .section(Section::Tool)
            .rare(Rare::Options)
            .examples(&["options"]),
        CommandSpec::new(HELP_COMMAND, "[command]", "the help page of a command")
            .section(Section::Tool)
            .run(command::answered_by_the_parser)
            .operands(&[Operand::Command])
            .examples(&["help get", "help endpoint status"]),
    ]);

/// The command that the parser answers itself.
pub(crate) const HELP_COMMAND: &str = "help";

const USER: CommandSpec =
    CommandSpec::new("user", "", "who may use the cluster").section(Section::Access).commands(&[
        CommandSpec::new("add", "<user name or user:password> [options] [flags]", "add a user")
            .rare(Rare::UserAdd)
            .operands(&[Free])
            .examples(&["user add alice", "user add alice --new-user-password=secret"])
            .flags(&[
                flag("interactive", Bool, "ask for the password").default("true"),
                flag("new-user-password", Text, "the password"),
                flag("no-password", Bool, "the user has none"),
            ]),
        CommandSpec::new("delete", "<user name> [flags]", "remove a user")
            .rare(Rare::UserDelete)
            .operands(&[User])
            .examples(&["user delete alice"]),
        CommandSpec::new("get", "<user name> [options] [flags]", "the roles of a user")
            .rare(Rare::UserGet)
            .operands(&[User])
            .examples(&["user get alice --detail"])
            .flags(&[flag("detail", Bool, "and what they allow")]),
        CommandSpec::new("list", "[flags]", "every user")
            .rare(Rare::UserList)
            .examples(&["user list"]),
        CommandSpec::new("passwd", "<user name> [options] [flags]", "change a password")
            .rare(Rare::UserPasswd)
            .operands(&[User])
            .examples(&["user passwd alice"])
            .flags(&[flag("interactive", Bool, "ask for the password").default("true")]),
        CommandSpec::new("grant-role", "<user name> <role name> [flags]", "give a user a role")
            .rare(Rare::UserGrantRole)
            .operands(&[User, Role])
            .examples(&["user grant-role alice reader"]),
        CommandSpec::new(
            "revoke-role",
            "<user name> <role name> [flags]",
            "take a role from a user",
        )
        .rare(Rare::UserRevokeRole)
        .operands(&[User, Role])
        .examples(&["user revoke-role alice reader"]),
    ]);

const ROLE: CommandSpec =
    CommandSpec::new("role", "", "what users may do").section(Section::Access).commands(&[
        CommandSpec::new("add", "<role name> [flags]", "add a role")
            .rare(Rare::RoleAdd)
            .operands(&[Free])
            .examples(&["role add reader"]),
        CommandSpec::new("delete", "<role name> [flags]", "remove a role")
            .rare(Rare::RoleDelete)
            .operands(&[Role])
            .examples(&["role delete reader"]),
        CommandSpec::new("get", "<role name> [flags]", "what a role allows")
            .rare(Rare::RoleGet)
            .operands(&[Role])
            .examples(&["role get reader"]),
        CommandSpec::new("list", "[flags]", "every role")
            .rare(Rare::RoleList)
            .examples(&["role list"]),
        CommandSpec::new(
            "grant-permission",
            "[options] <role name> <permission type> <key> [endkey] [flags]",
            "let a role use keys",
        )
        .rare(Rare::RoleGrantPermission)
        .operands(&[Role, Permission, Key, Key])
        .examples(&["role grant-permission reader read app/ --prefix"])
        .flags(&[
            flag("prefix", Bool, "every key that begins with <key>"),
            flag("from-key", Bool, "every key from <key> on"),
        ]),
        CommandSpec::new(
            "revoke-permission",
            "<role name> <key> [endkey] [flags]",
            "keep a role from using keys",
        )
        .rare(Rare::RoleRevokePermission)
        .operands(&[Role, Key, Key])
        .examples(&["role revoke-permission reader app/ --prefix"])
        .flags(&[
            flag("prefix", Bool, "every key that begins with <key>"),
            flag("from-key", Bool, "every key from <key> on"),
        ]),
    ]);

#[cfg(test)]
mod tests;
