//! The run on the live cluster: how the cluster differs from what is wanted, and step by step or all at once.

use super::Desk;
use crate::playground::insight::{Editor, LiveState, LiveView};
use crate::ui::node::{Node, button, div, h3, memo, p, part, show};
use leptos::prelude::*;

pub(super) fn live(desk: Desk) -> Node {
    let (text, view) = (desk.text, desk.view);
    let read = move |of: fn(&LiveView) -> bool| view.with(|view| of(&view.live));
    let state = move || view.with(|view| view.live.state);
    let is_under = move || matches!(state(), LiveState::Waits | LiveState::Runs);
    let cannot = move || {
        let is_ready =
            if is_under() { state() == LiveState::Waits } else { read(|it| it.can_play) };
        !is_ready
    };
    let tools = div()
        .class("scenario-bar")
        .child(
            button("button button-small")
                .testid("live-step")
                .disabled_while(cannot)
                .press(move || desk.act(|editor| editor.play_live(true)))
                .child(text.live_step),
        )
        .child(
            button("button button-small button-primary")
                .testid("live-all")
                .disabled_while(cannot)
                .press(move || desk.act(|editor| editor.play_live(false)))
                .child(text.live_all),
        )
        .child(
            button("button button-small")
                .testid("live-stop")
                .disabled_while(move || !is_under())
                .press(move || desk.act(Editor::stop_live))
                .child(text.live_stop),
        );
    let said = p()
        .class("verdict")
        .testid("live-said")
        .set("aria-live", "polite")
        .follow("data-state", move || state().name().to_owned())
        .follow("data-kind", move || {
            view.with(|view| match (view.live.state, view.live.unmet) {
                (LiveState::Ended, 0) => "good",
                (LiveState::Ended, _) => "bad",
                (LiveState::Runs, _) => "running",
                _ => "plain",
            })
            .to_owned()
        })
        .text(move || view.with(|view| view.live.said.clone()));
    let has_words = move || view.with(|view| !view.live.said.is_empty());
    let shown = memo(has_words);
    div()
        .class("scenario-run")
        .testid("scenario-run")
        .set("role", "group")
        .label(text.live_title)
        .child(h3().child(text.live_title))
        .child(p().class("scenario-label").child(text.live_intro))
        .child(other(desk))
        .child(tools)
        .child(div().class_while("is-empty", move || !shown.get()).child(said))
}

/// How the cluster differs from what the scenario wants.
fn other(desk: Desk) -> AnyView {
    let (text, view) = (desk.text, desk.view);
    let other = memo(move || view.with(|view| view.live.other.clone()));
    let has_make = move || view.with(|view| view.live.can_make.is_some());
    let make = move || {
        let words = move || {
            let members = view.with(|view| view.live.can_make.unwrap_or_default());
            (text.live_make)(members)
        };
        button("button button-small")
            .testid("live-make")
            .press(move || desk.act(Editor::make_cluster))
            .text(words)
    };
    part(move || {
        let words = other.get();
        (!words.is_empty()).then(|| {
            div()
                .class("scenario-other")
                .testid("live-other")
                .child(p().child(words))
                .child(show(has_make, make))
        })
    })
}
