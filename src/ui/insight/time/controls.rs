//! Play, steps, speed, and the scrubber.

use leptos::prelude::*;

use super::{Desk, PLAY_ID};
use crate::playground::insight::{ControlsView, Moves, Speed, TimeState, To};
use crate::ui::dom;
use crate::ui::node::{Node, button, div, h3, input, memo, p, show, span};
use crate::ui::shape::{Shape, path, svg};

/// What leads nowhere now keeps the focus, so that keys go on.
const OFF: &str = "aria-disabled";
/// Goes to an end.
const TO_START: &str = "M3.5 3.5v9M12.5 3.5L6 8l6.5 4.5z";
const TO_END: &str = "M12.5 3.5v9M3.5 3.5L10 8l-6.5 4.5z";
/// One event.
const BACK: &str = "M11 3.5L4.5 8 11 12.5z";
const PLAY: &str = "M5 3.2v9.6L12.6 8z";
const PAUSE: &str = "M5 3.5v9M11 3.5v9";

fn sign(strokes: impl FnMut() -> String + Send + 'static) -> Shape {
    svg("0 0 16 16")
        .class("icon")
        .set("width", "16")
        .set("height", "16")
        .set("aria-hidden", "true")
        .set("focusable", "false")
        .child(path().follow("d", strokes))
}

/// The head of a run: what it is, and everything that moves it.
pub(super) fn controls(desk: Desk) -> Node {
    let (text, view) = (desk.text, desk.view);
    let is_late = move || view.with(|view| view.is_late);
    let has_two = move || view.with(|view| view.lanes.len() > 1);
    let stop = move || {
        button("button button-small")
            .testid("time-stop")
            .press(move || desk.act(TimeState::stop))
            .child(text.stop)
    };
    let head = div()
        .class("time-head")
        .child(h3().testid("time-title").text(move || view.with(|view| view.title.clone())))
        .child(
            span()
                .class("time-late")
                .set("role", "status")
                .text(move || if is_late() { text.computing } else { "" }.to_owned()),
        )
        .child(show(is_late, stop))
        .child(show(has_two, move || moves(desk)))
        .child(
            button("button button-small")
                .testid("time-close")
                .press(move || desk.act(TimeState::close))
                .child(text.back_to_list),
        );
    let plan = p()
        .class("time-hint time-plan")
        .testid("time-plan")
        .text(move || view.with(|view| view.plan.clone()));
    div()
        .class("time-controls")
        .testid("time-controls")
        .set("role", "group")
        .label(text.controls)
        .set("aria-describedby", "time-keys")
        .child(head)
        .child(plan)
        .child(div().class("time-bar").child(steps(desk)).child(speeds(desk)))
        .child(scrubber(desk))
        .child(p().class("time-hint time-keys").set("id", "time-keys").child(text.keys_hint))
}

fn read<T>(desk: Desk, of: impl FnOnce(&ControlsView) -> T) -> T {
    desk.view.with(|view| of(&view.controls))
}

/// A button with a sign.
fn signed(
    desk: Desk,
    name: &'static str,
    words: &'static str,
    strokes: &'static str,
    to: To,
) -> Node {
    button("button time-sign")
        .testid(format!("time-{name}"))
        .label(words)
        .set("title", words)
        .press(move || desk.act(|model| model.travel(to)))
        .child(sign(move || strokes.to_owned()))
}

/// A button with a word.
fn worded(desk: Desk, name: &'static str, [word, words]: [&'static str; 2], to: To) -> Node {
    button("button")
        .testid(format!("time-{name}"))
        .label(words)
        .set("title", words)
        .follow(OFF, move || read(desk, |it| it.is_at_end).to_string())
        .press(move || desk.act(|model| model.travel(to)))
        .child(word)
}

