//! The questions before something is thrown away, the file that a command asks for, and a link that cannot be opened.

use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::JsCast;

use crate::playground::event::{Brought, Event, ShareEvent};
use crate::playground::settings::SETTINGS;
use crate::playground::view::{QuestionView, SettingView};
use crate::ui::context::Context;
use crate::ui::dom;
use crate::ui::node::{
    Node, Place, button, details, dialog, div, effect, h2, input, label, memo, p, place, show,
    span, summary,
};

/// A dialog that is open while `is_open` says so; Escape only tells `on_escape`.
pub(crate) fn modal(
    is_open: impl Fn() -> bool + Send + Sync + 'static,
    on_escape: impl Fn() + 'static,
) -> Node {
    let at = place();
    let is_open = memo(is_open);
    effect(move || set_open(at, is_open.get()));
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
        dom::focus_again();
    }
}

/// The question before a cluster is thrown away.
pub(crate) fn new_cluster(context: Context) -> Node {
    let text = context.text;
    let frame = context.views.frame;
    let answer = move |is_yes| context.send(Event::AnswerNewCluster(is_yes));
    let title = move || {
        frame.with(|frame| {
            frame.asks_new.map(|count| text.new_cluster_title.of(count)).unwrap_or_default()
        })
    };
    modal(move || frame.with(|frame| frame.asks_new.is_some()), move || answer(false))
        .class("dialog-small")
        .set("aria-labelledby", "new-cluster-title")
        .child(h2().set("id", "new-cluster-title").text(title))
        .child(p().child(text.new_cluster_warning))
        .child(settings(context))
        .child(
            div()
                .class("row row-end")
                .child(
                    button("button")
                        .testid("new-cluster-no")
                        // Not the settings, which come first.
                        .set("autofocus", "")
                        .press(move || answer(false))
                        .child(text.cancel),
                )
                .child(
                    button("button button-bad")
                        .testid("new-cluster-yes")
                        .disabled_while(move || {
                            frame.with(|frame| frame.settings.iter().any(|one| !one.is_valid))
                        })
                        .press(move || answer(true))
                        .child(text.new_cluster_yes),
                ),
        )
}

/// What the new cluster is started with.
fn settings(context: Context) -> Node {
    let text = context.text;
    let frame = context.views.frame;
    let mut list = div().class("settings");
    for setting in SETTINGS {
        let read = move |of: fn(&SettingView) -> String| {
            frame.with(|frame| {
                let found = frame.settings.iter().find(|view| view.setting == setting);
                found.map(of).unwrap_or_default()
            })
        };
        let id = setting.flag();
        let field = input()
            .set("id", id)
            .testid(format!("setting-{id}"))
            .set("aria-describedby", format!("{id}-hint"));
        let field = if setting.is_switch() {
            field.set("type", "checkbox").checked(move || read(|view| view.text.clone()) == "1").on(
                "change",
                move |event| {
                    let text = if dom::is_checked(&event) { "1" } else { "0" };
                    context.send(Event::SetSetting(setting, text.to_owned()));
                },
            )
        } else {
            field
                .class("field-input")
                .set("inputmode", "numeric")
                .set("autocomplete", "off")
                .follow("aria-invalid", move || read(|view| (!view.is_valid).to_string()))
                .value(move || read(|view| view.text.clone()))
                .on("input", move |event| {
                    context.send(Event::SetSetting(setting, dom::value_of(&event)));
                })
        };
        let hint = span().class("setting-hint").set("id", format!("{id}-hint"));
        list = list.child(
            div()
                .class("setting")
                .child(label().set("for", id).text(move || read(|view| view.label.to_owned())))
                .child(field)
                .child(hint.text(move || read(|view| view.hint.clone()))),
        );
    }
    details()
        .class("settings-fold")
        .child(summary().testid("new-cluster-settings").child(text.new_cluster_settings))
        .child(list)
}

/// The question before a change of the membership that cannot be undone.
pub(crate) fn change_question(context: Context) -> Node {
    let text = context.text;
    let frame = context.views.frame;
    let answer = move |is_yes| context.send(Event::AnswerChange(is_yes));
    let read = move |of: fn(&QuestionView) -> String| {
        move || frame.with(|frame| frame.asks_change.as_ref().map(of).unwrap_or_default())
    };
    modal(move || frame.with(|frame| frame.asks_change.is_some()), move || answer(false))
        .class("dialog-small")
        .set("aria-labelledby", "change-title")
        .child(h2().set("id", "change-title").text(read(|asks| asks.title.clone())))
        .child(p().text(read(|asks| asks.warning.to_owned())))
        .child(
            div()
                .class("row row-end")
                .child(
                    button("button")
                        .testid("change-no")
                        .press(move || answer(false))
                        .child(text.cancel),
                )
                .child(
                    button("button button-bad")
                        .testid("change-yes")
                        .press(move || answer(true))
                        .text(read(|asks| asks.yes.to_owned())),
                ),
        )
}

/// A command asks for a file from the person's disk.
pub(crate) fn file_question(context: Context) -> Node {
    let text = context.text;
    let frame = context.views.frame;
    let is_reading = RwSignal::new(false);
    let answer = move |brought| {
        is_reading.set(false);
        context.send(Event::AnswerFile(brought));
    };
    let title = move || {
        let title =
            frame.with(|frame| frame.asks_file.as_deref().map(|name| text.file_title.of(name)));
        title.unwrap_or_default()
    };
    let reading = move || {
        p().class("block-running")
            .child(span().class("pulse").set("aria-hidden", "true"))
            .child(text.file_reading)
    };
    let field = input()
        .set("type", "file")
        .set("id", "file-choose")
        .class("field-input")
        .testid("file-choose")
        .on("change", move |event| {
            if let Some(file) = dom::files_of(&event_target::<web_sys::Element>(&event)).pop() {
                is_reading.set(true);
                dom::read_file(&file, move |_, brought| {
                    // Nobody may want it any more.
                    if is_reading.try_get_untracked() == Some(true) {
                        answer(brought);
                    }
                });
            }
            // The same file may be chosen again.
            event_target::<web_sys::HtmlInputElement>(&event).set_value("");
        });
    modal(move || frame.with(|frame| frame.asks_file.is_some()), move || answer(Brought::Nothing))
        .class("dialog-small")
        .set("aria-labelledby", "file-title")
        .testid("file-question")
        .child(h2().set("id", "file-title").text(title))
        .child(p().child(text.file_about))
        .child(label().class("field-label").child(span().child(text.file_choose)).child(field))
        .child(div().set("role", "status").child(show(move || is_reading.get(), reading)))
        .child(
            div().class("row row-end").child(
                button("button")
                    .testid("file-cancel")
                    .press(move || answer(Brought::Nothing))
                    .child(text.cancel),
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
