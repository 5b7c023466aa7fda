//! The frame: header, banner, panels, dialogs.

use leptos::prelude::*;

use crate::playground::event::{Panel, Theme};
use crate::playground::layout::Split;
use crate::ui::components::{
    banner, broken_link, change_question, cluster, console, events, file_question, keys,
    new_cluster, panel_tabs, share, splitter, top, tutorial,
};
use crate::ui::context::Context;
use crate::ui::dom;
use crate::ui::node::{Node, a, div, effect, main, memo, next_frame};

/// For style sheets.
const fn panel_name(panel: Panel) -> &'static str {
    match panel {
        Panel::Tutorial => "tutorial",
        Panel::Console => "console",
        Panel::Cluster => "cluster",
        Panel::Keys => "keys",
        Panel::Events => "events",
    }
}

/// The whole page.
pub(crate) fn app(context: Context) -> Node {
    let frame = context.views.frame;
    dom::set_root_attribute("lang", context.text.language);
    document().set_title(context.text.title);
    effect(move || {
        let theme = match frame.with(|frame| frame.theme) {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        dom::set_root_attribute("data-theme", theme);
    });
    let layout = memo(move || frame.with(|frame| frame.layout));
    effect(move || {
        let size = if layout.get().is_large { "large" } else { "usual" };
        dom::set_root_attribute("data-type", size);
        // Lists that know their height look again.
        next_frame(dom::tell_resized);
    });
    effect(move || {
        let is_ready = frame.with(|frame| frame.is_ready);
        dom::set_body_attribute("data-ready", if is_ready { "true" } else { "false" });
    });
    let text = context.text;
    let split = move |split, label| splitter(context, split, label);
    let centre = div()
        .class("column column-center")
        .child(split(Split::Tutorial, text.split_tutorial))
        .child(console(context))
        .child(split(Split::Console, text.split_console))
        .child(keys(context));
    let right = div()
        .class("column column-right")
        .child(split(Split::Side, text.split_side))
        .child(cluster(context))
        .child(split(Split::Cluster, text.split_cluster))
        .child(events(context));
    let panels = main().class("panels").child(tutorial(context)).child(centre).child(right);
    let part = move |split: Split, is_rest: bool, unit: &str| {
        let share = layout.get().chosen(split);
        let share = share.map(|share| if is_rest { 100 - share } else { share });
        share.map(|share| format!("{share}{unit}")).unwrap_or_default()
    };
    let shell = div()
        .class("shell")
        .property("--tutorial", move || part(Split::Tutorial, false, "%"))
        .property("--side", move || part(Split::Side, true, "%"))
        .property("--cluster", move || part(Split::Cluster, false, "%"))
        .property("--above", move || part(Split::Console, false, ""))
        .property("--below", move || part(Split::Console, true, ""))
        .follow("data-panel", move || panel_name(frame.with(|frame| frame.panel)).to_owned())
        .follow("data-works", move || frame.with(|frame| frame.lower.is_workplace()).to_string())
        .follow("data-tutorial", move || frame.with(|frame| frame.has_tutorial).to_string())
        .child(top(context))
        .child(banner(context, false))
        .child(panels)
        .child(panel_tabs(context));
    let skip = a().class("skip").set("href", "#console-input").child(context.text.skip_to_console);
    div()
        .class("whole")
        .child(skip)
        .child(shell)
        .child(new_cluster(context))
        .child(change_question(context))
        .child(file_question(context))
        .child(broken_link(context))
        .child(share(context))
}
