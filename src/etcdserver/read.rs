//! Linearizable reads: batches of requests that wait for a read index, then for the applied index.
//!
//! What it is: etcd's `linearizableReadLoop` as data: one batch asks, the next one collects.
//! What it is not: the read itself.
//! Invariants: a read is served only at an applied index at or above a read index that was asked for
//! after the read arrived; a retry asks with a new context, so that a late answer to the old one counts
//! only if it is still safe (it is: it was asked for after these reads arrived); a context names the boot that asked,
//! so that a late answer to what was asked before a restart counts for nothing.
//! Source: behaviour of etcd `server/etcdserver/v3_server.go`.

use std::collections::VecDeque;

use bytes::Bytes;

use super::io::RequestId;
use crate::api::Request;
use crate::auth::AuthInfo;
use crate::mutant::{self, Mutant};
use crate::raft::ReadState;
use crate::types::Index;

/// Ticks after which an unanswered read index is asked for again.
///
/// Unit: ticks. Default: 5 (500 ms). Source: etcd `readIndexRetryTime`.
const RETRY_TICKS: u64 = 5;

type Waiting = Vec<(RequestId, AuthInfo, Request)>;

#[derive(Clone, Debug)]
struct Asked {
    /// Contexts sent for this batch, oldest first.
    contexts: Vec<u64>,
    began_at: u64,
    asked_at: u64,
    requests: Waiting,
}

/// The queue of linearizable reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadQueue {
    next: Waiting,
    /// The tick since when `next` can be asked for.
    next_since: u64,
    asked: Option<Asked>,
    confirmed: VecDeque<(Index, Waiting)>,
    /// Of the member that asks.
    boot: u64,
    last_context: u64,
    /// Questions that Raft refused.
    failed: u64,
}

impl ReadQueue {
    /// An empty queue of a member's boot.
    pub(crate) fn new(boot: u64) -> Self {
        Self { boot, ..Self::default() }
    }

    pub(crate) fn push(&mut self, id: RequestId, who: AuthInfo, request: Request) {
        self.next.push((id, who, request));
    }

    /// The context to ask Raft with now, if a batch is due.
    pub(crate) fn next_context(&mut self, tick: u64) -> Option<Bytes> {
        if self.asked.is_none() && !self.next.is_empty() {
            let requests = std::mem::take(&mut self.next);
            self.asked =
                Some(Asked { contexts: Vec::new(), began_at: tick, asked_at: tick, requests });
            return Some(self.ask(tick));
        }
        None
    }

    /// The context to ask again with, if the batch was not answered in time.
    pub(crate) fn retry_context(&mut self, tick: u64) -> Option<Bytes> {
        let asked_at = self.asked.as_ref()?.asked_at;
        (tick >= asked_at + RETRY_TICKS).then(|| self.ask(tick))
    }

    /// The context to ask again with at once: there is a new leader, or its first commit.
    pub(crate) fn repeat_context(&mut self, tick: u64) -> Option<Bytes> {
        self.asked.is_some().then(|| self.ask(tick))
    }

    fn ask(&mut self, tick: u64) -> Bytes {
        if !mutant::is(Mutant::ReadContextReused) {
            self.last_context += 1;
        }
        let context = self.last_context;
        if let Some(asked) = &mut self.asked {
            asked.contexts.push(context);
            asked.asked_at = tick;
        }
        [self.boot.to_be_bytes(), context.to_be_bytes()].concat().into()
    }

    /// Raft refused the question; it is asked again in time.
    pub(crate) const fn asking_failed(&mut self) {
        self.failed += 1;
    }

    /// Questions that Raft refused so far.
    pub(crate) const fn failed(&self) -> u64 {
        self.failed
    }

    /// Takes out the batch that waits for its answer for `limit` ticks, or, where nobody can be asked, the
    /// next one: its reads are given up. To be called with every tick.
    pub(crate) fn take_late(&mut self, tick: u64, limit: u64) -> Vec<RequestId> {
        let late = self.asked.take_if(|asked| tick >= asked.began_at + limit);
        let mut requests = late.map(|asked| asked.requests).unwrap_or_default();
        if self.next.is_empty() || self.asked.is_some() {
            self.next_since = tick;
        } else if tick >= self.next_since + limit {
            requests.append(&mut self.next);
            self.next_since = tick;
        }
        requests.into_iter().map(|(id, ..)| id).collect()
    }

    /// Raft answered; true if somebody waited for it.
    pub(crate) fn confirm(&mut self, state: &ReadState) -> bool {
        let Some((boot, context)) = state.request_context.split_first_chunk::<8>() else {
            return false;
        };
        let Ok(context) = <[u8; 8]>::try_from(context) else { return false };
        if u64::from_be_bytes(*boot) != self.boot && !mutant::is(Mutant::ReadContextReused) {
            return false;
        }
        let context = u64::from_be_bytes(context);
        if self.asked.as_ref().is_some_and(|asked| asked.contexts.contains(&context))
            && let Some(asked) = self.asked.take()
        {
            self.confirmed.push_back((state.index, asked.requests));
            return true;
        }
        false
    }

