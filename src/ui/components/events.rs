//! What happened, in sentences.

use std::sync::Arc;

use leptos::prelude::*;

use crate::playground::timeline::Weight;
use crate::playground::view::LogLine;
use crate::ui::context::Context;
use crate::ui::node::{Node, Row, div, h2, li, ol, p, rows, section, show, span};

/// The log of events, newest first.
pub(crate) fn events(context: Context) -> Node {
    let text = context.text;
    let log = context.views.log;
    let lines = rows(move || {
        let lines = log.with(|log| log.lines.clone());
        let row = |line: Arc<LogLine>| Row::new(line.id.to_string(), move || event_row(&line));
        lines.into_iter().map(row).collect()
    });
    let head = div()
        .class("panel-head")
        .child(h2().set("id", "events-title").child(text.panel_events))
        .child(
            p().class("panel-note")
                .testid("elections")
                .set("title", text.elections_hint)
                .text(move || log.with(|log| log.elections.clone())),
        );
    let body = div()
        .class("panel-body")
        .set("tabindex", "0")
        .set("role", "group")
        .set("aria-labelledby", "events-title")
        .child(ol().class("events").testid("event-log").child(lines))
        .child(show(
            move || log.with(|log| log.lines.is_empty()),
            move || p().class("empty").child(text.events_empty),
        ));
    section()
        .class("panel panel-events")
        .set("aria-labelledby", "events-title")
        .child(head)
        .child(
            p().class("visually-hidden")
                .set("aria-live", "polite")
                .testid("event-aloud")
                .text(move || log.with(|log| log.aloud.clone())),
        )
        .child(body)
}

fn event_row(line: &LogLine) -> Node {
    li().class("event")
        .testid("event")
        .class_if("is-minor", line.weight == Weight::Minor)
        .class_if("is-trouble", line.weight == Weight::Trouble)
        .child(span().class("event-time").child(line.time.clone()))
        .child(" ")
        .child(span().class("event-text").child(line.sentence.clone()))
}
