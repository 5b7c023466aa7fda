//! The check of a member's data against its peers' before it serves anybody.
//!
//! What it is: etcd's feature `InitialCorruptCheck`: a restarted member asks each peer for the hash at its
//! own revision; until the answers are in, or their time is up, it takes no part in anything.
//! What it is not: a repair, or a check of a new member.
//! Invariants: only a different hash at the same compact revision is a fault; who does not answer, is
//! behind, or has compacted more is passed over; what came meanwhile is handled afterwards, in order;
//! a member that fails stops, and may be started again without the check.
//! Source: behaviour of etcd `server/embed/etcd.go`, `server/etcdserver/corrupt.go` (`InitialCheck`).

use super::io::{Input, StopReason};
use super::peer::PeerMessage;
use super::server::Server;
use crate::api::{Error, HashKvResponse};
use crate::mvcc;
use crate::types::{MemberId, SmallSet};

/// Clients' messages that wait for the end of the check; later ones are lost. Unit: inputs. Source: ours.
const HELD_MAX: usize = 10_000;

/// Without an answer a question is asked again. Unit: ticks. Source: ours; messages may be lost.
const REPEAT_TICKS: u64 = 5;

/// Marks the numbers of these questions, so that no answer is taken for one of a leader's checks.
const ROUND_BIT: u64 = 1 << 63;

/// A check under way.
#[derive(Clone, Debug)]
pub(super) struct InitialCheck {
    own: mvcc::HashKv,
    waits_for: SmallSet<MemberId>,
    deadline: u64,
    held: Vec<Input>,
}

impl Server {
    /// Begins the check, if one is wanted and there is anybody to ask.
    pub(super) fn begin_initial_check(&mut self) {
        let peers = self.cluster.members.keys().filter(|id| **id != self.config.member);
        let waits_for: SmallSet<MemberId> = peers.copied().collect();
        // The newest revision can always be hashed.
        let own = self.store.hash_kv(0);
        if let Ok(own) = own
            && self.config.initial_corrupt_check
            && !waits_for.is_empty()
        {
            let deadline = self.request_deadline();
            self.initial_check = Some(InitialCheck { own, waits_for, deadline, held: Vec::new() });
        }
    }

    pub(super) const fn is_checking(&self) -> bool {
        self.initial_check.is_some()
    }

    const fn initial_round(&self) -> u64 {
        ROUND_BIT | self.boot
    }

    /// Handles an input during the check.
    pub(super) fn take_while_checking(&mut self, input: Input) {
        match input {
            Input::Tick => self.tick_initial_check(),
            Input::Persisted(ticket) => self.persisted(ticket),
            Input::Batch(inputs) => {
                for input in inputs {
                    self.take(input);
                }
            }
            Input::FromPeer { from, message } => match *message {
                PeerMessage::HashKvAnswer { round, result } if round == self.initial_round() => {
                    self.initial_answer(from, result);
                }
                PeerMessage::Removed => self.stop(StopReason::Removed, 0),
                // As if this member were not there.
                _ => {}
            },
            // Raft sends again what is lost.
            Input::Peer(_) => {}
            input => {
                if let Some(check) = &mut self.initial_check
                    && check.held.len() < HELD_MAX
                {
                    check.held.push(input);
                }
            }
        }
    }

    fn tick_initial_check(&mut self) {
        self.ticks += 1;
        self.disk.tick();
        let Some(check) = &self.initial_check else { return };
        if self.ticks >= check.deadline {
            self.end_initial_check();
            return;
        }
        if self.ticks % REPEAT_TICKS != 1 {
            return;
        }
        let revision = check.own.hash_revision;
        let peers: Vec<MemberId> = check.waits_for.iter().copied().collect();
        let round = self.initial_round();
        for peer in peers {
            self.send_peer(peer, PeerMessage::HashKv { round, revision });
        }
    }

    fn initial_answer(&mut self, peer: MemberId, result: Result<HashKvResponse, Error>) {
        let Some(check) = &mut self.initial_check else { return };
        if !check.waits_for.remove(&peer) {
            return;
        }
        match result {
            Ok(answer)
                if answer.compact_revision == check.own.compact_revision
                    && answer.hash != check.own.hash =>
            {
                let (hash, own) = (answer.hash, check.own.hash);
                log::warn!("{peer:x} has hash {hash}, this member {own}: it does not start");
                self.stop(StopReason::Inconsistent(self.config.member), 0);
                return;
            }
            Ok(_) => {}
            Err(error) => log::warn!("{peer:x} has no hash to compare: {error}"),
        }
        if check.waits_for.is_empty() {
            self.end_initial_check();
        }
    }

    /// Nothing was found: the member begins, with what came meanwhile.
    fn end_initial_check(&mut self) {
        let held = self.initial_check.take().map(|check| check.held).unwrap_or_default();
        self.no_leader_since = self.ticks;
        for input in held {
            self.take(input);
        }
    }
}
