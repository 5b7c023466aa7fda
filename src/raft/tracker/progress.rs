//! What the leader knows about one follower, and whether it may send.
//!
//! What it is: `matched`, `next`, the state Probe | Replicate | Snapshot, and flow control.
//! What it is not: it sends nothing; the leader asks it.
//! Invariants: `matched < next`; in Replicate `next` is optimistic; in Snapshot nothing is sent;
//! a snapshot is pending in Snapshot only, and appends are on their way in Replicate only.
//! Source: behaviour of etcd-io/raft `tracker/progress.go`; Raft thesis §10.2.1 (pipelining).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Inflights;
use crate::types::Index;

/// How the leader replicates to a follower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgressState {
    /// One append at a time, looking for the point where the logs agree.
    #[default]
    Probe,
    /// A pipeline of appends, `next` moving ahead of the answers.
    Replicate,
    /// A snapshot is on its way; no appends until it is known to have arrived.
    Snapshot,
}

impl fmt::Display for ProgressState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Probe => "StateProbe",
            Self::Replicate => "StateReplicate",
            Self::Snapshot => "StateSnapshot",
        })
    }
}

/// The leader's view of one member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The highest index known to be durable on the member. Invariant: `matched < next`.
    pub matched: Index,
    /// The next index to send.
    pub next: Index,
    /// The highest commit index that was sent and may have been received.
    pub sent_commit: Index,
    /// How the leader replicates to the member.
    pub state: ProgressState,
    /// In state Snapshot: the index of the snapshot that was sent; otherwise 0.
    pub pending_snapshot: Index,
    /// True if the member answered since the last quorum check.
    pub recent_active: bool,
    /// True if the next append must wait for an answer.
    pub append_paused: bool,
    /// The appends on their way (state Replicate).
    pub inflights: Inflights,
    /// True if the member does not vote.
    pub is_learner: bool,
}

impl Progress {
    /// A member about which nothing is known yet, probed from `next`.
    #[must_use]
    pub fn new(next: Index, inflights: Inflights) -> Self {
        Self {
            matched: Index(0),
            next,
            sent_commit: Index(0),
            state: ProgressState::Probe,
            pending_snapshot: Index(0),
            recent_active: false,
            append_paused: false,
            inflights,
            is_learner: false,
        }
    }

    /// Asserts what must hold at all times.
    pub(crate) fn check(&self) {
        let (matched, next, state) = (self.matched, self.next, self.state);
        assert!(matched < next, "raft: match {matched} is not below next {next}");
        let pending = self.pending_snapshot;
        assert!(
            pending == Index(0) || state == ProgressState::Snapshot,
            "raft: snapshot {pending} pending in {state}"
        );
        assert!(
            self.inflights.count() == 0 || state == ProgressState::Replicate,
            "raft: appends on their way in {state}"
        );
    }

    fn reset_state(&mut self, state: ProgressState) {
        self.append_paused = false;
        self.pending_snapshot = Index(0);
        self.state = state;
        self.inflights.reset();
    }

    /// Starts probing from just above what is known to match, or above a finished snapshot.
    pub fn become_probe(&mut self) {
        let pending = self.pending_snapshot;
        let was_snapshot = self.state == ProgressState::Snapshot;
        self.reset_state(ProgressState::Probe);
        let base = if was_snapshot { self.matched.max(pending) } else { self.matched };
        self.move_next_back(base.next());
        self.check();
    }

    /// Starts the pipeline from just above what is known to match.
    pub fn become_replicate(&mut self) {
        self.reset_state(ProgressState::Replicate);
        self.next = self.matched.next();
        self.check();
    }

    /// Waits for a snapshot at `index` to arrive.
    pub fn become_snapshot(&mut self, index: Index) {
        self.reset_state(ProgressState::Snapshot);
        self.pending_snapshot = index;
        self.next = index.next();
        self.sent_commit = index;
        self.check();
    }

    /// Sets `next`, and forgets commits that were sent beyond what the member can hold.
    fn move_next_back(&mut self, next: Index) {
        self.next = next;
        self.sent_commit = self.sent_commit.min(next.saturating_prev());
    }

    /// Notes that an append of `entries` entries and `bytes` payload bytes was sent.
    pub fn sent_entries(&mut self, entries: u64, bytes: u64) {
        self.check();
        match self.state {
            ProgressState::Replicate => {
                if entries > 0 {
                    self.next = Index(self.next.0 + entries);
                    self.inflights.add(self.next.saturating_prev(), bytes);
                }
                // A message sent into a full window is a probe: one at a time.
                self.append_paused = self.inflights.is_full();
            }
            ProgressState::Probe => {
                if entries > 0 {
                    self.append_paused = true;
                }
            }
            ProgressState::Snapshot => {
                unreachable!("raft: append sent to a member that waits for a snapshot")
            }
        }
    }

    /// True if telling the member about `commit` may advance its commit index.
    #[must_use]
    pub fn can_bump_commit(&self, commit: Index) -> bool {
        commit > self.sent_commit && self.sent_commit < self.next.saturating_prev()
    }

    /// Takes an acknowledgement up to `index`; false if it says nothing new.
    pub fn maybe_update(&mut self, index: Index) -> bool {
        if index <= self.matched {
            return false;
        }
        self.matched = index;
        self.next = self.next.max(index.next());
        self.append_paused = false;
        self.check();
        true
    }

    /// Takes a rejection of the append at `rejected`; false if it is out of date.
    ///
    /// `hint` is the highest index at which the logs may still agree.
    pub fn maybe_decrease(&mut self, rejected: Index, hint: Index) -> bool {
        if self.state == ProgressState::Replicate {
            // An answer to an append below what is known to match came late.
            if rejected <= self.matched {
                return false;
            }
            self.move_next_back(self.matched.next());
            self.check();
            return true;
        }
        // While probing there is one append on its way: the one at `next - 1`.
        if self.next.saturating_prev() != rejected {
            return false;
        }
        let next = rejected.min(Index(hint.0.saturating_add(1))).max(self.matched.next());
        self.move_next_back(next);
        self.append_paused = false;
        self.check();
        true
    }

    /// True if no append may be sent now.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        match self.state {
            ProgressState::Probe | ProgressState::Replicate => self.append_paused,
            ProgressState::Snapshot => true,
        }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} match={} next={}", self.state, self.matched, self.next)?;
        if self.is_learner {
            f.write_str(" learner")?;
        }
        if self.is_paused() {
            f.write_str(" paused")?;
        }
        if self.pending_snapshot > Index(0) {
            write!(f, " pendingSnap={}", self.pending_snapshot)?;
        }
        if !self.recent_active {
            f.write_str(" inactive")?;
        }
        if self.inflights.count() > 0 {
            write!(f, " inflight={}", self.inflights.count())?;
            if self.inflights.is_full() {
                f.write_str("[full]")?;
            }
        }
        Ok(())
    }
}
