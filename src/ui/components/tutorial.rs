//! The panel of lessons: its head, and a place for them; they belong to the program `insight`.

use crate::playground::event::Event;
use crate::ui::components::icon::{Sign, icon};
use crate::ui::components::keys::insight_wait;
use crate::ui::context::Context;
use crate::ui::node::{Node, button, div, h2, section};

/// The panel.
pub(crate) fn tutorial(context: Context) -> Node {
    let text = context.text;
    let head = div()
        .class("panel-head")
        .child(h2().set("id", "tutorial-title").child(text.panel_tutorial))
        .child(
            button("button button-quiet tutorial-hide")
                .label(text.hide_tutorial)
                .set("title", text.hide_tutorial)
                .press(move || context.send(Event::ToggleTutorial))
                .child(icon(Sign::Close)),
        );
    section()
        .class("panel panel-tutorial")
        .set("aria-labelledby", "tutorial-title")
        .child(head)
        .child(insight_wait(context, || true))
        .child(div().class("lesson-place").set("id", "lesson"))
}
