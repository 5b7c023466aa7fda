use super::*;

fn probe(matched: u64, next: u64) -> Progress {
    let mut progress = Progress::new(Index(next), Inflights::new(256, 0));
    progress.matched = Index(matched);
    progress
}

#[test]
fn progress_prints_every_mark_in_order() {
    let mut progress = probe(1, 2);
    progress.become_snapshot(Index(123));
    progress.recent_active = false;
    progress.is_learner = true;
    progress.inflights.add(Index(123), 1);
    assert_eq!(
        progress.to_string(),
        "StateSnapshot match=1 next=124 learner paused pendingSnap=123 inactive inflight=1"
    );
}

#[test]
fn pause_depends_on_state_and_flag() {
    for (state, flag, want) in [
        (ProgressState::Probe, false, false),
        (ProgressState::Probe, true, true),
        (ProgressState::Replicate, false, false),
        (ProgressState::Replicate, true, true),
        (ProgressState::Snapshot, false, true),
        (ProgressState::Snapshot, true, true),
    ] {
        let mut progress = probe(0, 1);
        progress.state = state;
        progress.append_paused = flag;
        assert_eq!(progress.is_paused(), want, "{state} {flag}");
    }
}

#[test]
fn probing_starts_above_the_match_or_above_the_pending_snapshot() {
    let mut replicating = probe(1, 5);
    replicating.state = ProgressState::Replicate;
    replicating.become_probe();
    assert_eq!(replicating.next, Index(2));
    let mut finished = probe(1, 5);
    finished.become_snapshot(Index(10));
    finished.become_probe();
    assert_eq!(finished.next, Index(11));
    let mut failed = probe(1, 5);
    failed.become_snapshot(Index(10));
    failed.pending_snapshot = Index(0);
    failed.become_probe();
    assert_eq!((failed.next, failed.pending_snapshot), (Index(2), Index(0)));
}

#[test]
fn an_acknowledgement_moves_match_and_never_lowers_next() {
    for (index, want_match, want_next, want) in
        [(2, 3, 5, false), (3, 3, 5, false), (4, 4, 5, true), (5, 5, 6, true)]
    {
        let mut progress = probe(3, 5);
        assert_eq!(progress.maybe_update(Index(index)), want);
        assert_eq!((progress.matched.0, progress.next.0), (want_match, want_next));
    }
}

#[test]
fn a_rejection_lowers_next_only_when_it_is_current() {
    use ProgressState::{Probe, Replicate};
    for (state, matched, next, rejected, hint, want, want_next) in [
        (Replicate, 5, 10, 5, 5, false, 10),
        (Replicate, 5, 10, 4, 4, false, 10),
        (Replicate, 5, 10, 9, 9, true, 6),
        (Probe, 0, 0, 0, 0, true, 1),
        (Probe, 0, 10, 5, 5, false, 10),
        (Probe, 0, 10, 9, 9, true, 9),
        (Probe, 0, 2, 1, 1, true, 1),
        (Probe, 0, 1, 0, 0, true, 1),
        (Probe, 0, 10, 9, 2, true, 3),
        (Probe, 0, 10, 9, 0, true, 1),
    ] {
        let mut progress = probe(matched, next);
        progress.state = state;
        assert_eq!(progress.maybe_decrease(Index(rejected), Index(hint)), want);
        assert_eq!(progress.next, Index(want_next), "{state} {matched} {next} {rejected} {hint}");
        assert_eq!(progress.matched, Index(matched));
    }
}

#[test]
fn only_the_first_vote_of_a_member_counts() {
    let mut tracker = ProgressTracker::new(1, 0);
    tracker.config.voters.incoming = (1..=3).map(MemberId).collect();
    tracker.record_vote(MemberId(1), true);
    tracker.record_vote(MemberId(1), false);
    tracker.record_vote(MemberId(2), true);
    assert_eq!(tracker.vote_result(), VoteResult::Won);
}
