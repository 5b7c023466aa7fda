//! Quorums: what a set of voters has agreed on.
//!
//! What it is: majority and joint configurations with two questions, "which index is committed?"
//! and "who won the vote?".
//! What it is not: it knows neither logs nor messages; the caller says what each voter acknowledged.
//! Invariants: an empty majority agrees to everything (so that a joint configuration with an empty
//! half behaves as the other half); an unknown index counts as 0, an unknown vote as missing.
//! Source: Raft thesis §4.3 (joint consensus); behaviour of etcd-io/raft `quorum/`.

mod joint;
mod majority;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::types::{Index, MemberId};

pub use joint::JointConfig;
pub use majority::MajorityConfig;

/// The index an empty quorum has committed: everything.
pub const INDEX_INFINITE: Index = Index(u64::MAX);

/// Where a vote stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum VoteResult {
    /// The outcome depends on votes that are still missing.
    Pending,
    /// A quorum of yes has become impossible.
    Lost,
    /// A quorum has said yes.
    Won,
}

impl fmt::Display for VoteResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pending => "VotePending",
            Self::Lost => "VoteLost",
            Self::Won => "VoteWon",
        })
    }
}

/// Prints a committed index as etcd does: a number, or `∞` for an empty quorum.
#[must_use]
pub fn describe_index(index: Index) -> String {
    if index == INDEX_INFINITE { "∞".to_owned() } else { index.to_string() }
}

/// The table of acknowledged indexes of a set of voters, one row per voter in id order.
///
/// The bar of a row is as long as the number of voters that are strictly behind it.
#[must_use]
pub(crate) fn describe_acks(
    voters: &MajorityConfig,
    acked: &dyn Fn(MemberId) -> Option<Index>,
) -> String {
    if voters.is_empty() {
        return "<empty majority quorum>".to_owned();
    }
    let rows: Vec<(MemberId, Option<Index>)> = voters.iter().map(|id| (id, acked(id))).collect();
    let width = rows.len();
    let mut table = format!("{}    idx\n", " ".repeat(width));
    for (id, index) in &rows {
        let bar = match index {
            None => format!("?{}", " ".repeat(width)),
            Some(_) => {
                let behind = rows.iter().filter(|(_, other)| other < index).count();
                format!("{}>{}", "x".repeat(behind), " ".repeat(width - behind))
            }
        };
        let shown = index.unwrap_or_default();
        table.push_str(&format!("{bar} {:>5}    (id={id:x})\n", shown.0));
    }
    table
}
