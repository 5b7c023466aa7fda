use std::collections::BTreeSet;

use super::*;

const LAST: Index = Index(10);

fn tracker(changed: Changed) -> ProgressTracker {
    let mut tracker = ProgressTracker::new(10, 0);
    (tracker.config, tracker.progress) = changed;
    tracker
}

fn start() -> ProgressTracker {
    let empty = ProgressTracker::new(10, 0);
    let stored = ConfState { voters: vec![MemberId(1)], ..ConfState::default() };
    tracker(Changer { tracker: &empty, last_index: LAST }.restore(&stored).unwrap())
}

fn all_change_lists() -> Vec<Vec<ConfChangeSingle>> {
    let types = [
        ConfChangeType::AddNode,
        ConfChangeType::AddLearnerNode,
        ConfChangeType::RemoveNode,
        ConfChangeType::UpdateNode,
    ];
    let singles: Vec<ConfChangeSingle> = (0..=4)
        .flat_map(|id| {
            types.map(|change_type| ConfChangeSingle { change_type, node_id: MemberId(id) })
        })
        .collect();
    let mut lists = vec![vec![]];
    for one in &singles {
        lists.push(vec![*one]);
        for two in &singles {
            lists.push(vec![*one, *two]);
        }
    }
    lists
}

#[test]
fn every_reachable_configuration_of_four_ids_keeps_the_laws() {
    let lists = all_change_lists();
    let mut seen = BTreeSet::new();
    let mut open = vec![start()];
    while let Some(from) = open.pop() {
        if !seen.insert(from.config.to_string()) {
            continue;
        }
        let changer = Changer { tracker: &from, last_index: LAST };
        let mut reached = vec![];
        for list in &lists {
            if let Ok(next) = changer.simple(list) {
                let before: BTreeSet<MemberId> = from.config.voters.incoming.iter().collect();
                let after: BTreeSet<MemberId> = next.0.voters.incoming.iter().collect();
                assert!(before.symmetric_difference(&after).count() <= 1);
                reached.push(next);
            }
            reached.extend(changer.enter_joint(false, list));
            reached.extend(changer.enter_joint(true, list));
        }
        reached.extend(changer.leave_joint());
        for next in reached {
            assert!(is_consistent(&next.0, &next.1), "{}", next.0);
            assert!(!next.0.voters.incoming.is_empty());
            let stored = next.0.conf_state();
            let empty = ProgressTracker::new(10, 0);
            let again = Changer { tracker: &empty, last_index: LAST }.restore(&stored).unwrap();
            assert_eq!(again.0, next.0);
            assert!(again.0.conf_state().is_equivalent(&stored));
            open.push(tracker(next));
        }
    }
    assert!(seen.len() > 100, "only {} configurations reached", seen.len());
}

#[test]
fn entering_and_leaving_a_joint_configuration_equals_the_simple_sequence() {
    let lists = all_change_lists();
    let mut from = start();
    for setup in ["v2", "v3", "l4"] {
        let changes = crate::raft::conf_change::parse_changes(setup).unwrap();
        let next = Changer { tracker: &from, last_index: LAST }.simple(&changes).unwrap();
        from = tracker(next);
    }
    for list in lists {
        let mut simple = from.clone();
        let mut refused = false;
        for change in &list {
            match (Changer { tracker: &simple, last_index: LAST }).simple(&[*change]) {
                Ok(next) => simple = tracker(next),
                Err(_) => refused = true,
            }
        }
        if refused {
            continue;
        }
        let joint = Changer { tracker: &from, last_index: LAST }.enter_joint(false, &list);
        let joint = tracker(joint.unwrap());
        let left = tracker(Changer { tracker: &joint, last_index: LAST }.leave_joint().unwrap());
        assert_eq!(left.config, simple.config, "{list:?}");
        assert_eq!(
            left.progress.keys().collect::<Vec<_>>(),
            simple.progress.keys().collect::<Vec<_>>()
        );
    }
}

#[test]
fn a_stored_configuration_that_contradicts_itself_is_refused() {
    let empty = ProgressTracker::new(10, 0);
    let changer = Changer { tracker: &empty, last_index: LAST };
    let both = ConfState {
        voters: vec![MemberId(1)],
        learners: vec![MemberId(1)],
        ..ConfState::default()
    };
    assert_eq!(changer.restore(&both), Err(ConfChangeError::InvalidConfState));
    let next = ConfState {
        voters: vec![MemberId(1)],
        learners_next: vec![MemberId(1)],
        ..ConfState::default()
    };
    assert_eq!(changer.restore(&next), Err(ConfChangeError::InvalidConfState));
}
