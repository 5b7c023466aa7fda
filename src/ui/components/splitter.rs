//! A line between two panels that is moved by pointer, touch or keys.

use leptos::prelude::*;
use leptos::web_sys;

use crate::playground::event::Event;
use crate::playground::layout::Split;
use crate::ui::context::Context;
use crate::ui::dom;
use crate::ui::node::{Node, div};

/// How far an arrow key moves it. Unit: percent of the space of both panels.
const STEP: i32 = 2;

/// The line; `label` says what it changes.
pub(crate) fn splitter(context: Context, split: Split, label: &'static str) -> Node {
    let frame = context.views.frame;
    let (least, most) = split.range();
    let move_to = move |share: Option<i32>| {
        let share = share.map(|share| u8::try_from(share.clamp(0, 100)).unwrap_or(0));
        context.send(Event::MoveSplit(split, share));
    };
    let share = move || {
        frame.with(|frame| frame.layout.share(split, frame.lower.is_workplace())).to_string()
    };
    div()
        .class("splitter")
        .class_if("is-upright", split.is_upright())
        .testid(format!("split-{}", split.name()))
        .set("role", "separator")
        .set("tabindex", "0")
        .label(label)
        .set("title", label)
        .set("aria-orientation", if split.is_upright() { "vertical" } else { "horizontal" })
        .set("aria-valuemin", least.to_string())
        .set("aria-valuemax", most.to_string())
        .follow("aria-valuenow", share)
        .on("pointerdown", |event| dom::capture_pointer(&event))
        .on("pointermove", move |event| {
            if dom::has_pointer(&event) {
                move_to(dom::share_at(&event, split.is_upright()));
            }
        })
        .on("dblclick", move |_| move_to(None))
        .on("keydown", move |event| {
            let Some(share) = key_moves(&event, split, i32::from(least), i32::from(most)) else {
                return;
            };
            event.prevent_default();
            move_to(share);
        })
}

/// Where a key moves the line; within: nothing is back to the default.
fn key_moves(event: &web_sys::Event, split: Split, least: i32, most: i32) -> Option<Option<i32>> {
    let now = dom::share_of(event, split.is_upright())?;
    let (back, on) =
        if split.is_upright() { ("ArrowLeft", "ArrowRight") } else { ("ArrowUp", "ArrowDown") };
    let key = dom::key_of(event);
    Some(match key.as_str() {
        "Home" => Some(least),
        "End" => Some(most),
        "Enter" => None,
        key if key == back => Some(now - STEP),
        key if key == on => Some(now + STEP),
        _ => return None,
    })
}
