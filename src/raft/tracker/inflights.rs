//! The sliding window of append messages that a follower has not acknowledged yet.
//!
//! What it is: a queue of (last index, bytes) with a limit on messages and on bytes.
//! What it is not: it does not know the messages; entries only.
//! Invariants: indexes in the queue rise; nothing is added while it is full.
//! Source: behaviour of etcd-io/raft `tracker/inflights.go`.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::types::Index;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Inflight {
    /// The index of the last entry of the message.
    last_index: Index,
    /// The payload bytes of the message.
    bytes: u64,
}

/// Append messages on their way to one follower.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inflights {
    /// Unit: messages.
    messages_max: u32,
    /// Unit: bytes. `u64::MAX`: no limit.
    bytes_max: u64,
    bytes: u64,
    queue: VecDeque<Inflight>,
}

impl Inflights {
    /// An empty window with the given limits; 0 bytes means no limit in bytes.
    #[must_use]
    pub fn new(messages_max: u32, bytes_max: u64) -> Self {
        let bytes_max = if bytes_max == 0 { u64::MAX } else { bytes_max };
        Self { messages_max, bytes_max, bytes: 0, queue: VecDeque::new() }
    }

    /// Adds a message that ends at `last_index`.
    ///
    /// # Panics
    /// If the window is full, or the index does not rise: the sender must ask first.
    pub fn add(&mut self, last_index: Index, bytes: u64) {
        assert!(!self.is_full(), "raft: message added to a full inflight window");
        let previous = self.queue.back().map_or(Index(0), |inflight| inflight.last_index);
        assert!(previous <= last_index, "raft: inflight index {last_index} below {previous}");
        self.bytes = self.bytes.saturating_add(bytes);
        self.queue.push_back(Inflight { last_index, bytes });
    }

    /// Frees every message that ends at or below `index`.
    pub fn free_up_to(&mut self, index: Index) {
        while let Some(first) = self.queue.front() {
            if first.last_index > index {
                break;
            }
            self.bytes = self.bytes.saturating_sub(first.bytes);
            self.queue.pop_front();
        }
        assert!(!self.queue.is_empty() || self.bytes == 0, "raft: bytes of nothing on their way");
    }

    /// True if no further message may be sent.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.count() >= u64::from(self.messages_max) || self.bytes >= self.bytes_max
    }

    /// The number of messages on their way.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.queue.len() as u64
    }

    /// The payload bytes on their way.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Forgets everything that is on its way.
    pub fn reset(&mut self) {
        self.queue.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frees_up_to_an_index_and_counts_bytes() {
        let mut window = Inflights::new(10, 0);
        for index in 0..10 {
            window.add(Index(index), 100 + index);
        }
        assert!(window.is_full());
        window.free_up_to(Index(0));
        assert_eq!((window.count(), window.is_full()), (9, false));
        window.free_up_to(Index(8));
        assert_eq!((window.count(), window.bytes()), (1, 109));
        window.free_up_to(Index(8));
        assert_eq!(window.count(), 1);
        window.reset();
        assert_eq!((window.count(), window.bytes()), (0, 0));
    }

    #[test]
    fn is_full_by_messages_or_by_bytes_and_may_exceed_bytes_once() {
        let mut window = Inflights::new(3, 1000);
        window.add(Index(1), 400);
        window.add(Index(2), 400);
        assert!(!window.is_full());
        window.add(Index(3), 1);
        assert!(window.is_full());
        window.free_up_to(Index(3));
        window.add(Index(4), 5000);
        assert!(window.is_full());
    }
}
