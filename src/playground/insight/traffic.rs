//! Messages in flight, as the ring shows them.
//!
//! What it is: which dot leaves when, from where to where, and what it is called; several messages of a kind on one
//! link are one dot with their number.
//! What it is not: a drawing, or a measurement: a message that takes a millisecond is shown for longer, so that it
//! can be seen at all.
//! Invariants: of one kind on one directed link at most one dot leaves per [`GAP_MS`], of heartbeats per [`CALM_MS`];
//! no message is forgotten in the numbers; at most [`FLIGHTS_MAX`] dots wait to be drawn.

use super::messages::{Class, fate_name, kind_name};
use super::model::Known;
use super::strings::InsightStrings;
use crate::playground::view::ring::{self, Point, Segment};
use crate::types::{MemberId, Millis};
use crate::wire::{Fate, MessageKind, MessageSample};

/// Between two dots of a kind on one directed link. Unit: ms. Source: ours; longer than a dot is on its way, so that one
/// at a time is.
const GAP_MS: u64 = 800;

/// The same for heartbeats, which come ten times a second. Unit: ms. Source: ours, a calm pulse.
const CALM_MS: u64 = 1_000;

/// How long a dot is on its way that the link does not hold back. Unit: ms. Source: ours.
const FLIGHT_MS: u32 = 700;

/// Dots that wait to be drawn; of more the oldest go. Unit: dots.
const FLIGHTS_MAX: usize = 48;

/// How far beside the line the dots of a direction go. Unit: that of the picture.
const BESIDE: i64 = 5;

/// A dot on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// From whom to whom.
    pub link: (MemberId, MemberId),
    /// Its way; what does not arrive ends before its end.
    pub way: Segment,
    /// What it is called, with its number.
    pub label: String,
    /// Its kind, for tests.
    pub kind: String,
    /// For style sheets: `heartbeat`, `append`, `vote`, `snapshot`, `read` or `other`.
    pub class: &'static str,
    /// For style sheets: `sent`, `held`, `doubled`, `lost`, `cut` or `away`.
    pub fate: &'static str,
    /// How long it is on its way. Unit: ms.
    pub ms: u32,
}

/// Messages of a kind that went the same way since their last dot.
#[derive(Clone, Debug)]
struct Lane {
    link: (MemberId, MemberId),
    kind: MessageKind,
    fate: Fate,
    count: u64,
    last: Option<Millis>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Traffic {
    lanes: Vec<Lane>,
    flights: Vec<Flight>,
}

impl Traffic {
    pub(super) fn hear(&mut self, from: MemberId, sample: &MessageSample) {
        for counted in &sample.counts {
            let link = (from, counted.to);
            let is_lane = |lane: &&mut Lane| {
                lane.link == link
                    && Class::of(lane.kind) == Class::of(counted.kind)
                    && same_kind(lane.kind, counted.kind)
                    && fate_name(lane.fate) == fate_name(counted.fate)
            };
            let count = u64::from(counted.count);
            match self.lanes.iter_mut().find(is_lane) {
                Some(lane) => {
                    lane.count += count;
                    (lane.kind, lane.fate) = (counted.kind, counted.fate);
                }
                None => self.lanes.push(Lane {
                    link,
                    kind: counted.kind,
                    fate: counted.fate,
                    count,
                    last: None,
                }),
            }
        }
    }

    /// Lets the dots leave whose time has come.
    pub(super) fn depart(&mut self, now: Millis, known: &Known, s: &InsightStrings) {
        for lane in &mut self.lanes {
            let is_calm = Class::of(lane.kind) == Class::Heartbeat;
            let gap = if is_calm { CALM_MS } else { GAP_MS };
            let is_due = lane.last.is_none_or(|last| now.since(last) >= gap);
            if lane.count == 0 || !is_due {
                continue;
            }
            lane.last = Some(now);
            let count = std::mem::take(&mut lane.count);
            let Some(way) = way_of(known, lane.link) else { continue };
            let (part, ms) = match lane.fate {
                Fate::Sent | Fate::Away => (100, FLIGHT_MS),
                Fate::Held(ms) | Fate::Doubled(ms) => (100, ms.max(FLIGHT_MS)),
                Fate::Lost => (60, FLIGHT_MS),
                Fate::Cut => (45, FLIGHT_MS),
            };
            let kind = kind_name(lane.kind, s.messages);
            let label = if count > 1 { format!("{kind} ×{count}") } else { kind.clone() };
            let to = Point {
                x: way.from.x + (way.to.x - way.from.x) * part / 100,
                y: way.from.y + (way.to.y - way.from.y) * part / 100,
            };
            if self.flights.len() == FLIGHTS_MAX {
                self.flights.remove(0);
            }
            self.flights.push(Flight {
                link: lane.link,
                way: Segment { from: way.from, to },
                label: if is_calm { String::new() } else { label },
                kind,
                class: Class::of(lane.kind).name(),
                fate: fate_name(lane.fate),
                ms,
            });
        }
        self.lanes.retain(|lane| {
            lane.count > 0 || lane.last.is_some_and(|last| now.since(last) < 2 * CALM_MS)
        });
    }

