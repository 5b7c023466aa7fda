//! What clients did and saw, in one total order.
//!
//! What it is: operations with the moments of their call and of their answer, and watches with every message.
//! What it is not: a recorder; whoever runs the clients fills it in.
//! Invariants: moments are positions in one sequence of events, unique and rising, so that "before" has no ties;
//! an operation that certainly did nothing (refused before it was sent) does not stand here.

use crate::api::{Error, Request, Response, WatchCreateRequest, WatchResponse};

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "nearly all are answered; on 32 bits it is small")]
pub enum Outcome {
    /// It was answered.
    Returned {
        /// When.
        at: u64,
        /// The answer.
        result: Result<Response, Error>,
    },
    /// Nobody knows: it may have happened at any time after its call, or never.
    Unknown,
}

/// One call of one client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Whose.
    pub client: u32,
    /// What was asked.
    pub request: Request,
    /// When.
    pub invoked: u64,
    /// How it ended.
    pub outcome: Outcome,
}

/// One watch and everything that came for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchLog {
    /// How it was asked for.
    pub request: WatchCreateRequest,
    /// Messages in the order of arrival, with their moments; those of the whole stream included.
    pub responses: Vec<(u64, WatchResponse)>,
    /// When the client canceled it or closed its stream.
    pub canceled: Option<u64>,
    /// The watch was healthy at the end: everything up to this revision must have come.
    pub must_reach: Option<i64>,
}

/// Everything the clients of one run did and saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// In the order of their calls.
    pub operations: Vec<Operation>,
    /// In the order of their creation.
    pub watches: Vec<WatchLog>,
}

impl History {
    /// The compactions that happened or may have happened: the revision, and when it was asked for.
    #[must_use]
    pub fn compactions(&self) -> Vec<(i64, u64)> {
        let possible = |operation: &Operation| match (&operation.request, &operation.outcome) {
            (Request::Compaction(_), Outcome::Returned { result: Err(_), .. }) => None,
            (Request::Compaction(compaction), _) => Some((compaction.revision, operation.invoked)),
            _ => None,
        };
        self.operations.iter().filter_map(possible).collect()
    }
}

/// True if a request that was refused with this error may have been carried out all the same, or may still be.
#[must_use]
pub const fn is_ambiguous(error: Error) -> bool {
    matches!(
        error,
        Error::Timeout
            | Error::TimeoutDueToLeaderFail
            | Error::TimeoutDueToConnectionLost
            | Error::TimeoutWaitAppliedIndex
            | Error::LeaderChanged
            | Error::Stopped
            // Over its quota a member tells its client so, and the entry changes the store all the same.
            | Error::NoSpace
    )
}
