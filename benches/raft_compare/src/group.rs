//! Three members of either engine, and the loop that drives them.
//!
//! What it is: the network, the client with its window, and the state machine that both engines apply to.
//! Invariants: every member applies every proposal once and in order.

use crate::{PAYLOAD_BYTES, WINDOW};

/// Entries applied between two compactions of a member's log.
const COMPACT_EVERY: u64 = 8_192;
/// Entries a compaction leaves.
const COMPACT_KEEP: u64 = 1_024;

/// A member with its stable log.
pub trait Member {
    /// What members send each other.
    type Message;

    /// Campaigns now.
    fn campaign(&mut self);
    /// Proposes bytes.
    fn propose(&mut self, data: Vec<u8>);
    /// Takes a message.
    fn step(&mut self, message: Self::Message);
    /// True if there is something to store, send or apply.
    fn has_work(&self) -> bool;
    /// Stores, sends and applies what there is.
    fn work(&mut self, state: &mut Applied, send: &mut impl FnMut(u64, Self::Message));
    /// Forgets the stable log below `index`.
    fn compact(&mut self, index: u64);
    /// True if it leads.
    fn leads(&self) -> bool;
}

/// The state machine: counts proposals, checks their order, and sums their bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    proposals: u64,
    sum: u64,
    index: u64,
    compacted: u64,
}

impl Applied {
    /// Applies one committed entry.
    pub fn apply(&mut self, index: u64, data: &[u8]) {
        assert!(index == self.index + 1, "entry {index} follows {}", self.index);
        self.index = index;
        let Some((number, rest)) = data.split_first_chunk::<8>() else { return };
        assert!(u64::from_le_bytes(*number) == self.proposals, "proposals come in order");
        self.proposals += 1;
        for word in rest.as_chunks::<8>().0 {
            self.sum = self.sum.wrapping_add(u64::from_le_bytes(*word));
        }
    }
}

/// The members, what is on its way to each, and what each applied.
pub struct Group<M: Member> {
    members: [M; 3],
    inboxes: [Vec<M::Message>; 3],
    /// Taken in turn for an inbox, so that neither engine pays for a fresh one.
    reading: Vec<M::Message>,
    applied: [Applied; 3],
    proposed: u64,
}

impl<M: Member> Group<M> {
    /// Members 1, 2 and 3.
    pub fn new(members: [M; 3]) -> Self {
        Self {
            members,
            inboxes: [const { Vec::new() }; 3],
            reading: Vec::new(),
            applied: [const { Applied { proposals: 0, sum: 0, index: 0, compacted: 0 } }; 3],
            proposed: 0,
        }
    }

    /// Makes the first member the leader.
    pub fn elect(&mut self) {
        self.members[0].campaign();
        for _ in 0..20 {
            self.round();
        }
        assert!(self.members[0].leads(), "the first member leads");
    }

    /// Proposes `count` times, at most [`WINDOW`] ahead of what the leader applied, and waits for all of it.
    ///
    /// Returns the sum of what was applied, so that the work cannot be left out.
    pub fn run(&mut self, count: u64) -> u64 {
        let end = self.proposed + count;
        while self.applied[0].proposals < end {
            while self.proposed < end && self.proposed - self.applied[0].proposals < WINDOW {
                let mut data = vec![7; PAYLOAD_BYTES];
                data[..8].copy_from_slice(&self.proposed.to_le_bytes());
                self.members[0].propose(data);
                self.proposed += 1;
            }
            self.round();
        }
        for _ in 0..4 {
            self.round();
        }
        for applied in &self.applied {
            assert!(applied.proposals == end, "{applied:?} is behind {end}");
            assert!(applied.sum == self.applied[0].sum, "members applied the same");
        }
        self.applied[0].sum
    }

    /// Each member reads its inbox, then does all its work.
    fn round(&mut self) {
        for at in 0..3 {
            let member = &mut self.members[at];
            std::mem::swap(&mut self.reading, &mut self.inboxes[at]);
            for message in self.reading.drain(..) {
                member.step(message);
            }
            let inboxes = &mut self.inboxes;
            let state = &mut self.applied[at];
            let mut send = |to: u64, message| {
                inboxes[usize::try_from(to).expect("ids are small") - 1].push(message);
            };
            while member.has_work() {
                member.work(state, &mut send);
            }
            if state.index - state.compacted >= COMPACT_EVERY {
                state.compacted = state.index - COMPACT_KEEP;
                member.compact(state.compacted);
            }
        }
    }
}
