//! Linearizable reads that wait until the leader knows that it still leads.
//!
//! What it is: the queue of read requests, and how far each member has confirmed it.
//! What it is not: the heartbeats that carry the position (see `leader`).
//! Invariants: positions rise by one per request and are never reused within a term; a member that
//! confirms a position confirms everything before it; requests leave in order.
//! Source: Raft thesis §6.4; etcd-io/raft 3.7, where a request is known by its position in the queue
//! and not by the caller's context, so that a repeated context cannot confirm the wrong request.

use std::collections::VecDeque;

use bytes::Bytes;

use super::config::ReadOnlyOption;
use super::message::Message;
use super::quorum::JointConfig;
use crate::types::{Index, MemberId, SmallMap};

/// Requests that may wait at once; more are dropped, and their callers ask again.
///
/// Unit: requests. Source: ours; etcd has no limit here.
pub(crate) const READS_WAITING_MAX: u64 = 65_536;

/// A read request and the commit index when it came.
#[derive(Clone, Debug)]
pub(crate) struct ReadRequest {
    pub(crate) message: Message,
    pub(crate) index: Index,
}

/// The reads that wait for confirmation.
#[derive(Clone, Debug)]
pub(crate) struct ReadOnly {
    option: ReadOnlyOption,
    queue: VecDeque<ReadRequest>,
    /// The position of the last request that left the queue; the front stands one above.
    released: u64,
    /// The highest position that each member has confirmed.
    confirmed: SmallMap<MemberId, u64>,
    /// The newest that were answered; nothing depends on them.
    answered: VecDeque<ReadLook>,
}

/// Reads that were answered and are remembered, for people to look at. Unit: requests. Source: ours.
const ANSWERED_MAX: usize = 32;

/// A read as the leader knows it, for people to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadLook {
    /// Who asked; [`super::NO_MEMBER`] for the leader itself.
    pub from: MemberId,
    /// What it asked with.
    pub context: Bytes,
    /// The commit index when it came.
    pub index: Index,
    /// Who has confirmed it.
    pub by: Vec<MemberId>,
    /// It was answered.
    pub is_answered: bool,
}

/// Writes a position into a heartbeat.
pub(crate) fn position_to_context(position: u64) -> Bytes {
    Bytes::copy_from_slice(&position.to_le_bytes())
}

/// Reads a position out of a heartbeat's answer.
pub(crate) fn position_from_context(context: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(context.try_into().ok()?))
}

impl ReadOnly {
    pub(crate) fn new(option: ReadOnlyOption) -> Self {
        Self {
            option,
            queue: VecDeque::new(),
            released: 0,
            confirmed: SmallMap::new(),
            answered: VecDeque::new(),
        }
    }

    pub(crate) fn option(&self) -> ReadOnlyOption {
        self.option
    }

    /// Queues a request; gives its position, or nothing if the queue is full.
    pub(crate) fn add(&mut self, index: Index, message: Message) -> Option<u64> {
        if self.queue.len() as u64 >= READS_WAITING_MAX {
            return None;
        }
        self.queue.push_back(ReadRequest { message, index });
        self.last_position()
    }

    /// The position of the last request that waits.
    pub(crate) fn last_position(&self) -> Option<u64> {
        (!self.queue.is_empty()).then(|| self.released + self.queue.len() as u64)
    }

    /// Notes that `id` answered a heartbeat which carried `position`.
    pub(crate) fn confirm(&mut self, id: MemberId, position: u64) {
        let position = position.min(self.released + self.queue.len() as u64);
        let highest = self.confirmed.get_or_insert_with(id, || 0);
        *highest = position.max(*highest);
    }

    /// Releases the requests that a quorum of `voters` has confirmed.
    pub(crate) fn release(&mut self, voters: &JointConfig) -> Vec<ReadRequest> {
        let position =
            voters.committed_index(|id| self.confirmed.get(&id).map(|high| Index(*high))).0;
        let end = self.released + self.queue.len() as u64;
        let count = position.saturating_sub(self.released).min(self.queue.len() as u64);
        self.remember(count);
        self.released += count;
        assert!(
            self.confirmed.iter().all(|(_, high)| *high <= end) && self.released <= end,
            "raft: read position {} or a confirmation above {end}",
            self.released
        );
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(self.queue.len());
        self.queue.drain(..count).collect()
    }

