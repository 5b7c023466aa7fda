//! The frame: header, banner, panels, dialogs.

use leptos::prelude::*;

use crate::playground::event::{Panel, Theme};
use crate::ui::components::{
    banner, broken_link, change_question, cluster, console, events, file_question, keys,
    new_cluster, panel_tabs, share, top, tutorial,
};
use crate::ui::context::Context;
use crate::ui::dom;
use crate::ui::node::{Node, a, div, effect, main};

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
    effect(move || {
        let is_ready = frame.with(|frame| frame.is_ready);
        dom::set_body_attribute("data-ready", if is_ready { "true" } else { "false" });
    });
    let panels = main()
        .class("panels")
        .child(tutorial(context))
        .child(div().class("column column-center").child(console(context)).child(keys(context)))
        .child(div().class("column column-right").child(cluster(context)).child(events(context)));
    let shell = div()
        .class("shell")
        .follow("data-panel", move || panel_name(frame.with(|frame| frame.panel)).to_owned())
        .follow("data-tutorial", move || frame.with(|frame| frame.has_tutorial).to_string())
        .child(top(context))
        .child(banner(context))
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
