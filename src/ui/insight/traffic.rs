//! The dots in the ring: messages in flight.
//!
//! What it is: elements in the group that the ring keeps for them, moved by the style sheet's animation.
//! What it is not: a loop: nothing is computed per frame, and what is over goes with a later look.
//! Invariants: at most [`DOTS_MAX`] dots at a time; only transforms and opacity are animated; who wants stillness
//! gets words that stand beside the line and go after a while.

use std::cell::RefCell;

use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::JsCast;

use crate::playground::insight::Flight;
use crate::playground::view::ring::{Point, Segment};
use crate::types::Millis;
use crate::ui::dom;

/// Dots at a time. Source: ours; of more nobody sees which is which.
const DOTS_MAX: usize = 32;

/// How long words stand beside a line. Unit: ms.
const WORDS_MS: u64 = 2_000;

const SVG: &str = "http://www.w3.org/2000/svg";

/// Something that is drawn, and until when.
struct Drawn {
    element: web_sys::Element,
    until: Millis,
    /// Where words stand; nothing for a dot.
    place: Option<Point>,
}

/// See the module.
#[derive(Default)]
pub(super) struct Stage {
    drawn: RefCell<Vec<Drawn>>,
}

fn group() -> Option<web_sys::Element> {
    document().get_element_by_id("ring-traffic")
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
        let Some(group) = group() else { return };
        mark(&group, marked);
        let is_still = !flights.is_empty() && dom::wants_stillness();
        for flight in flights {
            if is_still {
                stand(&group, &mut drawn, &flight, now);
            } else if drawn.len() < DOTS_MAX {
                fly(&group, &mut drawn, &flight, now);
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

/// A dot on its way, with its name.
fn fly(group: &web_sys::Element, drawn: &mut Vec<Drawn>, flight: &Flight, now: Millis) {
    let (Some(dot), Some(circle)) = (make("g", "flight"), make("circle", "flight-dot")) else {
        return;
    };
    describe(&dot, flight);
    let _ = circle.set_attribute("r", if flight.label.is_empty() { "2.5" } else { "4.5" });
    let _ = dot.append_child(&circle);
    if !flight.label.is_empty()
        && let Some(words) = make("text", "flight-name")
    {
        // Each direction on its own side of the line.
        let is_forth = flight.way.to.x >= flight.way.from.x;
        let _ = words.set_attribute("y", if is_forth { "15" } else { "-8" });
        words.set_text_content(Some(&flight.label));
        let _ = dot.append_child(&words);
    }
    if let Some(style) = dot.dyn_ref::<web_sys::SvgElement>().map(web_sys::SvgElement::style) {
        let way = [
            ("--x0", flight.way.from.x),
            ("--y0", flight.way.from.y),
            ("--x1", flight.way.to.x),
            ("--y1", flight.way.to.y),
        ];
        for (name, value) in way {
            let _ = style.set_property(name, &format!("{value}px"));
        }
        let _ = style.set_property("animation-duration", &format!("{}ms", flight.ms));
    }
    if group.append_child(&dot).is_ok() {
        let until = now.plus(u64::from(flight.ms) + 100);
        drawn.push(Drawn { element: dot, until, place: None });
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
        drawn.push(Drawn { element: words, until, place: Some(place) });
    }
}
