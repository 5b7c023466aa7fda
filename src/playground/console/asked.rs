//! What a command asked, for those who ask why it got its answer, or gets none.
//!
//! What it is: the newest calls of one block, and how each stands.
//! What it is not: what members know of them (see `insight`).
//! Invariants: at most [`CALLS_MAX`] are kept, the oldest go first and are counted.

use std::collections::VecDeque;

use crate::playground::insight::{CallEnd, CallNote};
use crate::types::{MemberId, Millis};

/// Calls that are kept of one command. Unit: calls. Source: ours.
const CALLS_MAX: usize = 32;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Asked {
    calls: VecDeque<CallNote>,
    older: u64,
}

impl Asked {
    /// A call is made, or, with number 0, was not.
    pub(super) fn begin(&mut self, call: u64, member: Option<MemberId>, at: Millis) {
        if self.calls.len() == CALLS_MAX {
            self.calls.pop_front();
            self.older += 1;
        }
        let (ended, end) =
            if call == 0 { (Some(at), CallEnd::Refused) } else { (None, CallEnd::Open) };
        self.calls.push_back(CallNote { call, member, at, ended, end });
    }

    /// A call is over.
    pub(super) fn end(&mut self, call: u64, end: CallEnd, at: Millis) {
        let open = self.calls.iter_mut().rev().find(|it| it.call == call && it.ended.is_none());
        if let Some(note) = open {
            (note.ended, note.end) = (Some(at), end);
        }
    }

    /// How many are not kept, and the others.
    pub(super) fn notes(&self) -> (u64, Vec<CallNote>) {
        (self.older, self.calls.iter().cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_calls_are_kept_with_how_they_ended() {
        let mut asked = Asked::default();
        for call in 1..=40 {
            asked.begin(call, Some(MemberId(1)), Millis(call));
        }
        asked.end(40, CallEnd::Answered, Millis(50));
        asked.end(40, CallEnd::Canceled, Millis(60));
        asked.begin(0, None, Millis(70));
        let (older, notes) = asked.notes();
        assert_eq!((older, notes.len()), (9, 32));
        let ends: Vec<_> = notes.iter().rev().take(3).map(|it| (it.end, it.ended)).collect();
        assert_eq!(
            ends,
            [
                (CallEnd::Refused, Some(Millis(70))),
                (CallEnd::Answered, Some(Millis(50))),
                (CallEnd::Open, None),
            ]
        );
    }
}
