//! What clients did, and the verdict on it.
//!
//! What it is: [`Chronicle`], which takes the notes of the page's edge, lets `check::Live` rule on them a few at a
//! time, and makes lanes, the verdict's words and the facts of one operation.
//! What it is not: the judge.
//! Invariants: at most [`OPERATIONS_MAX`] operations are kept for the lanes; a call of [`Chronicle::work`] takes a
//! bounded number of notes, so that a frame of the page stays short; values above [`VALUE_MAX`] are kept as a hash.
//!
//! A store that existed before the history begins is read once, by a linearizable read of everything that the page
//! asks for; until it is answered, and where it is refused or too large, only the order of revisions is judged.

mod axis;
mod shrink;
mod words;

use std::collections::VecDeque;

use super::history_strings::HistoryStrings;
use super::model::Known;
use super::monitor::Monitor;
use super::protocol::{Ask, Fault};
use super::tap::{Asked, End, Note};
use crate::api::{self, MemberEvent};
use crate::check::{Live, Ruling, is_serializable};
use crate::types::{MemberId, Millis};
use bytes::Bytes;

pub use axis::{AxisMarkKind, AxisMarkView, BarKind, BarView, ClientLaneView, HistoryView, Tone};
pub use words::{FactView, OperationView, VerdictView};

/// Operations that are kept for the lanes. Unit: operations. Source: ours.
const OPERATIONS_MAX: usize = 400;
/// Faults and leaders that are kept. Unit: marks.
const MARKS_MAX: usize = 200;
/// What a call of `work` may cost. Unit: notes of some dozen microseconds. Source: ours; a frame's 8 ms are more.
const BUDGET: u64 = 100;
/// Bytes of keys and values that cost one unit of the budget. Unit: bytes.
const BYTES_PER_UNIT: u64 = 4_096;
/// Larger values are told apart by a hash. Unit: bytes.
pub(super) const VALUE_MAX: usize = 1_024;
/// Most keys of a store that is read as a whole. Unit: keys. Source: ours; an answer of some hundred KB.
const BASE_KEYS_MAX: i64 = 2_000;
/// Looks between two tries to read the store. Unit: looks of 250 ms.
const BASE_EVERY: u32 = 20;
/// Tries to read the store. Unit: tries.
const BASE_TRIES: u32 = 5;
/// Looks for which the state at a revision may be awaited. Unit: looks of 250 ms.
const STUCK_LOOKS: u32 = 16;

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Answered(Box<Result<api::Response, api::Error>>),
    Large(i64),
    Unsent,
    Lost,
}

/// One operation.
#[derive(Clone, Debug)]
struct Operation {
    call: u64,
    client: u32,
    member: MemberId,
    asked: Asked,
    called: (Millis, u64),
    ended: Option<(Millis, u64, Outcome)>,
    ruling: Option<Ruling>,
}

impl Operation {
    fn is_write(&self) -> bool {
        match &self.asked {
            Asked::Keys(request) => match &**request {
                api::Request::Txn(_) => !is_serializable(request),
                api::Request::Range(_) | api::Request::HashKv(_) => false,
                _ => true,
            },
            Asked::Other(_) => false,
        }
    }

    /// Nobody will ever know when it took effect, if it did.
    fn has_no_end(&self) -> bool {
        let is_lost = matches!(&self.ended, Some((_, _, Outcome::Lost)));
        is_lost || matches!(&self.ruling, Some(Ruling::Unknown { .. }))
    }

    fn is_serializable(&self) -> bool {
        matches!(&self.asked, Asked::Keys(request) if is_serializable(request))
    }
}

/// A fault, or a leader.
#[derive(Clone, Debug)]
enum Mark {
    Fault(Fault),
    Leader(MemberId, u64),
}

/// What came of reading the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Base {
    #[default]
    Untried,
    TooLarge,
    Refused,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Chronicle {
    queue: VecDeque<Note>,
    live: Live,
    operations: VecDeque<Operation>,
    marks: VecDeque<(Millis, Mark)>,
    chosen: Option<u64>,
    /// Notes taken so far: what order is made of.
    moment: u64,
    dropped: u64,
    older: u64,
    /// The first thing that has no place.
    broken: Option<(Option<u64>, Ruling)>,
    base: Base,
    base_call: Option<u64>,
    tries: u32,
    looks: u32,
    stuck: (u64, u32),
}

