//! The line being written, with the list above it.
//!
//! What it is: a field, a second one that does not show what is written, and completions or lines of the history.
//! What it is not: the meaning of a key in a list, which the model knows.
//! Invariants: the focus stays in the field while a list is open; the chosen row is told to screen readers as
//! the field's active descendant.

use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::JsCast;

use super::{Fields, send};
use crate::playground::event::ConsoleEvent;
use crate::playground::view::MenuView;
use crate::ui::components::icon::{Sign, icon};
use crate::ui::context::Context;
use crate::ui::dom;
use crate::ui::node::{
    Node, Place, button, div, effect, either, found, input, label, memo, next_frame, p, part,
    place, show, span, textarea,
};

/// Most rows of the field where it does not grow by itself.
const ROWS_MAX: usize = 8;

fn row_id(at: u32) -> String {
    format!("choice-{at}")
}

/// Completions, or lines of the history.
pub(super) fn menu(context: Context) -> AnyView {
    let text = context.text;
    let console = context.views.console;
    let menu = memo(move || console.with(|console| console.menu.clone()));
    let at = place();
    effect(move || {
        let chosen = menu.get().and_then(|menu| menu.chosen);
        next_frame(move || {
            if let Some((list, chosen)) = found(at).zip(chosen) {
                dom::reveal(&list, &row_id(chosen));
            }
        });
    });
    part(move || {
        let MenuView { is_search, choices, chosen, more } = menu.get()?;
        let (name, keys) = if is_search {
            (text.menu_history, text.search_keys)
        } else {
            (text.menu_completions, text.menu_keys)
        };
        let nothing = choices.is_empty().then(|| p().class("menu-note").child(text.menu_none));
        let mut list = div()
            .class("menu-list")
            .set("id", "console-menu")
            .set("role", "listbox")
            .label(name)
            .at(at);
        for (at, choice) in (0_u32..).zip(choices) {
            let is_chosen = chosen == Some(at);
            let about =
                (!choice.about.is_empty()).then(|| span().class("menu-about").child(choice.about));
            list = list.child(
                div()
                    .class("menu-row")
                    .class_if("is-chosen", is_chosen)
                    .set("id", row_id(at))
                    .set("role", "option")
                    .set("aria-selected", is_chosen.to_string())
                    .press(move || send(context, ConsoleEvent::Choose(at)))
                    .child(span().class("menu-text").child(choice.text))
                    .child(about),
            );
        }
        let more = (more > 0).then(|| p().class("menu-note").child(text.menu_more.of(more)));
        Some(
            div()
                .class("menu")
                .testid("console-menu")
                // A press on a row leaves the focus in the field.
                .on("mousedown", |event| event.prevent_default())
                .child(list)
                .child(nothing)
                .child(more)
                .child(p().class("menu-note menu-keys").child(keys)),
        )
    })
}

/// The prompt.
pub(super) fn prompt(context: Context, fields: Fields) -> Node {
    let text = context.text;
    let console = context.views.console;
    let is_running = move || console.with(|console| console.is_running);
    let queued = move || console.with(|console| console.queued);
    let is_search =
        move || console.with(|console| console.menu.as_ref().is_some_and(|menu| menu.is_search));
    let mark = label()
        .class("prompt-mark")
        .set("for", "console-input")
        .child(
            span()
                .set("aria-hidden", "true")
                .text(move || if is_search() { "?" } else { "$" }.to_owned()),
        )
        .child(span().class("visually-hidden").text(move || {
            if is_search() { text.menu_history } else { text.console_input }.to_owned()
        }));
    let count = move || {
        console.with(|console| {
            let count = console.menu.as_ref().map(|menu| menu.choices.len());
            let count = count.and_then(|count| u64::try_from(count).ok());
            count.map(|count| text.menu_count.of(count)).unwrap_or_default()
        })
    };
    let waiting = move || span().class("prompt-note").text(move || text.queued.of(queued()));
    let act = move |event: ConsoleEvent| {
        send(context, event);
        fields.focus();
    };
    let stop = move || {
        button("button button-small")
            .testid("console-stop")
            .press(move || act(ConsoleEvent::Interrupt))
            .child(icon(Sign::Stop))
            .child(text.interrupt)
    };
    let run = move || {
        button("button button-quiet")
            .testid("console-run")
            .label(text.run)
            .set("title", text.run)
            .press(move || act(ConsoleEvent::Submit))
            .child(icon(Sign::Run))
    };
    show_one(context, fields);
    div()
        .class("prompt")
        .child(mark)
        .child(line_field(context, fields.line))
        .child(secret_field(context).at(fields.secret))
        .child(span().class("visually-hidden").set("role", "status").text(count))
        .child(show(move || queued() > 0, waiting))
        .child(either(is_running, stop, run))
}

/// Hides one of the fields; the focus goes from one to the other before the next key.
fn show_one(context: Context, fields: Fields) {
    let console = context.views.console;
    let is_secret = memo(move || console.with(|console| console.is_secret));
    effect(move || {
        let is_secret = is_secret.get();
        let (Some(line), Some(secret)) = (fields.line.get(), fields.secret.get()) else { return };
        let leaves = if is_secret { &line } else { &secret };
        let had_focus = dom::has_focus(leaves);
        line.set_hidden(is_secret);
        secret.set_hidden(!is_secret);
        if had_focus {
            fields.focus();
        }
    });
}

