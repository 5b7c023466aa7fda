//! How the simulated network treats messages between members.
//!
//! What it is: delay, loss, duplication; drawn anew for each message. Different delays reorder.
//! What it is not: cut links (see `fault`).
//! Invariants: a model that loses and doubles nothing draws one number per message.

use crate::raft::MessageType;
use crate::random::Pcg32;

/// The network's habits; they may change during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkModel {
    /// One way. Unit: ms, from and to.
    pub delay_ms: (u32, u32),
    /// Unit: messages per 1,000 that never arrive.
    pub lost: u32,
    /// Unit: messages per 1,000 that arrive twice.
    pub doubled: u32,
    /// Unit: messages per 1,000 that take ten times as long.
    pub late: u32,
    /// What a member sent before it stopped still arrives.
    pub outlives_sender: bool,
}

impl Default for NetworkModel {
    /// A local network. Source: ours.
    fn default() -> Self {
        Self { delay_ms: (1, 3), lost: 0, doubled: 0, late: 0, outlives_sender: false }
    }
}

impl NetworkModel {
    /// When copies of a message arrive, in ms from now; none if it is lost.
    ///
    /// A forwarded proposal is never doubled: like etcd's, the transport delivers a message at most once, and a
    /// proposal that came twice would be carried out twice.
    pub(super) fn arrivals(&self, kind: MessageType, random: &mut Pcg32) -> Vec<u64> {
        if self.lost > 0 && random.chance(self.lost, 1000) {
            return Vec::new();
        }
        self.copies(kind != MessageType::MsgProp, random)
    }

    /// As [`Self::arrivals`], for what members tell one another besides Raft's messages.
    pub(super) fn arrivals_of_peer(&self, random: &mut Pcg32) -> Vec<u64> {
        if self.lost > 0 && random.chance(self.lost, 1000) {
            return Vec::new();
        }
        self.copies(true, random)
    }

    fn copies(&self, may_double: bool, random: &mut Pcg32) -> Vec<u64> {
        let may_double = self.doubled > 0 && may_double;
        let copies = 1 + u32::from(may_double && random.chance(self.doubled, 1000));
        (0..copies)
            .map(|_| {
                let ms = u64::from(random.between(self.delay_ms.0, self.delay_ms.1));
                let is_late = self.late > 0 && random.chance(self.late, 1000);
                if is_late { ms * 10 } else { ms }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_that_loses_all_delivers_nothing_and_one_that_doubles_all_delivers_twice() {
        let mut random = Pcg32::for_stream(1, &[]);
        let lossy = NetworkModel { lost: 1000, ..Default::default() };
        assert!(lossy.arrivals(MessageType::MsgApp, &mut random).is_empty());
        let doubling = NetworkModel { doubled: 1000, ..Default::default() };
        assert_eq!(doubling.arrivals(MessageType::MsgApp, &mut random).len(), 2);
        let late = NetworkModel { late: 1000, ..Default::default() };
        assert!(late.arrivals(MessageType::MsgApp, &mut random).iter().all(|ms| *ms >= 10));
        assert!(
            NetworkModel::default()
                .arrivals(MessageType::MsgApp, &mut random)
                .iter()
                .all(|ms| (1..=3).contains(ms))
        );
    }
}