    /// The newest question, and whose it is; for people to look at.
    pub(super) fn newest_asked(&self) -> (u64, impl Iterator<Item = RequestId>) {
        let asked = self.asked.iter().flat_map(|asked| &asked.requests);
        (self.last_context, asked.map(|(id, ..)| *id))
    }

    /// The reads that were confirmed last, and up to where they wait; for people to look at.
    pub(super) fn newest_confirmed(&self) -> (Index, impl Iterator<Item = RequestId>) {
        let newest = self.confirmed.back();
        let ids = newest.into_iter().flat_map(|(_, requests)| requests);
        (newest.map(|(index, _)| *index).unwrap_or_default(), ids.map(|(id, ..)| *id))
    }

    /// Reads that may be served at this applied index.
    pub(crate) fn ready(&mut self, applied: Index) -> Waiting {
        let mut ready = Vec::new();
        while self.confirmed.front().is_some_and(|(index, _)| *index <= applied) {
            if let Some((_, requests)) = self.confirmed.pop_front() {
                ready.extend(requests);
            }
        }
        ready
    }

    /// The client does not wait any more.
    pub(crate) fn cancel(&mut self, id: RequestId) {
        self.next.retain(|(waiting, ..)| *waiting != id);
        if let Some(asked) = &mut self.asked {
            asked.requests.retain(|(waiting, ..)| *waiting != id);
            if asked.requests.is_empty() {
                self.asked = None;
            }
        }
        for (_, requests) in &mut self.confirmed {
            requests.retain(|(waiting, ..)| *waiting != id);
        }
    }

    /// Requests waiting, for the limit on them.
    pub(crate) fn len(&self) -> u64 {
        let confirmed: usize = self.confirmed.iter().map(|(_, requests)| requests.len()).sum();
        let asked = self.asked.as_ref().map_or(0, |asked| asked.requests.len());
        u64::try_from(self.next.len() + asked + confirmed).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::StatusRequest;

    fn read(queue: &mut ReadQueue, id: u64) {
        queue.push(RequestId(id), AuthInfo::default(), Request::Status(StatusRequest {}));
    }

    #[test]
    fn a_read_that_arrives_after_the_question_waits_for_the_next_one() {
        let mut queue = ReadQueue::default();
        read(&mut queue, 1);
        let first = queue.next_context(0).unwrap();
        read(&mut queue, 2);
        assert!(queue.next_context(0).is_none());
        queue.confirm(&ReadState { index: Index(4), request_context: first });
        assert!(queue.ready(Index(3)).is_empty());
        let served: Vec<_> = queue.ready(Index(4)).into_iter().map(|(id, ..)| id.0).collect();
        assert_eq!(served, [1]);
        assert!(queue.next_context(0).is_some());
    }

    #[test]
    fn an_answer_to_a_question_of_an_earlier_boot_counts_for_nothing() {
        let (mut before, mut after) = (ReadQueue::new(1), ReadQueue::new(2));
        read(&mut before, 1);
        let old = before.next_context(0).unwrap();
        read(&mut after, 1);
        let new = after.next_context(0).unwrap();
        after.confirm(&ReadState { index: Index(1), request_context: old });
        assert!(after.ready(Index(9)).is_empty(), "a late answer served a read that came after it");
        after.confirm(&ReadState { index: Index(4), request_context: new });
        assert_eq!(after.ready(Index(9)).len(), 1);
    }

    #[test]
    fn an_unanswered_question_is_repeated_with_a_new_context_and_either_answer_counts() {
        let mut queue = ReadQueue::default();
        read(&mut queue, 1);
        let first = queue.next_context(0).unwrap();
        assert!(queue.retry_context(4).is_none());
        let second = queue.retry_context(5).unwrap();
        assert_ne!(first, second);
        queue.confirm(&ReadState { index: Index(1), request_context: first });
        assert_eq!(queue.ready(Index(1)).len(), 1);
        queue.confirm(&ReadState { index: Index(1), request_context: second });
        assert!(queue.ready(Index(9)).is_empty());
    }

    #[test]
    fn reads_that_nobody_confirms_are_given_up_asked_for_or_not() {
        let mut queue = ReadQueue::default();
        read(&mut queue, 1);
        assert!(queue.next_context(10).is_some());
        read(&mut queue, 2);
        assert!(queue.take_late(79, 70).is_empty());
        assert_eq!(queue.take_late(80, 70), [RequestId(1)]);
        assert!(queue.take_late(148, 70).is_empty());
        assert_eq!(queue.take_late(149, 70), [RequestId(2)], "it was never asked for");
        read(&mut queue, 3);
        assert!(queue.take_late(218, 70).is_empty());
        assert_eq!(queue.len(), 1);
    }

    #[test]
    fn a_canceled_read_is_never_served() {
        let mut queue = ReadQueue::default();
        read(&mut queue, 1);
        let context = queue.next_context(0).unwrap();
        queue.cancel(RequestId(1));
        queue.confirm(&ReadState { index: Index(1), request_context: context });
        assert!(queue.ready(Index(1)).is_empty());
        assert_eq!(queue.len(), 0);
    }
}
