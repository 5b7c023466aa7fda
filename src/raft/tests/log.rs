//! The log by itself: matching, conflicts, paging, what is durable; and that it keeps its invariants.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;

use super::network::{entry, id, member, storage};
use crate::raft::entry::EntryId;
use crate::raft::log::{ApplyFrom, RaftLog};
use crate::raft::*;
use crate::types::{Index, Term};

fn at(term: u64, index: u64) -> EntryId {
    EntryId { term: Term(term), index: Index(index) }
}

/// Entries 1 to 3 with terms 1 to 3, all unstable, the first committed.
fn three() -> RaftLog<MemoryStorage> {
    let mut log = RaftLog::new(MemoryStorage::new(), u64::MAX);
    log.append(vec![entry(1, 1), entry(2, 2), entry(3, 3)]);
    log.commit_to(Index(1));
    log
}

fn terms(log: &RaftLog<MemoryStorage>) -> Vec<u64> {
    let (first, last) = (log.first_index().0, log.last_index().0);
    (first..=last).map(|index| log.term(Index(index)).unwrap().0).collect()
}

#[test]
fn a_batch_is_matched_cut_and_committed() {
    for (previous, sent, commit, want_last, want_commit, want_terms) in [
        // The logs do not meet.
        (at(2, 3), vec![entry(4, 4)], 3, None, 1, vec![1, 2, 3]),
        (at(3, 4), vec![entry(4, 5)], 3, None, 1, vec![1, 2, 3]),
        // Nothing new: only the commit index moves, and not beyond what was matched.
        (at(3, 3), vec![], 3, Some(3), 3, vec![1, 2, 3]),
        (at(3, 3), vec![], 4, Some(3), 3, vec![1, 2, 3]),
        (at(3, 3), vec![], 2, Some(3), 2, vec![1, 2, 3]),
        (at(3, 3), vec![], 0, Some(3), 1, vec![1, 2, 3]),
        (at(0, 0), vec![], 3, Some(0), 1, vec![1, 2, 3]),
        // New entries behind the last.
        (at(3, 3), vec![entry(4, 4)], 3, Some(4), 3, vec![1, 2, 3, 4]),
        (at(3, 3), vec![entry(4, 4)], 4, Some(4), 4, vec![1, 2, 3, 4]),
        (at(3, 3), vec![entry(4, 4)], 5, Some(4), 4, vec![1, 2, 3, 4]),
        (at(3, 3), vec![entry(4, 4), entry(4, 5)], 4, Some(5), 4, vec![1, 2, 3, 4, 4]),
        // New entries that replace the last.
        (at(2, 2), vec![entry(4, 3)], 3, Some(3), 3, vec![1, 2, 4]),
        (at(1, 1), vec![entry(4, 2)], 3, Some(2), 2, vec![1, 4]),
        (at(1, 1), vec![entry(4, 2), entry(4, 3)], 3, Some(3), 3, vec![1, 4, 4]),
    ] {
        let mut log = three();
        let shown = format!("{previous:?} {sent:?} {commit}");
        let last = log.maybe_append(previous, sent, Index(commit)).unwrap();
        assert_eq!(last.map(|last| last.0), want_last, "{shown}");
        assert_eq!(log.committed().0, want_commit, "{shown}");
        assert_eq!(terms(&log), want_terms, "{shown}");
    }
    // What is committed is never replaced.
    let mut log = three();
    let refused = log.maybe_append(at(0, 0), vec![entry(4, 1)], Index(3));
    let (index, committed) = (Index(1), Index(1));
    assert_eq!(refused, Err(Error::CommittedConflict { index, committed }));
    assert_eq!(terms(&log), [1, 2, 3]);
}

