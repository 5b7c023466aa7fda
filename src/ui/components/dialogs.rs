//! The question before a cluster is thrown away, and a link that cannot be opened.

use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::JsCast;

use crate::playground::event::{Event, ShareEvent};
use crate::ui::context::Context;
use crate::ui::node::{Node, Place, button, dialog, div, h2, memo, p, place};

/// A dialog that is open while `is_open` says so; Escape only tells `on_escape`.
pub(crate) fn modal(
    is_open: impl Fn() -> bool + Send + Sync + 'static,
    on_escape: impl Fn() + 'static,
) -> Node {
    let at = place();
    let is_open = memo(is_open);
    Effect::new(move |_| set_open(at, is_open.get()));
    dialog().class("dialog").at(at).on("cancel", move |event| {
        event.prevent_default();
        on_escape();
    })
}

fn set_open(at: Place, is_open: bool) {
    let dialog = at.get().and_then(|element| element.dyn_into::<web_sys::HtmlDialogElement>().ok());
    let Some(dialog) = dialog else { return };
    if is_open && !dialog.open() {
        let _ = dialog.show_modal();
    } else if !is_open && dialog.open() {
        dialog.close();
    }
}

/// The question before a cluster is thrown away.
pub(crate) fn new_cluster(context: Context) -> Node {
    let text = context.text;
    let frame = context.views.frame;
    let answer = move |is_yes| context.send(Event::AnswerNewCluster(is_yes));
    let title =
        move || frame.with(|frame| frame.asks_new.map(text.new_cluster_title).unwrap_or_default());
    modal(move || frame.with(|frame| frame.asks_new.is_some()), move || answer(false))
        .class("dialog-small")
        .set("aria-labelledby", "new-cluster-title")
        .child(h2().set("id", "new-cluster-title").text(title))
        .child(p().child(text.new_cluster_warning))
        .child(
            div()
                .class("row row-end")
                .child(
                    button("button")
                        .testid("new-cluster-no")
                        .press(move || answer(false))
                        .child(text.cancel),
                )
                .child(
                    button("button button-bad")
                        .testid("new-cluster-yes")
                        .press(move || answer(true))
                        .child(text.new_cluster_yes),
                ),
        )
}

/// A link that cannot be opened.
pub(crate) fn broken_link(context: Context) -> Node {
    let text = context.text;
    let frame = context.views.frame;
    let close = move || context.send(Event::Share(ShareEvent::Close));
    let why = move || frame.with(|frame| frame.broken_link.clone()).unwrap_or_default();
    modal(move || frame.with(|frame| frame.broken_link.is_some()), close)
        .class("dialog-small")
        .set("aria-labelledby", "broken-link-title")
        .testid("broken-link")
        .child(h2().set("id", "broken-link-title").child(text.link_broken_title))
        .child(p().testid("broken-link-reason").text(why))
        .child(
            div()
                .class("row row-end")
                .child(button("button button-primary").press(close).child(text.link_close)),
        )
}
