//! The dots in the ring: messages in flight.
//!
//! What it is: elements above the ring, moved by the style sheet's animation.
//! What it is not: a loop: nothing is computed per frame, and what is over goes with a later look. Nor a part of the
//! picture below: a browser lays a picture out anew for each step of what moves in it.
//! Invariants: at most [`DOTS_MAX`] dots at a time, [`NAMED_MAX`] of them with their names; only transforms and
//! opacity are animated; who wants stillness gets words that stand beside the line and go after a while.

use std::cell::RefCell;

use leptos::prelude::*;
use leptos::web_sys;

use crate::playground::insight::Flight;
use crate::playground::view::ring::{Point, Segment, WIDTH};
use crate::types::Millis;
use crate::ui::dom;

/// Dots at a time. Source: ours; of more nobody sees which is which.
const DOTS_MAX: usize = 32;

/// Dots with a name at a time: when all call at once, nobody could read theirs.
const NAMED_MAX: usize = 3;

/// How long words stand beside a line. Unit: ms.
const WORDS_MS: u64 = 2_000;

const SVG: &str = "http://www.w3.org/2000/svg";

/// Something that is drawn, and until when.
struct Drawn {
    element: web_sys::Element,
    until: Millis,
    /// Where words stand; nothing for a dot.
    place: Option<Point>,
    is_named: bool,
}

/// See the module.
#[derive(Default)]
pub(super) struct Stage {
    drawn: RefCell<Vec<Drawn>>,
}

fn group() -> Option<web_sys::Element> {
    document().get_element_by_id("ring-traffic")
}

/// Where dots fly.
fn sky() -> Option<web_sys::Element> {
    document().get_element_by_id("ring-flights")
}

fn make(tag: &str, class: &str) -> Option<web_sys::Element> {
    let element = document().create_element_ns(Some(SVG), tag).ok()?;
    let _ = element.set_attribute("class", class);
    Some(element)
}

impl Stage {
    /// True if somebody can see the ring.
    pub(super) fn is_seen(&self) -> bool {
        let ring = group().and_then(|group| group.closest(".ring").ok().flatten());
        if document().hidden() {
            return false;
        }
        ring.is_some_and(|ring| {
            let place = ring.get_bounding_client_rect();
            let height = window().inner_height().ok().and_then(|height| height.as_f64());
            let is_below = height.is_some_and(|height| place.top() > height);
            place.width() > 0.0 && place.bottom() > 0.0 && !is_below
        })
    }

    /// Draws what leaves now, takes away what is over, and marks a way.
    pub(super) fn draw(&self, flights: Vec<Flight>, marked: Option<Segment>) {
        let now = dom::now();
        let mut drawn = self.drawn.borrow_mut();
        drawn.retain(|it| {
            let is_over = now >= it.until;
            if is_over {
                it.element.remove();
            }
            !is_over
        });
        let Some((group, sky)) = group().zip(sky()) else { return };
        mark(&group, marked);
        let is_still = !flights.is_empty() && dom::wants_stillness();
        for flight in flights {
            if is_still {
                stand(&group, &mut drawn, &flight, now);
            } else if drawn.len() < DOTS_MAX {
                fly(&sky, &mut drawn, &flight, now);
            }
        }
    }
}

/// The way that is pointed at.
fn mark(group: &web_sys::Element, way: Option<Segment>) {
    let old = group.query_selector(".ring-marked").ok().flatten();
    let Some(way) = way else {
        if let Some(old) = old {
            old.remove();
        }
        return;
    };
    let line = old.or_else(|| {
        let line = make("line", "ring-marked")?;
        let _ = line.set_attribute("data-testid", "ring-marked");
        group.prepend_with_node_1(&line).ok().map(|()| line)
    });
    if let Some(line) = line {
        let ends = [("x1", way.from.x), ("y1", way.from.y), ("x2", way.to.x), ("y2", way.to.y)];
        for (name, value) in ends {
            let value = value.to_string();
            if line.get_attribute(name).as_deref() != Some(&value) {
                let _ = line.set_attribute(name, &value);
            }
        }
    }
}

fn describe(element: &web_sys::Element, flight: &Flight) {
    let told =
        [("data-class", flight.class), ("data-fate", flight.fate), ("data-kind", &flight.kind)];
    for (name, value) in told {
        let _ = element.set_attribute(name, value);
    }
}

/// A point of the ring as a part of its width, which is what the sky's units are.
fn part(units: i32) -> String {
    let part = units * 10_000 / WIDTH;
    format!("{}{}.{:02}cqw", if part < 0 { "-" } else { "" }, part.abs() / 100, part.abs() % 100)
}

/// A dot on its way, with its name.
fn fly(sky: &web_sys::Element, drawn: &mut Vec<Drawn>, flight: &Flight, now: Millis) {
    let (Some(flying), Some(dot)) = (dom::element("flight"), dom::element("flight-dot")) else {
        return;
    };
    describe(&flying, flight);
    let _ = flying.append_child(&dot);
    let named = drawn.iter().filter(|it| it.is_named).count();
    let is_named = !flight.label.is_empty() && named < NAMED_MAX;
    if is_named && let Some(words) = dom::element("flight-says") {
        // Each direction on its own side of the line.
        let is_forth = flight.way.to.x >= flight.way.from.x;
        let _ = words.set_attribute("data-side", if is_forth { "forth" } else { "back" });
        words.set_text_content(Some(&flight.label));
        let _ = flying.append_child(&words);
    }
    let style = flying.style();
    let way = [
        ("--x0", flight.way.from.x),
        ("--y0", flight.way.from.y),
        ("--x1", flight.way.to.x),
        ("--y1", flight.way.to.y),
    ];
    for (name, units) in way {
        let _ = style.set_property(name, &part(units));
    }
    let _ = style.set_property("animation-duration", &format!("{}ms", flight.ms));
    if sky.append_child(&flying).is_ok() {
        let until = now.plus(u64::from(flight.ms) + 100);
        drawn.push(Drawn { element: flying.into(), until, place: None, is_named });
    }
}

/// Words beside the line, in the place of a dot.
fn stand(group: &web_sys::Element, drawn: &mut Vec<Drawn>, flight: &Flight, now: Millis) {
    if flight.label.is_empty() {
        return;
    }
    let (from, to) = (flight.way.from, flight.way.to);
    let place = Point { x: from.x + (to.x - from.x) * 2 / 5, y: from.y + (to.y - from.y) * 2 / 5 };
    let until = now.plus(WORDS_MS);
    if let Some(old) = drawn.iter_mut().find(|it| it.place == Some(place)) {
        old.until = until;
        old.element.set_text_content(Some(&flight.label));
        describe(&old.element, flight);
        return;
    }
    let Some(words) = make("text", "flight-name is-still") else { return };
    describe(&words, flight);
    let _ = words.set_attribute("x", &place.x.to_string());
    let _ = words.set_attribute("y", &place.y.to_string());
    words.set_text_content(Some(&flight.label));
    if group.append_child(&words).is_ok() {
        drawn.push(Drawn { element: words, until, place: Some(place), is_named: false });
    }
}
