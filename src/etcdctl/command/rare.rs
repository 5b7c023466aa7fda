//! The commands that a newcomer does not type in the first minutes: a table of what runs them.
//!
//! What it is: the only way from a row of `table` to their code, so that a program that does not ask [`run_of`] is
//! built without them; the page is one, and has them in a program of their own (see `away`).
//! What it is not: what decides where a command runs, which is the shell's.
//! Invariants: a [`Rare`] without code does not compile.

use super::{
    Run, alarm, auth, check, completion, defrag, downgrade, elect, endpoint_hashkv,
    lease_keep_alive, lock, make_mirror, member, move_leader, options, role, snapshot, user,
};

macro_rules! rare {
    ($($name:ident = $run:path;)*) => {
        /// One of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Rare {
            $($name,)*
        }

        /// What runs it.
        pub(crate) fn run_of(rare: Rare) -> Run {
            match rare {
                $(Rare::$name => $run,)*
            }
        }
    };
}

rare! {
    AlarmDisarm = alarm::disarm;
    AlarmList = alarm::list;
    Defrag = defrag::new;
    EndpointHashkv = endpoint_hashkv::new;
    MoveLeader = move_leader::new;
    LeaseKeepAlive = lease_keep_alive::new;
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
}