/// What is written, for the field that it belongs to.
fn written(context: Context, is_secret: bool) -> String {
    context.views.console.with(|console| {
        if console.is_secret == is_secret { console.draft.clone() } else { String::new() }
    })
}

fn line_field(context: Context, at: Place) -> Node {
    let text = context.text;
    let console = context.views.console;
    let draft = move || written(context, false);
    let placeholder = move || {
        console.with(|console| match &console.menu {
            Some(menu) if menu.is_search => text.menu_history,
            _ if console.is_running => text.console_stdin,
            _ => text.console_placeholder,
        })
    };
    let chosen = move || {
        console.with(|console| {
            let chosen = console.menu.as_ref().and_then(|menu| menu.chosen);
            chosen.map(row_id).unwrap_or_default()
        })
    };
    let menu = move || {
        let is_open = console.with(|console| console.menu.is_some());
        if is_open { "console-menu" } else { "" }.to_owned()
    };
    let row_count = move || {
        let breaks = console.with(|console| console.draft.matches('\n').count());
        (breaks + 1).min(ROWS_MAX).to_string()
    };
    let close = move |_| {
        if console.with_untracked(|console| console.menu.is_some()) {
            send(context, ConsoleEvent::CloseMenu);
        }
    };
    let caret = memo(move || console.with(|console| console.caret));
    effect(move || {
        let [_, after] = caret.get();
        next_frame(move || {
            let field = found(at).filter(|_| after > 0);
            if let Some(field) = field.and_then(|field| field.dyn_into().ok()) {
                let field: web_sys::HtmlTextAreaElement = field;
                let caret = Some(field.text_length().saturating_sub(after));
                let _ = field.set_selection_start(caret);
                let _ = field.set_selection_end(caret);
            }
        });
    });
    plain_field(context, textarea())
        .at(at)
        .set("id", "console-input")
        .testid("console-input")
        .set("aria-autocomplete", "list")
        .follow("aria-controls", menu)
        .follow("aria-activedescendant", chosen)
        .follow("rows", row_count)
        .follow("placeholder", move || placeholder().to_owned())
        .value(draft)
        .on("blur", close)
        .on("paste", move |event| on_paste(context, &event))
}

fn secret_field(context: Context) -> Node {
    let draft = move || written(context, true);
    plain_field(context, input())
        .set("type", "password")
        .set("hidden", "")
        .testid("console-secret")
        .label(context.text.console_password)
        .set("placeholder", context.text.console_password)
        .value(draft)
}

/// What both fields have.
fn plain_field(context: Context, field: Node) -> Node {
    field
        .class("prompt-input")
        .set("spellcheck", "false")
        .set("autocapitalize", "off")
        .set("autocomplete", "off")
        .on("input", move |event| send(context, ConsoleEvent::Typed(dom::value_of(&event))))
        .on("keydown", on_key(context))
}

/// Hears keys; after Escape, Tab leaves the field.
fn on_key(context: Context) -> impl FnMut(web_sys::Event) + 'static {
    let console = context.views.console;
    let mut may_leave = false;
    move |event| {
        let Ok(event) = event.dyn_into::<web_sys::KeyboardEvent>() else { return };
        let has_menu = console.with_untracked(|console| console.menu.is_some());
        let leaves = std::mem::replace(&mut may_leave, event.key() == "Escape" && !has_menu);
        if leaves && event.key() == "Tab" {
            return;
        }
        if let Some(wanted) = key_event(context, &event, has_menu) {
            event.prevent_default();
            send(context, wanted);
        }
    }
}

fn on_paste(context: Context, event: &web_sys::Event) {
    let pasted = dom::pasted_text(event).unwrap_or_default();
    if pasted.trim_end().contains('\n') {
        event.prevent_default();
        send(context, ConsoleEvent::Pasted(pasted));
    }
}

/// What a key means in the line; `None` leaves it to the browser.
fn key_event(
    context: Context,
    event: &web_sys::KeyboardEvent,
    has_menu: bool,
) -> Option<ConsoleEvent> {
    if event.is_composing() {
        return None;
    }
    let is_running = || context.views.console.with_untracked(|console| console.is_running);
    let area = event_target::<web_sys::HtmlTextAreaElement>(event);
    let line = area.value();
    let key = event.key();
    if event.ctrl_key() && !event.alt_key() && !event.meta_key() {
        let has_selection = area.selection_start() != area.selection_end() || dom::has_selection();
        return match key.as_str() {
            "c" | "C" if !has_selection => Some(ConsoleEvent::Interrupt),
            "l" | "L" => Some(ConsoleEvent::Clear),
            "r" if !event.shift_key() => Some(ConsoleEvent::Search),
            "g" if has_menu => Some(ConsoleEvent::CloseMenu),
            "d" | "D" if is_running() && line.is_empty() => Some(ConsoleEvent::EndOfInput),
            _ => None,
        };
    }
    let is_one_row = has_menu || !line.contains('\n');
    match key.as_str() {
        "Enter" if !event.shift_key() => Some(ConsoleEvent::Submit),
        "Escape" if has_menu => Some(ConsoleEvent::CloseMenu),
        "ArrowUp" if is_one_row => Some(ConsoleEvent::Older),
        "ArrowDown" if is_one_row => Some(ConsoleEvent::Newer),
        "Tab" if !event.shift_key() && (has_menu || !line.trim().is_empty()) => {
            let caret = area.selection_end().ok().flatten().unwrap_or(u32::MAX);
            Some(ConsoleEvent::Complete { after: area.text_length().saturating_sub(caret) })
        }
        _ => None,
    }
}
