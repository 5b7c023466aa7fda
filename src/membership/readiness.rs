//! Whether a change of the membership leaves enough members that have ever started.
//!
//! What it is: etcd's guard against a member that was added and never came, as counts of names.
//! What it is not: whether anybody is connected (see `etcdserver`).
//! Invariants: learners do not count; a member has started if it has a name.
//! Source: behaviour of etcd `membership/cluster.go` (`IsReadyTo…`).

use super::Cluster;
use crate::types::MemberId;

/// Voters, and how many of them have started.
struct Voters {
    all: u64,
    started: u64,
}

impl Voters {
    const fn has_quorum(&self) -> bool {
        self.started > self.all / 2
    }
}

impl Cluster {
    fn count_voters(&self, except: Option<MemberId>) -> Voters {
        let voters = self.members.values().filter(|own| !own.is_learner && Some(own.id) != except);
        let mut counted = Voters { all: 0, started: 0 };
        for voter in voters {
            counted.all += 1;
            counted.started += u64::from(!voter.name.is_empty());
        }
        counted
    }

    /// Whether one more voter, not started yet, leaves a quorum of started ones.
    #[must_use]
    pub fn is_ready_to_add_voter(&self) -> bool {
        let now = self.count_voters(None);
        // One member may always be joined by a second.
        let is_single = now.all == 1 && now.started == 1;
        is_single || Voters { all: now.all + 1, started: now.started }.has_quorum()
    }

    /// Whether the other voters have a quorum of started ones; false for the last voter.
    #[must_use]
    pub fn is_ready_to_remove_voter(&self, id: MemberId) -> bool {
        self.count_voters(Some(id)).has_quorum()
    }

    /// Whether one more voter, a learner that counts as started, leaves a quorum of started ones.
    #[must_use]
    pub fn is_ready_to_promote(&self) -> bool {
        let now = self.count_voters(None);
        Voters { all: now.all + 1, started: now.started + 1 }.has_quorum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Member;

    /// Voters with these names; an empty one has not started.
    fn cluster(names: &[&str]) -> Cluster {
        let mut cluster = Cluster::default();
        for (id, name) in (1..).zip(names) {
            let member = Member {
                id: MemberId(id),
                name: (*name).to_owned(),
                peer_urls: vec![format!("http://{id}")],
                ..Member::default()
            };
            cluster.members.insert(member.id, member);
        }
        cluster
    }

    fn with_learner(names: &[&str]) -> Cluster {
        let mut cluster = cluster(names);
        let learner = Member { id: MemberId(99), is_learner: true, ..Member::default() };
        cluster.members.insert(learner.id, learner);
        cluster
    }

    #[test]
    fn a_voter_is_added_as_etcds_table_says() {
        let table: &[(&[&str], bool)] = &[
            (&["1", "2"], true),
            (&["1", "2", ""], false),
            (&["1", "2", "3"], true),
            (&["1", "2", "3", ""], true),
            (&["1"], true),
            (&["1", ""], false),
            (&["1", "", "", ""], false),
            (&[""], false),
            (&[], false),
        ];
        for (names, expected) in table {
            assert_eq!(cluster(names).is_ready_to_add_voter(), *expected, "{names:?}");
            assert_eq!(with_learner(names).is_ready_to_add_voter(), *expected, "{names:?}");
        }
    }

    #[test]
    fn a_voter_is_removed_as_etcds_table_says() {
        let table: &[(&[&str], u64, bool)] = &[
            (&["1", "2", "3"], 3, true),
            (&["1", "2", ""], 3, true),
            (&["1", ""], 2, true),
            (&["1"], 1, false),
            (&["1", "2", ""], 2, false),
            (&["1", "2", "", ""], 2, false),
            (&["1", "2", "3", ""], 4, true),
            (&["1"], 7, true),
        ];
        for (names, id, expected) in table {
            let id = MemberId(*id);
            assert_eq!(cluster(names).is_ready_to_remove_voter(id), *expected, "{names:?} {id}");
            assert_eq!(with_learner(names).is_ready_to_remove_voter(id), *expected, "{names:?}");
        }
    }

    #[test]
    fn a_learner_is_promoted_as_etcds_table_says() {
        let table: &[(&[&str], bool)] = &[
            (&["1"], true),
            (&["1", "2"], true),
            (&["1", ""], true),
            (&["", ""], false),
            (&["1", "", ""], false),
            (&["1", "2", "", ""], true),
            (&["1", "", "", ""], false),
        ];
        for (names, expected) in table {
            assert_eq!(with_learner(names).is_ready_to_promote(), *expected, "{names:?}");
        }
    }
}
