//! Whether all members' compactions hashed the same: asked by the leader from time to time.
//!
//! What it is: etcd's feature `CompactHashCheck`: for the newest compaction that was not checked yet the
//! leader asks each peer for the hash that its own compaction left; if some do not say, the one before
//! that is tried.
//! What it is not: a check of what is not compacted (see `corruption`), or a repair.
//! Invariants: answers count only if they are of the same pair of compactions; if most members agree, the
//! others get the alarm CORRUPT, each its own; if no majority agrees, it is raised for member 0, which is
//! the cluster; a revision that all members agreed on is never asked for again.
//! Source: behaviour of etcd `server/etcdserver/corrupt.go` (`CompactHashCheck`).

use std::collections::VecDeque;

use super::peer::PeerMessage;
use super::server::Server;
use crate::api::{AlarmType, Error, HashKvResponse};
use crate::mvcc::HashKv;
use crate::raft::StateRole;
use crate::types::{self, MemberId, SmallMap};

/// The checks of one leader.
#[derive(Clone, Debug, Default)]
pub(super) struct CompactHashCheck {
    /// The tick of the next check.
    next_at: u64,
    /// Up to here all members agreed.
    checked: i64,
    /// The revisions that this check still has to try, the newest first.
    left: VecDeque<HashKv>,
    asked: Option<Asked>,
}

/// One revision.
#[derive(Clone, Debug)]
struct Asked {
    round: u64,
    own: HashKv,
    deadline: u64,
    /// Every peer, and what it said.
    answers: SmallMap<MemberId, Option<Result<HashKvResponse, Error>>>,
}

/// What the hashes of a revision came to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    /// Everybody has the same.
    Agreed,
    /// Who answered has the same, but not everybody answered.
    Incomplete,
    /// These members differ from a majority; 0 stands for the cluster.
    Corrupt(Vec<MemberId>),
}

impl Server {
    pub(super) fn tick_compact_hash_check(&mut self) {
        let interval = self.ticks_of(self.config.compact_hash_check_ms);
        if interval == 0 {
            return;
        }
        if self.role != StateRole::Leader {
            self.compact_hash.asked = None;
            self.compact_hash.left.clear();
        }
        if self.compact_hash.asked.is_some() {
            self.judge_compaction();
            return;
        }
        if self.compact_hash.next_at == 0 {
            self.compact_hash.next_at = self.ticks + interval;
        }
        if self.ticks < self.compact_hash.next_at {
            return;
        }
        self.compact_hash.next_at = self.ticks + interval;
        if self.role == StateRole::Leader {
            let checked = self.compact_hash.checked;
            let hashes = self.store.compaction_hashes().iter().rev();
            self.compact_hash.left =
                hashes.filter(|hash| hash.hash_revision > checked).copied().collect();
            self.ask_for_compaction();
        }
    }

    /// Asks for the next revision that is left.
    fn ask_for_compaction(&mut self) {
        let peers: Vec<MemberId> =
            self.cluster.members.keys().copied().filter(|id| *id != self.config.member).collect();
        let Some(own) = self.compact_hash.left.pop_front() else { return };
        if peers.is_empty() {
            self.compact_hash.left.clear();
            return;
        }
        let round = self.corruption.next_round();
        let deadline = self.request_deadline();
        let answers = peers.iter().map(|peer| (*peer, None)).collect();
        self.compact_hash.asked = Some(Asked { round, own, deadline, answers });
        for peer in peers {
            self.send_peer(peer, PeerMessage::HashKv { round, revision: own.hash_revision });
        }
    }

    /// An answer came; true if it is one of this check's.
    pub(super) fn compaction_answered(
        &mut self,
        peer: MemberId,
        round: u64,
        result: &Result<HashKvResponse, Error>,
    ) -> bool {
        let asked = self.compact_hash.asked.as_mut().filter(|asked| asked.round == round);
        let Some(asked) = asked else { return false };
        if let Some(answer) = asked.answers.get_mut(&peer) {
            *answer = Some(result.clone());
        }
        true
    }