    /// Keeps the newest of the first `count`, which leave now.
    fn remember(&mut self, count: u64) {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        for at in count.saturating_sub(ANSWERED_MAX)..count {
            let Some(look) = self.look_at(at) else { continue };
            if self.answered.len() == ANSWERED_MAX {
                self.answered.pop_front();
            }
            self.answered.push_back(ReadLook { is_answered: true, ..look });
        }
    }

    /// The one at this place of the queue, from 0.
    fn look_at(&self, at: usize) -> Option<ReadLook> {
        let read = self.queue.get(at)?;
        let position = self.released + 1 + at as u64;
        let confirmed = self.confirmed.iter().filter(|(_, high)| **high >= position);
        Some(ReadLook {
            from: read.message.from,
            context: read.message.entries.first().map(|it| it.data.clone()).unwrap_or_default(),
            index: read.index,
            by: confirmed.map(|(id, _)| *id).collect(),
            is_answered: false,
        })
    }

    /// The newest reads, answered or not.
    pub(crate) fn look(&self) -> Vec<ReadLook> {
        let waiting = (0..self.queue.len().min(ANSWERED_MAX)).filter_map(|at| self.look_at(at));
        self.answered.iter().cloned().chain(waiting).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raft::message::MessageType;

    fn request(context: &'static [u8]) -> Message {
        let mut message = Message::local(MessageType::MsgReadIndex, MemberId(1));
        message.context = Bytes::from_static(context);
        message
    }

    fn three() -> JointConfig {
        JointConfig { incoming: (1..=3).map(MemberId).collect(), ..JointConfig::default() }
    }

    #[test]
    fn a_position_confirms_everything_before_it_and_nothing_after() {
        let mut reads = ReadOnly::new(ReadOnlyOption::Safe);
        for index in 1..=3 {
            assert_eq!(reads.add(Index(index), request(b"same")), Some(index));
            reads.confirm(MemberId(1), index);
        }
        assert!(reads.release(&three()).is_empty());
        reads.confirm(MemberId(2), 2);
        let released: Vec<u64> = reads.release(&three()).iter().map(|read| read.index.0).collect();
        assert_eq!(released, [1, 2]);
        reads.confirm(MemberId(3), 1);
        assert!(reads.release(&three()).is_empty());
        assert_eq!(reads.last_position(), Some(3));
        reads.confirm(MemberId(3), 3);
        assert_eq!(reads.release(&three()).len(), 1);
        assert_eq!(reads.last_position(), None);
    }

    #[test]
    fn a_late_answer_does_not_confirm_a_later_request_with_the_same_context() {
        let mut reads = ReadOnly::new(ReadOnlyOption::Safe);
        reads.add(Index(1), request(b"same"));
        reads.confirm(MemberId(1), 1);
        reads.confirm(MemberId(2), 1);
        assert_eq!(reads.release(&three()).len(), 1);
        reads.add(Index(5), request(b"same"));
        reads.confirm(MemberId(1), 2);
        reads.confirm(MemberId(2), 1);
        reads.confirm(MemberId(3), 1);
        assert!(reads.release(&three()).is_empty());
    }

    #[test]
    fn both_halves_of_a_joint_configuration_must_confirm() {
        let mut reads = ReadOnly::new(ReadOnlyOption::Safe);
        let voters = JointConfig {
            incoming: [MemberId(1)].into_iter().collect(),
            outgoing: [MemberId(1), MemberId(2)].into_iter().collect(),
        };
        reads.add(Index(1), request(b"a"));
        reads.confirm(MemberId(1), 1);
        assert!(reads.release(&voters).is_empty());
        reads.confirm(MemberId(2), u64::MAX);
        assert_eq!(reads.release(&voters).len(), 1);
        reads.add(Index(2), request(b"b"));
        reads.confirm(MemberId(1), 2);
        assert!(reads.release(&voters).is_empty(), "an answer from the future was clamped");
    }

    #[test]
    fn a_position_survives_the_heartbeat() {
        assert_eq!(position_to_context(258).as_ref(), [2, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(position_from_context(&[2, 1, 0, 0, 0, 0, 0, 0]), Some(258));
        assert_eq!(position_from_context(b"short"), None);
    }
}
