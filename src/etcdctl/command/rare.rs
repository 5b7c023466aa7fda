//! What a newcomer does not type in the first minutes: commands, and formats and limits of the others.
//!
//! What it is: [`PARTS`], the only way from everything else to their code, so that a program that does not name it is
//! built without them; the page is one, and has them in a program of their own (see `away`).
//! What it is not: what decides where a line runs, which is the shell's ([`is_rare`] aside).
//! Invariants: a [`Rare`] without code does not compile; where there are no [`Parts`], no line comes that needs them.

use crate::api::Response;
use crate::etcdctl::flags::FlagValues;
use crate::etcdctl::parser::Path;
use crate::etcdctl::printer::{self, Answer, Printed, Style};

use super::{
    Run, alarm, auth, check, completion, defrag, downgrade, elect, endpoint_hashkv, lease,
    lease_keep_alive, lock, make_mirror, member, move_leader, options, role, snapshot, txn, user,
    watch_interactive,
};

macro_rules! rare {
    ($($name:ident = $run:path;)*) => {
        /// One of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Rare {
            $($name,)*
        }

        /// What runs it.
        fn run_of(rare: Rare) -> Run {
            match rare {
                $(Rare::$name => $run,)*
            }
        }
    };
}

/// All of it.
#[derive(Debug)]
pub(crate) struct Parts {
    /// What runs a command.
    pub(crate) run_of: fn(Rare) -> Run,
    /// Prints the answers of other commands in the formats that are rare.
    pub(crate) print: fn(Style, Answer<'_>) -> Printed,
    /// How large an answer is on etcd's wire.
    pub(crate) answer_size: fn(&Response) -> Option<u64>,
}

pub(crate) static PARTS: Parts =
    Parts { run_of, print: printer::rare, answer_size: printer::answer_size };

/// The largest answer that is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerLimit {
    pub(crate) bytes: u64,
    pub(crate) size: fn(&Response) -> Option<u64>,
}

/// Whether flags make a line of any command rare.
pub(crate) fn is_rare(path: &Path, flags: &FlagValues) -> bool {
    let is_interactive = || path.command().flags.iter().any(|flag| flag.name == "interactive");
    ["fields", "json", "protobuf"].contains(&flags.text("write-out"))
        || flags.int("max-recv-bytes") != 0
        || (is_interactive() && flags.bool("interactive"))
}

rare! {
    AlarmDisarm = alarm::disarm;
    AlarmList = alarm::list;
    Defrag = defrag::new;
    EndpointHashkv = endpoint_hashkv::new;
    MoveLeader = move_leader::new;
    LeaseGrant = lease::grant;
    LeaseRevoke = lease::revoke;
    LeaseTimeToLive = lease::time_to_live;
    LeaseList = lease::list;
    LeaseKeepAlive = lease_keep_alive::new;
    Txn = txn::new;
    WatchInteractive = watch_interactive::new;
    MemberAdd = member::add;
    MemberRemove = member::remove;
    MemberUpdate = member::update;
    MemberPromote = member::promote;
    SnapshotSave = snapshot::save;
    MakeMirror = make_mirror::new;
    Lock = lock::new;
    Elect = elect::new;
    AuthEnable = auth::enable;
    AuthDisable = auth::disable;
    AuthStatus = auth::status;
    UserAdd = user::add;
    UserDelete = user::delete;
    UserGet = user::get;
    UserList = user::list;
    UserPasswd = user::passwd;
    UserGrantRole = user::grant_role;
    UserRevokeRole = user::revoke_role;
    RoleAdd = role::add;
    RoleDelete = role::delete;
    RoleGet = role::get;
    RoleList = role::list;
    RoleGrantPermission = role::grant_permission;
    RoleRevokePermission = role::revoke_permission;
    CheckPerf = check::perf;
    CheckDatascale = check::datascale;
    Completion = completion::new;
    DowngradeValidate = downgrade::validate;
    DowngradeEnable = downgrade::enable;
    DowngradeCancel = downgrade::cancel;
    Options = options::new;
    SnapshotRestore = snapshot::restore;
    SnapshotStatus = snapshot::status;
    SnapshotUtlVersion = snapshot::utl_version;
    UtlDefrag = snapshot::utl_defrag;
    UtlHashkv = snapshot::utl_hashkv;
}