    /// The dots that left since this was last asked.
    pub(super) fn take(&mut self) -> Vec<Flight> {
        std::mem::take(&mut self.flights)
    }
}

/// True if two kinds have the same name.
fn same_kind(one: MessageKind, other: MessageKind) -> bool {
    match (one, other) {
        (MessageKind::Raft(one), MessageKind::Raft(other)) => one == other,
        _ => std::mem::discriminant(&one) == std::mem::discriminant(&other),
    }
}

/// The way of a direction, beside the line between its ends.
pub(super) fn way_of(known: &Known, (from, to): (MemberId, MemberId)) -> Option<Segment> {
    let count = u32::try_from(known.members.len()).ok()?;
    let place = |member| {
        let at = known.members.iter().position(|note| note.id == member)?;
        Some(ring::node(u32::try_from(at).ok()?, count))
    };
    let line = ring::link(place(from)?, place(to)?);
    let (dx, dy) = (i64::from(line.to.x - line.from.x), i64::from(line.to.y - line.from.y));
    let length = (dx * dx + dy * dy).isqrt().max(1);
    let aside = |delta: i64| i32::try_from(delta * BESIDE / length).unwrap_or(0);
    let shift = |point: Point| Point { x: point.x + aside(-dy), y: point.y + aside(dx) };
    Some(Segment { from: shift(line.from), to: shift(line.to) })
}

#[cfg(test)]
mod tests {
    use super::super::messages::tests::{TWO, counted, known};
    use super::super::strings::EN;
    use super::*;
    use crate::wire::MessageCount;

    const ONE: MemberId = MemberId(1);

    fn sample(counts: &[MessageCount]) -> MessageSample {
        MessageSample { counts: counts.to_vec(), ..MessageSample::default() }
    }

    fn depart(traffic: &mut Traffic, now: u64) -> Vec<(String, &'static str, u32)> {
        traffic.depart(Millis(now), &known(3), &EN);
        traffic.take().into_iter().map(|flight| (flight.label, flight.fate, flight.ms)).collect()
    }

    #[test]
    fn many_messages_of_a_kind_are_one_dot_with_their_number() {
        let mut traffic = Traffic::default();
        traffic.hear(ONE, &sample(&[counted("MsgApp", Fate::Sent, 1)]));
        assert_eq!(depart(&mut traffic, 1_000), [("MsgApp".to_owned(), "sent", FLIGHT_MS)]);
        for _ in 0..3 {
            traffic.hear(ONE, &sample(&[counted("MsgApp", Fate::Sent, 4)]));
        }
        assert!(depart(&mut traffic, 1_799).is_empty(), "one left just now");
        assert_eq!(depart(&mut traffic, 1_800), [("MsgApp ×12".to_owned(), "sent", FLIGHT_MS)]);
        assert!(depart(&mut traffic, 9_000).is_empty());
    }

    #[test]
    fn heartbeats_are_a_calm_pulse_without_words() {
        let mut traffic = Traffic::default();
        let mut pulses = 0;
        for tick in 0..50 {
            traffic.hear(ONE, &sample(&[counted("MsgHeartbeat", Fate::Sent, 1)]));
            let flights = depart(&mut traffic, tick * 100);
            assert!(flights.iter().all(|(label, ..)| label.is_empty()));
            pulses += flights.len();
        }
        assert_eq!(pulses, 5);
    }

    #[test]
    fn what_is_held_back_takes_its_time_and_what_is_lost_does_not_arrive() {
        let mut traffic = Traffic::default();
        let held = counted("MsgApp", Fate::Held(2_000), 1);
        traffic.hear(ONE, &sample(&[held, counted("MsgVote", Fate::Cut, 2)]));
        traffic.depart(Millis(1), &known(3), &EN);
        let flights = traffic.take();
        let way = way_of(&known(3), (ONE, TWO)).unwrap();
        assert_eq!((flights[0].fate, flights[0].ms, flights[0].way), ("held", 2_000, way));
        assert_eq!((flights[1].fate, flights[1].class), ("cut", "vote"));
        assert_eq!(flights[1].label, "MsgVote ×2");
        assert_ne!(flights[1].way.to, way.to);
    }

    #[test]
    fn the_two_directions_of_a_link_do_not_lie_on_one_another() {
        let (forth, back) =
            (way_of(&known(3), (ONE, TWO)).unwrap(), way_of(&known(3), (TWO, ONE)).unwrap());
        assert_ne!((forth.from, forth.to), (back.to, back.from));
        assert_eq!(way_of(&known(3), (ONE, MemberId(9))), None);
    }

    #[test]
    fn dots_that_nobody_draws_are_bounded() {
        let mut traffic = Traffic::default();
        for at in 0..1_000 {
            traffic.hear(ONE, &sample(&[counted("MsgApp", Fate::Sent, 1)]));
            traffic.depart(Millis(at * GAP_MS), &known(3), &EN);
        }
        assert_eq!(traffic.take().len(), FLIGHTS_MAX);
    }
}
