//! Why something cannot be done to a cluster now.
//!
//! What it is: [`Cannot`], typed, and [`Reason`], its words, in English and in Chinese.
//! What it is not: an error of etcd's or etcdctl's, whose texts stay as they are.
//! Invariants: the two languages have the same values in them.

use std::fmt;

use crate::scenario::words::{put_in, wordings};

wordings! {
    /// The sentences.
    Reason {
        /// No member has this name; so many members there are.
        NoMember: "there is no {0}: the cluster has {1} member(s)", "没有 {0}：集群有 {1} 个成员";
        /// Nobody leads.
        NoLeader: "there is no leader at the moment", "当前没有 leader";
        /// Nobody who does not lead runs.
        NoFollower: "no follower is running", "没有正在运行的 follower";
        /// Everybody is up.
        NoneDown: "no member is down", "没有停止的成员";
        /// Nobody is cut off.
        NoneIsolated: "no member is isolated", "没有被隔离的成员";
        /// All are meant where one has to be.
        NotAll: "one member is expected here, not all", "这里只能指定一个成员，不能用 all";
        /// Nobody runs.
        NoneRuns: "no member is running", "没有正在运行的成员";
        /// Nobody is frozen.
        NonePaused: "no member is paused", "没有已暂停的成员";
        /// There is nobody.
        NoneThere: "no member is there", "集群中没有成员";
        /// This member does not run.
        NotRunning: "{0} is not running", "{0} 没有在运行";
        /// It is not frozen.
        NotPaused: "{0} is not paused", "{0} 没有暂停";
        /// It is no member.
        NotThere: "{0} is not there", "集群中没有 {0}";
        /// This member shall be both ends of a link.
        OwnLink: "{0} has no link to itself", "{0} 与自己之间没有链路";
        /// No lease was granted.
        NoLease: "no lease was granted", "还没有申请过 lease";
        /// This member has no address for clients.
        NoClients: "{0} serves no clients", "{0} 没有面向客户端的地址";
        /// There is nothing that this variable of a console line could stand for.
        Variable: "${0}: {1}", "${0}：{1}";
    }
}

/// A state that members have to be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It runs.
    Running,
    /// It is frozen.
    Paused,
    /// It is a member.
    There,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cannot {
    /// A sentence without values.
    Because(Reason),
    /// No member has this name; so many members there are.
    NoMember(String, usize),
    /// A sentence about this member.
    Member(Reason, String),
    /// There is nothing that this variable of a console line could stand for.
    Variable(&'static str, Box<Self>),
}

impl State {
    /// Nobody is in it.
    pub(super) const fn nobody(self) -> Cannot {
        Cannot::Because(match self {
            Self::Running => Reason::NoneRuns,
            Self::Paused => Reason::NonePaused,
            Self::There => Reason::NoneThere,
        })
    }

    /// This member is not.
    pub(super) const fn not(self, name: String) -> Cannot {
        let reason = match self {
            Self::Running => Reason::NotRunning,
            Self::Paused => Reason::NotPaused,
            Self::There => Reason::NotThere,
        };
        Cannot::Member(reason, name)
    }
}

impl Cannot {
    /// In the language of a table of [`Reason`].
    #[must_use]
    pub fn told(&self, table: &[&'static str]) -> String {
        match self {
            Self::Because(reason) => reason.of(table).to_owned(),
            Self::NoMember(name, count) => {
                put_in(Reason::NoMember.of(table), &[name, &count.to_string()])
            }
            Self::Member(reason, name) => put_in(reason.of(table), &[name]),
            Self::Variable(name, why) => {
                put_in(Reason::Variable.of(table), &[name, &why.told(table)])
            }
        }
    }

    /// In Chinese.
    #[must_use]
    pub fn chinese(&self) -> String {
        self.told(&Reason::CHINESE)
    }
}

impl fmt::Display for Cannot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(&Reason::ENGLISH))
    }
}

impl From<Cannot> for String {
    fn from(cannot: Cannot) -> Self {
        cannot.to_string()
    }
}