impl Default for Chronicle {
    fn default() -> Self {
        Self {
            queue: VecDeque::new(),
            live: Live::new(false),
            operations: VecDeque::new(),
            marks: VecDeque::new(),
            chosen: None,
            moment: 0,
            dropped: 0,
            older: 0,
            broken: None,
            base: Base::Untried,
            base_call: None,
            tries: 0,
            looks: 0,
            stuck: (0, 0),
        }
    }
}

fn note_units(note: &Note) -> u64 {
    let bytes = match note {
        Note::Ended { end: End::Answered(result), .. } => match &**result {
            Ok(api::Response::Range(range)) => {
                range.kvs.iter().map(|kv| kv.key.len() + kv.value.len() + 64).sum()
            }
            _ => 0,
        },
        Note::Saw { events, .. } => {
            events.iter().map(|it| it.kv.key.len() + it.kv.value.len() + 64).sum()
        }
        _ => 0,
    };
    1 + u64::try_from(bytes).unwrap_or(u64::MAX) / BYTES_PER_UNIT
}

impl Chronicle {
    pub(super) fn hear(&mut self, note: Note) {
        self.queue.push_back(note);
    }

    pub(super) fn fault(&mut self, at: Millis, fault: Fault) {
        self.mark(at, Mark::Fault(fault));
    }

    pub(super) fn event(&mut self, at: Millis, member: MemberId, event: &MemberEvent) {
        if let MemberEvent::BecameLeader { term } = event {
            self.mark(at, Mark::Leader(member, term.0));
        }
    }

    fn mark(&mut self, at: Millis, mark: Mark) {
        if self.marks.len() == MARKS_MAX {
            self.marks.pop_front();
        }
        self.marks.push_back((at, mark));
    }

    /// Looks at as many notes as a frame has room for; true if more wait.
    pub(super) fn work(&mut self, monitor: &mut Monitor) -> bool {
        let mut units = 0;
        while units < BUDGET
            && let Some(note) = self.queue.pop_front()
        {
            units += note_units(&note);
            self.take(note, monitor);
        }
        for (id, ruling) in self.live.take_rulings() {
            if matches!(ruling, Ruling::Violation(_)) && self.broken.is_none() {
                self.broken = Some((id, ruling.clone()));
            }
            let Some(id) = id else { continue };
            if let Some(operation) = self.operations.iter_mut().rev().find(|it| it.call == id) {
                operation.ruling = Some(ruling);
            }
        }
        !self.queue.is_empty()
    }

    fn take(&mut self, note: Note, monitor: &mut Monitor) {
        self.moment += 1;
        match note {
            Note::Began { is_empty } => self.live = Live::new(is_empty),
            Note::Forced => {
                // Revisions may begin below what was there.
                self.live = Live::new(false);
                monitor.forget();
                self.begin_again();
            }
            Note::Dropped(count) => {
                self.dropped += count;
                // How they ended may be among what is missing.
                self.operations.retain(|operation| operation.ended.is_some());
                self.live.forget();
                self.begin_again();
            }
            Note::Called { at, call, client, member, mut asked } => {
                if let Asked::Keys(request) = &mut asked {
                    shrink::request(request);
                    self.live.called(call, (**request).clone());
                    if is_base(request) && client == 0 && self.live.wants_base() {
                        self.base_call = Some(call);
                    }
                }
                let called = (at, self.moment);
                self.operations.push_back(Operation {
                    call,
                    client,
                    member,
                    asked,
                    called,
                    ended: None,
                    ruling: None,
                });
                if self.operations.len() > OPERATIONS_MAX {
                    self.operations.pop_front();
                    self.older += 1;
                }
            }
            Note::Ended { at, call, end } => self.end(at, call, end, monitor),
            Note::Saw { mut events, is_everything } => {
                events.iter_mut().for_each(shrink::event);
                self.live.saw(&events, is_everything);
            }
        }
    }

    fn begin_again(&mut self) {
        self.base = Base::Untried;
        self.tries = 0;
    }

