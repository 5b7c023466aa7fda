//! On a narrow screen: which panel is shown.

use leptos::prelude::*;

use crate::playground::event::{Event, Panel};
use crate::ui::components::icon::{Sign, icon};
use crate::ui::context::Context;
use crate::ui::node::{Node, button, nav, span};

/// The row of panels.
pub(crate) fn panel_tabs(context: Context) -> Node {
    let text = context.text;
    let tabs = [
        (Panel::Tutorial, "tutorial", text.panel_tutorial, Sign::Tutorial),
        (Panel::Console, "console", text.panel_console, Sign::Console),
        (Panel::Cluster, "cluster", text.panel_cluster, Sign::Cluster),
        (Panel::Keys, "keys", text.panel_views, Sign::Keys),
        (Panel::Events, "events", text.panel_events, Sign::Events),
    ];
    let mut row = nav().class("panel-tabs").label(text.panels);
    for (panel, name, label, sign) in tabs {
        row = row.child(tab(context, panel, name, label, sign));
    }
    row
}

fn tab(
    context: Context,
    panel: Panel,
    name: &'static str,
    label: &'static str,
    sign: Sign,
) -> Node {
    let frame = context.views.frame;
    button("panel-tab")
        .testid(format!("panel-{name}"))
        .set("data-for", name)
        .follow("aria-current", move || frame.with(|frame| frame.panel == panel).to_string())
        .press(move || context.send(Event::ShowPanel(panel)))
        .child(icon(sign))
        .child(span().child(label))
}