#[test]
fn a_conflict_is_found_by_term_also_where_the_log_was_compacted() {
    let mut stored = MemoryStorage::new();
    let mut snapshot = Snapshot::default();
    (snapshot.metadata.index, snapshot.metadata.term) = (Index(4), Term(2));
    stored.apply_snapshot(snapshot).unwrap();
    stored.append(&[entry(2, 5), entry(5, 6), entry(5, 7), entry(5, 8)]).unwrap();
    let log = RaftLog::new(stored, u64::MAX);
    for (index, term, want) in [
        (8, 0, (0, 3)),
        (8, 1, (0, 3)),
        (8, 2, (2, 5)),
        (8, 4, (2, 5)),
        (8, 5, (5, 8)),
        (7, 5, (5, 7)),
        (7, 9, (5, 7)),
        (6, 5, (5, 6)),
        (5, 9, (2, 5)),
        (4, 2, (2, 4)),
        (4, 1, (0, 3)),
        (3, 9, (0, 3)),
        (0, 9, (0, 0)),
    ] {
        let found = log.find_conflict_by_term(Index(index), Term(term));
        assert_eq!((found.term.0, found.index.0), want, "{index} {term}");
    }
}

#[test]
fn only_the_same_term_and_index_becomes_stable_also_above_a_snapshot() {
    let with_snapshot = || {
        let mut log = RaftLog::new(MemoryStorage::new(), u64::MAX);
        let mut snapshot = Snapshot::default();
        (snapshot.metadata.index, snapshot.metadata.term) = (Index(5), Term(2));
        log.restore(snapshot);
        log
    };
    for (index, term, appended, want_offset) in [
        // What is not an entry here makes nothing stable: the snapshot's own index, or one below.
        (6, 2, vec![], 6),
        (5, 2, vec![], 6),
        (4, 2, vec![], 6),
        (6, 3, vec![], 6),
        // The same with an entry above it.
        (6, 2, vec![entry(2, 6)], 7),
        (5, 2, vec![entry(2, 6)], 6),
        (4, 2, vec![entry(2, 6)], 6),
        (6, 3, vec![entry(2, 6)], 6),
        (5, 3, vec![entry(2, 6)], 6),
        (4, 3, vec![entry(2, 6)], 6),
    ] {
        let mut log = with_snapshot();
        log.append(appended.clone());
        log.stable_to(at(term, index));
        assert_eq!(log.unstable().offset().0, want_offset, "{term}/{index} {appended:?}");
    }
}

#[test]
fn committed_entries_come_in_pages_and_wait_while_enough_is_being_applied() {
    let entries: Vec<Entry> = (1..=6)
        .map(|index| Entry { data: Bytes::from(vec![b'x'; 90]), ..entry(1, index) })
        .collect();
    let size = entries[0].encoded_size();
    let mut log = RaftLog::new(storage(&[1], &[], &[]), 2 * size);
    log.append(entries.clone());
    log.commit_to(Index(6));
    assert!(!log.has_next_committed(ApplyFrom::Stable), "nothing is durable yet");
    log.storage_mut().append(&entries[..5]).unwrap();
    log.stable_to(at(1, 5));
    let page = log.next_committed(ApplyFrom::Stable);
    assert_eq!(page.iter().map(|entry| entry.index.0).collect::<Vec<_>>(), [1, 2]);
    log.accept_applying(Index(2), 2 * size, ApplyFrom::Stable);
    assert!(!log.has_next_committed(ApplyFrom::Stable), "paused at the limit");
    log.applied_to(Index(1), size);
    assert_eq!(log.next_committed(ApplyFrom::Stable).len(), 1, "as much as was freed");
    log.accept_applying(Index(3), size, ApplyFrom::Stable);
    log.applied_to(Index(3), 2 * size);
    log.accept_applying(Index(5), 2 * size, ApplyFrom::Stable);
    log.applied_to(Index(5), 2 * size);
    assert!(!log.has_next_committed(ApplyFrom::Stable), "the last is not durable");
    assert_eq!(log.next_committed(ApplyFrom::Unstable).len(), 1);
}

