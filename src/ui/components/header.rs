//! Name, the cluster in one line, storage, sharing, colours.

use leptos::prelude::*;

use crate::playground::event::{Event, ShareEvent, Theme};
use crate::playground::view::FrameView;
use crate::ui::components::banner;
use crate::ui::components::icon::{Sign, icon};
use crate::ui::context::Context;
use crate::ui::node::{Node, button, dd, div, dl, dt, h1, header, span};
use crate::ui::shape::{Shape, circle, path, svg};

/// By this the language's button is found after the page was made anew.
pub(crate) const LANGUAGE_ID: &str = "language";

/// The top of the page.
pub(crate) fn top(context: Context) -> Node {
    header()
        .class("top")
        .child(h1().class("brand").child(mark()).child(context.text.title))
        .child(summary(context))
        .child(banner(context, true))
        .child(tools(context))
}

fn mark() -> Shape {
    svg("0 0 20 20")
        .class("brand-mark")
        .set("width", "20")
        .set("height", "20")
        .set("aria-hidden", "true")
        .child(path().class("brand-lines").set("d", "M10 4.5L4.5 14.5h11z"))
        .child(circle("10", "4.5", "3.2").class("brand-lead"))
        .child(circle("4.5", "14.5", "2.6").class("brand-dot"))
        .child(circle("15.5", "14.5", "2.6").class("brand-dot"))
}

/// The cluster in one line.
fn summary(context: Context) -> Node {
    let text = context.text;
    let frame = context.views.frame;
    let item = |label: &'static str, value: Node| {
        div().class("summary-item").child(dt().child(label)).child(value)
    };
    let leader = dd().testid("leader").text(move || frame.with(|frame| frame.leader.clone()));
    // Before there is a cluster, it has neither.
    let number = move |of: fn(&FrameView) -> String| {
        move || frame.with(|frame| if frame.is_ready { of(frame) } else { "–".to_owned() })
    };
    let term = dd().testid("term").text(number(|frame| frame.term.to_string()));
    let revision = dd().testid("revision").text(number(|frame| frame.revision.to_string()));
    dl().class("summary")
        .testid("summary")
        .child(
            item(text.summary_leader, leader)
                .class_while("is-missing", move || frame.with(|frame| !frame.has_leader)),
        )
        .child(item(text.summary_term, term))
        .child(item(text.summary_revision, revision))
}

/// Storage, tutorial, colours, sharing.
fn tools(context: Context) -> Node {
    let text = context.text;
    div()
        .class("top-tools")
        .child(storage(context))
        .child(tutorial(context))
        .child(language(context))
        .child(large(context))
        .child(colours(context))
        .child(
            button("button button-primary")
                .testid("share-button")
                .disabled_while(move || context.views.frame.with(|frame| !frame.can_share))
                .follow("title", move || nothing_to_share(context).to_owned())
                .set("aria-describedby", "share-why")
                .press(move || context.send(Event::Share(ShareEvent::Open)))
                .child(icon(Sign::Share))
                .child(text.share),
        )
        .child(
            span()
                .class("visually-hidden")
                .set("id", "share-why")
                .text(move || nothing_to_share(context).to_owned()),
        )
}

/// Why there is nothing to share, if there is nothing.
fn nothing_to_share(context: Context) -> &'static str {
    let can_share = context.views.frame.with(|frame| frame.can_share);
    if can_share { "" } else { context.text.share_nothing }
}

fn storage(context: Context) -> Node {
    let text = context.text;
    let frame = context.views.frame;
    let hint = move || {
        let hint =
            if frame.with(|frame| frame.is_durable) { text.mode_indexed_db_hint } else { "" };
        hint.to_owned()
    };
    span()
        .class("chip")
        .class_while("is-durable", move || frame.with(|frame| frame.is_durable))
        .testid("storage-mode")
        .follow("title", hint)
        .child(span().class("visually-hidden").child(text.labelled.of(text.storage, "")))
        .text(move || frame.with(|frame| frame.storage.to_owned()))
}

fn tutorial(context: Context) -> Node {
    let text = context.text;
    let frame = context.views.frame;
    let title = move || {
        let is_shown = frame.with(|frame| frame.has_tutorial);
        let title = if is_shown { text.hide_tutorial } else { text.show_tutorial };
        title.to_owned()
    };
    button("button tutorial-toggle")
        .testid("tutorial-toggle")
        .follow("aria-pressed", move || frame.with(|frame| frame.has_tutorial.to_string()))
        .follow("title", title)
        .press(move || context.send(Event::ToggleTutorial))
        .child(icon(Sign::Tutorial))
        .child(span().class("wide-only").child(text.panel_tutorial))
}

/// Names the other language, and goes over to it.
fn language(context: Context) -> Node {
    let text = context.text;
    button("button language-toggle")
        .set("id", LANGUAGE_ID)
        .testid("language-toggle")
        .label(text.language_switch)
        .set("title", text.language_switch)
        .press(move || context.send(Event::SetLanguage(context.language.other())))
        .child(span().set("lang", text.language_other_tag).child(text.language_other))
}

fn large(context: Context) -> Node {
    let text = context.text;
    let frame = context.views.frame;
    button("button")
        .testid("large-toggle")
        .label(text.large_type)
        .set("title", text.large_type)
        .follow("aria-pressed", move || frame.with(|frame| frame.layout.is_large).to_string())
        .press(move || context.send(Event::ToggleLarge))
        .child(icon(Sign::Large))
}

fn colours(context: Context) -> Node {
    let text = context.text;
    let frame = context.views.frame;
    let label = move || {
        let label = match frame.with(|frame| frame.theme) {
            Theme::System => text.theme_system,
            Theme::Light => text.theme_light,
            Theme::Dark => text.theme_dark,
        };
        label.to_owned()
    };
    button("button")
        .testid("theme-toggle")
        .follow("aria-label", label)
        .follow("title", label)
        .press(move || {
            let next = match frame.with_untracked(|frame| frame.theme) {
                Theme::System => Theme::Light,
                Theme::Light => Theme::Dark,
                Theme::Dark => Theme::System,
            };
            context.send(Event::SetTheme(next));
        })
        .child(icon(Sign::Theme))
}
