//! Scenarios to begin with.
//!
//! What it is: their texts, each in English and Chinese where it says something.
//! Invariants: each can be read, and the lab plays it as it expects (held by a test).

/// A text to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Template {
    /// A leader is killed.
    Failover,
    /// The network splits.
    Partition,
    /// A watch meets a compaction.
    Watch,
    /// A lock whose holder is late.
    Lock,
    /// A question and a goal.
    Quiz,
    /// Nearly nothing.
    Empty,
}

impl Template {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 6] =
        [Self::Failover, Self::Partition, Self::Watch, Self::Lock, Self::Quiz, Self::Empty];

    /// The text.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Failover => include_str!("templates/failover.txt"),
            Self::Partition => include_str!("templates/partition.txt"),
            Self::Watch => include_str!("templates/watch.txt"),
            Self::Lock => include_str!("templates/lock.txt"),
            Self::Quiz => include_str!("templates/quiz.txt"),
            Self::Empty => include_str!("templates/empty.txt"),
        }
    }

    /// Its name, for tests and addresses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failover => "failover",
            Self::Partition => "partition",
            Self::Watch => "watch",
            Self::Lock => "lock",
            Self::Quiz => "quiz",
            Self::Empty => "empty",
        }
    }
}