#[test]
fn a_slice_spans_stable_and_unstable_and_is_cut_by_size() {
    let mut log = RaftLog::new(storage(&[1], &[], &[1, 1]), u64::MAX);
    log.append(vec![entry(1, 3), entry(1, 4)]);
    let size = entry(1, 1).encoded_size();
    for (low, high, size_max, want) in [
        (1, 5, u64::MAX, vec![1, 2, 3, 4]),
        (1, 5, 0, vec![1]),
        (1, 5, size, vec![1]),
        (1, 5, 2 * size, vec![1, 2]),
        (1, 5, 3 * size, vec![1, 2, 3]),
        (2, 5, 2 * size, vec![2, 3]),
        (2, 5, 2 * size - 1, vec![2]),
        (3, 5, 0, vec![3]),
        (3, 4, u64::MAX, vec![3]),
        (3, 3, u64::MAX, vec![]),
        (5, 5, u64::MAX, vec![]),
    ] {
        let found = log.slice(Index(low), Index(high), size_max).unwrap();
        let indexes: Vec<u64> = found.iter().map(|entry| entry.index.0).collect();
        assert_eq!(indexes, want, "{low}..{high} {size_max}");
    }
    assert_eq!(log.slice(Index(0), Index(2), 0), Err(StorageError::Compacted));
    assert_eq!(log.slice(Index(4), Index(6), 0), Err(StorageError::Unavailable));
}

/// Whoever breaks an invariant of the log stops at once.
#[test]
fn the_log_refuses_to_break_its_order_of_indexes() {
    type Act = fn(&mut RaftLog<MemoryStorage>);
    let cases: [(&str, Act); 6] = [
        ("commit beyond the last entry", |log| log.commit_to(Index(4))),
        ("append over what is committed", |log| {
            log.append(vec![entry(4, 1)]);
        }),
        ("apply beyond what is committed", |log| log.applied_to(Index(2), 0)),
        ("hand out beyond what is committed", |log| {
            log.accept_applying(Index(2), 0, ApplyFrom::Unstable);
        }),
        ("leave a gap", |log| {
            log.append(vec![entry(4, 5)]);
        }),
        ("hand out what was handed out before", |log| {
            log.commit_to(Index(3));
            log.accept_applying(Index(3), 0, ApplyFrom::Unstable);
            log.accept_applying(Index(2), 0, ApplyFrom::Unstable);
        }),
    ];
    for (name, act) in cases {
        let mut log = three();
        let done = catch_unwind(AssertUnwindSafe(|| act(&mut log)));
        assert!(done.is_err(), "{name}");
    }
    let mut log = three();
    log.applied_to(Index(1), 0);
    assert!(catch_unwind(AssertUnwindSafe(|| log.applied_to(Index(0), 0))).is_err(), "unapplied");
}

#[test]
fn a_member_whose_state_contradicts_itself_stops_at_the_next_step() {
    let mut leader = member(1, &[1, 2, 3], &[]);
    leader.raft.become_candidate();
    leader.raft.become_leader();
    leader.raft.lead = Some(id(2));
    let stepped = catch_unwind(AssertUnwindSafe(|| leader.tick()));
    assert!(stepped.is_err(), "a leader that follows another");
    let mut leader = member(1, &[1, 2, 3], &[]);
    leader.raft.become_candidate();
    leader.raft.become_leader();
    leader.raft.tracker.progress.get_mut(&id(2)).unwrap().matched = Index(9);
    let sent = catch_unwind(AssertUnwindSafe(|| leader.raft.broadcast_append()));
    assert!(sent.is_err(), "a match at or above next");
    let mut follower = member(1, &[1, 2, 3], &[]);
    follower.raft.lead_transferee = Some(id(2));
    assert!(
        catch_unwind(AssertUnwindSafe(|| follower.tick())).is_err(),
        "a follower that hands over"
    );
}
