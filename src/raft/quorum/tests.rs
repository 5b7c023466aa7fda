use super::*;

/// The slow and obvious commit rule: try every index that somebody acknowledged.
fn naive_committed(voters: &[u64], acks: &[Option<u64>; 5]) -> u64 {
    if voters.is_empty() {
        return u64::MAX;
    }
    let ack = |id: &u64| acks[usize::try_from(*id).unwrap() - 1].unwrap_or(0);
    let mut best = 0;
    for candidate in voters.iter().map(ack) {
        let supporters = voters.iter().filter(|id| ack(id) >= candidate).count();
        if 2 * supporters > voters.len() {
            best = best.max(candidate);
        }
    }
    best
}

/// The slow and obvious vote rule: try every way the missing votes may still fall.
fn naive_vote(voters: &[u64], votes: &[Option<bool>; 5]) -> VoteResult {
    if voters.is_empty() {
        return VoteResult::Won;
    }
    let known: Vec<Option<bool>> =
        voters.iter().map(|id| votes[usize::try_from(*id).unwrap() - 1]).collect();
    let mut wins = 0;
    for completion in 0..1u32 << voters.len() {
        let yes = known
            .iter()
            .enumerate()
            .filter(|(position, vote)| vote.unwrap_or(completion & (1 << position) != 0))
            .count();
        wins += u32::from(2 * yes > voters.len());
    }
    if wins == 1 << voters.len() {
        VoteResult::Won
    } else if wins > 0 {
        VoteResult::Pending
    } else {
        VoteResult::Lost
    }
}

fn subset(mask: u32) -> Vec<u64> {
    (1..=5u64).filter(|id| mask & (1 << (id - 1)) != 0).collect()
}

fn config(ids: &[u64]) -> MajorityConfig {
    ids.iter().map(|id| MemberId(*id)).collect()
}

#[test]
fn every_joint_commit_over_five_ids_equals_the_naive_rule() {
    let configs: Vec<(Vec<u64>, MajorityConfig)> =
        (0..32).map(|mask| (subset(mask), config(&subset(mask)))).collect();
    for code in 0..4u32.pow(5) {
        let mut acks = [None; 5];
        let mut rest = code;
        for ack in &mut acks {
            *ack = (rest % 4 > 0).then_some(u64::from(rest % 4));
            rest /= 4;
        }
        let acked = |id: MemberId| acks[usize::try_from(id.0).unwrap() - 1].map(Index);
        for (incoming_ids, incoming) in &configs {
            let left = naive_committed(incoming_ids, &acks);
            assert_eq!(incoming.committed_index(acked).0, left, "{incoming} {acks:?}");
            for (outgoing_ids, outgoing) in &configs {
                let joint = JointConfig { incoming: incoming.clone(), outgoing: outgoing.clone() };
                let want = left.min(naive_committed(outgoing_ids, &acks));
                assert_eq!(joint.committed_index(acked).0, want, "{joint} {acks:?}");
            }
        }
    }
}

#[test]
fn every_joint_vote_over_five_ids_equals_the_naive_rule() {
    let configs: Vec<(Vec<u64>, MajorityConfig)> =
        (0..32).map(|mask| (subset(mask), config(&subset(mask)))).collect();
    for code in 0..3u32.pow(5) {
        let mut votes = [None; 5];
        let mut rest = code;
        for vote in &mut votes {
            *vote = [None, Some(true), Some(false)][usize::try_from(rest % 3).unwrap()];
            rest /= 3;
        }
        let voted = |id: MemberId| votes[usize::try_from(id.0).unwrap() - 1];
        for (incoming_ids, incoming) in &configs {
            for (outgoing_ids, outgoing) in &configs {
                let joint = JointConfig { incoming: incoming.clone(), outgoing: outgoing.clone() };
                let (left, right) =
                    (naive_vote(incoming_ids, &votes), naive_vote(outgoing_ids, &votes));
                let want = match (left, right) {
                    (VoteResult::Won, VoteResult::Won) => VoteResult::Won,
                    (VoteResult::Lost, _) | (_, VoteResult::Lost) => VoteResult::Lost,
                    _ => VoteResult::Pending,
                };
                assert_eq!(joint.vote_result(voted), want, "{joint} {votes:?}");
            }
        }
    }
}

#[test]
fn a_large_configuration_takes_the_same_rule() {
    let voters: MajorityConfig = (1..=11).map(MemberId).collect();
    assert_eq!(voters.committed_index(|id| Some(Index(id.0))), Index(6));
    assert_eq!(voters.committed_index(|id| (id.0 > 5).then_some(Index(9))), Index(9));
    assert_eq!(voters.committed_index(|id| (id.0 > 6).then_some(Index(9))), Index(0));
}

#[test]
fn lowering_an_index_below_the_committed_one_changes_nothing_upwards() {
    let voters: MajorityConfig = (1..=3).map(MemberId).collect();
    let high =
        voters.committed_index(|id| Some(Index([5, 7, 9][usize::try_from(id.0).unwrap() - 1])));
    let low =
        voters.committed_index(|id| Some(Index([0, 7, 9][usize::try_from(id.0).unwrap() - 1])));
    assert_eq!((high, low), (Index(7), Index(7)));
}
