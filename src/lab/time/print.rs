//! What a timeline remembers of each event, so that two of them can be compared.
//!
//! What it is: time, and two short hashes: of what the event is, and of everything before it.
//! What it is not: the event; for that the timeline is played to it.
//! Invariants: equal events give equal prints everywhere; numbers of messages do not count.

use crate::scenario::moment::{Flight, Occurred};
use crate::types::{MemberId, Millis};

/// FNV-1a's beginning and factor, for 64 bits.
const BEGIN: u64 = 0xcbf2_9ce4_8422_2325;
const FACTOR: u64 = 0x0100_0000_01b3;

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Print {
    /// Virtual time. Unit: ms, at most 49 days.
    at: u32,
    what: u32,
    before: u64,
}

impl Print {
    /// Of an event; `before` is the hash over everything before it.
    pub(super) fn new(at: Millis, what: &Occurred, before: u64) -> Self {
        let at = u32::try_from(at.0).unwrap_or(u32::MAX);
        Self { at, what: hash(what), before }
    }
}

/// Where two timelines differ first: the number of the event, and of the moment from which what is there differs.
pub(super) fn difference(one: &[Print], other: &[Print]) -> Option<(u64, u64)> {
    let number = |at: usize| u64::try_from(at).unwrap_or(u64::MAX);
    let pairs = || one.iter().zip(other);
    let shorter = one.len().min(other.len());
    let is_other_event =
        |(one, other): (&Print, &Print)| (one.at, one.what) != (other.at, other.what);
    let event =
        pairs().position(is_other_event).or((one.len() != other.len()).then_some(shorter))?;
    let from = pairs().position(|(one, other)| one.before != other.before).unwrap_or(event);
    Some((number(event) + 1, number(from.min(event))))
}

fn hash(what: &Occurred) -> u32 {
    let mut fnv = Fnv(BEGIN);
    match what {
        Occurred::Nothing => fnv.number(0),
        Occurred::Tick(member) => fnv.members(1, &[*member]),
        Occurred::Message(flight) => fnv.flight(flight),
        Occurred::Connected(one, other) => fnv.members(3, &[*one, *other]),
        Occurred::Disk(member) => fnv.members(4, &[*member]),
        Occurred::Asked { member, what } => {
            fnv.members(5, &[*member]);
            fnv.text(what);
        }
        Occurred::Answered { what, is_failure } => {
            fnv.number(6 + u64::from(*is_failure) * 16);
            fnv.text(&what.english);
        }
        Occurred::Timer => fnv.number(7),
        Occurred::Stale => fnv.number(8),
    }
    let [.., a, b, c, d] = fnv.0.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

struct Fnv(u64);

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(FACTOR);
        }
    }

    fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0xff]);
    }

    fn members(&mut self, kind: u64, members: &[MemberId]) {
        self.number(kind);
        for member in members {
            self.number(member.0);
        }
    }

    fn flight(&mut self, flight: &Flight) {
        self.members(2, &[flight.from, flight.to]);
        self.text(&flight.kind);
        for number in [
            flight.term.0,
            flight.index.0,
            flight.log_term.0,
            flight.commit.0,
            flight.entries,
            u64::from(flight.is_reject) + 2 * u64::from(flight.is_doomed),
        ] {
            self.number(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(at: u64, before: u64) -> Print {
        Print::new(Millis(at), &Occurred::Tick(MemberId(at)), before)
    }

    #[test]
    fn the_first_other_event_and_the_first_other_state_are_found() {
        let one = [print(1, 1), print(2, 2), print(3, 3), print(4, 4)];
        assert_eq!(difference(&one, &one), None);
        let mut other = one;
        other[2] = print(3, 9);
        other[3] = print(5, 9);
        assert_eq!(difference(&one, &other), Some((4, 2)));
        assert_eq!(difference(&one, &one[..3]), Some((4, 3)));
        assert_eq!(difference(&[], &one), Some((1, 0)));
    }
}
