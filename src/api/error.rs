//! Errors of the client API: etcd's exact text and gRPC code, in one table.
//!
//! What it is: everything a member can refuse with. What it is not: failures between client and
//! member (a dead endpoint, a timeout), which are the client's to word.
//! Invariants: `Display` is byte for byte what etcd sends; a new error is a new row.
//! Source: etcd `api/v3rpc/rpctypes/error.go`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A gRPC status code, of those etcd uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Code {
    /// `Canceled`
    Canceled,
    /// `Unknown`
    Unknown,
    /// `InvalidArgument`
    InvalidArgument,
    /// `DeadlineExceeded`
    DeadlineExceeded,
    /// `NotFound`
    NotFound,
    /// `PermissionDenied`
    PermissionDenied,
    /// `ResourceExhausted`
    ResourceExhausted,
    /// `FailedPrecondition`
    FailedPrecondition,
    /// `OutOfRange`
    OutOfRange,
    /// `Unavailable`
    Unavailable,
    /// `DataLoss`
    DataLoss,
    /// `Unauthenticated`
    Unauthenticated,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident => $code:ident, $text:literal;)*) => {
        /// What a member refuses a request with.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Error {
            $($(#[$doc])* $name,)*
        }

        impl Error {
            /// Every error, in the table's order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The gRPC status code.
            #[must_use]
            pub const fn code(self) -> Code {
                match self {
                    $(Self::$name => Code::$code,)*
                }
            }

            /// The text after "rpc error: code = … desc = ".
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

errors! {
    /// A key was empty.
    EmptyKey => InvalidArgument, "etcdserver: key is not provided";
    /// `ignore_value` or `ignore_lease` on a key that does not exist.
    KeyNotFound => InvalidArgument, "etcdserver: key not found";
    /// A value together with `ignore_value`.
    ValueProvided => InvalidArgument, "etcdserver: value is provided";
    /// A lease together with `ignore_lease`.
    LeaseProvided => InvalidArgument, "etcdserver: lease is provided";
    /// More operations than `max-txn-ops`.
    TooManyOps => InvalidArgument, "etcdserver: too many operations in txn request";
    /// Two writes of one key in one transaction.
    DuplicateKey => InvalidArgument, "etcdserver: duplicate key given in txn request";
    /// A sort order or target that does not exist.
    InvalidSortOption => InvalidArgument, "etcdserver: invalid sort option";
    /// The revision has been compacted.
    Compacted => OutOfRange, "etcdserver: mvcc: required revision has been compacted";
    /// The revision does not exist yet.
    FutureRev => OutOfRange, "etcdserver: mvcc: required revision is a future revision";
    /// The quota is used up.
    NoSpace => ResourceExhausted, "etcdserver: mvcc: database space exceeded";
    /// The lease does not exist.
    LeaseNotFound => NotFound, "etcdserver: requested lease not found";
    /// The lease id is taken.
    LeaseExist => FailedPrecondition, "etcdserver: lease already exists";
    /// The TTL is over 9,000,000,000 s.
    LeaseTtlTooLarge => OutOfRange, "etcdserver: too large lease TTL";
    /// A watch with a taken id. As the next one it is no status: a watch is told the bare text as the reason of its end, from
    /// which a client can make no code but `Unknown`.
    WatchDuplicateId => Unknown, "mvcc: duplicate watch ID provided on the WatchStream";
    /// A watch whose range is empty.
    WatchEmptyRange => Unknown, "mvcc: watcher range is empty";
    /// The member id is taken.
    MemberExist => FailedPrecondition, "etcdserver: member ID already exist";
    /// A peer URL is taken.
    PeerUrlExist => FailedPrecondition, "etcdserver: Peer URLs already exists";
    /// The change would leave too few started members.
    MemberNotEnoughStarted => FailedPrecondition, "etcdserver: re-configuration failed due to not enough started members";
    /// A URL that cannot be parsed.
    MemberBadUrls => InvalidArgument, "etcdserver: given member URLs are invalid";
    /// No such member.
    MemberNotFound => NotFound, "etcdserver: member not found";
    /// Only learners can be promoted.
    MemberNotLearner => FailedPrecondition, "etcdserver: can only promote a learner member";
    /// The learner is too far behind.
    LearnerNotReady => FailedPrecondition, "etcdserver: can only promote a learner member which is in sync with leader";
    /// `max-learners` reached.
    TooManyLearners => FailedPrecondition, "etcdserver: too many learner members in cluster";
    /// The request is over `max-request-bytes`.
    RequestTooLarge => InvalidArgument, "etcdserver: request is too large";
    /// Too many unapplied proposals.
    TooManyRequests => ResourceExhausted, "etcdserver: too many requests";
    /// Auth is on and no root user exists.
    RootUserNotExist => FailedPrecondition, "etcdserver: root user does not exist";
    /// The root user lacks the root role.
    RootRoleNotExist => FailedPrecondition, "etcdserver: root user does not have root role";
    /// The user exists.
    UserAlreadyExist => FailedPrecondition, "etcdserver: user name already exists";
    /// The user name is empty.
    UserEmpty => InvalidArgument, "etcdserver: user name is empty";
    /// The user does not exist.
    UserNotFound => FailedPrecondition, "etcdserver: user name not found";
    /// The role exists.
    RoleAlreadyExist => FailedPrecondition, "etcdserver: role name already exists";
    /// The role does not exist.
    RoleNotFound => FailedPrecondition, "etcdserver: role name not found";
    /// The role name is empty.
    RoleEmpty => InvalidArgument, "etcdserver: role name is empty";
    /// Wrong user or password.
    AuthFailed => InvalidArgument, "etcdserver: authentication failed, invalid user ID or password";
    /// The user may not do that.
    PermissionDenied => PermissionDenied, "etcdserver: permission denied";
    /// The role is not granted to the user.
    RoleNotGranted => FailedPrecondition, "etcdserver: role is not granted to the user";
    /// The permission is not granted to the role.
    PermissionNotGranted => FailedPrecondition, "etcdserver: permission is not granted to the role";
    /// Auth is off.
    AuthNotEnabled => FailedPrecondition, "etcdserver: authentication is not enabled";
    /// The token is unknown.
    InvalidAuthToken => Unauthenticated, "etcdserver: invalid auth token";
    /// The auth store changed since the request was made.
    AuthOldRevision => InvalidArgument, "etcdserver: revision of auth store is old";
    /// There is no leader.
    NoLeader => Unavailable, "etcdserver: no leader";
    /// The member does not lead.
    NotLeader => FailedPrecondition, "etcdserver: not leader";
    /// The leader changed while the request waited.
    LeaderChanged => Unavailable, "etcdserver: leader changed";
    /// The request is not supported in this state.
    NotCapable => FailedPrecondition, "etcdserver: not capable";
    /// The member is stopping.
    Stopped => Unavailable, "etcdserver: server stopped";
    /// The request took longer than the server waits.
    Timeout => Unavailable, "etcdserver: request timed out";
    /// As `Timeout`, and the leader was probably lost on the way.
    TimeoutDueToLeaderFail => Unavailable, "etcdserver: request timed out, possibly due to previous leader failure";
    /// As `Timeout`, and this member is cut off.
    TimeoutDueToConnectionLost => Unavailable, "etcdserver: request timed out, possibly due to connection lost";
    /// As `Timeout`, while waiting for applied entries.
    TimeoutWaitAppliedIndex => Unavailable, "etcdserver: request timed out, waiting for the applied index took too long";
    /// Too few healthy members for the change.
    Unhealthy => Unavailable, "etcdserver: unhealthy cluster";
    /// The member's data is damaged.
    Corrupt => DataLoss, "etcdserver: corrupt cluster";
    /// The transferee is not a voter.
    BadLeaderTransferee => FailedPrecondition, "etcdserver: bad leader transferee";
    /// Learners do not serve that.
    NotSupportedForLearner => FailedPrecondition, "etcdserver: rpc not supported for learner";
    /// A downgrade target that is no version.
    WrongDowngradeVersionFormat => InvalidArgument, "etcdserver: wrong downgrade target version format";
    /// Not the version before the cluster's.
    InvalidDowngradeTargetVersion => InvalidArgument, "etcdserver: invalid downgrade target version";
    /// A downgrade is under way already.
    DowngradeInProcess => FailedPrecondition, "etcdserver: cluster has a downgrade job in progress";
    /// A keep-alive at a member that does not look after the leases (any more).
    NotPrimary => Unknown, "not a primary lessor";
    /// Not allowed for root while auth is on, or a permission over an empty range.
    InvalidAuthMgmt => InvalidArgument, "etcdserver: invalid auth management";
    /// A password for a user that has none; etcd never gave it a gRPC error, so the inner text shows.
    NoPasswordUser => Unknown, "auth: authentication failed, password was given for no password user";
    /// The password is longer than bcrypt takes; the text is the hash library's.
    PasswordTooLong => Unknown, "bcrypt: password length exceeds 72 bytes";
    /// A grant without a permission.
    PermissionNotGiven => InvalidArgument, "etcdserver: permission not given";
    /// The leader takes no proposals, since it hands its office over; etcd never gave it a gRPC error either.
    ProposalDropped => Unknown, "raft proposal dropped";
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for Error {}
