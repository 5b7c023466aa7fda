//! The proof that no acknowledged write is lost: each is read again at its revision.
//!
//! What it is: one question after the other, for the page to ask beside the consoles, and the verdict.
//! What it is not: a search: what was not seen acknowledged is not looked for.
//! Invariants: at most [`PROOFS_MAX`] puts are read, the newest; what was compacted away is no loss.

use std::collections::VecDeque;

use super::lesson::{LessonAsk, Reader};
use crate::api;
use crate::scenario::{Cannot, Reason, Saying, Told, World, Write};

/// Most acknowledged puts that are read again. Source: ours; a second or two in a browser.
const PROOFS_MAX: usize = 200;

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Proof {
    reader: Reader,
    left: VecDeque<Write>,
    count: u64,
}

/// What comes next.
pub(super) enum Next {
    /// This is to be asked.
    Ask(LessonAsk),
    /// The verdict: how many could be read, or what is wrong.
    Ended(Result<u64, Told>),
}

impl Proof {
    pub(super) fn new(reader: Reader, writes: &[Write]) -> Self {
        let from = writes.len().saturating_sub(PROOFS_MAX);
        let left = writes.get(from..).unwrap_or_default().iter().cloned().collect();
        Self { reader, left, count: 0 }
    }

    /// The next question.
    pub(super) fn next(&self, world: &World) -> Next {
        let Some(write) = self.left.front() else { return Next::Ended(Ok(self.count)) };
        let running = || world.members.iter().find(|view| view.runs()).map(|view| view.member.id);
        match world.leader().or_else(running) {
            Some(member) => Next::Ask(LessonAsk::Read {
                reader: self.reader,
                member,
                key: write.key.clone(),
                revision: write.revision,
            }),
            None => Next::Ended(Err(Cannot::Because(Reason::NoneRuns).into())),
        }
    }

    /// An answer, or none; an error ends the proof.
    pub(super) fn hear(
        &mut self,
        answer: Option<Result<api::Response, api::Error>>,
    ) -> Result<(), Told> {
        let Some(write) = self.left.pop_front() else { return Ok(()) };
        let name = String::from_utf8_lossy(&write.key);
        let told = |saying| Told::of(saying, &name).and(write.revision);
        match answer {
            Some(Ok(api::Response::Range(answer))) => {
                let is_it = |kv: &api::KeyValue| {
                    kv.value == write.value && kv.mod_revision == write.revision
                };
                if !answer.kvs.iter().any(is_it) {
                    return Err(told(Saying::Gone));
                }
                self.count += 1;
                Ok(())
            }
            Some(Err(api::Error::Compacted)) => Ok(()),
            Some(Err(error)) => Err(told(Saying::Unread).and(error)),
            Some(Ok(_)) | None => Err(told(Saying::Unread).about(Told::new(Saying::NoAnswer))),
        }
    }
}
