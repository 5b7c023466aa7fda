//! The cluster as a picture: discs on a ring, lines between them.

use leptos::prelude::*;

use crate::playground::event::Event;
use crate::playground::view::ring::{HEIGHT, NODE_RADIUS, Point, WIDTH};
use crate::playground::view::{CardView, LinkState, LinkView, Mark};
use crate::types::MemberId;
use crate::ui::context::Context;
use crate::ui::node::{Build, Row, memo, parts, rows};
use crate::ui::shape::{Shape, circle, group, line, path, svg, text, title};

/// The picture. Its text twin is its label; links can be pressed here and in the list below it.
pub(crate) fn ring(context: Context) -> Shape {
    let cluster = context.views.cluster;
    let words = context.text;
    let links = memo(move || cluster.with(|cluster| cluster.links.clone()));
    let members = memo(move || {
        cluster.with(|cluster| cluster.cards.iter().map(|card| card.member).collect::<Vec<_>>())
    });
    let nodes = move || {
        let row = |member: MemberId| Row::new(member.to_string(), move || node(context, member));
        members.get().into_iter().map(row).collect()
    };
    svg(format!("0 0 {WIDTH} {HEIGHT}"))
        .class("ring")
        .set("role", "img")
        .follow("aria-label", move || cluster.with(|cluster| words.ring_label.of(&cluster.summary)))
        .set("data-testid", "ring")
        .child(parts(move || links.get().iter().map(|view| link(context, view).build()).collect()))
        .child(rows(nodes))
        // What is said beside a line is drawn by the program of the views.
        .child(group().set("id", "ring-traffic"))
}

fn link(context: Context, link: &LinkView) -> Shape {
    let ends = ((link.line.from.x, link.line.from.y), (link.line.to.x, link.line.to.y));
    let state = match link.state {
        LinkState::Open => "open",
        LinkState::Idle => "idle",
        LinkState::Disturbed => "disturbed",
        LinkState::Cut => "cut",
        LinkState::CutForth => "cut-forth",
        LinkState::CutBack => "cut-back",
    };
    let middle = link.line.middle();
    // A direction that is cut is broken at the end where nothing arrives.
    let break_at = match link.state {
        LinkState::Open | LinkState::Idle | LinkState::Disturbed => None,
        LinkState::Cut => Some(middle),
        LinkState::CutForth => Some(toward(middle, link.line.to)),
        LinkState::CutBack => Some(toward(middle, link.line.from)),
    };
    let broken = break_at.map(|at| {
        let (left, right, top) = (at.x - 6, at.x + 6, at.y - 6);
        let strokes = format!("M{left} {top}l12 12M{right} {top}l-12 12");
        path().class("ring-break").set("d", strokes)
    });
    let action = link.button.action;
    let hint = context.text.noted.of(&link.sentence, link.button.label);
    group()
        .class("ring-link")
        .set("data-state", state)
        .set("data-led", link.is_led.to_string())
        .child(line(ends.0, ends.1).class("ring-line"))
        .child(broken)
        .child(
            line(ends.0, ends.1)
                .class("ring-hit")
                .press(move || context.send(Event::Act(action)))
                .child(title().child(hint)),
        )
}

const fn toward(from: Point, to: Point) -> Point {
    Point { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }
}

/// A member's disc. It stays while the member does, so that what changes about it can be animated.
fn node(context: Context, member: MemberId) -> Shape {
    let card = context.card(member);
    let read = move |of: fn(&CardView) -> String| {
        move || card.get().map(|card| of(&card)).unwrap_or_default()
    };
    let radius = NODE_RADIUS;
    group()
        .class("ring-node")
        .follow("data-mark", read(|card| card.mark.name().to_owned()))
        .follow("data-isolated", read(|card| card.is_isolated.to_string()))
        .follow("transform", read(|card| format!("translate({} {})", card.at.x, card.at.y)))
        .child(circle("0", "0", (radius + 6).to_string()).class("ring-halo"))
        .child(circle("0", "0", radius.to_string()).class("ring-disc"))
        .child(
            circle("0", "0", (radius + 3).to_string())
                .class("ring-timer")
                .set("pathLength", "1000")
                .follow("stroke-dasharray", read(|card| format!("{} 1000", card.timer_permille))),
        )
        .child(glyph(
            read(|card| card.mark.name().to_owned()),
            read(|card| strokes(card.mark).to_owned()),
        ))
        .child(
            text()
                .class("ring-name")
                .set("y", (radius + 17).to_string())
                .text(read(|card| card.name.clone())),
        )
        .child(title().text(read(|card| {
            let told = [&card.waits, &card.timer].into_iter().filter(|words| !words.is_empty());
            told.fold(format!("{} {}", card.name, card.role), |all, words| all + "\n" + words)
        })))
}

/// The sign inside a disc: role by shape.
pub(crate) fn glyph(
    mark: impl FnMut() -> String + Send + 'static,
    strokes: impl FnMut() -> String + Send + 'static,
) -> Shape {
    path().class("glyph").follow("data-mark", mark).follow("d", strokes)
}

/// The sign of a role that may be none yet.
pub(crate) fn role_glyph(
    name: impl FnMut() -> String + Send + 'static,
    mut mark: impl FnMut() -> Option<Mark> + Send + 'static,
) -> Shape {
    glyph(name, move || mark().map(strokes).unwrap_or_default().to_owned())
}

/// The strokes of a glyph.
pub(crate) const fn strokes(mark: Mark) -> &'static str {
    match mark {
        Mark::Leader => "M-11 6l-2-13 7 5 6-9 6 9 7-5-2 13z",
        Mark::Follower => "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z",
        Mark::Candidate | Mark::PreCandidate => "M0-11L11 0 0 11-11 0z",
        Mark::Learner => "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
        Mark::Paused => "M-7-9h5v18h-5zM2-9h5v18H2z",
        Mark::Starting => "M-9 0h4M-2 0h4M5 0h4",
        Mark::Down => "M-8-8L8 8M8-8L-8 8",
    }
}
