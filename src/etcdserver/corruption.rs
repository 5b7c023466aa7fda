//! Whether all members hold the same data: the leader asks for hashes from time to time.
//!
//! What it is: one round of questions at a time, and the judgement of each answer.
//! What it is not: a repair: the alarm CORRUPT is raised, which refuses everything until people act.
//! Invariants: a hash is compared only at the same compact revision; an answer is judged when this member
//! has applied everything that was committed when it came; one round raises at most one alarm.
//! Source: behaviour of etcd `server/etcdserver/corrupt.go` (`PeriodicCheck`).

use super::peer::PeerMessage;
use super::server::Server;
use crate::api::{AlarmType, Error, HashKvResponse};
use crate::mvcc;
use crate::raft::StateRole;
use crate::types::{Index, MemberId};

/// The checks of one leader.
#[derive(Clone, Debug, Default)]
pub(super) struct CorruptionCheck {
    last_round: u64,
    round: u64,
    begun_at: u64,
    /// The leader's own hash in this round; `None` when the round is over.
    own: Option<mvcc::HashKv>,
    /// Answers, and the commit index when they came.
    answers: Vec<(MemberId, HashKvResponse, Index)>,
}

impl CorruptionCheck {
    /// A number that no question of this member has had since it started.
    pub(super) const fn next_round(&mut self) -> u64 {
        self.last_round += 1;
        self.last_round
    }
}

impl Server {
    pub(super) fn tick_corruption_check(&mut self) {
        let interval = self.ticks_of(self.config.corrupt_check_ms);
        if interval == 0 || self.role != StateRole::Leader {
            self.corruption.own = None;
            self.corruption.answers.clear();
            return;
        }
        self.judge_answers();
        if self.ticks < self.corruption.begun_at + interval {
            return;
        }
        let Ok(own) = self.store.hash_kv(0) else { return };
        let round = self.corruption.next_round();
        self.corruption = CorruptionCheck {
            last_round: round,
            round,
            begun_at: self.ticks,
            own: Some(own),
            answers: Vec::new(),
        };
        let peers: Vec<MemberId> =
            self.cluster.members.keys().copied().filter(|id| *id != self.config.member).collect();
        for peer in peers {
            let revision = own.hash_revision;
            self.send_peer(peer, PeerMessage::HashKv { round, revision });
        }
    }

    /// A peer wants to compare.
    pub(super) fn hash_for(&mut self, peer: MemberId, round: u64, revision: i64) {
        let result = self.store.hash_by_revision(revision).map(|hash| self.hash_response(&hash));
        self.send_peer(peer, PeerMessage::HashKvAnswer { round, result });
    }

    pub(super) fn hash_answered(
        &mut self,
        peer: MemberId,
        round: u64,
        result: Result<HashKvResponse, Error>,
    ) {
        if self.compaction_answered(peer, round, &result) {
            return;
        }
        let commit = self.raft.commit();
        if round == self.corruption.round && self.corruption.own.is_some() {
            match result {
                Ok(answer) => self.corruption.answers.push((peer, answer, commit)),
                Err(error) => log::debug!("{peer:x} has no hash to compare: {error}"),
            }
        }
    }

    fn judge_answers(&mut self) {
        let Some(own) = self.corruption.own else { return };
        let applied = self.applied;
        let (ripe, open) = std::mem::take(&mut self.corruption.answers)
            .into_iter()
            .partition(|(_, _, commit)| *commit <= applied);
        self.corruption.answers = open;
        let ripe: Vec<(MemberId, HashKvResponse, Index)> = ripe;
        let revision = self.store.current_revision();
        let compact_revision = self.store.compact_revision();
        let is_wrong = |answer: &HashKvResponse| {
            answer.header.revision > revision
                || answer.compact_revision > compact_revision
                || (answer.compact_revision == own.compact_revision && answer.hash != own.hash)
        };
        let wrong = ripe.into_iter().find(|(_, answer, _)| is_wrong(answer));
        if let Some((peer, answer, _)) = wrong {
            log::warn!("{peer:x} has hash {}, this member {}", answer.hash, own.hash);
            self.corruption.own = None;
            self.raise_alarm(peer, AlarmType::Corrupt, None);
        }
    }
}
