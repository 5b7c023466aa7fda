//! Mistakes that can be switched on, to see that the simulator finds them.
//!
//! What it is: a name per mistake; the engine asks [`is`] where the mistake would be made.
//! What it is not: part of the program: without the feature `mutants` every question is answered "no" at compile
//! time and nothing is left of it.
//! Invariants: at most one mistake at a time, per thread; none unless somebody asked for it.

macro_rules! mutants {
    ($($(#[$doc:meta])* $name:ident => $text:literal;)*) => {
        /// A mistake.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Mutant {
            $($(#[$doc])* $name,)*
        }

        impl Mutant {
            /// Every mistake there is.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name in `tests/mutants.txt`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

mutants! {
    /// A leader commits entries of older terms by counting.
    CommitOldTerm => "commit-old-term";
    /// Votes are not written to disk.
    VoteNotPersisted => "vote-not-persisted";
    /// Answers leave before what they promise is on disk.
    SendBeforePersist => "send-before-persist";
    /// A member forgets its vote when it restarts.
    VoteForgottenAtRestart => "vote-forgotten-at-restart";
    /// A vote does not ask whether the candidate's log is up to date.
    VoteWithoutLogCheck => "vote-without-log-check";
    /// A late append cuts off entries that match.
    CutMatchingSuffix => "cut-matching-suffix";
    /// A heartbeat carries a commit index above what its receiver is known to have.
    CommitPastMatch => "commit-past-match";
    /// A new leader answers reads before it has committed anything.
    ReadWithoutOwnCommit => "read-without-own-commit";
    /// Two questions for a read index have the same identity.
    ReadContextReused => "read-context-reused";
    /// A restart begins with a lower commit index than the disk has.
    CommitFallsAtRestart => "commit-falls-at-restart";
    /// The last entry is applied again after a restart.
    AppliedTwiceAfterRestart => "applied-twice-after-restart";
    /// A compaction drops a tombstone at its own revision.
    TombstoneDropped => "tombstone-dropped";
    /// The compacted revision is not written to disk.
    CompactRevisionForgotten => "compact-revision-forgotten";
    /// A progress notification does not wait for watches that lag.
    ProgressAheadOfEvents => "progress-ahead-of-events";
    /// Followers leave out the reads of a transaction.
    TxnReadSkippedOnFollowers => "txn-read-skipped-on-followers";
    /// A learner's acknowledgement counts for the commit.
    LearnerInQuorum => "learner-in-quorum";
    /// In a joint configuration the new half decides alone.
    JointUsesOneHalf => "joint-uses-one-half";
    /// A joint configuration is left once more although leaving it is under way.
    JointLeftTwice => "joint-left-twice";
    /// A member campaigns although a committed configuration change is not applied yet, and in the configuration that
    /// it knew then.
    ///
    /// Without the second half the mistake has no consequence here. An entry waits for being applied only while it is
    /// not on the member's own disk; nothing leaves for a vote before the disk round that holds the member's term, and
    /// that round comes after the entry's. So the change is applied before anybody hears of the campaign, and votes are
    /// counted by the configuration of the moment. The half alone is as harmless: who has applied everything that is
    /// committed learns of no other change while it campaigns.
    CampaignWithUnappliedChange => "campaign-with-unapplied-change";
    /// A snapshot below the commit index is taken.
    OlderSnapshotTaken => "older-snapshot-taken";
    /// After a snapshot was installed, watches go on behind it.
    WatchSkipsSnapshot => "watch-skips-snapshot";
    /// Followers end leases by their own clocks.
    LeaseEndsOnFollower => "lease-ends-on-follower";
    /// A put without a lease leaves the key attached to its old one.
    DetachForgottenOnPut => "detach-forgotten-on-put";
    /// A compare of a value holds for a key that does not exist.
    ValueCompareTrueOnMissing => "value-compare-true-on-missing";
}

#[cfg(feature = "mutants")]
thread_local! {
    static CURRENT: std::cell::Cell<Option<Mutant>> = const { std::cell::Cell::new(None) };
}

/// True if the engine is to make this mistake.
#[cfg(feature = "mutants")]
#[must_use]
pub fn is(mutant: Mutant) -> bool {
    CURRENT.get() == Some(mutant)
}

/// True if the engine is to make this mistake.
#[cfg(not(feature = "mutants"))]
#[must_use]
pub const fn is(_mutant: Mutant) -> bool {
    false
}

/// Makes the engine make a mistake on this thread from now on, or none.
#[cfg(feature = "mutants")]
pub fn set(mutant: Option<Mutant>) {
    CURRENT.set(mutant);
}
