//! Open calls and messages on their way to members.
//!
//! What it is: who waits for which answer, and one bundle of messages per member and microtask.
//! What it is not: a retry; a call that was sent is never sent again.
//! Invariants: every call ends once: answered, failed or given up.

use crate::api;
use crate::types::{MemberId, SmallMap};
use crate::wire::PageToMember;

/// The result a call can have besides an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The member answered.
    Reply(Result<api::Response, api::Error>),
    /// The member is not there, or went away; was the request sent?
    Failed(bool),
}

/// Who waits.
pub(super) enum Waiter {
    /// The page, by its own number.
    Page,
    /// The page, with a watch stream.
    PageStream,
    /// The bench.
    Bench(Box<dyn FnOnce(Outcome)>),
}

/// See the module.
#[derive(Default)]
pub(super) struct Calls {
    open: SmallMap<u64, (MemberId, Waiter)>,
    outbox: SmallMap<MemberId, Vec<PageToMember>>,
}

impl Calls {
    pub(super) fn open(&mut self, call: u64, member: MemberId, waiter: Waiter) {
        self.open.insert(call, (member, waiter));
    }

    pub(super) fn is_open(&self, call: u64) -> bool {
        self.open.contains_key(&call)
    }

    pub(super) fn close(&mut self, call: u64) -> Option<Waiter> {
        self.open.remove(&call).map(|(_, waiter)| waiter)
    }

    /// Ends all calls to a member, which is gone.
    pub(super) fn close_all(&mut self, member: MemberId) -> Vec<(u64, Waiter)> {
        self.outbox.remove(&member);
        let calls: Vec<u64> =
            self.open.iter().filter(|(_, (to, _))| *to == member).map(|(call, _)| *call).collect();
        calls.into_iter().filter_map(|call| Some((call, self.close(call)?))).collect()
    }

    /// Queues a message for the next bundle; true: it is the first, so a flush must be planned.
    pub(super) fn queue(&mut self, member: MemberId, message: PageToMember) -> bool {
        let is_first = self.outbox.is_empty();
        let bundle = self.outbox.get_or_insert_with(member, Vec::new);
        match (bundle.last_mut(), message) {
            (Some(PageToMember::Requests(before)), PageToMember::Requests(more)) => {
                before.extend(more);
            }
            (_, message) => bundle.push(message),
        }
        is_first
    }

    /// All bundles, or one member's.
    pub(super) fn take_bundles(&mut self) -> SmallMap<MemberId, Vec<PageToMember>> {
        std::mem::take(&mut self.outbox)
    }
}