    fn judge_compaction(&mut self) {
        let is_over = self.compact_hash.asked.as_ref().is_some_and(|asked| {
            asked.answers.values().all(Option::is_some) || self.ticks >= asked.deadline
        });
        if !is_over {
            return;
        }
        let Some(asked) = self.compact_hash.asked.take() else { return };
        match verdict(self.config.member, &asked) {
            Verdict::Incomplete => self.ask_for_compaction(),
            Verdict::Agreed => {
                self.compact_hash.left.clear();
                self.compact_hash.checked = self.compact_hash.checked.max(asked.own.hash_revision);
            }
            Verdict::Corrupt(members) => {
                self.compact_hash.left.clear();
                for member in members {
                    self.raise_alarm(member, AlarmType::Corrupt, None);
                }
            }
        }
    }
}

fn verdict(leader: MemberId, asked: &Asked) -> Verdict {
    let mut by_hash: SmallMap<u32, Vec<MemberId>> = SmallMap::new();
    by_hash.insert(asked.own.hash, vec![leader]);
    let mut compared = 0;
    for (peer, answer) in &asked.answers {
        if let Some(Ok(answer)) = answer
            && answer.compact_revision == asked.own.compact_revision
        {
            compared += 1;
            by_hash.get_or_insert_with(answer.hash, Vec::new).push(*peer);
        }
    }
    if by_hash.len() == 1 {
        let is_complete = compared == asked.answers.len();
        return if is_complete { Verdict::Agreed } else { Verdict::Incomplete };
    }
    let quorum = asked.answers.len().div_ceil(2) + 1;
    if !by_hash.values().any(|members| members.len() >= quorum) {
        return Verdict::Corrupt(vec![MemberId(0)]);
    }
    let others = by_hash.into_iter().map(|(_, members)| members);
    let mut corrupt: Vec<MemberId> =
        others.filter(|members| members.len() < quorum).flatten().collect();
    types::sort(&mut corrupt);
    Verdict::Corrupt(corrupt)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: HashKv = HashKv { hash: 7, compact_revision: 1, hash_revision: 2 };

    /// What is said of the leader 1 and the peers 2, 3, …: (compact revision, hash), or nothing.
    fn judged(answers: &[Option<(i64, u32)>]) -> Verdict {
        let answer = |(compact_revision, hash)| {
            Ok(HashKvResponse { compact_revision, hash, ..HashKvResponse::default() })
        };
        let answers = (2..).map(MemberId).zip(answers.iter().map(|said| said.map(answer)));
        let asked = Asked { round: 1, own: OWN, deadline: 0, answers: answers.collect() };
        verdict(MemberId(1), &asked)
    }

    #[test]
    fn only_members_that_differ_from_a_majority_get_the_alarm() {
        let corrupt = |ids: &[u64]| Verdict::Corrupt(ids.iter().copied().map(MemberId).collect());
        assert_eq!(judged(&[Some((1, 7)), Some((1, 7))]), Verdict::Agreed);
        assert_eq!(judged(&[Some((1, 7)), None]), Verdict::Incomplete);
        assert_eq!(judged(&[Some((1, 7)), Some((9, 8))]), Verdict::Incomplete, "another pair");
        assert_eq!(judged(&[Some((1, 7)), Some((1, 8))]), corrupt(&[3]));
        assert_eq!(judged(&[Some((1, 8)), Some((1, 8))]), corrupt(&[1]), "the leader itself");
        assert_eq!(judged(&[Some((1, 8)), None]), corrupt(&[0]), "1 against 1 of 3");
        assert_eq!(judged(&[Some((1, 8)), Some((1, 9))]), corrupt(&[0]));
        let five = [Some((1, 7)), Some((1, 7)), Some((1, 8)), Some((1, 9))];
        assert_eq!(judged(&five), corrupt(&[4, 5]));
        assert_eq!(judged(&[Some((1, 7)), Some((1, 8)), Some((1, 8))]), corrupt(&[0]), "2 to 2");
        assert_eq!(judged(&[Some((1, 7)), Some((1, 7)), Some((1, 8))]), corrupt(&[4]), "3 of 4");
    }
}