fn steps(desk: Desk) -> Node {
    let text = desk.text;
    let is_at_start = move || read(desk, |it| it.is_at_start);
    let is_at_end = move || read(desk, |it| it.is_at_end);
    let is_playing = move || read(desk, |it| it.is_playing);
    let play_words = move || if is_playing() { text.pause } else { text.play }.to_owned();
    let play = button("button button-primary time-sign")
        .set("id", PLAY_ID)
        .testid("time-play")
        .follow("aria-label", play_words)
        .follow("title", play_words)
        .follow("data-playing", move || is_playing().to_string())
        .press(move || desk.act(TimeState::toggle_play))
        .child(sign(move || if is_playing() { PAUSE } else { PLAY }.to_owned()));
    let start = signed(desk, "start", text.to_start, TO_START, To::Start);
    let back = signed(desk, "back", text.back, BACK, To::Back);
    let end = signed(desk, "end", text.to_end, TO_END, To::End);
    let has_steps = move || read(desk, |it| it.has_steps);
    let step = move || worded(desk, "next-step", [text.short_step, text.next_step], To::NextStep);
    let event = [text.short_event, text.next_event];
    let message = [text.short_message, text.next_message];
    let tick = [text.short_tick, text.next_tick];
    div()
        .class("time-steps")
        .child(start.follow(OFF, move || is_at_start().to_string()))
        .child(back.follow(OFF, move || is_at_start().to_string()))
        .child(play)
        .child(end.follow(OFF, move || is_at_end().to_string()))
        .child(span().class("time-next").set("aria-hidden", "true").child(text.next))
        .child(worded(desk, "next-event", event, To::NextEvent))
        .child(worded(desk, "next-message", message, To::NextMessage))
        .child(worded(desk, "next-tick", tick, To::NextTick))
        .child(show(has_steps, step))
}

/// How fast it plays: one choice, by events or by time.
fn speeds(desk: Desk) -> Node {
    let text = desk.text;
    let group = |words: &'static str, speeds: &[Speed]| {
        let mut group = div().class("time-speeds keys-switch").set("role", "group").label(words);
        for speed in speeds.iter().copied() {
            let is_on = move || read(desk, |it| it.speed == speed);
            group = group.child(
                button("keys-option")
                    .testid(format!("time-speed-{}", speed.name()))
                    .label(speed.words(text))
                    .set("title", speed.words(text))
                    .follow("aria-pressed", move || is_on().to_string())
                    .press(move || desk.act(|model| model.set_speed(speed)))
                    .child(speed.short()),
            );
        }
        div()
            .class("time-speed")
            .child(span().class("time-next").set("aria-hidden", "true").child(words))
            .child(group)
    };
    div()
        .class("time-scales")
        .testid("time-speeds")
        .set("role", "group")
        .label(text.speed)
        .child(group(text.speed_events, &Speed::EVENTS))
        .child(group(text.speed_times, &Speed::TIMES))
}

/// Which timelines move.
fn moves(desk: Desk) -> Node {
    let text = desk.text;
    let words = [
        (Moves::Both, text.moves_both.to_owned()),
        (Moves::First, (text.moves_one)("A")),
        (Moves::Second, (text.moves_one)("B")),
    ];
    let mut group = div().class("keys-switch").set("role", "group").label(text.moves);
    for (moves, words) in words {
        let is_on = move || read(desk, |it| it.moves == moves);
        group = group.child(
            button("keys-option")
                .testid(format!("time-moves-{}", moves.name()))
                .follow("aria-pressed", move || is_on().to_string())
                .press(move || desk.act(|model| model.set_moves(moves)))
                .child(words),
        );
    }
    div()
        .class("time-speed")
        .child(span().class("time-next").set("aria-hidden", "true").child(text.moves))
        .child(group)
}

fn scrubber(desk: Desk) -> Node {
    let text = desk.text;
    let place = memo(move || read(desk, |it| it.place.clone()));
    let range = input()
        .set("type", "range")
        .class("time-range")
        .testid("time-range")
        .label(text.scrubber)
        .set("min", "0")
        .follow("step", move || if read(desk, |it| it.is_timed) { "10" } else { "1" }.to_owned())
        .follow("max", move || read(desk, |it| it.high.to_string()))
        .follow("aria-valuetext", move || place.get())
        .value(move || read(desk, |it| it.value.to_string()))
        .on("input", move |event| {
            if let Ok(value) = dom::value_of(&event).parse() {
                desk.act(|model| model.scrub(value));
            }
        });
    div()
        .class("time-scrubber")
        .child(div().class("time-rail").child(range))
        .child(
            div()
                .class("time-where")
                .child(span().class("time-place").testid("time-place").text(move || place.get())),
        )
        // Here it is in sight also where all else scrolls.
        .child(p().class("time-hint time-lab").testid("time-lab").child(text.lab_mark))
}
