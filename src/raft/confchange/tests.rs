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

/// The slow and obvious configuration: five sets, and what is known of each member.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Naive {
    incoming: BTreeSet<u64>,
    outgoing: BTreeSet<u64>,
    learners: BTreeSet<u64>,
    next: BTreeSet<u64>,
    auto_leave: bool,
    /// Who is known, and whether since the last change only.
    known: std::collections::BTreeMap<u64, bool>,
}

impl Naive {
    fn apply(&mut self, changes: &[ConfChangeSingle]) -> Result<(), ConfChangeError> {
        for change in changes {
            let id = change.node_id.0;
            let is_known = self.known.contains_key(&id);
            match change.change_type {
                _ if id == 0 => {}
                ConfChangeType::UpdateNode => {}
                ConfChangeType::AddNode => {
                    self.learners.remove(&id);
                    self.next.remove(&id);
                    self.incoming.insert(id);
                }
                ConfChangeType::RemoveNode => self.remove(id),
                ConfChangeType::AddLearnerNode if self.learners.contains(&id) => {}
                ConfChangeType::AddLearnerNode => {
                    let seen = self.known.get(&id).copied();
                    self.remove(id);
                    if self.outgoing.contains(&id) {
                        self.next.insert(id);
                    } else {
                        self.learners.insert(id);
                    }
                    self.known.extend(seen.map(|is_new| (id, is_new)));
                }
            }
            let is_member = self.members().contains(&id);
            if is_member && !is_known {
                self.known.insert(id, true);
            }
        }
        if self.incoming.is_empty() { Err(ConfChangeError::RemovedAllVoters) } else { Ok(()) }
    }

    fn remove(&mut self, id: u64) {
        self.incoming.remove(&id);
        self.learners.remove(&id);
        self.next.remove(&id);
        if !self.outgoing.contains(&id) {
            self.known.remove(&id);
        }
    }

    fn members(&self) -> BTreeSet<u64> {
        [&self.incoming, &self.outgoing, &self.learners].into_iter().flatten().copied().collect()
    }

    fn simple(&self, changes: &[ConfChangeSingle]) -> Result<Self, ConfChangeError> {
        if !self.outgoing.is_empty() {
            return Err(ConfChangeError::SimpleInJoint);
        }
        let mut after = self.clone();
        after.apply(changes)?;
        if self.incoming.symmetric_difference(&after.incoming).count() > 1 {
            return Err(ConfChangeError::MoreThanOneVoterChanged);
        }
        Ok(after)
    }

    fn enter(
        &self,
        auto_leave: bool,
        changes: &[ConfChangeSingle],
    ) -> Result<Self, ConfChangeError> {
        if !self.outgoing.is_empty() {
            return Err(ConfChangeError::AlreadyJoint);
        }
        let mut after = Self { outgoing: self.incoming.clone(), auto_leave, ..self.clone() };
        after.apply(changes)?;
        Ok(after)
    }

    fn leave(&self) -> Result<Self, ConfChangeError> {
        if self.outgoing.is_empty() {
            return Err(ConfChangeError::NotJoint);
        }
        let mut after = Self { auto_leave: false, ..self.clone() };
        after.outgoing.clear();
        after.learners.append(&mut after.next);
        let members = after.members();
        after.known.retain(|id, _| members.contains(id));
        Ok(after)
    }

    /// The same as it stands in the tracker; new members are probed from `LAST`, old ones from the index before.
    fn tracked(&self) -> Changed {
        let set = |ids: &BTreeSet<u64>| ids.iter().copied().map(MemberId).collect();
        let config = TrackerConfig {
            voters: JointConfig {
                incoming: self.incoming.iter().copied().map(MemberId).collect(),
                outgoing: self.outgoing.iter().copied().map(MemberId).collect(),
            },
            auto_leave: self.auto_leave,
            learners: set(&self.learners),
            learners_next: set(&self.next),
        };
        let limits = ProgressTracker::new(10, 0);
        let mut progress = ProgressMap::new();
        for (id, is_new) in &self.known {
            let next = if *is_new { LAST } else { LAST.saturating_prev() };
            let mut member = Progress::new(next, limits.new_inflights());
            member.recent_active = true;
            member.is_learner = self.learners.contains(id);
            progress.insert(MemberId(*id), member);
        }
        (config, progress)
    }

    /// Everybody in it has been there for a while.
    fn settled(mut self) -> Self {
        self.known.values_mut().for_each(|is_new| *is_new = false);
        self
    }
}

#[test]
fn every_change_of_every_reachable_configuration_equals_the_naive_model() {
    let lists = all_change_lists();
    let first = Naive { incoming: [1].into(), known: [(1, false)].into(), ..Naive::default() };
    let mut seen = BTreeSet::new();
    let mut open = vec![first];
    let mut cases = 0u64;
    while let Some(from) = open.pop() {
        if !seen.insert(from.clone()) {
            continue;
        }
        let before = tracker(from.tracked());
        let changer = Changer { tracker: &before, last_index: LAST };
        let mut hold = |got: Result<Changed, ConfChangeError>,
                        want: Result<Naive, ConfChangeError>| {
            cases += 1;
            assert_eq!(got, want.as_ref().map(Naive::tracked).map_err(|error| *error), "{from:?}");
            open.extend(want.map(Naive::settled));
        };
        for list in &lists {
            hold(changer.simple(list), from.simple(list));
            hold(changer.enter_joint(false, list), from.enter(false, list));
            hold(changer.enter_joint(true, list), from.enter(true, list));
        }
        hold(changer.leave_joint(), from.leave());
    }
    println!("{cases} changes of {} configurations", seen.len());
    assert!(cases > 500_000, "only {cases} changes of {} configurations", seen.len());
}
