//! The lower centre panel: its tabs, and a place for the views, which belong to the program `insight`.

use leptos::prelude::*;

use crate::playground::event::{Event, Lower};
use crate::playground::view::InsightState;
use crate::ui::context::Context;
use crate::ui::dom;
use crate::ui::node::{Node, button, div, h2, memo, p, part, section, show, span};

/// The panel.
pub(crate) fn keys(context: Context) -> Node {
    let text = context.text;
    let head = div()
        .class("panel-head console-head")
        .child(h2().set("id", "keys-title").class("visually-hidden").child(text.lower_tabs))
        .child(lower_tabs(context));
    let no_keys = move || context.views.frame.with(|frame| frame.no_keys);
    let is_empty = move || no_keys().is_some();
    let empty = show(is_empty, move || {
        let words = move || no_keys().unwrap_or_default().to_owned();
        p().class("empty").testid("no-keys").text(words)
    });
    section()
        .class("panel panel-keys")
        .set("aria-labelledby", "keys-title")
        .follow("data-lower", move || lower_of(context).name().to_owned())
        .child(head)
        .child(empty)
        .child(insight_wait(context, move || no_keys().is_none()))
        .child(div().class("insight").class_while("is-idle", is_empty).set("id", "insight"))
}

fn lower_of(context: Context) -> Lower {
    context.views.frame.with(|frame| frame.lower)
}

/// The tabs of the panel; arrow keys go from one to the next.
fn lower_tabs(context: Context) -> Node {
    let text = context.text;
    let labels = [
        text.panel_keys,
        text.tab_log,
        text.tab_messages,
        text.tab_clocks,
        text.tab_quorum,
        text.tab_history,
        text.tab_watches,
        text.tab_why,
        text.tab_time,
        text.tab_scenario,
        text.tab_commands,
        text.tab_errors,
        text.tab_exact,
    ];
    let mut tabs = div().class("tabs").set("role", "tablist").label(text.lower_tabs).on(
        "keydown",
        move |event| {
            let at = Lower::ALL.iter().position(|it| *it == untrack(|| lower_of(context)));
            let at = at.unwrap_or_default() + Lower::ALL.len();
            let to = match dom::key_of(&event).as_str() {
                "ArrowLeft" => at - 1,
                "ArrowRight" => at + 1,
                _ => return,
            };
            event.prevent_default();
            if let Some(lower) = Lower::ALL.get(to % Lower::ALL.len()) {
                context.send(Event::ShowLower(*lower));
                dom::focus_on(&format!("lower-{}", lower.name()));
            }
        },
    );
    for (lower, label) in Lower::ALL.into_iter().zip(labels) {
        let is_on = move || lower_of(context) == lower;
        let name = format!("lower-{}", lower.name());
        let tab = button("tab tab-name")
            .set("id", name.clone())
            .testid(name)
            .set("role", "tab")
            .class_while("is-active", is_on)
            .follow("aria-selected", move || is_on().to_string())
            .follow("tabindex", move || if is_on() { "0" } else { "-1" }.to_owned())
            .press(move || context.send(Event::ShowLower(lower)));
        tabs = tabs.child(tab.child(label));
    }
    tabs
}

/// What stands in the place of a view whose program is not there.
pub(crate) fn insight_wait(
    context: Context,
    is_here: impl Fn() -> bool + Copy + Send + Sync + 'static,
) -> AnyView {
    let text = context.text;
    let state = memo(move || {
        context.views.frame.with(|frame| {
            (is_here() && frame.insight != InsightState::Ready).then(|| frame.insight.clone())
        })
    });
    part(move || {
        let wait = div().class("empty insight-wait").testid("insight-wait");
        Some(match state.get()? {
            InsightState::Failed(reason) => {
                let again = button("button")
                    .testid("insight-again")
                    .press(move || context.send(Event::ShowLower(untrack(|| lower_of(context)))))
                    .child(text.lab_again);
                let why = p().class("verdict").set("data-kind", "bad");
                wait.set("role", "alert")
                    .child(why.child(text.insight_failed.of(&reason)))
                    .child(again)
            }
            InsightState::Loading | InsightState::Ready => {
                let pulse = span().class("pulse").set("aria-hidden", "true");
                wait.set("role", "status").child(pulse).child(text.insight_loading)
            }
        })
    })
}