    fn end(&mut self, at: Millis, call: u64, end: End, monitor: &mut Monitor) {
        let outcome = match end {
            End::Answered(mut result) => {
                if let Ok(response) = &mut *result {
                    shrink::response(response);
                }
                self.live.answered(call, (*result).clone());
                Outcome::Answered(result)
            }
            End::TooLarge(revision) => {
                self.live.answered_at(call, revision);
                Outcome::Large(revision)
            }
            End::Unsent => {
                self.live.unsent(call);
                Outcome::Unsent
            }
            End::Lost | End::GivenUp => {
                self.live.lost(call);
                Outcome::Lost
            }
        };
        if self.base_call == Some(call) {
            self.base_call = None;
            self.base = match &outcome {
                Outcome::Answered(result) => match &**result {
                    Ok(api::Response::Range(range)) if range.more => Base::TooLarge,
                    Ok(_) => Base::Untried,
                    Err(error) if is_login(*error) => Base::Refused,
                    Err(_) => Base::Untried,
                },
                Outcome::Large(_) => Base::TooLarge,
                Outcome::Unsent | Outcome::Lost => Base::Untried,
            };
        }
        let found = self.operations.iter_mut().rev().find(|it| it.call == call);
        let Some(operation) = found.filter(|it| it.ended.is_none()) else { return };
        if let Asked::Keys(request) = &operation.asked
            && let api::Request::HashKv(asked) = &**request
        {
            let answer = match &outcome {
                Outcome::Answered(result) => match &**result {
                    Ok(api::Response::HashKv(answer)) => Some(answer),
                    _ => None,
                },
                _ => None,
            };
            monitor.hash(operation.member, asked.revision, answer);
        }
        operation.ended = Some((at, self.moment, outcome));
    }

    /// What to ask members for, four times a second while the view is open.
    pub(super) fn asks(&mut self, known: &Known) -> Option<Ask> {
        self.looks = self.looks.wrapping_add(1);
        let waiting = self.live.standing().waiting;
        let compared = self.live.standing().compared;
        if waiting == 0 || compared != self.stuck.0 {
            self.stuck = (compared, 0);
        } else {
            self.stuck.1 += 1;
            if self.stuck.1 >= STUCK_LOOKS {
                self.live.accept_base();
                self.begin_again();
                self.stuck = (compared, 0);
            }
        }
        let is_open = self.base_call.is_some() || !self.queue.is_empty();
        let is_useless = self.base != Base::Untried || self.tries >= BASE_TRIES;
        if !self.live.wants_base() || self.broken.is_some() || is_open || is_useless {
            return None;
        }
        if self.tries > 0 && !self.looks.is_multiple_of(BASE_EVERY) {
            return None;
        }
        let leader = known.leader()?;
        self.tries += 1;
        let zero = Bytes::from_static(&[0]);
        let request = Box::new(api::Request::Range(api::RangeRequest {
            key: zero.clone(),
            range_end: zero,
            limit: BASE_KEYS_MAX,
            ..api::RangeRequest::default()
        }));
        Some(Ask::Request { member: leader.member, request })
    }

    /// Another operation is looked at, or none.
    pub(super) const fn choose(&mut self, call: Option<u64>) {
        self.chosen = call;
    }

    pub(super) fn view(
        &self,
        monitor: &Monitor,
        known: &Known,
        s: &'static HistoryStrings,
    ) -> HistoryView {
        let mut view = self.axis(known, s);
        view.verdict = self.verdict(known, s);
        view.invariants = monitor.view(known, s);
        let chosen = self.operations.iter().find(|it| Some(it.call) == self.chosen);
        view.chosen_call = chosen.map(|operation| operation.call);
        view.chosen = chosen.map(|operation| self.operation(operation, known, s));
        view
    }
}

fn is_base(request: &api::Request) -> bool {
    matches!(request, api::Request::Range(range)
        if range.key.as_ref() == [0] && range.range_end.as_ref() == [0] && range.revision == 0)
}

const fn is_login(error: api::Error) -> bool {
    matches!(
        error,
        api::Error::UserEmpty | api::Error::PermissionDenied | api::Error::InvalidAuthToken
    )
}

#[cfg(test)]
mod tests;
